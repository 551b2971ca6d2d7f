"""The set of the smallest expected cost, or of the greatest expected utility."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal, cast, overload

import numpy as np
import numpy.typing as npt

from cautious._checks import as_count, check_probabilities, likeliest, tensor_shares
from cautious._typing import Floats, Ints, Mask, as_number
from cautious.costs import SetCosts, as_costs
from cautious.costs._extensions import (
    AbellanMasegosaCosts,
    ClassSelectiveCosts,
    IntervalCosts,
    OWACosts,
    PowerMeanCosts,
    SizeCosts,
)
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts, TableCosts
from cautious.decision._class_tree import TreeLike, tree_of
from cautious.decision.optimal._candidates import (
    MOST_LISTED,
    all_candidates,
    answer_costs,
    cheapest,
    cheapest_answers,
    contiguous_candidates,
    first_of_equals,
    have_numba,
    remembered,
)
from cautious.decision.optimal._tree_sets import best_nodes
from cautious.decision.optimal.branch_and_bound import branch_and_bound, problem_of
from cautious.decision.optimal.by_size import (
    is_quick_by_size,
    not_negative,
    sets_by_size,
    tensor_sets_by_size,
)
from cautious.tensors import Tensor, as_numpy, by_copy, is_tensor, like
from cautious.utility._forms import UtilityLike, as_utility

_FEW_CLASSES = 14
_FEW_ROWS = 20
_CELLS_AT_ONCE = 1 << 18


@overload
def optimal_sets(
    p: npt.ArrayLike,
    costs: CostsLike | UtilityLike | None = ...,
    *,
    utility: UtilityLike | None = ...,
    contiguous: bool = ...,
    tree: TreeLike = ...,
    n_nodes: int = ...,
    return_gap: Literal[False] = ...,
    max_nodes: int = ...,
) -> Mask: ...


@overload
def optimal_sets(
    p: npt.ArrayLike,
    costs: CostsLike | UtilityLike | None = ...,
    *,
    utility: UtilityLike | None = ...,
    contiguous: bool = ...,
    tree: TreeLike = ...,
    n_nodes: int = ...,
    return_gap: Literal[True],
    max_nodes: int = ...,
) -> tuple[Mask, Floats]: ...


def optimal_sets(
    p: npt.ArrayLike,
    costs: CostsLike | UtilityLike | None = None,
    *,
    utility: UtilityLike | None = None,
    contiguous: bool = False,
    tree: TreeLike = None,
    n_nodes: int = 1,
    return_gap: bool = False,
    max_nodes: int = 10_000,
) -> Mask | tuple[Mask, Floats]:
    r"""Answer each row of class probabilities with the set of the smallest expected cost.

    .. math::

        \hat Y^* = \arg\min_{\emptyset \ne \hat Y \subseteq \Omega} \sum_y p(y) c_{\hat Y}(y)
        \qquad\text{or}\qquad
        \hat Y^* = \arg\max_{\hat Y} u(1 / |\hat Y|) \sum_{y \in \hat Y} p(y) +
        u(0) \sum_{y \notin \hat Y} p(y)

    Yang, Destercke & Masson (2017), section III; Zaffalon, Corani & Mauá (2012), section 9.4. The
    answer is exact. A utility, or costs by size, takes one sort for any number of classes; costs of
    answers and abstaining, class-selective and interval costs have formulas; of a table the sets
    that it lists are compared. p-discounted, ordered-average and Abellán–Masegosa costs take branch
    and bound, for any number of classes; any other costs a table of all sets, up to 18 classes.
    With numba (``pip install ".[fast]"``) sorts and search are compiled; the answers are the same.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities. Each row must add up to one within 1e-6.
    costs : SetCosts or utility
        What a set costs, or a utility in the sense of `utility`. Also costs of answers and of
        abstaining in any form of :func:`cautious.costs.as_costs` but a path.
    utility : Utility, str or callable, optional
        In place of `costs`: a utility of discounted accuracy, by name ("u65", "u80", "F1", …) or
        as a function on [0, 1].
    contiguous : bool, default=False
        Consider only sets of neighbouring classes, for ordinal classes in column order. They are
        easier to explain but often *not* optimal.
    tree : ClassTree or mapping, optional
        Consider only the nodes of a tree of classes, or nested dictionaries as for
        :meth:`ClassTree.from_dict`: "a bird, I do not know which" is easier to act on than five
        birds and a bat. Among nodes of equal cost and size the one whose classes come first wins.
        Labelled costs are put in the order of its classes; ``tree.names`` names the answers.
        Mortier, Hüllermeier, Dembczyński & Waegeman (2022), *Set-valued prediction in hierarchical
        classification with constrained representation complexity*.
    n_nodes : int, default=1
        Of how many nodes of the tree, at most, an answer may be the union. More than one needs a
        utility or costs by size, and a time that grows with the square of the number of classes;
        which of equally good unions is answered is not said.
    return_gap : bool, default=False
        Also return how far from optimal each answer can be.
    max_nodes : int, default=10000
        Effort that branch and bound spends on a row, in nodes of the search tree, before it
        answers with the best set found so far; a warning says so. Only flat rows, strong rewards
        of caution (r above 0.9 with many classes) and mistake-averse costs of about a hundred
        classes come near. No search is quick for all costs: if a set costs as little as its
        cheapest class, the best one of a given size is the k-median problem, which is NP-hard.

    Returns
    -------
    mask : ndarray of shape (n, K), bool
        Among sets of equal expected cost (up to rounding: a relative 1e-12) the smallest; among
        those of equal size the one whose sorted class indices come first. Under interval costs
        gaps are filled: a class without probability between two others is in.
    gap : ndarray of shape (n,)
        Only with ``return_gap=True``: 0 where the answer is proven optimal, else the cost of the
        answer less a proven lower bound of the smallest cost.

    Examples
    --------
    The second class is worth naming when it is nearly as probable as the first:

    >>> from cautious.decision import optimal_sets
    >>> optimal_sets([[0.5, 0.4, 0.1], [0.9, 0.07, 0.03]], "u65")
    array([[ True,  True, False],
           [ True, False, False]])

    Among the nodes of a tree, and unions of two of them:

    >>> from cautious.decision import ClassTree
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
    >>> p = [[0.5, 0.4, 0.1, 0.0], [0.8, 0.1, 0.1, 0.0], [0.4, 0.1, 0.4, 0.1]]
    >>> tree.names(optimal_sets(p, "u80", tree=tree))
    ['mammal', 'cat', 'all classes']
    >>> optimal_sets(p[2:], "u80", tree=tree, n_nodes=2)
    array([[ True, False,  True, False]])
    """
    if not as_number(max_nodes, "max_nodes") >= 1:
        raise ValueError(f"max_nodes is {max_nodes}; allow at least 1 node per row.")
    given = one_of(costs, utility)
    if not isinstance(given, SetCosts | str) and not callable(given):
        given = as_costs(given, needs_abstention=True)
    if n_nodes != 1 or tree is not None:
        mask = _of_tree(p, given, tree, n_nodes, contiguous)
        gap = np.zeros(mask.shape[0])
    elif is_tensor(p):
        mask, gap = _of_tensors(p, given, contiguous, max_nodes)
    else:
        mask, gap = _of_rows(p, given, contiguous, max_nodes)
    if return_gap:
        return mask, cast(Floats, like(gap, mask))
    if gap.any():
        warnings.warn(
            f"the search was cut short in {np.count_nonzero(gap)} of {len(gap)} rows; their sets "
            f"may cost up to {gap.max():.3g} more than the best ones. Raise max_nodes (now "
            f"{max_nodes}), or ask for return_gap=True to see which rows.",
            stacklevel=2,
        )
    return mask


def _of_rows(p: npt.ArrayLike, given: Any, contiguous: bool, max_nodes: int) -> tuple[Mask, Floats]:
    """Decide on rows of numbers; those that go by size are checked on the way."""
    n_classes = given.n_classes if isinstance(given, SetCosts) else None
    is_plain = type(p) is np.ndarray and p.dtype == np.float64 and p.ndim == 2
    rows = cast(Floats, p) if is_plain else _check(p, n_classes)
    costs = utility_as_costs(given, rows.shape[1]) if n_classes is None else given
    if isinstance(costs, SizeCosts) and not contiguous and rows.shape[1] == costs.n_classes:
        mask = sets_by_size(rows, costs.hit, costs.miss, checked=not is_plain)
        return mask, np.zeros(len(rows))
    return _choose(_check(rows, n_classes) if is_plain else rows, costs, contiguous, max_nodes)


@by_copy
def _of_tree(p: npt.ArrayLike, given: Any, tree: TreeLike, n_nodes: int, contiguous: bool) -> Mask:
    """Read what is asked of the nodes of a tree, and choose among them."""
    n_nodes = as_count(n_nodes, "n_nodes")
    if tree is None or contiguous:
        raise ValueError("n_nodes is for a tree, and a tree is no order; leave out what is not.")
    nodes = tree_of(tree)
    rows = _check(p, nodes.n_classes)
    if nodes.n_classes == 1:
        return np.ones(rows.shape, dtype=np.bool_)
    if not isinstance(given, SetCosts):
        costs: SetCosts = utility_as_costs(given, nodes.n_classes)
    else:
        costs = given if given.classes is None else given.in_order(nodes.classes)
    if costs.n_classes != nodes.n_classes:
        raise ValueError(
            f"costs is about {costs.n_classes} classes and the tree has {nodes.n_classes}; give "
            "costs for all classes and no others."
        )
    if isinstance(costs, AnswerCosts) and n_nodes == 1:  # they know no sets between
        return cheapest_answers(rows, costs.values)
    return best_nodes(rows, nodes, costs, n_nodes)


def _of_tensors(p: Tensor, given: Any, contiguous: bool, max_nodes: int) -> tuple[Any, Floats]:
    """Decide where the rows lie if sizes are all that matters, else decide on a copy of them."""
    sized = given
    if not isinstance(given, SetCosts) and len(p.shape) == 2:
        sized = utility_as_costs(given, p.shape[1])
    if isinstance(sized, SizeCosts) and not contiguous and is_quick_by_size(sized.hit, sized.miss):
        shares = tensor_shares(p, sized.n_classes)
        return tensor_sets_by_size(shares, sized.hit, sized.miss), np.zeros(p.shape[0])
    mask, gap = _of_rows(as_numpy(p), given, contiguous, max_nodes)
    return like(mask, p), gap


def one_of(
    costs: CostsLike | UtilityLike | None, utility: UtilityLike | None
) -> CostsLike | UtilityLike:
    """Take costs or a utility, whichever is given."""
    if costs is not None and utility is not None:
        raise TypeError("give either costs or utility, not both.")
    given = utility if costs is None else costs
    if given is None:
        raise TypeError("give either costs or utility: what is a set worth?")
    return given


def _check(p: npt.ArrayLike, n_classes: int | None = None) -> Floats:
    return not_negative(check_probabilities(p, n_classes=n_classes))


def utility_as_costs(utility: UtilityLike, n_classes: int) -> SizeCosts:
    """Cost right and wrong sets of each size by how far they fall short of the best."""
    if n_classes == 0:
        raise ValueError("p has no columns; each class needs one.")
    if n_classes == 1:
        raise ValueError("p has one column; a set is chosen among two classes or more.")
    u = as_utility(utility)
    right = u(1 / np.arange(1, n_classes + 1))
    wrong = u(np.zeros(n_classes))
    most = max(right.max(), wrong.max())
    return SizeCosts(most - right, most - wrong)


def _choose(p: Floats, costs: SetCosts, contiguous: bool, max_nodes: int) -> tuple[Mask, Floats]:
    """Find the best sets in the way that suits the costs; with their gaps."""
    exact = np.zeros(len(p))
    if isinstance(costs, IntervalCosts):  # the best set is contiguous by itself
        return _between_quantiles(p, costs), exact
    if contiguous:
        return cheapest(p, contiguous_candidates(costs)), exact
    if isinstance(costs, TableCosts):
        return cheapest(p, [all_candidates(costs)]), exact
    written_down = _closed_form(p, costs)
    if written_down is not None:
        return written_down, exact
    problem = problem_of(costs)
    most = MOST_LISTED
    # Compiled, the search overtakes the listing early; otherwise only while few rows share the
    # work of costing all sets.
    if not isinstance(problem, str) and (have_numba() or len(p) < _FEW_ROWS):
        most = _FEW_CLASSES
    if costs.n_classes <= most:
        return cheapest(p, [all_candidates(costs)]), exact
    if isinstance(problem, str):
        raise ValueError(
            f"costs have {costs.n_classes} classes, too many to try all sets (at most "
            f"{MOST_LISTED}), and branch and bound does not apply: {problem}. Consider "
            "contiguous=True, or list the sets to choose from with SetCosts.from_table."
        )
    return branch_and_bound(problem, p, max_nodes=max_nodes)


# Costs under which the best set can be written down or follows from sorting.


def _closed_form(p: Floats, costs: SetCosts) -> Mask | None:
    """Choose for each row the set of the smallest expected cost, if there is a formula for it."""
    if isinstance(costs, AnswerCosts):
        return cheapest_answers(p, costs.values)
    if isinstance(costs, ClassSelectiveCosts):
        return _class_selective(p, costs.eta, costs.delta)
    if isinstance(costs, PowerMeanCosts):  # where no set costs less than the mean of its members
        alone = min(costs.p_correct, costs.p_wrong) >= 1
    else:
        alone = isinstance(costs, OWACosts) and costs.tolerance <= 0.5
    if alone:
        return cheapest(p, [(np.eye(costs.n_classes, dtype=np.bool_), costs.singletons())])
    if _right_sets_are_free(costs):
        # Every class that is possible at all.
        return np.asarray(p > 0)
    weighted = _as_weighted_size_costs(costs)
    if weighted is None:
        return None
    weight, by_size = weighted
    if np.ptp(weight):
        p = p * weight
        p = p / p.sum(axis=1, keepdims=True)
    return sets_by_size(p, by_size.hit, by_size.miss, checked=True)


def _between_quantiles(p: Floats, costs: IntervalCosts) -> Mask:
    """Choose under interval costs: all classes from one quantile to the other."""
    if costs.width >= 0.5:
        return cheapest(p, [(np.eye(costs.n_classes, dtype=np.bool_), costs.singletons())])
    # A tie, up to rounding, is a reason for the smaller set.
    least = costs.width * (1 + 1e-12) + 1e-15
    up = np.cumsum(p, axis=1) > least
    down = np.cumsum(p[:, ::-1], axis=1)[:, ::-1] > least
    return np.asarray(up & down)


def _class_selective(p: Floats, eta: Floats, delta: float) -> Mask:
    r"""Choose under Ha's costs :math:`\eta(y)[y \notin \hat Y] + \delta (|\hat Y| - 1)`."""
    at_stake = eta * p
    # A tie, up to rounding, is a reason for the smaller set.
    mask = at_stake > delta * (1 + 1e-12)
    none = np.flatnonzero(~mask.any(axis=1))
    mask[none, at_stake[none].argmax(axis=1)] = True
    return mask


