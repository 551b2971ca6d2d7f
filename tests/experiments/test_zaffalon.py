import numpy as np
import pytest

from cautious.datasets import load_dataset
from cautious.experiments import zaffalon_collection, zaffalon_simulations
from cautious.experiments.zaffalon import reproduce_zaffalon
from cautious.experiments.zaffalon_collection import collection_measures
from cautious.experiments.zaffalon_simulations import simulated, utility_figures, utility_tables
from cautious.models import NaiveCredalClassifier


def test_table_7_and_the_inversion_points_come_out():
    for table in utility_tables():
        agree, printed = table.counts()
        assert agree == printed > 0


def test_figure_8_f1_lies_between_u65_and_u80():
    frame = utility_figures()[2].frame.pivot(index="k", columns="line", values="score")
    assert (frame["u65"] <= frame["F1"] + 1e-12).all()
    assert (frame["F1"] <= frame["u80"] + 1e-12).all()


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


def test_simulations_are_repeatable_and_lay_out_both_figures(monkeypatch):
    monkeypatch.setattr(zaffalon_simulations, "SIZES", (25,))
    monkeypatch.setattr(zaffalon_simulations, "SMALL_SIZES", (5, 100))
    (table,), (three, four) = simulated(quick=True, n_jobs=1, progress=False)
    (again,), _ = simulated(quick=True, n_jobs=1, progress=False)
    assert str(table) == str(again)
    assert len(three.frame) == 3
    assert len(four.frame) == 6
    cells = {cell.column: cell for cell in table.cells}
    # At five examples the NCC is nearly always indeterminate: u65 is 0.65.
    assert cells["u65 of NCC at the smallest size"].agrees
    assert cells["s = 25, risk-neutral"].ours == "NBC"


def test_chances_are_apart():
    theta = zaffalon_simulations._chances(np.random.default_rng(0))
    assert (np.abs(theta[0] - theta[1]) >= 0.1).all()


def test_the_whole_module_on_three_data_sets(monkeypatch, tmp_path):
    monkeypatch.setattr(zaffalon_simulations, "SIZES", (25,))
    monkeypatch.setattr(zaffalon_simulations, "SMALL_SIZES", (5,))
    sets = ["labor", "contact-lenses", "hayes-roth"]
    monkeypatch.setattr(zaffalon_collection, "QUICK_SETS", sets)
    done = reproduce_zaffalon(quick=True, folder=tmp_path)
    names = [table.name for table in done.tables]
    assert {"Table 4", "Table 5", "Table 6", "Table 7", "Table 8"} <= set(names)
    assert {f"Fig. {i}" for i in range(1, 10)} == {figure.name for figure in done.figures}
    eight = next(table for table in done.tables if table.name == "Table 8")
    shares = [cell.ours for cell in eight.cells if cell.row == "u65"]
    assert sum(shares) == pytest.approx(1)
    assert (tmp_path / "zaffalon-selected-quick.db").is_file()
