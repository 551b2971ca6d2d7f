r"""Counts at each distinct score: exact while they fit, on the finest dyadic grid that fits after.

Scores are counted apart for every *kind* of case (its true class, whether the answer was wrong, its
model and group). While there are at most `limit` pairs of a distinct score and a kind, all are
kept. Beyond that, scores are rounded down to multiples of :math:`2^e`, with the smallest exponent
:math:`e` that leaves at most `cells` pairs.

Both conditions look at *all* the data: pairs never become fewer as data are added, and never more
as :math:`e` grows, since every cell of one grid is two of the grid below. So whatever a part of the
data needs, the whole needs too, and any split added up in any order gives the same tally. It also
makes `at_least` safe, a hint that lets later batches skip what earlier ones have proved useless.

Read back, a score may be known only to lie in a cell, which is as wide as the grid makes it; exact
scores are cells of no width. What depends on where in its cell a score lies is given at worst and
at best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._cases import Cases
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.curves import RiskCoverageCurve, Staircase
from cautious.decision import Rule
from cautious.decision._rule_json import score_bins
from cautious.errors import InputError, shown
from cautious.logs.sets import Counts, carried, check_counts, floats
from cautious.metrics import SetCounts

Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""Positions in a list, in the smallest type at hand."""

# Cells of 1e-60 are fine enough for any score; in the coarsest all of a kind share a few cells.
FINEST, COARSEST = -200, 801
# No sensible score lies beyond; up to here a power of two from the range of exponents is exact.
HUGE = 2.0**800
# A table of so many cells (times kinds) is still cheaper to go through than a sort of a batch.
_TABLE = 1 << 21
# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 16
# On a grid, so many times the cells allowed may wait to be added up.
_LOOSE_CELLS = 4
# People round to so many digits behind the point, if they round.
_MOST_DIGITS = 6
# So many kinds are sorted together; of fewer each is sorted by itself, which is quicker.
_MANY_KINDS = 256
# How many scores are looked at to find out whether all are rounded.
_SAMPLE = 4096


class Limits(NamedTuple):
    """How many pairs of a score and a kind to keep: distinct ones, or cells if these are more."""

    limit: int
    cells: int


def cells_of(scores: Floats, exponent: int) -> Floats:
    """Cells of width ``2**exponent`` that scores lie in; huge scores count as infinite."""
    ordinary = np.where(np.abs(scores) > HUGE, np.copysign(np.inf, scores), scores)
    return np.floor(ordinary * 2.0**-exponent) + 0.0  # there are two zeros, but they are one cell


class Kind(NamedTuple):
    """What a case is, apart from its score.

    ``apart`` keeps some cases of a class apart: of several classes, those that are answered
    wrongly; of two, those without a score, which count at zero.
    """

    model: Any
    group: Any
    truth: Any
    apart: bool = False


class Piece(NamedTuple):
    """Pairs of a kind and a score or cell: distinct and sorted, or each once in any order."""

    codes: Codes  # positions among the kinds
    values: Floats
    counts: Counts | None = None  # None: each counts once

    def recoded(self, codes: Sequence[int], n_kinds: int) -> Piece:
        """Give the kinds other codes."""
        return self._replace(codes=np.array(codes, np.min_scalar_type(n_kinds))[self.codes])

    def distinct(self, n_kinds: int) -> Piece:
        """Sort by kind and value, and add up the counts of equal pairs."""
        codes, values, counts = self
        if counts is None and n_kinds <= _MANY_KINDS:
            parts = [(kind, np.sort(values[rows])) for kind, rows in _rows_of(codes, n_kinds)]
            kinds = np.array([kind for kind, _ in parts], dtype=codes.dtype)
            codes = np.repeat(kinds, [len(one) for _, one in parts])
            values = np.concatenate([np.empty(0), *(one for _, one in parts)])
        else:  # linear where values come in sorted runs
            order = np.lexsort((values, codes))
            values, codes = values[order], codes[order]
            counts = None if counts is None else counts[order]
        starts = _starts(codes, values)
        if counts is None:
            counts = np.diff(starts, append=len(values))
        elif len(starts):
            counts = carried(np.add.reduceat(counts, starts, axis=0))
        return Piece(codes[starts].astype(np.min_scalar_type(n_kinds)), values[starts], counts)


