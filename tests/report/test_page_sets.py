"""Many classes and prediction sets in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

from cautious.metrics import (
    MEASURES,
    aurc_score,
    breakdown,
    cautious_confusion_matrix,
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
    for k in (0.5, 0.93):
        report.type("k", k)
        check_measures(report, y, sets, classes, k)
    assert report.number("aurc-1") == pytest.approx(aurc_score(y, p, classes=classes), abs=1e-9)
    rows = report.page.locator("[data-card='table'] tbody tr").count()
    assert rows == 4  # sets as given; likeliest class, u65 sets and u80 sets of the probabilities
    crossing = report.number("crossover-1")
    names = []
    for k in (crossing - 1e-6, crossing + 1e-6):
        report.type("k", k)
        names.append(report.page.inner_text("[data-card='table'] tbody tr:first-child th"))
    assert names[0] != names[1]


def test_a_mark_stays_with_the_last_word(report_file, open_report):
    report = open_report(report_file, viewport={"width": 390, "height": 844})
    beside = report.page.evaluate(
        """() => [...document.querySelectorAll("h2, .control")].flatMap((node) => {
            const mark = node.querySelector(".mark"), box = mark?.getBoundingClientRect();
            if (!box?.width) return [];
            const words = document.createRange();
            words.selectNodeContents(node.querySelector("label") ?? node);
            if (words.intersectsNode(mark)) words.setEndBefore(mark);
            const last = [...words.getClientRects()].filter(({ width }) => width).at(-1);
            return [[node.innerText, box.top < last.bottom && box.bottom > last.top]];
        })"""
    )
    assert len(beside) > 4
    assert all(fine for _, fine in beside), beside


def check_measures(report, y, sets, classes, k):
    expected = {
        "utility": utility_score(y, sets, classes=classes, utility=quadratic(k)),
        "determinacy": determinacy_score(y, sets, classes=classes),
        "single": single_accuracy_score(y, sets, classes=classes),
        "set": set_accuracy_score(y, sets, classes=classes),
        "containment": MEASURES["containment"].score(y, sets, classes=classes),
        "size": mean_set_size(y, sets, classes=classes),
    }
    for key, value in expected.items():
        assert report.number(f"{key}-0") == pytest.approx(value, abs=1e-9), key


def test_confusion_and_classes_of_one_model(report_file, open_report, classified, sets):
    y, _, classes = classified
    report = open_report(report_file)
    report.select(0)
    table = cautious_confusion_matrix(y, sets, classes=classes, partial="answer")
    shown = report.page.evaluate("() => cautious.app.problems[0].models[0].confusion")
    assert np.sum(shown["counts"]) == len(y)
    for row, counts in zip(shown["rows"], shown["counts"], strict=True):
        if row.get("abstain"):
            assert counts == table.loc["⊥"].tolist()
        elif "set" in row:
            members = [classes[c] for c in row["set"]]
            name = members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"
            assert counts == table.loc[name].tolist()
    assert any("other" in row for row in shown["rows"])
    assert report.number("matrix-0-0") == table.iloc[0, 0]
    expected = breakdown(y, sets, classes=classes, measures=["determinacy", "u65", "mean_set_size"])
    for c in range(len(classes)):
        row = expected.iloc[c]
        assert report.number(f"class-n-{c}") == row["n"]
        assert report.number(f"class-single-{c}") == pytest.approx(row["determinacy"], abs=1e-9)
        assert report.number(f"class-utility-{c}") == pytest.approx(row["u65"], abs=1e-9)
        assert report.number(f"class-size-{c}") == pytest.approx(row["mean_set_size"], abs=1e-9)


@pytest.mark.slow
def test_two_hundred_classes_make_a_sensible_page(tmp_path, open_report):
    rng = np.random.default_rng(0)
    classes = [f"species {i}" for i in range(200)]
    truth = rng.integers(200, size=1500)
    p = rng.dirichlet(np.full(200, 0.02), size=1500)
    p[np.arange(1500), truth] += 0.5
    p /= p.sum(axis=1, keepdims=True)
    y = np.array(classes)[truth]
    path = build_report({"m": {"y_true": y, "y_proba": p, "classes": classes}}, tmp_path / "r.html")
    assert path.stat().st_size < 650_000
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


@pytest.fixture(scope="module")
def close_models(tmp_path_factory):
    """Three classes told apart so well that utilities differ in the third decimal."""
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=900)
    z = rng.normal(size=(900, 3))
    z[np.arange(900), truth] += 3.4
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    path = tmp_path_factory.mktemp("report") / "close.html"
    both = {"sharp": (truth, p), "dull": (truth, np.sqrt(p) / np.sqrt(p).sum(axis=1)[:, None])}
    return build_report(both, path)


@pytest.mark.slow
def test_tables_fit_and_columns_are_written_alike(close_models, open_report):
    report = open_report(close_models, viewport={"width": 1200, "height": 900})
    table = report.page.locator("[data-card='table']")
    assert table.locator(".scroll").evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    for key in ("utility", "size", "aurc", "determinacy", "containment"):
        shown = table.locator(f"td [data-key^='{key}-']").all_inner_texts()
        decimals = {len(text.rstrip("%").partition(".")[2]) for text in shown if text != "–"}
        assert len(decimals) == 1, (key, shown)
    assert "sets of greatest expected utility" in table.locator("caption").inner_text()
    footer = report.page.inner_text("footer")
    assert "hull" not in footer
    # Numbers beside an axis do not run into its label.
    room = report.page.evaluate(
        """() => [...document.querySelectorAll("svg.chart:not(.people)")].map(chart => {
            const box = node => node.getBoundingClientRect();
            const label = box([...chart.querySelectorAll(".axis .label")].at(-1));
            const ticks = chart.querySelectorAll(".axis text[text-anchor='end']");
            return Math.min(...[...ticks].map(tick => box(tick).left)) - label.right;
        })"""
    )
    assert len(room) == 3
    assert min(room) > 0, room
