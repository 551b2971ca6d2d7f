"""Reading results: one row a data set, one column a classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["read_results", "short_list"]


def read_results(results: Any, *, at_least: int = 2) -> pd.DataFrame:
    """Check a frame of results and leave out the rows that are not complete.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_classifiers)
        One measure; rows are data sets, columns classifiers.
    at_least : int
        The least number of classifiers.

    Returns
    -------
    DataFrame of float64

    Raises
    ------
    ValueError
        If there are too few classifiers, two of one name, no complete row, or a cell that is not a
        number.

    Warns
    -----
    UserWarning
        If a row was left out because a classifier has no result there.
    """
    frame = pd.DataFrame(results)
    if frame.shape[1] < at_least:
        raise ValueError(
            f"results has {frame.shape[1]} column(s); a comparison needs at least {at_least} "
            "classifiers, one column each, and one row a data set."
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"results has two columns {twice!r}; give each classifier its own name.")
    try:
        numbers: pd.DataFrame = frame.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "results must hold numbers only, one row a data set and one column a classifier "
            f"({error}). A tidy frame is turned with .pivot(index=, columns=, values=)."
        ) from error
    known = np.isfinite(numbers.to_numpy()).all(axis=1)
    if not known.all():
        missing = short_list(frame.index[~known])
        if not known.any():
            raise ValueError(
                "results has no row in which every classifier has a finite result; compare fewer "
                f"classifiers (incomplete: {missing})."
            )
        warnings.warn(
            f"{(~known).sum()} of {len(known)} rows are left out, because a classifier has no "
            f"finite result there: {missing}.",
            stacklevel=3,
        )
    complete: pd.DataFrame = numbers.loc[known]
    return complete


def short_list(names: Any, limit: int = 5) -> str:
    """Name the first few of many things."""
    shown = [str(name) for name in names[:limit]]
    return ", ".join(shown) + (", …" if len(names) > limit else "")
