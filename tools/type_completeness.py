"""Say how much of the public names has a known type, as other people's type checkers see it.

The wheel is installed in a fresh environment, with stubs for scikit-learn and pandas, which say
nothing about their own types; pyright then reads the package as a stranger's editor would. All of
it must be known.

    python tools/type_completeness.py

It needs the packages ``uv`` and ``pyright``, and a wheel that ``tools/build_release.py`` left in
``dist``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
STUBS = ("pandas-stubs", "scikit-learn-stubs")


def shown_faults(report: dict[str, Any], most: int = 40) -> list[str]:
    """List the names whose type is not known, with what is missing."""
    faults = [
        f"{symbol['name']}: {words['message'].splitlines()[0]}"
        for symbol in report["symbols"]
        for words in symbol["diagnostics"]
        if words["severity"] == "error"
    ]
    return faults[:most] + ([f"… {len(faults)} in all"] if len(faults) > most else [])


def main() -> None:
    """Install, read, and end with an error where a type is missing."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    wheel = next((ROOT / "dist").glob("*.whl"), None)
    if wheel is None or not all(map(importlib.util.find_spec, ("uv", "pyright"))):
        sys.exit(
            "needed are a wheel in dist, from tools/build_release.py, and the packages uv and "
            "pyright."
        )
    with tempfile.TemporaryDirectory(prefix="cautious-types-") as name:
        python = Path(name, "env", "bin", "python")
        uv = [sys.executable, "-m", "uv", "--quiet"]
        subprocess.run([*uv, "venv", "--python", sys.executable, "env"], cwd=name, check=True)
        asked = [f"cautious[all] @ {wheel.as_uri()}", *STUBS]
        subprocess.run([*uv, "pip", "install", "--python", str(python), *asked], check=True)
        command = [sys.executable, "-m", "pyright", "--verifytypes", "cautious"]
        done = subprocess.run(
            [*command, "--ignoreexternal", "--outputjson"],
            cwd=name,
            env={**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        report = json.loads(done.stdout[done.stdout.index("{") :])["typeCompleteness"]
    except (ValueError, KeyError):
        sys.exit(f"pyright did not report: {done.stdout[-500:]} {done.stderr[-500:]}")
    counts = report["exportedSymbolCounts"]
    of = sum(counts.values())
    print(f"{report['completenessScore']:.1%} of {of:,} public names have a known type")
    if report["completenessScore"] < 1:
        sys.exit("\n".join(shown_faults(report)))


if __name__ == "__main__":
    main()
