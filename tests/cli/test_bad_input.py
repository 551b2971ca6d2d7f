"""What the user can mend ends in one clear line and exit code 2; nothing is half done."""

import os
import shlex
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from cautious.cli.app import app
from cautious.decision import Rule

GOOD = "y_true,score\n0,0.1\n1,0.9\n0,0.4\n"


def test_what_was_taken_is_said_before_an_error(run):
    text = "y_true,score\n0,.1\n1,high\n"
    lines = run("evaluate", "-", stdin=text, code=2).stderr.splitlines()
    assert lines[0] == "standard input: truth 'y_true', score 'score'"


def test_scores_that_may_be_per_cent(run):
    text = "y_true,score\n0,20\n1,90\n"
    assert "per cent? Then divide by 100" in run("evaluate", "-", stdin=text).stdout
    text = "y_true,score\n0,-20\n1,90\n"
    assert "per cent" not in run("evaluate", "-", stdin=text).stdout


@pytest.mark.parametrize(
    ("engine", "rest"), [((), ""), (("--engine", "local"), ""), (("--missing", "abstain"), "1,\n")]
)
def test_one_score_above_one_is_named_with_its_model(fails, tmp_path, engine, rest):
    path = tmp_path / "gt1.csv"
    path.write_text("y_true,score\n0,0.2\n1,1.3\n0,0.4\n1,0.6\n" + rest)
    message = fails("evaluate", str(path), "--confidence", "0.8", *engine)
    assert "score 1.3 of 'gt1' is no probability" in message
    assert "decide with --window" in message
    assert "per cent" not in message
    path.write_text("y_true,score\n0,20\n1,90\n")
    assert "per cent?" in fails("evaluate", str(path), "--confidence", "0.8", *engine)


def test_a_measure_of_answers_where_there_are_none(fails):
    text = "y_true,score\n0,20\n1,90\n"
    message = fails("evaluate", "-", "--measure", "error", stdin=text)
    assert "error cannot be computed" in message
    assert "only a window" in message
    assert "per cent? Then divide by 100" in message


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nowhere.csv"], "nowhere.csv does not exist"),
        (["."], "holds no file whose name ends in .parquet"),
        (["-", "--truth", "y_ture"], "Did you mean 'y_true'?"),
        (["-", "--window", "0.8", "0.2"], "0.8"),
        (["-", "--window", "0.2", "0.8", "--utility", "u65"], "give one of them"),
        (["-", "--prior", "1"], "--prior is 1.0; a share of positives lies strictly between"),
        (["-", "--confidence", "2"], "for '--confidence': '2' is not between 0 and 1; write 2%"),
        (["-", "--require", "error<5"], "for '--require': 'error<5' is no limit"),
        (["-", "--wrong", "4", "--abstain", "1"], "--wrong, what a wrong answer costs, is for"),
        (["-", "--measure", "coverge"], "did you mean 'coverage'"),
        (["-", "--measure", "set_cost"], "cannot be computed"),
        (["-", "--rule", "none.json"], "none.json"),
        (["-", "--engine", "local"], "cannot read standard input"),
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


def test_a_rule_must_fit_the_predictions(fails, tmp_path):
    proba = "y,p_a,p_b,p_c\na,.2,.5,.3\n"
    (tmp_path / "sets.csv").write_text("y,y_set\na,a\nb,a|b\n")
    (tmp_path / "proba.csv").write_text(proba)
    for engine in ((), ("--engine", "local")):
        said = fails("evaluate", "sets.csv", "--confidence", "0.5", *engine)
        assert "gives sets only" in said
        said = fails("evaluate", "proba.csv", "--window", "0.2", "0.8", *engine)
        assert "--window is for the score of two classes" in said
    assert "the classes are 'a', 'b', 'c'" in fails("evaluate", "-", "--positive", "d", stdin=proba)
    assert "u6" in fails("evaluate", "-", "--utility", "u6", stdin=proba)


def test_a_missing_part_of_the_library_is_no_fault_of_the_user(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "cautious.report", None)
    result = run("report", "-", code=1)
    assert isinstance(result.exception, ModuleNotFoundError)


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
    assert sorted(document["models"]["n\x07"]["classes"]) == sorted(HOSTILE)
    frame[frame["model"] == "n\x07"].drop(columns="model").to_parquet(tmp_path / "one.parquet")
    text = run("evaluate", "one.parquet").stdout
    assert "[red]x[/]" in text
    assert "<script>alert(1)</script>" in text
    assert ":smile:" in text
    assert "\\x1b[31mred" in text


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


