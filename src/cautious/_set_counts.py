"""Counts that add up: all that the measures need to know about a batch of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from cautious._cases import Cases, cases_of_sets
from cautious._checks import (
    as_codes,
    cells_at,
    check_classes,
    check_rows,
    check_truth,
    check_weight,
    count_classes,
    few_labels,
    first_occurrences,
    tensor_classes,
    tensor_codes,
    tensor_mask,
)
from cautious._typing import Floats, Ints, Labels, Mask, as_floats
from cautious.costs import SetCosts
from cautious.errors import shown
from cautious.tensors import Tensor, as_numpy, is_tensor, like, namespace, one_place

# Up to so many classes the counts of all sets and truths fit a processor's cache.
_FEW_CLASSES = 12
_ROWS_AT_ONCE = 1 << 15

Words: TypeAlias = npt.NDArray[np.uint64]
"""Sets of shape (n_sets, ceil(K / 64)); the first class is the highest bit of the first word."""


class WeightedCells:
    """Weighted cells over classes, which add up; ``weight`` may have rows, one per replicate."""

    classes: Labels
    weight: Floats
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def n(self) -> Any:
        """Total weight: the number of cases, where weights are counts."""
        return self.weight.sum(axis=-1)

    def reweighted(self, weight: Floats) -> Self:
        """Return the same cells with other weights, of shape (..., n_cells)."""
        return replace(self, weight=weight)  # type: ignore[type-var]

    def check_classes(self, other: WeightedCells) -> None:
        """Refuse to add up what was counted over other classes."""
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                f"cannot add counts over classes {self.classes.tolist()} to counts over "
                f"{other.classes.tolist()}; make both with the same classes=."
            )

    def __radd__(self, other: int) -> Self:
        # sum() starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)


@dataclass(frozen=True, eq=False, repr=False)
class SetCounts(WeightedCells):
    r"""How often each prediction set met each true class.

    The table of distinct sets against true classes, kept in sparse form: one *cell* for every
    pair that occurs. Counts of two batches add up to the counts of both, in any order and any
    split, so ten million predictions can be counted in pieces, by threads or by machines. Sums of
    whole weights are exact; those of fractions are so up to rounding.

    ``weight`` may carry leading axes, one row per bootstrap replicate; measures then return one
    number per row.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Class labels.
    truth : ndarray of shape (n_cells,), int
        True class as a position in `classes`.
    size : ndarray of shape (n_cells,), int
        Number of classes in the prediction set; 0 for an empty set, which is a wrong answer.
    answer : ndarray of shape (n_cells,), int
        The class answered where the set holds one, -1 elsewhere.
    hit : ndarray of shape (n_cells,), bool
        Whether the set holds the truth.
    forced : ndarray of shape (n_cells,), int
        Whether the determinate answer behind the set is right: 1, 0, or -1 where it is not known.
    weight : ndarray of shape (..., n_cells)
        How many cases each cell stands for.
    set_index : ndarray of shape (n_cells,), int
        Row of the prediction set in `words`; -1 once sets have been forgotten.
    words : ndarray of shape (n_sets, ceil(K / 64)), uint64
        The distinct sets, one bit per class; see :attr:`sets`.
    one_per_case : bool
        Whether each cell is a case, in the order given: only then do costs per case fit.

    Examples
    --------
    >>> a = SetCounts.from_predictions(["x", "y"], [["x"], ["x", "y"]])
    >>> b = SetCounts.from_predictions(["y", "x"], [["x", "y"], ["x", "y"]])
    >>> whole = a + b
    >>> float(whole.n), whole.weight
    (4.0, array([1., 1., 2.]))
    >>> whole.sets
    array([[ True, False],
           [ True,  True]])
    >>> a + b == b + a
    True
    """

    classes: Labels
    truth: Ints
    size: Ints
    answer: Ints
    hit: Mask
    forced: Ints
    weight: Floats
    set_index: Ints
    words: Words
    one_per_case: bool = False

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike | SetCounts,
        y_set: Any,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        empty: str = "error",
        y_pred: Sequence[Any] | npt.ArrayLike | None = None,
        sets: bool = True,
    ) -> SetCounts:
        """Count a batch of predictions.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels. Counts in their place are returned as they are, so that measures can
            be computed from either.
        y_set : mask of shape (n, K), labels or label sets
            Prediction sets; anything :func:`cautious.sets.as_mask` takes.
        classes : sequence of length K, optional
            Class labels in column order; needed where `y_true` does not hold them all.
        sample_weight : array-like of shape (n,), optional
            How often each case counts.
        empty : {"error", "abstain", "wrong"}
            What an empty prediction set means; see :func:`cautious.sets.as_mask`.
        y_pred : array-like of shape (n,), optional
            The class the classifier would have answered had it been forced to.
        sets : bool, default=True
            Whether to keep the classes of each set; see :meth:`without_sets`.

        Examples
        --------
        >>> SetCounts.from_predictions(["x", "y", "y"], [["x"], ["x", "y"], ["x", "y"]])
        SetCounts(n=3, cells=2, classes=['x', 'y'])
        >>> SetCounts.from_predictions(["x"], ["x"], classes=["x", "y"], sample_weight=[3])
        SetCounts(n=3, cells=1, classes=['x', 'y'])
        """
        if isinstance(y_true, SetCounts):
            return y_true
        lies_elsewhere = is_tensor(y_set)
        if lies_elsewhere and len(y_set.shape) == 2 and not (sets and y_set.shape[1] > _MOST_BITS):
            return _count_tensors(y_true, y_set, classes, sample_weight, empty, y_pred, sets)
        cases = cases_of_sets(
            y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty
        )
        return cls.of(cases, y_pred, sets=sets)

    @classmethod
    def of(
        cls, cases: Cases, y_pred: Sequence[Any] | npt.ArrayLike | None = None, *, sets: bool = True
    ) -> SetCounts:
        """Count the sets of checked cases; `sets` says whether to keep their classes."""
        n, k = cases.mask.shape
        if cases.sample_weight is None and k <= _FEW_CLASSES and k << k < n:
            # Equal cases add up in one pass: a set is a number, its bits the classes.
            mask, truth = cases.mask, cases.truth
            forced = None if y_pred is None else _forced(y_pred, truth, cases.labels)
            n_right = 1 if forced is None else 2
            total = np.zeros((k << k) * n_right, dtype=np.intp)
            for start in range(0, n, _ROWS_AT_ONCE):
                rows = slice(start, start + _ROWS_AT_ONCE)
                columns = np.ascontiguousarray(mask[rows].T).view(np.uint8)
                bits = columns[0].astype(np.uint16 if k > 8 else np.uint8)
                for column in columns[1:]:
                    bits <<= 1
                    bits |= column
                # numpy 1 would keep the narrow type of the bits
                key = bits.astype(np.intp) * k + truth[rows]
                if forced is not None:
                    key = key * 2 + forced[rows]
                total += np.bincount(key, minlength=len(total))
            cell = np.flatnonzero(total)
            code = cell // n_right
            members = (code[:, None] // k >> np.arange(k)[::-1]) & 1 == 1
            summed = {"y_set": members, "sample_weight": total[cell].astype(np.float64)}
            counts = cls.of_cases(Cases.of_codes(cases.labels, code % k, **summed), sets=sets)
            known = counts if forced is None else replace(counts, forced=cell % 2)
            return known.merge()[0]
        return cls.of_cases(cases, y_pred, sets=sets).merge()[0]

    @classmethod
    def of_cases(
        cls, cases: Cases, y_pred: Sequence[Any] | npt.ArrayLike | None = None, *, sets: bool = True
    ) -> SetCounts:
        """Make one cell per case, in the order given; `sets` says whether to keep their classes."""
        truth, mask = cases.truth, cases.mask
        n, k = mask.shape
        size, unknown = count_classes(mask).astype(np.intp), np.full(n, -1, dtype=np.intp)
        hit = cells_at(mask, truth)
        # A single class that is right is the truth; only wrong ones need be looked for.
        single = size == 1
        answer = np.where(single, truth, -1)
        wrong = np.flatnonzero(single & ~hit)
        answer[wrong] = mask[wrong].argmax(axis=1)
        return cls(
            classes=cases.labels,
            truth=truth,
            size=size,
            answer=answer,
            hit=hit,
            forced=unknown if y_pred is None else _forced(y_pred, truth, cases.labels),
            weight=np.ones(n) if cases.sample_weight is None else cases.sample_weight,
            set_index=np.arange(n) if sets else unknown,
            words=pack_sets(mask) if sets else np.empty((0, -(-k // 64)), dtype=np.uint64),
            one_per_case=True,
        )

    @classmethod
    def of_cells(cls, classes: Labels, weight: Floats, **cells: Ints | Mask) -> SetCounts:
        """Take over cells whose sets are not known, and maybe not what was forced."""
        unknown = np.full(len(cells["truth"]), -1, dtype=np.intp)
        known: dict[str, Any] = {"forced": unknown, "set_index": unknown} | cells
        words = np.empty((0, -(-len(classes) // 64)), dtype=np.uint64)
        return cls(classes=classes, weight=weight, words=words, **known)

    @classmethod
    def from_confusion(
        cls,
        matrix: pd.DataFrame | npt.ArrayLike,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
    ) -> SetCounts:
        """Read counts off a confusion matrix, so that every measure can be had from a printed one.

        Parameters
        ----------
        matrix : DataFrame or array-like of shape (K + 1, K)
            Predictions as rows, the last of them the abstentions; truths as columns. A frame's
            columns name the classes, and its rows must follow the same order.
        classes : sequence of length K, optional
            Class labels; by default the columns of a frame, or 0, 1, ….

        Returns
        -------
        SetCounts

        Examples
        --------
        >>> from cautious.metrics import error_score
        >>> counts = SetCounts.from_confusion([[37, 3], [3, 48], [0, 9]], classes=["a", "b"])
        >>> error_score(counts, None)
        0.06
        """
        table = check_confusion(matrix)
        k = table.shape[1]
        if isinstance(matrix, pd.DataFrame):
            classes = matrix.columns if classes is None else classes
            if list(matrix.index[:k]) != list(matrix.columns):
                raise ValueError(
                    f"matrix has rows {matrix.index[:k].tolist()} and columns "
                    f"{matrix.columns.tolist()}; name the rows after the columns, in the same "
                    "order, with the abstentions last."
                )
        labels = check_classes(np.arange(k) if classes is None else classes)
        mask = np.vstack([np.eye(k, dtype=np.bool_), np.ones((1, k), dtype=np.bool_)])
        cells = np.repeat(mask, k, axis=0)
        return SetCounts.from_predictions(
            np.tile(labels, k + 1), cells, classes=labels, sample_weight=table.ravel()
        )

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return len(self.classes)

    @property
    def sets(self) -> Mask:
        """The distinct prediction sets, smallest first, as a mask of shape (n_sets, K)."""
        return unpack_sets(self.words, self.n_classes)

    @property
    def knows_sets(self) -> bool:
        """Whether the classes in each set are known, not only how many they are."""
        return len(self.words) > 0 or not len(self.truth)

    @property
    def vacuous(self) -> Mask:
        """Whether each cell's set holds all classes (and more than one)."""
        return np.asarray((self.size == self.n_classes) & (self.size > 1))

    @property
    def determinate(self) -> Mask:
        """Whether each cell is a single class, or an empty set, which counts as a wrong one."""
        return np.asarray(self.size <= 1)

    @property
    def discounted(self) -> Floats:
        """Discounted accuracy of each cell: 1 over the size of a right set, 0 for a wrong one."""
        return self.hit / np.maximum(self.size, 1)

    def answered(self, partial: str = "abstain") -> Mask:
        """Whether each cell is an answer; ``partial`` says what a partial set counts as."""
        if partial not in ("abstain", "answer"):
            raise ValueError(
                f"partial is {shown(partial)}; a set of several but not all classes can count as "
                "'abstain', or as an 'answer' that is right if it holds the truth."
            )
        return self.determinate if partial == "abstain" else ~self.vacuous

    def mean(self, values: npt.ArrayLike) -> Floats:
        """Weighted mean of one value per cell, over the cells where it is not nan.

        Examples
        --------
        >>> counts = SetCounts.from_predictions(["x", "y", "y"], [["x"], ["x", "y"], ["x", "y"]])
        >>> round(float(counts.mean(counts.size)), 3)
        1.667
        """
        array = np.asarray(values, dtype=np.float64)
        counted = ~np.isnan(array)
        total = self.weight @ counted.astype(np.float64)
        none = total == 0
        mean: Floats = (self.weight @ np.where(counted, array, 0)) / np.where(none, 1, total)
        return np.where(none, np.nan, mean)

    def by_truth(self, values: npt.ArrayLike = 1.0) -> Floats:
        """Weighted sum of one value per cell in each true class, of shape (..., K)."""
        cells = np.arange(len(self.truth))
        shape = (self.n_classes, len(cells))
        collect = sparse.csr_array((np.ones(len(cells)), (self.truth, cells)), shape=shape)
        sums: Floats = (collect @ (self.weight * np.asarray(values)).T).T
        return sums

    def apart(self) -> SetCounts:
        """Return the same cells with :meth:`mean` taking no mean: one value per cell remains."""
        return _Apart(**{field.name: getattr(self, field.name) for field in fields(self)})

    def where(self, chosen: npt.NDArray[Any]) -> SetCounts:
        """Keep some cells, chosen by a mask or by positions."""
        cells = {name: getattr(self, name)[chosen] for name in _CELL_FIELDS}
        return replace(self, weight=self.weight[..., chosen], one_per_case=False, **cells)

    def without_sets(self) -> SetCounts:
        """Forget which classes partial sets hold, keeping their sizes and whether they were right.

        At most a few :math:`K^2` cells are left, however many cases are counted. Only set costs and
        the set rows of a confusion matrix can no longer be had; nothing else changes.
        """
        return self.forgetful().merge()[0]

    def forgetful(self) -> SetCounts:
        """Like :meth:`without_sets`, cell by cell: equal cells are not yet added up."""
        unknown = np.full(len(self.truth), -1, dtype=np.intp)
        return replace(self, set_index=unknown, words=self.words[:0])

    def __add__(self, other: SetCounts) -> SetCounts:
        if not isinstance(other, SetCounts):
            return NotImplemented
        self.check_classes(other)
        a, b = self, other
        if a.knows_sets != b.knows_sets:  # what one has forgotten the sum cannot know
            a, b = a.without_sets(), b.without_sets()
        return a.beside(b).merge()[0]

    def beside(self, other: SetCounts) -> SetCounts:
        """Put the cells of others behind these; equal cells are not yet added up."""
        names = (*_CELL_FIELDS, "weight", "words")
        cells: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names
        }
        if len(self.words):
            cells["set_index"][len(self.truth) :] += len(self.words)
        return replace(self, one_per_case=False, **cells)

    def __repr__(self) -> str:
        classes = few_labels(self.classes)
        return f"SetCounts(n={self.n:.10g}, cells={len(self.truth)}, classes={classes})"

    def merge(self) -> tuple[SetCounts, Ints]:
        """Add up equal cells and put them in one canonical order, leaving out those of weight 0.

        Also tells which cell of the sum each cell of positive weight went to.
        """
        k, counted = len(self.classes), self.weight > 0
        used = self if counted.all() else self.where(counted)
        if len(used.words):
            words, set_key = distinct_sets(used.words[used.set_index], used.size)
            used = replace(used, set_index=set_key, words=words)
        else:
            set_key = (used.size * (k + 1) + used.answer + 1) * 2 + used.hit
        code, first = ranks((set_key * k + used.truth) * 3 + used.forced + 1)
        cells: dict[str, Any] = {name: getattr(used, name)[first] for name in _CELL_FIELDS}
        total = np.bincount(code, weights=used.weight).astype(np.float64)
        return replace(used, weight=total, one_per_case=False, **cells), code


