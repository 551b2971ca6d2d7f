"""Abstention cost surfaces in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cautious.displays.surface_map import SurfaceDisplay, draw_isolines

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["CostSurfaceDisplay"]


class CostSurfaceDisplay(SurfaceDisplay):
    """Least expected cost at any relative costs, in colour with lines of equal cost.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The surface.
    n : int, default=201
        Grid lines a side at which it is evaluated.
    name : str, optional
        What to call the classifier in the title.

    Attributes
    ----------
    mesh_ : QuadMesh
        The colours.
    isolines_ : ContourSet or None
        Lines of equal cost; None if the cost is the same everywhere.
    colorbar_ : Colorbar
        The scale.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", section 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CostSurfaceDisplay
    >>> display = CostSurfaceDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], n=3, ax=Figure().subplots()
    ... )
    >>> display.frame().tail(3)[["mu", "nu", "cost", "abstention"]].round(3)
        mu   nu   cost  abstention
    6  0.0  1.0  0.000         0.0
    7  0.5  1.0  0.083         0.0
    8  1.0  1.0  0.167         0.0
    """

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the surface.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        **style
            Properties of ``pcolormesh``, such as ``cmap`` or ``vmax``.

        Returns
        -------
        self
        """
        axes = self._open(ax)
        grid = self.grid
        words = f"least expected cost of a case (volume {self.surface.vacc():.4f})"
        self.mesh_ = self._draw_map(axes, grid.cost, words, name, **style)
        self.isolines_ = draw_isolines(axes, grid.mu, grid.nu, grid.cost)
        return self
