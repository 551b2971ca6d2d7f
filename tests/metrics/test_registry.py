from __future__ import annotations

import inspect

import numpy as np
import pytest

from cautious.evaluation import evaluate
from cautious.metrics import (
    MEASURES,
    breakdown,
    cautious_report,
    coverage_score,
    efficacy_score,
    make_set_scorer,
    per_sample,
    utility_score,
)
from cautious.metrics._registry import get_measure


@pytest.fixture
def pair_score():
    @MEASURES.define("pairs", mean=True, greater_is_better=False, section="my own")
    def pairs(counts, *, exactly=2):
        """Share of answers that name two classes."""
        return counts.mean(counts.size == exactly)

    yield pairs
    del MEASURES["pairs"]


def test_a_new_measure_inherits_everything(pair_score) -> None:
    cases = (["a", "b", "c"], [["a"], ["a", "b"], ["a", "b", "c"]])
    assert pair_score.score(*cases) == pytest.approx(1 / 3)
    assert pair_score.score(*cases, sample_weight=[0, 1, 0], exactly=2) == 1
    assert per_sample(pair_score)(*cases, exactly=3).tolist() == [0, 0, 1]
    assert repr(make_set_scorer("neg_pairs")) == "make_set_scorer('neg_pairs')"
    assert breakdown(*cases, measures=[pair_score])["pairs"].tolist() == [0, 1, 0]
    assert "my own\n  pairs " in cautious_report(*cases)
    told = evaluate({"mine": cases}).text(every=True)
    assert told.index("what they are worth") < told.index("my own") < told.index("  pairs")


@pytest.mark.parametrize(("name", "section"), [(True, None), (str, None), ("mine", True)])
def test_names_and_headings_are_text(name, section) -> None:
    before = dict(MEASURES)
    with pytest.raises(TypeError, match=r"(name|section) is "):
        MEASURES.define(name, section=section)
    assert before == MEASURES


def test_finding_measures() -> None:
    assert get_measure(coverage_score) is get_measure("coverage")
    assert get_measure(MEASURES["u80"]) is MEASURES["u80"]
    with pytest.raises(ValueError, match="no measure 'efficay'; did you mean 'efficacy'"):
        get_measure("efficay")
    with pytest.raises(ValueError, match="no measure 'coverage_score'; did you mean 'coverage'"):
        get_measure("coverage_score")
    with pytest.raises(ValueError, match="no measure 'qqqqqqq'; All of them: abstention, "):
        get_measure("qqqqqqq")
    with pytest.raises(TypeError, match="is not a measure of this library"):
        get_measure(np.mean)


def test_what_is_not_a_mean_has_no_value_per_case() -> None:
    with pytest.raises(ValueError, match="efficacy is not a mean over cases"):
        per_sample(efficacy_score)


def test_a_function_of_the_same_name_is_no_measure() -> None:
    def coverage_score(y_true, y_set):
        return 0.5

    with pytest.raises(TypeError, match="is not a measure of this library"):
        get_measure(coverage_score)


def test_signatures_are_what_an_editor_shows() -> None:
    expected = "(y_true, y_set, *, utility='u65', classes=None, sample_weight=None, empty='error')"
    shown = inspect.signature(utility_score)
    bare = [p.replace(annotation=p.empty) for p in shown.parameters.values()]
    assert str(inspect.Signature(bare)) == expected
    assert shown.return_annotation == "float"
