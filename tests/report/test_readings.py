"""Every way to hand predictions over reads as the same model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cautious.curves import AbstentionCostSurface, Staircase
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.report.readings import BinaryModel, SetModel, read_predictions

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


@pytest.mark.parametrize("form", FORMS)
def test_two_classes(form):
    (model,) = read_predictions({form: FORMS[form]}, pos_label="yes")
    assert isinstance(model, BinaryModel)
    assert model.classes == ["no", "yes"]
    assert model.staircase.scores == pytest.approx(STAIRCASE.scores)
    assert model.staircase.positives.tolist() == STAIRCASE.positives.tolist()


def test_a_table_alone_may_hold_several_models():
    frame = pd.DataFrame({"model": list("aabb"), "y_true": [0, 1] * 2, "score": [0.1, 0.9] * 2})
    assert [model.name for model in read_predictions(frame)] == ["a", "b"]


def test_many_classes_give_three_kinds_of_answers(classified):
    y, p, classes = classified
    models = read_predictions({"m": {"y_true": y, "y_proba": p, "classes": classes}})
    assert [model.name for model in models] == ["m", "m, u65 sets", "m, u80 sets"]
    single, *wider = (model.counts.mean(model.counts.size) for model in models)
    assert single == 1 < wider[0] < wider[1]
    assert models[0].risk is not None
    assert models[1].risk is None


def test_sets_and_counts(classified):
    y, p, classes = classified
    mask = p >= p.max(axis=1, keepdims=True) / 2
    counts = SetCounts.from_predictions(y, mask, classes=classes)
    risk = RiskCoverageCurve.from_predictions(y, p, classes=classes)
    given = {
        "mask": (y, mask),
        "mapping": {"y_true": y, "y_set": mask, "y_proba": p, "classes": classes},
        "counts": counts,
        "both": {"counts": counts, "risk_coverage": risk},
    }
    models = read_predictions(given)
    assert all(isinstance(model, SetModel) and model.counts == counts for model in models)
    assert [model.risk is not None for model in models] == [False, True, False, True]


def test_scores_and_sets_of_two_classes_are_shown_twice():
    sets = [["no"], ["no", "yes"], ["no"], ["yes"], ["yes"]]
    given = {"m": {"y_true": Y, "y_score": SCORE, "y_set": sets, "classes": ["no", "yes"]}}
    assert [type(model) for model in read_predictions(given)] == [BinaryModel, SetModel]


def test_risk_coverage_alone_knows_right_and_wrong_only(classified):
    y, p, classes = classified
    risk = RiskCoverageCurve.from_predictions(y, p, classes=classes)
    (model,) = read_predictions({"m": risk})
    right = float(np.mean(np.array(classes)[p.argmax(axis=1)] == y))
    assert model.counts.mean(model.counts.hit) == pytest.approx(right)
    assert (model.counts.answer[~model.counts.hit] == -1).all()


BAD = {
    "empty": ({}, ValueError, "predictions is empty"),
    "no mapping": ([1, 2], TypeError, "give a mapping"),
    "unknown form": ({"m": 3}, TypeError, r"predictions\['m'\]: is int; give"),
    "unknown key": ({"m": {"y_true": Y, "scores": SCORE}}, ValueError, "'scores'"),
    "no truth": ({"m": {"y_score": SCORE}}, ValueError, "y_true is needed"),
    "nothing predicted": ({"m": {"y_true": Y}}, ValueError, "give one of y_score"),
    "nan": ({"m": (Y, [0.1, np.nan, 0, 0, 0])}, ValueError, "NaN in row 1"),
    "one class": ({"m": ([1, 1], [0.1, 0.2])}, ValueError, "no row has the truth '0'"),
    "lengths": ({"m": (Y, SCORE[:3])}, ValueError, "5 rows and y_score has 3"),
    "text": ({"m": (Y, list("abcde"))}, TypeError, "scores are numbers"),
    "sum": ({"m": (Y, np.full((5, 2), 0.7))}, ValueError, "y_proba"),
    "width": ({"m": (Y, np.full((5, 4), 0.25))}, ValueError, "4 columns but there are 2 classes"),
    "long name": ({"m" * 500: (Y, SCORE[:3])}, ValueError, r"predictions\['m{80}'\]"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_the_model_and_the_way_out(case):
    given, error, words = BAD[case]
    with pytest.raises(error, match=words):
        read_predictions(given, pos_label="yes" if case != "one class" else None)


def test_positive_class_must_be_one_of_the_two():
    with pytest.raises(ValueError, match="pos_label is 'maybe'"):
        read_predictions({"m": (Y, np.column_stack([1 - SCORE, SCORE]))}, pos_label="maybe")


def test_risk_coverage_must_count_answers(classified):
    y, _, classes = classified
    costly = RiskCoverageCurve.from_predictions(
        y, classes=classes, confidence=np.arange(len(y)), loss=np.full(len(y), 0.5)
    )
    with pytest.raises(ValueError, match="other than 0 and 1"):
        read_predictions({"m": costly})
    with pytest.raises(ValueError, match="does not know its classes"):
        read_predictions({"m": RiskCoverageCurve.from_losses([0, 1], [0.9, 0.1])})
