"""Capacity: a classifier's error as it is moved to every level of abstention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, as_floats
from cautious.metrics.confusion import confusion_of_counts
from cautious.metrics.counts import SetCounts
from cautious.metrics.declaring import define_measure, with_params

__all__ = [
    "capacity_score",
    "full_coverage_error",
    "guess_probabilities",
    "q_matrix",
    "q_matrix_of_counts",
]


@define_measure("capacity", section="answers")
def capacity_score(
    counts: SetCounts, *, guess: str | npt.ArrayLike = "uniform", partial: str = "abstain"
) -> npt.ArrayLike:
    r"""Area above the error of the classifier moved to every level of abstention.

    .. math:: \mathrm{Capacity} = 1 - \int_0^1 \mathrm{Error}(Q_\alpha)\, d\alpha
              = 1 - \frac{A\,E_0 + E}{2}

    where :math:`Q_\alpha` is the classifier moved to abstention :math:`\alpha` (see
    :func:`q_matrix`), :math:`A` its own abstention, :math:`E` its own error and :math:`E_0` its
    error when it guesses every case it abstained on. Error is linear in :math:`\alpha` from
    :math:`(0, E_0)` to :math:`(A, E)` and on to :math:`(1, 0)`, hence the closed form. Without
    abstention, capacity equals efficacy.

    Parameters
    ----------
    guess : {"uniform", "prior"} or array-like of shape (K,), default="uniform"
        How classes are guessed: all alike, as often as they occur among the truths, or with given
        probabilities.

    See Also
    --------
    q_matrix : the matrices behind it.

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
    answered = counts.answered(partial)
    abstention, error = counts.mean(~answered), counts.mean(answered & ~counts.hit)
    return 1 - (abstention * full_coverage_error(counts, guess, partial) + error) / 2


with_params(capacity_score, "capacity_prior", guess="prior")


def full_coverage_error(
    counts: SetCounts, guess: str | npt.ArrayLike = "uniform", partial: str = "abstain"
) -> Floats:
    r"""Error :math:`E_0` of a classifier that guesses every case it abstained on.

    Parameters
    ----------
    counts : SetCounts
        Counts of predictions.
    guess, partial
        As for :func:`capacity_score`.

    Returns
    -------
    ndarray
        One number a row of the weights.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2.

    Examples
    --------
    >>> from cautious.metrics import counts_of_confusion
    >>> example_1 = counts_of_confusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> print(f'{full_coverage_error(example_1):.4f} {full_coverage_error(example_1, "prior"):.4f}')
    0.1000 0.0936
    """
    answered = counts.answered(partial)
    error = counts.mean(answered & ~counts.hit)
    abstained = counts.by_truth(~answered) / np.where(counts.n == 0, np.nan, counts.n)[..., None]
    missed = (abstained * (1 - guess_probabilities(guess, counts.by_truth()))).sum(axis=-1)
    return np.asarray(error + missed)


def q_matrix(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    alpha: float,
    *,
    guess: str | npt.ArrayLike = "uniform",
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    partial: str = "abstain",
) -> pd.DataFrame:
    r"""Move a classifier to abstention :math:`\alpha` and give its expected confusion matrix.

    With :math:`A` the classifier's abstention: for :math:`\alpha > A` each answer becomes
    :math:`\bot` with probability :math:`(\alpha - A)/(1 - A)`; for :math:`\alpha < A` each
    :math:`\bot` becomes a guessed class with probability :math:`(A - \alpha)/A`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_set : mask of shape (n, K), labels or label sets
        Prediction sets; anything :func:`cautious.sets.as_mask` takes.
    alpha : float
        The abstention to move to, between 0 and 1.
    guess : {"uniform", "prior"} or array-like of shape (K,), default="uniform"
        How classes are guessed: all alike, as often as they occur among the truths, or with given
        probabilities.
    classes : sequence of length K, optional
        Class labels in column order; needed where `y_true` does not hold them all.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty prediction set means; see :func:`cautious.sets.check_mask`.
    partial : {"abstain", "answer"}, default="abstain"
        What a set of several but not all classes counts as.

    Returns
    -------
    DataFrame
        Real numbers; predictions as rows, the last of them ⊥, truths as columns.

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 2.2. Column a of the matrix printed there for
    :math:`\alpha = .06` has every guess of class a right; by the rule each of the three classes
    gets a ninth of the one case: 19.11, .11, .11.

    Examples
    --------
    >>> q_matrix(["a", "a", "b", "b"], ["a", "b", "b", None], alpha=0.5).round(2)
    truth          a     b
    prediction
    a           0.67  0.00
    b           0.67  0.67
    ⊥           0.67  1.33
    """
    counts = SetCounts.from_predictions(
        y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty
    )
    return q_matrix_of_counts(counts, alpha, guess=guess, partial=partial)


def q_matrix_of_counts(
    counts: SetCounts,
    alpha: float,
    *,
    guess: str | npt.ArrayLike = "uniform",
    partial: str = "abstain",
) -> pd.DataFrame:
    """Move counts to abstention `alpha`; see :func:`q_matrix`.

    Examples
    --------
    >>> from cautious.metrics import counts_of_confusion
    >>> example_1 = counts_of_confusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> q_matrix_of_counts(example_1, 0.25).round(2).loc["⊥"].tolist()
    [4.34, 7.63, 13.03]
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha is {alpha}; an abstention lies between 0 and 1.")
    table = confusion_of_counts(counts, partial=partial)
    own = float(counts.mean(~counts.answered(partial)))
    answers, abstained = table.iloc[:-1], table.iloc[-1]
    if alpha > own:
        silenced = (alpha - own) / (1 - own)
        table.iloc[-1] = abstained + silenced * answers.sum(axis=0)
        table.iloc[:-1] = (1 - silenced) * answers
    elif alpha < own:
        spoken = (own - alpha) / own
        probabilities = np.broadcast_to(
            guess_probabilities(guess, counts.by_truth()), counts.n_classes
        )
        guesses = np.outer(probabilities, spoken * abstained)
        table.iloc[: counts.n_classes] += guesses
        table.iloc[-1] = (1 - spoken) * abstained
    return table


def guess_probabilities(guess: str | npt.ArrayLike, by_truth: Floats) -> Floats:
    """Probability of guessing each class.

    Parameters
    ----------
    guess : {"uniform", "prior"} or array-like of shape (K,)
        All alike, as often as they occur among the truths, or with given probabilities.
    by_truth : ndarray of shape (..., K)
        How often each class occurs.

    Returns
    -------
    ndarray of shape (K,) or (..., K)

    Examples
    --------
    >>> guess_probabilities("prior", np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    n_classes = by_truth.shape[-1]
    if isinstance(guess, str):
        if guess == "uniform":
            return np.full(n_classes, 1 / n_classes)
        if guess == "prior":
            n = by_truth.sum(axis=-1, keepdims=True)
            return np.asarray(by_truth / np.where(n == 0, np.nan, n))
        raise ValueError(f"guess is {guess!r}; choose 'uniform', 'prior', or probabilities.")
    probabilities = as_floats(guess, "guess", "probabilities")
    if probabilities.shape != (n_classes,):
        raise ValueError(
            f"guess has shape {probabilities.shape}; expected ({n_classes},), one probability "
            "a class."
        )
    if not ((probabilities >= 0).all() and abs(probabilities.sum() - 1) <= 1e-6):
        raise ValueError(
            f"guess is {probabilities.tolist()}; its numbers must not be negative and "
            "must add up to 1."
        )
    return np.asarray(probabilities / probabilities.sum())
