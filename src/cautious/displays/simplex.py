"""Class distributions drawn as places: credal sets on the triangle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_codes, check_classes, check_probabilities
from cautious._typing import Floats, Ints, Labels
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.displays._display import (
    Display,
    Many,
    Style,
    line_styles,
    neutral,
    plain_text,
)

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

# The corner of each class; the sides have length one.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_TICKS = (0.2, 0.4, 0.6, 0.8)


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
        **drawn: Any,
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
        ax, **drawn
            As in ``plot``: `name` and `curve_kwargs`.

        Returns
        -------
        display
            Drawn already.
        """
        if classes is None and y_true is not None:
            classes = np.unique(np.asarray(y_true))
        display = cls(intervals, points=points, classes=classes, truth=y_true)
        return display.plot(ax, **drawn)

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
