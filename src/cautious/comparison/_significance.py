"""Tests between classifiers over data sets: ranks, pairs, wins, and objective winners."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import check_choice
from cautious._text import p_words
from cautious._typing import Floats, as_floats, as_number
from cautious.errors import counted, shown

_TABLE = "one row per data set and one column per classifier"

_ROUNDING = 1e-12
"""Share of the largest result within which results are equal, everywhere in this package.

Means that are equal on paper differ in their last bits, and so do differences of them; ranks, wins
and winners must not follow that.
"""


def _rounding(results: Any) -> float:
    """Distance within which results are equal: 10⁻¹² of the largest of them."""
    return _ROUNDING * float(np.abs(np.asarray(results)).max(initial=0.0))


def _tied(values: Floats, within: float) -> Floats:
    """Give numbers of each row that are equal up to rounding one value, the smallest of them."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    new = np.diff(ordered, axis=-1, prepend=-np.inf) > within
    smallest = np.maximum.accumulate(np.where(new, ordered, -np.inf), axis=-1)
    equal = np.empty_like(values)
    np.put_along_axis(equal, order, smallest, axis=-1)
    return equal


def _means_of_datasets(rows: pd.DataFrame) -> pd.DataFrame:
    """Average the rows of each data set, which the (first) index level names."""
    return rows.groupby(level=0, sort=False).mean()


def _read_results(results: Any, *, at_least: int = 2, name: str = "results") -> pd.DataFrame:
    """Read a table of results and leave out the rows that are not complete."""
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
    names = (results.index, results.columns) if isinstance(results, pd.DataFrame) else ()
    frame = pd.DataFrame(values, *names)
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
        left_out = frame.index[~known]
        missing = ", ".join(map(str, left_out[:5])) + (", …" if len(left_out) > 5 else "")
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


def _check_alpha(alpha: float) -> float:
    """Read a level; refuse one that is no probability."""
    words = "the level of a test lies strictly between 0 and 1"
    return as_number(alpha, "alpha", np.nextafter(0, 1), np.nextafter(1, 0), words=words)


