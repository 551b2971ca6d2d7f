"""The confusion matrix of a classifier that may abstain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious.metrics.counts import SetCounts, count_sets
from cautious.sets import abstain_name, set_names, unpack_sets

__all__ = ["cautious_confusion_matrix", "confusion_frame"]


def cautious_confusion_matrix(
    y_true: Sequence[Any] | npt.ArrayLike | SetCounts,
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
        True class labels. :class:`SetCounts` in their place will do, with None for the sets.
    y_set : mask of shape (n, K), labels or label sets
        Prediction sets; anything :func:`cautious.sets.as_mask` takes: a boolean matrix with one
        column per class, labels (None abstains), or collections of labels.
    classes : sequence of length K, optional
        Class labels in column order; needed where `y_true` does not hold them all.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty prediction set means: a mistake in the data; an abstention; or an answer of no
        class, which misses the truth, as conformal prediction counts it. A "wrong" empty set has
        size 0 and is worth nothing; it counts as answered, determinate and wrong.
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
    counts = count_sets(y_true, y_set, classes, sample_weight, empty, sets=True)
    table = confusion_frame(counts, partial, abstain)
    if normalize is not None:
        return _normalised(table, normalize)
    whole = sample_weight is None and counts is not y_true
    return table.astype(np.int64) if whole else table


def confusion_frame(
    counts: SetCounts, partial: str = "abstain", abstain: str | None = None
) -> pd.DataFrame:
    """Lay out counts as a confusion matrix; see :func:`cautious_confusion_matrix`."""
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
