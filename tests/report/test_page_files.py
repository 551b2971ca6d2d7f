"""Files dropped onto the page are analysed in the browser as the library would."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from cautious.curves import AbstentionCostSurface
from cautious.metrics import utility_score

COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}


def as_csv(frame, **options) -> bytes:
    return frame.to_csv(index=False, **options).encode()


WRITERS = {
    "windows.csv": lambda f: b"\xef\xbb\xbf" + as_csv(f, lineterminator="\r\n"),
    "tabs.tsv.gz": lambda f: gzip.compress(as_csv(f, sep="\t")),
}


def check_binary(report, index, y, score, weight=None):
    surface = AbstentionCostSurface.from_predictions(
        y, score, pos_label="ill", sample_weight=weight
    )
    expected = surface.for_costs(COSTS)
    shown = {
        "cost": expected.cost,
        "lower": expected.lower,
        "upper": expected.upper,
        "abstention": expected.abstention,
        "vacc": surface.vacc(),
    }
    for key, value in shown.items():
        assert report.number(f"{key}-{index}") == pytest.approx(value, abs=1e-9), key


def test_binary_files(one_model, open_report, scored):
    """Every kind of table is read in tests/conformance."""
    y, scores = scored
    report = open_report(one_model)
    for i, (name, write) in enumerate(WRITERS.items()):
        score = scores["margin"] + i
        report.drop(name, write(pd.DataFrame({"id": range(len(y)), "Label": y, "score": score})))
        assert "900 rows" in report.notice(), name
        check_binary(report, i + 1, y, score)


def test_the_guess_can_be_corrected(one_model, open_report, scored):
    y, scores = scored
    frame = pd.DataFrame({"y_true": y, "score": scores["tied"], "other": scores["margin"]})
    report = open_report(one_model)
    report.drop("x.csv", as_csv(frame.assign(score=100 * frame["score"])))
    assert "Are these per cent? Then divide by 100" in report.notice()
    check_binary(report, 1, y, 100 * scores["tied"])
    report.page.select_option("[data-column='score']", "other")
    report.settle()
    check_binary(report, 1, y, scores["margin"])
    report.page.select_option("[data-column='positive']", "well")
    report.settle()
    assert report.page.locator("#tabs button").count() == 2  # another question, another page
    surface = AbstentionCostSurface.from_predictions(y, scores["margin"], pos_label="well")
    assert report.number("cost") == pytest.approx(surface.for_costs(COSTS).cost, abs=1e-9)


def test_rows_with_weights_do_not_pass_for_cases(one_model, open_report, scored, classified):
    """Until the reader of the page says that a column is no weight."""
    y, scores = scored
    heavy = np.tile([50.5, 80.25, 61], 300)
    two = pd.DataFrame({"y_true": y, "score": scores["margin"], "weight": heavy})
    truth, proba, names = classified
    several = pd.DataFrame(proba, columns=[f"p_{name}" for name in names])
    several = several.assign(y_true=truth, weight=np.resize(heavy, len(truth)))
    report = open_report(one_model)

    def words(card):
        return report.page.inner_text(f"[data-card='{card}']")

    report.drop("two.csv", as_csv(two.assign(group=np.resize(["u", "v"], len(y)))))
    report.select(1)
    report.open_details()
    assert "Measured on 900 weighted rows" in words("advice")
    assert "weighted rows" in words("groups")
    assert "450" in words("groups")
    report.page.select_option("[data-column='weight']", "")
    report.settle()
    assert "Measured on 900 cases" in words("advice")
    assert "weighted" not in words("groups")

    report.drop("several.csv", as_csv(several))
    assert f"Measured on {len(truth)} weighted rows of 5 classes" in words("advice")
    assert "weights sum to" in words("classes")
    assert "weights" in words("confusion")
    utility = [report.number("utility-0"), words("table")]
    report.page.select_option("[data-column='weight']", "")
    report.settle()
    assert f"Measured on {len(truth)} cases of 5 classes" in words("advice")
    assert "weights" not in words("classes") + words("confusion")
    assert utility != [report.number("utility-0"), words("table")]


def test_the_positive_class_is_asked_for(one_model, open_report, scored):
    y, scores = scored
    y = np.where(y == "ill", 2, 1)
    report = open_report(one_model)
    report.drop("numbers.csv", as_csv(pd.DataFrame({"y_true": y, "score": scores["close"]})))
    assert "say which one a high score speaks for" in report.notice()
    assert report.page.evaluate("() => cautious.app.problems.length") == 1  # nothing was guessed
    choice = report.page.get_by_label("positive class")
    assert choice.locator("option:checked").inner_text() == "choose …"
    choice.focus()
    for label in (1, 2):  # the answer can be changed, and the keyboard stays at it
        choice.select_option(str(label))
        report.settle()
        assert report.page.evaluate("() => document.activeElement.dataset.column") == "positive"
        surface = AbstentionCostSurface.from_predictions(y == label, scores["close"])
        assert report.number("cost") == pytest.approx(surface.for_costs(COSTS).cost, abs=1e-9)
    assert report.page.evaluate("() => cautious.app.problems.length") == 2
    report.drop("again.csv", as_csv(pd.DataFrame({"y_true": y * 1.0, "score": scores["tied"]})))
    assert "analysed" in report.notice()  # 1.0 and 2.0 are the classes the page knows by now
    assert report.page.evaluate("() => cautious.app.problems[1].models.length") == 2


def test_odd_models_beside_the_others_are_pointed_out(one_model, open_report, scored):
    y, scores = scored
    report = open_report(one_model)
    cases, inverted = (report.page.locator(f"[data-key='{key}']") for key in ("cases", "inverted"))
    report.drop("turned.csv", as_csv(pd.DataFrame({"y_true": y, "score": -scores["margin"]})))
    assert cases.count() == 0
    auc = roc_auc_score(y == "ill", -scores["margin"])
    assert report.number("auc") == pytest.approx(auc, abs=1e-12)
    assert f"A high score of turned speaks against ill (AUC {auc:.2f})" in inverted.inner_text()
    report.select(1)
    assert "A high score of this model speaks against" in inverted.inner_text()
    fewer = pd.DataFrame({"y_true": y, "score": scores["tied"]})[:500]
    report.drop("fewer.csv", as_csv(fewer))
    assert "not judged on the same cases" in cases.inner_text()
    assert "close on 900, turned on 900, fewer on 500" in cases.inner_text()


def test_sets_written_out_and_as_columns(one_model, open_report, classified):
    y, p, classes = classified
    sets = p >= 0.2
    sets[:3] = True
    sets[3:5] = False
    written = ["|".join(np.array(classes)[row]) for row in sets]
    report = open_report(one_model)
    report.drop("written.csv", as_csv(pd.DataFrame({"y_true": y, "y_set": written})))
    assert "line 5: the set is empty (2 such cells)" in report.notice()
    report.page.select_option("[data-column='empty']", "wrong")
    report.settle()
    expected = utility_score(y, sets, classes=classes, utility="u65", empty="wrong")
    assert report.number("utility") == pytest.approx(expected, abs=1e-9)
    sizes = report.page.evaluate("() => cautious.app.problems[1].models[0].sizes")
    assert sizes[0] == [0, 0, 2]
    report.page.select_option("[data-column='empty']", "abstain")
    report.settle()
    sets[3:5] = True
    columns = pd.DataFrame(sets.astype(int), columns=[f"set_{label}" for label in classes])
    report.drop("columns.csv", as_csv(columns.assign(y_true=y)))
    expected = utility_score(y, sets, classes=classes, utility="u65")
    shown = report.page.evaluate("() => cautious.app.problems.slice(1).map(p => p.models.length)")
    assert sum(shown) == 2
    assert report.number("utility") == pytest.approx(expected, abs=1e-9)


def test_bad_files_get_a_clear_line_and_change_nothing(one_model, open_report):
    report = open_report(one_model)
    before = report.number("cost")
    report.drop("nan.csv", b"y_true,score\n1,0.5\n0,\n")
    assert "column 'score', line 3: a number is missing" in report.notice()
    assert report.page.locator(".notice.error").count() == 1
    assert report.number("cost") == before
    assert report.page.locator("[data-column='encoding']").count() == 0
    assert report.page.evaluate("() => cautious.app.problems.length") == 1
    # What may help can be chosen beside the message.
    report.drop("latin.csv", "y_true,p_café\nthé,0.25\ncafé,0.75\nthé,0.5\n".encode("latin-1"))
    assert "not text in UTF-8 (byte 12)" in report.notice()
    report.page.select_option("[data-column='encoding']", "windows-1252")
    report.page.wait_for_selector(".notice:not(.error) strong")
    assert "3 rows" in report.notice()
    assert "café" in report.page.inner_text("[data-card='advice']")
    report.drop("gap.csv", b"y_true,score\n0,0.25\n,0.5\n1,0.75\n")
    assert "column 'y_true', line 3: the truth is missing (1 such cell)" in report.notice()
    assert report.page.locator("[data-column='empty']").count() == 0
    report.page.select_option("[data-column='drop_missing']", "drop")
    report.settle()
    assert "no truth in 1 of 3 rows; left out" in report.notice()


@pytest.mark.slow
def test_the_file_button_works_too(one_model, open_report, scored, tmp_path):
    y, scores = scored
    path = tmp_path / "chosen.csv"
    path.write_bytes(as_csv(pd.DataFrame({"y_true": y, "score": scores["tied"]})))
    report = open_report(one_model)
    report.page.set_input_files("#file-input", path)
    report.page.wait_for_selector("[data-notice] strong")
    report.settle()
    check_binary(report, 1, y, scores["tied"])
