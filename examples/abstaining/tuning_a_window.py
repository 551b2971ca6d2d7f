"""
Tuning a window, and keeping its promise
========================================

Thresholds chosen on some data look better there than they are. How do we choose
them, and what do they do to mail that nobody has seen?

A filter sorts mail into the inbox or the bin, or asks. The cost matrix is the
one that Ferri and Hernández-Orallo (2004) tried on the same data, rows being
the filter's answers and columns the truth: a letter lost costs 100, a nuisance
let through 20, and asking 3 or 2.
"""

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.datasets import load_dataset
from cautious.displays import ResponseDisplay
from cautious.metrics import (
    cautious_confusion_matrix,
    coverage_score,
    selective_accuracy_score,
)
from cautious.models import TunedAbstainingClassifierCV

X, y = load_dataset("spambase", return_X_y=True)
y = y.map({"0": "letter", "1": "spam"}).astype(str)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

costs = pd.DataFrame(
    [[0, 20], [100, 0], [3, 2]],
    index=["letter", "spam", "⊥"],
    columns=["letter", "spam"],
)
costs

# %%
# Costs
# -----
# The model is cross-validated once, and every window is compared on its
# out-of-fold probabilities. The best one is found exactly, without a grid and
# without fitting again.

model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
filter_ = TunedAbstainingClassifierCV(model, costs=costs).fit(X_train, y_train)
lower, upper = filter_.best_thresholds_
print(f"letter up to {lower:.3f}, spam from {upper:.4f}, ask between")
promised = -filter_.best_score_
asked = filter_.search_.abstention
print(f"promised: {promised:.2f} per mail, {asked:.1%} asked")

# %%
# And on the half of the mail that it has not seen:

table = cautious_confusion_matrix(
    y_test, filter_.predict_set(X_test), classes=filter_.classes_
)
kept = (table.to_numpy() * costs.to_numpy()).sum() / len(y_test)
print(table)
print(
    f"kept: {kept:.2f} per mail, {table.loc['⊥'].sum() / len(y_test):.1%} asked"
)
assert abs(kept / promised - 1) < 0.1

# %%
# Budgets
# -------
# Who cannot name costs may know how much can be asked, or how often the filter
# may be wrong.

for wish in ({"max_abstention": 0.05}, {"max_error": 0.02}):
    tuned = TunedAbstainingClassifierCV(model, **wish).fit(X_train, y_train)
    sets = tuned.predict_set(X_test)
    print(
        f"{wish}: {coverage_score(y_test, sets):.1%} answered, "
        f"{1 - selective_accuracy_score(y_test, sets):.1%} of the answers wrong"
    )

# %%
# The whole picture
# -----------------
# A *response curve* shows what happens as the window grows around the middle,
# from answering everything to answering nothing. The star is the cheapest
# window of this family. The filter was tuned on the same out-of-fold
# probabilities but may move both ends of its window, so it can only be cheaper.

p = cross_val_predict(model, X_train, y_train, cv=5, method="predict_proba")
display = ResponseDisplay.from_predictions(
    y_train, p, measure="cost", costs=costs, name="window around the middle"
)
display.ax_.axhline(
    promised, color="black", linewidth=1, label="both ends tuned"
)
display.ax_.set_ylim(bottom=0)
display.ax_.legend()
middle = display.curves["window around the middle"].best_window(costs=costs)
print(f"{middle.value:.2f} per mail at best, {promised:.2f} with both tuned")
assert promised <= middle.value

# %%
# What we learned
# ---------------
# Say what matters in the terms you have: costs, a budget of questions or a
# budget of mistakes. The promise is made on held-out predictions and is nearly
# kept; how nearly is seen only on data that played no part in the choice.
#
# Theory: :doc:`/papers/ferri` for windows and response curves,
# :doc:`/papers/friedel` for optimal windows. API:
# :class:`cautious.models.TunedAbstainingClassifierCV`,
# :class:`cautious.curves.ResponseCurve`,
# :func:`cautious.metrics.cautious_confusion_matrix`.
