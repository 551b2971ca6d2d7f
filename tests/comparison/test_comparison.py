import warnings

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cautious.comparison import (
    compare_results,
    friedman_nemenyi,
    objective_winner,
    wilcoxon,
)
from cautious.comparison._significance import critical_difference, holm, paired_t

# Demšar (2006), Table 6: AUC of C4.5 and three variants on fourteen data sets.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "+m", "+cf", "+m+cf"],
)


NO_POWER = "no winner can be named"
pytestmark = pytest.mark.filterwarnings(f"ignore:{NO_POWER}")


def counts(results, **how):
    return compare_results(results, **how)[["wins", "ties", "losses"]]


scores = arrays(
    np.float64, st.tuples(st.integers(4, 12), st.integers(3, 6)), elements=st.integers(0, 20)
)


def test_demsar_friedman():
    """Printed: ranks; chi-squared 9.28 and F 3.69, without the correction for ties of scipy."""
    test = friedman_nemenyi(DEMSAR)
    N, k = DEMSAR.shape
    ranks = test.mean_ranks[DEMSAR.columns]
    np.testing.assert_allclose(ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    plain = 12 * N / (k * (k + 1)) * ((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert (N - 1) * plain / (N * (k - 1) - plain) == pytest.approx(3.69, abs=5e-3)
    assert test.statistic == pytest.approx(stats.friedmanchisquare(*DEMSAR.to_numpy().T)[0])
    assert test.statistic > plain
    assert test.iman_davenport == pytest.approx(
        (N - 1) * test.statistic / (N * (k - 1) - test.statistic)
    )
    assert test.iman_davenport_p_value < test.p_value < 0.05
    assert test.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert list(test.mean_ranks.index) == ["+m+cf", "+m", "+cf", "C4.5"]
    # 3.143 - 1.964 = 1.179 < 1.25: Demšar notes that Nemenyi's test finds nothing at .05.
    assert test.groups == [("+m+cf", "+m", "+cf", "C4.5")]
    assert "14 data sets" in str(test)


@pytest.mark.parametrize(
    ("k", "q05", "q10"),
    [
        (2, 1.960, 1.645),
        (3, 2.343, 2.052),
        (4, 2.569, 2.291),
        (7, 2.949, 2.693),
        (10, 3.164, 2.920),
    ],
)
def test_critical_values_of_demsar_table_5(k, q05, q10):
    unit = np.sqrt(k * (k + 1) / 6)
    assert critical_difference(k, 1, 0.05) / unit == pytest.approx(q05, abs=1.1e-3)
    assert critical_difference(k, 1, 0.1) / unit == pytest.approx(q10, abs=1.1e-3)


@settings(max_examples=15, deadline=None)
@given(scores, st.booleans())
def test_nemenyi_agrees_with_scikit_posthocs(values, greater):
    frame = pd.DataFrame(values)
    ours = friedman_nemenyi(frame, greater_is_better=greater)
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(values if greater else -values)
    np.testing.assert_allclose(
        ours.p_values.loc[frame.columns, frame.columns], theirs, atol=1e-8, rtol=1e-6
    )


@settings(max_examples=15, deadline=None)
@given(arrays(np.float64, (7, 2), elements=st.integers(0, 30)))
def test_paired_tests_agree_with_scipy(values):
    a, b = values.T
    if len(np.unique(a - b)) > 1:
        reference = stats.ttest_rel(a, b)
        ours = paired_t(a, b)
        assert ours.statistic == pytest.approx(reference.statistic)
        assert ours.p_value == pytest.approx(reference.pvalue)
        corrected = paired_t(a, b, test_to_train=1 / 9)
        assert corrected.statistic == pytest.approx(ours.statistic / np.sqrt(1 + 7 / 9))
        assert corrected.p_value >= ours.p_value
    if np.any(a != b):
        for how in ("wilcox", "zsplit", "pratt"):
            ours = wilcoxon(a / 10, b / 10, zero_method=how)
            assert ours.p_value == pytest.approx(stats.wilcoxon(a, b, zero_method=how).pvalue)


def test_series_are_matched_by_index():
    a = pd.Series({"x": 3.0, "y": 1.0, "z": 5.0, "w": 0.5})
    b = pd.Series({"z": 1.0, "w": 0.0, "x": 1.0, "y": 0.0})
    assert wilcoxon(a, b).difference == pytest.approx((2 + 1 + 4 + 0.5) / 4)
    with pytest.raises(ValueError, match="twice"):
        wilcoxon(a, pd.Series([1, 2], index=["x", "x"]))


def test_incomplete_rows_are_left_out_and_named():
    frame = DEMSAR.copy()
    frame.iloc[2, 1] = np.nan
    with pytest.warns(UserWarning, match=r"1 of 14 rows are left out.*: 2\."):
        test = friedman_nemenyi(frame)
    assert test.n_datasets == 13
    with pytest.raises(ValueError, match="no row"):
        friedman_nemenyi(frame * np.nan)


def test_wins_are_counted_with_margin_and_with_a_test():
    results = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.88, 0.8, 0.75]})
    assert counts(results).loc[("a", "b")].tolist() == [1, 1, 1]
    assert counts(results, margin=0.03).loc[("a", "b")].tolist() == [0, 2, 1]
    assert counts(results, greater_is_better=False).loc[("a", "b")].tolist() == [1, 1, 1]
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.02, size=20)
    folds = pd.concat(
        {
            "clear": pd.DataFrame({"a": 0.8 + noise, "b": 0.7 + noise[::-1]}),
            "noise": pd.DataFrame({"a": 0.8 + noise, "b": 0.8 + noise[::-1] + 1e-4}),
            "lost": pd.DataFrame({"a": 0.6 + noise, "b": 0.7 + noise[::-1]}),
        }
    )
    for rows in (folds, folds.droplevel(1)):  # the folds may have no names of their own
        assert counts(rows, alpha_within=0.05).loc[("a", "b")].tolist() == [1, 1, 1]
    weak = folds.copy()
    weak["b"] = weak["a"] - 0.01 + np.tile(noise, 3)
    plain = counts(weak, alpha_within=0.05).loc[("a", "b"), "wins"]
    corrected = counts(weak, alpha_within=0.05, test_to_train=1 / 9).loc[("a", "b"), "wins"]
    assert (plain, corrected) == (3, 0)
    with pytest.raises(ValueError, match="one row"):
        counts(results, alpha_within=0.05)


