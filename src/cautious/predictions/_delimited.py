"""Text tables: CSV and TSV, packed by gzip or not, from a file or from standard input.

Cells are text as written: nothing is guessed from what they look like. A table is read in blocks of
rows, so that :mod:`cautious.logs` can read files of any size by the same rules.

There are two readers. The strict one says what is wrong and where. Arrow is many times as fast, and
reads what both read alike; whatever else a file holds is left to the strict one.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import IO, Any

import numpy as np

from cautious._checks import check_choice
from cautious._input_limits import CELL, COLUMNS, HEADING, LINE
from cautious._messages import OTHER_FILES, refusal
from cautious.errors import quoted

_READ = 1 << 16  # bytes; the system would have to map larger pieces one by one
_ARROW_READ = 1 << 24  # bytes
_ARROW_BLOCK = 1 << 20  # bytes of these that each of Arrow's threads takes at a time
_BLOCK = 1 << 11  # longer lists of rows only make Python look for garbage among them
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# csv's limit before each open text was given a longer one; the last to close restores the first.
_CELL_LIMITS: list[int] = []
_LOCK = Lock()
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
_OTHER_FILES = OTHER_FILES | {
    "PAR1": "Parquet, which cannot be read through a pipe; give the file itself"
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
    decimal : str
        What stands before the decimals of numbers: a point or a comma; empty where nobody can say
        so, and it is a point.
    """

    names: list[str]
    source: Path | bytes
    separator: str
    encoding: str
    decimal: str

    def blocks(self, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, list[str]]]]:
        """Give the cells of some columns, block by block, with the row that a block starts at."""
        known = {name: place for place, name in reversed(list(enumerate(self.names)))}
        places = {name: known[name] for name in columns}
        width, start = len(self.names), 0
        with _text(self.source, self.encoding) as text:
            reader = csv.reader(text, delimiter=self.separator, strict=True)
            while _is_blank(next(reader)):  # up to the heading
                pass
            try:
                while rows := list(islice(reader, _BLOCK)):
                    if width == 1 or set(map(len, rows)) != {width}:
                        rows = [row for row in rows if not _is_blank(row, width)]
                        if any(len(row) != width for row in rows):
                            self._find_problem()
                    yield start, {name: [row[at] for row in rows] for name, at in places.items()}
                    start += len(rows)
            except csv.Error:
                self._find_problem()
                raise

    def plain_tables(self, kinds: Mapping[str, Any], **convert: Any) -> Iterator[Any]:
        """Give columns of some kinds as tables of Arrow; a :exc:`NotPlainError` is no verdict."""
        import pyarrow as pa
        from pyarrow import csv as arrow

        # Arrow is given bytes rather than the file: a thread of its own that still holds a Python
        # object when Python ends ends the whole process with an abort.
        for number, lines in enumerate(self._plain_blocks()):
            try:
                yield arrow.read_csv(
                    pa.BufferReader(lines),
                    read_options=arrow.ReadOptions(
                        block_size=_ARROW_BLOCK,
                        column_names=self.names,
                        skip_rows=1 if number == 0 else 0,
                    ),
                    parse_options=arrow.ParseOptions(delimiter=self.separator),
                    convert_options=arrow.ConvertOptions(
                        include_columns=list(kinds),
                        column_types=kinds,
                        decimal_point=self.decimal or ".",
                        **convert,
                    ),
                )
            except pa.ArrowInvalid:
                raise NotPlainError from None

    def _plain_blocks(self) -> Iterator[bytes]:
        """Cut it into blocks of whole lines, in UTF-8 and plainly quoted, heading first."""
        if self.encoding != "utf-8-sig" or len(self.names) == 1:  # where a blank line may be a row
            raise NotPlainError
        with _opened(self.source) as opened:
            at_start = True
            # To read all at once, Python would take the room for it, however short the file is.
            reads = iter(partial(opened.read, min(_READ, _ARROW_READ)), b"")
            while pieces := list(islice(reads, max(1, _ARROW_READ // _READ))):
                if not pieces[-1].endswith(b"\n"):
                    # The last line may lack its end; it goes with those before it, so that a short
                    # file is read whole, and refused for its form, before its cells are looked at.
                    pieces.append(opened.readline(LINE))
                    if len(pieces[-1]) == LINE:  # returns alone, or endless lines
                        raise NotPlainError
                lines = b"".join(pieces)
                try:
                    if not lines.isascii():
                        lines.decode()
                except UnicodeDecodeError:
                    raise NotPlainError from None
                if at_start:
                    at_start, lines = False, lines.removeprefix(codecs.BOM_UTF8)
                    heading = re.match(rb"[^\r\n]*", lines)[0]  # type: ignore[index]
                    if not heading.replace(b'"', b"").decode().strip():
                        raise NotPlainError  # blank lines before the heading
                if lines.startswith(codecs.BOM_UTF8):  # of a label: Arrow would leave it out
                    raise NotPlainError
                if b'"' in lines and not _are_plainly_quoted(lines, self.separator):
                    raise NotPlainError
                yield lines

    def is_marked(self) -> bool:
        """Tell whether it begins with the mark of UTF-8, as spreadsheets write and expect it."""
        with _opened(self.source) as opened:
            return opened.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8

    def where(self, row: int) -> str:
        """Say where a row is, as its reader would find it: cells may hold several lines."""
        with _text(self.source, self.encoding) as text:
            records = _records(text, self.separator, len(self.names))
            line, _ = next(islice(records, row + 1, None))  # the first is the heading
        return f"line {line}"

    def _find_problem(self) -> None:
        """Go through the lines once more to say which one is wrong."""
        with _text(self.source, self.encoding) as text:
            for line, record in _records(text, self.separator, len(self.names)):
                if len(record) != len(self.names):
                    found, width = len(record), len(self.names)
                    raise refusal("row length", line=line, found=found, width=width)


class NotPlainError(ValueError):
    """A file has something that readers of CSV read differently."""


def _are_plainly_quoted(lines: bytes, separator: str) -> bool:
    """Tell whether quotation marks stand around whole cells within a line, or doubled there."""
    # Often the heading alone is quoted, so nothing is looked at but from first mark to last.
    lines = lines[max(lines.find(b'"') - 1, 0) : lines.rfind(b'"') + 2]
    is_open = np.uint8(0)
    for start in range(0, len(lines), _READ):  # what is computed of a piece stays in the cache
        n = min(_READ, len(lines) - start)
        around = (lines[start - 1 : start] or b"\n") + lines[start : start + n + 1] + b"\n"
        text = np.frombuffer(around, np.uint8)[: n + 2]
        mark, line_end = text == ord('"'), (text == ord("\n")) | (text == ord("\r"))
        edge = mark | line_end | (text == ord(separator))
        odd_marks = np.bitwise_xor.accumulate(mark[1:-1].view(np.uint8)) ^ is_open
        inside = odd_marks.view(np.bool_)  # from an opening mark on, up to the closing one
        is_plain = (inside & edge[:-2]) | (~inside & edge[2:])
        if (mark[1:-1] & ~is_plain).any() or (inside & line_end[1:-1]).any():
            return False
        is_open = odd_marks[-1]
    return not is_open


def _is_blank(record: list[str], width: int = 0) -> bool:
    """Whether a line holds nothing; in a table of one column, "" is a cell without a value."""
    if width == 1 and record == [""]:
        return False
    return len(record) < 2 and not "".join(record).strip()


def open_text(
    source: Path | bytes, encoding: str | None = None, decimal: str = ""
) -> DelimitedText:
    """Find out how a text table is written and which columns it has."""
    check_choice(decimal or ".", "decimal", ".,")
    with _opened(source) as opened:
        begin = opened.read(8)
    for beginning, what in _OTHER_FILES.items():
        if begin.decode("latin-1").startswith(beginning):
            raise refusal("other file", what=what)
    if encoding is None:
        encoding = "utf-16" if begin[:2] in _MARKS else "utf-8-sig"
    try:
        "".encode(encoding)  # codecs.lookup would know some that are not of text
    except (LookupError, ValueError):
        raise refusal("unknown encoding", given=quoted(encoding)) from None
    heading, lines = "", []
    with _text(source, encoding) as text:
        while not heading.strip():
            heading = text.readline(HEADING + 1)
            lines.append(heading)
            if not heading:
                raise refusal("empty file")
            if len(heading.rstrip("\r\n")) > HEADING:
                raise refusal("long heading", most=f"{HEADING:,}")
        if "\0" in heading:  # most likely UTF-16 without its mark
            raise refusal("not text", encoding="UTF-8", offset=heading.index("\0"))
        # Where decimals follow commas, other marks separate cells, if the heading has any.
        marks = [mark for mark in (";", "\t") if decimal == "," and mark in heading]
        separator = max(marks or (",", ";", "\t"), key=heading.count)
        if (count := heading.count(separator) + 1) > COLUMNS and '"' not in heading:
            raise refusal("many columns", count=f"{count:,}", most=f"{COLUMNS:,}")
        _, names = next(_records(chain(lines, text), separator), (0, []))
    if not names:  # lines that hold quotation marks around nothing
        raise refusal("empty file")
    return DelimitedText([name.strip() for name in names], source, separator, encoding, decimal)


def _records(
    text: Iterable[str], separator: str, width: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Give records with the line that each begins in; blank lines are none."""
    reader, line = csv.reader(text, delimiter=separator, strict=True), 1
    try:
        for record in reader:
            if not _is_blank(record, width):
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        if "field larger" in str(error):
            raise refusal("long cell", line=line, most=f"{CELL:,}") from None
        raise refusal("quotation", line=line, why=str(error)) from None


class _Lines(io.RawIOBase):
    """Bytes of a file whose lines must not be too long: one that never ends would fill memory."""

    def __init__(self, opened: IO[bytes]) -> None:
        self.opened = opened
        self.length = 0  # of the line that is being read

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        data = self.opened.read(min(len(buffer), LINE))
        buffer[: len(data)] = data
        ends = [end for end in (data.find(b"\n"), data.find(b"\r")) if end >= 0]
        if self.length + min(ends, default=len(data)) > LINE:
            raise refusal("long line", most=f"{LINE:,}")
        begun = len(data) - 1 - max(data.rfind(b"\n"), data.rfind(b"\r"))
        self.length = begun if ends else self.length + begun
        return len(data)


@contextmanager
def _opened(source: Path | bytes) -> Iterator[IO[bytes]]:
    """Open a source, unpacked."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as opened:
        packed = opened.read(2) == b"\x1f\x8b"
        opened.seek(0)
        lines: Any = gzip.GzipFile(fileobj=opened) if packed else opened
        if packed or not isinstance(source, bytes) or len(source) > LINE:
            lines = io.BufferedReader(_Lines(lines), _READ)
        try:
            yield lines
        except _DAMAGED:
            raise refusal("damaged gzip") from None


@contextmanager
def _text(source: Path | bytes, encoding: str) -> Iterator[IO[str]]:
    """Decode a source, never with another character for what cannot be read; cells may be long."""
    with _opened(source) as lines:
        text = io.TextIOWrapper(lines, encoding, newline="")
        with _LOCK:  # how long a cell may be is one number for all threads
            _CELL_LIMITS.append(csv.field_size_limit(CELL))
        try:
            yield text
        except UnicodeError:
            raise _not_text(source, encoding) from None
        finally:
            text.detach()
            with _LOCK:
                csv.field_size_limit(_CELL_LIMITS.pop())


def _not_text(source: Path | bytes, encoding: str) -> Exception:
    """Say which byte is wrong; while reading, only its place within a block is known."""
    name = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16"}.get(encoding, encoding)
    # The codec that skips a mark would not count its bytes.
    decoder = codecs.getincrementaldecoder("utf-8" if name == "UTF-8" else encoding)()
    done = offset = 0
    with _opened(source) as opened:
        for data in chain(iter(partial(opened.read, _READ), b""), [b""]):
            begun = done - len(decoder.getstate()[0])
            try:
                decoder.decode(data, final=not data)
            except UnicodeError as error:
                offset = begun + getattr(error, "start", -begun)
                break
            done += len(data)
    return refusal("not text", encoding=name, offset=offset)
