"""The class bias that serves best: exact for two classes where it can be, a search otherwise."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from cautious._cases import Cases, cases_of_proba
from cautious._random import as_generator
from cautious._typing import Floats, RandomState, as_number
from cautious.costs._forms import CostsLike
from cautious.curves.response import ResponseCurve
from cautious.curves.window_states import WindowStates, answer_table

# Shares by which the coordinate search moves one class's bias: e, then ever finer.
_STEPS = 2.0 ** -np.arange(9)

# Turning points of the bias closer than this are one number reached by different roundings.
_SAME_BIAS = 1e-12


@dataclass(frozen=True, eq=False)
class BestBias:
    """The class bias found, and the curve it gives.

    Attributes
    ----------
    bias : ndarray of shape (K,)
        Class bias.
    value : float
        What was maximised, or the cost that was minimised.
    curve : ResponseCurve
        The response curve with this bias; ask it for the window.
    exact : bool
        Whether no bias does better (two classes only).
    n_evaluations : int
        How many biases were tried.
    """

    bias: Floats
    value: float
    curve: ResponseCurve
    exact: bool
    n_evaluations: int


def best_bias(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_proba: npt.ArrayLike,
    measure: str | Callable[[ResponseCurve], float] = "accuracy",
    *,
    costs: CostsLike | None = None,
    guess: str | npt.ArrayLike = "uniform",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    max_evaluations: int = 500,
    random_state: RandomState = 0,
) -> BestBias:
    r"""Search for the class bias whose response curve is best.

    Two classes. With :math:`p` the probability of the second class and :math:`k` its bias, the rule
    answers the first class for :math:`p \le l = k (1 - w)` and the second for
    :math:`p \ge u = k + (1 - k) w`; every pair :math:`l \le u` comes from one bias and window. The
    least ``"cost"`` is therefore found exactly, in one pass over all pairs of cuts between
    neighbouring scores. Areas depend on :math:`k` only through the order in which cases drop
    out, which changes at the scores and where two scores :math:`p < q` drop out together,
    :math:`k = p / (1 + p - q)`. If there is room for it in `max_evaluations`, all of these and one
    bias between each two of them are tried, and the answer is exact.

    Otherwise the best of the equal bias, the class frequencies and some random biases is improved
    one class at a time, multiplying its share by :math:`e^{\pm s}` with :math:`s = 1, 1/2, 1/4` and
    so on down to 1/256, until nothing helps or `max_evaluations` are used up. The result is never
    worse than either the equal bias or the class frequencies.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_proba : array-like of shape (n, K)
        Class probabilities, columns in the order of `classes`.
    measure : str or callable, default="accuracy"
        ``"cost"`` minimises the least cost over all windows. Any other name of
        :meth:`ResponseCurve.measure` optimises the area under its response curve (above it, for
        ``"error"``). A callable takes a :class:`ResponseCurve` and returns what to maximise.
    costs, guess
        As in :meth:`ResponseCurve.measure`.
    classes : sequence of length K, optional
        Class labels in column order; by default the sorted labels of `y_true`.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.
    max_evaluations : int, default=500
        Most biases to try. Each costs a sweep of the window.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the search.

    Returns
    -------
    BestBias

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 4, where biases are compared by eye.

    Examples
    --------
    >>> import numpy as np
    >>> p_a = np.tile([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1], 2)
    >>> found = best_bias(
    ...     np.repeat(["a", "b"], 7),
    ...     np.c_[p_a, 1 - p_a],
    ...     "error",
    ...     sample_weight=[23, 10, 4, 0, 2, 1, 0, 1, 0, 2, 9, 3, 15, 30],
    ... )
    >>> found.exact, found.curve.confusion_matrix(0).to_numpy()[:2].tolist()
    (True, [[37.0, 3.0], [3.0, 57.0]])
    """
    if not as_number(max_evaluations, "max_evaluations") >= 2:
        raise ValueError(f"max_evaluations is {max_evaluations}; allow at least 2.")
    predictions = cases_of_proba(y_true, y_proba, classes=classes, sample_weight=sample_weight)
    merit = _merit(measure, costs, guess)
    n_classes = predictions.proba.shape[1]
    frequency = np.bincount(predictions.truth, predictions.weight, minlength=n_classes)
    search = _Search(predictions, merit, max_evaluations)
    search.attempt(np.full(n_classes, 1 / n_classes))
    search.attempt(frequency / frequency.sum())
    certain = _certain_biases(predictions, measure, costs, max_evaluations)
    for bias in certain:
        search.attempt(bias)
    if not len(certain):
        search.climb(as_generator(random_state))
    if np.isnan(search.merit):
        warnings.warn(
            f"{measure} is undefined for every bias; the value is nan.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
    value = -search.merit if measure == "cost" else search.merit
    return BestBias(search.curve.bias, value, search.curve, len(certain) > 0, search.n_evaluations)


def _merit(
    measure: str | Callable[[ResponseCurve], float],
    costs: CostsLike | None,
    guess: str | npt.ArrayLike,
) -> Callable[[ResponseCurve], float]:
    """Say what to maximise."""
    if not isinstance(measure, str):
        return measure
    if measure == "cost":
        return lambda curve: -curve.best_window("cost", costs=costs).value
    if measure == "error":
        return lambda curve: 1 - curve.area("error")

    def area(curve: ResponseCurve) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return curve.area(measure, guess=guess)

    return area


class _Search:
    """Biases tried one after the other, and the best of them."""

    def __init__(
        self,
        predictions: Cases,
        judge: Callable[[ResponseCurve], float],
        max_evaluations: int,
    ) -> None:
        self.predictions, self.judge, self.max_evaluations = predictions, judge, max_evaluations
        self.merit, self.n_evaluations = np.nan, 0
        self.curve: ResponseCurve

    def attempt(self, bias: Floats) -> bool:
        """Try a bias; say whether it is the best so far."""
        curve = ResponseCurve(WindowStates.of(self.predictions, bias))
        merit = float(self.judge(curve))
        self.n_evaluations += 1
        better = merit > self.merit or (np.isnan(self.merit) and not np.isnan(merit))
        if better or self.n_evaluations == 1:
            self.curve, self.merit = curve, merit
        return bool(better)

    def climb(self, rng: np.random.Generator) -> None:
        """Try random biases, then move one class at a time, by ever smaller steps."""
        n_classes = len(self.curve.bias)
        for bias in rng.dirichlet(np.ones(n_classes), size=2 * n_classes):
            if self.n_evaluations < self.max_evaluations:
                self.attempt(bias)
        for step in _STEPS:
            improved = True
            while improved:
                improved = False
                for c, sign in product(rng.permutation(n_classes), (1, -1)):
                    if self.n_evaluations >= self.max_evaluations:
                        return
                    bias = self.curve.bias.copy()
                    bias[c] *= np.exp(sign * step)
                    improved |= self.attempt(bias / bias.sum())


def _certain_biases(
    predictions: Cases, measure: Any, costs: Any, max_evaluations: int
) -> Sequence[Floats]:
    """Biases of which one is certainly the best; none where that cannot be had."""
    if predictions.proba.shape[1] != 2 or not isinstance(measure, str):
        return []
    if measure == "cost":
        return [_cheapest_bias(predictions, answer_table(costs, predictions.labels))]
    score = np.unique(predictions.proba[:, 1])
    score = score[(score > 0) & (score < 1)]
    if len(score) * (len(score) + 1) + 3 > max_evaluations:  # with the two tried before
        return []
    low, high = score[:, None], score[None, :]
    together = (low / (1 + low - high))[low < high]
    turns = np.unique(np.concatenate([[0.0], score, together, [1.0]]))
    turns = turns[np.diff(turns, append=2.0) > _SAME_BIAS]
    tried = np.concatenate([turns[1:-1], (turns[1:] + turns[:-1]) / 2])
    return list(np.stack([1 - tried, tried], axis=1))


def _cheapest_bias(predictions: Cases, costs: Floats) -> Floats:
    """Bias of the cheapest pair of cuts between scores of the second of two classes."""
    score, place = np.unique(predictions.proba[:, 1], return_inverse=True)
    cost_of_cut = [
        np.concatenate(
            [
                [0.0],
                np.bincount(
                    place.reshape(-1), predictions.weight * costs[answer, predictions.truth]
                ).cumsum(),
            ]
        )
        for answer in range(3)
    ]
    first, second, abstain = cost_of_cut
    # The first class is answered below the lower cut, the second from the upper cut on. The rule
    # never abstains on a probability of 0 or 1.
    lower = first - abstain
    lower[: np.sum(score == 0)] = np.inf
    upper = abstain + second[-1] - second
    upper[len(score) + 1 - np.sum(score == 1) :] = np.inf
    cheapest_so_far = np.minimum.accumulate(lower)
    upper_cut = int(np.argmin(cheapest_so_far + upper))
    lower_cut = int(np.argmin(lower[: upper_cut + 1]))
    edges = np.concatenate([[0.0], score, [1.0]])
    low, high = ((edges[cut] + edges[cut + 1]) / 2 for cut in (lower_cut, upper_cut))
    bias = low / (1 - high + low)
    return np.array([1 - bias, bias])
