"""The checks that every decision and every measure relies on.

Each error names the argument, what was given, what is allowed, and the first offending row. What
lies on a device is checked there, by the functions at the end; a fault is rare, so the words are
those for numpy: what fails there is copied and given to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._messages import refusal
from cautious._typing import Floats, Ints, Labels, Mask, as_floats
from cautious.errors import InputError, counted, shown
from cautious.tensors import Tensor, as_numpy, floats_of, is_tensor, like, namespace

# numpy gives every text of an array the room of the longest; longer ones stay Python's.
_LONGEST_TEXT = 256
_CHARACTER_BITS = 21
# Two labels are looked for where so many rows hold no third.
_SEEN_FIRST = 64
# So far the sum of shares may be from 1.
_OFF = 1e-6
# So few columns are quicker taken one by one than row by row.
_FEW_COLUMNS = 5


def first_row(offending: npt.ArrayLike) -> int:
    """Position of the first true element: the row an error message should name."""
    return int(np.argmax(np.asarray(offending)))


def as_count(value: Any, name: str, least: int = 1) -> int:
    """Read a number of classes, bins, cases or the like."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} is {shown(value)}; give a whole number.")
    if value < least:
        raise ValueError(f"{name} is {value}; give at least {least}.")
    return int(value)


def check_choice(value: Any, name: str, choices: Iterable[str]) -> None:
    """Refuse what is none of some words."""
    *words, last = choices
    if not (isinstance(value, str) and value in (*words, last)):
        allowed = ", ".join(map(shown, words)) + f" or {shown(last)}"
        raise refusal("choice", argument=name, given=shown(value), allowed=allowed)


def check_classes(classes: Sequence[Any] | npt.ArrayLike, *, name: str = "classes") -> Labels:
    """Check that class labels are a flat sequence without repeats or gaps."""
    labels = flat_labels(classes, name)
    if len(labels) == 0:
        raise ValueError(f"{name} is empty; give at least one class label.")
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise ValueError(
            f"{name}[{first_row(missing)}] is missing (None or NaN); every class needs a label."
        )
    repeated = pd.Index(labels, dtype=object if labels.dtype.kind in "OU" else None).duplicated()
    if repeated.any():
        at = first_row(repeated)
        raise ValueError(
            f"{name}[{at}] repeats {shown(labels.tolist()[at])}; each class may appear only once."
        )
    return labels


def flat_labels(values: Sequence[Any] | npt.ArrayLike, name: str) -> Labels:
    """Labels as a 1-D array whose elements keep the types the user gave them."""
    values = as_numpy(values)
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise TypeError(f"{name} is {shown(values)}; give a sequence of labels.")
    if isinstance(values, np.ma.MaskedArray) and values.dtype.names:
        raise TypeError(f"{name} holds records with masked fields; give one label per case.")
    if isinstance(values, np.ma.MaskedArray):
        # A hidden label is a missing one.
        hidden, values = np.ma.getmaskarray(values), values.data.astype(object)
        values[hidden] = None
    if isinstance(values, pd.Series | pd.Index) or hasattr(values, "categories"):
        values = pd.Series(values).to_numpy(dtype=object)
    array = np.asarray(values, dtype=None if isinstance(values, np.ndarray) else object)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; a flat sequence of labels is expected.")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)  # pandas knows no other
    if array.dtype == object and len(array):
        # One kind of label gets its natural dtype; mixed kinds ("a", 1) must not become text.
        array, codes = of_two(array) or (array, None)
        given = array.tolist()
        kinds = set(map(type, given))
        if kinds in ({str}, {np.str_}):
            texts = set(given)
            longest = max(1, *map(len, texts))
            # numpy cuts NULs off the end of text, which could make two labels one.
            if longest <= _LONGEST_TEXT and not any(text.endswith("\0") for text in texts):
                array = array.astype(f"U{longest}")
        elif kinds in ({int}, {bool}, {float}):
            natural = np.array(given)
            array = natural if natural.tolist() == given else array
        array = array if codes is None else array[codes]
    return array


