r"""Correlation-based merit of a feature subset, and the best-first search for a good one."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

import numpy as np

from cautious._typing import Floats

__all__ = ["add_locally_predictive", "merit", "search"]

# A subset has to be better by this much to count as better, so that rounding cannot drive a search.
_BETTER = 1e-5

Subset = frozenset[int]
Row = Callable[[int], Floats]


def merit(subset: Subset, relevance: Floats, redundancy: Row) -> float:
    r"""Hall's merit of a subset of :math:`k` features.

    .. math:: \frac{k\, \overline{r_{cf}}}{\sqrt{k + k(k-1)\, \overline{r_{ff}}}}
              = \frac{\sum_i r_{ci}}{\sqrt{k + 2 \sum_{i<j} r_{ij}}}

    Parameters
    ----------
    subset : frozenset of int
        The features.
    relevance : ndarray of shape (p,)
        Correlation :math:`r_{ci}` of each feature with the class.
    redundancy : callable
        ``redundancy(i)`` is the row of correlations :math:`r_{ij}` of feature i with all features,
        1 with itself.

    Returns
    -------
    float
        The merit, 0 for no features.
    """
    chosen = sorted(subset)
    if not chosen:
        return 0.0
    among = sum(redundancy(i)[chosen].sum() for i in chosen)
    return float(relevance[chosen].sum() / np.sqrt(among))


def search(relevance: Floats, redundancy: Row, *, max_stale: int = 5) -> Subset:
    """Search forward from the empty set, best first.

    The best subset not yet expanded is expanded by every feature it lacks, until ``max_stale``
    expansions in a row have found nothing better; no more subsets than that are kept waiting. Of
    equally good subsets the one found first comes first, features being added in their order.

    Parameters
    ----------
    relevance, redundancy
        Correlations, as for :func:`merit`.
    max_stale : int, default=5
        How many expansions may fail in a row.

    Returns
    -------
    frozenset of int
        The best subset found; empty if no feature is correlated with the class.
    """
    best, best_merit = Subset(), 0.0
    waiting: list[tuple[float, int, Subset]] = [(0.0, 0, best)]  # (-merit, order found, subset)
    seen = {best}
    stale = 0
    while waiting and stale < max_stale:
        *_, subset = waiting.pop(0)
        stale += 1
        merits = _merits_of_children(subset, relevance, redundancy)
        for feature in range(len(relevance)):
            child = subset | {feature}
            if child in seen:  # also if the subset has the feature already
                continue
            seen.add(child)
            insort(waiting, (-merits[feature], len(seen), child))
            del waiting[max_stale:]  # what ranks lower is not reached before the search ends
            if merits[feature] > best_merit + _BETTER:
                best, best_merit = child, merits[feature]
                stale = 0
    return best


def _merits_of_children(subset: Subset, relevance: Floats, redundancy: Row) -> list[float]:
    """Merit of the subset with one feature more, for every feature."""
    chosen = sorted(subset)
    rows = sum((redundancy(i) for i in chosen), start=np.zeros(len(relevance)))
    among = rows[chosen].sum() + 1 + 2 * rows
    merits: list[float] = ((relevance[chosen].sum() + relevance) / np.sqrt(among)).tolist()
    return merits


def add_locally_predictive(subset: Subset, relevance: Floats, redundancy: Row) -> Subset:
    """Add features that tell more of the class than any chosen feature tells of them.

    The features left out are tried in order of decreasing relevance; each enters unless it is more
    correlated with a feature that is in than with the class. One that says nothing never enters.

    Parameters
    ----------
    subset : frozenset of int
        The features chosen so far.
    relevance, redundancy
        Correlations, as for :func:`merit`.

    Returns
    -------
    frozenset of int
        A superset.
    """
    chosen = set(subset)
    for feature in np.argsort(-relevance, kind="stable").tolist():
        mine = relevance[feature]
        if feature in chosen or mine == 0:
            continue
        if redundancy(feature)[sorted(chosen)].max(initial=0.0) <= mine:
            chosen.add(feature)
    return Subset(chosen)
