"""Costs of single answers and of abstaining: one table for all cases, or one table per case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask, as_floats
from cautious.costs.matrices import resolve_classes
from cautious.costs.set_costs import SetCosts

__all__ = ["AnswerCosts"]


@dataclass(frozen=True, eq=False)
class AnswerCosts(SetCosts):
    r"""Costs of answering with one class and of abstaining.

    A set of two classes or more counts as abstaining: it costs what the full set costs. Negative
    costs are rewards.

    Parameters
    ----------
    values : array-like of shape (K + 1, K) or (n, K + 1, K)
        Rows are answers in the order of the classes, the last row is abstaining; columns are
        truths. With three dimensions, one such table per case.
    classes : sequence of length K, optional
        Class labels in column order.

    See Also
    --------
    as_costs : makes these costs from a dict, an array, a frame or a file.

    Examples
    --------
    >>> costs = AnswerCosts([[0, 10], [2, 0], [1, 1]], classes=["no", "yes"])
    >>> costs.answers
    truth        no   yes
    prediction
    no          0.0  10.0
    yes         2.0   0.0
    ⊥           1.0   1.0
    >>> costs.of([[True, False], [True, True]], truth=[1, 0])
    array([10.,  1.])
    """

    values: Floats
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        values = np.array(as_floats(self.values, "costs", "costs"))  # our own copy
        if values.ndim not in (2, 3) or values.shape[-2] != values.shape[-1] + 1:
            raise ValueError(
                f"costs has shape {values.shape}; expected (K + 1, K), or (n, K + 1, K) for costs "
                "per case: a row for each answer and a last one for abstaining, a column for each "
                "true class."
            )
        if values.shape[-1] < 2:
            raise ValueError(f"costs is for {values.shape[-1]} class; costs need at least two.")
        if not np.isfinite(values).all():
            at = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
            raise ValueError(
                f"costs[{', '.join(map(str, at))}] is {values[at]}; costs must be finite."
            )
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "classes", resolve_classes(self.classes, values.shape[-1]))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.values.shape[-1])

    @property
    def per_case(self) -> bool:
        """Whether every case has costs of its own."""
        return self.values.ndim == 3

    @property
    def n_cases(self) -> int | None:
        """How many cases have costs of their own, or None if all cases share them."""
        return len(self.values) if self.per_case else None

    @property
    def answers(self) -> pd.DataFrame:
        """The table of answers and abstaining, where all cases share it."""
        self._refuse_per_case("answers")
        return self._answer_frame(self.values)

    def singletons(self) -> Floats:
        """Costs of answering with one class: the first K rows of the table."""
        self._refuse_per_case("singletons()")
        return self.values[:-1].copy()

    def take(self, rows: npt.ArrayLike) -> AnswerCosts:
        """Keep the costs of some cases; costs that all cases share stay as they are.

        Parameters
        ----------
        rows : array-like of int or bool
            Which cases to keep.

        Returns
        -------
        AnswerCosts
        """
        if not self.per_case:
            return self
        return replace(self, values=self.values[np.asarray(rows)])

    def _costs(self, mask: Mask) -> Floats:
        row = np.where(mask.sum(axis=1) == 1, mask.argmax(axis=1), self.n_classes)
        if not self.per_case:
            return np.asarray(self.values[row])
        if len(mask) != len(self.values):
            raise ValueError(
                f"costs holds a table for each of {len(self.values)} cases and the mask has "
                f"{len(mask)} rows; give costs and sets of the same cases, in the same order."
            )
        return np.asarray(self.values[np.arange(len(mask)), row])

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> AnswerCosts:
        rows = [*order, self.n_classes]
        return AnswerCosts(self.values[..., rows, :][..., order], classes)

    def _refuse_per_case(self, what: str) -> None:
        if self.per_case:
            raise ValueError(
                f"costs differ per case, so {what} is not one table; the tables are in .values, of "
                f"shape {self.values.shape}."
            )
