"""Answers and abstentions: the measures of Ferri and Hernández-Orallo, and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._set_counts import SetCounts, count_sets
from cautious._typing import Floats, Mask
from cautious.errors import shown
from cautious.metrics._registry import define_measure

__all__ = [
    "abstention_score",
    "coverage_f_score",
    "coverage_score",
    "efficacy_score",
    "error_score",
    "needless_abstention_score",
    "reckless_answer_score",
    "selective_accuracy_score",
    "selective_risk_score",
]


@define_measure("coverage", mean=True, section="answers")
def coverage_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Share of cases that get an answer.

    .. math:: \mathrm{Coverage} = \sum_{i \ne \bot} M(i, j) / n

    where :math:`M` is the confusion matrix with an abstain row :math:`\bot`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        What a set of several but not all classes counts as: an abstention, or an answer that is
        right if it holds the truth.

    Returns
    -------
    float

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> coverage_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.75
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(counts.answered(partial))


@define_measure("abstention", mean=True, greater_is_better=False, section="answers")
def abstention_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Share of cases on which the classifier abstains, :math:`1 - \mathrm{Coverage}`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> abstention_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(~counts.answered(partial))


@define_measure("selective_accuracy", mean=True, section="answers")
def selective_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Share of the answers that are right; undefined where there are none.

    .. math:: \mathrm{Accuracy} = \sum_i M(i, i) / \sum_{i \ne \bot} M(i, j)

    Accuracy · Coverage = Coverage − Error.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1, "Accuracy".

    Examples
    --------
    >>> round(selective_accuracy_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.667
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(_right(counts, partial))


@define_measure("selective_risk", mean=True, greater_is_better=False, section="answers")
def selective_risk_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Wrong answers as a share of the *answers*; undefined where there are none.

    .. math:: \mathrm{Selective\ risk} = 1 - \mathrm{Accuracy} = \mathrm{Error} / \mathrm{Coverage}

    This is what a limit ``max_error`` is about; :func:`error_score` counts among all cases.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    References
    ----------
    El-Yaniv & Wiener (2010), *On the foundations of noise-free selective classification*.

    Examples
    --------
    >>> round(selective_risk_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.333
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(1 - _right(counts, partial))


@define_measure("error", mean=True, greater_is_better=False, section="answers")
def error_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Wrong answers as a share of *all* cases, abstentions included.

    .. math:: \mathrm{Error} = \sum_{i \ne \bot,\, i \ne j} M(i, j) / n

    Among the answers: :func:`selective_risk_score`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.1.

    Examples
    --------
    >>> error_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    return counts.mean(counts.answered(partial) & ~counts.hit)


@define_measure("efficacy", section="answers")
def efficacy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Mean of accuracy and coverage.

    .. math:: \mathrm{Efficacy} = (\mathrm{Accuracy} + \mathrm{Coverage}) / 2

    To turn one error into an abstention lowers the coverage by :math:`1/n` and raises the accuracy
    :math:`A` of :math:`m` answers by :math:`A/(m - 1)`. By this measure it pays exactly where
    :math:`A > (m - 1)/n`: never where every case is answered. See :func:`capacity_score`, by which
    it pays more often.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2.

    Examples
    --------
    >>> round(efficacy_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.708
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    accuracy, coverage = _accuracy_and_coverage(counts, partial)
    return (accuracy + coverage) / 2


@define_measure("coverage_f", section="answers")
def coverage_f_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Harmonic mean of accuracy and coverage.

    .. math:: F = \frac{2 \cdot \mathrm{Accuracy} \cdot \mathrm{Coverage}}
              {\mathrm{Accuracy} + \mathrm{Coverage}}

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2, "f-score". The value printed there for the
    classifier of section 4 with threshold .625, .916, should read .922.

    Examples
    --------
    >>> round(coverage_f_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.706
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
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
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    y_pred: Sequence[Any] | npt.ArrayLike | None,
    over: str = "cases",
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Rate of abstaining although the determinate answer would have been right.

    Its twin is :func:`reckless_answer_score`. Over all cases the two add up to the share of cases
    on which the classifier misjudged whether to answer.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    y_pred : array-like of shape (n,)
        The class the classifier would have answered had it been forced to answer with one.
    over : {"cases", "abstentions"}, default="cases"
        What to take the share of.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    Examples
    --------
    >>> y_true, y_set = ["a", "a", "b", "b"], ["a", None, "a", None]
    >>> needless_abstention_score(y_true, y_set, y_pred=["a", "a", "a", "a"])
    0.25
    >>> needless_abstention_score(y_true, y_set, y_pred=["a", "a", "a", "a"], over="abstentions")
    0.5
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty, y_pred=y_pred)
    abstained = ~counts.answered(partial)
    return counts.mean(_rate(abstained & (counts.forced == 1), abstained, over, "abstentions"))


@define_measure("reckless_answer", mean=True, greater_is_better=False)
def reckless_answer_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    over: str = "cases",
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> npt.ArrayLike:
    r"""Rate of answering although the answer is wrong: the twin of needless abstention.

    Over all cases it is :func:`error_score`, over answers :func:`selective_risk_score`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    over : {"cases", "answers"}, default="cases"
        What to take the share of.
    partial : {"abstain", "answer"}, default="abstain"
        As for :func:`coverage_score`.

    Returns
    -------
    float

    Examples
    --------
    >>> reckless_answer_score(["a", "a", "b", "b"], ["a", None, "a", None], over="answers")
    0.5
    """
    counts = count_sets(y_true, y_set, classes, sample_weight, empty)
    answered = counts.answered(partial)
    return counts.mean(_rate(answered & ~counts.hit, answered, over, "answers"))


def _right(counts: SetCounts, partial: str) -> Floats:
    """Whether each answer is right; nan where there is none."""
    return np.where(counts.answered(partial), counts.hit, np.nan)


def _accuracy_and_coverage(counts: SetCounts, partial: str) -> tuple[Floats, Floats]:
    return counts.mean(_right(counts, partial)), counts.mean(counts.answered(partial))


def _rate(event: Mask, among: Mask, over: str, among_name: str) -> Floats:
    """One value per cell whose mean is the rate of an event over all cases, or among some."""
    if over not in ("cases", among_name):
        raise ValueError(f"over is {shown(over)}; choose 'cases' or {shown(among_name)}.")
    return np.where((over == "cases") | among, event, np.nan)
