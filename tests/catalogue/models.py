"""The models that laws are about: every estimator of ``cautious.models``, ready to be fitted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import has_fit_parameter
from tests.catalogue.strategies import N_VALUES, Examples

import cautious.models
from cautious.models import (
    AbstainingClassifier,
    CautiousEnsembleClassifier,
    CautiousForestClassifier,
    CautiousPipeline,
    CautiousSearchCV,
    CertifiedAbstainingClassifier,
    ConformalClassifier,
    CredalModelAveragingClassifier,
    CredalTreeClassifier,
    DeferringClassifier,
    DelegatingClassifier,
    HierarchicalClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
    NestedDichotomyClassifier,
    NestedDichotomyForestClassifier,
    NondeterministicClassifier,
    NoveltyRefusingClassifier,
    OrdinalClassifier,
    TunedAbstainingClassifierCV,
)
from cautious.models.discrete import DiscreteClassifier
from cautious.models.naive_credal.counts import CountingClassifier

PUBLIC = {
    name: kind
    for name in cautious.models.__all__
    if inspect.isclass(kind := getattr(cautious.models, name)) and issubclass(kind, BaseEstimator)
}
"""The models there are; each must have an entry below."""


class RoundedBayes(CategoricalNB):
    """Naive Bayes without the last digits, which depend on the order that features are added in.

    Cases of equal probability have equal scores, in any order of features and classes. So a law is
    about what a model does with scores, not about which of them are told apart by rounding.
    """

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X).round(12)


def bayes(**params: Any) -> Any:
    return RoundedBayes(min_categories=N_VALUES, **params)


@dataclass(frozen=True)
class Model:
    """How to make a model, and what makes it more cautious.

    Attributes
    ----------
    make : callable
        From parameters to an estimator; everything random is seeded.
    caution : tuple (parameter, settings), optional
        A parameter with settings in order of growing caution.
    """

    make: Callable[..., Any]
    caution: tuple[str, Sequence[Any]] | None = None

    @property
    def kind(self) -> type:
        return type(self.make())

    def fitted(self, case: Examples, weight: Any = None, **params: Any) -> Any:
        given = {} if weight is None else {"sample_weight": weight}
        return self.make(**params).fit(case.X, case.y, **given)

    def answers(self, case: Examples, weight: Any = None, **params: Any) -> dict[str, Any]:
        return answers(self.fitted(case, weight, **params), case.rows)


def answers(fitted: Any, rows: Any) -> dict[str, Any]:
    """All that a fitted model says about some rows."""
    said = {"sets": fitted.predict_set(rows), "proba": fitted.predict_proba(rows)}
    if hasattr(fitted, "predict_proba_bounds"):
        said["lower"], said["upper"] = fitted.predict_proba_bounds(rows)
    return said


def abstaining(threshold: float = 0.75) -> Any:
    return AbstainingClassifier(bayes(), rule_params={"threshold": threshold})


def conformal(**params: Any) -> Any:
    # An empty set that counts as abstaining would fill up again with a lower level.
    given = {"confidence_level": 0.6, "calibration_size": 0.5, "empty": "best"} | params
    return ConformalClassifier(bayes(), random_state=0, **given)


def pipeline(s: float = 1.0) -> Any:
    return CautiousPipeline.from_steps(FunctionTransformer(), NaiveCredalClassifier(s=s))


def delegating(rules: float = 0.75) -> Any:
    lazy = LazyNaiveCredalClassifier(n_neighbors=4, step=4)
    return DelegatingClassifier([("bayes", bayes()), ("lazy", lazy)], rules=rules, train_on="all")


def deferring(**params: Any) -> Any:
    return DeferringClassifier(bayes(), cv=2, **params)


def hierarchical(**params: Any) -> Any:
    return HierarchicalClassifier(bayes(), **params)


def ordered(**params: Any) -> Any:
    return OrdinalClassifier(bayes(), **params)


def refusing(**params: Any) -> Any:
    given = {"max_false_refusals": 0.3, "calibration_size": 0.5, "random_state": 0} | params
    return NoveltyRefusingClassifier(bayes(), KernelDensity(), **given)


def ensemble(**params: Any) -> Any:
    members = [("bayes", bayes()), ("flat", bayes(alpha=9.0))]
    return CautiousEnsembleClassifier(members, **params)


def tuned(max_abstention: float = 0.3, **params: Any) -> Any:
    goal = {} if "costs" in params else {"max_abstention": max_abstention}
    return TunedAbstainingClassifierCV(bayes(), cv=2, **goal, **params)


def certified(**params: Any) -> Any:
    # So generous a limit that there is something to promise of any handful of cases.
    given = {"max_error": 0.95, "confidence_level": 0.5, "random_state": 0} | params
    return CertifiedAbstainingClassifier(bayes(), cv=2, **given)


def nested(**params: Any) -> Any:
    given = {"n_candidates": 3, "doubt": 1.0, "random_state": 0} | params
    return NestedDichotomyClassifier(bayes(), **given)


def forest(**params: Any) -> Any:
    given = {"n_estimators": 3, "doubt": 1.0, "random_state": 0} | params
    return NestedDichotomyForestClassifier(bayes(), **given)


def grown() -> Any:
    # No draws but of features that split equally well, which the seed settles.
    return RandomForestClassifier(3, bootstrap=False, max_features=None, random_state=0)


def cautious_forest(**params: Any) -> Any:
    return CautiousForestClassifier(grown(), **{"rule": "ave"} | params)


def searched(s: Sequence[float] = (0.1, 4.0)) -> Any:
    return CautiousSearchCV(NaiveCredalClassifier(), {"s": list(s)}, cv=2)


SUBJECTS = {
    "AbstainingClassifier": Model(abstaining, ("threshold", (0.5, 0.6, 0.9))),
    "CautiousEnsembleClassifier": Model(ensemble, ("threshold", (0.3, 0.5, 0.8))),
    "CautiousForestClassifier": Model(cautious_forest, ("s", (0.1, 1.0, 4.0))),
    "CautiousPipeline": Model(pipeline, ("s", (0.1, 1.0, 4.0))),
    "CautiousSearchCV": Model(searched, ("s", ((0.1,), (1.0,), (4.0,)))),
    "CertifiedAbstainingClassifier": Model(certified),
    "ConformalClassifier": Model(conformal, ("confidence_level", (0.5, 0.6, 0.7))),
    "CredalModelAveragingClassifier": Model(
        CredalModelAveragingClassifier, ("inclusion", ((0.5, 0.5), (0.3, 0.6), (0.1, 0.9)))
    ),
    "CredalTreeClassifier": Model(CredalTreeClassifier, ("s", (0.1, 1.0, 4.0))),
    "DeferringClassifier": Model(deferring),
    "DelegatingClassifier": Model(delegating, ("rules", (0.5, 0.7, 0.9))),
    "HierarchicalClassifier": Model(hierarchical, ("threshold", (0.5, 0.7, 0.9))),
    "LazyNaiveCredalClassifier": Model(
        lambda **params: LazyNaiveCredalClassifier(n_neighbors=4, step=4, **params),
        ("s", (0.1, 1.0, 4.0)),
    ),
    "NaiveCredalClassifier": Model(NaiveCredalClassifier, ("s", (0.1, 1.0, 4.0))),
    "NestedDichotomyClassifier": Model(nested, ("doubt", (0.0, 1.0, 4.0))),
    "NestedDichotomyForestClassifier": Model(forest, ("doubt", (0.0, 1.0, 4.0))),
    "NondeterministicClassifier": Model(
        lambda **params: NondeterministicClassifier(bayes(), **params),
        ("utility", ("u55", "u65", "u80")),
    ),
    "NoveltyRefusingClassifier": Model(refusing, ("max_false_refusals", (0.2, 0.3, 0.6))),
    "OrdinalClassifier": Model(ordered, ("width", (0.4, 0.2, 0.05))),
    "TunedAbstainingClassifierCV": Model(tuned, ("max_abstention", (0.0, 0.3, 0.6))),
}


DISCRETE = {n: m for n, m in SUBJECTS.items() if issubclass(m.kind, DiscreteClassifier)}
COUNTING = {n: m for n, m in SUBJECTS.items() if issubclass(m.kind, CountingClassifier)}
WEIGHTED = {n: m for n, m in SUBJECTS.items() if has_fit_parameter(m.make(), "sample_weight")}
CREDAL = {n: m for n, m in SUBJECTS.items() if hasattr(m.kind, "predict_proba_bounds")}
COSTED = {n: m for n, m in SUBJECTS.items() if "costs" in inspect.signature(m.kind).parameters}
CAUTIOUS = {n: m for n, m in SUBJECTS.items() if m.caution is not None} | {
    "NaiveCredalClassifier(idm='local')": Model(
        lambda **params: NaiveCredalClassifier(idm="local", **params), ("s", (0.1, 1.0, 4.0))
    )
}
