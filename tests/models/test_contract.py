"""Every model is at home in scikit-learn, and keeps the contract of a cautious classifier."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version
from tests.catalogue.models import SUBJECTS
from tests.scikit_learn import parametrize_with_checks

from cautious import models
from cautious.costs import ordinal
from cautious.decision import threshold_rule
from cautious.models.forests import ForestRule
from cautious.preparation import MDLDiscretizer

WEIGHTED = [
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]
BAYES, LINE = GaussianNB(), LogisticRegression()
TREES = RandomForestClassifier(n_estimators=3, random_state=0)
PLAIN = [("bayes", BAYES), ("line", LINE), ("tree", DecisionTreeClassifier(max_depth=2))]
CAREFUL = [(name, models.AbstainingClassifier(member)) for name, member in PLAIN]
PROMISE = {"max_error": 0.3, "confidence_level": 0.6}
CONFORMAL = [
    models.ConformalClassifier(LINE, confidence_level=0.6, random_state=0),
    models.ConformalClassifier(
        DecisionTreeClassifier(max_depth=3, random_state=0),
        method="cross",
        cv=3,
        confidence_level=0.6,
        random_state=0,
    ),
]


@dataclass(frozen=True)
class AtLeast:
    """A rule of one's own, whose name is the same in every process that collects the tests."""

    threshold: float

    def __call__(self, p):
        return threshold_rule(p, self.threshold)


DELEGATING = [
    models.DelegatingClassifier([("line", LINE), ("bayes", BAYES)], rules=0.9),
    models.DelegatingClassifier(
        [("bayes", BAYES), ("line", LINE)],
        rules=[0.99, AtLeast(0.8)],
        train_on="all",
        last="abstain",
    ),
]
CREDAL = [
    models.NaiveCredalClassifier(),
    models.NaiveCredalClassifier(idm="local"),
    models.NaiveCredalClassifier(idm="local", epsilon=0.1, missing="conservative"),
    models.LazyNaiveCredalClassifier(),
    models.CredalModelAveragingClassifier(),
    models.CredalModelAveragingClassifier(prior="common"),
    models.CredalTreeClassifier(),
    models.CredalTreeClassifier(s=2.5, missing="conservative", max_depth=2),
]
DICHOTOMIES = [
    models.NestedDichotomyClassifier(n_candidates=3, random_state=0),
    models.NestedDichotomyForestClassifier(n_estimators=3, random_state=0),
    models.NestedDichotomyForestClassifier(BAYES, n_estimators=3, doubt=1.0, random_state=0),
]
TUNED = [
    models.TunedAbstainingClassifierCV(LINE, max_abstention=0.2, cv=2),
    models.TunedAbstainingClassifierCV(BAYES, max_error=0.05, cv=3, per="case"),
]
NEWER_CHECKS = parse_version(sklearn.__version__) >= parse_version("1.7")


def expected_failures(estimator):
    """Name the checks of scikit-learn that a model cannot pass, and why."""
    match estimator:
        case models.CautiousPipeline():
            names = "check_estimators_overwrite_params", "check_dont_overwrite_parameters"
            return dict.fromkeys(names, "a pipeline fits its steps in place")
        case models.CautiousForestClassifier():
            return dict.fromkeys(WEIGHTED, "bootstrap samples and folds are drawn by position")
        case models.ConformalClassifier():
            # An older check of sparse data is too weak to see it in the folds of "cross".
            weak = estimator.method == "cross" and not NEWER_CHECKS
            return dict.fromkeys(WEIGHTED[: 1 if weak else 2], "rows are held out one by one")
        case models.HierarchicalClassifier() if estimator.max_error is not None:
            names = [*WEIGHTED[:1], "check_all_zero_sample_weights_error"]
            names.append("check_classifiers_one_label_sample_weights")
            kinds = "list", "not_an_array", "not_overwritten", "pandas_series", "shape"
            names += [f"check_sample_weights_{kind}" for kind in kinds]
            return dict.fromkeys(names, "an exact promise counts cases, not weights")
        case models.CautiousSearchCV():
            return {WEIGHTED[0]: "folds are cut by position"}
        case models.DelegatingClassifier() if estimator.train_on == "delegated":
            return {WEIGHTED[0]: "folds are cut by position"}
        case models.TunedAbstainingClassifierCV() if estimator.max_error:
            words = "answers by its window, not by the larger probability"
            return {"check_classifiers_train": words}
    return {}


