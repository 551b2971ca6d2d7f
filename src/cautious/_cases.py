"""Cases: what is known of n cases of one model, checked once at the door and trusted after.

A public function that takes truths and predictions as arrays makes :class:`Cases` of them by one of
the three functions at the end of this file; files, frames and logs are read to the same object by
:mod:`cautious.predictions`. Truths are codes, positions in ``classes``, until a person reads them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import (
    as_codes,
    check_classes,
    check_mask,
    check_probabilities,
    check_rows,
    check_scores,
    check_some_weight,
    check_truth,
    check_weight,
    distinct,
    few_labels,
    likeliest,
)
from cautious._labels import binary_truth
from cautious._messages import refusal
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.errors import InputError, Message, counted, listed, quoted, shown
from cautious.sets._conversion import (
    as_mask,
    as_pandas,
    frame_in_class_order,
    has_names,
    seen_labels,
)
from cautious.sets._written import parse_set
from cautious.tensors import as_numpy

_ROWS_AT_ONCE = 1 << 16
_SHORT = {"codes": "truth", "y_score": "score", "y_proba": "proba", "y_set": "mask"}
_ROWS = (*_SHORT, "sample_weight", "groups", "case", "answerable", "judge")


@dataclass(frozen=True, repr=False, eq=False)
class Cases:
    """What is known of n cases of one model, read and checked.

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
    groups : Categorical of shape (n,), optional
        The group that each case belongs to, by its name; the names are sorted.
    case : ndarray of shape (n,), optional
        What tells the cases apart.
    costs : mapping of str to ndarray of shape (n,), optional
        Costs of each case, as :func:`cautious.costs.as_costs` names them.
    empty : {"error", "abstain", "wrong"}
        What an empty set was said to mean; measures take it as ``empty=``.
    graded : bool
        Whether the truths are grades of somebody's answers, "wrong" and "right", and the scores are
        how confident these were, on any scale.
    answerable : ndarray of shape (n,), bool, optional
        Of graded answers: whether there was something to answer. Otherwise any answer is wrong.
    judge : ndarray of shape (n,), int, optional
        Grades by a judge, as codes; -1 where there is none.
    ungraded : Cases or None
        Answers without a grade, whose confidences are known and maybe the judge's grades.
    notes : tuple of Message
        What was guessed or looks odd.
    n : int
        Number of cases.

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
    groups: pd.Categorical[Any] | None = None
    case: Labels | None = None
    costs: Mapping[str, Floats] | None = None
    empty: str = "error"
    graded: bool = False
    answerable: Mask | None = None
    judge: Ints | None = None
    ungraded: Cases | None = None
    notes: tuple[Message, ...] = field(default=())
    if TYPE_CHECKING:  # the arrays above by short names, where it is settled that they are there
        n: int = field(init=False)
        truth: Ints = field(init=False)
        score: Floats = field(init=False)
        proba: Floats = field(init=False)
        mask: Mask = field(init=False)

    def __post_init__(self) -> None:
        own = self.__dict__
        own["n"] = 0
        for key in _ROWS:
            if own[key] is not None:
                own["n"] = len(own[key])
                own[_SHORT.get(key, key)] = own[key]

    def __getattr__(self, name: str) -> Any:
        """Refuse an array that is not there."""
        if name == "truth":
            raise refusal("no truths")
        raise AttributeError(f"these cases have no {name!r}.")

    @cached_property
    def labels(self) -> Labels:
        """The classes as an array, of one kind of label if they are of one kind."""
        return check_classes(list(self.classes))

    @cached_property
    def weight(self) -> Floats:
        """How often each case counts, also where every one counts once."""
        return np.ones(self.n) if self.sample_weight is None else self.sample_weight

    @property
    def likeliest(self) -> tuple[Ints, Floats]:
        """The most probable class of each case, or the answer that was graded; and how sure."""
        if self.y_proba is not None:
            return likeliest(self.y_proba)
        if self.graded:
            return np.ones(self.n, dtype=np.intp), self.score
        negative = 1 - self.score
        answer = (self.score > negative).astype(np.intp)
        return answer, np.maximum(self.score, negative, out=negative)

    @property
    def y_true(self) -> Labels:
        """True labels; an error where they are not known."""
        return self.labels[self.truth]

    @cached_property
    def missing(self) -> Mask:
        """Rows whose score or probabilities are missing; they abstain."""
        numbers = self.y_score if self.y_score is not None else self.y_proba
        missing: Mask = np.zeros(self.n, np.bool_) if numbers is None else np.isnan(numbers)
        if missing.ndim > 1:  # which is rare, and slow to ask row by row
            missing = np.asarray(missing.any(axis=1) if missing.any() else missing[:, 0])
        return missing

    @classmethod
    def of_codes(cls, labels: Labels, codes: Ints, **arrays: Any) -> Cases:
        """Take over arrays that are checked, and labels that are an array already."""
        cases = cls("predictions", tuple(labels.tolist()), codes, **arrays)
        cases.__dict__["labels"] = labels
        return cases

    def take(self, rows: Ints | Mask, name: str | None = None) -> Cases:
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

    def of_group(self, group: Any) -> Cases:
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
    def kinds(self) -> list[str]:
        """Names of the predictions that there are."""
        return [key for key in ("y_score", "y_proba", "y_set") if getattr(self, key) is not None]

    def __repr__(self) -> str:
        return (
            f"<Cases {quoted(self.name, 60)}: {self.n:,} cases, classes "
            f"{listed(self.classes, 6)}, {', '.join(self.kinds)}>"
        )


