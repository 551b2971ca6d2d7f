"""
Comparing classifiers on many data sets
=======================================

On one data set anything can win. Which of four classifiers is better *in
general*, and is the difference more than luck?

A study crosses models with data sets and folds, and writes each result to a
file as soon as it has it: a study that is interrupted goes on where it was.
Mean ranks over the data sets are then compared by the tests of Friedman and
Nemenyi.
"""

import tempfile
from pathlib import Path

from cautious.comparison import compare_results, friedman_nemenyi
from cautious.datasets import list_datasets
from cautious.displays import ComparisonDisplay
from cautious.experiments import Study
from cautious.models import (
    CredalModelAveragingClassifier,
    CredalTreeClassifier,
    NaiveCredalClassifier,
)
from cautious.preparation import MDLDiscretizer

models = {
    "naive Bayes": NaiveCredalClassifier(epsilon=1),
    "NCC": NaiveCredalClassifier(),
    "CMA": CredalModelAveragingClassifier(),
    "CDT": CredalTreeClassifier(),
}
small = list_datasets().query("rows < 350 and features < 20 and classes <= 4")
study = Study(
    models,
    list(small.index),
    folds=3,
    measures=["u65", "u80", "determinacy"],
    preparation=MDLDiscretizer(),
)

# %%
# Running
# -------
# The store is an SQLite file. A second run finds everything there and computes
# nothing.

with tempfile.TemporaryDirectory() as folder:
    store = Path(folder) / "study.sqlite"
    results = study.run(store, progress=False)
    again = study.run(store, progress=False)
assert again["u65"].equals(results["u65"])
print(f"{len(results)} results, {results['failure'].notna().sum()} failures")

# %%
# One row per data set, one column per model:

u65 = study.table(results, "u65")
u65.round(3)

# %%
# Do they differ?
# ---------------
# In how often they commit themselves to a single class, beyond doubt. The line
# shows mean ranks, the boldest on the left; a bar joins classifiers whose ranks
# are too close to call them different.

determinacy = study.table(results, "determinacy")
test = friedman_nemenyi(determinacy)
print(f"p = {test.p_value:.1e} over {test.n_datasets} data sets")
assert test.p_value < 0.001
_ = ComparisonDisplay(determinacy).plot(name="determinacy")

# %%
# But is it worth anything? By u65, under which a right pair of classes is worth
# .65, the bars overlap: only the first and the last can be told apart, and all
# that lies between might be luck.

test = friedman_nemenyi(u65)
print(f"p = {test.p_value:.3f} over {test.n_datasets} data sets")
assert 0.01 < test.p_value < 0.05
assert [len(group) for group in test.groups] == [3, 3]
_ = ComparisonDisplay(u65).plot(name="u65")

# %%
# Two of them, data set by data set
# ---------------------------------
# Ranks forget how large the differences are. A point above the diagonal is a
# data set on which the cautious classifier does better, here by u80, which
# likes caution more.

u80 = study.table(results, "u80")
pair = u80[["naive Bayes", "NCC"]]
_ = ComparisonDisplay(pair, measure="u80").plot()
print(compare_results(pair)[["wins", "ties", "losses", "p_value"]].round(3))

# %%
# What we learned
# ---------------
# With so few data sets only large differences can be told from luck; the tests
# say so before we tell a story about the order. To run this for all 74 bundled
# data sets, leave out the query and let it run over night; ``n_jobs`` uses all
# processors, and ``timeout`` ends a model that takes too long on a fold.
#
# Theory: section 9 of Zaffalon, Corani & Mauá (2012), :doc:`/papers/zaffalon`.
# API: :class:`cautious.experiments.Study`,
# :func:`cautious.comparison.friedman_nemenyi`,
# :class:`cautious.displays.ComparisonDisplay`.
