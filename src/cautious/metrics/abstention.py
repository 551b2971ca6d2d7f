"""Answers and abstentions: the measures of Ferri and Hernández-Orallo, and their kin."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious.metrics.counts import SetCounts
from cautious.metrics.declaring import define_measure

__all__ = [
    "abstention_score",
    "coverage_f_score",
    "coverage_score",
    "efficacy_score",
    "error_score",
    "needless_abstention_score",
    "reckless_answer_score",
    "selective_accuracy_score",
]


@define_measure("coverage", mean=True, section="answers")
def coverage_score(counts: SetCounts, *, partial: str = "abstain") -> npt.ArrayLike:
    r"""Share of cases that get an answer.

    .. math:: \mathrm{Coverage} = \sum_{i \ne \bot} M(i, j) / n

    where :math:`M` is the confusion matrix with an abstain row :math:`\bot`.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> coverage_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.75
    """
    return counts.answered(partial)


@define_measure("abstention", mean=True, greater_is_better=False, section="answers")
def abstention_score(counts: SetCounts, *, partial: str = "abstain") -> npt.ArrayLike:
    r"""Share of cases on which the classifier keeps quiet, :math:`1 - \mathrm{Coverage}`.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> abstention_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    return ~counts.answered(partial)


@define_measure("selective_accuracy", mean=True, section="answers")
def selective_accuracy_score(counts: SetCounts, *, partial: str = "abstain") -> npt.ArrayLike:
    r"""Share of the answers that are right; undefined where there are none.

    .. math:: \mathrm{Accuracy} = \sum_i M(i, i) / \sum_{i \ne \bot} M(i, j)

    Accuracy · Coverage = Coverage − Error.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1, "Accuracy".

    Examples
    --------
    >>> round(selective_accuracy_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.667
    """
    return np.where(counts.answered(partial), counts.hit, np.nan)


@define_measure("error", mean=True, greater_is_better=False, section="answers")
def error_score(counts: SetCounts, *, partial: str = "abstain") -> npt.ArrayLike:
    r"""Wrong answers as a share of *all* cases, abstentions included.

    .. math:: \mathrm{Error} = \sum_{i \ne \bot,\, i \ne j} M(i, j) / n

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> error_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    return counts.answered(partial) & ~counts.hit


@define_measure("efficacy", section="answers")
def efficacy_score(counts: SetCounts, *, partial: str = "abstain") -> npt.ArrayLike:
    r"""Mean of accuracy and coverage.

    .. math:: \mathrm{Efficacy} = (\mathrm{Accuracy} + \mathrm{Coverage}) / 2

    It never pays to turn an error into an abstention by this measure; see
    :func:`capacity_score` for one by which it does.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2.

    Examples
    --------
    >>> round(efficacy_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.708
    """
    accuracy, coverage = _accuracy_and_coverage(counts, partial)
    return (accuracy + coverage) / 2


@define_measure("coverage_f", section="answers")
def coverage_f_score(counts: SetCounts, *, partial: str = "abstain") -> npt.ArrayLike:
    r"""Harmonic mean of accuracy and coverage.

    .. math:: F = \frac{2 \cdot \mathrm{Accuracy} \cdot \mathrm{Coverage}}
              {\mathrm{Accuracy} + \mathrm{Coverage}}

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2, "f-score". The value printed there for the
    classifier of section 4 with threshold .625, .916, should read .922.

    Examples
    --------
    >>> round(coverage_f_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.706
    """
    accuracy, coverage = _accuracy_and_coverage(counts, partial)
    return 2 * accuracy * coverage / (accuracy + coverage)


@define_measure(
    "needless_abstention",
    mean=True,
    greater_is_better=False,
    needs=["y_pred"],
    section="answers",
)
def needless_abstention_score(
    counts: SetCounts, *, over: str = "cases", partial: str = "abstain"
) -> npt.ArrayLike:
    r"""Rate of abstaining although the determinate answer would have been right.

    Its twin is :func:`reckless_answer_score`. Over all cases the two add up to the share of cases
    on which the classifier misjudged whether to speak.

    Parameters
    ----------
    over : {"cases", "abstentions"}, default="cases"
        What to take the share of.

    Examples
    --------
    >>> y_true, y_set = ["a", "a", "b", "b"], ["a", None, "a", None]
    >>> needless_abstention_score(y_true, y_set, y_pred=["a", "a", "a", "a"])
    0.25
    >>> needless_abstention_score(y_true, y_set, y_pred=["a", "a", "a", "a"], over="abstentions")
    0.5
    """
    abstained = ~counts.answered(partial)
    return _rate(abstained & (counts.forced == 1), abstained, over, "abstentions")


@define_measure("reckless_answer", mean=True, greater_is_better=False)
def reckless_answer_score(
    counts: SetCounts, *, over: str = "cases", partial: str = "abstain"
) -> npt.ArrayLike:
    r"""Rate of answering although the answer is wrong: the twin of needless abstention.

    Over all cases it is :func:`error_score`, over answers 1 − :func:`selective_accuracy_score`.

    Parameters
    ----------
    over : {"cases", "answers"}, default="cases"
        What to take the share of.

    Examples
    --------
    >>> reckless_answer_score(["a", "a", "b", "b"], ["a", None, "a", None], over="answers")
    0.5
    """
    answered = counts.answered(partial)
    return _rate(answered & ~counts.hit, answered, over, "answers")


def _accuracy_and_coverage(
    counts: SetCounts, partial: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    answered = counts.answered(partial)
    return counts.mean(np.where(answered, counts.hit, np.nan)), counts.mean(answered)


def _rate(
    event: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_], over: str, among_name: str
) -> npt.NDArray[np.float64]:
    """One value a cell whose mean is the rate of an event over all cases, or among some."""
    if over not in ("cases", among_name):
        raise ValueError(f"over is {over!r}; choose 'cases' or {among_name!r}.")
    return np.where((over == "cases") | among, event, np.nan)
