r"""Resampling: confidence intervals for every number the library reports.

Weights count repetitions: a row of weight 3 stands for three equal cases. A bootstrap replicate
therefore draws as many cases as the weights add up to, each row with probability proportional
to its weight, and is itself a vector of weights over the *same* rows. Anything that can be computed
from weighted rows can be bootstrapped without touching the rows again: sort once, re-weight a
thousand times.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._input_limits import RESAMPLES
from cautious._typing import Floats, Ints, RandomState, as_floats
from cautious.errors import InputError

# Replicates are made this many cells at a time, so memory stays flat in the number of replicates.
_CELLS_AT_ONCE = 4_000_000
_DRAWS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class Interval:
    """An estimate with a confidence interval.

    Attributes
    ----------
    estimate : float
        The number computed from the data themselves.
    low, high : float
        Ends of the interval.
    confidence_level : float
        Nominal coverage of the interval.
    n_resamples : int
        How many bootstrap replicates it was read from.

    Examples
    --------
    >>> from cautious.metrics import bootstrap_interval
    >>> found = bootstrap_interval([0, 1, 1], [0, 1, None], measure="coverage", random_state=0)
    >>> round(found.estimate, 3), found.confidence_level
    (0.667, 0.95)
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    n_resamples: int

    def __str__(self) -> str:
        return f"{self.estimate:.4g} [{self.low:.4g}, {self.high:.4g}]"


def bootstrap_weights(
    weight: Floats,
    n_resamples: int,
    *,
    strata: npt.ArrayLike | None = None,
    random_state: RandomState = None,
) -> Iterator[Floats]:
    """Yield bootstrap replicates of a weight vector, some rows at a time."""
    # In each stratum of total weight W, N = max(1, round(W)) cases are drawn with
    # probabilities w_i / W and the counts are scaled by W / N, so every replicate keeps the
    # total weight of every stratum.
    check_resamples(n_resamples)
    warn_of_shares(weight)
    members = [np.arange(len(weight))] if strata is None else _rows_by_stratum(strata, weight)
    return _replicates(weight, n_resamples, members, as_generator(random_state))


def are_shares(total: float, n_rows: int) -> bool:
    """Whether weights cannot count repetitions: they add up to far less than there are rows."""
    return 0 < total < n_rows / 4


def warn_of_shares(weights: Floats, so: str = "replicates draw few cases") -> None:
    """Warn of weights that cannot count repetitions, and what they lead to."""
    total, n_rows = float(weights.sum()), int(np.count_nonzero(weights))
    if are_shares(total, n_rows):
        warnings.warn(
            f"the weights of {n_rows} rows add up to {total:.4g}. Weights count repetitions, so "
            f"{so} and intervals come out too wide; if these are shares, multiply them by the "
            "number of cases.",
            UserWarning,
            stacklevel=3,
        )


def _rows_by_stratum(strata: npt.ArrayLike, weights: Floats) -> list[Ints]:
    """Rows of each stratum, in order, found by one sort however many strata there are."""
    stratum_of_row = np.asarray(strata)
    if stratum_of_row.shape != weights.shape:
        raise ValueError(
            f"strata has shape {stratum_of_row.shape}; expected {weights.shape}, one stratum per "
            "row of weight."
        )
    missing = np.asarray(pd.isna(stratum_of_row))
    if isinstance(strata, np.ma.MaskedArray):
        missing |= np.ma.getmaskarray(strata)
    if missing.any():
        raise ValueError(
            f"strata is missing in row {np.argmax(missing)}; name every row's stratum."
        )
    try:
        code = np.unique(stratum_of_row, return_inverse=True)[1]
    except TypeError:  # labels of several kinds have no order
        code = pd.factorize(stratum_of_row)[0]
    return np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])


