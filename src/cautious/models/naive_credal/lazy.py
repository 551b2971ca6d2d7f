"""The lazy naive credal classifier: learns anew for each row, from its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from cautious._checks import is_new
from cautious._typing import Floats, Ints, Mask
from cautious.decision.optimal._candidates import compiled, have_numba
from cautious.models._base import (
    COUNT,
    POSITIVE,
    CredalClassifierMixin,
    Number,
    parameter,
    row_chunks,
)
from cautious.models.discrete import MISSING, DiscreteClassifier, factorise
from cautious.models.naive_credal.counts import probabilities
from cautious.models.naive_credal.dominance import log_infimum, reachable, undominated
from cautious.models.naive_credal.envelope import Weights, posterior_bounds

# Pairs are solved this many (pair, feature) cells at a time.
_CELLS_AT_ONCE = 400_000
# Distances held at once by one worker, and rows.
_DISTANCES_AT_ONCE, _ROWS_AT_ONCE = 8_000_000, 512


def predict_set(counts: RowCounts, s: float, rows: Ints, growing: Mask) -> Mask:
    """Answer some of the counted rows with the undominated classes."""
    own = counts[rows]
    classes, seen = own.class_counts, own.observed.sum(axis=1, keepdims=True)

    def total(values: Floats) -> Floats:
        logs = np.log(values)
        logs[~own.observed] = 0.0
        return np.asarray(np.ones(logs.shape[1]) @ logs)  # much faster than a sum

    with np.errstate(divide="ignore", invalid="ignore"):
        least, most = total(own.counts), total(own.counts + s)
        if own.present.size:
            fixed, fixed_s = total(own.present), total(own.present + s)
        else:
            fixed, fixed_s = (np.where(seen, seen * np.log(classes + x), 0.0) for x in (0.0, s))
        log_f_0 = np.log(classes) + (least - fixed)
        log_f_s, log_g_s = np.log(classes + s) + (np.stack([least, most]) - fixed_s)
    log_f_0[np.isneginf(least)] = -np.inf  # a value never seen with the class
    bare = ~own.observed.any(axis=1)
    log_f_s[bare] = log_f_0[bare]
    # The class with the largest f(s) is dominated by none, nor is the one with the largest g(s).
    several = log_f_s.argmax(axis=1) != log_g_s.argmax(axis=1)
    left = np.flatnonzero(~(growing & several))
    sets = np.ones(log_f_s.shape, dtype=np.bool_)

    def infimum(at: Ints, first: Ints, second: Ints) -> Floats:
        result = np.empty(len(at))
        for part in row_chunks(len(at), max(1, _CELLS_AT_ONCE // max(1, own.observed.shape[1]))):
            row = left[at[part]]
            one, other = own.weights(row, first[part]), own.weights(row, second[part])
            result[part] = log_infimum(one, other, s)
        return result

    sets[left] = undominated(log_f_s[left], log_f_0[left], log_g_s[left], infimum)
    return sets


@dataclass(eq=False, repr=False)
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

    s: float = parameter(1.0, POSITIVE)
    _: KW_ONLY
    n_neighbors: int = parameter(25, COUNT)
    step: int = parameter(20, COUNT)
    max_enlargements: int = parameter(50, Number(Integral, 0, None, closed="left"))
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Keep the examples."""
        self._validate_params()
        columns, labels, weight = self._read_examples(X, y, sample_weight)
        self.classes_, classes = np.unique(labels, return_inverse=True)
        numbered = [factorise(column) for column in columns]
        self.categories_ = tuple(values for _, values in numbered)
        # Two codes beyond the values stand for unseen and missing cells of test rows.
        most = max((len(values) for values in self.categories_), default=0) + 1
        codes = np.array([code for code, _ in numbered], dtype=np.min_scalar_type(-most))
        codes = codes.reshape(len(columns), len(labels))
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
            own, seen = counts.counts, counts.observed
            return posterior_bounds(counts.class_counts, counts.totals, own, own, seen, self.s)
        strength = self.s / counts.class_counts.shape[1]
        n_values = np.array([max(len(values), 1) for values in self.categories_]).reshape(-1, 1)
        terms = np.log((counts.counts + strength / n_values) / (counts.totals + strength))
        log_joint = np.where(counts.observed[:, :, None], terms, 0.0).sum(axis=1)
        return probabilities(log_joint + np.log(counts.class_counts + strength))

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
            own = predict_set(counts, self.s, rows, growing)
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


