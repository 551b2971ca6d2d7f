"""Sets of classes: what they are worth, the strength of a prior, and credal sets as polygons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_codes, check_classes, check_probabilities, check_weight
from cautious._random import check_level, mean_ends
from cautious._typing import Floats, Ints, Labels, as_floats
from cautious.costs import SetCosts
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.displays._display import (
    UNNAMED,
    CurvesDisplay,
    Display,
    Many,
    ModelAnswers,
    OfSets,
    Style,
    around,
    line_styles,
    lower_envelope,
    named,
    neutral,
    plain_text,
    renamed,
)
from cautious.errors import check_kind
from cautious.metrics import discounted_accuracy_score, per_sample, set_cost_score
from cautious.models import (
    CredalModelAveragingClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
)
from cautious.utility import RiskAversionCurve, Utility, crossover
from cautious.utility._forms import UtilityLike, read_utility
from cautious.utility._risk_aversion import Crossover

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZES = (1, 2, 3, 4, 5)
# Legends of longer names have one column only.
_SHORT_NAME = 20
# These read s when they predict, so that one fit serves every strength.
_SWEPT = (NaiveCredalClassifier, LazyNaiveCredalClassifier, CredalModelAveragingClassifier)
_STRENGTHS = tuple(np.logspace(-3, 1, 17).tolist())
# The corner of each class; the sides have length one.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_TICKS = (0.2, 0.4, 0.6, 0.8)


class UtilityDisplay(Display):
    """What sets of classes are worth: right ones under utilities, or the cheapest under costs.

    - Of utilities it shows what a right answer of several classes is worth. Markers stand at right
      sets of one to five classes. The thin diagonal is discounted accuracy itself, which rewards
      caution no more than luck.
    - Of costs it shows which set costs least as a probability moves, a strip for each way of
      costing. The class distribution moves in a straight line, for two classes from being sure of
      the first to being sure of the second. The expected cost of every set is then a straight line
      too, and the cheapest changes at points that are found exactly.

    Parameters
    ----------
    utilities : utility, sequence of utilities, or mapping of name to utility
        What :func:`cautious.utility.as_utility` takes; or SetCosts of the same classes, one or
        several by name.
    start, end : array-like of shape (K,), optional
        For costs, the distributions at both ends; needed for more than two classes.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per utility.
    bars_ : list of BarContainer
        The strips.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), figures 2 and 8; Yang, Destercke & Masson (2017), Example 7 and
    figure 2, for strips.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import UtilityDisplay
    >>> display = UtilityDisplay(["u65", "u80", "F1"]).plot(Figure().subplots())
    >>> display.frame().query("classes == 2").round(3)
       utility  discounted_accuracy  classes  value
    1      u65                  0.5        2  0.650
    6      u80                  0.5        2  0.800
    11      F1                  0.5        2  0.667

    Two tables of costs of Yang et al., for the classes h and n:

    >>> import pandas as pd
    >>> from cautious.costs import SetCosts
    >>> sets, classes = ["{h}", "{n}", "{h, n}"], ["h", "n"]
    >>> table_6 = pd.DataFrame([[0, 2], [4, 0], [0.5, 0.5]], index=sets, columns=classes)
    >>> table_7 = pd.DataFrame([[0, 2], [4, 0], [0.25, 0.75]], index=sets, columns=classes)
    >>> costs = {"VI": SetCosts.from_table(table_6), "VII": SetCosts.from_table(table_7)}
    >>> UtilityDisplay(costs).plot(Figure().subplots()).frame().round(4)
      costs   start     end  answer
    0    VI  0.0000  0.2500     {h}
    1    VI  0.2500  0.8750  {h, n}
    2    VI  0.8750  1.0000     {n}
    3   VII  0.0000  0.1667     {h}
    4   VII  0.1667  0.8333  {h, n}
    5   VII  0.8333  1.0000     {n}
    """

    def __init__(
        self,
        utilities: UtilityLike | SetCosts | Sequence[UtilityLike] | Mapping[Any, Any],
        *,
        start: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
    ) -> None:
        self.utilities: dict[Any, Utility] = {}
        self.costs: dict[Any, SetCosts] = {}
        several = utilities.values() if isinstance(utilities, Mapping) else [utilities]
        if any(isinstance(each, SetCosts) for each in several):
            self._take_costs(named(utilities), start, end)
            return
        if start is not None or end is not None:
            raise ValueError("start and end are for costs of sets; give SetCosts with them.")
        if isinstance(utilities, Mapping):
            self.utilities = {name: read_utility(u) for name, u in utilities.items()}
        else:
            alone = isinstance(utilities, str) or not isinstance(utilities, Sequence)
            listed: Any = [utilities] if alone else utilities
            self.utilities = {u.name: u for u in map(read_utility, listed)}
        if not self.utilities:
            raise ValueError("utilities is empty; give at least one utility to draw.")

    def _take_costs(
        self, costs: dict[Any, SetCosts], start: npt.ArrayLike | None, end: npt.ArrayLike | None
    ) -> None:
        """Check ways of costing, and the ends of the way between distributions."""
        self.costs = costs
        for each in self.costs.values():
            check_kind(each, SetCosts, "costs", "SetCosts, or several by name")
        labels = {each.labels for each in self.costs.values()}
        if len(labels) > 1:
            raise ValueError(
                "costs is about different classes; strips can only be compared for the same ones."
            )
        (self.classes,) = labels
        if (start is None or end is None) and len(self.classes) != 2:
            raise ValueError(
                f"costs is about {len(self.classes)} classes; give the distributions start= and "
                "end= between which to move."
            )
        self.named_ends = start is not None or end is not None
        k, given = len(self.classes), {"start": start, "end": end}
        ends = [
            check_probabilities(np.array([certain if p is None else p]), name=name, n_classes=k)
            for (name, p), certain in zip(given.items(), np.eye(2), strict=True)
        ]
        self.ends = np.concatenate(ends)
        self._size = (6.4, 1.7 + 0.75 * len(self.costs))

    def frame(self) -> pd.DataFrame:
        """Worth of a right set of one to five classes, or the cheapest sets along each strip."""
        if self.costs:
            parts = []
            for name, costs in self.costs.items():
                table = costs.table()
                pieces = lower_envelope(*(table.to_numpy() @ self.ends.T).T)
                for (start, row), (stop, _) in pairwise([*pieces, (1.0, 0)]):
                    parts.append((name, start, stop, table.index[row]))
            return pd.DataFrame(parts, columns=["costs", "start", "end", "answer"])
        size = np.array(_SIZES)
        right = {"discounted_accuracy": 1 / size, "classes": size}
        tables = [
            pd.DataFrame({"utility": name} | right | {"value": utility(1 / size)})
            for name, utility in self.utilities.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        self.bars_: list[Any] = []
        (self._draw_strips if self.costs else self._draw_utilities)(axes, name, style)

    def _draw_utilities(self, axes: Any, name: Any, style: Style) -> None:
        """Draw a line per utility."""
        utilities = renamed(self.utilities, name, "utilities")
        axes.plot([0, 1], [0, 1], color=neutral(), linewidth=0.8, alpha=0.6)
        # Ends of the way between markers are the markers themselves.
        marks = np.array([0.0, *(1 / size for size in reversed(_SIZES))])
        x = np.unique(np.concatenate([marks, np.linspace(0, 1, 201)]))
        at = np.searchsorted(x, marks[1:]).tolist()
        for utility, look in self._looks(axes, utilities, style, markevery=at, markersize=5):
            self._draw_line(axes, x, utility(x), look)
        ticks = {"0\nwrong": 0.0} | {f"1/{size}" if size > 1 else "1": 1 / size for size in _SIZES}
        axes.set_xticks(list(ticks.values()), list(ticks))
        words = "right set of k classes: discounted accuracy 1/k", "utility"
        self._explain(axes, *words, "what a right set is worth", "lower right")

    def _draw_strips(self, axes: Any, name: Any, style: Style) -> None:
        """Draw a strip per way of costing."""
        from matplotlib import colormaps, rcParams

        table = self.frame()
        answers = table["answer"].unique()
        shades = colormaps[rcParams["image.cmap"]](np.linspace(0.05, 0.95, len(answers)))
        shade_of = dict(zip(answers, shades, strict=True))
        unnamed = list(self.costs) == [UNNAMED]
        names = [] if unnamed else [plain_text(way, most=24) for way in self.costs]
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=(0, 1), ylim=(len(self.costs) - 0.4, -0.5), xlabel=self._words())
        self.figure_.draw_without_rendering()  # only now is it known how wide the strips are
        unwritten: dict[str, Any] = {}
        for row, way in enumerate(self.costs):
            parts = table[table["costs"] == way]
            colours = [shade_of[answer] for answer in parts["answer"]]
            look = {"height": 0.5, "color": colours, "edgecolor": neutral(), "linewidth": 0.8}
            look |= {"left": parts["start"]} | style
            width = parts["end"] - parts["start"]
            self.bars_.append(axes.barh([row] * len(parts), width, **look))
            unwritten = self._write(axes, row, parts["answer"], shade_of) | unwritten
        title = "the cheapest answer" if name is None else plain_text(name)
        if not unwritten:
            axes.set_title(title)
            return
        n_columns = 2 if max(map(len, unwritten)) <= _SHORT_NAME else 1
        if self._has_own_figure:  # the legend stands above the strips, and needs room
            rows = -(-len(unwritten) // n_columns) + 1
            self.figure_.set_figheight(self.figure_.get_figheight() + 0.4 + 0.25 * rows)
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1.02)}
        axes.legend(unwritten.values(), unwritten.keys(), title=title, ncols=n_columns, **place)

    def _write(
        self, axes: Any, row: int, answers: pd.Series[Any], shade_of: dict[str, Floats]
    ) -> dict[str, Any]:
        """Write answers and boundaries where there is room; give the other answers' bars."""
        unwritten: dict[str, Any] = {}
        end_of_last = -np.inf
        for bar, answer in zip(self.bars_[row], answers, strict=True):
            words, start = plain_text(answer), bar.get_x()
            is_light = np.dot(shade_of[answer][:3], [0.299, 0.587, 0.114]) > 0.5
            look = {"ha": "center", "va": "center", "color": "black" if is_light else "white"}
            text = axes.text(start + bar.get_width() / 2, row, words, **look)
            if text.get_window_extent().width > 0.94 * bar.get_window_extent().width:
                text.remove()
                unwritten.setdefault(words, bar)
            if start == 0:
                continue
            number = f"{start:.3f}".rstrip("0")
            text = axes.text(start, row + 0.28, number, ha="center", va="top", size="small")
            place = text.get_window_extent()
            if place.x0 < end_of_last:
                text.remove()
            else:
                end_of_last = place.x1 + 3
        return unwritten

    def _words(self) -> str:
        names = [plain_text(label, most=12) for label in self.classes]
        if not self.named_ends:
            return f"probability of {plain_text(self.classes[1])}"
        first, last = (
            ", ".join(f"{name}: {p:.2g}" for name, p in zip(names, end, strict=True))
            for end in self.ends
        )
        return f"way from ({first})\nto ({last})"


