"""How determinate the answers are, and how good on either side: Zaffalon's summary numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious.metrics.counts import SetCounts
from cautious.metrics.declaring import define_measure

__all__ = [
    "containment_score",
    "determinacy_score",
    "indeterminate_set_size",
    "mean_set_size",
    "set_accuracy_score",
    "single_accuracy_score",
]


@define_measure("determinacy", mean=True, section="sets")
def determinacy_score(counts: SetCounts) -> npt.ArrayLike:
    r"""Share of predictions that name a single class, :math:`P(|\hat Y| = 1)`.

    An empty set (``empty="wrong"``) counts as a wrong single class.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 7.

    Examples
    --------
    >>> determinacy_score(["a", "b"], [["a"], ["a", "b"]])
    0.5
    """
    return counts.determinate


@define_measure("single_accuracy", mean=True, section="sets")
def single_accuracy_score(counts: SetCounts) -> npt.ArrayLike:
    r"""Accuracy of the determinate predictions, :math:`P(y \in \hat Y \mid |\hat Y| = 1)`.

    Undefined where no prediction is determinate.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9; Corani & Zaffalon (2008).

    Examples
    --------
    >>> single_accuracy_score(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    0.5
    """
    return np.where(counts.determinate, counts.hit, np.nan)


@define_measure("set_accuracy", mean=True, section="sets")
def set_accuracy_score(counts: SetCounts) -> npt.ArrayLike:
    r"""Share of indeterminate predictions that hold the truth.

    .. math:: P(y \in \hat Y \mid |\hat Y| > 1)

    Undefined where every prediction is determinate. For the same over all predictions see
    :func:`containment_score`.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9; Corani & Zaffalon (2008).

    Examples
    --------
    >>> set_accuracy_score(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]])
    0.5
    """
    return np.where(counts.size > 1, counts.hit, np.nan)


@define_measure("containment", mean=True, section="sets")
def containment_score(counts: SetCounts) -> npt.ArrayLike:
    r"""Share of all predictions that hold the truth, :math:`P(y \in \hat Y)`.

    Conformal prediction calls it coverage, which elsewhere in this library is the share of cases
    answered: see :func:`coverage_score`.

    Examples
    --------
    >>> containment_score(["a", "b", "c", "a"], [["a"], ["a", "b"], ["a", "b"], ["a"]])
    0.75
    """
    return counts.hit


@define_measure("mean_set_size", mean=True, greater_is_better=False, section="sets")
def mean_set_size(counts: SetCounts, *, over: str = "all") -> npt.ArrayLike:
    r"""Mean number of classes in a prediction.

    Parameters
    ----------
    over : {"all", "indeterminate"}, default="all"
        Over all predictions, :math:`E|\hat Y|`, or over the indeterminate ones only,
        as :func:`indeterminate_set_size` does.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 7.

    Examples
    --------
    >>> y_true, y_set = ["a", "b", "c"], [["a"], ["a", "b"], ["a", "b", "c"]]
    >>> mean_set_size(y_true, y_set), mean_set_size(y_true, y_set, over="indeterminate")
    (2.0, 2.5)
    """
    if over not in ("all", "indeterminate"):
        raise ValueError(f"over is {over!r}; choose 'all' or 'indeterminate'.")
    return np.where((over == "all") | (counts.size > 1), counts.size, np.nan)


@define_measure("indeterminate_set_size", mean=True, greater_is_better=False, section="sets")
def indeterminate_set_size(counts: SetCounts) -> npt.ArrayLike:
    r"""Mean number of classes in an indeterminate prediction.

    .. math:: E(|\hat Y| \mid |\hat Y| > 1)

    Undefined where every prediction is determinate.

    References
    ----------
    Corani & Zaffalon (2008), "indeterminate output size".

    Examples
    --------
    >>> indeterminate_set_size(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b", "c"]])
    2.5
    """
    return np.where(counts.size > 1, counts.size, np.nan)