WholeNumbers: TypeAlias = npt.NDArray[np.integer[Any]]
"""Whole numbers of any length."""

# A missing test cell must not match a missing training cell.
_MISSING_IN_TEST = -2
# Bytes in a word, and the most that one byte can hold.
_WORD, _MOST_IN_BYTE = 8, 255
# Importing numba takes longer than comparing so many cells.
_CELLS_WORTH_COMPILING = 1 << 28
# One in so many training rows is sorted by its distance at once.
_NEAREST = 8
# Distances of so many rows stay in the processor's cache while feature after feature is compared.
_BLOCK = 1 << 12
# In every byte of a word: the lowest bit, and all bits but the highest.
_LOWEST, _LOWER = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)
_SEVEN = np.uint64(7)


def overlap_distances(train: Ints, test: Ints) -> WholeNumbers:
    """Count the features in which each test row differs from each training row."""
    m, n = train.shape
    distances = np.empty((test.shape[1], n), dtype=np.min_scalar_type(max(m, 1)))
    # Row by row, so that all comparisons of a row stay in the processor's cache.
    differs = np.empty(train.shape, dtype=np.bool_)
    for row, own in zip(_asked(train, test).T, distances, strict=True):
        np.not_equal(train, row[:, None], out=differs)
        np.add.reduce(differs.view(np.uint8), axis=0, dtype=own.dtype, out=own)
    return distances


def _asked(train: Ints, test: Ints) -> Ints:
    """Codes of test rows in the type of the training rows, none equal where cells are missing."""
    return np.where(test == MISSING, _MISSING_IN_TEST, test).astype(train.dtype)


@dataclass(frozen=True)
class RowCounts:
    """What was counted in the neighbourhood of each row."""

    class_counts: Floats  # n(c), (n, K)
    counts: Floats  # n(a_i, c) for the row's own values, (n, m, K)
    # Neighbours of each class whose feature is not missing, (n, m, K); (0, 0, 0) if no cell of the
    # training rows is, which makes them all the neighbours of the class.
    present: Floats
    observed: Mask  # (n, m): which cells of the row are not missing

    @property
    def totals(self) -> Floats:
        r""":math:`\tilde n_i(c)`, of shape (n, m, K)."""
        if self.present.size:
            return self.present
        return np.broadcast_to(self.class_counts[:, None, :], self.counts.shape)

    def weights(self, rows: Ints, classes: Ints) -> Weights:
        """Weigh one class for each of some rows."""
        counts, seen = self.counts[rows, :, classes], self.observed[rows]
        totals = self.totals[rows, :, classes]
        return Weights.of(self.class_counts[rows, classes], totals, counts, counts, seen)

    def __getitem__(self, rows: Ints) -> RowCounts:
        present = self.present[rows] if self.present.size else self.present
        return RowCounts(self.class_counts[rows], self.counts[rows], present, self.observed[rows])


@dataclass(frozen=True)
class Found:
    """What is known of the neighbours of some test rows."""

    asked: Ints  # (b, w): codes of the test rows, filled up to whole words
    distances: WholeNumbers  # (b, n)
    sizes: Floats  # (b, m + 1): (weighted) training rows within each distance
    # For the compiled loops: rows sorted by distance, up to which distance, sizes as integers.
    nearest: tuple[WholeNumbers, WholeNumbers, WholeNumbers] | None


