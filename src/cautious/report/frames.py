"""Tables of predictions, cut into the arrays of each model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Mask
from cautious.logs.columns import Columns
from cautious.logs.labels import members_of

__all__ = ["models_of_frame"]


def models_of_frame(frame: pd.DataFrame, columns: Columns, name: str) -> dict[str, dict[str, Any]]:
    """Cut a table of predictions into one mapping of arrays a model.

    Parameters
    ----------
    frame : DataFrame
        The table.
    columns : Columns
        What its columns hold.
    name : str
        What to call the model where no column says.

    Returns
    -------
    dict
        From the model's name to ``y_true``, ``y_score``, ``y_proba``, ``y_set`` and so on, as
        :func:`cautious.report.build_report` takes it.

    Examples
    --------
    >>> frame = pd.DataFrame({"who": ["a", "b"], "outcome": [0, 1], "risk": [0.2, 0.7]})
    >>> columns = Columns(truth="outcome", score="risk", model="who")
    >>> list(models_of_frame(frame, columns, "mine"))
    ['a', 'b']
    """
    if not len(frame):
        raise ValueError("the table has no rows; give at least one prediction.")
    missing = frame[columns.truth].isna()
    if missing.any():
        raise ValueError(
            f"column {columns.truth!r} is empty in row {int(np.argmax(missing))} "
            f"({int(missing.sum())} in all); drop the rows whose truth is not known."
        )
    if columns.model is None:
        return {name: _arrays(frame, columns)}
    parts = frame.groupby(columns.model, sort=False, dropna=False)
    return {str(model): _arrays(part, columns) for model, part in parts}


def _arrays(frame: pd.DataFrame, columns: Columns) -> dict[str, Any]:
    """Read one model's columns."""
    truth = frame[columns.truth]
    result: dict[str, Any] = {"y_true": truth.to_numpy()}
    if columns.weight is not None:
        result["sample_weight"] = frame[columns.weight].to_numpy()
    if columns.score is not None:
        result["y_score"] = frame[columns.score].to_numpy()
    by_text = {str(label): label for label in pd.unique(truth).tolist()}
    if len(columns.proba) == 1:
        ((label, column),) = columns.proba.items()
        result["y_score"] = frame[column].to_numpy()
        result["pos_label"] = by_text.get(label, label)
    elif columns.proba:
        result["y_proba"] = frame[list(columns.proba.values())].to_numpy(dtype=np.float64)
        result["classes"] = [by_text.get(label, label) for label in columns.proba]
    if columns.members:
        result["y_set"] = frame[list(columns.members.values())].to_numpy().astype(np.bool_)
        result["classes"] = [by_text.get(label, label) for label in columns.members]
    elif columns.sets is not None:
        written = frame[columns.sets].map(lambda text: members_of(text, by_text))
        labels = result.get("classes")
        if labels is None:
            named = {label for members in written for label in members}
            labels = [by_text.get(text, text) for text in sorted(named | set(by_text))]
            result["classes"] = labels
        result["y_set"] = _mask(written.tolist(), [str(label) for label in labels])
    return result


def _mask(sets: list[list[str]], labels: list[str]) -> Mask:
    """Mask of sets of labels, an empty one being full."""
    position = {label: k for k, label in enumerate(labels)}
    mask = np.zeros((len(sets), len(labels)), dtype=np.bool_)
    for row, members in enumerate(sets):
        for label in members:
            if label not in position:
                raise ValueError(f"the set in row {row} names {label!r}, which is no class.")
            mask[row, position[label]] = True
        if not members:
            mask[row] = True
    return mask
