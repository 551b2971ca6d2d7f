"""Whether the naive credal classifier is cautious where it should be, on the papers' data.

Zaffalon, Corani & Mauá (2012), § 9.1.1: two classes, ten binary features, whose chances in the two
classes are drawn at least 0.1 apart, so that naive Bayes is the right model.
"""

from itertools import pairwise

import numpy as np
import pytest
from tests.statistics.trials import runs

from cautious.models import NaiveCredalClassifier

FRESH = 2000


def chances(rng, n_classes):
    theta = rng.random((n_classes, 10))
    while (close := np.ptp(theta, axis=0) < 0.1).any():
        theta[:, close] = rng.random((n_classes, int(close.sum())))
    return theta


def sample(rng, theta, n):
    classes = np.arange(len(theta))
    y = np.concatenate([classes, rng.choice(classes, n - len(classes))])
    return (rng.random((n, theta.shape[1])) < theta[y]).astype(int), y


def worlds(rng, trials, n, n_classes=2):
    """Training and fresh data of as many worlds as there are trials."""
    for _ in range(trials):
        theta = chances(rng, n_classes)
        yield *sample(rng, theta, n), *sample(rng, theta, FRESH)


@pytest.mark.parametrize("n", [25, 50, 100])
@pytest.mark.parametrize("trials", runs(25))
def test_naive_bayes_is_unreliable_where_the_credal_classifier_hesitates(trials, n, rng, ledger):
    sure, unsure, determinate = [], [], []
    for X, y, X_fresh, y_fresh in worlds(rng, trials, n):
        model = NaiveCredalClassifier().fit(X, y)
        single = model.predict_set(X_fresh).sum(axis=1) == 1
        right = model.predict(X_fresh) == y_fresh  # naive Bayes, which the answers agree with
        determinate.append(single.mean())
        if 0 < single.sum() < FRESH:
            sure.append(right[single].mean())
            unsure.append(right[~single].mean())
    where = f"{n} cases, 10 binary features"
    # The claim is the gap; how accurate either part is depends on how the chances were drawn.
    gap = np.subtract(sure, unsure)
    ledger.mean("determinate answers of NCC", where, determinate, "–", (0, 1))
    ledger.mean("accuracy of NB where NCC is determinate", where, sure, "–", (0, 1))
    ledger.mean("accuracy of NB where NCC is not", where, unsure, "–", (0, 1))
    ledger.mean("gap between the two", where, gap, "> 0", (0.1, 1))
    ledger.share(
        "worlds in which NB is better where NCC is determinate",
        where,
        gap > 0,
        "nearly all",
        (0.95, 1.0),
    )


@pytest.mark.parametrize("trials", runs(20))
def test_more_hidden_observations_more_caution(trials, rng, ledger):
    strengths = (0.5, 1, 2, 4, 8)
    contained, shrunk = {s: [] for s in strengths}, []
    for X, y, X_fresh, y_fresh in worlds(rng, trials, 60, n_classes=3):
        model = NaiveCredalClassifier().fit(X, y)
        sets = [model.set_params(s=s).predict_set(X_fresh) for s in strengths]
        shrunk += [(small & ~large).any() for small, large in pairwise(sets)]
        for s, found in zip(strengths, sets, strict=True):
            contained[s].append(found[np.arange(FRESH), y_fresh].mean())
    assert not any(shrunk)  # a smaller s never allows a class that a larger one rules out
    means = [np.mean(contained[s]) for s in strengths]
    assert means == sorted(means)
    for s in strengths:
        ledger.mean(
            f"sets of NCC hold the truth, s = {s:g}",
            "60 cases, 3 classes",
            contained[s],
            "no promise",
            (0.75, 1.0),
        )


@pytest.mark.parametrize("idm", ["global", "local"])
@pytest.mark.parametrize("trials", runs(10))
def test_bounds_hold_the_posterior_of_every_prior_within(trials, idm, rng, ledger):
    # Predictive probabilities of naive Bayes, under the uniform prior and under skewed ones of the
    # same strength, all lie in the credal set.
    inside = []
    for X, y, X_fresh, _ in worlds(rng, trials, 30, n_classes=3):
        model = NaiveCredalClassifier(s=2.0, idm=idm).fit(X, y)
        lower, upper = model.predict_proba_bounds(X_fresh[:200])
        for skew in (np.full(3, 1 / 3), rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3))):
            p = posterior(X, y, X_fresh[:200], skew, idm)
            inside.append(bool(((lower - 1e-9 <= p) & (p <= upper + 1e-9)).all()))
    assert all(inside)
    ledger.share(
        f"bounds of NCC ({idm} IDM) hold the posterior of a prior within",
        "30 cases, 3 classes",
        inside,
        "always",
        (1.0, 1.0),
    )


def posterior(X, y, X_fresh, skew, idm, s=2.0):
    """Naive Bayes with prior weight s·skew on the classes, spread evenly over feature values."""
    logs = np.zeros((len(X_fresh), 3))
    n = np.bincount(y, minlength=3)
    for c in range(3):
        logs[:, c] += np.log(n[c] + s * skew[c])
        weight = s * skew[c] if idm == "global" else s  # a local IDM weighs each class alike
        for i in range(X.shape[1]):
            ones = X[y == c, i].sum()
            count = np.where(X_fresh[:, i] == 1, ones, n[c] - ones)
            logs[:, c] += np.log((count + weight / 2) / (n[c] + weight))
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
