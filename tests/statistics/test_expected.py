"""Whether what is expected of a tuned rule on new cases holds what that very rule does there."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats
from tests.statistics.trials import runs
from tests.tuning.fits import cross_fitted

from cautious.tuning import find_rule
from cautious.tuning._cross_fitting import CrossFit
from cautious.tuning._goal import Goal
from cautious.tuning._search import search_arrays

SHARES = {
    "abstention": "share abstained on",
    "error": "share of wrong answers to all cases",
    "selective_error": "share of wrong ones among answers",
}


@dataclass(frozen=True)
class Normal:
    """Normal scores in each class, whose means lie so far apart; rounded if there is a step."""

    distance: float
    positives: float = 0.35
    step: float = 0.0

    def scores(self, rng, y):
        score = rng.normal(size=len(y)) + self.distance * y
        return np.round(score / self.step) * self.step if self.step else score

    def up_to(self, t, label):
        """Chance of a score of at most t in a class."""
        if self.step:
            t = (np.floor(t / self.step) + 0.5) * self.step
        return stats.norm.cdf(t - self.distance * label)

    def below(self, t, label):
        if self.step:
            t = (np.ceil(t / self.step) - 0.5) * self.step
        return stats.norm.cdf(t - self.distance * label)


@dataclass(frozen=True)
class Constant:
    """The same score everywhere."""

    positives: float = 0.35

    def scores(self, rng, y):
        return np.zeros(len(y))

    def up_to(self, t, label):
        return float(t >= 0)

    def below(self, t, label):
        return float(t > 0)


@dataclass(frozen=True)
class Skewed:
    """Exponential scores with many ties: means 1 and 4, rounded to halves."""

    positives: float = 0.35

    def scores(self, rng, y):
        return np.round(2 * rng.exponential(np.where(y == 1, 4.0, 1.0))) / 2

    def up_to(self, t, label):
        return self._chance(np.floor(2 * t), label)

    def below(self, t, label):
        return self._chance(np.ceil(2 * t) - 1, label)

    def _chance(self, steps, label):
        return 0.0 if steps < 0 else -math.expm1(-(2 * steps + 1) / (16.0 if label else 4.0))


@dataclass(frozen=True)
class Few:
    """Five score values; few positives have the lowest one, where their mistakes are not seen."""

    positives: float = 0.3

    def scores(self, rng, y):
        return np.where(y == 1, rng.choice(5, len(y), p=FEW[1]), rng.choice(5, len(y), p=FEW[0]))

    def up_to(self, t, label):
        return FEW[label][: math.floor(np.clip(t, -1, 5)) + 1].sum()

    def below(self, t, label):
        return FEW[label][: math.ceil(np.clip(t, 0, 5))].sum()


FEW = np.array([[0.35, 0.3, 0.2, 0.1, 0.05], [0.02, 0.08, 0.2, 0.3, 0.4]])


def drawn(world, rng, n):
    """Draw cases until nothing is said of too few of a class."""
    while True:
        y = (rng.random(n) < world.positives).astype(int)
        if min(y.sum(), n - y.sum()) >= 30:
            return y, world.scores(rng, y)


def truth_of(world, rule, costs):
    """Say what a window does on new cases."""
    given, wrong, cost = 0.0, 0.0, 0.0
    for label, share in ((1, world.positives), (0, 1 - world.positives)):
        positive = 1 - world.below(rule.upper, label)
        negative = world.up_to(rule.lower, label) if rule.lower < rule.upper else 1 - positive
        mistaken = negative if label else positive
        given += share * (positive + negative)
        wrong += share * mistaken
        cost += share * mistaken * costs["false_negative" if label else "false_positive"]
    return {
        "abstention": max(1 - given, 0.0),
        "error": wrong,
        "selective_error": wrong / given if given > 1e-12 else math.nan,
        "cost": cost + costs["abstain"] * (1 - given),
    }


def priced(false_negative, false_positive, abstain):
    return {
        "false_negative": false_negative,
        "false_positive": false_positive,
        "abstain": abstain,
    }


def holds(interval, truth):
    # A rule that answers nothing has no share of wrong answers.
    known = interval.low - 1e-12 <= truth <= interval.high + 1e-12
    return known or (math.isnan(truth) and math.isnan(interval.estimate))


def fresh_width(world, rng, rule, n, given):
    """Width of the cost's interval of a rule that was fixed before so many cases were drawn."""
    y, score = drawn(world, rng, n)
    costs, weight = given(y, rng)
    search = search_arrays(y, Goal(costs), y_score=score, sample_weight=weight)
    answer = search.answered(rule.lower, rule.upper)
    fit = CrossFit(search, None, np.zeros((1, n)), answer, answer[None], search.losses)
    cost = fit.expected(0.95).cost
    return cost.high - cost.low


def auc(share):
    return Normal(math.sqrt(2) * stats.norm.ppf(share))


