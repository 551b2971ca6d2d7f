"""Print where the ways into the library differ from the expected tables.

python -m tests.conformance
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.conformance import ways
from tests.conformance.corpus import CASES, WAYS, Case


def main() -> None:
    """Print a line for each case, and what differs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calls: dict[str, Callable[[Case], ways.Table]] = {
            "library": lambda case: ways.library(case, ways.write(case, folder)),
            "command line": lambda case: ways.command(case, ways.write(case, folder)),
            "engine": lambda case: ways.command(case, ways.write(case, folder), engine="local"),
            "report": lambda case: ways.reported([case], folder)[case.name],
            "page": lambda case: ways.dropped([case], folder)[case.name],
        }
        print(f"{'':32}", *(f"{way:13}" for way in WAYS))
        for case in CASES.values():
            found = {way: _wrong(case, way, calls[way]) for way in WAYS if way in case.ways}
            marks = {way: "differs" if wrong else "equal" for way, wrong in found.items()}
            print(f"{case.name:32}", *(f"{marks.get(way, '–'):13}" for way in WAYS))
            for way, wrong in found.items():
                print(*(f"    {way}: {words}\n" for words in wrong), sep="", end="")


def _wrong(case: Case, way: str, call: Callable[[Case], ways.Table]) -> list[str]:
    try:
        return ways.differences(ways.expected(case, way), call(case))
    except Exception as error:  # a refusal differs too
        return [f"{type(error).__name__}: {error}"]


if __name__ == "__main__":
    main()
