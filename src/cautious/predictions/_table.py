"""Tables of predictions, whatever holds them: files, pandas, Arrow, and other kinds of frames."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from cautious._files import ARROW, PARQUET, data_files
from cautious._input_limits import ROW_GROUPS
from cautious._messages import JSON_BEGINNINGS, WORDS, refusal
from cautious._typing import Ints
from cautious.errors import InputError, check_installed, listed, located, quoted
from cautious.predictions._cells import (
    KEPT,
    Encoded,
    Numbers,
    encode_labels,
    read_numbers,
    read_text_numbers,
)
from cautious.predictions._columns import check_names
from cautious.predictions._delimited import DelimitedText, NotPlainError, open_text
from cautious.predictions._json_lines import read_json

DECIMAL = b"cautious.decimal"
"""Where batches of text say what stands before decimals, among what they say of themselves."""

_JSON = (".jsonl", ".ndjson", ".json")
_COLUMNS_AT_ONCE = 4
# Text files of so many bytes are held in memory, and so opened once.
_SMALL = 1 << 18
# What Arrow takes for no number; others of the same words, such as nOnE, are read strictly.
_NO_NUMBER = [
    form(word) for word in WORDS["no_number"] for form in (str, str.upper, str.capitalize)
] + ["NaN"]


@dataclass(frozen=True)
class Cells:
    """Columns that were read: those of labels and those of numbers, by name."""

    n: int
    labels: dict[Any, Encoded]
    numbers: dict[Any, Numbers]

    def take(self, rows: Ints) -> Cells:
        """Take some rows, given in order."""
        labels = {name: one.take(rows) for name, one in self.labels.items()}
        return Cells(
            len(rows), labels, {name: one.take(rows) for name, one in self.numbers.items()}
        )


@dataclass(frozen=True)
class Table:
    """A table whose columns are read when they are asked for.

    Attributes
    ----------
    name : str
        What to call it in messages; empty for a frame.
    names : list
        Its columns.
    load : callable
        Takes the names of columns of labels and of numbers, and gives their :class:`Cells`.
    where : callable
        Says where a row is, as its reader would find it.
    title : callable
        What stands before that in messages about a column.
    """

    name: str
    names: list[Any]
    load: Callable[[Sequence[Any], Sequence[Any]], Cells]
    where: Callable[[int], str] = "row {}".format
    title: Callable[[Any], str] = lambda name: "" if name is None else f"column {quoted(name)}, "

    def place(self, column: Any) -> Callable[[int], str]:
        """Return a function that says where a cell of a column is, or a row."""
        return lambda row: self.title(column) + self.where(row)


def open_table(
    file: str | os.PathLike[str], encoding: str | None = None, decimal: str = ""
) -> Table:
    """Find out what a file is and which columns it has."""
    name, begin = os.fspath(file), b""
    source: Path | bytes
    if name == "-":
        shown = "standard input"
        try:
            source = sys.stdin.buffer.read()
        except (AttributeError, OSError, ValueError):  # closed, or not there at all
            raise refusal("no standard input") from None
    else:
        path = source = Path(name)
        shown = name.encode(errors="replace").decode() if isinstance(name, str) else str(name)
        if path.is_fifo():  # a pipe, such as the shell makes of <(command), can be read only once
            source = path.read_bytes()
        elif not path.is_file():
            raise _no_file(path, shown)
        else:
            with path.open("rb") as opened:
                begin = opened.read(6)
                if begin[:4] == b"PAR1" or name.lower().endswith(PARQUET):
                    return _parquet_table(shown, path)
                if begin == b"ARROW1" or name.lower().endswith(ARROW):
                    return _arrow_file(shown, path)
                if path.stat().st_size <= _SMALL:
                    source = begin + opened.read()
    with located(shown):
        if is_json(shown, begin or bytes(source[:6])):  # type: ignore[index]
            frame, where = read_json(source)
            return replace(table_of_frame(frame), name=shown, where=where)
        text = open_text(source, encoding, decimal)
        names = check_names(text.names)
    return Table(shown, names, partial(_text_cells, text), text.where)


def _no_file(path: Path, shown: str) -> Exception:
    """Say what to do with a folder, a pattern or a device."""
    if path.is_dir():
        data_files(path)  # refuses a folder without data
        folder = IsADirectoryError(
            f"{shown} is a folder. Several files are several models here, so join the parts of one "
            "log into one file. `cautious evaluate` and `cautious report` read a folder as one log "
            "with --engine local."
        )
        folder.add_note(  # the command line does not show it
            "In Python summary = cautious.summarise(folder) reads it; to tune take "
            "summary.cost_surface().for_costs(costs) or summary.certify(max_error=...), to compare "
            "summary.cost_surface(model=...).vacc() of each model."
        )
        return folder
    if path.exists():
        return InputError(refusal("device", place=shown).message)
    pattern = (
        " Patterns are read by `cautious evaluate` and `cautious report` with --engine local, "
        "by `cautious apply` and `cautious watch`; here name the files."
    )
    is_pattern = glob.has_magic(os.fspath(path))
    return FileNotFoundError(f"{shown} does not exist.{pattern if is_pattern else ''}")


def is_json(name: str, beginning: bytes) -> bool:
    """Tell JSON by the end of a file's name, or by how it begins."""
    ending = name.lower().removesuffix(".gz").endswith(_JSON)
    begun = beginning.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    return ending or begun.startswith(tuple(JSON_BEGINNINGS))


