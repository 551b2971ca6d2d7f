"""From a batch of a prediction log to a summary: the function that every engine maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from cautious._checks import first_row
from cautious._input_limits import CLASSES
from cautious._labels import binary_classes, label_text, match_label, match_labels, sorted_labels
from cautious._messages import refusal
from cautious._typing import Floats, Ints, Mask
from cautious.decision import Rule
from cautious.errors import InputError, check_kind, listed, quoted
from cautious.logs.plan import ARGMAX, SETS, Plan
from cautious.logs.summary import WEIGHTLESS, LogSummary
from cautious.logs.tallies import (
    Codes,
    Counts,
    Kind,
    ScoreTally,
    SetTally,
    Stratum,
    fixed_point,
    most_probable,
)
from cautious.predictions._cells import (
    check_labels,
    check_numbers,
    check_weights,
    encode_labels,
    plain_labels,
    read_numbers,
)
from cautious.predictions._columns import check_empty, memberships, odd_sets, parse_sets, set_mask
from cautious.predictions._probabilities import check_columns
from cautious.predictions._table import readable

__all__ = ["NO_NAME", "column_of", "labels_of", "summarise_batch", "truths_and_sets"]

NO_NAME = {"model": "(no name)", "groups": ""}
"""What cases without a model or a group of their own are called."""


def summarise_batch(
    batch: Any,
    plan: Plan,
    *,
    at_least: int | None = None,
    first: int = 0,
    where: Callable[[int], str] = "row {}".format,
) -> LogSummary:
    """Summarise one Arrow record batch.

    Parameters
    ----------
    batch : pyarrow.RecordBatch or Table
        Rows of a prediction log.
    plan : Plan
        What to count; :meth:`Plan.of` makes it from the schema.
    at_least : int, optional
        The exponent that other batches are known to need, of the cells that scores are rounded to
        (``summary.scores.exponent``). It spares work and changes no result.
    first : int
        Number of the batch's first row in the log.
    where : callable
        Says where a row of the log is, for errors.

    Returns
    -------
    LogSummary
        Summaries of several batches add up to that of all, in any order.

    Raises
    ------
    InputError
        If a row cannot be counted; the message names its column and its row.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from cautious.logs import Plan, summarise_batch
    >>> first = pa.record_batch({"y_true": [0, 1], "score": [0.2, 0.9]})
    >>> second = pa.record_batch({"y_true": [0, 0], "score": [0.2, 0.4]})
    >>> plan = Plan.of(first.schema)
    >>> (summarise_batch(first, plan) + summarise_batch(second, plan)).staircase().frame()
       score  positives  negatives
    0    0.2        0.0        2.0
    1    0.4        0.0        1.0
    2    0.9        1.0        0.0
    """
    check_kind(plan, Plan, "plan", "a Plan")
    if not hasattr(batch, "num_rows"):
        raise TypeError(f"batch is a {type(batch).__name__}; give an Arrow record batch or table.")
    if not batch.num_rows:
        return LogSummary.of_nothing(plan)
    known = [e for e in (plan.resolution, at_least) if e is not None]
    cases = _Cases(batch, plan, max(known, default=None), lambda row: where(row + first))
    if not len(cases.codes):
        return replace(LogSummary.of_nothing(plan), n_rows=batch.num_rows, odd=cases.odd)
    columns = plan.columns
    answer = confidence = None
    if len(columns.proba) > 1:
        answer, confidence = cases.most_probable()
    tallies = [
        # Several columns of scores are several models, named after them.
        cases.count_scores(name, name if len(columns.scores) > 1 else None)
        for name in plan.score_columns
    ]
    if answer is not None and confidence is not None and not plan.binary:
        tallies.append(cases.count_answers(answer, confidence))
    scores = sum(tallies[1:], tallies[0]) if tallies else ScoreTally(plan.limits, plan.resolution)
    sets = SetTally(plan.limits.limit)
    for decision in plan.decisions:
        if decision == SETS:
            given = cases.logged_sets()
        elif decision == ARGMAX and "missing" not in cases.odd:
            given = cases.singles, answer
        elif decision == ARGMAX:
            given = cases.decided(Rule.confidence(0, classes=plan.classes), answer, confidence)
        else:
            given = cases.decided(plan.rules[decision], answer, confidence)
        sets += cases.count_sets(decision, *given, answer)
    return LogSummary(plan, batch.num_rows, cases.seen, scores, sets, cases.odd)


def truths_and_sets(
    batch: Any, plan: Plan, *, first: int, where: Callable[[int], str]
) -> tuple[frozenset[Any], dict[Any, Callable[[], str]]]:
    """Labels and written sets that occur in a batch, each set with where it first does."""
    if not batch.num_rows:
        return frozenset(), {}
    cases = _Cases(batch, plan, None, lambda row: where(row + first))
    name = str(plan.columns.sets)
    column = readable(encode_labels, cases._column(name), name)
    return cases.seen, {
        text: partial(cases.where, first_row(column.codes == code))
        for code, text in enumerate(column.values)
    }


def labels_of(
    array: Any,
    name: str,
    place: Callable[[int], str] | None = None,
    *,
    text: bool = False,
    most: int | None = CLASSES,
) -> tuple[Codes, list[Any]]:
    """Labels of an Arrow column: positions among those that occur, -1 where one is missing."""
    import pyarrow.types as types

    small = None
    if not array.null_count and types.is_boolean(array.type):
        small, low = array.to_numpy(zero_copy_only=False).astype(np.uint8), 0
    elif not array.null_count and types.is_integer(array.type) and len(array):
        values = array.to_numpy(zero_copy_only=False)
        low = int(values.min())
        if int(values.max()) - low < 16:
            small = (values if low == 0 else values - values.dtype.type(low)).astype(np.uint8)
    if small is not None:
        # One byte per row is all that the common case needs; nothing is hashed.
        every = range(int(small.max(initial=0)) + 1)
        if all((small == code).any() for code in every):
            boolean = types.is_boolean(array.type)
            labels = [bool(code) if boolean else code + low for code in every]
            return small, list(map(label_text, labels)) if text else labels
    column = readable(encode_labels, array, name)
    column = check_labels(plain_labels(column, text=text, whole=False), name, place, most=most)
    return column.codes, column.values


def column_of(batch: Any, name: str) -> Any:
    """Take a column in one piece; batches of one source may differ, so each is asked."""
    at = batch.schema.get_field_index(name)
    if at < 0:
        raise InputError(
            "there is no column {name} here; the columns are {names}.",
            name=quoted(name),
            names=listed(batch.schema.names, 20),
        )
    array = batch.column(at)
    if hasattr(array, "chunks"):
        return array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    return array


def score_kinds(plan: Plan, labels: list[Any]) -> tuple[list[int], list[tuple[Any, bool]]]:
    """Tell which kind of case each true label of two classes is."""
    places, names = list(range(len(labels))), labels
    if plan.classes:
        places, names = match_labels(labels, plan.classes), list(plan.classes)
    if plan.pos_label is not None:
        positive = match_label(plan.pos_label, names)
        places, names = [at if at < 0 else int(at == positive) for at in places], [False, True]
    return places, [(name, False) for name in names]


def answer_kinds(plan: Plan, labels: list[Any]) -> tuple[list[int], list[tuple[Any, bool]]]:
    """Tell the class of each true label; the kinds are those of right and of wrong answers."""
    kinds = [(k, wrong) for k in range(len(plan.classes)) for wrong in (False, True)]
    return match_labels(labels, plan.classes), kinds


def single_sets(n_classes: int) -> Mask:
    """Give the sets of one class each, and that of all."""
    return np.vstack([np.eye(n_classes), np.ones(n_classes)]) > 0


class _Cases:
    """The cases of a batch: what they are, and how often each counts."""

    def __init__(
        self, batch: Any, plan: Plan, exponent: int | None, where: Callable[[int], str]
    ) -> None:
        self.batch, self.plan, self.exponent = batch, plan, exponent
        self.where = where
        self.numbers: dict[str, Floats] = {}
        self.least: dict[str, float] = {}
        self.eps = 0.0
        truth = str(plan.columns.truth)
        self.codes, self.labels = labels_of(self._column(truth), truth, self.place(truth))
        self.odd: dict[str, int] = {}
        if (gone := self.codes < 0).any():
            self._drop(gone, truth)
        self.seen = frozenset(self.labels)
        self.part: Codes | None = None
        self.parts: list[tuple[Any, Any]] = [(None, None)]
        if plan.columns.model is not None or plan.columns.groups is not None:
            self.part, self.parts = self._models_and_groups()
        self.used: Mask | None = None
        self.counts: Counts | None = None
        if (name := plan.columns.weight) is not None:
            weight = check_weights(self.read(name, None), self.place(name))
            self.used = None if (weight > 0).all() else weight > 0
            if self.used is not None:
                self._note(WEIGHTLESS, ~self.used)
            self.counts = fixed_point(self._counted(weight))

    def _drop(self, gone: Mask, truth: str) -> None:
        """Refuse rows without a truth, or leave them out."""
        if not self.plan.drop_missing:
            count = int(gone.sum())
            cells = "1 such cell" if count == 1 else f"{count:,} such cells"
            raise refusal("missing truth", place=self.place(truth)(first_row(gone)), cells=cells)
        kept, where = np.flatnonzero(~gone), self.where
        self.batch, self.codes = self.batch.take(kept), self.codes[kept]
        self.where = lambda row: where(int(kept[row]))
        self._note("dropped", gone)

    @cached_property
    def truth(self) -> Ints:
        """True class of each case."""
        classes = self.plan.classes
        if self.labels == list(classes) and _types(self.labels) == _types(classes):
            return self.codes.astype(np.intp)
        among = np.array(match_labels(self.labels, classes), dtype=np.intp)
        truth = among[self.codes]
        if (among < 0).any() and (truth < 0).any():
            row = first_row(truth < 0)
            label = self.labels[self.codes[row]]
            raise refusal(
                "unknown truth",
                place=self.place(self.plan.columns.truth)(row),
                label=quoted(label),
                classes=listed(sorted_labels(classes)),
                near=(label, sorted_labels(classes)),
            )
        return truth

    def read(self, name: str, missing: str | None) -> Floats:
        """Numbers of a column; what missing ones mean is as in :func:`check_numbers`."""
        if name not in self.numbers:
            found = readable(read_numbers, self._column(name), name)
            self.least[name] = found.values.min()  # of anything and NaN it is NaN
            if len(found.odd) or np.isnan(self.least[name]):
                check_numbers(found, self.place(name), missing=missing)
            self.numbers[name], self.eps = found.values, max(self.eps, found.eps)
        return self.numbers[name]

    def place(self, name: str | None) -> Callable[[int], str]:
        """Return a function that says where a row, or a cell of a column, is."""
        return (
            self.where if name is None else lambda row: f"column {quoted(name)}, {self.where(row)}"
        )

    def most_probable(self) -> tuple[Ints, Floats]:
        """Find the most probable class of each case, and its probability."""
        names = list(self.plan.columns.proba.values())
        found = most_probable([self.read(name, self.plan.missing) for name in names])
        if found is None:
            given = {name: self.numbers[name] for name in names}
            shown = list(self.plan.shown) or names
            checked, _ = check_columns({one: given[one] for one in shown}, self.place, self.eps)
            settled = checked[:, [shown.index(name) for name in names]]
            for name, column in zip(names, settled.T, strict=True):
                self.numbers[name], self.least[name] = column, column.min()
            gone = np.isnan(settled[:, 0])
            changed = (settled != np.column_stack(list(given.values()))).any(axis=1) & ~gone
            self._note("rounded rows", changed)
            self._note("missing", gone)
            return np.nan_to_num(settled).argmax(axis=1), settled.max(axis=1)
        return found

    def _note(self, what: str, rows: Mask) -> None:
        """Count rows that are said to be odd."""
        if rows.any():
            self.odd[what] = self.odd.get(what, 0) + int(rows.sum())

    def count_answers(self, answer: Ints, confidence: Floats) -> ScoreTally:
        """Count right and wrong answers by confidence."""
        _, kinds = answer_kinds(self.plan, [])
        # The smallest type sorts quickest, where cases must be sorted by kind.
        code = (2 * self.truth + (answer != self.truth)).astype(np.min_scalar_type(len(kinds)))
        return self._tally(confidence, code, kinds, None, ~np.isnan(confidence))

    def count_scores(self, name: str, model: str | None) -> ScoreTally:
        """Count the scores of two classes."""
        plan, truth = self.plan, self.codes
        if plan.classes:
            _ = self.truth  # says which one is no class
        elif plan.pos_label is None and len(self.seen) > 2:
            binary_classes(list(self.seen))  # says that there are too many
        places, kinds = score_kinds(plan, self.labels)
        if places != list(range(len(places))):
            truth = np.array(places, dtype=np.min_scalar_type(len(kinds)))[truth]
        scores = self.read(name, plan.missing)
        least = self.least[name]
        if plan.columns.proba and not (least >= 0 and scores.max() <= 1):
            check_columns({name: scores}, self.place, self.eps)
        if plan.turned:
            scores = 1 - scores
        if not np.isnan(least):
            return self._tally(scores, truth, kinds, model)
        gone = np.isnan(scores)
        if len(plan.columns.proba) < 2:
            self._note("missing", gone)
        code = truth + gone * len(kinds)
        kinds += [(label, True) for label, _ in kinds]
        return self._tally(np.where(gone, 0.0, scores), code, kinds, model)

    def logged_sets(self) -> tuple[Mask, Ints | None]:
        """Give logged sets: a mask of all cases, or of distinct sets and which of them each has."""
        columns, plan = self.plan.columns, self.plan
        if columns.sets is None:
            names = list(columns.members.values())
            # Of several damaged columns the first is said, as everywhere: the first of the file.
            as_written = [name for name in plan.names if name in names] or names
            read = {
                name: memberships(
                    readable(encode_labels, self._column(name), name), self.place(name)
                )
                for name in as_written
            }
            mask = np.column_stack([read[name] for name in names])
            _ = self.truth  # a truth that is no class is said before an empty set
            return check_empty(mask, np.arange(len(mask)), self.where, plan.empty), None
        found = readable(encode_labels, self._column(columns.sets), columns.sets)
        place = self.place(columns.sets)
        parsed = parse_sets(found, {label_text(label) for label in plan.classes}, place)
        _ = self.truth
        mask = set_mask(found, parsed, plan.classes, place, plan.empty)
        for key, odd in odd_sets(parsed).items():
            self._note(key, odd[found.codes])
        return mask, np.where(found.codes < 0, len(found.values), found.codes)

    @cached_property
    def singles(self) -> Mask:
        """Sets of one class each, and that of all."""
        return single_sets(len(self.plan.classes))

    def decided(self, rule: Rule, answer: Any, confidence: Any) -> tuple[Mask, Ints | None]:
        """Give the sets that a rule chooses."""
        classes = self.plan.classes
        if rule.costs is None and rule.kind in ("confidence", "class_thresholds"):
            # The most probable class, or none: what is found already is enough.
            least = rule.thresholds or (rule.threshold,) * len(classes)
            names = [label_text(label) for label in rule.classes]
            order = [names.index(label_text(label)) for label in classes]
            reached = confidence >= np.array(least, dtype=np.float64)[order][answer]
            return self.singles, np.where(reached, answer, len(classes))
        proba = np.column_stack([self.numbers[n] for n in self.plan.columns.proba.values()])
        return rule.predict_set(proba, classes=classes), None

    def count_sets(
        self, decision: str, sets: Mask, which: Ints | None, answer: Ints | None
    ) -> SetTally:
        """Count sets: a mask of every case, or of distinct sets, `which` being that of each."""
        truth = self._counted(self.truth)
        forced = None if answer is None else self._counted(answer) == truth
        part = np.zeros(len(truth), dtype=np.intp)
        if self.part is not None:
            part = self._counted(self.part).astype(np.intp)
        strata = [Stratum(decision, *names) for names in self.parts]
        rest = (truth, forced, part, strata, self.counts, self.plan.limits.limit)
        if which is None:
            return SetTally.of_sets(self._counted(sets), *rest)
        return SetTally.of_answers(sets, self._counted(which), *rest)

    def _tally(
        self,
        scores: Floats,
        code: Codes,
        kinds: list[tuple[Any, bool]],
        model: str | None,
        there: Mask | None = None,
    ) -> ScoreTally:
        """Count scores for each kind of case in each part of the batch; `there` leaves some out."""
        if self.part is not None:
            code = self.part.astype(np.intp) * len(kinds) + code
        every = [
            Kind(", ".join(filter(None, (own, model))) or None, group, *kind)
            for own, group in self.parts
            for kind in kinds
        ]
        counts = self.counts
        if self.used is not None:
            scores, code = scores[self.used], code[self.used]
            there = None if there is None else there[self.used]
        if there is not None and not there.all():
            scores, code = scores[there], code[there]
            counts = None if counts is None else counts[there]
        return ScoreTally.of_cases(scores, code, every, counts, self.plan.limits, self.exponent)

    def _counted(self, values: Any) -> Any:
        """Leave out cases without weight."""
        return values if self.used is None else values[self.used]

    def _column(self, name: str) -> Any:
        return column_of(self.batch, name)

    def _models_and_groups(self) -> tuple[Codes, list[tuple[Any, Any]]]:
        """Model and group of each case, as a position among the pairs that occur."""
        found = []
        for role in ("model", "groups"):
            name = getattr(self.plan.columns, role)
            codes: Codes = np.zeros(self.batch.num_rows, dtype=np.intp)
            labels: list[Any] = [None]
            if name is not None:
                column = self._column(name)
                codes, labels = labels_of(column, name, self.place(name), text=True)
                codes, labels = codes.astype(np.intp), [*labels, NO_NAME[role]]
                codes[codes < 0] = len(labels) - 1
            found.append((codes, labels))
        (model, models), (group, groups) = found
        pair, distinct = pd.factorize(model * len(groups) + group)
        every = [(models[at // len(groups)], groups[at % len(groups)]) for at in distinct.tolist()]
        return pair, every


def _types(labels: Iterable[Any]) -> list[type]:
    return list(map(type, labels))
