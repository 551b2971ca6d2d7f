r"""Windows under a budget: least cost at bounded abstention, least abstention at bounded cost.

Where nobody can say what abstaining costs, a budget may be known instead (Pietraszek 2005). All
three models search every window, not only those on the convex hull.
"""

from __future__ import annotations

from cautious.curves.budget_search import Per, least_abstaining_window, least_costly_window
from cautious.curves.cost_surface import AbstentionCostSurface
from cautious.curves.plane import CostPlane

__all__ = ["bounded_abstention", "bounded_cost", "bounded_improvement"]


def bounded_abstention(
    surface: AbstentionCostSurface, max_abstention: float, *, mu: float = 1.0, per: Per = "answer"
) -> CostPlane:
    """Cheapest window among those that abstain on at most a given share of cases.

    Among equals, the one that abstains least.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The classifier, with its class shares.
    max_abstention : float
        Budget, a share of all cases.
    mu : float, default=1.0
        Relative cost of a false positive; 1 minimises errors.
    per : {"answer", "case"}
        Whether to minimise the mean cost of the answers given, as Pietraszek (2005) does, or of
        all cases.

    Returns
    -------
    CostPlane
        The window, its rates, and its cost.

    Examples
    --------
    >>> from cautious.curves import AbstentionCostSurface
    >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
    >>> best = bounded_abstention(surface, 0.25, per="case")
    >>> best.lower, best.upper, best.error, best.abstention
    (3.5, 5.5, 0.125, 0.25)
    """
    if not 0 <= max_abstention <= 1:
        raise ValueError(f"max_abstention is {max_abstention}; a share lies between 0 and 1.")
    _check_per(per)
    window = least_costly_window(surface.staircase, surface.scales, max_abstention, mu=mu, per=per)
    return surface.plane(*window)


def bounded_cost(
    surface: AbstentionCostSurface, max_cost: float, *, mu: float = 1.0, per: Per = "answer"
) -> CostPlane:
    """Window that abstains least among those whose mean cost is within a budget.

    Among equals, the cheapest. If no answer can be given within the budget, the window abstains
    on everything.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The classifier, with its class shares.
    max_cost : float
        Budget in units of a false negative; with ``mu=1`` an error rate.
    mu : float, default=1.0
        Relative cost of a false positive.
    per : {"answer", "case"}
        Whether the budget is for the mean cost of the answers given or of all cases.

    Returns
    -------
    CostPlane
        The window, its rates, and its cost.

    Examples
    --------
    >>> from cautious.curves import AbstentionCostSurface
    >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
    >>> best = bounded_cost(surface, 0.2)  # at most one answer in five may be wrong
    >>> best.lower, best.upper, round(best.selective_error, 4), best.abstention
    (3.5, 5.5, 0.1667, 0.25)
    """
    if not max_cost >= 0:
        raise ValueError(f"max_cost is {max_cost}; a budget may not be negative.")
    _check_per(per)
    window = least_abstaining_window(surface.staircase, surface.scales, max_cost, mu=mu, per=per)
    return surface.plane(*window)


def bounded_improvement(
    surface: AbstentionCostSurface, fraction: float, *, mu: float = 1.0, per: Per = "answer"
) -> CostPlane:
    """Window that abstains least among those that save a part of the cost of never abstaining.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The classifier, with its class shares.
    fraction : float
        Part of the least cost without abstention that has to go, between 0 and 1.
    mu, per
        As in :func:`bounded_cost`.

    Returns
    -------
    CostPlane
        The window, its rates, and its cost.

    Examples
    --------
    >>> from cautious.curves import AbstentionCostSurface
    >>> surface = AbstentionCostSurface.from_predictions([0, 1, 0, 0, 1, 0, 1, 1], range(8))
    >>> bounded_improvement(surface, 0.5, per="case").abstention
    0.25
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction is {fraction}; a part lies between 0 and 1.")
    never_abstaining = float(surface.cost(mu, 1.0))
    return bounded_cost(surface, (1 - fraction) * never_abstaining, mu=mu, per=per)


def _check_per(per: str) -> None:
    if per not in ("answer", "case"):
        raise ValueError(f"per is {per!r}; choose 'answer' or 'case'.")