def test_objective_winner():
    mean, variance = {"a": 0.5, "b": 0.5, "c": 0.5}, {"c": 0.1, "a": 0.2, "b": 0.05}
    assert objective_winner(mean, variance).winner == "b"
    assert objective_winner(mean, {**variance, "c": 0.05}).winner is None
    far = objective_winner({**mean, "c": 0.51}, variance)
    assert far.winner is None
    assert "depends" in far.reason
    assert objective_winner({**mean, "c": 0.51}, variance, margin=0.01).winner == "b"
    with pytest.raises(ValueError, match="same classifiers"):
        objective_winner(mean, {"a": 1.0})
    with pytest.raises(ValueError, match="margin is -1; give 0 or more"):
        objective_winner(mean, variance, margin=-1)
    with pytest.raises(TypeError, match="margin is 'x'"):
        objective_winner(mean, variance, margin="x")


def test_the_objective_winner_wins_under_every_quadratic_utility():
    """The vacuous classifier beats the random one with the same mean (Zaffalon et al., § 7)."""
    vacuous, random = np.full(4, 0.5), np.array([1.0, 0.0, 1.0, 0.0])
    gains = {"vacuous": vacuous, "random": random}
    mean = {name: x.mean() for name, x in gains.items()}
    variance = {name: x.var() for name, x in gains.items()}
    assert objective_winner(mean, variance).winner == "vacuous"
    for v in np.linspace(0.51, 1, 8):
        utility = {n: ((2 - 4 * v) * x**2 + (4 * v - 1) * x).mean() for n, x in gains.items()}
        assert utility["vacuous"] > utility["random"]


def test_compare_by_each_test():
    table = compare_results(DEMSAR)
    assert len(table) == 6
    row = table.loc[("C4.5", "+m+cf")]
    assert row["p_value"] == pytest.approx(wilcoxon(DEMSAR["C4.5"], DEMSAR["+m+cf"]).p_value)
    assert row["rank_second"] == pytest.approx(1.964, abs=5e-4)
    assert row[["wins", "ties", "losses"]].sum() == 14
    nemenyi = compare_results(DEMSAR, test="nemenyi")
    assert nemenyi["winner"].isna().all()
    both = friedman_nemenyi(DEMSAR).p_values
    assert nemenyi.loc[("C4.5", "+m"), "p_adjusted"] == both.loc["C4.5", "+m"]
    t = compare_results(DEMSAR, test="t", test_to_train=1 / 9)
    assert t.loc[("C4.5", "+m"), "p_value"] == pytest.approx(
        paired_t(DEMSAR["C4.5"], DEMSAR["+m"], test_to_train=1 / 9).p_value
    )


