"""The audit of set costs: ten properties with a witness each, what they mean, and what to mend."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_count
from cautious._typing import Mask, RandomState, as_number
from cautious.costs._forms import CostsLike, as_costs
from cautious.costs._set_costs import SetCosts, all_sets, answer_sets, sample_sets
from cautious.costs._tables import AnswerCosts, TableCosts
from cautious.costs.matrices import Classes, check_not_negative
from cautious.costs.properties import PROPERTIES, AuditedSets, Finding, matching_matrix
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
