"""
Medical triage with unequal costs
=================================

Which patients should a model send home, which to treatment, and which to a
specialist?

A missed heart disease is far worse than a needless treatment, and a specialist
costs something too. Say they cost 10, 2 and 1. With three answers there are two
thresholds to choose: up to the lower one the model says "absent", from the
upper one "present", and between them it abstains and hands the patient to
the specialist.
"""

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.curves import AbstentionCostSurface
from cautious.datasets import load_dataset
from cautious.displays import CostSurfaceDisplay

X, y = load_dataset("heart-statlog", return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression())
p = cross_val_predict(model, X, y, cv=10, method="predict_proba")[:, 1]
surface = AbstentionCostSurface.from_predictions(y, p, pos_label="present")

# %%
# The best window
# ---------------
# The surface knows the best window for every choice of costs, because all of
# them follow from the convex hull of the score's class counts. Nothing is
# searched.

best = surface.for_costs(
    {"false_negative": 10, "false_positive": 2, "abstain": 1}
)
print(f"absent up to {best.lower:.3f}, present from {best.upper:.3f}")
print(f"cost {best.cost:.3f} per patient")
print(best.frame().round(3))

# %%
# Rows are answers, ⊥ being the specialist, and columns are truths; the cells
# are shares of all patients. Is that good? Compare with giving every patient
# the same answer:

print(best.trivial.round(3))
print(f"saved against the best of these: {best.saving:.3f} per patient")
assert best.cost < best.trivial.min()
assert best.lower < 0.1 < 0.5 < best.upper < 0.6

# %%
# What a specialist may cost
# --------------------------
# Costs are seldom known to the digit. Only two ratios matter: μ, what a false
# alarm costs in units of a missed disease, and ν, the same for a specialist.
# The map shows for all of them how many patients go to the specialist; the
# cross is where we are.

mu, nu = 2 / 10, 1 / 10
display = CostSurfaceDisplay(surface, value="abstention").plot(
    name="heart disease"
)
_ = display.ax_.plot(
    mu, nu, "X", color="white", markeredgecolor="black", markersize=12
)

# %%
# Above the dashed line, :math:`\nu = \mu/(1+\mu)`, no classifier gains anything
# by abstaining: there one of the two answers is always the better bet. With
# our costs that makes a specialist who costs more than 10 · 0.2/1.2 ≈ 1.67
# useless, however good or bad the model is.

for price in (0.25, 0.5, 1.0, 1.5, 1.7):
    at = surface.for_costs(
        {"false_negative": 10, "false_positive": 2, "abstain": price}
    )
    print(
        f"specialist {price:4}: {at.abstention:6.1%} sent there, "
        f"{at.false_negative:.1%} missed, cost {at.cost:.3f}"
    )
    assert at.abstention == 0 or price <= 10 * mu / (1 + mu)

# %%
# What we learned
# ---------------
# Unequal costs make the window lopsided: a probability of less than 0.6 is
# enough to call the disease present, but it must be below 0.1 to call it
# absent. Cheap specialists see many patients. Above a cost that follows from
# the other two, without any data, specialists see none.
#
# The window was chosen on the predictions it is judged on, so its cost is a
# little too good to be true. :doc:`tuning_a_window` judges a window on cases
# that it has not seen.
#
# Theory: Friedel, Rückert & Kramer (2006), :doc:`/papers/friedel`. API:
# :class:`cautious.curves.AbstentionCostSurface`,
# :class:`cautious.displays.CostSurfaceDisplay`.
