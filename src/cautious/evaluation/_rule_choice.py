"""How scores become answers: the rules that a call was given, and reading what they are about."""

from __future__ import annotations

import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from cautious._labels import label_text, match_labels
from cautious._messages import refusal
from cautious._typing import as_number
from cautious.curves import Staircase
from cautious.decision import Rule
from cautious.errors import InputError, Message, check_kind, listed, quoted
from cautious.evaluation._calibration import scale_notes
from cautious.logs import LogSummary, summarise
from cautious.logs._source import open_source
from cautious.predictions._columns import guess_columns
from cautious.predictions._reader import file_stem
from cautious.predictions._table import is_frame

T = TypeVar("T")
_PIECE = 1 << 20


@dataclass(frozen=True)
class RuleChoice:
    """How scores and probabilities become answers, before the classes are known.

    Attributes
    ----------
    rules : mapping or None
        A rule for each model.
    window : pair of float or None
        Two classes: negative up to the first, positive from the second, abstain between.
    confidence : float or None
        Abstain unless the most probable class is at least so probable.
    utility : str or None
        Answer with the set of the greatest expected utility.
    """

    rules: Mapping[str, Rule] | None = None
    window: tuple[float, float] | None = None
    confidence: float | None = None
    utility: str | None = None

    @classmethod
    def of(cls, rule: Any, window: Any, confidence: Any, utility: Any) -> RuleChoice:
        """Read what was given; at most one of the four may be."""
        given = {"rule": rule, "window": window, "confidence": confidence, "utility": utility}
        named = [name for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise InputError(
                "{==first} and {==second} are given; give one of them.",
                first=named[0],
                second=named[1],
            )
        if window is not None:
            lower, upper = (as_number(end, "window") for end in window)
            window = (lower, upper)
        return cls(read_rules(rule), window, confidence, utility)

    def check_kind(self, *, graded: bool) -> None:
        """Refuse what is for classes where answers are graded, and the other way round."""
        for name, given in vars(self).items():
            of_grades = name == "rules" and given and all(one.graded for one in given.values())
            if given is not None and graded and not of_grades:
                raise InputError(
                    "{==given} is for classes, and these are graded answers; leave it out, or take "
                    "a rule that `cautious tune` found on graded answers, with {=rule}.",
                    given="rule" if name == "rules" else name,
                )
            if of_grades and not graded:
                raise InputError(
                    "{=rule} is for graded answers, and these have no grades; name the column of "
                    "grades with {=correct}, or take a rule of classes."
                )

    def for_model(self, name: str, classes: tuple[Any, ...]) -> Rule | None:
        """Make the rule of one model; None leaves the answers as they are."""
        if self.rules is not None:
            if name not in self.rules and len(self.rules) > 1:
                raise InputError(
                    "{=rule} is about the models {known}; there is none for {name}.",
                    known=", ".join(map(quoted, self.rules)),
                    name=quoted(name),
                )
            return self.rules.get(name) or next(iter(self.rules.values()))
        if self.window is not None:
            if len(classes) != 2:
                raise InputError(
                    "{=window} is for the score of two classes, and {name} has {n}; give "
                    "{=confidence} or {=utility}.",
                    name=quoted(name),
                    n=len(classes),
                )
            return Rule.window(*self.window, classes=classes)
        if self.confidence is not None:
            return Rule.confidence(self.confidence, classes=classes)
        return None if self.utility is None else Rule.utility(self.utility, classes=classes)

    def decision_of(self, name: str) -> str | None:
        """Name the decision of a model, as a log counts it; None stands for its own answers."""
        if self.rules is not None:
            return name if name in self.rules else next(iter(self.rules))
        if self.confidence is not None:
            return f"confidence {float(self.confidence)!r}"
        return self.utility

    @property
    def decisions(self) -> Any:
        """Name the decisions that a log has to be counted for."""
        if self.rules:
            return dict(self.rules)
        return [one for one in (self.utility, self.confidence) if one is not None]

    def notes(self, name: str, staircase: Staircase | None) -> Iterator[Message]:
        """Say what looks odd about a rule and the scores it meets."""
        other = next(iter(self.rules)) if self.rules and name not in self.rules else ""
        if other:  # a rule may be that of no model in particular
            yield Message(
                "{name}: the rule is that of {other}",
                {"name": quoted(name, 60), "other": quoted(other, 60)},
            )
        if staircase is None or not len(staircase.scores):
            return
        least, most = map(float, staircase.scores[[0, -1]])
        if self.rules is not None:
            rule = self.rules.get(name) or next(iter(self.rules.values()))
            n = round(staircase.n_positives + staircase.n_negatives)
            yield from scale_notes(rule, name, least, most, n)
        if self.window is None:
            return
        lower, upper = self.window
        facts = {"name": quoted(name, 60), "lower": f"{lower:g}", "upper": f"{upper:g}"}
        facts |= {"least": f"{least:g}", "most": f"{most:g}"}
        if lower > most or upper < least:
            yield Message(
                "{name}: the window from {lower} to {upper} lies outside the scores, which run "
                "from {least} to {most}; every case gets the same answer",
                facts,
            )
        elif lower < least and upper > most:
            yield Message(
                "{name}: all scores, from {least} to {most}, lie within the window; no case is "
                "answered",
                facts,
            )


def read_rules(rule: Any) -> dict[str, Rule] | None:
    """Read a rule, the rules of several models, or the file that holds them; None stays None."""
    if rule is None:
        return None
    if isinstance(rule, Rule):
        return {"" if rule.model is None else rule.model: rule}
    if isinstance(rule, Mapping):
        for each in rule.values():
            check_kind(each, Rule, "rule", "a Rule, or one by the name of each model")
        return dict(rule)
    from cautious.decision._rule_json import rules_from_json

    return rules_from_json(rule)


def read_with_rules(
    read: Callable[..., T], source: Any, choice: RuleChoice, **columns: Any
) -> tuple[T, list[Message]]:
    """Read predictions from the columns that the rules were tuned with; say which are missing."""
    # If no column is known to hold predictions, those are taken that are named after the
    # rules.
    known, rules = dict(columns), choice.rules or {}
    if known.get("correct") is not None:
        choice.check_kind(graded=True)
    if rules and all(rule.graded for rule in rules.values()):
        columns = _graded_columns(rules.values(), known)
        try:
            return read(source, **columns), []
        except InputError as error:
            if known.get("correct") is None and error.message.values.get("argument") == "correct":
                choice.check_kind(graded=False)  # nobody has named the column that is missing
            raise
    positive = {rule.pos_label for rule in rules.values()}
    if known.get("pos_label") is None and len(positive) == 1:
        known["pos_label"] = positive.pop()
    sources = source if isinstance(source, list | tuple) else [source]
    if not rules or not all(is_frame(one) or isinstance(one, str | os.PathLike) for one in sources):
        return read(source, **known), []
    read_once = any(isinstance(one, str) and one == "-" for one in sources)
    names = [] if read_once else [name for name in rules if name]
    if any(map(known.get, ("score", "proba", "sets"))):
        names = []
    elif len(rules) == 1:
        (rule,) = rules.values()
        known |= {"proba": rule.tuned_proba} if rule.tuned_proba else {"score": rule.tuned_column}
    tuned = [rule.columns or {} for rule in rules.values()]
    assumed = {
        argument: tuned[0][role]
        for role, argument in _ROLES.items()
        if argument not in known
        and not (argument == "cost_columns" and read is summarise)  # counts hold no amounts
        and role in tuned[0]
        and len({str(one.get(role)) for one in tuned}) < 2
    }
    notes: list[Message] = []
    while True:
        try:
            return read(source, **known, **assumed), notes
        except InputError as error:
            absent = error.message.values.get("argument")
            if error.message.key == "no such column" and absent in assumed and not read_once:
                notes.append(absent_note(absent, assumed.pop(absent)))
            elif error.message.key == "no predictions column" and names:
                try:
                    return read(source, **known | {"score": names}, **assumed), notes
                except InputError as again:
                    raise (error if again.message.key == "no such column" else again) from None
            else:
                raise


def _graded_columns(rules: Iterable[Rule], given: Mapping[str, Any]) -> dict[str, Any]:
    """Add the columns of graded answers that rules were tuned with to those that are given."""
    tuned = [rule.columns or {} for rule in rules]
    confidences = [one["score"] for one in tuned if "score" in one]
    known = {"confidence": list(dict.fromkeys(confidences))} if confidences else {}
    roles = {"correct": "truth", "answerable": "answerable", "groups": "groups"}
    known |= {name: tuned[0][role] for name, role in roles.items() if role in tuned[0]}
    return known | {name: value for name, value in given.items() if value is not None}


# What rules remember beside their scores, and the arguments that name it.
_ROLES = {"truth": "truth", "groups": "groups", "weight": "weight", "costs": "cost_columns"}
_HELD = {
    "truth": "the truth", "groups": "the groups", "weight": "the weights", "id": "the ids",
    "answerable": "which questions have an answer",
}  # fmt: skip


def absent_note(role: str, column: Any) -> Message:
    """Say that a column is missing which a rule was tuned with."""
    names = column.values() if isinstance(column, Mapping) else [column]
    facts = {"column": listed(names), "what": _HELD.get(role, "the costs of cases")}
    return Message("{column}, which held {what} when the rule was tuned, is no column here", facts)


def summarise_log(
    source: Any,
    engine: Any,
    choice: RuleChoice,
    *,
    rules: Sequence[str] = (),
    progress: Callable[..., None] | None = None,
    **columns: Any,
) -> tuple[dict[str, LogSummary], list[Message]]:
    """Summarise a log for the rules that will be asked about, by its name; say what is missing."""
    if columns.pop("case", None) is not None:
        raise InputError("{=case} is not offered with {=engine}; leave one of them out.")
    files = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(files, list) and "-" in files:
        raise InputError("{=engine} cannot read standard input; give files or a folder.")
    summary, notes = read_with_rules(
        summarise,
        source,
        choice,
        engine=engine,
        rules=choice.decisions or rules,
        progress=progress,
        **columns,
    )
    alone = isinstance(files, list) and len(files) == 1
    return {log_name(str(files[0])) if alone else "log": summary}, notes


def log_name(place: str) -> str:
    """Call a log after its file or folder, wherever we are; a pattern has no name."""
    if not place or (glob.has_magic(place) and not os.path.exists(place)):
        return "log"
    if os.path.isdir(place):
        return Path(os.path.abspath(place)).name or "log"
    return file_stem(place.rstrip("/"))


def chosen_rules(rule: Any, only: str | None) -> dict[str, Rule]:
    """Read rules, and take one of several if that is wanted."""
    rules = read_rules(rule)
    if not rules:
        raise InputError("{=rule} holds no rule; give what `cautious tune -o` wrote.")
    if only is None or (len(rules) == 1 and only not in rules):
        return rules  # of a single rule it may choose the cases
    if only not in rules:
        raise InputError(
            "{=only} is {given}, but {=rule} is about {rules}.",
            given=quoted(only),
            rules=listed(rules),
        )
    return {only: rules[only]}


def files_of(source: Any) -> list[str]:
    """Name the files that cases are read from; none, if they are in memory."""
    given = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(given, list | tuple):
        return []
    return [os.fspath(one) for one in given if isinstance(one, str | os.PathLike)]


@contextmanager
def opened_cases(source: Any, *written: Any) -> Iterator[Any]:
    """Open cases in files or in memory; standard input is kept in a file meanwhile."""
    files = files_of(source)
    if "-" not in files:
        if type(source).__module__.split(".")[0] == "pyspark":
            raise TypeError(
                "source is a frame of Spark's; give the files it is read from, or collect it."
            )
        yield open_source(source, *written)
        return
    if len(files) > 1:
        raise InputError("standard input, -, is given beside other files; give one of them.")
    with tempfile.TemporaryDirectory(prefix="cautious-") as folder:
        kept = Path(folder, "standard input")
        try:
            coming = sys.stdin.buffer
        except (AttributeError, ValueError):  # closed, or not there at all
            raise refusal("no standard input") from None
        with kept.open("wb") as file:
            shutil.copyfileobj(coming, file, _PIECE)
        name = "standard input"
        try:
            opened = open_source(kept, *written)
        except InputError as error:
            raise InputError(replace(error.message, place=name)) from None
        parts: list[Any] = list(opened.parts)
        yield replace(opened, name=name, parts=[replace(part, name=name) for part in parts])


def guessed_truth(names: Sequence[str]) -> str | None:
    """Find the column of truths, if there is one."""
    try:
        return guess_columns([*names, "score"]).truth
    except InputError:
        return None


def among(labels: list[Any], rule: Rule) -> list[int]:
    """Find labels among the rule's classes, -1 for others; "not emu" is every class but emu."""
    classes = [label_text(label) for label in rule.classes]
    rest = 0 if len(classes) == 2 and classes[0] == f"not {classes[1]}" else -1
    return [at if at >= 0 else rest for at in match_labels(labels, list(rule.classes))]
