"""Wrappers that refuse: what resembles no training case, and what no expert could name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_scalar
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from cautious._checks import check_mask, check_probabilities, check_weight, first_row
from cautious._random import binomial_ends, check_level
from cautious._typing import Floats, Ints, Labels, Mask, RandomState, as_floats
from cautious.decision import threshold_rule
from cautious.errors import shown
from cautious.metrics import utility_score
from cautious.models.base import SHARE, Examples, Number, keep_common_input_tags
from cautious.models.wrapper import ProbabilisticWrapper, set_aside, warn_of_twins


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

    See Also
    --------
    UnknownClassClassifier : Abstains where experts did not know the class either.

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

    detector_: Any
    calibration_scores_: list[Floats]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_false_refusals": [SHARE],
        "per_class": ["boolean"],
        "calibration_size": [SHARE],
    }

    def __init__(
        self,
        estimator: Any,
        detector: Any,
        *,
        max_false_refusals: float = 0.05,
        per_class: bool = False,
        calibration_size: float = 0.25,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.detector = detector
        self.max_false_refusals = max_false_refusals
        self.per_class = per_class
        self.calibration_size = calibration_size
        self.random_state = random_state

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

    def _read(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, fit_params: dict[str, Any]
    ) -> Examples:
        # Scores know no weights; rows of weight zero are left out.
        return super()._read(X, y, sample_weight, fit_params).that_count()

    def _prepare(self, examples: Examples, extra: Any) -> Any:
        """Split at random, not class by class: calibration cases must be drawn as new ones are."""
        n = len(examples)
        training, calibration = np.arange(0), np.arange(n)
        if not isinstance(self.detector, FrozenEstimator):
            if n < 2:
                raise ValueError(
                    f"n_samples = {n}; a minimum of 2 is required, one to fit and one to calibrate."
                )
            training, calibration = set_aside(n, self.calibration_size, self.random_state)
        parts = self._parts_of(examples.labels, calibration)
        warn_of_twins(examples.X, training, calibration)
        return training, parts

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        training, parts = plan
        learned = examples.with_params({}).take(training)
        self.detector_ = learned.fitted(self.detector)
        self.calibration_scores_ = [
            np.sort(self._scores(_safe_indexing(examples.X, part))) for part in parts
        ]

    def _parts_of(self, labels: Labels, calibration: Ints) -> list[Ints]:
        """Rows that new cases are compared with: all, or those of each class."""
        least = math.ceil(1 / Fraction(str(float(self.max_false_refusals)))) - 1
        if not self.per_class:
            if len(calibration) < least:
                raise ValueError(self._too_few(f"{len(calibration)} examples", least))
            return [calibration]
        classes, codes = np.unique(labels, return_inverse=True)
        counts = np.bincount(codes[calibration], minlength=len(classes))
        if (counts < least).any():
            worst = int(counts.argmin())
            of = f"{counts[worst]} examples of class {classes.tolist()[worst]!r}"
            raise ValueError(self._too_few(of, least))
        return [calibration[codes[calibration] == code] for code in range(len(classes))]

    def _too_few(self, what: str, least: int) -> str:
        return (
            f"{what} are there to calibrate on, too few to refuse anything at "
            f"max_false_refusals={self.max_false_refusals:g}: at least {least} are needed. Give "
            "more examples, a larger calibration_size or a larger max_false_refusals."
        )

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
        return _shares_of(counts, totals, level)

    def _decide(self, X: Any, p: Floats) -> Mask:
        return np.asarray(_own_sets(self.estimator_, X, p) | self.is_novel(X)[:, None])

    def __sklearn_tags__(self) -> Any:
        both = (self.estimator, self.detector)
        return keep_common_input_tags(super().__sklearn_tags__(), both)


class UnknownClassClassifier(ProbabilisticWrapper):
    """Classifier of data in which one label means that the expert did not know.

    Ferri and Hernández-Orallo (2004, section 8) leave open what to do where the data themselves
    have a class "unknown". It is no class like the others: nobody wants it for an answer, and to
    abstain on such a case is right. So the estimator learns it as a class of its own, and where it
    is likely, the model abstains. Probabilities and sets are about the other classes.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``; one with ``predict_set`` keeps its own caution among the
        known classes.
    unknown : label, default="unknown"
        The label that means "not known". It need not occur. Missing labels (None, NaN) are no
        label: give them one, as by ``y.fillna("?")``.
    threshold : float, default=0.5
        Abstain where the probability of `unknown` reaches this.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels without `unknown`, sorted.
    estimator_ : classifier
        The fitted estimator, which has learned `unknown`, too.

    See Also
    --------
    NoveltyRefusingClassifier : Refuses cases that resemble none of the training cases.

    Notes
    -----
    If all examples but the unknown ones are of one class, no set can abstain: every set holds this
    class alone and counts as an answer. ``unknown_proba`` still tells the unknown cases apart.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 8.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import UnknownClassClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[y]
    >>> names[(4.7 < X[:, 2]) & (X[:, 2] < 5.2)] = "?"  # the expert could not tell
    >>> model = UnknownClassClassifier(GaussianNB(), "?").fit(X, names)
    >>> model.classes_.tolist()
    ['setosa', 'versicolor', 'virginica']
    >>> model.predict_set(X[[0, 72]])
    array([[ True, False, False],
           [ True,  True,  True]])
    >>> model.answer_shares(X, names).round(3)
                               n  share    low   high
    answered                 129  1.000  0.972  1.000
    wrong                      1  0.008  0.000  0.042
    answered though unknown    1  0.048  0.001  0.238
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Number(Real, 0, 1, closed="right")]
    }

    def __init__(self, estimator: Any, unknown: Any = "unknown", *, threshold: float = 0.5) -> None:
        self.estimator = estimator
        self.unknown = unknown
        self.threshold = threshold

    def _check_parameters(self) -> None:
        if not is_scalar(self.unknown):
            raise TypeError(
                f"unknown is {shown(self.unknown)}, a {type(self.unknown).__name__}; give the one "
                "label that means 'not known', such as '?'."
            )
        if pd.isna(self.unknown):
            raise ValueError(
                f"unknown is {shown(self.unknown)}, which is no label that a classifier can learn; "
                "give missing labels one, as by y.fillna('?') or, among numbers, y.fillna(-1), and "
                "give the same label as unknown."
            )

    def _read(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, fit_params: dict[str, Any]
    ) -> Examples:
        self._check_missing(y)
        return super()._read(X, y, sample_weight, fit_params)

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        known = ~self._is_unknown(self.classes_)
        if not known.any():
            raise ValueError(
                f"y holds nothing but {shown(self.unknown)}; give examples of a class."
            )
        if known.all():
            self._check_occurrence()
        self.classes_ = self.classes_[known]

    def _check_missing(self, y: Any) -> None:
        """Refuse missing labels; anything else about y is for the estimator to say."""
        missing = np.asarray(pd.isna(y))
        if missing.ndim and missing.any():
            raise ValueError(
                f"Input y contains NaN or None, first in row {first_row(missing)}; if it means "
                f"that the class is not known, say so by y.fillna({shown(self.unknown)}), with "
                f"unknown={shown(self.unknown)}; otherwise leave such rows out."
            )

    def _check_occurrence(self) -> None:
        """Doubt a label that does not occur, if it could not: it is text among numbers, say."""
        learned, given = _kind_of(self.classes_.tolist()), _kind_of([self.unknown])
        if not (learned and given) or learned == given:
            return
        if str(self.unknown) in {str(label) for label in self.classes_.tolist()}:
            raise ValueError(
                f"unknown is {shown(self.unknown)}, but the labels in y are {learned}; give it as "
                "it is written there."
            )
        warnings.warn(
            f"unknown is {shown(self.unknown)}, but the labels in y are {learned}, so it never "
            "occurs and nothing is learned of it; give unknown as it is written in y.",
            UserWarning,
            stacklevel=5,
        )

    def _is_unknown(self, labels: Labels) -> npt.NDArray[np.bool_]:
        return np.array([label == self.unknown for label in labels.tolist()], dtype=np.bool_)

    def predict_proba(self, X: Any) -> Floats:
        """Estimate probabilities of the known classes, if the class is one of them."""
        return _among(*self._probabilities(X))

    def unknown_proba(self, X: Any) -> Floats:
        """Estimate the probability that an expert would not know the class.

        Returns
        -------
        ndarray of shape (n,)
        """
        p, known = self._probabilities(X)
        return np.asarray(p[:, ~known].sum(axis=1))

    def _probabilities(self, X: Any) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Probabilities of all that was learned, and which columns are classes."""
        check_is_fitted(self)
        learned = np.asarray(self.estimator_.classes_)
        p = check_probabilities(
            self.estimator_.predict_proba(X), name="predict_proba(X)", n_classes=len(learned)
        )
        return p, ~self._is_unknown(learned)

    def _judge(self, X: Any) -> tuple[Floats, Mask]:
        everything, known = self._probabilities(X)
        p = _among(everything, known)
        if p.shape[1] == 1:  # a lone class leaves nothing to decide
            return p, np.ones(p.shape, dtype=np.bool_)
        if known.all():
            return p, _own_sets(self.estimator_, X, everything)
        doubt = everything[:, ~known].sum(axis=1) >= float(self.threshold)
        if hasattr(self.estimator_, "predict_set"):
            sets = _own_sets(self.estimator_, X, everything)[:, known]
            sets = sets | ~sets.any(axis=1, keepdims=True)  # nothing but unknown
        else:
            sets = threshold_rule(p, 0.0)
        return p, np.asarray(sets | doubt[:, None])

    def _decide(self, X: Any, p: Floats) -> Mask:
        return self._judge(X)[1]

    def answer_shares(self, X: Any, y: Any, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Count answers and abstentions apart for cases whose class is known, and the others.

        A frame holds the number of cases, their share and its exact interval (Clopper & Pearson).
        "answered" is a share of the cases of known class, "wrong" of those that are answered, and
        "answered though unknown" of the cases of unknown class, by the true classes `y`. With one
        known class all cases are answered.
        """
        level, sets = check_level(confidence_level), self.predict_set(X)
        truth = _check_labels(y, len(sets), self.classes_, self.unknown)
        named = self.classes_[sets.argmax(axis=1)].astype(object)
        lost, answered = self._is_unknown(truth), sets.sum(axis=1) == 1
        told = {
            "answered": (answered & ~lost, ~lost),
            "wrong": (answered & ~lost & np.asarray(named != truth), answered & ~lost),
            "answered though unknown": (answered & lost, lost),
        }
        counts = {name: int(own.sum()) for name, (own, _) in told.items()}
        return _shares_of(counts, [int(of.sum()) for _, of in told.values()], level)

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Mean utility u65 of the sets, where it is worth 1 to abstain if the class is unknown.

        With one known class no set abstains, so the cases of unknown class are worth nothing.
        """
        sets = self.predict_set(X)
        truth = _check_labels(y, len(sets), self.classes_, self.unknown)
        weight = check_weight(sample_weight, len(sets))
        if not weight.any():
            raise ValueError("sample_weight is zero for every row; some must be above zero.")
        lost = self._is_unknown(truth)
        abstained = sets.all(axis=1) & (sets.shape[1] > 1)
        worth = np.asarray(abstained & lost, dtype=np.float64)
        if weight[~lost].any():
            # Every case of known class stands for their mean.
            worth[~lost] = utility_score(
                np.asarray(truth[~lost].tolist()),
                sets[~lost],
                utility="u65",
                classes=self.classes_,
                sample_weight=weight[~lost],
            )
        return float(np.average(worth, weights=weight))


def _among(p: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Probabilities of the known classes, if the class is one of them."""
    of_known = p[:, known]
    total = of_known.sum(axis=1, keepdims=True)
    even = np.full(of_known.shape, 1 / of_known.shape[1])
    return np.asarray(np.divide(of_known, total, out=even, where=total > 0))


