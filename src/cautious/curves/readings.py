"""Four ways to count abstentions in true and false positive rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.metrics.confusion import check_confusion

__all__ = ["READINGS", "roc_readings", "share_of"]

READINGS = {
    "ignore": (True, True),
    "ignore in TPR": (True, False),
    "ignore in FPR": (False, True),
    "count": (False, False),
}
"""Whether abstentions are left out of the totals of (positives, negatives) in each reading."""


def roc_readings(matrix: pd.DataFrame | npt.ArrayLike, *, pos_label: Any = None) -> pd.DataFrame:
    r"""Read true and false positive rates off a confusion matrix with abstentions, in four ways.

    An abstention can be left out of the total that a rate is a share of, or counted in it: for
    both rates, for either, or for none. Of the four, leaving them out of the true positive rate
    only is the most optimistic and leaving them out of the false positive rate only the most
    pessimistic.

    Parameters
    ----------
    matrix : DataFrame or array-like of shape (3, 2)
        Predictions as rows, the last of them abstaining; truths as columns.
    pos_label : label, optional
        The positive class, a column label of a frame; by default the second column.

    Returns
    -------
    DataFrame
        Rows are the readings; columns the shares of positives that are called positive (``tpr``),
        negative (``fnr``) and abstained on (``silent_positives``), and the same of negatives
        (``fpr``, ``tnr``, ``silent_negatives``). Shares that a reading ignores, and shares of
        nothing, are nan.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 6. For the first reading the text prints a false
    positive rate of .0177, its table .0217; the table is right (1/46).

    Examples
    --------
    >>> roc_readings([[45, 1], [1, 33], [14, 6]]).round(3)
                     tpr    fnr  silent_positives    fpr    tnr  silent_negatives
    reading
    ignore         0.971  0.029               NaN  0.022  0.978               NaN
    ignore in TPR  0.971  0.029               NaN  0.017  0.750             0.233
    ignore in FPR  0.825  0.025              0.15  0.022  0.978               NaN
    count          0.825  0.025              0.15  0.017  0.750             0.233
    """
    table = check_confusion(matrix, n_classes=2)
    positive = 1
    if pos_label is not None:
        labels = matrix.columns.tolist() if isinstance(matrix, pd.DataFrame) else [0, 1]
        if pos_label not in labels:
            raise ValueError(
                f"pos_label is {pos_label!r}, which is not among the columns {labels}."
            )
        positive = labels.index(pos_label)
    rows = [positive, 1 - positive, 2]
    columns = ["tpr", "fnr", "silent_positives"], ["fpr", "tnr", "silent_negatives"]
    shares = []
    for ignored in READINGS.values():
        row: dict[str, float] = {}
        for names, truth, ignore in zip(columns, (positive, 1 - positive), ignored, strict=True):
            counts = table[rows, truth]
            share = share_of(counts, counts[:2].sum() if ignore else counts.sum())
            row |= dict(zip(names, [*share[:2], np.nan if ignore else share[2]], strict=True))
        shares.append(row)
    return pd.DataFrame(shares, index=pd.Index(READINGS, name="reading"))


def share_of(part: Floats, whole: npt.ArrayLike) -> Floats:
    """Quotient, nan where there is nothing to share."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))
