"""Whether certificates are true: rules, costs, utilities and conformal sets of known worlds."""

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm
from tests.statistics.trials import runs, told

from cautious.guarantees import certify, certify_cost, mean_bound
from cautious.metrics import SetCounts
from cautious.models import ConformalClassifier

# Distance of two unit normals, cases, limit, and the coverage that exact tests reach elsewhere.
SETTINGS = [
    (2, 300, 0.10, 0.61),
    (2, 1000, 0.10, 0.74),
    (2, 1000, 0.05, 0.41),
    (3, 2000, 0.02, 0.78),
]
COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}


def world(rng, n, d):
    """Labels and the right probabilities of two unit normals d apart."""
    y = rng.integers(2, size=n)
    return y, 1 / (1 + np.exp(-d * rng.normal(d * (y - 0.5), 1)))


def truth_of(rule, d):
    """Shares of wrong and of all answers where the larger probability reaches the threshold."""
    if rule is None:
        return 0.0, 0.0
    z = np.log(rule.threshold) - np.log1p(-rule.threshold)
    wrong, right = norm.sf(z / d + d / 2), norm.sf(z / d - d / 2)
    return wrong, wrong + right


def overdrawn(found, limit):
    wrong, answered = np.transpose(found)
    return wrong > limit * answered


@pytest.mark.parametrize(("d", "n", "limit", "coverage"), SETTINGS)
@pytest.mark.parametrize("trials", runs(20))
def test_certified_mistakes(trials, d, n, limit, coverage, rng, ledger):
    found = []
    for _ in range(trials):
        others, (y, p) = world(rng, n, d)[1], world(rng, n, d)
        one = certify(y, y_score=p, other_scores=others, max_error=limit, confidence_level=0.9)
        found.append(truth_of(one.rule, d))
    where = f"two normals {d} apart, {n} cases, max_error={limit:g}"
    ledger.at_most("certified rules that overdraw max_error", where, overdrawn(found, limit), 0.1)
    ledger.mean(
        "coverage of certified rules",
        where,
        np.array(found)[:, 1],
        f"≥ {100 * coverage - 1:.0f} %",
        (coverage - 0.01, 1.0),
    )


@pytest.mark.parametrize("trials", runs(20))
def test_certified_mistakes_in_groups(trials, rng, ledger):
    found = []
    for _ in range(trials):
        parts = [world(rng, 600, d) for d in (3, 1.5)]
        others = [world(rng, 600, d)[1] for d in (3, 1.5)]
        groups = np.repeat(["easy", "hard"], 600)
        one = certify(
            np.concatenate([y for y, _ in parts]),
            y_score=np.concatenate([p for _, p in parts]),
            other_scores=np.concatenate(others),
            groups=groups,
            other_groups=groups,
            max_error=0.1,
            confidence_level=0.9,
        )
        found.append([truth_of(one.rule, d) for d in (3, 1.5)])
    easy, hard = np.swapaxes(found, 0, 1)
    where = "two groups of 600 cases, max_error=0.1"
    ledger.at_most(
        "certified rules that overdraw max_error in a group",
        where,
        overdrawn(easy, 0.1) | overdrawn(hard, 0.1),
        0.1,
    )
    ledger.mean(
        "coverage of certified rules", where, (easy[:, 1] + hard[:, 1]) / 2, "–", (0.45, 1.0)
    )


def three_classes(rng, n):
    """Labels and the right probabilities of three classes."""
    p = rng.dirichlet([0.35, 0.25, 0.2], size=n)
    return (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=2), p


