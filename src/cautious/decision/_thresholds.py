r"""Rules that answer or abstain by thresholds: on a score, on probabilities, on expected costs.

Each returns prediction sets: one class where the rule answers, all of them where it abstains. A
threshold is reached when the score equals it, and ties between classes go to the first.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from cautious._checks import (
    check_mask,
    check_probabilities,
    check_scores,
    class_shares,
    likeliest,
    tensor_likeliest,
    tensor_scores,
)
from cautious._typing import Floats, Ints, Mask, as_floats, as_number
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.decision._class_tree import TreeLike, least_probability, tree_of
from cautious.decision.criteria import checked_costs, maximality
from cautious.decision.optimal._candidates import cheapest_answers
from cautious.errors import shown
from cautious.tensors import by_copy, is_tensor, like, namespace

# Relative rounding error of a threshold computed from a bias and a window.
_ROUNDING = 1e-12


def window_rule(y_score: npt.ArrayLike, lower: float, upper: float) -> Mask:
    r"""Answer by the score of two classes, and abstain inside a window.

    The positive class if :math:`m \ge u`, else the negative class if :math:`m \le l`, else both
    (Friedel et al. 2006, eq. 1): sets (n, 2) of scores (n,), columns negative and positive. A
    threshold at ``-inf`` or ``inf`` lies beyond every score, an infinite score included.

    Examples
    --------
    >>> window_rule([0.1, 0.5], 0.3, 0.7)
    array([[ True, False],
           [ True,  True]])
    """
    if is_tensor(y_score):
        score = tensor_scores(y_score, name="y_score")
    else:
        score = check_scores(y_score, name="y_score")
    return window_sets(score, *check_window(lower, upper))


def window_sets(score: Any, lower: float, upper: float) -> Mask:
    """Answer or abstain where the scores lie; a missing score abstains."""
    xp = namespace(score)
    score = xp.asarray(score, dtype=xp.float64)  # a threshold must not be rounded to theirs
    positive = (score >= upper) & (upper < np.inf)
    negative = ~positive & (score <= lower) & (lower > -np.inf)
    mask: Mask = xp.stack([~positive, ~negative], axis=1)
    return mask


def threshold_rule(
    p: npt.ArrayLike | IntervalsLike,
    threshold: float,
    *,
    tree: TreeLike = None,
    sets: npt.ArrayLike | None = None,
) -> Mask:
    r"""Answer with the likeliest class if it is likely enough (rule R1).

    .. math:: \hat Y = \{\arg\max_i p_i\} \text{ if } \max_i p_i \ge τ, \text{ else } \Omega.

    Ferri & Hernández-Orallo (2004), section 4.

    Parameters
    ----------
    p : array-like of shape (n, K), ProbabilityIntervals, or tuple (lower, upper)
        Class probabilities; each row adds up to one within 1e-6. Or probability intervals: some
        class must then have at least probability τ under every distribution of the credal set,
        :math:`\max_i \underline{P}(i) \ge τ` (Zaffalon, Corani & Mauá 2012, section 9.4).
    threshold : float
        τ between 0 and 1, or infinity to abstain always.
    tree : ClassTree or mapping, optional
        In place of abstaining, climb a tree of classes from the likeliest class until a node is
        probable enough, :math:`\min\{v \ni \arg\max_y p(y) : \sum_{y \in v} p(y) \ge τ\}`; the root
        always is. Goren, Galil & El-Yaniv (2024), *Hierarchical selective classification*.
    sets : array-like of shape (n, K), bool, optional
        What the model answers where some class is likely enough. By default the likeliest class,
        and for intervals the undominated classes (:func:`maximality`).

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    Examples
    --------
    >>> threshold_rule([[0.6, 0.4], [0.3, 0.7]], 0.625)
    array([[ True,  True],
           [False,  True]])
    >>> threshold_rule(([[0.65, 0.3], [0.85, 0.1]], [[0.7, 0.35], [0.9, 0.15]]), 0.8)
    array([[ True,  True],
           [ True, False]])
    >>> from cautious.decision import ClassTree
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
    >>> p = [[0.5, 0.4, 0.1, 0.0], [0.8, 0.1, 0.1, 0.0], [0.4, 0.1, 0.4, 0.1]]
    >>> tree.names(threshold_rule(p, 0.8, tree=tree))
    ['mammal', 'cat', 'all classes']
    """
    tau = float(check_thresholds(threshold, (), "threshold"))
    if tree is not None:
        if sets is not None:
            raise TypeError("give either tree or sets: what is answered where a class is likely?")
        return _climb(cast(Any, p), tree, tau)
    if sets is not None or _are_intervals(p):
        return _kept_or_abstain(p, tau, sets)
    choice, probability, n_classes = _likeliest(p)
    return answer_or_abstain(choice, probability >= tau, n_classes)


@by_copy
def _climb(p: npt.ArrayLike, tree: TreeLike, tau: float) -> Mask:
    """Answer with the lowest node above the likeliest class that is probable enough."""
    own = tree_of(tree)
    nodes, reached = own.path_probabilities(check_probabilities(p, n_classes=own.n_classes))
    reached[:, -1] = np.inf  # the root holds everything, rounding aside
    first = (reached >= least_probability(tau)).argmax(axis=1)
    return np.asarray(own.masks[nodes[np.arange(len(nodes)), first]])


def _are_intervals(p: object) -> bool:
    """Tell lower and upper tables, and intervals, from a table whose rows are tuples."""
    return isinstance(p, ProbabilityIntervals) or (
        isinstance(p, tuple) and len(p) == 2 and np.ndim(p[0]) == 2
    )


@by_copy
def _kept_or_abstain(
    p: npt.ArrayLike | IntervalsLike, tau: float, sets: npt.ArrayLike | None
) -> Mask:
    """Keep a model's sets, or the undominated classes, where some class is sure to be likely."""
    if _are_intervals(p):
        intervals = as_intervals(cast(Any, p), name="p")
        least = intervals.reachable().lower
        sets = maximality(intervals) if sets is None else sets
    else:
        least = check_probabilities(cast(Any, p))
    kept = check_mask(cast(Any, sets), n_classes=least.shape[1], name="sets")
    if len(kept) != len(least):
        raise ValueError(f"sets has {len(kept)} rows and p {len(least)}; they must match.")
    return np.asarray(kept | (least.max(axis=1) < tau)[:, None])


