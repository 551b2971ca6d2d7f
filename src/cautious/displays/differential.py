"""Where one classifier is cheaper than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.curves import AbstentionCostSurface, DifferentialCostSurface
from cautious.curves.surface._cost_square import DifferentialGrid
from cautious.displays._cost_surface import MU_WORDS, NU_WORDS
from cautious.displays._display import NamedCurvesDisplay, halo, hatched, named, neutral, plain_text
from cautious.errors import check_kind

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["DifferentialDisplay"]


class DifferentialDisplay(NamedCurvesDisplay[AbstentionCostSurface]):
    """Difference of the costs of two classifiers at any relative costs, with its zero line.

    The colour says who is cheaper and by how much; the side of the first classifier is hatched, so
    that it can be told in grey as well. The zero line is exact on every grid line.

    Parameters
    ----------
    difference : DifferentialCostSurface
        Cost of the first classifier minus that of the second.
    names : pair of labels, default=("first", "second")
        What to call the two.
    n : int, default=101
        Grid lines per side.

    Attributes
    ----------
    mesh_ : QuadMesh
        The colours.
    zero_line_ : LineCollection
        Where the costs are equal.
    colorbar_ : Colorbar
        The scale.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", section 3, figure 4.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import DifferentialDisplay
    >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
    >>> display = DifferentialDisplay.from_predictions(
    ...     [0, 0, 0, 1, 1, 1], scores, n=3, ax=Figure().subplots()
    ... )
    >>> display.frame().tail(1).round(3)
        mu   nu  difference
    8  1.0  1.0      -0.167
    """

    curve_class = AbstentionCostSurface
    own_options: ClassVar[tuple[str, ...]] = ("n",)

    def __init__(
        self,
        difference: DifferentialCostSurface,
        *,
        names: Sequence[Any] = ("first", "second"),
        n: int = 101,
    ) -> None:
        check_kind(difference, DifferentialCostSurface, "difference", "a DifferentialCostSurface")
        first, second = names
        super().__init__({first: difference.first, second: difference.second})
        self.difference = difference
        self.names: tuple[Any, Any] = (first, second)
        self.n = n

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: Mapping[Any, npt.ArrayLike],
        *,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the difference of two classifiers' scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_score : mapping of two names to array-like of shape (n,)
            Scores that grow with the belief in the positive class.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            `n`, and keywords of :meth:`cautious.curves.AbstentionCostSurface.from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import DifferentialDisplay
        >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
        >>> drawn = DifferentialDisplay.from_predictions(
        ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
        ... )
        >>> list(drawn.curves)
        ['sharp', 'blunt']
        """
        return cls._made("from_predictions", named(y_score), ax, curve_kwargs, options, y_true)

    @classmethod
    def _with(cls, curves: dict[Any, AbstentionCostSurface], **own: Any) -> Self:
        if len(curves) != 2:
            raise ValueError(
                f"{len(curves)} classifiers were given; a difference is of two, by name."
            )
        first, second = curves.values()
        return cls(first.differential(second), names=tuple(curves), **own)

    @cached_property
    def grid(self) -> DifferentialGrid:
        """The difference on the grid, with the exact zero line."""
        return self.difference.grid(self.n)

    def frame(self) -> pd.DataFrame:
        """One row per grid point: relative costs and the difference.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import DifferentialDisplay
        >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
        >>> drawn = DifferentialDisplay.from_predictions(
        ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
        ... )
        >>> drawn.frame().tail(1).round(3)
             mu   nu  difference
        24  1.0  1.0      -0.167
        """
        return self.difference.frame(self.n)

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        return curve.grid(self.n).frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: Sequence[Any] | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the difference.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : pair of labels, optional
            What to call the two classifiers.
        curve_kwargs : mapping, optional
            Properties of ``pcolormesh``.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import DifferentialDisplay
        >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
        >>> drawn = DifferentialDisplay.from_predictions(
        ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
        ... )
        >>> axes = Figure().subplots()
        >>> drawn.plot(axes).ax_ is axes  # drawn once more
        True
        """
        from matplotlib.collections import LineCollection

        style = dict(curve_kwargs or {})
        axes = self._open(ax)
        grid = self.grid
        first, second = (plain_text(label) for label in (self.names if name is None else name))
        most = float(np.abs(grid.difference).max()) or 1.0
        look = {"cmap": "PuOr", "vmin": -most, "vmax": most, "shading": "nearest"}
        self.mesh_: Any = axes.pcolormesh(
            grid.mu,
            grid.nu,
            grid.difference,
            **(look | {"rasterized": True} | style),
        )
        cheaper = (grid.difference < -1e-12).astype(float)
        handles: list[Any] = []
        if cheaper.any():
            axes.contourf(grid.mu, grid.nu, cheaper, [0.5, 1.5], colors="none", hatches=["//"])
            handles.append(hatched(f"{first} is cheaper", "//"))
        self.zero_line_: Any = LineCollection(
            list(_segments(grid.zero_line, self.n)),
            colors=[neutral()],
            linewidths=1.8,
            path_effects=halo(3.5),
            label="both cost the same",
        )
        axes.add_collection(self.zero_line_)
        handles.append(self.zero_line_)
        # Over the map it would hide what it explains.
        place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 2}
        axes.legend(handles=handles, frameon=False, fontsize="small", **place)
        axes.set(xlim=(0, 1), ylim=(0, 0.5), xlabel=MU_WORDS, ylabel=NU_WORDS)
        axes.set_title(f"cost of {first} minus\ncost of {second}", pad=26)
        self.colorbar_: Any = axes.figure.colorbar(self.mesh_, ax=axes)
        return self


def _segments(crossings: pd.DataFrame, n: int) -> list[Floats]:
    """Join the points at which the zero line enters and leaves each cell of the grid."""
    points = crossings[["mu", "nu"]].drop_duplicates().to_numpy(dtype=np.float64)
    cells: dict[tuple[int, ...], list[int]] = {}
    for at, place in enumerate(points * (n - 1)):
        for cell in product(*map(_beside, place.tolist())):
            cells.setdefault(cell, []).append(at)
    segments: list[Floats] = []
    for inside in cells.values():
        segments += _joined(points[inside])
    return segments


def _beside(place: float) -> tuple[int, ...]:
    """Rows or columns of cells that a place, in units of cells, lies in or between."""
    line = round(place)
    return (line - 1, line) if abs(place - line) < 1e-9 else (int(place),)


def _joined(points: Floats) -> list[Floats]:
    """Join points on the edge of a cell in pairs, as shortly as possible without crossing."""
    away = points - points.mean(axis=0)
    around = points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    sides = np.stack([around, np.roll(around, -1, axis=0)], axis=1)
    length = np.linalg.norm(sides[:, 0] - sides[:, 1], axis=1)
    if len(points) < 2:
        return []
    if len(points) % 2:  # where a tie begins three lines meet
        return list(np.delete(sides, length.argmax(), axis=0))
    return list(sides[0::2] if length[0::2].sum() <= length[1::2].sum() else sides[1::2])
