"""What a prediction set costs: the interface that decisions and measures rely on."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask
from cautious.costs.subsets import MOST_CLASSES, all_sets
from cautious.sets import check_classes, check_mask, set_names

__all__ = ["SetCosts"]

_MANY_CLASSES = 15


class SetCosts(ABC):
    r"""Costs :math:`c_{\hat Y}(y)` of answering with the set :math:`\hat Y` when :math:`y` is true.

    Rows are predictions, columns are truths. Only the sets asked for are ever costed; a table of
    all :math:`2^K - 1` sets is made by :meth:`table` and by nothing else. A subclass says how many
    classes there are and what checked sets cost (``n_classes`` and ``_costs``).

    Attributes
    ----------
    n_classes : int
        The number of classes K.
    classes : tuple or None
        Class labels in column order, if they were given.

    See Also
    --------
    discounted, p_discounted, owa, utility_costs, f_beta_costs, class_selective, abellan_masegosa

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.costs import discounted
    >>> costs = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=["h", "b", "n"])
    >>> costs.of(np.array([[True, True, False]]))
    array([[0.5, 0.5, 2. ]])
    """

    classes: tuple[Any, ...] | None = None

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """The number of classes."""

    @abstractmethod
    def _costs(self, mask: Mask) -> Floats:
        """Costs of checked sets, shape (n_sets, K)."""

    def of(self, mask: npt.ArrayLike) -> Floats:
        """Cost the given sets against every truth.

        Parameters
        ----------
        mask : array-like of shape (n_sets, K), bool
            Prediction sets; none may be empty.

        Returns
        -------
        ndarray of shape (n_sets, K)
            ``of(mask)[i, y]`` is the cost of set ``i`` when class ``y`` is true.
        """
        return self._costs(check_mask(mask, n_classes=self.n_classes))

    def singletons(self) -> Floats:
        """Costs of answering with one class: the K×K matrix these costs agree with.

        Returns
        -------
        ndarray of shape (K, K)
            Rows are predictions, columns are truths.
        """
        return self._costs(np.eye(self.n_classes, dtype=np.bool_))

    def table(self) -> pd.DataFrame:
        """List the costs of all non-empty sets.

        Returns
        -------
        DataFrame of shape (2^K - 1, K)
            Rows are prediction sets, written ``{a, b}``, smaller sets first; columns are truths.

        Raises
        ------
        ValueError
            If there are more than 20 classes.

        Warns
        -----
        UserWarning
            If there are more than 15 classes.

        Examples
        --------
        >>> from cautious.costs import ordinal, p_discounted
        >>> p_discounted(ordinal(3), r=0.5).table().round(2)
        truth          0     1     2
        prediction
        {0}         0.00  1.00  2.00
        {1}         1.00  0.00  1.00
        {2}         2.00  1.00  0.00
        {0, 1}      0.25  0.25  1.46
        {0, 2}      0.50  1.00  0.50
        {1, 2}      1.46  0.25  0.25
        {0, 1, 2}   0.65  0.44  0.65
        """
        k = self.n_classes
        if k > MOST_CLASSES:
            raise ValueError(
                f"table() of {k} classes would have 2^{k} - 1 rows; it is refused over "
                f"{MOST_CLASSES} classes because such a table fits neither memory nor a reader. "
                "Cost the sets you need with of(mask)."
            )
        if k > _MANY_CLASSES:
            warnings.warn(
                f"table() of {k} classes has {2**k - 1} rows; cost only the sets you need "
                "with of(mask).",
                stacklevel=2,
            )
        mask = all_sets(k)
        return self._frame(mask, self._costs(mask))

    def _frame(self, mask: Mask, costs: Floats) -> pd.DataFrame:
        """Label costs of sets for people."""
        classes = self.labels
        return pd.DataFrame(
            costs,
            index=pd.Index(set_names(mask, classes), name="prediction"),
            # Labels of several kinds stay what they are: pandas would make 0 and 1.0 floats.
            columns=pd.Index(check_classes(classes), name="truth"),
        )

    @property
    def labels(self) -> tuple[Any, ...]:
        """Class labels in column order, or their positions when none were given."""
        return tuple(range(self.n_classes)) if self.classes is None else self.classes

    @staticmethod
    def from_table(frame: pd.DataFrame, classes: Sequence[Any] | None = None) -> SetCosts:
        """Take the costs from an expert's table.

        Parameters
        ----------
        frame : DataFrame
            Columns are classes (truths). The row index names prediction sets: ``"{a, b}"``, a
            tuple, list, set or frozenset of labels, or a single label. Not every set need be
            there; asking for the cost of a missing one is an error.
        classes : sequence of length K, optional
            The order of the classes wanted, such as a classifier's ``classes_``; by default that
            of the columns.

        Returns
        -------
        TableCosts

        Examples
        --------
        Table VI of Yang, Destercke & Masson (2017):

        >>> import pandas as pd
        >>> table = pd.DataFrame([[0, 2], [4, 0], [0.5, 0.5]],
        ...                      index=["{h}", "{n}", "{h, n}"], columns=["h", "n"])
        >>> SetCosts.from_table(table).of([[True, True]])
        array([[0.5, 0.5]])
        """
        from cautious.costs.expert_table import table_costs

        return table_costs(frame, classes)
