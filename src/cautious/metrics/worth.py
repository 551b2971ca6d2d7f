"""What answers are worth: discounted accuracy, its utility, and what sets cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._cases import cases_of_sets
from cautious._set_counts import SetCounts, costs_of_cells
from cautious._typing import Floats
from cautious.costs import as_costs
from cautious.costs._forms import CostsLike
from cautious.metrics._registry import MEASURES
from cautious.utility._forms import UtilityLike, as_utility


@MEASURES.define("discounted_accuracy", mean=True, section="worth")
def _discounted_accuracy(counts: SetCounts) -> Floats:
    return counts.mean(counts.discounted)


def discounted_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean discounted accuracy: a right set of k classes earns 1/k.

    .. math:: x = \frac{[y \in \hat Y]}{|\hat Y|}

    A vacuous classifier earns 1/K, as much as a random one; a utility tells them apart (Zaffalon,
    Corani & Mauá 2012, section 4).

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Examples
    --------
    >>> discounted_accuracy_score(["a", "b"], [["a"], ["a", "b"]])
    0.75
    """
    return _discounted_accuracy.score(y_true, y_set, classes, sample_weight, empty)


@MEASURES.define("discounted_accuracy_variance", greater_is_better=False, section="worth")
def _variance(counts: SetCounts) -> Floats:
    r"""Variance of the discounted accuracy, :math:`E[x^2] - E[x]^2`.

    Among classifiers of equal mean, the one with the smaller variance is better under every
    strictly concave utility (Zaffalon, Corani & Mauá 2012, sections 6 and 7).
    """
    x = counts.discounted
    # Rounding may leave a tiny negative number where there is no variance at all.
    return np.maximum(counts.mean(x**2) - counts.mean(x) ** 2, 0)


@MEASURES.define("utility", mean=True)
def _utility(counts: SetCounts, *, utility: UtilityLike = "u65") -> Floats:
    return counts.mean(as_utility(utility)(counts.discounted))


for _name in ("u65", "u80", "F1"):
    MEASURES.vary(_utility, _name.lower(), section="worth", utility=_name)


def utility_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    utility: UtilityLike = "u65",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean utility of the discounted accuracy, :math:`E[u(x)]`.

    .. math:: u_{65}(x) = -0.6x^2 + 1.6x, \qquad u_{80}(x) = -1.2x^2 + 2.2x

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
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
    return _utility.score(y_true, y_set, classes, sample_weight, empty, utility=utility)


@MEASURES.define("certainty_equivalent")
def _certainty_equivalent(counts: SetCounts, *, utility: UtilityLike = "u65") -> Floats:
    r"""Sure discounted accuracy that would be worth as much, :math:`u^{-1}(E[u(x)])`.

    It brings a mean utility back to the scale of accuracies (Zaffalon, Corani & Mauá 2012, section
    5). Where a utility reaches a value twice, as u80 does, it is the smaller accuracy.
    """
    u = as_utility(utility)
    return u.inverse(counts.mean(u(counts.discounted)))


MEASURES.vary(_certainty_equivalent, "certainty_equivalent_u65", section="worth", utility="u65")


@MEASURES.define("set_cost", mean=True, greater_is_better=False, needs=["sets"], section="worth")
def _set_cost(counts: SetCounts, *, costs: CostsLike, pos_label: Any = None) -> Floats:
    read = as_costs(costs, counts.classes.tolist(), pos_label=pos_label)
    return counts.mean(costs_of_cells(read, counts))


def set_cost_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    costs: CostsLike,
    pos_label: Any = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean cost of the predictions, :math:`E[c_{\hat Y}(y)]`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`. An empty set that is "wrong" costs as much as the
        most expensive single class would.
    costs : dict, array-like, DataFrame, path or SetCosts
        What :func:`cautious.costs.as_costs` takes: the costs that a classifier was tuned with, of
        two classes or more, also per case; or costs of sets such as
        :func:`cautious.costs.p_discounted` makes.
    pos_label : label, optional
        The positive class, for a dict of two classes' costs; needed unless it is plain, as in 0/1
        or no/yes.

    References
    ----------
    Yang, Destercke & Masson (2017), section III.

    Examples
    --------
    >>> from cautious.costs import discounted, ordinal
    >>> costs = discounted(ordinal(3))
    >>> set_cost_score([0, 2, 1], [[0], [0, 2], [0, 1]], costs=costs)
    0.5
    >>> costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    >>> set_cost_score(["no", "yes", "yes"], ["yes", None, "no"], costs=costs).__round__(4)
    4.3333
    """
    if isinstance(y_true, SetCounts):
        counts = y_true
    else:
        # Costs may differ per case: cases are added up only if they do not.
        counts = SetCounts.of_cases(
            cases_of_sets(y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty)
        )
        costs = as_costs(costs, counts.classes.tolist(), pos_label=pos_label)
        counts = counts if costs.per_case else counts.merge()[0]
    return _set_cost.score(counts, costs=costs, pos_label=pos_label)
