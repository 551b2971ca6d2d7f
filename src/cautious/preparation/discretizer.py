r"""A transformer that turns numbers into bins, cut where the classes change."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats
from cautious.preparation.columns import Columns, read_columns, read_training
from cautious.preparation.mdl import mdl_cut_points

__all__ = ["MDLDiscretizer"]

_ENCODINGS = ("examples", "values")


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Discretise numeric features by Fayyad and Irani's minimum description length principle.

    Each numeric feature is cut, recursively, where the cut leaves the least class entropy, as long
    as the cut shortens the joint description of the classes and of the cut itself:

    .. math:: H(S) - E > \frac{\log_2 (N-1) + \Delta}{N}, \qquad
              \Delta = \log_2(3^k - 2) - \bigl(k H(S) - k_1 H(S_1) - k_2 H(S_2)\bigr).

    The number of bins follows from the data. A feature that says nothing about the class gets a
    single bin. Put the transformer in a pipeline, so that each training fold has its own cuts.

    Parameters
    ----------
    encoding : {"examples", "values"}, default="examples"
        What the position of a cut is coded against: the :math:`N - 1` gaps between examples (Fayyad
        & Irani) or the gaps between distinct values (WEKA's "better encoding", which accepts more
        cuts where values repeat).

    Attributes
    ----------
    cut_points_ : list
        For each feature its increasing cut points, or ``None`` if it is categorical.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Names of the features, if ``X`` was a frame with string column names.

    Notes
    -----
    Of a frame, columns of a numeric dtype are discretised, and so are columns of objects that are
    all numbers; categorical, boolean and string columns pass unchanged. A frame gives a frame, an
    array an array (of objects if some columns are categorical); ``set_output`` overrides that. Bin
    ``b`` holds the values above cut ``b - 1`` up to and including cut ``b``; bins are floats, and a
    missing value stays nan. A feature that is constant, or missing throughout, has a single bin.

    References
    ----------
    U. M. Fayyad and K. B. Irani (1993). Multi-interval discretization of continuous-valued
    attributes for classification learning. IJCAI-93, 1022–1027. Used by Zaffalon, Corani & Mauá
    (2012), § 9.1.3.

    Examples
    --------
    >>> from cautious.datasets import load_dataset
    >>> X, y = load_dataset("iris", return_X_y=True)
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> [cuts.tolist() for cuts in discretizer.cut_points_[2:]]
    [[2.45, 4.75], [0.8, 1.75]]
    >>> discretizer.transform(X).iloc[[0, 50, 149], 2:]
         petallength  petalwidth
    0            0.0         0.0
    50           1.0         1.0
    149          2.0         2.0
    """

    def __init__(self, encoding: str = "examples") -> None:
        self.encoding = encoding

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the cut points.

        Parameters
        ----------
        X : frame or array-like of shape (n, n_features)
            Features; numbers, categories and missing values may be mixed.
        y : array-like of shape (n,)
            Classes.

        Returns
        -------
        MDLDiscretizer
            Itself.
        """
        if self.encoding not in _ENCODINGS:
            raise ValueError(
                f"encoding is {self.encoding!r}; choose one of {', '.join(map(repr, _ENCODINGS))}."
            )
        columns, self.classes_, classes = read_training(self, X, y)
        self.cut_points_: list[Floats | None] = []
        for position in range(len(columns)):
            if not columns.is_numeric(position):
                self.cut_points_.append(None)
                continue
            values = columns.numbers(position)
            known = ~np.isnan(values)
            self.cut_points_.append(
                mdl_cut_points(values[known], classes[known], encoding=self.encoding)
            )
        return self

    def transform(self, X: Any) -> Any:
        """Replace numbers by the bins they fall into.

        Parameters
        ----------
        X : frame or array-like of shape (n, n_features)
            Features, in the order of ``fit``.

        Returns
        -------
        DataFrame or ndarray of shape (n, n_features)
            Bins as floats from 0, nan where the value is missing; categories as they were.
        """
        check_is_fitted(self)
        columns = read_columns(self, X, reset=False)
        binned = {
            position: _bins(columns.numbers(position), cuts)
            for position, cuts in enumerate(self.cut_points_)
            if cuts is not None
        }
        return _replace(columns, binned)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what is accepted: categories, missing values, and always a class."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _bins(values: Floats, cuts: Floats) -> Floats:
    bins = np.searchsorted(cuts, values, side="left").astype(np.float64)
    bins[np.isnan(values)] = np.nan
    return bins


def _replace(columns: Columns, binned: dict[int, Floats]) -> Any:
    """Put the binned columns in the place of the numbers, leaving what was given untouched."""
    if columns.is_frame:
        frame = columns.table.copy(deep=False)
        for position, bins in binned.items():
            frame.isetitem(position, bins)
        return frame
    dtype = np.float64 if len(binned) == len(columns) else object
    array: npt.NDArray[Any] = columns.table.astype(dtype)
    for position, bins in binned.items():
        array[:, position] = bins
    return array
