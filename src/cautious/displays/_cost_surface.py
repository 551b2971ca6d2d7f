"""Maps over the square of relative costs: least cost, abstention, thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from cautious._typing import Floats
from cautious.curves import AbstentionCostSurface
from cautious.curves.surface._cost_square import SurfaceGrid
from cautious.displays._display import (
    UNNAMED,
    ScoredCurvesDisplay,
    halo,
    hatched,
    neutral,
    plain_text,
)
from cautious.errors import shown

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["MU_WORDS", "NU_WORDS", "CostSurfaceDisplay", "draw_bound", "draw_isolines"]

MU_WORDS = "cost of a false positive\n(a false negative costs 1)"
NU_WORDS = "cost of abstaining\n(a false negative costs 1)"

_VALUES = ("cost", "abstention", "lower", "upper")


class CostSurfaceDisplay(ScoredCurvesDisplay[AbstentionCostSurface]):
    r"""What the optimal window of a classifier comes to, at any relative costs.

    Shown is the least expected cost, the share of cases it abstains on, or one of its thresholds.
    The maps of both have a dashed line, :math:`\nu = \mu / (1 + \mu)`, above which no classifier
    gains by abstaining; maps end at one half, the highest point of that line. Where a threshold
    lies beyond every score the map is hatched: one of the two answers is never given there, or
    always.

    Parameters
    ----------
    surface : AbstentionCostSurface, or mapping of one name to AbstentionCostSurface
        The surface.
    value : {"cost", "abstention", "lower", "upper"}, default="cost"
        What to show: least expected cost per case, share of cases not answered, the threshold up
        to which the answer is negative, or the one from which it is positive.
    projection : {None, "3d"}, default=None
        A map in colours, or a landscape in three dimensions.
    n : int, optional
        Grid lines per side at which the surface is evaluated; 201, or 51 in three dimensions.

    Attributes
    ----------
    mesh_ : QuadMesh or Poly3DCollection
        The colours; masked where a threshold is infinite.
    isolines_ : ContourSet or None
        Lines of equal cost; None where the cost is the same everywhere, or not shown.
    bound_ : Line2D or None
        The dashed line of the map of abstention.
    hatching_ : list of Patch
        What the hatchings mean, as in the legend; empty if every threshold is finite.
    colorbar_ : Colorbar or None
        The scale of a map.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", section 3, lemma 1
    and figure 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CostSurfaceDisplay
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> display = CostSurfaceDisplay.from_predictions(y_true, y_score, n=3, ax=Figure().subplots())
    >>> display.frame().tail(3)[["mu", "nu", "cost", "abstention"]].round(3)
        mu   nu   cost  abstention
    6  0.0  1.0  0.000         0.0
    7  0.5  1.0  0.083         0.0
    8  1.0  1.0  0.167         0.0
    >>> shares = CostSurfaceDisplay(display.surface, value="abstention").plot(Figure().subplots())
    >>> float(shares.mesh_.get_array().max())
    0.3333333333333333
    """

    curve_class = AbstentionCostSurface
    own_options: ClassVar[tuple[str, ...]] = ("value", "projection", "n")

    def __init__(
        self,
        surface: AbstentionCostSurface | Mapping[Any, AbstentionCostSurface],
        *,
        value: Literal["cost", "abstention", "lower", "upper"] = "cost",
        projection: Literal["3d"] | None = None,
        n: int | None = None,
    ) -> None:
        super().__init__(surface)
        self._only_one("a surface is drawn")
        if value not in _VALUES:
            raise ValueError(
                f"value is {shown(value)}; choose one of {', '.join(map(repr, _VALUES))}."
            )
        if projection not in (None, "3d"):
            raise ValueError(f"projection is {shown(projection)}; choose None or '3d'.")
        self.surface: AbstentionCostSurface
        (self.surface,) = self.curves.values()
        self.value = value
        self.projection = projection
        self.n: int = (201 if projection is None else 51) if n is None else n

    @cached_property
    def grid(self) -> SurfaceGrid:
        """The surface on the grid."""
        return self.surface.grid(self.n)

    def frame(self) -> pd.DataFrame:
        """One row per grid point: relative costs, least expected cost, window and abstention.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import CostSurfaceDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = CostSurfaceDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, n=3, ax=Figure().subplots()
        ... )
        >>> drawn.frame().tail(1)[["mu", "nu", "cost"]].round(3)
            mu   nu   cost
        8  1.0  1.0  0.167
        """
        return self._frame(self.surface)

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        return curve.grid(self.n).frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the surface.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        curve_kwargs : mapping, optional
            Properties of ``pcolormesh``, such as ``cmap`` or ``vmax``; of ``plot_surface`` in three
            dimensions.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.curves import AbstentionCostSurface
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9])
        >>> axes = Figure().subplots()
        >>> CostSurfaceDisplay(surface, n=11).plot(axes, name="mine").ax_ is axes
        True
        """
        grid = self.grid
        self.isolines_: Any = None
        self.bound_: Any = None
        self.colorbar_: Any = None
        self.hatching_: list[Any] = []
        values = {key: getattr(grid, key) for key in _VALUES}[self.value]
        finite = np.ma.masked_invalid(values)
        draw = self._draw_map if self.projection is None else self._draw_landscape
        axes = draw(ax, finite, dict(curve_kwargs or {}))
        (label,) = self._renamed(name)
        positive = f"positive: {plain_text(self.surface.classes[1])}"
        title = positive if label == UNNAMED else f"{plain_text(label)} ({positive})"
        axes.set(xlabel=MU_WORDS, ylabel=NU_WORDS, title=f"{self._words()}\n{title}")
        if self.projection is not None:
            return self
        if self.value == "cost":
            shown = grid.nu <= 0.5 + 1e-9
            self.isolines_ = draw_isolines(axes, grid.mu, grid.nu[shown], values[shown])
        if self.value in ("cost", "abstention"):
            self.bound_ = draw_bound(axes)
        else:
            self._hatch(axes, values)
        return self

    def _words(self) -> str:
        """Say what the value is."""
        negative, positive = (plain_text(label, most=16) for label in self.surface.classes)
        return {
            "cost": "least expected cost per case",
            "abstention": "share of cases not answered",
            "lower": f"score up to which the answer is {negative}",
            "upper": f"score from which the answer is {positive}",
        }[self.value]

    def _draw_map(self, ax: Axes | None, values: Any, style: dict[str, Any]) -> Any:
        """Colour the square, with a colour bar."""
        axes = self._open(ax)
        look: dict[str, Any] = {"shading": "nearest", "rasterized": True}
        # With no finite threshold at all there is nothing to scale the colours by.
        if self.value == "abstention" or np.ma.getmaskarray(values).all():
            look |= {"vmin": 0, "vmax": 1}
        self.mesh_: Any = axes.pcolormesh(self.grid.mu, self.grid.nu, values, **(look | style))
        # Above one half of a false negative nothing changes any more: abstaining never pays there.
        axes.set(xlim=(0, 1), ylim=(0, 0.5))
        words = f"volume {self.surface.vacc():.4f}" if self.value == "cost" else None
        self.colorbar_ = axes.figure.colorbar(self.mesh_, ax=axes, label=words)
        return axes

    def _draw_landscape(self, ax: Axes | None, values: Any, style: dict[str, Any]) -> Any:
        """Draw the surface in three dimensions."""
        from matplotlib import rcParams

        axes = self._open(ax, three_d=True, size=(6.4, 5.6))
        mu, nu = np.meshgrid(self.grid.mu, self.grid.nu)
        look = {"cmap": rcParams["image.cmap"], "rcount": self.n, "ccount": self.n}
        look |= {"linewidth": 0, "antialiased": False} | style
        self.mesh_ = axes.plot_surface(mu, nu, values.filled(np.nan), **look)
        axes.set(zlabel=self._words())
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.labelpad = 12
        axes.view_init(elev=25, azim=-125)
        axes.set_box_aspect(None, zoom=0.8)
        return axes

    def _hatch(self, axes: Any, values: Floats) -> None:
        """Hatch where a threshold lies beyond every score."""
        for side, hatch, beyond in ((-np.inf, "//", "below"), (np.inf, "..", "above")):
            there = values == side
            if not there[1:, 1:].any():  # where a mistake is free, that one answer suffices
                continue
            square = self.grid.mu, self.grid.nu, there.astype(float)
            axes.contourf(*square, [0.5, 1.5], colors="none", hatches=[hatch])
            self.hatching_.append(hatched(f"{beyond} every score", hatch))
        if self.hatching_:
            axes.legend(handles=self.hatching_, loc="upper left")


def draw_bound(axes: Any) -> Any:
    """Draw the line above which no classifier whatever gains by abstaining, and say so on it."""
    mu = np.linspace(0, 1, 101)
    look = {"color": neutral(), "linestyle": "--", "linewidth": 1.2, "path_effects": halo(3)}
    (line,) = axes.plot(mu, mu / (1 + mu), label="above: abstaining never pays", **look)
    axes.legend(loc="upper left", fontsize="small")
    return line


def draw_isolines(axes: Any, mu: Floats, nu: Floats, values: Floats) -> Any:
    """Draw lines of equal value with their numbers on them; None if all values are equal."""
    from matplotlib.ticker import MaxNLocator

    low, high = float(values.min()), float(values.max())
    levels = [v for v in MaxNLocator(9).tick_values(low, high) if low < v < high]
    if not levels:
        return None
    lines = axes.contour(mu, nu, values, levels=levels, colors=[neutral()], linewidths=0.9)
    lines.set_path_effects(halo())
    for text in axes.clabel(lines, fmt="%g", fontsize="small"):
        text.set_path_effects(halo(2.5))
    return lines
