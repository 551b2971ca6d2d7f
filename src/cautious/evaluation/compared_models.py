"""Comparison of models on the same cases, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import scipy

from cautious._cases import Cases
from cautious._checks import check_scores
from cautious._random import Interval, check_level, check_resamples
from cautious._result import Result
from cautious._text import TextTable, alike, number, share
from cautious._typing import Floats
from cautious.comparison import objective_winner
from cautious.comparison._significance import holm
from cautious.curves._staircase import SortedScores
from cautious.curves._vacc import VaccTest, paired_tests
from cautious.errors import Message, quoted, undefined_allowed
from cautious.evaluation._evidence import Evidence, answers_to, evidence_of, noted, score_notes
from cautious.evaluation._rule_choice import RuleChoice
from cautious.metrics import SetCounts
from cautious.metrics._bootstrap_intervals import interval_of_difference
from cautious.metrics._registry import get_measure
from cautious.predictions import read_predictions
from cautious.predictions._reader import align
from cautious.utility import crossover

# Means of utilities are equal up to rounding.
_ROUNDING = 1e-12
_MEASURES = ("coverage", "selective_accuracy", "discounted_accuracy", "u65", "u80")


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Models side by side, and all pairs of them.

    Attributes
    ----------
    models : DataFrame
        One row per model, one column per measure.
    pairs : DataFrame
        One row per pair, indexed by ``first`` and ``second``: differences with intervals, p-values
        and the same adjusted for all pairs (Holm).
    best : str or None
        The model that is told apart from all others by its mean cost (VACC), or where there are no
        scores by its utility at every aversion to risk; None if none is.
    verdict : str
        The same in words.
    answers : dict
        How each model's answers came about.
    confidence_level : float
        Of the intervals and of the verdict.
    notes : tuple of Message
        What was guessed or looks odd; printed below the tables.

    Examples
    --------
    >>> import cautious
    >>> y, good = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.8, 0.9]
    >>> found = cautious.compare({"a": (y, good), "b": (y, good[::-1])}, n_resamples=50)
    >>> found.models["vacc"].round(3).to_dict(), found.best
    ({'a': 0.069, 'b': 0.208}, None)
    """

    models: pd.DataFrame
    pairs: pd.DataFrame
    best: str | None
    verdict: str
    answers: Mapping[str, str]
    confidence_level: float
    notes: tuple[Message, ...] = ()

    def frame(self) -> pd.DataFrame:
        """One row per pair.

        Examples
        --------
        >>> import cautious
        >>> y, p = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.8, 0.9]
        >>> found = cautious.compare({"a": (y, p), "b": (y, p[::-1])}, n_resamples=50)
        >>> found.frame()[["vacc_difference"]].round(3)
                      vacc_difference
        first second
        a     b                -0.139
        """
        return self.pairs

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "models": self.models.to_dict("index"),
            "pairs": self.pairs.reset_index().to_dict("records"),
            "best": self.best,
            "verdict": self.verdict,
            "answers": dict(self.answers),
        }

    def tables(self) -> Iterator[TextTable]:
        """Tables for people: a title, headings, and rows of text."""
        models = self.models.drop(columns=["variance", "hedging"], errors="ignore")
        first = next(name for name in _OF_PAIRS if name in models)
        order = models.sort_values(first, ascending=first != "u65")
        headings = ["model", *(_HEADINGS.get(name, name) for name in models.columns)]
        columns = [alike(*column) for column in order.to_numpy(dtype=float).T]
        rows = [(str(name), *row) for name, *row in zip(order.index, *columns, strict=True)]
        yield "", headings, rows
        records = self.pairs.reset_index().to_dict("records")
        for name, what in _OF_PAIRS.items():
            if f"{name}_difference" in self.pairs:
                title = f"{what} of the second, {100 * self.confidence_level:g} % intervals"
                body = [_cells(name, row) for row in records]
                yield title, list(body[0]), [tuple(cells.values()) for cells in body]

    def sentences(self) -> Iterator[str]:
        """Say how the answers came about, and how to read the tables."""
        for name, words in self.answers.items():
            yield f"{name}: {words if words.endswith('.') else f'Answers: {words}.'}"
        if "first_cheaper" in self.pairs:
            yield "Cheaper at: shares of all relative costs, μ and ν from 0 to 1."
        if "u65_difference" in self.pairs:
            yield (
                "Aversion to risk, k: what a right pair of classes is worth to you, where a right "
                "single class is worth 1; from 0.5 (none) to 1, and 0.65 for u65."
            )
            yield (
                "p of all (Holm): small only if the same model is worth more at every k; it is "
                "1 where the models change places."
            )
        yield (
            "Each interval is for one pair and one measure; a p (Holm) is for all pairs together. "
            "So an interval may leave out 0 where p (Holm) is large."
        )

    def headline(self) -> str:
        """Give the verdict."""
        return self.verdict

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(map(repr, self.models.index[:4]))}>"


