"""
Classes in a tree: name the family when the species is in doubt
===============================================================

"A bird of some kind" can be more useful than "an owl, a hawk or a bat". Where
classes form a tree, a doubtful case is answered with a node of it.

Proteins of yeast live in one of ten places in the cell. Three of the places are
membranes, three belong to the way out of the cell, four lie inside. That is a
tree.
"""

import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from cautious.datasets import load_dataset
from cautious.decision import ClassTree, optimal_sets
from cautious.metrics import MEASURES, mean_set_size, utility_score
from cautious.models import HierarchicalClassifier

containment = MEASURES["containment"].score

X, y = load_dataset("yeast", return_X_y=True)
tree = ClassTree.from_dict(
    {
        "membrane": ["ME1", "ME2", "ME3"],
        "way out": ["ERL", "EXC", "VAC"],
        "inside": ["CYT", "MIT", "NUC", "POX"],
    }
)
print(tree)

# %%
# The best node
# -------------
# A right set of k places is worth u(1/k), as under any utility. Only nodes of
# the tree come into question now.

X_train, X_rest, y_train, y_rest = train_test_split(
    X, y, train_size=0.4, stratify=y, random_state=0
)
forest = RandomForestClassifier(
    200, min_samples_leaf=3, random_state=0, n_jobs=1
).fit(X_train, y_train)
p = forest.predict_proba(X_rest)
tree = tree.for_classes(forest.classes_)
nodes = optimal_sets(p, tree=tree, utility="u80")
print(pd.Series(tree.names(nodes)).value_counts().to_string())

# %%
# What is lost against the best of *all* sets is the price of an answer that has
# a name.

known = {"classes": forest.classes_}
rows = {
    "best node": nodes,
    "best union of two nodes": optimal_sets(
        p, tree=tree, utility="u80", n_nodes=2
    ),
    "best of all sets": optimal_sets(p, utility="u80"),
}
table = pd.DataFrame(
    {
        name: {
            "u80": utility_score(y_rest, sets, utility="u80", **known),
            "holds the truth": containment(y_rest, sets, **known),
            "mean size": mean_set_size(y_rest, sets, **known),
        }
        for name, sets in rows.items()
    }
).T
print(table.round(3))

# %%
# How sure, how specific
# ----------------------
# The *climbing rule* starts at the likeliest place and climbs until the node is
# probable enough. The higher the threshold, the fewer nodes miss the truth, and
# the less they say. A node of k among K places covers 1 − log k / log K.

curve = tree.risk_coverage(y_rest, p)
axes = curve.plot(x="coverage", y="risk", legend=False)
axes.set(xlabel="coverage of the nodes", ylabel="share that misses the truth")
assert curve["coverage"].is_monotonic_decreasing
assert curve["risk"].is_monotonic_decreasing

# %%
# A promise
# ---------
# On cases that the forest has not seen, a threshold can be found that keeps a
# limit on new cases: at most every fifth node misses the truth.

X_calibration, X_test, y_calibration, y_test = train_test_split(
    X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=1
)
model = HierarchicalClassifier(FrozenEstimator(forest), tree, max_error=0.2)
model.fit(X_calibration, y_calibration)
print(model.certificate_)
sets = model.predict_set(X_test)
print("threshold", round(model.threshold_, 3))
print(
    f"{MEASURES['containment'].score(y_test, sets, **known):.3f} hold the truth"
)
print(pd.Series(model.predict_nodes(X_test)).value_counts().to_string())

# %%
# What we learned
# ---------------
# A tree turns sets of classes into answers with names. The same utilities,
# costs and measures apply, since a node is a set.
#
# Theory: utilities of sets, Zaffalon, Corani & Mauá (2012),
# :doc:`/papers/zaffalon`; nodes as answers, Mortier and others (2022). API:
# :class:`cautious.decision.ClassTree`,
# :func:`cautious.decision.optimal_sets`,
# :func:`cautious.decision.threshold_rule`,
# :meth:`cautious.decision.ClassTree.risk_coverage`,
# :class:`cautious.models.HierarchicalClassifier`.