def _right_sets_are_free(costs: SetCosts) -> bool:
    """Whether all right sets cost nothing and all wrong ones something."""
    if isinstance(costs, PowerMeanCosts):
        free = costs.p_correct <= 0
    else:
        free = isinstance(costs, OWACosts) and costs.tolerance == 1
    if not free:
        return False
    matrix = costs.singletons()
    return bool(not matrix.diagonal().any() and (matrix + np.eye(len(matrix)) > 0).all())


@remembered
def _as_weighted_size_costs(costs: SetCosts) -> tuple[Floats, SizeCosts] | None:
    """Costs by size times a weight of the truth, if all predictions are treated alike."""
    if not isinstance(costs, PowerMeanCosts | OWACosts | AbellanMasegosaCosts):
        return None
    matrix = costs.matrix
    weight = np.roll(matrix, -1, axis=0).diagonal()  # an element of each column off the diagonal
    apart = np.where(np.eye(len(matrix), dtype=np.bool_), weight, matrix)
    alike = (apart == weight).all() and not matrix.diagonal().any()
    scaled = not isinstance(costs, AbellanMasegosaCosts) or np.ptp(weight) == 0
    if not (alike and scaled and weight.all()):
        return None
    table = costs.of(np.tri(len(matrix), dtype=np.bool_)) / weight
    return weight / weight.max(), SizeCosts(table[:, 0], table[:, -1])


