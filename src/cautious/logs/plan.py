"""What to count: settled once from the schema, then the same for every batch on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cautious._typing import Labels
from cautious.logs.arrow_columns import plain
from cautious.logs.columns import CLASS_PREFIXES, Columns, guess_columns, listed, prefixed
from cautious.logs.score_tally import Limits
from cautious.sets import check_classes
from cautious.utility import read_utility

__all__ = ["ARGMAX", "SETS", "Plan", "confidence_decision", "make_plan"]

SETS, ARGMAX = "sets", "argmax"
"""Decisions by name: the sets that were logged, and the likeliest class."""

# A pair of a score and a count takes 16 bytes, and as much again while it is sorted.
_BYTES_A_PAIR = 32
# Once rounded, a sixteenth of the pairs is plenty, and a table of them stays in the cache.
_PAIRS_A_CELL = 16


def confidence_decision(least: float) -> str:
    """Name the decision for the likeliest class where it is at least so likely.

    Examples
    --------
    >>> confidence_decision(0.8)
    'confidence 0.8'
    """
    return f"confidence {float(least)!r}"


@dataclass(frozen=True)
class Plan:
    """What summaries count. Summaries add up if their plans are equal.

    Attributes
    ----------
    columns : Columns
        Where the data are.
    classes : tuple
        Class labels in order; empty for scores of two classes that are to be found out.
    pos_label : label or None
        The positive class of scores.
    utilities : tuple of str
        Utilities whose optimal sets are counted besides the likeliest class.
    confidences : tuple of float
        Probabilities below which the likeliest class is not answered, counted as well.
    empty : {"error", "abstain"}
        What an empty prediction set means.
    limits : Limits
        How many scores are kept.
    resolution : int or None
        Exponent of the width of cells to which scores are rounded from the start.
    at_least : int or None
        An exponent that other data are known to need. It spares work and changes no result.
    """

    columns: Columns
    classes: tuple[Any, ...] = ()
    pos_label: Any = None
    utilities: tuple[str, ...] = ()
    confidences: tuple[float, ...] = ()
    empty: str = "error"
    limits: Limits = field(default_factory=lambda: Limits(1 << 20, 1 << 16))
    resolution: int | None = None
    at_least: int | None = field(default=None, compare=False)

    @property
    def binary(self) -> bool:
        """Whether scores speak for one class against the rest."""
        return self.columns.score is not None or 0 < len(self.columns.proba) <= 2

    @property
    def has_sets(self) -> bool:
        """Whether prediction sets were logged."""
        return bool(self.columns.members) or self.columns.sets is not None

    @property
    def decisions(self) -> tuple[str, ...]:
        """Names of the decisions whose sets are counted."""
        likeliest = (ARGMAX,) if self.columns.proba and not self.binary else ()
        by_confidence = map(confidence_decision, self.confidences)
        return ((SETS,) if self.has_sets else ()) + (*likeliest, *self.utilities, *by_confidence)

    @property
    def exponent(self) -> int | None:
        """Exponent of the cells that a batch may be rounded to at once."""
        known = [e for e in (self.resolution, self.at_least) if e is not None]
        return max(known) if known else None

    def knowing(self, exponent: int | None) -> Plan:
        """Return the same plan with the hint that all the data need at least this exponent."""
        return self if exponent == self.at_least else replace(self, at_least=exponent)


def make_plan(
    schema: Any,
    *,
    where: str = "",
    truth: str | None = None,
    score: str | None = None,
    probabilities: Mapping[Any, str] | Sequence[str] | str | None = None,
    sets: Mapping[Any, str] | Sequence[str] | str | None = None,
    weight: str | bool | None = None,
    group: str | bool | None = None,
    model: str | bool | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    utilities: Sequence[str] = (),
    confidences: Sequence[float] = (),
    empty: str = "error",
    memory_budget: int = 32 << 20,
    resolution: float | None = None,
) -> Plan:
    """Settle what to count from a schema and the caller's wishes.

    Parameters
    ----------
    schema : pyarrow.Schema
        Columns of the source.
    where : str
        What to call the source in an error about its columns.
    truth, score, probabilities, sets, weight, group, model, classes, pos_label, utilities, \
