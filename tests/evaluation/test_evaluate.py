"""``evaluate``: the same numbers as the measures, whatever the input and the rule."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from tests.evaluation.on_engine import evaluate_on

import cautious
from cautious.decision import Rule
from cautious.errors import InputError
from cautious.metrics import MEASURES, SetCounts, aurc_score, coverage_score, set_cost_score

COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}


@pytest.fixture
def binary():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    score = np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5))), 2)
    return pd.DataFrame({"y_true": y, "score": score, "group": rng.choice(["u", "v"], 200)})


def test_measures_and_costs(binary):
    found = cautious.evaluate(binary, window=(0.3, 0.7), costs=COSTS)
    mask = Rule.window(0.3, 0.7).predict_set(binary["score"])
    y = binary["y_true"]
    assert found.value("coverage") == pytest.approx(coverage_score(y, mask))
    assert found.value("auc") == pytest.approx(roc_auc_score(y, binary["score"]))
    table = [[0, 10], [2, 0], [1, 1]]
    each = np.array(table)[np.where(mask.all(axis=1), 2, mask.argmax(axis=1)), y]
    assert found.value("cost") == pytest.approx(each.mean())
    assert found.value("aurc") == pytest.approx(aurc_score(y, binary["score"], classes=[0, 1]))
    with pytest.raises(ValueError, match="measure is 'gain'; measured were"):
        found.value("gain")
    with pytest.raises(ValueError, match="model is 'coverage'; there are"):
        found.value("auc", "coverage")


def test_progress_is_told_measure_by_measure(binary):
    told = []
    cautious.evaluate(binary, progress=lambda done, total: told.append((done, total)))
    assert len(told) > 10
    assert [done for done, _ in told] == list(range(1, len(told) + 1))
    assert {total for _, total in told} == {len(told)}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "rule",
    [
        Rule.window(0.3, 0.7),
        Rule.window(-np.inf, np.inf),
        Rule.confidence(0.7, classes=[0, 1]),
        Rule.class_thresholds([0.6, 0.8], classes=[0, 1]),
    ],
)
def test_counts_are_those_of_each_case_whole_and_by_group(binary, rule, weighted):
    binary.loc[::9, "score"] = np.nan  # others lie on the thresholds
    binary["w"] = np.arange(200) % 3 if weighted else 1
    found = cautious.evaluate(binary, rule=rule, missing="abstain", weight="w")
    (name,) = found.models

    def counted(part):
        likeliest = (part["score"] > 0.5).astype(int)
        answers = rule.predict_set(part["score"])
        known = {"y_pred": likeliest, "sample_weight": part["w"]}
        return SetCounts.from_predictions(part["y_true"], answers, **known)

    assert found.models[name].counts == counted(binary)
    for label, part in binary.groupby("group"):
        row = found.by_group[name].loc[label]
        wanted = {name: float(MEASURES[name](counted(part))) for name in row.index.drop("n")}
        assert row.drop("n").to_dict() == pytest.approx(wanted, nan_ok=True)
    assert set(found.frame()["part"]) == {"all", "class", "group"}


def test_intervals_hold_the_value(binary):
    found = cautious.evaluate(
        binary,
        window=(0.3, 0.7),
        costs=COSTS,
        measures=["error", "cost", "vacc"],
        confidence_level=0.9,
        n_resamples=100,
    )
    table = next(iter(found.measures.values()))
    assert (table["low"] <= table["value"]).all()
    assert (table["value"] <= table["high"]).all()


def test_rules_from_tuning(binary, tmp_path):
    tuned = cautious.tune(binary, costs=COSTS)
    tuned.to_json(tmp_path / "rule.json")
    for rule in (tuned.rule, tuned.rules, tmp_path / "rule.json"):
        found = cautious.evaluate(binary, rule=rule, costs=COSTS)
        assert found.value("cost") == pytest.approx(next(iter(tuned.found.values())).cost)


def test_costs_per_case():
    y = np.array([0, 1, 0, 1, 1, 0])
    score = np.array([0.1, 0.3, 0.7, 0.9, 0.5, 0.2])
    costs = {
        "false_negative": np.array([1.0, 50, 1, 1, 9, 1]),
        "false_positive": np.array([1.0, 1, 7, 1, 1, 1]),
        "abstain": np.full(6, 0.5),
    }
    data = {"m": {"y_true": y, "y_score": score, "costs": costs}}
    found = cautious.evaluate(data, window=(0.4, 0.6))
    # Missed the second (50), a false alarm on the third (7), abstained on the fifth.
    assert found.value("cost") == pytest.approx((50 + 7 + 0.5) / 6)
    assert cautious.tune(data).found["m"].cost <= found.value("cost")
    # The same given beside the predictions; now with as many kinds of answers as cases.
    beside = cautious.evaluate({"m": (y, score)}, window=(0.4, 0.6), costs=costs)
    assert beside.value("cost") == found.value("cost")
    tied = {"m": (y, np.array([0.9, 0.9, 0.5, 0.5, 0.1, 0.1]))}
    found = cautious.evaluate(
        tied, window=(0.3, 0.7), costs=costs, confidence_level=0.9, random_state=0
    )
    assert found.value("cost") == pytest.approx((1 + 0 + 0.5 + 0.5 + 9 + 0) / 6)
    low, high = found.measures["m"].loc["cost", ["low", "high"]]
    assert low < found.value("cost") < high
    with pytest.raises(ValueError, match="6 cases"):
        cautious.evaluate({"m": ([0, 1], [0.1, 0.9])}, costs=costs)


def test_missing_scores_abstain():
    y, score = [0, 1, 0, 1], [0.1, np.nan, 0.6, 0.9]
    found = cautious.evaluate({"m": (y, score)}, window=(0.4, 0.7), missing="abstain")
    assert found.value("abstention") == 0.5
    assert found.models["m"].missing == 1
    assert "Abstained on 1 case without a score." in str(found)
    graded = {"correct": "y", "confidence": "sure", "missing": "abstain"}
    found = cautious.evaluate(pd.DataFrame({"y": y, "sure": score}), **graded)
    assert "Escalated 1 answer without a confidence." in str(found)


def test_margins_have_no_answers_without_a_window():
    found = cautious.evaluate({"m": ([0, 1, 0, 1], [-1.0, 0.5, -0.2, 3])})
    assert "aurc" not in found.measures["m"].index
    assert "coverage" not in found.measures["m"].index
    assert "no probabilities" in str(found)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"window": (0.1, 0.2), "confidence": 0.5}, "window and confidence are given"),
        ({"measures": ["coverages"]}, "coverage"),
        ({"measures": ["set_cost"]}, "cannot be computed"),
        ({"confidence_level": 2}, "between 0 and 1"),
    ],
)
def test_refusals(wishes, words):
    with pytest.raises(ValueError, match=words):
        cautious.evaluate({"m": ([0, 1], [0.2, 0.8])}, **wishes)


def test_sets_cannot_be_changed_by_a_rule():
    data = pd.DataFrame({"y_true": ["a", "b", "c"], "y_set": ["a", "a|b", "c"]})
    with pytest.raises(InputError, match="gives sets only"):
        cautious.evaluate(data, confidence=0.5)
    with pytest.raises(InputError, match="two classes"):
        cautious.evaluate(data, window=(0.1, 0.5))


def test_shown_in_notebooks_without_markup_of_users():
    found = cautious.evaluate({"<b>m</b>": ([0, 1], [0.2, 0.8])})
    assert "<b>m" not in found._repr_html_()
    assert "&lt;b&gt;m" in found._repr_html_()
    assert repr(found) == "<Evaluation of '<b>m</b>'>"


def test_costs_of_several_classes_score_what_they_tuned():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=300)
    p = rng.dirichlet(np.ones(3), 300) + 0.6 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    costs = np.array([[0, 2, 5], [1, 0, 1], [4, 2, 0], [0.5, 0.5, 0.5]])
    tuned = cautious.tune({"m": (y, p)}, costs=costs)
    found = cautious.evaluate({"m": (y, p)}, rule=tuned.rules, costs=costs)
    assert found.value("cost") == pytest.approx(tuned.found["m"].cost)
    mask = tuned.rule.predict_set(p)
    direct = set_cost_score(y, mask, costs=cautious.costs.as_costs(costs, [0, 1, 2]))
    assert found.value("cost") == pytest.approx(direct)


def test_a_rule_that_was_chosen_on_the_same_cases(binary):
    tuned = cautious.tune(binary, costs=COSTS)
    shuffled = binary.sample(frac=1, random_state=1)
    for same in (binary, shuffled):
        found = cautious.evaluate(same, rule=tuned.rule)
        assert next(iter(found.models.values())).chosen_here
        assert "chosen on these very cases" in str(found)
        (record,) = found.to_dict()["models"].values()
        assert record["chosen_on_these_cases"] is True
    assert "chosen on these very" in str(cautious.evaluate(binary, rule=tuned.rule, priors=0.2))
    other = binary.assign(y_true=binary["y_true"].where(binary.index > 0, 1 - binary["y_true"]))
    for different in (binary[1:], other, binary.assign(score=binary["score"] / 2)):
        found = cautious.evaluate(different, rule=tuned.rule)
        assert not next(iter(found.models.values())).chosen_here
        assert "chosen on these" not in str(found)
    assert "chosen on these" not in str(cautious.evaluate(binary, window=(0.3, 0.7)))


def test_a_certified_rule_keeps_its_promise_on_the_same_cases():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    frame = pd.DataFrame({"y_true": y, "score": 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))})
    tuned = cautious.tune(frame, max_error=0.1, confidence_level=0.9)
    text = str(cautious.evaluate(frame, rule=tuned.rule))
    assert "chosen on these very cases" in text
    assert "What its certificate promises holds nevertheless." in text


@pytest.mark.parametrize("kind", ["scores", "models", "probabilities", "sets"])
@pytest.mark.parametrize("engine", [None, "local"])
def test_weights_that_are_shares_are_noted(kind, engine):
    """Once, however many cells their intervals are drawn from; rows of weight 0 do not count."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 40)
    frame = {
        "scores": {"y_true": np.tile([0, 1], 20), "score": p[:, 0]},
        "models": {"y_true": np.tile([0, 1], 20), "score_a": p[:, 0], "score_b": p[:, 1]},
        "probabilities": {
            "y_true": np.arange(40) % 3,
            "p_0": p[:, 0],
            "p_1": p[:, 1],
            "p_2": p[:, 2],
        },
        "sets": {"y_true": rng.integers(2, size=40), "y_set": rng.choice(["0", "0|1"], 40)},
    }[kind]
    shares, few = np.full(40, 1 / 40), np.zeros(40)
    shares[:2], few[:8] = 0, 1
    for weight, words in ((shares, "the weights of 38 rows add up to 0.95;"), (few, None)):
        found = evaluate_on(
            engine, pd.DataFrame(frame | {"weight": weight}), measures=["coverage"],
            confidence_level=0.9, n_resamples=20,
        )  # fmt: skip
        notes = [str(note) for note in found.notes if "add up to" in str(note)]
        assert [note[: len(words)] for note in notes] == [words] if words else notes == []


