"""From what a caller has to what the page shows: staircases of scores, and counts of sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Labels, Mask, as_floats
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.decision import optimal_sets
from cautious.logs import guess_columns
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.report.frames import models_of_frame
from cautious.sets import check_classes, check_probabilities, check_truth, frame_in_class_order

__all__ = ["BinaryModel", "SetModel", "read_predictions"]

_KEYS = {"y_true", "y_score", "y_proba", "y_set", "classes", "pos_label", "sample_weight"}
_COUNTED = {"counts", "risk_coverage"}


@dataclass(frozen=True)
class BinaryModel:
    """A classifier that scores two classes."""

    name: str
    staircase: Staircase

    @property
    def classes(self) -> list[str]:
        """Names of the negative and of the positive class."""
        return [str(label) for label in self.staircase.classes]


@dataclass(frozen=True)
class SetModel:
    """A classifier that answers with sets of classes, and maybe how sure it was."""

    name: str
    counts: SetCounts
    risk: RiskCoverageCurve | None = None

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return [str(label) for label in self.counts.classes.tolist()]


Model = BinaryModel | SetModel


def read_predictions(predictions: Any, *, pos_label: Any = None) -> list[Model]:
    """Read predictions of one or more models.

    Parameters
    ----------
    predictions : mapping or DataFrame
        See :func:`cautious.report.build_report`.
    pos_label : label, optional
        The positive class of two.

    Returns
    -------
    list of BinaryModel or SetModel
        In the order given.
    """
    if isinstance(predictions, pd.DataFrame):
        predictions = {"predictions": predictions}
    if not isinstance(predictions, Mapping):
        raise TypeError(
            f"predictions is {type(predictions).__name__}; give a mapping from the name of a model "
            "to its predictions, or a table."
        )
    models: list[Model] = []
    for name, given in predictions.items():
        try:
            models.extend(_read(str(name), given, pos_label))
        except (ValueError, TypeError) as error:
            raise type(error)(f"predictions[{str(name)[:80]!r}]: {error}") from error
    if not models:
        raise ValueError("predictions is empty; give the predictions of at least one model.")
    return models


def _read(name: str, given: Any, pos_label: Any) -> Iterator[Model]:
    """Read what was given for one name; a table may hold several models."""
    if isinstance(given, pd.DataFrame):
        for model, arrays in models_of_frame(
            given, guess_columns(list(given.columns)), name
        ).items():
            yield from _read(model, arrays, pos_label)
    elif isinstance(given, AbstentionCostSurface):
        yield BinaryModel(name, _two_classes(given.staircase))
    elif isinstance(given, Staircase):
        yield BinaryModel(name, _two_classes(given))
    elif isinstance(given, SetCounts):
        yield SetModel(name, given)
    elif isinstance(given, RiskCoverageCurve):
        yield SetModel(name, _counts_of_risk(given), given)
    elif isinstance(given, Mapping) and "counts" in given and not set(given) - _COUNTED:
        yield SetModel(name, *_counted(given["counts"], given.get("risk_coverage")))
    elif isinstance(given, Mapping):
        yield from _read_arrays(name, {"pos_label": pos_label, **given})
    elif isinstance(given, tuple) and len(given) == 2:
        y_true, answers = given
        kind = "y_set" if _holds_booleans(answers) else "y_score"
        yield from _read_arrays(name, {"y_true": y_true, kind: answers, "pos_label": pos_label})
    else:
        raise TypeError(
            f"is {type(given).__name__}; give (y_true, y_score), a mapping with y_true and "
            "y_score, y_proba or y_set, a table, a Staircase, SetCounts or RiskCoverageCurve."
        )


def _holds_booleans(answers: Any) -> bool:
    try:
        return bool(np.asarray(answers).dtype == np.bool_)
    except ValueError:  # rows of different lengths
        return False


def _counted(counts: Any, risk: Any) -> tuple[SetCounts, RiskCoverageCurve | None]:
    """Check counts that stand for predictions."""
    if not isinstance(counts, SetCounts):
        raise TypeError(f"counts is {type(counts).__name__}; give SetCounts.")
    if risk is not None and not isinstance(risk, RiskCoverageCurve):
        raise TypeError(f"risk_coverage is {type(risk).__name__}; give RiskCoverageCurve.")
    return counts, risk


def _read_arrays(name: str, given: Mapping[str, Any]) -> Iterator[Model]:
    """Read a mapping of arrays."""
    unknown = set(given) - _KEYS
    if unknown or "y_true" not in given:
        keys = sorted(str(key) for key in given if given[key] is not None)
        raise ValueError(
            f"has keys {keys}; y_true is needed, and beside it are allowed "
            f"{', '.join(sorted(_KEYS - {'y_true'}))}."
        )
    scores, proba, sets = (given.get(key) for key in ("y_score", "y_proba", "y_set"))
    if scores is None and proba is None and sets is None:
        raise ValueError("has no predictions; give one of y_score, y_proba and y_set.")
    for key, what in (("y_score", "scores"), ("y_proba", "probabilities")):
        if given.get(key) is not None:
            as_floats(given[key], key, what)  # what is no number is named here
    if scores is not None and np.ndim(scores) == 2:
        scores, proba = None, scores
    y_true, weight = check_truth(given["y_true"]), given.get("sample_weight")
    classes, positive = given.get("classes"), given.get("pos_label")
    if scores is not None:
        staircase = Staircase.from_predictions(
            y_true, scores, pos_label=positive, sample_weight=weight, classes=classes
        )
        yield BinaryModel(name, _two_classes(staircase))
    labels = check_classes(np.unique(y_true) if classes is None else classes)
    p = None if proba is None else _checked(proba, labels)
    if p is not None and len(labels) == 2:
        yield _binary_of_proba(name, y_true, p, labels, positive, weight)
    if sets is not None or (p is not None and len(labels) > 2):
        yield from _set_models(name, y_true, p, sets, labels, weight)


def _binary_of_proba(
    name: str, y_true: Labels, p: Floats, labels: Labels, positive: Any, weight: Any
) -> BinaryModel:
    """Read the probabilities of two classes."""
    names = labels.tolist()
    at = 1 if positive is None else names.index(positive) if positive in names else -1
    if at < 0:
        raise ValueError(f"pos_label is {positive!r}, which is not among the classes {names!r}.")
    staircase = Staircase.from_predictions(
        y_true, p[:, at], sample_weight=weight, classes=(names[1 - at], names[at])
    )
    return BinaryModel(name, _two_classes(staircase))


def _set_models(
    name: str, y_true: Labels, p: Floats | None, sets: Any, labels: Labels, weight: Any
) -> Iterator[SetModel]:
    """Count prediction sets, given or made from probabilities."""
    risk = None
    if p is not None:
        risk = RiskCoverageCurve.from_predictions(y_true, p, classes=labels, sample_weight=weight)
    answers = {name: sets} if sets is not None or p is None else _answers(name, p)
    for title, y_set in answers.items():
        counts = SetCounts.from_predictions(y_true, y_set, classes=labels, sample_weight=weight)
        yield SetModel(title, counts, risk if title == name else None)


def _answers(name: str, p: Floats) -> dict[str, Mask]:
    """Answer with the likeliest class, and with the sets of greatest expected utility."""
    likeliest = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(likeliest, p.argmax(axis=1, keepdims=True), True, axis=1)
    answers = {name: likeliest}
    for utility in ("u65", "u80"):
        answers[f"{name}, {utility} sets"] = optimal_sets(p, utility)
    return answers


def _checked(proba: Any, labels: Labels) -> Floats:
    """Check class probabilities against the classes."""
    in_order = frame_in_class_order(proba, labels, "y_proba")
    p = check_probabilities(in_order, name="y_proba")
    if p.shape[1] != len(labels):
        raise ValueError(
            f"y_proba has {p.shape[1]} columns but there are {len(labels)} classes; pass classes= "
            "with the class of each column, in order."
        )
    return p


def _counts_of_risk(risk: RiskCoverageCurve) -> SetCounts:
    """Single answers of which only right or wrong is known."""
    if not len(risk.classes):
        raise ValueError(
            "this RiskCoverageCurve does not know its classes; count it with classes=, or give the "
            "SetCounts beside it as dict(counts=..., risk_coverage=...)."
        )
    right = risk.loss == 0
    if not np.isin(risk.loss, (0, 1)).all():
        raise ValueError("this RiskCoverageCurve counts losses other than 0 and 1, not answers.")
    unknown = np.full(len(right), -1, dtype=np.intp)
    return SetCounts(
        classes=risk.classes,
        truth=risk.truth,
        size=np.ones(len(right), dtype=np.intp),
        answer=np.where(right, risk.truth, -1),  # which wrong class it was is not known
        hit=np.asarray(right),
        forced=unknown,
        weight=risk.weight,
        set_index=unknown,
        words=np.empty((0, 1), dtype=np.uint64),
    )


def _two_classes(staircase: Staircase) -> Staircase:
    """Refuse a sample in which one class does not occur: nothing can be weighed against it."""
    counts = (staircase.n_negatives, staircase.n_positives)
    for label, count in zip(staircase.classes, counts, strict=True):
        if count == 0:
            raise ValueError(
                f"no row has the truth {str(label)[:80]!r}; a report on two classes needs rows of "
                "both."
            )
    return staircase
