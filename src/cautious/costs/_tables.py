"""Costs that a table lists: of answers and abstaining, or of sets that an expert has priced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import check_classes
from cautious._labels import answer_index
from cautious._typing import FINITE, Floats, Mask, as_floats
from cautious.costs._set_costs import SetCosts
from cautious.costs.matrices import check_not_negative, resolve_classes
from cautious.errors import InputError, shown
from cautious.sets import parse_set, set_names

# Products of four costs are computed, which a float must be able to hold.
_LEAST_UNIT = 1e-60


@dataclass(frozen=True, eq=False)
class AnswerCosts(SetCosts):
    """Costs of answering with one class and of abstaining; any larger set counts as abstaining.

    `values` has shape (K + 1, K), or (n, K + 1, K) for a table per case: rows are answers in the
    order of the classes, the last one abstaining; columns are truths. Negative costs are rewards.
    """

    values: Floats
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        words = "costs must be finite"
        values = np.array(as_floats(self.values, "costs", "costs", -FINITE, words=words))
        if values.ndim not in (2, 3) or values.shape[-2] != values.shape[-1] + 1:
            raise ValueError(
                f"costs has shape {values.shape}; expected (K + 1, K), or (n, K + 1, K) for costs "
                "per case: a row for each answer and a last one for abstaining, a column for each "
                "true class."
            )
        if values.shape[-1] < 2:
            raise ValueError(f"costs is for {values.shape[-1]} class; costs need at least two.")
        classes = resolve_classes(self.classes, values.shape[-1])
        vars(self).update(vars(self.of_values(values, classes)))

    @classmethod
    def of_values(cls, values: Floats, classes: tuple[Any, ...] | None) -> AnswerCosts:
        """Take finite costs, whose products a float can hold, for classes that are checked."""
        largest = float(np.abs(values).max(initial=0.0))
        if largest and not _LEAST_UNIT <= largest <= 1 / _LEAST_UNIT:
            raise InputError(
                "{=costs} go up to {largest}; choose a unit in which the largest cost lies between "
                "{least} and {most}.",
                largest=f"{largest:g}",
                least=f"{_LEAST_UNIT:g}",
                most=f"{1 / _LEAST_UNIT:g}",
            )
        costs = object.__new__(cls)
        values.setflags(write=False)
        vars(costs).update(values=values, classes=classes, n_classes=values.shape[-1])
        if values.ndim == 3:
            vars(costs).update(per_case=True, n_cases=len(values))
        return costs

    def answer_values(self) -> Floats:
        """Give the table of answers and abstaining, where all cases share it."""
        if self.per_case:
            raise ValueError(
                "costs differ per case, so there is not one table; the tables are in .values, of "
                f"shape {self.values.shape}."
            )
        return self.values

    def singletons(self) -> Floats:
        """Costs of answering with one class: the first K rows of the table."""
        return self.answer_values()[:-1].copy()

    def take(self, rows: npt.ArrayLike) -> AnswerCosts:
        """Keep the costs of some cases; costs that all cases share stay as they are."""
        if not self.per_case:
            return self
        return AnswerCosts.of_values(self.values[np.asarray(rows)], self.classes)

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
        return AnswerCosts.of_values(self.values[..., rows, :][..., order], classes)


@dataclass(frozen=True, eq=False)
class TableCosts(SetCosts):
    """Costs of the sets (n_sets, K) that a table lists, and of no others."""

    mask: Mask
    costs: Floats
    classes: tuple[Any, ...]

    def __post_init__(self) -> None:
        vars(self)["n_classes"] = len(self.classes)

    def table(self) -> pd.DataFrame:
        """List the costs of the sets that the table holds, in its own order."""
        return self._labelled(self.costs, set_names(self.mask, self.labels))

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> TableCosts:
        return TableCosts(self.mask[:, order], self.costs[:, order], classes)

    def _costs(self, mask: Mask) -> Floats:
        row = pd.Index(_keys(self.mask)).get_indexer(pd.Index(_keys(mask)))
        if (row < 0).any():
            at = int(np.argmax(row < 0))
            raise ValueError(
                f"the cost table has no row for the set {set_names(mask[[at]], self.labels)[0]} "
                f"(row {at} of the mask); it holds {len(self.mask)} of the "
                f"{2**self.n_classes - 1} sets. Add the set to the table."
            )
        return self.costs[row]


def table_costs(frame: pd.DataFrame, classes: Sequence[Any] | None = None) -> SetCosts:
    """Read an expert's table; see :meth:`SetCosts.from_table`."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a {type(frame).__name__}; give a DataFrame of set costs.")
    if len(frame.columns) < 2 or len(frame) == 0:
        raise ValueError(
            f"frame has {len(frame)} rows and {len(frame.columns)} columns; a cost table needs at "
            "least one prediction set (row) and two classes (columns)."
        )
    labels = check_classes(frame.columns, name="frame.columns")
    mask = np.array([read_set(entry, labels.tolist()) for entry in frame.index.to_flat_index()])
    twice = pd.Index(_keys(mask)).duplicated()
    if twice.any():
        at = int(np.argmax(twice))
        raise ValueError(
            f"frame lists the set {set_names(mask[[at]], labels)[0]} twice (second time in row "
            f"{at}); each set may have only one cost."
        )
    costs = TableCosts(mask, check_not_negative(frame.to_numpy(), "frame"), tuple(labels.tolist()))
    return costs if classes is None else costs.in_order(classes)


def _keys(mask: Mask) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(mask, axis=1)]


