"""Risk–coverage curves: the risk of answering only the surest cases."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from cautious._typing import Floats, as_floats
from cautious.metrics import RiskCoverage, risk_coverage
from cautious.predictions import outputs_of, pooled_outputs

__all__ = ["RiskCoverageCurve", "WorkingPoint"]


class WorkingPoint(NamedTuple):
    """A confidence threshold with its coverage and selective risk."""

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True, eq=False)
class RiskCoverageCurve:
    r"""Risk of a classifier that answers the surest cases first, against its coverage.

    At coverage :math:`c` the *generalised risk* :math:`g(c)` is the loss of the answered cases
    divided by the number of all cases, and the *selective risk* :math:`r(c) = g(c) / c` their mean
    loss. Cases of equal confidence cannot be told apart by a threshold: they form a block, and the
    curve has one point a block. Inside a block :math:`g` is a straight line, which is what
    answering a random part of the block risks on average. Hence no number here depends on the order
    of the rows.

    Curves of two batches add up: ``a + b`` is the curve of both.

    Attributes
    ----------
    counts : RiskCoverage
        Losses counted at each confidence.

    Notes
    -----
    AURC is the area :math:`\int_0^1 r(c)\,dc`, integrated exactly. Other libraries compute other
    numbers under that name, from the same selective risks :math:`r_1, …, r_n` at coverages
    :math:`1/n, …, 1`:

    ================================  =====================================  ===================
    who                               what                                   ties
    ================================  =====================================  ===================
    this library                      exact area                             a block
    Geifman, Uziel & El-Yaniv (2019)  mean of the :math:`r_i`                order of the rows
    torch-uncertainty                 trapezia from 1/n to 1, over 1 − 1/n   as a sort left them
    fd-shifts                         1000 × trapezia between blocks,        a block
                                      level from the first down to 0
    others                            sum of the :math:`r_i`, not the mean   order of the rows
    scikit-fallback 0.2               area of *accuracy* up to               all blocks weigh
                                      abstention .95                         the same
    ================================  =====================================  ===================

    On the same predictions these have been seen to give .31616, .31326, 313.24 and, un-normalised,
    1784. Without ties they agree, after scaling, to order :math:`(\log n) / n`; with ties they do
    not, and those that follow the order of the rows change when the rows are shuffled. MAPIE
    chooses thresholds that control a risk but has no such area.

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
    >>> curve.frame()
       threshold  coverage  selective_risk  generalised_risk
    0        0.9      0.25        0.000000              0.00
    1        0.7      0.75        0.333333              0.25
    2        0.5      1.00        0.500000              0.50
    >>> round(curve.aurc, 4), round(curve.excess_aurc, 4), round(curve.augrc, 4)
    (0.2188, 0.0654, 0.1562)
    >>> curve.coverage_at_risk(0.4), curve.threshold_at_risk(0.4)
    (0.83..., WorkingPoint(threshold=0.7, coverage=0.75, risk=0.33...))
    """

    counts: RiskCoverage

    def __post_init__(self) -> None:
        if not np.ndim(self.counts.n) == 0 or not self.counts.n > 0:
            raise ValueError(
                "there is no example of positive weight; a curve needs at least one prediction."
            )

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: npt.ArrayLike,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        confidence: npt.ArrayLike | None = None,
        loss: npt.ArrayLike | None = None,
    ) -> RiskCoverageCurve:
        """Answer with the likeliest class, as sure as it is likely.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels.
        y_proba : array-like of shape (n, K) or (n,)
            Class probabilities or other scores; or, for two classes, the probability of the second.
        classes : sequence of length K, optional
            Class labels in column order; by default the sorted labels of `y_true`.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        confidence : array-like of shape (n,), optional
            Confidence of each answer, in place of its probability; only its order matters.
        loss : array-like of shape (n,), optional
            Loss of each answer, in place of 1 for a wrong and 0 for a right one.

        Returns
        -------
        RiskCoverageCurve
        """
        return cls(
            RiskCoverage.of_cases(
                y_true,
                y_proba,
                classes=classes,
                sample_weight=sample_weight,
                confidence=confidence,
                loss=loss,
                name="y_proba",
            ).merge()[0]
        )

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
            What each answer costs; finite.
        confidence : array-like of shape (n,)
            Any score that is greater the surer the answer; infinite values are allowed.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.

        Returns
        -------
        RiskCoverageCurve
        """
        return cls(risk_coverage(loss, confidence, sample_weight=sample_weight))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
    ) -> RiskCoverageCurve:
        """Make the curve of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba`` and ``classes_``.
        X, y : array-like
            Examples and their true labels.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.

        Returns
        -------
        RiskCoverageCurve
        """
        proba, classes = outputs_of(estimator, X, "predict_proba")
        return cls.from_predictions(y, proba, classes=classes, sample_weight=sample_weight)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
    ) -> RiskCoverageCurve:
        """Make the curve of the pooled out-of-fold probabilities of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array-like
            The data that were cross-validated.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.

        Returns
        -------
        RiskCoverageCurve
        """
        truth, proba, classes, weight = pooled_outputs(
            cv_results, X, y, "predict_proba", sample_weight=sample_weight
        )
        return cls.from_predictions(truth, proba, classes=classes, sample_weight=weight)

    def __add__(self, other: RiskCoverageCurve) -> RiskCoverageCurve:
        if not isinstance(other, RiskCoverageCurve):
            return NotImplemented
        return RiskCoverageCurve(self.counts + other.counts)

    @property
    def threshold(self) -> Floats:
        """Distinct confidences, falling: answering cases at or above one gives its point."""
        return self.counts.threshold

    @property
    def coverage(self) -> Floats:
        """Share of cases answered at each threshold; the last is 1."""
        return self.counts.coverage

    @property
    def selective_risk(self) -> Floats:
        """Mean loss of the cases answered at each threshold."""
        return self.counts.selective_risk

    @property
    def generalised_risk(self) -> Floats:
        """Loss of the cases answered at each threshold, over the number of all cases."""
        return self.counts.generalised_risk

    @property
    def optimal(self) -> RiskCoverageCurve:
        """The curve of the same losses with the best confidence possible: small losses first."""
        return RiskCoverageCurve(self.counts.oracle())

    @property
    def aurc(self) -> float:
        """Area under selective risk against coverage."""
        return float(self.counts.aurc())

    @property
    def excess_aurc(self) -> float:
        """How far the area is above that of the best confidence possible; never negative."""
        return max(self.aurc - self.optimal.aurc, 0.0)

    @property
    def augrc(self) -> float:
        """Area under generalised risk against coverage."""
        return float(self.counts.augrc())

    @property
    def excess_augrc(self) -> float:
        """How far that area is above that of the best confidence possible; never negative."""
        return max(self.augrc - self.optimal.augrc, 0.0)

    def risk_at_coverage(self, coverage: npt.ArrayLike) -> Floats:
        """Give the selective risk of answering the surest share of the cases.

        Where the share ends inside a block of equal confidences, a random part of it is answered.

        Parameters
        ----------
        coverage : float or array-like
            Between 0 and 1. At 0 nothing is answered, and the risk is nan, with a warning.

        Returns
        -------
        ndarray
            Of the shape of `coverage`.
        """
        wanted = _check_share(coverage, "coverage")
        if (wanted == 0).any():
            warnings.warn(
                "risk is undefined at coverage 0, where nothing is answered; it is nan there.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        risk = np.interp(
            wanted, np.append(0.0, self.coverage), np.append(0.0, self.generalised_risk)
        )
        undefined = np.full(wanted.shape, np.nan)
        return np.asarray(np.divide(risk, wanted, out=undefined, where=wanted > 0))

    def coverage_at_risk(self, risk: float) -> float:
        r"""Largest coverage whose selective risk does not exceed a bound.

        Where it ends inside a block of equal confidences, a random part of it is answered; inside a
        block :math:`r(c) = \bar\ell + (c_0 / c) (r(c_0) - \bar\ell)`, with mean loss
        :math:`\bar\ell` and beginning :math:`c_0` of the block, so the end is found exactly.

        Parameters
        ----------
        risk : float
            The most that an answer may lose on average; negative only where losses are.

        Returns
        -------
        float
            0 if even the surest cases lose more. There may be smaller coverages with a larger risk.
        """
        bound = self._check_risk(risk)
        end = self.coverage
        begin = np.append(0.0, end[:-1])
        block_loss = np.diff(self.generalised_risk, prepend=0.0)
        block_loss /= end - begin
        # Loss that may still be spent on this block, were the bound met with equality.
        slack = (bound * begin) - np.append(0.0, self.generalised_risk[:-1])
        allowed = self.selective_risk <= bound
        with np.errstate(all="ignore"):  # only blocks that exceed the bound are read
            inside = begin + slack / (block_loss - bound)
        reach = np.where(allowed, end, np.where(slack > 0, np.minimum(inside, end), 0.0))
        return float(reach.max())

    def threshold_at_risk(self, risk: float) -> WorkingPoint:
        """Threshold of largest coverage whose selective risk does not exceed a bound.

        Parameters
        ----------
        risk : float
            The most that an answer may lose on average; negative only where losses are.

        Returns
        -------
        WorkingPoint
            With threshold infinity, coverage 0 and risk nan if no threshold will do.
        """
        allowed = np.flatnonzero(self.selective_risk <= self._check_risk(risk))
        return self._point(int(allowed[-1])) if len(allowed) else WorkingPoint(np.inf, 0.0, np.nan)

    def threshold_at_coverage(self, coverage: float) -> WorkingPoint:
        """Largest threshold that covers at least a share of the cases.

        Parameters
        ----------
        coverage : float
            Between 0 and 1.

        Returns
        -------
        WorkingPoint
        """
        wanted = float(_check_share(coverage, "coverage"))
        return self._point(int(np.searchsorted(self.coverage, wanted)))

    def _check_risk(self, risk: float) -> float:
        if np.ndim(risk) or not isinstance(risk, Real | np.number) or np.isnan(risk):
            raise ValueError(f"risk is {risk!r}; give a single number.")
        if risk < 0 <= self.counts.loss.min():
            raise ValueError(
                f"risk is {risk!r}, but no loss is negative, so no risk is; give the mean loss "
                "that may be borne, at least 0."
            )
        return float(risk)

    def _point(self, at: int) -> WorkingPoint:
        return WorkingPoint(
            float(self.threshold[at]), float(self.coverage[at]), float(self.selective_risk[at])
        )

    def frame(self) -> pd.DataFrame:
        """One row a threshold, falling: its coverage and both risks."""
        return pd.DataFrame(
            {
                "threshold": self.threshold,
                "coverage": self.coverage,
                "selective_risk": self.selective_risk,
                "generalised_risk": self.generalised_risk,
            }
        )


def _check_share(values: npt.ArrayLike, name: str) -> Floats:
    array = as_floats(values, name, "shares")
    if not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"{name} is {values!r}; a share of the cases lies between 0 and 1.")
    return array
