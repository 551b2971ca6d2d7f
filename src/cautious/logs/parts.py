"""Parts of a prediction log, each read by itself: row groups, text, Arrow files, tables."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any, Protocol

from cautious._messages import refusal
from cautious.errors import InputError
from cautious.predictions._delimited import DelimitedText
from cautious.predictions._table import reading

# A batch holds about so many cells, and no more rows than so many.
BATCH_ROWS, BATCH_CELLS = 1 << 20, 1 << 21
# Fewer rows than that are not worth a batch of their own: neighbours are put together.
_FEW_ROWS = 1 << 16
# Read so much of a column at a time: memory stays flat even if a row group is as large as its file.
# (pyarrow.dataset would be shorter, but holds a whole row group: 540 MB for 20 M scores, not 47.)
_BUFFER = 1 << 18
# So many bytes of text are read at a time.
_TEXT_BLOCK = 1 << 24
_FIRST_LINE = re.compile(rb"[^\r\n]*")


class Part(Protocol):
    """A part of a source."""

    @property
    def name(self) -> str:
        """Which file it is from."""

    @property
    def n_rows(self) -> int | None:
        """How many rows it holds, if that is known before reading it."""

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Read it batch by batch, each with the number of its first row."""

    def where(self, row: int) -> str:
        """Say where a row of the source is."""


class _Numbered:
    """A part whose rows have numbers."""

    def where(self, row: int) -> str:
        """Say where a row is."""
        return f"row {row}"


@dataclass(frozen=True)
class ParquetPart(_Numbered):
    """Some row groups of a Parquet file, one after the other."""

    name: str
    first_row: int
    n_rows: int
    first_group: int
    rows: tuple[int, ...]
    filesystem: Any = None

    def joined(self, other: Part) -> ParquetPart | None:
        """Put the part that follows in the same file to this one; None if `other` is not that."""
        if not isinstance(other, ParquetPart) or (self.name, self.filesystem) != (
            other.name,
            other.filesystem,
        ):
            return None
        if other.first_group != self.first_group + len(self.rows):
            return None
        return replace(self, n_rows=self.n_rows + other.n_rows, rows=self.rows + other.rows)

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Stream the row groups; each must hold the rows that were promised."""
        import pyarrow.parquet as pq

        most = _batch_rows(columns, most_cells)
        start, few, n_few = self.first_row, [], 0
        with reading("Parquet"):
            file = pq.ParquetFile(
                self.name,
                filesystem=self.filesystem,
                pre_buffer=False,
                buffer_size=_BUFFER,
                page_checksum_verification=True,
            )
        with file:
            for group, promised in enumerate(self.rows, self.first_group):
                found = 0
                with reading("Parquet", f"row group {group}"):
                    # One row group at a time: across them a short column would go unnoticed.
                    stream = file.iter_batches(
                        most, row_groups=[group], columns=list(columns), use_threads=False
                    )
                    for batch in stream:
                        found += batch.num_rows
                        few.append(batch)
                        n_few += batch.num_rows
                        del batch  # it would otherwise be there while the next is read
                        if n_few >= min(most, _FEW_ROWS):
                            here, start = start, start + n_few
                            read, few, n_few = [_together(few)], [], 0
                            yield here, read.pop()
                    if found != promised:
                        raise refusal(
                            "row count",
                            place=f"row group {group}",
                            found=f"{found:,}",
                            promised=f"{promised:,}",
                        )
            if few:
                yield start, _together(few)


@dataclass(frozen=True)
class TextPart:
    """A CSV or TSV file, read from beginning to end; every cell is text as it is written."""

    name: str
    text: DelimitedText
    n_rows: None = None

    def where(self, row: int) -> str:
        """Say in which line a row is."""
        return self.text.where(row)

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Stream the file: by Arrow while it is plain, and by the strict reader from there on."""
        import pyarrow as pa

        start = 0
        try:
            for batch in self._plain_batches(columns):
                yield start, batch
                start += batch.num_rows
        except (_NotPlainError, pa.ArrowInvalid):
            for first, block in self.text.blocks(columns):
                rows = {name: pa.array(cells, pa.string()) for name, cells in block.items()}
                batch = pa.table(rows).slice(max(0, start - first))
                if batch.num_rows:
                    yield max(start, first), batch

    def _plain_batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv

        if self.text.encoding != "utf-8-sig":
            raise _NotPlainError
        with self.text.bytes() as opened:
            # Arrow is given bytes rather than the file: a thread of its own that still holds a
            # Python object when Python ends ends the whole process with an abort.
            for number, lines in enumerate(_plain_blocks(opened)):
                yield from csv.read_csv(
                    pa.BufferReader(lines),
                    read_options=csv.ReadOptions(
                        block_size=len(lines),
                        column_names=self.text.names,
                        skip_rows=1 if number == 0 else 0,
                    ),
                    parse_options=csv.ParseOptions(delimiter=self.text.separator),
                    convert_options=csv.ConvertOptions(
                        include_columns=list(columns),
                        column_types=dict.fromkeys(columns, pa.string()),
                    ),
                ).to_batches()


class _NotPlainError(Exception):
    """A file has something that readers of CSV read differently."""