def _tied_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Give results of each row that are equal up to rounding one value."""
    values = frame.to_numpy()
    return pd.DataFrame(_tied(values, _rounding(values)), frame.index, frame.columns)


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
            f"({p_words(self.p_value)}), Iman-Davenport F {self.iman_davenport:.3g} "
            f"({p_words(self.iman_davenport_p_value)}); mean ranks {ranks}; "
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
    Friedman over 4 data sets: chi-squared 8 (p = 0.018), Iman-Davenport F inf (p < 0.0001);
    mean ranks a 1.00, b 2.00, c 3.00; critical difference 1.66 at 0.05.
    >>> test.groups
    [('a', 'b'), ('b', 'c')]
    """
    alpha = _check_alpha(alpha)
    frame = _read_results(results, at_least=3)
    n, k = frame.shape
    if n < 2:
        raise ValueError(f"results has {n} complete row; ranks need at least 2 data sets.")
    statistic, p_value, tied = 0.0, 1.0, _tied_rows(frame)
    ranks = tied.rank(axis=1, ascending=not greater_is_better).mean().sort_values(kind="stable")
    if (tied.nunique(axis=1) > 1).any():  # scipy divides by zero where nothing differs anywhere
        statistic, p_value = map(float, scipy.stats.friedmanchisquare(*tied.to_numpy().T))
    rest = n * (k - 1) - statistic
    f = float((n - 1) * statistic / rest) if rest > 1e-9 * n else np.inf
    f_test = f, float(scipy.stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    values, difference = ranks.to_numpy(), critical_difference(k, n, alpha)
    p = _nemenyi(np.abs(np.subtract.outer(values, values)), k, n)
    np.fill_diagonal(p, 1.0)
    p_values, groups = pd.DataFrame(p, ranks.index, ranks.index), similar_groups(ranks, difference)
    tests = statistic, p_value, *f_test, p_values
    return FriedmanNemenyi(ranks, difference, *tests, groups, alpha, n)


def _nemenyi(apart: npt.ArrayLike, k: int, n_datasets: int) -> Any:
    """Find how often mean ranks of k classifiers that are all alike lie so far apart."""
    return scipy.stats.studentized_range.sf(
        np.sqrt(2) * apart / _rank_error(k, n_datasets), k, np.inf
    )


def critical_difference(n_classifiers: int, n_datasets: int, alpha: float) -> float:
    """Give the least difference of two mean ranks that Nemenyi's test calls significant."""
    q = float(scipy.stats.studentized_range.ppf(1 - alpha, n_classifiers, np.inf))
    return float(q / np.sqrt(2)) * _rank_error(n_classifiers, n_datasets)


def _rank_error(n_classifiers: int, n_datasets: int) -> float:
    """Give the standard error of a difference of two mean ranks when all classifiers are alike."""
    return float(np.sqrt(n_classifiers * (n_classifiers + 1) / (6 * n_datasets)))


def similar_groups(mean_ranks: pd.Series[float], difference: float) -> list[tuple[Any, ...]]:
    """Find the longest runs of classifiers whose mean ranks lie within a critical difference."""
    ranks = mean_ranks.sort_values(kind="stable")
    values: Floats = np.asarray(ranks, dtype=np.float64)
    ends = np.searchsorted(values, values + difference, side="right")
    longest = np.diff(ends, prepend=0) > 0  # those that are within no longer one
    runs = [(at, end) for at, end in enumerate(ends) if longest[at] and end - at > 1]
    return [tuple(ranks.index[start:end]) for start, end in runs]


@dataclass(frozen=True)
class PairedTest:
    """A two-sided test of paired results.

    Attributes
    ----------
    statistic, p_value : float
        Of the test.
    difference : float
        Mean of first minus second.
    n : int
        Pairs compared.
    """

    statistic: float
    p_value: float
    difference: float
    n: int


def wilcoxon(first: Any, second: Any, *, zero_method: str = "wilcox") -> PairedTest:
    r"""Wilcoxon's signed-rank test of two classifiers over data sets.

    Ranks the absolute differences and compares the rank sums of the gains and the losses; a data
    set counts by the order of its difference, not by its size, so that one odd set does not decide.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        A measure of either classifier, in the same order; two Series are matched by their index.
        Pairs without two finite results are left out, with a warning.
    zero_method : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        What becomes of equal results, as in ``scipy.stats.wilcoxon``: left out, or ranked and
        given to neither side, or to both by halves (as Demšar 2006 does).

    Returns
    -------
    PairedTest
        With p-value 1 if the two never differ.

    References
    ----------
    Demšar (2006), § 3.1.3; Zaffalon, Corani & Mauá (2012), §§ 9.1.3 and 9.2.

    Examples
    --------
    >>> test = wilcoxon([0.8, 0.9, 0.7, 0.6, 0.9, 0.8], [0.7, 0.7, 0.4, 0.2, 0.4, 0.2])
    >>> test.p_value, round(test.difference, 2)
    (0.03125, 0.35)
    """
    differences, signed = _signed_differences(first, second)
    if not signed.any():
        return PairedTest(0.0, 1.0, 0.0, len(signed))
    outcome = scipy.stats.wilcoxon(signed, zero_method=zero_method)
    mean = float(differences.mean())
    return PairedTest(float(outcome.statistic), float(outcome.pvalue), mean, len(signed))


def _signed_differences(first: Any, second: Any) -> tuple[Floats, Floats]:
    """Differences as they are, and as they are ranked: equal on paper is equal, nothing is zero."""
    differences, equal = _differences(first, second)
    size = _tied(np.append(0.0, np.abs(differences)), equal)[1:]
    return differences, np.copysign(size, differences)


def paired_t(first: Any, second: Any, *, test_to_train: float | None = None) -> PairedTest:
    """Paired t-test of two classifiers over the folds of one data set."""
    # t = mean(d) / sqrt((1/J + ρ) var(d)), with J − 1 degrees of freedom.
    # The plain test has ρ = 0. Folds share training data, so it finds differences too
    # often; the corrected resampled test takes ρ = n_test / n_train
    # (Nadeau & Bengio (2003), *Inference for the generalization error*). The p-value is 1 if
    # the two never differ, and 0 if they differ by the same amount in each fold.
    if test_to_train is not None:
        words = (
            "give the size of a test fold over that of its training folds, 1/9 for ten folds, or "
            "None for the plain test"
        )
        as_number(test_to_train, "test_to_train", np.nextafter(0, 1), words=words)
    differences, equal = _differences(first, second)
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        raise ValueError(f"there is {n} pair; a t-test needs at least 2.")
    if np.ptp(differences) <= equal:  # the same difference everywhere
        same = abs(mean) <= equal
        return PairedTest(0.0 if same else np.copysign(np.inf, mean), float(same), mean, n)
    error = np.sqrt((1 / n + (test_to_train or 0.0)) * differences.var(ddof=1))
    t = mean / error
    return PairedTest(float(t), float(2 * scipy.stats.t.sf(abs(t), n - 1)), mean, n)


def _differences(first: Any, second: Any) -> tuple[Floats, float]:
    """Differences pair by pair, and the distance within which they are equal."""
    a, b = as_floats(first, "first", "results"), as_floats(second, "second", "results")
    columns: dict[str, Any] = {"first": a, "second": b}
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if first.index.has_duplicates or second.index.has_duplicates:
            raise ValueError("the index of first or second names a row twice; name each once.")
        columns = {"first": pd.Series(a, first.index), "second": pd.Series(b, second.index)}
    elif a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"first has shape {a.shape} and second {b.shape}; give one result per data set (or "
            "fold) for each classifier, in the same order."
        )
    pair = pd.DataFrame(columns)
    if not len(pair):
        raise ValueError("first and second are empty; give one result per data set (or fold) each.")
    pair = _read_results(pair)
    return np.asarray(pair["first"] - pair["second"], dtype=np.float64), _rounding(pair)


