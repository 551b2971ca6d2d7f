"""Predictions as everybody takes them: one object per model, in one mapping, on the same cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from cautious._cases import Cases
from cautious._checks import first_row
from cautious._labels import match_labels
from cautious._messages import refusal
from cautious.errors import Message, check_kind, listed, quoted, shown


class Predictions(Mapping[str, Cases]):
    """Predictions of one or more models, by name.

    Attributes of a model can be asked of the whole where there is exactly one.

    Parameters
    ----------
    models : iterable of Cases
        In order; each with a name of its own.
    notes : sequence of Message
        What was guessed or looks odd, beside the notes of the models.

    Examples
    --------
    >>> from cautious.predictions import read_predictions
    >>> read_predictions({"mine": ([0, 1], [0.2, 0.9])})
    <Predictions of 1 model, classes '0', '1': 'mine' (2 cases, y_score)>
    """

    def __init__(self, models: Iterable[Cases], notes: Sequence[Message] = ()) -> None:
        found: dict[str, Cases] = {}
        for one in models:
            check_kind(one, Cases, "models", "Cases")
            if one.name in found:
                raise refusal("two models", name=quoted(one.name, 60))
            found[one.name] = one
        if not found:
            raise refusal("no models")
        self._models = MappingProxyType(found)
        self._notes = tuple(notes)

    def __getitem__(self, name: str) -> Cases:
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    @property
    def only(self) -> Cases:
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
        if name.startswith("_") or name not in Cases.__dataclass_fields__ | _OTHERS:
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


def _like(first: Cases, other: Cases) -> Cases:
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


def _by_case(first: Cases, other: Cases, names: dict[str, Any]) -> Cases:
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
