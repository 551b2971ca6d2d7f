"""Expected numbers of the corpus, by definition: fractions and loops, nothing of the library.

Everything is given as plain lists, so no reader is involved: true labels, answer sets, scores,
weights. The formulas follow the definitions one by one and are slow on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import Any


def exact(value: Any) -> Fraction:
    """The number that a float really is."""
    return value if isinstance(value, Fraction) else Fraction(value)


def set_measures(
    truth: Sequence[Any], sets: Sequence[set[Any]], n_classes: int, weight: Sequence[Any]
) -> dict[str, float]:
    """Measures of answers; an empty set in `sets` is an answer that is wrong."""
    w = [exact(one) for one in weight]
    total = sum(w)

    def mean(values: Sequence[Any]) -> float:
        return float(sum(a * b for a, b in zip(w, values, strict=True)) / total)

    right = [t in s for t, s in zip(truth, sets, strict=True)]
    answered = [len(s) < 2 for s in sets]
    share = [Fraction(1, len(s)) if r else Fraction(0) for r, s in zip(right, sets, strict=True)]
    covered = sum(one for one, a in zip(w, answered, strict=True) if a)
    hits = sum(one for one, a, r in zip(w, answered, right, strict=True) if a and r)
    return {
        "n": float(total),
        "coverage": mean(answered),
        "abstention": mean([not a for a in answered]),
        "error": mean([a and not r for a, r in zip(answered, right, strict=True)]),
        "selective_accuracy": float(hits / covered) if covered else math.nan,
        "containment": mean(right),
        "mean_set_size": mean([len(s) for s in sets]),
        "discounted_accuracy": mean(share),
        "u65": mean([quadratic(x, Fraction(65, 100)) for x in share]),
        "u80": mean([quadratic(x, Fraction(80, 100)) for x in share]),
    }


def mean_cost(
    truth: Sequence[Any],
    sets: Sequence[set[Any]],
    positive: Any,
    weight: Sequence[Any],
    costs: tuple[float, float, float],
) -> float:
    """Cost per case of two classes: (false negative, false positive, abstain)."""
    missed, alarm, abstain = map(exact, costs)
    paid = total = Fraction(0)
    for label, answer, one in zip(truth, sets, weight, strict=True):
        total += exact(one)
        if len(answer) == 2:
            paid += exact(one) * abstain
        elif answer != {label}:
            paid += exact(one) * (missed if label == positive else alarm)
    return float(paid / total)


def quadratic(x: Fraction, v: Fraction) -> Fraction:
    """u_v(x) = (2 − 4v)x² + (4v − 1)x, Zaffalon, Corani & Mauá (2012)."""
    return (2 - 4 * v) * x * x + (4 * v - 1) * x


def risk_measures(
    loss: Sequence[int], confidence: Sequence[Any], weight: Sequence[Any]
) -> dict[str, float]:
    """AURC and AUGRC; cases of equal confidence enter as one straight step."""
    w = [exact(one) for one in weight]
    total = sum(w)
    aurc, augrc = 0.0, Fraction(0)
    covered = lost = Fraction(0)
    for level in sorted({exact(one) for one in confidence}, reverse=True):
        inside = [at for at, one in enumerate(confidence) if exact(one) == level]
        wide = sum(w[at] for at in inside)
        high = sum(w[at] * loss[at] for at in inside)
        if not wide:
            continue
        # g(c) = lost + (c − covered)·slope inside the step; ∫ g(c)/c dc in closed form.
        slope = high / wide
        start = lost - covered * slope
        if start:
            aurc += float(start / total) * math.log(float((covered + wide) / covered))
        aurc += float(slope * wide / total)
        augrc += (lost + high / 2) * wide / total / total
        covered, lost = covered + wide, lost + high
    return {"aurc": aurc, "augrc": float(augrc)}


def score_measures(
    positive: Sequence[bool],
    score: Sequence[Any],
    weight: Sequence[Any],
    costs: tuple[float, float, float],
) -> dict[str, Any]:
    """AUC, VACC and the best window for the costs (false negative, false positive, abstain)."""
    w = [exact(one) for one in weight]
    s = [exact(one) if math.isfinite(one) else one for one in score]
    return {
        "auc": area_under_roc(positive, s, w),
        "vacc": vacc(positive, s, w),
        "window": best_window(positive, s, w, [exact(c) for c in costs]),
    }


def area_under_roc(positive: Sequence[bool], s: Sequence[Any], w: Sequence[Fraction]) -> float:
    """Chance that a positive scores above a negative, ties counting half."""
    won = all_pairs = Fraction(0)
    for p, a, u in zip(positive, s, w, strict=True):
        for q, b, v in zip(positive, s, w, strict=True):
            if p and not q:
                all_pairs += u * v
                won += u * v * (1 if a > b else Fraction(1, 2) if a == b else 0)
    return float(won / all_pairs)


def vacc(positive: Sequence[bool], s: Sequence[Any], w: Sequence[Fraction]) -> float:
    """∫∫ k(μ, ν) dμ dν over the unit square, from the bins of the convex hull."""
    total = sum(w)
    bins: list[list[Fraction]] = []  # [positives, all], pooled until shares grow
    for value in sorted(set(s)):
        here = [at for at, one in enumerate(s) if one == value and w[at]]
        if not here:
            continue
        bins.append([sum(w[at] for at in here if positive[at]), sum(w[at] for at in here)])
        while len(bins) > 1 and bins[-2][0] * bins[-1][1] >= bins[-1][0] * bins[-2][1]:
            last = bins.pop()
            bins[-1] = [bins[-1][0] + last[0], bins[-1][1] + last[1]]
    return float(sum(wide / total * volume(hits / wide) for hits, wide in bins))


def volume(q: Fraction) -> Fraction:
    """∫∫ min{q, μ(1 − q), ν} dμ dν over the unit square."""
    r = 1 - q
    turn = min(Fraction(1), q / r) if r else Fraction(1)
    rising = r * turn**2 / 2 - r**2 * turn**3 / 6
    return rising + (1 - turn) * (q - q * q / 2)


def best_window(
    positive: Sequence[bool], s: Sequence[Any], w: Sequence[Fraction], costs: Sequence[Fraction]
) -> dict[str, Any]:
    """Try every pair of thresholds midway between neighbouring scores, or beyond them all.

    The thresholds are given only where one pair is better than all others.
    """
    values = sorted({one for one, u in zip(s, w, strict=True) if u})
    middles = [middle(a, b) for a, b in pairwise(values)]
    places = [-math.inf, *middles, math.inf]
    missed, alarm, abstain = costs
    total = sum(w)
    found = []
    for lower, upper in combinations_with_replacement(places, 2):
        cost = silent = wrong = Fraction(0)
        for p, one, u in zip(positive, s, w, strict=True):
            if one >= upper and upper != math.inf:
                cost, wrong = (cost, wrong) if p else (cost + u * alarm, wrong + u)
            elif one <= lower and lower != -math.inf:
                cost, wrong = (cost + u * missed, wrong + u) if p else (cost, wrong)
            else:
                cost, silent = cost + u * abstain, silent + u
        found.append((cost / total, silent / total, wrong / total, lower, upper))
    least = min(cost for cost, *_ in found)
    best = [one for one in found if one[0] == least]
    result: dict[str, Any] = {"cost": float(least)}
    if len(best) == 1 and all(map(math.isfinite, values)):
        _, silent, wrong, lower, upper = best[0]
        result |= {"lower": float(lower), "upper": float(upper)}
        result |= {"abstention": float(silent), "error": float(wrong)}
    return result


def best_threshold(
    right: Sequence[bool], confidence: Sequence[float], wrong: float, abstain: float
) -> dict[str, float]:
    """Try every threshold midway between neighbouring confidences, or beyond them all."""
    values = sorted({exact(one) for one in confidence if not math.isnan(one)})
    found = []
    for least in (-math.inf, *(middle(a, b) for a, b in pairwise(values)), math.inf):
        out = [not math.isnan(one) and exact(one) >= least for one in confidence]
        silent, mistakes = (
            out.count(False),
            sum(a and not b for a, b in zip(out, right, strict=True)),
        )
        cost = exact(wrong) * mistakes + exact(abstain) * silent
        n = len(out)
        found.append((cost / n, Fraction(silent, n), Fraction(mistakes, n), least))
    cost, silent, mistakes, least = min(found)  # of equals the one that answers most
    names = ("cost", "abstention", "error", "threshold")
    return dict(zip(names, map(float, (cost, silent, mistakes, least)), strict=True))


def middle(a: Any, b: Any) -> Any:
    """A number between two others, of which either may be infinite."""
    if math.isinf(a):
        return 0 if math.isinf(b) else b - 1
    return a + 1 if math.isinf(b) else (a + b) / 2
