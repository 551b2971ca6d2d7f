"""Measures of cautious answers in the reports of skore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cautious.metrics import make_set_scorer
from cautious.metrics._registry import get_measure


def add_skore_measures(
    report: Any,
    measures: Iterable[str] = ("coverage", "selective_accuracy", "abstention", "u65"),
    *,
    empty: str = "error",
) -> Any:
    """Add measures of cautious answers to a report of skore.

    They are computed from ``predict_set``, so the estimator of the report must have it, also inside
    a pipeline or a search. Measures for which less is better, such as "abstention" and "error", are
    shown as they are, not with a minus.

    Parameters
    ----------
    report : skore.EstimatorReport, CrossValidationReport or ComparisonReport
        The report; it is changed.
    measures : iterable of str
        Names of measures.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty set means; see :func:`cautious.metrics.make_set_scorer`.

    Returns
    -------
    report
        The same report, whose ``metrics.summarize()`` lists the measures.

    Examples
    --------
    >>> import skore  # doctest: +SKIP
    >>> report = skore.evaluate(cautious_model, X, y)  # doctest: +SKIP
    >>> add_skore_measures(report).metrics.summarize().frame()  # doctest: +SKIP
    """
    if not hasattr(report, "metrics"):
        raise TypeError(f"report is a {type(report).__name__}; give a report of skore's.")
    wanted = [get_measure(name) for name in measures]  # names the nearest ones, before any is added
    for entry in wanted:
        report.metrics.add(
            make_set_scorer(entry.name, greater_is_better=True, empty=empty),
            name=entry.name,
            verbose_name=entry.name.replace("_", " ").capitalize(),
            greater_is_better=entry.greater_is_better,
            position="last",
        )
    return report
