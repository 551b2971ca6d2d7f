r"""Abstention cost surfaces: the least expected cost of an abstaining classifier, at any costs.

Where class shares and costs are uncertain, there is Drummond and Holte's view. With a share
:math:`\pi` of positives, shares :math:`a_e` of all positives and :math:`b_e` of all negatives in
the bins of the hull, the least cost is

.. math:: k(\mu, \nu, \pi) = \sum_e \min\{\pi a_e,\ \mu (1-\pi) b_e,\ \nu(\pi a_e + (1-\pi) b_e)\},

because scaling the classes moves no corner of the hull. For known costs it is piecewise linear in
:math:`\pi`: bin e is called negative up to one share, positive from another one on, and abstained
on between. So its expectation under a beta distribution needs only the distribution's own function
and that of its first moment at these shares.

Who must choose one window before the share and the costs are known cannot have that. A fixed window
costs :math:`\pi P(n|P) + \mu(1-\pi)P(p|N) + \nu\pi P(\bot|P) + \nu(1-\pi)P(\bot|N)`, linear in four
products, so the best one is the optimal window for their means, whatever the distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import check_choice
from cautious._labels import answer_index
from cautious._random import Interval
from cautious._result import Shown
from cautious._typing import Floats, RandomState, as_floats, as_number
from cautious.costs._forms import CostsLike, costs_for
from cautious.curves._budgets import (
    cost_without_abstaining,
    least_abstaining_window,
    least_costly_window,
)
from cautious.curves._cost_square import (
    DifferentialCostSurface,
    Region,
    SurfaceGrid,
    grid_lines,
    optimal_regions,
)
from cautious.curves._hull import CostHull
from cautious.curves._staircase import Priors, Staircase, class_scales
from cautious.curves._vacc import bin_volumes, vacc_interval, vacc_test
from cautious.curves._window import (
    BinaryCosts,
    Per,
    Window,
    binary_costs,
    check_binary_costs,
    chow_window,
    plain,
    window_between,
)
from cautious.decision._thresholds import check_window
from cautious.errors import check_kind, warn_undefined
from cautious.guarantees._certified_rule import certify_counts
from cautious.guarantees._tallies import Answers, Certified
from cautious.predictions._estimators import FromEstimator


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
        check_kind(staircase, Staircase, "staircase", "a Staircase")
        scales = class_scales(staircase, priors)
        counts = staircase.n_negatives, staircase.n_positives
        for label, count in zip(staircase.classes, counts, strict=True):
            if count == 0:
                warn_undefined(
                    f"there is no example of class {label!r}, so one answer to everything is free "
                    "and every cost is 0; the surface says nothing about the classifier.",
                    stacklevel=4,
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
        y_true, y_score, pos_label, sample_weight
            As in :meth:`Staircase.from_predictions`.
        priors : mapping or pair (negative, positive), optional
            Class probabilities to assume instead of the sample's.
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
        """
        costs = check_binary_costs(mu, nu, nu_negative)
        return plain(self.hull.cost(costs, *self.hull.corners(costs)))

    def window(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Thresholds of the optimal window: p from the upper one, n up to the lower one.

        Each lies midway between neighbouring distinct scores, or at -inf or inf beyond them all.
        Equal thresholds mean that nothing is abstained on. Parameters as in :meth:`cost`.
        """
        corners = self.hull.corners(check_binary_costs(mu, nu, nu_negative))
        lower, upper = self.hull.thresholds(*corners)
        return plain(lower), plain(upper)

    def abstention(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        """Share of cases the optimal window abstains on. Parameters as in :meth:`cost`."""
        lower, upper = self.hull.corners(check_binary_costs(mu, nu, nu_negative))
        return plain(self.hull.cases_below[upper] - self.hull.cases_below[lower])

    def rates(self, mu: float, nu: float, nu_negative: float | None = None) -> pd.DataFrame:
        """Shares of all cases under the optimal window: answers and ⊥ as rows, truths as columns.

        Parameters as in :meth:`cost`, single numbers.
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
        """
        return window_between(*check_window(lower, upper), self.staircase, self.scales)

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
        read = costs_for(costs, self.classes, self.classes[1], needs_abstention=True)
        return self.cheapest_window(read.answer_values())

    def cheapest_window(self, table: Floats) -> Window:
        """Find the optimal window for a table of costs, rows in the order of the classes."""
        beyond = binary_costs(table, self.classes)
        lower, upper = self.hull.thresholds(*self.hull.corners(beyond))
        window = window_between(float(lower), float(upper), self.staircase, self.scales)
        negative, positive = self.priors
        right = negative * table[0, 0] + positive * table[1, 1]
        trivial = [
            positive * beyond.false_negative,
            negative * beyond.false_positive,
            positive * beyond.abstain_positive + negative * beyond.abstain_negative,
        ]
        alike = pd.Series(np.array(trivial) + right, index=answer_index(self.classes))
        cost = float(beyond.expected(*window.shares) + right)
        return replace(window, cost=cost, trivial=alike)

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

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
        >>> best = surface.for_max_abstention(0.25, per="case")
        >>> best.lower, best.upper, best.error, best.abstention
        (3.5, 5.5, 0.125, 0.25)
        """
        words = "a share lies between 0 and 1"
        budget = as_number(max_abstention, "max_abstention", 0, 1, words=words)
        return self._within(least_costly_window, budget, mu, per)

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

        Examples
        --------
        >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
        >>> best = surface.for_max_error(0.2)  # at most one answer in five may be wrong
        >>> best.lower, best.upper, round(best.selective_error, 4), best.abstention
        (3.5, 5.5, 0.1667, 0.25)
        """
        budget = as_number(max_error, "max_error", 0, words="a budget may not be negative")
        return self._within(least_abstaining_window, budget, mu, per)

    def for_saving(self, min_saving: float, *, mu: float = 1.0, per: Per = "answer") -> Window:
        """Window that abstains least among those that save a part of the cost of never abstaining.

        Parameters
        ----------
        min_saving : float
            Part of the least cost without abstention that has to go, between 0 and 1.
        mu, per
            As in :meth:`for_max_error`.
        """
        min_saving = as_number(min_saving, "min_saving", 0, 1, words="a part lies between 0 and 1")
        mu = float(check_binary_costs(mu, 0.0).false_positive)
        never = cost_without_abstaining(self.staircase, self.scales, mu=mu)
        return self.for_max_error((1 - min_saving) * never, mu=mu, per=per)

    def _within(self, search: Any, budget: float, mu: float, per: Per) -> Window:
        """Search all windows under a budget."""
        check_choice(per, "per", get_args(Per))
        mu = float(check_binary_costs(mu, 0.0).false_positive)
        lower, upper = search(self.staircase, self.scales, budget, mu=mu, per=per)
        return window_between(lower, upper, self.staircase, self.scales)

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
        Seen on 1,000 calibration cases: 62 of 765 answers were wrong (p = 0.043).
        """
        if self.scales != class_scales(self.staircase, None):
            raise ValueError(
                "this surface has priors that are not those of its cases, and a promise counts "
                "cases as they were drawn; make the surface without priors. For costs with other "
                "class shares there is cautious.guarantees.certify_cost(shares=…)."
            )
        stairs = self.staircase
        asked.setdefault("thresholds", "one" if stairs.are_probabilities else "two")
        found = certify_counts(Answers.of(stairs.cases()), "staircase", **asked)
        return found.with_scores(stairs.score_bins(), column=stairs.column, model=stairs.model)

    # What follows from costs, or from cases of two classifiers.

    chow_window = staticmethod(chow_window)
    vacc_test = staticmethod(vacc_test)

    # The surface as a whole.

    def vacc(self) -> float:
        r"""Volume under the surface, :math:`\int_0^1\!\int_0^1 k(\mu,\nu)\,d\mu\,d\nu`, exactly.

        The expected cost if all relative costs within the unit square are equally likely (Friedel
        et al. 2006, section 4), in closed form per bin of the hull.
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
        >>> import scipy
        >>> surface = AbstentionCostSurface.from_predictions(
        ...     [0, 0, 1, 0, 1, 0, 1, 1], [-7, -5, -3, -1, 1, 3, 5, 7])
        >>> found = surface.expected_cost({"mu": 1.0, "nu": 0.25, "prior": scipy.stats.beta(2, 4)})
        >>> round(found.adapted, 4), round(found.fixed, 4), found.lower, found.upper
        (0.1069, 0.125, -4.0, 4.0)
        >>> found.curve().round(3).values.tolist()
        [[0.0, 0.0, 0.125], [0.25, 0.125, 0.125], [0.75, 0.125, 0.125], [1.0, 0.0, 0.125]]
        """
        return _expected_cost(self.hull, self.priors, distribution)

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
            :mod:`cautious.curves._vacc` says why.
        """
        how = confidence_level, n_resamples, random_state
        return vacc_interval(self.staircase, self.scales, *how)

    def grid(self, n: int = 101) -> SurfaceGrid:
        """Cost, optimal window and abstention on an `n` by `n` grid over the unit square.

        Parameters
        ----------
        n : int, default=101
            Grid lines per side, the edges included; at least 2.
        """
        lines, hull = grid_lines(n), self.hull
        costs = check_binary_costs(lines[None, :], lines[:, None])
        lower, upper = hull.corners(costs)
        abstention = hull.cases_below[upper] - hull.cases_below[lower]
        parts = hull.cost(costs, lower, upper), *hull.thresholds(lower, upper), abstention
        return SurfaceGrid(lines, lines, *parts)

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
        check_kind(other, AbstentionCostSurface, "other", "an AbstentionCostSurface")
        return DifferentialCostSurface(self, other)

    def trivial(self) -> AbstentionCostSurface:
        r"""Surface of the best trivial classifier, :math:`\min(\pi_P, \mu\pi_N, \nu)`.

        It gives every case the same answer: one class, the other, or none. Subtract it with
        :meth:`differential` to see where the scores are worth anything.
        """
        priors = None if 0 in self.priors else self.priors
        counts = [self.staircase.n_positives], [self.staircase.n_negatives]
        alone = Staircase.from_counts([0.0], *counts, self.classes)
        return AbstentionCostSurface(alone, priors=priors)

    def beats_trivial(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.bool_]:
        """Whether the optimal window is cheaper than every trivial classifier.

        It never costs more, since a window can give every case the same answer. Parameters as in
        :meth:`cost`.
        """
        saved = self.trivial().cost(mu, nu, nu_negative) - self.cost(mu, nu, nu_negative)
        return np.asarray(saved > 1e-12)

    def flipped(self) -> AbstentionCostSurface:
        """Surface with the classes swapped: for VACC and grids if negatives cost more to miss."""
        priors = None if 0 in self.priors else self.priors[::-1]
        return AbstentionCostSurface(self.staircase.flipped(), priors=priors)

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_scores": len(self.staircase), "n_bins": len(self.hull.positives)}
        return {"classes": self.classes, **sizes, "vacc": self.vacc()}

    def frame(self) -> pd.DataFrame:
        """Bins of the hull: their scores, shares of both classes, and calibrated probability."""
        return self.hull.frame()


@dataclass(frozen=True, repr=False)
class ExpectedCost(Shown):
    """Cost expected of a classifier over uncertain class shares and costs.

    Attributes
    ----------
    adapted : float
        If the best window is taken once share and costs are known; in units of a false negative.
    fixed : float
        If one window is chosen beforehand, the best there is.
    lower, upper : float
        Its thresholds.
    """

    adapted: float
    fixed: float
    lower: float
    upper: float
    _draw: Callable[[], pd.DataFrame] = field(repr=False, compare=False)

    @property
    def worth_of_knowing(self) -> float:
        """How much less a case costs if share and costs become known before the window is set."""
        return self.fixed - self.adapted

    def curve(self) -> pd.DataFrame:
        """Cost against the share of positives, costs averaged: Drummond & Holte's curve."""
        return self._draw()

    def _facts(self) -> dict[str, Any]:
        window = {"lower": self.lower, "upper": self.upper}
        return {"adapted": self.adapted, "fixed": self.fixed, **window}


@dataclass(frozen=True)
class _Scenarios:
    """Relative costs with their weights, which add up to one, and shares of each class by bin."""

    mu: Floats
    nu: Floats
    weight: Floats
    positives: Floats
    negatives: Floats

    def costs(self, prior: Floats) -> Floats:
        """Least cost by scenario (rows) at shares of positives (columns, or one per row)."""
        mu, nu, p = self.mu[:, None, None], self.nu[:, None, None], prior[..., None]
        missed, alarmed = p * self.positives, (1 - p) * self.negatives
        answered = np.minimum(missed, mu * (1 - p) * self.negatives)
        return np.asarray(np.minimum(answered, nu * (missed + alarmed)).sum(axis=-1))

    @cached_property
    def turns(self) -> tuple[Floats, Floats]:
        """Shares up to which each bin is called negative, and from which on positive."""
        a, b, mu, nu = self.positives, self.negatives, self.mu[:, None], self.nu[:, None]
        pays, alone = nu < mu / (1 + mu), _ratio(mu * b, a)
        low, high = _ratio(nu * b, (1 - nu) * a), _ratio((mu - nu) * b, nu * a)
        return np.where(pays, low, alone), np.where(pays, high, alone)

    def expected(self, prior: _Beta) -> Floats:
        """Least cost by scenario, expected over a distribution of the share of positives."""
        a, b, mu, nu = self.positives, self.negatives, self.mu[:, None], self.nu[:, None]
        (chance_low, part_low), (chance_high, part_high) = map(prior.parts, self.turns)
        abstained = nu * (b * (chance_high - chance_low) + (a - b) * (part_high - part_low))
        alarmed = mu * b * ((1 - chance_high) - (prior.mean - part_high))
        return np.asarray((a * part_low + abstained + alarmed).sum(axis=1))

    def curve(self, lower: int, upper: int) -> pd.DataFrame:
        """Cost at every share where some bin changes its answer, beside that of one window."""
        mu, nu, w = self.mu, self.nu, self.weight
        stops = np.unique(np.concatenate([[0.0, 1.0], *(turn.ravel() for turn in self.turns)]))
        by_share = np.zeros(len(stops))
        for i, weight in enumerate(w):  # one by one: shares times bins fill memory enough
            single = replace(self, mu=mu[[i]], nu=nu[[i]])
            by_share += weight * single.costs(stops[None])[0]
        missed, alarmed = self.positives[:lower].sum(), self.negatives[upper:].sum()
        on_pos, on_neg = (side[lower:upper].sum() for side in (self.positives, self.negatives))
        fixed = stops * missed + (w @ mu) * (1 - stops) * alarmed
        fixed = fixed + (w @ nu) * (stops * on_pos + (1 - stops) * on_neg)
        return pd.DataFrame({"prior": stops, "cost": by_share, "fixed": fixed})


def _ratio(part: Floats, other: Floats) -> Floats:
    """Share x / (x + y), 0 where both are nothing."""
    part, total = np.maximum(part, 0), np.maximum(part, 0) + np.maximum(other, 0)
    shares: Floats = np.divide(part, total, out=np.zeros(total.shape), where=total > 0)
    return shares


def _expected_cost(hull: CostHull, priors: tuple[float, float], distribution: Any) -> ExpectedCost:
    """Work out what :meth:`AbstentionCostSurface.expected_cost` gives."""
    if min(priors) <= 0:
        raise ValueError(
            "a class has no example, so nothing is known of other class shares; give cases of both "
            "classes."
        )
    mu, nu, w, prior = _read(distribution, priors[1])
    scenarios = _Scenarios(mu, nu, w, hull.positives / priors[1], hull.negatives / priors[0])
    if isinstance(prior, _Beta):
        costs, mean = scenarios.expected(prior), np.full(len(mu), prior.mean)
    else:
        costs, mean = scenarios.costs(prior[:, None])[:, 0], prior
    products = (mean, 1), (mu * (1 - mean), 0), (nu * mean, 1), (nu * (1 - mean), 0)
    means = BinaryCosts(*(np.asarray(w @ product / priors[of]) for product, of in products))
    corners = hull.corners(means)
    lower, upper = (float(end) for end in hull.thresholds(*corners))
    fixed = float(hull.cost(means, *corners))
    draw = partial(scenarios.curve, *map(int, corners))
    return ExpectedCost(float(w @ costs), fixed, lower, upper, draw)


@dataclass(frozen=True)
class _Beta:
    """A beta distribution on part of the unit interval; with 1 and 1 the uniform one."""

    first: float
    second: float
    low: float
    high: float

    @property
    def mean(self) -> float:
        share = self.first / (self.first + self.second)
        return self.low + (self.high - self.low) * share

    def parts(self, x: Floats) -> tuple[Floats, Floats]:
        """Give the chance of a share up to x, and that part of the mean."""
        z = np.clip((x - self.low) / (self.high - self.low), 0, 1)
        chance = scipy.stats.beta.cdf(z, self.first, self.second)
        share = self.first / (self.first + self.second)
        part = share * scipy.stats.beta.cdf(z, self.first + 1, self.second)
        return chance, self.low * chance + (self.high - self.low) * part

    @classmethod
    def of(cls, prior: Any) -> _Beta:
        """Read a distribution of scipy."""
        name = getattr(getattr(prior, "dist", None), "name", type(prior).__name__)
        low, high = (float(end) for end in prior.support())
        if name not in ("beta", "uniform") or not 0 <= low < high <= 1:
            raise ValueError(
                f"prior of distribution is {name} on [{low:g}, {high:g}]; give scipy.stats.beta or "
                "scipy.stats.uniform within [0, 1], or a prior and a weight for each scenario."
            )
        if name == "uniform":
            return cls(1.0, 1.0, low, high)
        shape = dict(zip(("a", "b"), prior.args, strict=False)) | prior.kwds
        return cls(float(shape["a"]), float(shape["b"]), low, high)


def _read(distribution: Any, own: float) -> tuple[Floats, Floats, Floats, Floats | _Beta]:
    """Read the costs and weights of scenarios, and the class share of each or its distribution."""
    if not isinstance(distribution, Mapping | pd.DataFrame):
        raise TypeError(
            f"distribution is of type {type(distribution).__name__}; give a mapping or a frame "
            "with mu, nu and, if they are not the sample's or not alike, prior and weight."
        )
    columns = {str(name): distribution[name] for name in distribution}
    if not {"mu", "nu"} <= set(columns) <= {"mu", "nu", "weight", "prior"}:
        raise ValueError(
            f"distribution has {', '.join(columns) or 'nothing'}; give mu and nu, and prior and "
            "weight if there are any."
        )
    prior = columns.get("prior", own)
    beta = _Beta.of(prior) if hasattr(prior, "cdf") else None
    columns = {"weight": 1.0} | columns | {"prior": own if beta else prior}
    arrays = [
        np.atleast_1d(np.asarray(columns[name], dtype=np.float64))
        for name in ("mu", "nu", "weight", "prior")
    ]
    try:
        mu, nu, weight, share = np.broadcast_arrays(*arrays)
    except ValueError as error:
        sizes = ", ".join(str(len(each)) for each in arrays)
        raise ValueError(
            f"mu, nu, weight and prior of distribution have the lengths {sizes}; give one number, "
            "or as many of each as there are scenarios."
        ) from error
    check_binary_costs(mu, nu, None)
    as_floats(weight, "distribution['weight']", "weights", words="a weight is not negative")
    words = "a share of positives lies between 0 and 1"
    as_floats(share, "distribution['prior']", "shares", high=1, words=words)
    if not weight.sum() > 0:
        raise ValueError("the weights of distribution add up to nothing; give one above 0.")
    return mu, nu, weight / weight.sum(), beta or share
