"""The one call: a log of any size and kind, summarised by the engine of your choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cautious.logs.arrow_columns import encoded, plain
from cautious.logs.labels import is_empty_set, members_of, occurring, read_label
from cautious.logs.local import Progress, summarise_locally
from cautious.logs.plan import Plan, make_plan
from cautious.logs.score_tally import sort_key
from cautious.logs.sources import Source, open_source
from cautious.logs.summary import LogSummary

__all__ = ["summarise"]


def summarise(
    source: Any,
    *,
    truth: str | None = None,
    score: str | None = None,
    probabilities: Mapping[Any, str] | Sequence[str] | str | None = None,
    sets: Mapping[Any, str] | Sequence[str] | str | None = None,
    weight: str | bool | None = None,
    group: str | bool | None = None,
    model: str | bool | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    utilities: Sequence[str] = (),
    confidences: Sequence[float] = (),
    empty: str = "error",
    engine: Any = "local",
    n_threads: int | None = None,
    memory_budget: int = 32 << 20,
    resolution: float | None = None,
    progress: Progress | None = None,
) -> LogSummary:
    r"""Summarise a prediction log of any size in bounded memory.

    Every measure, curve, surface and the report follow from the summary exactly as from arrays in
    memory. Columns are guessed from their names (:func:`guess_columns`) unless they are given.

    Parameters
    ----------
    source : path, DataFrame, Arrow table, record batches, or Spark DataFrame
        A Parquet, CSV or TSV file, a folder or pattern of them, a list of paths, an address such as
        ``s3://…``; a pandas frame; an Arrow table, record batch, reader, or an iterable of
        batches; with Spark, also one of its frames.
    truth : str, optional
        Column of true labels.
    score : str, optional
        Column of scores that grow with the belief in the positive class.
    probabilities : str, sequence or mapping, optional
        Columns of class probabilities: a prefix such as ``"p_"``, the columns, or a mapping from
        class to column.
    sets : str, sequence or mapping, optional
        Prediction sets: one column of sets written ``a|b``, or one column a class.
    weight, group, model : str or False, optional
        Columns of the weight of a row, of the group it belongs to, and of the model's name;
        ``False`` leaves one out that would be guessed. Weights are 0, or from :math:`2^{-32}` to
        :math:`2^{32}`.
    classes : sequence, optional
        Class labels in the order of the columns. Those of written sets are otherwise found by
        reading the log once more, and read as the truths are: as numbers, booleans or text.
    pos_label : label, optional
        The positive class. Not needed for labels 0 and 1, -1 and 1, or booleans. It must occur
        unless `classes` says that it may.
    utilities : sequence of str
        Utilities ("u65", "u80", …) whose optimal sets to count from the probabilities of all
        classes, beside the likeliest class.
    confidences : sequence of float
        Answers of a model that keeps quiet below these probabilities are counted as well, each as
        the decision "confidence 0.8" and so on.
    empty : {"error", "abstain"}
        What an empty prediction set means.
    engine : {"local", "dask", "spark"}, Dask client or address, or Spark session
        Who does the work. "dask" takes the client that is running, "spark" the active session.
    n_threads : int, optional
        Threads of the local engine; as many as processors by default.
    memory_budget : int, default=32 MiB
        Bytes for distinct scores: 32 a pair of a score and a class, so a million by default. If
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
    >>> summary = summarise(log, utilities=["u65"])
    >>> round(summary.measure("selective_accuracy"), 3)
    0.667
    >>> round(summary.measure("u65", decision="u65"), 3)
    0.706
    """
    wishes = {
        "truth": truth,
        "score": score,
        "probabilities": probabilities,
        "sets": sets,
        "weight": weight,
        "group": group,
        "model": model,
        "classes": classes,
        "pos_label": pos_label,
        "utilities": utilities,
        "confidences": confidences,
        "empty": empty,
        "memory_budget": memory_budget,
        "resolution": resolution,
    }
    kind = _kind_of(engine, source)
    if kind == "spark":
        from cautious.logs.spark import summarise_on_spark

        return summarise_on_spark(source, engine, wishes)
    opened = open_source(source)
    plan = make_plan(opened.schema, where=opened.name, **wishes)
    opened = opened.settled_for(plan.columns)
    plan = _complete(plan, opened)
    if kind == "dask":
        from cautious.logs.dask import summarise_on_dask

        summary = summarise_on_dask(
            opened.fragments, plan, engine, n_rows=opened.n_rows, progress=progress
        )
    else:
        summary = summarise_locally(
            opened.fragments, plan, n_rows=opened.n_rows, n_threads=n_threads, progress=progress
        )
    return checked(summary, opened.n_rows, opened.name)


def checked(summary: LogSummary, n_rows: int | None, where: str = "") -> LogSummary:
    """Refuse a summary of nothing, of less than there is, or without the positive class."""
    if n_rows is not None and summary.n_rows != n_rows:
        raise RuntimeError(f"{summary.n_rows:,} rows were counted, but there are {n_rows:,}.")
    if not summary.n_rows:
        raise ValueError("the log has no rows; give at least one prediction.")
    plan, seen = summary.plan, summary.labels
    if plan.binary and not plan.classes and plan.pos_label not in {None, *seen}:
        shown = ", ".join(map(repr, sorted(seen, key=sort_key)[:10]))
        raise ValueError(
            (f"{where}: " if where else "")
            + f"the positive class is {plan.pos_label!r}, but column {plan.columns.truth!r} holds "
            f"{shown}. If it may be missing, declare both labels with classes=."
        )
    return summary.settled()


def _kind_of(engine: Any, source: Any) -> str:
    """Tell engines apart without importing any."""
    home = type(engine).__module__.split(".")[0]
    if home == "pyspark" or engine == "spark":
        return "spark"
    if home in ("distributed", "dask") or engine == "dask":
        return "dask"
    if isinstance(engine, str) and "://" in engine:
        return "dask"
    if engine != "local":
        raise ValueError(
            f"engine is {engine!r}; choose 'local', 'dask' or 'spark', a Dask client or its "
            "address, or a Spark session."
        )
    if type(source).__module__.split(".")[0] == "pyspark":
        return "spark"
    return "local"


def _complete(plan: Plan, source: Source) -> Plan:
    """Find the classes of written sets by reading truths and sets once more, if need be."""
    columns = plan.columns
    if columns.sets is None or plan.classes:
        return plan
    if not source.again:
        raise ValueError(
            "the classes of written sets are not known before everything has been read, and this "
            "source can be read only once; pass classes=."
        )
    truths: set[Any] = set()
    written: set[Any] = set()
    for fragment in source.fragments:
        for _, batch in fragment.batches([columns.truth, columns.sets]):
            truths.update(occurring(*encoded(batch, columns.truth)))
            written.update(occurring(*encoded(batch, columns.sets, missing=True)))
    return completed(plan, truths, written)


def completed(plan: Plan, truths: set[Any], written: set[Any]) -> Plan:
    """Add the classes that occur as truths or in written sets to a plan."""
    labels = {plain(label) for label in truths} - {None}
    texts = [text for text in written if not is_empty_set(text)]
    known = {str(label) for label in labels}
    try:
        named = {
            read_label(member, labels)
            for text in texts
            for member in set(members_of(text, known)) - known
        }
    except ValueError as error:
        raise ValueError(
            f"column {plan.columns.sets!r} names classes that column {plan.columns.truth!r} cannot "
            f"hold: {error}. Give all classes with classes=."
        ) from None
    return replace(plan, classes=tuple(sorted(labels | named, key=sort_key)))
