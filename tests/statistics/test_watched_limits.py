"""Whether the watch of every limit keeps its promise over all time, by groups too, and how soon."""

from functools import cache

import numpy as np
import pytest
from tests.statistics.test_alarms import least_wrong
from tests.statistics.trials import runs

from cautious.evaluation import Watch
from cautious.guarantees._limits import LIMITS, LimitCounts

CASES, GROUPS = 4000, 4
POSITIVES = 0.3
# Chances of a negative, a positive answer and none, for negative and for positive cases.
ANSWERS = np.array([[0.70, 0.06, 0.24], [0.10, 0.65, 0.25]])
WATCHED = [name for name, limit in LIMITS.items() if limit.of is not None]
AT_ONCE = 50


def streams(rng, trials, n=CASES):
    """Count what limits speak of, after each case of each stream."""
    positive = rng.random((trials, n)) < POSITIVES
    ends = ANSWERS.cumsum(axis=1)[positive.astype(int)]
    answer = (rng.random((trials, n))[..., None] > ends[..., :2]).sum(axis=-1)
    given = answer[..., None] == np.arange(2)
    wrong = given & (np.arange(2) != positive[..., None])
    of_each = (given, wrong, np.ones((trials, n), dtype=bool), positive)
    return LimitCounts(*(np.cumsum(each, axis=1) for each in of_each))


def rate_of(name):
    """Give the share that a limit speaks of on these streams."""
    shares = np.array([1 - POSITIVES, POSITIVES])
    answered = shares @ ANSWERS[:, :2]
    wrong = np.array([shares[1] * ANSWERS[1, 0], shares[0] * ANSWERS[0, 1]])
    events, trials = LIMITS[name].of(LimitCounts(answered, wrong, np.float64(1), shares[1]))
    return float(events / trials)


@cache
def bound_of(limit, level, n=CASES):
    """Give the least number of events that is an alarm, after each number of trials from 0 on."""
    return np.append(n + 1, least_wrong(limit, n, level, near=True))


def in_turns(trials):
    return [min(AT_ONCE, trials - start) for start in range(0, trials, AT_ONCE)]


def levels_of(name, groups):
    """Give the levels at which a watch looks at all cases and at each of its groups."""
    monitors = Watch("", {name: 0.1}, groups=groups).monitors().values()
    assert all(monitor.near for monitor in monitors)  # as those whose bounds are computed here
    return [monitor.confidence_level for monitor in monitors]


@pytest.mark.parametrize("name", WATCHED)
@pytest.mark.parametrize("trials", runs(100))
def test_false_alarms_about_every_limit(trials, name, rng, ledger):
    limit = rate_of(name)
    (level,) = levels_of(name, ())
    found = []
    for n in in_turns(trials):
        events, of = LIMITS[name].of(streams(rng, n))
        found += (events >= bound_of(limit, level)[of]).any(axis=1).tolist()
    words = name.replace("_", " ")
    ledger.at_most(
        f"false alarms of watch about {words}, looked at after every case",
        f"its share at the limit of {100 * limit:.3g} %, {CASES:,} cases",
        found,
        0.05,
    )


@pytest.mark.parametrize("name", WATCHED)
@pytest.mark.parametrize("trials", runs(100))
def test_false_alarms_about_every_limit_by_group(trials, name, rng, ledger):
    limit = rate_of(name)
    _, *levels = levels_of(name, tuple("abcd"))
    assert len(levels) == GROUPS
    each = CASES // GROUPS
    found = []
    for n in in_turns(trials):
        events, of = LIMITS[name].of(streams(rng, n * GROUPS, each))
        late = (events >= bound_of(limit, levels[0])[of]).any(axis=1)
        found += late.reshape(n, GROUPS).any(axis=1).tolist()
    words = name.replace("_", " ")
    ledger.at_most(
        f"false alarms of watch about {words} in any of {GROUPS} groups, after every case",
        f"its share at the limit of {100 * limit:.3g} % in each, {each:,} cases of each",
        found,
        0.05,
    )


def first_of(late):
    """Give the number of cases at the first alarm, one more than there are if there is none."""
    return np.where(late.any(axis=1), late.argmax(axis=1) + 1, late.shape[1] + 1)


@pytest.mark.parametrize("name", WATCHED)
@pytest.mark.parametrize("trials", runs(100))
def test_delay_of_alarms_about_every_limit(trials, name, rng, ledger):
    """The limit is half of what happens; the exact test beside knows that, and we do not."""
    rate = rate_of(name)
    limit = rate / 2
    (level,) = levels_of(name, ())
    gain, loss = np.log(rate / limit), np.log((1 - rate) / (1 - limit))
    ours, exact = [], []
    for n in in_turns(trials):
        events, of = LIMITS[name].of(streams(rng, n))
        ours += first_of(events >= bound_of(limit, level)[of]).tolist()
        exact += first_of(events * gain + (of - events) * loss >= -np.log(1 - level)).tolist()
    ledger.mean(
        f"mean delay of alarms of watch about {name.replace('_', ' ')} beside that of Wald's "
        "test, which knows the new share",
        f"its share twice the limit of {100 * limit:.3g} %",
        np.array(ours) / np.mean(exact),
        "at most 200 %",
        (0.0, 2.0),
    )
    ledger.share(
        f"alarms of watch about {name.replace('_', ' ')} within twice the median delay of Wald's "
        "test, which knows the new share",
        f"its share twice the limit of {100 * limit:.3g} %",
        np.array(ours) <= 2 * np.median(exact),
        "at least half of them",
        (0.5, 1.0),
    )