@dataclass(eq=False, repr=False, kw_only=True)
class RiskAversionDisplay(OfSets, CurvesDisplay[RiskAversionCurve]):
    r"""Mean utility :math:`u_k` of set-valued classifiers over the value k of a right pair.

    The lines are straight. Where the best classifier changes, at :math:`k^*`, the crossing is
    marked: left of it a bolder classifier is better, right of it a more cautious one.

    Parameters
    ----------
    curves : RiskAversionCurve, or mapping of name to RiskAversionCurve
        The classifiers, judged on the same examples.
    crossover : Crossover, optional
        Crossover of the two classifiers with its confidence interval, which is then shaded.
        :meth:`from_predictions` and its siblings compute it where there are two.
    bands : mapping of name to DataFrame, optional
        Columns ``risk_aversion``, ``low`` and ``high``: bands that are shaded around the lines.
        :meth:`from_predictions` and its siblings compute them, point by point, at
        `confidence_level`.

    Attributes
    ----------
    lines_, bands_ : list of Line2D, list of PolyCollection
        One per classifier; of three or more, the first alone has a band.
    crossings_ : list of Line2D
        The marks.
    ax_, figure_
        Where it was drawn.

    Notes
    -----
    :meth:`from_predictions`, :meth:`from_estimator` and :meth:`from_cv_results` take prediction
    sets, or estimators with ``predict_set``, and further `classes`, `empty`, `sample_weight`, and
    `n_resamples`, `confidence_level` and `random_state` of the bootstrap. The bands are t intervals
    of mean utilities.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9, for the utilities.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import RiskAversionDisplay
    >>> curves = {"bold": RiskAversionCurve(0.7, 0.0), "cautious": RiskAversionCurve(0.65, 0.1)}
    >>> display = RiskAversionDisplay(curves).plot(Figure().subplots())
    >>> display.crossings().round(3)
           k  utility below     above
    0  0.625      0.7  bold  cautious
    """

    _curve_class = RiskAversionCurve
    crossover: Crossover | None = None
    bands: Mapping[Any, pd.DataFrame] = field(default_factory=dict)

    @classmethod
    def _of(cls, answers: dict[Any, ModelAnswers], **options: Any) -> Self:
        keys = ("n_resamples", "confidence_level", "random_state")
        resampling = {key: options.pop(key) for key in keys if key in options}
        level = check_level(resampling.get("confidence_level", 0.95))
        earned, curves, bands, found = [], {}, {}, None
        for name, answer in answers.items():
            x, weight, truth = _earned(answer, **answer.known, **options)
            earned.append((x, weight))
            curves[name] = RiskAversionCurve.from_accuracies(x, sample_weight=weight)
            bands[name] = _band(x, weight, level)
        if len(earned) == 2:
            (x, weight), (y, other) = earned
            parallel = np.ptp([curve.hedging for curve in curves.values()]) <= 1e-12
            if not parallel and np.array_equal(weight, other):
                found = crossover(x, y, sample_weight=weight, strata=truth, **resampling)
        return cls(curves, crossover=found, bands=bands)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves = self._renamed(name)
        looks = self._looks(axes, curves, style, marker="")
        for key, (curve, look) in zip(self.curves, looks, strict=True):
            ends, band = curve.frame(), self.bands.get(key)
            if band is not None:
                band = band[["risk_aversion", "low", "high"]]
            self._draw_line(axes, ends["risk_aversion"], ends["utility"], look, band)
        self.crossings_: list[Any] = []
        ring = {"color": neutral(), "markersize": 9, "fillstyle": "none", "markeredgewidth": 1.8}
        for k, utility, _, above in self.crossings().itertuples(index=False):
            text = f"from k* = {k:.3f}: {plain_text(above)}"
            if self.crossover is not None:
                found = self.crossover.k
                inside = np.clip([found.low, found.high], 0.5, 1.0)
                axes.axvspan(*inside, color=neutral(), alpha=0.12, lw=0)
                level = 100 * found.confidence_level
                text += f"\n({level:g} % interval {found.low:.3f} to {found.high:.3f})"
            self.crossings_ += axes.plot(k, utility, "o", label=text, **ring)
        ticks = {0.5: "0.5\ndiscounted\naccuracy", 0.65: "0.65\nu65", 0.8: "0.8\nu80", 1.0: "1"}
        axes.set_xticks(list(ticks), list(ticks.values()))
        words = "utility k of a right set of two classes", "mean utility"
        self._explain(axes, *words, "mean utility at every aversion to risk", "lower right")

    def crossings(self) -> pd.DataFrame:
        """Where the best of all classifiers changes: k*, the utility there, and who is best."""
        names, rows = list(self.curves), []
        ends = np.array([curve([0.5, 1.0]) for curve in self.curves.values()])
        for (_, before), (start, line) in pairwise(lower_envelope(*-ends.T)):
            k = 0.5 + start / 2
            rows.append((k, float(self.curves[names[line]](k)), names[before], names[line]))
        return pd.DataFrame(rows, columns=["k", "utility", "below", "above"])

    def _frame(self, curve: RiskAversionCurve) -> pd.DataFrame:
        return curve.frame((0.5, 0.65, 0.8, 1.0))


