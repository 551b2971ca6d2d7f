"""Scorers: measures of cautious classifiers for scikit-learn's model selection."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metadata_routing import MetadataRequest

from cautious._typing import Floats, Mask
from cautious.metrics.counts import SetCounts
from cautious.metrics.registry import MEASURES, Counts, Measure, get_measure
from cautious.metrics.risk_coverage import RiskCoverageCurve
from cautious.sets import as_mask

__all__ = ["SetScorer", "get_set_scorer", "get_set_scorer_names", "make_set_scorer"]


def make_set_scorer(
    measure: str | Callable[..., Any] | Sequence[str | Callable[..., Any]],
    *,
    greater_is_better: bool | None = None,
    **params: Any,
) -> SetScorer:
    """Make a scorer of cautious classifiers from a measure.

    The scorer calls ``predict_set`` (``predict_proba`` for measures of scores, and ``predict`` too
    where a measure needs determinate answers) and hands ``classes_`` of the estimator to the
    measure, so a fold that lacks a class does no harm. A class that the estimator never saw is in
    none of its predictions but the full set, which stays an abstention.

    Parameters
    ----------
    measure : str, callable, or sequence of these
        A measure's name or function; or any function ``f(y_true, y_set)``, which also gets
        ``classes`` and ``sample_weight`` if it takes them. With several, the scorer returns a dict
        of them all from one prediction, which scikit-learn takes in place of several scorers.
    greater_is_better : bool, optional
        Whether high is good. By default what the measure says, and ``True`` for a function of your
        own. If not, the score is the negative of the measure.
    **params
        Parameters of the measure, if there is only one.

    Returns
    -------
    SetScorer
        Use it as ``scoring=`` of ``GridSearchCV``, ``cross_validate`` and the like.

    Raises
    ------
    ValueError
        If a measure lacks a parameter it cannot do without, such as the costs of "set_cost".

    Examples
    --------
    >>> from cautious.metrics import make_set_scorer, utility_score
    >>> make_set_scorer(utility_score, utility="u80")
    make_set_scorer('utility', utility='u80')
    >>> make_set_scorer(["u65", "coverage", "error"])
    make_set_scorer(['u65', 'coverage', 'neg_error'])
    """
    if isinstance(measure, str) or callable(measure):
        return SetScorer([_known(measure)], greater_is_better, params, several=False)
    if params:
        raise ValueError(
            f"parameters {sorted(params)} were given for several measures; enter each under a name "
            "with cautious.metrics.with_params, or make a scorer for each."
        )
    return SetScorer([_known(which) for which in measure], greater_is_better, {}, several=True)


def get_set_scorer(name: str) -> SetScorer:
    """Get a scorer by name; measures of which less is better are called ``neg_…``.

    Parameters
    ----------
    name : str
        One of :func:`get_set_scorer_names`.

    Returns
    -------
    SetScorer

    Examples
    --------
    >>> get_set_scorer("u65"), get_set_scorer("neg_error")
    (make_set_scorer('u65'), make_set_scorer('neg_error'))
    """
    if name not in get_set_scorer_names():
        near = f"neg_{name}" if f"neg_{name}" in get_set_scorer_names() else None
        raise ValueError(
            f"there is no scorer {name!r}; "
            + (f"did you mean {near!r} (greater must be better)? " if near else "")
            + f"All of them: {', '.join(get_set_scorer_names())}."
        )
    return make_set_scorer(name.removeprefix("neg_"))


def get_set_scorer_names() -> list[str]:
    """List the names that :func:`get_set_scorer` knows.

    Examples
    --------
    >>> {"u65", "coverage", "neg_error", "neg_aurc"} <= set(get_set_scorer_names())
    True
    """
    ready = [entry for entry in MEASURES.values() if not entry.missing_params()]
    return sorted(entry.name if entry.greater_is_better else f"neg_{entry.name}" for entry in ready)


class SetScorer:
    """A callable ``scorer(estimator, X, y, sample_weight=None)``; see :func:`make_set_scorer`."""

    def __init__(
        self,
        measures: Sequence[Measure | Callable[..., Any]],
        greater_is_better: bool | None,
        params: dict[str, Any],
        *,
        several: bool,
    ) -> None:
        for entry in measures:
            _check_params(entry, params)
        self.measures = list(measures)
        self.greater_is_better = greater_is_better
        self.params = params
        self.several = several
        self.sample_weight_request: bool | str | None = None

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
    ) -> float | dict[str, float]:
        """Score a fitted estimator on cases whose classes are known."""
        predicted = _Predicted(estimator, X, y, sample_weight)
        scores = {
            self._name(measure): self._sign(measure) * self._value(measure, predicted)
            for measure in self.measures
        }
        return scores if self.several else next(iter(scores.values()))

    def _value(self, measure: Measure | Callable[..., Any], predicted: _Predicted) -> float:
        if isinstance(measure, Measure):
            return measure.score(predicted.counts(measure), **self.params)
        takes = inspect.signature(measure).parameters
        offered = {"classes": predicted.labels, "sample_weight": predicted.sample_weight}
        given = {key: value for key, value in offered.items() if key in takes}
        return float(measure(predicted.y, predicted.mask, **given, **self.params))

    def _sign(self, measure: Measure | Callable[..., Any]) -> int:
        better = self.greater_is_better
        if better is None:
            better = measure.greater_is_better if isinstance(measure, Measure) else True
        return 1 if better else -1

    def _name(self, measure: Measure | Callable[..., Any]) -> str:
        own = (
            measure.name if isinstance(measure, Measure) else getattr(measure, "__name__", "score")
        )
        return own if self._sign(measure) > 0 else f"neg_{own}"

    def __repr__(self) -> str:
        names = [self._name(measure) for measure in self.measures]
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"make_set_scorer({names if self.several else names[0]!r}{params})"

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say whether weights are wanted, where scikit-learn's metadata routing is enabled."""
        self.sample_weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Tell scikit-learn which metadata this scorer asks for."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self.sample_weight_request)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer in a dict of scorers.
        return True


