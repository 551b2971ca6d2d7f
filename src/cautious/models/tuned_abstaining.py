"""Wrappers that learn from the data when to abstain, and what can be promised of it."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed

from cautious._cases import Cases
from cautious._checks import as_codes, check_probabilities
from cautious._random import as_generator, check_level
from cautious._typing import Floats, Ints, Labels, Mask, RandomState
from cautious.curves._staircase import check_priors
from cautious.decision import Rule
from cautious.errors import shown
from cautious.guarantees import certify
from cautious.guarantees._certified_rule import Promise, check_promise
from cautious.guarantees._limits import LIMIT_ARGUMENTS, read_limits
from cautious.guarantees._tallies import Shape
from cautious.models._base import FOLDS, SHARE, Examples, OneOf, parameter
from cautious.models.wrapper import (
    ProbabilisticWrapper,
    out_of_fold,
    over_classes,
    probabilities_of,
)
from cautious.predictions._cells import encode_labels, grouped
from cautious.tuning._cross_fitting import Expected, cross_fit
from cautious.tuning._goal import FoundRule, Goal
from cautious.tuning._search import Search, positive_of, search_cases


@dataclass(eq=False, repr=False)
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
        before anything is fitted. Beside `max_abstention` or `min_saving` the two mistakes alone.
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
    classes_, estimator_
        Class labels, sorted; the fitted estimator.
    rule_ : Rule
        The rule that was found: it can be saved, applied to probabilities, drawn, and watched by
        :func:`cautious.watch`. It holds bins of the held-out probabilities. With `refit` those of
        the final model, which learned from more examples, differ a little from them, so the bound
        on false alarms about drift is approximate then; a float `cv` with ``refit=False`` keeps it.
        None if there is a single class.
    best_thresholds_ : ndarray
        For two classes the window (lower, upper) on the probability of ``rule_.pos_label``; for
        more classes one threshold per class, infinite where a class is never answered.
    best_score_ : float
        Minus the mean cost of the held-out predictions; without `costs` a mistake costs 1.
    cv_results_ : dict of ndarray
        What the rule does on each held-out part: ``n_cases``, ``abstention``, ``error`` (wrong per
        case), ``selective_error`` (wrong per answer) and, with `costs`, ``cost`` per case. A frame
        can be made of it.
    search_ : FoundRule
        The search's own result. Its rates are of the predictions that the rule was chosen on, too
        good for new cases; see :meth:`expected`.

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
    >>> print(model.rule_.describe())
    Answer 1 where the score is at least ..., 0 where it is at most ...; abstain between.
    """

    _: KW_ONLY
    costs: Any = None
    max_abstention: float | None = None
    max_error: float | None = None
    min_saving: float | None = None
    per: Literal["answer", "case"] = parameter("answer", OneOf("answer", "case"))
    pos_label: Any = None
    priors: Any = None
    cv: Any = parameter(5, FOLDS, SHARE)
    refit: bool = parameter(True, "boolean")
    n_jobs: int | None = None
    random_state: Any = None

    _abstains = _splits_all = True

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        costs: Any = None,
        **fit_params: Any,
    ) -> Any:
        """Fit the estimator, and find the rule on held-out probabilities.

        Parameters
        ----------
        X, y : array-like
            Examples and their labels, as the estimator takes them.
        sample_weight : array-like of shape (n,), optional
            How often each example counts.
        costs : DataFrame or array-like of n rows, optional
            Costs that differ per case, in place of the parameter: for two classes a frame with
            columns ``false_negative``, ``false_positive`` and ``abstain``, otherwise a table for
            each case, of shape (n, K + 1, K). Searches and pipelines cut them with the examples;
            with metadata routing, say ``set_fit_request(costs=True)``.
        **fit_params
            Anything else for the estimator's ``fit``, and ``groups`` for the splitter.
        """
        if costs is not None and self.costs is not None:
            raise ValueError(
                "costs is given to fit, and is a parameter too; give it once: to fit where costs "
                "differ per case."
            )
        if isinstance(costs, pd.DataFrame):
            costs = {name: costs[name].to_numpy() for name in costs}
        return self._fit(X, y, sample_weight, fit_params, costs)

    def expected(self, confidence_level: float = 0.95) -> Expected:
        """Say what the rule is expected to do on new cases, as :func:`cautious.tune` does.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = make_classification(500, flip_y=0.2, random_state=0)
        >>> model = TunedAbstainingClassifierCV(LogisticRegression(), max_abstention=0.2).fit(X, y)
        >>> round(model.expected().selective_error.estimate, 2)
        0.23
        """
        if (search := getattr(self, "_search", None)) is None:
            raise NotFittedError("there is no rule yet; call fit with two classes or more.")
        return cross_fit(search).expected(check_level(confidence_level))

    def _check_parameters(self) -> None:
        if not (self.refit or isinstance(self.cv, float)):
            raise ValueError(
                "refit is False, but cv has several folds and so leaves several estimators; give "
                "cv as the share of a single held-out part."
            )

    def _prepare(self, examples: Examples, extra: Any) -> Any:
        """Read the goal for the classes, before anything is fitted."""
        n, classes = len(examples), self._expected_classes(examples)
        if len(classes) < 2:
            return classes, None, None, None
        costs = self.costs if extra is None else extra
        goal = Goal(
            costs, self.max_abstention, self.max_error, self.min_saving, self.per, self.priors
        )
        codes, labels = as_codes(examples.labels, classes, name="y"), classes.tolist()
        positive = positive_of(classes, goal, self.pos_label)
        read = goal.read_costs(labels, n, positive)
        if goal.priors is not None:
            check_priors(goal.priors, labels, np.bincount(codes, minlength=len(labels)).tolist())
        return classes, goal if goal.budgets else replace(goal, costs=read), positive, codes

    def _learn(self, examples: Examples, plan: Any) -> list[tuple[Ints, Floats]]:
        """Fit, and give held-out rows with probabilities of one that had not seen them."""
        # Splits given by position count every row; otherwise rows of weight zero are in none.
        rows = np.arange(len(examples))
        if examples.weight is not None and isinstance(self.cv, int | float | None):
            rows = np.flatnonzero(examples.weight)
        part, (classes, _, _, codes) = examples.take(rows), plan
        if self._is_frozen or self.refit:
            self.estimator_ = part.fitted(self.estimator)
        if len(classes) < 2:  # nothing to choose, and nothing to stratify by
            return []
        if self._is_frozen:
            p = self.estimator_.predict_proba(part.X)
            return [(rows, check_probabilities(p, name="predict_proba(X)", n_classes=len(classes)))]
        if isinstance(self.cv, float):
            splits = [hold_out(codes[rows], self.cv, self.random_state)]
        else:
            splitter = check_cv(self.cv, part.labels, classifier=True)
            splits = list(splitter.split(part.X, part.labels, **part.split_params))
        held = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_and_ask)(self.estimator, part, classes, *split, keep=not self.refit)
            for split in splits
        )
        if not self.refit:
            self.estimator_ = held[0][0]
        return [(rows[test], p) for (_, p), (_, test) in zip(held, splits, strict=True)]

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        """Search for the rule on all parts, and say what it does on each."""
        self.rule_: Rule | None = None
        self._search: Search | None = None
        self.search_: FoundRule | None = None
        self.best_thresholds_, self.best_score_ = np.empty(0), 0.0
        self.cv_results_: dict[str, npt.NDArray[Any]] = {}
        if not evidence:
            return
        _, goal, positive, codes = plan
        rows = np.concatenate([part for part, _ in evidence])
        p = np.concatenate([proba for _, proba in evidence])
        weight = None if examples.weight is None else examples.weight[rows]
        if (groups := examples.split_params.get("groups")) is not None:
            groups = grouped(encode_labels(np.asarray(groups)[rows]))
        cases = Cases.of_codes(
            self.classes_, codes[rows], y_proba=p, sample_weight=weight, groups=groups
        )
        costs = None if goal.budgets else goal.costs.take(rows)
        asked = goal if costs is None else replace(goal, costs=costs)
        search = search_cases(cases, asked, pos_label=positive)
        found, answer, truth = search.found, search.answer, search.cases.truth
        self._search, self.search_, self.rule_ = search, found, found.rule
        ends = (found.rule.lower, found.rule.upper)
        thresholds = ends if found.rule.thresholds is None else found.rule.thresholds
        self.best_thresholds_ = np.array(thresholds, dtype=np.float64)
        self.best_score_ = -float(found.error if found.cost is None else found.cost)
        answered = answer < len(self.classes_)
        counted = [np.ones(len(answer)), answered, answered & (answer != truth)]
        if costs is not None:
            assert search.losses is not None
            at = np.arange(len(answer)) if costs.per_case else truth
            counted.append(search.losses[at, answer])
        part = np.repeat(np.arange(len(evidence)), [len(held) for held, _ in evidence])
        part = part[cases.weight > 0]  # as the search has them
        n, given, failed, *cost = (
            np.bincount(part, search.cases.weight * each, len(evidence)) for each in counted
        )
        with np.errstate(invalid="ignore"):  # a part without weight has no rates
            self.cv_results_ = {
                "n_cases": n,
                "abstention": 1 - given / n,
                "error": failed / n,
                "selective_error": failed / given,
            }
            if cost:
                self.cv_results_["cost"] = cost[0] / n

    def _decide(self, X: Any, p: Floats) -> Mask:
        assert self.rule_ is not None
        return self.rule_.predict_set(p, classes=self.classes_.tolist())

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn where metadata go: weights here and to the estimator, groups on."""
        router = super().get_metadata_routing().add_self_request(self)
        mapping = MethodMapping().add(caller="fit", callee="split")
        return router.add(splitter=self.cv, method_mapping=mapping)


def hold_out(y: Ints, share: float, random_state: RandomState = None) -> tuple[Ints, Ints]:
    """Split examples so that each class is held out in the same share, but never all of it."""
    order = as_generator(random_state).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    # Every so many examples along the classes, one is taken: each class gets its share within one.
    step = np.floor(np.arange(1, len(y) + 1) * share) > np.floor(np.arange(len(y)) * share)
    first = np.append(True, np.diff(y[order]) > 0)
    step[first] = False
    return np.sort(order[~step]), np.sort(order[step])


def _fit_and_ask(
    estimator: Any, examples: Examples, classes: Labels, train: Ints, test: Ints, *, keep: bool
) -> tuple[Any, Floats]:
    """Fit on some rows and ask about others; a class that was not learned has probability zero."""
    fitted = examples.take(train).fitted(estimator)
    p = probabilities_of(fitted, _safe_indexing(examples.X, test), classes)
    return fitted if keep else None, p


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
    n_jobs : int, optional
        Processes that fit the folds; worth it where a fit takes more than a second.
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
    Seen on 1,500 calibration cases: 122 of 1,446 answers were wrong (p = 0.024).
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
    n_jobs: int | None = None
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
        return {name: getattr(self, name) for name in LIMIT_ARGUMENTS if hasattr(self, name)}

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
            p = out_of_fold(self.estimator, examples.take(training), self.cv, self.n_jobs)
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
