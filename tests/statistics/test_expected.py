"""Whether what is expected of a tuned rule on new cases holds what that very rule does there."""

import math
from dataclasses import dataclass, replace

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
OF_CLASSES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "share of right ones among positive answers",
    "npv": "share of right ones among negative answers",
}
QUANTITIES = {"cost": "cost", "saving": "saving", **SHARES, **OF_CLASSES}


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
class Patients(Normal):
    """Normal scores of patients with ten cases each, alike within a patient."""

    def scores(self, rng, y):
        own = np.repeat(rng.normal(size=-(-len(y) // 10)), 10)[: len(y)]
        return np.sqrt(0.3) * own + np.sqrt(0.7) * rng.normal(size=len(y)) + self.distance * y


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
    right, of = {}, {}
    for label, share in ((1, world.positives), (0, 1 - world.positives)):
        positive = 1 - world.below(rule.upper, label)
        negative = world.up_to(rule.lower, label) if rule.lower < rule.upper else 1 - positive
        mistaken = negative if label else positive
        right[label] = positive + negative - mistaken
        answered = {0: negative, 1: positive}
        of = {k: of.get(k, 0.0) + share * each for k, each in answered.items()}
        given += share * (positive + negative)
        wrong += share * mistaken
        cost += share * mistaken * costs["false_negative" if label else "false_positive"]
    return {
        "abstention": max(1 - given, 0.0),
        "error": wrong,
        "selective_error": wrong / given if given > 1e-12 else math.nan,
        "cost": cost + costs["abstain"] * (1 - given),
        "sensitivity": right[1],
        "specificity": right[0],
        "ppv": world.positives * right[1] / of[1] if of[1] > 1e-12 else math.nan,
        "npv": (1 - world.positives) * right[0] / of[0] if of[0] > 1e-12 else math.nan,
    }


def cost_of_one_answer(world, y, costs, weight=None):
    """Cost on new cases of the single answer to all that is cheapest on these cases."""

    def each(positives):
        return {
            "negative": positives * costs["false_negative"],
            "positive": (1 - positives) * costs["false_positive"],
            "abstain": costs["abstain"],
        }

    here = each(np.average(y, weights=weight))
    return each(world.positives)[min(here, key=here.get)]


def priced(false_negative, false_positive, abstain):
    return {"false_negative": false_negative, "false_positive": false_positive, "abstain": abstain}


def holds(interval, truth):
    # A rule that answers nothing has no share of wrong answers.
    known = interval.low - 1e-12 <= truth <= interval.high + 1e-12
    return known or (math.isnan(truth) and math.isnan(interval.estimate))


def of_fresh_cases(world, rng, rule, n, given):
    """What is expected of a rule that was fixed before so many cases were drawn."""
    y, score = drawn(world, rng, n)
    costs, known = given(y, rng)
    priors = known.pop("priors", None)
    search = search_arrays(y, Goal(costs, priors=priors), y_score=score, **known)
    answer = search.answered(rule.lower, rule.upper)
    unit = known.get("groups")
    fit = CrossFit(search, unit, np.zeros((1, n)), answer, answer[None], search.losses)
    return fit.expected(0.95)


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
    "400 cases of 40 patients, AUC 0.92, costs 20/4/1": (Patients(auc(0.92).distance), 400, DEAR),
    "300 cases, AUC 0.92, costs 20/4/1, class shares given": (auc(0.92), 300, DEAR),
    "10000 cases, AUC 0.92, costs 20/4/1": (auc(0.92), 10_000, DEAR),
}
# Drawn once by a seed that was fixed before anything was measured.
DICE = np.random.default_rng(2027)
for _ in range(10):
    _n, _share = round(200 * 15 ** DICE.random()), round(DICE.uniform(0.7, 0.97), 2)
    _positives, _step = round(DICE.uniform(0.25, 0.5), 2), float(DICE.choice([0.0, 0.25]))
    _costs = priced(*(round(float(5 ** DICE.uniform(low, high)), 1) for low, high in
                      ((0.5, 2), (0, 1), (-1, 0))))  # fmt: skip
    _name = f"by a seed: {_n} cases, {100 * _positives:.0f} % positives, AUC {_share:.2f}"
    _name += (
        f"{', scores with ties' * (_step > 0)}, costs {'/'.join(f'{c:g}' for c in _costs.values())}"
    )
    SETTINGS[_name] = Normal(auc(_share).distance, _positives, _step), _n, _costs
# An interval may be so many times as wide as that of a fresh sample.
WIDEST, WIDEST_AMONG_ANSWERS = 1.2, 1.25
AMONG_ANSWERS = ("selective_error", "ppv", "npv")


def given_by(setting, costs):
    """Costs, weights, groups and class shares of cases; none of them depends on the scores."""

    def given(y, rng):
        known = {}
        if "weights" in setting:
            known["sample_weight"] = rng.gamma(0.5, size=len(y))
        if "patients" in setting:
            known["groups"] = np.arange(len(y)) // 10
        if "class shares given" in setting:
            known["priors"] = [0.9, 0.1]
        if "amounts" not in setting:
            return costs, known
        amount = rng.lognormal(-(1.5**2) / 2, 1.5, size=len(y))  # 1 on average
        return costs | {"false_negative": costs["false_negative"] * amount}, known

    return given


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("trials", runs(8, parts=8))
def test_window_of_costs(trials, setting, rng, ledger):
    world, n, costs = SETTINGS[setting]
    given = given_by(setting, costs)
    new = replace(world, positives=0.1) if "class shares given" in setting else world
    held = {name: [] for name in QUANTITIES}
    widths, fresh = ({name: [] for name in QUANTITIES} for _ in range(2))
    truths, estimates = [], []
    for _ in range(trials):
        y, score = drawn(world, rng, n)
        own, known = given(y, rng)
        goal = {"y_score": score, "costs": own, **known}
        seed = int(rng.integers(2**31))
        rule = find_rule(y, **{key: goal[key] for key in goal if key != "groups"}).rule
        found = cross_fitted(y, **goal, random_state=seed)
        truth = truth_of(new, rule, costs)
        weight = known.get("sample_weight")
        truth["saving"] = cost_of_one_answer(new, y, costs, weight) - truth["cost"]
        beside = of_fresh_cases(world, rng, rule, n, given)
        for name in QUANTITIES:
            interval, other = getattr(found, name), getattr(beside, name)
            held[name].append(holds(interval, truth[name]))
            if found.abstention.low < 1:  # a rule that never answers has no spread
                widths[name].append(interval.high - interval.low)
                fresh[name].append(other.high - other.low)
        truths.append(truth["cost"])
        estimates.append(found.cost.estimate)
    if "amounts" in setting:  # one answer to all may be another one than by the mean costs
        held.pop("saving")
    least = 0.90 if "patients" in setting else 0.88 if n == 100 else 0.92
    ledger.share(
        "95 % interval of a tuned window's cost holds the true cost",
        setting,
        held.pop("cost"),
        f"≥ {100 * least:.0f} %",
        (least, 1.0),
    )
    shares_hold(ledger, "window", setting, held, 0.90 if "patients" in setting else 0.92)
    for name, words in QUANTITIES.items():
        if np.nansum(fresh[name]) > 0:
            beside = np.array(widths[name]) / np.nanmean(fresh[name])
            most = WIDEST_AMONG_ANSWERS if name in AMONG_ANSWERS else WIDEST
            # Where abstaining hardly pays, some of the found rules give an answer only rarely.
            promised = name == "cost" or costs is not IDLE
            ledger.mean(
                f"width of the 95 % interval of a tuned window's {words} beside that of a fresh "
                "sample",
                setting,
                beside[~np.isnan(beside)],
                promised=f"at most {100 * most:.0f} %" if promised else "no promise",
                between=(0.0, most if promised else math.inf),
            )
    if isinstance(world, Normal) and 0 < world.distance < 3 and costs in (DEAR, CHEAP):
        ledger.mean(
            "cross-fitted cost of a tuned window above the true cost",
            setting,
            np.subtract(estimates, truths) / np.mean(truths),
            "nearly 0 %",
            (-0.03, 0.03),
        )


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


def shares_hold(ledger, what, setting, held, least=0.92):
    for name, hits in held.items():
        ledger.share(
            f"95 % interval of a tuned {what}'s {QUANTITIES[name]} holds the truth",
            setting,
            hits,
            f"≥ {100 * least:.0f} %",
            (least, 1.0),
        )
