r"""Volume under the abstention cost surface (VACC): exact, with intervals and a paired test.

Examples are drawn anew within each true class, so every replicate keeps the class shares. A
replicate only re-weights the sorted scores.

*Bias.* The surface takes a minimum over windows on the same data, so a VACC is optimistic: it lies
below the truth on average. Its bins are those of isotonic regression, whose optimism falls like
:math:`n^{-2/3}` where the share of positives rises smoothly with the score. A replicate carries the
noise of the sample and, once more, that of the drawing. It is as optimistic as a sample of half
the size, so :math:`E[\bar v^* - v] = 2^{2/3}\, E[\hat v - v]`, and extrapolating gives

.. math:: \tilde v = \hat v + \frac{\hat v - \bar v^*}{2^{2/3} - 1}.

Where scores are few and tied the power is 1 and the factor too large, but then the whole bias is of
order :math:`1/n` and drowns in the noise.

*Spread.* A VACC is a mean of proper scores, :math:`s_i = V(q_i) + V'(q_i)(y_i - q_i)` with the
share :math:`q_i` of the example's bin and its volume :math:`V(q_i)`, so it has a standard error
:math:`\hat\sigma` of its own, and so has every replicate. Intervals are studentised by it:
:math:`[\tilde v - t^*_{1-\alpha/2}\hat\sigma,\ \tilde v - t^*_{\alpha/2}\hat\sigma]` with
:math:`t^* = (v^* - \bar v^*)/\sigma^*`. They are about :math:`\tilde v`; in small samples the
optimistic :math:`\hat v` may lie below them. `docs/honesty.md` says how often they cover.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from cautious._typing import Floats, Ints, Mask, RandomState
from cautious.bootstrap import Interval, bootstrap_weights, percentile_interval
from cautious.curves.hull import hull_bins
from cautious.curves.staircase import ClassScales, Priors, Staircase, class_scales
from cautious.predictions import binary_truth
from cautious.sets import check_scores, check_weight

__all__ = ["VaccTest", "bin_volumes", "vacc_interval", "vacc_of_counts", "vacc_test"]

# Volumes are sums of shares; what is smaller than this is rounding.
_ROUNDING = 1e-12


def bin_volumes(positives: Floats, negatives: Floats) -> Floats:
    r"""Volume that each bin of the hull adds to the VACC.

    On the hull the optimal window answers each bin as a Bayes decision would on the bin's own share
    of positives :math:`q` (negatives :math:`b = 1 - q`), so a bin of weight :math:`w` costs
    :math:`w\min(q, \mu b, \nu)` and adds :math:`w V(q)` to the volume, where

    .. math::

        V(q) = \int_0^1\!\!\int_0^1 \min(q, \mu b, \nu)\,d\nu\,d\mu = \begin{cases}
            q - \frac{q^2}{2} - \frac{q^2}{b}\left(\frac12 - \frac q3\right) & q \le b,\\
            \frac b2 - \frac{b^2}{6} & q \ge b.
        \end{cases}

    The inner integral is :math:`c - c^2/2` with :math:`c = \min(q, \mu b)`; the outer one splits
    at :math:`\mu = q/b`. Nothing cancels: every term stays of the order of the result.

    Parameters
    ----------
    positives, negatives : ndarray of shape (h,)
        Shares of all cases that are in each bin and in each class.

    Returns
    -------
    ndarray of shape (h,)

    Examples
    --------
    >>> import numpy as np
    >>> bin_volumes(np.array([0.5]), np.array([0.5])) * 24
    array([5.])
    """
    weight = positives + negatives
    q, b = positives / weight, negatives / weight
    mostly_negative = q - q * q / 2 - q * q / np.maximum(b, 0.5) * (0.5 - q / 3)
    return np.asarray(weight * np.where(q <= b, mostly_negative, b / 2 - b * b / 6))


def vacc_of_counts(positives: Floats, negatives: Floats, scales: ClassScales) -> float:
    """VACC of counts at increasing scores; scores without counts are passed over."""
    _, pos, neg = hull_bins(positives, negatives)
    return float(bin_volumes(pos * scales.positive, neg * scales.negative).sum())


def vacc_interval(
    staircase: Staircase,
    scales: ClassScales,
    *,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
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
    confidence_level : float, default=0.95
        Nominal coverage.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Interval
    """
    cells = [np.flatnonzero(count) for count in (staircase.negatives, staircase.positives)]
    weight = np.concatenate([staircase.negatives[cells[0]], staircase.positives[cells[1]]])
    is_positive = np.repeat([False, True], [len(cells[0]), len(cells[1])])
    sorter = _Sorter.of(np.concatenate(cells).astype(np.float64), is_positive)

    def judge(w: Floats) -> _Mean:
        bins = sorter.bins(w, scales)
        return _mean(list(zip(bins.counts, bins.scores, strict=True)), scales)

    found = _bootstrap(judge, is_positive, weight, n_resamples, random_state)
    estimate = vacc_of_counts(staircase.positives, staircase.negatives, scales)
    interval = found.interval(estimate, confidence_level)
    # No classifier is worse than a constant score, whose volume is known.
    shares = scales.positive * staircase.n_positives, scales.negative * staircase.n_negatives
    (most,) = bin_volumes(*np.atleast_2d(shares).T)
    low, high = np.clip([interval.low, interval.high], 0.0, most)
    return replace(interval, low=float(low), high=float(high))


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
        Two-sided, for the hypothesis that the volumes are equal; nan if a class weighs less than
        two examples.
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
    confidence_level: float = 0.95,
    random_state: RandomState = None,
) -> VaccTest:
    r"""Test whether two classifiers have the same VACC, by a paired bootstrap.

    Examples are drawn within each class and keep both their scores, so what makes an example hard
    for both classifiers cancels. With the difference :math:`\tilde d` freed of its optimism, its
    standard error :math:`\hat\sigma` and the studentised replicates :math:`t^*_b` (see
    :mod:`cautious.curves.surface.vacc`), the p-value is
    :math:`(1 + \#\{|t^*_b| \ge |\tilde d| / \hat\sigma\})/(1 + B)`. A score of many values is
    more optimistic than one of few, which would otherwise speak for it. The two scores need not
    be on the same scale, which exchanging them (a permutation test) would ask.

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
    confidence_level : float, default=0.95
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
    vacc_a, vacc_b = (vacc_of_counts(*sorter.counts(weight), scales) for sorter in sorters)

    members = [np.flatnonzero(~is_positive), np.flatnonzero(is_positive)]

    def gap(w: Floats) -> _Mean:
        a, b = (sorter.proper_scores(w, scales) for sorter in sorters)
        apart = a - b
        return _mean([(w[rows], apart[rows]) for rows in members], scales)

    found = _bootstrap(gap, is_positive, weight, n_resamples, random_state)
    return VaccTest(
        vacc_a, vacc_b, found.interval(vacc_a - vacc_b, confidence_level), found.p_value()
    )


@dataclass(frozen=True)
class _Sorter:
    """Sorted scores of one classifier, ready to judge the examples under any weights."""

    order: Ints
    is_positive: Mask
    starts: Ints

    @classmethod
    def of(cls, score: Floats, is_positive: Mask) -> _Sorter:
        order = np.argsort(score)
        ranked = score[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        return cls(order, is_positive[order], starts)

    def counts(self, weight: Floats) -> tuple[Floats, Floats]:
        """Count positives and negatives at each distinct score, in order."""
        ranked = weight[self.order]
        positives, negatives = ranked * self.is_positive, ranked * ~self.is_positive
        if len(self.starts) < len(ranked):
            positives = np.add.reduceat(positives, self.starts)
            negatives = np.add.reduceat(negatives, self.starts)
        return positives, negatives

    def bins(self, weight: Floats, scales: ClassScales) -> _Bins:
        """Bins of the hull under these weights."""
        cuts, *counts = hull_bins(*self.counts(weight))
        pos, neg = counts[0] * scales.positive, counts[1] * scales.negative
        share = pos / (pos + neg)
        volume, slope = bin_volumes(pos, neg) / (pos + neg), _slope(share)
        scores = np.stack([volume - slope * share, volume + slope * (1 - share)])
        return _Bins(cuts, np.stack(counts[::-1]), scores)

    def proper_scores(self, weight: Floats, scales: ClassScales) -> Floats:
        """Score each example, under these weights, by the bin it is in; the VACC is their mean."""
        bins = self.bins(weight, scales)
        edges = np.append(self.starts, len(weight))[bins.cuts]
        edges[0] = 0  # scores without weight before the first bin
        scores = np.empty(len(weight))
        scores[self.order] = np.repeat(bins.scores, np.diff(edges), axis=1)[
            self.is_positive.astype(np.intp), np.arange(len(weight))
        ]
        return scores


class _Bins(NamedTuple):
    """Bins of a hull: where they are cut; counts and proper scores, negatives then positives."""

    cuts: Ints
    counts: Floats
    scores: Floats


def _slope(q: Floats) -> Floats:
    """Differentiate the volume V(q) of a bin by its share of positives."""
    b = np.maximum(1 - q, 0.5)
    mostly_negative = 1 - q - (q * (1 - q) * b + q * q * (0.5 - q / 3)) / (b * b)
    return np.where(q <= 0.5, mostly_negative, (1 - q) / 3 - 0.5)


class _Mean(NamedTuple):
    """A mean over cases drawn within the classes, and its standard error."""

    value: float
    error: float


def _mean(classes: Sequence[tuple[Floats, Floats]], scales: ClassScales) -> _Mean:
    """Take the mean of weighted scores of negatives and of positives."""
    value = variance = 0.0
    for (weight, score), scale in zip(classes, (scales.negative, scales.positive), strict=True):
        total = weight.sum()
        if total > 0:
            # Sums, not dot products: threads of a linear algebra library cost more than they gain.
            mean = (weight * score).sum() / total
            value += scale * total * mean
            variance += scale**2 * (weight * (score - mean) ** 2).sum()
    return _Mean(float(value), float(np.sqrt(variance)))


class _Bootstrapped(NamedTuple):
    """A mean of proper scores and its replicates."""

    observed: _Mean
    values: Floats
    errors: Floats

    @property
    def corrected(self) -> float:
        """The estimate without its optimism."""
        bias = float(self.values.mean()) - self.observed.value
        return self.observed.value - bias / (2 ** (2 / 3) - 1)

    @property
    def studentised(self) -> Floats:
        """Replicates in units of their own standard errors; nan where that is zero."""
        apart = self.values - self.values.mean()
        studentised = np.full(len(apart), np.nan)
        np.divide(apart, self.errors, out=studentised, where=self.errors > _ROUNDING)
        return studentised

    def interval(self, estimate: float, confidence_level: float) -> Interval:
        centre, error = self.corrected, self.observed.error
        ends = centre - error * self.studentised if error > _ROUNDING else centre + 0 * self.values
        return percentile_interval(estimate, ends, confidence_level=confidence_level)

    def p_value(self) -> float:
        centre, error = self.corrected, self.observed.error
        if np.isnan(centre):
            return np.nan
        if abs(centre) <= _ROUNDING:
            return 1.0
        if error <= _ROUNDING:  # every example of a class says the same
            beyond = int((self.errors > _ROUNDING).sum())
        else:
            # A replicate without spread of its own could be anywhere: it does not count as near.
            beyond = int((~(np.abs(self.studentised) < abs(centre / error))).sum())
        return (1 + beyond) / (1 + len(self.values))


def _bootstrap(
    judge: Callable[[Floats], _Mean],
    is_positive: Mask,
    weight: Floats,
    n_resamples: int,
    random_state: RandomState,
) -> _Bootstrapped:
    """Judge the examples under their own weights, and under those of replicates."""
    if min(weight[is_positive].sum(), weight[~is_positive].sum()) < 2:
        warnings.warn(
            "a class weighs less than two examples, so nothing can be said of how a VACC varies: "
            "nan. Weights count repetitions; weights that add up to one should be multiplied by "
            "the number of examples.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return _Bootstrapped(judge(weight), *np.full((2, n_resamples), np.nan))
    batches = bootstrap_weights(weight, n_resamples, strata=is_positive, random_state=random_state)
    values, errors = np.transpose([judge(row) for batch in batches for row in batch])
    return _Bootstrapped(judge(weight), values, errors)
