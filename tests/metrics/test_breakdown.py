from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from cautious.metrics import (
    MEASURES,
    SetCounts,
    breakdown,
    coverage_score,
    selective_accuracy_score,
    set_cost_score,
    utility_score,
)

Y_TRUE = np.array(["a", "a", "b", "b", "b", "a"])
Y_SET = ["a", None, "b", "a", "b", "b"]


def test_by_class() -> None:
    frame = breakdown(Y_TRUE, Y_SET, classes=["a", "b", "c"])
    assert list(frame.columns) == [
        "n", "coverage", "selective_accuracy", "error", "set_accuracy", "mean_set_size",
        "discounted_accuracy", "u65", "u80",
    ]  # fmt: skip
    assert frame.index.tolist() == ["a", "b", "c"]
    assert frame.index.name == "truth"
    assert frame["n"].tolist() == [3, 3, 0]
    assert frame.loc["a", "coverage"] == pytest.approx(2 / 3)
    assert frame.loc["b", "error"] == pytest.approx(1 / 3)
    assert breakdown(Y_TRUE, Y_SET, measures="u65").columns.tolist() == ["n", "u65"]
    assert frame.loc["c"].drop("n").isna().all()  # a class without cases: undefined, no warning


def test_by_group_is_each_group_alone() -> None:
    groups = pd.Series(["x", "y", "x", "x", None, "y"], name="site", index=range(10, 16))
    weight = np.array([1, 2, 1, 3, 1, 0.5])
    frame = breakdown(
        Y_TRUE, Y_SET, groups=groups, measures=["coverage", selective_accuracy_score],
        sample_weight=weight, margins=True,
    )  # fmt: skip
    assert frame.index.name == "site"
    assert frame.index[:2].tolist() == ["x", "y"]
    assert pd.isna(frame.index[2])
    assert frame.index[3] == "all"
    for name, row in zip(["x", "y"], frame.iloc[:2].itertuples(), strict=True):
        chosen = (groups == name).to_numpy()
        sets = [s for s, inside in zip(Y_SET, chosen, strict=True) if inside]
        given = {"classes": ["a", "b"], "sample_weight": weight[chosen]}
        assert row.n == weight[chosen].sum()
        assert row.coverage == pytest.approx(coverage_score(Y_TRUE[chosen], sets, **given))
        assert row.selective_accuracy == pytest.approx(
            selective_accuracy_score(Y_TRUE[chosen], sets, **given)
        )
    assert frame.loc["all", "coverage"] == pytest.approx(
        coverage_score(Y_TRUE, Y_SET, sample_weight=weight)
    )


def test_several_groupings_at_once() -> None:
    by = pd.DataFrame({"site": list("xyxyxy"), "year": [1, 1, 1, 2, 2, 2]})
    frame = breakdown(Y_TRUE, Y_SET, groups=by, measures=["error"], margins=True)
    assert frame.index.tolist() == [("x", 1), ("x", 2), ("y", 1), ("y", 2), ("all", "all")]
    assert frame.index.names == ["site", "year"]


def test_parameters_and_answers_reach_the_measures() -> None:
    frame = breakdown(
        Y_TRUE, Y_SET, y_pred=list("abbaba"), measures=["needless_abstention"],
        over="abstentions",
    )  # fmt: skip
    assert frame["needless_abstention"].tolist()[0] == 0
    assert np.isnan(frame["needless_abstention"].tolist()[1])


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="groups has 2 rows and y_true has 6"):
        breakdown(Y_TRUE, Y_SET, groups=["x", "y"])
    with pytest.raises(TypeError, match="groups is 'site'; give one group per case"):
        breakdown(Y_TRUE, Y_SET, groups="site")
    with pytest.raises(ValueError, match="groups has masked entries"):
        breakdown(Y_TRUE, Y_SET, groups=np.ma.masked_array(range(6), [0, 0, 1, 0, 0, 0]))
    with pytest.raises(ValueError, match="groups is no table of groups"):
        breakdown(Y_TRUE, Y_SET, groups=np.zeros((6, 1, 1)))
    with pytest.raises(ValueError, match="groups has 2 columns without names"):
        breakdown(Y_TRUE, Y_SET, groups=np.zeros((6, 2)))
    with pytest.raises(ValueError, match="did you mean 'coverage'"):
        breakdown(Y_TRUE, Y_SET, measures=["coverag"])
    with pytest.raises(TypeError, match="aurc is computed from RiskCoverageCurve"):
        breakdown(Y_TRUE, Y_SET, measures=[MEASURES["aurc"]])


