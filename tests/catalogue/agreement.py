"""The one place where tests say that numbers agree, are in order, or that sets are nested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def same(ours: Any, theirs: Any, *, tolerance: float = 1e-9, about: Any = "") -> None:
    """Assert that numbers, arrays, or lists and mappings of them agree; nan agrees with nan."""
    if isinstance(ours, Mapping):
        assert ours.keys() == theirs.keys(), f"{about} keys differ: {[*ours]} and {[*theirs]}"
        for key in ours:
            same(ours[key], theirs[key], tolerance=tolerance, about=about)
        return
    if isinstance(ours, list | tuple):
        assert len(ours) == len(theirs), f"{about} lengths differ: {len(ours)} and {len(theirs)}"
        for one, two in zip(ours, theirs, strict=True):
            same(one, two, tolerance=tolerance, about=about)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, f"{about} shapes differ: {ours.shape} and {theirs.shape}"
    if ours.dtype.kind in "fiub" and theirs.dtype.kind in "fiub":
        agree = np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        agree = np.array_equal(ours, theirs)
    assert agree, f"{about} {ours} and {theirs} differ"


def at_most(smaller: Any, larger: Any, *, slack: float = 1e-9) -> None:
    """Assert that numbers are in order; nan says nothing."""
    smaller, larger = np.asarray(smaller, dtype=float), np.asarray(larger, dtype=float)
    defined = ~(np.isnan(smaller) | np.isnan(larger))
    over = np.where(defined, smaller - larger, 0.0)
    assert (over <= slack).all(), f"{smaller} exceeds {larger}"


def within(smaller: Any, larger: Any) -> None:
    """Assert that each prediction set holds its counterpart."""
    lost = np.flatnonzero((smaller & ~larger).any(axis=1))
    assert not len(lost), (
        f"row {lost[0]}: {smaller[lost[0]].tolist()} is not within {larger[lost[0]].tolist()}"
    )
