"""Four readings of an abstaining classifier in ROC space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from cautious.curves import AbstentionROC
from cautious.curves.readings import READINGS
from cautious.displays.named_curves import UNNAMED, NamedCurvesDisplay
from cautious.displays.palette import line_styles, neutral
from cautious.displays.roc import FPR_WORDS, TPR_WORDS
from cautious.displays.wording import plain_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["ROCReadingsDisplay"]

_WORDS = {
    "ignore": "left out of both shares",
    "ignore in TPR": "left out of the positives only",
    "ignore in FPR": "left out of the negatives only",
    "count": "counted in both shares",
}


class ROCReadingsDisplay(NamedCurvesDisplay[AbstentionROC]):
    """Where a classifier stands in ROC space, by four ways to count the cases it leaves unanswered.

    Each reading is a path: it starts at the star, where everything is answered, and moves as
    the caution window grows.

    Parameters
    ----------
    curves : AbstentionROC, or mapping of one name to AbstentionROC
        The classifier.
    window : float, optional
        A caution window at which to mark each path.

    Attributes
    ----------
    lines_ : list of Line2D
        The paths, one a reading.
    points_ : list of Line2D
        The marks at the window, if one was given.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 6.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ROCReadingsDisplay
    >>> display = ROCReadingsDisplay.from_predictions(
    ...     [0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.7, 0.9], window=0.3, ax=Figure().subplots()
    ... )
    >>> display.frame().query("reading == 'count'")[["abstention", "tpr", "fpr"]].round(3)
        abstention    tpr  fpr
    12         0.0  0.667  0.5
    13         0.4  0.667  0.0
    14         0.6  0.333  0.0
    15         1.0  0.000  0.0
    """

    curve_class = AbstentionROC
    own_options = ("window",)

    def __init__(
        self,
        curves: AbstentionROC | Mapping[Any, AbstentionROC],
        *,
        window: float | None = None,
    ) -> None:
        super().__init__(curves)
        if len(self.curves) > 1:
            raise ValueError(
                f"there are {len(self.curves)} classifiers; four readings are drawn of one."
            )
        self.window = window

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the paths.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier.
        **style
            Line2D properties for every path.

        Returns
        -------
        self
        """
        axes = self._open(ax)
        ((label, roc),) = self._renamed(name).items()
        paths = dict(list(self._frame(roc).groupby("reading")))
        at = None if self.window is None else roc.readings(self.window)
        self.lines_: list[Line2D] = []
        self.points_: list[Line2D] = []
        for reading, look in zip(_WORDS, line_styles(len(_WORDS)), strict=True):
            path = paths[reading].dropna(subset=["tpr", "fpr"])
            mark = look.pop("marker")
            look |= {"label": f"unanswered cases {_WORDS[reading]}"} | style
            (line,) = axes.plot(path["fpr"], path["tpr"], **look)
            self.lines_.append(line)
            if at is not None:
                line.set_marker(mark)
                line.set_markevery([])  # the mark stands at the window only, but in the legend too
                rates = at.loc[reading, ["fpr", "tpr"]]
                self.points_ += axes.plot(*rates, marker=mark, color=line.get_color())
        start = paths["count"].iloc[0]
        axes.plot(
            start["fpr"],
            start["tpr"],
            "*",
            color=neutral(),
            markersize=13,
            label="everything answered",
        )
        axes.set(xlabel=FPR_WORDS, ylabel=TPR_WORDS, ylim=(-0.02, 1.02))
        if label != UNNAMED:
            axes.set_title(plain_text(label))
        self._legend(axes, "lower right", fontsize="small")
        return self

    def _frame(self, curve: AbstentionROC) -> pd.DataFrame:
        paths = [curve.frame(reading).assign(reading=reading) for reading in READINGS]
        return pd.concat(paths, ignore_index=True)
