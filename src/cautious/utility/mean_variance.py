r"""Reading an expected utility as a trade of gain against variability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from cautious.sets import check_weight
from cautious.utility.certainty import check_accuracies, weighted_mean
from cautious.utility.checking import UtilityLike, as_utility

__all__ = ["MeanVariance", "mean_variance"]


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
