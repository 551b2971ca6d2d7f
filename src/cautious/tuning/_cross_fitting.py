"""Cross-fitting: what a rule that was found by search will do on new cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._cases import Cases
from cautious._random import Interval, as_generator
from cautious._typing import Floats, Ints, Mask, RandomState
from cautious.errors import InputError, quoted
from cautious.metrics._mean_intervals import ChosenCounts, chosen_interval, mean_and_variance
from cautious.tuning._search import Search

_FOLDS, _REPEATS = 10, 4
# With more cases than this it matters little how they are divided, so they are divided once. Each
# search takes longer if it is for a budget or for several classes.
_MANY_CASES, _MANY_CASES_WITH_COSTS = 10_000, 200_000
LEAST_CASES = 30
"""Cases of each class below which nothing is said about new cases."""
LEAST_GROUPS = 10
"""Groups with cases of each class below which groups are too few to keep together."""
_ROUNDING = 1e-12
_QUANTITIES = ("cost", "saving", "abstention", "error", "selective_error")
_OF_ONE_CLASS = ("sensitivity", "specificity")
_OF_TWO_CLASSES = (*_OF_ONE_CLASS, "ppv", "npv")
_OF_OWN = ("abstention", *_OF_ONE_CLASS)


class TooFewCases(InputError):
    """There are too few cases of a class to say what a rule will do on new ones."""


@dataclass(frozen=True)
class Expected:
    """What a rule is expected to do on new cases that are drawn as the given ones were.

    The intervals are about this very rule, not about rules that are found in this way. They reach
    from what the rule did on its own cases to what such rules did on held-out ones, and allow for
    mistakes that were never seen.

    Attributes
    ----------
    abstention, error, selective_error : Interval
        Share of cases abstained on, share of all cases answered wrongly, and share of the answers
        that are wrong: each with ``estimate``, ``low`` and ``high``.
    cost : Interval or None
        Cost per case; None without costs.
    saving : Interval or None
        How much less a case costs than under the single answer to all (a class, or abstaining)
        that is best on these cases; None without costs of abstaining.
    sensitivity, specificity : Interval or None
        Two classes: share of the positive cases that are answered positive, and of the negative
        ones that are answered negative.
    ppv, npv : Interval or None
        Two classes: share of the positive answers, and of the negative ones, that are right; nan
        where that answer is never given.

    Examples
    --------
    >>> import numpy as np
    >>> import cautious
    >>> y, noise = np.arange(200) % 2, np.sin(np.arange(200))
    >>> costs = {"false_negative": 5, "false_positive": 2, "abstain": 1}
    >>> found = cautious.tune({"mine": (y, y + noise)}, costs=costs).expected["mine"]
    >>> found.frame().index.tolist()[:5]
    ['cost', 'saving', 'abstention', 'error', 'selective_error']
    """

    abstention: Interval
    error: Interval
    selective_error: Interval
    cost: Interval | None = None
    saving: Interval | None = None
    sensitivity: Interval | None = None
    specificity: Interval | None = None
    ppv: Interval | None = None
    npv: Interval | None = None

    def frame(self) -> pd.DataFrame:
        """One row per quantity: its estimate, and the ends of its interval."""
        names = [*_QUANTITIES, *_OF_TWO_CLASSES]
        rows = {name: one for name in names if (one := getattr(self, name)) is not None}
        return pd.DataFrame(
            [[one.estimate, one.low, one.high] for one in rows.values()],
            index=pd.Index(list(rows), name="quantity"),
            columns=["estimate", "low", "high"],
        )


def cross_fit(
    search: Search, *, n_repeats: int | None = None, random_state: RandomState = 0
) -> CrossFit:
    """Choose rules on parts of the cases, and let them answer the rest."""
    if n_repeats is not None and n_repeats < 1:
        raise InputError("{=n_repeats} is {given}; give 1 or more.", given=n_repeats)
    cases = search.cases
    unit = None if cases.groups is None else pd.factorize(cases.groups, use_na_sentinel=False)[0]
    for code, label in enumerate(cases.classes):
        here = cases.truth == code
        n = int(here.sum())
        n_groups = n if unit is None else len(np.unique(unit[here]))
        for words, seen, least in (
            ("cases of", n, LEAST_CASES),
            ("groups with", n_groups, LEAST_GROUPS),
        ):
            if seen < least:
                facts = {"label": quoted(label, 60), "seen": seen, "least": least}
                raise TooFewCases(
                    f"too few {words} class {{label}}: {{seen}}; {{least}} are needed", **facts
                )
    rng = as_generator(random_state)
    at_once = not search.goal.budgets and len(cases.classes) == 2
    many = cases.n > (_MANY_CASES_WITH_COSTS if at_once else _MANY_CASES)
    times = n_repeats or (1 if many else _REPEATS)
    folds = np.array([_random_folds(cases, unit, rng) for _ in range(times)])
    held_out = np.array([search.held_out(fold) for fold in folds])
    return CrossFit(search, unit, folds, search.answer, held_out, search.losses)


def _random_folds(cases: Cases, unit: Ints | None, rng: np.random.Generator) -> Ints:
    """Divide the cases into folds with equal shares of each class, groups kept together."""
    count = np.bincount(cases.truth, minlength=len(cases.classes))
    rank = np.argsort(np.argsort(count, kind="stable")).astype(np.min_scalar_type(len(count)))
    stratum = rank[cases.truth]
    if unit is not None:  # a group goes with its rarest class
        rarest = np.full(unit.max() + 1, len(count))
        np.minimum.at(rarest, unit, stratum)
        stratum = rarest
    fold: Ints = np.empty(len(stratum), dtype=np.uint8)
    for number in range(len(count)):
        members = np.flatnonzero(stratum == number)
        rng.shuffle(members)
        if len(members):
            first = rng.integers(_FOLDS)
            fold[members] = np.arange(first, first + len(members)) % _FOLDS
    return fold if unit is None else fold[unit]


@dataclass(eq=False)
class CrossFit:
    """Answers of the found rule to its own cases, and of others to cases held out from them.

    ``unit`` tells which cases are kept together, ``folds`` and ``held_out`` have a row per
    repetition, and ``losses`` a column per answer: by class, or by case where that differs.
    """

    search: Search
    unit: Ints | None
    folds: Ints
    own: Ints
    held_out: npt.NDArray[Any]
    losses: Floats | None

    def __post_init__(self) -> None:
        search = self.search
        self.truth, self.n_classes = search.cases.truth, len(search.cases.classes)
        self.by_case = self.losses is not None and len(self.losses) == len(self.truth)
        # Shares of all cases by truth and answer: under the found rule, and held-out ones.
        held_out = [search.cells(answer) for answer in self.held_out]
        self.cells = search.cells(self.own), np.asarray(np.mean(held_out, axis=0))
        # Which truths and answers a share counts, and which it counts among.
        k = self.n_classes
        truth, answer = np.indices((k, k + 1))
        given, right = answer < k, answer == truth
        self.kinds: dict[str, tuple[Mask, Mask]] = {
            "abstention": (~given, given | True),
            "error": (given & ~right, given | True),
            "selective_error": (given & ~right, given),
            "sensitivity": (right & (truth == 1), truth == 1),
            "specificity": (right & (truth == 0), truth == 0),
            "ppv": (right & (answer == 1), answer == 1),
            "npv": (right & (answer == 0), answer == 0),
        }
        weight = search.cases.sample_weight
        self.is_even = self.unit is None and (weight is None or bool((weight == weight[0]).all()))
        # Sums of squared shares of cases, by truth and answer of the found rule.
        codes = self.truth * (k + 1) + self.own
        squares = np.bincount(codes, search.share**2, k * (k + 1))
        self.squares = squares.astype(np.float64).reshape(k, k + 1)
        # Shares of the classes that were given, and which they are; or all of them at once.
        self.strata: list[tuple[float, Any]] = [(1.0, slice(None))]
        if search.priors is not None:
            shares = enumerate(search.priors.tolist())
            self.strata = [(share, slice(y, y + 1)) for y, share in shares if share > 0]

    def expected(self, level: float) -> Expected:
        """Put intervals around what is expected of the found rule."""
        names = ["abstention", "error", "selective_error"]
        if self.n_classes == 2 and not self.search.cases.graded:
            names += _OF_TWO_CLASSES
        found = {name: self._share(name, level) for name in names}
        losses = self.losses
        if losses is not None:
            found["cost"] = self._mean(losses, level)
            if not self.search.goal.budgets:
                # How much less each answer costs than the single answer to all that is best.
                every = (self.search.share if self.by_case else self.cells[0].sum(axis=1)) @ losses
                best = losses[:, [int(np.argmin(every))]]
                found["saving"] = self._mean(best - losses, level)
        silent = (self.own == self.n_classes).all() and (self.held_out == self.n_classes).all()
        # Then no rule has thresholds between scores that were seen.
        if self.n_classes == 2 and not self.by_case and silent:
            found = {
                name: Interval(one.estimate, one.estimate, one.estimate, level, 0)
                for name, one in found.items()
            }
        return Expected(**found)

    def difference(self, other: CrossFit, quantity: str, level: float) -> Interval:
        """How much more the rules of this model have of a quantity than those of another."""
        estimate = self.estimate(quantity) - other.estimate(quantity)
        drawn = ((fit.truth, fit.unit, fit.search.share, fit.folds) for fit in (self, other))
        if all(np.array_equal(mine, theirs) for mine, theirs in zip(*drawn, strict=True)):
            first, second = (fit._values(quantity) for fit in (self, other))
            gap, width = first[:, :, None] - second[:, None, :], second.shape[1]
            own = self.own, other.own
            held_out = [*zip(self.held_out, other.held_out, strict=True)]
            if quantity == "abstention":  # found rules abstain as they do
                held_out = [own]
            answers = [one.astype(np.intp) * width + two for one, two in [own, *held_out]]
            counted, *others = (self.search.cells(one, gap[0].size) for one in answers)
            cells = counted, np.asarray(np.mean(others, axis=0))
            both = self._mean(gap.reshape(len(gap), -1), level, answers, cells)
            low, high = both.low - both.estimate, both.high - both.estimate
        else:
            one, two = (fit._share(quantity, level) for fit in (self, other))
            low = -math.hypot(one.estimate - one.low, two.high - two.estimate)
            high = math.hypot(one.high - one.estimate, two.estimate - two.low)
        return Interval(estimate, estimate + low, estimate + high, level, 0)

    def estimate(self, quantity: str) -> float:
        """Say how much of a quantity is expected of the found rule."""
        if quantity == "cost":
            assert self.losses is not None
            if not self.by_case:
                return float((self.cells[1] * self.losses).sum())
            spent = [self.losses[np.arange(len(answer)), answer] for answer in self.held_out]
            return float(self.search.share @ np.mean(spent, axis=0))
        kind, among = self.kinds[quantity]
        whole = self.cells[0][among].sum()
        if whole <= _ROUNDING:
            return math.nan
        expected = self.expected_cells(int(quantity in _OF_ONE_CLASS))
        return min(float(expected[kind].sum() / whole), 1.0)

    # Shares of cases and of answers.

    def expected_cells(self, axis: int) -> Floats:
        """Shares of new cases that are expected by truth and answer of the found rule.

        It gives each answer as often as on its own cases (axis 0), or answers as many cases of each
        class (axis 1), and of these as many are wrong as on held-out cases.
        """
        (own, held_out), new = self.cells, self.cells[0].copy()
        given = held_out[:, :-1].sum(axis=axis, keepdims=True)
        # Of fewer than one case nothing can be said.
        known = np.broadcast_to(given * len(self.truth) >= 1, new[:, :-1].shape)
        made = own[:, :-1].sum(axis=axis, keepdims=True) / np.maximum(given, _ROUNDING)
        new[:, :-1][known] = (held_out[:, :-1] * made)[known]
        return new

    def _share(self, name: str, level: float) -> Interval:
        """Expect a share: of own cases as many, of these as on held-out cases; or the cost."""
        if name == "cost":
            assert self.losses is not None
            return self._mean(self.losses, level)
        (kind, among), (own, new), estimate = self.kinds[name], self.cells, self.estimate(name)
        if math.isnan(estimate):
            return Interval(estimate, estimate, estimate, level, 0)
        if name in _OF_OWN:
            new = own
        elif self.search.priors is None or new[among].sum() * len(self.truth) < 1:
            new = self.expected_cells(0)
        if among.all():
            found = self._mean(kind.astype(np.float64), level, cells=(own, new))
            low, high = found.low, found.high
        elif self.search.priors is not None and name not in _OF_OWN:
            # A share may be so large as long as the mean of this may be zero.
            def mean(share: float, end: str) -> float:
                found = self._mean(kind - share * among, level, cells=(own, new))
                return float(getattr(found, end))

            low, high = (scipy.optimize.brentq(mean, -1, 2, end) for end in ("low", "high"))
        else:
            whole = float(own[among].sum())
            n = whole**2 / self.squares[among].sum()
            shares = [cells[kind].sum() / cells[among].sum() for cells in (own, new)]
            counts = (n * np.array([1 - one, one]) for one in shares)
            strata = [ChosenCounts(1.0, np.array([0.0, 1.0]), *counts)]
            linear = (kind - shares[0] * among) / whole
            found = self._interval(strata, lambda: linear[self.truth, self.own], level)
            low, high = found.low, found.high
        ends = min(max(low, 0.0), estimate), max(min(high, 1.0), estimate)
        return Interval(estimate, *ends, level, 0)

    def _values(self, quantity: str) -> Floats:
        """Give a quantity by truth and answer; of a share among answers, its linear part."""
        if quantity == "cost":
            assert self.losses is not None
            return self.losses
        kind, among = self.kinds[quantity]
        held_out = self.cells[1]
        whole = held_out[among].sum()
        share = held_out[kind].sum() / whole
        return np.asarray(share + (kind - share * among) / whole)

    # Means of values, and how surely they are known.

    def _mean(
        self,
        values: Floats,
        level: float,
        answers: list[npt.NDArray[Any]] | None = None,
        cells: tuple[Floats, Floats] | None = None,
    ) -> Interval:
        """Interval of the mean of values by truth, or by case, and by own and held-out answers."""
        answers = answers or [self.own, *self.held_out]
        own, held_out = cells or self.cells
        if len(values) == len(self.truth):
            rows = np.arange(len(values))
            seen = np.array([values[rows, one] for one in answers])
            strata = [*self._strata_by_case(values, seen)]
            return self._interval(strata, lambda: seen[0], level)
        strata = []
        for share, rows in self.strata:
            n = own[rows].sum() ** 2 / self.squares[rows].sum()
            counts = (n * each[rows].ravel() / each[rows].sum() for each in (own, held_out))
            strata.append(ChosenCounts(share, values[rows].ravel(), *counts))
        return self._interval(strata, lambda: values[self.truth, answers[0]], level)

    def _strata_by_case(self, values: Floats, seen: Floats) -> Iterator[ChosenCounts]:
        """Count values that differ by case, and add an unseen one, about as large as any."""
        for share, rows in self.strata:
            here = np.isin(self.truth, np.arange(self.n_classes)[rows])
            weight = self.search.share[here]
            support, place = np.unique(seen[:, here], return_inverse=True)
            place = place.reshape(len(seen), -1)
            own, *held_out = (np.bincount(one, weight, len(support)) for one in place)
            n = weight.sum() ** 2 / (weight @ weight)
            counts = (n * one / weight.sum() for one in (own, np.mean(held_out, axis=0)))
            most, least = values[here].max(axis=1).clip(0), values[here].min(axis=1).clip(None, 0)
            unseen = [weight @ end**2 / (weight @ end) for end in (most, least) if end.any()]
            none = np.zeros(len(unseen))
            yield ChosenCounts(
                share, np.append(support, unseen), *(np.append(one, none) for one in counts)
            )

    def _interval(
        self, strata: list[ChosenCounts], values: Callable[[], Floats], level: float
    ) -> Interval:
        """Count cases for less where their weights or groups make the mean of own values vary."""
        if self.is_even:
            return chosen_interval(strata, level)
        share, own = self.search.share, values()
        drawn = np.zeros(len(own), int) if self.search.priors is None else self.truth
        centre = np.bincount(drawn, share * own) / np.maximum(np.bincount(drawn, share), _ROUNDING)
        parts, alike, n = share * (own - centre[drawn]), share, len(own)
        if self.unit is not None:
            parts, alike = (np.bincount(self.unit, one).astype(float) for one in (parts, share))
            n = len(parts)
            parts *= math.sqrt(n / (n - 1))
        alone = sum(one.share**2 * mean_and_variance(one.values, one.own)[1] for one in strata)
        # Where nothing varies, cases of a group may be all alike.
        times = parts @ parts / alone if alone > 0 else alike @ alike / (share @ share)
        fewer = max(float(times), 1.0)
        strata = [
            one._replace(own=one.own / fewer, held_out=one.held_out / fewer) for one in strata
        ]
        high = (1 + level) / 2
        return chosen_interval(
            strata, level, scipy.special.stdtrit(n - 1, high) / scipy.special.ndtri(high)
        )
