"""Count how large the library is: lines, modules, names, the page and the tests.

Run it as ``python tools/size.py``. ``tests/package/test_size.py`` holds what it prints under
ceilings that may fall and never rise.
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "src" / "cautious"
PAGE = LIBRARY / "report" / "page"


def lines_of(path: Path) -> dict[str, int]:
    """Count the code, docstring, comment and blank lines of a Python file."""
    source = path.read_text(encoding="utf-8")
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                docstrings |= set(range(first.lineno, first.end_lineno + 1))  # type: ignore[operator]
    layout = {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENCODING, tokenize.ENDMARKER,
    }  # fmt: skip
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        rows = set(range(token.start[0], token.end[0] + 1))
        if token.type == tokenize.COMMENT:
            comments |= rows
        elif token.type not in layout:
            code |= rows - docstrings
    total = len(source.splitlines())
    comments -= code | docstrings
    blank = total - len(code | docstrings | comments)
    return {
        "code": len(code),
        "docstring": len(docstrings),
        "comment": len(comments),
        "blank": blank,
    }


def public_names() -> dict[str, list[str]]:
    """List the entries of ``__all__`` of each package, without those of the top level."""
    names = {}
    for path in sorted(LIBRARY.glob("*/__init__.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                names[path.parent.name] = ast.literal_eval(node.value)
    return names


def lent_names() -> list[str]:
    """List the names that modules import as themselves (``x as x``) to lend them to others."""
    return [
        f"{path.relative_to(LIBRARY)}: {alias.name}"
        for path in sorted(LIBRARY.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]


def _plain_lines(paths: list[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def sizes() -> dict[str, int]:
    """Count everything that has a ceiling."""
    modules = sorted(LIBRARY.rglob("*.py"))
    counted = [lines_of(path) for path in modules]
    page = [path for path in PAGE.rglob("*") if path.suffix in (".js", ".css", ".html")]
    tests = [path for path in (ROOT / "tests").rglob("*") if path.suffix in (".py", ".mjs")]
    return {
        "code lines": sum(one["code"] for one in counted),
        "modules": len(modules),
        "docstring lines": sum(one["docstring"] for one in counted),
        "comment lines": sum(one["comment"] for one in counted),
        "public names": sum(map(len, public_names().values())),
        "lent names": len(lent_names()),
        "page lines": _plain_lines(page),
        "test lines": _plain_lines(tests),
    }


def by_package() -> dict[str, tuple[int, int, int]]:
    """Count files, code lines and docstring lines of each package; top modules together."""
    found: dict[str, tuple[int, int, int]] = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        parts = path.relative_to(LIBRARY).parts
        package = parts[0] if len(parts) > 1 else "(top)"
        counted = lines_of(path)
        files, code, docs = found.get(package, (0, 0, 0))
        found[package] = (files + 1, code + counted["code"], docs + counted["docstring"])
    return found


if __name__ == "__main__":
    for name, count in sizes().items():
        print(f"{name:16}{count:8,}")
    print()
    print(f"{'package':16}{'files':>6}{'code':>8}{'docstrings':>12}")
    for package, (files, code, docs) in by_package().items():
        print(f"{package:16}{files:6}{code:8,}{docs:12,}")
