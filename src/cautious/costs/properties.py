r"""The ten properties of set costs, each with the set and the truth that show it best.

Yang, Destercke & Masson (2017), section IV. In their words :math:`c_{\hat Y}(y)` is the cost of the
set, :math:`\bar c_{\hat Y}(y)` the mean over its classes (the discounted cost), and
:math:`C_{(\hat Y)}(y)` the costs of its classes in ascending order. Property 1, whether a set can
ever be worth its cost, is settled by linear programming.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import check_mask
from cautious._typing import Floats, Mask, as_number
from cautious.costs._extensions import greatest_over_members, least_over_members, mean_over_members
from cautious.costs._set_costs import SetCosts, all_sets
from cautious.costs._tables import TableCosts
from cautious.costs.matrices import resolve_matrix
from cautious.errors import shown


@dataclass(frozen=True)
class AuditedSets:
    """The sets under audit, their costs, those of their classes, and what counts as equal."""

    mask: Mask
    costs: Floats
    matrix: Floats
    atol: float

    @cached_property
    def indeterminate(self) -> Mask:
        """Which sets hold more than one class."""
        return np.asarray(self.mask.sum(axis=1) > 1)

    @cached_property
    def mean(self) -> Floats:
        """Discounted costs of the sets."""
        return mean_over_members(self.mask, self.matrix)

    def bound(self, which: Bound) -> Floats:
        """Least, mean or greatest cost of the classes of each set at each truth."""
        if which == "mean":
            return self.mean
        over = least_over_members if which == "least" else greatest_over_members
        return over(self.mask, self.matrix)

    @cached_property
    def cost_vectors(self) -> npt.NDArray[np.uint64]:
        r"""A number for each :math:`C_{(\hat Y)}(y)`: equal vectors have equal numbers."""
        values, inverse = np.unique(self.matrix, return_inverse=True)
        # A new level starts where the gap is wider than rounding.
        level = np.concatenate([[0], np.cumsum(np.diff(values) > self.atol)])[inverse.reshape(-1)]
        number = np.random.default_rng(0).integers(2**64, size=level.max() + 1, dtype=np.uint64)
        numbers = number[level].reshape(self.matrix.shape)
        total = np.zeros(self.mask.shape, dtype=np.uint64)
        for inside, row in zip(self.mask.T, numbers, strict=True):
            np.add(total, row, out=total, where=inside[:, None])
        return total


@dataclass(frozen=True)
class Finding:
    """Whether the sets meet a property, what shows it (set, truths, probability), and why."""

    met: bool
    row: int | None = None
    truths: tuple[int, ...] = ()
    probability: Floats | None = None
    detail: str = ""
    demand: str = ""


Bound: TypeAlias = Literal["least", "mean", "greatest"]
Demand: TypeAlias = Literal["less than", "at most", "at least"]


def _worst(excess: Floats, at: Mask, sets: AuditedSets, strict: bool) -> Finding:
    """Break the property where `excess`, looked at where `at`, is largest beyond rounding."""
    if not at.any():
        return Finding(True)
    masked = np.where(at, excess, -np.inf)
    row, y = np.unravel_index(int(masked.argmax()), masked.shape)
    # A strict property is broken by equality, any other only by more than rounding.
    broken = masked[row, y] >= -sets.atol if strict else masked[row, y] > sets.atol
    return Finding(False, int(row), (int(y),)) if broken else Finding(True)


def _compared(
    sets: AuditedSets, demand: Demand, bound: Bound, at: Literal["inside", "outside", "everywhere"]
) -> Finding:
    """Compare costs with the least, mean or greatest of the set's classes, inside or out."""
    # Inside, only sets of two classes or more are asked.
    limits = sets.bound(bound)
    excess = limits - sets.costs if demand == "at least" else sets.costs - limits
    inside = sets.mask & sets.indeterminate[:, None]
    where = {"inside": inside, "outside": ~sets.mask, "everywhere": np.ones_like(sets.mask)}[at]
    finding = _worst(excess, where, sets, strict=demand == "less than")
    if finding.row is None:
        return finding
    here = finding.row, finding.truths[0]
    detail = f"costs {sets.costs[here]:.4g}; the {bound} of its classes is {limits[here]:.4g}"
    return replace(finding, detail=detail, demand=f"cost {demand} {limits[here]:.4g}")


def permissiveness(sets: AuditedSets) -> Finding:
    r"""Property 2: :math:`c_{\hat Y} \not\ge \bar c_{\hat Y}` for sets of two classes or more."""
    least_excess = np.min(sets.costs - sets.mean, axis=1, keepdims=True)
    worst = _worst(least_excess, sets.indeterminate[:, None], sets, strict=True)
    if worst.met:
        return worst
    return Finding(
        False,
        worst.row,
        detail="costs at least the mean of its classes at every truth",
        demand="cost less than the mean of its classes at some truth",
    )


def permutation_invariance(sets: AuditedSets) -> Finding:
    """Property 5: where the classes of a set cost the same, in any order, so does the set."""
    # Truths with the same cost vector become neighbours, ordered by the cost of the set.
    order = np.lexsort((sets.costs, sets.cost_vectors), axis=1)
    vectors = np.take_along_axis(sets.cost_vectors, order, axis=1)
    costs = np.take_along_axis(sets.costs, order, axis=1)
    step = np.where(vectors[:, 1:] == vectors[:, :-1], np.diff(costs, axis=1), 0.0)
    row, k = np.unravel_index(int(step.argmax()), step.shape)
    if step[row, k] <= sets.atol:
        return Finding(True)
    pair = int(order[row, k]), int(order[row, k + 1])
    return _pair(False, sets, int(row), pair, "though its classes cost the same at both")


