"""ROC analysis of a two-class classifier that abstains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._cases import cases_of_scores
from cautious._checks import as_count, check_choice, check_some_weight
from cautious._labels import binary_classes
from cautious._random import check_level
from cautious._result import Shown
from cautious._set_counts import check_confusion
from cautious._typing import Floats, Ints, as_number
from cautious.curves._staircase import Staircase, check_probability_scores
from cautious.curves._window import check_binary_costs, plain, posterior_window
from cautious.curves.response import ResponseCurve
from cautious.curves.window_states import WindowStates, share_of
from cautious.predictions._estimators import FromEstimator

READINGS = {
    "ignore": (True, True),
    "ignore in TPR": (True, False),
    "ignore in FPR": (False, True),
    "count": (False, False),
}
"""Whether abstentions are left out of the totals of (positives, negatives) in each reading."""


@dataclass(frozen=True, eq=False, repr=False)
class AbstentionROC(FromEstimator, Shown):
    r"""ROC curves of a probabilistic classifier at every level of abstention.

    Cases drop out as the caution window of :func:`cautious.decision.bias_window_rule` grows. The
    ROC curve of those that are left usually bulges further; drawn over abstention the curves form a
    surface, whose volume is the area under the curve of AUC against abstention.

    Attributes
    ----------
    response : ResponseCurve
        The sweep of the window; its classes are (negative, positive).

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 6.

    Examples
    --------
    The seven-leaf tree of Ferri & Hernández-Orallo (2004), Example 2, with class a as positive:

    >>> import numpy as np
    >>> roc = AbstentionROC.from_predictions(
    ...     np.repeat(["a", "b"], 7),
    ...     np.tile([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1], 2),
    ...     pos_label="a",
    ...     bias=0.55,
    ...     sample_weight=[23, 10, 4, 0, 2, 1, 0, 1, 0, 2, 9, 3, 15, 30],
    ... )
    >>> roc.readings(0.4)[["tpr", "fpr"]].round(4)
                      tpr     fpr
    reading
    ignore         0.9706  0.0217
    ignore in TPR  0.9706  0.0167
    ignore in FPR  0.8250  0.0217
    count          0.8250  0.0167
    >>> roc.curve(0.4).round(3)
         fpr    tpr  threshold
    0  0.000  0.000        inf
    1  0.022  0.676       1.00
    2  0.022  0.971       0.75
    3  0.348  1.000       0.20
    4  1.000  1.000       0.10
    >>> round(roc.volume, 4)
    0.8529
    """

    _asks = "probability"
    READINGS: ClassVar[dict[str, tuple[bool, bool]]] = READINGS

    response: ResponseCurve

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        pos_label: Any = None,
        bias: float = 0.5,
        sample_weight: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> AbstentionROC:
        """Sweep the window over given probabilities of the positive class.

        Parameters
        ----------
        y_true, pos_label, sample_weight, classes
            As in :meth:`Staircase.from_predictions`.
        y_score : array-like of shape (n,)
            Probability of the positive class.
        bias : float, default=0.5
            Bias of the positive class, between 0 and 1; the negative class has the rest.
        """
        cases = cases_of_scores(
            y_true, y_score, pos_label=pos_label, classes=classes, sample_weight=sample_weight
        )
        score = check_probability_scores(cases.score)
        words = "the bias of the positive class lies between 0 and 1"
        bias = as_number(bias, "bias", 0, 1, words=words)
        check_some_weight(cases.weight.sum())
        proba = np.column_stack([1 - score, score])
        seen = replace(cases, y_score=None, y_proba=proba).take(cases.weight > 0)
        return cls(ResponseCurve(WindowStates.of(seen, np.array([1 - bias, bias]))))

    @property
    def abstention(self) -> Floats:
        """Share of cases abstained on in each state of the window."""
        return self.response.abstention

    @property
    def auc(self) -> Floats:
        """Area under the ROC curve of the kept cases in each state; nan if one class is left."""
        return self.response.measure("auc")

    @property
    def volume(self) -> float:
        """Volume under the ROC surface over abstention: the area under AUC against abstention.

        Between states the AUC runs in a straight line, and it counts as 1 at abstention 1; see
        :meth:`ResponseCurve.area`.
        """
        return self.response.area("auc")

    def readings(self, window: float) -> pd.DataFrame:
        """Read true and false positive rates at a window, in four ways.

        Parameters
        ----------
        window : float
            Between 0 and 1.

        Returns
        -------
        DataFrame
            See :meth:`readings_of`.
        """
        return self.readings_of(self.response.confusion_matrix(window))

    @staticmethod
    def readings_of(matrix: pd.DataFrame | npt.ArrayLike, *, pos_label: Any = None) -> pd.DataFrame:
        r"""Read true and false positive rates off a matrix with abstentions, in four ways.

        An abstention can be left out of the total that a rate is a share of, or counted in it: for
        both rates, for either, or for none. Of the four, leaving them out of the true positive rate
        only is the most optimistic and leaving them out of the false positive rate only the most
        pessimistic.

        Parameters
        ----------
        matrix : DataFrame or array-like of shape (3, 2)
            Predictions as rows, the last of them abstaining; truths as columns.
        pos_label : label, optional
            The positive class, a column label of a frame; by default the second column.

        Returns
        -------
        DataFrame
            Rows are the readings; columns the shares of positives that are called positive
            (``tpr``), negative (``fnr``) and abstained on (``abstained_positives``), and the same
            of negatives (``fpr``, ``tnr``, ``abstained_negatives``). Shares that a reading
            ignores, and shares of nothing, are nan.

        References
        ----------
        Ferri & Hernández-Orallo (2004), section 6. For the first reading the text prints a false
        positive rate of .0177, its table .0217; the table is right (1/46).

        Examples
        --------
        >>> AbstentionROC.readings_of([[45, 1], [1, 33], [14, 6]]).round(3).T
        reading              ignore  ignore in TPR  ignore in FPR  count
        tpr                   0.971          0.971          0.825  0.825
        fnr                   0.029          0.029          0.025  0.025
        abstained_positives     NaN            NaN          0.150  0.150
        fpr                   0.022          0.017          0.022  0.017
        tnr                   0.978          0.750          0.978  0.750
        abstained_negatives     NaN          0.233            NaN  0.233
        """
        table = check_confusion(matrix, n_classes=2)
        positive = 1
        if pos_label is not None:
            labels = matrix.columns.tolist() if isinstance(matrix, pd.DataFrame) else [0, 1]
            positive = labels.index(binary_classes(labels, pos_label=pos_label)[1])
        counts = table[[positive, 1 - positive, 2]][:, [positive, 1 - positive]]
        rows = []
        for ignored in map(np.array, READINGS.values()):
            shares = share_of(counts, np.where(ignored, counts[:2].sum(axis=0), counts.sum(axis=0)))
            shares[2, ignored] = np.nan
            rows.append(shares.T.ravel())
        columns = ["tpr", "fnr", "abstained_positives", "fpr", "tnr", "abstained_negatives"]
        return pd.DataFrame(rows, index=pd.Index(READINGS, name="reading"), columns=columns)

    @staticmethod
    def slopes(
        mu: npt.ArrayLike,
        nu: npt.ArrayLike,
        nu_negative: npt.ArrayLike | None = None,
        *,
        prior: float = 0.5,
    ) -> tuple[Floats, Floats]:
        r"""Slopes of the two lines that touch the ROC hull at the optimal thresholds.

        Tortorella's rule: the thresholds of the optimal window are where lines of these slopes
        touch the convex hull of the ROC curve (false-positive rate across, true-positive rate up).
        With odds :math:`o(q) = q/(1-q)` of the two probabilities that
        :meth:`AbstentionCostSurface.chow_window` gives, the slopes are
        :math:`o(q)\,\pi_N/\pi_P`; the steeper one belongs to the upper threshold.

        Parameters
        ----------
        mu, nu, nu_negative : float or array-like
            Relative costs, as in :meth:`AbstentionCostSurface.chow_window`.
        prior : float
            Probability :math:`\pi_P` of the positive class, strictly between 0 and 1.

        Returns
        -------
        lower, upper : float or ndarray
            Slopes for the lower and the upper threshold.

        References
        ----------
        Tortorella (2005); Pietraszek (2005), cost-based model.

        Examples
        --------
        >>> AbstentionROC.slopes(1.0, 0.25, prior=0.5)
        (0.3333333333333333, 3.0)
        """
        words = "a class probability lies strictly between 0 and 1"
        prior = as_number(prior, "prior", np.nextafter(0, 1), np.nextafter(1, 0), words=words)
        lower, upper = posterior_window(check_binary_costs(mu, nu, nu_negative))
        balance = (1 - prior) / prior
        with np.errstate(divide="ignore"):
            return plain(lower / (1 - lower) * balance), plain(upper / (1 - upper) * balance)

    def curve(self, window: float = 0.0) -> pd.DataFrame:
        """ROC curve of the cases that are kept at a window.

        Parameters
        ----------
        window : float, default=0
            Between 0 and 1. At 0 nothing is dropped.

        Returns
        -------
        DataFrame
            ``fpr``, ``tpr`` and ``threshold``, one row per distinct probability of the kept cases,
            falling; the first row calls none positive. Rates of a class that has no kept cases are
            nan.
        """
        stairs, last_state = self._stairs
        kept = np.flatnonzero(last_state >= self.response.states.at(window))[::-1]
        columns = {}
        for name, counts in (("fpr", stairs.negatives), ("tpr", stairs.positives)):
            above = np.concatenate([[0.0], np.cumsum(counts[kept])])
            columns[name] = share_of(above, above[-1])
        columns["threshold"] = np.concatenate([[np.inf], stairs.scores[kept]])
        return pd.DataFrame(columns)

    def band(self, window: float = 0.0, *, confidence_level: float = 0.95) -> pd.DataFrame:
        r"""ROC curve with a band that holds the whole curve of new cases at once.

        The band is simultaneous: with probability of at least `confidence_level`, both rates of new
        cases lie within it at *every* threshold. So the curve of new cases runs between the points
        (``fpr_low``, ``tpr_high``) above and (``fpr_high``, ``tpr_low``) below.

        Parameters
        ----------
        window : float, default=0
            Between 0 and 1, chosen before the cases were seen. At 0 nothing is dropped.
        confidence_level : float, default=0.95
            How often, at least, the band holds the curve.

        Returns
        -------
        DataFrame
            ``fpr``, ``tpr`` and ``threshold`` as in :meth:`curve`, with ``_low`` and ``_high`` of
            both rates; 0 and 1 for a class that has no kept cases.

        Notes
        -----
        A rate over all thresholds is a distribution function, and its largest error has the law of
        Kolmogorov's statistic, whatever the scores; with ties it is smaller. The classes are
        independent, so each has the level :math:`\sqrt{\text{level}}`. Weights count repetitions.

        References
        ----------
        Campbell (1994), *Advances in statistical methodology for the evaluation of diagnostic and
        laboratory tests*; Macskassy & Provost (2004), *Confidence bands for ROC curves*.
        """
        each = np.sqrt(check_level(confidence_level))
        band = self.curve(window)
        stairs, last_state = self._stairs
        kept = last_state >= self.response.states.at(window)
        for name, counts in (("fpr", stairs.negatives), ("tpr", stairs.positives)):
            n = int(counts[kept].sum())
            rate = band[name].fillna(0.0)
            width = float(scipy.stats.kstwo.ppf(each, n)) if n else 1.0
            band[f"{name}_low"] = np.clip(rate - width, 0.0, 1.0)
            band[f"{name}_high"] = np.clip(rate + width, 0.0, 1.0)
        return band

    @cached_property
    def _stairs(self) -> tuple[Staircase, Ints]:
        """Counts at each distinct probability, and the last state that keeps it."""
        states = self.response.states
        seen = states.predictions
        positives = seen.weight * seen.truth
        stairs = Staircase.from_counts(seen.proba[:, 1], positives, seen.weight - positives)
        last_state = np.empty(len(stairs), dtype=np.intp)
        # Cases of equal probability drop out together.
        place = np.searchsorted(stairs.scores, seen.proba[:, 1])
        last_state[place] = states.last_state[: len(seen.truth)]
        return stairs, last_state

    def surface(self, n_levels: int = 50, n_points: int = 200) -> pd.DataFrame:
        """ROC curves over abstention, few enough to draw.

        Parameters
        ----------
        n_levels : int, default=50
            How many curves to give at most, spread evenly over abstention; the first and the last
            are always there.
        n_points : int, default=200
            How many points of a curve to give at most, spread evenly along it. Each is a point of
            the exact curve, as :meth:`curve` gives it.

        Returns
        -------
        DataFrame
            ``abstention``, ``window``, ``fpr``, ``tpr`` and ``threshold``, one curve after the
            other. States in which no or one class is left have no curve.
        """
        for name, number in (("n_levels", n_levels), ("n_points", n_points)):
            as_count(number, name, least=2)
        states = np.flatnonzero(~np.isnan(self.auc))
        curves = []
        for state in states[_spread(self.abstention[states], n_levels)].tolist():
            window, level = float(self.response.window[state]), self.abstention[state]
            curve = self.curve(window)
            along = (curve["fpr"] + curve["tpr"]).to_numpy()
            curve = curve.iloc[_spread(along, n_points)]
            curves.append(curve.assign(abstention=level, window=window))
        columns = ["abstention", "window", "fpr", "tpr", "threshold"]
        if not curves:
            return pd.DataFrame({name: np.empty(0) for name in columns})
        return pd.concat(curves, ignore_index=True)[columns]

    def _facts(self) -> dict[str, Any]:
        return self.response._facts()

    def frame(self, reading: str = "ignore") -> pd.DataFrame:
        """Path of the classifier through ROC space as the window grows.

        Parameters
        ----------
        reading : {"ignore", "ignore in TPR", "ignore in FPR", "count"}, default="ignore"
            How abstentions are counted; see :meth:`readings_of`.

        Returns
        -------
        DataFrame
            One row per state: its windows, abstention, ``tpr``, ``fpr`` and ``auc``.
        """
        check_choice(reading, "reading", READINGS)
        states = self.response.states
        columns = {"low": states.low, "high": states.high, "abstention": self.abstention}
        for name, truth in (("tpr", 1), ("fpr", 0)):
            is_truth = np.eye(2)[truth]
            called_positive = states.answered(np.outer([0, 1], is_truth))[:-1]
            kept = states.answered(is_truth)[:-1]
            ignored = READINGS[reading][1 - truth]
            columns[name] = share_of(called_positive, kept if ignored else kept[0])
        return pd.DataFrame(columns | {"auc": self.auc})


def _spread(values: Floats, most: int) -> Ints:
    """Positions of at most so many of the rising values, evenly spread, with both ends."""
    if len(values) <= most:
        return np.arange(len(values))
    wanted = np.linspace(values[0], values[-1], most)
    positions = np.unique(np.searchsorted(values, wanted))
    positions[-1] = len(values) - 1
    return positions
