"""Whether budgets, costs and coverage that were promised are kept on fresh data."""

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from tests.evaluation import normal_scores
from tests.statistics.trials import runs

from cautious.curves import find_rule
from cautious.evaluation import cross_fitted
from cautious.metrics import abstention_score, containment_score, selective_accuracy_score
from cautious.models import ConformalClassifier, TunedAbstainingClassifierCV

FRESH = 4000
COSTS = {"false_negative": 5.0, "false_positive": 1.0, "abstain": 0.4}


def cases(rng, n, n_classes):
    """Classes that overlap, and two features that tell them apart as far as possible."""
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    angle = 2 * np.pi * y / n_classes
    centre = np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + rng.normal(size=(n, 2)), y


def on_fresh_data(model, rng, n, n_classes):
    model.fit(*cases(rng, n, n_classes))
    X, y = cases(rng, FRESH, n_classes)
    return y, model.predict_set(X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("trials", runs(15))
def test_budget_of_abstentions(trials, n_classes, rng, ledger):
    # The thresholds are quantiles of held-out scores: right on average, over it half of the time.
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, per="case")
    found = [abstention_score(*on_fresh_data(model, rng, 300, n_classes)) for _ in range(trials)]
    ledger.mean(
        "abstention under max_abstention=0.2",
        f"{n_classes} classes, 300 cases",
        found,
        promised="20 % on average",
        between=(0.17, 0.215),
    )
    ledger.share(
        "abstention over the budget by a tenth of it or more",
        f"{n_classes} classes, 300 cases",
        np.array(found) > 0.22,
        promised="no promise",
        between=(0.05, 0.45),
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("trials", runs(15))
def test_budget_of_mistakes(trials, n_classes, rng, ledger):
    # The most generous thresholds that held-out data allow are too generous on fresh data: the best
    # of many looks better than it is, the more so the more thresholds there are to choose. The
    # ranges say how bad it may be, not that it is good.
    model = TunedAbstainingClassifierCV(GaussianNB(), max_error=0.1)
    found = []
    for _ in range(trials):
        y, sets = on_fresh_data(model, rng, 300, n_classes)
        found.append(1 - selective_accuracy_score(y, sets))
    where = f"{n_classes} classes, 300 cases"
    ledger.mean(
        "mistakes among answers under max_error=0.1",
        where,
        found,
        promised="10 %, not kept",
        between=(0.1, 0.15),
    )
    ledger.share(
        "fits that overdraw max_error=0.1",
        where,
        np.array(found) > 0.1,
        promised="no promise",
        between=(0.5, 0.95),
    )


@pytest.mark.parametrize("trials", runs(15))
def test_cost_that_the_tuned_window_reports(trials, rng, ledger):
    model = TunedAbstainingClassifierCV(GaussianNB(), costs=COSTS)
    optimism = []
    for _ in range(trials):
        y, sets = on_fresh_data(model, rng, 300, 2)
        abstained = sets.all(axis=1)
        wrong = ~abstained & ~sets[np.arange(FRESH), y]
        price = np.where(y == 1, COSTS["false_negative"], COSTS["false_positive"])
        cost = np.mean(np.where(abstained, COSTS["abstain"], wrong * price))
        optimism.append((cost + model.best_score_) / cost)
    ledger.mean(
        "cost on fresh data above what was reported",
        "2 classes, 300 cases",
        optimism,
        promised="no promise",
        between=(0.0, 0.12),
    )


@pytest.mark.parametrize(
    ("method", "score", "between"),
    [
        ("split", "lac", (0.9, 0.9 + 1 / 61)),
        ("split", "aps", (0.9, 1.0)),  # not randomised, so it may hold more than it must
        ("cross", "lac", (0.88, 0.95)),
    ],
    ids=["split-lac", "split-aps", "cross-lac"],
)
@pytest.mark.parametrize("trials", runs(8))
def test_conformal_sets_hold_the_truth(trials, method, score, between, rng, ledger):
    pytest.importorskip("mapie")
    found = []
    for _ in range(trials):
        model = ConformalClassifier(
            GaussianNB(),
            confidence_level=0.9,
            method=method,
            conformity_score=score,
            random_state=int(rng.integers(2**31)),
            empty="best",
        )
        found.append(containment_score(*on_fresh_data(model, rng, 240, 3)))
    ledger.mean(
        f"conformal sets hold the truth ({method}, {score})",
        "3 classes, 240 cases",
        found,
        promised="≥ 90 %",
        between=between,
    )


@pytest.mark.parametrize("auc", [0.80, 0.92])
@pytest.mark.parametrize("costs", normal_scores.COSTS, ids=["20/4/1", "10/2/1"])
@pytest.mark.parametrize(("n", "least"), [(100, 0.88), (300, 0.92), (1000, 0.92)])
@pytest.mark.parametrize("trials", runs(8))
def test_cost_expected_of_a_tuned_window(trials, n, least, costs, auc, rng, ledger):
    # What the rule that was chosen really costs, not what rules chosen in this way cost on average.
    distance = np.sqrt(2) * stats.norm.ppf(auc)
    found = []
    while len(found) < trials:
        y, score = normal_scores.draw(rng, n, distance)
        if min(y.sum(), n - y.sum()) < 30:  # nothing is said about new cases then
            continue
        seed = int(rng.integers(2**31))
        tuned = find_rule(y, y_score=score, costs=costs)
        one = cross_fitted(y, y_score=score, costs=costs, random_state=seed).cost
        truth = normal_scores.true_cost(tuned.rule, distance, costs)
        covered = one.low <= truth <= one.high
        found.append((covered, truth, one.estimate, tuned.cost))
    covered, truth, estimate, apparent = np.transpose(found)
    print(  # with -s: how far the apparent cost is off
        f"n={n} AUC={auc} {costs['false_negative']:g}: true {truth.mean():.3f}, cross-fitted "
        f"{estimate.mean():.3f}, apparent {apparent.mean():.3f}, covered {covered.mean():.3f}"
    )
    price = "/".join(f"{value:g}" for value in costs.values())
    where = f"{n} cases, AUC {auc:.2f}, costs {price}"
    ledger.share(
        "95 % interval of a tuned window's cost holds the true cost",
        where,
        covered,
        promised=f"≥ {100 * least:.0f} %",
        between=(least, 1.0),
    )
    ledger.mean(
        "cross-fitted cost of a tuned window above the true cost",
        where,
        (estimate - truth) / truth.mean(),
        promised="nearly 0 %",
        between=(-0.03, 0.03),
    )


def tied_scores(rng, n):
    """Skewed scores with many ties: exponential, rounded to halves; 35 % positives."""
    y = (rng.random(n) < 0.35).astype(int)
    return y, np.round(2 * rng.exponential(np.where(y == 1, 4.0, 1.0))) / 2


def cost_of_tied_scores(rule, costs):
    at = np.arange(400) / 2
    total = 0.0
    for label, share, mean in ((1, 0.35, 4.0), (0, 0.65, 1.0)):
        chance = np.diff(stats.expon.cdf(np.append(at - 0.25, at[-1] + 0.25), scale=mean))
        positive = at >= rule.upper
        negative = ~positive & (at <= rule.lower)
        wrong = chance[negative if label else positive].sum()
        silent = chance[~positive & ~negative].sum()
        price = costs["false_negative" if label else "false_positive"]
        total += share * (price * wrong + costs["abstain"] * silent)
    return total


def rare_scores(rng, n):
    """Normal scores, classes two apart, 5 % positives."""
    y = (rng.random(n) < 0.05).astype(int)
    return y, rng.normal(size=n) + 2 * y


def cost_of_rare_scores(rule, costs):
    total = 0.0
    for label, share in ((1, 0.05), (0, 0.95)):
        below, upto = stats.norm.cdf(np.array([rule.lower, rule.upper]) - 2 * label)
        wrong = below if label else 1 - upto
        price = costs["false_negative" if label else "false_positive"]
        total += share * (price * wrong + costs["abstain"] * (upto - below))
    return total


WORLDS = {
    "skewed scores with ties": (tied_scores, cost_of_tied_scores, normal_scores.COSTS[0]),
    "5 % positives": (
        rare_scores,
        cost_of_rare_scores,
        {"false_negative": 30.0, "false_positive": 3.0, "abstain": 1.0},
    ),
}


@pytest.mark.parametrize(
    ("world", "n", "least"),
    [
        ("skewed scores with ties", 100, 0.88),
        ("skewed scores with ties", 300, 0.92),
        ("skewed scores with ties", 1000, 0.92),
        # Of 300 such cases hardly ever 30 are positive: nothing is said about new ones.
        ("5 % positives", 1000, 0.92),
        ("5 % positives", 3000, 0.92),
    ],
)
@pytest.mark.parametrize("trials", runs(5))
def test_cost_expected_of_a_tuned_window_in_other_worlds(trials, world, n, least, rng, ledger):
    draw, true_cost, costs = WORLDS[world]
    found = []
    while len(found) < trials:
        y, score = draw(rng, n)
        if min(y.sum(), n - y.sum()) < 30:
            continue
        tuned = find_rule(y, y_score=score, costs=costs)
        seed = int(rng.integers(2**31))
        one = cross_fitted(y, y_score=score, costs=costs, random_state=seed).cost
        found.append(one.low <= true_cost(tuned.rule, costs) <= one.high)
    ledger.share(
        "95 % interval of a tuned window's cost holds the true cost",
        f"{n} cases, {world}",
        found,
        promised=f"≥ {100 * least:.0f} %",
        between=(least, 1.0),
    )


def what_a_window_does(rule, score, costs):
    """Cost per case and mistakes among answers where scores say nothing about the class."""
    share = normal_scores.POSITIVES
    negative, positive = score <= rule.lower, score >= rule.upper
    negative = np.mean(negative & ~positive)
    positive = np.mean(positive)
    missed, alarms = share * negative, (1 - share) * positive
    abstained = 1 - negative - positive
    cost = costs["false_negative"] * missed + costs["false_positive"] * alarms
    answered = max(negative + positive, 1e-12)
    return cost + costs["abstain"] * abstained, (missed + alarms) / answered


@pytest.mark.parametrize("n", [120, 400])
@pytest.mark.parametrize("scores", ["the same score everywhere", "scores of pure noise"])
@pytest.mark.parametrize("trials", runs(8))
def test_shares_of_the_classes_are_uncertain(trials, scores, n, rng, ledger):
    # One class is answered nearly always: mistakes vary with the shares of the classes alone.
    costs = {"false_negative": 1.0, "false_positive": 1.0, "abstain": 0.45}
    grid = stats.norm.ppf((np.arange(FRESH) + 0.5) / FRESH)
    constant = scores == "the same score everywhere"
    covered = []
    while len(covered) < trials:
        y, score = normal_scores.draw(rng, n, 0.0)
        if min(y.sum(), n - y.sum()) < 30:
            continue
        score = 0 * score if constant else score
        rule = find_rule(y, y_score=score, costs=costs).rule
        one = cross_fitted(y, y_score=score, costs=costs, random_state=int(rng.integers(2**31)))
        truth = what_a_window_does(rule, 0 * grid if constant else grid, costs)
        told = one.cost, one.selective_error
        covered.append([e.low <= t <= e.high for e, t in zip(told, truth, strict=True)])
    names = "95 % interval of a tuned window's cost", "95 % interval of mistakes among answers"
    for name, hits in zip(names, np.transpose(covered), strict=True):
        where = f"{n} cases, {scores}"
        ledger.share(f"{name} holds the truth", where, hits, promised="≥ 92 %", between=(0.92, 1.0))
