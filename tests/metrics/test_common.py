"""What every measure must do, whatever it measures: driven by the registry.

The laws that measures share with models and curves are in ``tests/catalogue``.
"""

from __future__ import annotations

import inspect
import pickle
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import cautious.metrics
from cautious.costs import class_selective, discounted, zero_one
from cautious.metrics import (
    MEASURES,
    RiskCoverageCurve,
    SetCounts,
    bootstrap_interval,
    get_measure,
    per_sample,
)

NAMES = sorted(MEASURES)
MEANS = [name for name in NAMES if MEASURES[name].mean]
few = settings(max_examples=15, deadline=None)


class Batch(NamedTuple):
    """Cases with everything any measure may ask for."""

    truth: np.ndarray
    mask: np.ndarray
    weight: np.ndarray
    forced: np.ndarray
    score: np.ndarray

    @property
    def n_classes(self) -> int:
        return self.mask.shape[1]

    def rows(self, chosen: Any) -> Batch:
        return Batch(*(array[chosen] for array in self))


@st.composite
def batches(draw: st.DrawFn, max_rows: int = 14, weights: bool = True) -> Batch:
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mask = rng.random((n, k)) < draw(st.sampled_from([0.2, 0.5, 0.9]))
    mask[np.arange(n), rng.integers(k, size=n)] = True
    # Confidences tie between rows but not within one: there the order of classes would decide.
    score = np.sort(rng.integers(1, 4, size=(n, 1)) + np.arange(k) / 10, axis=1)
    score = rng.permuted(score, axis=1)
    weight = rng.integers(0, 4, size=n).astype(float) if weights else np.ones(n)
    weight[0] += 1
    return Batch(rng.integers(k, size=n), mask, weight, rng.integers(k, size=n), score)


def counted(name: str, batch: Batch, labels: Any = None) -> SetCounts | RiskCoverageCurve:
    labels = np.arange(batch.n_classes) if labels is None else np.asarray(labels)
    truth = labels[batch.truth]
    if MEASURES[name].counts is RiskCoverageCurve:
        return RiskCoverageCurve.of_cases(
            truth, batch.score, classes=labels, sample_weight=batch.weight
        ).merge()[0]
    return SetCounts.from_predictions(
        truth,
        batch.mask,
        classes=labels,
        sample_weight=batch.weight,
        y_pred=labels[batch.forced],
    )


def params_of(name: str, k: int) -> dict[str, Any]:
    return {"costs": discounted(zero_one(k))} if name == "set_cost" else {}


def value(name: str, batch: Batch, labels: Any = None) -> float:
    counts = counted(name, batch, labels)
    return float(MEASURES[name](counts, **params_of(name, batch.n_classes)))


def same(a: Any, b: Any) -> bool:
    return np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
@few
@given(batch=batches(), seed=st.integers(0, 2**32))
def test_rows_of_weights_give_rows_of_values(name: str, batch: Batch, seed: int) -> None:
    counts = counted(name, batch)
    stack = np.random.default_rng(seed).integers(0, 3, size=(4, len(counts.truth))).astype(float)
    params = params_of(name, batch.n_classes)
    each = [MEASURES[name](counts.reweighted(row), **params) for row in stack]
    assert same(MEASURES[name](counts.reweighted(stack), **params), each)


@pytest.mark.parametrize("name", NAMES)
def test_no_cases_is_nan_and_a_warning(name: str) -> None:
    nobody = Batch(
        np.zeros(2, int), np.ones((2, 2), bool), np.zeros(2), np.zeros(2, int), np.ones((2, 2))
    )
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined: there are no cases"):
        score = MEASURES[name].score(counted(name, nobody), **params_of(name, 2))
    assert np.isnan(score)
    assert np.isnan(value(name, nobody.rows([])))


