"""What displays share: a place to draw on, looks that survive grey, labels fit to draw, names.

Displays of curves hold those of several classifiers side by side, from wherever they come; who wins
where along a stretch is found exactly, from the lowest of many straight lines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from weakref import WeakSet

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._typing import Floats, Mask
from cautious.errors import check_installed, shown

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

__all__ = [
    "Display",
    "NamedCurvesDisplay",
    "ScoredCurvesDisplay",
    "halo",
    "hatched",
    "line_styles",
    "lower_envelope",
    "neutral",
    "plain_text",
    "wilson",
]

# Okabe & Ito (2008), without the yellow that nobody can see on white; neighbours differ in
# lightness too.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (7, 3)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_CHARACTERS = 32
_MANY_POINTS = 50_000

# Lines that took one of the looks, so that the next display on the same axes takes others.
_STYLED: WeakSet[Line2D] = WeakSet()

Curve = TypeVar("Curve")

UNNAMED = "classifier"
"""What a single curve is called that was given no name."""

# Relative to the span of the heights: lines nearer than this are taken to meet.
_TIE = 1e-12


class Display:
    """Base of all displays.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn; there once ``plot`` was called.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    ax_: Any
    figure_: Any

    def _open(
        self, ax: Axes | None, *, three_d: bool = False, size: tuple[float, float] | None = None
    ) -> Any:
        """Take the axes given, or make new ones on a new figure."""
        check_installed("drawing", "plots", "matplotlib")
        import matplotlib.axes

        if ax is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=size, layout="constrained")
            ax = figure.add_subplot(projection="3d" if three_d else None)
        elif not isinstance(ax, matplotlib.axes.Axes):
            raise TypeError(
                f"ax is of type {type(ax).__name__}; give a single matplotlib Axes, or none to "
                "have a new figure made."
            )
        elif three_d and ax.name != "3d":
            raise ValueError(
                "ax is flat, and this display is drawn in three dimensions; make it with "
                "figure.add_subplot(projection='3d')."
            )
        self.ax_, self.figure_ = ax, _whole_figure(ax)
        return ax

    @staticmethod
    def _line(axes: Any, x: Any, y: Any, **look: Any) -> Line2D:
        """Draw a line with one of the :func:`line_styles` of the axes."""
        (line,) = axes.plot(x, y, **look)
        _STYLED.add(line)
        return line  # type: ignore[no-any-return]

    @staticmethod
    def _band(axes: Any, x: Any, low: Any, high: Any, line: Line2D) -> Any:
        """Shade what lies between two curves in the colour of a line."""
        return axes.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)

    @staticmethod
    def _legend(axes: Any, corner: str, **style: Any) -> None:
        """Put the legend where it hides least, or in a corner if looking would take long."""
        drawn = sum(len(line.get_xdata()) for line in axes.lines)
        axes.legend(loc="best" if drawn < _MANY_POINTS else corner, **style)

    @staticmethod
    def _view_of_many(axes: Any, shown: Callable[[Floats], Mask]) -> None:
        """Scale the y-axis by the points that matter; the others may leave the picture."""
        parts = [line.get_xydata() for line in axes.lines]
        heights = np.concatenate([part[shown(part[:, 0]), 1] for part in parts])
        if len(heights):
            low, high = float(heights.min()), float(heights.max())
            room = 0.05 * (high - low) or 0.05
            axes.set_ylim(low - room, high + room)


def _whole_figure(ax: Axes) -> Figure | None:
    """Figure of the axes, also when they lie in a subfigure."""
    figure: Any = ax.figure
    return None if figure is None else figure.figure


