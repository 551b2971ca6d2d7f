r"""A transformer that turns numbers into bins, cut where the classes change."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels
from cautious.errors import shown
from cautious.preparation.mixed_table import MixedTable, read_table, read_training

__all__ = ["MDLDiscretizer", "mdl_cut_points"]

_ENCODINGS = ("examples", "values")
# Cuts whose entropies differ by less than this many bits per example are tied; the lowest one wins.
_TIE = 1e-10


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
        """Learn the cut points."""
        if self.encoding not in _ENCODINGS:
            raise ValueError(
                f"encoding is {shown(self.encoding)}; choose one of "
                f"{', '.join(map(repr, _ENCODINGS))}."
            )
        self.classes_: Labels
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
        """Replace numbers by the bins they fall into."""
        check_is_fitted(self)
        columns = read_table(self, X, reset=False)
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


def _replace(columns: MixedTable, binned: dict[int, Floats]) -> Any:
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


def mdl_cut_points(values: Floats, codes: Ints, *, encoding: str = "examples") -> Floats:
    """Cut points of a numeric variable, chosen by the description length of the classes."""
    if len(values) == 0:
        return np.empty(0)
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    gaps = np.flatnonzero(values[1:] > values[:-1]) + 1  # gap g: between examples g - 1 and g
    boundaries = _boundaries(codes, gaps)
    ranks = _ranks(codes)
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
            cuts.append(_midpoint(float(values[cut - 1]), float(values[cut])))
            parts += [(start, cut, before), (cut, stop, before + left)]
    return np.sort(np.asarray(cuts, dtype=np.float64))


def _boundaries(codes: Ints, gaps: Ints) -> Ints:
    """Keep the gaps that do not part two values of one and the same class."""
    firsts = np.concatenate([[0], gaps])
    low, high = np.minimum.reduceat(codes, firsts), np.maximum.reduceat(codes, firsts)
    same = (low[:-1] == high[1:]) & (high[:-1] == low[1:])
    boundaries: Ints = gaps[~same]
    return boundaries


def _ranks(codes: Ints) -> Ints:
    """How many examples of its own class precede each example."""
    by_class = np.argsort(codes, kind="stable")
    firsts = np.concatenate([[0], np.cumsum(np.bincount(codes))[:-1]])
    ranks = np.empty_like(codes)
    ranks[by_class] = np.arange(len(codes)) - firsts[codes[by_class]]
    return ranks


def _entropy_of_cuts(classes: Ints, ranks: Ints, steps: Floats) -> Floats:
    """Class entropy, in bits times examples, of cutting after the first, second, ... example."""
    counts = np.bincount(classes)
    on_left = np.cumsum(steps[ranks])
    on_right = np.cumsum(steps[(counts[classes] - ranks - 1)[::-1]])[::-1]
    sizes = np.cumsum(steps[: len(classes)])  # f(1), f(2), ..., f(n)
    entropy: Floats = sizes[:-1] + sizes[-2::-1] - on_left[:-1] - on_right[1:]
    return entropy


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


def _midpoint(low: float, high: float) -> float:
    middle = low / 2 + high / 2
    # Halfway between neighbouring floats is one of the two; the upper one would lie below its cut.
    return middle if low <= middle < high else low
