"""ONNX graphs answer with the sets of the library, run by onnxruntime."""

import json
import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.decision import Rule
from cautious.integrations import to_onnx
from cautious.models import (
    CautiousPipeline,
    CertifiedAbstainingClassifier,
    TunedAbstainingClassifierCV,
)

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
COSTS = {"false_negative": 10, "false_positive": 4, "abstain": 1}


def ask(model, **inputs):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return dict(
        zip([o.name for o in session.get_outputs()], session.run(None, inputs), strict=True)
    )


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(0.2, 0.8), (0.5, 0.5), (-math.inf, 0.8), (0.2, math.inf), (-math.inf, math.inf), (-3, 7)],
)
def test_a_window_bit_for_bit(lower, upper):
    rule = Rule.window(lower, upper, classes=["no", "yes"])
    edges = [e for t in (lower, upper) for e in (np.nextafter(t, -9), t, np.nextafter(t, 9))]
    scores = np.array([*edges, math.nan, math.inf, -math.inf, *np.linspace(-4, 8, 50)])
    model = to_onnx(rule)
    assert (ask(model, scores=scores)["sets"] == rule.predict_set(scores)).all()
    about = {one.key: one.value for one in model.metadata_props}
    assert json.loads(about["cautious.classes"]) == ["no", "yes"]
    assert Rule.from_json(about["cautious.rule"]) == rule


@pytest.mark.parametrize(
    "rule",
    [
        Rule.confidence(0.5, classes=["a", "b", "c"]),
        Rule.confidence(math.inf, classes=["a", "b", "c"]),
        Rule.class_thresholds([0.3, 0.6, math.inf], classes=["a", "b", "c"]),
    ],
)
def test_thresholds_bit_for_bit(rule):
    p = np.random.default_rng(0).dirichlet(np.ones(3), 300)
    ties = [[0.5, 0.5, 0], [0.25, 0.25, 0.5], [1 / 3] * 3, [0.3, 0.3, 0.4], [math.nan, 1, 0]]
    p = np.vstack([p, ties])
    assert (ask(to_onnx(rule), scores=p)["sets"] == rule.predict_set(p)).all()


def near(p, thresholds):
    return (np.abs(p[:, None] - np.array(thresholds)) < 1e-5).any(axis=1)


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_a_rule_at_the_end_of_a_pipeline(positive):
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(y, "well", "ill")
    tuned = TunedAbstainingClassifierCV(LogisticRegression(), costs=COSTS, pos_label=positive, cv=3)
    model = CautiousPipeline.from_steps(StandardScaler(), "passthrough", PCA(10), tuned).fit(X, y)
    answers = ask(to_onnx(model, X), X=X)
    p = model.predict_proba(X)
    assert answers["probabilities"] == pytest.approx(p, abs=1e-5)
    at = model.classes_.tolist().index(positive)
    close = near(p[:, at], model[-1].best_thresholds_)
    assert close.mean() < 0.02
    assert (answers["sets"] == model.predict_set(X))[~close].all()
    assert 0 < model.predict_set(X).all(axis=1).mean() < 1


def test_a_class_that_the_estimator_was_not_shown():
    pytest.importorskip("skl2onnx")
    X, y = load_iris(return_X_y=True)
    y = np.where(np.arange(len(y)) % 25 == 0, 1, y + (y > 0))  # one class more, of six cases
    base = RandomForestClassifier(20, random_state=0).fit(X[y != 1], y[y != 1])
    model = CertifiedAbstainingClassifier(FrozenEstimator(base), max_error=0.3).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    found = ask(to_onnx(model, X.astype(np.float32)), X=X.astype(np.float32))["sets"]
    assert (found == model.predict_set(X.astype(np.float32))).all()
    assert found.sum(axis=1).min() == 1


@pytest.mark.filterwarnings("ignore:.* calibration rows also occur")  # iris has a row twice
def test_a_certified_forest_of_three_classes():
    X, y = load_iris(return_X_y=True)
    model = CertifiedAbstainingClassifier(
        RandomForestClassifier(20, random_state=0), max_error=0.2, random_state=0
    ).fit(X, y)
    assert model.rule_.kind == "confidence"
    answers = ask(to_onnx(model, X.astype(np.float32)), X=X.astype(np.float32))
    p = model.predict_proba(X.astype(np.float32))
    close = near(p.max(axis=1), [model.rule_.threshold])
    assert (answers["sets"] == model.predict_set(X.astype(np.float32)))[~close].all()
    assert not close.all()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LogisticRegression(), "without a rule"),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            "that ends in a LogisticRegression without a rule",
        ),
        (Rule.utility("u65", classes=[0, 1]), "of kind 'utility'"),
        (
            Rule.class_thresholds([0, 0], classes=[0, 1], costs=[[0, 8], [4, 0], [1, 1]]),
            "'class_thresholds' with costs",
        ),
    ],
)
def test_what_has_no_graph(model, words):
    with pytest.raises((TypeError, ValueError), match=words):
        to_onnx(model)
