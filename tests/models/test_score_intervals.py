"""Venn–Abers intervals: by the definition of isotonic regression, and by the package venn-abers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.decision import maximality
from cautious.models import venn_abers


def by_definition(truth, known, s, label):
    """Isotonic regression by its min–max formula, at the case that has joined."""
    scores, labels = np.append(known, s), np.append(truth, label)
    return max(
        min(labels[(scores >= a) & (scores <= b)].mean() for b in scores[scores >= s])
        for a in scores[scores <= s]
    )


@st.composite
def calibrations(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 25))
    known = rng.integers(0, draw(st.sampled_from([3, 8, 1000])), size=n) / 4
    truth = (rng.random(n) < (known - known.min() + 0.5) / (np.ptp(known) + 1)).astype(int)
    return truth, known, rng.integers(-2, 10, size=6) / 4


@settings(max_examples=60, deadline=None)
@given(calibrations())
def test_by_definition(case):
    truth, known, asked = case
    found = venn_abers(truth, known, asked)
    for label, ours in ((0, found.lower[:, 1]), (1, found.upper[:, 1])):
        expected = [by_definition(truth, known, s, label) for s in asked]
        np.testing.assert_allclose(ours, expected, atol=1e-9)
    np.testing.assert_allclose(found.lower[:, 0], 1 - found.upper[:, 1])


def test_equal_to_venn_abers():
    package = pytest.importorskip("venn_abers")
    rng = np.random.default_rng(0)
    p = rng.random(400).round(2)
    truth = (rng.random(400) < p**2).astype(int)
    asked = rng.random(200).round(3)
    theirs = package.VennAbers()
    theirs.fit(np.column_stack([1 - p, p]), truth)
    _, p0_p1 = theirs.predict_proba(np.column_stack([1 - asked, asked]))
    ours = venn_abers(truth, p, asked)
    np.testing.assert_allclose(np.column_stack([ours.lower[:, 1], ours.upper[:, 1]]), p0_p1)


def test_many_cases_narrow_the_interval():
    rng = np.random.default_rng(0)
    for n, widest in ((50, 1.0), (20_000, 0.05)):
        p = rng.random(n)
        intervals = venn_abers(rng.random(n) < p, p, [0.3])
        width = float(intervals.upper[0, 1] - intervals.lower[0, 1])
        assert 0 < width < widest
    assert abs(float(intervals.center[0, 1]) - 0.3) < 0.05
    assert maximality(intervals).tolist() == [[True, False]]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (([0, 2], [0.1, 0.2], [0.1]), "y_calibration holds 2; give 1"),
        (([0, 1], [0.1], [0.1]), "y_calibration has 2 cases and score_calibration 1"),
        (([], [], [0.1]), "y_calibration is empty"),
        (([0], [np.inf], [0.1]), "score_calibration holds a value that is not finite"),
        (([0], [0.1], [[0.1]]), "score has shape"),
    ],
)
def test_refusals(given, told):
    with pytest.raises(ValueError, match=told):
        venn_abers(*given)


def test_truths_may_be_any_labels():
    truth, scores = np.array([0, 0, 1, 0, 1, 1]), [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    named = np.array(["ill", "healthy"])[1 - truth]
    found = venn_abers(named, scores, [0.35], pos_label="ill")
    np.testing.assert_array_equal(found.upper, venn_abers(truth, scores, [0.35]).upper)
    with pytest.raises(TypeError, match="pos_label"):
        venn_abers(named, scores, [0.35])
