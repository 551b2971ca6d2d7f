"""Pipelines and cross-validation that pass prediction sets through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Mask
from cautious.errors import shown
from cautious.models.base import FOLDS, check_examples
from cautious.predictions._estimators import can_answer, pooled_outputs


def _last_step_has(method: str) -> Any:
    def check(self: CautiousPipeline) -> bool:
        getattr(self._final_estimator, method)  # an AttributeError of its own says more than False
        return True

    return check


class CautiousPipeline(Pipeline):  # type: ignore[misc]
    """scikit-learn's ``Pipeline`` that also answers with the sets of its last step.

    ``Pipeline`` passes ``predict`` and ``predict_proba`` of its last step through, but not
    ``predict_set`` and ``predict_proba_bounds``. This one does; everything else is inherited.
    Transformers are learned together with the classifier, so in cross-validation each training fold
    is prepared on its own.

    Parameters
    ----------
    steps : list of (name, estimator)
        Transformers and, last, a classifier with ``predict_set``.
    transform_input, memory, verbose
        As for ``sklearn.pipeline.Pipeline``.

    See Also
    --------
    make_cautious_pipeline : Makes one without naming the steps.
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

    @available_if(_last_step_has("predict_set"))  # type: ignore[untyped-decorator]
    def predict_set(self, X: Any) -> Mask:
        """Transform the rows and answer with sets, if the last step has ``predict_set``."""
        return np.asarray(self._last_step(X, "predict_set"))

    @available_if(_last_step_has("predict_proba_bounds"))  # type: ignore[untyped-decorator]
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Transform the rows and bound their class probabilities, if the last step does."""
        lower, upper = self._last_step(X, "predict_proba_bounds")
        return lower, upper

    def _last_step(self, X: Any, method: str) -> Any:
        check_is_fitted(self)
        for _, transformer in self.steps[:-1]:
            if not (transformer is None or isinstance(transformer, str)):  # "passthrough"
                X = transformer.transform(X)
        return getattr(self._final_estimator, method)(X)


def make_cautious_pipeline(
    *steps: Any, memory: Any = None, verbose: bool = False
) -> CautiousPipeline:
    """Make a :class:`CautiousPipeline`, naming each step after its class.

    Parameters
    ----------
    *steps : estimators
        Transformers and, last, a classifier with ``predict_set``.
    memory, verbose
        As for ``sklearn.pipeline.make_pipeline``.

    Returns
    -------
    CautiousPipeline

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import StandardScaler
    >>> from cautious.models import AbstainingClassifier, make_cautious_pipeline
    >>> careful = AbstainingClassifier(LogisticRegression(), rule_params={"threshold": 0.9})
    >>> model = make_cautious_pipeline(StandardScaler(), careful)
    >>> list(model.named_steps)
    ['standardscaler', 'abstainingclassifier']
    """
    named = make_pipeline(*steps, memory=memory, verbose=verbose)
    return CautiousPipeline(named.steps, memory=memory, verbose=verbose)


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
