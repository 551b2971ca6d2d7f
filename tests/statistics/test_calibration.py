"""Whether intervals of the calibration error hold the error that is known."""

import numpy as np
import pytest
from tests.statistics.trials import runs

from cautious.metrics import calibration_error

BINS = 15


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def world(rng, n, how):
    """Chances of three classes, and the probabilities told of them."""
    z = 2 * rng.normal(size=(n, 3))
    p = softmax(z)
    if how == "right":
        return p, p
    if how == "too sure":
        return p, softmax(1.5 * z)
    lost = p.max(axis=1, keepdims=True) > 0.9  # wrong only where it is sure
    return np.where(lost, 0.85 * p + 0.05, p), p


def known_error(chance, told, norm):
    """Error of bins of equally many cases, from the chances themselves."""
    parts = np.array_split(np.argsort(told), BINS)
    gaps = np.array([(told[part] - chance[part]).mean() for part in parts])
    return np.abs(gaps).mean() if norm == "l1" else np.sqrt((gaps**2).mean())


@pytest.mark.parametrize("kind", ["top-label", "class-wise"])
@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("how", ["right", "too sure", "too sure where sure"])
@pytest.mark.parametrize("trials", runs(40))
def test_intervals_hold_the_calibration_error(trials, how, norm, kind, rng, ledger):
    n, rows = 300, np.arange(300)
    held, seen, estimated = [], [], []
    for _ in range(trials):
        chance, told = world(rng, n, how)
        y = (rng.random((n, 1)) > chance.cumsum(axis=1)).sum(axis=1).clip(max=2)
        found = calibration_error(y, told, kind=kind, norm=norm, n_bins=BINS, classes=range(3))
        if kind == "top-label":
            best = told.argmax(axis=1)
            truth = known_error(chance[rows, best], told[rows, best], norm)
        else:
            each = [known_error(chance[:, k], told[:, k], norm) for k in range(3)]
            truth = np.mean(each) if norm == "l1" else np.sqrt(np.mean(np.square(each)))
        held.append(found.low <= truth <= found.high)
        seen.append(found.plug_in - truth)
        estimated.append(found.estimate - truth)
    name = {"l1": "ECE", "l2": "RMSCE"}[norm]
    where = f"{kind}, 300 cases, probabilities {how}"
    ledger.share(f"95 % interval of {name} holds it", where, held, "≥ 95 %", (0.95, 1.0))
    # The plug-in is too high whatever is true; the estimate is nearer.
    ledger.mean(f"{name} as seen, too high by", where, seen, "no promise", (0.0, 0.15))
    ledger.mean(f"{name} as estimated, too high by", where, estimated, "–", (-0.02, 0.06))
    assert abs(np.mean(estimated)) < abs(np.mean(seen))
