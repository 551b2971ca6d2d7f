"""What to count: settled once from the schema, then the same for every batch on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from cautious._labels import label_text, plain_label, sorted_labels, whole_labels
from cautious._messages import refusal
from cautious.decision import Rule
from cautious.errors import InputError, listed, shown
from cautious.logs._source import sort_of
from cautious.logs.scores import Limits
from cautious.predictions._columns import Columns, check_names, guess_columns
from cautious.predictions._rows import Options, final_classes, is_binary, labels_like, settle
from cautious.sets import parse_set

SETS, ARGMAX = "sets", "argmax"
"""Decisions by name: the sets that were logged, and the most probable class."""

# A pair of a score and a count takes 16 bytes, and as much again while it is sorted.
_BYTES_PER_PAIR = 32
# Once rounded, a sixteenth of the pairs is plenty, and a table of them stays in the cache.
_PAIRS_PER_CELL = 16
_LABELS: dict[str, list[Any]] = {
    "truth": [False, True], "whole": [0], "fraction": [0, 0.5], "decimal": [0, 0.5],
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Plan(Options):
    """What summaries count: options that are settled. Summaries add up if their plans are equal.

    Attributes
    ----------
    columns : Columns
        Where the data are.
    classes : tuple
        Class labels in order, of two classes with scores (negative, positive); empty where they
        are found while reading.
    pos_label : label or None
        The positive class of scores, where it is said.
    rules : dict
        Rules by the names of their decisions. Of more than two classes, their sets are counted; of
        two, they may be the names of utilities and probabilities still.
    limits : Limits
        How many scores are kept.
    resolution : int or None
        Exponent of the width of cells to which scores are rounded from the start.
    turned : bool
        Whether the only column of probabilities is of the negative class.
    names : tuple of str
        All the columns of the source, for notes.
    place : str
        Which files these are, for notes and errors.
    """

    columns: Columns
    limits: Limits
    classes: tuple[Any, ...] = ()
    rules: dict[str, Any] = field(default_factory=dict)
    resolution: int | None = None
    turned: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)
    place: str = field(default="", compare=False)

    @classmethod
    def of(
        cls,
        schema: Any,
        *,
        classes: Sequence[Any] | None = None,
        pos_label: Any = None,
        rules: Any = (),
        empty: str = "error",
        missing: str = "error",
        drop_missing: bool = False,
        place: str = "",
        memory_budget: int = 32 << 20,
        resolution: float | None = None,
        **columns: Any,
    ) -> Plan:
        """Settle what to count from an Arrow schema and what the caller of ``summarise`` says."""
        found = guess_columns(check_names(schema.names), **columns)
        missing = "abstain" if found.graded else missing
        known = None if classes is None else [plain_label(label) for label in classes]
        options = Options(known, plain_label(pos_label), empty, missing, drop_missing)
        # Names are read as labels of the kind that the column of truths holds.
        labels = _LABELS.get(sort_of(schema.field(found.truth).type), [])
        settled = settle(found, options, labels)
        pairs = int(memory_budget) // _BYTES_PER_PAIR
        if pairs < 1024:
            raise InputError(
                "{=memory_budget} is {given}; give at least {least} bytes.",
                given=memory_budget,
                least=f"{1024 * _BYTES_PER_PAIR:,}",
            )
        exponent = None
        if resolution is not None:  # of the largest power of two that does not exceed it
            if not 2.0**-200 <= resolution < 2.0**800:
                raise InputError(
                    "{=resolution} is {given}; give the width that scores may be rounded to, for "
                    "example 0.001.",
                    given=resolution,
                )
            exponent = int(np.frexp(resolution)[1]) - 1
        plan = cls(
            **asdict(options) | settled._asdict(),
            columns=found,
            limits=Limits(pairs, pairs // _PAIRS_PER_CELL),
            resolution=exponent,
            names=tuple(schema.names),
            place=place,
        )
        return plan if not isinstance(rules, Rule) and not rules else plan._with_rules(rules)

    @property
    def binary(self) -> bool:
        """Whether scores speak for one class against the rest."""
        return is_binary(self.columns, self.pos_label)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Names of the decisions whose sets are counted."""
        logged = self.columns.sets is not None or bool(self.columns.members)
        probable = bool(self.columns.proba) and not self.binary
        return (SETS,) * logged + (ARGMAX, *self.rules) * probable

    def with_classes(
        self,
        truths: Iterable[Any],
        written: Iterable[Any],
        place: Callable[[Any], str] = lambda text: "",
    ) -> Plan:
        """Add the classes that occur as truths or in written sets; `place` says where a set is."""
        labels = sorted_labels(whole_labels({plain_label(label) for label in truths} - {None}))
        known = {*map(label_text, labels), *map(label_text, self.columns.proba)}
        members: dict[Any, None] = {}
        for text in written:
            try:
                members |= dict.fromkeys(parse_set(text, known).labels or ())
            except InputError as error:
                raise error.at(place(text)) from None
        mentioned = [*labels, *labels_like(list(members), labels)]
        if not mentioned:
            raise refusal("no rows")
        settled = settle(self.columns, Options(self.classes or None, self.pos_label), labels)
        classes, positive = final_classes(self.columns, settled, labels, mentioned)
        if self.binary and len(labels) > 2:
            raise refusal("sets of many", classes=listed(labels))
        return replace(
            self, classes=tuple(classes), pos_label=positive if self.binary else self.pos_label
        )

    def difference(self, other: Plan) -> str:
        """Say in what two plans differ, and what makes them the same."""
        one, two = self._wishes(), other._wishes()
        unlike = [name for name in one if one[name] != two[name]]
        facts = [
            f"{name} is {shown(one[name])} in one and {shown(two[name])} in the other"
            for name in unlike
        ]
        return (
            f"these summaries count different things, so they do not add up: {'; '.join(facts)}. "
            f"Give summarise the same {' and '.join(unlike)} for both."
        )

    def _wishes(self) -> dict[str, Any]:
        """Give what is counted in the words of the arguments of ``summarise``."""
        columns = self.columns
        return {
            "truth": columns.truth,
            "score": list(columns.scores) or None,
            "proba": columns.proba or None,
            "sets": columns.sets or columns.members or None,
            "weight": columns.weight or False,
            "groups": columns.groups or False,
            "model": columns.model or False,
            "classes": list(self.classes) or None,
            "pos_label": self.pos_label,
            "rules": self.rules,
            "empty": self.empty,
            "missing": self.missing,
            "drop_missing": self.drop_missing,
            "memory_budget": self.limits.limit * _BYTES_PER_PAIR,
            "resolution": None if self.resolution is None else 2.0**self.resolution,
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as what JSON can hold."""
        rules = {
            name: {"rule": rule.to_json()} if isinstance(rule, Rule) else rule
            for name, rule in self.rules.items()
        }
        fields = asdict(replace(self, rules={})) | {"rules": rules}
        for role in ("proba", "members"):  # equal plans give equal text
            fields["columns"][role] = dict(sorted(fields["columns"][role].items()))
        del fields["names"], fields["place"]  # only for notes here
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Plan:
        """Undo :meth:`to_dict`, also after a detour through JSON."""
        own = dict(fields)
        own["columns"] = Columns(**own["columns"] | {"scores": tuple(own["columns"]["scores"])})
        own["limits"] = Limits(*own["limits"])
        own["classes"] = tuple(own["classes"])
        own["rules"] = {
            name: Rule.from_json(rule["rule"]) if isinstance(rule, dict) else rule
            for name, rule in own["rules"].items()
        }
        plan = cls(**own)
        plan._with_rules(plan.rules)
        if not all(type(limit) is int and limit > 0 for limit in plan.limits):
            raise ValueError(f"limits are {plan.limits}")
        return plan

    def _with_rules(self, rules: Any) -> Plan:
        """Add rules, and make those for more than two classes now."""
        if not isinstance(rules, Mapping):
            every = [rules] if isinstance(rules, Rule | str | float | int) else list(rules)
            rules = {_name_of(rule): rule for rule in every}
        if not (self.binary or self.columns.proba):
            return self  # sets were logged, and there is nothing to decide
        found = {}
        for name, given in rules.items():
            undecided = self.binary and not isinstance(given, Rule)
            rule = made_rule(given, (0, 1) if undecided else self.classes or given.classes)
            found[str(name)] = given if undecided else rule
        return replace(self, rules=found)


def made_rule(given: Any, classes: Sequence[Any]) -> Rule:
    """Make a rule of a rule for the same classes, a utility's name, or a probability."""
    if isinstance(given, str):
        return Rule.utility(given, classes=classes)
    if not isinstance(given, Rule):
        return Rule.confidence(given, classes=classes)
    if sorted(map(label_text, given.classes)) != sorted(map(label_text, classes)):
        raise InputError(
            "{=rules} holds a rule about {given}, but the classes are {classes}.",
            given=listed(given.classes),
            classes=listed(classes),
        )
    return given


def _name_of(rule: Any) -> str:
    """Name the decision of a rule: by its utility, its confidence, its model."""
    if isinstance(rule, Rule):
        return rule.model or rule.kind
    return rule if isinstance(rule, str) else f"confidence {float(rule)!r}"
