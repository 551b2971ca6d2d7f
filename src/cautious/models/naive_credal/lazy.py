"""The lazy naive credal classifier: learns anew for each row, from its neighbours."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.credal import ProbabilityIntervals
from cautious.models.base import CredalClassifierMixin, row_chunks
from cautious.models.discrete import DiscreteClassifier, factorise
from cautious.models.naive_credal.neighbourhoods import Neighbours, RowCounts, overlap_distances

__all__ = ["LazyNaiveCredalClassifier"]

# Distances held at once by one worker.
_CELLS_AT_ONCE = 8_000_000


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
        self._neighbours = Neighbours(codes, classes, len(self.classes_), weight)
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

        The bounds follow from the smallest ratios between pairs of classes: exact with two classes,
        possibly too wide with more.

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
        size = min(256, max(1, _CELLS_AT_ONCE // len(self._neighbours.y)))
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
            raise ValueError(f"s is {self.s!r}; the strength of the prior must be positive.")
        for name, least in (("n_neighbors", 1), ("step", 1), ("max_enlargements", 0)):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and value >= least):
                raise ValueError(
                    f"{name} is {value!r}; it must be a whole number, {least} or more."
                )


def _radius(sizes: Floats, wanted: Floats) -> Ints:
    """Smallest distance within which there are as many rows as wanted, or all of them."""
    enough = sizes >= np.minimum(wanted, sizes[:, -1])[:, None]
    return np.asarray(np.argmax(enough, axis=1))
