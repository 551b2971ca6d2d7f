"""Every public function that takes arrays: containers do not matter, and lies are named."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning
from tests.catalogue.agreement import same
from tests.fuzz.fuzz_calls import CALLS, public_names
from tests.fuzz.fuzz_containers import LIARS, disguises, plain
from tests.fuzz.fuzz_effort import attempt
from tests.fuzz.fuzz_random_calls import SLOW

from cautious import curves
from cautious._random import bootstrap_weights, percentile_interval
from cautious._typing import as_floats
from cautious.costs import p_discounted, utility_costs, zero_one
from cautious.decision import optimal_sets, threshold_rule
from cautious.metrics import SetCounts, coverage_score, utility_score
from cautious.sets import as_labels, as_mask, set_sizes
from cautious.utility import u65

NAMES = sorted(CALLS)
# Packages whose every function reads its numbers by ``as_floats`` and names the argument at fault.
STRICT = (
    "comparison",
    "costs",
    "credal",
    "curves",
    "decision",
    "metrics",
    "sets",
    "utility",
)
# Names that take no arrays, or only what another public function returns.
WITHOUT_ARRAYS = {
    "comparison.critical_difference": "two counts",
    "comparison.objective_winner": "mappings",
    "costs.Audit": "a result",
    "costs.SetCosts": "the interface",
    "costs.ordinal": "a count",
    "costs.zero_one": "a count",
    "curves.capacity_hull": "curves",
    "curves.Team": "a result",
    "decision.ClassTree": "names; see decision/test_class_tree",
    "decision.Rule": "made by its class methods; predict_set takes arrays",
    "decision.rules_from_json": "text; see decision/test_rule",
    "decision.rules_to_json": "rules",
    "datasets.list_datasets": "nothing",
    "datasets.load_dataset": "a name",
    "errors.InputError": "text",
    "errors.Message": "text",
    "errors.check_kind": "a value of any kind",
    "errors.listed": "values of any kind",
    "errors.quoted": "a value of any kind",
    "errors.shown": "a value of any kind",
    "evaluation.Application": "a result",
    "evaluation.Comparison": "a result",
    "evaluation.Evaluation": "a result",
    "evaluation.Expected": "a result",
    "evaluation.Tuning": "a result",
    "evaluation.Watch": "a result",
    "evaluation.apply": "files, frames and record batches; see tests/evaluation/test_apply.py",
    "evaluation.compare": "whatever read_predictions takes; see tests/conformance",
    "evaluation.evaluate": "whatever read_predictions takes; see tests/conformance",
    "evaluation.tune": "whatever read_predictions takes; see tests/conformance",
    "evaluation.watch": "files, frames and record batches; see tests/evaluation/test_watch.py",
    "guarantees.Certificate": "a result",
    "guarantees.Certified": "a result",
    "guarantees.DriftMonitor": "counts",
    "guarantees.RiskMonitor": "counts",
    "guarantees.certify": "what find_rule takes; see guarantees/test_certification",
    "guarantees.certify_cost": "what set_cost_score takes; see guarantees/test_cost_certificates",
    "guarantees.certify_utility": "what utility_score takes",
    "guarantees.expected_cases": "numbers",
    "metrics.CalibrationError": "a result",
    "metrics.make_set_scorer": "a name",
    "metrics.define_measure": "a decorator",
    "metrics.per_sample": "a measure",
    "metrics.with_params": "a measure",
    "models.CautiousClassifierMixin": "the interface",
    "models.CertifiedAbstainingClassifier": "so few cases carry no promise",
    "models.ConformalClassifier": "MAPIE reads its arrays",
    "models.ContinuousFeaturesWarning": "a warning",
    "models.CredalClassifierMixin": "the interface",
    "models.check_cautious_estimator": "an estimator",
    "models.make_cautious_pipeline": "estimators",
    "predictions.Cases": "a result",
    "predictions.Predictions": "a result",
    "predictions.read_predictions": "anything; see tests/predictions and tests/conformance",
    "report.build_report": "tables and files; see test_report",
    "sets.parse_set": "text",
    "utility.Utility": "the interface",
    "utility.as_utility": "a utility",
    "utility.exponential": "a number",
    "utility.f_beta": "a number",
    "utility.inversion_point": "a count",
    "utility.quadratic": "a number",
}
# Results of the curves, which nobody makes by hand.
_OF_CURVES = "ClassThresholdCurve DifferentialCostSurface FoundRule Window"
WITHOUT_ARRAYS |= {f"curves.{name}": "a result" for name in _OF_CURVES.split()}
# Packages that take the objects of others, or files.
OTHER_PACKAGES = ("displays", "experiments", "integrations", "logs")
# Pairs of lower and upper bounds are told from probabilities by being a tuple.
TUPLES_ARE_PAIRS = {("decision.reject_rule", "tuple")}
# scikit-learn's own splitting cannot cut an Index.
NOT_CUT = {("models.cross_val_predict_set", "Index")}
# Labelled tables are matched by their labels, not by the position of their rows.
BY_LABEL = {"matrix", "table", "costs", "results"}
_MISSING = frozenset({"nan", "None", "nullable NA"})
# Documented to be taken, and why.
_LEFT_OUT = _MISSING | {"inf"}  # rows without finite results are left out, with a warning
_ORDERED = frozenset({"inf", "negative"})  # scores of any kind: only their order matters
_ANY_SHAPE = frozenset({"too deep"})  # works element by element
_ACCURACIES = _MISSING | _ANY_SHAPE  # what is undefined stays so
TAKEN = {
    # Replicates may be undefined, and their intervals may end at infinity.
    ("bootstrap.percentile_interval", "replicates"): _LEFT_OUT,
    # A test that could not be made has no p-value, and does not count.
    ("comparison.holm", "p_values"): _MISSING,
    **{
        (f"comparison.{name}", "results"): _LEFT_OUT
        for name in ("compare_results", "friedman_nemenyi", "mean_ranks", "win_tie_loss")
    },
    **{
        (f"comparison.{name}", side): _LEFT_OUT
        for name in ("paired_t", "wilcoxon")
        for side in ("first", "second")
    },
    **{
        (f"curves.{name}", cost): _ANY_SHAPE
        for name in ("AbstentionCostSurface.cost", "chow_window", "roc_slopes")
        for cost in ("mu", "nu")
    },
    **{
        (f"curves.{name}", "y_score"): _ORDERED
        for name in (
            "AbstentionCostSurface",
            "find_team",
            "Staircase",
            "find_rule",
            "one_vs_rest",
        )
    },
    ("decision.window_rule", "y_score"): _ORDERED,
    ("sets.check_scores", "scores"): _ORDERED,
    ("curves.RiskCoverageCurve", "confidence"): _ORDERED,
    ("curves.RiskCoverageCurve", "y_score"): _ORDERED,
    ("curves.RiskCoverageCurve.from_losses", "confidence"): _ORDERED,
    ("curves.Staircase.from_counts", "scores"): _ORDERED,
    ("curves.vacc_test", "score_a"): _ORDERED,
    ("curves.vacc_test", "score_b"): _ORDERED,
    # A threshold that no probability meets: the class is never answered.
    ("decision.Rule.class_thresholds", "thresholds"): {"inf"},
    ("decision.class_threshold_rule", "thresholds"): {"inf"},
    ("decision.ratio_rule", "thresholds"): {"inf"},
    # A missing probability abstains.
    ("decision.Rule.predict_set", "scores"): _MISSING,
    # Cases of no known group are a group of their own.
    ("metrics.breakdown", "groups"): {"missing", "nullable NA"},
    ("metrics.conditional_containment", "groups"): {"missing", "nullable NA"},
    **{
        (f"metrics.{name}", "y_score"): _ORDERED
        for name in (
            "RiskCoverageCurve",
            "augrc_score",
            "aurc_score",
            "cautious_report",
            "excess_augrc_score",
            "excess_aurc_score",
        )
    },
    **{
        (f"utility.{name}", "m"): _ANY_SHAPE
        for name in (
            "caution_premium",
            "random_expected_utility",
        )
    },
    **{(f"utility.{name}", "x"): _ACCURACIES for name in ("logarithmic", "u65", "u80")},
}


@pytest.mark.parametrize(
    ("values", "read"),
    [([10**400, 0.5], [np.inf, 0.5]), ([-(10**400)], [-np.inf]), ([True, None], [1, np.nan])],
    ids=["large", "negative", "missing"],
)
def test_numbers_that_no_float_holds(values, read):
    np.testing.assert_array_equal(as_floats(values, "x"), read)


def test_strata_of_several_kinds():
    (batch,) = bootstrap_weights([1, 1, 1, 1], 5, strata=["a", 1, "a", 1], random_state=0)
    assert (batch[:, [0, 2]].sum(axis=1) == 2).all()


def test_an_interval_may_end_at_infinity():
    interval = percentile_interval(0.5, [0.0, 1.0, np.inf], confidence_level=0.9)
    assert (interval.low, interval.high) == (pytest.approx(0.1), np.inf)


def test_rows_of_different_lengths_are_named():
    with pytest.raises(ValueError, match="mask has rows of different lengths"):
        set_sizes([[True], [True, False]])
    with pytest.raises(TypeError, match="mask is a sparse matrix"):
        set_sizes(sparse.csr_matrix([[1, 0]]))


def test_no_public_function_is_forgotten():
    """A newcomer needs an entry in ``CALLS``, or a reason why not."""
    names = [name for name in public_names() if not name.startswith(OTHER_PACKAGES)]
    missing = [name for name in names if name not in CALLS and name not in WITHOUT_ARRAYS]
    assert missing == []
    assert [name for name in WITHOUT_ARRAYS if name not in names] == []
    assert [name for name in WITHOUT_ARRAYS if name in CALLS] == []


def untouched(call):
    """The arguments of a call, to see that none of them changes."""
    return {name: values.copy() for name, (_, values) in call.arrays.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_equal_values_in_other_containers_give_equal_answers(name):
    """One argument after another, in every container."""
    call = CALLS[name]
    before = untouched(call)
    expected = plain(call())
    for argument, (kind, values) in call.arrays.items():
        for disguise, dress in disguises(kind, values).items():
            if not fits(name, argument, disguise):
                continue
            dressed = dress(values)
            shown = repr(dressed)
            answer = plain(call(**{argument: dressed}))
            same(answer, expected, tolerance=1e-12, about=(argument, disguise))
            assert repr(dressed) == shown, (argument, disguise, "was changed")
    for argument, values in before.items():
        np.testing.assert_array_equal(call.arrays[argument][1], values)


def fits(name, argument, disguise):
    """Whether a container is documented to hold the same values for an argument."""
    if (name, disguise) in TUPLES_ARE_PAIRS | NOT_CUT:
        return False
    return disguise != "pandas, another index" or argument not in BY_LABEL


# Two Series are documented to be matched by their index, one Series by position.
TWO_SERIES = ("comparison.paired_t", "comparison.wilcoxon")
QUICK = [name for name in NAMES if not name.startswith(SLOW)]


@pytest.mark.parametrize(
    ("n", "seed"),
    [(300, 0), *(pytest.param(1000, seed, marks=pytest.mark.slow) for seed in range(1, 17))],
)
def test_every_argument_in_another_container(n, seed):
    """All arguments at once, each in a container drawn by lot."""
    rng = np.random.default_rng(seed)
    expected = {}
    for _ in range(n):
        name = rng.choice(NAMES if rng.random() < 0.05 else QUICK)
        call = CALLS[name]
        if name not in expected:
            expected[name] = plain(call())
        dressed, chosen = {}, {}
        for argument, (kind, values) in call.arrays.items():
            known = disguises(kind, values)
            known = {one: known[one] for one in known if fits(name, argument, one)}
            if name in TWO_SERIES:
                del known["pandas, another index"]
            chosen[argument] = str(rng.choice(list(known)))
            dressed[argument] = known[chosen[argument]](values)
        same(plain(call(**dressed)), expected[name], tolerance=1e-12, about=(name, chosen))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_array_of_numbers_or_labels_is_refused(name):
    """Where a package is strict, by a message that names the argument; else by no crash."""
    call = CALLS[name]
    for argument, (kind, values) in call.arrays.items():
        for lie, tell in LIARS[kind].items():
            if lie in TAKEN.get((name, argument), ()):
                continue
            with warnings.catch_warnings():
                if not name.startswith(STRICT):
                    warnings.simplefilter("ignore")
                told = tell(values)
                answer, refusal = attempt(partial(call, **{argument: told}))
            if name.startswith(STRICT):
                assert refusal is not None, (argument, lie, answer)
                assert argument in refusal, (argument, lie, refusal)


def test_what_is_documented_to_be_taken_is_taken():
    """An exception that no longer is one must go."""
    for (name, argument), lies in TAKEN.items():
        call = CALLS[name]
        kind, values = call.arrays[argument]
        for lie in sorted(lies & set(LIARS[kind])):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".* rows are left out")
                _, refusal = attempt(partial(call, **{argument: LIARS[kind][lie](values)}))
            assert refusal is None, (name, argument, lie, refusal)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_no_rows_and_one_row(name, rows):
    """Nothing to go by: an answer, nan with its own warning, or a clear refusal."""
    call = CALLS[name]
    n = max(len(values) for _, values in call.arrays.values())
    cut = {key: values[:rows] for key, (_, values) in call.arrays.items() if len(values) == n}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        _, refusal = attempt(lambda: call(**cut))
    assert refusal is None or len(refusal) > 20


@pytest.mark.parametrize("n_classes", [1000, 5000])
def test_many_classes(n_classes):
    """Thousands of classes cost thousands of columns, never a table of sets or of pairs."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(n_classes), size=4)
    truth = np.arange(4)
    labels = np.arange(n_classes)
    mask = threshold_rule(p, 0.0)
    assert set_sizes(mask).tolist() == [1, 1, 1, 1]
    assert coverage_score(truth, mask, classes=labels) == 1
    best = optimal_sets(p, utility="u65")
    np.testing.assert_array_equal(best, optimal_sets(p, costs=utility_costs(n_classes, u65)))
    assert 0 <= utility_score(truth, best, classes=labels) <= 1
    written = as_labels(best, labels)
    np.testing.assert_array_equal(as_mask(written, labels), best)
    counts = SetCounts.from_predictions(truth, best, classes=labels)
    assert counts.n == 4


