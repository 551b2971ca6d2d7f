"""What is known of the calibration cases, the answers they would get, and tallies of these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from cautious._checks import check_classes, check_truth
from cautious._labels import binary_truth
from cautious._random import as_generator
from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.certification._bounds import check_whole, expected_cases, least_answers, risk_p_value
from cautious.certification._certificate import LimitTest
from cautious.decision._rule_json import score_bins
from cautious.errors import shown
from cautious.predictions._probabilities import per_cent_hint

__all__ = ["HEAD_START", "Cases", "Tallies"]

# Probabilities may miss adding up to one by so much.
_MISSED = 1e-6

# A sequence that begins at the smallest number of answers that could pass ends there too often.
HEAD_START = 3


@dataclass(frozen=True)
class Cases:
    """Truths and scores of cases, with groups and with how many cases each row stands for.

    Attributes
    ----------
    truth : ndarray of shape (n,), int
        Positions of the true classes.
    scores : ndarray of shape (n,) or (n, K)
        Scores of the positive one of two classes, or probabilities of all classes.
    classes : tuple
        Class labels.
    group : ndarray of shape (n,), int
        Positions of the groups.
    groups : tuple of str, or (None,)
        Names of the groups; None where there are none.
    count : ndarray of shape (n,), int, or None
        How many cases each row stands for; None for one each.
    answer : ndarray of shape (n,), int, or None
        Positions of the classes answered, where `scores` says how confidently; None where the
        scores themselves say which class they prefer.
    by_confidence : bool
        Whether only the confidence of two classes is known. Scores of the same confidence are then
        one: the largest of them.
    """

    truth: Ints
    scores: Floats
    classes: tuple[Any, ...]
    group: Ints
    groups: tuple[str | None, ...] = (None,)
    count: Ints | None = None
    answer: Ints | None = None
    by_confidence: bool = False

    @classmethod
    def of_answers(
        cls, truth: Ints, confidence: Floats, wrong: Mask, classes: tuple[Any, ...], counts: Any
    ) -> Cases:
        """Take over what a curve has counted: right and wrong answers at each confidence."""
        k = len(classes)
        if not np.all((confidence >= 1 / k - 1e-9) & (confidence <= 1)):
            raise ValueError(
                f"the confidences of this curve are not the largest of {k} probabilities, which a "
                "rule is made from; make the curve from probabilities."
            )
        answer = np.where(wrong, (truth + 1) % k, truth)
        count = _read_counts(counts, len(truth))
        group = np.zeros(len(truth), dtype=np.intp)
        if k == 2:  # the score of the positive class says both
            scores = np.where(answer == 1, confidence, _largest_score(confidence))
            return cls(truth, scores, classes, group, count=count, by_confidence=True)
        return cls(truth, confidence, classes, group, count=count, answer=answer)

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_score: Any,
        y_proba: Any,
        *,
        classes: Any = None,
        pos_label: Any = None,
        groups: Any = None,
        counts: Any = None,
    ) -> Cases:
        """Read what users give."""
        if (y_score is None) == (y_proba is None):
            raise ValueError("give either y_score or y_proba.")
        if not np.size(y_true):
            raise ValueError("y_true is empty: there are no calibration cases; give at least one.")
        if y_score is not None:
            positive, labels = binary_truth(y_true, pos_label=pos_label, classes=classes)
            truth = positive.astype(np.intp)
            scores = _read_scores(y_score, "y_score", len(labels))
        else:
            given = check_truth(y_true)
            labels = tuple(check_classes(np.unique(given) if classes is None else classes).tolist())
            truth = pd.Index(labels).get_indexer(given)
            if (truth < 0).any():
                stranger = given[int(np.argmin(truth))]
                raise ValueError(
                    f"y_true holds {shown(stranger)}, which is not among the classes; name it "
                    "there, or drop these cases."
                )
            scores = _read_scores(y_proba, "y_proba", len(labels))
        n = len(truth)
        if len(scores) != n:
            raise ValueError(
                f"y_true has {n} cases and the scores have {len(scores)}; give one score per case."
            )
        group, names = _read_groups(groups, n, "groups")
        count = None if counts is None else _read_counts(counts, n)
        return cls(truth, scores, tuple(labels), group, names, count)

    def others(self, scores: Any, groups: Any) -> Cases:
        """Read cases whose labels do not matter."""
        if (self.groups == (None,)) != (groups is None):
            raise ValueError(
                "give other_groups, the groups of the other cases, if and only if groups is given; "
                "or leave other_scores out."
            )
        read = _read_scores(scores, "other_scores", len(self.classes))
        if self.answer is None and read.ndim != self.scores.ndim:  # one column of two says all
            read = read[:, 1] if read.ndim == 2 else np.column_stack([1 - read, read])
        if self.by_confidence:
            read = np.where(read > 0.5, read, _largest_score(1 - read))
        group, names = _read_groups(groups, len(read), "other_groups")
        lonely = [name for name in names if name not in self.groups]
        if lonely:
            raise ValueError(
                f"group {lonely[0]} is in other_groups, but no calibration case is in it, so "
                "nothing can be promised of it; give cases of it, or leave it out."
            )
        where = np.array([self.groups.index(name) for name in names], dtype=np.intp)
        truth = np.zeros(len(read), dtype=np.intp)
        return Cases(truth, read, self.classes, where[group], self.groups)

    def split(self, random_state: int | None) -> tuple[Cases, Cases]:
        """Set a random fifth aside, whose labels are never looked at."""
        rng = as_generator(random_state)
        if self.count is not None:
            aside = rng.multivariate_hypergeometric(self.count, self.n // 5, method="marginals")
            return replace(self, count=self.count - aside), replace(self, count=aside)
        aside = np.zeros(self.n, dtype=np.bool_)
        aside[rng.choice(self.n, self.n // 5, replace=False, shuffle=False)] = True
        return self._take(~aside), self._take(aside)

    def _take(self, rows: Any) -> Cases:
        columns = {name: getattr(self, name)[rows] for name in ("truth", "scores", "group")}
        return replace(self, **columns)

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.truth) if self.count is None else int(self.count.sum())

    @property
    def missing(self) -> int:
        """Number of cases without a score."""
        gone = np.isnan(self.scores if self.scores.ndim == 1 else self.scores.sum(axis=1))
        return int(gone.sum() if self.count is None else self.count[gone].sum())

    def score_bins(self) -> dict[str, list[float]]:
        """Give what a rule keeps of the scores: so their drift can be watched."""
        scores, k = self.scores, len(self.classes)
        if scores.ndim == 2:
            scores = scores[:, 1] if k == 2 else scores.max(axis=1)
        positive, count = self.truth == 1, self.count
        known = ~np.isnan(scores) & (True if count is None else count > 0)
        if not known.all():
            scores, positive = scores[known], positive[known]
            count = None if count is None else count[known]
        if count is not None:
            positive = positive * count
        bins = score_bins(scores, count, positive if k == 2 else None)
        if self.by_confidence and bins:
            # Scores that were made of confidences miss those of new cases as far as probabilities
            # may miss adding up to one; so bins end a little beyond a score.
            every, edges = np.unique(scores), np.array(bins["edges"])
            room = (every[np.searchsorted(every, edges, side="right")] - edges) / 2
            bins["edges"] = (edges + np.minimum(room, _MISSED)).tolist()
        return bins

    @property
    def are_probabilities(self) -> bool:
        """Whether the scores say how probable the classes are."""
        if self.scores.ndim == 2:
            return True
        with np.errstate(invalid="ignore"):  # comparisons with nan
            return not ((self.scores < 0) | (self.scores > 1)).any()

    def preferred(self) -> tuple[Ints, Floats]:
        """Likeliest class and its probability, -inf where the score is missing."""
        if not self.are_probabilities:
            raise ValueError(
                "the scores are no probabilities, so they have no confidence; choose "
                f"thresholds='two'. {per_cent_hint(self.scores)}".rstrip()
            )
        if self.answer is not None:
            answer, confidence = self.answer, self.scores.copy()
        elif self.scores.ndim == 1:
            rest = 1 - self.scores
            positive = self.scores > rest
            confidence = np.where(positive, self.scores, rest)
            answer = positive.astype(np.intp)
        else:
            answer = self.scores.argmax(axis=1)  # a nan is the largest
            confidence = self.scores[np.arange(len(answer)), answer]
        confidence[np.isnan(confidence)] = -np.inf
        return answer, confidence

    def of_positive(self) -> Cases:
        """Keep what a window compares: the score of the positive one of two classes."""
        return self if self.scores.ndim == 1 else replace(self, scores=self.scores[:, 1])

    def strength(self, side: int) -> Floats:
        """Confidence in one class; -inf where another one is preferred or the score is missing."""
        answer, confidence = self.preferred()
        return np.where(answer == side, confidence, -np.inf)

    def distance(self, side: int, middle: float) -> Floats:
        """How far the score lies on one side of a window: itself, or less itself below."""
        with np.errstate(invalid="ignore"):  # comparisons with nan
            preferred = (self.scores >= middle) if side else (self.scores < middle)
        return np.where(preferred, self.scores if side else -self.scores, -np.inf)

    def tally(self, thresholds: Floats, confidence: Floats, answer: Ints | int) -> Ints:
        """Count answers at falling thresholds, of shape (groups, thresholds, classes, 2)."""
        k, steps = len(self.classes), len(thresholds) + 1
        first = steps - 1 - np.searchsorted(thresholds[::-1], confidence, side="right")
        cell = ((self.group * steps + first) * k + answer) * 2 + (answer != self.truth)
        size = len(self.groups) * steps * k * 2
        counted = np.bincount(cell, self.count, size).astype(np.int64)
        return np.asarray(counted.reshape(-1, steps, k, 2)[:, :-1].cumsum(axis=1))

    def per_group(self) -> tuple[Ints, Ints]:
        """Count the cases of each group, and those of the second class among them."""
        cell = self.group * 2 + (self.truth == 1)
        counted = np.bincount(cell, self.count, 2 * len(self.groups)).astype(np.int64)
        return counted.reshape(-1, 2).sum(axis=1), counted[1::2]


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
        every = int(self.n.sum())
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
                if not known or not n:
                    return None
                # A rare group gets its share of the cases only.
                found.append(math.ceil(min(known) * every / n))
        return max(found, default=None)


def _largest_score(confidence: Floats) -> Floats:
    """Give the largest score of the positive class that leaves the negative one this confidence."""
    gap = confidence - np.nextafter(confidence, 0)
    score = (1 - confidence) + gap / 2
    return np.where(1 - score >= confidence, score, np.nextafter(score, -np.inf))


def _read_scores(given: Any, name: str, k: int) -> Floats:
    values = as_floats(given, name, "scores")
    if (values.ndim == 2 and values.shape[1] == k) or (values.ndim == 1 and k == 2):
        return values
    raise ValueError(
        f"{name} has shape {values.shape}; give shape (n, {k})" + (" or (n,)." if k == 2 else ".")
    )


def _read_counts(given: Any, n: int) -> Ints:
    count = check_whole(given, "counts")
    if count.shape != (n,) or not count.sum():
        raise ValueError(
            f"counts has shape {count.shape} and sums up to {count.sum()}; give one whole number "
            f"of cases for each of {n} rows, and at least one case."
        )
    return count


def _read_groups(groups: Any, n: int, name: str) -> tuple[Ints, tuple[str | None, ...]]:
    if groups is None:
        return np.zeros(n, dtype=np.intp), (None,)
    given = pd.Series(np.asarray(groups, dtype=object))
    if len(given) != n:
        raise ValueError(f"{name} has {len(given)} rows for {n} cases; give one group per case.")
    if given.isna().any():
        at = int(np.argmax(given.isna()))
        raise ValueError(f"{name}[{at}] is missing; name the group of every case.")
    code, names = pd.factorize(given.astype(str))
    return code.astype(np.intp), tuple(names.tolist())
