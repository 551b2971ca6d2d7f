"""Cells of columns: labels as codes, numbers read strictly, whatever the column is held in.

A column is a pandas Series, an Arrow array (chunked or not, dictionary-encoded or not) or a list of
text. Readers of files and frames use these functions for whole tables, and :mod:`cautious.logs` for
one record batch at a time; so a rule is written once:

- :func:`encode_labels` gives :class:`Encoded`: codes and the distinct values that occur. Huge
  labels of a dictionary are never repeated, and unused entries do not exist.
- :func:`plain_labels` makes class labels of the distinct values.
- :func:`read_numbers` gives :class:`Numbers`: floats, and which cells are no numbers, which
  :func:`check_numbers` refuses. :func:`check_weights` checks weights.

Columns of sets are read in :mod:`cautious.predictions._columns`.

Checks take `place`, a function from a row to words that say where it is, as in
``lambda row: f"column 'score', row {row}"``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import first_row, is_new, of_two
from cautious._input_limits import CLASSES, LABEL, LEAST_WEIGHT, MOST_WEIGHT
from cautious._labels import label_text, plain_label, whole_labels
from cautious._messages import WORDS, hint, refusal
from cautious._typing import Floats, Ints, Labels
from cautious.errors import Message, counted, quoted

Place: TypeAlias = Callable[[int], str]
"""From a row to words that say where it is."""

_TEXT = (str, bytes)  # a union of types would be made for each of many labels
_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
# Texts of so many odd cells are kept for messages.
KEPT = 1000

NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE | re.ASCII
)
# What cells hold that are nearly numbers, by the hint that they get.
_ODD_NUMBERS = {
    "thousands": r"[+-]?(?!0)\d{1,3}(,\d{3})+(\.\d*)?",
    "decimal comma": r"[+-]?\d{0,40},\d{1,40}",
    "per cent": r"[+-]?\d{1,20}([.,]\d{1,20})?\s{0,9}%",
    "other base": r"[+-]?0[xXbBoO][0-9a-fA-F_]+",
    "date": r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:\d{2})?.*",
    "truth value": r"(?i:true|false)",
}
_NOT_PLAIN = re.compile(r"[^0-9eE.+\-]")
_SWAPPED = str.maketrans(",.", ".,")


class Encoded(NamedTuple):
    """A column of labels.

    Attributes
    ----------
    codes : ndarray of shape (n,), int
        Position of each label among the distinct ones; -1 where it is missing.
    values : list
        The distinct values that occur.
    """

    codes: Ints
    values: list[Any]

    def take(self, rows: Ints) -> Encoded:
        """Take some rows; values that no longer occur are left out."""
        codes, used = occurring(self.codes[rows], len(self.values))
        return Encoded(codes, [self.values[at] for at in used])

    def counts(self) -> dict[Any, int]:
        """Count the rows of each value."""
        return dict(zip(self.values, _counts(self.codes, len(self.values)).tolist(), strict=True))


def occurring(codes: Ints, n: int) -> tuple[Ints, Ints]:
    """Leave out values that do not occur; give the positions of the others."""
    seen = _counts(codes, n) > 0
    if not seen.all():
        codes = np.append(np.cumsum(seen) - 1, -1)[codes]  # -1, a missing one, stays what it is
    return codes, np.flatnonzero(seen)


def encode_labels(column: Any) -> Encoded:
    """Encode a column of labels or of written sets."""
    if hasattr(column, "dictionary_encode"):
        return _encode_arrow(column)
    if isinstance(column, pd.Series) and isinstance(column.dtype, pd.CategoricalDtype):
        categories = column.cat.categories
        codes, used = occurring(column.cat.codes.to_numpy().astype(np.intp), len(categories))
        return Encoded(codes, categories[used].tolist())
    if isinstance(column, pd.Series) and not isinstance(column.dtype, np.dtype):
        found, values = pd.factorize(column)
        return Encoded(found.astype(np.intp, copy=False), values.tolist())
    array = np.asarray(column) if hasattr(column, "dtype") else _objects(column)
    if (two := of_two(array)) is not None:
        return Encoded(two[1], two[0].tolist())
    if array.dtype.kind in "OUS":
        # pandas would make its own kind of text of a Series, which not every text fits.
        kinds = (*_COLLECTIONS, Decimal)
        array = _objects([_hashable(one) if isinstance(one, kinds) else one for one in array])
    found, distinct = pd.factorize(array.astype(array.dtype.newbyteorder("="), copy=False))
    return Encoded(found.astype(np.intp, copy=False), distinct.tolist())


def _objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    cells = np.empty(len(values), dtype=object)
    cells[:] = list(values)
    return cells


def _hashable(members: Any) -> Any:
    """Make a tuple of a collection; a set has no order, so one is given to it."""
    if isinstance(members, Decimal):
        return None if members.is_snan() else members  # it is missing, as any other NaN
    if isinstance(members, set | frozenset):
        return tuple(sorted(members, key=str))
    return tuple(members.tolist() if isinstance(members, np.ndarray) else members)


def _encode_arrow(column: Any) -> Encoded:
    import pyarrow as pa
    import pyarrow.types as types

    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    kind = chunked.type
    if not chunked.null_count and (small := _encode_small(chunked)) is not None:
        return small
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        lists = [None if one is None else tuple(one) for one in chunked.to_pylist()]
        return encode_labels(pd.Series(lists, dtype=object))
    if types.is_binary(kind) or types.is_large_binary(kind):
        chunked = chunked.cast(pa.large_string())  # fails where it is no text
    if types.is_floating(kind) and not types.is_float16(kind):
        compute = import_module("pyarrow.compute")
        chunked = compute.if_else(compute.is_nan(chunked), pa.scalar(None, kind), chunked)
    if not types.is_dictionary(chunked.type):
        chunked = chunked.dictionary_encode()
    whole = chunked.unify_dictionaries().combine_chunks()
    indices, dictionary = whole.indices, whole.dictionary
    del chunked, whole
    if indices.null_count:
        indices = indices.cast("int64").fill_null(-1)
    found = indices.to_numpy(zero_copy_only=False).astype(np.intp, copy=False)
    codes, used = occurring(found, len(dictionary))
    values = dictionary.take(pa.array(used)).to_pylist()  # unused entries may be many, and large
    nothing = [place for place, one in enumerate(values) if one is None]
    return Encoded(np.where(np.isin(codes, nothing), -1, codes) if nothing else codes, values)


def _encode_small(column: Any) -> Encoded | None:
    """Encode truth values and small whole numbers: one byte per row, and nothing is hashed."""
    import pyarrow.types as types

    boolean = types.is_boolean(column.type)
    if not len(column) or not (boolean or types.is_integer(column.type)):
        return None
    values = column.to_numpy()
    low = 0 if boolean else int(values.min())
    if int(values.max()) - low >= 16:
        return None
    codes = (values if low == 0 else values - values.dtype.type(low)).astype(np.uint8)
    labels = range(int(codes.max()) + 1)
    if not all((codes == code).any() for code in labels):
        return None
    return Encoded(codes, [bool(code) if boolean else code + low for code in labels])


def _counts(codes: Ints, n: int) -> Ints:
    """Count codes; -1 is none. Copies of a long column are made only where there is one."""
    there = codes if not len(codes) or codes.min() >= 0 else codes[codes >= 0]
    return np.bincount(there, minlength=n)


def plain_labels(column: Encoded, *, text: bool = False, whole: bool = True) -> Encoded:
    """Make class labels of encoded values."""
    plain = enumerate(map(plain_label, column.values))
    there = {at: one for at, one in plain if one is not None and str(one).strip()}
    labels = list(there.values())
    if text or len({isinstance(one, str) for one in labels}) > 1:
        labels = [label_text(one) for one in labels]
    if whole and not text:
        labels = whole_labels(labels)
    position = {one: at for at, one in enumerate(dict.fromkeys(labels))}
    if len(position) == len(column.values):
        return Encoded(column.codes, labels)
    new = np.full(len(column.values) + 1, -1, dtype=np.intp)
    new[list(there)] = [position[one] for one in labels]
    return Encoded(new[column.codes], list(position))


def check_labels(
    column: Encoded, name: Any, place: Place | None = None, *, most: int | None = CLASSES
) -> Encoded:
    """Refuse labels that are too long, and more of them than there can be classes."""
    if most is not None and len(column.values) > most:
        raise refusal("many labels", name=quoted(name), most=f"{most:,}")
    for at, value in enumerate(column.values):
        if isinstance(value, _TEXT) and len(value) > LABEL:
            where = f"column {quoted(name)}"
            if place is not None:
                where = place(first_row(column.codes == at))
            raise refusal("long label", place=where, value=quoted(value), most=f"{LABEL:,}")
    return column


@dataclass(frozen=True)
class Numbers:
    """A column of numbers.

    Attributes
    ----------
    values : ndarray of shape (n,), float64
        The numbers; nan where there is none.
    odd : ndarray, int
        Rows whose cell is no number, but not missing either.
    cells : dict
        What stands in the first of these rows.
    eps : float
        Rounding error of the numbers as they were given.
    decimal : str
        What stands before decimals in the file; empty where nobody can say so.
    """

    values: Floats
    odd: Ints = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    cells: dict[int, str] = field(default_factory=dict)
    eps: float = float(np.finfo(np.float64).eps)
    decimal: str = ""

    def take(self, rows: Ints) -> Numbers:
        """Take some rows, given in order."""
        kept = np.isin(rows, self.odd)
        cells = {at: self.cells.get(int(rows[at]), "") for at in np.flatnonzero(kept)[:1].tolist()}
        return replace(self, values=self.values[rows], odd=np.flatnonzero(kept), cells=cells)


def read_numbers(column: Any, decimal: str = "") -> Numbers:
    """Read a column of numbers strictly; `decimal` stands before decimals where they are text."""
    if hasattr(column, "dictionary_encode"):
        return _numbers_of_arrow(column, decimal)
    series = column if isinstance(column, pd.Series) else pd.Series(list(column), dtype=object)
    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _numbers_of_values(encode_labels(series))
    kinds = pd.api.types
    if kinds.is_integer_dtype(kind) or kinds.is_float_dtype(kind):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Numbers(values, eps=_eps(kind))
    cells = series.astype(object).tolist()
    if all(type(cell) is str for cell in cells):
        return read_text_numbers(cells)
    return _numbers_of_values(Encoded(np.arange(len(cells)), cells))


def _eps(kind: Any) -> float:
    plain = getattr(kind, "numpy_dtype", kind)
    floating = isinstance(plain, np.dtype) and plain.kind == "f"
    return float(np.finfo(plain if floating else np.float64).eps)


def _numbers_of_arrow(column: Any, decimal: str = "") -> Numbers:
    import pyarrow as pa
    import pyarrow.types as types

    kind = column.type
    if types.is_decimal(kind):
        column, kind = column.cast(pa.float64()), pa.float64()
    if types.is_floating(kind) or types.is_integer(kind):
        values = column.to_numpy(zero_copy_only=False)
        return Numbers(values.astype(np.float64, copy=False), eps=_eps(values.dtype))
    if (types.is_string(kind) or types.is_large_string(kind)) and len(column):
        if decimal == ",":
            return read_text_numbers(column.to_pylist(), decimal=decimal)
        # Arrow reads what is plain and finite; everything else is looked at cell by cell.
        with suppress(pa.ArrowInvalid):
            values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
            if np.isfinite(values).all():
                return Numbers(values)
    return replace(_numbers_of_values(_encode_arrow(column)), decimal=decimal)


def _numbers_of_values(column: Encoded) -> Numbers:
    """Read each distinct value once."""
    values = np.full(len(column.values) + 1, np.nan)
    odd = np.zeros(len(column.values) + 1, dtype=np.bool_)
    for at, one in enumerate(column.values):
        number = _number(one)
        odd[at] = number is None
        values[at] = np.nan if number is None else number
    rows = np.flatnonzero(odd[column.codes])
    cells = {int(row): str(column.values[column.codes[row]]) for row in rows[:KEPT]}
    return Numbers(values[column.codes], rows, cells)


def _number(cell: Any) -> float | None:
    """Read a cell; nan if it is missing, None if it is no number."""
    if isinstance(cell, str):
        return _text_number(cell)
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return np.nan
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal):
        return None
    if isinstance(cell, Decimal) and cell.is_snan():
        return np.nan
    try:
        return float(cell)
    except OverflowError:
        return -np.inf if cell < 0 else np.inf


def _text_number(cell: str) -> float | None:
    text = cell.strip()
    if NUMBER.fullmatch(text):
        return float(text)
    return np.nan if text.lower() in WORDS["no_number"] else None


def read_text_numbers(cells: Sequence[str], start: int = 0, decimal: str = "") -> Numbers:
    """Read numbers from text; `start` is the row of the first cell."""
    written = [cell.translate(_SWAPPED) for cell in cells] if decimal == "," else cells
    if not _NOT_PLAIN.search("".join(written)):
        try:
            return Numbers(np.array(list(map(float, written))), decimal=decimal)
        except ValueError:
            pass
    found = [_text_number(cell) for cell in written]
    odd = [at for at, number in enumerate(found) if number is None]
    values = np.array([np.nan if number is None else number for number in found], dtype=np.float64)
    rows = np.array(odd, dtype=np.intp) + start
    return Numbers(values, rows, {at + start: cells[at] for at in odd[:KEPT]}, decimal=decimal)


def number_hints(cell: str, decimal: str) -> list[Message]:
    """Say how a number has to be written."""
    given = text = cell.strip()[:60]
    if decimal == ",":  # read as if points and commas had changed places
        text = text.translate(_SWAPPED)
    ways = _ODD_NUMBERS.items()
    found = (key for key, way in ways if re.fullmatch(way, text) or re.fullmatch(way, given))
    key = next(found, "word")
    value = better = text.rstrip("%").rstrip().replace(",", ".")
    if key == "per cent":
        better = f"{float(value) / 100:g}"
    elif key == "other base":
        try:
            better = str(int(text, 0))
        except ValueError:
            better = "it in decimal"
    if decimal == ",":
        better, value = better.translate(_SWAPPED), value.translate(_SWAPPED)
        key = {"decimal comma": "decimal point", "thousands": "thousands by points"}.get(key, key)
    more = [hint("say decimal", comma=",")] if (key, decimal) == ("decimal comma", ".") else []
    return [hint(key, better=better, value=value), *more]


def check_numbers(numbers: Numbers, place: Place, *, missing: str | None = None) -> Floats:
    """Refuse cells that are no numbers, and missing ones unless they abstain."""
    if len(numbers.odd):
        row = int(numbers.odd[0])
        cell = numbers.cells[row]
        raise refusal(
            "not a number",
            place=place(row),
            value=quoted(cell),
            cells=counted(len(numbers.odd), "such cell"),
            hints=number_hints(cell, numbers.decimal),
        )
    if missing != "abstain" and len(numbers.values) and np.isnan(numbers.values.min()):
        absent = np.isnan(numbers.values)
        raise refusal(
            "missing number" if missing is None else "missing score",
            place=place(first_row(absent)),
            cells=counted(int(absent.sum()), "such cell"),
        )
    return numbers.values


def check_weights(weight: Floats, place: Place) -> Floats:
    """Refuse weights that are negative, not finite, or beyond fixed point."""
    bad = ~((weight >= 0) & (weight < MOST_WEIGHT))
    small = (weight > 0) & (weight < LEAST_WEIGHT)
    if small.any():
        bad |= small & (np.rint(weight * 2.0**64) != weight * 2.0**64)  # some are exact even so
    if bad.any():
        row = first_row(bad)
        raise refusal("weight", place=place(row), value=f"{weight[row]:g}")
    return weight


def check_costs(costs: dict[str, Floats], place: Callable[[Any], Place]) -> dict[str, Floats]:
    """Check costs per case: of the three kinds, finite and not negative."""
    for key, cost in costs.items():
        if key not in WORDS["costs"]:
            allowed = ", ".join(WORDS["costs"])
            raise refusal("cost names", given=quoted(key), allowed=allowed)
        bad = ~((cost >= 0) & (cost < np.inf))
        if bad.any():
            row = first_row(bad)
            raise refusal("cost", place=place(key)(row), value=f"{cost[row]:g}")
    return costs


def grouped(column: Encoded) -> pd.Categorical[Any]:
    """Give groups by their names, which are sorted; a missing one has the empty name."""
    names = list(map(label_text, column.values))
    if column.codes.min(initial=0) < 0:
        names.append("")
    order = sorted(range(len(names)), key=names.__getitem__)
    ordered = np.array(names, dtype=object)[order]
    new, place = is_new(ordered), np.empty(len(names), dtype=np.intp)  # 1 and "1" are one name
    place[order] = np.cumsum(new) - 1
    distinct = pd.Index(ordered[new], dtype=object)
    return pd.Categorical.from_codes(place[column.codes], distinct, validate=False)


def texts(column: Encoded) -> Labels:
    """Labels of cases as text; a missing one is empty."""
    return np.array([*map(label_text, column.values), ""], dtype=object)[column.codes]
