r"""Scores read back from their counts, where each may be known only to lie in a cell.

A cell holds cases of one kind, and is as wide as a grid makes it; exact scores are cells of no
width. What depends on where in its cell a score lies is given at worst and at best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.curves import Staircase
from cautious.decision import Rule
from cautious.decision._rule_json import score_bins
from cautious.errors import shown
from cautious.logs.tallies.scores import Kind, ScoreTally
from cautious.logs.tallies.sums import floats
from cautious.metrics import RiskCoverageCurve, SetCounts

__all__ = ["ScoreCells"]


class LogStaircase(Staircase):
    """Staircase of scores of a log, which may be known to lie in cells only."""

    _bins: Mapping[str, list[float]] | None = None
    _column: str | None = None
    _model: str | None = None
    _cell_width: float = 0.0

    @classmethod
    def of_log(cls, stairs: Staircase, **known: Any) -> LogStaircase:
        """Take the `column`, the `model`, the `cell_width`, and `bins` that end where cells do."""
        found = cls.of_counts(stairs.scores, stairs.positives, stairs.negatives, stairs.classes)
        for name, value in known.items():
            object.__setattr__(found, f"_{name}", value)
        return found

    def __repr__(self) -> str:
        return super().__repr__().removeprefix("Log")

    @property
    def column(self) -> str | None:
        """Column that the scores are from."""
        return self._column

    @property
    def model(self) -> str | None:
        """Model that gave the scores, where the log names several."""
        return self._model

    @property
    def cell_width(self) -> float:
        """How wide the cells are that scores are known by; 0 where scores are exact."""
        return self._cell_width

    def score_bins(self) -> dict[str, list[float]]:
        """Give the bins that end where cells end; those of the scores it holds would not."""
        return super().score_bins() if self._bins is None else dict(self._bins)


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Cells of scores, and the cases in each.

    Attributes
    ----------
    low, high : ndarray of shape (m,)
        The least and the greatest score that may be in each cell.
    weight : ndarray of shape (m,)
        How many cases are in it.
    truth : ndarray of shape (m,), int
        Position of their true class among the classes: of two, 1 is the positive one.
    apart : ndarray of shape (m,), bool
        Whether they are kept apart; see :class:`~cautious.logs.tallies.scores.Kind`.
    classes : ndarray of shape (K,)
        Class labels.
    width : float
        How wide the cells are; 0 where scores are exact.
    """

    low: Floats
    high: Floats
    weight: Floats
    truth: Ints
    apart: Mask
    classes: Labels
    width: float

    @classmethod
    def of(
        cls,
        tally: ScoreTally,
        classes: Labels,
        code_of: Callable[[Kind], int],
        model: Any = None,
        group: Any = None,
    ) -> ScoreCells:
        """Take the cells of a model and a group, or of all; `code_of` finds a kind's class."""
        settled = tally.settled()
        kinds, places, weights = [], [np.empty(0)], [np.empty(0)]
        for kind, values, counts in settled.canonical():
            if model in (None, kind.model) and group in (None, kind.group):
                kinds.append(kind)
                places.append(values)
                weights.append(floats(counts))
        low = high = values = np.concatenate(places)
        if settled.exponent is not None:
            low = values * 2.0**settled.exponent
            high = np.nextafter((values + 1) * 2.0**settled.exponent, -np.inf)
            # Far from zero a cell may hold a single float; infinity is a cell of its own.
            high = np.where(np.isfinite(values), np.maximum(low, high), values)
            if len(low) and low.min() >= 0 and low.max() <= 1:
                # Scores from 0 to 1 are probabilities, and none lies beyond 1.
                high = np.minimum(high, 1.0)
        sizes = [len(weight) for weight in weights[1:]]
        truth = np.repeat(np.array([code_of(kind) for kind in kinds], dtype=np.intp), sizes)
        apart = np.repeat(np.array([kind.apart for kind in kinds], dtype=np.bool_), sizes)
        width = 0.0 if settled.exponent is None else 2.0**settled.exponent
        return cls(low, high, np.concatenate(weights), truth, apart, classes, width)

    # Two classes: cases apart have no score.

    def staircase(self, within: str, **told: str | None) -> Staircase:
        """Count both classes at the scores that cases have at worst or at best."""
        low, high, weight, truth = self._scored()
        positive = truth == 1
        stairs = Staircase.from_counts(
            np.where(positive == _is_worst(within), low, high),
            weight * positive,
            weight * ~positive,
            tuple(self.classes.tolist()),
        )
        bins = None
        if self.width:  # a bin ends where a cell does
            bins = score_bins(high, weight, weight * positive) if len(weight) else {}
        return LogStaircase.of_log(stairs, bins=bins, cell_width=self.width, **told)

    def _scored(self) -> tuple[Floats, Floats, Floats, Ints]:
        """Give ends, weights and truths of the cells of cases that have a score."""
        there = ~self.apart
        return self.low[there], self.high[there], self.weight[there], self.truth[there]

    def certified_cases(self) -> tuple[Labels, Floats, Floats]:
        """Truths, scores and weights of probabilities, for a threshold that answers whole cells."""
        low, high, weight, truth = self._scored()
        scores = np.where(low >= 0.5, low, np.where(high <= 0.5, high, np.nan))
        return self.classes[truth], scores, weight

    def counts(self, rule: Rule) -> SetCounts:
        """Count the answers of a rule to the scores that cases have at worst."""
        stairs = self.staircase("worst")
        truth, scores, weight = stairs.cases()
        forced = None
        if stairs.are_probabilities:
            forced = self.classes[(scores > 1 - scores).astype(np.intp)]
        if self.apart.any():
            gone = self.truth[self.apart]
            truth = np.append(truth, self.classes[gone])
            weight = np.append(weight, self.weight[self.apart])
            scores = np.append(scores, np.full(len(gone), np.nan))
            if forced is not None:
                forced = np.append(forced, np.repeat(self.classes[:1], len(gone)))
        mask = rule.predict_set(scores, classes=stairs.classes)
        counts = SetCounts.from_predictions(
            truth, mask, classes=stairs.classes, sample_weight=weight, y_pred=forced
        )
        return counts.merge()[0]

    def answer_bounds(self, rule: Rule) -> dict[str, tuple[float, float]]:
        """Bounds on what a rule answers to the unrounded scores, by name of the measure."""
        low, high, *_ = self._scored()
        # Answers in the order of the scores, negative, none, positive; none without a score.
        first, last = np.ones((2, len(self.weight)))
        for answers, ends in ((first, low), (last, high)):
            mask = rule.predict_set(ends, classes=self.classes.tolist())
            answers[~self.apart] = np.where(mask.all(axis=1), 1, 2 * mask[:, 1])
        # The least and the most that a case may be: 0 is wrong, 1 abstained on, 2 right.
        negative = self.truth == 0
        first, last = np.where(negative, 2 - last, first), np.where(negative, 2 - first, last)
        known = first == last

        def total(rows: Mask) -> float:
            return float(self.weight[rows].sum())

        def share(part: float, whole: float) -> float:
            return part / whole if whole else float("nan")

        every = float(self.weight.sum())
        surely_right, surely_wrong = total(first == 2), total(last == 0)
        maybe_right, maybe_wrong = total(last == 2), total(first == 0)
        return {
            "coverage": (
                share(total(known & (first != 1)), every),
                share(total(~known | (first != 1)), every),
            ),
            "selective_accuracy": (
                share(surely_right, surely_right + maybe_wrong),
                share(maybe_right, maybe_right + surely_wrong),
            ),
            "error": (share(surely_wrong, every), share(maybe_wrong, every)),
            "open_cases": (0.0, total(~known)),
        }

    # More classes: scores are confidences of answers, and the wrong ones are apart.

    def risk_coverage(self, within: str) -> RiskCoverageCurve:
        """Count right and wrong answers; the surest come first, at worst a cell's wrong ones."""
        curve = RiskCoverageCurve(
            np.where(self.apart == _is_worst(within), self.high, self.low),
            self.apart.astype(np.float64),
            self.truth,
            self.weight,
            self.classes,
        )
        return curve.merge()[0]


def _is_worst(within: str) -> bool:
    """Tell the two readings of a cell apart."""
    if within not in ("worst", "best"):
        raise ValueError(f"within is {shown(within)}; choose 'worst' or 'best'.")
    return within == "worst"
