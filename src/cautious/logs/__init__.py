"""Prediction logs of any size: streamed into counts that add up, on one machine or on a cluster."""

from cautious.logs.entry import summarise
from cautious.logs.summary import LogSummary

__all__ = ["LogSummary", "summarise"]
