"""Write the exact versions and digests of the development environment.

``make`` installs what ``constraints/development.txt`` lists and nothing else, each archive checked
against its digest, so that two machines test the same code. Run this to take newer versions; the
result is committed. It needs the program ``uv``.

    python tools/lock_environment.py
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKED = ROOT / "constraints" / "development.txt"
HEAD = "# Written by tools/lock_environment.py; `make` installs it. Do not edit.\n"


def wanted() -> list[str]:
    """List what is asked for: the library with its extras, its build, tests and documentation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    named = [line for group in ("dev", "docs") for line in groups[group]]
    others = [line for line in named if not line.startswith("cautious")]
    return [f"-e {ROOT}[all]", *project["build-system"]["requires"], "editables", *others]


def main() -> None:
    """Resolve for every supported Python and platform at once."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    if shutil.which("uv") is None:
        sys.exit("the program uv is not on the PATH; `pip install uv` gives it.")
    with tempfile.TemporaryDirectory() as folder:
        asked, found = Path(folder) / "asked.txt", Path(folder) / "found.txt"
        asked.write_text("\n".join(wanted()) + "\n")
        least = ["--python-version", "3.11", "--universal"]
        form = ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-package=cautious"]
        command = ["uv", "pip", "compile", *least, *form, "--upgrade", "-q"]
        subprocess.run([*command, str(asked), "-o", str(found)], cwd=ROOT, check=True)
        LOCKED.write_text(HEAD + found.read_text())


if __name__ == "__main__":
    main()