def _plain_blocks(opened: IO[bytes]) -> Iterator[bytes]:
    """Cut a file into blocks of whole lines: without quotation marks, in UTF-8, heading first."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    rest, begun = b"", False
    while data := opened.read(_TEXT_BLOCK):
        # The last line may lack its end; it goes with those before it, so that a short file is read
        # whole, and refused for its form, before its cells are looked at.
        last = len(data) < _TEXT_BLOCK
        try:
            if not data.isascii() or decoder.getstate()[0]:
                decoder.decode(data, final=last)
        except UnicodeDecodeError:
            raise _NotPlainError from None
        end = len(data) if last else data.rfind(b"\n") + 1
        if b'"' in data or not (begun or _begins_with_heading(data)):
            raise _NotPlainError
        if end == 0 and len(rest) + len(data) >= _TEXT_BLOCK:  # returns alone, or endless lines
            raise _NotPlainError
        begun = True
        if end:
            yield rest + data[:end]
            rest = b""
        rest += data[end:]
    if decoder.getstate()[0]:
        raise _NotPlainError
    if rest:
        yield rest


def _begins_with_heading(data: bytes) -> bool:
    """Whether the first line is not blank; it may end with a return alone, and follow a mark."""
    first = _FIRST_LINE.match(data)
    return first is not None and bool(first[0].decode("utf-8-sig", "replace").strip())


@dataclass(frozen=True)
class ArrowPart(_Numbered):
    """An Arrow or Feather file."""

    name: str
    n_rows: None = None

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Stream the file."""
        start = 0
        with reading("Arrow"), open(self.name, "rb") as file:
            for batch in arrow_batches(file):
                batch.validate(full=True)
                yield start, batch.select(list(columns))
                start += batch.num_rows


def arrow_batches(file: IO[bytes]) -> Iterator[Any]:
    """Stream the batches of an Arrow file, or of a stream that was saved."""
    from pyarrow import ipc

    begin = file.read(6)
    file.seek(0)
    if begin != b"ARROW1":
        yield from ipc.open_stream(file)
        return
    with ipc.open_file(file) as reader:
        for at in range(reader.num_record_batches):
            yield reader.get_batch(at)


@dataclass(frozen=True)
class TablePart(_Numbered):
    """Rows that are in memory already."""

    name: str
    first_row: int
    table: Any

    @property
    def n_rows(self) -> int:
        """Its rows."""
        return int(self.table.num_rows)

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Give the rows."""
        yield self.first_row, self.table


@dataclass(frozen=True)
class ChangedPart:
    """A part whose rows are changed while they are read.

    Attributes
    ----------
    part : Part
        What is in the file.
    values : mapping of str to str or None
        What its folders say, by the name of the column: ``month=2026-01`` is a column of one value.
    anchor : str
        A column of the file, which is read where only those of the folders are wanted.
    kinds, wrong : mapping
        Kinds that labels have in all files together, and what is wrong if one cannot be of it.
    """

    part: Part
    values: Mapping[str, str | None] = field(default_factory=dict)
    anchor: str = ""
    kinds: Mapping[str, Any] = field(default_factory=dict)
    wrong: Mapping[str, InputError] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.part.name

    @property
    def n_rows(self) -> int | None:
        """Its rows, if that is known."""
        return self.part.n_rows

    def where(self, row: int) -> str:
        """Say where a row is."""
        return self.part.where(row)

    def batches(
        self, columns: Sequence[str], most_cells: int = BATCH_CELLS
    ) -> Iterator[tuple[int, Any]]:
        """Stream the part; each number is the same number afterwards."""
        own = [name for name in columns if name not in self.values]
        for first, batch in self.part.batches(own or [self.anchor], most_cells):
            changed = [self._column(batch, name) for name in columns]
            yield first, type(batch).from_arrays(changed, names=list(columns))

    def _column(self, batch: Any, name: str) -> Any:
        import pyarrow as pa

        if name in self.values:
            return pa.repeat(pa.scalar(self.values[name], pa.string()), batch.num_rows)
        column = batch.column(name)
        return of_kind(column, self.kinds[name], self.wrong[name]) if name in self.kinds else column


def of_kind(column: Any, kind: Any, wrong: InputError) -> Any:
    """Turn numbers into others of the same value."""
    import pyarrow as pa
    import pyarrow.types as types

    try:
        if types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        return column.cast(kind)
    except pa.ArrowInvalid:
        raise wrong from None


def joined(parts: Iterable[Part]) -> list[Part]:
    """Put neighbours of one file together, so that it is opened once for all of them."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        both = last.joined(part) if isinstance(last, ParquetPart) else None
        found[-1:] = [part] if last is None else [last, part] if both is None else [both]
    return found


def count_batches(parts: Sequence[Part], columns: Sequence[str], most_cells: int) -> int:
    """Estimate how many batches there are to read; only Parquet files are read in several."""
    most = _batch_rows(columns, most_cells)
    return sum(1 + part.n_rows // most if isinstance(part, ParquetPart) else 1 for part in parts)


def _batch_rows(columns: Sequence[str], most_cells: int) -> int:
    """How many rows to read at a time: a power of two, since Arrow has room for so many anyway."""
    return min(BATCH_ROWS, 1 << (max(1, most_cells // len(columns)) - 1).bit_length())


def _together(batches: list[Any]) -> Any:
    import pyarrow as pa

    return batches[0] if len(batches) == 1 else pa.Table.from_batches(batches)
