"""The contract of cautious and credal classifiers, and small helpers that all models share.

:class:`CautiousClassifierMixin` is the contract: ``predict`` always names one class, so every
scikit-learn tool keeps working, and the caution is in ``predict_set``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import ClassifierMixin

from cautious._typing import Floats, Labels, Mask
from cautious.costs import as_cost_matrix

__all__ = ["CautiousClassifierMixin", "CredalClassifierMixin", "class_costs", "row_chunks"]

_ROWS_AT_ONCE = 4096


class CautiousClassifierMixin(ClassifierMixin):  # type: ignore[misc]
    """Contract of a cautious classifier.

    A subclass implements ``predict_proba`` and ``predict_set``. ``predict`` is total: it names the
    most probable class, the lowest in ``classes_`` order on ties.
    """

    classes_: Labels

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row, whatever the doubt.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Class labels.
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""

    @abstractmethod
    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row, a mask with columns in ``classes_`` order."""


class CredalClassifierMixin(CautiousClassifierMixin):
    """Contract of a credal classifier: cautious, with bounds on the class probabilities."""

    @abstractmethod
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities from below and above, columns in ``classes_`` order."""


def class_costs(costs: npt.ArrayLike | pd.DataFrame, classes: Labels) -> Floats:
    """Check a cost matrix against the classes.

    Parameters
    ----------
    costs : array-like or DataFrame of shape (K, K)
        Rows are predictions, columns truths. An array is in the order of the classes; a frame
        carries their labels, and may hold more of them.
    classes : ndarray of shape (K,)
        Class labels.

    Returns
    -------
    ndarray of shape (K, K)

    Examples
    --------
    >>> import numpy as np
    >>> frame = pd.DataFrame([[4, 0], [0, 2]], index=["n", "h"], columns=["h", "n"])
    >>> class_costs(frame, np.array(["h", "n"]))
    array([[0., 2.],
           [4., 0.]])
    """
    return as_cost_matrix(costs, classes, diagonal="any").to_numpy(dtype=np.float64)


def row_chunks(n_rows: int, size: int = _ROWS_AT_ONCE) -> Iterator[slice]:
    """Cut rows into pieces small enough for the intermediate arrays to stay in cache."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
