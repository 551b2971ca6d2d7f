"""
Grades: an ordinal problem with p-discounted costs
==================================================

Lecturers are graded from 0 to 4. To be off by one is a pity, to be off by three
is a scandal. How should a classifier hedge between grades?

The cost of a wrong grade is its distance from the right one. What a *set* of
grades costs follows from that and from one number, *r*: 0 charges the mean of
its grades, towards 1 a set that holds the truth becomes free.
"""

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from cautious.costs import ordinal, p_discounted
from cautious.datasets import load_dataset
from cautious.decision import optimal_sets
from cautious.displays import PriorStrengthDisplay, UtilityDisplay
from cautious.metrics import MEASURES, mean_set_size, set_cost_score
from cautious.models import NaiveCredalClassifier, OrdinalClassifier
from cautious.sets import as_labels

containment = MEASURES["containment"].score

X, y = load_dataset("LEV", return_X_y=True)
grades = list(y.cat.categories)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
costs = {
    r: p_discounted(ordinal(5), r=r, classes=grades) for r in (0.1, 0.5, 0.9)
}

# %%
# What to answer when torn
# ------------------------
# Let the belief move from "about 1" to "about 3". Under each *r* other sets are
# the cheapest: the larger *r*, the larger they are.

strips = {f"r = {r}": of_sets for r, of_sets in costs.items()}
start, end = [0.2, 0.6, 0.2, 0, 0], [0, 0, 0.2, 0.6, 0.2]
display = UtilityDisplay(strips, start=start, end=end).plot()
print(display.frame().round(3).to_string(index=False))

# %%
# Grades in a set need not be neighbours. Who is sure that it is 1 or 4 gains
# nothing by naming 2 and 3:

either = optimal_sets([[0, 0.5, 0, 0, 0.5]], costs[0.5])
print(as_labels(either, grades))
assert as_labels(either, grades) == [("1", "4")]

# %%
# Precise probabilities
# ---------------------
# A naive Bayes classifier gives probabilities, and the set of the least
# expected cost follows. Its cost is measured with the *r* that it was made for.

bayes = NaiveCredalClassifier(epsilon=1).fit(X_train, y_train)
p = bayes.predict_proba(X_test)
rows = {}
for r, of_sets in costs.items():
    bold = np.eye(5, dtype=bool)[p.argmax(axis=1)]
    best = optimal_sets(p, of_sets)
    rows[f"r = {r}"] = {
        "cost of likeliest": set_cost_score(
            y_test, bold, classes=grades, costs=of_sets
        ),
        "cost of best set": set_cost_score(
            y_test, best, classes=grades, costs=of_sets
        ),
        "mean size": mean_set_size(y_test, best, classes=grades),
    }
table = pd.DataFrame(rows).T
table.round(3)

# %%
# The more rightful caution is rewarded, the larger the sets, and the more is
# saved.

assert table["mean size"].is_monotonic_increasing
assert table["cost of best set"].is_monotonic_decreasing
assert (table["cost of best set"] < table["cost of likeliest"]).all()
print("p =", p[0].round(2))
for r, of_sets in costs.items():
    print(f"r = {r}:", as_labels(optimal_sets(p[:1], of_sets), grades)[0])

# %%
# A credal classifier
# -------------------
# The other road to sets: bound the probabilities and keep every grade that no
# other beats under all of them, given the costs. Its caution is governed by
# *s*, and figure 3 of Yang, Destercke and Masson shows what it costs. Here it
# is on the test half; each star is the cheapest *s*.

credal = NaiveCredalClassifier(idm="local", costs=ordinal(5)).fit(
    X_train, y_train
)
sets = {}
for s in (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10):
    sets[s] = credal.set_params(s=s).fit(X_train, y_train).predict_set(X_test)
display = PriorStrengthDisplay.from_predictions(
    y_test, sets, costs=strips, classes=grades
)
print(display.frame().round(3))

# %%
# If caution is worth little (r = 0.1), the best *s* is small; if it is worth
# much (r = 0.9), it is larger.

cheapest = display.frame().idxmin()
assert cheapest["r = 0.1"] <= cheapest["r = 0.5"] <= cheapest["r = 0.9"]

# %%
# Neighbours only
# ---------------
# "Between 1 and 3" is easier to say than "1 or 4". Interval costs charge the
# distance of the truth from the set, and its width; the best of all sets then
# has no gaps. It lies between two quantiles of the probabilities, and under
# bounds of them it is the one whose worst expected cost is the least.

credal = credal.set_params(s=1).fit(X_train, y_train)
for name, model in {"precise": bayes, "credal": credal}.items():
    ordered = OrdinalClassifier(FrozenEstimator(model), width=0.1)
    sets = ordered.fit(X_train, y_train).predict_set(X_test)
    held = containment(y_test, sets, classes=grades)
    size = mean_set_size(y_test, sets, classes=grades)
    print(f"{name}: {held:.3f} hold the truth, mean size {size:.2f}")

# %%
# What we learned
# ---------------
# Order matters twice: in what a wrong grade costs, and in which sets are worth
# naming. One number *r* carries it from single grades to all sets of them.
#
# Theory: Yang, Destercke & Masson (2017), :doc:`/papers/yang`. API:
# :func:`cautious.costs.ordinal`, :func:`cautious.costs.p_discounted`,
# :func:`cautious.decision.optimal_sets`,
# :meth:`cautious.costs.SetCosts.from_positions`,
# :class:`cautious.models.OrdinalClassifier`,
# :class:`cautious.displays.PriorStrengthDisplay`.
