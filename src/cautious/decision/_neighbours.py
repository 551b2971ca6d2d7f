"""Sets of neighbouring classes, where classes are ordered and probabilities known within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._checks import check_probabilities
from cautious._typing import Floats, Mask
from cautious.costs import SetCosts, ordinal
from cautious.costs._forms import CostsLike, as_cost_matrix
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.decision.admissibility import e_admissibility
from cautious.decision.criteria import (
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximality,
)
from cautious.decision.optimal import contiguous_candidates, optimal_sets
from cautious.errors import shown
from cautious.tensors import by_copy

OrdinalCriterion: TypeAlias = Literal[
    "maximality",
    "e_admissibility",
    "interval_dominance",
    "gamma_maximin",
    "gamma_maximax",
    "hurwicz",
]

_OF_CLASSES: dict[str, Callable[..., Mask]] = {
    "maximality": maximality,
    "e_admissibility": e_admissibility,
    "interval_dominance": interval_dominance,
}
_OF_SETS: dict[str, Callable[..., Mask]] = {
    "gamma_maximin": gamma_maximin,
    "gamma_maximax": gamma_maximax,
    "hurwicz": hurwicz,
}
# Numbers held at once while expected costs of all contiguous sets are bounded: 64 MB.
_CELLS_AT_ONCE = 1 << 23


@by_copy
def ordinal_sets(
    intervals: IntervalsLike | npt.ArrayLike,
    costs: CostsLike | None = None,
    *,
    criterion: OrdinalCriterion | None = None,
) -> Mask:
    r"""Answer with neighbouring classes, for ordered classes in column order.

    It takes what any model gives, probabilities or bounds of them, and costs of two kinds:

    - **costs of single classes**: the classes that the evidence cannot rule out, by maximality or
      another criterion, and whatever lies between them. Under distances :math:`|i - j|` these are
      the classes that may be the median, which leave no gap by themselves under E-admissibility;
    - **costs of sets**: of all contiguous sets the one whose worst expected cost is the least
      (Γ-maximin), or by another criterion that chooses one.

    Precise probabilities give the class, or the contiguous set, of the least expected cost.

    Parameters
    ----------
    intervals : ProbabilityIntervals, tuple (lower, upper), or array-like of shape (n, K)
        Credal sets, or precise probabilities.
    costs : array-like of shape (K, K) or SetCosts, optional
        Costs of single classes (rows are predictions, columns truths), or of sets, such as
        :func:`cautious.costs.interval_costs`. Distances between ranks if left out.
    criterion : str, optional
        For costs of classes "maximality" (default), "e_admissibility" or "interval_dominance"; for
        costs of sets "gamma_maximin" (default), "gamma_maximax" or "hurwicz".

    Returns
    -------
    ndarray of shape (n, K), bool
        Contiguous sets. Among sets of equal worth the smallest, then the lowest.

    See Also
    --------
    optimal_sets : With ``contiguous=True``, the best contiguous set of precise probabilities.

    References
    ----------
    Destercke & Yang (2014), *Cautious ordinal classification by binary decomposition*.

    Examples
    --------
    >>> bounds = ([[0.1, 0.1, 0.3, 0.1]], [[0.4, 0.4, 0.6, 0.4]])
    >>> ordinal_sets(bounds)
    array([[False,  True,  True, False]])
    >>> from cautious.costs import interval_costs
    >>> ordinal_sets(bounds, interval_costs(4, width=0.3))
    array([[False,  True,  True, False]])
    >>> ordinal_sets([[0.1, 0.2, 0.5, 0.2]], interval_costs(4, width=0.15))
    array([[False,  True,  True,  True]])
    """
    of_sets = isinstance(costs, SetCosts)
    known = _OF_SETS if of_sets else _OF_CLASSES
    decide = known.get(next(iter(known)) if criterion is None else criterion)
    if decide is None:
        raise ValueError(
            f"criterion is {shown(criterion)}; for costs of "
            f"{'sets' if of_sets else 'single classes'} choose one of "
            f"{', '.join(map(repr, known))}."
        )
    if isinstance(intervals, tuple | ProbabilityIntervals):
        bounds = as_intervals(intervals)
        precise = False
    else:
        p = check_probabilities(intervals, name="intervals")
        bounds, precise = ProbabilityIntervals(p, p), True
    k = bounds.n_classes
    if isinstance(costs, SetCosts):
        if costs.n_classes != k:
            raise ValueError(f"costs is about {costs.n_classes} classes and there are {k}.")
        if precise:
            return optimal_sets(bounds.lower, costs, contiguous=True)
        return _one_contiguous_set(bounds, costs, decide)
    matrix = ordinal(k) if costs is None else _matrix(costs, k)
    if precise:  # a tie is no doubt; it goes to the lowest class
        return gamma_maximin(bounds, matrix)
    return _without_gaps(decide(bounds, matrix))


def _one_contiguous_set(
    bounds: ProbabilityIntervals, costs: SetCosts, decide: Callable[..., Mask]
) -> Mask:
    """Choose one of all contiguous sets; the smallest come first."""
    blocks = list(contiguous_candidates(costs))
    sets = np.concatenate([each for each, _ in blocks])
    table = np.concatenate([values for _, values in blocks])
    chosen = np.empty((len(bounds), bounds.n_classes), dtype=np.bool_)
    at_once = max(1, _CELLS_AT_ONCE // table.size)
    for start in range(0, len(bounds), at_once):
        rows = slice(start, start + at_once)
        chosen[rows] = sets[decide(bounds[rows], table).argmax(axis=1)]
    return chosen


def _without_gaps(sets: Mask) -> Mask:
    """Add what lies between the members of a set."""
    return np.asarray(
        np.logical_or.accumulate(sets, axis=1)
        & np.logical_or.accumulate(sets[:, ::-1], axis=1)[:, ::-1]
    )


def _matrix(costs: CostsLike, k: int) -> Floats:
    matrix = as_cost_matrix(costs, right_is_least=False)
    if len(matrix) != k:
        raise ValueError(f"costs is about {len(matrix)} classes and there are {k}.")
    return matrix
