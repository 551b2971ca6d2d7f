"""Alarms: the formula against numerical integration, false alarms, delays, merging."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from cautious.guarantees import DriftMonitor, RiskMonitor


@given(st.integers(0, 80), st.integers(0, 80), st.floats(0.02, 0.9), st.booleans())
def test_the_integral(wrong, right, limit, near):
    m = wrong + right
    monitor = RiskMonitor(limit, wrong=wrong, answered=m, near=near)
    b = max(1, 1 / (2 * limit)) if near else 1

    def ratio(theta):
        lost = (right + b - 1) * math.log((1 - theta) / (1 - limit)) if right + b > 1 else 0
        return math.exp(wrong * math.log(theta / limit) + lost)

    peak = min(max(wrong / (m + b - 1) if m else limit, limit), 1 - 1e-9)
    area = integrate.quad(ratio, limit, 1, points=[peak], limit=200)[0]
    assert math.exp(monitor.log_evidence) == pytest.approx(area * b / (1 - limit), rel=1e-6)


@pytest.mark.parametrize("near", [False, True])
def test_no_underflow(near):
    def found(wrong, answered, limit=0.05):
        return RiskMonitor(limit, wrong=wrong, answered=answered, near=near).log_evidence

    counts = ((0, 10_000), (10, 10**5), (3, 10**8), (10**7, 10**9), (0, 10**9, 1e-320))
    assert np.isfinite([found(*each) for each in counts]).all()
    # Just before and just after the tail underflows, the two ways to compute it agree.
    path = [found(1, answered) for answered in range(12_950, 13_400)]
    assert np.max(np.abs(np.diff(path, 2))) < 1e-6


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=5))
def test_merged_monitors_are_one(batches):
    one = RiskMonitor(0.1)
    for wrong, right in batches:
        one.update(wrong, wrong + right)
    parts = [RiskMonitor(0.1, wrong=w, answered=w + r) for w, r in batches]
    assert sum(parts, RiskMonitor(0.1)) == one
    assert RiskMonitor.from_dict(json.loads(json.dumps(one.to_dict()))) == one


def test_refusals():
    for other in (RiskMonitor(0.2), RiskMonitor(0.1, near=True)):
        with pytest.raises(ValueError, match="same promise"):
            RiskMonitor(0.1) + other
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


def chance(sequence, parameters):
    """Probability of a sequence of bins: Pólya's urn, one case after the other."""
    urn, found = list(parameters), 1.0
    for at in sequence:
        found *= urn[at] / sum(urn)
        urn[at] += 1
    return found


@pytest.mark.parametrize("expected", [(3, 2), (1, 5, 2)])
def test_evidence_of_drift_is_a_fair_bet(expected):
    """Under no change it is expected to be 1, exactly, whatever the number of cases."""
    for n in (1, 3, 5):
        total = 0.0
        for sequence in product(range(len(expected)), repeat=n):
            counts = np.bincount(sequence, minlength=len(expected))
            evidence = math.exp(DriftMonitor(expected, counts).log_evidence)
            total += chance(sequence, expected) * evidence
        assert total == pytest.approx(1, abs=1e-12)


def test_masses_between_scores_are_as_expected():
    """Bins that end at scores of a sample have Dirichlet masses, of any continuous scores."""
    rng = np.random.default_rng(0)
    cases = np.sort(rng.random((4000, 30)), axis=1)
    edges = np.column_stack([np.zeros(4000), cases[:, 9], cases[:, 19], np.ones(4000)])
    mass = np.diff(edges, axis=1)  # of uniform scores, so that mass is length
    expected = np.array([10, 10, 11])
    np.testing.assert_allclose(mass.mean(axis=0), expected / 31, atol=0.005)
    share = expected / 31
    np.testing.assert_allclose(mass.var(axis=0), share * (1 - share) / 32, rtol=0.1)


def test_drift_monitors_add_up_and_refuse():
    one = DriftMonitor([5, 6], [3, 4])
    both = sum([one, DriftMonitor([5, 6], [1, 0])])
    assert both == DriftMonitor([5, 6], [4, 4])
    with pytest.raises(ValueError, match="same promise"):
        one + DriftMonitor([5, 7])
    with pytest.raises(ValueError, match="at least two bins"):
        DriftMonitor([5, 0])
    with pytest.raises(ValueError, match="counts has 3 bins"):
        one.update([1, 2, 3])
    with pytest.raises(ValueError, match="a whole number"):
        one.update([0.5, 1])
    assert one.describe().startswith("No alarm: the scores of 7 new cases")
    assert DriftMonitor([50, 51], [10**6, 0]).log_evidence > 100
