r"""Where credal sets come from: counts under the imprecise Dirichlet model, or a doubted model."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import as_floats
from cautious.credal.intervals import ProbabilityIntervals
from cautious.sets import check_probabilities, first_row

__all__ = ["contaminate", "imprecise_dirichlet"]


def imprecise_dirichlet(
    counts: npt.ArrayLike, s: npt.ArrayLike = 1.0, *, epsilon: float = 0.0
) -> ProbabilityIntervals:
    r"""Probability intervals from class counts under the imprecise Dirichlet model.

    Every Dirichlet prior of strength :math:`s` is admitted, whatever its mean :math:`t`. After
    counts :math:`n_k` with total :math:`N`, the posterior means fill

    .. math:: \left[\frac{n_k}{N + s},\ \frac{n_k + s}{N + s}\right].

    With ``epsilon`` > 0 the prior means are kept away from the edges, :math:`t = (1 - ε) q + ε/K`
    for any distribution :math:`q`, and the bounds become :math:`(n_k + s ε / K) / (N + s)` and
    :math:`(n_k + s ε / K + s (1 - ε)) / (N + s)`. At :math:`ε = 1` only the symmetric prior is left
    and the intervals are points.

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

    Returns
    -------
    ProbabilityIntervals
        Reachable intervals.

    References
    ----------
    Walley (1996), *Inferences from multinomial data*; Yang, Destercke & Masson (2017), eqs 19 and
    20. Restricted priors: Corani & Benavoli (2010), *Restricting the IDM for classification*.

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
            f"counts holds {seen[row].tolist()} in row {row}; counts must be finite and not "
            "negative."
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
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon is {epsilon}; it must lie between 0 and 1.")
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

    Parameters
    ----------
    p : array-like of shape (n, K)
        Precise class probabilities.
    epsilon : float or array-like of shape (n,)
        Share of doubt between 0 (trust ``p``) and 1 (know nothing), for all rows or for each.

    Returns
    -------
    ProbabilityIntervals
        Reachable intervals.

    References
    ----------
    Walley (1991), *Statistical reasoning with imprecise probabilities*, section 2.9.2.

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
