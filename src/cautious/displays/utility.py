"""Utilities, and the mean utility of classifiers at every degree of risk aversion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._checks import check_weight
from cautious._random import check_level
from cautious._typing import Floats
from cautious.displays._display import (
    Display,
    NamedCurvesDisplay,
    line_styles,
    lower_envelope,
    named,
    neutral,
    plain_text,
)
from cautious.errors import shown
from cautious.metrics import discounted_accuracy_score, per_sample
from cautious.predictions._estimators import outputs_of, pooled_outputs
from cautious.utility import RiskAversionCurve, Utility, crossover
from cautious.utility._forms import UtilityLike, read_utility
from cautious.utility._risk_aversion import Crossover

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["RiskAversionDisplay", "UtilityDisplay"]

_SIZES = (1, 2, 3, 4, 5)


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
            given = utilities if isinstance(utilities, Sequence) else [utilities]
            given = [given] if isinstance(given, str) else given
            read = [read_utility(u) for u in given]
            self.utilities = {utility.name: utility for utility in read}
        if not self.utilities:
            raise ValueError("utilities is empty; give at least one utility to draw.")

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the utilities.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single utility.
        curve_kwargs : mapping, optional
            Line2D properties for every line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import UtilityDisplay
        >>> drawn = UtilityDisplay(["u65", "u80"]).plot(Figure().subplots())
        >>> drawn.ax_.get_xlabel(), drawn.ax_.get_ylabel()
        ('right set of k classes: discounted accuracy 1/k', 'utility')
        """
        utilities = self.utilities
        if name is not None:
            if len(utilities) > 1:
                raise ValueError(
                    f"name is {shown(name)}, but there are {len(utilities)} utilities."
                )
            utilities = dict(zip([name], utilities.values(), strict=True))
        axes = self._open(ax)
        axes.plot([0, 1], [0, 1], color=neutral(), linewidth=0.8, alpha=0.6)
        # Ends of the way between markers are the markers themselves.
        marks = np.array([0.0, *(1 / size for size in reversed(_SIZES))])
        x = np.unique(np.concatenate([marks, np.linspace(0, 1, 201)]))
        at = np.searchsorted(x, marks[1:]).tolist()
        self.lines_: list[Line2D] = []
        looks = line_styles(len(utilities), axes)
        for (label, utility), look in zip(utilities.items(), looks, strict=True):
            look |= {"label": plain_text(label), "markevery": at, "markersize": 5} | dict(
                curve_kwargs or {}
            )
            self.lines_.append(self._line(axes, x, utility(x), **look))
        ticks = {"0\nwrong": 0.0} | {f"1/{size}" if size > 1 else "1": 1 / size for size in _SIZES}
        axes.set_xticks(list(ticks.values()), list(ticks))
        axes.set(xlabel="right set of k classes: discounted accuracy 1/k", ylabel="utility")
        axes.set_title("what a right set is worth")
        self._legend(axes, "lower right")
        return self

    def frame(self) -> pd.DataFrame:
        """Worth of a right set of one to five classes under each utility.

        Examples
        --------
        >>> from cautious.displays import UtilityDisplay
        >>> UtilityDisplay(["u65"]).frame().round(3)
          utility  discounted_accuracy  classes  value
        0     u65                1.000        1  1.000
        1     u65                0.500        2  0.650
        2     u65                0.333        3  0.467
        3     u65                0.250        4  0.363
        4     u65                0.200        5  0.296
        """
        return pd.concat([self._frame(name, u) for name, u in self.utilities.items()]).reset_index(
            drop=True
        )

    @staticmethod
    def _frame(name: Any, utility: Utility) -> pd.DataFrame:
        size = np.array(_SIZES)
        columns = {"discounted_accuracy": 1 / size, "classes": size, "value": utility(1 / size)}
        return pd.DataFrame({"utility": name} | columns)


