"""Rules decide as the functions do, survive JSON, and refuse everything that is no rule."""

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    as_costs,
    class_selective,
    discounted,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.decision import (
    Rule,
    chow_rule,
    class_threshold_rule,
    optimal_sets,
    threshold_rule,
)
from cautious.decision._rule_json import (
    exchange_details,
    rules_from_json,
    rules_to_json,
    score_bins,
)
from cautious.decision.optimal._solver import preferred_answers
from cautious.errors import InputError
from cautious.tuning import find_rule
from cautious.utility import exponential, u65

CLASSES = ["a", "b", "c"]
P = np.random.default_rng(0).dirichlet([0.7] * 3, size=60)
TABLE = [[0, 4, 2], [1, 0, 2], [4, 4, 0], [0.5, 0.75, 0.5]]
RULES = {
    "window": Rule.window(0.2, 0.7, classes=["no", "yes"], model="tree", data={"n": 3}),
    "open window": Rule.window(-np.inf, np.inf, classes=[0, 1]),
    "acceptance": Rule.acceptance(0.75, model="gpt", columns={"score": "verbal"}),
    "confidence": Rule.confidence(0.5, classes=CLASSES),
    "class thresholds": Rule.class_thresholds([0.5, 0.25, np.inf], classes=CLASSES),
    "class thresholds with costs": Rule.class_thresholds(
        [0.0, -0.25, 0.125], classes=CLASSES, costs=TABLE, certificate={"max_error": 0.05}
    ),
    "utility": Rule.utility("u65", classes=CLASSES),
    "exponential utility": Rule.utility(exponential(2.5), classes=CLASSES),
    "answers": Rule.set_costs(TABLE, classes=CLASSES),
    "power mean": Rule.set_costs(p_discounted(ordinal(3), p=(-np.inf, 1.5)), classes=CLASSES),
    "owa": Rule.set_costs(owa(ordinal(3), 0.75), classes=CLASSES),
    "abellan masegosa": Rule.set_costs(abellan_masegosa(ordinal(3)), classes=CLASSES),
    "class selective": Rule.set_costs(class_selective([1, 2, 4], 0.25), classes=CLASSES),
    "size": Rule.set_costs(utility_costs(3, u65), classes=CLASSES),
    "table": Rule.set_costs(
        SetCosts.from_table(discounted(zero_one(3), classes=CLASSES).table()), classes=CLASSES
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_survives_json_and_decides_the_same(name, tmp_path):
    rule = RULES[name]
    path = tmp_path / "rule.json"
    text = rule.to_json(path)
    assert path.read_text(encoding="utf-8") == text
    for source in (text, path, str(path)):
        again = Rule.from_json(source)
        assert again == rule
        assert again.to_json() == text
        scores = P if rule.n_classes == 3 else P[:, 0]
        assert np.array_equal(again.predict_set(scores), rule.predict_set(scores))
    assert json.loads(text)["schema"] == "cautious.rule/1"
    assert rule.describe().endswith(".")
    assert repr(rule).startswith(f"Rule.{rule.kind}(")


def test_rules_decide_as_the_functions_do():
    scores = np.array([0.1, 0.2, 0.5, 0.7, 0.9])
    two = np.column_stack([1 - scores, scores])
    window = Rule.window(0.2, 0.7, classes=["no", "yes"])
    sides = np.column_stack([scores < 0.7, scores > 0.2])
    assert np.array_equal(window.predict_set(scores), sides)
    assert np.array_equal(window.predict_set(two), sides)
    half = Rule.confidence(0.6, classes=["no", "yes"])
    assert np.array_equal(half.predict_set(scores), threshold_rule(two, 0.6))
    assert np.array_equal(RULES["confidence"].predict_set(P), threshold_rule(P, 0.5))
    wanted = class_threshold_rule(P, [0.5, 0.25, np.inf])
    assert np.array_equal(RULES["class thresholds"].predict_set(P), wanted)
    assert np.array_equal(RULES["utility"].predict_set(P), optimal_sets(P, "u65"))
    chow = chow_rule(P, TABLE[-1], TABLE[:-1])
    assert np.array_equal(RULES["answers"].predict_set(P), chow)
    zero = Rule.class_thresholds([0, 0, 0], classes=CLASSES, costs=TABLE)
    assert np.array_equal(zero.predict_set(P), chow)


@pytest.mark.parametrize("classes", [["no", "yes"], ["yes", "no"], ["a", "b"]])
def test_costs_by_name_are_about_the_positive_class_of_the_rule(classes):
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    for rule in (
        Rule.window(0.3, 0.7, classes=classes, costs=costs),
        Rule.class_thresholds([0.1, 0.2], classes=classes, costs=costs),
    ):
        assert rule.pos_label == classes[1]
        assert rule.costs.answers.to_numpy().tolist() == [[0, 10], [2, 0], [1, 1]]


def test_a_missing_score_abstains_and_is_counted():
    window, missing = RULES["window"], [0.1, np.nan, 0.9]
    assert window.predict_set(missing).sum(axis=1).tolist() == [1, 2, 1]
    assert window.missing(missing) == 1
    gaps = P[:3].copy()
    gaps[1, 2] = np.nan
    for name in ("confidence", "class thresholds with costs", "utility", "power mean"):
        sets = RULES[name].predict_set(gaps)
        assert sets[1].all()
        assert np.array_equal(sets[[0, 2]], RULES[name].predict_set(P[[0, 2]]))
        assert RULES[name].missing(gaps) == 1
    assert window.predict_set([]).shape == (0, 2)
    assert window.predict_set([np.nan]).tolist() == [[True, True]]


TWO = [
    Rule.window(0.25, 0.75, classes=["no", "yes"]),
    Rule.window(-np.inf, 0.5),
    Rule.window(0.5, np.inf),
    Rule.window(0.5, 0.5, classes=["?", "!"]),
    Rule.window(-np.inf, np.inf),
    Rule.confidence(0.5, classes=["no", "yes"]),
    Rule.confidence(np.inf, classes=["no", "yes"]),
    Rule.class_thresholds([0.5, 0.75], classes=["no", "?"]),
    Rule.class_thresholds([0, 0], classes=["n", "p"], costs=[[0, 1], [4, 0], [0.5, 0.5]]),
    Rule.utility("u65", classes=["no", "yes"]),
]


def decided(rule, sets):
    members = tuple(label for label, inside in zip(rule.classes, sets, strict=True) if inside)
    abstains = len(members) == rule.n_classes and "?" not in rule.classes
    return members[0] if len(members) == 1 else "?" if abstains else members


@given(
    st.sampled_from(TWO),
    st.floats(0, 1) | st.sampled_from([0.25, 0.5, 0.75, np.nextafter(0.75, 0), np.nan, None]),
    st.sampled_from([float, np.float32, np.float64]),
)
def test_one_case_is_decided_as_many_are(rule, score, kind):
    score = score if score is None else kind(score)
    (sets,) = rule.predict_set([score])
    assert rule.decide(score) == decided(rule, sets)


@given(st.sampled_from(TWO[:5]), st.floats() | st.integers(-3, 3))
def test_a_window_decides_any_number(rule, score):
    assert rule.decide(score) == decided(rule, rule.predict_set([score])[0])


@pytest.mark.parametrize("name", [name for name in RULES if RULES[name].n_classes == 3])
def test_one_row_of_probabilities_is_decided_as_many_are(name):
    rule = RULES[name]
    for row in [*P, [0.5, 0.5, 0.0], [np.nan, 0.5, 0.5], (1, 0, 0), P[0].astype(np.float32)]:
        wanted = decided(rule, rule.predict_set([row])[0])
        assert rule.decide(row) == rule.decide(list(row)) == wanted


def test_one_clear_case_is_decided_without_arrays(monkeypatch):
    monkeypatch.delattr(Rule, "predict_set")
    for rule in [*RULES.values(), *TWO]:
        rule.decide([0.7, 0.2, 0.1] if rule.n_classes == 3 else 0.6)
    assert TWO[5].decide([0.4, 0.6]) == "yes"
    assert TWO[-1].with_details(model="other").decide([0.1, 0.9]) == "yes"


def test_one_case_is_refused_as_many_are():
    for score in (1.5, "high", [0.2, 0.8, 0.0], np.inf):
        with pytest.raises((TypeError, ValueError), match="scores"):
            Rule.confidence(0.5, classes=["no", "yes"]).decide(score)
    for score in ("high", [0.9], [0.2, 0.8], None):
        with pytest.raises(TypeError, match=r"score is .*; give one number"):
            Rule.acceptance(0.5).decide(score)


def test_a_rule_remembers_its_columns():
    columns = {"truth": "y_true", "score": "y_score", "id": "case"}
    rule = Rule.window(0.2, 0.7).with_details(columns=columns)
    again = Rule.from_json(rule.to_json())
    assert again == rule
    assert dict(again.columns) == columns
    assert again.tuned_column == "y_score"
    assert "SCORE = 'y_score'" in rule.to_code()
    assert "SCORE = 'p'" in rule.to_code(score="p")
    assert rule != Rule.window(0.2, 0.7)
    # Older files keep the column of scores, if it was named, with the data.
    assert Rule.window(0.2, 0.7, data={"score": "s"}).tuned_column == "s"
    proba = Rule.confidence(0.5, classes=CLASSES, columns={"proba": ["x", "y", "z"]})
    assert "COLUMNS = ['x', 'y', 'z']" in proba.to_code()
    assert "COLUMNS = ['p_a', 'p_b', 'p_c']" in RULES["confidence"].to_code()


@pytest.mark.parametrize("path", [".", "/dev/zero"])
def test_a_folder_or_a_device_is_no_rule(path, tmp_path):
    if path != "." and not Path(path).exists():
        pytest.skip("there is no such device")
    with pytest.raises(InputError, match=r"is no file of a rule: it (is a folder|has more than)"):
        Rule.from_json(tmp_path if path == "." else path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Rule.from_json(tmp_path / "rule.json")


def test_columns_may_come_in_another_order():
    rule = RULES["class thresholds"]
    other = ["c", "a", "b"]
    order = [CLASSES.index(label) for label in other]
    sets = rule.predict_set(P[:, order], classes=other)
    assert np.array_equal(sets, rule.predict_set(P)[:, order])
    # A window of a positive class that a classifier lists first.
    window = Rule.window(0.2, 0.7, classes=["ok", "fraud"])
    p = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])
    assert window.predict_set(p, classes=["fraud", "ok"]).tolist() == [[1, 0], [1, 1], [0, 1]]
    assert window.predict_set(p[:, 0], classes=["fraud", "ok"]).tolist() == [[1, 0], [1, 1], [0, 1]]
    with pytest.raises(ValueError, match="same classes"):
        window.predict_set(p, classes=["fraud", "other"])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_two_columns_without_names_are_not_guessed(frame):
    """A classifier lists 'fraud' first, the rule last."""
    p = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])
    wanted = [[1, 0], [1, 1], [0, 1]]
    for rule in (
        Rule.window(0.2, 0.7, classes=["ok", "fraud"]),
        Rule.class_thresholds([0.8, 0.7], classes=["ok", "fraud"]),
    ):
        for scores in (p, p.tolist(), pd.DataFrame(p)):
            with pytest.raises(ValueError, match=r"not clear .* classes=\['ok', 'fraud'\]"):
                rule.predict_set(scores)
            assert rule.predict_set(scores, classes=["fraud", "ok"]).tolist() == wanted
            turned = rule.predict_set(scores, classes=["ok", "fraud"]).tolist()
            assert turned == rule.predict_set(p[:, 1]).tolist()
        named = frame({"fraud": p[:, 0], "ok": p[:, 1]})
        assert rule.predict_set(named).tolist() == rule.predict_set(p[:, 0]).tolist()
        assert rule.predict_set(named, classes=["fraud", "ok"]).tolist() == wanted


