r"""A transformer that keeps the features which tell much of the class and little of each other."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.models._base import COUNT, OneOf, parameter
from cautious.preparation.discretizer import (
    MixedTable,
    TableTransformer,
    bins_of,
    read_table,
    read_training,
)

# WEKA takes an uncertainty this small for none.
_INDEPENDENT = 1e-6
# A subset has to be better by this much to count as better, so that rounding cannot drive a search.
_BETTER = 1e-5
# Below this an uncertainty is rounding error.
_ZERO = 1e-12

Subset = frozenset[int]
Row = Callable[[int], Floats]


@dataclass(eq=False, repr=False)
class CorrelationFeatureSelector(SelectorMixin, TableTransformer):  # type: ignore[misc]
    r"""Select features by Hall's correlation-based merit and best-first search.

    A subset of :math:`k` features is good if they are correlated with the class and not with each
    other. Its merit is

    .. math:: M = \frac{k\, \overline{r_{cf}}}{\sqrt{k + k(k-1)\, \overline{r_{ff}}}},

    the mean correlation with the class against the mean correlation among the features, both being
    symmetrical uncertainties :math:`2\,(H(A) + H(B) - H(A,B)) / (H(A) + H(B))`. Numeric features
    are discretised for the purpose as by ``MDLDiscretizer(encoding="values")``, and kept as they
    were. With its default settings this selects what WEKA's ``CfsSubsetEval`` with ``BestFirst``
    selects, but for the case that ``independent_as_redundant`` is about.

    Parameters
    ----------
    locally_predictive : bool, default=True
        After the search, add features that are more correlated with the class than with any chosen
        feature.
    max_stale : int, default=5
        The search ends after this many expansions in a row without a better subset.
    missing : {"spread", "value"}, default="spread"
        Spread the counts of missing values over the known values, in proportion to what is known,
        or take "missing" as a value.
    independent_as_redundant : bool, default=False
        Count two features that tell nothing at all of each other (a symmetrical uncertainty below
        1e-6) as fully redundant, correlation 1, as WEKA does. That goes against the formula, and on
        data that hold every combination of values once (car, nursery, balance-scale) leaves
        hardly a feature; it is here to reproduce published results.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Which features are selected.
    merit_ : float
        Merit of the selected subset.
    relevance_ : ndarray of shape (n_features,)
        Symmetrical uncertainty of each feature and the class.
    classes_ : ndarray
        The classes.
    n_features_in_, feature_names_in_
        Number of features, and their names if X was a frame.

    Notes
    -----
    A frame gives a frame, an array an array; ``set_output`` overrides that. Which columns are
    numeric is decided as in :class:`MDLDiscretizer`. A feature that is constant, or missing
    throughout, is correlated with nothing. If no feature is correlated with the class, the first
    one is kept, so that there is something to hand on, and ``merit_`` is 0.

    References
    ----------
    M. A. Hall (1999). Correlation-based feature selection for machine learning. PhD thesis,
    University of Waikato. Used by Zaffalon, Corani & Mauá (2012), § 9.2.1.

    Examples
    --------
    >>> from cautious.datasets import load_dataset
    >>> X, y = load_dataset("iris", return_X_y=True)
    >>> selector = CorrelationFeatureSelector().fit(X, y)
    >>> selector.get_feature_names_out()
    array(['petallength', 'petalwidth'], dtype=object)
    >>> round(selector.merit_, 3)
    0.887
    """

    _: KW_ONLY
    locally_predictive: bool = parameter(True, "boolean")
    max_stale: int = parameter(5, COUNT)
    missing: str = parameter("spread", OneOf("spread", "value"))
    independent_as_redundant: bool = parameter(False, "boolean")

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the features."""
        self._validate_params()
        self.classes_: Labels
        columns, self.classes_, classes = read_training(self, X, y)
        features = [_discrete(columns, i, classes) for i in range(len(columns))]
        self.relevance_: Floats = self._uncertainties(classes, features)

        @cache  # only the features that come into play are ever compared with all others
        def redundancy(i: int) -> Floats:
            row = self._uncertainties(features[i], features)
            if self.independent_as_redundant:
                row[row < _INDEPENDENT] = 1.0
            row[i] = 1.0
            return row

        chosen = search(self.relevance_, redundancy, max_stale=self.max_stale)
        if self.locally_predictive:
            chosen = add_locally_predictive(chosen, self.relevance_, redundancy)
        # An empty table is more than most estimators can take.
        chosen = chosen or frozenset({0})
        self.support_: Mask = np.isin(np.arange(len(features)), sorted(chosen))
        self.merit_: float = merit(chosen, self.relevance_, redundancy)
        return self

    def transform(self, X: Any) -> Any:
        """Keep the selected features."""
        check_is_fitted(self)
        columns = read_table(self, X, reset=False)
        table = columns.table.loc[:, self.support_]
        return table if columns.is_frame else table.to_numpy()

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self)
        return self.support_

    def _uncertainties(self, one: Ints, others: list[Ints]) -> Floats:
        return np.array(
            [symmetrical_uncertainty(one, other, missing=self.missing) for other in others]
        )


