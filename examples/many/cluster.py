"""
A cluster, and what happens when it loses a machine
===================================================

The log is on shared storage and there are machines to read it. Do we get the
same answer as at home, and what if one of them dies on the way?

The work is the same as in :doc:`large_logs`: count each part, add up the
counts. Dask decides who counts what. Our cluster has a scheduler and two
workers, processes of their own on this machine that talk over the network
interface, started by the same commands as on a real one.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client

from cautious.displays import RiskCoverageDisplay
from cautious.logs import summarise

folder = tempfile.TemporaryDirectory()
log, address = Path(folder.name) / "log", Path(folder.name) / "scheduler.json"


def dask(command):
    arguments = [*command.split(), "--scheduler-file", str(address)]
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        env=os.environ | {"DASK_TEMPORARY_DIRECTORY": folder.name},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(process.kill)  # whatever happens, none is left running
    return process


scheduler = dask("scheduler --host 127.0.0.1 --port 0 --no-dashboard")
worker = "worker --host 127.0.0.1 --nthreads 1 --no-nanny --no-dashboard"
workers = [dask(worker), dask(worker)]

# %%
# The log
# -------
# 300,000 predictions of three classes by two models, in twelve files.

log.mkdir()
rng = np.random.default_rng(0)
classes = np.array(["ash", "elm", "oak"])
for part in range(12):
    truth = rng.integers(3, size=25_000)
    model = rng.choice(["old", "new"], size=25_000)
    skill = np.where(model == "new", 1.8, 1.0)[:, None]
    belief = np.exp(skill * np.eye(3)[truth] + rng.normal(size=(25_000, 3)))
    belief /= belief.sum(axis=1, keepdims=True)
    frame = pd.DataFrame(belief, columns=["p_ash", "p_elm", "p_oak"])
    frame = frame.assign(y_true=classes[truth], model=model)
    frame.to_parquet(log / f"part-{part:02}.parquet")

# %%
# At home, then away
# ------------------
# Give ``engine`` the client, or the address of the scheduler; everything else
# stays.

home = summarise(log, rules="u65")
with Client(scheduler_file=str(address)) as client:
    client.wait_for_workers(2, timeout=120)
    away = summarise(log, rules="u65", engine=client)
assert away == home
print(f"{away.n_rows:,} rows, the same counts to the last bit")

table = pd.DataFrame(
    {
        name: {
            "accuracy": away.measure("selective_accuracy", model=name),
            "u65 of likeliest": away.measure("u65", model=name),
            "u65 of best sets": away.measure("u65", decision="u65", model=name),
        }
        for name in away.models
    }
).T
table.round(4)

# %%
# A machine dies
# --------------
# Now one worker is killed as soon as the first counts have arrived. What it had
# counted is lost; Dask notices, and has the other worker count it again. Whole
# parts are added up or none, so nothing can be counted twice or left out.


def pull_the_plug(rows_done, rows_in_all):
    if workers[0].poll() is None:
        workers[0].kill()
        workers[0].wait()


with Client(scheduler_file=str(address)) as client:
    survived = summarise(
        log, rules="u65", engine=client, progress=pull_the_plug
    )
    left = len(client.nthreads())
assert survived == home
print(f"{left} worker left, and the same counts to the last bit")

# %%
# From counts to pictures
# -----------------------
# What came back is small, and everything that follows happens at home:
# measures, curves, the report.

curves = {name: away.risk_coverage(model=name) for name in away.models}
_ = RiskCoverageDisplay(curves).plot()

# %%
# The cluster is closed.

for process in (*workers, scheduler):
    process.terminate()
    process.wait()
folder.cleanup()

# %%
# What we learned
# ---------------
# A cluster changes who counts, never what is counted: the same bits on one
# machine, on many, and on fewer than there were. With Spark it is
# ``engine=session``.
#
# API: :func:`cautious.logs.summarise`, :class:`cautious.logs.LogSummary`,
# :class:`cautious.curves.RiskCoverageCurve`. The measures are explained in
# :doc:`/papers/ferri` and :doc:`/papers/zaffalon`.