_HEADINGS = {
    "vacc": "VACC",
    "augrc": "AUGRC",
    "aurc": "AURC",
    "selective_accuracy": "accuracy",
    "discounted_accuracy": "discounted",
}


def _interval(row: Mapping[Any, Any], what: str) -> str:
    gap, low, high = alike(*(row[f"{what}_{end}"] for end in ("difference", "low", "high")))
    return f"{gap} [{low}, {high}]" if low else gap


def _chance(p: float) -> str:
    """Write a p-value; nobody needs its exponent."""
    return "<0.0001" if p < 1e-4 else number(p)


def _place(row: Mapping[Any, Any]) -> str:
    """Say from which aversion to risk on the other model is better."""
    if not 0.5 < row["crossover"] < 1:  # beyond these, nobody is averse to risk
        return "never"
    better = row["first"] if row["better_above"] == "first" else row["second"]
    return f"k = {row['crossover']:.3f}: {better}"


# Tables of pairs, by the difference that they are for.
_OF_PAIRS = {
    "augrc": "Confidences: AUGRC of the first minus that",
    "vacc": "Costs: VACC of the first minus that",
    "u65": "Utilities: those of the first minus those",
}


def _cells(name: str, row: Mapping[Any, Any]) -> dict[str, str]:
    """Give the cells of a pair in one of the tables, by their headings."""
    pair = {"first": row["first"], "second": row["second"]}
    if name == "u65":
        worth = ("discounted", "discounted_accuracy"), ("u65", "u65"), ("u80", "u80")
        pair |= {heading: _interval(row, what) for heading, what in worth}
        return pair | {
            "p of all (Holm)": _chance(row["utility_p_adjusted"]),
            "change places": _place(row),
        }
    pair |= {"difference": _interval(row, name), "p": _chance(row["p"])}
    pair["p (Holm)"] = _chance(row["p_adjusted"])
    if name == "vacc":
        pair["cheaper at"] = f"{share(row['first_cheaper'])} : {share(row['second_cheaper'])}"
    return pair


