"""Two classifiers: the signed-rank test over data sets, the paired t-test over folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cautious._typing import Floats, as_floats
from cautious.comparison.results import read_results, rounding, tied

__all__ = ["PairedTest", "paired_t", "wilcoxon"]


@dataclass(frozen=True)
class PairedTest:
    """A two-sided test of paired results.

    Attributes
    ----------
    statistic, p_value : float
        Of the test.
    difference : float
        Mean of first minus second.
    n : int
        Pairs compared.
    """

    statistic: float
    p_value: float
    difference: float
    n: int


def wilcoxon(first: Any, second: Any, *, zero_method: str = "wilcox") -> PairedTest:
    r"""Wilcoxon's signed-rank test of two classifiers over data sets.

    Ranks the absolute differences and compares the rank sums of the gains and the losses; a data
    set counts by the order of its difference, not by its size, so that one odd set does not decide.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        A measure of either classifier, in the same order; two Series are matched by their index.
        Pairs without two finite results are left out, with a warning.
    zero_method : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        What becomes of equal results, as in ``scipy.stats.wilcoxon``: left out, or ranked and
        given to neither side, or to both by halves (as Demšar 2006 does).

    Returns
    -------
    PairedTest
        With p-value 1 if the two never differ.

    References
    ----------
    Demšar (2006), § 3.1.3; Zaffalon, Corani & Mauá (2012), §§ 9.1.3 and 9.2.

    Examples
    --------
    >>> test = wilcoxon([0.8, 0.9, 0.7, 0.6, 0.9, 0.8], [0.7, 0.7, 0.4, 0.2, 0.4, 0.2])
    >>> test.p_value, round(test.difference, 2)
    (0.03125, 0.35)
    """
    differences, equal = _differences(first, second)
    mean, n = float(differences.mean()), len(differences)
    # Differences that are equal on paper tie in the ranking too, and those of nothing are zero.
    size = tied(np.append(0.0, np.abs(differences)), equal)[1:]
    if not size.any():
        return PairedTest(0.0, 1.0, 0.0, n)
    outcome = stats.wilcoxon(np.copysign(size, differences), zero_method=zero_method)
    return PairedTest(float(outcome.statistic), float(outcome.pvalue), mean, n)


def paired_t(first: Any, second: Any, *, test_to_train: float | None = None) -> PairedTest:
    r"""Paired t-test of two classifiers over the folds of one data set.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + \rho)\, s_d^2}}, \qquad \text{with } J - 1 \text{ d.f.}

    The plain test has :math:`\rho = 0`. Folds share training data, so it finds differences too
    often; the corrected resampled test takes :math:`\rho = n_\mathrm{test} / n_\mathrm{train}`.

    Parameters
    ----------
    first, second : array-like of shape (J,)
        A measure of either classifier on the same folds, repeats included. Pairs without two finite
        results are left out, with a warning.
    test_to_train : float, optional
        :math:`\rho`; 1/9 for ten-fold cross-validation. None is the plain test.

    Returns
    -------
    PairedTest
        With p-value 1 if the two never differ, and 0 if they differ by the same amount in each
        fold.

    References
    ----------
    Nadeau & Bengio (2003), *Inference for the generalization error*; Zaffalon, Corani & Mauá
    (2012), § 9.3, use a paired t-test without saying which.

    Examples
    --------
    >>> a, b = [0.80, 0.82, 0.78, 0.81, 0.85], [0.78, 0.81, 0.77, 0.78, 0.80]
    >>> round(paired_t(a, b).p_value, 3), round(paired_t(a, b, test_to_train=1 / 4).p_value, 3)
    (0.033, 0.099)
    """
    if test_to_train is not None and not test_to_train > 0:
        raise ValueError(
            f"test_to_train is {test_to_train}; give the size of a test fold over that of its "
            "training folds, 1/9 for ten folds, or None for the plain test."
        )
    differences, equal = _differences(first, second)
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        raise ValueError(f"there is {n} pair; a t-test needs at least 2.")
    if np.ptp(differences) <= equal:  # the same difference everywhere
        same = abs(mean) <= equal
        return PairedTest(0.0 if same else np.copysign(np.inf, mean), float(same), mean, n)
    error = np.sqrt((1 / n + (test_to_train or 0.0)) * differences.var(ddof=1))
    t = mean / error
    return PairedTest(float(t), float(2 * stats.t.sf(abs(t), n - 1)), mean, n)


def _differences(first: Any, second: Any) -> tuple[Floats, float]:
    """Differences pair by pair, and the distance within which they are equal."""
    a, b = as_floats(first, "first", "results"), as_floats(second, "second", "results")
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if first.index.has_duplicates or second.index.has_duplicates:
            raise ValueError("the index of first or second names a row twice; name each once.")
        matched = {"first": pd.Series(a, first.index), "second": pd.Series(b, second.index)}
        pair = pd.DataFrame(matched)
    else:
        if a.ndim != 1 or a.shape != b.shape:
            raise ValueError(
                f"first has shape {a.shape} and second {b.shape}; give one result per data set (or "
                "fold) for each classifier, in the same order."
            )
        pair = pd.DataFrame({"first": a, "second": b})
    if not len(pair):
        raise ValueError("first and second are empty; give one result per data set (or fold) each.")
    pair = read_results(pair)
    return np.asarray(pair["first"] - pair["second"], dtype=np.float64), rounding(pair)
