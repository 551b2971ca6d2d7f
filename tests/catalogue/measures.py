"""Laws of measures: whatever enters ``cautious.metrics.MEASURES`` keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.catalogue.agreement import at_most, same
from tests.catalogue.law import law
from tests.catalogue.strategies import Batch, batches, binary_batches, renamings, seeds

from cautious.costs import discounted, zero_one
from cautious.curves import RiskCoverageCurve
from cautious.metrics import MEASURES, SetCounts
from cautious.metrics._registry import Measure
from cautious.utility import u65

SUBJECTS = dict(sorted(MEASURES.items()))
# What a measure cannot do without, for so many classes.
NEEDED = {"set_cost": lambda k: {"costs": discounted(zero_one(k))}}


def params_of(measure: Measure, k: int) -> dict[str, Any]:
    return NEEDED[measure.name](k) if measure.name in NEEDED else {}


def counted(measure: Measure, batch: Batch, classes: Any = None, weight: Any = True) -> Any:
    classes = np.arange(batch.n_classes) if classes is None else np.asarray(classes)
    truth = classes[batch.truth]
    given = {"classes": classes, "sample_weight": batch.weight if weight else None}
    if measure.counts is RiskCoverageCurve:
        return RiskCoverageCurve.of_cases(truth, batch.proba, **given).merge()[0]
    return SetCounts.from_predictions(truth, batch.mask, y_pred=classes[batch.forced], **given)


def value(measure: Measure, batch: Batch, classes: Any = None, weight: Any = True) -> float:
    counts = counted(measure, batch, classes, weight)
    return float(measure(counts, **params_of(measure, batch.n_classes)))


SET_MEASURES = {n: m for n, m in SUBJECTS.items() if m.counts is SetCounts}
PARTIAL = {n: m for n, m in SET_MEASURES.items() if "partial" in m.parameters}


@law("Invariance", "measures", SUBJECTS, batch=batches(), seed=seeds)
def order_of_rows(measure: Measure, batch: Batch, seed: int) -> None:
    """The order of the rows does not matter."""
    assert counted(measure, batch) == counted(measure, batch.shuffled(seed))
    same(value(measure, batch), value(measure, batch.shuffled(seed)))


@law("Invariance", "measures", SUBJECTS, batch=batches())
def weight_is_repetition(measure: Measure, batch: Batch) -> None:
    """A weight counts the repetitions of a row."""
    assert counted(measure, batch) == counted(measure, batch.repeated())
    same(value(measure, batch), value(measure, batch.repeated()))


@law("Invariance", "measures", SUBJECTS, batch=batches())
def uniform_weights(measure: Measure, batch: Batch) -> None:
    """Weights of one are no weights."""
    same(value(measure, batch.unweighted()), value(measure, batch, weight=None))


@law(
    "Invariance",
    "measures",
    SUBJECTS,
    batch=batches(),
    factor=st.sampled_from([1e-9, 0.125, 3, 1e6]),
)
def scale_of_weights(measure: Measure, batch: Batch, factor: float) -> None:
    """Multiplying all weights by a number changes nothing."""
    scaled = batch._replace(weight=batch.weight * factor)
    same(value(measure, batch), value(measure, scaled))


@law("Invariance", "measures", SUBJECTS, batch=batches(), names=renamings())
def names_of_classes(measure: Measure, batch: Batch, names: Any) -> None:
    """What the classes are called does not matter: text, numbers, booleans, in any order."""
    same(value(measure, batch), value(measure, batch, names(batch.n_classes)))


@law("Invariance", "measures", SUBJECTS, batch=batches(), seed=seeds)
def order_of_classes(measure: Measure, batch: Batch, seed: int) -> None:
    """The order of the classes, and so of the columns, does not matter."""
    order = np.random.default_rng(seed).permutation(batch.n_classes)
    same(value(measure, batch), value(measure, batch.permuted(order)))


@law("Invariance", "measures", SUBJECTS, batch=batches(), seed=seeds)
def split_and_merge(measure: Measure, batch: Batch, seed: int) -> None:
    """The counts of parts add up to those of the whole, in any split and any order."""
    part = np.random.default_rng(seed).integers(3, size=len(batch.truth))
    a, b, c = (counted(measure, batch.rows(part == i)) for i in range(3))
    whole = counted(measure, batch)
    assert (a + b) + c == a + (b + c) == c + a + b == whole
    params = params_of(measure, batch.n_classes)
    same(measure(a + b + c, **params), measure(whole, **params))


# What a measure comes to when every set is a single class, given the accuracy of those classes.
ON_SINGLETONS = {
    "abstention": lambda accuracy: 0.0,
    "capacity": lambda accuracy: (1 + accuracy) / 2,
    "capacity_prior": lambda accuracy: (1 + accuracy) / 2,
    "certainty_equivalent": lambda accuracy: u65.inverse(accuracy),
    "certainty_equivalent_u65": lambda accuracy: u65.inverse(accuracy),
    "containment": lambda accuracy: accuracy,
    "coverage": lambda accuracy: 1.0,
    "coverage_f": lambda accuracy: 2 * accuracy / (1 + accuracy),
    "determinacy": lambda accuracy: 1.0,
    "discounted_accuracy": lambda accuracy: accuracy,
    "discounted_accuracy_variance": lambda accuracy: accuracy * (1 - accuracy),
    "efficacy": lambda accuracy: (1 + accuracy) / 2,
    "error": lambda accuracy: 1 - accuracy,
    "f1": lambda accuracy: accuracy,
    "indeterminate_set_size": lambda accuracy: np.nan,
    "mean_set_size": lambda accuracy: 1.0,
    "needless_abstention": lambda accuracy: 0.0,
    "reckless_answer": lambda accuracy: 1 - accuracy,
    "selective_accuracy": lambda accuracy: accuracy,
    "selective_risk": lambda accuracy: 1 - accuracy,
    "set_accuracy": lambda accuracy: np.nan,
    "set_cost": lambda accuracy: 1 - accuracy,
    "single_accuracy": lambda accuracy: accuracy,
    "u65": lambda accuracy: accuracy,
    "u80": lambda accuracy: accuracy,
    "utility": lambda accuracy: accuracy,
}


@law(
    "Reduction",
    "measures",
    SET_MEASURES,
    batch=batches(),
)
def single_classes(measure: Measure, batch: Batch) -> None:
    """Where every set is a single class, a measure is a function of plain accuracy."""
    singles = batch._replace(mask=np.eye(batch.n_classes, dtype=bool)[batch.forced])
    accuracy = np.average(batch.forced == batch.truth, weights=batch.weight)
    same(value(measure, singles), ON_SINGLETONS[measure.name](accuracy))


@law("Reduction", "measures", PARTIAL, batch=binary_batches())
def two_classes_have_no_partial_sets(measure: Measure, batch: Batch) -> None:
    """With two classes it does not matter what a partial set counts as."""
    counts = counted(measure, batch)
    same(measure(counts, partial="abstain"), measure(counts, partial="answer"))


@law(
    "Monotonicity",
    "measures",
    SUBJECTS,
    exempt={
        "discounted_accuracy_variance": "more right answers can vary more",
        "excess_augrc": "the best possible confidence gains more than the given one",
        "excess_aurc": "the best possible confidence gains more than the given one",
    },
    batch=batches(),
    seed=seeds,
)
def righting_an_answer(measure: Measure, batch: Batch, seed: int) -> None:
    """Exchanging a wrong class for the truth, in a set and in the scores, never makes it worse."""
    row = np.random.default_rng(seed).integers(len(batch.truth))
    mask, proba, forced = batch.mask.copy(), batch.proba.copy(), batch.forced.copy()
    truth, best = batch.truth[row], proba[row].argmax()
    if not mask[row, truth]:
        mask[row, mask[row].argmax()] = False
        mask[row, truth] = True
    proba[row, [truth, best]] = proba[row, [best, truth]]
    if (batch.mask[row].sum()) == 1 and not batch.mask[row, truth]:
        forced[row] = truth
    better = batch._replace(mask=mask, proba=proba, forced=forced)
    before, after = value(measure, batch), value(measure, better)
    at_most(*((before, after) if measure.greater_is_better else (after, before)))
