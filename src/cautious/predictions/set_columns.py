"""Columns that hold prediction sets: written out, or one column per class.

Checks take `place`, a function from a row to words that say where it is, as in
``lambda row: f"column 'y_set', row {row}"``; :mod:`cautious.logs` calls them for one record batch
at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from cautious._typing import Ints, Mask
from cautious.errors import InputError, listed, quoted
from cautious.predictions.cells import Encoded, Place, such_cells
from cautious.predictions.labels import label_text, match_labels
from cautious.predictions.rules import WORDS, refusal
from cautious.sets import WrittenSet, first_row, parse_set

__all__ = ["check_empty", "memberships", "parse_sets", "set_mask"]


def memberships(column: Encoded, place: Place) -> Mask:
    """Read a column that says whether a class is in the set.

    Parameters
    ----------
    column : Encoded
        Truth values, 0 and 1, or words.
    place : callable
        Says where a row is, for errors.

    Examples
    --------
    >>> from cautious.predictions import encode_labels
    >>> memberships(encode_labels(["Yes", "no", "1"]), str)
    array([ True, False,  True])
    """
    words = [label_text(value).strip().lower() for value in column.values]
    yes = np.array([word in WORDS["yes"] for word in words] + [False])
    no = np.array([word in WORDS["no"] for word in words] + [False])
    bad = ~(yes | no)[column.codes]
    if bad.any():
        row = first_row(bad)
        code = int(column.codes[row])
        value = "" if code < 0 else column.values[code]
        raise refusal("membership", place=place(row), value=quoted(value))
    return np.asarray(yes[column.codes])


def parse_sets(column: Encoded, known: Collection[str], place: Place) -> list[WrittenSet]:
    """Parse the distinct written sets of a column; the last one is that of missing cells.

    Parameters
    ----------
    column : Encoded
        Written sets.
    known : collection of str
        Texts of known classes: those that occur among the truths or are declared.
    place : callable
        Says where a row is, for errors.

    Examples
    --------
    >>> from cautious.predictions import encode_labels
    >>> [one.labels for one in parse_sets(encode_labels(["a|b", "a"]), {"a", "b"}, str)]
    [('a', 'b'), ('a',), ()]
    """
    found = []
    for at, value in enumerate(column.values):
        try:
            found.append(parse_set(value, known))
        except InputError as error:
            raise error.at(place(first_row(column.codes == at))) from None
    return [*found, WrittenSet(())]


def set_mask(
    column: Encoded, sets: Sequence[WrittenSet], classes: Sequence[Any], place: Place, empty: str
) -> Mask:
    """Turn written sets into a mask.

    Parameters
    ----------
    column : Encoded
        Written sets.
    sets : sequence of WrittenSet
        What :func:`parse_sets` made of it.
    classes : sequence
        All classes.
    place : callable
        Says where a row is, for errors.
    empty : {"error", "abstain", "wrong"}
        What an empty set means; wrong, its row stays empty.

    Returns
    -------
    ndarray of shape (n_sets, K), bool
        One row per distinct set; ``mask[column.codes]`` has one per case.

    Examples
    --------
    >>> from cautious.predictions import encode_labels
    >>> column = encode_labels(["a|b", "b"])
    >>> set_mask(column, parse_sets(column, (), str), ["a", "b"], str, "error")[column.codes]
    array([[ True,  True],
           [False,  True]])
    """
    members = list(dict.fromkeys(one for row in sets for one in row.labels or ()))
    position = dict(zip(members, match_labels(members, classes), strict=True))
    mask = np.zeros((len(sets), len(classes)), dtype=np.bool_)
    for at, row in enumerate(sets):
        if row.labels is None:
            mask[at] = True
            continue
        for one in row.labels:
            if position[one] < 0:
                raise refusal(
                    "set unknown class",
                    place=place(first_row(column.codes == at)),
                    label=quoted(one),
                    classes=listed(classes),
                    near=(one, classes),
                )
            mask[at, position[one]] = True
    return check_empty(mask, column.codes, place, empty)


def check_empty(mask: Mask, codes: Ints, place: Place, empty: str) -> Mask:
    """Refuse empty sets, or make of them what they are said to mean."""
    hollow = np.asarray(~mask.any(axis=1))
    there = hollow[codes]
    if empty == "error" and there.any():
        raise refusal(
            "empty set", place=place(first_row(there)), cells=such_cells(int(there.sum()))
        )
    return mask | hollow[:, None] if empty == "abstain" else mask
