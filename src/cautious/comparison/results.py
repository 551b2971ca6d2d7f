"""Reading results: one row a data set, one column a classifier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import as_floats

__all__ = ["read_results", "short_list"]

_TABLE = "one row a data set and one column a classifier"


def read_results(results: Any, *, at_least: int = 2, name: str = "results") -> pd.DataFrame:
    """Check a frame of results and leave out the rows that are not complete.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_classifiers)
        One measure; rows are data sets, columns classifiers.
    at_least : int
        The least number of classifiers.
    name : str
        What to call the argument in an error.

    Returns
    -------
    DataFrame of float64

    Raises
    ------
    ValueError
        If there are too few classifiers, two of one name, no complete row, a cell that is not a
        number, or no table at all.

    Warns
    -----
    UserWarning
        If a row was left out because a classifier has no result there.
    """
    frame = _as_frame(results, name)
    if frame.shape[1] < at_least:
        raise ValueError(
            f"{name} has {frame.shape[1]} column(s); a comparison needs at least {at_least} "
            "classifiers, one column each, and one row a data set."
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{name} has two columns {twice!r}; give each classifier its own name.")
    if not len(frame):
        raise ValueError(f"{name} has no rows; give one a data set.")
    known = np.isfinite(frame.to_numpy()).all(axis=1)
    if not known.all():
        missing = short_list(frame.index[~known])
        if not known.any():
            raise ValueError(
                f"{name} has no row in which every classifier has a finite result; compare fewer "
                f"classifiers (incomplete: {missing})."
            )
        warnings.warn(
            f"{(~known).sum()} of {len(known)} rows are left out, because a classifier has no "
            f"finite result there: {missing}.",
            stacklevel=3,
        )
    complete: pd.DataFrame = frame.loc[known]
    return complete


def _as_frame(results: Any, name: str) -> pd.DataFrame:
    """Read a table of numbers."""
    if isinstance(results, Mapping):
        try:
            results = pd.DataFrame(results)
        except ValueError as error:
            raise ValueError(f"{name} is no table: {error}. Give {_TABLE}.") from None
    try:
        values = as_floats(results, name, "results")
    except TypeError as error:
        raise ValueError(
            f"{error} Give {_TABLE}; a tidy frame is turned with .pivot(index=, columns=, values=)."
        ) from None
    if values.ndim != 2:
        raise ValueError(f"{name} has shape {values.shape}; give {_TABLE}.")
    if isinstance(results, pd.DataFrame):
        return pd.DataFrame(values, results.index, results.columns)
    return pd.DataFrame(values)


def short_list(names: Any, limit: int = 5) -> str:
    """Name the first few of many things."""
    shown = [str(name) for name in names[:limit]]
    return ", ".join(shown) + (", …" if len(names) > limit else "")
