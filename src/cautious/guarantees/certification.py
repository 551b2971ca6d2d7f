r"""Rules that keep a limit on new cases, with a stated confidence.

Candidate thresholds are fixed before the labels of the calibration cases are looked at. They are
tested from the strictest to the loosest, each exactly, and the last one before the first failure is
taken. Because the order is fixed, no correction for the number of candidates is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Labels, Mask, as_floats
from cautious.decision import Rule
from cautious.guarantees.bounds import check_share, expected_cases, least_answers, risk_p_value
from cautious.guarantees.certificate import Certificate, LimitTest
from cautious.predictions import binary_truth
from cautious.sets import check_classes, check_truth

__all__ = ["Certified", "Shape", "certify"]

Shape: TypeAlias = Literal["one", "two", "per class"]
"""How many thresholds a certified rule has."""

# A sequence that begins at the smallest number of answers that could pass ends there too often.
_HEAD_START = 3


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
    """

    rule: Rule | None
    certificate: Certificate
    coverage: float

    def __str__(self) -> str:
        answered = "" if self.rule is None else f"\n{self.rule.describe()}"
        return f"{self.certificate}{answered}"


def certify(
    y_true: Sequence[Any] | npt.ArrayLike,
    *,
    y_score: npt.ArrayLike | None = None,
    y_proba: npt.ArrayLike | None = None,
    other_scores: npt.ArrayLike | None = None,
    other_groups: Sequence[Any] | npt.ArrayLike | None = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    max_error: float | None = None,
    min_ppv: float | None = None,
    min_npv: float | None = None,
    max_missed: float | None = None,
    max_error_per_case: float | None = None,
    max_abstention: float | None = None,
    groups: Sequence[Any] | npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
    thresholds: Shape = "one",
    n_candidates: int = 100,
    random_state: int | None = 0,
) -> Certified:
    r"""Find the rule that answers most among those that provably keep all limits.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of calibration cases: cases that the model was not fitted on.
    y_score : array-like of shape (n,), optional
        Scores of the positive one of two classes. NaN abstains.
    y_proba : array-like of shape (n, K), optional
        Class probabilities, in place of `y_score`.
    other_scores : array-like, optional
        Scores or probabilities of *other* cases, whose labels do not matter, such as out-of-fold
        predictions of the training cases: the candidates are their quantiles. Without them a random
        fifth of the calibration cases serves for that, and only the rest is tested on.
    other_groups : array-like, optional
        Groups of the other cases, needed with both `other_scores` and `groups`.
    classes, pos_label : optional
        Class labels in column order; the positive one of two.
    max_error : float, optional
        Largest share of wrong answers among the answers.
    min_ppv, min_npv : float, optional
        Two classes: least share of right ones among the positive, and among the negative answers.
    max_missed : float, optional
        Two classes: largest share of positive cases that are answered negative.
    max_error_per_case : float, optional
        Largest share of wrong answers among all cases.
    max_abstention : float, optional
        Largest share of abstentions among all cases.
    groups : array-like of shape (n,), optional
        Groups of cases; every limit is then kept in each of them.
    confidence_level : float, default=0.95
        How sure the promise is, over the draw of the calibration cases.
    thresholds : {"one", "two", "per class"}, default="one"
        One threshold on the confidence; a window with two thresholds on the score of two classes,
        each for half of the risk of failing; or one threshold per predicted class.
    n_candidates : int, default=100
        Number of candidates, at equally spaced coverages.
    random_state : int or None
        Seed of the random fifth.

    Returns
    -------
    Certified
        With `rule` None where nothing can be promised.

    Notes
    -----
    At a candidate with m answers, k of them wrong, :math:`P(\mathrm{Bin}(m, \alpha) \le k)` is a
    valid p-value for "the risk exceeds α". Several limits need no correction: a rule passes where
    every single p-value does (intersection–union). The sequence begins where three times as many
    answers are expected as the smallest number that could pass. `max_abstention` runs the other
    way, and takes half of the risk of failing. Cases count once: weights have no exact test.

    References
    ----------
    Angelopoulos, Bates, Candès, Jordan & Lei (2021), *Learn then test*; Geifman & El-Yaniv (2017),
    *Selective classification for deep neural networks*.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=2000)
    >>> p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
    >>> found = certify(y[1000:], y_score=p[1000:], other_scores=p[:1000], max_error=0.1)
    >>> round(found.coverage, 2)
    0.77
    >>> print(found.certificate)
    On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
    Seen on 1,000 calibration cases: 62 of 765 (p = 0.043).
    """
    level = check_share(confidence_level, "confidence_level")
    limits = _check_limits(
        max_error=max_error,
        min_ppv=min_ppv,
        min_npv=min_npv,
        max_missed=max_missed,
        max_error_per_case=max_error_per_case,
        max_abstention=max_abstention,
    )
    cases = _Cases.of(y_true, y_score, y_proba, classes, pos_label, groups)
    _check_shape(thresholds, limits, cases)
    if other_scores is None:
        cases, others = cases.split(random_state)
    else:
        others = cases.others(other_scores, other_groups)
    if not len(cases.truth):
        raise ValueError("there are no calibration cases; give at least one.")
    if thresholds == "one":
        return _one_threshold(cases, others, limits, level, n_candidates)
    return _several_thresholds(cases, others, limits, level, n_candidates, thresholds)


