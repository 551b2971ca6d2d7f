"""Abstention cost surfaces in three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cautious.curves import AbstentionCostSurface
from cautious.displays.surface_map import MU_WORDS, NU_WORDS, SurfaceDisplay

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["CostSurface3DDisplay"]


class CostSurface3DDisplay(SurfaceDisplay):
    """Least expected cost at any relative costs, as a landscape.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The surface.
    n : int, default=51
        Grid lines a side at which it is evaluated.
    name : str, optional
        What to call the classifier in the title.

    Attributes
    ----------
    poly_ : Poly3DCollection
        The surface.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", figure 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CostSurface3DDisplay
    >>> display = CostSurface3DDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], n=3,
    ...     ax=Figure().add_subplot(projection="3d"),
    ... )
    >>> display.ax_.get_zlabel()
    'least expected cost of a case'
    """

    def __init__(
        self, surface: AbstentionCostSurface, *, n: int = 51, name: str | None = None
    ) -> None:
        super().__init__(surface, n=n, name=name)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the surface.

        Parameters
        ----------
        ax : matplotlib Axes in three dimensions, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        **style
            Properties of ``plot_surface``.

        Returns
        -------
        self
        """
        from matplotlib import rcParams

        axes = self._open(ax, three_d=True, size=(6.4, 5.6))
        grid = self.grid
        mu, nu = np.meshgrid(grid.mu, grid.nu)
        look = {"cmap": rcParams["image.cmap"], "rcount": self.n, "ccount": self.n}
        look |= {"linewidth": 0, "antialiased": False} | style
        self.poly_ = axes.plot_surface(mu, nu, grid.cost, **look)
        axes.set(xlabel=MU_WORDS, ylabel=NU_WORDS, zlabel="least expected cost of a case")
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.labelpad = 12
        axes.set_title(self._title(name))
        axes.view_init(elev=25, azim=-125)
        axes.set_box_aspect(None, zoom=0.8)
        return self
