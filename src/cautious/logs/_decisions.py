"""From a batch of new cases to the answers of rules: the function that every engine maps."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from cautious._labels import label_text
from cautious._typing import Floats, Ints, Mask
from cautious.decision import Rule
from cautious.errors import InputError, listed, quoted
from cautious.logs._answer_plan import AnswerPlan
from cautious.logs._source import Source
from cautious.logs.entry import engine_kind
from cautious.logs.parts import Part
from cautious.predictions._columns import Columns
from cautious.predictions._rows import NO_NAME, Options, labels_in, read_rows
from cautious.predictions._table import table_of_batch
from cautious.sets._written import write_set

__all__ = [
    "AnswerCounts",
    "Decided",
    "answer_batch",
    "answered_batches",
    "cases_of",
    "decide",
]

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

    @classmethod
    def of_nothing(cls, classes: Sequence[Any]) -> AnswerCounts:
        """Count no case."""
        return cls(tuple(classes), (0,) * len(classes))

    @property
    def n(self) -> int:
        """The number of cases."""
        return sum(self.single) + self.several + self.abstained

    def plus(self, other: AnswerCounts) -> AnswerCounts:
        """Add the counts of other cases."""
        single = tuple(a + b for a, b in zip(self.single, other.single, strict=True))
        return AnswerCounts(
            self.classes,
            single,
            self.several + other.several,
            self.abstained + other.abstained,
            self.missing + other.missing,
            min(self.least, other.least),
            max(self.most, other.most),
        )


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
        return AnswerCounts(tuple(classes), tuple(each[:k]), *rest, *self.ends())

    def ends(self) -> tuple[float, float]:
        """Find the lowest and the highest score of the positive one of two classes."""
        scores = self.values if self.values.ndim == 1 else self.values[:, 1]
        known = scores[~self.missing]
        return float(known.min(initial=math.inf)), float(known.max(initial=-math.inf))


def cases_of(batch: Any, plan: AnswerPlan, first: int, where: Where) -> tuple[Any, Ints, Where]:
    """Take the cases that a rule decides from a batch."""
    rows = np.arange(batch.num_rows)
    if plan.chosen is not None and plan.model is not None:
        codes, models = labels_in(batch, plan.model, text=True)
        wanted = np.array([name == plan.chosen for name in [*models, NO_NAME["model"]]])
        rows = np.flatnonzero(wanted[codes])
        batch = batch.take(rows)
    rows = rows + first
    return batch, rows, lambda row: where(int(rows[row]))


def decide(batch: Any, rule: Rule, columns: Sequence[str], where: Where) -> tuple[Decided, int]:
    """Let a rule decide the cases of a batch."""
    single = len(columns) == 1
    roles = Columns(None, proba=dict(zip(columns, columns, strict=True)))
    if single and rule.kind == "window":
        roles = Columns(None, scores=(columns[0],))
    options = Options(missing="abstain")
    rows = read_rows(table_of_batch(batch, where=where), roles, options, whole=False)
    if rows.proba is None:
        (values,) = rows.scores.values()
    else:
        values = np.clip(rows.proba[:, 0], 0.0, 1.0) if single else np.ascontiguousarray(rows.proba)
    missing = np.isnan(values if single else values[:, 0])
    mask = rule.predict_set(values, classes=rule.classes)
    return _of_mask(mask, values, missing), rows.odd.get("rounded rows", 0)


def _of_mask(mask: Mask, values: Floats, missing: Mask) -> Decided:
    """Give each case the position of its answer among the distinct ones."""
    k = mask.shape[1]
    sets = [*np.eye(k, dtype=np.bool_), np.ones(k, dtype=np.bool_)]
    if k == 2:
        codes = np.where(mask[:, 0], np.where(mask[:, 1], 2, 0), 1)
        return Decided(codes, sets, values, missing)
    size = mask.sum(axis=1)
    codes = np.where(size == 1, mask.argmax(axis=1), k)
    other = np.flatnonzero((size != 1) & (size != k))
    if len(other):
        distinct, which = np.unique(mask[other], axis=0, return_inverse=True)
        codes[other] = k + 1 + which.ravel()
        sets += list(distinct)
    return Decided(codes, sets, values, missing)


def answer_batch(
    batch: Any, plan: AnswerPlan, *, first: int = 0, where: Where = "row {}".format
) -> tuple[Any, dict[str, AnswerCounts], int]:
    """Add the answers of rules to a batch of cases."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    counts: dict[str, AnswerCounts] = {}
    rounded = 0

    def answer(part: Any, name: str, at: Where) -> Any:
        nonlocal rounded
        rule = plan.rules[name]
        decided, changed = decide(part, rule, plan.columns[name], at)
        counts[name] = decided.counts(rule.classes)
        rounded += changed
        return _texts(decided, rule.classes)

    if plan.model is None or plan.chosen is not None:
        for name, target in plan.targets.items():
            column = answer(table, name, lambda row: where(row + first))
            table = table.append_column(pa.field(target, pa.string()), column)
        return table, counts, rounded
    codes, models = labels_in(table, plan.model, text=True)
    texts = np.empty(table.num_rows, dtype=object)
    for code in range(-1, len(models)):
        rows = np.flatnonzero(codes == code)
        if not len(rows):
            continue
        name = models[code] if code >= 0 else ""
        if name not in plan.rules:
            raise InputError(
                "{=rule} is about the models {rules}; there is none for {name}. Tune one for it, "
                "or leave its rows out.",
                rules=listed(plan.rules),
                name=quoted(name),
            ).at(f"column {quoted(plan.model)}, {where(first + int(rows[0]))}")

        def at(row: int, rows: Ints = rows) -> str:
            return where(first + int(rows[row]))

        texts[rows] = answer(table.take(rows), name, at).to_numpy(zero_copy_only=False)
    target = next(iter(plan.targets.values()))
    answers = pa.array(texts, pa.string())
    return table.append_column(pa.field(target, pa.string()), answers), counts, rounded