def of_two(labels: Labels) -> tuple[Labels, Ints] | None:
    """Encode text or whole numbers of at most two values by comparing: nothing is hashed."""
    kind = labels.dtype.kind
    if kind not in "iubUO" or not len(labels):
        return None
    if kind == "O":
        # Mostly a few objects stand in many rows. In CPython an array of objects holds their places
        # in memory; numpy gives no view of these as numbers, so they are read off its buffer.
        places = of_two(np.ndarray(labels.shape, np.intp, np.ascontiguousarray(labels)))
        if places is not None:
            pair = labels[[0, int(places[1].argmax())]]
            if not all(type(label) is str for label in pair):
                return None
            if pair[0] != pair[1] or not places[1].any():
                return pair[: len(places[0])], places[1]
        try:
            few = set(labels[:_SEEN_FIRST].tolist())
            if len(few) < 3:  # nothing else may be among the text
                few = set(labels.tolist())
        except TypeError:  # lists and the like
            return None
        if len(few) > 2 or not all(type(label) is str for label in few):
            return None
    columns = labels[None]
    if kind == "U":  # texts are compared quicker character by character
        columns = np.ascontiguousarray(labels).view(np.uint32).reshape(len(labels), -1).T
    is_other: Mask = np.asarray(np.not_equal(columns, columns[:, :1], order="C").any(axis=0))
    at = int(is_other.argmax())
    if not is_other[at]:
        return labels[:1], np.zeros(len(labels), dtype=np.intp)
    if kind != "O":  # else there is no third
        is_second = np.equal(columns, columns[:, at : at + 1], order="C").all(axis=0)
        if np.count_nonzero(is_second) < np.count_nonzero(is_other):
            return None
    return labels[[0, at]], is_other.astype(np.intp)