def compare_results(
    results: Any,
    *,
    test: Literal["wilcoxon", "nemenyi", "t"] = "wilcoxon",
    greater_is_better: bool = True,
    alpha: float = 0.05,
    margin: float = 0.0,
    variance: Any = None,
    alpha_within: float | None = None,
    test_to_train: float | None = None,
) -> pd.DataFrame:
    """Compare every pair of classifiers over data sets.

    Parameters
    ----------
    results : DataFrame
        One measure, one column per classifier. One row per data set; or several, the folds, whose
        (first) index level names the data set and over which means are taken first. Means that
        differ by no more than 10⁻¹² of the largest one are equal, in ranks, wins and tests.
    test : {"wilcoxon", "nemenyi", "t"}, default="wilcoxon"
        Signed-rank test over data sets; Nemenyi's test of mean ranks; or the paired t-test over
        all rows, meant for the folds of a single data set.
    greater_is_better : bool, default=True
        Whether high is good.
    alpha : float, default=0.05
        Level at which a winner is named, after Holm's correction for the number of pairs
        (Nemenyi's test has its own).
    margin : float, default=0.0
        Results no further apart than this tie, in the counts and for the objective winner.
    variance : DataFrame, optional
        Variances of discounted accuracy, laid out like `results`, which must then be the means of
        it; adds the objective winner (:func:`objective_winner`) of the averages over data sets,
        each data set counting once however many rows it has.
    alpha_within : float, optional
        Level of a paired t-test over the folds of each data set: in the counts, differences that
        are not significant tie (Zaffalon, Corani & Mauá (2012), § 9.3 and Table 8). Needs several
        rows per data set.
    test_to_train : float, optional
        For t-tests: the size of a test fold over that of its training folds, 1/9 for ten.
        Folds share training data, so the plain test finds differences too often; this corrects it
        (Nadeau & Bengio (2003), *Inference for the generalization error*).

    Returns
    -------
    DataFrame
        One row per pair, indexed by ``first`` and ``second``, with

        - ``mean_first``, ``mean_second``, ``difference`` (first minus second);
        - ``rank_first``, ``rank_second``: mean ranks among all the classifiers;
        - ``wins``, ``ties``, ``losses``: data sets, from the first one's side;
        - ``p_value``, and ``p_adjusted`` for the number of pairs;
        - ``winner``: the better one if the test finds a difference, else None, which
          ``to_latex(na_rep="none")`` writes as a word; the better one in what is tested, the rank
          sum (Wilcoxon), the mean rank (Nemenyi) or the mean (t);
        - ``objective_winner``: if `variance` is given.

    Warns
    -----
    UserWarning
        If there are too few data sets for `test` to name a winner, whatever the results are.

    Examples
    --------
    >>> import pandas as pd
    >>> results = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9, 0.8, 0.6, 0.8],
    ...                         "b": [0.7, 0.5, 0.6, 0.5, 0.3, 0.0, 0.1],
    ...                         "c": [0.8, 0.9, 0.6, 0.9, 0.7, 0.7, 0.8]})
    >>> table = compare_results(results)
    >>> table.loc[("a", "b"), ["wins", "ties", "losses", "p_value", "p_adjusted"]].tolist()
    [7.0, 0.0, 0.0, 0.015625, 0.046875]
    >>> table["winner"].tolist()
    ['a', None, None]
    """
    alpha = _check_alpha(alpha)
    check_choice(test, "test", ("wilcoxon", "nemenyi", "t"))
    rows = _read_results(results)
    frame = _means_of_datasets(rows)
    pairs = list(combinations(frame.columns, 2))
    means = frame.mean()
    ranks = _tied_rows(frame).rank(axis=1, ascending=not greater_is_better).mean()
    p, adjusted, gains = _tests(rows, frame, pairs, test, greater_is_better, test_to_train)
    sign, counted_rows = 1 if greater_is_better else -1, frame if alpha_within is None else rows
    counts = _win_tie_loss(counted_rows, sign, margin, alpha_within, test_to_train)
    table = counts.assign(p_value=p, p_adjusted=adjusted)
    for side, names in zip(("first", "second"), zip(*pairs, strict=True), strict=True):
        table[f"mean_{side}"] = means[list(names)].to_numpy()
        table[f"rank_{side}"] = ranks[list(names)].to_numpy()
    table["difference"] = table["mean_first"] - table["mean_second"]
    # Object columns, so that "no winner" stays None whatever pandas makes of missing strings.
    is_sure = (adjusted <= alpha) & (gains != 0)
    winners = [
        pair[int((gain > 0) != greater_is_better)] if sure else None
        for pair, gain, sure in zip(pairs, gains, is_sure, strict=True)
    ]
    table["winner"] = pd.Series(winners, table.index, dtype=object)
    if not is_sure.any():
        _warn_of_no_power(len(pairs), *frame.shape, test, alpha)
    columns = ["mean_first", "mean_second", "difference", "rank_first", "rank_second"]
    columns += ["wins", "ties", "losses", "p_value", "p_adjusted", "winner"]
    table = table[columns]
    if variance is not None:
        spread = _means_of_datasets(_read_results(variance, name="variance")).mean()
        if absent := [name for name in means.index if name not in spread.index]:
            raise ValueError(f"variance has no column {shown(absent[0])}; give one per classifier.")
        sides = ((means[[*pair]], spread[[*pair]]) for pair in pairs)
        objective = [objective_winner(*side, margin=margin).winner for side in sides]
        table["objective_winner"] = pd.Series(objective, table.index, dtype=object)
    return table


