"""A deployed rule is watched: alarms, batches, late labels, drift, the share of positives."""

import itertools
import json
from contextlib import suppress
from dataclasses import replace
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

import cautious
from cautious.curves import AbstentionCostSurface
from cautious.decision import Rule
from cautious.errors import InputError
from cautious.evaluation import Watch, watch_state
from cautious.evaluation._calibration import Calibration
from cautious.evaluation.watch_state import (
    Batch,
    BatchCounts,
    Names,
    ScoredIds,
    Tally,
    _checksum,
    sparks,
)  # fmt: skip
from cautious.guarantees import DriftMonitor, RiskMonitor, certify

WINDOW = Rule.window(0.3, 0.7, classes=["no", "yes"])
COSTS = {"false_negative": 5, "false_positive": 3, "abstain": 1}


def log(n=300, seed=0, positives=0.4, flip=0.0, shift=0.0):
    """Calibrated-looking scores; some truths flipped, or all scores shifted."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < positives
    score = 1 / (1 + np.exp(-(2.5 * (y - 0.5) + rng.normal(size=n) + shift)))
    truth = y ^ (rng.random(n) < flip)
    return pd.DataFrame(
        {
            "id": [f"{seed}-{at}" for at in range(n)],
            "y_true": np.where(truth, "yes", "no"),
            "score": score.round(6),
            "site": np.where(np.arange(n) % 3 == 0, "north", "south"),
        }
    )


def counted(frame, rule=WINDOW):
    """BatchCounts by loops."""
    cases = abstained = labelled = wrong = 0
    for truth, score in zip(frame["y_true"], frame["score"], strict=True):
        answer = "no" if score <= rule.lower else "yes" if score >= rule.upper else None
        cases += 1
        abstained += answer is None
        if answer is not None and isinstance(truth, str) and truth:
            labelled += 1
            wrong += answer != truth
    return {"cases": cases, "abstained": abstained, "labelled": labelled, "wrong": wrong}


@pytest.fixture(scope="module")
def tuned():
    """A rule that knows the scores it was tuned on."""
    return cautious.tune(log(1000), costs=COSTS, honest=False, groups=False).rule


def test_counts_and_evidence():
    frame = log()
    frame.loc[::4, "y_true"] = None
    frame.loc[:4, "score"] = np.nan  # these abstain
    seen = cautious.watch(frame, WINDOW, max_error=0.1, max_abstention=0.5)
    wanted = counted(frame) | {"missing": 5}
    assert {key: seen.total()[key] for key in wanted} == wanted
    monitors = seen.monitors()
    assert monitors["error"] == RiskMonitor(
        0.1, 0.95, wanted["wrong"], wanted["labelled"], near=True
    )
    assert monitors["abstention"].wrong == wanted["abstained"]
    assert "drift" not in monitors
    assert not seen.alarm


def test_alarms_are_raised_and_stay():
    seen = cautious.watch(log(seed=0), WINDOW, max_error=0.1)
    assert not seen.alarm
    seen = cautious.watch(log(seed=1, flip=0.5), WINDOW, seen)
    assert list(seen.alarms) == ["error"]
    raised = seen.alarms["error"]["log_evidence"]
    assert raised == pytest.approx(seen.monitors()["error"].log_evidence)
    for seed in range(2, 12):
        seen = cautious.watch(log(600, seed=seed), WINDOW, seen)
    assert not seen.monitors()["error"].alarm  # the evidence has gone down again
    assert seen.alarm
    assert seen.alarms["error"]["log_evidence"] == raised


def test_groups_divide_the_chance_of_a_false_alarm():
    frame = log(600)
    seen = cautious.watch(frame, WINDOW, max_error=0.1, groups="site")
    assert seen.groups == ("north", "south")
    monitors = seen.monitors()
    assert monitors["error in north"].confidence_level == pytest.approx(1 - 0.05 / 3)
    parts = [monitors[f"error in {site}"] for site in ("north", "south")]
    assert sum(one.wrong for one in parts) == monitors["error"].wrong
    late = log(100, seed=1).assign(site="west")
    seen = cautious.watch(late, WINDOW, seen, groups="site")
    levels = {name: 1 - one.confidence_level for name, one in seen.monitors().items()}
    assert levels["error in west"] == pytest.approx(0.05 / 6)
    assert sum(v for name, v in levels.items() if " in " in name) <= 0.05
    bad = log(1200, seed=2, flip=0.5).query("site == 'north'")
    seen = cautious.watch(bad, WINDOW, seen, groups="site")
    assert "error in north" in seen.alarms
    assert "error in south" not in seen.alarms


def test_a_batch_may_hold_as_many_groups_as_other_files():
    many = log(40_000).assign(site=range(40_000))
    assert len(cautious.watch(many, WINDOW, max_error=0.1, groups="site").groups) == 40_000


def test_groups_that_come_later_keep_the_share_they_arrived_with(tmp_path):
    seen = cautious.watch(log(90).assign(site="A"), WINDOW, max_error=0.1, groups="site")
    given = {}
    for at, names in enumerate((["g9"], ["g8"], ["g7", "g5", "g6"], ["g4", "B"]), 1):
        site = np.array(names)[np.arange(90) % len(names)]
        seen = cautious.watch(log(90, seed=at).assign(site=site), WINDOW, seen, groups="site")
        seen.to_json(tmp_path / "watch.json")
        seen = Watch.from_json(tmp_path / "watch.json")
        for name, one in seen.monitors().items():
            # The share of a group is the same after every batch, whatever the others are called.
            share = given.setdefault(name, 1 - one.confidence_level)
            assert share == 1 - one.confidence_level
    assert seen.groups == ("A",)
    assert seen.later == ("g9", "g8", "g7", "g5", "g6", "g4", "B")
    assert given["error in g9"] == pytest.approx(0.025 / 2)
    assert given["error in B"] == pytest.approx(0.025 / 56)
    assert sum(share for name, share in given.items() if " in " in name) <= 0.05
    # Brought together, a batch changes no share.
    more = None
    for name in ("A0", "a"):
        other = log(90, seed=8).assign(site=name)
        more = cautious.watch(
            other, WINDOW, more, max_error=0.1, groups="site", batch=f"batch of {name}"
        )
    assert (seen + more).later == (*seen.later, "a")


def test_groups_without_a_name_or_a_row():
    frame = log(60).assign(site=pd.Categorical(["", None, "b"] * 20, categories=["", "a", "b"]))
    seen = cautious.watch(frame, WINDOW, max_error=0.1, groups="site")
    assert {name: each.cases for name, each in seen.totals.groups.items()} == {
        "": 60,
        "(none)": 40,
        "b": 20,
    }


def test_batches_are_known_by_their_names(tmp_path):
    frame, other = log(), log(seed=1)
    frame.to_csv(tmp_path / "a.csv", index=False)
    seen = cautious.watch(tmp_path / "a.csv", WINDOW, max_error=0.1)
    assert seen.batches[0].name == str(tmp_path / "a.csv")
    for again in (tmp_path / "a.csv", tmp_path, [tmp_path / "a.csv"], f"{tmp_path}/./a.csv"):
        with pytest.raises(InputError, match=r"a\.csv' was fed before, 20.* batch, .* replace"):
            cautious.watch(again, WINDOW, seen)
    with pytest.raises(InputError, match=r"a\.csv' was fed before; "):
        cautious.watch([tmp_path / "a.csv"] * 2, WINDOW, max_error=0.1)
    other.to_csv(tmp_path / "a.csv", index=False)
    instead = cautious.watch(tmp_path / "a.csv", WINDOW, seen, replace=True)
    assert instead.total() == cautious.watch(other, WINDOW, max_error=0.1).total()
    assert instead.batches[0].at == seen.batches[0].at
    for source in (frame, tmp_path / "a.csv"):
        more = cautious.watch(source, WINDOW, seen, batch="monday")
        assert [one.name for one in more.batches][1:] == ["monday"]
        assert more.total()["cases"] == 600
        with pytest.raises(InputError, match="'monday' was fed before"):
            cautious.watch(frame, WINDOW, more, batch="monday")


def test_equal_cases_count_as_often_as_they_come():
    state, one = None, pd.DataFrame({"y_true": ["no"], "score": [0.9]})
    for _ in range(30):
        state = cautious.watch(one, WINDOW, state, max_error=0.1)
        state = cautious.watch(one.assign(y_true="yes"), WINDOW, state)
    assert state.total()["cases"] == 60
    assert state.total()["wrong"] == 30
    assert len({batch.name for batch in state.batches}) == 60


def test_old_batches_are_folded_into_totals(tmp_path):
    begun = Watch("a rule", {"error": 0.1, "abstention": 0.3}, expected=(20, 30, 51))
    whole = few = begun
    for batch in some_batches(30):
        whole, few = whole.fed(batch), few.fed(batch, keep=3)
    assert few.totals == whole.totals
    assert few.alarms == whole.alarms
    assert few.monitors() == whole.monitors()
    assert len(few.folded) == 27
    assert all(one.name in few.folded for one in whole.batches[:-3])
    assert not any(one.name in few.folded for one in few.batches)
    assert few.batches == whole.batches[-3:]
    pd.testing.assert_frame_equal(
        few.frame(), whole.frame()[-3:].reset_index(drop=True), check_like=True
    )
    assert len(few.to_json()) < len(whole.to_json()) / 3
    assert Watch.from_json(few.to_json()) == few
    for replace_it, words in ((False, "was fed before"), (True, "not among the last 3")):
        with pytest.raises(InputError, match=words):
            few.fed(whole.batches[0], replace=replace_it)
    with pytest.raises(InputError, match="keep is '0'; give a whole number"):
        cautious.watch(log(), WINDOW, max_error=0.1, keep=0)


def test_the_state_is_written_after_each_file(tmp_path):
    for seed in range(3):
        log(50, seed=seed).to_csv(tmp_path / f"{seed}.csv", index=False)
    log(50).assign(y_true="maybe").to_csv(tmp_path / "2.csv", index=False)
    kept = []
    with pytest.raises(InputError, match="maybe"):
        cautious.watch(tmp_path, WINDOW, max_error=0.1, progress=kept.append)
    assert [one.total()["cases"] for one in kept] == [50, 100]


def test_late_labels_in_a_column_of_their_own_name(tmp_path):
    frame = log(200).assign(id=np.arange(200) + 1234567890123456789)
    named = frame.rename(columns={"y_true": "Sepsis?"})
    named[["id", "Sepsis?"]].to_csv(tmp_path / "labels.csv", index=False)
    limit = {"max_error": 0.1, "labels": tmp_path / "labels.csv", "case": "id"}
    blank = frame.drop(columns="y_true")
    wanted = cautious.watch(frame, WINDOW, max_error=0.1).total()
    # Ids of nineteen digits are told apart, and compared as text.
    for ids in (frame["id"], frame["id"].astype(str), frame["id"].astype("Int64")):
        seen = cautious.watch(blank.assign(id=ids), WINDOW, truth="Sepsis?", **limit)
        assert seen.total() == wanted
    # The log may have the column as well, with some truths in it already.
    some = named.assign(**{"Sepsis?": named["Sepsis?"].where(named.index < 50)})
    assert cautious.watch(some, WINDOW, truth="Sepsis?", **limit).total() == wanted
    # The rule remembers both columns, so neither has to be said again.
    knows, mixed = WINDOW.with_details(columns={"truth": "Sepsis?", "id": "id"}), named[::-1]
    by_id = cautious.watch(blank, knows, max_error=0.1, labels=mixed[["id", "Sepsis?"]])
    assert by_id.total() == wanted
    by_row = cautious.watch(blank, knows, max_error=0.1, labels=named[["Sepsis?"]])
    assert by_row.total() == wanted
    with pytest.raises(InputError, match=r"labels\.csv: no column .* are 'id', 'Sepsis\?'\. Name"):
        cautious.watch(blank, WINDOW, **limit)
    with pytest.raises(InputError, match=r"labels\.csv: truth is 'Sepsis', but the columns are"):
        cautious.watch(blank, WINDOW, truth="Sepsis", **limit)


def test_labels_that_come_late(tmp_path):
    frame = log()
    blank, path = frame.assign(y_true=""), tmp_path / "log.csv"
    blank.to_csv(path, index=False)
    none = cautious.watch(path, WINDOW, max_error=0.1)
    assert none.total()["labelled"] == 0
    # The same log with its truths, or a file of truths beside it, by case or row by row.
    frame[["id", "y_true"]][:200].to_csv(tmp_path / "labels.csv", index=False)
    given = {"labels": tmp_path / "labels.csv", "case": "id", "replace": True}
    part = cautious.watch(path, WINDOW, none, **given)
    assert {key: part.total()[key] for key in ("labelled", "wrong")} == {
        key: counted(frame[:200])[key] for key in ("labelled", "wrong")
    }
    rows = frame[["y_true"]].mask(frame["id"].isin(frame["id"][200:]))
    by_row = cautious.watch(path, WINDOW, none, labels=rows, replace=True)
    assert by_row.total() == part.total()
    frame.to_csv(path, index=False)
    full = cautious.watch(path, WINDOW, none, replace=True)
    assert {key: full.total()[key] for key in counted(frame)} == counted(frame)
    with pytest.raises(InputError, match="labels has 299 rows, but the batch has 300"):
        cautious.watch(blank, WINDOW, max_error=0.1, labels=rows[1:])
    with pytest.raises(InputError, match="2 files; name the column with case"):
        cautious.watch([path, tmp_path / "labels.csv"], WINDOW, max_error=0.1, labels=rows)
    (tmp_path / "labels.csv").write_text("id,y_true\n0-1,yes\n0-1,no\n")
    with pytest.raises(InputError, match="case '0-1' has the truths 'yes' and 'no'"):
        cautious.watch(blank, WINDOW, max_error=0.1, **given)
    (tmp_path / "labels.csv").write_text("id,y_true\nother,yes\n")
    with pytest.raises(InputError, match="labels holds truths, and none of them is about a case"):
        cautious.watch(blank, WINDOW, max_error=0.1, progress=pytest.fail, **given)


def test_what_cannot_be_watched_is_refused():
    blank = log().drop(columns="y_true")
    with pytest.raises(
        InputError,
        match=r"no column of truths.* at most 10 % of the answers are.* with truth=False",
    ):
        cautious.watch(blank, WINDOW, max_error=0.1)
    assert cautious.watch(blank, WINDOW, max_error=0.1, truth=False).total()["labelled"] == 0
    assert cautious.watch(blank, WINDOW, max_abstention=0.9).total()["labelled"] == 0
    costly = WINDOW.with_details(certificate={"limits": {"cost": 0.125}})
    with pytest.raises(InputError, match="promises a limit of the kind 'cost', which cannot be"):
        cautious.watch(log(), costly)
    seen = cautious.watch(log(), costly, max_error=0.1)
    assert list(seen.limits) == ["error"]
    assert "Not watched: the mean cost is at most 0.125. The rule promises it" in str(seen)


def test_groups_are_watched_where_promised_or_asked():
    frame = log().rename(columns={"site": "group"})
    assert cautious.watch(frame, WINDOW, max_error=0.1).groups is None
    tests = [{"group": "north"}, {"group": "south"}]
    promised = WINDOW.with_details(certificate={"limits": {"error": 0.1}, "tests": tests})
    seen = cautious.watch(frame, promised)
    assert seen.groups == ("north", "south")
    for state in (None, seen):
        with pytest.raises(InputError, match="groups are watched, but no column tells"):
            cautious.watch(log(), promised, state)
    named = promised.with_details(columns={"groups": "site"})
    assert cautious.watch(log(), named).groups == ("north", "south")
    for rule, lost in ((named, {}), (promised, {"state": seen, "groups": False})):
        with pytest.raises(InputError, match="groups are watched, but no column tells"):
            cautious.watch(frame, rule, **lost)
    with pytest.raises(InputError, match="the watch was begun without groups"):
        cautious.watch(frame, WINDOW, cautious.watch(frame, WINDOW, max_error=0.1), groups="group")


def test_watches_add_up_and_know_common_batches():
    batches = [log(seed=seed) for seed in range(4)]

    def fed(state, at):
        return cautious.watch(batches[at], WINDOW, state, max_error=0.1, batch=f"day {at}")

    shared = fed(None, 1)
    one, other = fed(shared, 0), fed(shared, 2)
    both, alone = one + other, fed(fed(fed(None, 0), 1), 2)
    assert both.total() == alone.total() == (other + one).total()
    assert both.monitors() == alone.monitors()
    assert both + one == both
    more = cautious.watch(batches[1], WINDOW, shared, batch="day 1", replace=True, truth=False)
    assert (more + one).total() == (one + more).total() == one.total()
    with pytest.raises(ValueError, match="limits"):
        one + cautious.watch(batches[3], WINDOW, max_error=0.2)
    with pytest.raises(InputError, match="batches that are called 'day 1', and it cannot be told"):
        one + fed(None, 1)
    folded = cautious.watch(batches[3], WINDOW, one, keep=1)
    with pytest.raises(InputError, match="batches that are called 'day 1'"):
        folded + other


def test_alarms_stay_when_watches_are_brought_together():
    loud = [
        cautious.watch(log(seed=seed, flip=0.6), WINDOW, max_error=0.1, batch=f"{seed}")
        for seed in range(2)
    ]
    early = dict(loud[1].alarms["error"]) | {"at": "2001-01-01T00:00:00Z"}
    loud[1] = replace(loud[1], alarms={"error": early})
    for both in (loud[0] + loud[1], loud[1] + loud[0]):
        assert both.alarms == {"error": early}


def some_batches(n):
    """Batches with counts, of groups that come and go."""
    rng = np.random.default_rng(0)
    for at in range(n):
        groups = {"": Tally(40, 10, 0, 40, 20, 15, 15, int(rng.integers(0, 9)), 0)}
        for group in rng.choice(["a", "b", "c", "d"], rng.integers(1, 3), replace=False):
            groups[str(group)] = Tally(20, 5, 0, 20, 10, 15, 0, int(rng.integers(0, 5)), 0)
        bins = tuple(rng.multinomial(40, [0.2, 0.3, 0.5]).tolist())
        yield Batch(f"file {at}", f"2030-01-{at:05}", BatchCounts(groups, bins, bins, (20, 20)))


def test_watches_grow_as_if_looked_at_anew_after_every_batch():
    begun = Watch("a rule", {"error": 0.1, "abstention": 0.3}, expected=(20, 30, 51))
    seen, alarms, every = begun, {}, list(some_batches(30))
    every += [batch._replace(name=f"file {at}") for at, batch in enumerate(every[-3:], 1)]
    for batch in every:
        seen = seen.fed(batch, replace=True)
        assert seen.totals == reduce(BatchCounts.plus, (one.counts for one in seen.batches))
        for name, one in seen.monitors().items():
            if one.alarm:
                alarms.setdefault(name, batch.name)
    assert {name: one["batch"] for name, one in seen.alarms.items()} == alarms
    assert alarms
    assert len(seen.batches) == 30
    assert seen.batches[1].at == every[1].at
    assert seen.batches[1].counts == every[-3].counts
    frame, part = seen.frame(), begun
    for at, batch in enumerate(seen.batches):
        part = part.fed(batch)
        monitors = replace(part, groups=seen.groups, later=seen.later).monitors()
        for name, one in monitors.items():
            assert frame.loc[at, f"{name} evidence"] == one.log_evidence / one.threshold


def test_watches_that_are_brought_together_are_looked_at():
    tally = Tally(60, 0, 0, 60, 30, 30, 30, 12, 0)
    parts = [
        Watch("a rule", {"error": 0.1}, groups=(site,)).fed(
            Batch(site, f"2030-01-0{at}", BatchCounts(dict.fromkeys(["", site], tally)))
        )
        for at, site in enumerate(("north", "south"))
    ]
    assert not any(part.alarm for part in parts)
    for both in (parts[0] + parts[1], sum(parts), parts[1] + parts[0]):
        assert list(both.alarms) == ["error"]
        assert both.alarms["error"]["at"] == "2030-01-01"
        assert both.alarms["error"]["batch"] == "south"
        assert (
            both.alarms["error"]["log_evidence"]
            == RiskMonitor(0.1, 0.95, 24, 120, near=True).log_evidence
        )
        # The groups of both share one chance of a false alarm.
        shares = {name: 1 - one.confidence_level for name, one in both.monitors().items()}
        assert shares.pop("error") == pytest.approx(0.05)
        assert list(shares.values()) == pytest.approx([0.05 / 3] * 2)
    empty = Watch("a rule", {"error": 0.1})
    assert empty + empty == empty


def test_what_the_rule_promises_is_watched(tuned):
    promised = WINDOW.with_details(certificate={"limits": {"error": 0.07, "abstention": 0.5}})
    seen = cautious.watch(log(), promised)
    assert seen.limits == {"error": 0.07, "abstention": 0.5}
    budget = cautious.tune(log(), max_error=0.05, honest=False, groups=False).rule
    assert cautious.watch(log(seed=1), budget).limits == {"error": 0.05}
    assert cautious.watch(log(seed=1), tuned).limits == {}
    assert "watched is drift only. Name a limit" in str(cautious.watch(log(seed=1), tuned).notes[0])


def test_drift_is_seen_without_labels(tuned):
    quiet = cautious.watch(log(2000, seed=1).drop(columns="y_true"), tuned)
    assert isinstance(quiet.monitors()["drift"], DriftMonitor)
    assert not quiet.alarm
    moved = cautious.watch(log(2000, seed=2, shift=0.7).drop(columns="y_true"), tuned)
    assert list(moved.alarms) == ["drift"]
    per_cent = log(100, seed=1).assign(score=100 * log(100, seed=1)["score"])
    assert "same scale" not in str(moved)
    assert "same scale" in str(cautious.watch(per_cent, tuned, max_error=0.5))
    assert "Drift is not watched" not in str(moved)


@pytest.mark.parametrize("positives", [0.1, 0.4, 0.8])
def test_the_share_of_positives_is_estimated(tuned, positives):
    seen = cautious.watch(log(4000, seed=5, positives=positives).drop(columns="y_true"), tuned)
    assert seen.share_of_positives.estimate == pytest.approx(positives, abs=0.05)


def test_known_truths_are_counted_and_not_guessed(tuned):
    """A shifted score must not contradict truths that are known."""
    frame = log(600, seed=5, positives=0.3, shift=0.8)
    share = (frame["y_true"] == "yes").mean()
    seen = cautious.watch(frame, tuned)
    assert seen.totals.truths == tuple((frame["y_true"] == label).sum() for label in ("no", "yes"))
    found = seen.share_of_positives
    wilson = stats.binomtest(seen.totals.truths[1], 600).proportion_ci(0.95, "wilson")
    assert found.estimate == share
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=1e-6)
    assert f"{100 * share:.1f} % of these cases are positive, by their truths; among all" in str(
        seen
    )
    guessed = cautious.watch(frame.drop(columns="y_true"), tuned).share_of_positives
    assert guessed.low > share  # the scores alone mislead
    assert seen.retuned() == seen.calibration.retuned(tuned, share)


def test_some_truths_and_the_scores_of_the_rest(tuned):
    frame = log(600, seed=5, positives=0.3)
    frame.loc[200:, "y_true"] = None
    seen = cautious.watch(frame, tuned)
    assert sum(seen.totals.truths) == 200
    assert sum(seen.totals.open_bins) == 400
    assert "by the truths that are known and the other scores; among all" in str(seen)
    # The likelihood is highest there, by brute force.
    calibration, (no, yes) = seen.calibration, seen.totals.truths
    f = [calibration.counts - calibration.positives, calibration.positives]
    f0, f1 = ((each + 0.5) / (each + 0.5).sum() for each in f)
    shares = np.linspace(0.001, 0.999, 9981)
    mixed = shares[:, None] * f1 + (1 - shares[:, None]) * f0
    likely = np.log(mixed) @ np.array(seen.totals.open_bins)
    likely += yes * np.log(shares) + no * np.log(1 - shares)
    found = seen.share_of_positives
    assert found.estimate == pytest.approx(shares[likely.argmax()], abs=2e-4)
    fewer = cautious.watch(frame.drop(columns="y_true"), tuned).share_of_positives
    assert found.high - found.low < fewer.high - fewer.low
    assert Watch.from_json(seen.to_json()) == seen
    both = seen + cautious.watch(log(100, seed=8), tuned, batch="other")
    assert sum(both.totals.truths) == 300


def test_shares_at_the_ends(tuned):
    frame = log(80, seed=5, positives=0.0)
    for cases in (frame, frame.drop(columns="y_true")):
        found = cautious.watch(cases, tuned).share_of_positives
        assert (found.estimate, found.low) == (0, 0)
        assert 0 < found.high < 0.25


def test_the_window_is_tuned_again_as_tune_does(tuned):
    for share in (0.1, 0.4, 0.75):
        wanted = cautious.tune(
            log(1000), costs=COSTS, priors=share, honest=False, groups=False
        ).rule
        found = Calibration.of_rule(tuned).retuned(tuned, share)
        assert (found.lower, found.upper) == pytest.approx((wanted.lower, wanted.upper))
        assert found.data["priors"] == pytest.approx([1 - share, share])
    assert Calibration.of_rule(WINDOW) is None
    assert Rule.from_json(tuned.to_json()) == tuned


@pytest.mark.parametrize(
    "asked", [{"max_error": 0.05}, {"max_error": 0.03, "per": "case"}, {"max_abstention": 0.2}]
)
def test_a_window_tuned_again_keeps_its_budget(asked):
    """On the cases that the rule was tuned on, weighed to the new share of positives."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = (rng.random(150) < 0.4).astype(int)
        score = np.round(1 / (1 + np.exp(-(rng.normal(size=150) + 2.5 * y - 1.2))), 2)
        frame = pd.DataFrame({"y_true": y, "score": score})
        rule = cautious.tune(frame, **asked, honest=False).rule
        for share in (0.2, 0.5, 0.7):
            found = Calibration.of_rule(rule).retuned(rule, share)
            surface = AbstentionCostSurface.from_predictions(y, score, priors=(1 - share, share))
            window = surface.window_at(found.lower, found.upper)
            best = cautious.tune(frame, **asked, priors=share, honest=False).rule
            wanted = surface.window_at(best.lower, best.upper)
            if "max_abstention" in asked:
                assert window.abstention <= asked["max_abstention"] + 1e-9
                assert window.selective_error >= wanted.selective_error - 1e-9
            else:
                wrong = window.error if "per" in asked else window.selective_error
                assert wrong <= asked["max_error"] + 1e-9
                assert window.abstention >= wanted.abstention - 1e-9


