"""Naming prediction sets for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy.typing as npt

from cautious.sets.checks import check_classes, check_mask

__all__ = ["abstain_name", "set_names"]


def abstain_name(classes: Iterable[Any]) -> str:
    """Name the row of abstentions in a table of answers: ``⊥``, or ``⊥′`` if a class is called so.

    Parameters
    ----------
    classes : iterable
        Class labels.

    Returns
    -------
    str
        A name that no class has.

    Examples
    --------
    >>> abstain_name(["no", "yes"]), abstain_name(["⊥", "⊤"])
    ('⊥', '⊥′')
    """
    taken = {str(label) for label in classes}
    name = "⊥"
    while name in taken:
        name += "′"
    return name


def set_names(
    mask: npt.ArrayLike,
    classes: Sequence[Any] | npt.ArrayLike,
    *,
    abstain: str | None = None,
    empty: str = "error",
) -> list[str]:
    """Write each prediction set the way a person would.

    Parameters
    ----------
    mask : array-like of shape (n, K), bool
        Prediction sets.
    classes : sequence of length K
        Class labels in column order.
    abstain : str, optional
        What to write for the full set; ``None`` lists all its classes like any other set.
    empty : {"error", "abstain", "wrong"}
        What an empty set means; see :func:`as_mask`. As "wrong" it is written ``{}``.

    Returns
    -------
    list of str
        One name per row, classes in column order between braces.

    Examples
    --------
    >>> set_names([[True, True, False], [False, False, True], [True, True, True]],
    ...           ["human", "bicycle", "car"], abstain="don't know")
    ['{human, bicycle}', '{car}', "don't know"]
    """
    labels = [str(label) for label in check_classes(classes).tolist()]
    rows = check_mask(mask, n_classes=len(labels), empty=empty).tolist()
    return [
        abstain
        if abstain is not None and all(row)
        else "{"
        + ", ".join([name for name, inside in zip(labels, row, strict=True) if inside])
        + "}"
        for row in rows
    ]
