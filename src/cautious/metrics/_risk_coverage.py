"""Risk against coverage: the loss of answering only the most confident cases."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import Cases, cases_of_sets
from cautious._checks import (
    as_count,
    check_shape,
    check_some_weight,
    check_truth,
    check_weight,
    first_row,
    is_new,
    likeliest,
    shares_of_cases,
    tensor_likeliest,
)
from cautious._random import binomial_ends, check_level, mean_ends
from cautious._result import Shown
from cautious._set_counts import WeightedCells, ranks
from cautious._typing import FINITE, Floats, Ints, Labels, as_floats
from cautious.errors import shown, warn_undefined
from cautious.guarantees._certified_rule import certify_counts
from cautious.guarantees._tallies import Answers, Certified
from cautious.metrics._registry import MEASURES
from cautious.predictions._estimators import FromEstimator
from cautious.predictions._probabilities import class_scores
from cautious.tensors import as_numpy, is_tensor

# Bounds are met up to rounding: a risk that exceeds one by this share of the largest loss, or a
# coverage that falls short by this share of the cases, still meets it.
_ROUNDING = 1e-12
_SIGN = np.uint64(1 << 63)


class WorkingPoint(NamedTuple):
    """A confidence threshold with its coverage and selective risk."""

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverageCurve(WeightedCells, Shown, FromEstimator):
    r"""Risk of a classifier that answers the most confident cases first, against its coverage.

    At coverage :math:`c` the *generalised risk* :math:`g(c)` is the loss of the answered cases
    divided by the number of all cases, and the *selective risk* :math:`r(c) = g(c) / c` their mean
    loss. Cases of equal confidence cannot be told apart by a threshold: they form a block, and the
    curve has one point per block. Inside a block :math:`g` is a straight line, which is what
    answering a random part of the block risks on average. Hence no number here depends on the order
    of the rows.

    The curve keeps losses counted at each confidence, one *cell* for every distinct (confidence,
    loss, true class), in falling order of confidence. Curves of two batches add up: ``a + b`` is
    the curve of both, in any order and any split.

    ``weight`` may carry leading axes, one row per bootstrap replicate; coverage, risks and
    :meth:`selective_area` then have them too.

    Attributes
    ----------
    confidence, loss : ndarray of shape (n_cells,)
        Confidence and loss of each cell.
    truth : ndarray of shape (n_cells,), int
        True class as a position in `classes`; all 0 where classes were not given.
    weight : ndarray of shape (..., n_cells)
        How many cases each cell stands for.
    classes : ndarray of shape (K,)
        Class labels; empty where they were not given.

    Notes
    -----
    AURC is the area :math:`\int_0^1 r(c)\,dc`, integrated exactly. Other libraries compute other
    numbers under that name: see :func:`cautious.metrics.aurc_score`.

    See Also
    --------
    cautious.metrics.aurc_score, cautious.metrics.augrc_score : the same areas as measures.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), "Bias-reduced uncertainty estimation for deep neural
    classifiers". Traub et al. (2024), "Overcoming common flaws in the evaluation of selective
    classification systems", for the generalised risk.

    Examples
    --------
    >>> curve = RiskCoverageCurve.from_losses([0, 0, 1, 1], [0.9, 0.7, 0.7, 0.5])
    >>> curve
    RiskCoverageCurve(n=4, thresholds=3, aurc=0.218832, augrc=0.15625)
    >>> curve.frame()
       threshold  coverage  selective_risk  generalised_risk
    0        0.9      0.25        0.000000              0.00
    1        0.7      0.75        0.333333              0.25
    2        0.5      1.00        0.500000              0.50
    >>> curve.coverage_at_risk(0.4), curve.threshold_at_risk(0.4)
    (0.83..., WorkingPoint(threshold=0.7, coverage=0.75, risk=0.33...))
    >>> curve + RiskCoverageCurve.from_losses([0], [0.6])
    RiskCoverageCurve(n=5, thresholds=4, aurc=0.213789, augrc=0.14)
    """

    _asks = "predict_proba"

    confidence: Floats
    loss: Floats
    truth: Ints
    weight: Floats
    classes: Labels

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike | None = None,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        confidence: npt.ArrayLike | None = None,
        loss: npt.ArrayLike | None = None,
    ) -> RiskCoverageCurve:
        """Answer with the class of greatest score, as confident as that score is great.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels.
        y_score : array-like of shape (n, K) or (n,)
            Class scores, usually probabilities; or, for two classes, the probability of the
            positive one. Ties between classes go to the first. Not needed if `confidence` and
            `loss` are given. Probabilities of less than double precision are divided by their sum
            where rounding made it differ from 1, as ``check_probabilities`` does.
        classes : sequence of length K, optional
            Class labels in column order; by default the sorted labels of `y_true`.
        pos_label : label, optional
            The class that a single column of scores is about. Not needed where it is plain, as in
            0/1 or no/yes, nor with `classes`, whose second class it is.
        sample_weight : array-like of shape (n,), optional
            How often each case counts.
        confidence : array-like of shape (n,), optional
            Confidence of each answer, in place of its score; only its order matters.
        loss : array-like of shape (n,), optional
            Loss of each answer, in place of 1 for a wrong and 0 for a right one.

        Returns
        -------
        RiskCoverageCurve

        Examples
        --------
        >>> RiskCoverageCurve.from_predictions([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.4])
        RiskCoverageCurve(n=4, thresholds=4, aurc=0.119188, augrc=0.09375)
        >>> y_proba = [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]]
        >>> RiskCoverageCurve.from_predictions(["a", "b"], y_proba, classes=["a", "b", "c"])
        RiskCoverageCurve(n=2, thresholds=2, aurc=0.153426, augrc=0.125)
        """
        curve = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
        check_some_weight(len(curve.weight))
        return curve

    @classmethod
    def from_losses(
        cls,
        loss: npt.ArrayLike,
        confidence: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
    ) -> RiskCoverageCurve:
        """Make the curve of given losses, from whatever they come.

        Parameters
        ----------
        loss : array-like of shape (n,)
            What each answer costs, for example 1 if it is wrong and 0 if it is right; finite.
        confidence : array-like of shape (n,)
            Any score that is greater the more confident the answer; infinite values are allowed.
        sample_weight : array-like of shape (n,), optional
            How often each case counts.
        """
        scores = _flat_numbers(confidence, "confidence")
        losses = _finite_losses(loss, scores)
        weight = check_weight(sample_weight, len(scores))
        check_some_weight(weight.sum())
        return cls(scores, losses, np.zeros(len(scores), np.intp), weight, np.empty(0)).summed()

    @classmethod
    def of(cls, cases: Cases) -> RiskCoverageCurve:
        """Answer cases with their likeliest class, or as they were; those without a score not."""
        missing = cases.missing
        if missing.any():
            cases = cases.take(~missing)
        (answer, confidence), weight = cases.likeliest, cases.sample_weight
        lost = answer != cases.truth
        if weight is None:  # as good as an array of ones, and takes no room
            weight = np.broadcast_to(1.0, lost.shape)
        return cls(confidence, lost, cases.truth, weight, cases.labels).summed()

    @classmethod
    def of_cases(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike | None = None,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        confidence: npt.ArrayLike | None = None,
        loss: npt.ArrayLike | None = None,
        name: str = "y_score",
    ) -> RiskCoverageCurve:
        """Make one cell per case, in the order given, if any; errors call the scores `name`."""
        if y_score is None:
            if confidence is None or loss is None:
                raise ValueError(f"{name} is None; give it, or both confidence= and loss=.")
            checked = cases_of_sets(y_true, y_true, classes=classes, sample_weight=sample_weight)
        else:
            best = _best_of_tensor(y_score, y_true)
            if best is None:
                scores, classes = class_scores(y_score, y_true, classes, pos_label, name=name)
                best = *likeliest(scores), scores.shape[1]
            answer, greatest, k = best
            any_set = np.broadcast_to(np.True_, (len(answer), k))  # it is the truths that matter
            checked = cases_of_sets(y_true, any_set, classes=classes, sample_weight=sample_weight)
            confidence = greatest if confidence is None else confidence
            loss = (answer != checked.truth).astype(np.float64) if loss is None else loss
        return cls(
            _flat_numbers(confidence, "confidence", checked.truth),
            _finite_losses(loss, checked.truth),
            checked.truth,
            checked.weight,
            checked.labels,
        )

    def __add__(self, other: RiskCoverageCurve) -> RiskCoverageCurve:
        if not isinstance(other, RiskCoverageCurve):
            return NotImplemented
        self.check_classes(other)
        cells = ("confidence", "loss", "truth", "weight")
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in cells}
        return replace(self, **both).summed()

    def summed(self) -> RiskCoverageCurve:
        """Sort cells by falling confidence and add up equal ones, leaving out those of weight 0."""
        # Whole numbers sort several times as fast as positions do: the confidence, whose bits are
        # in its own order if it is not negative, then loss and truth in few bits.
        lost = self.loss.astype(np.bool_, copy=False)
        keys = (self.confidence + 0.0).view(np.uint64)
        greatest, room = keys.max(initial=0), 1 + max(0, len(self.classes) - 1).bit_length()
        span = int(greatest) - int(keys.min(initial=greatest))
        fits = len(keys) and greatest < _SIGN and span.bit_length() + room <= 64
        if not (fits and (self.weight == 1).all() and (lost == self.loss).all()):
            return self.merge()[0]
        np.subtract(greatest, keys, out=keys)
        keys <<= 1
        keys |= lost.view(np.uint8)
        keys <<= room - 1
        keys |= self.truth.view(np.uintp)
        keys.sort()
        new, weight = is_new(keys), np.broadcast_to(1.0, keys.shape)
        if not new.all():
            starts = np.flatnonzero(new)
            weight = np.diff(starts, append=len(keys)).astype(np.float64)
            keys = keys[starts]
        ranked = keys >> room
        np.subtract(greatest, ranked, out=ranked)
        keys &= (1 << room) - 1
        loss = (keys >> (room - 1)).astype(np.float64)
        keys &= (1 << (room - 1)) - 1
        truth = keys.view(np.intp)
        return RiskCoverageCurve(ranked.view(np.float64), loss, truth, weight, self.classes)

    def merge(self) -> tuple[RiskCoverageCurve, Ints]:
        """Add up as :meth:`summed` does, and tell which cell of the sum each cell went to."""
        kept = np.flatnonzero(self.weight > 0)
        weight, place = self.weight[kept], np.argsort(-self.confidence[kept])
        first = kept[place]
        new = is_new(self.confidence[first])
        code = np.empty(len(kept), dtype=np.intp)
        code[place] = np.cumsum(new) - 1
        total = weight[place]
        if not new.all():  # only ties ask for the other keys
            lost, losses = pd.factorize(self.loss[kept], sort=True)
            truth = self.truth[kept]
            code, some = ranks((code * len(losses) + lost) * max(1, len(self.classes)) + truth)
            first, total = kept[some], np.bincount(code, weights=weight).astype(np.float64)
        loss = self.loss[first].astype(np.float64, copy=False)
        cells = self.confidence[first], loss, self.truth[first], total
        return RiskCoverageCurve(*cells, self.classes), code

    def rounded(self, n_confidences: int) -> RiskCoverageCurve:
        """Round the confidences to about so many, each for an equal share of the cases.

        Losses and truths are kept apart: only the order of nearly equal confidences is lost.
        """
        answered = np.cumsum(self.weight)
        part = np.ceil(answered / answered[-1] * n_confidences).astype(np.intp)
        # Equal confidences stay together, in the part that the first of them is in.
        starts = np.flatnonzero(is_new(self.confidence))
        first = np.repeat(starts, np.diff(starts, append=len(part)))
        return replace(self, confidence=-part[first].astype(np.float64)).summed()

    @property
    def threshold(self) -> Floats:
        """Distinct confidences, falling: answering cases at or above one gives its point."""
        return self.confidence[is_new(self.confidence)]

    @cached_property
    def coverage(self) -> Floats:
        """Share of cases answered at each threshold; the last is 1."""
        answered, _ = self._answered
        return answered / _nan_if_zero(answered[..., -1:])

    @cached_property
    def generalised_risk(self) -> Floats:
        """Loss of the cases answered at each threshold, over the number of *all* cases."""
        answered, lost = self._answered
        return lost / _nan_if_zero(answered[..., -1:])

    @property
    def selective_risk(self) -> Floats:
        """Mean loss of the cases answered at each threshold; nan where there are none."""
        answered, lost = self._answered
        return lost / _nan_if_zero(answered)

    @cached_property
    def optimal(self) -> RiskCoverageCurve:
        """The curve of the same losses with the best confidence possible: small losses first."""
        if not len(self.loss):
            return self
        least, most = self.loss.min(), self.loss.max()
        if ((self.loss > least) & (self.loss < most)).any():
            order = np.argsort(self.loss, kind="stable")
            loss, truth, weight = self.loss[order], self.truth[order], self.weight[..., order]
        else:
            loss = np.unique([least, most])
            each = [(self.weight * (self.loss == one)).sum(axis=-1) for one in loss]
            truth, weight = np.zeros(len(loss), dtype=np.intp), np.stack(each, axis=-1)
        return RiskCoverageCurve(-loss, loss, truth, weight, self.classes)

    @property
    def aurc(self) -> float:
        """Area under selective risk against coverage."""
        return float(self._areas[0])

    @property
    def excess_aurc(self) -> float:
        """How far the area is above that of the best confidence possible; never negative."""
        return float(self.selective_area(excess=True))

    @property
    def augrc(self) -> float:
        """Area under generalised risk against coverage."""
        return float(self._areas[1])

    @property
    def excess_augrc(self) -> float:
        """How far that area is above that of the best confidence possible; never negative."""
        return float(self.generalised_area(excess=True))

    def selective_area(self, *, excess: bool = False) -> Floats:
        r"""Integrate selective risk over coverage, exactly; nan where there are no cases.

        The excess is what is above the area of the best confidence possible.

        With block ends :math:`(c_k, r_k)` and mean loss :math:`\bar\ell_k` of block :math:`k`,

        .. math::

            \mathrm{AURC} = r_m + \sum_{k=2}^m c_{k-1}\,(r_{k-1} - \bar\ell_k)
            \ln\frac{c_k}{c_{k-1}}.
        """
        own = self._areas[0]
        return np.maximum(own - self.optimal._areas[0], 0) if excess else own

    def generalised_area(self, *, excess: bool = False) -> Floats:
        """Integrate generalised risk over coverage, as :meth:`selective_area` does the other."""
        own = self._areas[1]
        return np.maximum(own - self.optimal._areas[1], 0) if excess else own

    @cached_property
    def _areas(self) -> tuple[Floats, Floats]:
        """Areas under selective and under generalised risk."""
        if not len(self.loss):
            return np.full(np.shape(self.n), np.nan), np.full(np.shape(self.n), np.nan)
        answered, lost = self._sums(at_bends=True)
        total = _nan_if_zero(answered[..., -1])
        before, step = answered[..., :-1], np.diff(answered)
        under = lost[..., 0] * answered[..., 0]
        under = under + ((lost[..., 1:] + lost[..., :-1]) * step).sum(axis=-1)
        # A block before any answer, or one of weight 0, has no area; 1 only makes the log defined.
        real = (before > 0) & (step > 0)
        whole = bool(real.all())
        if not whole:
            before, step = np.where(real, before, 1), np.where(real, step, 1)
        bend = (lost[..., :-1] - np.diff(lost) * before / step) * np.log1p(step / before)
        bend = bend if whole else np.where(real, bend, 0)
        selective = (lost[..., -1] + bend.sum(axis=-1)) / total
        return np.asarray(selective), np.asarray(under / 2 / total**2)

    def risk_at_coverage(self, coverage: npt.ArrayLike) -> Floats:
        """Give the selective risk of answering the most confident share of the cases.

        Where the share ends inside a block of equal confidences, a random part of it is answered.
        At coverage 0 nothing is answered, and the risk is nan, with a warning.

        Examples
        --------
        >>> curve = RiskCoverageCurve.from_losses([0, 0, 1, 1], [0.9, 0.7, 0.7, 0.5])
        >>> curve.risk_at_coverage([0.25, 0.5, 1]).round(3)
        array([0.  , 0.25, 0.5 ])
        """
        wanted = shares_of_cases(coverage, "coverage")
        if (wanted == 0).any():
            warn_undefined(
                "risk is undefined at coverage 0, where nothing is answered; it is nan there.",
                stacklevel=3,
            )
        risk = np.interp(
            wanted, np.append(0.0, self.coverage), np.append(0.0, self.generalised_risk)
        )
        undefined = np.full(wanted.shape, np.nan)
        return np.asarray(np.divide(risk, wanted, out=undefined, where=wanted > 0))

    def coverage_at_risk(self, risk: float) -> float:
        r"""Largest coverage whose selective risk does not exceed a bound; 0 if there is none.

        Where it ends inside a block of equal confidences, a random part of it is answered; inside a
        block :math:`r(c) = \bar\ell + (c_0 / c) (r(c_0) - \bar\ell)`, with mean loss
        :math:`\bar\ell` and beginning :math:`c_0` of the block, so the end is found exactly. There
        may be smaller coverages with a larger risk.

        Examples
        --------
        >>> curve = RiskCoverageCurve.from_losses([0, 0, 1, 1], [0.9, 0.7, 0.7, 0.5])
        >>> round(curve.coverage_at_risk(0.4), 3)
        0.833
        """
        bound = self._check_risk(risk)
        end = self.coverage
        begin = np.append(0.0, end[:-1])
        block_loss = np.diff(self.generalised_risk, prepend=0.0) / (end - begin)
        # Loss that may still be spent on this block, were the bound met with equality.
        slack = bound * begin - np.append(0.0, self.generalised_risk[:-1])
        with np.errstate(all="ignore"):  # only blocks that exceed the bound are read
            inside = begin + slack / (block_loss - bound)
        partly = np.where(slack > 0, np.minimum(inside, end), 0.0)
        return float(np.where(self._meets(bound), end, partly).max())

    def threshold_at_risk(self, risk: float) -> WorkingPoint:
        """Threshold of largest coverage whose selective risk does not exceed a bound.

        A bound that is met exactly is met whatever rounding does. If no threshold will do, it is
        infinity, with coverage 0 and risk nan. Negative bounds are for negative losses.

        Examples
        --------
        >>> curve = RiskCoverageCurve.from_losses([0, 0, 1, 1], [0.9, 0.7, 0.7, 0.5])
        >>> curve.threshold_at_risk(0.4)
        WorkingPoint(threshold=0.7, coverage=0.75, risk=0.3333333333333333)
        """
        allowed = np.flatnonzero(self._meets(self._check_risk(risk)))
        return self._point(int(allowed[-1])) if len(allowed) else WorkingPoint(np.inf, 0.0, np.nan)

    def threshold_at_coverage(self, coverage: float) -> WorkingPoint:
        """Largest threshold that covers at least a share of the cases, whatever rounding does.

        Examples
        --------
        >>> curve = RiskCoverageCurve.from_losses([0, 0, 1, 1], [0.9, 0.7, 0.7, 0.5])
        >>> curve.threshold_at_coverage(0.5)
        WorkingPoint(threshold=0.7, coverage=0.75, risk=0.3333333333333333)
        """
        wanted = float(shares_of_cases(coverage, "coverage"))
        return self._point(int(np.searchsorted(self.coverage, wanted - _ROUNDING)))

    def _meets(self, bound: float) -> npt.NDArray[np.bool_]:
        """Whether each threshold keeps a bound on the selective risk, up to rounding."""
        scale = max(abs(bound), float(np.abs(self.loss).max(initial=0.0)))
        return np.asarray(self.selective_risk <= bound + _ROUNDING * scale)

    def _check_risk(self, risk: float) -> float:
        if np.ndim(risk) or not isinstance(risk, Real | np.number) or np.isnan(risk):
            raise ValueError(f"risk is {shown(risk)}; give a single number.")
        if risk < 0 <= self.loss.min():
            raise ValueError(
                f"risk is {shown(risk)}, but no loss is negative, so no risk is; give the mean "
                "loss that may be borne, at least 0."
            )
        return float(risk)

    def _point(self, at: int) -> WorkingPoint:
        return WorkingPoint(
            float(self.threshold[at]), float(self.coverage[at]), float(self.selective_risk[at])
        )

    @cached_property
    def _answered(self) -> tuple[Floats, Floats]:
        """Weight and loss of the cases answered at each threshold."""
        return self._sums()

    def _sums(self, *, at_bends: bool = False) -> tuple[Floats, Floats]:
        """Cumulate weight and loss to each threshold, or only to those where the curve bends."""
        new = is_new(self.confidence)
        if at_bends and new.all():  # while losses are alike, the lost weight is a straight line
            new = is_new(self.loss)
        ends: Any = slice(None) if new.all() else np.flatnonzero(np.append(new[1:], True))
        sums = []
        for counts in (self.weight, self.weight * self.loss):
            ones = counts != 0
            if (counts == ones).all():  # bytes are cumulated in half the time
                sums.append(np.cumsum(ones, axis=-1, dtype=np.uint32)[..., ends].astype(np.float64))
            else:
                sums.append(np.cumsum(counts, axis=-1)[..., ends])
        return sums[0], sums[1]

    def frame(self) -> pd.DataFrame:
        """One row per threshold, falling: its coverage and both risks."""
        columns = ("threshold", "coverage", "selective_risk", "generalised_risk")
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def band(self, *, confidence_level: float = 0.95, n_points: int = 201) -> pd.DataFrame:
        r"""Intervals of both risks at thresholds: each holds what new cases will lose there.

        The interval of one threshold keeps the level, not all of them at once. Cases above a
        threshold are so many draws from new cases above it, also if the threshold is itself one
        of the confidences. Losses of 0 and 1 have exact (binomial) intervals, others t intervals.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Nominal coverage.
        n_points : int, default=201
            At most so many thresholds are taken, at equally spaced coverages.

        Returns
        -------
        DataFrame
            One row per threshold, falling: ``threshold``, ``coverage``, and ``selective_risk`` and
            ``generalised_risk``, each with ``_low`` and ``_high``.

        Examples
        --------
        >>> curve = RiskCoverageCurve.from_predictions([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.4])
        >>> curve.band()[["coverage", "selective_risk", "selective_risk_high"]].round(3)
           coverage  selective_risk  selective_risk_high
        0      0.25           0.000                0.975
        1      0.50           0.000                0.842
        2      0.75           0.333                0.906
        3      1.00           0.250                0.806
        """
        level, n_points = check_level(confidence_level), as_count(n_points, "n_points")
        answered, lost = self._answered
        wanted = np.linspace(0, 1, max(n_points, 2))[1:]
        at = np.arange(len(answered))
        if len(at) > n_points:
            at = np.unique(np.searchsorted(self.coverage, wanted - _ROUNDING))
        answered, lost, every = answered[at], lost[at], np.full(len(at), answered[-1])
        squares = replace(self, loss=self.loss**2)._answered[1][at]
        columns = {"threshold": self.threshold[at], "coverage": answered / every}
        whole = bool(np.isin(self.loss, (0.0, 1.0)).all())
        for name, among in (("selective_risk", answered), ("generalised_risk", every)):
            ends = (
                binomial_ends(lost, among, level)
                if whole
                else mean_ends(lost / among, squares / among, among, level)
            )
            columns |= {name: lost / among, f"{name}_low": ends[0], f"{name}_high": ends[1]}
        return pd.DataFrame(columns)

    def certify(self, **asked: Any) -> Certified:
        """Find the rule that answers most among those that provably keep limits on new cases.

        The counts are enough: the cases are not read again.

        Parameters
        ----------
        **asked
            Limits, ``confidence_level``, ``promise``, ``other_scores``, ``n_candidates`` and
            ``random_state``, as in :func:`cautious.guarantees.certify`, which finds the same in the
            same cases; of two classes also ``thresholds``. There are no groups in a curve. Its
            losses must be 0 and 1, its confidences probabilities, and its weights whole numbers.

        Returns
        -------
        Certified
            With `rule` None where nothing can be promised.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> y = rng.integers(2, size=2000)
        >>> p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
        >>> curve = RiskCoverageCurve.from_predictions(y[1000:], p[1000:])
        >>> print(curve.certify(max_error=0.1, other_scores=p[:1000]).certificate)
        On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
        Seen on 1,000 calibration cases: 62 of 765 answers were wrong (p = 0.043).
        """
        if not len(self.classes):
            raise ValueError(
                "this curve holds losses without classes, so there is no rule to promise anything "
                "of; make it with RiskCoverageCurve.from_predictions."
            )
        if not np.isin(self.loss, (0.0, 1.0)).all():
            raise ValueError(
                "this curve holds losses other than 0 and 1, which have no exact test; bound their "
                "mean with cautious.guarantees.mean_bound."
            )
        classes = tuple(self.classes.tolist())
        answers = Answers.of_confidence(
            self.truth, self.confidence, self.loss == 1, classes, self.weight
        )
        return certify_counts(answers, "curve", **asked)

    def _facts(self) -> dict[str, Any]:
        facts = {"n": self.n, "thresholds": len(self.threshold)}
        return facts if self.weight.ndim > 1 else facts | {"aurc": self.aurc, "augrc": self.augrc}


def count_scores(y_true: Any, *given: Any) -> RiskCoverageCurve:
    """Count scores for a measure; a curve in place of truths is taken as it is."""
    if isinstance(y_true, RiskCoverageCurve):
        return y_true
    return RiskCoverageCurve.of_cases(y_true, *given).summed()


def _best_of_tensor(y_score: Any, y_true: Any) -> tuple[Ints, Floats, int] | None:
    """Likeliest class, its probability, number of classes; None unless a tensor holds them."""
    if not is_tensor(y_score) or len(y_score.shape) != 2:
        return None
    with suppress(TypeError, ValueError):  # scores of another kind, or faulty ones
        if len(check_truth(y_true)) == y_score.shape[0]:
            answer, greatest = tensor_likeliest(y_score)
            return as_numpy(answer), as_numpy(greatest), y_score.shape[1]
    return None


def _nan_if_zero(total: Floats) -> Floats:
    return np.where(total > 0, total, np.nan)


def _flat_numbers(values: npt.ArrayLike, name: str, like: npt.NDArray[Any] | None = None) -> Floats:
    """Check a flat array of numbers, none missing, as long as `like`."""
    array = as_floats(values, name)
    n = array.size if like is None else len(like)
    check_shape(array, (n,), name, "number per case")
    if np.isnan(array).any():
        raise ValueError(f"{name} is NaN in row {first_row(np.isnan(array))}; drop or fill it.")
    return array


def _finite_losses(loss: npt.ArrayLike, like: npt.NDArray[Any]) -> Floats:
    """Check losses: flat, as long as `like`, none missing or infinite."""
    words = "losses must be finite"
    return as_floats(_flat_numbers(loss, "loss", like), "loss", "losses", -FINITE, words=words)


@MEASURES.define("aurc", counts=RiskCoverageCurve, greater_is_better=False, section="confidence")
def _aurc(curve: RiskCoverageCurve, *, excess: bool = False) -> Floats:
    return curve.selective_area(excess=excess)


def aurc_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    loss: npt.ArrayLike | None = None,
) -> float:
    r"""Area under the risk–coverage curve.

    .. math:: \mathrm{AURC} = \int_0^1 \frac{g(c)}{c}\, dc

    with the generalised risk :math:`g` at coverage :math:`c`, the loss so far divided by the number
    of *all* cases, the most confident ones answered first. Cases of equal confidence cannot be told
    apart by a threshold: they enter as one step, inside which :math:`g` is a straight line (answer
    a random part of them: this is the expected risk). The integral is exact. It depends neither on
    the order of the rows nor on the scale of the weights.

    Parameters
    ----------
    y_true, y_score, classes, pos_label, sample_weight, confidence, loss
        As for :meth:`~cautious.curves.RiskCoverageCurve.from_predictions`.

    Notes
    -----
    The measure "excess_aurc" is what AURC loses to the best confidence possible, the one that falls
    as the loss rises. For 0/1 losses with error rate :math:`e` that has the area
    :math:`e + (1 - e) \ln(1 - e)` (Geifman, Uziel & El-Yaniv 2019, section 3).

    Conventions differ between libraries, and so do the numbers:

    - Geifman, Uziel & El-Yaniv (2019): the mean of the selective risk at the n coverages 1/n, …, 1;
      cases of equal confidence in the order of the rows;
    - torch-uncertainty: trapezia between these n points, divided by 1 − 1/n; ties as a sort leaves
      them;
    - fd-shifts: trapezia between the distinct confidences, level from the first down to coverage 0,
      times 1000;
    - others: the sum of the n selective risks, not their mean.

    On the example below these give .2778, .3333, 222.2 and .8333, and this function .2374. With few
    ties they agree (after scaling) as the sample grows.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), "Bias-reduced uncertainty estimation for deep neural
    classifiers"; for the integral of the quotient, Traub et al. (2024), "Overcoming common flaws in
    the evaluation of selective classification systems".

    Examples
    --------
    >>> round(aurc_score(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), 4)
    0.2374
    """
    curve = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
    return _aurc.score(curve)


@MEASURES.define("augrc", counts=RiskCoverageCurve, greater_is_better=False, section="confidence")
def _augrc(curve: RiskCoverageCurve, *, excess: bool = False) -> Floats:
    return curve.generalised_area(excess=excess)


MEASURES.vary(_aurc, "excess_aurc", excess=True)
MEASURES.vary(_augrc, "excess_augrc", excess=True)


def augrc_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    loss: npt.ArrayLike | None = None,
) -> float:
    r"""Area under the generalised risk–coverage curve.

    .. math:: \mathrm{AUGRC} = \int_0^1 g(c)\, dc

    with :math:`g` as in :func:`aurc_score`: the mean risk of an undetected failure over all
    thresholds. For 0/1 losses with error rate :math:`e` and :math:`A` the area under the ROC curve
    of confidence for right against wrong answers,
    :math:`\mathrm{AUGRC} = (1 - A)\, e\,(1 - e) + e^2/2`. Ties enter as one step. The measure
    "excess_augrc" is what it loses to the best confidence possible, which has :math:`e^2/2`.

    Parameters
    ----------
    y_true, y_score, classes, pos_label, sample_weight, confidence, loss
        As for :meth:`~cautious.curves.RiskCoverageCurve.from_predictions`.

    References
    ----------
    Traub et al. (2024), eqs 6–8.

    Examples
    --------
    >>> round(augrc_score(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), 4)
    0.1667
    """
    curve = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
    return _augrc.score(curve)
