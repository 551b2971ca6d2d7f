"""Discounted accuracy and what it is worth: a right set of k classes earns 1/k."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious.metrics.counts import SetCounts
from cautious.metrics.declaring import define_measure, with_params
from cautious.utility import UtilityLike, as_utility

__all__ = [
    "certainty_equivalent_score",
    "discounted_accuracy_score",
    "discounted_accuracy_variance",
    "utility_score",
]


@define_measure("discounted_accuracy", mean=True, section="worth")
def discounted_accuracy_score(counts: SetCounts) -> npt.ArrayLike:
    r"""Mean discounted accuracy.

    .. math:: x = \frac{[y \in \hat Y]}{|\hat Y|}

    A vacuous classifier earns 1/K, as much as a random one; a utility tells them apart.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 4.

    Examples
    --------
    >>> discounted_accuracy_score(["a", "b"], [["a"], ["a", "b"]])
    0.75
    """
    return counts.discounted


@define_measure("discounted_accuracy_variance", greater_is_better=False, section="worth")
def discounted_accuracy_variance(counts: SetCounts) -> npt.ArrayLike:
    r"""Variance of the discounted accuracy, :math:`E[x^2] - E[x]^2`.

    Among classifiers of equal mean, the one with the smaller variance is better under every
    strictly concave utility. To split an expected utility into its two terms, give
    the values per case
    (``per_sample(discounted_accuracy_score)``) to :func:`cautious.utility.mean_variance`.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), sections 6 and 7.

    Examples
    --------
    >>> discounted_accuracy_variance(["a", "b"], [["a"], ["a", "b"]])
    0.0625
    """
    x = counts.discounted
    mean = counts.mean(x)
    # Rounding may leave a tiny negative number where there is no variance at all.
    return np.maximum(counts.mean(x**2) - mean**2, 0)


@define_measure("utility", mean=True)
def utility_score(counts: SetCounts, *, utility: UtilityLike = "u65") -> npt.ArrayLike:
    r"""Mean utility of the discounted accuracy, :math:`E[u(x)]`.

    .. math:: u_{65}(x) = -0.6x^2 + 1.6x, \qquad u_{80}(x) = -1.2x^2 + 2.2x

    Parameters
    ----------
    utility : str, Utility or callable, default="u65"
        What :func:`cautious.utility.as_utility` takes: "u65", "u80", "F1", "log", …, or any
        function of discounted accuracy.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), sections 5 and 9; the two quadratics are printed there under
    each other's names.

    Examples
    --------
    >>> y_true, y_set = ["a", "b"], [["a"], ["a", "b"]]
    >>> utility_score(y_true, y_set), utility_score(y_true, y_set, utility="u80")
    (0.825, 0.9)
    """
    return as_utility(utility)(counts.discounted)


for _name in ("u65", "u80", "F1"):
    with_params(utility_score, _name.lower(), section="worth", utility=_name)


@define_measure("certainty_equivalent")
def certainty_equivalent_score(counts: SetCounts, *, utility: UtilityLike = "u65") -> npt.ArrayLike:
    r"""Sure discounted accuracy that would be worth as much, :math:`u^{-1}(E[u(x)])`.

    It brings a mean utility back to the scale of accuracies. Where a utility reaches a value twice,
    as u80 does, it is the smaller accuracy.

    Parameters
    ----------
    utility : str, Utility or callable, default="u65"
        What :func:`cautious.utility.as_utility` takes.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 5.

    Examples
    --------
    >>> round(certainty_equivalent_score(["a", "b"], [["a"], ["a", "b"]]), 4)
    0.6987
    """
    u = as_utility(utility)
    return u.inverse(counts.mean(u(counts.discounted)))


with_params(certainty_equivalent_score, "certainty_equivalent_u65", section="worth", utility="u65")
