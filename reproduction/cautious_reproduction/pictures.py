"""Pictures of the papers' figures, from reproduced data: one file each, or all on one sheet."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cautious.displays import ComparisonDisplay
from cautious_reproduction.claims import Reproduction
from cautious_reproduction.looks import (
    MU_WORDS,
    NU_WORDS,
    check_matplotlib,
    draw_isolines,
    line_styles,
    neutral,
    plain_text,
)
from cautious_reproduction.printed_tables import Figure
from cautious_reproduction.work import write_whole

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from PIL import Image

__all__ = [
    "ReproducedFigureDisplay",
    "axis_words",
    "contact_sheet",
    "draw_strips",
    "draw_surfaces",
    "save_figures",
]

# Inches of one panel, by kind of figure; ranks and strips need room for names, not for height.
_PANEL = {"lines": (4.4, 3.4), "points": (4.1, 4.1), "ranks": (6.4, 2.1), "surface": (3.5, 3.3)}
_ALONE = {"lines": (6.4, 4.2), "surface": (5.4, 4.4)}
# Characters that fit into an inch, and as many as the sample of a line takes up in a legend.
_PER_INCH, _SAMPLE = 10, 7
# Lines of more points are drawn without markers.
_FEW_POINTS = 12
_LONGEST_TITLE = 90


class ReproducedFigureDisplay:
    """A figure of a paper, drawn from the data that :func:`cautious_reproduction.reproduce` gives.

    Parameters
    ----------
    figure : cautious_reproduction.Figure
        The data, and what kind of picture they make: lines, pairs of scores, mean ranks, strips of
        decisions or a surface, in one panel or several.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One per panel.
    ax_, figure_
        The first panel, and the figure of all.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure as Page
    >>> from cautious_reproduction import Figure, ReproducedFigureDisplay
    >>> points = pd.DataFrame({"abstention": [0, 1], "error": [0.1, 0]})
    >>> figure = Figure("Fig. 2", "Capacity graph", points, "abstention", "error")
    >>> display = ReproducedFigureDisplay(figure).plot(Page().subplots())
    >>> display.ax_.get_title()
    'Fig. 2. Capacity graph'
    """

    ax_: Any
    figure_: Any

    def __init__(self, figure: Figure) -> None:
        if not isinstance(figure, Figure):
            raise TypeError(
                f"figure is of type {type(figure).__name__}; give one of the figures of a "
                "reproduction, as cautious_reproduction.reproduce returns them."
            )
        self.figure = figure

    def frame(self) -> pd.DataFrame:
        """Numbers that are drawn.

        Examples
        --------
        >>> import pandas as pd
        >>> from cautious_reproduction import Figure, ReproducedFigureDisplay
        >>> points = pd.DataFrame({"abstention": [0, 1], "error": [0.1, 0]})
        >>> figure = Figure("Fig. 2", "Capacity graph", points, "abstention", "error")
        >>> ReproducedFigureDisplay(figure).frame()
           abstention  error
        0           0    0.1
        1           1    0.0
        """
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

        Examples
        --------
        >>> import pandas as pd
        >>> from matplotlib.figure import Figure as Page
        >>> from cautious_reproduction import Figure, ReproducedFigureDisplay
        >>> points = pd.DataFrame({"abstention": [0, 1], "error": [0.1, 0]})
        >>> figure = Figure("Fig. 2", "Capacity graph", points, "abstention", "error")
        >>> display = ReproducedFigureDisplay(figure).plot(Page().subplots())
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('abstention', 'error')
        """
        names = self._panel_names()
        if ax is not None and len(names) > 1:
            raise ValueError(
                f"{self.figure.name} has {len(names)} panels, which do not fit into one Axes; "
                "leave ax= out to have a new figure made."
            )
        if ax is not None:
            self.ax_, self.figure_ = ax, ax.figure.figure
            self._draw([ax], name, dict(curve_kwargs or {}))
            return self
        check_matplotlib()
        from matplotlib import pyplot

        page = pyplot.figure(figsize=self._size(), layout="constrained")
        return self._fill(page, name, dict(curve_kwargs or {}))

    def png(self, *, dpi: float = 120) -> bytes:
        """Draw the figure as a PNG picture, without opening a window.

        Parameters
        ----------
        dpi : float, default=120
            Pixels per inch.

        Returns
        -------
        bytes

        Examples
        --------
        >>> import pandas as pd
        >>> from cautious_reproduction import Figure, ReproducedFigureDisplay
        >>> points = pd.DataFrame({"abstention": [0, 1], "error": [0.1, 0]})
        >>> figure = Figure("Fig. 2", "Capacity graph", points, "abstention", "error")
        >>> ReproducedFigureDisplay(figure).png(dpi=30)[1:4]
        b'PNG'
        """
        check_matplotlib()
        from matplotlib.figure import Figure as Page

        page = Page(figsize=self._size(), layout="constrained")
        self._fill(page, None, {})
        picture = io.BytesIO()
        page.savefig(picture, format="png", dpi=dpi)
        return picture.getvalue()

    def _fill(self, page: Any, name: str | None, style: dict[str, Any]) -> Self:
        """Divide a whole page into panels and draw them."""
        rows, columns = self._shape()
        panels = page.subplots(rows, columns, squeeze=False).ravel().tolist()
        n = len(self._panel_names())
        for spare in panels[n:]:
            spare.remove()
        self.ax_, self.figure_ = panels[0], page
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
        drawn = ComparisonDisplay(rows[[x, y]]).plot(axes, curve_kwargs=style)
        for points in drawn.points_:  # whether high is good, the figure does not say
            points.set_label(str(points.get_label()).replace(" better on ", " higher on "))
        axes.set(xlabel=plain_text(x), ylabel=plain_text(y))
        if drawn.points_:
            axes.legend(fontsize="small")

    def _ranks(self, axes: Any, rows: pd.DataFrame, style: dict[str, Any]) -> None:
        ranks = rows.set_index(self.figure.y)[self.figure.x]
        apart = float(rows["critical_difference"].iloc[0])
        ComparisonDisplay(ranks, critical_difference=apart).plot(axes, curve_kwargs=style)

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