confidences, empty, memory_budget, resolution
        See :func:`cautious.logs.summarise`.

    Returns
    -------
    Plan
    """
    try:
        columns = _columns(schema, truth, score, probabilities, sets, weight, group, model)
        for name in columns.names():
            if schema.names.count(name) > 1:
                raise ValueError(f"two columns are called {name!r}; give each its own name.")
            if name not in schema.names:
                raise ValueError(
                    f"there is no column {name!r}; the columns are {listed(schema.names)}."
                )
    except ValueError as error:
        raise ValueError(f"{where}: {error}" if where else str(error)) from None
    if empty not in ("error", "abstain"):
        raise ValueError(f"empty is {empty!r}; choose 'error' or 'abstain'.")
    for name in utilities:
        read_utility(name)
    for least in confidences:
        if not 0 <= least <= 1:
            raise ValueError(f"confidences holds {least}; give probabilities, between 0 and 1.")
    if len(columns.proba) < 2 and (len(utilities) or len(confidences)):
        raise ValueError(
            f"{'utilities' if len(utilities) else 'confidences'} is given, but sets are chosen by "
            "the probabilities of all classes; this log has no column 'p_<class>' for each."
        )
    pos_label = plain(pos_label)
    labels = _classes(columns, classes, schema.field(columns.truth).type)
    if len(columns.proba) == 1:
        ((text, _),) = columns.proba.items()
        pos_label = _typed([text], schema.field(columns.truth).type)[0]
        labels = () if classes is None else labels
    if columns.score is None and len(columns.proba) == 2 and pos_label is None:
        pos_label = labels[1]
    if pos_label is not None and labels and pos_label not in labels:
        raise ValueError(f"pos_label is {pos_label!r}, which is not among the classes {labels}.")
    return Plan(
        columns=columns,
        classes=labels,
        pos_label=pos_label,
        utilities=tuple(utilities),
        confidences=tuple(map(float, confidences)),
        empty=empty,
        limits=_limits(memory_budget),
        resolution=_exponent(resolution),
    )


def _columns(
    schema: Any, truth: Any, score: Any, probabilities: Any, sets: Any, *rest: Any
) -> Columns:
    """Columns as given, and guessed where nothing is given."""
    names = schema.names
    asked = not (score is None and probabilities is None and sets is None)
    if score is not None and probabilities is not None:
        raise ValueError("both score= and probabilities= are given; give one of them.")
    # A column that is asked for stands in for the guess, so that guessing cannot fail on it.
    guess = guess_columns([*names, "score"] if asked else names, truth=truth)
    found: dict[str, Any] = {}
    for what, given in zip(("weight", "group", "model"), rest, strict=True):
        found[what] = getattr(guess, what) if given is None else (given or None)
    if not asked:
        return Columns(guess.truth, guess.score, guess.proba, guess.members, guess.sets, **found)
    written, members = (sets, {}) if isinstance(sets, str) else (None, _by_class(sets, names))
    if isinstance(probabilities, str):
        proba = prefixed(names, (probabilities,))
        if not proba:
            raise ValueError(
                f"no column begins with probabilities={probabilities!r}; the columns are "
                f"{listed(names)}."
            )
    else:
        proba = _by_class(probabilities, names)
    return Columns(guess.truth, score, proba, members, written, **found)


def _by_class(given: Any, names: Sequence[str]) -> dict[str, str]:
    """Columns of classes, from a mapping or from names such as ``p_<class>``."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(label): column for label, column in given.items()}
    found = {}
    for column in given:
        parts = prefixed([column], (*CLASS_PREFIXES, "set_", "in_"))
        found[next(iter(parts), str(column))] = column
    return found


def _classes(columns: Columns, classes: Any, kind: Any) -> tuple[Any, ...]:
    """Class labels: as declared, or as the columns are named, in the type of the truths."""
    named = columns.proba or columns.members
    both = (list(columns.proba), list(columns.members))
    if all(len(part) > 1 for part in both) and both[0] != both[1]:
        raise ValueError(
            f"the columns of probabilities are of the classes {both[0]} and those of sets of "
            f"{both[1]}; give both for the same classes, in the same order."
        )
    if classes is None:
        return tuple(_typed(list(named), kind)) if named else ()
    labels: Labels = check_classes(classes)
    if len(named) > 1 and len(labels) != len(named):
        raise ValueError(
            f"classes holds {len(labels)} labels, but there are {len(named)} columns of classes: "
            f"{listed(list(named.values()))}."
        )
    return tuple(map(plain, labels.tolist()))


def _typed(texts: list[str], kind: Any) -> list[Any]:
    """Class labels from column names, in the type that the column of truths has."""
    import pyarrow.types as types

    try:
        if types.is_integer(kind):
            return [int(text) for text in texts]
        if types.is_floating(kind):
            return [float(text) for text in texts]
        if types.is_boolean(kind):
            return [{"true": True, "1": True, "false": False, "0": False}[t.lower()] for t in texts]
    except (ValueError, KeyError):
        raise ValueError(
            f"the truths are of type {kind}, but the columns name the classes {listed(texts)}; "
            "pass classes= with the label of each column, in order."
        ) from None
    return texts


def _limits(memory_budget: int) -> Limits:
    pairs = int(memory_budget) // _BYTES_A_PAIR
    if pairs < 1024:
        raise ValueError(
            f"memory_budget is {memory_budget}; give at least {1024 * _BYTES_A_PAIR:,} bytes."
        )
    return Limits(pairs, pairs // _PAIRS_A_CELL)


def _exponent(resolution: float | None) -> int | None:
    """Exponent of the largest power of two that does not exceed a resolution."""
    if resolution is None:
        return None
    if not 2.0**-200 <= resolution < 2.0**800:
        raise ValueError(
            f"resolution is {resolution}; give the width that scores may be rounded to, for "
            "example 0.001."
        )
    return int(np.frexp(resolution)[1]) - 1
