"""Colours, line styles and markers that can be told apart without colour vision, and in grey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.patches import Patch

__all__ = ["halo", "hatched", "line_styles", "neutral"]

# Okabe & Ito (2008), without the yellow that nobody can see on white; neighbours differ in
# lightness too.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (7, 3)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def line_styles(n: int) -> list[dict[str, Any]]:
    """Line2D properties for `n` lines: colour, dashes and marker all differ.

    Colours are those of the user's ``axes.prop_cycle``, if it was changed.
    """
    from matplotlib import rcParams, rcParamsDefault

    cycle = rcParams["axes.prop_cycle"]
    unchanged = cycle == rcParamsDefault["axes.prop_cycle"]
    colours = OKABE_ITO if unchanged else cycle.by_key().get("color", OKABE_ITO)
    return [
        {
            "color": colours[i % len(colours)],
            # The shift after each round keeps colour and dashes from repeating together.
            "linestyle": LINES[(i + i // len(LINES)) % len(LINES)],
            "marker": MARKERS[(i + 2 * (i // len(MARKERS))) % len(MARKERS)],
        }
        for i in range(n)
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
