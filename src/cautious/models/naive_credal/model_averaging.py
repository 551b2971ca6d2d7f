r"""Credal model averaging: naive Bayes over all feature sets, with an interval of priors.

Averaging over all :math:`2^m` feature sets, each feature included with probability :math:`t_i`,
gives a product (Dash & Cooper 2004)

.. math::

    p(c, a) \propto \hat\theta_c \prod_i [t_i A_i(a_i, c) + (1 - t_i) B_i(a_i)], \quad
    A_i = \hat\theta_{a_i | c} L^C_i, \quad B_i = \hat\theta_{a_i} L^0_i.

If all features share one inclusion probability t, the smallest ratio of two classes over t is
wanted. With :math:`q_i = A_i / (A_i + B_i)` the share of a feature's evidence that is for including
it, its factor is proportional to :math:`\ell_i(t) = t q_i + (1 - t)(1 - q_i)`, and the ratio of
two classes is

.. math:: r(t) = \sum_i \log \ell'_i(t) - \log \ell''_i(t).

This is neither convex nor concave. It is minimised over an interval exactly, by branch and bound
with a second-order lower bound on each piece: few pieces survive around the minimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit, gammaln

from cautious._typing import Floats, Ints, Mask
from cautious.errors import shown
from cautious.models._base import (
    POSITIVE,
    SHARE,
    CredalClassifierMixin,
    ListOf,
    OneOf,
    parameter,
    row_chunks,
)
from cautious.models.naive_credal.counts import (
    CategoryCounts,
    CountingClassifier,
    ValueTables,
    probabilities,
)
from cautious.models.naive_credal.dominance import TIE, bounds_from_infima, dominated_by_infima

# Ratios of classes held at once.
_RATIOS_AT_ONCE = 500_000
# (pair, feature) cells minimised at once.
_CELLS_AT_ONCE = 400_000
# What a shared inclusion probability may still gain, and how often its interval is halved.
_PRECISION = 1e-11
_MAX_HALVINGS = 60


@dataclass(eq=False, repr=False)
class CredalModelAveragingClassifier(CredalClassifierMixin, CountingClassifier):
    r"""Credal model averaging of naive Bayes classifiers over all :math:`2^m` feature sets.

    Bayesian model averaging needs a prior over the feature sets. Here each feature is included with
    a probability t that is only known to lie in an interval, and class c' dominates c'' if its
    averaged probability is larger for every t in it. The sum over feature sets has a closed form,

    .. math::

        p(c, a) \propto \hat\theta_c \prod_i
        \bigl[t_i\, \hat\theta_{a_i | c} L^C_i + (1 - t_i)\, \hat\theta_{a_i} L^0_i\bigr],

    with :math:`L^C_i, L^0_i` the marginal likelihoods of feature i with and without the class as
    parent and :math:`\hat\theta` posterior means, under Dirichlet priors whose parameters spread a
    total of s evenly: s/K per class, :math:`s/(K|A_i|)` per value given the class,
    :math:`s/|A_i|` per value alone. If every feature has a t of its own, each factor of the ratio
    of two classes is monotone in it, so the smallest ratio is found at an end of the interval,
    feature by feature. If all share one t, it is found by exact one-dimensional minimisation.

    Parameters
    ----------
    s : float, default=1.0
        Total of the Dirichlet parameters.
    inclusion : tuple of two floats, default=(0.1, 0.9)
        Lower and upper prior probability that a feature is included, strictly between 0 and 1.
        Equal ends give Bayesian model averaging.
    prior : {"per-feature", "common"}, default="per-feature"
        Whether each feature has an inclusion probability of its own or all share one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    counts_ : CategoryCounts
        What was counted. Parameters take effect at prediction.
    n_features_in_, feature_names_in_
        Number of features, and their names if X was a frame.

    Notes
    -----
    Missing cells are skipped in training and test rows. A value never seen (nor declared) in
    training is read both as skipped and as a value of count zero, and a class must dominate under
    both readings.

    References
    ----------
    Corani & Zaffalon (2008), *Credal model averaging: an extension of Bayesian model averaging to
    imprecise probabilities*; Dash & Cooper (2004), *Model averaging for prediction with discrete
    Bayesian networks*; Zaffalon, Corani & Mauá (2012), section 9.2.

    Examples
    --------
    >>> from cautious.models import CredalModelAveragingClassifier
    >>> X = [["red", "round"], ["red", "round"], ["red", "long"], ["green", "long"],
    ...      ["green", "long"], ["green", "round"]]
    >>> y = ["apple", "apple", "apple", "bean", "bean", "bean"]
    >>> model = CredalModelAveragingClassifier().fit(X, y)
    >>> model.predict_set([["green", "long"], ["green", "round"]])
    array([[False,  True],
           [False,  True]])
    """

    s: float = parameter(1.0, POSITIVE)
    _: KW_ONLY
    inclusion: tuple[float, float] = parameter((0.1, 0.9), ListOf(SHARE))
    prior: Literal["per-feature", "common"] = parameter(
        "per-feature", OneOf("per-feature", "common")
    )

    def predict_proba(self, X: Any) -> Floats:
        """Average at the middle of the interval of inclusion probabilities."""
        codes = self._encode(X)
        evidence = ModelEvidence(self.counts_, self.s)
        factors = evidence.log_factors(sum(self.inclusion) / 2)
        log_joint = evidence.tables.sums(factors, evidence.tables.lines(codes))
        return probabilities(log_joint + evidence.log_class)

    def predict_set(self, X: Any) -> Mask:
        """Answer with the classes that no class dominates."""
        parts = [~dominated_by_infima(infima) for infima in self._infima(X, exact=False)]
        return np.concatenate(parts)

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities over the interval of inclusion probabilities.

        The bounds follow from the smallest ratios between pairs of classes: exact with two classes,
        possibly too wide with more, never too narrow. On small samples of seven data sets they
        were too wide by up to 0.09, on whole ones by up to 0.07, and mostly by nothing.

        Exact bounds would be hard to find. With a probability per feature they are met at ends of
        the intervals, but at which of the :math:`2^m` choices of ends is, already for three
        classes, a problem like dividing numbers into two parts of equal sum.
        """
        parts = [bounds_from_infima(infima) for infima in self._infima(X, exact=True)]
        lower, upper = map(np.concatenate, zip(*parts, strict=True))
        return lower, upper

    def _infima(self, X: Any, *, exact: bool) -> Iterator[Floats]:
        """Logarithms of the smallest ratios of all pairs of classes, some rows at a time."""
        codes = self._encode(X)
        K = len(self.classes_)
        evidence = ModelEvidence(self.counts_, self.s)
        worst = evidence.smallest_ratios(*self.inclusion)
        lines = evidence.tables.lines(codes)
        for rows in row_chunks(codes.shape[1], max(1, _RATIOS_AT_ONCE // K**2)):
            here = lines[:, rows]
            infima = evidence.tables.sums(worst.reshape(-1, K * K), here).reshape(-1, K, K)
            infima += evidence.log_class[:, None] - evidence.log_class
            if self.prior == "common":
                evidence.share_prior(infima, here, worst, *self.inclusion, exact=exact)
            yield infima

    def _check_parameters(self) -> None:
        if len(self.inclusion) != 2 or self.inclusion[0] > self.inclusion[1]:
            raise ValueError(
                f"inclusion is {shown(self.inclusion)}; give two probabilities strictly between 0 "
                "and 1, the lower first."
            )


class ModelEvidence:
    """Evidence of every feature, for Dirichlet parameters that spread a total of s evenly."""

    def __init__(self, counts: CategoryCounts, s: float) -> None:
        K = len(counts.classes)
        self.tables: ValueTables = ValueTables(counts.n_values)
        self.log_class: Floats = np.log(counts.class_counts + s / K)
        feature, totals = self.tables.feature, counts.totals
        share = s / np.maximum(counts.n_values, 1)
        likelihood = np.array(
            [
                (_log_marginal(table, a / K), _log_marginal(table.sum(axis=1, keepdims=True), a))
                for table, a in zip(counts.tables, share, strict=True)
            ]
        ).reshape(-1, 2)
        # Only the ratio of the two likelihoods matters, so the larger is brought to 1.
        likelihood -= likelihood.max(axis=1, keepdims=True)
        given = self.tables.stack(counts.tables, K)
        alone = given.sum(axis=1, keepdims=True)
        theta = (given + share[feature, None] / K) / (totals + s / K)[feature]
        theta_alone = (alone + share[feature, None]) / (totals.sum(axis=1) + s)[feature, None]
        self.included: Floats = np.log(theta) + likelihood[feature, :1]
        self.excluded: Floats = np.log(theta_alone) + likelihood[feature, 1:]

    def log_factors(self, t: float) -> Floats:
        """Logarithms of tA + (1 - t)B; unseen values and missing cells are skipped."""
        factors = self._factors(t)
        factors[self.tables.missing | self.tables.unseen] = 0.0
        return factors

    def _factors(self, t: float) -> Floats:
        return np.asarray(np.logaddexp(np.log(t) + self.included, np.log1p(-t) + self.excluded))

    def smallest_ratios(self, low: float, high: float) -> Floats:
        """Logarithms of each line's smallest factor of the ratio of two classes."""
        worst = np.minimum(*(_differences(self._factors(t)) for t in (low, high)))
        worst[self.tables.unseen] = np.minimum(worst[self.tables.unseen], 0.0)
        worst[self.tables.missing] = 0.0
        return worst

    def share_prior(
        self, infima: Floats, lines: Ints, worst: Floats, low: float, high: float, *, exact: bool
    ) -> None:
        """Raise smallest ratios, found with a t for each feature, to those with one t for all."""
        K = infima.shape[1]
        plain = ~(self.tables.missing | self.tables.unseen)
        scale = np.logaddexp(self.included, self.excluded)
        fixed = np.where(plain[:, None, None], _differences(scale), worst)
        share = np.where(plain[:, None], expit(self.included - self.excluded), 0.5)
        base = self.tables.sums(fixed.reshape(-1, K * K), lines).reshape(-1, K, K)
        base += self.log_class[:, None] - self.log_class
        wanted = np.broadcast_to(~np.eye(K, dtype=bool), infima.shape)
        if not exact:
            # What an end of the interval refutes needs no search, nor what dominates already.
            ends = (self.tables.sums(self.log_factors(t), lines) for t in (low, high))
            ceiling = np.minimum(*(_differences(end + self.log_class) for end in ends))
            wanted = wanted & (infima <= TIE) & (ceiling > TIE)
        rows, first, second = np.nonzero(wanted)
        for part in row_chunks(len(rows), max(1, _CELLS_AT_ONCE // max(1, len(lines)))):
            r, c1, c2 = rows[part], first[part], second[part]
            at = lines[:, r].T
            one, other = (share[at, c[:, None]] for c in (c1, c2))
            level = base[r, c1, c2]
            target = None if exact else TIE - level
            infima[r, c1, c2] = level + minimise_shared(one, other, low, high, target)


def _differences(table: Floats) -> Floats:
    """All differences between columns, shape (lines, K, K)."""
    return table[:, :, None] - table[:, None, :]


def _log_marginal(table: Floats, parameter: float) -> float:
    """Log marginal likelihood of the columns' counts under symmetric Dirichlet priors."""
    if not len(table):
        return 0.0
    total = len(table) * parameter
    whole = gammaln(total) - gammaln(table.sum(axis=0) + total)
    return float(whole.sum() + (gammaln(table + parameter) - gammaln(parameter)).sum())


def minimise_shared(
    first: Floats, second: Floats, low: float, high: float, target: Floats | None = None
) -> Floats:
    """Minimise r(t) over ``low <= t <= high`` for each pair of classes."""
    # Features that tell the classes apart by nothing must not loosen the bound on a piece.
    same = first == second
    first, second = np.where(same, 0.5, first), np.where(same, 0.5, second)
    ends = [_ratio(first, second, np.full(len(first), t))[0] for t in (low, high)]
    best = np.minimum(*ends)
    at = np.arange(len(first))
    center = np.full(len(first), (low + high) / 2)
    radius = (high - low) / 2
    for _ in range(_MAX_HALVINGS):
        if target is not None:
            open_ = best[at] > target[at]
            at, center = at[open_], center[open_]
        if not len(at):
            break
        value, floor = np.empty(len(at)), np.empty(len(at))
        for part in row_chunks(len(at), max(1, _CELLS_AT_ONCE // max(1, first.shape[1]))):
            one, other, t = first[at[part]], second[at[part]], center[part]
            value[part], slope, fall = _ratio(one, other, t, radius)
            floor[part] = value[part] - np.abs(slope) * radius - fall
        np.minimum.at(best, at, value)
        worth = floor < best[at] - _PRECISION
        if target is not None:
            worth &= floor <= target[at]
        at, center = at[worth], center[worth]
        radius /= 2
        at, center = np.tile(at, 2), np.concatenate([center - radius, center + radius])
    return best


def _ratio(
    first: Floats, second: Floats, t: Floats, radius: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Evaluate r and its derivative; bound how far r falls below its tangent within a radius."""
    up, down = 2 * first - 1, 2 * second - 1
    above, below = 1 - first + t[:, None] * up, 1 - second + t[:, None] * down
    bend = (up / (above - radius * np.abs(up))) ** 2 - (down / (below + radius * np.abs(down))) ** 2
    fall = np.maximum(bend.sum(axis=1), 0.0) * radius**2 / 2
    return np.log(above / below).sum(axis=1), (up / above - down / below).sum(axis=1), fall