def test_scores_that_are_nearly_all_the_same_cannot_drift():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1000)
    proba = np.eye(3)[y]
    proba[rng.random(1000) < 0.03] = [0.5, 0.3, 0.2]
    frame = pd.DataFrame(proba, columns=["p_a", "p_b", "p_c"]).assign(y_true=np.array([*"abc"])[y])
    seen = cautious.watch(frame, cautious.tune(frame, max_error=0.01, honest=False).rule)
    assert list(seen.monitors()) == ["error"]
    assert "Drift is not watched: nearly all scores" in str(seen)
    assert Watch.from_json(seen.to_json()) == seen
    flat = pd.DataFrame({"y_true": [0, 1] * 50, "score": 0.5})
    costs = {"false_negative": 5, "false_positive": 1, "abstain": 0.5}
    with pytest.raises(InputError, match="there is nothing to watch"):
        cautious.watch(flat, cautious.tune(flat, costs=costs, honest=False).rule)


PROMISES = {
    "error": {"max_error": 0.3},
    "false_discovery": {"min_ppv": 0.7},
    "false_omission": {"min_npv": 0.7},
    "missed": {"max_missed": 0.2},
    "error_per_case": {"max_error_per_case": 0.3},
    "abstention": {"max_error": 0.3, "max_abstention": 0.6},
}


