"""The capacity graph: error of an abstaining classifier moved to every level of abstention.

The lower hull of several graphs says what the classifiers achieve together, and which are worth
keeping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_count, check_some_weight, shares_of_cases
from cautious._result import Shown
from cautious._typing import Floats, as_number
from cautious.curves.response import ResponseCurve
from cautious.errors import check_kind, shown
from cautious.metrics import SetCounts, cautious_confusion_matrix
from cautious.metrics._confusion import full_coverage_error
from cautious.predictions._estimators import FromEstimator

# A corner that lies less than this below the line between its neighbours gains nothing.
_GAIN = 1e-12


class _Graph(Shown):
    """Error against abstention, in straight lines between corners."""

    def error(self, abstention: npt.ArrayLike) -> Floats:
        """Error at another abstention.

        Parameters
        ----------
        abstention : float or array-like
            Share of cases abstained on, between 0 and 1.

        Returns
        -------
        ndarray
            Of the shape of `abstention`.
        """
        points = self.frame()
        level = shares_of_cases(abstention, "abstention")
        return np.asarray(np.interp(level, points["abstention"], points["error"]))


@dataclass(frozen=True, eq=False, repr=False)
class CapacityCurve(FromEstimator, _Graph):
    r"""Error of an abstaining classifier moved to every level of abstention :math:`\alpha`.

    To abstain more than its own :math:`A`, the classifier drops answers at random; to abstain less,
    it guesses at random some of the cases it abstained on. The graph of :math:`(\alpha,
    \mathrm{Error}(Q_\alpha))` is made of two straight lines, from :math:`(0, E_0)` with everything
    guessed to the classifier's own point :math:`(A, E)` and on to :math:`(1, 0)`. Sets of several
    but not all classes count as abstentions.

    Attributes
    ----------
    counts : SetCounts
        Counts of the predictions.
    guess : {"uniform", "prior"} or array-like of shape (K,)
        How classes are guessed: all alike, as often as they occur among the truths, or with given
        probabilities.

    See Also
    --------
    CapacityCurve.hull : what several classifiers achieve together.
    cautious.metrics.cautious_confusion_matrix : the confusion matrix at one level.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", sections 2.2 and 3, figure 2.

    Examples
    --------
    Example 1 of the paper:

    >>> matrix = [[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]]
    >>> curve = CapacityCurve.from_matrix(matrix, classes=["a", "b", "c"])
    >>> curve.frame()
       abstention  error
    0        0.00   0.10
    1        0.09   0.04
    2        1.00   0.00
    >>> round(curve.capacity, 4)
    0.9755
    >>> round(CapacityCurve.from_matrix(matrix, guess="prior").guessed_error, 4)
    0.0936
    """

    _asks = "predict_set"

    counts: SetCounts
    guess: str | npt.ArrayLike = "uniform"

    def __post_init__(self) -> None:
        check_kind(self.counts, SetCounts, "counts", "SetCounts")
        check_some_weight(self.counts.n)
        full_coverage_error(self.counts, self.guess)  # says what is wrong with `guess`, if anything

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_set: Any,
        *,
        guess: str | npt.ArrayLike = "uniform",
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        empty: str = "error",
    ) -> CapacityCurve:
        """Make the graph of given predictions.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels.
        y_set : mask of shape (n, K), labels or label sets
            Prediction sets; anything :func:`cautious.sets.as_mask` takes.
        guess : {"uniform", "prior"} or array-like of shape (K,), default="uniform"
            How classes are guessed.
        classes : sequence of length K, optional
            Class labels in column order; needed where `y_true` does not hold them all.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        empty : {"error", "abstain"}, default="error"
            What an empty prediction set means.
        """
        counts = SetCounts.from_predictions(
            y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty
        )
        return cls(counts, guess)

    @classmethod
    def from_matrix(
        cls,
        matrix: pd.DataFrame | npt.ArrayLike,
        *,
        guess: str | npt.ArrayLike = "uniform",
        classes: Sequence[Any] | npt.ArrayLike | None = None,
    ) -> CapacityCurve:
        """Make the graph of a printed confusion matrix.

        Parameters
        ----------
        matrix : DataFrame or array-like of shape (K + 1, K)
            Predictions as rows, the last of them the abstentions; truths as columns.
        guess, classes
            As in :meth:`from_predictions`.
        """
        return cls(SetCounts.from_confusion(matrix, classes=classes), guess)

    @classmethod
    def no_information(cls, n_classes: int) -> CapacityCurve:
        """Make the graph of knowing nothing: guessing one of the classes, or abstaining.

        Nothing should do worse.

        Parameters
        ----------
        n_classes : int
            Number of classes K.

        References
        ----------
        Ferri & Hernández-Orallo (2004), section 3, classifier D.
        """
        k = as_count(n_classes, "n_classes", least=2)
        return cls.from_matrix(np.eye(k + 1)[:, -1:] * np.ones(k))

    @property
    def abstention(self) -> float:
        """The classifier's own abstention A."""
        return float(self.counts.mean(~self.counts.answered()))

    @property
    def own_error(self) -> float:
        """The classifier's own error E, over all cases."""
        return float(self.counts.mean(self.counts.answered() & ~self.counts.hit))

    @property
    def guessed_error(self) -> float:
        """Error E₀ if every case abstained on is guessed."""
        return float(full_coverage_error(self.counts, self.guess))

    @property
    def capacity(self) -> float:
        """Area above the graph; see :func:`cautious.metrics.capacity_score`."""
        return 1 - (self.abstention * self.guessed_error + self.own_error) / 2

    def matrix(self, abstention: float) -> pd.DataFrame:
        """Give the expected confusion matrix of the classifier moved to an abstention.

        Parameters
        ----------
        abstention : float
            Share of cases abstained on, between 0 and 1.

        Returns
        -------
        DataFrame of shape (K + 1, K)
            Real numbers; predictions as rows, the last of them ⊥, truths as columns.
        """
        return cautious_confusion_matrix(self.counts, None, abstention=abstention, guess=self.guess)

    @staticmethod
    def hull(curves: Mapping[Any, CapacityCurve | ResponseCurve]) -> CapacityHull:
        """Lower convex hull of capacity graphs.

        A classifier that is above the hull can be discarded: for every abstention, another one or a
        mixture of two errs less. Not only the classifiers themselves count but also their tails, in
        which the cases they abstain on are guessed. A response curve stands for as many classifiers
        as it has states.

        Parameters
        ----------
        curves : mapping of name to CapacityCurve or ResponseCurve
            Graphs of classifiers on the same examples. Of two at one point, the first is named.

        Returns
        -------
        CapacityHull

        References
        ----------
        Ferri & Hernández-Orallo (2004), section 3.

        Examples
        --------
        >>> curves = {
        ...     "bold": CapacityCurve.from_matrix([[45, 8], [5, 42], [0, 0]]),
        ...     "shy": CapacityCurve.from_matrix([[30, 1], [1, 28], [19, 21]]),
        ...     "worse": CapacityCurve.from_matrix([[40, 8], [5, 37], [5, 5]]),
        ... }
        >>> hull = CapacityCurve.hull(curves)
        >>> hull.classifiers
        ['bold', 'shy']
        >>> hull.mixture(0.1)[["classifier", "use", "weight"]]
          classifier    use  weight
        0       bold  as is    0.75
        1        shy  as is    0.25
        >>> float(hull.error(0.1)).__round__(4)
        0.1025
        """
        check_kind(curves, Mapping, "curves", "curves by the names of their classifiers")
        if not curves:
            raise ValueError("curves is empty; give at least one capacity or response curve.")
        nothing = (1.0, 0.0, None, "abstain", np.nan)
        points = [nothing, *(row for item in curves.items() for row in _points(*item))]
        points.sort(key=itemgetter(0, 1))
        corners = _lower_hull(*([row[at] for row in points] for at in (0, 1)))
        names = ["abstention", "error", "classifier", "use", "window"]
        table = pd.DataFrame([points[at] for at in corners], columns=names)
        table["classifier"] = pd.Series([points[at][2] for at in corners], dtype=object)
        return CapacityHull(table)

    def _facts(self) -> dict[str, Any]:
        names = ("abstention", "own_error", "capacity")
        return {"classes": self.counts.classes} | {name: getattr(self, name) for name in names}

    def frame(self) -> pd.DataFrame:
        """Corners of the graph, in order of growing abstention."""
        ends = (0.0, self.guessed_error), (self.abstention, self.own_error), (1.0, 0.0)
        kept = [self.abstention > 0, True, self.abstention < 1]
        return pd.DataFrame(compress(ends, kept), columns=["abstention", "error"])


