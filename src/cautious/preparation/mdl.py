r"""Fayyad and Irani's supervised discretisation of one variable by minimum description length."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from cautious._typing import Floats, Ints

__all__ = ["mdl_cut_points"]

# Cuts whose entropies differ by less than this many bits an example are tied; the lowest one wins.
_TIE = 1e-10


def mdl_cut_points(values: Floats, codes: Ints, *, encoding: str = "examples") -> Floats:
    r"""Cut points of a numeric variable, chosen by the description length of the classes.

    A set :math:`S` of :math:`N` examples is cut where the class entropy of the two parts,
    :math:`E = \frac{|S_1|}{N} H(S_1) + \frac{|S_2|}{N} H(S_2)`, is least. The cut is accepted, and
    both parts are treated in the same way, if and only if

    .. math:: H(S) - E > \frac{\log_2 (N-1) + \Delta}{N}, \qquad
              \Delta = \log_2(3^k - 2) - \bigl(k H(S) - k_1 H(S_1) - k_2 H(S_2)\bigr),

    where :math:`k, k_1, k_2` count the classes present in :math:`S, S_1, S_2`. The best cut always
    lies between two values at which not all examples are of one and the same class (Fayyad & Irani,
    Theorem 1), so only such boundaries are tried. A cut is the midpoint between its neighbours.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The variable, without missing values.
    codes : ndarray of shape (n,)
        The classes, as integers from 0.
    encoding : {"examples", "values"}, default="examples"
        What the position of a cut is coded against: the :math:`N-1` gaps between examples, as in
        the paper, or the gaps between distinct values only ("better encoding" in WEKA).

    Returns
    -------
    ndarray
        The cuts, increasing; empty if none is accepted. A value equal to a cut lies below it.

    References
    ----------
    U. M. Fayyad and K. B. Irani (1993). Multi-interval discretization of continuous-valued
    attributes for classification learning. IJCAI-93, 1022–1027.

    Examples
    --------
    Two pure halves of four: the gain is 1 bit, more than :math:`(\log_2 7 + \log_2 7 - 2)/8 = .45`.

    >>> import numpy as np
    >>> mdl_cut_points(np.arange(8.0), np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    array([3.5])

    Classes in turn are not worth a cut.

    >>> mdl_cut_points(np.arange(8.0), np.array([0, 1, 0, 1, 0, 1, 0, 1]))
    array([], dtype=float64)
    """
    if len(values) == 0:
        return np.empty(0)
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    gaps = np.flatnonzero(values[1:] > values[:-1]) + 1  # gap g: between examples g - 1 and g
    boundaries = _boundaries(codes, gaps)
    ranks = _ranks(codes)
    sizes = np.arange(len(values) + 1.0)
    steps = np.diff(xlogy(sizes, sizes)) / np.log(2)
    cuts = []
    # A part is a range of the sorted examples and, per class, how many examples precede it.
    parts = [(0, len(values), np.zeros(int(codes.max()) + 1, dtype=np.intp))]
    while parts:
        start, stop, before = parts.pop()
        inside = boundaries[slice(*np.searchsorted(boundaries, [start + 1, stop]))]
        if len(inside) == 0:
            continue
        classes = codes[start:stop]
        entropy = _entropy_of_cuts(classes, ranks[start:stop] - before[classes], steps)
        tried = entropy[inside - start - 1]
        cut = int(inside[np.argmax(tried <= tried.min() + _TIE * (stop - start))])
        left = np.bincount(codes[start:cut], minlength=len(before))
        right = np.bincount(codes[cut:stop], minlength=len(before))
        n_gaps = stop - start - 1
        if encoding == "values":
            n_gaps = int(np.diff(np.searchsorted(gaps, [start + 1, stop]))[0])
        if _pays(left, right, n_gaps):
            cuts.append(_midpoint(float(values[cut - 1]), float(values[cut])))
            parts += [(start, cut, before), (cut, stop, before + left)]
    return np.sort(np.asarray(cuts, dtype=np.float64))


def _boundaries(codes: Ints, gaps: Ints) -> Ints:
    """Keep the gaps that do not part two values of one and the same class."""
    firsts = np.concatenate([[0], gaps])
    low, high = np.minimum.reduceat(codes, firsts), np.maximum.reduceat(codes, firsts)
    same = (low[:-1] == high[1:]) & (high[:-1] == low[1:])
    boundaries: Ints = gaps[~same]
    return boundaries


def _ranks(codes: Ints) -> Ints:
    """How many examples of its own class precede each example."""
    by_class = np.argsort(codes, kind="stable")
    firsts = np.concatenate([[0], np.cumsum(np.bincount(codes))[:-1]])
    ranks = np.empty_like(codes)
    ranks[by_class] = np.arange(len(codes)) - firsts[codes[by_class]]
    return ranks


def _entropy_of_cuts(classes: Ints, ranks: Ints, steps: Floats) -> Floats:
    r"""Class entropy, in bits times examples, of cutting after the first, second, ... example.

    With :math:`f(n) = n \log_2 n`, a part of class counts :math:`n_c` has entropy
    :math:`f(\sum n_c) - \sum f(n_c)`. Moving an example from the right part to the left changes
    one count of each, by a step of :math:`f` that its rank in its class tells; so two cumulated
    sums give the entropies of all cuts, in time and memory that do not grow with the classes.
    """
    counts = np.bincount(classes)
    on_left = np.cumsum(steps[ranks])
    on_right = np.cumsum(steps[(counts[classes] - ranks - 1)[::-1]])[::-1]
    sizes = np.cumsum(steps[: len(classes)])  # f(1), f(2), ..., f(n)
    entropy: Floats = sizes[:-1] + sizes[-2::-1] - on_left[:-1] - on_right[1:]
    return entropy


def _pays(left: Ints, right: Ints, n_gaps: int) -> bool:
    """Tell whether a cut shortens the description of the classes."""
    whole = left + right
    gain = _bits(whole) - _bits(left) - _bits(right)
    k = np.count_nonzero(whole)
    # log2(3^k - 2), written so that 3^k cannot overflow.
    delta = k * np.log2(3) + np.log2(1 - 2 * 3.0**-k)
    delta -= _weighted_entropy(whole) - _weighted_entropy(left) - _weighted_entropy(right)
    return bool(gain > np.log2(n_gaps) + delta)


def _bits(counts: Ints) -> float:
    """Entropy of class counts, in bits times examples."""
    total = counts.sum()
    return float((xlogy(total, total) - xlogy(counts, counts).sum()) / np.log(2))


def _weighted_entropy(counts: Ints) -> float:
    """Entropy of class counts, in bits, times the number of classes present."""
    return np.count_nonzero(counts) * _bits(counts) / int(counts.sum())


def _midpoint(low: float, high: float) -> float:
    middle = low / 2 + high / 2
    # Halfway between neighbouring floats is one of the two; the upper one would lie below its cut.
    return middle if low <= middle < high else low
