"""Measures against how much is answered: capacity, response graphs, risk and coverage, ROC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import check_choice, shares_of_cases
from cautious._random import bootstrap_weights
from cautious._typing import Floats, Mask
from cautious.curves import AbstentionROC, CapacityCurve, ResponseCurve, RiskCoverageCurve
from cautious.displays._display import (
    UNNAMED,
    CurvesDisplay,
    OfSets,
    Style,
    line_styles,
    neutral,
    plain_text,
)
from cautious.metrics._confusion import full_coverage_error

_UNANSWERED = "share of cases not answered"
_RESAMPLES, _LEVELS = 500, 51
# What each measure is called on the axis, and the corner its curves usually leave free.
_WORDS = {
    "accuracy": ("share of answers that are right", "lower right"),
    "error": ("share of all cases answered wrongly", "upper right"),
    "efficacy": ("efficacy, the mean of accuracy and coverage", "lower left"),
    "f_score": ("F-score of accuracy and coverage", "lower left"),
    "capacity": ("capacity", "lower left"),
    "cost": ("mean cost per case", "upper right"),
    "auc": ("area under the ROC curve of the answered cases", "lower right"),
}
_FEW_STATES = 25
# Shares of this few cases jump about; they are drawn, but do not set the scale.
_TOO_FEW = 0.05

_RATE_WORDS = "share of negatives called positive", "share of positives called positive"
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


@dataclass(eq=False, repr=False, kw_only=True)
class CapacityDisplay(OfSets, CurvesDisplay[CapacityCurve]):
    """Error of abstaining classifiers moved to every level of abstention, with their hull.

    A marker stands where a classifier itself stands; its tails lead to guessing everything and to
    answering nothing. Whatever lies above the hull can be discarded: a mixture of others errs less.

    Parameters
    ----------
    curves : CapacityCurve, or mapping of name to CapacityCurve
        Graphs of classifiers on the same examples.
    hull : bool, default=True
        Whether to draw the lower convex hull of several graphs.
    confidence_level : float or None, default=0.95
        Of the band around each graph, point by point, from a bootstrap of the cases within their
        classes; None draws none, and there is none of a printed matrix of shares.

    Attributes
    ----------
    lines_, bands_ : list of Line2D, list of PolyCollection
        One per classifier; of three or more, the first alone has a band.
    hull_line_ : Line2D or None
        The hull; there is none of a single classifier.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 3, figures 2 and 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CapacityDisplay
    >>> y_true = ["a", "a", "b", "b", "b"]
    >>> sets = {"bold": ["a", "b", "b", "b", "b"], "shy": ["a", None, "b", None, "b"]}
    >>> display = CapacityDisplay.from_predictions(y_true, sets, ax=Figure().subplots())
    >>> display.frame()
      classifier  abstention  error
    0       bold         0.0    0.2
    1       bold         1.0    0.0
    2        shy         0.0    0.2
    3        shy         0.4    0.0
    4        shy         1.0    0.0
    5       hull         0.0    0.2
    6       hull         0.4    0.0
    7       hull         1.0    0.0
    """

    _curve_class = CapacityCurve
    hull: Any = True  # whether to have one; then the hull itself, or None
    confidence_level: float | None = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        several = self.hull and len(self.curves) > 1
        self.hull = CapacityCurve.hull(self.curves) if several else None

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves = self._renamed(name)
        self.hull_line_: Any = None
        if self.hull is not None:
            look = {"color": neutral(), "alpha": 0.25, "linewidth": 7, "solid_capstyle": "round"}
            look["label"] = f"hull of all (capacity {self.hull.capacity:.3f})"
            corners = self.hull.corners
            (self.hull_line_,) = axes.plot(corners["abstention"], corners["error"], **look)
        for curve, look in self._looks(axes, curves, {}):
            points = curve.frame()
            look["label"] += f" (capacity {curve.capacity:.3f})"
            own = points.index[points["abstention"] == curve.abstention]
            look |= {"markevery": own.tolist()} | style
            band = None
            # The weights must be numbers of cases; a matrix of shares says nothing of those.
            counted = curve.counts.n >= np.count_nonzero(curve.counts.weight)
            if counted and self.confidence_level is not None:
                band = _capacity_band(curve, self.confidence_level)
            self._draw_line(axes, points["abstention"], points["error"], look, band)
        axes.set(xlim=(-0.02, 1.02), ylim=(0, None))
        words = "share of all cases answered wrongly", "errors at every level of abstention"
        self._explain(axes, _UNANSWERED, *words, "upper right")

    def frame(self) -> pd.DataFrame:
        """Corners of all graphs and, under the name ``hull``, of the hull."""
        graphs = super().frame()
        if self.hull is None:
            return graphs
        corners: pd.DataFrame = self.hull.corners[["abstention", "error"]]
        return pd.concat([graphs, corners.assign(classifier="hull")], ignore_index=True)


def _capacity_band(curve: CapacityCurve, level: float) -> Floats:
    """Levels of abstention, and between which errors there the share `level` of replicates lies."""
    counts, levels = curve.counts, np.linspace(0, 1, _LEVELS)
    drawn = bootstrap_weights(counts.weight, _RESAMPLES, strata=counts.truth, random_state=0)
    resampled = replace(counts, weight=np.concatenate(list(drawn)))
    answered = counts.answered()
    own = np.asarray(resampled.mean(~answered))[:, None]
    error = np.asarray(resampled.mean(answered & ~counts.hit))[:, None]
    guessed = np.asarray(full_coverage_error(resampled, curve.guess))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):  # who abstains on nothing, or on all
        rising = guessed + (error - guessed) * levels / own
        falling = error * (1 - levels) / (1 - own)
    errors = np.nan_to_num(np.where(levels < own, rising, falling))
    ends = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.column_stack([levels, *ends])


@dataclass(eq=False, repr=False, kw_only=True)
class ResponseDisplay(CurvesDisplay[ResponseCurve]):
    """A measure of probabilistic classifiers against how much they abstain.

    The caution window grows from left to right. The curve of costs has a star where it is lowest.

    Parameters
    ----------
    curves : ResponseCurve, or mapping of name to ResponseCurve
        The classifiers.
    measure : str, default="accuracy"
        One that :meth:`cautious.curves.ResponseCurve.measure` knows.
    costs, guess
        What the measures ``"cost"`` and ``"capacity"`` need; see there.
    confidence_level : float or None, default=0.95
        Of the band around each curve of accuracy, error or cost, point by point; None draws none.

    Attributes
    ----------
    lines_, bands_ : list of Line2D, list of PolyCollection
        One per classifier; of three or more, the first alone has a band.
    best_ : list of Line2D
        The stars; empty unless costs are drawn.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", sections 4 to 6, figures 6, 7, 10
    and 14.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ResponseDisplay
    >>> y_proba = [[1, 0], [0.25, 0.75], [0.375, 0.625], [0, 1]]
    >>> y_true = ["neg", "pos", "neg", "pos"]
    >>> display = ResponseDisplay.from_predictions(y_true, y_proba, ax=Figure().subplots())
    >>> display.frame()[["abstention", "accuracy"]]
       abstention  accuracy
    0        0.00      0.75
    1        0.25      1.00
    2        0.50      1.00
    """

    _curve_class = ResponseCurve
    _asks = "predict_proba"
    measure: str = "accuracy"
    costs: npt.ArrayLike | pd.DataFrame | None = None
    guess: str | npt.ArrayLike = "uniform"
    confidence_level: float | None = 0.95

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves = self._renamed(name)
        self.best_: list[Any] = []
        for curve, look in self._looks(axes, curves, {}, markersize=4):
            states = self._frame(curve).dropna(subset=[self.measure])
            if len(states) > _FEW_STATES:
                look["marker"] = ""
            look |= style
            band = None
            if self.confidence_level is not None and self.measure in ResponseCurve.banded:
                level = self.confidence_level
                table = curve.band(self.measure, costs=self.costs, confidence_level=level)
                band = table[["abstention", "low", "high"]]
            path: Floats = states[["abstention", self.measure]].to_numpy().T
            line = self._draw_line(axes, path[0], path[1], look, band)
            if self.measure == "cost":
                best = path[:, path[1].argmin()]
                self.best_ += axes.plot(*best, "*", color=line.get_color(), markersize=13)
        words, corner = _WORDS[self.measure]
        axes.set_xlim(-0.02, 1.02)
        _scale_by(axes, lambda level: level <= 1 - _TOO_FEW)
        title = f"{self.measure.replace('_', ' ')} against abstention"
        self._explain(axes, _UNANSWERED, words, title, corner)

    def _frame(self, curve: ResponseCurve) -> pd.DataFrame:
        return curve.frame([self.measure], costs=self.costs, guess=self.guess)


def _scale_by(axes: Any, matters: Callable[[Floats], Mask]) -> None:
    """Scale the y-axis by the points that matter; the others may leave the picture."""
    parts = [line.get_xydata() for line in axes.lines]
    heights = np.concatenate([part[matters(part[:, 0]), 1] for part in parts])
    if len(heights):
        low, high = float(heights.min()), float(heights.max())
        room = 0.05 * (high - low) or 0.05
        axes.set_ylim(low - room, high + room)


@dataclass(eq=False, repr=False, kw_only=True)
class RiskCoverageDisplay(CurvesDisplay[RiskCoverageCurve]):
    """Risk of answering only the surest cases, against the share that is answered.

    Parameters
    ----------
    curves : RiskCoverageCurve, or mapping of name to RiskCoverageCurve
        The classifiers.
    risk : {"selective", "generalised"}, default="selective"
        Loss over the answered cases, or over all.
    optimal : bool, default=False
        Whether to draw beside each curve, as a thin line, the best that its losses allow: that of a
        classifier that knows which of its answers are wrong.
    confidence_level : float or None, default=0.95
        Of the band around each curve, point by point; None draws none.

    Attributes
    ----------
    lines_, bands_ : list of Line2D, list of PolyCollection
        One per classifier; of three or more, the first alone has a band.
    optimal_lines_ : list of Line2D
        The best curves possible, if they were asked for.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    El-Yaniv & Wiener (2010), "On the foundations of noise-free selective classification"; Traub et
    al. (2024), "Overcoming common flaws in the evaluation of selective classification systems", for
    the generalised risk.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import RiskCoverageDisplay
    >>> display = RiskCoverageDisplay.from_predictions(
    ...     [0, 1, 1, 0], [0.1, 0.8, 0.3, 0.4], ax=Figure().subplots()
    ... )
    >>> display.frame()[["coverage", "selective_risk"]].round(3)
       coverage  selective_risk
    0      0.25           0.000
    1      0.50           0.000
    2      0.75           0.333
    3      1.00           0.250
    """

    _curve_class = RiskCoverageCurve
    _asks = "predict_proba"
    risk: Literal["selective", "generalised"] = "selective"
    optimal: bool = False
    confidence_level: float | None = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.risk, "risk", ("selective", "generalised"))

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves, selective = self._renamed(name), self.risk == "selective"
        for curve, look in self._looks(axes, curves, {}, marker=""):
            area = f"AURC {curve.aurc:.3g}" if selective else f"AUGRC {curve.augrc:.3g}"
            look["label"] += f" ({area})"
            band = None
            if self.confidence_level is not None:
                table = curve.band(confidence_level=self.confidence_level)
                band = table[["coverage", f"{self.risk}_risk_low", f"{self.risk}_risk_high"]]
            self._draw_line(axes, *self._points(curve), look | style, band)
        self.optimal_lines_: list[Any] = []
        for curve, line in zip(curves.values() if self.optimal else (), self.lines_, strict=False):
            faint = {"color": neutral(), "linewidth": 0.8, "linestyle": line.get_linestyle()}
            faint["label"] = "" if self.optimal_lines_ else "best order possible"
            self.optimal_lines_ += axes.plot(*self._points(curve.optimal), **faint)
        axes.set_xlim(-0.02, 1.02)
        _scale_by(axes, lambda level: level >= _TOO_FEW)
        loss = "mean loss of an answer" if selective else "loss of answers, over all cases"
        words = "share of cases answered, surest first", loss
        self._explain(axes, *words, f"{self.risk} risk against coverage", "upper left")

    def _points(self, curve: RiskCoverageCurve) -> tuple[Floats, Floats]:
        """Points so close that straight lines between them follow the curve inside blocks too."""
        coverage = np.union1d(curve.coverage, np.linspace(0, 1, 201)[1:])
        coverage = coverage[coverage <= 1]
        risk = curve.risk_at_coverage(coverage)
        return coverage, risk if self.risk == "selective" else risk * coverage


@dataclass(eq=False, repr=False, kw_only=True)
class AbstentionROCDisplay(CurvesDisplay[AbstentionROC]):
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
        One band per line of a single classifier, or per classifier; of three or more, the first
        alone has a band.
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

    _curve_class = AbstentionROC
    _asks = "probability"
    kind: Literal["curves", "readings", "surface"] = "curves"
    levels: Any = None  # shares of cases; then never None
    window: float | None = None
    n_levels: int = 50
    confidence_level: float | None = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.kind, "kind", ("curves", "readings", "surface"))
        if self.kind != "curves":
            words = "four readings are" if self.kind == "readings" else "a surface is"
            self._only_one(f"{words} drawn")
        if self.levels is None:
            self.levels = (0.0, 0.25, 0.5) if len(self.curves) == 1 else (0.0, 0.5)
        self.levels = np.atleast_1d(shares_of_cases(self.levels, "levels"))
        if not len(self.levels):
            raise ValueError("levels is empty; give shares of cases between 0 and 1.")
        self._three_d = self.kind == "surface"

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves = self._renamed(name)
        self.points_: list[Any] = []
        self.surface_: Any = None
        label, roc = next(iter(curves.items()))
        title = f"{plain_text(label)}: " if len(curves) == 1 and label != UNNAMED else ""
        draw = {"readings": self._draw_readings, "surface": self._draw_surface}.get(self.kind)
        if draw is None:
            self._draw_curves(axes, curves, title, style)
        else:
            draw(axes, roc, title, style)

    def _draw_curves(
        self, axes: Any, curves: dict[Any, AbstentionROC], title: str, style: Style
    ) -> None:
        axes.plot([0, 1], [0, 1], color=neutral(), linewidth=0.8, alpha=0.5)
        alone = len(curves) == 1
        looks = line_styles(len(self.levels) if alone else len(curves), axes)
        self._is_crowded = len(looks) > 2  # more than two bands would hide each other
        dashes = [look["linestyle"] for look in line_styles(len(self.levels))]
        for place, (label, roc) in enumerate(curves.items()):
            for at, (level, part) in enumerate(self._frame(roc).groupby("abstention")):
                text = f"{level:.0%} not answered, AUC {part['auc'].iloc[0]:.3f}"
                text = text if alone else f"{plain_text(label, most=20)}, {text}"
                look = {"color": looks[at if alone else place]["color"], "linestyle": dashes[at]}
                look |= {"linewidth": 1} if self._is_crowded and not alone else {}
                look |= {"label": text.replace("%", " %")} | style
                line = self._draw_line(axes, part["fpr"], part["tpr"], look)
                hidden = self._is_crowded and self.bands_
                if self.confidence_level is None or hidden or not (alone or at == 0):
                    continue
                window = roc.response.window[np.flatnonzero(roc.abstention == level)[0]]
                band = roc.band(float(window), confidence_level=self.confidence_level)
                # Along the upper edge, and back along the lower one; both join both corners.
                x = np.concatenate([[0], band["fpr_low"], [1], band["fpr_high"][::-1]])
                y = np.concatenate([[0], band["tpr_high"], [1], band["tpr_low"][::-1]])
                self.bands_ += axes.fill(x, y, color=line.get_color(), alpha=0.1, linewidth=0)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        title += "ROC curves of the answered cases"
        size = "small" if len(self.lines_) > 6 else None
        self._explain(axes, *_RATE_WORDS, title, "lower right", size)

    def _draw_readings(self, axes: Any, roc: AbstentionROC, title: str, style: Style) -> None:
        paths = dict(list(self._frame(roc).groupby("reading")))
        at = None if self.window is None else roc.readings(self.window)
        looks = line_styles(len(_READING_WORDS), axes)
        for (reading, words), look in zip(_READING_WORDS.items(), looks, strict=True):
            path = paths[reading].dropna(subset=["tpr", "fpr"])
            if len(path) > _STOPS:  # evenly spread over abstention: single cases make it jagged
                abstention = path["abstention"].to_numpy()
                stops = np.linspace(abstention.min(), abstention.max(), _STOPS)
                stop = np.searchsorted(abstention, stops).clip(0, len(path) - 1)
                path = path.iloc[np.unique([0, *stop, len(path) - 1])]
            # The mark stands at the window only, but in the legend too.
            mark = "" if at is None else look["marker"]
            look |= {"marker": mark, "markevery": []}
            look |= {"label": f"unanswered cases {words}"} | style
            line = self._draw_line(axes, path["fpr"], path["tpr"], look)
            if at is not None:
                rates = at.loc[reading, ["fpr", "tpr"]]
                self.points_ += axes.plot(*rates, marker=mark, color=line.get_color())
        axes.axline((0, 0), slope=1, color=neutral(), linewidth=0.8, alpha=0.5)
        start = paths["count"].iloc[0]
        star = {"color": neutral(), "markersize": 13, "label": "everything answered"}
        axes.plot(start["fpr"], start["tpr"], "*", **star)
        axes.set_ylim(-0.02, 1.02)
        title += "where it stands in ROC space"
        self._explain(axes, *_RATE_WORDS, title, "lower right", "small")

    def _draw_surface(self, axes: Any, roc: AbstentionROC, title: str, style: Style) -> None:
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
        # All curves are cut at equal shares of their way from (0, 0) to (1, 1).
        along, curves = np.linspace(0, 2, _POINTS_PER_CURVE), []
        for _, curve in table.groupby("abstention"):
            columns = curve[["fpr", "abstention", "tpr"]].to_numpy().T
            curves.append([np.interp(along, columns[0] + columns[2], part) for part in columns])
        look = {"cmap": rcParams["image.cmap"], "rcount": len(curves), "ccount": len(along)}
        look |= {"edgecolor": "none", "alpha": 0.9} | style
        self.surface_ = axes.plot_surface(*np.array(curves).swapaxes(0, 1), **look)
        for at in np.unique(np.linspace(0, len(curves) - 1, _CURVES_ON_SURFACE).astype(int)):
            axes.plot(*curves[at], color=neutral(), linewidth=0.9)
        title += f"ROC curves over abstention, volume {roc.volume:.3f}"
        axes.set(xlabel=_RATE_WORDS[0], ylabel=_UNANSWERED, zlabel=_RATE_WORDS[1], title=title)
        axes.view_init(elev=22, azim=-60)
        axes.set_box_aspect(None, zoom=0.85)

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
        away = np.abs(curve.abstention[drawable] - np.array(self.levels)[:, None])
        parts = [
            curve.curve(float(curve.response.window[state])).assign(
                abstention=curve.abstention[state], auc=auc[state]
            )
            for state in np.unique(drawable[away.argmin(axis=1)])
        ]
        columns = ["abstention", "auc", "fpr", "tpr", "threshold"]
        return pd.concat(parts, ignore_index=True)[columns]
