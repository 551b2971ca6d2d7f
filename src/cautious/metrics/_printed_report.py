"""Measures of each class or group, and one call that prints them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._cases import cases_of_sets
from cautious._checks import check_choice
from cautious._random import as_generator, binomial_ends, check_level
from cautious._set_counts import SetCounts
from cautious._typing import Floats, Ints, RandomState
from cautious.costs import as_costs
from cautious.costs._forms import CostsLike
from cautious.errors import shown
from cautious.metrics._bootstrap_intervals import MeasuredCounts, interval_of_counts
from cautious.metrics._registry import MEASURES, Measure, get_measure, params_of_each
from cautious.metrics._risk_coverage import RiskCoverageCurve, count_scores
from cautious.tensors import as_numpy

AnyMeasure: TypeAlias = str | Callable[..., Any] | Measure
"""A measure by name, by its function, or itself."""

USUAL_MEASURES = (
    "coverage",
    "selective_accuracy",
    "error",
    "set_accuracy",
    "mean_set_size",
    "discounted_accuracy",
    "u65",
    "u80",
)
"""The measures a breakdown shows unless told otherwise."""

_MOST_DIGITS = 17  # a float has no more


def breakdown(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    groups: Any = None,
    measures: Iterable[AnyMeasure] | Mapping[str, Mapping[str, Any]] = USUAL_MEASURES,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    y_pred: Sequence[Any] | npt.ArrayLike | None = None,
    margins: bool = False,
    confidence_level: float | None = None,
    intervals: str = "bootstrap",
    n_resamples: int = 1000,
    random_state: RandomState = None,
    **params: Any,
) -> pd.DataFrame:
    """Compute measures for each true class, or for each group of cases.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    groups : array-like of shape (n,), Series or DataFrame, optional
        Group of each case; a frame of several columns groups by their combinations. ``None`` groups
        by true class. Missing groups are a group of their own.
    measures : iterable of str, callable or Measure; or mapping of str to dict
        Measures of prediction sets, by name (one may stand alone) or by function; or by name with
        the parameters of each.
    y_pred : array-like of shape (n,), optional
        Determinate answers, for the measures that need them.
    margins : bool, default=False
        Whether to add a last row "all" with the measures of all cases together.
    confidence_level : float, optional
        Add the ends of intervals of this level, in columns "… low" and "… high".
    intervals : {"bootstrap", "exact"}, default="bootstrap"
        How intervals are found. Of the bootstrap all measures see the same replicates, and a whole
        number as seed gives each row the intervals of :func:`bootstrap_interval`. Measures that
        are shares of cases, such as "containment", also have exact intervals (Clopper & Pearson),
        which take no weights.
    n_resamples : int, default=1000
        Number of bootstrap replicates.
    random_state : int, RandomState, Generator or None
        Seed of the bootstrap.
    **params
        Parameters of the measures; each goes to those that take it.

    Returns
    -------
    DataFrame
        One row per group, with its weight ``n`` and one column per measure; nan where a measure is
        undefined, without a warning.

    Examples
    --------
    >>> y_true = ["a", "a", "b", "b"]
    >>> y_set = ["a", None, "b", "a"]
    >>> breakdown(y_true, y_set, measures=["coverage", "error"], margins=True)
             n  coverage  error
    truth
    a      2.0      0.50   0.00
    b      2.0      1.00   0.50
    all    4.0      0.75   0.25
    >>> breakdown(y_true, y_set, groups=["east", "west", "west", "west"], measures=["coverage"])
             n  coverage
    group
    east   1.0  1.000000
    west   3.0  0.666667

    Coverage and costs; and how often sets of one class and of two hold the truth:

    >>> asked = {"coverage": {}, "set_cost": {"costs": {"mistake": 5, "abstain": 1}}}
    >>> breakdown(y_true, y_set, measures=asked)
             n  coverage  set_cost
    truth
    a      2.0       0.5       0.5
    b      2.0       1.0       2.5
    >>> sizes = [1, 2, 1, 1]
    >>> level = {"confidence_level": 0.95, "intervals": "exact"}
    >>> breakdown(y_true, y_set, groups=sizes, measures=["containment"], **level).round(3)
             n  containment  containment low  containment high
    group
    1      3.0        0.667            0.094             0.992
    2      1.0        1.000            0.025             1.000
    """
    checked = cases_of_sets(
        y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty
    )
    if groups is None:
        code, index = checked.truth, pd.Index(checked.labels, name="truth")
    else:
        code, index = read_groups(groups, len(checked.truth))
    check_choice(intervals, "intervals", ("bootstrap", "exact"))
    level, bootstrap = None, None
    if intervals == "bootstrap":
        bootstrap = _bootstrap(confidence_level, n_resamples, random_state)
    elif confidence_level is not None:
        level = check_level(confidence_level)
        if sample_weight is not None:
            raise ValueError("exact intervals take no sample_weight; leave it or intervals= out.")
    entries = [get_measure(w) for w in ([measures] if isinstance(measures, str) else measures)]
    own: Any = measures.values() if isinstance(measures, Mapping) else [{}] * len(entries)
    shared = params_of_each(entries, params)
    asked = [(e, p | dict(more)) for e, p, more in zip(entries, shared, own, strict=True)]
    cases = SetCounts.of_cases(checked, y_pred)
    return measures_by_group(cases, code, index, asked, margins, bootstrap, level)


def measures_by_group(
    cases: SetCounts,
    code: Ints,
    index: pd.Index,
    asked: Iterable[tuple[Measure, Mapping[str, Any]]],
    margins: bool,
    bootstrap: Mapping[str, Any] | None = None,
    level: float | None = None,
) -> pd.DataFrame:
    """Compute measures by the codes of groups; intervals by a bootstrap, or exact of a level."""
    n_groups, asked = len(index), list(asked)

    def sums(values: Floats) -> Floats:
        each = np.bincount(code, values, n_groups)
        return np.append(each, values.sum()) if margins else each.astype(np.float64)

    columns: dict[str, Floats] = {"n": sums(cases.weight)}
    if margins:
        last = "all" if index.nlevels == 1 else ("all",) * index.nlevels
        index = index.append(pd.Index([last]).set_names(index.names))
    # A mean needs no counts of its own for each group, which would be slow for many groups.
    parts = []
    if bootstrap is not None or not all(entry.mean for entry, _ in asked):
        order = np.argsort(code, kind="stable")
        ends = np.searchsorted(code[order], np.arange(n_groups + 1))
        parts = [cases.where(order[start:end]).merge()[0] for start, end in pairwise(ends)]
        parts += [cases.merge()[0]] if margins else []
    for entry, params in asked:
        name = entry.name
        if entry.mean:
            values, total = entry.values(cases, **params), columns["n"]
            undefined = np.isnan(values)
            if undefined.any():
                total, values = sums(cases.weight * ~undefined), np.where(undefined, 0.0, values)
            events, none = sums(cases.weight * values), total == 0
            columns[name] = np.where(none, np.nan, events / np.where(none, 1, total))
        else:
            columns[name] = np.array([float(entry(part, **params)) for part in parts])
        if bootstrap is not None:
            found = [interval_of_counts(part, entry, **bootstrap, **params) for part in parts]
            columns[f"{name} low"] = np.array([interval.low for interval in found])
            columns[f"{name} high"] = np.array([interval.high for interval in found])
        elif level is not None:
            if not (entry.mean and np.isin(values, (0, 1)).all()):
                raise ValueError(
                    f"{name} is no share of cases, so it has no exact interval; leave intervals= "
                    "out."
                )
            columns[f"{name} low"], columns[f"{name} high"] = binomial_ends(events, total, level)
    return pd.DataFrame(columns, index=index)


def _bootstrap(
    confidence_level: float | None, n_resamples: int, random_state: RandomState
) -> dict[str, Any] | None:
    """Say how intervals are drawn: alike for all measures, so that opposites have opposite ends."""
    rng = as_generator(random_state)
    seed = int(random_state if isinstance(random_state, Integral) else rng.integers(2**32))
    how = {"confidence_level": confidence_level, "n_resamples": n_resamples, "random_state": seed}
    return None if confidence_level is None else how


def read_groups(groups: Any, n: int) -> tuple[Ints, pd.Index]:
    """Give each case the position of its group; missing values are a group of their own."""
    groups = as_numpy(groups)
    if isinstance(groups, str | bytes | bytearray | memoryview) or not hasattr(groups, "__len__"):
        raise TypeError(f"groups is {shown(groups)}; give one group per case.")
    if isinstance(groups, np.ma.MaskedArray) and np.ma.getmaskarray(groups).any():
        raise ValueError("groups has masked entries; fill them or leave their rows out.")
    try:
        frame = pd.DataFrame(groups).reset_index(drop=True)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"groups is no table of groups ({error}); give one group per case."
        ) from None
    if len(frame) != n:
        raise ValueError(
            f"groups has {len(frame)} rows and y_true has {n}; give one group per case."
        )
    if not isinstance(groups, pd.DataFrame | Mapping) and getattr(groups, "name", None) is None:
        if frame.shape[1] != 1:
            raise ValueError(
                f"groups has {frame.shape[1]} columns without names; give one group per case, or "
                "a frame of several groupings."
            )
        frame.columns = pd.Index(["group"])
    grouped = frame.groupby(list(frame.columns), sort=True, dropna=False, observed=True)
    return np.asarray(grouped.ngroup(), dtype=np.intp), grouped.size().index


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
        Add intervals of this level to the measures: percentile intervals of the bootstrap for every
        row, from the same replicates. So what is one minus another measure has one minus its ends,
        and a whole number as seed gives the intervals of :func:`bootstrap_interval`.
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
      selective risk                0.333
      error                         0.250
      efficacy                      0.708
      coverage f                    0.706
      capacity                      0.823
      capacity prior                0.828
    """
    if not isinstance(digits, Integral) or not 0 <= digits <= _MOST_DIGITS:
        raise ValueError(
            f"digits is {shown(digits)}; give a whole number of decimals, 0 to {_MOST_DIGITS}."
        )
    cases = cases_of_sets(y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty)
    each, counts = SetCounts.of_cases(cases, y_pred), SetCounts.of(cases, y_pred)
    truths = pd.Index(cases.labels, name="truth")
    usual: list[Any] = [(MEASURES[name], {}) for name in USUAL_MEASURES]
    by_class = measures_by_group(each, cases.truth, truths, usual, margins=True)
    if target_names is not None:
        if len(target_names) != len(cases.labels):
            raise ValueError(
                f"target_names has {len(target_names)} names but there are {len(cases.labels)} "
                f"classes: {cases.labels.tolist()}."
            )
        by_class.index = pd.Index([*target_names, "all"], name="truth")
    sources: dict[type, MeasuredCounts] = {SetCounts: counts}
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
    # The library's own sections in their order, then any others.
    own = list(HEADINGS)
    reported.sort(key=lambda e: own.index(e.section) if e.section in own else len(own))
    measures: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    bootstrap = _bootstrap(confidence_level, n_resamples, random_state)
    for entry in reported:
        source = sources[entry.counts]
        if "costs" in entry.missing_params() and given["costs"].per_case:
            source = each  # equal cases may cost different amounts
        params = {key: given[key] for key in entry.missing_params()}
        measures[entry.name] = float(entry(source, **params))
        if bootstrap is not None:
            interval = interval_of_counts(source, entry, **bootstrap, **params)
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


HEADINGS = {
    "answers": "answers and abstentions",
    "sets": "prediction sets",
    "worth": "what they are worth",
    "confidence": "confidence",
}

SHORT = {
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
        heading = SHORT.get(str(name), str(name))
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
        heading = HEADINGS.get(str(entry.section), str(entry.section))
        if confidence_level is not None:
            heading += f" [{confidence_level:.4g} intervals]"
        name, value = entry.name.replace("_", " "), measures[entry.name]
        line = f"  {name:<{width}} {value:>{digits + 3}.{digits}f}"
        if entry.name in intervals:
            low, high = intervals[entry.name]
            line += f"  [{low:.{digits}f}, {high:.{digits}f}]"
        sections.setdefault(heading, []).append(line)
    return ["\n".join([heading, *lines]) for heading, lines in sections.items()]