def test_debug_lets_the_error_through():
    done = CliRunner().invoke(app, ["evaluate", "nowhere.csv", "--debug"])
    assert done.exit_code == 1
    assert isinstance(done.exception, FileNotFoundError)


def test_the_real_program_reads_standard_input_and_pipes_cleanly(tmp_path):
    done = cautious("evaluate", "-", cwd=tmp_path, input=GOOD)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "answered (coverage)" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pipes as a Unix shell does")
@pytest.mark.parametrize(
    "arguments", [pytest.param("datasets list --csv", marks=pytest.mark.slow), "evaluate p.csv"]
)
def test_a_reader_that_leaves_early_is_no_error(tmp_path, arguments):
    """As of ``| head``: nobody is there to read the rest, and that is no failure."""
    (tmp_path / "p.csv").write_text(GOOD)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "cautious", *arguments.split()],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
    )
    os.close(writing)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("words", ["malloc of size 9 failed", ""])
def test_too_little_memory_is_no_traceback(fails, monkeypatch, words):
    def full(*_, **__):
        raise MemoryError(words)

    monkeypatch.setattr("cautious.datasets.list_datasets", full)
    assert "too little memory" in fails("datasets", "list")


@pytest.mark.parametrize("digits", ["9" * 400, "0." + "3" * 400, "-" + "1" * 400])
def test_numbers_of_four_hundred_digits(run, digits):
    text = f"y_true,score\n0,0.1\n1,{digits}\n0,0.4\n"
    result = CliRunner().invoke(app, ["evaluate", "-", "--json"], input=text)
    assert result.exit_code in (0, 2), result.exception
    assert isinstance(result.exception, SystemExit | None)


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams as a Unix shell does")
@pytest.mark.parametrize(
    ("closed", "code", "words"),
    [
        ("0<&-", 2, "standard input is closed"),
        pytest.param("2>&-", 2, "", marks=pytest.mark.slow),
        pytest.param("1>&-", 2, "is empty", marks=pytest.mark.slow),
    ],
)
def test_closed_streams(tmp_path, closed, code, words):
    command = f"{sys.executable} -m cautious evaluate - </dev/null {closed}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
    )
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert done.stderr.count("\n") == done.stderr.count("error: ") == bool(words)  # one line
    assert done.stdout == ""


@pytest.mark.slow
def test_results_are_printed_though_standard_error_is_closed(tmp_path):
    (tmp_path / "p.csv").write_text(GOOD)
    command = f"{sys.executable} -m cautious evaluate p.csv --json 2>&-"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
    )
    assert done.returncode == 0
    assert '"auc"' in done.stdout


@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_an_interrupt_is_no_traceback(run, monkeypatch, error):
    def interrupted(*_, **__):
        raise error

    monkeypatch.setattr("cautious.datasets.list_datasets", interrupted)
    result = run("datasets", "list", code=130 if error is KeyboardInterrupt else 0)
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
def test_an_interrupt_midway_leaves_nothing_behind(tmp_path, number):
    """Half of the answers are written aside when the signal comes."""
    (tmp_path / "p.csv").write_text(GOOD)
    Rule.window(0.3, 0.7).to_json(tmp_path / "rule.json")
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job may lack it
        "import cautious.evaluation.application as own\n"
        "from cautious.cli import main\n"
        "whole = own._truth_notes\n"
        "def midway(*given):\n"
        "    assert any(name.startswith('.cautious-') for name in os.listdir())\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    return whole(*given)\n"
        "own._truth_notes = midway\n"
        "main(['apply', 'p.csv', '--rule', 'rule.json', '-o', 'answers.csv'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False,
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 128 + number, done.stderr
    assert done.stderr.splitlines()[-1] == "error: interrupted; nothing was written."
    assert sorted(os.listdir(tmp_path)) == ["p.csv", "rule.json"]


