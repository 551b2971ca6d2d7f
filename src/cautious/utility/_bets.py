r"""What predictions earn as bets: expected utility, its certainty equivalent, the next m bets.

Over :math:`m` bets on :math:`n` classes the vacuous classifier earns :math:`m/n` for sure, and the
random one earns as many units as it guesses right, a binomial number with chance :math:`1/n`. Both
expect the same; a risk-averse judge prefers the sure one, by :math:`d(m)`.
Zaffalon, Corani & Mauá (2012), section 8. Earnings exceed 1 here, so utilities are used as they
are written, not scaled, and must be defined up to :math:`m`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import binom
from sklearn.exceptions import UndefinedMetricWarning

from cautious._checks import check_weight, first_row
from cautious._random import Interval, bootstrap_weights, percentile_interval
from cautious._typing import Floats, RandomState, as_floats
from cautious.errors import shown
from cautious.utility._forms import Custom, Utility, UtilityLike, as_utility, read_utility

_MOST_BETS = 10**12
# Times that the search for an exact peak doubles its range before the peak counts as infinite.
_DOUBLINGS = 6
_DEFINED = "m bets earn between 0 and m, and the utility must be defined on all of it."


def certainty_equivalent(
    x: npt.ArrayLike, utility: UtilityLike = "u65", *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Sure discounted accuracy worth as much as the classifier: :math:`u^{-1}(E[u(h)])`.

    It brings any utility back to the scale of an accuracy. For utilities that stop rising before 1,
    such as u80, it is the smallest accuracy of that worth: a perfect classifier's certainty
    equivalent under u80 is 5/6. Zaffalon, Corani & Mauá (2012), section 5, footnote 4. The
    arguments are those of :func:`money_bets`.

    Examples
    --------
    >>> round(certainty_equivalent([1, 0], "u65"), 4)  # a coin toss
    0.3615
    """
    u = as_utility(utility)
    accuracies, weight = _bets(x, sample_weight)
    return float(u.inverse(weighted_mean(u(accuracies), weight)))


@dataclass(frozen=True)
class MeanVariance:
    """An expected utility taken apart into what the mean is worth and what variability costs.

    The variance divides by n; ``expected_utility`` is the exact value, for comparison with the
    sum of the two terms, ``second_order``.
    """

    mean: float
    variance: float
    utility_of_mean: float
    variance_term: float
    expected_utility: float

    @property
    def second_order(self) -> float:
        """Sum of the two terms: the expected utility to second order."""
        return self.utility_of_mean + self.variance_term

    def __str__(self) -> str:
        sign = "-" if self.variance_term < 0 else "+"
        return (
            f"u(E) {sign} |½u″(E)·Var| = {self.utility_of_mean:.4f} {sign} "
            f"{abs(self.variance_term):.4f} = {self.second_order:.4f} "
            f"(E = {self.mean:.4f}, Var = {self.variance:.4f}; exact {self.expected_utility:.4f})"
        )


def mean_variance(
    x: npt.ArrayLike, utility: UtilityLike = "u65", *, sample_weight: npt.ArrayLike | None = None
) -> MeanVariance:
    r"""Split an expected utility into the worth of its mean and the price of its variance.

    .. math:: E[u(h)] \approx u(E[h]) + ½\,u''(E[h])\,\mathrm{Var}[h],

    exact for quadratic utilities. Of two classifiers with the same mean discounted accuracy, the
    one with the smaller variance is preferred under every strictly concave utility. Zaffalon,
    Corani & Mauá (2012), eq. 1. The arguments are those of :func:`money_bets`.

    Examples
    --------
    >>> print(mean_variance([1, 0.5, 0.5, 0], "u80"))
    u(E) - |½u″(E)·Var| = 0.8000 - 0.1500 = 0.6500 (E = 0.5000, Var = 0.1250; exact 0.6500)
    """
    u = as_utility(utility)
    accuracies, weight = _bets(x, sample_weight)
    mean = weighted_mean(accuracies, weight)
    variance = weighted_mean((accuracies - mean) ** 2, weight)
    return MeanVariance(
        mean=mean,
        variance=variance,
        utility_of_mean=float(u(mean)),
        variance_term=0.5 * float(u.second_derivative(mean)) * variance,
        expected_utility=weighted_mean(u(accuracies), weight),
    )