def _warn_of_no_power(n_pairs: int, n: int, k: int, test: str, alpha: float) -> None:
    """Say where data sets are too few to name a winner, whatever the results are."""
    if test == "wilcoxon":  # the rank sums are the most uneven in two of 2ⁿ patterns of signs
        least, enough = n_pairs * 2.0 ** (1 - n), math.ceil(1 + math.log2(n_pairs / alpha))
        corrected = f"after Holm's correction for {counted(n_pairs, 'pair')}"
    elif test == "nemenyi":  # mean ranks are k − 1 apart at most
        least = float(_nemenyi(k - 1, k, n))
        enough = math.ceil((critical_difference(k, 1, alpha) / (k - 1)) ** 2)
        corrected = f"for {k} classifiers"
    else:
        return
    if least > alpha:
        warnings.warn(
            f"no winner can be named: with {counted(n, 'data set')} the least p-value that this "
            f"test can give, {corrected}, is {min(least, 1):.3g}, and alpha is {alpha:g}. Compare "
            f"on {enough} data sets or more, or compare fewer classifiers.",
            stacklevel=3,
        )


def _tests(
    rows: pd.DataFrame,
    frame: pd.DataFrame,
    pairs: list[tuple[Any, Any]],
    test: str,
    greater_is_better: bool,
    test_to_train: float | None,
) -> tuple[Floats, Floats, Floats]:
    """P-values, the same corrected, and by how much the first ones lead in what is tested."""
    if test == "nemenyi":
        nemenyi = friedman_nemenyi(frame, greater_is_better=greater_is_better).p_values
        p = np.array([nemenyi.at[pair] for pair in pairs], dtype=np.float64)
        ranks = _tied_rows(frame).rank(axis=1).mean()  # the least has rank 1
        return p, p, np.array([ranks[a] - ranks[b] for a, b in pairs])
    if test == "t":
        sides = [(rows[a].to_numpy(), rows[b].to_numpy()) for a, b in pairs]
        tests = [paired_t(*side, test_to_train=test_to_train) for side in sides]
        gains = [outcome.difference for outcome in tests]
    else:
        tests = [wilcoxon(frame[a], frame[b]) for a, b in pairs]
        # Rank sums of the gains less those of the losses, the two that Wilcoxon's test compares.
        signed = [_signed_differences(frame[a], frame[b])[1] for a, b in pairs]
        changed = [each[each != 0] for each in signed]
        gains = [np.sign(each) @ scipy.stats.rankdata(np.abs(each)) for each in changed]
    p = np.array([outcome.p_value for outcome in tests])
    return p, holm(p), np.array(gains, dtype=np.float64)


