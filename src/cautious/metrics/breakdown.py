"""Measures of each class, or of each group of cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Ints, RandomState
from cautious.bootstrap import as_generator
from cautious.metrics.bootstrap_intervals import interval_of_counts
from cautious.metrics.counts import SetCounts
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
    groups: Any = None,
    measures: Iterable[str | Callable[..., Any] | Measure] = USUAL_MEASURES,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    y_pred: Sequence[Any] | npt.ArrayLike | None = None,
    margins: bool = False,
    confidence_level: float | None = None,
    n_resamples: int = 1000,
    random_state: RandomState = None,
    **params: Any,
) -> pd.DataFrame:
    """Compute measures for each true class, or for each group of cases.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    groups : array-like of shape (n,), Series or DataFrame, optional
        Group of each case; a frame of several columns groups by their combinations. ``None`` groups
        by true class. Missing groups are a group of their own.
    measures : iterable of str, callable or Measure
        Measures of prediction sets, by name or by function.
    y_pred : array-like of shape (n,), optional
        Determinate answers, for the measures that need them.
    margins : bool, default=False
        Whether to add a last row "all" with the measures of all cases together.
    confidence_level : float, optional
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
        One row per group, with its weight ``n`` and one column per measure; nan where a measure is
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
    >>> breakdown(y_true, y_set, groups=["east", "west", "west", "west"], measures=["coverage"])
             n  coverage
    group
    east   1.0  1.000000
    west   3.0  0.666667
    """
    checked = check_sets(y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty)
    cases = SetCounts.of_cases(checked, y_pred)
    if groups is None:
        code, index = checked.truth, pd.Index(checked.classes, name="truth")
    else:
        code, index = _groups(groups, len(checked.truth))
    entries, rng = [get_measure(which) for which in measures], as_generator(random_state)
    n_groups = len(index)
    n: Floats = np.bincount(code, cases.weight, n_groups).astype(np.float64)
    columns: dict[str, Floats] = {"n": np.append(n, cases.n) if margins else n}
    if margins:
        index = _with_all(index)
    # A mean needs no counts of its own for each group, which would be slow for many groups.
    parts = []
    if confidence_level is not None or not all(entry.mean for entry in entries):
        order = np.argsort(code, kind="stable")
        ends = np.searchsorted(code[order], np.arange(n_groups + 1))
        parts = [cases.where(order[start:end]).merge()[0] for start, end in pairwise(ends)]
        parts += [cases.merge()[0]] if margins else []
    for entry in entries:
        if entry.mean:
            columns[entry.name] = _means(entry, cases, code, n_groups, margins, params)
        else:
            columns[entry.name] = np.array([float(entry(part, **params)) for part in parts])
        if confidence_level is not None:
            columns |= {f"{entry.name} {end}": np.empty(len(index)) for end in ("low", "high")}
    if confidence_level is not None:
        for (k, part), entry in product(enumerate(parts), entries):
            interval = interval_of_counts(
                part,
                entry,
                confidence_level=confidence_level,
                n_resamples=n_resamples,
                random_state=rng,
                **params,
            )
            columns[f"{entry.name} low"][k] = interval.low
            columns[f"{entry.name} high"][k] = interval.high
    return pd.DataFrame(columns, index=index)


def _means(
    entry: Measure, cases: SetCounts, code: Ints, n_groups: int, margins: bool, params: Any
) -> Floats:
    """Compute a mean measure in every group at once, and last over all cases if asked to."""
    values = entry.values(cases, **params)
    undefined = np.isnan(values)
    weight = np.where(undefined, 0.0, cases.weight)
    total = np.bincount(code, weight, n_groups)
    sums = np.bincount(code, weight * np.where(undefined, 0.0, values), n_groups)
    if margins:
        total, sums = np.append(total, weight.sum()), np.append(sums, sums.sum())
    none = total == 0
    return np.where(none, np.nan, sums / np.where(none, 1, total))


def _groups(groups: Any, n: int) -> tuple[Ints, pd.Index]:
    """Give each case the position of its group; missing values are a group of their own."""
    if isinstance(groups, str) or not hasattr(groups, "__len__"):
        raise TypeError(f"groups is {groups!r}; give one group per case.")
    if isinstance(groups, np.ma.MaskedArray) and np.ma.getmaskarray(groups).any():
        raise ValueError("groups has masked entries; fill them or leave their rows out.")
    try:
        frame = pd.DataFrame(groups).reset_index(drop=True)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"groups is no table of groups ({error}); give one group per case."
        ) from None
    if len(frame) != n:
        raise ValueError(
            f"groups has {len(frame)} rows and y_true has {n}; give one group per case."
        )
    if not isinstance(groups, pd.DataFrame | Mapping) and getattr(groups, "name", None) is None:
        if frame.shape[1] != 1:
            raise ValueError(
                f"groups has {frame.shape[1]} columns without names; give one group per case, or "
                "a frame of several groupings."
            )
        frame.columns = pd.Index(["group"])
    grouped = frame.groupby(list(frame.columns), sort=True, dropna=False, observed=True)
    return np.asarray(grouped.ngroup(), dtype=np.intp), grouped.size().index


def _with_all(index: pd.Index) -> pd.Index:
    if isinstance(index, pd.MultiIndex):
        last = [("all",) * index.nlevels]
        return index.append(pd.MultiIndex.from_tuples(last, names=index.names))
    return index.append(pd.Index(["all"], name=index.name))
