"""What displays share: axes, looks that survive grey, texts, and where the answers come from.

A display is made of data and draws them. Those of classifiers are made of answers as well: of given
predictions, of fitted classifiers, or of cross-validations, for one classifier or several by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar
from weakref import WeakSet

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._random import check_level
from cautious._typing import Floats, Ints
from cautious.errors import check_installed, check_kind, shown
from cautious.predictions._estimators import question

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

# Okabe & Ito (2008), without the yellow that nobody can see on white; neighbours differ in
# lightness too.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (7, 3)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_CHARACTERS = 32
_MANY_POINTS = 50_000

# Lines that took one of the looks, so that the next display on the same axes takes others.
_STYLED: WeakSet[Line2D] = WeakSet()

Curve = TypeVar("Curve")
Style = dict[str, Any]
Many = Sequence[Any] | npt.ArrayLike

UNNAMED = "classifier"
"""What a single curve is called that was given no name."""

# Relative to the span of the heights: lines nearer than this are taken to meet.
_TIE = 1e-12


class Display(ABC):
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
    _size: tuple[float, float] | None = None
    _is_crowded: bool = False
    _three_d: bool = False

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, in three dimensions what has three; by default a new figure.
        name : str, optional
            What to call a single classifier; where none is named, the title. A pair of names where
            two classifiers are compared.
        curve_kwargs : mapping, optional
            matplotlib properties of what is drawn: of every line, of the bars, of the marks, or of
            the colours of a map (``pcolormesh``) or a surface (``plot_surface``).

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import UtilityDisplay
        >>> drawn = UtilityDisplay("u65").plot(Figure().subplots(), name="mine")
        >>> drawn.ax_.get_ylabel(), drawn.lines_[0].get_label()
        ('utility', 'mine')
        """
        check_installed("drawing", "plots", "matplotlib")
        import matplotlib.axes

        self._has_own_figure = ax is None
        if ax is None:
            from matplotlib import pyplot

            size = (6.4, 5.6) if self._three_d else self._size
            figure = pyplot.figure(figsize=size, layout="constrained")
            ax = figure.add_subplot(projection="3d" if self._three_d else None)
        elif not isinstance(ax, matplotlib.axes.Axes):
            raise TypeError(
                f"ax is of type {type(ax).__name__}; give a single matplotlib Axes, or none to "
                "have a new figure made."
            )
        elif self._three_d and ax.name != "3d":
            raise ValueError(
                "ax is flat, and this display is drawn in three dimensions; make it with "
                "figure.add_subplot(projection='3d')."
            )
        # The whole figure, also of axes in a subfigure.
        self.ax_, self.figure_ = ax, None if ax.figure is None else ax.figure.figure
        self.lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        self._draw(ax, name, dict(curve_kwargs or {}))
        return self

    @abstractmethod
    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        """Draw on axes that are open."""

    def _looks(
        self, axes: Any, curves: Mapping[Any, Curve], style: Style, **own: Any
    ) -> Iterator[tuple[Curve, Style]]:
        """Give each of several curves the look of its line, with its name for the legend."""
        self._is_crowded = len(curves) > 2
        thin = {"linewidth": 1} if self._is_crowded else {}
        for label, look in zip(curves, line_styles(len(curves), axes), strict=True):
            yield curves[label], look | thin | {"label": plain_text(label)} | own | style

    def _draw_line(self, axes: Any, x: Any, y: Any, look: Style, band: Any = None) -> Line2D:
        """Draw a line in one of the looks, and its band (x, low, high by columns) in its colour."""
        # Of three classifiers or more the first alone has a band: more would hide each other.
        (line,) = axes.plot(x, y, **look)
        _STYLED.add(line)
        self.lines_.append(line)
        if band is not None and not (self._is_crowded and self.bands_):
            look = {"color": line.get_color(), "alpha": 0.15, "linewidth": 0}
            self.bands_.append(axes.fill_between(*np.asarray(band).T, **look))
        return line  # type: ignore[no-any-return]

    @staticmethod
    def _two_names(names: Any) -> list[str]:
        """Read the names of two classifiers that are compared."""
        if isinstance(names, str) or len(names) != 2:
            raise ValueError(f"name is {shown(names)}; give a pair of names, one per classifier.")
        return [plain_text(name) for name in names]

    @staticmethod
    def _explain(
        axes: Any, x: str, y: str, title: str, corner: str | None, fontsize: Any = None
    ) -> None:
        """Name the axes, and put a legend where it hides least, or in a corner."""
        axes.set(xlabel=x, ylabel=y, title=title)
        drawn = sum(len(line.get_xdata()) for line in axes.lines)
        if corner is not None:  # which of many points it hides least takes long to find
            axes.legend(loc="best" if drawn < _MANY_POINTS else corner, fontsize=fontsize)


