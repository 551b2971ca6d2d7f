"""Running commands, and the law that holds for every one of them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from cautious.cli.app import app

_LONGEST_MESSAGE = 1100
# Arguments of the library that the command line calls otherwise, and what only Python knows.
_PYTHON = re.compile(
    r"(?<![-\w])(confidence_level|n_resamples|random_state|pos_label|priors|(max|min)_[a-z]+"
    r"|false_(negative|positive)|sample_weight|y_(score|proba)|drop_missing|no_weight|cost_columns"
    r"|None|True|False|lambda|callable|ndarray|DataFrame|Errno|pass)(?!\w)|\w=(?=\w)|<class"
)


def python_words(message: str) -> list[str]:
    """What a message says in the words of Python, outside quotations and what is said of Python."""
    plain = re.sub(r"'[^']*'|\([^)]*…|--[\w-]+ \S+", "", message).partition("In Python")[0]
    return [found[0] for found in _PYTHON.finditer(plain)]


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a folder of files."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def run(folder: Path, *args: Any, stdin: Any = None, writes: str | None = None) -> Result:
    """Run a command in a folder: it answers, or fails with one clear line and leaves no trace.

    ``writes`` is the one file it may write, and only if it does not fail.
    """
    before = contents(folder)
    here = os.getcwd()
    os.chdir(folder)
    try:
        result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(a) for a in args], input=stdin)
    finally:
        os.chdir(here)
    told = (args, result.stdout[-500:], result.stderr[-500:])
    assert result.exception is None or isinstance(result.exception, SystemExit), (
        *told,
        repr(result.exception),
    )
    assert result.exit_code in (0, 2, 3), told  # 3: an alarm, or no promise
    after = contents(folder)
    if result.exit_code == 2:
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, told
        assert result.stderr.splitlines()[-1] == errors[0], told
        assert 15 < len(errors[0]) < _LONGEST_MESSAGE, told
        assert not python_words(errors[0]), told
        assert result.stdout == "", told
        assert after == before, told
    else:
        changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
        assert changed <= {writes}, told
    for output in (result.stdout, result.stderr):
        assert "\x1b" not in output, told
        assert "Traceback" not in output, told
    return result


def error_of(result: Result) -> str:
    """The message of a failure."""
    assert result.exit_code == 2, result.stdout
    return result.stderr.splitlines()[-1].removeprefix("error: ")
