"""A cascade of classifiers: each answers what it is sure of and hands the rest on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Options
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from cautious._checks import check_mask
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.decision import Rule, threshold_rule
from cautious.errors import shown
from cautious.models.base import (
    FOLDS,
    NOT_NEGATIVE,
    PROBABILITY,
    Examples,
    ListOf,
    Number,
    OneOf,
    parameter,
)
from cautious.models.wrapper import NamedEstimators, folds_of, over_classes, probabilities_of

WhenSure: TypeAlias = float | Rule | Callable[[Floats], npt.ArrayLike]
"""A threshold on the largest probability, a rule, or a function from probabilities to sets."""


# An infinite threshold hands everything on.
_WHEN_SURE = [PROBABILITY, Options(Real, {np.inf}), Rule, callable]


@dataclass(eq=False, repr=False)
class DelegatingClassifier(NamedEstimators):
    """Cascade in which each classifier delegates to the next what it is not sure of.

    The first classifier answers where it is sure; the others are asked about the rest only. By
    default they also learn from the rest only, if there is enough of it, and so specialise on the
    hard cases. Which examples are hard is found out of fold: on the examples that it has learned
    from, a classifier is surer than it will ever be on new cases.

    Parameters
    ----------
    estimators : list of (name, classifier)
        The cascade, at least one. A cautious classifier (one with ``predict_set``) is sure where
        its set holds a single class. Of the others, `rules` says when they are sure.
    rules : float, Rule, callable, sequence of these, or "tuned", default=0.75
        One rule for all, or one for each estimator: a threshold that the largest probability must
        reach, a :class:`cautious.decision.Rule`, or a function from probabilities (n, K) to sets
        (n, K), such as a rule of :mod:`cautious.decision` with its parameters bound. "tuned" finds
        the thresholds of the whole cascade together, on out-of-fold probabilities, with
        ``train_on="all"``: the mean of mistakes and `prices` is least.
    prices : sequence of float, optional
        For tuning: what asking each estimator costs per case, where a mistake costs 1. Nothing if
        left out.
    train_on : {"delegated", "all"}, default="delegated"
        Whether an estimator learns from the training examples that came down to it, or from all.
    cv : int, splitter or None, default=5
        How it is found which examples come down: by classifiers fitted on the other folds, as many
        as said here. None asks the classifier about the examples that it has learned from itself,
        which hands down too few.
    min_delegated : int, optional
        If fewer examples come down, or examples of a single class, the estimator learns from what
        the one before it learned from, and a warning says so. None is twenty per class.
    last : {"answer", "abstain"}, default="answer"
        What the last estimator does where it is not sure: name its most probable class, or abstain.
        A cautious one always answers with its own set.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimators_ : list of classifiers
        The fitted estimators.
    trained_on_ : list of int
        How many examples each of them learned from.
    thresholds_ : list of float
        Tuned: the threshold of each estimator but the last, infinite for one that hands on
        everything.
    tuned_cost_ : float
        Tuned: mistakes and prices per case on the out-of-fold probabilities that the thresholds
        were found on; optimistic for new cases.

    Notes
    -----
    Tuned thresholds of two estimators are the best there are. Of more, each one is the best given
    the others: they are improved in turn, from the last to the first, until none improves. An
    estimator whose threshold is best at infinity is not worth asking.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 8; Ferri, Flach & Hernández-Orallo (2004),
    *Delegating classifiers*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from cautious.models import DelegatingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> cascade = DelegatingClassifier([("stump", stump), ("bayes", GaussianNB())], rules=0.9)
    >>> cascade.fit(X, y).trained_on_
    [150, 100]
    >>> cascade.decided_by(X[[0, 60, 120]])
    array([0, 1, 1])
    """

    _: KW_ONLY
    rules: WhenSure | Sequence[WhenSure] | Literal["tuned"] = parameter(
        0.75, *_WHEN_SURE, ListOf(*_WHEN_SURE), OneOf("tuned")
    )
    prices: Sequence[float] | None = parameter(None, ListOf(NOT_NEGATIVE))
    train_on: Literal["delegated", "all"] = parameter("delegated", OneOf("delegated", "all"))
    cv: Any = parameter(5, FOLDS)
    min_delegated: int | None = parameter(None, Number(Integral, 0, None, closed="left"))
    last: Literal["answer", "abstain"] = parameter("answer", OneOf("answer", "abstain"))

    def _learn(self, each: list[Examples]) -> None:
        """Fit the estimators one after the other."""
        examples = each[0]
        rows = np.flatnonzero(examples.weights)  # those of weight zero take no part
        self.classes_: Labels = np.unique(examples.labels[rows])
        self.trained_on_: list[int] = []
        for at, (_, estimator) in enumerate(self.estimators):
            own = each[at].take(rows)
            self.estimators_.append(own.fitted(estimator))
            self.trained_on_.append(len(rows))
            if self.train_on == "delegated" and at + 1 < len(self.estimators):
                left = rows[self._unsure(at, own)]
                if self._enough(at + 1, examples.labels[left], len(rows)):
                    rows = left
        if isinstance(self.rules, str):
            self._tune(each, rows)

    def _tune(self, each: list[Examples], rows: Ints) -> None:
        """Find the thresholds of the cascade on out-of-fold probabilities."""
        confidence, wrong = np.empty((2, len(rows), len(each)))
        folds = [] if self.cv is None else list(self._folds_of(each[0], rows))
        for at, examples in enumerate(each):
            p = self._out_of_fold(at, examples.take(rows), folds)
            confidence[:, at] = p.max(axis=1)
            wrong[:, at] = self.classes_[p.argmax(axis=1)] != examples.labels[rows]
        prices = np.zeros(len(self.estimators)) if self.prices is None else np.array(self.prices)
        self.thresholds_: list[float]
        self.tuned_cost_: float
        self.thresholds_, self.tuned_cost_ = best_thresholds(
            confidence, wrong, prices, each[0].weights[rows]
        )

    def _folds_of(self, examples: Examples, rows: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Split the rows that count; a splitter of one's own knows all rows."""
        if isinstance(self.cv, Integral):
            yield from folds_of(self.cv, examples.take(rows))
            return
        place = np.full(len(examples), -1, dtype=np.intp)
        place[rows] = np.arange(len(rows))
        for train, test in folds_of(self.cv, examples):
            kept, held = place[train], place[test]
            yield kept[kept >= 0], held[held >= 0]

    def _out_of_fold(self, at: int, examples: Examples, folds: list[tuple[Ints, Ints]]) -> Floats:
        """Probabilities over all classes, of examples that the estimator has not learned from."""
        p = np.zeros((len(examples), len(self.classes_)))
        # A lone example of its class is never held out.
        itself = self.estimators_[at], np.arange(len(examples))
        for asked, rows in chain([itself], self._fitted_apart(at, examples, folds)):
            p[rows] = probabilities_of(asked, _safe_indexing(examples.X, rows), self.classes_)
        return p

    def _fitted_apart(
        self, at: int, examples: Examples, folds: Iterable[tuple[Ints, Ints]]
    ) -> Iterator[tuple[Any, Ints]]:
        """Fit an estimator apart from the rows of each fold, unless it is fitted already."""
        if not isinstance(estimator := self.estimators[at][1], FrozenEstimator):
            for train, test in folds:
                yield examples.take(train).fitted(estimator), test

    def _unsure(self, at: int, examples: Examples) -> Mask:
        """Tell of which examples an estimator is not sure, asked out of fold."""
        unsure = np.ones(len(examples), dtype=np.bool_)
        asked: Iterable[tuple[Any, Ints]] = [(self.estimators_[at], np.arange(len(examples)))]
        if self.cv is not None and not isinstance(self.estimators[at][1], FrozenEstimator):
            asked = self._fitted_apart(at, examples, folds_of(self.cv, examples))
        for fitted, rows in asked:
            sets, _ = self._answers(at, fitted, _safe_indexing(examples.X, rows))
            unsure[rows] = sets.sum(axis=1) != 1
        return unsure

    def _enough(self, at: int, delegated: Labels, out_of: int) -> bool:
        """Tell whether an estimator can learn from what came down; warn if it cannot."""
        least = 20 * len(self.classes_) if self.min_delegated is None else self.min_delegated
        if len(delegated) == out_of:
            return True
        if len(delegated) >= least and len(np.unique(delegated)) > 1:
            return True
        warnings.warn(
            f"only {len(delegated)} of {out_of} examples came down to {self.estimators[at][0]!r}, "
            f"too few to learn from (min_delegated is {least}); it learns from all {out_of}. Say "
            "train_on='all' if that is what you want, or let more examples come down by a higher "
            "threshold in rules.",
            stacklevel=4,
        )
        return False

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities by those of the estimator that answered."""
        return self._cascade(X)[1]

    def predict_set(self, X: Any) -> Mask:
        """Answer with the class of the first estimator that is sure, or as the last one does."""
        return self._cascade(X)[0]

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each set."""
        sets, p, _ = self._cascade(X)
        return np.asarray(self.classes_[np.where(sets, p, -1.0).argmax(axis=1)])

    def decided_by(self, X: Any) -> Ints:
        """Tell which estimator answered each row.

        Returns
        -------
        ndarray of shape (n,)
            Its position in ``estimators_``, or -1 where even the last one was not sure.
        """
        return self._cascade(X)[2]

    def _cascade(self, X: Any) -> tuple[Mask, Floats, Ints]:
        """Ask down the cascade for sets and probabilities, and note who decided."""
        check_is_fitted(self)
        (X,) = indexable(X)
        n, K = _num_samples(X), len(self.classes_)
        sets, p = np.ones((n, K), dtype=np.bool_), np.zeros((n, K))
        decider = np.full(n, -1, dtype=np.intp)
        rows = np.arange(n)
        for at in range(len(self.estimators_)):
            own = X if len(rows) == n else _safe_indexing(X, rows)
            sets[rows], p[rows] = self._answers(at, self.estimators_[at], own)
            sure = sets[rows].sum(axis=1) == 1
            decider[rows[sure]] = at
            rows = rows[~sure]
            if not len(rows):
                break
        return sets, p, decider

    def _answers(self, at: int, fitted: Any, X: Any) -> tuple[Mask, Floats]:
        """Ask one estimator for sets and probabilities over all classes."""
        own = np.asarray(fitted.predict_proba(X), dtype=np.float64)
        K = len(fitted.classes_)
        rule = self._rules()[at]
        is_last = at == len(self.estimators) - 1
        if hasattr(fitted, "predict_set"):
            asked = fitted.predict_set(X)
            answer = check_mask(asked, n_classes=K, name="predict_set(X)", empty="wrong")
        elif is_last and self.last == "answer":
            answer = threshold_rule(own, 0.0)
        elif isinstance(rule, Rule):
            answer = rule.predict_set(own, classes=np.asarray(fitted.classes_).tolist())
        elif callable(rule):
            answer = check_mask(rule(own), n_classes=K, name="the rule's answer")
        else:
            answer = threshold_rule(own, rule)
        # To abstain is to name all classes, known to this estimator or not. An empty set, as of
        # conformal prediction, is no answer either.
        size = answer.sum(axis=1, keepdims=True)
        sets = over_classes(answer, fitted.classes_, self.classes_)
        sets |= (size == 0) | ((size == K) & (K > 1))
        return sets, over_classes(own, fitted.classes_, self.classes_)

    def _rules(self) -> list[WhenSure]:
        if isinstance(self.rules, str):
            # The last one answers, or by last="abstain" nobody asks how sure it is.
            return [*getattr(self, "thresholds_", [np.inf] * (len(self.estimators) - 1)), 0.0]
        if isinstance(self.rules, Sequence | np.ndarray):
            return list(self.rules)  # type: ignore[arg-type]  # text was dealt with above
        return [self.rules] * len(self.estimators)

    def _check_parameters(self) -> None:
        if len(self._rules()) != len(self.estimators):
            raise ValueError(
                f"rules has {len(self._rules())} rules for {len(self.estimators)} estimators; give "
                "one for all, or one for each."
            )
        if not isinstance(self.rules, str):
            if self.prices is not None:
                raise ValueError(
                    f"prices is {shown(self.prices)}, but rules is not 'tuned'; prices serve for "
                    "tuning only."
                )
            return
        if self.train_on != "all" or self.last != "answer":
            raise ValueError(
                "rules='tuned' needs train_on='all' and last='answer': what an estimator learns "
                "from must not depend on the thresholds, and every case gets an answer."
            )
        cautious = [name for name, member in self.estimators if hasattr(member, "predict_set")]
        if cautious:
            raise ValueError(
                f"rules='tuned', but {shown(cautious[0])} is cautious and decides itself when it "
                "is sure; give plain classifiers."
            )
        if self.prices is not None and len(self.prices) != len(self.estimators):
            raise ValueError(
                f"prices is {shown(self.prices)}; give a number that is not negative for each of "
                f"{len(self.estimators)} estimators."
            )


