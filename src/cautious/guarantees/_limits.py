"""Limits as data: what can be promised of answers, what it counts, and its words.

One table serves certificates, their words, the arguments of whoever asks for a promise and the
alarms after deployment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import NamedTuple, TypeAlias

from cautious._checks import check_share
from cautious._typing import Ints

Pair: TypeAlias = tuple[Ints, Ints]
"""What speaks against a limit, and among how many."""


class LimitCounts(NamedTuple):
    """Counts of answers, which add up over cases; leading axes may be groups or candidates.

    Attributes
    ----------
    answered, wrong : ndarray of shape (..., K), int
        Answers and wrong answers by the class answered; one column of all will do where no limit
        speaks of one of two classes.
    cases, positives : ndarray of shape (...), int
        All cases, and those of the second class.
    """

    answered: Ints
    wrong: Ints
    cases: Ints
    positives: Ints


@dataclass(frozen=True)
class Limit:
    """One thing that can be promised.

    Attributes
    ----------
    name : str
        What it is called in certificates.
    words : str
        The promise, with ``{share}`` or ``{value}`` for the limit.
    argument : str or None
        What users give; None for what only certificates speak of.
    of : callable or None
        Gives events and trials from :class:`LimitCounts`; None where they are not of answers.
    of_answers : bool
        Whether the trials are answers, so that they grow with the coverage.
    is_least : bool
        Whether users give the least share of what is right, 1 minus the limit.
    two_classes : bool
        Whether it speaks of the positive one of two classes.
    on_average : bool
        Whether it can be promised on average: events among all cases or positives only grow with
        the coverage; of those among the answers there is a weaker proof.
    of_side : callable or None
        Gives, for a limit, a class and how many classes there are, the limits that the answers of
        this class must keep, so that all answers keep it: none where they cannot break it. None
        where it does not come apart so, and is promised for one threshold only.
    """

    name: str
    words: str
    argument: str | None = None
    of: Callable[[LimitCounts], Pair] | None = None
    of_answers: bool = False
    is_least: bool = False
    two_classes: bool = False
    on_average: bool = False
    of_side: Callable[[float, int, int], dict[str, float]] | None = None

    def said(self, most: float) -> str:
        """Say what is promised."""
        return self.words.format(share=f"{100 * most:g} %", value=outward(most, self.name))

    @property
    def seen(self) -> str:
        """What speaks against it, as it is said of cases that were counted."""
        words = self.words.partition(" of ")[2].replace("of each class", "of one class")
        return words.removeprefix("the ").removeprefix("all ").replace(" are ", " were ")


def outward(bound: float, name: str) -> str:
    """Write a bound with four digits, rounded to the safe side."""
    away = ROUND_FLOOR if name == "utility" else ROUND_CEILING
    return f"{float(Context(prec=4, rounding=away).create_decimal(Decimal(bound))):g}"


def _class_limit(name: str, answers: str, argument: str, column: int) -> Limit:
    """Limit the wrong ones among the answers of one of two classes."""

    def count(counts: LimitCounts) -> Pair:
        return counts.wrong[..., column], counts.answered[..., column]

    words = f"at most {{share}} of the {answers} answers are wrong"
    return Limit(
        name, words, argument, count, of_answers=True, is_least=True, two_classes=True,
        of_side=lambda most, side, k: {"error": most} if side == column else {},
    )  # fmt: skip


LIMITS = {
    limit.name: limit
    for limit in (
        Limit(
            "error",
            "at most {share} of the answers are wrong",
            "max_error",
            lambda counts: (counts.wrong.sum(axis=-1), counts.answered.sum(axis=-1)),
            of_answers=True,
            on_average=True,
            of_side=lambda most, side, k: {"error": most},
        ),
        _class_limit("false_discovery", "positive", "min_ppv", 1),
        _class_limit("false_omission", "negative", "min_npv", 0),
        Limit("class_error", "at most {share} of the answers of each class are wrong"),
        Limit(
            "missed",
            "at most {share} of the positive cases are answered negative",
            "max_missed",
            lambda counts: (counts.wrong[..., 0], counts.positives),
            two_classes=True,
            on_average=True,
            of_side=lambda most, side, k: {"missed": most} if side == 0 else {},
        ),
        Limit(
            "error_per_case",
            "at most {share} of all cases are answered wrongly",
            "max_error_per_case",
            lambda counts: (counts.wrong.sum(axis=-1), counts.cases),
            on_average=True,
            of_side=lambda most, side, k: {"error_per_case": most / k},
        ),
        Limit("set_error", "at most {share} of the sets miss the truth"),
        Limit(
            "abstention",
            "at most {share} of all cases are abstained on",
            "max_abstention",
            lambda counts: (counts.cases - counts.answered.sum(axis=-1), counts.cases),
        ),
        Limit("cost", "the mean cost is at most {value}"),
        Limit("utility", "the mean utility is at least {value}"),
    )
}
"""Everything that can be promised, by name."""

LIMIT_ARGUMENTS = {limit.argument: limit for limit in LIMITS.values() if limit.argument is not None}
"""Limits that users can give, by their arguments."""


def read_limits(**given: float | None) -> dict[str, float]:
    """Check the limits that users gave, by their arguments; returns them by name."""
    limits = {}
    for argument, value in given.items():
        if value is not None:
            share = check_share(value, argument)
            limit = LIMIT_ARGUMENTS[argument]
            limits[limit.name] = 1 - share if limit.is_least else share
    if not limits:
        raise ValueError(f"no limit is given; give one or more of {', '.join(LIMIT_ARGUMENTS)}.")
    return limits
