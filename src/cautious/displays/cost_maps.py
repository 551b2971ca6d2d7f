"""Maps over the square of relative costs: least cost, differences, and the cheapest classifier."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import scipy

from cautious._checks import as_count, check_choice
from cautious._random import check_level
from cautious._typing import Floats, Ints
from cautious.curves import AbstentionCostSurface
from cautious.curves._cost_square import DifferentialGrid, SurfaceGrid
from cautious.displays._display import (
    UNNAMED,
    CurvesDisplay,
    ModelAnswers,
    Style,
    around,
    halo,
    hatched,
    line_styles,
    neutral,
    plain_text,
)
from cautious.errors import counted, shown
from cautious.tuning._cross_fitting import TooFewCases
from cautious.tuning._winners import distinct_winners

_MU_WORDS = "cost of a false positive\n(a false negative costs 1)"
_NU_WORDS = "cost of abstaining\n(a false negative costs 1)"
_MESH = {"shading": "nearest", "rasterized": True}
# How many grid lines each value is shown on, unless told otherwise.
_LINES = dict.fromkeys(("cost", "abstention", "lower", "upper"), 201)
_LINES |= {"difference": 101, "cheapest": 121}
# Costs nearer than this are the same.
_SAME = 1e-12
# Half the width of a long name on the map.
_NAME = 0.14


@dataclass(eq=False, repr=False, kw_only=True)
class CostSurfaceDisplay(CurvesDisplay[AbstentionCostSurface]):
    r"""What the optimal windows of classifiers come to, at any relative costs.

    Of one classifier the map shows the least expected cost, the share of cases it abstains on, or
    one of its thresholds; hatched where a threshold lies beyond every score, so that one of the
    two answers is never given, or always.

    Of two, it shows the cost of the first minus that of the second. The colour says who is cheaper
    and by how much; the side of the first is hatched, so that it can be told in grey as well. The
    zero line is exact on every grid line.

    Of two or more, it shows which is cheapest. Regions carry names. The map is of the cases given:
    who is ahead by little may be behind on new ones. Where the cheapest cannot be told apart from
    all others, it is hatched.

    Maps end where abstaining costs half of a false negative. Above the dashed line,
    :math:`\nu = \mu / (1 + \mu)`, no classifier gains by it; one half is its highest point.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of name to AbstentionCostSurface
        The classifiers.
    value : str, default="cost"
        What to show. Of one classifier "cost", least expected cost per case; "abstention", share of
        cases not answered; "lower", the threshold up to which the answer is negative; or "upper",
        the one from which it is positive. Of two "difference"; of two or more "cheapest".
    projection : {None, "3d"}, default=None
        A map in colours, or, of one classifier, a landscape in three dimensions.
    n : int, optional
        Grid lines per side: 201, of a difference 101, of the cheapest 121 (half as many along the
        cost of abstaining), in three dimensions 51.
    distinct : tuple (mu, nu, winner), optional
        For "cheapest": grid lines, and the position of the cheapest classifier at each point, -1
        where it is not told apart from all others. The class methods find it by windows that are
        chosen on nine tenths of the cases and measured on the rest, at a `confidence_level` of 0.95
        for all differences at a point; with None, or below 30 cases of a class, nothing is hatched,
        nor where classifiers were cross-validated on different cases. Of a case that was tested
        several times the first score counts.

    Attributes
    ----------
    mesh_ : QuadMesh or Poly3DCollection
        The colours; masked where a threshold is infinite.
    isolines_ : ContourSet or None
        Lines of equal cost; None where the cost is the same everywhere, or not shown.
    bound_ : Line2D or None
        The dashed line of costs, of abstention and of the cheapest.
    zero_line_ : LineCollection or None
        Where two cost the same.
    labels_ : list of Text
        Names in their regions.
    hatching_ : list
        What is hatched; empty if nothing is.
    colorbar_ : Colorbar or None
        The scale of a map.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Friedel, Rückert & Kramer (2006), "Cost curves for abstaining classifiers", section 3, lemma 1
    and figures 3 and 4.

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
    >>> shares = CostSurfaceDisplay(display.curves, value="abstention").plot(Figure().subplots())
    >>> float(shares.mesh_.get_array().max())
    0.3333333333333333

    Two classifiers:

    >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
    >>> display = CostSurfaceDisplay.from_predictions(
    ...     [0, 0, 0, 1, 1, 1], scores, value="difference", n=3, ax=Figure().subplots()
    ... )
    >>> display.frame().tail(1).round(3)
        mu   nu  difference
    8  1.0  1.0      -0.167
    >>> winners = CostSurfaceDisplay(display.curves, value="cheapest", n=5)
    >>> winners.frame().tail(1)
         mu   nu winner
    14  1.0  0.5  sharp
    """

    _curve_class = AbstentionCostSurface
    value: Literal["cost", "abstention", "lower", "upper", "difference", "cheapest"] = "cost"
    projection: Literal["3d"] | None = None
    n: Any = None  # grid lines; then never None
    distinct: tuple[Floats, Floats, Ints] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.value, "value", _LINES)
        self._three_d = self.projection == "3d"
        of_several = self.value in ("difference", "cheapest")
        if self.projection is not None and (of_several or not self._three_d):
            raise ValueError(
                f"projection is {shown(self.projection)}; choose None or, for one classifier, '3d'."
            )
        k = len(self.curves)
        if of_several != (k > 1) or (self.value == "difference" and k > 2):
            fits = {"difference": "a difference is of two, by name"}
            fits["cheapest"] = "the cheapest is one of two or more, by name"
            words = fits.get(self.value, "a surface is drawn of one; choose value='cheapest'")
            raise ValueError(f"{counted(k, 'classifier')} given; {words}.")
        if self.n is None:
            self.n = 51 if self._three_d else _LINES[self.value]
        as_count(self.n, "n", least=3)

    @classmethod
    def _of(cls, answers: dict[Any, ModelAnswers], **options: Any) -> Self:
        if options.get("value") != "cheapest":
            return super()._of(answers, **options)
        own = {"value": options.pop("value"), "n": options.pop("n", None)}
        level = options.pop("confidence_level", 0.95)
        if level is not None and len(answers) > 1:
            own["distinct"] = _distinct(answers, check_level(level), options)
        return super()._of(answers, **own, **options)

    @cached_property
    def grid(self) -> Any:
        """What is shown on the grid: costs and windows, differences, or who is cheapest."""
        first, *others = self.curves.values()
        if self.value != "cheapest":
            drawn = first.differential(*others) if others else first
            return drawn.grid(self.n)
        mu, nu = np.linspace(0, 1, self.n), np.linspace(0, 0.5, self.n // 2 + 1)
        costs = np.array([curve.cost(mu, nu[:, None]) for curve in self.curves.values()])
        winner = costs.argmin(axis=0)
        winner[np.ptp(costs, axis=0) <= _SAME] = -1
        return mu, nu, winner

    def frame(self) -> pd.DataFrame:
        """One row per grid point: relative costs, and what is shown there (None in a tie)."""
        if self.value != "cheapest":
            return self.grid.frame()  # type: ignore[no-any-return]
        mu, nu, winner = self.grid
        names = np.array([*self.curves, None], dtype=object)
        across, along = np.meshgrid(mu, nu)
        # Text would come out as pandas' own kind, which makes nan of None.
        cheapest = pd.Series(names[winner.ravel()], dtype=object)
        return pd.DataFrame({"mu": across.ravel(), "nu": along.ravel(), "winner": cheapest})

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        self.mesh_: Any = None
        self.isolines_: Any = None
        self.bound_: Any = None
        self.zero_line_: Any = None
        self.colorbar_: Any = None
        self.labels_: list[Any] = []
        self.hatching_: list[Any] = []
        if not self._three_d:
            # Above one half of a false negative nothing changes any more: nobody abstains there.
            axes.set(xlim=(0, 1), ylim=(0, 0.5))
        axes.set(xlabel=_MU_WORDS, ylabel=_NU_WORDS)
        if self.value == "difference":
            self._draw_difference(axes, self.curves if name is None else name, style)
        elif self.value == "cheapest":
            self._draw_cheapest(axes, self._renamed(name), style)
        else:
            self._draw_one(axes, name, style)

    def _draw_one(self, axes: Any, name: str | None, style: Style) -> None:
        """Draw the surface of one classifier."""
        ((label, surface),) = self._renamed(name).items()
        negative, positive = (plain_text(each, most=16) for each in surface.classes)
        words = {
            "cost": "least expected cost per case",
            "abstention": "share of cases not answered",
            "lower": f"score up to which the answer is {negative}",
            "upper": f"score from which the answer is {positive}",
        }[self.value]
        values: Floats = getattr(self.grid, self.value)
        if self._three_d:
            from matplotlib import rcParams

            mu, nu = np.meshgrid(self.grid.mu, self.grid.nu)
            look = {"cmap": rcParams["image.cmap"], "rcount": self.n, "ccount": self.n}
            look |= {"linewidth": 0, "antialiased": False} | style
            finite = np.where(np.isfinite(values), values, np.nan)
            self.mesh_ = axes.plot_surface(mu, nu, finite, **look)
            axes.set(zlabel=words)
            for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
                axis.labelpad = 12
            axes.view_init(elev=25, azim=-125)
            axes.set_box_aspect(None, zoom=0.8)
        else:
            self._draw_map(axes, surface, values, style)
        about = [] if label == UNNAMED else [plain_text(label)]
        if self.value in ("cost", "abstention"):
            about.append(f"positive: {positive}")
        axes.set_title("\n".join([words, ", ".join(about)]).rstrip())

    def _draw_map(
        self, axes: Any, surface: AbstentionCostSurface, values: Floats, style: Style
    ) -> None:
        """Colour the square, with a colour bar and what explains the colours."""
        grid: SurfaceGrid = self.grid
        mu, nu, finite = grid.mu, grid.nu, np.ma.masked_invalid(values)
        look: Style = dict(_MESH)
        # With no finite threshold at all there is nothing to scale the colours by.
        if self.value == "abstention" or np.ma.getmaskarray(finite).all():
            look |= {"vmin": 0, "vmax": 1}
        self.mesh_ = axes.pcolormesh(mu, nu, finite, **(look | style))
        words = f"volume {surface.vacc():.4f}" if self.value == "cost" else None
        self.colorbar_ = axes.figure.colorbar(self.mesh_, ax=axes, label=words)
        if self.value == "cost":
            low = nu <= 0.5 + 1e-9
            self.isolines_ = _draw_isolines(axes, mu, nu[low], values[low])
        if self.value in ("cost", "abstention"):
            self.bound_ = _draw_bound(axes)
            return
        for side, hatch, beyond in ((-np.inf, "//", "below"), (np.inf, "..", "above")):
            there = values == side
            if not there[1:, 1:].any():  # where a mistake is free, that one answer suffices
                continue
            axes.contourf(mu, nu, there.astype(float), [0.5, 1.5], colors="none", hatches=[hatch])
            self.hatching_.append(hatched(f"{beyond} every score", hatch))
        if self.hatching_:
            axes.legend(handles=self.hatching_, loc="upper left")

    def _draw_difference(self, axes: Any, names: Any, style: Style) -> None:
        """Draw by how much more the first classifier costs, and where both cost the same."""
        from matplotlib.collections import LineCollection

        grid: DifferentialGrid = self.grid
        mu, nu, difference = grid.mu, grid.nu, grid.difference
        first, second = self._two_names(names)
        most = float(np.abs(difference).max()) or 1.0
        look = _MESH | {"cmap": "PuOr", "vmin": -most, "vmax": most} | style
        self.mesh_ = axes.pcolormesh(mu, nu, difference, **look)
        cheaper = (difference < -_SAME).astype(float)
        if cheaper.any():
            axes.contourf(mu, nu, cheaper, [0.5, 1.5], colors="none", hatches=["//"])
            self.hatching_.append(hatched(f"{first} is cheaper", "//"))
        self.zero_line_ = LineCollection(
            _segments(grid.zero_line, self.n),
            colors=[neutral()],
            linewidths=1.8,
            path_effects=halo(3.5),
            label="both cost the same",
        )
        axes.add_collection(self.zero_line_)
        # Over the map it would hide what it explains.
        place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 2}
        handles = [*self.hatching_, self.zero_line_]
        axes.legend(handles=handles, frameon=False, fontsize="small", **place)
        axes.set_title(f"cost of {first} minus\ncost of {second}", pad=26)
        self.colorbar_ = axes.figure.colorbar(self.mesh_, ax=axes)

    def _draw_cheapest(self, axes: Any, curves: Mapping[Any, Any], style: Style) -> None:
        """Draw who is cheapest where, with names in the regions."""
        from matplotlib.colors import ListedColormap, to_rgb

        mu, nu, winner = self.grid
        # Half way to white, so that names stay readable on every colour.
        colours = ["0.75"] + [
            tuple(0.45 + 0.55 * part for part in to_rgb(look["color"]))
            for look in line_styles(len(curves))
        ]
        look = {"cmap": ListedColormap(colours), "vmin": -1.5, "vmax": len(curves) - 0.5}
        self.mesh_ = axes.pcolormesh(mu, nu, winner, **(_MESH | look | style))
        names = ["all cost the same", *(plain_text(label, most=20) for label in curves)]
        for code in np.unique(winner):
            there = winner == code
            axes.contour(mu, nu, there.astype(float), [0.5], colors=[neutral()], linewidths=0.8)
            room = scipy.ndimage.distance_transform_edt(np.pad(there, 1))[1:-1, 1:-1]
            if room.max() < 3 and there.mean() < 0.5:
                continue
            # A name needs room beside it; along an edge it stands upright, never in another region.
            inner = np.where((mu >= _NAME) & (mu <= 1 - _NAME), room, 0)
            lies = inner.max() >= 3
            row, column = np.unravel_index((inner if lies else room).argmax(), room.shape)
            look = {"ha": "center", "va": "center", "fontsize": "small", "path_effects": halo(3)}
            look["rotation"] = "horizontal" if lies else "vertical"
            self.labels_.append(axes.text(mu[column], nu[row], names[code + 1], **look))
        self.bound_ = _draw_bound(axes)
        axes.set_title("which classifier is cheapest")
        if self.distinct is None or (self.distinct[2] >= 0).all():
            return
        across, along, winner = self.distinct
        look = {"levels": [0.5, 1.5], "colors": "none", "hatches": ["///"]}
        unsure = axes.contourf(across, along, (winner < 0).astype(float), **look)
        unsure.set(edgecolor="0.3", linewidth=0)  # on colours that are light in every style
        self.hatching_.append(unsure)
        handles = [*axes.get_legend().legend_handles, hatched("cannot be told apart", "///")]
        axes.legend(handles=handles, loc="upper left", fontsize="small", framealpha=0.9)


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
    corners = around(points)
    sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    length = np.linalg.norm(sides[:, 0] - sides[:, 1], axis=1)
    if len(points) % 2:  # where a tie begins three lines meet
        return list(np.delete(sides, length.argmax(), axis=0))
    return list(sides[0::2] if length[0::2].sum() <= length[1::2].sum() else sides[1::2])


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
