r"""Scores as a staircase: cumulated class counts at sorted distinct scores.

Whatever a two-class classifier with a score can do by choosing thresholds depends on the data only
through how many positives and negatives lie at each distinct score. That is all a
:class:`Staircase` keeps. Two staircases of two batches add up to the staircase of both, in any
order, so data of any size can be summarised piece by piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import Cases, cases_of_scores
from cautious._checks import (
    check_scores,
    check_shape,
    check_some_weight,
    first_row,
    tensor_classes,
    tensor_scores,
)
from cautious._labels import binary_classes, binary_truth, match_labels
from cautious._result import Shown
from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.decision._rule_json import score_bins
from cautious.errors import InputError, Message, listed, quoted, shown
from cautious.tensors import Tensor, as_numpy, is_tensor, like, namespace, one_place

Priors = Mapping[Any, float] | Sequence[float] | Floats
_Counts = Floats | Mask

# Probabilities may miss [0, 1] by so much, as they may miss adding up to one.
_ROUNDING = 1e-6
# So many cuts are quicker to copy than to thin out further on a device.
_FEW_CUTS = 1 << 14
# A standard normal value that chance exceeds once in a thousand.
_ONCE_IN_A_THOUSAND = 3.09


@dataclass(frozen=True, eq=False, repr=False)
class Staircase(Shown):
    r"""Weighted counts of positives and negatives at sorted distinct scores.

    Parameters
    ----------
    scores : array-like of shape (k,)
        Strictly increasing scores; ``-inf`` and ``inf`` are allowed and sort as usual.
    positives, negatives : array-like of shape (k,)
        Total weight of the positive and of the negative examples at each score. Scores where both
        are zero are left out.
    classes : tuple (negative, positive)
        The labels of the two classes.

    Attributes
    ----------
    n_positives, n_negatives : float
        Total weight of the examples of each class.
    column, model : str or None
        Where the scores are from, if somebody said.
    cell_width : float
        How wide the cells are that scores are known by; 0 where scores are exact.

    See Also
    --------
    Staircase.from_predictions : from labels and scores of single examples.
    Staircase.from_counts : from counts in any order, with repeated scores.

    Examples
    --------
    >>> one = Staircase.from_predictions([0, 1, 1], [0.2, 0.2, 0.9])
    >>> two = Staircase.from_predictions([0, 1], [0.1, 0.9])
    >>> (one + two).frame()
       score  positives  negatives
    0    0.1        0.0        1.0
    1    0.2        1.0        1.0
    2    0.9        2.0        0.0
    """

    scores: Floats
    positives: Floats
    negatives: Floats
    classes: tuple[Any, Any] = (0, 1)
    n_positives: float = field(init=False)
    n_negatives: float = field(init=False)
    column: str | None = field(default=None, init=False)
    model: str | None = field(default=None, init=False)
    cell_width: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        scores = check_scores(self.scores, name="scores")
        positives = _check_counts(self.positives, "positives", len(scores))
        negatives = _check_counts(self.negatives, "negatives", len(scores))
        out_of_order = ~(scores[1:] > scores[:-1])
        if out_of_order.any():
            at = first_row(out_of_order)
            raise ValueError(
                f"scores[{at + 1}] = {scores[at + 1]} does not exceed scores[{at}] = {scores[at]}; "
                "scores must increase strictly. Staircase.from_counts takes them in any order."
            )
        pair = [] if hasattr(self.classes, "columns") else list(self.classes)
        if len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(
                f"classes is {shown(self.classes)}; give two different labels, (negative, "
                "positive)."
            )
        self._set_counts(scores, positives, negatives, (pair[0], pair[1]))

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Staircase:
        """Count examples at each distinct score; one sort.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_score : array-like of shape (n,)
            Scores that grow with the belief in the positive class: probabilities, margins,
            log-odds. Infinite scores are allowed, NaN is not.
        pos_label : label, optional
            The positive class. Not needed where it is clear: 0 and 1, -1 and 1, no and yes. With
            more than two classes it is the one that stands against all others.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        classes : (negative, positive), optional
            Both labels, for batches in which one of them may be missing.
        """
        if is_tensor(y_score) and sample_weight is None:
            return TensorStaircase(y_true, y_score, pos_label, classes)
        known: dict[str, Any] = {"classes": classes, "sample_weight": sample_weight}
        return cls.of(cases_of_scores(y_true, y_score, pos_label=pos_label, **known))

    @classmethod
    def of(cls, cases: Cases) -> Staircase:
        """Count checked cases at each distinct score, those without a score left out; one sort."""
        absent = np.isnan(cases.score)
        if absent.any():
            cases = cases.take(~absent)
        score, is_positive, names = cases.score, cases.truth == 1, cases.classes
        if cases.sample_weight is not None:
            return SortedScores.of(score, is_positive).staircase(cases.sample_weight, names)
        # A sort of whole numbers moves no positions, and is quicker. The bits of a float that is
        # not negative order as it does, and the lowest place, which the sign leaves free, holds the
        # truth.
        keys = (score + 0.0).view(np.uint64)
        keys <<= np.uint64(1)
        keys |= is_positive.view(np.uint8)
        below = score < 0
        n_below = np.count_nonzero(below)
        if n_below:
            keys = np.concatenate([np.sort(keys[below])[::-1], np.sort(keys[~below])])
        else:
            keys.sort()
        scores = (keys >> np.uint64(1)).view(np.float64)
        positive = (keys.astype(np.uint8) & 1).view(np.bool_)
        del keys  # its room is taken by the counts
        np.negative(scores[:n_below], out=scores[:n_below])
        return cls.of_counts(scores, positive, ~positive, names)

    @classmethod
    def of_counts(
        cls, scores: Floats, positives: _Counts, negatives: _Counts, classes: tuple[Any, ...]
    ) -> Self:
        """Take over counts at sorted scores; nothing is checked."""
        stairs = object.__new__(cls)
        stairs._set_counts(scores, positives, negatives, classes)
        return stairs

    def _set_counts(
        self, scores: Floats, positives: _Counts, negatives: _Counts, classes: tuple[Any, ...]
    ) -> None:
        """Set the counts at sorted scores, adding up those of equal ones."""
        is_new = scores[1:] != scores[:-1]
        if not is_new.all():
            starts = np.append(0, np.flatnonzero(is_new) + 1)
            scores = scores[starts]
            positives = np.add.reduceat(positives, starts, dtype=np.float64)
            negatives = np.add.reduceat(negatives, starts, dtype=np.float64)
        positives, negatives = (n.astype(np.float64, copy=False) for n in (positives, negatives))
        there = (positives != 0) | (negatives != 0)
        if not there.all():
            scores, positives, negatives = scores[there], positives[there], negatives[there]
        sums = {"n_positives": float(positives.sum()), "n_negatives": float(negatives.sum())}
        counts = {"scores": scores, "positives": positives, "negatives": negatives}
        vars(self).update(counts, classes=classes, **sums)

    @classmethod
    def from_counts(
        cls,
        scores: npt.ArrayLike,
        positives: npt.ArrayLike,
        negatives: npt.ArrayLike,
        classes: tuple[Any, Any] = (0, 1),
    ) -> Staircase:
        """Build a staircase from counts in any order, adding up those of equal scores.

        Parameters
        ----------
        scores, positives, negatives : array-like of shape (m,)
            Scores, repeated or not, and the counts that belong to each.
        classes : tuple (negative, positive)
            The labels of the two classes.
        """
        score = check_scores(scores, name="scores")
        positive = _check_counts(positives, "positives", len(score))
        negative = _check_counts(negatives, "negatives", len(score))
        # A stable sort runs through the already sorted pieces of a merge in linear time.
        order = np.argsort(score, kind="stable")
        sums = cls.of_counts(score[order], positive[order], negative[order], classes)
        return cls(sums.scores, sums.positives, sums.negatives, classes)

    def __add__(self, other: Staircase) -> Staircase:
        if not isinstance(other, Staircase):
            return NotImplemented
        if self.classes != other.classes:
            raise ValueError(
                f"these staircases count different classes, {shown(self.classes)} and "
                f"{shown(other.classes)}; build both with the same classes=(negative, positive)."
            )
        return Staircase.from_counts(
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.positives, other.positives]),
            np.concatenate([self.negatives, other.negatives]),
            self.classes,
        )

    def __radd__(self, other: int) -> Staircase:
        # sum() starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Staircase):
            return NotImplemented
        return self.classes == other.classes and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("scores", "positives", "negatives")
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # holds arrays

    def score_bins(self) -> dict[str, list[float]]:
        """Put the cases into bins of about equal numbers, as a rule keeps them to watch drift.

        Returns
        -------
        dict
            ``edges``, ``counts`` and ``positives``; empty for fewer than 10 cases, and where
            weights are no whole numbers.
        """
        return score_bins(self.scores, self.negatives + self.positives, self.positives)

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def _auc(self) -> float:
        pairs = self.n_positives * self.n_negatives
        if not pairs:
            return np.nan
        # In each block the positives come first, and one score may have both.
        _, pos, neg = block_counts(self.positives, self.negatives)
        ties = np.einsum("i,i", self.positives, self.negatives)
        return float((np.einsum("i,i", pos, np.cumsum(neg) - neg) + ties / 2) / pairs)

    def auc(self) -> float:
        """Area under the ROC curve: how often a positive outscores a negative, ties half."""
        return self._auc

    def counts_from(self, threshold: Floats) -> tuple[Floats, Floats]:
        """Weight of the positive and of the negative examples whose score reaches a threshold."""
        at = np.searchsorted(self.scores, threshold, side="left")
        above = (np.append(np.cumsum(n[::-1])[::-1], 0.0) for n in (self.positives, self.negatives))
        positives, negatives = (counts[at] for counts in above)
        return positives, negatives

    @property
    def are_probabilities(self) -> bool:
        """Whether there are scores, and all of them lie between 0 and 1."""
        return bool(len(self.scores)) and bool(self.scores[0] >= 0 and self.scores[-1] <= 1)

    @property
    def is_reversed(self) -> bool:
        """Whether a high score speaks against the positive class, and not by accident."""
        n, pairs = self.n_positives + self.n_negatives, self.n_positives * self.n_negatives
        if n <= 1 or not pairs:  # shares that add up to one tell nothing about chance
            return False
        missing = 0.5 - self._auc
        if missing <= 0:
            return False
        tied = self.positives + self.negatives
        variance = (n + 1 - (float(tied @ tied**2) - n) / (n * (n - 1))) / (12 * pairs)
        return bool(missing > _ONCE_IN_A_THOUSAND * math.sqrt(max(variance, 0.0)))

    def cases(self) -> Cases:
        """Give one case for each class at each score, as often as it was counted."""
        codes, weight = np.repeat([1, 0], len(self)), np.append(self.positives, self.negatives)
        scores = np.tile(self.scores, 2)
        cases = Cases("staircase", self.classes, codes, y_score=scores, sample_weight=weight)
        return cases.take(weight > 0)

    def corner_blocks(self) -> tuple[Floats, Ints, Floats, Floats]:
        """Give scores and blocks of them that have the same hull."""
        return self.scores, *block_counts(self.positives, self.negatives)

    def flipped(self) -> Staircase:
        """Swap the classes and turn the scores round: the other class becomes the positive one."""
        return Staircase(
            -self.scores[::-1], self.negatives[::-1], self.positives[::-1], self.classes[::-1]
        )

    def _facts(self) -> dict[str, Any]:
        counts = {"n_positives": self.n_positives, "n_negatives": self.n_negatives}
        return {"classes": self.classes, "n_scores": len(self), **counts}

    def frame(self) -> pd.DataFrame:
        """One row per distinct score, with the counts of both classes."""
        counts = {"positives": self.positives, "negatives": self.negatives}
        return pd.DataFrame({"score": self.scores} | counts)


@dataclass(frozen=True, eq=False)
class SortedScores:
    """Scores of two classes in order: staircases under any weights follow without another sort."""

    order: Ints  # cases in the order of their scores
    is_positive: Mask  # of each case, in that order
    starts: Ints  # where each distinct score begins
    values: Floats  # the distinct scores

    @classmethod
    def of(cls, score: Floats, is_positive: Mask) -> Self:
        """Sort the scores of checked cases."""
        order = np.argsort(score)
        ranked = score[order]
        is_new = np.ones(len(ranked), dtype=np.bool_)
        np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
        values = ranked if is_new.all() else ranked[is_new]
        # Positions are kept for long, in half the room where they fit.
        kind: Any = np.int32 if len(score) <= np.iinfo(np.int32).max else np.intp
        starts = np.flatnonzero(is_new).astype(kind)
        return cls(order.astype(kind), is_positive[order], starts, values)

    @cached_property
    def place(self) -> Ints:
        """Position of each case's score among the distinct ones."""
        place = np.empty(len(self.order), dtype=np.intp)
        sizes = np.diff(np.append(self.starts, len(self.order)))
        place[self.order] = np.repeat(np.arange(len(self.starts)), sizes)
        return place

    def counts(self, weight: Floats | None) -> tuple[Floats, Floats]:
        """Count positives and negatives at each distinct score, in order."""
        ranked = np.ones(1) if weight is None else weight[self.order]
        positives = ranked * self.is_positive
        negatives = ranked - positives
        if len(self.starts) < len(self.order):
            positives = np.add.reduceat(positives, self.starts)
            negatives = np.add.reduceat(negatives, self.starts)
        return positives, negatives

    def staircase(self, weight: Floats | None, classes: tuple[Any, ...]) -> Staircase:
        """Build the staircase of the cases under some weights."""
        return Staircase.of_counts(self.values, *self.counts(weight), classes)


