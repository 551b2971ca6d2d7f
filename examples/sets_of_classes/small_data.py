"""
Small data and a credal classifier
==================================

With fifteen examples, how much can be known, and does the classifier know how
little that is?

Naive Bayes always names a class. The naive credal classifier (NCC) asks what
naive Bayes would say under every prior from a large set, and keeps all the
classes that no other beats under all of them. Where the data speak, one class
is left; where they do not, several are.

The task is to tell by age, education and marital status which of two clubs a
person belongs to, or neither; a fourth feature, the hobby, is noise.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from cautious.datasets import load_dataset
from cautious.displays import CredalTriangleDisplay
from cautious.metrics import (
    cautious_report,
    determinacy_score,
    set_accuracy_score,
    single_accuracy_score,
)
from cautious.models import NaiveCredalClassifier

X, y = load_dataset("hayes-roth", return_X_y=True)
y = y.astype(str).map({"1": "club 1", "2": "club 2", "3": "neither"})


def split(size, seed):
    return train_test_split(
        X, y, train_size=size, test_size=40, stratify=y, random_state=seed
    )


# %%
# What fifteen examples allow
# ---------------------------
# The corners of a triangle are certainty of one class. A precise classifier is
# a point in it, a credal one a polygon: all the distributions that the evidence
# allows. Here are six people, two of each class, seen by classifiers that
# learned from 15 and from 120 others.

X_train, X_test, y_train, y_test = split(120, 0)
people = y_test.groupby(y_test).head(2).index
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, size in zip(axes, (15, 120), strict=True):
    model = NaiveCredalClassifier().fit(X_train[:size], y_train[:size])
    six = X_test.loc[people], y_test[people]
    CredalTriangleDisplay.from_estimator(
        model, *six, ax=ax, name=f"learned from {size}"
    )

# %%
# More data, fewer doubts
# -----------------------
# Twenty random samples of each size tell how often the classifier commits
# itself to one class (determinacy), how often it is then right, and how often
# the truth is among the classes that it names otherwise. The last two columns
# are the answers of plain naive Bayes to the same two kinds of people.

rows = []
for size in (15, 30, 60, 120):
    for seed in range(20):
        X_train, X_test, y_train, y_test = split(size, seed)
        model = NaiveCredalClassifier().fit(X_train, y_train)
        # A single prior makes it naive Bayes.
        bayes = NaiveCredalClassifier(epsilon=1).fit(X_train, y_train)
        right = bayes.predict(X_test) == y_test
        sets = model.predict_set(X_test)
        sure = sets.sum(axis=1) == 1
        given = {"y_true": y_test, "y_set": sets, "classes": model.classes_}
        rows.append(
            {
                "examples": size,
                "determinacy": determinacy_score(**given),
                "right if one": single_accuracy_score(**given),
                "in set if more": set_accuracy_score(**given),
                "Bayes if one": right[sure].mean(),
                "Bayes if more": right[~sure].mean(),
            }
        )
table = pd.DataFrame(rows).groupby("examples").mean()
table.round(3)

# %%
# This is the point of the exercise. On the people about whom the credal
# classifier is in doubt, naive Bayes is much more often wrong, and does not say
# so. The doubts are about the right people.

assert table["determinacy"].is_monotonic_increasing
assert (table["Bayes if more"] < table["Bayes if one"] - 0.1).all()
assert (table["in set if more"] > 0.95).all()

# %%
# One of these classifiers in full, which learned from 30 people:

X_train, X_test, y_train, y_test = split(30, 0)
model = NaiveCredalClassifier().fit(X_train, y_train)
print(
    cautious_report(y_test, model.predict_set(X_test), classes=model.classes_)
)

# %%
# What we learned
# ---------------
# A credal classifier separates the easy from the hard before any mistake is
# made, from the counts alone, and needs no threshold to be tuned. The fewer the
# data, the more it pays. What such sets are worth beside single answers is
# another question: see :doc:`risk_aversion`.
#
# Theory: Zaffalon, Corani & Mauá (2012), :doc:`/papers/zaffalon`. API:
# :class:`cautious.models.NaiveCredalClassifier`,
# :class:`cautious.displays.CredalTriangleDisplay`,
# :func:`cautious.metrics.cautious_report`.