def money_bets(
    x: npt.ArrayLike, utility: UtilityLike = "u65", *, sample_weight: npt.ArrayLike | None = None
) -> pd.DataFrame:
    r"""Compare sets with a random member of each, as bets for money.

    A house pays 1 for a right class. For a right set of k classes it pays :math:`1/k`, which is
    fair: naming a member of the set at random earns as much on average, and no other way to name
    one is sure of more. So the earnings :math:`x` of the sets and those of the random member have
    one mean, but the member earns all or nothing:

    .. math:: \operatorname{Var}[r] = E[x] (1 - E[x]) \ge \operatorname{Var}[x], \qquad
              E[u(r)] = E[x] \le E[u(x)].

    The difference between the certainty equivalents is what caution is worth, in money. Zaffalon,
    Corani & Mauá (2012), sections 4 to 6.

    Parameters
    ----------
    x : array-like of shape (n,)
        Discounted accuracy of each set, ``per_sample(discounted_accuracy_score)``: one over its
        size if it holds the truth, else 0.
    utility : Utility, str or callable, default="u65"
        Your utility of money, concave if you are averse to risk; see :func:`as_utility`.
    sample_weight : array-like of shape (n,), optional
        Weights, read as repetitions.

    Returns
    -------
    DataFrame
        Rows "set" and "random member"; columns "earnings" and "variance" of a bet,
        "expected_utility", and "certainty_equivalent", the sure sum that is worth as much.

    Examples
    --------
    Two classes, and a classifier that always answers with both:

    >>> money_bets([0.5, 0.5, 0.5, 0.5]).round(3)
                   earnings  variance  expected_utility  certainty_equivalent
    set                 0.5      0.00              0.65                 0.500
    random member       0.5      0.25              0.50                 0.362
    """
    accuracies, weight = _bets(x, sample_weight)
    mean = weighted_mean(accuracies, weight)
    u = as_utility(utility)
    if np.isnan(mean):
        variance = value = sure = np.full(2, np.nan)
    else:
        value = np.array(
            [weighted_mean(u(accuracies), weight), mean * u(1.0) + (1 - mean) * u(0.0)]
        )
        variance = np.array([weighted_mean((accuracies - mean) ** 2, weight), mean * (1 - mean)])
        sure = u.inverse(value)
    return pd.DataFrame(
        {
            "earnings": mean,
            "variance": variance,
            "expected_utility": value,
            "certainty_equivalent": sure,
        },
        index=["set", "random member"],
    )


def vacuous_expected_utility(m: npt.ArrayLike, n_classes: int, utility: UtilityLike) -> Floats:
    """Give the utility of the vacuous classifier over the next ``m`` bets, :math:`u(m/n)`."""
    return _of_earnings(read_utility(utility), _checked_bets(m, n_classes) / n_classes)


def random_expected_utility(
    m: npt.ArrayLike, n_classes: int, utility: UtilityLike, *, exact: bool = True
) -> Floats:
    r"""Compute the expected utility of the random classifier over the next ``m`` bets.

    .. math:: E[u(r_m)] = \sum_{\ell=0}^{m} u(\ell) \binom{m}{\ell}
              \left(\frac1n\right)^{\ell} \left(1 - \frac1n\right)^{m - \ell}
              \approx u\!\left(\frac mn\right)
              + \frac12 u''\!\left(\frac mn\right) \frac mn \left(1 - \frac1n\right).

    Zaffalon, Corani & Mauá (2012), eq. 3; the printed binomial lacks the exponent ℓ on 1/n.

    Parameters
    ----------
    m : array-like
        Numbers of bets; whole numbers for the exact sum.
    n_classes : int
        Number of classes, n.
    utility : Utility, str or callable
        A utility of earnings; see :func:`as_utility`.
    exact : bool, default=True
        The binomial sum, or the second-order approximation, which can be far off for few bets on
        many classes (25 % at m = 1, n = 50 for the logarithmic utility).

    Examples
    --------
    >>> from cautious.utility import logarithmic
    >>> random_expected_utility([1, 2, 4], 2, logarithmic).round(4)
    array([0.3466, 0.6212, 1.0324])
    """
    bets = _checked_bets(m, n_classes)
    u = read_utility(utility)
    if not exact:
        return u(bets / n_classes) - _second_order(bets, n_classes, u)
    whole = np.rint(bets)
    if not np.array_equal(whole, bets):
        raise ValueError("m holds fractions; the exact sum needs whole bets, or pass exact=False.")
    sums = [_binomial_mean(int(each), n_classes, u) for each in whole.ravel()]
    return np.array(sums, dtype=np.float64).reshape(bets.shape)


