"""Nondeterministic classification: the set of classes with the largest expected utility."""

from __future__ import annotations

from typing import Any

from cautious._typing import Floats, Mask
from cautious.decision import optimal_sets
from cautious.models.wrappers.wrapper import ProbabilisticWrapper
from cautious.utility import UtilityLike, as_utility

__all__ = ["NondeterministicClassifier"]


class NondeterministicClassifier(ProbabilisticWrapper):
    r"""Classifier that answers with the set of the largest expected utility.

    A right set of k classes is worth :math:`u(1/k)`, a wrong one nothing, so that of all sets of
    size k the k most probable classes are best and

    .. math:: \hat Y = \{\text{top } k\}, \quad
              k = \arg\max_k\; u(1/k) \sum_{i \le k} p_{(i)}.

    With the F-measure :math:`F_\beta = (1 + \beta^2)/(\beta^2 + k)` this is the nondeterministic
    classifier of Del Coz & Bahamonde (2009); the same machinery serves any utility of discounted
    accuracy (Zaffalon, Corani & Mauá 2012, section 9.3).

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted is kept as it is inside
        scikit-learn's ``FrozenEstimator``.
    utility : str, Utility or callable, default="f1"
        "f1", "f2", … for F-measures; "u65", "u80" or any two digits for quadratic utilities;
        "log"; one of :mod:`cautious.utility`; or a function of discounted accuracy.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimator_ : classifier
        The fitted estimator.

    See Also
    --------
    cautious.decision.optimal_sets : The decision itself, also for costs that differ by class.

    References
    ----------
    Del Coz & Bahamonde (2009), *Learning nondeterministic classifiers*; Zaffalon, Corani & Mauá
    (2012), section 9.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import NondeterministicClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NondeterministicClassifier(GaussianNB()).fit(X, y)
    >>> model.predict_proba(X[[0, 83]]).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.61, 0.39]])
    >>> model.predict_set(X[[0, 83]])
    array([[ True, False, False],
           [False,  True,  True]])
    """

    def __init__(self, estimator: Any, utility: UtilityLike = "f1") -> None:
        self.estimator = estimator
        self.utility = utility

    def _check_decision(self) -> None:
        as_utility(self.utility)

    def _decide(self, X: Any, p: Floats) -> Mask:
        return optimal_sets(p, utility=self.utility)