class _Predicted:
    """What an estimator says of some cases, worked out once however many measures ask."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> None:
        self.estimator, self.X, self.y, self.sample_weight = estimator, X, y, sample_weight
        self.known = np.asarray(estimator.classes_).tolist()
        self.labels = list(dict.fromkeys([*self.known, *np.asarray(y).tolist()]))

    @cached_property
    def mask(self) -> Mask:
        """Prediction sets, with a column for every class the estimator never saw."""
        if not hasattr(self.estimator, "predict_set"):
            raise AttributeError(
                f"{type(self.estimator).__name__} has no predict_set; this scorer is for cautious "
                "estimators. Wrap the classifier (or the whole pipeline) in one, for example in "
                "cautious.models.AbstainingClassifier."
            )
        mask = as_mask(self.estimator.predict_set(self.X), self.known)
        return self._widened(mask, np.asarray(mask.all(axis=1))[:, None])

    def _widened(self, columns: npt.NDArray[Any], unseen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.hstack([columns, np.repeat(unseen, len(self.labels) - len(self.known), axis=1)])

    def counts(self, measure: Measure) -> Counts:
        """Count in the way a measure needs."""
        if measure.counts is RiskCoverageCurve:
            return self._scored
        return self._answered if "y_pred" in measure.needs else self._sets

    @cached_property
    def _sets(self) -> SetCounts:
        return SetCounts.from_predictions(
            self.y, self.mask, classes=self.labels, sample_weight=self.sample_weight
        )

    @cached_property
    def _answered(self) -> SetCounts:
        return SetCounts.from_predictions(
            self.y,
            self.mask,
            classes=self.labels,
            sample_weight=self.sample_weight,
            y_pred=self.estimator.predict(self.X),
        )

    @cached_property
    def _scored(self) -> RiskCoverageCurve:
        scores: Floats = np.asarray(self.estimator.predict_proba(self.X), dtype=np.float64)
        return RiskCoverageCurve.from_predictions(
            self.y,
            self._widened(scores, np.full((len(scores), 1), -np.inf)),
            classes=self.labels,
            sample_weight=self.sample_weight,
        )


def _known(which: str | Callable[..., Any]) -> Measure | Callable[..., Any]:
    """Find a measure of this library; leave a user's own function as it is."""
    if isinstance(which, str | Measure) or hasattr(which, "measure"):
        return get_measure(which)
    return which


def _check_params(which: Measure | Callable[..., Any], params: dict[str, Any]) -> None:
    """Refuse a measure that could never be computed, before anything is fitted for it."""
    if isinstance(which, Measure) and (missing := sorted(which.missing_params() - set(params))):
        raise ValueError(
            f"measure {which.name!r} needs {', '.join(missing)}, not given; pass it as "
            f"make_set_scorer({which.name!r}, {missing[0]}=...). In a list of measures, first "
            "enter it under a name with cautious.metrics.with_params."
        )
