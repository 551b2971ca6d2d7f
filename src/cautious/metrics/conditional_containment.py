"""Whether prediction sets hold the truth as often in every part as on the whole."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._typing import Floats, Ints
from cautious.errors import shown
from cautious.metrics.printed_report import read_groups
from cautious.sets import check_sets

__all__ = ["conditional_containment"]


def conditional_containment(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    groups: Any = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    empty: str = "wrong",
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    r"""Count how often sets hold the truth: overall, per class, per group and per set size.

    Sets that hold the truth in nine cases of ten overall may do so in all cases of one class and in
    half of those of another. The parts that fall short show here.

    Parameters
    ----------
    y_true, y_set, classes
        As for :func:`cautious_confusion_matrix`.
    groups : array-like of shape (n,), Series or DataFrame, optional
        Group of each case, as :func:`breakdown` takes it.
    empty : {"wrong", "abstain", "error"}, default="wrong"
        What an empty set means. By default it does not hold the truth, as for conformal sets.
    confidence_level : float, default=0.95
        Level of the interval.

    Returns
    -------
    DataFrame
        One row per part, by what it is a part of ("all", "class", "group" or "size"): the number of
        cases, the share of sets that hold the truth with its exact interval (Clopper & Pearson),
        and the mean size of the sets.

    References
    ----------
    Angelopoulos & Bates (2023), *Conformal prediction: a gentle introduction*, section 3, for
    coverage by set size.

    Examples
    --------
    >>> y_true = ["a", "a", "b", "b"]
    >>> sets = [["a"], ["a", "b"], ["b"], ["a"]]
    >>> conditional_containment(y_true, sets).round(3)
                n  containment    low   high  size
    by    part
    all   all   4        0.750  0.194  0.994  1.25
    class a     2        1.000  0.158  1.000  1.50
          b     2        0.500  0.013  0.987  1.00
    size  1     3        0.667  0.094  0.992  1.00
          2     1        1.000  0.025  1.000  2.00
    """
    if not (isinstance(confidence_level, Real) and 0 < float(confidence_level) < 1):
        raise ValueError(
            f"confidence_level is {shown(confidence_level)}; it lies strictly between 0 and 1."
        )
    checked = check_sets(y_true, y_set, classes=classes, empty=empty)
    n = len(checked.truth)
    size = checked.mask.sum(axis=1)
    hit = checked.mask[np.arange(n), checked.truth]
    parts: dict[str, tuple[Ints, Any]] = {
        "all": (np.zeros(n, dtype=np.intp), ["all"]),
        "class": (checked.truth, checked.classes.tolist()),
    }
    if groups is not None:
        code, names = read_groups(groups, n)
        parts["group"] = (code, names.tolist())
    sizes, of_size = np.unique(size, return_inverse=True)
    parts["size"] = (of_size, sizes.tolist())
    rows, index = [], []
    for by, (code, names) in parts.items():
        cases, hits, total = (np.bincount(code, weight, len(names)) for weight in (None, hit, size))
        rows.append(_counted(cases, hits, total, float(confidence_level)))
        index += [(by, name) for name in names]
    frame = pd.DataFrame(np.concatenate(rows), columns=["n", "containment", "low", "high", "size"])
    frame["n"] = frame["n"].astype(np.int64)
    frame.index = pd.MultiIndex.from_tuples(index, names=["by", "part"])
    return frame


def _counted(cases: Ints, hits: Floats, total: Floats, level: float) -> Floats:
    tail = (1 - level) / 2
    misses = cases - hits
    with np.errstate(invalid="ignore", divide="ignore"):
        low = np.where(hits > 0, stats.beta.ppf(tail, hits, misses + 1), 0.0)
        high = np.where(misses > 0, stats.beta.ppf(1 - tail, hits + 1, misses), 1.0)
        return np.column_stack([cases, hits / cases, low, high, total / cases])
