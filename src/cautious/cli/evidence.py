"""What is measured of a model: its scores, its answers, and how sure it was of them.

Arrays in memory and summaries of logs larger than memory lead to the same few counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from cautious.cli.answers import (
    Rule,
    answers_of,
    confidence_words,
    window_for,
    window_words,
)
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.predictions import ModelPredictions

__all__ = ["Evidence", "evidence_of", "evidence_of_log"]


@dataclass(frozen=True)
class Evidence:
    """What is measured of one model, or of one group of its cases.

    Attributes
    ----------
    name : str
        The model.
    classes : tuple
        Class labels.
    n : float
        Number of cases, or their weight.
    answers : str
        How the answers came about, in words; empty if there are none.
    surface : AbstentionCostSurface, optional
        Of the scores of two classes.
    counts : SetCounts, optional
        Answers against truths.
    risk : RiskCoverageCurve, optional
        Losses by confidence.
    groups : mapping
        The same of each group.
    window : pair of float, optional
        The window that gave the answers, if one did.
    """

    name: str
    classes: tuple[Any, ...]
    n: float
    answers: str
    surface: AbstentionCostSurface | None
    counts: SetCounts | None
    risk: RiskCoverageCurve | None
    groups: Mapping[str, Evidence] = field(default_factory=dict)
    window: tuple[float, float] | None = None


def evidence_of(one: ModelPredictions, rule: Rule) -> Evidence:
    """Count what is in memory."""
    rule = rule.of_model(one.name)
    whole = _of_arrays(one, rule)
    if one.groups is None:
        return whole
    counted = one.groups if one.sample_weight is None else one.groups[one.sample_weight > 0]
    return _with_groups(
        whole, np.unique(counted), rule, lambda group, same: _of_arrays(one.of_group(group), same)
    )


def _with_groups(
    whole: Evidence, groups: Iterable[Any], rule: Rule, count: Callable[[Any, Rule], Evidence]
) -> Evidence:
    """Count each group by the same rule as the whole."""
    if whole.counts is None:
        return whole
    # Whether scores are probabilities is settled by all of them, not by each group anew.
    same = rule if whole.window is None else Rule(window=whole.window)
    found = {str(group) or "(none)": count(group, same) for group in groups}
    return replace(whole, groups=found)


def _of_arrays(one: ModelPredictions, rule: Rule) -> Evidence:
    n = float(one.n if one.sample_weight is None else one.sample_weight.sum())
    truth, weight = one.y_true, one.sample_weight
    if one.y_score is not None:
        staircase = Staircase.from_predictions(
            truth, one.y_score, sample_weight=weight, classes=one.classes
        )
        scored = _of_scores(one.name, staircase, rule)
        if one.y_set is None or rule.window is not None:
            return scored
    answered = answers_of(one, rule)
    assert answered is not None
    counted: dict[str, Any] = {"classes": list(one.classes), "sample_weight": weight}
    risk = y_pred = None
    if one.y_proba is not None:
        risk = RiskCoverageCurve.from_predictions(truth, one.y_proba, **counted)
        y_pred = np.asarray(one.classes)[one.y_proba.argmax(axis=1)]
    counts = SetCounts.from_predictions(
        truth, answered[0], y_pred=y_pred, empty=one.empty, **counted
    )
    surface = None if one.y_score is None else scored.surface
    return Evidence(one.name, one.classes, n, answered[1], surface, counts, risk)


def _of_scores(name: str, staircase: Staircase, rule: Rule) -> Evidence:
    """Count the answers that a window gives, and losses by confidence where it is known."""
    surface = _surface(staircase)
    n = float(staircase.n_positives + staircase.n_negatives)
    scores = staircase.scores
    window = window_for(scores[0], scores[-1], rule, name)
    counts, risk, words = None, None, ""
    if window is not None:
        shares = surface.window_at(*window).frame().to_numpy()
        # Whole numbers of cases, which shares of them no longer quite are.
        counts = SetCounts.from_confusion(np.round(shares * n, 9), classes=staircase.classes)
        words = window_words(window, staircase.classes)
    if scores[0] >= 0 and scores[-1] <= 1:
        called = scores > 0.5  # positive; wrong about the negatives there
        risk = RiskCoverageCurve.from_losses(
            np.concatenate([~called, called]).astype(np.float64),
            np.tile(np.maximum(scores, 1 - scores), 2),
            sample_weight=np.concatenate([staircase.positives, staircase.negatives]),
        )
    return Evidence(name, tuple(staircase.classes), n, words, surface, counts, risk, window=window)


def _surface(staircase: Staircase) -> AbstentionCostSurface:
    with warnings.catch_warnings():
        # A group may well hold one class only; its surface is not shown. The whole may not.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return AbstentionCostSurface(staircase)


def evidence_of_log(summary: Any, rule: Rule, name: str) -> Iterator[Evidence]:
    """Read the counts of each model off the summary of a log.

    Parameters
    ----------
    summary : LogSummary
        What :func:`cautious.logs.summarise` returns.
    rule : Rule
        Must be one that the log was summarised for.
    name : str
        What to call the model where no column says.
    """
    for model in summary.models or [None]:
        title = name if model is None else str(model)
        own = rule.of_model(title)
        whole = _of_log(summary, title, own, model=model)
        if whole.surface is not None and 0 in whole.surface.priors:
            label = whole.classes[whole.surface.priors.index(0)]
            raise ValueError(f"{title}: no row has the truth {label!r}; two classes are needed.")
        if summary.groups:

            def count(group: Any, same: Rule, title: str = title, model: Any = model) -> Evidence:
                return _of_log(summary, title, same, model=model, group=group)

            whole = _with_groups(whole, summary.groups, own, count)
        yield whole


def _of_log(summary: Any, name: str, rule: Rule, **part: Any) -> Evidence:
    if summary.plan.binary and (not summary.plan.decisions or rule.window is not None):
        return _of_scores(name, summary.staircase(**part), rule)
    if rule.window is not None:
        raise ValueError(
            f"{name}: a window is for the score of two classes; give --confidence or --utility."
        )
    decisions = summary.plan.decisions
    if rule != Rule() and "argmax" not in decisions:
        raise ValueError(f"{name} gives sets only; they cannot be changed by a rule.")
    decision, words = decisions[0], "the sets in the log"
    if rule.confidence is not None:
        decision = f"confidence {rule.confidence!r}"
        words = confidence_words(rule.confidence)
    elif rule.utility is not None:
        decision, words = rule.utility, f"{rule.utility}-optimal sets"
    elif decision == "argmax":
        words = "the likeliest class"
    counts = summary.counts(decision, **part)
    risk = summary.risk_coverage(**part) if "argmax" in decisions else None
    surface = _surface(summary.staircase(**part)) if summary.plan.binary else None
    classes = tuple(counts.classes.tolist())
    return Evidence(name, classes, float(counts.n), words, surface, counts, risk)
