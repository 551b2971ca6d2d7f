"""A wrapper that learns which cases no expert could name."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_scalar
from sklearn.utils.validation import check_is_fitted

from cautious._checks import check_probabilities, check_weight, first_row
from cautious._random import check_level
from cautious._typing import Floats, Labels, Mask
from cautious.decision import threshold_rule
from cautious.errors import shown
from cautious.metrics import utility_score
from cautious.models.base import is_number
from cautious.models.wrappers.wrapper import (
    ProbabilisticWrapper,
    check_labels,
    kind_of,
    own_sets,
    shares_of,
)

__all__ = ["UnknownClassClassifier"]


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

    def __init__(self, estimator: Any, unknown: Any = "unknown", *, threshold: float = 0.5) -> None:
        self.estimator = estimator
        self.unknown = unknown
        self.threshold = threshold

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, **fit_params: Any
    ) -> Any:
        """Fit the estimator on all labels, the unknown one included."""
        self._check_parameters()
        self._check_missing(y)
        super().fit(X, y, sample_weight, **fit_params)
        known = ~self._is_unknown(self.classes_)
        if not known.any():
            raise ValueError(
                f"y holds nothing but {shown(self.unknown)}; give examples of a class."
            )
        if known.all():
            self._check_occurrence()
        self.classes_: Labels = self.classes_[known]
        return self

    def _check_parameters(self) -> None:
        if not (is_number(self.threshold) and 0 < float(self.threshold) <= 1):
            raise ValueError(
                f"threshold is {shown(self.threshold)}; give a number above 0, at most 1."
            )
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
        learned, given = kind_of(self.classes_.tolist()), kind_of([self.unknown])
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
            stacklevel=3,
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
            return p, own_sets(self.estimator_, X, everything)
        doubt = everything[:, ~known].sum(axis=1) >= float(self.threshold)
        if hasattr(self.estimator_, "predict_set"):
            sets = own_sets(self.estimator_, X, everything)[:, known]
            sets = sets | ~sets.any(axis=1, keepdims=True)  # nothing but unknown
        else:
            sets = threshold_rule(p, 0.0)
        return p, np.asarray(sets | doubt[:, None])

    def _decide(self, X: Any, p: Floats) -> Mask:
        return self._judge(X)[1]

    def answer_shares(self, X: Any, y: Any, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Count answers and abstentions apart for cases whose class is known, and the others.

        Parameters
        ----------
        y : array-like of shape (n,)
            True classes, or `unknown`.
        confidence_level : float, default=0.95
            Level of the intervals.

        Returns
        -------
        DataFrame
            The number of cases, their share and its exact interval (Clopper & Pearson). "answered"
            is a share of the cases of known class, "wrong" of those that are answered, and
            "answered though unknown" of the cases of unknown class. With one known class all
            cases are answered.
        """
        level, sets = check_level(confidence_level), self.predict_set(X)
        truth = check_labels(y, len(sets), self.classes_, self.unknown)
        named = self.classes_[sets.argmax(axis=1)].astype(object)
        lost, answered = self._is_unknown(truth), sets.sum(axis=1) == 1
        told = {
            "answered": (answered & ~lost, ~lost),
            "wrong": (answered & ~lost & np.asarray(named != truth), answered & ~lost),
            "answered though unknown": (answered & lost, lost),
        }
        counts = {name: int(own.sum()) for name, (own, _) in told.items()}
        return shares_of(counts, [int(of.sum()) for _, of in told.values()], level)

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Mean utility u65 of the sets, where it is worth 1 to abstain if the class is unknown.

        With one known class no set abstains, so the cases of unknown class are worth nothing.
        """
        sets = self.predict_set(X)
        truth = check_labels(y, len(sets), self.classes_, self.unknown)
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
