"""Whatever is in a file of predictions: an answer, or one line that names the file."""

import gzip
import io
import os
import re
import threading

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from tests.fuzz.fuzz_commands import contents, error_of, run
from tests.fuzz.fuzz_damage import PREDICTIONS, any_file, damaged, parquet
from tests.fuzz.fuzz_effort import effort, fuzz

COMMANDS = [
    ("evaluate", "--json"),
    ("evaluate", "--csv"),
    ("evaluate", "--level", "0.9", "--resamples", "10"),
    ("evaluate", "--empty", "abstain"),
    ("evaluate", "--utility", "u65"),
    ("tune", "--max-error", "0.1"),
    ("tune", "--mistake", "1", "--abstain", "0.2"),
    ("compare", "--resamples", "10"),
    ("report", "-o", "report.html"),
]
SCORES = PREDICTIONS["scores"]

# What is said of models that a column names: by that name, not by the file's.
OF_MODELS = re.compile("only one model|give both|about other classes|no row has the truth")


def judge(folder, name, content, command):
    (folder / name).write_bytes(content)
    verb, *options = command
    written = folder / "report.html"
    written.unlink(missing_ok=True)
    result = run(folder, verb, name, *options, writes="report.html")
    if result.exit_code == 2 and not OF_MODELS.search(error_of(result)):
        assert name.split(".")[0] in error_of(result), result.stderr
    (folder / name).unlink()


@effort(25, 2000)
def test_text(examples, tmp_path):
    fuzz(
        lambda name, content, command: judge(tmp_path, name, content, command),
        examples,
        name=st.sampled_from(["table.csv", "table.tsv", "table.txt", "table.csv.gz", "table"]),
        content=any_file(PREDICTIONS),
        command=st.sampled_from(COMMANDS),
    )


@effort(25, 3000)
def test_parquet(examples, tmp_path):
    whole = [parquet(PREDICTIONS[name]) for name in ("scores", "probabilities", "sets")]
    fuzz(
        lambda name, content, command: judge(tmp_path, name, content, command),
        examples,
        name=st.sampled_from(["table.parquet", "table.csv"]),
        content=st.sampled_from(whole).flatmap(damaged),
        command=st.sampled_from(COMMANDS),
    )


@effort(15, 800)
def test_what_is_written_well_is_read_well(examples, tmp_path):
    """Labels and separators of any kind, quoted as CSV asks: the classes come back."""
    mark = st.sampled_from([",", ";", "\t"])
    label = st.text(
        st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='"'),
        min_size=1,
        max_size=6,
    ).map(lambda text: f"c{text}c")

    def law(labels, mark, packed, newline):
        rows = [("y_true", "score"), *((text, k / 8) for k, text in enumerate(labels * 2))]
        text = newline.join(f'"{a}"{mark}"{b}"' for a, b in rows) + newline
        content = text.encode()
        (tmp_path / "t.csv").write_bytes(gzip.compress(content) if packed else content)
        result = run(
            tmp_path, "tune", "t.csv", "--positive", labels[0], "--max-error", "0.1", "--json"
        )
        assert result.exit_code == 0, result.stderr
        assert f'"n": {2 * len(labels)}' in result.stdout

    fuzz(
        law,
        examples,
        labels=st.lists(label, min_size=2, max_size=2, unique=True),
        mark=mark,
        packed=st.booleans(),
        newline=st.sampled_from(["\n", "\r\n"]),
    )


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "packed"])
def test_gzip_is_known_by_its_content(tmp_path, mark, name):
    (tmp_path / name).write_bytes(gzip.compress(SCORES.replace(",", mark).encode()))
    assert run(tmp_path, "evaluate", name, "--json").exit_code == 0


def test_gzip_cut_short(tmp_path):
    whole = gzip.compress(SCORES.encode() * 200)
    (tmp_path / "t.csv.gz").write_bytes(whole[: len(whole) // 2])
    assert "damaged gzip data" in error_of(run(tmp_path, "evaluate", "t.csv.gz"))
    (tmp_path / "t.csv.gz").write_bytes(whole[:12])
    assert "t.csv.gz" in error_of(run(tmp_path, "evaluate", "t.csv.gz"))


def test_a_pipe_is_read_once_and_whole(tmp_path):
    """As of ``cautious evaluate <(zcat log.gz)``: the heading must not be lost to a first look."""
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(SCORES,), daemon=True)
    writer.start()
    result = run(tmp_path, "evaluate", "pipe", "--json")
    writer.join(timeout=10)
    assert result.exit_code == 0, result.stderr


def test_parquet_through_a_pipe_is_refused(tmp_path):
    content = parquet(SCORES)
    assert "cannot be read through a pipe" in error_of(
        run(tmp_path, "evaluate", "-", stdin=content)
    )


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_are_refused(tmp_path, device):
    assert "is a device" in error_of(run(tmp_path, "evaluate", device))


def test_folders_links_and_nothing(tmp_path):
    (tmp_path / "t.csv").write_text(SCORES)
    (tmp_path / "link.csv").symlink_to("t.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "folder").mkdir()
    assert run(tmp_path, "evaluate", "link.csv").exit_code == 0
    assert "does not exist" in error_of(run(tmp_path, "evaluate", "loop.csv"))
    assert "is a folder" in error_of(run(tmp_path, "evaluate", "folder"))
    assert "x" * 50 in error_of(run(tmp_path, "evaluate", "x" * 300))
    assert "a\\x00b does not exist" in error_of(run(tmp_path, "evaluate", "a\0b"))


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"\xd0\xcf\x11\xe0rest"])
def test_workbooks_are_named_for_what_they_are(tmp_path, content):
    (tmp_path / "t.xlsx").write_bytes(content)
    assert "Excel workbook" in error_of(run(tmp_path, "evaluate", "t.xlsx"))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.timestamp("s"), [0, 1]),
        (pa.duration("s"), [0, 1]),
        (pa.date32(), [0, 1]),
        (pa.list_(pa.float64()), [[1.0], [2.0]]),
        (pa.string(), ["low", "high"]),
        (pa.binary(), [b"1", b"\xff"]),
    ],
    ids=str,
)
def test_columns_that_hold_no_numbers(tmp_path, kind, values):
    table = pa.table({"y_true": ["0", "1"], "score": pa.array(values, kind)})
    pq.write_table(table, tmp_path / "t.parquet")
    assert "column 'score'" in error_of(run(tmp_path, "evaluate", "t.parquet"))