# What is known of the calibration cases.


@dataclass(frozen=True)
class _Cases:
    truth: Ints
    proba: Floats  # (n, K), or (n, 1): scores of two classes that are no probabilities
    classes: tuple[Any, ...]
    groups: Labels | None

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, y_proba: Any, classes: Any, pos_label: Any, groups: Any
    ) -> _Cases:
        if (y_score is None) == (y_proba is None):
            raise ValueError("give either y_score or y_proba.")
        if y_score is not None:
            positive, pair = binary_truth(y_true, pos_label=pos_label, classes=classes)
            made = cls(positive.astype(np.intp), np.empty((0, 2)), pair, None)
            scores = made.read_scores(y_score, "y_score")
        else:
            truth = check_truth(y_true)
            labels = check_classes(np.unique(truth) if classes is None else classes)
            position = {label: at for at, label in enumerate(labels.tolist())}
            codes = np.array([position.get(label, -1) for label in truth.tolist()], dtype=np.intp)
            if (codes < 0).any():
                stranger = truth[int(np.argmin(codes))]
                raise ValueError(f"y_true holds {stranger!r}, which is not among the classes.")
            made = cls(codes, np.empty((0, len(labels))), tuple(labels.tolist()), None)
            scores = made.read_scores(y_proba, "y_proba")
        if len(scores) != len(made.truth):
            raise ValueError(
                f"y_true has {len(made.truth)} cases and the scores have {len(scores)}; give one "
                "score per case."
            )
        if groups is not None and len(np.asarray(groups)) != len(scores):
            raise ValueError(f"groups has {len(np.asarray(groups))} rows for {len(scores)} cases.")
        of_group = None if groups is None else np.asarray(groups, dtype=object)
        return cls(made.truth, scores, made.classes, of_group)

    def read_scores(self, given: Any, name: str) -> Floats:
        """Read scores as a matrix: of all classes, or of the positive one of two."""
        values = as_floats(given, name, "scores")
        k = len(self.classes)
        if values.ndim == 2 and values.shape[1] == k:
            if k == 2 and self.proba.shape[1] == 1:
                return values[:, 1:]
            return values
        if values.ndim == 1 and k == 2:
            known = values[~np.isnan(values)]
            if ((known >= 0) & (known <= 1)).all() and self.proba.shape[1] != 1:
                return np.column_stack([1 - values, values])
            return values[:, None]
        raise ValueError(
            f"{name} has shape {values.shape}; give shape (n, {k})"
            + (" or (n,)." if k == 2 else ".")
        )

    def split(self, random_state: int | None) -> tuple[_Cases, _Cases]:
        """Set a random fifth aside, whose labels are never looked at."""
        order = np.random.default_rng(random_state).permutation(len(self.truth))
        fifth = len(order) // 5
        return self._take(np.sort(order[fifth:])), self._take(order[:fifth])

    def _take(self, rows: Ints) -> _Cases:
        groups = None if self.groups is None else self.groups[rows]
        return _Cases(self.truth[rows], self.proba[rows], self.classes, groups)

    def others(self, scores: Any, groups: Any) -> _Cases:
        """Read cases whose labels do not matter."""
        proba = self.read_scores(scores, "other_scores")
        if proba.shape[1] != self.proba.shape[1]:
            raise ValueError("other_scores holds no probabilities, but the scores are some.")
        if (self.groups is None) != (groups is None):
            raise ValueError(
                "give other_groups, the groups of the other cases, if and only if groups is given; "
                "or leave other_scores out."
            )
        of_group = None if groups is None else np.asarray(groups, dtype=object)
        return _Cases(np.zeros(len(proba), dtype=np.intp), proba, self.classes, of_group)

    @property
    def missing(self) -> int:
        return int(np.isnan(self.proba).any(axis=1).sum())

    def parts(self) -> dict[str | None, Mask]:
        """All cases, or those of each group."""
        if self.groups is None:
            return {None: np.ones(len(self.truth), dtype=np.bool_)}
        return {str(g): self.groups == g for g in dict.fromkeys(self.groups.tolist())}