@pytest.mark.parametrize("name", NAMES)
def test_one_class_only(name: str) -> None:
    """With a single class every answer is that class: a determinate, right one."""
    if name == "set_cost":
        pytest.skip("costs need at least two classes")
    only = Batch(np.zeros(3, int), np.ones((3, 1), bool), np.ones(3), np.zeros(3, int),
                 np.ones((3, 1)))  # fmt: skip
    undefined = {"set_accuracy", "indeterminate_set_size"}
    zero = {"abstention", "error", "needless_abstention", "reckless_answer", "aurc", "augrc",
            "excess_aurc", "excess_augrc", "discounted_accuracy_variance"}  # fmt: skip
    expected = np.nan if name in undefined else 0.0 if name in zero else 1.0
    assert same(value(name, only), expected)


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_has_a_bootstrap_interval(name: str) -> None:
    rng = np.random.default_rng(0)
    batch = Batch(rng.integers(3, size=60), rng.random((60, 3)) < 0.4, np.ones(60),
                  rng.integers(3, size=60), rng.random((60, 3)))  # fmt: skip
    batch.mask[np.arange(60), rng.integers(3, size=60)] = True
    entry, params = MEASURES[name], params_of(name, 3)
    if "y_pred" in entry.needs:
        params["y_pred"] = batch.forced
    predictions = batch.score if entry.counts is RiskCoverageCurve else batch.mask
    found = bootstrap_interval(
        batch.truth, predictions, measure=name, n_resamples=200, random_state=0, **params
    )
    assert same(found.estimate, value(name, batch))
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
    return [f for f in named if hasattr(f, "measure")]


def test_every_declared_measure_is_public() -> None:
    formulas = {entry.formula for entry in MEASURES.values()}
    assert {function.measure.formula for function in public_functions()} == formulas


@pytest.mark.parametrize("function", public_functions(), ids=lambda f: f.__name__)
@few
@given(batch=batches())
def test_the_public_function_is_the_measure(function: Any, batch: Batch) -> None:
    entry = get_measure(function)
    params = params_of(entry.name, batch.n_classes)
    expected = value(entry.name, batch)
    if "y_pred" in entry.needs:
        params["y_pred"] = batch.forced
    predictions = batch.score if entry.counts is RiskCoverageCurve else batch.mask
    labels = range(batch.n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        score = function(
            batch.truth, predictions, classes=labels, sample_weight=batch.weight, **params
        )
    assert isinstance(score, float)
    assert same(score, expected)


@pytest.mark.parametrize("function", public_functions(), ids=lambda f: f.__name__)
def test_the_public_function_is_documented(function: Any) -> None:
    signature = inspect.signature(function)
    assert next(iter(signature.parameters)) == "y_true"
    assert {"classes", "sample_weight"} <= set(signature.parameters)
    for parameter in signature.parameters:
        assert f"\n{parameter} : " in function.__doc__
    assert ">>> " in function.__doc__


@pytest.mark.parametrize("name", [n for n in MEANS if not MEASURES[n].params])
@few
@given(batch=batches(weights=False))
def test_the_mean_of_the_twin_is_the_measure(name: str, batch: Batch) -> None:
    public = {get_measure(f).name: f for f in public_functions()}[name]
    twin = per_sample(public)
    assert "sample_weight" not in inspect.signature(twin).parameters
    params = params_of(name, batch.n_classes)
    if "y_pred" in MEASURES[name].needs:
        params["y_pred"] = batch.forced
    each = twin(batch.truth, batch.mask, classes=range(batch.n_classes), **params)
    assert each.shape == batch.truth.shape
    counts = ~np.isnan(each)
    mean = each[counts].mean() if counts.any() else np.nan
    batch.weight[:] = 1
    assert same(mean, value(name, batch))


@pytest.mark.parametrize("name", [n for n in NAMES if MEASURES[n].counts is SetCounts])
@few
@given(batch=batches())
def test_forgetting_the_sets_changes_nothing_else(name: str, batch: Batch) -> None:
    counts = counted(name, batch)
    forgotten = counts.without_sets()
    if "sets" in MEASURES[name].needs:
        with pytest.raises(ValueError, match="have forgotten them"):
            MEASURES[name](forgotten, **params_of(name, batch.n_classes))
    else:
        assert same(MEASURES[name](forgotten), MEASURES[name](counts))
    # Forgetting and adding commute, also where only one side has forgotten.
    assert forgotten + forgotten == (counts + counts).without_sets()
    assert counts + forgotten == (counts + counts).without_sets()


def test_an_asymmetric_cost_is_permuted_with_its_classes() -> None:
    counts = SetCounts.from_predictions(["b", "a"], [["a"], ["a", "b"]], classes=["b", "a"])
    costs = class_selective([4.0, 1.0], 0.25, classes=["b", "a"])
    assert MEASURES["set_cost"].score(counts, costs=costs) == (4 + 0.25) / 2
