"""Convert a folder of ARFF files and their SOURCES.csv into the data that ship with the package.

Run once, from the root of the repository, whenever the source folder changes::

    python tools/convert_datasets.py SOURCE_FOLDER src/cautious/datasets/data

It writes one ``<name>.csv.gz`` a data set (the cells as the source wrote them, empty where
missing), ``columns.json`` (column names with the declared categories, in declared order) and
``facts.csv`` (one row a data set). The same input gives the same bytes. Every count of SOURCES.csv
is checked against the rows read, so a wrong fact or a damaged file stops the conversion.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# SOURCES.csv names the papers by letters.
PAPERS = {"A": "friedel", "B": "ferri", "C": "yang", "D": "zaffalon"}
# The classes of these sets are grades; their declared order is a meaning, not an accident.
ORDINAL = {"ERA", "ESL", "LEV", "SWD"}
# Columns that the source declares as nominal and that are numbers, with a remark for the notes.
# Friedel's printed areas under the curve for haberman come out with a numeric year alone.
NUMERIC = {"haberman": ("Patients_year_of_operation", "here the year is a number")}
# Remarks about the collecting of the files, of no interest to someone who uses the data.
HOUSEKEEPING = re.compile(
    r"CRLF to LF|CSV to ARFF|outside 2-36|.*\bcannot read\b.*|WEKA's own file keeps it.*"
)
ASIDE = re.compile(r" \((?:outside 2-36|below the 24|the WEKA/OpenML original)[^)]*\)")

# What SOURCES.csv must say of every set.
FACTS = (
    *("name", "file", "sha256", "class_attribute", "papers", "idsia54", "source"),
    *("source_commit_or_version", "licence_note", "verified", "notes"),
    *("rows", "features", "nominal_features", "classes", "classes_declared", "missing_cells"),
)

Row = tuple[str | None, ...]


class ArffError(ValueError):
    """An ARFF text that cannot be read, with the line at fault."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")


@dataclass(frozen=True)
class Attribute:
    """A column: its name and its declared categories, or ``None`` for a numeric column."""

    name: str
    categories: tuple[str, ...] | None


@dataclass(frozen=True)
class Table:
    """A relation: its columns and its rows, a missing cell being ``None``."""

    attributes: tuple[Attribute, ...]
    rows: tuple[Row, ...]


# --- reading ARFF -------------------------------------------------------------------------------

# One token: a quoted string, a bare word, or one of the marks ``, { }``. A ``%`` outside quotes
# starts a comment, wherever it stands (so says WEKA's own reader).
_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
             | (?P<mark>[,{}])
             | (?P<comment>%.*)
             | (?P<word>[^\s,{}%'"]+) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z", re.ASCII)
_RANGE = re.compile(r"\[[^\]]*\]\Z")


def read_arff(text: str) -> Table:
    r"""Read an ARFF text with numeric and nominal attributes.

    Quoted names and values, escapes, comments, ``?`` and blank lines are understood. Strings,
    dates, relational attributes, sparse rows and instance weights are refused, not guessed at.

    Parameters
    ----------
    text : str
        The whole file.

    Returns
    -------
    Table
        Columns in declared order; cells as they were written, ``None`` where missing.

    Raises
    ------
    ArffError
        Naming the line, if the text is not such a file.

    Examples
    --------
    >>> table = read_arff("@relation r\n@attribute 'a b' {x, 'y z'}\n@data\n'y z'\n?\n")
    >>> table.attributes
    (Attribute(name='a b', categories=('x', 'y z')),)
    >>> table.rows
    (('y z',), (None,))
    """
    # splitlines() would also cut at form feeds and other marks that may stand in a quoted value.
    lines = iter(enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1))
    attributes = _read_header(lines)
    allowed = [None if a.categories is None else frozenset(a.categories) for a in attributes]
    rows = []
    for number, line in lines:
        tokens = _tokens(line, number)
        if tokens:
            rows.append(_read_row(tokens, attributes, allowed, number))
    return Table(attributes, tuple(rows))


def _tokens(line: str, number: int) -> list[tuple[str, str]]:
    """Split a line into (kind, text) pairs, comments left out, quotes and escapes resolved."""
    tokens = []
    position, end = 0, len(line.rstrip())
    while position < end:
        match = _TOKEN.match(line, position)
        if match is None:
            raise ArffError(number, f"an unclosed quote in {_short(line[position:])}.")
        kind = str(match.lastgroup)
        position = match.end()
        if kind == "comment":
            break
        value = match[kind]
        if kind == "quoted":
            value = _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), value[1:-1])
        tokens.append((kind, value))
    return tokens


