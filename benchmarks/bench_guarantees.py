"""Certified rules beside those of others, and beside one sort of the scores."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import optimize, stats

from benchmarks.timing import row
from cautious.guarantees import certify, mean_bound, risk_bound

TITLE = "Guarantees"
READ = (
    "Two unit normals d apart, with right probabilities; a limit on the mistakes among the "
    "answers, at 90 % confidence. Notes: mean coverage / share of fits that overdraw the limit. "
    "Naive takes the loosest threshold that keeps the limit on the calibration cases. Then "
    "certificates from a million scores, beside one sort of them, and betting bounds of a mean. "
    "Seconds are those of the processor. SGR and the plug-in bets are written here after their "
    "papers."
)
SETTINGS = ((2, 300, 0.10), (2, 1000, 0.10), (2, 1000, 0.05), (3, 2000, 0.02))
DELTA = 0.1
TRIALS = {"ours": 2000, "naive": 2000, "SGR": 2000, "MAPIE": 300}
N = 1_000_000


def world(rng: np.random.Generator, n: int, d: float) -> tuple[np.ndarray, np.ndarray]:
    """Labels and their right probabilities."""
    y = rng.integers(2, size=n)
    return y, 1 / (1 + np.exp(-d * rng.normal(d * (y - 0.5), 1)))


def truth_of(threshold: float, d: float) -> tuple[float, float]:
    """Shares of wrong and of all answers from a threshold on."""
    if not threshold < 1:
        return 0.0, 0.0
    z = (math.log(threshold) - math.log1p(-threshold)) / d
    wrong, right = stats.norm.sf(z + d / 2), stats.norm.sf(z - d / 2)
    return float(wrong), float(wrong + right)


# Each takes labels and probabilities of calibration cases, probabilities of others, and the limit;
# each gives a threshold on the confidence, infinite where there is none.


def ours(y: np.ndarray, p: np.ndarray, others: np.ndarray, limit: float) -> float:
    """Test quantiles of other cases in a fixed sequence, exactly."""
    found = certify(
        y, y_score=p, other_scores=others, max_error=limit, confidence_level=1 - DELTA
    ).rule
    return math.inf if found is None else float(found.threshold)


def ranked(y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Confidences, falling, and the number of mistakes down to each."""
    confidence = np.maximum(p, 1 - p)
    order = np.argsort(-confidence)
    return confidence[order], np.cumsum((p > 0.5)[order] != y[order])


def naive(y: np.ndarray, p: np.ndarray, others: np.ndarray, limit: float) -> float:
    """Trust the calibration cases."""
    confidence, wrong = ranked(y, p)
    kept = np.flatnonzero(wrong <= limit * np.arange(1, len(wrong) + 1))
    return float(confidence[kept[-1]]) if len(kept) else math.inf


def sgr(y: np.ndarray, p: np.ndarray, others: np.ndarray, limit: float) -> float:
    """Search for the threshold by halving, each step at an equal part of δ (Geifman & El-Yaniv)."""
    confidence, wrong = ranked(y, p)
    steps = math.ceil(math.log2(len(y)))
    low, high, found = 0, len(y) - 1, math.inf
    for _ in range(steps):
        middle = (low + high + 1) // 2
        bound = risk_bound(int(wrong[middle]), middle + 1, 1 - DELTA / steps)
        if bound <= limit:
            low, found = middle, float(confidence[middle])
        else:
            high = middle
    return found


def of_mapie(y: np.ndarray, p: np.ndarray, others: np.ndarray, limit: float, how: str) -> float:
    """Let MAPIE control the precision of "this answer is right"."""
    from mapie.risk_control import BinaryClassificationController

    def answers(confidence: np.ndarray) -> np.ndarray:
        return np.column_stack([1 - confidence, confidence])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        control = BinaryClassificationController(
            answers,
            risk="precision",
            target_level=1 - limit,
            confidence_level=1 - DELTA,
            fwer_method=how,
        ).calibrate(np.maximum(p, 1 - p), ((p > 0.5) == y).astype(int))
    best = control.best_predict_param
    return math.inf if best is None else max(float(best), 0.5 + 1e-12)


