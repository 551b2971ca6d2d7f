"""Pairs of classifiers: tests of paired results, wins, Holm's correction, objective winners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._typing import Floats, as_floats, as_number
from cautious.comparison._friedman import (
    check_level,
    friedman_nemenyi,
    means_of_datasets,
    rank_frame,
    read_results,
    rounding,
    tied,
)
from cautious.errors import shown

__all__ = [
    "ObjectiveWinner",
    "PairedTest",
    "compare_results",
    "holm",
    "objective_winner",
    "paired_t",
    "wilcoxon",
    "win_tie_loss",
]


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
    differences, equal = _differences(first, second)
    mean, n = float(differences.mean()), len(differences)
    # Differences that are equal on paper tie in the ranking too, and those of nothing are zero.
    size = tied(np.append(0.0, np.abs(differences)), equal)[1:]
    if not size.any():
        return PairedTest(0.0, 1.0, 0.0, n)
    outcome = stats.wilcoxon(np.copysign(size, differences), zero_method=zero_method)
    return PairedTest(float(outcome.statistic), float(outcome.pvalue), mean, n)


def paired_t(first: Any, second: Any, *, test_to_train: float | None = None) -> PairedTest:
    r"""Paired t-test of two classifiers over the folds of one data set.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + \rho)\, s_d^2}}, \qquad \text{with } J - 1 \text{ d.f.}

    The plain test has :math:`\rho = 0`. Folds share training data, so it finds differences too
    often; the corrected resampled test takes :math:`\rho = n_\mathrm{test} / n_\mathrm{train}`.

    Parameters
    ----------
    first, second : array-like of shape (J,)
        A measure of either classifier on the same folds, repeats included. Pairs without two finite
        results are left out, with a warning.
    test_to_train : float, optional
        :math:`\rho`; 1/9 for ten-fold cross-validation. None is the plain test.

    Returns
    -------
    PairedTest
        With p-value 1 if the two never differ, and 0 if they differ by the same amount in each
        fold.

    References
    ----------
    Nadeau & Bengio (2003), *Inference for the generalization error*; Zaffalon, Corani & Mauá
    (2012), § 9.3, use a paired t-test without saying which.

    Examples
    --------
    >>> a, b = [0.80, 0.82, 0.78, 0.81, 0.85], [0.78, 0.81, 0.77, 0.78, 0.80]
    >>> round(paired_t(a, b).p_value, 3), round(paired_t(a, b, test_to_train=1 / 4).p_value, 3)
    (0.033, 0.099)
    """
    if test_to_train is not None and not as_number(test_to_train, "test_to_train") > 0:
        raise ValueError(
            f"test_to_train is {test_to_train}; give the size of a test fold over that of its "
            "training folds, 1/9 for ten folds, or None for the plain test."
        )
    differences, equal = _differences(first, second)
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        raise ValueError(f"there is {n} pair; a t-test needs at least 2.")
    if np.ptp(differences) <= equal:  # the same difference everywhere
        same = abs(mean) <= equal
        return PairedTest(0.0 if same else np.copysign(np.inf, mean), float(same), mean, n)
    error = np.sqrt((1 / n + (test_to_train or 0.0)) * differences.var(ddof=1))
    t = mean / error
    return PairedTest(float(t), float(2 * stats.t.sf(abs(t), n - 1)), mean, n)


def _differences(first: Any, second: Any) -> tuple[Floats, float]:
    """Differences pair by pair, and the distance within which they are equal."""
    a, b = as_floats(first, "first", "results"), as_floats(second, "second", "results")
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if first.index.has_duplicates or second.index.has_duplicates:
            raise ValueError("the index of first or second names a row twice; name each once.")
        matched = {"first": pd.Series(a, first.index), "second": pd.Series(b, second.index)}
        pair = pd.DataFrame(matched)
    else:
        if a.ndim != 1 or a.shape != b.shape:
            raise ValueError(
                f"first has shape {a.shape} and second {b.shape}; give one result per data set (or "
                "fold) for each classifier, in the same order."
            )
        pair = pd.DataFrame({"first": a, "second": b})
    if not len(pair):
        raise ValueError("first and second are empty; give one result per data set (or fold) each.")
    pair = read_results(pair)
    return np.asarray(pair["first"] - pair["second"], dtype=np.float64), rounding(pair)


def compare_results(
    results: Any,
    *,
    test: Literal["wilcoxon", "nemenyi", "t"] = "wilcoxon",
    greater_is_better: bool = True,
    alpha: float = 0.05,
    margin: float = 0.0,
    variance: Any = None,
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
    test_to_train : float, optional
        For ``test="t"``, as in :func:`paired_t`.

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

    Examples
    --------
    >>> import pandas as pd
    >>> results = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9, 0.8, 0.6],
    ...                         "b": [0.7, 0.5, 0.6, 0.5, 0.3, 0.0],
    ...                         "c": [0.8, 0.9, 0.6, 0.9, 0.7, 0.7]})
    >>> table = compare_results(results)
    >>> table.loc[("a", "b"), ["wins", "ties", "losses", "p_value", "p_adjusted"]].tolist()
    [6.0, 0.0, 0.0, 0.03125, 0.09375]
    >>> table["winner"].tolist()
    [None, None, None]
    """
    alpha = check_level(alpha)
    if test not in ("wilcoxon", "nemenyi", "t"):
        raise ValueError(f"test is {shown(test)}; choose 'wilcoxon', 'nemenyi' or 't'.")
    rows = read_results(results)
    frame = means_of_datasets(rows)
    pairs = list(combinations(frame.columns, 2))
    means, ranks = frame.mean(), rank_frame(frame, greater_is_better).mean()
    p, adjusted, gains = _tests(rows, frame, pairs, test, greater_is_better, test_to_train)
    counts = win_tie_loss(frame, greater_is_better=greater_is_better, margin=margin)
    table = counts.assign(p_value=p, p_adjusted=adjusted)
    sides = {"first": [a for a, _ in pairs], "second": [b for _, b in pairs]}
    for side, names in sides.items():
        table[f"mean_{side}"] = means[names].to_numpy()
        table[f"rank_{side}"] = ranks[names].to_numpy()
    table["difference"] = table["mean_first"] - table["mean_second"]
    # Object columns, so that "no winner" stays None whatever pandas makes of missing strings.
    winners = [
        None
        if not p <= alpha or gain == 0
        else (first if (gain > 0) == greater_is_better else second)
        for (first, second), p, gain in zip(pairs, adjusted, gains, strict=True)
    ]
    table["winner"] = pd.Series(winners, table.index, dtype=object)
    columns = ["mean_first", "mean_second", "difference", "rank_first", "rank_second"]
    columns += ["wins", "ties", "losses", "p_value", "p_adjusted", "winner"]
    if variance is not None:
        spread = means_of_datasets(read_results(variance, name="variance")).mean()
        if absent := [name for name in means.index if name not in spread.index]:
            raise ValueError(f"variance has no column {shown(absent[0])}; give one per classifier.")
        objective = [
            objective_winner(means[[*pair]], spread[[*pair]], margin=margin).winner
            for pair in pairs
        ]
        table["objective_winner"] = pd.Series(objective, table.index, dtype=object)
        columns.append("objective_winner")
    return table[columns]


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
        p = np.array([nemenyi.loc[a, b] for a, b in pairs], dtype=np.float64)
        ranks = rank_frame(frame, greater_is_better=False).mean()  # the least has rank 1
        return p, p, np.array([ranks[a] - ranks[b] for a, b in pairs])
    if test == "t":
        tests = [
            paired_t(rows[a].to_numpy(), rows[b].to_numpy(), test_to_train=test_to_train)
            for a, b in pairs
        ]
        gains = [outcome.difference for outcome in tests]
    else:
        tests = [wilcoxon(frame[a], frame[b]) for a, b in pairs]
        gains = [_signed_ranks(frame[a], frame[b]) for a, b in pairs]
    p = np.array([outcome.p_value for outcome in tests])
    return p, holm(p), np.array(gains)