@dataclass(frozen=True, eq=False, repr=False)
class CapacityHull(_Graph):
    """Least error that given classifiers, mixed at random, reach at each abstention.

    Attributes
    ----------
    corners : DataFrame
        Corners of the hull in order of growing abstention: ``abstention``, ``error``, and who
        stands there: ``classifier`` (``None`` for abstaining on everything), ``use`` (``"guess"``
        what it abstains on, take it ``"as is"``, apply a ``"window"``, or ``"abstain"``) and
        ``window``.
    """

    corners: pd.DataFrame

    @property
    def classifiers(self) -> list[Any]:
        """Names of the classifiers worth keeping, in order of growing abstention."""
        names = self.corners["classifier"]
        return list(dict.fromkeys(names[names.notna()].tolist()))

    @property
    def capacity(self) -> float:
        """Area above the hull: the capacity of the best mixture at every abstention."""
        level, error = (self.corners[name].to_numpy() for name in ("abstention", "error"))
        return float(1 - np.sum(np.diff(level) * (error[1:] + error[:-1])) / 2)

    def mixture(self, abstention: float) -> pd.DataFrame:
        """Which classifiers to mix for the least error at an abstention."""
        level = self.corners["abstention"].to_numpy()
        words = "a share of cases lies between 0 and 1"
        abstention = as_number(abstention, "abstention", 0, 1, words=words)
        right = int(np.searchsorted(level, abstention))
        if level[right] == abstention:
            return self.corners.iloc[[right]].assign(weight=1.0)
        share = (abstention - level[right - 1]) / (level[right] - level[right - 1])
        return self.corners.iloc[[right - 1, right]].assign(weight=[1 - share, share])

    def _facts(self) -> dict[str, Any]:
        return {"classifiers": self.classifiers, "capacity": self.capacity}

    def frame(self) -> pd.DataFrame:
        """Corners of the hull; see :attr:`corners`."""
        return self.corners.copy()


def _points(name: Any, curve: CapacityCurve | ResponseCurve) -> list[tuple[Any, ...]]:
    """Where a classifier stands: abstention, error, its name, how it is used, and the window."""
    if isinstance(curve, ResponseCurve):
        columns = curve.abstention, curve.measure("error"), curve.window
        states = zip(*(column.tolist() for column in columns), strict=True)
        return [(abstention, error, name, "window", window) for abstention, error, window in states]
    if not isinstance(curve, CapacityCurve):
        raise TypeError(
            f"curves[{shown(name)}] is a {type(curve).__name__}; give capacity or response curves."
        )
    own = curve.abstention, curve.own_error, name, "as is", np.nan
    return [own, (0.0, curve.guessed_error, name, "guess", np.nan)]


def _lower_hull(x: list[float], y: list[float]) -> list[int]:
    """Positions of the corners of the lower convex hull of points sorted by x, then y."""
    hull: list[int] = []
    for i in range(len(x)):
        if hull and x[i] == x[hull[-1]]:
            continue
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            line = y[a] + (y[i] - y[a]) * (x[b] - x[a]) / (x[i] - x[a])
            if y[b] < line - _GAIN:
                break
            hull.pop()
        hull.append(i)
    return hull
