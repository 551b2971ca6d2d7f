"""A log of a deployed rule, counted batch by batch: what its watch is fed with."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import DataDigest
from cautious._labels import label_text
from cautious._messages import refusal
from cautious._typing import Floats, Ints, Mask
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, quoted
from cautious.evaluation._calibration import Calibration, scale_notes
from cautious.evaluation._new_cases import among, chosen_rules, guessed_truth, opened_cases
from cautious.evaluation.surveillance import ALL, Batch, Watch
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LIMITS, read_limits
from cautious.logs._answers import AnswerPlan, chosen_rows, decide
from cautious.predictions._columns import described, guess_columns
from cautious.predictions._rows import labels_in

_KEYS = ("0123456789abcdef", "fedcba9876543210")
_TRUTH = "\0truth"  # no column is called so


def watch(
    source: Any,
    rule: Any,
    state: Watch | str | os.PathLike[str] | None = None,
    *,
    labels: Any = None,
    max_error: float | None = None,
    max_abstention: float | None = None,
    max_missed: float | None = None,
    min_ppv: float | None = None,
    min_npv: float | None = None,
    max_error_per_case: float | None = None,
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
        Cases with their scores, as :func:`cautious.apply` takes and writes them. Each file is a
        batch, also those of a folder or pattern. A column of truths is used where there is one; a
        row whose truth is blank has no label yet.
    rule : Rule or path
        The rule that was deployed; answers are found from the scores.
    state : Watch or path, optional
        What was seen before; a file that does not exist yet begins a new watch. The file itself is
        not changed: write the result with :meth:`Watch.to_json`.
    labels : path, several paths or frame, optional
        Truths that came later: a column of truths, and the column `case` that tells the cases
        apart, which the log has as well. If `truth` is given, it is their column of truths, and
        that of the log where it has one of this name.
    max_error, max_abstention, max_missed, min_ppv, min_npv, max_error_per_case : float, optional
        Limits to watch, as :func:`cautious.guarantees.certify` names them. Those of the rule's
        certificate, or the budget it was tuned for, are watched unasked. A watch that was begun
        keeps its own.
    confidence_level : float, default=0.95
        1 minus the chance of a false alarm, over all time, for each kind: errors, abstentions,
        drift of the scores; for each once more divided among the groups.
    only : str, optional
        The model, where the file holds rules of several. If the log has a column of models, only
        the rows of this one count. A single rule named after a model in that column counts the
        rows of that one unasked; otherwise, where there are several, it must be said.
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
    A batch is known by a digest of its rows, whatever their order, whichever column the truths are
    read from, and whether the file is CSV or Parquet: cells that are blank or hold one of the
    rule's classes do not tell batches apart, but for those that the rule reads; numbers, text and
    truth values are the same in both. (Single precision and dates may be written otherwise in CSV;
    then the copy is another batch. So are the rows of two files put into one.)
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
    calibration = Calibration.of_rule(deployed)
    asked = {
        "max_error": max_error, "max_abstention": max_abstention, "max_missed": max_missed,
        "min_ppv": min_ppv, "min_npv": min_npv, "max_error_per_case": max_error_per_case,
    }  # fmt: skip
    found = _begun(state, deployed, calibration, asked, confidence_level)
    notes: list[Message] = []
    late = None if labels is None else _late_labels(labels, case, truth, encoding)
    columns = {"score": score, "proba": proba, "groups": groups, "case": case, "model": model}
    taken: set[str] = set()
    known, fed = {one.cases: one for one in found.batches}, list[Batch]()
    for one in _sources(source):
        batches, said, chosen = _batches_of(
            one, {name: deployed}, calibration, late, encoding, only=only, truth=truth, **columns
        )
        notes += said
        taken |= set() if chosen is None else {chosen}
        if len(taken) > 1:
            raise InputError(
                "the files hold the cases of the models {models}, but {=rule} is that of one; say "
                "whose to take with {=only}.",
                models=listed(sorted(taken)),
            )
        for batch in batches:
            new, told = _to_feed(batch, known, again)
            fed += [] if new is None else [new]
            notes += [] if told is None else [told]
    found = found.fed(*fed)
    kept = {str(note): note for note in notes}
    return replace(found, notes=tuple(kept.values()), calibration=calibration, deployed=deployed)


def _to_feed(
    batch: Batch, known: dict[str, Batch], again: bool
) -> tuple[Batch | None, Message | None]:
    """Give the batch to feed, none if it was fed before, and what to say; `known` grows."""
    before, facts, told = known.get(batch.cases), {"batch": quoted(batch.name, 60)}, None
    if before is not None and again:
        times = next(k for k in itertools.count(1) if f"{batch.cases}+{k}" not in known)
        batch = replace(batch, cases=f"{batch.cases}+{times}")
    elif before is not None:
        if before.labels == batch.labels:
            facts["at"] = before.at
            return None, Message("{batch} was fed before, {at}; it is not counted again", facts)
        if sum(batch.truths) < sum(before.truths):
            return None, Message("{batch} was fed before, with more labels; those are kept", facts)
        told = Message("{batch} was fed before; its labels are brought up to date", facts)
    # What was fed first tells when; the rest is of the batch that knows more.
    known[batch.cases] = batch if before is None else replace(batch, at=before.at)
    return batch, told


def _begun(
    state: Any,
    rule: Rule,
    calibration: Calibration | None,
    asked: Mapping[str, float | None],
    confidence_level: float,
) -> Watch:
    """Go on with a state, or begin with the limits that were given or promised."""
    digest = hashlib.sha256(_identity(rule).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    given = {name: limit for name, limit in asked.items() if limit is not None}
    limits = read_limits(**given) if given else {}
    _check_watchable(limits, rule)
    if state is not None and not isinstance(state, Watch):
        state = Watch.from_json(state) if Path(state).exists() else None
    if state is None:
        goal = {} if calibration is None else dict(calibration.goal or {})
        begun = Watch(
            digest,
            _promised(rule, goal) | limits,
            confidence_level,
            expected=() if calibration is None else calibration.watched,
        )
        begun.monitors()  # refuses limits that are none, before anything is read
        return _watching(begun)
    if state.rule != digest:
        raise InputError(
            "{=state} is that of another rule; name another file to begin a watch of this one."
        )
    for argument, limit in given.items():
        kept = state.limits.get(LIMIT_ARGUMENTS[argument].name)
        if limits[LIMIT_ARGUMENTS[argument].name] != kept:
            raise InputError(
                "{==name} is {limit}, but the watch was begun with {known}; leave it out, or name "
                "another {=state} to begin a new watch.",
                name=argument,
                limit=limit,
                known="no limit" if kept is None else 1 - kept if "min" in argument else kept,
            )
    return _watching(cast(Watch, state))


def _promised(rule: Rule, goal: Mapping[str, Any]) -> dict[str, float]:
    """Give the limits of a rule's certificate, or else of the budget that it was tuned for."""
    promised = dict((rule.certificate or {}).get("limits", {}))
    per = "error" if goal.get("per", "answer") == "answer" else "error_per_case"
    for name, limit in ((per, goal.get("max_error")), ("abstention", goal.get("max_abstention"))):
        if limit is not None:
            promised.setdefault(name, limit)
    return {name: limit for name, limit in promised.items() if LIMITS[name].of is not None}