@pytest.mark.parametrize(
    ("classes", "clear"),
    [
        (["no", "yes"], True),
        ([9, 10], True),
        ([10, 9], False),
        ([True, False], False),
        (["9", "10"], False),  # a classifier of numbers lists 9 first, one of text 10
        (["10", "9"], False),
    ],
)
def test_which_two_columns_are_clear(classes, clear):
    rule = Rule.confidence(0.6, classes=classes)
    if clear:
        assert rule.predict_set([[0.9, 0.1]]).tolist() == [[True, False]]
    else:
        with pytest.raises(ValueError, match="not clear which class"):
            rule.predict_set([[0.9, 0.1]])


def draw_ties(rng, k, n=40):
    """Draw whole costs, and probabilities in tenths: many expected costs are equal."""
    costs = rng.integers(0, 8, size=(k + 1, k))
    costs[np.arange(k), np.arange(k)] = 0
    return costs, rng.multinomial(10, np.full(k, 1 / k), size=n) / 10


def exact_saving(p, costs):
    """Find the first of the cheapest answers, and what it saves, in tenths of whole numbers."""
    tenths = np.rint(p * 10).astype(int) @ costs.T
    return tenths[:, :-1].argmin(axis=1), tenths[:, -1] - tenths[:, :-1].min(axis=1)


