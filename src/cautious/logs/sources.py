"""What there is to read: files listed, their schemas compared, cut into fragments."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from cautious.logs.columns import Columns
from cautious.logs.fragments import (
    BATCH_ROWS,
    BatchFragment,
    CsvFragment,
    Fragment,
    ParquetFragment,
    csv_dialect,
    reading,
)

__all__ = ["Source", "open_source"]

_PARQUET = (".parquet", ".parq", ".pq")
_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
# Row groups are gathered into fragments of about so many rows: enough to be worth a task.
_FRAGMENT_ROWS = 1 << 19


@dataclass(frozen=True)
class Source:
    """A prediction log that can be read in pieces.

    Attributes
    ----------
    schema : pyarrow.Schema
        Columns that all pieces have.
    fragments : iterable of Fragment
        The pieces; only once, if they come from an iterator.
    n_rows : int or None
        Number of rows, if that is known beforehand.
    again : bool
        Whether the pieces can be read more than once.
    name : str
        Which files these are; empty if there are none.
    """

    schema: Any
    fragments: Iterable[Fragment]
    n_rows: int | None
    again: bool = True
    name: str = ""

    def settled_for(self, columns: Columns) -> Source:
        """Settle how the columns in use are read where files do not say it, as CSV does not.

        What must be numbers is read as such, and written sets as text, whatever the first rows
        look like; other columns must look the same in all files.
        """
        import pyarrow as pa

        if not self.again or not any(isinstance(part, CsvFragment) for part in self.fragments):
            return self
        numbers = (columns.score, columns.weight, *columns.proba.values())
        settled = {name: pa.float64() for name in numbers if name is not None}
        if columns.sets is not None:
            settled[columns.sets] = pa.string()
        fragments = []
        for part in self.fragments:
            if isinstance(part, CsvFragment):
                types = {name: part.schema.field(name).type for name in columns.names()} | settled
                rest = [name for name in types if name not in settled]
                first = {name: self.schema.field(name).type for name in rest}
                _compare_types(self.name, first, part.path, types)
                part = replace(part, schema=pa.schema(types))
            fragments.append(part)
        return replace(self, fragments=fragments)


def open_source(source: Any) -> Source:
    """Find out what there is to read.

    Parameters
    ----------
    source : path, DataFrame, Arrow table, batch or reader, or iterable of them
        See :func:`cautious.logs.summarise`.

    Returns
    -------
    Source
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ImportError(
            "prediction logs are read with pyarrow, which is not installed; "
            "pip install 'cautious[parquet]'."
        ) from error

    if isinstance(source, str | os.PathLike):
        return _of_files(_listed(os.fspath(source)))
    if isinstance(source, pd.DataFrame):
        return _of_frame(source)
    if isinstance(source, pa.Table | pa.RecordBatch):
        return _of_table(source, "the table")
    if isinstance(source, pa.RecordBatchReader):
        return Source(source.schema, _numbered(source), None, again=False)
    if isinstance(source, list | tuple) and source and isinstance(source[0], str | os.PathLike):
        return _of_files(list(chain.from_iterable(_listed(os.fspath(part)) for part in source)))
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
        f"source is {type(source).__name__}; give the path of Parquet or CSV files, a DataFrame, "
        "an Arrow table, or an iterable of record batches."
    )


def _listed(path: str) -> list[tuple[str, Any]]:
    """Files of a path, a folder or a pattern, in order, with their filesystem if not the local."""
    if "://" in path:
        return _listed_remotely(path)
    if glob.has_magic(path) and not os.path.exists(path):
        found = sorted(glob.glob(path, recursive=True))
    elif os.path.isdir(path):
        found = sorted(str(file) for file in Path(path).rglob("*") if _is_data(file, path))
    elif os.path.exists(path):
        return [(path, None)]
    else:
        raise FileNotFoundError(f"there is no file {path!r}.")
    files = [(name, None) for name in found if name.lower().endswith(_PARQUET + _CSV)]
    if not files:
        raise FileNotFoundError(
            f"{path!r} holds no file whose name ends in {', '.join(_PARQUET + _CSV)}."
        )
    return files


def _listed_remotely(path: str) -> list[tuple[str, Any]]:
    """Files behind an address such as ``s3://…``, through Arrow's filesystems."""
    from pyarrow import fs

    filesystem, inner = fs.FileSystem.from_uri(path)
    info = filesystem.get_file_info(inner)
    if info.type == fs.FileType.Directory:
        found = filesystem.get_file_info(fs.FileSelector(inner, recursive=True))
        names = sorted(file.path for file in found if file.type == fs.FileType.File)
    else:
        names = [inner] if info.type == fs.FileType.File else []
    files = [(name, filesystem) for name in names if name.lower().endswith(_PARQUET + _CSV)]
    if not files:
        raise FileNotFoundError(f"there is no Parquet or CSV file at {path!r}.")
    return files