class TensorStaircase(Staircase):
    """Staircase of scores that lie on a device; the counts are copied from there if asked for.

    The sorted cases stay where they are, so the few corners of the hull can be found there.
    """

    _score: Tensor
    _positive: Tensor

    def __init__(
        self, y_true: Any, y_score: Tensor, pos_label: Any, classes: Sequence[Any] | None
    ) -> None:
        """Sort cases, positives before negatives of the same score."""
        place = one_place(y_score=y_score, y_true=y_true)
        xp = namespace(place)
        if is_tensor(y_true) and classes is None:
            names = binary_classes(tensor_classes(y_true).tolist(), pos_label=pos_label)
            positive = y_true == names[1]
        else:
            host, names = binary_truth(y_true, pos_label=pos_label, classes=classes)
            positive = like(host, place)
        # Zero may have a sign, which a sort of bits would order by.
        score = tensor_scores(y_score, name="y_score", n=positive.shape[0]) + 0.0
        first, then = xp.nonzero(positive)[0], xp.nonzero(~positive)[0]
        runs = xp.concat([xp.take(score, first), xp.take(score, then)])
        # A stable sort leaves the positives of each score before its negatives.
        order = xp.argsort(runs, stable=True)
        sums = {"n_positives": float(first.shape[0]), "n_negatives": float(then.shape[0])}
        placed = {"_score": xp.take(runs, order), "_positive": order < first.shape[0]}
        vars(self).update(placed, classes=names, **sums)

    def __getattr__(self, name: str) -> Floats:
        """Copy the scores and their counts when one of them is first asked for."""
        if name not in ("scores", "positives", "negatives"):
            raise AttributeError(name)
        positive = as_numpy(self._positive)
        scores: Floats = as_numpy(self._score).astype(np.float64)
        self._set_counts(scores, positive, ~positive, self.classes)
        return np.asarray(vars(self)[name])

    def corner_blocks(self) -> tuple[Floats, Ints, Floats, Floats]:
        """Cut the cases into blocks that together hold every corner, and give the ends of each."""
        xp, score, positive = namespace(self._score), self._score, self._positive
        # A corner has a negative right below and a positive right above; see `block_counts`.
        is_cut = (score[1:] != score[:-1]) & ~positive[:-1] & positive[1:]
        cut = xp.nonzero(is_cut)[0] + 1
        gathered = xp.cumulative_sum(xp.astype(positive, xp.uint8), dtype=xp.int64)
        pos = xp.take(gathered, cut - 1)
        neg = cut - pos
        ends = like(np.array([0, self.n_positives, 0, self.n_negatives], dtype=np.int64), score)
        while cut.shape[0] > _FEW_CUTS:
            all_pos = xp.concat([ends[:1], pos, ends[1:2]])
            all_neg = xp.concat([ends[2:3], neg, ends[3:]])
            rise, run = xp.diff(all_pos), xp.diff(all_neg)
            # Integers below 2^31.5 have products that are exact.
            kept = xp.nonzero(rise[:-1] * run[1:] < rise[1:] * run[:-1])[0]
            if kept.shape[0] > cut.shape[0] * 15 // 16:
                break
            cut, pos, neg = (xp.take(part, kept) for part in (cut, pos, neg))
        sides = [as_numpy(xp.take(score, at)) for at in (cut - 1, cut)]
        scores = np.concatenate([[-np.inf], np.stack(sides, axis=1).ravel(), [np.inf]])
        positives = np.diff(as_numpy(pos), prepend=0, append=self.n_positives)
        negatives = np.diff(as_numpy(neg), prepend=0, append=self.n_negatives)
        return scores, np.arange(0, len(scores), 2), positives, negatives


