"""The same answers by other programs, in the same run, where they are installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import sklearn.utils
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from benchmarks.timing import row, seconds
from cautious.curves import AbstentionCostSurface, DecisionCurve, RiskCoverageCurve
from cautious.decision import Rule, optimal_sets
from cautious.guarantees import mean_bound
from cautious.metrics import MEASURES, aurc_score, cautious_confusion_matrix
from cautious.models import ConformalClassifier
from cautious.sets import as_mask

TITLE = "Beside other programs"
READ = (
    "One question, both answers taken in the same run, and checked to be the same before they are "
    "timed; where they are two answers to one question, the note says both. Programs that cannot "
    "be imported are left out; `make bench-peers` installs what it can in an environment of its "
    "own. confseq 0.0.11 does not build on Python 3.11 and later (the pybind11 that it pins); its "
    "bets are plain Python and are imported from its source where that is on the path. MAPIE has "
    "more rows under measures and guarantees."
)
N = 1_000_000
N_CLASSES = 10

# What is asked, of whom, our answer and theirs; and a note where they may differ.
Job = tuple[str, str, Callable[[], Any], Callable[[], Any], str | None]


class Fixed(ClassifierMixin, BaseEstimator):
    """A fitted classifier of what are the probabilities already."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def fit(self, X: Any, y: Any) -> Fixed:
        """Learn nothing."""
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Give them."""
        return X


def of_sklearn(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Isotonic regression has the bins of our surface."""
    surface = AbstentionCostSurface.from_predictions(y, p)
    steps = IsotonicRegression().fit(p, y).predict(np.sort(p))
    assert len(np.unique(steps)) == len(surface.frame())
    yield (
        f"bins with calibrated shares, n = {len(y):,}",
        "sklearn.isotonic.IsotonicRegression",
        lambda: AbstentionCostSurface.from_predictions(y, p),
        lambda: IsotonicRegression().fit(p, y),
        "",
    )


