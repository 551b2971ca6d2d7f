"""Whether alarms after deployment keep their promise over all time, and how soon they come."""

import numpy as np
import pytest
from tests.statistics.trials import runs

from cautious.curves import Staircase
from cautious.curves._hull import kept_scores
from cautious.decision import Rule
from cautious.evaluation._calibration import Calibration
from cautious.guarantees import DriftMonitor, RiskMonitor

ANSWERS = 10_000


def least_wrong(limit, n=ANSWERS, level=0.95, near=False):
    """Give the least number of wrong answers that is an alarm, after each number of answers."""
    least, found = 0, []
    for answered in range(1, n + 1):
        while least <= answered and not RiskMonitor(limit, level, least, answered, near).alarm:
            least += 1
        found.append(least)
    return np.array(found)


def first_alarms(rng, risk, trials, limit=0.05):
    """Number of answers at the first alarm of each stream, looking after every answer."""
    bound = least_wrong(limit)
    found = []
    for _ in range(trials):
        late = np.cumsum(rng.random(ANSWERS) < risk) >= bound
        found.append(int(late.argmax()) + 1 if late.any() else ANSWERS + 1)
    return np.array(found)


@pytest.mark.parametrize("trials", runs(200))
def test_false_alarms_about_errors(trials, rng, ledger):
    ledger.share(
        "false alarms of RiskMonitor, looked at after every answer",
        "risk at its limit of 5 %, 10,000 answers",
        first_alarms(rng, 0.05, trials) <= ANSWERS,
        "at most 5 %",
        (0.0, 0.05),
    )


@pytest.mark.parametrize("trials", runs(200))
def test_false_alarms_of_a_sum_of_watches(trials, rng, ledger):
    """Each of two watches and their sum may raise the alarm: three chances, not one."""
    half = ANSWERS // 2
    bound = least_wrong(0.05)
    found = []
    for _ in range(trials):
        one, other = np.cumsum(rng.random((2, half)) < 0.05, axis=1)
        alone = (one >= bound[:half]) | (other >= bound[:half])
        found.append(bool(np.any(alone | (one + other >= bound[1::2]))))
    ledger.share(
        "false alarms of two watches or their sum, looked at after every answer",
        "risk at its limit of 5 %, 5,000 answers each",
        found,
        "at most 15 %",
        (0.0, 0.15),
    )


def median_delay(risk, limit=0.05, n=1000):
    """Number of answers by which half of the streams have had an alarm, exactly."""
    chances = np.zeros(n + 2)  # of each number of wrong answers, without an alarm so far
    chances[0] = 1.0
    for answered, least in enumerate(least_wrong(limit, n), 1):
        chances[1:] = chances[1:] * (1 - risk) + chances[:-1] * risk
        chances[0] *= 1 - risk
        chances[least:] = 0.0
        if chances.sum() <= 0.5:
            return answered
    raise AssertionError(f"most streams have no alarm within {n} answers")


@pytest.mark.parametrize(("risk", "median"), [(0.10, 221), (0.08, 641)])
@pytest.mark.parametrize("trials", runs(2000)[1:])
def test_delay_of_true_alarms(trials, risk, median, rng, ledger):
    assert median_delay(risk) == median
    delays = first_alarms(rng, risk, trials)
    assert np.median(delays) == pytest.approx(median, rel=0.06)
    ledger.share(
        f"true alarms of RiskMonitor within {median} answers",
        f"limit 5 %, risk {100 * risk:g} %",
        delays <= median,
        "half of them",
        (0.45, 0.55),
    )


SHIFTS = {
    # separation, old cases, new cases, old share, new share, share of known truths
    "separation 2, 1,000 old and 500 new cases, 35 % then 60 %": (2, 1000, 500, 0.35, 0.6, 0),
    "separation 2, 300 old and 2,000 new cases, 35 % then 10 %": (2, 300, 2000, 0.35, 0.1, 0),
    "separation 3, 1,000 old and 500 new cases, 10 % then 2 %": (3, 1000, 500, 0.1, 0.02, 0),
    "the first again, half of the truths known": (2, 1000, 500, 0.35, 0.6, 0.5),
    "weak scores: separation 1, 300 old and 300 new cases": (1, 300, 300, 0.5, 0.3, 0),
}


@pytest.mark.parametrize("setting", SHIFTS)
@pytest.mark.parametrize("trials", runs(40))
def test_intervals_of_the_share_of_positives(trials, setting, rng, ledger):
    apart, n, m, before, now, known = SHIFTS[setting]
    found = []
    for _ in range(trials):
        old = (rng.random(n) < before).astype(int)
        score = rng.normal(size=n) + apart * old
        rule = Rule.window(0, apart)
        data = kept_scores(Staircase.from_predictions(old, score))
        calibration = Calibration.of_rule(rule.with_details(data=data))
        new = (rng.random(m) < now).astype(int)
        open_ = rng.random(m) >= known
        bins = calibration.bins_of((rng.normal(size=m) + apart * new)[open_])
        truths = tuple(np.bincount(new[~open_], minlength=2).tolist())
        interval = calibration.share_of_positives(bins, truths)
        found.append(interval.low <= now <= interval.high)
    weak = setting.startswith("weak")
    ledger.share(
        "interval of the share of positives among new cases",
        setting,
        found,
        "about 92 %" if weak else "95 %",
        (0.90, 0.94) if weak else (0.93, 0.97),
    )


SCORES = {
    "normal scores": lambda rng, n: rng.normal(size=n),
    "scores of two digits": lambda rng, n: rng.random(n).round(2),
    "five different scores": lambda rng, n: rng.binomial(4, 0.3, n) / 4,
}


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("trials", runs(10))
def test_false_alarms_about_drift(trials, scores, rng, ledger):
    draw, found = SCORES[scores], []
    looks = np.unique(np.geomspace(1, ANSWERS, 60).astype(int)) - 1
    for _ in range(trials):
        codes = rng.integers(2, size=300)
        seen = Staircase.from_predictions(codes, draw(rng, 300)).score_bins()
        expected = np.array(seen["counts"])
        expected[-1] += 1
        place = np.searchsorted(seen["edges"], draw(rng, ANSWERS))
        counts = np.cumsum(place[:, None] == np.arange(len(expected)), axis=0)
        found.append(any(DriftMonitor(expected, counts[at]).alarm for at in looks))
    ledger.share(
        "false alarms of DriftMonitor, looked at 60 times",
        f"{scores}, 300 calibration cases, 10,000 new ones",
        found,
        "at most 5 %",
        (0.0, 0.05),
    )
