"""One call that prints it all, as scikit-learn's ``classification_report`` does."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import RandomState
from cautious.bootstrap import as_generator
from cautious.costs import CostsLike, as_costs
from cautious.metrics.bootstrap_intervals import interval_of_counts
from cautious.metrics.breakdown import breakdown
from cautious.metrics.counts import SetCounts
from cautious.metrics.registry import MEASURES, Counts, Measure
from cautious.metrics.risk_coverage import RiskCoverageCurve, count_scores

__all__ = ["cautious_report"]


def cautious_report(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    y_pred: Sequence[Any] | npt.ArrayLike | None = None,
    y_score: npt.ArrayLike | None = None,
    costs: CostsLike | None = None,
    pos_label: Any = None,
    confidence_level: float | None = None,
    n_resamples: int = 1000,
    random_state: RandomState = None,
    digits: int = 3,
    output_dict: bool = False,
) -> str | dict[str, Any]:
    """Report on a cautious classifier: every class, then every measure.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    target_names : sequence of str, optional
        What to call the classes, in the order of `classes`.
    y_pred : array-like of shape (n,), optional
        Determinate answers; adds needless abstention.
    y_score : array-like of shape (n, K) or (n,), optional
        Class scores; adds the areas under risk–coverage curves.
    costs : dict, array-like, DataFrame, path or SetCosts, optional
        What :func:`cautious.costs.as_costs` takes; adds the mean cost.
    pos_label : label, optional
        The positive class, for a single column of scores or a dict of two classes' costs.
    confidence_level : float, optional
        Add bootstrap intervals of this level to the measures.
    n_resamples : int, default=1000
        Number of bootstrap replicates.
    random_state : int, RandomState, Generator or None
        Seed of the bootstrap.
    digits : int, default=3
        Decimals to print.
    output_dict : bool, default=False
        Return a dict instead of text.

    Returns
    -------
    str or dict
        Text, which a notebook shows as it is printed; or a dict with "classes" (class → measure →
        value), "measures" (measure → value), and "intervals" (measure → (low, high)) if asked for.
        Undefined measures are nan.

    Examples
    --------
    >>> y_true = ["ash", "ash", "elm", "oak"]
    >>> report = cautious_report(y_true, [["ash"], ["ash", "elm"], ["oak"], ["oak"]])
    >>> print(report[:report.index("prediction sets")].rstrip())
         n coverage accuracy error in set  size discounted   u65   u80
    ash  2    0.500    1.000 0.000  1.000 1.500      0.750 0.825 0.900
    elm  1    1.000    0.000 1.000    nan 1.000      0.000 0.000 0.000
    oak  1    1.000    1.000 0.000    nan 1.000      1.000 1.000 1.000
    all  4    0.750    0.667 0.250  1.000 1.250      0.625 0.662 0.700
    <BLANKLINE>
    answers and abstentions
      coverage                      0.750
      abstention                    0.250
      selective accuracy            0.667
      error                         0.250
      efficacy                      0.708
      coverage f                    0.706
      capacity                      0.823
      capacity prior                0.828
    """
    counts = SetCounts.from_predictions(
        y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty, y_pred=y_pred
    )
    by_class = breakdown(
        y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty, margins=True
    )
    if target_names is not None:
        by_class.index = _renamed(counts.classes.tolist(), target_names)
    sources: dict[type, Counts] = {SetCounts: counts}
    if y_score is not None:
        known = None if pos_label is not None and np.ndim(y_score) == 1 else counts.classes
        sources[RiskCoverageCurve] = count_scores(y_true, y_score, known, pos_label, sample_weight)
    given: dict[str, Any] = {}
    if costs is not None:
        given["costs"] = as_costs(costs, counts.classes.tolist(), pos_label=pos_label)
    reported = [
        entry
        for entry in MEASURES.values()
        if entry.section is not None
        and entry.counts in sources
        and entry.missing_params() <= set(given)
        and ("y_pred" not in entry.needs or y_pred is not None)
    ]
    reported.sort(key=lambda entry: _place(entry.section))
    measures: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    rng = as_generator(random_state)
    for entry in reported:
        source = sources[entry.counts]
        params = {key: given[key] for key in entry.missing_params()}
        measures[entry.name] = float(entry(source, **params))
        if confidence_level is not None:
            interval = interval_of_counts(
                source,
                entry,
                confidence_level=confidence_level,
                n_resamples=n_resamples,
                random_state=rng,
                **params,
            )
            intervals[entry.name] = (interval.low, interval.high)
    if output_dict:
        report: dict[str, Any] = {"classes": by_class.to_dict("index"), "measures": measures}
        return report | ({"intervals": intervals} if confidence_level is not None else {})
    sections = _sections(reported, measures, intervals, confidence_level, digits)
    return ReportText("\n\n".join([_table(by_class, digits), *sections]))


class ReportText(str):
    """Text that a notebook or a prompt shows as it is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


_HEADINGS = {
    "answers": "answers and abstentions",
    "sets": "prediction sets",
    "worth": "what they are worth",
    "confidence": "confidence",
}

_SHORT = {
    "selective_accuracy": "accuracy",
    "set_accuracy": "in set",
    "mean_set_size": "size",
    "discounted_accuracy": "discounted",
}


def _table(classes: pd.DataFrame, digits: int) -> str:
    """Lay out the classes, one row each, in columns just wide enough."""
    columns = [["", *(str(label) for label in classes.index)]]
    for name, values in classes.items():
        decimals = 0 if name == "n" and (values % 1 == 0).all() else digits
        heading = _SHORT.get(str(name), str(name))
        columns.append([heading, *(f"{value:.{decimals}f}" for value in values)])
    widths = [max(map(len, column)) for column in columns]
    lines = [
        [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)]
        for row in zip(*columns, strict=True)
    ]
    return "\n".join(f"{label}  {' '.join(numbers)}" for label, *numbers in lines)


def _sections(
    reported: list[Measure],
    measures: dict[str, float],
    intervals: dict[str, tuple[float, float]],
    confidence_level: float | None,
    digits: int,
) -> list[str]:
    """Lay out the measures under the headings of their sections."""
    width = max(len(entry.name) for entry in reported)
    sections: dict[str, list[str]] = {}
    for entry in reported:
        heading = _HEADINGS.get(str(entry.section), str(entry.section))
        if confidence_level is not None:
            heading += f" [{confidence_level:.4g} intervals]"
        name, value = entry.name.replace("_", " "), measures[entry.name]
        line = f"  {name:<{width}} {value:>{digits + 3}.{digits}f}"
        if entry.name in intervals:
            low, high = intervals[entry.name]
            line += f"  [{low:.{digits}f}, {high:.{digits}f}]"
        sections.setdefault(heading, []).append(line)
    return ["\n".join([heading, *lines]) for heading, lines in sections.items()]


def _place(section: str | None) -> int:
    """Where a section comes: the library's own in order, then any others."""
    known = list(_HEADINGS)
    return known.index(section) if section in known else len(known)


def _renamed(classes: list[Any], target_names: Sequence[str]) -> pd.Index:
    if len(target_names) != len(classes):
        raise ValueError(
            f"target_names has {len(target_names)} names but there are {len(classes)} classes: "
            f"{classes}."
        )
    return pd.Index([*target_names, "all"], name="truth")
