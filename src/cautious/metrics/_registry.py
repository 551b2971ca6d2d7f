"""What a measure is, and the list of all of them.

Whatever is driven by the registry (scorers, bootstrap intervals, breakdowns, the printed report,
the tests that all measures share) knows a measure as soon as it is defined.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from cautious._cases import cases_of_sets
from cautious._set_counts import SetCounts
from cautious._typing import Floats
from cautious.errors import shown
from cautious.metrics._risk_coverage import RiskCoverageCurve

__all__ = ["MEASURES", "Counts", "Measure", "define_measure", "get_measure", "per_sample",
           "with_params"]  # fmt: skip

P = ParamSpec("P")

Counts: TypeAlias = SetCounts | RiskCoverageCurve
"""What measures are computed from: prediction sets counted, or losses counted by confidence."""

COUNTED: dict[type[Counts], tuple[str, ...]] = {
    SetCounts: ("classes", "sample_weight", "empty", "y_pred"),
    RiskCoverageCurve: ("classes", "pos_label", "sample_weight", "confidence", "loss"),
}
"""Arguments that say what is counted, and not how it is measured."""


@dataclass(frozen=True)
class Measure:
    """A measure by name, as everything that is driven by the registry knows it.

    Calling it gives its value on counts, one value per row where the weights have rows; undefined
    values are nan. :meth:`score` is the same for a reader: a plain float, and a warning where it
    is undefined.

    Attributes
    ----------
    name : str
        Name in :data:`MEASURES`.
    function : callable
        What users call with truths and predictions. It takes counts in place of truths, too.
    counts : type
        The counts it is computed from.
    mean : bool
        Whether it is a weighted mean over cases.
    greater_is_better : bool
        Which way is up.
    needs : frozenset of {"sets", "y_pred"}
        What it asks of the counts beyond sizes and hits.
    section : str or None
        Section of the printed report it belongs to; not printed if None.
    params : mapping
        Parameters already given, such as the utility of "u65".
    """

    name: str
    function: Callable[..., Any]
    counts: type[SetCounts] | type[RiskCoverageCurve] = SetCounts
    mean: bool = False
    greater_is_better: bool = True
    needs: frozenset[str] = frozenset()
    section: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, counts: Counts, **params: Any) -> Floats:
        """Value on counts, without a warning."""
        self.check_params(params)
        forced = {"y_pred": None} if "y_pred" in self.needs else {}  # the counts know it
        value = self.function(counts, None, **{**self.params, **params, **forced})
        return np.asarray(value, dtype=np.float64)

    def score(self, counts: Counts, **params: Any) -> float:
        """Value on counts; nan with a warning where it is undefined."""
        value = float(self(counts, **params))
        if np.isnan(value):
            why = "there are no cases (or all weigh 0)." if counts.n == 0 else "no case counts."
            _warn_undefined(self.name, why)
        return value

    def values(self, cases: SetCounts, **params: Any) -> Floats:
        """One value per cell, of which the measure is the mean; nan for one that does not count."""
        if not self.mean:
            raise ValueError(
                f"{self.name} is not a mean over cases, so it has no value for a single case."
            )
        return self(cases.apart(), **params)

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters of its own, besides those that say what is counted."""
        every, counted = inspect.signature(self.function).parameters, COUNTED[self.counts]
        return {
            name: p for name, p in every.items() if p.kind is p.KEYWORD_ONLY and name not in counted
        }

    def missing_params(self) -> set[str]:
        """Name the parameters that have no default and are not given yet."""
        own = self.parameters.values()
        return {p.name for p in own if p.default is p.empty} - set(self.params)

    def check_params(self, params: Iterable[str]) -> None:
        """Raise an error if a parameter is not its own."""
        unknown = [name for name in params if name not in self.parameters]
        if unknown:
            own = ", ".join(map(repr, self.parameters)) or "none"
            raise TypeError(
                f"{self.name} got an unexpected keyword argument {shown(unknown[0])}; "
                f"its own parameters: {own}."
            )

    def check(self, counts: Counts) -> None:
        """Raise an error if the counts are not what this measure is computed from."""
        if not isinstance(counts, self.counts):
            raise TypeError(
                f"{self.name} is computed from {self.counts.__name__}, not from "
                f"{type(counts).__name__}."
            )
        if "sets" in self.needs and not cast(SetCounts, counts).knows_sets:
            raise ValueError(
                f"{self.name} needs to know the classes in each set, and these counts have "
                "forgotten them; count again without without_sets()."
            )
        if "y_pred" in self.needs and (cast(SetCounts, counts).forced < 0).any():
            raise ValueError(
                f"{self.name} needs the answers behind the sets; "
                "pass y_pred= (usually estimator.predict(X)) where the counts are made."
            )


MEASURES: dict[str, Measure] = {}
"""Every measure by name. What :func:`cautious.metrics.define_measure` defines enters itself."""


