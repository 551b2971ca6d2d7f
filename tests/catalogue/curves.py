"""Laws of curves: every class of ``cautious.curves`` that is made from predictions keeps them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from tests.catalogue.agreement import same
from tests.catalogue.law import law
from tests.catalogue.strategies import Batch, batches, binary_batches, renamings, seeds

import cautious.curves
from cautious.curves import (
    AbstentionCostSurface,
    AbstentionROC,
    CapacityCurve,
    DecisionCurve,
    ResponseCurve,
    RiskCoverageCurve,
    Staircase,
)

PUBLIC = {
    name: kind
    for name in cautious.curves.__all__
    if hasattr(kind := getattr(cautious.curves, name), "from_predictions")
}
"""The curves there are; each must have an entry below."""

# Odd numbers: at a tie between windows, rounding may choose either.
POINTS = np.array([0.0517, 0.2931, 0.6113, 0.9871])


@dataclass(frozen=True)
class Curve:
    """How to make a curve of a batch, and the numbers to know it by.

    Attributes
    ----------
    kind : type
        The class.
    binary : bool
        Whether it is about two classes, the second of which is positive.
    asks : {"proba", "mask"}
        What it is made of.
    numbers : callable
        From a curve to the numbers on it that do not depend on the scale of weights.
    merge : callable, optional
        From two curves of parts to the curve of the whole, if it is a sum.
    """

    kind: type
    binary: bool
    asks: str
    numbers: Callable[[Any], dict[str, Any]]
    merge: Callable[[Any, Any], Any] | None = None

    def given(self, batch: Batch, labels: Any) -> tuple[Any, dict[str, Any]]:
        if self.binary:
            return batch.proba[:, 1], {"pos_label": labels.tolist()[1]}
        return getattr(batch, self.asks), {"classes": labels}

    def of(self, batch: Batch, labels: Any = None, weight: Any = True) -> Any:
        labels = np.arange(batch.n_classes) if labels is None else np.asarray(labels)
        predictions, named = self.given(batch, labels)
        sample_weight = batch.weight if weight else None
        truth = labels[batch.truth]
        return self.kind.from_predictions(truth, predictions, sample_weight=sample_weight, **named)

    def known_by(self, batch: Batch, labels: Any = None, weight: Any = True) -> dict[str, Any]:
        return self.numbers(self.of(batch, labels, weight))


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    return {str(name): frame[name].to_numpy() for name in frame.columns}


def staircase_numbers(curve: Staircase) -> dict[str, Any]:
    n = curve.n_positives + curve.n_negatives
    return {"scores": curve.scores, "p": curve.positives / n, "n": curve.negatives / n}


def surface_numbers(surface: AbstentionCostSurface) -> dict[str, Any]:
    mu, nu = np.meshgrid(POINTS, POINTS)
    lower, upper = surface.window(mu, nu)
    return {
        "cost": surface.cost(mu, nu),
        "abstention": surface.abstention(mu, nu),
        "lower": lower,
        "upper": upper,
        "vacc": surface.vacc(),
        **columns(surface.frame()),
    }


def capacity_numbers(curve: CapacityCurve) -> dict[str, Any]:
    return {
        "capacity": curve.capacity,
        "error": curve.error(POINTS),
        "matrix": np.sort((curve.matrix(0.3) / curve.counts.n).to_numpy(), axis=None),
    }


def response_numbers(curve: ResponseCurve) -> dict[str, Any]:
    return {
        "window": curve.window,
        "abstention": curve.abstention,
        "accuracy": curve.measure("accuracy"),
        "error": curve.measure("error"),
        "auc": curve.measure("auc"),
        "capacity": curve.probabilistic_capacity(),
    }


def roc_numbers(curve: AbstentionROC) -> dict[str, Any]:
    return {"abstention": curve.abstention, "auc": curve.auc, "volume": curve.volume} | columns(
        curve.frame().reset_index(drop=True)
    )


def risk_numbers(curve: RiskCoverageCurve) -> dict[str, Any]:
    return {
        "aurc": curve.aurc,
        "augrc": curve.augrc,
        "excess_aurc": curve.excess_aurc,
        "excess_augrc": curve.excess_augrc,
        **columns(curve.frame()),
    }


def benefit_numbers(curve: DecisionCurve) -> dict[str, Any]:
    return columns(curve.frame(POINTS, abstain=0.07))


def add(a: Any, b: Any) -> Any:
    return a + b


SUBJECTS = {
    "Staircase": Curve(Staircase, True, "proba", staircase_numbers, add),
    "AbstentionCostSurface": Curve(
        AbstentionCostSurface,
        True,
        "proba",
        surface_numbers,
        lambda a, b: AbstentionCostSurface(a.staircase + b.staircase),
    ),
    "AbstentionROC": Curve(AbstentionROC, True, "proba", roc_numbers),
    "CapacityCurve": Curve(
        CapacityCurve,
        False,
        "mask",
        capacity_numbers,
        lambda a, b: replace(a, counts=a.counts + b.counts),
    ),
    "DecisionCurve": Curve(
        DecisionCurve,
        True,
        "proba",
        benefit_numbers,
        lambda a, b: DecisionCurve(
            AbstentionCostSurface(a.surface.staircase + b.surface.staircase)
        ),
    ),
    "ResponseCurve": Curve(ResponseCurve, False, "proba", response_numbers),
    "RiskCoverageCurve": Curve(RiskCoverageCurve, False, "proba", risk_numbers, add),
}


def suited(curve: Curve, batch: Batch) -> Batch:
    """The batch, or for curves of two classes its first two."""
    if not curve.binary or batch.n_classes == 2:
        return batch
    proba = batch.proba[:, :2] / batch.proba[:, :2].sum(axis=1, keepdims=True)
    mask = batch.mask[:, :2] | ~batch.mask[:, :2].any(axis=1, keepdims=True)
    return Batch(batch.truth % 2, mask, batch.weight, batch.forced % 2, proba)


@law("Invariance", "curves", SUBJECTS, batch=batches(min_rows=4), seed=seeds)
def order_of_rows(curve: Curve, batch: Batch, seed: int) -> None:
    """The order of the rows does not matter."""
    batch = suited(curve, batch)
    same(curve.known_by(batch), curve.known_by(batch.shuffled(seed)))


@law("Invariance", "curves", SUBJECTS, batch=batches(min_rows=4))
def weight_is_repetition(curve: Curve, batch: Batch) -> None:
    """A weight counts the repetitions of a row."""
    batch = suited(curve, batch)
    same(curve.known_by(batch), curve.known_by(batch.repeated()))


@law("Invariance", "curves", SUBJECTS, batch=batches(min_rows=4))
def uniform_weights(curve: Curve, batch: Batch) -> None:
    """Weights of one are no weights."""
    batch = suited(curve, batch)
    same(curve.known_by(batch.unweighted()), curve.known_by(batch, weight=None))


@law(
    "Invariance",
    "curves",
    SUBJECTS,
    batch=batches(min_rows=4),
    by=st.sampled_from([1e-9, 0.125, 3, 1e6]),
)
def scale_of_weights(curve: Curve, batch: Batch, by: float) -> None:
    """Multiplying all weights by a number changes nothing but counts."""
    batch = suited(curve, batch)
    same(curve.known_by(batch), curve.known_by(batch._replace(weight=by * batch.weight)))


@law("Invariance", "curves", SUBJECTS, batch=batches(min_rows=4), names=renamings())
def names_of_classes(curve: Curve, batch: Batch, names: Any) -> None:
    """What the classes are called does not matter: text, numbers, booleans, in any order."""
    batch = suited(curve, batch)
    same(curve.known_by(batch), curve.known_by(batch, names(batch.n_classes)))


@law("Invariance", "curves", SUBJECTS, batch=batches(min_rows=4), seed=seeds)
def order_of_classes(curve: Curve, batch: Batch, seed: int) -> None:
    """The order of the classes, and so of the columns, does not matter."""
    batch = suited(curve, batch)
    order = np.random.default_rng(seed).permutation(batch.n_classes)
    if curve.binary:  # the positive class is named, so only the names can change places
        same(curve.known_by(batch, ["b", "a"]), curve.known_by(batch, ["a", "b"]))
    else:
        same(curve.known_by(batch), curve.known_by(batch.permuted(order)))


@law(
    "Invariance",
    "curves",
    SUBJECTS,
    exempt={
        "AbstentionROC": "it keeps the examples and is no sum",
        "ResponseCurve": "it keeps the examples and is no sum",
    },
    batch=batches(min_rows=8),
)
def split_and_merge(curve: Curve, batch: Batch) -> None:
    """The curves of two parts add up to the curve of the whole, either way round."""
    assert curve.merge is not None, "it does not add up"
    batch = suited(curve, batch)
    again = np.append(
        np.arange(batch.n_classes), np.arange(len(batch.truth) // 2, len(batch.truth))
    )
    a, b = curve.of(batch), curve.of(batch.rows(again))  # both know all classes
    whole = curve.known_by(batch.rows(np.append(np.arange(len(batch.truth)), again)))
    same(curve.numbers(curve.merge(a, b)), whole)
    same(curve.numbers(curve.merge(b, a)), whole)


class Fitted:
    """A classifier that has learned a batch by heart: its examples are positions in it."""

    def __init__(self, batch: Batch, classes: np.ndarray) -> None:
        self.batch, self.classes_ = batch, classes

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.batch.proba[X[:, 0]]

    def predict_set(self, X: np.ndarray) -> np.ndarray:
        return self.batch.mask[X[:, 0]]


@law(
    "Reduction",
    "curves",
    SUBJECTS,
    exempt={"Staircase": "it holds counts only, and leaves asking an estimator to the curves"},
    batch=batches(min_rows=6),
)
def of_an_estimator(curve: Curve, batch: Batch) -> None:
    """The curve of an estimator is that of what it predicts."""
    assert hasattr(curve.kind, "from_estimator"), "it asks no estimator"
    batch = suited(curve, batch)
    labels = np.arange(batch.n_classes)
    X, y = np.arange(len(batch.truth))[:, None], labels[batch.truth]
    fitted = Fitted(batch, labels)
    made = curve.kind.from_estimator(fitted, X, y, sample_weight=batch.weight)
    same(curve.numbers(made), curve.known_by(batch))


@law("Manners", "curves", SUBJECTS, batch=binary_batches(), n_examples=3)
def shows_and_travels(curve: Curve, batch: Batch) -> None:
    """A curve can be pickled, prints what it is, and lays its data out as a frame."""
    made = curve.of(batch)
    same(curve.numbers(pickle.loads(pickle.dumps(made))), curve.numbers(made))
    assert type(made).__name__ in repr(made)
    assert " object at 0x" not in repr(made)
    assert len(repr(made)) < 300
    assert "<table" in made._repr_html_()
    assert isinstance(made.frame(), pd.DataFrame)
