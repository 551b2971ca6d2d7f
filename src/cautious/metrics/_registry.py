"""What a measure is, a formula over counts, and the list of all of them.

Whatever is driven by the registry (scorers, bootstrap intervals, breakdowns, the printed report,
the tests that all measures share) knows a measure as soon as it is defined.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._cases import cases_of_sets
from cautious._set_counts import SetCounts, WeightedCells
from cautious._typing import Floats
from cautious.errors import shown, warn_undefined


@dataclass(frozen=True)
class Measure:
    """A measure: its formula over counts, and what everything driven by the registry asks of it.

    Calling it gives its value on counts, one value per row where the weights have rows; undefined
    values are nan. :meth:`score` takes counts or predictions, gives a plain float, and warns where
    it is undefined.

    Attributes
    ----------
    name : str
        Name in :data:`MEASURES`.
    formula : callable
        ``formula(counts, *, …)``, with the measure's own parameters.
    counts : type
        What it is computed from: :class:`SetCounts`, or a risk–coverage curve.
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
    formula: Callable[..., Any]
    counts: type[Any] = SetCounts
    mean: bool = False
    greater_is_better: bool = True
    needs: frozenset[str] = frozenset()
    section: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, counts: Any, **params: Any) -> Floats:
        """Value on counts, without a warning."""
        self.check_params(params)
        if not isinstance(counts, self.counts):
            raise TypeError(
                f"{self.name} is computed from {self.counts.__name__}, not from "
                f"{type(counts).__name__}."
            )
        if "sets" in self.needs and not counts.knows_sets:
            raise ValueError(
                f"{self.name} needs to know the classes in each set, and these counts have "
                "forgotten them; count again without without_sets()."
            )
        if "y_pred" in self.needs and (counts.forced < 0).any():
            raise ValueError(
                f"{self.name} needs the answers behind the sets; "
                "pass y_pred= (usually estimator.predict(X)) where the counts are made."
            )
        return np.asarray(self.formula(counts, **{**self.params, **params}), dtype=np.float64)

    def score(
        self,
        y_true: Any,
        y_set: Any = None,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        empty: str = "error",
        *,
        y_pred: Any = None,
        **params: Any,
    ) -> float:
        """Value on truths and prediction sets, or on counts; nan with a warning if undefined."""
        counts = y_true
        if not isinstance(y_true, WeightedCells):
            counts = SetCounts.from_predictions(
                y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty,
                y_pred=y_pred, sets="sets" in self.needs,
            )  # fmt: skip
        value = float(self(counts, **params))
        if np.isnan(value):
            why = "there are no cases (or all weigh 0)" if counts.n == 0 else "no case counts"
            warn_undefined(f"{self.name} is undefined: {why}. It is nan.", stacklevel=4)
        return value

    def values(self, cases: SetCounts, **params: Any) -> Floats:
        """One value per cell, of which a mean measure is the mean; nan where one does not count."""
        return self(cases.apart(), **params)

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters of its own, besides the counts."""
        every = inspect.signature(self.formula).parameters
        return {name: p for name, p in every.items() if p.kind is p.KEYWORD_ONLY}

    def missing_params(self) -> set[str]:
        """Name the parameters that have no default and are not given yet."""
        return {n for n, p in self.parameters.items() if p.default is p.empty} - set(self.params)

    def check_params(self, params: Iterable[str]) -> None:
        """Raise an error if a parameter is not its own."""
        unknown = [name for name in params if name not in self.parameters]
        if unknown:
            own = ", ".join(map(repr, self.parameters)) or "none"
            raise TypeError(
                f"{self.name} got an unexpected keyword argument {shown(unknown[0])}; "
                f"its own parameters: {own}."
            )


class MeasureTable(dict[str, Measure]):
    """Every measure by name; its method ``define`` enters one of your own.

    Examples
    --------
    >>> from cautious.metrics import MEASURES
    >>> MEASURES["u65"].score(["a", "b"], [["a"], ["a", "b"]])
    0.825
    """

    def define(
        self,
        name: str,
        *,
        counts: type[Any] = SetCounts,
        mean: bool = False,
        greater_is_better: bool = True,
        needs: Iterable[str] = (),
        section: str | None = None,
    ) -> Callable[[Callable[..., npt.ArrayLike]], Measure]:
        """Enter a formula over counts as a measure.

        Parameters
        ----------
        name : str
            What the measure is called.
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
            A decorator for ``formula(counts, *, …)``, which makes it a measure:
            ``measure(counts)`` gives its value, ``measure.score(y_true, y_set)`` counts first, and
            warns where it is nan.

        Examples
        --------
        >>> from cautious.metrics import MEASURES
        >>> @MEASURES.define("pairs", mean=True)
        ... def pairs(counts):
        ...     '''Share of answers that name two classes.'''
        ...     return counts.mean(counts.size == 2)
        >>> round(pairs.score(["x", "y", "z"], [["x"], ["x", "y"], ["x", "z"]]), 3)
        0.667
        >>> del MEASURES["pairs"]
        """
        if not isinstance(name, str):
            raise TypeError(f"name is {shown(name)}; a measure is known by its name, a text.")
        if not isinstance(section, str | None):
            raise TypeError(
                f"section is {shown(section)}; give the heading it stands under, or None."
            )

        def enter(formula: Callable[..., npt.ArrayLike]) -> Measure:
            formula.__qualname__ += ".formula"  # where pickle finds it: in the measure of its name
            how = mean, greater_is_better, frozenset(needs), section
            self[name] = Measure(name, formula, counts, *how)
            return self[name]

        return enter

    def vary(self, measure: Measure, name: str, section: str | None = None, **params: Any) -> None:
        """Enter a measure under a further name with some of its parameters given."""
        self[name] = replace(measure, name=name, section=section or measure.section, params=params)


MEASURES = MeasureTable()
"""Every measure by name."""


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
        cases = cases_of_sets(y_true, y_set, classes=classes, empty=empty)
        return entry.values(SetCounts.of_cases(cases, y_pred), **params)

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
    entry = measure_of(which)
    if entry is None:
        raise TypeError(
            f"{shown(which)} is not a measure of this library; give a name from MEASURES, or "
            "define your own with the decorator cautious.metrics.MEASURES.define."
        )
    return entry


def measure_of(function: Any) -> Measure | None:
    """Find the measure of a public function: it stands in one module with the measure's formula."""
    entry = MEASURES.get(getattr(function, "__name__", "").removesuffix("_score"))
    is_own = entry is not None and entry.formula.__module__ == function.__module__
    return entry if is_own else None


def params_of_each(
    entries: Iterable[Measure | Callable[..., Any]], params: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Give each measure the parameters that it takes and has not got; refuse what none takes."""
    each = []
    for entry in entries:
        if isinstance(entry, Measure):
            takes = set(entry.parameters) - set(entry.params)
        else:
            takes = set(inspect.signature(entry).parameters) - {"classes", "sample_weight"}
        each.append({name: value for name, value in params.items() if name in takes})
    for name in params:
        if not any(name in own for own in each):
            raise TypeError(
                f"none of the measures takes the parameter {shown(name)}; leave it out."
            )
    return each
