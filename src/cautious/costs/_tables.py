"""Costs that a table lists: of answers and abstaining, or of sets that an expert has priced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import check_classes
from cautious._typing import Floats, Mask, as_floats
from cautious.costs._set_costs import SetCosts
from cautious.costs.matrices import check_costs, positions, resolve_classes
from cautious.errors import InputError, shown
from cautious.sets import parse_set, set_names
from cautious.sets._written import SET_WORDS

__all__ = ["AnswerCosts", "SetReader", "TableCosts", "table_costs"]


# Products of four costs are computed, which a float must be able to hold.
_LEAST_UNIT = 1e-60


@dataclass(frozen=True, eq=False)
class AnswerCosts(SetCosts):
    r"""Costs of answering with one class and of abstaining.

    A set of two classes or more counts as abstaining: it costs what the full set costs. Negative
    costs are rewards.

    Parameters
    ----------
    values : array-like of shape (K + 1, K) or (n, K + 1, K)
        Rows are answers in the order of the classes, the last row is abstaining; columns are
        truths. With three dimensions, one such table per case.
    classes : sequence of length K, optional
        Class labels in column order.

    See Also
    --------
    as_costs : makes these costs from a dict, an array, a frame or a file.
    """

    values: Floats
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        values = np.array(as_floats(self.values, "costs", "costs"))  # our own copy
        if values.ndim not in (2, 3) or values.shape[-2] != values.shape[-1] + 1:
            raise ValueError(
                f"costs has shape {values.shape}; expected (K + 1, K), or (n, K + 1, K) for costs "
                "per case: a row for each answer and a last one for abstaining, a column for each "
                "true class."
            )
        if values.shape[-1] < 2:
            raise ValueError(f"costs is for {values.shape[-1]} class; costs need at least two.")
        if not np.isfinite(values).all():
            at = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
            raise ValueError(
                f"costs[{', '.join(map(str, at))}] is {values[at]}; costs must be finite."
            )
        largest = float(np.abs(values).max(initial=0.0))
        if largest and not _LEAST_UNIT <= largest <= 1 / _LEAST_UNIT:
            raise InputError(
                "{=costs} go up to {largest}; choose a unit in which the largest cost lies between "
                "{least} and {most}.",
                largest=f"{largest:g}",
                least=f"{_LEAST_UNIT:g}",
                most=f"{1 / _LEAST_UNIT:g}",
            )
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "classes", resolve_classes(self.classes, values.shape[-1]))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.values.shape[-1])

    @property
    def n_cases(self) -> int | None:
        """How many cases have costs of their own, or None if all cases share them."""
        return len(self.values) if self.values.ndim == 3 else None

    @property
    def answers(self) -> pd.DataFrame:
        """The table of answers and abstaining, where all cases share it."""
        self._refuse_per_case("answers")
        return self._answer_frame(self.values)

    def singletons(self) -> Floats:
        """Costs of answering with one class: the first K rows of the table."""
        self._refuse_per_case("singletons()")
        return self.values[:-1].copy()

    def take(self, rows: npt.ArrayLike) -> AnswerCosts:
        """Keep the costs of some cases; costs that all cases share stay as they are."""
        return replace(self, values=self.values[np.asarray(rows)]) if self.per_case else self

    def _costs(self, mask: Mask) -> Floats:
        row = np.where(mask.sum(axis=1) == 1, mask.argmax(axis=1), self.n_classes)
        if not self.per_case:
            return np.asarray(self.values[row])
        if len(mask) != len(self.values):
            raise ValueError(
                f"costs holds a table for each of {len(self.values)} cases and the mask has "
                f"{len(mask)} rows; give costs and sets of the same cases, in the same order."
            )
        return np.asarray(self.values[np.arange(len(mask)), row])

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> AnswerCosts:
        rows = [*order, self.n_classes]
        return AnswerCosts(self.values[..., rows, :][..., order], classes)

    def _refuse_per_case(self, what: str) -> None:
        if self.per_case:
            raise ValueError(
                f"costs differ per case, so {what} is not one table; the tables are in .values, of "
                f"shape {self.values.shape}."
            )


@dataclass(frozen=True, eq=False)
class TableCosts(SetCosts):
    """Costs of the sets that a table lists, and of no others.

    Made by :meth:`SetCosts.from_table`.

    Attributes
    ----------
    mask : ndarray of shape (n_sets, K), bool
        The sets of the table.
    costs : ndarray of shape (n_sets, K)
        Their costs against every truth.
    classes : tuple
        Class labels in column order.
    """

    mask: Mask
    costs: Floats
    classes: tuple[Any, ...]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    def table(self) -> pd.DataFrame:
        """List the costs of the sets that the table holds, in its own order."""
        return self._frame(self.mask, self.costs)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> TableCosts:
        return TableCosts(self.mask[:, order], self.costs[:, order], classes)

    def _costs(self, mask: Mask) -> Floats:
        rows = {key: row for row, key in enumerate(_keys(self.mask))}
        # Predictions repeat few sets many times: look each of them up once.
        asked, where = np.unique(np.packbits(mask, axis=1), axis=0, return_inverse=True)
        found = np.array([rows.get(key.tobytes(), -1) for key in asked], dtype=np.intp)
        row = found[where.reshape(-1)]
        if (row < 0).any():
            at = int(np.argmax(row < 0))
            raise ValueError(
                f"the cost table has no row for the set {set_names(mask[[at]], self.labels)[0]} "
                f"(row {at} of the mask); it holds {len(self.mask)} of the "
                f"{2**self.n_classes - 1} sets. Add the set to the table."
            )
        return self.costs[row]


def table_costs(frame: pd.DataFrame, classes: Sequence[Any] | None = None) -> TableCosts:
    """Read an expert's table; see :meth:`SetCosts.from_table`."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a {type(frame).__name__}; give a DataFrame of set costs.")
    if len(frame.columns) < 2 or len(frame) == 0:
        raise ValueError(
            f"frame has {len(frame)} rows and {len(frame.columns)} columns; a cost table needs at "
            "least one prediction set (row) and two classes (columns)."
        )
    labels = check_classes(frame.columns, name="frame.columns")
    sets = SetReader(labels.tolist())
    mask = np.array([sets.row_of(entry) for entry in frame.index.to_flat_index()], dtype=np.bool_)
    twice = pd.Index(_keys(mask)).duplicated()
    if twice.any():
        at = int(np.argmax(twice))
        raise ValueError(
            f"frame lists the set {set_names(mask[[at]], labels)[0]} twice (second time in row "
            f"{at}); each set may have only one cost."
        )
    costs = check_costs(frame.to_numpy(), "frame")
    if classes is None:
        return TableCosts(mask, costs, tuple(labels.tolist()))
    wanted = tuple(check_classes(classes).tolist())
    if len(wanted) != len(labels):
        raise ValueError(
            f"classes has {len(wanted)} labels but frame has {len(labels)} columns; give one label "
            "per column."
        )
    order = positions(labels.tolist(), list(wanted), "frame.columns")
    return TableCosts(mask[:, order], costs[:, order], wanted)


