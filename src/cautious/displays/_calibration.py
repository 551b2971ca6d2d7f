"""Whether probabilities are what they say: bins of them against the shares that come true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from cautious._typing import as_number
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.displays._display import ScoredCurvesDisplay, line_styles, neutral, plain_text, wilson
from cautious.errors import check_kind, shown

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["CalibrationDisplay", "calibration_bins"]


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


class CalibrationDisplay(ScoredCurvesDisplay[AbstentionCostSurface]):
    """Share of positives among cases of about the same probability, against that probability.

    On the dotted line a probability means what it says. Each bin holds about as many cases as the
    others, so none rests on a handful.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of name to AbstentionCostSurface
        The classifiers; their scores must be probabilities.
    n_bins : int, default=10
        How many bins, at most.
    confidence_level : float or None, default=0.95
        Of Wilson's intervals, drawn as a band; None draws none.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], n_bins=2, ax=Figure().subplots()
    ... )
    >>> display.frame()[["mean", "share", "low", "high"]].round(3)
       mean  share    low   high
    0  0.25    0.5  0.095  0.905
    1  0.75    0.5  0.095  0.905
    """

    curve_class = AbstentionCostSurface
    own_options: ClassVar[tuple[str, ...]] = ("n_bins", "confidence_level")

    def __init__(
        self,
        curves: AbstentionCostSurface | Mapping[Any, AbstentionCostSurface],
        *,
        n_bins: int = 10,
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        if not as_number(n_bins, "n_bins") >= 1:
            raise ValueError(f"n_bins is {n_bins}; give 1 or more.")
        for name, curve in self.curves.items():
            check_kind(curve, AbstentionCostSurface, "curves", "an AbstentionCostSurface")
            if not curve.staircase.are_probabilities:
                raise ValueError(
                    f"the scores of {shown(name)} are no probabilities, so there is nothing to "
                    "hold them to; give scores between 0 and 1."
                )
        self.n_bins = n_bins
        self.confidence_level = confidence_level

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single classifier.
        curve_kwargs : mapping, optional
            Line2D properties for every line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import CalibrationDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = CalibrationDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, n_bins=2, ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('probability that was said', 'share that was positive')
        """
        axes = self._open(ax)
        curves = self._renamed(name)
        self.lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        axes.plot([0, 1], [0, 1], ":", color=neutral(), linewidth=1, label="as often as said")
        looks = line_styles(len(curves), axes)
        for (label, curve), look in zip(curves.items(), looks, strict=True):
            table = self._frame(curve)
            look |= {"markersize": 4, "label": plain_text(label)} | dict(curve_kwargs or {})
            self.lines_.append(self._line(axes, table["mean"], table["share"], **look))
            if "low" in table:
                ends = table["low"], table["high"]
                self.bands_.append(self._band(axes, table["mean"], *ends, self.lines_[-1]))
        axes.set(
            xlabel="probability that was said",
            ylabel="share that was positive",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            aspect="equal",
            title="do the scores mean what they say?",
        )
        self._legend(axes, "upper left")
        return self

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        bins = calibration_bins(curve.staircase, self.n_bins)
        share = bins["positives"] / bins["weight"]
        table = pd.DataFrame(
            {
                "from": bins["low"],
                "to": bins["high"],
                "cases": bins["weight"],
                "mean": bins["mean"],
                "share": share,
            }
        )
        if self.confidence_level is not None:
            ends = wilson(share.to_numpy(), bins["weight"].to_numpy(), self.confidence_level)
            table["low"], table["high"] = ends
        return table
