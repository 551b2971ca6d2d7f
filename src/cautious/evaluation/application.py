"""Application: the answers of a saved rule to new cases, written to a file of any size."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from cautious._files import check_paths
from cautious._labels import ESCALATED
from cautious._result import Result
from cautious._text import TextTable, share
from cautious._typing import Ints
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, located, quoted
from cautious.evaluation._calibration import scale_notes
from cautious.evaluation._rule_choice import (
    among,
    chosen_rules,
    files_of,
    guessed_truth,
    opened_cases,
)
from cautious.logs._answers import (
    AnswerCounts,
    AnsweredBatch,
    AnswerPlan,
    answered_batches,
    chosen_rows,
    file_kind,
    open_sink,
)
from cautious.predictions._columns import described
from cautious.predictions._rows import labels_in
from cautious.predictions._table import is_frame

T = TypeVar("T")
# So many batches wait to be written while the next one is decided.
_AHEAD = 2


@dataclass(frozen=True, repr=False)
class Application(Result):
    """What rules answered to new cases.

    Attributes
    ----------
    counts : dict of str to AnswerCounts
        For each model: cases answered with each class, with several, abstained on, and those
        without a score, on which the rule abstains.
    columns : dict of str to str
        The column that holds the answers of each model's rule.
    path : Path or None
        The file that was written.
    rules : dict of str to Rule
        The rules.
    notes : tuple of Message
        What was guessed or looks odd.
    cases : frame or None
        The cases with their answers, if a frame was given and no file written: a frame of the same
        kind, of polars' if it was one of polars'.
    source : str
        The name of what was read; empty for cases in memory.

    Examples
    --------
    >>> import pandas as pd
    >>> import cautious
    >>> from cautious.decision import Rule
    >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
    >>> done = cautious.apply(pd.DataFrame({"score": [0.1, 0.5, 0.9]}), rule)
    >>> done.cases["y_set"].tolist()
    ['no', '?', 'yes']
    """

    counts: Mapping[str, AnswerCounts]
    columns: Mapping[str, str]
    path: Path | None
    rules: Mapping[str, Rule] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()
    cases: Any = None
    source: str = ""

    @property
    def n(self) -> int:
        """The number of cases; several rules may have decided each."""
        columns = set(self.columns.values())
        every = [one.n for one in self.counts.values()]
        return sum(every) if len(columns) == 1 else max(every, default=0)

    def _named(self, model: str) -> str:
        """Name the rule of no model after the file that was read, as models are elsewhere."""
        return model or (Path(self.source).stem or "rule" if len(self.counts) == 1 else "")

    def frame(self) -> pd.DataFrame:
        """One row per model: cases, answers of each kind, abstentions, missing scores.

        Examples
        --------
        >>> import cautious
        >>> rule = cautious.decision.Rule.window(0.2, 0.8)
        >>> done = cautious.apply(pd.DataFrame({"score": [0.1, 0.5, 0.9]}), rule)
        >>> done.frame().iloc[0].to_dict()
        {'cases': 3, 'abstained': 1, 'missing': 0, '0': 1, '1': 1}
        """
        rows = {}
        for name, one in self.counts.items():
            row = {"cases": one.n, "abstained": one.abstained, "missing": one.missing}
            row |= {"several": one.several} if one.several else {}
            rows[self._named(name)] = row | _answers(one, self.rules[name])
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "path": None if self.path is None else str(self.path),
            "models": {
                self._named(name): {
                    "column": self.columns[name],
                    "rule": self.rules[name].describe(),
                    "cases": one.n,
                    "answers": _answers(one, self.rules[name]),
                    "several": one.several,
                    "abstained": one.abstained,
                    "missing": one.missing,
                }
                for name, one in self.counts.items()
            },
        }

    def tables(self) -> Iterator[TextTable]:
        """Tables for people: a title, headings, and rows of text."""
        for name, one in self.counts.items():
            counts = _answers(one, self.rules[name]) | (
                {"several classes": one.several} if one.several else {}
            )
            graded = self.rules[name].graded
            counts[ESCALATED if graded else "abstained"] = one.abstained
            rows: list[tuple[str, ...]] = [
                (what, f"{n:,}", share(n / one.n) if one.n else "") for what, n in counts.items()
            ]
            if one.missing:
                lacking = "confidence" if graded else "score"
                rows.append((f"  of these without a {lacking}", f"{one.missing:,}", ""))
            title = name if len(self.counts) > 1 else self.source
            yield title, ["answer", "cases", "share"], rows

    def sentences(self) -> Iterator[str]:
        """Say what was done."""
        for name, one in self.counts.items():
            about = f"{name}: " if len(self.counts) > 1 and name else ""
            yield about + self.rules[name].describe()
            if not one.n:
                yield f"{about}There are no cases."
            elif one.missing:
                words = "cases have no score; the rule abstains on them."
                if self.rules[name].graded:
                    words = "answers have no confidence; they are escalated."
                yield f"{about}{one.missing:,} of {one.n:,} {words}"
        if self.path is not None:
            yield f"{self.n:,} cases with their answers were written to {self.path}."

    def __repr__(self) -> str:
        return f"<Application to {self.n:,} cases>"


def apply(
    source: Any,
    rule: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    only: str | None = None,
    answer: str | None = None,
    score: str | Sequence[str] | None = None,
    proba: Any = None,
    model: str | bool | None = None,
    encoding: str | None = None,
    decimal: str = ".",
    engine: Any = "local",
    progress: Callable[[int, int | None], object] | None = None,
) -> Application:
    """Answer new cases by a saved rule, and write them with their answers.

    Cases are read, decided and written batch by batch, so memory does not grow with their number.
    The file is written whole or not at all: until the last case is in it, the old one stays.

    Parameters
    ----------
    source : path, several paths, frame, Arrow table, or record batches
        New cases: CSV, Parquet or Arrow files, folders or patterns of them, or ``-`` for CSV from
        standard input. Several are read one after the other. They need no truth.
    rule : Rule, mapping of str to Rule, or path
        The rule, the rules of several models, or the file that ``tune -o`` wrote. Several rules
        read the column that is named after their model, or the column `model` says whose case
        it is.
    path : path-like, optional
        File to write: CSV or TSV (packed, if it ends in ``.gz``), Parquet or Arrow, by the end of
        its name; ``-`` writes CSV to standard output. CSV has the semicolons and the mark of UTF-8
        that the cases have. Without it, answers to a frame are returned
        with it (``cases``); those to files are counted only.
    only : str, optional
        The model: of rules of several, apply its own; where a column tells models apart, answer its
        cases and leave the others out. A single rule named after a model in that column takes the
        cases of that one unasked; otherwise, where there are several, it must be said.
    answer : str, optional
        Column to write: ``"y_set"``, or ``"decision"`` for a rule of kind "acceptance". Of several
        rules that decide the same cases, what the names of their columns begin with.
    score, proba, model, encoding, decimal : optional
        Columns, encoding and decimals, as in :func:`cautious.read_predictions`.
    engine : {"local", "dask", "spark"}, address, Dask client or Spark session
        Who decides; see :func:`cautious.summarise`. Workers must see the files, and the folder of
        `path`, under the same names. The file that is written is the same.
    progress : callable, optional
        Called with the rows done and the rows there are, if that is known.

    Returns
    -------
    Application
        Print it; it counts answers, abstentions and missing scores.

    See Also
    --------
    cautious.decision.Rule.predict_set : the same on arrays.
    cautious.watch : whether the answers stay as good as promised.

    Notes
    -----
    All columns of the cases are kept. The answer is written as prediction sets are read: a class
    by itself (``yes``), several as ``a|b``, and ``?`` where the rule abstains, also because a score
    is missing. A label that could be misread stands in a list, ``["a|b"]``, and if a class is
    called ``?``, abstaining is written as the set of all classes. So :func:`cautious.evaluate`
    reads the file back, once the truth has been added. Cells of text files stay text as written.
    Of no cases, as on an empty day, a file with the heading alone is written.

    Examples
    --------
    >>> import pandas as pd
    >>> import cautious
    >>> from cautious.decision import Rule
    >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
    >>> cases = pd.DataFrame({"id": [1, 2, 3], "score": [0.1, 0.5, None]})
    >>> answered = cautious.apply(cases, rule)
    >>> answered.cases["y_set"].tolist()
    ['no', '?', '?']
    >>> print(answered)
    answer                      cases   share
    no                              1  33.3 %
    yes                             0     0 %
    abstained                       2  66.7 %
      of these without a score      1
    <BLANKLINE>
    Answer 'yes' where the score is at least 0.8, 'no' where it is at most 0.2; abstain between.
    1 of 3 cases have no score; the rule abstains on them.
    <BLANKLINE>
    score 'score'
    """
    rules = chosen_rules(rule, only)
    kind = None if path is None else file_kind(path)
    to_file = path is not None and os.fspath(path) != "-"
    if to_file:
        check_paths(inputs=[*files_of(source), rule], outputs=[path])
    with ExitStack() as stack:
        opened = stack.enter_context(opened_cases(source, encoding, decimal))
        with located(opened.name):
            names = opened.schema_with(model).names
            plan = AnswerPlan.of(
                names, rules, answer=answer, score=score, proba=proba, model=model
            ).of_model(opened, only)
        opened.check(plan.reads() if path is None else opened.schema.names)
        for place, extra in opened.left_out:
            raise InputError(
                "column {name} is not in {first}; all files must have the same columns, or it "
                "would be lost. Write the column into every file, or into none.",
                name=quoted(extra),
                first=opened.parts[0].name,
            ).at(place)
        beside = os.path.dirname(os.path.realpath(str(path))) if to_file else tempfile.gettempdir()
        if path is not None:
            opened = replace(opened, parts=opened.alike(*opened.schema.names))
        answered = stack.enter_context(answered_batches(opened, plan, engine, Path(beside)))
        expected = opened.n_rows if plan.n_chosen is None else plan.n_chosen
        whole = _whole(answered, expected, opened.name or "the source")
        batches = stack.enter_context(closing(_ahead(whole)))
        if path is not None:
            written = _written(batches, path, str(kind), opened, plan)
            batches = stack.enter_context(closing(written))
        texts: dict[str, list[Any]] = {}
        if path is None and is_frame(source):
            texts = {name: [] for name in plan.targets.values()}
        counts = {
            name: AnswerCounts(one.classes, (0,) * one.n_classes) for name, one in rules.items()
        }
        done = rounded = 0
        truth_notes: list[Message] = []
        for batch in batches:
            if not done:
                truth_notes = list(_truth_notes(batch.table, rules))
            for column, cells in texts.items():
                cells += batch.table[column].to_pylist()
            for name, one in batch.counts.items():
                counts[name] = counts[name].plus(one)
            rounded += batch.rounded
            done += batch.table.num_rows
            if progress is not None:
                progress(done, expected)
        rows = _rows_of(opened, plan) if texts and plan.n_chosen is not None else None
    notes = [described(plan.used, plan.reads(), opened.name), *plan.notes, *truth_notes]
    for name, one in counts.items():
        about = name if len(rules) > 1 else opened.name
        notes += scale_notes(rules[name], about, one.least, one.most, one.n - one.missing)
    if rounded:
        words = "{rows} rows of probabilities were rounded; they were divided by their sum"
        notes.append(Message(words, {"rows": f"{rounded:,}"}))
    file = Path(path) if path is not None and to_file else None
    cases = _with_columns(source, texts, rows) if texts else None
    return Application(counts, plan.targets, file, rules, tuple(notes), cases, opened.name)


def _answers(counts: AnswerCounts, rule: Rule) -> dict[str, int]:
    """Count the cases answered with each class alone, by its text."""
    return {text: counts.single[at] for at, text in rule.answers.items()}


def _whole(
    batches: Iterator[AnsweredBatch], expected: int | None, name: str
) -> Iterator[AnsweredBatch]:
    """Pass batches on, and refuse a source that has changed when they are through."""
    done = 0
    for batch in batches:
        done += batch.table.num_rows
        yield batch
    if expected is not None and done != expected:
        raise InputError(
            "{done} rows were read, but there are {expected}; {name} changed meanwhile. Try again.",
            done=f"{done:,}",
            expected=f"{expected:,}",
            name=name,
        )


def _written(
    batches: Iterator[AnsweredBatch], path: Any, kind: str, opened: Any, plan: AnswerPlan
) -> Generator[AnsweredBatch]:
    """Write batches before they are passed on; of none, a file with a heading alone."""
    import pyarrow as pa

    first = next(batches, None)
    if first is None:
        own, targets = opened.schema, dict.fromkeys(plan.targets.values())
        answers = [pa.field(name, pa.string()) for name in targets]
        schema = pa.schema([*own, *answers], metadata=own.metadata)
    else:
        schema = first.table.schema
        for at, column in enumerate(schema):  # columns have the kind that all files together have
            if (there := opened.schema.get_field_index(column.name)) >= 0:
                own = opened.schema.field(there)
                schema = schema.set(at, column.with_type(own.type).with_nullable(own.nullable))
    with open_sink(path, kind, schema, opened.dialect()) as put:
        for batch in [] if first is None else chain([first], batches):
            put(batch.table.cast(schema))
            yield batch


def _truth_notes(cases: Any, rules: Mapping[str, Rule]) -> Iterator[Message]:
    """Note that the truths of the first cases are none of the classes that the rules answer."""
    truth = guessed_truth(cases.schema.names)
    if not truth:
        return
    try:
        _, labels = labels_in(cases, truth)
    except InputError:  # whatever it holds, no rule reads it
        return
    if labels and not any(at >= 0 for rule in rules.values() for at in among(labels, rule)):
        facts = {"column": quoted(truth), "labels": listed(labels, 3)}
        facts["classes"] = listed(next(iter(rules.values())).classes, 3)
        yield Message(
            "column {column} holds {labels}, but the rule answers {classes}; is it the rule for "
            "these cases?",
            facts,
        )


def _rows_of(opened: Any, plan: AnswerPlan) -> Ints:
    """Find the rows that were answered."""
    found = [
        chosen_rows(batch, plan, first, part.where)[1]
        for part in opened.parts
        for first, batch in part.batches([plan.model])
    ]
    return np.concatenate(found)


def _with_columns(frame: Any, columns: Mapping[str, list[str]], rows: Ints | None) -> Any:
    """Return a frame, or some of its rows, with more columns of text, of the kind it is."""
    if isinstance(frame, pd.DataFrame):
        return (frame if rows is None else frame.iloc[rows]).assign(**columns)
    import narwhals as nw

    known: Any = nw.from_native(frame)
    known = known.collect() if isinstance(known, nw.LazyFrame) else known
    known = known if rows is None else known[rows.tolist()]
    more = [
        nw.new_series(name, texts, nw.String(), backend=known.implementation)
        for name, texts in columns.items()
    ]
    return known.with_columns(*more).to_native()


def _ahead(items: Iterator[T]) -> Generator[T]:
    """Take items from an iterator in a thread, a few ahead of whoever uses them."""
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, items, None) for _ in range(_AHEAD))
        while (item := waiting.popleft().result()) is not None:
            waiting.append(pool.submit(next, items, None))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)