def test_compare_names_winners_either_way():
    rng = np.random.default_rng(1)
    good = rng.random(20)
    better = good + 0.2 + 0.01 * np.arange(20)
    frame = pd.DataFrame({"good": better, "bad": good, "same": better})
    up, down = compare_results(frame), compare_results(frame, greater_is_better=False)
    assert up["winner"].tolist() == ["good", None, "same"]
    assert down["winner"].tolist() == ["bad", None, "bad"]
    # Holm: two p-values of 2^-19 and one of 1.
    assert up["p_adjusted"].tolist() == [3 * 2**-19, 1.0, 3 * 2**-19]


@pytest.mark.parametrize(
    ("test", "n", "k", "least", "enough"),
    [("wilcoxon", 8, 7, 0.164, 10), ("nemenyi", 2, 4, 0.0926, 3)],
)
def test_too_few_data_sets_for_any_winner_are_told(test, n, k, least, enough):
    """Each classifier is worse than the next one on all data sets."""
    results = np.arange(1, enough + 1)[:, None] * np.arange(k)
    with pytest.warns(UserWarning, match=f"{NO_POWER}: with {n} data sets") as told:
        table = compare_results(results[:n], test=test)
    assert table["p_adjusted"].min() == pytest.approx(least, abs=5e-4)
    assert f", is {least:.3g}, and alpha is 0.05. Compare on {enough} " in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare_results(results, test=test)["winner"].notna().any()


@pytest.mark.parametrize(("test", "n"), [("wilcoxon", 15), ("nemenyi", 40)])
@pytest.mark.parametrize("greater", [True, False])
def test_the_winner_is_better_in_what_is_tested(test, n, greater):
    """One data set that is lost by far turns the mean, not the ranks."""
    a = 0.5 + np.arange(1, n + 1) * 0.001
    a[-1] = -9.0
    results = pd.DataFrame({"a": a, "b": np.full(n, 0.5), "c": np.full(n, 0.4)})
    table = compare_results(results if greater else -results, test=test, greater_is_better=greater)
    row = table.loc[("a", "b")]
    assert row["p_adjusted"] < 0.05
    assert row["difference"] * (1 if greater else -1) < 0
    assert (row["winner"], row["wins"]) == ("a", n - 1)


def test_compare_averages_folds_and_finds_the_objective_winner():
    folds = pd.concat(dict.fromkeys(("x", "y", "z"), DEMSAR.iloc[:, :3]))
    variance = DEMSAR.iloc[:, :3] * 0 + [0.3, 0.2, 0.1]
    table = compare_results(folds, variance=variance, margin=1)
    assert table["objective_winner"].tolist() == ["+m", "+cf", "+cf"]
    assert table[["wins", "ties", "losses"]].to_numpy().tolist() == [[0, 3, 0]] * 3
    assert compare_results(folds, variance=variance)["objective_winner"].tolist() == [None] * 3


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: friedman_nemenyi(DEMSAR.iloc[:, :2]), "at least 3"),
        (lambda: friedman_nemenyi(DEMSAR.iloc[:1]), "at least 2 data sets"),
        (lambda: friedman_nemenyi(DEMSAR, alpha=5), "alpha is 5"),
        (lambda: counts(DEMSAR.iloc[:, [0, 0]]), "two columns 'C4.5'"),
        (lambda: counts(DEMSAR.astype(object).replace(1.0, "x")), "are numbers.*pivot"),
        (lambda: counts(DEMSAR.to_numpy() + 1j), "results holds complex numbers"),
        (lambda: counts([[1, 2], [3]]), "results has rows of different lengths"),
        (lambda: counts({"a": [1, 2], "b": [3]}), "results is no table: .*same length"),
        (lambda: counts("many"), "results holds the text 'many'"),
        (lambda: counts([1, 2]), r"results has shape \(2,\)"),
        (lambda: counts(row for row in [[1, 2]]), "results holds a generator"),
        (lambda: compare_results(DEMSAR.iloc[:0]), "results has no rows"),
        (lambda: compare_results(DEMSAR, variance=DEMSAR.iloc[:0]), "variance has no rows"),
        (lambda: wilcoxon([], []), "first and second are empty"),
        (lambda: paired_t(pd.Series([]), pd.Series([])), "first and second are empty"),
        (lambda: paired_t([1, 2], [1, 2, 3]), r"shape \(2,\) and second \(3,\)"),
        (lambda: paired_t([1], [2]), "at least 2"),
        (lambda: paired_t([1, 2], [2, 3], test_to_train=0), "test_to_train is 0"),
        (lambda: counts(DEMSAR, margin=-1), "margin is -1"),
        (lambda: compare_results(DEMSAR, test="sign"), "test is 'sign'"),
    ],
)
def test_errors_say_what_is_wrong(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def equal_on_paper(scale: float) -> pd.DataFrame:
    """Folds of three data sets whose means are equal, were it not for rounding."""
    folds = scale * pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.2, 0.1, 0.3]})
    return pd.concat(dict.fromkeys(("x", "y", "z"), folds))


