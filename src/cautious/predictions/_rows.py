"""Rows of predictions, read and checked; their classes, settled; and the cases that they are.

A source is read whole, or batch by batch, by the same functions. :func:`read_rows` reads columns of
a table to :class:`Rows`. :func:`settle` finds the classes from the names of columns and what the
caller says, :func:`final_classes` once all truths are known. :func:`cases_of` gives the finished
:class:`~cautious.predictions.Cases` of each model; a log counts its batches without that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from cautious._cases import Cases
from cautious._checks import EMPTY, check_choice, first_row
from cautious._input_limits import CLASSES, GROUPS
from cautious._labels import (
    GRADES,
    binary_classes,
    label_notes,
    label_text,
    match_label,
    match_labels,
    named_classes,
    plain_label,
    positive_of_sets,
    sorted_labels,
)
from cautious._messages import hint, note, refusal
from cautious._typing import Floats, Ints, Mask
from cautious.errors import InputError, Message, counted, listed, quoted
from cautious.predictions._cells import (
    NUMBER,
    Encoded,
    Numbers,
    Place,
    check_costs,
    check_labels,
    check_numbers,
    check_weights,
    grouped,
    plain_labels,
    texts,
)
from cautious.predictions._columns import Columns, Grades, memberships
from cautious.predictions._probabilities import are_plain, check_probability_rows, two_scales
from cautious.predictions._table import Cells, Table, table_of_batch
from cautious.sets._written import WrittenSet, parse_set

NO_NAME = {"model": "(no name)", "groups": ""}
"""What cases without a model or a group of their own are called."""

# Nobody tells more classes apart by a single score: so many different truths are no classes.
_MANY_CLASSES = 20
# A column called weight whose mean is so large may well hold kilograms.
_HEAVY = 10


@dataclass(frozen=True)
class Options:
    """What the caller says about classes and cells."""

    classes: Sequence[Any] | None = None
    pos_label: Any = None
    empty: str = "error"
    missing: str = "error"
    drop_missing: bool = False

    def __post_init__(self) -> None:
        """Refuse choices that there are not."""
        check_choice(self.empty, "empty", EMPTY)
        check_choice(self.missing, "missing", EMPTY[:2])


@dataclass
class Rows:
    """What a table, a batch of it, or arrays say of one or more models.

    Attributes
    ----------
    n : int
        Number of cases.
    place : callable
        From a column (None for the whole row) and a row to words that say where that is.
    columns : Columns
        What the columns are called.
    options : Options
        What the caller says.
    truth : Encoded or None
        True labels.
    truths : list
        Those that occur.
    scores : dict
        Scores by column.
    proba, members : ndarray of shape (n, K), optional
        Probabilities, and sets as a mask, in the order of the columns.
    written, sets
        A column of written sets, and what its distinct values say.
    weight, groups, case, model, costs
        As in :class:`Cases`; rows of several models may be mixed.
    grades : mapping
        Of graded answers: what was answerable, and the judge's grades.
    rest : Rows or None
        Of graded answers: those without a grade.
    odd : dict
        How many rows were left out, or divided by their sum.
    notes : list of Message
        The same in words.
    """

    n: int
    place: Callable[[Any], Place]
    columns: Columns
    options: Options
    truth: Encoded | None = None
    truths: list[Any] = field(default_factory=list)
    scores: dict[Any, Floats] = field(default_factory=dict)
    proba: Floats | None = None
    members: Mask | None = None
    written: Encoded | None = None
    sets: list[WrittenSet] = field(default_factory=list)
    weight: Floats | None = None
    groups: Encoded | None = None
    case: Encoded | None = None
    model: Encoded | None = None
    costs: Mapping[str, Floats] | None = None
    grades: Mapping[str, Any] = field(default_factory=dict)
    rest: Rows | None = None
    odd: dict[str, int] = field(default_factory=dict)
    notes: list[Message] = field(default_factory=list)

    def add_truth(self, truth: Encoded) -> Ints | None:
        """Take truths over, refuse rows without one or leave them out; give the rows kept."""
        absent = truth.codes < 0
        count = int(np.count_nonzero(absent))
        self.truth, self.truths = truth, truth.values
        if not count:
            return None
        place = self.place(self.columns.truth)
        if not self.options.drop_missing and self.columns.judge is None:
            raise refusal(
                "missing grade" if self.columns.graded else "missing truth",
                place=place(first_row(absent)),
                cells=counted(count, "such cell"),
            )
        rows, place_of = np.flatnonzero(~absent), self.place
        self.place = lambda column: lambda row: place_of(column)(int(rows[row]))
        self.odd["dropped"] = count
        key = "dropped" if self.columns.judge is None else "judged alone"
        self.notes.append(note(key, count=f"{count:,}", n=f"{self.n:,}"))
        self.truth, self.n = truth.take(rows), len(rows)
        self.truths = self.truth.values
        return rows

    def add_probabilities(self, columns: dict[Any, Numbers], *, whole: bool = True) -> None:
        """Check probabilities, one column per class, and make up for their having been rounded."""
        values = [numbers.values for numbers in columns.values()]
        # Rows in one piece of memory; of a batch, columns, which are quicker to go through.
        self.proba = np.column_stack(values) if whole else np.stack(values).T
        if are_plain(self.proba) and not any(len(numbers.odd) for numbers in columns.values()):
            return
        for name, numbers in columns.items():
            check_numbers(numbers, self.place(name), missing=self.options.missing)
        eps = max(numbers.eps for numbers in columns.values())
        self.proba, odd, notes = check_probability_rows(self.proba, [*columns], self.place, eps)
        self.odd |= odd
        self.notes += notes

    def parse(self, known: Collection[str]) -> None:
        """Parse the column of written sets; `known` are texts of classes that are known."""
        if self.written is None:
            return
        every, place = {*known, *map(label_text, self.columns.proba)}, self.place(self.columns.sets)
        for at, value in enumerate(self.written.values):
            try:
                self.sets.append(parse_set(value, every))
            except InputError as error:
                raise error.at(place(first_row(self.written.codes == at))) from None
        self.sets.append(WrittenSet(()))  # of missing cells

    def proba_of(self, classes: Sequence[Any]) -> Floats:
        """Give probabilities in the order of classes that have columns."""
        assert self.proba is not None
        at = column_order(self.columns.proba, classes)
        return self.proba if at == list(range(len(at))) else self.proba[:, at]

    def mentioned(self) -> list[Any]:
        """Labels that occur among the truths or in written sets, or name a column."""
        named = [*self.columns.proba, *self.columns.members]
        named += [label for row in self.sets for label in row.labels or ()]
        return list(dict.fromkeys([*self.truths, *labels_like(named, self.truths)]))


def read_rows(table: Table, columns: Columns, options: Options, *, whole: bool = True) -> Rows:
    """Read columns of a table, or of one batch of it, and check every cell."""
    labels = [columns.truth, columns.sets, columns.model, columns.groups, columns.case]
    labels += [columns.answerable, columns.judge, *columns.members.values()]
    numbers = [*columns.scores, *columns.proba.values(), *columns.costs.values(), columns.weight]
    both = [[name for name in dict.fromkeys(one) if name is not None] for one in (labels, numbers)]
    cells = table.load(*both)
    if whole and not cells.n:
        raise refusal("no rows")
    rows, kept = Rows(cells.n, table.place, columns, options), None
    if columns.graded:
        grades = Grades.of(cells.labels, columns, table.place)
        kept = rows.add_truth(grades.truth)
        rows.grades = grades.take(slice(None) if kept is None else kept)
        if kept is not None:
            absent = np.flatnonzero(grades.codes < 0)
            rows.rest = Rows(len(absent), table.place, columns, options, grades=grades.take(absent))
            _add_columns(rows.rest, cells.take(absent), whole=whole)
    elif columns.truth is not None:
        truth = plain_labels(cells.labels[columns.truth], whole=whole)
        kept = rows.add_truth(check_labels(truth, columns.truth, table.place(columns.truth)))
    if whole and not rows.n:
        raise refusal("no rows")
    _add_columns(rows, cells if kept is None else cells.take(kept), whole=whole)
    return rows


def _add_columns(rows: Rows, cells: Cells, *, whole: bool) -> None:
    """Check and take over everything but the truths."""
    columns, place = rows.columns, rows.place
    missing = "abstain" if columns.graded else rows.options.missing
    if columns.weight is not None:
        weight = check_numbers(cells.numbers[columns.weight], place(columns.weight))
        rows.weight = check_weights(weight, place(columns.weight))
    try:
        for score in columns.scores:
            rows.scores[score] = check_numbers(cells.numbers[score], place(score), missing=missing)
    except InputError as error:
        raise _maybe_swapped(error, rows) from None
    if columns.proba:
        matrix = {proba: cells.numbers[proba] for proba in columns.proba.values()}
        rows.add_probabilities(matrix, whole=whole)
    if columns.members:
        members = [memberships(cells.labels[one], place(one)) for one in columns.members.values()]
        rows.members = np.column_stack(members)
    elif columns.sets is not None:
        rows.written = cells.labels[columns.sets]
    if (name := columns.model) is not None:
        rows.model = plain_labels(check_labels(cells.labels[name], name, place(name)), text=True)
    if (name := columns.groups) is not None:
        rows.groups = check_labels(cells.labels[name], name, place(name), most=GROUPS)
    if (name := columns.case) is not None:
        rows.case = check_labels(cells.labels[name], name, place(name), most=None)
    if columns.costs:
        costs = {
            key: check_numbers(cells.numbers[cost], place(cost))
            for key, cost in columns.costs.items()
        }
        rows.costs = check_costs(costs, lambda key: place(columns.costs[key]))


def labels_in(batch: Any, name: str, *, text: bool = False, most: int | None = CLASSES) -> Encoded:
    """Read one column of labels of an Arrow batch."""
    labels = table_of_batch(batch).load([name], []).labels[name]
    return check_labels(plain_labels(labels, text=text, whole=False), name, most=most)


def _maybe_swapped(error: InputError, rows: Rows) -> InputError:
    """Ask whether truths and scores are swapped, where many truths are numbers."""
    written = [one for one in rows.truths if isinstance(one, str)]
    if len(rows.truths) <= 2 or not all(map(NUMBER.fullmatch, written)):
        return error
    truth, score = rows.columns.truth, rows.columns.scores[0]
    swapped = hint("swapped", truth=quoted(truth), score=quoted(score))
    return InputError(error.message.with_hints(swapped))


def labels_like(names: Sequence[Any], labels: Sequence[Any]) -> list[Any]:
    """Read names as labels: those they mean, or else new ones of the same kind."""
    kinds = {type(label) for label in labels}
    found = match_labels(names, labels) if names else []
    return [
        labels[at] if at >= 0 else _new(name, kinds) for name, at in zip(names, found, strict=True)
    ]


def _new(name: Any, kinds: set[type]) -> Any:
    """Make a label of a name: a number, if all others are, otherwise text."""
    text = label_text(name)
    if kinds and kinds <= {int, float} and text.isascii():
        if text.lstrip("+-").isdigit():
            return int(text)
        if float in kinds and NUMBER.fullmatch(text):
            return plain_label(float(text))
    return text if isinstance(name, str) else name


class Settled(NamedTuple):
    """Classes, as far as they are known.

    Attributes
    ----------
    classes : tuple
        Labels that truths must be among, in order; empty where any label may be a truth. Of scores
        of two classes, (negative, positive).
    pos_label : label or None
        The positive class, where it is said, plain or named by a column.
    turned : bool
        Whether the only column of probabilities is of the negative class.
    """

    classes: tuple[Any, ...] = ()
    pos_label: Any = None
    turned: bool = False


def is_binary(columns: Columns, pos_label: Any) -> bool:
    """Tell whether scores speak for one class against the rest."""
    n_proba = len(columns.proba)
    return bool(columns.scores) or 0 < n_proba < 3 or (n_proba > 2 and pos_label is not None)


def settle(columns: Columns, options: Options, truths: Sequence[Any]) -> Settled:
    """Settle classes and the positive one from what is said and what columns are called."""
    # truths are the labels that occur, or, before any row is read, labels of their kind.
    if columns.graded:
        return Settled(GRADES, GRADES[1])
    declared = None if options.classes is None else labels_like(list(options.classes), truths)
    if declared is not None and len(set(declared)) < len(declared):
        raise refusal("repeated classes", given=listed(options.classes or ()))
    pool, positive, turned = declared or truths, options.pos_label, False
    if positive is not None:
        (positive,) = labels_like([positive], pool)
    if len(columns.proba) == 1:
        (label,) = labels_like(list(columns.proba), pool)
        turned = positive is not None and match_label(positive, [label]) < 0
        positive = positive if turned else label
    if columns.members or columns.sets is not None:
        _check_sets_beside(columns, positive, pool)
    names = columns.proba if len(columns.proba) > 1 else columns.members
    binary = is_binary(columns, positive)
    # Of sets the second of two classes that are declared is positive, unless it is said.
    two = declared if declared is not None and len(declared) == 2 else (None, None)
    of_sets = two[1] if positive is None else positive
    if not names:
        if not binary or declared is None:
            return Settled(tuple(declared or ()), of_sets, turned)
        pair = binary_classes((), pos_label=positive, classes=tuple(declared))
        return Settled(pair, pair[1], turned)
    _check_count(names)
    classes = labels_like(named_classes(names), pool)
    if len(classes) == 1 and not columns.scores:
        raise refusal("only one class", label=listed(classes))
    ordered = sorted_labels(classes) if declared is None else declared
    if sorted(map(str, ordered)) != sorted(map(str, classes)):
        raise refusal("declared classes", given=listed(ordered), classes=listed(classes))
    if columns.scores or 0 < len(columns.proba) < 3:
        said = declared is not None or positive is not None
        known = ordered if said and len(ordered) == 2 else None
        pair = binary_classes(ordered, pos_label=positive, classes=known)
        return Settled(pair, pair[1], turned)
    if columns.proba and positive is not None:
        positive = binary_classes(ordered, pos_label=positive)[1]
    return Settled(tuple(ordered), positive if columns.proba else of_sets)


def _check_count(classes: Collection[Any]) -> None:
    """Refuse more classes than are read."""
    if len(classes) > CLASSES:
        raise refusal("too many classes", count=f"{len(classes):,}", most=f"{CLASSES:,}")


def _check_sets_beside(columns: Columns, positive: Any, pool: Sequence[Any]) -> None:
    """Refuse sets that are of other or more classes than the scores beside them."""
    proba, members = named_classes(columns.proba), named_classes(columns.members)
    matched = [set(labels_like(names, pool or (False, True))) for names in (proba, members)]
    if len(proba) > 1 and members and matched[0] != matched[1]:
        one, other = listed(sorted_labels(proba)), listed(sorted_labels(members))
        raise refusal("sets of other classes", one=one, other=other)
    has_score = bool(columns.scores) or len(proba) == 1
    one_class = len(proba) > 2 and positive is not None
    if one_class or (has_score and len(members) > 2):
        raise refusal(
            "sets of many", classes=listed(sorted_labels(proba if one_class else members))
        )


def final_classes(
    columns: Columns, settled: Settled, truths: Sequence[Any] | None, mentioned: Sequence[Any] = ()
) -> tuple[list[Any], Any]:
    """Give all classes, and the positive one, once everything has been read."""
    # truths are the labels that occur, None where they are not known, and mentioned those
    # that written sets name as well.
    classes, positive = list(settled.classes), settled.pos_label
    if not is_binary(columns, positive):
        classes = classes or sorted_labels(mentioned)
        _check_count(classes)
        if len(classes) < 2:
            raise refusal("only one class", label=listed(classes))
        return classes, None if columns.proba else positive_of_sets(classes, positive)
    pool, label = classes or sorted_labels(truths or ()), None
    if len(columns.proba) == 1:
        ((name, column),) = columns.proba.items()
        (label,) = labels_like([name], pool)
        if pool and label not in pool:
            raise refusal(
                "column of no class",
                column=quoted(column),
                label=quoted(label),
                classes=listed(sorted_labels(pool)),
                near=(label, pool),
            )
    if len(classes) == 2:
        pair = (classes[0], classes[1])
    elif truths is None and not classes:
        if positive is None:
            raise refusal("no classes")
        pair = (f"not {positive}", positive)
    else:
        unknown = positive is None or match_label(positive, pool) < 0
        if unknown and len(pool) > _MANY_CLASSES and columns.scores:
            raise refusal(
                "many truths",
                truth=quoted(columns.truth),
                score=quoted(columns.scores[0]),
                count=len(pool),
            )
        pair = binary_classes(pool, pos_label=positive)
    if settled.turned and label != pair[0]:
        raise refusal("declared classes", given=quoted(positive), classes=quoted(label))
    return list(pair), pair[1]


def column_order(names: Iterable[Any], classes: Sequence[Any]) -> list[int]:
    """Position of the column of each class, -1 where there is none."""
    found = match_labels(list(names), classes)
    place = {at: column for column, at in reversed(list(enumerate(found)))}
    return [place.get(at, -1) for at in range(len(classes))]


def positions_of_truths(rows: Rows, known: Sequence[Any]) -> Ints:
    """Positions of the labels that occur as truths in the known classes; all must be there."""
    assert rows.truth is not None
    codes, values = rows.truth
    among = np.array(match_labels(values, known), dtype=np.intp)
    if (among < 0).any():
        row = first_row((among < 0)[codes])
        label, ordered = values[codes[row]], sorted_labels(known)
        raise refusal(
            "unknown truth",
            place=rows.place(rows.columns.truth)(row),
            label=quoted(label),
            classes=listed(ordered),
            near=(label, ordered),
        )
    return among


def logged_sets(rows: Rows, classes: Sequence[Any]) -> tuple[Mask, Ints | None]:
    """Give sets in the order of classes: of all rows, or distinct ones and which each row has."""
    columns, empty, place = rows.columns, rows.options.empty, rows.place(rows.columns.sets)
    which = None
    if rows.members is not None:
        at = column_order(columns.members, classes)
        if min(at) < 0:
            raise refusal("set column missing", label=quoted(classes[first_row(np.array(at) < 0)]))
        mask, codes = rows.members[:, at], np.arange(rows.n)
    else:
        assert rows.written is not None
        codes, n_distinct = rows.written.codes, len(rows.written.values)
        which = np.where(codes < 0, n_distinct, codes)
        members = list(dict.fromkeys(one for row in rows.sets for one in row.labels or ()))
        position = dict(zip(members, match_labels(members, classes), strict=True))
        mask = np.array([[row.labels is None] * len(classes) for row in rows.sets])
        for at_set, row in enumerate(rows.sets):
            for one in row.labels or ():
                if position[one] < 0:
                    raise refusal(
                        "set unknown class",
                        place=place(first_row(codes == at_set)),
                        label=quoted(one),
                        classes=listed(classes),
                        near=(one, classes),
                    )
                mask[at_set, position[one]] = True
    hollow = np.asarray(~mask.any(axis=1))
    there = hollow[codes]
    if empty == "error" and there.any():
        cells = counted(int(there.sum()), "such cell")
        raise refusal("empty set", place=place(first_row(there)), cells=cells)
    return mask | hollow[:, None] if empty == "abstain" else mask, which


def odd_sets(sets: Sequence[WrittenSet]) -> dict[str, Mask]:
    """Tell which written sets are worth a note, by its name."""
    return {
        "repeated label": np.array([one.repeated for one in sets]),
        "abstaining": np.array([one.labels is None for one in sets]),
    }


def cases_of(rows: Rows, name: str, mentioned: Sequence[Any]) -> list[Cases]:
    """Settle the classes of rows that are all there are, and give the cases of each model."""
    columns, truths = rows.columns, rows.truths
    settled = settle(columns, rows.options, truths)
    among = None
    if settled.classes and rows.truth is not None:
        among = positions_of_truths(rows, settled.classes)
    classes, positive = final_classes(
        columns, settled, None if rows.truth is None else truths, mentioned
    )
    scores = scores_of(rows, settled)
    if scores and rows.written is not None and len(truths) > 2:
        raise refusal("sets of many", classes=listed(sorted_labels(truths)))
    truth = None
    if rows.truth is not None:
        if among is None or tuple(classes) != tuple(settled.classes):
            among = np.array(match_labels(truths, classes), dtype=np.intp)
        truth = np.maximum(among, 0)[rows.truth.codes]  # what is not positive is negative
    y_set = None
    if rows.members is not None or rows.written is not None:
        mask, which = logged_sets(rows, classes)
        y_set = mask if which is None else mask[which]
    y_proba = rows.proba_of(classes) if 0 < len(columns.proba) == len(classes) else None
    whole = Cases(
        name,
        tuple(classes),
        truth,
        y_proba=y_proba,
        y_set=y_set,
        pos_label=positive,
        sample_weight=rows.weight,
        groups=None if rows.groups is None else grouped(rows.groups),
        case=None if rows.case is None else texts(rows.case),
        costs=rows.costs,
        empty=rows.options.empty,
        graded=columns.graded,
        **rows.grades,
        notes=(*rows.notes, *_notes(rows, settled, classes, scores)),
    )
    found = _by_model(whole, scores, rows.model)
    if rows.rest is None:
        return found
    rest = {one.name: one for one in cases_of(rows.rest, name, mentioned)}
    return [replace(one, ungraded=rest.get(one.name)) for one in found]


def scores_of(rows: Rows, settled: Settled) -> dict[str, Floats]:
    """Scores of the positive class by model; a single one has no name of its own."""
    columns = rows.columns
    if rows.scores:
        single = len(rows.scores) == 1
        return {"" if single else str(name): score for name, score in rows.scores.items()}
    if rows.proba is None or not is_binary(columns, settled.pos_label):
        return {}
    if len(columns.proba) == 1:
        return {"": 1 - rows.proba[:, 0] if settled.turned else rows.proba[:, 0]}
    order = column_order(columns.proba, settled.classes)
    return {"": rows.proba[:, order[match_label(settled.pos_label, settled.classes)]]}


def _notes(
    rows: Rows, settled: Settled, classes: list[Any], scores: Mapping[str, Any]
) -> Iterator[Message]:
    """Say what looks odd, or was decided."""
    columns, truths = rows.columns, rows.truths
    if settled.turned:
        yield note("turned", label=quoted(classes[1]))
    has_sets = rows.members is not None or rows.written is not None
    if has_sets and (scores or columns.proba):
        yield note("sets are answers", beside="probabilities" if columns.proba else "scores")
    if rows.written is not None:
        for key, odd in odd_sets(rows.sets).items():
            if count := int(odd[rows.written.codes].sum()):
                yield note(key, count=f"{count:,}", n=f"{rows.n:,}")
        new = [label for label in classes if truths and match_label(label, truths) < 0]
        if new and rows.options.classes is None and not columns.proba:
            yield note("new class", labels=listed(new))
    of_columns = labels_like(list(columns.proba), settled.classes or truths)
    known = [*truths, *of_columns] if scores else classes
    counts = rows.truth.counts() if rows.truth is not None and len(known) > 2 else None
    yield from label_notes(known or classes, classes if scores else None, counts)
    if rows.weight is not None:
        total, n_rows = float(rows.weight.sum()), int(np.count_nonzero(rows.weight))
        yield from weight_notes(total, n_rows, columns)


def weight_notes(total: float, n_rows: int, columns: Columns) -> Iterator[Message]:
    """Say that weights cannot count repetitions, or may be no weights at all."""
    from cautious._random import are_shares

    if are_shares(total, n_rows):
        yield note("shares", rows=f"{n_rows:,}", total=f"{total:.4g}")
    elif columns.guessed_weight and total >= _HEAVY * n_rows > 0:
        yield note(
            "heavy",
            name=quoted(columns.weight),
            rows=f"{n_rows:,}",
            total=f"{math.floor(total + 0.5):,}",
        )


def _by_model(whole: Cases, scores: Mapping[str, Floats], model: Encoded | None) -> list[Cases]:
    """Cut the rows of several models apart; one whose rows have no weight is not there."""
    weight = whole.sample_weight
    if model is not None and weight is not None and not weight.any():
        raise refusal("no weight")
    parts: list[Cases] = []
    for name in scores or [""]:
        cases = replace(whole, name=name or whole.name, y_score=scores.get(name))
        told = [] if cases.y_score is None else list(two_scales(cases.name, cases.y_score))
        if missing := int(cases.missing.sum()):
            key = "missing confidence" if cases.graded else "missing"
            told.append(note(key, count=f"{missing:,}", n=f"{cases.n:,}"))
        if told:
            cases = replace(cases, notes=(*cases.notes, *told))
        if model is None:
            parts.append(cases)
            continue
        for at, own in [*enumerate(model.values), (-1, NO_NAME["model"])]:
            rows = np.flatnonzero(model.codes == at)
            if len(rows) and (weight is None or weight[rows].any()):
                title = f"{own}, {cases.name}" if len(scores) > 1 else str(own)
                parts.append(cases.take(rows, title))
    if not scores or whole.codes is None or whole.graded:
        return parts
    # Against scores of which one class does not occur nothing can be weighed. Of several models
    # the first by name is refused: engines meet the rows in any order.
    by_name = {part.name: part for part in parts}
    for name in by_name if model is None else sorted_labels(by_name):
        codes, own = by_name[name].truth, by_name[name].sample_weight
        codes = codes if own is None else codes[own > 0]
        there = [label for code, label in enumerate(whole.classes) if (codes == code).any()]
        place = "" if model is None else quoted(name, 60)
        if not there:
            raise refusal("no weight", place=place)
        if len(there) < 2:
            raise refusal("one class", place=place, label=quoted(there[0]))
    return parts
