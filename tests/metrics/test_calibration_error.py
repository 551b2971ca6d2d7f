"""Calibration error: bins by hand, the plug-in of MAPIE, and estimates by their formulas."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cautious.metrics import calibration_error


def drawn(n=600, k=3, seed=0, boldness=1.5):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), n)
    y = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=k - 1)
    told = p**boldness
    return y, told / told.sum(axis=1, keepdims=True)


def by_hand(confidence, hit, n_bins):
    """Sizes, gaps and their variances in bins of equally many, one after the other."""
    order = np.argsort(confidence)
    parts = np.array_split(order, n_bins)
    gaps = [confidence[part] - hit[part] for part in parts]
    size = np.array([len(one) for one in gaps])
    return (
        size / size.sum(),
        np.array([one.mean() for one in gaps]),
        np.array([one.var(ddof=1) / len(one) for one in gaps]),
    )


def reach(variance, growth, z):
    """Solve r² = z² (variance + growth · r)."""
    return max(np.roots([1, -(z**2) * growth, -(z**2) * variance]))


@pytest.mark.parametrize("n_bins", [1, 4, 10])
def test_ends_by_hand(n_bins):
    y, p = drawn(boldness=4)  # so bold that no end is cut off
    share, gap, variance = by_hand(p.max(axis=1), p.argmax(axis=1) == y, n_bins)
    size, z = 600 * share, stats.norm.ppf(0.975)
    spread = variance * (size - 1)
    careful = (spread + 0.5 / size) / size  # one made-up case of each truth in every bin
    found = calibration_error(y, p, n_bins=n_bins)
    width = reach(share**2 @ variance, 1 / 600, z)
    assert found.high == pytest.approx(found.plug_in + width)
    noise = share @ np.sqrt(2 * careful / np.pi)
    assert found.low == pytest.approx(found.plug_in - noise - width)
    assert found.low > 0
    squares = calibration_error(y, p, norm="l2", n_bins=n_bins)
    a, b = 2 * share**2 @ careful**2, 4 * (share * careful).max()
    x = share @ (gap**2 - careful)
    low = x - reach(a + b * x, 2 * squares.plug_in / 600 - b, z)
    assert squares.low**2 == pytest.approx(low)
    assert squares.high**2 == pytest.approx(
        squares.estimate**2 + reach(a + b * squares.estimate**2, b, z)
    )


@pytest.mark.parametrize("n_bins", [1, 10, 20])
def test_estimates_by_hand(n_bins):
    y, p = drawn()
    share, gap, variance = by_hand(p.max(axis=1), p.argmax(axis=1) == y, n_bins)
    squares = calibration_error(y, p, norm="l2", n_bins=n_bins)
    assert squares.plug_in**2 == pytest.approx(share @ gap**2)
    assert squares.estimate**2 == pytest.approx(max(share @ (gap**2 - variance), 0))
    found = calibration_error(y, p, n_bins=n_bins)
    assert found.plug_in == pytest.approx(share @ np.abs(gap))
    # What noise adds to an absolute value, by simulation.
    noisy = gap + np.sqrt(variance) * np.random.default_rng(0).normal(size=(40_000, n_bins))
    added = share @ (np.abs(noisy).mean(axis=0) - np.abs(gap))
    assert found.estimate == pytest.approx(found.plug_in - added, abs=2e-3)
    assert found.low < found.estimate < found.plug_in < found.high


def test_plug_in_of_mapie():
    theirs = pytest.importorskip("mapie.metrics.calibration").expected_calibration_error
    y, p = drawn()

    def ece(confidence, hit):
        order = np.argsort(confidence)  # their bins are equal only where cases are sorted
        return theirs(
            hit[order].astype(int), confidence[order], num_bins=15, split_strategy="array split"
        )

    hit = p.argmax(axis=1) == y
    assert calibration_error(y, p).plug_in == pytest.approx(ece(p.max(axis=1), hit))
    each = [ece(p[:, k], y == k) for k in range(3)]
    found = calibration_error(y, p, kind="class-wise")
    assert found.by_class["plug_in"].tolist() == pytest.approx(each)
    assert found.plug_in == pytest.approx(np.mean(each))
    squares = calibration_error(y, p, kind="class-wise", norm="l2")
    assert squares.high == pytest.approx(np.sqrt((squares.by_class["high"] ** 2).mean()))


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_intervals_of_all_classes_hold_at_once(norm):
    # Three classes share 6 % of risk, two share 4 %: 2 % each.
    y, p = drawn()
    found = calibration_error(y, p, kind="class-wise", norm=norm, confidence_level=0.94)
    for k in range(3):
        one = calibration_error(
            y == k, p[:, k], kind="class-wise", norm=norm, confidence_level=0.96
        )
        ends = one.by_class[["low", "high"]].iloc[1].tolist()
        assert found.by_class.loc[k, ["low", "high"]].tolist() == pytest.approx(ends)


def test_estimator_of_kumar():
    # Where the probabilities of a bin are all alike, its variance is that of a share.
    rng = np.random.default_rng(1)
    p = rng.permutation(np.repeat([0.1, 0.3, 0.6, 0.9], 50))
    y = (rng.random(200) < p**2).astype(int)
    found = calibration_error(1 - y, 1 - p, kind="class-wise", norm="l2", n_bins=4)
    bins = found.bins.loc[1]
    assert bins["n"].tolist() == [50] * 4
    share, mean = bins["share"].to_numpy(), bins["probability"].to_numpy()
    expected = np.mean((mean - share) ** 2 - share * (1 - share) / 49)
    assert found.by_class["estimate"].tolist() == pytest.approx([np.sqrt(expected)] * 2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["l1", "l2"]), st.integers(1, 20))
def test_weights_repeat_and_order_does_not_matter(seed, norm, n_bins):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    y, p = rng.integers(2, size=n), rng.integers(9, size=n) / 8
    weight = rng.integers(0, 4, size=n)
    weight[0] = 1
    often = rng.permutation(np.repeat(np.arange(n), weight))
    given = {"norm": norm, "n_bins": n_bins, "classes": [0, 1]}
    found = calibration_error(y, p, sample_weight=weight, **given)
    other = calibration_error(y[often], p[often], **given)
    for name in ("estimate", "low", "high", "plug_in", "by_chance"):
        assert getattr(found, name) == pytest.approx(getattr(other, name), abs=1e-12)
        assert 0 <= getattr(found, name) <= 1
    assert found.low <= found.plug_in <= found.high or norm == "l2"
    assert found.low <= found.estimate <= found.high
    # Equal probabilities stay together.
    assert len(found.bins) <= max(1, min(n_bins, weight.sum() // 5))


def test_by_chance_is_what_right_probabilities_show():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    for norm in ("l1", "l2"):
        seen = [calibration_error(rng.random(3000) < p, p, norm=norm).plug_in for _ in range(30)]
        by_chance = calibration_error(rng.random(3000) < p, p, norm=norm).by_chance
        assert np.mean(seen) == pytest.approx(by_chance, rel=0.1)


def test_squared_errors_of_sharp_probabilities_may_be_zero():
    # All right but one: the estimate is below zero, which rules no error out.
    p, y = np.linspace(0.999, 1, 75), np.ones(75, int)
    y[37] = 0
    given = {"norm": "l2", "classes": [0, 1], "pos_label": 1}
    found = calibration_error(y, p, **given)
    assert (found.low, found.estimate) == (0, 0)
    assert found.high > found.plug_in
    rng = np.random.default_rng(0)
    for n, width in ((300, 0.01), (1500, 0.002), (3000, 0.001)):
        held = []
        for _ in range(40):
            p = 1 - width * rng.random(n)
            held.append(calibration_error(rng.random(n) < p, p, **given).low == 0)
        assert np.mean(held) >= 0.95
    # Surer than is right, by 0.15 % on average.
    p = np.linspace(0.999, 1, 1500)
    known = np.sqrt(np.mean([(part.mean() - 0.998) ** 2 for part in np.split(p, 15)]))
    drawn = (calibration_error(rng.random(1500) < 0.998, p, **given) for _ in range(60))
    assert np.mean([found.low <= known <= found.high for found in drawn]) >= 0.95


@pytest.mark.parametrize(("norm", "least"), [("l1", 0.95), ("l2", 0.94)])
@pytest.mark.parametrize("n", [3, 9, 50])
@pytest.mark.parametrize("told", [0.001, 0.5, 0.99])
def test_a_single_bin_holds_the_error_over_the_binomial(told, n, norm, least):
    given = {"norm": norm, "kind": "class-wise", "classes": [0, 1], "pos_label": 1}
    rows = np.full(n, told)
    ends = []
    for count in range(n + 1):
        found = calibration_error(np.arange(n) < count, rows, **given, confidence_level=0.9)
        ends.append(found.by_class.loc[1, ["low", "high"]])  # two classes: at 95 % each
    low, high = np.array(ends, dtype=float).T
    chance = np.concatenate([np.geomspace(1e-4, 0.1, 60), np.linspace(0.1, 0.5, 20)])
    chance = np.concatenate([chance, 1 - chance])[:, None]
    error = np.abs(told - chance)
    held = (low <= error + 1e-12) & (error <= high + 1e-12)
    coverage = (stats.binom.pmf(np.arange(n + 1), n, chance) * held).sum(axis=1)
    assert coverage.min() >= least


@pytest.mark.parametrize("told", [(0.0, 1.0), (0.001, 0.002), (0.1, 0.5)])
def test_two_bins_hold_the_error_over_the_binomial(told):
    given = {"kind": "class-wise", "classes": [0, 1], "confidence_level": 0.9}
    n, chances = 5, [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99]
    count = np.arange(n + 1)
    ends = np.empty((2, n + 1, n + 1))
    for i, j in itertools.product(count, count):
        y = np.concatenate([np.arange(n) < i, np.arange(n) < j])
        found = calibration_error(y, np.repeat(told, n), **given)
        ends[:, i, j] = found.by_class.loc[1, ["low", "high"]]  # two classes: at 95 % each
    for a, b in itertools.product(chances, chances):
        error = (abs(told[0] - a) + abs(told[1] - b)) / 2
        held = (ends[0] <= error) & (error <= ends[1])
        assert stats.binom.pmf(count, n, a) @ held @ stats.binom.pmf(count, n, b) >= 0.95


def test_shares_in_place_of_weights_are_told():
    y, p = drawn()
    with pytest.warns(UserWarning, match="600 rows add up to 1. .* so bins are too few"):
        calibration_error(y, p, sample_weight=np.full(600, 1 / 600))


def test_names_and_single_columns():
    y, p = drawn(k=2)
    names = np.array(["no", "yes"])
    plain = calibration_error(y, p)
    for found in (
        calibration_error(names[y], p),
        calibration_error(names[y], p[:, 1]),
        calibration_error(y, p[:, 0], pos_label=0),
    ):
        assert found.estimate == pytest.approx(plain.estimate)
    assert calibration_error(names[y], p, kind="class-wise").by_class.index.tolist() == [
        "no",
        "yes",
    ]
    assert plain.by_class.index.tolist() == ["top label"]
    assert plain.bins.index.names == ["class", "bin"]
    assert "estimate" in repr(plain)
    assert "by chance" in str(plain)
    assert "<table" in plain._repr_html_()


def test_surer_levels_are_wider_and_few_cases_say_little():
    y, p = drawn()
    for norm in ("l1", "l2"):
        loose, strict = (
            calibration_error(y, p, norm=norm, confidence_level=c) for c in (0.5, 0.99)
        )
        assert strict.low <= loose.low <= loose.high <= strict.high
    few = calibration_error(y[:4], p[:4], classes=[0, 1, 2])
    assert (few.low, len(few.bins)) == (0, 1)
    assert few.high > 0.4
    # All went well, which is no proof that nothing can go wrong.
    good = calibration_error(np.zeros(100), np.tile([1.0, 0.0], (100, 1)), classes=[0, 1])
    assert (good.estimate, good.plug_in, good.low) == (0, 0, 0)
    assert 0.005 < good.high < 0.1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "top"}, "kind is 'top'; choose 'top-label' or 'class-wise'"),
        ({"norm": 2}, "norm is 2; choose 'l1' or 'l2'"),
        ({"n_bins": 0}, "n_bins is 0; give at least 1"),
        ({"n_bins": 2.5}, "n_bins is 2.5"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"sample_weight": np.zeros(600)}, "no case of positive weight"),
        ({"y_proba": np.ones((600, 3))}, "y_proba adds up to 3"),
        ({"classes": [0, 1]}, "y_proba has 3 columns"),
    ],
)
def test_refusals(given, message):
    y, p = drawn()
    with pytest.raises((TypeError, ValueError), match=message):
        calibration_error(**{"y_true": y, "y_proba": p} | given)
