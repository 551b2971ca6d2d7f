"""Arguments of every kind and in every company: an answer, or one line and exit code 2."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from hypothesis import strategies as st
from tests.fuzz.fuzz_commands import error_of, run
from tests.fuzz.fuzz_damage import COSTS, PREDICTIONS
from tests.fuzz.fuzz_effort import effort, fuzz

from cautious.cli.app import app

FILES = {
    "b.csv": PREDICTIONS["scores"],
    "b2.csv": "y_true,score\n0,0.2\n1,0.8\n0,0.4\n1,0.6\n",
    "w.csv": PREDICTIONS["semicolons"],
    "p.csv": PREDICTIONS["probabilities"],
    "s.csv": PREDICTIONS["sets"],
    "margins.csv": "y_true,score\n0,-3\n1,5\n0,-1\n1,0\n",
    "infinite.csv": "y_true,score\n0,-inf\n1,inf\n0,0\n1,0\n",
    "weightless.csv": "y_true,score,weight\n0,1,0\n1,2,0\n",
    "ties.csv": "y_true,score\n0,0.5\n1,0.5\n",
    "c3.csv": COSTS["matrix"],
    "c2.csv": COSTS["abstaining"],
    "t.json": '{"schema":"cautious.rule/1","models":{"b":{"kind":"window","classes":["0","1"],'
    '"lower":0.2,"upper":0.6}}}',
    "odd.json": '{"models":{"b":{"confidence":5}}}',
}
OUTPUT = "out"
# What may follow any option, whether it makes sense there or not.
ANY = [
    *("0", "1", "0.5", "-1", "nan", "inf", "-inf", "1e308", "1e-320", "", "a", "--x", "-", "../.."),
    *("⊥", "\x1b[31m", "\udcff", "x" * 5000, "y_true", "score", "p_", "set_", "u65", "coverage"),
    *("b.csv", "t.json", "odd.json", "c2.csv", ".", "tcp:", "9" * 20, "[red]", "%s", "{}", "\n"),
    *("a|b", "=1+1", "$(id)", "; ls", "\u202e", "é", "nowhere/out"),
]
_NUMBERS = "--confidence-level --r --max-error --max-abstention --min-saving --max-missed --min-ppv"
_NUMBERS += " --min-npv --abstain --mistake --false-negative --false-positive --prior --window"
LIKELY = {
    **{
        name: ["0", "1", "0.1", "0.5", "0.9", "10", "inf", "nan", "1e-320"]
        for name in _NUMBERS.split()
    },
    "--positive": ["0", "1", "a", "b"],
    "--resamples": ["1", "5"],
    "--extension": ["cautious", "averse", "discounted", "abellan-masegosa"],
    "--utility": ["u65", "u80", "F1", "u50"],
    "--engine": ["local"],
    "--per": ["answer", "case"],
    "--costs": ["c2.csv"],
    "--output": [OUTPUT, "b.csv", "."],
    "--rule": ["t.json", "odd.json"],
    "--missing": ["abstain"],
    "--encoding": ["latin-1", "utf-8"],
    "--empty": ["abstain"],
    "--measure": ["u65", "aurc", "vacc", "set_cost"],
    "--sets": ["y_set"],
    "--id": ["score"],
    **{f"--{name}": [name] for name in ("weight", "group", "model")},
}
COMMANDS = ("evaluate", "tune", "compare", "audit", "report", "apply", "watch")


def options_of(command):
    """Options of a command, with the number of values each takes; read from the program."""
    found = typer.main.get_command(app).commands[command].params
    return sorted(
        (max(option.opts, key=len), 0 if getattr(option, "is_flag", False) else option.nargs)
        for option in found
        if option.opts[0].startswith("-") and "--help" not in option.opts
    )


def test_every_command_is_known():
    """A new command joins the fuzzers, or is one of those that need no files."""
    known = {*COMMANDS, "datasets", "demo"}
    assert set(typer.main.get_command(app).commands) == known


@st.composite
def arguments(draw):
    command = draw(st.sampled_from(COMMANDS))
    args = [command, *draw(st.lists(st.sampled_from([*sorted(FILES), "nowhere"]), max_size=2))]
    for name, values in draw(st.lists(st.sampled_from(options_of(command)), max_size=4)):
        value = st.sampled_from(ANY)
        if name in LIKELY:
            value = st.one_of(*[st.sampled_from(LIKELY[name])] * 3, value)
        args += [name, *(draw(value) for _ in range(values))]
    if command in ("evaluate", "compare") and "--resamples" not in args:
        args += ["--resamples", "5"]
    if command == "report" and "--output" not in args:
        args += ["--output", OUTPUT]
    return args


FIRST = {
    **dict.fromkeys(("evaluate", "tune", "report"), ("b.csv",)),
    "compare": ("b.csv", "b2.csv"),
    "audit": ("c3.csv",),
    "apply": ("b.csv", "--rule", "t.json"),
    "watch": ("b.csv", "--rule", "t.json", "--max-error", "0.5"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_values_are_refused_in_the_words_of_the_command_line(tmp_path, command):
    """The law is in ``run``: no message names an argument of Python."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    refused = 0
    for name, values in options_of(command):
        for value in ("0", "u200", "odd.json") if values else ():
            few = ("--resamples", "5") if command in ("evaluate", "compare") else ()
            given = () if name in ("--output", "--state") else (name, *[value] * values)
            last = ("--output", OUTPUT) if command == "report" else ()
            result = run(tmp_path, command, *FIRST[command], *few, *given, *last, writes=OUTPUT)
            refused += result.exit_code == 2
    assert refused > 2


