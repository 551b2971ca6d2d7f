"""Class probabilities other than the sample's: the same as repeating cases."""

from __future__ import annotations

import pytest

import cautious
from cautious.errors import InputError

Y, SCORE = ["no"] * 6 + ["yes"] * 2, [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.35, 0.9]
COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}


@pytest.mark.parametrize("priors", [0.5, (0.5, 0.5), {"yes": 0.5, "no": 0.5}])
def test_shares_weigh_as_repeated_cases(priors):
    """Three copies of the two positives make half of the cases positive."""
    often = {"m": (Y[:6] + Y[6:] * 3, SCORE[:6] + SCORE[6:] * 3)}
    for wishes in ({}, {"window": (0.3, 0.6)}, {"confidence": 0.65}):
        one = cautious.evaluate({"m": (Y, SCORE)}, priors=priors, **wishes).measures["m"]["value"]
        two = cautious.evaluate(often, **wishes).measures["m"]["value"]
        assert one.to_dict() == pytest.approx(two.to_dict(), nan_ok=True)
    found, expected = (
        cautious.tune(data, costs=COSTS, priors=given).found["m"]
        for data, given in (({"m": (Y, SCORE)}, priors), (often, None))
    )
    assert found.rule.upper == expected.rule.upper
    assert found.cost == pytest.approx(expected.cost)


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        (1.0, "strictly between 0 and 1"),
        ({"maybe": 0.5, "no": 0.5}, "priors names 'maybe', 'no', but the classes are 'no', 'yes'"),
        ((0.2, 0.2), "add up to 1"),
    ],
)
def test_refusals(priors, words):
    for call in (cautious.evaluate, cautious.tune):
        wishes = {"costs": COSTS} if call is cautious.tune else {}
        with pytest.raises(ValueError, match=words):
            call({"m": (Y, SCORE)}, priors=priors, **wishes)


def test_one_share_is_of_two_classes():
    proba = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    with pytest.raises(InputError, match="there are 3 classes; give a share for each"):
        cautious.evaluate({"m": (["a", "b", "c"], proba)}, priors=0.5)


def test_mistakes_that_all_cost_the_same():
    alike = cautious.tune({"m": (Y, SCORE)}, costs={"mistake": 4, "abstain": 1}).found["m"]
    pair = {"false_negative": 4, "false_positive": 4, "abstain": 1}
    assert alike.rule.upper == cautious.tune({"m": (Y, SCORE)}, costs=pair).found["m"].rule.upper
    with pytest.raises(InputError, match="say between which classes"):
        cautious.costs.as_costs({"mistake": 4, "abstain": 1})
