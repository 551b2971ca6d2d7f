"""Small data, and a gallery of every display with names of one's choice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from cautious.costs import SetCosts, discounted, ordinal, p_discounted
from cautious.credal import imprecise_dirichlet
from cautious.decision import threshold_rule
from cautious.models import NaiveCredalClassifier

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

from cautious import displays  # noqa: E402

_VALUES = ("cost", "abstention", "lower", "upper")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


class Binary:
    """Two noisy classes, two fitted classifiers, and their cross-validations."""

    def __init__(self, classes=("healthy", "ill")):
        rng = np.random.default_rng(7)
        truth = rng.integers(2, size=120)
        self.classes = np.array(classes, dtype=object)
        self.X = np.column_stack([truth + rng.normal(size=120), rng.normal(size=120)])
        self.y = np.array([classes[c] for c in truth], dtype=object)
        self.models = {"logistic": LogisticRegression(), "Bayes": GaussianNB()}
        for model in self.models.values():
            model.fit(self.X, self.y)
        self.proba = {name: m.predict_proba(self.X) for name, m in self.models.items()}
        column = list(self.models["Bayes"].classes_).index(classes[1])
        self.labels = self.models["Bayes"].classes_
        self.score = {name: p[:, column] for name, p in self.proba.items()}
        self.sets = {"shy": threshold_rule(self.proba["Bayes"], 0.8)}
        self.sets["bold"] = threshold_rule(self.proba["logistic"], 0.55)

    def cross_validated(self):
        options = {"cv": 3, "return_estimator": True, "return_indices": True}
        return {n: cross_validate(m, self.X, self.y, **options) for n, m in self.models.items()}


@pytest.fixture(scope="session")
def binary():
    return Binary()


@pytest.fixture(scope="session")
def cv(binary):
    return binary.cross_validated()


class Ordered:
    """Three ordered classes, discrete features, and a naive credal classifier."""

    def __init__(self, classes=("a", "b", "c")):
        rng = np.random.default_rng(3)
        truth = rng.integers(3, size=60)
        noisy = np.clip(truth[:, None] + rng.integers(-1, 2, size=(60, 3)), 0, 2)
        self.X = noisy.astype(str)
        self.y = np.array(classes, dtype=object)[truth]
        self.model = NaiveCredalClassifier(s=2).fit(self.X, self.y)
        self.classes = self.model.classes_
        self.costs = {f"r = {r}": p_discounted(ordinal(3), r=r) for r in (0.1, 0.9)}


@pytest.fixture(scope="session")
def ordered():
    return Ordered()


def draw_all(names, classes):
    """Draw every display there is, with the given names of two models and three classes."""
    with pyplot.rc_context({"figure.max_open_warning": 0}):
        return _draw_all(names, classes)


def _draw_all(names, classes):
    one, two = names
    data, rng = Binary(classes[:2]), np.random.default_rng(0)
    pos = {"pos_label": classes[1]}
    scores = dict(zip(names, data.score.values(), strict=True))
    probas = dict(zip(names, data.proba.values(), strict=True))
    sets = dict(zip(names, data.sets.values(), strict=True))
    score = scores[one]
    by_class = {"classes": data.labels}
    ordered = Ordered(classes)
    ranks = pd.DataFrame(rng.random((20, 3)), columns=[one, two, classes[2]])
    table = discounted(1 - np.eye(2)).table().set_axis([(0,), (1,), (0, 1)])
    table = table.rename(index=lambda row: tuple(classes[c] for c in row))
    strips = {
        n: SetCosts.from_table(table.set_axis(list(classes[:2]), axis=1).mul(k))
        for k, n in enumerate(names, start=1)
    }
    counts = rng.integers(1, 9, size=(5, 3))
    y = data.y
    d = displays
    losses = [[0, 5], [2, 0], [1, 1]]
    costs = {"false_negative": 5, "false_positive": 3, "abstain": 1}
    several = [
        (d.CapacityDisplay, sets, by_class),
        (d.RiskAversionDisplay, sets, by_class | {"random_state": 0}),
        *(
            (d.ResponseDisplay, probas, by_class | {"measure": m, "costs": losses})
            for m in ("accuracy", "cost", "efficacy")
        ),
        (d.RiskCoverageDisplay, probas, by_class | {"optimal": True}),
        (d.RiskCoverageDisplay, probas, by_class | {"risk": "generalised"}),
        (d.AbstentionROCDisplay, scores, pos),
        (d.CostSurfaceDisplay, scores, pos | {"value": "difference", "n": 41}),
        (d.CostSurfaceDisplay, scores, pos | {"value": "cheapest", "n": 41}),
        (d.DecisionCurveDisplay, scores, pos | {"abstain": 0.1}),
        (d.CalibrationDisplay, scores, pos),
    ]
    alone = [
        (d.AbstentionROCDisplay, {}),
        (d.AbstentionROCDisplay, {"kind": "readings", "window": 0.3}),
        (d.AbstentionROCDisplay, {"kind": "surface"}),
        (d.CostSurfaceDisplay, {"n": 11, "projection": "3d"}),
        *((d.CostSurfaceDisplay, {"n": 41, "value": v}) for v in _VALUES),
        (d.WindowDisplay, {"costs": costs}),
        (d.WindowDisplay, {"window": (0.3, 0.7), "kind": "people"}),
    ]
    drawn = [
        *(kind.from_predictions(y, answers, **options) for kind, answers, options in several),
        *(kind.from_predictions(y, score, name=one, **pos, **options) for kind, options in alone),
        d.UtilityDisplay({one: "u65", two: "u80"}).plot(),
        d.PriorStrengthDisplay.from_estimator(
            ordered.model, ordered.X, ordered.y, s=[0.1, 1, 10],
            costs=dict(zip(names, ordered.costs.values(), strict=True)),
        ),
        d.UtilityDisplay(strips).plot(name=one),
        d.CredalTriangleDisplay.from_estimator(ordered.model, ordered.X, ordered.y, name=one),
        d.CredalTriangleDisplay(imprecise_dirichlet(counts, 2), classes=list(classes)).plot(),
        d.ComparisonDisplay(ranks).plot(name=one),
        d.ComparisonDisplay(ranks[[one, two]], measure=one).plot(),
    ]  # fmt: skip
    for display in drawn:
        display.figure_.canvas.draw()
    return drawn


@pytest.fixture(scope="session")
def gallery():
    return draw_all
