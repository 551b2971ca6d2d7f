"""Class probabilities and scores: as columns of a table, and as arrays beside their truths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._cases import check_width, class_order
from cautious._checks import check_classes, check_probabilities, check_rows, check_truth, first_row
from cautious._labels import binary_classes
from cautious._messages import ROUNDING, hint, note, refusal
from cautious._typing import Floats, Labels, Mask, as_floats
from cautious.errors import Message, counted, quoted
from cautious.predictions._cells import Place
from cautious.sets._conversion import as_pandas, frame_in_class_order, has_names

_BLOCK = 1 << 13  # rows
# Measures take rows that are off by less for exact; by this, in whatever order they are added up.
_EXACT, _SURELY_EXACT = 5e-7, 4.9e-7


def check_probability_rows(
    proba: Floats, columns: Sequence[Any], place: Callable[[Any], Place], eps: float
) -> tuple[Floats, dict[str, int], list[Message]]:
    """Check rows of probabilities, undo their rounding, and tell how many rows it changed."""
    proba = np.ascontiguousarray(proba)
    missing = np.asarray(np.isnan(proba).any(axis=1))
    proba[missing] = np.nan
    exact = max(ROUNDING["exact"], min(8 * eps * proba.shape[1], 1e-3))
    slack = 0.0 if eps < 1e-10 else exact
    if (found := _outside(proba, slack)) is not None:
        row, column = found
        raise refusal(
            "no probability",
            place=place(columns[column])(row),
            value=f"{proba[row, column]:.10g}",
            hints=[*_per_cent(proba[~missing]), hint("other scores")],
        )
    if proba.shape[1] == 1:
        return proba, {}, []
    sums = proba.sum(axis=1)
    off = np.where(missing, 0.0, np.abs(sums - 1))
    decimals = _decimals(proba, missing)
    beyond = off > max(_explained(decimals, proba.shape[1]), exact) + 1e-9
    if beyond.any():
        row = first_row(beyond)
        shown = ", ".join(f"{value:.10g}" for value in proba[row, :8])
        raise refusal(
            "probability sum",
            place=place(None)(row),
            total=f"{sums[row]:.6g}",
            row=shown + (", …" if proba.shape[1] > 8 else ""),
        )
    rounded = np.flatnonzero(off > _EXACT)
    if not len(rounded):
        return proba, {}, []
    proba[rounded] /= sums[rounded, None]
    said = note(
        "rounded",
        decimals=decimals or ROUNDING["most_decimals"],
        count=f"{len(rounded):,}",
        n=f"{len(proba):,}",
        worst=f"{sums[off.argmax()]:.6g}",
    )
    return proba, {"rounded rows": len(rounded)}, [said]


def are_plain(proba: Floats) -> bool:
    """Tell whether all rows are surely probabilities that add up to 1."""
    for rows in _blocks(len(proba)):
        part = proba[rows]
        if not (part.min() >= 0 and part.max() <= 1):  # nor if one is nan
            return False
        if part.shape[1] > 1 and not np.abs(part.sum(axis=1) - 1).max() <= _SURELY_EXACT:
            return False
    return True


def _blocks(n: int) -> Iterator[slice]:
    """Cut rows into blocks: what is computed of one at a time takes little memory."""
    return (slice(start, start + _BLOCK) for start in range(0, n, _BLOCK))


def _outside(proba: Floats, slack: float) -> tuple[int, int] | None:
    """Find the first number that is no probability; nan is none of these."""
    for rows in _blocks(len(proba)):
        with np.errstate(invalid="ignore"):
            outside = (proba[rows] < -slack) | (proba[rows] > 1 + slack)
        if outside.any():
            row = first_row(outside.any(axis=1))
            return rows.start + row, first_row(outside[row])
    return None


def _decimals(proba: Floats, missing: Mask) -> int | None:
    """Find to how many decimals numbers were rounded; None if to more than matter."""
    decimals = ROUNDING["least_decimals"]
    for rows in _blocks(len(proba)):
        part = proba[rows][~missing[rows]]
        # Single precision, too, keeps six decimals to within this.
        while np.abs(part - np.round(part, decimals)).max(initial=0.0) >= 1e-7:
            decimals += 1
            if decimals > ROUNDING["most_decimals"]:
                return None
    return int(decimals)


def _explained(decimals: int | None, n_classes: int) -> float:
    """Say how far from 1 rounding may have brought the sum of a row."""
    if decimals is None:
        return float(ROUNDING["exact"])
    half = n_classes * 0.5 * 10.0**-decimals
    return float(np.clip(half, ROUNDING["exact"], ROUNDING["most"]))


def _per_cent(proba: Floats) -> list[Message]:
    """Ask whether numbers that are no probabilities are per cent."""
    if proba.min() < 0 or not 2 < proba.max() <= 100:
        return []
    whole = proba.shape[1] == 1 or bool((np.abs(proba.sum(axis=1) - 100) <= 5).all())
    return [hint("maybe per cent")] if whole else []


def per_cent_hint(scores: Floats) -> str:
    """Ask whether scores are per cent; nothing unless all are from 0 to 100, and half above 1."""
    known = scores[~np.isnan(scores)]
    asked = len(known) and known.min() >= 0 and known.max() <= 100 and np.mean(known > 1) >= 0.5
    return str(hint("maybe per cent")) if asked else ""


def per_cent_notes(name: str, scores: Floats | None) -> Iterator[Message]:
    """Ask the same where scores serve as they are: a threshold of them is no probability."""
    if scores is not None and per_cent_hint(scores):
        yield note("per cent", name=quoted(name, 60), value=f"{np.nanmax(scores):g}")


def two_scales(name: str, scores: Floats) -> Iterator[Message]:
    """Ask whether shares and per cent stand in one column: nothing lies between 1 and 10."""
    least, most = np.fmin.reduce(scores, initial=np.inf), np.fmax.reduce(scores, initial=-np.inf)
    if not (least >= 0 and 10 <= most <= 100):
        return
    low = int(np.count_nonzero((scores > 0) & (scores < 1)))
    high = int(np.count_nonzero(scores >= 10))
    if low and np.count_nonzero(scores > 1) == high:
        yield note("two scales", name=quoted(name, 60), low=f"{low:,}", high=f"{high:,}")


def class_scores(
    y_score: npt.ArrayLike,
    y_true: Sequence[Any] | npt.ArrayLike,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    *,
    name: str = "y_score",
) -> tuple[Floats, Labels]:
    """Bring scores to one column per class, whichever of the two forms they came in."""
    truth, y_score = check_truth(y_true), as_pandas(y_score)
    known = check_classes(classes) if classes is not None else None
    seen = check_classes(class_order(truth), name="y_true") if known is None else known
    if known is None and has_names(y_score):
        known = _as_wide(seen, np.shape(y_score)[1], name)
    if known is not None:
        y_score = frame_in_class_order(y_score, known, name)
    scores = as_floats(y_score, name, "scores")
    if scores.ndim not in (1, 2) or (scores.ndim == 2 and scores.shape[1] == 0):
        raise ValueError(
            f"{name} has shape {scores.shape}; expected (n, K) class scores, or (n,) "
            "probabilities of the positive one of two classes."
        )
    missing = np.isnan(scores)
    if missing.any():
        row = int(np.argwhere(missing)[0, 0])
        raise ValueError(f"{name} is NaN in row {row}; drop or fill it.")
    check_rows(len(truth), len(scores), name)
    if known is None:
        _as_wide(seen, 2 if scores.ndim == 1 else scores.shape[1], name)
    if scores.ndim == 1:
        outside = (scores < 0) | (scores > 1)
        if outside.any():
            row = first_row(outside)
            raise ValueError(
                f"{name} is {scores[row]} in row {row}; a single column holds probabilities of "
                "the positive class, between 0 and 1. For other scores give one column per class."
            )
        declared = None if known is None else known.tolist()
        pair = binary_classes(seen.tolist(), pos_label=pos_label, classes=declared)
        return np.column_stack([1 - scores, scores]), check_classes(pair)
    with suppress(ValueError):  # scores of another kind stay as they are
        scores = scores if scores is y_score else check_probabilities(y_score)
    return scores, seen


def _as_wide(labels: Labels, width: int, name: str) -> Labels:
    """Give labels back if there are so many of them."""
    check_width(labels, width, f"{name} is about {counted(width, 'class', 'classes')}")
    return labels
