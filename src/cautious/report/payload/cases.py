"""Cases packed into text, one by one while they are few."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._typing import Floats, Ints
from cautious.evaluation._divided_cases import LEAST_GROUPS

__all__ = ["CASES_CARRIED", "CaseTable", "pack_probabilities", "pack_scores", "pack_whole"]

CASES_CARRIED = 1500
"""So many cases are carried one by one; of more, counts at steps of the score."""
_STEPS = 0xFFFFFF


@dataclass(frozen=True)
class CaseTable:
    """What is known of the cases apart from any model, shared by models judged on the same ones.

    Attributes
    ----------
    truth : ndarray of shape (n,), int
        True classes as positions.
    weight : ndarray of shape (n,), optional
        How much each case counts.
    group : ndarray of shape (n,), int, optional
        Group of each case as a position in `groups`.
    groups : list of str
        Names of the groups.
    together : bool
        Whether cases of a group stay together in folds: there are many groups, such as patients.
    alone : object, optional
        Keeps cases apart that are not known to be the same; those of two counted models, say.
    """

    truth: Ints
    weight: Floats | None = None
    group: Ints | None = None
    groups: tuple[str, ...] = ()
    together: bool = False
    alone: Any = None

    @classmethod
    def of(cls, model: Cases) -> tuple[CaseTable, Ints]:
        """Cases of a model, and the rows they are in: those known by name in the order of these."""
        rows = np.arange(model.n)
        if model.case is not None:
            rows = np.argsort(model.case.astype(str), kind="stable")
        assert model.codes is not None
        truth = model.codes[rows]
        weight = None if model.sample_weight is None else model.sample_weight[rows]
        if model.groups is None:
            return cls(truth, weight), rows
        texts = np.array([label_text(one) for one in model.groups[rows].tolist()], dtype=object)
        group, names = pd.factorize(texts)
        spread = [len(np.unique(group[truth == code])) for code in range(len(model.classes))]
        together = min(spread) >= LEAST_GROUPS and len(names) < len(rows)
        return cls(truth, weight, group, tuple(names.tolist()), together), rows

    def drawn(self, most: int) -> tuple[Ints, CaseTable]:
        """Draw up to so many cases of each class: their positions, and a table of them alone."""
        rng = np.random.default_rng(0)
        rows = []
        for code in np.unique(self.truth):
            own = np.flatnonzero(self.truth == code)
            rows.append(rng.choice(own, min(most, len(own)), replace=False))
        at = np.sort(np.concatenate(rows))
        return at, CaseTable(self.truth[at], alone=hash(self.key))

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same cases."""
        arrays = (self.truth, self.weight, self.group)
        return (
            *(None if one is None else one.tobytes() for one in arrays),
            self.groups,
            self.alone,
        )

    def packed(self, n_classes: int) -> dict[str, Any]:
        """Plain data for the page."""
        if n_classes == 2:
            bits = np.packbits(self.truth.astype(np.bool_), bitorder="little")
            truth = base64.b64encode(bits.tobytes()).decode("ascii")
        else:
            truth = pack_whole(self.truth, 2)
        found: dict[str, Any] = {"n": len(self.truth), "truth": truth}
        if self.weight is not None:
            found["weight"] = self.weight
        if self.group is not None and len(self.groups) < 1 << 16:
            # Names of patients must not be shown, and there are as many as cases.
            named = {"together": True} if self.together else {"groups": list(self.groups)}
            found |= {"group": pack_whole(self.group, 2)} | named
        return found


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


def pack_probabilities(p: Floats) -> str:
    """Write probabilities in two bytes each, in steps of 1/65535; a row of zeros has none."""
    return pack_whole(np.rint(np.nan_to_num(p) * 0xFFFF).astype(np.int64).ravel(), 2)