@pytest.mark.parametrize("seed", range(60))
def test_ties_of_costs_are_those_of_exact_arithmetic(seed):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 4
    costs, p = draw_ties(rng, k)
    classes, codes = list("abcde"[:k]), np.arange(k)
    choice, saving = exact_saving(p, costs)
    wanted = (saving < 0)[:, None] | (choice[:, None] == codes)
    forms = [p] if k > 2 else [p, p[:, 1]]
    for scores in forms:
        zero = Rule.class_thresholds([0] * k, classes=classes, costs=costs)
        assert np.array_equal(zero.predict_set(scores), wanted)
        assert np.array_equal(Rule.set_costs(costs, classes=classes).predict_set(scores), wanted)
        # A threshold in tenths is reached at equality, and found savings are told apart.
        tenths = rng.integers(-3, 12, size=k)
        rule = Rule.class_thresholds(tenths / 10, classes=classes, costs=costs)
        wanted_here = (saving < tenths[choice])[:, None] | (choice[:, None] == codes)
        assert np.array_equal(rule.predict_set(scores), wanted_here)
    assert len(np.unique(preferred_answers(p, as_costs(costs, classes))[1])) == len(
        np.unique(saving)
    )


@pytest.mark.parametrize("scale", [1e-59, 1e-30, 3e-7, 1.0, 7e9, 1e59])
def test_ties_do_not_depend_on_the_unit_of_costs(scale):
    costs, p = draw_ties(np.random.default_rng(7), 3)
    choice, saving = exact_saving(p, costs)
    rule = Rule.class_thresholds([0, 0, 0], classes=CLASSES, costs=costs * scale)
    wanted = (saving < 0)[:, None] | (choice[:, None] == np.arange(3))
    assert np.array_equal(rule.predict_set(p), wanted)


