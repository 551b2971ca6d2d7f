"""The confusion matrix of a classifier that may abstain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, as_floats
from cautious.metrics.counts import SetCounts
from cautious.sets import abstain_name, check_classes, check_sets, set_names, unpack_sets

__all__ = [
    "cautious_confusion_matrix",
    "check_confusion",
    "confusion_of_counts",
    "counts_of_confusion",
]


def cautious_confusion_matrix(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    partial: str = "abstain",
    normalize: str | None = None,
    abstain: str | None = None,
) -> pd.DataFrame:
    r"""Count answers and abstentions against true classes.

    :math:`M(i, j)` is the number of cases of class :math:`j` answered with :math:`i`, where
    :math:`i` is a class or :math:`\bot`. Predictions are rows and truths columns, as in the paper
    and unlike scikit-learn's matrix; both axes are named.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_set : mask of shape (n, K), labels or label sets
        Prediction sets; anything :func:`cautious.sets.as_mask` takes.
    classes : sequence of length K, optional
        Class labels in column order; needed where `y_true` does not hold them all.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty prediction set means; see :func:`cautious.sets.check_mask`.
    partial : {"abstain", "answer"}, default="abstain"
        Whether a set of several but not all classes counts as an abstention, or has a row of its
        own.
    normalize : {"true", "pred", "all"}, optional
        Give shares instead of counts: of each true class (columns add up to 1), of each prediction
        (rows do), or of all cases. A class or prediction that does not occur has shares 0.
    abstain : str, optional
        What to call the last row; by default ⊥, or ⊥′ where a class is called so.

    Returns
    -------
    DataFrame
        One row per class, then one per partial set if asked for and one for the empty set ``{}``
        if it occurs, then the abstentions; one column per true class. Whole numbers unless weights
        or shares were asked for.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> y_true = ["a", "a", "b", "c", "c"]
    >>> y_set = [["a"], ["a", "b"], ["b"], ["b"], ["a", "b", "c"]]
    >>> cautious_confusion_matrix(y_true, y_set)
    truth       a  b  c
    prediction
    a           1  0  0
    b           0  1  1
    c           0  0  0
    ⊥           1  0  1
    >>> cautious_confusion_matrix(y_true, y_set, partial="answer").loc["{a, b}"].tolist()
    [1, 0, 0]
    """
    checked = check_sets(y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty)
    counts, _ = SetCounts.of_cases(checked).merge()
    table = confusion_of_counts(counts, partial=partial, abstain=abstain)
    if normalize is not None:
        return _normalised(table, normalize)
    return table.astype(np.int64) if sample_weight is None else table


def confusion_of_counts(
    counts: SetCounts, *, partial: str = "abstain", abstain: str | None = None
) -> pd.DataFrame:
    """Lay out counts as a confusion matrix.

    Parameters
    ----------
    counts : SetCounts
        Counts of predictions.
    partial, abstain
        As for :func:`cautious_confusion_matrix`.

    Returns
    -------
    DataFrame
        Predictions as rows, truths as columns.

    Examples
    --------
    >>> confusion_of_counts(SetCounts.from_predictions([0, 1, 1], [0, 1, None]))
    truth         0    1
    prediction
    0           1.0  0.0
    1           0.0  1.0
    ⊥           0.0  1.0
    """
    k = counts.n_classes
    several = counts.answered(partial) & (counts.size > 1)
    if several.any() and not counts.knows_sets:
        raise ValueError(
            "partial='answer' needs to know the classes in each set, and these counts have "
            "forgotten them; count again without without_sets()."
        )
    sets, rank = np.unique(counts.set_index[several], return_inverse=True)
    nothing = counts.size == 0
    last = k + len(sets) + bool(nothing.any())
    row = np.where(counts.answer >= 0, counts.answer, last)
    row[several], row[nothing] = k + rank, last - 1
    cells = np.bincount(row * k + counts.truth, weights=counts.weight, minlength=(last + 1) * k)
    masks = np.zeros((last - k, k), dtype=np.bool_)
    masks[: len(sets)] = unpack_sets(counts.words[sets], k)
    names = [*counts.classes.tolist(), *set_names(masks, counts.classes, empty="wrong")]
    if abstain in names:
        raise ValueError(f"abstain is {abstain!r}, which names another row; choose another word.")
    names.append(abstain_name(names) if abstain is None else abstain)
    return pd.DataFrame(
        cells.reshape(-1, k).astype(np.float64),
        index=pd.Index(names, name="prediction", dtype=object),
        columns=pd.Index(counts.classes, name="truth"),
    )


def counts_of_confusion(
    matrix: pd.DataFrame | npt.ArrayLike,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
) -> SetCounts:
    """Read counts off a confusion matrix, so that every measure can be had from a printed one.

    Parameters
    ----------
    matrix : DataFrame or array-like of shape (K + 1, K)
        Predictions as rows, the last of them the abstentions; truths as columns. A frame's columns
        name the classes, and its rows must follow the same order.
    classes : sequence of length K, optional
        Class labels; by default the columns of a frame, or 0, 1, ….

    Returns
    -------
    SetCounts

    Examples
    --------
    >>> from cautious.metrics import MEASURES
    >>> counts = counts_of_confusion([[37, 3], [3, 48], [0, 9]], classes=["a", "b"])
    >>> MEASURES["error"].score(counts)
    0.06
    """
    if classes is None and isinstance(matrix, pd.DataFrame):
        classes = matrix.columns
    table = check_confusion(matrix)
    k = table.shape[1]
    labels = check_classes(np.arange(k) if classes is None else classes)
    if isinstance(matrix, pd.DataFrame) and list(matrix.index[:k]) != list(matrix.columns):
        raise ValueError(
            f"matrix has rows {matrix.index[:k].tolist()} and columns {matrix.columns.tolist()}; "
            "name the rows after the columns, in the same order, with the abstentions last."
        )
    mask = np.vstack([np.eye(k, dtype=np.bool_), np.ones((1, k), dtype=np.bool_)])
    return SetCounts.from_predictions(
        np.tile(labels, k + 1),
        np.repeat(mask, k, axis=0),
        classes=labels,
        sample_weight=table.ravel(),
    )


def check_confusion(matrix: pd.DataFrame | npt.ArrayLike, n_classes: int | None = None) -> Floats:
    """Check the counts of a confusion matrix with a last row of abstentions."""
    table = as_floats(matrix, "matrix", "counts")
    k = table.shape[-1] if table.ndim and n_classes is None else n_classes
    if k is None or table.shape != (k + 1, k):
        wanted = "K + 1, K" if n_classes is None else f"{n_classes + 1}, {n_classes}"
        raise ValueError(
            f"matrix has shape {table.shape}; expected ({wanted}): a row a class and a last row of "
            "abstentions, a column a true class."
        )
    bad = ~((table >= 0) & (table < np.inf))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise ValueError(
            f"matrix holds {table[i, j]} in row {i}, column {j}; "
            "counts are finite and not negative."
        )
    return table


def _normalised(table: pd.DataFrame, normalize: str) -> pd.DataFrame:
    totals = {
        "true": table.sum(axis=0).to_numpy()[None, :],
        "pred": table.sum(axis=1).to_numpy()[:, None],
        "all": np.full((1, 1), table.to_numpy().sum()),
    }
    if normalize not in totals:
        raise ValueError(f"normalize is {normalize!r}; choose 'true', 'pred', 'all' or None.")
    total = totals[normalize]
    return table.div(np.broadcast_to(np.where(total == 0, 1, total), table.shape))
