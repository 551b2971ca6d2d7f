"""Which of several classifiers is the cheapest at which costs, and where that is told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import ndimage

from cautious._random import check_level
from cautious._typing import Floats, Ints
from cautious.curves import AbstentionCostSurface
from cautious.displays._cost_surface import MU_WORDS, NU_WORDS, draw_bound
from cautious.displays._display import (
    ScoredCurvesDisplay,
    halo,
    hatched,
    line_styles,
    named,
    named_cv_results,
    neutral,
    plain_text,
)
from cautious.evaluation._distinction import distinct_winners
from cautious.evaluation._divided_cases import TooFewCases
from cautious.predictions._estimators import estimator_scores, pooled_scores

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["WinnerMapDisplay"]

# Costs nearer than this are the same.
_SAME = 1e-12
# Half the width of a long name on the map.
_NAME = 0.14


def _told_apart(
    y_true: Any, scores: Mapping[Any, Any], confidence_level: float | None, **said: Any
) -> tuple[Floats, Floats, Ints] | None:
    """Say who is surely cheapest where; None where nobody asks, or too few cases answer."""
    if confidence_level is None or len(scores) < 2:
        return None
    level = check_level(confidence_level)
    with suppress(TooFewCases):
        return distinct_winners(y_true, scores, confidence_level=level, **said)
    return None


class WinnerMapDisplay(ScoredCurvesDisplay[AbstentionCostSurface]):
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
        differences at a point; with None, or below 30 cases of a class, nothing is hatched.

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

    curve_class = AbstentionCostSurface
    own_options: ClassVar[tuple[str, ...]] = ("n", "distinct")

    def __init__(
        self,
        curves: Mapping[Any, AbstentionCostSurface],
        *,
        n: int = 121,
        distinct: tuple[Floats, Floats, Ints] | None = None,
    ) -> None:
        super().__init__(curves)
        self.distinct = distinct
        if len(self.curves) < 2:
            raise ValueError("there is 1 classifier; give two or more by name.")
        if n < 3:
            raise ValueError(f"n is {n}; give 3 grid lines or more.")
        self.n = n

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: Mapping[Any, npt.ArrayLike],
        *,
        confidence_level: float | None = 0.95,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the map of scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_score : mapping of two or more names to array-like of shape (n,)
            Scores that grow with the belief in the positive class.
        confidence_level : float or None, default=0.95
            Hatch where the cheapest classifier is not told apart from all others at this level;
            None hatches nothing, which takes less time.
        ax, name, curve_kwargs
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
        >>> from cautious.displays import WinnerMapDisplay
        >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
        >>> drawn = WinnerMapDisplay.from_predictions(
        ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
        ... )
        >>> drawn.ax_.get_title()
        'which classifier is cheapest'
        """
        scores = named(y_score, name)
        said = {key: one for key, one in options.items() if key != "n"}
        given = options | {"distinct": _told_apart(y_true, scores, confidence_level, **said)}
        return cls._made("from_predictions", scores, ax, curve_kwargs, given, y_true)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        confidence_level: float | None = 0.95,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        pos_label: Any = None,
        response_method: str = "auto",
        **options: Any,
    ) -> Self:
        """Compute and draw the map of fitted classifiers.

        Parameters
        ----------
        estimator : mapping of two or more names to fitted classifiers
            The classifiers.
        X, y : array-like
            Examples that none of them was fitted on, and their true labels.
        confidence_level, ax, name, curve_kwargs
            As in :meth:`from_predictions`.
        pos_label : label, optional
            The positive class, where it is not plain.
        response_method : {"auto", "predict_proba", "decision_function"}
            What to ask the classifiers.
        **options
            As in :meth:`from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.linear_model import LogisticRegression
        >>> from cautious.displays import WinnerMapDisplay
        >>> X, y = make_classification(200, random_state=0)
        >>> models = {"bayes": GaussianNB(), "line": LogisticRegression()}
        >>> fitted = {name: model.fit(X[:100], y[:100]) for name, model in models.items()}
        >>> axes = Figure().subplots()
        >>> drawn = WinnerMapDisplay.from_estimator(fitted, X[100:], y[100:], n=11, ax=axes)
        >>> sorted(drawn.frame()["winner"].dropna().unique())
        ['bayes']
        """
        scores = {}
        for label, one in named(estimator, name).items():
            scores[label], pos_label = estimator_scores(
                one, X, pos_label=pos_label, response_method=response_method
            )
        options |= {"confidence_level": confidence_level, "pos_label": pos_label}
        return cls.from_predictions(y, scores, ax=ax, curve_kwargs=curve_kwargs, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[Any, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        confidence_level: float | None = 0.95,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        n: int = 121,
        pos_label: Any = None,
        response_method: str = "auto",
        sample_weight: npt.ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the map of pooled out-of-fold predictions.

        Hatching needs every classifier on the same cases, in whatever folds; of a case that was
        tested several times the first score counts there.

        Parameters
        ----------
        cv_results : mapping of two or more names to dicts
            From ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array-like
            The data that were cross-validated.
        confidence_level, ax, name, curve_kwargs
            As in :meth:`from_predictions`.
        n : int, default=121
            Grid lines along the cost of a false positive.
        pos_label, response_method
            As in :meth:`from_estimator`.
        sample_weight : array-like of shape (n_cases,), optional
            How often each example counts.
        **options
            Keywords of :meth:`cautious.curves.AbstentionCostSurface.from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from cautious.displays import WinnerMapDisplay
        >>> X, y = make_classification(200, random_state=0)
        >>> keep = {"return_estimator": True, "return_indices": True}
        >>> found = {
        ...     "bayes": cross_validate(GaussianNB(), X, y, **keep),
        ...     "line": cross_validate(LogisticRegression(), X, y, **keep),
        ... }
        >>> drawn = WinnerMapDisplay.from_cv_results(found, X, y, n=11, ax=Figure().subplots())
        >>> sorted(drawn.frame()["winner"].dropna().unique())
        ['bayes']
        """
        curves, firsts, cases = {}, {}, []
        for label, result in named_cv_results(cv_results, name).items():
            asked = {"pos_label": pos_label, "response_method": response_method}
            truth, score, pos_label, weight = pooled_scores(
                result, X, y, sample_weight=sample_weight, **asked
            )
            curves[label] = cls.curve_class.from_predictions(
                truth, score, pos_label=pos_label, sample_weight=weight, **options
            )
            rows, first = np.unique(np.concatenate(result["indices"]["test"]), return_index=True)
            firsts[label] = score[first]
            cases.append((rows, truth[first], None if sample_weight is None else weight[first]))
        rows, truth, weights = cases[0]
        distinct = None
        if all(np.array_equal(rows, others) for others, *_ in cases):
            said = {"pos_label": pos_label, "sample_weight": weights, **options}
            distinct = _told_apart(truth, firsts, confidence_level, **said)
        return cls(curves, n=n, distinct=distinct).plot(ax, curve_kwargs=curve_kwargs)

    @cached_property
    def _winner(self) -> tuple[Floats, Floats, Ints]:
        """Grid lines, and the position of the cheapest classifier; -1 where all cost the same."""
        mu, nu = np.linspace(0, 1, self.n), np.linspace(0, 0.5, self.n // 2 + 1)
        costs = np.array(
            [one.cost(mu[None, :], nu[:, None]) for one in self.curves.values()], dtype=np.float64
        )
        winner = costs.argmin(axis=0)
        winner[np.ptp(costs, axis=0) <= _SAME] = -1
        return mu, nu, winner

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : None
            Classifiers are named by the keys of the mapping.
        curve_kwargs : mapping, optional
            Properties of ``pcolormesh``.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import WinnerMapDisplay
        >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
        >>> drawn = WinnerMapDisplay.from_predictions(
        ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
        ... )
        >>> axes = Figure().subplots()
        >>> drawn.plot(axes).ax_ is axes  # drawn once more
        True
        """
        from matplotlib.colors import ListedColormap, to_rgb

        curves = self._renamed(name)
        axes = self._open(ax)
        mu, nu, winner = self._winner
        # Half way to white, so that names stay readable on every colour.
        colours = ["0.75"] + [
            tuple(0.45 + 0.55 * part for part in to_rgb(look["color"]))
            for look in line_styles(len(curves))
        ]
        look = {"cmap": ListedColormap(colours), "vmin": -1.5, "vmax": len(curves) - 0.5}
        look |= {"shading": "nearest", "rasterized": True}
        self.mesh_: Any = axes.pcolormesh(mu, nu, winner, **(look | dict(curve_kwargs or {})))
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
            self.labels_.append(
                axes.text(
                    mu[column],
                    nu[row],
                    names[code + 1],
                    ha="center",
                    va="center",
                    rotation="horizontal" if lies else "vertical",
                    fontsize="small",
                    path_effects=halo(3),
                )
            )
        self.bound_: Any = draw_bound(axes)
        self._hatch(axes)
        axes.set(xlim=(0, 1), ylim=(0, 0.5), xlabel=MU_WORDS, ylabel=NU_WORDS)
        axes.set_title("which classifier is cheapest")
        return self

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
        """One row per grid point: relative costs, and the cheapest classifier (None in a tie).

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import WinnerMapDisplay
        >>> scores = {"sharp": [0, 1, 2, 3, 4, 5], "blunt": [0, 2, 3, 1, 4, 5]}
        >>> drawn = WinnerMapDisplay.from_predictions(
        ...     [0, 0, 0, 1, 1, 1], scores, n=5, ax=Figure().subplots()
        ... )
        >>> drawn.frame().tail(1).round(3)
             mu   nu winner
        14  1.0  0.5  sharp
        """
        mu, nu, winner = self._winner
        names = np.array([*self.curves, None], dtype=object)
        across, along = np.meshgrid(mu, nu)
        # Text would come out as pandas' own kind, which makes nan of None.
        cheapest = pd.Series(names[winner.ravel()], dtype=object)
        return pd.DataFrame({"mu": across.ravel(), "nu": along.ravel(), "winner": cheapest})

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        return curve.grid(self.n).frame()
