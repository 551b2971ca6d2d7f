"""``compare``: one verdict, and none where models cannot be told apart."""

from __future__ import annotations

from dataclasses import replace

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


def test_a_single_case_of_a_class_leaves_costs_without_an_interval():
    y = [1, 0, 1]
    found = cautious.compare({"a": (y, [0.3, 0.4, 0.9]), "b": (y, [0.5, 0.1, 0.7])}, n_resamples=10)
    said = [str(note) for note in found.notes if "interval of VACC" in str(note)]
    assert len(said) == 1
    assert "the weight of class '0' is 1" in said[0]
    assert found.best is None
    assert "cannot be told apart from a (difference -0.1389)." in found.verdict
    assert "[, ]" not in str(found)


def test_weights_that_are_shares_are_noted_once():
    frame = pd.DataFrame({"y_true": [1, 0, 1] * 20, "score_a": [0.3, 0.4, 0.9] * 20})
    frame = frame.assign(score_b=[0.5, 0.1, 0.7] * 20, weight=0.2)
    notes = list(map(str, cautious.compare(frame, n_resamples=10).notes))
    assert sum("add up to" in note for note in notes) == 1


def test_small_differences_are_written_with_digits_enough():
    found = cautious.compare(models(n=60), n_resamples=100)
    # As those of two models of frauds, of which there are few.
    small = {"vacc_difference": -0.00021, "vacc_low": -0.00034, "vacc_high": -0.00002}
    assert "-0.00021 [-0.00034, -0.00002]" in str(replace(found, pairs=found.pairs.assign(**small)))


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


def set_models(n, wrong, seed=0):
    """Models that answer three classes with sets; shares that are wrong, and that hesitate."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    frames = []
    for name, (missed, hesitates) in wrong.items():
        luck = rng.random(n)
        answer = np.where(luck < missed, (y + 1) % 3, y)
        pair = (luck >= missed) & (luck < missed + hesitates)
        sets = [
            f"{a}|{(a + 2) % 3}" if two else f"{a}" for a, two in zip(answer, pair, strict=True)
        ]
        frames.append(pd.DataFrame({"y_true": y, "y_set": sets, "model": name}))
    return pd.concat(frames)


def test_equal_set_classifiers_cannot_be_told_apart():
    frame = set_models(200, {"a": (0.1, 0.3), "b": (0.1, 0.3), "c": (0.1, 0.3)})
    found = cautious.compare(frame, n_resamples=50)
    assert found.best is None
    assert (found.pairs["utility_p_adjusted"] > 0.05).all()
    assert "cannot be told apart" in found.verdict or "depends on the aversion" in found.verdict


def test_a_more_useful_set_classifier_is_named():
    frame = set_models(400, {"good": (0.02, 0.2), "poor": (0.3, 0.2), "worse": (0.4, 0.3)})
    found = cautious.compare(frame, n_resamples=50)
    assert found.best == "good"
    assert "take good" in found.verdict
    assert "significant" in found.verdict
    assert str(found).startswith(found.verdict)
    assert "  <0.0001  " in str(found)
    assert found.verdict in found._repr_html_().partition("<table>")[0]
    assert "p of all (Holm): small only if the same model is worth more at every k" in str(found)
    assert "Each interval is for one pair and one measure" in str(found)


def test_a_small_lead_is_no_verdict():
    # The first is ahead by two cases, at every aversion to risk.
    y = [0, 1] * 30
    frame = pd.concat(
        pd.DataFrame({"y_true": y, "y_set": [str(label) for label in sets], "model": name})
        for name, sets in (("a", y), ("b", [1, 0, *y[2:]]))
    )
    found = cautious.compare(frame, n_resamples=50)
    assert found.best is None
    assert "cannot be told apart from b (difference 0.0333, " in found.verdict
    same = cautious.compare(frame.assign(y_set=frame["y_true"].astype(str)), n_resamples=50)
    assert same.best is None
    assert same.pairs["utility_p"].tolist() == [1.0]
    assert same.verdict == "The models are worth the same at every aversion to risk."


def test_weights_count_as_repetitions_in_the_test_of_utilities():
    frame = set_models(60, {"a": (0.05, 0.2), "b": (0.3, 0.2)})
    twice = pd.concat([frame, frame])
    heavy = frame.assign(weight=2)
    p_values = [
        cautious.compare(one, n_resamples=50).pairs["utility_p"].iloc[0] for one in (twice, heavy)
    ]
    assert p_values[0] == pytest.approx(p_values[1], rel=1e-9)


def test_refusals():
    with pytest.raises(InputError, match="only one model"):
        cautious.compare({"a": ([0, 1], [0.2, 0.8])})
    with pytest.raises(InputError, match="between 0 and 1"):
        cautious.compare(models(20), confidence_level=95)


def test_models_that_answer_alike_are_said_to() -> None:
    y, score = [0, 1, 1, 0] * 10, np.tile([0.2, 0.7, 0.4, 0.5], 10)
    found = cautious.compare({"a": (y, score), "b": (y, score / 2)})
    assert "told apart from b (at all costs the same answers to all cases)." in found.verdict