def caution_premium(
    m: npt.ArrayLike, n_classes: int, utility: UtilityLike, *, exact: bool = True
) -> Floats:
    r"""Compute what caution is worth over ``m`` bets: :math:`d(m) = E[u(v_m)] - E[u(r_m)]`.

    Not negative for a concave utility. To second order it is

    .. math:: d(m) \approx -\frac12 u''\!\left(\frac mn\right) \frac mn \left(1 - \frac1n\right),

    which rises to its :func:`inversion_point` and then fades. Zaffalon, Corani & Mauá (2012), eq.
    4; section 8.2 prints it with the wrong sign. The arguments are those of
    :func:`random_expected_utility`.

    Examples
    --------
    >>> from cautious.utility import logarithmic
    >>> caution_premium([1, 2, 4], 2, logarithmic).round(4)
    array([0.0589, 0.0719, 0.0662])
    """
    bets = _checked_bets(m, n_classes)
    u = read_utility(utility)
    if not exact:
        return _second_order(bets, n_classes, u)
    return vacuous_expected_utility(bets, n_classes, u) - random_expected_utility(
        bets, n_classes, u
    )


def inversion_point(n_classes: int, utility: UtilityLike, *, exact: bool = False) -> float:
    """Find the number of bets at which caution is worth most: where :math:`d(m)` peaks.

    To second order :math:`m = n` for the logarithmic utility, :math:`m = n/a` for the exponential
    and :math:`m = n / (2β^2)` for :math:`F_β`; the exact peak lies somewhat later. A quadratic
    utility never stops paying for caution: infinity. Zaffalon, Corani & Mauá (2012), sections 8.1
    and 8.2.

    Parameters
    ----------
    n_classes, utility
        As in :func:`random_expected_utility`. For a function of your own, whose shape far beyond 1
        is not known, the peak is looked for up to m = n: an answer of n may mean that the premium
        still rises there.
    exact : bool, default=False
        The whole number of bets at which the exact difference is largest, instead of the peak of
        the second-order one. The utility must be finite up to m, which m bets may earn.

    Returns
    -------
    float
        Infinity if the premium never stops rising, or still does at many times the bets at which
        its second-order form peaks.

    Examples
    --------
    >>> from cautious.utility import exponential, logarithmic
    >>> inversion_point(10, logarithmic), inversion_point(10, exponential(2))
    (10.0, 5.0)
    """
    _checked_bets(1, n_classes)
    u = read_utility(utility)
    approximate = n_classes * u.inversion
    if not exact or not np.isfinite(approximate):
        return float(approximate)
    if isinstance(u, Custom):
        return float(_best_bets(n_classes, n_classes, u))
    last = 2 * int(np.ceil(approximate)) + 10
    for _ in range(_DOUBLINGS):
        best = _best_bets(last, n_classes, u)
        if best < last:
            return float(best)
        last *= 2
    return np.inf


def _best_bets(last: int, n_classes: int, utility: Utility) -> int:
    """Find the number of bets up to `last` with the largest exact premium."""
    return int(np.argmax(caution_premium(np.arange(1, last + 1), n_classes, utility))) + 1


def _second_order(bets: Floats, n_classes: int, utility: Utility) -> Floats:
    """Compute d(m) to second order."""
    mean = bets / n_classes
    return -0.5 * utility.second_derivative(mean) * mean * (1 - 1 / n_classes)


def _binomial_mean(m: int, n_classes: int, utility: Utility) -> float:
    """Average the utility of a binomial number of correct guesses."""
    mean = m / n_classes
    # Beyond this many deviations the chances are below 1e-20 and add nothing.
    reach = 12 * np.sqrt(mean) + 24
    guesses = np.arange(max(0, int(mean - reach)), min(m, int(mean + reach)) + 1)
    chances = binom.pmf(guesses, m, 1 / n_classes)
    return float(_of_earnings(utility, guesses.astype(np.float64)) @ chances)


