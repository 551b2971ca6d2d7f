"""Whether what is expected of a tuned rule on new cases holds what that very rule does there."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats
from tests.statistics.test_graded import RIGHT, answers, truth_of
from tests.statistics.test_graded import SHARES as VERBAL_SHARES
from tests.statistics.trials import runs
from tests.tuning import fits

from cautious._cases import Cases
from cautious._labels import GRADES
from cautious.tuning._cross_fitting import CrossFit, cross_fit
from cautious.tuning._goal import Goal
from cautious.tuning._search import search_cases
from cautious.tuning._winners import best_model

QUANTITIES = {
    "cost": "cost",
    "saving": "saving",
    "abstention": "share abstained on",
    "error": "share of wrong answers to all cases",
    "selective_error": "share of wrong ones among answers",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "share of right ones among positive answers",
    "npv": "share of right ones among negative answers",
}
AMONG_ANSWERS = ("selective_error", "ppv", "npv")


@dataclass(frozen=True)
class Normal:
    """Normal scores in each class, whose means lie so far apart; rounded if there is a step."""

    distance: float
    positives: float = 0.35
    step: float = 0.0

    @property
    def shares(self):
        return np.array([1 - self.positives, self.positives])

    def draw(self, rng, n):
        y = (rng.random(n) < self.positives).astype(int)
        return y, self.scores(rng, y)

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

    def cells(self, rule):
        """Chances of truths and answers, abstaining last."""
        cells = np.zeros((2, 3))
        for label in (0, 1):
            positive = 1 - self.below(rule.upper, label)
            negative = self.up_to(rule.lower, label) if rule.lower < rule.upper else 1 - positive
            cells[label] = negative, positive, 1 - positive - negative
        return self.shares[:, None] * cells.clip(0)


@dataclass(frozen=True)
class Patients(Normal):
    """Normal scores of patients with cases alike; they have shares of positives of their own."""

    size: int = 10
    spread: float = math.inf  # of the beta distribution of these shares

    def draw(self, rng, n):
        patient, many = np.arange(n) // self.size, -(-n // self.size)
        share = np.full(many, self.positives)
        if self.spread < math.inf:
            share = rng.beta(self.spread * self.positives, self.spread * (1 - self.positives), many)
        y = (rng.random(n) < share[patient]).astype(int)
        alike = np.sqrt(0.3) * rng.normal(size=many)[patient]
        return y, alike + np.sqrt(0.7) * rng.normal(size=n) + self.distance * y


@dataclass(frozen=True)
class Skewed(Normal):
    """Exponential scores with many ties: means 1 and 4, rounded to halves."""

    distance: float = math.nan

    def scores(self, rng, y):
        return np.round(2 * rng.exponential(np.where(y == 1, 4.0, 1.0))) / 2

    def up_to(self, t, label):
        return self._chance(np.floor(2 * t), label)

    def below(self, t, label):
        return self._chance(np.ceil(2 * t) - 1, label)

    def _chance(self, steps, label):
        return 0.0 if steps < 0 else -math.expm1(-(2 * steps + 1) / (16.0 if label else 4.0))


# Few positives have the lowest of five scores, where their mistakes are not seen.
FEW = np.array([[0.35, 0.3, 0.2, 0.1, 0.05], [0.02, 0.08, 0.2, 0.3, 0.4]])


@dataclass(frozen=True)
class Places(Normal):
    """A few score values, 0, 1 and so on, with chances by class."""

    distance: float = math.nan
    chances: tuple = ((1.0,), (1.0,))

    def scores(self, rng, y):
        each = [rng.choice(len(chance), len(y), p=chance) for chance in self.chances]
        return np.where(y == 1, each[1], each[0]).astype(float)

    def up_to(self, t, label):
        return sum(self.chances[label][: math.floor(np.clip(t, -1, 9)) + 1])

    def below(self, t, label):
        return sum(self.chances[label][: math.ceil(np.clip(t, 0, 9))])


class Three:
    """Three classes, normal around the corners of a triangle, with their true probabilities."""

    shares = np.array([0.5, 0.3, 0.2])
    corners = 1.2 * np.array([[1, 0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])

    def proba(self, x):
        density = self.shares * np.exp(-((x[:, None] - self.corners) ** 2).sum(axis=2) / 2)
        return density / density.sum(axis=1, keepdims=True)

    def draw(self, rng, n):
        y = rng.choice(3, n, p=self.shares)
        return y, self.proba(rng.normal(size=(n, 2)) + self.corners[y])

    def cells(self, rule):
        spread = stats.norm.ppf(stats.qmc.Sobol(2, rng=1).random(2**12))
        sets = [rule.predict_set(self.proba(spread + corner)) for corner in self.corners]
        counts = [[*(one & (one.sum(axis=1) == 1)[:, None]).mean(axis=0), 0] for one in sets]
        cells = np.array(counts)
        cells[:, -1] = 1 - cells.sum(axis=1)
        return self.shares[:, None] * cells


@dataclass(frozen=True)
class Graded:
    """Answers with a confidence, right or wrong."""

    world: str

    @property
    def shares(self):
        right = 5 / 6 if self.world == "calibrated" else VERBAL_SHARES @ RIGHT
        return np.array([1 - right, right])

    def draw(self, rng, n):
        cases = answers(self.world, n, rng)
        return cases.truth, cases.score

    def cells(self, rule):
        out, wrong = truth_of(rule, self.world)
        cells = np.array([[0, wrong * out, 0], [0, (1 - wrong) * out, 0]])
        cells[:, 2] = self.shares - cells[:, 1]
        return cells


def drawn(world, rng, n):
    """Draw cases until nothing is said of too few of a class."""
    while True:
        y, values = world.draw(rng, n)
        if np.bincount(y, minlength=len(world.shares)).min() >= 30:
            return y, values


def search_of(world, y, values, goal):
    """Get ready to search; of the goal, weights and groups belong to the cases."""
    about = {name: goal[name] for name in ("sample_weight", "groups") if name in goal}
    goal = Goal(**{name: goal[name] for name in goal if name not in about})
    if isinstance(world, Graded):
        return search_cases(Cases("m", GRADES, y, y_score=values, graded=True, **about), goal)
    about["y_proba" if isinstance(world, Three) else "y_score"] = values
    return fits.search_of(y, goal, **about)


def of_fresh_cases(world, rng, rule, n, given):
    """What is expected of a rule that was fixed before so many cases were drawn."""
    y, values = drawn(world, rng, n)
    goal = given(rng, n)
    search, k = search_of(world, y, values, goal), len(world.shares)
    sets = rule.predict_set(values, classes=rule.classes)
    answer = np.where(sets.sum(axis=1) == 1, sets.argmax(axis=1), k)
    held_out = answer[None]
    fit = CrossFit(search, goal.get("groups"), 0 * held_out, answer, held_out, search.losses)
    return fit.expected(0.95)


def losses_of(costs):
    """Costs by truth and by answer, abstaining last."""
    if isinstance(costs, np.ndarray):
        return costs.T
    silent = costs.get("abstain", 0.0)
    if "wrong" in costs:
        return np.array([[silent, costs["wrong"], silent], [silent, 0, silent]])
    return np.array([[0, costs["false_positive"], silent], [costs["false_negative"], 0, silent]])


def truths_of(cells, costs, seen):
    """What a rule does on new cases, and saves beside the one answer that is best on those seen."""
    truth, answer = np.indices(cells.shape)
    given, right = answer < len(cells), answer == truth
    with np.errstate(invalid="ignore"):
        found = {
            "abstention": cells[~given].sum(),
            "error": cells[given & ~right].sum(),
            "selective_error": cells[given & ~right].sum() / cells[given].sum(),
        }
        for at, name in enumerate(("specificity", "sensitivity")):
            found[name] = cells[at, at] / cells[at].sum()
            found[("npv", "ppv")[at]] = cells[at, at] / cells[:, at].sum()
    if costs is not None:
        losses = losses_of(costs)
        found["cost"] = (cells * losses).sum()
        found["saving"] = (cells.sum(axis=1) @ losses)[np.argmin(seen @ losses)] - found["cost"]
    return found


def holds(interval, truth):
    # A rule that answers nothing has no share of wrong answers.
    known = interval.low - 1e-12 <= truth <= interval.high + 1e-12
    return known or (math.isnan(truth) and math.isnan(interval.estimate))


def auc(share):
    return Normal(math.sqrt(2) * stats.norm.ppf(share))


def priced(false_negative, false_positive, abstain):
    costs = {"false_negative": false_negative, "false_positive": false_positive}
    return {"costs": costs | ({"abstain": abstain} if abstain else {})}


DEAR, CHEAP = priced(20.0, 4.0, 1.0), priced(10.0, 2.0, 1.0)
# Abstaining hardly pays: rules found on like cases abstain on none or on many.
IDLE = priced(1.0, 1.0, 0.45)
RARE = priced(30.0, 3.0, 1.0)
THREE = {"costs": np.array([[0, 2, 4], [1, 0, 3], [5, 2, 0], [1, 1, 1.0]])}
PLAIN = "AUC 0.92, costs 20/4/1"
SAME, FIVE = Places(chances=((1.0,), (1.0,))), Places(positives=0.3, chances=FEW)
# World, cases, and the goal.
SETTINGS = {
    **{
        f"{n} cases, AUC {share:.2f}, costs {'/'.join(f'{c:g}' for c in goal['costs'].values())}": (
            *(auc(share), n, goal),
        )
        for n in (100, 300, 1000)
        for share in (0.80, 0.92)
        for goal in (DEAR, CHEAP)
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
    "120 cases, the same score everywhere": (SAME, 120, IDLE),
    "400 cases, the same score everywhere": (SAME, 400, IDLE),
    "120 cases, scores of pure noise": (Normal(0.0), 120, IDLE),
    "400 cases, scores of pure noise": (Normal(0.0), 400, IDLE),
    "1500 cases, scores of pure noise": (Normal(0.0), 1500, IDLE),
    "200 cases, five scores, costs 30/1/0.5": (FIVE, 200, priced(30.0, 1.0, 0.5)),
    "200 cases, five scores, costs 100/1/0.5": (FIVE, 200, priced(100.0, 1.0, 0.5)),
    f"10000 cases, {PLAIN}": (auc(0.92), 10_000, DEAR),
    f"300 cases, {PLAIN}, weights gamma(1/2)": (auc(0.92), 300, DEAR),
    f"300 cases, {PLAIN}, weights gamma(1/2), another seed": (auc(0.92), 300, DEAR),
    f"300 cases, {PLAIN}, amounts log-normal 1.5": (auc(0.92), 300, DEAR),
    f"300 cases, {PLAIN}, class shares given": (auc(0.92), 300, DEAR),
    f"400 cases of 40 patients, {PLAIN}": (Patients(auc(0.92).distance), 400, DEAR),
    f"480 cases of 60 patients with own shares of positives, beta(1.4, 2.6), {PLAIN}": (
        *(Patients(auc(0.92).distance, size=8, spread=4.0), 480, DEAR),
    ),
    "300 cases, AUC 0.92, max_abstention=0.2": (auc(0.92), 300, {"max_abstention": 0.2}),
    "300 cases, AUC 0.92, max_error=0.1": (auc(0.92), 300, {"max_error": 0.1}),
    "300 cases, AUC 0.92, max_abstention=0.2, costs 5/1": (
        *(auc(0.92), 300, {"max_abstention": 0.2} | priced(5.0, 1.0, None)),
    ),
    "300 cases, AUC 0.92, min_saving=0.5, costs 5/1": (
        *(auc(0.92), 300, {"min_saving": 0.5} | priced(5.0, 1.0, None)),
    ),
    "300 cases of three classes, a table of costs": (Three(), 300, THREE),
    "1000 cases of three classes, a table of costs": (Three(), 1000, THREE),
    "300 cases of three classes, max_abstention=0.2": (Three(), 300, {"max_abstention": 0.2}),
    **{
        f"{n} graded answers, {world} confidences, wrong {wrong}, escalating 1": (
            *(Graded(world), n, {"costs": {"wrong": float(wrong), "abstain": 1.0}}),
        )
        for world in ("calibrated", "verbal")
        for n, wrong in ((300, 5), (1000, 5), (1000, 10))
    },
}
# Drawn once by a seed that was fixed before anything was measured.
DICE = np.random.default_rng(2027)
for _ in range(10):
    _n, _share = round(200 * 15 ** DICE.random()), round(DICE.uniform(0.7, 0.97), 2)
    _positives, _step = round(DICE.uniform(0.25, 0.5), 2), float(DICE.choice([0.0, 0.25]))
    _costs = [round(float(5 ** DICE.uniform(*ends)), 1) for ends in ((0.5, 2), (0, 1), (-1, 0))]
    _name = f"by a seed: {_n} cases, {100 * _positives:.0f} % positives, AUC {_share:.2f}"
    _name += f"{', scores with ties' * (_step > 0)}, costs {'/'.join(f'{c:g}' for c in _costs)}"
    SETTINGS[_name] = Normal(auc(_share).distance, _positives, _step), _n, priced(*_costs)


def given_by(setting):
    """The goal with weights, groups and class shares of cases; none depends on the scores."""
    world, _, goal = SETTINGS[setting]

    def given(rng, n):
        known = dict(goal)
        if "weights" in setting:
            known["sample_weight"] = rng.gamma(0.5, size=n)
        if isinstance(world, Patients):
            known["groups"] = np.arange(n) // world.size
        if "class shares given" in setting:
            known["priors"] = [0.9, 0.1]
        if "amounts" in setting:
            amount = rng.lognormal(-(1.5**2) / 2, 1.5, size=n)  # 1 on average
            missed = known["costs"]["false_negative"] * amount
            known["costs"] = known["costs"] | {"false_negative": missed}
        return known

    return given


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("trials", runs(8, parts=8))
def test_tuned_rule(trials, setting, rng, ledger):
    world, n, goal = SETTINGS[setting]
    given, costs, new = given_by(setting), goal.get("costs"), world
    if "class shares given" in setting:
        new = replace(world, positives=0.1)
    held, optimism = {}, []
    for _ in range(trials):
        y, values = drawn(world, rng, n)
        here = given(rng, n)
        search = search_of(world, y, values, here)
        rule = search.found.rule
        found = cross_fit(search, random_state=int(rng.integers(2**31))).expected(0.95)
        seen = np.bincount(y, here.get("sample_weight")) if new is world else new.shares
        truth = truths_of(new.cells(rule), costs, seen)
        beside = of_fresh_cases(world, rng, rule, n, given)
        for name in QUANTITIES:
            interval, other = getattr(found, name), getattr(beside, name)
            if interval is not None:
                told = interval.high - interval.low, other.high - other.low
                # A rule that never answers has no spread.
                told = told if found.abstention.low < 1 else (math.nan, math.nan)
                held.setdefault(name, []).append((holds(interval, truth[name]), *told))
        if costs is not None:
            optimism.append((found.cost.estimate, truth["cost"]))
    if "amounts" in setting:  # one answer to all may be another one than by the mean costs
        del held["saving"]
    least = 0.90 if isinstance(world, Patients) else 0.92
    # An interval may be so many times as wide as that of a fresh sample. Where abstaining hardly
    # pays, some of the found rules give an answer only rarely.
    for name, rows in held.items():
        hits, *widths = np.transpose(rows)
        most = 1.25 if name in AMONG_ANSWERS else 1.2
        most = most if name == "cost" or goal is not IDLE else math.inf
        what = f"95 % interval of a tuned rule's {QUANTITIES[name]} holds the truth"
        promised = f"≥ {100 * least:.0f} %"
        ledger.share(what, setting, hits, promised, (least, 1.0), widths=(*widths, most))
    if type(world) is Normal and world.distance < 3 and goal in (DEAR, CHEAP):
        estimate, truth = np.transpose(optimism)
        ledger.mean(
            "cross-fitted cost of a tuned rule above the true cost",
            setting,
            (estimate - truth) / truth.mean(),
            "nearly 0 %",
            (-0.03, 0.03),
        )


@pytest.mark.parametrize(("positives", "n"), [(0.35, 300), (0.1, 1000)])
@pytest.mark.parametrize("trials", runs(8))
def test_equally_good_models_are_not_told_apart(trials, positives, n, rng, ledger):
    world, named = replace(auc(0.85), positives=positives), []
    for _ in range(trials):
        y, _ = drawn(world, rng, n)
        models = [search_of(world, y, world.scores(rng, y), CHEAP) for _ in range(3)]
        found = {name: model.found for name, model in enumerate(models)}
        fits = {name: cross_fit(model) for name, model in enumerate(models)}
        named.append(best_model(found, fits, CHEAP, 0.95)[0] is not None)
    where = f"{n} cases, {100 * positives:g} % positives, AUC 0.85, costs 10/2/1"
    ledger.at_most("a cheapest of three equally good models is named", where, named, 0.05)
