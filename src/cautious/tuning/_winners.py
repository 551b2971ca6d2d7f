"""Which of several models is expected to do best on new cases, and is told apart from all others.

It is asked for one goal, or on the whole map of relative costs. There windows are chosen on nine
tenths of the cases and measured on the rest, as cross-fitting does, at every point of a grid of
costs. What is chosen on a part of the cases depends on the hull of that part only, so a hull serves
the whole grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._cases import cases_of_scores
from cautious._text import number, share
from cautious._typing import Floats, Ints
from cautious.tuning._cross_fitting import CrossFit, cross_fit
from cautious.tuning._goal import FoundRule, Goal
from cautious.tuning._search import WindowSearch, search_cases

IN_WORDS: dict[str, tuple[str, Callable[[float], str]]] = {
    "cost": ("cost", number),
    "abstention": ("abstained on", share),
    "selective_error": ("wrong among answers", share),
}
"""What is expected of rules, in words and as it is written."""


def best_model(
    found: Mapping[str, FoundRule],
    fits: Mapping[str, CrossFit],
    goal: Mapping[str, Any],
    level: float,
) -> tuple[str | None, str]:
    """Name the model that is expected to do best, if it can be told apart from all others."""
    if len(found) < 2:
        return next(iter(found), None), ""
    if len(fits) < len(found):
        return None, "Which model will do best on new cases was not estimated."
    quantity = "abstention"
    if goal.get("max_error") is None and goal.get("min_saving") is None:
        with_costs = all(one.cost is not None for one in found.values())
        quantity = "cost" if with_costs else "selective_error"
    what, show = IN_WORDS[quantity]
    expected = {name: getattr(fit.expected(level), quantity) for name, fit in fits.items()}
    known = {name: one.estimate for name, one in expected.items() if not math.isnan(one.estimate)}
    if not known:
        return None, "No model answers anything."
    least = min(known, key=lambda name: known[name])
    strict = _level_of_pairs(level, len(known))
    close = []
    for name in known:
        gap = fits[least].difference(fits[name], quantity, strict)
        if name != least and not gap.high < 0:
            best, fit = fits[least], fits[name]
            pairs = (best.truth, fit.truth), (best.own, fit.own), (best.held_out, fit.held_out)
            if all(np.array_equal(one, other) for one, other in pairs):
                close.append(f"{name} (the same answers to all cases)")
                continue
            ends = f"{show(gap.low)} to {show(gap.high)}"
            close.append(f"{name} (difference {show(gap.estimate)}, {ends})")
    words = f"{least} is expected to do best on new cases: {what} {show(known[least])}"
    if close:
        return None, f"{words}; but it cannot be told apart from {' and '.join(close)}."
    return least, f"{words}, and the difference to each other model is significant."


def distinct_winners(
    y_true: Sequence[Any] | npt.ArrayLike,
    scores: Mapping[Any, npt.ArrayLike],
    *,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    priors: Any = None,
    confidence_level: float = 0.95,
    n: int = 17,
) -> tuple[Floats, Floats, Ints]:
    """Find the model of the least expected cost wherever it is told apart from every other."""
    mu, nu = np.linspace(0, 1, n), np.linspace(0, 0.5, n // 2 + 1)
    # Above the line from which abstaining never pays, its cost makes no difference.
    rows, columns = np.nonzero(nu[:, None] * (1 + mu) < mu + nu[1] * (1 + mu))
    goal = Goal({"false_negative": 1, "false_positive": 1, "abstain": 0.4}, priors=priors)
    models = []
    for score in scores.values():
        cases = cases_of_scores(y_true, score, pos_label=pos_label, sample_weight=sample_weight)
        fit = cross_fit(search_cases(cases, goal))
        models.append(_on_the_map(fit, mu[columns], nu[rows]))
    level = _level_of_pairs(confidence_level, len(models))
    winner = np.full((len(nu), n), -1)
    for row, column, *fits in zip(rows, columns, *models, strict=True):
        best = min(fits, key=lambda fit: fit.estimate("cost"))
        others = (fit for fit in fits if fit is not best)
        apart = all(best.difference(fit, "cost", level).high < 0 for fit in others)
        winner[row:, column] = fits.index(best) if apart else -1
    return mu, nu, winner


def _level_of_pairs(level: float, n: int) -> float:
    """Give the level of each difference at which those of all pairs hold together (Bonferroni)."""
    return 1 - (1 - level) / max(1, n * (n - 1) // 2)


def _on_the_map(fit: CrossFit, mu: Floats, nu: Floats) -> Iterator[CrossFit]:
    """Fit a model at many costs: on the same parts of the cases, each of which has one hull."""
    search = fit.search
    assert isinstance(search, WindowSearch)
    whole = search.surface(np.ones(search.cases.n, dtype=bool)).window(mu, nu)
    windows = [
        [search.surface(fold != number).window(mu, nu) for number in range(int(fold.max()) + 1)]
        for fold in fit.folds
    ]
    for at in range(len(mu)):
        lower, upper = (
            np.array([[window[end][at] for window in row] for row in windows]) for end in (0, 1)
        )
        held_out = [
            search.answered(low, high, fold)
            for fold, low, high in zip(fit.folds, lower, upper, strict=True)
        ]
        own = search.answered(whole[0][at], whole[1][at])
        losses = np.array([[0, mu[at], nu[at]], [1, 0, nu[at]]])
        yield replace(fit, own=own, held_out=np.array(held_out), losses=losses)
