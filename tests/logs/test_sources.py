import csv
import io
import os
import pickle
import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious import apply, watch
from cautious.curves import Staircase
from cautious.decision import Rule
from cautious.errors import InputError
from cautious.logs import _source as source
from cautious.logs import engines, summarise
from cautious.logs._source import open_source
from cautious.logs.engines import summarise_block
from cautious.logs.entry import _checked
from cautious.logs.plan import Plan
from cautious.predictions._delimited import open_text


@pytest.fixture
def log(make_binary_log):
    return make_binary_log(5000, decimals=3)


@pytest.fixture
def expected(log):
    return Staircase.from_predictions(log["y_true"], log["score"])


def write_parts(log, folder, n=4, row_group_size=300, **options):
    folder.mkdir(exist_ok=True)
    for at, rows in enumerate(np.array_split(np.arange(len(log)), n)):
        table = pa.Table.from_pandas(log.iloc[rows], preserve_index=False)
        path = folder / f"part-{at}.parquet"
        pq.write_table(table, path, row_group_size=row_group_size, **options)
    return folder


def test_one_parquet_file_and_folders_and_patterns(log, expected, tmp_path):
    folder = write_parts(log, tmp_path / "log")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    assert summarise(folder).staircase() == expected
    assert summarise(str(folder)).staircase() == expected
    assert summarise(str(folder / "part-*.parquet")).staircase() == expected
    assert summarise(sorted(folder.glob("*.parquet"))).staircase() == expected
    assert summarise(folder.as_uri()).staircase() == expected
    one = summarise(folder / "part-0.parquet")
    assert one.n_rows == 1250
    assert summarise((folder / "part-0.parquet").as_uri()) == one


def test_csv(log, expected, tmp_path):
    for at, part in enumerate((log.iloc[:700], log.iloc[700:])):
        part.to_csv(tmp_path / f"{at}.csv", index=False)
    log.to_csv(tmp_path / "whole.csv.gz", index=False)
    expected = replace(expected, classes=("0", "1"))  # text as written
    assert summarise([tmp_path / "0.csv", tmp_path / "1.csv"]).staircase() == expected
    assert summarise(tmp_path / "whole.csv.gz").staircase() == expected
    assert summarise((tmp_path / "0.csv").as_uri()).n_rows == 700


def test_tables_batches_readers_and_iterators(log, expected):
    table = pa.Table.from_pandas(log, preserve_index=False)
    assert summarise(table).staircase() == expected
    assert summarise(table.combine_chunks().to_batches()[0]).staircase() == expected
    assert summarise(table.to_reader(max_chunksize=99)).staircase() == expected
    assert summarise(iter(table.to_batches(77))).staircase() == expected
    assert summarise(table.slice(k, 1000) for k in range(0, 5000, 1000)).staircase() == expected


def test_batches_of_more_than_one_block(log, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "BATCH_ROWS", 128)
    monkeypatch.setattr(source, "_PART_ROWS", 600)
    folder = write_parts(log, tmp_path / "log")
    assert summarise(folder).staircase() == expected
    assert summarise(log).staircase() == expected
    rounded = summarise(folder, memory_budget=32 * 1024, n_threads=3)
    assert not rounded.exact
    assert rounded == summarise(log, memory_budget=32 * 1024, n_threads=1)


