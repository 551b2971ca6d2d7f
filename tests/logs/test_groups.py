"""Many models and groups in one log."""

import cProfile
import pstats
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import cautious
from cautious.curves import Staircase
from cautious.decision import Rule
from cautious.logs import summarise
from cautious.logs._source import open_source
from cautious.logs.engines import summarise_block
from cautious.logs.plan import Plan
from cautious.metrics import breakdown


def test_many_groups_take_no_room_for_what_does_not_occur():
    """A table of every value and kind would take 3000 × 4000 × 2 counts."""
    rng = np.random.default_rng(0)
    n = 16_000
    log = pd.DataFrame({"y": rng.integers(2, size=n), "group": rng.integers(4000, size=n)})
    log["score"] = rng.choice(rng.random(3000), n)
    tracemalloc.start()
    summary = summarise(log, n_threads=1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert summary.staircase() == Staircase.from_predictions(log["y"], log["score"])
    assert most < 30e6


def test_groups_are_counted_as_codes_and_not_one_by_one():
    n = 20_000
    log = pd.DataFrame({"y": np.arange(2 * n) % 2, "group": np.arange(2 * n) % n})
    log["score"] = np.random.default_rng(0).random(2 * n)
    plan, parts = Plan.of(pa.Schema.from_pandas(log), groups="group"), list(open_source(log).parts)
    profile = cProfile.Profile()
    summary = profile.runcall(summarise_block, parts, plan)
    assert len(summary.groups) == n
    assert pstats.Stats(profile).total_calls < 12 * n


def test_measures_of_many_groups_and_models():
    rng = np.random.default_rng(1)
    n = 3000
    log = pd.DataFrame({"y": rng.integers(3, size=n), "group": rng.integers(300, size=n)})
    log["model"] = rng.integers(4, size=n)
    log["y_set"] = rng.choice(["0", "1", "0|1", "1|2", "?"], n)
    summary = summarise(log)
    whole = summarise(log, groups=False)
    assert summary.counts(model="1") == whole.counts(model="1")
    assert summarise(log, model=False).counts().n == n
    groups = summary.breakdown(["coverage", "u65"], model="2")
    assert groups["n"].sum() == (log["model"] == 2).sum()
    for name in groups.index[[0, 100, -1]]:
        part = log[(log["group"] == int(name)) & (log["model"] == 2)]
        if len(part):
            own = summarise(part, classes=[0, 1, 2]).measure("u65")
            assert groups.loc[name, "u65"] == pytest.approx(own, rel=1e-15)


def test_scores_of_two_classes_are_broken_down_by_any_rule():
    rng = np.random.default_rng(2)
    log = pd.DataFrame({"y": rng.integers(2, size=400), "group": rng.choice(["u", "v"], 400)})
    log["score"] = rng.random(400)
    rule = Rule.window(0.3, 0.7)
    groups = summarise(log).breakdown(["coverage", "error"], decision=rule)
    mask = rule.predict_set(log["score"])
    expected = breakdown(log["y"], mask, groups=log["group"], measures=["coverage", "error"])
    pd.testing.assert_frame_equal(groups, expected, check_names=False, check_index_type=False)
    usual = summarise(log).breakdown(["coverage"])
    assert usual["coverage"].tolist() == [1, 1]  # the most probable class
    log["group"] = rng.choice([9, 10, 11], 400)
    told = next(iter(cautious.evaluate(log, rule=rule, groups="group").by_group.values()))
    assert list(summarise(log).breakdown().index) == list(told.index)


def test_many_groups_are_measured_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    log = pd.DataFrame({"y": rng.integers(2, size=9000), "group": rng.integers(3000, size=9000)})
    log["score"] = rng.random(9000).round(2)
    summary, decide, asked = summarise(log), Rule.predict_set, []

    def predict_set(rule, scores, **how):
        asked.append(len(scores))
        return decide(rule, scores, **how)

    monkeypatch.setattr(Rule, "predict_set", predict_set)
    rule = Rule.window(0.3, 0.7)
    groups = summary.breakdown(["coverage", "error"], decision=rule)
    assert len(asked) == 1
    assert groups["n"].sum() == len(log)
    for name in groups.index[[0, 1000, -1]]:
        for measure in ("coverage", "error"):
            own = summary.measure(measure, decision=rule, group=name)
            assert groups.loc[name, measure] == pytest.approx(own, rel=1e-15)
    asked.clear()
    for source, columns in ((summary, {}), (log, {"groups": "group"})):
        evaluated = cautious.evaluate(source, rule=rule, **columns)
        (found,) = evaluated.by_group.values()
        own = found.loc[groups.index, ["n", "coverage", "error"]]
        np.testing.assert_allclose(own, groups, rtol=1e-15)
    assert len(asked) < 10


@pytest.mark.parametrize("weighted", [False, True])
def test_more_groups_than_classes_are_counted_alike_in_any_split(weighted):
    n = 90_000
    rng = np.random.default_rng(0)
    log = pd.DataFrame({"y": rng.integers(2, size=n), "score": rng.integers(9, size=n) / 8})
    log["group"] = rng.integers(40_000, size=n).astype(str)
    log["weight"] = rng.integers(1, 4, n) / 4 if weighted else 1
    how = {"groups": "group", "weight": weighted and "weight"}
    parts = [summarise(log[start::3], **how) for start in range(3)]
    whole = summarise(log, **how)
    assert sum(parts) == whole
    assert len(whole.groups) == log["group"].nunique() > 32_768
    rule = Rule.window(0.2, 0.7)
    told = cautious.evaluate(log, rule=rule, **how).by_group["predictions"]["error"]
    found = whole.breakdown(["error"], decision=rule)["error"].reindex(told.index)
    np.testing.assert_allclose(found, told, rtol=1e-12)
