"""What people see on a terminal, and what programs see in a pipe."""

import inspect
import io
import re
import subprocess
import sys
import warnings

import pytest
from rich.console import Console
from typer.main import get_command

from cautious.cli import console
from cautious.cli.app import app
from cautious.datasets import list_datasets


def pretend_terminal(monkeypatch):
    """Pretend that standard error is a terminal."""
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


def test_no_color_is_respected(monkeypatch):
    terminal = pretend_terminal(monkeypatch)
    console.screen(stderr=True).print("hello", style="red")
    assert "31m" in terminal.getvalue()
    terminal = pretend_terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    console.screen(stderr=True).print("hello", style="red")
    assert "31m" not in terminal.getvalue()


def test_a_pipe_is_wide(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert console.screen().width == 200
    monkeypatch.setenv("COLUMNS", "77")
    assert console.screen().width == 77


def test_tables_show_text_as_it_is():
    table = console.make_table(["[red]x"], [["[/bold] and more"], ["a\nb"]], title="[i]t[/i]")
    paper = Console(file=io.StringIO(), width=80)
    paper.print(table)
    text = paper.file.getvalue()
    for shown in ("[red]x", "[/bold]", "a\\nb", "[i]t[/i]"):
        assert shown in text


def test_help_shows_examples_of_each_command_that_can_be_copied(run, monkeypatch):
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 80)
    commands = get_command(app).commands
    assert all(name in run("--help").stdout for name in commands)
    asked = [((name,), one) for name, one in commands.items() if name != "datasets"]
    asked += [(("datasets", name), one) for name, one in commands["datasets"].commands.items()]
    for names, command in asked:
        text = run(*names, "--help").stdout
        lines = [line.strip() for line in text.splitlines()]
        assert max(map(len, lines)) <= 80
        told = [line.strip() for line in inspect.cleandoc(command.help).splitlines()]
        examples = [at for at, one in enumerate(told) if one.startswith("cautious ")]
        assert examples
        for at in examples:
            assert told[at].startswith(f"cautious {' '.join(names)}")
            assert told[at] in lines
            if told[at].endswith("\\"):  # the command goes on in the next line
                assert lines[lines.index(told[at]) + 1] == told[at + 1]


@pytest.mark.filterwarnings("default")
def test_warnings_become_notes(run, monkeypatch):
    facts = list_datasets()

    def warning():
        warnings.warn("the library has\nsomething to say", UserWarning, stacklevel=1)
        return facts

    monkeypatch.setattr("cautious.datasets.list_datasets", warning)
    result = run("datasets", "list")
    assert "note: the library has\\nsomething to say" in result.stderr
    assert "UserWarning" not in result.stderr


def test_what_nobody_can_mend_is_not_hidden(run, monkeypatch):
    def broken(*_):
        raise RuntimeError("a bug")

    monkeypatch.setattr("cautious.datasets.list_datasets", broken)
    result = run("datasets", "list", code=1)
    assert isinstance(result.exception, RuntimeError)


COMMANDS = ["report", "evaluate", "tune", "apply", "watch", "compare", "audit", "demo"]


@pytest.mark.parametrize(
    "command", [[], *([name] for name in COMMANDS), ["datasets"], ["datasets", "list"]]
)
def test_help_has_no_names_of_types(run, command):
    text = run(*command, "--help").stdout
    assert not re.search(r"<\w|\bbool\b|list\[|range>|default: \(", text)
    if command == ["apply"]:
        assert not re.search(r"batch|kernel|bounded memory|[Ss]ummarise", text)


def test_notes_are_shown_in_words():
    import cautious

    found = cautious.evaluate({"mine": ([0, 1, 1, 0] * 5, [0.9, 0.2, 0.1, 0.7] * 5)})
    assert "Message(" not in repr(found.notes)
    assert "'mine': a high score speaks against '1'" in repr(found.notes)


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["tune", "--help"]])
def test_help_starts_without_the_libraries_that_only_work_needs(args):
    code = (
        "import sys\n"
        "from cautious.cli import main\n"
        "try:\n"
        f"    main({args})\n"
        "finally:\n"
        "    heavy = {'sklearn', 'pandas', 'scipy', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "    assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
