"""Models on the same cases, pair by pair: the public calls behind ``compare``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from cautious._typing import Floats, Mask
from cautious.cli.answers import Rule, answers_of
from cautious.cli.measuring import Bootstrap
from cautious.comparison import holm, objective_winner
from cautious.curves import AbstentionCostSurface, vacc_test
from cautious.metrics import (
    SetCounts,
    bootstrap_difference,
    discounted_accuracy_score,
    get_measure,
    per_sample,
)
from cautious.predictions import ModelPredictions
from cautious.utility import crossover

__all__ = ["Compared", "compared"]

_MEASURES = ("coverage", "selective_accuracy", "discounted_accuracy", "u65", "u80")


class Compared(NamedTuple):
    """Models side by side, and pairs of them.

    Attributes
    ----------
    models : DataFrame
        One row a model, one column a measure.
    pairs : DataFrame
        One row a pair, indexed by ``first`` and ``second``.
    best : str or None
        The model that is worth most whatever the aversion to risk, if there is one.
    objective : str
        The same in words; empty where nothing is answered.
    answers : dict
        How each model's answers came about.
    """

    models: pd.DataFrame
    pairs: pd.DataFrame
    best: str | None
    objective: str
    answers: dict[str, str]


def compared(
    models: Sequence[ModelPredictions], rule: Rule, bootstrap: Bootstrap, done: Any
) -> Compared:
    """Compare models that are aligned.

    Parameters
    ----------
    models : sequence of ModelPredictions
        At least two.
    rule : Rule
        How scores and probabilities become answers.
    bootstrap : Bootstrap
        How tests and intervals are made.
    done : callable
        Told of every pair that is done.
    """
    answered = {one.name: answers_of(one, rule.of_model(one.name)) for one in models}
    sets = {name: found[0] for name, found in answered.items() if found is not None}
    surfaces = {one.name: _surface(one) for one in models if one.y_score is not None}
    rows = []
    for one in models:
        row: dict[str, Any] = {"model": one.name}
        if one.name in surfaces:
            row["vacc"] = surfaces[one.name].vacc()
        if one.name in sets:
            row |= _measures(one, sets[one.name])
        rows.append(row)
    pairs = []
    for at, (a, b) in enumerate(combinations(models, 2)):
        pair: dict[str, Any] = {"first": a.name, "second": b.name}
        if a.name in surfaces and b.name in surfaces:
            pair |= _by_cost(a, b, surfaces, bootstrap)
        if a.name in sets and b.name in sets:
            pair |= _by_utility(a, sets[a.name], sets[b.name], bootstrap)
        pairs.append(pair)
        done(at + 1)
    frame = pd.DataFrame(pairs).set_index(["first", "second"])
    if "p" in frame:
        after = frame.columns.tolist().index("p") + 1
        frame.insert(after, "p_adjusted", holm(frame["p"]))
    table = pd.DataFrame(rows).set_index("model")
    best, objective = _best(table) if len(sets) == len(models) else (None, "")
    words = {name: found[1] for name, found in answered.items() if found is not None}
    return Compared(table, frame, best, objective, words)


def _best(table: pd.DataFrame) -> tuple[str | None, str]:
    """Find the model that is worth most at every aversion to risk, and say why."""
    winner = objective_winner(table["discounted_accuracy"], table["variance"])
    if winner.winner is not None:
        return (
            winner.winner,
            f"Whatever the aversion to risk, take {winner.winner}: {winner.reason}.",
        )
    # Utility is a straight line in k, so whoever is ahead at both ends is ahead everywhere.
    ends = table["discounted_accuracy"], table["discounted_accuracy"] + 2 * table["hedging"]
    best = [set(end.index[end >= end.max() - 1e-12]) for end in ends]
    both = sorted(best[0] & best[1])
    if len(both) == len(table):
        return None, "The models are worth the same at every aversion to risk."
    if len(both) == 1:
        return both[0], f"At every aversion to risk, from k = 0.5 to 1, {both[0]} is worth most."
    return None, "Which model is worth most depends on the aversion to risk: see where they change."


def _surface(one: ModelPredictions) -> AbstentionCostSurface:
    return AbstentionCostSurface.from_predictions(
        one.y_true,
        one.y_score,  # type: ignore[arg-type]
        pos_label=one.pos_label,
        sample_weight=one.sample_weight,
    )


def _measures(one: ModelPredictions, mask: Mask) -> dict[str, float]:
    counts = SetCounts.from_predictions(
        one.y_true, mask, classes=list(one.classes), sample_weight=one.sample_weight
    )
    values = {name: float(get_measure(name)(counts)) for name in _MEASURES}
    values["variance"] = float(get_measure("discounted_accuracy_variance")(counts))
    x = counts.hit / counts.size
    return values | {"hedging": float(counts.mean(x * (1 - x)))}


def _by_cost(
    a: ModelPredictions,
    b: ModelPredictions,
    surfaces: dict[str, AbstentionCostSurface],
    bootstrap: Bootstrap,
) -> dict[str, float]:
    """Compare expected costs over all relative costs."""
    test = vacc_test(
        a.y_true,
        a.y_score,  # type: ignore[arg-type]
        b.y_score,  # type: ignore[arg-type]
        pos_label=a.pos_label,
        sample_weight=a.sample_weight,
        n_resamples=bootstrap.n_resamples,
        confidence_level=bootstrap.confidence_level,
        random_state=bootstrap.seed,
    )
    shares = surfaces[a.name].differential(surfaces[b.name]).winning_shares()
    return {
        "vacc_difference": test.difference.estimate,
        "vacc_low": test.difference.low,
        "vacc_high": test.difference.high,
        "p": test.p_value,
        "first_cheaper": float(shares["first"]),
        "second_cheaper": float(shares["second"]),
    }


def _by_utility(a: ModelPredictions, one: Mask, two: Mask, bootstrap: Bootstrap) -> dict[str, Any]:
    """Compare what the answers are worth, at every aversion to risk."""
    truth, labels = a.y_true, list(a.classes)
    found: dict[str, Any] = {}
    for measure in ("u65", "u80"):
        gain = bootstrap_difference(
            truth,
            one,
            two,
            measure=measure,
            classes=labels,
            sample_weight=a.sample_weight,
            confidence_level=bootstrap.confidence_level,
            n_resamples=bootstrap.n_resamples,
            random_state=bootstrap.seed,
        )
        found |= {
            f"{measure}_difference": gain.estimate,
            f"{measure}_low": gain.low,
            f"{measure}_high": gain.high,
        }
    x, y = (_accuracies(truth, mask, labels) for mask in (one, two))
    with warnings.catch_warnings():
        # Parallel lines are no accident here: two models that always answer have them.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        place = crossover(
            x,
            y,
            sample_weight=a.sample_weight,
            strata=truth,
            n_resamples=bootstrap.n_resamples,
            confidence_level=bootstrap.confidence_level,
            random_state=bootstrap.seed,
        )
    return found | {
        "crossover": place.k.estimate,
        "crossover_low": place.k.low,
        "crossover_high": place.k.high,
        "better_above": place.better_above,
    }


def _accuracies(truth: Any, mask: Mask, labels: list[str]) -> Floats:
    return np.asarray(per_sample(discounted_accuracy_score)(truth, mask, classes=labels))