@pytest.mark.parametrize("note", [b"{}", b"no JSON", b"\xff"])
def test_damaged_notes_of_pandas(tmp_path, note):
    """Read without them where pyarrow can; refused like any other damage where it cannot."""
    table = pa.table({"y_true": ["0", "1"], "score": [0.1, 0.9]})
    pq.write_table(table.replace_schema_metadata({b"pandas": note}), tmp_path / "t.parquet")
    result = run(tmp_path, "evaluate", "t.parquet")
    assert result.exit_code == 0 or "t.parquet cannot be read" in error_of(result)
    assert result.exit_code == 0 or note != b"{}"


def test_two_columns_of_one_name(tmp_path):
    table = pa.table([["0", "1"], [0.1, 0.2], [0.3, 0.4]], names=["y_true", "score", "score"])
    pq.write_table(table, tmp_path / "t.parquet")
    assert "two columns are called 'score'" in error_of(run(tmp_path, "evaluate", "t.parquet"))


@pytest.mark.parametrize("rows", [1, 20_000])
def test_huge_fields_and_many_columns(tmp_path, rows):
    label = "x" * 30_000
    (tmp_path / "t.csv").write_text(f"y_true,score,{label}\n" + f"{label},1,a\ny,2,b\n")
    result = run(tmp_path, "evaluate", "t.csv", "--positive", "y", "--measure", "vacc")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout) < 3000
    heading = ",".join(f"c{k}" for k in range(rows))
    (tmp_path / "t.csv").write_text(f"{heading}\n{heading}\n")
    assert "in all" in error_of(run(tmp_path, "evaluate", "t.csv")) or rows == 1


@pytest.mark.parametrize("verb", ["tune", "report"])
def test_an_output_is_whole_or_not_there(tmp_path, verb, monkeypatch):
    """What fails while it is written leaves the old file, and nothing beside it."""
    (tmp_path / "t.csv").write_text(SCORES)
    (tmp_path / "out").write_text("old")
    before = contents(tmp_path)
    options = ("--mistake", "1", "--abstain", "0.1") if verb == "tune" else ()

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    assert "the disk is full" in error_of(run(tmp_path, verb, "t.csv", *options, "-o", "out"))
    assert contents(tmp_path) == before


def test_outputs_that_are_no_files(tmp_path):
    (tmp_path / "t.csv").write_text(SCORES)
    tune = ("tune", "t.csv", "--mistake", "1", "--abstain", "0.1", "-o")
    assert "is a folder" in error_of(run(tmp_path, *tune, "."))
    assert "is no folder" in error_of(run(tmp_path, *tune, "nowhere/t.json"))
    (tmp_path / "kept.json").write_text("old")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "link.json").symlink_to(tmp_path / "kept.json")
    assert run(tmp_path, *tune, "sub/link.json", writes="kept.json").exit_code == 0
    assert (tmp_path / "sub" / "link.json").is_symlink()
    assert '"models"' in (tmp_path / "kept.json").read_text()


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    (tmp_path / "t.csv").write_text(SCORES)
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(
        target=lambda: got.append((tmp_path / "pipe").read_text()), daemon=True
    )
    reader.start()
    result = run(tmp_path, "tune", "t.csv", "--mistake", "1", "--abstain", "0.1", "-o", "pipe")
    reader.join(timeout=10)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "pipe").is_fifo()
    assert '"models"' in got[0]


def test_what_is_read_is_not_written_over(tmp_path):
    (tmp_path / "t.csv").write_text(SCORES)
    (tmp_path / "link.csv").symlink_to("t.csv")
    tune = ("tune", "t.csv", "--mistake", "1", "--abstain", "0.1", "-o")
    for output in ("t.csv", "link.csv", "./t.csv"):
        assert "which is read" in error_of(run(tmp_path, *tune, output))


def test_frames_are_read_alike_from_csv_and_parquet(tmp_path):
    frame = pd.read_csv(io.StringIO(SCORES))
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "b.parquet")
    one, two = (run(tmp_path, "evaluate", name, "--json").stdout for name in ("a.csv", "b.parquet"))
    assert one.replace('"a"', '"b"') == two
