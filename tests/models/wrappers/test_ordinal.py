"""Neighbouring classes from any model: precise or credal, in any order of names."""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from cautious.costs import SetCosts, ordinal, p_discounted
from cautious.datasets import load_dataset
from cautious.decision import ordinal_sets
from cautious.models import NaiveCredalClassifier, OrdinalClassifier


@pytest.fixture(scope="module")
def grades():
    X, y = load_dataset("LEV", return_X_y=True)
    return X.astype(int).to_numpy(), np.asarray(y.astype(int))


def neighbours(sets):
    ends = np.diff(np.pad(sets.astype(int), ((0, 0), (1, 1))), axis=1)
    return (np.abs(ends).sum(axis=1) == 2).all()


@pytest.mark.parametrize("model", [CategoricalNB(), NaiveCredalClassifier(s=5)])
@pytest.mark.parametrize("costs", [None, ordinal(5), p_discounted(ordinal(5), 0.8)])
def test_any_model_and_any_costs(grades, model, costs):
    X, y = grades
    ordered = OrdinalClassifier(model, costs=costs).fit(X, y)
    sets = ordered.predict_set(X)
    assert neighbours(sets)
    inner = ordered.estimator_
    given = SetCosts.from_positions(5, 0.1) if costs is None else costs
    if hasattr(inner, "predict_proba_bounds"):
        expected = ordinal_sets(inner.predict_proba_bounds(X), given)
    else:
        expected = ordinal_sets(inner.predict_proba(X), given)
    assert (sets == expected).all()


def test_classes_in_an_order_of_their_own(grades):
    X, y = grades
    names = np.array(["poor", "fair", "good", "fine", "top"])
    ordered = OrdinalClassifier(CategoricalNB(), names, width=0.2).fit(X, names[y])
    plain = OrdinalClassifier(CategoricalNB(), width=0.2).fit(X, y)
    np.testing.assert_array_equal(ordered.predict_set(X)[:, ordered.ranks_], plain.predict_set(X))
    labelled = p_discounted(ordinal(5), 0.8, classes=names)
    by_label = OrdinalClassifier(CategoricalNB(), names, costs=labelled).fit(X, names[y])
    by_place = OrdinalClassifier(CategoricalNB(), costs=p_discounted(ordinal(5), 0.8)).fit(X, y)
    np.testing.assert_array_equal(
        by_label.predict_set(X)[:, by_label.ranks_], by_place.predict_set(X)
    )
    # Names of classes that do not occur are left out.
    more = OrdinalClassifier(CategoricalNB(), [*names, "superb"], width=0.2).fit(X, names[y])
    np.testing.assert_array_equal(more.predict_set(X), ordered.predict_set(X))


def test_wider_is_surer(grades):
    X, y = grades
    hits = []
    for width in (0.4, 0.2, 0.05):
        sets = OrdinalClassifier(CategoricalNB(), width=width).fit(X, y).predict_set(X)
        hits.append(sets[np.arange(len(y)), y].mean())
    assert hits == sorted(hits)
