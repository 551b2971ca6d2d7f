"""Which column of a table of predictions holds what, and what columns of sets say.

Checks take `place`, a function from a row to words that say where it is, as in
``lambda row: f"column 'y_set', row {row}"``; :mod:`cautious.logs` calls them for one record batch
at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from cautious._checks import first_row
from cautious._input_limits import CLASSES, COLUMNS, LABEL
from cautious._labels import label_text, match_labels
from cautious._messages import WORDS, hint, note, refusal
from cautious._typing import Ints, Mask
from cautious.errors import InputError, Message, listed, quoted
from cautious.predictions._cells import Encoded, Place, such_cells
from cautious.sets import parse_set
from cautious.sets._written import WrittenSet


@dataclass(frozen=True)
class Columns:
    """Names of the columns that hold the truth, the predictions, and what else there is.

    Attributes
    ----------
    truth : str or None
        Column of true labels; None where there is none.
    scores : tuple of str
        Columns of scores that grow with the belief in one class, one per model.
    proba : dict
        Column of the probability of each class, ``p_<class>``.
    members : dict
        Column that says of each class whether it is in the prediction set, ``set_<class>``.
    sets : str or None
        Column of prediction sets written as ``a|b``.
    model, weight, groups, case : str or None
        Columns of the model's name, of the weight of a row, of the group that it belongs to, and of
        what tells the cases apart.
    costs : dict
        Column of each cost per case: ``false_negative``, ``false_positive``, ``abstain``.
    guessed_weight : bool
        Whether the name of the column of weights is all that says so.
    """

    truth: str | None
    scores: tuple[str, ...] = ()
    proba: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    sets: str | None = None
    model: str | None = None
    weight: str | None = None
    groups: str | None = None
    case: str | None = None
    costs: dict[str, str] = field(default_factory=dict)
    guessed_weight: bool = field(default=False, compare=False)

    def names(self) -> list[str]:
        """All the columns, each once."""
        single = (self.truth, self.sets, self.model, self.weight, self.groups, self.case)
        several = (
            *self.scores, *self.proba.values(), *self.members.values(), *self.costs.values()
        )  # fmt: skip
        return list(dict.fromkeys(name for name in (*single, *several) if name is not None))


def check_names(names: Sequence[Any]) -> list[Any]:
    """Refuse more columns than are read, names that are too long, and a name given twice."""
    if len(names) > COLUMNS:
        raise refusal("many columns", count=f"{len(names):,}", most=f"{COLUMNS:,}")
    texts = [str(name) for name in names]
    for name in texts:
        if len(name) > LABEL:
            raise refusal("long name", name=quoted(name), most=f"{LABEL:,}", heading=texts)
    twice = pd.Index(texts, dtype=object).duplicated()
    if twice.any():
        raise refusal("two columns", name=quoted(names[first_row(twice)]))
    return list(names)


def check_class_count(classes: Sequence[Any]) -> None:
    """Refuse more classes than are read."""
    if len(classes) > CLASSES:
        raise refusal("too many classes", count=f"{len(classes):,}", most=f"{CLASSES:,}")


def guess_columns(
    names: Sequence[Any],
    *,
    truth: str | bool | None = None,
    score: str | Sequence[str] | None = None,
    proba: str | Sequence[str] | Mapping[Any, str] | None = None,
    sets: str | Sequence[str] | Mapping[Any, str] | None = None,
    model: str | bool | None = None,
    weight: str | bool | None = None,
    groups: str | bool | None = None,
    case: str | None = None,
    cost_columns: Mapping[str, str] | None = None,
) -> Columns:
    """Settle what the columns of a table of predictions hold; what is not said is guessed."""
    known = {str(name).strip().lower(): name for name in reversed(list(names))}

    def first(role: str, taken: Collection[Any] = ()) -> Any:
        found = (known[word] for word in WORDS[role] if word in known)
        return next((name for name in found if name not in taken), None)

    def one(role: str, given: str | bool | None, taken: Collection[Any] = ()) -> Any:
        if given is None:
            return first(role, taken)
        return None if given is False else _there(names, role, given)

    truths = one("truth", truth)
    if truths is None and truth is not False:
        raise refusal(
            "no truth column",
            columns=listed(names, 20),
            first=quoted(WORDS["truth"][0]),
            others=", ".join(WORDS["truth"][1:]),
            heading=names,
        )
    # What is named for one thing is not guessed to be another: a score called weight is no weight.
    several = (one for one in (score, proba, sets) if one is not None)
    taken = {truth, model, weight, groups, case, *(cost_columns or {}).values()}
    taken.update(*([one] if isinstance(one, str) else _columns_in(one) for one in several))
    rest: dict[str, Any] = {
        "model": one("model", model, taken),
        "weight": (found := one("weight", weight, taken)),
        "guessed_weight": weight is None and found is not None,
        "groups": one("groups", groups, taken),
        "case": None if case is None else _there(names, "case", case),
        "costs": {
            key: _there(names, "cost_columns", name) for key, name in (cost_columns or {}).items()
        },
    }
    if score is not None and proba is not None:
        raise refusal("score and proba")
    if score is None and proba is None and sets is None:
        return Columns(truths, **_guessed(names, first), **rest)
    asked = score if isinstance(score, list | tuple) else [] if score is None else [score]
    scores = tuple(_all_there(names, "score", asked))
    if isinstance(sets, str) and sets in names:
        written, members = sets, {}
    else:
        written, members = None, _by_class(names, "sets", sets)
    return Columns(truths, scores, _by_class(names, "proba", proba), members, written, **rest)


def _columns_in(given: Any) -> Iterable[Any]:
    """Columns in a sequence of them, or in a mapping from classes to them."""
    return given.values() if isinstance(given, Mapping) else given


def _guessed(names: Sequence[Any], first: Any) -> dict[str, Any]:
    """Guess the columns of predictions."""
    proba, members = (
        prefixed(names, WORDS["class_prefixes"]),
        prefixed(names, WORDS["member_prefixes"]),
    )
    sets = None if members else first("sets")
    scores = tuple(prefixed(names, WORDS["score_prefixes"]).values())
    if (usual := first("score")) is not None:
        scores = (usual,)
    if not (scores or proba or members or sets is not None):
        lowered = {str(name).strip().lower() for name in names}
        # Beside answers, a confidence is in those, and no score of the positive class.
        answers = [name for name in names if str(name).strip().lower() in WORDS["answers"]]
        other = first("other_score")
        if other is None and not answers and "confidence" in lowered:
            other = next(name for name in names if str(name).strip().lower() == "confidence")
        if other is None:
            hints = (
                [hint("single answers", name=answers[0], shown=quoted(answers[0]))]
                if answers
                else []
            )
            raise refusal(
                "no predictions column", columns=listed(names, 20), heading=names, hints=hints
            )
        scores = (other,)
    return {"scores": () if proba else scores, "proba": proba, "members": members, "sets": sets}


def _there(names: Sequence[Any], argument: str, name: Any) -> Any:
    """Check that a column is there."""
    if name in names:
        return name
    texts = [str(one) for one in names]
    if str(name) in texts:
        return names[texts.index(str(name))]
    raise refusal(
        "no such column",
        argument=argument,
        name=quoted(name),
        columns=listed(names, 20),
        near=(name, names),
    )


def _all_there(names: Sequence[Any], argument: str, given: Iterable[Any]) -> list[Any]:
    """Check that columns are there; there may be thousands, so most are looked up."""
    known = set(names)
    return [
        name if isinstance(name, str) and name in known else _there(names, argument, name)
        for name in given
    ]


def _by_class(names: Sequence[Any], argument: str, given: Any) -> dict[str, str]:
    """Columns of classes, from a mapping, from names such as ``p_<class>``, or from a prefix."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        there = _all_there(names, argument, given.values())
        return dict(zip(map(str, given), there, strict=True))
    if isinstance(given, str):
        if not (found := prefixed(names, (given.lower(),))):
            raise refusal(
                "no such columns", argument=argument, name=quoted(given), columns=listed(names, 20)
            )
        return found
    every = (*WORDS["class_prefixes"], *WORDS["member_prefixes"])
    columns = _all_there(names, argument, given)
    return {next(iter(prefixed([name], every)), str(name)): name for name in columns}


