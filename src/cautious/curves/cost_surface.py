r"""Abstention cost surfaces: the least expected cost of an abstaining classifier, at any costs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from cautious._typing import Floats, RandomState
from cautious.bootstrap import Interval
from cautious.curves.costed_window import CostedWindow, costed_window
from cautious.curves.differential import DifferentialCostSurface
from cautious.curves.hull import CostHull
from cautious.curves.plane import CostPlane, window_plane
from cautious.curves.priors import Priors, class_scales
from cautious.curves.regions import Region, optimal_regions
from cautious.curves.responses import estimator_scores, pooled_scores
from cautious.curves.staircase import Staircase
from cautious.curves.surface_grid import SurfaceGrid, surface_grid
from cautious.curves.vacc import bin_volumes
from cautious.curves.vacc_inference import vacc_interval
from cautious.curves.windows import check_costs, plain

__all__ = ["AbstentionCostSurface"]


class AbstentionCostSurface:
    r"""Least expected cost of an abstaining classifier at any relative costs, exactly.

    A window :math:`(l, u)` on the score answers p if :math:`m \ge u`, n if :math:`m \le l` and
    abstains between. Its cost in normal form, a false negative costing one, is
    :math:`c = \mathrm{FN} + \mu\,\mathrm{FP} + \nu\,\bot`, each a share of all cases. The surface
    is :math:`k(\mu, \nu) = \min_{l \le u} c` (Friedel, Rückert & Kramer 2006, eq. 7, section 3).

    All of it follows from the bins of the staircase's convex hull (:mod:`cautious.curves.hull`):
    with bin weights :math:`w_e` and shares of positives :math:`q_e`,

    .. math:: k(\mu, \nu) = \sum_e w_e \min\{q_e,\ \mu(1-q_e),\ \nu\},

    found by two binary searches a point. This holds for every :math:`\mu, \nu \ge 0` and, with
    :math:`\nu_P q_e + \nu_N(1-q_e)` for :math:`\nu`, for abstention costs that differ by class.
    The paper takes the dearer class as positive, :math:`\mu \le 1`; VACC and grids do so too.

    Among optimal windows the one that abstains least is given, and where calling a bin positive
    costs as much as calling it negative, it is called positive.

    Parameters
    ----------
    staircase : Staircase
        Counts of positives and negatives at sorted distinct scores.
    priors : mapping or pair (negative, positive), optional
        Class probabilities to assume instead of the sample's.

    Attributes
    ----------
    staircase : Staircase
        The data.
    hull : CostHull
        Bins and corners of its convex hull, as shares of all cases.
    classes : tuple (negative, positive)
        The labels of the two classes.
    scales : ClassScales
        Share of all cases that one counted example of each class stands for.
    priors : tuple (negative, positive)
        The class shares the costs are expected under.

    Examples
    --------
    >>> from cautious.curves import AbstentionCostSurface
    >>> surface = AbstentionCostSurface.from_predictions(
    ...     [0, 0, 1, 0, 1, 0, 1, 1], [-7, -5, -3, -1, 1, 3, 5, 7])
    >>> surface.cost(mu=1.0, nu=0.25), surface.window(mu=1.0, nu=0.25)
    (0.125, (-4.0, 4.0))
    >>> surface.abstention(mu=1.0, nu=0.25)
    0.5
    >>> round(surface.vacc(), 4)
    0.1042
    """

    def __init__(self, staircase: Staircase, *, priors: Priors | None = None) -> None:
        scales = class_scales(staircase, priors)
        for label, count in zip(
            staircase.classes, (staircase.n_negatives, staircase.n_positives), strict=True
        ):
            if count == 0:
                warnings.warn(
                    f"there is no example of class {label!r}, so one answer to everything is free "
                    "and every cost is 0; the surface says nothing about the classifier.",
                    UndefinedMetricWarning,
                    stacklevel=3,
                )
        self.staircase = staircase
        self.classes = staircase.classes
        self.hull = CostHull.of(staircase, scales)
        self.priors = (float(self.hull.negatives.sum()), float(self.hull.positives.sum()))
        self.scales = scales

    @classmethod
    def from_staircase(
        cls, staircase: Staircase, *, priors: Priors | None = None
    ) -> AbstentionCostSurface:
        """Surface of counts, which may come from many batches added up.

        Parameters
        ----------
        staircase : Staircase
            Counts of positives and negatives at sorted distinct scores.
        priors : mapping or pair (negative, positive), optional
            Class probabilities to assume instead of the sample's.
        """
        return cls(staircase, priors=priors)

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        priors: Priors | None = None,
    ) -> AbstentionCostSurface:
        """Surface of true labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_score : array-like of shape (n,)
            Scores that grow with the belief in the positive class. Infinite scores are allowed.
        pos_label : label, optional
            The positive class. Not needed for labels 0 and 1, -1 and 1, or booleans. With more
            than two classes it stands against all others.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        priors : mapping or pair (negative, positive), optional
            Class probabilities to assume instead of the sample's.
        """
        staircase = Staircase.from_predictions(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
        )
        return cls(staircase, priors=priors)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        pos_label: Any = None,
        response_method: str = "auto",
        sample_weight: npt.ArrayLike | None = None,
        priors: Priors | None = None,
    ) -> AbstentionCostSurface:
        """Surface of a fitted scikit-learn classifier on test data.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba`` or ``decision_function``.
        X, y : array-like
            Test examples and their true labels.
        pos_label : label, optional
            The positive class; by default the second of two in ``classes_``.
        response_method : {"auto", "predict_proba", "decision_function"}
            What to ask the classifier.
        sample_weight, priors
            As in :meth:`from_predictions`.
        """
        y_score, positive = estimator_scores(
            estimator, X, pos_label=pos_label, response_method=response_method
        )
        return cls.from_predictions(
            y, y_score, pos_label=positive, sample_weight=sample_weight, priors=priors
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        pos_label: Any = None,
        response_method: str = "auto",
        sample_weight: npt.ArrayLike | None = None,
        priors: Priors | None = None,
    ) -> AbstentionCostSurface:
        """Surface of the pooled out-of-fold scores of a cross-validation, as the paper does it.

        Parameters
        ----------
        cv_results : dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array-like
            The data that were cross-validated.
        pos_label, response_method, sample_weight, priors
            As in :meth:`from_estimator`.
        """
        truth, y_score, positive, weight = pooled_scores(
            cv_results,
            X,
            y,
            pos_label=pos_label,
            response_method=response_method,
            sample_weight=sample_weight,
        )
        return cls.from_predictions(
            truth, y_score, pos_label=positive, sample_weight=weight, priors=priors
        )

    # Points of the surface. Relative costs broadcast; `nu_negative` is the cost of abstaining on a
    # negative where it differs from that on a positive.

    def cost(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        r"""Least expected cost :math:`k(\mu, \nu)`, in units of a false negative.

        Parameters
        ----------
        mu : float or array-like
            Relative cost of a false positive, at least 0.
        nu : float or array-like
            Relative cost of abstaining, at least 0.
        nu_negative : float or array-like, optional
            Relative cost of abstaining on a negative, if it differs; `nu` is then that on a
            positive.

        Returns
        -------
        float or ndarray
            In the common broadcast shape of the arguments.
        """
        costs = check_costs(mu, nu, nu_negative)
        return plain(self.hull.cost(costs, *self.hull.corners(costs)))

    def window(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Thresholds of the optimal window: p from the upper one, n up to the lower one.

        Each lies midway between neighbouring distinct scores, or at -inf or inf beyond them all.
        Equal thresholds mean that nothing is abstained on. Parameters as in :meth:`cost`.

        Returns
        -------
        lower, upper : float or ndarray
        """
        corners = self.hull.corners(check_costs(mu, nu, nu_negative))
        lower, upper = self.hull.thresholds(*corners)
        return plain(lower), plain(upper)

    def abstention(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        """Share of cases the optimal window abstains on. Parameters as in :meth:`cost`."""
        lower, upper = self.hull.corners(check_costs(mu, nu, nu_negative))
        return plain(self.hull.cases_below[upper] - self.hull.cases_below[lower])

    def rates(self, mu: float, nu: float, nu_negative: float | None = None) -> pd.DataFrame:
        """Shares of all cases under the optimal window: answers and ⊥ as rows, truths as columns.

        Parameters as in :meth:`cost`, single numbers.
        """
        lower, upper = self.window(mu, nu, nu_negative)
        return self.plane(float(lower), float(upper)).frame()

    def plane(self, lower: float, upper: float) -> CostPlane:
        """Rates and cost plane of one fixed window.

        Parameters
        ----------
        lower, upper : float
            Thresholds, any numbers with ``lower <= upper``. A threshold at -inf or inf lies beyond
            every score.

        Returns
        -------
        CostPlane
        """
        return window_plane(self.staircase, self.scales, lower, upper)

    def for_costs(
        self,
        *,
        false_negative: float,
        false_positive: float,
        abstain: float,
        abstain_negative: float | None = None,
    ) -> CostedWindow:
        """Optimal window for costs in your own units, right answers costing nothing.

        Parameters
        ----------
        false_negative, false_positive : float
            What the two mistakes cost.
        abstain : float
            What abstaining costs (on a positive, if `abstain_negative` is given).
        abstain_negative : float, optional
            What abstaining on a negative costs, where it differs.

        Returns
        -------
        CostedWindow

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], range(6))
        >>> best = surface.for_costs(false_negative=100, false_positive=20, abstain=5)
        >>> best.lower, best.upper, round(best.cost, 4), round(best.saving, 4)
        (1.5, 3.5, 1.6667, 3.3333)
        """
        on_negative = abstain if abstain_negative is None else abstain_negative
        return self.for_cost_table(
            [[0.0, false_negative], [false_positive, 0.0], [on_negative, abstain]]
        )

    def for_cost_table(self, table: npt.ArrayLike | pd.DataFrame) -> CostedWindow:
        """Optimal window for a full cost table, in which right answers may cost something too.

        Parameters
        ----------
        table : array-like or DataFrame of shape (3, 2)
            Rows are answers (negative, positive, abstain), columns are truths (negative,
            positive). The columns of a frame may be in any order if they carry the class labels.

        Returns
        -------
        CostedWindow
        """
        return costed_window(self, table)

    # The surface as a whole.

    def vacc(self) -> float:
        r"""Volume under the surface, :math:`\int_0^1\!\int_0^1 k(\mu,\nu)\,d\mu\,d\nu`, exactly.

        The expected cost if all relative costs within the unit square are equally likely (Friedel
        et al. 2006, section 4), in closed form a bin: see :func:`cautious.curves.vacc.bin_volumes`.
        """
        return float(bin_volumes(self.hull.positives, self.hull.negatives).sum())

    def vacc_interval(
        self,
        *,
        n_resamples: int = 1000,
        level: float = 0.95,
        random_state: RandomState = None,
    ) -> Interval:
        """VACC with a stratified bootstrap interval, corrected for its optimism.

        Parameters
        ----------
        n_resamples : int, default=1000
            Number of replicates.
        level : float, default=0.95
            Nominal coverage.
        random_state : int, RandomState, Generator or None
            Seed.

        Returns
        -------
        Interval
            A basic interval; :mod:`cautious.curves.vacc_inference` says why.
        """
        return vacc_interval(
            self.staircase,
            self.scales,
            n_resamples=n_resamples,
            level=level,
            random_state=random_state,
        )

    def grid(self, n: int = 101) -> SurfaceGrid:
        """Cost, optimal window and abstention on an `n` by `n` grid over the unit square.

        Parameters
        ----------
        n : int, default=101
            Grid lines a side, the edges included; at least 2.

        Returns
        -------
        SurfaceGrid
        """
        return surface_grid(self.hull, n)

    def regions(self) -> list[Region]:
        """Polygons of the unit square over which one window is optimal."""
        return optimal_regions(self)

    def differential(self, other: AbstentionCostSurface) -> DifferentialCostSurface:
        """Difference of this surface and another; negative where this one is cheaper.

        Parameters
        ----------
        other : AbstentionCostSurface
            Usually of another classifier on the same data.
        """
        return DifferentialCostSurface(self, other)

    def trivial(self) -> AbstentionCostSurface:
        r"""Surface of the best trivial classifier, :math:`\min(\pi_P, \mu\pi_N, \nu)`.

        It gives every case the same answer: one class, the other, or none. Subtract it with
        :meth:`differential` to see where the scores are worth anything.
        """
        priors = None if 0 in self.priors else self.priors
        positives, negatives = ([self.staircase.n_positives], [self.staircase.n_negatives])
        alone = Staircase.from_counts([0.0], positives, negatives, self.classes)
        return AbstentionCostSurface(alone, priors=priors)

    def beats_trivial(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.bool_]:
        """Whether the optimal window is cheaper than every trivial classifier.

        It is never dearer, since a window can give every case the same answer. Parameters as in
        :meth:`cost`.
        """
        saved = self.trivial().cost(mu, nu, nu_negative) - self.cost(mu, nu, nu_negative)
        return np.asarray(saved > 1e-12)

    def flipped(self) -> AbstentionCostSurface:
        """Surface with the classes swapped: for VACC and grids if the negative class is dearer."""
        priors = None if 0 in self.priors else self.priors[::-1]
        return AbstentionCostSurface(self.staircase.flipped(), priors=priors)

    def __repr__(self) -> str:
        counts = f"{len(self.staircase)} scores, {len(self.hull.positives)} bins"
        return f"{type(self).__name__}(classes={self.classes!r}, {counts}, VACC {self.vacc():.4g})"

    def frame(self) -> pd.DataFrame:
        """Bins of the hull: their scores, shares of both classes, and calibrated probability."""
        return pd.DataFrame(
            {
                "lower": self.hull.upper[:-1],
                "upper": self.hull.upper[1:],
                "negatives": self.hull.negatives,
                "positives": self.hull.positives,
                "probability": self.hull.probability,
            }
        )