def of_scikit_fallback(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """A threshold below which a classifier abstains."""
    from skfb.estimators import predict_or_fallback

    proba = np.column_stack([1 - p, p])
    rule, fixed = Rule.confidence(0.8, classes=(0, 1)), Fixed(2)

    def theirs() -> np.ndarray:
        return np.asarray(predict_or_fallback(fixed, proba, fixed.classes_, threshold=0.8)) == -1

    yield (
        f"abstaining below a probability of .8, n = {len(y):,}",
        "scikit-fallback, predict_or_fallback",
        lambda: np.logical_and(*rule.predict_set(proba, classes=(0, 1)).T),
        theirs,
        None,
    )


def of_mapie(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """How many sets hold the truth."""
    from mapie.metrics.classification import classification_coverage_score

    mask = np.column_stack([p < 0.8, p > 0.2])
    yield (
        f"containment of sets of two classes, n = {len(y):,}",
        "MAPIE, classification_coverage_score",
        lambda: MEASURES["containment"].score(y, mask, classes=np.array([0, 1])),
        lambda: float(classification_coverage_score(y, mask[:, :, None])[0]),
        None,
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
        f"net benefit at 99 thresholds, n = {len(y):,}",
        "dcurves",
        lambda: DecisionCurve.from_predictions(y, p).net_benefit(at),
        theirs,
        None,
    )


def many_classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Truths of ten classes and their probabilities."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(N_CLASSES, 0.5), n)
    return (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1), p


def of_torchmetrics(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Answers against truths."""
    import torch
    from torchmetrics.functional.classification import multiclass_confusion_matrix

    truth, proba = many_classes(len(y))
    answer = proba.argmax(axis=1)
    given = torch.from_numpy(answer), torch.from_numpy(truth)
    known = {"classes": np.arange(N_CLASSES)}
    yield (
        f"confusion matrix, {len(y):,} cases of {N_CLASSES} classes",
        "torchmetrics, multiclass_confusion_matrix",
        lambda: cautious_confusion_matrix(truth, answer, **known).to_numpy()[:-1],
        lambda: multiclass_confusion_matrix(*given, num_classes=N_CLASSES).numpy().T,
        None,
    )


def of_torch_uncertainty(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Risk against coverage, and sets that hold the truth."""
    import torch
    from torch_uncertainty.metrics.classification import AURC, CoverageRate

    truth, proba = many_classes(len(y))
    mask = proba >= 0.5 * proba.max(axis=1, keepdims=True)
    known = {"classes": np.arange(N_CLASSES)}
    given = [torch.from_numpy(one) for one in (proba, mask, truth)]

    def theirs(metric: Any, what: Any) -> float:
        metric.update(what, given[2])
        return float(metric.compute())

    yield (
        f"AURC, {len(y):,} × {N_CLASSES}",
        "torch-uncertainty, AURC",
        lambda: aurc_score(truth, proba, **known),
        lambda: theirs(AURC(), given[0]),
        "theirs by the trapezoid rule, ours exact",
    )
    yield (
        f"containment, {len(y):,} × {N_CLASSES}",
        "torch-uncertainty, CoverageRate",
        lambda: MEASURES["containment"].score(truth, mask, **known),
        lambda: theirs(CoverageRate(), given[1]),
        None,
    )


def of_crepes(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Conformal sets from half of the cases for the other half."""
    from crepes import WrapClassifier

    _, proba = many_classes(len(y) // 100)
    truth, half = many_classes(len(y) // 100)[0], len(proba) // 2
    base = Fixed(N_CLASSES)
    own = ConformalClassifier(FrozenEstimator(base), confidence_level=0.873)
    own.fit(proba[:half], truth[:half])
    other = WrapClassifier(base)
    other.calibrate(proba[:half], truth[:half])

    def theirs() -> np.ndarray:
        return other.predict_set(proba[half:], labels=False, confidence=0.873, smoothing=False) == 1

    yield (
        f"conformal sets, {half:,} × {N_CLASSES} from as many",
        "crepes, predict_set without smoothing",
        lambda: own.predict_set(proba[half:]),
        theirs,
        None,
    )


def of_setvaluedprediction(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """Sets of the greatest expected F1."""
    # Its release imports a compiled part that it does not bring and a helper that scikit-learn no
    # longer has. Its predictor without a hierarchy uses neither.
    sys.modules.setdefault("svp_cpp", SimpleNamespace(SVP=None))  # type: ignore[arg-type]
    vars(sklearn.utils).setdefault("_message_with_time", None)
    from svp.multiclass import SVPClassifier

    _, proba = many_classes(len(y) // 100)
    model = SVPClassifier(LogisticRegression())
    model.estimator = Fixed(N_CLASSES)
    model.classes_ = model.estimator.classes_
    asked = {"c": N_CLASSES, "svptype": "fb", "beta": 1}

    def theirs() -> np.ndarray:
        return as_mask(model.predict_set(proba, asked), model.classes_)

    yield (
        f"sets of the greatest expected F1, {len(proba):,} × {N_CLASSES}",
        "setvaluedprediction, SVPClassifier",
        lambda: optimal_sets(proba, "F1"),
        theirs,
        None,
    )


def of_confseq(y: np.ndarray, p: np.ndarray) -> Iterator[Job]:
    """A lower bound of a mean, at 95 % confidence, from cases one by one."""
    vars(np).setdefault("float_", np.float64)  # NumPy 2 no longer has this name
    from confseq.betting import betting_lower_cs
    from confseq.predmix import lambda_predmix_eb

    x = np.random.default_rng(0).choice([0, 0.1, 0.2, 1], 1000, p=(0.02, 0.03, 0.15, 0.8))

    def ours() -> float:
        return mean_bound(x, None, 0.95, low=0, high=1, side="lower")

    def theirs() -> float:
        bets = [lambda seen, _: lambda_predmix_eb(seen, alpha=0.05, fixed_n=len(seen))]
        found = betting_lower_cs(x, lambdas_fns=bets, alpha=0.05, running_intersection=True)
        return float(found[-1])

    note = f"mean {x.mean():.4f}, ours {ours():.4f}, theirs {theirs():.4f}"
    yield "lower bound of a mean, n = 1000", "confseq, betting_lower_cs", ours, theirs, note


PEERS = {
    "sklearn": of_sklearn,
    "skfb": of_scikit_fallback,
    "mapie": of_mapie,
    "dcurves": of_dcurves,
    "torchmetrics": of_torchmetrics,
    "torch_uncertainty": of_torch_uncertainty,
    "crepes": of_crepes,
    "svp": of_setvaluedprediction,
    "confseq": of_confseq,
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
        for name, peer, ours, theirs, note in jobs(y, p):
            if note is None:
                np.testing.assert_allclose(ours(), theirs(), rtol=1e-6, atol=1e-9)
            yield row(
                name,
                seconds(ours),
                reference=seconds(theirs),
                against=peer,
                peer=True,
                note=note or "",
            )
    curve = seconds(lambda: RiskCoverageCurve.from_predictions(y, np.column_stack([1 - p, p])))
    note = "scikit-fallback's counterpart ranks sorted confidences against unsorted cases"
    yield row(f"risk–coverage curve, n = {n:,}", curve, note=note)
