"""Models on the same cases: their rows brought into one order."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from cautious.cli.predictions import Predictions
from cautious.sets import first_row

__all__ = ["aligned"]


def aligned(models: Sequence[Predictions]) -> list[Predictions]:
    """Put the models' rows in one order, and make sure that they are about the same cases."""
    if len(models) < 2:
        raise ValueError(
            f"there is only one model, {models[0].name[:60]!r}; give several files, or one with a "
            "column of models (--model)."
        )
    first, *others = models
    result = [first]
    for other in others:
        if other.case is not None and first.case is not None:
            other = _in_order(first, other)
        if len(other.truth) != len(first.truth):
            raise ValueError(
                f"{first.name[:60]} has {len(first.truth)} rows and {other.name[:60]} has "
                f"{len(other.truth)}; give both on the same cases, or name the column that tells "
                "the cases apart with --id."
            )
        if set(other.classes) != set(first.classes) or other.classes[1:] != first.classes[1:]:
            raise ValueError(
                f"{first.name[:60]} and {other.name[:60]} are about other classes: "
                f"{first.classes[:6]} and {other.classes[:6]}."
            )
        differs = other.truth != first.truth
        if differs.any():
            row = first_row(differs)
            raise ValueError(
                f"case {row} is {str(first.truth[row])[:40]!r} for {first.name[:60]} but "
                f"{str(other.truth[row])[:40]!r} for {other.name[:60]}; give both in the same "
                "order, or name the column that tells the cases apart with --id."
            )
        result.append(other)
    return result


def _in_order(first: Predictions, other: Predictions) -> Predictions:
    """Put the rows of a model in the order of the first one's cases."""
    wanted, there = pd.Index(first.case), pd.Index(other.case)  # type: ignore[arg-type]
    for one, cases in ((first, wanted), (other, there)):
        twice = cases.duplicated()
        if twice.any():
            raise ValueError(f"{one.name[:60]} has the case {cases[first_row(twice)]!r} twice.")
    rows = there.get_indexer(wanted)
    if (rows < 0).any() or len(rows) != len(there):
        odd = wanted.symmetric_difference(there).tolist()
        raise ValueError(
            f"{first.name[:60]} and {other.name[:60]} are not about the same cases: {len(odd)} are "
            f"in one only, such as {str(odd[0])[:40]!r}."
        )
    return other.some(rows)
