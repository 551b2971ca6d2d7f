"""One answer checks its arrays once, encodes labels once, sorts scores once, counts once."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious import _cases, _checks, _labels
from cautious.curves import Staircase

N = 240
COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}
GOALS = [
    {"costs": COSTS},
    {"max_abstention": 0.2},
    {"max_error": 0.1, "per": "case"},
    {"min_saving": 0.3},
    {"costs": {**COSTS, "false_negative": np.arange(N) + 1.0}},
]


class Calls:
    """Counts calls of functions that are given, or give, an array of all cases."""

    def __init__(self, monkeypatch):
        self.counts = {}
        self.monkeypatch = monkeypatch

    def watch(self, module, name):
        """Wrap a function wherever the library has imported it."""
        real = getattr(module, name)
        self.counts[name] = 0

        def counted(values, *args, **options):
            self.counts[name] += np.shape(values)[:1] == (N,)
            return real(values, *args, **options)

        for place in list(sys.modules.values()):
            is_ours = getattr(place, "__name__", "").partition(".")[0] == "cautious"
            if (is_ours or place is module) and vars(place).get(name) is real:
                self.monkeypatch.setattr(place, name, counted)


@pytest.fixture
def calls(monkeypatch):
    found = Calls(monkeypatch)
    for module, names in (
        (_checks, "check_classes flat_labels check_truth check_scores as_codes check_weight"),
        (_labels, "binary_truth"),
        (_cases, "sorted_classes"),
        (np, "sort argsort unique"),
    ):
        for name in names.split():
            found.watch(module, name)
    real = Staircase.of_counts.__func__
    found.counts["staircases"] = 0

    def of_counts(cls, scores, positives, negatives, classes):
        # Parts of the cases re-weigh the one order; the staircase of all of them is counted.
        found.counts["staircases"] += positives.sum() + negatives.sum() == N
        return real(cls, scores, positives, negatives, classes)

    monkeypatch.setattr(Staircase, "of_counts", classmethod(of_counts))
    return found


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    return pd.DataFrame({"y_true": np.array(["no", "yes"])[y], "score": rng.normal(size=N) + y})


@pytest.mark.parametrize("goal", GOALS)
def test_tuning_of_a_file(calls, frame, tmp_path, goal):
    """What was read is checked already: nothing is checked or encoded again."""
    frame.to_csv(tmp_path / "p.csv", index=False)
    cautious.tune(tmp_path / "p.csv", **goal)
    assert calls.counts.pop("staircases") == calls.counts.pop("argsort") == 1
    assert calls.counts == dict.fromkeys(calls.counts, 0)


def test_a_search_on_arrays(calls, frame):
    cautious.tuning.find_rule(frame["y_true"].to_numpy(), y_score=frame["score"], costs=COSTS)
    assert calls.counts["staircases"] == calls.counts["argsort"] == 1
    assert calls.counts["check_truth"] == calls.counts["check_scores"] == 1
    assert calls.counts["sort"] == calls.counts["unique"] == calls.counts["as_codes"] == 0


def test_a_promise_counts_the_cases_once(calls, frame):
    data = frame.assign(score=1 / (1 + np.exp(-frame["score"])))
    cautious.tune(data, max_error=0.3, confidence_level=0.9)
    assert calls.counts["staircases"] == 1
