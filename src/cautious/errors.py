"""What was wrong with the input, said once for Python, the command line and the page.

A message is a template with values. ``{name}`` stands for a value, ``{=name}`` for an argument,
``{==name}`` for the argument that the value names, and ``{=name value}`` for an argument that is
set to a value (or to that word itself). Each way into the library has its own words for arguments;
everything else is said alike. Substitution is one pass: braces in text of users stay text.

    >>> error = InputError("say which class is positive with {=pos_label label}.", label="yes")
    >>> print(error)
    say which class is positive with pos_label='yes'.
    >>> print(error.words("cli"))
    say which class is positive with --positive yes.
    >>> print(error.words("page"))
    say which class is positive with the positive class 'yes'.

On the command line values are written as a shell reads them:

    >>> print(InputError("try {=pos_label label}.", label="not ill").words("cli"))
    try --positive 'not ill'.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any, Literal

__all__ = [
    "ARGUMENTS",
    "ContinuousFeaturesWarning",
    "DifferentStudyError",
    "InputError",
    "Message",
    "NeverAbstainsWarning",
    "check_kind",
    "listed",
    "quoted",
    "shown",
]

Way = Literal["python", "cli", "page"]

ARGUMENTS: dict[str, dict[str, str]] = {
    "truth": {"cli": "--truth", "page": "the choice 'truth'"},
    "score": {"cli": "--score", "page": "the choice 'score'"},
    "proba": {"cli": "--proba", "page": "the columns of probabilities"},
    "sets": {"cli": "--sets", "page": "the column of sets"},
    "model": {"cli": "--model", "page": "the choice 'model'"},
    "weight": {"cli": "--weight", "page": "the column of weights"},
    "no_truth": {"python": "truth=False", "cli": "--no-truth", "page": "the choice 'truth'"},
    "no_weight": {
        "python": "weight=False",
        "cli": "--no-weight",
        "page": "--no-weight (of a file opened on the page, with the choice 'weight')",
    },
    "groups": {"cli": "--group", "page": "the column of groups"},
    "case": {"cli": "--id", "page": "the column of cases"},
    "cost_columns": {"cli": "--cost-columns", "page": "the columns of costs"},
    "by_group": {"cli": "--by-group", "page": "the choice of groups"},
    "correct": {"cli": "--correct", "page": "the column of grades"},
    "confidence": {"cli": "--confidence", "page": "the column of confidences"},
    "judge": {"cli": "--judge", "page": "the column of the judge's grades"},
    "classes": {"cli": "--classes", "page": "the classes"},
    "pos_label": {"cli": "--positive", "page": "the positive class"},
    "empty": {"cli": "--empty", "page": "the choice 'empty sets':"},
    "missing": {"cli": "--missing", "page": "the command line's --missing"},
    "drop_missing": {"cli": "--drop-missing", "page": "the choice 'rows without truth'"},
    "encoding": {"cli": "--encoding", "page": "the choice 'encoding'"},
    "decimal": {"cli": "--decimal", "page": "the command line's --decimal"},
    "costs": {"cli": "--costs", "page": "the costs"},
    "path": {"cli": "--output", "page": "the file to write"},
    "memory_budget": {"cli": "memory_budget of cautious.summarise", "page": "memory budget"},
    "priors": {"cli": "--prior", "page": "the share of positives"},
    "n_resamples": {"cli": "--resamples", "page": "the number of replicates"},
    "confidence_level": {"cli": "--confidence-level", "page": "the level"},
    "datasets": {
        "python": "list_datasets()",
        "cli": "`cautious datasets`",
        "page": "`cautious datasets`",
    },
}
"""Words for an argument on the command line and on the page, by its name in Python."""

_FIELD = re.compile(r"\{(={0,2})(\w+)(?: (\w+))?\}")
_LINE_END = re.compile(r"\s*\n\s*")
# Characters that would break a line, move the cursor or cannot be written at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def quoted(value: Any, most: int = 40) -> str:
    r"""Show a value in a message: in quotation marks, on one line, and not too long.

    Parameters
    ----------
    value : object
        What was given.
    most : int
        Characters to show.

    Examples
    --------
    >>> print(quoted("a\nb"))
    'a\u000ab'
    >>> quoted("x" * 50, 3)
    "'xxx…'"
    """
    text = str(value)
    shown = text if len(text) <= most else text[:most] + "…"
    return "'" + _UNPRINTABLE.sub(lambda at: f"\\u{ord(at[0]):04x}", shown) + "'"


def shown(value: Any, most: int = 100) -> str:
    """Show any value in a message: as Python writes it, on one line, and not too long.

    Parameters
    ----------
    value : object
        What was given.
    most : int
        Characters to show.

    Examples
    --------
    >>> shown(list(range(1000)), 12)
    '[0, 1, 2, 3,…'
    """
    try:
        text = _LINE_END.sub(" ", repr(value))
    except Exception:  # whatever it is, its kind can be told
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else text[:most] + "…"


def listed(values: Iterable[Any], most: int = 10) -> str:
    """List values in a message, not too many of them.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', … 3 in all"
    """
    every = list(values)
    shown = ", ".join(quoted(value) for value in every[:most])
    return shown + (f", … {len(every):,} in all" if len(every) > most else "")


def counted(n: int, one: str, several: str = "") -> str:
    """Count things: one of them, or several."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def how_to_install(extra: str) -> str:
    """Say how an extra of this library is installed, in the same words everywhere."""
    return (
        f"pip install 'cautious[{extra}]' (in a clone of the repository: pip install '.[{extra}]')"
    )