@pytest.mark.parametrize("limit", PROMISES)
def test_every_limit_of_a_certificate_is_watched(limit):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    score = 1 / (1 + np.exp(-(rng.normal(size=400) + 3 * y - 0.5)))
    rule = certify(y, y_score=score, confidence_level=0.9, **PROMISES[limit]).rule
    kept = cautious.watch(pd.DataFrame({"y_true": y, "score": score}), rule)
    assert limit in kept.limits
    assert limit not in kept.alarms
    broken = pd.DataFrame({"y_true": 1 - y, "score": score})
    if limit == "abstention":
        broken["score"] = 0.5
    seen = cautious.watch(broken, rule)
    assert limit in seen.alarms
    sets = rule.predict_set(broken["score"].to_numpy())
    abstained, wrong = sets.all(axis=1), ~sets[np.arange(400), 1 - y]
    events = {
        "false_discovery": wrong & (y == 1),
        "false_omission": wrong & (y == 0),
        "missed": wrong & (y == 0),
        "abstention": abstained,
    }
    assert seen.to_dict()["monitors"][limit]["count"] == events.get(limit, wrong).sum()
    assert Watch.from_json(seen.to_json()) == seen


def of_estimator(kind, **asked):
    """The rule of an estimator whose probability of "yes" is its first feature."""
    frame = log(1000)

    class Given(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

        def predict(self, X):
            return self.classes_[(X[:, 0] > 0.5).astype(int)]

    rows = np.column_stack([frame["score"], np.arange(1000)])  # none of them twice
    return kind(Given(), **asked).fit(rows, frame["y_true"]).rule_


def surface():
    frame = log(1000)
    return cautious.AbstentionCostSurface.from_predictions(
        frame["y_true"], frame["score"], pos_label="yes"
    )


def confidences(digits=None, missed=0.0):
    """Certify a curve that knows confidences: of scores, or of two columns of probabilities."""
    frame = log(1000)
    p = frame["score"].to_numpy() if digits is None else frame["score"].round(digits).to_numpy()
    if missed:  # columns that do not add up to one to the last digit
        p = np.column_stack([1 - p + missed * np.sign(np.sin(1e4 * p)), p])
    curve = cautious.curves.RiskCoverageCurve.from_predictions(
        frame["y_true"], p, classes=["no", "yes"], pos_label=None if missed else "yes"
    )
    return curve.certify(max_error=0.2).rule


def rounded():
    return cautious.summarise(log(1000), resolution=1e-3)


RULES = {
    "tuned": lambda: of_estimator(cautious.TunedAbstainingClassifierCV, max_abstention=0.3),
    "certified": lambda: of_estimator(cautious.CertifiedAbstainingClassifier, max_error=0.2),
    "window of a curve": lambda: surface().for_costs(COSTS).rule(),
    "region of a curve": lambda: surface().regions()[-1].window.rule(),
    "promise of a curve": lambda: surface().certify(max_error=0.2).rule,
    "promise of confidences": confidences,
    "promise of two columns": lambda: confidences(missed=4e-7),
    "promise of a log": lambda: cautious.summarise(log(1000)).certify(max_error=0.2).rule,
    "promise of a rounded log": lambda: rounded().certify(max_error=0.2).rule,
    "window of a rounded log": lambda: rounded().cost_surface().for_costs(COSTS).rule(),
}


@pytest.mark.parametrize("kind", RULES)
def test_every_rule_that_was_found_holds_the_scores_and_is_watched(kind):
    rule = RULES[kind]()
    assert Rule.from_json(rule.to_json()) == rule
    new = log(1000, seed=3)
    frame, held = log(1000), Calibration.of_rule(rule)
    if kind == "certified":
        assert held.counts.sum() == 500
    else:
        for positives, counts in ((["yes"], held.positives), (["yes", "no"], held.counts)):
            scores = frame["score"][frame["y_true"].isin(positives)].to_numpy()
            assert held.bins_of(scores).tolist() == counts.tolist()
    quiet = cautious.watch(new, rule, max_abstention=0.99)
    assert "drift" in quiet.monitors()
    assert "drift" not in quiet.alarms
    moved = cautious.watch(log(1000, seed=4, shift=1.0), rule, quiet)
    assert "drift" in moved.alarms


@pytest.mark.parametrize("missed", [0.0, 4e-7])
def test_bins_of_confidences_count_scores_of_few_digits(missed):
    frame = log(1000)
    held = Calibration.of_rule(confidences(2, missed))
    assert held.bins_of(frame["score"].round(2).to_numpy()).tolist() == held.counts.tolist()


def test_weighted_cases_are_counted_one_by_one():
    """New cases come without weights, so those of tuning are counted without them, too."""
    frame = log(1000)
    frame["weight"] = np.where(frame["y_true"] == "yes", 0.5, 3)
    found = cautious.tune(frame, costs=COSTS, honest=False, groups=False).rule
    held = Calibration.of_rule(found)
    assert held.bins_of(frame["score"].to_numpy()).tolist() == held.counts.tolist()


def test_infinite_scores_are_held_as_far_as_they_are_numbers():
    frame = log(200)
    frame.loc[:40, "score"] = -np.inf
    frame.loc[190:, "score"] = np.inf
    rule = cautious.tune(frame, costs=COSTS, honest=False, groups=False).rule
    held = Calibration.of_rule(Rule.from_json(rule.to_json()))
    assert held.bins_of(frame["score"].to_numpy()).tolist() == held.counts.tolist()
    assert held.hull is None


def test_another_window_is_offered_where_the_share_has_changed(tuned):
    same, other = (str(cautious.watch(log(2000, 3, share), tuned)) for share in (0.4, 0.1))
    assert "are positive, by their truths" in same
    assert "the window would be" not in same
    assert "if only the share has changed" in other


def test_a_promise_is_not_re_tuned_away():
    """The window that just keeps a limit on old cases is no rule that was promised to keep it."""
    promised = cautious.tune(log(1000), max_error=0.1, confidence_level=0.95, groups=False).rule
    assert promised.certificate is not None
    seen = cautious.watch(log(2000, 3, 0.1).drop(columns="y_true"), promised, truth=False)
    assert seen.calibration.is_another_share(seen.share_of_positives)
    assert seen.retuned() is None
    assert seen.to_dict()["retuned"] is None
    plain = promised.with_details(certificate=None)
    again = cautious.watch(log(2000, 3, 0.1), plain).retuned()
    assert again.data["goal"] == {"max_error": 0.1, "per": "answer"}


def test_several_classes_are_watched_by_confidence():
    rng = np.random.default_rng(0)
    trees = ["ash", "elm", "oak"]

    def frame(n, spread):
        p = rng.dirichlet(np.full(3, spread), n)
        truth = (p.cumsum(axis=1) > rng.random((n, 1)) * 0.999).argmax(axis=1)
        return pd.DataFrame(p, columns=[f"p_{t}" for t in trees]).assign(
            y_true=np.array(trees)[truth]
        )

    rule = cautious.tune(frame(800, 0.5), max_error=0.2, honest=False).rule
    assert not cautious.watch(frame(500, 0.5), rule).alarm
    moved = cautious.watch(frame(500, 3), rule)
    assert "drift" in moved.alarms
    assert np.isnan(moved.share_of_positives.estimate)
    assert moved.retuned() is None
    utility = cautious.watch(frame(300, 0.5), Rule.utility("u80", classes=trees), max_error=0.3)
    sets = Rule.utility("u80", classes=trees)
    assert utility.total()["abstained"] < 300
    assert sets.classes == tuple(trees)


# --- the state ----------------------------------------------------------------------------------


def test_the_state_is_a_small_file(tmp_path, tuned):
    path = tmp_path / "watch.json"
    seen = cautious.watch(log(), tuned, path, max_error=0.1, groups="site")
    seen.to_json(path)
    assert Watch.from_json(path) == seen
    assert path.stat().st_size < 3000
    more = cautious.watch(log(seed=1), tuned, path, groups="site")
    assert more.total()["cases"] == 600
    stricter = tuned.with_details(certificate={"limits": {"missed": 0.1}})
    for other in (WINDOW, stricter):
        with pytest.raises(InputError, match="another rule, or of another promise"):
            cautious.watch(log(), other, path)
    with pytest.raises(InputError, match=r"max_error is 0.2, but the watch was begun with 0.1"):
        cautious.watch(log(seed=1), tuned, path, max_error=0.2)


def _state(**changes):
    """A state whose entries were changed, with the checksum that belongs to them."""
    text = cautious.watch(log(50), WINDOW, max_error=0.1).to_json()
    data = json.loads(text)["watch"] | changes
    return json.dumps(json.loads(text) | {"checksum": _checksum(data), "watch": data})


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{",
        _state()[:200],
        '{"a":' + "[" * 100_000,
        _state().replace("watch/5", "watch/4"),
        _state().replace('"checksum"', '"sum"'),
        _state().replace("0.1", "NaN", 1),
        _state(limits={"error": 2}),
        _state(limits={"cost": 0.1}),
        _state(totals={"groups": {"": [50, 0, 0, 50, 0, 3, 0, 9, 0]}}),
        _state(expected=[1.5]),
        _state(expected=[-1, 3]),
        _state(groups=["\ud800"]),
        _state(alarms={"error": {"at": "2030", "batch": 3, "log_evidence": 1.0}}),
        _state(alarms={"error": {"at": "2030", "batch": "a", "log_evidence": "much"}}),
        _state(totals={"groups": {}, "bins": [], "open_bins": [], "truths": []}),
        _state(folded="eJwDAAAAAAE="[:8]),
        _state(folded="cautious"),
        _state(ids="AAAA"),
    ],
    ids=itertools.count(),  # the texts hold times, which differ between workers
)
def test_what_is_no_state_is_refused(text, tmp_path):
    path = tmp_path / "watch.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is no state of a watch"):
        Watch.from_json(path)


