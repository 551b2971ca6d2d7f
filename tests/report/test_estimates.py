"""What the page expects of new cases is what the library does, number for number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.report.core import ask_both, ask_core, ask_models
from tests.tuning.fits import cross_fit_of, cross_fitted

from cautious.metrics._mean_intervals import ChosenCounts, chosen_interval

COSTS = {"false_negative": 20, "false_positive": 4, "abstain": 1}
NAMES = {
    "cost": "cost",
    "saving": "saving",
    "abstention": "abstention",
    "error": "error",
    "selective_error": "selectiveError",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "ppv",
    "npv": "npv",
}

CELLS = ("tn", "fp", "abstainedNegative", "fn", "tp", "abstainedPositive")


def cases(n, seed=0, digits=9, separation=1.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    return y, np.round(rng.normal(size=n) + separation * y, digits), rng


KINDS = {
    "few": {"n": 110},
    "ties and a prior": {"n": 300, "digits": 1, "prior": 0.2},
    "weights": {"n": 400, "weighted": True},
    "patients": {"n": 300, "grouped": True, "weighted": True, "prior": 0.5},
    "perfect": {"n": 200, "separation": 50},
    "the same score": {"n": 200, "digits": -2},
    "windows that cost the same": {"n": 250, "seed": 46, "digits": 2},
    "noise": {"n": 250, "separation": 0},
    "patients, no prior": {"n": 300, "grouped": True},
}


@pytest.mark.parametrize("kind", KINDS)
def test_estimates_are_those_of_the_library(kind):
    asked = dict(KINDS[kind])
    prior, weighted = asked.pop("prior", None), asked.pop("weighted", False)
    grouped = asked.pop("grouped", False)
    y, score, rng = cases(**asked)
    given = {"y_true": y, "y_score": score}
    if weighted:
        given["sample_weight"] = rng.integers(1, 5, len(y)) / 2
    if grouped:
        given["groups"] = rng.integers(40, size=len(y))
    found = ask_models(
        """const estimates = core.estimatesOf(model, given.prior, { fn: 20, fp: 4, abstain: 1 });
        return { estimates };
        """,
        {"m": given},
        prior=prior,
    )
    expected = cross_fitted(
        y,
        y_score=score,
        sample_weight=given.get("sample_weight"),
        groups=given.get("groups"),
        costs=COSTS,
        priors=None if prior is None else (1 - prior, prior),
    )
    for ours, theirs in NAMES.items():
        one, other = getattr(expected, ours), found["estimates"][theirs]
        there = [float(other[end]) for end in ("value", "low", "high")]
        here = [one.estimate, one.low, one.high]
        assert there == pytest.approx(here, abs=1e-9, rel=1e-9, nan_ok=True), ours
    cells = found["estimates"]["cells"]
    assert sum(one["value"] for one in cells.values()) == pytest.approx(1)
    tn, fp, free, fn, tp, bound = (cells[name]["value"] for name in CELLS)
    share = np.average(y, weights=given.get("sample_weight")) if prior is None else prior
    assert fn + tp + bound == pytest.approx(share)
    wanted = [expected.error, expected.abstention, expected.ppv, expected.npv]
    shown = [fn + fp, free + bound, tp / (tp + fp or np.nan), tn / (tn + fn or np.nan)]
    if not min(free, bound):  # then answers make up for what is lacking of a class
        shown, wanted = shown[:2], wanted[:2]
    assert shown == pytest.approx([one.estimate for one in wanted], abs=1e-9, nan_ok=True)


def test_what_abstaining_saves_is_what_the_library_says():
    y, score, _ = cases(300)
    costs = {"fn": 10, "fp": 2, "abstain": 1}
    found = ask_models(
        "return core.savingOf(model, null, given.costs)", {"m": (y, score)}, costs=costs
    )
    free, forced = (
        cross_fit_of(
            y,
            y_score=score,
            costs={"false_negative": 10, "false_positive": 2, "abstain": abstain},
        )
        for abstain in (1, 10)
    )
    wanted = forced.difference(free, "cost", 0.95)
    here = [found[end] for end in ("value", "low", "high")]
    assert here == pytest.approx([wanted.estimate, wanted.low, wanted.high], abs=1e-9)
    assert found["forced"] == pytest.approx(forced.expected(0.95).cost.estimate, abs=1e-9)


def test_intervals_of_random_counts_are_those_of_the_library():
    """One to two strata, unseen values, fractions, optimism: all ends to 1e-9."""
    rng = np.random.default_rng(20261119)
    drawn = []
    for _ in range(300):
        strata = []
        for share in rng.dirichlet(np.ones(rng.integers(1, 3))):
            size = rng.integers(2, 7)
            counts = rng.gamma(rng.choice([0.2, 2]), rng.choice([1, 40, 3000]), (2, size)).round(3)
            counts[:, rng.random(size) < 0.3] = 0
            counts[:, 0] += 10 * (counts.sum(axis=1) < 10)
            values = np.sort(rng.choice([0, 1, -2.5, 4, 30, 500, 0.125], size, replace=False))
            strata.append((share, values, *counts))
        drawn.append((strata, rng.choice([0.8, 0.95, 0.999]), rng.choice([1, 1.3])))
    given = [
        [
            [
                dict(zip(("share", "values", "own", "heldOut"), map(listed, one), strict=True))
                for one in strata
            ],
            level,
            widening,
        ]
        for strata, level, widening in drawn
    ]
    found = ask_core(
        """return given.map(([strata, level, widening]) =>
            core.chosenInterval(strata, { level, widening }));""",
        given,
    )
    for (strata, level, widening), one in zip(drawn, found, strict=True):
        wanted = chosen_interval([ChosenCounts(*each) for each in strata], level, widening)
        ends = [wanted.estimate, wanted.low, wanted.high]
        assert [one["value"], one["low"], one["high"]] == pytest.approx(ends, rel=1e-9, abs=1e-9)


def listed(value):
    return np.asarray(value).tolist()


def test_without_a_mistake_there_is_still_an_upper_bound():
    y, score, _ = cases(200, separation=50)
    found = ask_models(
        """return core.estimatesOf(model, null, { fn: 20, fp: 4, abstain: 1 });""",
        {"m": (y, score)},
    )
    assert found["error"]["value"] == 0
    assert found["error"]["high"] == pytest.approx(
        stats.binomtest(0, 200).proportion_ci(method="wilson").high
    )
    assert found["ppv"]["low"] < 1 == found["ppv"]["value"]


def test_a_given_window_was_not_searched_for():
    """Its shares are means, and its intervals are Wilson's within the classes."""
    y, score, _ = cases(300, digits=2)
    found = ask_models(
        """const window = { lower: 0.1, upper: 1.0 };
        return core.estimatesOf(model, null, { fn: 20, fp: 4, abstain: 1 }, { window });""",
        {"m": (y, score)},
    )
    positive, negative = score >= 1.0, score <= 0.1
    assert found["sensitivity"]["value"] == pytest.approx(positive[y == 1].mean())
    assert found["specificity"]["value"] == pytest.approx(negative[y == 0].mean())
    assert found["ppv"]["value"] == pytest.approx(y[positive].mean())
    wrong = (positive & (y == 0)) | (negative & (y == 1))
    assert found["error"]["value"] == pytest.approx(wrong.mean())
    assert found["selectiveError"]["value"] == pytest.approx(
        wrong.sum() / (positive | negative).sum()
    )
    events = int(y.sum())
    wilson = stats.binomtest(int(positive[y == 1].sum()), events).proportion_ci(method="wilson")
    assert found["sensitivity"]["low"] == pytest.approx(wilson.low, abs=0.005)
    assert found["sensitivity"]["high"] == pytest.approx(wilson.high, abs=0.005)