def rules() -> dict[str, Callable[..., float]]:
    """Ways to choose a threshold; MAPIE's where it is installed."""
    found: dict[str, Callable[..., float]] = {"ours": ours, "naive": naive, "SGR": sgr}
    if find_spec("mapie") is None:
        return found
    for how in ("fixed_sequence", "bonferroni_holm"):
        found[f"MAPIE, {how.replace('_', ' ')}"] = lambda *given, how=how: of_mapie(*given, how)
    return found


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    for d, n, limit in SETTINGS:
        best = optimize.brentq(lambda t, d=d, a=limit: _excess(t, d, a), 0.5 + 1e-9, 1 - 1e-9)
        for name, choose in rules().items():
            trials = TRIALS[name.partition(",")[0]] // (100 if small else 1)
            yield one_rule(name, choose, d, n, limit, trials, truth_of(best, d)[1])
    yield from against_sort(N // 100 if small else N)
    yield from slack(5 if small else 200)


def _excess(threshold: float, d: float, limit: float) -> float:
    wrong, answered = truth_of(threshold, d)
    return wrong - limit * answered


def one_rule(
    name: str, choose: Any, d: int, n: int, limit: float, trials: int, oracle: float
) -> dict[str, Any]:
    """Fit again and again, and look up the truth; seconds are of one fit."""
    rng = np.random.default_rng(0)
    found, spent = [], 0.0
    for _ in range(trials):
        others, (y, p) = world(rng, n, d)[1], world(rng, n, d)
        start = time.process_time()
        threshold = choose(y, p, others, limit)
        spent += time.process_time() - start
        found.append(truth_of(threshold, d))
    wrong, answered = np.transpose(found)
    note = (
        f"{answered.mean():.3f} / {(wrong > limit * answered).mean():.3f} in {trials} fits; at "
        f"best {oracle:.3f}"
    )
    return row(
        f"d = {d}, n = {n}, at most {100 * limit:g} % wrong: {name}", spent / trials, note=note
    )


def seconds(work: Callable[[], Any]) -> float:
    """Best processor time of four runs: all of it is single-threaded."""
    times = []
    for _ in range(4):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def against_sort(n: int) -> Iterator[dict[str, Any]]:
    """A certificate from many scores."""
    rng = np.random.default_rng(0)
    y, p = world(rng, n, 2)
    others = world(rng, 10_000, 2)[1]
    against = {
        "reference": seconds(lambda: np.argsort(p)),
        "against": "np.argsort of the scores",
        "note": "asked: at most 3",
    }
    for name, given in (("", {}), (", candidates from other cases", {"other_scores": others})):
        taken = seconds(lambda given=given: certify(y, y_score=p, max_error=0.1, **given))
        yield row(f"certify, n = {n:,}{name}", taken, **against)
    taken = seconds(lambda: certify(y, y_score=p, max_error=0.1, promise="on average"))
    yield row(f"certify on average, n = {n:,}", taken, **against)


def slack(trials: int) -> Iterator[dict[str, Any]]:
    """How far bounds lie above the mean seen, at 90 % confidence."""
    values = np.array([0, 0.1, 0.2, 1])

    def measured(bound: Callable[..., float], samples: np.ndarray) -> tuple[float, float]:
        start = time.process_time()
        gaps = [bound(one) - one.mean() for one in samples]
        return (time.process_time() - start) / trials, float(np.mean(gaps))

    for n, shares in ((1000, (0.8, 0.15, 0.03, 0.02)), (300, (0.97, 0.01, 0.01, 0.01))):
        samples = np.random.default_rng(0).choice(values, (trials, n), p=shares)
        other, their_gap = measured(plug_in, samples)
        for name, bound in (
            ("from counts", lambda x: mean_bound(values, _counted(values, x), 1 - DELTA)),
            ("case by case", lambda x: mean_bound(x, None, 1 - DELTA, low=0, high=1)),
        ):
            spent, gap = measured(bound, samples)
            yield row(
                f"mean_bound {name}, n = {n}",
                spent,
                reference=other,
                against="predictable plug-in bets, case by case, as in confseq",
                note=f"slack {gap:.4f}, of the other {their_gap:.4f}",
            )


def _counted(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (x == values[:, None]).sum(axis=1)


def plug_in(x: np.ndarray) -> float:
    """Bound a mean as Waudby-Smith & Ramdas do: a bet on every case in turn, truncated at half."""
    n = len(x)
    t = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.append(0.25, variance[:-1])
    stakes = np.sqrt(2 * math.log(1 / DELTA) / (n * before))

    def lacking(m: float) -> float:
        gains = np.log1p(np.minimum(stakes, 0.5 / (1 - m)) * (m - x))
        return float(math.log(1 / DELTA) - np.cumsum(gains).max())

    return float(optimize.brentq(lacking, 0.0, 1 - 1e-9)) if lacking(1 - 1e-9) < 0 else 1.0