def read_set(entry: Any, classes: list[Any]) -> Mask:
    """Read what a row of a table is called as a set of classes."""
    texts = [str(label).strip() for label in classes]
    labels: tuple[Any, ...] | None
    if isinstance(entry, str):
        labels = (entry,) if entry in classes else _written_labels(entry, texts)
    elif isinstance(entry, Iterable):
        # pandas pads tuples of unequal length with NaN when it makes them a MultiIndex.
        labels = tuple(label for label in entry if not pd.isna(label))
    else:
        labels = (entry,)
    if labels is None:
        return np.ones(len(classes), dtype=np.bool_)
    if not labels:
        raise ValueError(f"frame's row {shown(entry)} is an empty set; every answer names a class.")
    row = np.zeros(len(classes), dtype=np.bool_)
    for label in labels:
        if label not in classes and label not in texts:
            raise ValueError(
                f"frame's row {shown(entry)} names {shown(label)}, which is no class; the classes "
                f"(columns) are {', '.join(map(repr, classes))}. Write sets as '{{a, b}}' or "
                "as tuples."
            )
        row[classes.index(label) if label in classes else texts.index(label)] = True
    return row


def _written_labels(entry: str, texts: list[str]) -> tuple[Any, ...] | None:
    """Read a written set; braces may be left out, or stand around the name of one class."""
    text = entry.strip()
    inside = text[1:-1].strip() if text[:1] + text[-1:] == "{}" else text
    pieces = {piece.strip() for piece in inside.split(",")}
    if inside in texts and text not in texts:
        ambiguous = len(pieces) > 1 and pieces <= set(texts)
        labels: tuple[Any, ...] | None = (inside,)
    else:
        bare = len(pieces) > 1 and text not in texts and text[0] not in "{[(" and "|" not in text
        labels = parse_set(f"{{{text}}}" if bare else text, texts).labels
        ambiguous = False
    if ambiguous or any(texts.count(label) > 1 for label in labels or ()):
        raise ValueError(
            f"frame's row {shown(entry)} can be read in two ways; write it as a tuple of classes."
        )
    return labels


@dataclass(frozen=True)
class NormalForm:
    r"""Costs of two classes and of abstaining in normal form, and the way back.

    .. math::

        C = \begin{pmatrix} o_N & o_P + s \\ o_N + s \mu & o_P \\
        o_N + s \nu_N & o_P + s \nu_P \end{pmatrix}

    with rows n, p, ⊥ and columns N, P. The positive class P is the one that costs more to miss; if
    that is the table's first class, the form is `flipped`.

    Attributes
    ----------
    mu : float
        Cost of a false positive, relative to that of a false negative; within [0, 1].
    nu_negative, nu_positive : float
        Cost of abstaining on each class, relative to that of a false negative.
    scale : float
        Cost s of a false negative beyond that of a right answer, in the table's units.
    offset_negative, offset_positive : float
        Costs of right answers, in the table's units.
    negative, positive : object
        Labels of the classes; 0 and 1 if the table carried none.
    """

    mu: float
    nu_negative: float
    nu_positive: float
    scale: float
    offset_negative: float
    offset_positive: float
    negative: Any = 0
    positive: Any = 1
    flipped: bool = False

    @classmethod
    def of(cls, values: Floats, labels: tuple[Any, ...]) -> NormalForm:
        """Bring a table into normal form: rows first class, second class, ⊥, columns truths."""
        if len(labels) != 2:
            raise ValueError(f"costs of {len(labels)} classes have no normal form, only of two.")
        extra = beyond_right_answers(values, labels)
        flipped = bool(extra[1, 0] > extra[0, 1])
        n, p = (1, 0) if flipped else (0, 1)
        scale = float(extra[n, p])
        mu, nu_negative, nu_positive = (extra[[p, 2, 2], [n, n, p]] / scale).tolist()
        offsets = float(values[n, n]), float(values[p, p])
        return cls(mu, nu_negative, nu_positive, scale, *offsets, labels[n], labels[p], flipped)

    @property
    def nu(self) -> float:
        """Relative cost of abstaining, where it is the same for both classes."""
        if not np.isclose(self.nu_negative, self.nu_positive, rtol=1e-12, atol=1e-15):
            raise ValueError(
                f"abstaining costs {self.nu_negative:g} on negatives and {self.nu_positive:g} on "
                "positives, beyond a right answer; use nu_negative and nu_positive."
            )
        return self.nu_positive

    def table(self) -> pd.DataFrame:
        """Costs in the table's own units: rows both classes and ⊥, columns truths."""
        relative = np.array([[0, 1], [self.mu, 0], [self.nu_negative, self.nu_positive]])
        labels = [self.negative, self.positive]
        frame = pd.DataFrame(
            self.scale * relative + [self.offset_negative, self.offset_positive],
            index=answer_index(labels),
            columns=pd.Index(labels, name="truth"),
        )
        order = [1, 0] if self.flipped else [0, 1]
        return frame.iloc[[*order, 2], order]


def beyond_right_answers(values: Floats, labels: tuple[Any, ...]) -> Floats:
    """Costs beyond those of right answers, from a table (K + 1, K), or one for each case."""
    extra = values - np.diagonal(values, axis1=-2, axis2=-1)[..., None, :]
    if (extra < 0).any():
        *case, row, y = np.argwhere(extra < 0)[0].tolist()
        answer = "abstaining" if row == len(labels) else "a wrong answer"
        place = f" in case {case[0]}" if case else ""
        raise ValueError(
            f"costs: {answer} costs {values[*case, row, y]:g} when {shown(labels[y])} is true"
            f"{place}, less than the right answer ({values[*case, y, y]:g}). Rows are predictions, "
            "the last of them abstaining, and columns are truths: transpose the table, or turn "
            "rewards into costs."
        )
    if values.ndim == 2 and not extra[:-1].any():
        raise ValueError("costs: no mistake costs more than a right answer; nothing to decide.")
    return extra
