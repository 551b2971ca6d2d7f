"""One decision rule: what tuning returns, what is saved, applied, scored, drawn and watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.metadata import version
from operator import mul
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._checks import check_classes, check_probabilities, likeliest
from cautious._labels import ACCEPTED, ESCALATED, GRADES, label_text, sorted_labels
from cautious._messages import WORDS
from cautious._typing import Floats, Mask, as_floats, as_number
from cautious.costs import SetCosts, as_costs
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts
from cautious.decision._rule_json import (
    COMPARED,
    DETAILS,
    check_details,
    exchange_details,
    rule_data,
    rule_error,
    rules_from_json,
    write_data,
)
from cautious.decision._thresholds import (
    answer_or_abstain,
    check_thresholds,
    check_window,
    window_sets,
)
from cautious.decision.optimal import optimal_sets
from cautious.decision.optimal._solver import (
    parts_of_costs,
    preferred_answers,
    rounded,
    utility_as_costs,
)
from cautious.decision.rule_code import rule_code, sets_and_costs
from cautious.errors import shown
from cautious.predictions._probabilities import per_cent_hint
from cautious.sets._conversion import as_pandas, frame_in_class_order, has_names
from cautious.sets._written import write_set
from cautious.tensors import floats_of, is_tensor
from cautious.utility import Utility
from cautious.utility._forms import UtilityLike, as_utility, read_utility

RuleKind: TypeAlias = Literal[
    "window", "acceptance", "confidence", "class_thresholds", "utility", "set_costs"
]
"""The kinds of rules."""

ABSTAIN: str = WORDS["abstain"][0]
"""How an abstention is written."""

# All sets of up to so many classes are tried on one case.
_FEW_CLASSES = 4
# So many classes are named in a sentence.
_CLASSES_SHOWN = 8

_version = cache(partial(version, "cautious"))


class _Derived:
    """What follows from the fields of a rule, so that it is none of them."""

    n_classes: int
    graded: bool
    ends: tuple[float, float] | None
    least: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Rule(_Derived):
    """A rule that turns scores or probabilities into answers, sets and abstentions.

    Make one with :meth:`window`, :meth:`acceptance`, :meth:`confidence`, :meth:`class_thresholds`,
    :meth:`utility` or :meth:`set_costs`, or read one with :meth:`from_json`. A threshold is reached
    when the score equals it; ties between classes go to the first one.

    Attributes
    ----------
    kind : {"window", "acceptance", "confidence", "class_thresholds", "utility", "set_costs"}
        What the rule compares.
    classes : tuple
        Class labels in the order of the columns; of two classes, the negative one first.
    lower, upper : float or None
        The window: the negative class is answered up to `lower`, the positive one from `upper`.
    threshold, thresholds : float or tuple of float or None
        The least probability of an answer, or that of each class; of "acceptance" the least
        confidence, on any scale. With `costs`, the least saving: how much cheaper than abstaining
        the cheapest answer must be expected to be.
    worth : Utility or None
        The utility of a rule of that kind.
    costs : SetCosts or None
        The costs that the rule minimises, or was tuned for.
    model : str or None
        Whose scores it is for.
    certificate, data : mapping or None
        What is promised of it on new data; the number and digest of the data it was tuned on.
    columns : mapping or None
        The columns that it was tuned with: names by what they hold, which is "truth", "score",
        "proba" (a list, one per class), "sets", "groups", "id", "weight", "costs" or "answerable".
    version : str
        The release of the library that made it.
    n_classes : int
        The number of classes.
    graded : bool
        Whether somebody else answers, and the rule decides which answers go out.
    ends : tuple of float or None
        The window on a score; None where it compares probabilities.
    least : tuple of float
        The threshold of each class; empty where it has none.

    Examples
    --------
    >>> rule = Rule.window(0.2, 0.7, classes=["no", "yes"])
    >>> rule.predict_set([0.1, 0.5, 0.7, float("nan")])
    array([[ True, False],
           [ True,  True],
           [False,  True],
           [ True,  True]])
    >>> print(rule.describe())
    Answer 'yes' where the score is at least 0.7, 'no' where it is at most 0.2; abstain between.
    """

    kind: RuleKind
    classes: tuple[Any, ...]
    lower: float | None = None
    upper: float | None = None
    threshold: float | None = None
    thresholds: tuple[float, ...] | None = None
    worth: Utility | None = None
    costs: SetCosts | None = None
    model: str | None = None
    certificate: Mapping[str, Any] | None = None
    data: Mapping[str, Any] | None = None
    columns: Mapping[str, Any] | None = None
    version: str = field(default_factory=_version)

    def __post_init__(self) -> None:
        classes = tuple(check_classes(self.classes).tolist())
        if len(classes) < 2:
            raise ValueError(f"classes is {shown([*classes])}; a rule decides between two or more.")
        check_details(vars(self))
        vars(self).update(_check_what_is_compared(self, classes), classes=classes)
        self._derive()

    @classmethod
    def of(cls, kind: RuleKind, classes: tuple[Any, ...], **fields: Any) -> Rule:
        """Make a rule of what is checked already."""
        rule = object.__new__(cls)
        vars(rule).update({"version": _version(), **fields}, kind=kind, classes=classes)
        rule._derive()
        return rule

    def _derive(self) -> None:
        """Set what follows from the fields, and refuse classes that are written alike."""
        classes, graded = self.classes, self.kind == "acceptance"
        if len({*map(label_text, classes)}) < len(classes):
            raise ValueError(
                f"classes is {shown(list(classes))}, of which two are written alike; a file could "
                "not tell them apart, so give each class a text of its own."
            )
        lower, upper = (-np.inf, self.threshold) if graded else (self.lower, self.upper)
        alike = () if self.threshold is None else (self.threshold,) * len(classes)
        vars(self).update(
            n_classes=len(classes),
            graded=graded,
            ends=None if upper is None else (lower, upper),
            least=self.thresholds or alike,
        )

    # How rules are made.

    @classmethod
    def window(
        cls, lower: float, upper: float, *, classes: Sequence[Any] = (0, 1), **about: Any
    ) -> Rule:
        """Abstain inside a window of scores of two classes (Friedel et al. 2006, eq. 1).

        Parameters
        ----------
        lower, upper : float
            The negative class is answered up to `lower`, the positive one from `upper`; infinite
            thresholds lie beyond every score.
        classes : pair of labels
            The negative and the positive class.
        **about
            `costs`, `model`, `certificate`, `data` and `columns`: see :class:`Rule`.

        Examples
        --------
        >>> Rule.window(0.2, 0.7, classes=["no", "yes"])
        Rule.window(0.2, 0.7, classes=['no', 'yes'])
        """
        return _make(cls, "window", classes, about, lower=lower, upper=upper)

    @classmethod
    def acceptance(cls, threshold: float, **about: Any) -> Rule:
        """Let an answer out from a confidence on, and escalate it to a person below that.

        The answer itself is somebody else's, such as a language model's; what is decided is whether
        it is right often enough. The classes are ``"wrong"`` and ``"right"``, and "wrong" is never
        answered.

        Parameters
        ----------
        threshold : float
            The least confidence of an answer that goes out, on any scale that grows with belief;
            infinity escalates always.
        **about
            As in :meth:`window`.

        Examples
        --------
        >>> rule = Rule.acceptance(0.8)
        >>> rule.accept([0.9, 0.8, 0.3, float("nan")])
        array([ True,  True, False, False])
        >>> rule.decide(0.3)
        'escalate'
        """
        return _make(cls, "acceptance", GRADES, about, threshold=threshold)

    @classmethod
    def confidence(cls, threshold: float, *, classes: Sequence[Any], **about: Any) -> Rule:
        """Answer the most probable class if it is probable enough; see :func:`threshold_rule`.

        Parameters
        ----------
        threshold : float
            The least probability of an answer, between 0 and 1; infinity abstains always.
        classes : sequence of labels
            The classes in column order.
        **about
            As in :meth:`window`.

        Examples
        --------
        >>> Rule.confidence(0.8, classes=["a", "b"]).predict_set([[0.9, 0.1], [0.5, 0.5]])
        array([[ True, False],
               [ True,  True]])
        """
        return _make(cls, "confidence", classes, about, threshold=threshold)

    @classmethod
    def class_thresholds(
        cls,
        thresholds: npt.ArrayLike,
        *,
        classes: Sequence[Any],
        costs: CostsLike | None = None,
        **about: Any,
    ) -> Rule:
        """Answer the preferred class if it reaches its own threshold.

        Without costs the most probable class is preferred, and must be as probable as its threshold
        (:func:`class_threshold_rule`). With costs the class of the least expected cost is
        preferred, and must be expected to cost at least its threshold less than abstaining:
        thresholds of zero are Chow's rule. Costs that differ by rounding only are ties, and savings
        and thresholds are compared to about 12 digits. An infinite threshold forbids an answer. The
        other arguments are those of :meth:`confidence`.

        Examples
        --------
        >>> rule = Rule.class_thresholds([0.6, 0.9], classes=["a", "b"])
        >>> rule.predict_set([[0.7, 0.3], [0.2, 0.8]])
        array([[ True, False],
               [ True,  True]])
        """
        values = as_floats(thresholds, "thresholds", "thresholds")
        if values.ndim != 1:
            raise ValueError(f"thresholds has shape {values.shape}; give one per class: (K,).")
        about = {"costs": costs} | about
        return _make(cls, "class_thresholds", classes, about, thresholds=tuple(values.tolist()))

    @classmethod
    def utility(cls, utility: UtilityLike, *, classes: Sequence[Any], **about: Any) -> Rule:
        """Answer with the set of the greatest expected utility; see :func:`optimal_sets`.

        The other arguments are those of :meth:`confidence`.

        Examples
        --------
        >>> rule = Rule.utility("u65", classes=["a", "b", "c"])
        >>> rule.predict_set([[0.9, 0.1, 0.0], [0.5, 0.45, 0.05]])
        array([[ True, False, False],
               [ True,  True, False]])
        """
        as_utility(utility)  # warns of what is no utility
        return _make(cls, "utility", classes, about, worth=read_utility(utility))

    @classmethod
    def set_costs(cls, costs: CostsLike, *, classes: Sequence[Any], **about: Any) -> Rule:
        """Answer with the set of the smallest expected cost; see :func:`optimal_sets`.

        Costs come in any form of :func:`cautious.costs.as_costs`; the other arguments are those of
        :meth:`confidence`.

        Examples
        --------
        >>> from cautious.costs import discounted, zero_one
        >>> rule = Rule.set_costs(discounted(zero_one(3)), classes=["a", "b", "c"])
        >>> rule.predict_set([[0.9, 0.1, 0.0]])
        array([[ True, False, False]])
        """
        return _make(cls, "set_costs", classes, about, costs=costs)

    # What a rule does.

    @property
    def pos_label(self) -> Any:
        """The positive one of two classes, the second; None for more classes."""
        return self.classes[1] if len(self.classes) == 2 else None

    @property
    def answers(self) -> dict[int, str]:
        """The classes that it may answer alone, by position, as they are written."""
        return {1: ACCEPTED} if self.graded else dict(enumerate(map(label_text, self.classes)))

    @property
    def answer_column(self) -> str:
        """The column that answers are written to, unless another one is named."""
        return "decision" if self.graded else "y_set"

    @property
    def score_column(self) -> str:
        """The column of scores of one class, unless another one is named."""
        return "confidence" if self.graded else "score"

    def texts(self, sets: Iterable[Any]) -> list[str]:
        """Write prediction sets, rows of a mask, as :func:`cautious.apply` does.

        Examples
        --------
        >>> Rule.window(0.2, 0.7, classes=["no", "yes"]).texts([[True, False], [True, True]])
        ['no', '?']
        """
        if self.graded:
            return [ESCALATED if chosen[0] else ACCEPTED for chosen in sets]
        names = list(self.answers.values())
        return [write_set([names[at] for at in np.flatnonzero(each)], names) for each in sets]

    def predict_set(self, scores: npt.ArrayLike, *, classes: Sequence[Any] | None = None) -> Mask:
        """Decide. A row with a missing score or probability abstains.

        Parameters
        ----------
        scores : array-like of shape (n,) or (n, K)
            Class probabilities; or, of two classes, the scores of the positive one. Only a window
            takes scores that are no probabilities. A frame may name its columns after the classes.
        classes : sequence of length K, optional
            The order of the columns of `scores` and of the result, where it is not that of the
            rule, such as a classifier's ``classes_``. It must be said of two columns without names
            if the rule's positive class comes first in the alphabet: the rule lists it second, and
            a classifier first.

        Returns
        -------
        ndarray of shape (n, K), bool
            Prediction sets; a full row abstains.

        Examples
        --------
        >>> Rule.window(0.2, 0.7).predict_set([0.1, float("nan")])
        array([[ True, False],
               [ True,  True]])
        """
        if self.ends is not None and classes is None and is_tensor(scores):
            return window_sets(floats_of(scores), *self.ends)
        order, own = None, [*map(str, self.classes)]
        if classes is not None and not (isinstance(classes, list) and [*map(str, classes)] == own):
            order = self._order(classes)
        values = self._values(scores, order, in_order=classes is not None)
        if self.ends is not None:
            sets = window_sets(values, *self.ends)
        elif (missing := _is_missing(values)).any():
            sets = np.ones((len(values), self.n_classes), dtype=np.bool_)
            if not missing.all():
                sets[~missing] = self._decide(values[~missing])
        else:
            sets = self._decide(values)
        return sets if order is None else sets[:, np.argsort(order)]

    def accept(self, confidence: npt.ArrayLike) -> Mask:
        """Say which answers go out, by how confident each is; for rules of kind "acceptance".

        A missing confidence (NaN) escalates.

        Examples
        --------
        >>> Rule.acceptance(0.8).accept([0.9, 0.3])
        array([ True, False])
        """
        if not self.graded:
            raise ValueError(
                f"the rule is of kind {shown(self.kind)}, which decides what to answer; only a "
                "rule of kind 'acceptance' says whether an answer goes out. Use predict_set."
            )
        return ~self.predict_set(confidence)[:, 0]

    def decide(self, score: Any) -> Any:
        """Decide one case, as :meth:`predict_set` does.

        It takes some microseconds: for any rule of two classes, and for rows of probabilities
        unless they are near a tie, or sets of more than four classes are to be chosen from.

        Parameters
        ----------
        score : float or sequence of length K
            The score of the positive one of two classes, or the probabilities of all classes; of a
            missing one (NaN) the rule abstains.

        Returns
        -------
        label, tuple of labels or "?"
            The class; several, if the answer is a set; ``"?"`` if the rule abstains, as
            :func:`cautious.apply` writes it (all classes, if one of them is called so). A rule of
            kind "acceptance" says ``"answer"`` or ``"escalate"``.

        Examples
        --------
        >>> rule = Rule.window(0.2, 0.7, classes=["no", "yes"])
        >>> rule.decide(0.7), rule.decide(0.5), rule.decide(float("nan"))
        ('yes', '?', '?')
        """
        members = self._at_once(score)
        if members is None:
            given = as_number(score, "score") if self.graded else score
            members = np.flatnonzero(self.predict_set([given])[0]).tolist()
        if self.graded:
            return ESCALATED if members[0] == 0 else ACCEPTED
        if len(members) == 1:
            return self.classes[members[0]]
        abstains = len(members) == self.n_classes and ABSTAIN not in self.classes
        return ABSTAIN if abstains else tuple(self.classes[at] for at in members)

    def _at_once(self, score: Any) -> Sequence[int] | None:
        """Decide one case without arrays; None where it is odd, or near a tie."""
        k, row = self.n_classes, score
        if k == 2 and (isinstance(score, float | np.floating) or type(score) is int):
            if score != score:
                return range(k)
            if self.ends is not None:
                lower, upper = self.ends
                if upper <= score and upper < np.inf:
                    return [1]
                return [0] if score <= lower and lower > -np.inf else range(k)
            row = [1 - float(score), float(score)]
        elif self.ends is not None or (k == 2 and not self._is_in_usual_order):
            return None
        elif type(score) is np.ndarray:
            row = score.tolist()
        return self._of_row(row) if _is_plain(row, k) else None

    def _of_row(self, p: Sequence[float]) -> Sequence[int] | None:
        """Decide by plain probabilities of all classes; None near a tie of expected costs."""
        k = self.n_classes
        if self.kind == "confidence" or (self.kind == "class_thresholds" and self.costs is None):
            best = p.index(max(p))
            return [best] if p[best] >= self.least[best] else range(k)
        sets, table, near = self._prices
        costs = [sum(map(mul, p, prices)) for prices in table]
        least, *others = sorted(costs if self.thresholds is None else costs[:k])
        if not others or others[0] - least <= near:
            return None
        best = costs.index(least)
        if self.thresholds is None:
            return sets[best]
        saving = costs[-1] - least - self.thresholds[best]
        return None if abs(saving) <= near else [best] if saving > 0 else range(k)

    @cached_property
    def _prices(self) -> tuple[list[list[int]], list[list[float]], float]:
        """Sets to choose from, what each costs by the true class, and which costs are too near."""
        k = self.n_classes
        costs = self.costs if self.worth is None else utility_as_costs(self.worth, k)
        if costs is None or (k > _FEW_CLASSES and not isinstance(costs, AnswerCosts)):
            return [], [[0.0] * k], 0.0
        sets, table = sets_and_costs(costs, answers=self.thresholds is not None)
        near = 1e-8 * float(np.abs(table).max())
        return [np.flatnonzero(each).tolist() for each in sets], table.tolist(), near

    def missing(self, scores: npt.ArrayLike) -> int:
        """Count the rows that abstain because a score or probability is missing (NaN).

        Examples
        --------
        >>> Rule.window(0.2, 0.7).missing([0.1, float("nan")])
        1
        """
        return int(_is_missing(as_floats(scores, "scores", "scores")).sum())

    def describe(self) -> str:
        """Say in one sentence what the rule does.

        Examples
        --------
        >>> print(Rule.confidence(0.8, classes=["a", "b", "c"]).describe())
        Answer the most probable class where its probability is at least 0.8; abstain elsewhere.
        """
        if self.kind == "window":
            return self._window_text()
        if self.threshold == np.inf:
            return "Escalate always." if self.graded else "Abstain always."
        if self.graded and self.threshold == -np.inf:
            return "Let every answer out that has a confidence."
        if self.graded:
            return (
                f"Let an answer out where its confidence is at least {self.threshold:.6g}; "
                "escalate it elsewhere."
            )
        if self.kind == "confidence":
            return (
                "Answer the most probable class where its probability is at least "
                f"{self.threshold:.6g}; abstain elsewhere."
            )
        if self.kind == "utility":
            return f"Answer with the set of the greatest expected utility {self.worth!r}."
        if self.kind == "set_costs":
            return (
                f"Answer with the set of the smallest expected cost ({type(self.costs).__name__})."
            )
        levels = ["never" if t == np.inf else format(t, ".6g") for t in self.least]
        pairs = [f"{label!r} {t}" for label, t in zip(self.classes, levels, strict=True)]
        if len(pairs) > _CLASSES_SHOWN:
            pairs[_CLASSES_SHOWN:] = [f"… {len(pairs)} in all"]
        preferred = "most probable class where it is probable enough"
        if self.costs is not None:
            preferred = "class of the least expected cost where it saves enough against abstaining"
        return f"Answer the {preferred} ({', '.join(pairs)}); abstain elsewhere."

    def _window_text(self) -> str:
        negative, positive = map(repr, self.classes)
        lower, upper = self.ends or (0.0, 0.0)
        yes = f"{positive} where the score is at least {upper:.6g}"
        no = f"{negative} where the score is at most {lower:.6g}"
        if -np.inf < lower < upper < np.inf:
            return f"Answer {yes}, {no.replace('the score', 'it')}; abstain between."
        if -np.inf < lower == upper < np.inf:
            return f"Answer {yes}, {negative} below that."
        if lower == upper:
            return f"Answer {negative if lower > 0 else positive}."
        if lower == -np.inf and upper == np.inf:
            return "Abstain always."
        return f"Answer {yes if upper < np.inf else no}; abstain elsewhere."

    def to_json(self, path: Any = None) -> str:
        """Write the rule as JSON of the schema ``cautious.rule/1``, also to a file if given.

        Examples
        --------
        >>> Rule.from_json(Rule.window(0.2, 0.7).to_json())
        Rule.window(0.2, 0.7, classes=[0, 1])
        """
        return write_data(rule_data(self), path)

    @property
    def tuned_column(self) -> str | None:
        """The column of scores that the rule was tuned on, if one was named then."""
        name = (self.columns or {}).get("score", (self.data or {}).get("score"))
        return name if isinstance(name, str) else None

    @property
    def tuned_proba(self) -> dict[str, str]:
        """The columns of probabilities that the rule was tuned on, by class; none if unknown."""
        known = (self.columns or {}).get("proba")
        if not isinstance(known, list | tuple) or len(known) != self.n_classes:
            return {}
        return dict(zip(map(label_text, self.classes), known, strict=True))

    def to_code(self, *, score: str | None = None) -> str:
        """Write the rule as a short Python program that answers alike without this library.

        It reads CSV from standard input, and writes it with a column ``y_set``, as
        :func:`cautious.apply` does. Of two classes it reads the column `score`, by default the one
        that the rule was tuned on or else ``"score"``; of more classes the columns that it was
        tuned on, or else ``p_<class>`` for each. A utility or set costs of more than five classes
        have no program: they choose among too many sets.

        Examples
        --------
        >>> "LOWER = 0.2" in Rule.window(0.2, 0.7).to_code()
        True
        """
        return rule_code(self, score)

    @classmethod
    def from_json(cls, source: Any) -> Rule:
        """Read a rule that :meth:`to_json` wrote, from text or a file; anything else is refused.

        Examples
        --------
        >>> rule = Rule.window(0.2, 0.7, classes=["no", "yes"])
        >>> Rule.from_json(rule.to_json()) == rule
        True
        """
        rules = rules_from_json(source)
        if len(rules) > 1:
            raise rule_error(
                f"there are rules of {len(rules)} models, {', '.join(map(repr, rules))}; read them "
                "with rules_from_json and choose one."
            )
        return next(iter(rules.values()))

    def with_details(self, **about: Any) -> Rule:
        """Return the same rule with another `model`, `certificate`, `data`, `columns` or `costs`.

        Examples
        --------
        >>> Rule.window(0.2, 0.7).with_details(model="forest").model
        'forest'
        """
        rule = exchange_details(self, **about)
        check_details(about)
        if about.get("costs") is not None:
            _check_costs(about["costs"], self.n_classes)
        return rule

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return rule_data(self, strict=False) == rule_data(other, strict=False)

    def __hash__(self) -> int:
        numbers = (self.lower, self.upper, self.threshold, self.thresholds)
        return hash((self.kind, self.classes, numbers, self.model))

    def __repr__(self) -> str:
        if self.kind == "class_thresholds":
            compared = f"[{', '.join(f'{t:.4g}' for t in self.thresholds or ())}]"
        elif self.kind in ("utility", "set_costs"):
            compared = repr(self.worth) if self.worth else type(self.costs).__name__
        else:
            compared = ", ".join(f"{getattr(self, name):.6g}" for name in COMPARED[self.kind])
        if self.graded:
            return f"Rule.acceptance({compared})"
        return f"Rule.{self.kind}({compared}, classes={list(self.classes)!r})"

    def _order(self, classes: Sequence[Any]) -> list[int] | None:
        """Where each of the rule's classes stands among the columns given; None if in its place."""
        given = check_classes(classes).tolist()
        if sorted(map(str, given)) != sorted(map(str, self.classes)):
            raise ValueError(
                f"classes is {shown(given)} but the rule is about {shown(list(self.classes))}; "
                "apply it to scores of the same classes."
            )
        place = {str(label): at for at, label in enumerate(given)}
        order = [place[str(label)] for label in self.classes]
        return None if order == sorted(order) else order

    @cached_property
    def _is_in_usual_order(self) -> bool:
        """Whether a classifier lists two classes as the rule does, and not otherwise."""
        own = list(self.classes)
        usual = [sorted_labels(own)]  # numbers by their value, also where a file has them as text
        if all(isinstance(label, str) for label in own):
            usual.append(sorted(own))
        return all(order == own for order in usual)

    def _values(self, scores: npt.ArrayLike, order: list[int] | None, *, in_order: bool) -> Floats:
        """Scores of a window, or probabilities with the columns in the order of the rule."""
        k, named = self.n_classes, False
        if not isinstance(scores, np.ndarray):
            scores = as_pandas(scores)
            named = has_names(scores)
            scores = frame_in_class_order(scores, check_classes(self.classes), "scores")
        values = as_floats(scores, "scores", "scores")
        unsaid = k == 2 and values.shape[1:] == (2,) and not (in_order or named)
        if unsaid and not self._is_in_usual_order:
            own = list(self.classes)
            raise ValueError(
                "scores has two columns, and it is not clear which class each is about: a "
                f"classifier sorts its classes_, and the rule lists {shown(own)}, the positive one "
                "last. Pass classes=model.classes_ for a model's predict_proba, or "
                f"classes={shown(own)} if the columns are in this order; or give the scores of "
                f"{shown(own[1])} alone, shape (n,)."
            )
        if values.shape[1:] != (k,) and not (values.ndim == 1 and k == 2):
            raise ValueError(
                f"scores has shape {values.shape}; give probabilities of shape (n, {k}), a column "
                "per class"
                + (", or the scores of the positive class, shape (n,)." * (k == 2) or ".")
            )
        if order is not None and values.ndim == 2 and not named:
            values = values[:, order]
        if self.ends is not None:
            return values if values.ndim == 1 else values[:, 1]
        if values.ndim == 1:
            outside = (values < 0) | (values > 1)
            if outside.any():
                at = int(np.argmax(outside))
                raise ValueError(
                    f"scores[{at}] is {values[at]}; a rule of kind {shown(self.kind)} takes "
                    "probabilities of the positive class, between 0 and 1. "
                    f"{per_cent_hint(values)}".rstrip()
                )
            return np.column_stack([1 - values, values])
        missing = _is_missing(values)
        check_probabilities(values[~missing] if missing.any() else values, name="scores")
        return values

    def _decide(self, values: Floats) -> Mask:
        if self.kind in ("utility", "set_costs"):
            return optimal_sets(values, self.costs if self.worth is None else self.worth)
        least = np.array(self.least)
        if self.kind == "confidence" or self.costs is None:
            choice, probability = likeliest(values)
            return answer_or_abstain(choice, probability >= least[choice], self.n_classes)
        choice, saving = preferred_answers(values, self.costs)
        least = rounded(least, parts_of_costs(self.costs))
        return answer_or_abstain(choice, saving >= least[choice], self.n_classes)


