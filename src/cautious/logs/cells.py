"""Reading counts in cells: as staircases and risk–coverage curves, at worst or at best.

Where scores are rounded, nothing is known of their order within a cell. Reading a cell *at worst*
puts mistakes before right answers, so that no cut inside it is ever worth while; reading it *at
best* parts them perfectly. Every true order lies between. Exact scores are cells of one number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from cautious._typing import Floats, Labels
from cautious.curves import Staircase
from cautious.logs.exact_sums import floats
from cautious.logs.score_tally import Kind, ScoreTally
from cautious.metrics import RiskCoverageCurve

__all__ = ["Cells", "cells_of_tally", "risk_coverage_of", "staircase_of"]


class Cells(NamedTuple):
    """Cells of one kind: their least and greatest score, and the weight in each."""

    kind: Kind
    low: Floats
    high: Floats
    weight: Floats


def cells_of_tally(tally: ScoreTally, chosen: Callable[[Any], bool]) -> Iterator[Cells]:
    """Cells of the chosen kinds."""
    settled = tally.settled()
    for kind, values, counts in settled.canonical():
        if chosen(kind):
            yield Cells(kind, *_ends(values, settled.exponent), floats(counts))


def staircase_of(
    cells: list[Cells],
    is_positive: Callable[[Kind], bool],
    classes: tuple[Any, Any],
    *,
    worst: bool,
) -> Staircase:
    """Staircase of two classes.

    At worst the positives of a cell have its least score and its negatives the greatest: a cut
    between them would answer all of the cell wrongly, and no optimal window has it.
    """
    places, positives, negatives = [np.empty(0)], [np.empty(0)], [np.empty(0)]
    for kind, low, high, weight in cells:
        positive = is_positive(kind)
        places.append(low if positive == worst else high)
        positives.append(weight if positive else np.zeros(len(weight)))
        negatives.append(np.zeros(len(weight)) if positive else weight)
    return Staircase.from_counts(
        np.concatenate(places), np.concatenate(positives), np.concatenate(negatives), classes
    )


def risk_coverage_of(cells: list[Cells], classes: Labels, *, worst: bool) -> RiskCoverageCurve:
    """Right and wrong answers by confidence, the surest first: at worst, the wrong ones."""
    nothing = np.empty(0)
    sizes = [len(cell.weight) for cell in cells]
    wrong = np.array([float(cell.kind.wrong) for cell in cells])
    truth = np.array([cell.kind.truth for cell in cells], dtype=np.intp)
    places = [cell.high if cell.kind.wrong == worst else cell.low for cell in cells]
    curve = RiskCoverageCurve(
        np.concatenate([*places, nothing]),
        np.repeat(wrong, sizes),
        np.repeat(truth, sizes),
        np.concatenate([*(cell.weight for cell in cells), nothing]),
        classes,
    )
    return curve.merge()[0]


def _ends(values: Floats, exponent: int | None) -> tuple[Floats, Floats]:
    """Least and greatest floating-point number of each cell."""
    if exponent is None:
        return values, values
    low = values * 2.0**exponent
    high = np.nextafter((values + 1) * 2.0**exponent, -np.inf)
    # Far from zero a cell may hold a single float, and infinity is a cell of its own.
    return low, np.where(np.isfinite(values), np.maximum(low, high), values)
