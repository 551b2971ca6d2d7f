"""Abstaining classifiers in ROC space: curves, readings, and the surface over abstention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from cautious.curves import AbstentionROC
from cautious.displays._display import (
    UNNAMED,
    ScoredCurvesDisplay,
    line_styles,
    neutral,
    plain_text,
)
from cautious.errors import shown

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["AbstentionROCDisplay"]

_FPR_WORDS = "share of negatives called positive"
_TPR_WORDS = "share of positives called positive"
_KINDS = ("curves", "readings", "surface")
_READING_WORDS = {
    "ignore": "left out of both shares",
    "ignore in TPR": "left out of the positives only",
    "ignore in FPR": "left out of the negatives only",
    "count": "counted in both shares",
}
_POINTS_PER_CURVE = 101
_CURVES_ON_SURFACE = 8
_CALM = 0.9
_STOPS = 40


class AbstentionROCDisplay(ScoredCurvesDisplay[AbstentionROC]):
    """Abstaining classifiers in ROC space.

    - ``kind="curves"``: ROC curves after the least sure cases are dropped, at several levels of
      abstention.
    - ``kind="readings"``: where one classifier stands by four ways to count the cases it does not
      answer. Each reading is a path: it starts at the star, where everything is answered, and moves
      as the caution window grows.
    - ``kind="surface"``: ROC curves of one classifier over abstention, in three dimensions.

    Parameters
    ----------
    curves : AbstentionROC, or mapping of name to AbstentionROC
        The classifiers; a single one for readings and for the surface.
    kind : {"curves", "readings", "surface"}, default="curves"
        What to draw.
    levels : sequence of float, optional
        Curves: shares of cases not to answer; by default 0, 0.25 and 0.5 of one classifier, 0 and
        0.5 of several. Of the shares a classifier can leave unanswered the nearest is drawn.
    window : float, optional
        Readings: a caution window at which to mark each path.
    n_levels : int, default=50
        Surface: how many levels of abstention to draw at most.
    confidence_level : float or None, default=0.95
        Curves: of bands that hold whole curves of new cases
        (:meth:`cautious.curves.AbstentionROC.band`), of several classifiers around the curves of
        the lowest level only, for more would hide each other; None draws none.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per classifier and level (colours tell classifiers apart, or levels if there is
        only one classifier), or one per reading.
    bands_ : list of Polygon
        One band per line of a single classifier, or per classifier, if there are any.
    points_ : list of Line2D
        The marks at the window, if one was given.
    surface_ : Poly3DCollection or None
        The surface.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 6, figures 8 and 9.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import AbstentionROCDisplay
    >>> y_true, y_score = [0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.7, 0.9]
    >>> display = AbstentionROCDisplay.from_predictions(
    ...     y_true, y_score, levels=[0, 0.4], ax=Figure().subplots()
    ... )
    >>> display.frame().groupby("abstention")["auc"].first()
    abstention
    0.0    0.833333
    0.4    1.000000
    Name: auc, dtype: float64
    >>> readings = AbstentionROCDisplay(display.curves, kind="readings").plot(Figure().subplots())
    >>> readings.frame().query("reading == 'count'")[["abstention", "tpr", "fpr"]].round(3)
        abstention    tpr  fpr
    12         0.0  0.667  0.5
    13         0.4  0.667  0.0
    14         0.6  0.333  0.0
    15         1.0  0.000  0.0
    """

    curve_class = AbstentionROC
    own_options: ClassVar[tuple[str, ...]] = (
        "kind",
        "levels",
        "window",
        "n_levels",
        "confidence_level",
    )

    def __init__(
        self,
        curves: AbstentionROC | Mapping[Any, AbstentionROC],
        *,
        kind: Literal["curves", "readings", "surface"] = "curves",
        levels: Sequence[float] | None = None,
        window: float | None = None,
        n_levels: int = 50,
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        if kind not in _KINDS:
            raise ValueError(
                f"kind is {shown(kind)}; choose one of {', '.join(map(repr, _KINDS))}."
            )
        if kind != "curves":
            self._only_one(
                "four readings are drawn" if kind == "readings" else "a surface is drawn"
            )
        if levels is None:
            levels = (0.0, 0.25, 0.5) if len(self.curves) == 1 else (0.0, 0.5)
        outside = [level for level in levels if not 0 <= level <= 1]
        if outside or not len(levels):
            raise ValueError(f"levels is {shown(levels)}; give shares of cases between 0 and 1.")
        self.kind = kind
        self.levels: tuple[float, ...] = tuple(levels)
        self.window = window
        self.n_levels = n_levels
        self.confidence_level = confidence_level

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves, the readings or the surface.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, in three dimensions for a surface; by default a new figure.
        name : str, optional
            What to call a single classifier.
        curve_kwargs : mapping, optional
            Line2D properties for every line; properties of ``plot_surface`` for a surface.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import AbstentionROCDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = AbstentionROCDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, levels=[0, 0.4], ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('share of negatives called positive', 'share of positives called positive')
        """
        curves, style = self._renamed(name), dict(curve_kwargs or {})
        self.lines_: list[Line2D] = []
        self.points_: list[Line2D] = []
        self.bands_: list[Any] = []
        self.surface_: Any = None
        if self.kind == "curves":
            self._draw_curves(self._open(ax), curves, style)
            return self
        ((label, roc),) = curves.items()
        if self.kind == "readings":
            title = self._draw_readings(self._open(ax), roc, style)
        else:
            title = self._draw_surface(ax, roc, style)
        if label != UNNAMED:
            title = f"{plain_text(label)}: {title}"
        self.ax_.set_title(title)
        return self

    def _draw_curves(self, axes: Any, curves: dict[Any, AbstentionROC], style: Any) -> None:
        axes.plot([0, 1], [0, 1], color=neutral(), linewidth=0.8, alpha=0.5)
        alone = len(curves) == 1
        looks = line_styles(len(self.levels) if alone else len(curves), axes)
        dashes = [look["linestyle"] for look in line_styles(len(self.levels))]
        for place, (label, roc) in enumerate(curves.items()):
            for at, (level, part) in enumerate(self._frame(roc).groupby("abstention")):
                text = f"{level:.0%} not answered, AUC {part['auc'].iloc[0]:.3f}"
                text = text if alone else f"{plain_text(label, most=20)}, {text}"
                look = {"color": looks[at if alone else place]["color"], "linestyle": dashes[at]}
                look |= {"label": text.replace("%", " %")} | style
                self.lines_.append(self._line(axes, part["fpr"], part["tpr"], **look))
                if self.confidence_level is not None and (alone or not at):
                    self._draw_band(axes, roc, int(np.flatnonzero(roc.abstention == level)[0]))
        axes.set(xlabel=_FPR_WORDS, ylabel=_TPR_WORDS, aspect="equal")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        words = "ROC curves of the answered cases"
        named = alone and UNNAMED not in curves
        axes.set_title(f"{plain_text(next(iter(curves)))}: {words}" if named else words)
        self._legend(axes, "lower right", fontsize="small" if len(self.lines_) > 6 else None)

    def _draw_band(self, axes: Any, roc: AbstentionROC, state: int) -> None:
        assert self.confidence_level is not None
        window = float(roc.response.window[state])
        band = roc.band(window, confidence_level=self.confidence_level)
        # Along the upper edge, and back along the lower one.
        x = np.append(band["fpr_low"], band["fpr_high"][::-1])
        y = np.append(band["tpr_high"], band["tpr_low"][::-1])
        look = {"color": self.lines_[-1].get_color(), "alpha": 0.1, "linewidth": 0}
        self.bands_ += axes.fill(x, y, **look)

    def _draw_readings(self, axes: Any, roc: AbstentionROC, style: Any) -> str:
        paths = dict(list(self._frame(roc).groupby("reading")))
        at = None if self.window is None else roc.readings(self.window)
        looks = line_styles(len(_READING_WORDS), axes)
        for (reading, words), look in zip(_READING_WORDS.items(), looks, strict=True):
            path = _thinned(paths[reading].dropna(subset=["tpr", "fpr"]))
            mark = look.pop("marker")
            look |= {"label": f"unanswered cases {words}"} | style
            line = self._line(axes, path["fpr"], path["tpr"], **look)
            self.lines_.append(line)
            if at is not None:
                line.set_marker(mark)
                line.set_markevery([])  # the mark stands at the window only, but in the legend too
                rates = at.loc[reading, ["fpr", "tpr"]]
                self.points_ += axes.plot(*rates, marker=mark, color=line.get_color())
        axes.axline((0, 0), slope=1, color=neutral(), linewidth=0.8, alpha=0.5)
        start = paths["count"].iloc[0]
        star = {"color": neutral(), "markersize": 13, "label": "everything answered"}
        axes.plot(start["fpr"], start["tpr"], "*", **star)
        axes.set(xlabel=_FPR_WORDS, ylabel=_TPR_WORDS, ylim=(-0.02, 1.02))
        self._legend(axes, "lower right", fontsize="small")
        return "where it stands in ROC space"

    def _draw_surface(self, ax: Axes | None, roc: AbstentionROC, style: Any) -> str:
        from matplotlib import rcParams

        table = self._frame(roc)
        # Curves of a handful of cases are spikes.
        calm = table[table["abstention"] <= _CALM]
        table = calm if calm["abstention"].nunique() > 1 else table
        if table["abstention"].nunique() < 2:
            raise ValueError(
                "the ROC curve is defined at fewer than 2 levels of abstention, because the "
                "answered cases are of one class at all others; draw kind='curves'."
            )
        axes = self._open(ax, three_d=True, size=(6.4, 5.6))
        # All curves are cut at equal shares of their way from (0, 0) to (1, 1).
        along = np.linspace(0, 2, _POINTS_PER_CURVE)
        levels, fpr, tpr = [], [], []
        for level, curve in table.groupby("abstention"):
            way = (curve["fpr"] + curve["tpr"]).to_numpy()
            levels.append(np.full(len(along), level))
            fpr.append(np.interp(along, way, curve["fpr"].to_numpy()))
            tpr.append(np.interp(along, way, curve["tpr"].to_numpy()))
        across = np.array(fpr), np.array(levels), np.array(tpr)
        look = {"cmap": rcParams["image.cmap"], "rcount": len(levels), "ccount": len(along)}
        look |= {"edgecolor": "none", "alpha": 0.9} | style
        self.surface_ = axes.plot_surface(*across, **look)
        for at in np.unique(np.linspace(0, len(levels) - 1, _CURVES_ON_SURFACE).astype(int)):
            axes.plot(*(part[at] for part in across), color=neutral(), linewidth=0.9)
        axes.set(xlabel=_FPR_WORDS, ylabel="share of cases not answered", zlabel=_TPR_WORDS)
        axes.view_init(elev=22, azim=-60)
        axes.set_box_aspect(None, zoom=0.85)
        return f"ROC curves over abstention, volume {roc.volume:.3f}"

    def _frame(self, curve: AbstentionROC) -> pd.DataFrame:
        if self.kind == "surface":
            return curve.surface(self.n_levels)
        if self.kind == "readings":
            names = AbstentionROC.READINGS
            paths = [curve.frame(reading).assign(reading=reading) for reading in names]
            return pd.concat(paths, ignore_index=True)
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


def _thinned(path: pd.DataFrame) -> pd.DataFrame:
    """Keep so many stops of a path, evenly spread over abstention: single cases make it jagged."""
    if len(path) <= _STOPS:
        return path
    wanted = np.linspace(path["abstention"].min(), path["abstention"].max(), _STOPS)
    at = np.searchsorted(path["abstention"].to_numpy(), wanted).clip(0, len(path) - 1)
    return path.iloc[np.unique(np.append(at, [0, len(path) - 1]))]
