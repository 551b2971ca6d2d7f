"""Sets as people write and read them: the one parser, and names for tables.

A cell is read by the first rule that fits:

1. exactly a known class, as it stands or without the spaces around it: that class;
2. one of the ways to write nothing (``{}``, ``[]``, ``()``, ``∅``, a blank cell): the empty set;
3. ``?``, ``⊥``, ``abstain`` or ``reject``, in any case: all classes, that is, abstaining;
4. between braces, brackets or parentheses: labels between commas, quoted or not
   (``{a, b}``, ``['a', 'b']``, ``["a","b"]``, ``("a", "b")``), or between bars (``{a|b}``);
5. labels between bars: ``a|b``;
6. anything else is one label, unless it looks like several between other marks (``a;b``).

The page reads by the same rules and words, which it gets as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cautious._checks import check_classes, check_mask
from cautious._input_limits import LABEL, SET
from cautious._messages import WORDS, refusal
from cautious.errors import InputError, quoted

_PART = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*)"\s*|'((?:[^'\\]|\\.)*)'\s*|([^,'"\s][^,]*)?)(,|$)""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class WrittenSet(NamedTuple):
    """What a cell says.

    Attributes
    ----------
    labels : tuple or None
        The labels, each once, in the order written; None for all classes.
    repeated : bool
        Whether some label was written twice.
    """

    labels: tuple[Any, ...] | None
    repeated: bool = False


def parse_set(written: Any, known: Collection[str] = ()) -> WrittenSet:
    """Read one written prediction set.

    Parameters
    ----------
    written : object
        Text, a collection of labels, a single label of another kind, or nothing (None, NaN).
    known : collection of str
        Texts of known classes: those that occur among the truths or are declared.

    Returns
    -------
    WrittenSet
        With labels as they are written; whether each is a class is for the caller to say.

    Raises
    ------
    InputError
        If a label is missing, or labels stand between other marks than bars.

    Examples
    --------
    >>> parse_set("ash|elm").labels, parse_set("{ash, elm}").labels, parse_set("['ash']").labels
    (('ash', 'elm'), ('ash', 'elm'), ('ash',))
    >>> parse_set("{}").labels, parse_set("Abstain").labels, parse_set("?", ["!", "?"]).labels
    ((), None, ('?',))
    >>> parse_set("ash;elm")
    Traceback (most recent call last):
    ...
    cautious.errors.InputError: the set 'ash;elm' is no known class; if it holds several, write \
'ash|elm', and if it is one class, declare it with classes.
    """
    if isinstance(written, list | tuple | set | frozenset | np.ndarray):
        return _of_members(list(written), written)
    if written is None or written != written:  # a number that is not equal to itself is missing
        return WrittenSet(())
    if not isinstance(written, str):
        return WrittenSet((written,))
    if written in known:
        return WrittenSet((written,))
    text = written.strip()
    if text in known:
        return WrittenSet((text,))
    if "".join(text.split()) in WORDS["empty_set"]:
        return WrittenSet(())
    if text.lower() in WORDS["abstain"]:
        return WrittenSet(None)
    if text[0] + text[-1] in WORDS["brackets"]:
        members, is_quoted = _inside(text[1:-1], text)
        if len(members) > 1 or is_quoted or members[0] in known:
            return _of_members(members, text)
        (text,) = members
    if "|" in text:
        return _of_members([part.strip() for part in text.split("|")], text)
    marks = re.escape(WORDS["other_marks"])
    parts = [part for part in re.split(rf"[{marks}\s]+", text) if part]
    if len(parts) > 1 or (parts and parts[0] != text):
        raise refusal("set marks", value=quoted(written), better=quoted("|".join(parts)))
    return _of_members([text], written)


def write_set(members: Sequence[str], classes: Sequence[str]) -> str:
    """Write a prediction set so that :func:`parse_set` reads the same set."""
    abstain: str = WORDS["abstain"][0]
    if len(members) == len(classes) and abstain not in classes:
        return abstain
    plain = "|".join(members)
    try:
        if parse_set(plain).labels == tuple(members) and (
            len(members) == 1 or plain not in classes
        ):
            return plain
    except InputError:
        pass
    return json.dumps(list(members), ensure_ascii=False)


def _inside(text: str, whole: str) -> tuple[list[str], bool]:
    """Labels between brackets, and whether the last one is quoted."""
    if "|" in text and not any(mark in text for mark in ",'\""):
        return [text.strip()], False
    parts: list[str] = []
    at, mark = 0, ","
    while mark:
        found = _PART.match(text, at)
        if found is None:
            raise refusal("set quotation", value=quoted(whole))
        double, single, bare, mark = found.groups()
        between = double if double is not None else single
        parts.append((bare or "").strip() if between is None else _unescaped(between))
        at = found.end()
        if mark and whole[0] == "(" and not text[at:].strip():
            break  # Python writes a tuple of one as ('a',)
    return parts, between is not None


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        mark = found[1]
        return chr(int(mark[1:], 16)) if len(mark) > 1 else _ESCAPED.get(mark, mark)

    return _ESCAPE.sub(plain, text)


def _of_members(members: list[Any], written: Any) -> WrittenSet:
    if len(members) > SET:
        raise refusal("set long", value=quoted(written), most=f"{SET:,}")
    for member in members:
        if member is None or member != member or (isinstance(member, str) and not member.strip()):
            raise refusal("set label missing", value=quoted(written))
        if isinstance(member, str) and len(member) > LABEL:
            raise refusal("long label", value=quoted(member), most=f"{LABEL:,}")
    try:
        labels = tuple(dict.fromkeys(members))
    except TypeError:
        raise refusal("set no label", value=quoted(written)) from None
    return WrittenSet(labels, len(labels) < len(members))


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
