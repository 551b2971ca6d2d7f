"""The shape of the library: packages through their front doors, modules that earn their place.

A package (a folder directly below ``cautious``) is used by others through its public names, which
its ``__init__`` offers. What packages share beyond that lives in modules with an underscore, so
that every import line shows what is private. A folder inside a package groups a family of modules.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.package.source import tree_of

ROOT = Path(__file__).parents[2] / "src" / "cautious"
MODULES = sorted(ROOT.rglob("*.py"))

# Shrinks: imports past another package's __init__ that are still there. Nothing may be added.
PAST_THE_FRONT_DOOR: set[tuple[str, str]] = set()

# Shrinks: modules that only one other module imports, and that belong into it.
WITH_ONE_IMPORTER: set[str] = {
    "cautious.decision.rule_code",
    "cautious.logs._sink",
    "cautious.predictions._arrays",
}

# A name may be used twice where it means the same in both places.
SAME_MEANING = {
    "_forms": "the forms in which costs and utilities are given",
}
# Shrinks: names that mean different things in different packages.
NAMES_USED_TWICE: set[str] = set()
# Shrinks: modules called after what is done in them.
PARTICIPLES: set[str] = set()
# Words in -ing that are nouns, or part of a class's name.
NOUNS = (
    "typing",
    "averaging",
    "betting",
    "cross_fitting",
    "tuning",
    "abstaining",
    "delegating",
    "deferring",
)


def name_of(path: Path) -> str:
    """Dotted name of a module, such as ``cautious._checks``."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in MODULES}


@cache
def imported_modules(path: Path) -> tuple[str, ...]:
    """Names of the library's modules that a module imports, also inside functions."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in NAMES)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path} imports relatively; name the package."
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_module = whole in NAMES and alias.name not in bound_in(NAMES[node.module])
                yield whole if is_module else node.module


@cache
def bound_in(path: Path) -> frozenset[str]:
    """Names that a module imports from others: ``costs.audit`` is a function, not the module."""
    nodes = tree_of(path).body
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return frozenset(alias.asname or alias.name for node in imports for alias in node.names)


def package_of(name: str) -> str:
    """Return the package a module belongs to: ``cautious.sets`` for ``cautious._checks``."""
    return ".".join(name.split(".")[:2])


def test_packages_are_used_through_their_front_doors():
    found = {
        (name, other)
        for name, path in NAMES.items()
        for other in imported_modules(path)
        if other in NAMES
        and package_of(other) != package_of(name)
        and other != package_of(other)
        and not other.rpartition(".")[2].startswith("_")
        and name != "cautious"
    }
    new = sorted(found - PAST_THE_FRONT_DOOR)
    assert not new, (
        "these import past another package's __init__; import a public name from the package, or "
        "let the module show by an underscore that packages share it: "
        + "; ".join(f"{name} → {other}" for name, other in new)
    )
    gone = sorted(PAST_THE_FRONT_DOOR - found)
    assert not gone, f"take these off PAST_THE_FRONT_DOOR, they are mended: {gone}"


def importers() -> dict[str, set[str]]:
    """Which modules import each module."""
    by: dict[str, set[str]] = defaultdict(set)
    for name, path in NAMES.items():
        for other in imported_modules(path):
            by[other].add(name)
    return by


def test_a_module_has_more_than_one_importer_or_a_family():
    by, found = importers(), set()
    for name, path in NAMES.items():
        in_family = len(name.split(".")) > 3 or name.startswith("cautious.cli.")  # of commands
        if path.stem in ("__init__", "__main__") or in_family:
            continue
        if package_of(name) not in by[name] and len(by[name]) < 2:
            found.add(name)
    new = sorted(found - WITH_ONE_IMPORTER)
    assert not new, (
        f"only one module imports {new}; move them into it, into a family's folder, or let the "
        "package's __init__ offer what they hold."
    )
    gone = sorted(WITH_ONE_IMPORTER - found)
    assert not gone, f"take these off WITH_ONE_IMPORTER, they are mended: {gone}"


def test_a_name_means_one_thing():
    """Pictures and commands are called after what they draw and do; families by themselves."""
    names = defaultdict(list)
    for name in NAMES:
        parts = name.split(".")
        if len(parts) in (2, 3) and parts[1] not in ("displays", "cli"):
            names[parts[-1]].append(name)
    found = {name: where for name, where in names.items() if len(where) > 1}
    new = {name: where for name, where in found.items()
           if name not in SAME_MEANING and name not in NAMES_USED_TWICE}  # fmt: skip
    assert not new, f"these names mean several things; rename one: {new}"
    gone = sorted((NAMES_USED_TWICE | SAME_MEANING.keys()) - found.keys())
    assert not gone, f"take these off NAMES_USED_TWICE or SAME_MEANING: {gone}"


def test_modules_are_named_by_nouns():
    found = {name for name in NAMES if name.endswith("ing") and not name.endswith(NOUNS)}
    new = sorted(found - PARTICIPLES)
    assert not new, f"{new}: call a module after what it holds, not after what is done in it"
    gone = sorted(PARTICIPLES - found)
    assert not gone, f"take these off PARTICIPLES, they are mended: {gone}"


def test_there_are_not_too_many_modules():
    """A compass: 236 before trees, experts, ordered classes, novelty and guests.

    275 since the longest files were parted: scores read back from counts, the parts of a log, the
    plan of answers and where they are written, cases that are divided, new cases, printed tables,
    power means, two pictures. Four tiny files went to their neighbours for it.
    """
    assert len(MODULES) < 276
