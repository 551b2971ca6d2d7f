"""Limits as data: what can be promised of answers, what it counts, and its words.

One table serves certificates, their words, the arguments of whoever asks for a promise, the
report's page and the alarms after deployment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

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
    of : callable or None
        Gives events and trials from :class:`LimitCounts`; None where they are not of answers.
    argument : str or None
        What users give; None for what only certificates speak of.
    is_least : bool
        Whether users give the least share of what is right, 1 minus the limit.
    two_classes : bool
        Whether it speaks of the positive one of two classes.
    among : {"answers", "cases", "positives"}
        What the trials are.
    on_average : bool
        Whether it can be promised on average: events among all cases or positives only grow with
        the coverage; of those among the answers there is a weaker proof.
    """

    name: str
    words: str
    of: Callable[[LimitCounts], Pair] | None = None
    argument: str | None = None
    is_least: bool = False
    two_classes: bool = False
    among: Literal["answers", "cases", "positives"] = "answers"
    on_average: bool = False


def _errors(counts: LimitCounts) -> Pair:
    return counts.wrong.sum(axis=-1), counts.answered.sum(axis=-1)


def _errors_of(column: int) -> Callable[[LimitCounts], Pair]:
    return lambda counts: (counts.wrong[..., column], counts.answered[..., column])


def _errors_per_case(counts: LimitCounts) -> Pair:
    return counts.wrong.sum(axis=-1), counts.cases


def _abstentions(counts: LimitCounts) -> Pair:
    return counts.cases - counts.answered.sum(axis=-1), counts.cases


LIMITS = {
    limit.name: limit
    for limit in (
        Limit(
            "error",
            "at most {share} of the answers are wrong",
            _errors,
            "max_error",
            on_average=True,
        ),
        Limit(
            "false_discovery",
            "at most {share} of the positive answers are wrong",
            _errors_of(1),
            "min_ppv",
            is_least=True,
            two_classes=True,
        ),
        Limit(
            "false_omission",
            "at most {share} of the negative answers are wrong",
            _errors_of(0),
            "min_npv",
            is_least=True,
            two_classes=True,
        ),
        Limit("class_error", "at most {share} of the answers of each class are wrong"),
        Limit(
            "missed",
            "at most {share} of the positive cases are answered negative",
            lambda counts: (counts.wrong[..., 0], counts.positives),
            "max_missed",
            two_classes=True,
            among="positives",
            on_average=True,
        ),
        Limit(
            "error_per_case",
            "at most {share} of all cases are answered wrongly",
            _errors_per_case,
            "max_error_per_case",
            among="cases",
            on_average=True,
        ),
        Limit("set_error", "at most {share} of the sets miss the truth"),
        Limit(
            "abstention",
            "at most {share} of all cases are abstained on",
            _abstentions,
            "max_abstention",
            among="cases",
        ),
        Limit("cost", "the mean cost is at most {value}", among="cases"),
        Limit("utility", "the mean utility is at least {value}", among="cases"),
    )
}
"""Everything that can be promised, by name."""

LIMIT_ARGUMENTS = {limit.argument: limit for limit in LIMITS.values() if limit.argument is not None}
"""Limits that users can give, by their arguments."""


def counts_of(limit: str, truth: Ints, answer: Ints) -> tuple[int, int]:
    """Count events and trials of a limit: `truth` holds codes, `answer` too, or -1 for none."""
    count = LIMITS[limit].of
    if count is None:
        raise ValueError(f"{limit} is not counted from answers.")
    answered, wrong = (answer >= 0), (answer >= 0) & (answer != truth)
    columns = max(2, int(answer.max(initial=-1)) + 1)
    events, trials = count(
        LimitCounts(
            np.bincount(answer[answered], minlength=columns),
            np.bincount(answer[wrong], minlength=columns),
            np.asarray(len(truth)),
            np.asarray((truth == 1).sum()),
        )
    )
    return int(events), int(trials)


def limits_json() -> dict[str, dict[str, Any]]:
    """Give what the report's page needs to know of the limits that users can give."""
    return {
        limit.name: {
            "argument": argument,
            "is_least": limit.is_least,
            "two_classes": limit.two_classes,
            "among": limit.among,
            "on_average": limit.on_average,
            "words": limit.words,
        }
        for argument, limit in LIMIT_ARGUMENTS.items()
    }


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