@dataclass(frozen=True)
class ModelAnswers:
    """Answers of one classifier with the truths, and keywords that say how to read them."""

    truth: Any
    outputs: Any
    known: dict[str, Any]
    rows: Ints | None = None  # of the data that were cross-validated


class _AnswersDisplay(Display):
    """Display that is computed from the answers of classifiers."""

    _asks: ClassVar[str] = "score"
    """What classifiers are asked for: predict_proba, predict_set, a score or a probability."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Many,
        y_score: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw what is shown of true labels and scores or class probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_score : array-like of shape (n,) or (n, K), or mapping of name to array-like
            Scores that grow with the belief in the positive class, or class probabilities for
            response graphs and for risk and coverage; of one classifier or several.
        ax, name, curve_kwargs
            As in ``plot``.
        **options
            Keywords of the display itself, and of the curve's ``from_predictions``:
            `pos_label`, `classes`, `sample_weight` and so on.

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
        given = named(y_score, name)
        answers = {label: ModelAnswers(y_true, outputs, {}) for label, outputs in given.items()}
        return cls._of(answers, **options).plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    @abstractmethod
    def _of(cls, answers: dict[Any, ModelAnswers], **options: Any) -> Self:
        """Make the display of answers by name; the answers of all are of the same kind."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Many,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw what is shown of fitted classifiers.

        Parameters
        ----------
        estimator : fitted classifier, or mapping of name to fitted classifier
            One classifier or several.
        X, y : array-like
            Examples that none was fitted on, and their true labels.
        ax, curve_kwargs
            As in ``plot``.
        name : str, optional
            What to call a single classifier; by default its class.
        **options
            As in :meth:`from_predictions`, but the classes of answers are known. For scores
            `response_method` ("auto", "predict_proba" or "decision_function") says what to ask.

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
        answers = cls._ask(named(estimator, name), X, y, options, pooled=False)
        return cls._of(answers, **options).plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[Any, Any],
        X: Any,
        y: Many,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw what is shown of pooled out-of-fold predictions.

        Parameters
        ----------
        cv_results : dict, or mapping of name to dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``, for one
            classifier or several.
        X, y : array-like
            The data that were cross-validated.
        ax, name, curve_kwargs, **options
            As in :meth:`from_estimator`.

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
        answers = cls._ask(_named_cv_results(cv_results, name), X, y, options, pooled=True)
        return cls._of(answers, **options).plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def _ask(
        cls, sources: Mapping[Any, Any], X: Any, y: Any, options: dict[str, Any], *, pooled: bool
    ) -> dict[Any, ModelAnswers]:
        """Ask fitted classifiers; takes out of the options what the answers know themselves."""
        weight = options.pop("sample_weight", None)
        key, ask, ask_folds, how = question(cls._asks, options)
        answers = {}
        for name, source in sources.items():
            truth, rows, counted = y, None, weight
            if pooled:
                truth, outputs, known, pool = ask_folds(source, X, y, sample_weight=weight, **how)
                rows = np.concatenate(source["indices"]["test"])
                counted = None if weight is None else pool
            else:
                outputs, known = ask(source, X, **how)
            if key in how:  # what is positive for the first is so for the others
                how[key] = known
            given = {key: known, "sample_weight": counted}
            answers[name] = ModelAnswers(truth, outputs, given, rows)
        return answers


