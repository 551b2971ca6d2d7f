import os
import pickle
import subprocess
import sys
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from cautious.costs import ordinal, p_discounted
from cautious.experiments import Study
from cautious.experiments.study import describe, fingerprint
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
    assert describe(X) == f"ndarray:{joblib.hash(X)}"  # by which stores have always known it
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


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


def test_sets_are_described_in_one_order_and_slots_are_read():
    assert describe(frozenset("bca")) == "{'a', 'b', 'c'}"
    assert describe(Slotted(1)) != describe(Slotted(2))


def test_methods_that_a_class_borrows_from_built_in_types_are_named():
    plain, listed = (type("Shown", (), {"__repr__": kind.__repr__}) for kind in (object, list))
    assert describe(plain) != describe(listed)
    assert describe(type("Short", (), {"size": str.__len__})) != describe(plain)
    assert describe(type("Loud", (), {"say": str.upper})) != describe(
        type("Loud", (), {"say": str.lower})
    )


def scaled(by):
    def scale(x):
        return x * by

    return scale


class Holder:
    def __init__(self, by):
        self.by = by

    def scale(self, x):
        return x * self.by


def class_of(code):
    """Define a class of one name, whose only method does what the code says."""
    found = {"BaseEstimator": BaseEstimator, "__name__": "notebook"}
    exec(f"class Model(BaseEstimator):\n    def predict(self, X):\n        return {code}\n", found)
    return found["Model"]


def using(value):
    """Define a function that finds a value among its globals."""
    found = {"K": value, "__name__": "notebook"}
    exec("def function(x):\n    return x * K\n", found)
    return found["function"]


def fitted(y):
    return FrozenEstimator(GaussianNB().fit([[0.0], [1.0], [5.0]], y))


def subclass_of(code):
    return type("Model", (class_of(code),), {})


LOOKALIKES = {
    "lambdas": (lambda x: x, lambda x: x * 0),
    "constants": (lambda x: x + 1, lambda x: x + 2),
    "inner lambdas": (lambda x: [y for y in x if y > 1], lambda x: [y for y in x if y > 2]),
    "attributes": (lambda x: x.min(), lambda x: x.max()),
    "closures": (scaled(1), scaled(2)),
    "closures of closures": (partial(scaled(scaled(1)), 1), partial(scaled(scaled(2)), 1)),
    "bound methods": (Holder(1).scale, Holder(2).scale),
    "methods of plain objects": ("a".join, "b".join),
    "vectorized": (np.vectorize(lambda x: x), np.vectorize(lambda x: -x)),
    "defaults": (eval("lambda x, k=1: x * k"), eval("lambda x, k=2: x * k")),
    "keyword defaults": (eval("lambda x, *, k=1: x * k"), eval("lambda x, *, k=2: x * k")),
    "globals": (using(1), using(2)),
    "globals that are functions": (using(scaled(1)), using(scaled(2))),
    "classes": (class_of("X"), class_of("X * 0")),
    "models": (class_of("X")(), class_of("X * 0")()),
    "bases": (subclass_of("X")(), subclass_of("X * 0")()),
    "methods of classes": (class_of("X").predict, class_of("-X").predict),
    "what was learned": (fitted([0, 0, 1]), fitted([0, 1, 1])),
    "arrays of functions": (
        np.array([lambda x: x, None], dtype=object),
        np.array([lambda x: -x, None], dtype=object),
    ),
}


@pytest.mark.parametrize("kind", LOOKALIKES)
def test_things_of_one_name_are_told_apart_by_their_code(kind):
    one, other = LOOKALIKES[kind]
    for wrap in (
        lambda thing: thing,
        lambda thing: [thing],
        lambda thing: FunctionTransformer(thing),
        lambda thing: make_pipeline(FunctionTransformer(kw_args={"f": thing}), GaussianNB()),
    ):
        assert describe(wrap(one)) != describe(wrap(other))
        assert describe(wrap(one)) == describe(wrap(one))
    assert "0x" not in describe([one, other])


def test_what_was_not_learned_yet_does_not_matter():
    fitted = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    assert describe(fitted) == describe(GaussianNB())
    assert describe([fitted, FrozenEstimator(fitted)]) != describe([fitted, fitted])


def test_what_others_leave_on_a_class_does_not_matter():
    before = describe(Holder(1))
    pickle.dumps(Holder(1))  # leaves __slotnames__
    assert describe(Holder(1)) == before


def test_what_cannot_be_told_from_another_is_refused_by_name(tmp_path):
    model = make_pipeline(FunctionTransformer(kw_args={"x": (i for i in "ab")}), GaussianNB())
    study = Study({"model": model}, ["iris"])
    with pytest.raises(TypeError, match=r"model 'model'.*generator cannot be told from another"):
        study.run(tmp_path / "results.db")
    with pytest.raises(TypeError, match="without a store"):
        study.fingerprint()


IN_ANOTHER_PROCESS = """
import logging, threading
import numpy as np
from scipy.stats import uniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from pathlib import Path
from dataclasses import dataclass, field
from enum import Enum
from cautious.experiments.study import describe

logger = logging.getLogger("x")
lock = threading.Lock()
NAMES = {"a", "b", "c", "d"}

class Kind(Enum):
    ONE = 1
    TWO = 2

@dataclass
class Setting:
    kind: Kind = Kind.ONE
    names: frozenset = frozenset("xyz")
    more: list = field(default_factory=list)

class Model(ClassifierMixin, BaseEstimator):
    logger = logger
    kinds = {"one": Kind.ONE}

    def __init__(self, setting=None):
        self.setting = setting

    @property
    def me(self):
        return self

    @staticmethod
    def help(x):
        with lock:
            logger.info(x)
        return Model(NAMES)

    def fit(self, X, y):
        return super().fit(X, y) or self.help(X)

np.random.random(%d)
path = Path("/a/b")
hash(path)
print(describe([Model(Setting()), RandomizedSearchCV(GaussianNB(), {"a": uniform(0, 1)}), path,
                Kind.TWO, lambda x: logger.info(lock, NAMES), {"k": np.log, "m": str.lower}]))
"""


@pytest.mark.slow
def test_descriptions_are_the_same_in_every_process():
    found = set()
    for seed in ("1", "2"):
        code = IN_ANOTHER_PROCESS % (int(seed) + 5)
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert "0x" not in found.pop()
