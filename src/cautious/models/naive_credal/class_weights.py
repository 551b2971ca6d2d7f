r"""Least and greatest weight of a class, as functions of its share of the prior.

With the share x of the prior they are :math:`f(x) = (n + x) \prod_i n(a_i)/(\tilde n_i + x)` and
:math:`g(x) = (n + x) \prod_i (n(a_i) + x)/(\tilde n_i + x)`, where :math:`\tilde n_i` counts the
class over rows in which feature i is observed. All in logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Mask

__all__ = ["Weights", "chord_peak"]


@dataclass(frozen=True)
class Weights:
    r"""The weights :math:`f` and :math:`g` of classes as functions of their share of the prior.

    Attributes
    ----------
    size : ndarray of shape (p,)
        :math:`n(c)`.
    totals, most : ndarray of shape (p, m)
        :math:`\tilde n_i(c)` and the greatest :math:`n(a_i, c)`; both 1 where the feature does not
        take part or was never seen with the class, so that its factor of g is 1.
    observed : ndarray of shape (p, m)
        1.0 where the feature takes part.
    log_least : ndarray of shape (p,)
        Logarithm of the product of the least :math:`n(a_i, c)`; ``-inf`` where one is zero.
    """

    size: Floats
    totals: Floats
    most: Floats
    observed: Floats
    log_least: Floats

    @classmethod
    def of(
        cls, class_counts: Floats, totals: Floats, least: Floats, most: Floats, observed: Mask
    ) -> Weights:
        """Lay out the classes of all rows one after the other."""
        n, m, K = totals.shape
        seen = np.repeat(observed, K, axis=0)
        totals, least, most = (
            np.moveaxis(table, 1, 2).reshape(n * K, m) for table in (totals, least, most)
        )
        idle = ~seen | (totals == 0)
        with np.errstate(divide="ignore"):
            log_least = np.log(np.where(seen, least, 1.0)).sum(axis=1)
        return cls(
            class_counts.reshape(n * K),
            np.where(idle, 1.0, totals),
            np.where(idle, 1.0, most),
            seen.astype(np.float64),
            log_least,
        )

    def __getitem__(self, at: Ints) -> Weights:
        return Weights(*(getattr(self, name)[at] for name in self.__dataclass_fields__))

    def log_f(self, x: Floats) -> Floats:
        """Logarithm of the least weight."""
        falls = (self.observed * np.log(self.totals + x[:, None])).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.size + x) + (self.log_least - falls))

    def log_g(self, x: Floats) -> Floats:
        """Logarithm of the greatest weight."""
        with np.errstate(divide="ignore"):
            grows = np.log((self.most + x[:, None]) / (self.totals + x[:, None])).sum(axis=1)
            return np.asarray(np.log(self.size + x) + grows)

    def fall(self, x: Floats) -> tuple[Floats, Floats]:
        """First derivative of -log f, and its own derivative."""
        share, own = 1 / (self.totals + x[:, None]), 1 / (self.size + x)
        slope = (self.observed * share).sum(axis=1) - own
        return slope, own**2 - (self.observed * share**2).sum(axis=1)

    def rise(self, x: Floats) -> tuple[Floats, Floats]:
        """First and second derivative of log g."""
        with np.errstate(divide="ignore", invalid="ignore"):
            high, low = 1 / (self.most + x[:, None]), 1 / (self.totals + x[:, None])
            own = 1 / (self.size + x)
            slope = own + (high - low).sum(axis=1)
            return slope, (low**2 - high**2).sum(axis=1) - own**2

    def convex(self, low: Floats | float, high: Floats | float) -> Mask:
        """Whether g is convex between two shares for sure."""
        return np.asarray(~(self._bend(high, low) < 0).any(axis=1))

    def concave(self, low: Floats | float, high: Floats | float) -> Mask:
        """Whether g is concave between two shares for sure."""
        return np.asarray(~(self._bend(low, high) > 0).any(axis=1))

    def _bend(self, first: Floats | float, second: Floats | float) -> Floats:
        """Second derivative of g, feature by feature: a part at one share less one at another."""
        x, y = (np.broadcast_to(end, self.size.shape)[:, None] for end in (first, second))
        size, hidden = self.size[:, None], self.observed * (self.size[:, None] - self.totals)
        with np.errstate(divide="ignore", invalid="ignore"):
            q = 1 / (self.most + x) - 1 / (self.totals + x)
            others = q.sum(axis=1, keepdims=True) - q
            others[np.isnan(others)] = np.inf  # two values never seen
            bend = others * (self.totals + y) * (size + y) - 2 * hidden
        return np.where(self.most < self.totals, bend, 0.0)

    def steepest(self, low: Floats, high: Floats, log_unit: Floats) -> Floats:
        r"""Bound the slope of g between two shares from above, in given units of weight.

        .. math::

            g' = \prod_j r_j + \sum_i \frac{n + x}{\tilde n_i + x} \Bigl(
            \prod_{j \ne i} r_j - \prod_j r_j\Bigr), \qquad
            r_j = \frac{n_j + x}{\tilde n_j + x}.

        Each :math:`r_j` grows and the fraction falls, so their ends bound them.
        """
        telling = self.most < self.totals
        size, totals, a, b = self.size[:, None], self.totals, low[:, None], high[:, None]
        ratio = (self.most + b) / (totals + b)
        with np.errstate(divide="ignore"):
            least = np.exp(np.log((self.most + a) / (totals + a)).sum(axis=1) - log_unit)
        most = np.exp(np.log(ratio).sum(axis=1) - log_unit)
        up = most[:, None] / ratio * (size + a) / (totals + a)
        down = least[:, None] * (size + b) / (totals + b)
        return np.asarray(most + np.where(telling, up - down, 0.0).sum(axis=1))


def chord_peak(
    own: Weights, level: Floats, rise: Floats, left: Floats, right: Floats, s: float
) -> tuple[Floats, Floats]:
    """Maximise log(level + rise (y - left)) - log f(s - y), which is concave in y.

    Returns
    -------
    y, promise : ndarray of shape (p,)
        Near the peak, and what it cannot exceed, by the tangent there.
    """

    def slopes(y: Floats) -> tuple[Floats, Floats]:
        growth = rise / (level + rise * (y - left))
        fall, change = own.fall(s - y)
        return growth - fall, change - growth**2

    first, last = slopes(left)[0], slopes(right)[0]
    share = np.nan_to_num(first / (first - last), nan=0.5)
    y = left + share * (right - left)
    y = np.where(last >= 0, right, np.where(first <= 0, left, y))
    for _ in range(5):
        slope, curvature = slopes(y)
        step = y - slope / curvature
        inner = np.where(
            step <= left, (left + y) / 2, np.where(step >= right, (right + y) / 2, step)
        )
        y = np.where((last >= 0) | (first <= 0), y, inner)
    slope = slopes(y)[0]
    peak = np.log(level + rise * (y - left)) - own.log_f(s - y)
    return y, peak + np.maximum(slope * (right - y), slope * (left - y))
