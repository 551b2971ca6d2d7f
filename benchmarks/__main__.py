"""Run every ``bench_*.py`` beside this file and print one table.

``python -m benchmarks [NAME…]`` runs those whose file name contains one of the words.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "pyarrow")


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


def line(row: dict[str, Any]) -> str:
    """One measurement as a row of a Markdown table."""
    reference = "" if row.get("reference") is None else f"{row['reference']:.4g}"
    ratio = "" if row.get("ratio") is None else f"{row['ratio']:.2f}"
    cells = [row["name"], f"{row['seconds']:.4g}", row.get("against", ""), reference, ratio]
    return "| " + " | ".join([*cells, row.get("note", "")]) + " |"


def main(wanted: list[str]) -> None:
    """Print the table, a row as soon as it is measured."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    chosen = [m for m in modules if not wanted or any(w in m for w in wanted)]
    if not chosen:
        sys.exit(f"No benchmark matches {wanted}; there are {', '.join(modules)}.")
    print(f"{machine()}; {versions()}\n")
    print("| measured | seconds | against | its seconds | ratio | note |")
    print("| --- | ---: | --- | ---: | ---: | --- |", flush=True)
    for name in chosen:
        for row in import_module(f"benchmarks.{name}").rows():
            print(line(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
