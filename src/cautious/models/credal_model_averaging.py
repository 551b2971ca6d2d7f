"""Credal model averaging: naive Bayes over all feature sets, with an interval of priors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np

from cautious._typing import Floats, Mask
from cautious.credal import ProbabilityIntervals
from cautious.models.base import CredalClassifierMixin, row_chunks
from cautious.models.counting import CountingClassifier
from cautious.models.credal_dominance import bounds_from_infima, dominated_by_infima
from cautious.models.model_evidence import ModelEvidence
from cautious.models.value_tables import probabilities

__all__ = ["CredalModelAveragingClassifier"]

# Ratios of classes held at once.
_CELLS_AT_ONCE = 500_000


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
    total of s evenly: s/K a class, :math:`s/(K|A_i|)` a value given the class,
    :math:`s/|A_i|` a value alone. If every feature has a t of its own, each factor of the ratio of
    two classes is monotone in it, so the smallest ratio is found at an end of the interval, feature
    by feature. If all share one t, it is found by exact one-dimensional minimisation.

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

    def __init__(
        self,
        s: float = 1.0,
        *,
        inclusion: tuple[float, float] = (0.1, 0.9),
        prior: Literal["per-feature", "common"] = "per-feature",
    ) -> None:
        self.s = s
        self.inclusion = inclusion
        self.prior = prior

    def predict_proba(self, X: Any) -> Floats:
        """Average at the middle of the interval of inclusion probabilities.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify; missing cells and values never seen are skipped.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in ``classes_`` order.
        """
        codes = self._encode(X)
        evidence = ModelEvidence(self.counts_, self.s)
        factors = evidence.log_factors(sum(self.inclusion) / 2)
        log_joint = evidence.tables.sums(factors, evidence.tables.lines(codes))
        return probabilities(log_joint + evidence.log_class)

    def predict_set(self, X: Any) -> Mask:
        """Answer with the classes that no class dominates.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K), bool
            Columns in ``classes_`` order.
        """
        parts = [~dominated_by_infima(infima) for infima in self._infima(X, exact=False)]
        return np.concatenate(parts)

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities over the interval of inclusion probabilities.

        The bounds follow from the smallest ratios between pairs of classes: exact with two classes,
        possibly too wide with more.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        lower, upper : ndarray of shape (n, K)
        """
        parts = [bounds_from_infima(infima) for infima in self._infima(X, exact=True)]
        lower, upper = (np.concatenate(side) for side in zip(*parts, strict=True))
        intervals = ProbabilityIntervals(lower, upper).reachable()
        return np.array(intervals.lower), np.array(intervals.upper)

    def _infima(self, X: Any, *, exact: bool) -> Iterator[Floats]:
        """Logarithms of the smallest ratios of all pairs of classes, some rows at a time."""
        codes = self._encode(X)
        K = len(self.classes_)
        evidence = ModelEvidence(self.counts_, self.s)
        worst = evidence.smallest_ratios(*self.inclusion)
        lines = evidence.tables.lines(codes)
        for rows in row_chunks(codes.shape[1], max(1, _CELLS_AT_ONCE // K**2)):
            here = lines[:, rows]
            infima = evidence.tables.sums(worst.reshape(-1, K * K), here).reshape(-1, K, K)
            infima += evidence.log_class[:, None] - evidence.log_class
            if self.prior == "common":
                evidence.share_prior(infima, here, worst, *self.inclusion, exact=exact)
            yield infima

    def _check_parameters(self) -> None:
        if not (isinstance(self.s, Real) and 0 < self.s < np.inf):
            raise ValueError(f"s is {self.s!r}; the total of the parameters must be positive.")
        ends = self.inclusion if isinstance(self.inclusion, Sequence | np.ndarray) else ()
        if not (
            len(ends) == 2
            and all(isinstance(end, Real) for end in ends)
            and 0 < ends[0] <= ends[1] < 1
        ):
            raise ValueError(
                f"inclusion is {self.inclusion!r}; give two probabilities strictly between 0 and "
                "1, the lower first."
            )
        if self.prior not in ("per-feature", "common"):
            raise ValueError(f"prior is {self.prior!r}; choose 'per-feature' or 'common'.")
