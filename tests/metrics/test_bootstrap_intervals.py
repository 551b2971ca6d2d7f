from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from cautious._set_counts import SetCounts
from cautious.costs import discounted, ordinal
from cautious.curves import RiskCoverageCurve
from cautious.metrics import (
    MEASURES,
    bootstrap_interval,
    coverage_score,
    utility_score,
)
from cautious.metrics import _bootstrap_intervals as bootstrap_intervals
from cautious.metrics._bootstrap_intervals import interval_of_counts


def some_cases(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    mask = rng.random((n, 3)) < 0.3
    mask[np.arange(n), np.where(rng.random(n) < 0.8, truth, rng.integers(3, size=n))] = True
    return truth, mask


@pytest.mark.parametrize("stratify", [True, False])
def test_a_mean_has_the_interval_of_the_normal_law(stratify: bool) -> None:
    truth, mask = some_cases(4000)
    found = bootstrap_interval(
        truth, mask, measure="coverage", n_resamples=4000, random_state=0, stratify=stratify
    )
    answered = mask.sum(axis=1) == 1
    groups = [answered[truth == c] for c in range(3)] if stratify else [answered]
    variance = sum(len(g) * g.var() for g in groups) / 4000**2
    half = 1.96 * np.sqrt(variance)
    assert found.low == pytest.approx(found.estimate - half, abs=0.08 * half)
    assert found.high == pytest.approx(found.estimate + half, abs=0.08 * half)


def test_counting_first_is_resampling_rows() -> None:
    """Replicates drawn from counts follow the law of replicates drawn from rows."""
    truth, mask = some_cases(500)  # so many that one case more hardly counts
    found = bootstrap_interval(truth, mask, measure="capacity", n_resamples=4000, random_state=1)
    rng = np.random.default_rng(2)
    members = [np.flatnonzero(truth == c) for c in range(3)]
    rows = [
        np.concatenate([rng.choice(group, len(group)) for group in members]) for _ in range(600)
    ]
    each = [
        float(MEASURES["capacity"](SetCounts.from_predictions(truth[r], mask[r], classes=range(3))))
        for r in rows
    ]
    low, high = np.quantile(each, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.15 * (high - low))
    assert found.high == pytest.approx(high, abs=0.15 * (high - low))


def test_strata_keep_their_numbers() -> None:
    truth = np.array([0] * 30 + [1] * 10)
    # Only class 1 is answered: stratified replicates keep the coverage; one case more does not.
    mask = np.where(truth[:, None] == 1, [[True, False]], [[True, True]])
    fixed = bootstrap_interval(truth, mask, measure="coverage", random_state=0)
    share = 1 - 0.025 ** (1 / 40)
    assert (fixed.low, fixed.high) == pytest.approx(
        (0.25 * (1 - share), 0.25 + 0.75 * share), rel=1e-4
    )
    free = bootstrap_interval(truth, mask, measure="coverage", random_state=0, stratify=False)
    assert free.low < fixed.low < 0.25 < fixed.high < free.high


@pytest.mark.parametrize("n", [1, 7, 60])
def test_where_all_cases_are_alike_a_share_has_its_exact_interval(n: int) -> None:
    truth = np.arange(n) % 2
    for measure, value in (("error", 0.0), ("coverage", 1.0), ("selective_accuracy", 1.0)):
        found = bootstrap_interval(truth, truth, measure=measure, classes=[0, 1], random_state=0)
        exact = stats.binomtest(int(n * value), n).proportion_ci(0.95, "exact")
        assert found.estimate == value
        assert (found.low, found.high) == pytest.approx(tuple(exact), rel=1e-4)


def test_no_interval_has_width_zero() -> None:
    truth = np.arange(60) % 3
    right = np.eye(3)[truth] * 0.7 + 0.1
    undefined = {"set_accuracy", "indeterminate_set_size"}  # where all is answered
    costs = discounted(ordinal(3))
    for name, entry in MEASURES.items():
        if name in undefined or entry.missing_params() - {"costs"}:
            continue
        params = {"costs": costs} if entry.missing_params() else {}
        params |= {"y_pred": truth} if "y_pred" in entry.needs else {}
        if entry.counts is RiskCoverageCurve:
            found = bootstrap_interval(truth, right, measure=name, random_state=0)
        elif name in ("needless_abstention", "discounted_accuracy_variance"):
            found = bootstrap_interval(truth, np.ones((60, 3), bool), measure=name, random_state=0,
                                       **params)  # fmt: skip
        else:
            found = bootstrap_interval(truth, truth, measure=name, random_state=0, **params)
        assert found.low <= found.estimate <= found.high, name
        assert found.high - found.low > 0.01, (name, found)


def test_the_dearest_mistake_may_be_unseen() -> None:
    truth = np.arange(100) % 2
    costs = {"false_negative": 50, "false_positive": 2, "abstain": 1}
    found = bootstrap_interval(
        truth, truth, measure="set_cost", costs=costs, pos_label=1, random_state=0
    )
    assert (found.low, found.high) == pytest.approx((0, 50 * (1 - 0.025**0.01)), rel=1e-4)
    each = {key: np.full(100, value) for key, value in costs.items()}
    same = bootstrap_interval(
        truth, truth, measure="set_cost", costs=each, pos_label=1, random_state=0
    )
    assert (same.low, same.high) == pytest.approx((found.low, found.high))


def test_levels_nest() -> None:
    counts = SetCounts.from_predictions(*some_cases(100))
    wide = interval_of_counts(counts, "u65", confidence_level=0.99, random_state=0)
    narrow = interval_of_counts(counts, "u65", confidence_level=0.5, random_state=0)
    assert wide.low < narrow.low < narrow.high < wide.high
    with pytest.raises(ValueError, match="level is 95"):
        interval_of_counts(counts, "u65", confidence_level=95)


def test_undefined_replicates_are_left_out() -> None:
    found = bootstrap_interval(
        [0, 0, 1, 1], [0, None, None, None], measure="selective_accuracy", random_state=0
    )
    # One case was answered.
    assert (found.estimate, found.low, found.high) == pytest.approx((1, 0.025, 1), abs=0.01)
    with pytest.warns(UndefinedMetricWarning, match="selective_accuracy is undefined"):
        never = bootstrap_interval([0, 1], [None, None], measure="selective_accuracy")
    assert np.isnan([never.estimate, never.low, never.high]).all()


def test_a_paired_difference_is_more_certain_than_two_intervals() -> None:
    truth, mask = some_cases(300)
    other = mask.copy()
    other[:30] = True
    difference = bootstrap_interval(truth, mask, other, measure="u80", random_state=0)
    one = bootstrap_interval(truth, mask, measure="u80", random_state=0)
    two = bootstrap_interval(truth, other, measure="u80", random_state=0)
    assert difference.estimate == pytest.approx(one.estimate - two.estimate)
    apart = (one.high - one.low) + (two.high - two.low)
    assert difference.high - difference.low < apart / 2
    # The difference is a mean of differences, so the normal law gives its interval.
    u = [-1.2 * x**2 + 2.2 * x for x in (
        mask[np.arange(300), truth] / mask.sum(axis=1),
        other[np.arange(300), truth] / other.sum(axis=1),
    )]  # fmt: skip
    gain = u[0] - u[1]
    variance = sum(gain[truth == c].var() * (truth == c).sum() for c in range(3)) / 300**2
    assert difference.high - difference.low == pytest.approx(2 * 1.96 * variance**0.5, rel=0.15)
    flipped = bootstrap_interval(truth, other, mask, measure="u80", random_state=0)
    assert flipped.estimate == -difference.estimate


def test_differences_are_stratified_and_weighted() -> None:
    truth = np.array([0] * 30 + [1] * 10)
    one = np.where(truth[:, None] == 1, [[True, False]], [[True, True]])
    fixed = bootstrap_interval(truth, one, np.ones((40, 2), bool), measure="coverage")
    assert fixed.low == fixed.high == 0.25
    free = bootstrap_interval(
        truth, one, np.ones((40, 2), bool), measure="coverage", stratify=False, random_state=0
    )
    assert free.low < 0.25 < free.high
    truth, mask = some_cases(40)
    other = some_cases(40, seed=1)[1]
    weight = np.arange(40) % 4
    rows = np.repeat(np.arange(40), weight)
    given = {"measure": "u65", "random_state": 3, "classes": range(3)}
    weighted = bootstrap_interval(truth, mask, other, sample_weight=weight, **given)
    assert weighted == bootstrap_interval(truth[rows], mask[rows], other[rows], **given)


def test_differences_of_what_needs_more_than_sets() -> None:
    rng = np.random.default_rng(0)
    truth, p, q = rng.integers(2, size=80), rng.random(80), rng.random(80)
    found = bootstrap_interval(truth, p, q, measure="aurc", random_state=0, n_resamples=200)
    one = bootstrap_interval(truth, p, measure="aurc", n_resamples=2)
    two = bootstrap_interval(truth, q, measure="aurc", n_resamples=2)
    assert found.estimate == pytest.approx(one.estimate - two.estimate)
    assert found.low < found.estimate < found.high
    sets = [np.where(p > 0.8, 1, -1), np.where(p > 0.5, 1, -1)]
    needless = bootstrap_interval(
        truth, *sets, measure="needless_abstention", y_pred=np.ones(80, int), random_state=0
    )
    assert needless.estimate == pytest.approx(truth[(p > 0.5) & (p <= 0.8)].sum() / 80)
    costs = discounted(ordinal(2))
    dearer = bootstrap_interval(truth, *sets, measure="set_cost", costs=costs, random_state=0)
    assert dearer.low <= dearer.estimate <= dearer.high
    weight = rng.integers(0, 3, size=80)
    weighted = bootstrap_interval(truth, *sets, measure="u65", sample_weight=weight)
    score = [utility_score(truth, s, sample_weight=weight) for s in sets]
    assert weighted.estimate == pytest.approx(score[0] - score[1])


def test_errors_call_the_second_classifier_by_its_own_name() -> None:
    truth, mask = some_cases(9)
    with pytest.raises(ValueError, match="y_set_other has an empty prediction set in row 0"):
        bootstrap_interval(truth, mask, mask & False, measure="u65")
    with pytest.raises(ValueError, match="y_true has 9 rows and y_set_other has 8"):
        bootstrap_interval(truth, mask, mask[:8], measure="u65")
    scores = mask / mask.sum(axis=1, keepdims=True)
    with pytest.raises(ValueError, match="y_true has 9 rows and y_set_other has 8"):
        bootstrap_interval(truth, scores, scores[:8], measure="aurc")
    with pytest.raises(ValueError, match="y_set is NaN in row 0"):
        bootstrap_interval(truth, scores * np.nan, scores, measure="aurc")
    emptied = bootstrap_interval(
        truth, mask, mask & False, measure="coverage", empty="abstain", n_resamples=5
    )
    assert emptied.estimate == coverage_score(truth, mask)


@pytest.mark.parametrize("measure", ["aurc", "excess_aurc", "augrc"])
def test_many_confidences_are_rounded_for_the_spread_alone(measure, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=3000)
    score = np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1))), 3)
    curve = RiskCoverageCurve.from_predictions(y, score)
    exact = interval_of_counts(curve, measure, n_resamples=400, random_state=0)
    monkeypatch.setattr(bootstrap_intervals, "_MANY_CELLS", 100)
    rounded = interval_of_counts(curve, measure, n_resamples=400, random_state=1)
    assert rounded.estimate == exact.estimate
    width = exact.high - exact.low
    assert (rounded.low, rounded.high) == pytest.approx((exact.low, exact.high), abs=0.15 * width)