def best_thresholds(
    confidence: Floats, wrong: Floats, prices: Floats, weight: Floats
) -> tuple[list[float], float]:
    """Find from which confidence on each stage of a cascade but the last should answer."""
    stages = confidence.shape[1]
    thresholds = np.zeros(stages - 1)
    cost = np.inf
    first_pass = True
    while True:
        # From the last stage up: what handing on costs is settled before it is weighed.
        onward = wrong[:, -1] + prices[-1]
        for at in range(stages - 2, -1, -1):
            # At first, as if every case came down to every stage.
            above = 0 if first_pass else at
            reached = np.asarray((confidence[:, :above] < thresholds[:above]).all(axis=1))
            thresholds[at] = _best_threshold(
                confidence[reached, at], ((wrong[:, at] - onward) * weight)[reached]
            )
            answers = confidence[:, at] >= thresholds[at]
            onward = np.where(answers, wrong[:, at], onward) + prices[at]
        now = float(onward @ weight / weight.sum())
        if now >= cost - 1e-12 and not first_pass:
            return thresholds.tolist(), now
        cost, first_pass = now, False


def _best_threshold(confidence: Floats, change: Floats) -> float:
    """Find the threshold from which on answers change the cost most for the better."""
    order = np.argsort(-confidence, kind="stable")
    falling = confidence[order]
    ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)) if len(order) else order
    gain = np.append(0.0, np.cumsum(change[order])[ends])
    # Of thresholds that cost the same the lowest hands on least.
    best = len(gain) - 1 - int(np.argmin(gain[::-1]))
    return float(falling[ends[best - 1]]) if best else np.inf