def _replicates(
    weights: Floats, n_resamples: int, members: list[Ints], rng: np.random.Generator
) -> Iterator[Floats]:
    at_once = max(1, _CELLS_AT_ONCE // max(1, len(weights)))
    for start in range(0, n_resamples, at_once):
        batch = np.zeros((min(at_once, n_resamples - start), len(weights)))
        for rows in members:
            _resample(weights[rows], rng, batch, rows)
        yield batch


def _resample(weights: Floats, rng: np.random.Generator, batch: Floats, rows: Ints) -> None:
    """Draw one stratum of every replicate in the batch, into the columns given by ``rows``."""
    total = float(weights.sum())
    if total == 0:
        return
    n_draws = max(1, round(total))
    scale = total / n_draws
    if n_draws > 8 * len(weights):  # aggregated counts: one binomial per cell beats many draws
        batch[:, rows] = rng.multinomial(n_draws, weights / total, size=len(batch)) * scale
        return
    equal = bool(np.all(weights == weights[0]))
    # One entry per repetition makes drawing a look-up; other weights are searched for.
    whole = not equal and total == n_draws and bool(np.all(weights == np.rint(weights)))
    entries = np.repeat(np.arange(len(weights)), weights.astype(np.intp)) if whole else None
    edges = None if equal or whole else np.cumsum(weights)
    # Small strata are drawn for many replicates at once, so that many strata cost few calls.
    step = max(1, _DRAWS_AT_ONCE // n_draws)
    for start in range(0, len(batch), step):
        shape = (min(step, len(batch) - start), n_draws)
        if entries is not None:
            draws = entries[rng.integers(n_draws, size=shape)]
        elif edges is None:
            draws = rng.integers(len(weights), size=shape)
        else:
            draws = np.searchsorted(edges, rng.random(shape) * edges[-1], side="right")
            np.minimum(draws, np.flatnonzero(weights)[-1], out=draws)
        draws += len(weights) * np.arange(shape[0])[:, None]
        counts = np.bincount(draws.ravel(), minlength=shape[0] * len(weights))
        batch[start : start + step, rows] = counts.reshape(shape[0], -1) * scale


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Make numpy's generator from whatever scikit-learn accepts as ``random_state``."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    # What holds itself would be gone into without end by numpy, which crashes.
    if not (random_state is None or isinstance(random_state, Integral | np.random.SeedSequence)):
        raise TypeError(
            f"random_state is a {type(random_state).__name__}; give a whole number, a generator or "
            "None."
        )
    return np.random.default_rng(random_state)


def check_resamples(n_resamples: Any) -> int:
    """Refuse what is no number of replicates, or more than can be drawn in a day."""
    if not isinstance(n_resamples, Integral) or not 1 <= int(n_resamples) <= RESAMPLES:
        raise InputError(
            "{=n_resamples} is {given}; ask for a whole number of replicates, at most {most}.",
            given=repr(n_resamples)[:60],
            most=f"{RESAMPLES:,}",
        )
    return int(n_resamples)


def check_level(confidence_level: Any) -> float:
    """Check that a level lies strictly between 0 and 1."""
    level = float(as_floats(confidence_level, "confidence_level", "confidence levels"))
    if not 0 < level < 1:
        raise InputError(
            "{=confidence_level} is {given}; it lies strictly between 0 and 1.",
            given=confidence_level,
        )
    return level


def binomial_ends(
    count: npt.ArrayLike, total: npt.ArrayLike, level: float
) -> tuple[Floats, Floats]:
    """Give the ends of the exact intervals of shares (Clopper & Pearson 1934)."""
    k, n = np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64)
    tail = (1 - level) / 2
    low = np.where(k > 0, scipy.special.betaincinv(np.maximum(k, 1e-9), n - k + 1, tail), 0.0)
    full = k >= n
    rest = np.where(full, 1.0, n - k)
    return low, np.where(full, 1.0, scipy.special.betaincinv(k + 1, rest, 1 - tail))


def mean_ends(mean: Floats, square: Floats, total: Floats, level: float) -> tuple[Floats, Floats]:
    """Give the ends of t intervals of means, from the means of squares; wide open below 2 cases."""
    n = np.asarray(total, dtype=np.float64)
    some = np.maximum(n, 2.0)
    spread = np.sqrt(np.maximum(square - mean**2, 0.0) / (some - 1))
    half = np.where(n >= 2, scipy.stats.t.ppf((1 + level) / 2, some - 1) * spread, np.inf)
    return mean - half, mean + half


def percentile_interval(
    estimate: float, replicates: Floats, *, confidence_level: float = 0.95
) -> Interval:
    """Read a percentile interval off replicates, leaving out the undefined; nan if all are."""
    level, defined = check_level(confidence_level), replicates[~np.isnan(replicates)]
    if not len(defined):
        return Interval(float(estimate), np.nan, np.nan, level, len(replicates))
    ends = [(1 - level) / 2, (1 + level) / 2]
    with np.errstate(invalid="ignore"):
        between = np.quantile(defined, ends)
    # No point lies between an infinite replicate and its neighbour: the nearer one has to do.
    low, high = np.where(
        np.isnan(between), np.quantile(defined, ends, method="nearest"), between
    ).tolist()
    return Interval(float(estimate), low, high, level, len(replicates))
