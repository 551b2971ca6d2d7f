"""Tables of JSON: one object per line, or an array of objects; nested fields have dotted names."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from cautious._files import once
from cautious._messages import refusal
from cautious.errors import quoted


def read_json(source: Path | bytes) -> tuple[pd.DataFrame, Callable[[int], str]]:
    """Read the objects as rows of a frame; tell where each of them is."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    try:
        content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        text = content.decode("utf-8-sig")
    except (OSError, EOFError):
        raise refusal("damaged gzip") from None
    except UnicodeDecodeError as error:
        raise refusal("not text", encoding="UTF-8", offset=error.start) from None
    rows, places = [], []
    for place, found in _values(text):
        if not isinstance(found, Mapping):
            raise refusal("no json object", where=place, given=quoted(json.dumps(found), 40))
        with _broken(place):
            rows.append(once(list(_flat(found))))
        places.append(place)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    return pd.DataFrame(columns), places.__getitem__


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """Go through the values of an array, or of lines; say where each of them is."""
    if text.lstrip()[:1] == "[":
        with _broken():
            every = json.loads(text, object_pairs_hook=once)
        yield from ((f"object {at}", found) for at, found in enumerate(every, 1))
        return
    for line, part in enumerate(text.split("\n"), 1):
        if part.strip():
            with _broken(f"line {line}"):
                found = json.loads(part, object_pairs_hook=once)
            yield f"line {line}", found


@contextmanager
def _broken(place: str = "") -> Iterator[None]:
    """Say what is no JSON, in which a name may stand once in an object; NaN is a missing number."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        where = place or (f"line {error.lineno}" if hasattr(error, "lineno") else "the array")
        why = "nested too deeply" if isinstance(error, RecursionError) else None
        raise refusal("broken json", where=where, why=why or getattr(error, "msg", error)) from None


def _flat(found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the fields of an object, those of objects inside by dotted names."""
    for name, value in found.items():
        if isinstance(value, Mapping) and value:
            for inside, each in _flat(value):
                yield f"{name}.{inside}", each
        else:
            yield name, value
