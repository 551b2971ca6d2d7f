"""What to count: settled once from the schema, then the same for every batch on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from cautious._labels import (
    binary_classes,
    label_text,
    match_label,
    match_labels,
    named_classes,
    plain_label,
    sorted_labels,
    whole_labels,
)
from cautious._messages import refusal
from cautious.decision import Rule
from cautious.errors import InputError, check_kind, listed, quoted, shown
from cautious.logs.tallies import Limits
from cautious.predictions._columns import (
    Columns,
    check_class_count,
    check_named_classes,
    check_names,
    check_sets_beside,
    guess_columns,
)
from cautious.predictions._draft import labels_like
from cautious.sets import parse_set

__all__ = ["ARGMAX", "SETS", "Plan", "made_rule"]

SETS, ARGMAX = "sets", "argmax"
"""Decisions by name: the sets that were logged, and the most probable class."""

# A pair of a score and a count takes 16 bytes, and as much again while it is sorted.
_BYTES_PER_PAIR = 32
# Once rounded, a sixteenth of the pairs is plenty, and a table of them stays in the cache.
_PAIRS_PER_CELL = 16


@dataclass(frozen=True)
class Plan:
    """What summaries count. Summaries add up if their plans are equal.

    Attributes
    ----------
    columns : Columns
        Where the data are; columns of classes are in the order of `classes`.
    classes : tuple
        Class labels in order, of two classes with scores (negative, positive); empty where they
        are found while reading.
    pos_label : label or None
        The positive class of scores, where it is said.
    rules : dict
        Rules by the names of their decisions. Of more than two classes, their sets are counted; of
        two, they may be the names of utilities and probabilities still.
    empty : {"error", "abstain", "wrong"}
        What an empty prediction set means.
    limits : Limits
        How many scores are kept.
    resolution : int or None
        Exponent of the width of cells to which scores are rounded from the start.
    drop_missing : bool
        Whether rows without a truth are left out.
    missing : {"error", "abstain"}
        What a missing score or probability means.
    turned : bool
        Whether the only column of probabilities is of the negative class.
    names : tuple of str
        All the columns of the source, for notes.
    place : str
        Which files these are, for notes and errors.
    shown : tuple of str
        Columns of probabilities in the order they were found in, for errors.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from cautious.logs import Plan
    >>> plan = Plan.of(pa.schema({"y_true": pa.int8(), "score": pa.float64()}))
    >>> plan.columns.truth, plan.columns.scores
    ('y_true', ('score',))
    """

    columns: Columns
    classes: tuple[Any, ...] = ()
    pos_label: Any = None
    rules: dict[str, Any] = field(default_factory=dict)
    empty: str = "error"
    limits: Limits = field(default_factory=lambda: Limits(1 << 20, 1 << 16))
    resolution: int | None = None
    drop_missing: bool = False
    missing: str = "error"
    turned: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)
    place: str = field(default="", compare=False)
    shown: tuple[str, ...] = field(default=(), compare=False)

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
        """Settle what to count from a schema and what the caller says.

        Parameters
        ----------
        schema : pyarrow.Schema
            Columns of the source.
        classes, pos_label, rules, empty, missing, drop_missing
            See :func:`cautious.logs.summarise`.
        memory_budget, resolution, **columns
            Likewise.
        place : str
            Which files these are.

        Returns
        -------
        Plan

        Examples
        --------
        >>> import pyarrow as pa
        >>> schema = pa.schema({"y_true": pa.string(), "p_a": pa.float64(), "p_b": pa.float64()})
        >>> Plan.of(schema, pos_label="b").classes
        ('a', 'b')
        """
        if not (hasattr(schema, "field") and hasattr(schema, "names")):
            raise TypeError(f"schema is a {type(schema).__name__}; give an Arrow schema.")
        found = guess_columns(check_names(schema.names), **columns)
        for argument, given, allowed in (
            ("empty", empty, ("error", "abstain", "wrong")),
            ("missing", missing, ("error", "abstain")),
        ):
            if given not in allowed:
                known = " or ".join(map(repr, allowed))
                raise refusal("choice", argument=argument, given=quoted(given), allowed=known)
        if classes is None:
            check_named_classes(found, pos_label)
        check_sets_beside(found, pos_label)
        kind, shown = schema.field(found.truth).type, tuple(found.proba.values())
        found, labels, positive = _settled(found, classes, pos_label, kind)
        pairs = int(memory_budget) // _BYTES_PER_PAIR
        if pairs < 1024:
            raise InputError(
                "{=memory_budget} is {given}; give at least {least} bytes.",
                given=memory_budget,
                least=f"{1024 * _BYTES_PER_PAIR:,}",
            )
        limits = Limits(pairs, pairs // _PAIRS_PER_CELL)
        exponent = None if resolution is None else _exponent(resolution)
        turned = pos_label is not None and len(found.proba) == 1
        turned = turned and match_label(pos_label, list(found.proba)) < 0
        seen = (tuple(schema.names), place, shown)
        rest = (limits, exponent, drop_missing, missing, turned, *seen)
        plan = cls(found, labels, positive, {}, empty, *rest)
        return plan if not isinstance(rules, Rule) and not rules else plan._with_rules(rules)

    @property
    def binary(self) -> bool:
        """Whether scores speak for one class against the rest."""
        n_proba = len(self.columns.proba)
        several = n_proba > 2 and self.pos_label is None
        return bool(self.columns.scores) or (n_proba > 0 and not several)

    @property
    def score_columns(self) -> tuple[str, ...]:
        """Columns of scores of two classes; several are several models, named after them."""
        if self.columns.scores or not self.binary:
            return self.columns.scores
        (*_, last) = self.columns.proba.values()
        return (self.columns.proba.get(label_text(self.pos_label), last),)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Names of the decisions whose sets are counted."""
        logged = self.columns.sets is not None or bool(self.columns.members)
        probable = bool(self.columns.proba) and not self.binary
        return (SETS,) * logged + (ARGMAX, *self.rules) * probable

    def decision_of(self, rule: Rule) -> str:
        """Name the decision of a rule that is counted.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from cautious.decision import Rule
        >>> rule = Rule.window(0.2, 0.8)
        >>> plan = Plan.of(pa.schema({"y_true": pa.int8(), "score": pa.float64()}), rules=[rule])
        >>> plan.decision_of(rule)
        'window'
        """
        for name, known in self.rules.items():
            if known == rule:
                return name
        raise InputError(
            "the rule {rule} was not counted; give it to summarise as {=rules}.", rule=repr(rule)
        )

    def with_classes(
        self,
        truths: Iterable[Any],
        written: Iterable[Any],
        place: Callable[[Any], str] = lambda text: "",
    ) -> Plan:
        """Add the classes that occur as truths or in written sets.

        Parameters
        ----------
        truths, written : iterable
            Labels and written sets that occur.
        place : callable
            From a written set to where it is, for errors.
        """
        labels = set(whole_labels({plain_label(label) for label in truths} - {None}))
        known = {label_text(label) for label in labels}
        members: dict[Any, None] = {}
        for text in written:
            try:
                members |= dict.fromkeys(parse_set(text, known).labels or ())
            except InputError as error:
                raise error.at(place(text)) from None
        found = sorted_labels({*labels, *labels_like(list(members), list(labels))})
        if self.binary:
            if len(labels) > 2 and self.pos_label is not None:
                raise refusal("sets of many", classes=listed(sorted_labels(labels)))
            found = list(binary_classes(sorted_labels(labels), pos_label=self.pos_label))
            return replace(self, classes=tuple(found), pos_label=found[1])
        if not found:
            raise refusal("no rows")
        if self.pos_label is not None:
            binary_classes(found, pos_label=self.pos_label)  # says if there is no such class
        if len(found) < 2:
            raise refusal("only one class", label=listed(found))
        check_class_count(found)
        return replace(self, classes=tuple(found))

    def difference(self, other: Plan) -> str:
        """Say in what two plans differ, and what makes them the same.

        Examples
        --------
        >>> import pyarrow as pa
        >>> schema = pa.schema({"y_true": pa.int8(), "score": pa.float64()})
        >>> Plan.of(schema).difference(Plan.of(schema, resolution=0.25))
        'these summaries count different things, so they do not add up: resolution is None in one \
and 0.25 in the other. Give summarise the same resolution for both.'
        """
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
        """Give the plan as what JSON can hold.

        Examples
        --------
        >>> import pyarrow as pa
        >>> plan = Plan.of(pa.schema({"y_true": pa.int8(), "score": pa.float64()}))
        >>> plan.to_dict()["empty"]
        'error'
        """
        rules = {
            name: {"rule": rule.to_json()} if isinstance(rule, Rule) else rule
            for name, rule in self.rules.items()
        }
        fields = asdict(replace(self, rules={})) | {"rules": rules}
        only_here = ("names", "place", "shown")
        return {name: value for name, value in fields.items() if name not in only_here}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Plan:
        """Undo :meth:`to_dict`, also after a detour through JSON.

        Examples
        --------
        >>> import pyarrow as pa
        >>> plan = Plan.of(pa.schema({"y_true": pa.int8(), "score": pa.float64()}))
        >>> Plan.from_dict(plan.to_dict()) == plan
        True
        """
        check_kind(fields, Mapping, "fields", "what to_dict returns")
        own = dict(fields)
        if missing := {"columns", "limits", "classes", "rules"} - set(own):
            raise ValueError(f"fields lack {listed(sorted(missing))}; give what to_dict returns.")
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


