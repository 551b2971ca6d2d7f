"""What a window does: the scores that it cuts, and a thousand cases that it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from cautious._typing import Floats
from cautious.costs._forms import CostsLike
from cautious.curves import AbstentionCostSurface, Window
from cautious.displays._display import (
    OKABE_ITO,
    UNNAMED,
    ScoredCurvesDisplay,
    neutral,
    plain_text,
    wilson,
)
from cautious.errors import check_kind

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["PeopleDisplay", "ScoreHistogramDisplay"]

_NEGATIVE, _POSITIVE = OKABE_ITO[0], OKABE_ITO[1]
_BARS = 60


class _WindowDisplay(ScoredCurvesDisplay[AbstentionCostSurface]):
    """Display of one classifier under the window for given costs, or a window that is given."""

    curve_class = AbstentionCostSurface
    window: Window

    def __init__(
        self,
        curves: AbstentionCostSurface | Mapping[Any, AbstentionCostSurface],
        *,
        costs: CostsLike | None = None,
        window: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(curves)
        self._only_one("a window is drawn")
        if (costs is None) == (window is None):
            raise ValueError(
                "give either costs, for the cheapest window, or window=(lower, upper)."
            )
        self.surface: AbstentionCostSurface
        (self.surface,) = self.curves.values()
        check_kind(self.surface, AbstentionCostSurface, "curves", "an AbstentionCostSurface")
        if window is not None:
            self.window = self.surface.window_at(*window)
        elif costs is not None:
            self.window = self.surface.for_costs(costs)

    def _title(self, words: str, name: str | None) -> str:
        (label,) = self._renamed(name)
        return words if label == UNNAMED else f"{plain_text(label)}: {words}"


class ScoreHistogramDisplay(_WindowDisplay):
    """Scores of both classes back to back, with the window that cuts them.

    The positive class stands above the line, the negative one below it, each on its own scale, so
    that a rare class is seen too. Heights are square roots of counts, because a window often lies
    where few scores are.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of one name to it
        The classifier.
    costs : optional
        The cheapest window for these costs is drawn; any form that
        :meth:`cautious.curves.AbstentionCostSurface.for_costs` takes.
    window : pair of float, optional
        In place of `costs`: the lower and the upper threshold.

    Attributes
    ----------
    bars_ : pair of BarContainer
        Bars of the positive and of the negative class.
    zones_ : list of Polygon
        Where the answer is negative, none, or positive.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ScoreHistogramDisplay
    >>> display = ScoreHistogramDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], window=(0.2, 0.8), ax=Figure().subplots()
    ... )
    >>> display.frame().query("positives + negatives > 0")[["positives", "negatives"]]
        positives  negatives
    6         0.0        1.0
    18        1.0        0.0
    24        0.0        1.0
    54        1.0        0.0
    """

    own_options: ClassVar[tuple[str, ...]] = ("costs", "window")

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the bars and the window.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        curve_kwargs : mapping, optional
            Properties of the bars.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import ScoreHistogramDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = ScoreHistogramDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, window=(0.2, 0.8), ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('score', 'cases (square-root scale)')
        """
        from matplotlib.ticker import FixedFormatter, FixedLocator

        axes = self._open(ax)
        table = self.frame()
        low, high = table["low"].iloc[0], table["high"].iloc[-1]
        lower, upper = np.clip([self.window.lower, self.window.upper], low, high)
        negative, positive = (plain_text(label, most=16) for label in self.window.classes)
        self.zones_: list[Any] = [
            axes.axvspan(low, lower, color=_NEGATIVE, alpha=0.08, linewidth=0),
            axes.axvspan(lower, upper, color=neutral(), alpha=0.18, linewidth=0),
            axes.axvspan(upper, high, color=_POSITIVE, alpha=0.08, linewidth=0),
        ]
        width = table["high"] - table["low"]
        most = {side: float(table[side].max()) or 1.0 for side in ("positives", "negatives")}
        bars, places, texts = [], [0.0], ["0"]
        for side, way, colour in (("positives", 1, _POSITIVE), ("negatives", -1, _NEGATIVE)):
            look = {"color": colour, "align": "edge", "width": 0.9 * width} | dict(
                curve_kwargs or {}
            )
            heights = way * np.sqrt(table[side] / most[side])
            truth = positive if side == "positives" else negative
            bars.append(axes.bar(table["low"], heights, label=f"truth {truth}", **look))
            for share in (0.1, 0.4, 1.0):
                count = float(f"{share * most[side]:.1g}")
                small = count < 1 <= most[side]  # no part of a case, unless by weights
                if not small and count <= most[side] and f"{count:g}" not in texts[-1:]:
                    places.append(way * np.sqrt(count / most[side]))
                    texts.append(f"{count:g}")
        self.bars_: tuple[Any, ...] = tuple(bars)
        axes.yaxis.set_major_locator(FixedLocator(places))
        axes.yaxis.set_major_formatter(FixedFormatter(texts))
        axes.axhline(0, color=neutral(), linewidth=0.8)
        for end in (self.window.lower, self.window.upper):
            if np.isfinite(end):
                axes.axvline(end, color=neutral(), linestyle="--", linewidth=1.2)
        for start, end, words in (
            (low, lower, f"answer {negative}"),
            (lower, upper, "abstain"),
            (upper, high, f"answer {positive}"),
        ):
            if end - start > 0.012 * len(words) * (high - low):
                axes.text(
                    (start + end) / 2, 1.12, words, ha="center", va="center", fontsize="small"
                )
        axes.set(
            xlim=(low, high),
            ylim=(-1.1, 1.25),
            xlabel="score",
            ylabel="cases (square-root scale)",
            title=self._title(_window_words(self.window), name),
        )
        axes.legend(loc="lower right", fontsize="small")
        return self

    def frame(self) -> pd.DataFrame:
        """One row per bar: its ends, and the counts of both classes.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import ScoreHistogramDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = ScoreHistogramDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, window=(0.2, 0.8), ax=Figure().subplots()
        ... )
        >>> drawn.frame()[["positives", "negatives"]].sum().to_dict()
        {'positives': 3.0, 'negatives': 3.0}
        """
        return self._frame(self.surface)

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        stairs = curve.staircase
        finite = stairs.scores[np.isfinite(stairs.scores)]
        low, high = (float(finite[0]), float(finite[-1])) if len(finite) else (0.0, 1.0)
        if stairs.are_probabilities:
            low, high = 0.0, 1.0
        elif low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, _BARS + 1)
        inside = np.clip(stairs.scores, low, high)
        counts = [
            np.histogram(inside, edges, weights=side)[0]
            for side in (stairs.positives, stairs.negatives)
        ]
        return pd.DataFrame(
            {"low": edges[:-1], "high": edges[1:], "positives": counts[0], "negatives": counts[1]}
        )