@pytest.mark.parametrize("shape", ["one", "per class"])
@pytest.mark.parametrize("trials", runs(15))
def test_certified_mistakes_of_three_classes(trials, shape, rng, ledger):
    # The probabilities are right, so the mistakes of a large sample are known without its labels.
    p = three_classes(rng, 200_000)[1]
    answer, confidence = p.argmax(axis=1), p.max(axis=1)
    running = []
    for k in range(3):
        own = np.sort(confidence[answer == k])[::-1]
        running.append((-own, np.append(0, np.cumsum(1 - own)), np.arange(len(own) + 1)))
    broken, coverage = [], []
    for _ in range(trials):
        others, (y, q) = three_classes(rng, 1000)[1], three_classes(rng, 1000)
        one = certify(
            y, y_proba=q, other_scores=others, max_error=0.1, confidence_level=0.9, thresholds=shape
        )
        if one.rule is None:
            broken.append(False)
            coverage.append(0.0)
            continue
        limits = one.rule.thresholds or (one.rule.threshold,) * 3
        at = [
            np.searchsorted(run[0], -t, side="right")
            for run, t in zip(running, limits, strict=True)
        ]
        wrong = np.array([run[1][i] for run, i in zip(running, at, strict=True)])
        given = np.array([run[2][i] for run, i in zip(running, at, strict=True)])
        if shape == "one":
            wrong, given = wrong.sum(keepdims=True), given.sum(keepdims=True)
        broken.append((wrong > 0.1 * given).any())
        coverage.append(given.sum() / len(p))
    where = f"3 classes, 1000 cases, max_error=0.1, thresholds={shape!r}"
    ledger.at_most("certified rules that overdraw max_error", where, broken, 0.1)
    ledger.mean("coverage of certified rules", where, coverage, "–", (0.3, 1.0))


@pytest.mark.parametrize("n", [100, 300, 1000])
@pytest.mark.parametrize("trials", runs(50))
def test_mistakes_on_average(trials, n, rng, ledger):
    found = []
    for _ in range(trials):
        y, p = world(rng, n, 2)
        one = certify(y, y_score=p, max_error=0.1, promise="on average")
        found.append(truth_of(one.rule, 2))
    wrong, answered = np.transpose(found)
    where = f"two normals 2 apart, {n} cases, max_error=0.1"
    ledger.at_most(
        "wrong ones among all answers, promised on average",
        where,
        wrong / answered.mean(),
        0.1,
        of="mean",
    )
    ledger.mean("coverage of rules promised on average", where, answered, "–", (0.6, 1.0))


def shares_of(rule, d):
    """Shares of all cases by answer and truth: negative or positive, of two unit normals."""
    if rule is None:
        return np.zeros((2, 2))
    lower, upper = (
        (rule.lower, rule.upper) if rule.kind == "window" else (1 - rule.threshold, rule.threshold)
    )
    centre = d * np.array([-0.5, 0.5])
    low, high = logit(np.clip([lower, upper], 0, 1)) / d
    negative, positive = norm.cdf(low - centre), norm.sf(high - centre)
    return np.array([negative, positive]) / 2


# What each limit limits, given shares by answer and truth, and the limit that is asked for.
LIMITED = {
    "min_ppv": (0.9, lambda s: s[1, 0] / s[1].sum()),
    "min_npv": (0.9, lambda s: s[0, 1] / s[0].sum()),
    "max_missed": (0.08, lambda s: 2 * s[0, 1]),
    "max_error_per_case": (0.06, lambda s: s[0, 1] + s[1, 0]),
    "max_abstention": (0.3, lambda s: 1 - s.sum()),
}


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        *(((name,), "one") for name in LIMITED),
        (("min_ppv", "min_npv", "max_missed"), "one"),
        (("max_error_per_case", "max_abstention"), "one"),
        (("min_ppv", "min_npv"), "two"),
        (("max_error_per_case",), "two"),
        (("max_missed",), "two"),
    ],
)
@pytest.mark.parametrize("trials", runs(20))
def test_certified_limits(trials, names, shape, rng, ledger):
    asked = {name: LIMITED[name][0] for name in names}
    bounds = {name: 1 - at if name.startswith("min") else at for name, at in asked.items()}
    broken = []
    for _ in range(trials):
        others, (y, p) = world(rng, 1000, 2)[1], world(rng, 1000, 2)
        one = certify(
            y, y_score=p, other_scores=others, confidence_level=0.9, thresholds=shape, **asked
        )
        shares = shares_of(one.rule, 2)
        with np.errstate(invalid="ignore"):  # a class that is never answered breaks nothing
            broken.append(
                one.rule is not None
                and any(LIMITED[name][1](shares) > bound for name, bound in bounds.items())
            )
    limits = ", ".join(f"{name}={at:g}" for name, at in asked.items())
    ledger.at_most(
        "certified rules that break a limit",
        f"two normals 2 apart, 1000 cases, {limits}, thresholds={shape!r}",
        broken,
        0.1,
    )


