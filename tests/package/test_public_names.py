"""Names that other code relies on stay where they are."""

from importlib import import_module

import pytest

RELIED_ON = {
    "sets": "as_mask as_labels set_sizes",
    "metrics": (
        "cautious_confusion_matrix coverage_score abstention_score selective_accuracy_score "
        "error_score efficacy_score coverage_f_score capacity_score discounted_accuracy_score "
        "utility_score determinacy_score single_accuracy_score set_accuracy_score mean_set_size "
        "set_cost_score aurc_score augrc_score make_set_scorer"
    ),
    "utility": "quadratic u65 u80 logarithmic exponential f_beta",
    "costs": (
        "as_costs zero_one ordinal discounted p_discounted utility_costs f_beta_costs "
        "class_selective abellan_masegosa owa SetCosts audit"
    ),
    "credal": "ProbabilityIntervals imprecise_dirichlet",
    "decision": (
        "Rule threshold_rule class_threshold_rule ratio_rule bias_window_rule chow_rule "
        "optimal_sets maximality interval_dominance e_admissibility gamma_maximin gamma_maximax "
        "hurwicz"
    ),
    "curves": ("AbstentionCostSurface CapacityCurve ResponseCurve AbstentionROC RiskCoverageCurve"),
    "models": (
        "NaiveCredalClassifier LazyNaiveCredalClassifier CredalModelAveragingClassifier "
        "CredalTreeClassifier NondeterministicClassifier NestedDichotomyClassifier "
        "NestedDichotomyForestClassifier AbstainingClassifier TunedAbstainingClassifierCV "
        "DelegatingClassifier check_cautious_estimator"
    ),
    "preparation": "MDLDiscretizer CorrelationFeatureSelector",
    "datasets": "load_dataset list_datasets",
}


@pytest.mark.parametrize("package", RELIED_ON)
def test_names(package):
    module = import_module(f"cautious.{package}")
    for name in RELIED_ON[package].split():
        assert name in module.__all__, f"cautious.{package}.{name} is gone"
        assert getattr(module, name).__doc__


@pytest.mark.parametrize("package", RELIED_ON)
def test_all_is_true(package):
    module = import_module(f"cautious.{package}")
    assert all(hasattr(module, name) for name in module.__all__)