@pytest.mark.parametrize("scale", [1, 2.0**-30, 2.0**30])
def test_means_that_are_equal_on_paper_tie_everywhere(scale):
    folds = equal_on_paper(scale)
    # Summed by numpy: pandas 2.1 sums groups with more digits.
    sums = {name: folds.loc[name].to_numpy().sum(axis=0) for name in ("x", "y", "z")}
    means = pd.DataFrame(sums, index=folds.columns).T / 3
    assert (means.nunique(axis=1) > 1).any(), "rounding does not tell them apart any more"
    table = compare_results(folds)
    assert table[["wins", "ties", "losses"]].to_numpy().tolist() == [[0, 3, 0]] * 3
    assert table[["rank_first", "rank_second"]].to_numpy().tolist() == [[2, 2]] * 3
    assert table["p_value"].tolist() == [1, 1, 1]
    assert table["winner"].tolist() == [None] * 3
    assert counts(folds)["ties"].tolist() == [3, 3, 3]
    test = friedman_nemenyi(means)
    assert test.mean_ranks.tolist() == [2, 2, 2]
    assert (test.statistic, test.p_value, test.iman_davenport) == (0, 1, 0)
    assert wilcoxon(means["a"], means["b"]).p_value == 1
    assert paired_t(means["a"], means["b"]).p_value == 1
    assert paired_t(means["a"] + 1, means["b"]).p_value == 0
    equal = means.mean()
    assert objective_winner(equal, {"a": 0.1, "b": 0.2, "c": 0.3}).winner == "a"


def test_results_that_differ_a_little_still_differ():
    frame = pd.DataFrame({"a": [0.5, 0.6], "b": [0.5 + 1e-9, 0.6 + 1e-9]})
    assert counts(frame)["losses"].tolist() == [2]
    ranks = compare_results(frame)[["rank_first", "rank_second"]]
    assert ranks.to_numpy().tolist() == [[2, 1]]


def test_every_data_set_has_one_voice_in_the_variance():
    results = pd.DataFrame({"a": [0.5] * 4, "b": [0.5] * 4}, index=["d1", "d1", "d1", "d2"])
    variance = pd.DataFrame({"a": [0.1, 0.1, 0.1, 0.4], "b": [0.2] * 4}, index=results.index)
    table = compare_results(results, variance=variance)  # means .25 and .2
    assert table["objective_winner"].tolist() == ["b"]


def test_holms_correction_by_hand():
    adjusted = holm([0.01, np.nan, 0.04, 0.03])
    np.testing.assert_allclose(adjusted, [0.03, np.nan, 0.06, 0.06])
    assert holm([]).shape == (0,)


def test_results_in_a_mapping_are_those_of_a_frame():
    columns = {"a": [1, 2, 3], "b": [2, 2, 1]}
    pd.testing.assert_frame_equal(counts(columns), counts(pd.DataFrame(columns)))


def test_series_of_what_is_no_number_are_named():
    with pytest.raises(TypeError, match="second holds dates"):
        wilcoxon(pd.Series([1.0, 2.0]), pd.Series(np.array(["2020", "2021"], "M8[D]")))
