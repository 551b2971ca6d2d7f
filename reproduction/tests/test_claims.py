import math

import pandas as pd
import pytest

from cautious_reproduction import PAPERS
from cautious_reproduction.claims import (
    LEFT_OUT,
    RULES,
    VERDICTS,
    Claim,
    Reproduction,
    failures_in_words,
    undecided,
)
from cautious_reproduction.page import reproduction_page
from cautious_reproduction.printed_tables import Cell, Figure, Table, cells_of


def made():
    ours = pd.DataFrame([[0.5333, 1.0]], ["{a}"], ["x", "y"])
    cells = cells_of(ours, [[0.54, None]], remarks={("{a}", "x"): "misprinted"})
    table = Table("Table 1", "numbers", [*cells, Cell("b", "x", "holds", "holds")], "so.")
    frame = pd.DataFrame({"x": [0, 1], "y": [1, 2]})
    return Reproduction("paper", "A paper", [table], [Figure("Fig. 1", "line", frame, "x", "y")])


@pytest.mark.parametrize(
    ("ours", "paper", "within", "agrees"),
    [
        (0.804, 0.8, 0.005, True),
        (0.806, 0.8, 0.005, False),
        (0.805, 0.8, 0.005, True),
        ("a", "a", 0, True),
        ("a", "b", 0, False),
        (1.0, None, 0, None),
    ],
)
def test_agreement(ours, paper, within, agrees):
    assert Cell("r", "c", ours, paper, within).agrees is agrees


def test_what_is_given_is_shown_and_not_counted():
    cells = [Cell("r", "x", 1.0, 1.0), Cell("r", "y", 0.0, 0.0, given=True)]
    cells.append(Cell("r", "z", "no", "yes", given=True))
    table = Table("Table 1", "numbers", cells)
    assert (table.counts(), table.n_given) == ((1, 1), 2)
    assert [cell.agrees for cell in cells] == [True, None, None]
    # A theorem that fails is not counted either, and not hidden.
    assert [cell.words()[3] for cell in cells] == ["agrees", "given", "given, differs"]
    assert table.frame()["given"].tolist() == [False, True, True]
    assert str(table).startswith("Table 1. numbers (1 of 1 cells agree, 2 given)\n")
    done = Reproduction("paper", "A paper", [table, Table("T", "none", cells[1:2])])
    assert (done.counts(), done.n_given) == ((1, 1), 3)
    assert "T. none (1 given)" in str(done)
    assert str(done).endswith("1 of 1 printed cells agree; 3 more are given.\n")


def test_rows_of_a_frame_can_be_given():
    ours = pd.DataFrame([[1.0], [2.0]], ["a", "b"], ["x"])
    assert [cell.given for cell in cells_of(ours, [[1], [2]], given=["a"])] == [True, False]


def test_difference_is_signed_and_free_of_rounding():
    assert Cell("r", "c", 1.0, 0.75).difference == 0.25
    assert Cell("r", "c", 0.1 + 0.2, 0.3).difference == 0
    assert math.isnan(Cell("r", "c", "a", "b").difference)


def test_everything_is_counted_and_printed():
    reproduction = made()
    assert reproduction.counts() == (1, 2)
    text = str(reproduction)
    assert "(1 of 2 cells agree)" in text
    assert "misprinted" in text
    assert "differs" in text
    assert "1 of 2 printed cells agree." in text
    assert "Fig. 1. line: 2 points." in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert reproduction.frame()["agrees"].tolist() == [False, None, True]


def test_writing_leaves_whole_files_only(tmp_path):
    files = made().write(tmp_path / "new")
    assert {f.name for f in files} == {"paper.txt", "paper-table-1.csv", "paper-fig-1.csv"}
    assert sorted(files) == sorted((tmp_path / "new").iterdir())
    assert len(pd.read_csv(tmp_path / "new" / "paper-table-1.csv")) == 3