def described(columns: Columns, names: Sequence[Any], place: str = "") -> Message:
    """Say which columns were taken for what, and which were left out."""
    several = {
        "score": list(columns.scores),
        "probabilities": list(columns.proba.values()),
        "set": [columns.sets] if columns.sets is not None else list(columns.members.values()),
        "costs": list(columns.costs.values()),
    }
    single = {
        "truth": columns.truth,
        "model": columns.model,
        "weight": columns.weight,
        "group": columns.groups,
        "case": columns.case,
    }
    parts = [f"{what} {quoted(name)}" for what, name in single.items() if name is not None]
    parts += [f"{what} {_some(found)}" for what, found in several.items() if found]
    used = set(columns.names())
    ignored = [name for name in names if name not in used]
    left = f"; ignored {_some(ignored)}" if ignored else ""
    return note("columns", place=place, taken=", ".join(parts), positive="", ignored=left)


def _some(names: Sequence[Any]) -> str:
    shown = ", ".join(quoted(name) for name in names[:4])
    return shown + (f", … {len(names)} in all" if len(names) > 4 else "")


def prefixed(names: Sequence[Any], prefixes: Sequence[str]) -> dict[str, Any]:
    """Columns called ``<prefix><class>``, by class."""
    found: dict[str, Any] = {}
    for name in names:
        text = str(name)
        for prefix in prefixes:
            if text.lower().startswith(prefix) and len(text) > len(prefix):
                found[text[len(prefix) :]] = name
                break
    return found


