"""Costs under which the best set can be written down or follows from sorting."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Mask
from cautious.costs import (
    AbellanMasegosaCosts,
    AnswerCosts,
    ClassSelectiveCosts,
    OWACosts,
    PowerMeanCosts,
    SetCosts,
    SizeCosts,
)
from cautious.decision.optimal_by_listing import cheapest
from cautious.decision.optimal_by_size import sets_by_size
from cautious.decision.optimal_remembered import remembered
from cautious.decision.optimal_ties import slack

__all__ = ["closed_form"]


def closed_form(p: Floats, costs: SetCosts) -> Mask | None:
    """Choose for each row the set of the smallest expected cost, if there is a formula for it.

    Parameters
    ----------
    p : ndarray of shape (n, K)
        Checked class probabilities, none of them negative.
    costs : SetCosts
        What a set costs.

    Returns
    -------
    ndarray of shape (n, K), bool, or None
    """
    if isinstance(costs, AnswerCosts):
        return _answer_or_abstain(p, costs.values)
    if isinstance(costs, ClassSelectiveCosts):
        return _class_selective(p, costs.eta, costs.delta)
    if _single_classes_suffice(costs):
        return cheapest(p, [(np.eye(costs.n_classes, dtype=np.bool_), costs.singletons())])
    if _right_sets_are_free(costs):
        # Every class that is possible at all.
        return np.asarray(p > 0)
    weighted = _as_weighted_size_costs(costs)
    if weighted is None:
        return None
    weight, by_size = weighted
    return sets_by_size(_reweigh(p, weight), by_size.hit, by_size.miss, checked=True)


def _answer_or_abstain(p: Floats, values: Floats) -> Mask:
    """Choose among single classes and abstaining, under one table or one table per case."""
    k = p.shape[1]
    # What even the cheapest answer costs under a truth decides nothing.
    extra = values - values.min(axis=-2, keepdims=True)
    expected = np.zeros((len(p), k + 1))
    for y in range(k):  # a matrix product would round differently in batches of other sizes
        expected += p[:, [y]] * extra[..., y]
    least = expected.min(axis=1)
    scale = extra.max(axis=(-2, -1))
    first = (expected <= (least + slack(least, scale))[:, None]).argmax(axis=1)
    return np.asarray((first == k)[:, None] | (first[:, None] == np.arange(k)))


def _class_selective(p: Floats, eta: Floats, delta: float) -> Mask:
    r"""Choose under Ha's costs :math:`\eta(y)[y \notin \hat Y] + \delta (|\hat Y| - 1)`.

    Each class pays by itself: it is in if :math:`\eta(y) p(y) > \delta`, and the one of the largest
    :math:`\eta(y) p(y)` is in any case.
    """
    at_stake = eta * p
    # A tie, up to rounding, is a reason for the smaller set.
    mask = at_stake > delta * (1 + 1e-12)
    none = np.flatnonzero(~mask.any(axis=1))
    mask[none, at_stake[none].argmax(axis=1)] = True
    return mask


def _single_classes_suffice(costs: SetCosts) -> bool:
    """Whether no set costs less than the mean of its members.

    Its expected cost then is at least the mean of theirs, and hence that of the best one: Yang,
    Destercke & Masson (2017), Proposition 1.
    """
    if isinstance(costs, PowerMeanCosts):
        return min(costs.p_correct, costs.p_wrong) >= 1
    return isinstance(costs, OWACosts) and costs.tolerance <= 0.5


def _right_sets_are_free(costs: SetCosts) -> bool:
    """Whether all right sets cost nothing and all wrong ones something."""
    if isinstance(costs, PowerMeanCosts):
        free = costs.p_correct <= 0
    else:
        free = isinstance(costs, OWACosts) and costs.tolerance == 1
    if not free:
        return False
    matrix = costs.singletons()
    return bool(not matrix.diagonal().any() and (matrix + np.eye(len(matrix)) > 0).all())


@remembered
def _as_weighted_size_costs(costs: SetCosts) -> tuple[Floats, SizeCosts] | None:
    """Costs by size times a weight of the truth, if all predictions are treated alike.

    So they are under 0/1 costs, also where missing some truths costs more than missing others.
    """
    if not isinstance(costs, PowerMeanCosts | OWACosts | AbellanMasegosaCosts):
        return None
    matrix = costs.matrix
    weight = np.roll(matrix, -1, axis=0).diagonal()  # an element of each column off the diagonal
    apart = np.where(np.eye(len(matrix), dtype=np.bool_), weight, matrix)
    alike = (apart == weight).all() and not matrix.diagonal().any()
    scaled = not isinstance(costs, AbellanMasegosaCosts) or np.ptp(weight) == 0
    if not (alike and scaled and weight.all()):
        return None
    table = costs.of(np.tri(len(matrix), dtype=np.bool_)) / weight
    return weight / weight.max(), SizeCosts(table[:, 0], table[:, -1])


def _reweigh(p: Floats, weight: Floats) -> Floats:
    """Probabilities in proportion to p times weight."""
    if np.ptp(weight) == 0:
        return p
    weighed = p * weight
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))