def _settled(
    columns: Columns, classes: Sequence[Any] | None, pos_label: Any, kind: Any
) -> tuple[Columns, tuple[Any, ...], Any]:
    """Settle classes, their columns in the same order, and the positive class, as far as known."""
    declared = None if classes is None else [plain_label(label) for label in classes]
    positive = None if pos_label is None else _typed(pos_label, kind, declared or ())
    if len(columns.proba) == 1 and (
        positive is None or match_label(positive, list(columns.proba)) >= 0
    ):
        (name,) = columns.proba
        positive = _typed(name, kind, declared or ())
    if declared is not None and len(declared) == 2 and positive is None:
        positive = declared[1]
    named = [table for table in (columns.proba, columns.members) if len(table) > 1]
    if not named:
        if declared is None or (positive is not None and len(declared) != 2):
            return columns, (), positive
        if columns.scores or columns.proba:
            negative, positive = binary_classes((), pos_label=positive, classes=declared)
            return columns, (negative, positive), positive
        return columns, tuple(declared), positive
    orders = [_labels_of(list(table), declared, kind) for table in named]
    labels = sorted_labels(orders[0]) if declared is None else declared
    if columns.scores or len(columns.proba) == 2:
        names = named_classes(labels)
        labels = [labels[names.index(one)] for one in binary_classes(names, pos_label=positive)]
        positive = labels[1]
    elif columns.proba and positive is not None:
        _, positive = binary_classes(labels, pos_label=positive)
    proba, members = (
        _in_order(table, order, labels) if len(table) > 1 else table
        for table, order in ((columns.proba, orders[0]), (columns.members, orders[-1]))
    )
    return replace(columns, proba=proba, members=members), tuple(labels), positive


