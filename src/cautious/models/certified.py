"""A wrapper whose promise holds on new cases."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from cautious._typing import Floats, Mask
from cautious.decision import Rule
from cautious.errors import shown
from cautious.guarantees import certify
from cautious.guarantees._certified_rule import Promise, check_promise
from cautious.guarantees._limits import LIMIT_ARGUMENTS, read_limits
from cautious.guarantees._tallies import Shape
from cautious.models.base import FOLDS, SHARE, Examples, parameter
from cautious.models.wrapper import ProbabilisticWrapper, out_of_fold, over_classes


@dataclass(eq=False, repr=False)
class CertifiedAbstainingClassifier(ProbabilisticWrapper):
    r"""Abstaining classifier that keeps its limits on new cases, with a stated confidence.

    A part of the data is set aside, drawn at random whatever the labels. The estimator is fitted on
    the rest, and the thresholds are tested on the part set aside, exactly
    (:func:`cautious.guarantees.certify`). With probability
    `confidence_level` over the draw of that part, the answers on new cases keep every limit. Where
    no rule can be certified the model abstains always, and says how many cases it would take.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted goes into scikit-learn's
        ``FrozenEstimator``; all examples given to ``fit`` then serve for calibration, and must be
        new to it.
    max_error : float, optional
        Largest share of wrong answers among the answers.
    min_ppv, min_npv : float, optional
        Two classes: least share of right ones among the positive and among the negative answers.
    max_missed : float, optional
        Two classes: largest share of positive cases that are answered negative.
    max_error_per_case : float, optional
        Largest share of wrong answers among all cases.
    max_abstention : float, optional
        Largest share of abstentions.
    promise : {"with confidence", "on average"}, default="with confidence"
        Keep the limits with `confidence_level` over the draw of the calibration part; or keep one
        limit (of `max_error`, `max_error_per_case` and `max_missed`) on average over such draws.
    confidence_level : float, default=0.95
        How sure the promise is.
    calibration_size : float, default=0.5
        Share of the examples to set aside.
    thresholds : {"one", "two", "per class"}, default="one"
        One threshold on the confidence, a window, or a threshold per predicted class.
    pos_label : label, optional
        The positive one of two classes; needed for the limits that speak of positives.
    cv : int or splitter, default=5
        Folds of the training part whose out-of-fold probabilities place the candidates.
    random_state : int, RandomState or None
        Seed of the split.

    Attributes
    ----------
    classes_, estimator_
        Class labels, sorted; the fitted estimator.
    certificate_ : Certificate
        What is promised; print it.
    rule_ : Rule or None
        The rule, which carries its certificate and bins of the calibration cases' probabilities,
        so that :func:`cautious.watch` watches its errors and drift; None if nothing can be
        promised.
    coverage_ : float
        Share of the calibration cases that are answered.

    Notes
    -----
    The promise is about cases drawn as the calibration cases were. A rare class may be among these
    alone: it then has probability 0, is never answered, and each answer to such a case counts as
    wrong, as it will be for new cases of classes that nobody has seen. Rows that occur both in the
    training and in the calibration part are no new cases; they are counted and warned of. Weights
    have no exact test, so ``fit`` takes none.

    Search first, certify last: ``CertifiedAbstainingClassifier(GridSearchCV(…), max_error=…)``. A
    search around this class would choose by the calibration cases, and the promise would no longer
    hold for what it chose; on small folds nothing can be promised at all.

    References
    ----------
    Geifman & El-Yaniv (2017); Angelopoulos, Bates, Candès, Jordan & Lei (2021).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from cautious.models import CertifiedAbstainingClassifier
    >>> X, y = make_classification(3000, flip_y=0.05, random_state=0)
    >>> model = CertifiedAbstainingClassifier(LogisticRegression(), max_error=0.1, random_state=0)
    >>> print(model.fit(X, y).certificate_)
    On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
    Seen on 1,500 calibration cases: 122 of 1,446 (p = 0.024).
    """

    _: KW_ONLY
    max_error: float | None = None
    min_ppv: float | None = None
    min_npv: float | None = None
    max_missed: float | None = None
    max_error_per_case: float | None = None
    max_abstention: float | None = None
    promise: Promise = "with confidence"
    confidence_level: float = parameter(0.95, SHARE)
    calibration_size: float = parameter(0.5, SHARE)
    thresholds: Shape = "one"
    pos_label: Any = None
    cv: Any = parameter(5, FOLDS)
    random_state: Any = None

    _no_weights = "an exact promise counts"
    _calibrates = _abstains = True

    def fit(  # type: ignore[override]  # weights have no exact promise
        self, X: Any, y: Any, groups: Any = None, **fit_params: Any
    ) -> Any:
        """Fit the estimator on one part, and certify a rule on the other.

        Parameters
        ----------
        X, y : array-like
            Examples and their labels, as the estimator takes them.
        groups : array-like of shape (n,), optional
            Groups of cases; every limit is then kept in each of them.
        **fit_params
            Anything else for the estimator's ``fit``.
        """
        weight = fit_params.pop("sample_weight", None)
        return self._fit(X, y, weight, fit_params, groups)

    def _limits(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in LIMIT_ARGUMENTS}

    def _prepare(self, examples: Examples, extra: Any) -> Any:
        classes = examples.classes.tolist()
        given = [name for name, limit in self._limits().items() if limit is not None]
        of_positives = [name for name in given if LIMIT_ARGUMENTS[name].two_classes]
        if of_positives and len(classes) == 2 and self.pos_label is None:
            raise ValueError(
                f"{of_positives[0]} speaks of the positive class; say which one it is with "
                f"pos_label={shown(classes[-1])}, or whichever of {classes}."
            )
        if self.pos_label is not None and self.pos_label not in classes:
            raise ValueError(
                f"pos_label is {shown(self.pos_label)}, which is not among {classes}; name one of "
                "them."
            )
        if not self._is_frozen:  # it knows its classes, and costs no time
            check_promise(
                read_limits(**self._limits()),
                promise=self.promise,
                thresholds=self.thresholds,
                n_classes=max(len(classes), 2),  # a lone class is never asked
            )
        return None if extra is None else np.asarray(extra)

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        self.rule_: Rule | None = None
        self.coverage_ = 1.0
        if len(self.classes_) < 2:  # a lone class leaves nothing to decide
            return
        training, calibration = evidence
        labels = np.unique(examples.labels[training])
        groups, others, other_groups = plan, None, None
        # On average, the calibration scores are their own candidates.
        if len(labels) > 1 and self.promise != "on average":
            p = out_of_fold(self.estimator, examples.take(training), self.cv)
            others = over_classes(p, labels, self.classes_)
            other_groups = None if groups is None else groups[training]
        held = examples.take(calibration)
        # Of two classes the second is positive for a rule.
        flip = len(self.classes_) == 2 and self.pos_label == self.classes_[0]
        order = slice(None, None, -1 if flip else 1)
        found = certify(
            held.labels,
            y_proba=self.predict_proba(held.X)[:, order],
            other_scores=None if others is None else others[:, order],
            classes=self.classes_[order],
            groups=None if groups is None else groups[calibration],
            other_groups=other_groups,
            promise=self.promise,
            confidence_level=self.confidence_level,
            thresholds=self.thresholds,
            random_state=0,
            **self._limits(),
        )
        self.rule_, self.certificate_ = found.rule, found.certificate
        self.coverage_ = found.coverage
        if found.rule is None:
            warnings.warn(f"{found.certificate} The model abstains always.", stacklevel=4)

    def _decide(self, X: Any, p: Floats) -> Mask:
        if self.rule_ is None:
            return np.ones(p.shape, dtype=np.bool_)
        return self.rule_.predict_set(p, classes=self.classes_.tolist())
