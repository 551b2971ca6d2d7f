"""Cases divided into parts, and the rule that is chosen on each part, measured on every case."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import cases_of_proba
from cautious._checks import check_scores, check_weight
from cautious._labels import binary_truth
from cautious._typing import Floats, Ints
from cautious.costs import SetCosts, as_costs
from cautious.costs._tables import AnswerCosts
from cautious.curves import find_rule
from cautious.curves._staircase import check_priors
from cautious.curves._window import cheapest_windows
from cautious.decision import Rule
from cautious.errors import InputError, quoted

__all__ = ["LEAST_GROUPS", "MEASURED", "DividedCases", "TooFewCases"]

LEAST_CASES = 30
"""Cases of each class below which nothing is said about new cases."""
LEAST_GROUPS = 10
"""Groups with cases of each class below which groups are too few to keep together."""
_FOLDS = 10
# What is measured of each case under a rule; saving and the shares of answers follow from these.
MEASURED = ("cost", "single", "abstained", "wrong")
_BUDGETS = ("max_abstention", "max_error", "min_saving")


class TooFewCases(InputError):
    """There are too few cases of a class to say what a rule will do on new ones."""


@dataclass(frozen=True)
class DividedCases:
    """Checked cases of positive weight, and what is asked of the rule.

    Attributes
    ----------
    truth, values : ndarray
        Positions of the true classes; scores of the positive one of two, or probabilities.
    classes : tuple
        Class labels, in the order of the rule.
    weight, share : ndarray of shape (n,)
        How much each case counts, and what share of all cases it stands for.
    unit : ndarray of shape (n,), int
        Which cases are kept together.
    rows : ndarray of shape (n,), int
        Rows of what was given that the cases stand in.
    costs, losses : SetCosts and ndarray of shape (n, K + 1), or None
        What answers cost: each class, and abstaining.
    priors : ndarray or None
        Shares of the classes to assume.
    goal, budget : dict and bool
        What is asked of the search, and whether it is to keep a budget.
    answer : ndarray of shape (n,), int
        What the rule that is chosen on all cases answers; K abstains.
    """

    truth: Ints
    values: Floats
    classes: tuple[Any, ...]
    weight: Floats
    share: Floats
    unit: Ints
    rows: Ints
    costs: SetCosts | None
    losses: Floats | None
    priors: Floats | None
    goal: dict[str, Any]
    budget: bool
    answer: Ints

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_score: Any,
        y_proba: Any,
        classes: Any,
        pos_label: Any,
        sample_weight: Any,
        groups: Any,
        costs: Any,
        priors: Any,
        goal: dict[str, Any],
    ) -> DividedCases:
        """Check what was given, by choosing the rule on all of it."""
        # The search says what is wrong with its arguments.
        found = find_rule(
            y_true,
            y_score=y_score,
            y_proba=y_proba,
            classes=classes,
            pos_label=pos_label,
            sample_weight=sample_weight,
            costs=costs,
            priors=priors,
            **goal,
        )
        names = found.rule.classes
        if y_score is not None:
            is_positive, _ = binary_truth(y_true, pos_label=pos_label, classes=classes)
            values = check_scores(y_score, name="y_score", n=len(is_positive))
            truth, weight = is_positive.astype(np.intp), check_weight(sample_weight, len(values))
            rows = np.flatnonzero(weight > 0)
            truth, values, weight = truth[rows], values[rows], weight[rows]
        else:
            seen = cases_of_proba(y_true, y_proba, classes=classes, sample_weight=sample_weight)
            labels, weight = seen.labels.tolist(), seen.weight
            place = [labels.index(label) for label in names]
            truth = np.argsort(place)[seen.truth]
            values = seen.proba[:, place[1]] if len(names) == 2 else seen.proba
            given = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight)
            rows = np.flatnonzero(given)
        budget = any(goal.get(key) is not None for key in _BUDGETS)
        read, losses = None, None
        if costs is not None:
            named = {**costs, "abstain": 0.0} if budget else costs
            positive = names[1] if len(names) == 2 else None
            read = as_costs(named, names, pos_label=positive).in_order(names)
            if isinstance(read, AnswerCosts) and read.per_case:
                read = read.take(rows)
                losses = read.values[np.arange(len(rows)), :, truth]
            else:
                losses = read.answer_values().T[truth]
        counts = np.bincount(truth, weight, minlength=len(names)).astype(np.float64)
        wanted = None if priors is None else check_priors(priors, names, counts)
        share = weight / weight.sum() if wanted is None else weight * (wanted / counts)[truth]
        unit = np.arange(len(rows))
        if groups is not None:
            group = np.asarray(groups)
            if group.shape != (len(np.asarray(y_true)),):
                raise InputError(
                    "{=groups} has shape {shape}; give one group per case.", shape=group.shape
                )
            unit = pd.factorize(group[rows], use_na_sentinel=False)[0]
        return cls(
            truth,
            values,
            names,
            weight,
            share,
            unit,
            rows,
            read,
            losses,
            wanted,
            goal | ({"costs": costs} if budget else {}),
            budget,
            _answers_of(found.rule, values),
        )

    @property
    def searched_at_once(self) -> bool:
        """Whether rules on many parts of the cases are found in one go."""
        return self.losses is not None and not self.budget and len(self.classes) == 2

    @cached_property
    def grouped(self) -> bool:
        """Whether some cases are kept together."""
        return int(self.unit.max(initial=-1)) + 1 < len(self.rows)

    def check_enough(self) -> None:
        """Refuse to say anything about new cases after having seen too few."""
        for code, label in enumerate(self.classes):
            here = self.truth == code
            n, units = int(here.sum()), len(np.unique(self.unit[here]))
            facts = {"label": quoted(label, 60), "n": n, "units": units}
            if n < LEAST_CASES:
                raise TooFewCases(
                    f"too few cases of class {{label}}: {{n}}; {LEAST_CASES} are needed", **facts
                )
            if self.grouped and units < LEAST_GROUPS:
                raise TooFewCases(
                    f"too few groups with class {{label}}: {{units}}; {LEAST_GROUPS} are needed",
                    **facts,
                )

    def random_folds(self, rng: np.random.Generator) -> Ints:
        """Divide the cases into folds with equal shares of each class, groups kept together."""
        count = np.bincount(self.truth, minlength=len(self.classes))
        rank = np.argsort(np.argsort(count, kind="stable"))
        stratum = np.full(self.unit.max() + 1, len(count))
        np.minimum.at(stratum, self.unit, rank[self.truth])
        fold = np.empty(len(stratum), dtype=np.intp)
        for one in np.unique(stratum):
            members = rng.permutation(np.flatnonzero(stratum == one))
            fold[members] = (np.arange(len(members)) + rng.integers(_FOLDS)) % _FOLDS
        return fold[self.unit]

    def replicates(self, n_resamples: int, rng: np.random.Generator) -> Floats:
        """Draw cases, or groups, anew, whatever their classes: how often each is drawn."""
        n = int(self.unit.max()) + 1
        draws = (rng.integers(n, size=n) for _ in range(n_resamples))
        drawn = np.array([np.bincount(one, minlength=n)[self.unit] for one in draws], dtype=float)
        # A replicate without one of the classes says nothing.
        there = [drawn[:, self.truth == code].any(axis=1) for code in range(len(self.classes))]
        return np.asarray(drawn[np.all(there, axis=0)])

    def measured(self, weights: npt.NDArray[Any]) -> Iterator[Floats]:
        """Choose a rule under each of the weights, and measure it on every case."""
        for part, answer in zip(weights, self._answers(weights), strict=True):
            yield self.measure(part, answer)

    def measure(self, part: npt.NDArray[Any], answer: Ints) -> Floats:
        """Say what answers do to every case; the best single answer is that of a part."""
        rows = np.arange(len(self.truth))
        abstained = answer == len(self.classes)
        cost = single = np.zeros(len(rows))
        if self.losses is not None:
            cost = self.losses[rows, answer]
            best = np.argmin(self._counted(part[None])[0] @ self.losses)
            single = self.losses[:, best]
        return np.column_stack([cost, single, abstained, ~abstained & (answer != self.truth)])

    def _counted(self, weights: npt.NDArray[Any]) -> Floats:
        """Weights of the cases in parts of them, with the priors wanted."""
        counted = weights * self.weight
        if self.priors is not None:
            for code, prior in enumerate(self.priors):
                here = self.truth == code
                counted[:, here] *= (prior / counted[:, here].sum(axis=1))[:, None]
        return np.asarray(counted)

    def _answers(self, weights: npt.NDArray[Any]) -> Iterator[Ints]:
        """Answers to all cases of the rule chosen under each of the weights; K abstains."""
        if self.searched_at_once:
            assert self.losses is not None
            lower, upper, _ = cheapest_windows(self.values, self.losses, self._counted(weights))
            for low, high in zip(lower, upper, strict=True):
                yield np.where(self.values >= high, 1, np.where(self.values <= low, 0, 2))
            return
        name = "y_score" if len(self.classes) == 2 else "y_proba"
        labels = np.arange(len(self.classes))
        for part in weights:
            rows = np.flatnonzero(part > 0)
            goal = self.goal | {name: self.values[rows], "priors": self.priors}
            if self.costs is not None and not self.budget:
                # Labels are positions here, which is faster.
                goal["costs"] = _relabelled(self.costs.take(rows), labels)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # said of the whole already
                rule = find_rule(
                    self.truth[rows],
                    classes=labels,
                    sample_weight=(part * self.weight)[rows],
                    **goal,
                ).rule
            yield _answers_of(rule, self.values)

    def variance(self, each: Floats) -> tuple[float, float]:
        """Variance of the mean of losses, and its degrees of freedom."""
        if self.priors is None:
            centred = each - self.share @ each
        else:
            total = np.bincount(self.truth, self.share)
            centred = each - (np.bincount(self.truth, self.share * each) / total)[self.truth]
        if self.grouped:
            sums = np.bincount(self.unit, self.share * centred)
            return float((sums**2).sum() * len(sums) / (len(sums) - 1)), float(len(sums) - 1)
        n = np.bincount(self.truth)
        parts = np.bincount(self.truth, (self.share * centred) ** 2) * n / (n - 1)
        variance = parts.sum()
        if variance == 0:
            return 0.0, float((n - 1).sum())
        return float(variance), float(variance**2 / (parts**2 / (n - 1)).sum())


def _answers_of(rule: Rule, values: Floats) -> Ints:
    """Positions of the classes that a rule answers with; K abstains."""
    mask = rule.predict_set(values, classes=rule.classes)
    answer: Ints = np.where(mask.sum(axis=1) > 1, mask.shape[1], mask.argmax(axis=1))
    return answer


def _relabelled(costs: SetCosts, labels: Ints) -> SetCosts:
    values = costs.values if isinstance(costs, AnswerCosts) else costs.answer_values()
    return AnswerCosts(np.asarray(values, dtype=np.float64), tuple(labels.tolist()))