@dataclass(frozen=True)
class Neighbours:
    """Training rows ready to be searched."""

    codes: Ints  # (m, n), in the smallest type that holds them
    y: Ints  # class codes, sorted
    n_classes: int
    weight: Floats | None

    def worth_compiling(self, n_rows: int) -> bool:
        """Whether so many test rows are looked for by compiled loops."""
        bytes_do = self.codes.dtype == np.int8 and len(self.codes) <= _MOST_IN_BYTE
        many = self.codes.size * n_rows >= _CELLS_WORTH_COMPILING
        return many and bytes_do and self.weight is None and have_numba()

    def search(self, test: Ints, *, accelerate: bool = False) -> Found:
        """Measure how far the training rows are from test rows, given as codes of shape (m, b)."""
        m, b = test.shape
        asked = np.zeros((b, self._by_row.shape[1]), dtype=self.codes.dtype)
        asked[:, :m] = test.T
        if accelerate:
            distances: WholeNumbers = np.empty((b, len(self.y)), dtype=np.uint8)
            order, reach = np.empty((b, len(self.y)), dtype=np.int32), np.empty(b, dtype=np.intp)
            sizes = np.empty((b, m + 1), dtype=np.int64)
            apart = np.ascontiguousarray(_asked(self.codes, test).T)
            compiled(_making_measure, ())(self.codes, apart, distances, sizes, order, reach)
            return Found(asked, distances, sizes.astype(np.float64), (order, reach, sizes))
        distances = overlap_distances(self.codes, test)
        rings = [np.bincount(row, self.weight, minlength=m + 1) for row in distances]
        sizes = np.cumsum(rings, axis=1, dtype=np.float64).reshape(b, m + 1)
        return Found(asked, distances, sizes, None)

    def no_counts(self, test: Ints) -> RowCounts:
        """Begin to count: no neighbours of test rows, given as codes of shape (m, b)."""
        m, b = test.shape
        shape = (b, m, self.n_classes)
        present = np.zeros(shape if self._any_missing else (0, 0, 0))
        observed = np.ascontiguousarray((test != MISSING).T)
        return RowCounts(np.zeros((b, self.n_classes)), np.zeros(shape), present, observed)

    def count_ring(
        self, found: Found, rows: Ints, inner: Ints, outer: Ints, counts: RowCounts
    ) -> None:
        """Count the training rows farther than ``inner`` and no farther than ``outer``."""
        if found.nearest is not None:
            words = self._by_row.view(np.uint64), found.asked.view(np.uint64)
            ring = (rows, inner, outer, counts.class_counts, counts.counts, counts.present)
            count = compiled(_making_count, (equal_bytes,))
            count(found.distances, *found.nearest, self.y, *words, *ring)
            return
        b, m, K = len(rows), len(self.codes), self.n_classes
        near = found.distances[rows]
        # One comparison in the smallest type: what is too near becomes very large.
        nearest, kind = inner + 1, near.dtype
        beyond = near - nearest[:, None].astype(kind)
        flat = np.flatnonzero(beyond <= (outer - nearest)[:, None].astype(kind))
        each = np.diff(np.searchsorted(flat, np.arange(b + 1) * len(self.y)))
        neighbour = flat - np.repeat(np.arange(b) * len(self.y), each)
        weight = None if self.weight is None else self.weight[neighbour]
        # Sorted, as the training rows are.
        cell = np.repeat(np.arange(b) * K, each) + self.y.take(neighbour)
        counts.class_counts[rows] += np.bincount(cell, weight, minlength=b * K).reshape(b, K)
        known = self._by_row.take(neighbour, axis=0)

        def by_cell(told: Mask) -> Floats:
            sums = _sums_by_cell(told, cell, weight, b * K)
            return sums[:, :m].reshape(b, K, m).transpose(0, 2, 1)

        counts.counts[rows] += by_cell(known == np.repeat(found.asked[rows], each, axis=0))
        if self._any_missing:
            counts.present[rows] += by_cell(known != MISSING)

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
    """Add up the rows of a mask for each cell; cells are sorted."""
    sums = np.zeros((n_cells, told.shape[1]))
    if not told.size:  # no rows, or no features
        return sums
    starts = np.flatnonzero(is_new(cell))
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


