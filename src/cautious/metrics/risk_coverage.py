"""Risk against coverage: what a classifier errs on when it answers the surest cases first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Labels
from cautious.metrics.score_checks import (
    check_length,
    check_width,
    class_scores,
    finite_losses,
    flat_numbers,
)
from cautious.sets import check_sets, check_weight

__all__ = ["RiskCoverage", "risk_coverage"]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    r"""Losses counted at each confidence: all that risk and coverage depend on, and it adds up.

    Cells are distinct (confidence, loss, true class) triples in falling order of confidence. Cases
    of equal confidence form a *block* that no threshold can part, so every curve below has one
    point a block. Between two points lie the classifiers that answer a random part of the block:
    there the generalised risk :math:`g` is linear in the coverage :math:`c`, and the selective
    risk is :math:`r = g / c`.

    ``weight`` may carry leading axes, one row a bootstrap replicate; everything below then does.

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

    Examples
    --------
    >>> half = risk_coverage([0, 1], [0.9, 0.6])
    >>> whole = half + risk_coverage([0, 0], [0.6, 0.7])
    >>> whole.threshold, whole.coverage, whole.selective_risk
    (array([0.9, 0.7, 0.6]), array([0.25, 0.5 , 1.  ]), array([0.  , 0.  , 0.25]))
    """

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
        sample_weight: npt.ArrayLike | None = None,
        confidence: npt.ArrayLike | None = None,
        loss: npt.ArrayLike | None = None,
    ) -> RiskCoverage:
        """Answer with the class of greatest score, as sure as that score is great.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels.
        y_score : array-like of shape (n, K) or (n,)
            Class scores, usually probabilities; or, for two classes, the probability of the second.
            Ties between classes go to the first. Not needed if `confidence` and `loss` are given.
            Probabilities of less than double precision are divided by their sum where rounding
            made it differ from 1, as :func:`cautious.sets.check_probabilities` does.
        classes : sequence of length K, optional
            Class labels in column order; by default the sorted labels of `y_true`.
        sample_weight : array-like of shape (n,), optional
            How often each case counts.
        confidence : array-like of shape (n,), optional
            Confidence of each answer, in place of its score.
        loss : array-like of shape (n,), optional
            Loss of each answer, in place of 1 for a wrong and 0 for a right one.

        Returns
        -------
        RiskCoverage
        """
        cases = cls.of_cases(
            y_true,
            y_score,
            classes=classes,
            sample_weight=sample_weight,
            confidence=confidence,
            loss=loss,
        )
        return cases.merge()[0]

    @classmethod
    def of_cases(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike | None = None,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        confidence: npt.ArrayLike | None = None,
        loss: npt.ArrayLike | None = None,
        name: str = "y_score",
    ) -> RiskCoverage:
        """Make one cell a case, in the order given; :meth:`merge` sorts and adds up.

        Errors call the scores `name`.
        """
        if y_score is None:
            if confidence is None or loss is None:
                raise ValueError(f"{name} is None; give it, or both confidence= and loss=.")
            checked = check_sets(y_true, y_true, classes=classes, sample_weight=sample_weight)
        else:
            scores = class_scores(y_score, y_true, classes, name=name)
            check_length(y_true, scores, name)
            if classes is None:
                check_width(y_true, scores.shape[1], name)
            answer = np.zeros(scores.shape, dtype=np.bool_)
            np.put_along_axis(answer, scores.argmax(axis=1, keepdims=True), True, axis=1)
            checked = check_sets(y_true, answer, classes=classes, sample_weight=sample_weight)
            confidence = scores.max(axis=1) if confidence is None else confidence
            wrong = ~answer[np.arange(len(answer)), checked.truth]
            loss = wrong if loss is None else loss
        return cls(
            flat_numbers(confidence, "confidence", checked.truth),
            finite_losses(loss, checked.truth),
            checked.truth,
            checked.weight,
            checked.classes,
        )

    def __add__(self, other: RiskCoverage) -> RiskCoverage:
        if not isinstance(other, RiskCoverage):
            return NotImplemented
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                f"cannot add counts over classes {self.classes.tolist()} to counts over "
                f"{other.classes.tolist()}; make both with the same classes=."
            )
        both = RiskCoverage(
            np.concatenate([self.confidence, other.confidence]),
            np.concatenate([self.loss, other.loss]),
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.weight, other.weight]),
            self.classes,
        )
        return both.merge()[0]

    def __radd__(self, other: int) -> RiskCoverage:
        # sum() starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RiskCoverage):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("classes", "confidence", "loss", "truth", "weight")
        )

    __hash__ = None  # type: ignore[assignment]

    def merge(self) -> tuple[RiskCoverage, Ints]:
        """Sort cells, the surest first, and add up equal ones, leaving out those of weight 0.

        Returns
        -------
        counts : RiskCoverage
            The same counts in their canonical form.
        code : ndarray of int
            Which of its cells each cell of positive weight went to.
        """
        kept = np.flatnonzero(self.weight > 0)
        order = kept[np.argsort(-self.confidence[kept])]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = self.confidence[order[1:]] != self.confidence[order[:-1]]
        if not new.all():  # only ties ask for the other keys, and for the dearer sort
            order = kept[np.lexsort((self.truth[kept], self.loss[kept], -self.confidence[kept]))]
            for key in (self.loss[order], self.truth[order]):
                new[1:] |= key[1:] != key[:-1]
        first = order[new]
        rank = np.empty(len(self.weight), dtype=np.intp)
        rank[order] = np.cumsum(new) - 1
        code = rank[kept]
        total = np.bincount(code, weights=self.weight[kept]).astype(np.float64)
        counts = replace(
            self,
            confidence=self.confidence[first],
            loss=self.loss[first],
            truth=self.truth[first],
            weight=total,
        )
        return counts, code

    def reweighted(self, weight: Floats) -> RiskCoverage:
        """Return the same cells with other weights, of shape (..., n_cells)."""
        return replace(self, weight=weight)

    @property
    def n(self) -> Any:
        """Total weight."""
        return self.weight.sum(axis=-1)

    @property
    def threshold(self) -> Floats:
        """Confidence of each block, falling: answering cases at or above it gives its point."""
        return self.confidence[self._starts]

    @property
    def coverage(self) -> Floats:
        """Share of cases at or above each threshold; the last is 1."""
        return self._curve()[0]

    @property
    def generalised_risk(self) -> Floats:
        """Mean over *all* cases of the loss on those at or above each threshold."""
        return self._curve()[1]

    @property
    def selective_risk(self) -> Floats:
        """Mean loss of the cases at or above each threshold; nan where there are none."""
        coverage, risk = self._curve()
        empty = coverage == 0
        return np.where(empty, np.nan, risk / np.where(empty, 1, coverage))

    def aurc(self) -> Floats:
        r"""Area under selective risk against coverage, :math:`\int_0^1 g(c)/c\,dc`, exactly.

        With block ends :math:`(c_k, r_k)` and mean loss :math:`\bar\ell_k` of block :math:`k`,

        .. math::

            \mathrm{AURC} = r_m + \sum_{k=2}^m c_{k-1}\,(r_{k-1} - \bar\ell_k)
            \ln\frac{c_k}{c_{k-1}}.
        """
        if not len(self.confidence):
            return np.full(np.shape(self.n), np.nan)
        c, g = self._curve()
        before, step = c[..., :-1], np.diff(c)
        # A block before any answer, or one of weight 0, has no area; 1 only keeps the log quiet.
        real = (before > 0) & (step > 0)
        before, step = np.where(real, before, 1), np.where(real, step, 1)
        intercept = g[..., :-1] - np.diff(g) * before / step
        bend = np.where(real, intercept * np.log1p(step / before), 0)
        return np.asarray(g[..., -1] + bend.sum(axis=-1))

    def augrc(self) -> Floats:
        r"""Area under generalised risk against coverage, :math:`\int_0^1 g(c)\,dc`, exactly."""
        if not len(self.confidence):
            return np.full(np.shape(self.n), np.nan)
        c, g = self._curve()
        from_zero = g[..., 0] * c[..., 0]
        return np.asarray((from_zero + ((g[..., 1:] + g[..., :-1]) * np.diff(c)).sum(axis=-1)) / 2)

    def oracle(self) -> RiskCoverage:
        """Return the same losses, answered in their own rising order: no confidence does better."""
        order = np.argsort(self.loss, kind="stable")
        return replace(
            self,
            confidence=-self.loss[order],
            loss=self.loss[order],
            truth=self.truth[order],
            weight=self.weight[..., order],
        )

    @property
    def _starts(self) -> Ints:
        """Position of the first cell of each block."""
        new = np.ones(len(self.confidence), dtype=np.bool_)
        new[1:] = self.confidence[1:] != self.confidence[:-1]
        return np.flatnonzero(new)

    def _curve(self) -> tuple[Floats, Floats]:
        """Coverage and generalised risk at block ends."""
        weight, loss = np.cumsum(self.weight, axis=-1), np.cumsum(self.weight * self.loss, axis=-1)
        starts = self._starts
        if len(starts) < len(self.confidence):  # there are ties
            ends = np.append(starts[1:], len(self.confidence)) - 1
            weight, loss = weight[..., ends], loss[..., ends]
        # Dividing by the last cumulated sum, not by the sum, makes the last coverage exactly 1.
        total = np.where(weight[..., -1:] > 0, weight[..., -1:], np.nan)
        return weight / total, loss / total


def risk_coverage(
    loss: npt.ArrayLike,
    confidence: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> RiskCoverage:
    r"""Count losses by confidence: the points of a risk–coverage curve, ties as one step.

    Parameters
    ----------
    loss : array-like of shape (n,)
        What each answer costs, for example 1 if it is wrong and 0 if it is right.
    confidence : array-like of shape (n,)
        Any score that is greater the surer the classifier is; only its order matters.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.

    Returns
    -------
    RiskCoverage

    Examples
    --------
    >>> curve = risk_coverage(loss=[0, 0, 1, 1], confidence=[0.9, 0.7, 0.7, 0.5])
    >>> curve.coverage, curve.generalised_risk
    (array([0.25, 0.75, 1.  ]), array([0.  , 0.25, 0.5 ]))
    """
    scores = flat_numbers(confidence, "confidence")
    losses = finite_losses(loss, scores)
    truth = np.zeros(len(scores), dtype=np.intp)
    weight = check_weight(sample_weight, len(scores))
    return RiskCoverage(scores, losses, truth, weight, np.empty(0)).merge()[0]
