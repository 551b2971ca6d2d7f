"""Reading predictions, whatever they come from: one object per model, on the same cases."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cautious._cases import Cases, cases_of_sets, sorted_classes
from cautious._checks import check_classes, first_row, flat_labels
from cautious._labels import label_text, match_labels
from cautious._messages import note, refusal
from cautious._typing import Ints, as_floats
from cautious.errors import InputError, Message, check_kind, listed, located, quoted, shown
from cautious.predictions._cells import Encoded, Numbers, encode_labels, plain_labels, read_numbers
from cautious.predictions._columns import Columns, described, guess_columns
from cautious.predictions._rows import Options, Rows, cases_of, read_rows, settle
from cautious.predictions._table import Cells, Table, is_frame, open_table, table_of_frame
from cautious.sets import as_mask
from cautious.sets._conversion import has_names


class Predictions(Mapping[str, Cases]):
    """Predictions of one or more models, by name.

    Attributes of a model can be asked of the whole where there is exactly one.

    Parameters
    ----------
    models : iterable of Cases
        In order; each with a name of its own.
    notes : sequence of Message
        What was guessed or looks odd, beside the notes of the models.
    columns : mapping of str to Columns
        What the columns hold, of models that were read from tables.

    Examples
    --------
    >>> from cautious.predictions import read_predictions
    >>> read_predictions({"mine": ([0, 1], [0.2, 0.9])})
    <Predictions of 1 model, classes '0', '1': 'mine' (2 cases, y_score)>
    """

    def __init__(
        self,
        models: Iterable[Cases],
        notes: Sequence[Message] = (),
        columns: Mapping[str, Columns] = MappingProxyType({}),
    ) -> None:
        found: dict[str, Cases] = {}
        for one in models:
            check_kind(one, Cases, "models", "Cases")
            if one.name in found:
                raise refusal("two models", name=quoted(one.name, 60))
            found[one.name] = one
        if not found:
            raise refusal("no models")
        self._models, self._columns = MappingProxyType(found), columns
        every = [*notes, *(note for one in found.values() for note in one.notes)]
        self._notes = tuple({str(note): note for note in every}.values())

    def __getitem__(self, name: str) -> Cases:
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    @property
    def notes(self) -> tuple[Message, ...]:
        """What was guessed or looks odd, each said once."""
        return self._notes

    @property
    def only(self) -> Cases:
        """The model, where there is exactly one."""
        if len(self) > 1:
            raise refusal("several models", names=listed(self, 6))
        return next(iter(self._models.values()))

    @property
    def classes(self) -> tuple[Any, ...]:
        """Class labels, where all models have the same."""
        first, *others = self.values()
        for other in others:
            if other.classes != first.classes:
                raise _other_classes(first, other)
        return first.classes

    def columns_of(self, name: str) -> dict[str, Any]:
        """Give what a rule keeps of the columns that a model was read from; nothing of arrays."""
        if name not in self._columns:
            return {}
        columns, classes = self._columns[name], self[name].classes
        scores = columns.scores
        own = scores if len(scores) == 1 else [one for one in scores if one == name]
        found: dict[str, Any] = {
            "truth": columns.truth,
            "score": own[0] if own else None,
            "groups": columns.groups,
            "id": columns.case,
            "weight": columns.weight,
            "costs": dict(columns.costs) or None,
            "answerable": columns.answerable,
        }
        if columns.proba:
            at = match_labels(list(classes), list(columns.proba))
            named = list(columns.proba.values())
            if min(at) >= 0:
                found["proba"] = [named[place] for place in at]
            elif len(classes) == 2 and at[1] >= 0:
                found["score"] = named[at[1]]
        return {role: name for role, name in found.items() if name is not None}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in Cases.__dataclass_fields__ | _ASKED:
            raise AttributeError(f"Predictions has no attribute {shown(name)}")
        return getattr(self.only, name)

    def __repr__(self) -> str:
        parts = [
            f"{quoted(one.name)} ({one.n:,} cases, {', '.join(one.kinds)})"
            for one in list(self.values())[:4]
        ]
        more = ", …" if len(self) > 4 else ""
        classes = listed(next(iter(self.values())).classes, 6)
        models = "1 model" if len(self) == 1 else f"{len(self)} models"
        return f"<Predictions of {models}, classes {classes}: {', '.join(parts)}{more}>"


_ASKED = dict.fromkeys(("n", "labels", "y_true", "missing", "take", "of_group"))


def align(predictions: Predictions) -> Predictions:
    """Put the rows of several models in one order, and make sure they are about the same cases."""
    first, *others = predictions.values()
    if not others:
        raise refusal("one model", name=quoted(first.name, 60))
    return Predictions([first, *(_like(first, other) for other in others)], predictions.notes)


def judged_apart(models: Sequence[Cases]) -> list[Message]:
    """Note that models were judged on different cases, where that can be seen."""
    for other in models[1:]:
        try:
            _like(models[0], other)
        except InputError as refused:
            if refused.key in ("other rows", "other truth", "other cases"):
                names = {"one": quoted(models[0].name, 60), "other": quoted(other.name, 60)}
                return [note("judged apart", **names)]
    return []


def _like(first: Cases, other: Cases) -> Cases:
    """Put the rows of a model in the order of the first one's cases."""
    names: dict[str, Any] = {"one": quoted(first.name, 60), "other": quoted(other.name, 60)}
    if first.case is not None and other.case is not None:
        other = _by_case(first, other, names)
    if other.n != first.n:
        raise refusal("other rows", **names, first=f"{first.n:,}", second=f"{other.n:,}")
    same = match_labels(other.classes, first.classes) == list(range(len(first.classes)))
    if not same or len(other.classes) != len(first.classes):
        raise _other_classes(first, other)
    if first.codes is not None and other.codes is not None:
        differs = other.codes != first.codes
        if differs.any():
            row = first_row(differs)
            mine, yours = first.classes[first.codes[row]], other.classes[other.codes[row]]
            raise refusal("other truth", **names, row=row, first=quoted(mine), second=quoted(yours))
    return other


