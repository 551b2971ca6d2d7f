"""From scores and probabilities to answers: as they are, by a window, or by a utility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cautious._typing import Floats, Mask
from cautious.decision import optimal_sets, threshold_rule, window_rule
from cautious.predictions import ModelPredictions

__all__ = ["Rule", "answers_of", "confidence_words", "window_for", "window_words"]


@dataclass(frozen=True)
class Rule:
    """How scores and probabilities are turned into answers.

    Attributes
    ----------
    window : pair of float, optional
        Two classes: negative up to the first, positive from the second, quiet between.
    confidence : float, optional
        More classes: quiet unless the likeliest class is at least so likely.
    utility : str, optional
        More classes: the set of greatest expected utility.
    thresholds : mapping, optional
        A window or a confidence for each model, as ``cautious tune`` writes them.
    """

    window: tuple[float, float] | None = None
    confidence: float | None = None
    utility: str | None = None
    thresholds: Mapping[str, Mapping[str, Any]] | None = None

    def of_model(self, name: str) -> Rule:
        """Look a model's own thresholds up."""
        if self.thresholds is None:
            return self
        known = self.thresholds
        if name not in known and len(known) > 1:
            raise ValueError(
                f"the thresholds are of the models {', '.join(map(repr, known))}; there are none "
                f"of {name!r}."
            )
        own = known[name] if name in known else next(iter(known.values()))
        if "confidence" in own:
            return Rule(confidence=float(own["confidence"]))
        return Rule(window=(float(own["lower"]), float(own["upper"])))


def answers_of(one: ModelPredictions, rule: Rule) -> tuple[Mask, str] | None:
    """Give each case's answer and how it came about; None if scores alone do not say."""
    if one.y_set is not None and rule == Rule():
        return one.y_set, "the sets in the file"
    if one.y_score is not None:
        window = window_for(one.y_score.min(), one.y_score.max(), rule, one.name)
        if window is None:
            return None
        return window_rule(one.y_score, *window), window_words(window, one.classes)
    if one.y_proba is None:
        raise ValueError(f"{one.name} gives sets only; they cannot be changed by a rule.")
    return _decided(one.y_proba, rule)


def window_for(least: float, most: float, rule: Rule, name: str) -> tuple[float, float] | None:
    """Window for scores of two classes: as given, or the middle of probabilities."""
    if rule.confidence is not None or rule.utility is not None:
        raise ValueError(
            f"{name} scores two classes; give a window (`cautious tune` finds one), not a "
            "confidence or a utility."
        )
    if rule.window is None and least >= 0 and most <= 1:
        return 0.5, float(np.nextafter(0.5, 1))  # a tie goes to the negative class
    return rule.window


def window_words(window: tuple[float, float], classes: Sequence[Any]) -> str:
    """Say what a window does."""
    lower, upper = window
    if upper == np.nextafter(lower, np.inf):
        return f"{classes[1]} above a score of {lower:g}"
    words = f"{classes[1]} from a score of {upper:g}"
    return words + (f", {classes[0]} up to {lower:g}, quiet between" if lower < upper else "")


def confidence_words(confidence: float) -> str:
    """Say what a confidence does."""
    return f"the likeliest class from a probability of {confidence:g}, else quiet"


def _decided(proba: Floats, rule: Rule) -> tuple[Mask, str]:
    """Turn probabilities of several classes into sets."""
    if rule.window is not None:
        raise ValueError(
            "a window is for the score of two classes, and there are more; give --confidence or "
            "--utility."
        )
    if rule.utility is not None:
        return optimal_sets(proba, utility=rule.utility), f"{rule.utility}-optimal sets"
    if rule.confidence is not None:
        return threshold_rule(proba, rule.confidence), confidence_words(rule.confidence)
    return threshold_rule(proba, 0.0), "the likeliest class"