def _of_earnings(utility: Utility, earnings: Floats) -> Floats:
    """Give the utility of earnings, which may exceed 1; a function may not be made for that."""
    try:
        with np.errstate(all="ignore"):
            values = utility(earnings)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(
            f"utility {utility.name} fails on earnings of {np.min(earnings):.4g} to "
            f"{np.max(earnings):.4g} ({error}); {_DEFINED}"
        ) from error
    finite = np.isfinite(values)
    if not finite.all():
        at = earnings.ravel()[np.argmin(finite)]
        raise ValueError(
            f"utility {utility.name} is not finite at earnings of {at:.4g}; {_DEFINED}"
        )
    return values


def _checked_bets(m: npt.ArrayLike, n_classes: int) -> Floats:
    if not (isinstance(n_classes, Real) and n_classes >= 2):
        raise ValueError(f"n_classes is {shown(n_classes)}; bets are on at least 2 classes.")
    bets = as_floats(m, "m", "numbers of bets")
    if not ((bets > 0) & (bets <= _MOST_BETS)).all():
        raise ValueError(f"m must hold positive numbers of bets, at most {_MOST_BETS:,}.")
    return bets


def _bets(x: npt.ArrayLike, sample_weight: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    """Check what each prediction earns, and its weight."""
    accuracies = check_accuracies(x)
    return accuracies, check_weight(sample_weight, len(accuracies))


def check_accuracies(x: npt.ArrayLike, *, name: str = "x") -> Floats:
    """Check discounted accuracies, one per example: numbers between 0 and 1."""
    values = as_floats(x, name, "accuracies")
    if values.ndim != 1:
        raise ValueError(
            f"{name} has shape {values.shape}; expected (n,), one discounted accuracy per example."
        )
    outside = ~((values >= 0) & (values <= 1))
    if outside.any():
        row = first_row(outside)
        raise ValueError(
            f"{name} is {values[row]} in row {row}; discounted accuracies lie between 0 and 1."
        )
    return values


def weighted_mean(values: Floats, weight: Floats) -> float:
    """Mean of weighted rows; nan with a warning if there are none."""
    total = weight.sum()
    if total == 0:
        warnings.warn(
            "there are no examples, or all weigh nothing: the mean is undefined and set to nan.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return float("nan")
    return float(values @ weight / total)


@dataclass(frozen=True)
class RiskAversionCurve:
    r"""Mean quadratic utility of a classifier as a function of risk aversion.

    :math:`E[u_k] = E[x] + (4k - 2)\,E[x(1 - x)]`, where :math:`k = u(½)`: .5 is discounted
    accuracy, .65 is u65, .8 is u80.

    Attributes
    ----------
    accuracy : float
        Mean discounted accuracy, :math:`E[x]`: the value at k = ½.
    hedging : float
        :math:`E[x(1 - x)]`, what the classifier gains as aversion to risk grows. Zero for a
        classifier that never answers with a correct set of several classes.

    Examples
    --------
    >>> curve = RiskAversionCurve.from_accuracies([1, 0.5, 0.5, 0])
    >>> curve([0.5, 0.65, 0.8])
    array([0.5  , 0.575, 0.65 ])
    """

    accuracy: float
    hedging: float

    @classmethod
    def from_accuracies(
        cls, x: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
    ) -> RiskAversionCurve:
        """Compute the curve from the discounted accuracy of each prediction, with weights if given.

        Examples
        --------
        >>> RiskAversionCurve.from_accuracies([1, 0.5, 0.5, 0])
        RiskAversionCurve(accuracy=0.5, hedging=0.125)
        """
        accuracies = check_accuracies(x)
        weight = check_weight(sample_weight, len(accuracies))
        return cls(
            weighted_mean(accuracies, weight),
            weighted_mean(accuracies * (1 - accuracies), weight),
        )

    def __call__(self, k: npt.ArrayLike) -> Floats:
        """Mean utility at each risk aversion ``k``."""
        return self.accuracy + (4 * as_floats(k, "k") - 2) * self.hedging

    def frame(self, k: npt.ArrayLike = (0.5, 1.0)) -> pd.DataFrame:
        """Tabulate the curve; it is straight, so its two ends tell all.

        Examples
        --------
        >>> RiskAversionCurve.from_accuracies([1, 0.5, 0.5, 0]).frame()
           risk_aversion  utility
        0            0.5     0.50
        1            1.0     0.75
        """
        at = np.atleast_1d(as_floats(k, "k"))
        return pd.DataFrame({"risk_aversion": at, "utility": self(at)})


@dataclass(frozen=True)
class Crossover:
    """The risk aversion at which two classifiers change places.

    Attributes
    ----------
    k : Interval
        The crossover :math:`k^*` with its bootstrap interval; nan if the lines are parallel. It may
        lie outside [½, 1], where one classifier is better for every risk-averse judge.
    better_above : {"first", "second", "neither"}
        Which classifier is better for risk aversions above :math:`k^*`.
    agreement : float
        Share of bootstrap replicates that agree on ``better_above``; well below 1 `k` means little.
    """

    k: Interval
    better_above: Literal["first", "second", "neither"]
    agreement: float

    def __str__(self) -> str:
        if self.better_above == "neither":
            return "the two classifiers never change places"
        if 0.5 < self.k.estimate < 1:
            return f"the {self.better_above} is better above k = {self.k}"
        # Beyond these, nobody is averse to risk.
        other = "first" if self.better_above == "second" else "second"
        better = self.better_above if self.k.estimate <= 0.5 else other
        return (
            f"the {better} is better at every k between 0.5 and 1; their lines would cross at "
            f"k = {self.k}"
        )


def crossover(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    strata: npt.ArrayLike | None = None,
    random_state: RandomState = None,
) -> Crossover:
    r"""Exact risk aversion at which two classifiers are worth the same, with a bootstrap interval.

    With :math:`A = E[x]` and :math:`H = E[x(1 - x)]` of each classifier,

    .. math:: k^* = \frac12 + \frac{A_2 - A_1}{4 (H_1 - H_2)}.

    The bootstrap is paired: both classifiers are judged on the same resampled examples. The
    utilities are those of Zaffalon, Corani & Mauá (2012), section 9.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Discounted accuracies of two classifiers on the same examples.
    sample_weight : array-like of shape (n,), optional
        Weights, read as repetitions.
    n_resamples : int, default=1000
        Number of bootstrap replicates.
    confidence_level : float, default=0.95
        Nominal coverage of the interval.
    strata : array-like of shape (n,), optional
        Strata to resample within, usually the true classes.
    random_state : int, RandomState, Generator or None
        Seed of the bootstrap.

    Examples
    --------
    >>> bold = [1] * 70 + [0] * 30
    >>> cautious = [1] * 45 + [0.5] * 40 + [0] * 15
    >>> result = crossover(bold, cautious, random_state=0)
    >>> result.better_above, round(result.k.estimate, 4)
    ('second', 0.625)
    """
    x, y = check_accuracies(first, name="first"), check_accuracies(second, name="second")
    if x.shape != y.shape:
        raise ValueError(
            f"first has {len(x)} rows and second {len(y)}; both must score the same examples."
        )
    weight = check_weight(sample_weight, len(x))
    one = RiskAversionCurve.from_accuracies(x, sample_weight=weight)
    two = RiskAversionCurve.from_accuracies(y, sample_weight=weight)
    # Where rounding alone tells two sums of squares apart, the lines are parallel.
    gap = one.hedging - two.hedging
    if not abs(gap) > 1e-12:
        warnings.warn(
            "the two classifiers gain equally from risk aversion: their lines are parallel and k* "
            "is undefined and set to nan.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        nan = float("nan")
        return Crossover(Interval(nan, nan, nan, confidence_level, 0), "neither", nan)
    gains = np.column_stack([y - x, x * (1 - x) - y * (1 - y)])
    batches = bootstrap_weights(weight, n_resamples, strata=strata, random_state=random_state)
    replicates = np.concatenate([batch @ gains for batch in batches])
    rise, run = replicates[:, 0], replicates[:, 1]
    ratio = np.divide(rise, 4 * run, out=np.full(len(rise), np.nan), where=run != 0)
    estimate = 0.5 + (two.accuracy - one.accuracy) / (4 * gap)
    return Crossover(
        percentile_interval(estimate, 0.5 + ratio, confidence_level=confidence_level),
        "first" if gap > 0 else "second",
        float(np.mean(np.sign(run) == np.sign(gap))),
    )
