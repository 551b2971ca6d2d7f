r"""Calibrated probabilities from scores alone.

**Venn–Abers.** Let :math:`P_j = (W_j, S_j)` be the cases and the positive ones among them up to
the j-th score. Isotonic regression gives the slopes of the lower convex hull of these points. A
case that joins moves all points to the right of its place by (1, label), and what it is given is
the slope of the *bridge*: the edge of the new hull from the points on the left to those on the
right. All hulls of the left sides are one tree, in which each point knows the corner before it, and
so are those of the right sides. A bridge starts at its place and moves outward along both trees,
over corners that are none any more. Corners are compared in whole numbers, so that ties are ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy.special import expit, softmax
from sklearn.exceptions import NotFittedError

from cautious._checks import (
    as_codes,
    check_probabilities,
    check_scores,
    check_truth,
    check_weight,
    first_row,
)
from cautious._labels import binary_classes, binary_truth, match_label
from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.credal import ProbabilityIntervals
from cautious.curves import Staircase
from cautious.curves._hull import CostHull
from cautious.models._base import POSITIVE, Declared, OneOf, parameter
from cautious.predictions._probabilities import class_scores

# Where even the largest difference of logits is this small, classes are equally probable.
_LEAST = 1e-6


@dataclass(eq=False, repr=False)
class ScoreCalibrator(Declared):
    r"""Probabilities that mean what they say, from scores of cases held out.

    It needs nothing but predictions. Where the estimator is at hand, scikit-learn's
    ``CalibratedClassifierCV`` fits and calibrates it in one go.

    "isotonic" serves scores of two classes, with many cases. Probabilities are the shares of
    positives in the bins of the convex hull (of ROC, or of the staircase of counts), those of
    isotonic regression, so that an optimal window on them is an optimal window on the scores.
    Bounds are those of inductive Venn–Abers prediction: a case of score s joins the calibration
    cases twice, once as a negative and once as a positive one, and isotonic regression gives it the
    probabilities :math:`p_0(s)` and :math:`p_1(s)`. One of the two is right, so the pair is well
    calibrated whatever the scores are worth, if cases are exchangeable. The interval
    :math:`[p_0, p_1]` is wide where calibration cases are few.

    "temperature" serves any number of classes, with few cases: one number T, which changes how sure
    a classifier is, not which class it prefers,

    .. math:: q_k \propto p_k^{1/T} \quad\text{or, of logits,}\quad q_k \propto e^{z_k/T}.

    The T of the least logarithmic loss is found, to rounding: the loss is convex in 1/T.

    Parameters
    ----------
    method : {"isotonic", "temperature"}, default="isotonic"
        How scores become probabilities.
    logits : bool, default=False
        For "temperature": whether scores are logits, of which (n,) are those of the second of two
        classes, and not probabilities.
    temperature : float, optional
        A temperature that is known; nothing need be fitted then. Above 1 for probabilities that are
        too sure, below 1 for ones that are not sure enough.

    Attributes
    ----------
    temperature : float or None
        The one given, or found by :meth:`fit`; for ``ConformalClassifier(temperature=…)``, too.

    See Also
    --------
    cautious.metrics.calibration_error : How far probabilities are off.

    References
    ----------
    Zadrozny & Elkan (2002), *Transforming classifier scores into accurate multiclass probability
    estimates*; Fawcett & Niculescu-Mizil (2007), *PAV and the ROC convex hull*; Vovk & Petej
    (2014), *Venn–Abers predictors*; Vovk, Petej & Fedorova (2015), *Large-scale probabilistic
    predictors with and without guarantees of validity*; Guo, Pleiss, Sun & Weinberger (2017), *On
    calibration of modern neural networks*.

    Examples
    --------
    >>> from cautious.decision import maximality
    >>> from cautious.models import ScoreCalibrator
    >>> truth, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    >>> calibrator = ScoreCalibrator().fit(truth, scores)
    >>> calibrator.predict_proba([0.05, 0.35, 0.95])[:, 1]
    array([0. , 0.5, 1. ])
    >>> intervals = calibrator.predict_proba_bounds([0.05, 0.35, 0.95])
    >>> intervals.lower[:, 1].round(3), intervals.upper[:, 1].round(3)
    (array([0.   , 0.333, 0.667]), array([0.333, 0.667, 1.   ]))
    >>> maximality(intervals)
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    >>> ScoreCalibrator("temperature", temperature=2).predict_proba([[0.9, 0.1]]).round(2)
    array([[0.75, 0.25]])
    """

    method: Literal["isotonic", "temperature"] = parameter(
        "isotonic", OneOf("isotonic", "temperature")
    )
    _: KW_ONLY
    logits: bool = parameter(False, "boolean")
    temperature: float | None = parameter(None, POSITIVE)

    def __post_init__(self) -> None:
        self._validate_params()
        self._counts: tuple[Floats, Ints, Ints] | None = None
        self._hull: CostHull | None = None

    def _check_parameters(self) -> None:
        for name, given in (("logits", self.logits), ("temperature", self.temperature is not None)):
            if given and self.method == "isotonic":
                raise ValueError(f"{name} is given, which only method='temperature' takes.")

    def fit(
        self,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from cases that the classifier has not learned from.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Their truths.
        y_score : array-like of shape (n,) or (n, K)
            Their scores. For "isotonic" any numbers, larger for cases that are more likely
            positive; for "temperature" probabilities or logits, those of the positive class or one
            column per class.
        classes : sequence of length K, optional
            For "temperature": class labels in column order; by default sorted.
        pos_label : label, optional
            The positive class. Not needed where it is clear: 0 and 1, no and yes.
        sample_weight : array-like of shape (n,), optional
            How often each case counts. Venn–Abers bounds take no weights.

        Raises
        ------
        ValueError
            Where there is no best temperature: the preferred class is always right, so that the
            surer the better; or probabilities are no better than equal ones.
        """
        if self.method == "temperature":
            if self.logits and np.ndim(y_score) == 1:
                z = _logits(y_score, logits=True)
                labels = class_scores(expit(z[:, 1]), y_true, classes, pos_label)[1]
            else:
                scores, labels = class_scores(y_score, y_true, classes, pos_label)
                z = _logits(scores, self.logits)
            codes = as_codes(check_truth(y_true), labels, name="y_true")
            self.temperature = best_temperature(z, codes, check_weight(sample_weight, len(codes)))
            return self
        known, truth = check_scores(y_score, name="y_score"), _are_positive(y_true, pos_label)
        if len(truth) != len(known):
            raise ValueError(
                f"y_true has {len(truth)} cases and y_score {len(known)}; both must be of the same "
                "calibration cases."
            )
        weight = check_weight(sample_weight, len(truth))
        if not weight.any():
            raise ValueError("sample_weight is zero in all cases; give one some weight.")
        stairs = Staircase.from_predictions(truth, known, sample_weight=sample_weight)
        self._hull, self._counts = CostHull.of(stairs), None
        if sample_weight is None:
            positives, negatives = (
                each.astype(np.intp) for each in (stairs.positives, stairs.negatives)
            )
            self._counts = stairs.scores, positives + negatives, positives
        return self

    def predict_proba(self, y_score: npt.ArrayLike) -> Floats:
        """Turn scores into class probabilities.

        Returns
        -------
        ndarray of shape (m, K)
            In the order of the classes; of two, the positive one comes second. "isotonic" gives at
            the calibration scores what scikit-learn's ``IsotonicRegression`` does; between two bins
            it jumps midway, where scikit-learn draws a line.
        """
        if self.method == "temperature":
            self._check_fitted(self.temperature)
            return at_temperature(y_score, self.temperature, logits=self.logits)  # type: ignore[arg-type]
        hull, scores = self._check_fitted(self._hull), check_scores(y_score, name="y_score")
        p = hull.probability[np.searchsorted(hull.upper[1:-1], scores, side="right")]
        return np.column_stack([1 - p, p])

    def predict_proba_bounds(self, y_score: npt.ArrayLike) -> ProbabilityIntervals:
        """Bound the probabilities of two classes by Venn–Abers prediction, for "isotonic".

        Returns
        -------
        ProbabilityIntervals
            The negative class in the first column and the positive one in the second, ready for the
            criteria of :mod:`cautious.decision`. A single probability of the positive class is
            :math:`p_1 / (1 - p_0 + p_1)`, which Vovk & Petej derive for logarithmic loss.
        """
        if self.method == "temperature":
            raise ValueError("method is 'temperature', which bounds nothing; choose 'isotonic'.")
        self._check_fitted(self._hull)
        if self._counts is None:
            raise ValueError("sample_weight was given to fit; Venn–Abers bounds take no weights.")
        levels, count, positives = self._counts
        asked = check_scores(y_score, name="y_score")
        # Scores strictly between the same two calibration scores are all alike.
        left = np.searchsorted(levels, asked)
        met = levels[np.minimum(left, len(levels) - 1)] == asked
        places, place = np.unique(2 * left + met, return_inverse=True)
        p_0, p_1 = (each[place] for each in slopes_with_one_more(count, positives, places))
        return ProbabilityIntervals(
            np.column_stack([1 - p_1, p_0]), np.column_stack([1 - p_0, p_1])
        )

    def _check_fitted(self, learned: Any) -> Any:
        if learned is None:
            raise NotFittedError("this ScoreCalibrator is not fitted; call fit with cases first.")
        return learned


