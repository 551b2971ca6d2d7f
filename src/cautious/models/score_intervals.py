"""Probability intervals from scores, by isotonic regression of both possible truths."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import isotonic_regression

from cautious._typing import Floats, as_floats
from cautious.credal import ProbabilityIntervals
from cautious.predictions import binary_truth

__all__ = ["venn_abers"]


def venn_abers(
    y_calibration: npt.ArrayLike,
    score_calibration: npt.ArrayLike,
    score: npt.ArrayLike,
    *,
    pos_label: Any = None,
) -> ProbabilityIntervals:
    r"""Bound the probabilities of two classes by inductive Venn–Abers prediction.

    A case of score s joins the calibration cases twice, once as a negative and once as a positive
    one. Isotonic regression of the truth on the score gives it the probability :math:`p_0(s)` the
    first time and :math:`p_1(s)` the second. One of the two is right, so the pair is well
    calibrated whatever the scores are worth, if cases are exchangeable. The interval
    :math:`[p_0, p_1]` is wide where calibration cases are few. The intervals go straight into the
    criteria of :mod:`cautious.decision`.

    Parameters
    ----------
    y_calibration : array-like of shape (n,)
        Truths of cases that the classifier has not learned from: 1 or True for the positive class,
        0 or False for the other; or any two labels, with `pos_label`.
    score_calibration : array-like of shape (n,)
        Their scores, larger for cases that are more likely positive: probabilities or any numbers.
    score : array-like of shape (m,)
        Scores of the cases in question.
    pos_label : label, optional
        The positive class, where truths are not 0 and 1.

    Returns
    -------
    ProbabilityIntervals
        m rows with the negative class in the first column and the positive one in the second. A
        single probability of the positive class, where one is needed, is
        :math:`p_1 / (1 - p_0 + p_1)`, which Vovk & Petej derive for logarithmic loss.

    Notes
    -----
    One isotonic regression is fitted per truth and per distinct place of a score among the
    calibration scores, each in time linear in n.

    References
    ----------
    Vovk & Petej (2014), *Venn–Abers predictors*; Vovk, Petej & Fedorova (2015), *Large-scale
    probabilistic predictors with and without guarantees of validity*.

    Examples
    --------
    >>> from cautious.decision import maximality
    >>> from cautious.models import venn_abers
    >>> truth, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    >>> intervals = venn_abers(truth, scores, [0.05, 0.35, 0.95])
    >>> intervals.lower[:, 1].round(3), intervals.upper[:, 1].round(3)
    (array([0.   , 0.333, 0.667]), array([0.333, 0.667, 1.   ]))
    >>> maximality(intervals)
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    """
    if pos_label is not None:
        y_calibration = binary_truth(y_calibration, pos_label=pos_label)[0]
    truth = as_floats(y_calibration, "y_calibration", "truths, unless pos_label is given,")
    known = as_floats(score_calibration, "score_calibration", "scores")
    asked = as_floats(score, "score", "scores")
    for name, array in (
        ("y_calibration", truth),
        ("score_calibration", known),
        ("score", asked),
    ):
        if array.ndim != 1:
            raise ValueError(
                f"{name} has shape {array.shape}; expected one number per case, shape (n,)."
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds a value that is not finite; leave such cases out.")
    if len(truth) != len(known):
        raise ValueError(
            f"y_calibration has {len(truth)} cases and score_calibration {len(known)}; both must "
            "be of the same calibration cases."
        )
    if not len(truth):
        raise ValueError("y_calibration is empty; give at least one calibration case.")
    if not np.isin(truth, (0, 1)).all():
        strange = truth[~np.isin(truth, (0, 1))][0]
        raise ValueError(
            f"y_calibration holds {strange:g}; give 1 for the positive class and 0 for the other."
        )
    levels, group = np.unique(known, return_inverse=True)
    count = np.bincount(group).astype(np.float64)
    positives = np.bincount(group, truth).astype(np.float64)
    # Scores strictly between the same two calibration scores are all alike.
    left, right = np.searchsorted(levels, asked), np.searchsorted(levels, asked, side="right")
    places, place = np.unique(left + right, return_inverse=True)
    bounds = np.array([_both_ways(count, positives, int(at)) for at in places]).reshape(-1, 2)
    p_0, p_1 = bounds[place].T
    return ProbabilityIntervals(np.column_stack([1 - p_1, p_0]), np.column_stack([1 - p_0, p_1]))


def _both_ways(count: Floats, positives: Floats, place: int) -> tuple[float, float]:
    """Probability of a case as a negative and as a positive one.

    An odd place is that of a calibration score, an even one lies between two.
    """
    at = place // 2
    if place % 2 == 0:
        count, positives = np.insert(count, at, 0.0), np.insert(positives, at, 0.0)
    found = []
    for label in (0.0, 1.0):
        weight, total = count.copy(), positives.copy()
        weight[at] += 1
        total[at] += label
        found.append(float(isotonic_regression(total / weight, sample_weight=weight)[at]))
    return found[0], max(found)