def test_many_cases_are_cross_fitted_from_counts():
    """Without the cases the page deals counts out; it must say much the same as the library."""
    y, score, _ = cases(6000)
    found = ask_models(
        """return core.estimatesOf(model, 0.2, { fn: 20, fp: 4, abstain: 1 });""", {"m": (y, score)}
    )
    expected = cross_fitted(y, y_score=score, costs=COSTS, priors=(0.8, 0.2))
    for ours, theirs in NAMES.items():
        one, other = getattr(expected, ours), found[theirs]
        half = (one.high - one.low) / 2
        assert other["value"] == pytest.approx(one.estimate, abs=0.4 * half), ours
        assert (other["high"] - other["low"]) / 2 == pytest.approx(half, rel=0.35), ours


def test_counts_at_steps_promise_no_less_cost_than_the_cases_do():
    """Steps that begin where labels put the corners of the hull must not guide what is held out."""
    gaps = []
    for seed in range(16):
        y, score, _ = cases(2000, seed)
        cost = cross_fitted(y, y_score=score, costs=COSTS).cost.estimate
        body = "return core.estimatesOf(model, null, { fn: 20, fp: 4, abstain: 1 }).cost.value"
        gaps.append(ask_models(body, {"m": (y, score)}) / cost - 1)
    assert abs(np.mean(gaps)) < 0.008


@pytest.mark.parametrize("df", [1.0, 7.3, 64.0, 998.2])
def test_students_quantiles(df):
    shares = [0.55, 0.9, 0.975, 0.9995]
    found = ask_core(
        "return given[0].map((share) => core.studentQuantile(share, given[1]))", [shares, df]
    )
    assert found == pytest.approx(stats.t.ppf(shares, df).tolist(), rel=1e-10)


def test_binomial_shares_and_intervals():
    given = [(0, 29, 0.1), (3, 100, 0.1), (5, 100, 0.1), (57, 4000, 0.02)]
    found = ask_core("return given.map(([k, n, p]) => core.binomialShare(k, n, p))", given)
    assert found == pytest.approx([stats.binom.cdf(*one) for one in given], rel=1e-10)
    found = ask_core("return given.map(([k, n]) => core.wilson(k / n, n))", given)
    for (k, n, _), one in zip(given, found, strict=True):
        ends = stats.binomtest(k, n).proportion_ci(method="wilson")
        assert (one["low"], one["high"]) == pytest.approx((ends.low, ends.high), abs=1e-9)


@pytest.mark.parametrize("n", [300, 3000])
def test_a_dropped_file_gives_what_its_report_gives(n):
    """Cases packed by Python and cases read by the page lead to the same numbers."""
    y, score, rng = cases(n, digits=3)
    weight = rng.integers(0, 4, n)
    found = ask_both(
        """const { n, events, left_out, lower, stairs } = model;
        const estimates = core.estimatesOf(model, 0.3, { fn: 20, fp: 4, abstain: 1 });
        const { cuts = null, rows = null } = stairs ?? {};
        return { n, events, left_out, lower, cuts, rows, estimates };""",
        y,
        score,
        weight,
    )
    assert found[0] == found[1]
    assert found[0]["left_out"] == [
        {"count": int((weight == 0).sum()), "reason": "have the weight 0"}
    ]
