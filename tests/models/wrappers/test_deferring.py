"""A model with experts: who answers, what it costs, the promise, and the contract."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from cautious.datasets import load_dataset
from cautious.models import DeferringClassifier
from cautious.models.wrapper import set_aside

pytestmark = [
    pytest.mark.filterwarnings("ignore:Nothing can be promised"),
    pytest.mark.filterwarnings("ignore:.* calibration rows also occur"),
]


def expert(rng, y, wrong):
    """Answers of which so many are wrong, for each class."""
    classes, codes = np.unique(y, return_inverse=True)
    share = np.broadcast_to(wrong, len(classes))[codes]
    other = (codes + rng.integers(1, len(classes), len(codes))) % len(classes)
    return classes[np.where(rng.random(len(codes)) < share, other, codes)]


def cost(y, answers, asked, price):
    return np.mean(answers != y) + price * np.mean(asked)


@pytest.mark.parametrize("name", ["diabetes", "credit-a"])
def test_no_worse_than_comparing_confidences(name):
    # The baseline asks where the expert's accuracy, less the price, exceeds the model's confidence.
    X, y = load_dataset(name, return_X_y=True)
    X = pd.get_dummies(X).fillna(0).to_numpy(float)
    y, price = np.asarray(y), 0.1
    ours, baseline = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        # Good at one class, poor at the other: what confidence cannot tell.
        said = expert(rng, y, [0.02, 0.35])
        X1, X2, y1, y2, e1, e2 = train_test_split(X, y, said, stratify=y, random_state=seed)
        model = DeferringClassifier(GaussianNB(), prices=price).fit(X1, y1, answers={"ann": e1})
        team = model.predict_team(X2, {"ann": e2})
        ours.append(cost(y2, team, model.decided_by(X2) == "ann", price))
        p = GaussianNB().fit(X1, y1).predict_proba(X2)
        asked = p.max(axis=1) < np.mean(e1 == y1) - price
        by_confidence = np.where(asked, e2, model.classes_[p.argmax(axis=1)])
        baseline.append(cost(y2, by_confidence, asked, price))
    assert np.mean(ours) <= np.mean(baseline)


def world(rng, n, k=2, seed=0):
    X, y = make_classification(
        n, 6, n_informative=4, n_redundant=0, n_classes=k, flip_y=0.1, random_state=seed
    )
    return X, y, pd.DataFrame({"ann": expert(rng, y, 0.1), "bob": expert(rng, y, 0.02)})


@pytest.mark.parametrize("k", [2, 3])
def test_the_cheaper_one_is_asked(k):
    rng = np.random.default_rng(1)
    X, y, said = world(rng, 600, k)
    model = DeferringClassifier(GaussianNB(), prices={"ann": 0.02, "bob": 0.02})
    model.fit(X, y, answers=said)
    who = model.decided_by(X)
    assert "ann" not in who  # as cheap, but worse
    assert "bob" in who
    model.set_params(prices={"ann": 0.02, "bob": 0.5}).fit(X, y, answers=said)
    assert set(model.decided_by(X)) == {"model", "ann"}
    sets = model.predict_set(X)
    asked = model.decided_by(X) == "ann"
    assert (sets.sum(axis=1) == np.where(asked, k, 1)).all()
    team = model.predict_team(X, said)
    assert (team[asked] == said["ann"][asked]).all()
    assert (team[~asked] == model.predict(X)[~asked]).all()
    model.set_params(prices=5.0).fit(X, y, answers=said)
    assert set(model.decided_by(X)) == {"model"}
    assert model.experts_ == ["ann", "bob"]


def test_capacity_is_kept():
    rng = np.random.default_rng(2)
    X, y, said = world(rng, 600)
    model = DeferringClassifier(GaussianNB(), prices=0.0, capacity={"bob": 0.1})
    model.fit(X, y, answers=said)
    share = dict(zip(model.team_.choices, model.team_.shares, strict=True))
    assert 0 < share["bob"] <= 0.1
    assert share["ann"] > 0.1


def test_answers_may_be_missing():
    rng = np.random.default_rng(3)
    X, y, said = world(rng, 500)
    some = said.astype(object).mask(rng.random(said.shape) < 0.7)
    model = DeferringClassifier(GaussianNB(), prices=0.01).fit(X, y, answers=some)
    assert model.team_.experts["known"].tolist() == [
        some[n].notna().sum() for n in model.team_.choices[1:-1]
    ]
    with pytest.raises(ValueError, match="is asked about row"):
        model.predict_team(X, some)


def test_the_promise_is_kept():
    rng = np.random.default_rng(4)
    X, y, said = world(rng, 5000)
    broken, asked = [], []
    for seed in range(8):
        rows = rng.permutation(5000)
        own, new = rows[:800], rows[800:]
        model = DeferringClassifier(
            GaussianNB(), max_error=0.1, confidence_level=0.9, random_state=seed
        ).fit(X[own], y[own], answers=said.iloc[own])
        team = model.predict_team(X[new], said.iloc[new])
        broken.append(np.mean(team != y[new]) > 0.1)
        asked.append(np.mean(model.decided_by(X[new]) != "model"))
    assert sum(broken) <= 3
    assert np.mean(asked) < 0.9
    assert "at most 10 % of all cases are answered wrongly" in str(model.certificate_)
    # What was counted are the mistakes of this very team on the part set aside.
    tested = own[set_aside(len(own), 0.5, seed)[1]]
    wrong = model.predict_team(X[tested], said.iloc[tested]) != y[tested]
    assert model.certificate_.n == len(tested)
    assert model.certificate_.tests[0].wrong == wrong.sum()


def test_a_class_that_was_not_shown_is_a_mistake_of_the_model():
    rng = np.random.default_rng(6)
    weight = 1 / np.arange(1, 41)
    y = rng.choice(40, 400, p=weight / weight.sum())
    X = np.column_stack([y, rng.normal(0, 0.1, 400)])
    said = pd.DataFrame({"ada": expert(rng, y, 0.1)})
    made = {"max_error": 0.25, "prices": 0.2, "random_state": 0}
    model = DeferringClassifier(KNeighborsClassifier(1), **made).fit(X, y, answers=said)
    training, tested = set_aside(400, 0.5, 0)
    unseen = np.flatnonzero(~np.isin(model.classes_, y[training]))
    assert len(unseen)
    np.testing.assert_array_equal(model.predict_proba(X)[:, unseen], 0)
    wrong = model.predict_team(X[tested], said.iloc[tested]) != y[tested]
    assert model.certificate_.tests[0].wrong == wrong.sum()


@pytest.mark.parametrize("said", [True, False])
def test_examples_of_one_class_leave_its_answer(said):
    X = np.random.default_rng(7).normal(size=(400, 2))
    rare = set_aside(400, 0.5, 0)[1][:3]
    y = np.where(np.isin(np.arange(400), rare), "odd", "even")
    answers = pd.DataFrame({"ada": y}) if said else None
    model = DeferringClassifier(LogisticRegression(), max_error=0.1, prices=0, random_state=0)
    with pytest.warns(UserWarning, match="the 200 examples that .* are all of class 'even', so"):
        model.fit(X, y, answers=answers)
    assert model.classes_.tolist() == ["even", "odd"]
    assert set(model.predict(X)) == {"even"}
    assert set(model.decided_by(X)) == {"model"}
    assert model.certificate_.tests[0].wrong == 3
    assert model.certificate_.granted


def test_a_frozen_model_needs_examples_of_each_class():
    X, y = load_iris(return_X_y=True)
    model = DeferringClassifier(
        FrozenEstimator(GaussianNB().fit(X, y)), max_error=0.3, random_state=0
    )
    rare = set_aside(103, 0.5, 0)[1][:3]
    order = np.empty(103, dtype=int)
    order[rare] = np.arange(100, 103)
    order[np.setdiff1d(np.arange(103), rare)] = np.arange(100)
    with pytest.raises(
        ValueError, match=r"knows the classes \[0, 1, 2\], .* are of \[0, 1\]; they"
    ):
        model.fit(X[order], y[order])
    with pytest.raises(
        ValueError, match=r"knows the classes \[0, 1, 2\], .* are of \[0, 1\]; they"
    ):
        model.set_params(max_error=None).fit(X[:100], y[:100])


def test_nothing_to_promise():
    rng = np.random.default_rng(5)
    X, y, said = world(rng, 200)
    model = DeferringClassifier(GaussianNB(), max_error=0.001)
    with pytest.warns(UserWarning, match="without a promise"):
        model.fit(X, y, answers=said)
    assert not model.certificate_.granted
    never = said.astype(object)
    never.iloc[::2, 0] = None
    never.iloc[1::2, 1] = None
    with pytest.raises(ValueError, match="answer of every expert"):
        model.fit(X, y, answers=never)


def test_the_unit_of_costs_decides_no_tie():
    """0.4 · 3 and 0.6 · 2 are equal, but not as floats; 0.4 · 3000 and 0.6 · 2000 are."""
    X, y = np.zeros((10, 1)), np.repeat([0, 1], [6, 4])
    costs = np.array([[0.0, 3.0], [2.0, 0.0]])
    models = [
        DeferringClassifier(DummyClassifier(), costs=unit * costs, cv=2).fit(X, y)
        for unit in (0.001, 1, 1000)
    ]
    assert [model.predict(X[:1]).tolist() for model in models] == [[0]] * 3


def test_about_a_lone_class_nobody_is_asked():
    model = DeferringClassifier(DummyClassifier())
    model.fit([[0.0]] * 9, [7] * 9, answers={"ann": [7] * 9})
    assert model.decided_by([[0.0], [1.0]]).tolist() == ["model", "model"]


def test_no_expert_is_called_as_the_model_is():
    X, y, _ = world(np.random.default_rng(7), 90, 3)
    with pytest.raises(ValueError, match="called 'model'"):
        DeferringClassifier(GaussianNB()).fit(X, y, answers={"model": y})


@pytest.mark.parametrize("max_error", [None, 0.3])
def test_a_team_from_probabilities_is_that_of_their_estimator(max_error):
    X, y = load_iris(return_X_y=True)
    base, given = GaussianNB().fit(X[::3], y[::3]), {"max_error": max_error, "random_state": 0}
    new, truth = np.delete(X, np.s_[::3], axis=0), np.delete(y, np.s_[::3])
    answers, p = {"ann": (truth + (np.arange(len(truth)) % 7 == 0)) % 3}, base.predict_proba(new)
    own = DeferringClassifier(FrozenEstimator(base), **given).fit(new, truth, answers)
    ours = DeferringClassifier.from_predictions(truth, p, answers, **given)
    assert ours.decided_by(p).tolist() == own.decided_by(new).tolist()
    assert ours.predict_team(p, answers).tolist() == own.predict_team(new, answers).tolist()
