"""Thresholds of the optimal window, at any relative costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cautious.curves import AbstentionCostSurface
from cautious.displays.palette import hatched
from cautious.displays.surface_map import SurfaceDisplay
from cautious.displays.wording import plain_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

__all__ = ["ThresholdMapDisplay"]


class ThresholdMapDisplay(SurfaceDisplay):
    """Lower or upper threshold of the optimal window, at any relative costs.

    Up to the lower threshold a score is called negative, from the upper one positive. Where a
    threshold lies beyond every score the map is hatched: one of the two answers is never given
    there, or always.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The surface.
    threshold : {"lower", "upper"}, default="lower"
        Which threshold to show.
    n : int, default=201
        Grid lines a side at which it is evaluated.
    name : str, optional
        What to call the classifier in the title.

    Attributes
    ----------
    mesh_ : QuadMesh
        The colours; masked where the threshold is infinite.
    hatching_ : list of Patch
        What the hatchings mean, as in the legend; empty if every threshold is finite.
    colorbar_ : Colorbar
        The scale.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", section 3, figure 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import ThresholdMapDisplay
    >>> display = ThresholdMapDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], threshold="upper", ax=Figure().subplots()
    ... )
    >>> float(display.frame()["upper"].iloc[-1])
    2.5
    """

    own_options = ("n", "threshold")

    def __init__(
        self,
        surface: AbstentionCostSurface,
        *,
        threshold: Literal["lower", "upper"] = "lower",
        n: int = 201,
        name: str | None = None,
    ) -> None:
        super().__init__(surface, n=n, name=name)
        if threshold not in ("lower", "upper"):
            raise ValueError(f"threshold is {threshold!r}; choose 'lower' or 'upper'.")
        self.threshold = threshold

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        **style
            Properties of ``pcolormesh``.

        Returns
        -------
        self
        """
        axes = self._open(ax)
        grid = self.grid
        lower = self.threshold == "lower"
        values = grid.lower if lower else grid.upper
        words = f"score {'up to' if lower else 'from'} which the answer is "
        words += plain_text(self.surface.classes[0 if lower else 1], most=16)
        finite = np.ma.masked_invalid(values)
        # With no finite threshold at all there is nothing to scale the colours by.
        look = {"vmin": 0, "vmax": 1} if finite.mask.all() else {}
        self.mesh_ = self._draw_map(axes, finite, words, name, **(look | style))
        self.hatching_: list[Patch] = []
        for side, hatch, beyond in ((-np.inf, "//", "below"), (np.inf, "..", "above")):
            there = values == side
            if not there[1:, 1:].any():  # where a mistake is free, that one answer suffices
                continue
            axes.contourf(
                grid.mu, grid.nu, there.astype(float), [0.5, 1.5], colors="none", hatches=[hatch]
            )
            self.hatching_.append(hatched(f"{beyond} every score", hatch))
        if self.hatching_:
            axes.legend(handles=self.hatching_, loc="upper left")
        return self
