"""Several classifiers that answer together, or one after the other: each what it is sure of."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Options
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from cautious._checks import as_codes, check_mask
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.curves import RiskCoverageCurve
from cautious.decision import Rule, threshold_rule
from cautious.errors import shown
from cautious.metrics._risk_coverage import WorkingPoint
from cautious.models._base import (
    FOLDS,
    NOT_NEGATIVE,
    PROBABILITY,
    CautiousClassifierMixin,
    Examples,
    ListOf,
    Number,
    OneOf,
    check_examples,
    check_probabilistic,
    fit_metadata,
    keep_common_input_tags,
    one_given,
    parameter,
    take_over_features,
)
from cautious.models.wrapper import folds_of, over_classes, probabilities_of

_MEMBERS = "give a list of (name, classifier), such as [('bayes', GaussianNB())]"


@dataclass(eq=False, repr=False)
class NamedEstimators(CautiousClassifierMixin, _BaseComposition):  # type: ignore[misc]
    """Base of classifiers made of several, which are known by their names."""

    estimators: Sequence[tuple[str, Any]]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, with those of the estimators by name."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Any:
        """Set parameters, also ``<name>`` and ``<name>__<parameter>`` of the estimators."""
        self._set_params("estimators", **params)
        return self

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Fit the estimators, and learn how they answer together."""
        self._validate_params()
        examples = check_examples(X, y, sample_weight)
        each = [
            fit_metadata(self, member, examples, {}, name=name) for name, member in self.estimators
        ]
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # what an earlier fit has learned
        self.estimators_: list[Any] = []
        self._learn(each)
        take_over_features(self, self.estimators_[0])
        return self

    @abstractmethod
    def _learn(self, each: list[Examples]) -> None:
        """Fit each estimator on its examples, and what there is to learn beside them."""

    def _validate_params(self) -> None:
        self._check_members()
        super()._validate_params()

    def _check_members(self) -> None:
        """Refuse estimators that are no list of names and classifiers."""
        if not isinstance(self.estimators, list | tuple):
            raise TypeError(
                f"estimators is {shown(self.estimators)}, a {type(self.estimators).__name__}; "
                f"{_MEMBERS}."
            )
        if not self.estimators:
            raise ValueError(f"estimators is empty; {_MEMBERS}, at least one of them.")
        for pair in self.estimators:
            if not (isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)):
                raise TypeError(f"estimators holds {shown(pair)}; {_MEMBERS}.")
            name, member = pair
            if isinstance(member, type) or not hasattr(member, "fit"):
                raise TypeError(
                    f"estimators holds {shown(member)} under the name {name!r}; {_MEMBERS}. "
                    "Leave out of the list what is to be dropped."
                )
            check_probabilistic(member, f"{name!r} of estimators")
        try:
            self._validate_names([name for name, _ in self.estimators])
        except ValueError as error:
            raise ValueError(
                f"estimators has names that do not serve ({error}); {_MEMBERS}, each with a name "
                f"of its own that holds no '__' and is no parameter of {type(self).__name__}."
            ) from None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            self._check_members()
        except (TypeError, ValueError):  # to be said by fit; an object can be shown without it
            return tags
        return keep_common_input_tags(tags, (estimator for _, estimator in self.estimators))

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights given to ``fit`` go on to the estimators."""
        self._check_members()
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(method_mapping=mapping, **dict(self.estimators))


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
            own, p = examples.take(rows), np.zeros((len(rows), len(self.classes_)))
            # A lone example of its class is never held out: there the estimator itself is asked.
            itself = self.estimators_[at], np.arange(len(rows))
            for asked, part in chain([itself], self._fitted_apart(at, own, folds)):
                p[part] = probabilities_of(asked, _safe_indexing(own.X, part), self.classes_)
            confidence[:, at] = p.max(axis=1)
            wrong[:, at] = self.classes_[p.argmax(axis=1)] != own.labels
        prices = np.zeros(len(self.estimators)) if self.prices is None else np.array(self.prices)
        found = best_thresholds(confidence, wrong, prices, each[0].weights[rows])
        self.thresholds_, self.tuned_cost_ = found

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


_GOALS = ("threshold", "max_abstention", "max_error")
# A sum of votes or probabilities may miss a threshold, or another one, by this.
_DIGITS, _ROUNDING = 12, 1e-12


@dataclass(eq=False, repr=False)
class CautiousEnsembleClassifier(NamedEstimators):
    r"""Several classifiers that answer together where they agree, and abstain where they do not.

    Ferri and Hernández-Orallo (2004, section 8) ask how n classifiers become one cautious one, and
    name two ways:

    - "spread", of n classifiers with probabilities: the class c of the largest mean probability is
      answered where :math:`\bar p_c - \lambda s_c` reaches the threshold, with :math:`s_c` the
      standard deviation of its probability over the members and λ the `caution`.
    - "votes", of n cautious classifiers: the class with most votes is answered where the share of
      *all* members that vote for it reaches the threshold. A member that abstains votes for
      nobody, so abstentions count against every answer; one that answers with k classes gives each
      of them 1/k of its vote. A tie is no answer.

    Parameters
    ----------
    estimators : list of (name, classifier)
        The members, at least one, with ``predict_proba``. A member without ``predict_set`` votes
        for its most probable class. Members that are already fitted go into scikit-learn's
        ``FrozenEstimator``.
    rule : {"spread", "votes"}, default="spread"
        What the members are asked for.
    caution : float, default=1.0
        For "spread": how many standard deviations are taken off the mean probability.
    threshold : float, optional
        What the confidence must reach; 0.5 if no goal is given either. For "votes" this is a
        majority of all members.
    max_abstention : float, optional
        In place of `threshold`: answer as surely as this share of abstentions allows. If more
        cases are ties, all others are answered, with a warning.
    max_error : float, optional
        In place of `threshold`: answer as much as this share of mistakes among the answers allows.
    cv : int, splitter or iterable, default=5
        Folds of the out-of-fold answers on which the threshold of a goal is found.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimators_ : list of classifiers
        The fitted members.
    threshold_ : float
        The threshold; infinite if no threshold keeps `max_error`, or all cases are ties.
    tuning_ : WorkingPoint
        With a goal: threshold, coverage and risk (mistakes among the answers) on the out-of-fold
        answers. For new cases the risk is too good, since the threshold was chosen on them.

    See Also
    --------
    CautiousForestClassifier : Rules for the trees of a forest, from the counts in their leaves.
    DelegatingClassifier : One classifier after the other, in place of all at once.

    Notes
    -----
    The mean probability falls by itself where members disagree. On data where they differ in kind,
    taking the spread off as well ordered the cases no better (see the gallery); with `caution` 0
    the mean alone decides. Let ``GridSearchCV`` choose.

    A goal of mistakes is kept on the out-of-fold answers, not on new cases. For a promise, put the
    fitted ensemble before new cases: ``CertifiedAbstainingClassifier(FrozenEstimator(ensemble))``
    certifies a threshold on its mean probabilities.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from cautious.models import CautiousEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [
    ...     ("bayes", GaussianNB()),
    ...     ("line", LogisticRegression(max_iter=500)),
    ...     ("tree", DecisionTreeClassifier(max_depth=2)),
    ... ]
    >>> model = CautiousEnsembleClassifier(members, threshold=0.7).fit(X, y)
    >>> model.predict_proba(X[[0, 70]]).round(2), model.confidence(X[[0, 70]]).round(2)
    (array([[0.99, 0.01, 0.  ],
           [0.  , 0.21, 0.79]]), array([0.99, 0.62]))
    >>> model.predict_set(X[[0, 70]])
    array([[ True, False, False],
           [ True,  True,  True]])
    """

    _: KW_ONLY
    rule: Literal["spread", "votes"] = parameter("spread", OneOf("spread", "votes"))
    caution: float = parameter(1.0, NOT_NEGATIVE)
    threshold: float | None = parameter(None, PROBABILITY)
    max_abstention: float | None = parameter(None, PROBABILITY)
    max_error: float | None = parameter(None, PROBABILITY)
    cv: Any = parameter(5, FOLDS)

    def _learn(self, each: list[Examples]) -> None:
        """Fit the members and, for a goal, find the threshold."""
        # Splits given by position count every row; otherwise rows of weight zero take no part.
        if isinstance(self.cv, Integral):
            each = [own.that_count() for own in each]
        self.estimators_ = self._fitted(each)
        self.classes_: Labels = np.unique(
            np.concatenate([member.classes_ for member in self.estimators_])
        )
        goal = one_given(self, _GOALS)
        if goal in (None, "threshold") or len(self.classes_) < 2:
            self.threshold_ = 0.5 if self.threshold is None else float(self.threshold)
        else:
            self._tune(goal, each)

    def _fitted(self, each: list[Examples]) -> list[Any]:
        pairs = zip(each, self.estimators, strict=True)
        return [own.fitted(member) for own, (_, member) in pairs]

    def _tune(self, goal: str, each: list[Examples]) -> None:
        """Find the threshold on answers of members that had not seen the cases."""
        examples = each[0]
        truth = as_codes(examples.labels, self.classes_, name="y")
        tested, confidence, wrong = [], [], []
        folds = folds_of(self.cv, examples)
        if all(isinstance(member, FrozenEstimator) for _, member in self.estimators):
            everything = np.arange(len(truth))  # new to every member, so held out already
            folds = iter([(everything, everything)])
        for train, test in folds:
            members = self._fitted([own.take(train) for own in each])
            best, sure, _ = self._judge(_safe_indexing(examples.X, test), members)
            tested.append(test)
            confidence.append(sure)
            wrong.append(best != truth[test])
        if not tested:
            raise ValueError(
                f"{goal} is given, but no class has two examples, so none can be held out; give "
                "more examples, or a threshold."
            )
        sure, weight = np.concatenate(confidence), examples.weights[np.concatenate(tested)]
        # Ties count as abstentions whatever the threshold is.
        free, limit = ~self._tied(sure), float(getattr(self, goal))
        share, point = float(weight[free].sum() / weight.sum()), WorkingPoint(np.inf, 0.0, np.nan)
        if share:
            curve = RiskCoverageCurve.from_losses(
                np.concatenate(wrong)[free], sure[free], sample_weight=weight[free]
            )
            if goal == "max_error":
                point = curve.threshold_at_risk(limit)
            else:
                point = curve.threshold_at_coverage(min((1 - limit) / share, 1.0))
        self.tuning_ = point._replace(coverage=point.coverage * share)
        self.threshold_, coverage, _ = self.tuning_
        if goal == "max_error":
            kept, more = self.threshold_ < np.inf, "mistakes"
        else:  # missed only where too many cases are ties
            kept, more = coverage >= 1 - limit - _ROUNDING, "abstentions"
        if not kept:
            often = "always" if coverage == 0 else f"on a share of {1 - coverage:.3g} at least"
            ties = ", since a tie is no answer" if more == "abstentions" else ""
            warnings.warn(
                f"no threshold keeps {goal}={limit:g} on the out-of-fold answers; the model "
                f"abstains {often}{ties}. Allow more {more}, or give better members.",
                stacklevel=4,
            )

    def _judge(self, X: Any, members: Any = None) -> tuple[Ints, Floats, Floats]:
        """Class that the members prefer, the confidence in it, and probabilities."""
        if members is None:
            check_is_fitted(self)
            members = self.estimators_
        if self.rule == "spread":
            each = np.stack([probabilities_of(member, X, self.classes_) for member in members])
            p = each.mean(axis=0)
            best, rows = p.argmax(axis=1), np.arange(len(p))
            spread = each[:, rows, best].std(axis=0)
            return best, p[rows, best] - float(self.caution) * spread, p
        each = np.stack([self._votes(one, X) for one in members])
        votes = each.mean(axis=0).round(_DIGITS)  # equal however they are added up
        most = votes.max(axis=1, keepdims=True)
        tied = (votes == most).sum(axis=1) > 1
        abstained = np.asarray(~each.any(axis=2)).mean(axis=0)
        p = votes + abstained[:, None] / len(self.classes_)
        # With as many votes for another class there is no preference to be sure of.
        return p.argmax(axis=1), np.where(tied & (p.shape[1] > 1), 0.0, most[:, 0]), p

    def _votes(self, member: Any, X: Any) -> Floats:
        """Divide a member's vote among the classes of its answer; nobody gets it if it abstains."""
        if not hasattr(member, "predict_set"):
            p = probabilities_of(member, X, self.classes_)
            return np.asarray(np.eye(p.shape[1])[p.argmax(axis=1)])
        K = len(member.classes_)
        sets = check_mask(member.predict_set(X), n_classes=K, name="predict_set(X)", empty="wrong")
        size = sets.sum(axis=1, keepdims=True)
        # An empty set, as of conformal prediction, is a vote for nobody, too.
        votes = np.where((size == K) & (K > 1), 0.0, sets / np.maximum(size, 1))
        return over_classes(votes, member.classes_, self.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities by the mean over the members, or by their votes."""
        return self._judge(X)[2]

    def confidence(self, X: Any) -> Floats:
        """Tell how sure the members are together of the class that they prefer.

        Returns
        -------
        ndarray of shape (n,)
            What is compared with ``threshold_``: the mean probability less its spread, which may be
            negative; or the share of votes. It is 0 if two classes have as many: this is never
            answered, even with a threshold of 0.
        """
        return self._judge(X)[1]

    def vote_shares(self, X: Any) -> pd.DataFrame:
        """Tell how the members vote, and how many of them abstain.

        Returns
        -------
        DataFrame
            One row per case: the share of votes for each class, and of members that abstain (the
            column None).
        """
        check_is_fitted(self)
        votes = np.stack([self._votes(member, X) for member in self.estimators_])
        abstained = ~votes.any(axis=2)
        shares = np.column_stack([votes.mean(axis=0), abstained.mean(axis=0)])
        return pd.DataFrame(shares, columns=pd.Index([*self.classes_.tolist(), None], dtype=object))

    def predict_set(self, X: Any) -> Mask:
        """Answer with the preferred class where the members are sure enough of it."""
        best, confidence, _ = self._judge(X)
        chosen = best[:, None] == np.arange(len(self.classes_))
        unsure = (confidence < self.threshold_ - _ROUNDING) | self._tied(confidence)
        return np.asarray(chosen | unsure[:, None])

    def _tied(self, confidence: Floats) -> Mask:
        """Tell where no class has more votes than the others, by the confidence of zero."""
        return np.asarray((confidence <= 0) & (self.rule == "votes"))

    def _check_parameters(self) -> None:
        one_given(self, _GOALS)

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights given to ``fit`` go on to the members."""
        return super().get_metadata_routing().add_self_request(self)
