r"""Abstention cost surfaces: the least expected cost of an abstaining classifier, at any costs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from cautious._cases import Cases
from cautious._checks import as_codes, check_classes, check_truth
from cautious._random import Interval
from cautious._result import Shown
from cautious._typing import Floats, RandomState
from cautious.costs import as_costs
from cautious.costs._forms import CostsLike
from cautious.curves._budgets import (
    cost_without_abstaining,
    least_abstaining_window,
    least_costly_window,
)
from cautious.curves._hull import CostHull
from cautious.curves._staircase import Priors, Staircase, class_scales
from cautious.curves._window import Per, Window, binary_costs, check_costs, check_per, plain
from cautious.curves.surface._cost_square import Region, SurfaceGrid, optimal_regions, surface_grid
from cautious.curves.surface.differential import DifferentialCostSurface
from cautious.curves.surface.expected_cost import ExpectedCost, expected_cost
from cautious.curves.surface.vacc import bin_volumes, vacc_interval
from cautious.decision._thresholds import check_window
from cautious.guarantees._certified_rule import Certified, certify_counts
from cautious.predictions._estimators import FromEstimator
from cautious.sets._conversion import frame_in_class_order
from cautious.sets._written import abstain_name

__all__ = ["AbstentionCostSurface", "one_vs_rest"]


class AbstentionCostSurface(FromEstimator, Shown):
    r"""Least expected cost of an abstaining classifier at any relative costs, exactly.

    A window :math:`(l, u)` on the score answers p if :math:`m \ge u`, n if :math:`m \le l` and
    abstains between. Its cost in normal form, a false negative costing one, is
    :math:`c = \mathrm{FN} + \mu\,\mathrm{FP} + \nu\,\bot`, each a share of all cases. The surface
    is :math:`k(\mu, \nu) = \min_{l \le u} c` (Friedel, Rückert & Kramer 2006, eq. 7, section 3).

    All of it follows from the bins of the staircase's convex hull (:mod:`cautious.curves._hull`):
    with bin weights :math:`w_e` and shares of positives :math:`q_e`,

    .. math:: k(\mu, \nu) = \sum_e w_e \min\{q_e,\ \mu(1-q_e),\ \nu\},

    found by two binary searches per point. This holds for every :math:`\mu, \nu \ge 0` and, with
    :math:`\nu_P q_e + \nu_N(1-q_e)` for :math:`\nu`, for abstention costs that differ by class.
    The paper calls the class positive that costs more to miss, :math:`\mu \le 1`; so do VACC and
    grids.

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

    _asks = "score"

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
        self.classes: tuple[Any, Any] = staircase.classes
        self.hull: CostHull = CostHull.of(staircase, scales)
        shares = self.hull.negatives.sum(), self.hull.positives.sum()
        self.priors: tuple[float, float] = (float(shares[0]), float(shares[1]))
        self.scales = scales

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
            The positive class. Not needed where it is clear: 0 and 1, -1 and 1, no and yes. With
            more than two classes it stands against all others.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        priors : mapping or pair (negative, positive), optional
            Class probabilities to assume instead of the sample's.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.classes, surface.priors
        ((0, 1), (0.5, 0.5))
        """
        staircase = Staircase.from_predictions(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
        )
        return cls(staircase, priors=priors)

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

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.cost(mu=[0.5, 1.0], nu=0.25).round(4)
        array([0.0833, 0.0833])
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

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.window(mu=1, nu=0.2)
        (2.5, 4.5)
        """
        corners = self.hull.corners(check_costs(mu, nu, nu_negative))
        lower, upper = self.hull.thresholds(*corners)
        return plain(lower), plain(upper)

    def abstention(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        """Share of cases the optimal window abstains on. Parameters as in :meth:`cost`.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.abstention(mu=1, nu=[0.2, 0.6]).round(4)
        array([0.3333, 0.    ])
        """
        lower, upper = self.hull.corners(check_costs(mu, nu, nu_negative))
        return plain(self.hull.cases_below[upper] - self.hull.cases_below[lower])

    def rates(self, mu: float, nu: float, nu_negative: float | None = None) -> pd.DataFrame:
        """Shares of all cases under the optimal window: answers and ⊥ as rows, truths as columns.

        Parameters as in :meth:`cost`, single numbers.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.rates(mu=1, nu=0.2).round(3)
        truth           0      1
        prediction
        0           0.333  0.000
        1           0.000  0.333
        ⊥           0.167  0.167
        """
        lower, upper = self.window(mu, nu, nu_negative)
        return self.window_at(float(lower), float(upper)).frame()

    # Windows with all that is known of them.

    def window_at(self, lower: float, upper: float) -> Window:
        """Rates of one fixed window.

        Parameters
        ----------
        lower, upper : float
            Thresholds, any numbers with ``lower <= upper``. A threshold at -inf or inf lies beyond
            every score.

        Returns
        -------
        Window

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.window_at(2.5, 4.5)
        Window(lower=2.5, upper=4.5, abstention=0.333333, selective_error=0, classes=(0, 1))
        """
        check_window(lower, upper)
        stairs, scales = self.staircase, self.scales
        scores = stairs.scores
        above = len(scores) if upper == np.inf else int(np.searchsorted(scores, upper, side="left"))
        below = 0 if lower == -np.inf else int(np.searchsorted(scores, lower, side="right"))
        below = min(below, above)  # a score on both thresholds is answered positive
        parts = (slice(0, below), slice(above, None), slice(below, above))
        tn, fp, bn = (float(stairs.negatives[part].sum() * scales.negative) for part in parts)
        fn, tp, bp = (float(stairs.positives[part].sum() * scales.positive) for part in parts)
        rates = tn, fn, fp, tp, bn, bp
        return Window(float(lower), float(upper), *rates, self.classes, staircase=stairs)

    def for_costs(self, costs: CostsLike) -> Window:
        """Optimal window for costs in your own units.

        Parameters
        ----------
        costs : mapping, array-like or DataFrame of shape (3, 2), path or SetCosts
            ``{"false_negative": …, "false_positive": …, "abstain": …}``, right answers costing
            nothing; or any other form of :func:`cautious.costs.as_costs` that says what abstaining
            costs, such as a table: rows are answers (negative, positive, abstain), columns truths
            (negative, positive).

        Returns
        -------
        Window
            With its expected cost per case, and that of giving every case the same answer.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], range(6))
        >>> best = surface.for_costs({"false_negative": 100, "false_positive": 20, "abstain": 5})
        >>> best.lower, best.upper, round(best.cost, 4), round(best.saving, 4)
        (1.5, 3.5, 1.6667, 3.3333)
        """
        read = as_costs(costs, self.classes, pos_label=self.classes[1], needs_abstention=True)
        return self.cheapest_window(read.answer_values())

    def cheapest_window(self, table: Floats) -> Window:
        """Find the optimal window for a table of costs, rows in the order of the classes."""
        beyond = binary_costs(table, self.classes)
        lower, upper = self.hull.thresholds(*self.hull.corners(beyond))
        window = self.window_at(float(lower), float(upper))
        negative, positive = self.priors
        right = negative * table[0, 0] + positive * table[1, 1]
        trivial = [
            positive * beyond.false_negative,
            negative * beyond.false_positive,
            positive * beyond.abstain_positive + negative * beyond.abstain_negative,
        ]
        answers = pd.Index(
            [*self.classes, abstain_name(self.classes)], dtype=object, name="prediction"
        )
        return replace(
            window,
            cost=float(window.cost_at(beyond) + right),
            trivial=pd.Series(np.array(trivial) + right, index=answers),
        )

    # Where nobody can say what abstaining costs, a budget may be known instead (Pietraszek 2005).

    def for_max_abstention(
        self, max_abstention: float, *, mu: float = 1.0, per: Per = "answer"
    ) -> Window:
        """Cheapest window among those that abstain on at most a given share of cases.

        Among equals, the one that abstains least. All windows are searched, exactly.

        Parameters
        ----------
        max_abstention : float
            Budget, a share of all cases.
        mu : float, default=1.0
            Relative cost of a false positive; 1 minimises errors.
        per : {"answer", "case"}
            Whether to minimise the mean cost per answer given, as Pietraszek (2005) does, or per
            case.

        Returns
        -------
        Window

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
        >>> best = surface.for_max_abstention(0.25, per="case")
        >>> best.lower, best.upper, best.error, best.abstention
        (3.5, 5.5, 0.125, 0.25)
        """
        if not 0 <= max_abstention <= 1:
            raise ValueError(f"max_abstention is {max_abstention}; a share lies between 0 and 1.")
        check_per(per)
        return self.window_at(
            *least_costly_window(self.staircase, self.scales, max_abstention, mu=mu, per=per)
        )

    def for_max_error(self, max_error: float, *, mu: float = 1.0, per: Per = "answer") -> Window:
        """Window that abstains least among those whose errors are within a budget.

        Among equals, the one with the fewest errors. If no answer can be given within the budget,
        the window abstains on everything. All windows are searched, exactly.

        Parameters
        ----------
        max_error : float
            Budget: the share of wrong answers, at least 0. With another `mu`, the mean cost of
            errors in units of a false negative.
        mu : float, default=1.0
            What a false positive counts; a false negative counts 1.
        per : {"answer", "case"}
            Whether the budget is for the mean over the answers given or over all cases.

        Returns
        -------
        Window

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
        >>> best = surface.for_max_error(0.2)  # at most one answer in five may be wrong
        >>> best.lower, best.upper, round(best.selective_error, 4), best.abstention
        (3.5, 5.5, 0.1667, 0.25)
        """
        if not max_error >= 0:
            raise ValueError(f"max_error is {max_error}; a budget may not be negative.")
        check_per(per)
        return self.window_at(
            *least_abstaining_window(self.staircase, self.scales, max_error, mu=mu, per=per)
        )

    def for_saving(self, min_saving: float, *, mu: float = 1.0, per: Per = "answer") -> Window:
        """Window that abstains least among those that save a part of the cost of never abstaining.

        Parameters
        ----------
        min_saving : float
            Part of the least cost without abstention that has to go, between 0 and 1.
        mu, per
            As in :meth:`for_max_error`.

        Returns
        -------
        Window

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
        >>> surface.for_saving(0.5, per="case").abstention
        0.25
        """
        if not 0 <= min_saving <= 1:
            raise ValueError(f"min_saving is {min_saving}; a part lies between 0 and 1.")
        never = cost_without_abstaining(self.staircase, self.scales, mu=mu)
        return self.for_max_error((1 - min_saving) * never, mu=mu, per=per)

    # What may be promised on new cases.

    def certify(self, **asked: Any) -> Certified:
        """Find the rule that answers most among those that provably keep limits on new cases.

        The staircase is enough: the cases are not read again.

        Parameters
        ----------
        **asked
            ``max_error``, ``min_ppv``, ``min_npv``, ``max_missed``, ``max_error_per_case``,
            ``max_abstention``, ``confidence_level``, ``promise``, ``thresholds``, ``other_scores``,
            ``n_candidates`` and ``random_state``, as in :func:`cautious.guarantees.certify`.
            ``thresholds`` is "one" for scores that are probabilities, and else "two".

        Returns
        -------
        Certified
            What :func:`cautious.guarantees.certify` finds in the same cases, counted; with `rule`
            None where nothing can be promised.

        Raises
        ------
        ValueError
            For groups, which a staircase does not hold; if weights are no whole numbers; if the
            surface has `priors` that are not those of the cases.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> y = rng.integers(2, size=2000)
        >>> p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
        >>> surface = AbstentionCostSurface.from_predictions(y[1000:], p[1000:])
        >>> print(surface.certify(max_error=0.1, other_scores=p[:1000]).certificate)
        On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
        Seen on 1,000 calibration cases: 62 of 765 (p = 0.043).
        """
        if self.scales != class_scales(self.staircase, None):
            raise ValueError(
                "this surface has priors that are not those of its cases, and a promise counts "
                "cases as they were drawn; make the surface without priors. For costs with other "
                "class shares there is cautious.guarantees.certify_cost(shares=…)."
            )
        stairs = self.staircase
        codes = np.repeat([1, 0], len(stairs.scores))
        weight = np.concatenate([stairs.positives, stairs.negatives])
        scores = np.tile(stairs.scores, 2)
        cases = Cases("staircase", self.classes, codes, y_score=scores, sample_weight=weight)
        shape = "one" if stairs.are_probabilities else "two"
        found = certify_counts(
            cases.take(weight > 0), "staircase", **{"thresholds": shape, **asked}
        )
        return found.with_scores(stairs.score_bins(), column=stairs.column, model=stairs.model)

    # The surface as a whole.

    def vacc(self) -> float:
        r"""Volume under the surface, :math:`\int_0^1\!\int_0^1 k(\mu,\nu)\,d\mu\,d\nu`, exactly.

        The expected cost if all relative costs within the unit square are equally likely (Friedel
        et al. 2006, section 4), in closed form per bin of the hull.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> round(surface.vacc(), 4)
        0.0694
        """
        return float(bin_volumes(self.hull.positives, self.hull.negatives).sum())

    def expected_cost(self, distribution: Any) -> ExpectedCost:
        r"""Cost expected where class shares and costs are uncertain, exactly.

        VACC takes the class shares as known; Drummond and Holte's cost curves do not (Friedel et
        al. 2006, footnote 2).

        Parameters
        ----------
        distribution : mapping or DataFrame
            ``mu`` and ``nu``: the relative costs, a number each or one per scenario. ``prior``: the
            share of positives, a number, one per scenario, or ``scipy.stats.beta(…)`` or
            ``uniform(…)`` within [0, 1], independent of the costs; by default the surface's own.
            ``weight``: how likely each scenario is; by default all alike.

        Returns
        -------
        ExpectedCost
            Expected cost per case, in units of a false negative, if the window is set when share
            and costs are known (``adapted``) and if it is set once and for all (``fixed``, with its
            ``lower`` and ``upper`` threshold); ``curve()`` draws both against the share.

        Examples
        --------
        >>> from scipy import stats
        >>> surface = AbstentionCostSurface.from_predictions(
        ...     [0, 0, 1, 0, 1, 0, 1, 1], [-7, -5, -3, -1, 1, 3, 5, 7])
        >>> found = surface.expected_cost({"mu": 1.0, "nu": 0.25, "prior": stats.beta(2, 4)})
        >>> round(found.adapted, 4), round(found.fixed, 4), found.lower, found.upper
        (0.1069, 0.125, -4.0, 4.0)
        >>> found.curve().round(3).values.tolist()
        [[0.0, 0.0, 0.125], [0.25, 0.125, 0.125], [0.75, 0.125, 0.125], [1.0, 0.0, 0.125]]
        """
        return expected_cost(self.hull, self.priors, distribution)

    def vacc_interval(
        self,
        *,
        n_resamples: int = 200,
        confidence_level: float = 0.95,
        random_state: RandomState = None,
    ) -> Interval:
        """VACC with an interval, corrected for its optimism.

        Parameters
        ----------
        n_resamples : int, default=200
            Number of replicates that its optimism is estimated from; fewer are taken of very many
            scores, of which a few say as much.
        confidence_level : float, default=0.95
            Nominal coverage.
        random_state : int, RandomState, Generator or None
            Seed.

        Returns
        -------
        Interval
            Never of width zero, even if no score is on the wrong side;
            :mod:`cautious.curves.surface.vacc` says why.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> found = surface.vacc_interval(n_resamples=50, random_state=0)
        >>> found.low <= found.estimate <= found.high
        True
        """
        return vacc_interval(
            self.staircase,
            self.scales,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            random_state=random_state,
        )

    def grid(self, n: int = 101) -> SurfaceGrid:
        """Cost, optimal window and abstention on an `n` by `n` grid over the unit square.

        Parameters
        ----------
        n : int, default=101
            Grid lines per side, the edges included; at least 2.

        Returns
        -------
        SurfaceGrid

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.grid(n=3).cost.round(3)
        array([[0.   , 0.   , 0.   ],
               [0.   , 0.083, 0.167],
               [0.   , 0.083, 0.167]])
        """
        return surface_grid(self.hull, n)

    def regions(self) -> list[Region]:
        """Polygons of the unit square over which one window is optimal.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> [round(region.area, 3) for region in surface.regions()]
        [0.75, 0.25]
        """
        return optimal_regions(self)

    def differential(self, other: AbstentionCostSurface) -> DifferentialCostSurface:
        """Difference of this surface and another; negative where this one is cheaper.

        Parameters
        ----------
        other : AbstentionCostSurface
            Usually of another classifier on the same data.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> round(surface.differential(surface.trivial()).cost(1, 1), 4)
        -0.3333
        """
        return DifferentialCostSurface(self, other)

    def trivial(self) -> AbstentionCostSurface:
        r"""Surface of the best trivial classifier, :math:`\min(\pi_P, \mu\pi_N, \nu)`.

        It gives every case the same answer: one class, the other, or none. Subtract it with
        :meth:`differential` to see where the scores are worth anything.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.trivial().cost(mu=1, nu=[0.2, 0.6])
        array([0.2, 0.5])
        """
        priors = None if 0 in self.priors else self.priors
        positives, negatives = ([self.staircase.n_positives], [self.staircase.n_negatives])
        alone = Staircase.from_counts([0.0], positives, negatives, self.classes)
        return AbstentionCostSurface(alone, priors=priors)

    def beats_trivial(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.bool_]:
        """Whether the optimal window is cheaper than every trivial classifier.

        It never costs more, since a window can give every case the same answer. Parameters as in
        :meth:`cost`.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.beats_trivial(mu=1, nu=[0, 0.2])
        array([False,  True])
        """
        saved = self.trivial().cost(mu, nu, nu_negative) - self.cost(mu, nu, nu_negative)
        return np.asarray(saved > 1e-12)

    def flipped(self) -> AbstentionCostSurface:
        """Surface with the classes swapped: for VACC and grids if negatives cost more to miss.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.flipped().classes
        (1, 0)
        """
        priors = None if 0 in self.priors else self.priors[::-1]
        return AbstentionCostSurface(self.staircase.flipped(), priors=priors)

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_scores": len(self.staircase), "n_bins": len(self.hull.positives)}
        return {"classes": self.classes, **sizes, "vacc": self.vacc()}

    def frame(self) -> pd.DataFrame:
        """Bins of the hull: their scores, shares of both classes, and calibrated probability.

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
        >>> surface.frame().round(3)
           lower  upper  negatives  positives  probability
        0   -inf    2.5      0.333      0.000          0.0
        1    2.5    4.5      0.167      0.167          0.5
        2    4.5    inf      0.000      0.333          1.0
        """
        return self.hull.frame()


def one_vs_rest(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike,
    classes: Sequence[Any] | npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> dict[Any, AbstentionCostSurface]:
    """Cost surfaces of each class against all others.

    Which classes are worth separating from the rest, and at what costs, is a choice about the
    problem; nothing is averaged here.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels, all among `classes`.
    y_score : array-like of shape (n, K)
        Scores, one column per class, such as ``predict_proba`` gives. The columns of a frame may
        have any order if they are named after the classes.
    classes : sequence of length K
        Class labels in column order (for an estimator: ``estimator.classes_``).
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    dict
        From each label to its :class:`AbstentionCostSurface`.

    Examples
    --------
    >>> surfaces = one_vs_rest(["a", "b", "c", "a"], [[.8, .1, .1], [.2, .7, .1], [.3, .3, .4],
    ...                        [.3, .5, .2]], ["a", "b", "c"])
    >>> {label: round(surface.vacc(), 4) for label, surface in surfaces.items()}
    {'a': 0.1042, 'b': 0.0, 'c': 0.0}
    """
    truth = check_truth(y_true)
    labels = check_classes(classes)
    scores = frame_in_class_order(y_score, labels, "y_score")
    if scores.shape != (len(truth), len(labels)):
        raise ValueError(
            f"y_score has shape {scores.shape}; expected ({len(truth)}, {len(labels)}): one row "
            "per example of y_true, one column per class."
        )
    codes = as_codes(truth, labels, name="y_true")
    surfaces = {}
    for k, label in enumerate(labels.tolist()):
        staircase = Staircase.from_predictions(
            codes == k, scores[:, k], classes=(False, True), sample_weight=sample_weight
        )
        named = replace(staircase, classes=(f"not {label}", label))
        surfaces[label] = AbstentionCostSurface(named)
    return surfaces
