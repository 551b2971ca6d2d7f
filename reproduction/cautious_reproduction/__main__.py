"""``python -m cautious_reproduction``: the papers' tables and figures, computed anew."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path

from cautious_reproduction.reproduction import check_request, reproduce

__all__ = ["folded", "main", "parser"]

# What the user can mend: bad values, bad files, something that is not installed.
_MENDABLE = (ValueError, OSError, ImportError)
# A column that is narrower than this holds no words.
_LEAST_ROOM = 8


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    options = parser().parse_args(args)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: _note(f"note: {message}")
            _run(options)
            sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough, as of `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        kept = f"what was computed is kept in {options.output}"
        _note(f"error: interrupted; {kept}, and the same command goes on from there.")
        return 130
    except _MENDABLE as error:
        if options.debug:
            raise
        _note(f"error: {' '.join(str(error).split())}")
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = argparse.ArgumentParser(
        "python -m cautious_reproduction",
        description="Compute a paper's tables and figures anew, and set them beside the printed "
        "ones. With all, REPRODUCTION.md in the output folder sums up what reproduces and what "
        "does not.",
        epilog="Example: python -m cautious_reproduction yang --quick -o build/reproduction",
    )
    add = made.add_argument
    add("paper", help="ferri, friedel, zaffalon, yang, or all")
    add("--quick", action="store_true", help="fewer repeats: minutes instead of hours")
    add(
        *("--output", "-o"),
        type=Path,
        default=Path("build", "reproduction"),
        metavar="FOLDER",
        help="for tables and figures; a run goes on from what is in it (default: %(default)s)",
    )
    add("--jobs", type=int, metavar="NUMBER", help="how many processes to use")
    add(
        "--weka",
        action=argparse.BooleanOptionalAction,
        help="run WEKA's own learners, too; by default where Java and WEKA are found",
    )
    add(
        "--docs",
        type=Path,
        metavar="FOLDER",
        help="of a documentation; gets reproduction.md, and pictures in _static",
    )
    add("--debug", action="store_true", help="show the traceback of an error")
    return made


def _run(options: argparse.Namespace) -> None:
    paper, output = options.paper, options.output
    check_request(paper, output, options.docs, names=("--output", "--docs"))
    what = "every paper" if paper == "all" else f"the paper {paper}"
    quick = "with fewer repeats, which takes minutes"
    often = quick if options.quick else "which takes an hour or two"
    _note(f"computing the tables and figures of {what} anew, {often}; they are printed at the end")
    done = reproduce(
        paper,
        quick=options.quick,
        folder=output,
        n_jobs=options.jobs,
        weka=options.weka,
        docs=options.docs,
    )
    for each in done:
        text = str(each)
        if sys.stdout.isatty():
            text = folded(text, shutil.get_terminal_size().columns)
        sys.stdout.write(f"{text}\n\n")
    _note(f"written to {output}")


def _note(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def folded(text: str, width: int) -> str:
    """Break long lines between words; in a table the rest stands under its last column."""
    lines = []
    for line in text.splitlines():
        column = 0
        for gap in re.finditer(r"\S {2,}(?=\S)", line[: width - _LEAST_ROOM]):
            column = gap.end()
        indent = column or len(line) - len(line.lstrip())
        if len(line) <= width:
            lines.append(line)
            continue
        lines += textwrap.wrap(
            line,
            width,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