def compare(
    predictions: Any,
    *,
    rule: Any = None,
    utility: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
    **columns: Any,
) -> Comparison:
    """Compare models on the same cases: by cost, by utility, and whether it may be chance.

    Parameters
    ----------
    predictions : paths, frame, mapping or Predictions
        Anything :func:`cautious.read_predictions` takes that holds two models or more.
    rule, utility
        How scores and probabilities become answers; see :func:`evaluate`.
    confidence_level : float, default=0.95
        Of the intervals, and of the verdict over all pairs together.
    n_resamples, random_state
        Of the bootstrap.
    progress : callable, optional
        Called with the number of pairs done and their number.
    **columns
        Passed on to :func:`cautious.read_predictions`.

    Returns
    -------
    Comparison

    Notes
    -----
    All pairs are tested on the same cases, and what a case is worth to both is compared; p-values
    are adjusted by Holm's method, so that the chance of one false verdict among all pairs is at
    most 1 − `confidence_level`. Costs are tested by
    :meth:`cautious.curves.AbstentionCostSurface.vacc_test`. Utilities are straight lines in the
    aversion to risk k, so a model is worth more at every aversion where it is at k = ½ and at
    k = 1: the larger of the p-values of both ends is taken, and 1 if the ends disagree. Each is of
    a paired t-test with one more case in the variance, of the greatest difference there can be, and
    with few degrees of freedom where few cases decide.

    Examples
    --------
    >>> import cautious
    >>> y, good = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.8, 0.9]
    >>> found = cautious.compare({"a": (y, good), "b": (y, good[::-1])}, n_resamples=50)
    >>> found.models["vacc"].round(3).to_dict()
    {'a': 0.069, 'b': 0.208}
    """
    check_level(confidence_level)
    check_resamples(n_resamples)
    choice = RuleChoice.of(rule, None, None, utility)
    read = align(read_predictions(predictions, **columns))
    models = list(read.values())
    found = {one.name: evidence_of(one, choice) for one in models}
    answers = {
        one.name: SetCounts.of_cases(replace(one, y_set=mask), sets=False)
        for one in models
        if (mask := answers_to(one, found[one.name].rule)) is not None
    }
    notes = list(read.notes)
    for evidence in found.values():
        notes += choice.notes(evidence.name, evidence.staircase)
        notes += score_notes(evidence, interval=True)
    resampling: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
    tests = _tests_of_costs(models, found, confidence_level, **resampling)
    bootstrap = resampling | {"confidence_level": confidence_level}
    pairs = []
    every = list(combinations(models, 2))
    for at, (a, b) in enumerate(every):
        pair: dict[str, Any] = {"first": a.name, "second": b.name}
        with noted():
            if a.graded:
                pair |= _by_confidence(a, b, confidence_level)
            elif a.y_score is not None and b.y_score is not None:
                pair |= _by_cost(next(tests), found[a.name].surface, found[b.name].surface)
            if not a.graded and a.name in answers and b.name in answers:
                pair |= _by_utility(a, answers[a.name], answers[b.name], bootstrap)
        pairs.append(pair)
        if progress is not None:
            progress(at + 1, len(every))
    frame = pd.DataFrame(pairs).set_index(["first", "second"])
    for name in ("p", "utility_p"):
        if name in frame:
            at = frame.columns.tolist().index(name) + 1
            frame.insert(at, f"{name}_adjusted", holm(frame[name]))
    table = pd.DataFrame([_measures(one) for one in found.values()]).set_index("model")
    mean = next((name for name in _LEAST if name in table and "p_adjusted" in frame), None)
    if mean is not None:
        positive = models[0].pos_label
        best, verdict = _least_mean(mean, table[mean], frame, confidence_level, positive)
    elif "discounted_accuracy" in table and table["discounted_accuracy"].notna().all():
        best, verdict = _most_worth(table, frame, confidence_level)
    else:
        best, verdict = None, "The models have neither scores nor answers in common."
    return Comparison(
        table,
        frame,
        best,
        verdict,
        {name: one.answers for name, one in found.items() if one.answers},
        confidence_level,
        tuple({str(note): note for note in notes}.values()),
    )


def _measures(evidence: Evidence) -> dict[str, Any]:
    row: dict[str, Any] = {"model": evidence.name}
    if evidence.cases is not None and evidence.cases.graded:
        cases = evidence.cases
        weight = cases.weight / cases.weight.sum()
        areas = {"augrc": float(weight @ _shares_in_area(cases, weight)) / 2}
        assert evidence.counts is not None
        kept = ("coverage", "selective_accuracy")
        return row | areas | {name: float(get_measure(name)(evidence.counts)) for name in kept}
    if evidence.surface is not None:
        row["vacc"] = evidence.surface.vacc()
    counts = evidence.counts
    if counts is None:
        return row
    row |= {name: float(get_measure(name)(counts)) for name in _MEASURES}
    row["variance"] = float(get_measure("discounted_accuracy_variance")(counts))
    x = counts.discounted
    return row | {"hedging": float(counts.mean(x * (1 - x)))}


def _tests_of_costs(
    models: Sequence[Cases], found: Mapping[str, Evidence], level: float, **resampling: Any
) -> Iterator[VaccTest]:
    """Test each pair of models that score two classes, in order."""
    scored = [one for one in models if one.y_score is not None and not one.graded]
    if len(scored) > 1:
        surface, positive = found[scored[0].name].surface, scored[0].truth == 1
        assert surface is not None
        each = [SortedScores.of(check_scores(one.score, name=one.name), positive) for one in scored]
        sample = positive, scored[0].weight, surface.scales
        yield from paired_tests(each, sample, level, **resampling)


