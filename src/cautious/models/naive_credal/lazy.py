"""The lazy naive credal classifier: learns anew for each row, from its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.decision.optimal._candidates import compiled
from cautious.models.base import COUNT, POSITIVE, CredalClassifierMixin, Number, row_chunks
from cautious.models.discrete import DiscreteClassifier, factorise
from cautious.models.naive_credal.counts import probabilities
from cautious.models.naive_credal.dominance import Pairs, log_infimum, reachable, undominated
from cautious.models.naive_credal.envelope import posterior_bounds
from cautious.models.naive_credal.neighbourhood import Neighbours, RowCounts

# Pairs are solved this many (pair, feature) cells at a time.
_CELLS_AT_ONCE = 400_000
# Distances held at once by one worker, and rows.
_DISTANCES_AT_ONCE, _ROWS_AT_ONCE = 8_000_000, 512


def predict_set(
    counts: RowCounts, s: float, rows: Ints, growing: Mask, *, accelerate: bool = False
) -> Mask:
    """Answer some of the counted rows with the undominated classes."""
    weigh = _look_up if accelerate else _weigh
    log_f_s, log_f_0, log_g_s = weigh(counts, s, rows)
    bare = ~counts.observed[rows].any(axis=1)
    log_f_s[bare] = log_f_0[bare]
    # The class with the largest f(s) is dominated by none, nor is the one with the largest g(s).
    several = log_f_s.argmax(axis=1) != log_g_s.argmax(axis=1)
    left = np.flatnonzero(~(growing & several))
    sums = (log_f_s[left], log_f_0[left], log_g_s[left])
    sets = np.ones(log_f_s.shape, dtype=np.bool_)
    infimum = partial(_solve, counts, s, rows[left])
    sets[left] = undominated(*sums, infimum, accelerate=accelerate)
    return sets


def _weigh(counts: RowCounts, s: float, rows: Ints) -> tuple[Floats, Floats, Floats]:
    """Logarithms of f(s), f(0) and g(s) of each row and class."""
    counts = counts[rows]
    seen, totals = counts.observed[:, :, None], counts.totals
    with np.errstate(divide="ignore", invalid="ignore"):
        log_counts, log_totals_s = np.log(counts.counts), np.log(totals + s)
        f_s, g_s = log_counts - log_totals_s, np.log(counts.counts + s) - log_totals_s
        f_0 = log_counts - np.log(totals)
        # A class never seen with the feature: f is 0 at both ends.
        f_0[np.isnan(f_0)] = -np.inf
        classes, classes_s = np.log(counts.class_counts), np.log(counts.class_counts + s)
    log_f_s, log_f_0, log_g_s = (np.where(seen, each, 0.0).sum(axis=1) for each in (f_s, f_0, g_s))
    return log_f_s + classes_s, log_f_0 + classes, log_g_s + classes_s


def _look_up(counts: RowCounts, s: float, rows: Ints) -> tuple[Floats, Floats, Floats]:
    """Do as :func:`_weigh` does; whole numbers have few logarithms, so each is taken once."""
    each = np.arange(counts.class_counts.max(initial=0) + 1)
    with np.errstate(divide="ignore"):
        logs, logs_s = np.log(each), np.log(each + s)
    log_f_s, log_f_0, log_g_s = np.zeros((3, len(rows), counts.class_counts.shape[1]))
    tables = (counts.class_counts, counts.counts, counts.present, counts.observed)
    compiled(_making_look_up, ())(*tables, rows, logs, logs_s, log_f_s, log_f_0, log_g_s)
    return log_f_s, log_f_0, log_g_s


def _making_look_up(sources: str) -> Callable[..., None]:
    def look_up(
        class_counts: Floats,
        counts: Floats,
        present: Floats,
        observed: Mask,
        rows: Ints,
        logs: Floats,
        logs_s: Floats,
        log_f_s: Floats,
        log_f_0: Floats,
        log_g_s: Floats,
    ) -> None:
        _ = sources
        m, K = counts.shape[1:]
        for i in range(rows.size):
            row = rows[i]
            own = class_counts[row]
            for f in range(m):
                if not observed[row, f]:
                    continue
                for k in range(K):
                    count = int(counts[row, f, k])
                    total = int(present[row, f, k] if present.size else own[k])
                    log_f_s[i, k] += logs[count] - logs_s[total]
                    log_f_0[i, k] += logs[count] - logs[total] if count else -np.inf
                    log_g_s[i, k] += logs_s[count] - logs_s[total]
            for k in range(K):
                total = int(own[k])
                log_f_s[i, k] += logs_s[total]
                log_f_0[i, k] += logs[total]
                log_g_s[i, k] += logs_s[total]

    return look_up


def predict_proba(counts: RowCounts, s: float, n_values: Ints) -> Floats:
    """Estimate class probabilities by naive Bayes under the uniform prior of strength s."""
    K = counts.class_counts.shape[1]
    share = s / K / np.maximum(n_values, 1)[None, :, None]
    terms = np.log((counts.counts + share) / (counts.totals + s / K))
    log_joint = np.where(counts.observed[:, :, None], terms, 0.0).sum(axis=1)
    return probabilities(log_joint + np.log(counts.class_counts + s / K))


def _solve(counts: RowCounts, s: float, rows: Ints, at: Ints, first: Ints, second: Ints) -> Floats:
    """Solve pairs of classes of some of the rows."""
    result = np.empty(len(at))
    for part in row_chunks(len(at), max(1, _CELLS_AT_ONCE // max(1, counts.counts.shape[1]))):
        pairs = _pairs(counts, rows[at[part]], first[part], second[part])
        result[part] = log_infimum(pairs, s)
    return result


def _pairs(counts: RowCounts, rows: Ints, first: Ints, second: Ints) -> Pairs:
    totals = counts.totals
    return Pairs(
        first=counts.class_counts[rows, first],
        second=counts.class_counts[rows, second],
        first_totals=totals[rows, :, first],
        second_totals=totals[rows, :, second],
        first_counts=counts.counts[rows, :, first],
        second_counts=counts.counts[rows, :, second],
        observed=counts.observed[rows],
    )


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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "s": [POSITIVE],
        "n_neighbors": [COUNT],
        "step": [COUNT],
        "max_enlargements": [Number(Integral, 0, None, closed="left")],
    }

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
        """Keep the examples."""
        self._validate_params()
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
        """Answer with the undominated classes of the last neighbourhood."""
        return np.concatenate(self._over_rows(X, "set"))

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities by naive Bayes (uniform prior) on the last neighbourhood."""
        return np.concatenate(self._over_rows(X, "proba"))

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities over the credal set of the last neighbourhood.

        They are exact, as those of :class:`NaiveCredalClassifier` on the neighbourhood.
        """
        lower, upper = zip(*self._over_rows(X, "bounds"), strict=True)
        return reachable(np.concatenate(lower), np.concatenate(upper))

    def _over_rows(self, X: Any, what: str) -> list[Any]:
        """Work on pieces of the test rows, in threads."""
        check_is_fitted(self)
        self._validate_params()
        codes = self._read_coded(X, self.categories_)
        neighbours = self._neighbours
        size = min(_ROWS_AT_ONCE, max(1, _DISTANCES_AT_ONCE // len(neighbours.y)))
        pieces = [codes[:, rows] for rows in row_chunks(codes.shape[1], size)]
        accelerate = neighbours.worth_compiling(codes.shape[1])
        return list(
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._answer)(piece, what, accelerate) for piece in pieces
            )
        )

    def _answer(self, codes: Ints, what: str, accelerate: bool) -> Any:
        counts, sets = self._grow(codes, accelerate=accelerate)
        if what == "set":
            return sets
        if what == "bounds":
            least = most = counts.counts
            tables = (counts.class_counts, counts.totals, least, most, counts.observed)
            return posterior_bounds(*tables, self.s)
        n_values = np.array([len(values) for values in self.categories_], dtype=np.intp)
        return predict_proba(counts, self.s, n_values)

    def _grow(self, codes: Ints, *, accelerate: bool = False) -> tuple[RowCounts, Mask]:
        """Grow the neighbourhood of each row until its answer is one class."""
        neighbours = self._neighbours
        found, counts = neighbours.search(codes, accelerate=accelerate), neighbours.no_counts(codes)
        sizes = found.sizes
        rows = np.arange(len(sizes))
        inner = np.full(len(rows), -1)
        radius = _radius(sizes, np.full(len(sizes), float(self.n_neighbors)))
        # Rows equal in everything say little about features: take in the next ones as well.
        same = (radius == 0) & (sizes[:, 0] < sizes[:, -1])
        radius[same] = _radius(sizes[same], sizes[same, 0] + 1)
        sets = np.empty((len(rows), neighbours.n_classes), dtype=np.bool_)
        for left in reversed(range(self.max_enlargements + 1)):
            neighbours.count_ring(found, rows, inner, radius[rows], counts)
            size = sizes[rows, radius[rows]]
            growing = (size < sizes[rows, -1]) & (left > 0)
            own = predict_set(counts, self.s, rows, growing, accelerate=accelerate)
            sets[rows] = own
            growing &= own.sum(axis=1) > 1
            rows = rows[growing]
            if not len(rows):
                break
            inner = radius[rows]
            radius[rows] = _radius(sizes[rows], size[growing] + self.step)
        return counts, sets


def _radius(sizes: Floats, wanted: Floats) -> Ints:
    """Smallest distance within which there are as many rows as wanted, or all of them."""
    enough = sizes >= np.minimum(wanted, sizes[:, -1])[:, None]
    return np.asarray(np.argmax(enough, axis=1))
