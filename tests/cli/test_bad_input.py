"""What the user can mend ends in one clear line and exit code 2; nothing is half done."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

GOOD = "y_true,score\n0,0.1\n1,0.9\n0,0.4\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "standard input is empty"),
        ("\n\n", "standard input is empty"),
        ("y_true,score\n", "no rows"),
        ("a,b\n1,2\n", "no column holds the truth"),
        ("y_true,b\n1,2\n", "no column holds predictions"),
        ("y_true,score,score\n0,1,1\n", "two columns called 'score'"),
        ("y_true,score\n0,0.1\n1,high\n", "'high' in line 3"),
        ("y_true,score\n0,0.1\n1,\n", "holds nothing in line 3"),
        ("y_true,score\n0,nan\n1,0.1\n", "in line 2"),
        ('y_true,score,note\n0,.1,"two\nlines"\n\n  \n1,high,\n', "'high' in line 6"),
        ('y_true,score,note\n0,.1,"' + "long" * 50_000 + '"\n1,high,\n', "'high' in row 2 below"),
        ("y_true,score\n0,0.1\n,0.1\n", "'y_true' is empty in line 3"),
        ("y_true,score\n1,0.1\n1,0.3\n", "every row has the truth '1'"),
        ("y_true,score\na,0.1\nb,0.3\n", "--positive b"),
        ("y_true,score\na,0.1\nb,0.3\nc,0.3\n", "'a', 'b', 'c'"),
        ("y_true,p_0,p_1\n0,0.1,1.9\n", "'p_1' holds no probability in line 2"),
        ("y_true,p_0,p_1\n0,-0.1,0.9\n", "'p_0' holds no probability"),
        ("y_true,p_0,p_1\n0,0.1,0.8\n", "add up to 0.9 in line 2"),
        ("y_true,p_1\n0,1.5\n1,0.2\n", "name the column with --score"),
        ("y_true,p_a,p_b,p_c\nd,.5,.2,.3\n", "'d', which is not among the classes 'a', 'b', 'c'"),
        ("y_true,p_a,p_b\na,.5,.5\n", "no row has the truth 'b'"),
        ("y_true,p_a\nb,.5\nb,.2\n", "the positive class is 'a', but the truths are 'b'"),
        ("y_true,score,weight\n0,.5,1\n1,.2,-1\n", "weight"),
        ("y_true,y_set\na,a\na,\n", "only one class"),
        ("y_true,score,y_set\n0,.1,0\n1,.2,0|2\n", "the set in line 3 names '2'"),
        ("y_true,set_a,set_b\na,1,maybe\n", "'maybe' in line 2"),
        ("y_true,set_a,set_b\nc,1,0\n", "which is not among the classes"),
        ("y_true,p_a,p_b,p_c,set_a,set_b\na,.4,.3,.3,1,0\n", "no set column of the class 'c'"),
        ("y_true,score\n0,0.1,7\n1,0.2,8\n", "no regular CSV table"),
        ('y_true,score\n0,"0.1\n1,0.2\n', "no regular CSV table"),
        ("y_true,score,model\n0,1,x\n1,2,x\n1,1,y\n", "y: no row has the truth '0'"),
    ],
)
def test_bad_tables(fails, text, words):
    assert words in fails("evaluate", "-", stdin=text)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nowhere.csv"], "nowhere.csv does not exist"),
        (["."], "is a folder"),
        (["-", "--truth", "y_ture"], "Did you mean 'y_true'?"),
        (["-", "--score", "p"], "--score is 'p'"),
        (["-", "--weight", "w"], "--weight is 'w'"),
        (["-", "--proba", "q_"], "no column is called or begins so"),
        (["-", "--sets", "q_"], "no column is called or begins so"),
        (["-", "--proba", "s", "--score", "score"], "both given"),
        (["-", "--positive", "2"], "the positive class is '2'"),
        (["-", "--json", "--csv"], "both given"),
        (["-", "--window", "0.8", "0.2"], "0.8"),
        (["-", "--window", "0.2", "0.8", "--utility", "u65"], "give one of them"),
        (["-", "--utility", "u65"], "scores two classes"),
        (["-", "--confidence", "2"], "--confidence"),
        (["-", "--measure", "coverge"], "did you mean 'coverage'"),
        (["-", "--measure", "set_cost"], "cannot be computed"),
        (["-", "--thresholds", "none.json"], "none.json"),
        (["-", "--engine", "local"], "cannot read standard input"),
        (["-", "--empty", "perhaps"], "perhaps"),
        (["--nonsense"], "--nonsense"),
        ([], "files"),
    ],
)
def test_bad_arguments(fails, args, words):
    assert words.lower() in fails("evaluate", *args, stdin=GOOD).lower()


def test_bad_commands(fails, run):
    assert "Did you mean 'evaluate'" in fails("evalute")
    assert "Usage" in run(code=2).output


def test_the_same_file_or_name_twice(fails, tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    assert "given twice" in fails("evaluate", "a.csv", "a.csv")
    (tmp_path / "m.csv").write_text("y_true,score,model\n0,1,a\n1,2,a\n")
    assert "two models are called 'a'" in fails("evaluate", "a.csv", "m.csv")


def test_files_of_one_name_are_told_apart_by_their_folders(run_json, tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.csv").write_text(GOOD)
    assert set(run_json("evaluate", "x/a.csv", "y/a.csv", "--json")["models"]) == {
        "x/a.csv",
        "y/a.csv",
    }


def test_other_encodings_and_separators(fails, run_json, tmp_path):
    (tmp_path / "latin.csv").write_bytes("y_true,score\ncafé,1\nbar,2\n".encode("latin-1"))
    assert "not text in UTF-8" in fails("evaluate", "latin.csv", "--positive", "bar")
    (tmp_path / "wide.csv").write_bytes("y_true,score\n0,1\n1,2\n".encode("utf-16"))
    assert "UTF-8" in fails("evaluate", "wide.csv")
    (tmp_path / "marked.csv").write_bytes(GOOD.encode("utf-8-sig"))
    (tmp_path / "tabs.tsv").write_text(GOOD.replace(",", "\t"))
    (tmp_path / "semicolons.csv").write_text(GOOD.replace(",", "; "))
    found = run_json("evaluate", "marked.csv", "tabs.tsv", "semicolons.csv", "--json")["models"]
    assert found["marked"] == found["tabs"] == found["semicolons"]


def test_broken_parquet(fails, tmp_path):
    frame = pd.DataFrame({"y_true": np.tile([0, 1], 5000), "score": np.linspace(0, 1, 10_000)})
    frame.to_parquet(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[: len(content) // 2])
    assert "no whole Parquet file" in fails("evaluate", "cut.parquet")
    (tmp_path / "empty.parquet").write_bytes(b"")
    assert "no whole Parquet file" in fails("evaluate", "empty.parquet")
    (tmp_path / "text.parquet").write_text(GOOD)
    assert "no whole Parquet file" in fails("evaluate", "text.parquet")
    spoilt = content[:4] + bytes(500) + content[504:]  # the footer is whole, the data are not
    (tmp_path / "spoilt.parquet").write_bytes(spoilt)
    assert "spoilt.parquet" in fails("evaluate", "spoilt.parquet")


def test_parquet_needs_pyarrow(fails, tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert "pip install 'cautious[parquet]'" in fails("evaluate", "a.parquet")


def test_a_rule_must_fit_the_predictions(fails):
    sets = "y,y_set\na,a\nb,a|b\n"
    assert "gives sets only" in fails("evaluate", "-", "--confidence", "0.5", stdin=sets)
    proba = "y,p_a,p_b,p_c\na,.2,.5,.3\n"
    assert "a window is for" in fails("evaluate", "-", "--window", "0", "1", stdin=proba)
    assert "the classes are 'a', 'b', 'c'" in fails("evaluate", "-", "--positive", "d", stdin=proba)
    assert "u6" in fails("evaluate", "-", "--utility", "u6", stdin=proba)


def test_prefixes_may_be_of_any_kind(run_json):
    text = "y,q_a,q_b,q_c,s_a,s_b,s_c\na,.2,.5,.3,1,1,0\nb,.2,.5,.3,0,1,0\nc,.1,.1,.8,0,0,1\n"
    found = run_json("evaluate", "-", "--proba", "q_", "--sets", "s_", "--json", stdin=text)
    (model,) = found["models"].values()
    assert model["classes"] == ["a", "b", "c"]
    assert model["measures"]["mean_set_size"]["value"] == pytest.approx(4 / 3)
    assert "aurc" in model["measures"]


def test_a_missing_part_of_the_library_is_no_fault_of_the_user(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "cautious.papers", None)
    result = run("reproduce", "yang", code=1)
    assert isinstance(result.exception, ModuleNotFoundError)


def test_parquet_rows_and_types(fails, run_json, tmp_path):
    frame = pd.DataFrame({"y_true": [True, False, None], "score": [0.3, 0.1, 0.2]})
    frame.to_parquet(tmp_path / "a.parquet")
    assert "'y_true' is empty in row 2" in fails("evaluate", "a.parquet")
    frame = pd.DataFrame({"y_true": [1.0, 0.0, 1.0], "score": [0.3, 0.1, None]})
    frame.to_parquet(tmp_path / "b.parquet")
    assert "holds nothing in row 2" in fails("evaluate", "b.parquet")
    frame.fillna(0.5).to_parquet(tmp_path / "c.parquet")
    found = run_json("evaluate", "c.parquet", "--json")["models"]["c"]
    assert found["classes"] == ["0", "1"]
    frame = pd.DataFrame({"y_true": pd.Categorical(["x", "y"]), "p_y": [0.3, 0.8]})
    frame.to_parquet(tmp_path / "d.parquet")
    assert run_json("evaluate", "d.parquet", "--json")["models"]["d"]["classes"] == ["x", "y"]


HOSTILE = [
    "[red]x[/]",
    "<script>alert(1)</script>",
    'a"b',
    "\x1b[31mred",
    "😀 :smile:",
    "z" * 10_000,
]


def test_hostile_names_are_shown_as_text(run, run_json, tmp_path):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(6), size=60)
    frame = pd.DataFrame(p, columns=[f"p_{label}" for label in HOSTILE])
    frame.insert(0, "y_true", np.repeat(HOSTILE, 10))
    frame["model"] = np.tile(["[bold]m[/]", "n\x07"], 30)
    frame.to_parquet(tmp_path / "odd.parquet")
    result = run("evaluate", "odd.parquet")
    for output in (result.stdout, result.stderr):
        assert "\x1b" not in output
        assert "\x07" not in output
    assert "[bold]m[/]" in result.stdout
    alone = run("evaluate", "odd.parquet", "--model", "model", "--measure", "u65")
    assert "z" * 200 not in alone.stdout
    document = run_json("evaluate", "odd.parquet", "--json")
    assert document["models"]["n\x07"]["classes"] == HOSTILE
    frame[frame["model"] == "n\x07"].drop(columns="model").to_parquet(tmp_path / "one.parquet")
    text = run("evaluate", "one.parquet").stdout
    assert "[red]x[/]" in text
    assert "<script>alert(1)</script>" in text
    assert ":smile:" in text
    assert "\\x1b[31mred" in text


def test_na_is_a_class_like_any_other(run_json):
    text = "y_true,y_set\nNA,NA\nNone,NA|None\n007,007\n"
    found = run_json("evaluate", "-", "--json", stdin=text)["models"]["standard input"]
    assert set(found["classes"]) == {"NA", "None", "007"}


def cautious(*args, **kwargs):
    """Run the real program."""
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    return subprocess.run(
        [sys.executable, "-m", "cautious", *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env=env,
        **kwargs,
    )


def test_the_real_program_fails_in_one_line(tmp_path):
    done = cautious("evaluate", "nowhere.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "error: nowhere.csv does not exist.\n"


def test_debug_shows_the_traceback(tmp_path):
    done = cautious("evaluate", "nowhere.csv", "--debug", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "FileNotFoundError" in done.stderr


def test_the_real_program_reads_standard_input_and_pipes_cleanly(tmp_path):
    done = cautious("evaluate", "-", cwd=tmp_path, input=GOOD)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "vacc" in done.stdout


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m cautious datasets list --csv | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("name,")
    assert "Traceback" not in done.stderr


def test_version(run):
    assert run("--version").stdout.startswith("cautious ")