@pytest.mark.filterwarnings("ignore::cautious.errors.ContinuousFeaturesWarning")
@pytest.mark.filterwarnings("ignore::cautious.errors.NeverAbstainsWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.filterwarnings("ignore:there are . examples to conformalise on")
@pytest.mark.filterwarnings("ignore:only [0-9]+ of [0-9]+ examples came down")
@pytest.mark.filterwarnings("ignore:.* calibration rows also occur among the training rows")
@pytest.mark.filterwarnings("ignore:.*Nothing can be promised")
@pytest.mark.filterwarnings("ignore:the .* examples that the estimator is fitted on are all of")
@parametrize_with_checks(
    [
        models.CautiousPipeline.from_steps(StandardScaler(), models.AbstainingClassifier(BAYES)),
        models.CautiousForestClassifier(TREES),
        *CREDAL,
        models.CautiousSearchCV(
            models.NaiveCredalClassifier(), {"s": [0.1, 1.0]}, error_score="raise"
        ),
        *DICHOTOMIES,
        models.AbstainingClassifier(LINE),
        models.CertifiedAbstainingClassifier(BAYES, **PROMISE),
        *CONFORMAL,
        models.DeferringClassifier(BAYES),
        models.DeferringClassifier(BAYES, **PROMISE, random_state=0),
        *DELEGATING,
        models.CautiousEnsembleClassifier(PLAIN),
        models.CautiousEnsembleClassifier(CAREFUL, rule="votes"),
        models.HierarchicalClassifier(LINE),
        models.HierarchicalClassifier(BAYES, **PROMISE, random_state=0),
        models.NondeterministicClassifier(LINE),
        models.NoveltyRefusingClassifier(
            LINE,
            IsolationForest(n_estimators=5, random_state=0),
            max_false_refusals=0.5,
            random_state=0,
        ),
        models.NoveltyRefusingClassifier(
            models.NaiveCredalClassifier(), KernelDensity(), max_false_refusals=0.5, random_state=0
        ),
        models.OrdinalClassifier(LINE),
        *TUNED,
    ],
    expected_failed_checks=expected_failures,
)
def test_at_home_in_scikit_learn(estimator, check):
    check(estimator)


def two_best(p):
    return p >= np.sort(p, axis=1)[:, [-2]]


VARIANTS = [
    models.CautiousPipeline.from_steps(
        StandardScaler(),
        models.CautiousPipeline.from_steps(MDLDiscretizer(), models.NaiveCredalClassifier()),
    ),
    *CREDAL,
    models.NaiveCredalClassifier(epsilon=0.1, missing="conservative"),
    # Symmetric if reversed.
    models.NaiveCredalClassifier(costs=ordinal(3)),
    models.NaiveCredalClassifier(idm="local", costs=ordinal(3)),
    models.LazyNaiveCredalClassifier(n_jobs=2),
    models.CredalTreeClassifier(costs=ordinal(3)),
    models.CautiousEnsembleClassifier(CAREFUL, rule="votes"),
    models.CautiousEnsembleClassifier(
        [("credal", models.NaiveCredalClassifier()), *CAREFUL[:1]], rule="votes"
    ),
    models.NoveltyRefusingClassifier(
        BAYES, GaussianMixture(), per_class=True, max_false_refusals=0.2
    ),
    models.NoveltyRefusingClassifier(
        models.AbstainingClassifier(BAYES), GaussianMixture(), max_false_refusals=0.2
    ),
]
# Folds, parts held out and decompositions are drawn with the classes in their order; a logistic
# regression converges to slightly other numbers with the classes turned round.
ORDERED = [
    models.CautiousPipeline.from_steps(StandardScaler(), TUNED[0]),
    *(models.CautiousForestClassifier(TREES, rule) for rule in get_args(ForestRule)),
    models.NestedDichotomyClassifier(costs=ordinal(3), ordinal=True, scoring="u80"),
    models.NestedDichotomyForestClassifier(n_estimators=5, costs=ordinal(3)),
    models.AbstainingClassifier(LINE, "chow", {"reject_cost": 0.3}),
    models.AbstainingClassifier(BAYES, two_best),
    models.AbstainingClassifier(models.NaiveCredalClassifier(), "reject", {"t": 0.8}),
    CONFORMAL[1],
    *DELEGATING,
    models.DelegatingClassifier(
        [("tree", models.CredalTreeClassifier()), ("ncc", models.NaiveCredalClassifier())]
    ),
    models.HierarchicalClassifier(BAYES, **PROMISE, random_state=0),
    models.NondeterministicClassifier(models.NaiveCredalClassifier(s=4.0), lower=True),
    TUNED[1],
    models.TunedAbstainingClassifierCV(
        BAYES, costs=[[0, 1, 1], [1, 0, 1], [1, 1, 0], [0.3, 0.3, 0.3]]
    ),
]


@pytest.mark.parametrize("estimator", [*(one.make() for one in SUBJECTS.values()), *VARIANTS])
def test_keeps_the_contract(estimator):
    models.check_cautious_estimator(estimator)


@pytest.mark.parametrize("estimator", ORDERED)
@pytest.mark.filterwarnings("ignore:only [0-9]+ of [0-9]+ examples came down")
@pytest.mark.filterwarnings("ignore:Nothing can be promised")
def test_keeps_the_contract_but_for_the_order_of_labels(estimator):
    models.check_cautious_estimator(estimator, label_order_matters=True)


@pytest.mark.parametrize("model", [*CREDAL, *DICHOTOMIES[:2]])
def test_six_hundred_features_do_not_underflow(model):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=150)
    X = np.where(rng.random((150, 600)) < 0.15, y[:, None], rng.integers(3, size=(150, 600)))
    model.fit(X, y)
    p, (lower, upper) = model.predict_proba(X), model.predict_proba_bounds(X)
    assert ((lower <= p + 1e-9) & (p <= upper + 1e-9)).all()
    assert model.predict_set(X)[np.arange(150), y].mean() > 0.7


