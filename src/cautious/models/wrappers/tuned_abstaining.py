"""A wrapper that learns from the data when to abstain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from cautious._checks import as_codes, check_probabilities
from cautious._labels import binary_classes
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs import SetCosts, as_costs
from cautious.costs._tables import AnswerCosts
from cautious.decision import Rule
from cautious.errors import shown
from cautious.models.base import (
    check_examples,
    check_folds,
    check_probabilistic,
    drop_weightless,
    fit_metadata,
    split_metadata,
    take_over_features,
    take_rows,
)
from cautious.models.wrappers.wrapper import ProbabilisticWrapper, hold_out
from cautious.tuning import find_rule
from cautious.tuning._found_rule import FoundRule

__all__ = ["TunedAbstainingClassifierCV"]


class TunedAbstainingClassifierCV(ProbabilisticWrapper):
    r"""Abstaining classifier whose thresholds are chosen on held-out predictions.

    Say what matters: what every answer and every abstention costs, or one budget: how much may be
    abstained on, how many mistakes may be made, or which part of the mistakes is to be saved. The
    estimator is cross-validated once; :func:`cautious.tuning.find_rule` then compares all
    thresholds on its out-of-fold probabilities, without fitting again.

    Two classes are separated by a *window* :math:`(l, u)` on the probability of the positive class:
    the positive is answered from u on, the negative up to l, and between them nothing is (Friedel,
    Rückert & Kramer 2006). The best of all windows is found.

    With more classes each has a *threshold* of its own on the confidence in it (Ferri &
    Hernández-Orallo 2004, rule R2). Without costs the preferred answer is the most probable class
    and the confidence its probability. With costs it is the class c of the least expected cost, and
    the confidence is what it saves against abstaining,
    :math:`\sum_y p_y (C_{\bot y} - C_{c y})`; thresholds of zero are Chow's rule. For given costs
    the best thresholds are found exactly, for a budget too but for very many cases.

    All this holds on the held-out predictions. On fresh data the share of abstentions comes out
    right on average, but mistakes and costs are underestimated by what choosing the best thresholds
    always adds: leave some margin, or judge the choice on data of its own.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``, also a pipeline. One that is already fitted is kept as it
        is inside scikit-learn's ``FrozenEstimator``; all examples given to ``fit`` then count as
        held out.
    costs : mapping, array-like, DataFrame, path or SetCosts, optional
        Costs in any form of :func:`cautious.costs.as_costs` that says what abstaining costs: a
        mapping ``{"false_negative": …, "false_positive": …, "abstain": …}`` for two classes, or a
        table of shape (K + 1, K), answers as rows with abstaining last, truths as columns. Checked
        before anything is fitted. Beside a budget, a mapping of the two mistakes only.
    max_abstention : float, optional
        Largest share of cases to abstain on, while as few mistakes as possible are made.
    max_error : float, optional
        Largest share of mistakes, while as little as possible is abstained on.
    min_saving : float, optional
        The part of the mistakes without abstention that has to go, while as little as possible is
        abstained on.
    per : {"answer", "case"}, default="answer"
        Whether mistakes are counted among the answers given or among all cases.
    pos_label : label, optional
        The positive one of two classes. Costs named after false negatives and false positives ask
        for it, unless the labels are plain (0/1, -1/1, no/yes and the like). It is never guessed by
        the alphabet.
    priors : mapping, or sequence in ``classes_`` order, optional
        Class probabilities to assume in the choice, instead of the sample's.
    cv : int, float, splitter or iterable, default=5
        How predictions are held out: folds as scikit-learn takes them, or, as a float, the share of
        a single held-out part. A splitter may hold rows out several times, or some never.
    refit : bool, default=True
        Whether to fit the estimator on all examples in the end. False keeps the one that the
        held-out part was predicted with, if there was only one part.
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
    rule_ : Rule
        The rule that was found: it can be saved, applied to probabilities, drawn, and watched by
        :func:`cautious.watch`. It holds bins of the held-out probabilities. With `refit` those of
        the final model, which learned from more examples, differ a little from them, so the bound
        on false alarms about drift is approximate then. In a simulation at 5 %, 2 of 130 forests
        (25 or 40 trees, 2,000 or 600 examples) and none of 200 logistic regressions raised one
        within 20,000 or 4,000 new cases. A float `cv` with ``refit=False`` keeps the bound exactly.
        None if there is a single class.
    best_thresholds_ : ndarray
        For two classes the window (lower, upper) on the probability of ``rule_.pos_label``; for
        more classes one threshold per class, infinite where a class is never answered.
    best_score_ : float
        The negative mean cost per case on the held-out predictions. Without `costs` a mistake costs
        1 and abstaining nothing.
    cv_results_ : dict of ndarray
        What the rule does on each held-out part: ``n_cases``, ``abstention``, ``error`` (wrong per
        case), ``selective_error`` (wrong per answer) and, with `costs`, ``cost`` per case. A frame
        can be made of it.
    search_ : FoundRule
        The search's own result, with the rates on all held-out predictions and, as ``curve``, what
        the rule was chosen from.

    See Also
    --------
    cautious.tuning.find_rule : The same search on predictions from anywhere.
    AbstainingClassifier : Thresholds that are known in advance.

    Notes
    -----
    Weights count in the choice of thresholds and in fitting. They reach every step of a pipeline
    that takes them; with metadata routing, those that request them. ``groups`` reach the splitter.
    A class too rare to be in every fold has probability zero where it was not learned.

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
    >>> round(model.search_.abstention, 2), round(model.search_.selective_error, 2)
    (0.2, 0.22)
    >>> costs = {"false_negative": 10, "false_positive": 1, "abstain": 0.5}
    >>> model = TunedAbstainingClassifierCV(LogisticRegression(), costs=costs).fit(X, y)
    >>> lower, upper = model.best_thresholds_
    >>> bool(lower < upper)
    True
    >>> print(model.rule_.describe())
    Answer 1 where the score is at least ..., 0 where it is at most ...; abstain between.
    """

    rule_: Rule | None
    best_thresholds_: Floats
    best_score_: float
    cv_results_: dict[str, npt.NDArray[Any]]
    search_: FoundRule | None

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Any = None,
        max_abstention: float | None = None,
        max_error: float | None = None,
        min_saving: float | None = None,
        per: Literal["answer", "case"] = "answer",
        pos_label: Any = None,
        priors: Any = None,
        cv: Any = 5,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.max_abstention = max_abstention
        self.max_error = max_error
        self.min_saving = min_saving
        self.per = per
        self.pos_label = pos_label
        self.priors = priors
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, **fit_params: Any
    ) -> Any:
        """Choose the thresholds on held-out predictions, and fit; ``groups`` go to the splitter."""
        self._check_parameters()
        check_probabilistic(self.estimator)
        X, labels, given = check_examples(X, y, sample_weight)
        split_params, rest = split_metadata(self, given, fit_params)
        params = fit_metadata(self, self.estimator, given, rest)
        weight = np.ones(len(labels)) if given is None else given
        n, present = len(labels), np.arange(len(labels))
        if isinstance(self.cv, int | float | None):  # splits given by position count every row
            present = np.flatnonzero(weight)
            split_params = take_rows(split_params, present, n)
            X, labels, weight, params = drop_weightless(X, labels, weight, params)
        frozen = isinstance(self.estimator, FrozenEstimator)
        if frozen:
            check_is_fitted(self.estimator)
        classes = np.asarray(self.estimator.classes_) if frozen else np.unique(labels)
        goal = self._goal(classes, labels, present, n)
        if frozen or self.refit:
            self.estimator_ = clone(self.estimator).fit(X, labels, **params)
        parts = self._held_out(X, labels, classes, params, split_params)
        take_over_features(self, self.estimator_)
        self.classes_: Labels = np.asarray(self.estimator_.classes_)
        self._choose(parts, labels, weight, goal)
        return self

    def _goal(self, classes: Labels, labels: Labels, present: Ints, n: int) -> dict[str, Any]:
        """Arguments of the search, tried before anything is fitted on predictions of no use."""
        names = ("costs", "max_abstention", "max_error", "min_saving", "per", "priors")
        goal = {name: getattr(self, name) for name in names}
        if len(classes) < 2:
            return goal
        goal["classes"] = classes.tolist()
        if len(classes) == 2:
            goal["pos_label"] = classes.tolist()[1]  # says which end of a window is the upper one
            if self.pos_label is not None or isinstance(self.costs, Mapping):
                pair = binary_classes(classes.tolist(), pos_label=self.pos_label)
                goal["pos_label"] = pair[1]
        elif self.pos_label is not None:
            goal["pos_label"] = self.pos_label  # to be refused by the search
        is_budget = not self.max_abstention is self.max_error is self.min_saving is None
        if self.costs is not None and not is_budget:
            positive = goal.get("pos_label")
            costs = as_costs(self.costs, classes, pos_label=positive, needs_abstention=True)
            if isinstance(costs, AnswerCosts) and costs.n_cases not in (None, n):
                raise ValueError(
                    f"costs holds a table for each of {costs.n_cases} cases, but X has {n} rows. "
                    "Costs per case are a parameter, which no cross-validation around this "
                    "estimator can cut into folds."
                )
            goal["costs"] = _of_rows(costs, present)
        find_rule(labels, y_proba=np.full((len(labels), len(classes)), 1 / len(classes)), **goal)
        return goal

    def _held_out(
        self,
        X: Any,
        labels: Labels,
        classes: Labels,
        params: dict[str, Any],
        split_params: dict[str, Any],
    ) -> list[tuple[Ints, Floats]]:
        """Rows that were held out, and probabilities from an estimator that had not seen them."""
        everything = np.arange(len(labels))
        if len(classes) < 2:  # nothing to choose, and nothing to stratify by
            return [(everything, np.ones((len(labels), 1)))]
        if isinstance(self.estimator, FrozenEstimator):
            p = self.estimator_.predict_proba(X)
            p = check_probabilities(p, name="predict_proba(X)", n_classes=len(classes))
            return [(everything, p)]
        if isinstance(self.cv, float):
            codes = as_codes(labels, classes, name="y")
            splits = [hold_out(codes, self.cv, self.random_state)]
        else:
            splitter = check_cv(self.cv, labels, classifier=True)
            splits = list(splitter.split(X, labels, **split_params))
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_and_ask)(
                clone(self.estimator), X, labels, classes, params, *split, keep=not self.refit
            )
            for split in splits
        )
        if not self.refit:
            self.estimator_: Any = parts[0][0]
        return [(test, p) for (_, p), (_, test) in zip(parts, splits, strict=True)]

    def _choose(
        self,
        parts: list[tuple[Ints, Floats]],
        labels: Labels,
        weight: Floats,
        goal: dict[str, Any],
    ) -> None:
        """Search for the rule on all parts, and say what it does on each."""
        self.rule_, self.search_, self.best_thresholds_ = None, None, np.empty(0)
        self.best_score_, self.cv_results_ = 0.0, {}
        if len(self.classes_) == 1:
            return
        rows = np.concatenate([part for part, _ in parts])
        p = np.concatenate([proba for _, proba in parts])
        as_codes(labels[rows], self.classes_, name="y", rows=rows)
        costs = goal["costs"]
        found = find_rule(
            labels[rows],
            y_proba=p,
            sample_weight=weight[rows],
            **{**goal, "costs": _of_rows(costs, rows)},
        )
        self.search_, self.rule_ = found, found.rule
        ends = (found.rule.lower, found.rule.upper)
        thresholds = ends if found.rule.thresholds is None else found.rule.thresholds
        self.best_thresholds_ = np.array(thresholds, dtype=np.float64)
        self.best_score_ = -float(found.error if found.cost is None else found.cost)
        each = [
            self._rates(labels[part], proba, weight[part], _of_rows(costs, part))
            for part, proba in parts
        ]
        self.cv_results_ = {name: np.array([one[name] for one in each]) for name in each[0]}

    def _rates(self, labels: Labels, p: Floats, weight: Floats, costs: Any) -> dict[str, float]:
        """Tell what the rule does on one held-out part."""
        assert self.rule_ is not None
        sets = self.rule_.predict_set(p, classes=self.classes_.tolist())
        truth = as_codes(labels, self.classes_, name="y")
        answered = sets.sum(axis=1) == 1
        wrong = answered & ~sets[np.arange(len(truth)), truth]
        total, given, mistakes = (float(weight[some].sum()) for some in (..., answered, wrong))
        rates = {
            "n_cases": total,
            "abstention": 1 - given / total if total else np.nan,
            "error": mistakes / total if total else np.nan,
            "selective_error": mistakes / given if given else np.nan,
        }
        if isinstance(costs, SetCosts):
            each = costs.of(sets, truth)
            rates["cost"] = float(weight @ each / total) if total else np.nan
        return rates

    def _decide(self, X: Any, p: Floats) -> Mask:
        assert self.rule_ is not None
        return self.rule_.predict_set(p, classes=self.classes_.tolist())

    def _check_parameters(self) -> None:
        if isinstance(self.cv, str):
            raise ValueError(
                f"cv is {shown(self.cv)}; give a number of folds, the share of a single held-out "
                "part, or a splitter. An estimator that is already fitted goes into "
                "FrozenEstimator."
            )
        check_folds(self.cv)
        if isinstance(self.cv, float) and not 0 < self.cv < 1:
            raise ValueError(
                f"cv is {shown(self.cv)}; as a float it is the share to hold out, strictly between "
                "0 and 1."
            )
        if not (self.refit or isinstance(self.cv, float)):
            raise ValueError(
                "refit is False, but cv has several folds and so leaves several estimators; give "
                "cv as the share of a single held-out part."
            )

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn where metadata go: weights here and to the estimator, groups on."""
        router = super().get_metadata_routing().add_self_request(self)
        mapping = MethodMapping().add(caller="fit", callee="split")
        return router.add(splitter=self.cv, method_mapping=mapping)


def _fit_and_ask(
    estimator: Any,
    X: Any,
    labels: Labels,
    classes: Labels,
    params: dict[str, Any],
    train: Ints,
    test: Ints,
    *,
    keep: bool,
) -> tuple[Any, Floats]:
    """Fit on some rows and ask about others; a class that was not learned has probability zero."""
    own = take_rows(params, train, len(labels))
    fitted = estimator.fit(_safe_indexing(X, train), labels[train], **own)
    p = np.zeros((len(test), len(classes)))
    known = as_codes(np.asarray(fitted.classes_), classes, name="classes_")
    answers = fitted.predict_proba(_safe_indexing(X, test))
    p[:, known] = check_probabilities(answers, name="predict_proba(X)", n_classes=len(known))
    return fitted if keep else None, p


def _of_rows(costs: Any, rows: Ints) -> Any:
    """Costs of some rows, where they differ per case."""
    return costs.take(rows) if isinstance(costs, AnswerCosts) and costs.per_case else costs
