"""``cautious watch``: one library call, a state file, and a status for schedulers."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious.decision import Rule


@pytest.fixture
def logs(tmp_path):
    rng = np.random.default_rng(0)
    for name, wrong in (("good", 0.02), ("better", 0.02), ("bad", 0.4)):
        y = rng.random(300) < 0.5
        score = np.where(y ^ (rng.random(300) < wrong), 0.9, 0.1)
        score = (score + rng.uniform(-0.05, 0.05, 300)).round(4)
        frame = pd.DataFrame(
            {"id": range(300), "y_true": np.where(y, "ill", "well"), "score": score}
        )
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    Rule.window(0.3, 0.7, classes=["well", "ill"]).to_json(tmp_path / "rule.json")
    return tmp_path


def test_quiet_then_alarm(run, logs):
    args = ("--rule", "rule.json", "--state", "watch.json")
    first = run("watch", "good.csv", *args, "--max-error", "0.1")
    assert "quiet" in first.stdout
    assert "Evidence: how many times more likely" in first.stdout
    assert "1 batch, 300 cases" in first.stdout
    again = run("watch", "good.csv", "better.csv", *args, code=2)
    assert "'good.csv' was fed before" in again.stderr
    assert "with --batch, or let it stand in for the old one with --replace" in again.stderr
    again = run("watch", "good.csv", "better.csv", *args, "--replace")
    assert "2 batches, 600 cases" in again.stdout
    loud = run("watch", "bad.csv", *args, code=3)
    assert "ALARM" in loud.stdout
    state = json.loads((logs / "watch.json").read_text())
    assert list(state["watch"]["alarms"]) == ["error"]
    # It stays, and schedulers go on being told.
    args += ("--replace",)
    told = json.loads(run("watch", "bad.csv", *args, "--json", code=3).stdout)
    assert told["alarm"]
    assert told["total"]["cases"] == 900
    assert len(run("watch", "bad.csv", *args, "--csv", code=3).stdout.splitlines()) == 4


def test_without_a_rule_it_says_where_to_get_one(fails, logs):
    said = fails("watch", "good.csv")
    assert "Missing option '--rule'. The rule that was deployed, as `cautious tune -o" in said


def test_states_of_two_machines_and_late_labels(run, run_json, logs):
    limits = ("--rule", "rule.json", "--max-error", "0.1")
    run("watch", "good.csv", *limits, "--state", "one.json", "--keep", 1)
    frame = pd.read_csv(logs / "better.csv")
    frame.drop(columns="y_true").to_csv(logs / "unlabelled.csv", index=False)
    frame[["id", "y_true"]].to_csv(logs / "labels.csv", index=False)
    both = run_json(
        "watch", "unlabelled.csv", *limits, "--labels", "labels.csv", "--id", "id",
        "--merge", "one.json", "--json",
    )  # fmt: skip
    alone = run_json("watch", "good.csv", "better.csv", *limits, "--json")
    assert both["total"] == alone["total"]
    assert both["monitors"] == alone["monitors"]


def test_a_rule_for_today(run, logs, fails):
    frame = pd.read_csv(logs / "good.csv")
    frame["score"] = (frame["score"] + np.random.default_rng(1).normal(0, 0.3, 300)).clip(0, 1)
    frame.to_csv(logs / "tuning.csv", index=False)
    run("tune", "tuning.csv", "--positive", "ill", "--false-negative", 9, "--false-positive", 3,
        "--abstain", 1, "-o", "tuned.json")  # fmt: skip
    today = frame[(frame["y_true"] == "ill") | (frame["id"] % 5 == 0)]
    today.to_csv(logs / "today.csv", index=False)
    result = run(
        "watch",
        "today.csv",
        "--rule",
        "tuned.json",
        "--retune",
        "new.json",
        "--confidence-level",
        0.999,
    )
    share = (today["y_true"] == "ill").mean()
    assert (
        f"{100 * share:.1f} % of these cases are positive, by their truths; among all"
        in result.stdout
    )
    old, new = (Rule.from_json(logs / name) for name in ("tuned.json", "new.json"))
    assert new.upper <= old.upper
    assert new != old
    bare = ("watch", "good.csv", "--rule", "rule.json")
    said = fails(*bare, "--retune", "x.json", "--max-error", 0.5)
    assert "no window to re-tune" in said


def test_a_promise_is_not_re_tuned_away(run, fails, logs):
    run("tune", "good.csv", "--positive", "ill", "--max-error", "20%", "--confidence-level", "95%",
        "-o", "promised.json")  # fmt: skip
    args = ("--rule", "promised.json", "--state", "watch.json")
    said = fails("watch", "nowhere.csv", *args, "--retune", "new.json")
    assert "it carries a promise" in said
    assert "with the same limits and --confidence-level" in said
    assert {one.name for one in logs.glob("*.json")} == {"promised.json", "rule.json"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--state", "watch.json", "--retune", "watch.json"), "watch.json is to be written twice"),
        (("--merge", "watch.json", "--retune", "./watch.json"), "watch.json, which is read"),
        (("--merge", "watch.json", "--state", "watch.json"), "watch.json, which is read"),
        (("--state", "link.json"), "link.json, which is read as part of rule.json"),
    ],
)
def test_no_output_replaces_an_input(fails, logs, options, words):
    (logs / "watch.json").write_text("history")
    (logs / "link.json").symlink_to("rule.json")
    before = (logs / "rule.json").read_text()
    assert words in fails("watch", "good.csv", "--rule", "rule.json", *options)
    assert (logs / "watch.json").read_text() == "history"
    assert (logs / "rule.json").read_text() == before


def test_cases_of_one_class_have_no_window(run, fails, logs):
    frame = pd.read_csv(logs / "good.csv")
    run("tune", "good.csv", "--positive", "ill", "--max-abstention", "20%", "-o", "tuned.json")
    frame[frame["y_true"] == "ill"].to_csv(logs / "ill.csv", index=False)
    args = ("watch", "ill.csv", "--rule", "tuned.json", "--confidence-level", 1 - 1e-9)
    assert "all cases seem to be of one class" in fails(*args, "--retune", "new.json")
    assert not (logs / "new.json").exists()


def test_two_watches_at_once_lose_no_batch(run, logs, monkeypatch):
    """The second one comes while the first reads its log, and waits."""
    args = ("--rule", "rule.json", "--state", "watch.json", "--max-error", "0.1")
    whole, other = cautious.evaluation.watch, []

    def watch_with_company(*given, **named):
        command = [sys.executable, "-c", "from cautious.cli import main; main()", "watch"]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        started = subprocess.Popen(
            [*command, "better.csv", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=env,
        )  # fmt: skip
        other.append((started, started.stderr.readline()))
        return whole(*given, **named)

    monkeypatch.setattr(cautious.evaluation, "watch", watch_with_company)
    run("watch", "good.csv", *args)
    ((second, said),) = other
    told, _ = second.communicate(timeout=60)
    assert "waiting for another watch to write watch.json" in said
    assert second.returncode == 0
    assert "2 batches, 600 cases" in told
    assert [one.name for one in logs.glob(".*")] == []


def test_what_is_wrong_is_said(fails, logs):
    (logs / "watch.json").write_text("{}")
    said = fails("watch", "good.csv", "--rule", "rule.json", "--state", "watch.json")
    assert "no state of a watch" in said
    assert (logs / "watch.json").read_text() == "{}"
    limited = ("watch", "good.csv", "bad.csv", "--rule", "rule.json", "--max-error", 0.1)
    assert "--id" in fails(*limited, "--labels", "good.csv")
    frame = pd.read_csv(logs / "good.csv").drop(columns="y_true")
    frame.to_csv(logs / "open.csv", index=False)
    limited = ("watch", "open.csv", "--rule", "rule.json", "--max-error", 0.1)
    assert fails(*limited).endswith("known yet with --no-truth.")
    assert "--truth and --no-truth" in fails(*limited, "--no-truth", "--truth", "id")


def test_what_is_not_watched_is_said(run, fails, logs):
    said = fails("watch", "nowhere.csv", "--rule", "rule.json", "--state", "watch.json")
    assert "there is nothing to watch" in said  # before a file is opened
    assert "give --max-error or --max-abstention" in said
    assert not (logs / "watch.json").exists()
    told = run("watch", "good.csv", "--rule", "rule.json", "--max-abstention", 0.9).stdout
    assert "Drift is not watched: the rule does not hold the scores it was tuned on" in told
