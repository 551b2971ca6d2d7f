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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cautious._cases import Cases
from cautious._checks import check_classes, is_new
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.curves import RiskCoverageCurve, Staircase
from cautious.decision import Rule
from cautious.decision._rule_json import score_bins
from cautious.errors import InputError, shown
from cautious.logs.sets import NO_KEYS, Array, Codes, Keys, Piece, add_at, carried, floats
from cautious.metrics import SetCounts

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
    keys : Keys
        The groups, models and kinds of cases that occur: true classes, and whether they are apart.
        Apart are, of several classes, the cases that are answered wrongly; of two, those without a
        score, which count at zero.
    pieces : tuple of Piece
        Scores or cells and their counts: exact scores are sorted and added up only when there are
        many, or when :meth:`settled` is asked for.
    """

    limits: Limits
    exponent: int | None = None
    keys: Keys = NO_KEYS
    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of_cases(
        cls, cases: Piece, keys: Keys, limits: Limits, at_least: int | None = None
    ) -> ScoreTally:
        """Count a batch."""
        if not len(cases.values):
            return cls(limits, at_least)
        if at_least is None and (found := _counted(cases, keys.n)) is not None:
            return cls(limits, None, keys, (found,))._within_limits()
        # There are two zeros, but they are one score.
        piece = cases._replace(values=cases.values + 0.0)
        if at_least is not None:
            return cls(limits, None, keys, (piece,)).coarsened(at_least)._within_limits()
        if piece.counts is not None:
            piece = piece.distinct(keys.n)
        return cls(limits, None, keys, (piece,))._within_limits()

    def __add__(self, other: ScoreTally) -> ScoreTally:
        a, b = self, other
        known = [tally.exponent for tally in (a, b) if tally.exponent is not None]
        if known:
            a, b = a.coarsened(max(known)), b.coarsened(max(known))
        keys = a.keys.joined(b.keys)
        pieces = a._pieces_of(keys) + b._pieces_of(keys)
        return ScoreTally(self.limits, a.exponent, keys, pieces)._within_limits()

    def _pieces_of(self, keys: Keys) -> tuple[Piece, ...]:
        """Give the pieces with the codes that they have among other names."""
        there = tuple(piece for piece in self.pieces if len(piece.values))
        if keys == self.keys:
            return there
        return tuple(one._replace(codes=self.keys.recoded(one.codes, keys)) for one in there)

    def renamed(self, truths: Mapping[Any, Any]) -> ScoreTally:
        """Give truths other names; those that get the same one are added up."""
        kinds = tuple((truths.get(truth, truth), apart) for truth, apart in self.keys.kinds)
        renamed = replace(self, keys=self.keys._replace(kinds=kinds))
        keys = Keys.of(*renamed.keys)
        pieces = [piece.distinct(keys.n) for piece in renamed._pieces_of(keys)]
        return replace(self, keys=keys, pieces=tuple(pieces))

    def _within_limits(self) -> ScoreTally:
        """Add up only where so much waits that it takes room."""
        room = self.limits.limit if self.exponent is None else _LOOSE_CELLS * self.limits.cells
        return self if self.n_kept <= 1.5 * room else self.settled

    @cached_property
    def settled(self) -> ScoreTally:
        """Canonical form: one sorted piece, as fine as the limits allow."""
        n_kept, limits = self.n_kept, self.limits
        exact = self.exponent is None
        single = len(self.pieces) == 1 and self.pieces[0].counts is not None
        if single and n_kept <= (limits.limit if exact else limits.cells):
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
        pieces, n_codes = [], self.keys.n
        step = exponent - (self.exponent or 0)
        for piece in self.pieces:
            found = _counted(piece, n_codes, step)
            if found is None and self.exponent is None:
                found = piece._replace(values=cells_of(piece.values, exponent)).distinct(n_codes)
            elif found is None:
                cells = np.floor(piece.values * 2.0**-step) + 0.0
                found = piece._replace(values=cells).distinct(n_codes)
            pieces.append(found)
        tally = ScoreTally(self.limits, exponent, self.keys, tuple(pieces))
        return replace(tally, pieces=(tally._added_up(),)) if pieces else tally

    def _added_up(self) -> Piece:
        """Make one sorted piece of all."""
        n_codes = self.keys.n
        parts = [piece for piece in self.pieces if piece.counts is not None]
        if len(parts) < len(self.pieces) or not parts:
            loose = [piece[:2] for piece in self.pieces if piece.counts is None]
            loose.append((np.empty(0, np.uint8), np.empty(0)))
            parts.append(Piece(*map(np.concatenate, zip(*loose, strict=True))).distinct(n_codes))
        if len(parts) == 1:
            return parts[0]
        whole = Piece(*map(np.concatenate, zip(*parts, strict=True)))
        found = _counted(whole, n_codes, None if self.exponent is None else 0)
        return found or whole.distinct(n_codes)

    def to_arrays(self) -> tuple[list[list[Any]], list[Array]]:
        """Kinds with their models and groups, and values and counts, one array after the other."""
        names, arrays = self.keys.split(*self.settled.pieces)
        return [[model, group, *kind] for group, model, kind in names], arrays

    @classmethod
    def from_arrays(
        cls, limits: Limits, exponent: Any, kinds: list[Any], arrays: Sequence[Array]
    ) -> ScoreTally:
        """Undo :meth:`to_arrays`, refusing what no scores can give."""
        if exponent is not None and not (type(exponent) is int and FINEST <= exponent <= COARSEST):
            raise ValueError(f"the exponent is {shown(exponent)}")
        if not kinds:
            return cls(limits, exponent)
        names = [(group, model, (truth, apart)) for model, group, truth, apart in kinds]
        keys, piece = Keys.of_parts(names, arrays)
        codes, values, _ = piece
        in_order = (values[1:] > values[:-1]) | (codes[1:] != codes[:-1])
        if values.dtype != np.float64 or np.isnan(values).any() or not in_order.all():
            raise ValueError("scores are no sorted numbers")
        if exponent is not None and (np.floor(values) != values).any():
            raise ValueError("scores are not on their grid")
        tally = cls(limits, exponent, keys, (piece.distinct(keys.n),))
        if tally.settled is not tally:
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
        return int(is_new(np.sort(np.concatenate(some))).sum()) > self.limits.limit

    def _on_finest_grid(self) -> ScoreTally:
        """Leave exact scores for the finest grid that fits."""
        # What part of the scores needs, all of them need: a sample finds nearly the exponent.
        stride = max(1, self.n_kept // (2 * self.limits.cells))
        some = [(piece.codes[::stride], piece.values[::stride]) for piece in self.pieces]
        joined = Piece(*map(np.concatenate, zip(*some, strict=True)))
        sample = joined.distinct(self.keys.n)
        fits, too_fine = COARSEST, FINEST - 1
        while fits - too_fine > 1:
            middle = (fits + too_fine) // 2
            n_cells = int(is_new(sample.codes, cells_of(sample.values, middle)).sum())
            fits, too_fine = (middle, too_fine) if n_cells <= self.limits.cells else (fits, middle)
        return self.coarsened(fits).settled


def _counted(piece: Piece, n_codes: int, exponent: int | None = None) -> Piece | None:
    """Count values in a table of a grid: quicker than a sort, where there is a grid."""
    codes, values, counts = piece
    decimal = exponent is None
    whole, scale = (np.floor, 2.0**-exponent) if exponent is not None else (np.rint, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        if decimal:  # a sample tells what makes whole numbers of all values
            sample = values[:: max(1, len(values) // _SAMPLE)]
            scales = (10.0**digits for digits in range(_MOST_DIGITS + 1))
            scale = next((s for s in scales if (np.rint(sample * s) / s == sample).all()), 0.0)
        low, high = whole(np.array([values.min(), values.max()]) * scale)
        span = high - low + 1
        # A table larger than the batch would be no gain, and places must be exact numbers.
        fits = span * n_codes <= (len(values) if decimal else _TABLE)
        if not (scale and fits and max(-low, high + 1) * n_codes < min(2.0**53, HUGE * scale)):
            return None
    table = np.zeros((int(span) * n_codes, *np.shape(counts)[1:]), dtype=np.int64)
    for start in range(0, len(values), _BLOCK):
        rows = slice(start, start + _BLOCK)
        cell = values[rows] * scale
        whole(cell, out=cell)
        if decimal and not np.array_equal(cell / scale, values[rows]):
            return None
        cell -= low
        cell += codes[rows] * span
        add_at(table, cell.astype(np.intp), 1 if counts is None else counts[rows])
    taken = np.flatnonzero(table if table.ndim == 1 else table.any(axis=1))
    codes = taken // int(span)
    cells = taken - codes * span + low + 0.0
    return Piece(codes, cells / scale + 0.0 if decimal else cells, carried(table[taken]))


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
        Whether they are kept apart; see :class:`ScoreTally`.
    classes : tuple
        Class labels.
    width : float
        How wide the cells are; 0 where scores are exact.
    codes : ndarray of shape (m,), int
        Their groups, models and kinds, as the tally knows them.
    """

    low: Floats
    high: Floats
    weight: Floats
    truth: Ints
    apart: Mask
    classes: tuple[Any, ...]
    width: float
    codes: Codes

    @classmethod
    def of(
        cls, tally: ScoreTally, classes: tuple[Any, ...], positive: Any, model: Any, group: Any
    ) -> ScoreCells:
        """Take the cells of a model and a group, or of all; truths are codes if none is given."""
        keys = tally.keys
        codes, values, counts = keys.take(tally.pieces[0], group, model)
        low = high = values
        width = 0.0 if tally.exponent is None else 2.0**tally.exponent
        if width:
            low, high = values * width, np.nextafter((values + 1) * width, -np.inf)
            # Far from zero a cell may hold a single float; infinity is a cell of its own.
            high = np.where(np.isfinite(values), np.maximum(low, high), values)
            if len(low) and low.min() >= 0 and low.max() <= 1:
                # Scores from 0 to 1 are probabilities, and none lies beyond 1.
                high = np.minimum(high, 1.0)
        kind = codes % max(1, len(keys.kinds))
        truths = [truth if positive is None else truth == positive for truth, _ in keys.kinds]
        truth = np.array(truths, dtype=np.intp)[kind]
        apart = np.array([apart for _, apart in keys.kinds], dtype=np.bool_)[kind]
        return cls(low, high, floats(counts), truth, apart, classes, width, codes)

    # Two classes: cases apart have no score.

    def staircase(self, *, worst: bool, **told: str | None) -> Staircase:
        """Count both classes at the scores that cases have at worst or at best."""
        there = ~self.apart
        low, high, weight = self.low[there], self.high[there], self.weight[there]
        positive = self.truth[there] == 1
        scores = np.where(positive == worst, low, high)
        # A stable sort runs through the sorted scores of each kind in linear time.
        order = np.argsort(scores, kind="stable")
        counts = weight * positive, weight * ~positive
        positives, negatives = (own[order] for own in counts)
        stairs = LogStaircase.of_counts(scores[order], positives, negatives, self.classes)
        stairs.__dict__.update(ends=(high, weight, counts[0]), cell_width=self.width, **told)
        return stairs

    def certified_cases(self) -> tuple[Labels, Floats, Floats]:
        """Truths, scores and weights of probabilities, for a threshold that answers whole cells."""
        scores = np.where(self.low >= 0.5, self.low, np.where(self.high <= 0.5, self.high, np.nan))
        there = ~self.apart
        return check_classes(self.classes)[self.truth[there]], scores[there], self.weight[there]

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
        mask = rule.predict_set(scores, classes=self.classes)
        labels = check_classes(self.classes)
        cases = Cases.of_codes(labels, self.truth, y_set=mask, sample_weight=self.weight)
        return SetCounts.of_cases(cases, None if forced is None else labels[forced])

    def answer_bounds(self, rule: Rule) -> dict[str, tuple[float, float]]:
        """Bounds on what a rule answers to the unrounded scores, by name of the measure."""
        # Answers in the order of the scores, negative, none, positive; none without a score.
        answers = []
        for ends in (self.low, self.high):
            scores = np.where(self.apart, np.nan, ends)
            mask = rule.predict_set(scores, classes=self.classes)
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

    def risk_coverage(self, *, worst: bool) -> RiskCoverageCurve:
        """Count right and wrong answers; the surest come first, at worst a cell's wrong ones."""
        curve = RiskCoverageCurve(
            np.where(self.apart == worst, self.high, self.low),
            self.apart.astype(np.float64),
            self.truth,
            self.weight,
            check_classes(self.classes),
        )
        return curve.merge()[0]
