"""
GridSearchCV over the strength of a prior
=========================================

How cautious should a credal classifier be? Let the data say, by the means you
already use.

The naive credal classifier has one knob, *s*: as many unseen examples are
imagined, of whatever classes. A large *s* makes large sets. Which *s* is best
depends on what a set is worth, so the search needs a *scorer of sets*;
:func:`cautious.metrics.make_set_scorer` makes one of any measure.
"""

import pandas as pd
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    train_test_split,
)

from cautious.costs import p_discounted, zero_one
from cautious.datasets import load_dataset
from cautious.displays import PriorStrengthDisplay
from cautious.metrics import make_set_scorer, utility_score
from cautious.models import CautiousPipeline, NaiveCredalClassifier
from cautious.preparation import MDLDiscretizer

X, y = load_dataset("vehicle", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# A ``CautiousPipeline`` is scikit-learn's ``Pipeline`` that also passes
# ``predict_set`` through. Parameters are reached as usual, by two underscores.

model = CautiousPipeline(
    [("bins", MDLDiscretizer()), ("classifier", NaiveCredalClassifier())]
)
strengths = [0.1, 0.5, 1, 2, 4, 8, 16, 32]
folds = StratifiedKFold(5, shuffle=True, random_state=0)
measures = ["discounted_accuracy", "u65", "u80", "determinacy"]
costs = {f"r = {r}": p_discounted(zero_one(4), r=r) for r in (0.1, 0.5, 0.9)}
scorers = {name: make_set_scorer(name) for name in measures}
scorers |= {
    name: make_set_scorer("set_cost", costs=each)
    for name, each in costs.items()
}
search = GridSearchCV(
    model, {"classifier__s": strengths}, scoring=scorers, refit="u65", cv=folds
).fit(X_train, y_train)

means = pd.DataFrame(
    {name: search.cv_results_[f"mean_test_{name}"] for name in scorers},
    index=pd.Index(strengths, name="s"),
)
table = means[measures]
table.round(3)

# %%
# The more a right set is worth, the more caution pays: discounted accuracy,
# which rewards caution no more than luck, wants hardly any of it.

best = table.drop(columns="determinacy").idxmax()
print(best.to_string())
assert best["discounted_accuracy"] < best["u65"] <= best["u80"]
assert table["determinacy"].is_monotonic_decreasing

# %%
# On data that played no part in the search:

usual = model.fit(X_train, y_train)
for fitted in (usual, search.best_estimator_):
    worth = utility_score(y_test, fitted.predict_set(X_test))
    print(f"s = {fitted['classifier'].s}: u65 {worth:.3f}")

# %%
# Costs instead of utilities
# --------------------------
# The same search scored costs of sets as well: p-discounted costs grow more
# lenient to large sets with *r*. A cost is better when it is low, so its scorer
# is the negative, as scikit-learn wants it.

for name in costs:
    print(f"{name}: s = {means[name].idxmax()}, cost {-means[name].max():.3f}")
assert means["r = 0.9"].idxmax() == max(strengths)

# %%
# With r = 0.9 a right set is nearly free, and the largest *s* of all wins.

# %%
# On the test half, whole curves of costs; the stars are their lowest points.

sets = {}
for s in strengths:
    model.set_params(classifier__s=s).fit(X_train, y_train)
    sets[s] = model.predict_set(X_test)
_ = PriorStrengthDisplay.from_predictions(y_test, sets, costs=costs)

# %%
# What we learned
# ---------------
# A scorer of sets is all that scikit-learn needs to tune a cautious classifier.
# :class:`cautious.models.CautiousSearchCV` is the same search with
# ``predict_set``, for use in place of a classifier.
#
# Theory: tuning s is section VII-C of Yang, Destercke & Masson (2017),
# :doc:`/papers/yang`; the utilities are those of Zaffalon, Corani & Mauá
# (2012), :doc:`/papers/zaffalon`. API:
# :func:`cautious.metrics.make_set_scorer`,
# :class:`cautious.models.CautiousPipeline`,
# :class:`cautious.displays.PriorStrengthDisplay`.
