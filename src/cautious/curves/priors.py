"""Class shares other than the sample's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cautious._typing import as_floats
from cautious.curves.staircase import Staircase

__all__ = ["ClassScales", "class_scales"]

Priors = Mapping[Any, float] | Sequence[float]


class ClassScales(NamedTuple):
    """What one counted example of each class stands for, as a share of all cases."""

    negative: float
    positive: float


def class_scales(staircase: Staircase, priors: Priors | None) -> ClassScales:
    """Scale counts to shares of all cases.

    Parameters
    ----------
    staircase : Staircase
        Counts of both classes.
    priors : mapping or pair (negative, positive), optional
        Class probabilities to assume instead of the sample's; a mapping from label to probability
        or a pair in the order of ``staircase.classes``.

    Returns
    -------
    ClassScales

    Examples
    --------
    >>> class_scales(Staircase([0.1, 0.9], [1, 1], [7, 1]), {0: 0.5, 1: 0.5})
    ClassScales(negative=0.0625, positive=0.25)
    """
    counts = (staircase.n_negatives, staircase.n_positives)
    for label, count in zip(staircase.classes, counts, strict=True):
        if 0 < count < np.finfo(np.float64).tiny:
            raise ValueError(
                f"the weights of class {label!r} add up to {count}, too little to take shares of; "
                "multiply all weights by the same large number."
            )
    if priors is None:
        total = sum(counts)
        if total == 0:
            raise ValueError(
                "there is no example of positive weight; at least one is needed to expect a cost."
            )
        return ClassScales(1 / total, 1 / total)
    if isinstance(priors, Mapping):
        if set(priors) != set(staircase.classes):
            raise ValueError(
                f"priors names {list(priors)!r}, but the classes are {list(staircase.classes)!r}."
            )
        priors = [priors[label] for label in staircase.classes]
    values = as_floats(priors, "priors", "probabilities")
    if values.shape != (2,) or not (values > 0).all() or abs(values.sum() - 1) > 1e-6:
        raise ValueError(
            f"priors is {priors!r}; give two positive numbers that add up to 1, for "
            f"{staircase.classes!r} in this order, or a mapping from label to probability."
        )
    for label, count in zip(staircase.classes, counts, strict=True):
        if count == 0:
            raise ValueError(
                f"priors cannot be met: there is no example of class {label!r} to weigh."
            )
    negative, positive = values / values.sum() / counts
    return ClassScales(float(negative), float(positive))
