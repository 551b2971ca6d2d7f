"""Mean utility of classifiers at every degree of risk aversion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.displays.display import line_styles, neutral, plain_text
from cautious.displays.envelope import lower_envelope
from cautious.displays.named_curves import NamedCurvesDisplay, named
from cautious.metrics import discounted_accuracy_score, per_sample
from cautious.predictions import outputs_of, pooled_outputs
from cautious.sets import check_weight
from cautious.utility import Crossover, RiskAversionCurve, crossover

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["RiskAversionDisplay"]


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

    Attributes
    ----------
    lines_ : list of Line2D
        One line per classifier.
    crossings_ : list of Line2D
        The marks.
    ax_, figure_
        Where it was drawn.

    Notes
    -----
    :meth:`from_predictions`, :meth:`from_estimator` and :meth:`from_cv_results` take prediction
    sets, or estimators with ``predict_set``, and further `classes`, `empty`, `sample_weight`, and
    `n_resamples`, `confidence_level` and `random_state` of the bootstrap.

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
    ) -> None:
        super().__init__(curves)
        self.crossover = crossover

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
        return cls(curves, crossover=found).plot(ax, curve_kwargs=curve_kwargs)

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
        """
        style = dict(curve_kwargs or {})
        axes = self._open(ax)
        curves = self._renamed(name)
        self.lines_: list[Line2D] = []
        for (label, curve), look in zip(
            curves.items(), line_styles(len(curves), axes), strict=True
        ):
            ends = curve.frame()
            look |= {"marker": "", "label": plain_text(label)} | style
            self.lines_.append(self._line(axes, ends["risk_aversion"], ends["utility"], **look))
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
        self._legend(axes, "lower right")
        return self

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
