"""Mean ranks over data sets, and how far apart they must be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cautious.comparison.results import read_results

__all__ = ["critical_difference", "mean_ranks", "rank_frame"]


def mean_ranks(results: Any, *, greater_is_better: bool = True) -> pd.Series[float]:
    r"""Rank the classifiers on every data set, 1 the best, and average the ranks.

    Classifiers that tie share the mean of their ranks.

    Parameters
    ----------
    results : DataFrame of shape (n_datasets, n_classifiers)
        One measure; rows are data sets, columns classifiers.
    greater_is_better : bool, default=True
        Whether high is good.

    Returns
    -------
    Series
        Mean rank of each classifier.

    References
    ----------
    Demšar (2006), *Statistical comparisons of classifiers over multiple data sets*, § 3.2.2.

    Examples
    --------
    >>> import pandas as pd
    >>> mean_ranks(pd.DataFrame({"a": [0.9, 0.8], "b": [0.7, 0.8], "c": [0.6, 0.5]})).to_dict()
    {'a': 1.25, 'b': 1.75, 'c': 3.0}
    """
    return rank_frame(read_results(results), greater_is_better).mean()


def rank_frame(frame: pd.DataFrame, greater_is_better: bool) -> pd.DataFrame:
    """Rank each row of a checked frame."""
    return frame.rank(axis=1, ascending=not greater_is_better)


def critical_difference(n_classifiers: int, n_datasets: int, *, alpha: float = 0.05) -> float:
    r"""Give the least difference of two mean ranks that the Nemenyi test calls significant.

    .. math:: \mathrm{CD} = \frac{q_\alpha}{\sqrt 2} \sqrt{\frac{k(k+1)}{6N}},

    with :math:`q_\alpha` from the studentised range of k classifiers with infinite degrees of
    freedom.

    Parameters
    ----------
    n_classifiers, n_datasets : int
        k and N.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    float

    References
    ----------
    Demšar (2006), § 3.2.2 and Table 5 (which lists :math:`q_\alpha / \sqrt 2`); used by Zaffalon,
    Corani & Mauá (2012), Fig. 6.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demšar's example, printed 1.25
    1.25
    """
    if n_classifiers < 2 or n_datasets < 1:
        raise ValueError(
            f"n_classifiers is {n_classifiers} and n_datasets {n_datasets}; there must be at least "
            "2 classifiers and 1 data set."
        )
    check_level(alpha)
    q = float(stats.studentized_range.ppf(1 - alpha, n_classifiers, np.inf))
    return float(q / np.sqrt(2)) * rank_error(n_classifiers, n_datasets)


def rank_error(n_classifiers: int, n_datasets: int) -> float:
    """Give the standard error of a difference of two mean ranks when all classifiers are alike."""
    return float(np.sqrt(n_classifiers * (n_classifiers + 1) / (6 * n_datasets)))


def check_level(alpha: float) -> None:
    """Refuse a level that is no probability."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}; the level of a test lies strictly between 0 and 1.")