def block_counts(positives: Floats, negatives: Floats) -> tuple[Ints, Floats, Floats]:
    """Join scores into blocks, each from a cut that may be a corner to the next; count each class.

    A corner of the hull has a negative right below and a positive right above. Scores without
    counts are passed over.
    """
    is_positive, is_negative = positives > 0, negatives > 0
    there = np.flatnonzero(is_positive | is_negative)
    if len(there) < len(positives):
        starts, pos, neg = block_counts(positives[there], negatives[there])
        return there[starts], pos, neg
    corners = np.flatnonzero(is_negative[:-1] & is_positive[1:]) + 1
    starts = np.concatenate([[0], corners])[: len(positives)]
    if not len(starts):
        return starts, positives, negatives
    are_few = positives.max() <= 1 and negatives.max() <= 1  # which resampled ones never are
    if are_few and ((positives + negatives == 1) & (is_positive != is_negative)).all():
        # Each score is one case, and a running sum of bytes is twice as fast.
        ends = np.append(starts[1:], len(positives))
        so_far = np.cumsum(is_positive.view(np.uint8), dtype=np.uint32)[ends - 1]
        pos = np.diff(so_far.astype(np.float64), prepend=0.0)
        return starts, pos, ends - starts - pos
    return starts, np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts)


def _check_counts(counts: npt.ArrayLike, name: str, n: int) -> Floats:
    """Check that counts are finite, non-negative, and one per score."""
    words = "counts must be finite and not negative"
    array = as_floats(counts, name, "counts", words=words)
    check_shape(array, (n,), name, "count per score")
    return array


