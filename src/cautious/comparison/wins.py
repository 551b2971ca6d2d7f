"""Counting data sets: won, tied, lost."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from cautious.comparison.paired import paired_t
from cautious.comparison.ranks import check_level
from cautious.comparison.results import read_results

__all__ = ["win_tie_loss"]


def win_tie_loss(
    results: Any,
    *,
    greater_is_better: bool = True,
    margin: float = 0.0,
    alpha: float | None = None,
    test_to_train: float | None = None,
) -> pd.DataFrame:
    """Count the data sets on which each classifier beats, ties with and loses to each other.

    Parameters
    ----------
    results : DataFrame
        One measure, one column a classifier. One row a data set; or several, the folds, whose
        (first) index level names the data set.
    greater_is_better : bool, default=True
        Whether high is good.
    margin : float, default=0.0
        Mean results no further apart than this tie.
    alpha : float, optional
        Level of a paired t-test over the folds of each data set; differences that are not
        significant tie. Needs several rows a data set.
    test_to_train : float, optional
        As for :func:`paired_t`: the corrected test if given.

    Returns
    -------
    DataFrame
        One row a pair, indexed by ``first`` and ``second``, with the columns ``wins``, ``ties`` and
        ``losses`` of the first.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), § 9.3 and Table 8.

    Examples
    --------
    >>> import pandas as pd
    >>> results = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.7, 0.8, 0.6]}, index=["x", "y", "z"])
    >>> win_tie_loss(results)
                  wins  ties  losses
    first second
    a     b          2     1       0
    """
    if margin < 0:
        raise ValueError(f"margin is {margin}; it is a distance, 0 or more.")
    frame = read_results(results)
    groups = list(frame.groupby(level=0, sort=False))
    if alpha is not None:
        check_level(alpha)
        lone = [name for name, rows in groups if len(rows) < 2]
        if lone:
            raise ValueError(
                f"alpha is given, but data set {lone[0]!r} has one row; a test needs its folds, "
                "several rows with the data set as the first index level."
            )
    sign = 1 if greater_is_better else -1
    rows = []
    for first, second in combinations(frame.columns, 2):
        counts = {"wins": 0, "ties": 0, "losses": 0}
        for _, folds in groups:
            gain = sign * float((folds[first] - folds[second]).mean())
            tied = abs(gain) <= margin
            if alpha is not None and not tied:
                a, b = folds[first].to_numpy(), folds[second].to_numpy()
                tied = paired_t(a, b, test_to_train=test_to_train).p_value > alpha
            counts["ties" if tied else "wins" if gain > 0 else "losses"] += 1
        rows.append({"first": first, "second": second, **counts})
    return pd.DataFrame(rows).set_index(["first", "second"])
