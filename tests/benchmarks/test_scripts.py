"""Every script answers --help, runs at a tiny size, and says in words what it lacks."""

import importlib.util
import json
import runpy
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

ROOT = Path(__file__).parents[2]
# friedel.py and timing.py hold what the others use.
SCRIPTS = sorted(
    path
    for folder in ("benchmarks", "tools")
    for path in (ROOT / folder).glob("*.py")
    if '__name__ == "__main__"' in path.read_text() and path.name != "size.py"
)


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a script as its users do; gives how it ended and what it printed."""

    def run(path, *arguments):
        monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        ended = None
        try:
            runpy.run_path(str(ROOT / path), run_name="__main__")
        except SystemExit as end:
            ended = end.code
        return ended, capsys.readouterr().out

    return run


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"tried_{name}", ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_script_answers_help(run, path):
    ended, text = run(path, "--help")
    assert ended == 0
    said = " ".join(path.read_text().split('"""')[1].split())
    assert " ".join(text.split()).count(" ".join(said.split()[:4])) == 1


@pytest.mark.parametrize(
    ("script", "lacks"),
    [
        ("tools/build_release.py", "hatchling"),
        ("tools/lock_environment.py", "uv"),
        ("tools/page_speed.py", "playwright"),
        ("tools/try_release.py", "a wheel in dist"),
        ("tools/type_completeness.py", "a wheel in dist"),
        ("benchmarks/tensors.py", "torch"),
        ("benchmarks/scaling.py", "pyarrow"),
    ],
)
def test_a_script_says_in_words_what_it_lacks(run, monkeypatch, script, lacks):
    find = importlib.util.find_spec
    hidden = ("hatchling", "uv", "pyright", "playwright", "torch", "pyarrow", "distributed")

    def found(name):
        return None if name in hidden else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", found)
    monkeypatch.setattr("shutil.which", lambda _: None)
    for name in ("torch", "playwright", "playwright.sync_api"):
        monkeypatch.setitem(sys.modules, name, None)
    ended, _ = run(script)
    assert lacks in ended


def test_the_functions_of_a_journey_are_listed(run):
    _, text = run("tools/journeys.py", "--list", "utility_score")
    assert "utility_score(y, sets): " in text
    assert "metrics/answers.py utility_score" in text


def test_forests_are_compared_with_what_was_kept(run, tmp_path):
    kept, page = tmp_path / "kept.json", tmp_path / "forests.md"
    tool = loaded("forest_comparison")
    one = {"rule": "ndc"} | dict.fromkeys(tool.MEASURES, 0.9)
    fold = [{**one, "rule": rule} for rule in tool.RULES]
    kept.write_text(json.dumps({"ecoli": fold * 10}))
    _, text = run("tools/forest_comparison.py", "ecoli", "--keep", kept, "--write", page)
    assert "of 18 cells within two standard errors" in text
    assert "| ecoli | cr | u65 | 0.9000 |" in page.read_text()


@pytest.mark.slow
def test_the_table_of_models_is_measured_and_written(tmp_path, monkeypatch):
    tool = loaded("model_table")
    monkeypatch.setattr(tool, "DATASETS", ["iris", "zoo"])
    monkeypatch.setattr(tool, "forest", lambda: RandomForestClassifier(2, random_state=0))
    names = ("AbstainingClassifier", "NaiveCredalClassifier")
    few = [entry for entry in tool.entries() if entry.name in names]
    monkeypatch.setattr(tool, "entries", lambda: few)
    monkeypatch.setattr(tool, "Study", partial(folded, tool.Study))
    (tmp_path / "_static").mkdir()
    page = tmp_path / "models.md"
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "store.db"), "--write", str(page)])
    tool.main()
    assert "| forest, always answers |" in page.read_text()


def folded(study, *design, folds, **rest):
    """Two folds are enough to see that a study runs."""
    return study(*design, folds=2, **rest)


@pytest.mark.slow
def test_scaling_is_measured(run):
    pytest.importorskip("pyarrow")
    ended, text = run("benchmarks/scaling.py", "--rows", 2000, "--threads", 1, "--repeats", 1)
    assert ended is None
    assert "1,000 scores of 4 digits" in text


def test_journeys_are_measured_beside_limits():
    from benchmarks import journeys

    rows = list(journeys.arrays(500))
    names = [row["name"].partition(",")[0] for row in rows]
    assert names[1:5] == [
        "tune with costs",
        "evaluate with a rule",
        "risk–coverage",
        "surface and VACC",
    ]
    assert all(row["seconds"] > 0 and (row["ratio"] or 1) > 0 for row in rows)
    assert all("asked" in row["note"] for row in rows[1:])


def test_packed_scores_are_sorted_with_their_truths():
    from benchmarks import journeys

    y, score = journeys.drawn(1000)
    bits = np.sort(journeys.packed(y, score))
    order = np.lexsort((y, score.view(np.uint64) & ~np.uint64(1)))
    np.testing.assert_array_equal(bits & np.uint64(1), y[order])
    np.testing.assert_allclose((bits & ~np.uint64(1)).view(float), score[order], rtol=1e-15)


def test_tables_of_some_topics_take_the_places_of_those_in_the_page():
    from benchmarks.__main__ import with_new_tables

    page = "# Benchmarks\n\nRead me.\n\nold.\n\n## A\n\none\n\n## B\n\ntwo\n"
    lines = ["# Benchmarks\n", "Read me.\n", "new, a machine.", "\n## B\n\nthree", "| 1 |"]
    found = with_new_tables(page, lines, "It was busy.")
    assert found == (
        "# Benchmarks\n\nRead me.\n\nold.\n\n## A\n\none\n\n"
        "## B\n\nnew, a machine. It was busy.\n\nthree\n| 1 |\n"
    )
    assert with_new_tables(found, lines, "It was busy.") == found
    more = with_new_tables(found, [*lines[:3], "\n## C\n\nfour"], "")
    assert more == found + "\n## C\n\nnew, a machine.\n\nfour\n"