def _keys(mask: Mask) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(mask, axis=1)]


class SetReader:
    """Reads the sets that the rows of a table name."""

    def __init__(self, classes: list[Any]) -> None:
        self.classes = classes
        self.by_label: dict[Any, int] = {label: k for k, label in enumerate(classes)}
        # Text is all that braces can hold, so other labels are also known by their text.
        self.by_text: dict[str, int] = {str(label).strip(): k for k, label in enumerate(classes)}
        self.by_pieces: dict[tuple[str, ...], list[int]] = {}
        for k, label in enumerate(classes):
            self.by_pieces.setdefault(_pieces(str(label)), []).append(k)
        self.longest: int = max(map(len, self.by_pieces))

    def row_of(self, entry: Any) -> Mask:
        """Read one row label as a set of classes."""
        if isinstance(entry, str):
            members = [self.by_label[entry]] if entry in self.by_label else self._parse(entry)
        elif isinstance(entry, Iterable):
            # pandas pads tuples of unequal length with NaN when it makes them a MultiIndex.
            members = [self._member(label, entry) for label in entry if not pd.isna(label)]
        else:
            members = [self._member(entry, entry)]
        if not members:
            raise ValueError(
                f"frame's row {shown(entry)} is an empty set; every answer names a class."
            )
        row = np.zeros(len(self.classes), dtype=np.bool_)
        row[members] = True
        return row

    def _member(self, label: Any, entry: Any) -> int:
        k = self.by_label.get(label, self.by_text.get(label))
        if k is None:
            raise ValueError(
                f"frame's row {shown(entry)} names {shown(label)}, which is no class; the classes "
                f"(columns) are {', '.join(map(repr, self.classes))}. Write sets as '{{a, b}}' or "
                "as tuples."
            )
        return k

    def _parse(self, entry: str) -> list[int]:
        """Read ``{a, b}``; a class whose name has commas in it takes several pieces."""
        inside = entry.strip()
        if inside.lower() in SET_WORDS["abstain"] and inside not in self.by_text:
            return list(range(len(self.classes)))
        if inside.startswith("{") and inside.endswith("}"):
            inside = inside[1:-1]
        pieces = _pieces(inside)
        if not any(pieces):
            return []
        # readings[i] holds the first two ways to read the pieces from i on.
        readings: list[list[list[int]]] = [[] for _ in pieces] + [[[]]]
        for start in reversed(range(len(pieces))):
            if not pieces[start]:  # a comma too many
                readings[start] += readings[start + 1]
            for end in range(start + 1, min(start + self.longest, len(pieces)) + 1):
                for k in self.by_pieces.get(pieces[start:end], ()):
                    readings[start] += [[k, *rest] for rest in readings[end]]
            readings[start] = readings[start][:2]
        if not readings[0]:
            written = [piece for piece in pieces if piece]
            if "|" in inside and inside[:1] not in ("[", "("):
                written = [part.strip() for part in inside.split("|")]
            elif entry.strip()[:1] in ("[", "("):
                written = list(parse_set(entry, self.by_text).labels or ())
            return [self._member(label, entry) for label in written]
        if len(readings[0]) > 1:
            ways = (
                " with ".join(repr(self.classes[k]) for k in reading) for reading in readings[0]
            )
            raise ValueError(
                f"frame's row {shown(entry)} can be read in two ways, as {' and as '.join(ways)}; "
                "write it as a tuple of classes."
            )
        return readings[0][0]


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in text.split(","))
