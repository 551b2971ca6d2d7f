"""Probabilities that were rounded when they were written are taken for what they are."""

import numpy as np
import pandas as pd
import pytest

from cautious.predictions import read_predictions
from cautious.predictions._probabilities import _decimals, _explained

CLASSES = ["ash", "elm", "oak"]


def proba():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), size=150)
    return np.array(CLASSES)[rng.integers(3, size=150)], p


def rounded(decimals, path, dtype=float):
    """Write rounded probabilities, some rows of which no longer add up."""
    truth, p = proba()
    frame = pd.DataFrame(np.round(p, decimals).astype(dtype), columns=[f"p_{c}" for c in CLASSES])
    assert (np.abs(frame.sum(axis=1) - 1) > 0.9 * 10.0**-decimals).any()
    frame.insert(0, "label", truth)
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return np.round(p, decimals)


@pytest.mark.parametrize("decimals", [2, 3, 4, 6])
@pytest.mark.parametrize("name", ["rounded.csv", "rounded.parquet"])
def test_rounded_rows_are_divided_by_their_sum(tmp_path, decimals, name):
    p = rounded(decimals, tmp_path / name)
    found = read_predictions(tmp_path / name)
    (note,) = [note for note in found.notes if note.key == "rounded"]
    assert f"rounded to {decimals} decimals" in str(note)
    assert "divided by their sum" in str(note)
    np.testing.assert_allclose(found.y_proba, p / p.sum(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(found.y_proba.sum(axis=1), 1, atol=5e-7)


def test_single_precision(tmp_path):
    rounded(4, tmp_path / "rounded.parquet", np.float32)
    notes = read_predictions(tmp_path / "rounded.parquet").notes
    assert any("rounded to 4 decimals" in str(note) for note in notes)
    # A softmax of many classes gathers rounding errors.
    p = np.random.default_rng(0).dirichlet(np.ones(300), size=20).astype(np.float32)
    p = np.exp(np.log(p + np.float32(1e-6)))
    p /= p.sum(axis=1, keepdims=True, dtype=np.float32)
    given = {"y_true": np.arange(20) % 3, "y_proba": p, "classes": list(range(300))}
    assert read_predictions({"m": given}).y_proba.shape == (20, 300)


def test_exact_probabilities_are_left_alone(tmp_path):
    truth, p = proba()
    found = read_predictions({"m": {"y_true": truth, "y_proba": p, "classes": CLASSES}})
    np.testing.assert_array_equal(found.y_proba, p)
    assert found.notes == ()


@pytest.mark.parametrize(
    "row", [".33,.33,.32", "0.1,0.2,0.6", ".3333,.3333,.3331", "0.333333,0.333333,0.333330"]
)
def test_what_rounding_does_not_explain_is_refused(refused, row):
    words = refused(f"y,p_a,p_b,p_c\nb,.2,.5,.3\na,{row}\n")
    assert words.startswith("line 3: the probabilities add up to 0.9")
    assert "rounded too coarsely, or is the column of a class missing?" in words


def test_a_missing_class_does_not_pass_for_rounding_of_many():
    p = np.full((5, 99), 0.01)
    assert _decimals(p, np.zeros(5, dtype=bool)) == 2
    assert _explained(2, 99) == 0.05
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=9)
    assert _decimals(p, np.zeros(9, dtype=bool)) is None
    assert _explained(None, 4) == 1e-6


def test_rounding_is_found_block_by_block(monkeypatch):
    """Some rows are rounded to fewer decimals, and some are missing."""
    rows = [[0.25, 0.75], [np.nan, np.nan], [0.5, 0.5], [0.1235, 0.8765], [0.3, 0.7]]
    p, missing = np.array(rows), np.isnan(rows).any(axis=1)
    whole = _decimals(p, missing)
    monkeypatch.setattr("cautious.predictions._probabilities._BLOCK", 2)
    assert whole == _decimals(p, missing) == 4
