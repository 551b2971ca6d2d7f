"""How predictions are read: word lists and refusals, as plain data.

Python reads by these lists, and the page gets them as JSON (:func:`page_rules`), so that a file is
read alike wherever it is dropped. Refusals are templates of :mod:`cautious.errors`: the same words
everywhere, with each way's own names of arguments.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from cautious.errors import ARGUMENTS, InputError, Message, quoted

__all__ = ["HINTS", "NOTES", "REFUSALS", "WORDS", "note", "page_rules", "refusal"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)

WORDS: dict[str, Any] = {
    # Names of columns, in the order in which they are looked for.
    "truth": ["y_true", "truth", "true", "label", "target", "actual", "class", "y"],
    "score": ["y_score", "score", "p", "proba", "probability", "prob", "margin", "decision"],
    "other_score": ["y_prob", "y_proba", "y_pred_proba"],
    "answers": ["y_pred", "pred", "prediction", "predicted", "y_hat"],
    "sets": ["y_set", "set", "prediction_set"],
    "model": ["model", "classifier", "estimator"],
    "weight": ["sample_weight", "weight"],
    "groups": ["group", "groups"],
    # Beginnings of names of columns, one column per class, model or cost.
    "class_prefixes": ["p_", "proba_", "prob_"],
    "member_prefixes": ["set_", "in_"],
    "score_prefixes": ["score_", "y_score_"],
    "costs": ["false_negative", "false_positive", "abstain"],
    # What stands in cells.
    "plain_pairs": [
        ["0", "1"],
        ["-1", "1"],
        ["false", "true"],
        ["no", "yes"],
        ["n", "y"],
        ["negative", "positive"],
        ["absent", "present"],
    ],
    "yes": ["true", "1", "1.0", "yes", "y", "t"],
    "no": ["false", "0", "0.0", "no", "n", "f"],
    "no_number": ["", "nan", "na", "null", "none"],
}
"""Word lists by what they are for; all in lower case."""

REFUSALS: dict[str, str] = {
    # The table and its columns.
    "no rows": "there are no rows; give at least one prediction.",
    "two columns": "two columns are called {name}; give each its own name.",
    "no such column": "{==argument} is {name}, but the columns are {columns}.",
    "no such columns": (
        "{==argument} is {name}, but no column is called or begins so; the columns are {columns}."
    ),
    "score and proba": "{=score} and {=proba} are both given; give one of them.",
    "no truth column": (
        "no column holds the truth; the columns are {columns}. Name one of them {first} (or "
        "{others}), or say which with {=truth}."
    ),
    "no predictions column": (
        "no column holds predictions; the columns are {columns}. Give a column 'score', one column "
        "'p_<class>' per class, or a column 'y_set' of sets written 'a|b'; or say which with "
        "{=score}, {=proba} or {=sets}."
    ),
    # The positive class.
    "positive unknown": "{=pos_label} is {given}, but the classes are {classes}.",
    "positive not said": (
        "the classes are {classes}; say which one a high score speaks for, for example "
        "{=pos_label example}"
    ),
    "many classes": (
        "there are {count} classes {classes}, but a score speaks for one class against the rest; "
        "say which with {=pos_label}"
    ),
    "one class": "every row has the truth {label}; rows of two classes are needed.",
    "class without rows": "no row has the truth {label}; rows of two classes are needed.",
    "classes no pair": "{=classes} is {given}; give two different labels, (negative, positive).",
    # Several models.
    "two models": "two models are called {name}; give each its own name.",
    "no models": "there are no predictions; give those of at least one model.",
    "several models": "there are several models, {names}; take one of them by its name.",
    "other classes": "the models {names} are about different classes; take one by its name.",
    "no groups": "there are no groups; name their column with {=groups}.",
}
"""Templates of errors by name."""

HINTS: dict[str, str] = {
    "did you mean": "Did you mean {near}?",
    "twins": (
        "{one} and {other} differ by spaces, capitals or Unicode form only: mend the data if they "
        "are one."
    ),
    "heading": "The first line holds numbers: does the file lack a heading?",
    "single answers": "If {name} holds single answers: {=sets name}",
}
"""Templates of what to try, which end an error."""

NOTES: dict[str, str] = {}
"""Templates of notes by name."""


def refusal(
    key: str, *, place: str = "", hints: Iterable[Message] = (), **values: Any
) -> InputError:
    """Make the error of a name.

    Parameters
    ----------
    key : str
        Name of the template, in :data:`REFUSALS`.
    place : str
        Where it is: a file, a column, a row.
    hints : iterable of Message
        What to try.
    **values
        Values of the template. ``near=(label, known)`` asks for the known label that may have been
        meant, ``twins=labels`` for labels that differ by spaces or capitals, and ``heading=names``
        for a heading that is missing.
    """
    more = list(hints)
    if (near := values.pop("near", None)) is not None:
        more += _near(*near)
    if (twins := values.pop("twins", None)) is not None:
        more += _twins(twins)
    if (heading := values.pop("heading", None)) is not None:
        more += _heading(heading)
    return InputError(Message(REFUSALS[key], values, key, place, tuple(more)))


def note(key: str, *, place: str = "", **values: Any) -> Message:
    """Make the note of a name."""
    return Message(NOTES[key], values, key, place)


def hint(key: str, **values: Any) -> Message:
    """Make the hint of a name."""
    return Message(HINTS[key], values, key)


def _near(label: Any, known: Sequence[Any], cutoff: float = 0.6) -> list[Message]:
    """Guess which label was meant: the same but for spaces and case, or one much like it."""
    text, others = str(label)[:100], [str(one)[:100] for one in known[:1000]]
    same = [one for one in others if bare(one) == bare(text)]
    found = same or difflib.get_close_matches(text, others, n=1, cutoff=cutoff)
    return [hint("did you mean", near=quoted(found[0]))] if found else []


def _twins(labels: Sequence[Any]) -> list[Message]:
    """Name two labels that differ by spaces, case or Unicode form alone."""
    first: dict[str, str] = {}
    for label in labels:
        other = first.setdefault(bare(str(label)), str(label))
        if other != str(label):
            return [hint("twins", one=quoted(other), other=quoted(label))]
    return []


def _heading(names: Sequence[Any]) -> list[Message]:
    """Ask whether a table lacks its heading: a column called by a number is no name."""
    numbers = [_NUMBER.fullmatch(str(name)[:40]) for name in names[:100]]
    points = any(found and "." in found[0] for found in numbers)
    return [hint("heading")] if numbers and (all(numbers) or points) else []


def bare(label: str) -> str:
    """Reduce a label to what is left without spaces, case and Unicode forms."""
    return "".join(unicodedata.normalize("NFKC", label).split()).casefold()


def page_rules() -> dict[str, Any]:
    """Everything the page needs to read as Python does, ready for JSON."""
    arguments = {name: words["page"] for name, words in ARGUMENTS.items()}
    return {
        "words": WORDS,
        "refusals": REFUSALS,
        "hints": HINTS,
        "notes": NOTES,
        "arguments": arguments,
    }
