"""How much the optimal window abstains, at any relative costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cautious.displays.surface_map import SurfaceDisplay

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["AbstentionMapDisplay"]


class AbstentionMapDisplay(SurfaceDisplay):
    r"""Share of cases that the optimal window leaves unanswered, at any relative costs.

    The dashed line is the bound :math:`\nu = \mu / (1 + \mu)`, above which no classifier gains by
    abstaining.

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
    bound_ : Line2D
        The dashed line.
    colorbar_ : Colorbar
        The scale.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", lemma 1, figure 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import AbstentionMapDisplay
    >>> display = AbstentionMapDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], ax=Figure().subplots()
    ... )
    >>> float(display.mesh_.get_array().max())
    0.3333333333333333
    """

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
        look = {"vmin": 0, "vmax": 1} | style
        words = "share of cases not answered"
        self.mesh_ = self._draw_map(axes, self.grid.abstention, words, name, **look)
        self.bound_ = self._draw_bound(axes)
        return self
