r"""The audit of set costs: ten properties with a witness each, what they mean, and what to mend.

Yang, Destercke & Masson (2017), section IV. In their words :math:`c_{\hat Y}(y)` is the cost of the
set, :math:`\bar c_{\hat Y}(y)` the mean over its classes (the discounted cost), and
:math:`C_{(\hat Y)}(y)` the costs of its classes in ascending order. Property 1, whether a set can
ever be worth its cost, is settled by linear programming.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import as_count, check_choice, check_mask
from cautious._typing import Floats, Mask, RandomState, as_number
from cautious.costs._extensions import greatest_over_members, least_over_members, mean_over_members
from cautious.costs._forms import CostsLike, as_costs
from cautious.costs._set_costs import SetCosts, all_sets, answer_sets, sample_sets
from cautious.costs._tables import AnswerCosts, TableCosts
from cautious.costs.matrices import Classes, check_not_negative, resolve_matrix
from cautious.sets import set_names

_MOST_CLASSES_IN_FULL = 12
_WORDS = {"N": "necessary", "D": "desirable", "A": "analyst's choice", "U": "undesirable"}

DESIRABILITY = {
    "filtering": dict(enumerate((_WORDS[c] for c in "NDNNDNUDUA"), start=1)),
    "choice": dict(enumerate((_WORDS[c] for c in "NDNNDAAUDN"), start=1)),
}
"""How desirable each property is in either setting: Yang, Destercke & Masson (2017), Table VIII."""

USES = {
    "deciding": "answering with the cheapest set, tuning thresholds",
    "filtering": "a cheap method discards classes, another decides among the rest",
    "choice": "the set itself informs a person",
}
"""What set costs are used for. The last two are the settings of the paper, section IV-C."""

_EQUAL = re.compile(r"(costs (\S+)); the mean of its classes is \2$")
_MET = ("holds", "not refuted")


@dataclass(frozen=True, repr=False)
class Audit:
    """What the audit of set costs found; ``print`` it.

    Attributes
    ----------
    properties : DataFrame of ten rows
        By the number of the property: its name; the ``verdict``, "holds" or "fails" (from a sample,
        "not refuted" for a property of all sets, "not shown" for one of some set, 1 and 9);
        ``witness_set``, ``witness_truth`` and, for property 1, ``witness_probability``, which show
        it; ``detail``, the costs compared; ``remedy``, what would have to change; ``filtering`` and
        ``choice``, how desirable it is in either setting (Table VIII); ``sets``, those examined.
    uses : DataFrame
        What that means for ``deciding`` by expected cost, which needs property 1 alone, and for
        ``filtering`` and ``choice``. Its ``verdict`` is "suitable" if all necessary and desirable
        properties hold and no undesirable one does; "unsuitable" if a necessary one fails;
        "undecided" if a sample could not show a necessary one; "acceptable" otherwise. With the
        numbers of the properties that decide it (``necessary_unmet``, ``desirable_unmet``,
        ``undesirable_met``, ``undecided``), whether it is ``provisional``, and a ``remedy``.

    Examples
    --------
    >>> from cautious.costs import audit, discounted, zero_one
    >>> audit(discounted(zero_one(3))).uses["verdict"].to_dict()
    {'deciding': 'unsuitable', 'filtering': 'unsuitable', 'choice': 'unsuitable'}
    """

    properties: pd.DataFrame
    uses: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Give the ten properties as a frame.

        Examples
        --------
        >>> from cautious.costs import audit, discounted, zero_one
        >>> audit(discounted(zero_one(3))).frame().loc[2, ["property", "verdict"]].tolist()
        ['permissiveness', 'fails']
        """
        return self.properties

    def use_lines(self) -> list[str]:
        """Say for each use whether the costs suit it, why not, and what would mend them.

        Examples
        --------
        >>> from cautious.costs import audit, p_discounted, zero_one
        >>> print(audit(p_discounted(zero_one(3), r=0.5)).use_lines()[0])
        For deciding, answering with the cheapest set, tuning thresholds: suitable.
        """
        lines, names = [], self.properties["property"]
        for use, row in self.uses.to_dict(orient="index").items():
            reasons = [
                f"{what}: {', '.join(f'{number} {names[number]}' for number in row[column])}"
                for what, column in (
                    ("necessary but unmet", "necessary_unmet"),
                    ("desirable but unmet", "desirable_unmet"),
                    ("undesirable but met", "undesirable_met"),
                    ("not shown by the sample", "undecided"),
                )
                if row[column]
            ]
            why = f" ({'; '.join(reasons)})" if reasons else ""
            basis = ", as far as the sample shows" if row["provisional"] else ""
            lines.append(f"For {use}, {USES[str(use)]}: {row['verdict']}{basis}{why}.")
            lines += [f"  To mend it: {row['remedy']}."] if row["remedy"] else []
        return lines

    def witness_text(self, number: int) -> str:
        """Write the witness of one property: the set, the truths or probability, what it shows.

        Examples
        --------
        >>> from cautious.costs import audit, discounted, zero_one
        >>> audit(discounted(zero_one(3))).witness_text(3)
        '{0, 1} when 0: costs 0.5; must be less than 0.5, the mean of its classes'
        """
        row: dict[Any, Any] = self.properties.loc[number].to_dict()
        if not row["witness_set"]:
            return str(row["detail"])
        at = ""
        if row["witness_truth"]:
            at = f" when {' or '.join(map(str, row['witness_truth']))}"
        elif row["witness_probability"]:
            at = f" at ({', '.join(f'{p:.3g}' for p in row['witness_probability'])})"
        # A cost that only equals the mean breaks a strict property, which two equal numbers hide.
        words = r"\g<1>; must be less than \2, the mean of its classes"
        return f"{row['witness_set']}{at}: {_EQUAL.sub(words, row['detail'])}"

    def __str__(self) -> str:
        lines = [f"Ten properties of set costs, over {self.properties['sets'].iloc[0]}"]
        for number, name, verdict in self.properties[["property", "verdict"]].itertuples():
            text = f"{number:>2} {name:<27} {verdict:<12} {self.witness_text(number)}"
            lines.append(text.rstrip())
        return "\n".join([*lines, *self.use_lines()])

    def __repr__(self) -> str:
        held = int(self.properties["verdict"].isin(_MET).sum())
        uses = ", ".join(f"{use} {word}" for use, word in self.uses["verdict"].items())
        return f"Audit({held} of 10 properties; {uses})"

    def _repr_html_(self) -> str:
        shown = self.properties[["property", "verdict", "witness_set", "detail", "remedy"]]
        return str(shown.to_html() + self.uses[["verdict", "remedy"]].to_html())


