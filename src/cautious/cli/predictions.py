"""One model's predictions, as a file gave them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cautious._typing import Floats, Ints, Labels, Mask

__all__ = ["Predictions"]


@dataclass(frozen=True)
class Predictions:
    """One model's predictions.

    Attributes
    ----------
    name : str
        The model.
    truth : ndarray of shape (n,)
        True classes, as text.
    classes : tuple of str
        Classes in order: those of the columns, or (negative, positive) for scores.
    score : ndarray of shape (n,), optional
        Scores that grow with the belief in the second of two classes.
    proba : ndarray of shape (n, K), optional
        Class probabilities.
    sets : ndarray of shape (n, K), bool, optional
        Prediction sets.
    weight, group, case : ndarray of shape (n,), optional
        How often each row counts, where it belongs, and which case it is about.
    """

    name: str
    truth: Labels
    classes: tuple[str, ...]
    score: Floats | None = None
    proba: Floats | None = None
    sets: Mask | None = None
    weight: Floats | None = None
    group: Labels | None = None
    case: Labels | None = None

    @property
    def positive(self) -> str:
        """Class that a high score speaks for."""
        return self.classes[1]

    def some(self, rows: Ints | Mask, name: str | None = None) -> Predictions:
        """Take some rows."""
        arrays = ("truth", "score", "proba", "sets", "weight", "group", "case")
        kept = {key: getattr(self, key) for key in arrays}
        cut = {key: array[rows] for key, array in kept.items() if array is not None}
        return replace(self, name=name or self.name, **cut)

    def of_group(self, group: str) -> Predictions:
        """Take the rows of a group."""
        assert self.group is not None
        return self.some(self.group == group)

    def for_report(self) -> dict[str, Any]:
        """Give what :func:`cautious.report.build_report` takes."""
        given = {
            "y_true": self.truth,
            "y_score": self.score,
            "y_proba": None if self.score is not None else self.proba,
            "y_set": self.sets,
            "classes": list(self.classes),
            "sample_weight": self.weight,
        }
        return {key: value for key, value in given.items() if value is not None}