def line_styles(n: int, axes: Axes | None = None) -> list[dict[str, Any]]:
    """Line2D properties for `n` lines: colour, dashes and marker all differ."""
    from matplotlib import rcParams, rcParamsDefault

    cycle = rcParams["axes.prop_cycle"]
    unchanged = cycle == rcParamsDefault["axes.prop_cycle"]
    colours = OKABE_ITO if unchanged else cycle.by_key().get("color", OKABE_ITO)
    before = 0 if axes is None else sum(line in _STYLED for line in axes.lines)
    return [
        {
            "color": colours[i % len(colours)],
            # The shift after each round keeps colour and dashes from repeating together.
            "linestyle": LINES[(i + i // len(LINES)) % len(LINES)],
            "marker": MARKERS[(i + 2 * (i // len(MARKERS))) % len(MARKERS)],
        }
        for i in range(before, before + n)
    ]


def neutral() -> Any:
    """Colour of guides and outlines: that of the axes, so dark styles stay readable."""
    from matplotlib import rcParams

    return rcParams["axes.edgecolor"]


def halo(width: float = 2.0) -> list[Any]:
    """Outline in the background's colour, for lines and numbers on top of a colour map."""
    from matplotlib import patheffects, rcParams

    return [patheffects.withStroke(linewidth=width, foreground=rcParams["axes.facecolor"])]


def hatched(label: str, hatch: str) -> Patch:
    """Legend entry of a hatched area."""
    from matplotlib.patches import Patch

    return Patch(label=label, hatch=hatch, facecolor="none", edgecolor=neutral())


def plain_text(label: Any, *, most: int = MOST_CHARACTERS) -> str:
    """Write a class or model name so that matplotlib draws it as it stands."""
    printable = "".join(c if c.isprintable() else " " for c in str(label)[: 4 * most])
    text = " ".join(printable.split())
    shortened = len(text) > most or len(str(label)) > 4 * most
    if shortened:
        text = text[: most - 1].rstrip() + "…"
    text = text.replace("$", r"\$") or "(no name)"
    # An invisible space in front: the name stays in the legend and looks the same.
    return f"\u200b{text}" if text.startswith("_") else text


class NamedCurvesDisplay(Display, ABC, Generic[Curve]):
    """Display of the curves of one or several classifiers.

    A subclass names the class of its curves and the keywords of its own constructor, says what
    predictions its curves are made of (``from_predictions``), and draws.
    """

    curve_class: ClassVar[Any]
    own_options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, curves: Curve | Mapping[Any, Curve]) -> None:
        self.curves: dict[Any, Curve] = named(curves)
        if not self.curves:
            raise ValueError("curves is empty; give at least one curve to draw.")

    @abstractmethod
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the curves of fitted classifiers.

        Parameters
        ----------
        estimator : fitted classifier, or mapping of name to fitted classifier
            One classifier or several.
        X, y : array-like
            Examples and their true labels.
        ax, curve_kwargs
            As in :meth:`plot`.
        name : str, optional
            What to call a single classifier; by default its class.
        **options
            Keywords of the display itself, and of the curve's ``from_estimator``.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from cautious.displays import RiskCoverageDisplay
        >>> X, y = make_classification(200, random_state=0)
        >>> model = GaussianNB().fit(X[:100], y[:100])
        >>> axes = Figure().subplots()
        >>> drawn = RiskCoverageDisplay.from_estimator(model, X[100:], y[100:], ax=axes)
        >>> list(drawn.curves)
        ['GaussianNB']
        """
        if name is None and not isinstance(estimator, Mapping):
            name = type(estimator).__name__
        return cls._made("from_estimator", named(estimator, name), ax, curve_kwargs, options, X, y)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[Any, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the curves of pooled out-of-fold predictions.

        Parameters
        ----------
        cv_results : dict, or mapping of name to dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``, for one
            classifier or several.
        X, y : array-like
            The data that were cross-validated.
        ax, curve_kwargs
            As in :meth:`plot`.
        name : str, optional
            What to call a single classifier; by default its class.
        **options
            Keywords of the display itself, and of the curve's ``from_cv_results``.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from cautious.displays import RiskCoverageDisplay
        >>> X, y = make_classification(200, random_state=0)
        >>> found = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
        >>> drawn = RiskCoverageDisplay.from_cv_results(found, X, y, ax=Figure().subplots())
        >>> list(drawn.curves)
        ['GaussianNB']
        """
        results = named_cv_results(cv_results, name)
        return cls._made("from_cv_results", results, ax, curve_kwargs, options, X, y)

    @classmethod
    def _made(
        cls,
        method: str,
        sources: Mapping[Any, Any],
        ax: Axes | None,
        curve_kwargs: Mapping[str, Any] | None,
        options: dict[str, Any],
        *data: Any,
    ) -> Self:
        """Compute and draw the curves of several sources by the curve's own constructor."""
        own = {key: options.pop(key) for key in cls.own_options if key in options}
        make = getattr(cls.curve_class, method)
        if method == "from_predictions":  # truths come first there, and what is predicted second
            curves = {name: make(*data, source, **options) for name, source in sources.items()}
        else:
            curves = {name: make(source, *data, **options) for name, source in sources.items()}
        return cls._with(curves, **own).plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def _with(cls, curves: dict[Any, Curve], **own: Any) -> Self:
        """Make the display of curves that were computed."""
        return cls(curves, **own)

    def _only_one(self, words: str) -> None:
        """Refuse several classifiers where only one can be drawn."""
        if len(self.curves) > 1:
            raise ValueError(f"there are {len(self.curves)} classifiers; {words} of one.")

    def _renamed(self, name: str | None) -> dict[Any, Curve]:
        """Curves by name; a single one may be given a new name when it is drawn."""
        if name is None:
            return self.curves
        if len(self.curves) > 1:
            raise ValueError(
                f"name is {shown(name)}, but there are {len(self.curves)} curves; name them by the "
                "keys of the mapping instead."
            )
        return dict(zip([name], self.curves.values(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Numbers that are drawn, one curve after the other, with the name of its classifier.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import RiskCoverageDisplay
        >>> y, scores = [0, 1, 1], {"sharp": [0.1, 0.8, 0.6], "blunt": [0.4, 0.3, 0.6]}
        >>> drawn = RiskCoverageDisplay.from_predictions(y, scores, ax=Figure().subplots())
        >>> drawn.frame()[["classifier", "coverage", "selective_risk"]].round(3)
          classifier  coverage  selective_risk
        0      sharp     0.333           0.000
        1      sharp     0.667           0.000
        2      sharp     1.000           0.000
        3      blunt     0.333           1.000
        4      blunt     1.000           0.333
        """
        return pd.concat(
            [self._frame(curve).assign(classifier=name) for name, curve in self.curves.items()],
            ignore_index=True,
        ).pipe(lambda table: table[["classifier", *table.columns.drop("classifier")]])

    @abstractmethod
    def _frame(self, curve: Curve) -> pd.DataFrame:
        """Numbers that are drawn of one curve."""


class ScoredCurvesDisplay(NamedCurvesDisplay[Curve]):
    """Display of curves that are made of the scores of two classes."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw what is shown of true labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_score : array-like of shape (n,), or mapping of name to array-like
            Scores that grow with the belief in the positive class, of one classifier or several.
        ax, name, curve_kwargs
            As in :meth:`plot`.
        **options
            Keywords of the display itself, and of the curve's ``from_predictions`` (`pos_label`,
            `sample_weight` and so on).

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import DecisionCurveDisplay
        >>> y, scores = [0, 0, 1, 1], {"sharp": [0.1, 0.2, 0.8, 0.9], "blunt": [0.4, 0.3, 0.2, 0.6]}
        >>> drawn = DecisionCurveDisplay.from_predictions(y, scores, ax=Figure().subplots())
        >>> list(drawn.curves)
        ['sharp', 'blunt']
        """
        sources = named(y_score, name)
        return cls._made("from_predictions", sources, ax, curve_kwargs, options, y_true)


def wilson(share: Floats, n: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Give the ends of Wilson's intervals of shares."""
    z = float(stats.norm.ppf((1 + confidence_level) / 2))
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / scale
    return np.maximum(0, centre - half), np.minimum(1, centre + half)


def named(given: Any, name: str | None = None) -> dict[Any, Any]:
    """Read one thing, or several by name."""
    if not isinstance(given, Mapping):
        return {UNNAMED if name is None else name: given}
    if name is not None:
        raise ValueError(
            f"name is {shown(name)}, but several were given by name already; leave name= out."
        )
    return dict(given)


def named_cv_results(cv_results: Mapping[Any, Any], name: str | None = None) -> dict[Any, Any]:
    """Read the results of one cross-validation, or of several by name."""
    if not isinstance(cv_results, Mapping):
        raise TypeError(
            f"cv_results is {shown(cv_results)}; give what cross_validate(..., "
            "return_estimator=True, return_indices=True) returns, or several such by name."
        )
    if cv_results and all(isinstance(result, Mapping) for result in cv_results.values()):
        return named(cv_results, name)
    if name is None:
        fitted = cv_results.get("estimator")
        name = UNNAMED if fitted is None else type(fitted[0]).__name__
    return {name: cv_results}


def lower_envelope(at_start: Floats, at_end: Floats) -> list[tuple[float, int]]:
    """Find which line is lowest on each part of the way from 0 to 1."""
    slope = at_end - at_start
    tie = _TIE * max(float(np.ptp(at_start)), float(np.ptp(at_end)), 1e-300)
    lowest = np.flatnonzero(at_start <= at_start.min() + tie)
    line = int(lowest[slope[lowest].argmin()])
    parts, here = [(0.0, line)], 0.0
    while True:
        fall = slope[line] - slope
        steeper = np.flatnonzero(fall > tie)
        if not len(steeper):
            return parts
        meet = (at_start[steeper] - at_start[line]) / fall[steeper]
        first = max(float(meet.min()), here)
        if not first < 1 - _TIE:
            return parts
        # Of the lines met here the steepest stays lowest.
        met = steeper[meet <= first + _TIE]
        line, here = int(met[slope[met].argmin()]), first
        parts.append((first, line))
