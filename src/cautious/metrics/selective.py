"""Areas under risk–coverage curves: how well confidence sorts right answers from wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious.metrics._registry import define_measure
from cautious.metrics._risk_coverage import RiskCoverageCurve, count_scores

__all__ = ["augrc_score", "aurc_score", "excess_augrc_score", "excess_aurc_score"]


@define_measure("aurc", counts=RiskCoverageCurve, greater_is_better=False, section="confidence")
def aurc_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    loss: npt.ArrayLike | None = None,
) -> npt.ArrayLike:
    r"""Area under the risk–coverage curve.

    Answer the most confident cases first. At coverage :math:`c` the *generalised risk*
    :math:`g(c)` is the loss so far divided by the number of *all* cases, and the *selective risk*
    :math:`g(c)/c` the mean loss of the cases answered.

    .. math:: \mathrm{AURC} = \int_0^1 \frac{g(c)}{c}\, dc

    Cases of equal confidence cannot be told apart by a threshold: they enter as one step, inside
    which :math:`g` is a straight line (answer a random part of them: this is the expected risk).
    The integral is exact. It depends neither on the order of the rows nor on the scale of the
    weights, and is the area below the curve that :class:`cautious.metrics.RiskCoverageCurve` draws.

    Parameters
    ----------
    y_true, y_score, classes, pos_label, sample_weight, confidence, loss
        As for :meth:`RiskCoverageCurve.from_predictions`.

    Returns
    -------
    float

    Notes
    -----
    Conventions differ between libraries, and so do the numbers:

    - Geifman, Uziel & El-Yaniv (2019): the mean of the selective risk at the n coverages 1/n, …, 1;
      cases of equal confidence in the order of the rows;
    - torch-uncertainty: trapezia between these n points, divided by 1 − 1/n; ties as a sort leaves
      them;
    - fd-shifts: trapezia between the distinct confidences, level from the first down to coverage 0,
      times 1000;
    - others: the sum of the n selective risks, not their mean.

    On the example below these give .2778, .3333, 222.2 and .8333, and this function .2374. With few
    ties they agree (after scaling) as the sample grows.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), "Bias-reduced uncertainty estimation for deep neural
    classifiers"; for the integral of the quotient, Traub et al. (2024), "Overcoming common flaws in
    the evaluation of selective classification systems".

    Examples
    --------
    >>> round(aurc_score(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), 4)
    0.2374
    """
    counts = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
    return counts.selective_area()


@define_measure("augrc", counts=RiskCoverageCurve, greater_is_better=False, section="confidence")
def augrc_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    loss: npt.ArrayLike | None = None,
) -> npt.ArrayLike:
    r"""Area under the generalised risk–coverage curve.

    .. math:: \mathrm{AUGRC} = \int_0^1 g(c)\, dc

    with :math:`g` as in :func:`aurc_score`: the mean risk of an undetected failure over all
    thresholds. For 0/1 losses with error rate :math:`e` and :math:`A` the area under the ROC curve
    of confidence for right against wrong answers,
    :math:`\mathrm{AUGRC} = (1 - A)\, e\,(1 - e) + e^2/2`. Ties enter as one step.

    Parameters
    ----------
    y_true, y_score, classes, pos_label, sample_weight, confidence, loss
        As for :meth:`RiskCoverageCurve.from_predictions`.

    Returns
    -------
    float

    References
    ----------
    Traub et al. (2024), "Overcoming common flaws in the evaluation of selective classification
    systems", eqs 6–8.

    Examples
    --------
    >>> round(augrc_score(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), 4)
    0.1667
    """
    counts = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
    return counts.generalised_area()


@define_measure(
    "excess_aurc", counts=RiskCoverageCurve, greater_is_better=False, section="confidence"
)
def excess_aurc_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    loss: npt.ArrayLike | None = None,
) -> npt.ArrayLike:
    r"""Area that AURC loses to the best confidence possible, the one that falls as the loss rises.

    .. math:: \mathrm{E\text{-}AURC} = \mathrm{AURC} - \mathrm{AURC}^*, \qquad
              \mathrm{AURC}^* = e + (1 - e) \ln(1 - e)

    the last for 0/1 losses with error rate :math:`e`, exact under the convention of
    :func:`aurc_score`. It is never negative.

    Parameters
    ----------
    y_true, y_score, classes, pos_label, sample_weight, confidence, loss
        As for :meth:`RiskCoverageCurve.from_predictions`.

    Returns
    -------
    float

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), section 3.

    Examples
    --------
    >>> round(excess_aurc_score(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), 4)
    0.1744
    """
    counts = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
    return np.maximum(counts.selective_area() - counts.optimal.selective_area(), 0)


@define_measure(
    "excess_augrc", counts=RiskCoverageCurve, greater_is_better=False, section="confidence"
)
def excess_augrc_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    loss: npt.ArrayLike | None = None,
) -> npt.ArrayLike:
    r"""Area that AUGRC loses to the best confidence possible; :math:`\mathrm{AUGRC}^* = e^2/2`.

    Parameters
    ----------
    y_true, y_score, classes, pos_label, sample_weight, confidence, loss
        As for :meth:`RiskCoverageCurve.from_predictions`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(excess_augrc_score(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), 4)
    0.1111
    """
    counts = count_scores(y_true, y_score, classes, pos_label, sample_weight, confidence, loss)
    return np.maximum(counts.generalised_area() - counts.optimal.generalised_area(), 0)