def class_threshold_rule(p: npt.ArrayLike, thresholds: npt.ArrayLike) -> Mask:
    r"""Answer with the likeliest class if it reaches its own threshold (rule R2).

    .. math:: \hat Y = \{c\} \text{ if } p_c \ge τ_c \text{ for } c = \arg\max_i p_i,
              \text{ else } \Omega.

    As :func:`threshold_rule`, with a threshold for each class; an infinite one is never reached.
    Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> class_threshold_rule([[0.55, 0.45]], [0.8, 0.4])
    array([[ True,  True]])
    """
    choice, probability, n_classes = _likeliest(p)
    tau = like(check_thresholds(thresholds, (n_classes,), "thresholds"), choice)
    return answer_or_abstain(choice, probability >= namespace(choice).take(tau, choice), n_classes)


@by_copy
def ratio_rule(p: npt.ArrayLike, thresholds: npt.ArrayLike) -> Mask:
    r"""Answer with the class that exceeds its threshold by the largest factor (rule R3).

    .. math:: \hat Y = \{\arg\max_i p_i / τ_i\} \text{ if some } p_i \ge τ_i,
              \text{ else } \Omega.

    Unlike :func:`class_threshold_rule`, whose arguments it takes, it lets a rare class with a low
    threshold win. A positive probability exceeds a zero threshold by an infinite factor; a zero
    probability just reaches it. Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> ratio_rule([[0.55, 0.45]], [0.8, 0.4])
    array([[False,  True]])
    """
    probabilities = check_probabilities(p)
    tau = check_thresholds(thresholds, (probabilities.shape[1],), "thresholds")
    ratios = _ratios(probabilities, tau)
    # p_i ≥ τ_i is asked of the numbers given, not of their rounded quotient.
    reached = probabilities >= tau
    ratios[~reached] = -1
    return answer_or_abstain(ratios.argmax(axis=1), np.any(reached, axis=1), probabilities.shape[1])


@by_copy
def bias_window_rule(p: npt.ArrayLike, bias: npt.ArrayLike, window: float) -> Mask:
    r"""Answer by class bias and caution window (rule R4).

    The bias says how the classes compete, the window how cautious to be: :math:`τ_i = (1 - k_i)\,w
    + k_i`, then :func:`ratio_rule`. With :math:`w = 0` it never abstains; with :math:`w = 1` it
    answers only what is certain. The thresholds are computed, so a probability that misses one by
    rounding (a relative 1e-12) reaches it. Ferri & Hernández-Orallo (2004), section 4.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6 and is rescaled to do so exactly.
    bias : array-like of shape (K,)
        Class bias k, not negative, adding up to one within 1e-6. A class with a larger bias needs a
        larger probability.
    window : float
        Caution window w, between 0 and 1.

    Examples
    --------
    >>> bias_window_rule([[0.6, 0.4], [0.7, 0.3]], bias=[0.55, 0.45], window=0.15)
    array([[ True,  True],
           [ True, False]])
    """
    probabilities = check_probabilities(p)
    k = class_shares(bias, "bias", probabilities.shape[1])
    window = as_number(window, "window", 0, 1, words="a caution window lies between 0 and 1")
    ratios = _ratios(probabilities / probabilities.sum(axis=1, keepdims=True), (1 - k) * window + k)
    answered = ratios.max(axis=1) >= 1 - _ROUNDING
    return answer_or_abstain(ratios.argmax(axis=1), answered, probabilities.shape[1])


