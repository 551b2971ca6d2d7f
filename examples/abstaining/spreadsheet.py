"""
From a spreadsheet to a rule
============================

A doctor has a spreadsheet: one row per patient, what was found in the end, and
the risk that a model had given before. Which patients may the model answer, and
which should she see herself?

Nothing here needs a model, only its numbers. Each step is one call, and one
command in the terminal.
"""

import tempfile
from pathlib import Path

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cautious
from cautious.displays import WindowDisplay

# %%
# The spreadsheet
# ---------------
# Somebody else's model wrote it. We make one up from 270 patients; the risks
# are of patients that the model had not learned from.

folder = tempfile.TemporaryDirectory()
home = Path(folder.name)
X, y = cautious.load_dataset("heart-statlog", return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression())
p = cross_val_predict(model, X, y, cv=10, method="predict_proba")[:, 1]
sheet = pd.DataFrame({"patient": range(1, 271), "truth": y, "risk": p.round(3)})
sheet.to_csv(home / "risks.csv", index=False)
sheet.head(3)

# %%
# The rule
# --------
# To miss the disease costs 10, to treat in vain 2, to see the patient herself
# 1. Which class is the positive one must be said; it is never guessed. In the
# terminal: ``cautious tune risks.csv --score risk --positive present
# --false-negative 10 --false-positive 2 --abstain 1 -o rule.json``.

costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
found = cautious.tune(
    home / "risks.csv", score="risk", pos_label="present", costs=costs
)
print(found)

# %%
# The last line is what she may expect of *new* patients. It is worse than what
# is seen on these, because the thresholds were chosen on them.

table = found.frame().loc["risks"]
assert table["cost"] > table["apparent_cost"]

# %%
# What happens to a thousand patients
# -----------------------------------

display = WindowDisplay.from_predictions(
    sheet["truth"],
    sheet["risk"],
    pos_label="present",
    window=(found.rule.lower, found.rule.upper),
    kind="people",
)

# %%
# The page, and the next patients
# -------------------------------
# The report is one file that opens in any browser; she moves the costs herself
# and sends it to a colleague. (``cautious report risks.csv …``)

page = cautious.build_report(
    home / "risks.csv",
    home / "risks.html",
    score="risk",
    pos_label="present",
    costs=costs,
)
print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB")

# %%
# Patients to come have no truth yet. The rule answers them, and leaves a ``?``
# where she should look. (``cautious apply new.csv --rule rule.json``)

new = pd.DataFrame({"patient": ["A", "B", "C"], "risk": [0.02, 0.3, 0.93]})
answers = cautious.apply(new, found.rule, score="risk").cases
assert answers["y_set"].tolist() == ["absent", "?", "present"]
answers

# %%

folder.cleanup()

# %%
# What we learned
# ---------------
# A column of truths and a column of scores are enough. The rule is two numbers,
# its cost on new patients is estimated with an interval, and the patients
# between the two numbers are hers.
#
# Theory: :doc:`/papers/friedel`. API: :func:`cautious.tuning.tune`,
# :func:`cautious.evaluation.apply`, :func:`cautious.report.build_report`,
# :class:`cautious.displays.WindowDisplay`. Step by step in the terminal:
# :doc:`/howto/spreadsheet`.
