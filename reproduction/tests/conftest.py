"""A way to run the command line, and studies without processes of their own."""

from dataclasses import dataclass

import pytest
from joblib import parallel_config

from cautious_reproduction.__main__ import main


@dataclass(frozen=True)
class Result:
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Run the command in the folder of the test's files."""
    monkeypatch.chdir(tmp_path)

    def invoke(*args, code=0):
        assert main([str(arg) for arg in args]) == code
        return Result(*capsys.readouterr())

    return invoke


@pytest.fixture
def fails(run):
    """Run a command that must fail with one clear line and nothing on standard output."""

    def invoke(*args):
        result = run(*args, code=2)
        lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, result.stderr
        assert result.stderr.splitlines()[-1] == lines[0]
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
        return lines[0]

    return invoke


@pytest.fixture
def in_one_process():
    """For tests that are not about processes, each of which takes seconds to start."""
    with parallel_config("threading"):
        yield
