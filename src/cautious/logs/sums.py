r"""Counts that are the same on every machine: weights in fixed point.

Floating-point sums depend on the order of their terms, and nobody knows the order in which a
cluster finishes. So each weight is rounded once, to a multiple of :math:`2^{-64}` (about 5e-20),
and written as whole numbers to the base :math:`2^{32}`; integers add up exactly. Rows without
weights are counted by plain integers.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats

Counts: TypeAlias = npt.NDArray[np.int64]
"""Counts of shape (m,); or weights in fixed point, (m, 3): whole part and two 32-bit digits."""

_BASE_BITS = 32
_BASE = float(1 << _BASE_BITS)


def fixed_point(weight: Floats) -> Counts:
    """Write weights in fixed point."""
    whole = np.floor(weight)
    digits = (weight - whole) * _BASE  # exact: so many leading bits are taken away, none moved
    high = np.floor(digits)
    low = np.rint((digits - high) * _BASE)
    return carried(np.stack([whole, high, low], axis=-1).astype(np.int64))


def carried(counts: Counts) -> Counts:
    """Carry digits beyond the base over to the next place; plain counts stay as they are."""
    if counts.ndim > 1:
        for place in (2, 1):
            counts[:, place - 1] += counts[:, place] >> _BASE_BITS
            counts[:, place] &= (1 << _BASE_BITS) - 1
        if (counts[:, 0] < 0).any():  # no weight is negative: this sum has overflowed
            raise ValueError("weights add up to 2**63 or more; divide all by the same number.")
    return counts


def floats(counts: Counts) -> Floats:
    """Nearest floating-point numbers."""
    if counts.ndim == 1:
        return counts.astype(np.float64)
    # The two digits hold 64 bits, more than a float does: adding from the small end rounds once.
    small = counts[:, 2] / _BASE + counts[:, 1]
    return np.asarray(small / _BASE + counts[:, 0])


def check_counts(counts: Counts, n: int) -> None:
    """Refuse counts that nothing can add up to: of a wrong shape, negative, or zero."""
    if counts.dtype != np.int64 or counts.shape not in ((n,), (n, 3)):
        raise ValueError(f"{n} counts have the shape {counts.shape}")
    digits = counts[:, 1:] if counts.ndim > 1 else counts[:0]
    none = counts <= 0 if counts.ndim == 1 else ~counts.any(axis=1)
    if (counts < 0).any() or none.any() or (digits >> _BASE_BITS).any():
        raise ValueError("counts are negative, zero or too large")
