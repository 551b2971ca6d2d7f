"""Cross-fitting: what a rule that was found by search will do on new cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._random import Interval, as_generator
from cautious._typing import Floats, Ints, RandomState
from cautious.errors import InputError, quoted
from cautious.tuning._search import Search

# Repetitions of the folds, and bootstrap replicates. With many cases it matters little how they are
# divided, and each search takes long: more so if it is for a budget or for several classes.
_USUAL, _WITH_MANY_CASES = (4, 50), (1, 20)
_MANY_CASES, _MANY_CASES_WITH_COSTS = 10_000, 200_000
_ROUNDING = 1e-12
_QUANTITIES = ("cost", "saving", "abstention", "error", "selective_error")


LEAST_CASES = 30
"""Cases of each class below which nothing is said about new cases."""
LEAST_GROUPS = 10
"""Groups with cases of each class below which groups are too few to keep together."""
_FOLDS = 10
# What is measured of each case under a rule; saving and the shares of answers follow from these.
MEASURED = ("cost", "single", "abstained", "wrong")


class TooFewCases(InputError):
    """There are too few cases of a class to say what a rule will do on new ones."""


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
        """One row per quantity: its estimate, and the ends of its interval."""
        rows = {name: one for name in _QUANTITIES if (one := getattr(self, name)) is not None}
        return pd.DataFrame(
            [[one.estimate, one.low, one.high] for one in rows.values()],
            index=pd.Index(list(rows), name="quantity"),
            columns=["estimate", "low", "high"],
        )


def cross_fit(
    search: Search,
    *,
    n_repeats: int | None = None,
    random_state: RandomState = 0,
    folds: Ints | None = None,
) -> CrossFit:
    """Choose rules on parts of the cases, and measure them on the rest."""
    if n_repeats is not None and n_repeats < 1:
        raise InputError("{=n_repeats} is {given}; give 1 or more.", given=n_repeats)
    cases = DividedCases.of(search)
    cases.check_enough()
    rng = as_generator(random_state)
    at_once = search.has_price and len(cases.classes) == 2
    many = _MANY_CASES_WITH_COSTS if at_once else _MANY_CASES
    n_times, n_resamples = _WITH_MANY_CASES if len(cases.truth) > many else _USUAL
    if folds is None:
        times = n_times if n_repeats is None else n_repeats
        folds = np.array([cases.random_folds(rng) for _ in range(times)])
    held_out = [(at, number) for at, row in enumerate(folds) for number in _numbers(row)]
    parts = np.array([folds[at] != number for at, number in held_out])
    measured = np.empty((len(folds), len(cases.truth), len(MEASURED)))
    for (at, number), seen in zip(held_out, cases.measured(parts), strict=True):
        out = folds[at] == number
        measured[at, out] = seen[out]
    replicates = cases.replicates(n_resamples, rng)
    rules = np.array([cases.share @ seen for seen in cases.measured(replicates)])
    found = cases.measure(np.ones(len(cases.truth)), search.answer)
    return CrossFit(cases, measured, rules, found)


@dataclass(frozen=True)
class DividedCases:
    """Cases that a rule is searched on, and which of them are kept together.

    Attributes
    ----------
    search : Search
        The cases, and what is asked of the rule.
    unit : ndarray of shape (n,), int
        Which cases are kept together.
    truth, classes, share, losses
        Of the search: codes of the true classes, their labels, what share of all cases each case
        stands for, and what each answer to it costs.
    """

    search: Search
    unit: Ints
    truth: Ints
    classes: tuple[Any, ...]
    share: Floats
    losses: Floats | None

    @classmethod
    def of(cls, search: Search) -> DividedCases:
        """Keep the cases of each group together, if there are groups."""
        cases = search.cases
        unit = np.arange(cases.n)
        if cases.groups is not None:
            unit = pd.factorize(cases.groups, use_na_sentinel=False)[0]
        return cls(search, unit, cases.truth, cases.classes, search.share, search.losses)

    @cached_property
    def grouped(self) -> bool:
        """Whether some cases are kept together."""
        return int(self.unit.max(initial=-1)) + 1 < len(self.truth)

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
        for number in _numbers(stratum):
            members = rng.permutation(np.flatnonzero(stratum == number))
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
        for part, answer in zip(weights, self.search.answers(weights), strict=True):
            yield self.measure(part, answer)

    def measure(self, part: npt.NDArray[Any], answer: Ints) -> Floats:
        """Say what answers do to every case; the best single answer is that of a part."""
        rows = np.arange(len(self.truth))
        abstained = answer == len(self.classes)
        cost = single = np.zeros(len(rows))
        if self.losses is not None:
            cost = self.losses[rows, answer]
            best = np.argmin(self.search.weighed(part[None])[0] @ self.losses)
            single = self.losses[:, best]
        return np.column_stack([cost, single, abstained, ~abstained & (answer != self.truth)])

    def variance(self, each: Floats) -> tuple[float, float]:
        """Variance of the mean of losses, and its degrees of freedom."""
        if self.search.priors is None:
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
            names += ["cost", "saving"] if self.cases.search.has_price else ["cost"]
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
            and np.array_equal(self.cases.search.answer, other.cases.search.answer)
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
        n = len(self.cases.truth) if parts.n is None else parts.n
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
        costs, at = self.cases.search.goal.settled_costs, MEASURED.index("abstained")
        return (
            len(self.cases.classes) == 2
            and not (costs is not None and costs.per_case)
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


def _numbers(values: Ints) -> list[int]:
    """List the numbers that occur."""
    return np.flatnonzero(np.bincount(values)).tolist()


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
