"""JSON and arrays as bytes under a checksum: nothing that runs, and no byte that may change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["pack", "unpack"]

_MAGIC = b"cautious.log/1\n"
_DIGEST = hashlib.sha256().digest_size
_TYPES = {"f": "<f8", "i": "<i8", "u": "<u8"}


def pack(header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]]) -> bytes:
    """Write a header and arrays of 64-bit numbers; equal ones give equal bytes."""
    shapes = [[array.dtype.kind, *array.shape] for array in arrays]
    text = json.dumps({**header, "arrays": shapes}).encode()
    numbers = [array.astype(_TYPES[array.dtype.kind]).tobytes() for array in arrays]
    content = b"".join([len(text).to_bytes(8, "little"), text, *numbers])
    return _MAGIC + hashlib.sha256(content).digest() + content


def unpack(data: bytes) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
    """Undo :func:`pack`."""
    start = len(_MAGIC) + _DIGEST
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"bytes were expected, not {type(data).__name__}")
    data = bytes(data)
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("they begin otherwise")
    content = data[start:]
    if hashlib.sha256(content).digest() != data[len(_MAGIC) : start]:
        raise ValueError("they are damaged: the checksum differs")
    at = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:at])
    arrays = []
    for kind, *shape in header.pop("arrays"):
        if not all(type(size) is int and size > 0 for size in shape):
            raise ValueError(f"an array has the shape {shape}")
        n = int(np.prod(shape, dtype=object))
        if at + 8 * n > len(content):
            raise ValueError("arrays are cut off")
        flat = np.frombuffer(content, _TYPES[kind], n, at)
        arrays.append(flat.astype(flat.dtype.newbyteorder("=")).reshape(shape))
        at += 8 * n
    if at != len(content):
        raise ValueError("there is more behind the arrays")
    return header, arrays
