"""An expert's own table of set costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Labels, Mask
from cautious.costs.cost_frames import positions
from cautious.costs.matrices import check_costs
from cautious.costs.set_costs import SetCosts
from cautious.sets import check_classes, set_names

__all__ = ["TableCosts", "table_costs"]


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
    """Read an expert's table; see :meth:`SetCosts.from_table`.

    Examples
    --------
    >>> frame = pd.DataFrame([[1.0, 1.0]], index=["{no, yes}"], columns=["no", "yes"])
    >>> table_costs(frame).mask
    array([[ True,  True]])
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a {type(frame).__name__}; give a DataFrame of set costs.")
    if len(frame.columns) < 2 or len(frame) == 0:
        raise ValueError(
            f"frame has {len(frame)} rows and {len(frame.columns)} columns; a cost table needs at "
            "least one prediction set (row) and two classes (columns)."
        )
    labels = check_classes(frame.columns, name="frame.columns")
    entries = frame.index.to_flat_index()
    mask = np.array([_row_of(entry, labels) for entry in entries], dtype=np.bool_)
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
    wanted = check_classes(classes).tolist()
    order = positions(labels.tolist(), wanted, "frame.columns")
    return TableCosts(mask[:, order], costs[:, order], tuple(wanted))


def _keys(mask: Mask) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(mask, axis=1)]


def _row_of(entry: Any, classes: Labels) -> Mask:
    """Read one row label as a set of classes."""
    by_label = {label: k for k, label in enumerate(classes.tolist())}
    if not isinstance(entry, Iterable) or isinstance(entry, str):
        members = [entry] if entry in by_label or not isinstance(entry, str) else _parse(entry)
    else:
        # pandas pads tuples of unequal length with NaN when it makes them a MultiIndex.
        members = [label for label in entry if not pd.isna(label)]
    # Text is all that braces can hold, so other labels are also known by their text.
    by_text = {str(label): k for label, k in by_label.items()}
    row = np.zeros(len(classes), dtype=np.bool_)
    for member in members:
        k = by_label.get(member, by_text.get(member))
        if k is None:
            raise ValueError(
                f"frame's row {entry!r} names {member!r}, which is no class; the classes (columns) "
                f"are {', '.join(map(repr, by_label))}. Write sets as '{{a, b}}' or as tuples."
            )
        row[k] = True
    if not row.any():
        raise ValueError(f"frame's row {entry!r} is an empty set; every answer names a class.")
    return row


def _parse(text: str) -> list[str]:
    inside = text.strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    return [name.strip() for name in inside.split(",") if name.strip()]
