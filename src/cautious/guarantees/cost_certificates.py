"""Certified costs and utilities: for the class shares seen, for an interval of shares, for all.

A mean is bounded from counts of its values alone. A mean over all cases is the mean of the classes'
own means, weighted with the shares of the classes. So bounds of the classes, each at an equal part
of the risk of failing, certify it for all shares at once; because it is linear in the shares, the
worst of an interval lies at an end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._cases import cases_of_sets
from cautious._checks import check_share
from cautious._set_counts import SetCounts, costs_of_cells
from cautious._typing import Floats, as_floats
from cautious.costs import SetCosts, as_costs
from cautious.costs._forms import CostsLike
from cautious.costs._set_costs import all_sets
from cautious.costs._tables import AnswerCosts, TableCosts
from cautious.decision.optimal._solver import one_of
from cautious.errors import shown
from cautious.guarantees.bounds import mean_bound
from cautious.guarantees.certificate import Certificate, MeanTest
from cautious.utility._forms import UtilityLike, as_utility

SharesLike: TypeAlias = Mapping[Any, float | tuple[float, float]] | str | None
"""Class shares of new cases: None for those seen, "any", or shares and intervals by class."""

# All sets of so many classes are listed, to know the range of their costs.
_MANY_CLASSES = 12


def certify_cost(
    y_true: Sequence[Any] | npt.ArrayLike | SetCounts,
    y_set: Any = None,
    *,
    costs: CostsLike | None = None,
    utility: UtilityLike | None = None,
    shares: SharesLike = None,
    confidence_level: float = 0.95,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    empty: str = "error",
    high: float | None = None,
    in_order: bool = False,
) -> Certificate:
    r"""Bound the mean cost of a rule on new cases from above, or its mean utility from below.

    Parameters
    ----------
    y_true : array-like of shape (n,), or SetCounts
        Labels of calibration cases: cases that neither the model nor the rule was made from. Or
        their counts, which add up: from batches, a log's summary or a cluster.
    y_set : mask of shape (n, K), labels or label sets
        What the rule answered: anything :func:`cautious.sets.as_mask` takes.
    costs : dict, array-like, DataFrame, path or SetCosts
        What :func:`cautious.costs.as_costs` takes, the same for all cases.
    utility : str, Utility or callable
        In place of `costs`, what :func:`cautious.utility.as_utility` takes, such as ``"u65"``.
    shares : None, "any" or mapping, optional
        Class shares of the new cases. None: they are drawn as these cases were. "any": whatever the
        shares, if the cases of each class are drawn as those seen. A mapping from classes to
        shares, or to pairs of a least and a largest share: for all shares within; classes not
        named take the rest.
    confidence_level : float, default=0.95
        How sure the promise is, over the draw of the calibration cases.
    classes, pos_label : optional
        Class labels in column order; the positive one of two, for a dict of costs.
    empty : {"error", "abstain", "wrong"}
        What an empty set means. A wrong one costs as much as the most expensive single class.
    high : float, optional
        Largest possible cost. It is known but for costs of sets of more than 12 classes.
    in_order : bool, default=False
        Whether the rows come in the order in which the cases were drawn, or were shuffled. Then
        bets learn from case to case, and bounds are tighter by a third (:func:`mean_bound`).
        Otherwise only counts matter. Do not say so of rows that are sorted.

    Returns
    -------
    Certificate
        Its limit "cost" or "utility" is the bound.

    Notes
    -----
    Under a utility a set is worth :math:`u(x)` with :math:`x` one of 0, 1, 1/2, …, 1/K.

    With `shares`, the mean cost :math:`U_k` of each class k is bounded at confidence
    :math:`1 - \delta / K`; the bound is the largest :math:`\sum_k \pi_k U_k` of the shares π
    allowed, which is found at an end; a utility is bounded alike from below. A class without cases
    has the largest possible cost. Bounds are exact for costs of two values, and betting bounds
    otherwise (:func:`mean_bound`). They count cases: there are none for weights.

    References
    ----------
    Waudby-Smith & Ramdas (2024), *Estimating means of bounded random variables by betting*.

    Examples
    --------
    >>> from cautious.metrics import SetCounts
    >>> counts = SetCounts.from_confusion([[430, 5], [20, 80], [50, 15]], classes=["no", "yes"])
    >>> prices = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    >>> print(certify_cost(counts, costs=prices))
    On new cases like these, with 95 % confidence: the mean cost is at most 0.4187.
    Seen on 600 calibration cases: mean 0.2583; at most 0.4187.
    >>> print(certify_cost(counts, costs=prices, shares={"yes": (0.1, 0.3)}))
    On new cases like these within each class, where class yes makes up 10 to 30 % of them, with 95
    % confidence: the mean cost is at most 0.655.
    Seen on 500 calibration cases of class no: mean 0.18; at most 0.253.
    Seen on 100 calibration cases of class yes: mean 0.65; at most 1.594.
    >>> print(certify_cost(counts, utility="u80", shares="any"))
    On new cases like these within each class, whatever the class shares, with 95 % confidence: the
    mean utility is at least 0.8268.
    Seen on 500 calibration cases of class no: mean 0.94; at least 0.9073.
    Seen on 100 calibration cases of class yes: mean 0.92; at least 0.8268.
    """
    given: Any = one_of(costs, utility)
    counts, rows = _counted(y_true, y_set, classes, empty, in_order)
    if costs is None:
        worth = as_utility(given)
        ranges = [worth(np.append(0.0, 1 / np.arange(1, counts.n_classes + 1)))] * counts.n_classes

        def utility_of(cells: SetCounts) -> Floats:
            return worth(cells.discounted)

        return _certify("utility", counts, rows, utility_of, ranges, shares, confidence_level)
    read = as_costs(given, counts.classes.tolist(), pos_label=pos_label)
    if read.per_case:
        raise ValueError(
            "costs differ per case, so that the largest possible one is not known; certify with "
            "one table for all cases."
        )
    cost_of, ranges = partial(costs_of_cells, read), _cost_ranges(read, high)
    return _certify("cost", counts, rows, cost_of, ranges, shares, confidence_level)


def _counted(
    y_true: Any, y_set: Any, classes: Any, empty: str, in_order: bool
) -> tuple[SetCounts, SetCounts | None]:
    """Give the counts of the cases and, if their order is to be used, the cases one by one."""
    rows = None
    if isinstance(y_true, SetCounts):
        counts = y_true
        if in_order:
            raise ValueError(
                "in_order is True, but counts have no order; give the cases as y_true and y_set, "
                "or leave in_order out."
            )
    elif y_set is None:
        raise ValueError("y_set is not given; give what the rule answered, or counts as y_true.")
    elif in_order:
        rows = SetCounts.of_cases(cases_of_sets(y_true, y_set, classes=classes, empty=empty))
        counts = rows.merge()[0]
    else:
        counts = SetCounts.from_predictions(y_true, y_set, classes=classes, empty=empty)
    if not counts.weight.sum():
        raise ValueError("there are no calibration cases; give at least one.")
    if not np.all(counts.weight == np.rint(counts.weight)):
        raise ValueError(
            "the counts hold weights that are not whole; a promise counts cases, not weights. "
            "Count the cases without weights."
        )
    return counts, rows


def _cost_ranges(costs: SetCosts, high: float | None) -> list[Floats]:
    """List, for each true class, the values that its cost can take."""
    k = costs.n_classes
    if isinstance(costs, TableCosts):
        table = costs.costs
    elif k <= _MANY_CLASSES:
        table = costs.of(all_sets(k))
    else:
        table = costs.of(np.vstack([np.eye(k), np.ones(k)]) > 0)
        # A table of answers prices every set.
        if high is None and not isinstance(costs, AnswerCosts):
            raise ValueError(
                f"there are {k} classes, too many to list the costs of all sets; give high, the "
                "largest possible cost."
            )
    ranges = [np.unique(column) for column in table.T]
    if high is None:
        return ranges
    most = float(as_floats(high, "high", "a cost"))
    if most < table.max():
        raise ValueError(f"high is {most:g} and costs go up to {table.max():g}; give that or more.")
    # Values between the ends can occur, so the bound for two values is not for these.
    return [np.append(column, [most, (column[0] + most) / 2]) for column in ranges]


def _certify(
    name: str,
    counts: SetCounts,
    rows: SetCounts | None,
    value: Callable[[SetCounts], Floats],
    ranges: Sequence[Floats],
    shares: SharesLike,
    confidence_level: float,
) -> Certificate:
    """Bound the mean of a value of cells, of all classes together or of each of them."""
    level = check_share(confidence_level, "confidence_level")
    side = "upper" if name == "cost" else "lower"
    values = value(counts)
    in_order = None if rows is None else value(rows)
    labels = list(map(str, counts.classes.tolist()))

    def tested(possible: Floats, risk: float, k: int | None = None) -> MeanTest:
        chosen = slice(None) if k is None else counts.truth == k
        own, n = values[chosen], counts.weight[chosen]
        support = np.unique(np.concatenate([possible, own]))
        if rows is None or in_order is None or len(support) <= 2 or not n.sum():
            each = np.bincount(np.searchsorted(support, own), n, len(support))
            bound = mean_bound(support, each, 1 - risk, side=side)
        else:
            drawn = in_order if k is None else in_order[rows.truth == k]
            ends = {"low": float(support[0]), "high": float(support[-1])}
            bound = mean_bound(drawn, None, 1 - risk, side=side, **ends)
        mean = float(own @ n / n.sum()) if n.sum() else None
        return MeanTest(mean, bound, int(n.sum()), None if k is None else labels[k])

    method = "exact or betting bounds" + ("" if rows is None else ", case by case")
    n = int(counts.weight.sum())
    if shares is None:
        whole = tested(np.concatenate(ranges), 1 - level)
        return Certificate({name: whole.bound}, level, n, method=method, means=(whole,))
    low, most = _check_shares(shares, counts.classes.tolist())
    present = np.flatnonzero(most > 0).tolist()
    risk = (1 - level) / len(present)
    tests = tuple(tested(ranges[k], risk, k) for k in present)
    sign = 1 if side == "upper" else -1
    bounds = np.array([sign * test.bound for test in tests])
    # The largest mean of the bounds over all shares between two ends.
    share = low[present]
    left = 1 - share.sum()
    for k in np.argsort(-bounds):
        more = min(most[present][k] - share[k], left)
        share[k], left = share[k] + more, left - more
    bound = sign * float(share @ bounds)
    limited = {
        label: (float(low[k]), float(most[k]))
        for k, label in enumerate(labels)
        if not isinstance(shares, str) and counts.classes[k] in shares
    }
    method += ", one for each class"
    return Certificate({name: bound}, level, n, method=method, means=tests, shares=limited)


def _check_shares(shares: SharesLike, classes: list[Any]) -> tuple[Floats, Floats]:
    low, high = np.zeros(len(classes)), np.ones(len(classes))
    if shares == "any":
        return low, high
    if isinstance(shares, str):
        raise ValueError(f"shares is {shown(shares)}; choose 'any', or give shares by class.")
    if not isinstance(shares, Mapping):
        raise TypeError(
            f"shares is a {type(shares).__name__}; give a mapping from classes to shares or to "
            "pairs of a least and a largest share, or 'any'."
        )
    for label, given in shares.items():
        if label not in classes:
            raise ValueError(
                f"shares names {shown(label)}, which is not among the classes {classes}; "
                "name one of them."
            )
        pair = as_floats(given, f"shares[{label!r}]", "shares")
        least, most = (pair, pair) if pair.ndim == 0 else (pair[0], pair[-1])
        if pair.size > 2 or not 0 <= least <= most <= 1:
            raise ValueError(
                f"shares[{shown(label)}] is {shown(given)}; give a share between 0 and 1, or a "
                "pair of a least and a largest one."
            )
        low[classes.index(label)], high[classes.index(label)] = least, most
    if low.sum() > 1 + 1e-9 or high.sum() < 1 - 1e-9:
        raise ValueError(
            f"shares adds up to {low.sum():g} at least and {high.sum():g} at most; shares of all "
            "classes must be able to add up to 1."
        )
    # What the others leave is all that a class can have.
    rest = 1 - (low.sum() - low)
    return low, np.minimum(high, np.maximum(rest, 0))
