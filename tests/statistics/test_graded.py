"""Whether promises about graded answers are kept, with people's grades alone and with a judge's."""

import numpy as np
import pytest
from scipy.stats import beta
from tests.statistics.trials import runs

from cautious._cases import Cases
from cautious._labels import GRADES
from cautious.guarantees import certify

VERBAL = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
SHARES = np.array([0.03, 0.05, 0.07, 0.15, 0.25, 0.20, 0.25])
RIGHT = np.array([0.30, 0.38, 0.44, 0.54, 0.69, 0.80, 0.92])
# World, answers, limit, and the coverage that exact tests reach elsewhere.
SETTINGS = [
    *(("calibrated", n, limit, c) for n, limit, c in [(200, 0.1, 0.35), (500, 0.1, 0.58)]),
    *(("calibrated", 2000, limit, c) for limit, c in [(0.05, 0.33), (0.1, 0.69)]),
    *(("verbal", n, 0.2, c) for n, c in [(200, 0.35), (500, 0.46), (2000, 0.49)]),
    ("verbal", 200, 0.05, 0.0),
]


def answers(world, n, rng, **about):
    """Draw confidences, Beta(5, 1) or seven words, and grades."""
    if world == "calibrated":
        confidence = chance = rng.beta(5, 1, n)
    else:
        at = rng.choice(7, n, p=SHARES)
        confidence, chance = VERBAL[at], RIGHT[at]
    codes = (rng.random(n) < chance).astype(np.intp)
    return Cases("m", GRADES, codes, y_score=confidence, graded=True, **about)


def truth_of(rule, world):
    """Give the share that goes out, and how much of it is wrong."""
    if rule is None or rule.threshold > 1:
        return 0.0, 0.0
    if world == "calibrated":
        out = beta.sf(rule.threshold, 5, 1)
        return out, 1 - beta.sf(rule.threshold, 6, 1) * 5 / 6 / out
    kept = rule.accept(VERBAL)
    out = SHARES[kept].sum()
    return out, 1 - SHARES[kept] @ RIGHT[kept] / out


@pytest.mark.parametrize(("world", "n", "limit", "coverage"), SETTINGS)
@pytest.mark.parametrize("trials", runs(50))
def test_promises_about_graded_answers(trials, world, n, limit, coverage, rng, ledger):
    found = []
    for _ in range(trials):
        others = answers(world, n, rng).score
        asked = {"max_error": limit, "confidence_level": 0.9, "other_scores": others}
        found.append(truth_of(certify(answers(world, n, rng), **asked).rule, world))
    where = f"{world} confidences, {n} graded answers, max_error={limit:g}"
    out, wrong = np.transpose(found)
    ledger.at_most("promises of graded answers that are overdrawn", where, wrong > limit, 0.1)
    least = max(coverage - 0.02, 0.0)
    ledger.mean("graded answers that go out", where, out, f"≥ {100 * least:.0f} %", (least, 1.0))


@pytest.mark.parametrize("method", ["betting", "measured"])
@pytest.mark.parametrize(("agreement", "judged"), [(0.995, 3000), (0.9, 3000), (0.995, 30_000)])
@pytest.mark.parametrize("trials", runs(20))
def test_promises_with_a_judge(trials, agreement, judged, method, rng, ledger):
    found, n = [], 300 + judged
    for _ in range(trials):
        every = answers("calibrated", n, rng)
        judge = np.where(rng.random(n) < agreement, every.truth, 1 - every.truth)
        people = np.arange(n) < 300
        alone = Cases("m", GRADES, y_score=every.score[~people], judge=judge[~people], graded=True)
        given = {"judge": judge[people], "ungraded": alone, "graded": True}
        cases = Cases("m", GRADES, every.truth[people], y_score=every.score[people], **given)
        asked = {"max_error": 0.1, "confidence_level": 0.9, "judge_method": method}
        found.append(truth_of(certify(cases, **asked).rule, "calibrated"))
    about = f"{judged:,} of a judge right in {100 * agreement:g} %, {method}, max_error=0.1"
    where = f"300 human grades, {about}"
    out, wrong = np.transpose(found)
    ledger.at_most("promises with a judge that are overdrawn", where, wrong > 0.1, 0.1)
    ledger.mean("graded answers that go out with a judge", where, out, "–", (0.0, 1.0))
