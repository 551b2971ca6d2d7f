"""
What resembles nothing: refusing new kinds of cases
===================================================

A classifier knows the classes it has learned, and puts everything into one of
them. Doubt does not help: far from all training cases a model may be as sure
of itself as anywhere. Friedel, Rückert and Kramer mention it once: it is
harmful to predict what the training material does not back up.

Here a model learns the handwritten digits 0 to 7. Then 8 and 9 turn up.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.models import AbstainingClassifier, NoveltyRefusingClassifier

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(y))
X, y = X[order], y[order]
learned = (np.arange(len(y)) < 1000) & (y < 8)
X1, y1, X2, y2 = X[learned], y[learned], X[1000:], y[1000:]
line = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
careful = AbstainingClassifier(line).fit(X1, y1)
sure = careful.predict_set(X2).sum(axis=1) == 1
print(f"{sure[y2 > 7].mean():.0%} of the digits 8 and 9 get an answer")
assert sure[y2 > 7].mean() > 0.3

# %%
# Each of these answers is wrong. So an outlier detector goes before the
# classifier. Any will do, since its scores are compared with those of cases
# that were kept from it: at most 5 % of ordinary digits are refused, whatever
# the detector is worth. How many new digits it finds is another matter.

detectors = {
    "kernel density": KernelDensity(bandwidth=8),
    "local outlier factor": LocalOutlierFactor(10, novelty=True),
    "isolation forest": IsolationForest(random_state=0),
}
models = {
    name: NoveltyRefusingClassifier(careful, one, random_state=0).fit(X1, y1)
    for name, one in detectors.items()
}
p_values = {name: m.novelty_p_values(X2) for name, m in models.items()}
refused = pd.DataFrame(
    {
        name: {
            "0 to 7": np.mean(p[y2 < 8] <= 0.05),
            "8 and 9": np.mean(p[y2 > 7] <= 0.05),
        }
        for name, p in p_values.items()
    }
).T
print(refused.round(3))
assert refused.idxmax()["8 and 9"] == "kernel density"

# %%
# The p-values hold for every limit at once. The dashed lines, ordinary digits,
# keep to the diagonal or below, but for the luck of some 200 calibration cases.

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
limits = np.linspace(0, 0.3, 121)
for at, (name, p) in enumerate(p_values.items()):
    for new, style in ((True, "-"), (False, "--")):
        share = (p[(y2 > 7) == new][:, None] <= limits).mean(axis=0)
        label = name if new else None
        ax.plot(100 * limits, 100 * share, style, color=f"C{at}", label=label)
ax.plot([0, 30], [0, 30], ":", color="0.5", label="promised limit")
ax.set(
    xlabel="largest share of ordinary cases to refuse (%)",
    ylabel="refused (%)",
    title="Refused: digits never seen (solid), ordinary ones (dashed)",
)
_ = ax.legend()

# %%
# Refusals are counted apart from ordinary abstention, and mistakes among what
# is left. The digits 8 and 9 that slip through are mistakes here, too.

best = models["kernel density"]
print(best.answer_shares(X2, y2).round(3))
wrong = careful.predict(X2)[sure] != y2[sure]
print(f"without refusals, {wrong.mean():.1%} of the answers were wrong")
assert best.answer_shares(X2, y2).loc["wrong", "share"] < wrong.mean() / 2

# %%
# A detector has an opinion of its own about how many cases are outliers.
# ``AnomalyFallbackClassifier`` of scikit-fallback goes by it. Nothing is
# promised then, and the share of ordinary cases refused is not known:

for name in ("local outlier factor", "isolation forest"):
    own = models[name].detector_.predict(X2) < 0
    print(f"{name}: {own[y2 < 8].mean():.1%} of the digits 0 to 7 refused")

# %%
# What we learned
# ---------------
# Novelty is not doubt, and is refused for itself. The limit on false
# refusals holds for any detector, because only ranks among held-out cases
# count; the detector decides what it buys. Where a class is rare or odd by
# nature, ``per_class=True`` keeps the limit within each class.
#
# Theory: abstaining where training cases are missing, :doc:`/papers/friedel`.
# API: :class:`cautious.models.NoveltyRefusingClassifier`,
# :class:`cautious.models.AbstainingClassifier`.