def _other_classes(one: Cases, other: Cases) -> InputError:
    values: dict[str, Any] = {"one": quoted(one.name, 60), "other": quoted(other.name, 60)}
    values |= {"first": listed(one.classes, 6), "second": listed(other.classes, 6)}
    return refusal("other classes", **values)


def _by_case(first: Cases, other: Cases, names: dict[str, Any]) -> Cases:
    wanted, there = pd.Index(first.case), pd.Index(other.case)  # type: ignore[arg-type]
    for name, cases in ((names["one"], wanted), (names["other"], there)):
        twice = cases.duplicated()
        if twice.any():
            raise refusal("case twice", one=name, case=quoted(cases[first_row(twice)]))
    rows = there.get_indexer(wanted)
    if (rows < 0).any() or len(rows) != len(there):
        odd = wanted.symmetric_difference(there).tolist()
        raise refusal("other cases", **names, count=f"{len(odd):,}", case=quoted(odd[0]))
    return other.take(rows)


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
    decimal: str = ".",
    correct: str | None = None,
    confidence: str | Sequence[str] | None = None,
    answerable: str | None = None,
    judge: str | None = None,
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
    correct, confidence, answerable, judge : optional
        Columns of *graded answers*, as of a language model: whether each answer is right, how
        confident it was on any scale that grows with belief (several columns are several models or
        kinds of confidence), whether there was something to answer (else any answer is wrong), and
        how a judge graded it. Without a confidence an answer is escalated.
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
    decimal : {".", ","}
        What stands before the decimals of numbers in a text file. Where it is a comma, semicolons
        or tabs separate cells.

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
    options = Options(classes, pos_label, empty, missing, drop_missing)
    roles = {
        "truth": truth, "score": score, "proba": proba, "sets": sets, "model": model,
        "weight": weight, "groups": groups, "case": case, "cost_columns": cost_columns,
        "correct": correct, "confidence": confidence, "answerable": answerable, "judge": judge,
    }  # fmt: skip
    reader = _Reader(options, roles, encoding, decimal)
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


class _Source(NamedTuple):
    """Rows with the name of their model, where they are from, and which note tells of columns."""

    name: str
    place: str
    rows: Rows
    described: int | None = None


