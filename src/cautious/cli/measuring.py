"""Every measure that the evidence allows, with intervals if asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cautious.cli.evidence import Evidence
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.metrics import (
    MEASURES,
    USUAL_MEASURES,
    RiskCoverageCurve,
    SetCounts,
    get_measure,
    interval_of_counts,
)

__all__ = ["SECTIONS", "Bootstrap", "auc_of", "measured", "measured_parts"]

SECTIONS = {
    "scores": "scores",
    "answers": "answers and abstentions",
    "sets": "prediction sets",
    "worth": "what they are worth",
    "confidence": "confidence",
}
"""Headings, in the order they are shown in."""


class Bootstrap(NamedTuple):
    """How intervals are made."""

    confidence_level: float
    n_resamples: int
    seed: int


def measured(
    evidence: Evidence, only: Sequence[str] = (), bootstrap: Bootstrap | None = None
) -> pd.DataFrame:
    """Measure a model.

    Parameters
    ----------
    evidence : Evidence
        What is known of it.
    only : sequence of str
        Names of measures; all that apply if there are none.
    bootstrap : Bootstrap, optional
        Add intervals.

    Returns
    -------
    DataFrame
        Indexed by measure, with columns ``section``, ``value``, and ``low`` and ``high``, which are
        nan where no interval is made.
    """
    rows = [
        {"measure": name, "section": section, "value": value, "low": low, "high": high}
        for name, section, value, low, high in (
            *_of_scores(evidence.surface, only, bootstrap),
            *_of_counts(evidence, only, bootstrap),
        )
    ]
    missing = set(only) - {row["measure"] for row in rows}
    if missing:
        wanted = sorted(missing)[0]
        if wanted not in _SCORES:
            get_measure(wanted)  # names the nearest ones, if there is no such measure
        raise ValueError(f"{evidence.name}: {wanted} cannot be computed from these predictions.")
    frame = pd.DataFrame(rows, columns=["measure", "section", "value", "low", "high"])
    place = frame["section"].map(list(SECTIONS).index)
    return frame.iloc[np.argsort(place, kind="stable")].set_index("measure")


def measured_parts(evidence: Evidence) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
    """Give the usual measures of each true class, and of each group.

    Returns
    -------
    by_class, by_group : DataFrame or None
        With the number of cases ``n``, and one column a measure.
    """
    by_class = None
    counts = evidence.counts
    if counts is not None:
        parts = {
            label: counts.where(counts.truth == k)
            for k, label in enumerate(counts.classes.tolist())
        }
        by_class = _usual(parts, "class")
    grouped = {
        name: part.counts for name, part in evidence.groups.items() if part.counts is not None
    }
    return by_class, _usual(grouped, "group") if grouped else None


def _usual(parts: dict[Any, SetCounts], name: str) -> pd.DataFrame:
    rows = [
        {"n": float(counts.n)}
        | {measure: float(MEASURES[measure](counts)) for measure in USUAL_MEASURES}
        for counts in parts.values()
    ]
    return pd.DataFrame(rows, index=pd.Index(list(parts), name=name, dtype=object))


_Row = tuple[str, str, float, float, float]
_SCORES = ("positives", "auc", "vacc", "least_error")


def _of_scores(
    surface: AbstentionCostSurface | None, only: Sequence[str], bootstrap: Bootstrap | None
) -> Iterator[_Row]:
    """Measure scores of two classes, whatever thresholds are put on them."""
    if surface is None:
        return
    nan = float("nan")
    values = {
        "positives": surface.priors[1],
        "auc": auc_of(surface.staircase),
        "vacc": surface.vacc(),
        # At these costs a mistake costs one, and abstaining too, so it never pays.
        "least_error": float(surface.cost(1.0, 1.0)),
    }
    for name in _SCORES:
        if only and name not in only:
            continue
        low = high = nan
        if name == "vacc" and bootstrap is not None:
            interval = surface.vacc_interval(
                n_resamples=bootstrap.n_resamples,
                confidence_level=bootstrap.confidence_level,
                random_state=bootstrap.seed,
            )
            low, high = interval.low, interval.high
        yield name, "scores", values[name], low, high


def auc_of(stairs: Staircase) -> float:
    """Area under the ROC curve, from counts at sorted distinct scores."""
    below = np.cumsum(stairs.negatives) - stairs.negatives / 2
    return float(stairs.positives @ below / (stairs.n_positives * stairs.n_negatives))


def _of_counts(
    evidence: Evidence, only: Sequence[str], bootstrap: Bootstrap | None
) -> Iterator[_Row]:
    sources = {SetCounts: evidence.counts, RiskCoverageCurve: evidence.risk}
    for entry in MEASURES.values():
        counts = sources[entry.counts]
        wanted = entry.name in only if only else entry.section is not None
        if counts is None or not wanted or entry.missing_params():
            continue
        if "y_pred" in entry.needs and (evidence.counts.forced < 0).any():  # type: ignore[union-attr]
            continue
        low = high = float("nan")
        if bootstrap is not None:
            interval = interval_of_counts(
                counts,
                entry,
                confidence_level=bootstrap.confidence_level,
                n_resamples=bootstrap.n_resamples,
                random_state=bootstrap.seed,
            )
            low, high = interval.low, interval.high
        yield entry.name, entry.section or "worth", float(entry(counts)), low, high
