"""What scores mean, what they are worth, and what a window on them does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy

from cautious._checks import as_count, check_choice
from cautious._typing import Floats, as_floats
from cautious.costs._forms import CostsLike
from cautious.curves import AbstentionCostSurface, DecisionCurve
from cautious.curves._staircase import calibration_bins
from cautious.displays._display import OKABE_ITO, UNNAMED, CurvesDisplay, Style, neutral, plain_text
from cautious.errors import shown
from cautious.metrics._mean_intervals import wilson

_NEGATIVE, _POSITIVE = OKABE_ITO[0], OKABE_ITO[1]
_BARS = 60


@dataclass(eq=False, repr=False, kw_only=True)
class CalibrationDisplay(CurvesDisplay[AbstentionCostSurface]):
    """Share of positives among cases of about the same probability, against that probability.

    On the dotted line predicted and observed risk agree. Each bin holds about as many cases as the
    others, so none rests on a handful.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of name to AbstentionCostSurface
        The classifiers; their scores must be probabilities.
    n_bins : int, default=10
        How many bins, at most.
    confidence_level : float or None, default=0.95
        Of Wilson's intervals, drawn as a band; None draws none.

    Attributes
    ----------
    lines_, bands_ : list of Line2D, list of PolyCollection
        One per classifier; of three or more, the first alone has a band.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], n_bins=2, ax=Figure().subplots()
    ... )
    >>> display.frame()[["mean", "share", "low", "high"]].round(3)
       mean  share    low   high
    0  0.25    0.5  0.095  0.905
    1  0.75    0.5  0.095  0.905
    """

    _curve_class = AbstentionCostSurface
    n_bins: int = 10
    confidence_level: float | None = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        as_count(self.n_bins, "n_bins")
        for name, curve in self.curves.items():
            if not curve.staircase.are_probabilities:
                raise ValueError(
                    f"the scores of {shown(name)} are no probabilities, so there is nothing to "
                    "hold them to; give scores between 0 and 1."
                )

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves, guide = self._renamed(name), "predicted and observed agree"
        axes.plot([0, 1], [0, 1], ":", color=neutral(), linewidth=1, label=guide)
        for curve, look in self._looks(axes, curves, style, markersize=4):
            table = self._frame(curve)
            band = table[["mean", "low", "high"]] if "low" in table else None
            self._draw_line(axes, table["mean"], table["share"], look, band)
        # Where positives are rare, a square up to one would hold a scribble in its corner.
        lines = [line for line in axes.lines if line.get_label() != guide]
        most = float(np.concatenate([line.get_xydata() for line in lines]).max())
        ends = np.array([-0.02, 1.02]) * (1 if most > 0.5 else 1.2 * most or 1)
        axes.set(xlim=ends, ylim=ends, aspect="equal")
        words = "predicted probability", "observed share of positives"
        self._explain(axes, *words, "calibration", "upper left")

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        bins = calibration_bins(curve.staircase, self.n_bins)
        table = bins.rename(columns={"low": "from", "high": "to", "weight": "cases"})
        table["share"] = table.pop("positives") / table["cases"]
        if self.confidence_level is not None:
            share, n = table["share"].to_numpy(), table["cases"].to_numpy()
            table["low"], table["high"] = wilson(share, n, self.confidence_level)
        return table


@dataclass(eq=False, repr=False, kw_only=True)
class DecisionCurveDisplay(CurvesDisplay[DecisionCurve]):
    """Net benefit against the probability from which one acts, with and without abstention.

    A model is worth using where its line lies above acting on all and on none; one that may
    abstain, where it lies above referring all as well.

    Parameters
    ----------
    curves : DecisionCurve, or mapping of name to DecisionCurve
        The classifiers.
    abstain : float, optional
        Price of abstaining, in units of a needed treatment: adds a thin line per classifier for
        its best window, and one for referring all cases. The window is chosen on these very cases,
        so new ones will gain a little less: :func:`cautious.tune` says how much.
    thresholds : pair of float, default=(0, 0.99)
        The range of thresholds to draw.
    confidence_level : float or None, default=0.95
        Of the band around each curve, point by point; None draws none.

    Attributes
    ----------
    lines_, bands_ : list of Line2D, list of PolyCollection
        One per classifier; of three or more, the first alone has a band.
    cautious_lines_ : list of Line2D
        The lines with abstention.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Vickers & Elkin (2006), "Decision curve analysis: a novel method for evaluating prediction
    models", Medical Decision Making 26.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import DecisionCurveDisplay
    >>> display = DecisionCurveDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9], ax=Figure().subplots()
    ... )
    >>> display.frame()[["threshold", "net_benefit", "treat_all"]].iloc[[25, 50]].round(4)
        threshold  net_benefit  treat_all
    25       0.25       0.4444     0.3333
    50       0.50       0.3333     0.0000
    """

    _curve_class = DecisionCurve
    _asks = "probability"
    abstain: float | None = None
    thresholds: tuple[float, float] = (0.0, 0.99)
    confidence_level: float | None = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        ends = as_floats(self.thresholds, "thresholds", "probabilities")
        if ends.shape != (2,) or not 0 <= ends[0] < ends[1] < 1:
            raise ValueError(
                f"thresholds is {self.thresholds}; give two, at least 0, rising, and below 1."
            )

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves = self._renamed(name)
        self.cautious_lines_: list[Any] = []
        tables = {label: self._frame(curve) for label, curve in curves.items()}
        first = next(iter(tables.values()))
        x, guide = first["threshold"], {"color": neutral(), "linewidth": 1}
        axes.plot(x, first["treat_all"], ":", label="positive to all", **guide)
        axes.axhline(0, label="positive to none", **guide)
        if self.abstain is not None:
            refer = f"refer all at {self.abstain:g}"
            axes.plot(x, first["refer_all"], "-.", label=refer, **guide)
        looks = self._looks(axes, tables, style, marker="")
        for label, (table, look) in zip(curves, looks, strict=True):
            band = table[["threshold", "low", "high"]] if "low" in table else None
            line = self._draw_line(axes, x, table["net_benefit"], look, band)
            if "with_abstention" in table:
                faint = {"color": line.get_color(), "linestyle": line.get_linestyle()}
                who = plain_text(label, most=20)
                if self._is_crowded:  # names twice would hide the lines
                    who = "" if self.cautious_lines_ else "each of them"
                text = f"{who}, may abstain at {self.abstain:g}"
                text += "" if self.cautious_lines_ else "\n(windows chosen on these cases)"
                faint["label"] = text if who else ""
                self.cautious_lines_ += axes.plot(x, table["with_abstention"], lw=1, **faint)
        columns = ["net_benefit", "treat_all", "refer_all", "with_abstention"]
        top = max(0.01, float(np.nanmax(pd.concat(tables.values()).filter(columns))))
        axes.set(xlim=self.thresholds, ylim=(-0.15 * top, 1.08 * top))
        words = "threshold: how likely before one acts", "net benefit per case"
        self._explain(axes, *words, "net benefit", "upper right", "small")

    def _frame(self, curve: DecisionCurve) -> pd.DataFrame:
        low, high = self.thresholds
        t = np.round(np.arange(round(100 * low), round(100 * high) + 1) / 100, 2)
        t = np.unique([low, *t[(t >= low) & (t <= high)], high])
        table = curve.frame(t, abstain=self.abstain)
        if self.confidence_level is None:
            return table
        stairs, (negative, positive) = curve.surface.staircase, curve.surface.priors
        worth = [np.full(len(t), positive), negative * (t / (1 - t))]
        sizes, variance = (stairs.n_positives, stairs.n_negatives), np.zeros(len(t))
        for count, n, each in zip(stairs.counts_from(t), sizes, worth, strict=True):
            if n >= 2:
                variance += each**2 * (count / n) * (1 - count / n) / (n - 1)
        half = scipy.stats.norm.ppf((1 + self.confidence_level) / 2) * np.sqrt(variance)
        return table.assign(low=table["net_benefit"] - half, high=table["net_benefit"] + half)


@dataclass(eq=False, repr=False, kw_only=True)
class WindowDisplay(CurvesDisplay[AbstentionCostSurface]):
    """What a window does to the cases of one classifier.

    - ``kind="histogram"``: scores of both classes back to back, with the window that cuts them. The
      positive class stands above the line, the negative one below it, on one scale. Heights are
      square roots of counts, because a window often lies where few scores are, and so that a rare
      class is seen too.
    - ``kind="people"``: a number of cases as marks, by what they are and what the window answers. A
      disc is a right answer, a cross a wrong one, a ring none; the colour says which answer it is.
      Counts are whole and add up. The ranges are Wilson's intervals of the shares.

    The window for costs is chosen on these very cases, so new cases will fare a little worse:
    :func:`cautious.tune` says how much.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of one name to it
        The classifier.
    costs : optional
        The cheapest window for these costs is drawn; any form that
        :meth:`cautious.curves.AbstentionCostSurface.for_costs` takes.
    window : pair of float, optional
        In place of `costs`: the lower and the upper threshold.
    kind : {"histogram", "people"}, default="histogram"
        What to draw.
    people : int, default=1000
        How many cases to draw as marks.
    confidence_level : float or None, default=0.95
        Of the ranges beside the marks; None gives none.

    Attributes
    ----------
    bars_ : pair of BarContainer
        Bars of the positive and of the negative class.
    zones_ : list of Polygon
        Where the answer is negative, none, or positive.
    marks_ : list of Line2D
        One line without a stroke per kind of case.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import WindowDisplay
    >>> display = WindowDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], window=(0.2, 0.8), ax=Figure().subplots()
    ... )
    >>> display.frame().query("positives + negatives > 0")[["positives", "negatives"]]
        positives  negatives
    6         0.0        1.0
    18        1.0        0.0
    24        0.0        1.0
    54        1.0        0.0
    >>> window = (0.2, 0.8)
    >>> WindowDisplay(display.curves, window=window, kind="people", people=8).frame()[
    ...     ["truth", "prediction", "people"]
    ... ]
       truth prediction  people
    0      1          1       2
    1      1          0       0
    2      1          ⊥       2
    3      0          0       2
    4      0          1       0
    5      0          ⊥       2
    """

    _curve_class = AbstentionCostSurface
    costs: CostsLike | None = None
    window: Any = None  # its thresholds; then the window itself
    kind: Literal["histogram", "people"] = "histogram"
    people: int = 1000
    confidence_level: float | None = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.kind, "kind", ("histogram", "people"))
        self._only_one("a window is drawn")
        self.surface: AbstentionCostSurface
        (self.surface,) = self.curves.values()
        if (self.costs is None) == (self.window is None):
            raise ValueError(
                "give either costs, for the cheapest window, or window=(lower, upper)."
            )
        if self.costs is None:
            ends = as_floats(self.window, "window", "thresholds")
            if ends.shape != (2,):
                raise ValueError(f"window is {shown(self.window)}; give two thresholds.")
            self.window = self.surface.window_at(*ends.tolist())
        else:
            self.window = self.surface.for_costs(self.costs)
        as_count(self.people, "people")
        self._size = (7.2, 4.6) if self.kind == "people" else None

    def frame(self) -> pd.DataFrame:
        """Numbers that are drawn: counts of each bar, or of each kind of case."""
        if self.kind == "people":
            return self._cells()
        stairs = self.surface.staircase
        low, high, finite = 0.0, 1.0, stairs.scores[np.isfinite(stairs.scores)]
        if len(finite) and not stairs.are_probabilities:
            low, high = finite[[0, -1]]
        edges = np.histogram_bin_edges(finite, _BARS, (low, high))  # half a unit around one score
        inside = np.clip(stairs.scores, low, high)
        sides = {"positives": stairs.positives, "negatives": stairs.negatives}
        counts = {name: np.histogram(inside, edges, weights=n)[0] for name, n in sides.items()}
        return pd.DataFrame({"low": edges[:-1], "high": edges[1:]} | counts)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        self.bars_: list[Any] = []
        self.zones_: list[Any] = []
        self.marks_: list[Any] = []
        lower, upper = self.window.lower, self.window.upper
        words = f"thresholds {lower:.3g} and {upper:.3g}"
        if lower == upper:
            words = f"threshold {upper:.3g}, no abstention"
        (label,) = self._renamed(name)
        axes.set_title(words if label == UNNAMED else f"{plain_text(label)}: {words}")
        draw = self._draw_histogram if self.kind == "histogram" else self._draw_people
        draw(axes, style)

    def _draw_histogram(self, axes: Any, style: Style) -> None:
        """Draw the scores of both classes as bars, and the zones of the answers behind them."""
        table = self.frame()
        low, high = table["low"].iloc[0], table["high"].iloc[-1]
        lower, upper = np.clip([self.window.lower, self.window.upper], low, high)
        negative, positive = (plain_text(label, most=16) for label in self.window.classes)
        for start, end, colour, alpha, words in (
            (low, lower, _NEGATIVE, 0.08, f"answer {negative}"),
            (lower, upper, neutral(), 0.18, "abstain"),
            (upper, high, _POSITIVE, 0.08, f"answer {positive}"),
        ):
            self.zones_.append(axes.axvspan(start, end, color=colour, alpha=alpha, linewidth=0))
            if end - start > 0.012 * len(words) * (high - low):
                place = {"ha": "center", "va": "center", "fontsize": "small"}
                axes.text((start + end) / 2, 1.12, words, **place)
        most = table[["positives", "negatives"]].to_numpy().max() or 1.0
        counts = sorted({float(f"{share * most:.1g}") for share in (0.1, 0.4, 1.0)})
        least = 1 if most >= 1 else 0  # no part of a case, unless by weights
        ticks = {0.0: "0"}
        look = {"align": "edge", "width": 0.9 * (table["high"] - table["low"])} | style
        sides = ("positives", 1, _POSITIVE, positive), ("negatives", -1, _NEGATIVE, negative)
        for side, way, colour, truth in sides:
            heights, own = way * np.sqrt(table[side] / most), {"label": f"truth {truth}"}
            self.bars_.append(axes.bar(table["low"], heights, **({"color": colour} | own | look)))
            ticks |= {way * np.sqrt(n / most): f"{n:g}" for n in counts if least <= n <= most}
        axes.set_yticks(list(ticks), list(ticks.values()))
        axes.axhline(0, color=neutral(), linewidth=0.8)
        for end in (self.window.lower, self.window.upper):
            if np.isfinite(end):
                axes.axvline(end, color=neutral(), linestyle="--", linewidth=1.2)
        axes.set(xlim=(low, high), ylim=(-1.1, 1.25))
        axes.set(xlabel="score", ylabel="cases (square-root scale)")
        axes.legend(loc="lower right", fontsize="small")

    def _draw_people(self, axes: Any, style: Style) -> None:
        """Draw cases as marks, one block for each true class."""
        columns = max(10, int(np.ceil(np.sqrt(self.people * 1.6))))
        top = 0.0
        for truth, part in self.frame().groupby("truth", sort=False):
            at, total = 0, int(part["people"].sum())
            words = f"{total:,} of {self.people:,} are {plain_text(truth, most=24)}"
            axes.text(-0.5, top + 0.6, words, va="bottom", fontweight="bold", fontsize="small")
            for row in part.to_dict("records"):
                place = at + np.arange(row["people"])
                x, y = place % columns, top - place // columns
                self.marks_ += axes.plot(x, y, **(_mark(row) | style))
                at += row["people"]
            top -= np.ceil(total / columns) + 2.5
        axes.set(xlim=(-1, columns), ylim=(top + 1.5, 2.2), aspect="equal")
        axes.set_axis_off()
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False)
        # However many marks there are, they leave room: how much is known once axes are laid out.
        self.figure_.draw_without_rendering()
        (left, _), (right, _) = axes.transData.transform([(0, 0), (1, 0)])
        size = 0.6 * (right - left) * 72 / axes.figure.dpi
        for line in self.marks_:
            line.set(**({"markersize": size, "markeredgewidth": size / 5} | style))

    def _cells(self) -> pd.DataFrame:
        """Share cases out to truths and answers, in whole numbers."""
        window, (negative, positive) = self.window, self.window.classes
        rest = str(window.frame().index[-1])
        cells = [
            (positive, positive, window.true_positive, "positive", True),
            (positive, negative, window.false_negative, "negative", False),
            (positive, rest, window.abstained_positive, "none", False),
            (negative, negative, window.true_negative, "negative", True),
            (negative, positive, window.false_positive, "positive", False),
            (negative, rest, window.abstained_negative, "none", False),
        ]
        table = pd.DataFrame(cells, columns=["truth", "prediction", "share", "answer", "right"])
        table["people"] = _whole(table["share"].to_numpy(), self.people)
        if self.confidence_level is not None:
            stairs = self.surface.staircase
            n = np.asarray(stairs.n_positives + stairs.n_negatives)
            low, high = wilson(table["share"].to_numpy(), n, self.confidence_level)
            table["low"] = np.minimum(table["people"], np.floor(low * self.people)).astype(int)
            table["high"] = np.maximum(table["people"], np.ceil(high * self.people)).astype(int)
        return table


def _whole(share: Floats, total: int) -> Any:
    """Share cases out in whole numbers that add up: the rest goes to the largest remainders."""
    exact = share / share.sum() * total
    counts = np.floor(exact + 1e-9).astype(int)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: total - counts.sum()]] += 1
    return counts


def _mark(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Choose a mark and its words: a disc is right, a cross wrong, a ring no answer."""
    answered, kind = row["answer"] != "none", "right" if row["right"] else "wrong"
    text = f"told {plain_text(row['prediction'], most=16)}: {kind}" if answered else "no answer"
    ends = f" ({row['low']:,}–{row['high']:,})" if "low" in row else ""
    colour = {"positive": _POSITIVE, "negative": _NEGATIVE, "none": neutral()}[row["answer"]]
    look = {"linestyle": "", "color": colour}
    look["marker"] = "x" if answered and not row["right"] else "o"
    look |= {} if answered else {"markerfacecolor": "none"}
    return look | {"label": f"{row['people']:,} {text}{ends}"}