def _preferred(proba: Floats) -> tuple[Ints, Floats]:
    """Likeliest class and its probability, -inf where there is none."""
    if proba.shape[1] == 1:
        raise ValueError(
            "the scores are no probabilities, so they have no confidence; choose thresholds='two'."
        )
    filled = np.nan_to_num(proba, nan=-np.inf)
    return filled.argmax(axis=1), np.where(np.isnan(proba).any(axis=1), -np.inf, filled.max(axis=1))


# Candidates, from the strictest to the loosest, and what they answer.


def _candidates(confidence: Floats, how_many: int) -> Floats:
    """Thresholds at equally spaced coverages of other cases, falling."""
    known = np.sort(confidence[np.isfinite(confidence)])[::-1]
    if not len(known):
        raise ValueError("other_scores holds no score; candidates cannot be chosen from it.")
    at = np.ceil(np.arange(1, how_many + 1) / how_many * len(known)).astype(np.intp) - 1
    return np.asarray(np.unique(known[at])[::-1])


@dataclass(frozen=True)
class _Counts:
    """Answers and mistakes of every candidate, by the class answered: shape (J, K)."""

    answered: Ints
    wrong: Ints
    n: int
    n_positive: int

    @classmethod
    def of_parts(
        cls, cases: _Cases, thresholds: Floats, confidence: Floats, answer: Ints
    ) -> dict[str | None, _Counts]:
        """Count all cases, or those of each group."""
        return {
            group: cls.of(
                thresholds, confidence[own], answer[own], cases.truth[own], len(cases.classes)
            )
            for group, own in cases.parts().items()
        }

    @classmethod
    def of(
        cls, thresholds: Floats, confidence: Floats, answer: Ints, truth: Ints, k: int
    ) -> _Counts:
        rising = thresholds[::-1]
        first = len(rising) - np.searchsorted(rising, confidence, side="right")
        cell = (first * k + answer) * 2 + (answer != truth)
        size = (len(rising) + 1) * k * 2
        counts = np.bincount(cell, minlength=size).reshape(-1, k, 2)[:-1].cumsum(axis=0)
        return cls(counts.sum(axis=2), counts[:, :, 1], len(truth), int((truth == 1).sum()))

    def pair(self, limit: str, side: int | None = None) -> tuple[Ints, Ints]:
        """Count what speaks against a limit, and among how many, at every candidate."""
        if side is None:
            wrong, answered = self.wrong.sum(axis=1), self.answered.sum(axis=1)
        else:  # the answers of one class
            wrong, answered = self.wrong[:, side], self.answered[:, side]
        every = np.full(len(answered), self.n)
        pairs = {"error": (wrong, answered), "error_per_case": (wrong, every)}
        pairs["abstention"] = (self.n - answered, every)
        if self.wrong.shape[1] == 2:
            pairs["false_discovery"] = (self.wrong[:, 1], self.answered[:, 1])
            pairs["false_omission"] = (self.wrong[:, 0], self.answered[:, 0])
            pairs["missed"] = (self.wrong[:, 0], np.full(len(answered), self.n_positive))
        return pairs[limit]


def _sequence(
    counts: Mapping[str | None, _Counts],
    expected: Mapping[str | None, _Counts],
    limits: Mapping[str, float],
    delta: float,
    side: int | None = None,
) -> tuple[int, int]:
    """Test candidates from strict to loose; give the first one tested and the last that passed."""
    n_candidates = len(next(iter(counts.values())).answered)
    passed, enough = np.ones((2, n_candidates), dtype=np.bool_)
    for name, limit in limits.items():
        for group, one in counts.items():
            wrong, answered = one.pair(name, side)
            passed &= np.asarray(risk_p_value(wrong, answered, limit)) <= delta
            if name in ("error", "false_discovery", "false_omission") and group in expected:
                share = expected[group].pair(name, side)[1] / max(expected[group].n, 1)
                enough &= share * one.n >= _HEAD_START * least_answers(limit, 1 - delta)
    start = int(np.argmax(enough)) if enough.any() else n_candidates - 1
    failed = np.flatnonzero(~passed[start:])
    return start, start + (int(failed[0]) if len(failed) else n_candidates - start) - 1