def _by_cost(test: VaccTest, one: Any, two: Any) -> dict[str, float]:
    """Compare expected costs over all relative costs."""
    shares = one.differential(two).winning_shares()
    return _ends("vacc", test.difference) | {
        "p": test.p_value,
        "first_cheaper": float(shares["first"]),
        "second_cheaper": float(shares["second"]),
    }


def _by_confidence(a: Cases, b: Cases, level: float) -> dict[str, float]:
    """Compare which of two confidences in the same answers, or their like, ranks them better."""
    # AUGRC is the mean over pairs of answers, w_i (c_j < c_i) + w_i (c_j = c_i) / 2 with w 1
    # for a wrong one. So its variance is that of what each answer contributes, to both models
    # at once (as DeLong et al. 1988 do for the area under the ROC curve). Answers without a
    # confidence come last.
    weight = a.weight / a.weight.sum()
    first, second = (_shares_in_area(one, weight) for one in (a, b))
    gap = first - second
    difference = float(weight @ gap) / 2
    error = float(np.sqrt(((weight * (gap - 2 * difference)) ** 2).sum()))
    half = float(scipy.special.ndtri((1 + level) / 2)) * error
    p = 2 * float(scipy.special.ndtr(-abs(difference) / error)) if error > 0 else 1.0
    found = Interval(difference, difference - half, difference + half, level, 0)
    return _ends("augrc", found) | {"p": p}


def _shares_in_area(cases: Cases, weight: Floats) -> Floats:
    """Say what each answer contributes to AUGRC: twice their mean is it."""
    score = np.where(np.isnan(cases.score), -np.inf, cases.score)
    wrong = weight * (cases.truth == 0)
    values, place = np.unique(score, return_inverse=True)
    sums = np.array([np.bincount(place, one, len(values)) for one in (weight, wrong)])
    below = np.cumsum(sums, axis=1) - sums / 2
    covered = below[0][place]  # the share of answers less sure, ties by half
    mistakes = sums[1].sum() - below[1][place]  # the share of wrong answers that are surer
    return np.asarray((cases.truth == 0) * covered + mistakes)


def _ends(name: str, difference: Interval) -> dict[str, float]:
    ends = {"difference": difference.estimate, "low": difference.low, "high": difference.high}
    return {f"{name}_{key}": value for key, value in ends.items()}


def _by_utility(
    cases: Cases, one: SetCounts, two: SetCounts, bootstrap: Mapping[str, Any]
) -> dict[str, Any]:
    """Compare what the answers are worth, at every aversion to risk."""
    found: dict[str, Any] = {}
    for name in ("discounted_accuracy", "u65", "u80"):
        found |= _ends(name, interval_of_difference(get_measure(name), one, two, {}, **bootstrap))
    first, second, weight = one.discounted, two.discounted, cases.sample_weight
    found["utility_p"] = everywhere_p(first, second, weight)
    with undefined_allowed():
        # Parallel lines are no accident here: two models that always answer have them.
        place = crossover(first, second, sample_weight=weight, strata=cases.codes, **bootstrap)
    return found | {
        "crossover": place.k.estimate,
        "crossover_low": place.k.low,
        "crossover_high": place.k.high,
        "better_above": place.better_above,
    }


_AREA = "AUGRC, the share of answers that go out and are wrong, over all thresholds"
_COST = "the mean cost over all costs at which missing {positive} is the more expensive mistake"
_FIRST = "is the least, and the difference to each other model is significant."
# Verdicts on the model of the least mean: it cannot be told apart from others, or it can.
_LEAST = {
    "augrc": (
        "On these answers {name} has the least " + _AREA + ", but cannot be told apart from "
        "{close}.",
        "Take {name}: its " + _AREA + ", " + _FIRST,
    ),
    "vacc": (
        "While the costs are unknown, {name} has the least VACC on these cases, " + _COST + ", but "
        "cannot be told apart from {close}.",
        "While the costs are unknown, take {name}: its VACC, " + _COST + ", " + _FIRST,
    ),
}


