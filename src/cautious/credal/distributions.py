r"""Distributions and credal sets: from counts or a doubted model to a set, and back again.

Counts become a credal set under the imprecise Dirichlet model, a distribution in doubt by
contamination. The way back leads to the most uncertain distribution of the set and its entropy.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from cautious._checks import check_probabilities, first_row
from cautious._typing import Floats, as_floats, as_number
from cautious.credal._intervals import IntervalsLike, ProbabilityIntervals, as_intervals
from cautious.errors import shown


def imprecise_dirichlet(
    counts: npt.ArrayLike, s: npt.ArrayLike = 1.0, *, epsilon: float = 0.0
) -> ProbabilityIntervals:
    r"""Probability intervals from class counts under the imprecise Dirichlet model.

    Every Dirichlet prior of strength :math:`s` is admitted, whatever its mean :math:`t`. After
    counts :math:`n_k` with total :math:`N`, the posterior means fill

    .. math:: \left[\frac{n_k}{N + s},\ \frac{n_k + s}{N + s}\right].

    With ``epsilon`` > 0 the prior means are kept away from the edges, :math:`t = (1 - ε) q + ε/K`
    for any distribution :math:`q`, and the bounds become :math:`(n_k + s ε / K) / (N + s)` and
    :math:`(n_k + s ε / K + s (1 - ε)) / (N + s)`. Walley (1996), *Inferences from multinomial
    data*; Yang, Destercke & Masson (2017), eqs 19 and 20; Corani & Benavoli (2010), *Restricting
    the IDM for classification*.

    Parameters
    ----------
    counts : array-like of shape (n, K), or (K,) for a single row
        How often each class was seen. Weighted counts need not be whole numbers.
    s : float or array-like of shape (n,), default=1.0
        Strength of the prior in examples: how many unseen examples it is worth. 0 trusts the
        counts, which must then not be all zero.
    epsilon : float, default=0.0
        How far the priors are restricted, between 0 (not at all) and 1 (to the symmetric one); a
        remedy for classes that were never seen.

    Examples
    --------
    >>> leaf = imprecise_dirichlet([6, 3, 0])
    >>> leaf.lower, leaf.upper
    (array([[0.6, 0.3, 0. ]]), array([[0.7, 0.4, 0.1]]))
    """
    seen = np.atleast_2d(as_floats(counts, "counts", "counts"))
    if seen.ndim != 2 or seen.shape[1] == 0:
        raise ValueError(
            f"counts has shape {seen.shape}; expected (n, K): one row per sample, one column per "
            "class."
        )
    bad = ~((seen >= 0) & (seen < np.inf)).all(axis=1)
    if bad.any():
        row = first_row(bad)
        raise ValueError(
            f"counts holds {shown(seen[row].tolist())} in row {row}; counts must be finite and "
            "not negative."
        )
    strength = as_floats(s, "s", "strengths")
    if strength.shape not in ((), (len(seen),)):
        raise ValueError(
            f"s has shape {strength.shape}; give one number, or one per row: ({len(seen)},)."
        )
    strength = np.broadcast_to(strength, len(seen))
    if not ((strength >= 0) & (strength < np.inf)).all():
        row = first_row(~((strength >= 0) & (strength < np.inf)))
        raise ValueError(
            f"s is {strength[row]}; the strength of the prior must be finite and not negative."
        )
    epsilon = as_number(epsilon, "epsilon", 0, 1, words="it must lie between 0 and 1")
    total = seen.sum(axis=1) + strength
    if (total == 0).any():
        raise ValueError(
            f"counts are all zero in row {first_row(total == 0)} while s is 0, which leaves "
            "nothing to judge from; give s > 0."
        )
    fixed = seen + (strength * epsilon / seen.shape[1])[:, None]
    free = (strength * (1 - epsilon))[:, None]
    return ProbabilityIntervals(fixed / total[:, None], (fixed + free) / total[:, None])


def contaminate(p: npt.ArrayLike, epsilon: npt.ArrayLike) -> ProbabilityIntervals:
    r"""Credal set of all mixtures of ``p`` with a share ε of anything else.

    .. math:: \{(1 - ε) p + ε q : q \text{ a distribution}\}
              = [(1 - ε) p,\ (1 - ε) p + ε].

    Walley (1991), *Statistical reasoning with imprecise probabilities*, section 2.9.2.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Precise class probabilities.
    epsilon : float or array-like of shape (n,)
        Share of doubt between 0 (trust ``p``) and 1 (know nothing), for all rows or for each.

    Examples
    --------
    >>> doubted = contaminate([[0.7, 0.2, 0.1]], 0.1)
    >>> doubted.lower, doubted.upper
    (array([[0.63, 0.18, 0.09]]), array([[0.73, 0.28, 0.19]]))
    """
    probabilities = check_probabilities(p)
    share = as_floats(epsilon, "epsilon", "shares")
    if share.shape not in ((), (len(probabilities),)):
        raise ValueError(
            f"epsilon has shape {share.shape}; give one number, or one per row: "
            f"({len(probabilities)},)."
        )
    outside = np.atleast_1d(~((share >= 0) & (share <= 1)))
    if outside.any():
        row = first_row(outside)
        raise ValueError(
            f"epsilon is {np.atleast_1d(share)[row]}"
            + (f" in row {row}" if share.ndim else "")
            + "; a share of doubt lies between 0 and 1."
        )
    share = share.reshape(-1, 1)
    kept = (1 - share) * probabilities
    return ProbabilityIntervals(kept, kept + share)


def maximum_entropy(intervals: IntervalsLike) -> Floats:
    r"""Distribution (n, K) of largest entropy in each credal set; Abellán & Moral (2003).

    It is the flattest one: :math:`p_k = \min(\max(\lambda, l_k), u_k)` with the water level
    :math:`\lambda` at which the probabilities add up to one. The sum is piecewise linear in
    :math:`\lambda` with corners at the bounds, so one sort of the bounds finds the level exactly.
    """
    sets = as_intervals(intervals)
    lower, upper = sets.lower, sets.upper
    n, n_classes = lower.shape
    corners = np.concatenate([lower, upper], axis=1)
    order = np.argsort(corners, axis=1, kind="stable")
    corners = np.take_along_axis(corners, order, axis=1)
    # Past its lower bound a class rises with the level, past its upper bound it stays.
    rising = np.cumsum(np.where(order < n_classes, 1.0, -1.0), axis=1)
    filled = np.cumsum(rising[:, :-1] * np.diff(corners, axis=1), axis=1)
    room = 1 - lower.sum(axis=1)
    # The first corner by which all of the room is used up; the level lies on the stretch before it.
    stretch = np.minimum((filled < room[:, None]).sum(axis=1), 2 * n_classes - 2)
    rows = np.arange(n)
    short = filled[rows, stretch] - room
    level = corners[rows, stretch + 1] - np.divide(
        short, rising[rows, stretch], out=np.zeros(n), where=rising[rows, stretch] > 0
    )
    flattest: Floats = np.clip(level[:, None], lower, upper)
    return flattest


def upper_entropy(intervals: IntervalsLike, *, base: float = 2.0) -> Floats:
    r"""Largest Shannon entropy (n,) over each credal set, :math:`\max_{p} -\sum_k p_k \log p_k`.

    Credal decision trees split on it: under the imprecise Dirichlet model, pass the intervals of a
    node's class counts. Abellán & Moral (2005), *Upper entropy of credal sets. Applications to
    credal classification*.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets.
    base : float, default=2
        Base of the logarithm; 2 measures in bits.

    Examples
    --------
    >>> from cautious.credal import imprecise_dirichlet
    >>> upper_entropy(imprecise_dirichlet([[3, 0], [1, 1]], s=1.0)).round(4)
    array([0.8113, 1.    ])
    """
    base = as_number(base, "base")
    if not base > 1:
        raise ValueError(f"base is {base}; a logarithm's base must exceed 1.")
    entropy: Floats = entr(maximum_entropy(intervals)).sum(axis=1) / np.log(base)
    return entropy
