"""Credal models against the authors' own program, Weka-IP, row by row on fixed data."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cautious.models import (
    CredalModelAveragingClassifier,
    CredalTreeClassifier,
    LazyNaiveCredalClassifier,
)

DATA = Path(__file__).parents[1] / "data"


def read_arff(name):
    """Features and classes, with the declared values as categories."""
    lines = (DATA / name).read_text().splitlines()
    declared = [line.split("{")[1].rstrip("}").split(",") for line in lines if "{" in line]
    rows = pd.DataFrame([line.split(",") for line in lines if line and not line.startswith("@")])
    columns = [pd.Categorical(rows[i], values) for i, values in enumerate(declared)]
    *features, classes = columns
    return pd.DataFrame(dict(enumerate(features))).rename(columns=str), np.asarray(classes)


def read_sets(column):
    written = pd.read_csv(DATA / "wekaip_era_sets.csv", dtype=str)[column]
    sets = np.zeros((len(written), 9), dtype=bool)
    for row, classes in enumerate(written):
        sets[row, [int(k) for k in classes.split()]] = True
    return sets


@pytest.mark.parametrize(
    ("model", "column"),
    [
        (CredalTreeClassifier(), "credal_tree"),
        (CredalTreeClassifier(empty_branch="vacuous"), "credal_tree"),
        (LazyNaiveCredalClassifier(), "lazy"),
        (CredalModelAveragingClassifier(), "model_averaging"),
    ],
    ids=["tree", "tree with vacuous empty branches", "lazy", "model averaging"],
)
def test_answers_of_weka_ip_on_era(model, column):
    X, y = read_arff("wekaip_era_train.arff")
    T, _ = read_arff("wekaip_era_test.arff")
    ours, theirs = model.fit(X, y).predict_set(T), read_sets(column)
    assert np.flatnonzero((ours != theirs).any(axis=1)).tolist() == []
