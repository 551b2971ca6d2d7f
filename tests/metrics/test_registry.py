from __future__ import annotations

import numpy as np
import pytest

from cautious.metrics import (
    MEASURES,
    breakdown,
    cautious_report,
    coverage_score,
    define_measure,
    efficacy_score,
    get_measure,
    get_set_scorer_names,
    per_sample,
    utility_score,
    with_params,
)


@pytest.fixture
def pair_score():
    @define_measure("pairs", mean=True, greater_is_better=False, section="my own")
    def pair_score(counts, *, exactly: int = 2):
        """Share of answers that name two classes.

        Parameters
        ----------
        exactly : int
            How many classes.
        """
        return counts.size == exactly

    yield pair_score
    del MEASURES["pairs"]


def test_a_new_measure_inherits_everything(pair_score) -> None:
    cases = (["a", "b", "c"], [["a"], ["a", "b"], ["a", "b", "c"]])
    assert pair_score(*cases) == pytest.approx(1 / 3)
    assert pair_score(*cases, sample_weight=[0, 1, 0], exactly=2) == 1
    assert per_sample(pair_score)(*cases, exactly=3).tolist() == [0, 0, 1]
    assert "neg_pairs" in get_set_scorer_names()
    assert breakdown(*cases, measures=[pair_score])["pairs"].tolist() == [0, 1, 0]
    assert "my own\n  pairs " in cautious_report(*cases)
    assert "exactly : int" in pair_score.__doc__
    assert "y_true : array-like" in pair_score.__doc__


def test_parameters_can_be_settled_under_a_name() -> None:
    try:
        entry = with_params(utility_score, "u70", utility="u70")
        assert entry is MEASURES["u70"] is get_measure("u70")
        assert entry.section is None
        assert utility_score.measure is MEASURES["utility"]
    finally:
        del MEASURES["u70"]


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


def test_what_is_not_a_mean_has_no_twin() -> None:
    with pytest.raises(ValueError, match="efficacy_score is not a mean over cases"):
        per_sample(efficacy_score)
