import sqlite3
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from cautious.datasets import list_datasets, load_dataset
from cautious.errors import DifferentStudyError
from cautious.experiments import Study
from cautious.models import NaiveCredalClassifier
from cautious_reproduction.zaffalon import collection, reproduce_zaffalon
from cautious_reproduction.zaffalon import simulations as zaffalon_simulations
from cautious_reproduction.zaffalon.collection import (
    Collection,
    LaplaceBayesClassifier,
    collection_measures,
    collection_study,
    collection_table,
    share_spread,
    spread,
)
from cautious_reproduction.zaffalon.comparisons import (
    credal_figures,
    credal_tables,
    naive_figure,
    naive_tables,
    nondeterministic_figure,
    nondeterministic_tables,
)
from cautious_reproduction.zaffalon.simulations import (
    simulate,
    simulation_claims,
    simulation_figures,
    simulation_table,
)
from cautious_reproduction.zaffalon.theory import game_value, utility_figures, utility_tables

MODELS = ["NBC", "NCC", "LNCC", "CMA", "CDT", "NDC"]
# Where the paper is wrong or says more than holds.
UTILITY_ERRATA = {
    ("Section 7, Example 1", "mean set size of f less that of g"),
    ("Section 8", "second order always within 1 %"),
}


def column(table, *rows):
    """Give ours by column, of the rows asked for."""
    return {cell.column: cell for cell in table.cells if cell.row in rows}


def test_everything_that_needs_no_data_comes_out_but_for_the_errata():
    tables = utility_tables()
    assert [table.name for table in tables[:3]] == ["Table 1", "Table 2", "Table 3"]
    differing = {
        (table.name, cell.column)
        for table in tables
        for cell in table.cells
        if cell.words()[3] not in ("agrees", "given")
    }
    assert differing == UTILITY_ERRATA
    given = {table.name: table.n_given for table in tables if table.n_given}
    assert given == {
        **{"Table 1": 4, "Table 2": 4, "Table 3": 12, "Table 7": 14},
        "Figs 2 and 8 in words": 4,
    }
    assert sum(table.counts()[1] for table in tables) == 67 - sum(given.values())
    assert all(cell.agrees is not False or cell.remark for table in tables for cell in table.cells)


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_the_game_of_theorem_1_is_worth_one_over_k(k):
    value, slack = game_value(k)
    assert value == pytest.approx(1 / k)
    assert slack == pytest.approx(0, abs=1e-8)  # only the uniform strategy is optimal
    # No mixture does better against the class it plays least.
    mixed = np.random.default_rng(0).dirichlet(np.ones(k), size=200)
    assert (mixed.min(axis=1) <= value + 1e-12).all()


def test_spread_is_that_of_a_median():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(2000, 55))
    truth = 2 * np.std(np.median(draws, axis=1))
    assert np.mean([spread(row) for row in draws[:50]]) == pytest.approx(truth, rel=0.2)
    assert share_spread(0.5, 100) == pytest.approx(0.1)
    assert share_spread(0.0, 55) > 0


def test_laplace_bayes_is_categorical_naive_bayes():
    from sklearn.naive_bayes import CategoricalNB

    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(80, 4)), rng.integers(3, size=80)
    frame = pd.DataFrame(X).astype("category").add_prefix("f")
    ours = LaplaceBayesClassifier().fit(frame, y).predict_proba(frame)
    prior = (np.bincount(y) + 1) / (len(y) + 3)
    theirs = CategoricalNB(class_prior=prior).fit(X, y)
    np.testing.assert_allclose(ours, theirs.predict_proba(X), atol=1e-12)
    gap = frame.copy()
    gap.iloc[0, 1] = np.nan
    skipped = LaplaceBayesClassifier().fit(frame.drop(columns="f1"), y)
    whole = LaplaceBayesClassifier().fit(frame, y)
    np.testing.assert_allclose(
        whole.predict_proba(gap)[0], skipped.predict_proba(gap.drop(columns="f1"))[0]
    )


