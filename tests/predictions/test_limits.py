"""Limits: stated on a page, kept by every way, and no time or memory wasted below them.

That each way refuses what goes beyond is shown by the tables of ``tests/conformance/refusals.py``.
"""

import csv
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cautious import _input_limits as limits
from cautious._files import parsed_json
from cautious._input_limits import CEILINGS
from cautious.errors import InputError
from cautious.logs import _source as source
from cautious.logs import summarise
from cautious.logs._source import ParquetPart
from cautious.predictions import _delimited as delimited
from cautious.predictions import read_predictions
from cautious.predictions._columns import check_names, described, guess_columns
from cautious.predictions._rows import Options, column_order, settle
from cautious.sets import parse_set

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"


@pytest.mark.skipif(not PAGE.is_file(), reason="no documentation beside an installed package")
def test_the_page_states_every_limit():
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    assert [row.split(" | ")[0] for row in rows[2:]] == [f"| {int(n):,}" for n in CEILINGS.values()]


class TestWhatIsAtALimit:
    """What is as large as it may be is read; one more is refused."""

    @pytest.mark.parametrize("length", [limits.LABEL, limits.LABEL + 1])
    def test_label(self, length):
        rows = pd.DataFrame({"y_true": ["a", "b" * length], "y_set": ["a", "a"]})
        if length <= limits.LABEL:
            assert len(read_predictions(rows).classes[1]) == length
            return
        with pytest.raises(InputError, match=r"column 'y_true', row 1: the label 'bbb.*32,767"):
            read_predictions(rows)

    @pytest.mark.parametrize("count", [limits.COLUMNS, limits.COLUMNS + 1])
    def test_columns(self, count):
        names = ["y_true", "score", *(f"x{k}" for k in range(count - 2))]
        if count <= limits.COLUMNS:
            assert len(check_names(names)) == count
            return
        with pytest.raises(InputError, match="there are 65,537 columns, and at most 65,536"):
            check_names(names)

    @pytest.mark.parametrize("extra", [0, 1])
    def test_line(self, tmp_path, monkeypatch, extra):
        monkeypatch.setattr(delimited, "LINE", 300)
        monkeypatch.setattr(delimited, "_READ", 64)
        rows = "y_true,score,x\n" + "0,1,b\n" * 99 + "1,2," + "x" * (296 + extra) + "\n1,2,c\n" * 99
        (tmp_path / "p.csv").write_text(rows)
        if not extra:
            assert read_predictions(tmp_path / "p.csv").n == 199
            return
        with pytest.raises(InputError, match="a line has more than 300 bytes"):
            read_predictions(tmp_path / "p.csv")

    @pytest.mark.parametrize("count", [limits.SET, limits.SET + 1])
    def test_set(self, count):
        written = "|".join(map(str, range(count)))
        if count <= limits.SET:
            assert len(parse_set(written).labels) == count
            return
        with pytest.raises(InputError, match="names more than 32,768 labels"):
            parse_set(written)

    @pytest.mark.parametrize("groups", [3, 4])
    def test_row_groups(self, tmp_path, monkeypatch, groups):
        """A real file of so many takes long to write, so the limit is lowered."""
        monkeypatch.setattr("cautious.predictions._table.ROW_GROUPS", 3)
        table = pa.table({"y_true": [0, 1] * 6, "score": np.arange(12) / 12})
        path = tmp_path / "p.parquet"
        pq.write_table(table, path, row_group_size=12 // groups)
        if groups == 3:
            assert read_predictions(path).n == summarise(path).n_rows == 12
            return
        for read in (read_predictions, summarise):
            with pytest.raises(InputError, match="there are 4 row groups, and at most 3 are"):
                read(path)

    @pytest.mark.parametrize("levels", [limits.JSON_DEPTH, limits.JSON_DEPTH + 1])
    def test_json(self, levels):
        text = "[" * (levels + 1) + "]" * (levels + 1)
        if levels <= limits.JSON_DEPTH:
            assert parsed_json(text)
            return
        with pytest.raises(ValueError, match="nested more than 12 deep"):
            parsed_json(text)

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("[" * 100_000, "nested more than 12 deep|Expecting value"),
            ('{"a": 1, "a": 1}', "'a' is given twice"),
            ("[NaN]", "NaN is no number"),
            ('"' + "x" * 50 + '"', "more than 40 characters"),
        ],
    )
    def test_odd_json(self, text, why):
        with pytest.raises(ValueError, match=why):
            parsed_json(text, 40 if "xx" in text else limits.JSON)

    def test_labels_of_many_batches(self, monkeypatch):
        """No batch has too many, but all together have."""
        monkeypatch.setattr("cautious.logs.summary.CLASSES", 5)
        batches = [
            pa.record_batch({"y_true": [f"a{k}", f"b{k}"], "score": [0.25, 0.5]}) for k in range(3)
        ]
        with pytest.raises(InputError, match="column 'y_true' holds more than 5 different labels"):
            summarise(iter(batches), pos_label="a0")