def test_means_of_many_groups_are_taken_in_one_pass(monkeypatch) -> None:
    rng = np.random.default_rng(4)
    y, mask, weight = rng.integers(30, size=400), rng.random((400, 30)) < 0.1, rng.random(400)
    mask[:100] = np.eye(30, dtype=bool)[rng.integers(30, size=100)]
    mask[~mask.any(axis=1)] = True
    weight[y == 7] = 0  # a class that weighs nothing
    means = [name for name, entry in MEASURES.items() if entry.mean and not entry.missing_params()]
    means = [name for name in means if "y_pred" not in MEASURES[name].needs]
    groups = [y == k for k in range(30)] + [np.ones(400, dtype=bool)]
    wanted = [
        [
            float(MEASURES[name](SetCounts.from_predictions(
                y[at], mask[at], classes=range(30), sample_weight=weight[at]
            )))
            for name in means
        ]
        for at in groups
    ]  # fmt: skip
    merges, merge = [], SetCounts.merge
    monkeypatch.setattr(SetCounts, "merge", lambda self: merges.append(1) or merge(self))
    frame = breakdown(
        y, mask, classes=range(30), sample_weight=weight, measures=means, margins=True
    )
    np.testing.assert_allclose(frame[means], wanted, rtol=1e-12)
    assert frame.loc[7, means].isna().all()
    assert len(merges) <= 1


def test_groupings_in_a_mapping_are_those_of_a_frame() -> None:
    by = {"site": list("xxyyxy"), "sex": [1, 2, 1, 2, 1, 2]}
    pd.testing.assert_frame_equal(
        breakdown(Y_TRUE, Y_SET, groups=by), breakdown(Y_TRUE, Y_SET, groups=pd.DataFrame(by))
    )


def test_every_measure_gets_the_parameters_it_takes() -> None:
    costs = {"mistake": 5, "abstain": 1}
    both = breakdown(Y_TRUE, Y_SET, measures=["coverage", "set_cost"], costs=costs, margins=True)
    assert both.loc["all", "set_cost"] == set_cost_score(Y_TRUE, Y_SET, costs=costs)
    assert both.loc["all", "coverage"] == coverage_score(Y_TRUE, Y_SET)
    each = {"coverage": {}, "utility": {"utility": "u80"}, "set_cost": {"costs": costs}}
    apart = breakdown(Y_TRUE, Y_SET, measures=each, margins=True)
    assert apart.loc["all", "utility"] == utility_score(Y_TRUE, Y_SET, utility="u80")
    assert apart[["coverage", "set_cost"]].equals(both[["coverage", "set_cost"]])
    with pytest.raises(TypeError, match="none of the measures takes the parameter 'cost'"):
        breakdown(Y_TRUE, Y_SET, measures=["coverage"], cost=costs)
    with pytest.raises(TypeError, match="none of the measures takes the parameter 'utility'"):
        breakdown(Y_TRUE, Y_SET, measures=["u65"], utility="u80")  # it has its own
    with pytest.raises(TypeError, match="coverage got an unexpected keyword argument 'costs'"):
        breakdown(Y_TRUE, Y_SET, measures={"coverage": {"costs": costs}})


def test_exact_intervals_of_shares() -> None:
    rng = np.random.default_rng(0)
    y, sets = rng.integers(3, size=300), rng.random((300, 3)) < 0.6
    hit, size = sets[np.arange(300), y], sets.sum(axis=1)
    asked: dict[str, Any] = {"measures": ["containment"], "empty": "wrong", "margins": True}
    exact: dict[str, Any] = {"confidence_level": 0.9, "intervals": "exact"}
    for groups in (None, size, rng.choice(["u", "v"], 300)):
        frame = breakdown(y, sets, groups=groups, classes=range(3), **asked, **exact)
        for part, row in frame.iterrows():
            own = np.ones(300, bool) if part == "all" else (y if groups is None else groups) == part
            assert row["n"] == own.sum()
            if not own.any():
                assert np.isnan(row["containment"])
                assert row[["containment low", "containment high"]].tolist() == [0, 1]
                continue
            assert row["containment"] == pytest.approx(hit[own].mean())
            interval = binomtest(int(hit[own].sum()), int(own.sum())).proportion_ci(0.9)
            ends = row["containment low"], row["containment high"]
            assert ends == pytest.approx((interval.low, interval.high))
    for given, message in (
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"measures": ["mean_set_size"]}, "mean_set_size is no share of cases"),
        ({"measures": ["efficacy"]}, "efficacy is no share of cases"),
        ({"sample_weight": np.ones(300)}, "exact intervals take no sample_weight"),
        ({"intervals": "normal"}, "intervals is 'normal'; choose"),
    ):
        with pytest.raises(ValueError, match=message):
            breakdown(y, sets, **asked | exact | given)