def _least_mean(
    what: str, means: pd.Series, pairs: pd.DataFrame, level: float, positive: Any
) -> tuple[str | None, str]:
    """Name the model of the least mean, if it is told apart from all others."""
    name = str(means.idxmin())
    close = _close_pairs(name, pairs, "p_adjusted", what, level)
    words = _LEAST[what][not close].format(
        name=name, close=" and ".join(close), positive=quoted(str(positive))
    )
    return None if close else name, words


def everywhere_p(one: Floats, two: Floats, sample_weight: Floats | None) -> float:
    """Test whether one model is worth more than another at every aversion to risk."""
    weight = np.ones(len(one)) if sample_weight is None else sample_weight
    # Utility at k = ½ is x, and at k = 1 it is x + 2x(1 - x).
    ends = one - two, (one + 2 * one * (1 - one)) - (two + 2 * two * (1 - two))
    (first, p_first), (second, p_second) = (_paired_p(end, weight) for end in ends)
    return max(p_first, p_second) if first * second > 0 else 1.0


def _paired_p(difference: Floats, weight: Floats) -> tuple[float, float]:
    """Mean difference, and its two-sided p-value; cases differ by one at most."""
    n = float(weight.sum())
    mean = float(weight @ difference) / n
    if abs(mean) <= _ROUNDING:
        return 0.0, 1.0
    apart = difference - mean
    variance, fourth = weight @ apart**2 + 1, weight @ apart**4 + 1
    t = abs(mean) * n / np.sqrt(variance)
    return mean, float(2 * scipy.stats.t.sf(t, 2 * variance**2 / fourth))


def _close_pairs(
    name: str, pairs: pd.DataFrame, p_value: str, what: str, level: float
) -> list[str]:
    """Name the models that one cannot be told apart from, with the differences to them."""
    close = []
    for names, row in zip(pairs.index, pairs.to_dict("records"), strict=True):
        # An undefined p-value is no evidence either.
        if name in names and not row[p_value] <= 1 - level:
            other = names[1] if names[0] == name else names[0]
            sign = 1 if names[0] == name else -1
            low, high = sorted(sign * row[f"{what}_{end}"] for end in ("low", "high"))
            if what == "vacc" and low == high == 0:  # no case makes a difference
                close.append(f"{other} (at all costs the same answers to all cases)")
                continue
            gap, low, high = alike(sign * row[f"{what}_difference"], low, high)
            ends = f", {low} to {high}" if low else ""
            close.append(f"{other} (difference {gap}{ends})")
    return close


def _most_worth(table: pd.DataFrame, pairs: pd.DataFrame, level: float) -> tuple[str | None, str]:
    """Name the model that is worth most at every aversion to risk, if it can be told apart."""
    winner = objective_winner(table["discounted_accuracy"], table["variance"])
    # Utility is a straight line in k, so whoever is ahead at both ends is ahead everywhere.
    ends = table["discounted_accuracy"], table["discounted_accuracy"] + 2 * table["hedging"]
    best = [set(end.index[end >= end.max() - _ROUNDING]) for end in ends]
    both = sorted(map(str, best[0] & best[1]))
    if len(both) == len(table):
        return None, "The models are worth the same at every aversion to risk."
    if len(both) != 1:
        return None, (
            "Which model is worth most depends on the aversion to risk: see where they change."
        )
    (name,) = both
    # Without any aversion, k = ½, caution is worth least, and the difference mostly smallest.
    close = _close_pairs(name, pairs, "utility_p_adjusted", "discounted_accuracy", level)
    if close:
        return None, (
            f"On these cases {name} is worth most at every aversion to risk, but cannot be told "
            f"apart from {' and '.join(close)} at all of them: the difference is that of "
            "discounted accuracy, which knows no aversion."
        )
    reason = f"{winner.reason}, and " if winner.winner == name else ""
    return name, (
        f"Whatever the aversion to risk, take {name}: {reason}the difference to each other model "
        "is significant."
    )
