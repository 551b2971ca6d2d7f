"""Every public function that takes arrays, with arguments it accepts.

A call says which arguments are arrays, and of what kind; the laws in ``test_arrays`` put the same
values into other containers, and other things in their place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from tests.fuzz.fuzz_estimators import estimator_calls
from tests.fuzz.fuzz_values import (
    ACCURACY,
    BINARY,
    CONFIDENCE,
    CONFUSION,
    COSTS,
    COUNTS,
    GROUP,
    LABELS,
    LOSS,
    LOWER,
    MASK,
    OTHER_ACCURACY,
    OTHER_MASK,
    OTHER_SCORE,
    PREDICTED,
    RESULTS,
    SCORE,
    TABLE,
    TRUTH,
    UPPER,
    WEIGHT,
    Call,
    P,
    booleans,
    labels,
    numbers,
    probabilities,
)

import cautious
from cautious import _random as bootstrap
from cautious import comparison, costs, credal, curves, decision, guarantees, metrics, sets, utility
from cautious._cases import cases_of_sets
from cautious._checks import (
    check_classes,
    check_probabilities,
    check_scores,
    check_truth,
    check_weight,
)
from cautious.costs._forms import as_cost_matrix
from cautious.costs._tables import AnswerCosts
from cautious.credal._intervals import as_intervals

_SETS = {"y_true": labels(TRUTH), "y_set": booleans(MASK)}
_WEIGHTED = {**_SETS, "sample_weight": numbers(WEIGHT)}
_SCORED = {
    "y_true": labels(TRUTH),
    "y_score": probabilities(P),
    "sample_weight": numbers(WEIGHT),
}
_BINARY = {
    "y_true": labels(BINARY),
    "y_score": numbers(SCORE),
    "sample_weight": numbers(WEIGHT),
}
_COSTED = {"costs": costs.discounted(COSTS, classes=LABELS)}
_INTERVALS = credal.ProbabilityIntervals(LOWER, UPPER)


def _measures() -> dict[str, Call]:
    """Measures share their arguments, so that a new one is here at once."""
    found = {}
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if inspect.isclass(function) or not callable(function):
            continue
        takes = inspect.signature(function).parameters
        if not {"y_true", "y_set", "classes", "empty"} <= set(takes):
            continue
        arrays = dict(_WEIGHTED if "sample_weight" in takes else _SETS)
        others: dict[str, Any] = {"classes": LABELS}
        if "y_pred" in takes:
            arrays["y_pred"] = labels(PREDICTED)
        if "costs" in takes:
            others |= _COSTED
        if "groups" in takes:
            arrays["groups"] = labels(GROUP)
        if name == "q_matrix":
            others["abstention"] = 0.25
        if name == "cautious_report":
            arrays["y_score"] = probabilities(P)
        found[f"metrics.{name}"] = Call(function, arrays, others)
    return found


def _risks() -> dict[str, Call]:
    names = ["aurc_score", "augrc_score", "excess_aurc_score", "excess_augrc_score"]
    return {
        f"metrics.{name}": Call(getattr(metrics, name), _SCORED, {"classes": LABELS})
        for name in names
    }


def _decided(rule: Callable[..., Any], lower: Any, upper: Any, costs: Any) -> Any:
    return rule((lower, upper), costs)


_AnswerCosts = AnswerCosts
_ACCURACIES = {"x": numbers(ACCURACY), "sample_weight": numbers(WEIGHT)}
_RULE = {"p": probabilities(P)}
_CRITERIA = {"costs": numbers(COSTS)}
_TREE = decision.ClassTree.from_dict({"some": [LABELS[0], LABELS[1]], "other": [LABELS[2]]})

CALLS: dict[str, Call] = {
    "bootstrap.bootstrap_weights": Call(
        lambda **given: np.concatenate(list(bootstrap.bootstrap_weights(**given))),
        {"weight": numbers(WEIGHT), "strata": labels(TRUTH)},
        {"n_resamples": 3, "random_state": 0},
    ),
    "bootstrap.percentile_interval": Call(
        bootstrap.percentile_interval, {"replicates": numbers(SCORE)}, {"estimate": 0.5}
    ),
    "comparison.compare_results": Call(comparison.compare_results, {"results": numbers(RESULTS)}),
    "comparison.friedman_nemenyi": Call(comparison.friedman_nemenyi, {"results": numbers(RESULTS)}),
    "comparison.holm": Call(comparison.holm, {"p_values": probabilities(SCORE)}),
    "comparison.mean_ranks": Call(comparison.mean_ranks, {"results": numbers(RESULTS)}),
    "comparison.paired_t": Call(
        comparison.paired_t, {"first": numbers(SCORE), "second": numbers(OTHER_SCORE)}
    ),
    "comparison.wilcoxon": Call(
        comparison.wilcoxon, {"first": numbers(SCORE), "second": numbers(OTHER_SCORE)}
    ),
    "comparison.win_tie_loss": Call(comparison.win_tie_loss, {"results": numbers(RESULTS)}),
    "costs.AnswerCosts": Call(
        lambda costs, classes: _AnswerCosts(costs, classes),
        {"costs": numbers(TABLE), "classes": labels(["no", "yes"])},
    ),
    "costs.SetCosts.of": Call(costs.p_discounted(COSTS, 0.5).of, {"mask": booleans(MASK)}),
    "costs.abellan_masegosa": Call(
        costs.abellan_masegosa, {"matrix": numbers(COSTS), "classes": labels(LABELS)}
    ),
    "as_cost_matrix": Call(as_cost_matrix, {"costs": numbers(COSTS), "classes": labels(LABELS)}),
    "costs.as_costs": Call(costs.as_costs, {"costs": numbers(COSTS), "classes": labels(LABELS)}),
    "costs.audit": Call(
        costs.audit, {"costs": numbers(COSTS), "matrix": numbers(COSTS), "classes": labels(LABELS)}
    ),
    "costs.class_selective": Call(
        costs.class_selective,
        {"eta": numbers([1, 2, 4]), "classes": labels(LABELS)},
        {"delta": 0.25},
    ),
    "costs.discounted": Call(
        costs.discounted, {"matrix": numbers(COSTS), "classes": labels(LABELS)}
    ),
    "costs.f_beta_costs": Call(costs.f_beta_costs, {"classes": labels(LABELS)}, {"n_classes": 3}),
    "costs.cost_frame": Call(
        costs.cost_frame, {"matrix": numbers(COSTS), "classes": labels(LABELS)}
    ),
    "costs.interval_costs": Call(
        costs.interval_costs,
        {"positions": numbers([0, 1, 4]), "classes": labels(LABELS)},
        {"width": 0.25},
    ),
    "costs.normal_form": Call(costs.normal_form, {"table": numbers(TABLE)}),
    "costs.owa": Call(
        costs.owa, {"matrix": numbers(COSTS), "classes": labels(LABELS)}, {"tolerance": 0.75}
    ),
    "costs.p_discounted": Call(
        costs.p_discounted, {"matrix": numbers(COSTS), "classes": labels(LABELS)}, {"r": 0.5}
    ),
    "costs.possibility": Call(
        partial(costs.possibility, costs.p_discounted(COSTS, 0.5)),
        {"prediction": booleans([True, True, False]), "matrix": numbers(COSTS)},
    ),
    "costs.utility_costs": Call(
        costs.utility_costs,
        {"classes": labels(LABELS)},
        {"n_classes": 3, "utility": utility.u65},
    ),
    "credal.ProbabilityIntervals": Call(
        credal.ProbabilityIntervals,
        {"lower": probabilities(LOWER), "upper": probabilities(UPPER)},
    ),
    "credal.ProbabilityIntervals.lower_expectation": Call(
        _INTERVALS.lower_expectation, {"f": numbers([1, 2, 4])}
    ),
    "credal.ProbabilityIntervals.upper_expectation": Call(
        _INTERVALS.upper_expectation, {"f": numbers([1, 2, 4])}
    ),
    "as_intervals": Call(
        lambda lower, upper: as_intervals((lower, upper)),
        {"lower": probabilities(LOWER), "upper": probabilities(UPPER)},
    ),
    "credal.contaminate": Call(credal.contaminate, {"p": probabilities(P)}, {"epsilon": 0.25}),
    "credal.imprecise_dirichlet": Call(credal.imprecise_dirichlet, {"counts": numbers(COUNTS)}),
    "credal.maximum_entropy": Call(
        lambda lower, upper: credal.maximum_entropy((lower, upper)),
        {"lower": probabilities(LOWER), "upper": probabilities(UPPER)},
    ),
    "credal.upper_entropy": Call(
        lambda lower, upper: credal.upper_entropy((lower, upper)),
        {"lower": probabilities(LOWER), "upper": probabilities(UPPER)},
    ),
    "curves.AbstentionCostSurface": Call(
        lambda **given: curves.AbstentionCostSurface.from_predictions(**given).vacc(), _BINARY
    ),
    "curves.AbstentionCostSurface.cost": Call(
        curves.AbstentionCostSurface.from_predictions(BINARY, SCORE).cost,
        {"mu": probabilities([0.25, 0.5]), "nu": probabilities([0.125, 0.25])},
    ),
    "curves.AbstentionROC": Call(
        lambda **given: curves.AbstentionROC.from_predictions(**given).frame(), _BINARY
    ),
    "curves.CapacityCurve": Call(
        lambda **given: curves.CapacityCurve.from_predictions(**given).frame(),
        _WEIGHTED,
        {"classes": LABELS},
    ),
    "curves.CapacityCurve.from_matrix": Call(
        lambda **given: curves.CapacityCurve.from_matrix(**given).frame(),
        {"matrix": numbers(CONFUSION)},
    ),
    "curves.DecisionCurve": Call(
        lambda **given: curves.DecisionCurve.from_predictions(**given).frame(), _BINARY
    ),
    "curves.ResponseCurve": Call(
        lambda **given: curves.ResponseCurve.from_predictions(**given).frame(),
        {
            "y_true": labels(TRUTH),
            "y_proba": probabilities(P),
            "bias": probabilities([0.5, 0.25, 0.25]),
            "sample_weight": numbers(WEIGHT),
        },
        {"classes": LABELS},
    ),
    "curves.RiskCoverageCurve": Call(
        lambda **given: curves.RiskCoverageCurve.from_predictions(**given).frame(),
        {
            "y_true": labels(TRUTH),
            "y_score": probabilities(P),
            "sample_weight": numbers(WEIGHT),
            "confidence": numbers(CONFIDENCE),
        },
        {"classes": LABELS},
    ),
    "curves.RiskCoverageCurve.from_losses": Call(
        lambda **given: curves.RiskCoverageCurve.from_losses(**given).frame(),
        {
            "loss": numbers(LOSS),
            "confidence": numbers(CONFIDENCE),
            "sample_weight": numbers(WEIGHT),
        },
    ),
    "curves.Staircase": Call(curves.Staircase.from_predictions, _BINARY),
    "curves.Staircase.from_counts": Call(
        curves.Staircase.from_counts,
        {
            "scores": numbers([1, 2, 3]),
            "positives": numbers([0, 1, 2]),
            "negatives": numbers([2, 1, 0]),
        },
    ),
    "curves.best_bias": Call(
        curves.best_bias,
        {
            "y_true": labels(TRUTH),
            "y_proba": probabilities(P),
            "sample_weight": numbers(WEIGHT),
        },
        {"classes": LABELS, "random_state": 0, "max_evaluations": 20},
    ),
    "curves.chow_window": Call(
        curves.chow_window, {"mu": probabilities([0.25, 0.5]), "nu": probabilities([0.125, 0.25])}
    ),
    "curves.find_rule": Call(
        lambda **given: curves.find_rule(**given, max_abstention=0.25).rule.lower, _BINARY
    ),
    "curves.find_team": Call(
        lambda **given: curves.find_team(**given, answers={"ann": BINARY}).thresholds,
        {"y_true": labels(BINARY), "y_score": numbers(SCORE)},
    ),
    "curves.hierarchical_risk_coverage": Call(
        lambda **given: np.asarray(curves.hierarchical_risk_coverage(**given)),
        {
            "y_true": labels(TRUTH),
            "y_proba": probabilities(P),
            "classes": labels(LABELS),
            "sample_weight": numbers(WEIGHT),
        },
        {"tree": _TREE},
    ),
    "curves.one_vs_rest": Call(
        lambda **given: {k: s.vacc() for k, s in curves.one_vs_rest(**given).items()},
        {**_SCORED, "classes": labels(LABELS)},
    ),
    "curves.roc_readings": Call(
        curves.roc_readings, {"matrix": numbers([[33, 1], [1, 45], [6, 14]])}
    ),
    "curves.roc_slopes": Call(
        curves.roc_slopes, {"mu": probabilities([0.25, 0.5]), "nu": probabilities([0.125, 0.25])}
    ),
    "curves.vacc_test": Call(
        curves.vacc_test,
        {
            "y_true": labels(BINARY),
            "score_a": numbers(SCORE),
            "score_b": numbers(OTHER_SCORE),
            "sample_weight": numbers(WEIGHT),
        },
        {"n_resamples": 5, "random_state": 0},
    ),
    "decision.bias_window_rule": Call(
        decision.bias_window_rule,
        {**_RULE, "bias": probabilities([0.5, 0.25, 0.25])},
        {"window": 0.25},
    ),
    "decision.chow_rule": Call(
        decision.chow_rule, {**_RULE, "costs": numbers(COSTS)}, {"reject_cost": 0.75}
    ),
    "decision.class_threshold_rule": Call(
        decision.class_threshold_rule, {**_RULE, "thresholds": probabilities([0.5, 0.25, 0.75])}
    ),
    "decision.climbing_rule": Call(
        decision.climbing_rule, _RULE, {"tree": _TREE, "threshold": 0.625}
    ),
    "decision.ClassTree.cover": Call(_TREE.cover, {"mask": booleans(MASK)}),
    "decision.hierarchical_sets": Call(
        decision.hierarchical_sets, _RULE, {"tree": _TREE, "utility": "u80"}
    ),
    **{
        f"decision.{name}": Call(
            partial(_decided, getattr(decision, name)),
            {"lower": probabilities(LOWER), "upper": probabilities(UPPER), **_CRITERIA},
        )
        for name in (
            "e_admissibility",
            "gamma_maximax",
            "gamma_maximin",
            "hurwicz",
            "interval_dominance",
            "maximality",
        )
    },
    "decision.maximal_from_lower": Call(
        partial(decision.maximal_from_lower, _INTERVALS.lower_expectation), _CRITERIA
    ),
    "decision.maximin_sets": Call(
        lambda lower, upper: decision.maximin_sets((lower, upper), "u65"),
        {"lower": probabilities(LOWER), "upper": probabilities(UPPER)},
    ),
    "decision.optimal_sets": Call(
        decision.optimal_sets, _RULE, {"costs": costs.p_discounted(COSTS, 0.5)}
    ),
    "decision.ordinal_sets": Call(
        lambda lower, upper, costs: decision.ordinal_sets((lower, upper), costs),
        {"lower": probabilities(LOWER), "upper": probabilities(UPPER), "costs": numbers(COSTS)},
    ),
    "decision.Rule.predict_set": Call(
        decision.Rule.confidence(0.625, classes=LABELS).predict_set, {"scores": probabilities(P)}
    ),
    "decision.Rule.class_thresholds": Call(
        partial(decision.Rule.class_thresholds, classes=LABELS),
        {"thresholds": probabilities([0.5, 0.25, 0.75])},
    ),
    "decision.ratio_rule": Call(
        decision.ratio_rule, {**_RULE, "thresholds": probabilities([0.5, 0.25, 0.75])}
    ),
    "decision.reject_rule": Call(decision.reject_rule, _RULE, {"t": 0.625}),
    "decision.threshold_rule": Call(decision.threshold_rule, _RULE, {"threshold": 0.625}),
    "decision.window_rule": Call(
        decision.window_rule, {"y_score": numbers(SCORE)}, {"lower": 0.25, "upper": 0.5}
    ),
    "metrics.RiskCoverageCurve": Call(
        metrics.RiskCoverageCurve.from_predictions, _SCORED, {"classes": LABELS}
    ),
    "metrics.SetCounts": Call(metrics.SetCounts.from_predictions, _WEIGHTED, {"classes": LABELS}),
    "metrics.calibration_error": Call(
        lambda **given: metrics.calibration_error(**given).by_class,
        {
            "y_true": labels(TRUTH),
            "y_proba": probabilities(P),
            "sample_weight": numbers(WEIGHT),
        },
        {"classes": LABELS, "n_bins": 2},
    ),
    "metrics.bootstrap_difference": Call(
        metrics.bootstrap_difference,
        {**_WEIGHTED, "y_set_other": booleans(OTHER_MASK)},
        {"classes": LABELS, "measure": "u65", "n_resamples": 5, "random_state": 0},
    ),
    "metrics.bootstrap_interval": Call(
        metrics.bootstrap_interval,
        _WEIGHTED,
        {"classes": LABELS, "measure": "u65", "n_resamples": 5, "random_state": 0},
    ),
    "metrics.breakdown": Call(
        metrics.breakdown, {**_WEIGHTED, "groups": labels(GROUP)}, {"classes": LABELS}
    ),
    "metrics.SetCounts.from_confusion": Call(
        metrics.SetCounts.from_confusion, {"matrix": numbers(CONFUSION)}
    ),
    "sets.as_labels": Call(sets.as_labels, {"mask": booleans(MASK), "classes": labels(LABELS)}),
    "sets.as_mask": Call(sets.as_mask, {"y_set": booleans(MASK), "classes": labels(LABELS)}),
    "sets.check_classes": Call(check_classes, {"classes": labels(LABELS)}),
    "sets.check_mask": Call(sets.check_mask, {"mask": booleans(MASK)}),
    "sets.check_scores": Call(partial(check_scores, name="scores"), {"scores": numbers(SCORE)}),
    "sets.check_probabilities": Call(check_probabilities, {"p": probabilities(P)}),
    "sets.cases_of_sets": Call(cases_of_sets, _WEIGHTED),
    "sets.check_truth": Call(check_truth, {"y_true": labels(TRUTH)}),
    "sets.check_weight": Call(check_weight, {"sample_weight": numbers(WEIGHT)}, {"n": 8}),
    "sets.set_names": Call(sets.set_names, {"mask": booleans(MASK), "classes": labels(LABELS)}),
    "sets.set_sizes": Call(sets.set_sizes, {"mask": booleans(MASK)}),
    "utility.RiskAversionCurve": Call(
        lambda x, sample_weight: utility.RiskAversionCurve.from_accuracies(
            x, sample_weight=sample_weight
        ),
        _ACCURACIES,
    ),
    "utility.caution_premium": Call(
        utility.caution_premium,
        {"m": numbers([1, 2, 4])},
        {"n_classes": 3, "utility": "u65"},
    ),
    "guarantees.certify_sequence": Call(
        lambda **given: guarantees.certify_sequence(**given, max_error=0.1)[0] is None,
        {"wrong": numbers([0, 3]), "answered": numbers([10, 20])},
    ),
    "guarantees.mean_bound": Call(
        guarantees.mean_bound, {"values": numbers([0, 0.5, 1]), "counts": numbers([4, 2, 1])}
    ),
    "guarantees.risk_bound": Call(
        guarantees.risk_bound, {"wrong": numbers([0, 3]), "answered": numbers([10, 20])}
    ),
    "guarantees.risk_p_value": Call(
        guarantees.risk_p_value,
        {"wrong": numbers([0, 3]), "answered": numbers([10, 20])},
        {"max_error": 0.1},
    ),
    "utility.certainty_equivalent": Call(utility.certainty_equivalent, _ACCURACIES),
    "utility.crossover": Call(
        utility.crossover,
        {
            "first": numbers(ACCURACY),
            "second": numbers(OTHER_ACCURACY),
            "sample_weight": numbers(WEIGHT),
            "strata": labels(TRUTH),
        },
        {"n_resamples": 5, "random_state": 0},
    ),
    "utility.expected_utility": Call(utility.expected_utility, _ACCURACIES),
    "utility.logarithmic": Call(utility.logarithmic, {"x": numbers(ACCURACY)}),
    "utility.mean_variance": Call(utility.mean_variance, _ACCURACIES),
    "utility.money_bets": Call(utility.money_bets, _ACCURACIES),
    "utility.random_expected_utility": Call(
        utility.random_expected_utility,
        {"m": numbers([1, 2, 4])},
        {"n_classes": 3, "utility": "u65"},
    ),
    "utility.u65": Call(utility.u65, {"x": numbers(ACCURACY)}),
    "utility.u80": Call(utility.u80, {"x": numbers(ACCURACY)}),
}
CALLS = {**_measures(), **_risks(), **estimator_calls(), **CALLS}


def public_names() -> list[str]:
    """Every public callable, as ``package.name``."""
    packages = [name for name in cautious.__all__ if inspect.ismodule(getattr(cautious, name))]
    return [
        f"{package}.{name}"
        for package in packages
        for name in getattr(cautious, package).__all__
        if callable(getattr(getattr(cautious, package), name))
    ]
