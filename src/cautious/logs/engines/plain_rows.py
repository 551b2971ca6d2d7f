"""Rows of a batch as compiled loops take them: addresses of columns, and codes of true labels.

What is not plain (rows without a truth or a score, a label not seen before, text in place of
numbers) is left to ``cautious.logs._kernel.summarise_batch``, which checks it and gives the
same counts. So this decides nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from cautious._labels import sorted_labels
from cautious._typing import Floats, Ints
from cautious.errors import InputError
from cautious.logs._kernel import answer_kinds, labels_of, score_kinds
from cautious.logs.plan import ARGMAX, Plan
from cautious.logs.tallies import Codes, SetTally, Stratum

__all__ = ["Coded", "PlainRows", "suits"]

_ALONE = np.zeros(1, dtype=np.int64)

Coded = tuple[Codes, Any, Any, Ints]
"""Codes of true labels, the least and the greatest that are known, and the kind of each."""


def suits(plan: Plan) -> bool:
    """Whether batches may be plain: one column of scores, or probabilities and their argmax."""
    columns = plan.columns
    if plan.turned or any((columns.weight, columns.model, columns.groups)):
        return False
    if plan.binary:
        return len(plan.score_columns) == 1 and len(columns.proba) < 2 and not plan.decisions
    return plan.decisions == (ARGMAX,)


class PlainRows:
    """What plain batches are counted by; lists and tables of them are its children.

    Parameters
    ----------
    plan : Plan
        What to count; it must be one that :func:`suits`.
    labels : frozenset
        True labels seen so far. Classes that the plan names are known beside them.
    """

    def __init__(self, plan: Plan, labels: frozenset[Any]) -> None:
        self.plan = plan
        self.labels = labels
        self.n_rows: int = 0
        known = sorted_labels(labels)
        self.kinds: list[Any]
        kinds, self.kinds = (score_kinds if plan.binary else answer_kinds)(plan, known)
        # The smallest type that the compiled loops know.
        self.kind_type: Any = np.int8 if len(self.kinds) < 128 else np.int64
        self.kind_of: dict[tuple[type, Any], int] = {
            (type(label), label): int(kind)
            for label, kind in zip(known, kinds, strict=True)
            if kind >= 0
        }
        # Which classes have come up is seen from the counts.
        self._awaited = {
            at: label
            for at, label in enumerate(() if plan.binary else plan.classes)
            if at not in self.kind_of.values()
        }
        self.kind_of |= {(type(label), label): at for at, label in self._awaited.items()}
        self._run = _run(self.kind_of)
        self.bounds: tuple[float, float] = (0.0, 1.0) if plan.columns.proba else (-np.inf, np.inf)
        n_classes = 0 if plan.binary else len(plan.classes)
        self.pairs: npt.NDArray[np.int64] = np.zeros((n_classes, n_classes), dtype=np.int64)
        self._schema: Any = None
        self._places: list[int] = []
        self._wide = False

    @property
    def labels_counted(self) -> frozenset[Any]:
        """True labels that have occurred."""
        there = {self._awaited[at] for at in self._awaited if self.pairs[:, at].any()}
        return self.labels | there

    def sets(self) -> SetTally:
        """Give the counts of the most probable classes."""
        limit = self.plan.limits.limit
        if self.plan.binary:
            return SetTally(limit)
        return SetTally.of_single_answers(self.pairs, Stratum(ARGMAX, None, None), limit)

    def columns_of(self, batch: Any) -> tuple[Floats, Ints, Coded] | None:
        """Give numbers and true labels of a batch; None if something of it is not plain."""
        if hasattr(batch, "to_batches"):
            pieces = batch.to_batches()
            batch = pieces[0] if len(pieces) == 1 else batch.combine_chunks().to_batches()[0]
        if self._schema is None or not batch.schema.equals(self._schema):
            self._look_at(batch.schema)
        if not self._places:
            return None
        truth, *numbers = [batch.column(at) for at in self._places]
        if any(column.null_count for column in numbers) or (coded := self._codes(truth)) is None:
            return None
        found = _in_place(numbers) if self._wide else _copied(numbers)
        return None if found is None else (*found, coded)

    def _look_at(self, schema: Any) -> None:
        """Note where the columns are, and whether their numbers are plain."""
        columns, plan = self.plan.columns, self.plan
        names = [str(columns.truth), *(plan.score_columns or columns.proba.values())]
        at = [schema.get_field_index(name) for name in names]
        kinds = {str(schema.field(one).type) for one in at[1:] if one >= 0}
        plain = min(at) >= 0 and kinds <= {"double", "float"}
        self._schema, self._wide = schema, kinds == {"double"}
        self._places = at if plain else []

    def _codes(self, array: Any) -> Coded | None:
        """Codes of true labels, of whole numbers the numbers themselves."""
        import pyarrow.types as types

        if array.null_count:
            return None
        boolean = types.is_boolean(array.type)
        if self._run is not None and (boolean or types.is_integer(array.type)):
            kind, first, kinds = self._run
            last = first + len(kinds) - 1
            if (kind is bool) == boolean and first >= -128 and last < 128:
                values = array.to_numpy(zero_copy_only=False)
                # One byte, if it is one; a greater number is none of the labels either way.
                short = np.int8 if values.dtype.itemsize == 1 and first >= 0 else np.int64
                values = (
                    values.view(np.int8)
                    if short is np.int8
                    else values.astype(np.int64, copy=False)
                )
                return values, short(first), short(last), kinds
        try:
            codes, labels = labels_of(array, str(self.plan.columns.truth))
        except InputError:
            return None
        kinds = np.array([self.kind_of.get((type(label), label), -1) for label in labels])
        if (kinds < 0).any():
            return None
        return codes.astype(np.int64), np.int64(0), np.int64(len(labels) - 1), kinds


def _in_place(columns: list[Any]) -> tuple[Floats, Ints] | None:
    """See columns of double precision, as they lie in memory, as one array."""
    if len(columns) == 1:
        return columns[0].to_numpy(), _ALONE
    n = len(columns[0])
    places = [column.buffers()[1].address + 8 * column.offset for column in columns]
    first = min(places)
    begins = np.array(places) - first
    if (begins % 8).any():
        return None
    begins //= 8
    base = columns[places.index(first)].to_numpy()
    return as_strided(base, (int(begins.max()) + n,), writeable=False), begins


def _copied(columns: list[Any]) -> tuple[Floats, Ints]:
    """Bring columns together in double precision."""
    n, together = len(columns[0]), np.empty(sum(map(len, columns)))
    for at, column in enumerate(columns):
        together[at * n : (at + 1) * n] = column.to_numpy()
    together.flags.writeable = False
    return together, np.arange(len(columns)) * n


def _run(kind_of: dict[tuple[type, Any], int]) -> tuple[type, int, Ints] | None:
    """Labels that are consecutive whole numbers or truth values: type, the first, their kinds."""
    types = {kind for kind, _ in kind_of}
    if types not in ({int}, {bool}):
        return None
    (kind,), numbers = types, sorted(int(label) for _, label in kind_of)
    if numbers != list(range(numbers[0], numbers[-1] + 1)):
        return None
    return kind, numbers[0], np.array([kind_of[kind, kind(n)] for n in numbers])
