"""Probabilities that mean what they say, from scores of cases held out.

Where the estimator is at hand, scikit-learn's ``CalibratedClassifierCV`` fits and calibrates it in
one go. These functions need nothing but predictions.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize
from scipy.special import expit, softmax

from cautious._checks import (
    as_codes,
    check_probabilities,
    check_scores,
    check_truth,
    check_weight,
    first_row,
)
from cautious._labels import binary_classes, binary_truth, match_label
from cautious._typing import Floats, Mask, as_floats
from cautious.curves import Staircase
from cautious.curves._hull import CostHull
from cautious.errors import shown
from cautious.models.base import is_number
from cautious.predictions._probabilities import class_scores

__all__ = ["are_positive", "at_temperature", "find_temperature", "isotonic_probabilities"]

# Where even the largest difference of logits is this small, classes are equally probable.
_LEAST = 1e-6


def isotonic_probabilities(
    y_calibration: npt.ArrayLike,
    score_calibration: npt.ArrayLike,
    score: npt.ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
) -> Floats:
    """Turn scores of two classes into probabilities that rise with the score.

    They are the shares of positives in the bins of the convex hull (of ROC, or of the staircase of
    counts), the same as those of isotonic regression. So an optimal window on these probabilities
    is an optimal window on the scores.

    Parameters
    ----------
    y_calibration : array-like of shape (n,)
        Truths of cases that the classifier has not learned from.
    score_calibration : array-like of shape (n,)
        Their scores, larger for cases that are more likely positive: probabilities or any numbers.
    score : array-like of shape (m,)
        Scores of the cases in question.
    pos_label : label, optional
        The positive class. Not needed where it is clear: 0 and 1, no and yes.
    sample_weight : array-like of shape (n,), optional
        How often each calibration case counts.

    Returns
    -------
    ndarray of shape (m,)
        Probabilities of the positive class. At the calibration scores they are those of
        scikit-learn's ``IsotonicRegression``; between two bins they jump midway, where scikit-learn
        draws a line.

    See Also
    --------
    venn_abers : The same with an interval that tells how sure the probability is.
    cautious.metrics.calibration_error : How far probabilities are off.

    References
    ----------
    Zadrozny & Elkan (2002), *Transforming classifier scores into accurate multiclass probability
    estimates*; Fawcett & Niculescu-Mizil (2007), *PAV and the ROC convex hull*.

    Examples
    --------
    >>> from cautious.models import isotonic_probabilities
    >>> truth, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    >>> isotonic_probabilities(truth, scores, [0.05, 0.35, 0.95])
    array([0. , 0.5, 1. ])
    """
    known = check_scores(score_calibration, name="score_calibration")
    asked = check_scores(score, name="score")
    truth = are_positive(y_calibration, pos_label)
    if len(truth) != len(known):
        raise ValueError(
            f"y_calibration has {len(truth)} cases and score_calibration {len(known)}; both must "
            "be of the same calibration cases."
        )
    weight = check_weight(sample_weight, len(truth))
    if not weight.any():
        raise ValueError("sample_weight is zero in all calibration cases; give one some weight.")
    hull = CostHull.of(Staircase.from_predictions(truth, known, sample_weight=weight))
    return np.asarray(hull.probability[np.searchsorted(hull.upper[1:-1], asked, side="right")])


def are_positive(y_calibration: npt.ArrayLike, pos_label: Any) -> Mask:
    """Whether each calibration case is positive; all of them may be of one class."""
    truth = check_truth(y_calibration, name="y_calibration")
    if not len(truth):
        raise ValueError("y_calibration is empty; give at least one calibration case.")
    labels = list(dict.fromkeys(truth.tolist()))
    alone = len(labels) == 1 and pos_label is not None and match_label(pos_label, labels) < 0
    classes = binary_classes(labels) if alone else None  # 0 alone is one of 0 and 1
    return binary_truth(truth, pos_label=pos_label, classes=classes)[0]


def at_temperature(y_score: npt.ArrayLike, temperature: float, *, logits: bool = False) -> Floats:
    r"""Sharpen or soften class probabilities.

    .. math:: q_k \propto p_k^{1/T} \quad\text{or, of logits,}\quad q_k \propto e^{z_k/T}

    Parameters
    ----------
    y_score : array-like of shape (n, K)
        Class probabilities; or logits, of which (n,) are those of the second of two classes.
    temperature : float
        Above 1 for probabilities that are too sure, below 1 for ones that are not sure enough.
    logits : bool, default=False
        Whether `y_score` holds logits.

    Returns
    -------
    ndarray of shape (n, K)
        Probabilities. The most probable class stays the most probable.

    Examples
    --------
    >>> from cautious.models import at_temperature
    >>> at_temperature([[0.9, 0.1]], 2).round(2)
    array([[0.75, 0.25]])
    """
    divisor = check_temperature(temperature)
    z = _logits(y_score, logits)
    with np.errstate(over="ignore"):  # what is that far below the largest has probability 0
        return np.asarray(softmax((z - z.max(axis=1, keepdims=True)) / divisor, axis=1))


def check_temperature(temperature: Any) -> float:
    """Check that a temperature is a positive, finite number."""
    if not (
        is_number(temperature) and temperature <= sys.float_info.max and float(temperature) > 0
    ):
        raise ValueError(f"temperature is {shown(temperature)}; give a positive, finite number.")
    return float(temperature)


def find_temperature(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    logits: bool = False,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    r"""Find the temperature at which probabilities have the least logarithmic loss.

    One number for all classes: it changes how sure a classifier is, not which class it prefers. The
    loss is convex in 1/T, and its minimum is found to rounding. Use
    ``CalibratedClassifierCV(…, method="temperature")`` of scikit-learn (from 1.8 on) where the
    estimator is at hand.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels, of cases that the classifier has not learned from.
    y_score : array-like of shape (n, K) or (n,)
        Class probabilities, or logits; or, for two classes, those of the positive one.
    logits : bool, default=False
        Whether `y_score` holds logits.
    classes : sequence of length K, optional
        Class labels in column order; by default the sorted labels of `y_true`.
    pos_label : label, optional
        The class that a single column is about.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.

    Returns
    -------
    float
        For :func:`at_temperature`, or ``ConformalClassifier(temperature=…)``.

    Raises
    ------
    ValueError
        Where there is no best temperature: the preferred class is always right, so that the surer
        the better; or probabilities are no better than equal ones.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger (2017), *On calibration of modern neural networks*.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import at_temperature, find_temperature
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet(np.ones(3), 5000)
    >>> y = (rng.random((5000, 1)) > p.cumsum(axis=1)).sum(axis=1)
    >>> too_sure = at_temperature(p, 0.5)
    >>> round(find_temperature(y, too_sure), 2)
    1.94
    """
    if logits and np.ndim(y_score) == 1:
        z = _logits(y_score, logits)
        known = class_scores(expit(z[:, 1]), y_true, classes, pos_label, name="y_score")[1]
    else:
        scores, known = class_scores(y_score, y_true, classes, pos_label, name="y_score")
        z = _logits(scores, logits)
    truth = as_codes(check_truth(y_true), known, name="y_true")
    weight = check_weight(sample_weight, len(truth))
    if not weight.any():
        raise ValueError("there are no cases: y_true is empty, or sample_weight is zero in all.")
    of_truth = z[np.arange(len(truth)), truth]
    impossible = np.isneginf(of_truth) & (weight > 0)
    if impossible.any():
        raise ValueError(
            f"y_score gives the true class probability 0 in row {first_row(impossible)}, and no "
            "temperature makes it possible; keep probabilities above 0."
        )
    # Relative to the truth, so that only differences count.
    over, weight = (z - of_truth[:, None])[weight > 0], weight[weight > 0]
    finite = np.where(np.isneginf(over), 0.0, over)  # what is impossible stays so, and weighs 0
    largest = float(np.abs(finite).max()) or 1.0
    finite /= largest
    below = (over - over.max(axis=1, keepdims=True)) / largest  # so that powers are at most 1

    def slope(beta: float) -> float:
        """Slope of the loss in largest/T; it rises with 1/T."""
        power = np.exp(beta * below)
        return float(weight @ (np.einsum("ij,ij->i", power, finite) / power.sum(axis=1)))

    if not (finite > 0).any():
        raise ValueError(
            "y_score prefers the true class in every case, so no temperature is the best: the "
            "surer the better. Give cases that the classifier has not learned from, or more."
        )
    if slope(_LEAST) >= 0:
        raise ValueError(
            "y_score says no more about y_true than equal probabilities would, so no temperature "
            "is the best; are the columns in the order of classes?"
        )
    lower = upper = largest  # no change, T = 1
    while slope(upper) < 0:
        lower, upper = upper, 2 * upper
    while slope(lower) >= 0 and lower > _LEAST:
        lower, upper = max(lower / 2, _LEAST), lower
    return largest / float(optimize.brentq(slope, lower, upper, xtol=1e-15, rtol=1e-14))


def _logits(y_score: npt.ArrayLike, logits: bool) -> Floats:
    """Logits of each class, those of impossible classes minus infinity."""
    if not isinstance(logits, bool | np.bool_):
        raise ValueError(f"logits is {shown(logits)}; give True or False.")
    if not logits:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(check_probabilities(y_score, name="y_score").clip(min=0.0)))
    z = as_floats(y_score, "y_score", "logits")
    if z.ndim == 1:  # of two classes, the log odds of the second
        z = np.column_stack([np.zeros(len(z)), z])
    if z.ndim != 2 or not z.shape[1] or not np.isfinite(z).all():
        raise ValueError(
            f"y_score has shape {z.shape}, or holds a value that is not finite; give one finite "
            "logit per case and class."
        )
    return z
