"""What was seen before, in little room: names of old batches and ids of cases, as digests."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._input_limits import STATE
from cautious._typing import Floats

Digests: TypeAlias = npt.NDArray[np.uint64]

IDS_KEPT = 10_000
"""So many ids are remembered with their scores; of more, the same ones by every watch."""
# A million names of 40 bits take 3.6 MB of text; a new one is taken for one of them once in 10⁶.
_BYTES = 5


@dataclass(frozen=True)
class Names:
    """A set of names that are known by digests alone, eight bytes each, ascending."""

    digests: bytes = b""

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Forget names but for their digests."""
        return cls(np.unique(np.array([_digest(name) for name in names], "<u8")).tobytes())

    @property
    def _array(self) -> Digests:
        return np.frombuffer(self.digests, "<u8")

    def __len__(self) -> int:
        return len(self.digests) // 8

    def __contains__(self, name: str) -> bool:
        known, digest = self._array, np.uint64(_digest(name))
        at = int(np.searchsorted(known, digest))
        return at < len(known) and bool(known[at] == digest)

    def __or__(self, other: Names) -> Names:
        both = np.sort(np.concatenate([self._array, other._array]), kind="stable")  # merges
        return Names(both[np.append(True, both[1:] != both[:-1])[: len(both)]].tobytes())

    def to_text(self) -> str:
        """Write the gaps between digests, byte by byte of all of them, which packs well."""
        gaps = np.diff(self._array, prepend=np.uint64(0)).view(np.uint8).reshape(-1, 8)
        return base64.b64encode(zlib.compress(gaps[:, :_BYTES].T.tobytes(), 1)).decode()

    @classmethod
    def from_text(cls, text: str) -> Names:
        """Read what was written; anything else is refused."""
        unpacker = zlib.decompressobj()
        try:
            plain = unpacker.decompress(base64.b64decode(text, validate=True), STATE)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("the names of old batches are cut off or too many")
        gaps = np.zeros((len(plain) // _BYTES, 8), np.uint8)
        gaps[:, :_BYTES] = np.frombuffer(plain, np.uint8).reshape(_BYTES, -1).T
        return cls(np.cumsum(gaps.view("<u8").ravel(), dtype="<u8").tobytes())


def _digest(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:_BYTES], "little")


@dataclass(frozen=True)
class ScoredIds:
    """Ids of cases and their first scores, as digests: those whose digests are least."""

    digests: bytes = b""

    @property
    def _table(self) -> Digests:
        return np.frombuffer(self.digests, "<u8").reshape(-1, 2)

    def __len__(self) -> int:
        return len(self.digests) // 16

    def plus(self, ids: npt.NDArray[np.object_], scores: Floats) -> tuple[ScoredIds, list[Any]]:
        """Add the cases of a batch; list those ids that had another score before."""
        keys = pd.util.hash_array(ids, categorize=False)
        if len(self) == IDS_KEPT:  # a higher digest finds no room
            near = keys <= self._table[-1, 0]
            ids, scores, keys = ids[near], scores[near], keys[near]
        own = np.zeros(len(ids), np.uint64)
        for column in map(pd.util.hash_array, np.atleast_2d(scores.T)):
            own = own * np.uint64(31) + column
        new = np.column_stack([keys, own])
        found = self | ScoredIds(new.astype("<u8").tobytes())
        known = found._table
        at = np.searchsorted(known[:-1, 0], keys)
        other = (known[at, 0] == keys) & (known[at, 1] != own)
        return found, ids[other].tolist()

    def __or__(self, other: ScoredIds) -> ScoredIds:
        both = np.concatenate([self._table, other._table])
        _, first = np.unique(both[:, 0], return_index=True)
        return ScoredIds(both[first[:IDS_KEPT]].tobytes())

    def to_text(self) -> str:
        """Write the digests as text."""
        return base64.b64encode(self.digests).decode()

    @classmethod
    def from_text(cls, text: str) -> ScoredIds:
        """Read what was written; anything else is refused."""
        digests = base64.b64decode(text, validate=True)
        if len(digests) % 16 or len(digests) > 16 * IDS_KEPT:
            raise ValueError("the ids of cases are cut off or too many")
        return cls(digests)
