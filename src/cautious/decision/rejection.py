"""The rejection option: answer or abstain by weighing risk, with precise or lower probability."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Mask, as_floats
from cautious.credal import IntervalsLike, ProbabilityIntervals, as_intervals
from cautious.decision.alternatives import beyond_the_best, checked_costs, rounding_error
from cautious.decision.criteria import maximality
from cautious.decision.rules import answer_or_abstain, threshold_rule
from cautious.sets import check_mask, check_probabilities

__all__ = ["chow_rule", "reject_rule"]


def chow_rule(p: npt.ArrayLike, reject_cost: npt.ArrayLike, C: npt.ArrayLike | None = None) -> Mask:
    r"""Answer with the class of least expected cost, unless abstaining costs less (Chow's rule).

    With 0/1 costs and one cost :math:`d` of abstaining: abstain when :math:`1 - \max_i p_i > d`. In
    general, with costs :math:`c_i(y)` of answering and :math:`d(y)` of abstaining when :math:`y` is
    true: abstain when :math:`\min_i E[c_i] > E[d]`. The answer wins ties.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6.
    reject_cost : float or array-like of shape (K,)
        Cost of abstaining, the same whatever the truth or one for each true class.
    C : array-like of shape (K, K), optional
        Costs of answering: rows are predictions, columns truths. 0/1 costs if left out.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    References
    ----------
    Chow (1970), *On optimum recognition error and reject tradeoff*.

    Examples
    --------
    >>> chow_rule([[0.9, 0.1], [0.7, 0.3], [0.6, 0.4]], 0.3)
    array([[ True, False],
           [ True, False],
           [ True,  True]])
    """
    probabilities = check_probabilities(p)
    n_classes = probabilities.shape[1]
    rejection = as_floats(reject_cost, "reject_cost", "costs")
    if rejection.shape not in ((), (n_classes,)) or not np.isfinite(rejection).all():
        raise ValueError(
            f"reject_cost is {reject_cost!r}; give one finite cost, or one for each of the "
            f"{n_classes} true classes."
        )
    costs = 1 - np.eye(n_classes) if C is None else checked_costs(C, n_classes)
    if len(costs) != n_classes:
        raise ValueError(
            f"C has {len(costs)} rows for {n_classes} classes; give one row a prediction, and the "
            "costs of abstaining as reject_cost."
        )
    # What even the cheapest answer costs under a truth decides nothing.
    rejection = np.broadcast_to(rejection, n_classes) - costs.min(axis=0)
    costs = beyond_the_best(costs)
    risks = probabilities @ costs.T
    abstaining: Floats = probabilities @ rejection
    answered = risks.min(axis=1) <= abstaining + rounding_error(costs)
    return answer_or_abstain(risks.argmin(axis=1), answered, n_classes)


def reject_rule(
    p: npt.ArrayLike | IntervalsLike, t: float, *, sets: npt.ArrayLike | None = None
) -> Mask:
    r"""Abstain wherever no class is likely enough, for precise and for credal models.

    A precise model keeps its answer when :math:`\max_i p_i \ge t`. A credal model keeps its
    prediction set when :math:`\max_i \underline{P}(i) \ge t`: some class must have at least
    probability :math:`t` under every distribution of the credal set.

    Parameters
    ----------
    p : array-like of shape (n, K), ProbabilityIntervals, or tuple (lower, upper)
        Precise class probabilities, or probability intervals.
    t : float
        Threshold between 0 and 1, or infinity to abstain always.
    sets : array-like of shape (n, K), bool, optional
        What the model would answer without the option. By default the likeliest class for precise
        probabilities, and the undominated classes (:func:`maximality`) for intervals.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9.4.

    Examples
    --------
    >>> reject_rule(([[0.65, 0.3], [0.85, 0.1]], [[0.7, 0.35], [0.9, 0.15]]), 0.8)
    array([[ True,  True],
           [ True, False]])
    """
    if isinstance(p, ProbabilityIntervals | tuple):
        intervals = as_intervals(p, name="p")
        least = intervals.reachable().lower
        usual = maximality(intervals) if sets is None else sets
    else:
        least = check_probabilities(p)
        usual = threshold_rule(least, 0.0) if sets is None else sets
    kept = check_mask(usual, n_classes=least.shape[1], name="sets")
    if len(kept) != len(least):
        raise ValueError(f"sets has {len(kept)} rows and p {len(least)}; they must match.")
    if not (0 <= t <= 1 or t == np.inf):
        raise ValueError(f"t is {t}; the threshold lies between 0 and 1, or is infinite.")
    decided: Mask = kept | (least.max(axis=1) < t)[:, None]
    return decided
