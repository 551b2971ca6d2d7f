"""Scores divided between a model and experts, beside every division there is."""

from itertools import combinations_with_replacement, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.tuning import find_team

SAID = {"ann": [0, 1, 1, None], "bob": [0, None, 1, 0]}
Y, SCORE = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]


def rates(truth, said):
    """Shares of wrong answers for each class, half a mistake added."""
    found = []
    for y in (0, 1):
        own = [s for s, t in zip(said, truth, strict=True) if t == y and s is not None]
        found.append((sum(s != y for s in own) + 0.5) / (len(own) + 1))
    return found


def cost_of(truth, scores, thresholds, rows, costs, price):
    """Mean cost, case by case."""
    total = 0.0
    for y, s in zip(truth, scores, strict=True):
        at = sum(s >= t for t in thresholds)
        if at == 0:
            total += costs[1] * (y == 1)
        elif at == len(thresholds):
            total += costs[0] * (y == 0)
        else:
            name = rows[at - 1]
            total += price[name[0]] + costs[y] * name[1][y]
    return total / len(truth)


@settings(deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), experts=st.integers(0, 2), capped=st.booleans())
def test_no_other_division_costs_less(seed, experts, capped):
    rng = np.random.default_rng(seed)
    n = 9
    truth = np.append([0, 1], rng.integers(2, size=n - 2))
    scores = rng.integers(6, size=n) / 5
    names = ["ann", "bob"][:experts]
    said = {}
    for name in names:
        heard = np.where(rng.random(n) < 0.3, 1 - truth, truth).astype(object)
        heard[2:][rng.random(n - 2) < 0.3] = None
        said[name] = heard.tolist()
    costs = rng.integers(1, 6, 2).astype(float)  # of a false positive, and of a false negative
    price = {name: float(rng.integers(0, 4)) / 8 for name in names}
    capacity = {name: float(rng.integers(1, 5)) / n for name in names} if capped else None
    matrix = [[0, costs[1]], [costs[0], 0]]
    team = find_team(truth, scores, said, costs=matrix, prices=price, capacity=capacity)
    wrong = {name: rates(truth, said[name]) for name in names}
    order = team.choices[1:-1]
    rows = [(name, wrong[name]) for name in order]
    found = cost_of(truth, scores, team.thresholds, rows, costs, price)
    assert team.cost == pytest.approx(found)
    edges = [-np.inf, *np.unique(scores), np.inf]
    least = np.inf
    for tried in permutations(rows):  # experts in every order along the scores
        for thresholds in combinations_with_replacement(edges, experts + 1):
            got = np.searchsorted(thresholds, scores, side="right")
            if capped and any(
                (got == at).sum() > capacity[name] * n + 1e-9
                for at, (name, _) in enumerate(tried, 1)
            ):
                continue
            least = min(least, cost_of(truth, scores, thresholds, tried, costs, price))
    assert team.cost == pytest.approx(least)
    shares = np.bincount(team.choose(scores), minlength=experts + 2) / n
    np.testing.assert_allclose(team.shares, shares)


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 0.7, 3.0, 1e6])
@pytest.mark.parametrize("seed", [1, 14, 15, 40, 43, 104, 115, 177, 219, 248])
def test_the_team_does_not_depend_on_the_unit_of_costs(seed, unit):
    """Few whole costs and scores, so that many divisions cost the same."""
    rng = np.random.default_rng(seed)
    n, names = 12, ["ann", "bob", "cy"]
    truth = np.append([0, 1], rng.integers(2, size=n - 2))
    scores = rng.integers(5, size=n) / 4
    said = {name: np.where(rng.random(n) < 0.3, 1 - truth, truth) for name in names}
    matrix = np.array([[0, rng.integers(1, 4)], [rng.integers(1, 4), 0]])
    price = {name: float(rng.integers(0, 4)) / 10 for name in names}
    one, other = (
        find_team(
            truth, scores, said, costs=matrix * u, prices={name: price[name] * u for name in names}
        )
        for u in (1.0, unit)
    )
    assert other.choices == one.choices
    assert other.thresholds == one.thresholds
    assert other.shares == one.shares
    assert other.cost == pytest.approx(one.cost * unit, rel=1e-12)