@pytest.mark.parametrize("name", ["CertifiedAbstainingClassifier", "DeferringClassifier"])
def test_jobs_change_no_bit(name):
    y = np.arange(90) % 2
    X = np.column_stack([y, np.random.default_rng(0).integers(3, size=90)]).astype(float)
    said = {"answers": {"expert": y}} if name == "DeferringClassifier" else {}
    one, two = (SUBJECTS[name].make(n_jobs=n).fit(X, y, **said) for n in (None, 2))
    np.testing.assert_array_equal(one.predict_set(X), two.predict_set(X))
    assert one.predict_proba(X).tobytes() == two.predict_proba(X).tobytes()


@pytest.mark.parametrize(
    "model",
    [
        *(subject.make() for subject in SUBJECTS.values()),
        models.CautiousEnsembleClassifier(PLAIN[:1], max_error=0.1),
        models.HierarchicalClassifier(BAYES, **PROMISE),
        *(models.CautiousForestClassifier(TREES, rule) for rule in get_args(ForestRule)),
    ],
)
@pytest.mark.filterwarnings("ignore::cautious.errors.NeverAbstainsWarning")
def test_a_lone_class_is_the_answer(model):
    X = np.random.default_rng(0).integers(3, size=(12, 2)).astype(float)
    model.fit(X, ["only"] * 12)
    assert model.predict_set(X[:2]).tolist() == [[True], [True]]
    assert model.predict(X[:1]).tolist() == ["only"]
