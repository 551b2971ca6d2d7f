r"""What the data say for and against each feature: the closed form of averaging naive Bayes models.

Averaging over all :math:`2^m` feature sets, each feature included with probability :math:`t_i`,
gives a product (Dash & Cooper 2004)

.. math::

    p(c, a) \propto \hat\theta_c \prod_i [t_i A_i(a_i, c) + (1 - t_i) B_i(a_i)], \quad
    A_i = \hat\theta_{a_i | c} L^C_i, \quad B_i = \hat\theta_{a_i} L^0_i.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln

from cautious._typing import Floats, Ints
from cautious.models.base import row_chunks
from cautious.models.category_counts import CategoryCounts
from cautious.models.credal_dominance import TIE
from cautious.models.inclusion_prior import minimise_shared
from cautious.models.value_tables import ValueTables

__all__ = ["ModelEvidence"]

# (pair, feature) cells minimised at once.
_CELLS_AT_ONCE = 400_000


class ModelEvidence:
    """Evidence of every feature, for Dirichlet parameters that spread a total of s evenly.

    Parameters
    ----------
    counts : CategoryCounts
        What was counted.
    s : float
        Total of the Dirichlet parameters.

    Attributes
    ----------
    tables : ValueTables
        The layout of the tables.
    included, excluded : ndarray of shape (lines, K) and (lines, 1)
        Logarithms of A and B, up to a constant of each feature.
    log_class : ndarray of shape (K,)
        Logarithms of the class probabilities, up to a constant.
    """

    def __init__(self, counts: CategoryCounts, s: float) -> None:
        K = len(counts.classes)
        self.tables = ValueTables(counts.n_values)
        self.log_class = np.log(counts.class_counts + s / K)
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
        self.included = np.log(theta) + likelihood[feature, :1]
        self.excluded = np.log(theta_alone) + likelihood[feature, 1:]

    def log_factors(self, t: float) -> Floats:
        """Logarithms of tA + (1 - t)B; unseen values and missing cells are skipped."""
        factors = self._factors(t)
        factors[self.tables.missing | self.tables.unseen] = 0.0
        return factors

    def _factors(self, t: float) -> Floats:
        factors = np.logaddexp(np.log(t) + self.included, np.log1p(-t) + self.excluded)
        return np.asarray(factors)

    def smallest_ratios(self, low: float, high: float) -> Floats:
        """Logarithms of each line's smallest factor of the ratio of two classes.

        Each factor is monotone in t, so it is smallest at an end. An unseen value may also be
        skipped, whichever is worse; a missing cell is.

        Returns
        -------
        ndarray of shape (lines, K, K)
        """
        worst = np.minimum(*(_differences(self._factors(t)) for t in (low, high)))
        worst[self.tables.unseen] = np.minimum(worst[self.tables.unseen], 0.0)
        worst[self.tables.missing] = 0.0
        return worst

    def share_prior(
        self, infima: Floats, lines: Ints, worst: Floats, low: float, high: float, *, exact: bool
    ) -> None:
        """Raise smallest ratios, found with a t for each feature, to those with one t for all.

        Parameters
        ----------
        infima : ndarray of shape (n, K, K)
            Changed in place. Pairs that dominate already are left alone unless ``exact``.
        lines : ndarray of shape (m, n)
            Lines of the rows' values.
        worst : ndarray of shape (lines, K, K)
            As from :meth:`smallest_ratios`. Unseen values keep a t of their own.
        low, high : float
            The interval of t.
        exact : bool
            Whether the values are wanted or only which of them exceed 1.
        """
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
            level = base[r, c1, c2]
            moved = minimise_shared(
                share[at, c1[:, None]],
                share[at, c2[:, None]],
                low,
                high,
                target=None if exact else TIE - level,
            )
            infima[r, c1, c2] = level + moved


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
