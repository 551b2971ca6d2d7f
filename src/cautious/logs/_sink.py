"""What is written: tables, batch by batch, in a file that appears when it is whole."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from cautious._files import ARROW, CSV, PARQUET, whole_file
from cautious.errors import InputError, quoted

__all__ = ["file_kind", "open_sink"]

_PIECE = 1 << 20


def file_kind(path: str | os.PathLike[str]) -> str:
    """Tell by its name what kind of file to write."""
    name = os.fspath(path)
    if name == "-":
        return ".csv"
    if "://" in name:
        raise InputError(
            "{=path} is {path}, an address; name a file that this machine can write.",
            path=quoted(name),
        )
    lowered = name.lower()
    for ending in (*CSV, *PARQUET, *ARROW):
        if lowered.endswith(ending):
            return ".parquet" if ending in PARQUET else ".arrow" if ending in ARROW else ending
    if Path(name).exists() and not Path(name).is_file():
        return ".csv"  # a device or a pipe, such as /dev/stdout
    raise InputError(
        "{=path} is {path}; its name must end in {endings}, which says how to write it.",
        path=quoted(name),
        endings=", ".join((*CSV, *PARQUET[:1], *ARROW[:1])),
    )


@contextmanager
def open_sink(
    path: str | os.PathLike[str], kind: str, schema: Any, dialect: tuple[str, bool] = (",", False)
) -> Iterator[Callable[[Any], None]]:
    """Open a file for tables; it appears when all of them are in it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _whole(path) as file, ExitStack() as stack:
        if kind == ".parquet":
            yield stack.enter_context(pq.ParquetWriter(file, schema)).write_table
        elif kind == ".arrow":
            yield stack.enter_context(pa.ipc.new_file(file, schema)).write_table
        else:
            if kind.endswith(".gz"):
                # No time and no name inside: the same answers are the same file.
                packed: Any = stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
                file = packed
            separator, marked = dialect
            separator = "\t" if ".tsv" in kind else "," if separator == "\t" else separator
            if marked:
                file.write(codecs.BOM_UTF8)
            yield _TextSink(file, separator, schema).write


@contextmanager
def _whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that appears when it is whole; standard output, too, gets all or nothing."""
    if os.fspath(path) != "-":
        with whole_file(path) as file:
            yield file
        return
    with tempfile.TemporaryFile() as kept:
        yield kept
        kept.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(kept, sys.stdout.buffer, _PIECE)
        sys.stdout.buffer.flush()


class _TextSink:
    """Writes tables as CSV: cells as they are, quoted only where they have to be."""

    def __init__(self, file: IO[bytes], separator: str, schema: Any) -> None:
        self.file, self.separator = file, separator
        self._rows([schema.names])
        for one in schema:
            if one.type.num_fields:
                raise InputError(
                    "column {name} holds {kind}, which CSV cannot hold; write a Parquet file.",
                    name=quoted(one.name),
                    kind=quoted(one.type),
                )

    def write(self, table: Any) -> None:
        """Write the rows of a table: by Arrow, unless a cell has to be quoted."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        options = arrow_csv.WriteOptions(
            include_header=False, delimiter=self.separator, quoting_style="none"
        )
        kept = io.BytesIO()
        try:
            arrow_csv.write_csv(table, kept, options)
        except pa.ArrowInvalid:
            columns = [_as_text(column) for column in table.columns]
            self._rows(zip(*columns, strict=True))
        else:
            self.file.write(kept.getbuffer())

    def _rows(self, rows: Any) -> None:
        text = io.StringIO()
        csv.writer(text, delimiter=self.separator, lineterminator="\n").writerows(rows)
        self.file.write(text.getvalue().encode())


def _as_text(column: Any) -> list[str]:
    """Write a column as Arrow writes it; what is missing is blank."""
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not types.is_string(column.type):
        column = column.cast(pa.string())
    return [cell or "" for cell in column.to_pylist()]
