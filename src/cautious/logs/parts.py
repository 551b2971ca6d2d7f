"""Parts of a prediction log, each read by itself: row groups, text, Arrow files, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from cautious._messages import refusal
from cautious.errors import InputError
from cautious.predictions._delimited import DelimitedText, NotPlainError
from cautious.predictions._table import DECIMAL, reading

# A batch holds about so many cells, and no more rows than so many.
BATCH_ROWS, BATCH_CELLS = 1 << 20, 1 << 21
# Fewer rows than that are not worth a batch of their own: neighbours are put together.
_FEW_ROWS = 1 << 16
# Read so much of a column at a time: memory stays flat even if a row group is as large as its file.
# (pyarrow.dataset would be shorter, but holds a whole row group: 540 MB for 20 M scores, not 47.)
_BUFFER = 1 << 18


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
    """

    name: str
    values: Mapping[str, str | None] = field(default_factory=dict, kw_only=True)
    kinds: Mapping[str, tuple[Any, InputError]] = field(default_factory=dict, kw_only=True)
    anchor: str = field(default="", kw_only=True)
    first_row: int = field(default=0, kw_only=True)

    @property
    def n_rows(self) -> int | None:
        """How many rows it holds, if that is known before reading it."""
        return None

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
        import pyarrow as pa

        if name in self.values:
            return pa.repeat(pa.scalar(self.values[name], pa.string()), batch.num_rows)
        column = batch.column(name)
        return of_kind(column, *self.kinds[name]) if name in self.kinds else column


@dataclass(frozen=True)
class ParquetPart(Part):
    """Some row groups of a Parquet file, one after the other."""

    first_group: int
    rows: tuple[int, ...]
    filesystem: Any = None

    @property
    def n_rows(self) -> int:
        """Its rows."""
        return sum(self.rows)

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
                yield from table.replace_schema_metadata(about).to_batches()
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
            for batch in arrow_batches(file):
                own = batch.select(list(columns))
                own.validate(full=True)
                yield own


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
class TablePart(Part):
    """Rows that are in memory already."""

    table: Any

    @property
    def n_rows(self) -> int:
        """Its rows."""
        return int(self.table.num_rows)

    def _stored(self, columns: Sequence[str], most_rows: int) -> Iterator[Any]:
        """Give the rows."""
        yield self.table


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


def batch_rows(columns: Sequence[str], most_cells: int) -> int:
    """How many rows to read at a time: a power of two, since Arrow has room for so many anyway."""
    return min(BATCH_ROWS, 1 << (max(1, most_cells // len(columns)) - 1).bit_length())
