"""Surveillance: does a deployed rule still do what was promised? Alarms that may be asked daily."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cautious._files import parsed_json, write_whole
from cautious._input_limits import STATE
from cautious._random import Interval
from cautious._result import Result
from cautious._text import TextTable, number, share
from cautious.decision import Rule
from cautious.errors import InputError, Message, quoted, shown
from cautious.evaluation._calibration import Calibration
from cautious.guarantees import DriftMonitor, RiskMonitor
from cautious.guarantees._limits import LIMITS, LimitCounts

SCHEMA = "cautious.watch/3"
"""What a file of this kind says it is."""

_SPARKS = "▁▂▃▄▅▆▇█"
_SPARKS_SHOWN = 40
TALLIES = ("cases", "abstained", "missing", "judged", "positives")
"""What is counted of each group: judged are cases whose truth is known, abstained on or not.

Behind them stand the answers of known truth, and the wrong ones among them: of two classes by the
class answered, otherwise all together.
"""

ALL = ""
"""The group of all cases."""


@dataclass(frozen=True)
class Batch:
    """What one batch of a log added: counts only.

    Attributes
    ----------
    name : str
        What it was called.
    at : str
        When it was fed, in UTC.
    cases, labels : str
        Digests of its cases without their truths, and of the truths. They do not depend on the
        order of the rows.
    counts : dict of str to tuple of int
        Of all cases (the group ``""``) and of each group, what :data:`TALLIES` names.
    bins : tuple of int
        Cases in the bins of the rule's calibration.
    open_bins : tuple of int
        Those of them whose truth is unknown.
    truths : tuple of int
        Cases of each class of the rule, of those whose truth is known, abstained on or not.
    """

    name: str
    at: str
    cases: str
    labels: str
    counts: Mapping[str, tuple[int, ...]]
    bins: tuple[int, ...] = ()
    open_bins: tuple[int, ...] = ()
    truths: tuple[int, ...] = ()


class _Sums:
    """Sums over batches, kept up to date: a look costs the same after many batches as after few."""

    def __init__(self, batches: Iterable[Batch] = ()) -> None:
        self.counts: dict[str, list[int]] = {}
        self.batches_of: Counter[str] = Counter()
        self.bins: list[int] = []
        for one in batches:
            self.add(one)

    def copy(self) -> _Sums:
        """Copy the sums, to go on from them."""
        own = _Sums()
        own.counts = {group: list(sums) for group, sums in self.counts.items()}
        own.batches_of, own.bins = self.batches_of.copy(), list(self.bins)
        return own

    def add(self, batch: Batch, sign: int = 1) -> None:
        """Add the counts of a batch, or take them away again."""
        for group, counts in batch.counts.items():
            _accumulate(self.counts.setdefault(group, [0] * len(counts)), counts, sign)
            self.batches_of[group] += sign
        if batch.bins:
            self.bins = self.bins or [0] * len(batch.bins)
            _accumulate(self.bins, batch.bins, sign)

    def pair(self, limit: str, group: str) -> tuple[int, int]:
        """Count what speaks against a limit in a group, and among how many."""
        return events_and_trials(limit, self.counts.get(group, ()))


def events_and_trials(limit: str, counts: Sequence[int]) -> tuple[int, int]:
    """Read what speaks against a limit, and among how many, off the counts of a group."""
    cases, abstained, _, judged, positives = counts[: len(TALLIES)] or (0,) * len(TALLIES)
    if limit == "abstention":  # it needs no truths
        return abstained, cases
    answers = np.array(counts[len(TALLIES) :] or (0,) * 4, dtype=np.int64).reshape(2, -1)
    count = LIMITS[limit].of
    assert count is not None
    answered, wrong = answers
    counted = LimitCounts(answered, wrong, np.asarray(judged), np.asarray(positives))
    events, trials = count(counted)
    return int(events), int(trials)


def _totals(counts: Sequence[int]) -> dict[str, int]:
    """Name the counts of a group that people ask for."""
    known = dict(zip(TALLIES, counts or (0,) * len(TALLIES), strict=False))
    wrong, labelled = events_and_trials("error", counts)
    known = {name: known[name] for name in ("cases", "abstained", "missing")}
    return known | {"labelled": labelled, "wrong": wrong}


class _Batches(tuple[Batch, ...]):
    """Batches that know their sums."""

    @cached_property
    def sums(self) -> _Sums:
        return _Sums(self)


@dataclass(frozen=True, repr=False)
class Watch(Result):
    """What has been seen of a deployed rule, and whether that is an alarm.

    It is a small file (:meth:`to_json`): a list of batches with their counts. Watches of several
    machines add up with ``+``; a batch that both have seen counts once.

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
    batches : tuple of Batch
        What was fed.
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
    batches: tuple[Batch, ...] = ()
    alarms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[Message, ...] = field(default=(), compare=False)
    calibration: Calibration | None = field(default=None, compare=False)
    deployed: Rule | None = field(default=None, compare=False)

    # What has been seen.

    def total(self, group: str = ALL) -> dict[str, int]:
        """Add the counts of a group up."""
        return _totals(self._sums.counts.get(group, ()))

    def monitors(self) -> dict[str, RiskMonitor | DriftMonitor]:
        """Give the monitors by what they watch."""
        return self._monitors(self._sums)

    @property
    def _sums(self) -> _Sums:
        own = self.batches
        return own.sums if isinstance(own, _Batches) else _Sums(own)

    def _monitors(self, sums: _Sums) -> dict[str, RiskMonitor | DriftMonitor]:
        found: dict[str, RiskMonitor | DriftMonitor] = {}
        known = self.groups or ()
        part = (1 - self.confidence_level) / (len(known) + 1)
        levels = {ALL: self.confidence_level} | dict.fromkeys(known, 1 - part)
        for rank, name in enumerate(self.later, 1):
            if sums.batches_of[name]:
                levels[name] = 1 - part / (rank * (rank + 1))
        for group, level in levels.items():
            about = f" in {group}" if group != ALL else ""
            for name, share_allowed in self.limits.items():
                counts = sums.pair(name, group)
                found[name + about] = RiskMonitor(share_allowed, level, *counts)
        if self.expected:
            bins = sums.bins or (0,) * len(self.expected)
            found["drift"] = DriftMonitor(self.expected, bins, self.confidence_level)
        return found

    @property
    def truths(self) -> tuple[int, ...]:
        """Cases of each class of the rule, of those whose truth is known; empty before a batch."""
        return _added([one.truths for one in self.batches])

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
        new = np.array(_added([one.open_bins for one in self.batches]), dtype=np.int64)
        return self.calibration.share_of_positives(
            new if len(new) else np.zeros(len(self.calibration.counts), dtype=np.int64),
            self.truths,
            self.confidence_level,
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

    def fed(self, *batches: Batch) -> Watch:
        """Add batches, and look after each: an alarm that is due is raised now.

        A batch that is known already is replaced, so that labels may arrive late. Many batches at
        once take time in proportion to their number.
        """
        every, sums = list(self.batches), self._sums.copy()
        places = {one.cases: at for at, one in enumerate(every)}
        grown = self
        for batch in batches:
            groups, at = grown.groups, places.setdefault(batch.cases, len(every))
            if groups is None and len(batch.counts) > 1 and not every:
                groups = tuple(sorted(set(batch.counts) - {ALL}))
            if at < len(every):
                sums.add(every[at], -1)
                every[at] = replace(batch, at=every[at].at)
            else:
                every.append(batch)
            sums.add(batch)
            later = grown.later
            if groups is not None:
                known = {ALL, *groups, *later}
                later += tuple(name for name in batch.counts if name not in known)
            grown = replace(grown, groups=groups, later=later)
            grown = replace(grown, alarms=grown._raised(sums, batch))
        held = _Batches(every)
        held.sums = sums
        return replace(grown, batches=held)

    def _raised(self, sums: _Sums, last: Batch) -> dict[str, Mapping[str, Any]]:
        """Give the alarms, with those that are due after the last batch."""
        alarms = dict(self.alarms)
        for name, monitor in self._monitors(sums).items():
            if name not in alarms and monitor.alarm:
                evidence = monitor.log_evidence
                alarms[name] = {"at": last.at, "batch": last.name, "log_evidence": evidence}
        return alarms

    def __add__(self, other: Watch) -> Watch:
        """Bring two watches of the same rule together, and look."""
        if not isinstance(other, Watch):
            return NotImplemented
        same = ("rule", "limits", "confidence_level", "expected")
        for name in same:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(
                    f"one watch has the {name} {shown(mine)}, the other {shown(theirs)}; only "
                    "watches of the same rule and limits add up."
                )
        known: dict[str, Batch] = {}
        for one in sorted((*self.batches, *other.batches), key=lambda b: (b.at, b.cases)):
            before = known.get(one.cases)
            # Of two states of one batch, the one that knows more labels is the later one.
            if before is None or sum(before.truths) < sum(one.truths):
                known[one.cases] = one if before is None else replace(one, at=before.at)
        groups = None
        if self.groups is not None or other.groups is not None:
            groups = tuple(sorted({*(self.groups or ()), *(other.groups or ())}))
        grown = replace(self, groups=groups, batches=_Batches(known.values()))
        later = _arrived(grown, (*self.later, *other.later))
        raised = [*self.alarms.items(), *other.alarms.items()]
        raised.sort(key=lambda one: str(one[1]["at"]), reverse=True)
        alarms = dict(raised)  # the earliest of each kind comes last, and stays
        grown = replace(grown, later=later, alarms=alarms, notes=())
        return (
            replace(grown, alarms=grown._raised(grown._sums, grown.batches[-1])) if known else grown
        )

    def __radd__(self, other: Any) -> Watch:
        return self if other == 0 else NotImplemented  # so that sum() works

    # How it is shown.

    def frame(self) -> pd.DataFrame:
        """One row per batch, in the order fed: its counts, and the evidence after it.

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
        rows, sums = [], _Sums()
        for one in self.batches:
            row: dict[str, Any] = {"batch": one.name, "at": one.at}
            row |= _totals(one.counts[ALL])
            sums.add(one)
            monitors = self._monitors(sums)
            row |= {_column(name): m.log_evidence / m.threshold for name, m in monitors.items()}
            rows.append(row)
        names = ["batch", "at", *_totals(()), *map(_column, self.monitors())]
        return pd.DataFrame(rows, columns=None if rows else names)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        found = {
            name: _counted(name, one)
            | {
                "log_evidence": one.log_evidence,
                "threshold": one.threshold,
                "alarm": name in self.alarms,
            }
            for name, one in self.monitors().items()
        }
        retuned, positive = self.retuned(), self.share_of_positives
        return {
            "alarm": self.alarm,
            "alarms": {name: dict(one) for name, one in self.alarms.items()},
            "batches": len(self.batches),
            "total": self.total(),
            "monitors": found,
            "share_of_positives": {
                "estimate": positive.estimate,
                "low": positive.low,
                "high": positive.high,
            },
            "retuned": None
            if retuned is None
            else {"lower": retuned.lower, "upper": retuned.upper},
        }

    def tables(self) -> Iterator[TextTable]:
        """Tables for people: what is watched, what was seen, and the evidence over time."""
        rows: list[tuple[str, ...]] = []
        paths = self.frame() if self.batches else pd.DataFrame()
        for name, one in self.monitors().items():
            if isinstance(one, RiskMonitor):
                seen = f"{one.wrong:,} of {one.answered:,}"
                shares = (share(one.risk), share(one.max_error))
            else:
                seen, shares = f"{one.n:,} scores", ("", "")
            column = _column(name)
            path = paths[column].to_numpy(dtype=float) if column in paths else np.empty(0)
            evidence, due = _evidence(one.log_evidence), _evidence(one.threshold)
            state = "ALARM" if name in self.alarms else "quiet"
            rows.append((name, seen, *shares, evidence, due, sparks(path), state))
        if rows:
            headings = ["watched", "seen", "share", "at most", "evidence", "alarm at"]
            yield "", [*headings, "over time", "state"], rows

    def sentences(self) -> Iterator[str]:
        """Say what has happened, in words."""
        seen = self.total()
        batches = "1 batch" if len(self.batches) == 1 else f"{len(self.batches):,} batches"
        yield (
            f"{batches}, {seen['cases']:,} cases: {seen['abstained']:,} abstained on"
            + (f" ({seen['missing']:,} for want of a score)" if seen["missing"] else "")
            + f", {seen['labelled']:,} answers whose truth is known."
        )
        if self.monitors():
            yield (
                "Evidence: how many times more likely the cases seen are if a limit is broken, or "
                "the scores have drifted, than if all is well. An alarm is raised when it reaches "
                'the number under "alarm at". While all is well, the chance that this ever happens '
                "is at most 1 divided by that number."
            )
        if not set(self.limits) - {"abstention"}:
            yield (
                "Errors are not watched: the rule promises no limit on wrong answers, and none was "
                "given (max_error, or --max-error)."
            )
        if not self.expected and self.calibration is not None:
            yield "Drift is not watched: nearly all scores that the rule was tuned on are the same."
        elif not self.expected:
            yield (
                "Drift is not watched: the rule does not hold the scores it was tuned on; rules "
                "that were found on scores do, by `cautious tune -o`, an estimator or a curve."
            )
        for name, one in self.alarms.items():
            yield f"Alarm ({name}): raised after {one['batch']}, {one['at']}."
        now = self.share_of_positives
        if self.calibration is not None and not math.isnan(now.estimate):
            known, tuned = sum(self.truths), share(self.calibration.tuned_share)
            by = "by their truths" if known >= seen["cases"] else "by their scores"
            if 0 < known < seen["cases"]:
                by = "by the truths that are known and the other scores"
            words = (
                f"{share(now.estimate)} of these cases are positive, {by}; among all cases of the "
                f"same source, {share(now.low)} to {share(now.high)}. When the rule was tuned, "
                f"{tuned} were positive."
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
        return f"<Watch of {len(self.batches)} batches, {state}>"

    # How it is kept.

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the state as JSON, to a file too if a path is given, atomically."""
        data = {
            "schema": SCHEMA,
            "rule": self.rule,
            "limits": dict(self.limits),
            "confidence_level": self.confidence_level,
            "groups": None if self.groups is None else list(self.groups),
            "later": list(self.later),
            "expected": list(self.expected),
            "batches": [vars(one) | {"counts": dict(one.counts)} for one in self.batches],
            "alarms": {name: dict(one) for name, one in self.alarms.items()},
        }
        text = json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"
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
        if not (isinstance(source, str) and source.lstrip()[:1] == "{"):
            name = os.fspath(source)
            if Path(source).stat().st_size > 4 * STATE:
                raise InputError("{name} is too large for the state of a watch.", name=name)
            text = Path(source).read_text(encoding="utf-8", errors="replace")
        try:
            data = parsed_json(str(text), STATE)
            if not isinstance(data, dict) or data.get("schema") != SCHEMA:
                raise ValueError(f"its schema is not {shown(SCHEMA)}")
            return _read_state(data)
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise InputError(
                "{name} is no state of a watch ({why}); name another file, or remove it to begin "
                "anew.",
                name=name,
                why=quoted(error or type(error).__name__, 100),
            ) from None


def _column(name: str) -> str:
    """Name the column of a monitor's evidence."""
    return f"{name} evidence"


def _counted(name: str, one: RiskMonitor | DriftMonitor) -> dict[str, Any]:
    """Say what a monitor is about, and what it has counted."""
    group = name.partition(" in ")[2] or None
    if isinstance(one, DriftMonitor):
        return {"group": group, "seen": one.n, "count": None, "share": None, "limit": None}
    counts = {"seen": one.answered, "count": one.wrong, "share": one.risk}
    return {"group": group, **counts, "limit": one.max_error}


def _added(every: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Add counts up, place by place; batches without any are left out."""
    return tuple(sum(each) for each in zip(*(one for one in every if one), strict=True))


def _accumulate(sums: list[int], counts: tuple[int, ...], sign: int) -> None:
    """Add counts to sums, place by place."""
    sums[:] = [a + sign * b for a, b in zip(sums, counts, strict=True)]


def _arrived(watch: Watch, first: Sequence[str] = ()) -> tuple[str, ...]:
    """List the groups that came later: those known to have come `first`, then as in the batches."""
    if watch.groups is None:
        return ()
    names = dict.fromkeys([*first, *(name for one in watch.batches for name in one.counts)])
    return tuple(name for name in names if name not in (ALL, *watch.groups))


def _evidence(logarithm: float) -> str:
    """Show how many times more likely it is under a change."""
    if logarithm < math.log(1e6):
        return f"{math.exp(logarithm):.3g}"
    return f"10^{logarithm / math.log(10):.0f}"


def _read_state(data: dict[str, Any]) -> Watch:
    """Check every entry of a state."""
    known = {
        "schema", "rule", "limits", "confidence_level", "groups", "expected", "batches", "alarms",
        "later",
    }  # fmt: skip
    if set(data) != known:
        raise ValueError(f"{shown(min(set(data) ^ known))} is missing or unknown")
    batches = []
    for one in data["batches"]:
        if set(one) != set(Batch.__dataclass_fields__):
            raise ValueError("a batch lacks an entry, or has an unknown one")
        counts = {str(group): _tally(each) for group, each in one["counts"].items()}
        if ALL not in counts:
            raise ValueError("a batch lacks its counts")
        bins = _whole(one["bins"])
        # Nothing is expected of a lone bin.
        if bins and len(bins) != max(1, len(data["expected"])):
            raise ValueError("the bins of a batch do not fit")
        texts = {key: _text(one[key]) for key in ("name", "at", "cases", "labels")}
        open_bins, truths = _whole(one["open_bins"]), _whole(one["truths"])
        if len(open_bins) != len(bins) or any(map(int.__gt__, open_bins, bins)):
            raise ValueError("the bins of a batch do not fit")
        if sum(truths) != counts[ALL][TALLIES.index("judged")]:
            raise ValueError("the truths of a batch do not fit")
        batches.append(Batch(**texts, counts=counts, bins=bins, open_bins=open_bins, truths=truths))
    groups = data["groups"]
    if len({one.cases for one in batches}) < len(batches):
        raise ValueError("a batch is there twice")
    found = Watch(
        rule=_text(data["rule"]),
        limits={_limit(name): share for name, share in _mapping(data["limits"]).items()},
        confidence_level=data["confidence_level"],
        groups=None if groups is None else tuple(_text(group) for group in groups),
        expected=_whole(data["expected"]),
        batches=tuple(batches),
        alarms={
            _text(name): {
                "at": _text(one["at"]),
                "batch": _text(one["batch"]),
                "log_evidence": float(one["log_evidence"]),
            }
            for name, one in _mapping(data["alarms"]).items()
        },
    )
    later = tuple(_text(name) for name in data["later"])
    first = () if found.groups is None else (ALL, *found.groups)
    if len({*first, *later}) < len(first) + len(later) or not set(_arrived(found)) <= set(later):
        raise ValueError("the groups that came later are not those of the batches")
    found = replace(found, later=later)
    found.monitors()  # checks limits, level and counts
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no text")
    return value


def _whole(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(v) is int and v >= 0 for v in values):
        raise ValueError(f"{shown(values)} are no counts")
    return tuple(values)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{shown(value)} is no mapping")
    return value


def _limit(name: str) -> str:
    if name not in LIMITS or LIMITS[name].of is None:
        raise ValueError(f"{shown(name)} is no limit that can be watched")
    return name


def _tally(values: Any) -> tuple[int, ...]:
    found = _whole(values)
    if len(found) - len(TALLIES) not in (2, 4):
        raise ValueError(f"{shown(values)} are not the counts of a group")
    cases, abstained, missing, judged, positives, *answers = found
    answered, wrong = answers[: len(answers) // 2], answers[len(answers) // 2 :]
    fit = missing <= abstained <= cases and positives <= judged <= cases
    if (
        not fit
        or sum(answered) > min(judged, cases - abstained)
        or any(map(int.__gt__, wrong, answered))
    ):
        raise ValueError(f"{shown(values)} contradict each other")
    return found


def sparks(path: Any) -> str:
    """Draw the evidence over time in a line of text; a full block is an alarm."""
    values = np.nan_to_num(np.asarray(path, dtype=np.float64))
    if len(values) > _SPARKS_SHOWN:  # of neighbours, the highest is shown
        values = np.array([part.max() for part in np.array_split(values, _SPARKS_SHOWN)])
    top = len(_SPARKS) - 1
    heights = np.where(values >= 1, top, np.clip(values * top, 0, top - 1)).astype(int)
    return "".join(_SPARKS[height] for height in heights)
