"""Reading predictions, whatever they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._messages import note, refusal
from cautious._typing import Ints
from cautious.errors import InputError, Message, quoted
from cautious.predictions._arrays import rows_of_arrays
from cautious.predictions._columns import Columns, check_classes_of, described, guess_columns
from cautious.predictions._data import Predictions
from cautious.predictions._rows import Options, Rows, cases_of, check_options, read_rows
from cautious.predictions._table import Table, is_frame, open_table, table_of_frame


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
    options = check_options(Options(classes, pos_label, empty, missing, drop_missing))
    roles = {
        "truth": truth, "score": score, "proba": proba, "sets": sets, "model": model,
        "weight": weight, "groups": groups, "case": case, "cost_columns": cost_columns,
    }  # fmt: skip
    reader = _Reader(options, roles, encoding)
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


class _Reader:
    """Rows of all sources, whose classes are settled once all are read."""

    def __init__(self, options: Options, roles: dict[str, Any], encoding: str | None) -> None:
        self.options, self.roles, self.encoding = options, roles, encoding
        self.found: list[_Source | list[Cases]] = []
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
                self.found.append(_Source(name, place, rows_of_arrays(source, self.options)))
        except InputError as error:
            raise error.at(place) from None
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{place}: {error}" if place else str(error)) from error

    def _add_table(self, place: str, name: str, table: Table) -> None:
        try:
            columns = guess_columns(table.names, **self.roles)
            self.notes.append(described(columns, table.names, place))
            check_classes_of(columns, self.options.classes, self.options.pos_label)
            rows = read_rows(table, columns, self.options)
        except InputError as error:
            raise error.at(table.name) from None
        self.found.append(_Source(name, place, rows, len(self.notes) - 1))

    def finish(self) -> Predictions:
        """Settle the classes of all sources together."""
        sources = [one for one in self.found if isinstance(one, _Source)]
        known = {label_text(label) for one in sources for label in one.rows.truths}
        known |= {label_text(label) for label in self.options.classes or ()}
        for one in sources:
            try:
                one.rows.parse(known)
            except InputError as error:
                raise error.at(one.place) from None
        models: list[Cases] = []
        for found in self.found:
            models += self._settled(found, sources) if isinstance(found, _Source) else found
        return Predictions(models, self.notes)

    def _settled(self, source: _Source, sources: Sequence[_Source]) -> list[Cases]:
        # Sets name only the classes that occur, so sources about the same ones tell them together.
        own = set(map(label_text, source.rows.truths))
        labels = dict.fromkeys(
            label
            for one in sources
            if one is source or own & set(map(label_text, one.rows.truths))
            for label in one.rows.mentioned()
        )
        try:
            cases = cases_of(source.rows, source.name, list(labels))
        except InputError as error:
            raise error.at(source.place) from None
        if source.described is not None and cases[0].pos_label is not None:
            columns = self.notes[source.described]
            positive = {"positive": f", positive {quoted(cases[0].pos_label)}"}
            self.notes[source.described] = replace(columns, values={**columns.values, **positive})
        return cases


class _Source(NamedTuple):
    """Rows with the name of their model, where they are from, and which note tells of columns."""

    name: str
    place: str
    rows: Rows
    described: int | None = None


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
    second = second.astype(np.intp)
    pairs: Ints = pd.factorize(first * (second.max() + 2) + second + 1)[0]
    return pairs