def test_costs_all_alike_answer_the_first_class():
    rule = Rule.class_thresholds([0, 0], classes=["n", "p"], costs=np.ones((3, 2)))
    assert rule.predict_set([0.1, 0.9]).tolist() == [[True, False]] * 2


def test_a_saved_threshold_of_more_digits_is_still_reached():
    costs = [[0, 1], [1, 0], [0.5, 0.5]]
    rule = Rule.class_thresholds([0.1 + 0.2, 1e308], classes=["n", "p"], costs=costs)
    assert rule.predict_set([0.2, 0.9]).tolist() == [[True, False], [True, True]]


def test_several_rules_in_one_file(tmp_path):
    path = tmp_path / "rules.json"
    rules = {"tree": RULES["window"], "bayes": RULES["open window"]}
    rules_to_json(rules, path)
    again = rules_from_json(path)
    assert list(again) == ["tree", "bayes"]
    assert again["bayes"] == rules["bayes"].with_details(model="bayes")
    with pytest.raises(ValueError, match="rules of 2 models, 'tree', 'bayes'"):
        Rule.from_json(path)
    assert list(rules_from_json(RULES["window"].to_json())) == ["tree"]


def _changed(**changes):
    data = json.loads(RULES["window"].to_json()) | changes
    return json.dumps({key: value for key, value in data.items() if value != "gone"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected an object"),
        ("{", "`cautious tune -o` writes one"),
        ('{"schema": "cautious.rule/1", "schema": "cautious.rule/1"}', "given twice"),
        (_changed(schema="cautious.rule/2"), "this release reads 'cautious.rule/1'"),
        (_changed(schema="gone"), "schema is missing"),
        (_changed(kind="oracle"), "kind is 'oracle'; expected one of window"),
        (_changed(extra=1), "'extra' is unknown"),
        (_changed(threshold=0.5), "'threshold' is unknown"),
        (_changed(lower="gone"), "lower is missing"),
        (_changed(lower=0.8), r"the window \(0.8, 0.7\) is no window"),
        (_changed(lower=True), "lower is True; expected a number"),
        (_changed(lower="0.2"), "lower is '0.2'; expected a number"),
        (_changed(lower=10**400), "expected a number"),
        (_changed(lower=0.2).replace("0.2", "NaN"), "NaN is no number of JSON"),
        (_changed(lower=0.2).replace("0.2", "-Infinity"), "infinite ones are written"),
        (_changed(classes=["no"]), "two or more"),
        (_changed(classes=["no", "no"]), "repeats 'no'"),
        (_changed(classes=["no", "yes", "maybe"]), "a window is for two classes"),
        (_changed(classes=["no", None]), "expected a list of labels"),
        (_changed(classes="no"), "expected a list of labels"),
        (_changed(pos_label="no"), "pos_label is 'no', but of two classes the second"),
        (_changed(model=3), "model is 3; expected text"),
        (_changed(data=[3]), r"data is \[3\]; expected an object"),
        (_changed(data={"n": -1}), "data's n is -1; expected a number of cases"),
        (_changed(data={"n": True}), "data's n is True"),
        (_changed(data={"digest": 5}), "data's digest is 5; expected text"),
        (_changed(classes=[1, "1"], pos_label="gone"), "two are written alike"),
        (_changed(certificate={"limits": 5}), "certificate's limits are 5; give numbers"),
        (_changed(certificate={"limits": {"error": "x"}}), "limit 'error' is 'x', no number"),
        (_changed(columns={"colour": "x"}), "columns has the key 'colour'; the keys are truth"),
        (_changed(columns={"score": 3}), r"columns\['score'\] is 3; give the name of a column"),
        (_changed(model="x" * 17_000_000), "more than 16,000,000 characters"),
        (_changed(version="1")[:-20], "`cautious tune -o` writes one"),
        (_changed(certificate=json.loads("[" * 30 + "]" * 30)), "nested more than 12 deep"),
        ("{" + '"a":[' * 100_000, "nested more than 12 deep|writes one"),
        (_changed(costs={"form": "pickle"}), "the forms are answers"),
        (_changed(costs={"form": "answers", "values": [[0, "1"], [1, 0], [1, 1]]}), "no number"),
        (_changed(costs={"form": "answers", "values": [[0, 1], [1, 0]]}), "expected .K . 1, K."),
        (_changed(costs={"form": "answers", "values": [[0], [1]]}), "at least two"),
        (_changed(costs={"form": "answers"}), "have the keys"),
        (_changed(costs=3), "costs has no known form"),
        ('{"schema": "cautious.rule/1", "models": {}}', "expected one rule per model"),
        ('{"schema": "cautious.rule/1", "models": {"a": 1}}', "not an object"),
        ('{"schema": "cautious.rule/1", "models": {}, "kind": "window"}', "'kind' is unknown"),
    ],
)
def test_what_is_no_rule_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        Rule.from_json(text)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Rule.window(0.5, 0.2), ValueError, "no window"),
        (lambda: Rule.window(np.nan, 0.2), ValueError, "no window"),
        (lambda: Rule.window(0, 1, classes=CLASSES), ValueError, "two classes"),
        (lambda: Rule.window(0, 1, name="x"), TypeError, "no argument 'name'"),
        (lambda: Rule.confidence(1.5, classes=CLASSES), ValueError, "between 0 and 1"),
        (lambda: Rule.class_thresholds([1], classes=CLASSES), ValueError, "shape"),
        (
            lambda: Rule.class_thresholds([1, 2], classes=CLASSES, costs=TABLE),
            ValueError,
            "one number for each of 3",
        ),
        (lambda: Rule.set_costs(zero_one(3), classes=CLASSES), ValueError, "abstaining costs"),
        (
            lambda: Rule.set_costs(np.ones((5, 4, 3)) - np.eye(4, 3), classes=CLASSES),
            ValueError,
            "differ per case",
        ),
        (lambda: Rule("oracle", ("a", "b")), ValueError, "kinds of rules"),
        (lambda: Rule("window", ("a", "b"), lower=0.0), ValueError, "has no upper"),
        (lambda: Rule("confidence", ("a", "b"), lower=0.0), ValueError, "has a lower"),
        (lambda: RULES["window"].predict_set(P), ValueError, "scores has shape"),
        (lambda: RULES["utility"].predict_set([0.1]), ValueError, "scores has shape"),
        (
            lambda: Rule.confidence(0.5, classes=[0, 1]).predict_set([3.0]),
            ValueError,
            "between 0 and 1",
        ),
        (lambda: RULES["window"].with_details(lower=1), TypeError, "'lower' is none of"),
        (lambda: Rule.from_json(3), TypeError, "JSON text or a path"),
        (
            lambda: Rule.utility(np.sqrt, classes=CLASSES).to_json(),
            ValueError,
            "no name that can be read back",
        ),
        (lambda: Rule.window(0, 1, classes=[(1, 2), "b"]).to_json(), ValueError, "is a tuple"),
        (lambda: rules_to_json({}), ValueError, "rules is empty"),
    ],
)
def test_bad_rules_are_refused_with_a_reason(make, error, message):
    with pytest.raises(error, match=message):
        make()


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(0, 4)), max_size=40))
def test_bins_of_scores_end_at_scores_and_count_all_cases(cells):
    """By loops over the cases, sorted: every fifth to twentieth of them ends a bin."""
    scores = np.array([float(score) for score, *_ in cells])
    counts = [count for *_, count in cells]
    found = score_bins(scores, counts, [count * positive for _, positive, count in cells])
    cases = sorted((float(s), positive) for s, positive, count in cells for _ in range(count))
    n = len(cases)
    if n < 10:
        assert found == {}
        return
    n_bins = min(20, n // 5)
    ends = {cases[at * n // n_bins - 1][0] for at in range(1, n_bins)} - {cases[-1][0]}
    assert found["edges"] == sorted(ends)
    lows, highs = [-np.inf, *sorted(ends)], [*sorted(ends), np.inf]
    inside = [
        [p for s, p in cases if low < s <= high] for low, high in zip(lows, highs, strict=True)
    ]
    assert found["counts"] == list(map(len, inside))
    assert found["positives"] == list(map(sum, inside))


def test_no_bins_of_weights_that_are_no_whole_numbers():
    assert score_bins(np.arange(30.0), np.full(30, 0.5)) == {}
    assert score_bins(np.arange(9.0), None) == {}
    assert "positives" not in score_bins(np.arange(30.0), np.full(30, 2.0))


@given(
    st.lists(st.sampled_from([-np.inf, -0.0, 0.0, 0.1, 0.5, 0.7, 1.0, 3.0, np.inf]), max_size=60),
    st.integers(0, 2**16),
)
def test_bins_of_single_cases_are_those_of_counts(scores, seed):
    scores = np.array(scores, dtype=float)
    if seed % 2:
        scores = scores + np.random.default_rng(seed).normal(size=len(scores))
    positives = np.random.default_rng(seed).random(len(scores)) < 0.4
    ones = np.ones(len(scores))
    assert score_bins(scores, None, positives) == score_bins(scores, ones, positives)
    assert score_bins(scores, None) == score_bins(scores, ones)


def test_an_acceptance_rule_lets_answers_out_from_its_threshold_on():
    rule = Rule.acceptance(7)  # on any scale
    confidence = [9.5, 7.0, 6.9, np.nan, np.inf, -np.inf]
    assert rule.accept(confidence).tolist() == [True, True, False, False, True, False]
    assert [rule.decide(one) for one in confidence] == rule.texts(rule.predict_set(confidence))
    assert rule.decide(7) == "answer"
    assert rule.decide(np.nan) == "escalate"
    assert not Rule.acceptance(np.inf).accept([np.inf, 1]).any()
    assert Rule.acceptance(-np.inf).accept([-np.inf, 1, np.nan]).tolist() == [True, True, False]
    with pytest.raises(ValueError, match="decides what to answer"):
        Rule.window(0.2, 0.8).accept([0.5])
    with pytest.raises(ValueError, match="nan"):
        Rule.acceptance(np.nan)
    with pytest.raises(ValueError, match="'wrong' or 'right'"):
        Rule("acceptance", ("no", "yes"), threshold=0.5)


def test_a_rule_that_was_found_is_not_checked_again(monkeypatch):
    monkeypatch.setattr(Rule, "__post_init__", lambda _: pytest.fail("checked again"))
    two = find_rule([0, 1] * 10, y_score=np.arange(20.0), max_abstention=0.2).rule
    three = find_rule([0, 1, 2] * 20, y_proba=P, costs=TABLE).rule
    for rule in (two, three.with_details(model="tree")):
        monkeypatch.undo()
        assert Rule.from_json(rule.to_json()) == rule


def test_what_follows_from_a_rule_cannot_be_changed_apart_from_it():
    rule = Rule.window(0.2, 0.7, classes=["no", "yes"])
    rule.answers.clear()
    assert rule.texts([[True, False], [True, True]]) == ["no", "?"]
    for copied in (rule.with_details, partial(exchange_details, rule)):
        with pytest.raises(TypeError, match="'lower' is none of certificate, columns, costs"):
            copied(lower=0.65)
    assert asdict(rule).keys().isdisjoint({"n_classes", "graded", "answers", "ends", "least"})
    assert rule.least == ()
