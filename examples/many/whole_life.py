"""
The whole life of a rule
========================

A model is trained once. Its rule, when to answer and when to abstain, lives
for months: it is tuned with a promise, saved, applied every night, watched,
and tuned again when the world has changed. How does that look from beginning
to end?

The patients here are simulated, so that we can change their world on a day
that we know, and see what the watch makes of it.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import cautious
from cautious.decision import Rule

rng = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
home = Path(folder.name)


def patients(n, ill=0.3, noise=1.0):
    """Draw patients; `ill` is how many of them are ill, `noise` blurs them."""
    is_ill = rng.random(n) < ill
    values = rng.normal(size=(n, 3)) * noise + np.outer(is_ill, [1.6, 1.2, 0.8])
    return values, np.where(is_ill, "ill", "well")


# %%
# Train, and tune with a promise
# ------------------------------
# The rule is tuned on cases that the model has not seen: among the answers to
# new cases, at most 5 % may be wrong. ``confidence_level`` makes that a
# promise.

model = LogisticRegression().fit(*patients(2000))


def scored(*drawn):
    """Give patients their scores: all that the rule looks at."""
    values, truth = drawn
    positive = list(model.classes_).index("ill")
    score = model.predict_proba(values)[:, positive]
    return pd.DataFrame({"y_true": truth, "score": score})


tuned = cautious.tune(
    scored(*patients(3000)),
    max_error=0.05,
    confidence_level=0.95,
    pos_label="ill",
)
print(tuned)

# %%
# Save it
# -------
# The file holds the thresholds, the classes, the certificate, and what the
# scores looked like. It is checked strictly when it is read.

tuned.rule.to_json(home / "rule.json")
rule = Rule.from_json(home / "rule.json")
assert rule == tuned.rule

# %%
# Apply it every night
# --------------------
# New patients come without a truth. Each night's file is written whole or not
# at all; a missing score abstains.

night = scored(*patients(500))
night.insert(0, "id", range(500))
night.loc[0, "score"] = np.nan
night.drop(columns="y_true").to_parquet(home / "new.parquet")
applied = cautious.apply(home / "new.parquet", rule, home / "answers.parquet")
print(applied)
answers = pd.read_parquet(home / "answers.parquet")
assert answers.loc[0, "y_set"] == "?"

# %%
# Watch it
# --------
# A week later the truth is known for the patients who got an answer. The
# watch joins it by ``id``, and keeps counts in one small file. Look every
# night: the chance of a false alarm is at most 5 % over all time, not every
# night.

night[["id", "y_true"]].to_csv(home / "truths.csv", index=False)
seen = cautious.watch(
    home / "answers.parquet", rule, labels=home / "truths.csv", case="id"
)
seen.to_json(home / "watch.json")
print(seen)
assert not seen.alarm

# %%
# The world changes
# -----------------
# From the tenth night on, a new device blurs the measurements, and more of
# the patients are ill.

for number in range(1, 25):
    changed = number >= 10
    drawn = patients(200, ill=0.45, noise=1.3) if changed else patients(200)
    seen = cautious.watch(
        scored(*drawn).assign(night=number), rule, home / "watch.json"
    )
    seen.to_json(home / "watch.json")
print(seen)
assert {"error", "drift"} <= set(seen.alarms)

# %%
# The evidence grows only after the change, and reaches 1, the alarm, a few
# nights later. Errors need labels for that; the scores give the change away
# without any.

path = seen.frame()
fig, ax = plt.subplots()
for name in ("error", "drift"):
    evidence = path[f"{name} evidence"]
    ax.plot(path.index, evidence.clip(lower=-3), label=name)
ax.axhline(1, color="black", linestyle="--", label="alarm")
ax.axvline(10, color="grey", linewidth=0.8)
ax.set(
    xlabel="batch", ylabel="log evidence / log of the alarm's", ylim=(-3.2, 6)
)
ax.legend()
assert path["drift evidence"][:10].max() < 1
assert path["error evidence"][:10].max() < 1

# %%
# Tune again
# ----------
# The share of ill patients can be estimated from the scores alone, if nothing
# else has changed; of a rule for costs or a budget ``seen.retuned()`` is the
# window for it. A promise cannot be moved to another share. So the honest way
# is to collect labels from the new world, to train and to tune anew, with a
# new promise and a new watch.

model.fit(*patients(2000, ill=0.45, noise=1.3))
fresh = scored(*patients(8000, ill=0.45, noise=1.3))
again = cautious.tune(
    fresh, max_error=0.05, confidence_level=0.95, pos_label="ill"
)
print(again)
new = cautious.watch(scored(*patients(3000, ill=0.45, noise=1.3)), again.rule)
print(new)
assert not new.alarm
folder.cleanup()

# %%
# What we learned
# ---------------
# A rule is a small file that travels: tuned with a promise, saved, applied to
# files of any size, watched, and tuned again when the world has changed. The
# promise holds for cases like those of the calibration, and the watch says
# when new ones are not.
#
# Theory: budgets and windows, :doc:`/papers/friedel`; what may be promised,
# :doc:`/honesty`. API: :func:`cautious.tuning.tune`,
# :func:`cautious.evaluation.apply`, :func:`cautious.evaluation.watch`,
# :class:`cautious.decision.Rule`.
