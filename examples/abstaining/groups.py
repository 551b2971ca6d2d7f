"""
Who is left without an answer?
==============================

A bank lets a model decide on credits where it is sure, and a clerk where it is
not. Does everybody get the same share of quick answers, and answers that are
equally right?

Abstaining can hide unfairness: a model that abstains on one group more
than another looks accurate on both, while one of them waits for the clerk. So
look at the groups apart. The model is not told the age of the applicants, their
sex, or whether they are foreign workers.
"""

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from cautious.curves import RiskCoverageCurve
from cautious.datasets import load_dataset
from cautious.decision import threshold_rule
from cautious.displays import RiskCoverageDisplay
from cautious.metrics import breakdown

X, y = load_dataset("credit-g", return_X_y=True)
age = np.where(X["age"] <= 25, "up to 25", "over 25")
sex = np.where(
    X["personal_status"].astype(str).str.startswith("female"), "women", "men"
)

X = X.drop(columns=["age", "personal_status", "foreign_worker"])
encode = make_column_transformer(
    (
        OneHotEncoder(handle_unknown="ignore"),
        make_column_selector(dtype_include="category"),
    ),
    remainder=StandardScaler(),
)
model = make_pipeline(encode, LogisticRegression(max_iter=1000))
p = cross_val_predict(model, X, y, cv=10, method="predict_proba")

# %%
# One threshold for all
# ---------------------
# The model answers where it is at least 75 % sure. A table of every group, with
# bootstrap intervals, is one call.

classes = ["bad", "good"]
answers = threshold_rule(p, 0.75)
measures = ["coverage", "selective_accuracy", "error"]
options = {
    "measures": measures,
    "classes": classes,
    "confidence_level": 0.9,
    "random_state": 0,
}
by_sex = breakdown(y, answers, groups=sex, margins=True, **options)
by_sex.round(3).T

# %%

by_age = breakdown(y, answers, groups=age, margins=True, **options)
by_age.round(3).T

# %%
# Men and women get nearly the same share of answers: the intervals of their
# coverage overlap. The young do not: fewer of them are answered, and more of
# the answers are wrong.

assert round(by_sex.loc["all", "selective_accuracy"], 2) == 0.87
assert by_sex.loc["men", "coverage low"] < by_sex.loc["women", "coverage high"]
assert (
    by_age.loc["up to 25", "coverage high"]
    < by_age.loc["over 25", "coverage low"]
)
assert (
    by_age.loc["up to 25", "selective_accuracy"]
    < by_age.loc["over 25", "selective_accuracy"]
)

# %%
# Would another threshold help?
# -----------------------------
# A curve a group shows every threshold at once. If the curves lay on each
# other, equal coverage would mean equal risk, and a threshold of its own for
# each group would even things out.

curves = {
    group: RiskCoverageCurve.from_predictions(
        y[age == group], p[age == group], classes=classes
    )
    for group in ("over 25", "up to 25")
}
_ = RiskCoverageDisplay(curves).plot()

for group, curve in curves.items():
    risk = curve.risk_at_coverage(0.5)
    print(f"{group}: of the answers to the surest half {risk:.1%} are wrong")

# %%
# They do not lie on each other. To promise both groups the same share of wrong
# answers, the young must be asked to wait still more often. At most 15 % wrong
# means:

for group, curve in curves.items():
    threshold, coverage, _ = curve.threshold_at_risk(0.15)
    print(f"{group}: answer from {threshold:.2f} on, {coverage:.0%} of cases")

# %%
# What we learned
# ---------------
# A sentence like "87 % of the answers are right" can be true while one group
# waits longer and is served worse. No threshold mends that here: the model
# simply knows less about the young, and better data or features are needed. But
# without the table nobody would have asked.
#
# API: :func:`cautious.metrics.breakdown`,
# :class:`cautious.displays.RiskCoverageDisplay`,
# :func:`cautious.decision.threshold_rule`. The measures are those of Ferri &
# Hernández-Orallo (2004), :doc:`/papers/ferri`.
