"""Pipelines, searches and cross-validation that pass prediction sets through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Mask
from cautious.errors import shown
from cautious.models._base import FOLDS, borrow_input_tags, check_examples
from cautious.predictions._estimators import can_answer, pooled_outputs


def _inner_has(method: str) -> Any:
    """Offer a method where the estimator that answers has it."""

    def check(self: Any) -> bool:
        getattr(self._inner(), method)  # an AttributeError of its own says more than False
        return True

    return available_if(check)


class _PassesOn:
    """Answers of the estimator inside, where it has them."""

    @_inner_has("predict_set")  # type: ignore[untyped-decorator]
    def predict_set(self, X: Any) -> Mask:
        """Answer with the sets of the estimator inside."""
        check_is_fitted(self)
        return np.asarray(self._inner().predict_set(self._transformed(X)))

    @_inner_has("predict_proba_bounds")  # type: ignore[untyped-decorator]
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities with the estimator inside."""
        check_is_fitted(self)
        lower, upper = self._inner().predict_proba_bounds(self._transformed(X))
        return lower, upper

    def _inner(self) -> Any:
        raise NotImplementedError

    def _transformed(self, X: Any) -> Any:
        return X


class CautiousPipeline(_PassesOn, Pipeline):  # type: ignore[misc]
    """scikit-learn's ``Pipeline`` that also answers with the sets of its last step.

    ``Pipeline`` passes ``predict`` and ``predict_proba`` of its last step through, but not
    ``predict_set`` and ``predict_proba_bounds``. This one does; everything else is inherited.
    Transformers are learned together with the classifier, so in cross-validation each training fold
    is prepared on its own.

    Parameters
    ----------
    steps : list of (name, estimator)
        Transformers and, last, a classifier with ``predict_set``. :meth:`from_steps` names them.
    transform_input, memory, verbose
        As for ``sklearn.pipeline.Pipeline``.

    See Also
    --------
    CautiousSearchCV : Chooses parameters, of a pipeline too, by cross-validation.
    cross_val_predict_set : Out-of-fold sets of a pipeline or any other cautious classifier.

    Examples
    --------
    >>> from cautious.datasets import load_dataset
    >>> from cautious.models import CautiousPipeline, NaiveCredalClassifier
    >>> from cautious.preparation import MDLDiscretizer
    >>> X, y = load_dataset("iris", return_X_y=True)
    >>> model = CautiousPipeline([("bins", MDLDiscretizer()), ("ncc", NaiveCredalClassifier())])
    >>> model.fit(X, y).predict_set(X.iloc[[0, 70]])
    array([[ True, False, False],
           [False, False,  True]])
    >>> lower, upper = model.predict_proba_bounds(X.iloc[[70]])
    >>> lower.round(2), upper.round(2)
    (array([[0.  , 0.  , 0.99]]), array([[0.  , 0.01, 1.  ]]))
    """

    @classmethod
    def from_steps(cls, *steps: Any, memory: Any = None, verbose: bool = False) -> CautiousPipeline:
        """Make a pipeline of steps without names: each is called after its class.

        Examples
        --------
        >>> from sklearn.preprocessing import StandardScaler
        >>> from cautious.models import CautiousPipeline, NaiveCredalClassifier
        >>> model = CautiousPipeline.from_steps(StandardScaler(), NaiveCredalClassifier())
        >>> list(model.named_steps)
        ['standardscaler', 'naivecredalclassifier']
        """
        return cls(make_pipeline(*steps).steps, memory=memory, verbose=verbose)

    def _inner(self) -> Any:
        return self._final_estimator

    def _transformed(self, X: Any) -> Any:
        for _, transformer in self.steps[:-1]:
            if not (transformer is None or isinstance(transformer, str)):  # "passthrough"
                X = transformer.transform(X)
        return X


