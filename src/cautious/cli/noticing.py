"""What looks odd but is no error: said in a note, so that nobody is surprised later."""

from __future__ import annotations

from collections.abc import Sequence

from cautious._typing import Floats
from cautious.cli.answers import Rule
from cautious.cli.measuring import auc_of
from cautious.cli.showing import note
from cautious.cli.tuning import Goal, Tuned
from cautious.curves import Staircase
from cautious.predictions import ModelPredictions

__all__ = ["notice_goal", "notice_models", "notice_rule", "notice_scores"]


def notice_models(models: Sequence[ModelPredictions]) -> None:
    """Notice of each model whether its scores point the wrong way."""
    for one in models:
        if one.y_score is not None:
            staircase = Staircase.from_predictions(
                one.y_true, one.y_score, sample_weight=one.sample_weight, classes=one.classes
            )
            notice_scores(one.name, staircase)


def notice_scores(name: str, staircase: Staircase) -> None:
    """Notice that a high score speaks for the other class."""
    auc = auc_of(staircase)
    if auc < 0.5:
        positive = str(staircase.classes[1])[:60]
        note(
            f"note: {name[:60]}: a high score speaks against {positive!r} (AUC {auc:.3g}); is "
            "--positive the other class?"
        )


def notice_rule(name: str, rule: Rule, scores: Floats | None) -> None:
    """Notice thresholds of another model, and a window that no score can fall into or out of."""
    if rule.thresholds is not None and name not in rule.thresholds:
        other = next(iter(rule.thresholds))
        note(f"note: {name[:60]}: the thresholds are of {other[:60]!r}")
    if rule.window is None or scores is None:
        return
    lower, upper = rule.window
    least, most = float(scores.min()), float(scores.max())
    if lower > most or upper < least:
        note(
            f"note: {name[:60]}: the window from {lower:g} to {upper:g} lies outside the scores, "
            f"which run from {least:g} to {most:g}; every case gets the same answer"
        )
    elif lower < least and upper > most:
        note(
            f"note: {name[:60]}: all scores, from {least:g} to {most:g}, lie within the window; "
            "no case is answered"
        )


def notice_goal(one: ModelPredictions, goal: Goal, best: Tuned) -> None:
    """Notice why thresholds answer everything, or nothing."""
    if one.y_score is None:
        return
    if best.abstention == 1 and len(set(one.y_score.tolist())) == 2:
        note(
            f"note: {one.name[:60]}: there are only two different scores, so all that thresholds "
            "can do is to keep quiet on one of them, or on both; give scores, not answers"
        )
    price = goal.dearest_abstention
    if price is not None and goal.abstain is not None and goal.abstain >= price:
        note(
            f"note: {one.name[:60]}: from a price of {price:g} on, keeping quiet never pays, and "
            f"--abstain is {goal.abstain:g}"
        )
