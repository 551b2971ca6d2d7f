"""The confusion matrix of a classifier that may abstain, moved to every level of abstention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import class_shares
from cautious._labels import answer_index
from cautious._set_counts import SetCounts, unpack_sets
from cautious._typing import Floats, as_number
from cautious.errors import shown
from cautious.sets import set_names


def cautious_confusion_matrix(
    y_true: Sequence[Any] | npt.ArrayLike | SetCounts,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
    partial: str = "abstain",
    normalize: str | None = None,
    abstain: str | None = None,
    abstention: float | None = None,
    guess: str | npt.ArrayLike = "uniform",
) -> pd.DataFrame:
    r"""Count answers and abstentions against true classes.

    :math:`M(i, j)` is the number of cases of class :math:`j` answered with :math:`i`, where
    :math:`i` is a class or :math:`\bot`. Predictions are rows and truths columns, as in the paper
    and unlike scikit-learn's matrix; both axes are named.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels. :class:`SetCounts` in their place will do, with None for the sets.
    y_set : mask of shape (n, K), labels or label sets
        Prediction sets; anything :func:`cautious.sets.as_mask` takes: a boolean matrix with one
        column per class, labels (None abstains), or collections of labels.
    classes : sequence of length K, optional
        Class labels in column order; needed where `y_true` does not hold them all.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty prediction set means: a mistake in the data; an abstention; or an answer of no
        class, which misses the truth, as conformal prediction counts it. A "wrong" empty set has
        size 0 and is worth nothing; it counts as answered, determinate and wrong.
    partial : {"abstain", "answer"}, default="abstain"
        Whether a set of several but not all classes counts as an abstention, or has a row of its
        own.
    normalize : {"true", "pred", "all"}, optional
        Give shares instead of counts: of each true class (columns add up to 1), of each prediction
        (rows do), or of all cases. A class or prediction that does not occur has shares 0.
    abstain : str, optional
        What to call the last row; by default ⊥, or ⊥′ where a class is called so.
    abstention : float, optional
        Give the matrix to be expected of the classifier moved to this abstention :math:`\alpha`.
        With :math:`A` its own: for :math:`\alpha > A` each answer becomes :math:`\bot` with
        probability :math:`(\alpha - A)/(1 - A)`; for :math:`\alpha < A` each :math:`\bot` becomes a
        guessed class with probability :math:`(A - \alpha)/A`.
    guess : {"uniform", "prior"} or array-like of shape (K,), default="uniform"
        How classes are guessed then; see :func:`capacity_score`.

    Returns
    -------
    DataFrame
        One row per class, then one per partial set if asked for and one for the empty set ``{}``
        if it occurs, then the abstentions; one column per true class. Whole numbers unless weights,
        shares or another abstention were asked for.

    References
    ----------
    Ferri & Hernández-Orallo (2004), sections 2.1 and 2.2. Column a of the matrix printed there for
    :math:`\alpha = .06` has every guess of class a right; by the rule each of the three classes
    gets a ninth of the one case: 19.11, .11, .11.

    Examples
    --------
    >>> y_true = ["a", "a", "b", "c", "c"]
    >>> y_set = [["a"], ["a", "b"], ["b"], ["b"], ["a", "b", "c"]]
    >>> cautious_confusion_matrix(y_true, y_set)
    truth       a  b  c
    prediction
    a           1  0  0
    b           0  1  1
    c           0  0  0
    ⊥           1  0  1
    >>> cautious_confusion_matrix(y_true, y_set, partial="answer").loc["{a, b}"].tolist()
    [1, 0, 0]
    >>> cautious_confusion_matrix(y_true, y_set, abstention=0.7).round(2)
    truth         a    b    c
    prediction
    a           0.5  0.0  0.0
    b           0.0  0.5  0.5
    c           0.0  0.0  0.0
    ⊥           1.5  0.5  1.5
    """
    if abstention is not None:
        as_number(abstention, "abstention", 0, 1, words="a share of cases lies between 0 and 1")
    counts = SetCounts.from_predictions(
        y_true, y_set, classes=classes, sample_weight=sample_weight, empty=empty
    )
    k = counts.n_classes
    several = counts.answered(partial) & (counts.size > 1)
    if several.any() and not counts.knows_sets:
        raise ValueError(
            "partial='answer' needs to know the classes in each set, and these counts have "
            "forgotten them; count again without without_sets()."
        )
    sets, rank = np.unique(counts.set_index[several], return_inverse=True)
    nothing = counts.size == 0
    last = k + len(sets) + bool(nothing.any())
    row = np.where(counts.answer >= 0, counts.answer, last)
    row[several], row[nothing] = k + rank, last - 1
    cells = np.bincount(row * k + counts.truth, weights=counts.weight, minlength=(last + 1) * k)
    masks = np.zeros((last - k, k), dtype=np.bool_)
    masks[: len(sets)] = unpack_sets(counts.words[sets], k)
    names = [*counts.classes.tolist(), *set_names(masks, counts.classes, empty="wrong")]
    if abstain in names:
        raise ValueError(
            f"abstain is {shown(abstain)}, which names another row; choose another word."
        )
    table = pd.DataFrame(
        cells.reshape(-1, k).astype(np.float64),
        index=answer_index(names, abstain),
        columns=pd.Index(counts.classes, name="truth"),
    )
    if abstention is not None:
        own = float(counts.mean(~counts.answered(partial)))
        _move(table, own, abstention, guess_probabilities(guess, counts.by_truth()))
    if normalize is not None:
        totals = {
            "true": table.sum(axis=0).to_numpy()[None, :],
            "pred": table.sum(axis=1).to_numpy()[:, None],
            "all": np.full((1, 1), table.to_numpy().sum()),
        }
        if normalize not in totals:
            raise ValueError(
                f"normalize is {shown(normalize)}; choose 'true', 'pred', 'all' or None."
            )
        total = totals[normalize]
        return table.div(np.broadcast_to(np.where(total == 0, 1, total), table.shape))
    whole = sample_weight is None and counts is not y_true and abstention is None
    return table.astype(np.int64) if whole else table


def full_coverage_error(
    counts: SetCounts, guess: str | npt.ArrayLike = "uniform", partial: str = "abstain"
) -> Floats:
    """Error :math:`E_0` of a classifier that guesses every case it abstained on."""
    answered = counts.answered(partial)
    error = counts.mean(answered & ~counts.hit)
    abstained = counts.by_truth(~answered) / np.where(counts.n == 0, np.nan, counts.n)[..., None]
    missed = (abstained * (1 - guess_probabilities(guess, counts.by_truth()))).sum(axis=-1)
    return np.asarray(error + missed)


def _move(table: pd.DataFrame, own: float, abstention: float, guess: Floats) -> None:
    """Move the matrix of a classifier from its own abstention to another."""
    answers, abstained = table.iloc[:-1], table.iloc[-1]
    if abstention > own:
        withdrawn = (abstention - own) / (1 - own)
        table.iloc[-1] = abstained + withdrawn * answers.sum(axis=0)
        table.iloc[:-1] = (1 - withdrawn) * answers
    elif abstention < own:
        guessed = (own - abstention) / own
        table.iloc[: len(guess)] += np.outer(guess, guessed * abstained)
        table.iloc[-1] = (1 - guessed) * abstained


def guess_probabilities(guess: str | npt.ArrayLike, by_truth: Floats) -> Floats:
    """Probability of guessing each class."""
    n_classes = by_truth.shape[-1]
    if isinstance(guess, str):
        if guess == "uniform":
            return np.full(n_classes, 1 / n_classes)
        if guess == "prior":
            n = by_truth.sum(axis=-1, keepdims=True)
            return np.asarray(by_truth / np.where(n == 0, np.nan, n))
        raise ValueError(f"guess is {shown(guess)}; choose 'uniform', 'prior', or probabilities.")
    return class_shares(guess, "guess", n_classes)
