"""Small random cases for the laws, with the ties, gaps and extremes that break things."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from cautious.credal import ProbabilityIntervals

seeds = st.integers(0, 2**32 - 1)


def generator(draw: st.DrawFn) -> np.random.Generator:
    """A seeded generator: bulk comes from numpy, shape from hypothesis."""
    return np.random.default_rng(draw(seeds))


class Batch(NamedTuple):
    """Predictions with everything that any measure or curve may ask for."""

    truth: np.ndarray
    mask: np.ndarray
    weight: np.ndarray
    forced: np.ndarray
    proba: np.ndarray

    @property
    def n_classes(self) -> int:
        return self.mask.shape[1]

    def rows(self, chosen: Any) -> Batch:
        return Batch(*(array[chosen] for array in self))

    def shuffled(self, seed: int) -> Batch:
        return self.rows(np.random.default_rng(seed).permutation(len(self.truth)))

    def repeated(self) -> Batch:
        """Each row as often as its weight says."""
        rows = self.rows(np.repeat(np.arange(len(self.truth)), self.weight.astype(int)))
        return rows.unweighted()

    def unweighted(self) -> Batch:
        return self._replace(weight=np.ones(len(self.truth)))

    def permuted(self, order: np.ndarray) -> Batch:
        """The classes in another order: new column j is old column ``order[j]``."""
        place = np.argsort(order)
        return self._replace(
            truth=place[self.truth],
            forced=place[self.forced],
            mask=self.mask[:, order],
            proba=self.proba[:, order],
        )


@st.composite
def batches(
    draw: st.DrawFn, min_rows: int = 1, max_rows: int = 14, classes: tuple[int, int] = (2, 4)
) -> Batch:
    """Truths, sets, whole weights and probabilities.

    Probabilities tie between rows, never within one, where the order of classes would decide.
    """
    k = draw(st.integers(*classes))
    n = draw(st.integers(min_rows, max_rows))
    rng = generator(draw)
    mask = rng.random((n, k)) < draw(st.sampled_from([0.2, 0.5, 0.9]))
    mask[np.arange(n), rng.integers(k, size=n)] = True
    raw = rng.permuted(np.tile(np.arange(1.0, k + 1), (n, 1)), axis=1) ** rng.integers(1, 4, (n, 1))
    truth = rng.integers(k, size=n)
    truth[:k] = np.arange(k)[:n]
    weight = rng.integers(0, 4, size=n).astype(float)
    weight[:k] += 1
    proba = raw / raw.sum(axis=1, keepdims=True)
    return Batch(truth, mask, weight, rng.integers(k, size=n), proba)


def binary_batches(**kwargs: Any) -> st.SearchStrategy[Batch]:
    return batches(min_rows=2, classes=(2, 2), **kwargs)


_NAMES = {
    "text": ["zebra", "ape", "newt", "cow"],
    "numbers far apart": [-7, 10**6, 3, 0],
    "fractions": [0.5, -1.5, 2.25, 1e-3],
    "reversed numbers": [3, 2, 1, 0],
}


@st.composite
def renamings(draw: st.DrawFn, fractions: bool = True) -> Any:
    """A function from the number of classes to names for them, in no particular order."""
    kinds = [*_NAMES, "booleans", "objects"]
    if not fractions:  # scikit-learn takes them for the targets of a regression
        kinds.remove("fractions")
    kind = draw(st.sampled_from(kinds))

    def names(k: int) -> np.ndarray:
        if kind == "booleans" and k == 2:
            return np.array([True, False])
        if kind == "objects":
            return np.array(_NAMES["text"][:k], dtype=object)
        return np.array(_NAMES.get(kind, _NAMES["text"])[:k])

    return names


class Examples(NamedTuple):
    """Discrete training data and rows to classify."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    rows: np.ndarray

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def chosen(self, rows: np.ndarray) -> Examples:
        return self._replace(X=self.X[rows], y=self.y[rows], weight=self.weight[rows])


N_VALUES = 3


@st.composite
def examples(
    draw: st.DrawFn, classes: tuple[int, int] = (2, 3), min_rows: int = 12, max_rows: int = 40
) -> Examples:
    """Features of three values that tell something about the class, all classes alike in number."""
    k = draw(st.integers(*classes))
    n = draw(st.integers(min_rows, max_rows))
    m = draw(st.integers(1, 3))
    rng = generator(draw)
    y = rng.permutation(np.arange(n) % k)
    told = rng.random((n, m)) < draw(st.sampled_from([0.2, 0.5, 0.8]))
    X = np.where(told, y[:, None] % N_VALUES, rng.integers(N_VALUES, size=(n, m))).astype(float)
    X[:N_VALUES] = np.arange(N_VALUES)[:, None]  # every value is seen
    weight = rng.integers(1, 4, size=n).astype(float)
    return Examples(X, y, weight, rng.integers(N_VALUES, size=(8, m)).astype(float))


@st.composite
def probabilities(draw: st.DrawFn, k: int | None = None, max_rows: int = 6) -> np.ndarray:
    """Rows of positive probabilities without ties."""
    k = draw(st.integers(2, 4)) if k is None else k
    return generator(draw).dirichlet(np.ones(k), size=draw(st.integers(1, max_rows)))


class Situation(NamedTuple):
    """Credal sets about classes, and what predictions cost (predictions × truths)."""

    intervals: ProbabilityIntervals
    costs: np.ndarray

    def permuted(self, order: np.ndarray) -> Situation:
        lower, upper = self.intervals.lower[:, order], self.intervals.upper[:, order]
        return Situation(ProbabilityIntervals(lower, upper), self.costs[np.ix_(order, order)])


def around(p: np.ndarray, room: np.ndarray) -> ProbabilityIntervals:
    """Probability intervals that hold p, each bound so much of the way to 0 or 1 from it."""
    return ProbabilityIntervals(p * (1 - room), p + (1 - p) * room)


@st.composite
def situations(draw: st.DrawFn, max_rows: int = 5) -> Situation:
    """Intervals around random distributions, and costs that grow away from the diagonal."""
    p = draw(probabilities(max_rows=max_rows))
    rng = generator(draw)
    k = p.shape[1]
    width = draw(st.sampled_from([0.05, 0.3, 1.0]))
    costs = rng.integers(1, 9, size=(k, k)) * (1 - np.eye(k))
    return Situation(around(p, width * rng.random(p.shape)), costs)


class Scores(NamedTuple):
    """Two-class scores with ties."""

    truth: np.ndarray
    score: np.ndarray
    weight: np.ndarray


@st.composite
def scores(draw: st.DrawFn, max_rows: int = 12) -> Scores:
    """Both classes, scores that tie and reach infinity, whole weights."""
    n = draw(st.integers(2, max_rows))
    rng = generator(draw)
    truth = rng.integers(2, size=n)
    truth[:2] = [0, 1]
    levels = np.array([-np.inf, -2.0, -0.5, 0.0, 0.1, 0.3, 4.0, np.inf])
    return Scores(truth, rng.choice(levels, size=n), rng.integers(1, 4, size=n).astype(float))


relative_costs = st.one_of(
    st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0, 2.0]), st.floats(0.001, 3, allow_subnormal=False)
)
