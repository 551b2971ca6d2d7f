"""A forest of nested dichotomies."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from cautious._typing import RandomState
from cautious.bootstrap import as_generator
from cautious.models.nested_dichotomy_learning import NestedDichotomyBase

__all__ = ["NestedDichotomyForestClassifier"]


class NestedDichotomyForestClassifier(NestedDichotomyBase):
    r"""Forest of nested dichotomies with imprecise probabilities.

    Many decompositions of the classes, drawn uniformly, each a tree of binary credal classifiers
    ("Fo" in Yang, Destercke & Masson 2017, section VII-D). The trees' credal sets are mixed in
    equal parts, so that the lower expectation of any cost is the mean of the trees',

    .. math:: \underline E[f] = \frac1T \sum_t \underline E_t[f],

    and the answer holds the classes that are maximal under it. With a precise estimator this is
    the ensemble of Frank & Kramer (2004), who average the trees' probabilities.

    Parameters
    ----------
    estimator : classifier, optional
        Any binary classifier; see :class:`NestedDichotomyClassifier`.
    n_estimators : int, default=50
        Number of trees.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). None means 0/1 costs.
    ordinal : bool, default=False
        Whether the classes are ordered and only neighbouring ones may be grouped.
    doubt : float, default=0.0
        How far to doubt an estimator that does not bound its probabilities; see
        :class:`NestedDichotomyClassifier`.
    n_jobs : int, optional
        Processes that fit dichotomies, and threads that ask them.
    random_state : int, RandomState, Generator or None
        Seed of the decompositions, and of the estimator unless it is seeded itself.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    trees_ : list of Decomposition
        The trees, classes by position.
    estimators_ : list of classifiers
        One for each distinct dichotomy of the trees; label 0 is its left side.

    Notes
    -----
    A dichotomy that several trees share is learned, and asked, once.

    References
    ----------
    Yang, Destercke & Masson (2014), *Nested dichotomies with probability sets for multi-class
    classification*; Yang, Destercke & Masson (2017), section VII-D; Frank & Kramer (2004),
    *Ensembles of nested dichotomies for multi-class problems*.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import NestedDichotomyForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=40)
    >>> X = np.where(rng.random((40, 3)) < 0.6, y[:, None], rng.integers(4, size=(40, 3)))
    >>> forest = NestedDichotomyForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> forest.predict_set([[3, 3, 3], [0, 1, 2]])
    array([[False, False, False,  True],
           [ True,  True,  True,  True]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        costs: npt.ArrayLike | None = None,
        ordinal: bool = False,
        doubt: float = 0.0,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.costs = costs
        self.ordinal = ordinal
        self.doubt = doubt
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Draw the trees and learn their dichotomies.

        Parameters
        ----------
        X : array-like
            Examples, as the estimator takes them.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Repetitions of each row.

        Returns
        -------
        self
        """
        self._check_number("n_estimators")
        X, codes, weight = self._read_examples(X, y, sample_weight)
        rng = as_generator(self.random_state)
        self._learn(self._draw(self.n_estimators, rng), X, codes, weight, rng)
        return self
