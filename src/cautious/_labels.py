"""Labels of classes: as text, in order, matched with each other; and which one is positive.

Labels keep the kind they were given in, so that ``y_true == 1`` goes on working. Where a label is
matched with a *name* (a column ``p_1``, a set written ``1|2``, an option of the command line), its
text counts: 1, 1.0 and "1" are one class, and so are booleans with 0/1 and false/true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_codes, check_truth, distinct
from cautious._messages import WORDS, note, refusal, twins
from cautious._typing import Mask
from cautious.errors import InputError, Message, counted, listed, quoted

GRADES = ("wrong", "right")
"""Classes of graded answers; the second is the positive one."""
ACCEPTED, ESCALATED = "answer", "escalate"
"""What is decided of graded answers, as it is written."""

_WHOLE = re.compile(r"[+-]?\d+\.0*", re.ASCII)


def plain_label(value: Any) -> Any:
    """Reduce a label to a boolean, a whole number, a number or text; a missing one is None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool) or type(value) is int:
        return value
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    return str(value)


def label_text(label: Any) -> str:
    """Write a label as text, a whole number without its point."""
    return str(label if type(label) in (str, int) else plain_label(label))


def _sort_key(label: Any) -> tuple[bool, float, str]:
    text = label_text(label)
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    return number != number, 0.0 if number != number else number, text


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Sort distinct labels: numbers by their value, also where they are text, then the others."""
    return sorted(dict.fromkeys(labels), key=_sort_key)


def match_label(name: Any, labels: Sequence[Any]) -> int:
    """Position of the label that a name means, or -1."""
    return match_labels([name], labels)[0]


def match_labels(names: Sequence[Any], labels: Sequence[Any]) -> list[int]:
    """Positions of the labels that names mean, -1 where there is none; see :func:`match_label`."""
    exact: dict[str, int] = {}
    loose: dict[str, int] = {}
    found, boolean = [], False
    for at, label in enumerate([*labels, *names]):
        text, is_boolean = label_text(label), isinstance(label, bool | np.bool_)
        # What a label has in common with others that name the same class.
        plain = str(int(label)) if is_boolean else without_point(text)
        if at < len(labels):
            exact.setdefault(text, at)
            loose.setdefault(plain, at)
            if is_boolean:
                boolean = True
                loose.setdefault(text.lower(), at)
        else:
            spoken = loose.get(text.strip().lower(), -1) if boolean else -1
            found.append(exact.get(text, loose.get(plain, spoken)))
    return found


def without_point(text: str) -> str:
    """Write a whole number without its point: 1.0 is class 1."""
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def whole_labels(labels: Iterable[Any]) -> list[Any]:
    """Labels of a column: if all are text like 1.0, they are whole numbers and lose their point."""
    given = list(labels)
    if all(isinstance(one, str) and without_point(one) != one for one in given):
        return [without_point(one) for one in given]
    return given


def named_classes(names: Iterable[Any]) -> list[Any]:
    """Classes as columns name them: a whole number without its point, if that keeps them apart."""
    given = list(names)
    whole = [without_point(one) if isinstance(one, str) else one for one in given]
    return whole if len(set(whole)) == len(given) else given


def answer_index(classes: Iterable[Any], abstain: str | None = None) -> pd.Index[Any]:
    """Name the rows of a table by answer: the classes, and last abstaining, ``⊥`` or ``⊥′``."""
    labels, name = [*classes], abstain or "⊥"
    while abstain is None and name in map(str, labels):  # a class is called so
        name += "′"
    # Labels of several kinds stay what they are: pandas would make 0 and 1.0 floats.
    return pd.Index([*labels, name], dtype=object, name="prediction")


def binary_classes(
    labels: Sequence[Any], *, pos_label: Any = None, classes: Sequence[Any] | None = None
) -> tuple[Any, Any]:
    """Settle the negative and the positive class."""
    if classes is not None:
        labels = () if isinstance(classes, str) or hasattr(classes, "columns") else classes
        if len(labels) != 2 or labels[0] == labels[1]:
            raise refusal("classes no pair", given=repr(classes)[:200])
        if pos_label is None:
            return labels[0], labels[1]
    values = list(labels)
    if pos_label is not None:
        at = match_label(pos_label, values)
        if at < 0:
            raise refusal(
                "positive unknown",
                given=quoted(pos_label),
                classes=listed(sorted_labels(values)),
                near=(pos_label, values),
            )
        if classes is not None:
            return values[1 - at], values[at]
        rest = _unlike(values, pos_label)
        return (rest[0] if len(rest) == 1 else f"not {values[at]}"), values[at]
    if not values:
        raise refusal("no rows")
    if len(values) > 2:
        ordered = sorted_labels(values)
        raise refusal("many classes", count=len(values), classes=listed(ordered), twins=ordered)
    seen = {label_text(value).strip().casefold(): value for value in values}
    for negative, positive in WORDS["plain_pairs"]:
        if len(seen) == len(values) and seen.keys() <= {negative, positive}:
            return _plain(negative, seen), _plain(positive, seen)
    if len(values) == 1:
        raise refusal("one class", label=quoted(values[0]))
    ordered = sorted_labels(values)
    first, second = ordered
    raise refusal(
        "positive not said", classes=listed(ordered), first=first, second=second, twins=ordered
    )


def _plain(word: str, seen: Mapping[str, Any]) -> Any:
    """Give the label of a plain pair; one that does not occur is made of the other's kind."""
    if word in seen:
        return seen[word]
    kind = type(next(iter(seen.values())))
    if kind is bool:
        return word == "true"
    return word if issubclass(kind, str) else int(word)


