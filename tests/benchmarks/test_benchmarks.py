"""The benchmarks run, and what they measure against is right."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from cautious.curves import AbstentionCostSurface

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.parametrize("name", ["naive_grid", "nested_grid"])
@pytest.mark.parametrize("decimals", [1, 8])
def test_the_algorithms_of_the_paper_find_the_same_costs(name, decimals):
    from benchmarks import friedel

    rng = np.random.default_rng(decimals)
    score = rng.random(80).round(decimals)
    y = (rng.random(80) < score).astype(int)
    found = getattr(friedel, name)(y, score, np.linspace(0, 1, 15))
    ours = AbstentionCostSurface.from_predictions(y, score).grid(15).cost
    np.testing.assert_allclose(found, ours, rtol=0, atol=1e-15)


def test_a_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    from benchmarks.__main__ import Kept, line, write
    from benchmarks.timing import row

    page = tmp_path / "page.md"
    write(page, "first")
    monkeypatch.setattr("os.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write(page, "second")
    assert page.read_text() == "first"
    assert list(tmp_path.iterdir()) == [page]
    assert (
        line(row("a", 2.0, reference=4.0, against="b", note="c"))
        == "| a | 2 | b | 4 | 0.5 |  | c |"
    )
    assert line(row("a", 2.0, reference=4.0, peer=True)) == "| a | 2 |  | 4 | 0.5 | ours |  |"
    assert "| theirs |" in line(row("a", 4.0, reference=2.0, peer=True))
    assert line(row("a", 0.25)) == "| a | 0.25 |  |  |  |  |  |"
    assert line(row("a", 0.25), Kept(16, {"a": 0.125})) == "| a | 0.25 |  |  |  |  |  | 0.125 |"


def run(*args):
    command = [sys.executable, "-m", "benchmarks", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_names_that_match_nothing_and_pages_of_a_part():
    assert "bench_cost_surface, " in run("nothing").stderr
    assert "--write needs all benchmarks" in run("logs", "--write", "no-page.md").stderr


@pytest.mark.parametrize("name", ["credal_criteria", "guarantees", "hierarchy", "measures"])
def test_quick_benchmarks_run(name):
    module = import_module(f"benchmarks.bench_{name}")
    assert all(row["seconds"] > 0 for row in module.rows(small=True))


@pytest.mark.slow
def test_every_benchmark_runs(tmp_path):
    page = tmp_path / "page.md"
    found = run("--small", "--write", page)
    assert found.returncode == 0, found.stderr
    text = page.read_text()
    assert text == found.stdout
    assert text.count("\n## ") == 1 + len(list((ROOT / "benchmarks").glob("bench_*.py")))
    assert "DIFFERENT" not in text
    for measured in ("VACC", "paper's", "CategoricalNB", "np.sort", "pyarrow reading", "2 workers"):
        assert measured in text, measured
