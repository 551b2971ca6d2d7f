"""Text that Arrow reads is read as the strict reader does: the same cases, or the same refusal."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.test_random_files import files

from cautious._cases import Cases
from cautious.errors import InputError
from cautious.predictions import _table, read_predictions
from cautious.predictions._delimited import DelimitedText


def outcome(content, folder, *, strict, **options):
    """Everything that is read of a file, or what is said instead; and by which reader."""
    path, used = folder / "p.csv", []
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_table, "_SMALL", 1 << 30 if strict else -1)
        for size in ("_READ", "_ARROW_READ"):  # bytes: a line or so
            patch.setattr(f"cautious.predictions._delimited.{size}", 16)
        read = DelimitedText.blocks
        patch.setattr(DelimitedText, "blocks", lambda *given: used.append(given) or read(*given))
        try:
            found = read_predictions(path, **options)
        except InputError as error:
            return (str(error), list(map(str, error.notes))), bool(used)
    return [facts(one) for one in found.values()] + [list(map(str, found.notes))], bool(used)


def facts(cases):
    every = {name: getattr(cases, name) for name in Cases.__dataclass_fields__}
    return {name: plain(value) for name, value in every.items()}


def plain(value):
    """Arrays as what can be compared: to the last bit, but any nan for any other."""
    if hasattr(value, "categories"):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray):
        return value
    whole = np.where(np.isnan(value), np.nan, value).tobytes() if value.dtype.kind == "f" else None
    return value.dtype.str, value.shape, value.tolist() if whole is None else whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@given(files())
@settings(deadline=None, max_examples=150)
def test_files_are_read_alike(folder, one):
    by_arrow, _ = outcome(one.content, folder, strict=False, **one.options)
    assert by_arrow == outcome(one.content, folder, strict=True, **one.options)[0]


WORDS = ["", "nan", "NaN", "-nan", "nan(1)", "NA", "nA", "none", "Null", "inf", "-Inf", "+inf"]
WORDS += ["infinity", "1e400", "-1e-400", "0x1p3", "1_0", "1.", ".5", "5e", "1e+5", "١", "1d3"]
WORDS += ["0,5", "1.5,0"]
odd_numbers = st.one_of(st.floats().map(repr), st.sampled_from(WORDS), st.text("0123.,eE+- \t"))
# Most are plain, or hardly a file would be.
numbers = st.one_of(*[st.integers(0, 9).map(str)] * 9, odd_numbers)
labels = st.text("abc\ufeff") | st.text('ab "\t;\u00e9\u2028\ufeff\x1f01', max_size=4)
truths = st.sampled_from(["0", "1"])
rows = st.lists(st.tuples(labels, numbers, numbers, truths | truths | labels), max_size=8)


@given(rows, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([0, 1]), st.sampled_from(".,"))
@settings(deadline=None, max_examples=200)
def test_cells_are_read_alike(folder, rows, end, quoting, decimal):
    text = io.StringIO()
    mark = ";" if decimal == "," else ","
    writer = csv.writer(text, delimiter=mark, lineterminator=end, quoting=quoting)
    heading = ("group", "score", "age", "y_true")  # of groups the text is kept
    writer.writerows([heading, ("a", "0", "", "0"), ("b", "1", "", "1"), *rows])
    options = {"pos_label": "1", "missing": "abstain", "drop_missing": True, "decimal": decimal}
    by_arrow, _ = outcome(text.getvalue().encode(), folder, strict=False, **options)
    assert by_arrow == outcome(text.getvalue().encode(), folder, strict=True, **options)[0]


def test_a_label_that_begins_a_block_keeps_its_mark(folder):
    rows = [f"{mark}{k % 2},0.{k % 9}\n" for k in range(99) for mark in ("", "\ufeff")]
    content = "".join(["y_true,score\n", *rows]).encode()
    found = [outcome(content, folder, strict=strict)[0] for strict in (True, False)]
    assert found[0] == found[1]
    assert "there are 4 classes" in found[0][0]


ROWS = [(str(k % 2), str(k / 100), "" if k % 7 else "x y") for k in range(100)]


def written(end="\n", **how):
    text = io.StringIO()
    csv.writer(text, lineterminator=end, **how).writerows([("y_true", "score", "age"), *ROWS])
    return text.getvalue().encode()


@pytest.mark.parametrize(
    "content",
    [
        written(),
        written("\r\n", delimiter=";"),
        written(quoting=csv.QUOTE_ALL),
        b"\xef\xbb\xbf" + written(delimiter="\t"),
    ],
    ids=["plain", "semicolons", "quoted", "marked"],
)
@pytest.mark.parametrize(
    "last",
    [
        "",
        "1,x,",
        "1,0.5",
        "1,0.5,2,3",
        ",0.5,",
        '1,0.5,"a"b',
        '1,"0.5',
        "1,0.5,\xff",
        "1,-nan,",
        " ",
    ],
)
def test_a_file_that_turns_odd_in_its_last_row(folder, content, last):
    """What is plain is read by Arrow alone; otherwise the strict reader has the last word."""
    separator = next(mark for mark in (b";", b"\t", b",") if mark in content)
    odd = content + last.encode("latin-1").replace(b",", separator)
    found, strictly = outcome(odd, folder, strict=False)
    assert found == outcome(odd, folder, strict=True)[0]
    assert last or not strictly
