"""Predictions as everybody takes them: one object per model, in one mapping, on the same cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from cautious._checks import first_row
from cautious._labels import match_labels
from cautious._messages import refusal
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.errors import Message, check_kind, listed, quoted, shown

__all__ = ["ModelPredictions", "Predictions", "align"]

_ROWS = ("codes", "y_score", "y_proba", "y_set", "sample_weight", "groups", "case")


@dataclass(frozen=True, repr=False, eq=False)
class ModelPredictions:
    """One model's predictions, read and checked.

    Attributes
    ----------
    name : str
        The model.
    classes : tuple
        Class labels in column order; of two classes with scores, (negative, positive).
    codes : ndarray of shape (n,), int, or None
        True class of each case as a position in ``classes``; None where the truth is not known.
    y_score : ndarray of shape (n,), optional
        Scores that grow with the belief in the positive class; nan where one is missing.
    y_proba : ndarray of shape (n, K), optional
        Class probabilities; a row of nan where one is missing.
    y_set : ndarray of shape (n, K), bool, optional
        Prediction sets; they are the answers, also beside scores. A row is empty only if ``empty``
        is "wrong".
    pos_label : label or None
        The positive class, where there are scores of two classes; of sets, if it is said or plain.
    sample_weight : ndarray of shape (n,), optional
        How often each case counts.
    groups, case : ndarray of shape (n,), optional
        The group that each case belongs to, and what tells the cases apart.
    costs : mapping of str to ndarray of shape (n,), optional
        Costs of each case, as :func:`cautious.costs.as_costs` names them.
    empty : {"error", "abstain", "wrong"}
        What an empty set was said to mean; measures take it as ``empty=``.
    notes : tuple of Message
        What was guessed or looks odd.

    Examples
    --------
    >>> from cautious.predictions import read_predictions
    >>> one = read_predictions({"mine": (["no", "yes"], [0.2, 0.9])})["mine"]
    >>> one.n, one.classes, one.pos_label, one.y_true.tolist()
    (2, ('no', 'yes'), 'yes', ['no', 'yes'])
    """

    name: str
    classes: tuple[Any, ...]
    codes: Ints | None = None
    y_score: Floats | None = None
    y_proba: Floats | None = None
    y_set: Mask | None = None
    pos_label: Any = None
    sample_weight: Floats | None = None
    groups: Labels | None = None
    case: Labels | None = None
    costs: Mapping[str, Floats] | None = None
    empty: str = "error"
    notes: tuple[Message, ...] = field(default=())

    @property
    def n(self) -> int:
        """Number of cases."""
        arrays = (getattr(self, key) for key in _ROWS)
        return next(len(array) for array in arrays if array is not None)

    @property
    def labels(self) -> Labels:
        """The classes as an array, of one kind of label if they are of one kind."""
        from cautious._checks import check_classes

        return check_classes(list(self.classes))

    @property
    def y_true(self) -> Labels:
        """True labels; an error where they are not known."""
        if self.codes is None:
            raise refusal("no truths")
        return self.labels[self.codes]

    @property
    def missing(self) -> Mask:
        """Rows whose score or probabilities are missing; they abstain."""
        if self.y_score is not None:
            return np.asarray(np.isnan(self.y_score))
        if self.y_proba is not None:
            return np.asarray(np.isnan(self.y_proba).any(axis=1))
        return np.zeros(self.n, dtype=np.bool_)

    def take(self, rows: Ints | Mask, name: str | None = None) -> ModelPredictions:
        """Take some rows, by position or by mask.

        Examples
        --------
        >>> from cautious.predictions import read_predictions
        >>> one = read_predictions({"mine": (["no", "yes"], [0.2, 0.9])})["mine"]
        >>> one.take([1]).y_true.tolist()
        ['yes']
        """
        kept = {key: getattr(self, key) for key in _ROWS}
        cut: dict[str, Any] = {key: a[rows] for key, a in kept.items() if a is not None}
        if self.costs is not None:
            cut["costs"] = {key: cost[rows] for key, cost in self.costs.items()}
        return replace(self, name=self.name if name is None else name, **cut)

    def of_group(self, group: Any) -> ModelPredictions:
        """Take the rows of a group.

        Examples
        --------
        >>> import pandas as pd
        >>> from cautious.predictions import read_predictions
        >>> frame = pd.DataFrame({"y_true": [0, 1, 1], "score": [0.1, 0.4, 0.9], "group": [*"abb"]})
        >>> read_predictions(frame)["predictions"].of_group("b").n
        2
        """
        if self.groups is None:
            raise refusal("no groups")
        return self.take(np.asarray(self.groups == group))

    @property
    def _kinds(self) -> list[str]:
        kinds = ("y_score", "y_proba", "y_set")
        return [key for key in kinds if getattr(self, key) is not None]

    def __repr__(self) -> str:
        return (
            f"<ModelPredictions {quoted(self.name, 60)}: {self.n:,} cases, classes "
            f"{listed(self.classes, 6)}, {', '.join(self._kinds)}>"
        )


class Predictions(Mapping[str, ModelPredictions]):
    """Predictions of one or more models, by name.

    Attributes of a model can be asked of the whole where there is exactly one.

    Parameters
    ----------
    models : iterable of ModelPredictions
        In order; each with a name of its own.
    notes : sequence of Message
        What was guessed or looks odd, beside the notes of the models.

    Examples
    --------
    >>> from cautious.predictions import read_predictions
    >>> read_predictions({"mine": ([0, 1], [0.2, 0.9])})
    <Predictions of 1 model, classes '0', '1': 'mine' (2 cases, y_score)>
    """

    def __init__(self, models: Iterable[ModelPredictions], notes: Sequence[Message] = ()) -> None:
        found: dict[str, ModelPredictions] = {}
        for one in models:
            check_kind(one, ModelPredictions, "models", "ModelPredictions")
            if one.name in found:
                raise refusal("two models", name=quoted(one.name, 60))
            found[one.name] = one
        if not found:
            raise refusal("no models")
        self._models = MappingProxyType(found)
        self._notes = tuple(notes)

    def __getitem__(self, name: str) -> ModelPredictions:
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    @property
    def only(self) -> ModelPredictions:
        """The model, where there is exactly one."""
        if len(self) > 1:
            raise refusal("several models", names=listed(self, 6))
        return next(iter(self._models.values()))

    @property
    def classes(self) -> tuple[Any, ...]:
        """Class labels, where all models have the same."""
        first, *others = (one.classes for one in self.values())
        for one, other in zip(list(self)[1:], others, strict=True):
            if other != first:
                names: dict[str, Any] = {"one": quoted(next(iter(self))), "other": quoted(one)}
                shown: dict[str, Any] = {"first": listed(first, 6), "second": listed(other, 6)}
                raise refusal("other classes", **names, **shown)
        return first

    @property
    def notes(self) -> tuple[Message, ...]:
        """What was guessed or looks odd, each said once."""
        every = [*self._notes, *(note for one in self.values() for note in one.notes)]
        return tuple({str(note): note for note in every}.values())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in ModelPredictions.__dataclass_fields__ | _OTHERS:
            raise AttributeError(f"Predictions has no attribute {shown(name)}")
        return getattr(self.only, name)

    def __repr__(self) -> str:
        parts = []
        for one in list(self.values())[:4]:
            kinds = [
                key for key in ("y_score", "y_proba", "y_set") if getattr(one, key) is not None
            ]
            parts.append(f"{quoted(one.name)} ({one.n:,} cases, {', '.join(kinds)})")
        more = ", …" if len(self) > 4 else ""
        classes = listed(next(iter(self.values())).classes, 6)
        models = "1 model" if len(self) == 1 else f"{len(self)} models"
        return f"<Predictions of {models}, classes {classes}: {', '.join(parts)}{more}>"


_OTHERS = dict.fromkeys(("n", "labels", "y_true", "missing", "take", "of_group"))


def align(predictions: Predictions) -> Predictions:
    """Put the rows of several models in one order, and make sure they are about the same cases."""
    first, *others = predictions.values()
    if not others:
        raise refusal("one model", name=quoted(first.name, 60))
    return Predictions([first, *(_like(first, other) for other in others)], predictions.notes)


def _like(first: ModelPredictions, other: ModelPredictions) -> ModelPredictions:
    """Put the rows of a model in the order of the first one's cases."""
    names: dict[str, Any] = {"one": quoted(first.name, 60), "other": quoted(other.name, 60)}
    if first.case is not None and other.case is not None:
        other = _by_case(first, other, names)
    if other.n != first.n:
        raise refusal("other rows", **names, first=f"{first.n:,}", second=f"{other.n:,}")
    same = match_labels(other.classes, first.classes) == list(range(len(first.classes)))
    if not same or len(other.classes) != len(first.classes):
        shown: dict[str, Any] = {
            "first": listed(first.classes, 6),
            "second": listed(other.classes, 6),
        }
        raise refusal("other classes", **names, **shown)
    if first.codes is not None and other.codes is not None:
        differs = other.codes != first.codes
        if differs.any():
            row = first_row(differs)
            mine, yours = first.classes[first.codes[row]], other.classes[other.codes[row]]
            raise refusal("other truth", **names, row=row, first=quoted(mine), second=quoted(yours))
    return other


def _by_case(
    first: ModelPredictions, other: ModelPredictions, names: dict[str, Any]
) -> ModelPredictions:
    wanted, there = pd.Index(first.case), pd.Index(other.case)  # type: ignore[arg-type]
    for name, cases in ((names["one"], wanted), (names["other"], there)):
        twice = cases.duplicated()
        if twice.any():
            raise refusal("case twice", one=name, case=quoted(cases[first_row(twice)]))
    rows = there.get_indexer(wanted)
    if (rows < 0).any() or len(rows) != len(there):
        odd = wanted.symmetric_difference(there).tolist()
        raise refusal("other cases", **names, count=f"{len(odd):,}", case=quoted(odd[0]))
    return other.take(rows)
