"""Nested dichotomies: one tree, or a forest of trees, of binary credal classifiers."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from cautious._random import as_generator
from cautious._typing import Floats, Ints, Labels, RandomState
from cautious.costs import p_discounted
from cautious.errors import shown
from cautious.metrics import make_set_scorer
from cautious.models.nested_dichotomies.decompositions import Decomposition
from cautious.models.nested_dichotomies.dichotomies import NestedDichotomyBase

__all__ = ["NestedDichotomyClassifier", "NestedDichotomyForestClassifier"]


class NestedDichotomyClassifier(NestedDichotomyBase):
    r"""Nested dichotomy with imprecise probabilities, the best of several.

    A decomposition splits the classes in two, and each part again, until single classes are left. A
    binary classifier is learned for every split. If it bounds its probabilities, so does the tree;
    lower expectations of any cost follow exactly by backward recursion, and the answer holds the
    classes that are maximal: c is left out if for some c'

    .. math:: \underline E[c_{c} - c_{c'}] > 0.

    Decompositions are drawn uniformly among all :math:`(2K-3)!!`, and the one that does best on the
    learning set is kept ("2Tr" in Yang, Destercke & Masson 2017, section VII-D).

    Parameters
    ----------
    estimator : classifier, optional
        Any binary classifier. One with ``predict_proba_bounds`` bounds its probabilities itself;
        one with ``predict_proba`` only is taken at its word, or doubted (see `doubt`). None is the
        paper's, ``NaiveCredalClassifier(s=2.0, idm="local")``.
    n_candidates : int, default=50
        How many decompositions to draw.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). None means 0/1 costs.
    ordinal : bool, default=False
        Whether the classes are ordered (as sorted) and only neighbouring ones may be grouped. The
        decompositions are then drawn uniformly among the :math:`\frac1K\binom{2K-2}{K-1}`
        contiguous ones.
    scoring : str or callable, optional
        What is best on the learning set: name of a set scorer
        (:data:`cautious.metrics.MEASURES`) or a scorer made by
        :func:`cautious.metrics.make_set_scorer`. None is the smallest mean p-discounted cost with
        r = 0.5, as in the paper.
    doubt : float, default=0.0
        Only for an estimator without bounds: its probability p, learned from N examples, is read
        as the interval :math:`[Np/(N+s), (Np+s)/(N+s)]` with s the doubt, as if p were a
        frequency under an imprecise Dirichlet model.
    n_jobs : int, optional
        Processes that fit dichotomies, and threads that ask them.
    random_state : int, RandomState, Generator or None
        Seed of the decompositions, and of the estimator unless it is seeded itself.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    tree_ : Decomposition
        The decomposition kept, classes by position; ``export_text`` prints it with labels.
    estimators_ : list of classifiers
        One for each distinct dichotomy; label 0 is its left side.
    candidates_ : list of Decomposition
        What was drawn, without repeats.
    candidate_scores_ : ndarray
        Their scores on the learning set.

    See Also
    --------
    NestedDichotomyForestClassifier : Keeps all the trees.

    References
    ----------
    Yang, Destercke & Masson (2014), *Nested dichotomies with probability sets for multi-class
    classification*; Yang, Destercke & Masson (2017), section VII-D; Frank & Kramer (2004),
    *Ensembles of nested dichotomies for multi-class problems*.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import NestedDichotomyClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=40)
    >>> X = np.where(rng.random((40, 3)) < 0.6, y[:, None], rng.integers(4, size=(40, 3)))
    >>> model = NestedDichotomyClassifier(ordinal=True, random_state=0).fit(X, y)
    >>> len(model.candidates_)  # of five contiguous decompositions of four classes
    5
    >>> model.predict_set([[3, 3, 3], [0, 1, 2]])
    array([[False, False, False,  True],
           [ True,  True,  True,  True]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_candidates: int = 50,
        costs: npt.ArrayLike | None = None,
        ordinal: bool = False,
        scoring: str | Callable[..., Any] | None = None,
        doubt: float = 0.0,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_candidates = n_candidates
        self.costs = costs
        self.ordinal = ordinal
        self.scoring = scoring
        self.doubt = doubt
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Draw decompositions, learn their dichotomies and keep the best."""
        self._check_number("n_candidates")
        if not (self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)):
            raise TypeError(
                f"scoring is {shown(self.scoring)}; give the name of a scorer, one made by "
                "make_set_scorer, or None."
            )
        if isinstance(self.scoring, str):
            make_set_scorer(self.scoring)
        X, codes, weight = self._read_examples(X, y, sample_weight)
        rng = as_generator(self.random_state)
        drawn = self._draw(self.n_candidates, rng)
        self.candidates_: list[Decomposition] = list({tree.key: tree for tree in drawn}.values())
        self._learn(self.candidates_, X, codes, weight, rng)
        self.candidate_scores_: Floats = np.zeros(1)
        if len(self.candidates_) > 1:
            self.candidate_scores_ = self._scores(X, self.classes_[codes], weight)
        best = int(np.argmax(self.candidate_scores_))
        self._keep(best)
        return self

    @property
    def tree_(self) -> Decomposition:
        """The decomposition kept."""
        check_is_fitted(self)
        return self.trees_[0]

    def export_text(self) -> str:
        """Print the dichotomies, the root first, with the classes' labels.

        Returns
        -------
        str
        """
        return self.tree_.export_text(self.classes_)

    def _scores(self, X: Any, y: Labels, weight: Floats | None) -> Floats:
        scorer: Any = self.scoring
        if scorer is None:
            costs = p_discounted(self._cost_matrix(), r=0.5)
            scorer = make_set_scorer("set_cost", costs=costs)
        elif isinstance(scorer, str):
            scorer = make_set_scorer(scorer)
        weights = {} if weight is None else {"sample_weight": weight}
        scores = []
        for at in range(len(self.candidates_)):
            candidate = copy(self)
            candidate._keep(at)
            scores.append(float(scorer(candidate, X, y, **weights)))
        return np.array(scores)

    def _keep(self, at: int) -> None:
        """Keep one of the trees, and its dichotomies only."""
        own: Ints = self.positions_[at]
        self.trees_: list[Decomposition] = [self.trees_[at]]
        self.positions_: list[Ints] = [np.arange(len(own))]
        self.estimators_: list[Any] = [self.estimators_[i] for i in own]
        self.sizes_: Floats = self.sizes_[own]


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
        """Draw the trees and learn their dichotomies."""
        self._check_number("n_estimators")
        X, codes, weight = self._read_examples(X, y, sample_weight)
        rng = as_generator(self.random_state)
        self._learn(self._draw(self.n_estimators, rng), X, codes, weight, rng)
        return self