@by_copy
def chow_rule(
    p: npt.ArrayLike, reject_cost: npt.ArrayLike, costs: npt.ArrayLike | None = None
) -> Mask:
    r"""Answer with the class of least expected cost, unless abstaining costs less (Chow's rule).

    With 0/1 costs and one cost :math:`d` of abstaining: abstain when :math:`1 - \max_i p_i > d`. In
    general, with costs :math:`c_i(y)` of answering and :math:`d(y)` of abstaining when :math:`y` is
    true: abstain when :math:`\min_i E[c_i] > E[d]`. The answer wins ties. Chow (1970), *On optimum
    recognition error and reject tradeoff*.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6.
    reject_cost : float or array-like of shape (K,)
        Cost of abstaining, the same whatever the truth or one for each true class.
    costs : array-like of shape (K, K), optional
        Costs of answering: rows are predictions, columns truths. 0/1 costs if left out.

    Examples
    --------
    >>> chow_rule([[0.9, 0.1], [0.7, 0.3], [0.6, 0.4]], 0.3)
    array([[ True, False],
           [ True, False],
           [ True,  True]])
    """
    probabilities = check_probabilities(p)
    n_classes = probabilities.shape[1]
    rejection = as_floats(reject_cost, "reject_cost", "costs")
    if rejection.shape not in ((), (n_classes,)) or not np.isfinite(rejection).all():
        raise ValueError(
            f"reject_cost is {shown(reject_cost)}; give one finite cost, or one for each of the "
            f"{n_classes} true classes."
        )
    table = 1 - np.eye(n_classes) if costs is None else checked_costs(costs, n_classes)
    if len(table) != n_classes:
        raise ValueError(
            f"costs has {len(table)} rows for {n_classes} classes; give one row per prediction, "
            "and the costs of abstaining as reject_cost."
        )
    table = np.vstack([table, np.broadcast_to(rejection, n_classes)])
    return cheapest_answers(probabilities, table)


def answer_or_abstain(choice: Ints, answered: Mask, n_classes: int) -> Mask:
    """Prediction sets that hold the chosen class where answered and every class elsewhere."""
    if is_tensor(choice):
        column = like(np.arange(n_classes), choice)[None, :]
        return cast(Mask, ~answered[:, None] | (column == choice[:, None]))
    sets = np.repeat(~answered, n_classes)
    sets[np.arange(0, len(sets), n_classes) + choice] = True
    return sets.reshape(-1, n_classes)


def _likeliest(p: Any) -> tuple[Ints, Floats, int]:
    """Likeliest class of each row and its probability, where the rows lie; number of classes."""
    if not is_tensor(p):
        probabilities = check_probabilities(p)
        return *likeliest(probabilities), probabilities.shape[1]
    return *tensor_likeliest(p), p.shape[1]


def _ratios(probabilities: Floats, tau: Floats) -> Floats:
    """p/τ, where a zero threshold is just reached by zero and infinitely exceeded otherwise."""
    beyond_zero = np.where(probabilities > 0, np.inf, 1.0)
    with np.errstate(over="ignore"):  # beyond all bounds is infinite
        return np.divide(probabilities, tau, out=beyond_zero, where=tau > 0)


def check_thresholds(thresholds: Any, shape: tuple[int, ...], name: str) -> Floats:
    """Check one threshold, or one per class: from 0 to 1, or infinite."""
    tau = as_floats(thresholds, name, "thresholds")
    if tau.shape != shape:
        wanted = f"{shape}, one threshold per class" if shape else "a single number"
        raise ValueError(f"{name} has shape {tau.shape}; expected {wanted}.")
    words = "thresholds lie between 0 and 1, or are infinite to forbid the answer"
    as_floats(np.where(tau == np.inf, 1, tau), name, "thresholds", high=1, words=words)
    return tau


def check_window(lower: Any, upper: Any) -> tuple[float, float]:
    """Check that a window's thresholds are numbers in order."""
    low, high = as_number(lower, "lower"), as_number(upper, "upper")
    if not low <= high:
        raise ValueError(
            f"the window ({lower}, {upper}) is no window; the lower threshold may not exceed the "
            "upper one, and neither may be NaN."
        )
    return low, high
