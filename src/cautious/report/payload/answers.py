r"""Prediction sets, and probabilities of several classes.

A set of size k earns the discounted accuracy x = 1/k if it holds the truth, else 0, so a table of
sizes against right and wrong gives every mean the page shows, for every risk aversion:
:math:`u_k(x) = x + (4k - 2)\,x(1 - x)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints, Mask
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.report.payload.cases import CaseTable
from cautious.report.payload.scores import risk_summary

__all__ = ["summarise_groups", "summarise_sets"]

# All classes have a column unless there are very many, then those most often missed; so do the
# commonest sets.
_CLASSES_KEPT, _CLASSES_SHOWN = 60, 12
_SETS_SHOWN = 12
# More groups than anybody reads: the largest of them.
_GROUPS_KEPT = 100


def summarise_sets(counts: SetCounts, risk: RiskCoverageCurve | None) -> dict[str, Any]:
    """Reduce counts of prediction sets to the numbers the page works with."""
    x = counts.hit / np.maximum(counts.size, 1)
    single = counts.size == 1
    by_class = np.column_stack(
        [
            counts.by_truth(value.astype(np.float64))
            for value in (
                np.ones(len(x)),
                single,
                single & counts.hit,
                counts.hit,
                counts.size,
                x,
                x * (1 - x),
            )
        ]
    )
    table = pd.DataFrame({"size": counts.size, "right": counts.weight * counts.hit})
    table["wrong"] = counts.weight * ~counts.hit
    sizes = table.groupby("size", sort=True).sum().reset_index()
    return {
        "sizes": sizes.to_numpy(dtype=np.float64),
        "by_class": by_class,
        "confusion": _confusion(counts),
        "risk": None if risk is None else risk_summary(risk),
    }


def summarise_groups(table: CaseTable, size: Ints, right: Mask) -> list[dict[str, Any]] | None:
    """Count sizes of sets against right and wrong in each group, the largest group first."""
    if table.group is None or table.together:
        return None
    weight = np.ones(len(size)) if table.weight is None else table.weight
    cells = pd.DataFrame({"size": size, "right": weight * right, "wrong": weight * ~right})
    rows = np.bincount(table.group)
    cells = cells.groupby([table.group, "size"], sort=True).sum().reset_index("size")
    return [
        {
            "group": table.groups[code],
            "n": int(rows[code]),
            "sizes": cells.loc[[code]].to_numpy(dtype=np.float64),
        }
        for code in np.argsort(-rows, kind="stable")[:_GROUPS_KEPT].tolist()
    ]


def _confusion(counts: SetCounts) -> dict[str, Any] | None:
    """Lay sets out against truths, the rare ones gathered; None if answers are not known."""
    single = counts.size == 1
    if (counts.answer[single] < 0).any():
        return None
    columns, kept = _busiest(counts)
    column_of = np.full(counts.n_classes, len(columns) - 1, dtype=np.intp)
    column_of[kept] = np.arange(len(kept))
    rows: list[dict[str, Any]] = [{"set": [int(k)]} for k in kept]
    row = np.full(len(counts.truth), -1, dtype=np.intp)
    answer = counts.answer[single]
    row[single] = np.where(np.isin(answer, kept), column_of[answer], -1)
    if len(kept) < counts.n_classes:
        row[single & (row < 0)] = len(rows)
        rows.append({"other": counts.n_classes - len(kept), "size": 1})
    partial = ~single & ~counts.vacuous
    if partial.any():
        _add_partial(counts, partial, row, rows)
    if counts.vacuous.any():
        row[counts.vacuous] = len(rows)
        rows.append({"abstain": True})
    matrix = np.zeros((len(rows), len(columns)))
    np.add.at(matrix, (row, column_of[counts.truth]), counts.weight)
    return {"columns": columns, "rows": rows, "counts": matrix}


def _busiest(counts: SetCounts) -> tuple[list[int], Ints]:
    """Classes worth a column: all if they are few, else those most often missed."""
    if counts.n_classes <= _CLASSES_KEPT:
        kept = np.arange(counts.n_classes)
        return kept.tolist(), kept
    trouble: Floats = counts.by_truth(1 - counts.hit / np.maximum(counts.size, 1))
    kept = np.sort(np.argsort(-trouble, kind="stable")[:_CLASSES_SHOWN])
    return [*kept.tolist(), -1], kept


def _add_partial(
    counts: SetCounts, partial: np.ndarray, row: Ints, rows: list[dict[str, Any]]
) -> None:
    """Give the commonest partial sets a row each and gather the rest."""
    if counts.knows_sets:
        total = np.bincount(
            counts.set_index[partial], counts.weight[partial], minlength=len(counts.words)
        )
        common = np.argsort(-total, kind="stable")[:_SETS_SHOWN]
        common = np.sort(common[total[common] > 0])
        for index in common:
            row[partial & (counts.set_index == index)] = len(rows)
            rows.append({"set": np.flatnonzero(counts.sets[index]).tolist()})
        rest = partial & ~np.isin(counts.set_index, common)
        n_other = len(np.unique(counts.set_index[rest]))
    else:
        rest, n_other = partial, 0
    if rest.any():
        row[rest] = len(rows)
        rows.append({"other": n_other, "size": 2})
