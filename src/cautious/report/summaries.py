r"""What the page carries of scores and of prediction sets, in a few hundred numbers.

Whatever the costs and the prior, the optimal window lies at corners of the hull
(:class:`cautious.curves.CostHull`), so the counts of its bins are all that the sliders need. A
prior other than the sample's multiplies the counts of each class by one factor, which moves no
corner. Thresholds that somebody drags may lie anywhere: for these there are the cases themselves
or, if they are many, counts at steps of the score.

A set of size k earns the discounted accuracy x = 1/k if it holds the truth, else 0, so a table of
sizes against right and wrong gives every mean the page shows, for every risk aversion:
:math:`u_k(x) = x + (4k - 2)\,x(1 - x)`.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._typing import Floats, Ints, Mask
from cautious.curves import RiskCoverageCurve, Staircase
from cautious.curves._hull import CostHull, kept_scores
from cautious.curves._staircase import calibration_bins
from cautious.metrics import SetCounts
from cautious.tuning._cross_fitting import LEAST_GROUPS

CASES_CARRIED = 1500
"""So many cases are carried one by one; of more, counts at steps of the score."""
_LEVELS = 0xFFFFFF


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
            if (whole / 10**digits == score).all() and np.ptp(whole) <= _LEVELS:
                least = int(whole.min())
                packed = pack_whole((whole - least).astype(np.int64), 3)
                return {"scores": packed, "least": least, "digits": digits}
        step = np.rint((score - low) / max(high - low, 1e-300) * _LEVELS)
        if 4 * len(levels) > len(score) and len(np.unique(step)) == len(levels):
            return {"scores": pack_whole(step.astype(np.int64), 3), "low": low, "high": high}
    if 4 * len(levels) <= len(score):
        return {"scores": pack_whole(place, 2), "levels": levels}
    return {"scores": base64.b64encode(np.asarray(score, dtype="<f8").tobytes()).decode("ascii")}


Plain = dict[str, Any]
SPREAD = {"spread": True}
"""Of a field whose own fields stand in its place on the page."""
_BARS = 60
_POINTS = 100
_STEPS = 60
# All classes have a column unless there are very many, then those most often missed; so do the
# commonest sets.
_CLASSES_KEPT, _CLASSES_SHOWN = 60, 12
_SETS_SHOWN = 12
# More groups than anybody reads: the largest of them.
_GROUPS_KEPT = 100


def page_data(value: Any) -> Any:
    """Turn payload objects into plain data; an optional field that is None is left out."""
    if isinstance(value, list):
        return [page_data(item) for item in value]
    if not is_dataclass(value):
        return value
    found: dict[str, Any] = {}
    for each in fields(value):
        item = getattr(value, each.name)
        if each.metadata.get("spread"):
            found |= page_data(item)
        elif item is not each.default:
            found[each.name] = page_data(item)
    return found


@dataclass(frozen=True)
class ScoreSummary:
    """Scores of two classes: the bins of their hull, and what is drawn of them."""

    total: float
    positives: Floats
    negatives: Floats
    lower: Floats
    upper: Floats | None
    auc: float
    reversed: bool
    histogram: Plain
    risk: Plain | None
    calibration: list[dict[Any, Any]] | None


@dataclass(frozen=True)
class Steps:
    """Counts at steps of the score, which keep every corner of the hull."""

    cuts: list[float]
    shared: list[int]
    positives: Floats
    negatives: Floats
    width: float | None = None
    short: list[float] | None = None
    rows: dict[str, Floats] | None = None


@dataclass(frozen=True)
class SetSummary:
    """Prediction sets: sizes against right and wrong, means of each class, sets against truths."""

    sizes: Floats
    by_class: Floats
    confusion: Plain | None
    risk: Plain | None


def summarise_scores(staircase: Staircase) -> ScoreSummary:
    """Reduce a staircase to the numbers the page works with."""
    hull = CostHull.of(staircase)
    sure = staircase.are_probabilities
    return ScoreSummary(
        total=float(staircase.positives.sum() + staircase.negatives.sum()),
        positives=hull.positives,
        negatives=hull.negatives,
        lower=hull.lower[1:-1],
        # They differ only where no float lies between two neighbouring scores.
        upper=None if (hull.upper == hull.lower).all() else hull.upper[1:-1],
        auc=staircase.auc(),
        reversed=staircase.is_reversed,
        histogram=_histogram(staircase),
        risk=summarise_risk(risk_of_scores(staircase)) if sure else None,
        calibration=calibration_bins(staircase).to_dict("records") if sure else None,
    )


def risk_of_scores(staircase: Staircase) -> RiskCoverageCurve:
    """Count mistakes by how sure a probability is, before any calibration."""
    scores = staircase.scores
    confidence, positive = np.maximum(scores, 1 - scores), scores > 0.5
    return RiskCoverageCurve.from_losses(
        np.concatenate([~positive, positive]),
        np.concatenate([confidence, confidence]),
        sample_weight=np.concatenate([staircase.positives, staircase.negatives]),
    )


def summarise_risk(risk: RiskCoverageCurve) -> Plain:
    """Thin a risk–coverage curve out for drawing; its areas stay exact."""
    coverage, total = risk.coverage, float(risk.weight.sum())
    at = np.arange(len(coverage))
    if len(at) > _POINTS:
        # Selective risk moves most where little is covered: half the points are spread evenly
        # over the coverage, half over its logarithm.
        even = np.linspace(coverage[0], 1, _POINTS // 2)
        dense = np.geomspace(coverage[0], 1, _POINTS // 2)
        near = np.searchsorted(coverage, np.concatenate([even, dense]))
        at = np.unique(np.append(np.minimum(near, len(at) - 1), [0, len(at) - 1]))
    lost = risk.generalised_risk[at] * total
    covered = _short(coverage[at] * total)
    return {"covered": covered, "lost": _short(lost), "aurc": risk.aurc, "augrc": risk.augrc}


def _short(counts: Floats) -> Floats:
    """Give whole numbers their exact value back, which takes fewer digits."""
    whole = np.rint(counts)
    return np.asarray(
        np.where(np.abs(counts - whole) <= 1e-9 * np.maximum(1, whole), whole, counts)
    )


def _histogram(staircase: Staircase) -> Plain:
    """Count both classes in bars of equal width; infinite scores go into the outer bars."""
    finite = staircase.scores[np.isfinite(staircase.scores)]
    # Ends so far apart that their distance is infinite could not be drawn.
    ends = np.clip(finite[[0, -1]], -1e300, 1e300) if len(finite) else (0.0, 1.0)
    low, high = float(ends[0]), float(ends[1])
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        room = max(0.5, abs(low) / 2)
        low, high = low - room, high + room
    width = high / _BARS - low / _BARS
    inside = np.clip(staircase.scores, low, high)
    bar = np.minimum(((inside - low) / width).astype(np.intp), _BARS - 1)
    positives = np.bincount(bar, staircase.positives, minlength=_BARS)
    negatives = np.bincount(bar, staircase.negatives, minlength=_BARS)
    return {"low": low, "high": high, "positives": positives, "negatives": negatives}


def summarise_steps(staircase: Staircase, rows: Staircase) -> tuple[Steps, Ints]:
    """Gather neighbouring scores into a few hundred steps, and say in which each score is.

    ``rows`` counts every case once; it is the staircase itself where cases have no weights.
    """
    scores, m = staircase.scores, len(staircase.scores)
    hull = CostHull.of(staircase)
    seen = np.cumsum(staircase.positives + staircase.negatives)
    corners = np.searchsorted(scores, hull.upper[1:-1], side="left")
    others = np.searchsorted(seen, np.arange(1, _STEPS) / _STEPS * seen[-1]) + 1
    if staircase.are_probabilities:
        rounded = np.searchsorted(scores, np.arange(1, 100) / 100, side="left")
        others = np.concatenate([others, rounded])
    starts = np.unique(np.concatenate([corners, others]))
    starts = starts[(starts > 0) & (starts < m)]
    first = last = scores
    if width := staircase.cell_width:  # nobody knows what a cut through a cell would do
        cell = np.floor(scores / width)
        first = cell * width
        last = np.nextafter(first + width, -np.inf)
        starts = starts[(cell[starts - 1] != cell[starts]) | np.isin(starts, corners)]
    place = np.searchsorted(starts, np.arange(m), side="right")
    cuts = np.setdiff1d(starts, corners).tolist()
    shared = np.isin(corners, np.intersect1d(starts, others))

    def added(counts: Floats) -> Floats:
        return np.bincount(place, counts, minlength=len(starts) + 1).astype(np.float64)

    def both(stairs: Staircase) -> dict[str, Floats]:
        return {"positives": added(stairs.positives), "negatives": added(stairs.negatives)}

    written = zip(hull.lower[1:-1].tolist(), corners.tolist(), strict=True)
    steps = Steps(
        cuts=[_between(last[at - 1], first[at]) for at in cuts],
        shared=np.flatnonzero(shared).tolist(),
        **both(staircase),
        width=width or None,
        short=None if width else [_written(end, scores[at - 1], scores[at]) for end, at in written],
        rows=None if rows is staircase else both(rows),
    )
    return steps, place


def kept_steps(staircase: Staircase, rows: Staircase) -> dict[str, Any]:
    """Keep of the scores what the file of a rule says of them and steps do not."""
    kept = kept_scores(staircase)
    bins = kept.get("scores") if rows is staircase else rows.score_bins()
    found: dict[str, Any] = {"scores": bins} if bins else {}
    if "hull" in kept:
        found["ends"] = [kept["hull"]["low"][0], kept["hull"]["high"][-1]]
        high = kept["hull"]["high"][:-1]
        if high != CostHull.of(staircase).lower[1:-1].tolist():
            found["high"] = high
    return found


def _between(below: float, above: float) -> float:
    """Find a number between two scores that takes few digits to write."""
    middle = below / 2 + above / 2
    return _written(middle if middle < above else below, below, above, digits=1)


def _written(threshold: float, below: float, above: float, digits: int = 3) -> float:
    """Find the decimal of least digits near a threshold that lies between the same two scores."""
    shorter = (float(f"{threshold:.{many}g}") for many in range(digits, 17))
    return next((short for short in shorter if below < short < above), float(threshold))


def summarise_sets(counts: SetCounts, risk: RiskCoverageCurve | None) -> SetSummary:
    """Reduce counts of prediction sets to the numbers the page works with."""
    x = counts.hit / np.maximum(counts.size, 1)
    single = counts.size == 1
    means = (np.ones(len(x)), single, single & counts.hit, counts.hit, counts.size, x, x * (1 - x))
    by_class = np.column_stack([counts.by_truth(mean.astype(np.float64)) for mean in means])
    table = pd.DataFrame({"size": counts.size, "right": counts.weight * counts.hit})
    table["wrong"] = counts.weight * ~counts.hit
    sizes = table.groupby("size", sort=True).sum().reset_index()
    return SetSummary(
        sizes=sizes.to_numpy(dtype=np.float64),
        by_class=by_class,
        confusion=_confusion(counts),
        risk=None if risk is None else summarise_risk(risk),
    )


def summarise_groups(table: CaseTable, size: Ints, right: Mask) -> list[Plain] | None:
    """Count sizes of sets against right and wrong in each group, the largest group first."""
    if table.group is None or table.together:
        return None
    weight = table.cases.weight
    cells = pd.DataFrame({"size": size, "right": weight * right, "wrong": weight * ~right})
    rows = np.bincount(table.group)
    cells = cells.groupby([table.group, "size"], sort=True).sum().reset_index("size")
    found: list[Plain] = []
    for code in np.argsort(-rows, kind="stable")[:_GROUPS_KEPT].tolist():
        sizes = cells.loc[[code]].to_numpy(dtype=np.float64)
        found.append({"group": table.groups[code], "n": int(rows[code]), "sizes": sizes})
    return found


def _confusion(counts: SetCounts) -> Plain | None:
    """Lay sets out against truths, the rare ones gathered; None if answers are not known."""
    single = counts.size == 1
    if (counts.answer[single] < 0).any():
        return None
    columns, kept = _busiest(counts)
    column_of = np.full(counts.n_classes, len(columns) - 1, dtype=np.intp)
    column_of[kept] = np.arange(len(kept))
    rows: list[Plain] = [{"set": [int(k)]} for k in kept]
    row = np.full(len(counts.truth), -1, dtype=np.intp)
    answer = counts.answer[single]
    row[single] = np.where(np.isin(answer, kept), column_of[answer], -1)
    if len(kept) < counts.n_classes:
        row[single & (row < 0)] = len(rows)
        rows.append({"other": counts.n_classes - len(kept), "size": 1})
    partial = ~single & ~counts.vacuous
    if partial.any():
        _add_partial(counts, partial, row, rows)
    if counts.vacuous.any():
        row[counts.vacuous] = len(rows)
        rows.append({"abstain": True})
    matrix = np.zeros((len(rows), len(columns)))
    np.add.at(matrix, (row, column_of[counts.truth]), counts.weight)
    return {"columns": columns, "rows": rows, "counts": matrix}


def _busiest(counts: SetCounts) -> tuple[list[int], Ints]:
    """Classes worth a column: all if they are few, else those most often missed."""
    if counts.n_classes <= _CLASSES_KEPT:
        kept = np.arange(counts.n_classes)
        return kept.tolist(), kept
    trouble: Floats = counts.by_truth(1 - counts.hit / np.maximum(counts.size, 1))
    kept = np.sort(np.argsort(-trouble, kind="stable")[:_CLASSES_SHOWN])
    return [*kept.tolist(), -1], kept


def _add_partial(counts: SetCounts, partial: np.ndarray, row: Ints, rows: list[Plain]) -> None:
    """Give the commonest partial sets a row each and gather the rest."""
    if counts.knows_sets:
        total = np.bincount(
            counts.set_index[partial], counts.weight[partial], minlength=len(counts.words)
        )
        common = np.argsort(-total, kind="stable")[:_SETS_SHOWN]
        common = np.sort(common[total[common] > 0])
        for index in common:
            row[partial & (counts.set_index == index)] = len(rows)
            rows.append({"set": np.flatnonzero(counts.sets[index]).tolist()})
        rest = partial & ~np.isin(counts.set_index, common)
        n_other = len(np.unique(counts.set_index[rest]))
    else:
        rest, n_other = partial, 0
    if rest.any():
        row[rest] = len(rows)
        rows.append({"other": n_other, "size": 2})