def _signed_ranks(first: Any, second: Any) -> float:
    """Rank sum of the gains less that of the losses, the two that Wilcoxon's test compares."""
    differences, equal = _differences(first, second)
    size = tied(np.append(0.0, np.abs(differences)), equal)[1:]
    return float(np.sign(differences)[size > 0] @ stats.rankdata(size[size > 0]))


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
        One measure, one column per classifier. One row per data set; or several, the folds,
        whose (first) index level names the data set.
    greater_is_better : bool, default=True
        Whether high is good.
    margin : float, default=0.0
        Mean results no further apart than this tie, up to rounding.
    alpha : float, optional
        Level of a paired t-test over the folds of each data set; differences that are not
        significant tie. Needs several rows per data set.
    test_to_train : float, optional
        As for :func:`paired_t`: the corrected test if given.

    Returns
    -------
    DataFrame
        One row per pair, indexed by ``first`` and ``second``, with the columns ``wins``, ``ties``
        and ``losses`` of the first.

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
    if not as_number(margin, "margin") >= 0:
        raise ValueError(f"margin is {margin}; it is a distance, 0 or more.")
    frame = read_results(results)
    groups = list(frame.groupby(level=0, sort=False))
    if alpha is not None:
        alpha = check_level(alpha)
        lone = [name for name, rows in groups if len(rows) < 2]
        if lone:
            raise ValueError(
                f"alpha is given, but data set {shown(lone[0])} has one row; a test needs its "
                "folds, several rows with the data set as the first index level."
            )
    sign, allowed = 1 if greater_is_better else -1, margin + rounding(frame)
    rows = []
    for first, second in combinations(frame.columns, 2):
        counts = {"wins": 0, "ties": 0, "losses": 0}
        for _, folds in groups:
            gain = sign * float((folds[first] - folds[second]).mean())
            tied = abs(gain) <= allowed
            if alpha is not None and not tied:
                a, b = folds[first].to_numpy(), folds[second].to_numpy()
                tied = paired_t(a, b, test_to_train=test_to_train).p_value > alpha
            counts["ties" if tied else "wins" if gain > 0 else "losses"] += 1
        rows.append({"first": first, "second": second, **counts})
    return pd.DataFrame(rows).set_index(["first", "second"])


