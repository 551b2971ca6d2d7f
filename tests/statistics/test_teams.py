"""Whether a team of a model and an expert errs no more than was promised."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from tests.statistics.trials import runs, told

from cautious.models import DeferringClassifier

DISTANCE = 1.5


def world(rng, n, hard):
    """Two unit normals, and an expert who errs in 3 %, or more so where the model is in doubt."""
    y = rng.integers(2, size=n)
    x = rng.normal(DISTANCE * (y - 0.5), 1)
    wrong = rng.random(n) < np.where(hard & (np.abs(x) < 0.5), 0.12, 0.03)
    p = expit(DISTANCE * x)
    return np.column_stack([1 - p, p]), y, np.where(wrong, 1 - y, y)


def true_error(team, hard):
    """Share of mistakes of a team over the line, by numbers of the normal distribution."""
    lower, upper = (1 / DISTANCE * np.log(t / (1 - t)) if 0 < t < 1 else np.sign(t - 0.5) * np.inf
                    for t in (team.thresholds[0], team.thresholds[1]))  # fmt: skip
    half = DISTANCE / 2

    def share(a, b):  # of all cases between a and b
        return sum(norm.cdf(b - m) - norm.cdf(a - m) for m in (-half, half)) / 2 if b > a else 0.0

    own = norm.cdf(lower - half) / 2 + norm.sf(upper + half) / 2
    doubtful = share(max(lower, -0.5), min(upper, 0.5)) if hard else 0.0
    return own + 0.03 * share(lower, upper) + 0.09 * doubtful


@pytest.mark.filterwarnings("ignore:Nothing can be promised")
@pytest.mark.filterwarnings("ignore:.* calibration rows also occur")
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("trials", runs(10))
def test_teams_err_no_more_than_promised(trials, hard, rng, ledger):
    broken, asked = [], []
    model = DeferringClassifier(told(2), max_error=0.1, confidence_level=0.9)
    for seed in range(trials):
        X, y, said = world(rng, 600, hard)
        model.set_params(random_state=seed).fit(X, y, answers={"expert": said})
        granted = model.certificate_.granted
        broken.append(granted and true_error(model.team_, hard) > 0.1)
        asked.append(model.team_.shares[1] if granted else 1.0)
    kind = "12 % where the model is in doubt" if hard else "alike everywhere"
    where = f"normals 1.5 apart, 600 cases, expert errs in 3 %, {kind}, max_error=0.1"
    ledger.at_most("teams err more often than promised", where, broken, 0.1)
    ledger.mean("share that the expert is asked about", where, asked, "–", (0.2, 0.8))  # fmt: skip