def test_rounding_keeps_cases_losses_and_ties():
    rng = np.random.default_rng(1)
    curve = RiskCoverageCurve.from_predictions(
        rng.integers(2, size=500), np.round(rng.random(500), 2)
    )
    rounded = curve.rounded(10)
    assert len(rounded.threshold) <= 10
    assert rounded.n == curve.n
    assert rounded.selective_risk[-1] == pytest.approx(curve.selective_risk[-1])
    # Each of its points is a point of the curve itself.
    own = dict(zip(curve.coverage.round(12), curve.selective_risk, strict=True))
    for coverage, risk in zip(rounded.coverage.round(12), rounded.selective_risk, strict=True):
        assert own[coverage] == pytest.approx(risk)


def shares() -> tuple[np.ndarray, np.ndarray]:
    """Forty cases, a fifth of them wrong."""
    truth = np.tile([0, 1, 0, 1, 1, 0, 0, 1, 0, 1], 4)
    answer = np.tile([0, 1, 0, 1, 1, 0, 0, 1, 1, 0], 4)
    return truth, np.eye(2, dtype=bool)[answer]


def test_weights_that_cannot_be_repetitions_are_warned_of() -> None:
    """Equal cases are counted first, and there are few different ones: that must not hide it."""
    truth, mask = shares()
    options = {"measure": "error", "random_state": 0, "n_resamples": 50}
    for sets in ((mask,), (mask, others())):
        with pytest.warns(UserWarning, match="the weights of 40 rows add up to 1. Weights count"):
            bootstrap_interval(truth, *sets, sample_weight=np.full(40, 1 / 40), **options)


