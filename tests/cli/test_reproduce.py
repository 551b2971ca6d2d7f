"""``cautious reproduce``: a call of the library, then pictures and the page."""

import builtins
import os
from pathlib import Path

import pandas as pd
import pytest

from cautious.papers import PAPERS, Cell, Figure, Reproduction, Table


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
        monkeypatch.setattr(f"cautious.papers.{key}.reproduce_{key}", replaced(key))
    return made


FILES = {".txt", "-table-1.csv", "-fig-1.csv"}


def test_it_is_one_call_of_the_library(run, calls, tmp_path):
    result = run("reproduce", "yang", "--quick", "-o", "here", "--jobs", 2)
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
        run("reproduce", "friedel", option)
        assert calls.pop()[1]["weka"] == asked


def test_all_papers_make_a_page(run, calls, tmp_path):
    result = run("reproduce", "all", "-o", "here", "--docs", "docs")
    assert result.stdout.count("Table 1. ours, theirs") == 4
    page = (tmp_path / "here" / "REPRODUCTION.md").read_text()
    assert "](reproduction-ferri.png)" in page
    assert (
        "](_static/reproduction-ferri.png)" in (tmp_path / "docs" / "reproduction.md").read_text()
    )
    sheets = {f.name for f in (tmp_path / "docs" / "_static").iterdir()}
    assert sheets == {f"reproduction-{key}.png" for key in PAPERS}


def test_the_page_of_the_docs_is_about_all_papers(fails, calls):
    assert "--docs is for the page of all papers" in fails("reproduce", "yang", "--docs", "docs")
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
    assert said in fails("reproduce", "all", *options)
    assert calls == []


def test_a_read_only_folder_is_told_before_the_run(fails, calls, tmp_path, monkeypatch):
    (tmp_path / "shut").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shut")
    said = "--output is shut/new, but shut is read-only; name another folder."
    assert said in fails("reproduce", "all", "--output", "shut/new")
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
    monkeypatch.setattr("cautious.errors.find_spec", lambda name: None)
    result = run("reproduce", "all", "-o", "here")
    assert "no pictures: drawing needs matplotlib" in result.stderr
    found = {f.name for f in (tmp_path / "here").iterdir()}
    assert found == {f"{key}{end}" for key in PAPERS for end in FILES} | {"REPRODUCTION.md"}


def test_unknown_papers_are_told_before_anything_else(run, fails, tmp_path):
    assert "Did you mean 'yang'" in fails("reproduce", "yung")
    # Not that it is going to take hours.
    assert len(run("reproduce", "yung", code=2).stderr.splitlines()) == 1
    assert len(run("reproduce", "yang", "--docs", "docs", code=2).stderr.splitlines()) == 1
    assert not (tmp_path / "reproduction").exists()


@pytest.mark.slow
def test_yang_for_real(run, tmp_path):
    result = run("reproduce", "yang", "--quick", "-o", "yang")
    assert "Yang" in result.stdout
    assert (tmp_path / "yang" / "yang-fig-3.png").is_file()
    assert (tmp_path / "yang" / "yang-fig-3.csv").is_file()
