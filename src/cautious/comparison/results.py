"""Results by data set and classifier: reading them, and telling which are equal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, as_floats

__all__ = ["means_of_datasets", "read_results", "rounding", "tied"]

_TABLE = "one row per data set and one column per classifier"

_ROUNDING = 1e-12
"""Share of the largest result within which results are equal, everywhere in this package.

Means that are equal on paper differ in their last bits, and so do differences of them; ranks, wins
and winners must not follow that.
"""


def rounding(*results: Any) -> float:
    """Distance within which results are equal: 10⁻¹² of the largest of them."""
    largest = [float(np.abs(np.asarray(part)).max(initial=0.0)) for part in results]
    return _ROUNDING * max(largest)


def tied(values: Floats, within: float) -> Floats:
    """Give numbers of each row that are equal up to rounding one value, the smallest of them.

    Examples
    --------
    >>> tied(np.array([[0.1 + 0.2, 0.3, 0.4]]), within=1e-12)
    array([[0.3, 0.3, 0.4]])
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    new = np.ones(values.shape, dtype=np.bool_)
    new[..., 1:] = np.diff(ordered, axis=-1) > within
    first = np.maximum.accumulate(np.where(new, np.arange(values.shape[-1]), 0), axis=-1)
    equal = np.empty_like(values)
    np.put_along_axis(equal, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return equal


def means_of_datasets(rows: pd.DataFrame) -> pd.DataFrame:
    """Average the rows of each data set, which the (first) index level names."""
    return rows.groupby(level=0, sort=False).mean()


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
            "classifiers, one column each, and one row per data set."
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{name} has two columns {twice!r}; give each classifier its own name.")
    if not len(frame):
        raise ValueError(f"{name} has no rows; give one per data set.")
    known = np.isfinite(frame.to_numpy()).all(axis=1)
    if not known.all():
        names = frame.index[~known]
        missing = ", ".join(map(str, names[:5])) + (", …" if len(names) > 5 else "")
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
