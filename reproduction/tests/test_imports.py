"""The reproduction stands on what everybody may use of the library, and on nothing else."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import cautious

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_only_public_names_of_the_library_are_imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "cautious":
            _, _, package = node.module.partition(".")
            assert not package or package in cautious.__all__, f"{node.module} is not public"
            public = import_module(node.module).__all__
            private = [alias.name for alias in node.names if alias.name not in public]
            assert not private, f"{node.module} does not offer {private}"
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            assert not [name for name in names if name.startswith("cautious.")], names