def memberships(column: Encoded, place: Place) -> Mask:
    """Read a column that says whether a class is in the set."""
    words = [label_text(value).strip().lower() for value in column.values]
    yes = np.array([word in WORDS["yes"] for word in words] + [False])
    no = np.array([word in WORDS["no"] for word in words] + [False])
    bad = ~(yes | no)[column.codes]
    if bad.any():
        row = first_row(bad)
        code = int(column.codes[row])
        value = "" if code < 0 else column.values[code]
        raise refusal("membership", place=place(row), value=quoted(value))
    return np.asarray(yes[column.codes])


def parse_sets(column: Encoded, known: Collection[str], place: Place) -> list[WrittenSet]:
    """Parse the distinct written sets of a column; the last one is that of missing cells."""
    found = []
    for at, value in enumerate(column.values):
        try:
            found.append(parse_set(value, known))
        except InputError as error:
            raise error.at(place(first_row(column.codes == at))) from None
    return [*found, WrittenSet(())]


def odd_sets(sets: Sequence[WrittenSet]) -> dict[str, Mask]:
    """Tell which written sets are worth a note, by its name."""
    return {
        "repeated label": np.array([one.repeated for one in sets]),
        "abstaining": np.array([one.labels is None for one in sets]),
    }


def set_mask(
    column: Encoded, sets: Sequence[WrittenSet], classes: Sequence[Any], place: Place, empty: str
) -> Mask:
    """Turn written sets into a mask."""
    members = list(dict.fromkeys(one for row in sets for one in row.labels or ()))
    position = dict(zip(members, match_labels(members, classes), strict=True))
    mask = np.zeros((len(sets), len(classes)), dtype=np.bool_)
    for at, row in enumerate(sets):
        if row.labels is None:
            mask[at] = True
            continue
        for one in row.labels:
            if position[one] < 0:
                raise refusal(
                    "set unknown class",
                    place=place(first_row(column.codes == at)),
                    label=quoted(one),
                    classes=listed(classes),
                    near=(one, classes),
                )
            mask[at, position[one]] = True
    return check_empty(mask, column.codes, place, empty)


def check_empty(mask: Mask, codes: Ints, place: Place, empty: str) -> Mask:
    """Refuse empty sets, or make of them what they are said to mean."""
    hollow = np.asarray(~mask.any(axis=1))
    there = hollow[codes]
    if empty == "error" and there.any():
        raise refusal(
            "empty set", place=place(first_row(there)), cells=such_cells(int(there.sum()))
        )
    return mask | hollow[:, None] if empty == "abstain" else mask
