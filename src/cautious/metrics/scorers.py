"""Scorers: measures of cautious classifiers for scikit-learn's model selection."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cautious._set_counts import SetCounts
from cautious._typing import Floats, Mask
from cautious.costs import as_costs
from cautious.errors import InputError, shown
from cautious.metrics._registry import Measure, get_measure, measure_of, params_of_each
from cautious.metrics._risk_coverage import RiskCoverageCurve, count_scores
from cautious.predictions._estimators import empty_sets, outputs_of
from cautious.sets import as_mask


def make_set_scorer(
    measure: str | Callable[..., Any] | Sequence[str | Callable[..., Any]],
    *,
    greater_is_better: bool | None = None,
    empty: str = "error",
    **params: Any,
) -> SetScorer:
    """Make a scorer of cautious classifiers from a measure.

    The scorer calls ``predict_set`` (``predict_proba`` for measures of scores, and ``predict`` too
    where a measure needs determinate answers) and hands ``classes_`` of the estimator to the
    measure, so a fold that lacks a class does no harm. A class that the estimator never saw is in
    none of its predictions but the full set, which stays an abstention. It finds ``predict_set``
    also behind scikit-learn's ``Pipeline`` and searches, which do not pass it through.

    Parameters
    ----------
    measure : str, callable, or sequence of these
        A measure's name (also with ``neg_`` before it) or function; or any function
        ``f(y_true, y_set)``, which also gets ``classes`` and ``sample_weight`` if it takes them.
        With several, the scorer returns a dict of them all from one prediction, which scikit-learn
        takes in place of several scorers.
    greater_is_better : bool, optional
        Whether high is good. By default what the measure says, and ``True`` for a function of your
        own. If not, the score is the negative of the measure.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty prediction set means; see :func:`cautious.sets.as_mask`. An estimator that
        has an attribute ``empty="wrong"``, such as ``ConformalClassifier``, says so itself.
    **params
        Parameters of the measure; of several, each goes to those that take it. They are checked at
        once, before anything is fitted. Costs of two classes need ``pos_label`` beside them, unless
        the classes are plain (0/1, no/yes) or the estimator has a ``pos_label`` of its own, which
        is then taken.

    Returns
    -------
    SetScorer
        Use it as ``scoring=`` of ``GridSearchCV``, ``cross_validate`` and the like.

    Raises
    ------
    TypeError
        If a parameter is not the measure's.
    ValueError
        If a measure lacks a parameter it cannot do without, such as the costs of "set_cost", or if
        a parameter has a bad value.

    Examples
    --------
    >>> from cautious.metrics import make_set_scorer, utility_score
    >>> make_set_scorer(utility_score, utility="u80")
    make_set_scorer('utility', utility='u80')
    >>> make_set_scorer(["u65", "coverage", "error"])
    make_set_scorer(['u65', 'coverage', 'neg_error'])

    By the costs that a classifier is tuned for, of as many classes as it has:

    >>> make_set_scorer("set_cost", costs={"mistake": 5, "abstain": 1})
    make_set_scorer('neg_set_cost', costs={'mistake': 5, 'abstain': 1})
    """
    several = not (isinstance(measure, str) or callable(measure))
    given: Any = measure if several else [measure]
    entries = [_known(which) for which in given]
    own_params = params_of_each(entries, params) if several else [params]
    parts = list(zip(entries, own_params, strict=True))
    for entry, own in parts:
        if isinstance(entry, Measure):
            _check_params(entry, own)
    return SetScorer(parts, greater_is_better, empty, params, several)


@dataclass(eq=False, repr=False)
class SetScorer:
    """A callable ``scorer(estimator, X, y, sample_weight=None)``; see :func:`make_set_scorer`."""

    parts: list[tuple[Any, dict[str, Any]]]
    greater_is_better: bool | None
    empty: str
    params: dict[str, Any]
    several: bool
    sample_weight_request: bool | str | None = None

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
    ) -> float | dict[str, float]:
        """Score a fitted estimator on cases whose classes are known."""
        predicted = _Predicted(estimator, X, y, sample_weight, self.empty)
        try:
            scores = {
                self._name(measure): self._sign(measure) * predicted.value(measure, own)
                for measure, own in self.parts
            }
        except InputError as refusal:
            # Searches warn with the whole traceback; what lies behind helps nobody.
            refusal.add_note("What is named here are arguments of make_set_scorer.")
            raise refusal.with_traceback(None) from None
        return scores if self.several else next(iter(scores.values()))

    def _sign(self, measure: Measure | Callable[..., Any]) -> int:
        better = self.greater_is_better
        if better is None:
            better = getattr(measure, "greater_is_better", True)
        return 1 if better else -1

    def _name(self, measure: Any) -> str:
        is_own = isinstance(measure, Measure)
        own = measure.name if is_own else getattr(measure, "__name__", "score")
        return own if self._sign(measure) > 0 else f"neg_{own}"

    def __repr__(self) -> str:
        names = [self._name(measure) for measure, _ in self.parts]
        given = self.params if self.empty == "error" else {"empty": self.empty, **self.params}
        params = "".join(f", {key}={value!r}" for key, value in given.items())
        return f"make_set_scorer({names if self.several else names[0]!r}{params})"

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say whether weights are wanted, where scikit-learn's metadata routing is enabled."""
        self.sample_weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn which metadata this scorer asks for."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self.sample_weight_request)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer in a dict of scorers.
        return True