def _win_tie_loss(
    frame: pd.DataFrame, sign: int, margin: float, alpha: float | None, test_to_train: float | None
) -> pd.DataFrame:
    """Count the data sets on which each classifier beats, ties with and loses to each other."""
    as_number(margin, "margin", 0, words="it is a distance, 0 or more")
    groups = list(frame.groupby(level=0, sort=False))
    if alpha is not None:
        alpha = _check_alpha(alpha)
        if lone := [name for name, rows in groups if len(rows) < 2]:
            raise ValueError(
                f"alpha_within is given, but data set {shown(lone[0])} has one row; a test needs "
                "its folds, several rows with the data set as the first index level."
            )
    allowed, means = margin + _rounding(frame), _means_of_datasets(frame)
    pairs, rows = list(combinations(frame.columns, 2)), []
    for a, b in pairs:
        gain = sign * (means[a] - means[b]).to_numpy()
        tied = np.abs(gain) <= allowed
        if alpha is not None:
            sides = (rows[[a, b]].to_numpy().T for _, rows in groups)
            tests = (paired_t(*side, test_to_train=test_to_train) for side in sides)
            tied |= [test.p_value > alpha for test in tests]
        rows.append([np.sum(~tied & (gain > 0)), np.sum(tied), np.sum(~tied & (gain < 0))])
    index = pd.MultiIndex.from_tuples(pairs, names=["first", "second"])
    return pd.DataFrame(rows, index, ["wins", "ties", "losses"])


def holm(p_values: npt.ArrayLike) -> Floats:
    """Adjust p-values for their number, from the smallest (Holm 1979); nan stays and counts not."""
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # nan comes last
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


@dataclass(frozen=True)
class ObjectiveWinner:
    """Who wins by equal means and smaller variance, if anybody.

    Attributes
    ----------
    winner : object or None
        Name of the winner; None if there is none.
    reason : str
        Why, in words.
    """

    winner: Any
    reason: str


def objective_winner(
    mean: Mapping[Any, float] | pd.Series[float],
    variance: Mapping[Any, float] | pd.Series[float],
    *,
    margin: float = 0.0,
) -> ObjectiveWinner:
    r"""Find the classifier that risk-averse judges prefer however averse, if there is one.

    The utility of discounted accuracy x is to second order

    .. math:: E[u(x)] \approx u(E[x]) + \tfrac12 u''(E[x]) \operatorname{Var}[x],

    exactly so for quadratic utilities. Where the means are equal, only the variance is left, and
    :math:`u'' < 0` makes the smaller one win: for every quadratic utility, and for every concave
    one if either classifier is precise, or if both are vacuous whenever indeterminate. Other
    utilities can disagree where sets of different sizes meet, which the paper overlooks. Where the
    means differ the answer depends on how averse to risk one is: see
    :func:`cautious.utility.crossover`.

    Parameters
    ----------
    mean, variance : mapping or Series
        Mean discounted accuracy of each classifier and its variance over the cases
        (:func:`cautious.metrics.discounted_accuracy_score`, and the measure
        "discounted_accuracy_variance").
    margin : float, default=0.0
        Means no further apart than this count as equal, up to rounding.

    Returns
    -------
    ObjectiveWinner

    References
    ----------
    Zaffalon, Corani & Mauá (2012), § 7.

    Examples
    --------
    >>> objective_winner({"NCC": 0.80, "NBC": 0.801}, {"NCC": 0.12, "NBC": 0.16}, margin=0.005)
    ObjectiveWinner(winner='NCC', reason='means are within 0.005 of each other, and NCC has the
    smallest variance (0.12)')
    >>> objective_winner({"NCC": 0.80, "NBC": 0.82}, {"NCC": 0.12, "NBC": 0.16}).winner is None
    True
    """
    means, variances = pd.Series(mean, dtype=np.float64), pd.Series(variance, dtype=np.float64)
    if len(means) < 2 or set(means.index) != set(variances.index):
        raise ValueError(
            f"mean names {shown(list(means.index))} and variance {shown(list(variances.index))}; "
            "give both for the same classifiers, at least two."
        )
    margin = as_number(margin, "margin", 0.0, words="give 0 or more")
    if not (np.isfinite(means).all() and (variances >= 0).all()):
        raise ValueError("means must be finite, and variances 0 or more.")
    spread = float(means.max() - means.min())
    if spread > margin + _rounding(means):
        return ObjectiveWinner(
            None,
            f"means differ by {spread:.3g}, more than {margin:g}: it depends on the aversion to "
            "risk",
        )
    best = variances[variances <= variances.min() + _rounding(variances)].index
    if len(best) > 1:
        return ObjectiveWinner(None, "means and smallest variances are equal")
    words = "equal" if margin == 0 else f"within {margin:g} of each other"
    return ObjectiveWinner(
        best[0],
        f"means are {words}, and {best[0]} has the smallest variance ({variances[best[0]]:.3g})",
    )
