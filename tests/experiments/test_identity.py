from functools import partial

import joblib
import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.costs import ordinal, p_discounted
from cautious.experiments.identity import describe, fingerprint
from cautious.metrics import make_set_scorer


def test_whatever_changes_the_results_changes_the_description():
    things = [
        GaussianNB(),
        GaussianNB(priors=[0.5, 0.5]),
        GaussianNB(var_smoothing=1e-8),
        make_pipeline(StandardScaler(), GaussianNB()),
        make_pipeline(StandardScaler(with_mean=False), GaussianNB()),
        np.zeros(1000),
        np.ones(1000),
        pd.DataFrame({"a": [1]}),
        pd.DataFrame({"b": [1]}),
        {"a": 1},
        {"a": 2},
        partial(describe, 1),
        partial(describe, 2),
        describe,
        fingerprint,
        np.float64(2),
        frozenset({1}),
        frozenset({1, 2}),
        np.random.RandomState(0),
        np.random.RandomState(1),
        make_set_scorer("u65"),
        make_set_scorer("set_cost", costs=p_discounted(ordinal(3), r=0.5)),
        make_set_scorer("set_cost", costs=p_discounted(ordinal(3), r=0.6)),
        make_set_scorer("set_cost", costs=p_discounted(ordinal(4), r=0.5)),
    ]
    assert len({describe(thing) for thing in things}) == len(things)


def test_equal_things_are_described_alike_without_addresses():
    def made():
        costs = p_discounted(ordinal(3), r=0.5)
        return [make_set_scorer("set_cost", costs=costs), GaussianNB(), np.arange(5), None, "x"]

    assert describe(made()) == describe(made())
    assert "0x" not in describe(made())
    assert len(fingerprint(made())) == 16


def test_how_data_lie_in_memory_does_not_matter():
    X = np.random.default_rng(0).normal(size=(6, 3))
    for view in (X[::-1][::-1], np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        assert describe(view) == describe(X)
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        d=pd.Categorical(list("xyxyyx")), e=1, f=list("uvwuvw"), g=pd.array([1, None] * 3, "Int64")
    )
    apart = pd.concat([frame[[name]] for name in frame], axis=1)
    for view in (frame[::-1][::-1], frame.iloc[list(range(6))], frame.copy(), apart):
        assert describe(view) == describe(frame)
        for name in frame:
            assert describe(view[name]) == describe(frame[name])
    assert describe(frame.index) == describe(frame.index[::-1][::-1])
    changed = [
        frame.assign(a=0.0),
        frame.assign(d=frame["d"].cat.reorder_categories(["y", "x"])),
        frame.assign(e=1.0),
        frame.assign(g=pd.array([2, None] * 3, "Int64")),
        frame.rename(columns={"f": "h"}),
        frame.set_axis(range(1, 7)),
        frame[::-1],
        frame[[*"bacdefg"]],
    ]
    assert len({describe(thing) for thing in [frame, *changed]}) == 9


def test_stores_know_arrays_by_the_hash_they_always_had():
    X = np.arange(6.0).reshape(2, 3)
    assert describe(X) == f"ndarray:{joblib.hash(X)}"


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


def test_sets_are_described_in_one_order_whatever_the_hash_seed():
    assert describe(frozenset("bca")) == "{'a', 'b', 'c'}"


def test_slots_are_read():
    assert describe(Slotted(1)) != describe(Slotted(2))
