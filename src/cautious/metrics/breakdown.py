"""Measures of each class, or of each group of cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Ints, RandomState
from cautious.bootstrap import as_generator
from cautious.metrics.counts import SetCounts
from cautious.metrics.intervals import interval_of_counts
from cautious.metrics.registry import Measure, get_measure
from cautious.sets import check_sets

__all__ = ["USUAL_MEASURES", "breakdown"]

USUAL_MEASURES = (
    "coverage",
    "selective_accuracy",
    "error",
    "set_accuracy",
    "mean_set_size",
    "discounted_accuracy",
    "u65",
    "u80",
)
"""The measures a breakdown shows unless told otherwise."""


def breakdown(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    by: Any = None,
    measures: Iterable[str | Callable[..., Any] | Measure] = USUAL_MEASURES,
    labels: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    y_pred: Sequence[Any] | npt.ArrayLike | None = None,
    margins: bool = False,
    level: float | None = None,
    n_resamples: int = 1000,
    random_state: RandomState = None,
    **params: Any,
) -> pd.DataFrame:
    """Compute measures for each true class, or for each group of cases.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_set : mask of shape (n, K), labels or label sets
        Prediction sets; anything :func:`cautious.sets.as_mask` takes.
    by : array-like of shape (n,), Series or DataFrame, optional
        Group of each case; a frame of several columns groups by their combinations. ``None`` groups
        by true class.
    measures : iterable of str, callable or Measure
        Measures of prediction sets, by name or by function.
    labels : sequence of length K, optional
        Class labels in column order; needed where `y_true` does not hold them all.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    empty : {"error", "abstain"}, default="error"
        What an empty prediction set means.
    y_pred : array-like of shape (n,), optional
        Determinate answers, for the measures that need them.
    margins : bool, default=False
        Whether to add a last row "all" with the measures of all cases together.
    level : float, optional
        Add the ends of bootstrap intervals of this level, in columns "… low" and "… high".
    n_resamples : int, default=1000
        Number of bootstrap replicates, if intervals are asked for.
    random_state : int, RandomState, Generator or None
        Seed of the bootstrap.
    **params
        Parameters passed on to every measure.

    Returns
    -------
    DataFrame
        One row a group, with its weight ``n`` and one column a measure; nan where a measure is
        undefined, without a warning.

    Examples
    --------
    >>> y_true = ["a", "a", "b", "b"]
    >>> y_set = ["a", None, "b", "a"]
    >>> breakdown(y_true, y_set, measures=["coverage", "error"], margins=True)
             n  coverage  error
    truth
    a      2.0      0.50   0.00
    b      2.0      1.00   0.50
    all    4.0      0.75   0.25
    >>> breakdown(y_true, y_set, by=["east", "west", "west", "west"], measures=["coverage"])
             n  coverage
    group
    east   1.0  1.000000
    west   3.0  0.666667
    """
    checked = check_sets(y_true, y_set, labels=labels, sample_weight=sample_weight, empty=empty)
    cases = SetCounts.of_cases(checked, y_pred)
    if by is None:
        code, index = checked.truth, pd.Index(checked.classes, name="truth")
    else:
        code, index = _groups(by, len(checked.truth))
    order = np.argsort(code, kind="stable")
    ends = np.searchsorted(code[order], np.arange(len(index) + 1))
    groups = [cases.where(order[start:end]) for start, end in pairwise(ends)]
    if margins:
        groups.append(cases)
        index = _with_all(index)
    entries, rng = [get_measure(which) for which in measures], as_generator(random_state)
    rows = []
    for group in groups:
        counts, _ = group.merge()
        row = {"n": counts.n}
        for entry in entries:
            row[entry.name] = float(entry(counts, **params))
            if level is not None:
                interval = interval_of_counts(
                    counts, entry, level=level, n_resamples=n_resamples, random_state=rng, **params
                )
                row |= {f"{entry.name} low": interval.low, f"{entry.name} high": interval.high}
        rows.append(row)
    return pd.DataFrame(rows, index=index)


def _groups(by: Any, n: int) -> tuple[Ints, pd.Index]:
    """Give each case the position of its group; missing values are a group of their own."""
    frame = pd.DataFrame(by).reset_index(drop=True)
    if len(frame) != n:
        raise ValueError(f"by has {len(frame)} rows and y_true has {n}; give one group a case.")
    if not hasattr(by, "columns") and getattr(by, "name", None) is None:
        frame.columns = pd.Index(["group"])
    grouped = frame.groupby(list(frame.columns), sort=True, dropna=False, observed=True)
    return np.asarray(grouped.ngroup(), dtype=np.intp), grouped.size().index


def _with_all(index: pd.Index) -> pd.Index:
    if isinstance(index, pd.MultiIndex):
        last = [("all",) * index.nlevels]
        return index.append(pd.MultiIndex.from_tuples(last, names=index.names))
    return index.append(pd.Index(["all"], name=index.name))