def _check_watchable(limits: Mapping[str, float], rule: Rule) -> None:
    for name in limits:
        if LIMITS[name].two_classes and rule.n_classes != 2:
            raise InputError(
                "{==name} is for two classes, and the rule has {n}; leave it out.",
                name=LIMITS[name].argument,
                n=rule.n_classes,
            )


def _watching(watch: Watch) -> Watch:
    """Refuse a watch that would see nothing, before anything is counted."""
    if not watch.limits and not watch.expected:
        raise InputError(
            "there is nothing to watch: the rule promises no limit on wrong answers or "
            "abstentions, it holds no scores that drift could change, and no limit is given; give "
            "{=max_error} or {=max_abstention}, or a rule that was found on scores that differ, by "
            "`cautious tune -o`, an estimator or a curve."
        )
    return watch


def _identity(rule: Rule) -> str:
    """Write what a rule decides, without how it came about."""
    data = json.loads(rule.to_json())
    for key in ("version", "data", "certificate"):
        data.pop(key, None)
    return json.dumps(data, sort_keys=True)


def _sources(source: Any) -> list[Any]:
    """Take several paths apart."""
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
            try:  # truths are all that is wanted, so the cases may stand for scores
                column = guess_columns(names, truth=truth or None, score=case).truth
            except InputError as error:
                raise error.at(opened.name) from None
            opened.check([case, column])
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
    codes, labels = labels_in(batch, str(name), most=None)
    every = [*labels, None]
    return [every[code] for code in codes.tolist()]


