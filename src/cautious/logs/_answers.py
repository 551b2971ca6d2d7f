"""Answers of rules to new cases: which rule reads what, what it answers, and how it is written."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple

import numpy as np

from cautious._files import ARROW, CSV, PARQUET, whole_file
from cautious._labels import match_label, match_labels
from cautious._typing import Floats, Ints, Mask
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, located, quoted
from cautious.logs._source import Part, Source
from cautious.logs.engines import map_on_dask, map_on_spark
from cautious.logs.entry import engine_kind
from cautious.predictions._columns import Columns, check_names, guess_columns
from cautious.predictions._rows import NO_NAME, Options, labels_in, read_rows
from cautious.predictions._table import table_of_batch


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
    n_chosen : int or None
        How many cases these are, where it is known beforehand.
    notes : tuple of Message
        Whose cases were taken.
    """

    rules: dict[str, Rule]
    columns: dict[str, tuple[str, ...]]
    targets: dict[str, str]
    model: str | None = None
    used: Columns = field(default_factory=lambda: Columns(None))
    chosen: str | None = None
    n_chosen: int | None = None
    notes: tuple[Message, ...] = ()

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        rules: Mapping[str, Rule],
        *,
        answer: str | None = None,
        score: Any = None,
        proba: Any = None,
        model: Any = None,
    ) -> AnswerPlan:
        """Settle which columns the rules read, and which they write."""
        check_names(names)
        several = len(rules) > 1
        if score is None and proba is None and several:
            # Scores may be in columns that are named after the models.
            score = list(rules) if set(rules) <= set(names) else None
        elif score is None and proba is None:
            ((name, rule),) = rules.items()
            known = rule.tuned_proba
            for column in known.values() or filter(None, [rule.tuned_column]):
                if column not in names:  # thresholds mean nothing to other scores
                    raise InputError(
                        "the rule was tuned on the column {tuned}, but the columns are {names}; "
                        "say which one to read with {==argument}.",
                        tuned=quoted(column),
                        names=listed(names),
                        argument="proba" if known else "score",
                    )
            if known:
                proba = known
            else:
                usual = name if name in names else rule.score_column
                score = rule.tuned_column or (usual if usual in names else None)
        found = guess_columns(
            names, truth=False, score=score, proba=proba, model=model, weight=False, groups=False,
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
        targets = {name: answer or rule.answer_column for name, rule in rules.items()}
        if several and not by_model:
            targets = {name: f"{target}_{name}" for name, target in targets.items()}
        for name in targets.values():
            if name in names:
                raise InputError(
                    "there is a column {name} already; name another for the answers with "
                    "{=answer}.",
                    name=quoted(name),
                )
        graded = any(rule.graded for rule in rules.values())
        model = found.model if by_model else None
        used = replace(found, sets=None, members={}, model=model, graded=graded)
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
        told = Message(
            "{n} of {every} cases are those of {chosen} by column {column}; the others are left "
            "out",
            {
                "n": f"{counts[chosen]:,}",
                "every": f"{sum(counts.values()):,}",
                "chosen": quoted(chosen),
                "column": quoted(self.model),
            },
        )
        return replace(self, chosen=chosen, n_chosen=counts[chosen], notes=(told,))

    def reads(self) -> list[str]:
        """Give the columns that are read, each once."""
        every = [name for names in self.columns.values() for name in names]
        return list(dict.fromkeys([*every, *filter(None, [self.model])]))


def _cases_by_model(source: Source, column: str) -> dict[str, int]:
    """Count the cases of each model."""
    counts: Counter[str] = Counter()
    for part in source.parts:
        with located(part.name):
            for _, batch in part.batches([column]):
                codes, models = labels_in(batch, column, text=True)
                each = np.bincount(codes + 1, minlength=len(models) + 1).tolist()
                counts.update(dict(zip([NO_NAME["model"], *models], each, strict=True)))
    return {name: n for name, n in sorted(counts.items()) if n}


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


Where = Callable[[int], str]


class AnswerCounts(NamedTuple):
    """What a rule answered; counts of several batches add up.

    Attributes
    ----------
    classes : tuple
        Class labels.
    single : tuple of int
        Cases answered with each class alone.
    several : int
        Cases answered with several classes, but not with all.
    abstained : int
        Cases abstained on, those without a score among them.
    missing : int
        Cases without a score.
    least, most : float
        Of two classes, the lowest and the highest score of the positive one; infinite before any.
    """

    classes: tuple[Any, ...]
    single: tuple[int, ...]
    several: int = 0
    abstained: int = 0
    missing: int = 0
    least: float = math.inf
    most: float = -math.inf

    @property
    def n(self) -> int:
        """The number of cases."""
        return sum(self.single) + self.several + self.abstained

    def plus(self, other: AnswerCounts) -> AnswerCounts:
        """Add the counts of other cases."""
        several, abstained, missing = map(int.__add__, self[2:5], other[2:5])
        single = tuple(map(int.__add__, self.single, other.single))
        ends = min(self.least, other.least), max(self.most, other.most)
        return AnswerCounts(self.classes, single, several, abstained, missing, *ends)


class Decided(NamedTuple):
    """What a rule makes of the cases of a batch.

    Attributes
    ----------
    codes : ndarray of shape (n,), int
        Position of the answer in `sets`: a class, the number of classes to abstain, or beyond.
    sets : list of ndarray of shape (K,), bool
        Each class alone, all of them, and other sets that occur.
    values : ndarray of shape (n,) or (n, K)
        Scores of the positive class, or probabilities.
    missing : ndarray of shape (n,), bool
        Cases without a score, which abstain.
    """

    codes: Ints
    sets: list[Mask]
    values: Floats
    missing: Mask

    def counts(self, classes: Sequence[Any]) -> AnswerCounts:
        """Count the answers."""
        k = len(classes)
        each = np.bincount(self.codes, minlength=len(self.sets)).tolist()
        rest = (sum(each[k + 1 :]), each[k], int(self.missing.sum()))
        scores = (self.values if self.values.ndim == 1 else self.values[:, 1])[~self.missing]
        ends = float(scores.min(initial=math.inf)), float(scores.max(initial=-math.inf))
        return AnswerCounts(tuple(classes), tuple(each[:k]), *rest, *ends)


def chosen_rows(batch: Any, plan: AnswerPlan, first: int, where: Where) -> tuple[Any, Ints, Where]:
    """Take the cases that a rule decides from a batch."""
    rows = np.arange(batch.num_rows)
    if plan.chosen is not None and plan.model is not None:
        codes, models = labels_in(batch, plan.model, text=True)
        wanted = np.array([name == plan.chosen for name in [*models, NO_NAME["model"]]])
        rows = np.flatnonzero(wanted[codes])
        batch = batch.take(rows)
    rows = rows + first
    return batch, rows, _among(where, rows)


def _among(where: Where, rows: Ints) -> Where:
    """Say where a row is, of some that were taken."""
    return lambda row: where(int(rows[row]))


def decide(batch: Any, rule: Rule, columns: Sequence[str], where: Where) -> tuple[Decided, int]:
    """Let a rule decide the cases of a batch."""
    single, k = len(columns) == 1, rule.n_classes
    has_score = single and rule.ends is not None
    read: Any = {"scores": tuple(columns)} if has_score else {"proba": {c: c for c in columns}}
    options = Options(missing="abstain")
    rows = read_rows(
        table_of_batch(batch, where=where), Columns(None, **read), options, whole=False
    )
    if rows.proba is None:
        (values,) = rows.scores.values()
    else:
        values = np.clip(rows.proba[:, 0], 0.0, 1.0) if single else np.ascontiguousarray(rows.proba)
    missing = np.isnan(values if single else values[:, 0])
    mask = rule.predict_set(values, classes=rule.classes)
    # Each case gets the position of its answer among the distinct ones.
    sets = [*np.eye(k, dtype=np.bool_), np.ones(k, dtype=np.bool_)]
    size = mask.sum(axis=1)
    codes = np.where(size == 1, mask.argmax(axis=1), k)
    other = np.flatnonzero((size != 1) & (size != k))
    if len(other):
        distinct, which = np.unique(mask[other], axis=0, return_inverse=True)
        codes[other] = k + 1 + which.ravel()
        sets += list(distinct)
    return Decided(codes, sets, values, missing), rows.odd.get("rounded rows", 0)


def answer_batch(batch: Any, plan: AnswerPlan, where: Where = "row {}".format) -> AnsweredBatch:
    """Add the answers of rules to a batch of cases."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    counts: dict[str, AnswerCounts] = {}
    rounded = 0
    # For each column of answers: which of some texts each case has, and the texts.
    columns: dict[str, tuple[Ints, list[str]]] = {
        target: (np.zeros(table.num_rows, dtype=np.intp), []) for target in plan.targets.values()
    }
    for name, rows in _turns(table, plan, where).items():
        rule = plan.rules[name]
        part, at = (table, where) if rows is None else (table.take(rows), _among(where, rows))
        decided, changed = decide(part, rule, plan.columns[name], at)
        counts[name] = decided.counts(rule.classes)
        rounded += changed
        codes, texts = columns[plan.targets[name]]
        codes[slice(None) if rows is None else rows] = decided.codes + len(texts)
        texts += rule.texts(decided.sets)
    for target, (codes, texts) in columns.items():
        column = pa.array(texts, pa.string()).take(pa.array(codes))
        table = table.append_column(pa.field(target, pa.string()), column)
    return AnsweredBatch(table, counts, rounded)


def _turns(table: Any, plan: AnswerPlan, where: Where) -> dict[str, Ints | None]:
    """Tell which rows each rule decides; None for all of them."""
    if plan.model is None or plan.chosen is not None:
        return dict.fromkeys(plan.rules)
    found: dict[str, Ints | None] = {}
    codes, models = labels_in(table, plan.model, text=True)
    for code, name in enumerate(["", *models], -1):
        rows = np.flatnonzero(codes == code)
        if len(rows) and name not in plan.rules:
            raise InputError(
                "{=rule} is about the models {rules}; there is none for {name}. Tune one for it, "
                "or leave its rows out.",
                rules=listed(plan.rules),
                name=quoted(name),
            ).at(f"column {quoted(plan.model)}, {where(int(rows[0]))}")
        if len(rows):
            found[name] = rows
    return found


class AnsweredBatch(NamedTuple):
    """A batch with its answers, and what they are."""

    table: Any
    counts: dict[str, AnswerCounts]
    rounded: int


def answer_part(part: Part, plan: AnswerPlan, columns: Sequence[str]) -> Iterator[AnsweredBatch]:
    """Answer the cases of one part of a source, a batch at a time."""
    with located(part.name):
        for first, batch in part.batches(columns):
            own, _, where = chosen_rows(batch, plan, first, part.where)
            if own.num_rows or not batch.num_rows:
                yield answer_batch(own, plan, where)


def stage_part(plan: AnswerPlan, columns: Sequence[str], task: tuple[Part, str]) -> list[Any]:
    """Answer one part into an Arrow file, on whichever machine this runs."""
    import pyarrow as pa

    part, path = task
    told, aside, writer = [], f"{path}.{os.getpid()}", None
    with pa.OSFile(aside, "wb") as sink:
        for table, counts, rounded in answer_part(part, plan, columns):
            if writer is None:
                writer = pa.ipc.new_stream(sink, table.schema)
            # In one piece, so that it is one batch again when it is read.
            writer.write_table(table.combine_chunks(), max_chunksize=table.num_rows or 1)
            told.append([counts, rounded])
        if writer is not None:
            writer.close()
    os.replace(aside, path)
    return told


@contextmanager
def answered_batches(
    source: Source, plan: AnswerPlan, engine: Any, beside: Path
) -> Iterator[Iterator[AnsweredBatch]]:
    """Answer the cases of a source by the engine of your choice, in their order."""
    columns = list(source.schema.names)
    kind = engine_kind(engine)
    if kind == "local":
        yield (one for part in source.parts for one in answer_part(part, plan, columns))
        return
    with TemporaryDirectory(prefix=".cautious-", dir=beside) as folder:
        tasks = [(part, f"{folder}/{at}.arrows") for at, part in enumerate(source.parts)]
        work = partial(stage_part, plan, columns)
        map_on = map_on_dask if kind == "dask" else map_on_spark
        yield _staged(tasks, map_on(work, tasks, engine))


def _staged(tasks: Sequence[tuple[Part, str]], told: Iterable[Any]) -> Iterator[AnsweredBatch]:
    """Read back what the tasks have left, and remove it."""
    import pyarrow as pa

    for (_, path), batches in zip(tasks, told, strict=True):
        if batches:
            with pa.OSFile(path, "rb") as file, pa.ipc.open_stream(file) as reader:
                for batch, (each, rounded) in zip(reader, batches, strict=True):
                    counts = {name: AnswerCounts(*one) for name, one in each.items()}
                    yield AnsweredBatch(pa.Table.from_batches([batch]), counts, rounded)
        os.unlink(path)


def file_kind(path: str | os.PathLike[str]) -> str:
    """Tell by its name what kind of file to write."""
    name = os.fspath(path)
    if name == "-":
        return ".csv"
    if "://" in name:
        raise InputError(
            "{=path} is {path}, an address; name a file that this machine can write.",
            path=quoted(name),
        )
    lowered = name.lower()
    for ending in (*CSV, *PARQUET, *ARROW):
        if lowered.endswith(ending):
            return ".parquet" if ending in PARQUET else ".arrow" if ending in ARROW else ending
    if Path(name).exists() and not Path(name).is_file():
        return ".csv"  # a device or a pipe, such as /dev/stdout
    raise InputError(
        "{=path} is {path}; its name must end in {endings}, which says how to write it.",
        path=quoted(name),
        endings=", ".join((*CSV, *PARQUET[:1], *ARROW[:1])),
    )


@contextmanager
def open_sink(
    path: str | os.PathLike[str], kind: str, schema: Any, dialect: tuple[str, bool] = (",", False)
) -> Iterator[Callable[[Any], None]]:
    """Open a file for tables; it appears when all of them are in it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _whole(path) as file, ExitStack() as stack:
        if kind == ".parquet":
            yield stack.enter_context(pq.ParquetWriter(file, schema)).write_table
        elif kind == ".arrow":
            yield stack.enter_context(pa.ipc.new_file(file, schema)).write_table
        else:
            if kind.endswith(".gz"):
                # No time and no name inside: the same answers are the same file.
                packed: Any = stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
                file = packed
            separator, marked = dialect
            separator = "\t" if ".tsv" in kind else "," if separator == "\t" else separator
            if marked:
                file.write(codecs.BOM_UTF8)
            for column in schema:
                if column.type.num_fields:
                    raise InputError(
                        "column {name} holds {kind}, which CSV cannot hold; write a Parquet file.",
                        name=quoted(column.name),
                        kind=quoted(column.type),
                    )
            _write_rows(file, separator, [schema.names])
            yield partial(_write_text, file, separator)


@contextmanager
def _whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that appears when it is whole; standard output, too, gets all or nothing."""
    if os.fspath(path) != "-":
        with whole_file(path) as file:
            yield file
        return
    with tempfile.TemporaryFile() as kept:
        yield kept
        kept.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(kept, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _write_text(file: IO[bytes], separator: str, table: Any) -> None:
    """Write cells as they are: by Arrow, unless one has to be quoted."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    kept = io.BytesIO()
    try:
        arrow_csv.write_csv(
            table,
            kept,
            arrow_csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="none"),
        )
    except pa.ArrowInvalid:
        _write_rows(file, separator, zip(*map(_as_text, table.columns), strict=True))
    else:
        file.write(kept.getbuffer())


def _write_rows(file: IO[bytes], separator: str, rows: Iterable[Sequence[str]]) -> None:
    """Write rows of text, quoting only cells that have to be."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    file.write(text.getvalue().encode())


def _as_text(column: Any) -> list[str]:
    """Write a column as Arrow writes it; what is missing is blank."""
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return [cell or "" for cell in column.cast(pa.string()).to_pylist()]
