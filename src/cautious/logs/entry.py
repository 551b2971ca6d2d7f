"""The one call: a log of any size and kind, summarised by the engine of your choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cautious._checks import first_row
from cautious._input_limits import CLASSES, GROUPS
from cautious._labels import sorted_labels, whole_labels
from cautious._messages import refusal
from cautious.decision import Rule
from cautious.errors import InputError, located, quoted
from cautious.logs import engines
from cautious.logs._source import Source, open_source
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary
from cautious.predictions._columns import Columns
from cautious.predictions._rows import NO_NAME, Settled, final_classes, read_rows
from cautious.predictions._table import table_of_batch


def summarise(
    source: Any,
    *,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    proba: Mapping[Any, str] | Sequence[str] | str | None = None,
    sets: Mapping[Any, str] | Sequence[str] | str | None = None,
    weight: str | bool | None = None,
    groups: str | bool | None = None,
    model: str | bool | None = None,
    correct: str | None = None,
    confidence: str | Sequence[str] | None = None,
    answerable: str | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    rules: Rule | str | float | Sequence[Any] | Mapping[str, Any] = (),
    empty: str = "error",
    missing: str = "error",
    drop_missing: bool = False,
    encoding: str | None = None,
    decimal: str = ".",
    engine: Any = "local",
    n_threads: int | None = None,
    memory_budget: int = 32 << 20,
    resolution: float | None = None,
    progress: engines.RowsDone | None = None,
) -> LogSummary:
    r"""Summarise a prediction log of any size in bounded memory.

    Every measure, curve, surface and the report follow from the summary exactly as from arrays in
    memory. Columns that are not given are guessed from their names.

    Parameters
    ----------
    source : path, DataFrame, Arrow table, record batches, or Spark DataFrame
        A Parquet, CSV or TSV file, a folder or pattern of them, a list of paths, an address such as
        ``s3://…``; a pandas frame; an Arrow table, record batch, reader, or an iterable of
        batches; with Spark, also one of its frames.
    truth, score, proba, sets, weight, groups, model : optional
        Columns, as in :func:`cautious.predictions.read_predictions`; ``False`` leaves out a weight,
        group or model that would be guessed. Groups and models may also be named by the folders
        below the one that is given: ``groups="month"`` where these are ``month=2026-01`` and so on.
    correct, confidence, answerable : optional
        Columns of graded answers, as in :func:`cautious.predictions.read_predictions`.
    classes : sequence, optional
        Class labels in order; two of them are (negative, positive). Those of written sets are
        otherwise found by reading the log once more.
    pos_label : label, optional
        The positive class, where it is not plain (0/1, no/yes, …). It must occur, unless `classes`
        says that it may.
    rules : Rule, str, float, or several of them in a sequence or mapping
        Decisions to count beside the most probable class: a :class:`cautious.decision.Rule`, the
        name of a utility such as "u65", or a probability below which the model abstains. A mapping
        gives them names; they are otherwise called by their utility ("u65"), their probability
        ("confidence 0.8"), or their model. Of two classes, any other rule can still be counted
        later, see :meth:`LogSummary.counts`.
    empty : {"error", "abstain", "wrong"}
        What an empty prediction set means.
    missing : {"error", "abstain"}
        What a missing score or probability means; abstaining, it is counted.
    drop_missing : bool
        Whether rows without a truth are left out, and counted, instead of being an error.
    encoding : str, optional
        Encoding of text files that are neither UTF-8 nor UTF-16 with its mark.
    decimal : {".", ","}
        What stands before the decimals of numbers in text files; Spark reads points only.
    engine : {"local", "dask", "spark"}, address, Dask client or Spark session
        Who does the work. "dask" takes the client that is running, "spark" the active session; if
        there is none, workers or a session are started on this machine for the work, out of reach
        for others, and stopped after it. Addresses are those of a Dask scheduler (``tcp://…``) or
        of Spark (``spark://…``, ``sc://…``).
    n_threads : int, optional
        Threads of the local engine; as many as processors by default, up to 4. More than 8 are not
        started: they would only wait for one another.
    memory_budget : int, default=32 MiB
        Bytes for distinct scores: 32 per pair of a score and a class, so a million by default. If
        there are more, scores are rounded to the finest grid with a sixteenth as many cells,
        and the result says so.
    resolution : float, optional
        Round scores from the start, to the largest power of two that does not exceed it.
    progress : callable, optional
        Called as ``progress(rows_done, rows_in_all or None)``, one call at a time, by the local
        engine from its threads; Spark shows its own.

    Returns
    -------
    LogSummary

    Raises
    ------
    ValueError, TypeError, OSError
        If any part of the source cannot be read or counted; the message says where. Nothing is
        returned then: a summary always covers the whole source. Damaged bytes are found where the
        file can show them: a Parquet file written with page checksums does, a CSV file can not.

    Examples
    --------
    >>> import pandas as pd
    >>> from cautious.logs import summarise
    >>> log = pd.DataFrame(
    ...     {"y_true": ["ash", "elm", "oak"], "p_ash": [0.8, 0.3, 0.1],
    ...      "p_elm": [0.1, 0.3, 0.4], "p_oak": [0.1, 0.4, 0.5]})
    >>> summary = summarise(log, rules="u65")
    >>> round(summary.measure("selective_accuracy"), 3)
    0.667
    >>> round(summary.measure("u65", decision="u65"), 3)
    0.706
    """
    wishes = {
        "truth": truth, "score": score, "proba": proba, "sets": sets, "weight": weight,
        "groups": groups, "model": model, "classes": classes, "pos_label": pos_label,
        "rules": rules, "empty": empty, "missing": missing, "drop_missing": drop_missing,
        "memory_budget": memory_budget, "resolution": resolution, "correct": correct,
        "confidence": confidence, "answerable": answerable,
    }  # fmt: skip
    kind = engine_kind(engine, source)
    if kind == "spark":
        if decimal != ".":
            raise InputError(
                "{=decimal} is {given}, and Spark reads points only; take {=engine local} or "
                "{=engine dask}.",
                given=quoted(decimal),
            )
        return _checked(engines.summarise_on_spark(source, engine, wishes), None, "")
    opened = open_source(source, encoding, decimal)
    with located(opened.name):
        plan = Plan.of(opened.schema_with(groups, model), place=opened.name, **wishes)
    opened.check(plan.columns.names())
    columns = plan.columns
    parts = opened.alike(columns.truth, columns.groups, columns.model)
    if plan.columns.sets is not None and not plan.classes:
        plan = _complete(plan, opened)
    rest: dict[str, Any] = {"n_rows": opened.n_rows, "progress": progress}
    if kind == "dask":
        summary = engines.summarise_on_dask(parts, plan, engine, **rest)
    else:
        summary = engines.summarise_in_threads(parts, plan, n_threads=n_threads, **rest)
    return _checked(summary, opened.n_rows, opened.name)


def engine_kind(engine: Any, source: Any = None) -> str:
    """Tell engines apart without importing any: "local", "dask" or "spark"."""
    home = type(engine).__module__.split(".")[0]
    text = engine if isinstance(engine, str) else ""
    if home == "pyspark" or text == "spark" or text.startswith(("spark://", "sc://")):
        return "spark"
    if home in ("distributed", "dask") or text == "dask" or "://" in text:
        return "dask"
    if text != "local":
        raise InputError(
            "{=engine} is {given}; choose 'local', 'dask' or 'spark', or give the address of a "
            "Dask scheduler such as 'tcp://host:8786'.",
            given=quoted(engine),
        )
    return "spark" if type(source).__module__.split(".")[0] == "pyspark" else "local"


def _complete(plan: Plan, source: Source) -> Plan:
    """Find the classes of written sets by reading truths and sets once more."""
    if not source.again:
        raise refusal("read once")
    columns, truths = plan.columns, set[Any]()
    needed = Columns(columns.truth, sets=columns.sets, weight=columns.weight)
    written: dict[Any, Callable[[], str]] = {}
    for part in source.alike(needed.truth):
        with located(part.name):
            for first, batch in part.batches(needed.names()):
                table = table_of_batch(batch, first, part.where)
                rows = read_rows(table, needed, plan, whole=False)
                truths.update(rows.truths)
                assert rows.written is not None
                codes, place = rows.written.codes, rows.place(columns.sets)
                for at, text in enumerate(rows.written.values):
                    if text not in written:
                        written[text] = partial(place, first_row(codes == at))
    with located(source.name):
        return plan.with_classes(truths, written, lambda text: written[text]())


def _checked(summary: LogSummary, n_rows: int | None, where: str) -> LogSummary:
    """Finish a summary; refuse one of nothing, of less than there is, or without its classes."""
    if n_rows is not None and summary.n_rows != n_rows:
        raise RuntimeError(f"{summary.n_rows:,} rows were counted, but there are {n_rows:,}.")
    if not summary.n_rows:
        raise refusal("no rows", place=where)
    # Whether all labels have a point, as whole numbers may, no batch knows by itself.
    seen, scores, plan = sorted_labels(summary.labels), summary.scores, summary.plan
    if (labels := whole_labels(seen)) != seen:
        scores = scores.renamed(dict(zip(seen, labels, strict=True)))
    summary = replace(summary, labels=frozenset(labels), scores=scores.settled)
    models = summary.models if len(plan.columns.scores) < 2 else []
    of_groups = (plan.columns.groups, summary.groups, GROUPS)
    for column, found, most in ((plan.columns.model, models, CLASSES), of_groups):
        if len({*found} - {*NO_NAME.values()}) > most:
            raise refusal("many labels", place=where, name=quoted(column), most=f"{most:,}")
    if plan.binary:
        with located(where):
            settled = Settled(plan.classes, plan.pos_label, plan.turned)
            final_classes(plan.columns, settled, labels)
    return summary
