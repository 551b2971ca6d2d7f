"""What sets of classes are worth: utilities, risk aversion, and the strength of a prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._checks import check_probabilities, check_weight
from cautious._random import check_level
from cautious._typing import Floats, as_floats
from cautious.costs import SetCosts
from cautious.displays._display import (
    UNNAMED,
    CurvesDisplay,
    Display,
    ModelAnswers,
    OfSets,
    Style,
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
    from typing import Self

_SIZES = (1, 2, 3, 4, 5)
# Legends of longer names have one column only.
_SHORT_NAME = 20
# These read s when they predict, so that one fit serves every strength.
_SWEPT = (NaiveCredalClassifier, LazyNaiveCredalClassifier, CredalModelAveragingClassifier)
_STRENGTHS = tuple(np.logspace(-3, 1, 17).tolist())


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
            if isinstance(utilities, str) or not isinstance(utilities, Sequence):
                utilities = [utilities]  # type: ignore[list-item]
            self.utilities = {u.name: u for u in map(read_utility, utilities)}
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
        ends = {
            "start": [1.0, 0.0] if start is None else np.asarray(start),
            "end": [0.0, 1.0] if end is None else np.asarray(end),
        }
        k = len(self.classes)
        self.ends = np.concatenate(
            [check_probabilities(np.array([p]), name=name, n_classes=k) for name, p in ends.items()]
        )
        self._size = (6.4, 1.7 + 0.75 * len(self.costs))

    def frame(self) -> pd.DataFrame:
        """Worth of a right set of one to five classes, or the cheapest sets along each strip."""
        if self.costs:
            return self._parts()
        size = np.array(_SIZES)
        right = {"discounted_accuracy": 1 / size, "classes": size}
        tables = [
            pd.DataFrame({"utility": name} | right | {"value": utility(1 / size)})
            for name, utility in self.utilities.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def _parts(self) -> pd.DataFrame:
        """Parts of each strip: where it starts and ends, and the set that costs least there."""
        parts = []
        for name, costs in self.costs.items():
            table = costs.table()
            expected: Floats = table.to_numpy() @ self.ends.T
            pieces = lower_envelope(expected[:, 0], expected[:, 1])
            stops = [start for start, _ in pieces[1:]] + [1.0]
            parts += [
                (name, start, stop, table.index[row])
                for (start, row), stop in zip(pieces, stops, strict=True)
            ]
        return pd.DataFrame(parts, columns=["costs", "start", "end", "answer"])

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        self.bars_: list[Any] = []
        draw = self._draw_strips if self.costs else self._draw_utilities
        draw(axes, name, style)

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
        answers = list(dict.fromkeys(table["answer"]))
        shades = colormaps[rcParams["image.cmap"]](np.linspace(0.05, 0.95, len(answers)))
        shade_of = dict(zip(answers, shades, strict=True))
        for row, way in enumerate(self.costs):
            parts = table[table["costs"] == way]
            colours = [shade_of[answer] for answer in parts["answer"]]
            look = {"height": 0.5, "color": colours, "edgecolor": neutral(), "linewidth": 0.8}
            look |= {"left": parts["start"]} | style
            width = parts["end"] - parts["start"]
            self.bars_.append(axes.barh([row] * len(parts), width, **look))
        unnamed = list(self.costs) == [UNNAMED]
        names = [] if unnamed else [plain_text(way, most=24) for way in self.costs]
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=(0, 1), ylim=(len(self.costs) - 0.4, -0.5), xlabel=self._words())
        unwritten = self._write(axes, table, shade_of)
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

    def _write(self, axes: Any, table: pd.DataFrame, shade_of: dict[str, Floats]) -> dict[str, Any]:
        """Write answers and boundaries where there is room; give the other answers' bars."""
        self.figure_.draw_without_rendering()  # only now is it known how wide the strips are
        unwritten: dict[str, Any] = {}
        for row, (way, bars) in enumerate(zip(self.costs, self.bars_, strict=True)):
            parts = table[table["costs"] == way]
            end_of_last = -np.inf
            for bar, start, answer in zip(bars, parts["start"], parts["answer"], strict=True):
                words = plain_text(answer)
                middle = bar.get_x() + bar.get_width() / 2
                ink = _ink_on(shade_of[answer])
                text = axes.text(middle, row, words, ha="center", va="center", color=ink)
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
            ", ".join(f"{name} {p:.2g}" for name, p in zip(names, end, strict=True))
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

    crossover: Crossover | None = None
    bands: Mapping[Any, pd.DataFrame] = field(default_factory=dict)

    @classmethod
    def _of(cls, answers: dict[Any, ModelAnswers], **options: Any) -> Self:
        keys = ("n_resamples", "confidence_level", "random_state")
        resampling = {key: options.pop(key) for key in keys if key in options}
        earned = {
            name: _earned(answer, **answer.known, **options) for name, answer in answers.items()
        }
        curves = {
            name: RiskAversionCurve.from_accuracies(x, sample_weight=weight)
            for name, (x, weight, _) in earned.items()
        }
        found = None
        if len(earned) == 2:
            (x, weight, truth), (y, other, _) = earned.values()
            parallel = np.ptp([curve.hedging for curve in curves.values()]) <= 1e-12
            if not parallel and np.array_equal(weight, other):
                found = crossover(x, y, sample_weight=weight, strata=truth, **resampling)
        level = check_level(resampling.get("confidence_level", 0.95))
        bands = {name: _band(x, weight, level) for name, (x, weight, _) in earned.items()}
        return cls(curves, crossover=found, bands=bands)

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
        curves = self._renamed(name)
        looks = self._looks(axes, curves, style, marker="")
        for key, (curve, look) in zip(self.curves, looks, strict=True):
            ends = curve.frame()
            columns = ["risk_aversion", "low", "high"]
            band = self.bands[key][columns].to_numpy().T if key in self.bands else None
            self._draw_line(axes, ends["risk_aversion"], ends["utility"], look, band)
        self.crossings_: list[Any] = []
        ring = {"color": neutral(), "markersize": 9, "fillstyle": "none", "markeredgewidth": 1.8}
        for k, utility, _, above in self.crossings().itertuples(index=False):
            text = f"{plain_text(above)} best from k* = {k:.3f}"
            if self.crossover is not None:
                found = self.crossover.k
                inside = np.clip([found.low, found.high], 0.5, 1.0)
                axes.axvspan(*inside, color=neutral(), alpha=0.12, lw=0)
                share = f"{found.confidence_level:.0%}"
                text += f"\n({share} interval {found.low:.3f} to {found.high:.3f})"
            self.crossings_ += axes.plot(k, utility, "o", label=text, **ring)
        ticks = {0.5: "0.5\ndiscounted\naccuracy", 0.65: "0.65\nu65", 0.8: "0.8\nu80", 1.0: "1"}
        axes.set_xticks(list(ticks), list(ticks.values()))
        words = "utility k of a right set of two classes", "mean utility"
        self._explain(axes, *words, "mean utility at every aversion to risk", "lower right")

    def crossings(self) -> pd.DataFrame:
        """Where the best of all classifiers changes: k*, the utility there, and who is best."""
        names = list(self.curves)
        ends = np.array([curve([0.5, 1.0]) for curve in self.curves.values()])
        rows = []
        for (_, before), (start, line) in pairwise(lower_envelope(-ends[:, 0], -ends[:, 1])):
            k = 0.5 + start / 2
            rows.append((k, float(self.curves[names[line]](k)), names[before], names[line]))
        return pd.DataFrame(rows, columns=["k", "utility", "below", "above"])

    def _frame(self, curve: RiskAversionCurve) -> pd.DataFrame:
        return curve.frame((0.5, 0.65, 0.8, 1.0))


