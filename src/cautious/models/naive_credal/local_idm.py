r"""The naive credal classifier over local imprecise Dirichlet models.

Each class's every feature has an IDM of its own, of strength s, and so have the classes:

.. math::

    \underline p(a_i | c) = \frac{n(a_i, c)}{\tilde n_i(c) + s}, \quad
    \overline p(a_i | c) = \frac{n(a_i, c) + s}{\tilde n_i(c) + s}, \quad
    p(c) = \frac{n(c) + s\,t(c)}{N + s}, \quad \textstyle\sum_c t(c) = 1

(Yang, Destercke & Masson 2017, eqs 19 and 20). With L and U the products of the lower and of the
upper conditional probabilities, the posterior of c is least when all of s goes to the class with
the largest U among the others, and greatest when it goes to c itself (eqs 23 and 24; the extreme
points need no enumeration):

.. math::

    \underline p(c | a) =
    \frac{n(c) L_c}{n(c) L_c + \sum_{k \ne c} n(k) U_k + s \max_{k \ne c} U_k}, \quad
    \overline p(c | a) = \frac{(n(c) + s) U_c}{(n(c) + s) U_c + \sum_{k \ne c} n(k) L_k}.

Fixing a share :math:`\varepsilon` of each prior to the uniform one gives pseudo-counts and leaves
:math:`(1 - \varepsilon)s` to ignorance.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from cautious._typing import Floats, Ints
from cautious.models.base import row_chunks
from cautious.models.naive_credal.counts import CategoryCounts, ValueTables

__all__ = ["LocalIDM"]


class LocalIDM:
    """Counts read through local IDMs.

    Parameters
    ----------
    counts : CategoryCounts
        What was counted.
    s : float
        Strength of each prior.
    epsilon : float
        Share of each prior fixed to the uniform one.
    conservative : bool
        Whether a missing cell may hide any value instead of being skipped.
    """

    def __init__(
        self, counts: CategoryCounts, s: float, epsilon: float = 0.0, conservative: bool = False
    ) -> None:
        K = len(counts.classes)
        self.s = (1 - epsilon) * s
        self.class_counts = counts.class_counts + epsilon * s / K
        self.tables = ValueTables(counts.n_values)
        feature = self.tables.feature
        totals = counts.totals
        hidden = counts.class_counts - totals if conservative else np.zeros_like(totals)
        share = epsilon * s / np.maximum(counts.n_values, 1)[feature, None]
        least = self.tables.stack(counts.tables, K) + share
        room = (totals + hidden + s)[feature]
        with np.errstate(divide="ignore"):
            lower = np.log(least / room)
            upper = np.log((least + hidden[feature] + self.s) / room)
        lower[self.tables.missing] = upper[self.tables.missing] = 0.0
        if conservative:
            self._let_missing_be_anything(lower, upper)
        self.table = np.hstack([lower, upper])

    def _let_missing_be_anything(self, lower: Floats, upper: Floats) -> None:
        """Give a missing test cell the least lower and greatest upper of its feature's values."""
        for first, n_values in zip(self.tables.first, self.tables.n_values, strict=True):
            if n_values:
                values = slice(first, first + n_values)
                lower[first + n_values + 1] = lower[values].min(axis=0)
                upper[first + n_values + 1] = upper[values].max(axis=0)

    def predict_proba_bounds(self, codes: Ints) -> tuple[Floats, Floats]:
        """Bound the posterior of each class for rows given as codes, shape (m, n)."""
        lines = self.tables.lines(codes)
        n, K = lines.shape[1], len(self.class_counts)
        lower, upper = np.ones((n, K)), np.ones((n, K))
        if K == 1:
            return lower, upper
        for rows in row_chunks(n):
            log_low, log_high = np.split(self.tables.sums(self.table, lines[:, rows]), 2, axis=1)
            lower[rows], upper[rows] = self._posterior(log_low, log_high)
        return lower, upper

    def _posterior(self, log_low: Floats, log_high: Floats) -> tuple[Floats, Floats]:
        # All in logarithms: with many features the likelihoods of any two classes, and the lower
        # and upper one of a single class, differ by more than a float can hold.
        with np.errstate(divide="ignore"):
            log_n, log_s = np.log(self.class_counts), np.log(self.s)
        own, others_most = log_n + log_low, _log_sum_of_others(log_n + log_high)
        rest = np.logaddexp(others_most, log_s + _max_of_others(log_high))
        most, others_own = np.log(self.class_counts + self.s) + log_high, _log_sum_of_others(own)
        return expit(own - rest), expit(most - others_own)


def _log_sum_of_others(logs: Floats) -> Floats:
    """Log of the sum of each row without the class at hand (subtracting it would cancel)."""
    before, after = np.full_like(logs, -np.inf), np.full_like(logs, -np.inf)
    np.logaddexp.accumulate(logs[:, :-1], axis=1, out=before[:, 1:])
    np.logaddexp.accumulate(logs[:, :0:-1], axis=1, out=after[:, -2::-1])
    return np.asarray(np.logaddexp(before, after))


def _max_of_others(values: Floats) -> Floats:
    """Largest of each row without the class at hand."""
    runner_up, top = np.partition(values, -2, axis=1)[:, -2:].T
    best = values.argmax(axis=1)[:, None]
    others = np.where(np.arange(values.shape[1]) == best, runner_up[:, None], top[:, None])
    return np.asarray(others)
