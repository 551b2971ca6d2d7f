"""Putting the page together: one file, nothing fetched, nothing run that is not ours."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from cautious.files import jsonable

__all__ = ["render_page"]


def render_page(data: Mapping[str, Any], title: str) -> str:
    """Write the page as text.

    Parameters
    ----------
    data : mapping
        What the page shows; numbers, text, arrays, lists and mappings of them.
    title : str
        Title of the page.

    Returns
    -------
    str
        A whole HTML document. Its policy allows the scripts and the style it carries, by their
        hashes, and no connection to anywhere.
    """
    style, *scripts = _sources()
    policy = "; ".join(
        [
            "default-src 'none'",
            "connect-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = {
        "policy": policy,
        "title": html.escape(_writable(title)),
        "style": style,
        "data": embedded_json(data),
        "parquet": scripts[0],
        "script": scripts[1],
    }
    template = _read("page/index.html")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


def embedded_json(data: Any) -> str:
    r"""Write JSON that is safe inside a script element, whatever text it holds.

    Examples
    --------
    >>> embedded_json({"label": "</script>", "cut": float("inf")})
    '{"label":"\\u003c/script\\u003e","cut":"Infinity"}'
    """
    plain = jsonable(data, nan="NaN", short=True)
    text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for unsafe in "<>&\u2028\u2029":
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return _writable(text)


def _writable(text: str) -> str:
    """Replace what no file could hold: half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")


@cache
def _sources() -> tuple[str, str, str]:
    """Style, the Parquet reader, and the page's own modules joined into one script."""
    modules = "\n".join(map(_in_one_scope, page_modules().values()))
    script = f'"use strict";\n(() => {{\n{modules}\n}})();\n'
    return _read("page/style.css"), _read("vendor/parquet.min.js"), script


def page_modules() -> dict[str, str]:
    """Read the page's modules by path, each after those it imports."""
    sources: dict[str, str] = {}
    open_: list[str] = []

    def add(path: str) -> None:
        if path in open_:
            raise ValueError(f"{' imports '.join([*open_, path])}; break the circle.")
        if path not in sources:
            open_.append(path)
            source = _read(f"page/{path}")
            for used in re.findall(r'^import [^;]* from "([^"]+)";', source, re.MULTILINE):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(path), used)))
            sources[open_.pop()] = source

    add("main.js")
    return sources


def _in_one_scope(module: str) -> str:
    """Drop the imports and exports of a module that shares its scope with the others."""
    without = re.sub(r"^import [^;]*;\n", "", module, flags=re.MULTILINE)
    return re.sub(r"^export ", "", without, flags=re.MULTILINE)


def _read(path: str) -> str:
    return files("cautious.report").joinpath(path).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
