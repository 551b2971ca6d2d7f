"""
Probabilities that mean what they say
=====================================

To abstain where the probability of a mistake is above one in five makes sense
only if the probabilities are right. How far are they off, how sure is that,
and what helps?

Naive Bayes tells spam from other mail. It is famous for its overconfidence.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.naive_bayes import GaussianNB

from cautious.datasets import load_dataset
from cautious.displays import CalibrationDisplay
from cautious.metrics import calibration_error
from cautious.models import ScoreCalibrator

X, y = load_dataset("spambase", return_X_y=True)
X, spam = X.to_numpy(float), (np.asarray(y).astype(str) == "1").astype(int)
fit, held, test = np.array_split(
    np.random.default_rng(0).permutation(len(spam)), 3
)
model = GaussianNB().fit(X[fit], spam[fit])
odds_held, odds = (
    np.diff(model.predict_joint_log_proba(X[rows]), axis=1)[:, 0]
    for rows in (held, test)
)  # of spam, as logarithms, which still differ where probabilities are all 1
p_test = expit(odds)
before = calibration_error(spam[test], p_test)
print(before)

# %%
# The first number is the estimate, then its interval. What is usually printed
# as the expected calibration error is the number *seen*; a part of it is noise
# of the bins, which even right probabilities would show.
#
# Two ways to mend it from predictions alone, both by cases that the model has
# not learned from. A temperature is one number, and few cases will do. It
# leaves the order of the cases as it is, and so does isotonic regression,
# which takes any rising shape and wants more cases. Where the estimator is at
# hand, scikit-learn's ``CalibratedClassifierCV`` does either in one go.

one_number = ScoreCalibrator("temperature", logits=True)
one_number.fit(spam[held], odds_held)
isotonic = ScoreCalibrator("isotonic").fit(spam[held], odds_held)
scores = {
    "as told": p_test,
    f"temperature {one_number.temperature:.1f}": one_number.predict_proba(odds)[
        :, 1
    ],
    "isotonic": isotonic.predict_proba(odds)[:, 1],
}
errors = {name: calibration_error(spam[test], p) for name, p in scores.items()}
table = pd.DataFrame(
    {
        name: [error.estimate, error.low, error.high, error.plug_in]
        for name, error in errors.items()
    },
    index=["estimate", "low", "high", "seen"],
).T
print(table.round(3))
assert table.loc["isotonic", "high"] < table.loc["as told", "low"]

# %%
# On average the probabilities were off by a sixth. A single temperature does
# not bend them enough here. After isotonic regression nothing is wrong that
# these cases could show. On 150 of them, the error *seen* of the same isotonic
# probabilities is more than twice as large, and all of it may be noise:

few = calibration_error(spam[test[:150]], scores["isotonic"][:150])
print(few)
assert few.plug_in > 2 * table.loc["isotonic", "seen"]

# %%
# The bins, drawn:

fig, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
for name, p in scores.items():
    CalibrationDisplay.from_predictions(
        spam[test], p, ax=ax, name=name, confidence_level=None
    )
labels = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
_ = ax.legend(labels.values(), labels, loc="upper left")

# %%
# What it is good for: answer where a mistake is at most one in five.

for name, p in scores.items():
    sure = np.maximum(p, 1 - p) >= 0.8
    wrong = ((p > 0.5) != spam[test])[sure].mean()
    print(f"{name}: {sure.mean():.0%} answered, {wrong:.1%} of them wrong")

# %%
# How sure is a single probability? Venn–Abers gives an interval.

intervals = isotonic.predict_proba_bounds(np.quantile(odds, [0.1, 0.5, 0.9]))
print(np.column_stack([intervals.lower[:, 1], intervals.upper[:, 1]]).round(3))

# %%
# What we learned
# ---------------
# A calibration error without an interval, and without what chance alone would
# show, says little on a few hundred cases. The interval here assumes nothing
# about where the probabilities are wrong.
#
# Theory: costs and thresholds on probabilities, :doc:`/papers/friedel`. API:
# :func:`cautious.metrics.calibration_error`,
# :class:`cautious.models.ScoreCalibrator`.
