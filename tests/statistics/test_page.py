"""How often the page's own intervals and verdicts, computed by its own modules, are right."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from scipy import stats
from tests.statistics.trials import runs

SCRIPT = Path(__file__).with_name("page_trials.mjs")
COSTS = {"20 : 4 : 1": (20, 4, 1), "10 : 2 : 1": (10, 2, 1)}


def tried(rng, n, auc, costs, trials, **others):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on the path")
    asked = {
        "n": n,
        "separation": float(2**0.5 * stats.norm.ppf(auc)),
        "costs": dict(zip(("fn", "fp", "abstain"), costs, strict=True)),
        "share": 0.35,
        "trials": trials,
        "seed": int(rng.integers(2**31)),
    }
    done = subprocess.run(
        [node, str(SCRIPT)],
        input=json.dumps(asked | others),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("price", COSTS)
@pytest.mark.parametrize("auc", [0.8, 0.92])
@pytest.mark.parametrize(("n", "least"), [(300, 0.92), (100, 0.88), (1000, 0.92)])
@pytest.mark.parametrize("trials", runs(20))
def test_cost_of_the_recommended_window(trials, n, least, auc, price, rng, ledger):
    ledger.share(
        "the page: cost of the recommended window",
        f"{n} cases, 35 % positives, AUC {auc}, costs {price}",
        tried(rng, n, auc, COSTS[price], trials),
        promised="95 %",
        between=(least, 1.0),
    )


@pytest.mark.parametrize(
    ("world", "n", "least"),
    [
        ("skewed scores with ties", 300, 0.92),
        ("skewed scores with ties", 100, 0.88),
        ("skewed scores with ties", 1000, 0.92),
        ("5 % positives", 1000, 0.92),
        ("5 % positives", 3000, 0.92),
    ],
)
@pytest.mark.parametrize("trials", runs(20))
def test_cost_of_the_recommended_window_in_other_worlds(trials, world, n, least, rng, ledger):
    # The library's own two worlds, in the page.
    if world == "5 % positives":
        hits = tried(rng, n, stats.norm.cdf(2**0.5), (30, 3, 1), trials, share=0.05)
    else:
        hits = tried(rng, n, 0.5, (20, 4, 1), trials, tied=True)
    ledger.share(
        "the page: cost of the recommended window",
        f"{n} cases, {world}",
        hits,
        promised="95 %",
        between=(least, 1.0),
    )


@pytest.mark.parametrize(("share", "n"), [(0.35, 300), (0.1, 1000)])
@pytest.mark.parametrize("trials", runs(15))
def test_equally_good_models_are_not_told_apart(trials, share, n, rng, ledger):
    named = tried(rng, n, 0.85, (10, 2, 1), trials, share=share, models=3)
    ledger.share(
        "the page: a cheapest of three equally good models is named",
        f"{n} cases, {100 * share:g} % positives, AUC 0.85, costs 10 : 2 : 1",
        named,
        promised="at most 5 %",
        between=(0.0, 0.05),
    )
