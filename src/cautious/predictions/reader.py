"""Reading predictions, whatever they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import as_floats
from cautious.predictions.columns import guess_columns
from cautious.predictions.data import ModelPredictions, Predictions
from cautious.predictions.labels import binary_classes, encode, match_labels, sorted_labels
from cautious.sets import as_mask, check_probabilities, check_truth, check_weight

__all__ = ["read_predictions"]


def read_predictions(
    source: Any,
    *,
    truth: str | bool | None = None,
    score: str | Sequence[str] | None = None,
    proba: str | Sequence[str] | Mapping[Any, str] | None = None,
    sets: str | Sequence[str] | Mapping[Any, str] | None = None,
    model: str | bool | None = None,
    weight: str | bool | None = None,
    groups: str | bool | None = None,
    case: str | None = None,
    cost_columns: Mapping[str, str] | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    empty: str = "error",
    missing: str = "error",
    drop_missing: bool = False,
    encoding: str | None = None,
) -> Predictions:
    """Read predictions of one or more models.

    Parameters
    ----------
    source : path, frame, mapping or Predictions
        What holds the predictions.
    truth, score, proba, sets, model, weight, groups, case, cost_columns
        Columns of a table, see :func:`guess_columns`.
    classes : sequence, optional
        Class labels in order; two of them are (negative, positive).
    pos_label : label, optional
        The positive class.
    empty : {"error", "abstain", "wrong"}
        What an empty set means.
    missing : {"error", "abstain"}
        What a missing score means.
    drop_missing : bool
        Whether rows without a truth are left out.
    encoding : str, optional
        Encoding of a text file that is not UTF-8.

    Returns
    -------
    Predictions

    Examples
    --------
    >>> frame = pd.DataFrame({"y_true": [0, 1], "p_1": [0.2, 0.9]})
    >>> read_predictions(frame).y_score
    array([0.2, 0.9])
    """
    if isinstance(source, Predictions):
        return source
    said = {"classes": classes, "pos_label": pos_label, "empty": empty}
    if isinstance(source, pd.DataFrame):
        columns = guess_columns(
            list(source.columns), truth=truth, score=score, proba=proba, sets=sets, model=model,
            weight=weight, groups=groups, case=case, cost_columns=cost_columns,
        )  # fmt: skip
        given: dict[str, Any] = {"y_true": source[columns.truth].to_numpy()}
        if columns.scores:
            given["y_score"] = source[columns.scores[0]].to_numpy()
        if columns.proba:
            given["y_proba"] = source[list(columns.proba.values())].to_numpy()
            said["classes"] = list(columns.proba)
        return Predictions([_of_arrays("predictions", given, **said)])
    models = []
    for name, one in source.items():
        if isinstance(one, tuple):
            kind = "y_set" if np.asarray(one[1]).dtype == np.bool_ else "y_score"
            one = {"y_true": one[0], kind: one[1]}
        models.append(_of_arrays(str(name), one, **said))
    return Predictions(models)


def _of_arrays(
    name: str, given: Mapping[str, Any], *, classes: Any, pos_label: Any, empty: str
) -> ModelPredictions:
    """Read a mapping of arrays."""
    codes, labels = encode(check_truth(given["y_true"]))
    y_score, y_proba, y_set = (given.get(key) for key in ("y_score", "y_proba", "y_set"))
    declared = given.get("classes", classes)
    pos_label = given.get("pos_label", pos_label)
    if y_score is not None and np.ndim(y_score) == 2:
        y_score, y_proba = None, y_score
    if y_proba is not None and np.shape(y_proba)[1] == 1:
        y_score, y_proba, pos_label, declared = y_proba[:, 0], None, declared[0], None
    known = sorted_labels(labels) if declared is None else list(declared)
    at = match_labels(known, labels)
    known = [labels[i] if i >= 0 else label for i, label in zip(at, known, strict=True)]
    if y_score is not None or len(known) == 2:
        pair = binary_classes(labels if y_score is not None else known, pos_label=pos_label)
        if y_proba is not None:
            order = [known.index(label) for label in pair]
            y_proba = check_probabilities(y_proba, name="y_proba")[:, order]
            y_score = y_proba[:, 1]
        known, pos_label = list(pair), pair[1]
    elif y_proba is not None:
        y_proba = check_probabilities(y_proba, name="y_proba", n_classes=len(known))
    position = np.array([known.index(one) if one in known else 0 for one in labels], dtype=np.intp)
    return ModelPredictions(
        name,
        tuple(known),
        position[codes],
        None if y_score is None else as_floats(y_score, "y_score", "scores"),
        y_proba,
        None if y_set is None else as_mask(y_set, known, empty=empty),
        pos_label,
        None
        if given.get("sample_weight") is None
        else check_weight(given["sample_weight"], len(codes)),
        empty=empty,
    )
