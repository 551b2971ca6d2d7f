"""The table of limits: what each one counts, and who reads it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from cautious.guarantees import certify
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LIMITS, counts_of, limits_json, read_limits

ANSWER = np.array([0, 1, 1, -1, 0, -1, 1, 0])
TRUTH = np.array([0, 1, 0, 1, 1, 0, 1, 1])


@pytest.mark.parametrize(
    ("name", "events", "trials"),
    [
        ("error", 3, 6),
        ("false_discovery", 1, 3),
        ("false_omission", 2, 3),
        ("missed", 2, 5),
        ("error_per_case", 3, 8),
        ("abstention", 2, 8),
    ],
)
def test_each_limit_counts_events_among_trials(name, events, trials):
    assert counts_of(name, TRUTH, ANSWER) == (events, trials)
    halves = (slice(0, 3), slice(3, None))
    parts = [counts_of(name, TRUTH[half], ANSWER[half]) for half in halves]
    assert tuple(np.sum(parts, axis=0)) == (events, trials)


@pytest.mark.parametrize("name", [name for name, limit in LIMITS.items() if limit.of is not None])
def test_limits_of_no_cases_and_of_many_classes(name):
    nothing = np.array([], dtype=np.intp)
    assert counts_of(name, nothing, nothing) == (0, 0)
    if not LIMITS[name].two_classes:
        many = np.arange(5)
        wrong, trials = counts_of(name, many, many[::-1])
        assert trials == 5
        assert wrong == (0 if name == "abstention" else 4)


def test_what_is_not_counted_from_answers_is_refused():
    with pytest.raises(ValueError, match="cost is not counted from answers"):
        counts_of("cost", TRUTH, ANSWER)


def test_users_can_give_every_limit_of_the_table():
    parameters = inspect.signature(certify).parameters
    assert [name for name in parameters if name in LIMIT_ARGUMENTS] == list(LIMIT_ARGUMENTS)
    given = dict.fromkeys(LIMIT_ARGUMENTS, 0.2)
    least = {"false_discovery", "false_omission"}
    assert read_limits(**given) == {
        limit.name: 0.8 if limit.name in least else 0.2 for limit in LIMIT_ARGUMENTS.values()
    }
    assert limits_json()["missed"] == {
        "argument": "max_missed",
        "is_least": False,
        "two_classes": True,
        "among": "positives",
        "on_average": True,
        "words": "at most {share} of the positive cases are answered negative",
    }
