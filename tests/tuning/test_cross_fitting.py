"""What a tuned rule is said to do on new cases, against brute force and against the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.tuning.fits import COSTS, cross_fit_of, cross_fitted, draw, search_of

import cautious
from cautious.errors import InputError
from cautious.tuning import find_rule
from cautious.tuning._cross_fitting import CrossFit, TooFewCases
from cautious.tuning._goal import Goal

QUANTITIES = ("cost", "abstention", "error", "selective_error")
THREE = np.array([[0, 2, 4], [1, 0, 3], [5, 2, 0], [1, 1, 1.0]])


def three_classes(rng, n=150):
    y = np.concatenate([np.repeat(np.arange(3), 35), rng.integers(3, size=n - 105)])
    logits = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y]
    return y, np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "goal",
    [{"costs": {"false_negative": 10, "false_positive": 2, "abstain": 1}}, {"max_error": 0.01}],
)
@pytest.mark.parametrize("end", [-np.inf, np.inf])
def test_an_answer_that_is_never_given_is_given_to_no_infinite_score(goal, end):
    y = np.array([0, 1] * 40)
    score = np.array([end, 1.0] * 20 + [end, end] * 20) * np.where(end < 0, 1, y * 2 - 1)
    rule = find_rule(y, y_score=score, **goal).rule
    found = cross_fitted(y, y_score=score, **goal)
    answered = 1 - rule.predict_set(score).all(axis=1).mean()
    assert found.abstention.low <= 1 - answered <= found.abstention.high
    if "costs" in goal:
        seen = find_rule(y, y_score=score, **goal).cost
        assert found.cost.low <= seen <= found.cost.high


def by_brute_force(y, values, folds, losses, weight, **goal):
    """Choose on nine tenths, measure on the rest, average: with nothing but ``find_rule``.

    The cost is that mean. The rule of all cases gives each answer as often as it does on them, and
    it is as often wrong as the others' is.
    """
    name = "y_score" if values.ndim == 1 else "y_proba"
    k = losses.shape[1] - 1
    spent, answered, wrongs = 0.0, np.zeros(k), np.zeros(k)
    costs = goal.pop("costs", None)
    whole = find_rule(y, **{name: values}, sample_weight=weight, costs=costs, **goal).rule
    sets = whole.predict_set(values)
    given = ~sets.all(axis=1)
    for row in folds:
        for number in np.unique(row):
            seen, out = row != number, row == number
            own = costs
            if isinstance(costs, dict):
                own = {k: v[seen] if np.ndim(v) else v for k, v in costs.items()}
            found = find_rule(
                y[seen], **{name: values[seen]}, sample_weight=weight[seen], costs=own, **goal
            )
            shown = found.rule.predict_set(values[out])
            abstained = shown.all(axis=1)
            answer = np.where(abstained, k, shown.argmax(axis=1))
            wrong = ~abstained & (answer != y[out])
            cost = losses[out][np.arange(out.sum()), answer]
            spent += weight[out] @ cost
            answered += np.bincount(answer, weight[out], minlength=k + 1)[:k]
            wrongs += np.bincount(answer, weight[out] * wrong, minlength=k + 1)[:k]
    own = np.bincount(sets.argmax(axis=1), weight * given, minlength=k)
    error = own @ (wrongs / answered) / weight.sum()
    coverage = weight @ given / weight.sum()
    return spent / len(folds) / weight.sum(), 1 - coverage, error, error / coverage


def losses_of(y, false_negative, false_positive, abstain):
    silent = np.broadcast_to(abstain, y.shape)
    return np.column_stack([false_negative * y, false_positive * (1 - y), silent])


@pytest.mark.parametrize(
    "kind", ["costs", "per case", "table of three", "budget", "budget of three"]
)
def test_equal_to_brute_force(kind):
    rng = np.random.default_rng(5)
    if "three" in kind:
        y, values = three_classes(rng)
        losses = THREE.T[y]
        goal = {"costs": THREE} if kind == "table of three" else {"max_abstention": 0.2}
    else:
        y, values = draw(rng, 120, 1.5)
        values = np.round(values, 1)
        goal = {"costs": COSTS[0]}
        if kind == "per case":
            goal["costs"] = COSTS[0] | {"false_negative": rng.integers(5, 40, size=120)}
        losses = losses_of(y, **goal["costs"])
        if kind == "budget":
            goal = {"max_error": 0.1}
    weight = rng.integers(1, 4, size=len(y)).astype(float)
    folds = rng.integers(10, size=(2, len(y)))
    wanted = by_brute_force(y, values, folds, losses, weight, **goal)
    name = "y_score" if values.ndim == 1 else "y_proba"
    found = cross_fitted(y, **{name: values}, sample_weight=weight, folds=folds, **goal)
    for key, value in zip(QUANTITIES, wanted, strict=True):
        if key != "cost" or "costs" in goal:
            one = getattr(found, key)
            assert one.estimate == pytest.approx(value), key
            assert one.low <= one.estimate <= one.high
    assert (found.cost is None) == ("costs" not in goal)


@pytest.mark.parametrize("ties", [0, 1, 4])
@pytest.mark.parametrize("kind", ["plain", "weights", "priors", "groups"])
def test_windows_without_a_fold_are_those_of_the_hull(kind, ties):
    """Windows of all folds come from one sort; on equal costs both decide alike."""
    rng = np.random.default_rng([ties, len(kind)])
    for _ in range(15):
        n = int(rng.integers(80, 300))
        y = np.append(np.repeat([0, 1], 10), rng.integers(2, size=n - 20))
        score = np.round(rng.normal(size=n) + y, ties)
        fold = rng.integers(5, size=n)
        given = {
            "weights": {"sample_weight": rng.choice([0.5, 1, 2.3], size=n)},
            "priors": {"priors": (0.7, 0.3)},
            "groups": {"groups": fold},  # a fold of neighbours
        }.get(kind, {})
        fold = (score > 0).astype(int) + fold if kind == "groups" else fold
        price = float(rng.choice([0, 0.3, 1, 2.5]))
        costs = {"false_negative": 3, "false_positive": float(rng.integers(1, 6)), "abstain": price}
        search = search_of(y, Goal(costs, priors=given.pop("priors", None)), y_score=score, **given)
        answers, table = search.held_out(fold), search.costs.answer_values()
        for number in np.unique(fold):
            window = search.surface(fold != number).cheapest_window(table)
            expected = search.answered(window.lower, window.upper)
            assert np.array_equal(answers[fold == number], expected[fold == number])


def test_probabilities_labels_and_priors_change_nothing_they_should_not():
    rng = np.random.default_rng(3)
    y, score = draw(rng, 200, 2.0)
    p = 1 / (1 + np.exp(-score))
    plain = cross_fitted(y, y_score=p, costs=COSTS[0])
    named = np.array(["well", "ill"])[y]
    other = cross_fitted(
        named, y_proba=np.column_stack([p, 1 - p]), classes=["ill", "well"], pos_label="ill",
        costs=COSTS[0],
    )  # fmt: skip
    assert other.frame().to_numpy() == pytest.approx(plain.frame().to_numpy())
    same = cross_fitted(y, y_score=p, costs=COSTS[0], priors=[1 - y.mean(), y.mean()])
    # The parts that rules are chosen on have nearly these shares themselves.
    assert same.frame().to_numpy() == pytest.approx(plain.frame().to_numpy(), abs=0.02)
    twice = cross_fitted(y, y_score=p, costs=COSTS[0], sample_weight=np.full(200, 2.0))
    assert twice.frame().to_numpy() == pytest.approx(plain.frame().to_numpy())
    rare = cross_fitted(y, y_score=p, costs=COSTS[0], priors=[0.95, 0.05])
    assert rare.cost.estimate < plain.cost.estimate


def test_cases_without_weight_are_not_seen():
    rng = np.random.default_rng(4)
    y, score = draw(rng, 160, 1.5)
    weight = np.where(np.arange(160) % 4, 1.0, 0.0)
    folds = rng.integers(10, size=(1, 160))
    kept = weight > 0
    some = cross_fitted(
        y, y_score=score, sample_weight=weight, folds=folds[:, kept], costs=COSTS[0]
    )
    alone = cross_fitted(y[kept], y_score=score[kept], folds=folds[:, kept], costs=COSTS[0])
    assert some.frame().to_numpy() == pytest.approx(alone.frame().to_numpy())


def test_groups_are_kept_together():
    """Copies of each case in other folds would let the rule be chosen on what it is measured on."""
    rng = np.random.default_rng(6)
    y, score = draw(rng, 100, 1.2)
    copies = np.repeat(np.arange(100), 3)
    once = cross_fitted(y, y_score=score, costs=COSTS[0])
    kept = cross_fitted(y[copies], y_score=score[copies], groups=copies, costs=COSTS[0])
    apart = cross_fitted(y[copies], y_score=score[copies], costs=COSTS[0])
    apparent = find_rule(y, y_score=score, costs=COSTS[0]).cost
    assert kept.cost.estimate == pytest.approx(once.cost.estimate, rel=0.1)
    assert apart.cost.estimate - apparent < 0.6 * (kept.cost.estimate - apparent)
    width, narrow = (one.cost.high - one.cost.low for one in (kept, apart))
    assert width > 1.3 * narrow


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_perfect_scores_promise_no_perfection(level):
    y = np.repeat([0, 1], 40)
    found = cross_fitted(y, y_score=y + 0.0, costs=COSTS[0], confidence_level=level)
    assert found.error.estimate == found.cost.estimate == 0
    unseen = stats.norm.ppf((1 + level) / 2) ** 2
    assert found.error.high == pytest.approx(unseen / (80 + unseen))  # Wilson's
    assert found.cost.high == pytest.approx(20 * found.error.high)  # all false negatives
    silent = cross_fitted(
        y, y_score=np.zeros(80), costs={"false_negative": 9, "false_positive": 9, "abstain": 1}
    )
    # Whatever the score of a new case, this rule abstains.
    told = silent.frame().loc[["abstention", "cost", "error", "saving"]].to_numpy()
    assert told == pytest.approx(np.repeat([[1], [1], [0], [0]], 3, axis=1))
    assert np.isnan(silent.selective_error.estimate)


def test_answers_without_a_mistake_are_counted_by_themselves():
    """Of 100 cases 60 are answered, all rightly: as if there were 60 cases."""
    y = np.concatenate([np.repeat([0, 1], 30), np.arange(40) % 2])
    score = np.concatenate([np.repeat([0.0, 2.0], 30), np.ones(40)])
    found = cross_fitted(y, y_score=score, costs=COSTS[0]).selective_error
    assert found.estimate == found.low == 0
    wilson = stats.binomtest(0, 60).proportion_ci(method="wilson")
    assert found.high == pytest.approx(wilson.high)


@pytest.mark.parametrize("grouped", [False, True])
def test_one_answer_to_all_errs_as_often_as_a_binomial(grouped):
    """Its mistakes vary with the shares of the classes, unless these are given."""
    y = np.repeat([0, 1], [267, 116])
    costs = {"false_negative": 1, "false_positive": 1, "abstain": 0.45}
    given = {"y_score": np.zeros(383), "costs": costs}
    if grouped:  # pairs, all but three of one class: half as many draws
        given["groups"] = np.arange(383) // 2
    found = cross_fitted(y, **given)
    n = 192 if grouped else 383
    wanted = stats.binomtest(round(n * 116 / 383), n).proportion_ci(method="wilson")
    for one in (found.error, found.selective_error, found.cost):
        assert one.estimate == pytest.approx(116 / 383)
        assert (one.low, one.high) == pytest.approx((wanted.low, wanted.high), abs=0.006)
        assert one.high - one.low >= 0.99 * (wanted.high - wanted.low)
    if not grouped:
        known = cross_fitted(y, **given, priors=[0.7, 0.3])
        assert known.error.estimate == pytest.approx(0.3)
        assert known.error.high - known.error.low < 0.02


def test_refusals():
    y = np.repeat([0, 1], [29, 60])
    score = np.arange(89.0)
    with pytest.raises(TooFewCases, match="too few cases of class '0': 29; 30 are needed"):
        cross_fitted(y, y_score=score, max_abstention=0.2)
    y = np.repeat([0, 1], 40)
    with pytest.raises(TooFewCases, match="too few groups with class '0': 4; 10 are needed"):
        cross_fitted(y, y_score=score[:80], groups=np.arange(80) // 10, max_abstention=0.2)
    with pytest.raises(InputError, match="n_repeats is 0"):
        cross_fitted(y, y_score=score[:80], max_abstention=0.2, n_repeats=0)


def test_intervals_are_about_the_found_rule():
    """Where abstaining hardly pays, it answers everything, and rules of like cases do not."""
    rng = np.random.default_rng(11)
    costs = {"false_negative": 1.0, "false_positive": 1.0, "abstain": 0.45}
    differ = 0
    for _ in range(8):
        y, score = draw(rng, 150, 0.0)
        rule = find_rule(y, y_score=score, costs=costs)
        found = cross_fitted(y, y_score=score, costs=costs)
        assert found.abstention.estimate == pytest.approx(rule.abstention)
        answered = 1 - found.abstention.estimate
        assert found.error.estimate == pytest.approx(found.selective_error.estimate * answered)
        for quantity in ("error", "selective_error"):
            one, seen = getattr(found, quantity), getattr(rule, quantity)
            assert one.low <= min(one.estimate, seen) <= max(one.estimate, seen) <= one.high
        fit = cross_fit_of(y, y_score=score, costs=costs)
        differ += rule.abstention == 0 and (fit.held_out == 2).any()
        # What the true rule does, given that scores say nothing about the class.
        truth = stats.norm.cdf(rule.rule.upper) - stats.norm.cdf(rule.rule.lower)
        assert found.abstention.low <= truth <= found.abstention.high
    assert differ >= 3


def test_few_mistakes_may_be_rare_by_chance():
    """The variance of a single mistake says little, so the interval is as for one not seen."""
    y = np.repeat([0, 1], [65, 35])
    score = np.where(np.arange(100) == 0, 20.0, 10.0 * y + np.arange(100) / 1000)
    costs = {"false_negative": 20.0, "false_positive": 4.0, "abstain": 1.0}
    one = cross_fitted(y, y_score=score, costs=costs).cost
    unseen = 1 - 0.025 ** (1 / 100)
    most = 0.35 * 20 + 0.65 * 4
    assert one.high >= one.estimate + unseen * (most - one.estimate) - 1e-12
    assert one.estimate > 0


def test_tuning_says_what_to_expect():
    rng = np.random.default_rng(7)
    y, score = draw(rng, 200, 1.2)
    found = cautious.tune({"m": (y, score)}, costs=COSTS[0])
    expected, apparent = found.expected["m"], found.found["m"]
    assert expected == cross_fitted(y, y_score=score, costs=COSTS[0])
    assert expected.cost.low < expected.cost.estimate < expected.cost.high
    assert expected.cost.estimate > apparent.cost
    row = found.frame().loc["m"]
    assert (row["cost"], row["cost_low"]) == (expected.cost.estimate, expected.cost.low)
    assert row["apparent_cost"] == apparent.cost
    assert f"Expected on new cases: cost {expected.cost.estimate:.4f} (" in str(found)
    document = found.to_dict()["models"]["m"]
    assert document["cost"] == apparent.cost
    assert document["expected"]["cost"]["high"] == expected.cost.high
    assert "These are 95 % intervals." in str(found)
    bold = cautious.tune({"m": (y, score)}, costs=COSTS[0], confidence_level=0.8)
    assert "These are 80 % intervals." in str(bold)
    assert bold.expected["m"].cost.confidence_level == 0.8
    fast = cautious.tune({"m": (y, score)}, costs=COSTS[0], honest=False)
    assert not fast.expected
    assert fast.rule == found.rule
    assert "chosen on; new ones will be worse" in str(fast)
    assert "cost" not in fast.frame()


def test_tuning_on_few_cases_says_so():
    found = cautious.tune({"m": ([0, 1] * 20, np.arange(40.0))}, max_error=0.1)
    assert not found.expected
    wanted = "'m': nothing is said about new cases: too few cases of class '0': 20; 30 are needed"
    assert wanted in map(str, found.notes)


def test_a_case_that_holds_most_of_all_amounts_is_said():
    y, score = draw(np.random.default_rng(3), 200, 1.5)
    amounts = np.where(np.arange(200) == np.argmax(y), 2000.0, 10.0)
    for most, said in ((amounts, True), (np.full(200, 10.0), False)):
        found = cautious.tune({"m": (y, score)}, costs=COSTS[0] | {"false_negative": most})
        assert any("one case holds" in str(note) for note in found.notes) == said


def test_tuning_keeps_groups_together_if_there_are_many():
    rng = np.random.default_rng(8)
    y, score = draw(rng, 120, 1.2)
    for size, kept in ((2, True), (40, False)):
        groups = np.arange(120) // size
        data = {"m": {"y_true": y, "y_score": score, "groups": groups}}
        found = cautious.tune(data, costs=COSTS[0])
        wanted = cross_fitted(y, y_score=score, costs=COSTS[0], groups=groups if kept else None)
        assert found.expected["m"] == wanted


def test_shares_among_answers_with_given_class_shares():
    """They vary as the delta method says, where cases are many; a rare class is seen as often."""
    y, score = draw(np.random.default_rng(10), 20_000, 2.0)
    search = search_of(y, Goal(COSTS[0], priors=(0.9, 0.1)), y_score=score)
    answer = search.answered(0.5, 1.5)
    found = CrossFit(search, None, answer[None], answer, answer[None], None).expected(0.95)
    n = np.bincount(y)
    hit, alarm = ((answer == 1)[y == label].mean() for label in (1, 0))
    share = 0.1 * hit / (0.1 * hit + 0.9 * alarm)
    error = share * (1 - share) * np.hypot(*np.sqrt([(1 / hit - 1) / n[1], (1 / alarm - 1) / n[0]]))
    assert found.ppv.estimate == pytest.approx(share)
    assert found.ppv.high - found.ppv.low == pytest.approx(2 * 1.96 * error, rel=0.01)


def test_answers_are_as_often_right_as_held_out_ones():
    """Each answer by itself, as often as it is given; where it never was, as on own cases."""
    y = np.repeat([0, 1], 40)
    search = search_of(y, Goal(COSTS[0]), y_score=np.arange(80.0))
    own, other = np.full(80, 2), np.full(80, 2)
    own[:5], own[10:20], other[30:45] = 1, 0, 0
    found = CrossFit(search, None, own[None], own, other[None], None).expected(0.95)
    wilson = stats.binomtest(0, 5).proportion_ci(method="wilson")
    assert (found.ppv.estimate, found.ppv.high) == (0, pytest.approx(wilson.high))
    known = replace(search, priors=np.array([0.5, 0.5]))
    same = CrossFit(known, None, own[None], own, other[None], None).expected(0.95)
    assert (same.ppv.estimate, same.ppv.high) == (0, pytest.approx(wilson.high, abs=0.01))
    assert found.npv.estimate == pytest.approx(10 / 15)
    assert found.error.estimate == pytest.approx((5 + 10 * 5 / 15) / 80)
    assert found.selective_error.estimate == pytest.approx((5 + 10 * 5 / 15) / 15)
