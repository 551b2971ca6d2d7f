"""Reading predictions, whatever they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._input_limits import CLASSES
from cautious._labels import label_text
from cautious._messages import hint, note, refusal
from cautious._typing import Floats, Ints
from cautious.errors import InputError, Message, quoted
from cautious.predictions._arrays import draft_of_arrays
from cautious.predictions._cells import (
    Encoded,
    Place,
    check_costs,
    check_labels,
    check_numbers,
    check_weights,
    plain_labels,
    texts,
)
from cautious.predictions._columns import (
    Columns,
    check_named_classes,
    check_sets_beside,
    described,
    guess_columns,
    memberships,
)
from cautious.predictions._data import Predictions
from cautious.predictions._draft import Draft, Said, kept_rows, settle
from cautious.predictions._probabilities import check_columns
from cautious.predictions._table import Table, is_frame, open_table, table_of_frame

__all__ = ["copy_notes", "read_predictions"]


def read_predictions(
    source: Any,
    *,
    truth: str | bool | None = None,
    score: str | Sequence[str] | None = None,
    proba: str | Sequence[str] | Mapping[Any, str] | None = None,
    sets: str | Sequence[str] | Mapping[Any, str] | None = None,
    model: str | bool | None = None,
    weight: str | bool | None = None,
    groups: str | bool | None = None,
    case: str | None = None,
    cost_columns: Mapping[str, str] | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    empty: str = "error",
    missing: str = "error",
    drop_missing: bool = False,
    encoding: str | None = None,
) -> Predictions:
    """Read predictions of one or more models.

    Parameters
    ----------
    source : path, frame, mapping or Predictions
        One of

        - a file, or several: CSV or TSV (packed by gzip or not), Parquet, Arrow or Feather; ``-``
          is standard input;
        - a frame of any kind: pandas, polars, pyarrow and what else narwhals knows;
        - a pair ``(y_true, y_score)``, ``(y_true, y_proba)`` or ``(y_true, mask of sets)``, or a
          mapping with ``y_true``, one or more of ``y_score``, ``y_proba`` and ``y_set``, and maybe
          ``classes``, ``pos_label``, ``sample_weight``, ``groups``, ``case`` and ``costs``;
        - a mapping from the name of each model to one of the above;
        - :class:`Predictions`, which are returned as they are.
    truth, score, proba, sets, model, weight, groups, case, cost_columns
        Columns of tables, guessed where nothing is said; see ``guess_columns``. Several scores
        are several models. ``truth=False`` reads predictions whose truth is not known.
    classes : sequence, optional
        Class labels in order; two of them are (negative, positive). By default the classes are
        sorted, numbers by their value.
    pos_label : label, optional
        The positive class, where the labels do not say it; see ``binary_classes``.
    empty : {"error", "abstain", "wrong"}
        What an empty set means: a mistake in the data, all classes, or an answer that is wrong.
    missing : {"error", "abstain"}
        What a missing score or probability means; abstaining, it stays nan and is counted.
    drop_missing : bool
        Whether rows without a truth are left out, and counted, instead of being an error.
    encoding : str, optional
        Encoding of a text file that is neither UTF-8 nor UTF-16 with its mark.

    Returns
    -------
    Predictions
        One entry per model. ``notes`` say what was guessed.

    Raises
    ------
    InputError
        If something cannot be read; it names the file, the column, the row and what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y_true": [0, 1], "p_1": [0.2, 0.9]})
    >>> read_predictions(frame).y_score
    array([0.2, 0.9])
    >>> sets = {"mine": {"y_true": ["a", "b"], "y_set": [["a"], ["a", "b"]]}}
    >>> read_predictions(sets)["mine"].y_set
    array([[ True, False],
           [ True,  True]])
    """
    if isinstance(source, Predictions):
        return source
    for argument, given, allowed in (
        ("empty", empty, ("error", "abstain", "wrong")),
        ("missing", missing, ("error", "abstain")),
    ):
        if given not in allowed:
            raise refusal(
                "choice",
                argument=argument,
                given=quoted(given),
                allowed=" or ".join(map(repr, allowed)),
            )
    said = Said(classes, pos_label, empty, missing, drop_missing)
    roles = {
        "truth": truth, "score": score, "proba": proba, "sets": sets, "model": model,
        "weight": weight, "groups": groups, "case": case, "cost_columns": cost_columns,
    }  # fmt: skip
    reader = _Reader(said, roles, encoding)
    try:
        for place, name, one in _parts(source):
            reader.add(place, name, one)
        return reader.finish()
    except InputError as error:
        error.notes = tuple(reader.notes)
        raise


def _parts(source: Any) -> Iterable[tuple[str, str, Any]]:
    """Cut a source into (place, name, source) of one model each."""
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, list | tuple) and all(
        isinstance(one, str | os.PathLike) for one in source
    ):
        files = [os.fspath(one) for one in source]
        if len(set(files)) < len(files):
            twice = next(one for at, one in enumerate(files) if one in files[:at])
            raise refusal("same file", name=quoted(twice, 200))
        stems = ["standard input" if file == "-" else file_stem(file) for file in files]
        names = stems if len(set(stems)) == len(stems) else files
        return [
            ("", name, Path(file) if file != "-" else "-")
            for file, name in zip(files, names, strict=True)
        ]
    is_pair = isinstance(source, tuple) and len(source) == 2
    if is_frame(source) or is_pair or (isinstance(source, Mapping) and "y_true" in source):
        return [("", "predictions", source)]
    if isinstance(source, Mapping):
        named = [(str(name), one) for name, one in source.items()]
        return [(f"predictions[{quoted(name, 80)}]", name, one) for name, one in named]
    raise TypeError(refusal("source", kind=type(source).__name__).words())


def file_stem(file: str) -> str:
    """Name of a file without its folder and endings, which a model is called after."""
    name = Path(file).name
    for ending in (".gz", Path(name.removesuffix(".gz")).suffix):
        name = name.removesuffix(ending) if ending else name
    return name


@contextmanager
def _placed(place: str) -> Iterator[None]:
    """Say of an error where it is."""
    try:
        yield
    except InputError as error:
        raise error.at(place) from None


def _together(draft: Draft, drafts: Sequence[Draft]) -> list[Any]:
    """Labels of all sources about the same classes: sets name only the classes that occur."""
    own = set(map(label_text, draft.truths))
    same = [one for one in drafts if one is draft or own & set(map(label_text, one.truths))]
    return list(dict.fromkeys(label for one in same for label in one.mentioned()))


class _Reader:
    """Drafts of all sources, settled once all are read."""

    def __init__(self, said: Said, roles: dict[str, Any], encoding: str | None) -> None:
        self.said, self.roles, self.encoding = said, roles, encoding
        self.found: list[Draft | list[Cases]] = []
        self.notes: list[Message] = []

    def add(self, place: str, name: str, source: Any) -> None:
        """Read a source."""
        try:
            if isinstance(source, Predictions | Cases):
                models = list(source.values()) if isinstance(source, Predictions) else [source]
                if len(models) == 1:
                    models = [models[0].take(np.arange(models[0].n), name)]
                self.found.append(models)
            elif isinstance(source, str | os.PathLike):
                table = open_table(source, self.encoding)
                self._add_table(table.name, name, table)
            elif is_frame(source):
                self._add_table(place, name, table_of_frame(source))
            else:
                draft = draft_of_arrays(name, source, self.said)
                draft.source = place
                self.found.append(draft)
        except InputError as error:
            raise error.at(place) from None
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{place}: {error}" if place else str(error)) from error

    def _add_table(self, place: str, name: str, table: Table) -> None:
        try:
            columns = guess_columns(table.names, **self.roles)
            self.notes.append(described(columns, table.names, place))
            if self.said.classes is None:
                check_named_classes(columns, self.said.pos_label)
            check_sets_beside(columns, self.said.pos_label)
            draft = draft_of_table(name, table, columns, self.said)
            draft.source, draft.described = place, len(self.notes) - 1
        except InputError as error:
            raise error.at(table.name) from None
        self.found.append(draft)

    def finish(self) -> Predictions:
        """Settle the classes of all sources together."""
        drafts = [one for one in self.found if isinstance(one, Draft)]
        known = {label_text(one) for draft in drafts for one in draft.truths}
        known |= {label_text(one) for one in self.said.classes or ()}
        for draft in drafts:
            with _placed(draft.source):
                draft.parse(known)
        models: list[Cases] = []
        for one in self.found:
            models += self._settled(one, drafts) if isinstance(one, Draft) else one
        return Predictions(models, self.notes)

    def _settled(self, draft: Draft, drafts: Sequence[Draft]) -> list[Cases]:
        with _placed(draft.source):
            found = settle(draft, _together(draft, drafts))
        if draft.described is not None and found[0].pos_label is not None:
            told = self.notes[draft.described]
            more = {**told.values, "positive": f", positive {quoted(found[0].pos_label)}"}
            self.notes[draft.described] = replace(told, values=more)
        return found


def copy_notes(source: Any, read: Predictions, **columns: Any) -> Iterator[Message]:
    """Say that some rows are copies of others."""
    for one in read.values():
        count = 0 if one.case is None else int(pd.Index(one.case).duplicated().sum())
        if count:
            what = "what tells the cases apart"
            yield _copies(count, one.n, what, quoted(one.name, 60))
    if columns.get("case") is not None or isinstance(source, Predictions):
        return
    roles = {name: columns[name] for name in _ROLES if name in columns}
    for place, _, part in _parts(source):
        if isinstance(part, os.PathLike):
            table = open_table(part, columns.get("encoding"))
        elif is_frame(part):
            table = table_of_frame(part)
        else:
            continue
        try:
            count, n, column = _copied_rows(table, guess_columns(table.names, **roles))
        except InputError:  # a column that nobody asked for may hold anything
            continue
        if count:
            what = f"every cell, also in column {quoted(column)}"
            yield _copies(count, n, what, table.name or place)


_ROLES = ("truth", "score", "proba", "sets", "model", "weight", "groups", "cost_columns")
# So many columns are read together where all of them are.
_AT_ONCE = 16


def _copies(count: int, n: int, what: str, place: str) -> Message:
    return note("copies", place=place, count=f"{count:,}", n=f"{n:,}", what=what)


def _copied_rows(table: Table, columns: Columns) -> tuple[int, int, Any]:
    """Count the copies and all rows of a table, and name a column that tells the others apart."""
    used = columns.names()
    telling = [name for name in table.names if name not in used]
    if not telling:
        return 0, 0, None

    def codes_of(names: Sequence[Any]) -> Iterator[tuple[Any, Ints]]:
        for at in range(0, len(names), _AT_ONCE):
            cells = table.read(names[at : at + _AT_ONCE], [])
            yield from ((name, one.codes) for name, one in cells.labels.items())

    row: Ints = np.zeros(1, dtype=np.intp)
    for _, codes in codes_of([*telling, *used]):
        row = _paired(row, codes)
        if row.max() + 1 == len(row):
            return 0, len(row), None
    kept = ~pd.Index(row).duplicated()
    model: Ints = np.zeros(1, dtype=np.intp)
    for _, codes in codes_of([] if columns.model is None else [columns.model]):
        model = _paired(model, codes)
    for name, codes in codes_of(telling):
        apart = _paired(model, codes)[kept]
        if codes.min() >= 0 and len(np.unique(apart)) == len(apart):
            return int((~kept).sum()), len(row), name
    return 0, len(row), None


def _paired(first: Ints, second: Ints) -> Ints:
    """Give each distinct pair of codes a number; -1 is a code of its own."""
    pairs: Ints = pd.factorize(first * (second.max() + 2) + second + 1)[0]
    return pairs


def draft_of_table(name: str, table: Table, columns: Columns, said: Said) -> Draft:
    """Read the columns of a table, and check every cell."""
    words = [columns.truth, columns.sets, columns.model, columns.groups, columns.case]
    labels = [one for one in (*words, *columns.members.values()) if one is not None]
    weights = [] if columns.weight is None else [columns.weight]
    numbers = [*columns.scores, *columns.proba.values(), *columns.costs.values(), *weights]
    cells = table.read(list(dict.fromkeys(labels)), list(dict.fromkeys(numbers)))
    truth: Encoded | None = None
    rows: Any = slice(None)
    notes: list[Message] = []
    if columns.truth is not None:
        truth = plain_labels(cells.labels[columns.truth])
        check_labels(truth, columns.truth, table.place(columns.truth))
        truth, rows, notes = kept_rows(truth, said, table.place(columns.truth))

    def place(column: Any) -> Place:
        at = table.where if column is None else table.place(column)
        return at if isinstance(rows, slice) else lambda row: at(int(rows[row]))

    def label(column: Any) -> Encoded:
        return cells.labels[column].take(rows)

    def name_of(column: Any, *, most: int | None = CLASSES) -> Encoded:
        return check_labels(label(column), column, place(column), most=most)

    def number(column: Any, missing: str | None = None) -> Floats:
        return check_numbers(cells.numbers[column].take(rows), place(column), missing=missing)

    n = cells.n if truth is None else len(truth.codes)
    draft = Draft(name, n, place, said, truth, truth_column=columns.truth, notes=notes)
    if columns.weight is not None:
        draft.weight = check_weights(number(columns.weight), place(columns.weight))
        draft.guessed_weight = columns.weight if columns.guessed_weight else None
    if columns.scores:
        draft.score_column = columns.scores[0]
        try:
            found = {str(one): number(one, said.missing) for one in columns.scores}
        except InputError as error:
            raise _maybe_swapped(error, draft) from None
        draft.scores = found if len(found) > 1 else {"": next(iter(found.values()))}
    if columns.proba:
        matrix = {one: number(one, said.missing) for one in columns.proba.values()}
        eps = max(cells.numbers[one].eps for one in matrix)
        draft.proba, more = check_columns(matrix, place, eps)
        draft.proba_names = list(columns.proba)
        draft.proba_column = next(iter(columns.proba.values()))
        notes += more
    if columns.members:
        members = [memberships(label(one), place(one)) for one in columns.members.values()]
        draft.members, draft.member_names = np.column_stack(members), list(columns.members)
        draft.set_column = None
    elif columns.sets is not None:
        draft.written, draft.set_column = label(columns.sets), columns.sets
    if columns.model is not None:
        draft.model = plain_labels(name_of(columns.model), text=True)
    draft.groups = texts(name_of(columns.groups)) if columns.groups is not None else None
    draft.case = texts(name_of(columns.case, most=None)) if columns.case is not None else None
    if columns.costs:
        costs = {key: number(one) for key, one in columns.costs.items()}
        draft.costs = check_costs(costs, lambda key: place(columns.costs[key]))
    return draft


def _maybe_swapped(error: InputError, draft: Draft) -> InputError:
    """Ask whether truths and scores are swapped, where many truths are numbers."""
    truths = draft.truths
    if len(truths) <= 2 or any(isinstance(one, str) and not _is_number(one) for one in truths):
        return error
    swapped = hint("swapped", truth=quoted(draft.truth_column), score=quoted(draft.score_column))
    return InputError(error.message.with_hints(swapped))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