@effort(30, 5000)
def test_any_arguments(examples, tmp_path):
    def law(args):
        for path in tmp_path.iterdir():
            path.unlink()
        for name, text in FILES.items():
            (tmp_path / name).write_text(text)
        writing = "--state" if args[0] == "watch" else "--output"
        outputs = [value for name, value in pairwise(args) if name == writing]
        asked = outputs[-1] if outputs else None  # of several the last counts
        names = [arg for arg in args if arg in FILES]
        if names.count(asked) > outputs.count(asked):
            asked = None  # a file that is read may not be written
        run(tmp_path, *args, writes=None if asked is None else Path(asked).name)

    fuzz(law, examples, args=arguments())


@pytest.mark.parametrize(
    "args",
    [
        ("datasets", "show", "../../etc/passwd"),
        ("datasets", "show", ""),
        ("datasets", "export", "iris", "-o", "."),
        ("datasets", "export", "iris", "-o", "nowhere/iris.csv"),
        ("datasets", "list", "--paper", "\x1b[31m"),
        ("demo", "-o", "nowhere/x.html"),
        ("demo", "-o", "."),
        ("--nonsense",),
        ("evaluate", "--", "--json"),
    ],
)
def test_other_commands(tmp_path, args):
    assert error_of(run(tmp_path, *args))


def test_names_that_look_like_options(tmp_path):
    (tmp_path / "--json").write_text(PREDICTIONS["scores"])
    assert run(tmp_path, "evaluate", "--", "--json").exit_code == 0


@pytest.mark.slow
def test_the_real_program_with_bytes_that_are_no_text(tmp_path):
    """Arguments may be any bytes; the shell does not mind."""
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"cautious", b"evaluate", b"\xff\xfe.csv"],
        capture_output=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(b"error: ")
    assert b"does not exist" in done.stderr
    assert b"Traceback" not in done.stderr


def test_deep_json_is_no_crash(tmp_path):
    (tmp_path / "b.csv").write_text(PREDICTIONS["scores"])
    (tmp_path / "deep.json").write_text("[" * 100_000)
    result = run(tmp_path, "evaluate", "b.csv", "--rule", "deep.json")
    assert "deep.json" in error_of(result)