def _text_cells(text: DelimitedText, labels: Sequence[str], numbers: Sequence[str]) -> Cells:
    """Read columns of text: by Arrow if they are long and plain, or else block by block."""
    if not isinstance(text.source, bytes) or len(text.source) > _SMALL:
        with suppress(ImportError, ValueError):  # whatever it is, said again below
            return _plain_cells(text, labels, numbers)
    codes: dict[str, list[Any]] = {name: [] for name in labels}
    seen: dict[str, dict[str, int]] = {name: {} for name in labels}  # each label is kept once
    parts: dict[str, list[Numbers]] = {name: [] for name in numbers}
    n = 0
    for start, block in text.blocks(list(dict.fromkeys([*labels, *numbers]))):
        for name in labels:
            known = seen[name]
            new = [known.setdefault(cell, len(known)) for cell in block[name]]
            codes[name].append(np.array(new, dtype=np.intp))
        for name in numbers:
            parts[name].append(read_text_numbers(block[name], start, text.decimal))
        n += len(next(iter(block.values())))
    cells = Cells(n, {}, {})
    for name in labels if n else ():
        cells.labels[name] = Encoded(np.concatenate(codes.pop(name)), list(seen[name]))
    for name in numbers if n else ():
        own = parts.pop(name)  # given free before those of the next column are joined
        odd: dict[int, str] = {}
        for part in own:
            odd |= part.cells if len(odd) < KEPT else {}
        values = np.concatenate([part.values for part in own])
        rows = np.concatenate([part.odd for part in own])
        cells.numbers[name] = Numbers(values, rows, odd, decimal=text.decimal)
    return cells


def _plain_cells(text: DelimitedText, labels: Sequence[str], numbers: Sequence[str]) -> Cells:
    """Read columns by Arrow, which knows labels and numbers apart by themselves."""
    import pyarrow as pa

    if set(labels) & set(numbers):
        raise NotPlainError
    label = pa.dictionary(pa.int32(), pa.string())
    kinds = dict.fromkeys(labels, label) | dict.fromkeys(numbers, pa.float64())
    whole = pa.concat_tables(text.plain_tables(kinds, null_values=_NO_NUMBER))
    cells = _read_cells(whole.num_rows, whole.column, labels, numbers)
    for name in numbers:  # nan(x) is a number to Arrow
        if whole.column(name).null_count != np.isnan(cells.numbers[name].values).sum():
            raise NotPlainError
    return cells