class _Predicted:
    """What an estimator says of some cases, worked out once however many measures ask."""

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None, empty: str
    ) -> None:
        self.estimator, self.X, self.y = estimator, X, y
        self.sample_weight = sample_weight
        self.empty = empty_sets(estimator) if empty == "error" else empty
        self.known = np.asarray(estimator.classes_).tolist()
        self.classes = list(dict.fromkeys([*self.known, *np.asarray(y).tolist()]))

    @cached_property
    def pos_label(self) -> Any:
        """The positive class that the estimator was told, if it was told one only."""
        params: dict[str, Any] = getattr(self.estimator, "get_params", dict)()
        said = [value for name, value in params.items() if name.split("__")[-1] == "pos_label"]
        different = list(dict.fromkeys(value for value in said if value is not None))
        return different[0] if len(different) == 1 else None

    @cached_property
    def mask(self) -> Mask:
        """Prediction sets, with a column for every class the estimator never saw."""
        sets, _ = outputs_of(self.estimator, self.X, "predict_set")
        mask = as_mask(sets, self.known, empty=self.empty)
        return self._widened(mask, np.asarray(mask.all(axis=1))[:, None])

    def _widened(self, columns: npt.NDArray[Any], unseen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.hstack([columns, np.repeat(unseen, len(self.classes) - len(self.known), axis=1)])

    def value(self, measure: Measure | Callable[..., Any], own: dict[str, Any]) -> float:
        """Value of a measure with its own parameters, or of a function of one's own."""
        if not isinstance(measure, Measure):
            offered = {"classes": self.classes, "sample_weight": self.sample_weight}
            takes = inspect.signature(measure).parameters
            given = {key: value for key, value in offered.items() if key in takes}
            return float(measure(self.y, self.mask, **given, **own))
        params = {**measure.params, **own}
        if isinstance(params.get("costs"), Mapping) and params.get("pos_label") is None:
            params["pos_label"] = self.pos_label
        if measure.counts is RiskCoverageCurve:
            return measure.score(self._scored, **params)
        return measure.score(self._answered if "y_pred" in measure.needs else self._sets, **params)

    @cached_property
    def _sets(self) -> SetCounts:
        return self._count(None)

    @cached_property
    def _answered(self) -> SetCounts:
        _ = self.mask  # who asks for the sets need not be told that `predict` never abstains
        return self._count(self.estimator.predict(self.X))

    def _count(self, y_pred: Any) -> SetCounts:
        return SetCounts.from_predictions(
            self.y, self.mask, classes=self.classes, sample_weight=self.sample_weight,
            empty=self.empty, y_pred=y_pred,
        )  # fmt: skip

    @cached_property
    def _scored(self) -> RiskCoverageCurve:
        scores: Floats = np.asarray(self.estimator.predict_proba(self.X), dtype=np.float64)
        columns = self._widened(scores, np.full((len(scores), 1), -np.inf))
        return count_scores(self.y, columns, self.classes, None, self.sample_weight)


def _known(which: str | Callable[..., Any]) -> Measure | Callable[..., Any]:
    """Find a measure of this library; leave a user's own function as it is."""
    if isinstance(which, str):
        return get_measure(which.removeprefix("neg_"))
    return which if isinstance(which, Measure) else measure_of(which) or which


def _check_params(entry: Measure, params: dict[str, Any]) -> None:
    """Refuse a measure that could never be computed, before anything is fitted for it."""
    if missing := sorted(entry.missing_params() - set(params)):
        raise ValueError(
            f"measure {shown(entry.name)} needs {', '.join(missing)}, not given; pass it as "
            f"make_set_scorer({shown(entry.name)}, {missing[0]}=...), also for a list of measures."
        )
    entry.check_params(params)
    given = {**entry.params, **params}
    if "costs" in given:
        costs = given["costs"]
        alike = isinstance(costs, Mapping) and set(costs) == {"mistake", "abstain"}
        as_costs(costs, (0, 1) if alike else None)  # of any classes: the estimator brings its own
    elif entry.counts is SetCounts and all(isinstance(value, str) for value in given.values()):
        with warnings.catch_warnings(action="ignore"):
            entry(SetCounts.from_predictions([0, 1], [[0], {0, 1}], y_pred=[0, 1]), **params)