def _discrete(columns: MixedTable, position: int, classes: Ints) -> Ints:
    """Read the values of a column as codes, cut if they are numbers; -1 is missing."""
    # The encoding against distinct values is the one Hall's own program uses here.
    cuts = columns.cut_points(position, classes, "values")
    if cuts is None:
        return pd.factorize(columns.table.iloc[:, position])[0].astype(np.intp)
    bins = bins_of(columns.numbers(position), cuts)
    return np.nan_to_num(bins, nan=-1).astype(np.intp)


def merit(subset: Subset, relevance: Floats, redundancy: Row) -> float:
    """Hall's merit of a subset of :math:`k` features."""
    chosen = sorted(subset)
    if not chosen:
        return 0.0
    among = sum(redundancy(i)[chosen].sum() for i in chosen)
    return float(relevance[chosen].sum() / np.sqrt(among))


def search(relevance: Floats, redundancy: Row, *, max_stale: int = 5) -> Subset:
    """Search forward from the empty set, best first."""
    best, best_merit = Subset(), 0.0
    waiting: list[tuple[float, int, Subset]] = [(0.0, 0, best)]  # (-merit, order found, subset)
    seen = {best}
    stale = 0
    while waiting and stale < max_stale:
        *_, subset = waiting.pop(0)
        stale += 1
        chosen = sorted(subset)
        rows = sum((redundancy(i) for i in chosen), start=np.zeros(len(relevance)))
        among = rows[chosen].sum() + 1 + 2 * rows
        merits = ((relevance[chosen].sum() + relevance) / np.sqrt(among)).tolist()
        for feature in range(len(relevance)):
            child = subset | {feature}
            if child in seen:  # also if the subset has the feature already
                continue
            seen.add(child)
            insort(waiting, (-merits[feature], len(seen), child))
            del waiting[max_stale:]  # what ranks lower is not reached before the search ends
            if merits[feature] > best_merit + _BETTER:
                best, best_merit = child, merits[feature]
                stale = 0
    return best


def add_locally_predictive(subset: Subset, relevance: Floats, redundancy: Row) -> Subset:
    """Add features that tell more of the class than any chosen feature tells of them."""
    chosen = set(subset)
    for feature in np.argsort(-relevance, kind="stable").tolist():
        mine = relevance[feature]
        if feature in chosen or mine == 0:
            continue
        if redundancy(feature)[sorted(chosen)].max(initial=0.0) <= mine:
            chosen.add(feature)
    return Subset(chosen)


def symmetrical_uncertainty(a: Ints, b: Ints, *, missing: str = "spread") -> float:
    """Symmetrical uncertainty of two variables, given by codes from 0; -1 is missing."""
    shape = int(a.max()) + 2, int(b.max()) + 2
    rows, columns = np.where(a < 0, shape[0] - 1, a), np.where(b < 0, shape[1] - 1, b)
    cells = rows * shape[1] + columns
    if missing == "spread" and (a.min() < 0 or b.min() < 0):
        table = _spread(np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape))
        h_a, h_b, h_ab = map(_entropy, (table.sum(axis=1), table.sum(axis=0), table))
    else:
        h_a, h_b = _entropy(np.bincount(rows)), _entropy(np.bincount(columns))
        # Without a table of all pairs if that would be large.
        few = cells.max() < 8 * len(cells)
        h_ab = _entropy(np.bincount(cells) if few else np.unique(cells, return_counts=True)[1])
    if h_a < _ZERO or h_b < _ZERO:
        return 0.0
    shared = 1 - h_ab / (h_a + h_b)
    return 2 * shared if shared > _ZERO else 0.0


def _spread(counts: Ints) -> Floats:
    """Spread the counts of missing values, in the last row and column, over the known ones."""
    table = counts.astype(np.float64)
    known_a, known_b = table[:-1].sum(axis=1), table[:, :-1].sum(axis=0)
    if not known_a.any() or not known_b.any():
        return table
    complete, neither = table[:-1, :-1], table[-1, -1]
    spread = np.zeros_like(table)
    spread[:-1, :-1] = complete
    spread[:-1, :-1] += np.outer(known_a / known_a.sum(), table[-1, :-1])
    spread[:-1, :-1] += np.outer(table[:-1, -1], known_b / known_b.sum())
    if complete.any():
        spread[:-1, :-1] += complete * (neither / complete.sum())
    else:
        spread[-1, -1] = neither
    return spread


def _entropy(counts: Floats | Ints) -> float:
    """Entropy of a distribution given by counts, in nats."""
    total = counts.sum()
    return float(np.log(total) - xlogy(counts, counts).sum() / total)
