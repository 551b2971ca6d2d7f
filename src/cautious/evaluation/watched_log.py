"""A log of a deployed rule, counted batch by batch: what its watch is fed with."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import DataDigest
from cautious._files import data_files
from cautious._input_limits import GROUPS, LABEL
from cautious._messages import refusal
from cautious._typing import Ints
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, located, quoted
from cautious.evaluation._calibration import Calibration, scale_notes
from cautious.evaluation._rule_choice import (
    absent_note,
    among,
    chosen_rules,
    files_of,
    guessed_truth,
    opened_cases,
)
from cautious.evaluation.watch_state import ALL, BATCHES_KEPT, Batch, BatchCounts, Tally, Watch
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LIMITS, read_limits
from cautious.logs._answers import AnswerCounts, AnswerPlan, Decided, chosen_rows, decide
from cautious.predictions._cells import Encoded
from cautious.predictions._columns import described, grade_codes, guess_columns, memberships
from cautious.predictions._rows import labels_in


def watch(
    source: Any,
    rule: Any,
    state: Watch | str | os.PathLike[str] | None = None,
    *,
    batch: str | None = None,
    replace: bool = False,
    keep: int = BATCHES_KEPT,
    labels: Any = None,
    max_error: float | None = None,
    max_abstention: float | None = None,
    max_missed: float | None = None,
    min_ppv: float | None = None,
    min_npv: float | None = None,
    max_error_per_case: float | None = None,
    confidence_level: float = 0.95,
    only: str | None = None,
    truth: str | bool | None = None,
    score: str | None = None,
    proba: Any = None,
    model: str | bool | None = None,
    groups: str | bool | None = None,
    case: str | None = None,
    encoding: str | None = None,
    decimal: str = ".",
    progress: Callable[[Watch], object] | None = None,
) -> Watch:
    r"""Feed a log of a deployed rule to its watch, and look whether there is an alarm.

    Look as often as you like: if the rule keeps its limits, the chance that an alarm of one kind is
    *ever* raised is at most 1 − `confidence_level`.

    Parameters
    ----------
    source : path, several paths, frame, Arrow table or record batches
        Cases with their scores, as :func:`cautious.apply` takes and writes them. Each file is a
        batch, also those of a folder or pattern. A row whose truth is blank has no label yet.
    rule : Rule or path
        The rule that was deployed; answers are found from the scores.
    state : Watch or path, optional
        What was seen before; a file that does not exist yet begins a new watch. The file itself is
        not changed: write the result with :meth:`Watch.to_json`.
    batch : str, optional
        Name of the batch, of all cases together. By default each file is a batch, called by its
        path as given; cases in memory or from standard input are a new batch every time.
    replace : bool, default=False
        Let a batch stand in for the one of the same name that was fed before, as when its labels
        are known; otherwise a name that was fed before is refused.
    keep : int, default=100
        So many of the last batches are kept one by one, and can be replaced and shown; of those
        before, the names are kept, and the totals over all.
    labels : path, several paths or frame, optional
        Truths that came later, and the column `case` that tells the cases apart, which the log has
        as well; ids are compared as text. Columns that the rule remembers need not be said again.
        Without a column of cases, the truths of one batch, row by row. If `truth` is given, it is
        their column of truths, and that of the log where it has one of this name.
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
    truth, score, proba, model, groups, case, encoding, decimal : optional
        Columns, encoding and decimals, as in :func:`cautious.read_predictions`. ``truth=False``
        says that no truth is known yet. Groups are watched where they are named here, or where
        the rule's certificate has groups.
    progress : callable, optional
        Called with the watch after each batch, to keep it.

    Returns
    -------
    Watch
        Print it; ``alarm`` says whether to act.

    Notes
    -----
    What a batch is, its name says, and nothing else: equal cases count as often as they come.
    Batches may come in any order: counts add up. An alarm stays raised until a new watch is begun,
    as after a re-tuning. Labels must not depend on whether the answer is right; a sample that is
    drawn beforehand will do.

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
    (deployed,) = rules.values()
    calibration = Calibration.of_rule(deployed)
    asked = {
        "max_error": max_error, "max_abstention": max_abstention, "max_missed": max_missed,
        "min_ppv": min_ppv, "min_npv": min_npv, "max_error_per_case": max_error_per_case,
    }  # fmt: skip
    if not isinstance(keep, int) or keep < 1:
        raise InputError("{=keep} is {given}; give a whole number, at least 1.", given=quoted(keep))
    found = _begun(state, deployed, calibration, asked, confidence_level)
    found = dataclasses.replace(found, calibration=calibration, deployed=deployed, notes=())
    files = [
        os.path.normpath(name)
        for path in files_of(source)
        if path != "-" and "://" not in path
        for name in data_files(path)
    ]
    found.check_names(files if batch is None else [batch], replace=replace)
    late = None
    if labels is not None:
        late, case = _late_truths(labels, case, truth, deployed, encoding, decimal)
        if case is None and len(files) > 1:
            raise InputError(
                "{=labels} is given without a column that tells the cases apart, and there are {n} "
                "files; name the column with {=case}, or give one file.",
                n=len(files),
            )
    columns = {"score": score, "proba": proba, "model": model}
    roles: dict[str, Any] = {"truth": truth, "groups": groups, "case": case}
    notes: list[Message] = []
    models: set[str] = set()
    unmet = None if late and max(late.values()) >= 0 else False
    for one in [source] if batch is not None else _sources(source):
        with opened_cases(one, encoding, decimal) as opened:
            with located(opened.name):
                log = _Log(opened, rules, found, late, only, columns, **roles)
            models |= set() if log.plan.chosen is None else {log.plan.chosen}
            if len(models) > 1:
                raise InputError(
                    "the files hold the cases of the models {models}, but {=rule} is that of one; "
                    "say whose to take with {=only}.",
                    models=listed(sorted(models)),
                )
            named = bool(opened.name) and "-" not in files_of(one)
            for name, counts in log.batches(batch, named):
                at = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
                fed = Batch(name or found.new_name(), at, counts)
                found = dataclasses.replace(found, ids=log.ids)
                found = found.fed(fed, replace=replace, keep=keep)
                unmet = unmet is not False and not log.met
                if progress is not None and not unmet:  # else nothing is kept yet
                    progress(found)
            notes += log.notes()
    if unmet:
        raise InputError("{=labels} holds truths, and none of them is about a case of the log.")
    if not {*found.limits} - {"abstention"}:
        words = "the rule promises no limit on wrong answers, so they raise no alarm: watched is "
        words += "{watched} only. Name a limit with {=max_error}"
        watched = ["abstaining"] * len(found.limits) + ["drift"] * bool(found.expected)
        notes.insert(0, Message(words, {"watched": " and ".join(watched)}))
    return dataclasses.replace(found, notes=tuple({str(note): note for note in notes}.values()))


