"""From a batch of a prediction log to a summary: the function that every engine maps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints, Mask
from cautious.decision import sets_by_size
from cautious.logs.arrow_columns import Codes, booleans, encoded, numbers, precision, weights
from cautious.logs.exact_sums import Counts, fixed_point, positive
from cautious.logs.labels import codes_among, occurring, written_sets
from cautious.logs.plan import ARGMAX, SETS, Plan, confidence_decision
from cautious.logs.probabilities import likeliest
from cautious.logs.score_tally import Kind, ScoreTally
from cautious.logs.set_tally import SetTally, Stratum
from cautious.logs.summary import LogSummary
from cautious.sets import check_mask, first_row
from cautious.utility import read_utility

__all__ = ["summarise_batch"]


def summarise_batch(batch: Any, plan: Plan) -> LogSummary:
    """Summarise one Arrow record batch.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        Rows of a prediction log.
    plan : Plan
        What to count; :func:`cautious.logs.make_plan` makes it from the schema.

    Returns
    -------
    LogSummary
        Summaries of several batches add up to that of all, in any order.

    Raises
    ------
    ValueError, TypeError
        If a row cannot be counted; the message names its column and its row within the batch.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from cautious.logs import make_plan, merge, summarise_batch
    >>> first = pa.record_batch({"y_true": [0, 1], "score": [0.2, 0.9]})
    >>> second = pa.record_batch({"y_true": [0, 0], "score": [0.2, 0.4]})
    >>> plan = make_plan(first.schema)
    >>> merge(summarise_batch(first, plan), summarise_batch(second, plan)).staircase().frame()
       score  positives  negatives
    0    0.2        0.0        2.0
    1    0.4        0.0        1.0
    2    0.9        1.0        0.0
    """
    if not batch.num_rows:
        return LogSummary.of_nothing(plan)
    columns = plan.columns
    counts = None
    if columns.weight is not None:
        counts = fixed_point(weights(batch, columns.weight))
    codes, labels = encoded(batch, columns.truth)
    cases = _Cases(plan, codes, labels, *_parts(batch, plan), counts)
    scores, sets = cases.no_scores(), cases.no_sets()
    proba = [numbers(batch, name) for name in columns.proba.values()]
    answer = confidence = None
    if columns.score is not None:
        scores = cases.count_scores(numbers(batch, columns.score), columns.score)
    elif len(proba) == 1:
        scores = cases.count_scores(proba[0], next(iter(columns.proba.values())))
    elif proba:
        answer, confidence = likeliest(proba, precision(batch, list(columns.proba.values())))
        if plan.binary:
            at = plan.classes.index(plan.pos_label)
            scores = cases.count_scores(proba[at], list(columns.proba.values())[at])
        else:
            scores = cases.count_answers(answer, confidence)
    quiet_below = {confidence_decision(least): least for least in plan.confidences}
    for decision in plan.decisions:
        if decision == ARGMAX:
            assert answer is not None
            made = cases.count_sets(decision, _answers(plan), answer, answer)
        elif decision in quiet_below:
            assert answer is not None
            assert confidence is not None
            said = np.where(confidence >= quiet_below[decision], answer, len(plan.classes))
            made = cases.count_sets(decision, _answers(plan), said, answer)
        elif decision == SETS and columns.sets is not None:
            found = written_sets(batch, columns.sets, plan.classes, empty=plan.empty)
            made = cases.count_sets(decision, *found, answer)
        else:
            mask = _mask(batch, plan) if decision == SETS else _optimal(decision, proba)
            made = cases.count_sets(decision, mask, None, answer)
        sets = sets.merge(made)
    return LogSummary(plan, batch.num_rows, cases.seen, scores, sets)


@dataclass
class _Cases:
    """The cases of a batch: what they are, and how often each counts."""

    plan: Plan
    codes: Codes
    labels: list[Any]
    part: Codes | None
    parts: list[tuple[Any, Any]]
    counts: Counts | None

    def __post_init__(self) -> None:
        self.used = None if self.counts is None else positive(self.counts)
        if self.used is None or self.used.all():
            self.used = None
        else:
            assert self.counts is not None
            self.counts = self.counts[self.used]
        self.seen = frozenset(occurring(self.codes, self.labels))

    def no_scores(self) -> ScoreTally:
        return ScoreTally(self.plan.limits, self.plan.resolution)

    def no_sets(self) -> SetTally:
        return SetTally(self.plan.limits.limit)

    def count_scores(self, scores: Floats, name: str) -> ScoreTally:
        """Count the scores of two classes."""
        if np.isnan(scores.min()):  # the minimum of anything and NaN is NaN
            missing = np.isnan(scores)
            raise ValueError(
                f"column {name!r} is NaN in row {first_row(missing)} ({int(missing.sum())} in "
                "all); a score that does not exist cannot be ordered. Drop these rows."
            )
        plan = self.plan
        truth: Codes
        if plan.classes:
            truth, kinds = self.truth, list(plan.classes)
        else:
            truth, kinds = self.codes, self.labels
            if plan.pos_label is None and len(self.seen) > 2:
                raise ValueError(
                    f"column {plan.columns.truth!r} holds {len(self.seen)} classes, but a score "
                    "speaks for one class against the rest; say which with pos_label=."
                )
        if plan.pos_label is not None:
            is_positive = np.array([kind == plan.pos_label for kind in kinds], dtype=np.uint8)
            truth, kinds = is_positive[truth], [False, True]
        return self._tally(scores, truth, [(kind, False) for kind in kinds])

    def count_answers(self, answer: Ints, confidence: Floats) -> ScoreTally:
        """Count right and wrong answers by confidence."""
        truth = self.truth
        kinds = [(k, wrong) for k in range(len(self.plan.classes)) for wrong in (False, True)]
        return self._tally(confidence, 2 * truth + (answer != truth), kinds)

    def count_sets(
        self, decision: str, sets: Mask, which: Ints | None, answer: Ints | None
    ) -> SetTally:
        """Count sets: a mask of every case, or of distinct sets, `which` being that of each."""
        truth = self.truth
        forced = None if answer is None else answer == truth
        part = np.zeros(len(truth), dtype=np.intp)
        if self.part is not None:
            part = self.part.astype(np.intp)
        strata = [Stratum(decision, *names) for names in self.parts]
        if self.used is not None:
            truth, part = truth[self.used], part[self.used]
            forced = None if forced is None else forced[self.used]
            if which is None:
                sets = sets[self.used]
            else:
                which = which[self.used]
        rest = (part, strata, self.counts, self.plan.limits.limit)
        if which is None:
            return SetTally.of_sets(sets, truth, forced, *rest)
        return SetTally.of_answers(sets, which, truth, forced, *rest)

    @cached_property
    def truth(self) -> Ints:
        """True class of each case."""
        return codes_among(self.codes, self.labels, self.plan.classes, self.plan.columns.truth)

    def _tally(self, scores: Floats, code: Codes, kinds: list[tuple[Any, bool]]) -> ScoreTally:
        if self.part is not None:
            code = self.part.astype(np.intp) * len(kinds) + code
        if self.used is not None:
            scores, code = scores[self.used], code[self.used]
        return ScoreTally.of_cases(
            scores,
            code,
            [Kind(*names, *kind) for names in self.parts for kind in kinds],
            self.counts,
            self.plan.limits,
            self.plan.exponent,
        )


def _parts(batch: Any, plan: Plan) -> tuple[Codes | None, list[tuple[Any, Any]]]:
    """Model and group of each case, as a position among the pairs that occur."""
    model, group = plan.columns.model, plan.columns.group
    if model is None and group is None:
        return None, [(None, None)]
    zero: tuple[Codes, list[Any]] = (np.zeros(batch.num_rows, dtype=np.uint8), [None])
    model_codes, models = zero if model is None else encoded(batch, model, missing=True)
    group_codes, groups = zero if group is None else encoded(batch, group, missing=True)
    pair, found = pd.factorize(model_codes.astype(np.intp) * len(groups) + group_codes)
    return pair, [(models[at // len(groups)], groups[at % len(groups)]) for at in found.tolist()]


def _mask(batch: Any, plan: Plan) -> Mask:
    """Prediction sets from a column a class."""
    members = [booleans(batch, name) for name in plan.columns.members.values()]
    return check_mask(np.column_stack(members), name="the prediction set", empty=plan.empty)


def _answers(plan: Plan) -> Mask:
    """List the sets of one class each, and that of all."""
    return np.vstack([np.eye(len(plan.classes), dtype=np.bool_), [True] * len(plan.classes)])


def _optimal(utility: str, proba: list[Floats]) -> Mask:
    """Choose the sets of greatest expected utility."""
    n_classes = len(proba)
    worth = np.asarray(read_utility(utility)(1 / np.arange(1, n_classes + 1)), dtype=np.float64)
    return sets_by_size(np.column_stack(proba), 1 - worth, np.ones(n_classes))