def _make(
    cls: type[Rule], kind: RuleKind, classes: Sequence[Any], about: dict[str, Any], **compared: Any
) -> Rule:
    unknown = sorted(set(about) - DETAILS)
    if unknown:
        raise TypeError(
            f"Rule.{kind} has no argument {shown(unknown[0])}; besides its thresholds it takes "
            f"classes, {', '.join(sorted(DETAILS))}."
        )
    fields = about | compared
    if (costs := fields.get("costs")) is not None:
        labels = tuple(check_classes(classes).tolist())
        needs = kind in ("class_thresholds", "set_costs")
        positive = labels[1] if len(labels) == 2 else None
        fields["costs"] = as_costs(costs, labels, pos_label=positive, needs_abstention=needs)
    return cls(kind, classes, **fields)  # type: ignore[arg-type]  # checked there


def _check_costs(costs: SetCosts, n_classes: int) -> None:
    if costs.n_classes != n_classes:
        raise ValueError(f"costs is about {costs.n_classes} classes; the rule about {n_classes}.")
    if costs.per_case:
        raise ValueError(
            "costs differ per case, and a rule is for cases to come; decide with "
            "optimal_sets(p, costs), which takes costs per case."
        )


def _check_what_is_compared(rule: Rule, classes: tuple[Any, ...]) -> dict[str, Any]:
    """Check that a rule has what its kind compares, and nothing else; give a threshold as read."""
    if rule.kind not in COMPARED:
        kinds = ", ".join(COMPARED)
        raise ValueError(f"kind is {shown(rule.kind)}; the kinds of rules are {kinds}.")
    for name in (name for names in COMPARED.values() for name in names):
        needed = name in COMPARED[rule.kind]
        if (getattr(rule, name) is not None) != needed:
            has = "has no" if needed else "has a"
            raise ValueError(
                f"a rule of kind {shown(rule.kind)} {has} {name}; see Rule.{rule.kind}."
            )
    k, costs = len(classes), rule.costs
    if costs is not None:
        _check_costs(costs, k)
    elif rule.kind == "set_costs":
        raise ValueError("a rule of kind 'set_costs' needs costs.")
    if rule.kind == "window":
        if k != 2:
            raise ValueError(f"a window is for two classes, not {shown(list(classes))}.")
        return dict(zip(("lower", "upper"), check_window(rule.lower, rule.upper), strict=True))
    if rule.kind == "acceptance":
        if classes != GRADES:
            raise ValueError(
                f"classes is {shown(list(classes))}; a rule of kind 'acceptance' is about answers "
                f"that are {GRADES[0]!r} or {GRADES[1]!r}."
            )
        words = "give the least confidence of an answer"
        return {"threshold": as_number(rule.threshold, "threshold", words=words)}
    if rule.kind == "confidence":
        return {"threshold": float(check_thresholds(rule.threshold, (), "threshold"))}
    if rule.kind == "class_thresholds" and costs is None:
        check_thresholds(rule.thresholds, (k,), "thresholds")
    elif rule.kind == "class_thresholds" and costs is not None:
        if len(rule.thresholds or ()) != k or np.isnan(rule.thresholds or ()).any():
            raise ValueError(
                f"thresholds is {shown(list(rule.thresholds or ()))}; give one number for each of "
                f"{k} classes."
            )
        costs.answer_values()  # refuses a table that does not cost abstaining
    return {}


def _is_plain(row: Any, k: int) -> bool:
    """Tell whether these are k probabilities in plain numbers, which add up to 1."""
    return (
        isinstance(row, list | tuple)
        and len(row) == k
        and {*map(type, row)} <= {float, int, np.float64}
        and min(row) >= 0
        and abs(sum(row) - 1) < 1e-9
    )


def _is_missing(values: Floats) -> Mask:
    if not np.isnan(values.min(initial=0.0)):  # usually none is
        return np.zeros(len(values), dtype=np.bool_)
    missing = np.isnan(values)
    return missing if missing.ndim == 1 else np.asarray(missing.any(axis=1))
