"""Files that nobody thought of: all ways give the same numbers, or refuse in the same words."""

from __future__ import annotations

import csv
import io
import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conformance import ways
from tests.conformance.page import ask_page, file_request

import cautious
from cautious.cli.console import plain as shown_on_terminal
from cautious.errors import InputError

PAIRS = [
    ("0", "1"),
    ("no", "yes"),
    ("-1", "1"),
    ("a", "b"),
    ("good", "bad"),
    ("0.0", "1.0"),
    ("01", "1"),
]
ODD = [
    "", " ", "a|b", "{a, b}", "{}", "['a', 'b']", "a;b", "a||b", "a|a", "?", "NA", "nan", "inf",
    "0x10", "1,5", "12%", "1e400", "true", "2", "-1", "0.5", "1e-9", "high", "\x00", "é", "it's",
    '"', "a,b", "⊥",
]  # fmt: skip
plain = st.characters(
    exclude_categories=["Cs", "Cc", "Cn", "Co", "Cf"], exclude_characters="\ufeff"
)
names = st.one_of(
    st.sampled_from(["a", "b", "c", "d e", "x|y", "Ä"]), st.text(plain, min_size=1, max_size=6)
)


@dataclass(frozen=True)
class File:
    """A file as it lies on disk, and what is said about it."""

    content: bytes
    options: dict[str, Any] = field(default_factory=dict)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a file that is right, or nearly."""
    kind = draw(st.sampled_from(["score", "probability", "sets", "members"]))
    if kind == "score":
        labels = list(draw(st.one_of(st.sampled_from(PAIRS), st.tuples(names, names))))
    else:
        labels = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    n = draw(st.integers(1, 8))
    truth = [draw(st.sampled_from(labels)) for _ in range(n)]
    number = st.one_of(st.integers(0, 8).map(lambda i: repr(i / 8)), st.floats(0, 1).map(repr))
    columns: dict[str, list[str]] = {"y_true": truth}
    if kind == "score":
        columns["score"] = [draw(number) for _ in range(n)]
    elif kind == "probability":
        rows = [
            draw(st.lists(st.integers(0, 5), min_size=len(labels), max_size=len(labels)))
            for _ in range(n)
        ]
        rows = [row if sum(row) else [1, *row[1:]] for row in rows]
        for k, label in enumerate(labels):
            columns[f"p_{label}"] = [repr(row[k] / sum(row)) for row in rows]
    elif kind == "sets":
        some = st.lists(st.sampled_from(labels), min_size=1, max_size=len(labels), unique=True)
        columns["y_set"] = ["|".join(draw(some)) for _ in range(n)]
    else:
        yes = draw(st.sampled_from([("1", "0"), ("true", "False"), ("Y", "n")]))
        member = st.lists(st.sampled_from(yes), min_size=n, max_size=n)
        columns |= {f"set_{label}": draw(member) for label in labels}
    if draw(st.integers(0, 3)) == 0:
        weight = st.sampled_from(["1", "2", "0", "0.5", "3.25"])
        columns["weight"] = [draw(weight) for _ in range(n)]
    if draw(st.integers(0, 3)) == 0:
        columns["model"] = [draw(st.sampled_from(["m", "other"])) for _ in range(n)]
    heading = draw(st.permutations(list(columns)))
    return list(heading), [[columns[name][i] for name in heading] for i in range(n)]


@st.composite
def files(draw: st.DrawFn) -> File:
    """Write a table in one of the usual ways, and damage some."""
    heading, rows = draw(tables())
    labels = sorted({row[heading.index("y_true")] for row in rows})
    if draw(st.integers(0, 2)) == 0:  # one odd cell
        row = draw(st.integers(0, len(rows) - 1))
        rows[row][draw(st.integers(0, len(heading) - 1))] = draw(st.sampled_from(ODD))
    text = io.StringIO()
    end = draw(st.sampled_from(["\n", "\r\n"]))
    mark = draw(st.sampled_from([",", ",", ";", "\t"]))
    csv.writer(text, delimiter=mark, lineterminator=end).writerows([heading, *rows])
    content = text.getvalue().encode(
        draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    )
    if draw(st.integers(0, 5)) == 0:  # bytes lost or changed
        at = draw(st.integers(0, len(content)))
        content = (
            content[:at] + draw(st.binary(max_size=2)) + content[at + draw(st.integers(0, 3)) :]
        )
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["pos_label"] = draw(st.sampled_from(labels))
    if draw(st.integers(0, 3)) == 0:
        options["empty"] = draw(st.sampled_from(["abstain", "wrong"]))
    return File(content, options)


def outcome(call: Any, *arguments: Any, **options: Any) -> Any:
    """The table that a way gives, or the words with which it refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*arguments, **options)
    except InputError as error:
        return error
    except ways.CommandError as error:
        (line,) = [one for one in str(error).splitlines() if one.startswith("error: ")] or [
            str(error)
        ]
        return line.removeprefix("error: ")


