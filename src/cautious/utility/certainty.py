r"""Expected utility of a classifier, and the sure accuracy it is worth."""

from __future__ import annotations

import warnings

import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from cautious._typing import Floats, as_floats
from cautious.sets import check_weight, first_row
from cautious.utility.checking import UtilityLike, as_utility

__all__ = ["certainty_equivalent", "expected_utility"]


def check_accuracies(x: npt.ArrayLike, *, name: str = "x") -> Floats:
    """Check discounted accuracies, one an example: numbers between 0 and 1."""
    values = as_floats(x, name, "accuracies")
    if values.ndim != 1:
        raise ValueError(
            f"{name} has shape {values.shape}; expected (n,), one discounted accuracy an example."
        )
    outside = ~((values >= 0) & (values <= 1))
    if outside.any():
        row = first_row(outside)
        raise ValueError(
            f"{name} is {values[row]} in row {row}; discounted accuracies lie between 0 and 1."
        )
    return values


def weighted_mean(values: Floats, weight: Floats) -> float:
    """Mean of weighted rows; nan with a warning if there are none."""
    total = weight.sum()
    if total == 0:
        warnings.warn(
            "there are no examples, or all weigh nothing: the mean is undefined and set to nan.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return float("nan")
    return float(values @ weight / total)


def expected_utility(
    x: npt.ArrayLike, utility: UtilityLike = "u65", *, sample_weight: npt.ArrayLike | None = None
) -> float:
    r"""Mean utility of discounted accuracies, the utility-discounted accuracy :math:`E[u(h)]`.

    Parameters
    ----------
    x : array-like of shape (n,)
        Discounted accuracy of each prediction: 1 over the size of the set if it holds the truth,
        else 0.
    utility : Utility, str or callable, default="u65"
        See :func:`as_utility`.
    sample_weight : array-like of shape (n,), optional
        Weights, read as repetitions.

    Returns
    -------
    float

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 5.

    Examples
    --------
    >>> expected_utility([1, 0.5, 0.5, 0], "u80")
    0.65
    """
    accuracies = check_accuracies(x)
    weight = check_weight(sample_weight, len(accuracies))
    return weighted_mean(as_utility(utility)(accuracies), weight)


def certainty_equivalent(
    x: npt.ArrayLike, utility: UtilityLike = "u65", *, sample_weight: npt.ArrayLike | None = None
) -> float:
    r"""Sure discounted accuracy worth as much as the classifier: :math:`u^{-1}(E[u(h)])`.

    It brings any utility back to the scale of an accuracy. For utilities that stop rising before 1,
    such as u80, it is the smallest accuracy of that worth: a perfect classifier's certainty
    equivalent under u80 is 5/6.

    Parameters
    ----------
    x : array-like of shape (n,)
        Discounted accuracy of each prediction.
    utility : Utility, str or callable, default="u65"
        See :func:`as_utility`.
    sample_weight : array-like of shape (n,), optional
        Weights, read as repetitions.

    Returns
    -------
    float

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 5, footnote 4.

    Examples
    --------
    >>> round(certainty_equivalent([1, 0], "u65"), 4)  # a coin toss
    0.3615
    """
    u = as_utility(utility)
    accuracies = check_accuracies(x)
    weight = check_weight(sample_weight, len(accuracies))
    return float(u.inverse(weighted_mean(u(accuracies), weight)))
