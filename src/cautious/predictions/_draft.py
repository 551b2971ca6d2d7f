"""Predictions before their classes are settled, and settling them.

Tables and arrays both become a :class:`Draft`: truths, scores, probabilities and sets as they were
given. :func:`settle` finds the classes and the positive one, brings everything to one order of
classes, and gives the finished :class:`~cautious.predictions.Cases`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cautious._cases import Cases
from cautious._checks import first_row
from cautious._labels import (
    binary_classes,
    label_notes,
    label_text,
    match_label,
    match_labels,
    positive_of_sets,
    sorted_labels,
)
from cautious._messages import note, refusal
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.errors import Message, listed, quoted
from cautious.predictions._cells import Encoded, Place, such_cells
from cautious.predictions._columns import (
    check_class_count,
    check_empty,
    odd_sets,
    parse_sets,
    set_mask,
)
from cautious.sets._written import WrittenSet

__all__ = ["Draft", "Said", "kept_rows", "labels_like", "settle", "weight_notes"]

# Nobody tells more classes apart by a single score: so many different truths are no classes.
_MANY_CLASSES = 20
# A column called weight whose mean is so large may well hold kilograms.
_HEAVY = 10


@dataclass(frozen=True)
class Said:
    """What the caller says about classes and cells."""

    classes: Sequence[Any] | None = None
    pos_label: Any = None
    empty: str = "error"
    missing: str = "error"
    drop_missing: bool = False


@dataclass
class Draft:
    """What a source says of one or more models.

    Attributes
    ----------
    name : str
        The model, where no column says.
    n : int
        Number of cases.
    place : callable
        From a column (None for the whole row) and a row to words that say where that is.
    said : Said
        What the caller says.
    truth : Encoded or None
        True labels.
    scores : dict
        Scores by model; a single one has no name of its own.
    proba, proba_names
        Probabilities, and the class that each column is named after.
    members, member_names
        Mask of sets, and the class that each column is named after.
    written, written_sets
        A column of written sets, and what its distinct values say.
    truth_column, score_column, proba_column, set_column
        What these columns are called, for errors.
    weight, groups, case, model, costs
        As in :class:`Cases`; rows of several models may be mixed.
    guessed_weight
        The column of weights, where only its name says so.
    notes : list of Message
        What was guessed or looks odd.
    source : str
        Where it is from, for errors.
    described : int or None
        Which note says what was taken for what.
    """

    name: str
    n: int
    place: Callable[[Any], Place]
    said: Said
    truth: Encoded | None = None
    scores: dict[str, Floats] = field(default_factory=dict)
    proba: Floats | None = None
    proba_names: list[Any] = field(default_factory=list)
    members: Mask | None = None
    member_names: list[Any] = field(default_factory=list)
    written: Encoded | None = None
    written_sets: list[WrittenSet] = field(default_factory=list)
    truth_column: Any = None
    score_column: Any = None
    proba_column: Any = None
    set_column: Any = None
    weight: Floats | None = None
    guessed_weight: Any = None
    groups: Labels | None = None
    case: Labels | None = None
    model: Encoded | None = None
    costs: Mapping[str, Floats] | None = None
    notes: list[Message] = field(default_factory=list)
    source: str = ""
    described: int | None = None

    @property
    def truths(self) -> list[Any]:
        """Labels that occur among the truths."""
        return [] if self.truth is None else self.truth.values

    def parse(self, known: Collection[str]) -> None:
        """Parse the column of written sets; `known` are texts of classes that are known."""
        if self.written is not None:
            every = {*known, *map(label_text, self.proba_names)}
            self.written_sets = parse_sets(self.written, every, self.place(self.set_column))

    def mentioned(self) -> list[Any]:
        """Labels that occur among the truths or in written sets, or name a column."""
        truths = self.truths
        named = [*self.proba_names, *self.member_names]
        named += [one for row in self.written_sets for one in row.labels or ()]
        return list(dict.fromkeys([*truths, *labels_like(named, truths)]))


def kept_rows(truth: Encoded, said: Said, place: Place) -> tuple[Encoded, Any, list[Message]]:
    """Refuse rows without a truth, or leave them out."""
    absent = truth.codes < 0
    count = int(absent.sum())
    if not count:
        return truth, slice(None), []
    if not said.drop_missing:
        raise refusal("missing truth", place=place(first_row(absent)), cells=such_cells(count))
    if count == len(absent):
        raise refusal("no rows")
    rows = np.flatnonzero(~absent)
    return truth.take(rows), rows, [note("dropped", count=f"{count:,}", n=f"{len(absent):,}")]


def labels_like(names: Sequence[Any], labels: Sequence[Any]) -> list[Any]:
    """Read names as labels: those they mean, or else new ones of the same kind."""
    kinds = {type(label) for label in labels}
    whole = kinds == {int}
    found = match_labels(names, labels)
    return [
        labels[at] if at >= 0 else _new(name, whole) for name, at in zip(names, found, strict=True)
    ]


def _new(name: Any, whole: bool) -> Any:
    text = label_text(name)
    if whole and text.lstrip("+-").isascii() and text.lstrip("+-").isdigit():
        return int(text)
    return text if isinstance(name, str) else name


def settle(draft: Draft, known: Sequence[Any]) -> list[Cases]:
    """Settle the classes of a draft and give its models."""
    said = draft.said
    truths = draft.truths
    declared = None if said.classes is None else labels_like(list(said.classes), truths)
    if declared is not None and len(set(declared)) < len(declared):
        raise refusal("repeated classes", given=listed(said.classes or ()))
    y_proba, scores, positive = draft.proba, dict(draft.scores), said.pos_label
    classes: list[Any]
    if len(draft.proba_names) == 1:
        scores, y_proba, classes = _of_one_column(draft, declared, positive)
    elif y_proba is not None:
        classes = labels_like(draft.proba_names, declared or truths)
        y_proba, classes = _in_order(y_proba, classes, declared)
        _check_truth(draft, classes)
        if len(classes) == 2 or positive is not None:
            pair = _pair(classes, positive, declared)
            scores = {"": y_proba[:, classes.index(pair[1])]}
            order = [classes.index(one) for one in pair] if len(classes) == 2 else []
            y_proba, classes = (y_proba[:, order] if order else None), list(pair)
    elif scores:
        classes = _of_scores(draft, declared, positive)
    else:
        classes = declared or sorted_labels(labels_like(draft.member_names, truths) or known)
        _check_truth(draft, classes)
        if positive is None and declared is not None and len(declared) == 2:
            positive = declared[1]
        positive = positive_of_sets(classes, positive)
    if len(classes) < 2:
        raise refusal("only one class", label=listed(classes))
    check_class_count(classes)
    if scores and draft.written is not None and len(truths) > 2:
        raise refusal("sets of many", classes=listed(sorted_labels(truths)))
    y_set = _sets(draft, classes, said.empty)
    whole = Cases(
        draft.name,
        tuple(classes),
        _codes(draft, classes),
        y_proba=y_proba,
        y_set=y_set,
        pos_label=classes[1] if scores else positive,
        sample_weight=draft.weight,
        groups=draft.groups,
        case=draft.case,
        costs=draft.costs,
        empty=said.empty,
        notes=(*draft.notes, *_notes(draft, classes, declared, scores)),
    )
    if draft.model is not None and draft.weight is not None and not draft.weight.any():
        raise refusal("no weight")
    parts: list[Cases] = []
    for name in scores or [""]:
        score = scores.get(name)
        one = replace(whole, name=name or draft.name, y_score=score)
        missing = int(one.missing.sum())
        if missing:
            said_so = note("missing", count=f"{missing:,}", n=f"{one.n:,}")
            one = replace(one, notes=(*one.notes, said_so))
        parts += _by_model(one, draft.model, several=len(scores) > 1)
    # Of several models the first by name is refused: engines meet the rows in any order.
    named = draft.model is not None
    by_name = {part.name: part for part in parts}
    for name in sorted_labels(by_name) if named else by_name:
        _refuse_one_class(by_name[name], named)
    return parts


def _pair(classes: Sequence[Any], positive: Any, declared: Sequence[Any] | None) -> tuple[Any, Any]:
    """Negative and positive class of probabilities."""
    if declared is not None and len(declared) == 2:
        return binary_classes((), pos_label=positive, classes=tuple(declared))
    return binary_classes(classes, pos_label=positive)


def _of_one_column(
    draft: Draft, declared: list[Any] | None, positive: Any
) -> tuple[dict[str, Floats], None, list[Any]]:
    """Read a single probability: its class is positive, unless the other one is said to be."""
    assert draft.proba is not None
    pool = declared or draft.truths
    (label,) = labels_like(draft.proba_names, pool)
    if pool and label not in pool:
        raise refusal(
            "column of no class",
            column=quoted(draft.proba_column),
            label=quoted(label),
            classes=listed(sorted_labels(pool)),
            near=(label, pool),
        )
    score = draft.proba[:, 0]
    if positive is not None and match_label(positive, [label]) < 0:
        pair = _of_scores(draft, declared, positive)
        if label != pair[0]:
            raise refusal("declared classes", given=quoted(positive), classes=quoted(label))
        draft.notes.append(note("turned", label=quoted(pair[1])))
        return {"": 1 - score}, None, pair
    return {"": score}, None, _of_scores(draft, declared, label)


def _of_scores(draft: Draft, declared: list[Any] | None, positive: Any) -> list[Any]:
    """Negative and positive class of scores."""
    if declared is not None:
        pair = list(binary_classes((), pos_label=positive, classes=tuple(declared)))
        _check_truth(draft, pair)
        return pair
    if draft.member_names:
        named = labels_like(draft.member_names, draft.truths)
        pair = list(binary_classes(named, pos_label=positive))
        _check_truth(draft, pair)
        return pair
    if draft.truth is None:
        if positive is None:
            raise refusal("no classes")
        return [f"not {positive}", positive]
    truths = sorted_labels(draft.truth.values)
    unknown = positive is None or match_label(positive, truths) < 0
    if unknown and len(truths) > _MANY_CLASSES and draft.score_column is not None:
        raise refusal(
            "many truths",
            truth=quoted(draft.truth_column),
            score=quoted(draft.score_column),
            count=len(truths),
        )
    return list(binary_classes(truths, pos_label=positive))


def _in_order(
    proba: Floats, classes: list[Any], declared: list[Any] | None
) -> tuple[Floats, list[Any]]:
    """Bring columns of probabilities into the order of the classes."""
    ordered = sorted_labels(classes) if declared is None else declared
    if sorted(map(str, ordered)) != sorted(map(str, classes)):
        raise refusal("declared classes", given=listed(ordered), classes=listed(classes))
    place = {label: at for at, label in reversed(list(enumerate(classes)))}
    at = [place[one] for one in ordered]
    return (proba if at == list(range(len(at))) else proba[:, at]), ordered


def _check_truth(draft: Draft, classes: Sequence[Any]) -> None:
    """Refuse a truth that is not among the classes."""
    if draft.truth is None:
        return
    found = match_labels(draft.truth.values, classes)
    for at, label in enumerate(draft.truth.values):
        if found[at] < 0:
            row = first_row(draft.truth.codes == at)
            raise refusal(
                "unknown truth",
                place=draft.place(draft.truth_column)(row),
                label=quoted(label),
                classes=listed(sorted_labels(classes)),
                near=(label, sorted_labels(classes)),
            )


def _codes(draft: Draft, classes: Sequence[Any]) -> Ints | None:
    """Encode the truths; whatever is not the positive class is the negative one."""
    if draft.truth is None:
        return None
    position = np.array([*match_labels(draft.truth.values, classes), 0], dtype=np.intp)
    return np.maximum(position, 0)[draft.truth.codes]


def _sets(draft: Draft, classes: Sequence[Any], empty: str) -> Mask | None:
    """Prediction sets in the order of the classes."""
    if draft.members is not None:
        at = match_labels(classes, draft.member_names)
        if min(at) < 0:
            raise refusal("set column missing", label=quoted(classes[first_row(np.array(at) < 0)]))
        mask = draft.members[:, at]
        return check_empty(mask, np.arange(draft.n), draft.place(draft.set_column), empty)
    if draft.written is None:
        return None
    place = draft.place(draft.set_column)
    mask = set_mask(draft.written, draft.written_sets, classes, place, empty)
    return mask[draft.written.codes]


def _notes(
    draft: Draft, classes: list[Any], declared: list[Any] | None, scores: Mapping[str, Any]
) -> Iterator[Message]:
    """Say what looks odd, or was decided."""
    has_sets = draft.members is not None or draft.written is not None
    if has_sets and (scores or draft.proba is not None):
        beside = "probabilities" if draft.proba is not None else "scores"
        yield note("sets are answers", beside=beside)
    if draft.written is not None:
        for key, odd in odd_sets(draft.written_sets).items():
            if count := int(odd[draft.written.codes].sum()):
                yield note(key, count=f"{count:,}", n=f"{draft.n:,}")
        truths = draft.truths
        new = [one for one in classes if truths and match_label(one, truths) < 0]
        if new and declared is None and not draft.proba_names:
            yield note("new class", labels=listed(new))
    named = labels_like(draft.proba_names, declared or draft.truths)
    known = [*draft.truths, *named] if scores else classes
    rows = None if draft.truth is None else draft.truth.counts()
    yield from label_notes(known or classes, classes if scores else None, rows)
    if draft.weight is not None:
        total, n_rows = float(draft.weight.sum()), int(np.count_nonzero(draft.weight))
        yield from weight_notes(total, n_rows, draft.guessed_weight)


def weight_notes(total: float, n_rows: int, guessed: Any = None) -> Iterator[Message]:
    """Say that weights cannot count repetitions, or may be no weights at all."""
    from cautious._random import are_shares

    if are_shares(total, n_rows):
        yield note("shares", rows=f"{n_rows:,}", total=f"{total:.4g}")
    elif guessed is not None and total >= _HEAVY * n_rows > 0:
        yield note(
            "heavy", name=quoted(guessed), rows=f"{n_rows:,}", total=f"{math.floor(total + 0.5):,}"
        )


def _by_model(one: Cases, model: Encoded | None, *, several: bool) -> Iterator[Cases]:
    """Cut the rows of several models apart; one whose rows have no weight is not there."""
    if model is None:
        yield one
        return
    for at, name in [*enumerate(model.values), (-1, "(no name)")]:
        rows = np.flatnonzero(model.codes == at)
        if len(rows) and (one.sample_weight is None or one.sample_weight[rows].any()):
            yield one.take(rows, f"{name}, {one.name}" if several else str(name))


def _refuse_one_class(one: Cases, named: bool) -> None:
    """Refuse scores of which one class does not occur: nothing can be weighed against it."""
    if one.y_score is None or one.codes is None:
        return
    counted = one.codes if one.sample_weight is None else one.codes[one.sample_weight > 0]
    there = [label for code, label in enumerate(one.classes) if (counted == code).any()]
    if len(there) == 2:
        return
    place = quoted(one.name, 60) if named else ""
    if not there:
        raise refusal("no weight", place=place)
    raise refusal("one class", place=place, label=quoted(there[0]))
