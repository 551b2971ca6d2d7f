"""``cautious compare``: paired tests on the same cases, whatever the order of the rows."""

import io

import numpy as np
import pandas as pd
import pytest

from cautious.comparison._significance import holm
from cautious.curves import AbstentionCostSurface
from cautious.metrics import bootstrap_interval, discounted_accuracy_score, per_sample
from cautious.utility import crossover

ARGS = ("--positive", "bad", "--resamples", 100)


def test_the_vacc_test_is_that_of_the_library(run_json, scores, binary):
    y, good, poor = binary
    document = run_json("compare", "good.csv", "poor.csv", *ARGS, "--json")
    (pair,) = document["pairs"]
    test = AbstentionCostSurface.vacc_test(y, good, poor, n_resamples=100, random_state=0)
    assert pair["vacc_difference"] == pytest.approx(test.difference.estimate)
    assert (pair["vacc_low"], pair["vacc_high"]) == pytest.approx(
        (test.difference.low, test.difference.high)
    )
    assert pair["p"] == pair["p_adjusted"] == pytest.approx(test.p_value)
    assert pair["first_cheaper"] > 0.9
    assert document["models"]["good"]["vacc"] == pytest.approx(test.vacc_a)
    assert document["best"] == "good"
    assert pair["crossover"] is None  # both always answer: the lines are parallel


def test_utilities_and_where_models_change_places(run_json, probabilities, trees, tmp_path):
    truth, p = trees
    labels = ["ash", "elm", "oak"]
    masks = p > 0.25
    masks[np.arange(len(p)), p.argmax(axis=1)] = True
    sets = ["|".join(np.array(labels)[row]) for row in masks]
    pd.DataFrame({"truth": truth, "y_set": sets}).to_csv(tmp_path / "sets.csv", index=False)
    document = run_json("compare", "trees.csv", "sets.csv", "--resamples", 100, "--json")
    (pair,) = document["pairs"]
    single = np.eye(3, dtype=bool)[p.argmax(axis=1)]
    gain = bootstrap_interval(
        truth, single, masks, measure="u65", classes=labels, n_resamples=100, random_state=0
    )
    assert pair["u65_difference"] == pytest.approx(gain.estimate)
    assert pair["u65_low"] == pytest.approx(gain.low)
    x, y = (
        per_sample(discounted_accuracy_score)(truth, m, classes=labels) for m in (single, masks)
    )
    place = crossover(x, y, strata=truth, n_resamples=100, random_state=0)
    assert pair["crossover"] == pytest.approx(place.k.estimate)
    assert pair["better_above"] == "second"
    assert document["answers"]["sets"] == "the sets as given"


def test_utility_optimal_sets_are_compared_too(run, probabilities, tmp_path):
    (tmp_path / "trees.csv").rename(tmp_path / "other.csv")
    result = run("compare", "other.csv", "trees.parquet", "--utility", "u80", "--resamples", 20)
    assert "greatest expected utility u80" in result.stdout
    assert "never" in result.stdout


def test_tuned_answers_are_compared(run, run_json, scores):
    run("tune", "good.csv", "poor.csv", "--positive", "bad", "--max-error", 0.05, "-o", "t.json")
    document = run_json("compare", "good.csv", "poor.csv", *ARGS, "--rule", "t.json", "--json")
    assert document["models"]["poor"]["coverage"] < document["models"]["good"]["coverage"] < 1


def test_cases_are_matched_by_their_id(run_json, fails, scores, tmp_path):
    poor = pd.read_csv(tmp_path / "poor.csv")
    poor.sample(frac=1, random_state=0).to_csv(tmp_path / "shuffled.csv", index=False)
    plain = run_json("compare", "good.csv", "poor.csv", *ARGS, "--json")
    assert "--id" in fails("compare", "good.csv", "shuffled.csv", *ARGS)
    matched = run_json("compare", "good.csv", "shuffled.csv", *ARGS, "--id", "id", "--json")
    assert matched["pairs"][0]["p"] == plain["pairs"][0]["p"]
    assert matched["pairs"][0]["vacc_low"] == pytest.approx(plain["pairs"][0]["vacc_low"])


def test_models_must_be_comparable(fails, scores, probabilities, tmp_path):
    assert "only one model" in fails("compare", "good.csv", *ARGS)
    pd.read_csv(tmp_path / "poor.csv").head(9).to_csv(tmp_path / "short.csv", index=False)
    assert "200 rows and 'short' has 9" in fails("compare", "good.csv", "short.csv", *ARGS)
    text = "y,p_a,p_b,p_c\n" + "a,.2,.5,.3\n" * 150
    assert "different classes" in fails("compare", "trees.csv", "-", stdin=text)
    assert "both given" in fails("compare", "trees.csv", "--json", "--csv")
    message = fails("compare", "trees.csv", "--utility", "u65", "--rule", "t.json")
    assert "--rule and --utility are given; give one of them" in message


def test_three_models_and_csv(run, scores, tmp_path):
    good = pd.read_csv(tmp_path / "good.csv")
    good.assign(score=1 - good["score"]).to_csv(tmp_path / "wrong.csv", index=False)
    files = ("good.csv", "poor.csv", "wrong.csv")
    frame = pd.read_csv(io.StringIO(run("compare", *files, *ARGS, "--csv").stdout))
    assert frame[["first", "second"]].to_numpy().tolist() == [
        ["good", "poor"],
        ["good", "wrong"],
        ["poor", "wrong"],
    ]
    np.testing.assert_allclose(frame["p_adjusted"], holm(frame["p"]))
    text = run("compare", *files, *ARGS).stdout
    assert "While the costs are unknown, take good: its VACC, the mean cost over all" in text


def test_equal_means_are_decided_by_the_variance_of_many_cases_only(run):
    text = "y,y_set,model\n" + "a,a,bold\nb,a,bold\na,a|b,careful\nb,a|b,careful\n"
    shown = " ".join(run("compare", "-", "--resamples", 20, stdin=text).stdout.split())
    assert "careful is worth most at every aversion to risk" in shown
    assert "but cannot be told apart from bold" in shown


def test_it_may_depend_on_the_aversion_to_risk(run):
    rows = [("a", "a")] * 8 + [("b", "a")] * 2
    text = "y,y_set,model\n" + "".join(f"{y},{s},bold\n" for y, s in rows)
    text += "".join(f"{y},{'a' if k < 4 else 'a|b'},careful\n" for k, (y, _) in enumerate(rows))
    result = run("compare", "-", "--resamples", 20, stdin=text).stdout
    assert "k = 0.667: careful" in result
    assert "depends on the aversion to risk" in result
    assert "Aversion to risk, k: what a right pair of classes is worth" in result


def test_the_least_vacc_may_be_chance(run, scores, tmp_path):
    text = run("compare", "good.csv", "poor.csv", *ARGS).stdout
    assert "over all costs at which missing 'bad' is the more expensive mistake" in text
    assert "told apart" not in text
    assert "Cheaper at: shares of all relative costs, μ and ν from 0 to 1" in text
    near = pd.read_csv(tmp_path / "good.csv")
    near.loc[3:9, "score"] = 1 - near.loc[3:9, "score"]
    near.to_csv(tmp_path / "near.csv", index=False)
    text = run("compare", "near.csv", "poor.csv", "good.csv", *ARGS).stdout
    assert "cannot be told apart from near (difference" in text
    assert "from poor" not in text