def audit(
    costs: CostsLike,
    matrix: npt.ArrayLike | pd.DataFrame | None = None,
    *,
    classes: Classes = None,
    n_sets: int = 4095,
    tolerance: float = 1e-9,
    random_state: RandomState = 0,
) -> Audit:
    """Judge set costs by the ten properties of Yang, Destercke & Masson (2017), section IV.

    1 possibility, 2 permissiveness, 3 reward of rightful caution, 4 non-dominance, 5 permutation
    invariance, 6 mistake averse, 7 cautiousness seeking, 8 correctness insensitivity,
    9 correctness sensitivity, 10 upper bound. Up to twelve classes all sets are examined (of a
    table, all sets that it lists); beyond, a sample. Properties 2 and 3 are asked of sets of two
    classes or more: no single class can meet them; property 9 of two truths inside the set.

    Parameters
    ----------
    costs : SetCosts, or costs in any other form
        The costs to judge; see :func:`as_costs` for the forms.
    matrix : array-like or DataFrame of shape (K, K), optional
        The costs of single classes that `costs` are meant to extend; by default those that
        `costs` give to single classes. A warning says where they differ.
    classes : sequence of length K, optional
        Class labels, for costs that carry none.
    n_sets : int, default=4095
        Size of the sample above twelve classes.
    tolerance : float, default=1e-9
        Costs that differ by no more than this share of the largest cost count as equal.
    random_state : int, RandomState, Generator or None
        Seed of the sample.

    Returns
    -------
    Audit
        The properties, what they mean for deciding, filtering and choice, and remedies.

    Examples
    --------
    Costs that are good for deciding when to abstain may still not reward all caution:

    >>> costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    >>> print(audit(costs, classes=["no", "yes"]))
    Ten properties of set costs, over all 3 sets
     1 possibility                 holds        {no, yes} at ...
     2 permissiveness              holds
     3 reward of rightful caution  fails        {no, yes} when no: costs 1; must be less than 1...
     4 non-dominance               holds
     5 permutation invariance      holds
     6 mistake averse              holds
     7 cautiousness seeking        holds
     8 correctness insensitivity   holds
     9 correctness sensitivity     fails        no set costs differently at two truths inside it
    10 upper bound                 holds
    For deciding, answering with the cheapest set, tuning thresholds: suitable.
    For filtering, a cheap method discards ...: unsuitable (necessary but unmet: 3 reward of ...
      To mend it: let {no, yes} cost less than 1 when no is true (now 1).
    For choice, the set itself informs a person: unsuitable (necessary but unmet: 3 reward of ...
      To mend it: let {no, yes} cost less than 1 when no is true (now 1).
    """
    costs = as_costs(costs, classes)
    if costs.per_case:
        raise ValueError("costs differ per case; audit the costs of one case at a time.")
    try:
        single = costs.singletons() if matrix is None else matching_matrix(costs, matrix)
    except ValueError as error:
        if matrix is not None:
            raise
        raise ValueError(
            f"matrix is None and {error} Or give the costs of single classes as matrix."
        ) from None
    mask, described, complete = _sets_to_examine(costs, n_sets, random_state)
    of_sets = check_not_negative(costs.of(mask), "costs")
    atol = as_number(tolerance, "tolerance") * max(float(of_sets.max()), float(single.max()))
    sets = AuditedSets(mask, of_sets, single, atol)
    off = (np.abs(of_sets - sets.mean) > atol) & ~sets.indeterminate[:, None]
    if off.any():
        row, y = np.argwhere(off)[0]
        warnings.warn(
            f"costs give {set_names(mask[[row]], costs.labels)[0]} a cost of "
            f"{of_sets[row, y]:.4g} when {costs.labels[y]!r} is true, matrix says "
            f"{sets.mean[row, y]:.4g}; the properties are judged by matrix. Leave matrix out to "
            "judge them by the costs' own single classes.",
            stacklevel=2,
        )
    findings = {number: (name, examine(sets)) for number, (name, examine) in PROPERTIES.items()}
    rows = [
        {
            "property": name,
            "verdict": _word(number, finding.met, complete),
            **_witness(finding, sets, costs.labels),
            **{setting: DESIRABILITY[setting][number] for setting in DESIRABILITY},
            "sets": described,
        }
        for number, (name, finding) in findings.items()
    ]
    properties = pd.DataFrame(rows, index=pd.Index(list(findings), name="number"))
    return Audit(properties, _uses(properties))


