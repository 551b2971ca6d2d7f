"""VACC against quadrature, against another closed form, and against the paper's Table 1."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

from cautious._random import bootstrap_weights
from cautious.curves import AbstentionCostSurface
from cautious.curves._staircase import ClassScales
from cautious.curves._vacc import bin_volumes, vacc_of_counts, vacc_test

LEARNERS = ["J48", "NB", "PART", "RF10", "SMOM"]


@pytest.mark.parametrize("q", [0.0, 1e-9, 0.1, 0.3, 0.5, 0.5001, 0.9, 1 - 1e-9, 1.0])
def test_a_bin_is_the_double_integral_of_its_bayes_cost(q):
    def inner(mu):  # the integral of min(c, ν) over ν is elementary and leaves one kink for quad
        c = min(q, mu * (1 - q))
        return c - c * c / 2

    kink = q / (1 - q) if q < 1 else np.inf
    expected = quad(inner, 0, 1, points=[kink] if 0 < kink < 1 else None, epsabs=1e-14)[0]
    found = bin_volumes(np.array([q]), np.array([1 - q]))[0]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_small_shares_keep_their_digits():
    # V(q) = q - q² + O(q³) and, by the other branch, V = b/2 - b²/6 exactly.
    tiny = bin_volumes(np.array([1e-12]), np.array([1.0]))[0]
    assert tiny == pytest.approx(1e-12, rel=1e-11)
    assert bin_volumes(np.array([1.0]), np.array([1e-12]))[0] == pytest.approx(5e-13, rel=1e-11)


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_volume_equals_the_formula_by_brackets(data, cases):
    # An independent derivation: with A(ν), B(ρ), C(μ) the minima of the two brackets and of the
    # cost without abstention over all cuts, the volume is a sum of four single integrals.
    surface = data.draw(cases).surface()
    p = np.append(0, np.cumsum(surface.staircase.positives)) * surface.scales.positive
    n = np.append(0, np.cumsum(surface.staircase.negatives)) * surface.scales.negative
    fp = n[-1] - n

    def A(nu):
        return (p - nu * (p + n)).min()

    def B(rho):
        return (fp + rho * (p + n)).min()

    def C(mu):
        return (p + mu * fp).min()

    # Kinks: where two cuts tie. Quadrature needs to know them.
    q = surface.hull.probability
    odds = np.divide(q, 1 - q, out=np.full_like(q, 9.0), where=q < 1)

    def integral(f, low, high, kinks):
        inside = [k for k in kinks if low < k < high]
        edges = [low, *sorted(inside), high]
        return sum(quad(f, a, b, epsabs=1e-12)[0] for a, b in pairwise(edges))

    volume = (
        integral(lambda v: A(v) * (1 - 2 * v) / (1 - v), 0, 0.5, q)
        + integral(B, 0, 0.5, 1 - q) / 3
        + integral(lambda r: B(r) * (1 / r - 1) ** 3, 0.5, 1, 1 - q) / 3
        + integral(lambda m: C(m) / (1 + m), 0, 1, odds)
    )
    assert surface.vacc() == pytest.approx(volume, abs=1e-9)


def test_published_values_on_breast_w(weka):
    # Friedel et al. (2006), Table 1, prints .032 .018 .030 .016 .014. Their folds are unknown and
    # WEKA's version may differ; with these folds the largest difference is .003.
    printed = [0.032, 0.018, 0.030, 0.016, 0.014]
    ours = [
        AbstentionCostSurface.from_predictions(weka.actual, weka[name]).vacc() for name in LEARNERS
    ]
    assert ours == pytest.approx(printed, abs=0.003)
    assert np.mean(ours) == pytest.approx(np.mean(printed), abs=0.001)
    # "SVMs perform best, followed by RF and NB, whereas PART and J48 lag behind."
    assert np.argsort(ours).tolist() == [4, 3, 1, 2, 0]


def test_weka_reference_is_what_it_says(weka):
    # One of them lies halfway between two last digits, where releases round differently.
    found = [roc_auc_score(weka.actual, weka[name]) for name in LEARNERS]
    assert found == pytest.approx([0.9547, 0.9832, 0.9702, 0.9885, 0.9943], abs=5.1e-5)


def test_interval_is_seeded_and_weights_are_repetitions(weka):
    y, score = weka.actual.to_numpy(), weka.RF10.to_numpy()
    surface = AbstentionCostSurface.from_predictions(y, score)
    interval = surface.vacc_interval(n_resamples=200, random_state=1)
    assert interval.estimate == surface.vacc()
    assert interval.low < interval.high
    assert interval == surface.vacc_interval(n_resamples=200, random_state=1)
    assert (interval.confidence_level, interval.n_resamples) == (0.95, 200)
    twice = AbstentionCostSurface.from_predictions(y, score, sample_weight=np.full(len(y), 2))
    doubled = twice.vacc_interval(n_resamples=200, random_state=1)
    width = (doubled.high - doubled.low) / (interval.high - interval.low)
    assert width == pytest.approx(1 / np.sqrt(2), rel=0.25)


def test_interval_is_made_of_vaccs_of_resampled_examples():
    # Every step by hand: replicates, their means of proper scores, whose slope is a difference
    # quotient of the volume.
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    score = np.round(2 * y + rng.normal(size=60), 1)
    scales = ClassScales(1 / 60, 1 / 60)
    surface = AbstentionCostSurface.from_predictions(y, score)
    interval = surface.vacc_interval(n_resamples=50, confidence_level=0.8, random_state=0)

    def volume(q):
        return bin_volumes(q, 1 - q)

    def proper(weight):
        seen = weight > 0
        q = IsotonicRegression().fit(place[seen], truth[seen], weight[seen])
        share = np.clip(q.predict(place), 1e-6, 1 - 1e-6)
        slope = (volume(share + 1e-7) - volume(share - 1e-7)) / 2e-7
        return volume(share) + slope * (truth - share)

    def vacc(weight):
        return vacc_of_counts(
            *(np.bincount(place, weight * (truth == label)) for label in (1, 0)), scales
        )

    # Examples are drawn as the library keeps them: negatives, then positives, by the blocks that no
    # hull divides, within which a positive never follows a negative.
    steps = surface.staircase
    block = np.cumsum((np.append(0, steps.negatives[:-1]) > 0) & (steps.positives > 0))
    counts = [np.bincount(block, count) for count in (steps.negatives, steps.positives)]
    place = np.concatenate([np.flatnonzero(count) for count in counts])
    truth = np.repeat([0, 1], [np.count_nonzero(count) for count in counts])
    given = np.concatenate([count[count > 0] for count in counts])
    (batch,) = bootstrap_weights(given, 50, strata=truth, random_state=0)
    gaps = np.array([vacc(row) - row @ proper(given) / 60 for row in batch])
    estimate, factor = vacc(given), 1 / (2 ** (2 / 3) - 1)
    centre = estimate - factor * gaps.mean()
    variance = factor**2 * gaps.var() / 50
    for label in (0, 1):
        own = np.repeat(proper(given)[truth == label], given[truth == label].astype(int))
        variance += own.var() * len(own) / 60**2
    low = stats.gamma.ppf(0.1, centre**2 / variance, scale=variance / centre)
    centre, variance = centre + 1 / 60, variance + 1 / 60**2
    high = stats.gamma.ppf(0.9, centre**2 / variance, scale=variance / centre)
    assert interval.estimate == pytest.approx(estimate) == pytest.approx(surface.vacc())
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-4)


def test_interval_stays_within_what_a_vacc_can_be():
    worst = AbstentionCostSurface.from_predictions([0, 1], [1, 1]).vacc()
    useless = AbstentionCostSurface.from_predictions([0, 0, 1, 1], [1, 2, 1, 2])
    interval = useless.vacc_interval(n_resamples=400, confidence_level=0.98, random_state=0)
    assert 0 <= interval.low <= interval.high <= worst == pytest.approx(interval.estimate)


def test_no_error_is_no_proof_of_none():
    for n in (4, 40, 400):
        perfect = AbstentionCostSurface.from_predictions(np.repeat([0, 1], n), np.arange(2 * n))
        interval = perfect.vacc_interval(confidence_level=0.9, random_state=0)
        assert (interval.estimate, interval.low) == (0, 0)
        # Of a rare event that was not seen; a positive on the wrong side costs one.
        assert interval.high == pytest.approx(min(-np.log(0.05) / (2 * n), 5 / 24))
    y, shuffled = np.repeat([0, 1], 40), np.append(np.arange(40)[::-1], np.arange(40, 80))
    test = vacc_test(y, np.arange(80), shuffled, random_state=0)
    assert test.p_value == 1
    assert test.difference.low < 0 < test.difference.high


def test_few_replicates_of_many_scores_say_as_much():
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=4000)
    surface = AbstentionCostSurface.from_predictions(y, y + rng.normal(size=4000))
    few, many = (surface.vacc_interval(n_resamples=n, random_state=0) for n in (20, 400))
    assert (few.low, few.high) == pytest.approx((many.low, many.high), abs=0.05 * few.high)
    width = many.high - many.low
    assert abs(few.low - many.low) < 0.1 * width
    with pytest.raises(ValueError, match="n_resamples is 0"):
        surface.vacc_interval(n_resamples=0)
    with pytest.raises(ValueError, match=r"n_resamples is 2\.5"):
        surface.vacc_interval(n_resamples=2.5)


def test_nothing_is_claimed_where_a_class_weighs_less_than_two_examples():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    a, b = rng.normal(size=(2, 200))
    shares = np.full(200, 1 / 200)
    with pytest.warns(UndefinedMetricWarning, match="weighs less than two examples"):
        test = vacc_test(y, a, b, sample_weight=shares, n_resamples=20, random_state=0)
    assert np.isnan([test.p_value, test.difference.low, test.difference.high]).all()
    surface = AbstentionCostSurface.from_predictions([0, 1], [0, 1])
    with pytest.warns(UndefinedMetricWarning, match="weighs less than two examples"):
        assert np.isnan(surface.vacc_interval(n_resamples=20).low)


def test_replicates_without_spread_are_no_evidence():
    # Three examples a class: many replicates draw one of them thrice, and have no spread at all.
    test = vacc_test([0, 0, 0, 1, 1, 1], [0, 1, 2, 1, 2, 3], [1, 0, 2, 3, 1, 2], random_state=0)
    assert test.p_value > 0.1


def test_paired_test_sees_what_is_there(weka):
    y = weka.actual
    clear = vacc_test(y, weka.SMOM, weka.J48, n_resamples=300, random_state=0)
    assert clear.vacc_a == AbstentionCostSurface.from_predictions(y, weka.SMOM).vacc()
    assert clear.difference.estimate == pytest.approx(clear.vacc_a - clear.vacc_b)
    assert clear.difference.high < 0
    assert clear.p_value < 0.02
    same = vacc_test(y, weka.SMOM, 5 * weka.SMOM - 1, n_resamples=50, random_state=0)
    assert same.p_value == 1
    assert (same.difference.low, same.difference.high) == (0, 0)
    other_way = vacc_test(y, weka.J48, weka.SMOM, n_resamples=300, random_state=0)
    assert other_way.p_value == clear.p_value
    assert other_way.difference.low == pytest.approx(-clear.difference.high)


def test_paired_test_takes_labels_weights_and_priors(weka):
    y = np.where(weka.actual == 1, "malignant", "benign")
    weight = np.ones(len(y))
    weight[:100] = 0
    options = {"priors": {"malignant": 0.1, "benign": 0.9}, "pos_label": "malignant"}
    result = vacc_test(
        y, weka.NB, weka.PART, sample_weight=weight, n_resamples=20, random_state=0, **options
    )
    alone = AbstentionCostSurface.from_predictions(y[100:], weka.NB[100:], **options)
    assert result.vacc_a == pytest.approx(alone.vacc())
    with pytest.raises(ValueError, match="score_b is NaN in row 0"):
        vacc_test(weka.actual, weka.NB, np.full(len(y), np.nan))
    with pytest.raises(ValueError, match="score_a has 1"):
        vacc_test(weka.actual, [1.0], weka.NB)