@pytest.mark.parametrize("changes", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_random_changes_of_a_state_are_refused_or_harmless(changes):
    """Half of them with a checksum that was made to fit."""
    log_of, rng = log(50).assign(id=np.arange(50)), np.random.default_rng(0)
    given = {"groups": "site", "case": "id"}
    seen = cautious.watch(log_of, WINDOW, max_error=0.1, keep=1, **given)
    seen = cautious.watch(log(50, seed=1, flip=0.9), WINDOW, seen, batch="a", keep=2, **given)
    data = json.loads(cautious.watch(log_of, WINDOW, seen, keep=2, **given).to_json())
    odd = [None, True, -1, 1.5, "x", "", [], {}, [[]], 10**30, "\ud800", {"at": 1}, [1, 2, 3], 0]

    def parts(value):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            if isinstance(value[key], dict | list):
                yield from parts(value[key])

    for at in range(changes):
        changed = json.loads(json.dumps(data["watch"]))
        every = list(parts(changed))
        holder, key = every[rng.integers(len(every))]
        how, value = rng.integers(4), holder[key]
        if how == 0:
            del holder[key]
        elif how == 1 and type(value) is int:
            holder[key] = value + int(rng.integers(-3, 4))
        elif how == 2 and isinstance(holder, dict):
            holder[f"{key}'"] = value
        else:
            holder[key] = odd[rng.integers(len(odd))]
        checksum = _checksum(changed) if at % 2 else data["checksum"]
        with suppress(InputError):
            found = Watch.from_json(json.dumps(data | {"checksum": checksum, "watch": changed}))
            assert at % 2 or changed == data["watch"]
            assert Watch.from_json(found.to_json()) == found
            str(found), found.frame(), json.dumps(found.to_dict()), found + found
            cautious.watch(log_of, WINDOW, found, **given)


def test_every_damage_to_a_state_is_noticed(tmp_path):
    whole = cautious.watch(log(50), WINDOW, max_error=0.1, groups="site").to_json()
    for at, letter in enumerate(whole[:-1]):
        other = str((int(letter) + 1) % 10) if letter.isdigit() else "#"
        (tmp_path / "watch.json").write_text(whole[:at] + other + whole[at + 1 :])
        with pytest.raises(InputError, match="is no state of a watch"):
            Watch.from_json(tmp_path / "watch.json")
    with pytest.raises(InputError, match="it is a folder"):
        Watch.from_json(tmp_path)
    with pytest.raises(InputError, match=r"watch: it has no schema, and .*5'\. Name another file"):
        Watch.from_json("{}")


def test_a_state_that_could_not_be_read_again_is_not_written(monkeypatch, tmp_path):
    monkeypatch.setattr("cautious.evaluation.watch_state.STATE", 500)
    seen = cautious.watch(log(50), WINDOW, max_error=0.1)
    with pytest.raises(InputError, match="at most 500 can be read again; keep fewer"):
        seen.to_json(tmp_path / "watch.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": 3}, "cannot be read"),
        ({"scores": {"edges": [0.5, 0.4], "counts": [1, 1, 1]}}, "cannot be read"),
        ({"scores": {"edges": [0.5], "counts": [1, 1, 1]}}, "cannot be read"),
        ({"scores": {"edges": [0.5], "counts": [1, 1], "positives": [2, 0]}}, "cannot be read"),
        ({"hull": {"low": [1]}}, "cannot be read"),
    ],
)
def test_rule_files_edited_by_hand(tuned, change, words):
    rule = tuned.with_details(data=dict(tuned.data) | change)
    with pytest.raises(InputError, match=words):
        cautious.watch(log(), rule)