def check_installed(function: str, extra: str, *packages: str) -> None:
    """Say what to install, before anything is done."""
    for package in packages:
        if find_spec(package) is None:
            raise ImportError(
                f"{function} needs {package}, which is not installed; {how_to_install(extra)}."
            )


def check_kind(value: Any, kinds: type | tuple[type, ...], name: str, give: str) -> None:
    """Refuse an object of another kind, which would fail later and without a word about it.

    Parameters
    ----------
    value : object
        What was given.
    kinds : type or tuple of types
        What it has to be.
    name : str
        What the argument is called.
    give : str
        What to give.

    Examples
    --------
    >>> check_kind([0, 1], Message, "message", "a Message")
    Traceback (most recent call last):
    ...
    TypeError: message is a list; give a Message.
    """
    if not isinstance(value, kinds):
        raise TypeError(f"{name} is a {type(value).__name__}; give {give}.")


@dataclass(frozen=True)
class Message:
    """A template with its values: an error, or a note.

    Attributes
    ----------
    template : str
        Text with fields, as this module explains.
    values : mapping
        From the name of a field to what stands there; :func:`quoted` and :func:`listed` make text
        of what users wrote.
    key : str
        Name of the template, where it has one.
    place : str
        Where it is: a file, a column, a row.
    hints : tuple of Message
        What to try; they end the message.

    Examples
    --------
    >>> from cautious.errors import Message
    >>> str(Message("column {name} holds {count} labels.", {"name": "'y'", "count": 3}))
    "column 'y' holds 3 labels."
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    place: str = ""
    hints: tuple[Message, ...] = ()

    def words(self, way: Way = "python", *, place: bool = True) -> str:
        """Say it with the arguments of Python, of the command line, or of the page.

        Examples
        --------
        >>> Message("{=empty} is 'no'.").words(), Message("{=empty} is 'no'.").words("cli")
        ("empty is 'no'.", "--empty is 'no'.")
        """
        parts, seen = [f"{self.place}: " if place and self.place else ""], 0
        for at in _FIELD.finditer(self.template):
            parts.append(self.template[seen : at.start()])
            seen = at.end()
            mark, name, value = at.groups()
            if not mark:
                parts.append(str(self.values[name]))
                continue
            name = self.values[name] if mark == "==" else name
            parts.append(_argument(name, way) if value is None else self._set(name, value, way))
        text = "".join([*parts, self.template[seen:]])
        return " ".join([text, *(hint.words(way) for hint in self.hints)])

    __str__ = words

    def _set(self, name: str, value: str, way: Way) -> str:
        given = self.values.get(value, value)
        if way == "python":
            return f"{name}={quoted(given) if isinstance(given, str) else given}"
        words = shlex.quote(str(given)) if way == "cli" else quoted(given)
        return f"{_argument(name, way)} {words}"

    def __repr__(self) -> str:
        return repr(self.words())

    def with_hints(self, *hints: Message) -> Message:
        """Return the message with more hints at its end.

        Examples
        --------
        >>> str(Message("the value is missing.").with_hints(Message("Leave the row out.")))
        'the value is missing. Leave the row out.'
        """
        return replace(self, hints=(*self.hints, *hints))

    def at(self, *places: str) -> Message:
        """Return the message with places put before its own.

        Examples
        --------
        >>> str(Message("the value is missing.").at("a.csv", "line 3"))
        'a.csv: line 3: the value is missing.'
        """
        known = dict.fromkeys(place for place in (*places, self.place) if place)  # each once
        return replace(self, place=": ".join(known))


def _argument(name: str, way: Way) -> str:
    plain = {"python": name, "cli": "--" + name.replace("_", "-"), "page": name.replace("_", " ")}
    return ARGUMENTS.get(name, plain).get(way, plain[way])


def note_lines(notes: Iterable[Message], way: Way = "python") -> list[str]:
    """Write notes as people see them below a result: one line each."""
    # Which columns were taken, and what to try next, are nothing odd.
    return [
        one.words(way) if one.key in ("columns", "advice") else f"note: {one.words(way)}"
        for one in notes
    ]


class InputError(ValueError):
    """What was given cannot be read.

    Parameters
    ----------
    template : str or Message
        What is wrong, what is allowed and what to do next.
    **values
        Values of the template.

    Attributes
    ----------
    message : Message
        What ``str`` of the error says in the words of Python.
    notes : tuple of Message
        What had been noted before, such as the columns that were taken.

    Examples
    --------
    >>> raise InputError("{=empty} is {given}; choose 'error'.", given=quoted("no"))
    Traceback (most recent call last):
    ...
    cautious.errors.InputError: empty is 'no'; choose 'error'.
    """

    def __init__(self, template: str | Message, **values: Any) -> None:
        self.message: Message = (
            template if isinstance(template, Message) else Message(template, values)
        )
        self.notes: tuple[Message, ...] = ()
        super().__init__(self.message.words())

    @property
    def key(self) -> str:
        """Name of the message's template, where it has one."""
        return self.message.key

    def words(self, way: Way = "python", *, place: bool = True) -> str:
        """Say it with the arguments of Python, of the command line, or of the page.

        Examples
        --------
        >>> error = InputError("{=empty} is {given}; choose 'error'.", given=quoted("no"))
        >>> error.words(), error.words("cli")
        ("empty is 'no'; choose 'error'.", "--empty is 'no'; choose 'error'.")
        """
        return self.message.words(way, place=place)

    def at(self, *places: str) -> InputError:
        """Return the error with places put before its own.

        Examples
        --------
        >>> str(InputError("the value is missing.").at("a.csv", "line 3"))
        'a.csv: line 3: the value is missing.'
        """
        return type(self)(self.message.at(*places))

    def __reduce__(self) -> tuple[Any, ...]:  # values of a template are no arguments of ValueError
        return type(self), (self.message,)


