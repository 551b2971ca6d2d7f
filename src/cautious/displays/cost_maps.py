"""Maps over the square of relative costs: least cost, differences, and the cheapest classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy import ndimage

from cautious._random import check_level
from cautious._typing import Floats, Ints
from cautious.curves import AbstentionCostSurface
from cautious.curves._cost_square import DifferentialCostSurface, DifferentialGrid, SurfaceGrid
from cautious.displays._display import (
    UNNAMED,
    CurvesDisplay,
    ModelAnswers,
    OfScores,
    OneSurfaceDisplay,
    Style,
    halo,
    hatched,
    line_styles,
    neutral,
    plain_text,
)
from cautious.errors import check_kind, shown
from cautious.tuning._cross_fitting import TooFewCases
from cautious.tuning._winners import distinct_winners

if TYPE_CHECKING:
    from typing import Self

_MU_WORDS = "cost of a false positive\n(a false negative costs 1)"
_NU_WORDS = "cost of abstaining\n(a false negative costs 1)"
_MESH = {"shading": "nearest", "rasterized": True}
_VALUES = ("cost", "abstention", "lower", "upper")
# Costs nearer than this are the same.
_SAME = 1e-12
# Half the width of a long name on the map.
_NAME = 0.14


class CostSurfaceDisplay(OneSurfaceDisplay):
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

    _drawn = "a surface is drawn"

    def __init__(
        self,
        surface: AbstentionCostSurface | Mapping[Any, AbstentionCostSurface],
        *,
        value: Literal["cost", "abstention", "lower", "upper"] = "cost",
        projection: Literal["3d"] | None = None,
        n: int | None = None,
    ) -> None:
        super().__init__(surface)
        if value not in _VALUES:
            raise ValueError(
                f"value is {shown(value)}; choose one of {', '.join(map(repr, _VALUES))}."
            )
        if projection not in (None, "3d"):
            raise ValueError(f"projection is {shown(projection)}; choose None or '3d'.")
        self.value = value
        self.projection = projection
        self._three_d = projection == "3d"
        self.n: int = (51 if self._three_d else 201) if n is None else n

    @cached_property
    def grid(self) -> SurfaceGrid:
        """The surface on the grid."""
        return self.surface.grid(self.n)

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        return self.grid.frame()

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        self.isolines_: Any = None
        self.bound_: Any = None
        self.colorbar_: Any = None
        self.hatching_: list[Any] = []
        negative, positive = (plain_text(label, most=16) for label in self.surface.classes)
        words = {
            "cost": "least expected cost per case",
            "abstention": "share of cases not answered",
            "lower": f"score up to which the answer is {negative}",
            "upper": f"score from which the answer is {positive}",
        }[self.value]
        values: Floats = getattr(self.grid, self.value)
        if self._three_d:
            self._draw_landscape(axes, np.ma.masked_invalid(values), style)
            axes.set(zlabel=words)
        else:
            self._draw_map(axes, values, style)
        (label,) = self._renamed(name)
        title = f"positive: {plain_text(self.surface.classes[1])}"
        title = title if label == UNNAMED else f"{plain_text(label)} ({title})"
        axes.set(xlabel=_MU_WORDS, ylabel=_NU_WORDS, title=f"{words}\n{title}")

    def _draw_map(self, axes: Any, values: Floats, style: Style) -> None:
        """Colour the square, with a colour bar and what explains the colours."""
        mu, nu, finite = self.grid.mu, self.grid.nu, np.ma.masked_invalid(values)
        look: Style = dict(_MESH)
        # With no finite threshold at all there is nothing to scale the colours by.
        if self.value == "abstention" or np.ma.getmaskarray(finite).all():
            look |= {"vmin": 0, "vmax": 1}
        self.mesh_: Any = axes.pcolormesh(mu, nu, finite, **(look | style))
        # Above one half of a false negative nothing changes any more: abstaining never pays there.
        axes.set(xlim=(0, 1), ylim=(0, 0.5))
        words = f"volume {self.surface.vacc():.4f}" if self.value == "cost" else None
        self.colorbar_ = axes.figure.colorbar(self.mesh_, ax=axes, label=words)
        if self.value == "cost":
            low = nu <= 0.5 + 1e-9
            self.isolines_ = _draw_isolines(axes, mu, nu[low], values[low])
        if self.value in ("cost", "abstention"):
            self.bound_ = _draw_bound(axes)
        else:
            self._hatch(axes, values)

    def _draw_landscape(self, axes: Any, values: Any, style: Style) -> None:
        """Draw the surface in three dimensions."""
        from matplotlib import rcParams

        mu, nu = np.meshgrid(self.grid.mu, self.grid.nu)
        look = {"cmap": rcParams["image.cmap"], "rcount": self.n, "ccount": self.n}
        look |= {"linewidth": 0, "antialiased": False} | style
        self.mesh_ = axes.plot_surface(mu, nu, values.filled(np.nan), **look)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.labelpad = 12
        axes.view_init(elev=25, azim=-125)
        axes.set_box_aspect(None, zoom=0.8)

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


def _draw_bound(axes: Any) -> Any:
    """Draw the line above which no classifier whatever gains by abstaining, and say so on it."""
    mu = np.linspace(0, 1, 101)
    look = {"color": neutral(), "linestyle": "--", "linewidth": 1.2, "path_effects": halo(3)}
    (line,) = axes.plot(mu, mu / (1 + mu), label="above: abstaining never pays", **look)
    axes.legend(loc="upper left", fontsize="small")
    return line


def _draw_isolines(axes: Any, mu: Floats, nu: Floats, values: Floats) -> Any:
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


class DifferentialDisplay(OfScores, CurvesDisplay[AbstentionCostSurface]):
    """Difference of the costs of two classifiers at any relative costs, with its zero line.

    The colour says who is cheaper and by how much; the side of the first classifier is hatched, so
    that it can be told in grey as well. The zero line is exact on every grid line. The class
    methods take two classifiers by name.

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

    _curve_class = AbstentionCostSurface

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
    def _of_curves(cls, curves: dict[Any, AbstentionCostSurface], own: dict[str, Any]) -> Self:
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
        """One row per grid point: relative costs and the difference."""
        return self.difference.frame(self.n)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        from matplotlib.collections import LineCollection

        mu, nu, difference = self.grid.mu, self.grid.nu, self.grid.difference
        first, second = (plain_text(label) for label in (self.names if name is None else name))
        most = float(np.abs(difference).max()) or 1.0
        look = _MESH | {"cmap": "PuOr", "vmin": -most, "vmax": most} | style
        self.mesh_: Any = axes.pcolormesh(mu, nu, difference, **look)
        cheaper = (difference < -_SAME).astype(float)
        handles: list[Any] = []
        if cheaper.any():
            axes.contourf(mu, nu, cheaper, [0.5, 1.5], colors="none", hatches=["//"])
            handles.append(hatched(f"{first} is cheaper", "//"))
        self.zero_line_: Any = LineCollection(
            _segments(self.grid.zero_line, self.n),
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
        axes.set(xlim=(0, 1), ylim=(0, 0.5), xlabel=_MU_WORDS, ylabel=_NU_WORDS)
        axes.set_title(f"cost of {first} minus\ncost of {second}", pad=26)
        self.colorbar_: Any = axes.figure.colorbar(self.mesh_, ax=axes)


def _segments(crossings: pd.DataFrame, n: int) -> list[Floats]:
    """Join the points at which the zero line enters and leaves each cell of the grid."""
    points = crossings[["mu", "nu"]].drop_duplicates().to_numpy(dtype=np.float64)
    cells: dict[tuple[int, ...], list[int]] = {}
    for at, place in enumerate(points * (n - 1)):
        for cell in product(*map(_beside, place.tolist())):
            cells.setdefault(cell, []).append(at)
    return [segment for inside in cells.values() for segment in _joined(points[inside])]


def _beside(place: float) -> tuple[int, ...]:
    """Rows or columns of cells that a place, in units of cells, lies in or between."""
    line = round(place)
    return (line - 1, line) if abs(place - line) < 1e-9 else (int(place),)


def _joined(points: Floats) -> list[Floats]:
    """Join points on the edge of a cell in pairs, as shortly as possible without crossing."""
    if len(points) < 2:
        return []
    away = points - points.mean(axis=0)
    around = points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    sides = np.stack([around, np.roll(around, -1, axis=0)], axis=1)
    length = np.linalg.norm(sides[:, 0] - sides[:, 1], axis=1)
    if len(points) % 2:  # where a tie begins three lines meet
        return list(np.delete(sides, length.argmax(), axis=0))
    return list(sides[0::2] if length[0::2].sum() <= length[1::2].sum() else sides[1::2])


@dataclass(eq=False, repr=False, kw_only=True)
class WinnerMapDisplay(OfScores, CurvesDisplay[AbstentionCostSurface]):
    r"""The cheapest of several classifiers at any relative costs, each with its own best window.

    Regions carry the names of their classifiers, so the map can be read in grey. Abstaining costs
    at most half of a false negative here; above the dashed line, :math:`\nu = \mu / (1 + \mu)`, no
    classifier gains by it. The map is of the cases given: who is ahead by little may be behind on
    new ones. Where the cheapest cannot be told apart from all others, the map is hatched.

    Parameters
    ----------
    curves : mapping of name to AbstentionCostSurface
        The classifiers, two or more.
    n : int, default=121
        Grid lines along the cost of a false positive; half as many along that of abstaining.
    distinct : tuple (mu, nu, winner), optional
        Grid lines, and the position of the cheapest classifier at each point, -1 where it is not
        told apart from all others. The class methods find it by windows that are chosen on nine
        tenths of the cases and measured on the rest, at a `confidence_level` of 0.95 for all
        differences at a point; with None, or below 30 cases of a class, nothing is hatched, nor
        where classifiers were cross-validated on different cases. Of a case that was tested several
        times the first score counts.

    Attributes
    ----------
    mesh_ : QuadMesh
        The colours.
    labels_ : list of Text
        Names in their regions.
    bound_ : Line2D
        The line above which abstaining never pays.
    hatching_ : ContourSet or None
        Where nothing is sure.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers".

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import WinnerMapDisplay
    >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
    >>> display = WinnerMapDisplay.from_predictions(
    ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
    ... )
    >>> display.frame().tail(1)
         mu   nu winner
    14  1.0  0.5  sharp
    """

    _curve_class = AbstentionCostSurface

    n: int = 121
    distinct: tuple[Floats, Floats, Ints] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.curves) < 2:
            raise ValueError("there is 1 classifier; give two or more by name.")
        if self.n < 3:
            raise ValueError(f"n is {self.n}; give 3 grid lines or more.")

    @classmethod
    def _of(cls, answers: dict[Any, ModelAnswers], **options: Any) -> Self:
        level = options.pop("confidence_level", 0.95)
        own = {"n": options.pop("n")} if "n" in options else {}
        if level is not None and len(answers) > 1:
            own["distinct"] = _distinct(answers, check_level(level), options)
        return super()._of(answers, **own, **options)

    @cached_property
    def _winner(self) -> tuple[Floats, Floats, Ints]:
        """Grid lines, and the position of the cheapest classifier; -1 where all cost the same."""
        mu, nu = np.linspace(0, 1, self.n), np.linspace(0, 0.5, self.n // 2 + 1)
        costs = np.array([curve.cost(mu[None, :], nu[:, None]) for curve in self.curves.values()])
        winner = costs.argmin(axis=0)
        winner[np.ptp(costs, axis=0) <= _SAME] = -1
        return mu, nu, winner

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        from matplotlib.colors import ListedColormap, to_rgb

        curves, (mu, nu, winner) = self._renamed(name), self._winner
        # Half way to white, so that names stay readable on every colour.
        colours = ["0.75"] + [
            tuple(0.45 + 0.55 * part for part in to_rgb(look["color"]))
            for look in line_styles(len(curves))
        ]
        look = {"cmap": ListedColormap(colours), "vmin": -1.5, "vmax": len(curves) - 0.5}
        self.mesh_: Any = axes.pcolormesh(mu, nu, winner, **(_MESH | look | style))
        names = ["all cost the same", *(plain_text(label, most=20) for label in curves)]
        self.labels_: list[Any] = []
        for code in np.unique(winner):
            there = winner == code
            axes.contour(mu, nu, there.astype(float), [0.5], colors=[neutral()], linewidths=0.8)
            room = ndimage.distance_transform_edt(np.pad(there, 1))[1:-1, 1:-1]
            if room.max() < 3 and there.mean() < 0.5:
                continue
            # A name needs room beside it; along an edge it stands upright, never in another region.
            inner = np.where((mu >= _NAME) & (mu <= 1 - _NAME), room, 0)
            lies = inner.max() >= 3
            row, column = np.unravel_index((inner if lies else room).argmax(), room.shape)
            look = {"ha": "center", "va": "center", "fontsize": "small", "path_effects": halo(3)}
            look["rotation"] = "horizontal" if lies else "vertical"
            self.labels_.append(axes.text(mu[column], nu[row], names[code + 1], **look))
        self.bound_: Any = _draw_bound(axes)
        self._hatch(axes)
        axes.set(xlim=(0, 1), ylim=(0, 0.5), xlabel=_MU_WORDS, ylabel=_NU_WORDS)
        axes.set_title("which classifier is cheapest")

    def _hatch(self, axes: Any) -> None:
        """Hatch where nothing is sure, and say so in the legend."""
        self.hatching_: Any = None
        if self.distinct is None or (self.distinct[2] >= 0).all():
            return
        across, along, winner = self.distinct
        look = {"levels": [0.5, 1.5], "colors": "none", "hatches": ["///"]}
        self.hatching_ = axes.contourf(across, along, (winner < 0).astype(float), **look)
        self.hatching_.set(edgecolor="0.3", linewidth=0)  # on colours that are light in every style
        handles = [*axes.get_legend().legend_handles, hatched("cannot be told apart", "///")]
        axes.legend(handles=handles, loc="upper left", fontsize="small", framealpha=0.9)

    def frame(self) -> pd.DataFrame:
        """One row per grid point: relative costs, and the cheapest classifier (None in a tie)."""
        mu, nu, winner = self._winner
        names = np.array([*self.curves, None], dtype=object)
        across, along = np.meshgrid(mu, nu)
        # Text would come out as pandas' own kind, which makes nan of None.
        cheapest = pd.Series(names[winner.ravel()], dtype=object)
        return pd.DataFrame({"mu": across.ravel(), "nu": along.ravel(), "winner": cheapest})


def _distinct(
    answers: Mapping[Any, ModelAnswers], level: float, options: dict[str, Any]
) -> tuple[Floats, Floats, Ints] | None:
    """Say who is surely cheapest where; None if cases differ, or are too few."""
    first = next(iter(answers.values()))
    truth, known = first.truth, first.known | options
    scores = {name: answer.outputs for name, answer in answers.items()}
    if first.rows is not None:
        cases, at = np.unique(first.rows, return_index=True)
        truth = truth[at]
        if known["sample_weight"] is not None:
            known["sample_weight"] = known["sample_weight"][at]
        for name, answer in answers.items():
            own_cases, at = np.unique(np.asarray(answer.rows), return_index=True)
            if not np.array_equal(cases, own_cases):
                return None
            scores[name] = scores[name][at]
    with suppress(TooFewCases):
        return distinct_winners(truth, scores, confidence_level=level, **known)
    return None
