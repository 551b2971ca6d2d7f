"""
How much caution do you want to pay for?
========================================

One classifier always names one type of glass. Another sometimes names several.
Which is better?

It depends on what a right answer of two classes is worth, if a right single one
is worth 1. Half, says the accountant: a coin would do as well. More than half,
says anyone who dislikes gambling. Call the worth *k*. The literature uses .65
and .80; we need not choose, because the mean utility of a classifier is a
straight line in *k*.
"""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from cautious.datasets import load_dataset
from cautious.displays import RiskAversionDisplay, UtilityDisplay
from cautious.metrics import (
    bootstrap_interval,
    discounted_accuracy_score,
    per_sample,
    utility_score,
)
from cautious.models import (
    CautiousPipeline,
    NaiveCredalClassifier,
    cross_val_predict_set,
)
from cautious.preparation import MDLDiscretizer
from cautious.utility import crossover, u65

_ = UtilityDisplay(["u65", "u80"]).plot()

# %%
# The two lines bend above the diagonal: a sure half is worth more than half a
# chance of all.
#
# Two classifiers
# ---------------
# Both learn from the same counts, the bold one with a single prior (naive
# Bayes) and the cautious one with a set of them. The features are cut into bins
# on each training fold.

X, y = load_dataset("glass", return_X_y=True)
y = y.astype(str)


def held_out_sets(classifier):
    model = CautiousPipeline.from_steps(MDLDiscretizer(), classifier)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict_set(model, X, y, cv=folds)


sets = {
    "naive Bayes": held_out_sets(NaiveCredalClassifier(epsilon=1)),
    "credal": held_out_sets(NaiveCredalClassifier()),
}
for utility in ("u65", "u80"):
    worth = {
        name: utility_score(y, mask, utility=utility)
        for name, mask in sets.items()
    }
    print(utility, {name: round(value, 3) for name, value in worth.items()})
    assert (worth["credal"] > worth["naive Bayes"]) == (utility == "u80")

# %%
# Two readers of two papers, one with each utility, would come to opposite
# conclusions. Neither difference is beyond doubt, though:

for utility in ("u65", "u80"):
    gain = bootstrap_interval(
        y, sets["credal"], sets["naive Bayes"], measure=utility, random_state=0
    )
    print(f"{utility}: {gain}")
    assert gain.low < 0 < gain.high

# %%
# Where they change places
# ------------------------
# Two straight lines cross once. Left of *k\** the bold classifier is better,
# right of it the cautious one; the band is a bootstrap interval.

display = RiskAversionDisplay.from_predictions(y, sets, random_state=0)
print(display.crossings().round(3).to_string(index=False))

# %%
# The same without a picture, from what each answer earned:

earned = {
    name: per_sample(discounted_accuracy_score)(y, mask)
    for name, mask in sets.items()
}
change = crossover(
    earned["naive Bayes"], earned["credal"], strata=y, random_state=0
)
print(f"k* = {change.k}")
assert len(y) == 214
assert 0.65 < change.k.estimate < 0.80

# %%
# The accountant's coin
# ---------------------
# The coin is a classifier, too: it names a member of each set at random. On
# average it earns what the sets earn, but all or nothing. Read as bets for
# money, the difference between the two sure sums is what caution is worth.

held = sets["credal"]
place = np.random.default_rng(0).integers(held.sum(axis=1))
coin = held & (held.cumsum(axis=1) == place[:, None] + 1)
print(f"one toss per case: {discounted_accuracy_score(y, coin):.3f}")
bets = u65.bets(earned["credal"])
print(bets.iloc[:, :4].round(3).to_string())
assert bets["variance"].is_monotonic_increasing
assert bets["certainty_equivalent"].is_monotonic_decreasing

# %%
# What we learned
# ---------------
# "Is caution worth it?" has no answer without *k*, but one number tells from
# which *k* on. Here it lies between the two customary values, and 214 pieces of
# glass are too few to place it well.
#
# Theory: Zaffalon, Corani & Mauá (2012), :doc:`/papers/zaffalon`. API:
# :func:`cautious.utility.crossover`, :meth:`cautious.utility.Utility.bets`,
# :class:`cautious.displays.RiskAversionDisplay`,
# :func:`cautious.metrics.utility_score`,
# :func:`cautious.metrics.bootstrap_interval`.
