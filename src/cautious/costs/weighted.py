"""Costs of missing a class, whatever was answered instead."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.costs.cost_frames import labelled
from cautious.costs.matrices import check_cost_vector, zero_one

__all__ = ["class_weighted", "imbalance"]


def class_weighted(weights: npt.ArrayLike | pd.Series) -> Floats | pd.DataFrame:
    r"""Costs of missing each class, whatever was answered instead.

    .. math:: c_{\hat y}(y) = w_y [\hat y \neq y]

    Parameters
    ----------
    weights : array-like of shape (K,)
        Cost of missing each class; non-negative. The labels of a Series are taken as classes.

    Returns
    -------
    ndarray of shape (K, K), or DataFrame
        Labelled, if `weights` is.

    See Also
    --------
    imbalance : weights from class counts.

    Examples
    --------
    >>> class_weighted([1, 5])
    array([[0., 5.],
           [1., 0.]])
    """
    missing = check_cost_vector(weights, "weights")
    matrix = zero_one(len(missing)) * missing
    return labelled(matrix, weights.index) if isinstance(weights, pd.Series) else matrix


def imbalance(counts: npt.ArrayLike | pd.Series) -> Floats | pd.DataFrame:
    r"""Costs that make up for unequal class frequencies.

    .. math:: c_{\hat y}(y) = \frac{n}{K n_y} [\hat y \neq y]

    Missing every case of a class then costs the same for every class, and the mean weight over
    the cases is one; scikit-learn calls these weights "balanced".

    Parameters
    ----------
    counts : array-like of shape (K,)
        How often each class occurs (or its prior probability); positive. The labels of a Series,
        such as ``value_counts()`` gives, are taken as classes.

    Returns
    -------
    ndarray of shape (K, K), or DataFrame
        Labelled, if `counts` is.

    Examples
    --------
    >>> imbalance([90, 10])
    array([[0.        , 5.        ],
           [0.55555556, 0.        ]])
    >>> imbalance(pd.Series(["no"] * 4 + ["yes"]).value_counts())
    truth          no  yes
    prediction
    no          0.000  2.5
    yes         0.625  0.0
    """
    n = check_cost_vector(counts, "counts")
    if (n == 0).any():
        raise ValueError(
            f"counts[{int(np.argmin(n))}] is 0; a class that never occurs has no balancing weight. "
            "Leave it out, or give the cost of missing it to class_weighted."
        )
    weights = n.sum() / (len(n) * n)
    return class_weighted(
        pd.Series(weights, index=counts.index) if isinstance(counts, pd.Series) else weights
    )
