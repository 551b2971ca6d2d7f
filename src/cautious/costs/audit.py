"""The audit of set costs: ten properties, each with a witness."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask, RandomState
from cautious.costs.expert_table import TableCosts
from cautious.costs.matrices import check_count, check_number
from cautious.costs.possibility import matching_matrix, possibility_of_some_set
from cautious.costs.properties import PROPERTIES, AuditedSets, Finding
from cautious.costs.set_costs import SetCosts
from cautious.costs.subsets import all_sets, sample_sets
from cautious.costs.verdict import DESIRABILITY
from cautious.sets import set_names

__all__ = ["audit"]

_MOST_CLASSES_IN_FULL = 12


def audit(
    costs: SetCosts,
    matrix: npt.ArrayLike | pd.DataFrame | None = None,
    *,
    n_sets: int = 4095,
    tolerance: float = 1e-9,
    random_state: RandomState = 0,
) -> pd.DataFrame:
    r"""Judge set costs by the ten properties of Yang, Destercke & Masson (2017), section IV.

    1 possibility, 2 permissiveness, 3 reward of rightful caution, 4 non-dominance, 5 permutation
    invariance, 6 mistake averse, 7 cautiousness seeking, 8 correctness insensitivity,
    9 correctness sensitivity, 10 upper bound. Up to twelve classes all sets are examined (of an
    expert's table, all sets that it lists); beyond, a sample.

    Parameters
    ----------
    costs : SetCosts
        The costs to judge.
    matrix : array-like or DataFrame of shape (K, K), optional
        The costs of single classes that `costs` are meant to extend; by default those that
        `costs` give to single classes.
    n_sets : int, default=4095
        Size of the sample above twelve classes.
    tolerance : float, default=1e-9
        Costs that differ by no more than this share of the largest cost count as equal.
    random_state : int, RandomState, Generator or None
        Seed of the sample.

    Returns
    -------
    DataFrame of ten rows
        Indexed by the number of the property, with columns

        - ``property``: its name;
        - ``verdict``: "holds" or "fails"; from a sample, "not refuted" in place of "holds" for a
          property of all sets, and "not shown" in place of "fails" for one of some set (1, 9);
        - ``witness_set``, ``witness_truth``: the set and the truths that show it, or empty;
        - ``witness_probability``: for property 1, the probability of each class under which
          the set is worth its cost;
        - ``detail``: the costs compared;
        - ``filtering``, ``choice``: how desirable the property is in either setting (Table VIII);
        - ``sets``: which sets were examined.

    Warns
    -----
    UserWarning
        If `costs` give single classes other costs than `matrix` does.

    See Also
    --------
    verdict : what the audit means for the filtering and the choice setting.
    audit_text : the audit in plain text.

    Notes
    -----
    Properties 2 and 3 are asked of sets of two classes or more: no single class can meet them.
    Property 9 is asked of two truths inside the set (see
    :func:`cautious.costs.properties.correctness_sensitivity`).

    Examples
    --------
    >>> from cautious.costs import p_discounted
    >>> frame = audit(p_discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], r=0.5, classes=list("hbn")))
    >>> frame["verdict"].tolist()
    ['holds', 'holds', 'holds', 'holds', 'holds', 'fails', 'holds', 'fails', 'holds', 'holds']
    >>> frame.loc[6, ["witness_set", "witness_truth"]].tolist()
    ['{h, n}', ('b',)]
    """
    if not isinstance(costs, SetCosts):
        raise TypeError(
            f"costs is a {type(costs).__name__}; give SetCosts, for example discounted(matrix) or "
            "SetCosts.from_table(frame)."
        )
    single = _single_class_costs(costs, matrix)
    mask, described, complete = _sets_to_examine(costs, n_sets, random_state)
    of_sets = costs.of(mask)
    atol = check_number(tolerance, "tolerance") * max(float(of_sets.max()), float(single.max()))
    sets = AuditedSets(mask, of_sets, single, atol)
    _warn_of_other_singletons(costs, sets)
    findings = {1: ("possibility", possibility_of_some_set(sets))}
    findings |= {number: (name, examine(sets)) for number, (name, examine) in PROPERTIES.items()}
    rows = [
        {
            "property": name,
            "verdict": _word(number, finding.met, complete),
            **_witness(finding, sets, costs.labels),
            "detail": finding.detail,
            **{setting: DESIRABILITY[setting][number] for setting in DESIRABILITY},
            "sets": described,
        }
        for number, (name, finding) in findings.items()
    ]
    return pd.DataFrame(rows, index=pd.Index(list(findings), name="number"))


def _single_class_costs(costs: SetCosts, matrix: npt.ArrayLike | pd.DataFrame | None) -> Floats:
    if matrix is not None:
        return matching_matrix(costs, matrix)
    try:
        return costs.singletons()
    except ValueError as error:
        raise ValueError(
            f"matrix is None and {error} Or give the costs of single classes as matrix."
        ) from None


def _sets_to_examine(
    costs: SetCosts, n_sets: int, random_state: RandomState
) -> tuple[Mask, str, bool]:
    """Pick the sets, say what they are, and whether they are all there are."""
    k = costs.n_classes
    if isinstance(costs, TableCosts) and len(costs.mask) < 2**k - 1:
        return costs.mask, f"the {len(costs.mask)} sets of the table", True
    if k <= _MOST_CLASSES_IN_FULL or isinstance(costs, TableCosts):
        mask = all_sets(k)
        return mask, f"all {len(mask)} sets", True
    mask = sample_sets(k, check_count(n_sets, "n_sets", least=1), random_state)
    return mask, f"a sample of {len(mask)} of the 2^{k} - 1 sets", False


def _warn_of_other_singletons(costs: SetCosts, sets: AuditedSets) -> None:
    single = ~sets.indeterminate
    if not single.any():
        return
    off = np.abs(sets.costs - sets.mean) > sets.atol
    off[~single] = False
    if off.any():
        row, y = np.argwhere(off)[0]
        warnings.warn(
            f"costs give {set_names(sets.mask[[row]], costs.labels)[0]} a cost of "
            f"{sets.costs[row, y]:.4g} when {costs.labels[y]!r} is true, matrix says "
            f"{sets.mean[row, y]:.4g}; the properties are judged by matrix. Leave matrix out to "
            "judge them by the costs' own single classes.",
            stacklevel=3,
        )


def _word(number: int, met: bool, complete: bool) -> str:
    if complete:
        return "holds" if met else "fails"
    if number in (1, 9):  # properties of some set: a witness proves them, a sample cannot refute
        return "holds" if met else "not shown"
    return "not refuted" if met else "fails"


def _witness(finding: Finding, sets: AuditedSets, labels: tuple[Any, ...]) -> dict[str, Any]:
    name = "" if finding.row is None else set_names(sets.mask[[finding.row]], labels)[0]
    p = finding.probability
    return {
        "witness_set": name,
        "witness_truth": tuple(labels[y] for y in finding.truths),
        "witness_probability": () if p is None else tuple(p.tolist()),
    }