def _read_header(lines: Iterator[tuple[int, str]]) -> tuple[Attribute, ...]:
    attributes: dict[str, Attribute] = {}
    seen_relation = False
    number = 0
    for number, line in lines:
        tokens = _tokens(line, number)
        if not tokens:
            continue
        keyword = tokens[0][1].lower() if tokens[0][0] == "word" else ""
        if keyword == "@relation" and not seen_relation and not attributes:
            if [kind for kind, _ in tokens[1:]] not in (["word"], ["quoted"]):
                raise ArffError(number, "@relation needs one name, in quotes if it has spaces.")
            seen_relation = True
        elif keyword == "@attribute" and seen_relation:
            attribute = _read_attribute(tokens[1:], number)
            if attribute.name in attributes:
                raise ArffError(number, f"a second attribute named {attribute.name!r}.")
            attributes[attribute.name] = attribute
        elif keyword == "@data" and len(tokens) == 1:
            if not attributes:
                raise ArffError(number, "@data before any @attribute.")
            return tuple(attributes.values())
        else:
            raise ArffError(
                number, f"{_short(line)} where @relation, @attribute or @data was expected."
            )
    raise ArffError(number, "the text ends before @data.")


def _read_attribute(tokens: list[tuple[str, str]], number: int) -> Attribute:
    if len(tokens) < 2 or tokens[0][0] == "mark":
        raise ArffError(number, "@attribute needs a name and a type.")
    name, declared = tokens[0][1], tokens[1:]
    if not name:
        raise ArffError(number, "an attribute with an empty name.")
    if declared[0] == ("mark", "{"):
        return Attribute(name, _read_categories(name, declared, number))
    kind = declared[0][1].lower() if declared[0][0] == "word" else ""
    if kind not in {"numeric", "real", "integer"}:
        raise ArffError(
            number,
            f"attribute {name!r} has type {declared[0][1]!r}; "
            "only numeric, real, integer and {nominal} are read.",
        )
    # WEKA lets a range follow, as in ``integer [1,10]``, and ignores it.
    rest = "".join(text for _, text in declared[1:])
    if rest and not _RANGE.match(rest):
        raise ArffError(number, f"{_short(rest)} after the type of attribute {name!r}.")
    return Attribute(name, None)


def _read_categories(name: str, tokens: list[tuple[str, str]], number: int) -> tuple[str, ...]:
    if tokens[-1] != ("mark", "}"):
        raise ArffError(number, f"the categories of attribute {name!r} do not end with '}}'.")
    categories: dict[str, None] = {}
    for position, cell in enumerate(_cells(tokens[1:-1], number), start=1):
        if cell is None or cell[1] == "":
            raise ArffError(number, f"category {position} of attribute {name!r} is empty.")
        if cell[1] in categories:
            raise ArffError(number, f"attribute {name!r} declares {cell[1]!r} twice.")
        categories[cell[1]] = None
    return tuple(categories)


def _cells(tokens: list[tuple[str, str]], number: int) -> list[tuple[str, str] | None]:
    """Read tokens as a comma-separated list; an empty place is ``None``."""
    cells: list[tuple[str, str] | None] = [None]
    for kind, text in tokens:
        if (kind, text) == ("mark", ","):
            cells.append(None)
        elif kind == "mark":
            raise ArffError(
                number, f"a {text!r} among the values; sparse rows and weights are not read."
            )
        elif cells[-1] is not None:
            raise ArffError(number, f"no comma between {cells[-1][1]!r} and {text!r}.")
        else:
            cells[-1] = (kind, text)
    return cells


def _read_row(
    tokens: list[tuple[str, str]],
    attributes: tuple[Attribute, ...],
    allowed: list[frozenset[str] | None],
    number: int,
) -> Row:
    cells = _cells(tokens, number)
    if len(cells) != len(attributes):
        raise ArffError(number, f"{len(cells)} values for {len(attributes)} attributes.")
    row: list[str | None] = []
    for cell, attribute, categories in zip(cells, attributes, allowed, strict=True):
        if cell is None:
            raise ArffError(number, f"no value for attribute {attribute.name!r}; missing is '?'.")
        if cell == ("word", "?"):  # a quoted '?' is a category like any other
            row.append(None)
        elif categories is None and not _is_number(cell[1]):
            raise ArffError(number, f"{cell[1]!r} is no number (attribute {attribute.name!r}).")
        elif categories is not None and cell[1] not in categories:
            raise ArffError(
                number, f"{cell[1]!r} is not a declared category of attribute {attribute.name!r}."
            )
        else:
            row.append(cell[1])
    return tuple(row)


def _is_number(text: str) -> bool:
    return _NUMBER.match(text) is not None and abs(float(text)) < float("inf")


