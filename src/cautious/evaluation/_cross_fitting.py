"""Cross-fitting: what a rule that was found by search will do on new cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._random import Interval, as_generator
from cautious._typing import Floats, RandomState, as_number
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts
from cautious.errors import InputError
from cautious.evaluation._divided_cases import MEASURED, DividedCases

__all__ = ["CrossFit", "Expected", "cross_fit", "cross_fitted"]

# Repetitions of the folds, and bootstrap replicates. With many cases it matters little how they are
# divided, and each search takes long: more so if it is for a budget or for several classes.
_USUAL, _WITH_MANY_CASES = (4, 50), (1, 20)
_MANY_CASES, _MANY_CASES_WITH_COSTS = 10_000, 200_000
_ROUNDING = 1e-12
_QUANTITIES = ("cost", "saving", "abstention", "error", "selective_error")


@dataclass(frozen=True)
class Expected:
    """What a rule is expected to do on new cases that are drawn as the given ones were.

    The intervals are about this very rule, not about rules that are found in this way.

    Attributes
    ----------
    abstention, error, selective_error : Interval
        Share of cases abstained on, share of all cases answered wrongly, and share of the answers
        that are wrong: each with ``estimate``, ``low`` and ``high``.
    cost : Interval or None
        Cost per case; None without costs.
    saving : Interval or None
        How much less a case costs than under the best single answer to all (a class, or
        abstaining); None without costs of abstaining.

    Examples
    --------
    >>> import numpy as np
    >>> import cautious
    >>> y, noise = np.arange(200) % 2, np.sin(np.arange(200))
    >>> costs = {"false_negative": 5, "false_positive": 2, "abstain": 1}
    >>> found = cautious.tune({"mine": (y, y + noise)}, costs=costs).expected["mine"]
    >>> found.frame().index.tolist()
    ['cost', 'saving', 'abstention', 'error', 'selective_error']
    """

    abstention: Interval
    error: Interval
    selective_error: Interval
    cost: Interval | None = None
    saving: Interval | None = None

    def frame(self) -> pd.DataFrame:
        """One row per quantity: its estimate, and the ends of its interval.

        Examples
        --------
        >>> import numpy as np
        >>> import cautious
        >>> y, noise = np.arange(200) % 2, np.sin(np.arange(200))
        >>> costs = {"false_negative": 5, "false_positive": 2, "abstain": 1}
        >>> found = cautious.tune({"mine": (y, y + noise)}, costs=costs).expected["mine"]
        >>> found.frame().columns.tolist()
        ['estimate', 'low', 'high']
        """
        rows = {name: one for name in _QUANTITIES if (one := getattr(self, name)) is not None}
        return pd.DataFrame(
            [[one.estimate, one.low, one.high] for one in rows.values()],
            index=pd.Index(list(rows), name="quantity"),
            columns=["estimate", "low", "high"],
        )


def cross_fitted(
    y_true: Sequence[Any] | npt.ArrayLike,
    *,
    y_score: npt.ArrayLike | None = None,
    y_proba: npt.ArrayLike | None = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    costs: CostsLike | None = None,
    priors: Any = None,
    n_repeats: int | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
    folds: npt.ArrayLike | None = None,
    **goal: Any,
) -> Expected:
    """Estimate what the rule that :func:`cautious.curves.find_rule` finds does on new cases."""
    if not 0 < as_number(confidence_level, "confidence_level") < 1:
        raise InputError(
            "{=confidence_level} is {given}; give a level between 0 and 1, such as 0.95.",
            given=confidence_level,
        )
    fit = cross_fit(
        y_true,
        y_score=y_score,
        y_proba=y_proba,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
        costs=costs,
        priors=priors,
        n_repeats=n_repeats,
        random_state=random_state,
        folds=folds,
        **goal,
    )
    return fit.expected(confidence_level)


def cross_fit(
    y_true: Any,
    *,
    y_score: Any = None,
    y_proba: Any = None,
    classes: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    costs: Any = None,
    priors: Any = None,
    n_repeats: int | None = None,
    random_state: RandomState = 0,
    folds: Any = None,
    **goal: Any,
) -> CrossFit:
    """Choose rules on parts of the cases, measure them on the rest; see :func:`cross_fitted`."""
    if n_repeats is not None and n_repeats < 1:
        raise InputError("{=n_repeats} is {given}; give 1 or more.", given=n_repeats)
    cases = DividedCases.of(
        y_true, y_score, y_proba, classes, pos_label, sample_weight, groups, costs, priors, goal
    )
    cases.check_enough()
    rng = as_generator(random_state)
    many = _MANY_CASES_WITH_COSTS if cases.searched_at_once else _MANY_CASES
    n_times, n_resamples = _WITH_MANY_CASES if len(cases.rows) > many else _USUAL
    if folds is None:
        times = n_times if n_repeats is None else n_repeats
        fold = np.array([cases.random_folds(rng) for _ in range(times)])
    else:
        fold = np.atleast_2d(np.asarray(folds))[:, cases.rows]
    held_out = [(at, number) for at, row in enumerate(fold) for number in np.unique(row)]
    parts = np.array([fold[at] != number for at, number in held_out])
    measured = np.empty((len(fold), len(cases.truth), len(MEASURED)))
    for (at, number), seen in zip(held_out, cases.measured(parts), strict=True):
        out = fold[at] == number
        measured[at, out] = seen[out]
    replicates = cases.replicates(n_resamples, rng)
    rules = np.array([cases.share @ seen for seen in cases.measured(replicates)])
    found = cases.measure(np.ones(len(cases.rows)), cases.answer)
    return CrossFit(cases, measured, rules, found)


@dataclass(frozen=True)
class CrossFit:
    """What rules did to cases they were not chosen on; rules of replicates, and the found one.

    Attributes
    ----------
    cases : DividedCases
        The cases.
    measured : ndarray of shape (n_repeats, n, 4)
        Cost, cost of the best single answer, abstained and wrong, of every held-out case.
    rules : ndarray of shape (n_resamples, 4)
        Means of the same over all cases, under rules chosen on bootstrap replicates.
    found : ndarray of shape (n, 4)
        The same of every case, under the rule chosen on all of them.
    """

    cases: DividedCases
    measured: Floats
    rules: Floats
    found: Floats

    def expected(self, confidence_level: float) -> Expected:
        """Put intervals around the means of what was measured on held-out cases."""
        names = ["abstention", "error", "selective_error"]
        if self.cases.losses is not None:
            names += ["cost"] if self.cases.budget else ["cost", "saving"]
        return Expected(**{name: self._interval(name, confidence_level) for name in names})

    def difference(self, other: CrossFit, quantity: str, confidence_level: float) -> Interval:
        """How much more the rules of this model have of a quantity than those of another."""
        one, two = self._parts(quantity), other._parts(quantity)
        a, b = self.cases, other.cases
        paired = (
            one.each.shape == two.each.shape
            and one.chosen.shape == two.chosen.shape
            and all(
                np.array_equal(getattr(a, name), getattr(b, name))
                for name in ("truth", "unit", "share")
            )
        )
        if paired:
            variance, df = self.variance(one.each - two.each, one.chosen - two.chosen)
        else:
            spreads = [self.variance(*one[:2]), other.variance(*two[:2])]
            variance, df = sum(v for v, _ in spreads), min(d for _, d in spreads)
        estimate = self._estimate(quantity) - other._estimate(quantity)
        half = float(stats.t.ppf((1 + confidence_level) / 2, df) * np.sqrt(variance))
        return Interval(
            estimate, estimate - half, estimate + half, confidence_level, len(self.rules)
        )

    def answers_as(self, other: CrossFit) -> bool:
        """Whether found rules of two models, and the held-out ones, do the same to each case."""
        return (
            np.array_equal(self.cases.truth, other.cases.truth)
            and np.array_equal(self.cases.answer, other.cases.answer)
            and np.array_equal(self.measured, other.measured)
        )

    def _interval(self, quantity: str, level: float) -> Interval:
        parts, estimate = self._parts(quantity), self._estimate(quantity)
        if np.isnan(estimate) or self.abstains_always:
            return Interval(estimate, estimate, estimate, level, len(self.rules))
        if parts.ends is not None:
            spans = [self._span(parts, level)]
        else:
            # What the found rule itself did is within, however other rules differ from it.
            spans = [self._span(self._own._parts(quantity), level)]
            if quantity != "abstention" and not np.isnan(parts.estimate):
                spans.append(self._span(parts._replace(estimate=estimate), level))
        low, high = min(low for low, _ in spans), max(high for _, high in spans)
        return Interval(estimate, low, high, level, len(self.rules))

    def _span(self, parts: _Parts, level: float) -> tuple[float, float]:
        variance, df = self.variance(parts.each, parts.chosen)
        n = len(self.cases.rows) if parts.n is None else parts.n
        return _ends(parts.estimate, variance, df, level, n, parts.ends)

    @cached_property
    def _own(self) -> CrossFit:
        """The found rule on the cases that it was chosen on, as if it had been given."""
        return CrossFit(self.cases, self.found[None], self.rules[:0], self.found)

    def _estimate(self, quantity: str) -> float:
        """Say what the found rule does on new cases."""
        if quantity not in ("abstention", "error", "selective_error"):
            return self._parts(quantity).estimate
        if quantity == "abstention":
            return self._own._parts(quantity).estimate
        own, held = self._answered(self.found), self._answered(self.measured.mean(axis=0))
        rate = np.zeros(len(self.cases.classes))
        for answered, wrong in (own, held):
            np.divide(wrong, answered, out=rate, where=answered > _ROUNDING)
        error, given = min(float(own[0] @ rate), 1.0), float(own[0].sum())
        if quantity == "error":
            return error
        return error / given if given > _ROUNDING else np.nan

    def _answered(self, measured: Floats) -> tuple[Floats, Floats]:
        """Shares of all cases that are answered, and answered wrongly, by class."""
        truth, share, n = self.cases.truth, self.cases.share, len(self.cases.classes)
        abstained, wrong = measured[:, MEASURED.index("abstained")], measured[:, -1]
        counted = (np.bincount(truth, share * one, minlength=n) for one in (1 - abstained, wrong))
        answered, mistaken = (one.astype(np.float64) for one in counted)
        return answered, mistaken

    @cached_property
    def abstains_always(self) -> bool:
        """Whether no rule has thresholds between scores that were seen."""
        costs, at = self.cases.costs, MEASURED.index("abstained")
        return (
            len(self.cases.classes) == 2
            and not (isinstance(costs, AnswerCosts) and costs.per_case)
            and bool(self.measured[:, :, at].all())
            and bool((self.rules[:, at] > 1 - _ROUNDING).all())
        )

    def variance(self, each: Floats, chosen: Floats) -> tuple[float, float]:
        """Add the variance of few cases and the variance of the rule; degrees of freedom."""
        variance, df = np.mean([self.cases.variance(one) for one in each], axis=0)
        chosen = chosen[~np.isnan(chosen)]
        if len(chosen) > 1:
            variance += chosen.var(ddof=1)
        return float(variance), float(df)

    def _parts(self, quantity: str) -> _Parts:
        """Say what a quantity is, case by case and rule by rule."""
        cost, single, abstained, wrong = range(len(MEASURED))
        measured, rules, cases = self.measured, self.rules, self.cases
        mean = cases.share @ measured.mean(axis=0)
        mean[[abstained, wrong]] = np.clip(mean[[abstained, wrong]], 0.0, 1.0)
        if quantity in ("abstention", "error"):
            at = abstained if quantity == "abstention" else wrong
            return _Parts(measured[:, :, at], rules[:, at], float(mean[at]))
        if quantity == "selective_error":
            answered = 1 - mean[abstained]
            if answered <= _ROUNDING:
                return _Parts(measured[:, :, wrong], rules[:, wrong], np.nan)
            selective = float(mean[wrong] / answered)
            each = (measured[:, :, wrong] - selective * (1 - measured[:, :, abstained])) / answered
            answers = 1 - rules[:, abstained]
            chosen = np.full(len(rules), np.nan)
            np.divide(rules[:, wrong], answers, out=chosen, where=answers > _ROUNDING)
            total, rows = np.bincount(cases.truth, cases.share), np.bincount(cases.truth)
            silent = cases.share * measured[:, :, abstained].mean(axis=0)
            n = float(rows @ (1 - np.bincount(cases.truth, silent) / total))
            return _Parts(each, chosen, selective, n=n)
        assert cases.losses is not None
        least, most = (float(cases.share @ end) for end in _extremes(cases.losses))
        if quantity == "cost":
            return _Parts(measured[:, :, cost], rules[:, cost], float(mean[cost]), (least, most))
        return _Parts(
            measured[:, :, single] - measured[:, :, cost],
            rules[:, single] - rules[:, cost],
            float(mean[single] - mean[cost]),
            (least - most, most - least),
        )


class _Parts(NamedTuple):
    """A quantity by repetition and case, its mean under each replicate's rule, its estimate.

    Without `ends` it is a share; `n` is of how many cases, all of them if it is None.
    """

    each: Floats
    chosen: Floats
    estimate: float
    ends: tuple[float, float] | None = None
    n: float | None = None


def _extremes(losses: Floats) -> tuple[Floats, Floats]:
    return losses.min(axis=1), losses.max(axis=1)


def _ends(
    estimate: float, variance: float, df: float, level: float, n: float, ends: Any
) -> tuple[float, float]:
    """Give the ends of an interval: Student's, or Wilson's for a share (without `ends`)."""
    least, most = (0.0, 1.0) if ends is None else ends
    # Where all cases seen did alike, others may be there, with this probability at most.
    unseen = 1 - ((1 - level) / 2) ** (1 / n)
    low, high = (float(estimate + unseen * (end - estimate)) for end in (least, most))
    if variance <= (_ROUNDING * (most - least)) ** 2:
        return low, high
    t = float(stats.t.ppf((1 + level) / 2, df))
    half = float(t * np.sqrt(variance))
    if ends is None and _ROUNDING < estimate < 1 - _ROUNDING:
        cases = estimate * (1 - estimate) / variance
        scale = 1 + t**2 / cases
        centre = (estimate + t**2 / (2 * cases)) / scale
        half = float(t * np.sqrt(variance + t**2 / (4 * cases**2)) / scale)
        return max(centre - half, least), min(centre + half, most)
    # Of few mistakes the variance says little: they may be as rare as ones that were not seen.
    return max(min(low, estimate - half), least), min(max(high, estimate + half), most)