def test_weights_may_be_importance() -> None:
    """What the weights add up to does not matter, and equal ones are none."""
    truth, mask = shares()
    options = {"measure": "error", "random_state": 0, "weights_are": "importance"}
    rng = np.random.default_rng(0)
    weight = rng.random(40)
    plain = bootstrap_interval(truth, mask, measure="error", random_state=0)
    for scale in (1 / 40, 1.0, 7.0):
        equal = bootstrap_interval(truth, mask, sample_weight=np.full(40, scale), **options)
        assert (equal.low, equal.high) == pytest.approx((plain.low, plain.high), abs=0.03)
        one = bootstrap_interval(truth, mask, sample_weight=weight, **options)
        two = bootstrap_interval(truth, mask, sample_weight=weight * scale, **options)
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (two.estimate, two.low, two.high), abs=1e-12
        )


def test_importance_is_the_bootstrap_of_rows() -> None:
    """As if each replicate were made by hand."""
    truth, mask = shares()
    weight = np.random.default_rng(1).random(40)
    wrong = ~mask[np.arange(40), truth]
    found = bootstrap_interval(
        truth, mask, measure="error", sample_weight=weight, weights_are="importance",
        n_resamples=4000, stratify=False, random_state=0,
    )  # fmt: skip
    rng = np.random.default_rng(2)
    drawn = rng.integers(0, 40, (4000, 40))
    means = (weight[drawn] * wrong[drawn]).sum(axis=1) / weight[drawn].sum(axis=1)
    more = rng.beta(1, weight.sum() ** 2 / np.square(weight).sum(), 4000)  # the share of one more
    low, high = (
        np.quantile((1 - more) * means, 0.025),
        np.quantile((1 - more) * means + more, 0.975),
    )
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)


