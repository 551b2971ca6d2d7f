"""Declaring a measure: written once over counts, it becomes the function that users call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats
from cautious.metrics.counts import SetCounts
from cautious.metrics.documenting import documented
from cautious.metrics.registry import MEASURES, Measure, get_measure
from cautious.metrics.risk_coverage import RiskCoverageCurve
from cautious.sets import check_sets

__all__ = ["PerSampleFunction", "ScoreFunction", "define_measure", "per_sample", "with_params"]


class ScoreFunction(Protocol):
    """A measure as users call it: truths and predictions in, one number out."""

    __name__: str

    def __call__(self, y_true: Any, y_set: Any = ..., **params: Any) -> float:
        """Return the score."""


class PerSampleFunction(Protocol):
    """A measure that is a mean, before the mean is taken."""

    __name__: str

    def __call__(self, y_true: Any, y_set: Any, **params: Any) -> Floats:
        """Return one value a case."""


def define_measure(
    name: str,
    *,
    counts: type[SetCounts] | type[RiskCoverageCurve] = SetCounts,
    mean: bool = False,
    greater_is_better: bool = True,
    needs: Iterable[str] = (),
    section: str | None = None,
) -> Callable[[Callable[..., npt.ArrayLike]], ScoreFunction]:
    """Declare a measure.

    Parameters
    ----------
    name : str
        Name in :data:`cautious.metrics.MEASURES`.
    counts : type, default=SetCounts
        The counts it is computed from.
    mean : bool, default=False
        Whether the formula gives one value a cell (nan where it does not count), of which the
        measure is the weighted mean.
    greater_is_better : bool, default=True
        Which way is up.
    needs : iterable of {"sets", "y_pred"}
        What the formula asks of the counts beyond sizes and hits.
    section : str, optional
        Section of the printed report it belongs to; ``None`` leaves it out.

    Returns
    -------
    callable
        A decorator: it takes ``formula(counts, *, …)`` and returns
        ``score(y_true, y_set, *, classes=None, sample_weight=None, empty="error", …)``.

    Examples
    --------
    >>> from cautious.metrics import MEASURES, define_measure
    >>> @define_measure("pairs", mean=True)
    ... def pair_score(counts):
    ...     '''Share of answers that name two classes.'''
    ...     return counts.size == 2
    >>> pair_score(["x", "y", "z"], [["x"], ["x", "y"], ["x", "z"]]).__round__(3)
    0.667
    >>> del MEASURES["pairs"]
    """

    def declare(formula: Callable[..., npt.ArrayLike]) -> ScoreFunction:
        entry = Measure(name, formula, counts, mean, greater_is_better, frozenset(needs), section)
        MEASURES[name] = entry
        signature = _signature(entry)
        counting = inspect.signature(counts.from_predictions).parameters

        @wraps(formula)
        def score(*args: Any, **kwargs: Any) -> float:
            given = _bound(score.__name__, signature, args, kwargs)
            counted = {key: given.pop(key) for key in counting if key in given}
            if counts is RiskCoverageCurve:  # a curve of no cases is refused, a measure is nan
                return entry.score(RiskCoverageCurve.of_cases(**counted).merge()[0], **given)
            return entry.score(SetCounts.from_predictions(**counted), **given)

        score.__doc__ = documented(formula.__doc__ or "", signature.parameters, "float")
        # The formula is found again (by pickle) where it now lives, behind the function users call.
        formula.__qualname__ = f"{formula.__qualname__}.measure.formula"
        return cast(ScoreFunction, _presented(score, signature, entry))

    return declare


def with_params(
    score: ScoreFunction, name: str, *, section: str | None = None, **params: Any
) -> Measure:
    """Enter a measure under a further name with some of its parameters settled.

    Parameters
    ----------
    score : callable
        A declared measure.
    name : str
        The further name.
    section : str, optional
        Section of the printed report; that of the measure itself by default.
    **params
        The parameters settled.

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
    entry = get_measure(score)
    MEASURES[name] = replace(
        entry, name=name, section=section or entry.section, params={**entry.params, **params}
    )
    return MEASURES[name]


def per_sample(score: ScoreFunction) -> PerSampleFunction:
    """Make the twin of a mean measure that gives one value a case instead of their mean.

    Parameters
    ----------
    score : callable
        A measure declared with ``mean=True``.

    Returns
    -------
    callable
        ``f(y_true, y_set, *, classes=None, empty="error", …)`` → array of shape (n,), nan for a
        case that does not count.

    Examples
    --------
    >>> from cautious.metrics import per_sample, single_accuracy_score
    >>> per_sample(single_accuracy_score)(["x", "x", "y"], [["x"], ["y"], ["x", "y"]])
    array([ 1.,  0., nan])
    """
    entry = get_measure(score)
    if not entry.mean:
        raise ValueError(f"{score.__name__} is not a mean over cases, so it has no value for one.")
    signature = _signature(entry, without=["sample_weight"])
    checking = inspect.signature(check_sets).parameters

    @wraps(entry.formula)
    def twin(*args: Any, **kwargs: Any) -> Floats:
        given = _bound(twin.__name__, signature, args, kwargs)
        checked = check_sets(**{key: given.pop(key) for key in checking if key in given})
        cases = SetCounts.of_cases(checked, given.pop("y_pred", None))
        entry.check(cases)
        return np.asarray(entry.formula(cases, **given), dtype=np.float64)

    twin.__name__ = twin.__qualname__ = score.__name__.removesuffix("_score") + "_per_sample"
    own, _, _ = (entry.formula.__doc__ or "").partition("Examples\n")
    twin.__doc__ = documented(own, signature.parameters, _ONE_A_CASE.format(score.__name__))
    return cast(PerSampleFunction, _presented(twin, signature, entry))


_ONE_A_CASE = """ndarray of shape (n,)
    One value a case, nan for a case that does not count; their mean is :func:`{}`."""


def _signature(entry: Measure, without: Iterable[str] = ()) -> inspect.Signature:
    """Parameters of the counting, then those of the formula; what is needed must be given."""
    counting = inspect.signature(entry.counts.from_predictions).parameters.values()
    own = list(inspect.signature(entry.formula).parameters.values())[1:]
    left_out = {*without, *({"y_pred"} - entry.needs)}
    asked = [
        p.replace(default=p.empty) if p.name in entry.needs else p
        for p in counting
        if p.name not in left_out
    ]
    return inspect.Signature([*asked, *own])


def _bound(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Arguments by name, or an error such as Python gives for any other function."""
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{name}() {error}") from None


def _presented(
    function: Callable[..., Any], signature: inspect.Signature, entry: Measure
) -> Callable[..., Any]:
    """Let a function show the parameters it takes, and be known as a measure."""
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.measure = entry  # type: ignore[attr-defined]
    return function
