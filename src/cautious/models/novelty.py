"""A wrapper that refuses what resembles no training case."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from cautious._checks import check_mask, check_truth
from cautious._random import binomial_ends, check_level
from cautious._typing import Floats, Ints, Labels, Mask, RandomState, as_floats
from cautious.decision import threshold_rule
from cautious.errors import shown
from cautious.models._base import SHARE, Examples, keep_common_input_tags, parameter
from cautious.models.discrete import kind_of
from cautious.models.wrapper import ProbabilisticWrapper, set_aside, warn_of_twins


@dataclass(eq=False, repr=False)
class NoveltyRefusingClassifier(ProbabilisticWrapper):
    r"""Classifier that refuses cases which resemble none of the training cases.

    A classifier may be sure of itself far from everything it has learned from. Here an outlier
    detector stands before it: what the detector finds stranger than nearly all calibration cases is
    refused as *novel*. Of ordinary cases at most the share `max_false_refusals` is refused, exactly
    and whatever the detector. Where a case is not novel, the classifier answers or abstains as it
    would without a detector.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``; one with ``predict_set`` keeps its own caution. A rule goes
        into :class:`AbstainingClassifier` first. It learns from all examples. One that is already
        fitted is kept as it is inside scikit-learn's ``FrozenEstimator``.
    detector : outlier detector
        Anything with ``score_samples`` or ``decision_function``, higher for ordinary cases:
        ``IsolationForest``, ``LocalOutlierFactor(novelty=True)``, ``OneClassSVM``,
        ``EllipticEnvelope``, a density such as ``KernelDensity`` or ``GaussianMixture``, or a
        pipeline that ends in one. Its own idea of how many cases are outliers
        (``contamination``, ``nu``) does not matter, only the order of its scores does. One that is
        already fitted, inside ``FrozenEstimator``, is kept, and all examples calibrate it; they
        must be new to it.
    max_false_refusals : float, default=0.05
        Largest share of ordinary cases to refuse.
    per_class : bool, default=False
        Whether to keep this limit within every true class, not only on average over them. A case is
        then novel if it is strange beside the calibration cases of each class.
    calibration_size : float, default=0.25
        Share of the examples that are kept from the detector, to compare new cases with.
    random_state : int, RandomState or None
        Seed of the split.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimator_ : classifier
        The fitted classifier.
    detector_ : outlier detector
        The fitted detector.
    calibration_scores_ : list of ndarray
        Scores of the calibration cases, sorted: all together, or one array per class.

    Notes
    -----
    With n calibration scores :math:`s_i` a case of score s has the conformal p-value

    .. math:: p = \frac{1 + \#\{i : s_i \le s\}}{n + 1},

    and is refused where :math:`p \le` `max_false_refusals`. If it is drawn as the calibration cases
    were, this happens with at most that probability, on average over the draws of the calibration
    cases; ties make it less. For one set of calibration cases the share may come out larger: with
    :math:`k = \lfloor \alpha (n + 1) \rfloor` and without ties it follows the beta distribution of
    parameters k and n + 1 − k. At least :math:`1/\alpha - 1` calibration cases are needed.

    Nothing is promised about how many novel cases are found: that is up to the detector. In a batch
    of cases, ``scipy.stats.false_discovery_control(model.novelty_p_values(X))`` keeps the share of
    ordinary cases among those called novel (Bates et al. 2023, theorem 2).

    Scores know no weights. Those given to ``fit`` serve the classifier only.

    References
    ----------
    Bates, Candès, Lei, Romano & Sesia (2023), *Testing for outliers with conformal p-values*;
    Laxhammar & Falkman (2010) for the p-value; Friedel, Rückert & Kramer (2006) for the wish.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> from cautious.models import NoveltyRefusingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NoveltyRefusingClassifier(
    ...     GaussianNB(), LocalOutlierFactor(novelty=True), random_state=0
    ... ).fit(X, y)
    >>> rows = [[5.1, 3.5, 1.4, 0.2], [5.0, 3.0, 9.0, 5.0]]  # a flower, and none
    >>> model.predict_proba(rows).round(3)
    array([[1., 0., 0.],
           [0., 0., 1.]])
    >>> model.is_novel(rows), model.novelty_p_values(rows).round(3)
    (array([False,  True]), array([0.921, 0.026]))
    >>> model.predict_set(rows)
    array([[ True, False, False],
           [ True,  True,  True]])
    """

    detector: Any
    _: KW_ONLY
    max_false_refusals: float = parameter(0.05, SHARE)
    per_class: bool = parameter(False, "boolean")
    calibration_size: float = parameter(0.25, SHARE)
    random_state: RandomState = None

    _only_that_count = True  # scores know no weights

    def _check_parameters(self) -> None:
        scored = any(
            hasattr(self.detector, name) for name in ("score_samples", "decision_function")
        )
        if not scored or is_classifier(self.detector):
            raise TypeError(
                f"detector is a {type(self.detector).__name__}, which does not score how ordinary "
                "a case is; give an outlier detector with score_samples or decision_function, such "
                "as IsolationForest() or LocalOutlierFactor(novelty=True)."
            )

    def _prepare(self, examples: Examples, extra: Any) -> Any:
        """Split at random, not class by class: calibration cases must be drawn as new ones are."""
        n = len(examples)
        training, calibration = np.arange(0), np.arange(n)
        if not isinstance(self.detector, FrozenEstimator):
            training, calibration = set_aside(n, self.calibration_size, self.random_state)
        parts = self._parts_of(examples.labels, calibration)
        warn_of_twins(examples.X, training, calibration)
        return training, parts

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        training, parts = plan
        learned = replace(examples, params={}).take(training)
        self.detector_ = learned.fitted(self.detector)
        self.calibration_scores_ = [
            np.sort(self._scores(_safe_indexing(examples.X, part))) for part in parts
        ]

    def _parts_of(self, labels: Labels, calibration: Ints) -> list[Ints]:
        """Rows that new cases are compared with: all, or those of each class."""
        least = math.ceil(1 / Fraction(str(float(self.max_false_refusals)))) - 1
        parts, of = [calibration], [""]
        if self.per_class:
            classes, codes = np.unique(labels, return_inverse=True)
            parts = [calibration[codes[calibration] == code] for code in range(len(classes))]
            of = [f" of class {name!r}" for name in classes.tolist()]
        worst = int(np.argmin([len(part) for part in parts]))
        if len(parts[worst]) < least:
            raise ValueError(
                f"{len(parts[worst])} examples{of[worst]} are there to calibrate on, too few to "
                f"refuse anything at max_false_refusals={self.max_false_refusals:g}: at least "
                f"{least} are needed. Give more examples, a larger calibration_size or a larger "
                "max_false_refusals."
            )
        return parts

    def _scores(self, X: Any) -> Floats:
        """How ordinary the detector finds each row."""
        ask = getattr(self.detector_, "score_samples", None) or self.detector_.decision_function
        n, scores = _num_samples(X), as_floats(ask(X), "the detector's scores", "scores")
        if scores.shape != (n,) or np.isnan(scores).any():
            raise ValueError(
                f"the detector's scores have shape {scores.shape} for {n} rows, or are not all "
                "numbers; a detector gives one number per row, higher for ordinary cases."
            )
        return scores

    def novelty_p_values(self, X: Any) -> Floats:
        """Tell how rare cases as strange as each row are among ordinary ones.

        Returns
        -------
        ndarray of shape (n,)
            Conformal p-values, small for novel cases; per class, the largest of them.
        """
        check_is_fitted(self)
        scores = self._scores(X)
        found = [
            (1 + np.searchsorted(own, scores, side="right")) / (1 + len(own))
            for own in self.calibration_scores_
        ]
        return np.asarray(np.max(found, axis=0))

    def is_novel(self, X: Any) -> npt.NDArray[np.bool_]:
        """Tell which rows are refused as novel.

        Returns
        -------
        ndarray of shape (n,), bool
        """
        return np.asarray(self.novelty_p_values(X) <= self.max_false_refusals)

    def answer_shares(
        self, X: Any, y: Any = None, *, confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Count answers, doubts, abstentions and refusals apart, and mistakes among the answers.

        A frame holds the number of cases, their share and its exact interval (Clopper & Pearson).
        Four rows add up to all cases: one class; several classes; all classes, because the
        classifier abstains; all classes, because the case is novel. With true classes `y`, the row
        "wrong" is a share of the first; a class that was not learned is a mistake if answered.
        """
        level = check_level(confidence_level)
        novel, sets = self.is_novel(X), self.predict_set(X)
        size, K = sets.sum(axis=1), sets.shape[1]
        kinds = {
            "answered": ~novel & (size == 1),
            "in doubt": ~novel & (size > 1) & (size < K),
            "abstained": ~novel & (size == K) & (K > 1),
            "refused as novel": novel,
        }
        counts = {kind: int(each.sum()) for kind, each in kinds.items()}
        totals = [len(sets)] * len(counts)
        if y is not None:
            named = self.classes_[sets.argmax(axis=1)].astype(object)
            right = np.asarray(named == _check_labels(y, len(sets), self.classes_))
            totals.append(counts["answered"])
            counts["wrong"] = int((kinds["answered"] & ~right).sum())
        n, of = np.array(list(counts.values())), np.array(totals)
        low, high = binomial_ends(n, of, level)
        with np.errstate(invalid="ignore"):
            share = n / of
        return pd.DataFrame({"n": n, "share": share, "low": low, "high": high}, list(counts))

    def _decide(self, X: Any, p: Floats) -> Mask:
        sets = threshold_rule(p, 0.0)  # a plain classifier names its most probable class
        if hasattr(self.estimator_, "predict_set"):
            # An empty set, as of conformal prediction, is no answer either.
            sets = self.estimator_.predict_set(X)
            sets = check_mask(sets, n_classes=p.shape[1], name="predict_set(X)", empty="abstain")
        return np.asarray(sets | self.is_novel(X)[:, None])

    def __sklearn_tags__(self) -> Any:
        both = (self.estimator, self.detector)
        return keep_common_input_tags(super().__sklearn_tags__(), both)


def _check_labels(y: Any, n: int, classes: Labels) -> Labels:
    """Check true labels: one per row, none missing, and of the kind that was learned."""
    labels = check_truth(column_or_1d(np.asarray(y, dtype=object)), name="y")
    if len(labels) != n:
        raise ValueError(f"y has {len(labels)} labels and X {n} rows; give one label per row.")
    learned, kind = kind_of(classes), kind_of(labels)
    if learned and kind and learned != kind:
        raise ValueError(
            f"y holds {kind}, and the model has learned {learned}, such as "
            f"{shown(classes.tolist()[0])}; give labels as they were learned."
        )
    return labels