def test_dashboards_get_the_counts_of_each_monitor(tuned):
    frame = log(300, seed=5)
    seen = cautious.watch(frame, tuned, max_error=0.2, max_abstention=0.6, groups="site")
    told = seen.to_dict()["monitors"]
    assert list(told) == list(seen.monitors())
    north = counted(frame[frame["site"] == "north"], tuned)
    wanted = {"group": "north", "seen": north["labelled"], "count": north["wrong"], "limit": 0.2}
    wanted["share"] = north["wrong"] / north["labelled"]
    assert {key: told["error in north"][key] for key in wanted} == wanted
    every = counted(frame, tuned)
    assert told["abstention"]["share"] == every["abstained"] / 300
    assert (told["abstention"]["group"], told["abstention"]["limit"]) == (None, 0.6)
    assert (told["drift"]["seen"], told["drift"]["share"], told["drift"]["limit"]) == (
        300, None, None
    )  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_empty_day_adds_nothing(tmp_path, ending):
    path, before = tmp_path / f"day.{ending}", cautious.watch(log(), WINDOW, max_error=0.1)
    empty = log(0).assign(model="logreg")
    empty.to_csv(path, index=False) if ending == "csv" else empty.to_parquet(path)
    for source in (empty, path):
        seen = cautious.watch(source, WINDOW, before, only="logreg")
        assert seen == before
        assert str(seen.notes[-1]).endswith(" holds no cases; nothing was added")
    first = cautious.watch(path, WINDOW, max_error=0.1, groups="site")
    assert (len(first.batches), first.alarm) == (0, False)
    assert "0 batches, 0 cases" in str(first)
    assert first.frame().columns.tolist() == before.frame().columns.tolist()
    later = cautious.watch(log(), WINDOW, Watch.from_json(first.to_json()), groups="site")
    assert later.groups == ("north", "south")


