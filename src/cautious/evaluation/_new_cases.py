"""New cases that rules are asked about: the rules, where cases come from, and their truths."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cautious._labels import label_text, match_labels
from cautious._messages import refusal
from cautious.decision import Rule
from cautious.errors import InputError, listed, quoted
from cautious.evaluation._rule_choice import read_rules
from cautious.logs._source import open_source
from cautious.predictions._columns import guess_columns

_PIECE = 1 << 20


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
