"""The commands, and how they fail: one clear line and exit code 2."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

import cautious
from cautious._files import WRITTEN
from cautious.cli.audit import audit
from cautious.cli.console import fail, note
from cautious.cli.datasets import datasets
from cautious.cli.demo import demo
from cautious.cli.deployment import apply, watch
from cautious.cli.evaluation import compare, evaluate, report
from cautious.cli.options import Command, Group
from cautious.cli.tune import tune
from cautious.errors import InputError

# What the user can mend: bad values, bad files, a missing extra.
_MENDABLE = (
    ValueError, TypeError, OSError, EOFError, ImportError, NotImplementedError, OverflowError,
    MemoryError,
)  # fmt: skip


class Terminated(KeyboardInterrupt):
    """The process was asked to end, as a scheduler does; all is cleaned up as after Ctrl-C."""


class Commands(Group):
    """Commands whose errors are one line on standard error.

    ``--debug``, anywhere among the arguments, lets the traceback through.
    """

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """Run a command and leave with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        written: list[Path] = []
        WRITTEN.set(written)
        name = "python -m cautious" if sys.argv[0].endswith("__main__.py") else "cautious"
        code = 0
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_, **__: note(f"note: {message}")
                try:  # typer's own way would make a silent exit of an interrupt
                    asked = [one for one in given if one != "--debug"]
                    with self.make_context(name, asked) as context:
                        self.invoke(context)
                except typer.Exit as end:
                    code = end.exit_code
            sys.stdout.flush()
        except (BrokenPipeError, SystemExit) as stopped:
            # Whoever read the output has seen enough, as of `| head`; rich makes that an exit.
            if BrokenPipeError not in (type(stopped), type(stopped.__context__)):
                raise
            _forget_output()
            sys.exit(0)
        except (KeyboardInterrupt, typer.Abort) as stopped:
            words = f"written before: {', '.join(map(str, written))}"
            words = words if written else "nothing was written"
            fail(f"interrupted; {str(stopped) or words}.")
            sys.exit(128 + (signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT))
        except Exception as error:
            if "--debug" in given or not _is_mendable(error):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()  # type: ignore[attr-defined]
            else:
                _tell(error)
            sys.exit(2)
        sys.exit(code)


def _forget_output() -> None:
    """Send what is left in the buffer nowhere; the interpreter would complain at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_mendable(error: Exception) -> bool:
    if isinstance(error, ImportError) and str(error.name).startswith("cautious."):
        return False  # a part of this library is missing: no user can mend that
    # Usage errors come from click, or from the copy of it that newer typers carry.
    return isinstance(error, _MENDABLE) or hasattr(error, "format_message")


def _tell(error: Exception) -> None:
    words = str(error)
    if isinstance(error, InputError):
        for one in error.notes:  # which columns were taken explains many an error
            note(one.words("cli"))
        words = error.words("cli")
    elif isinstance(error, MemoryError):
        words = (
            f"there is too little memory ({words.rstrip('.') or 'nothing is left'}); with --engine "
            "local, evaluate, compare and report read a file in parts."
        )
    elif isinstance(error, OSError) and error.strerror:
        words = f"{error.filename or 'it cannot be read or written'}: {error.strerror}."
    elif hasattr(error, "format_message"):
        words = error.format_message()
        if type(error).__name__ == "MissingParameter":  # its help says what to give
            words = words.replace(" (env var: 'None')", "")  # older Typers name one that is none
            words += f" {getattr(error.param, 'help', None) or ''}"  # type: ignore[attr-defined]
    fail(" ".join(words.split()) or type(error).__name__)


app: typer.Typer = typer.Typer(
    name="cautious",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for _command in (report, evaluate, tune, apply, watch, compare, audit, demo):
    app.command(cls=Command)(_command)
app.add_typer(datasets, name="datasets")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cautious {cautious.__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Classifiers that know when to keep quiet.

    When should a model abstain, what does that save, and which model should one take?
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments; those of the process by default.
    """
    # A stream that its caller has closed is None; what goes there is lost, nothing else.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.StringIO())
    own = os.getpid()

    def end(number: int, _: Any) -> None:
        if os.getpid() != own:  # a process that was forked off has nothing to clean up
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        raise Terminated

    # SIGTERM is an error that cleans up, unless our caller has something else in mind.
    ours = threading.current_thread() is threading.main_thread()
    ours &= signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    try:
        if ours:
            signal.signal(signal.SIGTERM, end)
        app(args)
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
