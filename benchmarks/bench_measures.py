"""Measures of prediction sets beside plain numpy, and beside what others offer for the same."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

from benchmarks.timing import row, seconds
from cautious.metrics import (
    MEASURES,
    SetCounts,
    aurc_score,
    coverage_score,
    mean_set_size,
    utility_score,
)

TITLE = "Measures of prediction sets"
READ = (
    "Whole calls, checks included, beside plain numpy without any, and beside the same numbers "
    "from other packages, which are seen to be equal before they are timed."
)
N, N_CLASSES, FEW = 1_000_000, 10, 12


def sample(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truths, most probable classes and sets of nearly as probable ones."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(N_CLASSES), n)
    return rng.integers(0, N_CLASSES, n), p.argmax(axis=1), p >= 0.7 * p.max(axis=1)[:, None]


def by_hand(y: np.ndarray, mask: np.ndarray) -> float:
    """Mean u65 utility in plain numpy."""
    x = mask[np.arange(len(y)), y] / mask.sum(axis=1)
    return float((1.6 * x - 0.6 * x * x).mean())


def aurc_by_hand(y: np.ndarray, p: np.ndarray) -> float:
    """Mean selective risk of answering the most probable cases, in plain numpy."""
    wrong = (p.argmax(axis=1) != y)[np.argsort(-p.max(axis=1))]
    return float((np.cumsum(wrong) / np.arange(1, len(y) + 1)).mean())


def every(y: Any, answer: Any, mask: Any, known: Any) -> Iterator[tuple[str, Callable[[], float]]]:
    """All measures of sets that need no more than truths, sets and forced answers."""
    for name, measure in MEASURES.items():
        if measure.counts is SetCounts and not measure.missing_params() - {"y_pred"}:
            given = measure.params | known
            if "y_pred" in measure.needs:
                given |= {"y_pred": answer}
            yield name, lambda score=measure.score, given=given: score(y, mask, **given)


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = N // 100 if small else N
    y, answer, mask = sample(n)
    known = {"classes": np.arange(N_CLASSES)}
    assert np.isclose(utility_score(y, mask, **known), by_hand(y, mask))
    numpy_alone = seconds(lambda: by_hand(y, mask))
    beside = {"reference": numpy_alone, "against": "u65 in plain numpy, no checks"}
    for score in (utility_score, coverage_score, mean_set_size):
        time = seconds(lambda score=score: score(y, mask, **known))
        name = f"{score.__name__}, {n:,} × {N_CLASSES}"
        yield row(name, time, **beside, note="asked: at most 3")
    times = {name: seconds(work) for name, work in every(y, answer, mask, known)}
    slowest = max(times, key=times.__getitem__)
    note = f"{slowest}; asked: at most 3"
    name = f"the slowest of {len(times)} measures of sets, {n:,} × {N_CLASSES}"
    yield row(name, times[slowest], **beside, note=note)
    p = np.random.default_rng(0).dirichlet(np.ones(N_CLASSES), n)
    assert np.isclose(aurc_score(y, p, **known), aurc_by_hand(y, p), rtol=1e-3, atol=0.01)
    yield row(
        f"aurc_score, {n:,} × {N_CLASSES}",
        seconds(lambda: aurc_score(y, p, **known)),
        reference=seconds(lambda: aurc_by_hand(y, p)),
        against="AURC in plain numpy, no checks",
        note="asked: at most 3",
    )
    few, short = (y[:FEW], mask[:FEW]), (y[:FEW], answer[:FEW])
    yield row(
        f"utility_score, {FEW} rows",
        seconds(lambda: utility_score(*few, **known), repeats=50),
        reference=seconds(lambda: accuracy_score(*short), repeats=50),
        against="sklearn.metrics.accuracy_score",
        note="asked: at most 1.5",
        peer=True,
    )
    if importlib.util.find_spec("mapie") is not None:
        yield from beside_mapie(y, mask, known)


def beside_mapie(y: np.ndarray, mask: np.ndarray, known: Any) -> Iterator[dict[str, Any]]:
    """Containment and mean set size, by MAPIE's names."""
    from mapie.metrics.classification import (
        classification_coverage_score,
        classification_mean_width_score,
    )

    levels = mask[:, :, None]
    for ours, theirs in (
        (
            lambda: MEASURES["containment"].score(y, mask, **known),
            lambda: float(classification_coverage_score(y, levels)[0]),
        ),
        (
            lambda: mean_set_size(y, mask, **known),
            lambda: float(classification_mean_width_score(levels)[0]),
        ),
    ):
        assert np.isclose(ours(), theirs())
        name = ("containment", "mean set size")[ours() > 1]
        yield row(
            f"{name}, {len(y):,} × {N_CLASSES}",
            seconds(ours),
            reference=seconds(theirs),
            against="MAPIE",
            peer=True,
        )
