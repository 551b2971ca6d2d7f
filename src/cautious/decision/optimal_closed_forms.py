"""Optimal sets that can be written down, class by class."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Mask

__all__ = ["class_selective_sets", "possible_classes"]


def class_selective_sets(p: Floats, eta: Floats, delta: float) -> Mask:
    r"""Choose under Ha's costs :math:`\eta(y)[y \notin \hat Y] + \delta (|\hat Y| - 1)`.

    Each class pays by itself: it is in if :math:`\eta(y) p(y) > \delta`, and the one of the largest
    :math:`\eta(y) p(y)` is in any case.
    """
    at_stake = eta * p
    # A tie, up to rounding, is a reason for the smaller set.
    mask = at_stake > delta * (1 + 1e-12)
    none = np.flatnonzero(~mask.any(axis=1))
    mask[none, at_stake[none].argmax(axis=1)] = True
    return mask


def possible_classes(p: Floats) -> Mask:
    """Choose all classes that are possible at all: best where right sets cost nothing."""
    return np.asarray(p > 0)