def test_what_weights_may_be() -> None:
    truth, mask = shares()
    with pytest.raises(ValueError, match="weights_are is 'shares'; choose"):
        bootstrap_interval(truth, mask, measure="error", weights_are="shares")
    counts = SetCounts.from_predictions(truth, mask)
    with pytest.raises(ValueError, match="counts do not tell the cases apart"):
        bootstrap_interval(counts, measure="error", weights_are="importance")


def others() -> np.ndarray:
    """Answers of another classifier to the same forty cases, a tenth of them wrong."""
    return np.eye(2, dtype=bool)[np.tile([0, 1, 0, 1, 1, 0, 0, 1, 0, 0], 4)]


def test_differences_take_weights_as_importance() -> None:
    """As if each replicate were made by hand; what the weights add up to does not matter."""
    truth, mask = shares()
    weight = np.random.default_rng(1).random(40)
    weight[3] = 0
    found = [
        bootstrap_interval(
            truth, mask, others(), measure="error", sample_weight=weight * scale,
            weights_are="importance", n_resamples=4000, stratify=False, random_state=0,
        )
        for scale in (1.0, 1 / 40)
    ]  # fmt: skip
    assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high))
    cases = np.arange(40)
    gain = (~mask[cases, truth]).astype(float) - ~others()[cases, truth]
    assert found[0].estimate == pytest.approx(np.average(gain, weights=weight))
    drawn = np.random.default_rng(2).choice(np.flatnonzero(weight), (4000, 39))
    means = (weight[drawn] * gain[drawn]).sum(axis=1) / weight[drawn].sum(axis=1)
    ends = np.quantile(means, [0.025, 0.975])
    assert (found[0].low, found[0].high) == pytest.approx(ends, abs=0.02)
