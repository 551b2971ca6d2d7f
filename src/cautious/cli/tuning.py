"""What ``tune`` is asked for, and the public calls that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cautious.cli.reading import read_cost_columns
from cautious.curves import (
    AbstentionCostSurface,
    RiskCoverageCurve,
    Window,
)
from cautious.predictions import ModelPredictions
from cautious.sets import abstain_name

__all__ = ["Goal", "Tuned", "read_cost_table", "tuned"]


@dataclass(frozen=True)
class Goal:
    """What thresholds are tuned for: least cost, or the best within a budget.

    Attributes
    ----------
    false_negative, false_positive : float
        Costs of the two mistakes.
    abstain : float, optional
        Cost of abstaining, if that is known.
    table : DataFrame, optional
        All costs of two classes, in place of the three.
    budget : pair (str, float), optional
        ``"max_abstention"``, ``"max_error"`` or ``"improve"``, and how much.
    """

    false_negative: float
    false_positive: float
    abstain: float | None
    table: pd.DataFrame | None
    budget: tuple[str, float] | None

    @classmethod
    def of(
        cls,
        *,
        false_negative: float | None,
        false_positive: float | None,
        mistake: float | None,
        abstain: float | None,
        table: pd.DataFrame | None,
        **budgets: float | None,
    ) -> Goal:
        """Read the options; exactly one thing may be asked for."""
        asked = [(name, value) for name, value in budgets.items() if value is not None]
        named = [f"--{name.replace('_', '-')}" for name, _ in asked]
        named += ["--abstain"] * (abstain is not None) + ["--costs"] * (table is not None)
        if not named and not false_negative is false_positive is mistake is None:
            raise ValueError(
                "what abstaining costs is missing: --abstain; or give a budget, --max-abstention, "
                "--max-error or --improve."
            )
        if len(named) != 1:
            raise ValueError(
                f"{' and '.join(named) or 'neither costs nor a budget'} given; give one of "
                "--abstain (with --false-negative and --false-positive, or --mistake), --costs, "
                "--max-abstention, --max-error and --improve."
            )
        if mistake is not None and not (false_negative is None and false_positive is None):
            raise ValueError(
                "--mistake is given beside --false-negative or --false-positive; it stands for "
                "both of them."
            )
        if mistake is None and (false_negative is None) != (false_positive is None):
            raise ValueError("give both --false-negative and --false-positive, or --mistake.")
        missed = false_negative if false_negative is not None else mistake
        alarmed = false_positive if false_positive is not None else mistake
        if abstain is not None and missed is None:
            raise ValueError(
                "--abstain is given, but not what it saves; give --false-negative and "
                "--false-positive, or --mistake."
            )
        missed, alarmed = (1.0 if cost is None else cost for cost in (missed, alarmed))
        if not missed > 0:
            raise ValueError("--false-negative (or --mistake) is 0; a mistake must cost something.")
        return cls(missed, alarmed, abstain, table, asked[0] if asked else None)

    @property
    def mu(self) -> float:
        """Relative cost of a false positive."""
        return self.false_positive / self.false_negative

    @property
    def dearest_abstention(self) -> float | None:
        r"""Price from which on keeping quiet never pays, where the mistakes' costs say.

        At the belief where both answers cost the same, each costs
        :math:`c_{FN} c_{FP} / (c_{FN} + c_{FP})`, and elsewhere one of them costs less.
        """
        if self.table is not None:
            return None
        return self.false_negative * self.mu / (1 + self.mu)

    def loss(self, best: Tuned) -> float:
        """Say how bad tuned thresholds are: by cost, or by what the budget leaves open."""
        if self.budget is None:
            return best.cost
        if self.budget[0] != "max_abstention":
            return best.abstention
        answered = 1 - best.abstention
        return best.cost / answered if answered > 0 else np.inf

    def words(self) -> dict[str, Any]:
        """Say it in JSON."""
        if self.table is not None:
            return {"costs": self.table.to_dict("index")}
        costs = {"false_negative": self.false_negative, "false_positive": self.false_positive}
        if self.abstain is not None:
            return costs | {"abstain": self.abstain}
        assert self.budget is not None
        return costs | dict([self.budget])


@dataclass(frozen=True)
class Tuned:
    """Thresholds, and what to expect of them on cases such as these.

    Attributes
    ----------
    lower, upper : float or None
        Window on the score of two classes.
    confidence : float or None
        Least probability of an answer, for more classes.
    abstention, error, error_of_answers : float
        Shares: of cases kept quiet on, of cases answered wrongly, of answers that are wrong.
    cost : float
        Expected cost of a case, in the units given. A budget puts no price on abstaining, so
        only mistakes count then.
    """

    lower: float | None
    upper: float | None
    confidence: float | None
    abstention: float
    error: float
    error_of_answers: float
    cost: float


def tuned(one: ModelPredictions, goal: Goal) -> Tuned:
    """Find the thresholds of one model."""
    if one.y_score is not None:
        return _window(one, goal)
    if one.y_proba is None:
        raise ValueError(
            f"{one.name} gives sets but neither scores nor probabilities; there is no threshold to "
            "tune."
        )
    return _confidence(one, goal)


def _window(one: ModelPredictions, goal: Goal) -> Tuned:
    assert one.y_score is not None
    surface = AbstentionCostSurface.from_predictions(
        one.y_true, one.y_score, pos_label=one.pos_label, sample_weight=one.sample_weight
    )
    if goal.budget is None:
        if goal.table is not None:
            best = surface.for_costs(goal.table)
        else:
            assert goal.abstain is not None
            best = surface.for_costs(
                {
                    "false_negative": goal.false_negative,
                    "false_positive": goal.false_positive,
                    "abstain": goal.abstain,
                }
            )
        return _of_plane(best, float(best.cost or 0.0))
    name, amount = goal.budget
    if name == "max_abstention":
        plane = surface.for_max_abstention(amount, mu=goal.mu)
    elif name == "max_error":
        plane = surface.for_max_error(amount, mu=1.0)
    else:
        plane = surface.for_saving(amount, mu=goal.mu, per="case")
    return _of_plane(plane, goal.false_negative * float(plane.relative_cost(goal.mu, 0.0)))


def _of_plane(plane: Window, cost: float) -> Tuned:
    return Tuned(
        plane.lower,
        plane.upper,
        None,
        plane.abstention,
        plane.error,
        plane.selective_error,
        cost,
    )


def _confidence(one: ModelPredictions, goal: Goal) -> Tuned:
    """Find the least probability that is worth an answer, for more than two classes."""
    if goal.table is not None or goal.false_negative != goal.false_positive:
        raise ValueError(
            f"{one.name} has {len(one.classes)} classes, so no mistake is a false negative; give "
            "--mistake, or say which class matters with --positive."
        )
    assert one.y_proba is not None
    curve = RiskCoverageCurve.from_predictions(
        one.y_true, one.y_proba, classes=list(one.classes), sample_weight=one.sample_weight
    )
    # Beyond the last confidence nothing is answered, and nothing goes wrong.
    threshold = np.append(np.inf, curve.threshold)
    coverage, error = np.append(0.0, curve.coverage), np.append(0.0, curve.generalised_risk)
    cost = goal.false_negative * error
    if goal.budget is None:
        assert goal.abstain is not None
        cost = cost + goal.abstain * (1 - coverage)
        at = len(cost) - 1 - int(np.argmin(cost[::-1]))  # among equals, answer more
    else:
        at = _within_budget(goal.budget, curve)
    answered = coverage[at]
    return Tuned(
        None,
        None,
        float(threshold[at]),
        float(1 - answered),
        float(error[at]),
        float(error[at] / answered) if answered > 0 else np.nan,
        float(cost[at]),
    )


def _within_budget(budget: tuple[str, float], curve: RiskCoverageCurve) -> int:
    """Position of the best threshold within a budget, 0 answering nothing."""
    name, amount = budget
    if name == "max_abstention":
        # Rounding must not make a budget that is met exactly look exceeded.
        point = curve.threshold_at_coverage(max(0.0, 1 - amount - 1e-12))
    elif name == "max_error":
        point = curve.threshold_at_risk(amount)
    else:
        saved = (1 - amount) * curve.generalised_risk[-1]
        allowed = np.flatnonzero(curve.generalised_risk <= saved + 1e-12)
        return int(allowed[-1]) + 1 if len(allowed) else 0
    if point.coverage == 0:
        return 0
    return int(np.flatnonzero(curve.threshold == point.threshold)[0]) + 1


def read_cost_table(path: Path) -> pd.DataFrame:
    """Read the costs of two classes and of abstaining: truths are columns, answers rows.

    The rows of the classes may be in any order; the last row is abstaining, whatever it is called.
    """
    rows, classes, costs = read_cost_columns(str(path))
    if len(classes) != 2:
        raise ValueError(
            f"{path} has {len(classes)} columns of costs; give one for either class, after the "
            "column of answers."
        )
    if len(rows) != 3 or set(rows[:2]) != set(classes):
        raise ValueError(
            f"{path} has the rows {rows}; give one for each of {classes}, then one for abstaining."
        )
    order = [rows.index(classes[0]), rows.index(classes[1]), 2]
    quiet = abstain_name(classes) if "abstain" in classes else "abstain"
    return pd.DataFrame(costs[order], index=[*classes, quiet], columns=classes)
