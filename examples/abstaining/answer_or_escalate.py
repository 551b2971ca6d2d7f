"""
A committee that knows when to ask
==================================

Three classifiers of mail answer "letter" or "spam". How many of them agree is a
confidence, and so is what the best of them says of itself. Which of the two
tells better when a person should look? And from where on may answers go out, so
that at most one in fifty is wrong?

The same steps serve a language model that was asked several times.
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import cautious
from cautious.curves import RiskCoverageCurve
from cautious.displays import RiskCoverageDisplay
from cautious.predictions import majority_vote

# %%
# Answers and grades
# ------------------
# Counts of words stand in for the mails. Every answer is by a model that had
# not seen the mail.

data = cautious.load_dataset("spambase").frame.drop_duplicates()
X, y = (
    data.drop(columns="class"),
    data["class"].map({"0": "letter", "1": "spam"}).to_numpy(),
)
committee = {
    "logistic": make_pipeline(
        StandardScaler(), LogisticRegression(solver="newton-cholesky")
    ),
    "bayes": make_pipeline(MinMaxScaler(), MultinomialNB()),
    "forest": RandomForestClassifier(100, random_state=0),
}
proba = {
    name: cross_val_predict(model, X, y, cv=5, method="predict_proba")[:, 1]
    for name, model in committee.items()
}
answers = pd.DataFrame(
    {name: np.where(p > 0.5, "spam", "letter") for name, p in proba.items()}
)
votes = majority_vote(answers)
graded = pd.DataFrame(
    {
        "correct": votes["answer"].to_numpy() == y,
        "share of votes": votes["share"],
        "mean confidence": np.mean(
            [
                np.where(votes["answer"] == "spam", p, 1 - p)
                for p in proba.values()
            ],
            axis=0,
        ),
    }
)
graded.head(3)

# %%
# Which confidence is better?
# ---------------------------

kinds = ["share of votes", "mean confidence"]
print(cautious.compare(graded, correct="correct", confidence=kinds))

# %%
# From where on may answers go out?
# ---------------------------------

asked = {"correct": "correct", "confidence": "mean confidence"}
found = cautious.tune(graded, **asked, max_error=0.02, confidence_level=0.95)
print(found)

# %%
# What is escalated, and was it wrong?
# ------------------------------------

print(cautious.evaluate(graded, **asked, rule=found.rule))

# %%
# Every other limit is on this curve.

wrong = ~graded["correct"].to_numpy()
curves = {
    kind: RiskCoverageCurve.from_losses(
        wrong.astype(float), graded[kind].to_numpy()
    )
    for kind in kinds
}
RiskCoverageDisplay(curves).plot()

# %%
# What we learned
# ---------------
# Two votes of three are a coarse confidence; the mean of what the members say
# of themselves ranks right answers above wrong ones better, and that is no
# accident. With it six of ten mails need nobody to look, and at most one in
# fifty of those is promised to be wrong.
#
# Theory: :doc:`/papers/ferri`. API: :func:`cautious.predictions.majority_vote`,
# :func:`cautious.evaluation.compare`, :func:`cautious.tuning.tune`,
# :meth:`cautious.decision.Rule.acceptance`. Step by step, also in the terminal:
# :doc:`/howto/escalate`.
