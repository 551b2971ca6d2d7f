"""The same answers by other programs, in the same run, where they are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression

from benchmarks.timing import row, seconds
from cautious.curves import AbstentionCostSurface, DecisionCurve
from cautious.decision import Rule
from cautious.metrics import RiskCoverageCurve

TITLE = "Beside other programs"
READ = (
    "One question, both answers taken in the same run, and checked to be the same before they are "
    "timed. Programs that are not installed are left out; `make bench-peers` installs what it can "
    "in an environment of its own. MAPIE has more rows under measures and guarantees."
)
N = 1_000_000

Job = tuple[str, str, Callable[[], Any], Callable[[], Any]]


class Fixed:
    """A fitted classifier that knows the probabilities already."""

    classes_ = np.array([0, 1])

    def __init__(self, proba: np.ndarray) -> None:
        self.proba = proba

    def fit(self, X: Any, y: Any) -> Fixed:
        """Learn nothing."""
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Give them."""
        return self.proba


def of_sklearn(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Isotonic regression has the bins of our surface."""
    surface = AbstentionCostSurface.from_predictions(y, p)
    steps = IsotonicRegression().fit(p, y).predict(np.sort(p))
    assert len(np.unique(steps)) == len(surface.frame())
    yield (
        "bins with calibrated shares",
        "sklearn.isotonic.IsotonicRegression",
        lambda: AbstentionCostSurface.from_predictions(y, p),
        lambda: IsotonicRegression().fit(p, y),
    )


def of_scikit_fallback(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """A threshold below which a classifier abstains."""
    from skfb.estimators import predict_or_fallback

    proba = np.column_stack([1 - p, p])
    rule, fixed = Rule.confidence(0.8, classes=(0, 1)), Fixed(proba)

    def theirs() -> np.ndarray:
        return np.asarray(predict_or_fallback(fixed, proba, fixed.classes_, threshold=0.8)) == -1

    yield (
        "abstaining below a probability of .8",
        "scikit-fallback, predict_or_fallback",
        lambda: np.logical_and(*rule.predict_set(proba, classes=(0, 1)).T),
        theirs,
    )


def of_mapie(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """How many sets hold the truth."""
    from mapie.metrics.classification import classification_coverage_score

    from cautious.metrics import containment_score

    mask = np.column_stack([p < 0.8, p > 0.2])
    yield (
        "containment of sets of two classes",
        "MAPIE, classification_coverage_score",
        lambda: containment_score(y, mask, classes=np.array([0, 1])),
        lambda: float(classification_coverage_score(y, mask[:, :, None])[0]),
    )


def of_dcurves(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Net benefit at ninety-nine thresholds."""
    import pandas as pd
    from dcurves import dca

    at = np.arange(1, 100) / 100
    frame = pd.DataFrame({"y": y, "model": p})

    def theirs() -> np.ndarray:
        found = dca(data=frame, outcome="y", modelnames=["model"], thresholds=at)
        return found.loc[found["model"] == "model", "net_benefit"].to_numpy()

    yield (
        "net benefit at 99 thresholds",
        "dcurves",
        lambda: DecisionCurve.from_predictions(y, p).net_benefit(at),
        theirs,
    )


PEERS = {
    "sklearn": of_sklearn,
    "skfb": of_scikit_fallback,
    "mapie": of_mapie,
    "dcurves": of_dcurves,
}


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = N // 100 if small else N
    rng = np.random.default_rng(0)
    p = rng.random(n)
    y = (rng.random(n) < p).astype(np.int64)
    for package, jobs in PEERS.items():
        if find_spec(package) is None:
            continue
        for name, peer, ours, theirs in jobs(y, p):
            one, other = ours(), theirs()
            if isinstance(other, float | np.ndarray):
                np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
            yield row(
                f"{name}, n = {n:,}",
                seconds(ours),
                reference=seconds(theirs),
                against=peer,
                peer=True,
            )
    curve = seconds(lambda: RiskCoverageCurve.from_predictions(y, np.column_stack([1 - p, p])))
    note = "scikit-fallback's counterpart ranks sorted confidences against unsorted cases"
    yield row(f"risk–coverage curve, n = {n:,}", curve, note=note)