def check_here(one: File, folder: Any) -> tuple[Any, Any]:
    """Read a file by library, command line and engine; give what the library says of it."""
    path = folder / "p.csv"
    path.write_bytes(one.content)
    known = outcome(cautious.evaluate, path, **one.options)
    refused = isinstance(known, InputError)
    table = None if refused else ways._table(known.to_dict(), None)
    for engine in (None, "local"):
        found = outcome(by_command, path, one, engine)
        where = f"{one} by the {'command line' if engine is None else 'engine'}"
        if refused:
            # A terminal is shown escapes of whatever it cannot print.
            assert found == shown_on_terminal(" ".join(known.words("cli").split()), None), where
        else:
            assert not isinstance(found, str), f"{where}: {found}"
            assert not compared(table, found), where
    return known.words("page").replace(str(path), "p.csv") if refused else None, table


def check_page(every: list[File], known: list[tuple[Any, Any]]) -> None:
    """Drop files onto the page; one process answers for all of them."""
    answers = ask_page([file_request("p.csv", one.content, **one.options) for one in every])
    for one, (refused, table), shown in zip(every, known, answers, strict=True):
        assert shown.get("error") == refused, one
        if refused is None:
            found = {name: ways._page_row(row) for name, row in shown["models"].items()}
            assert not compared(table, found), one


def by_command(path: Any, one: File, engine: str | None) -> ways.Table:
    chosen = [] if engine is None else ["--engine", engine]
    said = ways._options(one.options)
    return ways._table(
        ways.json.loads(ways.run("evaluate", str(path), *said, *chosen, "--json")), None
    )


def compared(one: ways.Table, other: ways.Table) -> list[str]:
    """Where the numbers of two ways differ; undefined is the same as not there.

    An engine meets the rows in any order, so it gives the models sorted.
    """
    if sorted(one) != sorted(other):
        return [f"models {list(one)} and {list(other)}"]
    wrong = []
    for model, row in one.items():
        for name in (*ways.ALL_MEASURES, "n"):
            values = [math.nan if x.get(name) is None else x[name] for x in (row, other[model])]
            if not ways._close(*values):
                wrong.append(f"{model}: {name} {values}")
    return wrong


def run(folder: Any, n: int, *, same: bool) -> None:
    """Check `n` files, the same ones every time or new ones."""
    every: list[File] = []
    known: list[tuple[Any, Any]] = []

    @settings(
        max_examples=n,
        deadline=None,
        derandomize=same,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(files())
    def all_ways_agree(one: File) -> None:
        found = check_here(one, folder)
        every.append(one)
        known.append(found)

    all_ways_agree()
    check_page(every, known)


def test_forty_files(tmp_path):
    run(tmp_path, 40, same=True)


@pytest.mark.slow
def test_two_thousand_files(tmp_path):
    run(tmp_path, 2000, same=False)


def test_what_no_terminal_prints_is_escaped_there_and_only_there(tmp_path):
    """Of private use, and such as turn the direction of the text."""
    every = [
        File(f"y_true,score\n1,{cell}\n0,0.5\n".encode()) for cell in ("0.6\uf136", "0.5\u202e1")
    ]
    check_page(every, [check_here(one, tmp_path) for one in every])


def test_quotation_marks_around_nothing_are_no_table(tmp_path):
    every = [File(content) for content in (b'""', b'""\n""\n', b'" "\r\n\r\n')]
    found = [check_here(one, tmp_path) for one in every]
    assert all("is empty" in words for words, _ in found)
    check_page(every, found)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_blank_lines_before_the_heading_are_passed_over(tmp_path, mark):
    """They may hold spaces of any kind, follow a mark and end with a return alone."""
    rows = b"y_true,score\n1,0.5\n0,0.25\n"
    every = [File(mark + blank + rows) for blank in (b"\r", b"\n", b"\x1f\r", b"\xe3\x80\x80\n")]
    found = [check_here(one, tmp_path) for one in every]
    assert all(table["p"]["n"] == 2 for _, table in found)
    check_page(every, found)


def test_spaces_are_those_of_python(tmp_path):
    """A byte order mark in the midst of a file is none, and separators of records are some."""
    heads = [",\ufeffscore,weight,y_true\r\n0.25,3,x|y", "y_true,\ufeffscore\n1,0.5\n0,0.25"]
    cells = ["0.5\x1f", "\x850.5", "\ufeff0.5", "0.5\u3000"]
    every = [File(f"{text}\n".encode()) for text in heads]
    every += [File(f"y_true,score\n1,{cell}\n0,0.25\n".encode()) for cell in cells]
    every += [
        File(f"y_true,y_set\na,{written}\nb,b\n".encode())
        for written in ("{a,\ufeffb}", "a\x1d|\x1eb", "a\ufeff", "{\x1c}", "a\ufeffb")
    ]
    check_page(every, [check_here(one, tmp_path) for one in every])


def test_the_form_of_a_file_is_refused_before_its_cells(tmp_path):
    """Also where only its last line is wrong, and has no end."""
    head = b"weight,score,y_true\r\n12%,0.0,good\r\n"
    every = [File(head + end) for end in (b"\x00", b"1,0.5", b"1,0.5,b\xc3", b'1,0.5,"b')]
    found = [check_here(one, tmp_path) for one in every]
    assert all("12%" not in words for words, _ in found)
    check_page(every, found)
