"""Exact bounds of the global imprecise Dirichlet model, against grids, scipy and plain loops."""

import numpy as np
import pytest
from scipy.optimize import minimize

from cautious.models import NaiveCredalClassifier
from cautious.models.naive_credal import classifier as dirichlet
from cautious.models.naive_credal import envelope
from cautious.models.naive_credal.dominance import (
    bounds_from_infima,
    log_infimum,
    pairwise_infima,
)
from cautious.models.naive_credal.envelope import Weights, posterior_bounds


class Row:
    """Counts of one row, and its extreme class weights by the definition."""

    def __init__(self, size, totals, least, most=None):
        self.size, self.totals, self.least = (np.asarray(a, float) for a in (size, totals, least))
        self.most = self.least if most is None else np.asarray(most, float)

    def weights(self, x):
        """f and g of all classes for shares of the prior, shape (..., K)."""
        x = np.asarray(x, float)[..., None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            f = np.where(self.least > 0, self.least / (self.totals + x), 0.0).prod(axis=-2)
            g = np.where(self.totals > 0, (self.most + x) / (self.totals + x), 1.0).prod(axis=-2)
        size = self.size + x[..., 0, :]
        return size * f, size * g

    def extremes(self, x):
        """Least and greatest probability of each class at given shares of the prior."""
        f, g = self.weights(x)
        lower = f / np.maximum(f + g.sum(axis=-1, keepdims=True) - g, 1e-300)
        upper = g / np.maximum(g + f.sum(axis=-1, keepdims=True) - f, 1e-300)
        return lower, upper

    def bounds(self, s):
        shape = (1, *self.totals.shape)
        lower, upper = posterior_bounds(
            self.size[None],
            self.totals[None],
            self.least[None],
            self.most[None],
            np.ones(shape[:2], bool),
            s,
        )
        return lower[0], upper[0]

    def convex(self, s):
        seen = np.ones((1, len(self.totals)), bool)
        tables = self.size[None], self.totals[None], self.least[None], self.most[None], seen
        return Weights.of_rows(*tables).convex(0.0, s).all()


def random_row(rng, K, m, *, missing=False, positive=False, largest=12):
    size = rng.integers(1, largest, K)
    hidden = rng.integers(0, 2, (m, K)) * (rng.random((m, K)) < 0.4) if missing else 0
    totals = np.maximum(np.tile(size, (m, 1)) - hidden, 0)
    least = np.minimum(np.floor(rng.random((m, K)) * (totals + 1)), totals)
    return Row(size, totals, np.maximum(least, np.minimum(totals, 1)) if positive else least)


def simplex_grid(K, steps):
    """All ways to give ``steps`` equal pieces to K classes."""
    if K == 1:
        return np.array([[steps]])
    return np.vstack(
        [
            np.column_stack([np.full(len(rest), i), rest])
            for i in range(steps + 1)
            for rest in [simplex_grid(K - 1, steps - i)]
        ]
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("K", [2, 3, 4])
def test_bounds_hold_on_a_grid_of_priors_and_are_met_near_it(K, missing):
    rng = np.random.default_rng(K)
    grid = simplex_grid(K, {2: 400, 3: 60, 4: 24}[K]) / {2: 400, 3: 60, 4: 24}[K]
    for _ in range(15):
        row = random_row(rng, K, int(rng.integers(1, 6)), missing=missing)
        s = float(rng.choice([0.5, 1.0, 3.0]))
        lower, upper = row.bounds(s)
        least, greatest = row.extremes(s * grid)
        assert (lower <= least + 1e-12).all()
        assert (greatest <= upper + 1e-12).all()
        np.testing.assert_allclose(upper, greatest.max(axis=0), atol=0.01)
        np.testing.assert_allclose(lower, least.min(axis=0), atol=0.01)


def optimum(row, c, s, side, rng):
    """Best value that a general optimiser finds from several starts."""
    K = len(row.size)
    sign = 1 if side == 0 else -1

    def value(z):
        shares = np.maximum(z, 0) / np.maximum(z, 0).sum()
        return sign * float(row.extremes(s * shares)[side][c])

    corners = [*np.eye(K) * 0.97 + 0.03 / K, *rng.dirichlet(np.ones(K), 2)]
    found = [
        minimize(
            value,
            start,
            method="SLSQP",
            bounds=[(0, 1)] * K,
            constraints={"type": "eq", "fun": lambda z: z.sum() - 1},
            options={"ftol": 1e-13},
        ).fun
        for start in corners
    ]
    return sign * min(found)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_those_of_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    K = 3 + seed % 2
    row = random_row(rng, K, 2 + seed % 3, positive=True, missing=seed >= 4, largest=6)
    s = (1.0, 4.0)[seed % 2]
    bounds = row.bounds(s)
    assert row.convex(s)
    for c in range(K):
        for side in (0, 1):
            np.testing.assert_allclose(bounds[side][c], optimum(row, c, s, side, rng), atol=1e-6)


def test_class_and_one_rival_share_the_prior_where_the_lower_bound_is_met():
    row = Row([8, 6, 9], np.tile([8, 6, 9], (3, 1)), [[7, 5, 3]] * 3)
    y = np.linspace(0, 2, 20001)
    least = row.extremes(np.column_stack([2 - y, y, 0 * y]))[0][:, 0]
    assert 0 < least.argmin() < len(y) - 1
    np.testing.assert_allclose(row.bounds(2.0)[0][0], least.min(), rtol=1e-8)


def test_all_classes_share_the_prior_where_the_upper_bound_is_met():
    row = Row([18, 4, 4], np.tile([18, 4, 4], (4, 1)), [[7, 3, 3]] * 4)
    y = np.linspace(0, 1, 20001)  # the two rivals are alike, and get the same
    greatest = row.extremes(np.column_stack([2 - 2 * y, y, y]))[1][:, 0]
    assert 0 < greatest.argmax() < len(y) - 1
    np.testing.assert_allclose(row.bounds(2.0)[1][0], greatest.max(), rtol=1e-8)


def pairwise_bounds(row, s):
    m = len(row.totals)

    def infimum(rows, first, second):
        tables = (
            row.size,
            row.totals.T,
            row.least.T,
            row.most.T,
            np.ones((len(row.size), m), bool),
        )
        sides = [[table[side] for table in tables] for side in (first, second)]
        return log_infimum(*(Weights.of(*side) for side in sides), s)

    return bounds_from_infima(pairwise_infima((row.least > 0).all(axis=0)[None], infimum))


def test_pairs_of_classes_give_the_same_for_two_and_more_room_for_three():
    rng = np.random.default_rng(1)
    narrower = 0
    for trial in range(60):
        K = 2 + trial % 3
        row = random_row(rng, K, 4, missing=trial % 4 == 0)
        lower, upper = row.bounds(2.0)
        (wide_lower,), (wide_upper,) = pairwise_bounds(row, 2.0)
        assert (wide_lower <= lower + 1e-10).all()
        assert (upper <= wide_upper + 1e-10).all()
        if K == 2:
            np.testing.assert_allclose(lower, wide_lower, atol=1e-10)
            np.testing.assert_allclose(upper, wide_upper, atol=1e-10)
        narrower += (upper - lower).sum() < (wide_upper - wide_lower).sum() - 1e-6
    assert narrower > 20


def rows_with_gaps(rng, K, how_many):
    """Rows with a weight that is not convex, and a strength of the prior for each."""
    while how_many:
        m, s = int(rng.integers(1, 5)), float(rng.choice([0.5, 2.0, 5.0]))
        size = rng.integers(2, 25, K)
        totals = np.maximum(size - rng.integers(0, 4, (m, K)), 1)
        row = Row(size, totals, rng.integers(how_many % 2, totals + 1))
        if not row.convex(s):
            how_many -= 1
            yield row, s


def test_missing_training_cells_leave_the_lower_bounds_exact():
    rng = np.random.default_rng(0)
    grid = simplex_grid(3, 200) / 200
    by_pairs = []
    for row, s in rows_with_gaps(rng, 3, 25):
        lower, least = row.bounds(s)[0], row.extremes(s * grid)[0].min(axis=0)
        assert (lower <= least + 1e-12).all()
        np.testing.assert_allclose(lower, least, rtol=0, atol=5e-6)
        by_pairs.append((least - pairwise_bounds(row, s)[0][0]).max())
    assert max(by_pairs) > 0.05


@pytest.mark.parametrize("K", [4, 5])
def test_several_rivals_share_the_prior_as_a_general_optimiser_finds(K):
    rng = np.random.default_rng(K)
    for row, s in rows_with_gaps(rng, K, 4):
        lower = row.bounds(s)[0]
        for c in np.flatnonzero((row.least > 0).all(axis=0))[:2]:
            found = optimum(row, c, s, 0, rng)
            assert lower[c] <= found + 1e-9
            np.testing.assert_allclose(lower[c], found, atol=1e-6)


def test_equal_rivals_share_the_prior_equally():
    row = Row([9, 6, 6, 6], [[9, 4, 4, 4]], [[8, 1, 1, 1]])  # one feature: concave weights
    lower = row.bounds(3.0)[0][0]
    y = np.linspace(0, 1, 2001)
    alike = row.extremes(np.column_stack([3 - 3 * y, y, y, y]))[0][:, 0].min()
    alone = row.extremes(np.column_stack([3 - 3 * y, 3 * y, 0 * y, 0 * y]))[0][:, 0].min()
    np.testing.assert_allclose(lower, alike, rtol=0, atol=1e-6)
    assert lower < alone - 0.001


def test_bounds_hold_where_the_search_is_given_up(monkeypatch):
    rng = np.random.default_rng(1)
    rows = [(row, s, row.bounds(s)[0]) for row, s in rows_with_gaps(rng, 4, 20)]
    monkeypatch.setattr(envelope, "_MOST_BOXES", 3)
    wider = [exact - row.bounds(s)[0] for row, s, exact in rows]
    assert all((gap >= -1e-6).all() for gap in wider)
    assert max(gap.max() for gap in wider) > 1e-4


def test_many_classes_against_every_rival_in_turn():
    rng = np.random.default_rng(2)
    K, s = 30, 2.0
    row = random_row(rng, K, 5, positive=True, largest=9)
    lower, upper = row.bounds(s)
    y = np.linspace(0, s, 201)
    for c in range(0, K, 3):
        least = []
        for k in set(range(K)) - {c}:
            x = np.zeros((len(y), K))
            x[:, k], x[:, c] = y, s - y
            least.append(row.extremes(x)[0][:, c].min())
        np.testing.assert_allclose(lower[c], min(least), rtol=1e-4)
        assert lower[c] <= min(least) + 1e-12
    drawn = row.extremes(s * rng.dirichlet(np.full(K, 0.1), 2000))
    assert (lower <= drawn[0] + 1e-12).all()
    assert (drawn[1] <= upper + 1e-12).all()


@pytest.mark.parametrize("m", [60, 800])
def test_many_features_stay_in_range(m):
    rng = np.random.default_rng(3)
    rows = [random_row(rng, 4, m, positive=True, largest=40) for _ in range(8)]
    for row in rows:
        lower, upper = row.bounds(1.0)
        assert ((lower >= 0) & (lower <= upper) & (upper <= 1)).all()
        (wide_lower,), (wide_upper,) = pairwise_bounds(row, 1.0)
        assert (wide_lower <= lower + 1e-9).all()
        assert (upper <= wide_upper + 1e-9).all()


def fitted(n=60, K=4, m=4, gaps=0.1, **options):
    rng = np.random.default_rng(5)
    y = rng.integers(K, size=n)
    X = np.where(rng.random((n, m)) < 0.5, y[:, None] % 3, rng.integers(3, size=(n, m)))
    X = np.where(rng.random((n, m)) < gaps, np.nan, X.astype(float))
    return NaiveCredalClassifier(**options).fit(X, y), X


@pytest.mark.parametrize("idm", ["global", "local"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("missing", ["skip", "conservative"])
def test_classifier_keeps_its_own_probability_and_its_dominance(idm, epsilon, missing):
    model, X = fitted(s=2.0, idm=idm, epsilon=epsilon, missing=missing)
    X = np.vstack([X, np.full(4, np.nan), [7, 0, 0, 0]])
    lower, upper = model.predict_proba_bounds(X)
    p = model.predict_proba(X)
    assert (lower <= p + 1e-12).all()
    assert (p <= upper + 1e-12).all()
    sure = (lower[:, :, None] > upper[:, None, :] + 1e-9).any(axis=1)
    sets = model.predict_set(X)
    assert not (sets & sure).any()
    assert sets[np.arange(len(X)), model.predict(X)].all()


def test_rows_without_features_and_classes_without_examples():
    model = NaiveCredalClassifier(s=2.0)
    model.partial_fit([[0.0], [0.0], [1.0]], [0, 0, 1], classes=[0, 1, 2])
    lower, upper = model.predict_proba_bounds([[np.nan], [0.0], [1.0]])
    np.testing.assert_allclose(lower[0], [2 / 5, 1 / 5, 0])
    np.testing.assert_allclose(upper[0], [4 / 5, 3 / 5, 2 / 5])
    # Value 0 was never seen with class 1: f = 0. All of s at class 0 gives 4, at class 2 gives 2.
    np.testing.assert_allclose(lower[1], [2 / 4, 0, 0])
    np.testing.assert_allclose(upper[1], [1, 2 / 4, 2 / 4])


def test_missing_cells_that_may_hide_anything_are_filled_in_every_way(monkeypatch):
    model, X = fitted(s=2.0, gaps=0.0, missing="conservative")
    row = np.array([[0.0, np.nan, 2.0, np.nan]])
    filled = np.array([[0.0, a, 2.0, b] for a in range(3) for b in range(3)])
    every = model.predict_proba_bounds(filled)
    lower, upper = model.predict_proba_bounds(np.vstack([row, X]))
    np.testing.assert_allclose(lower[0], every[0].min(axis=0))
    np.testing.assert_allclose(upper[0], every[1].max(axis=0))
    np.testing.assert_array_equal(lower[1:], model.predict_proba_bounds(X)[0])
    # Too many ways: bounds from pairs of classes, which hold too, but may be wider.
    monkeypatch.setattr(dirichlet, "_MOST_WAYS", 8)
    wide_lower, wide_upper = model.predict_proba_bounds(row)
    assert (wide_lower[0] <= lower[0] + 1e-12).all()
    assert (upper[0] <= wide_upper[0] + 1e-12).all()
    assert (wide_upper - wide_lower).sum() > (upper[0] - lower[0]).sum() + 1e-6
