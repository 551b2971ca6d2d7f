"""The naive credal classifier: naive Bayes with a set of priors instead of one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit

from cautious._typing import Floats, Ints, Mask
from cautious.credal import ProbabilityIntervals
from cautious.decision import maximality
from cautious.models._base import (
    POSITIVE,
    PROBABILITY,
    CredalClassifierMixin,
    OneOf,
    class_costs,
    parameter,
    row_chunks,
)
from cautious.models.naive_credal.counts import (
    CategoryCounts,
    CountingClassifier,
    ValueTables,
    probabilities,
)
from cautious.models.naive_credal.dominance import (
    bounds_from_infima,
    dominated_by_infima,
    log_infimum,
    pairwise_infima,
    reachable,
    undominated,
)
from cautious.models.naive_credal.envelope import Weights, of_others, posterior_bounds


@dataclass(eq=False, repr=False)
class NaiveCredalClassifier(CredalClassifierMixin, CountingClassifier):
    r"""Naive credal classifier over discrete features.

    Naive Bayes whose prior ranges over an imprecise Dirichlet model (IDM) of strength s. It answers
    with the classes that remain possible under every such prior: many where the data are few, one
    where they are plenty.

    With the *global* IDM class c' dominates c'' if its probability is larger under all priors, i.e.

    .. math::

        \inf_{0 \le x \le s} \left[\frac{n(c'') + x}{n(c') + s - x}\right]^{-1} \prod_i
        \frac{\tilde n_i(c'') + x}{\tilde n_i(c') + s - x} \cdot
        \frac{n(a_i, c')}{n(a_i, c'') + x} > 1,

    where :math:`\tilde n_i(c)` counts the class over rows in which feature i is observed. The
    logarithm is convex; the infimum is solved exactly, where cheap bounds do not decide it. A zero
    count of c' makes it 0. With *local* IDMs the posterior of each class is bounded (Yang,
    Destercke & Masson 2017, eqs 19–24) and the answer holds the classes that are maximal under the
    costs.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the prior, the number of hidden observations: the larger, the more cautious.
    idm : {"global", "local"}, default="global"
        One prior for the whole model, or one for each class and feature.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). An array is in ``classes_`` order; a
        frame is read by its labels, and may hold more of them. None means 0/1 costs. With the
        global IDM and costs, classes are compared over the bounds of :meth:`predict_proba_bounds`:
        the sets may be larger than those of the priors themselves, never smaller.
    epsilon : float, default=0.0
        Share of the prior that is fixed to the uniform one, between 0 and 1: no weight of a prior
        is then less than this share of the uniform weight. A little of it keeps zero counts from
        making the classifier vacuous (restricted IDM; Corani & Benavoli 2010). 0 is the IDM
        itself, 1 is naive Bayes.
    missing : {"skip", "conservative"}, default="skip"
        A missing cell is skipped, in training and test rows, or may hide any known value of its
        feature (the naive credal classifier 2 of Corani & Zaffalon 2008, all features non-MAR).

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    counts_ : CategoryCounts
        What was counted. Parameters take effect at prediction, so they may be changed after
        :meth:`fit` without fitting again.
    n_features_in_, feature_names_in_
        Number of features, and their names if X was a frame.

    See Also
    --------
    CautiousSearchCV : Chooses s by cross-validation.
    LazyNaiveCredalClassifier : Learns from the neighbours of each row only.

    Notes
    -----
    A value never seen in training counts 0 with every class. With ``epsilon=0`` no class can then
    dominate another and the answer is all classes; replace the value by nan to have it skipped.
    Values declared by a pandas categorical but never seen are treated alike.

    ``predict_proba`` is naive Bayes under the uniform prior of the model, which lies in the credal
    set: the most probable class is never dominated.

    References
    ----------
    Zaffalon (2001), *Statistical inference of the naive credal classifier*; Corani & Zaffalon
    (2008), *Learning reliable classifiers from small or incomplete data sets: the naive credal
    classifier 2*; Zaffalon, Corani & Mauá (2012), section 9; Corani & Benavoli (2010),
    *Restricting the IDM for classification*; Yang, Destercke & Masson (2017), section VII-B.

    Examples
    --------
    >>> from cautious.models import NaiveCredalClassifier
    >>> X = [["red", "round"], ["red", "round"], ["red", "long"], ["green", "long"],
    ...      ["green", "long"], ["green", "round"]]
    >>> y = ["apple", "apple", "apple", "bean", "bean", "bean"]
    >>> model = NaiveCredalClassifier(s=2).fit(X, y)
    >>> model.classes_
    array(['apple', 'bean'], dtype='<U5')
    >>> model.predict_set([["green", "long"], ["green", "round"]])
    array([[False,  True],
           [ True,  True]])
    >>> model.predict([["green", "round"]])
    array(['bean'], dtype='<U5')
    """

    s: float = parameter(1.0, POSITIVE)
    idm: Literal["global", "local"] = parameter("global", OneOf("global", "local"))
    costs: npt.ArrayLike | pd.DataFrame | None = None
    _: KW_ONLY
    epsilon: float = parameter(0.0, PROBABILITY)
    missing: Literal["skip", "conservative"] = parameter("skip", OneOf("skip", "conservative"))

    def predict_proba(self, X: Any) -> Floats:
        r"""Estimate class probabilities by naive Bayes under the uniform prior of strength s."""
        codes = self._encode(X)
        K = len(self.classes_)
        # The global prior is divided among the classes; a local one is all there for each class.
        strength = self.s / K if self.idm == "global" else self.s
        tables = ValueTables(self.counts_.n_values)
        share = strength / np.maximum(self.counts_.n_values, 1)[tables.feature, None]
        counts = tables.stack(self.counts_.tables, K) + share
        table = np.log(counts / (self.counts_.totals + strength)[tables.feature])
        table[tables.missing] = 0.0
        log_joint = tables.sums(table, tables.lines(codes))
        return probabilities(log_joint + np.log(self.counts_.class_counts + self.s / K))

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities over the credal set.

        They are exact, the smallest and the largest probability that some prior of the model gives.
        With local IDMs they are those of Yang, Destercke & Masson (2017), eqs 23 and 24. With the
        global IDM the upper one is a convex programme of one unknown. The lower one is met where
        the class shares the prior with a single rival or, where training cells are missing and are
        skipped, with several; then it is found by branch and bound, to a millionth of its log odds.

        With more than two classes they may be too wide, never too narrow, where cells of the row
        are missing and may hide anything: with local IDMs, and with the global IDM where there are
        more than 256 ways to fill them. The same holds where ten or more classes share a prior
        about as strong as they have examples, and the search is given up.
        """
        codes = self._encode(X)
        return reachable(*self._model().predict_proba_bounds(codes))

    def predict_set(self, X: Any) -> Mask:
        """Answer with the classes that no class dominates."""
        codes = self._encode(X)
        model = self._model()
        if isinstance(model, GlobalIDM) and self.costs is None:
            return model.predict_set(codes)
        intervals = ProbabilityIntervals(*model.predict_proba_bounds(codes))
        costs = None if self.costs is None else class_costs(self.costs, self.classes_)
        return maximality(intervals, costs)

    def _learn(self, counts: CategoryCounts) -> Any:
        if self.costs is not None:
            class_costs(self.costs, counts.classes)
        return super()._learn(counts)

    def _model(self) -> GlobalIDM | LocalIDM:
        kind = GlobalIDM if self.idm == "global" else LocalIDM
        return kind(self.counts_, self.s, self.epsilon, self.missing == "conservative")


# Pairs are solved this many (pair, feature) cells at a time.
_CELLS_AT_ONCE = 400_000
# Where all pairs of classes are compared, a block of rows holds about this many (row, pair) cells.
_PAIRS_AT_ONCE = 2_000_000
# The most ways to fill the missing cells of a row that are all tried.
_MOST_WAYS = 256


class _IDM:
    """Counts, with what is fixed of the priors and what missing cells may hide."""

    _for_all: ClassVar[bool]  # whether one prior is shared by the classes

    def __init__(
        self, counts: CategoryCounts, s: float, epsilon: float = 0.0, conservative: bool = False
    ) -> None:
        K = len(counts.classes)
        totals = counts.totals
        hidden = counts.class_counts - totals if conservative else np.zeros_like(totals)
        fixed = epsilon * s / K
        own = fixed if self._for_all else epsilon * s  # of each feature, given a class
        self.s: float = (1 - epsilon) * s
        self.conservative = conservative
        # Features of which a missing cell may hide any value.
        self.open: Mask = (counts.n_values > 0) & conservative
        self.class_counts: Floats = counts.class_counts + fixed
        self.totals: Floats = totals + hidden + own
        self.tables: ValueTables = ValueTables(counts.n_values)
        share = own / np.maximum(counts.n_values, 1)[self.tables.feature, None]
        self.lower: Floats = self.tables.stack(counts.tables, K) + share
        self.upper: Floats = self.lower + hidden[self.tables.feature]

    def log_table(self) -> Floats:
        """Table of log f(s) and, beside it, log g(s), without the class counts."""
        with np.errstate(divide="ignore"):
            totals = np.log(self.totals + self.s)[self.tables.feature]
            f_s, g_s = np.log(self.lower) - totals, np.log(self.upper + self.s) - totals
        f_s[self.tables.missing] = g_s[self.tables.missing] = 0.0
        if self.conservative:
            self.tables.let_missing_be(f_s, np.minimum)
            self.tables.let_missing_be(g_s, np.maximum)
        return np.hstack([f_s, g_s])


class GlobalIDM(_IDM):
    """Counts read through the global IDM."""

    _for_all = True

    def predict_set(self, codes: Ints) -> Mask:
        """Answer with the undominated classes of rows given as codes, shape (m, n)."""
        K = len(self.class_counts)
        lines = self.tables.lines(codes)
        sets = np.ones((lines.shape[1], K), dtype=bool)
        table = self.log_table()
        with np.errstate(divide="ignore", invalid="ignore"):
            log_class_s = np.log(self.class_counts + self.s)
            log_class_gain = np.log(self.class_counts) - log_class_s
            # Where a class was never seen with a feature f is zero, so its gain is of no account.
            gain = np.log(self.totals + self.s) - np.log(self.totals)
            gain[self.totals == 0] = 0.0
        for rows in row_chunks(len(sets)):
            here = lines[:, rows]
            missing = self.tables.missing[here]
            log_f_s, log_g_s = np.split(self.tables.sums(table, here), 2, axis=1)
            log_f_s, log_g_s = log_f_s + log_class_s, log_g_s + log_class_s
            log_f_0 = log_f_s + (log_class_gain + (~missing).T.astype(np.float64) @ gain)
            bare = missing.all(axis=0)  # without features f grows, and is least at 0
            log_f_s[bare] = log_f_0[bare]
            partly = np.flatnonzero(missing.any(axis=0) & self.conservative)
            log_f_s[partly] = -np.inf  # leaves these rows vacuous until all pairs are solved
            sets[rows] = undominated(log_f_s, log_f_0, log_g_s, partial(self._solve, here.T))
            for part in row_chunks(len(partly), max(1, _PAIRS_AT_ONCE // K**2)):
                at = partly[part]
                sets[rows.start + at] = ~dominated_by_infima(self._infima(here[:, at]))
        return sets

    def predict_proba_bounds(self, codes: Ints) -> tuple[Floats, Floats]:
        """Bound the class probabilities of rows given as codes, shape (m, n)."""
        K = len(self.class_counts)
        lines = self.tables.lines(codes)
        m, n = lines.shape
        lower, upper = np.empty((n, K)), np.empty((n, K))
        for rows in row_chunks(n, max(1, _CELLS_AT_ONCE // (K * max(1, m)))):
            lower[rows], upper[rows] = self._bounds(lines[:, rows].T)
        open_ = self.tables.missing[lines] & self.open[:, None]
        ways = np.where(open_, self.tables.n_values[:, None], 1.0).prod(axis=0)
        for row in np.flatnonzero((ways > 1) & (ways <= _MOST_WAYS)):
            low, high = self._bounds(self._filled(lines[:, row]))
            lower[row], upper[row] = low.min(axis=0), high.max(axis=0)
        many = np.flatnonzero(ways > _MOST_WAYS)
        for part in row_chunks(len(many), max(1, _PAIRS_AT_ONCE // K**2)):
            at = many[part]
            lower[at], upper[at] = bounds_from_infima(self._infima(lines[:, at]))
        return lower, upper

    def _filled(self, lines: Ints) -> Ints:
        """Fill the missing cells of one row in every way; what has no values stays missing."""
        choices = [
            self.tables.first[i] + np.arange(self.tables.n_values[i])
            if self.tables.missing[line] and self.tables.n_values[i]
            else np.array([line])
            for i, line in enumerate(lines)
        ]
        return np.array(np.meshgrid(*choices, indexing="ij")).reshape(len(lines), -1).T

    def _bounds(self, lines: Ints) -> tuple[Floats, Floats]:
        """Bound the class probabilities of rows given by the lines of their values, (n, m)."""
        n = len(lines)
        return posterior_bounds(
            np.broadcast_to(self.class_counts, (n, len(self.class_counts))),
            np.broadcast_to(self.totals, (n, *self.totals.shape)),
            self.lower[lines],
            self.upper[lines],
            ~self.tables.missing[lines],
            self.s,
        )

    def _infima(self, lines: Ints) -> Floats:
        """Solve all pairs of classes of rows whose missing cells may hide anything, (m, n)."""
        # A zero count, which only the first class of a pair suffers from, settles all its pairs.
        possible = np.asarray((self._least() > 0)[lines].all(axis=0))
        return pairwise_infima(possible, partial(self._solve, lines.T))

    def _solve(self, lines: Ints, rows: Ints, first: Ints, second: Ints) -> Floats:
        result = np.empty(len(rows))
        for part in row_chunks(len(rows), max(1, _CELLS_AT_ONCE // max(1, lines.shape[1]))):
            c1, c2, at = first[part], second[part], lines[rows[part]]
            if self.conservative and self.tables.missing[at].any():
                result[part] = self._solve_filled(at, c1, c2)
            else:
                result[part] = log_infimum(self._weights(at, c1), self._weights(at, c2), self.s)
        return result

    def _solve_filled(self, lines: Ints, first: Ints, second: Ints) -> Floats:
        """Let each missing cell take the value worst for the first class, wherever x lies."""
        hopeless = (self._least()[lines, first[:, None]] == 0).any(axis=1)
        result, left = np.where(hopeless, -np.inf, np.inf), np.flatnonzero(~hopeless)
        if not len(left):
            return result
        first, second = first[left], second[left]
        pair, filled, low, high = self._fill_worst(lines[left], first, second)
        own, rival = (self._weights(filled, each[pair]) for each in (first, second))
        pieces = log_infimum(own, rival, self.s, low, high)
        np.minimum.at(result, left[pair], pieces)
        return result

    def _fill_worst(
        self, lines: Ints, first: Ints, second: Ints
    ) -> tuple[Ints, Ints, Floats, Floats]:
        """Replace missing cells by the worst values, and cut [0, s] where these change."""

        @cache
        def ratio(feature: int, c1: int, c2: int) -> tuple[Ints, Floats, Floats, list[float]]:
            values = self.tables.first[feature] + np.arange(self.tables.n_values[feature])
            own, other = self.lower[values, c1], self.upper[values, c2]
            return values, 1 / own, other / own, envelope_corners(1 / own, other / own, self.s)

        pieces = []
        for p, (row, c1, c2) in enumerate(zip(lines, first.tolist(), second.tolist(), strict=True)):
            gaps = np.flatnonzero(self.tables.missing[row] & self.open).tolist()
            ratios = [ratio(i, c1, c2) for i in gaps]
            cuts = np.unique([0.0, self.s, *(x for *_, corners in ratios for x in corners)])
            for a, b in pairwise(cuts) if self.s > 0 else [(0.0, 0.0)]:
                filled = row.copy()
                for i, (values, slope, intercept, _) in zip(gaps, ratios, strict=True):
                    filled[i] = values[np.argmax(intercept + slope * (a + b) / 2)]
                pieces.append((p, filled, a, b))
        pair, rows, low, high = (np.array(each) for each in zip(*pieces, strict=True))
        return pair, rows, low, high

    def _least(self) -> Floats:
        """Least count that each line may stand for: a missing cell may hide the rarest value."""
        known = np.where(self.tables.missing[:, None], np.inf, self.lower)
        return self.tables.let_missing_be(known, np.minimum)

    def _weights(self, lines: Ints, classes: Ints) -> Weights:
        """Weigh one class for each row, given by the lines of its values."""
        least, most = (table[lines, classes[:, None]] for table in (self.lower, self.upper))
        size, totals = self.class_counts[classes], self.totals.T[classes]
        return Weights.of(size, totals, least, most, ~self.tables.missing[lines])


def envelope_corners(slope: Floats, intercept: Floats, high: float) -> list[float]:
    """Find where the highest of several lines changes, strictly between 0 and ``high``."""
    corners: list[float] = []
    x = 0.0
    # On a tie the steepest of the highest lines is the one that stays highest.
    at = max(range(len(slope)), key=lambda a: (intercept[a], slope[a]))
    while True:
        rise, drop = slope - slope[at], intercept[at] - intercept
        steeper = np.flatnonzero(rise > 0)
        if not len(steeper):
            return corners
        meet = drop[steeper] / rise[steeper]
        x = max(x, float(meet.min()))
        if x >= high:
            return corners
        nearest = steeper[meet <= x]
        at = int(nearest[np.argmax(slope[nearest])])
        if x > 0:
            corners.append(x)


class LocalIDM(_IDM):
    """Counts read through local IDMs."""

    _for_all = False

    def predict_proba_bounds(self, codes: Ints) -> tuple[Floats, Floats]:
        """Bound the posterior of each class for rows given as codes, shape (m, n)."""
        lines = self.tables.lines(codes)
        n, K = lines.shape[1], len(self.class_counts)
        lower, upper = np.ones((n, K)), np.ones((n, K))
        if K == 1:
            return lower, upper
        # All in logarithms: with many features the likelihoods of any two classes, and the lower
        # and upper one of a single class, differ by more than a float can hold.
        table, log_all = self.log_table(), np.log(self.class_counts + self.s)
        with np.errstate(divide="ignore"):
            log_n, log_s = np.log(self.class_counts), np.log(self.s)
        for rows in row_chunks(n, max(1, _PAIRS_AT_ONCE // K**2)):
            log_low, log_high = np.split(self.tables.sums(table, lines[:, rows]), 2, axis=1)
            own, most = log_n + log_low, log_all + log_high
            others_most = of_others(np.logaddexp, log_n + log_high)
            rest = np.logaddexp(others_most, log_s + of_others(np.maximum, log_high))
            lower[rows] = expit(own - rest)
            upper[rows] = expit(most - of_others(np.logaddexp, own))
        return lower, upper