def _window_words(window: Window) -> str:
    """Say where a window lies."""
    if window.lower == window.upper:
        return f"threshold {window.upper:.3g}, no abstention"
    return f"thresholds {window.lower:.3g} and {window.upper:.3g}"


class PeopleDisplay(_WindowDisplay):
    """A number of cases as marks, by what they are and what a window answers.

    A disc is a right answer, a cross a wrong one, a ring none; the colour says which answer it is.
    Counts are whole and add up. The ranges are Wilson's intervals of the shares.

    The window for costs is chosen on these very cases, so new cases will fare a little worse:
    :func:`cautious.tune` says how much.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of one name to it
        The classifier.
    costs : optional
        The cheapest window for these costs; any form that
        :meth:`cautious.curves.AbstentionCostSurface.for_costs` takes.
    window : pair of float, optional
        In place of `costs`: the lower and the upper threshold.
    people : int, default=1000
        How many cases to draw.
    confidence_level : float or None, default=0.95
        Of the ranges; None gives none.

    Attributes
    ----------
    marks_ : list of Line2D
        One line without a stroke per kind of case.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import PeopleDisplay
    >>> display = PeopleDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], window=(0.2, 0.8), people=8, ax=Figure().subplots()
    ... )
    >>> display.frame()[["truth", "prediction", "people"]]
       truth prediction  people
    0      1          1       2
    1      1          0       0
    2      1          ⊥       2
    3      0          0       2
    4      0          1       0
    5      0          ⊥       2
    """

    own_options: ClassVar[tuple[str, ...]] = ("costs", "window", "people", "confidence_level")

    def __init__(
        self,
        curves: AbstentionCostSurface | Mapping[Any, AbstentionCostSurface],
        *,
        costs: CostsLike | None = None,
        window: tuple[float, float] | None = None,
        people: int = 1000,
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves, costs=costs, window=window)
        if people < 1:
            raise ValueError(f"people is {people}; give 1 or more.")
        self.people = people
        self.confidence_level = confidence_level

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the cases.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        curve_kwargs : mapping, optional
            Line2D properties of the marks.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import PeopleDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = PeopleDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, window=(0.2, 0.8), ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_title()
        'mine: thresholds 0.2 and 0.8'
        """
        axes = self._open(ax, size=(7.2, 4.6))
        table = self.frame()
        columns = max(10, int(np.ceil(np.sqrt(self.people * 1.6))))
        self.marks_: list[Any] = []
        top = 0.0
        for truth, part in table.groupby("truth", sort=False):
            at, total = 0, int(part["people"].sum())
            words = f"{total:,} of {self.people:,} are {plain_text(truth, most=24)}"
            axes.text(-0.5, top + 0.6, words, va="bottom", fontweight="bold", fontsize="small")
            for row in part.to_dict("records"):
                place = at + np.arange(row["people"])
                look = _look(row["answer"], row["right"]) | dict(curve_kwargs or {})
                x, y = place % columns, top - place // columns
                self.marks_ += axes.plot(x, y, label=_people_words(row), **look)
                at += row["people"]
            top -= np.ceil(total / columns) + 2.5
        axes.set(xlim=(-1, columns), ylim=(top + 1.5, 2.2), aspect="equal")
        axes.set_axis_off()
        axes.set_title(self._title(_window_words(self.window), name))
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False)
        return self

    def frame(self) -> pd.DataFrame:
        """One row per kind of case: truth, prediction, how many, and the range of that.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import PeopleDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = PeopleDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, window=(0.2, 0.8), ax=Figure().subplots()
        ... )
        >>> drawn.frame()[["truth", "prediction", "people"]]
           truth prediction  people
        0      1          1     167
        1      1          0       0
        2      1          ⊥     333
        3      0          0     333
        4      0          1       0
        5      0          ⊥     167
        """
        return self._frame(self.surface)

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        one, (negative, positive) = self.window, self.window.classes
        rest = str(one.frame().index[-1])
        cells = [
            (positive, positive, one.true_positive, "positive", True),
            (positive, negative, one.false_negative, "negative", False),
            (positive, rest, one.abstained_positive, "none", False),
            (negative, negative, one.true_negative, "negative", True),
            (negative, positive, one.false_positive, "positive", False),
            (negative, rest, one.abstained_negative, "none", False),
        ]
        names = ["truth", "prediction", "share", "answer", "right"]
        table = pd.DataFrame(cells, columns=names)
        table["people"] = _whole(table["share"].to_numpy(), self.people)
        if self.confidence_level is not None:
            stairs = curve.staircase
            n = np.asarray(stairs.n_positives + stairs.n_negatives)
            low, high = wilson(table["share"].to_numpy(), n, self.confidence_level)
            table["low"] = np.minimum(table["people"], np.floor(low * self.people)).astype(int)
            table["high"] = np.maximum(table["people"], np.ceil(high * self.people)).astype(int)
        return table


def _whole(share: Floats, total: int) -> Any:
    """Share cases out in whole numbers that add up: the rest goes to the largest remainders."""
    exact = share / share.sum() * total
    counts = np.floor(exact + 1e-9).astype(int)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: total - counts.sum()]] += 1
    return counts


def _look(answer: str, right: bool) -> dict[str, Any]:
    """Choose a mark: a disc is right, a cross wrong, a ring no answer."""
    colour = {"positive": _POSITIVE, "negative": _NEGATIVE, "none": neutral()}[answer]
    marker = "o" if right or answer == "none" else "x"
    look = {"linestyle": "", "marker": marker, "color": colour, "markersize": 4.2}
    return look | ({"markerfacecolor": "none"} if answer == "none" else {})


def _people_words(row: Mapping[Any, Any]) -> str:
    silent, n = row["answer"] == "none", row["people"]
    told = "no answer" if silent else f"told {plain_text(row['prediction'], most=16)}"
    kind = "" if silent else (": right" if row["right"] else ": wrong")
    ends = f" ({row['low']:,}–{row['high']:,})" if "low" in row else ""
    return f"{n:,} {told}{kind}{ends}"
