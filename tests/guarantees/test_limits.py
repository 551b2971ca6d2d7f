"""The table of limits: what each one counts, and who reads it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from cautious.guarantees import certify
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LIMITS, LimitCounts, read_limits

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
    halves = (slice(0, 3), slice(3, None))
    counts = [
        (
            np.bincount(ANSWER[half][ANSWER[half] >= 0], minlength=2),
            np.bincount(ANSWER[half][(ANSWER != TRUTH)[half] & (ANSWER >= 0)[half]], minlength=2),
            len(TRUTH[half]),
            TRUTH[half].sum(),
        )
        for half in halves
    ]
    stacked = LimitCounts(*map(np.array, zip(*counts, strict=True)))
    assert tuple(map(np.sum, LIMITS[name].of(stacked))) == (events, trials)


def test_users_can_give_every_limit_of_the_table():
    parameters = inspect.signature(certify).parameters
    assert [name for name in parameters if name in LIMIT_ARGUMENTS] == list(LIMIT_ARGUMENTS)
    given = dict.fromkeys(LIMIT_ARGUMENTS, 0.2)
    least = {"false_discovery", "false_omission"}
    assert read_limits(**given) == {
        limit.name: 0.8 if limit.name in least else 0.2 for limit in LIMIT_ARGUMENTS.values()
    }
