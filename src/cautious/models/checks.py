"""The contract of a cautious classifier, checked.

scikit-learn's ``check_estimator`` checks that an estimator is at home in scikit-learn;
:func:`check_cautious_estimator` checks what comes on top.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from cautious._typing import Floats, Ints, Mask
from cautious.metrics import make_set_scorer
from cautious.models.pipeline import CautiousPipeline
from cautious.predictions._estimators import empty_sets

_NAMES = np.array(["ash", "birch", "cedar"])
# What rounding may add to a probability.
_SLACK = 1e-7


def check_cautious_estimator(estimator: Any, *, label_order_matters: bool = False) -> None:
    """Check that an estimator keeps the contract of a cautious classifier.

    The contract: ``predict_set`` gives a boolean mask of shape (n, K), columns in ``classes_``
    order and no row empty, unless the estimator says by an attribute ``empty="wrong"`` that it
    means empty sets as answers; ``predict`` always names a class; probabilities, where there are
    any, lie within the bounds, where there are any, and the bounds are reachable; the estimator can
    be cloned, pickled, fitted on strings, frames and relabelled classes, answers a row the same
    whatever rows come with it (unless it is tagged ``non_deterministic``, as one that draws is) and
    the same again when fitted again, and works as the last step of a
    :class:`CautiousPipeline` and in ``cross_validate`` and ``GridSearchCV`` with set scorers.

    Parameters
    ----------
    estimator : estimator
        An unfitted instance, or a pipeline; it is cloned, never fitted itself. Every
        ``random_state`` in it is fixed in the clones.
    label_order_matters : bool, default=False
        Whether the answers may depend on the order of the labels, as with ordinal costs or with
        decompositions of the classes drawn at random. Relabelling is then not checked.

    Raises
    ------
    AssertionError
        Says which part of the contract is broken, and how.

    Examples
    --------
    >>> from cautious.models import NaiveCredalClassifier, check_cautious_estimator
    >>> check_cautious_estimator(NaiveCredalClassifier(s=2.0))
    """
    subject = _Subject(estimator)
    tags = get_tags(estimator)
    is_classifier = tags.classifier_tags is not None
    subject.must(is_classifier, " is not a classifier; inherit from a cautious mixin.")
    X, y = _examples(3 if tags.classifier_tags.multi_class else 2)
    _check_unfitted(subject, X)
    kept_X, kept_y = X.copy(), y.copy()
    model = subject.fitted(X, y)
    sets = model.predict_set(X)
    subject.must(np.array_equal(X, kept_X), " changed X.")
    subject.must(np.array_equal(y, kept_y), " changed y.")
    _check_sets(subject, model, sets, X, y)
    _check_predictions(subject, model, X)
    if hasattr(model, "predict_proba_bounds"):
        _check_bounds(subject, model, X)
    subject.same_sets(model.predict_set(X), sets, "when asked twice")
    subject.same_sets(subject.fitted(X, y).predict_set(X), sets, "when fitted again")
    subject.same_sets(pickle.loads(pickle.dumps(model)).predict_set(X), sets, "after pickling")
    parameters = clone(model).get_params(deep=False)
    kept = parameters.keys() == model.get_params(deep=False).keys()
    subject.must(kept, " loses parameters when cloned.")
    if not tags.non_deterministic:
        subject.same_sets(model.predict_set(X[::3]), sets[::3], "when other rows are left out")
        subject.same_sets(model.predict_set(X[::-1]), sets[::-1], "when the rows are turned round")
        subject.same_sets(model.predict_set(X[:1]), sets[:1], "to a single row")
    frame = pd.DataFrame(X, columns=["north", "east", "south", "west"])
    framed = subject.fitted(frame, pd.Series(y))
    subject.same_sets(framed.predict_set(frame), sets, "to a DataFrame")
    for kind in (str, object):
        named = subject.fitted(X, _NAMES[y].astype(kind))
        subject.same_sets(named.predict_set(X), sets, "when the labels are strings")
        given_back = np.isin(named.predict(X), _NAMES).all()
        subject.must(given_back, ".predict does not give the string labels back.")
    if not label_order_matters:
        turned = subject.fitted(X, y.max() - y).predict_set(X)[:, ::-1]
        subject.same_sets(turned, sets, "when the classes are renamed in another order")
    same = FunctionTransformer(feature_names_out="one-to-one")
    for output in ("default", "pandas"):
        inside = CautiousPipeline.from_steps(same, subject.new()).set_output(transform=output)
        when = f"as the last step of a CautiousPipeline, set_output(transform={output!r})"
        subject.same_sets(inside.fit(X, y).predict_set(X), sets, when)
    _check_model_selection(subject, X, y)


class _Subject:
    """The estimator under examination: makes fitted clones and knows its name."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.name = type(estimator).__name__

    def new(self) -> Any:
        copy = clone(self.estimator)
        seeds = [key for key in copy.get_params() if key.split("__")[-1] == "random_state"]
        return copy.set_params(**dict.fromkeys(seeds, 0))

    def fitted(self, X: Any, y: Any) -> Any:
        model = self.new()
        self.must(model.fit(X, y) is model, ".fit must return the estimator itself.")
        return model

    def must(self, right: object, otherwise: str) -> None:
        if not right:
            raise AssertionError(self.name + otherwise)

    def same_sets(self, ours: Mask, theirs: Mask, when: str) -> None:
        differing = np.flatnonzero((ours != theirs).any(axis=1))
        assert not len(differing), (
            f"{self.name}.predict_set answers differently {when}: row {differing[0]} is "
            f"{ours[differing[0]].tolist()}, was {theirs[differing[0]].tolist()}."
        )


