"""
Logs larger than memory
=======================

A year of predictions lies in Parquet files that do not fit into memory. Can we
still have the exact cost surface, and the best window, of all of them?

Everything that abstention windows can do depends on the data only through
counts, and counts of parts add up to counts of the whole. So the log is read in
batches and forgotten again. To be able to check the answers, this log is small,
a million rows, and kept in memory as well.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cautious.curves import AbstentionCostSurface
from cautious.displays import CostSurfaceDisplay
from cautious.logs import summarise

rng = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
truths, scores = [], []
for month in range(1, 11):
    truth = rng.random(100_000) < 0.2
    score = 1 / (1 + np.exp(-rng.normal(2.5 * truth - 2.2 + 0.05 * month, 1.2)))
    site = rng.choice(["north", "south"], size=len(truth), p=[0.7, 0.3])
    table = pa.table(
        {"y_true": truth.astype(np.int8), "score": score, "group": site}
    )
    pq.write_table(
        table,
        Path(folder.name) / f"month-{month:02}.parquet",
        row_group_size=25_000,
    )
    truths.append(truth)
    scores.append(score)

# %%
# Exactly
# -------
# ``summarise`` guesses the columns from their names and reads the folder file
# by file. What grows is the number of *distinct* scores; here all of them
# differ, so we allow some memory for them.

exact = summarise(folder.name, memory_budget=256 * 2**20)
print(f"{exact.n_rows:,} rows, exact: {exact.exact}")

in_memory = AbstentionCostSurface.from_predictions(
    np.concatenate(truths), np.concatenate(scores)
)
streamed = exact.cost_surface()
assert streamed.cost(0.3, 0.1) == in_memory.cost(0.3, 0.1)
assert streamed.window(0.3, 0.1) == in_memory.window(0.3, 0.1)
assert streamed.vacc() == in_memory.vacc()
print(f"VACC {streamed.vacc():.6f}, as in memory")

# %%
# In bounded memory
# -----------------
# Without that memory, scores are rounded to a grid that fits the budget, and
# the summary says so. Costs then come with bounds that are certain, not
# estimated: the truth lies between them.

rounded = summarise(folder.name, memory_budget=2**20)
low = rounded.cost_surface(within="best").cost(0.3, 0.1)
high = rounded.cost_surface(within="worst").cost(0.3, 0.1)
print(f"exact: {rounded.exact}, scores known to {rounded.resolution:.6f}")
print(
    f"between {low:.6f} and {high:.6f}; exactly {in_memory.cost(0.3, 0.1):.6f}"
)
assert low <= in_memory.cost(0.3, 0.1) <= high
assert high - low < 1e-3

# %%
# A resolution can also be asked for. It is what makes a log of any length as
# small as its grid.

coarse = summarise(folder.name, resolution=0.01)
low = coarse.cost_surface(within="best").cost(0.3, 0.1)
high = coarse.cost_surface(within="worst").cost(0.3, 0.1)
print(
    f"scores known to {coarse.resolution:.6f}: between {low:.6f} and {high:.6f}"
)

# %%
# Pictures from counts
# --------------------
# A summary gives the same objects as arrays do, so all displays work. There was
# a column ``group``: every question can be asked of a site alone.

_ = CostSurfaceDisplay(streamed).plot(name="a million rows")
for site in exact.groups:
    print(f"{site}: VACC {exact.cost_surface(group=site).vacc():.4f}")

# %%
# Last month against the first: the parts of a year are summaries too, and they
# add up.

files = sorted(Path(folder.name).glob("*.parquet"))
ends = [files[0], files[-1]]
parts = [summarise(file, resolution=2**-12) for file in ends]
assert parts[0] + parts[1] == summarise(ends, resolution=2**-12)

costs = {"false_negative": 10, "false_positive": 3, "abstain": 1}
windows = [part.cost_surface().for_costs(costs) for part in parts]
for file, window in zip(ends, windows, strict=True):
    print(f"{file.stem}: abstain from {window.lower:.3f} to {window.upper:.3f}")
assert windows[0].lower < windows[1].lower
assert windows[0].upper < windows[1].upper
folder.cleanup()

# %%
# The scores have been drifting upwards, and the best window with them.
#
# What we learned
# ---------------
# Counts that add up turn "too large" into "one pass". Nothing is sampled: the
# answer is exact, or it is rounded by an amount that is stated, with bounds
# that hold. The summary goes straight into
# :func:`cautious.report.build_report`; :doc:`cluster` shares the work among
# machines.
#
# API: :func:`cautious.logs.summarise`, :class:`cautious.logs.LogSummary`,
# :class:`cautious.curves.AbstentionCostSurface`. Theory:
# :doc:`/papers/friedel`.
