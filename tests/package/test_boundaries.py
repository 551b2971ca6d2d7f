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

# Shrinks: modules that only one other module imports, and that belong into it.
WITH_ONE_IMPORTER: set[str] = {
    "cautious.decision.rule_code",
}

# A name may be used twice where it means the same in both places.
SAME_MEANING = {
    "_forms": "the forms in which costs and utilities are given",
}
# Shrinks: names that several modules define.
DEFINED_TWICE: set[str] = set()
# Shrinks: modules of one name.
MODULES_OF_ONE_NAME: set[str] = {"sets"}
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
    assert not found, (
        "these import past another package's __init__; import a public name from the package, or "
        "let the module show by an underscore that packages share it: "
        + "; ".join(f"{name} → {other}" for name, other in sorted(found))
    )


def importers() -> dict[str, set[str]]:
    """Which modules import each module."""
    by: dict[str, set[str]] = defaultdict(set)
    for name, path in NAMES.items():
        for other in imported_modules(path):
            by[other].add(name)
    return by


def test_a_module_has_more_than_one_importer():
    """A command is imported by the application alone, and a public name by its package."""
    by, found = importers(), set()
    for name, path in NAMES.items():
        if path.stem in ("__init__", "__main__") or name.startswith("cautious.cli."):
            continue
        offered = any(NAMES[other].stem == "__init__" for other in by[name])
        if not offered and len(by[name]) < 2:
            found.add(name)
    new = sorted(found - WITH_ONE_IMPORTER)
    assert not new, (
        f"only one module imports {new}; move them into it, or let the package's __init__ offer "
        "what they hold."
    )
    gone = sorted(WITH_ONE_IMPORTER - found)
    assert not gone, f"take these off WITH_ONE_IMPORTER, they are mended: {gone}"


def test_a_module_name_means_one_thing():
    """Pictures and commands are called after what they draw and do."""
    names = defaultdict(list)
    for name in NAMES:
        parts = name.split(".")
        if len(parts) > 1 and parts[1] not in ("displays", "cli"):
            names[parts[-1]].append(name)
    found = {name: where for name, where in names.items() if len(where) > 1}
    known = SAME_MEANING.keys() | MODULES_OF_ONE_NAME
    new = {name: where for name, where in found.items() if name not in known}
    assert not new, f"these names mean several things; rename one: {new}"
    gone = sorted(known - found.keys())
    assert not gone, f"take these off SAME_MEANING or MODULES_OF_ONE_NAME: {gone}"


def test_a_name_is_defined_once():
    """A command does what the function of its name does; other names mean one thing each."""
    defined = defaultdict(set)
    for name, path in NAMES.items():
        if not name.startswith("cautious.cli."):
            for node in tree_of(path).body:
                for own in _defined_by(node):
                    defined[own].add(name)
    found = {
        name
        for name, where in defined.items()
        if len(where) > 1 and len(name) > 1 and name[0] != "_"
    }
    new = {name: sorted(defined[name]) for name in sorted(found - DEFINED_TWICE)}
    assert not new, f"these names are defined in several modules; rename one, or share it: {new}"
    gone = sorted(DEFINED_TWICE - found)
    assert not gone, f"take these off DEFINED_TWICE, they are mended: {gone}"


def _defined_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_modules_are_named_by_nouns():
    found = {name for name in NAMES if name.endswith("ing") and not name.endswith(NOUNS)}
    assert not found, f"{found}: call a module after what it holds, not after what is done in it"
