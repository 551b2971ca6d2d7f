"""Build the wheel and the source archive twice, compare every byte, and check what they hold.

The second pair is built from the first source archive, unpacked elsewhere with other times and
permissions: whoever has the archive gets the same wheel. What passes is left in ``dist``.

    python tools/build_release.py

It needs hatchling, whose version decides some bytes and is written into the wheel.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
# 1 January 2026; an archive tells nothing about the hour at which it was made.
EPOCH = "1767225600"
MOST_BYTES = {".whl": 4_000_000, ".gz": 5_000_000}
IN_WHEEL = (
    "cautious/py.typed",
    "cautious/datasets/data/facts.csv",
    "cautious/report/page/index.html",
    "cautious/report/page/main.js",
    "cautious/report/page/style.css",
)


def build(tree: Path, folder: Path) -> list[Path]:
    """Build the wheel and the source archive of a tree; give both."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run(
        [*command, "-d", str(folder)],
        cwd=tree,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return sorted(folder.iterdir(), key=lambda path: path.suffix, reverse=True)


def digest(path: Path) -> str:
    """Give the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def wheel_faults(names: Iterable[str], metadata: str, declared: dict[str, object]) -> list[str]:
    """Say what a wheel should not hold, lacks, or says of itself otherwise than pyproject."""
    held = set(names)
    about = f"cautious-{declared['version']}.dist-info/"
    roots = ("cautious/", about)
    faults = [
        f"{name} does not belong in the wheel"
        for name in held
        if not name.startswith(roots) or {"tests", "docs", "__pycache__"} & set(name.split("/"))
    ]
    wanted = (*IN_WHEEL, about + "licenses/LICENSE", about + "entry_points.txt")
    faults += [f"{name} is missing in the wheel" for name in wanted if name not in held]
    said = Parser().parsestr(metadata)
    given = {"Version": declared["version"], "Requires-Python": declared["requires-python"]}
    faults += [
        f"the wheel's {field} is {said[field]!r}, pyproject.toml's {value!r}"
        for field, value in given.items()
        if said[field] != value
    ]
    return sorted(faults)


def source_faults(names: Iterable[str], tracked: Iterable[str]) -> list[str]:
    """Say where the source archive and what is under version control differ."""
    held, wanted = set(names) - {"PKG-INFO"}, set(tracked)
    lost = [f"{name} is missing in the source archive" for name in wanted - held]
    return sorted(lost + [f"{name} is not under version control" for name in held - wanted])


def tracked() -> list[str]:
    """List the files under version control; none in an unpacked source archive."""
    if shutil.which("git") is None:
        return []
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).exists()]


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a source archive as another person would have it: other times, other permissions."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    for path in tree.rglob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode & 0o700)
            os.utime(path, (2_000_000_000, 2_000_000_000))
    return tree


def main() -> None:
    """Build, compare, check; leave both files in ``dist``."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    if importlib.util.find_spec("hatchling") is None:
        sys.exit("the package hatchling is missing; `pip install hatchling` gives it.")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with tempfile.TemporaryDirectory(prefix="cautious-release-") as name:
        place = Path(name)
        first = build(ROOT, place / "first")
        second = build(unpack(first[1], place / "unpacked"), place / "second")
        faults = [
            f"{a.name} differs when built again: {digest(a)}, {digest(b)}"
            for a, b in zip(first, second, strict=True)
            if digest(a) != digest(b)
        ]
        with zipfile.ZipFile(first[0]) as wheel:
            held = wheel.namelist()
            about = f"cautious-{declared['version']}.dist-info/METADATA"
            faults += wheel_faults(held, wheel.read(about).decode(), declared)
        with tarfile.open(first[1]) as tar:
            members = [one.name.partition("/")[2] for one in tar.getmembers() if one.isfile()]
        if known := tracked():
            faults += source_faults(members, known)
        faults += [
            f"{path.name} has {path.stat().st_size:,} bytes; at most {most:,} are allowed"
            for path in first
            if path.stat().st_size > (most := MOST_BYTES[path.suffix])
        ]
        if faults:
            sys.exit("\n".join(faults))
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for path, count in zip(first, (len(held), len(members)), strict=True):
            shutil.copyfile(path, DIST / path.name)
            print(f"{path.name}  {path.stat().st_size:,} bytes  {count} files  {digest(path)}")
    print("Built twice, the second time from the source archive: the same bytes.")


if __name__ == "__main__":
    main()
