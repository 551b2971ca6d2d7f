"""How determinate the answers are, and how good on either side: Zaffalon's summary numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._set_counts import count_sets
from cautious.errors import shown
from cautious.metrics._registry import define_measure, with_params

__all__ = [
    "containment_score",
    "determinacy_score",
    "mean_set_size",
    "set_accuracy_score",
    "single_accuracy_score",
]


@define_measure("determinacy", mean=True, section="sets")
def determinacy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Share of predictions that name a single class, :math:`P(|\hat Y| = 1)`.

    An empty set (``empty="wrong"``) counts as a wrong single class.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Returns
    -------
    float

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 7.

    Examples
    --------
    >>> determinacy_score(["a", "b"], [["a"], ["a", "b"]])
    0.5
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(counts.determinate)


@define_measure("single_accuracy", mean=True, section="sets")
def single_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Accuracy of the determinate predictions, :math:`P(y \in \hat Y \mid |\hat Y| = 1)`.

    Undefined where no prediction is determinate. An empty set (``empty="wrong"``) counts as a wrong
    single class.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Returns
    -------
    float

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9; Corani & Zaffalon (2008).

    Examples
    --------
    >>> single_accuracy_score(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    0.5
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(np.where(counts.determinate, counts.hit, np.nan))


@define_measure("set_accuracy", mean=True, section="sets")
def set_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Share of indeterminate predictions that hold the truth.

    .. math:: P(y \in \hat Y \mid |\hat Y| > 1)

    Undefined where every prediction is determinate. For the same over all predictions see
    :func:`containment_score`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Returns
    -------
    float

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9; Corani & Zaffalon (2008).

    Examples
    --------
    >>> set_accuracy_score(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]])
    0.5
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(np.where(counts.size > 1, counts.hit, np.nan))


@define_measure("containment", mean=True, section="sets")
def containment_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Share of all predictions that hold the truth, :math:`P(y \in \hat Y)`.

    Conformal prediction calls it coverage, which elsewhere in this library is the share of cases
    answered: see :func:`coverage_score`. An empty set misses the truth if ``empty="wrong"``.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Returns
    -------
    float

    Examples
    --------
    >>> containment_score(["a", "b", "c", "a"], [["a"], ["a", "b"], ["a", "b"], ["a"]])
    0.75
    >>> containment_score(["a", "b", "c", "b"], [["a"], [], ["c"], ["b"]], empty="wrong")
    0.75
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(counts.hit)


@define_measure("mean_set_size", mean=True, greater_is_better=False, section="sets")
def mean_set_size(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    over: str = "all",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Mean number of classes in a prediction.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    over : {"all", "indeterminate"}, default="all"
        Over all predictions, :math:`E|\hat Y|`, or over the indeterminate ones only,
        :math:`E(|\hat Y| \mid |\hat Y| > 1)`, which is undefined where every prediction is
        determinate. The latter is the measure "indeterminate_set_size".

    Returns
    -------
    float

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 7; Corani & Zaffalon (2008), "indeterminate output
    size".

    Examples
    --------
    >>> y_true, y_set = ["a", "b", "c"], [["a"], ["a", "b"], ["a", "b", "c"]]
    >>> mean_set_size(y_true, y_set), mean_set_size(y_true, y_set, over="indeterminate")
    (2.0, 2.5)
    """
    if over not in ("all", "indeterminate"):
        raise ValueError(f"over is {shown(over)}; choose 'all' or 'indeterminate'.")
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(np.where((over == "all") | (counts.size > 1), counts.size, np.nan))


with_params(mean_set_size, "indeterminate_set_size", over="indeterminate")
