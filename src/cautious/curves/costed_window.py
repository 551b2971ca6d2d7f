"""The optimal window for costs in the user's own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import as_floats
from cautious.costs import NormalForm, normal_form
from cautious.curves.plane import CostPlane
from cautious.curves.windows import Costs
from cautious.sets import abstain_name

if TYPE_CHECKING:
    from cautious.curves.cost_surface import AbstentionCostSurface

__all__ = ["CostedWindow", "costed_window"]


@dataclass(frozen=True)
class CostedWindow:
    """An optimal window with its expected cost in the user's units.

    Attributes
    ----------
    plane : CostPlane
        The window, its rates, and :meth:`CostPlane.predict_set` to apply it.
    cost : float
        Expected cost of a case.
    trivial : Series
        Expected cost of a case if every case got the same answer: either class, or abstaining.
    """

    plane: CostPlane
    cost: float
    trivial: pd.Series[float]

    @property
    def lower(self) -> float:
        """Lower threshold: the negative class is answered up to here."""
        return self.plane.lower

    @property
    def upper(self) -> float:
        """Upper threshold: the positive class is answered from here."""
        return self.plane.upper

    @property
    def saving(self) -> float:
        """What a case costs less than under the best single answer to everything."""
        return float(self.trivial.min() - self.cost)


def costed_window(
    surface: AbstentionCostSurface, table: npt.ArrayLike | pd.DataFrame
) -> CostedWindow:
    """Find the optimal window for a cost table.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The surface.
    table : array-like or DataFrame of shape (3, 2)
        As in :meth:`AbstentionCostSurface.for_cost_table`.

    Returns
    -------
    CostedWindow
    """
    form = _read_table(table, surface.classes)
    costs = _costs_beyond_right_answers(form, surface.classes)
    lower, upper = surface.hull.thresholds(*surface.hull.corners(costs))
    plane = surface.plane(float(lower), float(upper))
    negative, positive = surface.priors
    extra = [
        positive * costs.false_negative,
        negative * costs.false_positive,
        positive * costs.abstain_positive + negative * costs.abstain_negative,
        plane.cost_at(costs),
    ]
    right = positive if form.positive == surface.classes[1] else negative
    *trivial, cost = (float(form.cost(value / form.scale, right)) for value in extra)
    answers = [*surface.classes, abstain_name(surface.classes)]
    index = pd.Index(answers, dtype=object, name="prediction")
    return CostedWindow(plane, cost, pd.Series(trivial, index=index))


def _read_table(table: npt.ArrayLike | pd.DataFrame, classes: tuple[Any, Any]) -> NormalForm:
    """Read a 3×2 cost table whose columns are, or are labelled with, two classes."""
    if isinstance(table, pd.DataFrame):
        if set(table.columns) != set(classes):
            raise ValueError(
                f"table has columns {list(table.columns)!r}, but the classes are {list(classes)!r}."
            )
        return normal_form(table)
    values = as_floats(table, "table", "costs")
    if values.shape != (3, 2):
        raise ValueError(
            f"table has shape {values.shape}; give 3 rows (answer {classes[0]!r}, answer "
            f"{classes[1]!r}, abstain) and 2 columns (truth {classes[0]!r}, truth {classes[1]!r})."
        )
    # Rows are named too: numbers 0, 1, 2 would be taken for classes of those names.
    answers = pd.Index([*classes, abstain_name(classes)], dtype=object)
    return normal_form(pd.DataFrame(values, answers, pd.Index(classes, dtype=object)))


def _costs_beyond_right_answers(form: NormalForm, classes: tuple[Any, Any]) -> Costs:
    """Costs for (negative, positive), whichever of the two the normal form calls positive."""
    missed = {form.positive: 1.0, form.negative: form.mu}
    abstained = {form.positive: form.nu_positive, form.negative: form.nu_negative}
    negative, positive = classes
    relative = (missed[positive], missed[negative], abstained[positive], abstained[negative])
    return Costs(*(np.asarray(form.scale * cost) for cost in relative))