def _batches_of(
    source: Any,
    rules: Mapping[str, Rule],
    calibration: Calibration | None,
    late: Mapping[str, Any] | None,
    encoding: str | None,
    *,
    only: str | None,
    truth: Any,
    score: Any,
    proba: Any,
    model: Any,
    groups: Any,
    case: str | None,
) -> tuple[list[Batch], list[Message], str | None]:
    """Count the batches of a log, one per file; give notes, and the model if a column says it."""
    ((name_of_rule, rule),) = rules.items()
    found: dict[str, _Counting] = {}
    every = DataDigest()
    met = scored = 0
    least, most = np.inf, -np.inf
    with opened_cases(source, encoding) as opened:
        names = opened.schema_with(model, groups).names
        others = [name for name in names if name != "y_set"]
        try:
            plan = AnswerPlan.of(others, rules, score=score, proba=proba, model=model)
            plan = plan.of_model(opened, only)
            roles = guess_columns(
                names, truth=_own_truth(names, truth, late), score=plan.reads()[0], model=False,
                groups=groups, case=case,
            )  # fmt: skip
        except InputError as error:
            raise error.at(opened.name) from None
        opened.check([*plan.reads(), roles.truth, roles.groups, roles.case])
        read = plan.columns[name_of_rule]
        told = [name for name in others if name != roles.truth]
        for part in opened.parts:
            own = found.setdefault(
                part.name if opened.name else "", _Counting(rule, calibration, read)
            )
            try:
                for first, rows in part.batches(names):
                    batch, _, where = chosen_rows(rows, plan, first, part.where)
                    decided, _ = decide(batch, rule, read, where)
                    low, high = decided.ends()
                    least, most = min(least, low), max(most, high)
                    scored += int((~decided.missing).sum())
                    codes = np.full(batch.num_rows, -1)
                    if roles.truth is not None:
                        codes = _codes(batch, roles.truth, rule, where)
                    if late is not None and roles.case is not None:
                        met += _fill(codes, _labels(batch, roles.case), late, rule)
                    own.add(decided, codes, _groups(batch, roles.groups, opened))
                    own.digest.add(batch, told, codes)
                    every.add([codes, *np.atleast_2d(decided.values.T)])
            except InputError as error:
                raise error.at(part.name) from None
        batches = [own.batch(name) for name, own in found.items() if own.digest.n]
    used = replace(plan.used, truth=roles.truth, groups=roles.groups, case=roles.case)
    notes = [described(used, others, opened.name), *plan.notes()]
    if not batches:
        facts = {"name": quoted(opened.name, 60)} if opened.name else {"name": "the log"}
        notes.append(Message("{name} holds no cases; nothing was added", facts))
        return [], notes, plan.chosen
    notes += scale_notes(rule, opened.name, least, most, scored)
    if (rule.data or {}).get("digest") == every.text(rule.classes):
        facts = {"name": quoted(opened.name or batches[0].name, 60)}
        notes.append(
            Message(
                "{name}: the rule was chosen on these very cases, so they say little about whether "
                "it keeps its limits; watch it on others",
                facts,
            )
        )
    if late and not met:
        facts = {"name": quoted(opened.name or batches[0].name, 60)}
        notes.append(Message("{name}: none of the labels given is about its cases", facts))
    return batches, notes, plan.chosen


def _own_truth(names: Sequence[str], truth: Any, late: Mapping[str, Any] | None) -> str | bool:
    """Give the column of truths of a log, or False; one that is said may be that of late labels."""
    if truth is None or (late is not None and truth not in (False, *names)):
        return guessed_truth(names) or False
    return cast("str | bool", truth)


class _Counting:
    """The counts of one batch while it is read."""

    def __init__(self, rule: Rule, calibration: Calibration | None, read: Sequence[str]) -> None:
        self.rule, self.calibration = rule, calibration
        self.tallies: dict[str, Ints] = {}
        n_bins = 0 if calibration is None else len(calibration.counts)
        self.bins = np.zeros((2, n_bins), dtype=np.int64)
        self.truths = np.zeros(rule.n_classes, dtype=np.int64)
        self.digest = _Digest(rule, read)

    def add(self, decided: Any, codes: Ints, groups: tuple[Ints, list[str]] | None) -> None:
        """Count cases that were decided, with the codes of their truths."""
        _count(self.tallies, decided, codes, self.rule, groups)
        self.truths += np.bincount(codes[codes >= 0], minlength=self.rule.n_classes)
        if self.calibration is not None:
            self.bins[0] += self.calibration.bins_of(decided.values)
            self.bins[1] += self.calibration.bins_of(decided.values[codes < 0])

    def batch(self, name: str) -> Batch:
        """Give the counts as a batch."""
        cases, labels = self.digest.texts_of_both()
        every, unknown = (tuple(row) for row in self.bins.tolist())
        return Batch(
            name or f"a batch of {self.digest.n:,} cases",
            datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            cases,
            labels,
            {group: tuple(each.tolist()) for group, each in self.tallies.items()},
            every,
            unknown,
            tuple(self.truths.tolist()),
        )


def _groups(batch: Any, name: str | None, opened: Any) -> tuple[Ints, list[str]] | None:
    if name is None:
        return None
    codes, labels = labels_in(opened.alike_labels(batch, name), name, text=True)
    return codes.astype(np.intp), labels


