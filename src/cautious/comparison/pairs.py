"""One call: every pair of classifiers, compared over data sets."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from cautious._typing import Floats
from cautious.comparison.friedman import friedman_nemenyi
from cautious.comparison.holm import holm
from cautious.comparison.objective import objective_winner
from cautious.comparison.paired import paired_t, wilcoxon
from cautious.comparison.ranks import check_level, rank_frame
from cautious.comparison.results import read_results
from cautious.comparison.wins import win_tie_loss

__all__ = ["compare_results"]


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
        One measure, one column a classifier. One row a data set; or several, the folds, whose
        (first) index level names the data set and over which means are taken first.
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
        it; adds the objective winner (:func:`objective_winner`) of the averages over data sets.
    test_to_train : float, optional
        For ``test="t"``, as in :func:`paired_t`.

    Returns
    -------
    DataFrame
        One row a pair, indexed by ``first`` and ``second``, with

        - ``mean_first``, ``mean_second``, ``difference`` (first minus second);
        - ``rank_first``, ``rank_second``: mean ranks among all the classifiers;
        - ``wins``, ``ties``, ``losses``: data sets, from the first one's side;
        - ``p_value``, and ``p_adjusted`` for the number of pairs;
        - ``winner``: the better one if the difference is significant, else None;
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
    check_level(alpha)
    if test not in ("wilcoxon", "nemenyi", "t"):
        raise ValueError(f"test is {test!r}; choose 'wilcoxon', 'nemenyi' or 't'.")
    rows = read_results(results)
    frame = rows.groupby(level=0, sort=False).mean()
    pairs = list(combinations(frame.columns, 2))
    means, ranks = frame.mean(), rank_frame(frame, greater_is_better).mean()
    p, adjusted = _p_values(rows, frame, pairs, test, greater_is_better, test_to_train)
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
        for (first, second), p, gain in zip(pairs, adjusted, table["difference"], strict=True)
    ]
    table["winner"] = pd.Series(winners, table.index, dtype=object)
    columns = ["mean_first", "mean_second", "difference", "rank_first", "rank_second"]
    columns += ["wins", "ties", "losses", "p_value", "p_adjusted", "winner"]
    if variance is not None:
        spread = read_results(variance, name="variance").mean()
        objective = [
            objective_winner(means[[*pair]], spread[[*pair]], margin=margin).winner
            for pair in pairs
        ]
        table["objective_winner"] = pd.Series(objective, table.index, dtype=object)
        columns.append("objective_winner")
    return table[columns]


def _p_values(
    rows: pd.DataFrame,
    frame: pd.DataFrame,
    pairs: list[tuple[Any, Any]],
    test: str,
    greater_is_better: bool,
    test_to_train: float | None,
) -> tuple[Floats, Floats]:
    if test == "nemenyi":
        nemenyi = friedman_nemenyi(frame, greater_is_better=greater_is_better).p_values
        p = np.array([nemenyi.loc[a, b] for a, b in pairs], dtype=np.float64)
        return p, p
    if test == "t":
        tests = [
            paired_t(rows[a].to_numpy(), rows[b].to_numpy(), test_to_train=test_to_train)
            for a, b in pairs
        ]
    else:
        tests = [wilcoxon(frame[a], frame[b]) for a, b in pairs]
    p = np.array([outcome.p_value for outcome in tests])
    return p, holm(p)
