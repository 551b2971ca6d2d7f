"""What the cases looked like that a rule was tuned on: bins of their scores, and a digest of them.

Without it nobody could tell later that the scores have changed, how many of the cases are positive
by now, and what the best window would be then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from cautious._checks import check_classes
from cautious._random import Interval
from cautious._typing import Floats, Ints
from cautious.decision import Rule
from cautious.errors import InputError, Message, quoted
from cautious.tuning import find_rule
from cautious.tuning._goal import BUDGETS

# Fewer new scores than this may all be unlikely ones.
_LEAST_SCORES = 5
# The interval is looked for among so many shares, then made exact.
_SHARES = 257
_NEAR = 1e-9
_GOALS = (*BUDGETS, "per")


@dataclass(frozen=True)
class Calibration:
    """Bins of the scores that a rule was tuned on.

    Attributes
    ----------
    edges : ndarray of shape (B - 1,)
        Scores at which bins end, the last one excepted; a score on an edge is below it. Of more
        than two classes these are confidences, the largest probability of each case.
    counts : ndarray of shape (B,), int
        Cases in each bin.
    positives : ndarray of shape (B,), int, or None
        Positive cases in each bin; None for more than two classes.
    hull : mapping or None
        Of two classes: lowest and highest score, negatives and positives of each bin of the convex
        hull, all that optimal windows depend on.
    goal : mapping
        The budget that the rule was tuned for, if it was one.
    """

    edges: Floats
    counts: Ints
    positives: Ints | None = None
    hull: Mapping[str, Sequence[float]] | None = None
    goal: Mapping[str, Any] | None = None

    @classmethod
    def of_rule(cls, rule: Rule) -> Calibration | None:
        """Read what a rule's file says; None if it says nothing."""
        data = rule.data or {}
        if "scores" not in data:
            return None
        try:
            return cls._read(data, rule)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(
                "{=rule} holds bins of scores that cannot be read ({why}); tune it again.",
                why=quoted(error, 80),
            ) from None

    @classmethod
    def _read(cls, data: Mapping[str, Any], rule: Rule) -> Calibration:
        scores, hull = data["scores"], data.get("hull")
        edges = np.array(scores["edges"], dtype=np.float64)
        counts = np.array(scores["counts"], dtype=np.int64)
        positives = scores.get("positives")
        if positives is not None:
            positives = np.array(positives, dtype=np.int64)
            if (
                positives.shape != counts.shape
                or (positives < 0).any()
                or (positives > counts).any()
            ):
                raise ValueError("positives do not fit the counts")
        if edges.ndim != 1 or counts.shape != (len(edges) + 1,):
            raise ValueError("there must be one edge between two bins")
        if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all() and (counts >= 0).all()):
            raise ValueError("edges must increase, and counts must not be negative")
        if hull is not None:
            columns = np.array([hull[key] for key in _HULL], dtype=np.float64)  # of one length
            if not np.isfinite(columns).all() or (columns[2:] < 0).any() or rule.n_classes != 2:
                raise ValueError("the hull is none")
        goal = {name: data["goal"][name] for name in _GOALS if name in data.get("goal", {})}
        return cls(edges, counts, positives, hull, goal)

    def bins_of(self, values: Floats) -> Ints:
        """Count the scores (or the rows of probabilities, by confidence) in each bin."""
        scores = values
        if values.ndim == 2:
            # Of two classes the second one's probability, of more the confidence.
            scores = values[:, 1] if values.shape[1] == 2 else values.max(axis=1, initial=0.0)
        known = scores[~np.isnan(scores)]
        place = np.searchsorted(self.edges, known, side="left")
        return np.bincount(place, minlength=len(self.counts))

    @property
    def watched(self) -> tuple[int, ...]:
        """Parameters of the Dirichlet distribution that the shares of the bins have, for a monitor.

        Empty if there is but one bin, which cannot change.
        """
        *first, last = self.counts.tolist()
        return (*first, last + 1) if first else ()

    def share_of_positives(
        self, new: Ints, truths: tuple[int, ...] = (), confidence_level: float = 0.95
    ) -> Interval:
        """Estimate the share of positives among new cases, with an interval."""
        unknown = Interval(math.nan, math.nan, math.nan, confidence_level, 0)
        if self.positives is None:
            return unknown
        n, (negatives, positives) = int(new.sum()), truths or (0, 0)
        old = self.positives, self.counts - self.positives
        if not n + negatives + positives or (n and not all(each.any() for each in old)):
            return unknown
        # Half a case in each bin keeps a bin without cases of one class possible.
        f1, f0 = ((each + 0.5) / (each.sum() + 0.5 * len(each)) for each in old)
        known = positives + negatives

        def score(shares: Floats) -> Floats:
            """Slope of the log-likelihood; it falls as the share grows."""
            pi = shares[:, None]
            lift = (f1 - f0) / (pi * f1 + (1 - pi) * f0)
            return np.asarray(lift @ new + positives / shares - negatives / (1 - shares))

        def excess(shares: Floats) -> Floats:
            """How far the squared score is above what the test allows; up to 0 is inside."""
            pi = shares[:, None]
            mixture = pi * f1 + (1 - pi) * f0
            lift = (f1 - f0) / mixture
            variance = n * (mixture * lift**2).sum(axis=1) + known / (shares * (1 - shares))
            for weight, f, seen in zip((pi, 1 - pi), (f1, f0), old, strict=True):
                spread = (f * lift**2).sum(axis=1) - (f * lift).sum(axis=1) ** 2
                variance += n**2 * weight[:, 0] ** 2 * spread / max(int(seen.sum()), 1)
            return np.asarray(score(shares) ** 2 - z**2 * variance)

        z = float(scipy.special.ndtri((1 + confidence_level) / 2))
        # Shares of 0 and 1 themselves have no score.
        grid = np.linspace(_NEAR, 1 - _NEAR, _SHARES)
        best = _root(score, *grid[[0, -1]]) if n else positives / known
        grid = np.unique(np.append(grid, np.clip(best, *grid[[0, -1]])))
        inside = np.flatnonzero(excess(grid) <= 0)
        first, last = (int(inside[0]), int(inside[-1])) if len(inside) else (0, len(grid) - 1)
        low = 0.0 if first == 0 else _root(excess, *grid[[first - 1, first]])
        high = 1.0 if last == len(grid) - 1 else _root(excess, *grid[[last, last + 1]])
        return Interval(best, low, high, confidence_level, 0)

    @property
    def tuned_share(self) -> float:
        """Share of positives among the cases that the rule was tuned on."""
        if self.positives is None:
            return math.nan
        return float(self.positives.sum() / self.counts.sum())

    def is_another_share(self, now: Interval) -> bool:
        """Tell whether a share differs from that of tuning: their intervals do not meet."""
        if self.positives is None or math.isnan(now.estimate):
            return False
        positives = int(self.positives.sum())
        truths = int(self.counts.sum()) - positives, positives
        then = self.share_of_positives(np.zeros_like(self.counts), truths, now.confidence_level)
        return now.high < then.low or then.high < now.low

    def retuned(self, rule: Rule, share: float) -> Rule | None:
        """Find the window for another share of positives; None if there is none."""
        goal = dict(self.goal or {})
        budget = any(name != "per" for name in goal)
        if self.hull is None or not 0 < share < 1 or (rule.costs is None and not budget):
            return None
        if rule.certificate is not None:  # with another share it would promise nothing
            return None
        low, high, negatives, positives = (np.array(self.hull[key], float) for key in _HULL)
        # Cases of a bin may be anywhere in it, so windows end between bins: bins stand in for
        # scores. What such a window counts is what it counts of the cases themselves.
        found = find_rule(
            np.repeat(check_classes(rule.classes), len(low)),
            y_score=np.tile(np.arange(len(low)), 2),
            sample_weight=np.concatenate([negatives, positives]),
            classes=rule.classes,
            costs=None if budget else rule.costs,
            priors=(1 - share, share),
            **goal,
        )
        gaps = np.concatenate([[-np.inf], (high[:-1] + low[1:]) / 2, [np.inf]])
        places = np.clip([found.rule.lower, found.rule.upper], -0.5, len(low) - 0.5)
        lower, upper = gaps[np.ceil(places).astype(int)].tolist()
        kept = {key: value for key, value in (rule.data or {}).items() if key != "priors"}
        kept |= {"priors": [1 - share, share]}
        about = {"costs": rule.costs, "model": rule.model, "data": kept}
        return Rule.of("window", rule.classes, lower=lower, upper=upper, **about)


