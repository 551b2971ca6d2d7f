"""How the pictures look: lines that differ in grey too, labels fit to draw, lines of equal cost."""

from __future__ import annotations

from typing import Any

from cautious_reproduction.arrays import Floats

__all__ = [
    "MU_WORDS",
    "NU_WORDS",
    "check_matplotlib",
    "draw_isolines",
    "line_styles",
    "neutral",
    "plain_text",
]

MU_WORDS = "cost of a false positive\n(a false negative costs 1)"
NU_WORDS = "cost of abstaining\n(a false negative costs 1)"

# Okabe & Ito (2008), without the yellow that nobody can see on white.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (7, 3)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def check_matplotlib() -> None:
    """Say what to install, before anything is drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            "drawing needs matplotlib, which is not installed; pip install 'cautious[plots]'."
        ) from None


def line_styles(n: int) -> list[dict[str, Any]]:
    """Line2D properties for `n` lines: colour, dashes and marker all differ."""
    return [
        {
            "color": OKABE_ITO[i % len(OKABE_ITO)],
            # The shift after each round keeps colour and dashes from repeating together.
            "linestyle": LINES[(i + i // len(LINES)) % len(LINES)],
            "marker": MARKERS[(i + 2 * (i // len(MARKERS))) % len(MARKERS)],
        }
        for i in range(n)
    ]


def neutral() -> Any:
    """Colour of guides and outlines: that of the axes."""
    from matplotlib import rcParams

    return rcParams["axes.edgecolor"]


def plain_text(label: Any, *, most: int = 32) -> str:
    """Write a name on one line so that matplotlib draws it as it stands."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(label)).split())
    if len(text) > most:
        text = text[: most - 1].rstrip() + "…"
    text = text.replace("$", r"\$") or "(no name)"
    # An invisible space in front: the name stays in the legend and looks the same.
    return f"\u200b{text}" if text.startswith("_") else text


def draw_isolines(axes: Any, mu: Floats, nu: Floats, values: Floats) -> None:
    """Draw lines of equal value with their numbers on them, unless all values are equal."""
    from matplotlib import patheffects, rcParams
    from matplotlib.ticker import MaxNLocator

    def halo(width: float) -> list[Any]:
        return [patheffects.withStroke(linewidth=width, foreground=rcParams["axes.facecolor"])]

    low, high = float(values.min()), float(values.max())
    levels = [v for v in MaxNLocator(9).tick_values(low, high) if low < v < high]
    if not levels:
        return
    lines = axes.contour(mu, nu, values, levels=levels, colors=[neutral()], linewidths=0.9)
    lines.set_path_effects(halo(2.0))
    for text in axes.clabel(lines, fmt="%g", fontsize="small"):
        text.set_path_effects(halo(2.5))
