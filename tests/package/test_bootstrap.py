"""Resampling: totals are kept, moments are the multinomial's, weights mean repetition."""

import numpy as np
import pytest

from cautious._random import as_generator, bootstrap_weights, percentile_interval


def replicates(*args, **kwargs):
    return np.concatenate(list(bootstrap_weights(*args, **kwargs)))


@pytest.mark.parametrize(
    "weight",
    [np.ones(12), np.array([3.0, 1.0, 2.0] * 4), np.array([50.0, 0.0, 70.0] * 4), np.full(12, 0.5)],
    ids=["equal", "repetitions", "aggregated", "fractions"],
)
def test_stratum_totals_are_kept(weight):
    strata = np.repeat([0, 1], 6)
    drawn = replicates(weight, 50, strata=strata, random_state=1)
    assert drawn.shape == (50, 12)
    for stratum in (0, 1):
        total = weight[strata == stratum].sum()
        np.testing.assert_allclose(drawn[:, strata == stratum].sum(axis=1), total)
    assert (drawn[:, weight == 0] == 0).all()


@pytest.mark.parametrize("scale", [1, 30])
def test_moments_are_multinomial(scale):
    weight = scale * np.array([1.0, 2.0, 3.0, 4.0])
    share = weight / weight.sum()
    drawn = replicates(weight, 20_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), weight, rtol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), weight.sum() * share * (1 - share), rtol=0.05)


def test_seeded():
    np.testing.assert_array_equal(
        replicates(np.ones(5), 4, random_state=3), replicates(np.ones(5), 4, random_state=3)
    )
    legacy = [as_generator(np.random.RandomState(3)).random() for _ in range(2)]
    assert legacy[0] == legacy[1]
    generator = np.random.default_rng(0)
    assert as_generator(generator) is generator


def test_what_is_no_seed():
    """What holds itself made numpy crash, and the process with it."""
    ring: list = [1]
    ring.append(ring)
    for seed in (ring, "1", 1.5, [1, 2]):
        with pytest.raises(TypeError, match="random_state is a"):
            as_generator(seed)


def test_memory_is_bounded_by_batches():
    sizes = [len(batch) for batch in bootstrap_weights(np.ones(3_000_000), 3, random_state=0)]
    assert sizes == [1, 1, 1]


def test_empty_stratum_weight():
    drawn = replicates(np.array([0.0, 0.0, 1.0]), 3, strata=[0, 0, 1], random_state=0)
    np.testing.assert_array_equal(drawn, [[0, 0, 1]] * 3)


def test_interval_leaves_undefined_replicates_out():
    interval = percentile_interval(1.0, np.array([np.nan, 0.0, 2.0]), confidence_level=0.9)
    assert interval.low == pytest.approx(0.1)
    assert interval.high == pytest.approx(1.9)
    assert interval.n_resamples == 3
    assert np.isnan(percentile_interval(1.0, np.array([np.nan])).low)


def test_strata_in_any_order_and_of_any_kind():
    weight = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    strata = np.array(["b", "a", "b", "c", "a", "a"])
    drawn = replicates(weight, 40, strata=strata, random_state=0)
    for stratum in "abc":
        own = strata == stratum
        np.testing.assert_allclose(drawn[:, own].sum(axis=1), weight[own].sum())
    assert (drawn[:, 3] == 4).all()


def test_many_strata():
    """The rows are sorted into strata once: a scan for each stratum would read 4e8 rows."""
    strata = np.tile(np.arange(20_000), 2)
    drawn = replicates(np.ones(40_000), 3, strata=strata, random_state=0)
    np.testing.assert_array_equal(drawn[:, :20_000] + drawn[:, 20_000:], 2)
    assert set(np.unique(drawn)) == {0, 1, 2}


@pytest.mark.parametrize("weight", [np.ones(40), np.arange(40.0)])
def test_replicates_do_not_depend_on_how_many_are_drawn_at_once(weight, monkeypatch):
    strata = np.arange(40) % 3
    at_once = replicates(weight, 30, strata=strata, random_state=5)
    singly = next(bootstrap_weights(weight, 1, strata=strata * 0, random_state=5))
    monkeypatch.setattr("cautious._random._DRAWS_AT_ONCE", 1)
    np.testing.assert_array_equal(replicates(weight, 30, strata=strata, random_state=5), at_once)
    np.testing.assert_array_equal(replicates(weight, 1, random_state=5), singly)


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        ([0], r"strata has shape \(1,\); expected \(2,\)"),
        ([0, None], "strata is missing in row 1"),
        (np.ma.array([0, 1], mask=[1, 0]), "strata is missing in row 0"),
    ],
)
def test_bad_strata(strata, message):
    """Refused at the call, not when the first replicate is asked for."""
    with pytest.raises(ValueError, match=message):
        bootstrap_weights(np.ones(2), 3, strata=strata)


def test_bad_input():
    with pytest.raises(ValueError, match="n_resamples is 0"):
        replicates(np.ones(1), 0)
    with pytest.raises(ValueError, match="level is 95"):
        percentile_interval(0.0, np.zeros(1), confidence_level=95)


def test_shares_as_weights_are_warned_of():
    """Weights count repetitions: with shares a replicate would draw a single case."""
    with pytest.warns(UserWarning, match="weights of 10 rows add up to 1. Weights count repet"):
        bootstrap_weights(np.full(10, 0.1), 5, random_state=0)
    for fine in (np.ones(10), np.full(10, 0.5), np.zeros(10), np.array([3.0])):
        list(bootstrap_weights(fine, 5, random_state=0))
