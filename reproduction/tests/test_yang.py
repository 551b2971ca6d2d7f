import numpy as np
import pytest

from cautious.costs import ordinal
from cautious_reproduction.yang import experiment, reproduce_yang
from cautious_reproduction.yang.theory import cost_figures, cost_tables

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
        if cell.agrees is False
    }
    assert differing == ERRATA


def test_what_could_not_differ_is_given_and_not_counted():
    tables = {table.name: table for table in cost_tables()}
    given = {name: table.n_given for name, table in tables.items() if table.n_given}
    assert given == {
        **{"Table I": 9, "Table II": 9},
        # Single classes are Table I's, or right and wrong.
        **{"Table III": 9, "Table IV": 9, "Table V": 9, "Table X": 9},
        "Table IX": 21,  # the same formula on both sides
        **{"Table VI": 6, "Table VII": 6},  # all but the boundaries of Fig. 2
        "Table VIII": 20,
    }
    assert all(
        cell.words()[3] in ("given", "agrees", "differs")
        for t in tables.values()
        for cell in t.cells
    )
    counted = {name: tables[name].counts()[1] for name in ("Table V", "Table VI", "Table IX")}
    assert counted == {"Table V": 12, "Table VI": 2, "Table IX": 0}


@pytest.mark.parametrize(
    ("cost", "rising", "ours", "off"),
    [
        ([1, 2, 3], True, "strictly increasing", ""),
        ([3, 2, 1], False, "strictly decreasing", ""),
        # The first is the cheapest, and yet it does not rise throughout.
        (
            [1, 3, 2.5, 2.5],
            True,
            "not strictly increasing",
            "; of 3 steps 1 are level and 1 go the other way, by up to 0.5",
        ),
        (
            [3, 2, 2],
            False,
            "not strictly decreasing",
            "; of 2 steps 1 are level and 0 go the other way",
        ),
    ],
)
def test_strictly_means_at_every_step(cost, rising, ours, off):
    said, *found = experiment._strictly(np.array(cost, dtype=float), rising=rising)
    assert said == ("strictly increasing" if rising else "strictly decreasing")
    assert found == [ours, off]


def test_sets_are_priced_as_the_costs_say():
    class Answers:
        classes_ = np.array([0, 1, 2])

        def predict_set(self, X):
            return np.array([[True, True, False], [False, True, False]])

    matrix = ordinal(3)
    found = experiment.priced_sets(matrix, Answers(), [[0], [0]], [0, 2])
    # {0, 1} when 0, and {1} when 2.
    assert found["summed"] == pytest.approx((0 + 1 + 1) / 2)
    assert found["cautious r=0.0"] == pytest.approx((0.5 + 1) / 2)
    assert found["cautious r=1.0"] == pytest.approx((0 + 1) / 2)
    assert (found["mean_set_size"], found["determinacy"]) == (1.5, 0.5)


def test_every_erratum_has_a_remark():
    for table in cost_tables():
        for cell in table.cells:
            assert cell.agrees is not False or cell.remark, (table.name, cell)


def test_figures_1_and_2():
    one, two = cost_figures()
    u65 = one.frame[one.frame["line"] == "u65"].set_index("x")["utility"]
    assert u65.loc[0.5] == pytest.approx(0.65)
    six = two.frame[two.frame["table"] == "Table VI"]
    ends = six.groupby("set", sort=False)["p(n)"].agg(["min", "max"]).T.to_dict("list")
    assert ends == {"{h}": [0, 0.25], "{h, n}": [0.25, 0.875], "{n}": [0.875, 1]}
    assert six["expected cost"].tolist() == [0, 0.5, 0.5, 0.5, 0.5, 0]


def test_the_experiments_on_one_data_set(in_one_process, monkeypatch, tmp_path):
    monkeypatch.setattr(experiment, "SETS", ["LEV"])
    monkeypatch.setattr(experiment, "QUICK", (3, 2))
    monkeypatch.setattr(experiment, "FOLDS", 3)
    monkeypatch.setattr(experiment, "DRAWS", 5)
    monkeypatch.setattr(experiment, "STEPS", np.array([1.0, 2.0, 3.0, 5.0]))
    done = reproduce_yang(quick=True, folder=tmp_path)
    tables = {table.name: table for table in done.tables}
    ours = {cell.column: cell.ours for cell in tables["Table XII"].cells}
    assert ours["NCC"] == pytest.approx(0.43, abs=0.05)
    assert 0 < ours["2Tr"] < 1
    assert 0 < ours["Fo"] < 1
    figures = {figure.name: figure.frame for figure in done.figures}
    cautious, averse = (
        figures[name].pivot(index="s", columns="line", values="cost")
        for name in ("Fig. 3", "Fig. 3, mistake averse")
    )
    assert len(cautious) == 3
    # "the higher r, the lower is the cost for indeterminate predictions"
    assert (cautious["cautious r=0.9"] <= cautious["cautious r=0.5"] + 1e-12).all()
    assert (cautious["cautious r=0.5"] <= averse["averse r=0.5"] + 1e-12).all()
    words = {cell.column: cell for cell in tables["Fig. 3 in words"].cells}
    higher = words["the higher r, the lower the cost"]
    assert (higher.ours, higher.agrees) == ("yes", None)
    strict = [c for c in tables["Fig. 3, no reward and full reward"].cells if c.paper]
    assert [c.paper for c in strict] == ["strictly increasing", "strictly decreasing"]
    assert all("steps of 0.25" in c.column for c in strict)
    assert "NCC of section VII-B with s = 2" in tables["Table XII"].remark
    # The paper's figure and its table contradict each other.
    assert "Table XII prints 3.43" in words["largest cost drawn"].remark
    assert words["largest cost drawn"].agrees is None
    summed = {cell.column: cell.ours for cell in tables["Table XII, summed"].cells}
    assert summed["NCC, summed"] > ours["NCC"]
    assert len(done.claims) >= 40
    assert sum(claim.verdict == "the paper contradicts itself" for claim in done.claims) == 7
    ranks = [cell.ours for cell in tables["Table XII, ranks"].cells]
    assert sorted(ranks) == [1, 2, 3]
    assert done.remarks[-1] == "Failures: none of 33 rows."
    assert done.seconds > 0
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
