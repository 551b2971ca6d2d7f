"""The one search for thresholds: of an estimator, of the command line and of the page."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cautious._cases import Cases, cases_of_proba, cases_of_scores
from cautious._checks import check_some_weight, check_weight, few_labels
from cautious._labels import binary_classes
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs import SetCosts
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.curves._budgets import (
    cost_without_abstaining,
    least_abstaining_window,
    least_costly_window,
    window_thresholds,
)
from cautious.curves._staircase import Priors, SortedScores, check_priors, class_scales
from cautious.curves._window import (
    Per,
    binary_costs,
    posterior_window,
    thresholds_at,
    window_between,
)
from cautious.decision import Rule
from cautious.decision._rule_json import exchange_details, score_bins
from cautious.decision.optimal._solver import parts_of_costs, preferred_answers, rounded
from cautious.errors import shown
from cautious.tensors import as_numpy
from cautious.tuning._goal import FoundRule, Goal
from cautious.tuning.class_thresholds import ClassThresholdCurve, SortedAnswers

_ROUNDING = 1e-12
# Sums of losses that differ by less, in units of the largest, are equal.
_TIE = 1e-9


def find_rule(
    y_true: Sequence[Any] | npt.ArrayLike,
    *,
    y_score: npt.ArrayLike | None = None,
    y_proba: npt.ArrayLike | None = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    costs: CostsLike | None = None,
    max_abstention: float | None = None,
    max_error: float | None = None,
    min_saving: float | None = None,
    per: Per = "answer",
    priors: Priors | None = None,
) -> FoundRule:
    r"""Find the best rule for answering or abstaining on given predictions.

    Say what matters in one of four ways: what every answer and every abstention costs, how much may
    be abstained on, how many mistakes may be made, or which part of the mistakes is to be saved.

    Two classes are separated by a *window* :math:`(l, u)` on the score of the positive class
    (Friedel, Rückert & Kramer 2006). The best of all windows is found, exactly.

    With more classes each has a *threshold* of its own on the confidence in it (Ferri &
    Hernández-Orallo 2004, rule R2). Without costs the preferred answer is the most probable class
    and the confidence its probability. With costs it is the class c of the least expected cost, and
    the confidence is what it saves against abstaining,
    :math:`\sum_y p_y (C_{\bot y} - C_{c y})`. For costs the best thresholds are found exactly. For
    a budget they are, too, but for very many cases of many classes, where the search may end
    early: ``gap`` says by how much a better rule could be better at most.

    The rule is the best on these predictions; on new ones its mistakes and costs are a little
    larger, because choosing the best thresholds fits them to chance as well. Use predictions that
    were held out from training.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_score : array-like of shape (n,), optional
        Scores of two classes that grow with the belief in the positive one.
    y_proba : array-like of shape (n, K), optional
        Class probabilities, in place of scores.
    classes : sequence of length K, optional
        Class labels: in column order of `y_proba`; (negative, positive) for `y_score`.
    pos_label : label, optional
        The positive one of two classes. For probabilities it need not be said unless `costs` are
        named after false negatives and false positives; the window is then on the second class.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    costs : optional
        What answers and abstaining cost, in any form of :func:`cautious.costs.as_costs`; costs may
        differ per case. Beside `max_abstention` or `min_saving` what the two mistakes cost alone,
        ``{"false_negative": …, "false_positive": …}``; `max_error` counts all mistakes alike.
    max_abstention : float, optional
        Largest share of cases to abstain on, while mistakes are as few (or as cheap) as possible.
    max_error : float, optional
        Largest share of mistakes, while as little as possible is abstained on.
    min_saving : float, optional
        The part of the mistakes (or of their cost) without abstention that has to go, while as
        little as possible is abstained on.
    per : {"answer", "case"}, default="answer"
        Whether mistakes are counted among the answers given or among all cases.
    priors : mapping, or sequence in the order of the classes, optional
        Class probabilities to assume instead of the sample's.

    Returns
    -------
    FoundRule

    See Also
    --------
    cautious.curves.AbstentionCostSurface : all windows of two classes, at any costs.
    cautious.models.TunedAbstainingClassifierCV : the same search on held-out predictions.

    References
    ----------
    Friedel, Rückert & Kramer (2006); Pietraszek (2005), *Optimizing abstaining classifiers using
    ROC analysis*; Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> y, score = [0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> found = find_rule(y, y_score=score, max_abstention=0.25)
    >>> found.abstention, round(found.selective_error, 4)
    (0.25, 0.1667)
    >>> found.rule.predict_set([0.2, 0.65, 0.9])
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    >>> find_rule(y, y_score=score, costs={"false_negative": 5, "false_positive": 1, "abstain": 1})
    FoundRule(rule=Rule.window(...), abstention=..., cost=...)
    """
    goal = Goal(costs, max_abstention, max_error, min_saving, per, priors)
    if (y_score is None) == (y_proba is None):
        raise ValueError(
            f"{'neither y_score nor' if y_score is None else 'both y_score and'} y_proba given; "
            "give the scores of the positive class, or the probabilities of all classes."
        )
    if y_score is not None:
        cases = cases_of_scores(
            y_true,
            y_score,
            pos_label=pos_label,
            classes=classes,  # type: ignore[arg-type]
            sample_weight=sample_weight,
        )
    else:
        cases = cases_of_proba(y_true, as_numpy(y_proba), classes=classes)
        if sample_weight is not None:
            weight = check_weight(as_numpy(sample_weight), cases.n)
            cases = replace(cases, sample_weight=weight)
    return search_cases(cases, goal, pos_label=pos_label).found


def search_cases(cases: Cases, goal: Goal, *, pos_label: Any = None) -> Search:
    """Prepare the search for the best rule on checked cases; only graded ones may lack a score."""
    has_scores = cases.y_score is not None
    positive = cases.classes[1] if has_scores else positive_of(cases.labels, goal, pos_label)
    costs = goal.read_costs(cases.classes, cases.n, positive, graded=cases.graded)
    if cases.sample_weight is not None and not cases.sample_weight.all():
        seen = np.flatnonzero(cases.sample_weight)
        cases, costs = cases.take(seen), costs and costs.take(seen)
    check_some_weight(cases.n)
    kind: type[Search] = WindowSearch
    if len(cases.classes) > 2:
        kind = _ThresholdSearch
    elif cases.graded:
        kind = _AcceptanceSearch
    elif not has_scores:
        at = cases.classes.index(positive)
        pair = (cases.classes[1 - at], positive)
        codes = cases.truth if at else 1 - cases.truth
        score = cases.proba[:, at]
        cases = replace(cases, classes=pair, codes=codes, y_score=score, y_proba=None)
        costs = costs and costs.in_order(pair)
    priors = None
    if goal.priors is not None:
        totals = np.bincount(cases.truth, cases.weight, len(cases.classes)).astype(np.float64)
        priors = check_priors(goal.priors, cases.classes, totals)
    return kind(cases, goal, costs, priors)


def positive_of(labels: Labels, goal: Goal, pos_label: Any = None) -> Any:
    """Name the positive class where there are probabilities of two classes."""
    classes = labels.tolist()
    if pos_label is not None and (len(classes) > 2 or pos_label not in classes):
        raise ValueError(
            f"pos_label is {shown(pos_label)}, but it is one of two classes only where there are "
            f"two, and these are {few_labels(labels)}. To set one class against all others, "
            "give its scores as y_score."
        )
    if pos_label is not None or len(classes) > 2:
        return pos_label
    return binary_classes(classes)[1] if isinstance(goal.costs, Mapping) else classes[1]


@dataclass(eq=False)
class Search(ABC):
    """Search for the best rule on cases of positive weight; what was found once is kept.

    ``costs`` are those of these cases and classes; ``priors`` are the class shares to assume.
    """

    cases: Cases
    goal: Goal
    costs: SetCosts | None
    priors: Floats | None

    def __post_init__(self) -> None:
        costs, truth = self.costs, self.cases.truth
        # What each answer costs, abstaining last: by true class, or by case where that differs.
        self.losses: Floats | None = None
        if isinstance(costs, AnswerCosts) and costs.per_case:
            self.losses = np.asarray(costs.values[np.arange(len(truth)), :, truth])
        elif costs is not None:
            self.losses = costs.answer_values().T
        self.by_case = costs is not None and costs.per_case
        # Costs that hold for new cases, too, and put a price on abstaining.
        self.shared_costs = None if self.by_case or self.goal.budgets else costs
        # What share of all cases each case stands for.
        n, weight = self.cases.n, self.cases.sample_weight
        self.share: Floats = np.broadcast_to(1 / n, n)
        if self.priors is not None:
            self.share = self.weighed(self.cases.weight)
        elif weight is not None:
            self.share = weight / weight.sum()
        # Rows that have a score: all but those of graded answers without a confidence.
        self.scored: Ints | slice = slice(None)
        if self.cases.graded and (missing := self.cases.missing).any():
            self.scored = np.flatnonzero(~missing)

    def weighed(self, weight: Floats) -> Floats:
        """Scale the weights of the cases so that their classes have the shares to assume."""
        if self.priors is None:
            return weight
        truth = self.cases.truth
        totals = np.bincount(truth, weight, len(self.priors)).astype(np.float64)
        return np.asarray(weight * (self.priors / totals)[truth])

    def cells(self, answer: Ints, width: int | None = None) -> Floats:
        """Sum the shares of the cases by true class (rows) and by answer (columns)."""
        k = len(self.cases.classes)
        width = width or k + 1
        code = self.cases.truth * width + answer
        return np.bincount(code, self.share, k * width).astype(np.float64).reshape(k, width)

    @cached_property
    def scores(self) -> SortedScores:
        """Scores of two classes, in order."""
        return SortedScores.of(self.cases.score[self.scored], self.cases.truth[self.scored] == 1)

    @cached_property
    def staircase(self) -> Staircase:
        """Counts of two classes at each of their scores."""
        weight = self.cases.sample_weight
        weight = None if weight is None else weight[self.scored]
        return self.scores.staircase(weight, self.cases.classes)

    @property
    def _bins(self) -> dict[str, Any]:
        """Bins of the scores, so that their drift can be watched."""
        # New cases come one by one, whatever weights these have.
        weight = self.cases.sample_weight
        alike = weight is None or (weight == 1).all()
        stairs = self.staircase if alike else self.scores.staircase(None, self.cases.classes)
        return {"scores": bins} if (bins := stairs.score_bins()) else {}

    @cached_property
    @abstractmethod
    def found(self) -> FoundRule:
        """The best rule, and what it does to the cases."""

    @cached_property
    @abstractmethod
    def answer(self) -> Ints:
        """Positions of the classes that the best rule answers with; K abstains."""

    @abstractmethod
    def held_out(self, fold: Ints) -> Ints:
        """Answer the cases of each fold by the best rule for all others."""


class _SortedFolds:
    """Cases in the order of their scores, counted by block, fold and class.

    A threshold lies where the sum of gains below it is least. How far a block of scores can lower
    that sum is known from its counts, so few blocks have to be searched. A threshold is found
    without the cases of one fold. The last fold, number n, has no cases: nothing is left out then.
    """

    def __init__(self, scores: SortedScores, weight: Floats | None, fold: Ints, n: int) -> None:
        self.scores, self.fold = scores, fold[scores.order]
        self.weight = np.broadcast_to(1.0, len(fold)) if weight is None else weight[scores.order]
        self.step = math.isqrt(len(scores.starts))
        begins, n_folds = scores.starts[:: self.step], n + 1
        self.borders = np.append(begins, len(fold))
        cell = np.repeat(np.arange(len(begins)) * (2 * n_folds), np.diff(self.borders))
        cell += 2 * self.fold
        cell += scores.is_positive
        each = None if weight is None else self.weight
        counts = np.bincount(cell, each, 2 * n_folds * len(begins)).astype(np.float64)
        counts = counts.reshape(-1, n_folds, 2)
        self.kept = counts.sum(axis=1, keepdims=True) - counts
        self.below = np.concatenate([np.zeros((1, n_folds, 2)), self.kept.cumsum(axis=0)])

    def cut(self, number: int, scale: Floats, limit: float, side: Literal["left", "right"]) -> int:
        """Find the cut where the share of positives passes a limit."""
        limit *= 1 - _ROUNDING if side == "left" else 1 + _ROUNDING  # ties are answered
        gain = scale * np.array([-limit, 1 - limit])
        slack = _ROUNDING * float((self.kept[:, number] @ np.abs(gain)).sum())
        equal = self.least(number, gain, slack)
        # Cases between equal sums have just this share of positives, but for rounding.
        rows = slice(equal[0], equal[-1])
        negative, positive = scale * self._counted(number, rows)
        share = positive / ((positive + negative) or 1.0)
        return int(equal[-1] if np.searchsorted([share], limit, side) else equal[0])

    def least(self, number: int, gain: Floats, slack: float, end: float = np.inf) -> Ints:
        """Find the cuts before an end below which the sum of gains by class is least."""
        within = np.minimum(self.kept[:, number] * gain, 0).sum(axis=1)
        sums = self.below[self.borders < end, number] @ gain
        low = (self.below[:-1, number] @ gain + within)[self.borders[:-1] < end]
        near = np.flatnonzero(low <= max(sums.min(), low.min()) + slack)
        cuts, sums = self._sums(number, gain, near[0], int(near[-1]) + 1)
        cuts, sums = cuts[cuts < end], sums[cuts < end]
        return np.asarray(cuts[sums <= sums.min() + slack])

    def first(self, number: int, gain: Floats, limit: float) -> int:
        """Find the first cut below which the sum of gains is less than a limit.

        Where there is none, the answer lies beyond all cuts.
        """
        within = np.minimum(self.kept[:, number] * gain, 0).sum(axis=1)
        for block in np.flatnonzero(self.below[:-1, number] @ gain + within < limit).tolist():
            cuts, sums = self._sums(number, gain, block, block + 1)
            if (sums < limit).any():
                return int(cuts[np.argmax(sums < limit)])
        return len(self.fold) + 1

    def reached(self, number: int, cut: int) -> Floats:
        """Count the kept cases below a cut, by class."""
        block = int(np.searchsorted(self.borders, cut, side="right")) - 1
        rows = slice(self.borders[block], cut)
        return np.asarray(self.below[block, number] + self._counted(number, rows))

    def _counted(self, number: int, rows: slice) -> Floats:
        """Count the kept cases in some rows, by class."""
        each = self.weight[rows] * (self.fold[rows] != number)
        return np.bincount(self.scores.is_positive[rows], each, 2).astype(np.float64)

    def _sums(self, number: int, gain: Floats, first: int, last: int) -> tuple[Ints, Floats]:
        """Sum the gains below each cut of the blocks from `first` to before `last`."""
        rows = slice(self.borders[first], self.borders[last])
        each = self.weight[rows] * (self.fold[rows] != number)
        each *= np.where(self.scores.is_positive[rows], gain[1], gain[0])
        sums = self.below[first, number] @ gain + np.append(0.0, np.cumsum(each))
        cuts = np.append(self.scores.starts[first * self.step : last * self.step], rows.stop)
        return cuts, sums[cuts - rows.start]

    def thresholds(self, number: int, cut: int) -> tuple[float, float]:
        """Give the thresholds that separate the nearest kept cases on both sides of a cut."""
        below, above, n = cut - 1, cut, len(self.fold)
        while below >= 0 and self.fold[below] == number:
            below -= 1
        while above < n and self.fold[above] == number:
            above += 1
        if below < 0 or above == n:
            end = -math.inf if below < 0 else math.inf
            return end, end
        at = np.searchsorted(self.scores.starts, [below, above], side="right") - 1
        low, high = thresholds_at(self.scores.values[at], np.array(1))
        return float(low), float(high)


class WindowSearch(Search):
    """Search for a window on the scores of two classes; they are sorted once."""

    @cached_property
    def found(self) -> FoundRule:
        surface = AbstentionCostSurface(self.staircase, priors=self.goal.priors)
        costs = self.shared_costs
        if costs is not None:
            window = surface.cheapest_window(costs.answer_values())
        else:
            window = window_between(*self._best_on(None), self.staircase, surface.scales)
            if self.losses is not None and self.by_case:
                # The rule is for new cases, but its cost is that of these.
                answer = self.answered(window.lower, window.upper)
                cost = float(self.share @ self.losses[np.arange(len(answer)), answer])
                window = replace(window, cost=cost)
            elif self.costs is not None:  # of the two mistakes
                mistakes = binary_costs(self.costs.answer_values(), self.cases.classes)
                window = replace(window, cost=float(mistakes.expected(*window.shares)))
        rule = window.rule()
        data = {**(rule.data or {}), **self.goal.data}
        if self.cases.sample_weight is not None:
            data |= self._bins
        return FoundRule(
            exchange_details(rule, costs=costs, data=data or None),
            window.abstention,
            window.error,
            window.selective_error,
            window.cost,
            surface,
            window,
        )

    def _best_on(self, part: Mask | None) -> tuple[float, float]:
        """Find the best window on some cases or all, in a budget or for costs of each case."""
        goal, mu = self.goal, 1.0
        if not goal.budgets:
            return self._cheapest(self.cases.weight if part is None else part * self.cases.weight)
        stairs = self.staircase if part is None else self._stairs_of(part)
        scales = class_scales(stairs, self.priors)
        if self.losses is not None:
            mu = float(self.losses[0, 1] / self.losses[1, 0])
        if goal.max_abstention is not None:
            return least_costly_window(stairs, scales, goal.max_abstention, mu=mu, per=goal.per)
        budget = goal.max_error
        if budget is None:
            assert goal.min_saving is not None
            budget = (1 - goal.min_saving) * cost_without_abstaining(stairs, scales, mu=mu)
        return least_abstaining_window(stairs, scales, budget, mu=mu, per=goal.per)

    def _cheapest(self, weight: Floats) -> tuple[float, float]:
        """Find the best window where costs differ per case; a tie goes to least abstention."""
        assert self.losses is not None
        weight = self.weighed(weight)
        each = self.losses * weight[:, None]
        values, place = self.scores.values, self.scores.place
        negative, positive, abstain, cases = (
            np.append(0.0, np.cumsum(np.bincount(place, amount, minlength=len(values))))
            for amount in (*each.T, weight)
        )
        below = negative - abstain
        above = (positive[-1] - positive) - (abstain[-1] - abstain)
        least = np.minimum.accumulate(below)
        tie = _ROUNDING * np.abs(each).sum()  # sums of the same amounts differ by rounding
        lower = np.maximum.accumulate(np.where(below <= least + tie, np.arange(len(below)), 0))
        total = least + above
        equal = np.flatnonzero(total <= total.min() + tie)
        upper = equal[np.argmin((cases - cases[lower])[equal])]
        # Thresholds lie midway between scores of cases that have a weight.
        there = np.flatnonzero(np.diff(cases) > 0)
        return window_thresholds(values[there], *np.searchsorted(there, [lower[upper], upper]))

    @cached_property
    def answer(self) -> Ints:
        window = self.found.window
        assert window is not None
        return self.answered(window.lower, window.upper)

    def answered(self, lower: Any, upper: Any, fold: Any = ...) -> Ints:
        """Answer the cases by one window, or the cases of each fold by a window of their own."""
        answer: npt.NDArray[Any] = np.full(self.cases.n, 2, dtype=np.uint8)
        # An infinite threshold is reached by no score, not even by an infinite one.
        lower = np.where(np.asarray(lower) > -np.inf, lower, np.nan)
        upper = np.where(np.asarray(upper) < np.inf, upper, np.nan)
        answer[self.cases.score <= lower[fold]] = 0
        answer[self.cases.score >= upper[fold]] = 1
        return answer

    def surface(self, part: Mask) -> AbstentionCostSurface:
        """Give the cost surface of some cases; the scores are sorted already."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said of the whole already
            return AbstentionCostSurface(self._stairs_of(part), priors=self.priors)

    def _stairs_of(self, part: Mask) -> Staircase:
        return self.scores.staircase(part * self.cases.weight, self.cases.classes)

    def held_out(self, fold: Ints) -> Ints:
        numbers, costs = range(int(fold.max()) + 1), self.shared_costs
        if costs is None:
            lower, upper = np.array([self._best_on(fold != number) for number in numbers]).T
            return self.answered(lower, upper, fold)
        beyond = binary_costs(costs.answer_values(), self.cases.classes)
        below, above = map(float, posterior_window(beyond))
        folds = _SortedFolds(self.scores, self.cases.sample_weight, fold, len(numbers))
        windows = np.empty((2, len(numbers)))
        for number in numbers:
            totals = folds.below[-1, number]
            scale = np.full(2, 1 / totals.sum()) if self.priors is None else self.priors / totals
            upper = folds.cut(number, scale, above, "left")
            lower = folds.cut(number, scale, below, "right")
            windows[:, number] = folds.thresholds(number, upper)[1]
            if lower < upper:
                windows[0, number] = folds.thresholds(number, lower)[0]
        return self.answered(windows[0], windows[1], fold)


class _ThresholdSearch(Search):
    """Search for a threshold of each of several classes on the confidence in it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        truth, rows = self.cases.truth, np.arange(self.cases.n)
        # The preferred answer to each case, and the confidence in it.
        self.choice, self.confidence = preferred_answers(self.cases.proba, self.shared_costs)
        answered, unanswered = (self.choice != truth).astype(np.float64), np.zeros(len(rows))
        if self.losses is not None:
            at = rows if self.by_case else truth
            answered, unanswered = self.losses[at, self.choice], self.losses[at, -1]
        self._sorted = SortedAnswers(
            self.cases.labels, self.choice, self.confidence, answered, unanswered
        )

    def _best_on(self, weight: Floats) -> tuple[Floats, ClassThresholdCurve, Ints, float]:
        """Find the best thresholds for weighted cases; with their curve, places in it and gap."""
        goal, gap = self.goal, 0.0
        curve, per_answer = self._sorted.curve(self.weighed(weight)), goal.per == "answer"
        if not goal.budgets:
            places = curve.least_loss()
        elif goal.max_abstention is not None:
            best = curve.within_abstention(goal.max_abstention, per_answer=per_answer)
            places, gap = best.options, best.gap
        else:
            budget = goal.max_error
            if budget is None:
                assert goal.min_saving is not None
                never_abstaining = curve.at(np.zeros(len(curve.sweeps), dtype=np.intp))[1]
                budget = (1 - goal.min_saving) * float(never_abstaining)
            best = curve.within_loss(budget, per_answer=per_answer)
            places, gap = best.options, best.gap
        thresholds = curve.thresholds(places)
        if self.shared_costs is None:
            # Probabilities reach 0 as they reach -inf; other confidences may lie below.
            thresholds = np.maximum(thresholds, 0.0)
        return thresholds, curve, places, gap

    @cached_property
    def found(self) -> FoundRule:
        thresholds, curve, places, gap = self._best_on(self.cases.weight)
        abstention, loss = curve.at(places).tolist()
        weight = self.cases.weight if self.priors is None else self.share
        kept = self._answered(thresholds, slice(None)) < len(self.cases.classes)
        wrong = (self.choice != self.cases.truth)[kept].astype(np.float64)
        mistakes, given = float(weight[kept] @ wrong), float(weight[kept].sum())
        # Bins of the greatest probability, so that its drift can be watched.
        bins = score_bins(self.cases.proba.max(axis=1), None)
        data = ({"scores": bins} if bins else {}) | self.goal.data
        about = {"costs": self.shared_costs, "data": data or None}
        least = tuple(thresholds.tolist())
        return FoundRule(
            Rule.of("class_thresholds", self.cases.classes, thresholds=least, **about),
            abstention,
            mistakes / float(weight.sum()),
            mistakes / given if given > 0 else np.nan,
            None if self.goal.budgets else loss,
            curve,
            gap=gap,
        )

    def _answered(self, thresholds: Floats, rows: Any) -> Ints:
        """Answer some cases as a rule with these thresholds does."""
        choice, costs = self.choice[rows], self.shared_costs
        least = thresholds if costs is None else rounded(thresholds, parts_of_costs(costs))
        kept = self.confidence[rows] >= least[choice]
        return np.where(kept, choice, len(self.cases.classes))

    @cached_property
    def answer(self) -> Ints:
        return self._answered(np.array(self.found.rule.thresholds), slice(None))

    def held_out(self, fold: Ints) -> Ints:
        answers = np.empty(len(fold), dtype=np.intp)
        for number in range(int(fold.max()) + 1):
            rows = np.flatnonzero(fold == number)
            thresholds = self._best_on(self.cases.weight * (fold != number))[0]
            answers[rows] = self._answered(thresholds, rows)
        return answers


class _AcceptanceSearch(Search):
    """Search for the confidence from which graded answers go out, each of them called right."""

    @cached_property
    def found(self) -> FoundRule:
        cases, losses, answer, cost = self.cases, self.losses, self.answer, None
        weight = cases.sample_weight if self.priors is None else self.share
        counts = np.bincount(3 * cases.truth + answer, weight, 6).reshape(2, 3)
        total, given, wrong = counts.sum(), counts[:, 1].sum(), counts[0, 1]
        if losses is not None and self.by_case:
            cost = float(self.share @ losses[np.arange(cases.n), answer])
        elif losses is not None and not self.goal.budgets:
            cost = float((counts * losses).sum() / total)
        about = {"costs": self.shared_costs, "data": (self._bins | self.goal.data) or None}
        return FoundRule(
            Rule.of("acceptance", cases.classes, threshold=self._threshold, **about),
            float(1 - given / total),
            float(wrong / total),
            float(wrong / given) if given > 0 else np.nan,
            cost,
            self.staircase,
        )

    @cached_property
    def _threshold(self) -> float:
        """The least confidence of an answer that goes out."""
        # All cases are in fold 0, and none of them is left out.
        return float(self._thresholds(np.zeros(self.cases.n, dtype=np.uint8), [1])[0])

    @cached_property
    def answer(self) -> Ints:
        return self._answered(self._threshold)

    def held_out(self, fold: Ints) -> Ints:
        return self._answered(self._thresholds(fold, range(int(fold.max()) + 1))[fold])

    def _answered(self, least: Floats | float) -> Ints:
        """Let answers out from a confidence on: one for all answers, or one for each."""
        return np.where((self.cases.score >= least) & (least < np.inf), 1, 2).astype(np.uint8)

    def _thresholds(self, fold: npt.NDArray[Any], numbers: Sequence[int]) -> Floats:
        """Find the best threshold without each of the given folds; scores are sorted once."""
        if not len(self.scores.values):  # no answer has a confidence, so none goes out
            return np.full(len(numbers), np.inf)
        weight, n_folds = self.cases.sample_weight, int(fold.max()) + 1
        code = self.cases.truth + 2 * fold
        of_each = np.bincount(code, weight, 2 * n_folds + 2).reshape(-1, 2)
        totals, sizes = of_each.sum(axis=0) - of_each, np.bincount(fold, minlength=n_folds + 1)
        weight = None if weight is None else weight[self.scored]
        folds = _SortedFolds(self.scores, weight, fold[self.scored], n_folds)
        thresholds = []
        for number in numbers:
            cut = self._cut(folds, number, totals[number], len(fold) - int(sizes[number]))
            thresholds.append(folds.thresholds(number, cut)[1])
        return np.array(thresholds)

    def _cut(self, folds: _SortedFolds, number: int, totals: Floats, n: int) -> int:
        """Find the cut from which on answers go out, by the n cases of all folds but one."""
        # Weights become 1 on average.
        scale = np.full(2, n / totals.sum()) if self.priors is None else n * self.priors / totals
        if self.goal.budgets:
            return self._cut_in_budget(folds, number, scale, totals, n)
        assert self.losses is not None
        change = self.losses[:, 2] - self.losses[:, 1]  # what an answer saves by going out
        if not self.by_case:
            wrong, right = change.tolist()
            limit = -wrong / (right - wrong) if right > wrong else 0.0
            return folds.cut(number, scale, limit, "left")
        each = change[self.scored][self.scores.order] * folds.weight * (folds.fold != number)
        each *= np.where(self.scores.is_positive, scale[1], scale[0])
        cuts = np.append(self.scores.starts, len(each))
        sums = np.append(0.0, np.cumsum(each))[cuts]
        tie = _TIE * float(np.abs(self.losses[:, 1:]).max())
        return int(cuts[np.argmax(sums <= sums.min() + tie)])

    def _cut_in_budget(
        self, folds: _SortedFolds, number: int, scale: Floats, totals: Floats, n: int
    ) -> int:
        """Find the cut from which on answers go out within the budget."""
        goal, known = self.goal, folds.below[-1, number]
        # What a wrong and a right answer cost that go out; escalating costs nothing here.
        out = np.array([1.0, 0.0]) if self.losses is None else self.losses[:, 1]
        loss, silent = float(scale * out @ known), float(scale @ (totals - known))
        tie, gain, price = _TIE * float(out.max()), -scale * out, 0.0
        if goal.max_abstention is None:
            if goal.min_saving is not None:
                most = loss * (1 - goal.min_saving)
            else:
                assert goal.max_error is not None
                most, price = goal.max_error * n, goal.max_error * (goal.per == "answer")
            most += tie - loss - price * silent
            return min(folds.first(number, gain + price * scale, most), len(folds.fold))
        most = max(goal.max_abstention * n - silent, 0.0) + _TIE
        end = folds.first(number, -scale, -most)
        if goal.per == "case":
            return int(folds.least(number, gain, tie, end)[0])
        # If nothing goes out there is no loss per answer, so begin with everything going out.
        cut, ratio = 0, loss / ((n - silent) or 1.0)
        while True:
            tried = int(folds.least(number, gain + ratio * scale, tie, end)[0])
            below = folds.reached(number, tried)
            lost, used = loss + float(gain @ below), silent + float(scale @ below)
            if lost + ratio * used >= ratio * n - tie or used >= n - _TIE:
                return cut
            cut, ratio = tried, lost / (n - used)