def define_measure(
    name: str,
    *,
    counts: type[SetCounts] | type[RiskCoverageCurve] = SetCounts,
    mean: bool = False,
    greater_is_better: bool = True,
    needs: Iterable[str] = (),
    section: str | None = None,
) -> Callable[[Callable[P, npt.ArrayLike]], Callable[P, float]]:
    """Enter a function of truths and predictions as a measure.

    Parameters
    ----------
    name : str
        Name in :data:`cautious.metrics.MEASURES`.
    counts : type, default=SetCounts
        The counts it is computed from.
    mean : bool, default=False
        Whether it is a mean over cases, that is, whether it returns ``counts.mean(values)``.
    greater_is_better : bool, default=True
        Which way is up.
    needs : iterable of {"sets", "y_pred"}
        What it asks of the counts beyond sizes and hits.
    section : str, optional
        Section of the printed report it belongs to; ``None`` leaves it out.

    Returns
    -------
    callable
        A decorator for ``score(y_true, y_set, *, …, classes=None, sample_weight=None,
        empty="error")``. The function counts its arguments with
        :meth:`SetCounts.from_predictions`, which lets counts in place of truths pass, and computes
        from the counts alone. Decorated, it returns a float, and warns where that is nan.

    Examples
    --------
    >>> from cautious.metrics import MEASURES, SetCounts, define_measure
    >>> @define_measure("pairs", mean=True)
    ... def pair_score(y_true, y_set, *, classes=None, sample_weight=None, empty="error"):
    ...     '''Share of answers that name two classes.'''
    ...     counts = SetCounts.from_predictions(
    ...         y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty
    ...     )
    ...     return counts.mean(counts.size == 2)
    >>> pair_score(["x", "y", "z"], [["x"], ["x", "y"], ["x", "z"]]).__round__(3)
    0.667
    >>> del MEASURES["pairs"]
    """
    _check_words(name, section)

    def enter(function: Callable[P, npt.ArrayLike]) -> Callable[P, float]:
        @wraps(function)
        def score(*args: P.args, **kwargs: P.kwargs) -> float:
            given = args[0] if args else kwargs.get("y_true")
            if isinstance(given, SetCounts | RiskCoverageCurve):
                entry.check(given)
                return cast(float, function(*args, **kwargs))  # one value per row of weights
            number = float(cast(Floats, function(*args, **kwargs)))
            if np.isnan(number):
                _warn_undefined(name, "no case counts.")
            return number

        entry = Measure(name, score, counts, mean, greater_is_better, frozenset(needs), section)
        MEASURES[name] = score.measure = entry  # type: ignore[attr-defined]
        signature = inspect.signature(function).replace(return_annotation="float")
        score.__signature__ = signature  # type: ignore[attr-defined]
        return score

    return enter


def _check_words(name: Any, section: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"name is {shown(name)}; a measure is known by its name, a text.")
    if not isinstance(section, str | None):
        raise TypeError(f"section is {shown(section)}; give the heading it stands under, or None.")


def with_params(
    score: str | Callable[..., Any], name: str, *, section: str | None = None, **params: Any
) -> Measure:
    """Enter a measure under a further name with some of its parameters given.

    Parameters
    ----------
    score : str or callable
        A measure, by name or by function.
    name : str
        The further name.
    section : str, optional
        Section of the printed report; that of the measure itself by default.
    **params
        The parameters given.

    Returns
    -------
    Measure

    Examples
    --------
    >>> from cautious.metrics import MEASURES, utility_score, with_params
    >>> with_params(utility_score, "u90", utility="u90").params
    {'utility': 'u90'}
    >>> del MEASURES["u90"]
    """
    _check_words(name, section)
    entry = get_measure(score)
    entry.check_params(params)
    MEASURES[name] = replace(
        entry, name=name, section=section or entry.section, params={**entry.params, **params}
    )
    return MEASURES[name]


def per_sample(score: str | Callable[..., Any]) -> Callable[..., Floats]:
    """Make the function that gives one value per case of a measure that is a mean over cases.

    Parameters
    ----------
    score : str or callable
        A measure, by name or by function.

    Returns
    -------
    callable
        ``f(y_true, y_set, *, classes=None, empty="error", …)`` → array of shape (n,), nan for a
        case that does not count. It takes the parameters of the measure, too, and `y_pred` where
        the measure needs it.

    Examples
    --------
    >>> from cautious.metrics import per_sample, single_accuracy_score
    >>> per_sample(single_accuracy_score)(["x", "x", "y"], [["x"], ["y"], ["x", "y"]])
    array([ 1.,  0., nan])
    """
    entry = get_measure(score)
    if not entry.mean:
        raise ValueError(
            f"{entry.name} is not a mean over cases, so it has no value for a single case."
        )

    def values(
        y_true: Any,
        y_set: Any,
        *,
        classes: Any = None,
        empty: str = "error",
        y_pred: Any = None,
        **params: Any,
    ) -> Floats:
        checked = cases_of_sets(y_true, y_set, classes=classes, empty=empty)
        return entry.values(SetCounts.of_cases(checked, y_pred), **params)

    return values


def get_measure(which: str | Callable[..., Any] | Measure) -> Measure:
    """Find a measure by its name, or by the function users call."""
    if isinstance(which, Measure):
        return which
    if isinstance(which, str):
        if which not in MEASURES:
            near = difflib.get_close_matches(
                which.removesuffix("_score"), MEASURES, n=3, cutoff=0.4
            )
            raise ValueError(
                f"there is no measure {shown(which)}; "
                + (f"did you mean {', '.join(map(repr, near))}? " if near else "")
                + f"All of them: {', '.join(sorted(MEASURES))}."
            )
        return MEASURES[which]
    entry = getattr(which, "measure", None)
    if not isinstance(entry, Measure):
        raise TypeError(
            f"{shown(which)} is not a measure of this library; give a name from MEASURES, or "
            "define your own with the decorator cautious.metrics.define_measure."
        )
    return entry


def _warn_undefined(name: str, why: str) -> None:
    warnings.warn(f"{name} is undefined: {why} It is nan.", UndefinedMetricWarning, stacklevel=3)
