r"""An alarm that may be looked at after every case, for ever."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy

from cautious._checks import check_share, check_wrong_of
from cautious._typing import Floats, as_floats
from cautious.errors import shown
from cautious.guarantees.bounds import risk_bound


class _Monitor:
    """Evidence against a promise, which may be looked at as often as one likes."""

    confidence_level: float
    _counts: ClassVar[tuple[str, ...]]

    @property
    def log_evidence(self) -> float:
        """Natural logarithm of the evidence."""
        raise NotImplementedError

    def update(self, *counts: Any) -> None:
        """Add the counts of a batch."""
        raise NotImplementedError

    @property
    def threshold(self) -> float:
        """Logarithm of the evidence at which the alarm is raised, ln(1/δ)."""
        return -math.log1p(-self.confidence_level)

    @property
    def alarm(self) -> bool:
        """Whether the evidence so far reaches the threshold."""
        return self.log_evidence >= self.threshold

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        mine, theirs = (
            {name: value for name, value in vars(one).items() if name not in self._counts}
            for one in (self, other)
        )
        if mine != theirs:
            raise ValueError(
                f"one monitor has {shown(mine)}, the other {shown(theirs)}; only monitors of the "
                "same promise add up."
            )
        both = copy(self)
        both.update(*(getattr(other, name) for name in self._counts))
        return both

    def __radd__(self, other: Any) -> Self:
        return self if other == 0 else NotImplemented  # so that sum() works


@dataclass
class RiskMonitor(_Monitor):
    r"""Watch whether the answers of a deployed rule stay within a promised risk.

    Feed it with counts as labels come in, as often as you like and look as often as you like: if
    the risk never exceeds `max_error`, the chance that it *ever* raises an alarm is at most
    1 − `confidence_level`. Monitors of several machines or days add up with ``+``.

    Parameters
    ----------
    max_error : float
        The risk that was promised, α.
    confidence_level : float, default=0.95
        1 minus the chance of a false alarm, over all time.
    wrong, answered : int
        Counts so far.
    near : bool, default=False
        Whether to look most at risks up to a few times the limit, so that most alarms come sooner.

    Notes
    -----
    The evidence against "the risk is at most α" after k wrong of m answers is

    .. math:: e = \frac{\int_\alpha^1 b\, \theta^k (1-\theta)^{m-k+b-1}\, d\theta}
              {(1-\alpha)^b\,\alpha^k (1-\alpha)^{m-k}},

    a mixture of likelihood ratios: evenly over all larger risks (b = 1), or with `near` by
    b = 1/(2 α), if that is more. Its expectation never grows while the risk stays within the
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
    near: bool = False
    _counts = ("wrong", "answered")

    def __post_init__(self) -> None:
        self.max_error = check_share(self.max_error, "max_error")
        self.confidence_level = check_share(self.confidence_level, "confidence_level")
        k, m = check_wrong_of(self.wrong, self.answered)
        self.wrong, self.answered = int(k), int(m)

    def update(self, wrong: int, answered: int) -> None:
        """Add the counts of a batch: its wrong answers, and all whose truth is known."""
        k, m = check_wrong_of(wrong, answered)
        self.wrong += int(k)
        self.answered += int(m)

    @property
    def log_evidence(self) -> float:
        """Natural logarithm of the evidence against "the risk is within the limit"."""
        steepness = max(1.0, 0.5 / max(self.max_error, _LEAST_LIMIT)) if self.near else 1.0
        limit, k, m = self.max_error, self.wrong, self.answered
        a, b = k + 1, m - k + steepness
        # ∫ over the upper tail of a beta density, divided by the likelihood at the limit.
        height = k * math.log(limit) + b * math.log1p(-limit) - math.log(steepness)
        tail = float(scipy.special.betaincc(a, b, limit))
        if tail > 1e-290:
            return math.log(tail) + float(scipy.special.betaln(a, b)) - height
        # Far fewer mistakes than promised: the tail underflows. It is a sum of binomial
        # probabilities, which fall quickly from the first one on.
        odds = (1 - limit) / limit
        first = k / (b + 1) * odds
        enough = 1 + int(-40 / math.log(first or 0.5)) if first < 1 else _MOST_TERMS
        fewer = np.arange(k, max(k - min(_MOST_TERMS, enough), 0), -1.0)
        ratios = fewer / (a + b - fewer) * odds
        return math.log((1 + float(np.cumprod(ratios).sum())) * steepness / b)

    @property
    def risk(self) -> float:
        """Share of the answers so far that were wrong; nan before the first."""
        return self.wrong / self.answered if self.answered else math.nan

    def to_dict(self) -> dict[str, float | int]:
        """Return what :meth:`from_dict` reads, ready for JSON.

        Examples
        --------
        >>> RiskMonitor(0.05, wrong=1, answered=40).to_dict()
        {'max_error': 0.05, 'confidence_level': 0.95, 'wrong': 1, 'answered': 40, 'near': False}
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> RiskMonitor:
        """Go on from a saved state.

        Examples
        --------
        >>> RiskMonitor.from_dict(RiskMonitor(0.05, wrong=1, answered=40).to_dict()).answered
        40
        """
        entries = {*cls.__dataclass_fields__}
        if {*state, "near"} != entries:  # earlier versions did not write it
            raise ValueError(
                f"the state of a monitor has the entries {sorted(entries)}, this one has "
                f"{shown(sorted(map(str, state)))}."
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


@dataclass
class DriftMonitor(_Monitor):
    r"""Watch whether new scores are distributed as those of the calibration cases, without labels.

    Scores are counted in bins whose edges are scores of calibration cases. If all scores are drawn
    independently from one continuous distribution, whatever it is, the chance that the monitor
    *ever* raises an alarm is at most 1 − `confidence_level`, over the draw of both. Monitors of
    several machines or days add up with ``+``.

    Parameters
    ----------
    expected : sequence of int
        Calibration cases in each bin, an edge being in the bin below it; one more in the last bin.
    counts : sequence of int, optional
        New cases in each bin so far.
    confidence_level : float, default=0.95
        1 minus the chance of a false alarm, over all time.

    Notes
    -----
    The masses between order statistics of a sample follow a Dirichlet distribution with the
    parameters `expected`, so new counts n have the probability :math:`D(n; r)` of the
    Dirichlet-multinomial distribution. The evidence is the ratio of a mixture of such probabilities
    with other parameters, more spread out, to it. Under no change it is a martingale, so by Ville's
    inequality it reaches 1/δ with probability at most δ. With few different scores, edges are ties
    and the statement holds approximately.

    Examples
    --------
    >>> monitor = DriftMonitor(expected=[25, 25, 25, 26])
    >>> monitor.update([20, 30, 25, 25])
    >>> monitor.alarm
    False
    >>> monitor.update([0, 0, 20, 180])
    >>> monitor.alarm
    True
    """

    expected: Sequence[int]
    counts: Sequence[int] | None = None
    confidence_level: float = 0.95
    _counts = ("counts",)

    def __post_init__(self) -> None:
        self.expected = _whole_counts(self.expected, "expected")
        if len(self.expected) < 2 or min(self.expected) < 1:
            raise ValueError(
                f"expected is {list(self.expected)[:8]}; give at least two bins, each with a case."
            )
        given = (0,) * len(self.expected) if self.counts is None else self.counts
        self.counts = self._fitting(given)
        self.confidence_level = check_share(self.confidence_level, "confidence_level")

    def _fitting(self, counts: Sequence[int]) -> tuple[int, ...]:
        given = _whole_counts(counts, "counts")
        if len(given) != len(self.expected):
            raise ValueError(f"counts has {len(given)} bins; {len(self.expected)} are expected.")
        return given

    def update(self, counts: Sequence[int]) -> None:
        """Add the counts of a batch, the new cases in each bin."""
        self.counts = tuple(map(sum, zip(self.counts or (), self._fitting(counts), strict=True)))

    @property
    def n(self) -> int:
        """The number of new cases."""
        return sum(self.counts or ())

    @property
    def log_evidence(self) -> float:
        """Natural logarithm of the evidence against "nothing has changed"."""
        seen, given = np.array(self.counts), np.array(self.expected, float)
        total = given.sum()
        share, least = given / total, min(len(given) / 2, total / 2)
        # Concentrations from that of a flat guess to nearly that of the calibration cases.
        spread = np.geomspace(least, total / 2, _CONCENTRATIONS)
        lgamma, total_seen = scipy.special.gammaln, seen.sum()

        def log_chance(shape: Floats) -> Floats:  # but for a factor that does not depend on it
            each = (lgamma(shape + seen) - lgamma(shape)).sum(axis=-1)
            whole = shape.sum(axis=-1)
            return np.asarray(each + lgamma(whole) - lgamma(whole + total_seen))

        others = np.logaddexp.reduce(log_chance(spread[:, None] * share))
        return float(others - math.log(_CONCENTRATIONS) - log_chance(given))

    def describe(self) -> str:
        """Say in one sentence what has been seen.

        Examples
        --------
        >>> DriftMonitor([50, 51], [90, 10]).describe()
        'Alarm: the scores of 100 new cases are distributed otherwise than those of calibration.'
        """
        if self.alarm:
            return (
                f"Alarm: the scores of {self.n:,} new cases are distributed otherwise than those "
                "of calibration."
            )
        return f"No alarm: the scores of {self.n:,} new cases look like those of calibration."


_CONCENTRATIONS = 8
_LEAST_LIMIT = 1e-9
_MOST_TERMS = 1_000_000


def _whole_counts(values: Sequence[int], name: str) -> tuple[int, ...]:
    given = as_floats(values, name, "numbers of cases")
    if given.ndim != 1 or not np.all((given >= 0) & (given == np.rint(given)) & (given < 2**53)):
        raise ValueError(f"{name} is {shown(values)}; give a whole number of cases for each bin.")
    return tuple(int(each) for each in given)
