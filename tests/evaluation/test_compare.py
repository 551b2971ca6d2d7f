"""``compare``: one verdict, and none where models cannot be told apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious.errors import InputError


def models(n=400, gap=0.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    a, b = (1 / (1 + np.exp(-rng.normal(s * (2 * y - 1), 1))) for s in (1 + gap, 1))
    return {"a": (y, a), "b": (y, b)}


def test_models_of_one_kind_cannot_be_told_apart():
    found = cautious.compare(models(), n_resamples=200)
    assert found.best is None
    assert "cannot be told apart" in found.verdict


def test_a_better_model_is_named():
    found = cautious.compare(models(gap=1.0), n_resamples=200)
    assert found.best == "a"
    assert "take a" in str(found)
    assert found.pairs["p_adjusted"].iloc[0] < 0.05
    assert found.to_dict()["best"] == "a"


def test_sets():
    y = list("abcabc")
    bold = ["a", "b", "c", "b", "b", "c"]
    frame = pd.DataFrame(
        {
            "y_true": y * 2,
            "y_set": [*bold, "a|b", "b", "c", "a|b", "b", "c"],
            "model": ["bold"] * 6 + ["shy"] * 6,
        }
    )
    found = cautious.compare(frame, n_resamples=50)
    assert "vacc" not in found.models
    assert list(found.models.index) == ["bold", "shy"]
    assert isinstance(found.verdict, str)
    assert "change places" in str(found)


def test_refusals():
    with pytest.raises(InputError, match="only one model"):
        cautious.compare({"a": ([0, 1], [0.2, 0.8])})
    with pytest.raises(InputError, match="between 0 and 1"):
        cautious.compare(models(20), confidence_level=95)
