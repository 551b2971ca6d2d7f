"""
Scoring the sets of MAPIE and crepes
====================================

Conformal sets keep a promise: the truth is in them nine times out of ten, say.
Are they *useful*?

Two libraries make such sets of the same forest: MAPIE and crepes. They return
them in different shapes; :func:`cautious.sets.as_mask` reads both. (If crepes
is not installed, its rows are left out.)
"""

import pandas as pd
from mapie.classification import SplitConformalClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from cautious.datasets import load_dataset
from cautious.decision import optimal_sets
from cautious.displays import RiskAversionDisplay
from cautious.metrics import MEASURES, mean_set_size, utility_score
from cautious.sets import as_mask

containment = MEASURES["containment"].score

try:
    from crepes import WrapClassifier
except ImportError:
    WrapClassifier = None
    print("crepes is not installed; pip install crepes")

X, y = load_dataset("vehicle", return_X_y=True, as_frame=False)
X_train, X_rest, y_train, y_rest = train_test_split(
    X, y, train_size=300, random_state=0
)
X_calib, X_test, y_calib, y_test = train_test_split(
    X_rest, y_rest, train_size=200, random_state=0
)
forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(
    X_train, y_train
)
classes = forest.classes_

# %%
# Sets at three levels
# --------------------
# MAPIE returns an array (n, K, levels), crepes a list of labels per case. A
# conformal set may be empty, where no class conforms. It does not hold the
# truth, so it counts as wrong; ``empty="abstain"`` would read it as "don't
# know", and sets would look safer and larger than the promise needs.

levels = (0.8, 0.9, 0.95)
sets = {}
mapie = SplitConformalClassifier(
    forest, confidence_level=list(levels), prefit=True
)
_, stacked = mapie.conformalize(X_calib, y_calib).predict_set(X_test)
for at, level in enumerate(levels):
    sets[f"MAPIE {level:.0%}"] = as_mask(
        stacked, classes, level=at, empty="wrong"
    )

if WrapClassifier is not None:
    crepes = WrapClassifier(forest)
    crepes.calibrate(X_calib, y_calib, seed=0)
    for level in levels:
        labels = crepes.predict_set(
            X_test, confidence=level, seed=0, labels=True
        )
        sets[f"crepes {level:.0%}"] = as_mask(labels, classes, empty="wrong")

# %%
# Two rivals that promise nothing: the likeliest class alone, and the sets that
# the forest's own probabilities recommend to somebody to whom a right pair is
# worth .65.

p = forest.predict_proba(X_test)
sets["likeliest class"] = as_mask(forest.predict(X_test), classes)
sets["optimal for u65"] = optimal_sets(p, utility="u65")

# %%
# Coverage and utility, side by side
# ----------------------------------

meaning = {"classes": classes, "empty": "wrong"}
table = pd.DataFrame(
    {
        name: {
            "truth in set": containment(y_test, mask, **meaning),
            "mean size": mean_set_size(y_test, mask, **meaning),
            "u65": utility_score(y_test, mask, **meaning),
            "u80": utility_score(y_test, mask, utility="u80", **meaning),
        }
        for name, mask in sets.items()
    }
).T
table.round(3)

# %%
# The promise is kept. But sets can be safe and of little use: under u65, those
# at 95 % are worth less than plainly naming the likeliest class, and those made
# for u65 are worth most though they promise nothing.

for level in levels:
    assert (
        table.filter(like=f"{level:.0%}", axis=0)["truth in set"] >= level
    ).all()
assert (
    table.filter(like="95%", axis=0)["u65"]
    < table.loc["likeliest class", "u65"]
).all()
assert table["u65"].idxmax() == "optimal for u65"

# %%
# For every taste
# ---------------
# Instead of two utilities, all: *k* is the worth of a right pair. Each
# classifier is a line, and the mark is where the best one changes.

chosen = [
    "likeliest class",
    "MAPIE 80%",
    "MAPIE 90%",
    "MAPIE 95%",
    "optimal for u65",
]
display = RiskAversionDisplay.from_predictions(
    y_test, {name: sets[name] for name in chosen}, **meaning
)
display.figure_.set_figwidth(9)
_ = display.ax_.legend(loc="upper left", bbox_to_anchor=(1, 1))

# %%
# What we learned
# ---------------
# Coverage says whether the promise is kept, utility whether the answers are any
# good; they may point in different directions, so show both. The level of a
# conformal classifier can be *tuned*: as an estimator that can be cloned,
# :class:`cautious.models.ConformalClassifier` goes into ``GridSearchCV``.
#
# Theory: Zaffalon, Corani & Mauá (2012), :doc:`/papers/zaffalon`. API:
# :func:`cautious.sets.as_mask`, :func:`cautious.metrics.utility_score`,
# :func:`cautious.decision.optimal_sets`,
# :class:`cautious.displays.RiskAversionDisplay`.
