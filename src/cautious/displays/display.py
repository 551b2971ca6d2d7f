"""What all displays share: a place to draw on, looks that survive grey, labels made fit to draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from cautious._typing import Floats, Mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

__all__ = ["Display", "halo", "hatched", "line_styles", "neutral", "plain_text"]

# Okabe & Ito (2008), without the yellow that nobody can see on white; neighbours differ in
# lightness too.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (7, 3)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_CHARACTERS = 32
_MANY_POINTS = 50_000

# Lines that took one of the looks, so that the next display on the same axes takes others.
_STYLED: WeakSet[Line2D] = WeakSet()


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
        try:
            import matplotlib
        except ImportError as error:
            raise ImportError(
                "drawing needs matplotlib, which is not installed; install it with "
                "`pip install 'cautious[plots]'`."
            ) from error
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
    """Line2D properties for `n` lines: colour, dashes and marker all differ.

    Colours are those of the user's ``axes.prop_cycle``, if it was changed. On axes that hold lines
    of displays already, the looks that follow theirs are taken.
    """
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
    r"""Write a class or model name so that matplotlib draws it as it stands.

    Matplotlib reads text between dollar signs as a formula, which fails when it is none, and leaves
    names that begin with an underscore out of legends. Very long names would push everything else
    off the figure.

    Parameters
    ----------
    label : object
        Any label; its ``str`` is drawn.
    most : int, default=32
        How many characters to keep; the rest becomes an ellipsis.

    Returns
    -------
    str

    Examples
    --------
    >>> plain_text("cost in $ and \n£"), plain_text("x" * 10_000, most=5)
    ('cost in \\$ and £', 'xxxx…')
    """
    printable = "".join(c if c.isprintable() else " " for c in str(label)[: 4 * most])
    text = " ".join(printable.split())
    shortened = len(text) > most or len(str(label)) > 4 * most
    if shortened:
        text = text[: most - 1].rstrip() + "…"
    text = text.replace("$", r"\$") or "(no name)"
    # An invisible space in front: the name stays in the legend and looks the same.
    return f"\u200b{text}" if text.startswith("_") else text
