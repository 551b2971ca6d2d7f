"""Answers that respect an order of the classes: neighbours, without gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from cautious._checks import check_probabilities
from cautious._typing import Mask
from cautious.costs import SetCosts, ordinal
from cautious.costs._forms import CostsLike, as_cost_matrix
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.decision import criteria
from cautious.decision.optimal import optimal_sets
from cautious.decision.optimal._candidates import contiguous_candidates
from cautious.errors import shown
from cautious.tensors import by_copy

# Numbers in the tables of sets that are worked on together: 64 MB.
_CELLS_AT_ONCE = 1 << 23

_OfClasses: TypeAlias = Literal["maximality", "e_admissibility", "interval_dominance"]
_OfSets: TypeAlias = Literal["gamma_maximin", "gamma_maximax", "hurwicz"]
OrdinalCriterion: TypeAlias = _OfClasses | _OfSets


@by_copy
def ordinal_sets(
    intervals: IntervalsLike | npt.ArrayLike,
    costs: CostsLike | None = None,
    *,
    criterion: OrdinalCriterion | None = None,
) -> Mask:
    """Answer with neighbouring classes, for ordered classes in column order.

    It takes what any model gives, probabilities or bounds of them, and costs of two kinds:

    - **costs of single classes**: the classes that the evidence cannot rule out, by maximality or
      another criterion, and whatever lies between them. Under distances :math:`|i - j|` these are
      the classes that may be the median, which leave no gap by themselves under E-admissibility;
    - **costs of sets**: of all contiguous sets the one whose worst expected cost is the least
      (Γ-maximin), or by another criterion that chooses one.

    Precise probabilities give the class, or the contiguous set, of the least expected cost.
    Destercke & Yang (2014), *Cautious ordinal classification by binary decomposition*.

    Parameters
    ----------
    intervals : ProbabilityIntervals, tuple (lower, upper), or array-like of shape (n, K)
        Credal sets, or precise probabilities.
    costs : array-like of shape (K, K) or SetCosts, optional
        Costs of single classes (rows are predictions, columns truths), or of sets, such as
        :meth:`cautious.costs.SetCosts.from_positions`. Distances between ranks if left out.
    criterion : str, optional
        For costs of classes "maximality" (default), "e_admissibility" or "interval_dominance"; for
        costs of sets "gamma_maximin" (default), "gamma_maximax" or "hurwicz".

    Returns
    -------
    ndarray of shape (n, K), bool
        Contiguous sets. Among sets of equal worth the smallest, then the lowest.

    Examples
    --------
    >>> ordinal_sets(([[0.1, 0.1, 0.3, 0.1]], [[0.4, 0.4, 0.6, 0.4]]))
    array([[False,  True,  True, False]])
    >>> from cautious.costs import SetCosts
    >>> ordinal_sets([[0.1, 0.2, 0.5, 0.2]], SetCosts.from_positions(4, width=0.15))
    array([[False,  True,  True,  True]])
    """
    of_sets = isinstance(costs, SetCosts)
    known = get_args(_OfSets if of_sets else _OfClasses)
    name = known[0] if criterion is None else criterion
    if name not in known:
        raise ValueError(
            f"criterion is {shown(criterion)}; for costs of "
            f"{'sets' if of_sets else 'single classes'} choose one of "
            f"{', '.join(map(repr, known))}."
        )
    decide: Callable[..., Mask] = getattr(criteria, name)
    if isinstance(intervals, tuple | ProbabilityIntervals):
        bounds, is_precise = as_intervals(intervals), False
    else:
        p = check_probabilities(intervals, name="intervals")
        bounds, is_precise = ProbabilityIntervals(p, p), True
    k = bounds.n_classes
    if costs is None:
        costs = ordinal(k)
    elif not isinstance(costs, SetCosts):
        costs = as_cost_matrix(costs, right_is_least=False)
    n_classes = costs.n_classes if isinstance(costs, SetCosts) else len(costs)
    if n_classes != k:
        raise ValueError(f"costs is about {n_classes} classes and there are {k}.")
    if isinstance(costs, SetCosts):
        if is_precise:
            return optimal_sets(bounds.lower, costs, contiguous=True)
        blocks = list(contiguous_candidates(costs))  # the smallest come first
        every = np.concatenate([each for each, _ in blocks])
        table = np.concatenate([values for _, values in blocks])
        step = max(1, _CELLS_AT_ONCE // table.size)
        parts = (bounds[start : start + step] for start in range(0, len(bounds), step))
        return every[[at for part in parts for at in decide(part, table).argmax(axis=1)]]
    if is_precise:  # a tie is no doubt; it goes to the lowest class
        return criteria.gamma_maximin(bounds, costs)
    sets = decide(bounds, costs)  # and what lies between the members
    return np.asarray(
        np.logical_or.accumulate(sets, axis=1)
        & np.logical_or.accumulate(sets[:, ::-1], axis=1)[:, ::-1]
    )
