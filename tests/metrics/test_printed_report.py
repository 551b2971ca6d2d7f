from __future__ import annotations

import json

import numpy as np
import pytest

from cautious.costs import discounted, zero_one
from cautious.metrics import MEASURES, bootstrap_interval, cautious_report, utility_score

Y_TRUE = ["ash", "ash", "elm", "oak"]
Y_SET = [["ash"], ["ash", "elm"], ["oak"], ["oak"]]


def test_every_number_of_the_dict_is_the_measure() -> None:
    scores = np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.1, 0.2, 0.7], [0, 0, 1]])
    report = cautious_report(
        Y_TRUE, Y_SET, y_pred=["ash", "ash", "oak", "oak"], y_score=scores,
        costs=discounted(zero_one(3)), output_dict=True,
    )  # fmt: skip
    assert set(report) == {"classes", "measures"}
    assert set(report["measures"]) == {m.name for m in MEASURES.values() if m.section is not None}
    assert report["measures"]["u65"] == pytest.approx(utility_score(Y_TRUE, Y_SET))
    assert report["measures"]["needless_abstention"] == 0.25
    assert report["measures"]["set_cost"] == pytest.approx(1.5 / 4)
    assert set(report["classes"]) == {"ash", "elm", "oak", "all"}
    assert report["classes"]["ash"]["coverage"] == 0.5
    json.dumps(report)


def test_what_is_not_given_is_not_reported() -> None:
    report = cautious_report(Y_TRUE, Y_SET, output_dict=True)
    assert not {"needless_abstention", "set_cost", "aurc"} & set(report["measures"])


def test_text_is_aligned_for_labels_of_any_length() -> None:
    long = "a very long name of a class, as people give them"
    text = cautious_report([long, "b", "b"], [[long], ["b"], [long, "b"]])
    table, *sections = text.split("\n\n")
    lines = table.split("\n")
    assert len({len(line) for line in lines}) == 1
    assert lines[-1].lstrip().startswith("all")
    assert any(line.startswith(long) for line in lines)
    assert [section.split("\n")[0] for section in sections] == [
        "answers and abstentions", "prediction sets", "what they are worth",
    ]  # fmt: skip
    numbers = [line for section in sections for line in section.split("\n")[1:]]
    assert len({len(line) for line in numbers}) == 1


def test_intervals_are_printed_and_seeded() -> None:
    given = {"confidence_level": 0.9, "n_resamples": 50, "random_state": 0}
    text = cautious_report(Y_TRUE * 10, Y_SET * 10, **given)
    assert text == cautious_report(Y_TRUE * 10, Y_SET * 10, **given)
    assert "answers and abstentions [0.9 intervals]" in text
    report = cautious_report(Y_TRUE * 10, Y_SET * 10, output_dict=True, **given)
    low, high = report["intervals"]["coverage"]
    assert low <= report["measures"]["coverage"] <= high
    assert f"[{low:.3f}, {high:.3f}]" in text


@pytest.mark.parametrize("seed", [0, np.random.RandomState(0), np.random.default_rng(0)])
def test_every_interval_is_of_the_same_replicates(seed) -> None:
    given = {"confidence_level": 0.9, "n_resamples": 50}
    y_true, y_set = Y_TRUE * 10, Y_SET * 10
    ends = cautious_report(y_true, y_set, output_dict=True, random_state=seed, **given)["intervals"]
    low, high = ends["coverage"]
    assert ends["abstention"] == pytest.approx((1 - high, 1 - low))
    assert ends["single_accuracy"] == ends["selective_accuracy"]
    if seed == 0:
        alone = bootstrap_interval(y_true, y_set, measure="u65", random_state=0, **given)
        assert ends["u65"] == pytest.approx((alone.low, alone.high))


def test_undefined_numbers_are_nan_without_a_warning() -> None:
    text = cautious_report(
        ["a", "b"], [None, None], confidence_level=0.9, n_resamples=10, random_state=0
    )
    assert "selective accuracy              nan  [nan, nan]" in text
    nobody = cautious_report(["a", "b"], ["a", "b"], sample_weight=[0, 0], output_dict=True)
    assert np.isnan(list(nobody["measures"].values())).all()


def test_weights_digits_and_names() -> None:
    text = cautious_report(
        [0, 1], [0, 1], sample_weight=[0.5, 1], digits=5, target_names=["no", "yes"]
    )
    assert "yes  1.00000  1.00000" in text
    assert "all  1.50000" in text
    whole = cautious_report([0, 1], [0, 1])
    assert "\n  0  1    1.000" in whole
    with pytest.raises(ValueError, match="target_names has 1 names but there are 2 classes"):
        cautious_report([0, 1], [0, 1], target_names=["no"])


def test_a_notebook_shows_the_report_as_it_is_printed() -> None:
    report = cautious_report(Y_TRUE, Y_SET)
    assert isinstance(report, str)
    assert repr(report) == str(report)
    assert "\\n" not in repr(report)
    assert report._repr_html_() == f"<pre>{report}</pre>"
    assert "<b>" not in cautious_report(["<b>", "c"], ["<b>", "c"])._repr_html_()


def test_costs_of_any_form_are_reported() -> None:
    binary = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    report = cautious_report(
        ["good", "bad"], ["bad", None], costs=binary, pos_label="bad", y_score=[0.7, 0.6],
        output_dict=True,
    )  # fmt: skip
    assert report["measures"]["set_cost"] == 1.5
    assert report["measures"]["aurc"] == pytest.approx((1 + np.log(2)) / 2)