class CautiousSearchCV(_PassesOn, GridSearchCV):  # type: ignore[misc]
    """scikit-learn's ``GridSearchCV`` that also answers with the sets of its best estimator.

    How much caution pays depends on the data and on what a set of classes is worth, so strengths of
    priors, risks and thresholds are tuned against a measure of sets (Yang, Destercke & Masson 2017,
    section VII-C). ``predict_set`` and ``predict_proba_bounds`` are passed through; everything else
    is inherited.

    Parameters
    ----------
    estimator : classifier with ``predict_set``
        Not fitted; it may be in a pipeline.
    param_grid : dict or list of dicts
        Settings to try, such as ``{"s": [0.1, 1, 10]}``.
    scoring : callable, optional
        A scorer made by :func:`cautious.metrics.make_set_scorer`. None is the mean utility u65 of
        the sets, the ``score`` of every cautious classifier.
    n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As for ``sklearn.model_selection.GridSearchCV``.

    Attributes
    ----------
    best_params_, best_score_, best_estimator_, cv_results_, classes_
        As those of ``GridSearchCV``.

    Notes
    -----
    Weights count in fitting and, with scikit-learn's metadata routing and requests of both the
    estimator and the scorer, in scoring, too.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.metrics import make_set_scorer
    >>> from cautious.models import CautiousSearchCV, NaiveCredalClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=90)
    >>> X = np.where(rng.random((90, 4)) < 0.5, y[:, None], rng.integers(3, size=(90, 4)))
    >>> settings = {"s": [0.1, 1, 10]}
    >>> search = CautiousSearchCV(
    ...     NaiveCredalClassifier(), settings, scoring=make_set_scorer("u80")
    ... ).fit(X, y)
    >>> search.best_params_["s"] in settings["s"], search.predict_set(X).shape
    (True, (90, 3))
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Try all settings, and fit the best on all examples."""
        return super().fit(X, check_examples(X, y).labels, **params)

    def _inner(self) -> Any:
        return getattr(self, "best_estimator_", self.estimator)

    def __sklearn_tags__(self) -> Any:
        return borrow_input_tags(super().__sklearn_tags__(), self.estimator)


def cross_val_predict_set(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
) -> Mask:
    """Answer every example with the set of a model trained on the other folds.

    What scikit-learn's ``cross_val_predict`` is for ``predict``; that one does not take
    ``predict_set``.

    Parameters
    ----------
    estimator : classifier with ``predict_set``
        Not fitted; a clone is fitted in every fold. It may be in a pipeline or in a search such as
        ``GridSearchCV``.
    X, y : array-like
        Examples and labels.
    cv : int, splitter or iterable, optional
        As scikit-learn takes it; by default five stratified folds. Every example must be tested
        exactly once.
    groups : array-like of shape (n,), optional
        For splitters that keep groups together.
    n_jobs : int, optional
        Processes.
    params : dict, optional
        Passed on to ``fit`` and the splitter, as by ``cross_validate``.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets in the order of the examples, columns in the sorted order of the labels. A
        class that a fold's training part lacked is in none of that fold's sets.

    Raises
    ------
    ValueError
        If `cv` leaves an example out or tests it twice.

    Examples
    --------
    >>> from cautious.datasets import load_dataset
    >>> from cautious.metrics import utility_score
    >>> from cautious.models import NaiveCredalClassifier, cross_val_predict_set
    >>> X, y = load_dataset("vote", return_X_y=True)
    >>> sets = cross_val_predict_set(NaiveCredalClassifier(), X, y)
    >>> sets.shape
    (435, 2)
    >>> round(utility_score(y, sets, utility="u80"), 3)
    0.9
    """
    if not can_answer(estimator, "predict_set"):
        raise TypeError(
            f"estimator is {shown(estimator)}, which has no predict_set; wrap it, as in "
            "AbstainingClassifier(estimator)."
        )
    if not FOLDS.is_satisfied_by(cv):
        raise InvalidParameterError(f"cv is {shown(cv)}; it must be {FOLDS}.")
    examples = check_examples(X, y)
    X, y = examples.X, examples.labels
    folds = cross_validate(
        *(estimator, X, y),
        cv=cv,
        groups=groups,
        scoring=_unscored,
        n_jobs=n_jobs,
        params=None if params is None else dict(params),
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    tested = np.concatenate(folds["indices"]["test"])
    order = np.argsort(tested, kind="stable")
    times = np.bincount(tested, minlength=len(y))
    if (times != 1).any():
        row = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"cv tests row {row} {times[row]} times; every row must be tested once, as by KFold or "
            "StratifiedKFold."
        )
    _, sets, _, _ = pooled_outputs(folds, X, y, "predict_set")
    return np.asarray(sets[order])


def _unscored(estimator: Any, X: Any, y: Any) -> float:
    """Measure nothing: the sets are wanted, not a score."""
    return 0.0
