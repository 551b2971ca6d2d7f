"""What every measure must do, whatever it measures: driven by the registry.

The laws that measures share with models and curves are in ``tests/catalogue``.
"""

from __future__ import annotations

import inspect
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from tests.catalogue.agreement import same
from tests.catalogue.measures import counted, params_of, value
from tests.catalogue.strategies import Batch, batches

import cautious.metrics
from cautious.costs import class_selective
from cautious.curves import RiskCoverageCurve
from cautious.metrics import MEASURES, SetCounts, bootstrap_interval, per_sample
from cautious.metrics._registry import get_measure, measure_of

NAMES = sorted(MEASURES)
MEANS = [name for name in NAMES if MEASURES[name].mean]
few = settings(max_examples=15, deadline=None)


def predictions_for(name: str, batch: Batch) -> tuple[np.ndarray, dict[str, Any]]:
    """What the public function of a measure takes, besides the truths."""
    entry = MEASURES[name]
    params = params_of(entry, batch.n_classes)
    if "y_pred" in entry.needs:
        params["y_pred"] = batch.forced
    return batch.proba if entry.counts is RiskCoverageCurve else batch.mask, params


@pytest.mark.parametrize("name", NAMES)
@few
@given(batch=batches(), seed=st.integers(0, 2**32))
def test_rows_of_weights_give_rows_of_values(name: str, batch: Batch, seed: int) -> None:
    counts = counted(MEASURES[name], batch)
    stack = np.random.default_rng(seed).integers(0, 3, size=(4, len(counts.truth))).astype(float)
    params = params_of(MEASURES[name], batch.n_classes)
    each = [MEASURES[name](counts.reweighted(row), **params) for row in stack]
    same(MEASURES[name](counts.reweighted(stack), **params), each)


@pytest.mark.parametrize("name", NAMES)
def test_no_cases_is_nan_and_a_warning(name: str) -> None:
    nobody = Batch(
        np.zeros(2, int), np.ones((2, 2), bool), np.zeros(2), np.zeros(2, int), np.eye(2)
    )
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined: there are no cases"):
        score = MEASURES[name].score(
            counted(MEASURES[name], nobody), **params_of(MEASURES[name], 2)
        )
    assert np.isnan(score)
    assert np.isnan(value(MEASURES[name], nobody.rows([])))


@pytest.mark.parametrize("name", NAMES)
def test_one_class_only(name: str) -> None:
    """With a single class every answer is that class: a determinate, right one."""
    if name == "set_cost":
        pytest.skip("costs need at least two classes")
    only = Batch(np.zeros(3, int), np.ones((3, 1), bool), np.ones(3), np.zeros(3, int),
                 np.ones((3, 1)))  # fmt: skip
    undefined = {"set_accuracy", "indeterminate_set_size"}
    zero = {"abstention", "error", "needless_abstention", "reckless_answer", "selective_risk",
            "aurc", "augrc", "excess_aurc", "excess_augrc",
            "discounted_accuracy_variance"}  # fmt: skip
    expected = np.nan if name in undefined else 0.0 if name in zero else 1.0
    same(value(MEASURES[name], only), expected)


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_has_a_bootstrap_interval(name: str) -> None:
    rng = np.random.default_rng(0)
    batch = Batch(rng.integers(3, size=60), rng.random((60, 3)) < 0.4, np.ones(60),
                  rng.integers(3, size=60), rng.dirichlet(np.ones(3), size=60))  # fmt: skip
    batch.mask[np.arange(60), rng.integers(3, size=60)] = True
    predictions, params = predictions_for(name, batch)
    found = bootstrap_interval(
        batch.truth, predictions, measure=name, n_resamples=200, random_state=0, **params
    )
    same(found.estimate, value(MEASURES[name], batch))
    assert found.low <= found.estimate + 0.05
    assert found.high >= found.estimate - 0.05
    assert found.low < found.high
    again = bootstrap_interval(
        batch.truth, predictions, measure=name, n_resamples=200, random_state=0, **params
    )
    assert again == found


@pytest.mark.parametrize("name", NAMES)
def test_measures_can_be_pickled(name: str) -> None:
    assert pickle.loads(pickle.dumps(MEASURES[name])) == MEASURES[name]


def public_functions() -> list[Any]:
    named = [getattr(cautious.metrics, name) for name in cautious.metrics.__all__]
    return [f for f in named if callable(f) and measure_of(f) is not None]


@pytest.mark.parametrize("function", public_functions(), ids=lambda f: f.__name__)
@few
@given(batch=batches())
def test_the_public_function_is_the_measure(function: Any, batch: Batch) -> None:
    name = get_measure(function).name
    predictions, params = predictions_for(name, batch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        score = function(
            batch.truth,
            predictions,
            classes=range(batch.n_classes),
            sample_weight=batch.weight,
            **params,
        )
    assert isinstance(score, float)
    same(score, value(MEASURES[name], batch), tolerance=1e-12)


@pytest.mark.parametrize("function", public_functions(), ids=lambda f: f.__name__)
def test_the_public_function_is_documented(function: Any) -> None:
    signature = inspect.signature(function)
    assert next(iter(signature.parameters)) == "y_true"
    assert {"classes", "sample_weight"} <= set(signature.parameters)
    described = re.search(r"Parameters\n *-+\n(.*?)\n\n", function.__doc__, re.DOTALL)[1]
    for parameter in signature.parameters:
        assert re.search(rf"\b{parameter}\b", described), f"{parameter} is not described"
    assert ">>> " in function.__doc__


@pytest.mark.parametrize("name", MEANS)
@few
@given(batch=batches())
def test_the_mean_of_the_values_per_case_is_the_measure(name: str, batch: Batch) -> None:
    batch = batch.unweighted()
    _, params = predictions_for(name, batch)
    each = per_sample(name)(batch.truth, batch.mask, classes=range(batch.n_classes), **params)
    assert each.shape == batch.truth.shape
    counts = ~np.isnan(each)
    same(
        each[counts].mean() if counts.any() else np.nan,
        value(MEASURES[name], batch),
        tolerance=1e-12,
    )


@pytest.mark.parametrize("name", [n for n in NAMES if MEASURES[n].counts is SetCounts])
@few
@given(batch=batches())
def test_forgetting_the_sets_changes_nothing_else(name: str, batch: Batch) -> None:
    counts = counted(MEASURES[name], batch)
    forgotten = counts.without_sets()
    if "sets" in MEASURES[name].needs:
        with pytest.raises(ValueError, match="have forgotten them"):
            MEASURES[name](forgotten, **params_of(MEASURES[name], batch.n_classes))
    else:
        same(MEASURES[name](forgotten), MEASURES[name](counts))
    # Forgetting and adding commute, also where only one side has forgotten.
    assert forgotten + forgotten == (counts + counts).without_sets()
    assert counts + forgotten == (counts + counts).without_sets()


def test_an_asymmetric_cost_is_permuted_with_its_classes() -> None:
    counts = SetCounts.from_predictions(["b", "a"], [["a"], ["a", "b"]], classes=["b", "a"])
    costs = class_selective([4.0, 1.0], 0.25, classes=["b", "a"])
    assert MEASURES["set_cost"].score(counts, costs=costs) == (4 + 0.25) / 2