class RiskAversionDisplay(NamedCurvesDisplay[RiskAversionCurve]):
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
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
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

    curve_class = RiskAversionCurve

    def __init__(
        self,
        curves: RiskAversionCurve | Mapping[Any, RiskAversionCurve],
        *,
        crossover: Crossover | None = None,
        bands: Mapping[Any, pd.DataFrame] | None = None,
    ) -> None:
        super().__init__(curves)
        self.crossover = crossover
        self.bands: dict[Any, pd.DataFrame] = dict(bands or {})

    @classmethod
    def _made(
        cls,
        method: str,
        sources: Mapping[Any, Any],
        ax: Axes | None,
        curve_kwargs: Mapping[str, Any] | None,
        options: dict[str, Any],
        *data: Any,
    ) -> Self:
        resampling = {
            key: options.pop(key)
            for key in ("n_resamples", "confidence_level", "random_state")
            if key in options
        }
        earned = {
            name: _earned(method, source, *data, **options) for name, source in sources.items()
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
        return cls(curves, crossover=found, bands=bands).plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_set: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the utilities of prediction sets.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_set : prediction sets, or mapping of name to prediction sets
            Sets of one classifier or several.
        ax, name, curve_kwargs
            As in :meth:`plot`.
        **options
            `classes`, `empty`, `sample_weight`, and `n_resamples`, `confidence_level` and
            `random_state` of the bootstrap.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import RiskAversionDisplay
        >>> y, sets = ["a", "a", "b"], {"bold": ["a", "b", "b"], "shy": ["a", None, "b"]}
        >>> drawn = RiskAversionDisplay.from_predictions(y, sets, ax=Figure().subplots())
        >>> list(drawn.curves)
        ['bold', 'shy']
        """
        sources = named(y_set, name)
        return cls._made("from_predictions", sources, ax, curve_kwargs, options, y_true)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single classifier.
        curve_kwargs : mapping, optional
            Line2D properties for every classifier's line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import RiskAversionDisplay
        >>> y, sets = ["a", "a", "b"], {"bold": ["a", "b", "b"], "shy": ["a", None, "b"]}
        >>> drawn = RiskAversionDisplay.from_predictions(y, sets, ax=Figure().subplots())
        >>> again = drawn.plot(Figure().subplots())  # on other axes
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('utility k of a right set of two classes', 'mean utility')
        """
        style = dict(curve_kwargs or {})
        axes = self._open(ax)
        curves = self._renamed(name)
        self.lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        for (label, curve), key, look in zip(
            curves.items(), self.curves, line_styles(len(curves), axes), strict=True
        ):
            ends = curve.frame()
            look |= {"marker": "", "label": plain_text(label)} | style
            line = self._line(axes, ends["risk_aversion"], ends["utility"], **look)
            self.lines_.append(line)
            if key in self.bands:
                at, low, high = (self.bands[key][c] for c in ("risk_aversion", "low", "high"))
                self.bands_.append(self._band(axes, at, low, high, line))
        self.crossings_: list[Line2D] = []
        ring = {"color": neutral(), "markersize": 9, "fillstyle": "none", "markeredgewidth": 1.8}
        for k, utility, _, above in self.crossings().itertuples(index=False):
            text = f"{plain_text(above)} best from k* = {k:.3f}"
            if self.crossover is not None:
                found = self.crossover.k
                axes.axvspan(
                    *np.clip([found.low, found.high], 0.5, 1.0), color=neutral(), alpha=0.12, lw=0
                )
                share = f"{found.confidence_level:.0%}"
                text += f"\n({share} interval {found.low:.3f} to {found.high:.3f})"
            self.crossings_ += axes.plot(k, utility, "o", label=text, **ring)
        ticks = {0.5: "0.5\ndiscounted\naccuracy", 0.65: "0.65\nu65", 0.8: "0.8\nu80", 1.0: "1"}
        axes.set_xticks(list(ticks), list(ticks.values()))
        axes.set(xlabel="utility k of a right set of two classes", ylabel="mean utility")
        axes.set_title("mean utility at every aversion to risk")
        self._legend(axes, "lower right")
        return self

    def crossings(self) -> pd.DataFrame:
        """Where the best of all classifiers changes: k*, the utility there, and who is best.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import RiskAversionDisplay
        >>> from cautious.utility import RiskAversionCurve
        >>> curves = {"bold": RiskAversionCurve(0.7, 0.0), "shy": RiskAversionCurve(0.65, 0.1)}
        >>> RiskAversionDisplay(curves).crossings().round(3)
               k  utility below above
        0  0.625      0.7  bold   shy
        """
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
    method: str, source: Any, *data: Any, sample_weight: Any = None, **options: Any
) -> tuple[Floats, Floats, Any]:
    """Discounted accuracy of each prediction, how often it counts, and its truth."""
    if method == "from_predictions":
        (y_true,) = data
        x = per_sample(discounted_accuracy_score)(y_true, source, **options)
        return x, check_weight(sample_weight, len(x)), y_true
    X, y = data
    if method == "from_estimator":
        mask, classes = outputs_of(source, X, "predict_set")
        x = per_sample(discounted_accuracy_score)(y, mask, classes=classes, **options)
        return x, check_weight(sample_weight, len(x)), y
    truth, mask, classes, weight = pooled_outputs(
        source, X, y, "predict_set", sample_weight=sample_weight
    )
    # In the order of the data, so that two cross-validations can be compared case by case.
    order = np.argsort(np.concatenate(source["indices"]["test"]), kind="stable")
    x = per_sample(discounted_accuracy_score)(truth, mask, classes=classes, **options)
    return x[order], weight[order], truth[order]
