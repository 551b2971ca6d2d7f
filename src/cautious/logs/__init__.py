"""Prediction logs of any size: streamed into counts that add up, on one machine or on a cluster."""

from cautious.logs.columns import Columns, guess_columns
from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan, make_plan
from cautious.logs.summarising import summarise
from cautious.logs.summary import ALL, LogSummary, merge
from cautious.logs.wire import from_bytes, to_bytes

__all__ = [
    "ALL",
    "Columns",
    "LogSummary",
    "Plan",
    "from_bytes",
    "guess_columns",
    "make_plan",
    "merge",
    "summarise",
    "summarise_batch",
    "to_bytes",
]
