"""A wrapper that answers with neighbouring ones of ordered classes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.costs import SetCosts, as_cost_matrix, interval_costs
from cautious.decision import OrdinalCriterion, ordinal_sets
from cautious.errors import shown
from cautious.models.wrappers.wrapper import ProbabilisticWrapper
from cautious.sets import as_codes, check_classes

__all__ = ["OrdinalClassifier"]


class OrdinalClassifier(ProbabilisticWrapper):
    r"""Classifier of ordered classes that answers with neighbouring ones.

    "Between 3 and 4" is an answer that people understand; "2 or 4" is not. Any classifier will do.
    Where it bounds its probabilities, as credal classifiers do, the bounds decide.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``; with ``predict_proba_bounds`` these are used. One that is
        already fitted is kept as it is inside scikit-learn's ``FrozenEstimator``.
    order : sequence, optional
        The classes from the lowest to the highest, all that occur; by default sorted.
    width : float, default=0.1
        Without `costs`: what a step of width costs, where a step between the set and the truth
        costs 1. Of precise probabilities the answer then runs from the quantile `width` to the
        quantile 1 − `width`.
    costs : array-like of shape (K, K) or SetCosts, optional
        In place of `width`: costs of single classes or of sets, as
        :func:`cautious.decision.ordinal_sets` takes them, in the given order or labelled.
    criterion : str, optional
        How to decide with bounds of probabilities; see :func:`cautious.decision.ordinal_sets`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted; columns of sets and probabilities are in this order.
    estimator_ : classifier
        The fitted estimator.
    ranks_ : ndarray of shape (K,)
        For each rank, from the lowest on, the position of its class in ``classes_``.

    See Also
    --------
    cautious.decision.ordinal_sets : The decision.
    cautious.costs.interval_costs : The costs behind `width`.

    References
    ----------
    Destercke & Yang (2014), *Cautious ordinal classification by binary decomposition*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import OrdinalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OrdinalClassifier(GaussianNB()).fit(X, y)
    >>> model.predict_set(X[[0, 83]])
    array([[ True, False, False],
           [False,  True,  True]])
    """

    ranks_: Ints

    def __init__(
        self,
        estimator: Any,
        order: Sequence[Any] | None = None,
        *,
        width: float = 0.1,
        costs: Any = None,
        criterion: OrdinalCriterion | None = None,
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.width = width
        self.costs = costs
        self.criterion = criterion

    def _decide(self, X: Any, p: Floats) -> Mask:
        if hasattr(self.estimator_, "predict_proba_bounds"):
            lower, upper = self.estimator_.predict_proba_bounds(X)
            found: Any = (lower[:, self.ranks_], upper[:, self.ranks_])
        else:
            found = p[:, self.ranks_]
        sets = np.empty(p.shape, dtype=np.bool_)
        sets[:, self.ranks_] = ordinal_sets(found, self._costs(), criterion=self.criterion)
        return sets

    def _costs(self) -> Any:
        labels = self.classes_[self.ranks_]
        if self.costs is None:
            return interval_costs(len(labels), self.width)
        if isinstance(self.costs, SetCosts):
            return self.costs if self.costs.classes is None else self.costs.in_order(labels)
        return as_cost_matrix(self.costs, labels, diagonal="any").to_numpy(dtype=np.float64)

    def _check_decision(self) -> None:
        if not (isinstance(self.width, Real) and 0 <= float(self.width) < np.inf):
            raise ValueError(f"width is {shown(self.width)}; give a number that is not negative.")
        if self.order is None:
            self.ranks_ = np.arange(len(self.classes_))
        else:
            order = check_classes(self.order, name="order")
            missing = [name for name in self.classes_.tolist() if name not in order.tolist()]
            if missing:
                raise ValueError(
                    f"order does not hold the class {shown(missing[0])}; name all classes, from "
                    "the lowest to the highest."
                )
            kept = order[np.isin(order, self.classes_)]
            self.ranks_ = as_codes(kept, self.classes_, name="order")
        if len(self.classes_) > 1:
            even = np.full((1, len(self.classes_)), 1 / len(self.classes_))
            ordinal_sets(even, self._costs(), criterion=self.criterion)
