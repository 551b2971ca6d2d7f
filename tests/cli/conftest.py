"""Files of predictions, and a way to run commands on them."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from cautious.cli.app import app

CLASSES = ["ash", "elm", "oak"]


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command in the folder of the test's files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def invoke(*args, stdin=None, code=0):
        result = CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    return invoke


@pytest.fixture
def run_json(run):
    return lambda *args, **kwargs: json.loads(run(*args, **kwargs).stdout)


@pytest.fixture
def fails(run):
    """Run a command that must fail with one clear line and nothing on standard output."""

    def invoke(*args, **kwargs):
        result = run(*args, code=2, **kwargs)
        lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, result.stderr
        assert result.stderr.splitlines()[-1] == lines[0]
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
        return lines[0]

    return invoke


@pytest.fixture
def binary():
    """Truths, and scores of a good and of a poor model."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    good, poor = (
        np.round(1 / (1 + np.exp(-(3 * (y - 0.5) + noise * rng.normal(size=200)))), 3)
        for noise in (1.5, 4)
    )
    return y, good, poor


@pytest.fixture
def scores(binary, tmp_path):
    """Write good.csv and poor.csv: text labels, scores, a group."""
    y, good, poor = binary
    for name, score in (("good", good), ("poor", poor)):
        frame = pd.DataFrame(
            {
                "id": np.arange(200),
                "y_true": np.where(y == 1, "bad", "fine"),
                "score": score,
                "site": np.where(np.arange(200) % 3 == 0, "north", "south"),
            }
        )
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def trees():
    """Truths and probabilities of three classes."""
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=150)
    p = rng.dirichlet(np.ones(3), size=150)
    p[np.arange(150), codes] += 0.5
    return np.array(CLASSES)[codes], p / p.sum(axis=1, keepdims=True)


@pytest.fixture
def probabilities(trees, tmp_path):
    """Write trees.csv and trees.parquet."""
    truth, p = trees
    frame = pd.DataFrame(p, columns=[f"p_{label}" for label in CLASSES])
    frame.insert(0, "label", truth)
    frame.to_csv(tmp_path / "trees.csv", index=False)
    frame.to_parquet(tmp_path / "trees.parquet")
    return tmp_path