def correctness_insensitivity(sets: AuditedSets) -> Finding:
    r"""Property 8: :math:`y, y' \in \hat Y \Rightarrow c_{\hat Y}(y) = c_{\hat Y}(y')`."""
    low, high, spread = _spread_inside(sets)
    row = int(spread.argmax())
    if spread[row] <= sets.atol:
        return Finding(True)
    return _pair(False, sets, row, (int(low[row]), int(high[row])), "though it holds both")


def correctness_sensitivity(sets: AuditedSets) -> Finding:
    r"""Property 9: some :math:`\hat Y` holds two truths with different vectors and costs."""
    low, high, spread = _spread_inside(sets)
    rows = np.arange(len(spread))
    vectors = sets.cost_vectors
    # Where the cheapest and the most expensive truth share a vector, any truth inside with another
    # vector differs from one of them by at least half the spread.
    other_vector = sets.mask & (vectors != vectors[rows, low][:, None])
    direct = other_vector[rows, high]
    other = np.where(direct, high, other_vector.argmax(axis=1))
    far = np.abs(sets.costs[rows, other] - sets.costs[rows, low])
    near_low = ~direct & (far < spread / 2)
    first = np.where(near_low, high, low)
    gap = np.abs(sets.costs[rows, other] - sets.costs[rows, first])
    gap = np.where(other_vector.any(axis=1), gap, 0.0)
    row = int(gap.argmax())
    if gap[row] <= sets.atol:
        return Finding(
            False,
            detail="no set costs differently at two truths inside it",
            demand="let a set cost differently at two truths inside it",
        )
    return _pair(True, sets, row, (int(first[row]), int(other[row])), "and holds both")


def _spread_inside(sets: AuditedSets) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
    """Truths inside each set at which it costs least and most, and how far these differ."""
    low = np.where(sets.mask, sets.costs, np.inf).argmin(axis=1)
    high = np.where(sets.mask, sets.costs, -np.inf).argmax(axis=1)
    rows = np.arange(len(sets.mask))
    return low, high, sets.costs[rows, high] - sets.costs[rows, low]


def _pair(met: bool, sets: AuditedSets, row: int, pair: tuple[int, int], why: str) -> Finding:
    first, second = sets.costs[row, pair[0]], sets.costs[row, pair[1]]
    detail = f"costs {first:.4g} and {second:.4g}, {why}"
    return Finding(met, row, pair, detail=detail, demand="" if met else "cost the same")


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
    rivals, mixture : ndarray of shape (n_rivals, K) and (n_rivals,)
        The sets that bind it. Answering with them, drawn by the weights of the mixture, costs at
        most `gain` more than the set: where the gain is not positive, the set is impossible.
    """

    possible: bool
    gain: float
    probability: Floats
    rivals: Mask
    mixture: Floats


def possibility(
    costs: SetCosts,
    prediction: npt.ArrayLike,
    matrix: npt.ArrayLike | pd.DataFrame | None,
    against: Literal["members", "sets"],
    tolerance: float,
) -> Possibility:
    """Find the best probability for a set; see :meth:`SetCosts.possibility`."""
    if against not in ("members", "sets"):
        raise ValueError(f"against is {shown(against)}; choose 'members' or 'sets'.")
    asked = check_mask(np.atleast_2d(prediction), n_classes=costs.n_classes, name="prediction")
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
        sets = costs.mask if isinstance(costs, TableCosts) else all_sets(costs.n_classes)
        rivals = sets[(sets != asked).any(axis=1)]
        if len(rivals) == 0:
            raise ValueError("costs know of no other set to compare the prediction with.")
        rival_costs = costs.of(rivals)
    scale = max(float(own.max()), float(rival_costs.max())) or 1.0
    probability, binding, mixture = _best_probability(own / scale, rival_costs / scale)
    gain = float((rival_costs @ probability).min() - own @ probability)
    return Possibility(
        gain > as_number(tolerance, "tolerance") * scale,
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
        raise ValueError(f"matrix is for {len(single)} classes, costs are for {costs.n_classes}.")
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
    result = scipy.optimize.linprog(
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
    """Property 1: some set of two or more classes is possible (Definition 4)."""
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


PROPERTIES: dict[int, tuple[str, Callable[[AuditedSets], Finding]]] = {
    1: ("possibility", possibility_of_some_set),
    2: ("permissiveness", permissiveness),
    # Of a set of two classes or more that holds the truth: it costs less than their mean.
    3: ("reward of rightful caution", lambda sets: _compared(sets, "less than", "mean", "inside")),
    4: ("non-dominance", lambda sets: _compared(sets, "at least", "least", "everywhere")),
    5: ("permutation invariance", permutation_invariance),
    # Of a set that misses the truth: it costs no less, or no more, than their mean.
    6: ("mistake averse", lambda sets: _compared(sets, "at least", "mean", "outside")),
    7: ("cautiousness seeking", lambda sets: _compared(sets, "at most", "mean", "outside")),
    8: ("correctness insensitivity", correctness_insensitivity),
    9: ("correctness sensitivity", correctness_sensitivity),
    10: ("upper bound", lambda sets: _compared(sets, "at most", "greatest", "everywhere")),
}
"""Names of the properties and how to examine them."""
