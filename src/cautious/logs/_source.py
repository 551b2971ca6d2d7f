"""What there is to read, found out before a row is read; and its parts, each read by itself."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import unquote  # reads text, and opens nothing

import numpy as np
import pandas as pd

from cautious._files import ARROW, CSV, PARQUET, data_files
from cautious._labels import label_text, plain_label
from cautious._messages import refusal
from cautious.errors import InputError, Message, check_installed, listed, quoted, shown
from cautious.predictions._columns import check_names
from cautious.predictions._delimited import DelimitedText, NotPlainError, open_text
from cautious.predictions._json_lines import read_json
from cautious.predictions._table import (
    DECIMAL,
    is_frame,
    is_json,
    open_arrow,
    parquet_groups,
    reading,
)

# A batch holds about so many cells, and no more rows than so many.
BATCH_ROWS, BATCH_CELLS = 1 << 20, 1 << 21
# Fewer rows than that are not worth a batch of their own: neighbours are put together.
_FEW_ROWS = 1 << 16
# Read so much of a column at a time: memory stays flat even if a row group is as large as its file.
# (pyarrow.dataset would be shorter, but holds a whole row group: 540 MB for 20 M scores, not 47.)
_BUFFER = 1 << 18
# Row groups are gathered into parts of about so many rows: enough to be worth a task.
_PART_ROWS = 1 << 19
# What Hive and Spark call the folder of rows without a value.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Part:
    """A part of a source, which is read by itself, on whichever machine.

    Attributes
    ----------
    name : str
        Which file it is from.
    values : mapping of str to str or None
        What its folders say, by the name of the column: ``month=2026-01`` is a column of one value.
    kinds : mapping of str to pair
        Kinds that labels have in all files together, and what is wrong if one cannot be of it.
    anchor : str
        A column of the file, which is read where only those of the folders are wanted.
    first_row : int
        Number of its first row.
    n_rows : int or None
        How many rows it holds, if that is known before reading it.
    """

    name: str
    values: Mapping[str, str | None] = field(default_factory=dict, kw_only=True)
    kinds: Mapping[str, tuple[Any, InputError]] = field(default_factory=dict, kw_only=True)
    anchor: str = field(default="", kw_only=True)
    first_row: int = field(default=0, kw_only=True)
    n_rows: int | None = field(default=None, kw_only=True)

    def where(self, row: int) -> str:
        """Say where a row of the source is."""
        return f"row {row}"

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Read it batch by batch, each with the number of its first row."""
        own = [name for name in columns if name not in self.values]
        is_plain, first = len(own) == len(columns) and not self.kinds, self.first_row
        for batch in self._stored(own or [self.anchor], batch_rows(own or [""], most_cells)):
            n_rows = batch.num_rows
            if is_plain:
                yield first, batch
            else:
                changed = [self._column(batch, name) for name in columns]
                about = batch.schema.metadata
                yield first, type(batch).from_arrays(changed, list(columns), metadata=about)
            first += n_rows
            del batch  # it would otherwise be there while the next is read

    def _stored(self, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Read columns that are stored."""
        raise NotImplementedError

    def _column(self, batch: Any, name: str) -> Any:
        """Give a column; numbers become others of the same value."""
        import pyarrow as pa

        if name in self.values:
            return pa.repeat(pa.scalar(self.values[name], pa.string()), batch.num_rows)
        column = batch.column(name)
        if name not in self.kinds:
            return column
        kind, wrong = self.kinds[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            raise _OddFile(wrong.message) from None


@dataclass(frozen=True)
class ParquetPart(Part):
    """Some row groups of a Parquet file, one after the other."""

    first_group: int
    rows: tuple[int, ...]
    filesystem: Any = None

    def _stored(self, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Stream the row groups; neighbours that are small are put together."""
        import pyarrow.parquet as pq

        with reading("Parquet"):
            file = pq.ParquetFile(
                self.name,
                filesystem=self.filesystem,
                pre_buffer=False,
                buffer_size=_BUFFER,
                page_checksum_verification=True,
            )
        with file:
            yield from gathered(self._groups(file, columns, most_rows), min(most_rows, _FEW_ROWS))

    def _groups(self, file: Any, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Stream one row group after the other: a short column would go unnoticed across them."""
        for group, promised in enumerate(self.rows, self.first_group):
            found, place = 0, f"row group {group}"
            with reading("Parquet", place):
                for batch in file.iter_batches(
                    most_rows, row_groups=[group], columns=list(columns), use_threads=False
                ):
                    found += batch.num_rows
                    yield batch
                    del batch  # it would otherwise be there while the next is read
            if found != promised:
                promise = f"{promised:,}"
                raise refusal("row count", place=place, found=f"{found:,}", promised=promise)


def gathered(batches: Iterable[Any], least_rows: int) -> Iterator[Any]:
    """Put batches together until there are so many rows."""
    import pyarrow as pa

    few: list[Any] = []
    n_rows = 0
    for batch in batches:
        few.append(batch)
        n_rows += batch.num_rows
        del batch
        if n_rows >= least_rows:
            yield few.pop() if len(few) == 1 else pa.Table.from_batches(few)
            few, n_rows = [], 0
    if few:
        yield pa.Table.from_batches(few)


@dataclass(frozen=True)
class TextPart(Part):
    """A CSV or TSV file, read from beginning to end; every cell is text as it is written."""

    text: DelimitedText

    def where(self, row: int) -> str:
        """Say in which line a row is."""
        return self.text.where(row)

    def _stored(self, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Stream the file: by Arrow while it is plain, and by the strict reader from there on."""
        import pyarrow as pa

        done, kinds = 0, dict.fromkeys(columns, pa.string())
        about = {DECIMAL: self.text.decimal.encode()}
        try:
            for table in self.text.plain_tables(kinds):
                yield from table.replace_schema_metadata(about).combine_chunks().to_batches()
                done += table.num_rows
        except NotPlainError:
            for first, block in self.text.blocks(columns):
                rows = {name: pa.array(cells, pa.string()) for name, cells in block.items()}
                batch = pa.table(rows, metadata=about).slice(max(0, done - first))
                if batch.num_rows:
                    yield batch


@dataclass(frozen=True)
class ArrowPart(Part):
    """An Arrow or Feather file."""

    def _stored(self, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Stream the file."""
        with reading("Arrow"), open(self.name, "rb") as file:
            reader = open_arrow(file)
            if hasattr(reader, "get_batch"):
                reader = map(reader.get_batch, range(reader.num_record_batches))
            for batch in reader:
                own = batch.select(list(columns))
                own.validate(full=True)
                yield own


@dataclass(frozen=True)
class TablePart(Part):
    """Rows that are in memory already."""

    table: Any

    def _stored(self, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Give the rows."""
        yield self.table


class _OddFile(InputError):
    """An error that names the odd file itself, whichever file it was met in."""

    def at(self, *places: str) -> InputError:
        return self


def batch_rows(columns: Sequence[str], most_cells: int) -> int:
    """How many rows to read at a time: a power of two, since Arrow has room for so many anyway."""
    return min(BATCH_ROWS, 1 << (max(1, most_cells // len(columns)) - 1).bit_length())


@dataclass(frozen=True)
class Source:
    """A prediction log that can be read in parts.

    Attributes
    ----------
    schema : pyarrow.Schema
        Columns that all parts have.
    parts : iterable of Part
        The parts; only once, if they come from an iterator.
    n_rows : int or None
        Number of rows, if that is known beforehand.
    again : bool
        Whether the parts can be read more than once.
    name : str
        Which files these are; empty if there are none.
    left_out : tuple of pairs of str
        Files, and columns of theirs that the first file does not have.
    clashes : dict of str to InputError
        What is wrong with columns that are of one kind in one file and of another in the next.
    folders : tuple of str
        Columns that are folders' names, such as ``month=2026-01``: they are there for whoever names
        them, and never guessed.
    mixed : dict of str to InputError
        Columns that are whole numbers or truth values in one file and other numbers in the next,
        with what is wrong where a number is too large to be both.
    """

    schema: Any
    parts: Iterable[Part]
    n_rows: int | None
    again: bool = True
    name: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    clashes: Mapping[str, InputError] = field(default_factory=dict)
    mixed: Mapping[str, InputError] = field(default_factory=dict)
    folders: tuple[str, ...] = ()

    def schema_with(self, *named: Any) -> Any:
        """Give the columns of the files, and those of the folders' names that somebody named."""
        import pyarrow as pa

        hidden = set(self.folders) - {name for name in named if isinstance(name, str)}
        return pa.schema([one for one in self.schema if one.name not in hidden])

    def check(self, columns: Iterable[Any]) -> None:
        """Refuse columns that are not of one kind in all files; others do not matter."""
        for name in columns:
            if name in self.clashes:
                raise self.clashes[name]

    def alike(self, *columns: Any) -> Iterable[Part]:
        """Give the parts with labels of one kind in some columns, as those of one file are."""
        kinds = {
            name: (self.schema.field(name).type, wrong)
            for name, wrong in self.mixed.items()
            if name in columns
        }
        return [replace(part, kinds=kinds) for part in self.parts] if kinds else self.parts

    def dialect(self) -> tuple[str, bool]:
        """Tell what separates cells, and whether the mark of UTF-8 comes first."""
        parts = self.parts if self.again else ()
        texts = [part.text for part in parts if isinstance(part, TextPart)]
        found = {(text.separator, text.is_marked()) for text in texts}
        return found.pop() if len(found) == 1 and len(texts) == len(list(parts)) else (",", False)


def open_source(source: Any, encoding: str | None = None, decimal: str = ".") -> Source:
    """Find out what there is to read."""
    check_installed("reading prediction logs", "parquet", "pyarrow")
    import pyarrow as pa

    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, list | tuple) and source and isinstance(source[0], str | os.PathLike):
        files: list[tuple[str, Any]] = []
        said: dict[str, dict[str, str | None]] = {}
        for path in map(str, source):
            root, filesystem, names = (
                _stored_elsewhere(path) if "://" in path else (path, None, data_files(path))
            )
            files += [(name, filesystem) for name in names]
            for name in names:
                between = {} if name == root else _folder_names(name, root)
                said[name] = said.get(name, {}) | between
        found = _of_files(files, files_title(source), encoding, decimal)
        return _with_folders(found, said) if any(said.values()) else found
    if isinstance(source, pa.RecordBatchReader):
        return Source(source.schema, _numbered(source), None, again=False)
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    elif not isinstance(source, pa.Table) and is_frame(source):
        source = _arrow_of(source)
    if isinstance(source, pa.Table):
        starts = range(0, source.num_rows, BATCH_ROWS)
        parts = [_rows_from(start, "", source.slice(start, BATCH_ROWS)) for start in starts]
        return Source(source.schema, parts, source.num_rows)
    if hasattr(source, "__iter__"):
        batches = iter(source)
        first = next(batches, None)
        if first is None:
            raise ValueError("source yields no batch; give at least one, even without rows.")
        if not isinstance(first, pa.Table | pa.RecordBatch):
            raise TypeError(
                f"source yields {type(first).__name__}; give Arrow tables or record batches."
            )
        return Source(first.schema, _numbered(chain([first], batches)), None, again=False)
    raise TypeError(
        f"source is {type(source).__name__}; give the path of Parquet or CSV files, a frame, an "
        "Arrow table, or an iterable of record batches."
    )


def files_title(paths: Sequence[Any]) -> str:
    """Say which files a log is, as notes and errors of every engine call it."""
    return os.fspath(paths[0]) if len(paths) == 1 else f"{len(paths)} files"


def _rows_from(first_row: int, name: str, table: Any) -> Part:
    return TablePart(name, table, first_row=first_row, n_rows=table.num_rows)


def _numbered(batches: Iterable[Any]) -> Iterator[Part]:
    start = 0
    for at, batch in enumerate(batches):
        yield _rows_from(start, f"batch {at}", batch)
        start += batch.num_rows


def _arrow_of(frame: Any) -> Any:
    """Make an Arrow table; what Arrow cannot hold becomes text, or lists of labels."""
    import pyarrow as pa

    if not isinstance(frame, pd.DataFrame):
        import narwhals as nw

        return nw.from_native(frame).lazy().collect().to_arrow()
    columns = []
    for at in range(frame.shape[1]):
        values = frame.iloc[:, at]
        if isinstance(values.dtype, np.dtype) and not values.dtype.isnative:
            values = values.astype(values.dtype.newbyteorder("="))
        try:
            columns.append(pa.array(values, from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError):
            columns.append(pa.array(map(_arrow_cell, values), pa.string()))
    return pa.Table.from_arrays(columns, [str(name) for name in frame.columns])


def _arrow_cell(value: Any) -> str | None:
    """Write a label, or several, so that they are read as what they are."""
    if isinstance(value, set | frozenset | tuple | list | np.ndarray):
        return json.dumps(list(map(label_text, value)))
    return None if plain_label(value) is None else str(value)


def _stored_elsewhere(address: str) -> tuple[str, Any, list[str]]:
    """Give the path and the files that an address stands for, and their filesystem."""
    from pyarrow import fs

    filesystem, inner = fs.FileSystem.from_uri(address)
    if isinstance(filesystem, fs.LocalFileSystem):
        return inner, None, data_files(inner)
    info = filesystem.get_file_info(inner)
    names = [inner] if info.type == fs.FileType.File else []
    if info.type == fs.FileType.Directory:
        found = filesystem.get_file_info(fs.FileSelector(inner, recursive=True))
        names = sorted(file.path for file in found if file.type == fs.FileType.File)
    names = [name for name in names if name.lower().endswith(PARQUET + CSV)]
    if not names:
        raise FileNotFoundError(f"there is no Parquet or CSV file at {shown(address)}.")
    return inner, filesystem, names


@dataclass(frozen=True)
class _Remote:
    """A file that is opened by one of Arrow's filesystems."""

    name: str
    filesystem: Any

    def open(self, mode: str = "rb") -> Any:
        """Open it for reading."""
        return self.filesystem.open_input_file(self.name)


def _of_files(files: Sequence[tuple[str, Any]], title: str, *written: Any) -> Source:
    """Read the beginnings of all files before any row: what does not fit is said at once."""
    import pyarrow as pa

    opened: list[tuple[str, list[Part], Any]] = []
    wrong: list[tuple[str, InputError]] = []
    for path, filesystem in files:
        try:
            opened.append((path, *_of_file(path, filesystem, *written)))
            check_names(opened[-1][-1].names)
        except InputError as error:
            wrong.append((path, error))
    if wrong:
        raise _first_of(wrong, len(files))
    first, _, schema = opened[0]
    fields = {column.name: column for column in schema}
    more: list[tuple[str, str]] = []
    clashes: dict[str, InputError] = {}
    mixed: dict[str, InputError] = {}
    for path, _, other_schema in opened[1:]:
        own = {column.name: column for column in other_schema}
        more += [(path, name) for name in own if name not in fields]
        for name, column in fields.items():
            if name not in own:
                raise refusal("column gone", place=path, name=quoted(name), first=first)
            other = own[name]
            if column == other:
                continue
            clash = refusal(
                "other columns",
                place=path,
                name=quoted(name),
                found=_in_words(other.type),
                first=first,
                kind=_in_words(column.type),
            )
            if (both := _wider(column.type, other.type)) is None:
                clashes.setdefault(name, clash)
                continue
            if len({sort_of(kind) for kind in (column.type, other.type)} - {""}) > 1:
                mixed.setdefault(name, clash)
            nullable = column.nullable or other.nullable
            fields[name] = column.with_type(both).with_nullable(nullable)
    whole = pa.schema(list(fields.values()), metadata=schema.metadata)
    every = [part for _, parts, _ in opened for part in parts]
    rows = [part.n_rows for part in every]
    known = None if None in rows else sum(n or 0 for n in rows)
    return Source(
        whole, every, known, name=title, left_out=tuple(more), clashes=clashes, mixed=mixed
    )


def _folder_names(file: str, given: str) -> dict[str, str | None]:
    """Read what folders between the given one and a file are called, as Hive and Spark write it."""
    above = PurePath(given).parts
    if not os.path.exists(given):
        above = tuple(takewhile(lambda name: not glob.has_magic(name), above))
    found: dict[str, str | None] = {}
    for folder in PurePath(file).parts[len(above) : -1]:
        name, _, value = (unquote(text) for text in folder.partition("="))
        if name and value:
            found[name] = None if value == _NO_VALUE else value
    return found


def _with_folders(source: Source, said: Mapping[str, dict[str, str | None]]) -> Source:
    """Let what folders say be columns of text; a column of the files goes first."""
    import pyarrow as pa

    names = dict.fromkeys(name for values in said.values() for name in values)
    added = tuple(name for name in names if name not in source.schema.names)
    if not added:
        return source
    schema = source.schema
    for name in added:
        schema = schema.append(pa.field(name, pa.string()))
    check_names(schema.names)
    parts = []
    for part in source.parts:
        values = {name: said[part.name].get(name) for name in added}
        parts.append(replace(part, values=values, anchor=source.schema.names[0]))
    return replace(source, schema=schema, parts=parts, folders=added)


def _wider(one: Any, other: Any) -> Any:
    """Find the kind of column that holds what either kind holds, and loses nothing; or None."""
    import pyarrow as pa
    import pyarrow.types as types

    if one == other:
        return one
    one, other = (k.value_type if types.is_dictionary(k) else k for k in (one, other))
    if one == other or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    sorts = {sort_of(one), sort_of(other)}
    if sorts == {"text"}:
        return pa.large_string() if pa.large_string() in (one, other) else pa.string()
    if not sorts <= {"truth", "whole", "fraction"}:
        return None
    both = pa.from_numpy_dtype(np.promote_types(*(k.to_pandas_dtype() for k in (one, other))))
    if types.is_floating(both) and "fraction" not in sorts:
        return None  # no whole number holds all of int64 and uint64
    return both


def sort_of(kind: Any) -> str:
    """Tell what a kind of column holds; empty for what is none of these."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return sort_of(kind.value_type)
    tests = {
        "text": (types.is_string, types.is_large_string, types.is_string_view),
        "truth": (types.is_boolean,),
        "whole": (types.is_integer,),
        "fraction": (types.is_floating,),
        "decimal": (types.is_decimal,),
        "time": (types.is_temporal,),
    }
    return next((sort for sort, every in tests.items() if any(test(kind) for test in every)), "")


def _in_words(kind: Any) -> str:
    """Call a kind of column what people call it, and what Arrow does."""
    numbers = dict.fromkeys(("whole", "fraction", "decimal"), "numbers")
    word = {"text": "text", "time": "times", **numbers}.get(sort_of(kind))
    return f"{word} ({kind})" if word else str(kind)


def _first_of(wrong: Sequence[tuple[str, InputError]], n_files: int) -> InputError:
    """Say what is wrong with the first of some files, and which others cannot be read either."""
    path, error = wrong[0]
    message = error.message
    if len(wrong) > 1:
        others = [os.path.relpath(name, os.path.dirname(path)) for name, _ in wrong[1:]]
        message = message.with_hints(
            Message(
                "{count} of the {n} files cannot be read; the others are {names}.",
                {"count": f"{len(wrong):,}", "n": f"{n_files:,}", "names": listed(others, 5)},
            )
        )
    return InputError(message.at(path))


def _of_file(path: str, filesystem: Any, *written: Any) -> tuple[list[Part], Any]:
    """Parts and schema of one file."""
    import pyarrow as pa

    opened = Path(path) if filesystem is None else _Remote(path, filesystem)
    with reading("Parquet"), opened.open("rb") as file:
        begin = file.read(6)
    if begin[:4] != b"PAR1" and not path.lower().endswith(PARQUET):
        if begin == b"ARROW1" or path.lower().endswith(ARROW):
            with reading("Arrow"), open(path, "rb") as file:
                return [ArrowPart(path)], open_arrow(file).schema
        if is_json(path, begin):
            with opened.open("rb") as file:
                table = _arrow_of(read_json(file.read())[0])
            return [_rows_from(0, path, table)], table.schema
        text = open_text(opened, *written)  # type: ignore[arg-type]  # what is read elsewhere opens alike
        return [TextPart(path, text)], pa.schema([(name, pa.string()) for name in text.names])
    schema, rows = parquet_groups(path, filesystem)
    parts: list[Part] = []
    first_row = first_group = n_rows = 0
    for group, own in enumerate(rows, 1):
        n_rows += own
        if n_rows >= _PART_ROWS or group == len(rows):
            about: dict[str, Any] = {"first_row": first_row, "n_rows": n_rows}
            own_rows = tuple(rows[first_group:group])
            parts.append(ParquetPart(path, first_group, own_rows, filesystem, **about))
            first_row, first_group, n_rows = first_row + n_rows, group, 0
    return parts, schema
