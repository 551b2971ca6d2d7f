"""Candidate thresholds, and the tests of them in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.guarantees.bounds import expected_cases, least_answers, risk_p_value
from cautious.guarantees.certificate import LimitTest
from cautious.guarantees.certification.cases import Cases

__all__ = ["Tallies", "candidates", "loosest_first", "strictest_first"]

# A sequence that begins at the smallest number of answers that could pass ends there too often.
HEAD_START = 3

_AMONG_ANSWERS = ("error", "false_discovery", "false_omission")


def candidates(confidence: Floats, how_many: int, count: Ints | None = None) -> Floats:
    """Thresholds at equally spaced coverages of other cases, falling."""
    known = np.isfinite(confidence)
    if count is None:
        falling = np.sort(confidence[known])[::-1]
        reached = np.arange(1, len(falling) + 1)
    else:
        order = np.flatnonzero(known)[np.argsort(-confidence[known])]
        falling, reached = confidence[order], np.cumsum(count[order])
    if not len(falling) or not reached[-1]:
        raise ValueError("other_scores holds no score; candidates cannot be chosen from it.")
    wanted = np.ceil(np.arange(1, how_many + 1) / how_many * reached[-1])
    return np.asarray(np.unique(falling[np.searchsorted(reached, wanted)])[::-1])


@dataclass(frozen=True)
class Tallies:
    """Answers and mistakes of every candidate, in every group.

    Attributes
    ----------
    cells : ndarray of shape (groups, candidates, classes, 2), int
        Right and wrong answers, by the class answered.
    n, n_positive : ndarray of shape (groups,), int
        All cases, and those of the positive one of two classes.
    groups : tuple of str, or (None,)
        Names of the groups.
    side : int or None
        The class whose answers alone are counted.
    """

    cells: Ints
    n: Ints
    n_positive: Ints
    groups: tuple[str | None, ...]
    side: int | None = None

    @classmethod
    def of(
        cls,
        cases: Cases,
        thresholds: Floats,
        confidence: Floats,
        answer: Ints | int,
    ) -> Tallies:
        """Count cases; an `answer` that is one class is the side they are counted on."""
        cells = cases.tally(thresholds, confidence, answer)
        side = answer if isinstance(answer, int) else None
        return cls(cells, *cases.per_group(), cases.groups, side)

    def __len__(self) -> int:
        return int(self.cells.shape[1])

    def answered(self, at: int) -> int:
        """Count the answers of one candidate, over all groups."""
        return int(self.cells[:, at].sum())

    def pair(self, limit: str) -> tuple[Ints, Ints]:
        """Count what speaks against a limit, and among how many: (groups, candidates) each."""
        by_class = self.cells.sum(axis=3), self.cells[..., 1]
        if self.side is None:
            answered, wrong = (part.sum(axis=2) for part in by_class)
        else:
            answered, wrong = (part[..., self.side] for part in by_class)
        every = np.broadcast_to(self.n[:, None], answered.shape)
        if limit == "error":
            return wrong, answered
        if limit == "error_per_case":
            return wrong, every
        if limit == "abstention":
            return every - answered, every
        if limit == "missed":
            return by_class[1][..., 0], np.broadcast_to(self.n_positive[:, None], answered.shape)
        column = 1 if limit == "false_discovery" else 0
        return by_class[1][..., column], by_class[0][..., column]

    def passed(self, limits: Mapping[str, float], delta: float) -> Mask:
        """Say which candidates pass the tests of all limits in all groups."""
        passed = np.ones(len(self), dtype=np.bool_)
        for name, limit in limits.items():
            passed &= (np.asarray(risk_p_value(*self.pair(name), limit)) <= delta).all(axis=0)
        return passed

    def tests(self, limits: Mapping[str, float], at: int) -> list[LimitTest]:
        """Give the evidence for one candidate."""
        found = []
        for name, limit in limits.items():
            shown = "class_error" if self.side is not None and name == "error" else name
            wrong, among = (part[:, at].tolist() for part in self.pair(name))
            for k, m, group in zip(wrong, among, self.groups, strict=True):
                found.append(LimitTest(shown, limit, k, m, float(risk_p_value(k, m, limit)), group))
        return found

    def cases_needed(self, limits: Mapping[str, float], delta: float) -> int | None:
        """Estimate at how many cases some candidate would pass every test."""
        found = []
        for name, limit in limits.items():
            pairs = zip(*self.pair(name), self.n.tolist(), strict=True)
            for wrong, answered, n in pairs:
                # A few of the candidates tell as much as all.
                some = slice(None, None, max(1, len(self) // 20))
                likely = [
                    expected_cases((k + 0.5) / (m + 1), m / n, limit, 1 - delta)
                    for k, m in zip(wrong[some].tolist(), answered[some].tolist(), strict=True)
                    if m >= 20
                ]
                known = [value for value in likely if value is not None]
                if not likely:  # too few answers to say more than what the sequence begins with
                    known = [HEAD_START * least_answers(limit, 1 - delta)]
                if not known:
                    return None
                found.append(min(known))
        return max(found, default=None)


def strictest_first(
    tallies: Tallies, expected: Tallies, limits: Mapping[str, float], delta: float
) -> tuple[int, int]:
    """Test candidates from strict to loose; give the first one tested and the last that passed."""
    enough = np.ones(len(tallies), dtype=np.bool_)
    for name in _AMONG_ANSWERS:
        if name in limits:
            share = expected.pair(name)[1] / np.maximum(expected.n, 1)[:, None]
            wanted = HEAD_START * least_answers(limits[name], 1 - delta)
            # A group without other cases says nothing about where to begin.
            known = (expected.n > 0)[:, None]
            enough &= (~known | (share * tallies.n[:, None] >= wanted)).all(axis=0)
    start = int(np.argmax(enough)) if enough.any() else len(tallies) - 1
    failed = np.flatnonzero(~tallies.passed(limits, delta)[start:])
    return start, start + (int(failed[0]) if len(failed) else len(tallies) - start) - 1


def loosest_first(tallies: Tallies, limit: float, delta: float) -> int:
    """Find the strictest candidate whose abstention is certified, testing from the loosest on."""
    failed = np.flatnonzero(~tallies.passed({"abstention": limit}, delta))
    return int(failed[-1]) + 1 if len(failed) else 0