def ranks(key: Ints) -> tuple[Ints, Ints]:
    """Rank of each key, none of them negative, among those that occur, and where each is first."""
    most = int(key.max(initial=-1)) + 1
    if most > max(len(key), 1 << 10):
        code = pd.factorize(key, sort=True)[0]
        return code, first_occurrences(code)
    # A table of all keys is quicker than hashing and sorting those that occur.
    table = first_occurrences(key)
    occurs = np.flatnonzero(table >= 0)
    first: Ints = table[occurs]
    table[occurs] = np.arange(len(occurs))
    return table[key], first


_CELL_FIELDS = ("truth", "size", "answer", "hit", "forced", "set_index")


def _forced(y_pred: Sequence[Any] | npt.ArrayLike, truth: Ints, classes: Labels) -> Ints:
    """Whether each forced answer is right."""
    answer = as_codes(check_truth(y_pred, name="y_pred"), classes, name="y_pred")
    check_rows(len(truth), len(answer), "y_pred")
    return np.asarray(answer == truth, dtype=np.intp)


class _Apart(SetCounts):
    """WeightedCells of which no mean is taken."""

    def mean(self, values: npt.ArrayLike) -> Floats:
        return np.asarray(values, dtype=np.float64)


# A set of so many classes fits an integer.
_MOST_BITS = 62
# Up to so many different cells a table of them all is filled, without a sort.
_MOST_CELLS = 1 << 22