@dataclass
class _Reader:
    """Rows of all sources, whose classes are settled once all are read."""

    options: Options
    roles: dict[str, Any]
    encoding: str | None
    decimal: str
    found: list[_Source | list[Cases]] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)

    def add(self, place: str, name: str, source: Any) -> None:
        """Read a source."""
        try:
            if isinstance(source, Predictions | Cases):
                models = list(source.values()) if isinstance(source, Predictions) else [source]
                if len(models) == 1:
                    models = [replace(models[0], name=name)]
                self.found.append(models)
                return
            if isinstance(source, str | os.PathLike):
                table = open_table(source, self.encoding, self.decimal)
            elif is_frame(source):
                table = table_of_frame(source)
            else:
                self.found.append(_Source(name, place, _read_arrays(source, self.options)))
                return
            with located(table.name):
                columns = guess_columns(table.names, **self.roles)
                self.notes.append(described(columns, table.names, table.name or place))
                if self.options.classes is None and self.options.pos_label is None:
                    settle(columns, self.options, ())  # what names show is refused at once
                rows = read_rows(table, columns, self.options)
            self.found.append(_Source(name, table.name or place, rows, len(self.notes) - 1))
        except InputError as error:
            raise error.at(place) from None
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{place}: {error}" if place else str(error)) from error

    def finish(self) -> Predictions:
        """Settle the classes of all sources together."""
        sources = [one for one in self.found if isinstance(one, _Source)]
        own = {id(one): set(map(label_text, one.rows.truths)) for one in sources}
        known = set(map(label_text, self.options.classes or ())).union(*own.values())
        for one in sources:
            with located(one.place):
                one.rows.parse(known)
        models: list[Cases] = []
        columns: dict[str, Columns] = {}
        for found in self.found:
            if not isinstance(found, _Source):
                models += found
                continue
            # Sets name only the classes that occur, so sources about the same tell them together.
            texts = own[id(found)]
            about = [one for one in sources if one is found or texts & own[id(one)]]
            labels = dict.fromkeys(label for one in about for label in one.rows.mentioned())
            with located(found.place):
                cases = cases_of(found.rows, found.name, list(labels))
            models += cases
            if found.described is None:
                continue
            columns |= dict.fromkeys((one.name for one in cases), found.rows.columns)
            said, positive = self.notes[found.described], cases[0].pos_label
            if positive is not None and not cases[0].graded:  # of grades it is known
                values = {**said.values, "positive": f", positive {quoted(positive)}"}
                self.notes[found.described] = replace(said, values=values)
        return Predictions(models, self.notes, columns)


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
            table = open_table(part, columns.get("encoding"), columns.get("decimal", "."))
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
            cells = table.load(names[at : at + _AT_ONCE], [])
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


_PREDICTIONS = ("y_score", "y_proba", "y_set")
_ROWS = ("y_true", *_PREDICTIONS, "sample_weight", "groups", "case")
_ROLES_OF_ARRAYS = ("y_true", "y_set", "sample_weight", "groups", "case")
_LABELS = ("y_true", "groups", "case")
_OTHERS = ("classes", "pos_label", "sample_weight", "groups", "case", "costs")


def _read_arrays(given: Any, options: Options) -> Rows:
    """Read one model's arrays, as the columns of a table."""
    arrays = {key: one for key, one in _mapping(given).items() if one is not None}
    if "classes" in arrays:
        options = replace(options, classes=check_classes(arrays["classes"]).tolist())
    options = replace(options, pos_label=arrays.get("pos_label", options.pos_label))
    if not arrays.keys() & set(_PREDICTIONS):
        raise refusal("no answers")
    n = _length(arrays)
    if len(shape := _shape(arrays.get("y_score", ()))) == 2 and shape[1] > 1:
        arrays["y_proba"] = arrays.pop("y_score")
    cells = Cells(n, {}, {})
    for key in (key for key in _LABELS if key in arrays):
        cells.labels[key] = encode_labels(flat_labels(arrays[key], key))
    costs = {key: f"costs[{key!r}]" for key in arrays.get("costs", ())}
    numbers = {costs[key]: own for key, own in arrays.get("costs", {}).items()}
    numbers |= {key: arrays[key] for key in ("y_score", "sample_weight") if key in arrays}
    cells.numbers.update({name: _numbers(own, name, (n,)) for name, own in numbers.items()})
    proba, members, y_true = {}, {}, arrays.get("y_true")
    if "y_proba" in arrays:
        proba = _add_probabilities(cells, arrays["y_proba"], options.classes, y_true)
    if "y_set" in arrays:
        classes = options.classes or list(proba) or None
        members = _add_sets(cells, arrays["y_set"], classes, y_true)
    given_as = {key: key for key in arrays}.get
    scores = ("y_score",) if "y_score" in arrays else ()
    truth, sets, weight, groups, case = map(given_as, _ROLES_OF_ARRAYS)
    columns = Columns(truth, scores, proba, members, sets, None, weight, groups, case, costs)
    table = Table("", list(arrays), lambda *_: cells, title=lambda name: f"{name or 'y_proba'}, ")
    return read_rows(table, columns, options)


