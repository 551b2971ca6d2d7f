"""Probabilities that were rounded when they were written are taken for what they are."""

import numpy as np
import pandas as pd
import pytest

from cautious.cli.rounding import decimals_kept, rounding_explains


@pytest.fixture
def thirds(trees, tmp_path):
    """Write rounded probabilities, some rows of which no longer add up."""

    def write(decimals, name="rounded.csv", dtype=float):
        truth, p = trees
        frame = pd.DataFrame(
            np.round(p, decimals).astype(dtype), columns=["p_ash", "p_elm", "p_oak"]
        )
        assert (np.abs(frame.sum(axis=1) - 1) > 0.9 * 10.0**-decimals).any()
        frame.insert(0, "label", truth)
        path = tmp_path / name
        frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
        return np.round(p, decimals)

    return write


@pytest.mark.parametrize("decimals", [2, 3, 4, 6])
@pytest.mark.parametrize("name", ["rounded.csv", "rounded.parquet"])
def test_rounded_rows_are_divided_by_their_sum(run, run_json, thirds, trees, decimals, name):
    p = thirds(decimals, name)
    result = run("evaluate", name, "--measure", "u65")
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("note: ")]
    assert f"rounded to {decimals} decimals" in line
    assert "divided by their sum" in line
    found = run_json("tune", name, "--max-abstention", 0.3)["models"]["rounded"]
    largest = (p / p.sum(axis=1, keepdims=True)).max(axis=1)
    assert np.abs(largest - found["confidence"]).min() < 1e-9


def test_single_precision(run, thirds):
    thirds(4, "rounded.parquet", np.float32)
    assert "rounded to 4 decimals" in run("evaluate", "rounded.parquet").stderr


def test_exact_probabilities_are_left_alone(run, probabilities):
    assert "note: " not in run("evaluate", "trees.csv").stderr


@pytest.mark.parametrize(
    "row",
    [".33,.33,.32", "0.1,0.2,0.6", ".3333,.3333,.3331", "0.333333,0.333333,0.333330"],
)
def test_what_rounding_does_not_explain_is_refused(fails, row):
    text = f"y,p_a,p_b,p_c\nb,.2,.5,.3\na,{row}\n"
    message = fails("evaluate", "-", stdin=text)
    assert "in line 3" in message
    assert "rounded too coarsely, or is the column of a class missing?" in message


def test_a_missing_class_does_not_pass_for_rounding_of_many():
    p = np.full((5, 99), 0.01)
    assert decimals_kept(p) == 2
    assert rounding_explains(p) == 0.05
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=9)
    assert decimals_kept(p) is None
    assert rounding_explains(p) == 1e-6
