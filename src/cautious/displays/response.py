"""Response graphs and risk–coverage curves: a measure against how much is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.curves import ResponseCurve, RiskCoverageCurve
from cautious.displays._display import NamedCurvesDisplay, line_styles, named, neutral, plain_text
from cautious.errors import shown

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["ResponseDisplay", "RiskCoverageDisplay"]

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


class ResponseDisplay(NamedCurvesDisplay[ResponseCurve]):
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
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
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

    curve_class = ResponseCurve
    own_options: ClassVar[tuple[str, ...]] = ("measure", "costs", "guess", "confidence_level")

    def __init__(
        self,
        curves: ResponseCurve | Mapping[Any, ResponseCurve],
        *,
        measure: str = "accuracy",
        costs: npt.ArrayLike | pd.DataFrame | None = None,
        guess: str | npt.ArrayLike = "uniform",
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        self.measure = measure
        self.costs = costs
        self.guess = guess
        self.confidence_level = confidence_level

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the curves of class probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_proba : array-like of shape (n, K), or mapping of name to array-like
            Class probabilities of one classifier or several.
        ax, name, curve_kwargs
            As in :meth:`plot`.
        **options
            Keywords of the display itself, and of
            :meth:`cautious.curves.ResponseCurve.from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import ResponseDisplay
        >>> y_proba = [[1, 0], [0.25, 0.75], [0.375, 0.625], [0, 1]]
        >>> drawn = ResponseDisplay.from_predictions(
        ...     ["neg", "pos", "neg", "pos"], y_proba, ax=Figure().subplots()
        ... )
        >>> drawn.frame()["classifier"].unique().tolist()
        ['classifier']
        """
        sources = named(y_proba, name)
        return cls._made("from_predictions", sources, ax, curve_kwargs, options, y_true)

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
        >>> from cautious.displays import ResponseDisplay
        >>> y_proba = [[1, 0], [0.25, 0.75], [0.375, 0.625], [0, 1]]
        >>> drawn = ResponseDisplay.from_predictions(
        ...     ["neg", "pos", "neg", "pos"], y_proba, ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('share of cases not answered', 'share of answers that are right')
        """
        curves = self._renamed(name)
        frames = {label: self._frame(curve) for label, curve in curves.items()}
        style = dict(curve_kwargs or {})
        axes = self._open(ax)
        self.lines_: list[Line2D] = []
        self.best_: list[Line2D] = []
        self.bands_: list[Any] = []
        for (label, states), look in zip(
            frames.items(), line_styles(len(frames), axes), strict=True
        ):
            states = states.dropna(subset=[self.measure])
            if len(states) > _FEW_STATES:
                look["marker"] = ""
            look |= {"label": plain_text(label), "markersize": 4} | style
            line = self._line(axes, states["abstention"], states[self.measure], **look)
            self.lines_.append(line)
            if self.confidence_level is not None and self.measure in ResponseCurve.banded:
                band = curves[label].band(
                    self.measure, costs=self.costs, confidence_level=self.confidence_level
                )
                ends = band["low"], band["high"]
                self.bands_.append(self._band(axes, band["abstention"], *ends, line))
            if self.measure == "cost":
                at = int(np.argmin(states[self.measure].to_numpy()))
                best = states["abstention"].iloc[at], states[self.measure].iloc[at]
                self.best_ += axes.plot(*best, "*", color=line.get_color(), markersize=13)
        words, corner = _WORDS[self.measure]
        axes.set(xlabel="share of cases not answered", ylabel=words, xlim=(-0.02, 1.02))
        axes.set_title(f"{self.measure.replace('_', ' ')} against abstention")
        self._view_of_many(axes, lambda level: level <= 1 - _TOO_FEW)
        self._legend(axes, corner)
        return self

    def _frame(self, curve: ResponseCurve) -> pd.DataFrame:
        return curve.frame([self.measure], costs=self.costs, guess=self.guess)


class RiskCoverageDisplay(NamedCurvesDisplay[RiskCoverageCurve]):
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
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
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

    curve_class = RiskCoverageCurve
    own_options: ClassVar[tuple[str, ...]] = ("risk", "optimal", "confidence_level")

    def __init__(
        self,
        curves: RiskCoverageCurve | Mapping[Any, RiskCoverageCurve],
        *,
        risk: Literal["selective", "generalised"] = "selective",
        optimal: bool = False,
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        if risk not in ("selective", "generalised"):
            raise ValueError(f"risk is {shown(risk)}; choose 'selective' or 'generalised'.")
        self.risk = risk
        self.optimal = optimal
        self.confidence_level = confidence_level

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the curves of class probabilities or scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_proba : array-like of shape (n,) or (n, K), or mapping of name to array-like
            Class probabilities, or scores of two classes, of one classifier or several.
        ax, name, curve_kwargs
            As in :meth:`plot`.
        **options
            Keywords of the display itself, and of
            :meth:`cautious.metrics.RiskCoverageCurve.from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import RiskCoverageDisplay
        >>> y_proba = [[1, 0], [0.25, 0.75], [0.375, 0.625], [0, 1]]
        >>> drawn = RiskCoverageDisplay.from_predictions(
        ...     ["neg", "pos", "neg", "pos"], y_proba, ax=Figure().subplots()
        ... )
        >>> drawn.frame()["classifier"].unique().tolist()
        ['classifier']
        """
        sources = named(y_proba, name)
        return cls._made("from_predictions", sources, ax, curve_kwargs, options, y_true)

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
            Line2D properties for every classifier's line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import RiskCoverageDisplay
        >>> y_proba = [[1, 0], [0.25, 0.75], [0.375, 0.625], [0, 1]]
        >>> drawn = RiskCoverageDisplay.from_predictions(
        ...     ["neg", "pos", "neg", "pos"], y_proba, ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('share of cases answered, surest first', 'mean loss of an answer')
        """
        axes = self._open(ax)
        curves = self._renamed(name)
        selective = self.risk == "selective"
        self.lines_: list[Line2D] = []
        self.optimal_lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        for (label, curve), look in zip(
            curves.items(), line_styles(len(curves), axes), strict=True
        ):
            area = f"AURC {curve.aurc:.3g}" if selective else f"AUGRC {curve.augrc:.3g}"
            look |= {"marker": "", "label": f"{plain_text(label)} ({area})"} | dict(
                curve_kwargs or {}
            )
            self.lines_.append(self._line(axes, *self._points(curve), **look))
            if self.confidence_level is not None:
                band = curve.band(confidence_level=self.confidence_level)
                low, high = (band[f"{self.risk}_risk_{end}"] for end in ("low", "high"))
                self.bands_.append(self._band(axes, band["coverage"], low, high, self.lines_[-1]))
        for curve, line in zip(curves.values() if self.optimal else (), self.lines_, strict=False):
            faint = {"color": neutral(), "linewidth": 0.8, "linestyle": line.get_linestyle()}
            faint["label"] = "" if self.optimal_lines_ else "best order possible"
            self.optimal_lines_ += axes.plot(*self._points(curve.optimal), **faint)
        axes.set(
            xlabel="share of cases answered, surest first",
            ylabel="mean loss of an answer" if selective else "loss of answers, over all cases",
            xlim=(-0.02, 1.02),
            title=f"{self.risk} risk against coverage",
        )
        self._view_of_many(axes, lambda level: level >= _TOO_FEW)
        self._legend(axes, "upper left")
        return self

    def _points(self, curve: RiskCoverageCurve) -> tuple[Floats, Floats]:
        """Points so close that straight lines between them follow the curve inside blocks too."""
        between = np.linspace(0, 1, 201)[1:]
        coverage = np.union1d(curve.coverage, between)
        coverage = coverage[coverage <= 1]
        risk = curve.risk_at_coverage(coverage)
        return coverage, risk if self.risk == "selective" else risk * coverage

    def _frame(self, curve: RiskCoverageCurve) -> pd.DataFrame:
        return curve.frame()
