"""What sets of classes are worth: utilities, risk aversion, and the strength of a prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from cautious._checks import check_weight
from cautious._random import check_level
from cautious._typing import Floats, as_floats
from cautious.costs import SetCosts
from cautious.displays._display import (
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
from cautious.utility._bets import Crossover
from cautious.utility._forms import UtilityLike, read_utility

if TYPE_CHECKING:
    from typing import Self

_SIZES = (1, 2, 3, 4, 5)
# These read s when they predict, so that one fit serves every strength.
_SWEPT = (NaiveCredalClassifier, LazyNaiveCredalClassifier, CredalModelAveragingClassifier)
_STRENGTHS = tuple(np.logspace(-3, 1, 17).tolist())


class UtilityDisplay(Display):
    """What a right answer of several classes is worth, under several utilities.

    Markers stand at right sets of one to five classes. The thin diagonal is discounted accuracy
    itself, which rewards caution no more than luck.

    Parameters
    ----------
    utilities : utility, sequence of utilities, or mapping of name to utility
        What :func:`cautious.utility.as_utility` takes.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per utility.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), figures 2 and 8.

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
    """

    def __init__(
        self, utilities: UtilityLike | Sequence[UtilityLike] | Mapping[Any, UtilityLike]
    ) -> None:
        self.utilities: dict[Any, Utility]
        if isinstance(utilities, Mapping):
            self.utilities = {name: read_utility(u) for name, u in utilities.items()}
        else:
            if isinstance(utilities, str) or not isinstance(utilities, Sequence):
                utilities = [utilities]
            self.utilities = {u.name: u for u in map(read_utility, utilities)}
        if not self.utilities:
            raise ValueError("utilities is empty; give at least one utility to draw.")

    def _draw(self, axes: Any, name: Any, style: Style) -> None:
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

    def frame(self) -> pd.DataFrame:
        """Worth of a right set of one to five classes under each utility."""
        size = np.array(_SIZES)
        right = {"discounted_accuracy": 1 / size, "classes": size}
        tables = [
            pd.DataFrame({"utility": name} | right | {"value": utility(1 / size)})
            for name, utility in self.utilities.items()
        ]
        return pd.concat(tables, ignore_index=True)


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
