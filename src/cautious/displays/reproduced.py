"""Figures of the papers, drawn from reproduced data."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from cautious.displays.critical_difference import CriticalDifferenceDisplay
from cautious.displays.display import Display, line_styles, plain_text
from cautious.displays.reproduced_maps import axis_words, draw_strips, draw_surfaces
from cautious.displays.scatter_pairs import ScatterPairsDisplay
from cautious.experiments import Figure

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["ReproducedFigureDisplay"]

# Inches of one panel, by kind of figure; ranks and strips need room for names, not for height.
_PANEL = {"lines": (4.4, 3.4), "points": (4.1, 4.1), "ranks": (6.4, 2.1), "surface": (3.5, 3.3)}
_ALONE = {"lines": (6.4, 4.2), "surface": (5.4, 4.4)}
# Characters that fit into an inch, and as many as the sample of a line takes up in a legend.
_PER_INCH, _SAMPLE = 10, 7
# Lines of more points are drawn without markers.
_FEW_POINTS = 12
_LONGEST_TITLE = 90


class ReproducedFigureDisplay(Display):
    """A figure of a paper, drawn from the data that :func:`cautious.experiments.reproduce` gives.

    Parameters
    ----------
    figure : cautious.experiments.Figure
        The data, and what kind of picture they make: lines, pairs of scores, mean ranks, strips of
        decisions or a surface, in one panel or several.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One a panel.
    ax_, figure_
        The first panel, and the figure of all.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure as Page
    >>> from cautious.displays import ReproducedFigureDisplay
    >>> from cautious.experiments import Figure
    >>> points = pd.DataFrame({"abstention": [0, 1], "error": [0.1, 0]})
    >>> figure = Figure("Fig. 2", "Capacity graph", points, "abstention", "error")
    >>> display = ReproducedFigureDisplay(figure).plot(Page().subplots())
    >>> display.ax_.get_title()
    'Fig. 2. Capacity graph'
    """

    def __init__(self, figure: Figure) -> None:
        if not isinstance(figure, Figure):
            raise TypeError(
                f"figure is of type {type(figure).__name__}; give one of the figures of a "
                "reproduction, as cautious.experiments.reproduce returns them."
            )
        self.figure = figure

    def frame(self) -> pd.DataFrame:
        """Numbers that are drawn."""
        return self.figure.frame

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, curve_kwargs: Any = None
    ) -> Self:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw a figure of one panel; by default a new figure is made.
        name : str, optional
            Title; by default the paper's number of the figure, and what it shows.
        curve_kwargs : mapping, optional
            Properties of the lines, points, bars or colours.

        Returns
        -------
        self
        """
        names = self._panel_names()
        if ax is not None and len(names) > 1:
            raise ValueError(
                f"{self.figure.name} has {len(names)} panels, which do not fit into one Axes; "
                "leave ax= out to have a new figure made."
            )
        if ax is not None:
            self._draw([self._open(ax)], name, dict(curve_kwargs or {}))
            return self
        self._open(None, size=self._size())
        return self._fill(self.figure_, name, dict(curve_kwargs or {}))

    def png(self, *, dpi: float = 120) -> bytes:
        """Draw the figure as a PNG picture, without opening a window.

        Parameters
        ----------
        dpi : float, default=120
            Pixels per inch.

        Returns
        -------
        bytes
        """
        try:
            from matplotlib.figure import Figure as Page
        except ImportError as error:
            raise ImportError(
                "drawing needs matplotlib, which is not installed; install it with "
                "`pip install 'cautious[plots]'`."
            ) from error
        page = Page(figsize=self._size(), layout="constrained")
        self._open(page.subplots())
        self._fill(page, None, {})
        picture = io.BytesIO()
        page.savefig(picture, format="png", dpi=dpi)
        return picture.getvalue()

    def _fill(self, page: Any, name: str | None, style: dict[str, Any]) -> Self:
        """Divide a whole page into panels and draw them."""
        page.clear()
        rows, columns = self._shape()
        panels = page.subplots(rows, columns, squeeze=False).ravel().tolist()
        n = len(self._panel_names())
        for spare in panels[n:]:
            spare.remove()
        self.ax_ = panels[0]
        self._draw(panels[:n], name, style)
        return self

    def _draw(self, panels: list[Any], name: str | None, style: dict[str, Any]) -> None:
        self.axes_ = panels
        kind = self.figure.kind
        if kind == "surface":
            draw_surfaces(panels, self.figure, list(self._parts()), style)
        elif kind == "strips":
            draw_strips(panels[0], self.figure, list(self._parts()), style)
        else:
            draw = {"lines": self._lines, "points": self._points, "ranks": self._ranks}[kind]
            for axes, (words, rows) in zip(panels, self._parts(), strict=True):
                draw(axes, rows, style)
                if words is not None:
                    axes.set_title(plain_text(words))
        if kind == "lines" and self.figure.lines is not None:
            self._explain(panels)
        title = f"{self.figure.name}. {self.figure.title}" if name is None else name
        wide = max(20, int(_PER_INCH * self.figure_.get_figwidth()))
        text = textwrap.fill(plain_text(title, most=_LONGEST_TITLE), wide)
        if len(panels) > 1:
            self.figure_.suptitle(text)
        else:
            panels[0].set_title(text)

    def _lines(self, axes: Any, rows: pd.DataFrame, style: dict[str, Any]) -> None:
        figure = self.figure
        by = [column for column in (figure.panels, figure.lines) if column is not None]
        sizes = figure.frame.groupby(by).size() if by else [len(rows)]
        for (words, points), look in zip(self._groups(rows), self._looks(), strict=True):
            look = dict(look, label=words, markersize=4)
            if max(sizes) > _FEW_POINTS:  # the same in every panel, as in the legend
                look["marker"] = ""
            axes.plot(points[figure.x], points[figure.y], **(look | style))
        axes.set(xlabel=axis_words(figure.x), ylabel=axis_words(figure.y))
        if figure.log_x:
            axes.set_xscale("log")

    def _points(self, axes: Any, rows: pd.DataFrame, style: dict[str, Any]) -> None:
        x, y = self.figure.x, self.figure.y
        drawn = ScatterPairsDisplay(rows[[x, y]]).plot(axes, curve_kwargs=style)
        for points in drawn.points_:  # whether high is good, the figure does not say
            points.set_label(str(points.get_label()).replace(" better on ", " higher on "))
        axes.set(xlabel=plain_text(x), ylabel=plain_text(y))
        if drawn.points_:
            axes.legend(fontsize="small")

    def _ranks(self, axes: Any, rows: pd.DataFrame, style: dict[str, Any]) -> None:
        ranks = rows.set_index(self.figure.y)[self.figure.x]
        apart = float(rows["critical_difference"].iloc[0])
        CriticalDifferenceDisplay(ranks, apart).plot(axes, curve_kwargs=style)

    def _explain(self, panels: list[Any]) -> None:
        """Write one legend for all panels."""
        handles, words = panels[0].get_legend_handles_labels()
        # Numbers do not say what they are of.
        numbers = all(word.replace(".", "", 1).isdigit() for word in words)
        heading = plain_text(self.figure.lines) if numbers else None
        if len(panels) == 1:
            panels[0].legend(title=heading)
        else:
            room = int(_PER_INCH * self.figure_.get_figwidth())
            columns = max(1, min(len(words), room // (max(map(len, words)) + _SAMPLE)))
            place = "outside lower center"
            self.figure_.legend(handles, words, loc=place, ncols=columns, title=heading)

    def _groups(self, rows: pd.DataFrame) -> Iterator[tuple[str | None, pd.DataFrame]]:
        """Give the points of each line, in the same order in every panel."""
        if self.figure.lines is None:
            yield None, rows
            return
        for line in self.figure.frame[self.figure.lines].drop_duplicates():
            yield plain_text(line), rows[rows[self.figure.lines] == line]

    def _looks(self) -> list[dict[str, Any]]:
        lines = self.figure.lines
        return line_styles(1 if lines is None else self.figure.frame[lines].nunique())

    def _panel_names(self) -> list[Any]:
        """Name what has axes of its own; strips lie one below the other in the same."""
        panels = self.figure.panels
        if panels is None or self.figure.kind == "strips":
            return [None]
        return self.figure.frame[panels].drop_duplicates().tolist()

    def _parts(self) -> Iterator[tuple[Any, pd.DataFrame]]:
        """Give the name and the rows of every panel."""
        panels, frame = self.figure.panels, self.figure.frame
        if panels is None:
            yield None, frame
            return
        for name in frame[panels].drop_duplicates():
            words = name if isinstance(name, str) else f"{panels} = {name:g}"
            yield words, frame[frame[panels] == name]

    def _shape(self) -> tuple[int, int]:
        """Arrange the panels in rows and columns."""
        n = len(self._panel_names())
        columns = {1: 1, 2: 2, 4: 2}.get(n, 3)
        if self.figure.kind == "ranks":
            columns = 1
        return -(-n // columns), min(n, columns)

    def _size(self) -> tuple[float, float]:
        rows, columns = self._shape()
        if self.figure.kind == "strips":
            return 6.4, 1.7 + 0.75 * sum(1 for _ in self._parts())
        if rows * columns == 1 and self.figure.kind in _ALONE:
            return _ALONE[self.figure.kind]
        width, height = _PANEL[self.figure.kind]
        return width * columns + 0.6, height * rows + 0.7
