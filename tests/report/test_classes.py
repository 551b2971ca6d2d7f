"""Several classes: rules decide on the page as they do in the library."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.report.core import ask_core, ask_models, carried

import cautious
from cautious.costs import p_discounted
from cautious.curves import RiskCoverageCurve
from cautious.decision import Rule
from cautious.metrics import (
    MEASURES,
    SetCounts,
    bootstrap_interval,
    cautious_confusion_matrix,
    per_sample,
    utility_score,
)
from cautious.metrics._mean_intervals import ChosenCounts, chosen_interval

CLASSES = ["ash", "birch", "cedar", "elm"]
COSTS = [[0, 4, 6, 9], [2, 0, 3, 5], [5, 1, 0, 2], [8, 7, 2, 0], [1, 1, 1, 1]]
RULES = {
    "confidence": {"kind": "confidence", "threshold": 0.5},
    "class thresholds": {"kind": "class_thresholds", "thresholds": [0.3, 0.6, 0.45, 0.9]},
    "costs": {"kind": "costs", "costs": COSTS},
    "sets": {"kind": "sets", "utility": 0.65},
    "cost sets": {"kind": "cost_sets", "costs": COSTS, "reward": 0.6},
    "bold cost sets": {"kind": "cost_sets", "costs": COSTS, "reward": 0},
    "warier cost sets": {"kind": "cost_sets", "costs": COSTS, "reward": 0.3},
}


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=500)
    z = rng.normal(size=(500, 4))
    z[np.arange(500), truth] += 1.3
    p = np.exp(z)
    whole = np.rint(p / p.sum(axis=1, keepdims=True) * 65535)
    return np.array(CLASSES)[truth], whole / whole.sum(axis=1, keepdims=True)


def rule_of(kind):
    given = RULES[kind]
    if kind == "confidence":
        return Rule.confidence(given["threshold"], classes=CLASSES)
    if kind == "class thresholds":
        return Rule.class_thresholds(given["thresholds"], classes=CLASSES)
    if kind == "costs":
        import pandas as pd

        table = pd.DataFrame(COSTS, index=[*CLASSES, "abstain"], columns=CLASSES)
        return Rule.class_thresholds(np.zeros(4), classes=CLASSES, costs=table)
    if "reward" in given:
        costs = p_discounted(COSTS[:4], given["reward"], classes=CLASSES)
        return Rule.set_costs(costs, classes=CLASSES)
    return Rule.utility("u65", classes=CLASSES)


@pytest.mark.parametrize("seed", range(5))
def test_ties_of_costs_go_as_in_the_library(seed):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 8, size=(5, 4))
    costs[np.arange(4), np.arange(4)] = 0
    p = rng.multinomial(5, np.full(4, 0.25), size=200) / 5  # fifths travel to the page unrounded
    y = np.array(CLASSES)[np.arange(200) % 4]
    found = ask_models(
        """return core.answerCases(models[0], classes, given.rule);""",
        {"m": {"y_true": y, "y_proba": p, "classes": CLASSES}},
        rule={"kind": "costs", "costs": costs.tolist()},
    )
    mask = Rule.class_thresholds([0] * 4, classes=CLASSES, costs=costs).predict_set(p)
    table = cautious_confusion_matrix(y, mask, classes=CLASSES, partial="answer").to_numpy()
    assert found["confusion"]["counts"][:4] == table[:4].tolist()


@pytest.mark.parametrize("kind", RULES)
def test_every_rule_abstains_without_probabilities(kind):
    p = np.array([[0.97, 0.01, 0.01, 0.01], [np.nan] * 4, [0.01, 0.97, 0.01, 0.01]])
    given = {"y_true": CLASSES[:3], "y_proba": p, "classes": CLASSES}
    found = ask_models(
        """return core.answerCases(models[0], classes, given.rule);""",
        {"m": given},
        {"missing": "abstain"},
        rule=RULES[kind],
    )
    assert (found["n"], found["of"]) == (3, 3)
    assert found["abstention"]["value"] == pytest.approx(
        rule_of(kind).predict_set(p).all(axis=1).mean()
    )


@pytest.mark.parametrize("kind", RULES)
def test_a_rule_decides_as_in_the_library(kind, drawn):
    y, p = drawn
    found = ask_models(
        """return core.answerCases(models[0], classes, given.rule, { costs: given.costs });""",
        {"m": {"y_true": y, "y_proba": p, "classes": CLASSES}},
        rule=RULES[kind],
        costs=COSTS,
    )
    mask = rule_of(kind).predict_set(p)
    single, held = mask.sum(axis=1) == 1, mask[np.arange(500), [CLASSES.index(c) for c in y]]
    full = mask.all(axis=1)
    assert (found["n"], found["of"]) == (500, 500)
    assert found["abstention"]["value"] == pytest.approx(full.mean())
    assert found["selectiveError"]["value"] == pytest.approx(1 - held[single].mean())
    assert found["containment"]["value"] == pytest.approx(
        MEASURES["containment"].score(y, mask, classes=CLASSES)
    )
    table = cautious_confusion_matrix(y, mask, classes=CLASSES, partial="answer").to_numpy()
    assert np.sum(found["confusion"]["counts"]) == 500
    assert found["confusion"]["counts"][:4] == table[:4].tolist()
    codes = np.array([CLASSES.index(c) for c in y])
    answer = np.where(single, mask.argmax(axis=1), 4)
    losses = np.array(COSTS, dtype=float)[answer, codes]
    if "cost sets" in kind:
        losses = rule_of(kind).costs.of(mask)[np.arange(500), codes]
    assert found["cost"]["value"] == pytest.approx(losses.mean())
    check_interval(found["cost"], losses)
    held_by_class = np.bincount(codes, held)
    assert [sums[3] for sums in found["by_class"]] == held_by_class.tolist()


def check_interval(found, losses):
    """Score limits of what was paid; what nobody paid may be paid, too."""
    values = np.unique([*losses, *np.ravel(COSTS)])
    counts = (losses[:, None] == values).sum(axis=0)
    wanted = chosen_interval([ChosenCounts(1.0, values, counts, counts)], 0.95)
    ends = [wanted.estimate, wanted.low, wanted.high]
    assert [found["value"], found["low"], found["high"]] == pytest.approx(ends, abs=1e-9)


@pytest.mark.parametrize("kind", ["costs", "cost sets", "bold cost sets"])
def test_answers_as_given_cost_what_they_cost_case_by_case(kind, drawn):
    y, p = drawn
    given = {"m": {"y_true": y, "y_proba": p, "classes": CLASSES}}
    sets = p >= 0.3
    sets[:, 0] |= ~sets.any(axis=1)
    given["wide"] = {"y_true": y, "y_set": sets, "classes": CLASSES}
    given["bare"] = RiskCoverageCurve.from_predictions(y, p, classes=CLASSES)
    found = ask_models(
        """return models.map((model) => [model.name, core.costOfAnswers(model, given.rule)]);""",
        given,
        rule=RULES[kind],
    )
    masks = {"m, u65 sets": rule_of("sets").predict_set(p), "wide": sets}
    masks["m"] = p == p.max(axis=1, keepdims=True)
    codes, seen = np.array([CLASSES.index(c) for c in y]), dict(found)
    assert seen["bare"] is None  # nobody knows what its wrong answers were
    for name, mask in masks.items():
        answer = np.where(mask.sum(axis=1) == 1, mask.argmax(axis=1), 4)
        losses = np.array(COSTS, dtype=float)[answer, codes]
        if kind != "costs":
            losses = rule_of(kind).costs.of(mask)[np.arange(500), codes]
        check_interval(seen[name], losses)


@pytest.mark.parametrize("n", [400, 3000])
def test_the_most_useful_model_is_told_apart_case_by_case(n):
    rng = np.random.default_rng(2)
    truth = rng.integers(4, size=n)
    z = rng.normal(size=(n, 4))
    z[np.arange(n), truth] += 1.3
    sets = {"wide": z >= z.max(axis=1, keepdims=True) - 1}
    noisy = z + 0.2 * rng.normal(size=z.shape)
    sets["alike"] = noisy >= noisy.max(axis=1, keepdims=True) - 1
    sets["poor"] = rng.random((n, 4)) < 0.5
    sets["poor"][:, 0] |= ~sets["poor"].any(axis=1)
    labels = np.array(CLASSES)[truth]
    given = {
        name: {"y_true": labels, "y_set": mask, "classes": CLASSES} for name, mask in sets.items()
    }
    found = ask_models(
        """const means = models.map((model) => core.meanUtility(model, 0.65).mean);
        return core.worthVerdict(models, means, 0.65);""",
        given,
    )
    each = {
        name: np.asarray(per_sample(utility_score)(labels, mask, classes=CLASSES, utility="u65"))
        for name, mask in sets.items()
    }
    means = [one.mean() for one in each.values()]
    assert found["best"] == np.argmax(means) < 2
    best = list(sets)[found["best"]]
    for one in found["differences"]:
        name = list(sets)[one["second"]]
        gap = each[best] - each[name]
        assert one["paired"]
        assert one["value"] == pytest.approx(gap.mean())
        half = stats.t.ppf(1 - 0.025 / 2, n - 1) * gap.std(ddof=1) / n**0.5
        if n == 400:  # every case is known
            ends = one["low"], one["high"]
            assert ends == pytest.approx((gap.mean() - half, gap.mean() + half), abs=1e-9)
            boot = bootstrap_interval(
                labels,
                sets[best],
                sets[name],
                measure="u65",
                classes=CLASSES,
                confidence_level=1 - 0.05 / 2,
                n_resamples=400,
            )
            assert boot.high - boot.low == pytest.approx(2 * half, rel=0.25)
        else:
            assert (one["high"] - one["low"]) / 2 == pytest.approx(half, rel=0.2)
    assert [one["distinct"] for one in found["differences"]] == [False, True]
    assert found["rivals"] == [1 - found["best"]]


def test_models_of_which_only_counts_are_known_are_not_paired(drawn):
    y, p = drawn
    mask = p >= p.max(axis=1, keepdims=True) - 0.2
    counts = SetCounts.from_predictions(y, mask, classes=CLASSES)
    found = ask_models(
        """const means = models.map((model) => core.meanUtility(model, 0.65).mean);
        return core.worthVerdict(models, means, 0.65);""",
        {"a": counts, "b": {"y_true": y, "y_set": mask, "classes": CLASSES}},
    )
    (one,) = found["differences"]
    assert not one["paired"]
    assert one["value"] == 0
    assert found["rivals"] == [one["second"]]


def test_many_cases_are_shown_by_a_part_of_them():
    rng = np.random.default_rng(1)
    y, p = rng.integers(26, size=4000), rng.dirichlet(np.ones(26), 4000)
    (problem,) = carried({"m": {"y_true": y, "y_proba": p, "classes": range(26)}})
    found = ask_core(
        "const [{ models }] = core.unpackProblems(given); return models.map(core.sampleOf)",
        [problem],
    )
    assert found == [{"n": 461, "of": 4000}, None, None]


def test_weights_make_no_interval_narrower():
    """Ten rows say as much as ten rows, whatever their weights add up to."""
    light, heavy = ask_core(
        "return given.map((sizes) => core.meanUtility({ sizes, n: 10 }, 0.65))",
        [[[1, 6, 4]], [[1, 600, 400]]],
    )
    assert heavy == pytest.approx(light)
    assert light["high"] - light["mean"] == pytest.approx(1.96 * np.sqrt(0.24 / 10), rel=1e-4)


def grouped(drawn, weighted):
    y, p = drawn
    rng = np.random.default_rng(3)
    given = {"y_true": y, "y_proba": p, "classes": CLASSES}
    given["groups"] = rng.choice(["north", "south", "west", ""], 500, p=[0.4, 0.3, 0.2, 0.1])
    return given | ({"sample_weight": rng.integers(1, 4, size=500)} if weighted else {})


def equal_groups(found, expected, given):
    """As ``cautious evaluate --group`` shows them; of weighted rows also how many there are."""
    assert {one["group"] or "(none)" for one in found} == set(expected.index)
    assert [one["n"] for one in found] == sorted((one["n"] for one in found), reverse=True)
    for one in found:
        row = expected.loc[one["group"] or "(none)"]
        assert one["n"] == (given["groups"] == one["group"]).sum()
        assert one["weight"] == row["n"]
        assert one["single"]["value"] == pytest.approx(row["coverage"])
        assert one["wrong"]["value"] == pytest.approx(1 - row["selective_accuracy"])
        assert one["meanSize"] == pytest.approx(row["mean_set_size"])
        if "sample_weight" not in given:
            single = round(row["coverage"] * row["n"])
            parts = {"single": (single, row["n"]), "wrong": (row["error"] * row["n"], single)}
            for key, (k, n) in parts.items():
                ends = stats.binomtest(round(k), int(n)).proportion_ci(method="wilson")
                assert (one[key]["low"], one[key]["high"]) == pytest.approx(tuple(ends))


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_are_those_of_an_evaluation(drawn, weighted):
    given = grouped(drawn, weighted)
    found = ask_models(
        """const ruled = core.answerCases(models[0], classes, given.rule);
        return [...models, ruled].map((model) => core.setGroups(model));""",
        {"m": given},
        rule=RULES["class thresholds"],
    )
    rules = [None, "u65", "u80", rule_of("class thresholds")]
    for groups, rule in zip(found, rules, strict=True):
        made = Rule.utility(rule, classes=CLASSES) if isinstance(rule, str) else rule
        expected = cautious.evaluate({"m": given}, rule=made).by_group["m"]
        equal_groups(groups, expected, given)


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_of_sets_that_a_file_brings_are_the_same(drawn, weighted):
    given = grouped(drawn, weighted)
    sets = given["y_proba"] >= 0.3
    sets[:, 0] |= ~sets.any(axis=1)
    found = ask_core(
        """const { classes, codes, sets, weight, group } = given,
          model = { name: "m", rows: [...codes.keys()], classes, codes, weight, group };
        const [{ models }] = core.problemsOf([{ ...model, sets: (row) => sets[row] }]);
        return core.setGroups(models[0]);""",
        {
            "classes": CLASSES,
            "codes": [CLASSES.index(label) for label in given["y_true"]],
            "sets": [np.flatnonzero(one) for one in sets],
            "weight": given.get("sample_weight"),
            "group": given["groups"].tolist(),
        },
    )
    given = {**given, "y_set": sets}
    del given["y_proba"]
    equal_groups(found, cautious.evaluate({"m": given}).by_group["m"], given)


def test_patients_are_no_groups_to_show(drawn):
    y, p = drawn
    patient = np.arange(500) // 2
    given = {"y_true": y, "y_proba": p, "classes": CLASSES, "groups": patient}
    (problem,) = carried({"m": given})
    assert not any("groups" in model for model in problem["models"])
    assert all("groups" not in table for table in problem["tables"])


def test_of_many_groups_the_largest_are_carried(drawn):
    y, p = drawn
    group = np.concatenate([np.arange(130), np.arange(130), np.full(240, 999)])
    y = np.where(np.arange(500) < 5, "elm", np.where(y == "elm", "ash", y))  # few have an elm
    given = {"y_true": y, "y_proba": p, "classes": CLASSES, "groups": group}
    (problem,) = carried({"m": given})
    shown = problem["models"][0]["groups"]
    assert (len(shown), shown[0]["group"], shown[0]["n"]) == (100, "999", 240)