class ClassScales(NamedTuple):
    """What one counted example of each class stands for, as a share of all cases."""

    negative: float
    positive: float


def class_scales(staircase: Staircase, priors: Priors | None) -> ClassScales:
    """Scale counts to shares of all cases."""
    counts = (staircase.n_negatives, staircase.n_positives)
    for label, count in zip(staircase.classes, counts, strict=True):
        if 0 < count < np.finfo(np.float64).tiny:
            raise ValueError(
                f"the weights of class {shown(label)} add up to {count}, too little to take shares "
                "of; multiply all weights by the same large number."
            )
    if priors is None:
        total = sum(counts)
        check_some_weight(total)
        return ClassScales(1 / total, 1 / total)
    negative, positive = check_priors(priors, staircase.classes, counts) / counts
    return ClassScales(float(negative), float(positive))


def calibration_bins(staircase: Staircase, n_bins: int = 10) -> pd.DataFrame:
    """Put probabilities into bins of equal weight, as far as equal ones stay together."""
    scores, positives = staircase.scores, staircase.positives
    weight = positives + staircase.negatives
    seen = np.cumsum(weight)
    share = np.ceil(seen / seen[-1] * n_bins - 1e-9)
    last = np.flatnonzero(np.append(np.diff(share) > 0, True))
    first = np.append(0, last[:-1] + 1)
    total = np.add.reduceat(weight, first)
    return pd.DataFrame(
        {
            "low": scores[first],
            "high": scores[last],
            "weight": total,
            "positives": np.add.reduceat(positives, first),
            "mean": np.add.reduceat(weight * scores, first) / total,
        }
    )


