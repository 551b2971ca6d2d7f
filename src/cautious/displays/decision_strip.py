"""Strips that show which set is answered as a probability moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.costs import SetCosts
from cautious.displays.display import Display, neutral, plain_text
from cautious.displays.envelope import lower_envelope
from cautious.displays.named_curves import UNNAMED, named
from cautious.sets import check_probabilities

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["DecisionStripDisplay"]

# Legends of longer names have one column only.
_SHORT_NAME = 20


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
        self.costs: dict[Any, SetCosts] = named(costs, None)
        if not self.costs:
            raise ValueError("costs is empty; give at least one way of costing.")
        labels = {each.labels for each in self.costs.values()}
        if len(labels) > 1:
            raise ValueError(
                "costs is about different classes; strips can only be compared for the same ones."
            )
        (self.classes,) = labels
        if (start is None or end is None) and len(self.classes) != 2:
            raise ValueError(
                f"costs is about {len(self.classes)} classes; give the distributions start= and "
                "end= between which to move."
            )
        self.named_ends = start is not None or end is not None
        self.ends = np.concatenate(
            [
                check_probabilities(np.atleast_2d(given), name=name, n_classes=len(self.classes))
                for name, given in (
                    ("start", [1.0, 0.0] if start is None else np.asarray(start)),
                    ("end", [0.0, 1.0] if end is None else np.asarray(end)),
                )
            ]
        )

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

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the strips.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            Title.
        curve_kwargs : mapping, optional
            Properties of the bars.

        Returns
        -------
        self
        """
        from matplotlib import colormaps, rcParams

        table = self.frame()
        style = dict(curve_kwargs or {})
        axes = self._open(ax, size=(6.4, 1.7 + 0.75 * len(self.costs)))
        answers = list(dict.fromkeys(table["answer"]))
        shades = colormaps[rcParams["image.cmap"]](np.linspace(0.05, 0.95, len(answers)))
        shade_of = dict(zip(answers, shades, strict=True))
        bar = {"height": 0.5, "edgecolor": neutral(), "linewidth": 0.8} | style
        self.bars_: list[Any] = []
        for row, way in enumerate(self.costs):
            parts = table[table["costs"] == way]
            colours = [shade_of[answer] for answer in parts["answer"]]
            look = {"left": parts["start"], "color": colours} | bar
            width = parts["end"] - parts["start"]
            self.bars_.append(axes.barh([row] * len(parts), width, **look))
        unnamed = list(self.costs) == [UNNAMED]
        names = [] if unnamed else [plain_text(way, most=24) for way in self.costs]
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=(0, 1), ylim=(len(self.costs) - 0.4, -0.5), xlabel=self._words())
        unwritten = self._write(axes, table, shade_of)
        title = None if name is None else plain_text(name)
        if not unwritten:
            axes.set_title(title or "")
            return self
        n_columns = 2 if max(map(len, unwritten)) <= _SHORT_NAME else 1
        if ax is None:  # the legend stands above the strips, and needs room
            rows = -(-len(unwritten) // n_columns) + (title is not None)
            self.figure_.set_figheight(self.figure_.get_figheight() + 0.4 + 0.25 * rows)
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1.02)}
        axes.legend(unwritten.values(), unwritten.keys(), title=title, ncols=n_columns, **place)
        return self

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
