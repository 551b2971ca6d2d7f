"""
Risk and coverage in ten lines
==============================

How much better does a classifier get if it may abstain on its hardest
cases?

A forest tells four kinds of vehicle apart by their silhouettes. For each case
it says how sure it is. We let it answer the surest cases first and watch the
share of wrong answers.
"""

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

from cautious.curves import RiskCoverageCurve
from cautious.datasets import load_dataset
from cautious.displays import RiskCoverageDisplay

X, y = load_dataset("vehicle", return_X_y=True)
forest = RandomForestClassifier(n_estimators=100, random_state=0)
p = cross_val_predict(forest, X, y, cv=5, method="predict_proba")
curve = RiskCoverageCurve.from_predictions(y, p)
_ = RiskCoverageDisplay(curve, optimal=True).plot(name="forest")

# %%
# Read the curve from the right. At coverage 1 everything is answered; to the
# left of it fewer and fewer cases are, and fewer of the answers are wrong. The
# thin line is the best that the same answers allow: a classifier that knows
# which of them are wrong would abstain on just those.

half = curve.threshold_at_coverage(0.5)
print(f"everything answered: {curve.risk_at_coverage(1.0):.1%} wrong")
print(
    f"sure to {half.threshold:.2f}: {half.coverage:.1%}, {half.risk:.1%} wrong"
)

# %%
# The other way round, a promise that at most 5 % of the answers are wrong says
# how many can be given:

promise = curve.threshold_at_risk(0.05)
print(f"from {promise.threshold:.2f} on, {promise.coverage:.1%} of cases")
assert promise.risk <= 0.05
assert half.risk < 0.04 < 0.25 < curve.risk_at_coverage(1.0)

# %%
# One number for the whole curve is the area under it. Libraries compute
# different numbers under the name AURC; ours is the exact area, and ties in the
# scores cannot change it. The *excess* leaves out what no ordering of the cases
# could avoid.

print(
    f"AURC {curve.aurc:.4f}, of which {curve.excess_aurc:.4f} could be avoided"
)
print(f"AUGRC {curve.augrc:.4f}")

# %%
# What we learned
# ---------------
# The forest knows fairly well where it is weak: of all its answers a quarter
# are wrong, of those to the easier half of the cases less than four in a
# hundred. Thresholds are chosen and judged here on the same held-out
# predictions; how a promise fares on new data is seen in
# :doc:`tuning_a_window`.
#
# API: :class:`cautious.curves.RiskCoverageCurve`,
# :class:`cautious.displays.RiskCoverageDisplay`,
# :func:`cautious.metrics.aurc_score`. The capacity and response curves of Ferri
# & Hernández-Orallo, which ask the same question another way, are explained in
# :doc:`/papers/ferri`.
