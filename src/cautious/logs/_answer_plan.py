"""Which rule decides which cases, and from which columns: settled before a batch is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cautious._labels import match_label, match_labels
from cautious._messages import refusal
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, quoted
from cautious.logs._source import Source
from cautious.predictions._columns import Columns, guess_columns
from cautious.predictions._rows import NO_NAME, labels_in

__all__ = ["AnswerPlan"]


@dataclass(frozen=True)
class AnswerPlan:
    """Which rule decides which cases, from which columns: the same for every batch.

    Attributes
    ----------
    rules : dict of str to Rule
        The rules by model.
    columns : dict of str to tuple of str
        What each reads: a column of scores, or one column of probabilities per class of the rule.
    targets : dict of str to str
        Columns for the answers. The same for all rules where `model` says whose turn it is.
    model : str or None
        Column that says which rule decides a case, or whose cases a single rule decides.
    used : Columns
        Roles of columns, for notes.
    chosen : str or None
        The model whose cases a single rule decides; those of others are left out by `model`.
    n_chosen, n_others : int or None
        How many cases these are, where it is known beforehand.
    """

    rules: dict[str, Rule]
    columns: dict[str, tuple[str, ...]]
    targets: dict[str, str]
    model: str | None = None
    used: Columns = field(default_factory=lambda: Columns(None))
    chosen: str | None = None
    n_chosen: int | None = None
    n_others: int | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        rules: Mapping[str, Rule],
        *,
        answer: str = "y_set",
        score: Any = None,
        proba: Any = None,
        model: Any = None,
    ) -> AnswerPlan:
        """Settle which columns the rules read, and which they write."""
        for name, times in Counter(names).items():
            if times > 1:
                raise refusal("two columns", name=quoted(name))
        several = len(rules) > 1
        given = {"score": score, "proba": proba}
        if several and score is None and proba is None and set(rules) <= set(names):
            given["score"] = list(rules)  # scores in columns that are named after the models
        elif not several and score is None and proba is None:
            ((name, rule),) = rules.items()
            given["score"] = rule.tuned_column or (name if name in names else None)
            if given["score"] not in (None, *names):  # thresholds mean nothing to other scores
                raise InputError(
                    "the rule was tuned on the column {tuned}, but the columns are {names}; say "
                    "which one to read with {=score}.",
                    tuned=quoted(rule.tuned_column),
                    names=listed(names),
                )
        found = guess_columns(
            names, truth=False, model=model, weight=False, groups=False, **given,
        )  # fmt: skip
        by_model = found.model is not None and len(found.scores) < 2
        columns = {name: _columns_of(found, name, rule) for name, rule in rules.items()}
        if not several and by_model:  # a column that is called after the model is its own
            ((name, own),) = columns.items()
            by_model = _short(own[0]) != name
        if several and not by_model and len({*columns.values()}) < len(rules):
            raise InputError(
                "{=rule} is about the models {rules}, but the cases have the scores of one and no "
                "column that says of which; choose one rule with {=only}.",
                rules=listed(rules),
            )
        targets = {
            name: f"{answer}_{name}" if several and not by_model else answer for name in rules
        }
        for name in targets.values():
            if name in names:
                raise InputError(
                    "there is a column {name} already; name another for the answers with "
                    "{=answer}.",
                    name=quoted(name),
                )
        used = replace(found, sets=None, members={}, model=found.model if by_model else None)
        return cls(dict(rules), columns, targets, used.model, used)

    def of_model(self, source: Source, only: str | None) -> AnswerPlan:
        """Settle whose cases a single rule decides, where a column tells models apart."""
        if len(self.rules) > 1:
            return self
        (name,) = self.rules
        if self.model is None:
            if only not in (None, name):
                raise InputError(
                    "{=only} is {given}, but {=rule} is about {rules}, and no column tells models "
                    "apart; leave it out, or name the column with {=model}.",
                    given=quoted(only),
                    rules=quoted(name) if name else "no model in particular",
                )
            return self
        if not source.again:
            if only is None:
                raise InputError(
                    "column {column} may hold several models, and these batches can be read once "
                    "only; say whose cases to take with {=only}.",
                    column=quoted(self.model),
                )
            return replace(self, chosen=only)
        counts = _cases_by_model(source, self.model)
        if only is not None and counts and only not in counts:
            raise InputError(
                "{=only} is {given}, but column {column} holds {models}.",
                given=quoted(only),
                column=quoted(self.model),
                models=listed(counts),
            )
        if len(counts) < 2:
            return replace(self, model=None, chosen=next(iter(counts), None))
        chosen = name if only is None else only
        if chosen not in counts:
            raise InputError(
                "column {column} holds the models {models}, but {=rule} is that of one; say whose "
                "cases to take with {=only}, for example {first}.",
                column=quoted(self.model),
                models=listed(counts),
                first=quoted(next(iter(counts))),
            )
        n = counts[chosen]
        return replace(self, chosen=chosen, n_chosen=n, n_others=sum(counts.values()) - n)

    def notes(self) -> Iterator[Message]:
        """Say whose cases were taken."""
        if self.chosen is not None and self.n_others is not None:
            facts = {"column": quoted(self.model), "chosen": quoted(self.chosen)}
            every = (self.n_chosen or 0) + self.n_others
            facts |= {"n": f"{self.n_chosen:,}", "every": f"{every:,}"}
            yield Message(
                "{n} of {every} cases are those of {chosen} by column {column}; the others are "
                "left out",
                facts,
            )

    def reads(self) -> list[str]:
        """Give the columns that are read, each once."""
        every = [name for names in self.columns.values() for name in names]
        return list(dict.fromkeys([*every, *([self.model] if self.model is not None else [])]))


def _cases_by_model(source: Source, column: str) -> dict[str, int]:
    """Count the cases of each model."""
    counts: dict[str, int] = {}
    for part in source.parts:
        try:
            for _, batch in part.batches([column]):
                codes, models = labels_in(batch, column, text=True)
                each = np.bincount(codes.astype(np.intp) + 1, minlength=len(models) + 1).tolist()
                for name, n in zip([NO_NAME["model"], *models], each, strict=True):
                    if n:
                        counts[name] = counts.get(name, 0) + n
        except InputError as error:
            raise error.at(part.name) from None
    return dict(sorted(counts.items()))


def _columns_of(found: Columns, name: str, rule: Rule) -> tuple[str, ...]:
    """Choose the columns that a rule reads."""
    classes = rule.classes
    if found.proba:
        at = match_labels(list(classes), list(found.proba))
        binary = len(classes) == 2 and at[1] >= 0 and len(found.proba) == 1
        if not binary and (min(at) < 0 or len(found.proba) != len(classes)):
            raise InputError(
                "the cases have probabilities of {found}, but the rule is about {classes}; apply "
                "it to scores of the same classes, or say which columns they are with {=proba}.",
                found=listed(found.proba),
                classes=listed(classes),
            )
        columns = list(found.proba.values())
        return tuple(columns[one] for one in at if one >= 0)
    if not found.scores:
        raise InputError(
            "there is no column of scores for the rule to decide by; give a column 'score' or one "
            "column 'p_<class>' per class, or say which with {=score} or {=proba}."
        )
    if len(classes) > 2:
        raise InputError(
            "the cases have one score each, but the rule is about {n} classes, {classes}; give one "
            "column 'p_<class>' per class, or say which with {=proba}.",
            n=len(classes),
            classes=listed(classes),
        )
    if len(found.scores) == 1:
        return (found.scores[0],)
    if name in found.scores:
        return (name,)
    place = match_label(name, [_short(column) for column in found.scores])
    if place < 0:
        raise InputError(
            "there are the scores {scores}, and the rule is that of {name}; say which to read with "
            "{=score}.",
            scores=listed(found.scores),
            name=quoted(name or "no model"),
        )
    return (found.scores[place],)


def _short(column: str) -> str:
    """Name the model of a column such as ``score_tree``."""
    lowered = column.lower()
    start = next((p for p in ("y_score_", "score_") if lowered.startswith(p)), "")
    return column[len(start) :]
