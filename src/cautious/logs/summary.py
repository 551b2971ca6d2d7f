r"""What is left of a prediction log: mergeable counts, and the curves and measures they give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Labels
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.logs.cells import Cells, cells_of_tally, risk_coverage_of, staircase_of
from cautious.logs.exact_sums import Counts
from cautious.logs.plan import ARGMAX, SETS, Plan
from cautious.logs.score_tally import ScoreTally, sort_key
from cautious.logs.set_tally import SetTally, Stratum
from cautious.metrics import USUAL_MEASURES, Measure, RiskCoverageCurve, SetCounts, get_measure
from cautious.predictions import binary_truth
from cautious.sets import check_classes

__all__ = ["ALL", "LogSummary", "merge"]


class _Together(Enum):
    ALL = "all"


ALL = _Together.ALL
"""Stands for all models, or all groups, together."""


@dataclass(frozen=True, eq=False)
class LogSummary:
    r"""Counts of a prediction log, from which every curve and measure is computed.

    Summaries of parts add up, ``a + b``, to the summary of the whole, whatever the parts and their
    order: unweighted rows are counted by integers, and weights are added in fixed point
    (:mod:`cautious.logs.exact_sums`), so results are equal bit for bit on every engine.

    Scores are kept exactly while there are few enough distinct ones for the memory budget
    (:attr:`exact`). Beyond that each is only known to lie in a cell of width :attr:`resolution`,
    and the counts of a cell can be read in two ways. With all its mistakes put *before* its right
    answers (``within="worst"``, what you get unless you ask), cuts inside cells are never worth
    while, so what comes out is what thresholds between cells achieve: an upper bound on every
    optimal cost, met by the windows given. With its classes parted perfectly (``within="best"``),
    no order of the true scores within their cells can do better: a lower bound.
    :meth:`cost_bounds` gives both.

    Attributes
    ----------
    plan : Plan
        What is counted.
    n_rows : int
        Number of rows read.
    labels : frozenset
        True labels seen.
    scores : ScoreTally
        Counts at scores: of the positive class, or confidences of answers.
    sets : SetTally
        Counts of prediction sets.

    Examples
    --------
    >>> import pandas as pd
    >>> from cautious.logs import summarise
    >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
    >>> summary = summarise(log.head(2)) + summarise(log.tail(2))
    >>> summary == summarise(log), summary.exact
    (True, True)
    >>> summary.cost_surface().cost(mu=1, nu=0.2)
    0.1
    """

    plan: Plan
    n_rows: int
    labels: frozenset[Any]
    scores: ScoreTally
    sets: SetTally

    @classmethod
    def of_nothing(cls, plan: Plan) -> LogSummary:
        """Summary of no rows: adding it changes nothing."""
        return cls(
            plan,
            0,
            frozenset(),
            ScoreTally(plan.limits, plan.resolution),
            SetTally(plan.limits.limit),
        )

    def __add__(self, other: LogSummary) -> LogSummary:
        if not isinstance(other, LogSummary):
            return NotImplemented
        return merge(self, other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogSummary):
            return NotImplemented
        a, b = self.settled(), other.settled()
        return (
            (a.plan, a.n_rows, a.labels, a.scores.exponent)
            == (b.plan, b.n_rows, b.labels, b.scores.exponent)
            and _same(
                {k: (v, c) for k, v, c in a.scores.canonical()},
                {k: (v, c) for k, v, c in b.scores.canonical()},
            )
            and _same(a.sets.rows, b.sets.rows)
        )

    __hash__ = None  # type: ignore[assignment]

    def settled(self) -> LogSummary:
        """Return the same counts in their canonical form."""
        return LogSummary(
            self.plan.knowing(None), self.n_rows, self.labels, self.scores.settled(), self.sets
        )

    # What it knows.

    @property
    def exact(self) -> bool:
        """Whether every distinct score is kept."""
        return self.scores.settled().exponent is None

    @property
    def resolution(self) -> float | None:
        """Width of the cells that scores are rounded to; ``None`` while they are exact."""
        exponent = self.scores.settled().exponent
        return None if exponent is None else 2.0**exponent

    @property
    def models(self) -> list[Any]:
        """Names of the models, sorted; ``[None]`` where no column says."""
        return self._names("model")

    @property
    def groups(self) -> list[Any]:
        """Names of the groups, sorted; ``[None]`` where no column says."""
        return self._names("group")

    @property
    def classes(self) -> Labels:
        """Class labels in order: of the sets, or (negative, positive) of the scores."""
        if self.plan.classes and not (self.plan.binary and not self.plan.decisions):
            return check_classes(self.plan.classes)
        return check_classes(self._pair())

    # Two classes.

    def staircase(self, *, model: Any = ALL, group: Any = ALL, within: str = "worst") -> Staircase:
        """Count both classes at each score.

        Parameters
        ----------
        model, group : label, optional
            Count only these; all by default.
        within : {"worst", "best"}
            How to read the counts of a cell, where scores are rounded.

        Returns
        -------
        Staircase
        """
        if not self.plan.binary:
            raise ValueError(
                "this log has no score of two classes, so it has no staircase; "
                "risk_coverage() and counts() tell about more classes."
            )
        pair, told = self._pair(), self.plan.pos_label is not None
        return staircase_of(
            self._cells(model, group, within),
            lambda kind: bool(kind.truth if told else kind.truth == pair[1]),
            pair,
            worst=within == "worst",
        )

    def cost_surface(
        self, *, model: Any = ALL, group: Any = ALL, priors: Any = None, within: str = "worst"
    ) -> AbstentionCostSurface:
        """Abstention cost surface of the scores; parameters as in :meth:`staircase`."""
        return AbstentionCostSurface(
            self.staircase(model=model, group=group, within=within), priors=priors
        )

    def cost_bounds(
        self,
        mu: npt.ArrayLike,
        nu: npt.ArrayLike,
        *,
        model: Any = ALL,
        group: Any = ALL,
        priors: Any = None,
    ) -> tuple[Floats, Floats]:
        r"""Bounds on the least expected cost :math:`k(\mu, \nu)` at the unrounded scores.

        Let a cell hold P positives and N negatives. Whatever window is put on the true scores, the
        cell's cases cost at least what they cost if its N negatives came below its P positives and
        the window were moved to that gap, for each case then gets the cheapest answer that the
        window gives to any of the cell. So the surface of cells parted that way is never above
        the true one. Windows between cells are windows, so theirs is never below. Both are equal
        while the summary is exact.

        Parameters
        ----------
        mu, nu : float or array-like
            Relative costs of a false positive and of abstaining.
        model, group : label, optional
            Count only these.
        priors : mapping or pair (negative, positive), optional
            Class probabilities to assume instead of the sample's.

        Returns
        -------
        lower, upper : float or ndarray
        """
        lower, upper = (
            self.cost_surface(model=model, group=group, priors=priors, within=within).cost(mu, nu)
            for within in ("best", "worst")
        )
        return lower, upper

    # More classes, and sets.

    def counts(
        self, decision: str | None = None, *, model: Any = ALL, group: Any = ALL
    ) -> SetCounts:
        """Prediction sets counted against truths.

        Parameters
        ----------
        decision : str, optional
            "sets" for the sets that were logged, "argmax" for the likeliest class, the name of
            a utility whose optimal sets were counted, or "confidence 0.8" for a model that keeps
            quiet below a probability it was counted for. By default the first of these there is.
        model, group : label, optional
            Count only these; all by default.

        Returns
        -------
        SetCounts
        """
        strata = [s for s in self._strata(decision, model) if _chosen(s, ALL, group)]
        return self.sets.counts(strata, self.classes)

    def risk_coverage(
        self, *, model: Any = ALL, group: Any = ALL, within: str = "worst"
    ) -> RiskCoverageCurve:
        """Right and wrong answers counted by confidence; parameters as in :meth:`staircase`.

        Where confidences are rounded, ``within="worst"`` puts the wrong answers of a cell first and
        gives upper bounds of risk and its areas, ``"best"`` the right ones, and lower bounds.
        """
        if ARGMAX not in self.plan.decisions:
            raise ValueError(
                "this log has no probabilities of more than two classes, so it says nothing about "
                "the confidence of its answers."
            )
        cells = self._cells(model, group, within)
        return risk_coverage_of(cells, self.classes, worst=within == "worst")

    def measure(
        self,
        which: str | Measure | Any,
        *,
        decision: str | None = None,
        model: Any = ALL,
        group: Any = ALL,
        **params: Any,
    ) -> float:
        """Any measure of :data:`cautious.metrics.MEASURES`, as from arrays in memory.

        Parameters
        ----------
        which : str, callable or Measure
            For example "u65" or "aurc".
        decision : str, optional
            Whose sets to measure; see :meth:`counts`.
        model, group : label, optional
            Count only these.
        **params
            Parameters of the measure.

        Returns
        -------
        float
            nan with a warning where it is undefined.
        """
        entry = get_measure(which)
        if entry.counts is RiskCoverageCurve:
            return entry.score(self.risk_coverage(model=model, group=group), **params)
        return entry.score(self.counts(decision, model=model, group=group), **params)

    def breakdown(
        self,
        measures: Iterable[Any] = USUAL_MEASURES,
        *,
        decision: str | None = None,
        model: Any = ALL,
        **params: Any,
    ) -> pd.DataFrame:
        """Measures of each group; one row a group, nan where a measure is undefined."""
        entries = [get_measure(which) for which in measures]
        groups, classes = self.groups, self.classes
        strata: dict[Any, list[Stratum]] = {name: [] for name in groups}
        for stratum in self._strata(decision, model):
            strata[stratum.group].append(stratum)
        rows = []
        for own in strata.values():
            counts = self.sets.counts(own, classes)
            values = {entry.name: float(entry(counts, **params)) for entry in entries}
            rows.append({"n": float(counts.n), **values})
        return pd.DataFrame(rows, index=pd.Index(groups, name=self.plan.columns.group))

    def predictions(self, name: str = "predictions") -> dict[str, Any]:
        """Give counts by model, as :func:`cautious.report.build_report` takes them.

        Parameters
        ----------
        name : str
            What to call the model where no column says.
        """
        found: dict[str, Any] = {}
        for model in self.models:
            title = name if model is None else str(model)
            if self.plan.binary:
                found[title] = self.staircase(model=model)
            for decision in self.plan.decisions:
                counts: dict[str, Any] = {"counts": self.counts(decision, model=model)}
                if decision in (SETS, ARGMAX) and ARGMAX in self.plan.decisions:
                    counts["risk_coverage"] = self.risk_coverage(model=model)
                plain = decision == self.plan.decisions[0] and not self.plan.binary
                found[title if plain else f"{title}, {_TITLES.get(decision, decision)} sets"] = (
                    counts
                )
        return found

    def _pair(self) -> tuple[Any, Any]:
        """Negative and positive label of the scores."""
        plan = self.plan
        if len(plan.classes) == 2:
            return binary_truth([], pos_label=plan.pos_label, classes=plan.classes)[1]
        seen = sorted(self.labels, key=sort_key)
        if plan.pos_label is not None and plan.pos_label not in seen:
            rest = seen[0] if len(seen) == 1 else f"not {plan.pos_label}"
            return rest, plan.pos_label
        if not seen:
            return 0, 1
        labels = np.empty(len(seen), dtype=object)
        labels[:] = seen
        return binary_truth(labels, pos_label=plan.pos_label)[1]

    def _strata(self, decision: str | None, model: Any) -> list[Stratum]:
        """Whatever was counted of a decision."""
        known = self.plan.decisions
        if not known:
            raise ValueError("this log holds no prediction sets; staircase() tells about scores.")
        name = known[0] if decision is None else decision
        if name not in known:
            raise ValueError(f"decision is {decision!r}; counted were {', '.join(known)}.")
        return [s for s in self.sets.rows if s.decision == name and _chosen(s, model, ALL)]

    def _cells(self, model: Any, group: Any, within: str) -> list[Cells]:
        if within not in ("worst", "best"):
            raise ValueError(f"within is {within!r}; choose 'worst' or 'best'.")
        return list(cells_of_tally(self.scores, lambda kind: _chosen(kind, model, group)))

    def _names(self, which: str) -> list[Any]:
        keys = (*self.scores.settled().pieces, *self.sets.rows)
        names = {getattr(key, which) for key in keys}
        return sorted(names, key=sort_key) or [None]


def merge(a: LogSummary, b: LogSummary) -> LogSummary:
    """Add two summaries up: with :func:`summarise_batch`, all that an engine has to know.

    Parameters
    ----------
    a, b : LogSummary
        Summaries made to one plan.

    Returns
    -------
    LogSummary
    """
    if a.plan != b.plan:
        raise ValueError(
            "these summaries count different things: their columns, classes or memory budgets "
            "differ. Make both to one plan."
        )
    labels = a.labels | b.labels
    plan = a.plan
    if plan.binary and plan.pos_label is None and not plan.classes and len(labels) > 2:
        shown = ", ".join(map(repr, sorted(labels, key=sort_key)[:10]))
        raise ValueError(
            f"column {plan.columns.truth!r} holds {len(labels)} classes ({shown}), but a score "
            "speaks for one class against the rest; say which with pos_label=."
        )
    return LogSummary(
        plan, a.n_rows + b.n_rows, labels, a.scores.merge(b.scores), a.sets.merge(b.sets)
    )


_TITLES = {SETS: "logged", ARGMAX: "likeliest"}


def _chosen(key: Any, model: Any, group: Any) -> bool:
    return (model is ALL or key.model == model) and (group is ALL or key.group == group)


def _same(a: dict[Any, tuple[Any, Counts]], b: dict[Any, tuple[Any, Counts]]) -> bool:
    return set(a) == set(b) and all(
        np.array_equal(x, y) for key in a for x, y in zip(a[key], b[key], strict=True)
    )