def _mapping(given: Any) -> Mapping[str, Any]:
    """Name the parts of a pair, and check the names of a mapping."""
    if isinstance(given, tuple) and len(given) == 2:
        return {"y_true": given[0], "y_set" if _holds_sets(given[1]) else "y_score": given[1]}
    if not isinstance(given, Mapping):
        raise TypeError(refusal("model kind", kind=type(given).__name__).words())
    allowed = (*_PREDICTIONS, *_OTHERS)
    if set(given) - {"y_true", *allowed} or "y_true" not in given:
        there = listed([key for key in given if given[key] is not None])
        raise refusal("array names", given=there, allowed=", ".join(allowed))
    return given


def _holds_sets(answers: Any) -> bool:
    """Tell sets from scores: booleans, or a collection of labels per case."""
    try:
        array = np.asarray(answers)
    except ValueError:  # rows of different lengths
        return True
    if array.dtype == object and array.ndim == 1:
        return any(isinstance(one, list | tuple | set | frozenset) for one in array.tolist())
    return bool(array.dtype == np.bool_)


def _shape(array: Any) -> tuple[int, ...]:
    """Tell the shape of whatever holds numbers; ragged rows have none but their number."""
    try:
        return tuple(np.shape(array)) if not hasattr(array, "shape") else tuple(array.shape)
    except ValueError:
        return (len(array),)


def _length(arrays: Mapping[str, Any]) -> int:
    """Count the cases; all arrays must agree."""
    found = {key: _shape(one)[0] for key, one in arrays.items() if key in _ROWS and _shape(one)}
    key, n = next(iter(found.items()), ("y_true", 0))
    for other, length in found.items():
        if length != n:
            raise refusal("rows", first=key, n=n, name=other, found=length)
    if n == 0:
        raise refusal("no rows")
    return n


def _numbers(values: Any, name: str, shape: tuple[int, ...]) -> Numbers:
    """Read an array of numbers of a shape; text is read as strictly as in files."""
    ragged = len(_shape(values)) < len(shape)
    array = values if hasattr(values, "toarray") or ragged else np.asanyarray(values)
    if getattr(array, "ndim", 0) == 1 and array.dtype.kind in "OU":
        numbers = read_numbers(list(array))
    else:
        floats = as_floats(values, name, "scores" if name == "y_score" else "values")
        given = getattr(array, "dtype", floats.dtype)
        eps = float(np.finfo(given if given.kind == "f" else np.float64).eps)
        numbers = Numbers(floats, eps=eps)
    if numbers.values.shape != shape:
        raise refusal("shape", name=name, found=numbers.values.shape, expected=shape)
    return numbers


def _add_probabilities(
    cells: Cells, y_proba: Any, classes: Sequence[Any] | None, y_true: Any
) -> dict[Any, str]:
    """Read class probabilities; columns of a frame are named after the classes."""
    if is_frame(y_proba) and not isinstance(y_proba, pd.DataFrame):
        table = table_of_frame(y_proba)
        found = table.load([], table.names).numbers
        y_proba = pd.DataFrame({name: one.values for name, one in found.items()})
    if isinstance(y_proba, pd.DataFrame) and has_names(y_proba):
        names = y_proba.columns.tolist()
    elif classes is not None:
        names = list(classes)
    elif y_true is not None:
        there = plain_labels(cells.labels["y_true"]).codes >= 0
        names = sorted_classes(flat_labels(y_true, "y_true")[there]).tolist()
    else:
        raise refusal("no classes")
    if hasattr(y_proba, "toarray"):
        as_floats(y_proba, "y_proba")  # says what to do with a sparse matrix
    matrix = np.asanyarray(y_proba)
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        width = matrix.shape[1] if matrix.ndim == 2 else 1
        raise refusal("width", found=width, count=len(names))
    numbers = _numbers(y_proba, "y_proba", matrix.shape)
    columns = {name: f"y_proba[:, {at}]" for at, name in enumerate(names)}
    for name, own in zip(columns.values(), numbers.values.T, strict=True):
        cells.numbers[name] = replace(numbers, values=own)
    return columns


def _add_sets(
    cells: Cells, y_set: Any, classes: Sequence[Any] | None, y_true: Any
) -> dict[Any, str]:
    """Read prediction sets of any form that is known to :func:`cautious.sets.as_mask`."""
    if classes is not None:
        mask, names = as_mask(y_set, list(classes), empty="wrong"), list(classes)
    elif y_true is not None:
        checked = cases_of_sets(y_true, y_set, empty="wrong")
        mask, names = checked.mask, checked.labels.tolist()
    else:
        raise refusal("no classes")
    columns = {name: f"y_set[:, {at}]" for at, name in enumerate(names)}
    for name, own in zip(columns.values(), mask.T, strict=True):
        cells.labels[name] = Encoded(own.astype(np.intp), [False, True])
    return columns
