"""ROC curves of the cases that are still answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cautious.curves import AbstentionROC
from cautious.displays.named_curves import UNNAMED, NamedCurvesDisplay
from cautious.displays.palette import line_styles, neutral
from cautious.displays.wording import plain_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["FPR_WORDS", "TPR_WORDS", "AbstentionROCDisplay"]

FPR_WORDS = "share of negatives called positive"
TPR_WORDS = "share of positives called positive"


class AbstentionROCDisplay(NamedCurvesDisplay[AbstentionROC]):
    """ROC curves after the least sure cases are dropped, at several levels of abstention.

    Parameters
    ----------
    curves : AbstentionROC, or mapping of name to AbstentionROC
        The classifiers.
    levels : sequence of float, default=(0, 0.25, 0.5)
        Shares of cases not to answer. Of the shares a classifier can leave unanswered the nearest
        is drawn.

    Attributes
    ----------
    lines_ : list of Line2D
        One line a classifier and level: colours tell classifiers apart, or levels if there is only
        one classifier.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 6, figure 8.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import AbstentionROCDisplay
    >>> display = AbstentionROCDisplay.from_predictions(
    ...     [0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.7, 0.9], levels=[0, 0.4], ax=Figure().subplots()
    ... )
    >>> display.frame().groupby("abstention")["auc"].first()
    abstention
    0.0    0.833333
    0.4    1.000000
    Name: auc, dtype: float64
    """

    curve_class = AbstentionROC
    own_options = ("levels",)

    def __init__(
        self,
        curves: AbstentionROC | Mapping[Any, AbstentionROC],
        *,
        levels: Sequence[float] = (0.0, 0.25, 0.5),
    ) -> None:
        super().__init__(curves)
        outside = [level for level in levels if not 0 <= level <= 1]
        if outside or not len(levels):
            raise ValueError(f"levels is {levels!r}; give shares of cases between 0 and 1.")
        self.levels = tuple(levels)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single classifier.
        **style
            Line2D properties for every curve.

        Returns
        -------
        self
        """
        axes = self._open(ax)
        curves = self._renamed(name)
        axes.plot([0, 1], [0, 1], color=neutral(), linewidth=0.8, alpha=0.5)
        levels, alone = line_styles(len(self.levels)), len(curves) == 1
        self.lines_: list[Line2D] = []
        for (label, roc), look in zip(curves.items(), line_styles(len(curves)), strict=True):
            for place, (level, part) in enumerate(self._frame(roc).groupby("abstention")):
                dashes = levels[place]["linestyle"]
                drawn = {"color": levels[place]["color"] if alone else look["color"]}
                text = f"{level:.0%} not answered, AUC {part['auc'].iloc[0]:.3f}"
                text = text if alone else f"{plain_text(label, most=20)}, {text}"
                drawn |= {"linestyle": dashes, "label": text.replace("%", " %")} | style
                self.lines_ += axes.plot(part["fpr"], part["tpr"], **drawn)
        axes.set(xlabel=FPR_WORDS, ylabel=TPR_WORDS, aspect="equal")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        if alone and UNNAMED not in curves:
            axes.set_title(plain_text(next(iter(curves))))
        self._legend(axes, "lower right", fontsize="small" if len(self.lines_) > 6 else None)
        return self

    def _frame(self, curve: AbstentionROC) -> pd.DataFrame:
        auc = curve.auc
        drawable = np.flatnonzero(~np.isnan(auc))
        if not len(drawable):
            raise ValueError("y_true holds one class only; a ROC curve needs both.")
        nearest = {
            int(drawable[np.abs(curve.abstention[drawable] - level).argmin()])
            for level in self.levels
        }
        parts = [
            curve.curve(float(curve.response.window[state])).assign(
                abstention=curve.abstention[state], auc=auc[state]
            )
            for state in sorted(nearest)
        ]
        table = pd.concat(parts, ignore_index=True)
        return table[["abstention", "auc", "fpr", "tpr", "threshold"]]