class OfSets(_AnswersDisplay):
    """Display that is made of prediction sets."""

    _asks: ClassVar[str] = "predict_set"

    @classmethod
    def from_predictions(  # type: ignore[override]
        cls,
        y_true: Many,
        y_set: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw what is shown of true labels and prediction sets.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_set : prediction sets, or mapping of name to prediction sets
            Sets of one classifier or several.
        ax, name, curve_kwargs
            As in ``plot``.
        **options
            Keywords of the display itself, and `classes`, `empty`, `sample_weight` and so on.

        Returns
        -------
        display
            Drawn already.
        """
        how: dict[str, Any] = {"ax": ax, "name": name, "curve_kwargs": curve_kwargs}
        return super().from_predictions(y_true, y_set, **how, **options)


@dataclass(eq=False, repr=False)
class CurvesDisplay(_AnswersDisplay, Generic[Curve]):
    """Display of the curves of one or several classifiers; a subclass names the curves' class."""

    _curve_class: ClassVar[Any]
    curves: Any  # one curve, or several by name; then always by name

    def __post_init__(self) -> None:
        self.curves = named(self.curves)
        if not self.curves:
            raise ValueError("curves is empty; give at least one curve to draw.")
        for curve in self.curves.values():
            kind = self._curve_class
            check_kind(curve, kind, "curves", f"{kind.__name__}, one or several by name")
        level = getattr(self, "confidence_level", None)
        if level is not None:
            check_level(level)

    @classmethod
    def _of(cls, answers: dict[Any, ModelAnswers], **options: Any) -> Self:
        own = {key: options.pop(key) for key in signature(cls).parameters if key in options}
        curves = {
            name: cls._curve_class.from_predictions(a.truth, a.outputs, **a.known, **options)
            for name, a in answers.items()
        }
        return cls(curves, **own)

    def _only_one(self, words: str) -> None:
        """Refuse several classifiers where only one can be drawn."""
        if len(self.curves) > 1:
            raise ValueError(f"there are {len(self.curves)} classifiers; {words} of one.")

    def _renamed(self, name: str | None) -> dict[Any, Curve]:
        """Curves by name; a single one may be given a new name when it is drawn."""
        return renamed(self.curves, name, "curves; name them by the keys of the mapping instead")

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
        tables = {name: self._frame(curve) for name, curve in self.curves.items()}
        table = pd.concat(
            [part.assign(classifier=name) for name, part in tables.items()], ignore_index=True
        )
        return table[["classifier", *table.columns.drop("classifier")]]

    def _frame(self, curve: Curve) -> pd.DataFrame:
        """Numbers that are drawn of one curve."""
        return curve.frame()  # type: ignore[attr-defined, no-any-return]


def line_styles(n: int, axes: Axes | None = None) -> list[Style]:
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
            "linestyle": DASHES[(i + i // len(DASHES)) % len(DASHES)],
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
    if len(text) > most or len(str(label)) > 4 * most:
        text = text[: most - 1].rstrip() + "…"
    text = text.replace("$", r"\$") or "(no name)"
    # An invisible space in front: the name stays in the legend and looks the same.
    return f"\u200b{text}" if text.startswith("_") else text


def around(corners: Floats) -> Floats:
    """Order the corners of a convex polygon around it."""
    away = corners - corners.mean(axis=0)
    return np.asarray(corners[np.argsort(np.arctan2(away[:, 1], away[:, 0]))])


def named(given: Any, name: str | None = None) -> dict[Any, Any]:
    """Read one thing, or several by name."""
    if not isinstance(given, Mapping):
        return {UNNAMED if name is None else name: given}
    if name is not None:
        raise ValueError(
            f"name is {shown(name)}, but several were given by name already; leave name= out."
        )
    return dict(given)


def renamed(things: dict[Any, Any], name: Any, kind: str) -> dict[Any, Any]:
    """Give a single thing a new name, if there is one."""
    if name is None:
        return things
    if len(things) > 1:
        raise ValueError(f"name is {shown(name)}, but there are {len(things)} {kind}.")
    return dict(zip([name], things.values(), strict=True))


def _named_cv_results(cv_results: Mapping[Any, Any], name: str | None) -> dict[Any, Any]:
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
    tie = _TIE * max(np.ptp(at_start), np.ptp(at_end), 1e-300)
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
