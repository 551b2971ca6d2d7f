"""Several classifiers joined to a cautious one by how far they agree."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from cautious._checks import as_codes, check_mask
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.curves import RiskCoverageCurve
from cautious.metrics._risk_coverage import WorkingPoint
from cautious.models.base import (
    FOLDS,
    NOT_NEGATIVE,
    PROBABILITY,
    Examples,
    OneOf,
    one_given,
    parameter,
)
from cautious.models.wrapper import NamedEstimators, folds_of, over_classes, probabilities_of

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
            best, sure, _ = self._judge(members, _safe_indexing(examples.X, test))
            tested.append(test)
            confidence.append(sure)
            wrong.append(best != truth[test])
        if not tested:
            raise ValueError(
                f"{goal} is given, but no class has two examples, so none can be held out; give "
                "more examples, or a threshold."
            )
        sure, weight = np.concatenate(confidence), examples.weights[np.concatenate(tested)]
        self.tuning_ = self._best_point(goal, np.concatenate(wrong), sure, weight)
        self.threshold_, coverage, _ = self.tuning_
        limit = float(getattr(self, goal))
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

    def _best_point(
        self, goal: str, wrong: Mask, confidence: Floats, weight: Floats
    ) -> WorkingPoint:
        """Find the threshold that meets a goal; ties count as abstentions whatever it is."""
        free, limit = ~self._tied(confidence), float(getattr(self, goal))
        share = float(weight[free].sum() / weight.sum())
        if share == 0:
            return WorkingPoint(np.inf, 0.0, np.nan)
        curve = RiskCoverageCurve.from_losses(
            wrong[free], confidence[free], sample_weight=weight[free]
        )
        if goal == "max_error":
            point = curve.threshold_at_risk(limit)
        else:
            point = curve.threshold_at_coverage(min((1 - limit) / share, 1.0))
        return point._replace(coverage=point.coverage * share)

    def _judge(self, members: list[Any], X: Any) -> tuple[Ints, Floats, Floats]:
        """Class that the members prefer, the confidence in it, and probabilities."""
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
        check_is_fitted(self)
        return self._judge(self.estimators_, X)[2]

    def confidence(self, X: Any) -> Floats:
        """Tell how sure the members are together of the class that they prefer.

        Returns
        -------
        ndarray of shape (n,)
            What is compared with ``threshold_``: the mean probability less its spread, which may be
            negative; or the share of votes. It is 0 if two classes have as many: this is never
            answered, even with a threshold of 0.
        """
        check_is_fitted(self)
        return self._judge(self.estimators_, X)[1]

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
        check_is_fitted(self)
        best, confidence, _ = self._judge(self.estimators_, X)
        chosen = best[:, None] == np.arange(len(self.classes_))
        unsure = (confidence < self.threshold_ - _ROUNDING) | self._tied(confidence)
        return np.asarray(chosen | unsure[:, None])

    def _tied(self, confidence: Floats) -> Mask:
        """Tell where no class has more votes than the others, by the confidence of zero."""
        return np.asarray((confidence <= 0) & (self.rule == "votes"))

    def predict(self, X: Any) -> Labels:
        """Name the class that the members prefer, whatever the doubt."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._judge(self.estimators_, X)[0]])

    def _check_parameters(self) -> None:
        one_given(self, _GOALS)

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights given to ``fit`` go on to the members."""
        return super().get_metadata_routing().add_self_request(self)
