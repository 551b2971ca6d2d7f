"""Plain rows that are kept one by one, as long as it is not known on what grid scores lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from cautious._typing import Floats
from cautious.logs.engines.plain_rows import Coded, PlainRows
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary
from cautious.logs.tallies import NUMBER, Codes, GridSearch, Kind, ScoreTally, compiled_loop

__all__ = ["OpenList"]


class OpenList(PlainRows):
    """Scores and kinds of cases of one thread.

    Parameters
    ----------
    plan, labels
        As of :class:`PlainRows`.
    search : GridSearch
        Is shown every row.
    """

    n_rows: int

    def __init__(self, plan: Plan, labels: frozenset[Any], search: GridSearch) -> None:
        super().__init__(plan, labels)
        self.search = search
        self.rows: list[tuple[Floats, Codes]] = []

    @property
    def complete(self) -> bool:
        """Whether no kind of case can come up that is not known: numbers of kinds then last."""
        return len(self.kinds) > 1

    def add(self, batch: Any) -> bool:
        """Keep a batch, or nothing of it: then False, and the plain way is to be taken."""
        found = self.columns_of(batch)
        if found is None:
            return False
        base, _, coded = found
        n = batch.num_rows
        own = self._scores(base[:n], coded) if self.plan.binary else self._answers(*found, n)
        if own is None:
            return False
        for array in own:
            array.flags.writeable = False  # as those of batches are, for which loops are compiled
        self.search.look(*own)
        self.rows.append(own)
        self.n_rows += n
        return True

    def summary(self) -> LogSummary:
        """Give what is kept as a summary."""
        plan, tally = self.plan, ScoreTally(self.plan.limits, self.plan.resolution)
        if self.rows:
            scores, codes = map(np.concatenate, zip(*self.rows, strict=True))
            kinds = [Kind(None, None, *kind) for kind in self.kinds]
            known = [e for e in (plan.resolution, self.search.exponent) if e is not None]
            rest = (None, plan.limits, max(known, default=None))
            tally = ScoreTally.of_cases(scores, codes, kinds, *rest)
        return LogSummary(plan, self.n_rows, self.labels_counted, tally, self.sets())

    def _scores(self, scores: Floats, coded: Coded) -> tuple[Floats, Codes] | None:
        """Copy scores; there are two zeros, but they are one score."""
        codes, first, last, kinds = coded
        least, most = max(self.bounds[0], -_FAR), min(self.bounds[1], _FAR)
        if not (least <= scores.min() and scores.max() <= most):  # nor if one is NaN
            return None
        if codes.min() < first or codes.max() > last:
            return None
        return scores + 0.0, kinds.astype(self.kind_type)[codes - first]

    def _answers(
        self, base: Floats, begins: Any, coded: Coded, n: int
    ) -> tuple[Floats, Codes] | None:
        """Find confidences of the most probable classes, and whether they are right."""
        answers = compiled_loop("answers", 0)
        if answers is None:
            return None
        scores, kinds = np.empty(n), np.empty(n, dtype=self.kind_type)
        which = np.arange(len(begins), dtype=NUMBER)
        no_table = (1.0, False, np.empty(0, dtype=np.int64), self.pairs.reshape(-1))
        done = answers(base, begins, which, *coded, n, 1, *no_table, scores, kinds)
        if done < n:
            answers(base, begins, which, *coded, done, -1, *no_table, scores, kinds)
            return None
        return scores, kinds


# Beyond this no score is sensible, and those that are infinite are counted by themselves.
_FAR = 2.0**800