def _band(x: Floats, weight: Floats, level: float) -> pd.DataFrame:
    """T intervals of the mean utility at many degrees of risk aversion; weights count cases."""
    k, n = np.linspace(0.5, 1, 21), float(weight.sum())
    worth = x + (4 * k[:, None] - 2) * x * (1 - x)
    low, high = mean_ends(worth @ weight / n, worth**2 @ weight / n, weight.sum(), level)
    ends = {"low": np.maximum(low, 0), "high": np.minimum(high, 1)}
    return pd.DataFrame({"risk_aversion": k} | ends)


def _earned(
    answer: ModelAnswers, *, sample_weight: Any = None, **options: Any
) -> tuple[Floats, Floats, Any]:
    """Discounted accuracy of each prediction, how often it counts, and its truth."""
    x = per_sample(discounted_accuracy_score)(answer.truth, answer.outputs, **options)
    weight = check_weight(sample_weight, len(x))
    if answer.rows is None:
        return x, weight, answer.truth
    # In the order of the data, so that two cross-validations can be compared case by case.
    order = np.argsort(answer.rows, kind="stable")
    return x[order], weight[order], answer.truth[order]


class PriorStrengthDisplay(OfSets):
    """Mean cost of a credal classifier against the strength s of its prior, on a logarithmic axis.

    The larger s, the more cautious the classifier. A star marks the cheapest s of each line.

    The class methods take `costs`: SetCosts, or several by name, a line each. Prediction sets are
    given by their s. A fitted classifier is not fitted again: a naive credal classifier, its lazy
    sibling and credal model averaging read s when they predict. Its strengths are `s`, by default
    17 from .001 to 10, and the classes of its costs are in the order of ``classes_``.

    Parameters
    ----------
    table : DataFrame
        Mean costs: one row per strength, which is the index, and one column per way of costing.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per way of costing.
    best_ : list of Line2D
        The stars.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Yang, Destercke & Masson (2017), figure 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.costs import ordinal, p_discounted
    >>> from cautious.displays import PriorStrengthDisplay
    >>> sets = {0.1: [[0], [0], [1]], 1.0: [[0], [0, 1], [1, 2]], 10.0: [[0, 1, 2]] * 3}
    >>> costs = {"r = 0.5": p_discounted(ordinal(3), r=0.5)}
    >>> PriorStrengthDisplay.from_predictions(
    ...     [0, 1, 2], sets, costs=costs, ax=Figure().subplots()).frame().round(3)
          r = 0.5
    s
    0.1     0.667
    1.0     0.167
    10.0    0.580
    """

    _title: str | None = None

    def __init__(self, table: pd.DataFrame) -> None:
        check_kind(table, pd.DataFrame, "table", "a frame")
        if not len(table) or not len(table.columns):
            raise ValueError(
                "table is empty; give a row per strength and a column per way of costing."
            )
        strengths = as_floats(table.index, "table", "strengths")
        if not (strengths > 0).all():
            raise ValueError(
                f"table has the strength {strengths.min()}; they must be positive, for the axis is "
                "logarithmic."
            )
        self.table: pd.DataFrame = table.sort_index()

    @classmethod
    def _ask(
        cls, sources: Mapping[Any, Any], X: Any, y: Any, options: dict[str, Any], *, pooled: bool
    ) -> dict[Any, ModelAnswers]:
        if len(sources) > 1:
            raise ValueError(f"there are {len(sources)} classifiers; strengths are drawn of one.")
        ((name, source),) = sources.items()
        if pooled and "estimator" not in source:
            raise ValueError("cv_results holds no estimators; pass return_estimator=True.")
        models, swept = source["estimator"] if pooled else [source], {}
        for model in models:
            if not isinstance(model, _SWEPT):
                raise TypeError(
                    f"estimator is a {type(model).__name__}, whose s cannot be changed after "
                    "fitting; fit one for every s and use from_predictions."
                )
        for s in options.pop("s", _STRENGTHS):
            changed = [copy(model).set_params(s=float(s)) for model in models]
            swept[s] = {**source, "estimator": changed} if pooled else changed[0]
        options["title"] = name
        return super()._ask(swept, X, y, options, pooled=pooled)

    @classmethod
    def _of(
        cls,
        answers: dict[Any, ModelAnswers],
        *,
        costs: SetCosts | Mapping[Any, SetCosts] | None = None,
        title: str | None = None,
        **options: Any,
    ) -> Self:
        if costs is None:
            raise TypeError("costs is missing; give SetCosts, or several by name.")
        ways = named(costs, "cost" if isinstance(costs, SetCosts) else None)
        table = {
            way: {
                s: set_cost_score(a.truth, a.outputs, costs=costs, **a.known, **options)
                for s, a in answers.items()
            }
            for way, costs in ways.items()
        }
        display = cls(pd.DataFrame(table).rename_axis("s"))
        display._title = title
        return display

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        strengths = np.asarray(self.table.index, dtype=np.float64)
        self.best_: list[Any] = []
        ways = {way: costs.to_numpy() for way, costs in self.table.items()}
        for costs, look in self._looks(axes, ways, style, markersize=4):
            line, at = self._draw_line(axes, strengths, costs, look), int(costs.argmin())
            star = {"color": line.get_color(), "markersize": 13}
            self.best_ += axes.plot(strengths[at], costs[at], "*", **star)
        axes.set_xscale("log")
        words = "strength s of the prior (the larger, the more cautious)"
        name = self._title if name is None else name
        title = "" if name is None else f"{plain_text(name)}: "
        title += "costs as the prior gets stronger"
        self._explain(axes, words, "mean cost of a prediction", title, "upper left")

    def frame(self) -> pd.DataFrame:
        """Mean costs: one row per strength, one column per way of costing."""
        return self.table.copy()