@pytest.mark.parametrize("engine", [None, "local"])
def test_why_vacc_has_no_interval_is_noted(engine):
    """Of VACC alone, and where it was asked for; of shares the note about them is enough."""
    frame = pd.DataFrame({"y_true": [1, 0, 1], "score": [0.3, 0.4, 0.9]})
    options = {"confidence_level": 0.9, "n_resamples": 10}
    found = evaluate_on(engine, frame, **options)
    words = "the weight of class '0' is 1; an interval of VACC needs at least 2 cases of each class"
    assert words in map(str, found.notes)
    (table,) = found.measures.values()
    row = table.loc["vacc"]
    assert row["value"] == pytest.approx(5 / 36)
    assert np.isnan(row["low"])
    for asked in ({"measures": ["auc"]}, {"confidence_level": None}):
        assert words not in map(str, evaluate_on(engine, frame, **{**options, **asked}).notes)
    many = pd.concat([frame] * 20, ignore_index=True).assign(weight=0.2)
    notes = list(map(str, evaluate_on(engine, many, **options).notes))
    assert sum("add up to" in note for note in notes) == 1


@pytest.mark.parametrize("engine", [None, "local"])
def test_measures_that_are_asked_for_are_given_for_each_group(binary, engine):
    asked = ["coverage", "error", "auc", "cost"]
    settings = {"window": (0.3, 0.7), "costs": COSTS, "measures": asked}
    found = evaluate_on(engine, binary, **settings)
    (parts,) = found.by_group.values()
    assert set(parts.columns) == {"n", *asked}
    for group, own in binary.groupby("group"):
        alone = evaluate_on(engine, own.drop(columns="group"), **settings)
        for measure in asked:
            assert parts.loc[group, measure] == pytest.approx(alone.value(measure)), measure
        assert found.to_dict()["models"][next(iter(found.models))]["by_group"][group]["n"] == len(
            own
        )
        assert f"\n{group} " in str(found)
    assert not found.by_class
    assert set(found.frame()["part"]) == {"all", "group"}


