"""Pictures of comparisons: two classifiers by data set, and many by their mean ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from cautious._checks import check_choice
from cautious._typing import as_floats, as_number
from cautious.comparison import friedman_nemenyi
from cautious.comparison._significance import similar_groups
from cautious.displays._display import Display, Style, line_styles, neutral, plain_text
from cautious.errors import check_kind, counted

# In inches: the line of ranks, and what a character of a name takes up.
_SCALE_WIDTH, _CHARACTER = 4.2, 0.095


class ComparisonDisplay(Display):
    """Classifiers compared over data sets: two by their scores, or many by their mean ranks.

    - ``kind="pairs"``: scores of two classifiers, a mark per data set, with the diagonal on which
      they are equal.
    - ``kind="ranks"``: mean ranks on a line, the best on the left; bars join those that do not
      differ significantly.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers), or mean ranks by classifier
        One measure; rows are data sets, columns classifiers. With `critical_difference`, a Series
        or mapping of name to mean rank instead, 1 the best.
    kind : {"pairs", "ranks"}, optional
        What to draw; by default pairs of two columns, else ranks.
    measure : str, default="score"
        What was measured, for the axes.
    greater_is_better : bool, default=True
        Whether high is good.
    alpha : float, default=0.05
        Level of Nemenyi's test, which says from when on ranks differ.
    critical_difference : float, optional
        Mean ranks further apart than this differ significantly, where ranks are given.

    Attributes
    ----------
    points_ : list of Line2D
        Data sets on which the first wins, the second wins, and neither does; where there are any.
    bars_ : list of Line2D
        One per group of classifiers of which no two differ significantly.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", section 3.2.4;
    Zaffalon, Corani & Mauá (2012), figures 5, 6, 7 and 9.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ComparisonDisplay
    >>> scores = pd.DataFrame({"NBC": [0.8, 0.7], "NCC": [0.9, 0.6]}, index=["iris", "glass"])
    >>> ComparisonDisplay(scores, measure="u65").plot(Figure().subplots()).frame()
           NBC  NCC better
    iris   0.8  0.9    NCC
    glass  0.7  0.6    NBC
    >>> ranks = {"NCC": 2.1, "LNCC": 1.6, "CMA": 3.4, "CDT": 2.9}
    >>> ComparisonDisplay(ranks, critical_difference=0.9).plot(Figure().subplots()).frame()
      classifier  mean_rank    groups
    0       LNCC        1.6      (0,)
    1        NCC        2.1    (0, 1)
    2        CDT        2.9    (1, 2)
    3        CMA        3.4      (2,)
    """

    mean_ranks: pd.Series[float]

    def __init__(
        self,
        scores: Any,
        *,
        kind: Literal["pairs", "ranks"] | None = None,
        measure: str = "score",
        greater_is_better: bool = True,
        alpha: float = 0.05,
        critical_difference: float | None = None,
    ) -> None:
        self.measure, self.greater_is_better = measure, greater_is_better
        check_choice("ranks" if kind is None else kind, "kind", ("pairs", "ranks"))
        if critical_difference is not None:
            check_kind(scores, (pd.Series, Mapping), "scores", "mean ranks by classifier")
            self.kind = "ranks"
            ranks = dict(scores.items())
            values = as_floats([*ranks.values()], "scores", "mean ranks")
            self._take_ranks(pd.Series(values, [*ranks]), critical_difference)
            return
        check_kind(scores, (pd.DataFrame, Mapping, np.ndarray, list), "scores", "a frame")
        self.scores = pd.DataFrame(scores)
        as_floats(self.scores, "scores", "scores")
        columns = self.scores.shape[1]
        self.kind = kind or ("pairs" if columns == 2 else "ranks")
        if self.kind == "ranks":
            test = friedman_nemenyi(self.scores, alpha=alpha, greater_is_better=greater_is_better)
            self._take_ranks(test.mean_ranks, test.critical_difference)
        elif columns != 2:
            raise ValueError(
                f"scores has {counted(columns, 'column')}; give two classifiers, for example "
                "scores[['first', 'second']]."
            )

    def _take_ranks(self, ranks: pd.Series[float], critical_difference: float) -> None:
        """Sort mean ranks, and find how much room their names take up."""
        if len(ranks) < 2 or not np.isfinite(ranks).all():
            raise ValueError("scores must hold a finite mean rank of at least two classifiers.")
        words = "it must be a positive number"
        gap = as_number(critical_difference, "critical_difference", np.nextafter(0, 1), words=words)
        self.mean_ranks, self.critical_difference = ranks.sort_values(kind="stable"), gap
        self._words = [f"{plain_text(n, most=32)} ({r:.2f})" for n, r in self.mean_ranks.items()]
        self._names_width = _CHARACTER * max(map(len, self._words))
        self._rows = 1.2 + 0.35 * len(self.groups()) + (len(ranks) + 1) // 2
        self._size = (_SCALE_WIDTH + 2 * self._names_width, 1.3 + 0.3 * self._rows)

    def _lead(self) -> Any:
        """Tell by how much the first classifier leads; nan where a score is missing."""
        first, second = self.scores.to_numpy(dtype=np.float64).T
        return first - second if self.greater_is_better else second - first

    def frame(self) -> pd.DataFrame:
        """Scores and who is better on each data set, or ranks from the best and their bars."""
        if self.kind == "pairs":
            names = dict(zip((1.0, -1.0), self.scores.columns, strict=True))
            better = pd.Series(np.sign(self._lead()), index=self.scores.index).map(names)
            return self.scores.assign(better=better)
        table = self.mean_ranks.rename_axis("classifier").reset_index(name="mean_rank")
        bars = list(enumerate(self.groups()))
        table["groups"] = [
            tuple(bar for bar, (first, last) in bars if first <= at <= last) for at in table.index
        ]
        return table

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        self.points_: list[Any] = []
        self.bars_: list[Any] = []
        draw = self._draw_pairs if self.kind == "pairs" else self._draw_ranks
        draw(axes, name, style)

    def groups(self) -> list[tuple[int, int]]:
        """Longest runs of ranks, as positions of the first and last, within the difference."""
        at = {name: position for position, name in enumerate(self.mean_ranks.index)}
        groups = similar_groups(self.mean_ranks, self.critical_difference)
        return [(at[group[0]], at[group[-1]]) for group in groups]

    def _draw_pairs(self, axes: Any, name: Any, style: Style) -> None:
        """Draw a mark per data set, and the diagonal."""
        first, second = self._two_names(self.scores.columns if name is None else name)
        values, lead = self.scores.to_numpy(dtype=np.float64), self._lead()
        kinds = {f"{first} better": lead > 0, f"{second} better": lead < 0, "equal": lead == 0}
        for (words, chosen), look in zip(kinds.items(), line_styles(3), strict=True):
            if not chosen.any():
                continue
            look["label"] = f"{words} on {counted(int(chosen.sum()), 'data set')}"
            look |= {"linestyle": "", "markersize": 5, "fillstyle": "none"} | style
            self.points_ += axes.plot(*values[chosen].T, **look)
        seen = values[np.isfinite(values).all(axis=1)]
        low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
        room = 0.05 * (high - low) or 0.05
        ends = (low - room, high + room)
        axes.plot(ends, ends, color=neutral(), linewidth=0.8)
        axes.set(xlim=ends, ylim=ends, aspect="equal")
        measure, corner = plain_text(self.measure), "lower right" if self.points_ else None
        axis_words = f"{measure} of {first}", f"{measure} of {second}"
        self._explain(axes, *axis_words, f"{measure}, one mark per data set", corner)

    def _draw_ranks(self, axes: Any, name: Any, style: Style) -> None:
        """Draw the line of ranks, names beside it, and bars below."""
        ranks, groups, names_width = self.mean_ranks.to_numpy(), self.groups(), self._names_width
        k, left = len(ranks), (len(ranks) + 1) // 2  # the better half is named on the left
        # A new figure is all there for the axes, once it is laid out.
        place = axes.figure.bbox if self._has_own_figure else axes.get_window_extent()
        width = place.width / axes.figure.dpi
        low, high = 1.0, float(max(k, np.ceil(ranks.max())))
        inch = (high - low) / max(width - 2 * names_width, width / 4)
        axes.set_axis_off()
        beside = names_width * inch
        axes.set(xlim=(low - beside, high + beside), ylim=(self._rows + 0.4, -2.2))
        ink = {"color": neutral(), "solid_capstyle": "butt"}
        axes.plot([low, high], [0, 0], lw=1.2, **ink)
        for tick in np.arange(low, high + 1):
            axes.plot([tick, tick], [0, -0.2], lw=1.2, **ink)
            if (tick - low) % (1 + k // 14) == 0:  # more numbers would run into each other
                axes.text(tick, -0.3, f"{tick:g}", ha="center", va="bottom")
        axes.plot([low, low + self.critical_difference], [-1.4, -1.4], lw=2.5, **ink)
        difference = f"critical difference {self.critical_difference:.2f}"
        axes.text(low, -1.55, difference, ha="left", va="bottom", size="small")
        axes.text(low - 0.15 * inch, -0.3, "mean rank", ha="right", va="bottom", size="small")
        for place, (first, last) in enumerate(groups):
            ends = [ranks[first] - 0.04 * inch, ranks[last] + 0.04 * inch]
            height = [0.35 * (place + 1)] * 2
            self.bars_ += axes.plot(ends, height, **({"lw": 4} | ink | style))
        for at, rank in enumerate(ranks):
            on_left = at < left
            row = 1.2 + 0.35 * len(groups) + (at if on_left else k - 1 - at)
            edge = low - 0.15 * inch if on_left else high + 0.15 * inch
            axes.plot([rank, rank, edge], [0, row, row], lw=0.9, **ink)
            gap, side = (-0.04, "right") if on_left else (0.04, "left")
            axes.text(edge + gap * inch, row, self._words[at], ha=side, va="center")
        axes.set_title("mean ranks over data sets" if name is None else plain_text(name))