def test_figure_8_f1_lies_between_u65_and_u80():
    frame = utility_figures()[2].frame.pivot(
        index="classes in the set", columns="line", values="score"
    )
    assert (frame["u65"] <= frame["F1"] + 1e-12).all()
    assert (frame["F1"] <= frame["u80"] + 1e-12).all()


def test_figure_1_peaks_at_as_many_bets_as_there_are_classes():
    frame = utility_figures()[0].frame
    best = frame.loc[frame.groupby("classes")["d(m)"].idxmax()]
    assert dict(zip(best["classes"], best["m"], strict=True)) == {"2": 2, "3": 3, "5": 5, "10": 10}


def test_measures_where_the_ncc_is_indeterminate():
    X, y = load_dataset("zoo", return_X_y=True)
    y = np.asarray(y)
    X = X.select_dtypes("category")
    model = NaiveCredalClassifier(s=3).fit(X[::2], y[::2])
    found = collection_measures(model, X[1::2], y[1::2])
    sets = model.predict_set(X[1::2])
    unsure = sets.sum(axis=1) > 1
    assert found["unsure"] == unsure.sum() > 0
    assert found["unsure_nbc"] == np.mean(model.predict(X[1::2])[unsure] == y[1::2][unsure])
    bold = NaiveCredalClassifier(epsilon=1.0).fit(X[::2], y[::2])
    assert "unsure" not in collection_measures(bold, X[1::2], y[1::2])


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(zaffalon_simulations, "SIZES", (25,))
    monkeypatch.setattr(zaffalon_simulations, "SMALL_SIZES", (5, 100))
    monkeypatch.setattr(zaffalon_simulations, "DRAWS", 5)


def test_simulations_are_repeatable_and_lay_out_both_figures(small):
    results = simulate(quick=True, store=None, n_jobs=1, progress=False)
    again = simulate(quick=True, store=None, n_jobs=1, progress=False)
    pd.testing.assert_frame_equal(results.drop(columns="seconds"), again.drop(columns="seconds"))
    assert results.groupby("dataset").size().to_dict() == {
        "artificial 25": 40,
        "kr-vs-kp 100": 10,
        "kr-vs-kp 5": 10,
    }
    three, four = simulation_figures(results)
    assert len(three.frame) == 3
    assert len(four.frame) == 6
    table = simulation_table(results)
    four_in_words = column(table, "Fig. 4")
    # At five examples the NCC is nearly always indeterminate: u65 is 0.65.
    assert four_in_words["u65 of NCC at the smallest size"].agrees
    assert four_in_words["NCC determinacy rises with s"].agrees
    wider = four_in_words["NCC leads by more under u80"]
    assert (wider.ours, wider.agrees) == ("yes", None)
    assert column(table, "Fig. 3")["s = 25, risk-neutral"].ours == "NBC"
    claims = {claim.says: claim for claim in simulation_claims(table, results)}
    guess = claims["… and NBC is only slightly better than random guessing"]
    own = results.loc[results["dataset"] == "kr-vs-kp 5", "NBC accuracy"]
    # Of the sizes at which NCC is almost always indeterminate: at 100 it is not.
    assert guess.ours.startswith(f"s = 5: accuracy {own.mean():.3f} [")
    assert guess.ours.endswith(f"above one half in {(own > 0.5).sum()} of 10 samples")


