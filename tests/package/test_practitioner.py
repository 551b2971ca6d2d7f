"""What a practitioner ran into, by the numbers of the list in docs/trials.md."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import cautious
from cautious.cli.app import app
from cautious.metrics import (
    coverage_score,
)

TESTS = Path(__file__).parents[1]
TRIALS = TESTS.parent / "docs" / "trials.md"
ELSEWHERE = {
    1: [
        "conformance/test_refusals.py::test_the_command_line_says_the_same",
        "metrics/test_scorers.py::test_empty_sets_may_be_wrong",
    ],
    2: ["cli/test_tune.py::test_a_promise_or_no_rule"],
    3: ["metrics/test_scorers.py::test_a_search_says_shortly_what_the_scorer_lacks"],
    4: ["models/wrappers/test_delegating.py::test_each_learns_from_what_was_delegated"],
    5: [
        "cli/test_apply.py::test_tuned_then_applied",
        "evaluation/test_apply.py::test_missing_scores_abstain_and_are_counted",
    ],
    6: ["evaluation/test_evaluate.py::test_costs_of_several_classes_score_what_they_tuned"],
    7: [
        "models/test_pipeline.py::test_has_what_its_last_step_has",
        "models/test_pipeline.py::test_scorers_see_through_plain_pipelines_and_searches",
    ],
    8: [
        "models/wrappers/test_tuned_abstaining.py::test_weights_count_in_the_choice",
        "models/wrappers/test_tuned_abstaining.py::test_groups_reach_the_splitter",
    ],
    10: ["models/test_parameters.py::test_parameters_are_checked_before_anything_is_fitted"],
    11: ["costs/test_audit.py::test_costs_of_two_classes_say_their_scope_and_remedy"],
    12: ["conformance/test_conformance.py::test_command_line"],  # two_score_columns
    13: [
        "cli/test_tune.py::test_another_share_of_positives",
        "models/wrappers/test_tuned_abstaining.py::test_savings_and_priors",
    ],
    14: [
        "curves/surface/test_cost_surface.py::test_windows_are_shown_in_one_line",
        "metrics/test_risk_coverage.py::test_curves_print_shortly",
    ],
    15: ["displays/test_common.py::test_displays_on_the_same_axes_take_several_colours"],
    16: ["cli/test_notes.py::test_scores_that_point_the_other_way"],
}
COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}
THREE = pd.DataFrame(
    [[0, 1, 2], [1, 0, 2], [4, 4, 0], [0.4, 0.4, 0.4]],
    index=["a", "b", "c", "abstain"],
    columns=["a", "b", "c"],
)


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def invoke(*args, code=0):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        assert result.exit_code == code, (result.stdout, result.stderr)
        return result

    return invoke


def scores(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, 1 / (1 + np.exp(-(2.5 * (y - 0.5) + rng.normal(size=n))))


def trees(n=300):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(3, 0.4), n)
    truth = (p.cumsum(axis=1) > rng.random((n, 1)) * 0.999).argmax(axis=1)
    frame = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"])
    return frame.assign(y_true=np.array(["a", "b", "c"])[truth])


def test_09_the_command_line_takes_costs_of_several_classes(run, tmp_path):
    trees().to_csv(tmp_path / "trees.csv", index=False)
    THREE.rename_axis("answer").to_csv(tmp_path / "c3.csv")
    found = run("tune", "trees.csv", "--costs", "c3.csv", "--apparent", "--json").stdout
    wanted = cautious.tune(trees(), costs=THREE, honest=False)
    cost = json.loads(found)["models"]["trees"]["cost"]
    assert cost == pytest.approx(wanted.frame()["apparent_cost"].iloc[0])


def test_17_intervals_of_many_rows_take_seconds():
    """Counts are resampled, not rows: as many numbers, whatever the number of rows."""
    y, score = scores(20_000)
    how = {"window": (0.2, 0.8), "confidence_level": 0.9, "n_resamples": 20, "measures": ["u65"]}
    seen = []
    once = cautious.evaluate({"m": (y, score)}, progress=lambda *s: seen.append(s), **how)
    twice = cautious.evaluate({"m": (np.tile(y, 2), np.tile(score, 2))}, **how)
    assert len(once.models["m"].counts.weight) == len(twice.models["m"].counts.weight) < 10
    assert seen  # progress is shown


def test_18_one_winner_and_one_meaning_of_coverage(run, tmp_path):
    y, score = scores()
    frame = pd.DataFrame({"y_true": y, "lgbm": score, "hgb": np.roll(score, 0) ** 1.01})
    frame.to_csv(tmp_path / "two.csv", index=False)
    text = run("compare", "two.csv", "--score", "lgbm", "--score", "hgb", "--resamples", 50).stdout
    assert "the one to take" not in text
    assert "worth most" not in text
    assert "ontainment" in coverage_score.__doc__ or "get an answer" in coverage_score.__doc__


def test_19_a_report_of_a_polars_frame(tmp_path):
    polars = pytest.importorskip("polars")
    y, score = scores()
    frame = polars.DataFrame({"y_true": y, "score": score})
    page = cautious.build_report(frame, tmp_path / "report.html")
    assert page.stat().st_size > 100_000


def test_the_list_is_whole():
    """Each number of the list has a test here, or elsewhere."""
    here = {int(name[5:7]) for name in globals() if name[5:7].isdigit()}
    listed = re.findall(r"^\| (\d+) \|", TRIALS.read_text(encoding="utf-8"), re.M)
    assert sorted({*here, *ELSEWHERE}) == list(map(int, listed))
    assert not here & ELSEWHERE.keys()
    for names in ELSEWHERE.values():
        for name in names:
            file, _, function = name.partition("::")
            assert f"def {function}(" in (TESTS / file).read_text("utf-8"), name
