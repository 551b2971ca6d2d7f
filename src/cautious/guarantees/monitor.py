r"""An alarm that may be looked at after every case, for ever."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from cautious.guarantees.bounds import check_counts, check_share, risk_bound

__all__ = ["RiskMonitor"]


@dataclass
class RiskMonitor:
    r"""Watch whether the answers of a deployed rule stay within a promised risk.

    Feed it with counts as labels come in, as often as you like and look as often as you like: if
    the risk never exceeds `max_error`, the chance that it *ever* raises an alarm is at most
    1 − `confidence_level`. Monitors of several machines or days add up with ``+``.

    Parameters
    ----------
    max_error : float
        The risk that was promised, α.
    confidence_level : float, default=0.95
        One less the chance of a false alarm over all time.
    wrong, answered : int
        Counts so far.

    Notes
    -----
    The evidence against "the risk is at most α" after k wrong of m answers is

    .. math:: e = \frac{\int_\alpha^1 \theta^k (1-\theta)^{m-k}\, d\theta}
              {(1-\alpha)\,\alpha^k (1-\alpha)^{m-k}},

    a mixture of likelihood ratios. Its expectation never grows while the risk stays within the
    limit, so by Ville's inequality it reaches 1/δ with probability at most δ. It depends on the
    counts alone. The same monitor watches any share: of abstentions among cases, of a group's
    mistakes among its answers.

    Examples
    --------
    >>> monitor = RiskMonitor(max_error=0.05)
    >>> monitor.update(wrong=20, answered=100)
    >>> round(monitor.log_evidence, 4), monitor.alarm
    (11.7236, True)
    >>> both = RiskMonitor(0.05, wrong=1, answered=40) + RiskMonitor(0.05, wrong=4, answered=60)
    >>> round(both.log_evidence, 4), both.alarm
    (-3.3484, False)
    """

    max_error: float
    confidence_level: float = 0.95
    wrong: int = 0
    answered: int = 0

    def __post_init__(self) -> None:
        self.max_error = check_share(self.max_error, "max_error")
        self.confidence_level = check_share(self.confidence_level, "confidence_level")
        k, m = check_counts(self.wrong, self.answered)
        self.wrong, self.answered = int(k), int(m)

    def update(self, wrong: int, answered: int) -> None:
        """Add the counts of a batch.

        Parameters
        ----------
        wrong, answered : int
            Wrong answers in the batch, and all its answers whose truth is known.
        """
        k, m = check_counts(wrong, answered)
        self.wrong += int(k)
        self.answered += int(m)

    @property
    def log_evidence(self) -> float:
        """Natural logarithm of the evidence against "the risk is within the limit"."""
        return _log_evidence(self.wrong, self.answered, self.max_error)

    @property
    def threshold(self) -> float:
        """Logarithm of the evidence at which the alarm is raised, ln(1/δ)."""
        return -math.log1p(-self.confidence_level)

    @property
    def alarm(self) -> bool:
        """Whether the evidence so far reaches the threshold."""
        return self.log_evidence >= self.threshold

    @property
    def risk(self) -> float:
        """Share of the answers so far that were wrong; nan before the first."""
        return self.wrong / self.answered if self.answered else math.nan

    def __add__(self, other: RiskMonitor) -> RiskMonitor:
        if not isinstance(other, RiskMonitor):
            return NotImplemented
        mine, theirs = ((m.max_error, m.confidence_level) for m in (self, other))
        if mine != theirs:
            raise ValueError(
                f"one monitor watches {mine[0]} at level {mine[1]}, the other {theirs[0]} at level "
                f"{theirs[1]}; only monitors of the same promise add up."
            )
        return RiskMonitor(*mine, self.wrong + other.wrong, self.answered + other.answered)

    def __radd__(self, other: Any) -> RiskMonitor:
        return self if other == 0 else NotImplemented  # so that sum() works

    def to_dict(self) -> dict[str, float | int]:
        """Return what :meth:`from_dict` reads, ready for JSON."""
        return {
            "max_error": self.max_error,
            "confidence_level": self.confidence_level,
            "wrong": self.wrong,
            "answered": self.answered,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> RiskMonitor:
        """Go on from a saved state."""
        known = {"max_error", "confidence_level", "wrong", "answered"}
        if set(state) != known:
            raise ValueError(
                f"the state of a monitor has the entries {sorted(known)}, this one has "
                f"{sorted(map(str, state))[:8]}."
            )
        return cls(**state)

    def describe(self) -> str:
        """Say in one sentence what has been seen.

        Examples
        --------
        >>> RiskMonitor(0.05, wrong=20, answered=100).describe()
        'Alarm: 20 of 100 answers were wrong, and at most 5 % were promised.'
        """
        seen = f"{self.wrong:,} of {self.answered:,} answers were wrong"
        if self.alarm:
            return f"Alarm: {seen}, and at most {100 * self.max_error:g} % were promised."
        bound = float(risk_bound(self.wrong, self.answered, self.confidence_level))
        return (
            f"No alarm: {seen} (at most {100 * self.max_error:g} % were promised; the risk may be "
            f"as high as {100 * bound:.3g} %)."
        )


def _log_evidence(k: int, m: int, limit: float) -> float:
    a, b = k + 1, m - k + 1
    # ∫ over the upper tail of a beta density, divided by the likelihood at the limit.
    height = k * math.log(limit) + (m - k) * math.log1p(-limit) + math.log1p(-limit)
    tail = float(special.betaincc(a, b, limit))
    if tail > 1e-290:
        return math.log(tail) + float(special.betaln(a, b)) - height
    # Far fewer mistakes than promised: the tail underflows, but its ratio to the density does not.
    return math.log(_tail_ratio(a, b, limit) * limit)


def _tail_ratio(a: int, b: int, x: float) -> float:
    """Tail of a beta density beyond x over x^a (1 − x)^b B(a, b)⁻¹, by its continued fraction.

    Evaluated as Lentz does; it converges fast where x lies beyond the mean.
    """
    # I_{1−x}(b, a) = (1 − x)^b x^a / (b B) · 1/(1 + d₁/(1 + d₂/(1 + …)))
    p, q, y = b, a, 1 - x
    tiny = 1e-300
    c, d = 1.0, 1 - (p + q) * y / (p + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for i in range(1, 10_000):
        for step in (
            i * (q - i) * y / ((p + 2 * i - 1) * (p + 2 * i)),
            -(p + i) * (p + q + i) * y / ((p + 2 * i) * (p + 2 * i + 1)),
        ):
            d = 1 + step * d
            c = 1 + step / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            factor = c * d
            value *= factor
        if abs(factor - 1) < 1e-15:
            break
    return float(np.divide(value, p))