@pytest.mark.slow
def test_interrupted_simulations_go_on(small, tmp_path):
    whole = simulate(quick=True, store=tmp_path / "whole.db", n_jobs=1, progress=False)
    store = tmp_path / "part.db"
    simulate(quick=True, store=store, n_jobs=1, progress=False)
    with sqlite3.connect(store) as db:  # as if it had been killed before these were done
        db.execute("DELETE FROM folds WHERE dataset = 'kr-vs-kp 5' OR repeat > 2")
        (kept,) = db.execute("SELECT sum(seconds) FROM folds").fetchone()
    db.close()
    resumed = simulate(quick=True, store=store, n_jobs=1, progress=False)
    pd.testing.assert_frame_equal(resumed.drop(columns="seconds"), whole.drop(columns="seconds"))
    old = resumed[(resumed["dataset"] != "kr-vs-kp 5") & (resumed["repeat"] <= 2)]
    assert old["seconds"].sum() == pytest.approx(kept, rel=1e-12)  # not computed again


def test_a_store_of_other_settings_is_refused_and_left_as_it_is(small, monkeypatch, tmp_path):
    store = tmp_path / "zaffalon-simulated-quick.db"
    simulate(quick=True, store=store, n_jobs=1, progress=False)
    before = store.read_bytes()
    monkeypatch.setattr(zaffalon_simulations, "QUICK", (8, 6, 2000, 10))
    with pytest.raises(DifferentStudyError, match=r"simulated-quick\.db holds another study.*Give"):
        reproduce_zaffalon(quick=True, folder=tmp_path)
    assert store.read_bytes() == before


def test_chances_are_apart():
    theta = zaffalon_simulations._chances(np.random.default_rng(0))
    assert (np.abs(theta[0] - theta[1]) >= 0.1).all()


def test_the_collection_keeps_to_the_ranges_of_the_paper():
    study = collection_study(quick=False, selection=True)
    assert len(study.datasets) == 62
    table = collection_table(study)
    ours = {(cell.row, cell.column): cell.ours for cell in table.cells}
    assert ours["instances", "least"] == 24
    assert (ours["classes", "least"], ours["classes", "most"]) == (2, 26)
    assert ours["features", "most"] == 36
    # Of fifteen instances, which ten folds cannot share.
    assert "shuttle-landing-control" not in study.datasets
    assert "shuttle-landing-control" in table.remark


def made_up(lead):
    """Make results of six classifiers on twenty data sets, of which NBC leads by so much."""
    rng = np.random.default_rng(0)
    sizes = list_datasets()["rows"]
    names = collection_study(quick=False, selection=False).datasets
    rows = []
    for dataset in list(names)[:20]:
        level = rng.uniform(0.6, 0.9)
        for fold in range(10):
            for place, model in enumerate(MODELS):
                score = level - 0.02 * place + rng.normal(0, 0.002)
                if model == "NBC":
                    score = level - 0.02 + lead + rng.normal(0, 0.002)
                row = {"dataset": dataset, "model": model, "repeat": 0, "fold": fold}
                row |= dict.fromkeys(["discounted_accuracy", "u65", "u80", "f1"], score)
                row |= {"determinacy": 0.95 - 0.1 * place, "failure": None}
                if model == "NCC":  # the larger the data set, the surer
                    row["determinacy"] = 0.96 + sizes[dataset] / 1e6
                if model == "NCC":
                    row |= {"unsure": 4.0, "unsure_u65": 0.654, "unsure_u80": 0.9}
                    row |= {"unsure_nbc": 0.6}
                rows.append(row)
    study = Study({m: NaiveCredalClassifier() for m in MODELS}, list(names)[:20])
    return Collection(study, pd.DataFrame(rows))