@pytest.mark.parametrize("name", ["max_error_per_case", "max_missed"])
@pytest.mark.parametrize("n", [30, 300])
@pytest.mark.parametrize("trials", runs(50))
def test_monotone_limits_on_average(trials, n, name, rng, ledger):
    limit, risk = LIMITED[name]
    found = []
    for _ in range(trials):
        y, p = world(rng, n, 2)
        y[:2] = 0, 1
        one = certify(y, y_score=p, promise="on average", **{name: limit})
        found.append(risk(shares_of(one.rule, 2)))
    ledger.at_most(
        f"mean of what {name} limits, promised on average",
        f"two normals 2 apart, {n} cases, {name}={limit:g}",
        found,
        limit,
        of="mean",
    )


@pytest.mark.parametrize("trials", runs(50))
def test_flat_scores_on_average(trials, rng, ledger):
    # The score says nothing: every rule errs in 15 % of its answers. Draws without a rule, which
    # err in none, are all that keeps the mean below the limit.
    given = []
    for _ in range(trials):
        p = rng.uniform(0.5, 1, 100)
        y = rng.random(100) < 0.85
        y[:2] = False, True
        one = certify(y, y_score=p, max_error=0.1, promise="on average")
        given.append(one.rule is not None)
    where = "15 % wrong at every score, 100 cases, max_error=0.1"
    ledger.at_most(
        "wrong among the answers, 0 without a rule, promised on average",
        where,
        0.15 * np.array(given),
        0.1,
        of="mean",
    )
    ledger.share(
        "rules promised on average that break the limit", where, given, "no promise", (0.2, 0.6)
    )


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize(
    ("shares", "n"),
    [((0.8, 0.15, 0.03, 0.02), 1000), ((0.3, 0.1, 0.2, 0.4), 100), ((0.97, 0.01, 0.01, 0.01), 300)],
    ids=["small", "even", "rare"],
)
@pytest.mark.parametrize("known", ["counts", "cases in order"])
@pytest.mark.parametrize("trials", runs(50))
def test_bounds_of_means(trials, known, shares, n, level, rng, ledger):
    values = np.array([0, 0.1, 0.2, 1])
    mean = values @ shares
    if known == "counts":
        samples = rng.multinomial(n, shares, size=trials)
        bounds = np.array([mean_bound(values, counts, level) for counts in samples])
        seen = samples @ values / n
    else:
        samples = rng.choice(values, (trials, n), p=shares)
        bounds = np.array([mean_bound(one, None, level, low=0, high=1) for one in samples])
        seen = samples.mean(axis=1)
    print(f"{known}, n={n}, mean {mean:.3f}, level {level}: slack {np.mean(bounds - seen):.4f}")
    ledger.at_most(
        "upper bound of a mean loss lies below it"
        + (", case by case" if known != "counts" else ""),
        f"{n} cases, mean {mean:.3f}, level {level:g}",
        bounds < mean,
        1 - level,
    )


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("trials", runs(30))
def test_certified_costs_and_utilities(trials, level, rng, ledger):
    # Answers negative, positive and none, of negative and positive cases.
    shares = np.array([[0.52, 0.02], [0.06, 0.22], [0.12, 0.06]])
    costs = np.array([[0, 10], [2, 0], [1, 1]])
    worth = np.array([[1, 0], [0, 1], [0.65, 0.65]])
    cost, utility = (shares * costs).sum(), (shares * worth).sum()
    missed = []
    for counts in rng.multinomial(400, shares.ravel(), size=trials):
        table = SetCounts.from_confusion(counts.reshape(3, 2))
        over = certify_cost(table, costs=COSTS, confidence_level=level).limits["cost"]
        under = certify_cost(table, utility="u65", confidence_level=level).limits["utility"]
        missed.append((over < cost, under > utility))
    of_cost, of_utility = np.transpose(missed)
    for what, hits in (("certified cost lies below the true one", of_cost),
                       ("certified utility lies above the true one", of_utility)):  # fmt: skip
        ledger.at_most(what, f"window, 400 cases, level {level:g}", hits, 1 - level)


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("trials", runs(10))
def test_costs_and_utilities_certified_case_by_case(trials, level, rng, ledger):
    chance = np.array([[0.52, 0.02], [0.06, 0.22], [0.12, 0.06]])  # answers by truths, as above
    costs, worth = np.array([[0, 10], [2, 0], [1, 1]]), np.array([[1, 0], [0, 1], [0.65, 0.65]])
    answers = np.array([[True, False], [False, True], [True, True]])
    asked = {"classes": [0, 1], "confidence_level": level, "in_order": True}
    by_class = (chance * costs).sum(axis=0) / chance.sum(axis=0)
    missed = []
    for _ in range(trials):
        cell = rng.choice(6, 400, p=chance.ravel())
        y, mask = cell % 2, answers[cell // 2]
        cost = certify_cost(y, mask, costs=COSTS, **asked)
        utility = certify_cost(y, mask, utility="u65", **asked)
        shares = certify_cost(y, mask, costs=COSTS, shares="any", **asked)
        missed.append(
            (
                cost.limits["cost"] < (chance * costs).sum(),
                utility.limits["utility"] > (chance * worth).sum(),
                any(one.bound < mean for one, mean in zip(shares.means, by_class, strict=True)),
            )
        )
    for what, hits in zip(
        (
            "certified cost lies below the true one, case by case",
            "certified utility lies above the true one, case by case",
            "cost certified for all class shares is broken at the worst of them, case by case",
        ),
        np.transpose(missed),
        strict=True,
    ):
        ledger.at_most(what, f"window, 400 cases, level {level:g}", hits, 1 - level)


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("trials", runs(30))
def test_costs_certified_for_all_class_shares(trials, k, level, rng, ledger):
    # Each trial is a world of its own: how the cases of each class are answered is drawn anew.
    costs = np.vstack([3.0 * np.arange(1, k + 1) * (1 - np.eye(k)), np.ones(k)])
    broken = []
    for _ in range(trials):
        sizes = rng.integers(30, 300, size=k)
        laws = np.array([rng.dirichlet(1 + 8 * np.append(np.eye(k)[y], 0.4)) for y in range(k)])
        table = np.column_stack(
            [rng.multinomial(m, law) for m, law in zip(sizes, laws, strict=True)]
        )
        found = certify_cost(
            SetCounts.from_confusion(table), costs=costs, shares="any", confidence_level=level
        )
        truth = (laws.T * costs).sum(axis=0)  # of each class
        bounds = np.array([one.bound for one in found.means])
        assert found.limits["cost"] == bounds.max()
        # It is broken for some shares where any class costs more than its bound.
        broken.append((bounds < truth).any())
    ledger.at_most(
        "cost certified for all class shares is broken at the worst of them",
        f"{k} classes, 30 to 300 cases each, level {level:g}",
        broken,
        1 - level,
    )


def hard_and_easy(rng, n):
    """Three classes, the last rare and underrated; rows of the second group are harder."""
    y = rng.choice(3, n, p=[0.5, 0.35, 0.15])
    group = rng.integers(2, size=n)
    z = rng.normal(size=(n, 3)) + np.where(group, 0.7, 2.0)[:, None] * np.eye(3)[y]
    z = z * np.where(group, 2.0, 1.0)[:, None] + 2 * np.log([0.5, 0.35, 0.15])
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return np.column_stack([p / p.sum(axis=1, keepdims=True), group]), y


@pytest.mark.parametrize(
    ("how", "part"),
    [
        ({}, "class"),
        ({"class_conditional": True}, "class"),
        ({}, "group"),
        ({"groups": 3}, "group"),
    ],
    ids=["plain-class", "conditional-class", "plain-group", "conditional-group"],
)
@pytest.mark.parametrize("trials", runs(15))
def test_conformal_sets_within_classes_and_groups(trials, how, part, rng, ledger):
    pytest.importorskip("mapie")
    model = ConformalClassifier(told(3, n_features=4), **how)
    held = []
    for _ in range(trials):
        model.fit(*hard_and_easy(rng, 400))
        X, y = hard_and_easy(rng, 1000)
        own = y == 2 if part == "class" else X[:, 3] == 1
        held.append(model.predict_set(X)[own, y[own]].mean())
    which = "the rare class" if part == "class" else "the hard group"
    kind = f"calibrated per {part}" if how else "calibrated together"
    ledger.mean(
        f"conformal sets hold the truth in {which}, {kind}",
        "3 classes, 400 cases to calibrate",
        held,
        "≥ 90 %" if how else "no promise",
        (0.9, 0.94) if how else (0.5, 0.89),
    )
