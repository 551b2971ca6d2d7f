"""Ferri & Hernández-Orallo (2004): the sketches, Figs 3 and 8 to 10, drawn from Example 2."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cautious.curves import AbstentionROC, CapacityCurve, capacity_hull
from cautious.experiments.beside import Figure
from cautious.experiments.ferri_examples import BIASES, CONVERSIONS, LEAVES, tree_curve

__all__ = ["sketched_figures"]

SKETCH = "A sketch in the paper, without data; here from the seven-leaf tree of Example 2."


def sketched_figures() -> list[Figure]:
    """Figures 3, 8, 9 and 10, of which the paper shows only what they look like."""
    return [_capacity_of_several(), _curves_at_windows(), *_over_abstention()]


def _capacity_of_several() -> Figure:
    curves = {
        name: CapacityCurve.from_matrix(tree_curve(bias).confusion_matrix(window))
        for name, (bias, window) in CONVERSIONS.items()
    } | {"no information": CapacityCurve.no_information(2)}
    hull = capacity_hull(curves).corners[["abstention", "error"]]
    drawn = {name: curve.frame() for name, curve in curves.items()} | {"lower hull": hull}
    frame = pd.concat([part.assign(classifier=name) for name, part in drawn.items()])
    title = "Capacity graph of a set of classifiers"
    return Figure(
        *("Fig. 3", title, frame.reset_index(drop=True), "abstention", "error", "classifier"),
        remark=SKETCH,
    )


def _curves_at_windows() -> Figure:
    roc = _roc(0.55)
    parts = [roc.curve(w).assign(window=f"w = {w:g}")[["fpr", "tpr", "window"]] for w in (0, 0.4)]
    frame = pd.concat(parts, ignore_index=True)
    title = "ROC curve, before and after dropping what is abstained on"
    return Figure("Fig. 8", title, frame, "fpr", "tpr", "window", remark=SKETCH)


def _over_abstention() -> list[Figure]:
    surface = _roc(0.5).surface()
    level = surface["abstention"].map("{:.0%}".format)
    curves = surface[["fpr", "tpr"]].assign(abstention=level)
    rows = []
    for name, (bias, _) in BIASES.items():
        roc = _roc(bias)
        known = ~np.isnan(roc.auc)
        # When everybody is silent AUC counts as 1, as accuracy does (section 4).
        level_of, auc = np.append(roc.abstention[known], 1.0), np.append(roc.auc[known], 1.0)
        rows.append(pd.DataFrame({"abstention": level_of, "AUC": auc, "bias": name}))
    responses = pd.concat(rows, ignore_index=True)
    return [
        Figure(
            *("Fig. 9", "ROC curves over abstention", curves, "fpr", "tpr", "abstention"),
            remark=f"{SKETCH} The paper's is a surface; here a line for each abstention.",
        ),
        Figure(
            *("Fig. 10", "AUC response graph", responses, "abstention", "AUC", "bias"),
            remark=SKETCH,
        ),
    ]


def _roc(bias: float) -> AbstentionROC:
    """Sweep the window over the seven-leaf tree, class a as positive, with this bias to it."""
    p, a, b = LEAVES.T
    return AbstentionROC.from_predictions(
        np.repeat(["a", "b"], len(p)),
        np.tile(p, 2),
        pos_label="a",
        bias=bias,
        sample_weight=np.concatenate([a, b]),
    )