def _is_data(file: Path, root: str) -> bool:
    """Leave out what writers hide, such as ``_SUCCESS`` and ``.part.crc``."""
    parts = file.relative_to(root).parts
    return file.is_file() and not any(part.startswith((".", "_")) for part in parts)


def _of_files(files: list[tuple[str, Any]]) -> Source:
    """Read the beginnings of all files before any row: what does not fit is said at once."""
    fragments: list[Fragment] = []
    first, schema = "", None
    for path, filesystem in files:
        found, own = _of_file(path, filesystem)
        if schema is None:
            first, schema = path, own
        else:
            _compare(first, schema, path, own)
        fragments.extend(found)
    rows = [fragment.n_rows for fragment in fragments]
    total = None if None in rows else sum(n for n in rows if n is not None)
    return Source(
        schema, fragments, total, name=first if len(files) == 1 else f"{first} and others"
    )


def _of_file(path: str, filesystem: Any) -> tuple[list[Fragment], Any]:
    """Fragments and schema of one file."""
    if path.lower().endswith(_CSV):
        from pyarrow import csv

        with reading(path):
            stream = path if filesystem is None else filesystem.open_input_stream(path)
            with csv.open_csv(stream, parse_options=csv_dialect(path)) as reader:
                schema = reader.schema
        return [CsvFragment(path, schema, filesystem)], schema
    import pyarrow.parquet as pq

    with reading(path), pq.ParquetFile(path, filesystem=filesystem) as file:
        schema, metadata = file.schema_arrow, file.metadata
        rows = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        if min(rows, default=0) < 0 or sum(rows) != metadata.num_rows:
            # No checksum protects a footer. (Asking it more may abort the process: Arrow does not
            # expect damage there.)
            promised = f"{metadata.num_rows:,} rows are promised"
            raise ValueError(f"{promised}, but its row groups hold {sum(rows):,}")
    fragments: list[Fragment] = []
    gathered: list[int] = []
    for group in range(len(rows)):
        gathered.append(group)
        whole = sum(rows[g] for g in gathered)
        if whole >= _FRAGMENT_ROWS or group == len(rows) - 1:
            counts = tuple(rows[g] for g in gathered)
            fragments.append(ParquetFragment(path, tuple(gathered), counts, filesystem))
            gathered = []
    return fragments, schema


def _compare(first: str, schema: Any, path: str, own: Any) -> None:
    """Refuse files whose columns differ; their order may."""
    for name in schema.names:
        if name not in own.names:
            raise ValueError(f"{path}: there is no column {name!r}, which {first} has.")
    if not path.lower().endswith(_CSV):
        _compare_types(first, _types(schema), path, _types(own))


def _types(schema: Any) -> dict[str, Any]:
    return dict(zip(schema.names, schema.types, strict=True))


def _compare_types(first: str, types: dict[str, Any], path: str, own: dict[str, Any]) -> None:
    for name, kind in types.items():
        if own[name] != kind:
            raise ValueError(
                f"{path}: column {name!r} holds {own[name]}, but in {first} it holds {kind}; all "
                "files of a log must have the same columns."
            )


def _of_frame(frame: pd.DataFrame) -> Source:
    """Cut a frame into batches; columns that Arrow cannot hold are an error only if used."""
    import pyarrow as pa

    names, kept, refused = [], [], {}
    for name, values in frame.items():
        try:
            kept.append(pa.array(values, from_pandas=True))
            names.append(str(name))
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError) as error:
            refused[str(name)] = error
    if refused and not kept:
        first, why = next(iter(refused.items()))
        raise TypeError(f"column {first!r} cannot be read ({why}); give it one type.")
    return _of_table(pa.Table.from_arrays(kept, names=names), "the frame")


def _of_table(table: Any, name: str) -> Source:
    """Cut a table into batches without copying it."""
    import pyarrow as pa

    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    fragments: list[Fragment] = []
    start = 0
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        fragments.append(BatchFragment(f"{name}, rows from {start:,}", batch))
        start += batch.num_rows
    return Source(table.schema, fragments, table.num_rows)


def _numbered(batches: Iterable[Any]) -> Iterator[Fragment]:
    for at, batch in enumerate(batches):
        yield BatchFragment(f"batch {at}", batch)
