"""Labels and written sets of a batch, brought to the classes of the plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from cautious._typing import Ints, Mask
from cautious.logs.arrow_columns import Codes, encoded
from cautious.sets import check_mask, first_row

__all__ = [
    "codes_among",
    "is_empty_set",
    "members_of",
    "occurring",
    "read_label",
    "written_sets",
]


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


def members_of(written: Any, classes: Collection[str] = ()) -> list[str]:
    """Labels in a set written as ``a|b`` or ``{a, b}``; nothing, ``?`` or ``⊥`` abstains.

    A class that is called ``?`` or ``⊥`` is meant where its name stands.

    Examples
    --------
    >>> members_of("ash|elm"), members_of("{ash, elm}"), members_of("?")
    (['ash', 'elm'], ['ash', 'elm'], [])
    >>> members_of("?", ["!", "?"])
    ['?']
    """
    # A number that is not equal to itself is a missing one.
    if written is None or written != written:
        return []
    # What holds gaps, pandas reads as floating-point numbers.
    whole = isinstance(written, float) and written.is_integer()
    text = str(int(written) if whole else written).strip()
    if text == "" or (text in ("?", "⊥") and text not in classes):
        return []
    braced = text.startswith("{") and text.endswith("}")
    mark = "," if braced and "|" not in text else "|"
    return [part.strip() for part in (text[1:-1] if braced else text).split(mark)]


def is_empty_set(written: Any) -> bool:
    """Whether a set is written as ``{}``: it holds no class, which is not to abstain.

    Examples
    --------
    >>> is_empty_set("{ }"), is_empty_set("")
    (True, False)
    """
    return isinstance(written, str) and "".join(written.split()) == "{}"


def read_label(text: str, like: Collection[Any]) -> Any:
    """Read a label as others are: a number among numbers, a boolean among booleans.

    Examples
    --------
    >>> read_label("02", [1, 2]), read_label("2", [0.5, 2.0]), read_label("02", ["01", "02"])
    (2, 2.0, '02')

    Raises
    ------
    ValueError
        If it cannot be read so.
    """
    kinds = {type(label) for label in like}
    kind = kinds.pop() if len(kinds) == 1 else str
    try:
        label = _READERS.get(kind, str)(text)
    except (KeyError, OverflowError, ValueError):
        label = None
    if label is None or label != label:
        raise ValueError(f"{text!r} cannot be read as {kind.__name__}, which the classes are")
    return label


def _whole(text: str) -> int | None:
    """Read a whole number, even one with a decimal point."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return int(number) if number.is_integer() else None


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_READERS: dict[type, Callable[[str], Any]] = {
    bool: lambda text: _BOOLEANS[text.lower()],
    int: _whole,
    float: float,
}


def written_sets(
    batch: Any, name: str, classes: Sequence[Any], *, empty: str = "error"
) -> tuple[Mask, Ints]:
    """Read a column of written sets; ``{}`` is empty, and `empty` says what that means.

    Returns
    -------
    sets : ndarray of shape (n_sets, K), bool
        The distinct sets of the batch.
    which : ndarray of shape (n,), int
        The set of each row.
    """
    codes, texts = encoded(batch, name, missing=True)
    position = {label: k for k, label in enumerate(classes)}
    named = {str(label): k for label, k in position.items()}
    sets = np.zeros((len(texts), len(classes)), dtype=np.bool_)
    for at, text in enumerate(texts):
        if is_empty_set(text):
            continue
        members = members_of(text, named)
        for member in members:
            try:
                k = named[member] if member in named else position[read_label(member, classes)]
            except (KeyError, ValueError):
                row = first_row(codes == at)
                raise ValueError(
                    f"column {name!r} holds {text!r} in row {row}, and {member!r} is no class; "
                    "give all classes with classes=."
                ) from None
            sets[at, k] = True
        if not members:
            sets[at] = True
    if not (held := sets.any(axis=1)).all():
        check_mask(sets[codes], name=f"column {name!r}", empty=empty)
        sets[~held] = True
    return sets, codes.astype(np.intp)
