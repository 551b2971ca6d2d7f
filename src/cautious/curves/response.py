r"""Response curves: a measure against abstention, as the caution window of Ferri's rule grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import Cases, cases_of_proba
from cautious._checks import as_count, check_choice, class_shares
from cautious._labels import answer_index
from cautious._random import as_generator, binomial_ends, check_level, mean_ends
from cautious._result import Shown
from cautious._typing import Floats, Labels, RandomState, as_floats, as_number
from cautious.costs import as_costs
from cautious.costs._forms import CostsLike
from cautious.curves.window_states import WindowStates, share_of
from cautious.errors import shown, undefined_allowed, warn_undefined
from cautious.metrics._confusion import guess_probabilities
from cautious.predictions._estimators import FromEstimator
from cautious.predictions._probabilities import class_scores

_MEASURES = ("accuracy", "error", "efficacy", "f_score", "capacity", "cost", "auc")
_LOWER_IS_BETTER = ("error", "cost")

# Values where nothing is answered and a formula is undefined: Ferri & Hernández-Orallo (2004),
# section 4, take accuracy as 1 there, and the others follow.
_WITHOUT_ANSWERS = {"accuracy": 1.0, "efficacy": 0.5, "f_score": 0.0, "auc": 1.0}

# Shares by which the coordinate search moves one class's bias: e, then ever finer.
_STEPS = 2.0 ** -np.arange(9)

# Turning points of the bias closer than this are one number reached by different roundings.
_SAME_BIAS = 1e-12


@dataclass(frozen=True)
class BestWindow:
    """The window that is best by some measure.

    Attributes
    ----------
    window : float
        A window well inside those that give the same answers: 0, or the middle of ``(low, high]``.
    low, high : float
        Those windows.
    abstention : float
        Share of cases abstained on.
    value : float
        The measure there.
    """

    window: float
    low: float
    high: float
    abstention: float
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class ResponseCurve(FromEstimator, Shown):
    r"""Measures of a probabilistic classifier against how much it abstains.

    The class bias :math:`k` is fixed and the window :math:`w` swept from 0 to 1. With thresholds
    :math:`\tau_i = (1 - k_i) w + k_i` the classifier answers :math:`\arg\max_i p_i / \tau_i` if
    some :math:`p_i \ge \tau_i`, and abstains otherwise. Every window at which an answer changes is
    found in closed form, so the curve is exact: one *state* for each stretch of windows
    ``low < w <= high`` that give the same answers. State 0 holds window 0, at which nobody
    abstains; the others are in order of growing windows and never falling abstention.

    A window that itself moves an answer from one class to another ties the two, and the rule gives
    the lower class at this one point; such points are no states of their own. Windows closer than
    1e-14 count as one.

    Attributes
    ----------
    states : WindowStates
        The examples, the bias, and all changes of answers.

    See Also
    --------
    cautious.decision.bias_window_rule : the answers at one window.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", sections 4 to 6.

    Examples
    --------
    The seven-leaf tree of Ferri & Hernández-Orallo (2004), Example 2:

    >>> import numpy as np
    >>> p_a = np.array([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1])
    >>> y_true = np.repeat(["a", "b"], 7)
    >>> count = [23, 10, 4, 0, 2, 1, 0, 1, 0, 2, 9, 3, 15, 30]
    >>> y_proba = np.tile(np.c_[p_a, 1 - p_a], (2, 1))
    >>> curve = ResponseCurve.from_predictions(
    ...     y_true, y_proba, bias=[0.55, 0.45], sample_weight=count
    ... )
    >>> curve.frame().round(3)
         low   high  abstention  accuracy  error  efficacy  capacity
    0  0.000  0.111        0.00     0.850   0.15     0.925     0.925
    1  0.111  0.333        0.09     0.934   0.06     0.922     0.965
    2  0.333  0.364        0.15     0.953   0.04     0.901     0.971
    3  0.364  0.444        0.20     0.975   0.02     0.888     0.978
    4  0.444  0.636        0.30     0.971   0.02     0.836     0.964
    5  0.636  0.818        0.46     0.981   0.01     0.761     0.940
    6  0.818  1.000        0.76     0.958   0.01     0.599     0.847
    >>> curve.confusion_matrix(0.4)
    truth          a     b
    prediction
    a           33.0   1.0
    b            1.0  45.0
    ⊥            6.0  14.0
    """

    _asks = "predict_proba"
    banded: ClassVar[tuple[str, ...]] = ("accuracy", "error", "cost")

    states: WindowStates

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: npt.ArrayLike,
        *,
        bias: npt.ArrayLike | None = None,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> ResponseCurve:
        """Sweep the window over given class probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels.
        y_proba : array-like of shape (n, K) or (n,)
            Class probabilities, columns in the order of `classes`; or, for two classes, the
            probability of the positive one.
        bias : array-like of shape (K,), optional
            Class bias, not negative and adding up to one. By default all classes alike.
        classes : sequence of length K, optional
            Class labels in column order; by default the sorted labels of `y_true`.
        pos_label : label, optional
            The class that a single column is about.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        """
        if as_floats(y_proba, "y_proba", "probabilities").ndim == 1:
            y_proba, classes = class_scores(y_proba, y_true, classes, pos_label, name="y_proba")
        predictions = cases_of_proba(y_true, y_proba, classes=classes, sample_weight=sample_weight)
        n_classes = predictions.proba.shape[1]
        shares = np.full(n_classes, 1 / n_classes)
        if bias is not None:
            shares = class_shares(bias, "bias", n_classes)
        return cls(WindowStates.of(predictions, shares))

    @property
    def classes(self) -> Labels:
        """Class labels."""
        return self.states.predictions.labels

    @property
    def bias(self) -> Floats:
        """Class bias."""
        return self.states.bias

    @cached_property
    def window(self) -> Floats:
        """One window well inside each state: 0, then the middle of each stretch."""
        middle: Floats = (self.states.low + self.states.high) / 2
        middle[0] = 0.0
        return middle

    @cached_property
    def abstention(self) -> Floats:
        """Share of cases abstained on in each state."""
        kept = self.states.answered(1)[:-1]
        return np.asarray((kept[0] - kept) / kept[0])

    def measure(
        self, name: str, *, costs: CostsLike | None = None, guess: str | npt.ArrayLike = "uniform"
    ) -> Floats:
        r"""Value of a measure in each state.

        Parameters
        ----------
        name : {"accuracy", "error", "efficacy", "f_score", "capacity", "cost", "auc"}
            Accuracy is over the answered cases and error over all. ``"auc"`` is the area under the
            ROC curve of the answered cases; for more than two classes it is Hand and Till's M over
            the classes that still have answered cases.
        costs : array-like or DataFrame of shape (K + 1, K), optional
            For ``"cost"``, the mean cost per case: what each prediction (rows; abstaining is the
            last, or in a frame the one that is no class) costs under each truth (columns).
        guess : {"uniform", "prior"} or array-like of shape (K,), default="uniform"
            For ``"capacity"``: how a class is guessed.

        Returns
        -------
        ndarray of shape (T,)
            nan where it is undefined: accuracy, efficacy and f_score where nothing is answered, auc
            where the answered cases are of one class.

        Notes
        -----
        ``"auc"`` takes :math:`O(K n \log n + K^2 T)` time, everything else :math:`O(n)`.
        """
        return self._with_last(name, costs, guess)[:-1]

    def _with_last(self, name: str, costs: CostsLike | None, guess: str | npt.ArrayLike) -> Floats:
        """Values of a measure in each state, and last when nothing is answered."""
        check_choice(name, "name", _MEASURES)
        states, eye = self.states, np.eye(len(self.bias))
        totals, n = states.class_totals, states.predictions.weight.sum()
        if name == "auc":
            return states.kept_auc
        if name == "cost":
            table = _answer_table(costs, self.classes)
            total = table[-1] @ totals + states.answered(table[:-1] - table[-1])
            return np.asarray(total / n)
        abstained = np.append(self.abstention, 1.0)
        if name in ("error", "capacity"):
            error = np.asarray(states.answered(1 - eye) / n)
            if name == "error":
                return error
            missed = 1 - guess_probabilities(guess, totals)
            guessed_error = error + (missed @ totals - states.answered(missed)) / n
            return np.asarray(1 - (abstained * guessed_error + error) / 2)
        accuracy = share_of(states.answered(eye), states.answered(1))
        if name == "accuracy":
            return accuracy
        if name == "efficacy":
            return np.asarray((accuracy + 1 - abstained) / 2)
        coverage = 1 - abstained
        return np.asarray(2 * accuracy * coverage / (accuracy + coverage))

    def area(
        self, name: str, *, costs: CostsLike | None = None, guess: str | npt.ArrayLike = "uniform"
    ) -> float:
        """Area under a response curve, from abstention 0 to 1.

        States are joined by straight lines. At abstention 1 accuracy and auc count as 1, as in the
        paper; efficacy and f_score follow (½ and 0). States in which the measure is undefined are
        passed over.

        Parameters
        ----------
        name, costs, guess
            As in :meth:`measure`.

        Returns
        -------
        float
            nan if the measure is undefined everywhere, as auc is with one class only.
        """
        values = self._with_last(name, costs, guess).copy()
        if np.isnan(values).all():
            warn_undefined(f"{name} is undefined in every state; its area is nan.", stacklevel=3)
            return np.nan
        if np.isnan(values[-1]):
            values[-1] = _WITHOUT_ANSWERS[name]
        defined = ~np.isnan(values)
        level = np.append(self.abstention, 1.0)[defined]
        return float(np.sum(np.diff(level) * (values[defined][1:] + values[defined][:-1])) / 2)

    def probabilistic_capacity(self, name: str = "accuracy") -> float:
        """Area under the accuracy curve, or above the error curve.

        Parameters
        ----------
        name : {"accuracy", "error"}, default="accuracy"
            Which curve. Joining states by straight lines is exact for error (a mixture of two
            windows errs and abstains in proportion), a convention for accuracy.

        References
        ----------
        Ferri & Hernández-Orallo (2004), section 4, "probabilistic capacity".
        """
        check_choice(name, "name", ("accuracy", "error"))
        return self.area(name) if name == "accuracy" else 1 - self.area(name)

    def best_window(
        self,
        name: str = "cost",
        *,
        costs: CostsLike | None = None,
        guess: str | npt.ArrayLike = "uniform",
        max_abstention: float = 1.0,
    ) -> BestWindow:
        """Find the window that is best by a measure; of several, the one that abstains least.

        States so narrow that rounding keeps the rule from telling them apart are passed over, so
        that :func:`cautious.decision.bias_window_rule` gives these very answers.

        Parameters
        ----------
        name, costs, guess
            As in :meth:`measure`. Error and cost are minimised, everything else maximised.
        max_abstention : float, default=1
            The most that may be abstained on.

        Examples
        --------
        >>> y_proba = [[1, 0], [0.25, 0.75], [0.375, 0.625], [0, 1]]
        >>> curve = ResponseCurve.from_predictions(["neg", "pos", "neg", "pos"], y_proba)
        >>> curve.best_window(costs=[[0, 20], [100, 0], [3, 2]])
        BestWindow(window=0.375, low=0.25, high=0.5, abstention=0.25, value=0.75)
        """
        words = "a share of cases lies between 0 and 1"
        most = as_number(max_abstention, "max_abstention", 0, 1, words=words)
        values = self.measure(name, costs=costs, guess=guess)
        merit = -values if name in _LOWER_IS_BETTER else values
        low, high = self.states.low, self.states.high
        # The rule forgives a relative 1e-12, and the threshold of a class whose bias is 1 stays.
        resolution = 4e-12 / max(1 - self.bias[self.bias < 1].max(), 1e-12)
        allowed = (self.abstention <= most) & ~np.isnan(merit)
        allowed[1:] &= high[1:] - low[1:] > resolution
        if not allowed.any():
            raise ValueError(f"{name} is undefined for every window, so none is best.")
        state = int(np.argmax(np.where(allowed, merit, -np.inf)))
        columns = self.window, low, high, self.abstention, values
        return BestWindow(*(float(column[state]) for column in columns))

    def best_bias(
        self,
        measure: str | Callable[[ResponseCurve], float] = "accuracy",
        *,
        costs: CostsLike | None = None,
        guess: str | npt.ArrayLike = "uniform",
        max_evaluations: int = 500,
        random_state: RandomState = 0,
    ) -> BestBias:
        r"""Search for the class bias whose response curve is best, whatever the bias of this one.

        Two classes. With :math:`p` the probability of the second class and :math:`k` its bias, the
        rule answers the first class for :math:`p \le l = k (1 - w)` and the second for
        :math:`p \ge u = k + (1 - k) w`; every pair :math:`l \le u` comes from one bias and window.
        The least ``"cost"`` is therefore found exactly, in one pass over all pairs of cuts between
        neighbouring scores. Areas depend on :math:`k` only through the order in which cases drop
        out, which changes at the scores and where two scores :math:`p < q` drop out together,
        :math:`k = p / (1 + p - q)`. If there is room for it in `max_evaluations`, all of these and
        one bias between each two of them are tried, and the answer is exact.

        Otherwise the best of the equal bias, the class frequencies and some random biases is
        improved one class at a time, multiplying its share by :math:`e^{\pm s}` with
        :math:`s = 1, 1/2, 1/4` and so on down to 1/256, until nothing helps or `max_evaluations`
        are used up. The result is never worse than either the equal bias or the class frequencies.

        Parameters
        ----------
        measure : str or callable, default="accuracy"
            ``"cost"`` minimises the least cost over all windows. Any other name of :meth:`measure`
            optimises the area under its response curve (above it, for ``"error"``). A callable
            takes a :class:`ResponseCurve` and returns what to maximise.
        costs, guess
            As in :meth:`measure`.
        max_evaluations : int, default=500
            Most biases to try. Each costs a sweep of the window.
        random_state : int, RandomState, Generator or None, default=0
            Seed of the search.

        Returns
        -------
        BestBias
            The bias, its value and its curve; whether no bias does better.

        References
        ----------
        Ferri & Hernández-Orallo (2004), section 4, where biases are compared by eye.

        Examples
        --------
        >>> import numpy as np
        >>> p_a = np.tile([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1], 2)
        >>> curve = ResponseCurve.from_predictions(
        ...     np.repeat(["a", "b"], 7),
        ...     np.c_[p_a, 1 - p_a],
        ...     sample_weight=[23, 10, 4, 0, 2, 1, 0, 1, 0, 2, 9, 3, 15, 30],
        ... )
        >>> best = curve.best_bias("error")
        >>> best.exact, best.curve.confusion_matrix(0).to_numpy()[:2].tolist()
        (True, [[37.0, 3.0], [3.0, 57.0]])
        """
        as_number(max_evaluations, "max_evaluations", 2, words="allow at least 2")
        cases, n_classes = self.states.predictions, len(self.bias)
        search = _BiasSearch(cases, partial(_merit, measure, costs, guess), max_evaluations)
        search.attempt(np.full(n_classes, 1 / n_classes))
        search.attempt(self.states.class_totals / self.states.class_totals.sum())
        certain: Sequence[Floats] = []
        if n_classes == 2 and measure == "cost":
            certain = [_cheapest_bias(cases, costs)]
        elif n_classes == 2 and isinstance(measure, str):
            certain = _turning_biases(cases, max_evaluations)
        for bias in certain:
            search.attempt(bias)
        if not len(certain):
            search.climb(as_generator(random_state))
        if np.isnan(search.merit):
            warn_undefined(
                f"{measure} is undefined for every bias; the value is nan.", stacklevel=3
            )
        value = -search.merit if measure == "cost" else search.merit
        found = search.best.bias, value, search.best, len(certain) > 0, search.n_evaluations
        return BestBias(*found)

    def confusion_matrix(self, window: float) -> pd.DataFrame:
        """Count answers at a window: predictions as rows, the last of them ⊥, truths as columns.

        Parameters
        ----------
        window : float
            Between 0 and 1.
        """
        seen, k = self.states.predictions, len(self.bias)
        cell = self.states.answers(self.states.at(window)) * k + seen.truth
        counts = np.bincount(cell, seen.weight, minlength=(k + 1) * k).reshape(k + 1, k)
        truths = pd.Index(self.classes, name="truth")
        return pd.DataFrame(counts, index=answer_index(self.classes.tolist()), columns=truths)

    def band(
        self,
        name: str = "accuracy",
        *,
        costs: CostsLike | None = None,
        confidence_level: float = 0.95,
        n_points: int = 201,
    ) -> pd.DataFrame:
        """Intervals of a measure at windows: each holds its value on new cases.

        The interval of one window keeps the level, not all of them at once. Shares of right and of
        wrong answers have exact (binomial) intervals, costs t intervals.

        Parameters
        ----------
        name : {"accuracy", "error", "cost"}, default="accuracy"
            The measure.
        costs
            For ``"cost"``, as in :meth:`measure`.
        confidence_level : float, default=0.95
            Nominal coverage.
        n_points : int, default=201
            At most so many states are taken.

        Returns
        -------
        DataFrame
            One row per state: ``window``, ``abstention``, the measure, ``low`` and ``high``.
        """
        level, n_points = check_level(confidence_level), as_count(n_points, "n_points")
        if name not in self.banded:
            raise ValueError(
                f"name is {shown(name)}; there are bands of {', '.join(map(repr, self.banded))}."
            )
        values = self.measure(name, costs=costs)
        total = np.full(len(values), self.states.predictions.weight.sum())
        answered = self.states.answered(1.0)[:-1]
        right = self.states.answered(np.eye(len(self.bias)))[:-1]
        if name == "cost":
            squares = _answer_table(costs, self.classes) ** 2
            low, high = mean_ends(values, self.measure(name, costs=squares), total, level)
        elif name == "accuracy":
            low, high = binomial_ends(right, answered, level)
        else:
            low, high = binomial_ends(answered - right, total, level)
        places = {"window": self.window, "abstention": self.abstention}
        frame = pd.DataFrame(places | {name: values, "low": low, "high": high})
        if len(frame) > n_points:
            frame = frame.iloc[np.linspace(0, len(frame) - 1, n_points).round().astype(int)]
        return frame.dropna(subset=[name]).reset_index(drop=True)

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_cases": len(self.states.predictions.truth), "n_states": len(self.states)}
        return {"classes": self.classes, "bias": self.bias.round(4), **sizes}

    def frame(
        self,
        names: str | Sequence[str] | None = None,
        *,
        costs: CostsLike | None = None,
        guess: str | npt.ArrayLike = "uniform",
    ) -> pd.DataFrame:
        """One row per state: its windows, its abstention and some measures.

        Parameters
        ----------
        names : str or sequence of str, optional
            Measures, or one; by default accuracy, error, efficacy and capacity, and with `costs`
            also cost.
        costs, guess
            As in :meth:`measure`.
        """
        if names is None:
            names = ["accuracy", "error", "efficacy", "capacity"]
            names += [] if costs is None else ["cost"]
        names = [names] if isinstance(names, str) else names
        columns = {"low": self.states.low, "high": self.states.high, "abstention": self.abstention}
        columns |= {name: self.measure(name, costs=costs, guess=guess) for name in names}
        return pd.DataFrame(columns)


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


def _answer_table(costs: CostsLike | None, classes: Labels) -> Floats:
    """Costs of answers and, in the last row, of abstaining, shape (K + 1, K)."""
    if costs is None:
        raise ValueError(
            "costs is None; the measure 'cost' needs a table with a row for each answer and a last "
            "one for abstaining, and a column for each true class."
        )
    return as_costs(costs, classes.tolist(), needs_abstention=True).answer_values()


def _merit(measure: Any, costs: Any, guess: Any, curve: ResponseCurve) -> float:
    """Give what is to be maximised."""
    if not isinstance(measure, str):
        return float(measure(curve))
    if measure == "cost":
        return -curve.best_window("cost", costs=costs).value
    with undefined_allowed():
        area = curve.area(measure, guess=guess)
    return 1 - area if measure == "error" else area


@dataclass(eq=False)
class _BiasSearch:
    """Biases tried one after the other, and the best of them."""

    cases: Cases
    judge: Callable[[ResponseCurve], float]
    max_evaluations: int
    best: ResponseCurve = field(init=False)
    merit: float = np.nan
    n_evaluations: int = 0

    def attempt(self, bias: Floats) -> bool:
        """Try a bias; say whether it is the best so far."""
        curve = ResponseCurve(WindowStates.of(self.cases, bias))
        merit = self.judge(curve)
        self.n_evaluations += 1
        better = merit > self.merit or (np.isnan(self.merit) and not np.isnan(merit))
        if better or self.n_evaluations == 1:
            self.best, self.merit = curve, merit
        return bool(better)

    def climb(self, rng: np.random.Generator) -> None:
        """Try random biases, then move one class at a time, by ever smaller steps."""
        n_classes = len(self.best.bias)
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
                    bias = self.best.bias.copy()
                    bias[c] *= np.exp(sign * step)
                    improved |= self.attempt(bias / bias.sum())


def _turning_biases(cases: Cases, max_evaluations: int) -> Sequence[Floats]:
    """Biases of two classes of which one certainly has the best area; none if they are too many."""
    score = np.unique(cases.proba[:, 1])
    score = score[(score > 0) & (score < 1)]
    if len(score) * (len(score) + 1) + 3 > max_evaluations:  # with the two tried before
        return []
    low, high = score[:, None], score[None, :]
    together = (low / (1 + low - high))[low < high]
    turns = np.unique(np.concatenate([[0.0], score, together, [1.0]]))
    turns = turns[np.diff(turns, append=2.0) > _SAME_BIAS]
    tried = np.concatenate([turns[1:-1], (turns[1:] + turns[:-1]) / 2])
    return list(np.stack([1 - tried, tried], axis=1))


def _cheapest_bias(cases: Cases, costs: CostsLike | None) -> Floats:
    """Bias of the cheapest pair of cuts between scores of the second of two classes."""
    score, place = np.unique(cases.proba[:, 1], return_inverse=True)
    losses = cases.weight * _answer_table(costs, cases.labels)[:, cases.truth]
    first, second, abstain = (
        np.append(0.0, np.bincount(place.reshape(-1), loss).cumsum()) for loss in losses
    )
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