def _begun(
    state: Any,
    rule: Rule,
    calibration: Calibration | None,
    asked: Mapping[str, float | None],
    confidence_level: float,
) -> Watch:
    """Go on with a state, or begin with the limits that were given or promised."""
    promised = _promised(rule, {} if calibration is None else calibration.goal or {})
    # What a rule decides and promises, without how it came about.
    decided = json.loads(rule.to_json())
    kept = {key: decided[key] for key in decided if key not in ("version", "data", "certificate")}
    kept |= {"promised": promised, "by_group": _is_by_group(rule)}
    text = json.dumps(kept, sort_keys=True).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(text).hexdigest()[:32]
    given = {name: limit for name, limit in asked.items() if limit is not None}
    limits = read_limits(**given) if given else {}
    for argument in given:
        if LIMIT_ARGUMENTS[argument].two_classes and (rule.graded or rule.n_classes != 2):
            has = "is for graded answers" if rule.graded else f"has {rule.n_classes}"
            words = "{==name} is for two classes, and the rule {has}; leave it out."
            raise InputError(words, name=argument, has=has)
    found: Watch | None = state
    if state is not None and not isinstance(state, Watch):
        found = Watch.from_json(state) if Path(state).exists() else None
    if found is None:
        unseen = [name for name in promised if LIMITS[name].of is None]
        if unseen and not limits:
            raise InputError(
                "the rule promises a limit of the kind {limits}, which cannot be watched; say what "
                "to watch in its place, with {=max_error} or another limit.",
                limits=listed(unseen),
            )
        watched = {name: promised[name] for name in promised if name not in unseen} | limits
        expected = () if calibration is None else calibration.watched
        found = Watch(digest, watched, confidence_level, expected=expected)
        found.monitors()  # refuses limits that are none, before anything is read
    if found.rule != digest:
        raise InputError(
            "{=state} is that of another rule, or of another promise; name another file to begin a "
            "watch of this one."
        )
    for argument, limit in given.items():
        name = LIMIT_ARGUMENTS[argument].name
        if limits[name] != (known := found.limits.get(name)):
            raise InputError(
                "{==name} is {limit}, but the watch was begun with {known}; leave it out, or name "
                "another {=state} to begin a new watch.",
                name=argument,
                limit=limit,
                known="no limit" if known is None else 1 - known if "min" in argument else known,
            )
    if not found.limits and not found.expected:
        raise InputError(
            "there is nothing to watch: the rule promises no limit on wrong answers or "
            "abstentions, it holds no scores that drift could change, and no limit is given; give "
            "{=max_error} or {=max_abstention}, or a rule that was found on scores that differ, by "
            "`cautious tune -o`, an estimator or a curve."
        )
    return found


