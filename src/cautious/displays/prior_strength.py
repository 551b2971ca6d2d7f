"""Costs of a credal classifier against the strength of its prior."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious.costs import SetCosts
from cautious.displays._display import Display, line_styles, named, plain_text
from cautious.errors import check_kind
from cautious.metrics import set_cost_score
from cautious.models import (
    CredalModelAveragingClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
)
from cautious.predictions._estimators import outputs_of, pooled_outputs

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["PriorStrengthDisplay"]

# These read s when they predict, so that one fit serves every strength.
_SWEPT = (NaiveCredalClassifier, LazyNaiveCredalClassifier, CredalModelAveragingClassifier)
_STRENGTHS = tuple(np.logspace(-3, 1, 17).tolist())

Costs = SetCosts | Mapping[Any, SetCosts]


class PriorStrengthDisplay(Display):
    """Mean cost of a credal classifier against the strength s of its prior, on a logarithmic axis.

    The larger s, the more cautious the classifier. A star marks the cheapest s of each line.

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

    def __init__(self, table: pd.DataFrame) -> None:
        check_kind(table, pd.DataFrame, "table", "a frame")
        if not len(table) or not len(table.columns):
            raise ValueError(
                "table is empty; give one row per strength and one column per way of costing."
            )
        strengths = np.asarray(table.index, dtype=np.float64)
        if not (strengths > 0).all():
            raise ValueError(
                f"table has the strength {strengths.min()}; they must be positive, for the axis is "
                "logarithmic."
            )
        self.table: pd.DataFrame = table.sort_index()

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_set: Mapping[float, Any],
        *,
        costs: Costs,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Compute and draw the costs of given prediction sets.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_set : mapping of s to prediction sets
            What was predicted with each strength.
        costs : SetCosts, or mapping of name to SetCosts
            How to cost the sets.
        classes : sequence of length K, optional
            Class labels in column order.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single way of costing.
        curve_kwargs : mapping, optional
            As in :meth:`plot`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.costs import ordinal, p_discounted
        >>> from cautious.displays import PriorStrengthDisplay
        >>> costs = {"r = 0.5": p_discounted(ordinal(3), r=0.5)}
        >>> sets = {0.1: [[0], [0], [1]], 1.0: [[0], [0, 1], [1, 2]]}
        >>> drawn = PriorStrengthDisplay.from_predictions(
        ...     [0, 1, 2], sets, costs=costs, ax=Figure().subplots()
        ... )
        >>> drawn.frame().shape
        (2, 1)
        """
        check_kind(y_set, Mapping, "y_set", "the sets of each strength, by the strength")
        counted = {"classes": classes, "sample_weight": sample_weight}
        sweep = ((s, y_true, sets, counted) for s, sets in y_set.items())
        return cls._of(sweep, costs, ax, name, curve_kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        costs: Costs,
        s: Sequence[float] = _STRENGTHS,
        sample_weight: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Compute and draw the costs of a fitted credal classifier; it is not fitted again.

        Parameters
        ----------
        estimator : fitted classifier
            A naive credal classifier, its lazy sibling, or credal model averaging.
        X, y : array-like
            Examples and their true labels.
        costs : SetCosts, or mapping of name to SetCosts
            How to cost the sets, classes in ``classes_`` order.
        s : sequence of float
            Strengths; by default 17 from .001 to 10.
        sample_weight, ax, name, curve_kwargs
            As in :meth:`from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.costs import ordinal, p_discounted
        >>> from cautious.displays import PriorStrengthDisplay
        >>> from cautious.models import NaiveCredalClassifier
        >>> costs, axes = {"r = 0.5": p_discounted(ordinal(3), r=0.5)}, Figure().subplots()
        >>> X, y = [["x"], ["x"], ["y"], ["y"], ["z"], ["z"]], [0, 0, 1, 1, 2, 2]
        >>> fitted = NaiveCredalClassifier().fit(X, y)
        >>> drawn = PriorStrengthDisplay.from_estimator(
        ...     fitted, X, y, costs=costs, s=[0.1, 10], ax=axes
        ... )
        >>> drawn.frame().round(3)
              r = 0.5
        s
        0.1      0.00
        10.0     0.58
        """

        def sweep() -> Iterable[tuple[float, Any, Any, dict[str, Any]]]:
            for strength in s:
                mask, classes = outputs_of(_of_strength(estimator, strength), X, "predict_set")
                yield strength, y, mask, {"classes": classes, "sample_weight": sample_weight}

        return cls._of(sweep(), costs, ax, name, curve_kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        costs: Costs,
        s: Sequence[float] = _STRENGTHS,
        sample_weight: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Compute and draw the costs of pooled out-of-fold sets.

        Parameters
        ----------
        cv_results : dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array-like
            The data that were cross-validated.
        costs : SetCosts, or mapping of name to SetCosts
            How to cost the sets, classes in sorted order.
        s, sample_weight, ax, name, curve_kwargs
            As in :meth:`from_estimator`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from sklearn.model_selection import cross_validate
        >>> from cautious.costs import ordinal, p_discounted
        >>> from cautious.displays import PriorStrengthDisplay
        >>> from cautious.models import NaiveCredalClassifier
        >>> costs = {"r = 0.5": p_discounted(ordinal(3), r=0.5)}
        >>> X, y = [["x"], ["x"], ["y"], ["y"], ["z"], ["z"]], [0, 0, 1, 1, 2, 2]
        >>> model = NaiveCredalClassifier()
        >>> found = cross_validate(model, X, y, cv=2, return_estimator=True, return_indices=True)
        >>> drawn = PriorStrengthDisplay.from_cv_results(
        ...     found, X, y, costs=costs, s=[0.1, 10], ax=Figure().subplots()
        ... )
        >>> drawn.frame().round(3)
              r = 0.5
        s
        0.1      0.00
        10.0     0.58
        """
        check_kind(cv_results, Mapping, "cv_results", "what cross_validate returns")
        if "estimator" not in cv_results:
            raise ValueError("cv_results holds no estimators; pass return_estimator=True.")

        def sweep() -> Iterable[tuple[float, Any, Any, dict[str, Any]]]:
            for strength in s:
                changed = [_of_strength(model, strength) for model in cv_results["estimator"]]
                truth, mask, classes, weight = pooled_outputs(
                    {**cv_results, "estimator": changed},
                    X,
                    y,
                    "predict_set",
                    sample_weight=sample_weight,
                )
                yield strength, truth, mask, {"classes": classes, "sample_weight": weight}

        return cls._of(sweep(), costs, ax, name, curve_kwargs)

    @classmethod
    def _of(
        cls,
        sweep: Iterable[tuple[float, Any, Any, dict[str, Any]]],
        costs: Costs,
        ax: Axes | None,
        name: str | None,
        curve_kwargs: Mapping[str, Any] | None,
    ) -> Self:
        ways = {"cost": costs} if isinstance(costs, SetCosts) and name is None else None
        ways = named(costs, name) if ways is None else ways
        rows = {
            s: {way: set_cost_score(y, sets, costs=each, **counted) for way, each in ways.items()}
            for s, y, sets, counted in sweep
        }
        table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("s")
        return cls(table).plot(ax, curve_kwargs=curve_kwargs)

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
            Title.
        curve_kwargs : mapping, optional
            Line2D properties for every line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.costs import ordinal, p_discounted
        >>> from cautious.displays import PriorStrengthDisplay
        >>> costs = {"r = 0.5": p_discounted(ordinal(3), r=0.5)}
        >>> sets = {0.1: [[0], [0], [1]], 1.0: [[0], [0, 1], [1, 2]]}
        >>> drawn = PriorStrengthDisplay.from_predictions(
        ...     [0, 1, 2], sets, costs=costs, ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots())  # on other axes
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('strength s of the prior (the larger, the more cautious)', 'mean cost of a prediction')
        """
        style = dict(curve_kwargs or {})
        axes = self._open(ax)
        strengths = np.asarray(self.table.index, dtype=np.float64)
        self.lines_: list[Line2D] = []
        self.best_: list[Line2D] = []
        looks = line_styles(len(self.table.columns), axes)
        for (label, costs), look in zip(self.table.items(), looks, strict=True):
            look |= {"label": plain_text(label), "markersize": 4} | style
            line = self._line(axes, strengths, costs.to_numpy(), **look)
            self.lines_.append(line)
            at = int(costs.to_numpy().argmin())
            self.best_ += axes.plot(
                strengths[at], costs.iloc[at], "*", color=line.get_color(), markersize=13
            )
        axes.set(
            xscale="log",
            xlabel="strength s of the prior (the larger, the more cautious)",
            ylabel="mean cost of a prediction",
        )
        words = "costs as the prior gets stronger"
        axes.set_title(words if name is None else f"{plain_text(name)}: {words}")
        self._legend(axes, "upper left")
        return self

    def frame(self) -> pd.DataFrame:
        """Mean costs: one row per strength, one column per way of costing.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.costs import ordinal, p_discounted
        >>> from cautious.displays import PriorStrengthDisplay
        >>> costs = {"r = 0.5": p_discounted(ordinal(3), r=0.5)}
        >>> sets = {0.1: [[0], [0], [1]], 1.0: [[0], [0, 1], [1, 2]]}
        >>> drawn = PriorStrengthDisplay.from_predictions(
        ...     [0, 1, 2], sets, costs=costs, ax=Figure().subplots()
        ... )
        >>> drawn.frame().round(3)
             r = 0.5
        s
        0.1    0.667
        1.0    0.167
        """
        return self.table.copy()


def _of_strength(estimator: Any, s: float) -> Any:
    """Give the fitted classifier another strength."""
    if not isinstance(estimator, _SWEPT):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}, whose s cannot be changed after fitting; "
            "fit one for every s and use from_predictions."
        )
    return copy(estimator).set_params(s=float(s))
