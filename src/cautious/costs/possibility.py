"""Whether a set can ever be worth its cost: property 1, by linear programming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog

from cautious._typing import Floats, Mask
from cautious.costs.matrices import check_number, resolve_matrix
from cautious.costs.properties import AuditedSets, Finding
from cautious.costs.set_costs import SetCosts, all_sets
from cautious.costs.tables import TableCosts
from cautious.sets import check_mask

__all__ = ["Possibility", "matching_matrix", "possibility", "possibility_of_some_set"]


@dataclass(frozen=True)
class Possibility:
    """Whether some probability makes a set cheaper than its rivals, with the proof.

    Attributes
    ----------
    possible : bool
        Whether `gain` is positive beyond rounding.
    gain : float
        By how much the set is cheaper than its cheapest rival at `probability`; no probability
        makes it larger.
    probability : ndarray of shape (K,)
        Where the gain is reached.
    rivals : ndarray of shape (n_rivals, K), bool
        The sets that bind it.
    mixture : ndarray of shape (n_rivals,)
        Answering with the rivals drawn by these weights costs at most `gain` more than the set,
        whatever the truth: where the gain is not positive, this proves the set impossible.
    """

    possible: bool
    gain: float
    probability: Floats
    rivals: Mask
    mixture: Floats


def possibility(
    costs: SetCosts,
    prediction: npt.ArrayLike,
    matrix: npt.ArrayLike | pd.DataFrame | None = None,
    *,
    against: Literal["members", "sets"] = "members",
    tolerance: float = 1e-9,
) -> Possibility:
    r"""Find the probability under which a set is worth its cost, or a proof that there is none.

    .. math::

        \max_p \min_{\hat y \in \hat Y} \mathbb{E}_p[c_{\hat y}] - \mathbb{E}_p[c_{\hat Y}]

    A set is possible if this is positive (Yang, Destercke & Masson, 2017, Definition 4). The
    linear programme's dual is a mixture of the rivals that, where it is not, never costs more than
    the set; the uniform mixture is the paper's Proposition 1.

    Parameters
    ----------
    costs : SetCosts
        Costs of sets.
    prediction : array-like of shape (K,), bool
        The set in question.
    matrix : array-like of shape (K, K), optional
        Costs of single classes; by default those of `costs`.
    against : {"members", "sets"}
        Compare with the classes of the set, as the paper does, or with all other sets: only then
        is the set the cheapest answer of all. All sets are compared for at most 20 classes.
    tolerance : float, default=1e-9
        Gains up to this share of the largest cost count as none.

    Returns
    -------
    Possibility

    Examples
    --------
    >>> from cautious.costs import discounted, p_discounted
    >>> matrix = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    >>> found = possibility(p_discounted(matrix, r=0.5), [True, True, False])
    >>> found.possible, round(found.gain, 6), found.probability.round(3)
    (True, 0.25, array([0.5, 0.5, 0. ]))
    >>> possibility(discounted(matrix), [True, True, False]).possible
    False
    """
    if against not in ("members", "sets"):
        raise ValueError(f"against is {against!r}; choose 'members' or 'sets'.")
    asked = check_mask(
        np.atleast_2d(np.asanyarray(prediction)), n_classes=costs.n_classes, name="prediction"
    )
    if len(asked) != 1:
        raise ValueError(f"prediction has {len(asked)} rows; give one set.")
    own = costs.of(asked)[0]
    members = np.eye(costs.n_classes, dtype=np.bool_)[asked[0]]
    if len(members) == 1 and against == "members":
        raise ValueError("prediction is a single class; only sets of two or more have members.")
    if against == "members":
        rivals = members
        rival_costs = (
            costs.of(members) if matrix is None else matching_matrix(costs, matrix)[asked[0]]
        )
    else:
        if matrix is not None:
            raise ValueError("matrix: leave it out with against='sets', which knows all costs.")
        every = costs.mask if isinstance(costs, TableCosts) else all_sets(costs.n_classes)
        rivals = every[(every != asked).any(axis=1)]
        if len(rivals) == 0:
            raise ValueError("costs know of no other set to compare the prediction with.")
        rival_costs = costs.of(rivals)
    scale = max(float(own.max()), float(rival_costs.max())) or 1.0
    probability, binding, mixture = _best_probability(own / scale, rival_costs / scale)
    gain = float((rival_costs @ probability).min() - own @ probability)
    return Possibility(
        gain > check_number(tolerance, "tolerance") * scale,
        gain,
        probability,
        rivals[binding],
        mixture,
    )


def matching_matrix(costs: SetCosts, matrix: npt.ArrayLike | pd.DataFrame) -> Floats:
    """Check costs of single classes that set costs are to be judged by."""
    # A frame carries its own labels, which then choose the order.
    order = costs.classes if isinstance(matrix, pd.DataFrame) else None
    single, _ = resolve_matrix(matrix, order)
    if len(single) != costs.n_classes:
        raise ValueError(
            f"matrix is for {len(single)} classes but costs are for {costs.n_classes}."
        )
    return single


def _best_probability(own: Floats, rivals: Floats) -> tuple[Floats, npt.NDArray[np.intp], Floats]:
    """Solve the programme with only the rivals that matter, adding those found cheaper."""
    # A few rivals decide: start with the cheapest where the truth is certain, and at even odds.
    even = np.full(len(own), 1 / len(own))
    used = np.unique(np.append(rivals.argmin(axis=0), (rivals @ even).argmin()))
    while True:
        probability, gain, mixture = _solve(own, rivals[used])
        saving = rivals @ probability - own @ probability
        cheaper = np.setdiff1d(np.flatnonzero(saving < gain - 1e-10), used)
        new = cheaper[np.argsort(saving[cheaper])[:16]]
        if len(new) == 0:
            return probability, used, mixture
        used = np.concatenate([used, new])


def _solve(own: Floats, rivals: Floats) -> tuple[Floats, float, Floats]:
    """Maximise t with ``(rivals - own) @ p >= t`` over probabilities p; also give the dual."""
    n, k = rivals.shape
    result = linprog(
        np.append(np.zeros(k), -1.0),
        A_ub=np.column_stack([own - rivals, np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(k), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0, None)] * k + [(None, None)],
        method="highs",
    )
    if result.status != 0:  # pragma: no cover - the programme is feasible and bounded
        raise RuntimeError(f"linear programme of property 1: {result.message}")
    probability = np.clip(result.x[:k], 0.0, None)
    mixture = np.clip(-np.asarray(result.ineqlin.marginals), 0.0, None)
    return probability / probability.sum(), float(result.x[k]), mixture / mixture.sum()


def possibility_of_some_set(sets: AuditedSets) -> Finding:
    r"""Property 1: some set of two or more classes is possible (Definition 4).

    Cheap evidence comes first. Even odds on its own classes often make a set possible; a class
    that never costs more, or the uniform mixture (Proposition 1), proves it impossible. Only the
    sets left over need a linear programme, and the first that is possible ends the search.
    """
    some = np.flatnonzero(sets.indeterminate)
    if len(some) == 0:
        return Finding(False, detail="there is no set of two or more classes")
    mask, costs = sets.mask[some], sets.costs[some]
    even = mask / mask.sum(axis=1, keepdims=True)
    gain = np.where(mask, even @ sets.matrix.T, np.inf).min(axis=1) - (costs * even).sum(axis=1)
    if gain.max() > sets.atol:
        return _shown(sets, some, even, gain)
    impossible = (costs >= sets.mean[some] - sets.atol).all(axis=1)
    for inside, single in zip(mask.T, sets.matrix, strict=True):
        impossible |= inside & (costs >= single - sets.atol).all(axis=1)
    scale = max(float(sets.matrix.max()), float(costs.max())) or 1.0
    for k in np.flatnonzero(~impossible):
        members = sets.matrix[mask[k]]
        probability, _, _ = _solve(costs[k] / scale, members / scale)
        gain_k = (members @ probability).min() - costs[k] @ probability
        if gain_k > sets.atol:
            return _shown(sets, some[[k]], probability[None], np.array([gain_k]))
    return Finding(
        False,
        detail="for every set a mixture of its classes costs no more, whatever the truth",
        demand=_cheaper_abstaining(sets),
    )


def _cheaper_abstaining(sets: AuditedSets) -> str:
    """Say by how much abstaining would have to be cheaper to pay at some probability."""
    hint = "let sets cost less than the mean of their classes, for example by p_discounted"
    full = np.flatnonzero(sets.mask.all(axis=1))
    if len(full) == 0:
        return hint
    own = sets.costs[full[0]]
    scale = max(float(sets.matrix.max()), float(own.max())) or 1.0
    lack = -scale * _solve(own / scale, sets.matrix / scale)[1]
    less = f"more than {lack:.4g} less" if lack > sets.atol else "less"
    return f"{hint}; abstaining pays somewhere if it costs {less} at every truth"


def _shown(sets: AuditedSets, rows: npt.NDArray[np.intp], p: Floats, gain: Floats) -> Finding:
    """Show the set that gains most, if possible one that is also the cheapest of all there."""
    top = np.argsort(-gain, kind="stable")[:256]
    top = top[gain[top] > sets.atol]
    own = (sets.costs[rows[top]] * p[top]).sum(axis=1)
    cheapest = own <= (p[top] @ sets.costs.T).min(axis=1) + sets.atol
    best = top[int(cheapest.argmax())]
    rest = "and no other set" if cheapest.any() else "though another set"
    detail = f"cheaper than each of its classes at this probability, {rest} is cheaper still"
    return Finding(True, int(rows[best]), probability=p[best], detail=detail)
