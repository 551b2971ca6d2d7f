"""The lazy naive credal classifier: learns anew for each row, from its neighbours.

The overlap distance of two rows is the number of features in which they differ; a missing cell
differs from everything. A neighbourhood always takes in all rows at its largest distance, so it is
a ball, and a row has at most m + 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.credal import ProbabilityIntervals
from cautious.errors import shown
from cautious.models.base import CredalClassifierMixin, row_chunks
from cautious.models.discrete import MISSING, DiscreteClassifier, factorise
from cautious.models.naive_credal.counts import probabilities
from cautious.models.naive_credal.dominance import (
    Infimum,
    Pairs,
    log_infimum,
    undominated,
)
from cautious.models.naive_credal.envelope import posterior_bounds

__all__ = ["LazyNaiveCredalClassifier", "Neighbours", "RowCounts", "overlap_distances"]

# A missing test cell must not match a missing training cell.
_MISSING_IN_TEST = -2
# Pairs are solved this many (pair, feature) cells at a time.
_CELLS_AT_ONCE = 400_000
# Bytes in a word, and the most that one byte can hold.
_WORD, _MOST_IN_BYTE = 8, 255


def overlap_distances(train: Ints, test: Ints) -> Ints:
    """Count the features in which each test row differs from each training row.

    Parameters
    ----------
    train, test : ndarray of shape (m, n) and (m, b)
        Codes; missing cells differ from everything.

    Returns
    -------
    ndarray of shape (b, n)

    Examples
    --------
    >>> import numpy as np
    >>> overlap_distances(np.array([[0, 1, -1], [0, 0, 2]]), np.array([[0, -1], [0, 2]]))
    array([[0, 1, 2],
           [2, 2, 1]], dtype=uint8)
    """
    m, n = train.shape
    distances = np.empty((test.shape[1], n), dtype=np.min_scalar_type(max(m, 1)))
    asked = np.where(test == MISSING, _MISSING_IN_TEST, test).astype(train.dtype)
    # Row by row, so that all comparisons of a row stay in the processor's cache.
    differs = np.empty(train.shape, dtype=np.bool_)
    for row, own in zip(asked.T, distances, strict=True):
        np.not_equal(train, row[:, None], out=differs)
        np.add.reduce(differs.view(np.uint8), axis=0, dtype=own.dtype, out=own)
    return distances


@dataclass(frozen=True)
class Neighbours:
    """Training rows ready to be searched.

    Attributes
    ----------
    codes : ndarray of shape (m, n)
        Codes of the training rows, in the smallest type that holds them.
    y : ndarray of shape (n,)
        Class codes, sorted.
    n_classes : int
        Number of classes.
    weight : ndarray of shape (n,) or None
        Repetitions of the training rows.
    """

    codes: Ints
    y: Ints
    n_classes: int
    weight: Floats | None

    def ball_sizes(self, distances: Ints) -> Floats:
        """(Weighted) number of training rows within each distance 0, …, m of each test row."""
        width = len(self.codes) + 1
        rings = [np.bincount(row, self.weight, minlength=width) for row in distances]
        return np.cumsum(rings, axis=1, dtype=np.float64).reshape(-1, width)

    def count_ring(self, test: Ints, distances: Ints, inner: Ints, outer: Ints) -> RowCounts:
        """Count the training rows farther than ``inner`` and no farther than ``outer``.

        Parameters
        ----------
        test : ndarray of shape (m, b)
            Codes of the test rows.
        distances : ndarray of shape (b, n)
            Their distances to the training rows.
        inner, outer : ndarray of shape (b,)
            The ring of each test row, ``inner`` below ``outer``; it is -1 for a ball.
        """
        m, b = test.shape
        n, K = len(self.y), self.n_classes
        # One comparison in the smallest type: what is too near becomes very large.
        nearest, kind = inner + 1, distances.dtype
        beyond = distances - nearest[:, None].astype(kind)
        ring = beyond <= (outer - nearest)[:, None].astype(kind)
        flat = np.flatnonzero(ring)
        each = np.diff(np.searchsorted(flat, np.arange(b + 1) * n))
        neighbour = flat - np.repeat(np.arange(b) * n, each)
        weight = None if self.weight is None else self.weight[neighbour]
        # Sorted, as the training rows are.
        cell = np.repeat(np.arange(b) * K, each) + self.y.take(neighbour)
        observed = (test != MISSING).T
        class_counts = np.bincount(cell, weight, minlength=b * K).reshape(b, K).astype(np.float64)
        known = self._by_row.take(neighbour, axis=0)
        asked = np.zeros((b, known.shape[1]), dtype=known.dtype)
        asked[:, :m] = test.T
        counts = _sums_by_cell(known == np.repeat(asked, each, axis=0), cell, weight, b * K)
        totals = np.broadcast_to(class_counts[:, None, :], (b, m, K)).copy()
        if self._any_missing:
            found = _sums_by_cell(known != MISSING, cell, weight, b * K)
            totals = found[:, :m].reshape(b, K, m).transpose(0, 2, 1)
        counts = np.ascontiguousarray(counts[:, :m].reshape(b, K, m).transpose(0, 2, 1))
        return RowCounts(class_counts, counts, np.ascontiguousarray(totals), observed)

    @cached_property
    def _by_row(self) -> Ints:
        """Codes of one training row after the other, the rows filled up to whole words."""
        m, n = self.codes.shape
        rows = np.zeros((n, -(-m // _WORD) * _WORD), dtype=self.codes.dtype)
        rows[:, :m] = self.codes.T
        return rows

    @cached_property
    def _any_missing(self) -> bool:
        return bool((self.codes == MISSING).any())


def _sums_by_cell(told: Mask, cell: Ints, weight: Floats | None, n_cells: int) -> Floats:
    """Add up the rows of a mask for each cell; cells are sorted.

    Eight truth values are one word, and adding words adds eight numbers at a time, as long as no
    byte of a sum goes beyond 255: longer runs are cut.
    """
    sums = np.zeros((n_cells, told.shape[1]))
    if not told.size:  # no rows, or no features
        return sums
    starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
    if weight is not None:
        sums[cell[starts]] = np.add.reduceat(told * weight[:, None], starts, axis=0)
        return sums
    cuts = -(-np.diff(starts, append=len(cell)) // _MOST_IN_BYTE)
    first = np.cumsum(cuts) - cuts
    within = np.arange(cuts.sum()) - np.repeat(first, cuts)
    pieces = np.repeat(starts, cuts) + _MOST_IN_BYTE * within
    words = np.ascontiguousarray(told.view(np.uint64).T)
    added = np.stack([np.add.reduceat(word, pieces) for word in words], axis=1).view(np.uint8)
    sums[cell[starts]] = np.add.reduceat(added, first, axis=0, dtype=np.float64)
    return sums


@dataclass(frozen=True)
class RowCounts:
    r"""What was counted in the neighbourhood of each row.

    Attributes
    ----------
    class_counts : ndarray of shape (n, K)
        :math:`n(c)`.
    counts, totals : ndarray of shape (n, m, K)
        :math:`n(a_i, c)` for the row's own values, and :math:`\tilde n_i(c)`.
    observed : ndarray of shape (n, m)
        Which cells of the row are not missing.
    """

    class_counts: Floats
    counts: Floats
    totals: Floats
    observed: Mask

    def __getitem__(self, rows: Ints | slice) -> RowCounts:
        return RowCounts(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def add(self, rows: Ints, other: RowCounts) -> None:
        """Count more examples for some of the rows."""
        self.class_counts[rows] += other.class_counts
        self.counts[rows] += other.counts
        self.totals[rows] += other.totals

    def predict_set(self, s: float) -> Mask:
        """Answer with the undominated classes."""
        seen = self.observed[:, :, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            class_s = np.log(self.class_counts + s)
            log_totals_s = np.log(self.totals + s)
            f_s, g_s = np.log(self.counts) - log_totals_s, np.log(self.counts + s) - log_totals_s
            log_f_s = class_s + np.where(seen, f_s, 0.0).sum(axis=1)
            log_g_s = class_s + np.where(seen, g_s, 0.0).sum(axis=1)
            # 0/0 belongs to a class never seen with the feature, where f is 0 at both ends.
            ratio = np.nan_to_num(np.log(self.counts / self.totals), nan=-np.inf, neginf=-np.inf)
            log_f_0 = np.where(seen, ratio, 0).sum(axis=1) + np.log(self.class_counts)
        bare = ~self.observed.any(axis=1)
        log_f_s[bare] = log_f_0[bare]
        return undominated(log_f_s, log_f_0, log_g_s, self._infimum(s))

    def predict_proba(self, s: float, n_values: Ints) -> Floats:
        """Estimate class probabilities by naive Bayes under the uniform prior of strength s."""
        K = self.class_counts.shape[1]
        share = s / K / np.maximum(n_values, 1)[None, :, None]
        terms = np.log((self.counts + share) / (self.totals + s / K))
        log_joint = np.where(self.observed[:, :, None], terms, 0.0).sum(axis=1)
        return probabilities(log_joint + np.log(self.class_counts + s / K))

    def predict_proba_bounds(self, s: float) -> tuple[Floats, Floats]:
        """Bound the class probabilities over all priors of strength s."""
        counts = self.counts
        return posterior_bounds(self.class_counts, self.totals, counts, counts, self.observed, s)

    def _infimum(self, s: float) -> Infimum:
        return partial(self._solve, s)

    def _solve(self, s: float, rows: Ints, first: Ints, second: Ints) -> Floats:
        result = np.empty(len(rows))
        for part in row_chunks(len(rows), max(1, _CELLS_AT_ONCE // max(1, self.counts.shape[1]))):
            pairs = self._pairs(rows[part], first[part], second[part])
            result[part] = log_infimum(pairs, s)
        return result

    def _pairs(self, rows: Ints, first: Ints, second: Ints) -> Pairs:
        return Pairs(
            first=self.class_counts[rows, first],
            second=self.class_counts[rows, second],
            first_totals=self.totals[rows, :, first],
            second_totals=self.totals[rows, :, second],
            first_counts=self.counts[rows, :, first],
            second_counts=self.counts[rows, :, second],
            observed=self.observed[rows],
        )


# Distances held at once by one worker.
_DISTANCES_AT_ONCE = 8_000_000


class LazyNaiveCredalClassifier(CredalClassifierMixin, DiscreteClassifier):
    r"""Naive credal classifier learned from the neighbours of each row.

    The neighbourhood starts with the nearest training rows by overlap distance (the number of
    features that differ; a missing cell differs from everything), with all ties. While the answer
    of the naive credal classifier (global IDM) on it has several classes, it grows, until the
    answer is one class or the data run out.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the prior.
    n_neighbors : int, default=25
        Size of the first neighbourhood, before ties. If all of these equal the row in every
        feature, the next nearest rows are taken in as well.
    step : int, default=20
        By how many rows, before ties, the neighbourhood grows.
    max_enlargements : int, default=50
        How often it may grow. Ties make every neighbourhood a ball, so it never grows more often
        than there are features.
    n_jobs : int, optional
        Threads over which test rows are spread; None is one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    categories_ : tuple of ndarray
        Values of each feature.
    n_features_in_, feature_names_in_
        Number of features, and their names if X was a frame.

    Notes
    -----
    These are the settings of the authors' own implementation. A row's value that was never seen in
    training matches no neighbour, and the answer is all classes. Sample weights repeat rows, in the
    size of a neighbourhood too.

    References
    ----------
    Corani & Zaffalon (2009), *Lazy naive credal classifier*; Zaffalon, Corani & Mauá (2012),
    section 9.2.

    Examples
    --------
    >>> from cautious.models import LazyNaiveCredalClassifier
    >>> X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 5
    >>> y = [int(a == b) for a, b, c in X]  # no naive model of all the data can learn this
    >>> LazyNaiveCredalClassifier(n_neighbors=5, step=5).fit(X, y).predict_set([[0, 0, 1]])
    array([[False,  True]])
    """

    classes_: Labels
    categories_: tuple[Labels, ...]

    def __init__(
        self,
        s: float = 1.0,
        *,
        n_neighbors: int = 25,
        step: int = 20,
        max_enlargements: int = 50,
        n_jobs: int | None = None,
    ) -> None:
        self.s = s
        self.n_neighbors = n_neighbors
        self.step = step
        self.max_enlargements = max_enlargements
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Keep the examples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Discrete features; nan, None and NA are missing.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Repetitions of each row.

        Returns
        -------
        self
        """
        self._check_parameters()
        columns, labels, weight = self._read_examples(X, y, sample_weight)
        self.classes_, classes = np.unique(labels, return_inverse=True)
        numbered = [factorise(column) for column in columns]
        self.categories_ = tuple(values for _, values in numbered)
        # Two codes beyond the values stand for unseen and missing cells of test rows.
        most = max((len(values) for values in self.categories_), default=0) + 1
        codes = np.zeros((len(columns), len(labels)), dtype=np.min_scalar_type(-most))
        for i, (code, _) in enumerate(numbered):
            codes[i] = code
        order = np.argsort(classes, kind="stable")
        weight = None if weight is None else weight[order]
        n_classes = len(self.classes_)
        self._neighbours = Neighbours(codes.take(order, axis=1), classes[order], n_classes, weight)
        return self

    def predict_set(self, X: Any) -> Mask:
        """Answer with the undominated classes of the last neighbourhood.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K), bool
            Columns in ``classes_`` order.
        """
        return np.concatenate(self._over_rows(X, "set"))

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities by naive Bayes (uniform prior) on the last neighbourhood.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K)
        """
        return np.concatenate(self._over_rows(X, "proba"))

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities over the credal set of the last neighbourhood.

        They are exact, as those of :class:`NaiveCredalClassifier` on the neighbourhood.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        lower, upper : ndarray of shape (n, K)
        """
        lower, upper = zip(*self._over_rows(X, "bounds"), strict=True)
        intervals = ProbabilityIntervals(np.concatenate(lower), np.concatenate(upper)).reachable()
        return np.array(intervals.lower), np.array(intervals.upper)

    def _over_rows(self, X: Any, what: str) -> list[Any]:
        """Work on pieces of the test rows, in threads."""
        check_is_fitted(self)
        self._check_parameters()
        codes = self._read_coded(X, self.categories_)
        size = min(256, max(1, _DISTANCES_AT_ONCE // len(self._neighbours.y)))
        pieces = [codes[:, rows] for rows in row_chunks(codes.shape[1], size)]
        return list(
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._answer)(piece, what) for piece in pieces
            )
        )

    def _answer(self, codes: Ints, what: str) -> Any:
        counts, sets = self._grow(codes)
        if what == "set":
            return sets
        if what == "bounds":
            return counts.predict_proba_bounds(self.s)
        n_values = np.array([len(values) for values in self.categories_], dtype=np.intp)
        return counts.predict_proba(self.s, n_values)

    def _grow(self, codes: Ints) -> tuple[RowCounts, Mask]:
        """Grow the neighbourhood of each row until its answer is one class."""
        neighbours = self._neighbours
        distances = overlap_distances(neighbours.codes, codes)
        sizes = neighbours.ball_sizes(distances)
        rows = np.arange(len(sizes))
        radius = _radius(sizes, np.full(len(sizes), float(self.n_neighbors)))
        # Rows equal in everything say little about features: take in the next ones as well.
        same = (radius == 0) & (sizes[:, 0] < sizes[:, -1])
        radius[same] = _radius(sizes[same], sizes[same, 0] + 1)
        counts = neighbours.count_ring(codes, distances, np.full(len(rows), -1), radius)
        sets = counts.predict_set(self.s)
        for _ in range(self.max_enlargements):
            size = sizes[rows, radius[rows]]
            open_ = (sets[rows].sum(axis=1) > 1) & (size < sizes[rows, -1])
            rows = rows[open_]
            if not len(rows):
                break
            inner = radius[rows]
            radius[rows] = _radius(sizes[rows], size[open_] + self.step)
            ring = neighbours.count_ring(codes[:, rows], distances[rows], inner, radius[rows])
            counts.add(rows, ring)
            sets[rows] = counts[rows].predict_set(self.s)
        return counts, sets

    def _check_parameters(self) -> None:
        if not (isinstance(self.s, Real) and 0 < self.s < np.inf):
            raise ValueError(f"s is {shown(self.s)}; the strength of the prior must be positive.")
        for name, least in (("n_neighbors", 1), ("step", 1), ("max_enlargements", 0)):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and value >= least):
                raise ValueError(
                    f"{name} is {shown(value)}; it must be a whole number, {least} or more."
                )


def _radius(sizes: Floats, wanted: Floats) -> Ints:
    """Smallest distance within which there are as many rows as wanted, or all of them."""
    enough = sizes >= np.minimum(wanted, sizes[:, -1])[:, None]
    return np.asarray(np.argmax(enough, axis=1))