# Rules.


def _one_threshold(
    cases: _Cases, others: _Cases, limits: Mapping[str, float], level: float, how_many: int
) -> Certified:
    answer, confidence = _preferred(cases.proba)
    other_answer, other_confidence = _preferred(others.proba)
    candidates = _candidates(other_confidence, how_many)
    counts = _Counts.of_parts(cases, candidates, confidence, answer)
    expected = _Counts.of_parts(others, candidates, other_confidence, other_answer)
    mistakes = {name: value for name, value in limits.items() if name != "abstention"}
    delta = 1 - level
    if mistakes and "abstention" in limits:
        delta /= 2
    start, last = 0, len(candidates) - 1
    if mistakes:
        start, last = _sequence(counts, expected, mistakes, delta)
    granted = last >= start
    if granted and "abstention" in limits:
        granted = last >= _loosest_first(counts, limits["abstention"], delta)
    if not granted:
        needed = _cases_needed(counts.values(), mistakes or limits, delta)
        return _nothing(cases, limits, level, needed)
    tests = [
        _limit_test(one, name, value, last, group)
        for name, value in limits.items()
        for group, one in counts.items()
    ]
    certificate = _certificate(cases, limits, level, tests)
    rule = Rule.confidence(
        float(candidates[last]), classes=cases.classes, certificate=certificate.to_dict()
    )
    answered = sum(int(one.answered[last].sum()) for one in counts.values())
    return Certified(rule, certificate, answered / len(cases.truth))


def _certificate(
    cases: _Cases, limits: Mapping[str, float], level: float, tests: Sequence[LimitTest]
) -> Certificate:
    n, missing = len(cases.truth), cases.missing
    return Certificate(dict(limits), level, n, tuple(tests), missing=missing)


def _nothing(
    cases: _Cases, limits: Mapping[str, float], level: float, needed: int | None
) -> Certified:
    certificate = replace(
        _certificate(cases, limits, level, ()), granted=False, cases_needed=needed
    )
    return Certified(None, certificate, 0.0)


def _loosest_first(counts: Mapping[str | None, _Counts], limit: float, delta: float) -> int:
    """Find the strictest candidate whose abstention is certified, testing from the loosest on."""
    passed = np.all(
        [
            np.asarray(risk_p_value(*one.pair("abstention"), limit)) <= delta
            for one in counts.values()
        ],
        axis=0,
    )
    failed = np.flatnonzero(~passed)
    return int(failed[-1]) + 1 if len(failed) else 0


def _several_thresholds(
    cases: _Cases,
    others: _Cases,
    limits: Mapping[str, float],
    level: float,
    how_many: int,
    shape: Shape,
) -> Certified:
    """Certify the answers of each class by a threshold of their own, at an equal share of δ."""
    k = len(cases.classes)
    delta = (1 - level) / k
    thresholds = np.full(k, np.inf)
    tests: list[LimitTest] = []
    needed: list[int] = []
    answered = 0
    middle = float(np.nanmedian(others.proba)) if others.proba.shape[1] == 1 else math.nan
    for side in range(k):
        # How strongly the scores speak for this class, where it is the one preferred.
        strength, other_strength = (_strength(one.proba, side, middle) for one in (cases, others))
        if not np.isfinite(other_strength).any():
            continue  # nobody prefers this class, so it is never answered
        candidates = _candidates(other_strength, how_many)
        own = _limits_of_side(limits, side, k)
        answer, other_answer = (np.full(len(one.truth), side) for one in (cases, others))
        counts = _Counts.of_parts(cases, candidates, strength, answer)
        expected = _Counts.of_parts(others, candidates, other_strength, other_answer)
        start, last = _sequence(counts, expected, own, delta, side)
        if last < start:
            cases_needed = _cases_needed(counts.values(), own, delta)
            needed += [] if cases_needed is None else [cases_needed]
            continue
        thresholds[side] = candidates[last]
        answered += sum(int(one.answered[last, side]) for one in counts.values())
        tests += [
            _limit_test(one, name, value, last, group, side)
            for name, value in own.items()
            for group, one in counts.items()
        ]
    if not tests:
        return _nothing(cases, limits, level, min(needed, default=None))
    certificate = _certificate(cases, limits, level, tests)
    about: dict[str, Any] = {"classes": cases.classes, "certificate": certificate.to_dict()}
    if shape == "per class":
        rule = Rule.class_thresholds(thresholds, **about)
    else:
        negative, upper = thresholds.tolist()
        lower = -negative if cases.proba.shape[1] == 1 else 1 - negative
        rule = Rule.window(lower, upper, **about)
    return Certified(rule, certificate, answered / len(cases.truth))