def _making_measure(sources: str) -> Callable[..., None]:
    def measure(
        codes: WholeNumbers,
        asked: WholeNumbers,
        distances: WholeNumbers,
        sizes: WholeNumbers,
        order: WholeNumbers,
        reach: WholeNumbers,
    ) -> None:
        _ = sources
        m, n = codes.shape
        table = np.empty(m + 1, dtype=np.int64)
        found, place = np.empty(n + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int64)
        for row in range(asked.shape[0]):
            for start in range(0, n, _BLOCK):
                own = distances[row, start : min(start + _BLOCK, n)]
                for j in range(own.size):
                    own[j] = 0
                for i in range(m):
                    known, value = codes[i, start : start + own.size], asked[row, i]
                    for j in range(own.size):
                        own[j] += known[j] != value
            far = distances[row]
            table[:] = 0
            for j in range(n):
                table[far[j]] += 1
            size, reach[row] = 0, -1
            for i in range(m + 1):
                place[i] = size
                if size * _NEAREST < n:
                    reach[row] = i
                size += table[i]
                sizes[row, i] = size
            # The nearest rows are soon asked for, ring by ring: sort them while they are at hand.
            length, most = 0, np.uint8(reach[row])
            for j in range(n):
                found[length] = j
                length += far[j] <= most
            for j in found[:length]:
                order[row, place[far[j]]] = j
                place[far[j]] += 1

    return measure


def equal_bytes(word: Any) -> Any:
    """Put a one into each byte that is zero, and a zero into the others."""
    return (~(((word & _LOWER) + _LOWER) | word) >> _SEVEN) & _LOWEST


def _making_count(sources: str) -> Callable[..., None]:
    def count(
        distances: WholeNumbers,
        order: WholeNumbers,
        reach: WholeNumbers,
        sizes: WholeNumbers,
        y: WholeNumbers,
        known: Any,
        asked: Any,
        rows: WholeNumbers,
        inner: WholeNumbers,
        outer: WholeNumbers,
        class_counts: Floats,
        counts: Floats,
        present: Floats,
    ) -> None:
        _ = sources
        n, m, words, zero = y.size, counts.shape[1], known.shape[1], np.uint64(0)
        scanned = np.empty(n + 1, dtype=np.int32)
        same, missing = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.uint64)
        same_bytes, missing_bytes = same.view(np.uint8), missing.view(np.uint8)
        for i in range(rows.size):
            row, length = rows[i], 0
            first = sizes[row, inner[i]] if inner[i] >= 0 else 0
            found = order[row, first : sizes[row, outer[i]]]
            if outer[i] > reach[row]:
                own, least, most = distances[row], np.uint8(inner[i] + 1), np.uint8(outer[i])
                for j in range(n):
                    scanned[length] = j
                    length += (own[j] >= least) & (own[j] <= most)
                found = scanned[:length]
            begin, length = 0, found.size
            while begin < length:
                # A run of one class, as long as bytes can count it.
                label, end = y[found[begin]], begin
                while end < length and end - begin < _MOST_IN_BYTE and y[found[end]] == label:
                    end += 1
                for w in range(words):
                    sums, value = zero, asked[row, w]
                    for e in range(begin, end):
                        sums += equal_bytes(known[found[e], w] ^ value)
                    same[w] = sums
                class_counts[row, label] += end - begin
                for f in range(m):
                    counts[row, f, label] += same_bytes[f]
                if present.size:
                    for w in range(words):
                        sums = zero
                        for e in range(begin, end):
                            sums += equal_bytes(~known[found[e], w])  # all bits are set
                        missing[w] = sums
                    for f in range(m):
                        present[row, f, label] += end - begin - missing_bytes[f]
                begin = end

    return count
