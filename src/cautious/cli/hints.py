"""What the user may have meant: guesses that end an error message."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from cautious._typing import Floats, Labels

__all__ = [
    "few",
    "heading_hint",
    "label_hint",
    "number_hint",
    "percent_hint",
    "twins_hint",
    "whole_labels",
    "without_point",
]

_WHOLE = re.compile(r"[+-]?\d+\.0*")


def few(labels: Iterable[str]) -> str:
    """List labels without flooding the screen."""
    some = [repr(str(label)[:40]) for label in labels]
    return ", ".join(some[:6]) + (f", … {len(some)} in all" if len(some) > 6 else "")


def label_hint(label: str, known: Sequence[str], cutoff: float = 0.6) -> str:
    """Guess which label was meant: the same but for spaces and case, or one much like it.

    Examples
    --------
    >>> label_hint("Benign", ["benign", "malignant"])
    " Did you mean 'benign'?"
    """
    same = [one for one in known if _bare(one) == _bare(label)]
    near = same or difflib.get_close_matches(label, known, n=1, cutoff=cutoff)
    return f" Did you mean {near[0][:40]!r}?" if near else ""


def twins_hint(labels: Sequence[str]) -> str:
    """Name two labels that differ by spaces and case alone.

    Examples
    --------
    >>> twins_hint(["no", "yes", "Yes "])
    " 'yes' and 'Yes ' differ by spaces or capitals only: mend the file if they are one."
    """
    first: dict[str, str] = {}
    for label in labels:
        other = first.setdefault(_bare(label), label)
        if other != label:
            return (
                f" {other[:40]!r} and {label[:40]!r} differ by spaces or capitals only: mend the "
                "file if they are one."
            )
    return ""


def _bare(label: str) -> str:
    return without_point(label.strip()).casefold()


def without_point(label: str) -> str:
    """Write a whole number without its point: 1.0 is class 1.

    Examples
    --------
    >>> without_point("1.0"), without_point("1.5")
    ('1', '1.5')
    """
    return label.partition(".")[0] if _WHOLE.fullmatch(label) else label


def whole_labels(labels: Labels) -> Labels:
    """Read labels that are all whole numbers with a point as whole numbers.

    Examples
    --------
    >>> whole_labels(np.array(["0.0", "1.0"], dtype=object)).tolist()
    ['0', '1']
    """
    which, distinct = pd.factorize(labels)
    if not all(_WHOLE.fullmatch(label) for label in distinct):
        return labels
    return np.array([without_point(label) for label in distinct], dtype=object)[which]


def number_hint(cell: str) -> str:
    """Say how a number has to be written.

    Examples
    --------
    >>> number_hint("0,25")
    ' Write 0.25, with a decimal point.'
    >>> number_hint("25 %")
    ' Write 0.25 for 25%.'
    """
    text = cell.strip()
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", text):
        return " Write a point before decimals, and nothing between thousands."
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f" Write {text.replace(',', '.')}, with a decimal point."
    percent = re.fullmatch(r"([+-]?\d+(?:[.,]\d+)?)\s*%", text)
    if percent:
        value = percent[1].replace(",", ".")
        return f" Write {float(value) / 100:g} for {value}%."
    return ""


def percent_hint(proba: Floats) -> str:
    """Ask whether numbers that are no probabilities are per cent.

    Examples
    --------
    >>> percent_hint(np.array([[20.0, 80.0], [99.0, 1.0]]))
    ' Are these per cent? Then divide by 100.'
    """
    if proba.min() < 0 or not 2 < proba.max() <= 100:
        return ""
    sums = proba.sum(axis=1)
    whole = proba.shape[1] == 1 or bool((np.abs(sums - 100) <= 5).all())
    return " Are these per cent? Then divide by 100." if whole else ""


def heading_hint(names: Sequence[str]) -> str:
    """Ask whether a table lacks its heading: a column called by a number is no name.

    Examples
    --------
    >>> heading_hint(["1", "0.93"])
    ' The first line holds numbers: does the file lack a heading?'
    """
    numbers = [bool(re.fullmatch(r"[+-]?\d*\.?\d+(e[+-]?\d+)?", name, re.I)) for name in names]
    points = any(number and "." in name for number, name in zip(numbers, names, strict=True))
    if not (all(numbers) or points):
        return ""
    return " The first line holds numbers: does the file lack a heading?"
