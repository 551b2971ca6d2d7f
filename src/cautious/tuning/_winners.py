"""Which of several models is expected to do best on new cases, and is told apart from all others.

It is asked for one goal, or on the whole map of relative costs. There windows are chosen on nine
tenths of the cases and measured on the rest, as cross-fitting does, at every point of a grid of
costs. What is chosen on a part of the cases depends on the hull of that part only, so a hull serves
the whole grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from cautious._text import number, share
from cautious._typing import Floats, Ints
from cautious.tuning._cross_fitting import CrossFit, cross_fit
from cautious.tuning._goal import FoundRule, Goal
from cautious.tuning._search import WindowSearch, search_arrays

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
    quantity = _quantity(goal, all(one.cost is not None for one in found.values()))
    what, show = IN_WORDS[quantity]
    expected = {name: getattr(fit.expected(level), quantity) for name, fit in fits.items()}
    known = {name: one.estimate for name, one in expected.items() if not math.isnan(one.estimate)}
    if not known:
        return None, "No model answers anything."
    least = min(known, key=lambda name: known[name])
    # As many differences are looked at as there are other models (Bonferroni).
    strict = 1 - (1 - level) / max(1, len(known) - 1)
    close = []
    for name in known:
        gap = fits[least].difference(fits[name], quantity, strict)
        if name != least and not gap.high < 0:
            if fits[least].answers_as(fits[name]):
                close.append(f"{name} (the same answers to all cases)")
                continue
            ends = f"{show(gap.low)} to {show(gap.high)}"
            close.append(f"{name} (difference {show(gap.estimate)}, {ends})")
    words = f"{least} is expected to do best on new cases: {what} {show(known[least])}"
    if close:
        return None, f"{words}; but it cannot be told apart from {' and '.join(close)}."
    return least, f"{words}, and the difference to each other model is significant."


def _quantity(goal: Mapping[str, Any], with_costs: bool) -> str:
    """Name what rules are chosen to have little of."""
    if goal.get("max_error") is not None or goal.get("min_saving") is not None:
        return "abstention"
    return "cost" if with_costs else "selective_error"


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
        search = search_arrays(
            y_true, goal, y_score=score, pos_label=pos_label, sample_weight=sample_weight
        )
        models.append(_Model.of(cross_fit(search), mu[columns], nu[rows]))
    level = 1 - (1 - confidence_level) / max(1, len(models) - 1)
    winner = np.full((len(nu), n), -1)
    for at, (row, column) in enumerate(zip(rows, columns, strict=True)):
        winner[row:, column] = _winner(models, at, (mu[column], nu[row]), level)
    return mu, nu, winner


@dataclass(frozen=True)
class _Model:
    """A model's windows at all points: those for held-out cases, and those of replicates."""

    fit: CrossFit
    folds: Ints
    held_out: tuple[Floats, Floats]
    replicates: tuple[Floats, Floats]

    @classmethod
    def of(cls, fit: CrossFit, mu: Floats, nu: Floats) -> _Model:
        """Choose all windows, on the very parts of the cases that the fit divided them into."""
        cases, rng = fit.cases, np.random.default_rng(0)
        folds = np.array([cases.random_folds(rng) for _ in fit.measured])
        drawn = cases.replicates(len(fit.rules), rng)
        numbers = range(int(folds.max()) + 1)
        parts = np.array([[fold != number for number in numbers] for fold in folds])
        held_out = cls._windows(fit, parts.reshape(-1, parts.shape[-1]), mu, nu)
        shaped = [each.reshape(*parts.shape[:2], -1) for each in held_out]
        chosen = cls._windows(fit, drawn, mu, nu)
        return cls(fit, folds, (shaped[0], shaped[1]), chosen)

    @staticmethod
    def _windows(
        fit: CrossFit, parts: npt.NDArray[Any], mu: Floats, nu: Floats
    ) -> tuple[Floats, Floats]:
        search = fit.cases.search
        assert isinstance(search, WindowSearch)
        windows = [search.surface(part).window(mu, nu) for part in parts]
        lower, upper = np.array(windows).swapaxes(0, 1)
        return lower, upper

    def losses(self, at: int, costs: tuple[float, float]) -> tuple[Floats, Floats]:
        """Held-out losses by repetition and case, and the mean loss of each replicate's window."""
        lower, upper = (
            np.take_along_axis(ends[:, :, at], self.folds, axis=1) for ends in self.held_out
        )
        each = self._loss(lower, upper, costs)
        chosen = [
            self.fit.cases.share @ self._loss(low, high, costs)
            for low, high in zip(*(ends[:, at] for ends in self.replicates), strict=True)
        ]
        return each, np.array(chosen)

    def _loss(self, lower: Any, upper: Any, costs: tuple[float, float]) -> Floats:
        values, truth = self.fit.cases.search.cases.score, self.fit.cases.truth
        (mu, nu), positive, negative = costs, values >= upper, values <= lower
        return np.where(positive, mu * (1 - truth), np.where(negative, truth, nu))


def _winner(models: list[_Model], at: int, costs: tuple[float, float], level: float) -> int:
    """Position of the cheapest model at a point, or -1 if it is not told apart from another."""
    found = [model.losses(at, costs) for model in models]
    cases = models[0].fit.cases
    means = [float((each @ cases.share).mean()) for each, _ in found]
    best = int(np.argmin(means))
    for other, (each, chosen) in enumerate(found):
        if other == best:
            continue
        gaps, rules = found[best][0] - each, found[best][1] - chosen
        variance, df = models[0].fit.variance(gaps, rules)
        half = stats.t.ppf((1 + level) / 2, df) * np.sqrt(variance)
        if not abs(means[best] - means[other]) > half:
            return -1
    return best
