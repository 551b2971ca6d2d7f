"""``python -m cautious_reproduction``: one call, then pictures and the page."""

import builtins
import os
from pathlib import Path

import pandas as pd
import pytest

from cautious_reproduction import PAPERS, Cell, Figure, Reproduction, Table
from cautious_reproduction.__main__ import folded


@pytest.fixture
def calls(monkeypatch):
    """Replace the experiments, which take minutes, by one cell and one figure per paper."""
    made = []

    def replaced(key):
        def record(**options):
            made.append((key, {name: str(value) for name, value in options.items()}))
            frame = pd.DataFrame({"x": [0, 1], "y": [1, 2]})
            figure = Figure("Fig. 1", "line", frame, "x", "y")
            table = Table("Table 1", "ours, theirs", [Cell("r", "c", 1.0, 1.0)])
            return Reproduction(key, f"Title of {key}", [table], [figure])

        return record

    for key in PAPERS:
        monkeypatch.setattr(f"cautious_reproduction.{key}.reproduce_{key}", replaced(key))
    return made


FILES = {".txt", "-table-1.csv", "-fig-1.csv"}


def test_it_is_one_call(run, calls, tmp_path):
    result = run("yang", "--quick", "-o", "here", "--jobs", 2)
    asked = {"quick": "True", "folder": "here", "n_jobs": "2", "progress": "None"}
    assert calls == [("yang", asked)]
    assert "Table 1. ours, theirs (1 of 1 cells agree)" in result.stdout
    first, last = result.stderr.splitlines()
    assert "of the paper yang anew, with fewer repeats, which takes minutes" in first
    assert "written to here" in last
    found = {f.name for f in (tmp_path / "here").iterdir()}
    assert found == {f"yang{end}" for end in FILES} | {"yang-fig-1.png"}


def test_weka_can_be_asked_for_and_left_out(run, calls):
    for option, asked in {"--weka": "True", "--no-weka": "False"}.items():
        run("friedel", option)
        assert calls.pop()[1]["weka"] == asked


def test_all_papers_make_a_page(run, calls, tmp_path):
    result = run("all", "-o", "here", "--docs", "docs")
    assert result.stdout.count("Table 1. ours, theirs") == 4
    page = (tmp_path / "here" / "REPRODUCTION.md").read_text()
    assert "](reproduction-ferri.png)" in page
    assert (
        "](_static/reproduction-ferri.png)" in (tmp_path / "docs" / "reproduction.md").read_text()
    )
    sheets = {f.name for f in (tmp_path / "docs" / "_static").iterdir()}
    assert sheets == {f"reproduction-{key}.png" for key in PAPERS}


def test_the_page_of_the_docs_is_about_all_papers(fails, calls):
    assert "--docs is for the page of all papers" in fails("yang", "--docs", "docs")
    assert calls == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--docs", "taken"), "--docs is taken, but taken is a file; name a folder."),
        (("--docs", "taken/docs"), "but taken is a file"),
        (("--docs", "site"), "but site/_static is a file"),
        (("--output", "taken"), "--output is taken, but taken is a file; name a folder."),
    ],
)
def test_a_file_is_no_folder_which_is_told_before_the_run(fails, calls, tmp_path, options, said):
    (tmp_path / "taken").write_text("")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "_static").write_text("")
    assert said in fails("all", *options)
    assert calls == []


def test_a_read_only_folder_is_told_before_the_run(fails, calls, tmp_path, monkeypatch):
    (tmp_path / "shut").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shut")
    said = "--output is shut/new, but shut is read-only; name another folder."
    assert said in fails("all", "--output", "shut/new")
    assert calls == []
    assert not list((tmp_path / "shut").iterdir())


@pytest.mark.filterwarnings("always:no pictures")
def test_without_matplotlib_it_goes_on(run, calls, tmp_path, monkeypatch):
    real = builtins.__import__

    def missing(name, *rest, **named):
        if name.startswith("matplotlib"):
            raise ImportError("No module named 'matplotlib'")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    result = run("all", "-o", "here")
    assert "no pictures: drawing needs matplotlib" in result.stderr
    found = {f.name for f in (tmp_path / "here").iterdir()}
    assert found == {f"{key}{end}" for key in PAPERS for end in FILES} | {"REPRODUCTION.md"}


def test_unknown_papers_are_told_before_anything_else(run, fails, tmp_path):
    assert "Did you mean 'yang'" in fails("yung")
    # Not that it is going to take hours.
    assert len(run("yung", code=2).stderr.splitlines()) == 1
    assert len(run("yang", "--docs", "docs", code=2).stderr.splitlines()) == 1
    assert not (tmp_path / "reproduction").exists()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_words_are_not_broken(width):
    words = "agrees  12  the learner of the paper is not described well enough to be sure"
    prose = " ".join(["every word of this sentence stays whole"] * 6)
    text = f"{prose}\n{words}\nshort"
    lines = folded(text, width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert lines[-1] == "short"
    if width == 40:
        start = next(at for at, line in enumerate(lines) if line.startswith("agrees"))
        assert lines[start + 1].startswith(" " * 12)
        assert lines[start + 1][12] != " "


def test_an_interrupt_says_what_is_kept(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("cautious_reproduction.__main__.reproduce", interrupted)
    said = run("yang", "-o", "kept", code=130).stderr
    assert "error: interrupted; what was computed is kept in kept, and the same command" in said


def test_the_traceback_can_be_asked_for(run, calls):
    with pytest.raises(ValueError, match="Did you mean 'yang'"):
        run("yung", "--debug")


@pytest.mark.slow
def test_yang_for_real(run, tmp_path):
    result = run("yang", "--quick", "-o", "yang")
    assert "Yang" in result.stdout
    assert (tmp_path / "yang" / "yang-fig-3.png").is_file()
    assert (tmp_path / "yang" / "yang-fig-3.csv").is_file()