def _uses(properties: pd.DataFrame) -> pd.DataFrame:
    """Say what the properties mean for each use."""
    found = properties["verdict"]
    met, unmet = set(found.index[found.isin(_MET)]), set(found.index[found == "fails"])
    undecided = set(found.index) - met - unmet
    rows: dict[str, dict[str, Any]] = {}
    for use in USES:
        demands = properties[use] if use in DESIRABILITY else pd.Series({1: "necessary"})
        necessary = set(demands.index[demands == "necessary"])
        desirable = set(demands.index[demands == "desirable"])
        undesirable = set(demands.index[demands == "undesirable"])
        if necessary & unmet:
            word = "unsuitable"
        elif necessary & undecided:
            word = "undecided"
        elif (necessary | desirable) <= met and not undesirable & met:
            word = "suitable"
        else:
            word = "acceptable"
        remedies = [properties.loc[number, "remedy"] for number in sorted(necessary & unmet)]
        rows[use] = {
            "verdict": word,
            "necessary_unmet": tuple(sorted(necessary & unmet)),
            "desirable_unmet": tuple(sorted(desirable & unmet)),
            "undesirable_met": tuple(sorted(undesirable & met)),
            "undecided": tuple(sorted((necessary | desirable) & undecided)),
            "provisional": bool((~found[list(demands.index)].isin(["holds", "fails"])).any()),
            "remedy": "; ".join(dict.fromkeys(remedies)),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("use")


def _sets_to_examine(
    costs: SetCosts, n_sets: int, random_state: RandomState
) -> tuple[Mask, str, bool]:
    """Pick the sets, say what they are, and whether they are all there are."""
    k = costs.n_classes
    if isinstance(costs, AnswerCosts) and k > 2:
        return answer_sets(k), f"the {k} classes and abstaining", True
    if isinstance(costs, TableCosts) and len(costs.mask) < 2**k - 1:
        return costs.mask, f"the {len(costs.mask)} sets of the table", True
    if k <= _MOST_CLASSES_IN_FULL or isinstance(costs, TableCosts):
        mask = all_sets(k)
        return mask, f"all {len(mask)} sets", True
    mask = sample_sets(k, as_count(n_sets, "n_sets"), random_state)
    return mask, f"a sample of {len(mask)} of the 2^{k} - 1 sets", False


def _word(number: int, met: bool, complete: bool) -> str:
    of_some_set = number in (1, 9)  # a witness proves these, a sample cannot refute them
    if met:
        return "holds" if complete or of_some_set else "not refuted"
    return "not shown" if of_some_set and not complete else "fails"


def _witness(finding: Finding, sets: AuditedSets, labels: tuple[Any, ...]) -> dict[str, Any]:
    """Tell what shows a finding, and what must change there for the property to hold."""
    name, remedy, p = "", finding.demand, finding.probability
    truths = tuple(labels[y] for y in finding.truths)
    if finding.row is not None:
        name = set_names(sets.mask[[finding.row]], labels)[0]
        if not finding.met:
            remedy = f"let {name} {remedy}"
            if truths:
                remedy += f" when {' and when '.join(map(str, truths))} is true"
            if len(truths) == 1:
                remedy += f" (now {sets.costs[finding.row, finding.truths[0]]:.4g})"
    return {
        "witness_set": name,
        "witness_truth": truths,
        "witness_probability": () if p is None else tuple(p.tolist()),
        "detail": finding.detail,
        "remedy": remedy,
    }


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
    check_choice(against, "against", ("members", "sets"))
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