def test_tables_say_what_the_results_say():
    own = made_up(lead=0.1)
    versus, ignorance = naive_tables(own, own)
    ahead = column(versus, "all features, u50")
    assert ahead["share of data sets with NBC ahead"].ours == 1
    assert ahead["share of data sets with NCC ahead"].ours == 0
    assert ahead["Wilcoxon"].ours == "significant"
    printed = column(versus, "selected, u65")["share of data sets with NCC ahead"]
    assert printed.paper == 37 / 55
    assert "65 of 55" in printed.remark
    gain = column(ignorance, "u80")
    assert gain["gain of NCC"].ours == pytest.approx(0.5)
    assert gain["upper end of its interval"].ours == pytest.approx(0.5)
    assert column(ignorance, "u65")["gain of NCC"].agrees
    *_, words, six, tests, selection = credal_tables(own, own)
    assert column(words, "medians")["most determinate"].ours == "NCC"
    assert [c.ours for c in six.cells[:4]] == [1, 2, 3, 4]
    assert column(tests, "u50")["NCC and CDT"].ours == "significant"
    assert column(selection, "NCC")["Wilcoxon"].ours == "not significant"
    eight, words = nondeterministic_tables(own)
    wins = [cell.ours for cell in eight.cells if cell.row == "u65"]
    assert wins == [1, 0, 0]
    assert column(words, "u80")["Wilcoxon"].ours == "significant, NCC ahead"
    assert column(words, "determinacy of NDC")["with features"].ours == "neither"
    assert column(words, "determinacy of NCC")["with rows"].ours == "rises"


def test_figures_hold_a_row_a_data_set_and_panel():
    own = made_up(lead=0)
    five = naive_figure(own, own)
    six, seven = credal_figures(own, own)
    nine = nondeterministic_figure(own)
    for figure in (five, seven, nine):
        assert figure.frame.groupby(figure.panels).size().tolist() == [20] * 4
        assert figure.kind == "points"
    assert six.frame["critical_difference"].nunique() == 1
    assert six.frame.groupby("utility")["rank"].sum().tolist() == [10, 10, 10]


def test_a_classifier_that_fails_everywhere_is_named():
    own = made_up(lead=0)
    own.results.loc[own.results["model"] == "CMA", ["u65", "failure"]] = [np.nan, "broken"]
    with pytest.raises(ValueError, match=r"no data set has the u65.*200 of 1200 rows.*broken"):
        own.table("u65")


@pytest.mark.slow
def test_the_whole_module_on_three_data_sets(small, in_one_process, monkeypatch, tmp_path):
    monkeypatch.setattr(collection, "FOLDS", 2)
    sets = ["labor", "contact-lenses", "hayes-roth"]
    for module in (collection, import_module("cautious_reproduction.zaffalon.conclusions")):
        monkeypatch.setattr(module, "QUICK_SETS", sets)
    done = reproduce_zaffalon(quick=True, folder=tmp_path)
    names = [table.name for table in done.tables]
    assert {f"Table {i}" for i in range(1, 9)} <= set(names)
    assert [f"Fig. {i}" for i in range(1, 10)] == [figure.name for figure in done.figures]
    eight = next(table for table in done.tables if table.name == "Table 8")
    assert sum(cell.ours for cell in eight.cells if cell.row == "u65") == pytest.approx(1)
    assert done.remarks[-1] == "Failures: none of 192 rows."
    verdicts = {claim.says: claim for claim in done.claims}
    # The sets of one answer are NBC's, whatever the data: its prior is one of NCC's.
    same = verdicts["Where NCC answers with one class, NBC names the same"]
    assert same.verdict == "holds"
    variants = next(table for table in done.tables if table.name == "Variants")
    tried = [cell for cell in variants.cells if cell.row == "NDC, F2 inside, first repeat"]
    assert [cell.column.rpartition(" ")[2] for cell in tried] == ["u50", "u65", "f1", "u80"]
    for cell in tried:
        assert sum(map(int, cell.ours.split(" : "))) == len(sets)
    assert len(done.claims) >= 50
    contradictions = [c for c in done.claims if c.verdict == "the paper contradicts itself"]
    assert len(contradictions) == 9
    assert done.seconds > 0
    stores = {f"zaffalon-{kind}-quick.db" for kind in ("simulated", "plain", "selected")}
    assert stores == {f.name for f in tmp_path.iterdir()}
    assert str(reproduce_zaffalon(quick=True, folder=tmp_path)) == str(done)
