"""Models on the same cases: their rows brought into one order."""

from __future__ import annotations

from typing import Any

import pandas as pd

from cautious.errors import listed, quoted
from cautious.predictions.data import ModelPredictions, Predictions
from cautious.predictions.labels import match_labels
from cautious.predictions.rules import refusal
from cautious.sets import first_row

__all__ = ["align"]


def align(predictions: Predictions) -> Predictions:
    """Put the rows of several models in one order, and make sure they are about the same cases.

    Where the cases have names (``case``), rows are matched by them; otherwise they must be in the
    same order already, with the same truths.

    Parameters
    ----------
    predictions : Predictions
        Of at least two models.

    Returns
    -------
    Predictions
        The same models, all in the order of the first.

    Raises
    ------
    InputError
        If the models are about different cases, classes or truths.

    Examples
    --------
    >>> from cautious.predictions import read_predictions
    >>> one = {"y_true": [0, 1], "y_score": [0.2, 0.9], "case": ["x", "y"]}
    >>> other = {"y_true": [1, 0], "y_score": [0.7, 0.4], "case": ["y", "x"]}
    >>> align(read_predictions({"one": one, "other": other}))["other"].y_score
    array([0.4, 0.7])
    """
    first, *others = predictions.values()
    if not others:
        raise refusal("one model", name=quoted(first.name, 60))
    return Predictions([first, *(_like(first, other) for other in others)], predictions.notes)


def _like(first: ModelPredictions, other: ModelPredictions) -> ModelPredictions:
    """Put the rows of a model in the order of the first one's cases."""
    names: dict[str, Any] = {"one": quoted(first.name, 60), "other": quoted(other.name, 60)}
    if first.case is not None and other.case is not None:
        other = _by_case(first, other, names)
    if other.n != first.n:
        raise refusal("other rows", **names, first=f"{first.n:,}", second=f"{other.n:,}")
    same = match_labels(other.classes, first.classes) == list(range(len(first.classes)))
    if not same or len(other.classes) != len(first.classes):
        shown: dict[str, Any] = {
            "first": listed(first.classes, 6),
            "second": listed(other.classes, 6),
        }
        raise refusal("other classes", **names, **shown)
    if first.codes is not None and other.codes is not None:
        differs = other.codes != first.codes
        if differs.any():
            row = first_row(differs)
            mine, yours = first.classes[first.codes[row]], other.classes[other.codes[row]]
            raise refusal("other truth", **names, row=row, first=quoted(mine), second=quoted(yours))
    return other


def _by_case(
    first: ModelPredictions, other: ModelPredictions, names: dict[str, Any]
) -> ModelPredictions:
    wanted, there = pd.Index(first.case), pd.Index(other.case)  # type: ignore[arg-type]
    for name, cases in ((names["one"], wanted), (names["other"], there)):
        twice = cases.duplicated()
        if twice.any():
            raise refusal("case twice", one=name, case=quoted(cases[first_row(twice)]))
    rows = there.get_indexer(wanted)
    if (rows < 0).any() or len(rows) != len(there):
        odd = wanted.symmetric_difference(there).tolist()
        raise refusal("other cases", **names, count=f"{len(odd):,}", case=quoted(odd[0]))
    return other.take(rows)