def test_groups_of_scores_without_answers_and_of_one_class(binary):
    margins = binary.assign(score=10 * binary["score"] - 5)
    (parts,) = cautious.evaluate(margins, measures=["auc"]).by_group.values()
    for group, own in binary.groupby("group"):
        assert parts.loc[group, "auc"] == pytest.approx(roc_auc_score(own["y_true"], own["score"]))
    alone = margins.assign(group=np.where(margins["y_true"] == 1, "ill", "well"))
    (parts,) = cautious.evaluate(alone, measures=["auc"]).by_group.values()
    assert parts["auc"].isna().all()


def test_costs_per_case_of_each_group(binary):
    cases = binary.assign(fn=np.arange(200.0), fp=1.0, abstain=0.5)
    columns = {"false_negative": "fn", "false_positive": "fp", "abstain": "abstain"}
    settings = {"cost_columns": columns, "measures": ["cost"], "window": (0.3, 0.7)}
    (parts,) = cautious.evaluate(cases, **settings).by_group.values()
    for group, own in cases.groupby("group"):
        alone = cautious.evaluate(own.drop(columns="group"), **settings)
        assert parts.loc[group, "cost"] == pytest.approx(alone.value("cost"))


def test_rounded_scores_of_a_log_are_said_with_bounds(binary):
    exact = evaluate_on("local", binary, window=(0.3, 0.7))
    told = next(iter(exact.to_dict()["models"].values()))
    assert told["exact"]
    assert told["bounds"] is None
    assert "rounded" not in str(exact)
    found = evaluate_on("local", binary, window=(0.3, 0.7), resolution=0.2)
    told = next(iter(found.to_dict()["models"].values()))
    assert not told["exact"]
    for name, bounds in told["bounds"].items():
        assert bounds["low"] < exact.value(name) < bounds["high"], name
    assert "cases may be answered otherwise: coverage is" in str(found)
    coverage = told["bounds"]["coverage"]
    assert f"{coverage['low']:.6g} to {coverage['high']:.6g}" in str(found)


