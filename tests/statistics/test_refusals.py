"""Whether ordinary cases are refused as novel no more often than was promised."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import KernelDensity
from tests.statistics.trials import runs

from cautious.models import NoveltyRefusingClassifier


def cases(rng, n, ties):
    """Two classes, one of them rare and far out; whole numbers where ties are wanted."""
    y = (rng.random(n) < 0.2).astype(int)
    X = rng.normal(size=(n, 2)) * (1 + y[:, None]) + 3 * y[:, None]
    return np.rint(X) if ties else X, y


@pytest.mark.parametrize("ties", [False, True], ids=["continuous", "ties"])
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("trials", runs(40))
def test_false_refusals(trials, n, ties, rng, ledger):
    limit, found = 0.1, []
    model = NoveltyRefusingClassifier(
        DummyClassifier(), KernelDensity(), max_false_refusals=limit, random_state=rng
    )
    for _ in range(trials):
        model.fit(*cases(rng, n, ties))
        found.append(model.is_novel(cases(rng, 200, ties)[0]).mean())
    held = n // 4
    # Without ties the chance is known: the rank of a new score among the others is uniform.
    exact = math.floor(limit * (held + 1)) / (held + 1)
    ledger.mean(
        "ordinary cases refused as novel",
        f"a density, {held} calibration cases{', whole numbers with ties' if ties else ''}",
        found,
        "≤ 10 %",
        (0.0 if ties else exact, exact if not ties else limit),
    )


@pytest.mark.parametrize("trials", runs(10))
def test_false_refusals_per_class(trials, rng, ledger):
    limit, found = 0.2, []
    model = NoveltyRefusingClassifier(
        DummyClassifier(),
        IsolationForest(n_estimators=10, random_state=0),
        max_false_refusals=limit,
        per_class=True,
        calibration_size=0.5,
        random_state=rng,
    )
    while len(found) < trials:
        X, y = cases(rng, 120, ties=True)
        try:
            model.fit(X, y)
        except ValueError:  # too few of the rare class, seen by the labels alone
            continue
        X, y = cases(rng, 500, ties=True)
        found.append(model.is_novel(X[y == 1]).mean())
    ledger.mean(
        "ordinary cases of a rare class refused as novel, per_class=True",
        "a forest of 10 trees, 60 calibration cases, 20 % of the class, with ties",
        found,
        "≤ 20 %",
        (0.0, limit),
    )
