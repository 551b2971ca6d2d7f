"""What is known of the calibration cases, and which answer each of them would get."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints, as_floats
from cautious.guarantees.bounds import check_whole
from cautious.predictions import binary_truth
from cautious.sets import check_classes, check_truth

__all__ = ["Cases"]


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
    """

    truth: Ints
    scores: Floats
    classes: tuple[Any, ...]
    group: Ints
    groups: tuple[str | None, ...] = (None,)
    count: Ints | None = None

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
                raise ValueError(f"y_true holds {stranger!r}, which is not among the classes.")
            scores = _read_scores(y_proba, "y_proba", len(labels))
        n = len(truth)
        if len(scores) != n:
            raise ValueError(
                f"y_true has {n} cases and the scores have {len(scores)}; give one score per case."
            )
        group, names = _read_groups(groups, n, "groups")
        count = None
        if counts is not None:
            count = check_whole(counts, "counts")
            if count.shape != (n,) or not count.sum():
                raise ValueError(
                    f"counts has shape {count.shape} and sums up to {count.sum()}; give one whole "
                    f"number of cases for each of {n} rows, and at least one case."
                )
        return cls(truth, scores, tuple(labels), group, names, count)

    def others(self, scores: Any, groups: Any) -> Cases:
        """Read cases whose labels do not matter."""
        if (self.groups == (None,)) != (groups is None):
            raise ValueError(
                "give other_groups, the groups of the other cases, if and only if groups is given; "
                "or leave other_scores out."
            )
        read = _read_scores(scores, "other_scores", len(self.classes))
        if read.ndim != self.scores.ndim:  # one column of two says all
            read = read[:, 1] if read.ndim == 2 else np.column_stack([1 - read, read])
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
        rng = np.random.default_rng(random_state)
        if self.count is not None:
            aside = rng.multivariate_hypergeometric(self.count, self.n // 5, method="marginals")
            return replace(self, count=self.count - aside), replace(self, count=aside)
        aside = np.zeros(self.n, dtype=np.bool_)
        aside[rng.choice(self.n, self.n // 5, replace=False, shuffle=False)] = True
        return self._take(~aside), self._take(aside)

    def _take(self, rows: Any) -> Cases:
        return replace(
            self, truth=self.truth[rows], scores=self.scores[rows], group=self.group[rows]
        )

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.truth) if self.count is None else int(self.count.sum())

    @property
    def missing(self) -> int:
        """Number of cases without a score."""
        gone = np.isnan(self.scores if self.scores.ndim == 1 else self.scores.sum(axis=1))
        return int(gone.sum() if self.count is None else self.count[gone].sum())

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
                "thresholds='two'."
            )
        if self.scores.ndim == 1:
            rest = 1 - self.scores
            positive = self.scores > rest
            confidence = np.where(positive, self.scores, rest)
            answer = positive.astype(np.intp)
        else:
            answer = self.scores.argmax(axis=1)  # a nan is the largest
            confidence = self.scores[np.arange(len(answer)), answer]
        confidence[np.isnan(confidence)] = -np.inf
        return answer, confidence

    def strength(self, side: int, middle: float) -> Floats:
        """Confidence in one class; -inf where another one is preferred or the score is missing.

        Scores that are no probabilities speak for the positive class from `middle` on.
        """
        if self.are_probabilities:
            answer, confidence = self.preferred()
            return np.where(answer == side, confidence, -np.inf)
        with np.errstate(invalid="ignore"):
            preferred = (self.scores >= middle) if side else (self.scores < middle)
        return np.where(preferred, self.scores if side else -self.scores, -np.inf)

    def tally(self, thresholds: Floats, confidence: Floats, answer: Ints | int) -> Ints:
        """Count answers at falling thresholds, of shape (groups, thresholds, classes, 2).

        The last axis tells right answers from wrong ones.
        """
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


def _read_scores(given: Any, name: str, k: int) -> Floats:
    values = as_floats(given, name, "scores")
    if (values.ndim == 2 and values.shape[1] == k) or (values.ndim == 1 and k == 2):
        return values
    raise ValueError(
        f"{name} has shape {values.shape}; give shape (n, {k})" + (" or (n,)." if k == 2 else ".")
    )


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
