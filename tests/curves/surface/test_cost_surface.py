"""Points of the surface against every window tried one by one, and against the paper's lemma."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cautious.curves import AbstentionCostSurface, AbstentionROC, Staircase
from cautious.decision import Rule


@given(data=st.data())
def test_cost_and_window_equal_brute_force(data, cases, costs):
    case = data.draw(cases)
    mu, on_pos, on_neg = (data.draw(costs) for _ in range(3))
    surface = case.surface()
    table = case.windows()
    for nu in ((on_pos, None), (on_pos, on_neg)):
        weights = np.array([1, mu, nu[0], nu[0] if nu[1] is None else nu[1]])
        totals = table @ weights
        best = totals.min()
        assert surface.cost(mu, *nu) == pytest.approx(best, abs=1e-12)
        lower, upper = surface.window(mu, *nu)
        assert lower <= upper
        # The window, applied to the scores, must cost that much and abstain least.
        answers = Rule.window(lower, upper).predict_set(case.score)
        share, positive = case.shares(), case.truth == 1
        abstains = answers.all(axis=1)
        counted = [
            share[positive & ~answers[:, 1]].sum(),
            share[~positive & ~answers[:, 0]].sum(),
            share[positive & abstains].sum(),
            share[~positive & abstains].sum(),
        ]
        assert np.dot(weights, counted) == pytest.approx(best, abs=1e-12)
        abstention = table[totals <= best + 1e-14, 2:].sum(axis=1)
        assert share[abstains].sum() <= abstention.min() + 1e-12 or _nearly_tied(weights, case)
        assert surface.abstention(mu, *nu) == pytest.approx(share[abstains].sum(), abs=1e-12)
        window = surface.window_at(lower, upper)
        assert window.relative_cost(mu, *nu) == pytest.approx(best, abs=1e-12)
        rates = surface.rates(mu, *nu)
        assert rates.loc["⊥"].sum() == pytest.approx(share[abstains].sum(), abs=1e-12)
        assert rates.loc[0, 1] == pytest.approx(counted[0], abs=1e-12)
        assert rates.loc[1, 0] == pytest.approx(counted[1], abs=1e-12)
        assert rates.to_numpy().sum() == pytest.approx(1)


def _nearly_tied(weights, case):
    """Whether some bin costs the same either way up to rounding, so that the tie is not exact."""
    surface = case.surface()
    q = surface.hull.probability
    three = np.stack([q, weights[1] * (1 - q), weights[2] * q + weights[3] * (1 - q)])
    gaps = np.abs(three[:, None] - three[None])[np.triu_indices(3, 1)]
    return bool(((gaps > 0) & (gaps < 1e-12)).any())


def test_hand_made_example():
    # n n | p n | p n | p p : bins with q = 0, 1/2 (the two middle ones are collinear), 1.
    surface = AbstentionCostSurface.from_predictions([0, 0, 1, 0, 1, 0, 1, 1], range(8))
    assert surface.hull.probability.tolist() == [0, 0.5, 1]
    assert surface.frame()["lower"].tolist() == [-np.inf, 1.5, 5.5]
    assert surface.cost(1, 0.25) == pytest.approx(4 / 8 * 0.25)
    assert surface.window(1, 0.25) == (1.5, 5.5)
    assert surface.window(1, 1) == (1.5, 1.5)  # a tie between n and p goes to p
    assert surface.window(0.9, 0) == (1.5, 5.5)  # free abstention, but sure cases are answered
    assert surface.window(0, 0) == (-np.inf, -np.inf)  # false positives are free as well
    assert surface.abstention(1, 0.5) == 0  # as dear as guessing: answered
    assert surface.cost(4, 0.9) == pytest.approx(min(4, 1, 0.9 * 2) * 2 / 8)


def test_arrays_broadcast_and_scalars_stay_scalars():
    surface = AbstentionCostSurface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
    mu, nu = np.linspace(0, 1, 5), np.linspace(0, 1, 3)[:, None]
    costs = surface.cost(mu, nu)
    assert costs.shape == (3, 5)
    assert costs[1, 2] == surface.cost(0.5, 0.5)
    assert type(surface.cost(0.5, 0.5)) is float
    lower, upper = surface.window(mu, 0.1)
    assert lower.shape == upper.shape == (5,)
    assert surface.window_at(1.5, 3.5).relative_cost(mu, nu).shape == (3, 5)


def test_the_lower_threshold_does_not_depend_on_mu_while_abstaining(weka):
    # Section 4: it depends only on the ratio of false-negative and abstention costs.
    surface = AbstentionCostSurface.from_predictions(weka.actual, weka.NB)
    lower, _ = surface.window(np.linspace(0.5, 1, 20), 0.1)
    assert len(set(lower.tolist())) == 1


def test_fixed_window_is_a_plane(weka):
    surface = AbstentionCostSurface.from_predictions(weka.actual, weka.RF10)
    window = surface.window_at(0.3, 0.7)
    score, positive = weka.RF10.to_numpy(), weka.actual.to_numpy() == 1
    assert window.false_negative == pytest.approx(np.mean(positive & (score <= 0.3)))
    assert window.false_positive == pytest.approx(np.mean(~positive & (score >= 0.7)))
    assert window.abstention == pytest.approx(np.mean((score > 0.3) & (score < 0.7)))
    assert window.coverage == pytest.approx(1 - window.abstention)
    assert window.error == pytest.approx(window.false_negative + window.false_positive)
    assert window.selective_error == pytest.approx(window.error / window.coverage)
    corners = window.relative_cost(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    assert corners[3] == pytest.approx(corners[1] + corners[2] - corners[0])
    assert (
        window.relative_cost(*np.meshgrid([0, 0.5, 1], [0, 0.5]))
        >= surface.cost([0, 0.5, 1], [[0], [0.5]])
    ).all()
    assert np.isnan(surface.window_at(-np.inf, np.inf).selective_error)
    on_both = AbstentionCostSurface.from_predictions([0, 1, 0], [1, 2, 2]).window_at(2, 2)
    assert on_both.true_positive == on_both.false_positive == pytest.approx(1 / 3)
    assert on_both.abstention == on_both.false_negative == 0


def test_grid_is_the_surface_at_its_points(weka):
    surface = AbstentionCostSurface.from_predictions(weka.actual, weka.PART)
    grid = surface.grid(11)
    assert grid.cost.shape == grid.lower.shape == (11, 11)
    assert grid.cost[3, 7] == surface.cost(grid.mu[7], grid.nu[3])
    assert (grid.lower[3, 7], grid.upper[3, 7]) == surface.window(grid.mu[7], grid.nu[3])
    assert grid.abstention[1, 9] == surface.abstention(grid.mu[9], grid.nu[1])
    frame = grid.frame()
    assert frame.loc[3 * 11 + 7, "cost"] == grid.cost[3, 7]
    with pytest.raises(ValueError, match="n is 1; give at least 2"):
        surface.grid(1)


def test_priors_reweigh_classes():
    y, score = [0, 0, 0, 0, 1, 1], [1, 2, 3, 4, 2.5, 5]
    even = AbstentionCostSurface.from_predictions(y, score, priors=(0.5, 0.5))
    repeated = AbstentionCostSurface.from_predictions(y, score, sample_weight=[1, 1, 1, 1, 2, 2])
    named = AbstentionCostSurface.from_predictions(y, score, priors={1: 0.5, 0: 0.5})
    assert even.vacc() == pytest.approx(repeated.vacc()) == named.vacc()
    assert even.priors == pytest.approx((0.5, 0.5))


def test_trivial_classifiers(weka):
    surface = AbstentionCostSurface.from_predictions(weka.actual, weka.SMOM)
    trivial = surface.trivial()
    share = weka.actual.mean()
    assert trivial.cost(0.2, 0.9) == pytest.approx(0.2 * (1 - share))  # always p
    assert trivial.cost(1.0, 0.9) == pytest.approx(share)  # always n
    assert trivial.cost(1.0, 0.01) == pytest.approx(0.01)  # always abstain
    assert surface.beats_trivial(1.0, 0.3)
    worth = surface.beats_trivial(*np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21)))
    assert not worth[0].any()  # abstaining on everything is free along ν = 0
    assert not worth[:, 0].any()  # and so is calling everything positive along μ = 0
    assert worth[1:, 1:].mean() > 0.9
    constant = AbstentionCostSurface.from_predictions([0, 1, 1], [5, 5, 5], priors=(0.3, 0.7))
    assert not constant.beats_trivial([0.1, 0.5, 1], [[0.1], [0.3], [0.6]]).any()
    assert constant.trivial().cost(1, 1) == pytest.approx(0.3)


@given(data=st.data())
def test_cost_tables_equal_brute_force(data, cases):
    case = data.draw(cases)
    entry = st.integers(0, 9)
    right_n, right_p = data.draw(entry), data.draw(entry)
    fn, fp, on_p, on_n = (data.draw(entry) for _ in range(4))
    if fn == fp == 0:
        fn = 1
    table = np.array(
        [[right_n, right_p + fn], [right_n + fp, right_p], [right_n + on_n, right_p + on_p]]
    )
    surface = case.surface()
    negative, positive = surface.priors
    always = negative * right_n + positive * right_p
    expected = (case.windows() @ [fn, fp, on_p, on_n]).min() + always
    found = surface.for_costs(table)
    assert found.cost == pytest.approx(expected, abs=1e-9)
    turned = pd.DataFrame(table, index=[0, 1, "⊥"], columns=[0, 1]).iloc[[2, 1, 0], [1, 0]]
    assert surface.for_costs(turned).cost == pytest.approx(expected, abs=1e-9)
    alike = np.array([positive * fn, negative * fp, positive * on_p + negative * on_n]) + always
    assert found.trivial.tolist() == pytest.approx(alike.tolist())
    assert found.saving == pytest.approx(alike.min() - expected, abs=1e-9)
    with_classes = surface.for_costs(
        {"false_negative": fn, "false_positive": fp, "abstain": on_p, "abstain_negative": on_n}
    )
    assert with_classes.cost == pytest.approx(expected - always, abs=1e-9)


def test_bad_cost_tables_are_named():
    surface = AbstentionCostSurface.from_predictions(["a", "b"], [1, 2], pos_label="b")
    with pytest.raises(ValueError, match="shape"):
        surface.for_costs([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="columns"):
        surface.for_costs(pd.DataFrame(np.eye(3, 2), columns=["a", "z"]))
    with pytest.raises(ValueError, match="false_positive'\\] is -1"):
        surface.for_costs({"false_negative": 1, "false_positive": -1, "abstain": 0})
    for row in (1, 2):
        table = [[1, 1], [1, 0], [1, 1]]
        table[row][0] = 0
        with pytest.raises(ValueError, match=r"when 'a' is true, less than the right answer \(1\)"):
            surface.for_costs(table)
    with pytest.raises(ValueError, match="no mistake costs more"):
        surface.for_costs([[1, 0], [1, 0], [1, 1]])
    with pytest.raises(ValueError, match="costs differ per case"):
        surface.for_costs({"false_negative": [1, 2], "false_positive": 1, "abstain": 0})


def test_chows_rule_is_the_window_of_calibrated_scores():
    # Scores that are calibrated probabilities: 10 examples a score, q·10 of them positive.
    q = np.arange(11) / 10
    staircase = Staircase(q, q * 10, (1 - q) * 10)
    surface = AbstentionCostSurface(staircase)
    for mu, nu in ((1.0, 0.22), (0.5, 0.12), (0.4, 0.9)):
        lower, upper = surface.window(mu, nu)
        low, high = AbstentionCostSurface.chow_window(mu, nu)
        assert (q <= lower).tolist() == (q <= low).tolist()
        assert (q >= upper).tolist() == (q >= high).tolist()
    assert AbstentionCostSurface.chow_window(1, 0.2) == pytest.approx((0.2, 0.8))
    assert AbstentionCostSurface.chow_window(0.5, 0.1, 0.2) == pytest.approx((0.2 / 1.1, 0.3 / 0.4))


def test_roc_slopes_touch_the_roc_hull_at_the_window(weka):
    # Tortorella's rule read off the ROC curve that scikit-learn computes.
    from sklearn.metrics import roc_curve

    score, y = weka.NB.to_numpy(), weka.actual.to_numpy()
    surface = AbstentionCostSurface.from_predictions(y, score)
    fpr, tpr, thresholds = roc_curve(y, score, drop_intermediate=False)
    for mu, nu in ((1.0, 0.1), (0.3, 0.05), (0.2, 0.9)):
        window = surface.window(mu, nu)
        for slope, end in zip(AbstentionROC.slopes(mu, nu, prior=y.mean()), window, strict=True):
            height = tpr - slope * fpr
            touching = thresholds[height >= height.max() - 1e-12]
            above = score[score > end].min()
            assert above in touching
    with pytest.raises(ValueError, match="prior is 1"):
        AbstentionROC.slopes(1, 0.1, prior=1)


@pytest.mark.parametrize("a", [1.0, np.nextafter(1.0, 2)])  # halves round down, then up
def test_thresholds_hold_where_no_float_lies_between(a):
    b = np.nextafter(a, 2)
    surface = AbstentionCostSurface.from_predictions([0, 1], [a, b])
    lower, upper = surface.window(1, 1)
    assert lower == upper
    assert Rule.window(lower, upper).predict_set([a, b]).tolist() == [[True, False], [False, True]]
    c = np.nextafter(b, 2)
    wide = AbstentionCostSurface.from_predictions([0, 0, 1, 1], [a, b, b, c])
    lower, upper = wide.window(1, 0.1)
    answers = Rule.window(lower, upper).predict_set([a, b, c])
    assert answers.tolist() == [[True, False], [True, True], [False, True]]
    tiny = AbstentionCostSurface.from_predictions([0, 1], [0.0, 5e-324])
    assert Rule.window(*tiny.window(1, 1)).predict_set([0.0, 5e-324]).tolist() == [[1, 0], [0, 1]]
    huge = AbstentionCostSurface.from_predictions([0, 1], [1.5e308, 1.7e308])
    assert huge.window(1, 1)[0] == pytest.approx(1.6e308)


def test_infinite_scores_are_ordinary_scores():
    surface = AbstentionCostSurface.from_predictions([0, 1, 0, 1], [-np.inf, 0, 1, np.inf])
    lower, upper = surface.window(1, 0.1)
    assert -np.inf < lower < 0
    assert 1 < upper < np.inf
    # A threshold at infinity lies beyond infinite scores as well.
    everything = Rule.window(-np.inf, np.inf).predict_set([-np.inf, 0, np.inf])
    assert everything.all()
    assert surface.window_at(-np.inf, np.inf).abstention == 1
    assert surface.window_at(np.inf, np.inf).false_negative == 0.5
    assert surface.window_at(-np.inf, -np.inf).false_positive == 0.5
    assert Rule.window(np.inf, np.inf).predict_set([np.inf]).tolist() == [[True, False]]


def test_one_class_only_warns_and_costs_nothing():
    with pytest.warns(UndefinedMetricWarning, match="no example of class 0"):
        surface = AbstentionCostSurface.from_predictions([1, 1], [0.2, 0.4])
    assert surface.cost(0.5, 0.5) == 0
    assert surface.vacc() == 0
    with pytest.warns(UndefinedMetricWarning):
        assert surface.trivial().cost(1, 1) == 0
    with pytest.warns(UndefinedMetricWarning):
        assert surface.flipped().cost(1, 1) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert surface.vacc_interval(n_resamples=5, random_state=0).estimate == 0


def test_constant_scores_leave_three_trivial_answers():
    surface = AbstentionCostSurface.from_predictions([0, 1, 1, 0], [3, 3, 3, 3])
    assert surface.window(1, 0.1) == (-np.inf, np.inf)
    assert surface.window(0.5, 0.9) == (-np.inf, -np.inf)
    assert surface.window(2, 2) == (np.inf, np.inf)
    assert surface.cost(0.8, 0.3) == pytest.approx(min(0.5, 0.4, 0.3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.cost(-0.1, 0.5), "mu is -0.1"),
        (lambda s: s.cost(0.5, [0.1, -1]), r"nu\[1\] is -1"),
        (lambda s: s.window(0.5, 0.1, -1), "nu_negative is -1"),
        (lambda s: s.abstention(np.nan, 0.1), "mu is nan"),
        (lambda s: s.cost(0.5, np.inf), "nu is inf"),
        (lambda s: s.window_at(1, 0), "lower threshold may not exceed"),
        (lambda s: s.window_at(np.nan, 0), "NaN"),
    ],
)
def test_bad_costs_and_windows_are_named(call, message):
    surface = AbstentionCostSurface.from_predictions([0, 1], [1, 2])
    with pytest.raises(ValueError, match=message):
        call(surface)


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ((0.5, 0.6), "add up to 1"),
        ((1.0, 0.0), "two positive numbers"),
        ((0.2, 0.3, 0.5), "two positive numbers"),
        ({0: 0.5, 2: 0.5}, "priors names"),
    ],
)
def test_bad_priors_are_named(priors, message):
    with pytest.raises(ValueError, match=message):
        AbstentionCostSurface.from_predictions([0, 1], [1, 2], priors=priors)


def test_priors_need_both_classes_and_weights_must_not_all_be_zero():
    with pytest.raises(ValueError, match="no example of class 0"):
        AbstentionCostSurface.from_predictions([1, 1], [1, 2], priors=(0.5, 0.5))
    with pytest.raises(ValueError, match="no case of positive weight"):
        AbstentionCostSurface.from_predictions([0, 1], [1, 2], sample_weight=[0, 0])
    zero = AbstentionCostSurface.from_predictions([0, 1, 0], [1, 2, 3], sample_weight=[1, 1, 0])
    assert zero.vacc() == 0


def test_classes_called_as_abstaining_is():
    surface = AbstentionCostSurface.from_predictions(
        ["⊥", "⊤", "⊥", "⊤"], [0.1, 0.2, 0.3, 0.4], pos_label="⊤"
    )
    frame = surface.window_at(0.15, 0.35).frame()
    assert frame.index.tolist() == ["⊥", "⊤", "⊥′"]
    assert frame.loc["⊥′"].tolist() == [0.25, 0.25]
    assert frame.columns.tolist() == ["⊥", "⊤"]
    trivial = surface.for_costs([[0, 4], [1, 0], [0.5, 0.5]]).trivial
    assert trivial.to_dict() == {"⊥": 2, "⊤": 0.5, "⊥′": 0.5}


@pytest.mark.parametrize("priors", [None, (0.25, 0.75)])
def test_weights_too_light_to_matter(priors):
    truth, score = [0, 1, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6]
    for weight in ([1e5, 1e-320, 1e-320, 1e5, 1, 1], [1e-320, 1, 1, 1e5, 1e5, 1e-320]):
        kept = np.array(weight) > 1e-9
        light = AbstentionCostSurface.from_predictions(
            truth, score, sample_weight=weight, priors=priors
        )
        without = AbstentionCostSurface.from_predictions(
            truth, score, sample_weight=np.where(kept, weight, 0), priors=priors
        )
        for mu, nu in ((1.0, 0.25), (0.5, 0.1)):
            assert light.cost(mu, nu) == pytest.approx(without.cost(mu, nu), abs=1e-300)
            assert light.abstention(mu, nu) == without.abstention(mu, nu)
        assert light.vacc() == pytest.approx(without.vacc())
        assert (light.hull.lower[0], light.hull.upper[-1]) == (-np.inf, np.inf)
    with pytest.raises(ValueError, match="the weights of class 0 add up to 3e-320, too little"):
        AbstentionCostSurface.from_predictions(truth, score, sample_weight=[1e-320] * 6)


@pytest.mark.parametrize("classes", [(1, 2), (2, 1), (0, 2), (5, 0), ("b", "a")])
def test_costs_go_with_the_classes_whatever_they_are_called(classes) -> None:
    y = np.array([0, 1, 0, 1, 1, 0])
    score = np.array([0.9, 0.2, 0.4, 0.5, 0.1, 0.3])
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    plain = AbstentionCostSurface.from_predictions(y, score).for_costs(costs)
    named = AbstentionCostSurface.from_predictions(
        np.array(classes)[y], score, pos_label=classes[1]
    ).for_costs(costs)
    assert (named.cost, named.lower, named.upper) == (plain.cost, plain.lower, plain.upper)


def test_weights_that_do_not_add_up_to_one_exactly():
    # The shares of these weights add up to 1.0000000000000002.
    with pytest.warns(UndefinedMetricWarning):
        surface = AbstentionCostSurface.from_predictions(
            [1, 1, 1], [0.1, 0.4, 0.2], sample_weight=[0.1, 0.4, 0.2]
        )
    best = surface.for_costs({"false_negative": 10, "false_positive": 2, "abstain": 1})
    assert best.cost == 0
    assert best.trivial.tolist() == pytest.approx([10, 0, 1])


def test_windows_are_shown_in_one_line():
    surface = AbstentionCostSurface.from_predictions(
        ["no", "yes", "no", "yes"], range(4), pos_label="yes"
    )
    best = surface.for_costs({"false_negative": 1, "false_positive": 1, "abstain": 0.3})
    assert repr(best) == (
        "Window(lower=0.5, upper=2.5, abstention=0.5, selective_error=0, cost=0.15, "
        "classes=('no', 'yes'))"
    )
    assert "<table" in best._repr_html_()
    assert best == surface.for_costs([[0, 1], [1, 0], [0.3, 0.3]])
    assert surface.window_at(0, 1).saving is None


def test_every_public_method_that_takes_a_window_checks_it():
    surface = AbstentionCostSurface(Staircase([0.1, 0.5, 0.9], [0, 1, 2], [3, 1, 0]))
    methods = inspect.getmembers(surface, inspect.ismethod)
    takes = [
        method
        for name, method in methods
        if name[0] != "_" and {"lower", "upper"} <= inspect.signature(method).parameters.keys()
    ]
    assert takes
    for method in takes:
        with pytest.raises(ValueError, match="lower threshold may not exceed"):
            method(0.9, 0.2)
