r"""Venn–Abers intervals: isotonic regression with one case more, wherever that case may stand.

Let :math:`P_j = (W_j, S_j)` be the cases and the positive ones among them up to the j-th score.
Isotonic regression gives the slopes of the lower convex hull of these points. A case that joins
moves all points to the right of its place by (1, label), and what it is given is the slope of the
*bridge*: the edge of the new hull from the points on the left to those on the right. All hulls of
the left sides are one tree, in which each point knows the corner before it, and so are those of
the right sides. A bridge starts at its place and moves outward along both trees, over corners that
are none any more. Corners are compared in whole numbers, so that ties are ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, as_floats
from cautious.credal import ProbabilityIntervals
from cautious.models.score_calibration import are_positive

__all__ = ["slopes_with_one_more", "venn_abers"]


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
    What isotonic regression would give each case is read off the convex hulls on either side of
    its score; no regression is fitted per case, so that many cases take little more than one.

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
        y_calibration = are_positive(y_calibration, pos_label)
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
    count = np.bincount(group)
    positives = np.bincount(group, truth).astype(np.intp)
    # Scores strictly between the same two calibration scores are all alike.
    left = np.searchsorted(levels, asked)
    met = levels[np.minimum(left, len(levels) - 1)] == asked
    places, place = np.unique(2 * left + met, return_inverse=True)
    p_0, p_1 = (one[place] for one in slopes_with_one_more(count, positives, places))
    return ProbabilityIntervals(np.column_stack([1 - p_1, p_0]), np.column_stack([1 - p_0, p_1]))


def slopes_with_one_more(count: Ints, positives: Ints, places: Ints) -> tuple[Floats, Floats]:
    """Give a further case its probability by isotonic regression, for many places of it."""
    width, height = (np.append(0, np.cumsum(each)) for each in (count, positives))
    before = _corner_before(width, height)
    # Looked at from the other end, and upside down, right sides are left sides.
    turned = width[-1] - width[::-1]
    after = len(count) - _corner_before(turned, turned - (height[-1] - height[::-1]))[::-1]
    negative, positive = (_bridged(width, height, before, after, places, label) for label in (0, 1))
    return negative, positive


def _bridged(
    width: Ints, height: Ints, before: Ints, after: Ints, places: Ints, label: int
) -> Floats:
    """Find the slopes of the bridges over a case with a label."""
    left, right, last = places // 2, (places + 1) // 2, len(width) - 1
    moving = np.arange(len(places))
    while len(moving):
        a, b = left[moving], right[moving]
        rise, run = height[b] + label - height[a], width[b] + 1 - width[a]
        back, on = before[a], after[b]
        falls = (a > 0) & ((height[a] - height[back]) * run >= rise * (width[a] - width[back]))
        rises = (b < last) & ((height[on] - height[b]) * run <= rise * (width[on] - width[b]))
        left[moving], right[moving] = np.where(falls, back, a), np.where(rises, on, b)
        moving = moving[falls | rises]
    return np.asarray((height[right] + label - height[left]) / (width[right] + 1 - width[left]))


def _corner_before(width: Ints, height: Ints) -> Ints:
    """Find the corner before each point in the lower hull of the points up to it."""
    x, y = width.tolist(), height.tolist()
    before = [0] * len(x)
    for j in range(1, len(x)):
        corner = j - 1
        while corner:
            last = before[corner]
            a, b = x[corner], y[corner]
            if (b - y[last]) * (x[j] - a) < (y[j] - b) * (a - x[last]):
                break
            corner = last
        before[j] = corner
    return np.array(before, dtype=np.intp)
