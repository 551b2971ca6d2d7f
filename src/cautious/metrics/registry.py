"""What a measure is, and the list of all of them.

Whatever is driven by the registry (scorers, bootstrap intervals, breakdowns, the report, the tests
that all measures share) knows a measure as soon as it is declared.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from cautious._typing import Floats
from cautious.metrics.counts import SetCounts
from cautious.metrics.risk_coverage import RiskCoverageCurve

__all__ = ["MEASURES", "Counts", "Measure", "get_measure"]

Counts: TypeAlias = SetCounts | RiskCoverageCurve
"""What measures are computed from: prediction sets counted, or losses counted by confidence."""


@dataclass(frozen=True)
class Measure:
    """A named formula over counts.

    Calling it gives its value on counts, and one value a row where the weights have rows; undefined
    values are nan. :meth:`score` is the same for a reader: a plain float, and a warning where it
    is undefined.

    Attributes
    ----------
    name : str
        Name in :data:`MEASURES`.
    formula : callable
        Takes counts and keyword parameters. Gives the value, or for a mean one value a cell, nan
        where the cell does not count.
    counts : type
        The counts it is computed from.
    mean : bool
        Whether the measure is the weighted mean of what the formula gives.
    greater_is_better : bool
        Which way is up.
    needs : frozenset of {"sets", "y_pred"}
        What it asks of the counts beyond sizes and hits.
    section : str or None
        Section of the printed report it belongs to; not printed if None.
    params : mapping
        Parameters already settled, such as the utility of "u65".

    Examples
    --------
    >>> from cautious.metrics import MEASURES, SetCounts
    >>> counts = SetCounts.from_predictions(["x", "y"], [["x"], ["x", "y"]])
    >>> MEASURES["coverage"].score(counts), MEASURES["u65"].score(counts)
    (0.5, 0.825)
    """

    name: str
    formula: Callable[..., npt.ArrayLike]
    counts: type[SetCounts] | type[RiskCoverageCurve] = SetCounts
    mean: bool = False
    greater_is_better: bool = True
    needs: frozenset[str] = frozenset()
    section: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, counts: Counts, **params: Any) -> Floats:
        """Value on counts, without a warning."""
        self.check(counts)
        value = self.formula(counts, **{**self.params, **params})
        if self.mean:
            value = cast(SetCounts, counts).mean(value)
        return np.asarray(value, dtype=np.float64)

    def score(self, counts: Counts, **params: Any) -> float:
        """Value on counts; nan with a warning where it is undefined."""
        value = float(self(counts, **params))
        if np.isnan(value):
            warnings.warn(
                f"{self.name} is undefined: "
                + ("there are no cases (or all weigh 0)." if counts.n == 0 else "no case counts.")
                + " It is nan.",
                UndefinedMetricWarning,
                stacklevel=3,
            )
        return value

    def missing_params(self) -> set[str]:
        """Name the parameters of the formula that have no default and are not settled."""
        own = list(inspect.signature(self.formula).parameters.values())[1:]
        return {p.name for p in own if p.default is p.empty} - set(self.params)

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
"""Every measure by name. What :func:`cautious.metrics.define_measure` declares enters itself."""


def get_measure(which: str | Callable[..., Any] | Measure) -> Measure:
    """Find a measure by its name, or by the function users call.

    Parameters
    ----------
    which : str, callable or Measure
        For example ``"u65"`` or ``coverage_score``.

    Returns
    -------
    Measure

    Examples
    --------
    >>> from cautious.metrics import coverage_score, get_measure
    >>> get_measure("coverage") is get_measure(coverage_score)
    True
    """
    if isinstance(which, Measure):
        return which
    if isinstance(which, str):
        if which not in MEASURES:
            near = difflib.get_close_matches(
                which.removesuffix("_score"), MEASURES, n=3, cutoff=0.4
            )
            raise ValueError(
                f"there is no measure {which!r}; "
                + (f"did you mean {', '.join(map(repr, near))}? " if near else "")
                + f"All of them: {', '.join(sorted(MEASURES))}."
            )
        return MEASURES[which]
    entry = getattr(which, "measure", None)
    if not isinstance(entry, Measure):
        raise TypeError(
            f"{which!r} is not a measure of this library; give a name from MEASURES, or declare "
            "your own with the decorator cautious.metrics.define_measure."
        )
    return entry