def test_an_interrupt_says_what_was_written_before(run, monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    (tmp_path / "p.csv").write_text(GOOD)
    Rule.window(0.3, 0.7).to_json(tmp_path / "rule.json")
    monkeypatch.setattr("cautious.cli.deployment.show", interrupted)
    args = ("--rule", "rule.json", "--max-error", 0.1, "--state", "watch.json")
    said = run("watch", "p.csv", *args, code=130).stderr
    assert said.splitlines()[-1] == "error: interrupted; written before: watch.json."


def test_an_interrupt_while_starting_is_no_traceback():
    code = (
        "import sys, runpy\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'cautious.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "runpy.run_module('cautious', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_classes_may_be_declared(run_json):
    text = "y_true,y_set\na,a;b\na;b,a\na,a|a;b\n"
    declared = ("--classes", "a", "--classes", "a;b", "--classes", "c")
    found = run_json("evaluate", "-", *declared, "--json", stdin=text)["models"]["standard input"]
    assert found["classes"] == ["a", "a;b", "c"]


def test_the_version_is_shown_whatever_else_is_given(run, fails):
    assert run("--version").stdout == run("--version", "nonsense").stdout
    assert run("--version").stdout.startswith("cautious ")
    assert "Missing command." in fails("--")


@pytest.mark.parametrize(
    "command",
    [
        ["report", "p.csv", "-o", "out/report.html"],
        ["tune", "p.csv", "--mistake", "5", "--abstain", "1", "-o", "out/rule.json"],
        ["apply", "p.csv", "--rule", "rule.json", "-o", "out/answers.csv"],
        ["watch", "p.csv", "--rule", "rule.json", "--max-error", "0.3", "--state", "out/w.json"],
        ["demo", "-o", "out/report.html"],
    ],
)
def test_a_read_only_folder(fails, tmp_path, monkeypatch, command):
    (tmp_path / "p.csv").write_text(GOOD)
    Rule.window(0.3, 0.7, classes=[0, 1]).to_json(tmp_path / "rule.json")
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("out"))
    assert "is read-only; name a file in another folder" in fails(*command)
    assert not list((tmp_path / "out").iterdir())


def test_paths_with_spaces_and_unicode(run, tmp_path):
    folder = tmp_path / "müde Fälle, 看"
    folder.mkdir()
    file, page, rule = folder / "p q.csv", folder / "die Seite ü.html", folder / "règle 1.json"
    file.write_text("y_true,score\n" + "0,0.1\n1,0.9\n0,0.4\n1,0.6\n" * 10, encoding="utf-8")
    assert "p q" in run("evaluate", file).stdout
    run("report", file, "-o", page)
    assert page.stat().st_size > 100_000
    run("tune", file, "--mistake", "5", "--abstain", "1", "-o", rule)
    run("apply", file, "--rule", rule, "-o", folder / "a b.csv")
    assert (folder / "a b.csv").read_text(encoding="utf-8").count("\n") == 41
    logs = folder / "logs [1]"  # no pattern, since there is such a folder
    logs.mkdir()
    file.rename(logs / "x*.csv")
    assert "logs [1]" in run("evaluate", logs, "--engine", "local", "--rule", rule).stdout
    state = folder / "état 1.json"
    run("watch", logs, "--rule", rule, "--max-error", "30%", "--state", state)
    assert state.is_file()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_rules_and_costs_that_windows_has_written(run, tmp_path, mark):
    (tmp_path / "p.csv").write_text("y_true,score\n" + "no,0.1\nyes,0.9\nno,0.6\nyes,0.4\n" * 10)
    table = "answer,no,yes\nno,0,5\nyes,2,0\nabstain,1,1\n"
    (tmp_path / "unix.csv").write_text(table)
    (tmp_path / "windows.csv").write_bytes(mark + table.replace("\n", "\r\n").encode())
    found = [
        run("tune", "p.csv", "--costs", name, "-o", "rule.json").stdout
        for name in ("unix.csv", "windows.csv")
    ]
    assert found[0] == found[1]
    rule = (tmp_path / "rule.json").read_text()
    (tmp_path / "windows.json").write_bytes(mark + rule.replace("\n", "\r\n").encode())
    said = [
        run("evaluate", "p.csv", "--rule", name).stdout for name in ("rule.json", "windows.json")
    ]
    assert said[0] == said[1]


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_the_command_line_says_what_to_install(missing):
    code = f"import runpy, sys; sys.modules[{missing!r}] = None; runpy.run_module('cautious')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert f"The command line needs {missing}: pip install 'cautious[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_labels_with_quotation_marks_are_named_as_a_shell_reads_them(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("y_true,score\n'ham',.2\n'spam',.7\n'ham',.1\n'spam',.9\n")
    said = CliRunner().invoke(app, ["evaluate", str(file)])
    assert said.exit_code != 0
    hint = shlex.split(said.stderr[said.stderr.index("--positive") :].replace("\n", " "))
    assert hint[1] == "'ham'"
    assert CliRunner().invoke(app, ["evaluate", str(file), *hint[:2]]).exit_code == 0