def _unlike(labels: Sequence[Any], name: Any) -> list[Any]:
    """Leave out the labels that a name means: of 0, 1 and 1.0 both of the last are class 1."""
    matched = match_labels(labels, [name])
    return [label for label, at in zip(labels, matched, strict=True) if at < 0]


def positive_of_sets(classes: Sequence[Any], pos_label: Any = None) -> Any:
    """Give the positive class of sets: as said, or plain, or else None."""
    if pos_label is not None:
        return binary_classes(classes, pos_label=pos_label)[1]
    try:
        return binary_classes(classes)[1] if len(classes) == 2 else None
    except InputError:
        return None


def binary_truth(
    y_true: Sequence[Any] | npt.ArrayLike,
    *,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
) -> tuple[Mask, tuple[Any, Any]]:
    """Read true labels as "is it the positive class?"."""
    labels = check_truth(y_true)
    if classes is not None:
        pair = binary_classes((), pos_label=pos_label, classes=classes)
        names = np.empty(2, dtype=object)
        names[:] = pair
        return as_codes(labels, names, name="y_true") == 1, pair
    occurring, place = distinct(labels)
    values = occurring.tolist()
    pair = binary_classes(values, pos_label=pos_label)
    # Several labels may mean the positive class: 1, 1.0 and "1" do.
    return (np.array(match_labels(values, pair[1:])) == 0)[place], pair


def label_notes(
    labels: Iterable[Any], pair: Sequence[Any] | None, rows: Mapping[Any, int] | None = None
) -> Iterator[Message]:
    """Say which labels are taken together as "the rest", are hardly labels, or look like one."""
    given = sorted_labels(labels)
    if pair is not None and pair[0] == f"not {pair[1]}" and pair[0] not in given:
        rest = _unlike(given, pair[1])
        if len(rest) > 1:
            facts = {"rest": quoted(pair[0]), "positive": quoted(pair[1])}
            yield note("rest", labels=listed(rest), **facts)
            odd = [one for one in rest if label_text(one).strip().lower() in WORDS["no_truth"]]
            count = sum((rows or {}).get(one, 0) for one in odd)
            if odd:
                known = f" ({counted(count, 'row')})" if count else ""
                yield note("no truth", labels=listed(odd), rows=known, rest=facts["rest"])
    for one, other in twins(given)[:1]:
        yield note("twins", one=quoted(one), other=quoted(other))