def _promised(rule: Rule, goal: Mapping[str, Any]) -> dict[str, float]:
    """Give the limits of a rule's certificate, and those of the budget that it was tuned for."""
    promised = dict((rule.certificate or {}).get("limits", {}))
    per = "error" if goal.get("per", "answer") == "answer" else "error_per_case"
    for name, limit in ((per, goal.get("max_error")), ("abstention", goal.get("max_abstention"))):
        if limit is not None:
            promised.setdefault(name, limit)
    return promised


def _is_by_group(rule: Rule) -> bool:
    return any(test.get("group") for test in (rule.certificate or {}).get("tests", ()))


def _sources(source: Any) -> list[Any]:
    """Take several paths apart."""
    if isinstance(source, list | tuple) and all(isinstance(s, str | os.PathLike) for s in source):
        return list(source)
    return [source]


_GRADES = ("grade", "graded", "correct", "right")


def _late_truths(
    labels: Any, case: str | None, truth: Any, rule: Rule, *written: Any
) -> tuple[dict[str, int], str | None]:
    """Read truths that came later, as codes by case or by row, and the column of cases if any."""
    late: dict[str, int] = {}
    known = rule.columns or {}
    for one in _sources(labels):
        with opened_cases(one, *written) as opened, located(opened.name):
            names = opened.schema.names
            if case is None and not late and known.get("id") in names:
                case = known["id"]
            if not truth and known.get("truth") in names:
                truth = known["truth"]
            elif not truth and rule.graded:
                truth = next((name for name in names if str(name).lower() in _GRADES), None)
            # Truths are all that is wanted: any column may be scores.
            score = case or names[0]
            column = guess_columns(names, truth=truth or None, score=score, case=case).truth
            opened.check([case, column])
            read = [str(name) for name in (column, case) if name is not None]
            for part in opened.parts:
                for _, batch in part.batches(read):
                    codes = _codes(batch, str(column), rule, part.where).tolist()
                    keys: Any = range(len(late), len(late) + len(codes))
                    keys = keys if case is None else _texts(batch, case)
                    for key, code in zip(keys, codes, strict=True):
                        if case is not None and (code < 0 or key is None):
                            continue
                        if (before := late.setdefault(str(key), code)) != code:
                            raise InputError(
                                "case {case} has the truths {one} and {other}; give one.",
                                case=quoted(key),
                                one=quoted(rule.classes[before]),
                                other=quoted(rule.classes[code]),
                            )
    return late, case


