import pytest

from cautious.experiments import yang
from cautious.experiments.yang import reproduce_yang
from cautious.experiments.yang_costs import cost_figures, cost_tables

# Cells in which the paper is wrong, by the paper's own definitions.
ERRATA = {
    ("Table III", "{h, b, n}", "h"),
    ("Table III", "{h, b, n}", "b"),
    ("Table III", "{h, b, n}", "n"),
    ("Table XI", "ERA", "features"),
    ("Table XI", "ESL", "features"),
    ("Table XI", "LEV", "features"),
    ("Sections V and VI", "Ha (V-b)", "property 3"),
}


def test_every_printed_cost_comes_out_but_for_the_errata():
    differing = {
        (table.name, cell.row, cell.column)
        for table in cost_tables()
        for cell in table.cells
        if not cell.agrees
    }
    assert differing == ERRATA
    assert sum(table.counts()[1] for table in cost_tables()) > 200


def test_every_erratum_has_a_remark():
    for table in cost_tables():
        for cell in table.cells:
            assert cell.agrees or cell.remark, (table.name, cell)


def test_figures_1_and_2():
    one, two = cost_figures()
    u65 = one.frame[one.frame["line"] == "u65"].set_index("x")["utility"]
    assert u65.loc[0.5] == pytest.approx(0.65)
    sets = two.frame[two.frame["table"] == "Table VI"].set_index("p(n)")["set"]
    assert [sets.loc[p] for p in (0.0, 0.5, 1.0)] == ["{h}", "{h, n}", "{n}"]


def test_the_experiments_on_one_data_set(monkeypatch, tmp_path):
    monkeypatch.setattr(yang, "SETS", ["LEV"])
    monkeypatch.setattr(yang, "QUICK", (3, 2))
    done = reproduce_yang(quick=True, folder=tmp_path)
    tables = {table.name: table for table in done.tables}
    ours = {cell.column: cell.ours for cell in tables["Table XII"].cells}
    assert ours["NCC"] == pytest.approx(0.43, abs=0.05)
    assert 0 < ours["2Tr"] < 1
    assert 0 < ours["Fo"] < 1
    curve = done.figures[-1].frame.pivot(index="s", columns="line", values="cost")
    # "the higher r, the lower is the cost for indeterminate predictions"
    assert (curve["cautious r=0.9"] <= curve["cautious r=0.5"] + 1e-12).all()
    assert (curve["cautious r=0.5"] <= curve["averse r=0.5"] + 1e-12).all()
    assert (tmp_path / "yang-LEV-quick.db").is_file()


@pytest.mark.slow
def test_the_quick_pass(tmp_path):
    done = reproduce_yang(quick=True, folder=tmp_path, n_jobs=2)
    twelve = next(table for table in done.tables if table.name == "Table XII")
    ours = {(cell.row, cell.column): cell.ours for cell in twelve.cells}
    # An independent implementation gives about 1.24, .52 and .43 for the NCC.
    assert ours["ERA", "NCC"] == pytest.approx(1.24, abs=0.05)
    assert ours["ESL", "NCC"] == pytest.approx(0.52, abs=0.05)
    assert ours["LEV", "NCC"] == pytest.approx(0.43, abs=0.05)
    again = reproduce_yang(quick=True, folder=tmp_path)
    assert str(again) == str(done)
