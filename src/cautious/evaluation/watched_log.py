"""A log of a deployed rule, counted batch by batch: what its watch is fed with."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from cautious._typing import Ints
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, quoted
from cautious.evaluation.application import among, chosen_rules, guessed_truth, opened_cases
from cautious.evaluation.calibration import Calibration, scale_notes
from cautious.evaluation.surveillance import ALL, TALLIES, Batch, Watch
from cautious.logs import AnswerPlan, column_of, decide, labels_of
from cautious.predictions import described, guess_columns, label_text, refusal

__all__ = ["watch"]


def watch(
    source: Any,
    rule: Any,
    state: Watch | str | os.PathLike[str] | None = None,
    *,
    labels: Any = None,
    max_error: float | None = None,
    max_abstention: float | None = None,
    confidence_level: float = 0.95,
    only: str | None = None,
    again: bool = False,
    truth: str | bool | None = None,
    score: str | None = None,
    proba: Any = None,
    model: str | bool | None = None,
    groups: str | bool | None = None,
    case: str | None = None,
    encoding: str | None = None,
) -> Watch:
    r"""Feed a log of a deployed rule to its watch, and look whether there is an alarm.

    Look as often as you like: if the rule keeps its limits, the chance that an alarm of one kind is
    *ever* raised is at most 1 − `confidence_level`.

    Parameters
    ----------
    source : path, several paths, frame, Arrow table or record batches
        Cases with their scores, as :func:`cautious.apply` takes and writes them. Each path (a file,
        folder or pattern) is a batch. A column of truths is used where there is one; a row whose
        truth is blank has no label yet.
    rule : Rule or path
        The rule that was deployed; answers are found from the scores.
    state : Watch or path, optional
        What was seen before; a file that does not exist yet begins a new watch. The file itself is
        not changed: write the result with :meth:`Watch.to_json`.
    labels : path, several paths or frame, optional
        Truths that came later: a column of truths, and the column `case` that tells the cases
        apart, which the log has as well.
    max_error, max_abstention : float, optional
        Largest share of wrong answers, and of cases abstained on. By default the limits of the
        rule's certificate, or the budget it was tuned for. A watch that was begun keeps its own.
    confidence_level : float, default=0.95
        1 minus the chance of a false alarm, over all time, for each kind: errors, abstentions,
        drift of the scores; for each once more divided among the groups.
    only : str, optional
        The model, where the file holds rules of several. If the log has a column of models, only
        the rows of this one count.
    again : bool, default=False
        Count a batch even if the same one was fed before.
    truth, score, proba, model, groups, case, encoding : optional
        Columns and encoding, as in :func:`cautious.read_predictions`.

    Returns
    -------
    Watch
        Print it; ``alarm`` says whether to act.

    Notes
    -----
    A batch is known by a digest of its rows, whatever their order and whichever column the truths
    are read from: cells that are blank or hold one of the rule's classes do not tell batches apart,
    but for those that the rule reads. (A CSV file and a Parquet file of the same rows are two:
    numbers in text are text.)
    Fed twice, it counts once, and a note says so; fed with more labels than before, its labels are
    brought up to date. Batches may come in any order: counts add up. An alarm stays raised until a
    new watch is begun, as after a re-tuning. Labels must not depend on whether the answer
    is right; a sample that is drawn beforehand will do.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import cautious
    >>> from cautious.decision import Rule
    >>> rng = np.random.default_rng(0)
    >>> log = pd.DataFrame({"y_true": (rng.random(400) < 0.3).astype(int)})
    >>> log["score"] = log["y_true"] * 0.8 + 0.1
    >>> log.loc[:60, "score"] = 1 - log["score"]  # something went wrong here
    >>> seen = cautious.watch(log, Rule.window(0.2, 0.8), max_error=0.05)
    >>> seen.alarm, seen.total()["wrong"]
    (True, 61)
    """
    rules = chosen_rules(rule, only)
    if len(rules) > 1:
        raise InputError(
            "{=rule} is about the models {rules}; choose one with {=only}.", rules=listed(rules)
        )
    name, deployed = next(iter(rules.items()))
    several = only is not None and len(chosen_rules(rule, None)) > 1
    calibration = Calibration.of_rule(deployed)
    found = _begun(state, deployed, calibration, max_error, max_abstention, confidence_level)
    notes: list[Message] = []
    late = None if labels is None else _late_labels(labels, case, truth, encoding)
    columns = {"score": score, "proba": proba, "groups": groups, "case": case}
    columns["model"] = model if several else False
    for one in _sources(source):
        batch, said = _batch_of(
            one, {name: deployed}, calibration, late, encoding, truth=truth, **columns
        )
        notes += said
        known = {each.cases: each for each in found.batches}
        before = known.get(batch.cases)
        if again and before is not None:
            same = sum(each.cases.split("+")[0] == batch.cases for each in found.batches)
            batch, before = replace(batch, cases=f"{batch.cases}+{same}"), None
        facts = {"batch": quoted(batch.name, 60)}
        if before is not None and before.labels == batch.labels:
            facts["at"] = before.at
            notes.append(Message("{batch} was fed before, {at}; it is not counted again", facts))
            continue
        if before is not None and batch.counts[ALL][3] < before.counts[ALL][3]:
            notes.append(Message("{batch} was fed before, with more labels; those are kept", facts))
            continue
        if before is not None:
            notes.append(
                Message("{batch} was fed before; its labels are brought up to date", facts)
            )
        found = found.fed(batch)
    kept = {str(note): note for note in notes}
    return replace(found, notes=tuple(kept.values()), calibration=calibration, deployed=deployed)


def _begun(
    state: Any,
    rule: Rule,
    calibration: Calibration | None,
    max_error: float | None,
    max_abstention: float | None,
    confidence_level: float,
) -> Watch:
    """Go on with a state, or begin with the limits that were given or promised."""
    digest = hashlib.sha256(_identity(rule).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    if state is not None and not isinstance(state, Watch):
        state = Watch.from_json(state) if Path(state).exists() else None
    if state is not None:
        if state.rule != digest:
            raise InputError(
                "{=state} is that of another rule; name another file to begin a watch of this one."
            )
        given = {"max_error": max_error, "max_abstention": max_abstention}
        for name, limit in given.items():
            if limit is not None and limit != getattr(state, name):
                raise InputError(
                    "{==name} is {limit}, but the watch was begun with {known}; leave it out, or "
                    "name another {=state} to begin a new watch.",
                    name=name,
                    limit=limit,
                    known="no limit" if getattr(state, name) is None else getattr(state, name),
                )
        return _watching(cast(Watch, state))
    promised = dict((rule.certificate or {}).get("limits", {}))
    goal = {} if calibration is None else dict(calibration.goal or {})
    if goal.get("per", "answer") == "answer":
        promised.setdefault("error", goal.get("max_error"))
    promised.setdefault("abstention", goal.get("max_abstention"))
    begun = Watch(
        digest,
        promised.get("error") if max_error is None else max_error,
        promised["abstention"] if max_abstention is None else max_abstention,
        confidence_level,
        expected=() if calibration is None else tuple(calibration.expected.tolist()),
    )
    begun.monitors()  # refuses limits that are none, before anything is read
    return _watching(begun)


def _watching(watch: Watch) -> Watch:
    """Refuse a watch that would see nothing, before anything is counted."""
    if watch.max_error is None and watch.max_abstention is None and not watch.expected:
        raise InputError(
            "there is nothing to watch: the rule has no certificate, it does not hold the scores "
            "it was tuned on, and no limit is given; give {=max_error} or {=max_abstention}, or a "
            "rule that was found on scores, by `cautious tune -o`, an estimator or a curve."
        )
    return watch


def _identity(rule: Rule) -> str:
    """Write what a rule decides, without how it came about."""
    data = json.loads(rule.to_json())
    for key in ("version", "data", "certificate"):
        data.pop(key, None)
    return json.dumps(data, sort_keys=True)


def _sources(source: Any) -> list[Any]:
    """Take several paths apart: each is a batch."""
    if isinstance(source, list | tuple) and all(isinstance(s, str | os.PathLike) for s in source):
        return list(source)
    return [source]


def _late_labels(labels: Any, case: str | None, truth: Any, encoding: str | None) -> dict[str, Any]:
    """Read truths that came later, by case."""
    if case is None:
        raise InputError(
            "{=labels} is given, but not which column tells the cases apart; say it with {=case}."
        )
    known: dict[str, Any] = {}
    for one in _sources(labels):
        with opened_cases(one, encoding) as opened:
            names = opened.schema.names
            if case not in names:
                raise refusal(
                    "no such column", argument="case", name=quoted(case), columns=listed(names, 20)
                ).at(opened.name)
            wanted = truth if isinstance(truth, str) and truth in names else None
            column = guess_columns([*names, "score"], truth=wanted).truth
            for part in opened.parts:
                for _, batch in part.batches([case, str(column)]):
                    ids, truths = (_labels(batch, each) for each in (case, column))
                    for key, value in zip(ids, truths, strict=True):
                        if value is None or key is None:
                            continue
                        if known.setdefault(label_text(key), value) != value:
                            raise InputError(
                                "case {case} has the truths {one} and {other}; give one.",
                                case=quoted(key),
                                one=quoted(known[label_text(key)]),
                                other=quoted(value),
                            ).at(opened.name)
    return known


def _labels(batch: Any, name: Any) -> list[Any]:
    codes, labels = labels_of(column_of(batch, str(name)), str(name), most=None)
    every = [*labels, None]
    return [every[code] for code in codes.tolist()]


def _batch_of(
    source: Any,
    rules: Mapping[str, Rule],
    calibration: Calibration | None,
    late: Mapping[str, Any] | None,
    encoding: str | None,
    *,
    truth: Any,
    score: Any,
    proba: Any,
    model: Any,
    groups: Any,
    case: str | None,
) -> tuple[Batch, list[Message]]:
    """Count one batch of a log."""
    ((name_of_rule, rule),) = rules.items()
    tallies: dict[str, list[int]] = {ALL: [0] * len(TALLIES)}
    bins = np.zeros((2, 0 if calibration is None else len(calibration.counts)), dtype=np.int64)
    truths = np.zeros(rule.n_classes, dtype=np.int64)
    n = met = scored = 0
    least, most = np.inf, -np.inf
    with opened_cases(source, encoding) as opened:
        names = opened.schema.names
        try:
            plan = AnswerPlan.of(
                [name for name in names if name != "y_set"], rules, score=score, proba=proba
            )
            roles = guess_columns(
                names, truth=truth if truth is not None else guessed_truth(names) or False,
                score=rule.tuned_column if score is None and proba is None else score,
                proba=proba, model=model, groups=groups, case=case,
            )  # fmt: skip
        except InputError as error:
            raise error.at(opened.name) from None
        told = [name for name in names if name not in (roles.truth, "y_set")]
        digest = _Digest(rule, plan.columns[name_of_rule])
        for part in opened.parts:
            try:
                for first, batch in part.batches(names):
                    rows = _rows_of(batch, roles.model, name_of_rule)
                    batch = batch if rows is None else batch.take(rows)

                    def where(
                        row: int, first: int = first, part: Any = part, rows: Any = rows
                    ) -> str:
                        return str(part.where(first + (row if rows is None else int(rows[row]))))

                    decided, _ = decide(batch, rule, plan.columns[name_of_rule], where)
                    low, high = decided.ends()
                    least, most = min(least, low), max(most, high)
                    scored += int((~decided.missing).sum())
                    codes = np.full(batch.num_rows, -1)
                    if roles.truth is not None:
                        codes = _codes(batch, roles.truth, rule, where)
                    if late is not None and roles.case is not None:
                        met += _fill(codes, _labels(batch, roles.case), late, rule)
                    _count(tallies, decided, codes, rule, _groups(batch, roles.groups))
                    truths += np.bincount(codes[codes >= 0], minlength=rule.n_classes)
                    if calibration is not None:
                        bins[0] += calibration.bins_of(decided.values)
                        bins[1] += calibration.bins_of(decided.values[codes < 0])
                    digest.add(batch, told, codes)
                    n += batch.num_rows
            except InputError as error:
                raise error.at(part.name) from None
        if not n:
            raise refusal("no rows", place=opened.name)
        name = opened.name or f"a batch of {n:,} cases"
    read = replace(roles, scores=plan.used.scores, proba=plan.used.proba, sets=None, members={})
    notes = [described(read, [one for one in names if one != "y_set"], opened.name)]
    notes += scale_notes(rule, opened.name, least, most, scored)
    if late and not met:
        facts = {"name": quoted(name, 60)}
        notes.append(Message("{name}: none of the labels given is about its cases", facts))
    counts = {group: tuple(each) for group, each in tallies.items()}
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    cases, labels = digest.texts_of_both()
    every, unknown = (tuple(row) for row in bins.tolist())
    found = Batch(name, now, cases, labels, counts, every, unknown, tuple(truths.tolist()))
    return found, notes


def _rows_of(batch: Any, column: str | None, model: str) -> Ints | None:
    """Find the rows of one model; None stands for all."""
    if column is None:
        return None
    codes, labels = labels_of(column_of(batch, column), column, text=True)
    return np.flatnonzero(np.array([label == model for label in [*labels, None]])[codes])


def _groups(batch: Any, name: str | None) -> tuple[Ints, list[str]] | None:
    if name is None:
        return None
    codes, labels = labels_of(column_of(batch, name), name, text=True)
    return codes.astype(np.intp), labels


def _codes(batch: Any, name: str, rule: Rule, where: Any) -> Ints:
    """Give each row the position of its truth among the rule's classes, -1 without one."""
    codes, labels = labels_of(column_of(batch, name), name)
    places = np.array([*among(labels, rule), -1])
    found = places[codes]
    unknown = (found < 0) & (codes >= 0)
    if unknown.any():
        row = int(np.argmax(unknown))
        raise refusal(
            "unknown truth",
            place=f"column {quoted(name)}, {where(row)}",
            label=quoted(labels[codes[row]]),
            classes=listed(rule.classes),
            near=(labels[codes[row]], list(rule.classes)),
        )
    return np.asarray(found)