def test_a_record_tells_rows_from_weights():
    y, score, weight = [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], [70, 80.5, 60, 90]
    plain = cautious.evaluate({"m": (y, score)}).to_dict()["models"]["m"]
    assert (plain["n"], plain["rows"], plain["weighted"]) == (4, 4, False)
    data = {"m": {"y_true": y, "y_score": score, "sample_weight": weight}}
    heavy = cautious.evaluate(data).to_dict()["models"]["m"]
    assert (heavy["n"], heavy["rows"], heavy["weighted"]) == (300.5, 4, True)


def test_rows_of_a_weighted_log_are_told_or_not_spoken_of():
    log = pd.DataFrame({"y": [0, 1, 0, 1], "a": [0.1, 0.4, 0.6, 0.9], "b": [0.2, 0.3, 0.5, 0.8]})
    log["weight"] = [2, 1.5, 1, 1]
    found = evaluate_on("local", log, score=["a", "b"])
    assert [one["rows"] for one in found.to_dict()["models"].values()] == [4, 4]
    (line,) = (line for line in str(found).splitlines() if line.startswith("rows"))
    assert line.split() == ["rows", "4", "4"]
    log["model"] = ["one", "one", "two", "two"]
    found = evaluate_on("local", log, score="a")
    assert [one["rows"] for one in found.to_dict()["models"].values()] == [None, None]
    assert not any(line.startswith("rows") for line in str(found).splitlines())