def _own_sets(estimator: Any, X: Any, p: Floats) -> Mask:
    """Ask a cautious classifier for sets, and a plain one for its most probable class."""
    if not hasattr(estimator, "predict_set"):
        return threshold_rule(p, 0.0)
    # An empty set, as of conformal prediction, is no answer either.
    sets = estimator.predict_set(X)
    return check_mask(sets, n_classes=p.shape[1], name="predict_set(X)", empty="abstain")


def _shares_of(counts: dict[str, int], totals: list[int], level: float) -> pd.DataFrame:
    """Give counts as shares of their totals, with exact intervals."""
    n, of = np.array(list(counts.values())), np.array(totals)
    low, high = binomial_ends(n, of, level)
    with np.errstate(invalid="ignore"):
        share = n / of
    return pd.DataFrame({"n": n, "share": share, "low": low, "high": high}, list(counts))


def _check_labels(y: Any, n: int, classes: Labels, unknown: Any = None) -> Labels:
    """Check true labels: one per row, none missing, and of the kind that was learned."""
    labels = np.asarray(column_or_1d(np.asarray(y, dtype=object)))
    if len(labels) != n:
        raise ValueError(f"y has {len(labels)} labels and X {n} rows; give one label per row.")
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(
            f"y has no label in row {first_row(missing)}; leave out rows without one, or give "
            "them a label."
        )
    learned, given = _kind_of(classes), _kind_of([label for label in labels if label != unknown])
    if learned and given and learned != given:
        raise ValueError(
            f"y holds {given}, and the model has learned {learned}, such as "
            f"{shown(classes.tolist()[0])}; give labels as they were learned."
        )
    return labels


def _kind_of(labels: Iterable[Any]) -> str:
    """Tell text from numbers; empty for what is neither, or both."""
    kinds = {
        "text" if isinstance(one, str) else "numbers" if isinstance(one, Real | np.bool_) else ""
        for one in labels
    }
    return kinds.pop() if len(kinds) == 1 else ""
