"""What an audit means for filtering and for choice: Table VIII, as a frame and as text."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import pandas as pd

__all__ = ["DESIRABILITY", "audit_text", "verdict", "verdict_lines", "witness_text"]

_WORDS = {"N": "necessary", "D": "desirable", "A": "analyst's choice", "U": "undesirable"}

DESIRABILITY = {
    "filtering": dict(enumerate((_WORDS[c] for c in "NDNNDNUDUA"), start=1)),
    "choice": dict(enumerate((_WORDS[c] for c in "NDNNDAAUDN"), start=1)),
}
"""How desirable each property is in either setting: Yang, Destercke & Masson (2017), Table VIII."""

_EQUAL = re.compile(r"(costs (\S+)); the mean of its classes is \2$")
_MET = ("holds", "not refuted")


def verdict(frame: pd.DataFrame) -> pd.DataFrame:
    """Say how well audited costs suit the filtering and the choice setting.

    In *filtering*, a cheap method discards classes before a dearer one decides among the rest;
    in *choice*, the set itself informs a person (Yang, Destercke & Masson, 2017, section IV-C).
    Table VIII of the paper says which properties each setting needs.

    Parameters
    ----------
    frame : DataFrame
        What :func:`audit` returns.

    Returns
    -------
    DataFrame
        Indexed by setting, with columns

        - ``verdict``: "suitable" if all necessary and desirable properties hold and no
          undesirable one does; "unsuitable" if a necessary one fails; "undecided" if a sample
          could not show a necessary one; "acceptable" otherwise;
        - ``necessary_unmet``, ``desirable_unmet``, ``undesirable_met``: numbers of properties;
        - ``undecided``: numbers of the properties that a sample could not show;
        - ``provisional``: whether the verdict rests on a sample of sets.

    Examples
    --------
    >>> from cautious.costs import audit, class_selective
    >>> verdict(audit(class_selective([1, 1, 1], 0.2)))["verdict"]
    setting
    filtering      suitable
    choice       unsuitable
    Name: verdict, dtype: ...
    """
    found = frame["verdict"]
    met, unmet = set(found.index[found.isin(_MET)]), set(found.index[found == "fails"])
    undecided = set(found.index) - met - unmet
    rows: dict[str, dict[str, Any]] = {}
    for setting in DESIRABILITY:
        wanted = frame[setting]
        necessary = set(wanted.index[wanted == "necessary"])
        desirable = set(wanted.index[wanted == "desirable"])
        undesirable = set(wanted.index[wanted == "undesirable"])
        if necessary & unmet:
            word = "unsuitable"
        elif necessary & undecided:
            word = "undecided"
        elif (necessary | desirable) <= met and not undesirable & met:
            word = "suitable"
        else:
            word = "acceptable"
        rows[setting] = {
            "verdict": word,
            "necessary_unmet": tuple(sorted(necessary & unmet)),
            "desirable_unmet": tuple(sorted(desirable & unmet)),
            "undesirable_met": tuple(sorted(undesirable & met)),
            "undecided": tuple(sorted((necessary | desirable) & undecided)),
            "provisional": bool((~found.isin(["holds", "fails"])).any()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("setting")


def audit_text(frame: pd.DataFrame) -> str:
    """Write an audit for people.

    Parameters
    ----------
    frame : DataFrame
        What :func:`audit` returns.

    Returns
    -------
    str

    Examples
    --------
    >>> from cautious.costs import audit, discounted, zero_one
    >>> print(audit_text(audit(discounted(zero_one(3), classes=["a", "b", "c"]))))
    Ten properties of set costs, over all 7 sets
     1 possibility                 fails        for every set a mixture of its classes costs no...
     2 permissiveness              fails        {a, b}: costs at least the mean of its classes...
     3 reward of rightful caution  fails        {a, b} when a: costs 0.5; must be less than 0.5...
     4 non-dominance               holds
     5 permutation invariance      holds
     6 mistake averse              holds
     7 cautiousness seeking        holds
     8 correctness insensitivity   holds
     9 correctness sensitivity     fails        no set costs differently at two truths inside it
    10 upper bound                 holds
    For filtering: unsuitable (necessary but unmet: 1 possibility, 3 reward of rightful caution; ...
    For choice: unsuitable (necessary but unmet: 1 possibility, 3 reward of rightful caution; ...
    """
    lines = [f"Ten properties of set costs, over {frame['sets'].iloc[0]}"]
    for number, row in frame.to_dict(orient="index").items():
        text = f"{number:>2} {row['property']:<27} {row['verdict']:<12} {witness_text(row)}"
        lines.append(text.rstrip())
    return "\n".join([*lines, *verdict_lines(frame)])


def verdict_lines(frame: pd.DataFrame) -> list[str]:
    """Write what an audit means, a line a setting: the verdict, and which properties decide it."""
    lines, names = [], frame["property"]
    for setting, row in verdict(frame).to_dict(orient="index").items():
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
        lines.append(f"For {setting}: {row['verdict']}{basis}{why}")
    return lines


def witness_text(row: dict[Hashable, Any]) -> str:
    """Write the witness of one property: the set, the truths or the probability, what it shows."""
    if not row["witness_set"]:
        return str(row["detail"])
    at = ""
    if row["witness_truth"]:
        at = f" when {' or '.join(map(str, row['witness_truth']))}"
    elif row["witness_probability"]:
        at = f" at ({', '.join(f'{p:.3g}' for p in row['witness_probability'])})"
    # A cost that only equals the mean breaks a strict property, which two equal numbers do not say.
    detail = _EQUAL.sub(r"\g<1>; must be less than \2, the mean of its classes", row["detail"])
    return f"{row['witness_set']}{at}: {detail}"
