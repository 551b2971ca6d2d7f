import numpy as np
import pytest

from cautious.costs import class_selective, discounted, ordinal, zero_one
from cautious.costs.matrices import check_cost_matrix


def test_zero_one_and_ordinal():
    assert zero_one(3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert ordinal(3, 2).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    np.testing.assert_array_equal(ordinal(2), zero_one(2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: zero_one(1), "n_classes is 1"),
        (lambda: ordinal(3, 0), "power is 0"),
        (lambda: class_selective([1, -2], 0), r"eta\[1\] is -2"),
        (lambda: class_selective([1], 0), "eta has shape"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, -1], [1, 0]], r"matrix\[0, 1\] is -1; costs must be finite and not negative"),
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
