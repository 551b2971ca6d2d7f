"""Alarms: the formula against numerical integration, false alarms, delays, merging."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from cautious.guarantees import RiskMonitor


@pytest.mark.parametrize(
    ("wrong", "answered", "expected"), [(10, 100, -0.4848), (20, 100, 11.7236), (5, 100, -3.3484)]
)
def test_reference_numbers(wrong, answered, expected):
    found = RiskMonitor(0.05, wrong=wrong, answered=answered).log_evidence
    assert found == pytest.approx(expected, abs=5e-5)


@given(st.integers(0, 80), st.integers(0, 80), st.floats(0.02, 0.9))
def test_the_integral(wrong, right, limit):
    m = wrong + right
    monitor = RiskMonitor(limit, wrong=wrong, answered=m)

    def ratio(theta):
        return math.exp(
            wrong * math.log(theta / limit)
            + (right * math.log((1 - theta) / (1 - limit)) if right else 0)
        )

    peak = min(max(wrong / m if m else limit, limit), 1 - 1e-9)
    area = integrate.quad(ratio, limit, 1, points=[peak], limit=200)[0]
    assert math.exp(monitor.log_evidence) == pytest.approx(area / (1 - limit), rel=1e-6)


def test_no_underflow():
    found = [
        RiskMonitor(0.05, wrong=k, answered=m).log_evidence
        for k, m in ((0, 10_000), (10, 10**5), (3, 10**8), (10**7, 10**9))
    ]
    assert np.isfinite(found).all()
    # Just before and just after the tail underflows, the two ways to compute it agree.
    near = [RiskMonitor(0.05, wrong=0, answered=m).log_evidence for m in range(12_950, 13_150)]
    assert np.max(np.abs(np.diff(near, 2))) < 1e-6


def test_false_alarms_over_all_time():
    rng = np.random.default_rng(0)
    rang = 0
    for _ in range(60):
        wrong = np.cumsum(rng.random(3000) < 0.05)
        looks = range(29, 3000, 30)
        rang += any(RiskMonitor(0.05, wrong=wrong[i], answered=i + 1).alarm for i in looks)
    assert rang <= 0.05 * 60


def test_delay():
    rng = np.random.default_rng(1)
    delays = []
    for _ in range(41):
        monitor = RiskMonitor(0.05)
        while not monitor.alarm:
            monitor.update(int(rng.random() < 0.1), 1)
        delays.append(monitor.answered)
    assert 150 < np.median(delays) < 330


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=5))
def test_merged_monitors_are_one(batches):
    one = RiskMonitor(0.1)
    for wrong, right in batches:
        one.update(wrong, wrong + right)
    parts = [RiskMonitor(0.1, wrong=w, answered=w + r) for w, r in batches]
    assert sum(parts, RiskMonitor(0.1)) == one
    assert RiskMonitor.from_dict(json.loads(json.dumps(one.to_dict()))) == one


def test_refusals():
    with pytest.raises(ValueError, match="same promise"):
        RiskMonitor(0.1) + RiskMonitor(0.2)
    with pytest.raises(ValueError, match="max_error is 2"):
        RiskMonitor(2)
    with pytest.raises(ValueError, match="more wrong answers"):
        RiskMonitor(0.1).update(3, 2)
    with pytest.raises(ValueError, match="has the entries"):
        RiskMonitor.from_dict({"wrong": 1})
    with pytest.raises(ValueError, match="max_error is nan"):
        RiskMonitor.from_dict(
            {"max_error": math.nan, "confidence_level": 0.9, "wrong": 0, "answered": 0}
        )


def test_words():
    assert RiskMonitor(0.05, wrong=20, answered=100).describe().startswith("Alarm: 20 of 100")
    assert "No alarm: 0 of 0" in RiskMonitor(0.05).describe()