def check_priors(
    priors: Priors, classes: Sequence[Any], counts: Sequence[float] | Floats
) -> Floats:
    """Class probabilities in the order of the classes, adding up to one."""
    if isinstance(priors, Mapping):
        priors = read_priors(priors, classes)
    values = as_floats(priors, "priors", "probabilities")
    k = len(classes)
    if values.shape != (k,) or not (values > 0).all() or abs(values.sum() - 1) > 1e-6:
        number = "two" if k == 2 else str(k)
        raise ValueError(
            f"priors is {shown(priors)}; give {number} positive numbers that add up to 1, for "
            f"{shown(tuple(classes))} in this order, or a mapping from label to probability."
        )
    for label, count in zip(classes, counts, strict=True):
        if count == 0:
            raise ValueError(
                f"priors cannot be met: there is no example of class {shown(label)} to weigh."
            )
    return np.asarray(values / values.sum())


def check_probability_scores(y_score: npt.ArrayLike) -> Floats:
    """Check that scores are probabilities of the positive class."""
    words = (
        "probabilities are needed, between 0 and 1. Calibrate other scores first, for example with "
        "CalibratedClassifierCV"
    )
    score = check_scores(y_score, name="y_score")
    near = as_floats(score, "y_score", "scores", -_ROUNDING, 1 + _ROUNDING, words=words)
    return np.clip(near, 0, 1)