def test_what_a_team_says():
    team = find_team(Y, SCORE, pd.DataFrame(SAID), prices={"ann": 0.3, "bob": 0.2})
    assert team.frame().index.tolist() == list(team.choices)
    assert team.experts.loc["ann", "known"] == 3
    assert team.experts.loc["bob", "wrong if 1"] == pytest.approx(1.5 / 3)
    sets = team.predict_set(SCORE)
    asked = (team.choose(SCORE) > 0) & (team.choose(SCORE) < 3)
    assert (sets.all(axis=1) == asked).all()
    assert "choices" in repr(team)


def test_who_is_not_asked_need_not_answer():
    free = find_team(Y, SCORE, {"ann": Y}, prices=0.0)
    nobody = find_team(Y, SCORE, {"ann": Y}, prices=10.0)
    assert nobody.shares[1] == 0
    answers = free.answer(SCORE, {"ann": Y})
    assert set(answers.tolist()) <= {0, 1}
    labels = find_team(["n", "n", "p", "p"], SCORE, {"ann": ["n", "n", "p", "p"]}, pos_label="p")
    assert labels.classes == ("n", "p")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"answers": {"ann": [0, 0, None, None]}},
            ValueError,
            "no known answer to a case of class",
        ),
        ({"answers": {"ann": [None] * 4}}, ValueError, "expert 'ann' has no known answer"),
        ({"answers": {"ann": [0, 1]}}, ValueError, "2 rows for 4 cases"),
        ({"answers": {"ann": [0, 1, 2, 1]}}, ValueError, "answers of 'ann' holds 2"),
        ({"answers": [0, 1, 1, 0]}, TypeError, "answers is a list"),
        ({"answers": {1: [0, 1, 1, 0]}}, ValueError, "called like a class"),
        ({"prices": -1}, ValueError, "prices of 'ann' is -1"),
        ({"prices": {"eve": 1}}, ValueError, "prices names 'eve'"),
        ({"prices": "much"}, ValueError, "prices of 'ann' is 'much'"),
        ({"capacity": 1.5}, ValueError, "capacity of 'ann' is 1.5"),
        ({"capacity": {"ann": np.nan}}, ValueError, "capacity of 'ann' is nan"),
        ({"y_score": [0.1, np.nan, 0.3, 0.4]}, ValueError, "NaN in row 1"),
        ({"costs": [[0, 1, 1]] * 3}, ValueError, "classes"),
        ({"costs": [[1, 0], [0, 1]]}, ValueError, "less than the right answer's"),
        ({"y_true": [0, 0, 0, 0]}, ValueError, "class"),
    ],
)
def test_wrong_arguments(change, error, message):
    given = {"y_true": Y, "y_score": SCORE, "answers": SAID, **change}
    with pytest.raises(error, match=message):
        find_team(**given)


def test_an_answer_that_is_needed():
    team = find_team(Y, SCORE, {"ann": Y})
    assert team.shares[1] > 0
    with pytest.raises(ValueError, match="'ann' is asked about row"):
        team.answer(SCORE, {"ann": [None] * 4})
    with pytest.raises(ValueError, match="no column for expert 'ann'"):
        team.answer(SCORE, {})


def test_answers_in_any_kind_of_column():
    said = [0, 1, 1, 0]
    teams = [
        find_team(Y, SCORE, {"ann": column})
        for column in (
            said,
            np.array(said),
            np.array(said, dtype=float),
            np.array(said, dtype=object),
            pd.Series(said, dtype="Int64"),
            pd.Series(said, dtype="category"),
        )
    ]
    assert len({(team.thresholds, team.cost, team.rates) for team in teams}) == 1
    gaps = [[0, None, 1, 0], [0.0, np.nan, 1.0, 0.0], np.array([0, np.nan, 1, 0])]
    gaps.append(pd.Series([0, None, 1, 0], dtype="Int64"))
    known = [find_team(Y, SCORE, {"ann": column}).experts["known"].item() for column in gaps]
    assert known == [3, 3, 3, 3]
