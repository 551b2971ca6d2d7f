"""Many classes and prediction sets in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

from cautious.metrics import (
    aurc_score,
    breakdown,
    cautious_confusion_matrix,
    containment_score,
    determinacy_score,
    mean_set_size,
    set_accuracy_score,
    single_accuracy_score,
    utility_score,
)
from cautious.report import build_report
from cautious.utility import quadratic


@pytest.fixture(scope="module")
def sets(classified):
    _, p, _ = classified
    mask = p >= 0.2
    mask[:5] = True
    return mask


@pytest.fixture(scope="module")
def report_file(classified, sets, tmp_path_factory):
    y, p, classes = classified
    predictions = {
        "wide": {"y_true": y, "y_set": sets, "classes": classes},
        "model": {"y_true": y, "y_proba": p, "classes": classes},
    }
    return build_report(predictions, tmp_path_factory.mktemp("report") / "sets.html")


def test_measures_equal_the_librarys(report_file, open_report, classified, sets):
    y, p, classes = classified
    report = open_report(report_file)
    for k in (0.5, 0.8, 0.93):
        report.type("k", k)
        check_measures(report, y, sets, classes, k)
    assert report.number("aurc-1") == pytest.approx(aurc_score(y, p, labels=classes), abs=1e-9)
    rows = report.page.locator("[data-card='table'] tbody tr").count()
    assert rows == 4  # sets as given; likeliest class, u65 sets and u80 sets of the probabilities


def check_measures(report, y, sets, classes, k):
    expected = {
        "utility": utility_score(y, sets, labels=classes, utility=quadratic(k)),
        "determinacy": determinacy_score(y, sets, labels=classes),
        "single": single_accuracy_score(y, sets, labels=classes),
        "set": set_accuracy_score(y, sets, labels=classes),
        "containment": containment_score(y, sets, labels=classes),
        "size": mean_set_size(y, sets, labels=classes),
    }
    for key, value in expected.items():
        assert report.number(f"{key}-0") == pytest.approx(value, abs=1e-9), key


def test_confusion_has_a_row_for_every_common_set(report_file, open_report, classified, sets):
    y, _, classes = classified
    report = open_report(report_file)
    report.select(0)
    table = cautious_confusion_matrix(y, sets, labels=classes, partial="answer")
    shown = report.page.evaluate("() => cautious.app.problems[0].models[0].confusion")
    assert np.sum(shown["counts"]) == len(y)
    for row, counts in zip(shown["rows"], shown["counts"], strict=True):
        if row.get("quiet"):
            assert counts == table.loc["⊥"].tolist()
        elif "set" in row:
            members = [classes[c] for c in row["set"]]
            name = members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"
            assert counts == table.loc[name].tolist()
    assert any("other" in row for row in shown["rows"])
    assert report.number("matrix-0-0") == table.iloc[0, 0]


def test_class_by_class(report_file, open_report, classified, sets):
    y, _, classes = classified
    report = open_report(report_file)
    report.select(0)
    expected = breakdown(y, sets, labels=classes, measures=["determinacy", "u65", "mean_set_size"])
    for c in range(len(classes)):
        row = expected.iloc[c]
        assert report.number(f"class-n-{c}") == row["n"]
        assert report.number(f"class-single-{c}") == pytest.approx(row["determinacy"], abs=1e-9)
        assert report.number(f"class-utility-{c}") == pytest.approx(row["u65"], abs=1e-9)
        assert report.number(f"class-size-{c}") == pytest.approx(row["mean_set_size"], abs=1e-9)


def test_crossovers_are_where_the_best_model_changes(report_file, open_report):
    report = open_report(report_file)
    crossing = report.number("crossover-1")
    below, above = crossing - 1e-6, crossing + 1e-6
    names = []
    for k in (below, above):
        report.type("k", k)
        names.append(report.page.inner_text("[data-card='table'] tbody tr:first-child th"))
    assert names[0] != names[1]


def test_two_hundred_classes_make_a_sensible_page(tmp_path, open_report):
    rng = np.random.default_rng(0)
    classes = [f"species {i}" for i in range(200)]
    truth = rng.integers(200, size=1500)
    p = rng.dirichlet(np.full(200, 0.02), size=1500)
    p[np.arange(1500), truth] += 0.5
    p /= p.sum(axis=1, keepdims=True)
    y = np.array(classes)[truth]
    path = build_report({"m": {"y_true": y, "y_proba": p, "classes": classes}}, tmp_path / "r.html")
    assert path.stat().st_size < 500_000
    report = open_report(path)
    assert report.page.locator("[data-card='confusion'] tbody tr").count() <= 12 + 1 + 12 + 2
    assert report.page.locator("[data-card='classes'] tbody tr").count() == 10
    report.page.click("[data-card='classes'] .more button")
    assert report.page.locator("[data-card='classes'] tbody tr").count() == len(set(truth))
    total = report.page.evaluate(
        "() => cautious.app.problems[0].models[1].confusion.counts.flat().reduce((a, b) => a + b)"
    )
    assert total == 1500
    wide = report.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 1280
