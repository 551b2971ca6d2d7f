"""A rule that was found by search, and what it does to the cases that it was found on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from cautious._result import Shown
from cautious.curves import AbstentionCostSurface, Window
from cautious.decision import Rule
from cautious.tuning.class_thresholds import ClassThresholdCurve

__all__ = ["FoundRule"]


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
    curve: AbstentionCostSurface | ClassThresholdCurve | None
    window: Window | None = None
    gap: float = 0.0

    def frame(self) -> pd.DataFrame:
        """One row: the thresholds, and what they do.

        A least probability of two classes is shown as the window that it is.
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
