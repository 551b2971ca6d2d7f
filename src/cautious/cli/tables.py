"""Tables of predictions on disk: CSV, Parquet, or CSV from standard input."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Labels
from cautious.cli.hints import number_hint
from cautious.sets import first_row

__all__ = ["Table", "open_table"]

# The last bit decides ties between scores; from 3.1 on, pandas reads it unasked.
_TO_THE_LAST_BIT: dict[str, Any] = (
    {"float_precision": "round_trip"}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    else {}
)
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
_OTHER_FILES = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save it as CSV in UTF-8, or as Parquet.",
    b"\xd0\xcf\x11\xe0": "an Excel workbook; save it as CSV in UTF-8, or as Parquet.",
    b"PAR1": "Parquet, which cannot be read through a pipe; give the file itself.",
}


@dataclass(frozen=True)
class Table:
    """A file whose columns are read when they are asked for.

    Attributes
    ----------
    name : str
        What to call the file in messages.
    names : list of str
        Its columns.
    source : object
        A path, or the bytes of standard input.
    separator : str or None
        What separates the cells of a CSV file; None for Parquet.
    compression : str or None
        "gzip" for a CSV file packed so.
    """

    name: str
    names: list[str]
    source: Any
    separator: str | None
    compression: str | None = None

    def read(self, texts: Sequence[str], numbers: Sequence[str]) -> pd.DataFrame:
        """Read some columns: labels as they are written, and numbers."""
        wanted = list(dict.fromkeys([*texts, *numbers]))
        if self.separator is None:
            frame = _read_parquet(self.source, wanted)
        else:
            # Labels stay text: "NA" may be a class, and "007" is not 7. All columns are read, since
            # pandas finds rows of the wrong length only then.
            frame = _read_csv(
                self.source,
                sep=self.separator,
                compression=self.compression,
                header=0,
                names=self.names,
                dtype=dict.fromkeys(texts, str),
                low_memory=False,
            )[wanted]
        if not len(frame):
            raise ValueError(
                f"{self.name} has a heading but no rows; give at least one prediction."
            )
        return frame

    def where(self, row: int) -> str:
        """Say where a row is, as its reader would find it."""
        if self.separator is None:
            return f"row {row}"
        try:
            return f"line {self._line(row)}"
        except csv.Error:  # a cell too long for Python's reader
            return f"row {row + 1} below the heading"

    def _line(self, row: int) -> int:
        """Count the lines down to a row: quoted cells may hold several, and empty ones no row."""
        assert self.separator is not None
        opened: IO[bytes] = _opened(self.source)
        unpacked = gzip.GzipFile(fileobj=opened) if self.compression == "gzip" else opened
        with opened, io.TextIOWrapper(unpacked, "utf-8-sig", newline="") as text:
            reader = csv.reader(text, delimiter=self.separator, skipinitialspace=True)
            line = found = 0
            for record in reader:
                if len(record) > 1 or "".join(record).strip():
                    if found > row:  # the first is the heading
                        break
                    found += 1
                line = reader.line_num
            return line + 1

    def numbers(self, frame: pd.DataFrame, name: str) -> Floats:
        """Numbers of a column, none of them missing."""
        column = frame[name]
        if column.dtype.kind in "mM":  # pandas would count the nanoseconds
            raise ValueError(f"{self.name}: column {name!r} holds dates or times, not numbers.")
        values = np.asarray(pd.to_numeric(column, errors="coerce"), dtype=np.float64)
        bad = np.isnan(values)
        if bad.any():
            row = first_row(bad)
            cell = column.iloc[row]
            what = "nothing" if pd.isna(cell) or not str(cell).strip() else repr(str(cell)[:40])
            raise ValueError(
                f"{self.name}: column {name!r} holds {what} in {self.where(row)} "
                f"({int(bad.sum())} such in all); a number is needed."
                f"{number_hint(str(cell)) or ' Mend or drop these rows.'}"
            )
        return values

    def labels(self, frame: pd.DataFrame, name: str, *, gaps: bool = False) -> Labels:
        """Labels of a column as text; ``gaps`` allows missing ones, which become empty text."""
        column = frame[name]
        missing = column.isna().to_numpy()
        kind = column.dtype
        if pd.api.types.is_float_dtype(kind) and (column.dropna() % 1 == 0).all():
            column = column.astype("Int64")  # 1.0 is class 1, made a float by a missing value
        text = np.asarray(column.astype(object).where(~missing, "").map(str), dtype=object)
        empty = missing | (text == "")
        if empty.any() and not gaps:
            row = first_row(empty)
            raise ValueError(
                f"{self.name}: column {name!r} is empty in {self.where(row)} ({int(empty.sum())} "
                "in all); drop the rows whose truth is not known."
            )
        return text


def open_table(file: str) -> Table:
    """Find out what a file is and which columns it has.

    Parameters
    ----------
    file : str
        Path; ``-`` is standard input.
    """
    if file == "-":
        return _csv_table("standard input", sys.stdin.buffer.read())
    path = Path(file)
    if path.is_dir():
        raise IsADirectoryError(
            f"{file} is a folder; give its files, or add --engine local to read a folder of "
            "Parquet files as one log."
        )
    if not path.exists():
        raise FileNotFoundError(f"{file} does not exist.")
    if path.is_fifo():  # a pipe, such as the shell makes of <(command), can be read only once
        return _csv_table(file, path.read_bytes())
    if not path.is_file():
        raise ValueError(f"{file} is a device, not a file; give a file of predictions.")
    with path.open("rb") as opened:
        begin = opened.read(4)
    if begin == b"PAR1" or path.suffix.lower() in (".parquet", ".pq"):
        return Table(file, _parquet_names(path), path, None)
    return _csv_table(file, path)


def _csv_table(name: str, source: Path | bytes) -> Table:
    """Find the columns of CSV, packed by gzip or not."""
    with _opened(source) as opened:
        begin = opened.read(4)
        opened.seek(0)
        if begin in _OTHER_FILES:
            raise ValueError(f"{name} is {_OTHER_FILES[begin]}")
        packed = begin[:2] == b"\x1f\x8b"
        try:
            heading = (gzip.GzipFile(fileobj=opened) if packed else opened).readline(1 << 20)
        except _DAMAGED as error:
            raise ValueError(f"{name} is damaged gzip data: {error}") from None
    compression = "gzip" if packed else None
    separator = _separator(heading, name)
    return Table(
        name, _csv_names(source, separator, name, compression), source, separator, compression
    )


def _opened(source: Path | bytes) -> IO[bytes]:
    return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _separator(heading: bytes, name: str) -> str:
    """Guess what separates the cells: whatever of , ; and tab the heading has most of."""
    if not heading.strip():
        raise ValueError(f"{name} is empty; the first line must name the columns.")
    return max((",", ";", "\t"), key=lambda mark: heading.count(mark.encode()))


def _csv_names(source: Any, separator: str, name: str, compression: str | None) -> list[str]:
    heading = _read_csv(
        source,
        name=name,
        sep=separator,
        compression=compression,
        header=None,
        nrows=1,
        dtype=str,
    )
    return _check_unique([str(cell).strip() for cell in heading.iloc[0]], name)


def _check_unique(names: list[str], name: str) -> list[str]:
    twice = pd.Index(names).duplicated()
    if twice.any():
        raise ValueError(
            f"{name} has two columns called {names[first_row(twice)]!r}; give each its own name."
        )
    return names


def _read_csv(source: Any, *, name: str | None = None, **options: Any) -> pd.DataFrame:
    name = name or ("standard input" if isinstance(source, bytes) else str(source))
    opened = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        with warnings.catch_warnings():
            # A row longer than the heading would otherwise lose its end, with a mere warning.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame: pd.DataFrame = pd.read_csv(
                opened,
                encoding="utf-8-sig",
                keep_default_na=False,
                skipinitialspace=True,
                index_col=False,
                **_TO_THE_LAST_BIT,
                **options,
            )
            return frame
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not text in UTF-8 (byte {error.start}); save it as CSV in UTF-8, or as "
            "Parquet."
        ) from None
    except _DAMAGED as error:
        raise ValueError(f"{name} is damaged gzip data: {error}") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError) as error:
        raise ValueError(
            f"{name} is no regular CSV table: {' '.join(str(error).split())}"
        ) from None


def _parquet_names(path: Path) -> list[str]:
    try:
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        raise ImportError(
            f"reading {path} needs pyarrow: pip install 'cautious[parquet]', or give CSV."
        ) from None
    try:
        names = [str(name) for name in parquet.read_schema(path).names]
    except (ValueError, OSError) as error:  # what pyarrow raises is one of these
        raise ValueError(f"{path} is no whole Parquet file: {_first_line(error)}") from None
    return _check_unique(names, str(path))


def _read_parquet(path: Path, columns: list[str]) -> pd.DataFrame:
    import pyarrow.parquet as parquet
    from pyarrow import ArrowException

    try:
        # What pandas notes in a file about its index may be damaged, and is of no use here.
        read = parquet.read_table(path, columns=columns)
        frame: pd.DataFrame = read.to_pandas(ignore_metadata=True)
        return frame
    except (ValueError, OSError, ArrowException) as error:
        raise ValueError(f"{path} cannot be read: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
