"""Whatever is in a file of predictions: an answer, or one line that names the file."""

import os
import re
import threading

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


def test_a_pipe_is_read_once_and_whole(tmp_path):
    """As of ``cautious evaluate <(zcat log.gz)``: the heading must not be lost to a first look."""
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(SCORES,), daemon=True)
    writer.start()
    result = run(tmp_path, "evaluate", "pipe", "--json")
    writer.join(timeout=10)
    assert result.exit_code == 0, result.stderr


def test_folders_links_and_nothing(tmp_path):
    (tmp_path / "t.csv").write_text(SCORES)
    (tmp_path / "link.csv").symlink_to("t.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "folder" / "empty").mkdir(parents=True)
    (tmp_path / "folder" / "t.csv").write_text(SCORES)
    assert run(tmp_path, "evaluate", "link.csv").exit_code == 0
    assert "does not exist" in error_of(run(tmp_path, "evaluate", "loop.csv"))
    folder = error_of(run(tmp_path, "evaluate", "folder"))
    assert "folder is a folder" in folder
    assert folder.endswith("read a folder as one log with --engine local.")
    assert "holds no file whose name ends" in error_of(run(tmp_path, "evaluate", "folder/empty"))
    assert "x" * 50 in error_of(run(tmp_path, "evaluate", "x" * 300))
    assert "a\\x00b does not exist" in error_of(run(tmp_path, "evaluate", "a\0b"))


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
