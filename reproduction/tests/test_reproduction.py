import pytest

from cautious.errors import DifferentStudyError
from cautious.experiments import Store
from cautious_reproduction import PAPERS, reproduce
from cautious_reproduction import ferri as module
from cautious_reproduction.claims import Reproduction
from cautious_reproduction.printed_tables import Cell, Table
from cautious_reproduction.reproduction import SECONDS


@pytest.fixture
def quickly(monkeypatch):
    """Replace one paper's experiments, which take a minute, by a table of one cell."""
    asked = {}

    def one_cell(**how):
        asked.update(how)
        return Reproduction("ferri", "Ferri", [Table("T", "one", [Cell("r", "c", 1.0, 1.0)])])

    monkeypatch.setattr(module, "reproduce_ferri", one_cell)
    return asked


def test_a_paper_is_run_and_written(quickly, tmp_path):
    options = {"quick": True, "n_jobs": 2, "progress": False, "weka": False}
    (done,) = reproduce("ferri", folder=str(tmp_path), **options)
    assert done.counts() == (1, 1)
    assert quickly == options | {"folder": tmp_path}
    assert (tmp_path / "ferri.txt").read_text() == str(done)
    assert done.seconds > 0  # of this pass, because the module did not say


def test_the_page_of_the_docs_is_about_all_papers(quickly, tmp_path):
    with pytest.raises(ValueError, match="docs is for the page of all papers"):
        reproduce("ferri", docs=tmp_path)
    assert quickly == {}


@pytest.mark.parametrize("argument", ["folder", "docs"])
def test_a_file_is_no_folder_which_is_told_before_the_run(argument, quickly, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(ValueError, match=f"{argument} is .*taken/deep, but .*taken is a file"):
        reproduce("all", **{argument: tmp_path / "taken" / "deep"})
    assert quickly == {}


def test_nothing_is_written_without_a_folder(quickly):
    reproduce("ferri")
    assert quickly["folder"] is None


def test_an_unknown_paper():
    with pytest.raises(ValueError, match=r"paper is 'ferry'.*Did you mean 'ferri'\?"):
        reproduce("ferry")


def test_every_paper_has_its_module():
    for key in PAPERS:
        code = f"from cautious_reproduction.{key} import reproduce_{key}"
        exec(code, {})


def test_a_whole_run_says_how_long_each_paper_takes(quickly, capsys):
    assert [*SECONDS] == [*PAPERS]
    reproduce("ferri", progress=True)
    assert capsys.readouterr().err == "ferri: about 4 min 9 s of one process\n"
    reproduce("ferri", progress=True, quick=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("paper", "store"), [("yang", "yang-LEV-quick.db"), ("zaffalon", "zaffalon-selected-quick.db")]
)
def test_a_store_of_other_settings_is_refused_before_anything_is_run(paper, store, tmp_path):
    with Store(tmp_path / store) as kept:
        kept.claim({("design", "folds"): "7"})
    before = (tmp_path / store).read_bytes()
    with pytest.raises(DifferentStudyError, match=rf"{store} was made with other .* remove it"):
        reproduce(paper, quick=True, folder=tmp_path)
    # Though it is the last one that the paper needs: the first ones have not been begun.
    assert [file.name for file in tmp_path.iterdir()] == [store]
    assert (tmp_path / store).read_bytes() == before