def _parquet_table(name: str, path: Path) -> Table:
    """Find the columns of a Parquet file."""
    check_installed(f"reading {name}, unlike CSV,", "parquet", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    with located(name):
        schema, groups = parquet_groups(path)
        names = check_names([str(column) for column in schema.names])
    words = {one.name for one in schema if one.type in (pa.string(), pa.binary())}
    rows = sum(groups)

    def load(labels: Sequence[Any], numbers: Sequence[Any]) -> Cells:
        cells = Cells(rows, {}, {})
        # Dictionaries are kept: a label of many rows is in memory once. Checksums are verified.
        how: dict[str, Any] = {
            "read_dictionary": [*words & set(labels)],
            "page_checksum_verification": True,
        }
        # Some columns at a time: what Arrow holds of them is given free before the next are read.
        for start in range(0, max(len(labels), len(numbers)), _COLUMNS_AT_ONCE):
            some = slice(start, start + _COLUMNS_AT_ONCE)
            wanted = list(dict.fromkeys([*labels[some], *numbers[some]]))
            with reading("Parquet"), pq.ParquetFile(path, pre_buffer=False, **how) as file:
                table = file.read(columns=wanted, use_threads=True)
            if table.num_rows != rows:
                raise refusal("row count", found=f"{table.num_rows:,}", promised=f"{rows:,}")
            found = _read_cells(table.num_rows, table.column, labels[some], numbers[some])
            cells.labels.update(found.labels)
            cells.numbers.update(found.numbers)
        return cells

    return Table(name, names, load)


def parquet_groups(path: Any, filesystem: Any = None) -> tuple[Any, list[int]]:
    """Give the schema of a Parquet file and the rows of each group, if its footer is sound."""
    import pyarrow.parquet as pq

    with reading("Parquet"), pq.ParquetFile(path, filesystem=filesystem) as file:
        schema, metadata = file.schema_arrow, file.metadata
        if (count := metadata.num_row_groups) > ROW_GROUPS:
            raise refusal("many row groups", count=f"{count:,}", most=f"{ROW_GROUPS:,}")
        rows = [metadata.row_group(group).num_rows for group in range(count)]
    if min(rows, default=0) < 0 or sum(rows) != metadata.num_rows:
        # No checksum protects a footer. (Asking it more may abort the process: Arrow does not
        # expect damage there.)
        promised = f"{metadata.num_rows:,}"
        raise refusal("row count", found=f"{sum(rows):,}", promised=promised)
    return schema, rows


def _arrow_file(name: str, path: Path) -> Table:
    check_installed(f"reading {name}, unlike CSV,", "parquet", "pyarrow")
    with located(name):
        with reading("Arrow"), path.open("rb") as opened:
            table = open_arrow(opened).read_all()
            table.validate(full=True)
        return _of_arrow(table, name)


def open_arrow(opened: IO[bytes]) -> Any:
    """Open an Arrow file, or a stream that was saved."""
    from pyarrow import ipc

    is_file = opened.read(6) == b"ARROW1"
    opened.seek(0)
    return ipc.open_file(opened) if is_file else ipc.open_stream(opened)


@contextmanager
def reading(kind: str, place: str = "") -> Iterator[None]:
    """Say what could not be read."""
    try:
        yield
    except (FileNotFoundError, InputError):
        raise
    except Exception as error:  # Arrow raises almost anything on damaged files
        raise refusal("damaged file", place=place, kind=kind, why=_in_short(error)) from error


def _in_short(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def is_frame(source: Any) -> bool:
    """Whether a source is a frame of a kind that is known, or an Arrow table."""
    if isinstance(source, pd.DataFrame):
        return True
    import narwhals as nw

    return isinstance(nw.from_native(source, pass_through=True), nw.DataFrame | nw.LazyFrame)


def table_of_frame(frame: Any) -> Table:
    """Give a frame of any kind as a table."""
    if isinstance(frame, pd.DataFrame):
        names = check_names(list(frame.columns))
        at = {name: place for place, name in enumerate(names)}

        def column(name: Any) -> pd.Series[Any]:
            return frame.iloc[:, at[name]]

        return Table("", names, lambda *asked: _read_cells(len(frame), column, *asked))
    if hasattr(frame, "column_names"):
        check_names(frame.column_names)  # narwhals would complain in its own words
    import narwhals as nw

    known = nw.from_native(frame).lazy().collect()
    try:
        return _of_arrow(known.to_arrow(), "")
    except ModuleNotFoundError:
        columns = {name: pd.Series(known[name].to_list(), dtype=object) for name in known.columns}
        return table_of_frame(pd.DataFrame(columns))


def _of_arrow(table: Any, name: str) -> Table:
    names = check_names([str(column) for column in table.column_names])
    return Table(name, names, lambda *wanted: _read_cells(table.num_rows, table.column, *wanted))


def table_of_batch(
    batch: Any, first: int = 0, where: Callable[[int], str] = "row {}".format
) -> Table:
    """Give an Arrow batch as a table; its first row has a number."""

    def load(labels: Sequence[Any], numbers: Sequence[Any]) -> Cells:
        # Batches of one source may differ, so each is asked.
        for name in (*labels, *numbers):
            if name not in batch.schema.names:
                raise InputError(
                    "there is no column {name} here; the columns are {names}.",
                    name=quoted(name),
                    names=listed(batch.schema.names, 20),
                )
        decimal = (batch.schema.metadata or {}).get(DECIMAL, b"").decode()
        return _read_cells(batch.num_rows, batch.column, labels, numbers, decimal)

    return Table("", batch.schema.names, load, lambda row: where(first + row))


def _read_cells(
    n: int, column: Any, labels: Iterable[Any], numbers: Iterable[Any], mark: str = ""
) -> Cells:
    read = partial(read_numbers, decimal=mark)
    return Cells(
        n,
        {name: _readable(encode_labels, column(name), name) for name in labels},
        {name: _readable(read, column(name), name) for name in numbers},
    )


def _readable(read: Callable[[Any], Any], column: Any, name: Any) -> Any:
    """Read a column; what is of a kind that holds neither labels nor numbers is refused."""
    try:
        return read(column)
    except InputError:
        raise
    except (TypeError, ValueError, NotImplementedError) as error:
        kind = getattr(column, "dtype", getattr(column, "type", type(column).__name__))
        kind = str(kind)[:60]
        raise refusal("column kind", name=quoted(name), kind=kind, why=_in_short(error)) from None
