"""What fitted classifiers answer, also out of fold, with the classes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from cautious._cases import sorted_classes
from cautious._checks import as_codes, check_choice, check_truth, check_weight, few_labels
from cautious._labels import binary_classes
from cautious._typing import Floats, Labels
from cautious.errors import shown

if TYPE_CHECKING:
    from typing import Self

_METHODS = ("predict_proba", "decision_function")

Answer = TypeVar("Answer")


def _owner(estimator: Any, name: str) -> Any:
    """Find who has an attribute: an estimator, or the one in its pipeline or search."""
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.pipeline import Pipeline

    while not hasattr(estimator, name):
        if isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        elif isinstance(estimator, BaseSearchCV):
            estimator = getattr(estimator, "best_estimator_", estimator.estimator)
        else:
            break
    return estimator


def can_answer(estimator: Any, method: str) -> bool:
    """Tell whether an estimator, or the one in its pipeline or search, has a method."""
    return hasattr(_owner(estimator, method), method)


def empty_sets(estimator: Any) -> str:
    """Tell what the empty sets of an estimator mean: "wrong" if it says so, otherwise "error"."""
    return "wrong" if getattr(_owner(estimator, "empty"), "empty", None) == "wrong" else "error"


def ask_folds(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Sequence[Any] | npt.ArrayLike,
    ask: Callable[[Any, Any], Answer],
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> tuple[Labels, list[Answer], Floats]:
    """Ask each model of a cross-validation about the examples that it had not seen."""
    from sklearn.utils import _safe_indexing

    for key, option in (("estimator", "return_estimator"), ("indices", "return_indices")):
        if key not in cv_results:
            raise ValueError(
                f"cv_results has no {shown(key)}; call cross_validate with {option}=True."
            )
    truth = check_truth(y, name="y")
    weight = check_weight(sample_weight, len(truth))
    folds = [np.asarray(fold) for fold in cv_results["indices"]["test"]]
    answers = [
        ask(estimator, _safe_indexing(X, fold))
        for estimator, fold in zip(cv_results["estimator"], folds, strict=True)
    ]
    rows = np.concatenate(folds)
    return truth[rows], answers, weight[rows]


def outputs_of(estimator: Any, X: Any, method: str) -> tuple[npt.NDArray[Any], Labels]:
    """Answers of a fitted estimator and the classes of their columns."""
    from sklearn.pipeline import Pipeline

    ask = getattr(estimator, method, None)
    if ask is not None:
        return np.asarray(ask(X)), np.asarray(estimator.classes_)
    if method == "predict_proba":
        raise TypeError(
            f"{type(estimator).__name__} has no predict_proba; calibrate it first, for example "
            "with CalibratedClassifierCV."
        )
    if hasattr(estimator, "best_estimator_"):
        return outputs_of(estimator.best_estimator_, X, method)
    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        return outputs_of(estimator[-1], estimator[:-1].transform(X), method)
    raise TypeError(
        f"{type(estimator).__name__} has no predict_set; wrap the classifier first, for example in "
        "cautious.models.AbstainingClassifier."
    )


def pooled_outputs(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Sequence[Any] | npt.ArrayLike,
    method: str,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> tuple[Labels, npt.NDArray[Any], Labels, Floats]:
    """Pool the answers of a cross-validation, each by a model that had not seen the example."""
    truth, answers, weight = ask_folds(
        cv_results,
        X,
        y,
        lambda estimator, rows: outputs_of(estimator, rows, method),
        sample_weight=sample_weight,
    )
    every = [check_truth(y, name="y"), *(known for _, known in answers)]
    classes = sorted_classes(np.concatenate(every))
    aligned = []
    for outputs, known in answers:
        full = np.zeros((len(outputs), len(classes)), dtype=outputs.dtype)
        full[:, as_codes(known, classes, name="classes_")] = outputs
        aligned.append(full)
    return truth, np.concatenate(aligned), classes, weight


def estimator_scores(
    estimator: Any, X: Any, *, pos_label: Any = None, response_method: str = "auto"
) -> tuple[Floats, Any]:
    """Score examples for the positive class with a fitted classifier."""
    classes = np.asarray(getattr(estimator, "classes_", None))
    if classes.ndim != 1:
        raise TypeError(
            f"estimator is {shown(estimator)}, which has no classes_; give a fitted classifier."
        )
    if pos_label is None:
        if len(classes) != 2:
            raise ValueError(
                f"{type(estimator).__name__} knows {len(classes)} classes {few_labels(classes)}; "
                "say with pos_label= which one stands against the rest."
            )
        pos_label = binary_classes(classes.tolist())[1]
    if pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label is {shown(pos_label)}, which is not among the classes "
            f"{few_labels(classes)} of {type(estimator).__name__}; name one of them."
        )
    column = classes.tolist().index(pos_label)
    check_choice(response_method, "response_method", ("auto", *_METHODS))
    names = _METHODS if response_method == "auto" else (response_method,)
    ask = next((getattr(estimator, name) for name in names if hasattr(estimator, name)), None)
    if ask is None:
        raise TypeError(
            f"{type(estimator).__name__} has no {' or '.join(names)}; a score for the positive "
            "class is needed."
        )
    response = np.asarray(ask(X), dtype=np.float64)
    if response.ndim == 2:
        return response[:, column], pos_label
    # A lone decision function speaks for the second class.
    return (response if column == 1 else -response), pos_label


def pooled_scores(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Sequence[Any] | npt.ArrayLike,
    *,
    pos_label: Any = None,
    response_method: str = "auto",
    sample_weight: npt.ArrayLike | None = None,
) -> tuple[Labels, Floats, Any, Floats]:
    """Pool the out-of-fold scores of a cross-validation."""

    def ask(estimator: Any, rows: Any) -> Floats:
        nonlocal pos_label  # what the first fold takes for positive is so in the others
        score, pos_label = estimator_scores(
            estimator, rows, pos_label=pos_label, response_method=response_method
        )
        return score

    truth, scores, weight = ask_folds(cv_results, X, y, ask, sample_weight=sample_weight)
    return truth, np.concatenate(scores), pos_label, weight


def question(asks: str, options: dict[str, Any]) -> tuple[str, Any, Any, dict[str, Any]]:
    """Give the argument that names classes, who asks a model or all folds, and how it asks."""
    if asks in ("predict_proba", "predict_set"):
        return "classes", outputs_of, pooled_outputs, {"method": asks}
    method = options.pop("response_method", "auto") if asks == "score" else "predict_proba"
    how = {"pos_label": options.pop("pos_label", None), "response_method": method}
    return "pos_label", estimator_scores, pooled_scores, how


class FromEstimator:
    """Makes curves of fitted classifiers, as well as of predictions.

    A subclass has ``from_predictions(y_true, outputs, *, sample_weight, …)`` and says in ``_asks``
    what the outputs are: class probabilities (then it also takes `classes`), prediction sets (the
    same), or of two classes the score or the probability of the positive one (then `pos_label`).
    """

    _asks: ClassVar[Literal["predict_proba", "predict_set", "score", "probability"]]

    @classmethod
    def from_predictions(cls, *args: Any, **options: Any) -> Self:
        """Make it of true labels and predictions."""
        raise NotImplementedError

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Make it of a fitted classifier on test data.

        Parameters
        ----------
        estimator : fitted classifier
            With ``classes_``, and with ``predict_proba`` or ``predict_set``, whatever
            :meth:`from_predictions` takes; for scores ``decision_function`` will do, too.
        X, y : array-like
            Test examples and their true labels.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        **options
            As in :meth:`from_predictions`; of two classes `pos_label` is by default the second.
            For scores `response_method` ("auto", "predict_proba" or "decision_function") says what
            to ask the classifier.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from cautious.curves import AbstentionCostSurface
        >>> X, y = make_classification(200, random_state=0)
        >>> model = GaussianNB().fit(X[:100], y[:100])
        >>> round(AbstentionCostSurface.from_estimator(model, X[100:], y[100:]).vacc(), 3)
        0.018
        """
        key, ask, _, how = question(cls._asks, options)
        outputs, known = ask(estimator, X, **how)
        given = {key: known, "sample_weight": sample_weight}
        return cls.from_predictions(y, outputs, **given, **options)
