"""Which column of a table of predictions holds what, and what columns of sets say.

Checks take `place`, a function from a row to words that say where it is, as in
``lambda row: f"column 'y_set', row {row}"``; :mod:`cautious.logs` calls them for one record batch
at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cautious._checks import first_row
from cautious._input_limits import COLUMNS, LABEL
from cautious._labels import GRADES, label_text
from cautious._messages import WORDS, hint, note, refusal
from cautious._typing import Ints, Mask
from cautious.errors import Message, listed, quoted
from cautious.predictions._cells import Encoded, Place


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
    graded : bool
        Whether the truths are grades of answers, and the scores confidences in them.
    answerable, judge : str or None
        Of graded answers: columns that say whether there was something to answer, and how a judge
        graded them.
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
    graded: bool = False
    answerable: str | None = None
    judge: str | None = None

    def names(self) -> list[str]:
        """All the columns, each once."""
        single = [self.truth, self.sets, self.model, self.weight, self.groups, self.case]
        single += [self.answerable, self.judge, *self.scores, *self.proba.values()]
        every = dict.fromkeys([*single, *self.members.values(), *self.costs.values()])
        return [name for name in every if name is not None]


_GRADED = Message(
    "If these are graded answers, name their grades with {=correct} and how confident they were "
    "with {=confidence}."
)


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
    correct: str | None = None,
    confidence: str | Sequence[str] | None = None,
    answerable: str | None = None,
    judge: str | None = None,
) -> Columns:
    """Settle what the columns of a table of predictions hold; what is not said is guessed."""
    there = {str(name): name for name in names}
    known = {str(name).strip().lower(): name for name in reversed(list(names))}

    def one(role: str, given: str | bool | None, taken: Collection[Any] = ()) -> Any:
        if given is None:
            return _first(known, role, taken)
        return None if given is False else _there(there, role, given)

    graded = {"confidence": confidence, "answerable": answerable, "judge": judge}
    if correct is None and any(given is not None for given in graded.values()):
        raise refusal("no grades", argument=next(name for name in graded if graded[name]))
    if correct is not None:
        beside = {"truth": truth, "score": score, "proba": proba, "sets": sets}
        if odd := [name for name, given in beside.items() if given is not None]:
            raise refusal("graded and more", argument=odd[0])
        truth, score = _there(there, "correct", correct), confidence or known.get("confidence")
        if score is None:
            raise refusal("no confidence column", columns=listed(names, 20))
    truths = one("truth", truth)
    if truths is None and truth is not False:
        raise refusal(
            "no truth column",
            columns=listed(names, 20),
            first=quoted(WORDS["truth"][0]),
            others=", ".join(WORDS["truth"][1:]),
            heading=names,
            hints=[_GRADED] * any(name.endswith("confidence") for name in known),
        )
    # What is named for one thing is not guessed to be another: a score called weight is no weight.
    taken = {truth, model, weight, groups, case, *(cost_columns or {}).values()}
    for several in (score, proba, sets):
        columns = several.values() if isinstance(several, Mapping) else several
        taken.update([columns] if isinstance(columns, str) else columns or ())
    found = one("weight", weight, taken)
    rest: dict[str, Any] = {
        "model": one("model", model, taken),
        "weight": found,
        "guessed_weight": weight is None and found is not None,
        "groups": one("groups", groups, taken),
        "case": None if case is None else _there(there, "case", case),
        "costs": {
            key: _there(there, "cost_columns", name) for key, name in (cost_columns or {}).items()
        },
    }
    if score is not None and proba is not None:
        raise refusal("score and proba")
    if score is None and proba is None and sets is None:
        return Columns(truths, **_guessed(names, known), **rest)
    asked = score if isinstance(score, list | tuple) else [] if score is None else [score]
    role = "score" if correct is None else "confidence"
    scores = tuple(_there(there, role, name) for name in asked)
    is_written = isinstance(sets, str) and sets in there
    rest |= {key: _there(there, key, graded[key]) for key in ("answerable", "judge") if graded[key]}
    rest["graded"] = correct is not None
    members = {} if is_written else _by_class(there, "sets", sets)
    written = there[str(sets)] if is_written else None
    return Columns(truths, scores, _by_class(there, "proba", proba), members, written, **rest)


def _first(known: Mapping[str, Any], role: str, taken: Collection[Any] = ()) -> Any:
    """Find the first usual name of a role among the columns."""
    found = (known[word] for word in WORDS[role] if word in known)
    return next((name for name in found if name not in taken), None)


def _guessed(names: Sequence[Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Guess the columns of predictions."""
    proba = prefixed(names, WORDS["class_prefixes"])
    members = prefixed(names, WORDS["member_prefixes"])
    sets = None if members else _first(known, "sets")
    scores = list(prefixed(names, WORDS["score_prefixes"]).values())
    if (usual := _first(known, "score")) is not None:
        scores = [usual]
    if not (scores or proba or members or sets is not None):
        # Beside answers, a confidence is in those, and no score of the positive class.
        answer = _first(known, "answers")
        other = _first(known, "other_score")
        if other is None and answer is None:
            other = known.get("confidence")
        if other is None:
            tip = [] if answer is None else [("single answers", answer)]
            hints = [hint(key, name=name, shown=quoted(name)) for key, name in tip]
            raise refusal(
                "no predictions column", columns=listed(names, 20), heading=names, hints=hints
            )
        scores = [other]
    scores = [] if proba else scores
    return {"scores": tuple(scores), "proba": proba, "members": members, "sets": sets}


