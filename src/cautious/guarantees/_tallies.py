"""What cases would be answered and how surely, and what that counts at every threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import Cases, sorted_classes
from cautious._checks import as_codes, check_classes, check_truth, check_whole, first_row
from cautious._labels import binary_truth
from cautious._random import as_generator
from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.decision import Rule
from cautious.decision._rule_json import exchange_details, score_bins
from cautious.errors import shown
from cautious.guarantees._limits import LIMITS, LimitCounts
from cautious.guarantees.bounds import expected_cases, least_answers, risk_p_value
from cautious.guarantees.certificate import Certificate, LimitTest
from cautious.predictions._probabilities import per_cent_hint

Shape: TypeAlias = Literal["one", "two", "per class"]
"""How many thresholds a certified rule has."""

HEAD_START = 3
"""A sequence that begins at the smallest number of answers that could pass ends there too often."""

# Probabilities may miss adding up to one by so much.
_MISSED = 1e-6
_LARGEST = np.finfo(np.float64).max


def calibration_cases(
    y_true: Any, y_score: Any, y_proba: Any, classes: Any, pos_label: Any, groups: Any, counts: Any
) -> Cases:
    """Read what users give."""
    if (y_score is None) == (y_proba is None):
        raise ValueError("give either y_score or y_proba.")
    if not np.size(y_true):
        raise ValueError("y_true is empty: there are no calibration cases; give at least one.")
    labels: tuple[Any, ...]
    if y_score is not None:
        positive, labels = binary_truth(y_true, pos_label=pos_label, classes=classes)
        codes = positive.astype(np.intp)
        scores = _read_scores(y_score, "y_score", 2)
    else:
        truth = check_truth(y_true)
        known = sorted_classes(truth) if classes is None else check_classes(classes)
        labels, codes = tuple(known.tolist()), as_codes(truth, known, name="y_true")
        scores = _read_scores(y_proba, "y_proba", len(labels))
    n = len(codes)
    if len(scores) != n:
        raise ValueError(
            f"y_true has {n} cases and the scores have {len(scores)}; give one score per case."
        )
    if counts is not None:
        counts = check_whole(counts, "counts")
        if counts.shape != (n,) or not counts.sum():
            raise ValueError(
                f"counts has shape {counts.shape} and sums up to {counts.sum()}; give one whole "
                f"number of cases for each of {n} rows, and at least one case."
            )
    given: dict[str, Any] = {"y_score" if scores.ndim == 1 else "y_proba": scores}
    names = _read_groups(groups, n, "groups")
    return Cases("calibration", labels, codes, groups=names, sample_weight=counts, **given)


def _read_scores(given: Any, name: str, k: int) -> Floats:
    values = as_floats(given, name, "scores")
    if (values.ndim == 2 and values.shape[1] == k) or (values.ndim == 1 and k == 2):
        return values
    or_one = " or (n,)" * (k == 2)
    raise ValueError(f"{name} has shape {values.shape}; give shape (n, {k}){or_one}.")


def _read_groups(groups: Any, n: int, name: str) -> pd.Categorical[Any] | None:
    """Check the groups of cases, None for none; they are told apart by their text."""
    if groups is None:
        return None
    given = pd.Series(np.asarray(groups, dtype=object))
    if len(given) != n:
        raise ValueError(f"{name} has {len(given)} rows for {n} cases; give one group per case.")
    if given.isna().any():
        at = first_row(given.isna())
        raise ValueError(f"{name}[{at}] is missing; name the group of every case.")
    return pd.Categorical(given.astype(str))


@dataclass(frozen=True)
class Answers:
    """What cases would be answered, and how confidently, if none were abstained on."""

    classes: tuple[Any, ...]
    # What the answers were made of: a "score" of the positive one of two classes, "proba"
    # (probabilities), the "confidence" that a curve has kept of these, or that in a "grade".
    kind: str
    truth: Ints
    answer: Ints
    confidence: Floats  # -inf where the score is missing
    score: Floats  # of the positive one of two classes, or the confidence; nan where it is missing
    group: Ints  # positions of the groups
    groups: tuple[str | None, ...] = (None,)
    count: Ints | None = None  # how many cases each row stands for; None for one each

    @classmethod
    def of(cls, cases: Cases) -> Answers:
        """Answer each of the cases with its likeliest class."""
        answer, confidence = cases.likeliest
        kind = "grade" if cases.graded else "score" if cases.y_proba is None else "proba"
        if cases.graded:
            confidence = np.clip(confidence, -_LARGEST, _LARGEST)  # what is there may go out
        score = confidence if cases.y_score is None else cases.y_score
        if cases.y_score is None and len(cases.classes) == 2:
            score = cases.proba[:, 1]
        truth = np.zeros(len(score), dtype=np.intp) if cases.codes is None else cases.codes
        group, names = np.zeros(len(score), dtype=np.intp), (None,)
        if cases.groups is not None:
            group, found = pd.factorize(cases.groups)  # in the order in which they occur
            names = tuple(found.tolist())
        weight = cases.sample_weight
        count = None if weight is None else check_whole(weight, "counts")
        confidence = np.where(np.isnan(confidence), -np.inf, confidence)
        return cls(cases.classes, kind, truth, answer, confidence, score, group, names, count)

    @classmethod
    def of_confidence(
        cls, truth: Ints, confidence: Floats, wrong: Mask, classes: tuple[Any, ...], weight: Floats
    ) -> Answers:
        """Take over what a curve has counted: right and wrong answers at each confidence."""
        k = len(classes)
        if not np.all((confidence >= 1 / k - 1e-9) & (confidence <= 1)):
            raise ValueError(
                f"the confidences of this curve are not the largest of {k} probabilities, which a "
                "rule is made from; make the curve from probabilities."
            )
        answer = np.where(wrong, (truth + 1) % k, truth)
        if k == 2:  # the score of the positive class says both
            score = np.where(answer == 1, confidence, _largest_score(confidence))
            counted = Cases("curve", classes, truth, y_score=score, sample_weight=weight)
            return replace(cls.of(counted), kind="confidence")
        count, group = check_whole(weight, "counts"), np.zeros(len(truth), dtype=np.intp)
        return cls(classes, "confidence", truth, answer, confidence, confidence, group, count=count)

    def others(self, scores: Any, groups: Any) -> Answers:
        """Read cases whose labels do not matter."""
        if (self.groups == (None,)) != (groups is None):
            raise ValueError(
                "give other_groups, the groups of the other cases, if and only if groups is given; "
                "or leave other_scores out."
            )
        k = len(self.classes)
        read = _read_scores(scores, "other_scores", k)
        if k == 2 and read.ndim == 2 and self.kind != "proba":  # one column of two says all
            read = read[:, 1]
        if k == 2 and self.kind == "confidence":
            read = np.where(read > 0.5, read, _largest_score(1 - read))
        given: dict[str, Any] = {"y_score" if read.ndim == 1 else "y_proba": read}
        names, graded = _read_groups(groups, len(read), "other_groups"), self.kind == "grade"
        found = Answers.of(Cases("others", self.classes, groups=names, graded=graded, **given))
        strange = [name for name in found.groups if name not in self.groups]
        if strange:
            raise ValueError(
                f"group {strange[0]} is in other_groups, but no calibration case is in it, so "
                "nothing can be promised of it; give cases of it, or leave it out."
            )
        place = np.array([self.groups.index(name) for name in found.groups], dtype=np.intp)
        return replace(found, group=place[found.group], groups=self.groups)

    def split(self, random_state: int | None) -> tuple[Answers, Answers]:
        """Set a random fifth aside, whose labels are never looked at."""
        rng = as_generator(random_state)
        if self.count is not None:
            aside = rng.multivariate_hypergeometric(self.count, self.n // 5, method="marginals")
            return replace(self, count=self.count - aside), replace(self, count=aside)
        rest = np.ones(self.n, dtype=np.bool_)
        rest[rng.choice(self.n, self.n // 5, replace=False, shuffle=False)] = False
        return self._take(np.flatnonzero(rest)), self._take(np.flatnonzero(~rest))

    def _take(self, rows: Ints) -> Answers:
        names = ("truth", "answer", "confidence", "score", "group")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.truth) if self.count is None else int(self.count.sum())

    @property
    def missing(self) -> int:
        """Number of cases without a score."""
        gone = np.isneginf(self.confidence)
        return int(gone.sum() if self.count is None else self.count[gone].sum())

    @property
    def are_within_unit(self) -> bool:
        """Whether no score is below 0 or above 1."""
        with np.errstate(invalid="ignore"):  # comparisons with nan
            return not ((self.score < 0) | (self.score > 1)).any()

    def check_shape(self, shape: Shape) -> None:
        """Refuse thresholds that these answers cannot have."""
        if shape != "one" and self.kind == "confidence" and len(self.classes) > 2:
            raise ValueError(
                f"thresholds is {shown(shape)}, but a curve of {len(self.classes)} classes does "
                "not hold which class was answered wrongly; choose thresholds='one', or certify "
                "the cases themselves."
            )
        if self.kind == "grade":
            if shape != "one":
                raise ValueError("graded answers have one threshold; choose thresholds='one'.")
        elif shape != "two" and self.kind != "proba" and not self.are_within_unit:
            raise ValueError(
                "the scores are no probabilities, so they have no confidence; choose "
                f"thresholds='two'. {per_cent_hint(self.score)}".rstrip()
            )

    def score_bins(self) -> dict[str, list[float]]:
        """Give what a rule keeps of the scores: so their drift can be watched."""
        scores, count, positive = self.score, self.count, self.truth == 1
        known = ~np.isnan(scores) & (True if count is None else count > 0)
        if not known.all():
            scores, positive = scores[known], positive[known]
            count = None if count is None else count[known]
        if count is not None:
            positive = positive * count
        k = len(self.classes)
        bins = score_bins(scores, count, positive if k == 2 else None)
        if k == 2 and self.kind == "confidence" and bins:
            # Scores that were made of confidences miss those of new cases as far as probabilities
            # may miss adding up to one; so bins end a little beyond a score.
            distinct, edges = np.unique(scores), np.array(bins["edges"])
            room = (distinct[np.searchsorted(distinct, edges, side="right")] - edges) / 2
            bins["edges"] = (edges + np.minimum(room, _MISSED)).tolist()
        return bins

    def strength(self, side: int | None, middle: float | None) -> Floats:
        """How strongly scores speak for one class, or any; -inf where they prefer another."""
        # On one side of the middle of a window it is the score, or minus the score below;
        # without a window it is the confidence.
        if side is None:
            return self.confidence
        if middle is None:
            return np.where(self.answer == side, self.confidence, -np.inf)
        with np.errstate(invalid="ignore"):  # comparisons with nan
            preferred = (self.score >= middle) if side else (self.score < middle)
        return np.where(preferred, self.score if side else -self.score, -np.inf)


def _largest_score(confidence: Floats) -> Floats:
    """Give the largest score of the positive class that leaves the negative one this confidence."""
    gap = confidence - np.nextafter(confidence, 0)
    score = (1 - confidence) + gap / 2
    return np.where(1 - score >= confidence, score, np.nextafter(score, -np.inf))


@dataclass(frozen=True)
class Certified:
    """A rule with its certificate, or the certificate alone where nothing can be promised.

    Attributes
    ----------
    rule : Rule or None
        The rule; None where no rule could be certified.
    certificate : Certificate
        What is promised, or what it would take.
    coverage : float
        Share of the calibration cases that the rule answers.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.guarantees import certify
    >>> y = np.arange(400) % 2
    >>> found = certify(y, y_score=0.1 + 0.8 * y, max_error=0.05)
    >>> found.rule is not None, found.coverage
    (True, 1.0)
    """

    rule: Rule | None
    certificate: Certificate
    coverage: float

    def with_scores(
        self, bins: Mapping[str, Any], *, column: str | None = None, model: str | None = None
    ) -> Certified:
        """Let the rule hold bins of the scores, their column and their model, as far as known."""
        if self.rule is None:
            return self
        kept = {"scores": dict(bins) or None, "score": column}
        data = {name: value for name, value in kept.items() if value is not None}
        return replace(self, rule=exchange_details(self.rule, model=model, data=data or None))

    def __str__(self) -> str:
        answered = "" if self.rule is None else f"\n{self.rule.describe()}"
        return f"{self.certificate}{answered}"


@dataclass(frozen=True)
class Tallies:
    """Answers and mistakes of every candidate, in every group."""

    # Of shape (groups, candidates), by the class answered where there are two.
    counts: LimitCounts
    groups: tuple[str | None, ...]

    @classmethod
    def of(
        cls,
        cases: Answers,
        thresholds: Floats,
        strength: Floats,
        side: int | None = None,
        *,
        by_class: bool = True,
    ) -> Tallies:
        """Count answers by their strength at falling thresholds: all, or those of one side."""
        answer: Any = cases.answer if side is None else side
        columns, steps = (2 if by_class and len(cases.classes) == 2 else 1), len(thresholds) + 1
        order: Any = slice(None)
        if steps > _FEW_STEPS:  # found in turn, each is near the last one
            order = np.argsort(strength)
        first = np.empty(len(strength), dtype=np.intp)
        first[order] = steps - 1 - np.searchsorted(thresholds[::-1], strength[order], side="right")
        first[np.isneginf(strength)] = steps - 1  # never answered, however low the threshold
        column = answer if columns == 2 else 0
        cell = ((cases.group * steps + first) * columns + column) * 2 + (answer != cases.truth)
        size = len(cases.groups) * steps * columns * 2
        counted = np.bincount(cell, cases.count, size).astype(np.int64)
        counted = counted.reshape(-1, steps, columns, 2)[:, :-1].cumsum(axis=1)
        positive = cases.group * 2 + (cases.truth == 1)
        by_truth = np.bincount(positive, cases.count, 2 * len(cases.groups)).astype(np.int64)
        by_truth = by_truth.reshape(-1, 2)
        n = by_truth.sum(axis=1, keepdims=True)
        counts = LimitCounts(counted[..., 0] + counted[..., 1], counted[..., 1], n, by_truth[:, 1:])
        return cls(counts, cases.groups)

    def __len__(self) -> int:
        return int(self.counts.answered.shape[1])

    @property
    def n(self) -> Ints:
        """Number of cases in each group."""
        return self.counts.cases[:, 0]

    def answered(self, at: int) -> int:
        """Count the answers of one candidate, over all groups."""
        return int(self.counts.answered[:, at].sum())

    def pair(self, name: str) -> tuple[Ints, Ints]:
        """Count what speaks against a limit, and among how many: (groups, candidates) each."""
        count = LIMITS[name].of
        assert count is not None
        events, trials = np.broadcast_arrays(*count(self.counts))
        return events, trials

    def passed(self, limits: Mapping[str, float], delta: float) -> Mask:
        """Say which candidates pass the tests of all limits in all groups."""
        passed = np.ones(len(self), dtype=np.bool_)
        for name, limit in limits.items():
            passed &= (np.asarray(risk_p_value(*self.pair(name), limit)) <= delta).all(axis=0)
        return passed

    def kept(self, limits: Mapping[str, float]) -> Mask:
        """Say which candidates keep all limits in all groups on these cases, by luck or not."""
        pairs = zip(map(self.pair, limits), limits.values(), strict=True)
        each = [(events <= most * trials).all(axis=0) for (events, trials), most in pairs]
        return np.asarray(np.all(each, axis=0))

    def tests(self, limits: Mapping[str, float], at: int, *, of_side: bool) -> list[LimitTest]:
        """Give the evidence for one candidate, of all answers or those of one class."""
        tests = []
        for name, limit in limits.items():
            tested = "class_error" if of_side and name == "error" else name
            events, trials = (part[:, at].tolist() for part in self.pair(name))
            for k, m, group in zip(events, trials, self.groups, strict=True):
                p_value = float(risk_p_value(k, m, limit))
                tests.append(LimitTest(tested, limit, k, m, p_value, group))
        return tests

    def cases_needed(self, limits: Mapping[str, float], delta: float) -> int | None:
        """Estimate at how many cases some candidate would pass every test."""
        found = []
        every = int(self.n.sum())
        for name, limit in limits.items():
            for wrong, answered, n in zip(*self.pair(name), self.n.tolist(), strict=True):
                step = max(1, len(self) // 20)  # these candidates tell as much as all
                needed = cases_needed(wrong, answered, n, limit, 1 - delta, step)
                if needed is None:
                    return None
                # A rare group gets its share of the cases only.
                found.append(math.ceil(needed * every / n))
        return max(found, default=None)


# So many thresholds stay in the processor's cache, so that cases are found among them in any order.
_FEW_STEPS = 1 << 13
# Of fewer answers without a mistake nothing is said: that happens to any model.
_FEW_ANSWERS = 10


def cases_needed(
    wrong: Ints, answered: Ints, n: int, limit: float, level: float, step: int = 1
) -> int | None:
    """Estimate at how many cases one of some rules would pass; None if all are seen to fail."""
    likely = [
        expected_cases((k + 0.5) / (m + 1), m / n, limit, level)
        for k, m in zip(wrong[::step].tolist(), answered[::step].tolist(), strict=True)
        if m >= 20
    ]
    known = [value for value in likely if value is not None]
    kept = answered[(wrong <= limit * answered) & (answered >= _FEW_ANSWERS)]
    if not likely:  # too few answers to say more than what the sequence begins with
        known = [HEAD_START * least_answers(limit, level)]
    elif not known and len(kept):  # the surest keep the limit, and are too few to show it
        known = [math.ceil(HEAD_START * least_answers(limit, level) * n / int(kept.max()))]
    return min(known) if known and n else None


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
        raise ValueError(
            "none of the cases that candidate thresholds are chosen from has a finite score; give "
            "scores that are numbers, in y_score or y_proba, and in other_scores where it is given."
        )
    wanted = np.ceil(np.arange(1, how_many + 1) / how_many * reached[-1])
    return np.asarray(np.unique(falling[np.searchsorted(reached, wanted)])[::-1])


def answers_to_begin(limit: float, level: float, out: npt.ArrayLike | None = None) -> Any:
    """Count the answers that a sequence begins with; of graded ones so many can go out."""
    least = least_answers(limit, level)
    # Four times the least that could pass gets furthest, but of few answers it is too many.
    return HEAD_START * least if out is None else np.clip(np.divide(out, 3), 2 * least, 4 * least)


def first_and_last(enough: Mask, passed: Mask) -> tuple[int, int]:
    """Candidates where a sequence begins, with enough answers, and where it ends."""
    start = int(np.argmax(enough)) if enough.any() else len(enough) - 1
    return start, start - 1 + int(np.argmax(np.append(~passed[start:], True)))


def between(thresholds: Floats, confidence: Floats) -> Floats:
    """Move thresholds midway to the next lower confidence, so that they lie between two."""
    distinct = np.unique(confidence[np.isfinite(confidence)])
    at = np.searchsorted(distinct, thresholds)
    below = np.where(at > 0, distinct[at - 1], -np.inf)
    midway = below / 2 + thresholds / 2
    return np.where(midway > below, midway, np.where(at > 0, thresholds, -np.inf))
