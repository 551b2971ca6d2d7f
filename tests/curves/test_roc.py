"""ROC analysis with abstentions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

from cautious.curves.roc import AbstentionROC
from cautious.decision import bias_window_rule

# Ferri & Hernández-Orallo (2004), Example 2, class a as positive.
P_A = np.array([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1])
COUNT = np.array([23, 10, 4, 0, 2, 1, 0, 1, 0, 2, 9, 3, 15, 30])
TRUTH = np.repeat(["a", "b"], 7)


def tree(bias: float = 0.55) -> AbstentionROC:
    return AbstentionROC.from_predictions(
        TRUTH, np.tile(P_A, 2), pos_label="a", bias=bias, sample_weight=COUNT
    )


def random_data(seed: int, n: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(seed)
    score = rng.random(n).round(rng.integers(1, 3))
    truth = (rng.random(n) < score).astype(int)
    truth[:2] = [0, 1]
    return truth, score, rng.choice([0.5, 1.0, 2.0], size=n), rng.uniform(0.1, 0.9)


def test_ferri_section_6_four_readings() -> None:
    readings = tree().readings(0.4)
    expected = {
        # Erratum: the text prints an FPR of .0177 here, its table .0217 = 1/46.
        "ignore": (0.971, 0.0217),
        "ignore in TPR": (0.971, 0.0167),
        "ignore in FPR": (0.825, 0.0217),
        "count": (0.825, 0.0167),
    }
    for reading, (tpr, fpr) in expected.items():
        assert readings.loc[reading, "tpr"] == pytest.approx(tpr, abs=5e-4)
        assert readings.loc[reading, "fpr"] == pytest.approx(fpr, abs=5e-5)
    assert readings.loc["ignore", "fpr"] == pytest.approx(1 / 46)
    assert readings.loc["ignore", "tnr"] == pytest.approx(0.978, abs=5e-4)
    assert readings.loc["ignore", "fnr"] == pytest.approx(0.029, abs=5e-4)
    assert readings.loc["count", "abstained_positives"] == pytest.approx(0.15)
    assert readings.loc["count", "abstained_negatives"] == pytest.approx(0.233, abs=5e-4)
    assert readings.loc["count", "tnr"] == pytest.approx(0.75)
    assert readings.loc["count", "fnr"] == pytest.approx(0.025)
    assert readings.isna().sum().sum() == 4


def test_readings_of_a_labelled_matrix_with_either_class_positive() -> None:
    matrix = pd.DataFrame([[33, 1], [1, 45], [6, 14]], index=["a", "b", "⊥"], columns=["a", "b"])
    as_a = AbstentionROC.readings_of(matrix, pos_label="a")
    pd.testing.assert_frame_equal(as_a, tree().readings(0.4))
    as_b = AbstentionROC.readings_of(matrix)
    assert as_b.loc["count", "tpr"] == pytest.approx(45 / 60)
    assert as_b.loc["count", "fpr"] == pytest.approx(1 / 40)
    with pytest.raises(ValueError, match="pos_label is 'c'"):
        AbstentionROC.readings_of(matrix, pos_label="c")
    with pytest.raises(ValueError, match="expected \\(3, 2\\)"):
        AbstentionROC.readings_of([[1, 2], [3, 4]])


def test_readings_of_nothing_are_nan() -> None:
    readings = AbstentionROC.readings_of([[0, 0], [0, 0], [4, 5]])
    assert readings.loc["ignore", ["tpr", "fpr"]].isna().all()
    assert readings.loc["count", ["tpr", "fpr"]].tolist() == [0, 0]
    assert readings.loc["ignore in TPR", "fpr"] == 0


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_curves_after_removal_are_scikit_learn_s(seed: int) -> None:
    truth, score, weight, bias = random_data(seed)
    roc = AbstentionROC.from_predictions(truth, score, bias=bias, sample_weight=weight)
    proba = np.c_[1 - score, score]
    for state, window in enumerate(roc.response.window):
        kept = bias_window_rule(proba, [1 - bias, bias], window).sum(axis=1) == 1
        if len(np.unique(truth[kept])) < 2:
            assert np.isnan(roc.auc[state])
            continue
        fpr, tpr, thresholds = roc_curve(
            truth[kept], score[kept], sample_weight=weight[kept], drop_intermediate=False
        )
        curve = roc.curve(window)
        np.testing.assert_allclose(curve["fpr"], fpr, atol=1e-12)
        np.testing.assert_allclose(curve["tpr"], tpr, atol=1e-12)
        np.testing.assert_array_equal(curve["threshold"], thresholds)
        expected = roc_auc_score(truth[kept], score[kept], sample_weight=weight[kept])
        assert roc.auc[state] == pytest.approx(expected)


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10_000), st.sampled_from(["ignore", "ignore in TPR", "ignore in FPR", "count"])
)
def test_path_through_roc_space_is_one_reading_at_each_window(seed: int, reading: str) -> None:
    truth, score, weight, bias = random_data(seed, n=20)
    roc = AbstentionROC.from_predictions(truth, score, bias=bias, sample_weight=weight)
    path = roc.frame(reading)
    for state, window in enumerate(roc.response.window):
        expected = roc.readings(window).loc[reading, ["tpr", "fpr"]].to_numpy(dtype=float)
        np.testing.assert_allclose(path.loc[state, ["tpr", "fpr"]].to_numpy(dtype=float), expected)


def test_with_growing_windows_the_counting_reading_ends_at_the_origin() -> None:
    # Section 6: options 1 to 3 end undetermined, option 4 ends at (0, 0).
    roc = AbstentionROC.from_predictions([0, 1, 1], [0.2, 0.4, 0.9])
    assert roc.frame("count")[["tpr", "fpr"]].iloc[-1].tolist() == [0, 0]
    assert roc.frame("ignore")[["tpr", "fpr"]].iloc[-1].isna().all()
    with pytest.raises(ValueError, match="reading is 'forget'"):
        roc.frame("forget")


def test_surface_is_thinned_but_exact() -> None:
    truth, score, weight, bias = random_data(4, n=300)
    score = np.clip(score + np.linspace(0, 1e-3, 300), 0, 1)
    roc = AbstentionROC.from_predictions(truth, score, bias=bias, sample_weight=weight)
    surface = roc.surface(7, 11)
    levels = surface["abstention"].unique()
    assert len(levels) <= 7
    assert levels[0] == 0
    assert levels[-1] == roc.abstention[~np.isnan(roc.auc)][-1]
    for window, part in surface.groupby("window"):
        assert len(part) <= 11
        assert part[["fpr", "tpr"]].iloc[[0, -1]].to_numpy().tolist() == [[0, 0], [1, 1]]
        exact = roc.curve(window).set_index("threshold")
        np.testing.assert_array_equal(exact.loc[part["threshold"], "tpr"], part["tpr"])
    whole = roc.surface(10**6, 10**6)
    assert len(whole) == sum(len(roc.curve(w)) for w in roc.response.window[~np.isnan(roc.auc)])
    with pytest.raises(ValueError, match="n_levels is 1"):
        roc.surface(1)
    with pytest.raises(ValueError, match="n_points is 0"):
        roc.surface(5, 0)


def test_constant_scores_and_one_class() -> None:
    constant = AbstentionROC.from_predictions([0, 1, 1], [0.5] * 3)
    assert constant.auc[0] == 0.5
    assert constant.abstention.tolist() == [0, 1]
    one = AbstentionROC.from_predictions([1, 1], [0.2, 0.9], classes=(0, 1))
    assert np.isnan(one.auc).all()
    assert one.curve()["fpr"].isna().all()
    assert one.curve()["tpr"].tolist() == [0, 0.5, 1]
    assert len(one.surface()) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_score": [0.2, 1.5, 0.1]}, r"y_score\[1\] is 1\.5;"),
        ({"y_score": [0.2, np.nan, 0.1]}, "NaN in row 1"),
        ({"y_score": [0.2, np.inf, 0.1]}, r"y_score\[1\] is inf;"),
        ({"y_score": [[0.2, 0.8]] * 3}, "y_score has shape"),
        ({"bias": 1.2}, "bias is 1.2"),
        ({"bias": np.nan}, "bias is nan"),
        ({"pos_label": "x"}, "pos_label is 'x'"),
        ({"sample_weight": [0, 0, 0]}, "no case of positive weight"),
    ],
)
def test_bad_input(arguments: dict, message: str) -> None:
    good = {"y_true": [0, 1, 1], "y_score": [0.2, 0.4, 0.9]}
    with pytest.raises(ValueError, match=message):
        AbstentionROC.from_predictions(**(good | arguments))


@pytest.mark.parametrize("cell", [np.inf, np.nan, -1.0])
def test_readings_of_what_is_no_count(cell: float) -> None:
    with pytest.raises(ValueError, match=r"matrix\[2, 1\] is .*; counts are finite"):
        AbstentionROC.readings_of([[45, 1], [1, 33], [14, cell]])


def test_the_band_holds_every_threshold():
    # Kolmogorov's statistic of each class, at the square root of the level.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [70, 40])
    p = rng.random(110)
    band = AbstentionROC.from_predictions(y, p).band(confidence_level=0.9)
    for name, n in (("fpr", 70), ("tpr", 40)):
        width = stats.kstwo.ppf(np.sqrt(0.9), n)
        assert_allclose(band[f"{name}_high"], np.minimum(band[name] + width, 1))
        assert_allclose(band[f"{name}_low"], np.maximum(band[name] - width, 0))
    # The largest error at any score, from the test that scipy offers.
    for label, name in ((0, "fpr"), (1, "tpr")):
        test = stats.ks_1samp(p[y == label], stats.uniform.cdf)
        width = (band[f"{name}_high"] - band[f"{name}_low"]).max() / 2
        truth = 1 - band["threshold"].clip(upper=1)
        above = band[name].shift(fill_value=0)  # just above each threshold
        largest = max((band[name] - truth).abs().max(), (above - truth).abs().max())
        assert largest == pytest.approx(test.statistic, abs=1e-12)
        inside = (truth >= band[f"{name}_low"]).all() and (truth <= band[f"{name}_high"]).all()
        assert inside or largest > width


def test_the_band_of_kept_cases_and_of_none():
    y, p = np.array([0, 0, 1, 1, 0, 1] * 20), np.array([0.1, 0.2, 0.4, 0.6, 0.7, 0.9] * 20)
    roc = AbstentionROC.from_predictions(y, p)
    wide, kept = roc.band(), roc.band(0.5)
    assert len(kept) < len(wide)
    width = stats.kstwo.ppf(np.sqrt(0.95), 20)  # of the positives only those at 0.9 are kept
    assert kept["tpr_high"].iloc[0] == pytest.approx(width)
    one_class = AbstentionROC.from_predictions([0, 0, 0], [0.1, 0.2, 0.3], classes=(0, 1)).band()
    assert (one_class["tpr_low"] == 0).all()
    assert (one_class["tpr_high"] == 1).all()
    with pytest.raises(ValueError, match="confidence_level"):
        roc.band(confidence_level=95)
