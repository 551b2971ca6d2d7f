"""Sets as rows of bits, quick to tell apart."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Ints, Mask

__all__ = [
    "Words",
    "distinct_sets",
    "first_occurrences",
    "pack_sets",
    "unpack_sets",
]

Words: TypeAlias = npt.NDArray[np.uint64]
"""Sets of shape (n_sets, ceil(K / 64)); the first class is the highest bit of the first word."""


def pack_sets(mask: Mask) -> Words:
    """Pack a mask into an eighth of its size."""
    bits = np.packbits(mask, axis=1)
    octets = np.zeros((len(mask), 8 * -(-mask.shape[1] // 64)), dtype=np.uint8)
    octets[:, : bits.shape[1]] = bits
    return octets.view(">u8").astype(np.uint64)


def unpack_sets(words: Words, n_classes: int) -> Mask:
    """Undo :func:`pack_sets`."""
    octets = words.astype(">u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_classes).astype(np.bool_)


def distinct_sets(words: Words, size: Ints) -> tuple[Words, Ints]:
    """Sort out equal sets."""
    # Hashing one word after the other is linear in the bits, where sorting whole rows is not.
    code = np.zeros(len(words), dtype=np.int64)
    for word in words.T:
        low, seen = pd.factorize(word)
        code, distinct = pd.factorize(code * len(seen) + low)
        if len(distinct) == len(words):
            break
    first = first_occurrences(code)
    order = np.lexsort((*~words[first].T[::-1], size[first]))
    rank = np.empty(len(first), dtype=np.intp)
    rank[order] = np.arange(len(first))
    return words[first[order]], rank[code]


def first_occurrences(code: npt.NDArray[np.integer]) -> Ints:
    """Position at which each of the codes 0, 1, … occurs first; none may be left out."""
    first = np.empty(code.max(initial=-1) + 1, dtype=np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]  # the last to be written is the first to occur
    return first
