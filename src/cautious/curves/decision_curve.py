r"""Decision curves: the net benefit of acting on a model's probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._result import Shown
from cautious._typing import Floats, as_floats
from cautious.curves._staircase import Priors, Staircase, check_probability_scores
from cautious.curves._window import plain
from cautious.curves.cost_surface import AbstentionCostSurface
from cautious.predictions._estimators import FromEstimator


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(FromEstimator, Shown):
    r"""Net benefit of treating every case whose probability reaches a threshold.

    Somebody who would treat from probability :math:`t` on finds one needless treatment as bad as
    the gain of :math:`(1 - t)/t` needed ones is good. In units of a needed treatment the *net
    benefit* per case is

    .. math:: B(t) = \mathrm{TP} - \mathrm{FP} \, \frac{t}{1 - t},

    with shares of all cases, to be compared with treating everybody and nobody. With :math:`\pi`
    the share of positives, :math:`B = \pi - c(\mu, ·)` at :math:`\mu = t/(1 - t)`, where c is the
    cost of :class:`AbstentionCostSurface`. So where abstaining (asking somebody else, for example)
    costs :math:`\nu`, the best window gives :math:`\pi - k(\mu, \nu)`, to be compared with
    abstaining on everybody, :math:`\pi - \nu`.

    Attributes
    ----------
    surface : AbstentionCostSurface
        Counts at each probability, and their costs.

    References
    ----------
    Vickers & Elkin (2006), "Decision curve analysis: a novel method for evaluating prediction
    models", Medical Decision Making 26.

    Examples
    --------
    >>> curve = DecisionCurve.from_predictions([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9])
    >>> curve.frame([0.25, 0.5], abstain=0.1).drop(columns="treat_none").round(4)
       threshold  net_benefit  treat_all  refer_all  with_abstention
    0       0.25       0.4444     0.3333        0.4           0.4667
    1       0.50       0.3333     0.0000        0.4           0.4667
    """

    _asks = "probability"

    surface: AbstentionCostSurface

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
    ) -> DecisionCurve:
        """Curve of true labels and probabilities of the positive class.

        Parameters
        ----------
        y_true, pos_label, sample_weight, classes
            As in :meth:`Staircase.from_predictions`.
        y_score : array-like of shape (n,)
            Probability of the positive class.
        priors : mapping or pair (negative, positive), optional
            Class probabilities to assume instead of the sample's.
        """
        known = {"pos_label": pos_label, "sample_weight": sample_weight, "classes": classes}
        stairs = Staircase.from_predictions(y_true, check_probability_scores(y_score), **known)
        return cls(AbstentionCostSurface(stairs, priors=priors))

    def net_benefit(self, threshold: npt.ArrayLike) -> Floats:
        """Net benefit of treating the cases whose probability reaches a threshold.

        Parameters
        ----------
        threshold : float or array-like
            Threshold probability, at least 0 and below 1.
        """
        t = _check_threshold(threshold)
        positives, negatives = self.surface.staircase.counts_from(t)
        scales = self.surface.scales
        return plain(positives * scales.positive - negatives * scales.negative * t / (1 - t))

    def treat_all(self, threshold: npt.ArrayLike) -> Floats:
        """Net benefit of treating everybody. Parameters as in :meth:`net_benefit`."""
        t = _check_threshold(threshold)
        negative, positive = self.surface.priors
        return plain(positive - negative * t / (1 - t))

    def with_abstention(self, threshold: npt.ArrayLike, abstain: npt.ArrayLike) -> Floats:
        """Net benefit of the best window, where abstaining has a price.

        Never less than :meth:`net_benefit`: the window is chosen on the same data.

        Parameters
        ----------
        threshold : float or array-like
            As in :meth:`net_benefit`.
        abstain : float or array-like
            Price of abstaining, in units of a needed treatment.
        """
        t = _check_threshold(threshold)
        words = "a price is finite and not negative; to forbid abstaining, take 1"
        nu = as_floats(abstain, "abstain", "prices", words=words)
        return plain(self.surface.priors[1] - self.surface.cost(t / (1 - t), nu))

    def frame(
        self, thresholds: npt.ArrayLike | None = None, *, abstain: float | None = None
    ) -> pd.DataFrame:
        """One row per threshold: net benefit, of treating all and none, and with abstention.

        With a price of abstaining also that of referring all: what a model that abstains must beat.

        Parameters
        ----------
        thresholds : array-like, optional
            Threshold probabilities; by default 0, 0.01, ..., 0.99.
        abstain : float, optional
            Price of abstaining, in units of a needed treatment; without it no such column.
        """
        t = np.arange(100) / 100 if thresholds is None else np.atleast_1d(np.asarray(thresholds))
        columns = {"threshold": t, "net_benefit": self.net_benefit(t)}
        columns |= {"treat_all": self.treat_all(t), "treat_none": np.zeros(len(t))}
        if abstain is not None:
            best = self.with_abstention(t, abstain)
            refer = np.full(len(t), self.surface.priors[1] - abstain)
            columns |= {"refer_all": refer, "with_abstention": best}
        return pd.DataFrame(columns)

    def _facts(self) -> dict[str, Any]:
        return {"classes": self.surface.classes, "positives": self.surface.priors[1]}


def _check_threshold(threshold: npt.ArrayLike) -> Floats:
    words = "a threshold probability is at least 0 and below 1"
    below = np.nextafter(1, 0)
    return as_floats(threshold, "threshold", "probabilities", high=below, words=words)