DEAR, CHEAP = priced(20.0, 4.0, 1.0), priced(10.0, 2.0, 1.0)
# Abstaining hardly pays: rules found on like cases abstain on none or on many.
IDLE = priced(1.0, 1.0, 0.45)
RARE = priced(30.0, 3.0, 1.0)
SETTINGS = {
    **{
        f"{n} cases, AUC {share:.2f}, costs {'/'.join(f'{c:g}' for c in costs.values())}": (
            *(auc(share), n, costs),
        )
        for n in (100, 300, 1000)
        for share in (0.80, 0.92)
        for costs in (DEAR, CHEAP)
    },
    "300 cases, AUC 0.80, abstaining hardly pays": (auc(0.80), 300, IDLE),
    "100 cases, classes 4 apart": (Normal(4.0), 100, DEAR),
    "400 cases, classes 4 apart": (Normal(4.0), 400, DEAR),
    "2000 cases, classes 4 apart": (Normal(4.0), 2000, CHEAP),
    "100 cases, skewed scores with ties": (Skewed(), 100, DEAR),
    "300 cases, skewed scores with ties": (Skewed(), 300, DEAR),
    "1000 cases, skewed scores with ties": (Skewed(), 1000, DEAR),
    "100 cases, scores of one digit": (Normal(1.5, step=1.0), 100, CHEAP),
    "400 cases, scores of one digit": (Normal(1.5, step=1.0), 400, CHEAP),
    # Of 300 such cases hardly ever 30 are positive: nothing is said about new ones.
    "1000 cases, 5 % positives": (Normal(2.0, 0.05), 1000, RARE),
    "3000 cases, 5 % positives": (Normal(2.0, 0.05), 3000, RARE),
    "120 cases, the same score everywhere": (Constant(), 120, IDLE),
    "400 cases, the same score everywhere": (Constant(), 400, IDLE),
    "120 cases, scores of pure noise": (Normal(0.0), 120, IDLE),
    "400 cases, scores of pure noise": (Normal(0.0), 400, IDLE),
    "1500 cases, scores of pure noise": (Normal(0.0), 1500, IDLE),
    "200 cases, five scores, costs 30/1/0.5": (Few(), 200, priced(30.0, 1.0, 0.5)),
    "200 cases, five scores, costs 100/1/0.5": (Few(), 200, priced(100.0, 1.0, 0.5)),
    "300 cases, AUC 0.92, costs 20/4/1, weights gamma(1/2)": (auc(0.92), 300, DEAR),
    "300 cases, AUC 0.92, costs 20/4/1, amounts log-normal 1.5": (auc(0.92), 300, DEAR),
}
# Above these the interval is wider than that of a fresh sample by more than a fifth.
WIDEST = 1.2


def given_by(setting, costs):
    """Costs and weights of cases of a setting: weights and amounts say nothing of the scores."""

    def given(y, rng):
        weight = rng.gamma(0.5, size=len(y)) if "weights" in setting else None
        if "amounts" not in setting:
            return costs, weight
        amount = rng.lognormal(-(1.5**2) / 2, 1.5, size=len(y))  # 1 on average
        return costs | {"false_negative": costs["false_negative"] * amount}, weight

    return given


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("trials", runs(8))
def test_window_of_costs(trials, setting, rng, ledger):
    world, n, costs = SETTINGS[setting]
    given = given_by(setting, costs)
    held, truths, estimates = {name: [] for name in (*SHARES, "cost")}, [], []
    widths, fresh = [], []
    for _ in range(trials):
        y, score = drawn(world, rng, n)
        own, weight = given(y, rng)
        known = {"y_score": score, "costs": own, "sample_weight": weight}
        seed = int(rng.integers(2**31))
        rule = find_rule(y, **known).rule
        found = cross_fitted(y, **known, random_state=seed)
        truth = truth_of(world, rule, costs)
        for name, hits in held.items():
            hits.append(holds(getattr(found, name), truth[name]))
        truths.append(truth["cost"])
        estimates.append(found.cost.estimate)
        if found.abstention.low < 1:  # a rule that never answers has no spread
            widths.append(found.cost.high - found.cost.low)
            fresh.append(fresh_width(world, rng, rule, n, given))
    least = 0.88 if n == 100 else 0.92
    ledger.share(
        "95 % interval of a tuned window's cost holds the true cost",
        setting,
        held["cost"],
        f"≥ {100 * least:.0f} %",
        (least, 1.0),
    )
    ledger.mean(
        "width of the 95 % interval of a tuned window's cost beside that of a fresh sample",
        setting,
        np.array(widths) / np.mean(fresh),
        promised=f"at most {100 * WIDEST:.0f} %",
        between=(0.0, WIDEST),
    )
    if isinstance(world, Normal) and 0 < world.distance < 3 and costs in (DEAR, CHEAP):
        ledger.mean(
            "cross-fitted cost of a tuned window above the true cost",
            setting,
            np.subtract(estimates, truths) / np.mean(truths),
            "nearly 0 %",
            (-0.03, 0.03),
        )
    shares_hold(ledger, "window", setting, held)


BUDGETS = {
    "300 cases, AUC 0.92, max_abstention=0.2": {"max_abstention": 0.2},
    "300 cases, AUC 0.92, max_error=0.1": {"max_error": 0.1},
}


@pytest.mark.parametrize("setting", BUDGETS)
@pytest.mark.parametrize("trials", runs(2, parts=8))
def test_rule_of_a_budget(trials, setting, rng, ledger):
    world, goal = auc(0.92), BUDGETS[setting]
    held = {name: [] for name in SHARES}
    for _ in range(trials):
        y, score = drawn(world, rng, 300)
        rule = find_rule(y, y_score=score, **goal).rule
        seed = int(rng.integers(2**31))
        found = cross_fitted(y, y_score=score, random_state=seed, **goal)
        truth = truth_of(world, rule, priced(1, 1, 0))
        for name, hits in held.items():
            hits.append(holds(getattr(found, name), truth[name]))
    shares_hold(ledger, "window", setting, held)


def shares_hold(ledger, what, setting, held):
    for name, words in SHARES.items():
        ledger.share(
            f"95 % interval of a tuned {what}'s {words} holds the truth",
            setting,
            held[name],
            "≥ 92 %",
            (0.92, 1.0),
        )