def _band(x: Floats, weight: Floats, level: float) -> pd.DataFrame:
    """T intervals of the mean utility at many degrees of risk aversion; weights count cases."""
    k, n = np.linspace(0.5, 1, 21), float(weight.sum())
    worth = x + (4 * k[:, None] - 2) * x * (1 - x)
    mean = worth @ weight / n
    variance = (worth - mean[:, None]) ** 2 @ weight / max(n - 1, 1)
    half = stats.t.ppf((1 + level) / 2, max(n - 1, 1)) * np.sqrt(variance / n)
    ends = {"low": np.maximum(mean - half, 0), "high": np.minimum(mean + half, 1)}
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
                "table is empty; give one row per strength and one column per way of costing."
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
        swept = {}
        for strength in options.pop("s", _STRENGTHS):
            if pooled:
                models = [_of_strength(model, strength) for model in source["estimator"]]
                swept[strength] = {**source, "estimator": models}
            else:
                swept[strength] = _of_strength(source, strength)
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
        rows = {
            s: {
                way: set_cost_score(a.truth, a.outputs, costs=costs, **a.known, **options)
                for way, costs in ways.items()
            }
            for s, a in answers.items()
        }
        display = cls(pd.DataFrame.from_dict(rows, orient="index").rename_axis("s"))
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
        words = (
            "strength s of the prior (the larger, the more cautious)",
            "mean cost of a prediction",
        )
        name = self._title if name is None else name
        title = "" if name is None else f"{plain_text(name)}: "
        self._explain(axes, *words, f"{title}costs as the prior gets stronger", "upper left")

    def frame(self) -> pd.DataFrame:
        """Mean costs: one row per strength, one column per way of costing."""
        return self.table.copy()


def _of_strength(estimator: Any, s: float) -> Any:
    """Give the fitted classifier another strength."""
    if not isinstance(estimator, _SWEPT):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}, whose s cannot be changed after fitting; "
            "fit one for every s and use from_predictions."
        )
    return copy(estimator).set_params(s=float(s))


def _ink_on(shade: Floats) -> str:
    """Black or white, whichever can be read on a colour."""
    lightness = float(np.dot(shade[:3], [0.299, 0.587, 0.114]))
    return "black" if lightness > 0.5 else "white"
