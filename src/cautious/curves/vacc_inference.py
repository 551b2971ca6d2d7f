r"""How sure a VACC is: bootstrap intervals, and a paired test of two classifiers.

Examples are drawn anew within each true class, so every replicate keeps the class shares. A
replicate only re-weights the sorted scores. The surface takes a minimum over windows on the same
data, so a VACC is optimistic, and a replicate's VACC is optimistic once more: on average it lies
below the VACC it was drawn from, as that lies below the truth. Intervals are therefore *basic*
(pivotal) ones, which turn the replicates round the estimate,
:math:`[2\hat v - v^*_{1-\alpha/2},\ 2\hat v - v^*_{\alpha/2}]`, and so move the right way;
percentile intervals would move the wrong way. In simulations with two shifted normal classes,
nominal 90 % intervals covered the truth in about 77 % of samples at n = 100, 84 % at 300, 88 % at
1000 and 91 % at 5000 (percentile intervals: 55, 60, 70 and 86 %).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Mask, RandomState
from cautious.bootstrap import Interval, bootstrap_weights, percentile_interval
from cautious.curves.labels import binary_truth
from cautious.curves.priors import ClassScales, Priors, class_scales
from cautious.curves.staircase import Staircase, check_scores
from cautious.curves.vacc import vacc_of_counts
from cautious.sets import check_weight

__all__ = ["VaccTest", "vacc_interval", "vacc_test"]


def vacc_interval(
    staircase: Staircase,
    scales: ClassScales,
    *,
    n_resamples: int = 1000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> Interval:
    """Bootstrap interval of the VACC of one classifier.

    Parameters
    ----------
    staircase : Staircase
        Counts of both classes.
    scales : ClassScales
        What one count of each class stands for.
    n_resamples : int, default=1000
        Number of replicates.
    level : float, default=0.95
        Nominal coverage.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Interval
    """
    estimate = vacc_of_counts(staircase.positives, staircase.negatives, scales)
    cells = [np.flatnonzero(count) for count in (staircase.negatives, staircase.positives)]
    weight = np.concatenate([staircase.negatives[cells[0]], staircase.positives[cells[1]]])
    strata = np.repeat([0, 1], [len(cells[0]), len(cells[1])])
    counts = np.zeros((2, len(staircase)))
    replicates = []
    for batch in bootstrap_weights(weight, n_resamples, strata=strata, random_state=random_state):
        for row in batch:
            counts[0, cells[0]] = row[: len(cells[0])]
            counts[1, cells[1]] = row[len(cells[0]) :]
            replicates.append(vacc_of_counts(counts[1], counts[0], scales))
    return _basic_interval(estimate, np.asarray(replicates), level)


def _basic_interval(estimate: float, replicates: Floats, level: float) -> Interval:
    return percentile_interval(estimate, 2 * estimate - replicates, level=level)


@dataclass(frozen=True)
class VaccTest:
    """Outcome of a paired bootstrap test of two VACCs.

    Attributes
    ----------
    vacc_a, vacc_b : float
        The two volumes.
    difference : Interval
        Of ``vacc_a - vacc_b``; below zero, the first classifier is cheaper.
    p_value : float
        Two-sided, for the hypothesis that the volumes are equal.
    """

    vacc_a: float
    vacc_b: float
    difference: Interval
    p_value: float


def vacc_test(
    y_true: Sequence[Any] | npt.ArrayLike,
    score_a: npt.ArrayLike,
    score_b: npt.ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    priors: Priors | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> VaccTest:
    r"""Test whether two classifiers have the same VACC, by a paired bootstrap.

    Examples are drawn within each class and keep both their scores, so what makes an example hard
    for both classifiers cancels. With the observed difference :math:`\hat d` and replicates
    :math:`d^*_b`, the p-value is :math:`(1 + \#\{|d^*_b - \hat d| \ge |\hat d|\})/(1 + B)`. The
    two scores need not be on the same scale, which exchanging them (a permutation test) would ask.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    score_a, score_b : array-like of shape (n,)
        Scores of the two classifiers for the same examples.
    pos_label : label, optional
        The positive class; see :meth:`Staircase.from_predictions`.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.
    priors : mapping or pair (negative, positive), optional
        Class probabilities other than the sample's.
    n_resamples : int, default=1000
        Number of replicates.
    level : float, default=0.95
        Nominal coverage of the interval.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    VaccTest

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> good, bad = y + rng.normal(size=300), y + 3 * rng.normal(size=300)
    >>> result = vacc_test(y, good, bad, n_resamples=200, random_state=0)
    >>> result.difference.high < 0, round(result.p_value, 3)
    (True, 0.01)
    """
    is_positive, classes = binary_truth(y_true, pos_label=pos_label)
    n = len(is_positive)
    weight = check_weight(sample_weight, n)
    sorters = [
        _Sorter.of(check_scores(score, name=name, n=n), is_positive)
        for score, name in ((score_a, "score_a"), (score_b, "score_b"))
    ]
    totals = Staircase.from_counts(
        np.zeros(n), weight * is_positive, weight * ~is_positive, classes
    )
    scales = class_scales(totals, priors)
    vacc_a, vacc_b = (sorter.vacc(weight, scales) for sorter in sorters)
    observed = vacc_a - vacc_b
    replicates = []
    batches = bootstrap_weights(weight, n_resamples, strata=is_positive, random_state=random_state)
    for batch in batches:
        for row in batch:
            a, b = (sorter.vacc(row, scales) for sorter in sorters)
            replicates.append(a - b)
    shifts = np.abs(np.asarray(replicates) - observed)
    # Differences are sums of shares: equal ones must count as equal after rounding.
    beyond = int((shifts >= abs(observed) - 1e-12).sum())
    interval = _basic_interval(observed, np.asarray(replicates), level)
    return VaccTest(vacc_a, vacc_b, interval, (1 + beyond) / (1 + n_resamples))


@dataclass(frozen=True)
class _Sorter:
    """Sorted scores of one classifier, ready to count any weights of the examples."""

    order: Ints
    is_positive: Mask
    starts: Ints

    @classmethod
    def of(cls, score: Floats, is_positive: Mask) -> _Sorter:
        order = np.argsort(score)
        ranked = score[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        return cls(order, is_positive[order], starts)

    def vacc(self, weight: Floats, scales: ClassScales) -> float:
        ranked = weight[self.order]
        positives, negatives = ranked * self.is_positive, ranked * ~self.is_positive
        if len(self.starts) < len(ranked):
            positives = np.add.reduceat(positives, self.starts)
            negatives = np.add.reduceat(negatives, self.starts)
        return vacc_of_counts(positives, negatives, scales)
