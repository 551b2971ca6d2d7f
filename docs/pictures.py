"""The picture that opens the page of each display: one function per display, of its name."""

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from cautious import displays
from cautious.costs import ordinal, p_discounted
from cautious.datasets import load_dataset
from cautious.decision import optimal_sets, threshold_rule
from cautious.models import NaiveCredalClassifier, cross_val_predict_set

COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}
POSITIVE = {"pos_label": "tested_positive"}


def diabetes():
    """Truths, and out-of-fold probabilities of two classifiers."""
    X, y = load_dataset("diabetes", return_X_y=True)
    models = {"logistic": LogisticRegression(max_iter=1000), "naive Bayes": GaussianNB()}
    return y, {
        name: cross_val_predict(model, X, y, cv=10, method="predict_proba")
        for name, model in models.items()
    }


def _of_scores(display, only=None, **options):
    y, proba = diabetes()
    scores = {name: p[:, 1] for name, p in proba.items() if only in (None, name)}
    return display.from_predictions(y, scores, **POSITIVE, **options)


def AbstentionROCDisplay():
    _of_scores(displays.AbstentionROCDisplay, "logistic")


def CalibrationDisplay():
    _of_scores(displays.CalibrationDisplay)


def CapacityDisplay():
    y, proba = diabetes()
    sets = {
        f"{name}, from {level}": threshold_rule(p, level)
        for name, p in proba.items()
        for level in (0.7, 0.9)
    }
    displays.CapacityDisplay.from_predictions(y, sets)


def CostSurfaceDisplay():
    _of_scores(displays.CostSurfaceDisplay, "logistic")


def CredalTriangleDisplay():
    intervals = [[0.0, 0.3, 0.4], [0.6, 0.1, 0.0]], [[0.2, 0.4, 0.6], [0.8, 0.3, 0.2]]
    points = [[0.1, 0.35, 0.55], [0.7, 0.2, 0.1]]
    names = ["human", "bicycle", "nothing"]
    displays.CredalTriangleDisplay(intervals, points=points, classes=names).plot()


def ComparisonDisplay():
    ranks = {"LNCC": 1.6, "NCC": 2.1, "CDT": 2.9, "CMA": 3.4}
    displays.ComparisonDisplay(ranks, critical_difference=0.9).plot()


def DecisionCurveDisplay():
    _of_scores(displays.DecisionCurveDisplay)


def PriorStrengthDisplay():
    X, y = load_dataset("hayes-roth", return_X_y=True)
    sets = {
        s: cross_val_predict_set(NaiveCredalClassifier(s=s), X, y, cv=5)
        for s in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
    }
    costs = {f"r = {r}": p_discounted(ordinal(3), r=r) for r in (0.4, 0.5)}
    displays.PriorStrengthDisplay.from_predictions(y, sets, costs=costs)


def ResponseDisplay():
    y, proba = diabetes()
    displays.ResponseDisplay.from_predictions(y, proba)


def RiskAversionDisplay():
    y, proba = diabetes()
    p = proba["logistic"]
    sets = {"one class": threshold_rule(p, 0.5), "best for u80": optimal_sets(p, utility="u80")}
    displays.RiskAversionDisplay.from_predictions(y, sets, random_state=0)


def RiskCoverageDisplay():
    y, proba = diabetes()
    displays.RiskCoverageDisplay.from_predictions(y, proba)


def UtilityDisplay():
    displays.UtilityDisplay(["u65", "u80", "F1"]).plot()


def WindowDisplay():
    _of_scores(displays.WindowDisplay, "logistic", costs=COSTS)
