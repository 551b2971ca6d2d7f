"""Classifiers over many data sets: results in one table, ranks, Friedman's test and Nemenyi's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cautious._typing import Floats, as_floats, as_number
from cautious.errors import counted, shown

__all__ = [
    "FriedmanNemenyi",
    "check_level",
    "critical_difference",
    "friedman_nemenyi",
    "mean_ranks",
    "means_of_datasets",
    "rank_frame",
    "read_results",
    "rounding",
    "similar_groups",
    "tied",
]

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
    """Give numbers of each row that are equal up to rounding one value, the smallest of them."""
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
    """Check a frame of results and leave out the rows that are not complete."""
    frame = _as_frame(results, name)
    if frame.shape[1] < at_least:
        raise ValueError(
            f"{name} has {counted(frame.shape[1], 'column')}; a comparison needs at least "
            f"{at_least} classifiers, one column each, and one row per data set."
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(
            f"{name} has two columns {shown(twice)}; give each classifier its own name."
        )
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
    alpha = check_level(alpha)
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
    k, n = as_number(n_classifiers, "n_classifiers"), as_number(n_datasets, "n_datasets")
    if not (k >= 2 and n >= 1 and k.is_integer() and n.is_integer()):
        raise ValueError(
            f"n_classifiers is {shown(n_classifiers)} and n_datasets {shown(n_datasets)}; give "
            "whole numbers, at least 2 classifiers and 1 data set."
        )
    q = float(stats.studentized_range.ppf(1 - check_level(alpha), k, np.inf))
    return float(q / np.sqrt(2)) * rank_error(k, n)


def rank_error(n_classifiers: float, n_datasets: float) -> float:
    """Give the standard error of a difference of two mean ranks when all classifiers are alike."""
    return float(np.sqrt(n_classifiers * (n_classifiers + 1) / (6 * n_datasets)))


def check_level(alpha: float) -> float:
    """Read a level; refuse one that is no probability."""
    level = as_number(alpha, "alpha")
    if not 0 < level < 1:
        raise ValueError(f"alpha is {alpha}; the level of a test lies strictly between 0 and 1.")
    return level


def similar_groups(mean_ranks: pd.Series[float], difference: float) -> list[tuple[Any, ...]]:
    """Find the longest runs of classifiers whose mean ranks lie within a critical difference."""
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
