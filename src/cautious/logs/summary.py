r"""What is left of a prediction log: mergeable counts, and the curves and measures they give."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import check_choice, check_classes
from cautious._input_limits import CLASSES
from cautious._labels import binary_classes, label_notes, label_text, match_label, sorted_labels
from cautious._messages import note, refusal
from cautious._typing import Labels
from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.curves._staircase import check_probability_scores
from cautious.decision import Rule
from cautious.errors import InputError, Message, listed, quoted, shown
from cautious.guarantees import certify
from cautious.guarantees._tallies import Certified, Shape
from cautious.logs.plan import ARGMAX, SETS, Plan, made_rule
from cautious.logs.scores import ScoreCells, ScoreTally
from cautious.logs.sets import Codes, Keys, SetTally, floats
from cautious.metrics import SetCounts
from cautious.metrics._printed_report import USUAL_MEASURES, measures_by_group
from cautious.metrics._registry import Measure, get_measure
from cautious.predictions._columns import described
from cautious.predictions._rows import weight_notes

WEIGHTLESS = "weightless"
"""Rows of weight 0, among the odd ones; nothing need be said of them."""

_MAGIC = b"cautious.log/1\n"
_DIGEST = hashlib.sha256().digest_size
_TYPES = {"f": "<f8", "i": "<i8", "u": "<u8"}


@dataclass(frozen=True, eq=False)
class LogSummary:
    r"""Counts of a prediction log, from which every curve and measure is computed.

    Summaries of parts add up, ``a + b``, to the summary of the whole, whatever the parts and their
    order: unweighted rows are counted by integers, and weights are added in fixed point
    (``logs/sets.py``), so results are equal bit for bit on every engine.

    Scores are kept exactly while there are few enough distinct ones for the memory budget
    (:attr:`exact`). Beyond that each is only known to lie in a cell of width :attr:`resolution`,
    and the counts of a cell can be read in two ways. With all its mistakes put *before* its right
    answers (``within="worst"``, what you get unless you ask), cuts inside cells are never worth
    while, so what comes out is what thresholds between cells achieve: an upper bound on every
    optimal cost, met by the windows given. With its classes parted perfectly (``within="best"``),
    no order of the true scores within their cells can do better: a lower bound.

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
    odd : dict
        How many rows were left out, divided by their sum and the like; see :attr:`notes`.

    Examples
    --------
    >>> import pandas as pd
    >>> from cautious.logs import summarise
    >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
    >>> summary = summarise(log.head(2)) + summarise(log.tail(2))
    >>> summary == summarise(log), summary.exact
    (True, True)
    >>> sum([summary, summary])
    <LogSummary of 8 rows, classes 0, 1; 4 scores>
    >>> summary.cost_surface().cost(mu=1, nu=0.2)
    0.1
    """

    plan: Plan
    n_rows: int
    labels: frozenset[Any]
    scores: ScoreTally
    sets: SetTally
    odd: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of_nothing(cls, plan: Plan) -> LogSummary:
        """Summary of no rows: adding it changes nothing."""
        scores, sets = ScoreTally(plan.limits, plan.resolution), SetTally(plan.limits.limit)
        return cls(plan, 0, frozenset(), scores, sets)

    def __add__(self, other: LogSummary) -> LogSummary:
        if not isinstance(other, LogSummary):
            return NotImplemented
        if self.plan != other.plan:
            raise ValueError(self.plan.difference(other.plan))
        plan, labels = self.plan, self.labels | other.labels
        if plan.binary and plan.pos_label is None and not plan.classes and len(labels) > 2:
            binary_classes(list(labels))  # says that there are too many
        if len(labels) > CLASSES:  # memory must not grow with a column of identifiers
            raise refusal("many labels", name=quoted(plan.columns.truth), most=f"{CLASSES:,}")
        scores, sets = self.scores + other.scores, self.sets + other.sets
        odd = dict(Counter(self.odd) + Counter(other.odd))
        return LogSummary(plan, self.n_rows + other.n_rows, labels, scores, sets, odd)

    def __radd__(self, other: Any) -> LogSummary:
        return self if other == 0 else NotImplemented  # sum() begins with 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogSummary):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        classes = ", ".join(str(label)[:40] for label in self.classes[:6])
        more = ", …" if len(self.classes) > 6 else ""
        own = (("models", self.models), ("groups", self.groups))
        parts = [f"{len(names):,} {what}" for what, names in own if names]
        if self.plan.binary or ARGMAX in self.plan.decisions:
            rounded = "" if self.exact else f" rounded to {self.resolution:g}"
            parts.append(f"{self.scores.settled.n_kept:,} scores{rounded}")
        parts.extend(f"{decision} counted" for decision in self.plan.decisions)
        return f"<LogSummary of {self.n_rows:,} rows, classes {classes}{more}; {', '.join(parts)}>"

    def to_bytes(self) -> bytes:
        """Write the summary as bytes: a checksum, JSON and arrays, nothing that runs.

        Equal summaries give equal bytes.

        Examples
        --------
        >>> import pandas as pd
        >>> from cautious.logs import LogSummary, summarise
        >>> summary = summarise(pd.DataFrame({"y": [0, 1], "score": [0.3, 0.8]}))
        >>> LogSummary.from_bytes(summary.to_bytes()) == summary
        True
        """
        settled = self.scores.settled
        kinds, arrays = settled.to_arrays()
        strata, others = self.sets.to_arrays()
        header = {
            "plan": self.plan.to_dict(),
            "n_rows": self.n_rows,
            "labels": sorted_labels(self.labels),
            "odd": dict(sorted(self.odd.items())),
            "exponent": settled.exponent,
            "kinds": kinds,
            "strata": strata,
        }
        return pack(header, arrays + others)

    @classmethod
    def from_bytes(cls, data: bytes) -> LogSummary:
        """Read what :meth:`to_bytes` wrote.

        Raises
        ------
        ValueError
            If a byte has changed or is missing, or the bytes hold what no log can give, such as
            negative counts.

        Examples
        --------
        >>> import pandas as pd
        >>> from cautious.logs import summarise
        >>> summary = summarise(pd.DataFrame({"y_true": [0, 1], "score": [0.1, 0.9]}))
        >>> LogSummary.from_bytes(summary.to_bytes()) == summary
        True
        """
        try:
            header, arrays = unpack(data)
            if not all(isinstance(header[key], list) for key in ("labels", "kinds", "strata")):
                raise ValueError("labels, kinds and strata are no lists")
            plan = Plan.from_dict(header["plan"])
            n_kinds = 2 * len(header["kinds"])
            if len(arrays) != n_kinds + 2 * len(header["strata"]):
                raise ValueError("there are more or fewer arrays than it says")
            scores = ScoreTally.from_arrays(
                plan.limits, header["exponent"], header["kinds"], arrays[:n_kinds]
            )
            sets = SetTally.from_arrays(
                plan.limits.limit, header["strata"], arrays[n_kinds:], len(plan.classes)
            )
            labels, odd = frozenset(header["labels"]), dict(header["odd"])
            summary = cls(plan, header["n_rows"], labels, scores, sets, odd)
            summary._check_totals()
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = str(error) or type(error).__name__
            raise ValueError(f"these bytes are no summary of a prediction log ({why}).") from None
        return summary

    def _check_totals(self) -> None:
        """Refuse a summary whose counts do not add up to its rows."""
        plan = self.plan
        if type(self.n_rows) is not int or self.n_rows < 0:
            raise ValueError(f"it has {shown(self.n_rows)} rows")
        if not all(type(count) is int and 0 < count <= self.n_rows for count in self.odd.values()):
            raise ValueError("it has odd rows that there cannot be")
        if not all(isinstance(label, str | bool | int | float) for label in self.labels):
            raise ValueError("a label is no text or number")
        scored, sets = self.scores.settled.pieces[0].counts, self.sets
        weighted = {counts.ndim > 1 for counts in (scored, sets.cells.counts) if len(counts)}
        if weighted - {plan.columns.weight is not None}:
            raise ValueError("its counts are of another kind than its plan says")
        if plan.columns.weight is not None:
            return
        totals = []
        if plan.binary or ARGMAX in plan.decisions:
            per_row = max(1, len(plan.columns.scores))
            total = int(scored.sum()) / per_row
            totals = [total + (0 if plan.binary else self.odd.get("missing", 0))]
        for decision in {*plan.decisions, *sets.keys.kinds}:
            totals.append(int(sets.keys.take(sets.cells, None, None, decision).counts.sum()))
        if any(total != self.n_rows - self.odd.get("dropped", 0) for total in totals):
            raise ValueError(f"its counts do not add up to its {self.n_rows:,} rows")

    # What it knows.

    @property
    def exact(self) -> bool:
        """Whether every distinct score is kept."""
        return self.scores.settled.exponent is None

    @property
    def resolution(self) -> float | None:
        """Width of the cells that scores are rounded to; ``None`` while they are exact."""
        exponent = self.scores.settled.exponent
        return None if exponent is None else 2.0**exponent

    @property
    def notes(self) -> tuple[Message, ...]:
        """What was guessed, left out, rounded, or looks odd, in words."""
        columns, n = self.plan.columns, f"{self.n_rows:,}"
        found = [described(columns, self.plan.names, self.plan.place)]
        pair = self._pair() if self.plan.binary else None
        if pair is not None:
            positive = {"positive": f", positive {quoted(pair[1])}"}
            found = [replace(found[0], values={**found[0].values, **positive})]
        for key, count in sorted(self.odd.items()):
            if key != WEIGHTLESS:
                unsure = key == "missing" and columns.graded
                found.append(note("missing confidence" if unsure else key, count=f"{count:,}", n=n))
        if self.plan.turned:
            found.append(note("turned", label=quoted(self._pair()[1])))
        if SETS in self.plan.decisions and (columns.scores or columns.proba):
            beside = "probabilities" if columns.proba else "scores"
            found.append(note("sets are answers", beside=beside))
        found += label_notes(self.labels | set(self.plan.classes), pair)
        if columns.weight is not None:
            gone = self.odd.get("dropped", 0) + self.odd.get(WEIGHTLESS, 0)
            found += weight_notes(self._weight(), self.n_rows - gone, columns)
        if not self.exact:
            asked = self.scores.settled.exponent == self.plan.resolution
            which = "rounded as asked" if asked else "rounded scores"
            found.append(note(which, width=f"{self.resolution:g}"))
        return tuple(found)

    @cached_property
    def models(self) -> list[Any]:
        """Names of the models, sorted; empty where no column says."""
        names = sorted_labels({*self.scores.keys.models, *self.sets.keys.models} - {None})
        columns = {column: at for at, column in enumerate(self.plan.columns.scores)}
        return sorted(names, key=lambda name: columns.get(name, 0))

    @cached_property
    def groups(self) -> list[Any]:
        """Names of the groups, sorted; empty where no column says."""
        every = dict.fromkeys(self.scores.keys.groups + self.sets.keys.groups)
        return sorted((name for name in every if name is not None), key=str)

    @property
    def classes(self) -> Labels:
        """Class labels in order: of the sets, or (negative, positive) of the scores."""
        if self.plan.classes and not (self.plan.binary and not self.plan.decisions):
            return check_classes(self.plan.classes)
        return check_classes(self._pair())

    # Two classes.

    def staircase(
        self, *, model: Any = None, group: Any = None, within: str = "worst"
    ) -> Staircase:
        """Count both classes at each score.

        Parameters
        ----------
        model : label, optional
            Which of :attr:`models`; must be given where there are several.
        group : label, optional
            Count only this one of :attr:`groups`; all by default.
        within : {"worst", "best"}
            How to read the counts of a cell, where scores are rounded.

        Returns
        -------
        Staircase

        Examples
        --------
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
        >>> summary = summarise(log)
        >>> summary.staircase()
        Staircase(classes=(0, 1), n_scores=4, n_positives=2, n_negatives=2)
        """
        cells = self._cells(model, group, "staircase", within)
        columns = self.plan.columns
        several = len(columns.scores) > 1
        # Probabilities of classes are found by their names; a score may be called anything.
        column = model if several else next(iter(columns.scores), None)
        named = None if model is None else str(model)
        return cells.staircase(worst=within == "worst", column=column, model=named)

    def cost_surface(
        self, *, model: Any = None, group: Any = None, priors: Any = None, within: str = "worst"
    ) -> AbstentionCostSurface:
        """Abstention cost surface of the scores; parameters as in :meth:`staircase`.

        Examples
        --------
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
        >>> summary = summarise(log)
        >>> summary.cost_surface().cost(mu=1, nu=0.2)
        0.1
        """
        return AbstentionCostSurface(
            self.staircase(model=model, group=group, within=within), priors=priors
        )

    def certify(
        self,
        *,
        max_error: float,
        confidence_level: float = 0.95,
        thresholds: Shape | None = None,
        model: Any = None,
        group: Any = None,
        random_state: int | None = 0,
    ) -> Certified:
        """Find the rule that answers most among those that provably keep a limit on new cases.

        The counts are enough: the log is not read again. Of two classes. Where scores are rounded,
        they must be probabilities, and whole cells are answered.

        Parameters
        ----------
        max_error : float
            Largest share of wrong answers among the answers.
        confidence_level : float, default=0.95
            How sure the promise is, over the draw of the rows.
        thresholds : {"one", "two"}, optional
            As in :func:`cautious.guarantees.certify`; by default one if the scores are
            probabilities, two if not.
        model, group : label, optional
            Count only these, as in :meth:`staircase`.
        random_state : int or None
            Seed of the fifth of the rows that fixes the candidates.

        Returns
        -------
        Certified
            With `rule` None where nothing can be promised.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> from cautious.logs import summarise
        >>> rng = np.random.default_rng(0)
        >>> y = rng.integers(2, size=2000)
        >>> p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
        >>> summary = summarise(pd.DataFrame({"y_true": y, "score": p.round(3)}))
        >>> summary.certify(max_error=0.1).certificate.granted
        True
        """
        stairs = self.staircase(model=model, group=group)
        counted = stairs.cases()
        truth, scores, weight = counted.y_true, counted.score, counted.weight
        if not self.exact:
            if not stairs.are_probabilities or self.plan.columns.graded:
                raise ValueError(
                    "the scores are rounded and no probabilities, so nothing can be promised; "
                    "summarise the log with a larger memory_budget."
                )
            truth, scores, weight = self._cells(model, group).certified_cases()
        wishes: dict[str, Any] = {"max_error": max_error, "confidence_level": confidence_level}
        wishes["random_state"] = random_state
        if self.plan.columns.graded:
            found = certify(replace(counted, graded=True), **wishes)
        else:
            usual: Shape = "one" if stairs.are_probabilities else "two"
            wishes |= {"classes": stairs.classes, "thresholds": thresholds or usual}
            found = certify(truth, y_score=scores, counts=weight, **wishes)
        return found.with_scores(stairs.score_bins(), column=stairs.column, model=stairs.model)

    # Answers, of two classes or more.

    def counts(
        self, decision: str | Rule | None = None, *, model: Any = None, group: Any = None
    ) -> SetCounts:
        """Prediction sets counted against truths.

        Parameters
        ----------
        decision : str or Rule, optional
            "sets" for the sets that were logged, "argmax" for the most probable class, or the name
            of a rule that was counted, such as "u65" or "confidence 0.8", or the rule. By default
            the first of these there is. Of scores of two classes, any rule is counted now.
        model, group : label, optional
            Count only these, as in :meth:`staircase`.

        Returns
        -------
        SetCounts

        Examples
        --------
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
        >>> summary = summarise(log)
        >>> summary.counts()
        SetCounts(n=4, cells=4, classes=[0, 1])
        """
        return self._answered(decision, model, group)[0].merge()[0]

    def _answered(
        self, decision: str | Rule | None, model: Any, group: Any
    ) -> tuple[SetCounts, Codes, Keys]:
        """Count answers, and tell the codes of the groups of the cells among some names."""
        known = self.plan.decisions
        if self.plan.binary and (decision not in known if decision is not None else not known):
            cells = self._cells(model, group)
            return cells.answers(self._rule(decision)), cells.codes, self.scores.keys
        name = self._counted_decision(decision)
        self._check_part(model, group)
        return *self.sets.set_counts(self.classes, name, model, group), self.sets.keys

    def _rule(self, decision: str | Rule | None) -> Rule:
        """Find the rule whose answers to the scores of two classes are counted."""
        pair = self._pair()
        decision = ARGMAX if decision is None else decision
        known = {ARGMAX: 0, **self.plan.rules}
        if not isinstance(decision, Rule) and decision not in known:
            raise InputError(
                "{=decision} is {given}; of scores of two classes, give a Rule or one of {known}.",
                given=quoted(decision),
                known=listed(known),
            )
        rule = made_rule(decision if isinstance(decision, Rule) else known[decision], pair)
        if label_text(rule.pos_label) != label_text(pair[1]):
            raise InputError(
                "the rule's positive class is {given}, but the scores are of {label}.",
                given=quoted(rule.pos_label),
                label=quoted(pair[1]),
            )
        return rule

    def answer_bounds(
        self, rule: Rule, *, model: Any = None, group: Any = None
    ) -> dict[str, tuple[float, float]]:
        """Bounds on what a rule answers to the unrounded scores of two classes.

        A cell whose ends get the same answer is counted exactly. In the others, where a threshold
        lies, each case may have any of the answers that the rule gives between the ends.

        Parameters
        ----------
        rule : Rule
            Decides.
        model, group : label, optional
            Count only these, as in :meth:`staircase`.

        Returns
        -------
        dict of str to pair of float
            The least and the greatest ``coverage``, ``selective_accuracy`` and ``error`` there may
            be, nan without an answer; and of ``open_cases``, those that may be answered otherwise
            than they are counted, none and all. The two of a measure are equal while the summary is
            exact.

        Examples
        --------
        >>> from cautious.decision import Rule
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
        >>> rounded = summarise(log, resolution=0.25)
        >>> rounded.answer_bounds(Rule.window(0.3, 0.8))["coverage"]
        (0.25, 0.75)
        """
        return self._cells(model, group, "bounds of a rule's answers").answer_bounds(rule)

    def risk_coverage(
        self, *, model: Any = None, group: Any = None, within: str = "worst"
    ) -> RiskCoverageCurve:
        """Right and wrong answers counted by confidence; parameters as in :meth:`staircase`.

        Where confidences are rounded, ``within="worst"`` puts the wrong answers of a cell first and
        gives upper bounds of risk and its areas, ``"best"`` the right ones, and lower bounds. Of
        two classes, the scores must be probabilities.

        Examples
        --------
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
        >>> summary = summarise(log)
        >>> summary.risk_coverage()
        RiskCoverageCurve(n=4, thresholds=2, aurc=0.153426, augrc=0.125)
        """
        if self.plan.binary:
            stairs = self.staircase(model=model, group=group, within=within)
            cases = replace(stairs.cases(), graded=self.plan.columns.graded)
            if not (cases.graded or stairs.are_probabilities):
                check_probability_scores(cases.score)
            return RiskCoverageCurve.of(cases)
        if ARGMAX not in self.plan.decisions:
            raise ValueError(
                "this log has no scores or probabilities, so it says nothing about the confidence "
                "of its answers; counts() tells about the answers themselves."
            )
        return self._cells(model, group, within=within).risk_coverage(worst=within == "worst")

    def measure(
        self,
        which: str | Measure | Any,
        *,
        decision: str | Rule | None = None,
        model: Any = None,
        group: Any = None,
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
            Count only these, as in :meth:`staircase`.
        **params
            Parameters of the measure.

        Returns
        -------
        float
            nan with a warning where it is undefined.

        Examples
        --------
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.9]})
        >>> summary = summarise(log)
        >>> summary.measure("selective_accuracy")
        0.5
        """
        entry = get_measure(which)
        if entry.counts is RiskCoverageCurve:
            return entry.score(self.risk_coverage(model=model, group=group), **params)
        return entry.score(self.counts(decision, model=model, group=group), **params)

    def breakdown(
        self,
        measures: Iterable[Any] = USUAL_MEASURES,
        *,
        decision: str | Rule | None = None,
        model: Any = None,
        **params: Any,
    ) -> pd.DataFrame:
        """Measures of each group; one row per group, nan where a measure is undefined.

        Examples
        --------
        >>> import pandas as pd
        >>> from cautious.decision import Rule
        >>> from cautious.logs import summarise
        >>> log = pd.DataFrame({"y_true": [0, 1, 1], "score": [0.1, 0.4, 0.9], "group": [*"abb"]})
        >>> summary = summarise(log, groups="group")
        >>> summary.breakdown(["coverage", "error"], decision=Rule.window(0.3, 0.5))
                 n  coverage  error
        group
        a      1.0       1.0    0.0
        b      2.0       0.5    0.0
        """
        groups = pd.Index(self.groups or [None], name=self.plan.columns.groups, dtype=object)
        asked = [(get_measure(which), params) for which in measures]
        return measures_by_group(
            *self.answers_by_group(decision, model), groups, asked, margins=False
        )

    def answers_by_group(
        self, decision: str | Rule | None, model: Any
    ) -> tuple[SetCounts, npt.NDArray[np.intp]]:
        """Count answers, and tell which of the groups each cell of these counts is of."""
        counts, codes, keys = self._answered(decision, model, None)
        at = pd.Index(self.groups or [None], dtype=object).get_indexer(list(keys.groups))
        return counts, at[codes // max(1, len(keys.models) * len(keys.kinds))]

    def _weight(self) -> float:
        """Add up the weights of all rows."""
        counts, times, sets = self.scores.settled.pieces[0].counts, 1, self.sets
        if self.plan.binary:  # each column of scores counts every row
            times = max(1, len(self.plan.columns.scores))
        else:
            counts = sets.keys.take(sets.cells, None, None, self.plan.decisions[0]).counts
        return float(floats(counts).sum()) / times

    def _pair(self) -> tuple[Any, Any]:
        """Negative and positive label of the scores."""
        if len(self.plan.classes) == 2:
            return self.plan.classes[0], self.plan.classes[1]
        positive, seen = self.plan.pos_label, list(self.plan.classes or self.labels)
        if positive is None:
            return binary_classes(seen) if seen else (0, 1)
        if match_label(positive, seen) < 0:
            seen.append(positive)
        return binary_classes(seen, pos_label=positive)

    def _counted_decision(self, decision: str | Rule | None) -> str:
        """Find the name of a decision that was counted."""
        known = self.plan.decisions
        if not known:
            raise ValueError("this log holds no prediction sets; staircase() tells about scores.")
        name = known[0] if decision is None else decision
        if isinstance(name, Rule):
            names = [own for own, rule in self.plan.rules.items() if rule == name]
            if not names:
                raise InputError(
                    "the rule {rule} was not counted; give it to summarise as {=rules}.",
                    rule=repr(name),
                )
            name = names[0]
        if name not in known:
            raise ValueError(f"decision is {shown(decision)}; counted were {', '.join(known)}.")
        return name

    def _check_part(self, model: Any, group: Any) -> None:
        """Refuse several models as one, and models and groups that are not there."""
        models, groups = self.models, self.groups
        if model is None and len(models) > 1:
            how = f"say which, as in model={models[0]!r}"
            if self.plan.columns.model is not None:
                how += ", or summarise the log with model=False, which makes them one"
            raise ValueError(
                f"this log holds {len(models)} models, {listed(models)}; their answers counted "
                f"together are those of no model, so {how}."
            )
        for argument, given, names in (("model", model, models), ("group", group, groups)):
            if given is not None and given not in names:
                there = f"give one of {listed(names)}" if names else "the log names none: omit it"
                raise ValueError(f"{argument} is {shown(given)}; {there}.")

    def _cells(self, model: Any, group: Any, what: str = "", within: str = "worst") -> ScoreCells:
        """Read the counts at scores: of two classes, which alone have `what`, or of confidences."""
        if what and not self.plan.binary:
            raise ValueError(
                f"this log has no score of two classes, so it has no {what}; risk_coverage() and "
                "counts() tell about more classes."
            )
        check_choice(within, "within", ("worst", "best"))
        self._check_part(model, group)
        classes = self._pair() if self.plan.binary else self.plan.classes
        # Without a positive class that is said, scores are counted by label.
        positive = classes[1] if self.plan.binary and self.plan.pos_label is None else None
        return ScoreCells.of(self.scores.settled, classes, positive, model, group)


def pack(header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]]) -> bytes:
    """Write a header and arrays of 64-bit numbers; equal ones give equal bytes."""
    shapes = [[array.dtype.kind, *array.shape] for array in arrays]
    text = json.dumps({**header, "arrays": shapes}).encode()
    numbers = [array.astype(_TYPES[array.dtype.kind]).tobytes() for array in arrays]
    content = b"".join([len(text).to_bytes(8, "little"), text, *numbers])
    return _MAGIC + hashlib.sha256(content).digest() + content


def unpack(data: bytes) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
    """Undo :func:`pack`."""
    start = len(_MAGIC) + _DIGEST
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"bytes were expected, not {type(data).__name__}")
    data = bytes(data)
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("they begin otherwise")
    content = data[start:]
    if hashlib.sha256(content).digest() != data[len(_MAGIC) : start]:
        raise ValueError("they are damaged: the checksum differs")
    at = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:at])
    arrays = []
    for kind, *shape in header.pop("arrays"):
        if not all(type(size) is int and size > 0 for size in shape):
            raise ValueError(f"an array has the shape {shape}")
        n = math.prod(shape)
        if at + 8 * n > len(content):
            raise ValueError("arrays are cut off")
        flat = np.frombuffer(content, _TYPES[kind], n, at)
        arrays.append(flat.astype(flat.dtype.newbyteorder("=")).reshape(shape))
        at += 8 * n
    if at != len(content):
        raise ValueError("there is more behind the arrays")
    return header, arrays