def _there(there: Mapping[str, Any], argument: str, name: Any) -> Any:
    """Find a column that is named for something."""
    if str(name) in there:
        return there[str(name)]
    names = list(there.values())
    shown: dict[str, Any] = {"name": quoted(name), "columns": listed(names, 20)}
    raise refusal("no such column", argument=argument, **shown, near=(name, names))


def _by_class(there: Mapping[str, Any], argument: str, given: Any) -> dict[str, str]:
    """Columns of classes, from a mapping, from names such as ``p_<class>``, or from a prefix."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(key): _there(there, argument, name) for key, name in given.items()}
    if isinstance(given, str):
        names = list(there.values())
        if not (found := prefixed(names, (given.lower(),))):
            shown: dict[str, Any] = {"name": quoted(given), "columns": listed(names, 20)}
            raise refusal("no such columns", argument=argument, **shown)
        return found
    every = (*WORDS["class_prefixes"], *WORDS["member_prefixes"])
    columns = [_there(there, argument, name) for name in given]
    return {next(iter(prefixed([name], every)), str(name)): name for name in columns}


def described(columns: Columns, names: Sequence[Any], place: str = "") -> Message:
    """Say which columns were taken for what, and which were left out."""
    parts: dict[str, list[Any]] = {
        "grade" if columns.graded else "truth": [columns.truth],
        "answerable": [columns.answerable],
        "judge": [columns.judge],
        "model": [columns.model],
        "weight": [columns.weight],
        "group": [columns.groups],
        "case": [columns.case],
        "confidence" if columns.graded else "score": list(columns.scores),
        "probabilities": list(columns.proba.values()),
        "set": [columns.sets] if columns.sets is not None else list(columns.members.values()),
        "costs": list(columns.costs.values()),
    }
    used = {name for found in parts.values() for name in found}
    taken = [
        f"{what} {listed(found, 4)}" for what, found in parts.items() if found not in ([None], [])
    ]
    ignored = [name for name in names if name not in used]
    left = f"; ignored {listed(ignored, 4)}" if ignored else ""
    return note("columns", place=place, taken=", ".join(taken), positive="", ignored=left)


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


class Grades(NamedTuple):
    """Codes of grades by people and by a judge, -1 where there is none."""

    codes: Ints  # an answer to what must not be answered is wrong
    answerable: Mask | None = None
    judge: Ints | None = None

    @classmethod
    def of(
        cls, labels: dict[Any, Encoded], columns: Columns, place: Callable[[Any], Place]
    ) -> Grades:
        """Read the columns of grades."""
        assert columns.truth is not None
        codes = grade_codes(labels[columns.truth], place(columns.truth))
        answerable = judge = None
        if columns.answerable is not None:
            answerable = memberships(labels[columns.answerable], place(columns.answerable))
            codes = np.where(answerable, codes, 0)
        if columns.judge is not None:
            judge = grade_codes(labels[columns.judge], place(columns.judge))
        return cls(codes, answerable, judge)

    @property
    def truth(self) -> Encoded:
        """The grades as labels; both may occur, whether they do or not."""
        return Encoded(self.codes, list(GRADES))

    def take(self, rows: Any) -> dict[str, Any]:
        """Give some rows of what :class:`~cautious._cases.Cases` hold besides truths."""
        kept = {"answerable": self.answerable, "judge": self.judge}
        return {name: each[rows] for name, each in kept.items() if each is not None}


def grade_codes(labels: Encoded, place: Place) -> Ints:
    """Read grades in any of the usual words; anything else is asked about."""
    codes = []
    for at, value in enumerate(labels.values):
        word = label_text(value).strip().lower()
        code = next((code for code, grade in enumerate(GRADES) if word in WORDS[grade]), None)
        code = -1 if word in WORDS["no_truth"] or not word else code
        if code is None:
            row = first_row(labels.codes == at)
            raise refusal("odd grade", place=place(row), value=quoted(value))
        codes.append(code)
    return np.asarray(np.array([*codes, -1], dtype=np.intp)[labels.codes])
