"""The state of a watch: what was seen of a deployed rule, and whether it is an alarm."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import reduce
from itertools import count, zip_longest
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import is_new
from cautious._files import parsed_json, read_bounded, write_whole
from cautious._input_limits import STATE
from cautious._random import Interval
from cautious._result import Result
from cautious._text import TextTable, number, share
from cautious._typing import Floats, Ints
from cautious.decision import Rule
from cautious.errors import InputError, Message, counted, listed, quoted, shown
from cautious.evaluation._calibration import Calibration
from cautious.guarantees import DriftMonitor, RiskMonitor
from cautious.guarantees._limits import LIMITS, LimitCounts

Digests: TypeAlias = npt.NDArray[np.uint64]

SCHEMA = "cautious.watch/5"
"""What a file of this kind says it is."""

ALL = ""
"""The group of all cases."""

BATCHES_KEPT = 100
"""So many batches are kept one by one unless another number is given."""

_TALLIES_KEPT = 6_000
"""Batches of many groups are kept one by one up to so many tallies, and the last one always."""

IDS_KEPT = 10_000
"""So many ids are remembered with their scores; of more, the same ones by every watch."""
# A million names of 40 bits take 3.6 MB of text; a new one is taken for one of them once in 10⁶.
_BYTES = 5

_SPARKS = "▁▂▃▄▅▆▇█"
_SPARKS_SHOWN = 40


class Tally(NamedTuple):
    """Counts of the cases of a group.

    Judged are cases whose truth is known, abstained on or not. Answers of known truth, and the
    wrong ones among them, are counted by the class answered where there are two classes, otherwise
    all as the first.
    """

    cases: int = 0
    abstained: int = 0
    missing: int = 0
    judged: int = 0
    positives: int = 0
    answered_first: int = 0
    answered_second: int = 0
    wrong_first: int = 0
    wrong_second: int = 0

    def summary(self) -> dict[str, int]:
        """Name the counts that people ask for."""
        wrong, labelled = map(int, _pairs(np.array(self), "error"))
        counts = {"cases": self.cases, "abstained": self.abstained, "missing": self.missing}
        return counts | {"labelled": labelled, "wrong": wrong}


@dataclass(frozen=True)
class BatchCounts:
    """Counts of cases, which add up: of all (the group ``""``) and of each group.

    Then cases in the bins of the rule's calibration, those of them whose truth is unknown, and
    cases of each class of the rule whose truth is known, abstained on or not.
    """

    groups: Mapping[str, Tally] = field(default_factory=dict)
    bins: tuple[int, ...] = ()
    open_bins: tuple[int, ...] = ()
    truths: tuple[int, ...] = ()

    def plus(self, other: BatchCounts, sign: int = 1) -> BatchCounts:
        """Add counts, or take them away again."""
        groups = dict(self.groups)
        for name, tally in other.groups.items():
            groups[name] = Tally(*_added(groups.get(name, ()), tally, sign))
        rest = ("bins", "open_bins", "truths")
        return BatchCounts(
            groups, *(_added(getattr(self, key), getattr(other, key), sign) for key in rest)
        )

    def of(self, group: str = ALL) -> Tally:
        """Give the counts of a group."""
        return self.groups.get(group, Tally())


def _pairs(tallies: Ints, limit: str) -> tuple[Ints, Ints]:
    """Count what speaks against a limit, and among how many, in each row of tallies."""
    columns = np.moveaxis(tallies, -1, 0)
    if limit == "abstention":  # it needs no truths
        return columns[1], columns[0]
    events_of = LIMITS[limit].of
    if events_of is None:
        raise ValueError(f"{limit} cannot be watched")
    return events_of(LimitCounts(tallies[..., 5:7], tallies[..., 7:], columns[3], columns[4]))


def _added(one: Sequence[int], other: Sequence[int], sign: int) -> tuple[int, ...]:
    """Add counts place by place; those of nothing may be missing."""
    return tuple(a + sign * b for a, b in zip_longest(one, other, fillvalue=0))


@dataclass(frozen=True)
class Names:
    """A set of names that are known by digests alone, eight bytes each, ascending."""

    digests: bytes = b""

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Forget names but for their digests."""
        return cls(np.unique(np.array([_digest(name) for name in names], "<u8")).tobytes())

    @property
    def _array(self) -> Digests:
        return np.frombuffer(self.digests, "<u8")

    def __len__(self) -> int:
        return len(self.digests) // 8

    def __contains__(self, name: str) -> bool:
        known, digest = self._array, np.uint64(_digest(name))
        at = int(np.searchsorted(known, digest))
        return at < len(known) and bool(known[at] == digest)

    def __or__(self, other: Names) -> Names:
        both = np.sort(np.concatenate([self._array, other._array]), kind="stable")  # merges
        return Names(both[is_new(both)].tobytes())

    def to_text(self) -> str:
        """Write the gaps between digests, byte by byte of all of them, which packs well."""
        gaps = np.diff(self._array, prepend=np.uint64(0)).view(np.uint8).reshape(-1, 8)
        return base64.b64encode(zlib.compress(gaps[:, :_BYTES].T.tobytes(), 1)).decode()

    @classmethod
    def from_text(cls, text: str) -> Names:
        """Read what was written; anything else is refused."""
        unpacker = zlib.decompressobj()
        try:
            plain = unpacker.decompress(base64.b64decode(text, validate=True), STATE)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("the names of old batches are cut off or too many")
        gaps = np.zeros((len(plain) // _BYTES, 8), np.uint8)
        gaps[:, :_BYTES] = np.frombuffer(plain, np.uint8).reshape(_BYTES, -1).T
        return cls(np.cumsum(gaps.view("<u8").ravel(), dtype="<u8").tobytes())


def _digest(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:_BYTES], "little")


@dataclass(frozen=True)
class ScoredIds:
    """Ids of cases and their first scores, as digests: those whose digests are least."""

    digests: bytes = b""

    @property
    def _table(self) -> Digests:
        return np.frombuffer(self.digests, "<u8").reshape(-1, 2)

    def __len__(self) -> int:
        return len(self.digests) // 16

    def plus(self, ids: npt.NDArray[np.object_], scores: Floats) -> tuple[ScoredIds, list[Any]]:
        """Add the cases of a batch; list those ids that had another score before."""
        keys = pd.util.hash_array(ids, categorize=False)
        if len(self) == IDS_KEPT:  # a higher digest finds no room
            near = keys <= self._table[-1, 0]
            ids, scores, keys = ids[near], scores[near], keys[near]
        own = np.zeros(len(ids), np.uint64)
        for column in map(pd.util.hash_array, np.atleast_2d(scores.T)):
            own = own * np.uint64(31) + column
        new = np.column_stack([keys, own])
        found = self | ScoredIds(new.astype("<u8").tobytes())
        known = found._table
        at = np.searchsorted(known[:-1, 0], keys)
        other = (known[at, 0] == keys) & (known[at, 1] != own)
        return found, ids[other].tolist()

    def __or__(self, other: ScoredIds) -> ScoredIds:
        both = np.concatenate([self._table, other._table])
        _, first = np.unique(both[:, 0], return_index=True)
        return ScoredIds(both[first[:IDS_KEPT]].tobytes())

    def to_text(self) -> str:
        """Write the digests as text."""
        return base64.b64encode(self.digests).decode()

    @classmethod
    def from_text(cls, text: str) -> ScoredIds:
        """Read what was written; anything else is refused."""
        digests = base64.b64decode(text, validate=True)
        if len(digests) % 16 or len(digests) > 16 * IDS_KEPT:
            raise ValueError("the ids of cases are cut off or too many")
        return cls(digests)


class Batch(NamedTuple):
    """What one batch of a log added: its name, when it was fed first, in UTC, and counts."""

    name: str
    at: str
    counts: BatchCounts


@dataclass(frozen=True, repr=False)
class Watch(Result):
    """What has been seen of a deployed rule, and whether that is an alarm.

    It is a small file (:meth:`to_json`): counts of all cases, and of the last batches one by one.
    Watches of several machines add up with ``+``; a batch that both have seen counts once: it has
    the same name, and was fed at the same time.

    Attributes
    ----------
    rule : str
        Digest of the rule.
    limits : dict of str to float
        What is watched: limits by their names in a certificate, such as "error" (wrong among the
        answers), "missed" or "abstention".
    confidence_level : float
        1 minus the chance of a false alarm, over all time, of each kind of alarm.
    groups : tuple of str or None
        The groups of the first batch. The chance of a false alarm is divided equally among them,
        with one more part for groups that come later.
    later : tuple of str
        Groups that came later, in the order in which they arrived; within a batch, in that of their
        first rows. The k-th of them gets the share 1/(k (k + 1)) of the part for such groups, once
        and for all.
    expected : tuple of int
        What :class:`cautious.guarantees.DriftMonitor` expects; empty if the rule does not say.
    totals : BatchCounts
        All that was counted.
    batches : tuple of Batch
        What was fed last, one by one, in the order fed.
    folded : Names
        Digests of the names of the batches before these, which are part of `totals` only.
    ids : ScoredIds
        Digests of ids and their scores, of up to 10,000 cases that had an id.
    alarms : dict of str to dict
        Alarms by what they are about: when each was raised first, after which batch, and the
        natural logarithm of the evidence. They stay until a new watch is begun.
    notes : tuple of Message
        What was guessed or left out just now.
    calibration, deployed : Calibration and Rule, or None
        For the estimated share of positives and the window that suits it; known after
        :func:`watch`.

    Notes
    -----
    Let δ be 1 − `confidence_level`. While all is well, a watch raises an alarm of one kind with a
    chance of at most δ, over all time. The sum of watches looks at the counts of all of them with
    a δ of its own, and it keeps the alarms of its parts. So of m watches that are brought together,
    however often, an alarm is false with a chance of at most (m + 1) δ. A sum that knows other
    groups than its parts divides its δ anew, and the looks with each division have a δ of their
    own. To have one promise for all machines, feed all batches to one watch, or begin the m watches
    with the level 1 − δ/(m + 1).

    Examples
    --------
    >>> import pandas as pd
    >>> import cautious
    >>> from cautious.decision import Rule
    >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
    >>> log = pd.DataFrame({"y_true": ["no", "yes", "no"], "score": [0.1, 0.5, 0.9]})
    >>> seen = cautious.watch(log, rule, max_error=0.2)
    >>> seen.alarm, list(seen.monitors())
    (False, ['error'])
    """

    rule: str
    limits: Mapping[str, float] = field(default_factory=dict)
    confidence_level: float = 0.95
    groups: tuple[str, ...] | None = None
    later: tuple[str, ...] = ()
    expected: tuple[int, ...] = ()
    totals: BatchCounts = field(default_factory=BatchCounts)
    batches: tuple[Batch, ...] = ()
    folded: Names = field(default_factory=Names)
    ids: ScoredIds = field(default_factory=ScoredIds)
    alarms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[Message, ...] = field(default=(), compare=False)
    calibration: Calibration | None = field(default=None, compare=False)
    deployed: Rule | None = field(default=None, compare=False)

    # What has been seen.

    def total(self, group: str = ALL) -> dict[str, int]:
        """Add the counts of a group up."""
        return self.totals.of(group).summary()

    def monitors(self) -> dict[str, RiskMonitor | DriftMonitor]:
        """Give the monitors by what they watch."""
        return self._monitors(self.totals)

    @property
    def _before(self) -> BatchCounts:
        """Count what came before the batches that are kept one by one."""
        return reduce(lambda left, one: left.plus(one.counts, -1), self.batches, self.totals)

    def _monitors(self, counts: BatchCounts) -> dict[str, RiskMonitor | DriftMonitor]:
        known = self.groups or ()
        part = (1 - self.confidence_level) / (len(known) + 1)
        levels = {ALL: self.confidence_level} | dict.fromkeys(known, 1 - part)
        for rank, name in enumerate(self.later, 1):
            if counts.of(name).cases:
                levels[name] = 1 - part / (rank * (rank + 1))
        found: dict[str, Any] = {}
        tallies = np.array([counts.of(group) for group in levels])
        pairs = {name: np.stack(_pairs(tallies, name), axis=-1).tolist() for name in self.limits}
        for at, (group, level) in enumerate(levels.items()):
            about = f" in {group}" if group != ALL else ""
            for name, most in self.limits.items():
                # Limits are checked once: the first group is that of all cases.
                one = copy(found[name]) if at else RiskMonitor(most, level, near=True)
                one.confidence_level, (one.wrong, one.answered) = level, pairs[name][at]
                found[name + about] = one
        if self.expected:
            found["drift"] = DriftMonitor(self.expected, counts.bins or None, self.confidence_level)
        return found

    @property
    def n_batches(self) -> int:
        """The number of batches that were fed."""
        return len(self.folded) + len(self.batches)

    @property
    def alarm(self) -> bool:
        """Whether any alarm was raised."""
        return bool(self.alarms)

    @property
    def share_of_positives(self) -> Interval:
        """Share of positives where the cases come from, with an interval; nan if unknown.

        Truths are counted where they are known; for the other cases it is estimated from their
        scores, as if cases of each class looked as they did when the rule was tuned.
        """
        if self.calibration is None:
            return Interval(math.nan, math.nan, math.nan, self.confidence_level, 0)
        new = self.totals.open_bins or (0,) * len(self.calibration.counts)
        return self.calibration.share_of_positives(
            np.array(new, dtype=np.int64), self.totals.truths, self.confidence_level
        )

    def retuned(self) -> Rule | None:
        """Find the window for the estimated share of positives.

        Returns
        -------
        Rule or None
            What :func:`cautious.tune` finds on its cases with that prior (for a budget, among
            the windows of the convex hull). None if the rule's file does not say enough, if the
            estimate is 0 or 1, or if the rule carries a promise: that holds for no other share of
            positives, so collect new cases with their truths and tune on them.

        Examples
        --------
        >>> import pandas as pd
        >>> import cautious
        >>> from cautious.decision import Rule
        >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
        >>> log = pd.DataFrame({"y_true": ["no", "yes", "no"], "score": [0.1, 0.5, 0.9]})
        >>> print(cautious.watch(log, rule, max_error=0.2).retuned())  # no costs, no estimate
        None
        """
        if self.calibration is None or self.deployed is None:
            return None
        return self.calibration.retuned(self.deployed, self.share_of_positives.estimate)

    # How it grows.

    def fed(self, batch: Batch, *, replace: bool = False, keep: int = BATCHES_KEPT) -> Watch:
        """Add a batch, and look: an alarm that is due is raised now.

        A batch of a name that was fed before is refused, or stands in for the old one. The last
        `keep` batches are kept one by one, fewer where they have thousands of groups.
        """
        self.check_names([batch.name], replace=replace)
        batches = {one.name: one for one in self.batches}
        totals = self.totals.plus(batch.counts)
        before = batches.get(batch.name)
        if before is not None:
            totals = totals.plus(before.counts, -1)
            batch = batch._replace(at=before.at)
        batches[batch.name] = batch
        every, groups = list(batches.values()), self.groups
        if groups is None and len(totals.groups) > 1 and not self.n_batches:
            groups = tuple(sorted(totals.groups.keys() - {ALL}))
        sizes = np.cumsum([len(one.counts.groups) for one in every[:-1][::-1]])
        room = _TALLIES_KEPT - len(every[-1].counts.groups)
        keep = min(keep, 1 + int(np.searchsorted(sizes, room, side="right")))
        old = Names.of(one.name for one in every[:-keep])
        grown = dataclasses.replace(
            self,
            groups=groups,
            totals=totals,
            batches=tuple(every[-keep:]),
            folded=self.folded | old if len(old) else self.folded,
        )
        return grown._looked(batch)

    def new_name(self) -> str:
        """Name a batch that nobody named."""
        known = {one.name for one in self.batches}
        names = map("batch {}".format, count(self.n_batches + 1))
        return next(name for name in names if name not in known and name not in self.folded)

    def check_names(self, names: Sequence[str], *, replace: bool = False) -> None:
        """Refuse batches that are named twice, or that were fed before and cannot be replaced."""
        times = {one.name: f", {one.at[:19]}" for one in self.batches}
        for at, name in enumerate(names):
            if name in names[:at] or (name in times and not replace):
                raise InputError(
                    "the batch {name} was fed before{at}; leave it out, give another name with "
                    "{=batch}, or let it stand in for the old one with {=replace}.",
                    name=quoted(name, 200),
                    at=times.get(name, ""),
                )
            if name in self.folded:
                raise InputError(
                    "the batch {name} was fed before, and is not among the last {n}, which alone "
                    "can be replaced; leave it out, or give another name with {=batch}.",
                    name=quoted(name, 200),
                    n=len(self.batches),
                )

    def _looked(self, last: Batch) -> Watch:
        """Note the groups that have come, and the alarms that are due after the last batch."""
        later: tuple[str, ...] = ()
        if self.groups is not None:
            first = {ALL, *self.groups}
            later = tuple(dict.fromkeys([*self.later, *last.counts.groups, *self.totals.groups]))
            later = tuple(name for name in later if name not in first)
        looked = dataclasses.replace(self, later=later)
        alarms = dict(self.alarms)
        for name, one in looked.monitors().items():
            if one.alarm:
                raised = {"at": last.at, "batch": last.name, "log_evidence": one.log_evidence}
                alarms.setdefault(name, raised)
        return dataclasses.replace(looked, alarms=alarms)

    def __add__(self, other: Watch) -> Watch:
        """Bring two watches of the same rule together, and look."""
        if not isinstance(other, Watch):
            return NotImplemented
        for name in ("rule", "limits", "confidence_level", "expected"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(
                    f"one watch has the {name} {shown(mine)}, the other {shown(theirs)}; only "
                    "watches of the same rule and limits add up."
                )
        known, totals = {one.name: one for one in self.batches}, self.totals.plus(other.totals)
        unclear = {one.name for one in other.batches if one.name in self.folded}
        unclear |= {name for name in known if name in other.folded}
        for batch in other.batches:
            before = known.get(batch.name)
            if before is None:
                known[batch.name] = batch
                continue
            if before.at != batch.at:
                unclear.add(batch.name)
            # Of two states of one batch, the one that knows more labels is the later one.
            first, last = sorted([before, batch], key=lambda one: sum(one.counts.truths))
            known[batch.name], totals = last, totals.plus(first.counts, -1)
        folded = self.folded | other.folded
        if unclear or len(folded) < len(self.folded) + len(other.folded):
            raise InputError(
                "both watches have batches that are called {names}, and it cannot be told whether "
                "they are the same; name the batches of each machine by itself, with {=batch}, and "
                "bring together the states of the machines, not their sums.",
                names=listed(sorted(unclear), 5) or "alike",
            )
        groups = None
        if self.groups is not None or other.groups is not None:
            groups = tuple(sorted({*(self.groups or ()), *(other.groups or ())}))
        raised = sorted(
            [*self.alarms.items(), *other.alarms.items()],
            key=lambda one: one[1]["at"],
            reverse=True,
        )
        both = dataclasses.replace(
            self,
            groups=groups,
            later=(*self.later, *other.later),
            totals=totals,
            batches=tuple(sorted(known.values(), key=lambda one: (one.at, one.name))),
            folded=folded,
            ids=self.ids | other.ids,
            alarms=dict(raised),  # the earliest of each kind comes last, and stays
            notes=(),
        )
        return both._looked(both.batches[-1]) if known else both

    def __radd__(self, other: Any) -> Watch:
        return self if other == 0 else NotImplemented  # so that sum() works

    # How it is shown.

    def frame(self) -> pd.DataFrame:
        """One row per batch that is kept, in the order fed: its counts, and the evidence after it.

        Columns such as ``error evidence`` hold the evidence as a share of what raises the alarm,
        both as logarithms: 1 is an alarm.

        Examples
        --------
        >>> import cautious
        >>> log = pd.DataFrame({"y_true": [0, 1, 0], "score": [0.1, 0.5, 0.9]})
        >>> seen = cautious.watch(log, cautious.decision.Rule.window(0.2, 0.8), max_error=0.2)
        >>> seen.frame().columns.tolist()
        ['batch', 'at', 'cases', 'abstained', 'missing', 'labelled', 'wrong', 'error evidence']
        """
        rows, counts = [], self._before
        for one in self.batches:
            counts = counts.plus(one.counts)
            row: dict[str, Any] = {"batch": one.name, "at": one.at[:19]} | one.counts.of().summary()
            for name, monitor in self._monitors(counts).items():
                row[f"{name} evidence"] = monitor.log_evidence / monitor.threshold
            rows.append(row)
        names = ["batch", "at", *Tally().summary(), *map("{} evidence".format, self.monitors())]
        return pd.DataFrame(rows, columns=None if rows else names)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        found = {name: self._record(name, one) for name, one in self.monitors().items()}
        retuned, positive = self.retuned(), self.share_of_positives
        ends = ("estimate", "low", "high")
        return {
            "alarm": self.alarm,
            "alarms": {name: dict(one) for name, one in self.alarms.items()},
            "batches": self.n_batches,
            "total": self.total(),
            "monitors": found,
            "share_of_positives": {name: getattr(positive, name) for name in ends},
            "retuned": retuned and {"lower": retuned.lower, "upper": retuned.upper},
        }

    def _record(self, name: str, one: RiskMonitor | DriftMonitor) -> dict[str, Any]:
        """Say what a monitor is about, what it has counted, and how near an alarm is."""
        record: dict[str, Any] = {"group": name.partition(" in ")[2] or None}
        if isinstance(one, RiskMonitor):
            record |= {"seen": one.answered, "count": one.wrong}
            record |= {"share": one.risk, "limit": one.max_error}
        else:
            record |= {"seen": one.n, "count": None, "share": None, "limit": None}
        record |= {"log_evidence": one.log_evidence, "threshold": one.threshold}
        return record | {"alarm": name in self.alarms}

    def tables(self) -> Iterator[TextTable]:
        """Tables for people: what is watched, what was seen, and the evidence over time."""
        rows: list[tuple[str, ...]] = []
        paths = self.frame()
        scored = "confidences" if self.deployed and self.deployed.graded else "scores"
        for name, one in self.monitors().items():
            record = self._record(name, one)
            seen, shares = f"{record['seen']:,} {scored}", ["", ""]
            if record["count"] is not None:
                seen = f"{record['count']:,} of {record['seen']:,}"
                shares = [share(record["share"]), share(record["limit"])]
            path = sparks(paths[f"{name} evidence"])
            evidence = map(_evidence, (record["log_evidence"], record["threshold"]))
            rows.append(
                (name, seen, *shares, *evidence, path, "ALARM" if record["alarm"] else "quiet")
            )
        if rows:
            headings = ["watched", "seen", "share", "at most", "evidence", "alarm at"]
            yield "", [*headings, "over time", "state"], rows

    def sentences(self) -> Iterator[str]:
        """Say what has happened, in words."""
        seen, graded = self.total(), self.deployed is not None and self.deployed.graded
        cases, kept_back, lacking, known = (
            ("answers", "escalated", "confidence", "that went out have a grade")
            if graded
            else ("cases", "abstained on", "score", "answers whose truth is known")
        )
        yield (
            f"{counted(self.n_batches, 'batch', 'batches')}, {seen['cases']:,} {cases}: "
            f"{seen['abstained']:,} {kept_back}"
            + (f" ({seen['missing']:,} for want of a {lacking})" if seen["missing"] else "")
            + f", {seen['labelled']:,} {known}."
        )
        if self.alarm or (self.n_batches == 1 and self.monitors()):
            yield (
                "Evidence: how many times more likely the cases seen are if a limit is broken, or "
                "the scores have drifted, than if all is well. An alarm is raised when it reaches "
                'the number under "alarm at". While all is well, the chance that this ever happens '
                "is at most 1 divided by that number."
            )
        certificate = self.deployed and self.deployed.certificate
        for name, most in (certificate or {}).get("limits", {}).items():
            if LIMITS[name].of is None:
                yield (
                    f"Not watched: {LIMITS[name].said(most)}. The rule promises it, but a watch "
                    "counts wrong answers and abstentions alone."
                )
        if not self.expected and self.calibration is not None:
            yield "Drift is not watched: nearly all scores that the rule was tuned on are the same."
        elif not self.expected:
            yield (
                "Drift is not watched: the rule does not hold the scores it was tuned on; rules "
                "that were found on scores do, by `cautious tune -o`, an estimator or a curve."
            )
        for name, one in self.alarms.items():
            yield f"Alarm ({name}): raised after {one['batch']}, {one['at'][:19]}."
        now = self.share_of_positives
        if self.calibration is not None and not math.isnan(now.estimate):
            judged, tuned = sum(self.totals.truths), share(self.calibration.tuned_share)
            what, truths, scores = "positive", "truths", "scores"
            if graded:
                what, truths, scores = "right", "grades", "confidences"
            by = f"by their {truths if judged >= seen['cases'] else scores}"
            if 0 < judged < seen["cases"]:
                by = f"by the {truths} that are known and the other {scores}"
            words = (
                f"{'So far ' * (self.n_batches > 1)}{share(now.estimate)} of these {cases} are "
                f"{what}, {by}; among all {cases} of "
                f"the same source, {share(now.low)} to {share(now.high)}. When the rule was tuned, "
                f"{tuned} were {what}."
            )
            promised = set(self.limits) - {"abstention"}
            wanted = not promised and self.calibration.is_another_share(now)
            retuned = self.retuned() if wanted else None
            if retuned is not None:
                words += (
                    f" With {share(now.estimate)} of positives the window would be "
                    f"{number(float(retuned.lower))} to "  # type: ignore[arg-type]
                    f"{number(float(retuned.upper))}, if only the share has changed."  # type: ignore[arg-type]
                )
            yield words

    def __repr__(self) -> str:
        state = f"alarms: {', '.join(self.alarms)}" if self.alarms else "quiet"
        return f"<Watch of {self.n_batches} batches, {state}>"

    # How it is kept.

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the state as JSON, to a file too if a path is given, atomically."""
        kept = [one.name for one in dataclasses.fields(self) if one.compare]
        data = {name: getattr(self, name) for name in kept} | {
            "folded": self.folded.to_text(),
            "ids": self.ids.to_text(),
            "totals": vars(self.totals),
            "batches": [one._asdict() | {"counts": vars(one.counts)} for one in self.batches],
        }
        whole = {"schema": SCHEMA, "checksum": _checksum(data), "watch": data}
        text = json.dumps(whole, allow_nan=False) + "\n"
        if len(text) > STATE:
            raise InputError(
                "the state would have {n} characters, and at most {most} can be read again; keep "
                "fewer batches one by one, with {=keep}, or count fewer groups.",
                n=f"{len(text):,}",
                most=f"{STATE:,}",
            )
        if path is not None:
            write_whole(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Watch:
        """Read a state that :meth:`to_json` wrote; anything else is refused.

        Parameters
        ----------
        source : str or path-like
            JSON text (it starts with ``{``), or the path of a file.

        Returns
        -------
        Watch

        Examples
        --------
        >>> import pandas as pd
        >>> import cautious
        >>> from cautious.decision import Rule
        >>> from cautious.evaluation import Watch
        >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
        >>> log = pd.DataFrame({"y_true": ["no", "yes", "no"], "score": [0.1, 0.5, 0.9]})
        >>> seen = cautious.watch(log, rule, max_error=0.2)
        >>> Watch.from_json(seen.to_json()) == seen
        True
        """
        text, name = source, "the state"
        try:
            if not (isinstance(source, str) and source.lstrip()[:1] == "{"):
                name = os.fspath(source)
                text = read_bounded(source, STATE).decode()
            data = parsed_json(str(text), STATE)
            schema = data.get("schema") if isinstance(data, dict) else None
            if schema != SCHEMA:
                has = "no schema" if schema is None else f"the schema {shown(schema)}"
                raise ValueError(f"it has {has}, and this version reads {SCHEMA!r}")
            if data.keys() != {"schema", "checksum", "watch"}:
                raise ValueError("an entry is missing or unknown")
            if data["checksum"] != _checksum(data["watch"]):
                raise ValueError("its checksum is another: it is damaged, or was edited")
            return _read_state(data["watch"])
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise InputError(
                "{name} is no state of a watch: {why}. Name another file, or remove it to begin "
                "anew.",
                name=name,
                why=quoted(error, 100)[1:-1],  # a sentence, not what anybody wrote
            ) from None


def _checksum(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:32]


def _read_state(data: dict[str, Any]) -> Watch:
    """Read the entries of a state, strictly: a checksum can be forged."""
    json.dumps(data, ensure_ascii=False).encode()  # refuses halves of surrogate pairs
    alarms, fed = data["alarms"].values(), data["batches"]
    names = [one["name"] for one in fed]
    texts = [one["at"] for one in (*alarms, *fed)] + [one["batch"] for one in alarms] + names
    texts += [*(data["groups"] or []), *data["later"]]
    numbers = [one["log_evidence"] for one in alarms]
    if {*map(type, texts)} - {str} or {*map(type, numbers)} - {int, float}:
        raise ValueError("a name or a time is no text, or evidence no number")
    if len({*names}) < len(names):
        raise ValueError("two batches have one name")
    read = {
        "expected": tuple(data["expected"]),
        "groups": None if data["groups"] is None else tuple(data["groups"]),
        "later": tuple(data["later"]),
        "totals": _read_counts(data["totals"]),
        "folded": Names.from_text(data["folded"]),
        "ids": ScoredIds.from_text(data["ids"]),
        "batches": tuple(Batch(**one | {"counts": _read_counts(one["counts"])}) for one in fed),
    }
    found = Watch(**data | read)
    parts = [batch.counts for batch in found.batches]
    parts += [found.totals, _read_counts(vars(found._before))]
    tallies = np.array([tally for part in parts for tally in part.groups.values()]).reshape(-1, 9)
    for limit in found.limits:
        events, trials = _pairs(tallies, limit)
        if (events > trials).any():
            raise ValueError("there is more against a limit than was counted")
    found.monitors()  # checks limits, level and bins
    return found


def _read_counts(data: dict[str, Any]) -> BatchCounts:
    groups = {name: Tally(*_whole(tally)) for name, tally in data["groups"].items()}
    return BatchCounts(groups, *(_whole(data[name]) for name in ("bins", "open_bins", "truths")))


def _whole(counts: Any) -> tuple[int, ...]:
    if not all(type(one) is int and 0 <= one < 2**53 for one in counts):
        raise ValueError(f"{shown(counts)} are no counts")
    return tuple(counts)


def _evidence(logarithm: float) -> str:
    """Show how many times more likely it is under a change."""
    if logarithm < math.log(1e6):
        return f"{math.exp(logarithm):.3g}"
    return f"10^{logarithm / math.log(10):.0f}"


def sparks(path: Any) -> str:
    """Draw the evidence over time in a line of text; a full block is an alarm."""
    values = np.nan_to_num(np.asarray(path, dtype=np.float64))
    if len(values) > _SPARKS_SHOWN:  # of neighbours, the highest is shown
        values = np.array([part.max() for part in np.array_split(values, _SPARKS_SHOWN)])
    top = len(_SPARKS) - 1
    heights = np.where(values >= 1, top, np.clip(values * top, 0, top - 1)).astype(int)
    return "".join(_SPARKS[height] for height in heights)
