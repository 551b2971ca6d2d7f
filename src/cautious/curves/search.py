"""The one search for thresholds: of an estimator, of the command line and of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import Cases, cases_of_proba
from cautious._checks import check_scores, check_weight, few_labels
from cautious._labels import binary_classes, binary_truth
from cautious._result import Shown
from cautious._typing import Floats, Ints, Mask
from cautious.costs import SetCosts, as_costs
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts
from cautious.curves._staircase import Priors, Staircase, check_priors
from cautious.curves._window import Costs, Window, thresholds_at
from cautious.curves.class_thresholds import ClassThresholdCurve
from cautious.curves.surface.budgets import Per, check_per
from cautious.curves.surface.cost_surface import AbstentionCostSurface
from cautious.decision import Rule
from cautious.decision._rule_json import score_bins
from cautious.decision.optimal._solver import preferred_answers
from cautious.errors import InputError, shown
from cautious.tensors import as_numpy

__all__ = ["FoundRule", "find_rule"]


@dataclass(frozen=True, eq=False, repr=False)
class FoundRule(Shown):
    """A rule that was found on predictions, and what it does there.

    Attributes
    ----------
    rule : Rule
        The rule, to be applied to new predictions or saved.
    abstention : float
        Share of the cases abstained on.
    error : float
        Share of all cases answered wrongly.
    selective_error : float
        Share of the answers that are wrong; nan if nothing is answered.
    cost : float or None
        Expected cost per case, in the units of the costs; None without costs. A budget puts no
        price on abstaining, so only mistakes cost something then.
    curve : AbstentionCostSurface, ClassThresholdCurve or None
        What the rule was chosen from; None if it was given.
    window : Window or None
        For two classes: the window with all its rates.
    gap : float
        By how much another rule could be better at most, in what a budget of several classes leaves
        to be minimised: mistakes, or abstention. Almost always 0: nothing is better.

    Examples
    --------
    >>> from cautious.curves import find_rule
    >>> found = find_rule(
    ...     [0, 0, 1, 0, 1, 1], y_score=[0.1, 0.2, 0.4, 0.6, 0.8, 0.9], max_error=0.1
    ... )
    >>> print(found.rule.describe())
    Answer 1 where the score is at least 0.7, 0 where it is at most 0.3; abstain between.
    >>> round(found.abstention, 3), found.error
    (0.333, 0.0)
    """

    rule: Rule
    abstention: float
    error: float
    selective_error: float
    cost: float | None
    curve: AbstentionCostSurface | ClassThresholdCurve | None
    window: Window | None = None
    gap: float = 0.0

    def frame(self) -> pd.DataFrame:
        """One row: the thresholds, and what they do.

        A least probability of two classes is shown as the window that it is.

        Examples
        --------
        >>> y, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9]
        >>> find_rule(y, y_score=scores, max_error=0.1).frame().iloc[:, :4].round(3)
           lower  upper  abstention  error
        0    0.3    0.7       0.333    0.0
        """
        rule = self.rule
        numbers = {"lower": rule.lower, "upper": rule.upper}
        if rule.thresholds is not None:
            pairs = zip(rule.classes, rule.thresholds, strict=True)
            numbers = {f"threshold_{label}": threshold for label, threshold in pairs}
        elif rule.threshold is not None and rule.n_classes == 2:
            least = max(rule.threshold, 0.5)  # one of two classes is always so probable
            numbers = {"lower": 1 - least, "upper": least}
        elif rule.threshold is not None:
            numbers = {"threshold": rule.threshold}
        names = ["abstention", "error", "selective_error"]
        names += [] if self.cost is None else ["cost"]
        return pd.DataFrame([numbers | {name: getattr(self, name) for name in names}])

    def _facts(self) -> dict[str, Any]:
        names = ["abstention", "error", "selective_error"]
        names += [] if self.cost is None else ["cost"]
        return {"rule": self.rule} | {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class _Goal:
    """What is asked for: the least cost, or the best within one budget."""

    costs: CostsLike | None
    max_abstention: float | None
    max_error: float | None
    min_saving: float | None
    per: Per

    def __post_init__(self) -> None:
        budgets = [
            name
            for name in ("max_abstention", "max_error", "min_saving")
            if getattr(self, name) is not None
        ]
        if len(budgets) > 1 or not (budgets or self.costs is not None):
            if not budgets:
                raise InputError(
                    "neither costs nor a budget is given; give costs, or exactly one of "
                    "{=max_abstention}, {=max_error} and {=min_saving}."
                )
            raise InputError(
                "{==one} and {==other} are given; give costs, or exactly one of the three budgets.",
                one=budgets[0],
                other=budgets[1],
            )
        for name in budgets:
            share = getattr(self, name)
            if not (isinstance(share, Real) and 0 <= float(share) <= 1):
                raise InputError(
                    "{==name} is {share}; a share lies between 0 and 1.",
                    name=name,
                    share=shown(share),
                )
        check_per(self.per)

    @property
    def is_budget(self) -> bool:
        return not self.max_abstention is self.max_error is self.min_saving is None

    @property
    def data(self) -> dict[str, Any]:
        """The budget, for the data of the rule: so it can be tuned again for other shares."""
        if not self.is_budget:
            return {}
        names = ("max_abstention", "max_error", "min_saving", "per")
        given = {name: getattr(self, name) for name in names}
        return {"goal": {name: value for name, value in given.items() if value is not None}}

    def answer_costs(
        self, classes: Sequence[Any], n: int, pos_label: Any = None
    ) -> SetCosts | None:
        """Costs of answers and of abstaining; None if a budget stands in for the latter."""
        if self.costs is None or self.is_budget:
            return None
        positive = pos_label if len(classes) == 2 else None
        costs = as_costs(self.costs, classes, pos_label=positive, needs_abstention=True)
        if isinstance(costs, AnswerCosts) and costs.n_cases not in (None, n):
            raise ValueError(
                f"costs holds a table for each of {costs.n_cases} cases, but y_true has {n}; "
                "give one table per case."
            )
        return costs


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
        differ per case. Beside a budget only what the two mistakes cost, ``{"false_negative": …,
        "false_positive": …}``: they are weighed by it.
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
    AbstentionCostSurface : all windows of two classes, at any costs.
    ClassThresholdCurve : what thresholds per class can reach.
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
    goal = _Goal(costs, max_abstention, max_error, min_saving, per)
    if (y_score is None) == (y_proba is None):
        raise ValueError(
            f"{'neither y_score nor' if y_score is None else 'both y_score and'} y_proba given; "
            "give the scores of the positive class, or the probabilities of all classes."
        )
    if y_score is not None:
        is_positive, names = binary_truth(y_true, pos_label=pos_label, classes=classes)  # type: ignore[arg-type]
        score = check_scores(y_score, name="y_score", n=len(is_positive))
        weight = check_weight(sample_weight, len(score))
        read = goal.answer_costs(names, len(score), names[1])
        return _find_window(is_positive, score, weight, names, goal, read, priors)
    y_proba, sample_weight = as_numpy(y_proba), as_numpy(sample_weight)
    assert y_proba is not None
    seen = cases_of_proba(y_true, y_proba, classes=classes, sample_weight=sample_weight)
    labels = seen.labels.tolist()
    if pos_label is not None and (len(labels) > 2 or pos_label not in labels):
        raise ValueError(
            f"pos_label is {shown(pos_label)}, but it is one of two classes only where there are "
            f"two, and these are {few_labels(seen.labels)}. To set one class against all others, "
            "give its scores as y_score."
        )
    positive = pos_label
    if positive is None:
        named = isinstance(costs, Mapping) and len(labels) == 2
        positive = binary_classes(labels)[1] if named else labels[1]
    read = goal.answer_costs(labels, len(np.asarray(y_proba)), positive)
    if read is not None and sample_weight is not None:  # examples of weight zero are not seen
        read = _take(read, np.flatnonzero(np.asarray(sample_weight) > 0))
    if len(labels) > 2:
        return _find_thresholds(seen, goal, read, priors)
    at = labels.index(positive)
    names = (labels[1 - at], labels[at])
    if read is not None:
        read = read.in_order(names)
    return _find_window(seen.truth == at, seen.proba[:, at], seen.weight, names, goal, read, priors)


def _take(costs: SetCosts, rows: Ints) -> SetCosts:
    return costs.take(rows) if isinstance(costs, AnswerCosts) else costs


def _find_window(
    is_positive: Mask,
    score: Floats,
    weight: Floats,
    classes: tuple[Any, Any],
    goal: _Goal,
    costs: SetCosts | None,
    priors: Priors | None,
) -> FoundRule:
    staircase = Staircase.from_predictions(
        is_positive, score, classes=(False, True), sample_weight=weight
    )
    surface = AbstentionCostSurface(replace(staircase, classes=classes), priors=priors)
    if costs is None:
        window = _within_budget(surface, goal)
    elif costs.per_case:
        assert isinstance(costs, AnswerCosts)
        window = _cheapest_window(surface, is_positive, score, weight, costs)
        costs = None  # a rule is for cases to come
    else:
        window = surface.for_costs(costs)
    rule = window.rule()
    data = {**(rule.data or {}), **goal.data}
    if not (weight == 1).all():  # new cases come one by one, whatever weights these have
        seen = weight > 0
        bins = Staircase.from_predictions(is_positive[seen], score[seen]).score_bins()
        data = data | {"scores": bins} if bins else data
    return FoundRule(
        rule.with_details(costs=costs, data=data or None),
        window.abstention,
        window.error,
        window.selective_error,
        window.cost,
        surface,
        window,
    )


def _within_budget(surface: AbstentionCostSurface, goal: _Goal) -> Window:
    mistakes = None if goal.costs is None else _mistake_costs(goal.costs, surface.classes)
    mu = 1.0 if mistakes is None else float(mistakes.false_positive / mistakes.false_negative)
    if goal.max_abstention is not None:
        window = surface.for_max_abstention(goal.max_abstention, mu=mu, per=goal.per)
    elif goal.max_error is not None:
        window = surface.for_max_error(goal.max_error, per=goal.per)
    else:
        assert goal.min_saving is not None
        window = surface.for_saving(goal.min_saving, mu=mu, per=goal.per)
    if mistakes is None:
        return window
    return replace(window, cost=float(window.cost_at(mistakes)))


def _mistake_costs(costs: CostsLike, classes: tuple[Any, Any]) -> Costs:
    """Costs of the two mistakes; a budget stands in for the cost of abstaining."""
    if not isinstance(costs, Mapping) or set(costs) != {"false_negative", "false_positive"}:
        raise InputError(
            "{=costs} is given beside a budget, which stands in for the cost of abstaining; give "
            "only what a false negative and a false positive cost, or no budget."
        )
    named = {**costs, "abstain": 0.0}
    table = as_costs(named, classes, pos_label=classes[1]).answer_values()
    if not table[0, 1] > 0:
        raise ValueError("costs['false_negative'] is 0; beside a budget it is the unit of costs.")
    zero = np.zeros(())
    return Costs(table[0, 1], table[1, 0], zero, zero)


def _cheapest_window(
    surface: AbstentionCostSurface,
    is_positive: Mask,
    score: Floats,
    weight: Floats,
    costs: AnswerCosts,
) -> Window:
    """Best of all windows where costs differ per case; of several, the one that abstains least."""
    share = weight * np.where(is_positive, surface.scales.positive, surface.scales.negative)
    truth = is_positive.astype(np.intp)
    each = costs.values[np.arange(len(truth)), :, truth] * share[:, None]
    values, place = np.unique(score, return_inverse=True)
    negative, positive, abstain, cases = (
        np.append(0.0, np.cumsum(np.bincount(place.ravel(), amount, minlength=len(values))))
        for amount in (*each.T, share)
    )
    below = negative - abstain
    above = (positive[-1] - positive) - (abstain[-1] - abstain)
    least = np.minimum.accumulate(below)
    tie = 1e-12 * np.abs(each).sum()  # sums of the same amounts differ by rounding
    lower = np.maximum.accumulate(np.where(below <= least + tie, np.arange(len(below)), 0))
    total = least + above
    equal = np.flatnonzero(total <= total.min() + tie)
    upper = equal[np.argmin((cases - cases[lower])[equal])]
    low, high = thresholds_at(values, np.array([lower[upper], upper]))
    found = surface.window_at(float(low[0] if lower[upper] < upper else high[1]), float(high[1]))
    return replace(found, cost=float(total[upper] + abstain[-1]))


def _find_thresholds(
    seen: Cases, goal: _Goal, costs: SetCosts | None, priors: Priors | None
) -> FoundRule:
    weight, classes, truth = seen.weight, tuple(seen.labels.tolist()), seen.truth
    if goal.costs is not None and goal.is_budget:
        raise InputError(
            "{=costs} is given beside a budget, but there are {n} classes, whose mistakes count "
            "alike; give either costs or a budget.",
            n=len(classes),
        )
    if priors is not None:
        counts = np.bincount(truth, weight, minlength=len(classes)).astype(np.float64)
        weight = np.asarray(weight * (check_priors(priors, classes, counts) / counts)[truth])
    if costs is not None and costs.per_case:
        assert isinstance(costs, AnswerCosts)
        tables = costs.values
        costs = None  # a rule is for cases to come: it prefers the most probable class
    elif costs is not None:
        tables = np.broadcast_to(
            costs.answer_values(), (len(truth), len(classes) + 1, len(classes))
        )
    else:
        tables = None
    choice, confidence = preferred_answers(seen.proba, costs)
    wrong = (choice != truth).astype(np.float64)
    answered, unanswered = wrong, np.zeros(len(wrong))
    if tables is not None:
        rows = np.arange(len(truth))
        answered, unanswered = tables[rows, choice, truth], tables[rows, -1, truth]
    curve = ClassThresholdCurve.of(seen.labels, choice, confidence, weight, answered, unanswered)
    per_answer = goal.per == "answer"
    gap = 0.0
    if goal.max_abstention is not None:
        chosen = curve.within_abstention(goal.max_abstention, per_answer=per_answer)
        places, gap = chosen.options, chosen.gap
    elif goal.is_budget:
        budget = goal.max_error
        if budget is None:
            assert goal.min_saving is not None
            never_abstaining = curve.at(np.zeros(len(classes), dtype=np.intp))[1]
            budget = (1 - goal.min_saving) * never_abstaining
        chosen = curve.within_loss(budget, per_answer=per_answer)
        places, gap = chosen.options, chosen.gap
    else:
        places = curve.least_loss()
    thresholds = curve.thresholds(places)
    if costs is None:
        thresholds = np.maximum(thresholds, 0.0)  # probabilities reach 0 as they reach -inf
    abstention, loss = curve.at(places)
    kept = confidence >= thresholds[choice]
    total, given = weight.sum(), weight[kept].sum()
    mistakes = float(weight[kept] @ wrong[kept])
    bins = score_bins(seen.proba.max(axis=1), None)
    data = ({"scores": bins} if bins else {}) | goal.data
    return FoundRule(
        Rule.class_thresholds(thresholds, classes=classes, costs=costs, data=data or None),
        abstention,
        mistakes / float(total),
        mistakes / float(given) if given > 0 else np.nan,
        None if goal.costs is None else loss,
        curve,
        gap=gap,
    )
