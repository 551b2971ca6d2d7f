"""Capacity graphs and their hull."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from scipy.optimize import linprog

from cautious.curves._capacity import CapacityCurve
from cautious.curves.response import ResponseCurve

# Ferri & Hernández-Orallo (2004), Example 1.
R = [[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]]


matrices = st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=4, max_size=4)
guesses = st.sampled_from(["uniform", "prior", (0.2, 0.3, 0.5)])


@given(matrices, guesses)
def test_the_graph_is_the_error_of_the_moved_matrices(
    matrix: list[list[int]], guess: object
) -> None:
    if np.sum(matrix) == 0:
        return
    curve = CapacityCurve.from_matrix(matrix, guess=guess)
    levels = np.linspace(0, 1, 9)
    errors = curve.error(levels)
    for alpha, error in zip(levels, errors, strict=True):
        moved = curve.matrix(alpha).to_numpy()
        wrong = moved[:-1].sum() - np.trace(moved[:-1])
        assert error == pytest.approx(wrong / np.sum(matrix))
    corners = curve.frame()
    area = trapezoid(corners["error"], corners["abstention"])
    assert curve.capacity == pytest.approx(1 - area)


def test_coverage_zero_is_the_graph_of_knowing_nothing() -> None:
    curve = CapacityCurve.from_predictions([0, 1, 2], [None] * 3)
    pd.testing.assert_frame_equal(curve.frame(), CapacityCurve.no_information(3).frame())
    assert curve.capacity == pytest.approx(1 - 1 / 3)
    by_prior = CapacityCurve.from_predictions([0, 0, 1, 0], [None] * 4, guess="prior")
    assert by_prior.guessed_error == pytest.approx(1 - 0.75**2 - 0.25**2)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="no case of positive weight"):
        CapacityCurve.from_predictions([0, 1], [0, 1], sample_weight=[0, 0])
    with pytest.raises(ValueError, match="guess is 'sometimes'"):
        CapacityCurve.from_matrix(R, guess="sometimes")
    curve = CapacityCurve.from_matrix(R)
    for alpha in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="abstention is"):
            curve.error(alpha)
    with pytest.raises(ValueError, match="n_classes is 1"):
        CapacityCurve.no_information(1)


# Section 3's picture: B errs more and answers more than C, A is above both, D knows nothing.
def picture() -> dict[str, CapacityCurve]:
    return {
        "A": CapacityCurve.from_matrix([[40, 8], [5, 37], [5, 5]]),
        "B": CapacityCurve.from_matrix([[45, 8], [5, 42], [0, 0]]),
        "C": CapacityCurve.from_matrix([[30, 1], [1, 28], [19, 21]]),
        "D": CapacityCurve.no_information(2),
    }


def test_the_hull_names_whom_to_keep() -> None:
    hull = CapacityCurve.hull(picture())
    assert hull.classifiers == ["B", "C"]
    corners = hull.frame()
    assert corners["use"].tolist() == ["as is", "as is", "abstain"]
    assert corners["abstention"].tolist() == [0, 0.4, 1]
    assert hull.capacity == pytest.approx(1 - 0.4 * 0.075 - 0.6 * 0.01)
    assert hull.mixture(0.7)["classifier"].tolist() == ["C", None]
    alone = hull.mixture(0.4)
    assert (alone["classifier"].tolist(), alone["weight"].tolist()) == (["C"], [1.0])
    assert hull.mixture(0)["classifier"].tolist() == ["B"]
    with pytest.raises(ValueError, match="abstention is 2"):
        hull.mixture(2)
    with pytest.raises(TypeError, match=r"abstention is \[0.1, 0.2\]; give one number"):
        hull.mixture([0.1, 0.2])


def test_a_tail_can_be_worth_keeping() -> None:
    # Guessing what the shy one abstains on errs less than the bold one answers.
    hull = CapacityCurve.hull(
        {
            "bold": CapacityCurve.from_matrix([[25, 25], [25, 25], [0, 0]]),
            "shy": CapacityCurve.from_matrix([[30, 1], [1, 28], [19, 21]]),
        }
    )
    assert hull.frame()[["classifier", "use"]].to_numpy().tolist() == [
        ["shy", "guess"],
        ["shy", "as is"],
        [None, "abstain"],
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(matrices, min_size=1, max_size=4), st.floats(0, 1))
def test_the_hull_is_the_best_mixture(tables: list[list[list[int]]], alpha: float) -> None:
    curves = {
        i: CapacityCurve.from_matrix(table) for i, table in enumerate(tables) if np.sum(table) > 0
    }
    if not curves:
        return
    hull = CapacityCurve.hull(curves)
    corners = pd.concat(
        [curve.frame() for curve in curves.values()]
        + [pd.DataFrame([[1.0, 0.0]], columns=["abstention", "error"])]
    )
    best = linprog(
        corners["error"],
        A_eq=np.stack([corners["abstention"], np.ones(len(corners))]),
        b_eq=[alpha, 1],
    )
    assert hull.error(alpha) == pytest.approx(best.fun, abs=1e-9)
    mixture = hull.mixture(alpha)
    assert mixture["weight"].sum() == pytest.approx(1)
    assert (mixture["weight"] * mixture["error"]).sum() == pytest.approx(best.fun, abs=1e-9)
    assert (mixture["weight"] * mixture["abstention"]).sum() == pytest.approx(alpha)


def test_response_curves_bring_all_their_windows() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(400).round(2)
    truth = (rng.random(400) < p).astype(int)
    curve = ResponseCurve.from_predictions(truth, np.c_[1 - p, p])
    hull = CapacityCurve.hull({"model": curve, "guess": CapacityCurve.no_information(2)})
    corners = hull.frame()
    assert set(corners["use"][:-1]) == {"window"}
    for _, corner in corners[:-1].iterrows():
        matrix = curve.confusion_matrix(corner["window"]).to_numpy()
        assert corner["error"] == pytest.approx((matrix[0, 1] + matrix[1, 0]) / 400)
    assert (hull.error(curve.abstention) <= curve.measure("error") + 1e-12).all()
    assert np.isnan(corners["window"].iloc[-1])
    slopes = np.diff(corners["error"]) / np.diff(corners["abstention"])
    assert (np.diff(slopes) > 0).all()


def test_bad_hulls() -> None:
    with pytest.raises(ValueError, match="curves is empty"):
        CapacityCurve.hull({})
    with pytest.raises(TypeError, match="curves\\['x'\\] is a list"):
        CapacityCurve.hull({"x": [0.1, 0.2]})
