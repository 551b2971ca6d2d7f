"""A wrapper that learns from the data when to abstain."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs import as_costs
from cautious.curves import (
    AbstentionCostSurface,
    ClassThresholdCurve,
)
from cautious.decision import answer_or_abstain, window_rule
from cautious.models.metadata import (
    check_examples,
    check_probabilistic,
    drop_weightless,
    fit_metadata,
    take_over_features,
)
from cautious.models.wrappers.wrapper import ProbabilisticWrapper, hold_out
from cautious.sets import as_codes

__all__ = ["TunedAbstainingClassifierCV"]


class TunedAbstainingClassifierCV(ProbabilisticWrapper):
    r"""Abstaining classifier whose thresholds are chosen on held-out predictions.

    Say what matters in one of three ways: what every answer and every abstention costs, how much
    may be abstained on, or how many mistakes may be made. The estimator is cross-validated once;
    all thresholds are then compared on its out-of-fold probabilities, exactly and without fitting
    again.

    Two classes are separated by a *window* :math:`(l, u)` on the probability of the second class:
    the second is answered from u on, the first up to l, and between them nothing is (Friedel,
    Rückert & Kramer 2006). The best of all windows is found.

    With more classes each has a *threshold* of its own on the confidence in it (Ferri &
    Hernández-Orallo 2004, rule R2). Without costs the preferred answer is the likeliest class and
    the confidence its probability. With costs it is the class c of least expected cost, and the
    confidence is what it saves against abstaining,
    :math:`\sum_y p_y (C_{\bot y} - C_{c y})`; thresholds of zero are Chow's rule. For given costs
    the best thresholds are found exactly; for a budget the search starts on the convex hull of
    what thresholds can reach and moves single thresholds from there, so the budget is always kept
    on the held-out predictions and no single threshold could be placed better. On fresh data the
    share of abstentions comes out right on average, but mistakes and costs are underestimated by
    what choosing the best thresholds always adds: leave some margin, or judge the choice on data of
    its own.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``.
    costs : array-like, DataFrame or mapping, optional
        Cost of each answer, and in the last row of abstaining, for each truth (column), shape
        (K + 1, K); a frame may carry labels in any order. For two classes also a mapping
        ``{"false_negative": …, "false_positive": …, "abstain": …}``, the second class being
        positive.
    max_abstention : float, optional
        Largest share of cases to abstain on, while as few mistakes as possible are made.
    max_error : float, optional
        Largest share of mistakes, while as little as possible is abstained on.
    per : {"answer", "case"}, default="answer"
        Whether mistakes are counted among the answers given or among all cases.
    cv : int, float, splitter, iterable or "prefit", default=5
        How predictions are held out: folds as scikit-learn takes them, the share of a single
        held-out part, or not at all, because the estimator is already fitted and the examples given
        to ``fit`` are new to it.
    refit : bool, default=True
        Whether to fit the estimator on all examples in the end. False keeps the one that the
        held-out part was predicted with, if there was only one part. Ignored for "prefit".
    n_jobs : int, optional
        Processes for the cross-validation.
    random_state : int, RandomState or None
        Seed of a single held-out part.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimator_ : classifier
        The fitted estimator.
    window_ : tuple (lower, upper)
        For two classes: the window on the probability of the second.
    thresholds_ : ndarray of shape (K,)
        For more classes: the thresholds; inf where a class is never answered. A class that was
        never preferred has 0.
    curve_ : AbstentionCostSurface or ClassThresholdCurve
        What was chosen from.
    best_score_ : float
        What the held-out predictions score: the negative mean cost of a case, for `costs`; the
        share of right ones among the answers (or one less the share of wrong ones among all cases),
        for `max_abstention`; the share of cases answered, for `max_error`.
    abstention_ : float
        Share of the held-out cases abstained on.

    Notes
    -----
    Weights count in the choice of thresholds, and in fitting if the estimator takes them. A class
    too rare to be in every fold has probability zero where it was not learned.

    References
    ----------
    Friedel, Rückert & Kramer (2006); Pietraszek (2005), *Optimizing abstaining classifiers using
    ROC analysis*; Ferri & Hernández-Orallo (2004), section 4.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from cautious.models import TunedAbstainingClassifierCV
    >>> X, y = make_classification(500, flip_y=0.2, random_state=0)
    >>> model = TunedAbstainingClassifierCV(LogisticRegression(), max_abstention=0.2).fit(X, y)
    >>> round(model.abstention_, 2), round(model.best_score_, 2)
    (0.2, 0.78)
    >>> costs = {"false_negative": 10, "false_positive": 1, "abstain": 0.5}
    >>> model = TunedAbstainingClassifierCV(LogisticRegression(), costs=costs).fit(X, y)
    >>> lower, upper = model.window_
    >>> lower < upper
    True
    """

    curve_: AbstentionCostSurface | ClassThresholdCurve
    window_: tuple[float, float]
    thresholds_: Floats
    abstention_: float
    best_score_: float

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Any = None,
        max_abstention: float | None = None,
        max_error: float | None = None,
        per: Literal["answer", "case"] = "answer",
        cv: Any = 5,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.max_abstention = max_abstention
        self.max_error = max_error
        self.per = per
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, **fit_params: Any
    ) -> Any:
        """Choose the thresholds on held-out predictions, and fit the estimator.

        Parameters
        ----------
        X, y : array-like
            Examples and their labels, as the estimator takes them.
        sample_weight : array-like of shape (n,), optional
            Repetitions of each row.
        **fit_params
            Anything else for the estimator's ``fit``.

        Returns
        -------
        self
        """
        self._check_parameters()
        check_probabilistic(self.estimator)
        X, labels, given = check_examples(X, y, sample_weight)
        params = fit_metadata(self, self.estimator, given, fit_params)
        weight = np.ones(len(labels)) if given is None else given
        if isinstance(self.cv, int | float | None):  # splits given by position count every row
            X, labels, weight, params = drop_weightless(X, labels, weight, params)
        if self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
        elif self.refit:
            self.estimator_ = clone(self.estimator).fit(X, labels, **params)
        rows, p = self._held_out(X, labels, params)
        take_over_features(self, self.estimator_)
        self.classes_ = np.asarray(self.estimator_.classes_)
        truth = as_codes(labels[rows], self.classes_, name="y", rows=rows)
        if len(self.classes_) == 2:
            self._choose_window(truth, p, weight[rows])
        elif len(self.classes_) > 2:
            self._choose_thresholds(truth, p, weight[rows])
        return self

    def _held_out(self, X: Any, labels: Labels, params: dict[str, Any]) -> tuple[Ints, Floats]:
        """Rows that were held out, and probabilities from an estimator that had not seen them."""
        everything = np.arange(len(labels))
        if self.cv == "prefit":
            return everything, np.asarray(self.estimator.predict_proba(X), dtype=np.float64)
        if isinstance(self.cv, float):
            _, codes = np.unique(labels, return_inverse=True)
            train, test = hold_out(codes, self.cv, self.random_state)
            own = {name: _safe_indexing(value, train) for name, value in params.items()}
            fitted = clone(self.estimator).fit(_safe_indexing(X, train), labels[train], **own)
            if not self.refit:
                self.estimator_ = fitted
            return test, np.asarray(fitted.predict_proba(_safe_indexing(X, test)), np.float64)
        if len(np.unique(labels)) == 1:  # nothing to choose, and nothing to stratify by
            return everything, np.ones((len(labels), 1))
        with warnings.catch_warnings():
            # A class that a fold could not learn gets probability zero, which is what we want.
            warnings.filterwarnings("ignore", "Number of classes in", RuntimeWarning)
            p = cross_val_predict(
                self.estimator,
                X,
                labels,
                cv=self.cv,
                method="predict_proba",
                n_jobs=self.n_jobs,
                params=params,
            )
        return everything, np.asarray(p, dtype=np.float64)

    def _choose_window(self, truth: Ints, p: Floats, weight: Floats) -> None:
        surface = AbstentionCostSurface.from_predictions(
            self.classes_[truth].tolist(),
            p[:, 1],
            pos_label=self.classes_.tolist()[1],
            sample_weight=weight,
        )
        if self.costs is not None:
            best = surface.for_costs(self.costs)
            score = -float(best.cost or 0.0)
        elif self.max_abstention is not None:
            best = surface.for_max_abstention(self.max_abstention, per=self.per)
            score = 1 - (best.selective_error if self.per == "answer" else best.error)
        else:
            best = surface.for_max_error(float(self.max_error or 0.0), per=self.per)
            score = 1 - best.abstention
        self.curve_, self.window_ = surface, (best.lower, best.upper)
        self.abstention_, self.best_score_ = float(best.abstention), float(score)

    def _choose_thresholds(self, truth: Ints, p: Floats, weight: Floats) -> None:
        choice, confidence = self._preferred(p)
        if self.costs is None:
            answered, silent = (choice != truth).astype(np.float64), np.zeros(len(truth))
        else:
            table = as_costs(self.costs, self.classes_, needs_abstention=True).answers.to_numpy()
            answered, silent = table[choice, truth], table[-1, truth]
        curve = ClassThresholdCurve.of(self.classes_, choice, confidence, weight, answered, silent)
        per_answer = self.per == "answer"
        if self.costs is not None:
            places = curve.least_loss()
        elif self.max_abstention is not None:
            places = curve.within_abstention(self.max_abstention, per_answer=per_answer)
        else:
            places = curve.within_loss(float(self.max_error or 0.0), per_answer=per_answer)
        abstention, loss = curve.at(places)
        if self.costs is not None:
            self.best_score_ = -loss
        elif self.max_abstention is None:
            self.best_score_ = 1 - abstention
        elif per_answer:
            self.best_score_ = 1 - loss / (1 - abstention) if abstention < 1 else np.nan
        else:
            self.best_score_ = 1 - loss
        self.curve_, self.abstention_ = curve, abstention
        self.thresholds_ = curve.thresholds(places)

    def _preferred(self, p: Floats) -> tuple[Ints, Floats]:
        """Preferred answer to each example and the confidence in it."""
        if self.costs is None:
            return p.argmax(axis=1), p.max(axis=1)
        table = as_costs(self.costs, self.classes_, needs_abstention=True).answers.to_numpy()
        risk = p @ table.T
        return risk[:, :-1].argmin(axis=1), risk[:, -1] - risk[:, :-1].min(axis=1)

    def _decide(self, X: Any, p: Floats) -> Mask:
        if len(self.classes_) == 2:
            return window_rule(p[:, 1], *self.window_)
        choice, confidence = self._preferred(p)
        return answer_or_abstain(choice, confidence >= self.thresholds_[choice], p.shape[1])

    def _check_parameters(self) -> None:
        goals = {
            "costs": self.costs,
            "max_abstention": self.max_abstention,
            "max_error": self.max_error,
        }
        given = [name for name, value in goals.items() if value is not None]
        if len(given) != 1:
            raise ValueError(
                f"{' and '.join(given) if given else 'none of costs, max_abstention, max_error'} "
                "given; say in exactly one of these three ways what is wanted."
            )
        for name, share in (("max_abstention", self.max_abstention), ("max_error", self.max_error)):
            if share is not None and not (isinstance(share, Real) and 0 <= share <= 1):
                raise ValueError(f"{name} is {share!r}; a share lies between 0 and 1.")
        if self.per not in ("answer", "case"):
            raise ValueError(f"per is {self.per!r}; choose 'answer' or 'case'.")
        if isinstance(self.cv, str) and self.cv != "prefit":
            raise ValueError(f"cv is {self.cv!r}; the only name allowed is 'prefit'.")
        if isinstance(self.cv, float) and not 0 < self.cv < 1:
            raise ValueError(
                f"cv is {self.cv!r}; as a float it is the share to hold out, strictly between 0 "
                "and 1."
            )
        if not (self.refit or isinstance(self.cv, float | str)):
            raise ValueError(
                "refit is False, but cv has several folds and so leaves several estimators; give "
                "cv as the share of a single held-out part."
            )

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights are used here and go on to the estimator."""
        return super().get_metadata_routing().add_self_request(self)
