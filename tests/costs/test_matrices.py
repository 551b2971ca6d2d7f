import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from cautious.costs import balanced_costs, class_weighted, discounted, ordinal, zero_one
from cautious.costs.matrices import check_cost_matrix


def test_zero_one_and_ordinal():
    assert zero_one(3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert ordinal(3, 2).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    np.testing.assert_array_equal(ordinal(2), zero_one(2))


def test_balanced_costs_use_scikit_learn_s_balanced_weights():
    y = np.repeat([0, 1, 2], [50, 30, 5])
    weights = compute_class_weight("balanced", classes=np.arange(3), y=y)
    np.testing.assert_allclose(balanced_costs(np.bincount(y)), class_weighted(weights))
    # The truth decides the cost: columns are constant off the diagonal.
    assert balanced_costs([50, 30, 5])[0, 2] == balanced_costs([50, 30, 5])[1, 2] == 85 / 15


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: zero_one(1), "n_classes is 1"),
        (lambda: ordinal(0), "n_classes is 0"),
        (lambda: ordinal(3, 0), "power is 0"),
        (lambda: ordinal(3, np.nan), "power is nan"),
        (lambda: class_weighted([1, -2]), r"weights\[1\] is -2"),
        (lambda: class_weighted([1]), "weights has shape"),
        (lambda: balanced_costs([3, 0]), r"counts\[1\] is 0"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, -1], [1, 0]], r"matrix\[0, 1\] is -1; costs must be finite and not negative"),
        ([[0, 1], [np.nan, 0]], r"matrix\[1, 0\] is nan"),
        ([[0, 1], [np.inf, 0]], r"matrix\[1, 0\] is inf"),
        ([[0, 1, 1], [1, 0, 1]], r"shape \(2, 3\); a cost matrix is square"),
        ([0, 1], "square"),
        ([[0]], "at least two"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(ValueError, match=message):
        check_cost_matrix(matrix)
    with pytest.raises(ValueError, match=message):
        discounted(matrix)


def test_matrices_that_are_not_numbers():
    with pytest.raises(TypeError, match="matrix holds the text 'a'; costs are numbers"):
        check_cost_matrix([["a", "b"], ["c", "d"]])
    with pytest.raises(TypeError, match="regular shape"):
        check_cost_matrix([[0, 1], [1]])


def test_number_of_classes():
    with pytest.raises(ValueError, match="for 2 classes but there are 3"):
        check_cost_matrix(zero_one(2), n_classes=3)


def test_diagonal():
    dear = [[1, 2], [3, 1.5]]
    check_cost_matrix(dear, diagonal="least")
    with pytest.raises(ValueError, match=r"matrix\[0, 0\] is 1; right answers must cost 0"):
        check_cost_matrix(dear, diagonal="zero")
    rewards = [[1, 0], [0, 1]]
    check_cost_matrix(rewards)
    with pytest.raises(ValueError, match=r"matrix\[0, 1\] = 0 is less than .*Transpose"):
        check_cost_matrix(rewards, diagonal="least")
    with pytest.raises(ValueError, match="diagonal is 'none'"):
        check_cost_matrix(dear, diagonal="none")


def test_the_argument_is_copied():
    given_matrix = zero_one(2)
    check_cost_matrix(given_matrix)[0, 1] = 7
    assert given_matrix[0, 1] == 1