def distinct(labels: Labels) -> tuple[Labels, Ints]:
    """Find the distinct labels, in the order in which they occur, and which of them each is."""
    code: Ints
    if (two := of_two(labels)) is not None:
        return two
    if labels.dtype.kind == "O":  # pandas cuts off at NULs
        values = labels.tolist()
        place = {label: at for at, label in enumerate(dict.fromkeys(values))}
        code = np.fromiter(map(place.__getitem__, values), np.intp, len(values))
    elif labels.dtype.kind == "U":  # which is many times as fast as by Python's objects
        code = np.zeros(len(labels), dtype=np.intp)
        characters = np.ascontiguousarray(labels).view(np.uint32)
        for character in characters.reshape(len(labels), labels.itemsize // 4).T:
            if (character != character[:1]).any():
                code = pd.factorize(code << _CHARACTER_BITS | character)[0]
    else:
        code, found = pd.factorize(labels)
        return found, code
    return labels[first_occurrences(code)], code


def first_occurrences(code: npt.NDArray[np.integer]) -> Ints:
    """Position at which each of the codes 0, 1, … occurs first; -1 where one does not occur."""
    first = np.full(code.max(initial=-1) + 1, -1)
    first[code[::-1]] = np.arange(len(code))[::-1]  # the last to be written is the first to occur
    return first


def is_new(*columns: npt.NDArray[Any]) -> Mask:
    """Whether a row of some columns is the first, or any of them differs from the row before."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return new


EMPTY = ("error", "abstain", "wrong")
"""What an empty prediction set may mean; see :func:`check_mask`."""


def check_mask(
    mask: npt.ArrayLike, *, n_classes: int | None = None, name: str = "mask", empty: str = "error"
) -> Mask:
    """Check a boolean matrix of prediction sets.

    Parameters
    ----------
    mask : array-like of shape (n, K)
        Booleans, or integers that are all 0 or 1.
    n_classes : int, optional
        The number of columns expected.
    name : str
        What to call the argument in an error.
    empty : {"error", "abstain", "wrong"}
        What an empty row means: a mistake in the data; an abstention (it becomes the full row); or
        a wrong answer (it stays empty). Conformal prediction reports an empty set as an answer that
        misses the truth, so "wrong" gives its coverage and mean set size.

    Returns
    -------
    ndarray of shape (n, K), bool
        The array given, if nothing had to be changed; not a copy.

    Examples
    --------
    >>> check_mask([[1, 0], [0, 0]], empty="abstain")
    array([[ True, False],
           [ True,  True]])
    """
    check_choice(empty, "empty", EMPTY)
    mask = as_numpy(mask)
    if isinstance(mask, np.ma.MaskedArray) and np.ma.getmaskarray(mask).any():
        raise ValueError(f"{name} has masked entries; say of every class whether it is in the set.")
    if hasattr(mask, "toarray"):
        raise TypeError(f"{name} is a sparse matrix; call its .toarray() first.")
    try:
        array = np.asarray(mask)
    except ValueError:
        raise ValueError(
            f"{name} has rows of different lengths; expected (n, K), one row per case and one "
            "column per class. cautious.sets.as_mask reads sets of labels."
        ) from None
    check_table(array.shape, name, n_classes)
    if array.dtype != np.bool_:
        array = _booleans(array, name)
    if empty == "wrong":
        return array
    sizes = count_classes(array)
    if not sizes.all():
        is_empty = sizes == 0
        if empty == "error":
            raise ValueError(
                f"{name} has an empty prediction set in row {first_row(is_empty)} "
                f"({int(is_empty.sum())} in all). Pass empty='wrong' if it is an answer that "
                "misses the truth, as in conformal prediction, or empty='abstain' if it means "
                "'don't know'."
            )
        array = array | is_empty[:, None]
    return array


def check_table(shape: tuple[int, ...], name: str, n_classes: int | None = None) -> None:
    """Refuse what is no table of one row per case and one column per class."""
    if len(shape) != 2:
        raise ValueError(
            f"{name} has shape {shape}; expected (n, K), one row per case and one column per class."
        )
    if n_classes is not None and shape[1] != n_classes:
        raise ValueError(
            f"{name} has {counted(shape[1], 'column')} but there are {n_classes} classes; "
            "give one column per class, in the order of the class labels."
        )


def check_rows(n: int, found: int, name: str) -> None:
    """Refuse another number of rows than there are truths."""
    if found != n:
        raise ValueError(f"y_true has {n} rows and {name} has {found}; give one of each per case.")


def cells_at(table: npt.NDArray[Any], column: Ints) -> npt.NDArray[Any]:
    """Take one cell of each row; a flat index is quicker than one per axis."""
    n, k = table.shape
    return np.asarray(table.reshape(-1)[np.arange(0, n * k, k) + column])


def likeliest(scores: Floats) -> tuple[Ints, Floats]:
    """Find the first class of the greatest score in each row, and that score; none is missing."""
    if scores.shape[1] == 2:  # many times as fast as row by row
        first, second = scores.T
        return (second > first).astype(np.intp), np.maximum(first, second)
    choice = scores.argmax(axis=1)
    return choice, cells_at(scores, choice)


def count_classes(mask: Mask) -> npt.NDArray[np.integer]:
    """Count the classes in each row, in as few bytes as hold the numbers."""
    cells = mask.view(np.uint8)
    if 0 < mask.shape[1] <= _FEW_COLUMNS:
        sizes = cells[:, 0].copy()
        for column in cells.T[1:]:
            sizes += column
        return sizes
    # A quarter of the time of mask.sum(axis=1), as long as the sums fit a byte.
    narrow = np.uint8 if mask.shape[1] < 256 else np.intp
    return np.asarray(np.einsum("ij->i", cells, dtype=narrow))


def _booleans(array: npt.NDArray[Any], name: str) -> Mask:
    """Read a matrix of 0s and 1s, or of Python booleans, as booleans."""
    if array.dtype == object:
        yes_or_no = bool | np.bool_ | Integral
        cells = array.ravel().tolist()
        flat = [not isinstance(cell, yes_or_no) or cell not in (0, 1) for cell in cells]
        strange = np.array(flat, dtype=np.bool_).reshape(array.shape)
        allowed = "True and False, or 0 and 1,"
    elif np.issubdtype(array.dtype, np.integer):
        strange = np.asarray((array != 0) & (array != 1))
        allowed = "0 and 1"
    else:
        raise TypeError(
            f"{name} holds values of type {array.dtype}, not booleans. If these are probabilities, "
            "turn them into sets first, for example with cautious.decision.threshold_rule; "
            "if it is a mask, call .astype(bool)."
        )
    if strange.any():
        row = first_row(strange.any(axis=1))
        value = array[row].tolist()[first_row(strange[row])]
        raise ValueError(f"{name} holds {shown(value)} in row {row}; only {allowed} are allowed.")
    return array.astype(np.bool_)


def check_probabilities(
    p: npt.ArrayLike, *, name: str = "p", n_classes: int | None = None, atol: float = 1e-6
) -> Floats:
    """Check class probabilities: finite, within [0, 1], each row adding up to one."""
    p = as_numpy(p)
    is_pair = isinstance(p, tuple) and len(p) == 2 and getattr(p[0], "ndim", 1) == 2
    if is_pair or (hasattr(p, "lower") and hasattr(p, "upper") and not isinstance(p, str)):
        raise TypeError(
            f"{name} holds bounds of probabilities, and one probability per class is expected. "
            "Sets are decided from bounds by cautious.decision.gamma_maximin, for a utility, or by "
            "criteria such as maximality and e_admissibility."
        )
    array = as_floats(p, name, "probabilities")
    given = np.asarray(p).dtype
    check_table(array.shape, name, n_classes)
    tolerance = atol
    if np.issubdtype(given, np.floating):
        # Single precision is common, and a softmax in it gathers one rounding error per class.
        tolerance = max(atol, min(8 * float(np.finfo(given).eps) * array.shape[1], 1e-3))
    if not (array.min(initial=0.0) >= -tolerance and array.max(initial=0.0) <= 1 + tolerance):
        row = first_row(~((array >= -tolerance) & (array <= 1 + tolerance)).all(axis=1))
        raise ValueError(
            f"{name} has a value that is no probability in row {row}: "
            f"{shown(array[row].tolist())}; values must be finite and between 0 and 1."
        )
    # A product is many times as fast as sums; they need be looked at only where it comes close.
    near = array @ np.ones(array.shape[1])
    if near.min(initial=1.0) >= 1 - atol / 2 and near.max(initial=1.0) <= 1 + atol / 2:
        return array
    sums = array.sum(axis=1)
    off = np.abs(sums - 1) > tolerance
    if off.any():
        row = first_row(off)
        raise ValueError(
            f"{name} adds up to {sums[row]:.6g} in row {row}, {sums[row] - 1:+.2g} away from 1; "
            f"each row must add up to 1 (within {tolerance:.2g}). Divide each row by its sum if "
            "these are rounded or unnormalised; or is the column of a class missing?"
        )
    # In double precision the rows must pass this check again, wherever they go next.
    rounded = np.abs(sums - 1) > atol
    return np.where(rounded[:, None], array / sums[:, None], array) if rounded.any() else array


def check_shape(array: npt.NDArray[Any], shape: tuple[int, ...], name: str, each: str) -> None:
    """Refuse an array of another shape."""
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; expected {shape}, one {each}.")


def class_shares(values: npt.ArrayLike, name: str, n_classes: int) -> Floats:
    """Check one share per class, none negative, and make them add up to one exactly."""
    words = "shares of classes must not be negative and must add up to 1"
    shares = as_floats(values, name, "shares", words=words)
    check_shape(shares, (n_classes,), name, "share per class")
    total = shares.sum()
    if abs(total - 1) > _OFF:
        raise ValueError(
            f"{name} adds up to {total:.6g}; shares of classes must add up to 1 (within {_OFF}). "
            "Divide them by their sum."
        )
    return np.asarray(shares / total)


def check_weight(sample_weight: npt.ArrayLike | None, n: int) -> Floats:
    """Check the weights of cases; ``None`` weighs every case once."""
    if sample_weight is None:
        return np.ones(n)
    words = "weights must be finite and not negative"
    weight = as_floats(sample_weight, "sample_weight", "weights", words=words)
    check_shape(weight, (n,), "sample_weight", "weight per case")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total == np.inf:
        raise ValueError(
            f"sample_weight adds up to more than a float can hold; its largest weight is "
            f"{weight.max()}. Divide all weights by that."
        )
    return weight


def shares_of_cases(values: npt.ArrayLike, name: str) -> Floats:
    """Check that numbers are shares of the cases."""
    words = "a share of cases lies between 0 and 1"
    return as_floats(values, name, "shares", high=1, words=words)


def check_some_weight(total: float) -> None:
    """Refuse cases of which none counts."""
    if not total > 0:
        raise ValueError("there is no case of positive weight; at least one is needed.")


def check_scores(scores: npt.ArrayLike, *, name: str, n: int | None = None) -> Floats:
    """Check that scores are one number per example, none of them NaN."""
    array = as_floats(scores, name, "scores")
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}; give one score per example, shape (n,). From "
            "predict_proba take the column of the positive class."
        )
    if n is not None:
        check_rows(n, len(array), name)
    is_nan = np.isnan(array)
    if is_nan.any():
        raise ValueError(
            f"{name} is NaN in row {first_row(is_nan)} ({int(is_nan.sum())} in all); a score that "
            "does not exist cannot be ordered. Drop these rows, or give them a score on purpose."
        )
    return array


def check_truth(y_true: Sequence[Any] | npt.ArrayLike, *, name: str = "y_true") -> Labels:
    """Check true labels: flat, none missing."""
    is_plain = type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype.isnative
    if is_plain and (labels := np.asarray(y_true)).dtype.kind in "iubU":  # nothing is missing
        return labels
    labels = flat_labels(y_true, name)
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise ValueError(
            f"{name} is missing (None or NaN) in row {first_row(missing)}; "
            "leave out the cases whose truth is unknown."
        )
    return labels


def as_codes(values: Labels, classes: Labels, *, name: str, rows: Ints | None = None) -> Ints:
    """Position of each label in ``classes``; one that is not there is an error."""
    if values.dtype.kind == classes.dtype.kind == "i" and len(values):
        first, last = classes[0], classes[-1]
        follow = bool((np.diff(classes) == 1).all())  # there is nothing to look up
        if follow and values.min() >= first and values.max() <= last:
            codes = values.astype(np.intp, copy=False)
            return codes - int(first) if first else codes
    found, place = distinct(values)
    if classes.dtype.kind == found.dtype.kind == "M":  # days and nanoseconds are other numbers
        classes, found = classes.astype("M8[ns]"), found.astype("M8[ns]")
    at_class = {label: at for at, label in enumerate(classes.tolist())}
    codes = np.array([*(at_class.get(label, -1) for label in found.tolist()), -1])[place]
    unknown = codes < 0
    if unknown.any():
        at = first_row(unknown)
        row = at if rows is None else int(rows[at])
        raise ValueError(
            f"{name} holds {shown(values[at : at + 1].tolist()[0])} in row {row}, which is not "
            f"among the classes {few_labels(classes)}."
        )
    return codes.astype(np.intp, copy=False)


def few_labels(classes: Labels) -> str:
    """List classes without flooding the screen."""
    few = ", ".join(shown(label, 40) for label in classes[:10].tolist())
    return f"[{few}, … {len(classes)} in all]" if len(classes) > 10 else f"[{few}]"


def check_wrong_of(wrong: npt.ArrayLike, answered: npt.ArrayLike) -> tuple[Ints, Ints]:
    """Read whole numbers, of which the first does not exceed the second."""
    k, m = (check_whole(value, name) for value, name in ((wrong, "wrong"), (answered, "answered")))
    if np.any(k > m):
        k, m = np.broadcast_arrays(k, m)
        too_many = k > m
        raise ValueError(
            f"wrong is {k[too_many][0]} and answered is {m[too_many][0]}; there cannot be more "
            "wrong answers than answers."
        )
    return k, m


def check_share(value: float, name: str) -> float:
    """Read a number strictly between 0 and 1."""
    if not (isinstance(value, Real) and 0 < float(value) < 1):
        raise InputError(
            "{==name} is {given}; give a number between 0 and 1, both excluded.",
            name=name,
            given=shown(value),
        )
    return float(value)


def check_whole(value: npt.ArrayLike, name: str) -> Ints:
    """Read whole numbers of cases."""
    given = as_floats(value, name, "whole numbers of cases")
    whole = np.rint(given)
    if not np.all((given == whole) & (given >= 0) & np.isfinite(given)):
        raise ValueError(
            f"{name} is {shown(value)}; exact bounds need whole numbers of cases. Weighted cases "
            "have no exact bound."
        )
    return whole.astype(np.int64)


# Up to so many integers are looked for one by one.
_FEW_LABELS = 32


def tensor_likeliest(p: Tensor) -> tuple[Tensor, Tensor]:
    """Likeliest class of each row of probabilities and its probability, where the rows lie."""
    rows, _ = _sound_rows(p)
    xp = namespace(rows)
    total = xp.sum(xp.astype(rows, xp.float64), axis=1)
    total = xp.where(xp.abs(total - 1) > _OFF, total, xp.ones_like(total))
    return xp.argmax(rows, axis=1), xp.astype(xp.max(rows, axis=1), xp.float64) / total


def tensor_shares(p: Tensor, n_classes: int) -> Tensor:
    """Check class probabilities of which only the proportions within a row matter."""
    rows, any_negative = _sound_rows(p, n_classes)
    if any_negative:
        xp = namespace(rows)
        rows = xp.maximum(rows, xp.zeros_like(rows))
    return rows


def _sound_rows(p: Tensor, n_classes: int | None = None) -> tuple[Tensor, bool]:
    """Check rows in as few passes as can be, and say whether any number is negative."""
    xp = namespace(p)
    real, tolerance = _is_real(p), _OFF
    if real and not xp.isdtype(p.dtype, ("bool", "integral")):
        tolerance = max(_OFF, min(8 * float(xp.finfo(p.dtype).eps) * p.shape[-1], 1e-3))
    fits = real and len(p.shape) == 2 and (n_classes or p.shape[1]) == p.shape[1]
    if not fits or 0 in p.shape:
        check_probabilities(p, n_classes=n_classes, atol=tolerance)
        return floats_of(p), False
    rows = floats_of(p)
    # Sums of the given precision may be off themselves; what is near the limit is added up again.
    # No number is larger than such a sum unless others are negative.
    distance = float(xp.max(xp.abs(xp.sum(rows, axis=1) - 1)))
    low = float(xp.min(rows))
    high = 1.0 if low >= 0 else float(xp.max(rows))
    if not (distance <= tolerance / 2 and low >= -tolerance and high <= 1 + tolerance):
        check_probabilities(p, n_classes=n_classes, atol=tolerance)
    return rows, low < 0


def tensor_scores(scores: Tensor, *, name: str, n: int | None = None) -> Tensor:
    """Check that scores are one number per example, none of them NaN."""
    xp = namespace(scores)
    shaped = len(scores.shape) == 1 and (n is None or scores.shape[0] == n) and _is_real(scores)
    array = floats_of(scores) if shaped else scores
    if not shaped or bool(xp.any(xp.isnan(array))):
        check_scores(scores, name=name, n=n)
    return array


def tensor_mask(
    mask: Tensor, *, n_classes: int | None = None, name: str = "mask", empty: str = "error"
) -> tuple[Tensor, Tensor]:
    """Check prediction sets where they lie; returns them and the number of classes in each."""
    xp = namespace(mask)
    shaped = len(mask.shape) == 2 and (n_classes or mask.shape[1]) == mask.shape[1]
    if shaped and xp.isdtype(mask.dtype, "integral"):
        strange = xp.any((mask != 0) & (mask != 1))
        mask = mask if bool(strange) else xp.astype(mask, xp.bool)
    if not shaped or mask.dtype != xp.bool or empty not in EMPTY:
        check_mask(mask, n_classes=n_classes, name=name, empty=empty)
    # Bytes add up several times faster than booleans, and 255 of them fit a byte.
    narrow = xp.uint8 if mask.shape[1] < 256 else xp.int32
    size = xp.sum(xp.astype(mask, xp.uint8), axis=1, dtype=narrow)
    if empty != "wrong":
        is_empty = size == 0
        if bool(xp.any(is_empty)):
            if empty == "error":
                check_mask(mask, n_classes=n_classes, name=name, empty=empty)
            mask = mask | is_empty[:, None]
            size = xp.where(is_empty, xp.full_like(size, mask.shape[1]), size)
    return mask, size


def tensor_classes(y_true: Tensor) -> Labels:
    """Distinct labels among truths, sorted; none of them NaN."""
    xp = namespace(y_true)
    if len(y_true.shape) != 1:
        check_truth(y_true)
    if xp.isdtype(y_true.dtype, "integral") and y_true.shape[0]:
        # A sort takes many times as long as to ask for each of a few labels.
        low, high = int(xp.min(y_true)), int(xp.max(y_true))
        if high - low < _FEW_LABELS:
            between = [v for v in range(low + 1, high) if bool(xp.any(y_true == v))]
            return np.array([low, *between, high] if high > low else [low])
    occurring = as_numpy(xp.unique_values(y_true))
    if occurring.dtype.kind not in "iub" and np.isnan(occurring).any():
        check_truth(y_true)  # names the row
    return np.sort(occurring)


def tensor_codes(y_true: Any, classes: Labels, place: Tensor, *, name: str = "y_true") -> Tensor:
    """Position of each truth in the classes, as integers where the tensor `place` lies."""
    if not is_tensor(y_true):
        return like(as_codes(check_truth(y_true, name=name), classes, name=name), place)
    xp, k = namespace(y_true), len(classes)
    plain = classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(k))
    whole = xp.isdtype(y_true.dtype, "integral") and y_true.shape[0] > 0
    if plain and whole and len(y_true.shape) == 1 and xp.min(y_true) >= 0 and xp.max(y_true) < k:
        return y_true
    occurring = tensor_classes(y_true)
    try:
        position = as_codes(occurring, classes, name=name)
    except ValueError:
        as_codes(check_truth(y_true, name=name), classes, name=name)  # names the row
        raise
    if xp.isdtype(y_true.dtype, "bool"):  # which torch does not search
        y_true = xp.astype(y_true, xp.uint8)
    sought = like(occurring.astype(as_numpy(y_true[:0]).dtype), y_true)
    return xp.take(like(position, y_true), xp.searchsorted(sought, y_true))


def _is_real(array: Tensor) -> bool:
    xp = namespace(array)
    return xp.isdtype(array.dtype, ("bool", "integral", "real floating")) or (
        "bfloat16" in str(array.dtype)
    )