def _texts(batch: Any, name: str) -> npt.NDArray[np.object_]:
    """Read the cells of a column as text, None for those that are missing."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    column = batch.column(name)
    if types.is_string(column.type) and (pc.max(pc.binary_length(column)).as_py() or 0) <= LABEL:
        blank = pc.equal(pc.utf8_trim_whitespace(column), "")
        return np.asarray(pc.if_else(blank, None, column).to_numpy(zero_copy_only=False))
    codes, labels = labels_in(batch, name, text=True, most=None)
    return np.array([*labels, None], dtype=object)[codes]


class _Log:
    """The cases of one source, while they are counted."""

    def __init__(
        self,
        opened: Any,
        rules: Mapping[str, Rule],
        watch: Watch,
        late: Mapping[str, int] | None,
        only: str | None,
        columns: Mapping[str, Any],
        truth: Any,
        groups: Any,
        case: str | None,
    ) -> None:
        """Settle which columns are read, or say what is missing for what is to be watched."""
        (rule,) = rules.values()
        names = opened.schema_with(columns["model"], groups).names
        written = ("y_set", rule.answer_column)
        plan = AnswerPlan.of([name for name in names if name not in written], rules, **columns)
        plan = plan.of_model(opened, only)
        known, asked = rule.columns or {}, (truth, groups)
        unsaid = {"truth": truth is None, "id": case is None, "answerable": True}
        self.absent = [
            absent_note(role, known[role])
            for role in unsaid
            if unsaid[role] and late is None and known.get(role) not in (None, *names)
        ]
        if truth is None or (late is not None and truth not in (False, *names)):
            truth = known.get("truth")
            truth = truth if truth in names else guessed_truth(names) or False
        grouped = watch.groups is not None or _is_by_group(rule)
        if groups is None:
            own = known.get("groups")
            groups = own if grouped and own in (None, *names) else False
        if case is None and late is None and known.get("id") in names:
            case = known["id"]
        found = guess_columns(
            names, truth=truth, score=plan.reads()[0], model=False, groups=groups, case=case
        )
        if found.groups is None and (watch.groups is not None or (grouped and asked[1] is None)):
            raise InputError(
                "groups are watched, but no column tells them apart; the columns are {columns}. "
                "Name it with {=groups}.",
                columns=listed(names, 20),
            )
        if found.groups is not None and watch.n_batches and watch.groups is None:
            raise InputError(
                "{=groups} is given, but the watch was begun without groups; leave it out, or name "
                "another {=state} to begin a new watch."
            )
        limits = [LIMITS[name] for name in watch.limits if name != "abstention"]
        if found.truth is None and late is None and asked[0] is not False and limits:
            raise InputError(
                "there is no column of truths, and without them nobody sees whether {limits}; the "
                "columns are {columns}. Name it with {=truth}, give {=labels}, or say that no "
                "truth is known yet with {=no_truth}.",
                limits=limits[0].said(watch.limits[limits[0].name]),
                columns=listed(names, 20),
            )
        opened.check([*plan.reads(), found.truth, found.groups, found.case])
        answerable = known.get("answerable")
        self.roles = dataclasses.replace(
            plan.used, truth=found.truth, groups=found.groups, case=found.case,
            answerable=answerable if answerable in names else None,
        )  # fmt: skip
        self.opened, self.rule, self.plan, self.late = opened, rule, plan, late
        self.calibration, self.ids, self.digest = watch.calibration, watch.ids, DataDigest()
        self.answers = AnswerCounts(rule.classes, (0,) * rule.n_classes)
        self.rescored: list[Any] = []
        self.met = 0

    def batches(self, name: str | None, named: bool) -> Iterator[tuple[str, BatchCounts]]:
        """Count the cases of each file that has some, by its name if it has one."""
        roles = self.roles
        every = [*self.plan.reads(), roles.truth, roles.groups, roles.case, roles.answerable]
        columns = list(dict.fromkeys(column for column in every if column is not None))
        for title, parts in groupby(
            self.opened.alike(self.roles.groups),
            lambda part: name or (os.path.normpath(part.name) if named else ""),
        ):
            counts, rows = BatchCounts(), 0
            for part in parts:
                with located(part.name):
                    for first, batch in part.batches(columns):
                        counts = counts.plus(self._counts(batch, first, part.where))
                        rows += batch.num_rows
            if self.late is not None and self.roles.case is None and rows != len(self.late):
                raise InputError(
                    "{=labels} has {n} rows, but the batch has {rows}; give a truth for each row, "
                    "blank if it is unknown, or name the column of cases with {=case}.",
                    n=len(self.late),
                    rows=rows,
                ).at(title)
            if counts.of().cases:
                yield title, counts

    def _counts(self, rows: Any, first: int, where: Callable[[int], str]) -> BatchCounts:
        """Let the rule decide cases, and count them."""
        batch, places, where = chosen_rows(rows, self.plan, first, where)
        decided, _ = decide(batch, self.rule, next(iter(self.plan.columns.values())), where)
        codes = np.full(batch.num_rows, -1)
        if self.roles.truth is not None:
            codes = _codes(batch, self.roles.truth, self.rule, where)
        if (column := self.roles.answerable) is not None:
            asked = memberships(labels_in(batch, column), lambda row: f"{column}, {where(row)}")
            codes = np.where(asked, codes, 0)
        texts = None if self.roles.case is None else _texts(batch, self.roles.case)
        if self.late is not None:
            keys = places.tolist() if texts is None else texts
            later = np.array([self.late.get(str(key), -1) for key in keys], dtype=np.intp)
            self.met += int((later >= 0).sum())
            codes = np.where(codes < 0, later, codes)
        if texts is not None:
            known = pd.notna(texts)
            self.ids, other = self.ids.plus(texts[known], decided.values[known])
            self.rescored += other
        self.answers = self.answers.plus(decided.counts(self.rule.classes))
        if (self.rule.data or {}).get("digest"):
            self.digest.add([codes, *np.atleast_2d(decided.values.T)])
        column = self.roles.groups
        groups = None if column is None else labels_in(batch, column, text=True, most=GROUPS)
        truths = np.bincount(codes[codes >= 0], minlength=self.rule.n_classes)
        tallies = _tallies(decided, codes, self.rule.n_classes, groups)
        bins: tuple[int, ...] = ()
        open_bins = bins
        if self.calibration is not None:
            bins = tuple(self.calibration.bins_of(decided.values).tolist())
            open_bins = tuple(self.calibration.bins_of(decided.values[codes < 0]).tolist())
        return BatchCounts(tallies, bins, open_bins, tuple(truths.tolist()))

    def notes(self) -> Iterator[Message]:
        """Say which columns were read, and what looks odd."""
        name = self.opened.name
        names = self.opened.schema_with(self.plan.model, self.roles.groups).names
        yield described(self.roles, [column for column in names if column != "y_set"], name)
        yield from self.plan.notes
        yield from self.absent
        if self.rescored:
            yield Message(
                "{n} cases have ids that were seen before with another score, such as {ids}; they "
                "count again",
                {"n": f"{len(self.rescored):,}", "ids": listed(dict.fromkeys(self.rescored), 3)},
            )
        about = {"name": quoted(name, 60) if name else "the log"}
        if not self.answers.n:
            yield Message("{name} holds no cases; nothing was added", about)
            return
        met = self.answers
        yield from scale_notes(self.rule, name, met.least, met.most, met.n - met.missing)
        digest = self.digest.text(self.rule.classes)
        if (self.rule.data or {}).get("digest") == digest:
            yield Message(
                "{name}: the rule was chosen on these very cases, so they say little about whether "
                "it keeps its limits; watch it on others",
                about,
            )


def _codes(batch: Any, name: str, rule: Rule, where: Callable[[int], str]) -> Ints:
    """Give each row the position of its truth among the rule's classes, -1 without one."""
    encoded = labels_in(batch, name)
    if rule.graded:
        return grade_codes(encoded, lambda row: f"column {quoted(name)}, {where(row)}")
    codes, labels = encoded
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


def _tallies(decided: Decided, codes: Ints, k: int, groups: Encoded | None) -> dict[str, Tally]:
    """Count all cases, and those of each group in the order of their first rows."""
    abstained, judged = decided.codes == k, codes >= 0
    labelled = judged & ~abstained
    wrong = labelled & ~np.array(decided.sets)[decided.codes, codes]
    second = (decided.codes == 1) & (k == 2)
    every = np.ones(len(codes), dtype=np.bool_)
    columns = [every, abstained, decided.missing, judged, codes == 1]
    columns += [labelled & ~second, labelled & second, wrong & ~second, wrong & second]
    tallies = {ALL: Tally(*(int(np.count_nonzero(column)) for column in columns))}
    if groups is not None:
        names = [*groups.values, "(none)"]
        places = np.where(groups.codes < 0, names.index("(none)"), groups.codes)
        of_each = [np.bincount(places[column], minlength=len(names)) for column in columns]
        for place in pd.unique(places).tolist():
            tallies[names[place]] = Tally(*(int(counts[place]) for counts in of_each))
    return tallies
