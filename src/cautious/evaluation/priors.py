"""Class probabilities to assume instead of those of the sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from cautious.curves import check_priors
from cautious.errors import InputError, listed
from cautious.predictions import ModelPredictions, match_labels

__all__ = ["read_priors", "with_priors"]


def read_priors(priors: Any, classes: Sequence[Any]) -> Any:
    """Give priors in the order of the classes; one number is the share of positives.

    Examples
    --------
    >>> read_priors(0.25, ["no", "yes"])
    [0.75, 0.25]
    """
    if isinstance(priors, Real):
        if len(classes) != 2:
            raise InputError(
                "{=priors} is {given}, the share of positives, but there are {n} classes; give a "
                "share for each.",
                given=priors,
                n=len(classes),
            )
        if not 0 < float(priors) < 1:
            raise InputError(
                "{=priors} is {given}; a share of positives lies strictly between 0 and 1.",
                given=priors,
            )
        return [1 - float(priors), float(priors)]
    if isinstance(priors, Mapping):
        at = match_labels(list(priors), list(classes))
        if sorted(at) != list(range(len(classes))):
            raise InputError(
                "{=priors} names {given}, but the classes are {classes}.",
                given=listed(priors),
                classes=listed(classes),
            )
        shares = list(priors.values())
        return [shares[at.index(k)] for k in range(len(classes))]
    return priors


def with_priors(one: ModelPredictions, priors: Any) -> ModelPredictions:
    """Weigh cases so that the classes have given shares; the total weight stays the same."""
    assert one.codes is not None
    weight = np.ones(one.n) if one.sample_weight is None else one.sample_weight
    counts = np.bincount(one.codes, weight, minlength=len(one.classes)).astype(np.float64)
    shares = check_priors(read_priors(priors, one.classes), one.classes, counts)
    return replace(one, sample_weight=weight * (shares * counts.sum() / counts)[one.codes])
