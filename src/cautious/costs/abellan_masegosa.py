"""Abellán and Masegosa's logarithmic costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask
from cautious.costs.cost_frames import resolve_matrix
from cautious.costs.matrices import Classes, check_cost_matrix, resolve_classes
from cautious.costs.members import greatest_over_members
from cautious.costs.set_costs import SetCosts

__all__ = ["AbellanMasegosaCosts", "abellan_masegosa"]


@dataclass(frozen=True, eq=False)
class AbellanMasegosaCosts(SetCosts):
    r"""Costs :math:`\log|\hat Y|` of right sets, and of wrong ones by their dearest class.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    classes : sequence of length K, optional
        Class labels in column order.

    See Also
    --------
    abellan_masegosa : builds these costs, with the formula, its source and an example.
    """

    matrix: Floats
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        matrix = check_cost_matrix(self.matrix)
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", resolve_classes(self.classes, len(matrix)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.matrix)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> AbellanMasegosaCosts:
        return replace(self, matrix=self.matrix[order][:, order], classes=classes)

    def _costs(self, mask: Mask) -> Floats:
        k = self.n_classes
        right = np.log(mask.sum(axis=1, keepdims=True))
        wrong = np.log(k) * (greatest_over_members(mask, self.matrix) / (k - 1) + 1)
        return np.asarray(np.where(mask, right, wrong))


def abellan_masegosa(
    matrix: npt.ArrayLike | pd.DataFrame, *, classes: Classes = None
) -> AbellanMasegosaCosts:
    r"""Abellán and Masegosa's logarithmic costs.

    .. math::

        c_{\hat Y}(y) = \begin{cases} \log |\hat Y| & y \in \hat Y \\
        \log |\Omega| \Bigl(\frac{\max_{\hat y \in \hat Y} c_{\hat y}(y)}{|\Omega| - 1} + 1\Bigr)
        & y \notin \hat Y \end{cases}

    Yang, Destercke & Masson (2017), section V-c, after Abellán and Masegosa (2012). These costs
    also change those of single classes: compare them with :meth:`SetCosts.singletons`, not with
    `matrix`.

    Parameters
    ----------
    matrix : array-like or DataFrame of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    AbellanMasegosaCosts

    Examples
    --------
    >>> abellan_masegosa([[0, 1], [1, 0]]).table().round(3)
    truth           0      1
    prediction
    {0}         0.000  1.386
    {1}         1.386  0.000
    {0, 1}      0.693  0.693
    """
    array, labels = resolve_matrix(matrix, classes)
    return AbellanMasegosaCosts(array, labels)