def _texts(decided: Decided, classes: Sequence[Any]) -> Any:
    """Write the answers as an Arrow array of text."""
    import pyarrow as pa

    names = [label_text(label) for label in classes]
    texts = [write_set([names[at] for at in np.flatnonzero(one)], names) for one in decided.sets]
    return pa.array(texts, pa.string()).take(pa.array(decided.codes))


class AnsweredBatch(NamedTuple):
    """A batch with its answers, and what they are."""

    table: Any
    counts: dict[str, AnswerCounts]
    rounded: int


def answer_part(part: Part, plan: AnswerPlan, columns: Sequence[str]) -> Iterator[AnsweredBatch]:
    """Answer the cases of one part of a source, a batch at a time."""
    try:
        for first, batch in part.batches(columns):
            own, _, where = cases_of(batch, plan, first, part.where)
            if own.num_rows or not batch.num_rows:
                yield AnsweredBatch(*answer_batch(own, plan, where=where))
    except InputError as error:
        raise error.at(part.name) from None


def stage_part(part: Part, plan: AnswerPlan, columns: Sequence[str], path: str) -> list[Any]:
    """Answer one part into an Arrow file, on whichever machine this runs."""
    import pyarrow as pa

    told, aside, writer = [], f"{path}.{os.getpid()}", None
    with pa.OSFile(aside, "wb") as sink:
        for table, counts, rounded in answer_part(part, plan, columns):
            if writer is None:
                writer = pa.ipc.new_stream(sink, table.schema)
            # In one piece, so that it is one batch again when it is read.
            writer.write_table(table.combine_chunks(), max_chunksize=table.num_rows or 1)
            told.append([{name: one[1:] for name, one in counts.items()}, rounded])
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
        parts = list(source.parts)
        tasks = [(part, f"{folder}/{at}.arrows") for at, part in enumerate(parts)]
        work = _Stage(plan, columns)
        if kind == "dask":
            from cautious.logs.engines.dask import map_on_dask

            told: Iterable[Any] = map_on_dask(work, tasks, engine)
        else:
            from cautious.logs.engines.spark import map_on_spark

            told = map_on_spark(work, tasks, engine)
        yield _staged(tasks, told, plan)


@dataclass(frozen=True)
class _Stage:
    """The work of one task; a class of its own, because it travels."""

    plan: AnswerPlan
    columns: list[str]

    def __call__(self, task: tuple[Part, str]) -> list[Any]:
        return stage_part(task[0], self.plan, self.columns, task[1])


def _staged(
    tasks: Sequence[tuple[Part, str]], told: Iterable[Any], plan: AnswerPlan
) -> Iterator[AnsweredBatch]:
    """Read back what the tasks have left, and remove it."""
    import pyarrow as pa

    for (_, path), batches in zip(tasks, told, strict=True):
        if batches:
            with pa.OSFile(path, "rb") as file, pa.ipc.open_stream(file) as reader:
                for batch, (each, rounded) in zip(reader, batches, strict=True):
                    counts = {
                        name: AnswerCounts(plan.rules[name].classes, tuple(single), *rest)
                        for name, (single, *rest) in each.items()
                    }
                    yield AnsweredBatch(pa.Table.from_batches([batch]), counts, rounded)
        os.unlink(path)