def preferred_answers(p: npt.ArrayLike, costs: SetCosts | None = None) -> tuple[Ints, Floats]:
    """Find the answer that a rule of thresholds per class prefers, and how sure it is of it."""
    probabilities = check_probabilities(p)
    if costs is None:
        return likeliest(probabilities)
    probabilities = not_negative(probabilities)
    table, parts = costs.answer_values(), parts_of_costs(costs)
    n, k = probabilities.shape
    choice, confidence = np.empty(n, dtype=np.intp), np.empty(n)
    step = max(1, _CELLS_AT_ONCE // (k + 1))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        expected, scale = answer_costs(probabilities[rows], table)
        best = first_of_equals(expected, scale)
        saving = expected[:, -1] - expected[:, :-1].min(axis=1)
        choice[rows] = np.where(best < k, best, first_of_equals(expected[:, :-1], scale))
        # Rounding must not move a saving to the other side of zero.
        saving = np.where(best < k, np.maximum(saving, 0), np.minimum(saving, -1 / parts))
        confidence[rows] = rounded(saving, parts)
    return choice, confidence


def parts_of_costs(costs: SetCosts) -> float:
    """Say into how many parts the unit of a cost is divided when savings are compared."""
    table = costs.answer_values()
    scale = float((table - table.min(axis=0)).max())
    digits = 12 - math.floor(math.log10(scale)) if scale > 0 else 12
    return float(10.0 ** min(digits, 300))


def rounded(savings: Floats, parts: float) -> Floats:
    """Round savings, or thresholds of them, so that those that differ by rounding are equal."""
    with np.errstate(over="ignore"):  # a threshold beyond all savings
        return np.asarray(np.rint(savings * parts) / parts)
