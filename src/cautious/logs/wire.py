"""Summaries as bytes, for engines that carry nothing else: arrays and JSON, nothing that runs."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from typing import Any

import numpy as np

from cautious.logs.columns import Columns
from cautious.logs.plan import Plan
from cautious.logs.score_tally import Kind, Limits, ScoreTally
from cautious.logs.set_tally import SetTally, Stratum
from cautious.logs.summary import LogSummary

__all__ = ["from_bytes", "plan_from_text", "plan_to_text", "to_bytes"]


def to_bytes(summary: LogSummary) -> bytes:
    """Write a summary as a NumPy archive.

    Parameters
    ----------
    summary : LogSummary
        The summary.

    Returns
    -------
    bytes

    Examples
    --------
    >>> import pandas as pd
    >>> from cautious.logs import from_bytes, summarise, to_bytes
    >>> summary = summarise(pd.DataFrame({"y": [0, 1], "score": [0.3, 0.8]}))
    >>> from_bytes(to_bytes(summary)) == summary
    True
    """
    settled = summary.settled()
    kinds, strata = [], []
    arrays: dict[str, Any] = {}
    for at, (kind, values, counts) in enumerate(settled.scores.canonical()):
        kinds.append(list(kind))
        arrays |= {f"value{at}": values, f"count{at}": counts}
    for at, (stratum, (rows, counts)) in enumerate(settled.sets.rows.items()):
        strata.append(list(stratum))
        arrays |= {f"rows{at}": rows, f"total{at}": counts}
    header = {
        "plan": plan_to_text(settled.plan),
        "n_rows": settled.n_rows,
        "labels": list(settled.labels),
        "exponent": settled.scores.exponent,
        "kinds": kinds,
        "strata": strata,
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, header=text, **arrays)  # no array here is of objects
    return buffer.getvalue()


def from_bytes(data: bytes) -> LogSummary:
    """Read what :func:`to_bytes` wrote.

    Parameters
    ----------
    data : bytes
        A summary.

    Returns
    -------
    LogSummary
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            pieces = {
                Kind(*kind): (arrays[f"value{at}"], arrays[f"count{at}"])
                for at, kind in enumerate(header["kinds"])
            }
            rows = {
                Stratum(*stratum): (arrays[f"rows{at}"], arrays[f"total{at}"])
                for at, stratum in enumerate(header["strata"])
            }
    except (ValueError, KeyError, OSError) as error:
        raise ValueError(f"these bytes are no summary of a prediction log ({error}).") from error
    plan = plan_from_text(header["plan"])
    return LogSummary(
        plan,
        header["n_rows"],
        frozenset(header["labels"]),
        ScoreTally(plan.limits, header["exponent"], pieces),
        SetTally(plan.limits.limit, rows),
    )


def plan_to_text(plan: Plan) -> str:
    """Write a plan as JSON."""
    return json.dumps(asdict(plan))


def plan_from_text(text: str) -> Plan:
    """Read a plan from JSON."""
    fields = json.loads(text)
    fields["columns"] = Columns(**fields["columns"])
    fields["limits"] = Limits(*fields["limits"])
    fields["classes"] = tuple(fields["classes"])
    for name in ("utilities", "confidences"):
        fields[name] = tuple(fields[name])
    return Plan(**fields)
