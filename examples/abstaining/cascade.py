"""
A cascade: ask the expensive model only when needed
===================================================

A quick model is right most of the time, a slow one nearly always. Need we ask
the slow one every time?

Logistic regression reads handwritten digits in no time. Nearest neighbours
reads them better, but compares each with every example it knows. In a *cascade*
the first answers where it is sure and delegates the rest.
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.datasets import load_dataset
from cautious.displays import CapacityDisplay, RiskCoverageDisplay
from cautious.models import AbstainingClassifier, DelegatingClassifier

X, y = load_dataset("pendigits", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=3000, test_size=3000, stratify=y, random_state=0
)
quick = make_pipeline(StandardScaler(), LogisticRegression()).fit(
    X_train, y_train
)
slow = KNeighborsClassifier(n_neighbors=3).fit(X_train, y_train)
alone = {
    "quick": quick.score(X_test, y_test),
    "slow": slow.score(X_test, y_test),
}
print({name: round(score, 4) for name, score in alone.items()})

# %%
# When is the quick model sure?
# -----------------------------
# Its mistakes sit among the digits it finds doubtful, or a cascade would be of
# no use. That can be seen: the fewer it answers, the fewer of the answers are
# wrong.

_ = RiskCoverageDisplay.from_estimator(
    quick, X_test, y_test, name="quick model", optimal=True
)

# %%
# Delegating
# ----------
# The first model answers where its probability reaches a threshold. The second
# learns from all examples here; it could also specialise on those that were
# delegated, ``train_on="delegated"``.

rows = []
for threshold in (0.5, 0.7, 0.8, 0.9, 0.95):
    cascade = DelegatingClassifier(
        [("quick", quick), ("slow", slow)], rules=threshold, train_on="all"
    ).fit(X_train, y_train)
    rows.append(
        {
            "threshold": threshold,
            "delegated": np.mean(cascade.decided_by(X_test) == 1),
            "accuracy": cascade.score(X_test, y_test),
        }
    )
table = pd.DataFrame(rows).set_index("threshold")
print(table.round(4))

# %%
# Somewhere on the way the cascade comes within 0.002 of the slow model, which
# it asks about a part of the digits only.

good = table[table["accuracy"] >= alone["slow"] - 0.002].iloc[0]
print(
    f"{good['delegated']:.0%} delegated: "
    f"{good['accuracy']:.4f} against {alone['slow']:.4f}"
)
assert good["delegated"] < 0.5

# %%
# When even the last one is not sure
# ----------------------------------
# The end of a cascade may be a person. ``last="abstain"`` leaves to them what
# nobody is sure of. The capacity graph shows each classifier where it stands,
# moved along by guessing on the left and by more abstaining on the right; what
# lies above the thick line can be thrown away.

threshold = 0.9
shy = AbstainingClassifier(quick, rule_params={"threshold": threshold}).fit(
    X_train, y_train
)
cascade = DelegatingClassifier(
    [("quick", quick), ("slow", slow)],
    rules=threshold,
    train_on="all",
    last="abstain",
).fit(X_train, y_train)
sets = {"quick, or a person": shy, "quick, slow, or a person": cascade}
display = CapacityDisplay.from_predictions(
    y_test,
    {name: model.predict_set(X_test) for name, model in sets.items()},
    classes=cascade.classes_,
)
display.ax_.set(xlim=(-0.01, 0.4), ylim=(0, 0.06))
at = {name: curve.abstention for name, curve in display.curves.items()}
print({name: f"{share:.1%} left to a person" for name, share in at.items()})

# %%
# What we learned
# ---------------
# "I don't know" is also an answer to hand on. A cautious first model turns an
# expensive second one, or a person, into something that is needed now and then.
#
# Theory: delegating is named in section 8 of Ferri & Hernández-Orallo (2004),
# :doc:`/papers/ferri`. API: :class:`cautious.models.DelegatingClassifier`,
# :class:`cautious.models.AbstainingClassifier`,
# :class:`cautious.displays.CapacityDisplay`.
