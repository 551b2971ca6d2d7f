"""Evaluate in memory, or from the summary that an engine made of a log."""

from __future__ import annotations

from typing import Any

import cautious
from cautious.evaluation._rule_choice import RuleChoice, summarise_log
from cautious.evaluation.measures import Evaluation

SETTINGS = (
    "rule", "window", "confidence", "utility", "costs", "measures", "confidence_level",
    "n_resamples", "random_state",
)  # fmt: skip


def evaluate_on(engine: str | None, source: Any, **given: Any) -> Evaluation:
    if engine is None:
        return cautious.evaluate(source, **given)
    settings = {name: given.pop(name) for name in SETTINGS if name in given}
    choice = RuleChoice.of(*(settings.get(name) for name in SETTINGS[:4]))
    log, _ = summarise_log(source, engine, choice, **given)
    return cautious.evaluate(log, **settings)