Parts = list[tuple[Any, pd.DataFrame]]


def axis_words(column: str) -> str:
    """Name an axis after its column, relative costs in full."""
    return {"mu": MU_WORDS, "nu": NU_WORDS}.get(column, plain_text(column))


def draw_surfaces(panels: list[Any], figure: Figure, parts: Parts, style: dict[str, Any]) -> None:
    """Colour each panel by the value over x and y, all on one scale."""
    values = figure.frame[figure.value].to_numpy(dtype=np.float64)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    look: dict[str, Any] = {"vmin": low, "vmax": high, "shading": "nearest", "rasterized": True}
    signed = low < 0
    if signed:  # what lies on either side of nothing has a colour each
        most = max(-low, high)
        look |= {"cmap": "PuOr", "vmin": -most, "vmax": most}
    n_columns = panels[0].get_subplotspec().get_gridspec().ncols
    for at, (axes, (name, rows)) in enumerate(zip(panels, parts, strict=True)):
        grid = rows.pivot(index=figure.y, columns=figure.x, values=figure.value or "")
        x, y = grid.columns.to_numpy(dtype=np.float64), grid.index.to_numpy(dtype=np.float64)
        height = np.ma.masked_invalid(grid.to_numpy(dtype=np.float64))
        mesh = axes.pcolormesh(x, y, height, **(look | style))
        if signed and height.min() < 0 < height.max():
            axes.contour(x, y, height, levels=[0], colors=[neutral()], linewidths=1.2)
        elif figure.value == "cost" and not height.mask.any():
            draw_isolines(axes, x, y, height.data)  # rates and thresholds move by steps
        if name is not None:
            axes.set_title(plain_text(name))
        # Inner panels share the words of the outer ones.
        if at % n_columns == 0:
            axes.set_ylabel(axis_words(figure.y))
        if at + n_columns >= len(panels):
            axes.set_xlabel(axis_words(figure.x))
    words = plain_text(figure.value)
    panels[0].figure.colorbar(mesh, ax=panels, label=words)


