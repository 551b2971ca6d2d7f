"""The ROC surface over abstention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cautious.curves import AbstentionROC
from cautious.displays.named_curves import UNNAMED, NamedCurvesDisplay
from cautious.displays.palette import neutral
from cautious.displays.roc import FPR_WORDS, TPR_WORDS
from cautious.displays.wording import plain_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["ROCSurfaceDisplay"]

_POINTS_A_CURVE = 101
_CURVES_DRAWN = 8


class ROCSurfaceDisplay(NamedCurvesDisplay[AbstentionROC]):
    """ROC curves over abstention: how the curve of the answered cases bulges.

    Parameters
    ----------
    curves : AbstentionROC, or mapping of one name to AbstentionROC
        The classifier.
    n_levels : int, default=50
        How many levels of abstention to draw at most.

    Attributes
    ----------
    poly_ : Poly3DCollection
        The surface.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 6, figure 9.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ROCSurfaceDisplay
    >>> display = ROCSurfaceDisplay.from_predictions(
    ...     [0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.7, 0.9],
    ...     ax=Figure().add_subplot(projection="3d"),
    ... )
    >>> display.frame()["abstention"].unique()
    array([0. , 0.4, 0.6])
    """

    curve_class = AbstentionROC
    own_options = ("n_levels",)

    def __init__(
        self, curves: AbstentionROC | Mapping[Any, AbstentionROC], *, n_levels: int = 50
    ) -> None:
        super().__init__(curves)
        if len(self.curves) > 1:
            raise ValueError(
                f"there are {len(self.curves)} classifiers; a surface is drawn of one."
            )
        self.n_levels = n_levels

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the surface.

        Parameters
        ----------
        ax : matplotlib Axes in three dimensions, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier.
        **style
            Properties of ``plot_surface``.

        Returns
        -------
        self
        """
        from matplotlib import rcParams

        ((label, roc),) = self._renamed(name).items()
        table = self._frame(roc)
        if table["abstention"].nunique() < 2:
            raise ValueError(
                "the ROC curve is defined at fewer than 2 levels of abstention, because the "
                "answered cases are of one class at all others; draw an AbstentionROCDisplay."
            )
        axes = self._open(ax, three_d=True, size=(6.4, 5.6))
        # All curves are cut at equal shares of their way from (0, 0) to (1, 1).
        along = np.linspace(0, 2, _POINTS_A_CURVE)
        levels, fpr, tpr = [], [], []
        for level, curve in table.groupby("abstention"):
            way = (curve["fpr"] + curve["tpr"]).to_numpy()
            levels.append(np.full(len(along), level))
            fpr.append(np.interp(along, way, curve["fpr"].to_numpy()))
            tpr.append(np.interp(along, way, curve["tpr"].to_numpy()))
        across = np.array(fpr), np.array(levels), np.array(tpr)
        look = {"cmap": rcParams["image.cmap"], "rcount": len(levels), "ccount": len(along)}
        look |= {"edgecolor": "none", "alpha": 0.9} | style
        self.poly_ = axes.plot_surface(*across, **look)
        for at in np.unique(np.linspace(0, len(levels) - 1, _CURVES_DRAWN).astype(int)):
            axes.plot(*(part[at] for part in across), color=neutral(), linewidth=0.9)
        axes.set(xlabel=FPR_WORDS, ylabel="share of cases not answered", zlabel=TPR_WORDS)
        volume = f"volume {roc.volume:.3f}"
        named = label != UNNAMED
        axes.set_title(f"{plain_text(label)} ({volume})" if named else volume)
        axes.view_init(elev=22, azim=-60)
        axes.set_box_aspect(None, zoom=0.85)
        return self

    def _frame(self, curve: AbstentionROC) -> pd.DataFrame:
        return curve.surface(self.n_levels)
