"""The naive credal classifier: naive Bayes with a set of priors instead of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import indexable

from cautious._typing import Floats, Labels, Mask
from cautious.credal import ProbabilityIntervals
from cautious.decision import maximality
from cautious.metrics import make_set_scorer
from cautious.models.base import (
    FOLDS,
    POSITIVE,
    PROBABILITY,
    BestEstimatorMixin,
    CredalClassifierMixin,
    ListOf,
    OneOf,
    class_costs,
)
from cautious.models.discrete import DiscreteClassifier
from cautious.models.naive_credal.counts import (
    CategoryCounts,
    CountingClassifier,
    ValueTables,
    probabilities,
)
from cautious.models.naive_credal.dirichlet import GlobalIDM, LocalIDM
from cautious.models.naive_credal.dominance import reachable


class NaiveCredalClassifier(CredalClassifierMixin, CountingClassifier):
    r"""Naive credal classifier over discrete features.

    Naive Bayes whose prior ranges over an imprecise Dirichlet model (IDM) of strength s. It answers
    with the classes that remain possible under every such prior: many where the data are few, one
    where they are plenty.

    With the *global* IDM class c' dominates c'' if its probability is larger under all priors, i.e.

    .. math::

        \inf_{0 \le x \le s} \left[\frac{n(c'') + x}{n(c') + s - x}\right]^{-1} \prod_i
        \frac{\tilde n_i(c'') + x}{\tilde n_i(c') + s - x} \cdot
        \frac{n(a_i, c')}{n(a_i, c'') + x} > 1,

    where :math:`\tilde n_i(c)` counts the class over rows in which feature i is observed. The
    logarithm is convex; the infimum is solved exactly, where cheap bounds do not decide it. A zero
    count of c' makes it 0. With *local* IDMs the posterior of each class is bounded (Yang,
    Destercke & Masson 2017, eqs 19–24) and the answer holds the classes that are maximal under the
    costs.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the prior, the number of hidden observations: the larger, the more cautious.
    idm : {"global", "local"}, default="global"
        One prior for the whole model, or one for each class and feature.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). An array is in ``classes_`` order; a
        frame is read by its labels, and may hold more of them. None means 0/1 costs. With the
        global IDM and costs, classes are compared over the bounds of :meth:`predict_proba_bounds`:
        the sets may be larger than those of the priors themselves, never smaller.
    epsilon : float, default=0.0
        Share of the prior that is fixed to the uniform one, between 0 and 1: no weight of a prior
        is then less than this share of the uniform weight. A little of it keeps zero counts from
        making the classifier vacuous (restricted IDM; Corani & Benavoli 2010). 0 is the IDM
        itself, 1 is naive Bayes.
    missing : {"skip", "conservative"}, default="skip"
        A missing cell is skipped, in training and test rows, or may hide any known value of its
        feature (the naive credal classifier 2 of Corani & Zaffalon 2008, all features non-MAR).

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    counts_ : CategoryCounts
        What was counted. Parameters take effect at prediction, so they may be changed after
        :meth:`fit` without fitting again.
    n_features_in_, feature_names_in_
        Number of features, and their names if X was a frame.

    See Also
    --------
    NaiveCredalClassifierCV : Chooses s by cross-validation.
    LazyNaiveCredalClassifier : Learns from the neighbours of each row only.

    Notes
    -----
    A value never seen in training counts 0 with every class. With ``epsilon=0`` no class can then
    dominate another and the answer is all classes; replace the value by nan to have it skipped.
    Values declared by a pandas categorical but never seen are treated alike.

    ``predict_proba`` is naive Bayes under the uniform prior of the model, which lies in the credal
    set: the most probable class is never dominated.

    References
    ----------
    Zaffalon (2001), *Statistical inference of the naive credal classifier*; Corani & Zaffalon
    (2008), *Learning reliable classifiers from small or incomplete data sets: the naive credal
    classifier 2*; Zaffalon, Corani & Mauá (2012), section 9; Corani & Benavoli (2010),
    *Restricting the IDM for classification*; Yang, Destercke & Masson (2017), section VII-B.

    Examples
    --------
    >>> from cautious.models import NaiveCredalClassifier
    >>> X = [["red", "round"], ["red", "round"], ["red", "long"], ["green", "long"],
    ...      ["green", "long"], ["green", "round"]]
    >>> y = ["apple", "apple", "apple", "bean", "bean", "bean"]
    >>> model = NaiveCredalClassifier(s=2).fit(X, y)
    >>> model.classes_
    array(['apple', 'bean'], dtype='<U5')
    >>> model.predict_set([["green", "long"], ["green", "round"]])
    array([[False,  True],
           [ True,  True]])
    >>> model.predict([["green", "round"]])
    array(['bean'], dtype='<U5')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "s": [POSITIVE],
        "idm": [OneOf("global", "local")],
        "epsilon": [PROBABILITY],
        "missing": [OneOf("skip", "conservative")],
    }

    def __init__(
        self,
        s: float = 1.0,
        idm: Literal["global", "local"] = "global",
        costs: npt.ArrayLike | pd.DataFrame | None = None,
        *,
        epsilon: float = 0.0,
        missing: Literal["skip", "conservative"] = "skip",
    ) -> None:
        self.s = s
        self.idm = idm
        self.costs = costs
        self.epsilon = epsilon
        self.missing = missing

    def predict_proba(self, X: Any) -> Floats:
        r"""Estimate class probabilities by naive Bayes under the uniform prior of strength s."""
        codes = self._encode(X)
        K = len(self.classes_)
        # The global prior is divided among the classes; a local one is all there for each class.
        strength = self.s / K if self.idm == "global" else self.s
        tables = ValueTables(self.counts_.n_values)
        share = strength / np.maximum(self.counts_.n_values, 1)[tables.feature, None]
        counts = tables.stack(self.counts_.tables, K) + share
        table = np.log(counts / (self.counts_.totals + strength)[tables.feature])
        table[tables.missing] = 0.0
        log_joint = tables.sums(table, tables.lines(codes))
        return probabilities(log_joint + np.log(self.counts_.class_counts + self.s / K))

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities over the credal set.

        They are exact, the smallest and the largest probability that some prior of the model gives.
        With local IDMs they are those of Yang, Destercke & Masson (2017), eqs 23 and 24. With the
        global IDM the upper one is a convex programme of one unknown. The lower one is met where
        the class shares the prior with a single rival or, where training cells are missing and are
        skipped, with several; then it is found by branch and bound, to a millionth of its log odds.

        With more than two classes they may be too wide, never too narrow, where cells of the row
        are missing and may hide anything: with local IDMs, and with the global IDM where there are
        more than 256 ways to fill them. The same holds where ten or more classes share a prior
        about as strong as they have examples, and the search is given up.
        """
        codes = self._encode(X)
        return reachable(*self._model().predict_proba_bounds(codes))

    def predict_set(self, X: Any) -> Mask:
        """Answer with the classes that no class dominates."""
        codes = self._encode(X)
        model = self._model()
        if isinstance(model, GlobalIDM) and self.costs is None:
            return model.predict_set(codes)
        intervals = ProbabilityIntervals(*model.predict_proba_bounds(codes))
        costs = None if self.costs is None else class_costs(self.costs, self.classes_)
        return maximality(intervals, costs)

    def _learn(self, counts: CategoryCounts) -> Any:
        if self.costs is not None:
            class_costs(self.costs, counts.classes)
        return super()._learn(counts)

    def _model(self) -> GlobalIDM | LocalIDM:
        kind = GlobalIDM if self.idm == "global" else LocalIDM
        return kind(self.counts_, self.s, self.epsilon, self.missing == "conservative")


class NaiveCredalClassifierCV(BestEstimatorMixin, DiscreteClassifier):
    """Naive credal classifier whose strength s is chosen by cross-validation.

    How much caution pays depends on the data and on what a set of classes is worth, so s is tuned
    against a measure of sets (Yang, Destercke & Masson 2017, section VII-C). This is
    ``GridSearchCV`` over s and nothing more; to tune other parameters too, use ``GridSearchCV``
    itself with a scorer from :func:`cautious.metrics.make_set_scorer`.

    Parameters
    ----------
    s : sequence of floats, default=(0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10)
        Strengths to try.
    scoring : str or callable, default="u65"
        Name of a set scorer (:data:`cautious.metrics.MEASURES`) or a scorer made by
        :func:`cautious.metrics.make_set_scorer`.
    cv : int, splitter or iterable, optional
        What ``GridSearchCV`` takes; None is stratified 5-fold.
    idm, costs, epsilon, missing
        As for :class:`NaiveCredalClassifier`.
    n_jobs : int, optional
        Processes for the search.

    Attributes
    ----------
    best_s_ : float
        The chosen strength; the first of those that tie.
    best_score_ : float
        Its mean score over the folds.
    best_estimator_ : NaiveCredalClassifier
        Fitted with it on all examples.
    cv_results_ : dict
        What ``GridSearchCV`` recorded.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import NaiveCredalClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=90)
    >>> X = np.where(rng.random((90, 4)) < 0.5, y[:, None], rng.integers(3, size=(90, 4)))
    >>> model = NaiveCredalClassifierCV(s=[0.1, 1, 10], scoring="u80").fit(X, y)
    >>> model.best_s_ in (0.1, 1, 10), model.cv_results_["mean_test_score"].shape
    (True, (3,))
    """

    best_estimator_: NaiveCredalClassifier

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NaiveCredalClassifier._parameter_constraints,
        "s": [ListOf(POSITIVE)],
        "cv": [FOLDS],
    }

    def __init__(
        self,
        s: Sequence[float] = (0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0),
        *,
        scoring: str | Callable[..., Any] = "u65",
        cv: Any = None,
        idm: Literal["global", "local"] = "global",
        costs: npt.ArrayLike | pd.DataFrame | None = None,
        epsilon: float = 0.0,
        missing: Literal["skip", "conservative"] = "skip",
        n_jobs: int | None = None,
    ) -> None:
        self.s = s
        self.scoring = scoring
        self.cv = cv
        self.idm = idm
        self.costs = costs
        self.epsilon = epsilon
        self.missing = missing
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Choose s and fit with it on all examples."""
        self._validate_params()
        _, labels, weight = self._read_examples(X, y, sample_weight)
        if weight is not None:
            (X,) = indexable(X)
            X = _safe_indexing(X, np.flatnonzero(np.asarray(sample_weight) > 0))
        costs = None
        if self.costs is not None:
            # By label: a fold that lacks a class still finds the costs of those it has.
            classes = np.unique(labels)
            costs = pd.DataFrame(class_costs(self.costs, classes), classes, classes)
        model = NaiveCredalClassifier(
            idm=self.idm, costs=costs, epsilon=self.epsilon, missing=self.missing
        )
        scoring: Any = self.scoring
        if isinstance(scoring, str):
            scoring = make_set_scorer(scoring)
        search = GridSearchCV(
            model,
            {"s": list(self.s)},
            scoring=scoring,
            cv=self.cv,
            n_jobs=self.n_jobs,
            error_score="raise",
        )
        if weight is None:
            search.fit(X, labels)
        else:  # routed, so that folds are scored with their weights, too
            with config_context(enable_metadata_routing=True):
                model.set_fit_request(sample_weight=True)
                search.set_params(scoring=copy(scoring).set_score_request(sample_weight=True))
                search.fit(X, labels, sample_weight=weight)
        self.best_estimator_ = search.best_estimator_
        self.best_s_: float = search.best_params_["s"]
        self.best_score_: float = float(search.best_score_)
        self.cv_results_: dict[str, Any] = search.cv_results_
        self.classes_: Labels = search.best_estimator_.classes_
        return self