class Counted(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons(work, n):
    """How often names are compared while columns of `n` classes are settled."""
    names = [Counted(f"p_{k}") for k in range(n)]
    Counted.compared = 0
    work([Counted("y_true"), *names])
    return Counted.compared


HEADINGS = {
    "names": check_names,
    "guessing": guess_columns,
    "said": lambda names: guess_columns(names, proba=list(names[:0:-1])),
    "notes": lambda names: described(guess_columns(names), names),
    "order": lambda names: column_order(names[:0:-1], names[1:]),
    "settling": lambda names: settle(guess_columns(names), Options(), []),
}


@pytest.mark.parametrize("work", HEADINGS.values(), ids=HEADINGS)
def test_headings_are_read_in_linear_time(work):
    """A list searched for each name would make n²/2 comparisons: 80,000 of 400."""
    few, many = (comparisons(work, n) for n in (100, 400))
    assert many <= 20 * 400, (few, many)
    assert many <= 6 * few + 100, (few, many)


def test_row_groups_are_gathered_in_linear_time(tmp_path, monkeypatch):
    """Each is looked at once and copied once, and few rows are put together."""
    path, n = tmp_path / "p.parquet", 2000
    table = pa.table({"y_true": [0, 1] * n, "score": np.arange(2 * n) / (2 * n)})
    pq.write_table(table, path, row_group_size=2)
    made = []
    real = ParquetPart.__init__
    monkeypatch.setattr(
        ParquetPart,
        "__init__",
        lambda self, *given, **row: (made.append(len(given[2])), real(self, *given, **row))[1],
    )
    parts = source.open_source(path).parts
    assert made == [n], "a part is made once, of all its row groups"
    sizes = [batch.num_rows for part in parts for _, batch in part.batches(["y_true", "score"])]
    assert sizes == [2 * n], "thousands of row groups are one batch"


def peak_of(work):
    """Bytes that Python and numpy hold at most during some work, and what it gives."""
    tracemalloc.start()
    try:
        found = work()
        return tracemalloc.get_traced_memory()[1], found
    finally:
        # Before Python 3.12.9 a thread of Arrow that frees memory just now would crash the process.
        time.sleep(0.05)
        tracemalloc.stop()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("k", [0, 3], ids=["scores", "probabilities"])
def test_memory_of_reading_is_bounded(tmp_path, ending, k):
    """At most three times what the columns take once they are read.

    What Arrow holds is not seen here; ``benchmarks/bench_reading.py`` measures whole processes.
    """
    n, rng = 50_000, np.random.default_rng(0)
    columns = {"y_true": rng.integers(0, max(k, 2), n)}
    p = rng.dirichlet(np.ones(k), n).round(6) if k else rng.random((n, 1))
    columns |= {f"p_{at}" if k else "score": p[:, at] for at in range(max(k, 1))}
    frame = pd.DataFrame(columns)
    path = tmp_path / f"p.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    read_predictions(frame)  # what is imported late is no part of it
    peak, found = peak_of(lambda: read_predictions(path))
    assert found.n == n
    decoded = n * 8 * (1 + max(k, 1))  # the code of a label and the numbers of a row
    assert peak <= 3 * decoded, f"{peak / decoded:.2f} times"


def test_cells_may_be_long_while_other_threads_read(tmp_path):
    """How long cells may be is one number of the process: whoever ends first must not lower it."""
    before = csv.field_size_limit()
    (tmp_path / "p.csv").write_text(f"y_true,y_set,x\na,a,{'x' * 200_000}\nb,a|b,\n")
    first, second = (delimited.open_text(tmp_path / "p.csv").blocks(["x"]) for _ in range(2))
    rows = next(first)
    assert next(second) == rows
    first.close()
    assert csv.field_size_limit() == limits.CELL
    second.close()
    assert csv.field_size_limit() == before
