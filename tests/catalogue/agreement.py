"""The one place where tests say that numbers agree, are in order, or that sets are nested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def same(ours: Any, theirs: Any, *, tolerance: float = 1e-9) -> None:
    """Assert that two numbers, arrays or mappings of them agree; nan agrees with nan."""
    if isinstance(ours, Mapping):
        assert ours.keys() == theirs.keys()
        for key in ours:
            same(ours[key], theirs[key], tolerance=tolerance)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, f"shapes differ: {ours.shape} and {theirs.shape}"
    if ours.dtype.kind in "fiub" and theirs.dtype.kind in "fiub":
        assert np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True), (
            f"{ours} and {theirs} differ"
        )
    else:
        assert np.array_equal(ours, theirs), f"{ours} and {theirs} differ"


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
