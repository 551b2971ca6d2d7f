"""Labels and written sets of a batch, brought to the classes of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cautious._typing import Ints, Mask
from cautious.logs.arrow_columns import Codes, encoded
from cautious.sets import first_row

__all__ = ["codes_among", "members_of", "occurring", "written_sets"]


def occurring(codes: Codes, labels: list[Any]) -> list[Any]:
    """Labels that occur at all."""
    if len(labels) <= 16:  # comparing bytes takes no time, counting them does
        return [label for code, label in enumerate(labels) if (codes == code).any()]
    seen = np.bincount(codes, minlength=len(labels)) > 0
    return [label for label, there in zip(labels, seen, strict=True) if there]


def codes_among(codes: Codes, labels: list[Any], classes: Sequence[Any], name: str) -> Ints:
    """Positions among the classes, from positions among the labels of a batch."""
    position = {label: k for k, label in enumerate(classes)}
    among = np.array([position.get(label, -1) for label in labels], dtype=np.intp)
    unknown = np.flatnonzero(among < 0)
    if len(unknown) and (offending := np.isin(codes, unknown)).any():
        row = first_row(offending)
        shown = ", ".join(map(repr, classes[:10])) + (", …" if len(classes) > 10 else "")
        raise ValueError(
            f"column {name!r} holds {labels[codes[row]]!r} in row {row}, which is not among the "
            f"classes [{shown}]."
        )
    # Labels that are the first classes, in order, need no looking up.
    alike = np.array_equal(among, np.arange(len(among)))
    return codes.astype(np.intp) if alike else among[codes]


def members_of(written: Any) -> list[str]:
    """Labels in a set written as ``a|b`` or ``{a, b}``; nothing, or a question mark, abstains.

    Examples
    --------
    >>> members_of("ash|elm"), members_of("{ash, elm}"), members_of("?")
    (['ash', 'elm'], ['ash', 'elm'], [])
    """
    # A number that is not equal to itself is a missing one.
    text = "" if written is None or written != written else str(written).strip()
    if text in ("", "?", "⊥"):
        return []
    braced = text.startswith("{") and text.endswith("}")
    mark = "," if braced and "|" not in text else "|"
    return [part.strip() for part in (text[1:-1] if braced else text).split(mark)]


def written_sets(batch: Any, name: str, classes: Sequence[Any]) -> tuple[Mask, Ints]:
    """Read a column of written sets.

    Returns
    -------
    sets : ndarray of shape (n_sets, K), bool
        The distinct sets of the batch.
    which : ndarray of shape (n,), int
        The set of each row.
    """
    codes, texts = encoded(batch, name, missing=True)
    position = {str(label): k for k, label in enumerate(classes)}
    sets = np.zeros((len(texts), len(classes)), dtype=np.bool_)
    for at, text in enumerate(texts):
        members = members_of(text)
        for member in members:
            if member not in position:
                row = first_row(codes == at)
                raise ValueError(
                    f"column {name!r} holds {text!r} in row {row}, and {member!r} is no class; "
                    "give all classes with classes=."
                )
            sets[at, position[member]] = True
        if not members:
            sets[at] = True
    return sets, codes.astype(np.intp)
