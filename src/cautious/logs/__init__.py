"""Prediction logs of any size: streamed into counts that add up, on one machine or on a cluster."""

from cautious.logs.answer_plan import AnswerPlan as AnswerPlan
from cautious.logs.decisions import AnswerCounts as AnswerCounts
from cautious.logs.decisions import answered_batches as answered_batches
from cautious.logs.decisions import cases_of as cases_of
from cautious.logs.decisions import decide as decide
from cautious.logs.entry import summarise
from cautious.logs.kernel import column_of as column_of
from cautious.logs.kernel import labels_of as labels_of
from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan
from cautious.logs.sink import file_kind as file_kind
from cautious.logs.sink import open_sink as open_sink
from cautious.logs.source import open_source as open_source
from cautious.logs.summary import LogSummary

__all__ = ["LogSummary", "Plan", "summarise", "summarise_batch"]
