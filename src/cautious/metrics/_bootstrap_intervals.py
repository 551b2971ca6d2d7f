"""Bootstrap intervals for every measure: count once, re-weight the counts a thousand times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from cautious._cases import cases_of_sets
from cautious._checks import check_choice, check_rows, check_truth, first_occurrences
from cautious._random import (
    Interval,
    are_shares,
    bootstrap_weights,
    percentile_interval,
    warn_of_shares,
)
from cautious._set_counts import SetCounts
from cautious._typing import Floats, Ints, RandomState
from cautious.costs import as_costs
from cautious.metrics._registry import Measure, get_measure
from cautious.metrics._risk_coverage import RiskCoverageCurve
from cautious.sets import as_mask

MeasuredCounts: TypeAlias = SetCounts | RiskCoverageCurve
"""What measures are computed from: prediction sets counted, or losses counted by confidence."""

# Parameters that say what is counted, and not how it is measured.
_COUNTED: dict[type[MeasuredCounts], tuple[str, ...]] = {
    SetCounts: ("empty", "y_pred"),
    RiskCoverageCurve: ("pos_label", "confidence", "loss"),
}

# A curve of more cells than this is rounded to so many confidences before it is resampled.
_MANY_CELLS, _CONFIDENCES = 10_000, 200
# Areas of a curve whose risk is 1 at every confidence. A few mistakes spread evenly over the
# confidences raise the excess over the best curve by nearly as much.
_AREA = {"aurc": 1.0, "excess_aurc": 1.0, "augrc": 0.5, "excess_augrc": 0.5}


def bootstrap_interval(
    y_true: Sequence[Any] | npt.ArrayLike | MeasuredCounts,
    y_set: Any = None,
    y_set_other: Any = None,
    *,
    measure: str | Callable[..., Any] | Measure,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = None,
    stratify: bool = True,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    weights_are: str = "repetitions",
    **params: Any,
) -> Interval:
    r"""Estimate a measure with a bootstrap confidence interval.

    Cases are resampled within each true class. Equal cases are counted first and a replicate draws
    their counts from a multinomial distribution, so its cost depends on how many *different* cases
    there are, hardly on how many there are in all.

    A replicate knows no mistake that no case made, so percentiles of replicates alone would say
    "0 to 0" where none was seen. Each end is therefore read with one more case, at its worst: the
    share :math:`V` of this case among :math:`m` counted ones is drawn from the law
    :math:`\mathrm{Beta}(1, m)`, and a mean :math:`M` of a replicate becomes
    :math:`(1 - V) M + V x`, with :math:`x` the greatest value that a case can have for the upper
    end and the least one for the lower. Where all cases are alike this is the exact interval of
    Clopper & Pearson. Other measures of sets are computed with a right answer, a wrong answer or an
    abstention more. Areas under risk–coverage curves get mistakes spread evenly over the
    confidences; were all unseen mistakes made at the greatest confidence, more would be possible.
    Measures of scores of one's own have plain percentile intervals.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels. Counts in their place will do: :class:`SetCounts` or a
        :class:`~cautious.curves.RiskCoverageCurve`.
    y_set : mask of shape (n, K), labels or label sets
        Prediction sets; for a measure of scores, such as "aurc", the class scores. Not needed with
        counts.
    y_set_other : mask of shape (n, K), labels or label sets, optional
        What a second classifier says of the same cases: the interval is then of the measure of
        `y_set` minus that of `y_set_other`. Both are resampled together, which is what makes a
        difference far more certain than two intervals apart would suggest. Differences have
        percentile intervals, a little short.
    measure : str, callable or Measure
        Which measure: a name such as "u65", or a function such as ``coverage_score``.
    confidence_level : float, default=0.95
        Nominal coverage of the interval.
    n_resamples : int, default=1000
        Number of bootstrap replicates.
    random_state : int, RandomState, Generator or None
        Seed; the same seed gives the same interval.
    stratify : bool, default=True
        Whether every replicate keeps the true classes in their numbers, as if they had been chosen.
        Where they are as random as the cases, and the measure differs between classes, intervals
        come out too short; give False.
    classes : sequence of length K, optional
        Class labels in column order; needed where `y_true` does not hold them all.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    weights_are : {"repetitions", "importance"}
        What weights mean: a case of weight 3 stands for three equal ones; or it is one case that
        matters three times as much, as where cases were not drawn alike. Then cases are drawn, each
        as likely as the others, and take their weights along; what the weights add up to does not
        matter.
    **params
        Parameters of the measure, ``empty``, and ``y_pred`` where the measure needs it.

    Returns
    -------
    Interval
        Estimate and interval, which holds the estimate unless it is of a difference. Replicates on
        which the measure is undefined are left out.

    References
    ----------
    Gaffke (2005), "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable", for one more case at its worst.

    Examples
    --------
    >>> y_true, y_set = ["a"] * 50 + ["b"] * 50, ["a"] * 40 + [None] * 20 + ["b"] * 40
    >>> interval = bootstrap_interval(y_true, y_set, measure="coverage", random_state=0)
    >>> interval.estimate, interval.low < 0.75, interval.high > 0.85
    (0.8, True, True)
    >>> print(bootstrap_interval(y_true, y_set, measure="error", random_state=0))
    0 [0, 0.03622]

    Of two classifiers:

    >>> bold, careful = ["a"] * 60 + ["b"] * 40, ["a"] * 45 + [None] * 15 + ["b"] * 40
    >>> gain = bootstrap_interval(y_true, careful, bold, measure="u80", random_state=0)
    >>> round(gain.estimate, 3), gain.low > 0
    (0.07, True)
    """
    entry = get_measure(measure)
    check_choice(weights_are, "weights_are", ("repetitions", "importance"))
    important = weights_are == "importance"
    how: dict[str, Any] = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    if isinstance(y_true, SetCounts | RiskCoverageCurve):
        if important or y_set_other is not None:
            raise ValueError("counts do not tell the cases apart; give y_true and y_set.")
        counts: MeasuredCounts = y_true
    else:
        given = {key: params.pop(key) for key in _COUNTED[entry.counts] if key in params}
        entry.check_params(params)
        counts = _cases(entry, y_true, y_set, classes, sample_weight, given)
        together = True
        if params.get("costs") is not None:
            pos_label, labels = params.pop("pos_label", None), counts.classes.tolist()
            params["costs"] = as_costs(params["costs"], labels, pos_label=pos_label)
            together = not params["costs"].per_case
        if y_set_other is not None:
            other = _cases(
                entry, y_true, y_set_other, counts.classes, sample_weight, given, "y_set_other"
            )
            return interval_of_difference(
                entry, counts, other, params, together, important, stratify, **how
            )
        if together and not important:
            cells = counts.merge()[0]
            if not are_shares(cells.weight.sum(), len(cells.weight)):
                warn_of_shares(counts.weight)  # of cells there are fewer, and nothing would be said
            counts = cells
    entry.score(counts, **params)  # warns where the measure is undefined
    return interval_of_counts(
        counts, entry, stratify=stratify, important=important, **how, **params
    )


def interval_of_counts(
    counts: MeasuredCounts,
    measure: str | Callable[..., Any] | Measure,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = None,
    stratify: bool = True,
    important: bool = False,
    **params: Any,
) -> Interval:
    """Estimate a measure from counts, or from cases that weigh, as `bootstrap_interval` does."""
    entry = get_measure(measure)
    if isinstance(counts, SetCounts) and "sets" not in entry.needs and counts.knows_sets:
        counts = counts.without_sets()  # fewer cells, same measure
    estimate, shift = float(entry(counts, **params)), 0.0
    many = len(counts.weight) > _MANY_CELLS and not important
    if many and isinstance(counts, RiskCoverageCurve):
        counts = counts.rounded(_CONFIDENCES)
        shift = estimate - float(entry(counts, **params))
    strata, weight, worth = counts.truth if stratify else None, counts.weight, 1.0
    if important:
        weight = (counts.weight > 0).astype(np.float64)
        # As many equal cases as know as much as these are Σw / worth of them.
        worth = float(np.square(counts.weight).sum() / counts.n) if counts.n > 0 else 1.0
    batches = bootstrap_weights(weight, n_resamples, strata=strata, random_state=random_state)
    if important:
        # Cases are drawn, each as likely as the others, and take their weights along.
        batches = (batch * counts.weight for batch in batches)
    ends = n_resamples, confidence_level, worth
    found = _with_one_more_case(entry, counts, params, batches, *ends)
    if shift == 0:
        return found
    low, high = found.low + shift, found.high + shift
    if entry.name in _AREA:
        low, high = np.clip([low, high], *_extremes(entry, counts, params)).tolist()
    return replace(found, estimate=estimate, low=low, high=high)


def _with_one_more_case(
    entry: Measure,
    counts: MeasuredCounts,
    params: dict[str, Any],
    batches: Iterable[Floats],
    n_resamples: int,
    confidence_level: float,
    worth: float,
) -> Interval:
    """Read both ends of an interval off replicates with one more case, the worst for each end."""
    estimate, total = float(entry(counts, **params)), float(counts.n)
    if entry.mean and isinstance(counts, SetCounts):
        total = float(counts.weight[~np.isnan(entry.values(counts, **params))].sum())
    # Quantiles of Beta(1, total / worth), from first to last so that np.quantile finds them again.
    rank = np.linspace(0, 1, n_resamples) if n_resamples > 1 else np.array([0.5])
    share = 1 - (1 - rank) ** (worth / total) if total > 0 else np.zeros(n_resamples)
    mixed = entry.mean or entry.name in _AREA
    more = None
    if isinstance(counts, SetCounts) and not mixed and "sets" not in entry.needs:
        more = counts.forgetful().beside(_possible_cases(counts))
    replicates, start = [], 0
    for rows in (some for batch in batches for some in _some_rows(batch)):
        part = share[start : start + len(rows), None]
        start += len(rows)
        values = [entry(counts.reweighted(rows), **params)]
        if more is not None:
            weight = rows.sum(axis=1, keepdims=True) * part
            for kind in np.eye(len(more.truth) - len(counts.truth))[:3]:
                with_one = np.hstack([rows * (1 - part), weight * kind])
                values.append(entry(more.reweighted(with_one), **params))
        replicates.append(np.array(values))
    every = np.concatenate(replicates, axis=1)
    if mixed and total > 0:
        every = np.array(
            [(1 - share) * every[0] + share * x for x in _extremes(entry, counts, params)]
        )
    ends = [percentile_interval(estimate, one, confidence_level=confidence_level) for one in every]
    low = np.fmin.reduce([estimate, *(one.low for one in ends)])
    high = np.fmax.reduce([estimate, *(one.high for one in ends)])
    return replace(ends[0], low=float(low), high=float(high))


def _extremes(
    entry: Measure, counts: MeasuredCounts, params: dict[str, Any]
) -> tuple[float, float]:
    """Give the least and the greatest value that one case can have, whether it was seen or not."""
    if isinstance(counts, RiskCoverageCurve):
        least, most = min(0.0, counts.loss.min()), max(1.0, counts.loss.max())
        return _AREA[entry.name] * float(least), _AREA[entry.name] * float(most)
    values = [entry.values(counts, **params)]
    if params.get("costs") is not None:
        costs = as_costs(
            params["costs"], counts.classes.tolist(), pos_label=params.get("pos_label")
        )
        k = counts.n_classes
        answers = np.vstack([np.eye(k, dtype=np.bool_), np.ones((1, k), dtype=np.bool_)])
        shape = (costs.n_cases or 1, k)
        values += [costs.of(np.broadcast_to(one, shape)).ravel() for one in answers]
    elif "sets" not in entry.needs:
        values.append(entry.values(_possible_cases(counts), **params))
    every = np.concatenate(values)
    return float(np.nanmin(every)), float(np.nanmax(every))


def _possible_cases(counts: SetCounts) -> SetCounts:
    """One cell for each kind of case: right, wrong, abstained on, in or out of a partial set."""
    k, truth = counts.n_classes, int(np.argmax(counts.by_truth()))
    other = (truth + 1) % k
    kinds = [(1, truth, True, 1)]
    if k > 1:
        kinds += [(1, other, False, 0), (k, -1, True, 1), (k, -1, True, 0)]
    if k > 2:
        kinds += [(2, -1, True, 1), (2, -1, False, 0)]
    columns = zip(("size", "answer", "hit", "forced"), zip(*kinds, strict=True), strict=True)
    cells = {name: np.array(column) for name, column in columns}
    n = len(kinds)
    return SetCounts.of_cells(counts.classes, np.ones(n), truth=np.full(n, truth), **cells)


def interval_of_difference(
    entry: Measure,
    cases: MeasuredCounts,
    other: MeasuredCounts,
    params: dict[str, Any],
    together: bool = True,
    important: bool = False,
    stratify: bool = True,
    *,
    confidence_level: float,
    n_resamples: int,
    random_state: RandomState,
) -> Interval:
    """Estimate by how much a measure of some cases exceeds that of others, resampled together."""
    counted = np.flatnonzero(cases.weight > 0)
    (one, code), (two, other_code) = (
        side.merge() if together else (side, counted) for side in (cases, other)
    )
    weight: Floats = cases.weight[counted]
    carried: Floats | None = None
    if important:
        # Cases are drawn, each as likely as the others, and take their weights along.
        first, weight, carried = np.arange(len(weight)), np.ones(len(weight)), weight
    else:
        # The cells to draw from are the pairs of cells that occur together.
        pair, _ = pd.factorize(code * len(two.truth) + other_code)
        first = first_occurrences(pair)
        weight = np.bincount(pair, weights=weight).astype(np.float64)
        if not are_shares(weight.sum(), len(weight)):
            warn_of_shares(cases.weight)  # of cells there are fewer, and nothing would be said
    to_one = _sum_by(code[first], len(one.truth), carried)
    to_two = _sum_by(other_code[first], len(two.truth), carried)
    strata = one.truth[code[first]] if stratify else None
    batches = bootstrap_weights(weight, n_resamples, strata=strata, random_state=random_state)
    replicates = [
        entry(one.reweighted(rows @ to_one), **params)
        - entry(two.reweighted(rows @ to_two), **params)
        for batch in batches
        for rows in _some_rows(batch)
    ]
    difference = entry.score(one, **params) - entry.score(two, **params)
    return percentile_interval(
        difference, np.concatenate(replicates), confidence_level=confidence_level
    )


def _cases(
    entry: Measure,
    y_true: Sequence[Any] | npt.ArrayLike,
    y_out: Any,
    classes: Sequence[Any] | npt.ArrayLike | None,
    sample_weight: npt.ArrayLike | None,
    given: dict[str, Any],
    name: str = "y_set",
) -> MeasuredCounts:
    """Make one cell per case, of whichever counts the measure asks for."""
    known: dict[str, Any] = {"classes": classes, "sample_weight": sample_weight}
    if entry.counts is RiskCoverageCurve:
        return RiskCoverageCurve.of_cases(y_true, y_out, name=name, **known, **given)
    empty = given.get("empty", "error")
    if name != "y_set":
        # The classes are known from the first classifier, so this one can be read by its own name.
        y_out = as_mask(y_out, classes, empty=empty, name=name)
        check_rows(len(check_truth(y_true)), len(y_out), name)
    checked = cases_of_sets(y_true, y_out, empty=empty, **known)
    return SetCounts.of_cases(checked, given.get("y_pred"), sets="sets" in entry.needs)


def _some_rows(batch: Floats) -> list[Floats]:
    """Cut a batch of replicates into pieces that fit a processor's cache, where sums are faster."""
    at_once = max(1, 100_000 // max(1, batch.shape[1]))
    return [batch[start : start + at_once] for start in range(0, len(batch), at_once)]


def _sum_by(code: Ints, n_codes: int, weight: Floats | None = None) -> sparse.csr_array:
    """Matrix that adds up the entries of a row vector by code, each times its weight."""
    rows = np.arange(len(code))
    entries = np.ones(len(code)) if weight is None else weight
    return sparse.csr_array((entries, (rows, code)), shape=(len(code), n_codes))