def _count_tensors(
    y_true: Any,
    y_set: Tensor,
    classes: Sequence[Any] | npt.ArrayLike | None,
    sample_weight: Any,
    empty: str,
    y_pred: Any,
    sets: bool,
) -> SetCounts:
    """Count predictions where they lie; only the cells that occur are copied from there."""
    place = one_place(y_set=y_set, y_true=y_true, sample_weight=sample_weight, y_pred=y_pred)
    xp, (n, k) = namespace(place), y_set.shape
    if classes is None and is_tensor(y_true):
        known = tensor_classes(y_true)
        if len(known) != k or not n:  # the usual check says what to do
            cases_of_sets(y_true, y_set, sample_weight=sample_weight, empty=empty)
    elif classes is None:
        known = cases_of_sets(y_true, np.ones((len(y_true), k), dtype=np.bool_)).labels
    else:
        known = check_classes(classes)
    mask, size = tensor_mask(y_set, n_classes=len(known), name="y_set", empty=empty)
    truth = tensor_codes(y_true, known, place)
    if truth.shape[0] != n:
        cases_of_sets(as_numpy(y_true), as_numpy(mask), classes=known)
    weight = None if sample_weight is None else like(check_weight(sample_weight, n), place)
    hit = xp.take_along_axis(mask, xp.astype(truth, xp.int64)[:, None], axis=1)[:, 0]
    # Narrow integers are quicker to move.
    narrow = xp.int32 if 6 * k * (k + 1) ** 2 < 1 << 31 else xp.int64
    truth = xp.astype(truth, xp.int64 if sets else narrow)
    distinct = np.empty(0, dtype=np.int64)
    if sets:
        bits = like(np.int64(1) << np.arange(k, dtype=np.int64), place)
        word = xp.sum(xp.where(mask, bits[None, :], xp.zeros_like(bits)[None, :]), axis=1)
        found = xp.unique_inverse(word)
        distinct, key, n_keys = as_numpy(found.values), found.inverse_indices, n
    else:
        single = size == 1
        answer = xp.where(single & hit, truth + 1, xp.zeros_like(truth))
        missed = single & ~hit
        rows = xp.nonzero(missed)[0]
        if rows.shape[0]:
            named = xp.argmax(xp.astype(xp.take(mask, rows, axis=0), xp.uint8), axis=1) + 1
            named = xp.astype(named, narrow)
            # Not every library lets elements be written, so each row looks up its own.
            rank = xp.cumulative_sum(xp.astype(missed, xp.int64)) - 1
            answer = xp.where(missed, xp.take(named, xp.maximum(rank, xp.zeros_like(rank))), answer)
        key = (xp.astype(size, narrow) * (k + 1) + answer) * 2 + xp.astype(hit, narrow)
        n_keys = (k + 1) * (k + 1) * 2
    key, n_keys = key * k + truth, n_keys * k
    if y_pred is not None:
        codes = tensor_codes(y_pred, known, place, name="y_pred")
        if codes.shape[0] != n:
            _forced(as_numpy(y_pred), as_numpy(truth), known)
        key, n_keys = key * 2 + xp.astype(codes == truth, key.dtype), n_keys * 2
    cell, total = _add_up(key, weight, n_keys)
    forced = np.full(len(cell), -1, dtype=np.intp)
    if y_pred is not None:
        forced, cell = cell % 2, cell // 2
    key_code, truth_code = np.divmod(cell, k)
    if sets:
        members = ((distinct[:, None] >> np.arange(k)) & 1 == 1)[key_code]
    else:  # any set of this size, from its only class on, or from the truth or the class behind it
        (sizes, named), is_hit = np.divmod(key_code // 2, k + 1), key_code % 2
        start = np.where(named > 0, named - 1, truth_code + 1 - is_hit)
        members = (np.arange(k) - start[:, None]) % k < sizes[:, None]
    cases = Cases.of_codes(known, truth_code, y_set=members, sample_weight=total)
    return replace(SetCounts.of_cases(cases, sets=sets), forced=forced).merge()[0]


def _add_up(key: Tensor, weight: Tensor | None, n_keys: int) -> tuple[Ints, Floats]:
    """Add up the weights of equal keys on their device; returns the keys that occur."""
    xp = namespace(key)
    if hasattr(xp, "bincount") and n_keys <= _MOST_CELLS:
        total = as_numpy(xp.bincount(key) if weight is None else xp.bincount(key, weights=weight))
        occurs = np.flatnonzero(total)
        return occurs, total[occurs].astype(np.float64)
    found = xp.unique_inverse(key)
    code, distinct = as_numpy(found.inverse_indices), as_numpy(found.values)
    weights = None if weight is None else as_numpy(weight)
    return distinct, np.bincount(code, weights, len(distinct)).astype(np.float64)


# Costs are looked up for so many cells and truths at a time, so that memory stays flat.
_PAIRS_AT_ONCE = 4_000_000


def costs_of_cells(costs: SetCosts, counts: SetCounts) -> Floats:
    """Cost of the set of each cell under its truth."""
    if not counts.knows_sets:
        raise ValueError(
            "costs need to know the classes in each set, and these counts have forgotten them; "
            "count again without without_sets()."
        )
    if costs.per_case and not counts.one_per_case:
        raise ValueError(
            "costs differ per case, but in these counts equal cases are added up; give y_true and "
            "y_set in place of counts, or the same costs for all cases."
        )
    k, each = counts.n_classes, np.empty(len(counts.truth))
    step = max(1, len(each) if costs.per_case else _PAIRS_AT_ONCE // k)
    for cells in np.split(np.arange(len(each)), range(step, len(each), step)):
        sets = unpack_sets(counts.words[counts.set_index[cells]], k)
        empty = np.asarray(~sets.any(axis=1))
        each[cells] = costs.of(sets | empty[:, None], counts.truth[cells])
        if empty.any():  # as much as the most expensive single class
            rows = cells[empty]
            singles = (np.broadcast_to(one, (len(rows), k)) for one in np.eye(k, dtype=np.bool_))
            of_each = [costs.take(rows).of(single, counts.truth[rows]) for single in singles]
            each[rows] = np.max(of_each, axis=0)
    return each


def check_confusion(matrix: pd.DataFrame | npt.ArrayLike, n_classes: int | None = None) -> Floats:
    """Check the counts of a confusion matrix with a last row of abstentions."""
    table = as_floats(matrix, "matrix", "counts")
    k = table.shape[-1] if table.ndim and n_classes is None else n_classes
    if k is None or table.shape != (k + 1, k):
        wanted = "K + 1, K" if n_classes is None else f"{n_classes + 1}, {n_classes}"
        raise ValueError(
            f"matrix has shape {table.shape}; expected ({wanted}): one row per class and a last "
            "row of abstentions, one column per true class."
        )
    return as_floats(table, "matrix", "counts", words="counts are finite and not negative")


def pack_sets(mask: Mask) -> Words:
    """Pack a mask into an eighth of its size."""
    bits = np.packbits(mask, axis=1)
    octets = np.zeros((len(mask), 8 * -(-mask.shape[1] // 64)), dtype=np.uint8)
    octets[:, : bits.shape[1]] = bits
    return octets.view(">u8").astype(np.uint64)


def unpack_sets(words: Words, n_classes: int) -> Mask:
    """Undo :func:`pack_sets`."""
    octets = words.astype(">u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_classes).astype(np.bool_)


def distinct_sets(words: Words, size: Ints) -> tuple[Words, Ints]:
    """Sort out equal sets."""
    # Hashing one word after the other is linear in the bits, where sorting whole rows is not.
    code = np.zeros(len(words), dtype=np.int64)
    for word in words.T:
        low, seen = pd.factorize(word)
        code, distinct = pd.factorize(code * len(seen) + low)
        if len(distinct) == len(words):
            break
    first = first_occurrences(code)
    order = np.lexsort((*~words[first].T[::-1], size[first]))
    rank = np.empty(len(first), dtype=np.intp)
    rank[order] = np.arange(len(first))
    return words[first[order]], rank[code]
