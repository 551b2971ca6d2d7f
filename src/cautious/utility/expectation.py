r"""Expected utility of a classifier, the sure accuracy it is worth, and what variability costs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from cautious._checks import check_weight, first_row
from cautious._typing import Floats, as_floats
from cautious.utility._forms import UtilityLike, as_utility

__all__ = [
    "MeanVariance",
    "certainty_equivalent",
    "check_accuracies",
    "expected_utility",
    "mean_variance",
    "weighted_mean",
]


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


@dataclass(frozen=True)
class MeanVariance:
    """An expected utility taken apart.

    Attributes
    ----------
    mean, variance : float
        Of the discounted accuracies; the variance divides by n.
    utility_of_mean : float
        What the mean would be worth if it were certain.
    variance_term : float
        What the variability costs, to second order (not positive for a concave utility).
    expected_utility : float
        The exact value, for comparison.
    """

    mean: float
    variance: float
    utility_of_mean: float
    variance_term: float
    expected_utility: float

    @property
    def second_order(self) -> float:
        """Sum of the two terms: the expected utility to second order."""
        return self.utility_of_mean + self.variance_term

    def __str__(self) -> str:
        sign = "-" if self.variance_term < 0 else "+"
        return (
            f"u(E) {sign} |½u″(E)·Var| = {self.utility_of_mean:.4f} {sign} "
            f"{abs(self.variance_term):.4f} = {self.second_order:.4f} "
            f"(E = {self.mean:.4f}, Var = {self.variance:.4f}; exact {self.expected_utility:.4f})"
        )


def mean_variance(
    x: npt.ArrayLike, utility: UtilityLike = "u65", *, sample_weight: npt.ArrayLike | None = None
) -> MeanVariance:
    r"""Split an expected utility into the worth of its mean and the price of its variance.

    .. math:: E[u(h)] \approx u(E[h]) + ½\,u''(E[h])\,\mathrm{Var}[h],

    exact for quadratic utilities. Of two classifiers with the same mean discounted accuracy, the
    one with the smaller variance is preferred under every strictly concave utility.

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
    MeanVariance

    References
    ----------
    Zaffalon, Corani & Mauá (2012), eq. 1.

    Examples
    --------
    >>> print(mean_variance([1, 0.5, 0.5, 0], "u80"))
    u(E) - |½u″(E)·Var| = 0.8000 - 0.1500 = 0.6500 (E = 0.5000, Var = 0.1250; exact 0.6500)
    """
    u = as_utility(utility)
    accuracies = check_accuracies(x)
    weight = check_weight(sample_weight, len(accuracies))
    mean = weighted_mean(accuracies, weight)
    variance = weighted_mean((accuracies - mean) ** 2, weight)
    return MeanVariance(
        mean=mean,
        variance=variance,
        utility_of_mean=float(u(mean)),
        variance_term=0.5 * float(u.second_derivative(mean)) * variance,
        expected_utility=weighted_mean(u(accuracies), weight),
    )


def check_accuracies(x: npt.ArrayLike, *, name: str = "x") -> Floats:
    """Check discounted accuracies, one per example: numbers between 0 and 1."""
    values = as_floats(x, name, "accuracies")
    if values.ndim != 1:
        raise ValueError(
            f"{name} has shape {values.shape}; expected (n,), one discounted accuracy per example."
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