def test_figures_of_one_name_do_not_overwrite_each_other(tmp_path):
    frame = pd.DataFrame({"x": [0], "y": [1]})
    figures = [
        Figure("Fig. 3, cost", "a", frame, "x", "y"),
        Figure("Fig. 3, cost", "b", frame, "x", "y"),
    ]
    done = Reproduction("paper", "A paper", [], figures)
    assert done.stems() == ["paper-fig-3-cost", "paper-fig-3-cost-2"]
    assert len(done.write(tmp_path)) == len(list(tmp_path.iterdir())) == 3


def test_failures_are_counted_by_data_set():
    results = pd.DataFrame(
        {"dataset": ["zoo", "iris", "zoo"], "failure": ["ValueError: no", None, "KeyError: x"]}
    )
    assert failures_in_words(results) == "Failures: 2 of 3 rows; zoo (2: ValueError: no)."
    assert failures_in_words(results[1:2]) == "Failures: none of 1 rows."


@pytest.mark.parametrize(
    ("kind", "off", "of", "verdict"),
    [
        ("arithmetic", 0, 3, "holds"),
        ("arithmetic", 1, 30, "fails"),
        # Two standard deviations leave one in twenty out by chance.
        ("re-run", 1, 30, "holds"),
        ("re-run", 5, 30, "fails"),
        ("re-run", 1, 3, "fails"),
    ],
)
def test_a_claim_is_judged_by_its_cells(kind, off, of, verdict):
    cells = [Cell("r", str(i), 1.0 + (i < off), 1.0, 0.5) for i in range(of)]
    claim = Claim.of_cells("Table 1", "All are one", kind, cells)
    assert claim.verdict == verdict
    assert claim.ours.startswith(f"{of - off} of {of} ")


@pytest.mark.parametrize(
    ("true", "of", "verdict"),
    [
        (10, 10, "holds"),
        (9, 10, "holds"),
        (8, 10, "cannot tell"),
        (3, 10, "cannot tell"),  # the order of five learners in 30 % of the runs
        (2, 10, "cannot tell"),
        (1, 10, "fails"),
        (0, 10, "fails"),
        (1, 1, "cannot tell"),  # one run decides nothing
    ],
)
def test_a_sentence_on_runs_is_judged_by_how_often_it_is_true(true, of, verdict):
    found = [i < true for i in range(of)]
    claim = Claim.of_repeats("4", "NB is worst", "re-run", found, paper="worst", ours="0.64")
    assert claim.verdict == verdict
    assert claim.ours == f"0.64; true in {true} of {of} runs"
    assert bool(claim.cause) == (verdict == "cannot tell")


def test_readings_that_a_paper_leaves_open_must_agree():
    always, never = [True] * 10, [False] * 10
    said = {"paper": "30 to 60 %", "ours": "38 %"}
    for readings, verdict in (
        ((always, always), "holds"),
        ((always, never), "cannot tell"),
        ((never, never), "fails"),
    ):
        true = dict(zip(("if spam is pos", "if it is not"), readings, strict=True))
        claim = Claim.of_repeats("7", "least cost", "re-run", true, **said)
        assert claim.verdict == verdict
    assert claim.ours == "38 %; true in 0 of 10 runs if spam is pos, in 0 of 10 runs if it is not"


def test_every_verdict_has_its_rule():
    assert [*RULES] == [*VERDICTS]


def test_a_given_cell_that_differs_fails_its_claim():
    cells = [Cell("r", "least", 3.0, 2.0, 0.5, given=True)]
    assert Claim.of_cells("9", "From two on", "words", cells).verdict == "fails"
    nothing = Claim.of_cells("9", "Unprinted", "words", [Cell("r", "c", 1.0)])
    assert nothing.verdict == "cannot tell"


def test_a_quick_pass_leaves_out_what_it_says():
    from cautious_reproduction import ferri
    from cautious_reproduction.yang import experiment
    from cautious_reproduction.zaffalon.collection import QUICK_SETS, collection_study

    assert {*LEFT_OUT} == {*PAPERS}
    sets = len(collection_study(quick=False, selection=False).datasets)
    assert f"{sets - len(QUICK_SETS)} of {sets} data sets" in LEFT_OUT["zaffalon"]
    assert f"{ferri.FULL - ferri.QUICK} of {ferri.FULL} splits" in LEFT_OUT["ferri"]
    (strengths, trees), (all_strengths, all_trees) = experiment.QUICK, experiment.FULL
    assert f"{all_strengths - strengths} of {all_strengths} values of s" in LEFT_OUT["yang"]
    assert f"{all_trees - trees} of {all_trees} trees" in LEFT_OUT["yang"]
    quick = Reproduction("ferri", "Ferri", [], quick=True)
    assert str(quick).startswith("A quick pass leaves out 18 of 20 splits (ferri); so its re-runs")


