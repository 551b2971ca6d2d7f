"""Two classifiers side by side, one point per data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cautious.displays.display import Display, line_styles, neutral, plain_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["ScatterPairsDisplay"]


class ScatterPairsDisplay(Display):
    """Scores of two classifiers on the same data sets, with the diagonal on which they are equal.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, 2)
        One measure; rows are data sets, columns the two classifiers.
    measure : str, default="score"
        What was measured, for the axes.
    greater_is_better : bool, default=True
        Whether high is good.

    Attributes
    ----------
    points_ : list of Line2D
        Data sets on which the first wins, the second wins, and neither does; where there are any.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), figures 5, 7 and 9.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ScatterPairsDisplay
    >>> scores = pd.DataFrame({"NBC": [0.8, 0.7], "NCC": [0.9, 0.6]}, index=["iris", "glass"])
    >>> ScatterPairsDisplay(scores, measure="u65").plot(Figure().subplots()).frame()
           NBC  NCC better
    iris   0.8  0.9    NCC
    glass  0.7  0.6    NBC
    """

    def __init__(
        self, scores: pd.DataFrame, *, measure: str = "score", greater_is_better: bool = True
    ) -> None:
        self.scores = pd.DataFrame(scores)
        if self.scores.shape[1] != 2:
            raise ValueError(
                f"scores has {self.scores.shape[1]} columns; give two classifiers, for example "
                "scores[['first', 'second']]."
            )
        self.measure = measure
        self.greater_is_better = greater_is_better

    def _lead(self) -> Any:
        """Tell by how much the first classifier leads; nan where a score is missing."""
        first, second = self.scores.to_numpy(dtype=np.float64).T
        return first - second if self.greater_is_better else second - first

    def frame(self) -> pd.DataFrame:
        """Scores, and which classifier is better on each data set; missing if neither is."""
        first, second = self.scores.columns
        lead = self._lead()
        better = pd.Series(np.sign(lead), index=self.scores.index).map({1.0: first, -1.0: second})
        return self.scores.assign(better=better)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: tuple[Any, Any] | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the points.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : pair of labels, optional
            What to call the two classifiers.
        curve_kwargs : mapping, optional
            Line2D properties of the points.

        Returns
        -------
        self
        """
        axes = self._open(ax)
        first, second = (plain_text(n) for n in (self.scores.columns if name is None else name))
        values, lead = self.scores.to_numpy(dtype=np.float64), self._lead()
        kinds = (
            (lead > 0, f"{first} better"),
            (lead < 0, f"{second} better"),
            (lead == 0, "equal"),
        )
        self.points_: list[Line2D] = []
        for (chosen, words), look in zip(kinds, line_styles(3), strict=True):
            if not chosen.any():
                continue
            count = int(chosen.sum())
            text = f"{words} on {count} data set{'s' if count > 1 else ''}"
            look |= {"linestyle": "", "label": text, "markersize": 5, "fillstyle": "none"} | dict(
                curve_kwargs or {}
            )
            self.points_ += axes.plot(*values[chosen].T, **look)
        seen = values[np.isfinite(values).all(axis=1)]
        low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
        room = 0.05 * (high - low) or 0.05
        ends = (low - room, high + room)
        axes.plot(ends, ends, color=neutral(), linewidth=0.8)
        measure = plain_text(self.measure)
        axes.set(xlim=ends, ylim=ends, aspect="equal")
        axes.set(xlabel=f"{measure} of {first}", ylabel=f"{measure} of {second}")
        if self.points_:
            self._legend(axes, "lower right")
        return self