_HULL = ("low", "high", "negatives", "positives")


def check_retunable(rule: Rule) -> None:
    """Refuse a rule that has no window for another share of positives."""
    if rule.graded:
        raise InputError(
            "rules for graded answers are not re-tuned; tune anew, on answers graded since."
        )
    if rule.certificate is not None:
        raise InputError(
            "the rule cannot be re-tuned: it carries a promise, and a promise does not hold for "
            "another share of positives; collect new cases with their truths, and tune on them "
            "with the same limits and {=confidence_level}."
        )
    known = Calibration.of_rule(rule)
    if known is None or known.retuned(rule, 0.5) is None:
        raise InputError(
            "there is no window to re-tune; the rule must be a window that `cautious tune -o` "
            "wrote, for costs or a budget."
        )


def scale_notes(rule: Rule, name: str, least: float, most: float, n: int) -> Iterator[Message]:
    """Note that scores do not lie where those lay that a rule of two classes was tuned on."""
    if n < 1 or rule.n_classes != 2 or not least <= most:
        return
    seen = _tuned_range(rule)
    ends = [end for end in (rule.lower, rule.upper) if end is not None and math.isfinite(end)]
    if seen is None and not ends:
        return
    low, high = seen if seen is not None else (min(ends), max(ends))
    smaller = n >= _LEAST_SCORES and _is_share(least, most) and not _is_share(low, high)
    larger = _is_share(low, high) and not _is_share(least, most)
    if seen is None:  # thresholds of margins may lie between 0 and 1 by themselves
        odd, where = smaller or (larger and least >= 0), "but the rule's thresholds are"
    else:
        apart = n >= _LEAST_SCORES and (most < low or least > high)
        odd, where = smaller or larger or apart, "but those that the rule was tuned on lay between"
    if odd:
        facts = {"least": f"{least:.4g}", "most": f"{most:.4g}", "where": where}
        facts |= {"low": f"{low:.4g}", "high": f"{high:.4g}"}
        about = {"name": quoted(name, 60)} if name else {}
        yield Message(
            ("{name}: " if name else "") + "the scores lie between {least} and {most}, {where} "
            "{low} and {high}. Are they on the same scale?",
            about | facts,
        )


def _is_share(low: float, high: float) -> bool:
    return low >= 0 and high <= 1


def _tuned_range(rule: Rule) -> tuple[float, float] | None:
    """Find the lowest and the highest score of tuning; None if the rule does not hold them."""
    hull: Any = (rule.data or {}).get("hull")
    try:
        low, high = float(np.min(hull["low"])), float(np.max(hull["high"]))
    except (KeyError, TypeError, ValueError):  # a hull that cannot be read is refused elsewhere
        return None
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _root(function: Callable[[Floats], Floats], low: float, high: float) -> float:
    """Find where a function changes its sign; 0 or 1 if it does so beyond the ends."""

    def at(share: float) -> float:
        return float(function(np.array([share]))[0])

    if at(low) * at(high) > 0:
        return 0.0 if at(high) < 0 else 1.0
    return float(scipy.optimize.brentq(at, low, high))
