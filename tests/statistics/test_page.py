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


NINETY_FIVE = {300: 0.92, 100: 0.88, 1000: 0.92, 3000: 0.92}  # least coverage, by cases
WORLDS = {
    **{
        f"{n} cases, 35 % positives, AUC {auc}, costs {price}": (n, auc, costs, {})
        for n in (300, 100, 1000)
        for auc in (0.8, 0.92)
        for price, costs in COSTS.items()
    },
    # The library's own two worlds, in the page.
    **{
        f"{n} cases, skewed scores with ties": (n, 0.5, (20, 4, 1), {"tied": True})
        for n in (300, 100, 1000)
    },
    **{
        f"{n} cases, 5 % positives": (n, stats.norm.cdf(2**0.5), (30, 3, 1), {"share": 0.05})
        for n in (1000, 3000)
    },
}


@pytest.mark.parametrize("where", WORLDS)
@pytest.mark.parametrize("trials", runs(20))
def test_cost_of_the_recommended_window(trials, where, rng, ledger):
    n, auc, costs, others = WORLDS[where]
    hits = tried(rng, n, auc, costs, trials, **others)
    between = (NINETY_FIVE[n], 1.0)
    ledger.share("the page: cost of the recommended window", where, hits, "95 %", between)


@pytest.mark.parametrize(("share", "n"), [(0.35, 300), (0.1, 1000)])
@pytest.mark.parametrize("trials", runs(15))
def test_equally_good_models_are_not_told_apart(trials, share, n, rng, ledger):
    named = tried(rng, n, 0.85, (10, 2, 1), trials, share=share, models=3)
    ledger.share(
        "the page: a cheapest of three equally good models is named",
        f"{n} cases, {100 * share:g} % positives, AUC 0.85, costs 10 : 2 : 1",
        named,
        "at most 5 %",
        (0.0, 0.05),
    )