def _examples(n_classes: int) -> tuple[Floats, Ints]:
    """Make small discrete data: informative whole numbers, with room for doubt."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % n_classes
    told = rng.random((120, 4)) < [0.8, 0.6, 0.4, 0.0]
    return np.where(told, y[:, None], rng.integers(n_classes, size=(120, 4))).astype(float), y


def _check_unfitted(subject: _Subject, X: Floats) -> None:
    model = subject.new()
    assert hasattr(model, "predict_set"), f"{subject.name} has no predict_set."
    rule = f"{subject.name}.predict_set must raise NotFittedError before fit"
    try:
        model.predict_set(X)
    except NotFittedError:
        return
    except Exception as error:
        raise AssertionError(f"{rule}; it raised {type(error).__name__}.") from error
    raise AssertionError(f"{rule}; it answered.")


def _check_sets(subject: _Subject, model: Any, sets: Any, X: Floats, y: Ints) -> None:
    classes, labels, where = np.asarray(model.classes_), np.unique(y), ".predict_set"
    told = f".classes_ is {classes.tolist()}; the sorted labels are {labels.tolist()}."
    subject.must(np.array_equal(classes, labels), told)
    is_array = isinstance(sets, np.ndarray)
    subject.must(is_array, f"{where} gave a {type(sets).__name__}, not an ndarray.")
    subject.must(sets.dtype == np.bool_, f"{where} has dtype {sets.dtype}; a mask is boolean.")
    shape = (len(X), len(classes))
    subject.must(sets.shape == shape, f"{where} has shape {sets.shape}, not (n, K) = {shape}.")
    if empty_sets(model) != "wrong":
        rule = f"{subject.name}{where}: to abstain is to name all classes; the set is empty"
        _all_rows(sets.any(axis=1, keepdims=True), rule)
    try:
        model.predict_set(X[:, :-1])
    except ValueError:
        return
    subject.must(False, f"{where} must raise ValueError on X with a column too few.")


def _check_predictions(subject: _Subject, model: Any, X: Floats) -> None:
    answers, n = model.predict(X), len(X)
    shape = np.shape(answers)
    subject.must(shape == (n,), f".predict has shape {shape}, not (n,) = {(n,)}.")
    for strange in answers[~np.isin(answers, model.classes_)][:1]:
        subject.must(False, f".predict names {strange!r}, which is not in classes_.")
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(X)
        shape = (n, len(model.classes_))
        subject.must(p.shape == shape, f".predict_proba has shape {p.shape}, not (n, K).")
        subject.must(np.all(p >= -_SLACK), ".predict_proba has a value below 0.")
        subject.must(np.allclose(p.sum(axis=1), 1), ".predict_proba must sum to 1.")


def _check_bounds(subject: _Subject, model: Any, X: Floats) -> None:
    where = f"{subject.name}.predict_proba_bounds"
    bounds = model.predict_proba_bounds(X)
    pair = isinstance(bounds, tuple) and len(bounds) == 2
    assert pair, f"{where} must give (lower, upper)."
    lower, upper = bounds
    shape = (len(X), len(model.classes_))
    for side, values in (("lower", lower), ("upper", upper)):
        assert np.shape(values) == shape, f"{where}: {side} has shape {np.shape(values)}."
        _all_rows(np.abs(values - 0.5) <= 0.5 + _SLACK, f"{where}: {side} is not in [0, 1]")
    _all_rows(lower <= upper + _SLACK, f"{where}: lower exceeds upper")
    rest_low = lower.sum(axis=1, keepdims=True) - lower
    rest_high = upper.sum(axis=1, keepdims=True) - upper
    _all_rows(lower + rest_high >= 1 - _SLACK, f"{where}: a lower bound is not reached")
    _all_rows(upper + rest_low <= 1 + _SLACK, f"{where}: an upper bound is not reached")
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(X)
        inside = (lower <= p + _SLACK) & (p <= upper + _SLACK)
        _all_rows(inside, f"{where}: predict_proba lies outside")


def _all_rows(right: Mask, message: str) -> None:
    wrong = np.flatnonzero(~right.all(axis=1))
    assert not len(wrong), f"{message} in row {wrong[0]}."


def _check_model_selection(subject: _Subject, X: Floats, y: Ints) -> None:
    options = {"scoring": make_set_scorer("u65"), "cv": 3, "error_score": "raise"}
    searches: dict[str, Callable[[], Any]] = {
        "cross_validate": lambda: cross_validate(subject.new(), X, y, **options)["test_score"],
        "GridSearchCV": lambda: GridSearchCV(subject.new(), {}, **options).fit(X, y).best_score_,
    }
    for tool, run in searches.items():
        try:
            scores = run()
        except Exception as error:
            raise AssertionError(f"{subject.name} fails in {tool} with a set scorer.") from error
        assert np.all((np.asarray(scores) >= 0) & (np.asarray(scores) <= 1)), (
            f"{subject.name} in {tool}: u65 is {scores}, not in [0, 1]."
        )
