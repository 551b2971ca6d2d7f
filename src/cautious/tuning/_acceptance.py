"""The search for the confidence from which graded answers go out."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cautious._typing import Floats, Ints
from cautious.curves import Staircase
from cautious.curves._staircase import SortedScores
from cautious.curves._window import thresholds_at
from cautious.decision import Rule
from cautious.decision._rule_json import score_bins
from cautious.tuning._goal import FoundRule
from cautious.tuning._search import Search

_ACCEPTED, _ESCALATED = 1, 2


class _Sums(NamedTuple):
    """Sums over the cases, for each place from which answers go out; at the last none does."""

    threshold: Floats
    answered: Floats
    wrong: Floats
    cost: Floats


class AcceptanceSearch(Search):
    """Search for one threshold on the confidence; the cases are sorted once."""

    @cached_property
    def scores(self) -> SortedScores:
        return SortedScores.of(self.cases.score, self.cases.truth == 1)

    @cached_property
    def staircase(self) -> Staircase:
        return self.scores.staircase(self.cases.weight, self.cases.classes)

    @cached_property
    def _loss(self) -> tuple[Floats, Floats]:
        """What each case costs if it is answered, and if it is escalated."""
        costs = self.goal.settled_costs
        if self.losses is None or costs is None:
            return (self.cases.truth == 0).astype(np.float64), np.zeros(self.cases.n)
        rows = slice(None) if costs.per_case else self.cases.truth
        return self.losses[rows, _ACCEPTED], self.losses[rows, _ESCALATED]

    def _sums(self, part: Any) -> _Sums:
        """Add up a part of the cases for each threshold between distinct confidences."""
        weight = part * self.share
        accepted, escalated = self._loss
        size = len(self.scores.values)
        columns = (weight, weight * (self.cases.truth == 0), weight * accepted, weight * escalated)
        sums = np.array([np.bincount(self.scores.place, one, size) for one in columns])
        there = sums[0] > 0
        below = np.pad(sums[:, there].cumsum(axis=1), ((0, 0), (1, 0)))
        answered, wrong, accepted = below[:3, -1:] - below[:3]
        cuts = np.arange(below.shape[1])
        _, threshold = thresholds_at(self.scores.values[there], cuts)
        return _Sums(threshold, answered, wrong, accepted + below[3])

    def _best(self, sums: _Sums) -> int:
        """Find the place of the best threshold; of several, the one that answers most."""
        goal, total = self.goal, sums.answered[0]
        tie = 1e-12 * total
        if goal.max_abstention is not None:
            within = total - sums.answered <= goal.max_abstention * total + tie
            among = sums.answered if goal.per == "answer" else total
            with np.errstate(invalid="ignore"):
                rate = np.where(within, sums.wrong / among, np.inf)
            rate[-1] = 0.0 if within[-1] else np.inf
            return int(np.argmax(rate <= rate.min() + 1e-12))
        if goal.max_error is not None:
            among = sums.answered if goal.per == "answer" else total
            return int(np.argmax(sums.wrong <= goal.max_error * among + tie))
        if goal.min_saving is not None:
            most = (1 - goal.min_saving) * sums.cost[0]
            return int(np.argmax(sums.cost <= most + tie))
        return int(np.argmax(sums.cost <= sums.cost.min() + 1e-12 * np.abs(sums.cost).max()))

    @cached_property
    def found(self) -> FoundRule:
        sums = self._sums(1.0)
        at = self._best(sums)
        costs, bins = self.goal.settled_costs, self.bins
        if self.goal.is_budget or (costs is not None and costs.per_case):
            costs = None
        data = ({"scores": bins} if bins else {}) | self.goal.data
        rule = Rule.acceptance(float(sums.threshold[at]), data=data or None)
        total, given, wrong = sums.answered[0], sums.answered[at], sums.wrong[at]
        return FoundRule(
            rule.with_details(costs=costs),
            float(1 - given / total),
            float(wrong / total),
            float(wrong / given) if given > 0 else np.nan,
            float(sums.cost[at]) if self.has_price else None,
            None,
        )

    @cached_property
    def bins(self) -> dict[str, list[float]]:
        """Bins of the confidences, so that their drift can be watched."""
        return score_bins(self.cases.score, None, self.cases.truth == 1)

    @cached_property
    def answer(self) -> Ints:
        assert self.found.rule.threshold is not None
        return self._answered(self.found.rule.threshold)

    def held_out(self, fold: Ints) -> Ints:
        parts = (self._sums(fold != number) for number in range(int(fold.max()) + 1))
        return self._answered(np.array([sums.threshold[self._best(sums)] for sums in parts])[fold])

    def _answered(self, threshold: Any) -> Ints:
        kept = (self.cases.score >= threshold) & (threshold < np.inf)
        return np.where(kept, _ACCEPTED, _ESCALATED)
