"""
Choosing between models with unknown costs
==========================================

Three models predict diabetes. Nobody can say what a missed case, a false alarm
or a second opinion will cost. Which model do we take?

Of three costs only two ratios matter: μ, the cost of a false alarm, and ν, that
of a second opinion, both in units of a missed case. Over all of them stretches
a surface, the least expected cost that a model can be had for. Its volume,
*VACC*, is the mean cost if all ratios up to 1 are equally likely.
"""

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.curves import AbstentionCostSurface
from cautious.datasets import load_dataset
from cautious.displays import CostSurfaceDisplay

X, y = load_dataset("diabetes", return_X_y=True)
models = {
    "logistic regression": make_pipeline(
        StandardScaler(), LogisticRegression()
    ),
    "naive Bayes": GaussianNB(),
    "forest": RandomForestClassifier(
        n_estimators=100, min_samples_leaf=5, random_state=0
    ),
}
scores = {
    name: cross_val_predict(model, X, y, cv=10, method="predict_proba")[:, 1]
    for name, model in models.items()
}
surfaces = {
    name: AbstentionCostSurface.from_predictions(
        y, score, pos_label="tested_positive"
    )
    for name, score in scores.items()
}

# %%
# One number per model
# --------------------
# The volume has a closed form, and its bootstrap is fast. The
# intervals say how much another sample of patients might change it.

volumes = {
    name: surface.vacc_interval(random_state=0)
    for name, surface in surfaces.items()
}
for name, volume in volumes.items():
    print(f"{name:20} VACC {volume}")
assert volumes["forest"].high > volumes["naive Bayes"].low

# %%
# The intervals overlap, but that says little: all models met the same patients,
# and what makes a patient hard makes it hard for all. A paired test takes that
# into account.

for name in ("naive Bayes", "logistic regression"):
    test = AbstentionCostSurface.vacc_test(
        y,
        scores["forest"],
        scores[name],
        pos_label="tested_positive",
        random_state=0,
    )
    print(f"forest less {name}: {test.difference}, p = {test.p_value:.3f}")

# %%
# One surface per model
# ---------------------
# A mean over all costs may hide that one model is better for some and another
# for others. First the forest's own surface: where abstaining is cheap (below),
# and where false alarms are (left), so is everything.

_ = CostSurfaceDisplay(surfaces["forest"]).plot(name="forest")

# %%
# Then the difference of two surfaces. Along the black line both models cost the
# same.

difference = surfaces["forest"].differential(surfaces["logistic regression"])
pair = {name: surfaces[name] for name in ("forest", "logistic regression")}
_ = CostSurfaceDisplay(pair, value="difference").plot()

shares = difference.winning_shares()
print(
    shares.rename({"first": "forest", "second": "logistic regression"})
    .round(2)
    .to_string()
)

# %%
# Suppose that in the end we learn that a false alarm costs 0.7 of a missed
# case. Along this line the answer is exact: which of the two is cheaper, and
# from which ν to which.

print(difference.along(mu=0.7).round(3).to_string(index=False))

# %%
# What we learned
# ---------------
# VACC ranks models without any costs, and the paired test says whether the
# ranking is more than luck. The differential surface says what to do if it is
# not, or if we come to know the costs roughly: look who is cheaper over there.
#
# Theory: Friedel, Rückert & Kramer (2006), :doc:`/papers/friedel`. API:
# :class:`cautious.curves.AbstentionCostSurface`,
# :meth:`cautious.curves.AbstentionCostSurface.vacc_test`,
# :class:`cautious.displays.CostSurfaceDisplay`.