def _in_order(table: dict[str, str], order: list[Any], labels: Sequence[Any]) -> dict[str, str]:
    """Bring the columns of classes into the order of the classes."""
    column = dict(zip(order, table.values(), strict=True))
    return {label_text(label): column[label] for label in labels}


def _labels_of(names: list[str], declared: list[Any] | None, kind: Any) -> list[Any]:
    """Labels of columns: those declared, or as the truths are."""
    if declared is None:
        return [_typed(name, kind) for name in names]
    at = match_labels(names, declared)
    if sorted(at) != list(range(len(declared))):
        raise refusal("declared classes", given=listed(declared), classes=listed(names))
    return [declared[i] for i in at]


def _typed(name: Any, kind: Any, declared: Sequence[Any] = ()) -> Any:
    """Read a label in the type that the column of truths has; as it is, where it does not fit."""
    import pyarrow.types as types

    at = match_label(name, declared)
    if at >= 0:
        return declared[at]
    if types.is_dictionary(kind):
        kind = kind.value_type
    text = label_text(name)
    try:
        if types.is_boolean(kind):
            return (False, True, text)[match_label(text, (False, True))]
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            return plain_label(float(text)) if not text.lstrip("+-").isdigit() else int(text)
    except ValueError:
        pass
    return text


def _exponent(resolution: float) -> int:
    """Exponent of the largest power of two that does not exceed a resolution."""
    if not 2.0**-200 <= resolution < 2.0**800:
        raise InputError(
            "{=resolution} is {given}; give the width that scores may be rounded to, for example "
            "0.001.",
            given=resolution,
        )
    return int(np.frexp(resolution)[1]) - 1
