"""Names that other code relies on stay where they are."""

import inspect
from importlib import import_module

import pytest

import cautious

RELIED_ON = {
    "predictions": "read_predictions Predictions",
    "sets": "as_mask as_labels",
    "metrics": (
        "cautious_confusion_matrix coverage_score abstention_score selective_accuracy_score "
        "error_score efficacy_score coverage_f_score capacity_score discounted_accuracy_score "
        "utility_score determinacy_score single_accuracy_score set_accuracy_score mean_set_size "
        "set_cost_score aurc_score augrc_score make_set_scorer per_sample calibration_error"
    ),
    "utility": "quadratic u65 u80 logarithmic exponential f_beta Utility",
    "costs": (
        "as_costs zero_one ordinal discounted p_discounted utility_costs f_beta_costs "
        "class_selective abellan_masegosa owa SetCosts audit"
    ),
    "credal": "ProbabilityIntervals imprecise_dirichlet",
    "decision": (
        "ClassTree ordinal_sets "
        "Rule threshold_rule class_threshold_rule ratio_rule bias_window_rule chow_rule "
        "optimal_sets maximality interval_dominance e_admissibility gamma_maximin gamma_maximax "
        "hurwicz"
    ),
    "curves": (
        "AbstentionCostSurface CapacityCurve ResponseCurve AbstentionROC RiskCoverageCurve "
        "DecisionCurve"
    ),
    "guarantees": (
        "certify risk_p_value risk_bound mean_bound Certificate RiskMonitor DriftMonitor"
    ),
    "models": (
        "CautiousForestClassifier CautiousSearchCV "
        "NaiveCredalClassifier LazyNaiveCredalClassifier CredalModelAveragingClassifier "
        "CredalTreeClassifier NondeterministicClassifier NestedDichotomyClassifier "
        "NestedDichotomyForestClassifier AbstainingClassifier TunedAbstainingClassifierCV "
        "CertifiedAbstainingClassifier DelegatingClassifier ConformalClassifier CautiousPipeline "
        "DeferringClassifier HierarchicalClassifier OrdinalClassifier cross_val_predict_set "
        "check_cautious_estimator ScoreCalibrator NoveltyRefusingClassifier "
        "CautiousEnsembleClassifier"
    ),
    "preparation": "MDLDiscretizer CorrelationFeatureSelector",
    "datasets": "load_dataset list_datasets",
    "comparison": "wilcoxon friedman_nemenyi objective_winner compare_results",
    "evaluation": "evaluate compare apply watch",
    "tuning": "find_rule find_team tune",
    "integrations": (
        "RunningScore add_skore_measures log_mlflow_model river_metric save_mlflow_model to_onnx"
    ),
    "logs": "summarise",
    "report": "build_report",
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


def test_the_top_level_offers_what_packages_offer():
    """What is imported lazily from the top is public where it lives, and typed there too."""
    source = inspect.getsource(cautious).partition("if TYPE_CHECKING:")[2].partition("\n\n")[0]
    for name in cautious.__all__:
        value = getattr(cautious, name)
        if inspect.ismodule(value) or name.startswith("__"):
            continue
        home = import_module(f"cautious.{cautious._HOMES[name]}")
        assert name in home.__all__
        assert value is getattr(home, name)
        assert name in source, f"{name} is not typed"
