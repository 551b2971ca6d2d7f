r"""Rules that turn probabilities into answers and abstentions: Ferri and Hernández-Orallo's four.

Each returns prediction sets: one class where the rule answers, all of them where it abstains. A
threshold is reached when the probability equals it, and ties between classes go to the first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.sets import check_probabilities, first_row

__all__ = ["bias_window_rule", "check_bias", "class_threshold_rule", "ratio_rule", "threshold_rule"]

# Relative rounding error of a threshold computed from a bias and a window.
_ROUNDING = 1e-12


def threshold_rule(p: npt.ArrayLike, threshold: float) -> Mask:
    r"""Answer with the likeliest class if it is likely enough (rule R1).

    .. math:: \hat Y = \{\arg\max_i p_i\} \text{ if } \max_i p_i \ge τ, \text{ else } \Omega.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6.
    threshold : float
        τ between 0 and 1, or infinity to abstain always.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> threshold_rule([[0.6, 0.4], [0.3, 0.7]], 0.625)
    array([[ True,  True],
           [False,  True]])
    """
    probabilities = check_probabilities(p)
    tau = _checked_thresholds(threshold, (), "threshold")
    choice = probabilities.argmax(axis=1)
    return answer_or_abstain(choice, probabilities.max(axis=1) >= tau, probabilities.shape[1])


def class_threshold_rule(p: npt.ArrayLike, thresholds: npt.ArrayLike) -> Mask:
    r"""Answer with the likeliest class if it reaches its own threshold (rule R2).

    .. math:: \hat Y = \{c\} \text{ if } p_c \ge τ_c \text{ for } c = \arg\max_i p_i,
              \text{ else } \Omega.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6.
    thresholds : array-like of shape (K,)
        A threshold between 0 and 1 for each class, or infinity for a class never to be answered.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> class_threshold_rule([[0.55, 0.45]], [0.8, 0.4])
    array([[ True,  True]])
    """
    probabilities = check_probabilities(p)
    tau = _checked_thresholds(thresholds, (probabilities.shape[1],), "thresholds")
    choice = probabilities.argmax(axis=1)
    answered = probabilities.max(axis=1) >= tau[choice]
    return answer_or_abstain(choice, answered, probabilities.shape[1])


def ratio_rule(p: npt.ArrayLike, thresholds: npt.ArrayLike) -> Mask:
    r"""Answer with the class that exceeds its threshold by the largest factor (rule R3).

    .. math:: \hat Y = \{\arg\max_i p_i / τ_i\} \text{ if some } p_i \ge τ_i,
              \text{ else } \Omega.

    Unlike :func:`class_threshold_rule` it lets a rare class with a low threshold win.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6.
    thresholds : array-like of shape (K,)
        A threshold between 0 and 1 for each class, or infinity for a class never to be answered.
        A positive probability exceeds a zero threshold by an infinite factor; a zero probability
        just reaches it.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> ratio_rule([[0.55, 0.45]], [0.8, 0.4])
    array([[False,  True]])
    """
    probabilities = check_probabilities(p)
    tau = _checked_thresholds(thresholds, (probabilities.shape[1],), "thresholds")
    ratios = _ratios(probabilities, tau)
    # p_i ≥ τ_i is asked of the numbers given, not of their rounded quotient.
    reached = probabilities >= tau
    ratios[~reached] = -1
    return answer_or_abstain(ratios.argmax(axis=1), np.any(reached, axis=1), probabilities.shape[1])


def bias_window_rule(p: npt.ArrayLike, bias: npt.ArrayLike, window: float) -> Mask:
    r"""Answer by class bias and caution window (rule R4).

    The bias says how the classes compete, the window how cautious to be:
    :math:`τ_i = (1 - k_i)\,w + k_i`, then :func:`ratio_rule`. With :math:`w = 0` it never abstains;
    with :math:`w = 1` it answers only what is certain.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities; each row adds up to one within 1e-6 and is rescaled to do so exactly.
    bias : array-like of shape (K,)
        Class bias k, not negative, adding up to one within 1e-6. A class with a larger bias needs a
        larger probability.
    window : float
        Caution window w, between 0 and 1.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets; a full row abstains.

    Notes
    -----
    The thresholds are computed, so a probability that misses one by rounding (a relative 1e-12)
    reaches it.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> bias_window_rule([[0.6, 0.4], [0.7, 0.3]], bias=[0.55, 0.45], window=0.15)
    array([[ True,  True],
           [ True, False]])
    """
    probabilities = check_probabilities(p)
    k = check_bias(bias, probabilities.shape[1])
    if not 0 <= window <= 1:
        raise ValueError(f"window is {window}; a caution window lies between 0 and 1.")
    ratios = _ratios(probabilities / probabilities.sum(axis=1, keepdims=True), (1 - k) * window + k)
    answered = ratios.max(axis=1) >= 1 - _ROUNDING
    return answer_or_abstain(ratios.argmax(axis=1), answered, probabilities.shape[1])


def answer_or_abstain(choice: Ints, answered: Mask, n_classes: int) -> Mask:
    """Prediction sets that hold the chosen class where answered and every class elsewhere."""
    sets = np.repeat(~answered[:, None], n_classes, axis=1)
    sets[np.arange(len(choice)), choice] = True
    return sets


def _ratios(probabilities: Floats, tau: Floats) -> Floats:
    """p/τ, where a zero threshold is just reached by zero and infinitely exceeded otherwise."""
    beyond_zero = np.where(probabilities > 0, np.inf, 1.0)
    with np.errstate(over="ignore"):  # beyond all bounds is infinite
        return np.divide(probabilities, tau, out=beyond_zero, where=tau > 0)


def _checked_thresholds(thresholds: npt.ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    tau = as_floats(thresholds, name, "thresholds")
    if tau.shape != shape:
        wanted = f"{shape}, one threshold a class" if shape else "a single number"
        raise ValueError(f"{name} has shape {tau.shape}; expected {wanted}.")
    bad = ~(((tau >= 0) & (tau <= 1)) | (tau == np.inf))
    if bad.any():
        at = first_row(bad)
        raise ValueError(
            f"{name} holds {tau.ravel()[at]}"
            + (f" for class {at}" if shape else "")
            + "; thresholds lie between 0 and 1, or are infinite to forbid the answer."
        )
    return tau


def check_bias(bias: npt.ArrayLike, n_classes: int) -> Floats:
    """Check a class bias: one share a class, none negative, adding up to one."""
    k = as_floats(bias, "bias", "shares")
    if k.shape != (n_classes,):
        raise ValueError(f"bias has shape {k.shape}; expected ({n_classes},), one share a class.")
    if not (k >= 0).all():
        at = first_row(~(k >= 0))
        raise ValueError(
            f"bias is {k[at]} for class {at}; class biases must not be negative and "
            "must add up to 1."
        )
    if abs(k.sum() - 1) > 1e-6:
        raise ValueError(
            f"bias adds up to {k.sum():.6g}; a class bias must add up to 1 (within 1e-6). "
            "Divide it by its sum."
        )
    shares: Floats = k / k.sum()
    return shares
