"""How often tests find a difference where there is none."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold
from tests.statistics.trials import runs

from cautious.comparison import compare_results, friedman_nemenyi, wilcoxon
from cautious.comparison._significance import holm, paired_t
from cautious.curves import AbstentionCostSurface
from cautious.evaluation.compared_models import everywhere_p

LEVEL = 0.05


def null_results(rng, n_datasets, n_classifiers):
    """Accuracies of classifiers that differ by luck alone, on data sets that differ much."""
    hardness = rng.uniform(0.6, 0.95, size=(n_datasets, 1))
    luck = rng.standard_t(4, size=(n_datasets, n_classifiers)) * 0.02
    return pd.DataFrame(hardness + luck, columns=list("abcde")[:n_classifiers])


@pytest.mark.parametrize("n", [8, 20])
@pytest.mark.parametrize("trials", runs(100))
def test_wilcoxon(trials, n, rng, ledger):
    found = []
    for _ in range(trials):
        results = null_results(rng, n, 2)
        found.append(wilcoxon(results.a, results.b).p_value <= LEVEL)
    # Eight signed ranks reach few p-values; the nearest below 5 % is 3.9 %.
    ledger.share(
        "Wilcoxon rejects",
        f"{n} data sets",
        found,
        "≤ 5 %",
        (0.03, 0.042) if n == 8 else (0.035, 0.055),
    )


@pytest.mark.parametrize("n_classifiers", [3, 5])
@pytest.mark.parametrize("trials", runs(60))
def test_friedman_and_nemenyi(trials, n_classifiers, rng, ledger):
    friedman, iman_davenport, nemenyi = [], [], []
    off_diagonal = ~np.eye(n_classifiers, dtype=bool)
    for _ in range(trials):
        test = friedman_nemenyi(null_results(rng, 15, n_classifiers))
        friedman.append(test.p_value <= LEVEL)
        iman_davenport.append(test.iman_davenport_p_value <= LEVEL)
        nemenyi.append((test.p_values.to_numpy()[off_diagonal] <= LEVEL).any())
    where = f"{n_classifiers} classifiers, 15 data sets"
    ledger.share("Friedman rejects", where, friedman, "≤ 5 %", (0.03, 0.055))
    ledger.share("Iman–Davenport rejects", where, iman_davenport, "≤ 5 %", (0.035, 0.065))
    ledger.share("Nemenyi rejects any pair", where, nemenyi, "≤ 5 %", (0.025, 0.055))


@pytest.mark.parametrize("test", ["wilcoxon", "nemenyi"])
@pytest.mark.parametrize("trials", runs(8))
def test_compare_names_no_winner(trials, test, rng, ledger):
    named, unadjusted = [], []
    for _ in range(trials):
        table = compare_results(null_results(rng, 15, 4), test=test)
        named.append(table["winner"].notna().any())
        unadjusted.append((table["p_value"] <= LEVEL).any())
    where = f"4 classifiers, 15 data sets, test={test!r}"
    ledger.share("compare names any winner", where, named, "≤ 5 %", (0.01, 0.055))
    if test == "wilcoxon":
        # Without Holm's correction six pairs would speak up about four times as often.
        ledger.share(
            "any p-value before Holm's correction", where, unadjusted, "no promise", (0.10, 0.25)
        )


def fold_accuracies(X, y, folds):
    """Accuracy of the nearest class mean on each fold."""
    found = []
    for train, test in folds:
        means = [X[train][y[train] == c].mean(axis=0) for c in (0, 1)]
        far = [((X[test] - mean) ** 2).sum(axis=1) for mean in means]
        found.append(np.mean((far[1] < far[0]) == y[test]))
    return np.array(found)


@pytest.mark.parametrize("trials", runs(25))
def test_paired_t_over_the_folds_of_a_cross_validation(trials, rng, ledger):
    # Two learners, each with features of its own that are equally good: exactly no difference.
    plain, corrected = [], []
    y = np.arange(120) % 2
    for _ in range(trials):
        X = rng.normal(size=(120, 6)) + 0.4 * y[:, None]
        seed = int(rng.integers(2**31))
        folds = list(
            RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=seed).split(X, y)
        )
        a, b = (fold_accuracies(part, y, folds) for part in (X[:, :3], X[:, 3:]))
        plain.append(paired_t(a, b).p_value <= LEVEL)
        corrected.append(paired_t(a, b, test_to_train=1 / 9).p_value <= LEVEL)
    where = "10 times 10 folds, 120 cases"
    # The variance between the folds does not see that they share data (Nadeau & Bengio 2003).
    ledger.share("plain paired t rejects", where, plain, "no promise", (0.4, 0.8))
    ledger.share("corrected paired t rejects", where, corrected, "about 5 %", (0.02, 0.15))


@pytest.mark.parametrize(
    ("n", "positives", "distance", "step"),
    [
        *((60, 0.5, d, 0.0) for d in (1.0, 2.0, 3.0, 4.0)),
        (200, 0.5, 1.0, 0.0),
        (200, 0.5, 1.0, 1.0),
        *((200, 0.5, d, 0.0) for d in (3.0, 4.0)),
        *((400, 0.1, d, 0.0) for d in (1.0, 3.0)),
    ],
)
@pytest.mark.parametrize("trials", runs(15))
def test_vacc_test(trials, n, positives, distance, step, rng, ledger):
    # Equally good scores; rounded to few values one is less optimistic, but needs more distance
    # between the classes to be as good.
    y = np.arange(n) < round(n * positives)
    found = []
    for _ in range(trials):
        a = distance * y + rng.normal(size=n)
        b = (1.03866 if step else distance) * y + rng.normal(size=n)
        b = np.round(b / step) if step else b
        found.append(
            AbstentionCostSurface.vacc_test(y, a, b, n_resamples=60, random_state=rng).p_value
            <= LEVEL
        )
    rounded = ", one score rounded" if step else ""
    ledger.share(
        "VACC test rejects",
        f"{n} cases, {positives:.0%} positive, classes {distance:g} apart{rounded}",
        found,
        "about 5 %",
        (0.0, 0.065),
    )


@pytest.mark.parametrize(
    ("n", "wrong", "hesitates"), [(60, 0.15, 0.3), (400, 0.15, 0.3), (400, 0.01, 0.02)]
)
@pytest.mark.parametrize("trials", runs(15))
def test_equally_good_set_classifiers_are_not_told_apart(trials, n, wrong, hesitates, rng, ledger):
    named = []
    for _ in range(trials):
        # Each is worth 1 where it is right, 0 where it is wrong, and ½ where it gives a pair.
        worth = rng.choice([0.0, 0.5, 1.0], (3, n), p=[wrong, hesitates, 1 - wrong - hesitates])
        p_values = [everywhere_p(a, b, None) for a, b in combinations(worth, 2)]
        named.append((holm(p_values) <= LEVEL).any())
    ledger.at_most(
        "compare tells two of three equally good set classifiers apart by utility",
        f"{n} cases, {wrong:.0%} wrong, {hesitates:.0%} pairs",
        named,
        0.05,
    )
