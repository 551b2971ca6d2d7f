"""
A forest that says what it cannot tell apart
============================================

How much evidence do the probabilities of a random forest rest on?

The leaves of its trees know: one with two examples has seen less than one with
fifty. A cautious forest reads the class counts in the leaves through the
imprecise Dirichlet model, and answers with a set of classes where they say too
little. Six rules turn what the trees say into a set. Here they meet on four
kinds of vehicles, two of which are cars.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from cautious.datasets import load_dataset
from cautious.metrics import (
    determinacy_score,
    make_set_scorer,
    single_accuracy_score,
    utility_score,
)
from cautious.models import CautiousForestClassifier, CautiousSearchCV

X, y = load_dataset("vehicle", return_X_y=True)
X, y = X.to_numpy(dtype=float), y.astype(str).to_numpy()
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.4, random_state=0, stratify=y
)

# %%
# One forest, six rules
# ---------------------
# The forest is grown once. Rules and their parameters take effect when it is
# asked.

forest = RandomForestClassifier(100, random_state=0).fit(X_train, y_train)
model = CautiousForestClassifier(FrozenEstimator(forest)).fit(X_train, y_train)
rows = {}
for rule in ("cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr"):
    sets = model.set_params(rule=rule).predict_set(X_test)
    given = {"y_true": y_test, "y_set": sets, "classes": model.classes_}
    rows[rule] = {
        "determinacy": determinacy_score(**given),
        "right if one": single_accuracy_score(**given),
        "u65": utility_score(**given, utility="u65"),
        "u80": utility_score(**given, utility="u80"),
    }
table = pd.DataFrame(rows).T
print(table.round(3))

# %%
# Asking for one class only where the trees agree makes that class more often
# right than the forest is by itself.

accuracy = (forest.predict(X_test) == y_test).mean()
assert table.loc["cdm-vote", "right if one"] > accuracy + 0.05

# %%
# Which classes does it confuse?
# ------------------------------
# Sets of two say it plainly: the forest tells vans and buses from cars, but
# not one car, the Opel, from the other, the Saab.

sets = model.set_params(rule="cdm-vote").predict_set(X_test)
answers, times = np.unique(sets, axis=0, return_counts=True)
names = [" or ".join(model.classes_[answer]) for answer in answers]
order = np.argsort(times)
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.barh([names[i] for i in order], times[order])
ax.set(xlabel="test cases", title="What the forest answers")

pairs = answers.sum(axis=1) == 2
most = np.flatnonzero(pairs)[times[pairs].argmax()]
assert names[most] == "opel or saab"

# %%
# How strong should the prior be?
# -------------------------------
# Cross-validation chooses the strength s for what a set is worth to you.

grown = RandomForestClassifier(100, random_state=0)
for worth in ("u65", "u80"):
    tuned = CautiousSearchCV(
        CautiousForestClassifier(grown, utility=worth),
        {"s": [0.5, 1.0, 1.5, 2.0, 2.5]},
        scoring=make_set_scorer(worth),
        cv=3,
    ).fit(X_train, y_train)
    scores = tuned.cv_results_["mean_test_score"]
    print(worth, tuned.best_params_, scores.round(3))

# %%
# What we learned
# ---------------
# A forest that has been grown already can be asked for sets, without growing
# it again and without thresholds. Where it doubts, its sets say between what.
#
# Theory: Zhang, Quost & Masson (2023), *Cautious decision-making for tree
# ensembles*; the utilities of sets, :doc:`/papers/zaffalon`. API:
# :class:`cautious.models.CautiousForestClassifier`,
# :class:`cautious.models.CautiousSearchCV`.
