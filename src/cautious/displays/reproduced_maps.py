"""Surfaces and strips of the papers' figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cautious.displays.cost_surface import MU_WORDS, NU_WORDS, draw_isolines
from cautious.displays.display import neutral, plain_text
from cautious.experiments import Figure

__all__ = ["axis_words", "draw_strips", "draw_surfaces"]

Parts = list[tuple[Any, pd.DataFrame]]


def axis_words(column: str) -> str:
    """Name an axis after its column, relative costs in full."""
    return {"mu": MU_WORDS, "nu": NU_WORDS}.get(column, plain_text(column))


def draw_surfaces(panels: list[Any], figure: Figure, parts: Parts, style: dict[str, Any]) -> None:
    """Colour each panel by the value over x and y, all on one scale.

    Parameters
    ----------
    panels : list of Axes
        One a part.
    figure : Figure
        Says which columns to draw.
    parts : list of (name, rows)
        What is in each panel.
    style : dict
        Properties of ``pcolormesh``.
    """
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
    """Draw a strip a part, one below the other, divided where the decision changes.

    Parameters
    ----------
    axes : Axes
        Where to draw.
    figure : Figure
        Says which columns to draw.
    parts : list of (name, rows)
        What is in each strip.
    style : dict
        Properties of the bars.
    """
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