def test_progress(log, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_PART_ROWS", 300)
    folder = write_parts(log, tmp_path / "log")
    told = []
    summarise(folder, progress=lambda *rows: told.append(rows))
    assert len(told) == 20
    assert told[-1] == (5000, 5000)
    assert all(a[0] < b[0] for a, b in pairwise(told))


def test_few_fragments_are_in_memory_at_a_time(log):
    given = taken = 0
    most = 0
    lock = threading.Lock()

    def batches():
        nonlocal given
        for batch in pa.Table.from_pandas(log, preserve_index=False).to_batches(50):
            given += 1
            yield batch

    def progress(done, _):
        nonlocal taken, most
        with lock:
            taken += 1
            most = max(most, given - taken)

    summarise(batches(), n_threads=2, progress=progress)
    assert given == 100
    assert most <= 4


def test_an_empty_part_is_fine_but_an_empty_log_is_not(log, expected, tmp_path):
    folder = write_parts(log, tmp_path / "log")
    none = pa.Table.from_pandas(log.iloc[:0], preserve_index=False)
    pq.write_table(none, folder / "part-9.parquet")
    assert summarise(folder).staircase() == expected
    table = pa.Table.from_pandas(log, preserve_index=False)
    assert summarise([none, table, none]).staircase() == expected
    with pytest.raises(ValueError, match="there are no rows"):
        summarise(folder / "part-9.parquet")
    with pytest.raises(ValueError, match="yields no batch"):
        summarise([])


def test_a_corrupt_row_group_is_named(log, tmp_path):
    folder = write_parts(log, tmp_path / "log", n=2, write_page_checksum=True)
    path = folder / "part-1.parquet"
    meta = pq.ParquetFile(path).metadata.row_group(3).column(1)
    data = bytearray(path.read_bytes())
    begin = meta.dictionary_page_offset or meta.data_page_offset
    data[begin + meta.total_compressed_size - 5] ^= 0xFF  # in the last page of the column
    path.write_bytes(data)
    with pytest.raises(
        ValueError, match=r"part-1\.parquet: row group 3: this is no whole Parquet file"
    ):
        summarise(folder)


def test_all_files_that_cannot_be_opened_are_counted(log, tmp_path):
    folder = write_parts(log, tmp_path / "log", n=12)
    for at in range(1, 9):
        (folder / f"part-{at}.parquet").write_bytes(b"PAR1 and no more")
    said = (
        r"part-1\.parquet: this is no whole Parquet file .* 8 of the 12 files cannot be read; the "
        r"others are 'part-2\.parquet', 'part-3\.parquet', .*'part-6\.parquet', … 7 in all\."
    )
    with pytest.raises(InputError, match=said):
        summarise(folder)
    for at in range(2, 9):
        (folder / f"part-{at}.parquet").unlink()
    with pytest.raises(InputError, match=r"part-1\.parquet: [^;]*; write or copy it again\.$"):
        summarise(folder)


def test_a_footer_that_contradicts_itself_is_named(log, tmp_path):
    """No checksum protects a footer; one that loses rows must not pass for whole."""
    path = tmp_path / "log.parquet"
    table = pa.Table.from_pandas(log, preserve_index=False)
    pq.write_table(table, path, row_group_size=2000, store_schema=False)
    good = path.read_bytes()
    at = good.rindex(bytes([0xD0, 0x0F]))  # 1000 rows of the last group, as thrift writes them
    path.write_bytes(good[:at] + bytes([0xCE, 0x0F]) + good[at + 2 :])
    with pytest.raises(ValueError, match=r"log\.parquet: 4,999 rows were found where 5,000"):
        summarise(path)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_damaged_bytes_give_an_error_or_the_right_counts(tmp_path, make_binary_log, suffix):
    """With page checksums, nothing that is read wrongly passes; a CSV has no such thing."""
    log = make_binary_log(900, labels=("no", "yes")).assign(group="é")
    path = tmp_path / f"log.{suffix}"
    if suffix == "csv":
        log.to_csv(path, index=False)
    else:
        table = pa.Table.from_pandas(log, preserve_index=False)
        pq.write_table(table, path, row_group_size=300, write_page_checksum=True)
    expected, good = summarise(path, pos_label="yes"), path.read_bytes()
    n_errors = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        data = bytearray(good)
        # From the pages, from the footer, and a piece that is missing.
        at = int(rng.integers(len(data)) if seed % 3 else len(data) - rng.integers(1, 1200))
        data[at : at + (seed % 3) * 7 + 1] = b"" if seed % 3 == 2 else bytes([rng.integers(256)])
        path.write_bytes(data)
        try:
            found, said = summarise(path, pos_label="yes"), None
        except (ValueError, TypeError, OSError) as error:
            said = str(error)
        if said is None:
            assert suffix == "csv" or found == expected, seed
        else:
            n_errors += 1
            assert str(path) in said, seed
    assert n_errors > (30 if suffix == "csv" else 100)


def test_text_that_is_no_text_is_named():
    truth = pa.array([b"no", b"y\xff"], pa.binary())
    bad = pa.table({"y_true": pa.Array.from_buffers(pa.string(), 2, truth.buffers())})
    with pytest.raises(
        ValueError, match=r"column 'y_true' is of the kind string.*codec can't decode"
    ):
        summarise(bad.append_column("score", pa.array([0.1, 0.2])), pos_label="no")


def test_a_schema_that_changes_is_named_before_anything_is_read(log, tmp_path):
    folder = write_parts(log, tmp_path / "log", n=2)
    other = log.astype({"y_true": str})
    pq.write_table(pa.Table.from_pandas(other, preserve_index=False), folder / "part-7.parquet")
    with pytest.raises(
        ValueError,
        match=r"part-7\.parquet: column 'y_true' holds text \(.*string\), but in .*part-0",
    ):
        summarise(folder)
    short = pa.Table.from_pandas(log[["y_true"]], preserve_index=False)
    pq.write_table(short, folder / "part-7.parquet")
    with pytest.raises(ValueError, match=r"part-7\.parquet: column 'score' is missing, but"):
        summarise(folder)
    reordered = pa.Table.from_pandas(log[["score", "y_true"]], preserve_index=False)
    pq.write_table(reordered, folder / "part-7.parquet")
    assert summarise(folder).n_rows == 10_000


NARROW = {
    "whole numbers": {"y_true": pa.int32(), "score": pa.float64()},
    "single precision": {"y_true": pa.int64(), "score": pa.float32()},
    "unsigned": {"y_true": pa.uint8(), "score": pa.float16()},
}


@pytest.mark.parametrize("kinds", NARROW)
@pytest.mark.parametrize("first", ["wide", "narrow"])
def test_files_whose_numbers_are_of_other_widths_are_one_log(tmp_path, kinds, first):
    rows = {"y_true": [0, 1, 0, 1], "score": [0.25, 0.75, 0.5, 0.375]}
    wide = pa.table(rows)
    schema = pa.schema(NARROW[kinds])
    arrays = [pa.array(rows[name]).cast(schema.field(name).type) for name in rows]
    parts = [wide, pa.Table.from_arrays(arrays, schema=schema)]
    (tmp_path / "log").mkdir()
    for at, table in enumerate(parts if first == "wide" else parts[::-1]):
        with pa.ipc.new_file(str(tmp_path / f"log/{at}.arrow"), table.schema) as writer:
            writer.write_table(table)
    assert summarise(tmp_path / "log") == summarise(pa.concat_tables([wide, wide]))


NUMBERS = [(pa.int64(), pa.float64()), (pa.bool_(), pa.int64()), (pa.bool_(), pa.float64())]


def files_of_two_kinds(folder, kinds):
    """Write files that hold the same rows, with truths, groups and scores of other kinds."""
    folder.mkdir()
    for at, kind in enumerate(kinds):
        labels = pa.array([0, 1, 1, 0]).cast(kind)
        score = pa.array([0, 1, 1, 0]).cast([pa.int8(), pa.float64()][at])
        rows = {"y_true": labels, "score": score, "site": labels}
        pq.write_table(pa.table(rows), folder / f"{at}.parquet")
    return folder


@pytest.mark.parametrize("kinds", NUMBERS, ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_numbers_that_mean_the_same_are_one_log_whatever_their_kind(tmp_path, kinds, turned):
    folder = files_of_two_kinds(tmp_path / "log", kinds[::-1] if turned else kinds)
    wide = pa.schema({"y_true": kinds[1], "score": pa.float64(), "site": kinds[1]})
    one = pa.concat_tables(pq.read_table(folder / f"{at}.parquet").cast(wide) for at in (0, 1))
    found, known = (summarise(source, groups="site") for source in (folder, one))
    assert found == known
    assert [*map(repr, found.classes)] == [*map(repr, known.classes)]
    assert found.groups == known.groups == ["0", "1"]
    # On workers as here.
    opened = open_source(str(folder))
    plan = Plan.of(opened.schema, groups="site")
    parts = pickle.loads(pickle.dumps(list(opened.alike("y_true", "site"))))
    assert _checked(summarise_block(parts, plan), None, "") == known
    answered = apply(folder, Rule.window(0.3, 0.6), path=tmp_path / "answers.parquet")
    assert answered.counts[""].n == 8
    assert pq.read_table(tmp_path / "answers.parquet").schema.field("site").type == kinds[1]
    seen = watch(folder, Rule.window(0.3, 0.6), max_error=0.1, groups="site")
    assert seen.groups == ("0", "1")
    assert seen.later == ()
    assert seen.total()["wrong"] == 0
    assert seen.total()["labelled"] == 8


def test_truth_values_are_no_scores_beside_numbers_either(tmp_path):
    for at, score in enumerate(([0, 1], [False, True])):
        pq.write_table(pa.table({"y_true": [0, 1], "score": score}), tmp_path / f"{at}.parquet")
    with pytest.raises(InputError, match=r"1\.parquet: column 'score', row 0: 'False' is not a nu"):
        summarise(tmp_path)


def test_numbers_too_large_to_be_both_kinds_are_refused(tmp_path):
    kinds, values = (pa.int64(), pa.float64()), (0, 1, 2**53 + 1, 0)
    folder = tmp_path / "log"
    folder.mkdir()
    for at, kind in enumerate(kinds):
        large = pa.array(values if at == 0 else values[:2] * 2).cast(kind)
        rows = {"y_true": [0, 1, 0, 1], "score": [0.1, 0.9, 0.2, 0.8], "site": large}
        pq.write_table(pa.table(rows), folder / f"{at}.parquet")
    assert summarise(folder).n_rows == 8
    words = r"1\.parquet: column 'site' holds numbers \(double\), but in .*0\.parquet"
    for ask in (
        lambda: summarise(folder, groups="site"),
        lambda: apply(folder, Rule.window(0.3, 0.6), path=tmp_path / "answers.parquet"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            ask()
        assert str(caught.value).count("0.parquet") == 1


TEXTS = (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()))


@pytest.mark.parametrize("kind", TEXTS, ids=str)
@pytest.mark.parametrize("other", [*TEXTS, pa.null()], ids=str)
def test_files_whose_text_is_of_other_kinds_are_one_log(tmp_path, kind, other):
    table = pa.table({"y_true": ["no", "yes", "no"], "score": [0.25, 0.75, 0.5]})
    pair = []
    for one in (kind, other):
        truth = pa.nulls(3) if one == pa.null() else table["y_true"].combine_chunks().cast(one)
        pair.append(table.set_column(0, "y_true", truth))
        pq.write_table(pair[-1], tmp_path / f"{len(pair)}.parquet")
    found = summarise(tmp_path, drop_missing=True)
    known = [table] * (1 + (other != pa.null()))
    assert found.staircase() == summarise(pa.concat_tables(known)).staircase()


def test_answers_to_files_of_other_kinds_are_one_file(tmp_path):
    (tmp_path / "log").mkdir()
    for name, whole, number in (("a", pa.int32(), pa.float32()), ("b", pa.int64(), pa.float64())):
        rows = {"id": pa.array([1, 2], whole), "score": pa.array([0.25, 0.75], number)}
        pq.write_table(pa.table(rows), tmp_path / f"log/{name}.parquet")
    apply(tmp_path / "log", Rule.window(0.3, 0.6), path=tmp_path / "answers.parquet")
    found = pq.read_table(tmp_path / "answers.parquet")
    assert found.schema.field("id").type == pa.int64()
    assert found["score"].to_pylist() == [0.25, 0.75] * 2
    assert found["y_set"].to_pylist() == ["0", "1"] * 2


def test_whole_numbers_that_no_kind_holds_are_refused(tmp_path):
    for name, kind in (("a", pa.int64()), ("b", pa.uint64())):
        rows = {"y_true": pa.array([0, 1], kind), "score": [0.25, 0.75]}
        pq.write_table(pa.table(rows), tmp_path / f"{name}.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet: column 'y_true' holds numbers \(uint64\)"):
        summarise(tmp_path)


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_the_first_of_several_bad_files_is_named(tmp_path, n_threads):
    good = "y_true,score\n" + "0,0.25\n1,0.75\n" * 2000
    for at in range(12):
        # Files with a bad row are shorter, so that later ones are refused sooner.
        short = "y_true,score\n" + "0,0.25\n" * (100 * (12 - at)) + "1,bad\n"
        (tmp_path / f"{at:02}.csv").write_text(short if at in (3, 4, 9, 11) else good)
    for _ in range(5):
        with pytest.raises(ValueError, match=r"03\.csv: column 'score', line 902"):
            summarise(tmp_path, n_threads=n_threads)


def test_the_first_of_several_damaged_files_is_named(log, tmp_path):
    folder = write_parts(log, tmp_path / "log", n=8)
    for at in (2, 5, 6):
        path = folder / f"part-{at}.parquet"
        data = bytearray(path.read_bytes())
        data[200:260] = bytes(60)
        path.write_bytes(bytes(data))
    for _ in range(5):
        with pytest.raises(ValueError, match=r"part-2\.parquet: row group 0: this is no whole"):
            summarise(folder, n_threads=4)


def test_batches_whose_columns_change(log):
    table = pa.Table.from_pandas(log, preserve_index=False)
    with pytest.raises(ValueError, match="batch 1: there is no column 'score'"):
        summarise([table, table.drop_columns("score")])


def test_a_missing_column_is_named(log, tmp_path):
    folder = write_parts(log.rename(columns={"score": "thing"}), tmp_path / "log")
    with pytest.raises(ValueError, match=r"log: no column holds predictions.*'thing'"):
        summarise(folder)
    with pytest.raises(ValueError, match=r"log: score is 'score', but the columns are"):
        summarise(folder, score="score")


def test_a_file_deleted_while_it_is_read(log, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_PART_ROWS", 300)
    folder = write_parts(log, tmp_path / "log")

    def delete(*_):
        (folder / "part-3.parquet").unlink(missing_ok=True)

    with pytest.raises(FileNotFoundError, match=r"part-3\.parquet"):
        summarise(folder, n_threads=1, progress=delete)


def test_a_file_replaced_while_it_is_read(log, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_PART_ROWS", 300)
    folder = write_parts(log, tmp_path / "log", row_group_size=300)
    shorter = pa.Table.from_pandas(log.iloc[:1200], preserve_index=False)

    pq.write_table(shorter, tmp_path / "shorter", row_group_size=290)

    def replace(*_):
        if (tmp_path / "shorter").exists():
            os.replace(tmp_path / "shorter", folder / "part-3.parquet")

    message = r"part-3\.parquet: row group 0: 290 rows were found where 300 are promised"
    with pytest.raises(ValueError, match=message):
        summarise(folder, n_threads=1, progress=replace)


def test_a_csv_is_text_from_beginning_to_end(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["y_true,score"] + ["1,0.5"] * 200_000 + ["x,0.5"]))
    with pytest.raises(ValueError, match=r"log\.csv: the classes are '1', 'x'; say which"):
        summarise(path)
    assert summarise(path, pos_label="x").staircase().n_positives == 1


def test_a_csv_whose_first_numbers_are_whole(tmp_path):
    path = tmp_path / "log.csv"
    rows = ["y_true,score,weight"] + ["1,1,2"] * 200_000 + ["0,0.5,0.25"]
    path.write_text("\n".join(rows))
    found = summarise(path).staircase()
    assert found.scores.tolist() == [0.5, 1]
    assert found.negatives.tolist() == [0.25, 0]
    (tmp_path / "next.csv").write_text("y_true,score,weight\n1,0.75,1\n")
    assert summarise(tmp_path).staircase().scores.tolist() == [0.5, 0.75, 1]
    (tmp_path / "next.csv").write_text("y_true,score\n1,0.75\n")
    with pytest.raises(ValueError, match=r"next\.csv: column 'weight' is missing, but"):
        summarise(tmp_path)


def test_what_is_no_source(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        summarise(tmp_path / "nothing.parquet")
    with pytest.raises(FileNotFoundError, match="holds no file whose name ends in"):
        summarise(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        summarise((tmp_path / "nothing").as_uri())
    with pytest.raises(TypeError, match="source is int"):
        summarise(3)
    with pytest.raises(TypeError, match="source yields int"):
        summarise([1, 2])


def test_columns_that_arrow_cannot_hold_matter_only_if_used(log, expected):
    odd = log.assign(extra=[object() for _ in range(len(log))])
    assert summarise(odd).staircase() == expected


@pytest.mark.parametrize("n_groups", [1, 2000])
def test_many_small_row_groups_make_few_batches(tmp_path, monkeypatch, n_groups):
    rows = np.arange(4000)
    table = pa.table({"y_true": rows % 2, "score": rows % 7 / 8})
    pq.write_table(table, tmp_path / "log.parquet", row_group_size=4000 // n_groups)
    read = []
    summarised = engines.summarise_batch
    monkeypatch.setattr(
        engines,
        "summarise_batch",
        lambda batch, *a, **k: read.append(1) or summarised(batch, *a, **k),
    )
    assert summarise(tmp_path).n_rows == 4000
    assert len(read) == 1


def test_arrow_files_and_other_frames(log, expected, tmp_path):
    table = pa.Table.from_pandas(log, preserve_index=False)
    with pa.ipc.new_file(str(tmp_path / "log.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=700)
    assert summarise(tmp_path / "log.arrow").staircase() == expected
    assert summarise(tmp_path).staircase() == expected
    with pa.ipc.new_stream(str(tmp_path / "stream.arrows"), table.schema) as writer:
        writer.write_table(table)
    assert summarise(tmp_path / "stream.arrows").staircase() == expected
    polars = pytest.importorskip("polars")
    assert summarise(polars.from_arrow(table)).staircase() == expected
    assert summarise(polars.from_arrow(table).lazy()).staircase() == expected
    (tmp_path / "log.arrow").write_bytes((tmp_path / "log.arrow").read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"log\.arrow.*this is no whole Arrow file"):
        summarise(tmp_path / "log.arrow")


def test_text_in_other_encodings(tmp_path):
    text = "y_true;score\nthé;0.25\ncafé;0.75\n"
    path = tmp_path / "log.csv"
    path.write_text(text, encoding="utf-16")
    assert summarise(path, pos_label="café").staircase().scores.tolist() == [0.25, 0.75]
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert summarise(path, pos_label="café").staircase().scores.tolist() == [0.25, 0.75]
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"this is not text in UTF-8 \(byte 15\).* encoding"):
        summarise(path)
    assert summarise(path, pos_label="café", encoding="latin-1").n_rows == 2


def test_a_csv_that_turns_out_to_be_quoted_goes_on_where_it_is(tmp_path, monkeypatch):
    """Arrow reads what is plain; from the first odd quotation mark on, the strict reader does."""
    monkeypatch.setattr("cautious.predictions._delimited._ARROW_READ", 1 << 12)
    rng = np.random.default_rng(0)
    scores = rng.random(5000).round(3)
    rows = [f"{k % 2},{score}" for k, score in enumerate(scores)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["y_true,score", *rows]))
    expected = summarise(path)
    rows[3210] = f'"{3210 % 2}",{scores[3210]}'
    path.write_text("\n".join(["y_true,score", *rows]))
    assert summarise(path) == expected
    rows[4321] = '1,"0.5 "x'
    path.write_text("\n".join(["y_true,score", *rows]))
    with pytest.raises(InputError, match="line 4323 has a quotation"):
        summarise(path)


ODD_TEXT = st.text('ab," \n\r\u00e9', max_size=40)
TABLES = st.lists(st.tuples(*[st.text('a,"; \u00e9', max_size=3)] * 3), max_size=6)


def cells_or_error(blocks):
    """All cells that are read, or what is said instead."""
    try:
        return [cell for block in blocks for cell in zip(*block, strict=True)]
    except InputError as error:
        return str(error)


@given(ODD_TEXT, TABLES, st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_quoted_text_is_read_as_the_strict_reader_does(odd, rows, quoting):
    written = io.StringIO()
    csv.writer(written, quoting=quoting).writerows([("x", "y", "z"), *rows])
    for text, plain in ((written.getvalue(), True), (written.getvalue() + odd, False)):
        opened = open_text(text.encode())
        strict = cells_or_error(block.values() for _, block in opened.blocks(["z", "x"]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("cautious.predictions._delimited._ARROW_READ", 1 << 24 if plain else 32)
            if plain:  # by Arrow alone
                patch.setattr(type(opened), "blocks", None)
            read = source.TextPart("log", opened).batches(["z", "x"])
            found = cells_or_error([c.to_pylist() for c in batch.columns] for _, batch in read)
        assert found == strict


def test_columns_of_several_kinds_are_read_as_in_memory():
    mixed = pd.DataFrame({"y": [1, "a", 1, "a"], "score": [0.1, "0.4", 0.9, 0.5]})
    assert summarise(mixed, pos_label="a").staircase().scores.tolist() == [0.1, 0.4, 0.5, 0.9]
    assert summarise(mixed, pos_label="a").classes.tolist() == ["1", "a"]
    mixed["score"] = [0.1, object(), 0.9, 0.5]
    with pytest.raises(InputError, match="column 'score', row 1: '<object object"):
        summarise(mixed, pos_label="a")
    sets = pd.DataFrame({"y": ["a", "b", "b"]})
    for kind in (set, frozenset, tuple, list, np.array):
        sets["y_set"] = [kind(["a"]), kind(["a", "b"]), kind(["b"])]
        assert summarise(sets).counts().size.tolist() == [1, 1, 2]


def test_numbers_of_the_other_byte_order(log, expected):
    turned = log.astype({"y_true": ">i8", "score": ">f8"})
    assert summarise(turned).staircase() == expected


@pytest.mark.parametrize("block", [16, 23, 64, 1 << 24])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_of_text_end_with_lines(block, end, tmp_path, monkeypatch):
    monkeypatch.setattr("cautious.predictions._delimited._ARROW_READ", block)
    rows = [f"{k % 2},{k / 50},größer" for k in range(40)]
    path = tmp_path / "log.csv"
    path.write_bytes(end.join(["y,score,note", *rows]).encode())
    (part,) = source.open_source(path).parts
    batches = [batch for _, batch in part.batches(["y", "score"])]
    assert sum(batch.num_rows for batch in batches) == 40
    assert [cell for batch in batches for cell in batch["score"].to_pylist()] == [
        str(k / 50) for k in range(40)
    ]
    assert (len(batches) > 2) == (block < 1 << 20)  # the last line has no end


def test_arrow_is_given_no_file_of_python(tmp_path, monkeypatch):
    # Its threads would hold the file when Python ends, and end the process with an abort.
    from pyarrow import csv

    given = []
    read = csv.read_csv
    monkeypatch.setattr(
        csv, "read_csv", lambda data, **how: given.append(data) or read(data, **how)
    )
    monkeypatch.setattr(csv, "open_csv", None)
    path = tmp_path / "log.csv"
    path.write_text("y,score\n1,.9\n0,.1\n", encoding="utf-8")
    (part,) = source.open_source(path).parts
    assert sum(batch.num_rows for _, batch in part.batches(["y"])) == 2
    assert [type(data).__name__ for data in given] == ["BufferReader"]


def test_a_column_that_nobody_uses_does_not_matter(tmp_path):
    (tmp_path / "log").mkdir()
    kinds = (pa.array([1, 2]), pa.array(["x", "y"]), pa.array([1.5, 2.5]))
    for at, stamps in enumerate(kinds):
        rows = {"ts": stamps, "y_true": [0, 1], "score": [0.25, 0.75]}
        pq.write_table(pa.table(rows), tmp_path / f"log/{at}.parquet")
    assert summarise(tmp_path / "log").n_rows == 6
    rule = Rule.window(0.3, 0.6)
    assert apply(tmp_path / "log", rule).n == 6
    seen = watch(tmp_path / "log", rule, max_error=0.1)
    assert seen.total()["cases"] == 6
    said = r"1\.parquet: column 'ts' holds text \(string\), but in .*0\.parquet"
    with pytest.raises(ValueError, match=said):
        apply(tmp_path / "log", rule, path=tmp_path / "answers.parquet")
    for use in (
        lambda: summarise(tmp_path / "log", groups="ts"),
        lambda: watch(tmp_path / "log", rule, max_error=0.1, groups="ts"),
        lambda: watch(tmp_path / "log", rule, max_error=0.1, score="ts"),
        lambda: apply(tmp_path / "log", rule, score="ts"),
    ):
        with pytest.raises(ValueError, match=said):
            use()