def _are_positive(y_true: Any, pos_label: Any) -> Mask:
    """Whether each calibration case is positive; all of them may be of one class."""
    truth = check_truth(y_true)
    if not len(truth):
        raise ValueError("y_true is empty; give at least one calibration case.")
    labels = pd.unique(truth).tolist()
    alone = len(labels) == 1 and pos_label is not None and match_label(pos_label, labels) < 0
    classes = binary_classes(labels) if alone else None  # 0 alone is one of 0 and 1
    return binary_truth(truth, pos_label=pos_label, classes=classes)[0]


def at_temperature(y_score: npt.ArrayLike, temperature: float, *, logits: bool = False) -> Floats:
    """Sharpen or soften class probabilities, or those of logits."""
    z = _logits(y_score, logits)
    with np.errstate(over="ignore"):  # what is that far below the largest has probability 0
        return np.asarray(softmax((z - z.max(axis=1, keepdims=True)) / float(temperature), axis=1))


def best_temperature(z: Floats, truth: Ints, weight: Floats) -> float:
    """Find the temperature at which logits have the least logarithmic loss."""
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
    return largest / float(scipy.optimize.brentq(slope, lower, upper, xtol=1e-15, rtol=1e-14))


def check_unless_logits(p: npt.ArrayLike, name: str, n_classes: int | None = None) -> Floats:
    """Check probabilities; of what is none, say how logits are told."""
    try:
        return check_probabilities(p, name=name, n_classes=n_classes)
    except ValueError as error:
        raise ValueError(f"{error} If these are logits, say so with logits=True.") from None


def _logits(y_score: npt.ArrayLike, logits: bool) -> Floats:
    """Logits of each class, those of impossible classes minus infinity."""
    if not logits:
        p = check_unless_logits(y_score, "y_score")
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(p.clip(min=0.0)))
    z = as_floats(y_score, "y_score", "logits")
    if z.ndim == 1:  # of two classes, the log odds of the second
        z = np.column_stack([np.zeros(len(z)), z])
    if z.ndim != 2 or not z.shape[1] or not np.isfinite(z).all():
        raise ValueError(
            f"y_score has shape {z.shape}, or holds a value that is not finite; give one finite "
            "logit per case and class."
        )
    return z


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