@pytest.fixture
def sets_of_two(tmp_path):
    path = tmp_path / "sets.csv"
    path.write_text("y_true,y_set\na,a\nb,a|b\na,b\nb,b\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", [None, "local"])
def test_costs_by_name_heed_the_positive_class_of_sets(sets_of_two, engine):
    said = {"b": {"pos_label": "b"}, "a": {"pos_label": "a"}}
    said |= {"ab": {"classes": ["a", "b"]}, "ba": {"classes": ["b", "a"]}}
    costs = {
        name: evaluate_on(engine, sets_of_two, costs=COSTS, **one).value("cost")
        for name, one in said.items()
    }
    # One case is abstained on, and one "a" is taken for "b".
    assert costs == {"b": (1 + 2) / 4, "ab": (1 + 2) / 4, "a": (1 + 10) / 4, "ba": (1 + 10) / 4}
    # Nothing is guessed by the alphabet.
    with pytest.raises(InputError, match="pos_label='a' or pos_label='b'"):
        evaluate_on(engine, sets_of_two, costs=COSTS)
    alike = evaluate_on(engine, sets_of_two, costs={"mistake": 4, "abstain": 1})
    assert alike.value("cost") == (1 + 4) / 4


def test_a_file_of_costs_is_read_once(tmp_path, monkeypatch):
    from cautious.costs import _forms as forms

    table = tmp_path / "costs.csv"
    table.write_text("answer,a,b\na,0,2\nb,10,0\nabstain,1,1\n", encoding="utf-8")
    opened = []
    real = forms.open_table
    monkeypatch.setattr(forms, "open_table", lambda file: opened.append(file) or real(file))
    models = pd.DataFrame({"y_true": list("abab") * 2, "y_set": ["a", "a|b", "b", "b"] * 2})
    models = models.assign(model=["m"] * 4 + ["n"] * 4, group=list("uv") * 4)
    for engine in (None, "local"):
        found = evaluate_on(engine, models, costs=table, measures=["cost"])
        assert [found.value("cost", name) for name in "mn"] == [11 / 4] * 2
    assert opened == [table] * 2
    score = np.linspace(0, 1, 80)
    scored = pd.DataFrame({"y_true": np.where(score > 0.4, "b", "a"), "score": score})
    assert cautious.tune(scored, costs=table, pos_label="b").rule.costs is not None
    assert opened == [table] * 3


@pytest.mark.parametrize("engine", [None, "local"])
def test_rules_of_several_models_read_the_columns_of_their_names(tmp_path, engine):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y_true": rng.integers(2, size=60), "gbm v3": rng.random(60)})
    frame["logreg"] = (frame["y_true"] + frame["gbm v3"]) / 2
    path = tmp_path / "two.csv"
    frame.to_csv(path, index=False)
    rules = {"gbm v3": Rule.window(0.3, 0.7), "logreg": Rule.window(0.4, 0.6)}
    asked = {"measures": ["coverage", "selective_accuracy"]}
    found = evaluate_on(engine, path, rule=rules, **asked)
    said = evaluate_on(engine, path, rule=rules, score=list(rules), **asked)
    assert list(found.measures) == list(rules)
    pd.testing.assert_frame_equal(found.frame(), said.frame())
    (alone,) = evaluate_on(
        engine, path, rule={"logreg": rules["logreg"]}, **asked
    ).measures.values()
    pd.testing.assert_frame_equal(pd.DataFrame(alone), pd.DataFrame(found.measures["logreg"]))
    with pytest.raises(InputError, match=r"no column holds predictions; the columns are 'y_true'"):
        evaluate_on(engine, frame[["y_true", "logreg"]], rule=rules, **asked)
