"""A transformer that turns numbers into bins, cut where the classes change.

Tables that mix numbers and categories are read one column at a time: scikit-learn's own validation
turns a mixed frame into one array of objects. Here a frame stays a frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from cautious._typing import Floats, Ints, Labels
from cautious.errors import shown
from cautious.models._base import Declared, OneOf, parameter

_NUMBERS = {"floating", "integer", "mixed-integer-float", "decimal", "empty"}
_CATEGORIES = {"string", "boolean"}
# Cuts whose entropies differ by less than this many bits per example are tied; the lowest one wins.
_TIE = 1e-10


class TableTransformer(Declared, BaseEstimator):  # type: ignore[misc]
    """Base of transformers of tables that mix numbers and categories, with gaps."""

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what is accepted: categories, missing values, and always a class."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


@dataclass(eq=False, repr=False)
class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, TableTransformer):  # type: ignore[misc]
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
    n_features_in_, feature_names_in_
        Number of features, and their names if X was a frame.

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

    encoding: str = parameter("examples", OneOf("examples", "values"))

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the cut points."""
        self._validate_params()
        self.classes_: Labels
        columns, self.classes_, classes = read_training(self, X, y)
        self.cut_points_: list[Floats | None] = [
            columns.cut_points(position, classes, self.encoding) for position in range(len(columns))
        ]
        return self

    def transform(self, X: Any) -> Any:
        """Replace numbers by the bins they fall into."""
        check_is_fitted(self)
        columns = read_table(self, X, reset=False)
        table = columns.table.copy(deep=False)
        for position, cuts in enumerate(self.cut_points_):
            if cuts is not None:
                table.isetitem(position, bins_of(columns.numbers(position), cuts))
        if columns.is_frame:
            return table
        return table.to_numpy(object if any(cuts is None for cuts in self.cut_points_) else None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def bins_of(values: Floats, cuts: Floats) -> Floats:
    """Find the bins that values fall into, nan where missing."""
    return np.where(np.isnan(values), np.nan, np.searchsorted(cuts, values, side="left"))


def mdl_cut_points(values: Floats, codes: Ints, *, encoding: str = "examples") -> Floats:
    """Cut points of a numeric variable, chosen by the description length of the classes."""
    if len(values) == 0:
        return np.empty(0)
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    gaps = np.flatnonzero(values[1:] > values[:-1]) + 1  # gap g: between examples g - 1 and g
    boundaries = _boundaries(codes, gaps)
    ranks = pd.Series(codes).groupby(codes).cumcount().to_numpy()  # in the example's own class
    sizes = np.arange(len(values) + 1.0)
    steps = np.diff(xlogy(sizes, sizes)) / np.log(2)
    cuts = []
    # A part is a range of the sorted examples and, per class, how many examples precede it.
    parts = [(0, len(values), np.zeros(int(codes.max()) + 1, dtype=np.intp))]
    while parts:
        start, stop, before = parts.pop()
        inside = boundaries[slice(*np.searchsorted(boundaries, [start + 1, stop]))]
        if len(inside) == 0:
            continue
        classes = codes[start:stop]
        entropy = _entropy_of_cuts(classes, ranks[start:stop] - before[classes], steps)
        tried = entropy[inside - start - 1]
        cut = int(inside[np.argmax(tried <= tried.min() + _TIE * (stop - start))])
        left = np.bincount(codes[start:cut], minlength=len(before))
        right = np.bincount(codes[cut:stop], minlength=len(before))
        n_gaps = stop - start - 1
        if encoding == "values":
            n_gaps = int(np.diff(np.searchsorted(gaps, [start + 1, stop]))[0])
        if _pays(left, right, n_gaps):
            # Halfway between neighbouring floats is one of the two; the upper one would lie below
            # its cut.
            low, high = float(values[cut - 1]), float(values[cut])
            middle = low / 2 + high / 2
            cuts.append(middle if low <= middle < high else low)
            parts += [(start, cut, before), (cut, stop, before + left)]
    return np.sort(np.asarray(cuts, dtype=np.float64))


def _boundaries(codes: Ints, gaps: Ints) -> Ints:
    """Keep the gaps that do not part two values of one and the same class."""
    firsts = np.concatenate([[0], gaps])
    low, high = np.minimum.reduceat(codes, firsts), np.maximum.reduceat(codes, firsts)
    same = (low[:-1] == high[1:]) & (high[:-1] == low[1:])
    return np.asarray(gaps[~same])


def _entropy_of_cuts(classes: Ints, ranks: Ints, steps: Floats) -> Floats:
    """Class entropy, in bits times examples, of cutting after the first, second, ... example."""
    counts = np.bincount(classes)
    on_left = np.cumsum(steps[ranks])
    on_right = np.cumsum(steps[(counts[classes] - ranks - 1)[::-1]])[::-1]
    sizes = np.cumsum(steps[: len(classes)])  # f(1), f(2), ..., f(n)
    return np.asarray(sizes[:-1] + sizes[-2::-1] - on_left[:-1] - on_right[1:])


def _pays(left: Ints, right: Ints, n_gaps: int) -> bool:
    """Tell whether a cut shortens the description of the classes."""
    whole = left + right
    gain = _bits(whole) - _bits(left) - _bits(right)
    k = np.count_nonzero(whole)
    # log2(3^k - 2), written so that 3^k cannot overflow.
    delta = k * np.log2(3) + np.log2(1 - 2 * 3.0**-k)
    delta -= _weighted_entropy(whole) - _weighted_entropy(left) - _weighted_entropy(right)
    return bool(gain > np.log2(n_gaps) + delta)


def _bits(counts: Ints) -> float:
    """Entropy of class counts, in bits times examples."""
    total = counts.sum()
    return float((xlogy(total, total) - xlogy(counts, counts).sum()) / np.log(2))


def _weighted_entropy(counts: Ints) -> float:
    """Entropy of class counts, in bits, times the number of classes present."""
    return np.count_nonzero(counts) * _bits(counts) / int(counts.sum())


@dataclass(frozen=True)
class MixedTable:
    """A table that a transformer was given, after validation, as a frame."""

    table: pd.DataFrame
    is_frame: bool

    def __len__(self) -> int:
        return int(self.table.shape[1])

    def name(self, position: int) -> str:
        """Name a column in a message."""
        return repr(self.table.columns[position])

    def is_numeric(self, position: int) -> bool:
        """Tell whether a column holds numbers, not categories; all missing counts as numbers."""
        column = self.table.iloc[:, position]
        dtype = column.dtype
        if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
            return False
        if pd.api.types.is_complex_dtype(dtype):
            raise ValueError(f"Complex data not supported: column {self.name(position)} of X.")
        if not pd.api.types.is_object_dtype(dtype):
            return bool(pd.api.types.is_numeric_dtype(dtype))
        kind = pd.api.types.infer_dtype(column, skipna=True)
        if kind not in _NUMBERS | _CATEGORIES:
            for row, cell in enumerate(column):
                try:
                    hash(cell)
                except TypeError as error:  # no category, such as a dict; in scikit-learn's words
                    raise TypeError(
                        f"X: row {row} of column {self.name(position)} holds {shown(cell)}; each "
                        "argument must be a string or a number, or anything else that can be "
                        "hashed."
                    ) from error
        return kind in _NUMBERS

    def numbers(self, position: int) -> Floats:
        """Return a numeric column as floats, nan where missing."""
        try:
            column = self.table.iloc[:, position]
            values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"X: column {self.name(position)} should hold numbers, as in fit, and cannot be "
                f"read as such ({error})."
            ) from error
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise ValueError(
                f"X: column {self.name(position)} contains infinity, first in row {row}; "
                "give finite numbers, or nan where the value is missing."
            )
        return values

    def cut_points(self, position: int, classes: Ints, encoding: str) -> Floats | None:
        """Cut a numeric column by the classes; nothing for a categorical one."""
        if not self.is_numeric(position):
            return None
        values = self.numbers(position)
        known = ~np.isnan(values)
        return mdl_cut_points(values[known], classes[known], encoding=encoding)


def read_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> MixedTable:
    """Validate ``X`` as scikit-learn does, but leave a frame a frame."""
    if not isinstance(X, pd.DataFrame):
        table = validate_data(estimator, X, dtype=None, ensure_all_finite="allow-nan", reset=reset)
        if table.dtype.kind == "U" and not hasattr(X, "dtype"):
            # numpy turns the numbers of a mixed list into text; read them again, as they were.
            table = check_array(X, dtype=object, ensure_all_finite="allow-nan")
        plain = table.dtype.kind in "biufc"
        return MixedTable(pd.DataFrame(table, dtype=None if plain else object), is_frame=False)
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    check_array(np.broadcast_to(0.0, X.shape), estimator=estimator)  # some rows and columns
    return MixedTable(X, is_frame=True)


def read_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[MixedTable, Labels, Ints]:
    """Validate ``X`` and ``y``; return the columns, the classes and each row's class."""
    labels = validate_data(estimator, y=y)  # first: it forgets the feature names of an earlier fit
    columns = read_table(estimator, X, reset=True)
    check_consistent_length(columns.table, labels)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return columns, classes, codes.astype(np.intp)