def test_logs_that_do_not_fit():
    with pytest.raises(InputError, match=r"row 0: the truth 'maybe'|'maybe'"):
        cautious.watch(log().assign(y_true="maybe"), WINDOW, max_error=0.1)
    with pytest.raises(InputError, match="no column"):
        cautious.watch(log()[["id"]], WINDOW, max_error=0.1)
    with pytest.raises(ValueError, match=r"max_error is 1\.5"):
        cautious.watch(log(), WINDOW, max_error=1.5)


def test_one_class_against_the_rest():
    truth = ["emu", "cat", "dog", "emu"]
    frame = pd.DataFrame({"y_true": truth, "score": [0.9, 0.1, 0.9, 0.1]})
    rule = Rule.window(0.3, 0.7, classes=["not emu", "emu"])
    assert cautious.watch(frame, rule, max_error=0.1).total()["wrong"] == 2


def test_it_prints_and_draws(tuned):
    seen = None
    for seed in range(3):
        seen = cautious.watch(log(seed=seed, flip=0.3), tuned, seen, max_error=0.1)
    text = str(seen)
    assert "ALARM" in text
    assert "█" in text
    assert "of these cases are positive, by their truths; among all" in text
    assert "<table>" in seen._repr_html_()
    frame = seen.frame()
    assert len(frame) == 3
    last = seen.monitors()["error"]
    assert frame["error evidence"].iloc[-1] == pytest.approx(last.log_evidence / last.threshold)
    json.dumps(seen.to_dict())
    assert "alarms: error" in repr(seen)
    assert len(sparks(np.zeros(500))) == 40


