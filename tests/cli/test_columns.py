"""A rule file remembers the columns it was tuned with; later commands use them, or miss them."""

import numpy as np
import pandas as pd
import pytest

import cautious

LIMIT = {"max_error": 0.3, "confidence_level": 0.9}


def cases(n, seed):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.4
    risk = 1 / (1 + np.exp(-(2.5 * (ill - 0.5) + rng.normal(size=n))))
    return pd.DataFrame(
        {
            "pid": [f"p{seed}-{at}" for at in range(n)],
            "ill": ill.astype(int),
            "risk": risk.round(4),
            "group": np.where(np.arange(n) % 3 == 0, "north", "south"),
            "lost": rng.integers(1, 9, n),
        }
    )


@pytest.fixture
def tuned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rule = cautious.tune(
        cases(300, 0), truth="ill", score="risk", case="pid", honest=False, **LIMIT
    ).rule
    rule.to_json("rule.json")
    cases(200, 1).to_csv("new.csv", index=False)
    return rule


def test_named_and_guessed_columns_are_remembered(tuned):
    known = {"truth": "ill", "score": "risk", "groups": "group", "id": "pid"}
    assert tuned.columns == known
    frame = cases(300, 0).rename(columns={"ill": "y_true", "risk": "score"})
    costs = {"false_negative": "lost"}
    guessed = cautious.tune(
        frame.assign(weight=1 + frame["lost"] % 2), cost_columns=costs | {
            "false_positive": "lost", "abstain": "weight"}, honest=False,
    ).rule  # fmt: skip
    assert guessed.columns["truth"] == "y_true"
    assert guessed.columns["costs"]["false_negative"] == "lost"
    assert cautious.decision.Rule.from_json(guessed.to_json()) == guessed
    proba = pd.DataFrame({"prob_no": 1 - frame["score"], "prob_yes": frame["score"]}).assign(
        label=np.where(frame["y_true"], "yes", "no")
    )
    rule = cautious.tune(proba, proba="prob_", pos_label="yes", honest=False, max_error=0.1).rule
    assert rule.columns == {"truth": "label", "proba": ["prob_no", "prob_yes"]}
    assert cautious.apply(proba, rule).n == 300
    assert "prob_yes" in rule.to_code()
    arrays = cautious.tune((frame["y_true"], frame["score"]), honest=False, max_error=0.1).rule
    assert arrays.columns is None


def test_later_commands_use_them(tuned, run, run_json):
    cases(300, 0).to_csv("old.csv", index=False)
    run("tune", "old.csv", "--truth", "ill", "--score", "risk", "--id", "pid", "--max-error", "30%",
        "--level", "90%", "-o", "own.json")  # fmt: skip
    assert cautious.decision.Rule.from_json("own.json").columns == tuned.columns
    seen = run_json("watch", "new.csv", "--rule", "rule.json", "--json")
    assert seen["total"]["labelled"] > 0
    new = cases(200, 1)
    new.drop(columns="ill").to_csv("open.csv", index=False)
    new[["pid", "ill"]][::-1].to_csv("labels.csv", index=False)
    late = ("open.csv", "--labels", "labels.csv", "--json")
    assert run_json("watch", *late, "--rule", "own.json")["total"] == seen["total"]
    found = run("evaluate", "new.csv", "--rule", "rule.json")
    assert "truth 'ill', group 'group', score 'risk'" in found.stderr
    assert "north" in found.stdout
    assert "59.5 %" in run("apply", "new.csv", "--rule", "rule.json").stdout
    assert "SCORE = 'risk'" in run("apply", "--rule", "rule.json", "--show-code").stdout


def test_they_say_what_is_missing(tuned, run, fails):
    frame = cases(200, 1).rename(columns={"ill": "y_true"}).drop(columns=["pid", "group"])
    frame.to_csv("other.csv", index=False)
    absent = "'ill', which held the truth when the rule was tuned, is no column here"
    said = run("evaluate", "other.csv", "--rule", "rule.json").stderr
    assert absent in said
    assert "'group', which held the groups" in said
    tuned.with_details(columns=tuned.columns | {"answerable": "known"}).to_json("graded.json")
    said = run("watch", "other.csv", "--rule", "graded.json").stderr
    assert absent in said
    assert "'pid', which held the ids" in said
    assert "'known', which held which questions have an answer" in said
    frame.drop(columns="y_true").to_csv("bare.csv", index=False)
    assert "no column of truths" in fails("watch", "bare.csv", "--rule", "rule.json")
    frame.rename(columns={"risk": "score"}).to_csv("scored.csv", index=False)
    for command in ("watch", "apply"):
        assert "tuned on the column 'risk'" in fails(command, "scored.csv", "--rule", "rule.json")
    assert "--score is 'risk'" in fails("evaluate", "scored.csv", "--rule", "rule.json")


def test_every_limit_can_be_asked_for(tuned, run_json):
    limits = {
        "max-error": "error", "max-missed": "missed", "min-ppv": "false_discovery",
        "min-npv": "false_omission", "max-error-per-case": "error_per_case",
        "max-abstention": "abstention",
    }  # fmt: skip
    plain = tuned.with_details(certificate=None)
    plain.to_json("plain.json")
    asked = [part for name in limits for part in (f"--{name}", "60%")]
    seen = run_json("watch", "new.csv", "--rule", "plain.json", *asked, "--json")
    assert set(limits.values()) <= set(seen["monitors"])
