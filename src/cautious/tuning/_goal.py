"""What is asked of a rule, the least cost or the best within a budget, and the rule found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, get_args

import pandas as pd

from cautious._checks import check_choice
from cautious._result import Shown
from cautious.costs import SetCosts
from cautious.costs._forms import CostsLike, costs_for
from cautious.costs._tables import beyond_right_answers
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.curves._staircase import Priors
from cautious.curves._window import Per, Window
from cautious.decision import Rule
from cautious.errors import InputError, shown
from cautious.tuning.class_thresholds import ClassThresholdCurve

BUDGETS = ("max_abstention", "max_error", "min_saving")
"""Shares that may be given in place of what abstaining costs."""
QUANTITIES = ("abstention", "error", "selective_error", "cost")
"""What is told of a rule; the cost only where costs are known."""


@dataclass(frozen=True)
class Goal:
    """What a rule is asked to achieve: the least cost, or the best within one budget."""

    costs: CostsLike | SetCosts | None = None
    max_abstention: float | None = None
    max_error: float | None = None
    min_saving: float | None = None
    per: Per = "answer"
    priors: Priors | None = None
    budgets: Mapping[str, float] = field(init=False)
    """The budget that is given, by its name."""
    data: dict[str, Any] = field(init=False)
    """What a rule keeps of the budget, so that it can be tuned again for another share."""

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in BUDGETS}
        budgets = {name: share for name, share in given.items() if share is not None}
        data = {"goal": {**budgets, "per": self.per}} if budgets else {}
        vars(self).update(budgets=budgets, data=data)
        if not budgets and self.costs is None:
            raise InputError(
                "neither costs nor a budget is given; give costs, or exactly one of "
                "{=max_abstention}, {=max_error} and {=min_saving}."
            )
        if len(budgets) > 1:
            one, other, *_ = budgets
            raise InputError(
                "{==one} and {==other} are given; give costs, or exactly one of the three budgets.",
                one=one,
                other=other,
            )
        for name, share in budgets.items():
            if not (isinstance(share, Real) and 0 <= float(share) <= 1):
                raise InputError(
                    "{==name} is {share}; a share lies between 0 and 1.",
                    name=name,
                    share=shown(share),
                )
        check_choice(self.per, "per", get_args(Per))

    def read_costs(
        self, classes: tuple[Any, ...], n: int, pos_label: Any = None, *, graded: bool = False
    ) -> SetCosts | None:
        """Read the costs of n cases of these classes; None where none are given."""
        if self.costs is None:
            return None
        if self.budgets and isinstance(self.costs, Mapping) and "wrong" in self.costs:
            raise InputError(
                "costs are given beside {==budget}, which stands in for what escalating costs; "
                "give one of them.",
                budget=next(iter(self.budgets)),
            )
        positive = pos_label if len(classes) == 2 else None
        if self.budgets:
            named = self._mistakes(len(classes)) | {"abstain": 0.0}
            costs = costs_for(named, classes, positive)
            at = classes.index(positive)
            if not costs.answer_values()[1 - at, at] > 0:
                raise ValueError(
                    "costs['false_negative'] is 0; beside a budget it is the unit of costs."
                )
        else:
            costs = costs_for(self.costs, classes, positive, needs_abstention=True)
            if len(classes) == 2 and not (costs.per_case or graded):
                beyond_right_answers(costs.answer_values(), classes)
        if costs.n_cases not in (None, n):
            raise ValueError(
                f"costs holds a table for each of {costs.n_cases} cases, but y_true has {n}; "
                "give one table per case."
            )
        return costs

    def _mistakes(self, n_classes: int) -> dict[str, Any]:
        """Check the costs of mistakes beside a budget, which stands in for that of abstaining."""
        if n_classes != 2:
            raise InputError(
                "costs are given beside a budget, but there are {n} classes, whose mistakes count "
                "alike; give either costs or a budget.",
                n=n_classes,
            )
        costs = self.costs
        if not isinstance(costs, Mapping) or set(costs) != {"false_negative", "false_positive"}:
            raise InputError(
                "costs are given beside a budget, which stands in for the cost of abstaining; "
                "give only what a false negative and a false positive cost, or no budget."
            )
        if self.max_error is not None:
            raise InputError(
                "costs are given beside {=max_error}, which counts all mistakes alike; leave "
                "the costs out, or give {=max_abstention} or {=min_saving}, which weigh mistakes."
            )
        return dict(costs)


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
    curve : AbstentionCostSurface, ClassThresholdCurve, Staircase or None
        What the rule was chosen from; None if it was given.
    window : Window or None
        For two classes: the window with all its rates.
    gap : float
        By how much another rule could be better at most, in what a budget of several classes leaves
        to be minimised: mistakes, or abstention. Almost always 0: nothing is better.

    Examples
    --------
    >>> from cautious.tuning import find_rule
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
    curve: AbstentionCostSurface | ClassThresholdCurve | Staircase | None
    window: Window | None = None
    gap: float = 0.0

    def frame(self) -> pd.DataFrame:
        """One row: the thresholds, and what they do.

        A least probability of two classes is shown as the window that it is.
        """
        known = {name: one for name in QUANTITIES if (one := getattr(self, name)) is not None}
        return pd.DataFrame([self.thresholds | known])

    @property
    def thresholds(self) -> dict[str, Any]:
        """The thresholds of the rule, by name."""
        rule = self.rule
        numbers: dict[str, Any] = {"lower": rule.lower, "upper": rule.upper}
        if rule.thresholds is not None:
            pairs = zip(rule.classes, rule.thresholds, strict=True)
            numbers = {f"threshold_{label}": threshold for label, threshold in pairs}
        elif rule.kind == "confidence" and rule.n_classes == 2:
            least = max(rule.least[0], 0.5)  # one of two classes is always so probable
            numbers = {"lower": 1 - least, "upper": least}
        elif rule.threshold is not None:
            numbers = {"threshold": rule.threshold}
        return numbers

    def _facts(self) -> dict[str, Any]:
        facts = ("rule", *QUANTITIES)
        return {name: one for name in facts if (one := getattr(self, name)) is not None}
