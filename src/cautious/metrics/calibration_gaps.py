"""How far probabilities are from what happens, with an interval that knows of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from cautious._checks import (
    as_codes,
    as_count,
    check_choice,
    check_probabilities,
    check_some_weight,
    check_truth,
    check_weight,
)
from cautious._random import check_level, warn_of_shares
from cautious._result import Shown
from cautious._typing import Floats
from cautious.predictions._probabilities import class_scores

# Fewer cases than this per bin tell nothing.
_LEAST_CASES = 5
# Variance that a bin has at least, in cases: two made up ones, of both truths. A bin in which all
# went well is no proof that nothing can go wrong.
_MADE_UP = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationError(Shown):
    """A calibration error with its interval, and the bins behind it.

    Attributes
    ----------
    estimate : float
        The error without what noise adds, as far as that can be told.
    low, high : float
        Ends of the interval.
    confidence_level : float
        Nominal coverage of the interval.
    plug_in : float
        The error as it is usually printed: the gaps of the bins as they were seen, noise included.
    by_chance : float
        What `plug_in` would be on average for the same probabilities if they were right.
    by_class : DataFrame
        Class by class: estimate, low, high, plug_in and by_chance, where all intervals hold at
        once; a single row "top label" for that kind.
    bins : DataFrame
        One row per bin: its class, number of cases, mean probability and share of truths.

    Examples
    --------
    >>> from cautious.metrics import calibration_error
    >>> y, p = [0, 0, 1, 0, 1, 1] * 50, [0.1, 0.2, 0.3, 0.6, 0.8, 0.9] * 50
    >>> found = calibration_error(y, p)
    >>> found.low <= found.estimate <= found.high, found.bins.columns.tolist()
    (True, ['n', 'probability', 'share'])
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    plug_in: float
    by_chance: float
    by_class: pd.DataFrame
    bins: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """One row per bin."""
        return self.bins

    def _facts(self) -> dict[str, Any]:
        names = ("estimate", "low", "high", "confidence_level", "plug_in", "by_chance")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return (
            f"{self.estimate:.4f} [{self.low:.4f}, {self.high:.4f}]; seen {self.plug_in:.4f}, of "
            f"which right probabilities show {self.by_chance:.4f} by chance"
        )


