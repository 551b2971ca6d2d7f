"""Class distributions drawn as places: sets answered along a line, credal sets on the triangle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_codes, check_classes, check_probabilities
from cautious._typing import Floats, Ints, Labels
from cautious.costs import SetCosts
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.displays._display import (
    UNNAMED,
    Display,
    Many,
    Style,
    line_styles,
    lower_envelope,
    named,
    neutral,
    plain_text,
)
from cautious.errors import check_kind

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

# Legends of longer names have one column only.
_SHORT_NAME = 20
# The corner of each class; the sides have length one.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_TICKS = (0.2, 0.4, 0.6, 0.8)


class DecisionStripDisplay(Display):
    r"""Which set of classes costs least as a probability moves, for several ways of costing.

    The class distribution moves in a straight line, for two classes from being sure of the first to
    being sure of the second. The expected cost of every set is then a straight line too, and the
    cheapest changes at points that are found exactly.

    Parameters
    ----------
    costs : SetCosts, or mapping of name to SetCosts
        Ways of costing the sets of the same classes; a strip each.
    start, end : array-like of shape (K,), optional
        The distributions at both ends; needed for more than two classes.

    Attributes
    ----------
    bars_ : list of BarContainer
        The strips.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Yang, Destercke & Masson (2017), Example 7 and figure 2.

    Examples
    --------
    The two tables of the paper, for the classes h and n:

    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> from cautious.costs import SetCosts
    >>> from cautious.displays import DecisionStripDisplay
    >>> sets, classes = ["{h}", "{n}", "{h, n}"], ["h", "n"]
    >>> table_6 = pd.DataFrame([[0, 2], [4, 0], [0.5, 0.5]], index=sets, columns=classes)
    >>> table_7 = pd.DataFrame([[0, 2], [4, 0], [0.25, 0.75]], index=sets, columns=classes)
    >>> costs = {"VI": SetCosts.from_table(table_6), "VII": SetCosts.from_table(table_7)}
    >>> DecisionStripDisplay(costs).plot(Figure().subplots()).frame().round(4)
      costs   start     end  answer
    0    VI  0.0000  0.2500     {h}
    1    VI  0.2500  0.8750  {h, n}
    2    VI  0.8750  1.0000     {n}
    3   VII  0.0000  0.1667     {h}
    4   VII  0.1667  0.8333  {h, n}
    5   VII  0.8333  1.0000     {n}
    """

    def __init__(
        self,
        costs: SetCosts | Mapping[Any, SetCosts],
        *,
        start: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
    ) -> None:
        self.costs: dict[Any, SetCosts] = named(costs)
        if not self.costs:
            raise ValueError("costs is empty; give at least one way of costing.")
        for each in self.costs.values():
            check_kind(each, SetCosts, "costs", "SetCosts, or several by name")
        labels = {each.labels for each in self.costs.values()}
        if len(labels) > 1:
            raise ValueError(
                "costs is about different classes; strips can only be compared for the same ones."
            )
        self.classes: tuple[Any, ...]
        (self.classes,) = labels
        if (start is None or end is None) and len(self.classes) != 2:
            raise ValueError(
                f"costs is about {len(self.classes)} classes; give the distributions start= and "
                "end= between which to move."
            )
        self.named_ends: bool = start is not None or end is not None
        ends = {
            "start": [1.0, 0.0] if start is None else np.asarray(start),
            "end": [0.0, 1.0] if end is None else np.asarray(end),
        }
        k = len(self.classes)
        self.ends: Floats = np.concatenate(
            [check_probabilities(np.array([p]), name=name, n_classes=k) for name, p in ends.items()]
        )
        self._size = (6.4, 1.7 + 0.75 * len(self.costs))

    def frame(self) -> pd.DataFrame:
        """Parts of each strip: where it starts and ends, and the set that costs least there."""
        parts = []
        for name, costs in self.costs.items():
            table = costs.table()
            expected: Floats = table.to_numpy() @ self.ends.T
            pieces = lower_envelope(expected[:, 0], expected[:, 1])
            stops = [start for start, _ in pieces[1:]] + [1.0]
            parts += [
                (name, start, stop, table.index[row])
                for (start, row), stop in zip(pieces, stops, strict=True)
            ]
        return pd.DataFrame(parts, columns=["costs", "start", "end", "answer"])

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        from matplotlib import colormaps, rcParams

        table = self.frame()
        answers = list(dict.fromkeys(table["answer"]))
        shades = colormaps[rcParams["image.cmap"]](np.linspace(0.05, 0.95, len(answers)))
        shade_of = dict(zip(answers, shades, strict=True))
        self.bars_: list[Any] = []
        for row, way in enumerate(self.costs):
            parts = table[table["costs"] == way]
            colours = [shade_of[answer] for answer in parts["answer"]]
            look = {"height": 0.5, "color": colours, "edgecolor": neutral(), "linewidth": 0.8}
            look |= {"left": parts["start"]} | style
            width = parts["end"] - parts["start"]
            self.bars_.append(axes.barh([row] * len(parts), width, **look))
        unnamed = list(self.costs) == [UNNAMED]
        names = [] if unnamed else [plain_text(way, most=24) for way in self.costs]
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=(0, 1), ylim=(len(self.costs) - 0.4, -0.5), xlabel=self._words())
        unwritten = self._write(axes, table, shade_of)
        title = "the cheapest answer" if name is None else plain_text(name)
        if not unwritten:
            axes.set_title(title)
            return
        n_columns = 2 if max(map(len, unwritten)) <= _SHORT_NAME else 1
        if self._has_own_figure:  # the legend stands above the strips, and needs room
            rows = -(-len(unwritten) // n_columns) + 1
            self.figure_.set_figheight(self.figure_.get_figheight() + 0.4 + 0.25 * rows)
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1.02)}
        axes.legend(unwritten.values(), unwritten.keys(), title=title, ncols=n_columns, **place)

    def _write(self, axes: Any, table: pd.DataFrame, shade_of: dict[str, Floats]) -> dict[str, Any]:
        """Write answers and boundaries where there is room; give the other answers' bars."""
        self.figure_.draw_without_rendering()  # only now is it known how wide the strips are
        unwritten: dict[str, Any] = {}
        for row, (way, bars) in enumerate(zip(self.costs, self.bars_, strict=True)):
            parts = table[table["costs"] == way]
            end_of_last = -np.inf
            for bar, start, answer in zip(bars, parts["start"], parts["answer"], strict=True):
                words = plain_text(answer)
                middle = bar.get_x() + bar.get_width() / 2
                ink = _ink_on(shade_of[answer])
                text = axes.text(middle, row, words, ha="center", va="center", color=ink)
                if text.get_window_extent().width > 0.94 * bar.get_window_extent().width:
                    text.remove()
                    unwritten.setdefault(words, bar)
                if start == 0:
                    continue
                number = f"{start:.3f}".rstrip("0")
                text = axes.text(start, row + 0.28, number, ha="center", va="top", size="small")
                place = text.get_window_extent()
                if place.x0 < end_of_last:
                    text.remove()
                else:
                    end_of_last = place.x1 + 3
        return unwritten

    def _words(self) -> str:
        names = [plain_text(label, most=12) for label in self.classes]
        if not self.named_ends:
            return f"probability of {plain_text(self.classes[1])}"
        first, last = (
            ", ".join(f"{name} {p:.2g}" for name, p in zip(names, end, strict=True))
            for end in self.ends
        )
        return f"way from ({first})\nto ({last})"


