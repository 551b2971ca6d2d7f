"""Every way to hand predictions over is shown as the same model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.errors import InputError
from cautious.logs import summarise
from cautious.metrics import SetCounts
from cautious.report._page_data import ReportedModels, summarise_sets
from cautious.report.document import embedded_json

Y = np.array(["no", "yes", "no", "yes", "yes"])
SCORE = np.array([0.1, 0.4, 0.6, 0.8, 0.9])
STAIRCASE = Staircase.from_predictions(Y, SCORE, pos_label="yes")
FORMS = {
    "pair": (Y, SCORE),
    "lists": (Y.tolist(), SCORE.tolist()),
    "mapping": {"y_true": Y, "y_score": SCORE},
    "two columns": {"y_true": Y, "y_proba": np.column_stack([1 - SCORE, SCORE])},
    "columns of a pair": (Y, np.column_stack([1 - SCORE, SCORE])),
    "turned columns": {
        "y_true": Y,
        "y_proba": np.column_stack([SCORE, 1 - SCORE]),
        "classes": ["yes", "no"],
    },
    "table": pd.DataFrame({"label": Y, "score": SCORE}),
    "table of probabilities": pd.DataFrame({"label": Y, "p_yes": SCORE}),
    "staircase": STAIRCASE,
    "surface": AbstentionCostSurface(STAIRCASE),
}


def problems_of(given, **said):
    """What the page gets: problems, and notes in its words."""
    models = ReportedModels.of(given, **said)
    return models.problems, [note.words("page") for note in models.notes]


def models_of(given, **said):
    problems, _ = problems_of(given, **said)
    return [model for problem in problems for model in problem["models"]]


@pytest.mark.parametrize("form", FORMS)
def test_two_classes(form):
    (problem,), _ = problems_of({form: FORMS[form]}, pos_label="yes")
    (expected,), _ = problems_of({form: STAIRCASE})
    assert problem["kind"] == "binary"
    assert problem["classes"] == ["no", "yes"]
    assert without_cases(problem["models"][0]) == without_cases(expected["models"][0])


def without_cases(model):
    """All but the cases, whose order is their own, and where they are from."""
    parts = {
        key: value for key, value in model.items() if key not in ("cases", "origin", "columns")
    }
    return embedded_json(parts)


def test_a_summary_of_a_log_is_its_models():
    log = pd.DataFrame({"label": Y, "one": SCORE, "two": SCORE[::-1]})
    alone = summarise(log, score="one", pos_label="yes")
    problems, notes = problems_of(alone)
    (expected,), _ = problems_of({"log": STAIRCASE})
    expected["models"][0]["origin"]["score"] = "one"  # a summary knows its column
    assert embedded_json(problems) == embedded_json([expected])
    assert notes[0].startswith("truth 'label', score 'one'")
    assert embedded_json(problems_of({"log": alone})) == embedded_json((problems, notes))
    both = summarise(log, score=["one", "two"], pos_label="yes")
    assert [model["name"] for model in models_of(both)] == ["one", "two"]
    beside = models_of({"mine": alone, "other": (Y, SCORE)}, pos_label="yes")
    assert [model["name"] for model in beside] == ["mine", "other"]
    with pytest.raises(InputError, match="two models are called 'one'"):
        models_of({"one": alone, "two": both})
    with pytest.raises(InputError, match="pos_label is given, but the summary of a log is counted"):
        models_of(alone, pos_label="yes")


def test_the_page_says_that_scores_of_a_log_are_rounded():
    log = pd.DataFrame({"label": [0, 1] * 50, "score": np.linspace(0, 99, 100)})
    assert not any("rounded" in said for said in problems_of(summarise(log))[1])
    _, notes = problems_of({"log": summarise(log, resolution=2)})
    assert sum("per cent" in said for said in notes) == 1  # asked, as of scores in memory
    assert sum("rounded to 2, as asked, and costs are upper bounds" in said for said in notes) == 1
    log = pd.DataFrame({"label": [0, 1] * 1000, "score": np.linspace(0, 1, 2000)})
    _, notes = problems_of({"log": summarise(log, memory_budget=32 * 1024)})
    assert sum("memory budget holds; they are rounded to" in said for said in notes) == 1


def test_many_classes_give_three_kinds_of_answers(classified):
    y, p, classes = classified
    models = models_of({"m": {"y_true": y, "y_proba": p, "classes": classes}})
    assert [model["name"] for model in models] == ["m", "m, u65 sets", "m, u80 sets"]
    assert [model["utility"] for model in models] == [None, "u65", "u80"]
    single, *wider = (
        np.average(m["sizes"][:, 0], weights=m["sizes"][:, 1:].sum(1)) for m in models
    )
    assert single == 1 < wider[0] < wider[1]
    assert models[0]["risk"] is not None
    assert models[1]["risk"] is None


def test_sets_and_counts(classified):
    y, p, classes = classified
    mask = p >= p.max(axis=1, keepdims=True) / 2
    counts = SetCounts.from_predictions(y, mask, classes=classes)
    risk = RiskCoverageCurve.from_predictions(y, p, classes=classes)
    given = {
        "counts": counts,
        "both": {"counts": counts, "risk_coverage": risk},
        "mask": (y, mask),
        "mapping": {"y_true": y, "y_set": mask, "y_proba": p, "classes": classes},
    }
    (problem,), notes = problems_of(given)
    expected = embedded_json(summarise_sets(counts, None)["sizes"])
    assert all(embedded_json(model["sizes"]) == expected for model in problem["models"])
    risks = [model["risk"] is not None for model in problem["models"]]
    assert risks == [False, True, False, True]
    assert any("sets are the answers" in note for note in notes)


def test_scores_and_sets_of_two_classes_are_shown_twice():
    sets = [["no"], ["no", "yes"], ["no"], ["yes"], ["yes"]]
    given = {"m": {"y_true": Y, "y_score": SCORE, "y_set": sets, "classes": ["no", "yes"]}}
    problems, _ = problems_of(given)
    assert [problem["kind"] for problem in problems] == ["binary", "sets"]


def test_risk_coverage_alone_knows_right_and_wrong_only(classified):
    y, p, classes = classified
    risk = RiskCoverageCurve.from_predictions(y, p, classes=classes)
    (model,) = models_of({"m": risk})
    ((size, right, wrong),) = model["sizes"]
    assert size == 1
    assert right / (right + wrong) == pytest.approx(
        np.mean(np.array(classes)[p.argmax(axis=1)] == y)
    )
    assert model["confusion"] is None


def test_rows_left_out_are_counted():
    given = {"y_true": Y, "y_score": [0.1, np.nan, 0.2, 0.5, 1], "sample_weight": [1, 1, 1, 1, 0]}
    (model,) = models_of({"m": given}, missing="abstain")
    assert model["n"] == 3
    assert model["left_out"] == [
        {"count": 1, "reason": "have no score (a rule abstains on them)"},
        {"count": 1, "reason": "have the weight 0"},
    ]
    with pytest.raises(ValueError, match="has a score and a weight above 0"):
        models_of({"m": given | {"y_score": [np.nan] * 4 + [1.0]}}, missing="abstain")


def test_risk_coverage_must_count_answers(classified):
    y, _, classes = classified
    costly = RiskCoverageCurve.from_predictions(
        y, classes=classes, confidence=np.arange(len(y)), loss=np.full(len(y), 0.5)
    )
    with pytest.raises(ValueError, match="other than 0 and 1"):
        problems_of({"m": costly})
    with pytest.raises(ValueError, match="knows no classes"):
        problems_of({"m": RiskCoverageCurve.from_losses([0, 1], [0.9, 0.1])})


def test_summaries_of_graded_answers_are_refused():
    graded = pd.DataFrame({"right": [True, False] * 6, "confidence": np.arange(12) / 12})
    (problem,), _ = problems_of(graded, correct="right")
    assert (problem["kind"], problem["classes"]) == ("graded", ["wrong", "right"])
    with pytest.raises(ValueError, match="a summary of graded answers"):
        problems_of(summarise(graded, correct="right", confidence="confidence"))
