"""Answers, abstentions, sets and what they are worth: the measures of the papers.

Those of Ferri and Hernández-Orallo, of Zaffalon and others, and what sets cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._cases import cases_of_sets
from cautious._checks import check_choice
from cautious._set_counts import SetCounts, costs_of_cells
from cautious._typing import Floats, Mask
from cautious.costs import as_costs
from cautious.costs._forms import CostsLike
from cautious.metrics._confusion import full_coverage_error
from cautious.metrics._registry import MEASURES
from cautious.utility._forms import UtilityLike, as_utility


@MEASURES.define("coverage", mean=True, section="answers")
def _coverage(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    return counts.mean(counts.answered(partial))


def coverage_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Share of cases that get an answer.

    .. math:: \mathrm{Coverage} = \sum_{i \ne \bot} M(i, j) / n

    where :math:`M` is the confusion matrix with an abstain row :math:`\bot` (Ferri &
    Hernández-Orallo 2004, section 2.1).

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
        nan, with a warning, where there are no cases.

    Examples
    --------
    >>> coverage_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.75
    """
    return _coverage.score(y_true, y_set, classes, sample_weight, empty, partial=partial)


@MEASURES.define("abstention", mean=True, greater_is_better=False, section="answers")
def _abstention(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    return counts.mean(~counts.answered(partial))


def abstention_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Share of cases on which the classifier abstains, :math:`1 - \mathrm{Coverage}`.

    Parameters
    ----------
    y_true, y_set, partial, classes, sample_weight, empty
        As for :func:`coverage_score`.

    Examples
    --------
    >>> abstention_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    return _abstention.score(y_true, y_set, classes, sample_weight, empty, partial=partial)


@MEASURES.define("selective_accuracy", mean=True, section="answers")
def _selective_accuracy(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    return counts.mean(_right(counts, partial))


def selective_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Share of the answers that are right; undefined where there are none.

    .. math:: \mathrm{Accuracy} = \sum_i M(i, i) / \sum_{i \ne \bot} M(i, j)

    Accuracy · Coverage = Coverage − Error (Ferri & Hernández-Orallo 2004, section 2.1).

    Parameters
    ----------
    y_true, y_set, partial, classes, sample_weight, empty
        As for :func:`coverage_score`.

    Examples
    --------
    >>> round(selective_accuracy_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.667
    """
    return _selective_accuracy.score(y_true, y_set, classes, sample_weight, empty, partial=partial)


@MEASURES.define("selective_risk", mean=True, greater_is_better=False, section="answers")
def _selective_risk(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    """Wrong answers as a share of the answers; undefined where there are none."""
    return counts.mean(1 - _right(counts, partial))


@MEASURES.define("error", mean=True, greater_is_better=False, section="answers")
def _error(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    return counts.mean(counts.answered(partial) & ~counts.hit)


def error_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Wrong answers as a share of *all* cases, abstentions included.

    .. math:: \mathrm{Error} = \sum_{i \ne \bot,\, i \ne j} M(i, j) / n

    Among the answers: the measure "selective_risk".

    Parameters
    ----------
    y_true, y_set, partial, classes, sample_weight, empty
        As for :func:`coverage_score`.

    Examples
    --------
    >>> error_score(["a", "a", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    return _error.score(y_true, y_set, classes, sample_weight, empty, partial=partial)


@MEASURES.define("efficacy", section="answers")
def _efficacy(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    return (_selective_accuracy(counts, partial=partial) + _coverage(counts, partial=partial)) / 2


def efficacy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean of accuracy and coverage.

    .. math:: \mathrm{Efficacy} = (\mathrm{Accuracy} + \mathrm{Coverage}) / 2

    To turn one error into an abstention lowers the coverage by :math:`1/n` and raises the accuracy
    :math:`A` of :math:`m` answers by :math:`A/(m - 1)`. By this measure it pays exactly where
    :math:`A > (m - 1)/n`: never where every case is answered. By :func:`capacity_score` it pays
    more often (Ferri & Hernández-Orallo 2004, section 2.2).

    Parameters
    ----------
    y_true, y_set, partial, classes, sample_weight, empty
        As for :func:`coverage_score`.

    Examples
    --------
    >>> round(efficacy_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.708
    """
    return _efficacy.score(y_true, y_set, classes, sample_weight, empty, partial=partial)


@MEASURES.define("coverage_f", section="answers")
def _coverage_f(counts: SetCounts, *, partial: str = "abstain") -> Floats:
    accuracy = _selective_accuracy(counts, partial=partial)
    coverage = _coverage(counts, partial=partial)
    return 2 * accuracy * coverage / (accuracy + coverage)


def coverage_f_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Harmonic mean of accuracy and coverage.

    .. math:: F = \frac{2 \cdot \mathrm{Accuracy} \cdot \mathrm{Coverage}}
              {\mathrm{Accuracy} + \mathrm{Coverage}}

    The "f-score" of Ferri & Hernández-Orallo (2004), section 2.2. The value printed there for the
    classifier of section 4 with threshold .625, .916, should read .922.

    Parameters
    ----------
    y_true, y_set, partial, classes, sample_weight, empty
        As for :func:`coverage_score`.

    Examples
    --------
    >>> round(coverage_f_score(["a", "a", "b", "b"], ["a", "b", "b", None]), 3)
    0.706
    """
    return _coverage_f.score(y_true, y_set, classes, sample_weight, empty, partial=partial)


@MEASURES.define(
    "needless_abstention", mean=True, greater_is_better=False, needs=["y_pred"], section="answers"
)
def _needless(counts: SetCounts, *, over: str = "cases", partial: str = "abstain") -> Floats:
    """Rate of abstaining, over all cases or "abstentions", although `y_pred` would be right."""
    abstained = ~counts.answered(partial)
    return counts.mean(_rate(abstained & (counts.forced == 1), abstained, over, "abstentions"))


@MEASURES.define("reckless_answer", mean=True, greater_is_better=False)
def _reckless(counts: SetCounts, *, over: str = "cases", partial: str = "abstain") -> Floats:
    """Rate of answering, over all cases or "answers", although the answer is wrong."""
    answered = counts.answered(partial)
    return counts.mean(_rate(answered & ~counts.hit, answered, over, "answers"))


@MEASURES.define("capacity", section="answers")
def _capacity(
    counts: SetCounts, *, guess: str | npt.ArrayLike = "uniform", partial: str = "abstain"
) -> Floats:
    abstention, error = _abstention(counts, partial=partial), _error(counts, partial=partial)
    return 1 - (abstention * full_coverage_error(counts, guess, partial) + error) / 2


MEASURES.vary(_capacity, "capacity_prior", guess="prior")


def capacity_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    guess: str | npt.ArrayLike = "uniform",
    partial: str = "abstain",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Area above the error of the classifier moved to every level of abstention.

    .. math:: \mathrm{Capacity} = 1 - \int_0^1 \mathrm{Error}(Q_\alpha)\, d\alpha
              = 1 - \frac{A\,E_0 + E}{2}

    where :math:`Q_\alpha` is the classifier moved to abstention :math:`\alpha` (see
    :func:`cautious_confusion_matrix`), :math:`A` its own abstention, :math:`E` its own error and
    :math:`E_0` its error when it guesses every case it abstained on. Error is linear in
    :math:`\alpha` from :math:`(0, E_0)` to :math:`(A, E)` and on to :math:`(1, 0)`, hence the
    closed form. Without abstention, capacity equals efficacy.

    Parameters
    ----------
    y_true, y_set, partial, classes, sample_weight, empty
        As for :func:`coverage_score`.
    guess : {"uniform", "prior"} or array-like of shape (K,), default="uniform"
        How classes are guessed: all alike, as often as they occur among the truths, or with given
        probabilities.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2. The value printed in section 4 for threshold .625,
    .9448, does not follow from this definition, which gives .9653 (uniform) or .9657 (prior).

    Examples
    --------
    >>> y_true = ["a"] * 40 + ["b"] * 60
    >>> y_set = ["a"] * 37 + ["b"] * 3 + ["a"] * 3 + ["b"] * 48 + [None] * 9
    >>> round(capacity_score(y_true, y_set), 4)
    0.9653
    >>> round(capacity_score(y_true, y_set, guess="prior"), 4)
    0.9657
    """
    how: dict[str, Any] = {"guess": guess, "partial": partial}
    return _capacity.score(y_true, y_set, classes, sample_weight, empty, **how)


@MEASURES.define("determinacy", mean=True, section="sets")
def _determinacy(counts: SetCounts) -> Floats:
    return counts.mean(counts.determinate)


def determinacy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Share of predictions that name a single class, :math:`P(|\hat Y| = 1)`.

    An empty set (``empty="wrong"``) counts as a wrong single class. Zaffalon, Corani & Mauá (2012),
    section 7.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Examples
    --------
    >>> determinacy_score(["a", "b"], [["a"], ["a", "b"]])
    0.5
    """
    return _determinacy.score(y_true, y_set, classes, sample_weight, empty)


@MEASURES.define("single_accuracy", mean=True, section="sets")
def _single_accuracy(counts: SetCounts) -> Floats:
    return counts.mean(np.where(counts.determinate, counts.hit, np.nan))


def single_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Accuracy of the determinate predictions, :math:`P(y \in \hat Y \mid |\hat Y| = 1)`.

    Undefined where no prediction is determinate (Corani & Zaffalon 2008). An empty set
    (``empty="wrong"``) counts as a wrong single class.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Examples
    --------
    >>> single_accuracy_score(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    0.5
    """
    return _single_accuracy.score(y_true, y_set, classes, sample_weight, empty)


@MEASURES.define("set_accuracy", mean=True, section="sets")
def _set_accuracy(counts: SetCounts) -> Floats:
    return counts.mean(np.where(counts.size > 1, counts.hit, np.nan))


def set_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Share of indeterminate predictions that hold the truth.

    .. math:: P(y \in \hat Y \mid |\hat Y| > 1)

    Undefined where every prediction is determinate (Corani & Zaffalon 2008). Over all predictions:
    measure "containment".

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Examples
    --------
    >>> set_accuracy_score(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]])
    0.5
    """
    return _set_accuracy.score(y_true, y_set, classes, sample_weight, empty)


@MEASURES.define("containment", mean=True, section="sets")
def _containment(counts: SetCounts) -> Floats:
    """Share of all predictions that hold the truth; what conformal prediction calls coverage."""
    return counts.mean(counts.hit)


@MEASURES.define("mean_set_size", mean=True, greater_is_better=False, section="sets")
def _set_size(counts: SetCounts, *, over: str = "all") -> Floats:
    check_choice(over, "over", ("all", "indeterminate"))
    return counts.mean(np.where((over == "all") | (counts.size > 1), counts.size, np.nan))


MEASURES.vary(_set_size, "indeterminate_set_size", over="indeterminate")


def mean_set_size(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    over: str = "all",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean number of classes in a prediction (Zaffalon, Corani & Mauá 2012, section 7).

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    over : {"all", "indeterminate"}, default="all"
        Over all predictions, :math:`E|\hat Y|`, or over the indeterminate ones only,
        :math:`E(|\hat Y| \mid |\hat Y| > 1)`, which is undefined where every prediction is
        determinate. The latter is the measure "indeterminate_set_size", the "indeterminate output
        size" of Corani & Zaffalon (2008).

    Examples
    --------
    >>> y_true, y_set = ["a", "b", "c"], [["a"], ["a", "b"], ["a", "b", "c"]]
    >>> mean_set_size(y_true, y_set), mean_set_size(y_true, y_set, over="indeterminate")
    (2.0, 2.5)
    """
    return _set_size.score(y_true, y_set, classes, sample_weight, empty, over=over)


def _right(counts: SetCounts, partial: str) -> Floats:
    """Whether each answer is right; nan where there is none."""
    return np.where(counts.answered(partial), counts.hit, np.nan)


def _rate(event: Mask, among: Mask, over: str, among_name: str) -> Floats:
    """One value per cell whose mean is the rate of an event over all cases, or among some."""
    check_choice(over, "over", ("cases", among_name))
    return np.where((over == "cases") | among, event, np.nan)


@MEASURES.define("discounted_accuracy", mean=True, section="worth")
def _discounted_accuracy(counts: SetCounts) -> Floats:
    return counts.mean(counts.discounted)


def discounted_accuracy_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean discounted accuracy: a right set of k classes earns 1/k.

    .. math:: x = \frac{[y \in \hat Y]}{|\hat Y|}

    A vacuous classifier earns 1/K, as much as a random one; a utility tells them apart (Zaffalon,
    Corani & Mauá 2012, section 4).

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.

    Examples
    --------
    >>> discounted_accuracy_score(["a", "b"], [["a"], ["a", "b"]])
    0.75
    """
    return _discounted_accuracy.score(y_true, y_set, classes, sample_weight, empty)


@MEASURES.define("discounted_accuracy_variance", greater_is_better=False, section="worth")
def _variance(counts: SetCounts) -> Floats:
    r"""Variance of the discounted accuracy, :math:`E[x^2] - E[x]^2`.

    Among classifiers of equal mean, the one with the smaller variance is better under every
    strictly concave utility (Zaffalon, Corani & Mauá 2012, sections 6 and 7).
    """
    x = counts.discounted
    # Rounding may leave a tiny negative number where there is no variance at all.
    return np.maximum(counts.mean(x**2) - counts.mean(x) ** 2, 0)


@MEASURES.define("utility", mean=True)
def _utility(counts: SetCounts, *, utility: UtilityLike = "u65") -> Floats:
    return counts.mean(as_utility(utility)(counts.discounted))


for _name in ("u65", "u80", "F1"):
    MEASURES.vary(_utility, _name.lower(), section="worth", utility=_name)


def utility_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    utility: UtilityLike = "u65",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean utility of the discounted accuracy, :math:`E[u(x)]`.

    .. math:: u_{65}(x) = -0.6x^2 + 1.6x, \qquad u_{80}(x) = -1.2x^2 + 2.2x

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`.
    utility : str, Utility or callable, default="u65"
        What :func:`cautious.utility.as_utility` takes: "u65", "u80", "F1", "log", …, or any
        function of discounted accuracy.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), sections 5 and 9; the two quadratics are printed there under
    each other's names.

    Examples
    --------
    >>> y_true, y_set = ["a", "b"], [["a"], ["a", "b"]]
    >>> utility_score(y_true, y_set), utility_score(y_true, y_set, utility="u80")
    (0.825, 0.9)
    """
    return _utility.score(y_true, y_set, classes, sample_weight, empty, utility=utility)


@MEASURES.define("certainty_equivalent")
def _certainty_equivalent(counts: SetCounts, *, utility: UtilityLike = "u65") -> Floats:
    r"""Sure discounted accuracy that would be worth as much, :math:`u^{-1}(E[u(x)])`.

    It brings a mean utility back to the scale of accuracies (Zaffalon, Corani & Mauá 2012, section
    5). Where a utility reaches a value twice, as u80 does, it is the smaller accuracy.
    """
    u = as_utility(utility)
    return u.inverse(counts.mean(u(counts.discounted)))


MEASURES.vary(_certainty_equivalent, "certainty_equivalent_u65", section="worth", utility="u65")


@MEASURES.define("set_cost", mean=True, greater_is_better=False, needs=["sets"], section="worth")
def _set_cost(counts: SetCounts, *, costs: CostsLike, pos_label: Any = None) -> Floats:
    read = as_costs(costs, counts.classes.tolist(), pos_label=pos_label)
    return counts.mean(costs_of_cells(read, counts))


def set_cost_score(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    costs: CostsLike,
    pos_label: Any = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> float:
    r"""Mean cost of the predictions, :math:`E[c_{\hat Y}(y)]`.

    Parameters
    ----------
    y_true, y_set, classes, sample_weight, empty
        As for :func:`cautious_confusion_matrix`. An empty set that is "wrong" costs as much as the
        most expensive single class would.
    costs : dict, array-like, DataFrame, path or SetCosts
        What :func:`cautious.costs.as_costs` takes: the costs that a classifier was tuned with, of
        two classes or more, also per case; or costs of sets such as
        :func:`cautious.costs.p_discounted` makes.
    pos_label : label, optional
        The positive class, for a dict of two classes' costs; needed unless it is plain, as in 0/1
        or no/yes.

    References
    ----------
    Yang, Destercke & Masson (2017), section III.

    Examples
    --------
    >>> from cautious.costs import discounted, ordinal
    >>> costs = discounted(ordinal(3))
    >>> set_cost_score([0, 2, 1], [[0], [0, 2], [0, 1]], costs=costs)
    0.5
    >>> costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    >>> set_cost_score(["no", "yes", "yes"], ["yes", None, "no"], costs=costs).__round__(4)
    4.3333
    """
    if isinstance(y_true, SetCounts):
        counts = y_true
    else:
        # Costs may differ per case: cases are added up only if they do not.
        counts = SetCounts.of_cases(
            cases_of_sets(y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty)
        )
        costs = as_costs(costs, counts.classes.tolist(), pos_label=pos_label)
        counts = counts if costs.per_case else counts.merge()[0]
    return _set_cost.score(counts, costs=costs, pos_label=pos_label)