def test_a_quick_pass_takes_back_what_rests_on_runs():
    claims = [
        Claim.judged("1", "sum", "arithmetic", True, paper="2", ours="2"),
        Claim.judged("2", "run", "re-run", True, paper="2", ours="2"),
        Claim("3", "both", "words", "2", "3", "the paper contradicts itself"),
    ]
    left = undecided(claims)
    assert [c.verdict for c in left] == ["holds", "cannot tell", "the paper contradicts itself"]
    assert "quick pass" in left[1].cause


def test_tables_that_do_not_count_are_shown():
    own = Table("T", "own", [Cell("r", "c", 1.0, 1.0)], kind="re-run")
    other = Table("S", "stand-in", [Cell("r", "c", 1.0, 2.0)], kind="re-run", counted=False)
    done = Reproduction("paper", "A paper", [own, other])
    assert done.counts() == done.counts("re-run") == (1, 1)
    assert done.counts("words") == (0, 0)
    assert "S. stand-in (0 of 1 cells agree)" in str(done)


def test_per_cent_is_the_unit_of_both_sides():
    cells = [Cell("r", "x", 0.925, 0.9503, 0.038, printed="95.03%"), Cell("r", "y", "no", "yes")]
    assert cells[0].words() == ("92.5%", "95.03%", "-2.5%", "agrees")
    table = Table("T", "determinacy", cells, kind="re-run")
    page = reproduction_page([Reproduction("paper", "A paper", [table])], {})
    assert "| T | r, x | 92.5% | 95.03% | -2.5% | 3.8% | agrees |" in page
    assert (
        "| 1 | 2 | 0 | 2.5% (of the numbers; 1 that differs is a word, such as yes or no) |" in page
    )
    claim = Claim.of_cells("T", "determinacy", "re-run", cells[:1])
    assert claim.ours == "1 of 1 within what chance allows, largest difference 2.5%"


def test_fractions_are_numbers_shown_as_they_are_printed():
    ours = pd.DataFrame([[5 / 3, 0.35, 1.0]], ["r"], ["x", "y", "z"])
    cells = cells_of(ours, [["5/3", ".35", "N"]])
    assert [cell.words()[1] for cell in cells] == ["5/3", "0.35", "N"]
    assert [cell.agrees for cell in cells] == [True, True, False]


@pytest.mark.parametrize(
    ("true", "of", "more"),
    [
        (6, 10, "would not change"),
        (3, 10, "might change"),
        (7, 10, "might change"),
        (40, 200, "would not change"),
        (22, 200, "might change"),
    ],
)
def test_whether_more_repeats_would_decide(true, of, more):
    """Six of ten are rare if the sentence is true in nine of ten, and if it is in one of ten."""
    runs = [True] * true + [False] * (of - true)
    claim = Claim.of_repeats("4", "NB is worst", "re-run", runs, paper="worst", ours="")
    assert claim.verdict == "cannot tell"
    assert claim.cause == f"chance decides; more runs {more} that"
    told = Claim.of_repeats("4", "NB", "re-run", runs, paper="worst", ours="", cause="known")
    assert told.cause == "known"


def test_what_is_said_of_a_table_is_on_the_page_once_whether_it_differs_or_not():
    same, other = Cell("r", "c", 1.0, 1.0), Cell("r", "c", 1.0, 2.0)
    tables = [Table("A", "alike", [same], "said of A."), Table("B", "apart", [other], "said of B.")]
    page = reproduction_page([Reproduction("yang", "Yang (2017)", tables)], {})
    assert page.count("- **A.** Said of A.") == page.count("Said of A.") == 1
    assert page.count("**B.** apart. Said of B.") == page.count("Said of B.") == 1
