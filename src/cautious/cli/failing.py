"""How commands fail: one clear line and exit code 2, and a traceback only for who asks for it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from rich.text import Text
from typer.core import TyperGroup

from cautious.cli.showing import note, plain, screen
from cautious.errors import InputError

__all__ = ["Commands"]

# What the user can mend: bad values, bad files, a missing extra.
_MENDABLE = (ValueError, TypeError, OSError, ImportError, NotImplementedError)
_LONGEST = 1000


class Commands(TyperGroup):
    """Commands whose errors are one line on standard error.

    ``--debug``, anywhere among the arguments, lets the traceback through.
    """

    def main(self, args: Sequence[str] | None = None, *rest: Any, **named: Any) -> Any:
        """Run a command and leave with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given
        named["standalone_mode"] = False
        try:
            with warnings.catch_warnings():
                _warn_in_one_line()
                code = super().main([a for a in given if a != "--debug"], *rest, **named)
        except BrokenPipeError:
            raise
        except Exception as error:
            if debug or not _is_mendable(error):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()  # type: ignore[attr-defined]
            else:
                _tell(error)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


def _is_mendable(error: Exception) -> bool:
    if isinstance(error, ImportError) and str(error.name).startswith("cautious."):
        return False  # a part of this library is missing: no user can mend that
    # Usage errors come from click, or from the copy of it that newer typers carry.
    return isinstance(error, _MENDABLE) or hasattr(error, "format_message")


def _tell(error: Exception) -> None:
    message = str(error)
    if isinstance(error, InputError):
        message = error.words("cli")
    elif hasattr(error, "format_message"):
        message = error.format_message()
    message = " ".join(message.split()) or type(error).__name__
    line = Text.assemble(("error: ", "bold red"), plain(message, _LONGEST))
    screen(stderr=True).print(line, soft_wrap=True)


def _warn_in_one_line() -> None:
    """Show the library's warnings as notes, without file names and line numbers."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        note(f"note: {message}")

    warnings.showwarning = show