def _ink_on(shade: Floats) -> str:
    """Black or white, whichever can be read on a colour."""
    lightness = float(np.dot(shade[:3], [0.299, 0.587, 0.114]))
    return "black" if lightness > 0.5 else "white"


class CredalTriangleDisplay(Display):
    """Credal sets of three classes as polygons, with single distributions as points.

    Every point of the triangle is a class distribution; a corner is being sure of its class, and
    the numbers along the sides are probabilities of the class towards which they grow.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets, over three classes.
    points : array-like of shape (n, 3), optional
        Distributions to draw as well, such as precise predictions.
    classes : sequence of length 3, optional
        Names of the classes.
    truth : array-like of shape (n,), optional
        True classes; the sets are then drawn in a colour and with dashes per class.

    Attributes
    ----------
    polygons_ : list of Polygon
        One per credal set.
    points_ : list of Line2D
        The distributions, one artist per class if the truth is known.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Yang, Destercke & Masson (2017), Example 3, for the credal set below.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CredalTriangleDisplay
    >>> obstacles = ([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])
    >>> CredalTriangleDisplay(obstacles, classes=["human", "bicycle", "nothing"]).plot(
    ...     Figure().subplots()).frame()
       row  human  bicycle  nothing
    0    0    0.0      0.4      0.6
    1    0    0.1      0.3      0.6
    2    0    0.2      0.3      0.5
    3    0    0.2      0.4      0.4
    """

    def __init__(
        self,
        intervals: IntervalsLike,
        *,
        points: npt.ArrayLike | None = None,
        classes: Many | None = None,
        truth: Many | None = None,
    ) -> None:
        self.intervals: ProbabilityIntervals = as_intervals(intervals)
        if self.intervals.n_classes != 3:
            raise ValueError(
                f"intervals is over {self.intervals.n_classes} classes; a triangle has room for "
                "three."
            )
        given = ["first class", "second class", "third class"] if classes is None else classes
        self.classes: Labels = check_classes(given, name="classes")
        if len(self.classes) != 3:
            raise ValueError(f"classes holds {len(self.classes)} names; give three.")
        self.points: Floats = np.empty((0, 3))
        if points is not None:
            self.points = check_probabilities(points, name="points", n_classes=3)
        self.truth: Ints | None = None
        if truth is not None:
            self.truth = as_codes(np.asarray(truth), self.classes, name="truth")
            for name, rows in (("intervals", self.intervals), ("points", self.points)):
                if len(rows) not in (0, len(self.truth)):
                    raise ValueError(
                        f"truth has {len(self.truth)} rows and {name} {len(rows)}; "
                        "give one of each per example."
                    )

    @classmethod
    def from_predictions(
        cls,
        y_true: Many | None,
        intervals: IntervalsLike,
        *,
        points: npt.ArrayLike | None = None,
        classes: Many | None = None,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw predicted credal sets.

        Parameters
        ----------
        y_true : array-like of shape (n,) or None
            True labels, if they are to be shown.
        intervals : ProbabilityIntervals or tuple (lower, upper)
            Predicted bounds.
        points : array-like of shape (n, 3), optional
            Predicted distributions.
        classes : sequence of length 3, optional
            Class labels in column order; by default the sorted labels of `y_true`.
        ax, name, curve_kwargs
            As in ``plot``.

        Returns
        -------
        display
            Drawn already.
        """
        if classes is None and y_true is not None:
            classes = np.unique(np.asarray(y_true))
        display = cls(intervals, points=points, classes=classes, truth=y_true)
        return display.plot(ax, name=name, curve_kwargs=curve_kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Many | None = None,
        *,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the credal sets that a fitted credal classifier predicts.

        Parameters
        ----------
        estimator : fitted credal classifier
            With ``predict_proba_bounds`` and three classes.
        X : array-like
            Examples.
        y : array-like of shape (n,), optional
            Their true labels, if they are to be shown.
        name : str, optional
            Title; by default the class of the estimator.
        **options
            `ax` and `curve_kwargs` of ``plot``.

        Returns
        -------
        display
            Drawn already.
        """
        if not hasattr(estimator, "predict_proba_bounds"):
            raise TypeError(
                f"{type(estimator).__name__} has no predict_proba_bounds; a triangle shows credal "
                "classifiers, such as cautious.models.NaiveCredalClassifier."
            )
        points = estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else None
        bounds, title = tuple(estimator.predict_proba_bounds(X)), type(estimator).__name__
        known = {"points": points, "classes": estimator.classes_, "name": name or title}
        return cls.from_predictions(y, bounds, **known, **options)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        from matplotlib.patches import Polygon

        self._draw_triangle(axes)
        looks = line_styles(3)
        codes = np.zeros(len(self.intervals), dtype=np.intp) if self.truth is None else self.truth
        shade = float(np.clip(3 / max(len(self.intervals), 1), 0.08, 0.35))
        self.polygons_: list[Any] = []
        for vertices, code in zip(self.intervals.vertices(), codes, strict=True):
            colour, dashes = looks[code]["color"], looks[code]["linestyle"]
            look = {"facecolor": (colour, shade), "edgecolor": colour, "linestyle": dashes} | style
            polygon = Polygon(_around(vertices @ _CORNERS), **look)
            self.polygons_.append(axes.add_patch(polygon))
        self.points_: list[Any] = []
        places = self.points @ _CORNERS
        for code in [0] if self.truth is None else np.unique(codes):
            chosen = places if self.truth is None or not len(places) else places[codes == code]
            text = "" if self.truth is None else plain_text(self.classes[code], most=16)
            look = looks[code] | {"linestyle": "", "markersize": 4, "label": text}
            self.points_ += axes.plot(*chosen.T, **look)
        if self.truth is not None:
            axes.legend(loc="upper left", title="true class", fontsize="small")
        axes.set_title("credal sets of three classes" if name is None else plain_text(name))

    def _draw_triangle(self, axes: Any) -> None:
        """Outline, grid lines with their probabilities, and the names of the corners."""
        axes.set_axis_off()
        axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.14, 1.0))
        for corner in range(3):
            following, last = _CORNERS[(corner + 1) % 3], _CORNERS[(corner + 2) % 3]
            # Probabilities of this class stand on the side that leads to it from the class before.
            outwards = (last + _CORNERS[corner]) / 2 - _CORNERS.mean(axis=0)
            for p in _TICKS:
                from_side = p * _CORNERS[corner] + (1 - p) * last
                to_side = p * _CORNERS[corner] + (1 - p) * following
                axes.plot(*np.array([from_side, to_side]).T, color=neutral(), alpha=0.2, lw=0.7)
                place = from_side + 0.12 * outwards
                axes.text(*place, f"{p:g}", ha="center", va="center", size="small", alpha=0.8)
        axes.plot(*_CORNERS[[0, 1, 2, 0]].T, color=neutral(), lw=1.2)
        for label, place in zip(self.classes, [(0, -0.08), (1, -0.08), (0.5, 0.91)], strict=True):
            text = plain_text(label, most=20)
            axes.text(*place, text, ha="center", va="center", weight="bold")

    def frame(self) -> pd.DataFrame:
        """Vertices of the credal sets: the row each belongs to, and its three probabilities."""
        vertices = self.intervals.vertices()
        rows = np.repeat(np.arange(len(vertices)), [len(each) for each in vertices])
        table = pd.DataFrame(np.concatenate(vertices), columns=list(self.classes))
        table.insert(0, "row", rows)
        return table


def _around(corners: Floats) -> Floats:
    """Order the corners of a convex polygon around it."""
    away = corners - corners.mean(axis=0)
    return np.asarray(corners[np.argsort(np.arctan2(away[:, 1], away[:, 0]))])
