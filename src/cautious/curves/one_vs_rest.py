"""More than two classes: one surface for each class against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from cautious.curves.cost_surface import AbstentionCostSurface
from cautious.curves.staircase import Staircase
from cautious.sets import check_classes, check_truth, frame_in_class_order
from cautious.sets.checks import as_codes

__all__ = ["one_vs_rest"]


def one_vs_rest(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike,
    classes: Sequence[Any] | npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> dict[Any, AbstentionCostSurface]:
    """Cost surfaces of each class against all others.

    Which classes are worth separating from the rest, and at what costs, is a choice about the
    problem; nothing is averaged here.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels, all among `classes`.
    y_score : array-like of shape (n, K)
        Scores, one column a class, such as ``predict_proba`` gives. The columns of a frame may
        have any order if they are named after the classes.
    classes : sequence of length K
        Class labels in column order (for an estimator: ``estimator.classes_``).
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    dict
        From each label to its :class:`AbstentionCostSurface`.

    Examples
    --------
    >>> surfaces = one_vs_rest(["a", "b", "c", "a"], [[.8, .1, .1], [.2, .7, .1], [.3, .3, .4],
    ...                        [.3, .5, .2]], ["a", "b", "c"])
    >>> {label: round(surface.vacc(), 4) for label, surface in surfaces.items()}
    {'a': 0.1042, 'b': 0.0, 'c': 0.0}
    """
    truth = check_truth(y_true)
    labels = check_classes(classes)
    scores = frame_in_class_order(y_score, labels, "y_score")
    if scores.shape != (len(truth), len(labels)):
        raise ValueError(
            f"y_score has shape {scores.shape}; expected ({len(truth)}, {len(labels)}): one row an "
            "example of y_true, one column a class."
        )
    codes = as_codes(truth, labels, name="y_true")
    surfaces = {}
    for k, label in enumerate(labels.tolist()):
        staircase = Staircase.from_predictions(
            codes == k, scores[:, k], classes=(False, True), sample_weight=sample_weight
        )
        named = replace(staircase, classes=(f"not {label}", label))
        surfaces[label] = AbstentionCostSurface(named)
    return surfaces