@contextmanager
def located(place: str) -> Iterator[None]:
    """Put a place before those of an error that the block raises."""
    try:
        yield
    except InputError as error:
        raise error.at(place) from None


class NotInstalled(InputError, ImportError):
    """What was asked for needs a package that is not installed."""


class ContinuousFeaturesWarning(UserWarning):
    """Numbers that look like measurements were given to a model of discrete features.

    They have fractions, or are many different whole numbers with few examples each.

    Examples
    --------
    >>> import warnings
    >>> from cautious.models import NaiveCredalClassifier
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ContinuousFeaturesWarning)  # they are categories
    ...     model = NaiveCredalClassifier().fit([[0.5], [1.5], [0.5]], ["a", "b", "a"])
    """


class NeverAbstainsWarning(UserWarning):
    """A classifier that was tuned to abstain was asked by ``predict``, which names a class always.

    Its caution is in ``predict_set``. Each fitted classifier says so once.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", NeverAbstainsWarning)  # a class is wanted in any case
    """


class DifferentStudyError(ValueError):
    """The store holds results of a study that is not this one.

    Examples
    --------
    >>> from cautious.experiments import Store
    >>> with Store(":memory:") as store:
    ...     store.claim({("model", "NCC"): "s=1"})
    ...     store.claim({("model", "NCC"): "s=2"})
    Traceback (most recent call last):
    ...
    cautious.errors.DifferentStudyError: :memory: holds another study: its model ...
    """


_undefined_allowed: ContextVar[bool] = ContextVar("_undefined_allowed", default=False)


@contextmanager
def undefined_allowed() -> Iterator[None]:
    """Let measures be undefined without a warning, where the caller shows them as missing."""
    before = _undefined_allowed.set(True)
    try:
        yield
    finally:
        _undefined_allowed.reset(before)


def warn_undefined(message: str, *, stacklevel: int) -> None:
    """Warn that a measure is undefined; only then is scikit-learn, slow to import, needed."""
    if not _undefined_allowed.get():
        from sklearn.exceptions import UndefinedMetricWarning

        warnings.warn(message, UndefinedMetricWarning, stacklevel=stacklevel)
