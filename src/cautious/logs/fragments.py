"""Pieces of a source that can be read by themselves, and errors that say which piece it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary, merge

__all__ = [
    "BatchFragment",
    "CsvFragment",
    "Fragment",
    "ParquetFragment",
    "csv_dialect",
    "reading",
    "said_where",
    "summarise_fragment",
]

BATCH_ROWS = 1 << 20
# Many columns make for shorter batches, so that all are about as large.
_BATCH_CELLS = 1 << 21
# Read so much of a column at a time: memory stays flat even if a row group is as large as its file.
_BUFFER = 1 << 20


class Fragment(Protocol):
    """A piece of a source."""

    @property
    def n_rows(self) -> int | None:
        """How many rows it holds, if that is known before reading it."""

    def batches(self, columns: list[str]) -> Iterator[tuple[str, Any]]:
        """Read it batch by batch, each with words that say where in the source it is from."""


@dataclass(frozen=True)
class ParquetFragment:
    """Some row groups of a Parquet file."""

    path: str
    row_groups: tuple[int, ...]
    rows: tuple[int, ...]
    filesystem: Any = None

    @property
    def n_rows(self) -> int:
        """Rows promised by the file's footer when the source was listed."""
        return sum(self.rows)

    def batches(self, columns: list[str]) -> Iterator[tuple[str, Any]]:
        """Stream the row groups; each must hold the rows that were promised."""
        import pyarrow.parquet as pq

        with reading(self.path):
            # A flat file object: with many small reads buffered, no more than a batch is in memory.
            file = pq.ParquetFile(
                self.path,
                filesystem=self.filesystem,
                pre_buffer=False,
                buffer_size=_BUFFER,
                page_checksum_verification=True,
            )
        rows = max(1, min(BATCH_ROWS, _BATCH_CELLS // len(columns)))
        with file:
            for group, promised in zip(self.row_groups, self.rows, strict=True):
                where = f"{self.path}, row group {group}"
                found = 0
                with reading(where):
                    stream = file.iter_batches(
                        rows, row_groups=[group], columns=columns, use_threads=False
                    )
                while True:
                    with reading(where):
                        batch = next(stream, None)
                    if batch is None:
                        break
                    yield f"{where}, rows from {found:,}", batch
                    found += batch.num_rows
                if found != promised:
                    raise ValueError(
                        f"{where}: {found:,} rows were read where {promised:,} were promised; the "
                        "file has changed or is damaged."
                    )


@dataclass(frozen=True)
class CsvFragment:
    """A CSV file, read from beginning to end."""

    path: str
    schema: Any
    filesystem: Any = None

    @property
    def n_rows(self) -> None:
        """Not known before reading."""
        return None

    def batches(self, columns: list[str]) -> Iterator[tuple[str, Any]]:
        """Stream the file; every block must have the types found at its beginning."""
        from pyarrow import csv

        types = {name: self.schema.field(name).type for name in columns}
        convert = csv.ConvertOptions(include_columns=columns, column_types=types)
        found = 0
        with reading(self.path):
            stream = csv.open_csv(
                _opened(self.path, self.filesystem),
                read_options=csv.ReadOptions(block_size=1 << 24),
                parse_options=csv_dialect(self.path),
                convert_options=convert,
            )
        while True:
            with reading(f"{self.path}, after row {found:,}"):
                batch = next(stream, None)
            if batch is None:
                return
            yield f"{self.path}, rows from {found:,}", batch
            found += batch.num_rows


@dataclass(frozen=True)
class BatchFragment:
    """A batch that is in memory already."""

    where: str
    batch: Any

    @property
    def n_rows(self) -> int:
        """Its rows."""
        return int(self.batch.num_rows)

    def batches(self, columns: list[str]) -> Iterator[tuple[str, Any]]:
        """Give the batch."""
        missing = [name for name in columns if name not in self.batch.schema.names]
        if missing:
            raise ValueError(
                f"{self.where}: there is no column {missing[0]!r}; the columns are "
                f"{self.batch.schema.names}."
            )
        yield self.where, self.batch.select(columns)


def summarise_fragment(fragment: Fragment, plan: Plan) -> LogSummary:
    """Read a fragment and summarise it, one batch in memory at a time.

    Parameters
    ----------
    fragment : Fragment
        A piece of a source.
    plan : Plan
        What to count.

    Returns
    -------
    LogSummary

    Raises
    ------
    ValueError, TypeError, OSError
        If it cannot be read or counted as a whole; the message says where.
    """
    total = LogSummary.of_nothing(plan)
    for where, batch in fragment.batches(plan.columns.names()):
        found = total.scores.exponent
        hinted = plan if found is None else plan.knowing(found)
        try:
            summary = summarise_batch(batch, hinted)
        except (ValueError, TypeError) as error:
            raise said_where(error, where) from error
        total = merge(total, summary)
    return total


def csv_dialect(path: str) -> Any:
    """How the cells of a line are parted, by the name of the file."""
    from pyarrow import csv

    tabs = path.lower().endswith((".tsv", ".tsv.gz"))
    return csv.ParseOptions(delimiter="\t" if tabs else ",")


def said_where(error: ValueError | TypeError, where: str) -> ValueError | TypeError:
    """Repeat an error with the place it happened at; their kin may want other arguments."""
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return kind(f"{where}: {error}")


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Say where a read failed."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{where}: the file is gone ({error}); nothing was summarised."
        ) from error
    # Arrow's errors are among these; sizes that are damaged ask for more memory than there is.
    except (OSError, ValueError, TypeError, LookupError, NotImplementedError, MemoryError) as error:
        raise ValueError(f"{where}: cannot be read ({error}); nothing was summarised.") from error


def _opened(path: str, filesystem: Any) -> Any:
    return path if filesystem is None else filesystem.open_input_stream(path)