def test_costs_of_sets_of_many_classes():
    costs = p_discounted(zero_one(500), 0.5)
    mask = np.zeros((3, 500), dtype=bool)
    mask[:, :3] = True
    assert costs.of(mask).shape == (3, 500)
    with pytest.raises(ValueError, match="2\\^500"):
        costs.table()


@pytest.mark.parametrize(
    "labels",
    [
        ["a", 1],
        [1, 2.5],
        [True, "x"],
        [("a", "b"), ("c",)],
        [np.datetime64("2020"), np.datetime64("2021")],
        [b"a", b"b"],
        ["é", "e\u0301"],
        ["a", "a "],
        ["a", "a\0"],
        [10**30, -(10**30)],
    ],
    ids=["kinds", "numbers", "bool", "tuples", "dates", "bytes", "accents", "space", "NUL", "big"],
)
def test_labels_of_any_kind_stay_apart(labels):
    """Whatever labels are, no two are taken for one, and none changes its kind."""
    truth = np.empty(4, dtype=object)
    truth[:] = [labels[0], labels[1], labels[0], labels[1]]
    mask = np.array([[1, 0], [0, 1], [1, 1], [1, 0]], dtype=bool)
    assert coverage_score(truth, mask, classes=labels) == 0.75
    assert as_labels(mask[:1], labels) == [(labels[0],)]
    score = [0.1, 0.2, 0.3, 0.4]
    stairs = curves.Staircase.from_predictions(truth, score, pos_label=labels[1])
    assert stairs.positives.tolist() == [0, 1, 0, 1]


def test_a_missing_label_is_none():
    with pytest.raises(ValueError, match="y_true is missing"):
        coverage_score([None, "x"], np.eye(2, dtype=bool), classes=["a", "x"])
    with pytest.raises(ValueError, match=r"classes\[0\] is missing"):
        coverage_score(["x", "x"], np.eye(2, dtype=bool), classes=[None, "x"])
