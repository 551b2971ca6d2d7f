"""Which column of a table of predictions holds what: guessed from its name, as a person would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Columns", "guess_columns"]

TRUTH = ("y_true", "truth", "true", "label", "target", "actual", "class", "y")
SCORE = ("y_score", "score", "p", "proba", "probability", "prob", "margin", "decision")
SETS = ("y_set", "set", "prediction_set")
MODEL = ("model", "classifier", "estimator")
WEIGHT = ("sample_weight", "weight")
GROUP = ("group",)
CLASS_PREFIXES = ("p_", "proba_", "prob_")
MEMBER_PREFIXES = ("set_", "in_")


@dataclass(frozen=True)
class Columns:
    """Names of the columns that hold the truth, the predictions, and what else there is.

    Attributes
    ----------
    truth : str
        Column of true labels.
    score : str or None
        Column of scores that grow with the belief in one class.
    proba : dict
        Column of the probability of each class, ``p_<class>``.
    members : dict
        Column that says of each class whether it is in the prediction set, ``set_<class>``.
    sets : str or None
        Column of prediction sets written as ``a|b``; empty means abstaining.
    model, weight, group : str or None
        Columns of the model's name, of the weight of a row, and of the group it belongs to.
    """

    truth: str
    score: str | None = None
    proba: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    sets: str | None = None
    model: str | None = None
    weight: str | None = None
    group: str | None = None

    def names(self) -> list[str]:
        """All the columns, each once."""
        single = (self.truth, self.score, self.sets, self.model, self.weight, self.group)
        several = (*self.proba.values(), *self.members.values())
        return list(dict.fromkeys(name for name in (*single, *several) if name is not None))


def guess_columns(names: Sequence[Any], *, truth: str | None = None) -> Columns:
    """Guess what the columns of a table of predictions hold.

    Parameters
    ----------
    names : sequence
        Column names; case does not matter.
    truth : str, optional
        The column of true labels, where its name does not say so.

    Returns
    -------
    Columns

    Raises
    ------
    ValueError
        If there is no truth column, or neither scores nor sets.

    Examples
    --------
    >>> columns = guess_columns(["id", "Label", "score", "weight"])
    >>> columns.truth, columns.score, columns.weight
    ('Label', 'score', 'weight')
    >>> guess_columns(["y_true", "p_cat", "p_dog"]).proba
    {'cat': 'p_cat', 'dog': 'p_dog'}
    """
    known = {str(name).strip().lower(): name for name in reversed(list(names))}

    def first(wanted: Sequence[str]) -> Any:
        return next((known[name] for name in wanted if name in known), None)

    truth = first(TRUTH) if truth is None else truth
    score, sets = first(SCORE), first(SETS)
    proba, members = prefixed(names, CLASS_PREFIXES), prefixed(names, MEMBER_PREFIXES)
    if truth is None:
        raise ValueError(
            f"no column holds the truth; the columns are {listed(names)}. Name one of them "
            f"{TRUTH[0]!r} (or {', '.join(TRUTH[1:])}), or say which with truth=."
        )
    if score is None and sets is None and not proba and not members:
        raise ValueError(
            f"no column holds predictions; the columns are {listed(names)}. Give a {SCORE[1]!r} "
            "column, one 'p_<class>' column a class, or a 'y_set' column of sets written 'a|b'."
        )
    return Columns(
        truth,
        None if proba else score,
        proba,
        members,
        None if members else sets,
        first(MODEL),
        first(WEIGHT),
        first(GROUP),
    )


def listed(names: Sequence[Any]) -> str:
    """Column names for an error message, not too many of them."""
    shown = ", ".join(repr(str(name)) for name in list(names)[:20])
    return shown + (f", … {len(names)} in all" if len(names) > 20 else "")


def prefixed(names: Sequence[Any], prefixes: Sequence[str]) -> dict[str, str]:
    """Columns called ``<prefix><class>``, by class."""
    found: dict[str, str] = {}
    for name in names:
        text = str(name)
        for prefix in prefixes:
            if text.lower().startswith(prefix) and len(text) > len(prefix):
                found[text[len(prefix) :]] = name
                break
    return found
