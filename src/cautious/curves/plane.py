r"""One fixed abstention window and its cost, a plane over the costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Ints, Mask
from cautious.curves.hull import CostHull
from cautious.curves.priors import ClassScales
from cautious.curves.staircase import Staircase
from cautious.curves.windows import Costs, check_costs, check_window, plain, window_answers
from cautious.sets import abstain_name

__all__ = ["CostPlane", "corner_planes", "window_plane"]


@dataclass(frozen=True)
class CostPlane:
    r"""What one abstention window does, and what that costs at any costs.

    For a fixed window :math:`a` the normalised expected cost is a plane (Friedel, Rückert & Kramer
    2006, eq. 7):

    .. math:: c(a, \mu, \nu) = \mathrm{FN} + \mu\,\mathrm{FP} + \nu\,\bot.

    Attributes
    ----------
    lower, upper : float
        The window: p if ``m >= upper``, n if ``m <= lower``, abstain between.
    true_negative, false_negative, false_positive, true_positive : float
        Shares of all examples that get each kind of answer.
    abstained_negative, abstained_positive : float
        Shares of all examples that are abstained on, by their true class.
    classes : tuple (negative, positive)
        The labels of the two classes.

    Examples
    --------
    >>> plane = CostPlane(0.2, 0.8, 0.4, 0.1, 0.05, 0.25, 0.1, 0.1)
    >>> round(plane.cost(mu=0.5, nu=0.2), 4), round(plane.abstention, 4)
    (0.165, 0.2)
    """

    lower: float
    upper: float
    true_negative: float
    false_negative: float
    false_positive: float
    true_positive: float
    abstained_negative: float
    abstained_positive: float
    classes: tuple[Any, Any] = (0, 1)

    @property
    def abstention(self) -> float:
        """Share of examples abstained on."""
        return self.abstained_negative + self.abstained_positive

    @property
    def error(self) -> float:
        """Share of all examples answered wrongly."""
        return self.false_negative + self.false_positive

    @property
    def answered(self) -> float:
        """Share of examples answered."""
        return self.true_negative + self.false_negative + self.false_positive + self.true_positive

    @property
    def selective_error(self) -> float:
        """Share of the answers that are wrong; nan if nothing is answered."""
        return self.error / self.answered if self.answered > 0 else np.nan

    def cost(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        r"""Height of the plane at relative costs :math:`\mu, \nu`, with numpy broadcasting.

        Parameters
        ----------
        mu, nu, nu_negative : float or array-like
            Relative costs of a false positive and of abstaining (on a negative, where that
            differs).

        Returns
        -------
        float or ndarray
        """
        return plain(self.cost_at(check_costs(mu, nu, nu_negative)))

    def cost_at(self, costs: Costs) -> Floats:
        """Cost expected beyond right answers, in the unit of `costs`."""
        return np.asarray(
            costs.false_negative * self.false_negative
            + costs.false_positive * self.false_positive
            + costs.abstain_positive * self.abstained_positive
            + costs.abstain_negative * self.abstained_negative
        )

    def frame(self) -> pd.DataFrame:
        """Shares of all examples: answers as rows (abstaining last), truths as columns."""
        return pd.DataFrame(
            [
                [self.true_negative, self.false_negative],
                [self.false_positive, self.true_positive],
                [self.abstained_negative, self.abstained_positive],
            ],
            index=pd.Index([*self.classes, abstain_name(self.classes)], name="prediction"),
            columns=pd.Index(self.classes, name="truth"),
        )

    def predict_set(self, y_score: npt.ArrayLike) -> Mask:
        """Answer new scores with this window; see :func:`cautious.curves.window_answers`."""
        return window_answers(y_score, self.lower, self.upper)


def corner_planes(
    hull: CostHull, lower: Ints, upper: Ints, classes: tuple[Any, Any]
) -> list[CostPlane]:
    """Planes of the windows between given corners of a hull."""
    fn, tp = hull.positives_below[lower], hull.positives_below[-1] - hull.positives_below[upper]
    tn, fp = hull.negatives_above[0] - hull.negatives_above[lower], hull.negatives_above[upper]
    abstained = (
        hull.negatives_above[lower] - hull.negatives_above[upper],
        hull.positives_below[upper] - hull.positives_below[lower],
    )
    columns = np.stack([*hull.thresholds(lower, upper), tn, fn, fp, tp, *abstained])
    return [CostPlane(*(*row, classes)) for row in columns.T.tolist()]


def window_plane(
    staircase: Staircase, scales: ClassScales, lower: float, upper: float
) -> CostPlane:
    """Count what one window does with the examples of a staircase."""
    check_window(lower, upper)
    scores = staircase.scores
    above = len(scores) if upper == np.inf else int(np.searchsorted(scores, upper, side="left"))
    below = 0 if lower == -np.inf else int(np.searchsorted(scores, lower, side="right"))
    below = min(below, above)  # a score on both thresholds is answered positive
    parts = (slice(0, below), slice(above, None), slice(below, above))
    tn, fp, bn = (float(staircase.negatives[part].sum() * scales.negative) for part in parts)
    fn, tp, bp = (float(staircase.positives[part].sum() * scales.positive) for part in parts)
    return CostPlane(float(lower), float(upper), tn, fn, fp, tp, bn, bp, staircase.classes)