class KindColumns(NamedTuple):
    """Settled counts of all kinds, in one array each: those of a kind end where the next begin."""

    kinds: list[Kind]
    ends: Ints
    values: Floats
    counts: Counts
    places: dict[Any, slice]  # of the kinds of each group


@dataclass(frozen=True, eq=False)
class ScoreTally:
    """Counts at scores, or in cells of a grid, for each kind of case.

    Attributes
    ----------
    limits : Limits
        How much may be kept.
    exponent : int or None
        Cells are ``2**exponent`` wide, cell ``i`` beginning at ``i * 2**exponent``; ``None`` while
        the scores themselves are kept.
    kinds : dict of Kind to int
        The code of each kind of case that may occur.
    pieces : tuple of Piece
        Scores or cells and their counts: exact scores are sorted and added up only when there are
        many, or when :meth:`settled` is asked for.
    """

    limits: Limits
    exponent: int | None = None
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of_cases(
        cls,
        scores: Floats,
        codes: Codes,
        kinds: Sequence[Kind],
        counts: Counts | None,
        limits: Limits,
        at_least: int | None = None,
    ) -> ScoreTally:
        """Count a batch."""
        known = {kind: code for code, kind in enumerate(kinds)}
        if not len(scores):
            return cls(limits, at_least, known)
        piece = None if counts is not None else _counted(scores, codes, len(kinds), at_least)
        if piece is None:
            # There are two zeros, but they are one score.
            values = scores + 0.0 if at_least is None else cells_of(scores, at_least)
            piece = Piece(codes, values, counts)
            if counts is not None or at_least is not None:
                piece = piece.distinct(len(kinds))
        return cls(limits, at_least, known, (piece,)).settled(1.5)

    def __add__(self, other: ScoreTally) -> ScoreTally:
        a, b = self, other
        known = [tally.exponent for tally in (a, b) if tally.exponent is not None]
        if known:
            a, b = a.coarsened(max(known)), b.coarsened(max(known))
        if not a.pieces:
            return b.settled(1.5)
        kinds, pieces = dict(a.kinds), b.pieces
        codes = [kinds.setdefault(kind, len(kinds)) for kind in b.kinds]
        if codes != [*range(len(codes))]:
            pieces = tuple(piece.recoded(codes, len(kinds)) for piece in pieces)
        return ScoreTally(self.limits, a.exponent, kinds, a.pieces + pieces).settled(1.5)

    def renamed(self, truths: Mapping[Any, Any]) -> ScoreTally:
        """Give truths other names; those that get the same one are added up."""
        every = [kind._replace(truth=truths.get(kind.truth, kind.truth)) for kind in self.kinds]
        kinds = {kind: code for code, kind in enumerate(dict.fromkeys(every))}
        codes, n = [kinds[kind] for kind in every], len(kinds)
        pieces = [piece.recoded(codes, n).distinct(n) for piece in self.pieces]
        return ScoreTally(self.limits, self.exponent, kinds, tuple(pieces))

    def settled(self, slack: float = 0.0) -> ScoreTally:
        """Canonical form: one sorted piece, as fine as the limits allow."""
        n_kept, limits = self.n_kept, self.limits
        exact = self.exponent is None
        single = len(self.pieces) < 2 and all(one.counts is not None for one in self.pieces)
        if single and n_kept <= (limits.limit if exact else limits.cells):
            return self
        if n_kept <= slack * (limits.limit if exact else _LOOSE_CELLS * limits.cells):
            return self
        if exact and n_kept > limits.limit and self._surely_too_many():
            return self._on_finest_grid()
        tally = replace(self, pieces=(self._added_up(),))
        if exact:
            return tally if tally.n_kept <= limits.limit else self._on_finest_grid()
        while tally.n_kept > limits.cells:
            assert tally.exponent is not None
            if tally.exponent >= COARSEST:
                raise InputError(
                    "there are {n} kinds of cases (models × groups × classes), and room for {most} "
                    "cells of scores in all; give a larger {=memory_budget}, or fewer groups.",
                    n=f"{len(np.unique(tally.pieces[0].codes)):,}",
                    most=f"{limits.cells:,}",
                )
            tally = tally.coarsened(tally.exponent + 1)
        return tally

    def coarsened(self, exponent: int) -> ScoreTally:
        """Round down to multiples of ``2**exponent``, no finer than they are now."""
        if self.exponent == exponent:
            return self
        pieces, n_kinds = [], len(self.kinds)
        for codes, values, counts in self.pieces:
            found = None
            if self.exponent is not None:
                values = np.floor(values * 2.0 ** (self.exponent - exponent)) + 0.0
            else:
                found = None if counts is not None else _counted(values, codes, n_kinds, exponent)
                values = cells_of(values, exponent) if found is None else values
            pieces.append(found or Piece(codes, values, counts).distinct(n_kinds))
        tally = ScoreTally(self.limits, exponent, self.kinds, tuple(pieces))
        return replace(tally, pieces=(tally._added_up(),)) if pieces else tally

    def _added_up(self) -> Piece:
        """Make one sorted piece of all."""
        n_kinds = len(self.kinds)
        parts = [piece for piece in self.pieces if piece.counts is not None]
        if len(parts) < len(self.pieces):
            loose = [piece[:2] for piece in self.pieces if piece.counts is None]
            parts.append(Piece(*map(np.concatenate, zip(*loose, strict=True))).distinct(n_kinds))
        if len(parts) == 1:
            return parts[0]
        whole = Piece(*map(np.concatenate, zip(*parts, strict=True)))
        assert whole.counts is not None
        low = whole.values.min()
        span = whole.values.max() - low + 1
        if self.exponent is None or not span * n_kinds < 4 * len(whole.values):
            return whole.distinct(n_kinds)
        # On a grid, a table has a place for every cell in between.
        table = np.zeros((int(span) * n_kinds, *whole.counts.shape[1:]), dtype=np.int64)
        for codes, values, counts in parts:
            table[(values - low + codes * span).astype(np.intp)] += counts  # no pair is there twice
        return _of_table(carried(table), int(span), low)

    @cached_property
    def columns(self) -> KindColumns:
        """All kinds, group by group in a fixed order, with their scores or cells and counts."""
        tally, names = self.settled(), list(self.kinds)
        if not tally.n_kept:
            nothing = np.empty(0, dtype=np.int64)
            return KindColumns([], np.zeros(1, np.intp), np.empty(0), nothing, {})
        codes, values, counts = tally.pieces[0]
        assert counts is not None
        starts = _starts(codes)
        own = [names[code] for code in codes[starts].tolist()]
        groups: dict[Any, list[int]] = {}
        for at in sorted(range(len(own)), key=[*map(repr, own)].__getitem__):
            groups.setdefault(own[at].group, []).append(at)
        order = np.array([at for places in groups.values() for at in places])
        sizes = np.diff(starts, append=len(values))[order]
        ends = np.append(0, np.cumsum(sizes))
        rows = np.repeat(starts[order] - ends[:-1], sizes) + np.arange(len(values))
        firsts = np.cumsum([0, *map(len, groups.values())]).tolist()
        places = {group: slice(*at) for group, at in zip(groups, pairwise(firsts), strict=True)}
        return KindColumns([own[at] for at in order], ends, values[rows], counts[rows], places)

    def canonical(self) -> Iterator[tuple[Kind, Floats, Counts]]:
        """All kinds, group by group."""
        kinds, ends, values, counts, _ = self.columns
        for kind, (start, end) in zip(kinds, pairwise(ends.tolist()), strict=True):
            yield kind, values[start:end], counts[start:end]

    def to_arrays(self) -> tuple[list[list[Any]], list[npt.NDArray[Any]]]:
        """Kinds, and the values and counts of each, one array after the other."""
        arrays = [array for _, *pair in self.canonical() for array in pair]
        return [list(kind) for kind in self.columns.kinds], arrays

    @classmethod
    def from_arrays(
        cls, limits: Limits, exponent: Any, kinds: list[Any], arrays: Sequence[npt.NDArray[Any]]
    ) -> ScoreTally:
        """Undo :meth:`to_arrays`, refusing what no scores can give."""
        if exponent is not None and not (type(exponent) is int and FINEST <= exponent <= COARSEST):
            raise ValueError(f"the exponent is {shown(exponent)}")
        known = {Kind(*kind): code for code, kind in enumerate(kinds)}
        for _, values, counts in zip(kinds, arrays[::2], arrays[1::2], strict=True):
            is_sorted = values.ndim == 1 and (values[1:] > values[:-1]).all()
            if values.dtype != np.float64 or np.isnan(values).any() or not is_sorted:
                raise ValueError("scores are no sorted numbers")
            if exponent is not None and (np.floor(values) != values).any():
                raise ValueError("scores are not on their grid")
            check_counts(counts, len(values))
        codes = np.repeat(np.arange(len(kinds)), [len(values) for values in arrays[::2]])
        every = [np.concatenate(own) for own in (arrays[::2], arrays[1::2]) if own]
        tally = cls(limits, exponent, known, (Piece(codes, *every),) if every else ())
        if len(known) < len(kinds) or tally.settled().n_kept != tally.n_kept:
            raise ValueError("there are more scores than the plan allows")
        return tally

    @property
    def n_kept(self) -> int:
        """Number of pairs kept at the moment, repeated scores included."""
        return sum(len(piece.values) for piece in self.pieces)

    def _surely_too_many(self) -> bool:
        """Whether some of the scores alone are more than may be kept: the others may wait."""
        share = 1.1 * self.limits.limit / self.n_kept
        some = [piece.values[: int(share * len(piece.values))] for piece in self.pieces]
        return len(_starts(np.sort(np.concatenate(some)))) > self.limits.limit

    def _on_finest_grid(self) -> ScoreTally:
        """Leave exact scores for the finest grid that fits."""
        # What part of the scores needs, all of them need: a sample finds nearly the exponent.
        stride = max(1, self.n_kept // (2 * self.limits.cells))
        some = [(piece.codes[::stride], piece.values[::stride]) for piece in self.pieces]
        joined = Piece(*map(np.concatenate, zip(*some, strict=True)))
        sample = joined.distinct(len(self.kinds))
        fits, too_fine = COARSEST, FINEST - 1
        while fits - too_fine > 1:
            middle = (fits + too_fine) // 2
            n_cells = len(_starts(sample.codes, cells_of(sample.values, middle)))
            fits, too_fine = (middle, too_fine) if n_cells <= self.limits.cells else (fits, middle)
        return self.coarsened(fits).settled()


def _counted(scores: Floats, codes: Codes, n_kinds: int, exponent: int | None) -> Piece | None:
    """Count scores in a table of a grid, each once: quicker than a sort, where there is a grid."""
    decimal = exponent is None
    whole, scale = (np.floor, 2.0**-exponent) if exponent is not None else (np.rint, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        if decimal:  # a sample tells what makes whole numbers of all scores
            sample = scores[:: max(1, len(scores) // _SAMPLE)]
            scales = (10.0**digits for digits in range(_MOST_DIGITS + 1))
            scale = next((s for s in scales if (np.rint(sample * s) / s == sample).all()), 0.0)
        low, high = whole(np.array([scores.min(), scores.max()]) * scale)
        span = high - low + 1
        # A table larger than the batch would be no gain, and places must be exact numbers.
        fits = span * n_kinds <= (len(scores) if decimal else _TABLE)
        if not (scale and fits and max(-low, high + 1) * n_kinds < min(2.0**53, HUGE * scale)):
            return None
    table = np.zeros(int(span) * n_kinds, dtype=np.int64)
    for start in range(0, len(scores), _BLOCK):
        rows = slice(start, start + _BLOCK)
        cell = scores[rows] * scale
        whole(cell, out=cell)
        if decimal and not np.array_equal(cell / scale, scores[rows]):
            return None
        cell -= low
        cell += codes[rows] * span
        np.add.at(table, cell.astype(np.intp), 1)
    found = _of_table(table, int(span), low)
    return found._replace(values=found.values / scale + 0.0) if decimal else found


def _of_table(table: Counts, span: int, low: float) -> Piece:
    """Give what a table of `span` cells for each kind holds."""
    taken = np.flatnonzero(table if table.ndim == 1 else table.any(axis=1))
    codes = taken // span
    return Piece(codes, taken - codes * span + np.float64(low) + 0.0, table[taken])


def _starts(*columns: npt.NDArray[Any]) -> Ints:
    """Positions at which a new value of any of some columns begins."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def _rows_of(codes: Codes, n_kinds: int) -> Iterator[tuple[int, Ints]]:
    """Rows of each kind that occurs."""
    if n_kinds <= 4:
        parts = [np.flatnonzero(codes == kind) for kind in range(n_kinds)]
    else:
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.searchsorted(codes[order], np.arange(1, n_kinds)))
    for kind, rows in enumerate(parts):
        if len(rows):
            yield kind, rows


class LogStaircase(Staircase):
    """Staircase of scores of a log, which may be known to lie in cells only."""

    ends: tuple[Floats, Floats, Floats]  # of cells, with the cases and the positive ones in each

    def __repr__(self) -> str:
        return super().__repr__().removeprefix("Log")

    def score_bins(self) -> dict[str, list[float]]:
        """Give the bins that end where cells end; those of the scores it holds would not."""
        return score_bins(*self.ends)


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Cells of scores, and the cases in each.

    Attributes
    ----------
    low, high : ndarray of shape (m,)
        The least and the greatest score that may be in each cell.
    weight : ndarray of shape (m,)
        How many cases are in it.
    truth : ndarray of shape (m,), int
        Position of their true class among the classes: of two, 1 is the positive one.
    apart : ndarray of shape (m,), bool
        Whether they are kept apart; see :class:`~cautious.logs.scores.Kind`.
    classes : ndarray of shape (K,)
        Class labels.
    width : float
        How wide the cells are; 0 where scores are exact.
    kinds : list of Kind
        The kinds that there are, one after the other.
    sizes : ndarray of int
        How many cells are of each.
    """

    low: Floats
    high: Floats
    weight: Floats
    truth: Ints
    apart: Mask
    classes: Labels
    width: float
    kinds: list[Kind]
    sizes: Ints

    @classmethod
    def of(
        cls,
        tally: ScoreTally,
        classes: Labels,
        code_of: Callable[[Any], int],
        model: Any = None,
        group: Any = None,
    ) -> ScoreCells:
        """Take the cells of a model and a group, or of all; `code_of` finds a truth's class."""
        kinds, ends, values, counts, places = tally.columns
        if group is not None:
            at = places.get(group, slice(0, 0))
            kinds, ends = kinds[at], ends[at.start : at.stop + 1]
            values, counts = values[ends[0] : ends[-1]], counts[ends[0] : ends[-1]]
        sizes = np.diff(ends)
        if model is not None:
            own = np.array([kind.model == model for kind in kinds], dtype=np.bool_)
            cells = np.repeat(own, sizes)
            kinds, sizes = [kind for kind in kinds if kind.model == model], sizes[own]
            values, counts = values[cells], counts[cells]
        low = high = values
        width = 0.0 if tally.exponent is None else 2.0**tally.exponent
        if width:
            low, high = values * width, np.nextafter((values + 1) * width, -np.inf)
            # Far from zero a cell may hold a single float; infinity is a cell of its own.
            high = np.where(np.isfinite(values), np.maximum(low, high), values)
            if len(low) and low.min() >= 0 and low.max() <= 1:
                # Scores from 0 to 1 are probabilities, and none lies beyond 1.
                high = np.minimum(high, 1.0)
        weight = floats(counts)
        codes = {truth: code_of(truth) for truth in {kind.truth for kind in kinds}}
        truth = np.repeat(np.array([codes[kind.truth] for kind in kinds], dtype=np.intp), sizes)
        apart = np.repeat(np.array([kind.apart for kind in kinds], dtype=np.bool_), sizes)
        return cls(low, high, weight, truth, apart, classes, width, kinds, sizes)

    # Two classes: cases apart have no score.

    def staircase(self, within: str, **told: str | None) -> Staircase:
        """Count both classes at the scores that cases have at worst or at best."""
        low, high, weight, truth = self._scored()
        positive = truth == 1
        scores = np.where(positive == _is_worst(within), low, high)
        # A stable sort runs through the sorted scores of each kind in linear time.
        order = np.argsort(scores, kind="stable")
        counts = weight * positive, weight * ~positive
        positives, negatives = (own[order] for own in counts)
        labels = tuple(self.classes.tolist())
        stairs = LogStaircase.of_counts(scores[order], positives, negatives, labels)
        stairs.__dict__.update(ends=(high, weight, counts[0]), cell_width=self.width, **told)
        return stairs

    def _scored(self) -> tuple[Floats, Floats, Floats, Ints]:
        """Give ends, weights and truths of the cells of cases that have a score."""
        there = ~self.apart
        return self.low[there], self.high[there], self.weight[there], self.truth[there]

    def certified_cases(self) -> tuple[Labels, Floats, Floats]:
        """Truths, scores and weights of probabilities, for a threshold that answers whole cells."""
        low, high, weight, truth = self._scored()
        scores = np.where(low >= 0.5, low, np.where(high <= 0.5, high, np.nan))
        return self.classes[truth], scores, weight

    def answers(self, rule: Rule) -> SetCounts:
        """Let a rule answer the scores that cases have at worst, cell by cell."""
        scores = np.where(self.truth == 1, self.low, self.high)
        scored = scores[~self.apart]
        are_probabilities = len(scored) and scored.min() >= 0 and scored.max() <= 1
        scores[self.apart] = np.nan
        # Without a score, the first class would have been answered.
        forced = (scores > 1 - scores).astype(np.intp) if are_probabilities else None
        if rule.graded:  # somebody else has answered
            forced = np.ones(len(scores), dtype=np.intp)
        mask = rule.predict_set(scores, classes=self.classes.tolist())
        cases = Cases.of_codes(self.classes, self.truth, y_set=mask, sample_weight=self.weight)
        return SetCounts.of_cases(cases, None if forced is None else self.classes[forced])

    def answer_bounds(self, rule: Rule) -> dict[str, tuple[float, float]]:
        """Bounds on what a rule answers to the unrounded scores, by name of the measure."""
        # Answers in the order of the scores, negative, none, positive; none without a score.
        answers = []
        for ends in (self.low, self.high):
            scores = np.where(self.apart, np.nan, ends)
            mask = rule.predict_set(scores, classes=self.classes.tolist())
            answers.append(np.where(mask.all(axis=1), 1, 2 * mask[:, 1]))
        first, last = answers
        # The least and the most that a case may be: 0 is wrong, 1 abstained on, 2 right.
        negative = self.truth == 0
        first, last = np.where(negative, 2 - last, first), np.where(negative, 2 - first, last)
        is_open, answered = first != last, first != 1
        masks = (first == 2, last == 2, last == 0, first == 0, is_open, answered & ~is_open)
        every, *sums = (self.weight[rows].sum() for rows in (slice(None), *masks))
        right, maybe_right, wrong, maybe_wrong, unsettled, surely_answered = sums
        maybe_answered = self.weight[is_open | answered].sum()
        with np.errstate(invalid="ignore"):  # nan without an answer
            bounds = {
                "coverage": (surely_answered / every, maybe_answered / every),
                "selective_accuracy": (
                    right / (right + maybe_wrong),
                    maybe_right / (maybe_right + wrong),
                ),
                "error": (wrong / every, maybe_wrong / every),
                "open_cases": (0.0, unsettled),
            }
        return {name: (float(least), float(most)) for name, (least, most) in bounds.items()}

    # More classes: scores are confidences of answers, and the wrong ones are apart.

    def risk_coverage(self, within: str) -> RiskCoverageCurve:
        """Count right and wrong answers; the surest come first, at worst a cell's wrong ones."""
        curve = RiskCoverageCurve(
            np.where(self.apart == _is_worst(within), self.high, self.low),
            self.apart.astype(np.float64),
            self.truth,
            self.weight,
            self.classes,
        )
        return curve.merge()[0]


def _is_worst(within: str) -> bool:
    """Tell the two readings of a cell apart."""
    if within not in ("worst", "best"):
        raise ValueError(f"within is {shown(within)}; choose 'worst' or 'best'.")
    return within == "worst"