def _codes(batch: Any, name: str, rule: Rule, where: Any) -> Ints:
    """Give each row the position of its truth among the rule's classes, -1 without one."""
    codes, labels = labels_in(batch, name)
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
    tallies: dict[str, Ints],
    decided: Any,
    codes: Ints,
    rule: Rule,
    groups: tuple[Ints, list[str]] | None,
) -> None:
    """Count in each group what :data:`TALLIES` names, and answers whose truth is known."""
    k = rule.n_classes
    abstained = decided.codes == k
    judged = codes >= 0
    labelled = judged & ~abstained
    wrong = labelled & ~np.array(decided.sets)[decided.codes, np.maximum(codes, 0)]
    by_class = [decided.codes == 0, decided.codes == 1] if k == 2 else [~abstained]
    columns = [np.ones(len(codes), np.bool_), abstained, decided.missing, judged, codes == 1]
    columns += [part & own for part in (labelled, wrong) for own in by_class]
    counted = np.column_stack(columns)
    parts = {ALL: np.ones(len(codes), dtype=np.bool_)}
    if groups is not None:
        own_codes, names = groups
        met, first = np.unique(own_codes, return_index=True)
        for at in met[np.argsort(first)].tolist():  # groups arrive with their first rows
            name = (names[at] if at >= 0 else "") or "(none)"
            parts[name] = parts.get(name, False) | (own_codes == at)
    for name, rows in parts.items():
        tallies[name] = tallies.get(name, 0) + counted[rows].sum(axis=0, dtype=np.int64)


class _Digest:
    """Digests of cases, and of cases and truths, that do not depend on the order of the rows.

    Nor do they depend on which column the truths are read from: cells that are blank or that could
    be truths add nothing, but for those that the rule reads. Nor on whether numbers and truth
    values are typed or written as text.
    """

    def __init__(self, rule: Rule, read: Sequence[str]) -> None:
        self.read, self.n = read, 0
        self.sums = [[0, 0], [0, 0]]
        labels = pd.Series(["", *(label_text(label) for label in rule.classes)])
        self.truths = {key: _Plain.of(labels).hashed(key) for key in _KEYS}

    def add(self, batch: Any, names: Iterable[str], codes: Ints) -> None:
        """Add rows: columns of theirs, and the codes of their truths."""
        columns = {}
        for name in names:
            column = batch.column(name)
            if not column.type.num_fields:  # lists have no hash
                columns[name] = _Plain.of(column.to_pandas())
        for at, key in enumerate(_KEYS):
            rows = np.zeros(batch.num_rows, dtype=np.uint64)
            for name, cells in columns.items():
                rows += self._hashed(cells, key, name)
            self._sum(0, at, rows)
            self._sum(1, at, rows + self._hashed(_Plain.of(pd.Series(codes)), key, _TRUTH))
        self.n += batch.num_rows

    def texts_of_both(self) -> tuple[str, str]:
        """Write the digest of the cases, and that of the cases with their truths."""
        cases, labels = ("".join(f"{one:016x}" for one in own) for own in self.sums)
        return f"{cases}-{self.n}", f"{labels}-{self.n}"

    def _hashed(self, cells: _Plain, key: str, name: str) -> Any:
        """Hash the cells of a column; those that are blank or could be truths add nothing."""
        found = cells.hashed(key)
        silent = np.zeros(len(found), dtype=np.bool_)
        if name not in (_TRUTH, *self.read):
            silent = np.isin(found, self.truths[key])
        (own,) = _Plain.of(pd.Series([f"column {name}"])).hashed(key)
        return np.where(silent, np.uint64(0), found * (own | np.uint64(1)))

    def _sum(self, which: int, at: int, rows: Any) -> None:
        mixed = (rows ^ (rows >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        total = int(mixed.sum(dtype=np.uint64))
        self.sums[which][at] = (self.sums[which][at] + total) % 2**64


class _Plain(NamedTuple):
    """Cells as numbers, or as text where they are none: the same, typed or written."""

    numbers: Floats
    rest: Mask
    texts: Any

    @classmethod
    def of(cls, cells: pd.Series[Any]) -> _Plain:
        """Read each cell by itself: what the others are must not matter."""
        read: Any = cells
        if not pd.api.types.is_numeric_dtype(cells):  # truth values are
            read = pd.to_numeric(cells.astype(object), errors="coerce")
        numbers: Floats = np.array(read, dtype=np.float64) + 0.0  # there are two zeros
        rest = np.isnan(numbers)
        texts = cells[rest].astype(object)
        texts = texts.where(texts.notna(), "").map(str).astype(object)
        numbers[rest] = texts.str.lower().map({"false": 0.0, "true": 1.0}).astype(np.float64)
        still = np.isnan(numbers)
        return cls(numbers, still, texts[still[rest]])

    def hashed(self, key: str) -> npt.NDArray[np.uint64]:
        """Hash each cell."""
        found = pd.util.hash_array(self.numbers)
        found[self.rest] = pd.util.hash_array(self.texts.to_numpy(), hash_key=key)
        return found
