"""Ranks over several data sets: Friedman's test, Nemenyi's for the pairs, critical differences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cautious._typing import Floats
from cautious.comparison.results import read_results, rounding, tied

__all__ = [
    "FriedmanNemenyi",
    "check_level",
    "critical_difference",
    "friedman_nemenyi",
    "mean_ranks",
    "rank_frame",
    "similar_groups",
]


@dataclass(frozen=True)
class FriedmanNemenyi:
    """What the Friedman test and the Nemenyi test say.

    Attributes
    ----------
    mean_ranks : Series
        Mean rank of each classifier, the best first.
    critical_difference : float
        Mean ranks further apart than this differ significantly.
    statistic, p_value : float
        Friedman's chi-squared, corrected for ties.
    iman_davenport, iman_davenport_p_value : float
        The F statistic of Iman and Davenport, which is less conservative.
    p_values : DataFrame
        Nemenyi's p-value of each pair of classifiers.
    groups : list of tuples
        Longest runs of classifiers, the best first, of which no two differ significantly: the bars
        of a critical-difference picture.
    alpha : float
        Level of the tests.
    n_datasets : int
        Data sets compared on.
    """

    mean_ranks: pd.Series[float]
    critical_difference: float
    statistic: float
    p_value: float
    iman_davenport: float
    iman_davenport_p_value: float
    p_values: pd.DataFrame = field(repr=False)
    groups: list[tuple[Any, ...]]
    alpha: float
    n_datasets: int

    def __str__(self) -> str:
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in self.mean_ranks.items())
        return (
            f"Friedman over {self.n_datasets} data sets: chi-squared {self.statistic:.3g} "
            f"(p = {self.p_value:.2g}), Iman-Davenport F {self.iman_davenport:.3g} "
            f"(p = {self.iman_davenport_p_value:.2g}); mean ranks {ranks}; "
            f"critical difference {self.critical_difference:.3g} at {self.alpha:g}."
        )


def friedman_nemenyi(
    results: Any, *, alpha: float = 0.05, greater_is_better: bool = True
) -> FriedmanNemenyi:
    r"""Test whether any of several classifiers differ, and which.

    Friedman's :math:`\chi^2` asks whether all mean ranks are alike; Iman and Davenport's

    .. math:: F = \frac{(N-1)\chi^2}{N(k-1) - \chi^2}

    with :math:`k-1` and :math:`(k-1)(N-1)` degrees of freedom does so with more power. Nemenyi's
    test compares every pair: :math:`\sqrt 2\,|R_i - R_j| / \sqrt{k(k+1)/6N}` against the
    studentised range.

    Parameters
    ----------
    results : DataFrame of shape (n_datasets, n_classifiers)
        One measure; rows are data sets, columns classifiers.
    alpha : float, default=0.05
        Level of the tests.
    greater_is_better : bool, default=True
        Whether high is good.

    Returns
    -------
    FriedmanNemenyi

    References
    ----------
    Demšar (2006), § 3.2.2; Zaffalon, Corani & Mauá (2012), § 9.2, Table 6 and Fig. 6.

    Examples
    --------
    >>> import pandas as pd
    >>> results = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.7, 0.6, 0.6, 0.8],
    ...                         "c": [0.6, 0.5, 0.5, 0.7]})
    >>> test = friedman_nemenyi(results)
    >>> print(test)
    Friedman over 4 data sets: chi-squared 8 (p = 0.018), Iman-Davenport F inf (p = 0); mean ranks
    a 1.00, b 2.00, c 3.00; critical difference 1.66 at 0.05.
    >>> test.groups
    [('a', 'b'), ('b', 'c')]
    """
    check_level(alpha)
    frame = read_results(results, at_least=3)
    n, k = frame.shape
    if n < 2:
        raise ValueError(f"results has {n} complete row; ranks need at least 2 data sets.")
    ranks = rank_frame(frame, greater_is_better).mean().sort_values(kind="stable")
    statistic, p_value = _friedman(_tied_rows(frame))
    rest = n * (k - 1) - statistic
    f = (n - 1) * statistic / rest if rest > 1e-9 * n else np.inf
    difference = critical_difference(k, n, alpha=alpha)
    return FriedmanNemenyi(
        ranks,
        difference,
        statistic,
        p_value,
        float(f),
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        _nemenyi(ranks, n),
        similar_groups(ranks, difference),
        alpha,
        n,
    )


def _friedman(frame: pd.DataFrame) -> tuple[float, float]:
    if (frame.nunique(axis=1) == 1).all():  # scipy divides by zero where nothing differs anywhere
        return 0.0, 1.0
    statistic, p_value = stats.friedmanchisquare(*frame.to_numpy().T)
    return float(statistic), float(p_value)


def _nemenyi(ranks: pd.Series[float], n_datasets: int) -> pd.DataFrame:
    values: Floats = np.asarray(ranks, dtype=np.float64)
    k = len(values)
    apart = np.abs(values[:, None] - values[None, :]) / rank_error(k, n_datasets)
    p = stats.studentized_range.sf(np.sqrt(2) * apart, k, np.inf)
    np.fill_diagonal(p, 1.0)
    return pd.DataFrame(p, index=ranks.index, columns=ranks.index)


def mean_ranks(results: Any, *, greater_is_better: bool = True) -> pd.Series[float]:
    r"""Rank the classifiers on every data set, 1 the best, and average the ranks.

    Classifiers that tie share the mean of their ranks. Results that differ by no more than
    10⁻¹² of the largest one tie: only rounding tells them apart.

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
    """Rank each row of a checked frame; results that are equal up to rounding tie."""
    return _tied_rows(frame).rank(axis=1, ascending=not greater_is_better)


def _tied_rows(frame: pd.DataFrame) -> pd.DataFrame:
    values = frame.to_numpy()
    return pd.DataFrame(tied(values, rounding(values)), frame.index, frame.columns)


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


def similar_groups(mean_ranks: pd.Series[float], difference: float) -> list[tuple[Any, ...]]:
    """Find the longest runs of classifiers whose mean ranks lie within a critical difference.

    Parameters
    ----------
    mean_ranks : Series
        Mean rank of each classifier, in any order.
    difference : float
        Mean ranks further apart than this differ significantly; see :func:`critical_difference`.

    Returns
    -------
    list of tuples
        Names of two or more classifiers, the best first; no run lies within another. These are the
        bars of a critical-difference picture.

    References
    ----------
    Demšar (2006), § 3.2.4.

    Examples
    --------
    >>> import pandas as pd
    >>> similar_groups(pd.Series({"a": 1.2, "c": 2.9, "b": 2.1}), difference=1.0)
    [('a', 'b'), ('b', 'c')]
    """
    ranks = mean_ranks.sort_values(kind="stable")
    values: Floats = np.asarray(ranks, dtype=np.float64)
    ends = np.searchsorted(values, values + difference, side="right")
    names = list(ranks.index)
    reached = 0
    groups = []
    for start, end in enumerate(ends):
        if end > reached and end - start > 1:
            groups.append(tuple(names[start:end]))
        reached = max(reached, int(end))
    return groups