def test_one_of_several_models(tmp_path):
    rules = {"a": WINDOW, "b": Rule.window(0.1, 0.9, classes=["no", "yes"])}
    one, other = log(100), log(100, seed=1)
    both = pd.concat([one.assign(model="a"), other.assign(model="b")])
    seen = cautious.watch(both, rules, only="b", max_error=0.1).total()
    assert {key: seen[key] for key in counted(other)} == counted(other, rules["b"])
    with pytest.raises(InputError, match="choose one with only"):
        cautious.watch(both, rules, max_error=0.1)


def two_models():
    """A log that holds the cases of two models, one after the other and mixed."""
    both = [log(100).assign(model="lr"), log(80, seed=1, flip=0.5).assign(model="sharp")]
    return pd.concat(both).sample(frac=1, random_state=0, ignore_index=True), both[0]


def test_a_rule_of_one_model_counts_the_cases_of_that_model(tmp_path):
    both, own = two_models()
    both.to_csv(tmp_path / "log.csv", index=False)
    for source in (both, tmp_path / "log.csv"):
        with pytest.raises(InputError, match=r"models 'lr', 'sharp'.* only, for example 'lr'"):
            cautious.watch(source, WINDOW, max_error=0.1)
        seen = cautious.watch(source, WINDOW, max_error=0.1, only="lr")
        assert {key: seen.total()[key] for key in counted(own)} == counted(own)
        assert "100 of 180 cases are those of 'lr'" in " ".join(map(str, seen.notes))
    with pytest.raises(InputError, match="only is 'tree', but column 'model' holds 'lr', 'sharp'"):
        cautious.watch(both, WINDOW, max_error=0.1, only="tree")
    with pytest.raises(InputError, match="no column tells models apart"):
        cautious.watch(log(), WINDOW, max_error=0.1, only="lr")
    # A rule that is named after one of them is that one's.
    named = cautious.watch(both, WINDOW.with_details(model="lr"), max_error=0.1)
    assert named.total() == seen.total()
    # A column of one model, or one that is said to be none, leaves all cases in.
    assert cautious.watch(own, WINDOW, max_error=0.1).total() == seen.total()
    every = cautious.watch(both, WINDOW, max_error=0.1, model=False)
    assert every.total()["cases"] == len(both)