def calibration_error(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_proba: npt.ArrayLike,
    *,
    kind: Literal["top-label", "class-wise"] = "top-label",
    norm: Literal["l1", "l2"] = "l1",
    n_bins: int = 15,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> CalibrationError:
    r"""Measure how far probabilities are from the shares of truths, with an honest interval.

    Cases are put into bins of about equally many by their probability. With :math:`w_b` the share
    of the cases in bin b and :math:`\delta_b` the gap between their mean probability and the mean
    chance that it comes true, the error is

    .. math:: \mathrm{ECE} = \sum_b w_b |\delta_b| \quad\text{or}\quad
              \mathrm{RMSCE} = \sqrt{\textstyle\sum_b w_b \delta_b^2}.

    The gaps that are *seen* differ from these by noise, and every bin adds some: the usual plug-in
    is too high, also for a classifier whose probabilities are right, and more so with more bins. So
    it is reported beside an estimate from which noise is taken off, and an interval.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels, of cases that the classifier has not learned from.
    y_proba : array-like of shape (n, K) or (n,)
        Class probabilities; or, for two classes, the probability of the positive one.
    kind : {"top-label", "class-wise"}, default="top-label"
        Whether the largest probability of a case says how often its class is right; or, for each
        class, whether its probability says how often it is the truth, averaged over the classes.
    norm : {"l1", "l2"}, default="l1"
        Mean absolute gap (ECE), or root of the mean squared gap, whose estimate is the better one.
    n_bins : int, default=15
        How many bins, at most; each is meant to hold at least five cases. Equal probabilities stay
        in one bin.
    classes : sequence of length K, optional
        Class labels in column order; by default the sorted labels of `y_true`.
    pos_label : label, optional
        The class that a single column is about.
    sample_weight : array-like of shape (n,), optional
        How often each case counts. Weights that add up to far less than the number of cases,
        such as shares, get a warning.
    confidence_level : float, default=0.95
        Level of the interval.

    Returns
    -------
    CalibrationError
        Print it, or read ``estimate``, ``low``, ``high``, ``plug_in``, ``by_class`` and ``bins``.

    See Also
    --------
    cautious.displays.CalibrationDisplay : The bins of two classes, drawn.
    cautious.models.ScoreCalibrator : Better probabilities.

    Notes
    -----
    Let :math:`g_b` be the gap seen in a bin of :math:`n_b` cases and :math:`v_b` its variance,
    estimated within the bin. The estimate of RMSCE² is :math:`\sum_b w_b (g_b^2 - v_b)`, without
    bias, cut off at zero (Kumar, Liang & Ma 2019). That of ECE subtracts from every
    :math:`|g_b|` what noise of this variance would add to it, which leaves some of the bias where
    the truth is near zero.

    The intervals need no guess about how the gaps spread over the bins. That of ECE: the plug-in is
    on average at least the truth, because absolute values are convex; it is at most the truth and
    what noise alone would show, :math:`\sum_b w_b \sqrt{2 v_b / \pi}`; and around its mean it
    varies no more than the noise does. So the upper end is the plug-in and a width, the lower end
    the plug-in less both. The width r is the normal quantile z times the standard deviation, not as
    it was seen but as it may be that far off, as in Wilson's interval of a share:
    :math:`r^2 = z^2 (\sum_b w_b^2 v_b + r/n)`. What is rare may not have been seen, by good luck.
    The ends hold the truth nearly always, also in a single bin. That of RMSCE² holds the values
    from which the estimate is no further away than the normal quantile times its standard deviation
    there, which is nearly exact for a single bin and cautious for many; its lower end is zero where
    the estimate is. It takes the variance of a bin for larger by that of two cases, one of each
    truth, and so does what noise would show.

    The error is that of the bins. Within a bin, gaps of both signs cancel, so the error of the
    probabilities themselves is at least as large. For "class-wise", the intervals of all classes
    hold at once, and their ends are averaged.

    References
    ----------
    Naeini, Cooper & Hauskrecht (2015) for the error; Kull et al. (2019) for "class-wise"; Kumar,
    Liang & Ma (2019), *Verified uncertainty calibration*; Roelofs, Cain, Shlens & Mozer (2022),
    *Mitigating bias in calibration error estimation*.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p  # the probabilities are right
    >>> print(calibration_error(y, p))
    0.0227 [0.0000, 0.0502]; seen 0.0315, of which right probabilities show 0.0270 by chance
    >>> print(calibration_error(y, p, norm="l2"))
    0.0169 [0.0000, 0.0532]; seen 0.0388, of which right probabilities show 0.0352 by chance
    >>> sharper = p**2 / (p**2 + (1 - p) ** 2)  # too sure of itself
    >>> print(calibration_error(y, sharper))
    0.0997 [0.0548, 0.1190]; seen 0.1004, of which right probabilities show 0.0196 by chance
    """
    level = check_level(confidence_level)
    check_choice(kind, "kind", ("top-label", "class-wise"))
    check_choice(norm, "norm", ("l1", "l2"))
    n_bins = as_count(n_bins, "n_bins")
    scores, known = class_scores(y_proba, y_true, classes, pos_label, name="y_proba")
    p = check_probabilities(scores, name="y_proba", n_classes=len(known))
    truth = as_codes(check_truth(y_true), known, name="y_true")
    weight = check_weight(sample_weight, len(truth))
    check_some_weight(weight.sum())
    warn_of_shares(weight, "bins are too few")
    if kind == "top-label":
        parts = {"top label": (p.max(axis=1), p.argmax(axis=1) == truth)}
    else:
        parts = {label: (p[:, k], truth == k) for k, label in enumerate(known.tolist())}
    # All intervals at once: each takes its part of the risk.
    each = 1 - (1 - level) / len(parts)
    tables = [_bins(probability, hit, weight, int(n_bins)) for probability, hit in parts.values()]
    rows = np.array([_error(table, norm, each) for table in tables])
    whole = rows.mean(axis=0) if norm == "l1" else np.sqrt((rows**2).mean(axis=0))
    columns = ["estimate", "low", "high", "plug_in", "by_chance"]
    found: dict[str, Any] = dict(zip(columns, whole.tolist(), strict=True))
    names = pd.Index(list(parts), name="class", dtype=object)
    found["by_class"] = pd.DataFrame(rows, names, columns)
    bins = pd.concat(tables, keys=list(parts), names=["class", "bin"])
    bins = bins[["n", "probability", "share"]]
    return CalibrationError(confidence_level=level, bins=bins, **found)


def _bins(p: Floats, hit: npt.NDArray[np.bool_], weight: Floats, most: int) -> pd.DataFrame:
    """Bins of about equal weight; what is equal stays together, so repetitions change nothing."""
    at = np.unique(p, return_inverse=True)[1]
    of_value = np.bincount(at, weight)
    total = float(of_value.sum())
    count = max(1, min(most, int(total // _LEAST_CASES)))
    middle = (np.cumsum(of_value) - of_value / 2) / total
    place = np.minimum((count * middle).astype(np.intp), count - 1)[at]
    parts: dict[str, Floats] = {
        "n": np.ones(len(p)),
        "probability": p,
        "share": hit.astype(np.float64),
        "squares": (p - hit) ** 2,
        "chance": p * (1 - p),
    }
    sums = np.array([np.bincount(place, weight * each, count) for each in parts.values()])
    sums = sums[:, sums[0] > 0]
    sums[1:] /= sums[0]
    return pd.DataFrame(sums.T, columns=list(parts))


def _error(table: pd.DataFrame, norm: str, level: float) -> list[float]:
    """Estimate, ends of the interval, plug-in, and what right probabilities would show."""
    n = table["n"].to_numpy(dtype=np.float64)
    share, gap = n / n.sum(), (table["probability"] - table["share"]).to_numpy(dtype=np.float64)
    spread = np.maximum(table["squares"].to_numpy(dtype=np.float64) - gap**2, 0.0)
    noise = np.where(n > 1, spread / np.maximum(n - 1, 1e-9), 0.0)
    by_chance = table["chance"].to_numpy(dtype=np.float64) / n
    careful = (spread + _MADE_UP / n) / n
    z = float(special.ndtri((1 + level) / 2))
    if norm == "l1":
        plug_in = float(share @ np.abs(gap))
        added = share @ (_folded_mean(np.abs(gap), np.sqrt(noise)) - np.abs(gap))
        width = _reach(share**2 @ noise, 1 / n.sum(), z)
        low = plug_in - share @ np.sqrt(2 * careful / np.pi) - width
        chance = share @ np.sqrt(2 * by_chance / np.pi)
        found = np.array([plug_in - added, low, plug_in + width, plug_in, chance])
    else:
        plug_in = float(np.sqrt(share @ gap**2))
        unbiased = max(float(share @ (gap**2 - noise)), 0.0)
        cautious = min(float(share @ (gap**2 - careful)), unbiased)
        # The variance of the mean square of normal gaps with mean square x is at most a + bx.
        a, b = 2 * float(share**2 @ careful**2), 4 * float((share * careful).max())
        high = unbiased + _reach(a + b * unbiased, b, z)
        low = 0.0
        if cautious > 0:  # an estimate below zero is too low for every error, and rules out none
            # One case more moves a gap by 1/n_b, and the mean square by about 2 plug_in / n.
            low = cautious - _reach(a + b * cautious, 2 * plug_in / n.sum() - b, z)
        found = np.sqrt(np.maximum([unbiased, low, high, plug_in**2, share @ by_chance], 0.0))
    return [float(one) for one in np.clip(found, 0.0, 1.0)]


def _reach(variance: float, growth: float, z: float) -> float:
    """How far a mean may be from what was seen, if its variance grows on the way."""
    half = z * growth / 2
    return float(z * (half + np.sqrt(variance + half**2)))


def _folded_mean(mean: Floats, deviation: Floats) -> Floats:
    """Mean of the absolute value of a normal variable."""
    t = np.divide(mean, deviation, out=np.full_like(mean, np.inf), where=deviation > 0)
    density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(mean * (2 * special.ndtr(t) - 1) + 2 * deviation * density)
