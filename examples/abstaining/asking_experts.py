"""
Asking experts: who should answer what, at which price
======================================================

A model need not answer alone. There is a nurse who costs little, and a
specialist who costs more and errs less. Whom should it ask about which cases?

Pima women are tested for diabetes. The experts are simulated here, so that we
know how good they are; in earnest their answers to some old cases are on file.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.datasets import load_dataset
from cautious.models import DeferringClassifier, DelegatingClassifier

X, y = load_dataset("diabetes", return_X_y=True)
y = np.where(y == "tested_positive", "ill", "well")
rng = np.random.default_rng(0)


def answers(y, missed, false_alarms):
    wrong = rng.random(len(y)) < np.where(y == "ill", missed, false_alarms)
    return np.where(wrong, np.where(y == "ill", "well", "ill"), y)


said = pd.DataFrame(
    {
        "nurse": answers(y, missed=0.2, false_alarms=0.1),
        "specialist": answers(y, missed=0.03, false_alarms=0.03),
    }
)
# The specialist has seen every other case only.
known = said.astype(object).mask(
    np.column_stack([np.zeros(len(y), bool), rng.random(len(y)) < 0.5])
)
X1, X2, y1, y2, known1, _, _, said2 = train_test_split(
    X, y, known, said, test_size=0.5, stratify=y, random_state=0
)

# %%
# To miss an ill woman costs 4, a false alarm 1. The nurse costs 0.1 per case,
# the specialist 0.3.

costs = pd.DataFrame(
    [[0, 1], [4, 0]], index=["ill", "well"], columns=["ill", "well"]
)
prices = {"nurse": 0.1, "specialist": 0.3}
line = make_pipeline(StandardScaler(), LogisticRegression())
model = DeferringClassifier(line, costs=costs, prices=prices)
model.fit(X1, y1, answers=known1)
print(model.team_.frame())
print(model.team_.experts.round(3))

# %%
# Along the scores the experts stand in the order in which they pay: the model
# answers what it is sure of, and the costly specialist is asked only where
# enough is at stake. What does the team cost on new cases, beside its members?


def cost(given, paid):
    wrong = np.where(y2 == "ill", 4.0, 1.0) * (given != y2)
    return np.mean(wrong + paid)


who = model.decided_by(X2)
paid = pd.Series(who).map({"model": 0.0, **prices}).to_numpy(float)
alone = DeferringClassifier(line, costs=costs).fit(X1, y1)
table = pd.Series(
    {
        "model alone": cost(alone.predict(X2), 0.0),
        "nurse alone": cost(said2["nurse"].to_numpy(), 0.1),
        "specialist alone": cost(said2["specialist"].to_numpy(), 0.3),
        "team": cost(model.predict_team(X2, said2), paid),
    }
)
print(table.round(3).to_string())
print(pd.Series(who).value_counts().to_string())
assert table.idxmin() == "team"

# %%
# The new cases by their probability of diabetes, and who answers them: the
# model at both ends, the nurse where few are ill, the specialist in between.

score = model.predict_proba(X2)[:, list(model.classes_).index("ill")]
members = ["model", *prices]
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.hist(
    [score[who == one] for one in members], bins=20, stacked=True, label=members
)
ax.set(xlabel="probability of being ill", ylabel="cases")
_ = ax.legend(title="answered by")

# %%
# A promise
# ---------
# How much must be asked so that the team errs in at most 15 % of new cases?
# This is tested on a part of the cases to which all answers are known.

careful = DeferringClassifier(
    line, prices=prices, max_error=0.15, confidence_level=0.9, random_state=0
).fit(X1, y1, answers=said.loc[known1.index])
print(careful.certificate_)
team = careful.predict_team(X2, said2)
print(f"{np.mean(team != y2):.1%} wrong among new cases")
print(pd.Series(careful.decided_by(X2)).value_counts().to_string())

# %%
# Models that cost time
# ---------------------
# In a cascade of models nobody's answers need be known beforehand: the
# thresholds of all stages are tuned together.

cascade = DelegatingClassifier(
    [("line", line), ("again", LogisticRegression(C=0.01, max_iter=5000))],
    rules="tuned",
    prices=[0, 0.01],
    train_on="all",
).fit(X1, y1)
print(cascade.thresholds_, round(cascade.tuned_cost_, 3))

# %%
# What we learned
# ---------------
# With two classes the best division of the scores is found exactly, prices and
# capacities included. What an expert is worth is estimated per class; the
# promise is tested on cases and needs no such estimate.
#
# Theory: delegating is named in section 8 of Ferri & Hernández-Orallo (2004),
# :doc:`/papers/ferri`. API: :class:`cautious.models.DeferringClassifier`,
# :func:`cautious.tuning.find_team`,
# :class:`cautious.models.DelegatingClassifier`.