def _strength(proba: Floats, side: int, middle: float) -> Floats:
    """Confidence in one class; -inf where another one is preferred or the score is missing.

    Scores that are no probabilities speak for the positive class from `middle` on.
    """
    if proba.shape[1] == 1:
        score = proba[:, 0]
        strength = score if side else -score
        preferred = score >= middle if side else score < middle
        return np.where(preferred, strength, -np.inf)
    answer, confidence = _preferred(proba)
    return np.where(answer == side, confidence, -np.inf)


def _limits_of_side(limits: Mapping[str, float], side: int, k: int) -> dict[str, float]:
    """Limits on the answers of one class that together imply the limits on all answers."""
    own: dict[str, float] = {}
    allowed = [limits["error"]] if "error" in limits else []
    if k == 2:
        name = ("false_omission", "false_discovery")[side]
        allowed += [limits[name]] if name in limits else []
        if "missed" in limits and side == 0:
            own["missed"] = limits["missed"]
    if allowed:
        own["error"] = min(allowed)
    if "error_per_case" in limits:
        own["error_per_case"] = limits["error_per_case"] / k
    return own


def _limit_test(
    counts: _Counts, name: str, limit: float, at: int, group: str | None, side: int | None = None
) -> LimitTest:
    wrong, answered = (int(values[at]) for values in counts.pair(name, side))
    p_value = float(risk_p_value(wrong, answered, limit))
    shown = "class_error" if side is not None and name == "error" else name
    return LimitTest(shown, limit, wrong, answered, p_value, group)


def _cases_needed(
    counts: Iterable[_Counts], limits: Mapping[str, float], delta: float
) -> int | None:
    """Estimate at how many cases some candidate would pass every test."""
    found = []
    for one in counts:
        for name, limit in limits.items():
            wrong, answered = one.pair(name)
            likely = [
                expected_cases((w + 0.5) / (m + 1), m / one.n, limit, 1 - delta)
                for w, m in zip(wrong.tolist(), answered.tolist(), strict=True)
                if m >= 20
            ]
            known = [value for value in likely if value is not None]
            if not likely:  # too few answers to say more than what the sequence begins with
                known = [_HEAD_START * least_answers(limit, 1 - delta)]
            if not known:
                return None
            found.append(min(known))
    return max(found, default=None)


_LIMIT_OF = {
    "max_error": "error",
    "min_ppv": "false_discovery",
    "min_npv": "false_omission",
    "max_missed": "missed",
    "max_error_per_case": "error_per_case",
    "max_abstention": "abstention",
}


def _check_limits(**given: float | None) -> dict[str, float]:
    limits = {}
    for name, value in given.items():
        if value is not None:
            share = check_share(value, name)
            limits[_LIMIT_OF[name]] = 1 - share if name.startswith("min") else share
    if not limits:
        raise ValueError(f"no limit is given; give one or more of {', '.join(_LIMIT_OF)}.")
    return limits


def _check_shape(shape: str, limits: Mapping[str, float], cases: _Cases) -> None:
    k = len(cases.classes)
    if shape not in ("one", "two", "per class"):
        raise ValueError(f"thresholds is {shape!r}; choose 'one', 'two' or 'per class'.")
    if shape == "two" and k != 2:
        raise ValueError(f"thresholds='two' is for two classes; there are {k}.")
    if shape == "per class" and cases.proba.shape[1] == 1:
        raise ValueError("the scores are no probabilities; choose thresholds='two'.")
    if shape != "one" and "abstention" in limits:
        raise ValueError("max_abstention can be promised with thresholds='one' only.")
    if k > 2:
        for name in ("false_discovery", "false_omission", "missed"):
            if name in limits:
                raise ValueError(
                    f"the limit of {name.replace('_', ' ')} is for two classes; there are {k}."
                )
