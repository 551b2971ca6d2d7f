"""Cases packed into text, one by one while they are few."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._typing import Floats, Ints
from cautious.tuning._cross_fitting import LEAST_GROUPS

CASES_CARRIED = 1500
"""So many cases are carried one by one; of more, counts at steps of the score."""
_STEPS = 0xFFFFFF


@dataclass(frozen=True, eq=False)
class CaseTable:
    """What is known of the cases apart from any model, shared by models judged on the same ones.

    Attributes
    ----------
    cases : Cases
        Truths, weights and what a model says of them; those known by name in the order of these.
    rows : ndarray of shape (n,), int
        Their rows in the model.
    group : ndarray of shape (n,), int, optional
        Group of each case as a position in `groups`.
    groups : tuple of str
        Names of the groups.
    together : bool
        Whether cases of a group stay together in folds: there are many groups, such as patients.
    alone : object, optional
        Keeps cases apart that are not known to be the same; those of two counted models, say.
    """

    cases: Cases
    rows: Ints
    group: Ints | None = None
    groups: tuple[str, ...] = ()
    together: bool = False
    alone: Any = None

    @classmethod
    def of(cls, model: Cases) -> CaseTable:
        """Put the cases of a model in order."""
        rows = np.arange(model.n)
        if model.case is not None:
            rows = np.argsort(model.case.astype(str), kind="stable")
            model = model.take(rows)
        if model.groups is None:
            return cls(model, rows)
        texts = np.array([label_text(group) for group in model.groups.tolist()], dtype=object)
        group, names = pd.factorize(texts)
        sizes = [len(np.unique(group[model.truth == code])) for code in range(len(model.classes))]
        together = min(sizes) >= LEAST_GROUPS and len(names) < len(rows)
        return cls(model, rows, group, tuple(names.tolist()), together)

    def drawn(self, most: int) -> CaseTable:
        """Draw up to so many cases of each class: a table of their truths and scores alone."""
        rng = np.random.default_rng(0)
        truth = self.cases.truth
        rows = []
        for code in np.unique(truth):
            own = np.flatnonzero(truth == code)
            rows.append(rng.choice(own, min(most, len(own)), replace=False))
        at = np.sort(np.concatenate(rows))
        part = Cases.of_codes(self.cases.labels, truth[at], y_score=self.cases.score[at])
        return CaseTable(part, self.rows[at], alone=hash(self.key))

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same cases."""
        arrays = (self.cases.truth, self.cases.sample_weight, self.group)
        contents = (None if array is None else array.tobytes() for array in arrays)
        return (*contents, self.groups, self.alone)

    def packed(self) -> dict[str, Any]:
        """Plain data for the page."""
        truth = self.cases.truth
        if len(self.cases.classes) == 2:
            bits = np.packbits(truth.astype(np.bool_), bitorder="little")
            text = base64.b64encode(bits.tobytes()).decode("ascii")
        else:
            text = pack_whole(truth, 2)
        found: dict[str, Any] = {"n": len(truth), "truth": text}
        if self.cases.sample_weight is not None:
            found["weight"] = self.cases.sample_weight
        if self.group is not None and len(self.groups) < 1 << 16:
            # Names of patients must not be shown, and there are as many as cases.
            named = {"together": True} if self.together else {"groups": list(self.groups)}
            found |= {"group": pack_whole(self.group, 2)} | named
        return found


@dataclass(frozen=True)
class Carried:
    """What a model says of cases one by one: scores, probabilities, or sizes of sets (0: wrong).

    Scores are whole steps from the least, steps between two ends, positions among levels, or
    themselves. The table is at first the cases, and then its position among those of the page.
    """

    table: CaseTable | int
    scores: str | None = None
    least: int | None = None
    digits: int | None = None
    low: float | None = None
    high: float | None = None
    levels: Floats | None = None
    proba: str | None = None
    codes: str | None = None
    width: int | None = None

    @classmethod
    def of_scores(cls, table: CaseTable) -> Carried:
        """Carry the scores of cases."""
        return cls(table, **pack_scores(table.cases.score))

    @classmethod
    def of_proba(cls, table: CaseTable) -> Carried:
        """Carry probabilities in steps of 1/65535; a row of zeros has none."""
        steps = np.rint(np.nan_to_num(table.cases.proba) * 0xFFFF).astype(np.int64)
        return cls(table, proba=pack_whole(steps.ravel(), 2))


def pack_whole(values: Ints, width: int) -> str:
    """Write whole numbers in `width` bytes each, the lowest byte first, as text."""
    wide = np.asarray(values, dtype="<u4").reshape(-1, 1).view(np.uint8)
    return base64.b64encode(wide[:, :width].tobytes()).decode("ascii")


def pack_scores(score: Floats) -> dict[str, Any]:
    """Write scores in as few bytes as keep different ones apart, and equal distances equal."""
    low, high = float(score.min()), float(score.max())
    levels, place = np.unique(score, return_inverse=True)
    if np.isfinite([low, high, high - low]).all():
        for digits in range(8):
            if max(abs(low), abs(high)) * 10**digits > 1e15:
                break
            whole = np.rint(score * 10**digits)
            if (whole / 10**digits == score).all() and np.ptp(whole) <= _STEPS:
                least = int(whole.min())
                packed = pack_whole((whole - least).astype(np.int64), 3)
                return {"scores": packed, "least": least, "digits": digits}
        step = np.rint((score - low) / max(high - low, 1e-300) * _STEPS)
        if 4 * len(levels) > len(score) and len(np.unique(step)) == len(levels):
            return {"scores": pack_whole(step.astype(np.int64), 3), "low": low, "high": high}
    if 4 * len(levels) <= len(score):
        return {"scores": pack_whole(place, 2), "levels": levels}
    return {"scores": base64.b64encode(np.asarray(score, dtype="<f8").tobytes()).decode("ascii")}