def _fill(codes: Ints, cases: Iterable[Any], late: Mapping[str, Any], rule: Rule) -> int:
    """Take truths that came later for rows that have none; return how many rows they met."""
    met = 0
    for row, key in enumerate(cases):
        value = late.get(label_text(key))
        if value is None:
            continue
        met += 1
        if codes[row] < 0:
            (at,) = among([value], rule)
            if at < 0:
                raise refusal(
                    "unknown truth",
                    place=f"case {quoted(key)}",
                    label=quoted(value),
                    classes=listed(rule.classes),
                    near=(value, list(rule.classes)),
                )
            codes[row] = at
    return met


def _count(
    tallies: dict[str, list[int]],
    decided: Any,
    codes: Ints,
    rule: Rule,
    groups: tuple[Ints, list[str]] | None,
) -> None:
    """Count cases, abstentions, missing scores, labelled answers and wrong ones."""
    k = rule.n_classes
    abstained = decided.codes == k
    labelled = (codes >= 0) & ~abstained
    right = np.array(decided.sets)[decided.codes, np.maximum(codes, 0)]
    columns = [np.ones(len(codes)), abstained, decided.missing, labelled, labelled & ~right]
    parts = {ALL: np.ones(len(codes), dtype=np.bool_)}
    if groups is not None:
        parts |= {name or "(none)": groups[0] == at for at, name in enumerate(groups[1])}
        if (groups[0] < 0).any():
            parts["(none)"] = groups[0] < 0
    for name, rows in parts.items():
        own = tallies.setdefault(name, [0] * len(TALLIES))
        for at, column in enumerate(columns):
            own[at] += int(column[rows].sum())