def test_models_in_files_of_their_own_are_not_mixed(tmp_path):
    both, own = two_models()
    for name, part in both.groupby("model"):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [tmp_path / "lr.csv", tmp_path / "sharp.csv"]
    for source in (tmp_path, files):
        with pytest.raises(InputError, match="models 'lr', 'sharp'"):
            cautious.watch(source, WINDOW, max_error=0.1)
    seen = cautious.watch(tmp_path, WINDOW, max_error=0.1, only="lr")
    assert {key: seen.total()[key] for key in counted(own)} == counted(own)


def test_each_file_of_a_folder_is_a_batch(tmp_path):
    for seed in range(3):
        log(50 + seed, seed=seed).to_csv(tmp_path / f"{seed}.csv", index=False)
    seen = cautious.watch(tmp_path, WINDOW, max_error=0.1)
    assert [one.counts.of().cases for one in seen.batches] == [50, 51, 52]
    later = cautious.watch(f"{tmp_path}/*.csv", WINDOW, max_error=0.1)
    assert later.batches[2].name == seen.batches[2].name == str(tmp_path / "2.csv")
    together = cautious.watch(tmp_path, WINDOW, max_error=0.1, batch="all")
    assert [(one.name, one.counts) for one in together.batches] == [("all", seen.totals)]


def test_the_cases_that_the_rule_was_tuned_on_are_noted(tuned, tmp_path):
    own = log(1000)
    own.to_csv(tmp_path / "log.csv", index=False)
    by_file = cautious.tune(tmp_path / "log.csv", costs=COSTS, honest=False, groups=False).rule
    shuffled = own.sample(frac=1, random_state=0)
    for source, rule in ((own, tuned), (shuffled, tuned), (tmp_path / "log.csv", by_file)):
        seen = cautious.watch(source, Rule.from_json(rule.to_json()), max_error=0.1)
        assert "chosen on these very cases" in " ".join(map(str, seen.notes))
    for other in (log(1000, seed=1), own[:999], own.assign(y_true="")):
        seen = cautious.watch(other, tuned, max_error=0.1)
        assert "chosen on" not in " ".join(map(str, seen.notes))
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 200)
    three = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"]).assign(
        y_true=rng.choice(list("abc"), 200)
    )
    costs = {"mistake": 1, "abstain": 0.3}
    rule = cautious.tune(three, costs=costs, honest=False).rule
    seen = cautious.watch(three, rule, max_error=0.9)
    assert "chosen on these very cases" in " ".join(map(str, seen.notes))


# --- what was seen before -----------------------------------------------------------------------


def test_ids_that_come_again_with_another_score_are_said(tmp_path):
    frame = log(60).assign(id=np.arange(60) + 1234567890123456789)
    seen = cautious.watch(frame, WINDOW, max_error=0.1, case="id", batch="one")
    seen = Watch.from_json(seen.to_json())
    again = cautious.watch(frame, WINDOW, seen, case="id", batch="one", replace=True)
    assert "another score" not in " ".join(map(str, again.notes))
    changed = frame.assign(score=frame["score"].where(frame.index != 7, 0.123))
    changed["id"] = changed["id"].astype(str)
    again = cautious.watch(changed, WINDOW, seen, case="id", batch="two")
    assert (
        "1 cases have ids that were seen before with another score, such as '123456789012345"
        in (" ".join(map(str, again.notes)))
    )
    assert again.total()["cases"] == 120
    twice = pd.concat([frame, changed])
    whole = cautious.watch(twice.astype({"id": str}), WINDOW, max_error=0.1, case="id")
    assert "another score" in " ".join(map(str, whole.notes))
    blank = frame.assign(id=None)
    assert len(cautious.watch(blank, WINDOW, max_error=0.1, case="id").ids) == 0


def test_of_many_ids_the_same_ones_are_remembered(monkeypatch):
    monkeypatch.setattr(watch_state, "IDS_KEPT", 50)
    ids, scores = np.array([f"case {at}" for at in range(400)], dtype=object), np.arange(400.0)
    whole, _ = ScoredIds().plus(ids, scores)
    first, _ = ScoredIds().plus(ids[:150], scores[:150])
    last, _ = ScoredIds().plus(ids[150:], scores[150:])
    assert len(whole) == 50
    assert first | last == last | first == whole
    assert whole.plus(ids, scores)[1] == []
    assert len(whole.plus(ids, scores + 1)[1]) == 50


def test_names_of_old_batches_take_few_bytes():
    names = [f"log/{at}.csv" for at in range(20_000)]
    found = Names.of(names[::2]) | Names.of(names[:100])
    assert len(found) == 10_050
    assert all(name in found for name in [*names[::2], *names[:100]])
    assert not any(name in found for name in names[101::2])
    assert Names.from_text(found.to_text()) == found
    assert Names.from_text(Names().to_text()) == Names()


def test_batches_of_many_groups_keep_the_state_small():
    """It grows by the digests of old names alone, about four bytes for each of a million."""
    tallies = {f"site {at}": Tally(9, 1, 0, 9, 4, 4, 4, 0, 1) for at in range(2000)}
    seen, sizes = Watch("a rule", {"error": 0.3}), []
    for at in range(15):
        seen = seen.fed(Batch(f"file {at:02}", "2030-01-01", BatchCounts(tallies)))
        sizes.append(len(seen.to_json()))
    assert [one.name for one in seen.batches] == ["file 12", "file 13", "file 14"]
    assert (seen.n_batches, len(seen.folded)) == (15, 12)
    assert sizes[-1] < sizes[4] + 10_000 < 500_000  # totals have got more digits
    names = Names.of(f"log/2030/{at}.csv" for at in range(100_000))
    many = replace(seen, folded=seen.folded | names)
    assert len(many.to_json()) < sizes[-1] + 450_000
    assert Watch.from_json(many.to_json()) == many
