"""Text tables: CSV and TSV, packed by gzip or not, from a file or from standard input.

Cells are text as written: nothing is guessed from what they look like. A table is read in blocks of
rows, so that :mod:`cautious.logs` can read files of any size by the same rules.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast

from cautious.errors import quoted
from cautious.predictions.rules import refusal

__all__ = ["DelimitedText", "open_text"]

_BLOCK = 1 << 13  # longer lists of rows only make Python look for garbage among them
_LONGEST_HEADING = 1 << 20
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
_OTHER_FILES = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save it as CSV in UTF-8, or as Parquet",
    b"\xd0\xcf\x11\xe0": "an Excel workbook; save it as CSV in UTF-8, or as Parquet",
    b"PAR1": "Parquet, which cannot be read through a pipe; give the file itself",
}


@dataclass(frozen=True)
class DelimitedText:
    """A text table whose rows are read when they are asked for.

    Attributes
    ----------
    names : list of str
        Its columns.
    source : Path or bytes
        The file, or what was read from a pipe.
    separator : str
        What stands between cells: a comma, a semicolon or a tab, whichever the heading has most.
    encoding : str
        How the text is encoded.
    """

    names: list[str]
    source: Path | bytes
    separator: str
    encoding: str

    def blocks(self, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, list[str]]]]:
        """Give the cells of some columns, block by block, with the row that a block starts at."""
        places = [self.names.index(name) for name in columns]
        width, start = len(self.names), 0
        with self._text() as text:
            reader = csv.reader(text, delimiter=self.separator, strict=True)
            next(record for record in reader if not _is_blank(record))  # the heading
            while rows := self._rows(reader):
                if width == 1 or set(map(len, rows)) != {width}:
                    rows = [row for row in rows if not _is_blank(row)]
                    if any(len(row) != width for row in rows):
                        self._find_problem()
                found = zip(columns, places, strict=True)
                yield start, {name: [row[place] for row in rows] for name, place in found}
                start += len(rows)

    def bytes(self) -> AbstractContextManager[IO[bytes]]:
        """Open the bytes of the source, unpacked."""
        return _bytes(self.source)

    def where(self, row: int) -> str:
        """Say where a row is, as its reader would find it: cells may hold several lines."""
        with self._text() as text:
            for at, (line, _) in enumerate(_lines(text, self.separator)):
                if at == row + 1:  # the first is the heading
                    return f"line {line}"
        raise IndexError(row)

    def _rows(self, reader: Iterator[list[str]]) -> list[list[str]]:
        try:
            return list(islice(reader, _BLOCK))
        except csv.Error:
            self._find_problem()
            raise

    def _find_problem(self) -> None:
        """Go through the lines once more to say which one is wrong."""
        with self._text() as text:
            for line, record in _lines(text, self.separator):
                if len(record) != len(self.names):
                    found, width = len(record), len(self.names)
                    raise refusal("row length", line=line, found=found, width=width)

    @contextmanager
    def _text(self) -> Iterator[IO[str]]:
        """Open the text; its cells may be of any length."""
        longest = csv.field_size_limit(1 << 30)
        try:
            with _text(self.source, self.encoding) as text:
                yield text
        finally:
            csv.field_size_limit(longest)


def _is_blank(record: list[str]) -> bool:
    return len(record) < 2 and not "".join(record).strip()


def open_text(source: Path | bytes, encoding: str | None = None) -> DelimitedText:
    r"""Find out how a text table is written and which columns it has.

    Parameters
    ----------
    source : Path or bytes
        The file, or what was read from a pipe.
    encoding : str, optional
        Encoding of the text; by default UTF-8, or UTF-16 where the file begins with its mark.

    Examples
    --------
    >>> table = open_text(b"y_true;score\n0;0.25\n1;0.5\n")
    >>> table.names, list(table.blocks(["score"]))
    (['y_true', 'score'], [(0, {'score': ['0.25', '0.5']})])
    """
    with _bytes(source) as opened:
        begin = opened.read(4)
    if begin in _OTHER_FILES:
        raise refusal("other file", what=_OTHER_FILES[begin])
    if encoding is None:
        encoding = "utf-16" if begin[:2] in _MARKS else "utf-8-sig"
    else:
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise refusal("unknown encoding", given=quoted(encoding)) from None
    with _text(source, encoding) as text:
        heading = ""
        while not heading.strip():
            heading = text.readline(_LONGEST_HEADING)
            if not heading:
                raise refusal("empty file")
            if len(heading) == _LONGEST_HEADING:
                raise refusal("long heading", most=_LONGEST_HEADING)
        if "\0" in heading:  # most likely UTF-16 without its mark
            raise refusal("not text", encoding="UTF-8", offset=heading.index("\0"))
        separator = max((",", ";", "\t"), key=heading.count)
    with _text(source, encoding) as text:
        _, names = next(_lines(text, separator))
    return DelimitedText([name.strip() for name in names], source, separator, encoding)


def _lines(text: IO[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Give records with the line that each begins in; blank lines are none."""
    reader = csv.reader(text, delimiter=separator, strict=True)
    line = 1
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise refusal("quotation", line=line, why=str(error)) from None
        if record is None:
            return
        if not _is_blank(record):
            yield line, record
        line = reader.line_num + 1


@contextmanager
def _bytes(source: Path | bytes) -> Iterator[IO[bytes]]:
    """Open a source, unpacked."""
    opened: IO[bytes] = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
    with opened:
        packed = opened.read(2) == b"\x1f\x8b"
        opened.seek(0)
        try:
            if packed:
                with gzip.GzipFile(fileobj=opened) as unpacked:
                    yield cast("IO[bytes]", unpacked)
            else:
                yield opened
        except _DAMAGED:
            raise refusal("damaged gzip") from None


@contextmanager
def _text(source: Path | bytes, encoding: str) -> Iterator[IO[str]]:
    """Open the text of a source, never with another character for what cannot be read."""
    with _bytes(source) as opened:
        text = io.TextIOWrapper(opened, encoding, newline="")
        try:
            yield text
        except UnicodeError:
            opened.seek(0)
            raise _not_text(opened.read(), encoding) from None
        finally:
            text.detach()


def _not_text(content: bytes, encoding: str) -> Exception:
    """Say which byte is wrong; while reading, only its place within a block is known."""
    name = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16"}.get(encoding, encoding)
    try:
        # The codec that skips a mark would not count its bytes.
        content.decode("utf-8" if name == "UTF-8" else encoding)
    except UnicodeDecodeError as error:
        return refusal("not text", encoding=name, offset=error.start)
    except UnicodeError:
        pass
    return refusal("not text", encoding=name, offset=0)