def draw_strips(axes: Any, figure: Figure, parts: Parts, style: dict[str, Any]) -> None:
    """Draw one strip per part, one below the other, divided where the decision changes."""
    from matplotlib import colormaps, rcParams

    decisions = figure.frame[figure.lines].drop_duplicates().tolist()
    shades = colormaps[rcParams["image.cmap"]](np.linspace(0.2, 0.95, len(decisions)))
    shade_of = dict(zip(decisions, shades, strict=True))
    bar = {"height": 0.5, "edgecolor": neutral(), "linewidth": 0.8} | style
    for row, (_, rows) in enumerate(parts):
        ends = rows.groupby(figure.lines, sort=False)[figure.x].agg(["min", "max"])
        for decision, (start, end) in zip(ends.index, ends.to_numpy(), strict=True):
            axes.barh(row, end - start, left=start, color=shade_of[decision], **bar)
            middle = (start + end) / 2
            ink = "black" if shade_of[decision][:3] @ [0.299, 0.587, 0.114] > 0.5 else "white"
            axes.text(middle, row, plain_text(decision), ha="center", va="center", color=ink)
            if start > rows[figure.x].min():
                number = f"{start:.3f}".rstrip("0")
                axes.text(start, row + 0.28, number, ha="center", va="top", size="small")
    axes.set_yticks(range(len(parts)), [plain_text("" if n is None else n) for n, _ in parts])
    limits = (figure.frame[figure.x].min(), figure.frame[figure.x].max())
    axes.set(xlim=limits, ylim=(len(parts) - 0.4, -0.5), xlabel=plain_text(figure.x))


_MARGIN = 12
# Inches of a line of figures: three of one panel, or two of three small ones.
_WIDTH = 23
_DPI = 80
_SHRINK = 0.85


def save_figures(done: Reproduction, folder: str | Path) -> list[Path]:
    """Draw every figure into a PNG file beside its data."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    stems = done.stems()[len(done.tables) :]
    return [
        write_whole(place / f"{stem}.png", ReproducedFigureDisplay(figure).png())
        for stem, figure in zip(stems, done.figures, strict=True)
    ]


def contact_sheet(done: Reproduction, *, most_bytes: int = 400_000) -> bytes:
    """Draw all figures of a paper on one sheet, in their order and on one scale."""
    pictures = [ReproducedFigureDisplay(figure).png(dpi=_DPI) for figure in done.figures]
    from PIL import Image  # comes with matplotlib, without which nothing is drawn

    sheet = _laid_out([Image.open(io.BytesIO(picture)) for picture in pictures])
    least = sheet.width / 3
    while len(content := _png(sheet)) > most_bytes and sheet.width > least:
        smaller = (round(sheet.width * _SHRINK), round(sheet.height * _SHRINK))
        sheet = sheet.resize(smaller, Image.Resampling.LANCZOS)
    return content


def _laid_out(pictures: list[Image.Image]) -> Image.Image:
    """Set the pictures in lines, as words are set."""
    from PIL import Image

    places = []
    x = y = below = width = 0
    for picture in pictures:
        if x > 0 and x + picture.width > _WIDTH * _DPI:
            x, y = 0, below
        places.append((x, y))
        x += picture.width + _MARGIN
        width, below = max(width, x), max(below, y + picture.height + _MARGIN)
    sheet = Image.new("RGB", (width, below), "white")
    for picture, place in zip(pictures, places, strict=True):
        sheet.paste(picture, place)
    return sheet


def _png(sheet: Image.Image) -> bytes:
    content = io.BytesIO()
    sheet.quantize(256).save(content, format="png", optimize=True)
    return content.getvalue()
