"""Every model is at home in scikit-learn, and keeps the contract of a cautious classifier."""

from dataclasses import dataclass

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
from tests.scikit_learn import parametrize_with_checks

from cautious import models
from cautious.costs import ordinal
from cautious.decision import threshold_rule
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
    RandomMemberClassifier,
    TunedAbstainingClassifierCV,
    UnknownClassClassifier,
    check_cautious_estimator,
)
from cautious.preparation import MDLDiscretizer

WEIGHTED = [
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]
BAYES, LINE = GaussianNB(), LogisticRegression()
TREES = RandomForestClassifier(n_estimators=3, random_state=0)
PLAIN = [("bayes", BAYES), ("line", LINE), ("tree", DecisionTreeClassifier(max_depth=2))]
CAREFUL = [(name, AbstainingClassifier(member)) for name, member in PLAIN]
PROMISE = {"max_error": 0.3, "confidence_level": 0.6}
CONFORMAL = [
    ConformalClassifier(LINE, confidence_level=0.6, random_state=0),
    ConformalClassifier(
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
    DelegatingClassifier([("line", LINE), ("bayes", BAYES)], rules=0.9),
    DelegatingClassifier(
        [("bayes", BAYES), ("line", LINE)],
        rules=[0.99, AtLeast(0.8)],
        train_on="all",
        last="abstain",
    ),
]
CREDAL = [
    NaiveCredalClassifier(),
    NaiveCredalClassifier(idm="local"),
    NaiveCredalClassifier(idm="local", epsilon=0.1, missing="conservative"),
    LazyNaiveCredalClassifier(),
    CredalModelAveragingClassifier(),
    CredalModelAveragingClassifier(prior="common"),
    CredalTreeClassifier(),
    CredalTreeClassifier(s=2.5, missing="conservative", max_depth=2),
]
DICHOTOMIES = [
    NestedDichotomyClassifier(n_candidates=3, random_state=0),
    NestedDichotomyForestClassifier(n_estimators=3, random_state=0),
    NestedDichotomyForestClassifier(BAYES, n_estimators=3, doubt=1.0, random_state=0),
]
TUNED = [
    TunedAbstainingClassifierCV(LINE, max_abstention=0.2, cv=2),
    TunedAbstainingClassifierCV(BAYES, max_error=0.05, cv=3, per="case"),
]
DRAWN = RandomMemberClassifier(
    # So bold a rule that scikit-learn's easy tasks leave nothing to draw.
    AbstainingClassifier(LINE, rule_params={"threshold": 0.4}),
    random_state=0,
)
NEWER_CHECKS = parse_version(sklearn.__version__) >= parse_version("1.7")


def expected_failures(estimator):
    """Name the checks of scikit-learn that a model cannot pass, and why."""
    match estimator:
        case models.CautiousPipeline():
            names = "check_estimators_overwrite_params", "check_dont_overwrite_parameters"
            return dict.fromkeys(names, "a pipeline fits its steps in place")
        case CautiousForestClassifier():
            return dict.fromkeys(WEIGHTED, "bootstrap samples and folds are drawn by position")
        case ConformalClassifier():
            # An older check of sparse data is too weak to see it in the folds of "cross".
            weak = estimator.method == "cross" and not NEWER_CHECKS
            return dict.fromkeys(WEIGHTED[: 1 if weak else 2], "rows are held out one by one")
        case HierarchicalClassifier() if estimator.max_error is not None:
            names = [*WEIGHTED[:1], "check_all_zero_sample_weights_error"]
            names.append("check_classifiers_one_label_sample_weights")
            kinds = "list", "not_an_array", "not_overwritten", "pandas_series", "shape"
            names += [f"check_sample_weights_{kind}" for kind in kinds]
            return dict.fromkeys(names, "an exact promise counts cases, not weights")
        case CautiousSearchCV():
            return {WEIGHTED[0]: "folds are cut by position"}
        case DelegatingClassifier() if estimator.train_on == "delegated":
            return {WEIGHTED[0]: "folds are cut by position"}
        case TunedAbstainingClassifierCV() if estimator.max_error:
            words = "answers by its window, not by the larger probability"
            return {"check_classifiers_train": words}
    return {}


@pytest.mark.filterwarnings("ignore::cautious.errors.ContinuousFeaturesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.filterwarnings("ignore:there are . examples to conformalise on")
@pytest.mark.filterwarnings("ignore:only [0-9]+ of [0-9]+ examples came down")
@pytest.mark.filterwarnings("ignore:.* calibration rows also occur among the training rows")
@pytest.mark.filterwarnings("ignore:unknown is 'unknown', but the labels in y are numbers")
@pytest.mark.filterwarnings("ignore:.*Nothing can be promised")
@pytest.mark.filterwarnings("ignore:the .* examples that the estimator is fitted on are all of")
@parametrize_with_checks(
    [
        CautiousPipeline.from_steps(StandardScaler(), AbstainingClassifier(BAYES)),
        CautiousForestClassifier(TREES),
        *CREDAL,
        CautiousSearchCV(NaiveCredalClassifier(), {"s": [0.1, 1.0]}, error_score="raise"),
        *DICHOTOMIES,
        AbstainingClassifier(LINE),
        CertifiedAbstainingClassifier(BAYES, **PROMISE),
        *CONFORMAL,
        DeferringClassifier(BAYES),
        DeferringClassifier(BAYES, **PROMISE, random_state=0),
        *DELEGATING,
        CautiousEnsembleClassifier(PLAIN),
        CautiousEnsembleClassifier(CAREFUL, rule="votes"),
        HierarchicalClassifier(LINE),
        HierarchicalClassifier(BAYES, **PROMISE, random_state=0),
        NondeterministicClassifier(LINE),
        NoveltyRefusingClassifier(
            LINE,
            IsolationForest(n_estimators=5, random_state=0),
            max_false_refusals=0.5,
            random_state=0,
        ),
        NoveltyRefusingClassifier(
            NaiveCredalClassifier(), KernelDensity(), max_false_refusals=0.5, random_state=0
        ),
        UnknownClassClassifier(LINE),
        OrdinalClassifier(LINE),
        DRAWN,
        *TUNED,
    ],
    expected_failed_checks=expected_failures,
)
def test_at_home_in_scikit_learn(estimator, check):
    check(estimator)


def two_best(p):
    return p >= np.sort(p, axis=1)[:, [-2]]


@pytest.mark.parametrize(
    "estimator",
    [
        CautiousPipeline.from_steps(NaiveCredalClassifier(s=2.0)),
        CautiousPipeline.from_steps(
            StandardScaler(), CautiousPipeline.from_steps(MDLDiscretizer(), NaiveCredalClassifier())
        ),
        *CREDAL,
        NaiveCredalClassifier(epsilon=0.1, missing="conservative"),
        # Symmetric if reversed.
        NaiveCredalClassifier(costs=ordinal(3)),
        NaiveCredalClassifier(idm="local", costs=ordinal(3)),
        CautiousSearchCV(NaiveCredalClassifier(), {"s": [0.5, 2.0]}),
        LazyNaiveCredalClassifier(n_jobs=2),
        CredalTreeClassifier(costs=ordinal(3)),
        CautiousEnsembleClassifier(PLAIN),
        CautiousEnsembleClassifier(CAREFUL, rule="votes"),
        CautiousEnsembleClassifier(
            [("credal", NaiveCredalClassifier()), *CAREFUL[:1]], rule="votes"
        ),
        NoveltyRefusingClassifier(BAYES, GaussianMixture(), per_class=True, max_false_refusals=0.2),
        NoveltyRefusingClassifier(
            AbstainingClassifier(BAYES), GaussianMixture(), max_false_refusals=0.2
        ),
        UnknownClassClassifier(BAYES, "?"),
        UnknownClassClassifier(AbstainingClassifier(BAYES), "?"),
    ],
)
@pytest.mark.filterwarnings("ignore:unknown is .*, but the labels in y are numbers")
def test_keeps_the_contract(estimator):
    check_cautious_estimator(estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        # Folds, parts held out and decompositions are drawn with the classes in their order; a
        # logistic regression converges to slightly other numbers with the classes turned round.
        CautiousPipeline.from_steps("passthrough", AbstainingClassifier(BAYES)),
        CautiousPipeline.from_steps(StandardScaler(), TUNED[0]),
        *(
            CautiousForestClassifier(TREES, rule)
            for rule in ("cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr")
        ),
        *DICHOTOMIES,
        NestedDichotomyClassifier(costs=ordinal(3), ordinal=True, scoring="u80"),
        NestedDichotomyForestClassifier(n_estimators=5, costs=ordinal(3)),
        AbstainingClassifier(LINE),
        AbstainingClassifier(LINE, "chow", {"reject_cost": 0.3}),
        AbstainingClassifier(BAYES, two_best),
        AbstainingClassifier(NaiveCredalClassifier(), "reject", {"t": 0.8}),
        CertifiedAbstainingClassifier(BAYES, **PROMISE, random_state=0),
        *CONFORMAL,
        ConformalClassifier(BAYES, empty="best", random_state=0),
        DeferringClassifier(BAYES),
        *DELEGATING,
        DelegatingClassifier([("tree", CredalTreeClassifier()), ("ncc", NaiveCredalClassifier())]),
        HierarchicalClassifier(BAYES),
        HierarchicalClassifier(BAYES, **PROMISE, random_state=0),
        NondeterministicClassifier(LINE),
        NondeterministicClassifier(BAYES, utility="u80"),
        NondeterministicClassifier(NaiveCredalClassifier(s=4.0), lower=True),
        OrdinalClassifier(BAYES),
        DRAWN,
        RandomMemberClassifier(AbstainingClassifier(BAYES), random_state=1),
        *TUNED,
        TunedAbstainingClassifierCV(
            BAYES, costs=[[0, 1, 1], [1, 0, 1], [1, 1, 0], [0.3, 0.3, 0.3]]
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:only [0-9]+ of [0-9]+ examples came down")
@pytest.mark.filterwarnings("ignore:Nothing can be promised")
def test_keeps_the_contract_but_for_the_order_of_labels(estimator):
    check_cautious_estimator(estimator, label_order_matters=True)