def read_priors(priors: Any, classes: Sequence[Any]) -> Any:
    """Give priors in the order of the classes; one number is the share of positives."""
    if isinstance(priors, Real):
        if len(classes) != 2:
            raise InputError(
                "{=priors} is {given}, the share of positives, but there are {n} classes; give a "
                "share for each.",
                given=priors,
                n=len(classes),
            )
        if not 0 < float(priors) < 1:
            raise InputError(
                "{=priors} is {given}; a share of positives lies strictly between 0 and 1.",
                given=priors,
            )
        return [1 - float(priors), float(priors)]
    if isinstance(priors, Mapping):
        at = match_labels(list(priors), list(classes))
        if sorted(at) != list(range(len(classes))):
            names = {"given": listed(priors), "classes": listed(classes)}
            raise InputError("{=priors} names {given}, but the classes are {classes}.", **names)
        shares = list(priors.values())
        return [shares[at.index(k)] for k in range(len(classes))]
    return priors


def direction_notes(name: str, stairs: Staircase, *, graded: bool = False) -> Iterator[Message]:
    """Say that a high score speaks for the other class, where that is no accident."""
    if not stairs.is_reversed:
        return
    values = {"name": quoted(name, 60), "auc": f"{stairs._auc:.3g}"}
    words = "{name}: a high confidence goes with wrong answers (AUC {auc}); turn its sign"
    if not graded:
        words = (
            "{name}: a high score speaks against {positive} (AUC {auc}); is {=pos_label} the "
            "other class?"
        )
        values["positive"] = quoted(stairs.classes[1], 60)
    yield Message(words, values, "direction")
