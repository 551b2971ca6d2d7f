"""From the columns of a table to predictions: classes settled, every cell checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.cli.hints import (
    few,
    label_hint,
    percent_hint,
    twins_hint,
    whole_labels,
    without_point,
)
from cautious.cli.options import Given
from cautious.cli.predictions import Predictions
from cautious.cli.rounding import decimals_kept, rounding_explains
from cautious.cli.tables import Table
from cautious.logs.columns import Columns
from cautious.logs.labels import members_of
from cautious.sets import check_mask, first_row

__all__ = ["RawPredictions", "sorted_labels"]

# Pairs of labels of which everybody knows the positive one.
_PLAIN_PAIRS = (("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"), ("n", "y"))
# Nobody tells more classes apart by a single score: so many different truths are no classes.
_MANY_CLASSES = 20


@dataclass(frozen=True)
class RawPredictions:
    """A table's columns, before classes are settled; ``notes`` are for its user."""

    table: Table
    columns: Columns
    frame: pd.DataFrame
    truth: Labels
    written: list[list[str] | None]
    which: Ints | None
    case: str | None = None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, table: Table, columns: Columns, case: str | None = None) -> RawPredictions:
        """Read the columns that are wanted of a table."""
        words = [columns.truth, columns.sets, columns.model, columns.group, case]
        # Whether a class is in a set may be said in words or in numbers.
        texts = [name for name in (*words, *columns.members.values()) if name is not None]
        numbers = [name for name in (columns.score, columns.weight) if name is not None]
        frame = table.read(texts, [*numbers, *columns.proba.values()])
        truth = table.labels(frame, columns.truth)
        written: list[list[str] | None] = []
        which = None
        if columns.sets is not None:
            # A million rows hold few different sets: each is read once.
            truths = set(pd.unique(truth).tolist())
            which, distinct = pd.factorize(table.labels(frame, columns.sets, gaps=True))
            written = [_members(text, truths) for text in distinct]
        if which is None and not {*columns.proba, *columns.members} & set(truth):
            truth = whole_labels(truth)
        return cls(table, columns, frame, truth, written, which, case)

    def mentioned(self) -> set[str]:
        """Classes named by truths and by written sets."""
        named = {label for members in self.written for label in members or ()}
        return named | set(pd.unique(self.truth).tolist())

    def models(self, given: Given, known: Sequence[str], name: str) -> Iterable[Predictions]:
        """Give each model's predictions; ``name`` is its name where no column says."""
        columns = self.columns
        whole = replace(
            self._predictions(name, given, known),
            weight=self._weight(),
            group=self._labels(columns.group),
            case=self._labels(self.case),
        )
        if columns.model is None:
            yield whole
            return
        models = self.table.labels(self.frame, columns.model, gaps=True)
        for model in pd.unique(models):
            yield whole.some(models == model, model or "(no name)")

    def _weight(self) -> Floats | None:
        name = self.columns.weight
        if name is None:
            return None
        weight = self.table.numbers(self.frame, name)
        bad = ~((weight >= 0) & (weight < np.inf))
        if bad.any():
            row = first_row(bad)
            raise ValueError(
                f"{self.table.name}: column {name!r} holds {weight[row]:g} in "
                f"{self.table.where(row)}; a weight is finite and not negative."
            )
        return weight

    def _labels(self, name: str | None) -> Labels | None:
        return None if name is None else self.table.labels(self.frame, name, gaps=True)

    def _predictions(self, name: str, given: Given, known: Sequence[str]) -> Predictions:
        """Settle the classes, and what speaks for them."""
        columns, table = self.columns, self.table
        score = None if columns.score is None else self._score(columns.score)
        proba, positive = None, given.positive
        classes = tuple(columns.proba or columns.members or known)
        if columns.proba:
            proba = np.column_stack(
                [table.numbers(self.frame, column) for column in columns.proba.values()]
            )
            proba = self._checked_probabilities(proba)
            if len(classes) == 1:
                score, proba, positive = proba[:, 0], None, classes[0]
        if proba is not None and (len(classes) == 2 or positive is not None):
            self._check_truth(classes)
            chosen = classes[-1] if positive is None else positive
            if chosen not in classes:
                raise ValueError(
                    f"--positive is {chosen!r}, but the classes are {few(classes)}."
                    f"{label_hint(chosen, classes)}"
                )
            score, proba = proba[:, classes.index(chosen)], None
            classes = (_rest(classes, chosen), chosen)
        elif score is not None:
            classes = self._pair(positive)
        else:
            self._check_truth(classes)
            if len(classes) < 2:
                raise ValueError(
                    f"{table.name}: there is only one class, {few(classes)}; nothing can be told "
                    "apart."
                )
        truth = self.truth
        if score is not None:
            truth = np.where(truth == classes[1], classes[1], classes[0]).astype(object)
        sets = None
        if self.which is not None or columns.members:
            sets = self._sets(classes, given)
        return Predictions(name, truth, classes, score, proba, sets)

    def _pair(self, positive: str | None) -> tuple[str, str]:
        """Negative and positive class of scores."""
        seen = sorted_labels(set(pd.unique(self.truth).tolist()))
        if positive is not None and positive not in seen and without_point(positive) in seen:
            positive = without_point(positive)
        if positive not in seen and len(seen) > _MANY_CLASSES and self.columns.score is not None:
            raise ValueError(
                f"{self.table.name}: column {self.columns.truth!r} holds {len(seen)} different "
                f"truths; {self._swapped()}"
            )
        if positive is not None:
            if positive not in seen:
                raise ValueError(
                    f"{self.table.name}: the positive class is {positive!r}, but the truths are "
                    f"{few(seen)}.{label_hint(positive, seen)}"
                )
            return _rest(seen, positive), positive
        for pair in _PLAIN_PAIRS:
            if sorted(label.lower() for label in seen) == sorted(pair):
                negative, plainly = sorted(seen, key=lambda label: pair.index(label.lower()))
                return negative, plainly
        if len(seen) == 1:
            raise ValueError(
                f"{self.table.name}: every row has the truth {seen[0]!r}; rows of two classes are "
                "needed."
            )
        twins = twins_hint(seen)
        raise ValueError(
            f"{self.table.name}: the classes are {few(seen)}; say which one a high score speaks "
            f"for, for example --positive {seen[-1]}{twins and f'.{twins}'}"
        )

    def _score(self, name: str) -> Floats:
        try:
            return self.table.numbers(self.frame, name)
        except ValueError as error:
            truths = pd.Series(pd.unique(self.truth))
            numbers = pd.to_numeric(truths, errors="coerce").notna().all()
            hint = f" Or {self._swapped()}" if len(truths) > 2 and numbers else ""
            raise ValueError(f"{error}{hint}") from None

    def _swapped(self) -> str:
        return f"are {self.columns.truth!r} and {self.columns.score!r} swapped?"

    def _check_truth(self, classes: Sequence[str]) -> None:
        unknown = ~np.isin(self.truth, list(classes))
        if unknown.any():
            row = first_row(unknown)
            raise ValueError(
                f"{self.table.name}: the truth in {self.table.where(row)} is "
                f"{str(self.truth[row])[:60]!r}, which is not among the classes {few(classes)}."
                f"{label_hint(str(self.truth[row]), classes)}"
            )

    def _checked_probabilities(self, proba: Floats) -> Floats:
        """Check probabilities, and make up for their having been rounded."""
        outside = ((proba < 0) | (proba > 1)).any(axis=1)
        if outside.any():
            row = first_row(outside)
            column = list(self.columns.proba.values())[
                first_row((proba[row] < 0) | (proba[row] > 1))
            ]
            raise ValueError(
                f"{self.table.name}: column {column!r} holds no probability in "
                f"{self.table.where(row)} ({_numbers(proba[row])}); they lie between 0 and 1."
                f"{percent_hint(proba)} If these are scores of another kind, name the column with "
                "--score."
            )
        if proba.shape[1] == 1:
            return proba
        sums = proba.sum(axis=1)
        off = np.abs(sums - 1)
        beyond = off > rounding_explains(proba) + 1e-9
        if beyond.any():
            row = first_row(beyond)
            raise ValueError(
                f"{self.table.name}: the probabilities add up to {proba[row].sum():.6g} in "
                f"{self.table.where(row)} ({_numbers(proba[row])}); each row must add up to 1. "
                "Are they rounded too coarsely, or is the column of a class missing?"
            )
        rounded = off > 5e-7  # the library takes less for exact
        if not rounded.any():
            return proba
        self.notes.append(
            f"the probabilities are rounded to {decimals_kept(proba) or 6} decimals; in "
            f"{int(rounded.sum())} of {len(proba)} rows they do not add up to 1 (the worst: "
            f"{sums[off.argmax()]:.6g}) and are divided by their sum"
        )
        return np.where(rounded[:, None], proba / sums[:, None], proba)

    def _sets(self, classes: tuple[str, ...], given: Given) -> Mask:
        position = {label: k for k, label in enumerate(classes)}
        if self.columns.members:
            columns = self.columns.members
            missing = [label for label in classes if label not in columns]
            if missing:
                raise ValueError(
                    f"{self.table.name}: there is no set column of the class {missing[0]!r}."
                )
            mask = np.column_stack([self._truths(columns[label]) for label in classes])
        else:
            assert self.which is not None
            distinct = np.zeros((len(self.written), len(classes)), dtype=np.bool_)
            for at, members in enumerate(self.written):
                for label in classes if members is None else members:
                    if label not in position:
                        row = first_row(self.which == at)
                        raise ValueError(
                            f"{self.table.name}: the set in {self.table.where(row)} names "
                            f"{label[:60]!r}, which is not among the classes {few(classes)}."
                        )
                    distinct[at, position[label]] = True
            mask = distinct[self.which]
        try:
            return check_mask(mask, name="the table", empty=given.empty)
        except ValueError as error:
            message = str(error).replace("pass empty='abstain'", "add --empty abstain")
            raise ValueError(f"{self.table.name}: {message}") from None

    def _truths(self, name: str) -> Mask:
        """Booleans of a column, however they are written."""
        text = np.char.lower(self.table.labels(self.frame, name, gaps=True).astype(str))
        yes = np.isin(text, ["true", "1", "1.0", "yes", "t", "y"])
        bad = ~yes & ~np.isin(text, ["false", "0", "0.0", "no", "f", "n", ""])
        if bad.any():
            row = first_row(bad)
            raise ValueError(
                f"{self.table.name}: column {name!r} holds {str(text[row])[:40]!r} in "
                f"{self.table.where(row)}; whether a class is in a set is said by true or false."
            )
        return np.asarray(yes, dtype=np.bool_)


def _members(text: str, truths: Collection[str]) -> list[str] | None:
    """Read a set written ``a|b`` or ``{a, b}``; None is abstaining."""
    inside = text.strip()
    if inside.startswith("{") and inside.endswith("}") and "|" not in inside:
        return [part.strip() for part in inside[1:-1].split(",") if part.strip()]
    return members_of(inside, truths) or None


def _rest(classes: Sequence[str], positive: str) -> str:
    """Name what stands against the positive class."""
    others = [label for label in classes if label != positive]
    return others[0] if len(others) == 1 else f"not {positive}"


def _numbers(row: Floats) -> str:
    return ", ".join(f"{value:g}" for value in row[:8]) + (", …" if len(row) > 8 else "")


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Sort labels, numbers by their value.

    Examples
    --------
    >>> sorted_labels(["b", "10", "9", "a"])
    ['9', '10', 'a', 'b']
    """

    def key(label: str) -> tuple[bool, float, str]:
        try:
            return False, float(label), label
        except ValueError:
            return True, 0.0, label

    return sorted(labels, key=key)
