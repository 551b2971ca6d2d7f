"""How often the page's own intervals and verdicts, computed by its own modules, are right."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from scipy import stats

SCRIPT = Path(__file__).with_name("page_trials.mjs")
COSTS = {"20 : 4 : 1": (20, 4, 1), "10 : 2 : 1": (10, 2, 1)}


def tried(n, auc, costs, trials, **others):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on the path")
    asked = {
        "n": n,
        "separation": float(2**0.5 * stats.norm.ppf(auc)),
        "costs": dict(zip(("fn", "fp", "abstain"), costs, strict=True)),
        "share": 0.35,
        "trials": trials,
        "seed": n,
    }
    done = subprocess.run(
        [node, str(SCRIPT)],
        input=json.dumps(asked | others),
        capture_output=True,
        text=True,
        check=True,
    )
    return [hit for hit in json.loads(done.stdout) if hit is not None]


@pytest.mark.parametrize("price", COSTS)
@pytest.mark.parametrize("auc", [0.8, 0.92])
@pytest.mark.parametrize(
    ("n", "trials", "least"),
    [
        # Of 100 cases, a tenth of the draws have too few positives for advice.
        pytest.param(100, 2300, 0.88, marks=pytest.mark.slow),
        pytest.param(300, 2000, 0.92, marks=pytest.mark.slow),
        pytest.param(1000, 2000, 0.92, marks=pytest.mark.slow),
        (300, 20, 0.92),
    ],
)
def test_cost_of_the_recommended_window(n, trials, least, auc, price, ledger):
    ledger.share(
        "the page: cost of the recommended window",
        f"{n} cases, 35 % positives, AUC {auc}, costs {price}",
        tried(n, auc, COSTS[price], trials),
        promised="95 %",
        between=(least, 1.0),
    )


@pytest.mark.parametrize(
    ("world", "n", "trials", "least"),
    [
        ("skewed scores with ties", 300, 20, 0.92),
        pytest.param("skewed scores with ties", 100, 2300, 0.88, marks=pytest.mark.slow),
        pytest.param("skewed scores with ties", 300, 2000, 0.92, marks=pytest.mark.slow),
        pytest.param("skewed scores with ties", 1000, 2000, 0.92, marks=pytest.mark.slow),
        pytest.param("5 % positives", 1000, 2050, 0.92, marks=pytest.mark.slow),
        pytest.param("5 % positives", 3000, 2000, 0.92, marks=pytest.mark.slow),
    ],
)
def test_cost_of_the_recommended_window_in_other_worlds(world, n, trials, least, ledger):
    # The library's own two worlds, in the page.
    if world == "5 % positives":
        hits = tried(n, stats.norm.cdf(2**0.5), (30, 3, 1), trials, share=0.05)
    else:
        hits = tried(n, 0.5, (20, 4, 1), trials, tied=True)
    ledger.share(
        "the page: cost of the recommended window",
        f"{n} cases, {world}",
        hits,
        promised="95 %",
        between=(least, 1.0),
    )


@pytest.mark.parametrize(
    ("trials", "share", "n"),
    [
        (15, 0.35, 300),
        pytest.param(2000, 0.35, 300, marks=pytest.mark.slow),
        pytest.param(2000, 0.1, 1000, marks=pytest.mark.slow),
    ],
)
def test_equally_good_models_are_not_told_apart(trials, share, n, ledger):
    named = tried(n, 0.85, (10, 2, 1), trials, share=share, models=3)
    ledger.share(
        "the page: a cheapest of three equally good models is named",
        f"{n} cases, {100 * share:g} % positives, AUC 0.85, costs 10 : 2 : 1",
        named,
        promised="at most 5 %",
        between=(0.0, 0.05),
    )