class _Digest:
    """Digests of cases, and of cases and truths, that do not depend on the order of the rows.

    Nor do they depend on which column the truths are read from: cells that are blank or that could
    be truths add nothing, but for those that the rule reads.
    """

    def __init__(self, rule: Rule, read: Sequence[str]) -> None:
        self.read, self.n = read, 0
        self.sums = [[0, 0], [0, 0]]
        self.texts = {label_text(label) for label in rule.classes}
        self.numbers: set[float] = set()
        for label in rule.classes:
            with suppress(ValueError):
                self.numbers.add(float(label))  # of truth values, too
                self.texts.add(str(float(label)))

    def add(self, batch: Any, names: Iterable[str], codes: Ints) -> None:
        """Add rows: columns of theirs, and the codes of their truths."""
        columns = {}
        for name in names:
            column = column_of(batch, name)
            if not column.type.num_fields:  # lists have no hash
                cells = column.to_pandas()
                columns[name] = cells, None if name in self.read else self._silent(cells)
        for at, key in enumerate(("0123456789abcdef", "fedcba9876543210")):
            rows = np.zeros(batch.num_rows, dtype=np.uint64)
            for name, (cells, silent) in columns.items():
                rows += _hashed(cells, key, name, silent)
            self._sum(0, at, rows)
            self._sum(1, at, rows + _hashed(pd.Series(codes), key, "\0truth", None))
        self.n += batch.num_rows

    def texts_of_both(self) -> tuple[str, str]:
        """Write the digest of the cases, and that of the cases with their truths."""
        cases, labels = ("".join(f"{one:016x}" for one in own) for own in self.sums)
        return f"{cases}-{self.n}", f"{labels}-{self.n}"

    def _silent(self, cells: pd.Series[Any]) -> Any:
        """Tell which cells are blank or could be truths."""
        if pd.api.types.is_numeric_dtype(cells):  # truth values are
            return (cells.isna() | cells.astype(np.float64).isin(self.numbers)).to_numpy()
        return (cells.isna() | cells.isin({"", *self.texts})).to_numpy()

    def _sum(self, which: int, at: int, rows: Any) -> None:
        mixed = (rows ^ (rows >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        total = int(mixed.sum(dtype=np.uint64))
        self.sums[which][at] = (self.sums[which][at] + total) % 2**64


def _hashed(cells: pd.Series[Any], key: str, name: str, silent: Any) -> Any:
    """Hash the cells of a column; those that are silent add nothing."""
    found, own = (
        pd.util.hash_pandas_object(values, index=False, hash_key=key).to_numpy()
        for values in (cells, pd.Series([name]))
    )
    found = found * (own | np.uint64(1))
    return found if silent is None else np.where(silent, np.uint64(0), found)
