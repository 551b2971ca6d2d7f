"""What the predictions cost."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats
from cautious.costs import SetCosts
from cautious.metrics.counts import SetCounts
from cautious.metrics.declaring import define_measure
from cautious.sets import unpack_sets

__all__ = ["set_cost_score"]

# Costs are looked up this many (set, truth) pairs at a time, so memory stays flat in the sets.
_PAIRS_AT_ONCE = 4_000_000


@define_measure(
    "set_cost",
    mean=True,
    greater_is_better=False,
    needs=["sets"],
    section="worth",
)
def set_cost_score(counts: SetCounts, *, costs: SetCosts) -> Floats:
    r"""Mean cost of the predictions, :math:`E[c_{\hat Y}(y)]`.

    Parameters
    ----------
    costs : SetCosts
        Costs of sets, such as :func:`cautious.costs.p_discounted` makes from a cost matrix. Its
        classes are in the order of `classes`. An empty set (``empty="wrong"``) costs as much as
        the most expensive single class would.

    References
    ----------
    Yang, Destercke & Masson (2017), section III.

    Examples
    --------
    >>> from cautious.costs import discounted, ordinal
    >>> costs = discounted(ordinal(3))
    >>> set_cost_score([0, 2, 1], [[0], [0, 2], [0, 1]], costs=costs)
    0.5
    """
    _check_costs(costs, counts)
    each = np.empty(len(counts.truth))
    step = max(1, _PAIRS_AT_ONCE // counts.n_classes)
    in_order = np.argsort(counts.set_index, kind="stable")
    for first in range(0, len(counts.words), step):
        sets = unpack_sets(counts.words[first : first + step], counts.n_classes)
        nothing = np.asarray(~sets.any(axis=1))
        table = costs.of(sets | nothing[:, None])
        if nothing.any():
            table[nothing] = costs.of(np.eye(counts.n_classes, dtype=np.bool_)).max(axis=0)
        ends = np.searchsorted(counts.set_index, [first, first + step], sorter=in_order)
        cells = in_order[slice(*ends)]
        each[cells] = table[counts.set_index[cells] - first, counts.truth[cells]]
    return each


def _check_costs(costs: SetCosts, counts: SetCounts) -> None:
    if not isinstance(costs, SetCosts):
        raise TypeError(
            f"costs is a {type(costs).__name__}; give costs of sets (SetCosts). From a cost matrix "
            "make them with cautious.costs.discounted or p_discounted."
        )
    if costs.n_classes != counts.n_classes:
        raise ValueError(
            f"costs is about {costs.n_classes} classes and the predictions about "
            f"{counts.n_classes}; give costs for all classes, in their order."
        )
    if costs.classes is not None and list(costs.classes) != counts.classes.tolist():
        raise ValueError(
            f"costs has classes {list(costs.classes)} and the predictions "
            f"{counts.classes.tolist()}; pass classes= in the order of the costs."
        )
