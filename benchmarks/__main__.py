"""Run ``journeys.py`` and every ``bench_*.py`` beside this file and print one table a topic.

``python -m benchmarks [NAME…]`` runs those whose file name contains one of the words. ``--small``
takes small sizes, to see that everything runs. ``--processor`` takes the seconds of the processor,
all threads together, in place of the wall clock's: a busy machine disturbs them less.
``--keep FILE`` keeps the seconds as JSON, and ``--beside FILE`` shows in a column what was kept on
another machine. ``--write BENCHMARKS.md`` writes what is printed to a file as well, once all is
measured; where only some are run, their tables take the places of those in the file. ``--remark
TEXT`` is written above such tables, for example that the machine was busy.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks import timing

PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "numba",
    "pyarrow",
    "distributed",
    "mapie",
    "crepes",
    "scikit-fallback",
    "torchmetrics",
    "torch-uncertainty",
    "dcurves",
    "confseq",
    "setvaluedprediction",
    "classifip",
    "venn-abers",
)
HEAD = """| measured | seconds | against | its seconds | ratio | ahead | note |
| --- | ---: | --- | ---: | ---: | --- | --- |"""


class Kept(NamedTuple):
    """What was measured on a machine: how many cores it has, and the seconds by name."""

    cores: int
    seconds: dict[str, float]


def machine() -> str:
    """What the numbers were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores"


def versions() -> str:
    """The versions of what we measured and measured against."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} absent")
    return ", ".join(found)


def line(row: dict[str, Any], beside: Kept | None = None) -> str:
    """One measurement as a row of a Markdown table, maybe with that of another machine."""
    reference = "" if row.get("reference") is None else f"{row['reference']:.4g}"
    ratio = "" if row.get("ratio") is None else f"{row['ratio']:.3g}"
    cells = [row["name"], f"{row['seconds']:.4g}", row.get("against", ""), reference, ratio]
    cells += [row.get("ahead", ""), row.get("note", "")]
    if beside is not None:
        seconds = beside.seconds.get(row["name"])
        cells.append("" if seconds is None else f"{seconds:.4g}")
    return "| " + " | ".join(cells) + " |"


def page(
    modules: list[ModuleType], *, small: bool, kept: Kept, beside: Kept | None = None
) -> Iterator[str]:
    """The page line by line, each as soon as it is measured, and kept."""
    head = HEAD
    if beside is not None:
        above, below = HEAD.splitlines()
        head = f"{above} {beside.cores} cores |\n{below} ---: |"
    yield "# Benchmarks\n"
    clock = "processor" if timing.CLOCK is time.process_time else "wall-clock"
    yield (
        f"Seconds of {clock} time, and ratios to a limit of the machine taken in the same run: "
        "below one is faster. `make bench` writes this page.\n"
    )
    if small:
        yield "**Small sizes, taken to see that everything runs: the numbers mean nothing.**\n"
    yield f"{date.today().isoformat()}; {machine()}; {versions()}."
    for done, module in enumerate(modules, start=1):
        start = time.perf_counter()
        yield f"\n## {module.TITLE}\n\n{module.READ}\n\n{head}"
        for row in module.rows(small=small):
            kept.seconds[row["name"]] = row["seconds"]
            yield line(row, beside)
        taken = time.perf_counter() - start
        print(f"{done} of {len(modules)}: {module.TITLE}, {taken:.0f} s", file=sys.stderr)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=path.name, delete=False, encoding="utf-8"
    ) as file:
        try:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def with_new_tables(page: str, lines: list[str], remark: str) -> str:
    """Put the tables of a page of some topics into the places of those of a page of all."""
    about, *measured = "\n".join(lines).split("\n## ")
    when = about.strip().splitlines()[-1]
    head, *topics = page.rstrip("\n").split("\n## ")
    tables = {topic.splitlines()[0]: topic for topic in topics}
    for topic in measured:
        title, _, rest = topic.partition("\n")
        aside = " ".join(part for part in (when, remark) if part)
        tables[title] = f"{title}\n\n{aside}\n{rest.rstrip()}\n"
    return "\n## ".join([head, *(table.rstrip() + "\n" for table in tables.values())])


def main() -> None:
    """Print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--processor", action="store_true", help="seconds of the processor")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page, too")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep the seconds as JSON")
    parser.add_argument("--beside", type=Path, metavar="FILE", help="seconds of another machine")
    parser.add_argument("--remark", default="", metavar="TEXT", help="what to say above tables")
    wanted = parser.parse_args()
    names = ["journeys", *sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))]
    chosen = [m for m in names if not wanted.names or any(w in m for w in wanted.names)]
    if not chosen:
        parser.error(f"no benchmark matches {wanted.names}; there are {', '.join(names)}.")
    if wanted.write is not None and chosen != names and not wanted.write.exists():
        parser.error("--write needs all benchmarks for a new page; leave the names out.")
    if wanted.processor:
        timing.CLOCK = time.process_time
    lines, kept = [], Kept(os.cpu_count() or 1, {})
    beside = None if wanted.beside is None else Kept(*json.loads(wanted.beside.read_text()))
    modules = [import_module(f"benchmarks.{name}") for name in chosen]
    for text in page(modules, small=wanted.small, kept=kept, beside=beside):
        print(text, flush=True)
        lines.append(text)
    if wanted.keep is not None:
        write(wanted.keep, json.dumps(kept))
    if wanted.write is not None:
        whole = "\n".join(lines) + "\n"
        if chosen != names:
            page_before = wanted.write.read_text(encoding="utf-8")
            whole = with_new_tables(page_before, lines, wanted.remark)
        write(wanted.write, whole)


if __name__ == "__main__":
    main()
