"""What all displays share: a place to draw on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cautious._typing import Floats, Mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Display"]

_MANY_POINTS = 50_000


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
