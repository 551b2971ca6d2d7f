"""``tune``: one search, shared with the estimator."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cautious
from cautious.decision import rules_from_json
from cautious.errors import InputError
from cautious.models import TunedAbstainingClassifierCV


def test_what_the_estimator_finds_on_glass():
    """At most 30 % abstention: a threshold per class, not one for all."""
    data = cautious.load_dataset("glass")
    X, y = np.asarray(data.data, dtype=float), np.asarray(data.target)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    p = cross_val_predict(model, X, y, cv=cv, method="predict_proba")
    tuned = cautious.tune(
        {"m": {"y_true": y, "y_proba": p, "classes": np.unique(y)}}, max_abstention=0.3
    )
    estimator = TunedAbstainingClassifierCV(model, max_abstention=0.3, cv=cv).fit(X, y)
    found = tuned.found["m"]
    assert found.abstention == pytest.approx(estimator.search_.abstention)
    assert found.error == pytest.approx(-estimator.best_score_)
    assert found.rule.thresholds == pytest.approx(estimator.rule_.thresholds)
    # One threshold for all classes does worse.
    sure, right = p.max(axis=1), np.unique(y)[p.argmax(axis=1)] == y
    one = max(right[sure >= t].mean() for t in sure if (sure >= t).mean() >= 0.7)
    assert 1 - found.selective_error > one


def test_best_model():
    y = [0, 0, 0, 1, 1, 1] * 5
    good, poor = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9] * 5, [0.1, 0.8, 0.3, 0.7, 0.2, 0.9] * 5
    costs = {"false_negative": 5, "false_positive": 5, "abstain": 1}
    found = cautious.tune({"good": (y, good), "poor": (y, poor)}, costs=costs)
    assert found.best == "good"
    assert "good does best" in str(found)
    twins = cautious.tune({"a": (y, good), "b": (y, good)}, costs=costs)
    assert twins.best is None
    assert list(found.frame().index) == ["good", "poor"]
    with pytest.raises(ValueError, match="take one of"):
        _ = found.rule


def test_written_and_read(tmp_path):
    found = cautious.tune({"m": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, max_abstention=0.5)
    found.to_json(tmp_path / "rule.json")
    assert rules_from_json(tmp_path / "rule.json") == found.rules
    assert found.rule.data["n"] == 4
    assert json.loads(found.to_json())["models"]["m"]["model"] == "m"


def test_refusals():
    with pytest.raises(InputError, match="no threshold to tune"):
        cautious.tune(pd.DataFrame({"y_true": ["a", "b"], "y_set": ["a", "b"]}), max_error=0.1)
    with pytest.raises(ValueError, match="give costs, or exactly one"):
        cautious.tune({"m": ([0, 1], [0.2, 0.8])})
    with pytest.raises(ValueError, match="false_negative"):
        cautious.tune({"m": ([0, 1], [0.2, 0.8])}, costs={"fn": 1, "fp": 1, "abstain": 1})


def test_notes():
    found = cautious.tune({"m": ([0, 1, 0, 1], [0.9, 0.2, 0.8, 0.1])}, max_abstention=0.5)
    assert any("speaks against" in str(note) for note in found.notes)
    missing = cautious.tune(
        {"m": ([0, 1, 0, 1], [0.1, 0.9, np.nan, 0.8])}, max_abstention=0.5, missing="abstain"
    )
    assert any("1 cases have no score" in str(note) for note in missing.notes)
