"""The numbers of Ferri & Hernández-Orallo (2004), sections 2 to 4, errata beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from cautious.metrics import (
    MEASURES,
    SetCounts,
    abstention_score,
    capacity_score,
    cautious_confusion_matrix,
    coverage_f_score,
    coverage_score,
    efficacy_score,
    error_score,
    selective_accuracy_score,
)
from cautious.metrics._confusion import full_coverage_error

EXAMPLE_1 = np.array([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])


def predictions(matrix: np.ndarray) -> tuple[list[str], list[str | None]]:
    """Cases that give a printed confusion matrix."""
    names = [*"abc"[: matrix.shape[1]], None]
    pairs = [
        (names[j], names[i] if i < matrix.shape[1] else None)
        for i, row in enumerate(matrix)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    truth, answers = zip(*pairs, strict=True)
    return list(truth), list(answers)


@pytest.fixture
def example_1() -> tuple[list[str], list[str | None]]:
    return predictions(EXAMPLE_1)


def moved(y_true, y_set, abstention, **options) -> pd.DataFrame:
    return cautious_confusion_matrix(y_true, y_set, abstention=abstention, **options)


def test_example_1_matrix(example_1) -> None:
    table = cautious_confusion_matrix(*example_1)
    assert table.to_numpy().tolist() == EXAMPLE_1.tolist()
    assert list(table.index) == ["a", "b", "c", "⊥"]
    assert list(table.columns) == ["a", "b", "c"]
    assert (table.index.name, table.columns.name) == ("prediction", "truth")


def test_example_1_measures(example_1) -> None:
    """Printed: coverage .91, abstention .09, accuracy .956, error .04; efficacy .933."""
    assert coverage_score(*example_1) == pytest.approx(0.91)
    assert abstention_score(*example_1) == pytest.approx(0.09)
    assert selective_accuracy_score(*example_1) == pytest.approx(87 / 91)
    assert error_score(*example_1) == pytest.approx(0.04)
    assert round(efficacy_score(*example_1), 3) == 0.933
    accuracy, coverage = selective_accuracy_score(*example_1), coverage_score(*example_1)
    assert accuracy * coverage == pytest.approx(coverage - error_score(*example_1))


def test_example_1_moved_to_more_abstention(example_1) -> None:
    """Section 2.2, the matrix of Q.25."""
    printed = [[15.66, 0.82, 1.65], [0, 24.73, 0], [0, 0.82, 31.32], [4.34, 7.63, 13.03]]
    assert moved(*example_1, 0.25).round(2).to_numpy().tolist() == printed


def test_example_1_moved_to_less_abstention(example_1) -> None:
    """Section 2.2, the matrix of Q.06; column a is misprinted as 19.33, 0, 0, .67."""
    by_the_rule = [[19.11, 1.22, 2.67], [0.11, 30.22, 0.67], [0.11, 1.22, 38.67], [0.67, 1.33, 4]]
    found = moved(*example_1, 0.06)
    assert found.round(2).to_numpy().tolist() == by_the_rule
    assert found["a"].round(2).tolist() != [19.33, 0, 0, 0.67]
    # Whatever is printed, moving a classifier keeps the number of cases of each class.
    assert np.allclose(found.sum(axis=0), [20, 34, 46])


def test_example_1_error_without_abstention() -> None:
    """Section 2.2: .1 with uniform guessing, .0936 with the prior (.2, .34, .46)."""
    counts = SetCounts.from_confusion(EXAMPLE_1)
    assert full_coverage_error(counts) == pytest.approx(0.10)
    assert full_coverage_error(counts, "prior") == pytest.approx(0.0936)
    assert full_coverage_error(counts, [0.2, 0.34, 0.46]) == pytest.approx(0.0936)


LEAVES = np.array(
    [
        # p(a), cases of a, cases of b: section 4, Example 2
        [1.00, 23, 1],
        [0.75, 10, 0],
        [0.70, 4, 2],
        [0.60, 0, 9],
        [0.35, 2, 3],
        [0.20, 1, 15],
        [0.10, 0, 30],
    ]
)


def tree_predictions(threshold: float) -> tuple[np.ndarray, np.ndarray]:
    p = np.repeat(LEAVES[:, 0], (LEAVES[:, 1] + LEAVES[:, 2]).astype(int))
    truth = np.concatenate([["a"] * int(a) + ["b"] * int(b) for _, a, b in LEAVES])
    answers = np.where(p >= 0.5, "a", "b").astype(object)
    answers[np.maximum(p, 1 - p) < threshold] = None
    return truth, answers


def test_example_2_always_answering() -> None:
    """Section 4 prints accuracy .85, error .15, efficacy .925, f-score .919, capacity .925."""
    cases = tree_predictions(0.5)
    assert cautious_confusion_matrix(*cases).to_numpy().tolist() == [[37, 12], [3, 48], [0, 0]]
    assert selective_accuracy_score(*cases) == pytest.approx(0.85)
    assert error_score(*cases) == pytest.approx(0.15)
    assert coverage_score(*cases) == 1
    assert efficacy_score(*cases) == pytest.approx(0.925)
    assert round(coverage_f_score(*cases), 3) == 0.919
    assert capacity_score(*cases) == pytest.approx(0.925)


def test_example_2_with_a_threshold() -> None:
    """Section 4 prints accuracy .934, error .06, coverage .91, efficacy .922: right.

    It prints f-score .916, which is .9219, and capacity .9448, which by the paper's own definition
    is .9653 (uniform guessing) or .9657 (prior).
    """
    cases = tree_predictions(0.625)
    assert cautious_confusion_matrix(*cases).to_numpy().tolist() == [[37, 3], [3, 48], [0, 9]]
    assert round(selective_accuracy_score(*cases), 3) == 0.934
    assert error_score(*cases) == pytest.approx(0.06)
    assert coverage_score(*cases) == pytest.approx(0.91)
    assert round(efficacy_score(*cases), 3) == 0.922
    printed_f, printed_capacity = 0.916, 0.9448
    assert round(coverage_f_score(*cases), 4) == 0.9219 != printed_f
    assert round(capacity_score(*cases), 4) == 0.9653 != printed_capacity
    assert round(capacity_score(*cases, guess="prior"), 4) == 0.9657 != printed_capacity


@pytest.mark.parametrize("guess", ["uniform", "prior", [0.5, 0.3, 0.2]])
@pytest.mark.parametrize("partial", ["abstain", "answer"])
def test_capacity_is_the_area_above_the_errors_of_the_moved_matrices(guess, partial) -> None:
    rng = np.random.default_rng(3)
    mask = rng.random((80, 3)) < 0.5
    mask[np.arange(80), rng.integers(3, size=80)] = True
    counts = SetCounts.from_predictions(rng.integers(3, size=80), mask)

    def error(alpha: float) -> float:
        table = moved(counts, None, alpha, guess=guess, partial=partial)
        right = np.trace(table.iloc[:3])
        for name in table.index[3:-1]:
            right += sum(table.loc[name, int(c)] for c in name.strip("{}").split(","))
        return (table.iloc[:-1].to_numpy().sum() - right) / table.to_numpy().sum()

    own = float(counts.mean(~counts.answered(partial)))
    area = own * (error(0) + error(own)) / 2 + (1 - own) * (error(own) + error(1)) / 2
    found = MEASURES["capacity"].score(counts, guess=guess, partial=partial)
    assert found == pytest.approx(1 - area)
    # Piecewise linear indeed: the middle of each piece lies on the line between its ends.
    for low, high in ((0, own), (own, 1)):
        assert error((low + high) / 2) == pytest.approx((error(low) + error(high)) / 2)
    table = moved(counts, None, 0.3, guess=guess, partial=partial)
    assert table.iloc[-1].sum() / 80 == pytest.approx(0.3)


def test_always_abstaining() -> None:
    """Accuracy "is undefined if Coverage = 0" (section 2.1); capacity is that of guessing."""
    cases = (["a", "b", "b"], [None, None, None])
    assert coverage_score(*cases) == 0
    assert error_score(*cases) == 0
    for undefined in (selective_accuracy_score, efficacy_score, coverage_f_score):
        with pytest.warns(UndefinedMetricWarning, match="no case counts"):
            assert np.isnan(undefined(*cases))
    assert capacity_score(*cases) == pytest.approx(1 - 0.5 / 2)
    assert moved(*cases, 1).loc["⊥"].tolist() == [1, 2]
    assert moved(*cases, 0).to_numpy().tolist() == [[0.5, 1], [0.5, 1], [0, 0]]


def test_never_abstaining_can_be_moved_both_ways() -> None:
    cases = (["a", "b"], ["a", "a"])
    assert moved(*cases, 0).to_numpy().tolist() == [[1, 1], [0, 0], [0, 0]]
    assert moved(*cases, 1).to_numpy().tolist() == [[0, 0], [0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"abstention": 1.2}, "abstention is 1.2; a share of cases lies between 0 and 1"),
        ({"abstention": float("nan")}, "abstention is nan"),
        ({"abstention": 0.1, "guess": "random"}, "guess is 'random'; choose 'uniform', 'prior'"),
        ({"abstention": 0.1, "guess": [0.5, 0.2, 0.3]}, r"guess has shape \(3,\); expected \(2,\)"),
        ({"abstention": 0.1, "guess": [0.5, 0.2]}, "must add up to 1"),
        ({"abstention": 0.1, "guess": [1.5, -0.5]}, "must add up to 1"),
        ({"abstention": 0.1, "partial": "maybe"}, "partial is 'maybe'"),
    ],
)
def test_bad_arguments(params, message) -> None:
    with pytest.raises(ValueError, match=message):
        cautious_confusion_matrix(["a", "b"], ["a", None], **params)


def test_when_it_pays_by_efficacy_to_withdraw_an_error() -> None:
    """Exactly where the accuracy exceeds (answers - 1) / cases, as the docstring says."""
    for n in range(3, 12):
        for answers in range(2, n + 1):
            for right in range(answers):

                def efficacy(wrong: int, n: int = n, right: int = right) -> float:
                    table = [[right, wrong], [0, 0], [0, n - right - wrong]]
                    return MEASURES["efficacy"].score(SetCounts.from_confusion(table))

                pays = efficacy(answers - right - 1) > efficacy(answers - right) + 1e-12
                assert pays == (right / answers > (answers - 1) / n + 1e-12)
