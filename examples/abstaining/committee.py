"""
A committee: answer where several models agree
==============================================

Ferri and Hernández-Orallo ask how several classifiers become one cautious
classifier. Two ways suggest themselves. Models with probabilities may abstain
where these spread; models that abstain themselves may vote, and where many
abstain the committee does so too.

Four models of different kinds tell what a piece of a photograph shows: brick,
sky, foliage, cement, window, path or grass.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cautious.curves import RiskCoverageCurve
from cautious.datasets import load_dataset
from cautious.metrics import cautious_confusion_matrix
from cautious.models import AbstainingClassifier, CautiousEnsembleClassifier

X, y = load_dataset("segment", return_X_y=True)
X, y = X.to_numpy(float), np.asarray(y)
X1, X2, y1, y2 = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
line = LogisticRegression(max_iter=2000)
members = [
    ("line", make_pipeline(StandardScaler(), line)),
    ("bayes", GaussianNB()),
    ("near", make_pipeline(StandardScaler(), KNeighborsClassifier(15))),
    ("tree", DecisionTreeClassifier(min_samples_leaf=10, random_state=0)),
]
careful = [
    (name, AbstainingClassifier(model, rule_params={"threshold": 0.7}))
    for name, model in members
]

# %%
# The two committees, beside their members: what share of the answers is wrong
# if only the surest cases are answered?

committees = {
    "votes": CautiousEnsembleClassifier(careful, rule="votes"),
    "spread": CautiousEnsembleClassifier(members, rule="spread"),
    "mean alone": CautiousEnsembleClassifier(members, caution=0),
}
curves = {}
for name, model in members:
    p = model.fit(X1, y1).predict_proba(X2)
    curves[name] = RiskCoverageCurve.from_predictions(
        y2, p, classes=model.classes_
    )
for name, model in committees.items():
    wrong = model.fit(X1, y1).predict(X2) != y2
    curves[name] = RiskCoverageCurve.from_losses(wrong, model.confidence(X2))
area = pd.Series({name: curve.aurc for name, curve in curves.items()})
print((100 * area).round(2).to_string())
assert area[list(committees)].max() < area[[n for n, _ in members]].min()

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, curve in curves.items():
    alone = name not in committees
    look = {"color": "0.6", "lw": 1} if alone else {"lw": 2, "label": name}
    ax.plot(100 * curve.coverage, 100 * curve.selective_risk, **look)
    if alone and name != "bayes":
        end = (100, 100 * curve.selective_risk[-1])
        up = -10 if name == "tree" else 0
        ax.annotate(name, end, (4, up), textcoords="offset points")
ax.set(
    xlabel="answered (%)",
    ylabel="wrong among the answers (%)",
    title="Committees, and their members alone (grey; bayes is above)",
    xlim=(55, 106),
    ylim=(-0.3, 12),
)
_ = ax.legend(loc="upper left")

# %%
# Every committee is better than its best member. The spread adds nothing to
# the mean here: where members disagree the mean is small already. So it was on
# four more data sets that we tried.

assert area["mean alone"] <= area["spread"] * 1.05

# %%
# The threshold may be found for a goal, on answers out of fold.

model = CautiousEnsembleClassifier(careful, rule="votes", max_error=0.02).fit(
    X1, y1
)
answered = model.predict_set(X2).sum(axis=1) == 1
wrong = (model.predict(X2) != y2)[answered].mean()
print(f"answered {answered.mean():.1%}, {wrong:.1%} of the answers wrong")
print(model.vote_shares(X2[~answered]).head(3).round(2).to_string())

# %%
# A class "unknown"
# -----------------
# Sometimes the data know doubt themselves: here an expert could not tell what
# the darkest windows and cement show. Such a label is learned like any other. A
# table of costs says the rest: to abstain on it is right, to answer it never.

dark = np.isin(y, ["window", "cement"]) & (
    X[:, -3] < np.quantile(X[:, -3], 0.2)
)
said = np.where(dark, "unknown", y.astype(object))
train, test = train_test_split(np.arange(len(y)), stratify=said, random_state=0)
names = np.unique(said)
costs = pd.DataFrame(1.0 - np.eye(len(names)), names, names)
costs.loc["unknown"] = 2
costs.loc["abstain"] = 0.5 * (names != "unknown")
tree = DecisionTreeClassifier(random_state=0)
doubter = AbstainingClassifier(tree, "optimal_sets", {"costs": costs})
sets = doubter.fit(X[train], said[train]).predict_set(X[test])
counts = cautious_confusion_matrix(said[test], sets, classes=names)
print(counts.to_string())
assert counts.loc["unknown"].sum() == 0

# %%
# What we learned
# ---------------
# A committee orders cases by how sure they are better than its members do.
# Votes are coarse, but need no probabilities that compare; the mean of
# probabilities is finer. Taking the spread off the mean is worth a try, not a
# habit.
#
# Theory: section 8 of Ferri & Hernández-Orallo (2004), :doc:`/papers/ferri`.
# API: :class:`cautious.models.CautiousEnsembleClassifier`,
# :class:`cautious.models.AbstainingClassifier`.
