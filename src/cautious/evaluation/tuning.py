"""Tuning: the thresholds of each model for costs or for a budget."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cautious.costs import CostsLike
from cautious.curves import AbstentionCostSurface, FoundRule, find_rule
from cautious.decision import Rule, rules_to_json
from cautious.errors import InputError, Message, quoted
from cautious.evaluation.evidence import score_notes
from cautious.evaluation.priors import read_priors
from cautious.evaluation.text import html_tables, number, share, text_table
from cautious.predictions import ModelPredictions, label_text, read_predictions

__all__ = ["Tuning", "tune"]


@dataclass(frozen=True, repr=False)
class Tuning:
    """Rules that were found, and what they do on the cases they were chosen on.

    Attributes
    ----------
    found : dict of str to FoundRule
        The rule of each model, with its cost, abstention and error.
    goal : dict
        What was asked for.
    best : str or None
        The model that does best on these cases; None if several do equally well.
    notes : tuple of Message
        What was guessed or looks odd.
    """

    found: Mapping[str, FoundRule]
    goal: Mapping[str, Any]
    best: str | None
    notes: tuple[Message, ...] = ()

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules by model."""
        return {name: one.rule for name, one in self.found.items()}

    @property
    def rule(self) -> Rule:
        """The rule of the only model there is."""
        if len(self.found) > 1:
            raise ValueError(f"there are the models {list(self.found)}; take one of .rules.")
        return next(iter(self.found.values())).rule

    def frame(self) -> pd.DataFrame:
        """One row per model: its thresholds, and what they do on these cases."""
        frames = [one.frame().assign(model=name) for name, one in self.found.items()]
        return pd.concat(frames).set_index("model")

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the rules as JSON, to a file too if a path is given; ``evaluate`` reads them."""
        return rules_to_json(self.rules, path)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "goal": dict(self.goal),
            "best": self.best,
            "models": {name: _record(one) for name, one in self.found.items()},
        }

    def tables(self) -> Iterator[tuple[str, list[str], list[tuple[str, ...]]]]:
        """Tables for people: a title, headings, and rows of text."""
        frame = self.frame()
        shares = ["abstention", "error", "selective_error"]
        names = [name for name in frame.columns if name not in (*shares, "cost")]
        if len(names) > _THRESHOLDS_SHOWN:
            names = []
        headings = ["model", *(_HEADINGS.get(name, name.replace("_", " ")) for name in names)]
        headings += ["abstained on", "wrong", "wrong among answers"]
        headings += ["cost per case"] if "cost" in frame else []
        rows = []
        for name, row in zip(frame.index, frame.to_dict("records"), strict=True):
            cells = [str(name), *(number(row[key]) for key in names)]
            cells += [share(row[key]) for key in shares]
            cells += [number(row["cost"])] if "cost" in frame else []
            rows.append(tuple(cells))
        yield "", headings, rows

    def sentences(self) -> Iterator[str]:
        """Say what the rules do, and which model does best."""
        if len(self.found) == 1:
            yield self.rule.describe()
        elif self.best is None:
            yield "Several models do equally well on these cases."
        else:
            yield f"{self.best} does best on these cases. {self.found[self.best].rule.describe()}"
        silent = [name for name, one in self.found.items() if one.abstention == 1]
        for name in silent:
            yield f"{name} answers nothing under this rule."
        yield "Measured on the cases that the rule was chosen on; new ones will be slightly worse."

    def __str__(self) -> str:
        tables = [text_table(*table) for table in self.tables()]
        return "\n\n".join([*tables, "\n".join(self.sentences())])

    def __repr__(self) -> str:
        return f"<Tuning of {', '.join(map(repr, list(self.found)[:4]))}>"

    def _repr_html_(self) -> str:
        return html_tables(self.tables(), self.sentences())


# More thresholds than this are in the rule, and not in the table.
_THRESHOLDS_SHOWN = 8
_HEADINGS = {"lower": "negative up to", "upper": "positive from"}


def tune(
    predictions: Any,
    *,
    costs: CostsLike | None = None,
    max_abstention: float | None = None,
    max_error: float | None = None,
    min_saving: float | None = None,
    per: Any = "answer",
    priors: Any = None,
    **columns: Any,
) -> Tuning:
    """Find the thresholds at which each model should abstain.

    Parameters
    ----------
    predictions : path, frame, mapping or Predictions
        Anything :func:`cautious.read_predictions` takes, on cases that no model was fitted on.
    costs : optional
        What mistakes and abstaining cost, in any form of :func:`cautious.costs.as_costs`. Costs
        per case that the predictions carry are used unasked.
    max_abstention : float, optional
        Largest share of cases to abstain on, while mistakes are as few as possible.
    max_error : float, optional
        Largest share of mistakes, while as little as possible is abstained on.
    min_saving : float, optional
        Part of the mistakes (or of their cost) without abstention that has to go.
    per : {"answer", "case"}, default="answer"
        Whether mistakes are counted among the answers or among all cases.
    priors : float, mapping or sequence in the order of the classes, optional
        Class probabilities to assume instead of the sample's; one number is the share of positives.
    **columns
        Passed on to :func:`cautious.read_predictions`.

    Returns
    -------
    Tuning
        Print it; ``rule`` (or ``rules``) is what to deploy, ``to_json`` writes it.

    See Also
    --------
    cautious.curves.find_rule : the search, on arrays.
    cautious.models.TunedAbstainingClassifierCV : the same search inside an estimator.

    Examples
    --------
    >>> import cautious
    >>> found = cautious.tune(
    ...     {"mine": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])},
    ...     costs={"false_negative": 10, "false_positive": 4, "abstain": 1},
    ... )
    >>> print(found)
    model  negative up to  positive from  abstained on  wrong  wrong among answers  cost per case
    mine           0.3000         0.6500        33.3 %    0 %                  0 %         0.3333
    ...
    """
    read = read_predictions(predictions, **columns)
    goal = {
        "max_abstention": max_abstention,
        "max_error": max_error,
        "min_saving": min_saving,
    }
    notes = list(read.notes)
    found = {}
    for one in read.values():
        own = costs
        if costs is None and one.costs is not None and not _is_budget(goal):
            own = dict(one.costs)
        found[one.name] = _found(one, own, goal, per, priors)
        notes += _notes(one, found[one.name])
        notes += _price_notes(one, costs)
    wanted: dict[str, Any] = {name: value for name, value in goal.items() if value is not None}
    if costs is not None:
        wanted["costs"] = dict(costs) if isinstance(costs, Mapping) else "as given"
    return Tuning(
        found,
        wanted,
        _best(found, goal),
        tuple({str(note): note for note in notes}.values()),
    )


def _record(one: FoundRule) -> dict[str, Any]:
    """Say in plain data what a rule is, and what it does on the cases it was chosen on."""
    rule = one.rule
    if rule.thresholds is None:
        numbers: dict[str, Any] = {"lower": rule.lower, "upper": rule.upper}
    else:
        pairs = zip(rule.classes, rule.thresholds, strict=True)
        numbers = {"thresholds": {label_text(label): threshold for label, threshold in pairs}}
    return numbers | {
        "abstention": one.abstention,
        "error": one.error,
        "selective_error": one.selective_error,
        "cost": one.cost,
        "classes": [label_text(label) for label in rule.classes],
        "n": None if rule.data is None else rule.data["n"],
        "rule": rule.describe(),
    }


def _is_budget(goal: Mapping[str, Any]) -> bool:
    return any(value is not None for value in goal.values())


def _found(
    one: ModelPredictions, costs: Any, goal: Mapping[str, Any], per: Any, priors: Any
) -> FoundRule:
    if one.y_score is None and one.y_proba is None:
        raise InputError(
            "{name} gives sets, but neither scores nor probabilities; there is no threshold to "
            "tune.",
            name=quoted(one.name, 60),
        )
    kept = one if not one.missing.any() else one.take(~one.missing)
    scores: dict[str, Any] = (
        {"y_score": kept.y_score} if kept.y_score is not None else {"y_proba": kept.y_proba}
    )
    found = find_rule(
        kept.y_true,
        **scores,
        classes=one.classes,
        sample_weight=kept.sample_weight,
        costs=costs,
        per=per,
        priors=None if priors is None else read_priors(priors, one.classes),
        **goal,
    )
    about = found.rule.with_details(model=one.name, data={"n": one.n, "digest": _digest(one)})
    return FoundRule(**{**found.__dict__, "rule": about})


def _digest(one: ModelPredictions) -> str:
    """Tell the data apart that a rule was tuned on."""
    digest = hashlib.sha256(repr(one.classes).encode("utf-8", "surrogatepass"))
    for array in (one.codes, one.y_score, one.y_proba, one.sample_weight):
        if array is not None:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def _best(found: Mapping[str, FoundRule], goal: Mapping[str, Any]) -> str | None:
    """Name the model that does best, if one does."""

    def loss(one: FoundRule) -> float:
        if goal["max_error"] is not None or goal["min_saving"] is not None:
            return one.abstention
        if goal["max_abstention"] is not None and one.cost is None:
            return one.selective_error
        return math.nan if one.cost is None else one.cost

    losses = {name: loss(one) for name, one in found.items()}
    least = min((value for value in losses.values() if not math.isnan(value)), default=math.nan)
    best = [name for name, value in losses.items() if value <= least + 1e-12]
    return best[0] if len(best) == 1 else None


def _price_notes(one: ModelPredictions, costs: Any) -> Iterator[Message]:
    r"""Say from which price on abstaining never pays.

    At the belief where both answers cost the same, each costs
    :math:`c_{FN} c_{FP} / (c_{FN} + c_{FP})`, and elsewhere one of them costs less.
    """
    if not isinstance(costs, Mapping) or one.y_score is None or "abstain" not in costs:
        return
    missed, alarm, price = (
        costs.get(key, costs.get("mistake", math.nan))
        for key in ("false_negative", "false_positive", "abstain")
    )
    if any(np.ndim(cost) for cost in (missed, alarm, price)) or not missed + alarm > 0:
        return
    dearest = missed * (alarm / (missed + alarm))
    if price >= dearest:
        yield Message(
            "{name}: from a price of {dearest} on, abstaining never pays, and it costs {price}",
            {"name": quoted(one.name, 60), "dearest": f"{dearest:g}", "price": f"{price:g}"},
        )


def _notes(one: ModelPredictions, found: FoundRule) -> Iterator[Message]:
    """Say what looks odd about the scores, or why nothing is answered."""
    if isinstance(found.curve, AbstentionCostSurface):
        yield from score_notes(one.name, found.curve)
    missing = int(one.missing.sum())
    if missing:
        yield Message(
            "{name}: {missing} cases have no score; they were left out",
            {"name": quoted(one.name, 60), "missing": f"{missing:,}"},
        )
    if one.y_score is not None and found.abstention == 1 and len(np.unique(one.y_score)) == 2:
        yield Message(
            "{name}: there are only two different scores, so all that thresholds can do is to "
            "abstain on one of them, or on both; give scores, not answers",
            {"name": quoted(one.name, 60)},
        )
