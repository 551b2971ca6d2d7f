"""Library, command line, map and page name the same model as the cheapest, or none."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from tests.report.core import ask_models
from tests.tuning.fits import cross_fit_of

import cautious
from cautious.cli.app import main
from cautious.tuning._cross_fitting import TooFewCases
from cautious.tuning._winners import distinct_winners

NAMED = r"^(\w+) is expected to do best on new cases: .*, and the difference to each other model is"
PAGE = """const { best, distinct } = core.verdictOf(models, null, given.costs);
    return distinct ? models[best].name : null;"""


@pytest.mark.parametrize("sets", [6, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore")
def test_one_winner(sets, tmp_path, capsys):
    rng, winners = np.random.default_rng(2), []
    for _ in range(sets):
        n = int(rng.integers(90, 500))
        y = np.append(np.repeat([0, 1], 30), rng.random(n) < rng.uniform(0.25, 0.5)).astype(int)
        alike, data = 0.6 * rng.normal(size=len(y)), {}
        for name in "abcd"[: rng.integers(2, 5)]:
            noise = (
                rng.uniform(0.5, 1.2) * rng.normal(size=len(y)) * (1 + 0.8 * y * rng.integers(2))
            )
            score = np.round(rng.uniform(0.3, 2.5) * y + alike + noise, rng.integers(1, 6))
            data[name] = y, score
            pd.DataFrame({"y_true": y, "y_score": score}).to_csv(tmp_path / f"{name}.csv")
        alarm, price = int(rng.integers(1, 17)), int(rng.integers(1, 8))
        costs = {"false_negative": 16, "false_positive": alarm, "abstain": price}
        tuned = cautious.tune(data, costs=costs).best
        _, _, places = distinct_winners(y, {name: score for name, (_, score) in data.items()})
        asked = ["tune", *(str(tmp_path / f"{name}.csv") for name in data), "--positive", "1"]
        for name, cost in costs.items():
            asked += [f"--{name.replace('_', '-')}", str(cost)]
        with pytest.raises(SystemExit, match=r"^0$"):
            main(asked)
        said = re.search(NAMED, capsys.readouterr().out, re.M)
        on_page = ask_models(PAGE, data, costs={"fn": 16, "fp": alarm, "abstain": price})
        assert (said and said[1]) == tuned == on_page == [*data, None][places[price, alarm]]
        # Over all costs together another model may be best, but in none of these was it so.
        compared = cautious.compare(data, n_resamples=50).best
        assert tuned in (None, compared) or compared is None
        winners.append(tuned)
    assert None in winners
    assert len({*winners}) > 1


@pytest.mark.parametrize("options", [{"priors": (0.617, 0.383)}, {"sample_weight": True}])
def test_map_as_cross_fitting_says(options):
    """With priors or weights that make no two windows cost the same."""
    rng = np.random.default_rng(4)
    y = (rng.random(160) < 0.4).astype(int)
    scores = [q * y + rng.normal(size=160) for q in (0.3, 1.2, 3.0)]
    if "sample_weight" in options:
        options = {"sample_weight": 1 + rng.random(160)}
    mu, nu, winner = distinct_winners(y, dict(enumerate(scores)), n=5, **options)
    for (row, column), found in np.ndenumerate(winner[:, 1:]):  # a cost of 0 is refused elsewhere
        costs = {"false_negative": 1, "false_positive": mu[column + 1], "abstain": nu[row]}
        fits = [cross_fit_of(y, y_score=score, costs=costs, **options) for score in scores]
        best = min(range(3), key=lambda at: fits[at].estimate("cost"))
        gaps = [fits[best].difference(fit, "cost", 1 - 0.05 / 3) for fit in fits]
        clear = sum(gap.high < 0 for gap in gaps) == 2
        assert found == (best if clear else -1), costs
    assert (winner >= 0).any()
    assert (winner < 0).any()


def test_map_of_too_few_cases():
    with pytest.raises(TooFewCases, match="too few cases of class '1': 2"):
        distinct_winners([0] * 40 + [1, 1], {"a": np.arange(42), "b": np.arange(42)[::-1]})
