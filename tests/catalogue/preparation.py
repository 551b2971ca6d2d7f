"""Laws of preparation: discretising and choosing features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from tests.catalogue.agreement import same
from tests.catalogue.law import law
from tests.catalogue.strategies import Examples, examples, renamings, seeds

import cautious.preparation
from cautious.preparation import CorrelationFeatureSelector, MDLDiscretizer

PUBLIC = {
    name
    for name in cautious.preparation.__all__
    if issubclass(getattr(cautious.preparation, name), BaseEstimator)
}
SUBJECTS: dict[str, Callable[[], Any]] = {
    "CorrelationFeatureSelector": CorrelationFeatureSelector,
    "MDLDiscretizer": MDLDiscretizer,
}


def prepared(make: Callable[[], Any], case: Examples, y: Any = None) -> np.ndarray:
    fitted = make().fit(case.X, case.y if y is None else y)
    return np.asarray(fitted.transform(case.rows))


@law("Invariance", "preparation", SUBJECTS, case=examples(), seed=seeds)
def order_of_examples(make: Callable[[], Any], case: Examples, seed: int) -> None:
    """The order of the examples does not matter."""
    order = np.random.default_rng(seed).permutation(len(case.y))
    same(prepared(make, case), prepared(make, case.chosen(order)))


@law("Invariance", "preparation", SUBJECTS, case=examples(), names=renamings(fractions=False))
def names_of_classes(make: Callable[[], Any], case: Examples, names: Any) -> None:
    """What the classes are called, and in which order, does not matter."""
    labels = names(case.n_classes)
    same(prepared(make, case), prepared(make, case, labels[case.y]))


@law("Invariance", "preparation", {"MDLDiscretizer": MDLDiscretizer}, case=examples(), seed=seeds)
def only_the_order_of_values(make: Callable[[], Any], case: Examples, seed: int) -> None:
    """Any rising function of a feature is cut into the same bins."""
    values = np.random.default_rng(seed).normal(size=case.X.shape) + case.X
    case = case._replace(X=values, rows=values)
    same(prepared(make, case), prepared(make, case._replace(X=np.exp(values), rows=np.exp(values))))


@law("Invariance", "preparation", {"MDLDiscretizer": MDLDiscretizer}, case=examples(), seed=seeds)
def features_apart(make: Callable[[], Any], case: Examples, seed: int) -> None:
    """A feature is cut the same whatever features come with it."""
    values = np.random.default_rng(seed).normal(size=case.X.shape) + case.X
    case = case._replace(X=values, rows=values)
    alone = case._replace(X=values[:, :1], rows=values[:, :1])
    same(prepared(make, case)[:, :1], prepared(make, alone))