def holm(p_values: npt.ArrayLike) -> Floats:
    r"""Adjust p-values for their number, step by step from the smallest.

    With the p-values sorted, :math:`p_{(1)} \le \dots \le p_{(m)}`, the adjusted ones are

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\{(m - j + 1)\, p_{(j)},\ 1\}.

    Rejecting what is at most :math:`\alpha` after the adjustment keeps the chance of any false
    rejection at :math:`\alpha`, whatever the tests have to do with each other.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        One per test, between 0 and 1. Nan stands for a test that could not be made: it stays nan
        and does not count among the m.

    Returns
    -------
    ndarray of shape (m,)
        In the order given.

    References
    ----------
    Holm (1979), *A simple sequentially rejective multiple test procedure*; Demšar (2006), § 3.2.2.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = as_floats(p_values, "p_values", "probabilities")
    if p.ndim != 1:
        raise ValueError(f"p_values has shape {p.shape}; give a flat sequence, one per test.")
    if ((p < 0) | (p > 1)).any():
        at = int(np.argmax((p < 0) | (p > 1)))
        raise ValueError(f"p_values[{at}] is {p[at]}; probabilities lie between 0 and 1.")
    adjusted = np.full(len(p), np.nan)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
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
    if not (np.isfinite(means).all() and (variances >= 0).all() and margin >= 0):
        raise ValueError("means must be finite, variances and margin 0 or more.")
    spread = float(means.max() - means.min())
    if spread > margin + rounding(means):
        return ObjectiveWinner(
            None,
            f"means differ by {spread:.3g}, more than {margin:g}: it depends on the aversion to "
            "risk",
        )
    best = variances[variances <= variances.min() + rounding(variances)].index
    if len(best) > 1:
        return ObjectiveWinner(None, "means and smallest variances are equal")
    words = "equal" if margin == 0 else f"within {margin:g} of each other"
    return ObjectiveWinner(
        best[0],
        f"means are {words}, and {best[0]} has the smallest variance ({variances[best[0]]:.3g})",
    )
