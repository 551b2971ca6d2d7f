"""Calibrated probabilities, their bounds and their error, beside isotonic regression and sorts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.calibration import _TemperatureScaling
from sklearn.isotonic import IsotonicRegression

from benchmarks.timing import row, seconds
from cautious.metrics import calibration_error
from cautious.models import ScoreCalibrator

TITLE = "Calibration"
READ = (
    "Probabilities from scores of cases held out. The interval of one new case needs two isotonic "
    "regressions, one per truth; those of many cases are beside two regressions in all."
)
ISOTONIC = "sklearn.isotonic.IsotonicRegression"


def example(n: int) -> tuple[Any, Any, Any]:
    """Truths, their scores, and as many scores of new cases."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-2 * score))).astype(np.intp)
    return y, score, rng.normal(size=n)


def venn_abers(y: Any, known: Any, asked: Any) -> Any:
    return ScoreCalibrator().fit(y, known).predict_proba_bounds(asked)


def of_two_classes(n: int) -> Iterator[dict[str, Any]]:
    y, score, asked = example(n)
    # Fitted, and asked for as many new cases.
    model = IsotonicRegression(out_of_bounds="clip")
    isotonic = seconds(lambda: model.fit(score, y).predict(asked))
    ours = seconds(lambda: ScoreCalibrator().fit(y, score).predict_proba(asked))
    name = f"isotonic probabilities, {n:,} + {n:,} cases"
    yield row(name, ours, reference=isotonic, against=ISOTONIC, peer=True)
    for how, scores in {
        "": (score, asked),
        ", scores of 3 digits": (score.round(3), asked.round(3)),
    }.items():
        yield row(
            f"Venn–Abers intervals, {n:,} + {n:,} cases{how}",
            seconds(lambda: venn_abers(y, *scores)),  # noqa: B023
            reference=2 * isotonic,
            against=f"two of {ISOTONIC}",
        )
    if find_spec("venn_abers") is not None:
        yield beside_venn_abers(n // 10)


def beside_venn_abers(n: int) -> dict[str, Any]:
    from venn_abers import VennAbers

    y, score, asked = example(n)
    p, q = (1 / (1 + np.exp(-one)) for one in (score, asked))

    def theirs() -> Any:
        model = VennAbers()
        model.fit(np.column_stack([1 - p, p]), y)
        return model.predict_proba(np.column_stack([1 - q, q]))[1]

    found, bounds = theirs(), venn_abers(y, p, q)
    ours = np.column_stack([bounds.lower[:, 1], bounds.upper[:, 1]])
    return row(
        f"Venn–Abers intervals, {n:,} + {n:,} cases",
        seconds(lambda: venn_abers(y, p, q)),
        reference=seconds(theirs),
        against="venn-abers",
        note=f"largest difference {np.abs(found - ours).max():.0e}",
        peer=True,
    )


def of_many_classes(n: int, n_classes: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(n_classes), n)
    y = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1)
    sure = ScoreCalibrator("temperature", temperature=0.5).predict_proba(p)
    what = f"{n:,} × {n_classes}"
    yield row(
        f"temperature, {what}",
        seconds(lambda: ScoreCalibrator("temperature").fit(y, sure)),
        reference=seconds(lambda: _TemperatureScaling().fit(sure, y)),
        against="scikit-learn's temperature scaling",
        peer=True,
    )
    yield row(
        f"probabilities at a temperature, {what}",
        seconds(lambda: ScoreCalibrator("temperature", temperature=2.0).predict_proba(sure)),
        reference=seconds(lambda: softmax(np.log(sure), axis=1)),
        against="scipy's softmax of np.log",
    )

    def sort() -> None:
        np.unique(p.max(axis=1), return_inverse=True)
        p.argmax(axis=1)

    yield row(
        f"calibration error of the top label, {what}",
        seconds(lambda: calibration_error(y, p)),
        reference=seconds(sort),
        against="max, argmax and np.unique of the largest",
    )
    columns = seconds(lambda: [np.unique(one, return_inverse=True) for one in p.T])
    yield row(
        f"calibration error of each class, {what}",
        seconds(lambda: calibration_error(y, p, kind="class-wise")),
        reference=columns,
        against="np.unique of each column",
    )


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = 1_000 if small else 100_000
    yield from of_two_classes(n)
    yield from of_many_classes(n, 10)