def _short(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")


def read_file(path: Path) -> Table:
    """Read an ARFF file, compressed if its name ends in ``.gz``; errors name the file."""
    try:
        data = path.read_bytes()
        return read_arff((gzip.decompress(data) if path.suffix == ".gz" else data).decode())
    except (ArffError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path.name}: damaged gzip data ({error}).") from error


# --- writing the bundle -------------------------------------------------------------------------


def convert(source: Path, target: Path) -> int:
    """Convert every data set of ``SOURCES.csv`` in ``source``; return how many there were."""
    columns, facts, packed = {}, [], {}
    for given in read_sources(source / "SOURCES.csv"):
        path = source / given["file"]
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != given["sha256"]:
            raise ValueError(f"{path.name}: its SHA-256 is {digest}, not that of SOURCES.csv.")
        table = read_file(path)
        counted = count_facts(table, given["class_attribute"])
        for fact, value in counted.items():
            if str(value) != given[fact]:
                raise ValueError(f"{path.name}: {fact} is {value}, SOURCES.csv says {given[fact]}.")
        if given["name"] in NUMERIC:
            column, remark = NUMERIC[given["name"]]
            table = with_number(table, column)
            counted = count_facts(table, given["class_attribute"])
            given = given | {"notes": f"{given['notes']}; {remark}"}
        text = as_csv(table)
        packed[f"{given['name']}.csv.gz"] = gzip.compress(text, 9, mtime=0)
        columns[given["name"]] = [[a.name, a.categories] for a in table.attributes]
        facts.append(facts_row(given, counted, hashlib.sha256(text).hexdigest()))
    # Nothing is written before all of it is known to be right.
    target.mkdir(parents=True, exist_ok=True)
    for name, content in packed.items():
        (target / name).write_bytes(content)
    (target / "columns.json").write_text(json.dumps(columns, separators=(",", ":")) + "\n")
    with (target / "facts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(facts[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(facts)
    return len(facts)


def read_sources(path: Path) -> list[dict[str, str]]:
    """Read ``SOURCES.csv``: every fact of every set has to be there."""
    with path.open(newline="", encoding="utf-8") as file:
        try:
            sources = list(csv.DictReader(file, strict=True))
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name}: {error}.") from error
    if not sources:
        raise ValueError(f"{path.name} lists no data set.")
    for number, given in enumerate(sources, start=1):
        for fact in FACTS:
            if given.get(fact) is None:
                raise ValueError(f"{path.name}: set {number} has no {fact!r}.")
        for fact in ("name", "file"):
            # A name becomes the name of a file, which has to stay within its folder.
            if not given[fact] or Path(given[fact]).name != given[fact]:
                raise ValueError(f"{path.name}: set {number} has the {fact} {given[fact]!r}.")
    return sources


def count_facts(table: Table, class_attribute: str) -> dict[str, int]:
    """Count what SOURCES.csv states; the class has to be the last column and never missing."""
    *features, target = table.attributes
    if target.name != class_attribute or target.categories is None:
        raise ValueError(f"the last column is {target.name!r}, not a nominal {class_attribute!r}.")
    labels = {row[-1] for row in table.rows}
    if None in labels:
        raise ValueError("a row has no class.")
    return {
        "rows": len(table.rows),
        "features": len(features),
        "nominal_features": sum(a.categories is not None for a in features),
        "classes": len(labels),
        "classes_declared": len(target.categories),
        "missing_cells": sum(row.count(None) for row in table.rows),
    }


def with_number(table: Table, column: str) -> Table:
    """Read a nominal column as numbers; its cells stay as they were written."""
    attributes = tuple(Attribute(a.name, None) if a.name == column else a for a in table.attributes)
    at = [a.name for a in table.attributes].index(column)
    for row in table.rows:
        if row[at] is not None and not _is_number(str(row[at])):
            raise ValueError(f"{row[at]!r} is no number (attribute {column!r}).")
    return Table(attributes, table.rows)


def as_csv(table: Table) -> bytes:
    """Write the cells as CSV with a header; ``csv`` quotes what needs it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([a.name for a in table.attributes])
    writer.writerows([["" if cell is None else cell for cell in row] for row in table.rows])
    return text.getvalue().encode()


def facts_row(given: dict[str, str], counted: dict[str, int], digest: str) -> dict[str, object]:
    """Lay out one row of ``facts.csv``."""
    papers = given["papers"].split()
    return {
        "name": given["name"],
        **counted,
        "class_attribute": given["class_attribute"],
        "ordinal": given["name"] in ORDINAL,
        **{paper: letter in papers for letter, paper in PAPERS.items()},
        "idsia54": given["idsia54"] == "yes",
        "source": given["source"],
        "source_version": given["source_commit_or_version"],
        "source_sha256": given["sha256"],
        "licence_note": given["licence_note"],
        "verified": given["verified"],
        "notes": tidy_notes(given["notes"]),
        "sha256": digest,
    }


def tidy_notes(notes: str) -> str:
    """Keep what a user of the data should know.

    Examples
    --------
    >>> tidy_notes("40 features (outside 2-36); row order is by class; CRLF to LF")
    '40 features; row order is by class'
    """
    clauses = ASIDE.sub("", notes).split("; ")
    return "; ".join(clause for clause in clauses if not HOUSEKEEPING.fullmatch(clause))


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("source", type=Path, help="folder with the ARFF files and SOURCES.csv")
    parser.add_argument("target", type=Path, help="folder to write, made if absent")
    given = parser.parse_args(arguments)
    try:
        count = convert(given.source, given.target)
    except (OSError, ValueError) as error:
        print(f"convert_datasets: {error}", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in given.target.iterdir())
    print(f"{count} data sets, {size / 1e6:.2f} MB in {given.target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