class CredalTriangleDisplay(Display):
    """Credal sets of three classes as polygons, with single distributions as points.

    Every point of the triangle is a class distribution; a corner is being sure of its class, and
    the numbers along the sides are probabilities of the class towards which they grow.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets, over three classes.
    points : array-like of shape (n, 3), optional
        Distributions to draw as well, such as precise predictions.
    classes : sequence of length 3, optional
        Names of the classes.
    truth : array-like of shape (n,), optional
        True classes; the sets are then drawn in a colour and with dashes per class.

    Attributes
    ----------
    polygons_ : list of Polygon
        One per credal set.
    points_ : list of Line2D
        The distributions, one artist per class if the truth is known.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Yang, Destercke & Masson (2017), Example 3, for the credal set below.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CredalTriangleDisplay
    >>> obstacles = ([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])
    >>> CredalTriangleDisplay(obstacles, classes=["human", "bicycle", "nothing"]).plot(
    ...     Figure().subplots()).frame()
       row  human  bicycle  nothing
    0    0    0.0      0.4      0.6
    1    0    0.1      0.3      0.6
    2    0    0.2      0.3      0.5
    3    0    0.2      0.4      0.4
    """

    def __init__(
        self,
        intervals: IntervalsLike,
        *,
        points: npt.ArrayLike | None = None,
        classes: Many | None = None,
        truth: Many | None = None,
    ) -> None:
        self.intervals: ProbabilityIntervals = as_intervals(intervals)
        if self.intervals.n_classes != 3:
            raise ValueError(
                f"intervals is over {self.intervals.n_classes} classes; a triangle has room for "
                "three."
            )
        given = ["first class", "second class", "third class"] if classes is None else classes
        self.classes: Labels = check_classes(given, name="classes")
        if len(self.classes) != 3:
            raise ValueError(f"classes holds {len(self.classes)} names; give three.")
        given_points = np.empty((0, 3)) if points is None else points
        self.points: Floats = check_probabilities(given_points, name="points", n_classes=3)
        self.truth: Ints | None = None
        if truth is not None:
            self.truth = as_codes(np.asarray(truth), self.classes, name="truth")
            for name, rows in (("intervals", self.intervals), ("points", self.points)):
                if len(rows) not in (0, len(self.truth)):
                    raise ValueError(
                        f"truth has {len(self.truth)} rows and {name} {len(rows)}; "
                        "give one of each per example."
                    )

    @classmethod
    def from_predictions(
        cls,
        y_true: Many | None,
        intervals: IntervalsLike,
        *,
        points: npt.ArrayLike | None = None,
        classes: Many | None = None,
        ax: Axes | None = None,
        **drawn: Any,
    ) -> Self:
        """Draw predicted credal sets.

        Parameters
        ----------
        y_true : array-like of shape (n,) or None
            True labels, if they are to be shown.
        intervals : ProbabilityIntervals or tuple (lower, upper)
            Predicted bounds.
        points : array-like of shape (n, 3), optional
            Predicted distributions.
        classes : sequence of length 3, optional
            Class labels in column order; by default the sorted labels of `y_true`.
        ax, **drawn
            As in ``plot``: `name` and `curve_kwargs`.

        Returns
        -------
        display
            Drawn already.
        """
        if classes is None and y_true is not None:
            classes = np.unique(np.asarray(y_true))
        display = cls(intervals, points=points, classes=classes, truth=y_true)
        return display.plot(ax, **drawn)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Many | None = None,
        *,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the credal sets that a fitted credal classifier predicts.

        Parameters
        ----------
        estimator : fitted credal classifier
            With ``predict_proba_bounds`` and three classes.
        X : array-like
            Examples.
        y : array-like of shape (n,), optional
            Their true labels, if they are to be shown.
        name : str, optional
            Title; by default the class of the estimator.
        **options
            `ax` and `curve_kwargs` of ``plot``.

        Returns
        -------
        display
            Drawn already.
        """
        if not hasattr(estimator, "predict_proba_bounds"):
            raise TypeError(
                f"{type(estimator).__name__} has no predict_proba_bounds; a triangle shows credal "
                "classifiers, such as cautious.models.NaiveCredalClassifier."
            )
        points = estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else None
        bounds, title = tuple(estimator.predict_proba_bounds(X)), type(estimator).__name__
        known = {"points": points, "classes": estimator.classes_, "name": name or title}
        return cls.from_predictions(y, bounds, **known, **options)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        from matplotlib.patches import Polygon

        self._draw_triangle(axes)
        looks, unknown = line_styles(3), self.truth is None
        codes = np.zeros(len(self.intervals), dtype=np.intp) if self.truth is None else self.truth
        shade = float(np.clip(3 / max(len(self.intervals), 1), 0.08, 0.35))
        self.polygons_: list[Any] = []
        for vertices, code in zip(self.intervals.vertices(), codes, strict=True):
            colour, dashes = looks[code]["color"], looks[code]["linestyle"]
            look = {"facecolor": (colour, shade), "edgecolor": colour, "linestyle": dashes} | style
            self.polygons_.append(axes.add_patch(Polygon(around(vertices @ _CORNERS), **look)))
        self.points_: list[Any] = []
        places = self.points @ _CORNERS
        for code in [0] if unknown else np.unique(codes):
            chosen = places if unknown or not len(places) else places[codes == code]
            text = "" if unknown else plain_text(self.classes[code], most=16)
            look = looks[code] | {"linestyle": "", "markersize": 4, "label": text}
            self.points_ += axes.plot(*chosen.T, **look)
        if self.truth is not None:
            axes.legend(loc="upper left", title="true class", fontsize="small")
        axes.set_title("credal sets of three classes" if name is None else plain_text(name))

    def _draw_triangle(self, axes: Any) -> None:
        """Outline, grid lines with their probabilities, and the names of the corners."""
        axes.set_axis_off()
        axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.14, 1.0))
        for at, corner in enumerate(_CORNERS):
            sides = _CORNERS[[at - 1, at - 2]]
            # Probabilities of this class stand on the side that leads to it from the class before.
            outwards = (sides[0] + corner) / 2 - _CORNERS.mean(axis=0)
            for p in _TICKS:
                ends = p * corner + (1 - p) * sides
                axes.plot(*ends.T, color=neutral(), alpha=0.2, lw=0.7)
                place = ends[0] + 0.12 * outwards
                axes.text(*place, f"{p:g}", ha="center", va="center", size="small", alpha=0.8)
        axes.plot(*_CORNERS[[0, 1, 2, 0]].T, color=neutral(), lw=1.2)
        for label, place in zip(self.classes, [(0, -0.08), (1, -0.08), (0.5, 0.91)], strict=True):
            text = plain_text(label, most=20)
            axes.text(*place, text, ha="center", va="center", weight="bold")

    def frame(self) -> pd.DataFrame:
        """Vertices of the credal sets: the row each belongs to, and its three probabilities."""
        vertices = self.intervals.vertices()
        rows = np.repeat(np.arange(len(vertices)), [len(each) for each in vertices])
        table = pd.DataFrame(np.concatenate(vertices), columns=list(self.classes))
        table.insert(0, "row", rows)
        return table
