"""Cost matrices as parameters of estimators, put in the order of the classes seen in fit."""

from __future__ import annotations

import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Labels
from cautious.costs import SetCosts, check_cost_matrix, cost_matrix_from_frame

__all__ = ["class_costs"]


def class_costs(costs: npt.ArrayLike | pd.DataFrame, classes: Labels) -> Floats:
    """Check a cost matrix against the classes.

    Parameters
    ----------
    costs : array-like or DataFrame of shape (K, K)
        Rows are predictions, columns truths. An array is in the order of the classes; a frame
        carries their labels, and may hold more of them.
    classes : ndarray of shape (K,)
        Class labels.

    Returns
    -------
    ndarray of shape (K, K)

    Examples
    --------
    >>> import numpy as np
    >>> frame = pd.DataFrame([[4, 0], [0, 2]], index=["n", "h"], columns=["h", "n"])
    >>> class_costs(frame, np.array(["h", "n"]))
    array([[0., 2.],
           [4., 0.]])
    """
    if isinstance(costs, SetCosts):
        raise TypeError(
            f"costs is a {type(costs).__name__}, which prices sets; give the costs of single "
            "classes, an array or frame of shape (K, K)."
        )
    if isinstance(costs, pd.DataFrame):
        wanted = {str(label) for label in classes.tolist()}
        rows, columns = ([str(label) for label in axis] for axis in costs.axes)
        if wanted <= {*rows} & {*columns}:  # else the check below says what is missing
            costs = costs.loc[[row in wanted for row in rows], [c in wanted for c in columns]]
        ordered = cost_matrix_from_frame(costs, classes, diagonal="any", name="costs")
        return ordered.to_numpy()
    return check_cost_matrix(costs, n_classes=len(classes), name="costs")