def cases_of_scores(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> Cases:
    """Bring truths of two classes and scores of the positive one together."""
    is_positive, pair = binary_truth(y_true, pos_label=pos_label, classes=classes)
    score = check_scores(y_score, name="y_score", n=len(is_positive))
    weight = None if sample_weight is None else check_weight(sample_weight, len(score))
    codes = is_positive.astype(np.intp)
    return Cases("predictions", pair, codes, score, pos_label=pair[1], sample_weight=weight)


def cases_of_sets(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> Cases:
    """Bring truths and prediction sets of any accepted form together."""
    if not isinstance(y_set, np.ndarray):
        y_set = as_pandas(as_numpy(y_set))
    truth = check_truth(y_true)
    is_mask = type(y_set) is np.ndarray and y_set.ndim == 2 and y_set.dtype == np.bool_
    if classes is None:
        occurring, place = distinct(truth)
        seen, width = ([], y_set.shape[1]) if is_mask else seen_labels(y_set, occurring)
        both = list(dict.fromkeys([*occurring.tolist(), *seen]))
        if len(both) > len(occurring):
            _refuse_written_sets(both, len(occurring))
        if not both:
            raise ValueError(
                "y_true is empty, so it does not tell the classes; pass classes= with all class "
                "labels, in column order."
            )
        at_class = {label: at for at, label in enumerate(class_order(both))}
        order = np.array([at_class[label] for label in occurring.tolist()])
        known = (
            occurring[np.argsort(order)] if len(order) == len(both) else check_classes([*at_class])
        )
        codes = order[place]
        if width not in (None, len(known)):
            check_width(known, width, f"y_set has {counted(width, 'column')}")
    else:
        known = check_classes(classes)
    if is_mask:
        mask = check_mask(y_set, n_classes=len(known), name="y_set", empty=empty)
    else:
        mask = as_mask(y_set, known, empty=empty, name="y_set")
    check_rows(len(truth), len(mask), "y_set")
    if classes is not None:
        codes = as_codes(truth, known, name="y_true")
    weight = None if sample_weight is None else check_weight(sample_weight, len(truth))
    return Cases.of_codes(known, codes, y_set=mask, sample_weight=weight, empty=empty)


def _refuse_written_sets(labels: list[Any], n_truths: int) -> None:
    """Refuse text among answers that is no label but means known ones: 'a|b', '1' for 1."""
    texts = {str(label): label for label in reversed(labels)}
    for label in labels[n_truths:]:
        if not isinstance(label, str):
            continue
        if texts[label] is not label:
            raise ValueError(
                f"y_set holds the text {shown(label)} and y_true {shown(texts[label])}, which "
                "Python takes for different labels; give both as text, or neither."
            )
        try:
            members = parse_set(label).labels
        except InputError:  # neither a set nor a plain word, so it is a label
            continue
        if members is None or (len(members) > 1 and texts.keys() >= set(members)):
            meant = "an abstention" if members is None else f"the set {shown(list(members))}"
            raise ValueError(
                f"y_set holds {shown(label)}, which is no label of y_true and reads as {meant}. "
                "Give sets, not their text: [cautious.sets.parse_set(one).labels for one in y_set] "
                "makes them. If it is a class of its own, pass classes= with all class labels."
            )


def class_order(values: Labels | list[Any]) -> list[Any]:
    """Distinct labels in a stable order: sorted where they can be compared, by text otherwise."""
    if isinstance(values, np.ndarray):
        values = distinct(values)[0].tolist()
    labels = list(dict.fromkeys(values))
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def cases_of_proba(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_proba: npt.ArrayLike,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> Cases:
    """Check truths against class probabilities and drop the examples of weight zero."""
    truth = check_truth(y_true)
    labels = sorted_classes(truth) if classes is None else check_classes(classes)
    y_proba = as_pandas(y_proba)
    # A wrong width has a better error below.
    if has_names(y_proba) and np.shape(y_proba)[1] == len(labels):
        y_proba = frame_in_class_order(y_proba, labels, "y_proba")
    proba = check_probabilities(y_proba, name="y_proba")
    width = proba.shape[1]
    origin = "y_true" if classes is None else "classes"
    check_width(labels, width, f"y_proba has {counted(width, 'column')}", origin)
    if len(labels) < 2:
        raise ValueError(
            f"there is only the class {few_labels(labels)}; abstaining needs at least two to "
            "choose from. Pass classes= if others are merely absent from y_true."
        )
    check_rows(len(truth), len(proba), "y_proba")
    weight = check_weight(sample_weight, len(truth))
    codes = as_codes(truth, labels, name="y_true")
    counts = weight > 0
    check_some_weight(counts.sum())
    given = None if sample_weight is None else weight
    cases = Cases.of_codes(labels, codes, y_proba=proba, sample_weight=given)
    return cases if counts.all() else cases.take(counts)


def check_width(labels: Labels, width: int, has: str, origin: str = "y_true") -> None:
    """Raise an error if the classes of the columns cannot be told from the labels."""
    if width != len(labels):
        raise ValueError(
            f"{has} but {origin} holds {counted(len(labels), 'different label')} "
            f"{few_labels(labels)}; pass classes= with the class of each column, in order (for an "
            "estimator: classes=estimator.classes_)."
        )


def sorted_classes(truth: Labels) -> Labels:
    """Classes in the order of scikit-learn, from the labels that occur."""
    try:
        return check_classes(np.unique(truth), name="classes")
    except TypeError:
        raise ValueError(
            "y_true mixes labels of different kinds, which have no order; pass classes= with the "
            "class of each column."
        ) from None


def data_digest(cases: Cases) -> str:
    """Tell the cases apart that a rule was tuned on, whatever the order of their rows."""
    columns = [cases.codes, cases.y_score, cases.sample_weight]
    columns += [] if cases.y_proba is None else list(cases.y_proba.T)
    digest, given = DataDigest(), [column for column in columns if column is not None]
    for start in range(0, max(cases.n, 1), _ROWS_AT_ONCE):  # hashes of all rows would be large
        digest.add([column[start : start + _ROWS_AT_ONCE] for column in given])
    return digest.text(cases.classes)


class DataDigest:
    """A digest of cases that may come in parts, in any order."""

    n: int = 0
    _sums: Sequence[int] = (0, 0, 0)

    def add(self, columns: Iterable[Any]) -> None:
        """Add cases: the codes of their truths, scores or probabilities."""
        given = dict(enumerate(map(np.ascontiguousarray, columns)))
        mixed = pd.util.hash_pandas_object(pd.DataFrame(given), index=False).to_numpy(np.uint64)
        with np.errstate(over="ignore"):  # sums wrap around
            sums = mixed.sum(), (mixed * mixed).sum(), (mixed ^ (mixed >> np.uint64(31))).sum()
        self.n += len(mixed)
        self._sums = [(old + int(new)) % 2**64 for old, new in zip(self._sums, sums, strict=True)]

    def text(self, classes: tuple[Any, ...]) -> str:
        """Write the digest of cases of these classes."""
        text = f"{classes!r} {self.n} {self._sums}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
