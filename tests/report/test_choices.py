"""Windows by budgets, promises and hand; which model; groups, people and curves: as the library."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.report.core import ask_both, ask_core, ask_models, carried
from tests.tuning.fits import cross_fit_of, cross_fitted

from cautious._messages import page_rules
from cautious.curves import AbstentionCostSurface, DecisionCurve
from cautious.curves._hull import kept_scores
from cautious.guarantees import certify
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LimitCounts
from cautious.guarantees._limits import LIMITS as TABLE
from cautious.logs import summarise
from cautious.predictions import read_predictions
from cautious.report.document import PAGE_LIMITS
from cautious.tuning import find_rule, tune
from cautious.tuning._winners import distinct_winners


def probabilities(n, seed=0, digits=9, separation=1.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + separation * (y - 0.5))))
    return y, np.round(p, digits)


@pytest.mark.parametrize("n", [300, 3000])  # cases one by one, and counts at steps of the score
@pytest.mark.parametrize(
    ("digits", "scale", "first", "longest"),
    [(2, 1, 0, 7), (9, 1, 0, 12), (9, 1e-9, 1 / 3, 20), (9, 1e9, -1e9, 16)],
)
def test_a_threshold_copied_from_the_page_decides_every_case_alike(
    n, digits, scale, first, longest
):
    y, p = probabilities(n, digits=digits)
    score = first + scale * p
    found = ask_both(
        """const right = (at) => core.windowAt(model, null, Number(at), Number(at)).tp;
        return [model.lower, model.upper].map((ends) => {
          const shown = ends.map((end) => core.thresholdText(model, end));
          return [ends, shown, ends.every((end, i) => right(end) === right(shown[i]))];
        });""",
        y,
        score,
    )
    assert found[0] == found[1]
    (lower, texts, typed), (upper, others, _) = found[0]
    assert typed  # into the page itself
    assert len(lower) > 4
    for end, text in zip(lower, texts, strict=True):
        assert ((score <= float(text)) == (score <= end)).all(), (end, text)
    for end, text in zip(upper, others, strict=True):
        assert ((score >= float(text)) == (score >= end)).all(), (end, text)
    # Few digits, but as many as it takes.
    assert max(map(len, texts)) <= longest
    assert scale == 1 or max(map(len, texts)) > 9


@pytest.mark.parametrize("n", [400, 4000])
def test_scores_of_a_log_that_lie_in_cells_have_short_thresholds(n):
    """As short as cells allow, less than half a cell away, and typed back they mean the same."""
    y, p = probabilities(n, seed=12)
    summary = summarise(pd.DataFrame({"y_true": y, "score": p}), resolution=2**-10)
    width, stairs = summary.resolution, summary.staircase()
    cuts, texts, typed, kept = ask_models(
        """const cuts = model.stairs.cuts.filter((cut) => Math.abs(cut) < Infinity);
        const texts = cuts.map((cut) => core.thresholdText(model, cut));
        const at = (lower, upper) => {
          const { tn, tp } = core.windowAt(model, null, Number(lower), Number(upper));
          return [tn, tp].join();
        };
        const alike = cuts.every((cut, i) =>
          at(cut, Infinity) === at(texts[i], Infinity) &&
          at(-Infinity, cut) === at(-Infinity, texts[i]));
        return [cuts, texts, alike, core.originOf(model)];""",
        {"m": summary},
    )
    assert len(cuts) > 20
    assert typed
    assert max(map(len, texts)) <= 6  # 0.1234
    assert all(abs(float(text) - cut) < width / 2 for text, cut in zip(texts, cuts, strict=True))
    assert alike(kept, kept_scores(stairs) | {"n": n})
    # Costs hold at the thresholds themselves, which the file of the rule has.
    window = stairs_window(stairs)
    assert min(abs(cut - window.lower) for cut in cuts) == 0


def stairs_window(stairs):
    costs = {"false_negative": 5, "false_positive": 3, "abstain": 1}
    return AbstentionCostSurface(stairs).for_costs(costs)


LIMITS = [
    ({"max_error": 0.1}, {"error": 0.1}),
    ({"max_abstention": 0.2}, {"abstention": 0.2}),
]


@pytest.mark.parametrize("prior", [None, 0.2])
@pytest.mark.parametrize("digits", [1, 9])
def test_budgets_find_the_windows_of_the_library(digits, prior):
    y, p = probabilities(250, seed=3, digits=digits)
    found = ask_models(
        "return given.limits.map((one) => core.budgetWindow(model, given.prior, one))",
        {"m": (y, p)},
        limits=[one for _, one in LIMITS],
        prior=prior,
    )
    for (goal, _), shown in zip(LIMITS, found, strict=True):
        priors = None if prior is None else (1 - prior, prior)
        expected = find_rule(y, y_score=p, priors=priors, **goal)
        window = shown["window"]
        assert window["abstention"] == pytest.approx(expected.abstention, abs=1e-9)
        assert window["error"] == pytest.approx(expected.error, abs=1e-9)
        ends = float(window["lower"]), float(window["upper"])
        assert ends == pytest.approx((expected.rule.lower, expected.rule.upper), abs=1e-6)


def test_the_page_keeps_the_limits_of_the_table_but_those_left_to_the_library_by_name():
    left = {"false_discovery", "false_omission", "error_per_case"}
    assert {*PAGE_LIMITS} == {limit.name for limit in LIMIT_ARGUMENTS.values()} - left
    y, p = probabilities(250, seed=4)
    body = "return given.names.map((one) => core.budgetWindow(model, null, { [one]: 0.05 }).window)"
    for name, window in zip(
        PAGE_LIMITS, ask_models(body, {"m": (y, p)}, names=[*PAGE_LIMITS]), strict=True
    ):
        answers = np.column_stack([p <= float(window["lower"]), p >= float(window["upper"])])
        wrong = answers & np.column_stack([y == 1, y == 0])
        counts = LimitCounts(answers.sum(axis=0), wrong.sum(axis=0), np.array(250), y.sum())
        events, trials = TABLE[name].of(counts)
        assert 0.04 * trials < events <= 0.05 * trials


def test_missed_positives_within_a_budget():
    y, p = probabilities(250, seed=4)
    found = ask_models(
        "return core.budgetWindow(model, null, { missed: 0.05, error: 0.2 })", {"m": (y, p)}
    )
    window, best = found["window"], np.inf
    cuts = np.concatenate([[-np.inf], (np.sort(p)[1:] + np.sort(p)[:-1]) / 2, [np.inf]])
    for lower in cuts:
        negative = p <= lower
        if negative[y == 1].mean() > 0.05:
            break
        for upper in cuts[cuts >= lower]:
            positive = p >= upper
            wrong = (negative & (y == 1)).sum() + (positive & (y == 0)).sum()
            if wrong <= 0.2 * (negative | positive).sum():
                best = min(best, 1 - (negative | positive).mean())
    assert window["fn"] / y.mean() <= 0.05
    assert window["abstention"] == pytest.approx(best)


def test_limits_that_decide_and_the_nearest_that_can_be_kept():
    y, p = probabilities(600, seed=5, separation=2.5)
    ask = """const kept = (limits) => !core.budgetWindow(model, null, limits, given.options).none,
          { decisive, nearest } = core.decisiveLimits(model, null, given.limits, given.options);
        const moved = (by) => nearest.map(({ name, limit }) =>
          kept({ ...given.limits, [name]: limit + by }));
        return [decisive, moved(0), moved(-0.001)];"""
    for limits, promise, expected in (
        ({"error": 0.02, "missed": 0.5}, False, [["error"], [], []]),
        ({"error": 0.01, "missed": 0.6}, True, [["error"], [True], [False]]),
    ):
        given = {"limits": limits, "options": {"promise": promise}}
        assert ask_models(ask, {"m": (y, p)}, **given) == expected


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize(
    ("limits", "goal"),
    [
        ({"error": 0.15}, {"max_error": 0.15}),
        ({"error": 0.25, "missed": 0.1}, {"max_error": 0.25, "max_missed": 0.1}),
        ({"error": 0.001}, {"max_error": 0.001}),
    ],
)
def test_promises_are_certificates_of_the_library(limits, goal, margins):
    y, p = probabilities(1200, seed=5, separation=2.5)
    score = 6 * p - 2 if margins else p
    promised, aside = ask_models(
        """return [core.budgetWindow(model, null, given.limits, { promise: true }),
        core.divisionOf(model.cases.table).aside];""",
        {"m": (y, score)},
        limits=limits,
    )
    drawn = np.array(aside) == 1  # the page's fifth, which candidates come from
    given = {"y_score": score[~drawn], "other_scores": score[drawn]}
    expected = certify(y[~drawn], thresholds="two", **given, **goal)
    assert promised["n"] == expected.certificate.n == 960
    assert promised["none"] == (expected.rule is None)
    if expected.rule is None:
        assert promised["needed"] == expected.certificate.cases_needed
        return
    ends = float(promised["window"]["lower"]), float(promised["window"]["upper"])
    assert ends == pytest.approx((expected.rule.lower, expected.rule.upper), abs=1e-6)
    for one, other in zip(promised["tests"], expected.certificate.tests, strict=True):
        assert (one["wrong"], one["answered"]) == (other.wrong, other.answered)
        assert one["p"] == pytest.approx(other.p_value, abs=1e-9)


def alike(one, other):
    """Whether two values of JSON are the same but for the rounding of scores and of arithmetic."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        return all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    exact = isinstance(one, str | None)
    return one == (other if exact else pytest.approx(other, rel=1e-6, abs=1e-6))


@pytest.mark.parametrize(
    ("n", "limits", "digits", "seed"),
    [
        (60, {"error": 0.4}, 1, 1),
        (357, {"error": 0.2}, 12, 2),
        (1200, {"error": 0.1}, 2, 3),
        (1200, {"error": 0.1, "missed": 0.08}, 12, 4),
    ],
)
def test_the_file_of_a_promise_is_that_of_the_library(n, limits, digits, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    score = np.round(rng.normal(size=n) + 2.5 * y, digits)
    found = ask_both(
        """const { limits } = given,
          { window, certificate } = core.budgetWindow(model, null, limits, { promise: true });
        return [window, certificate ?? null, core.originOf(model, limits)];""",
        y,
        score,
        limits=limits,
    )
    if "missed" in limits:  # `tune` takes one limit
        goal = {f"max_{name}": limit for name, limit in limits.items()}
        rule = certify(y, y_score=score, thresholds="two", random_state=1826701615, **goal).rule
        data = tune({"m": (y, score)}, max_error=0.1, honest=False).rule.data
        data = {name: value for name, value in data.items() if name != "goal"}
    else:
        rule = tune({"m": (y, score)}, max_error=limits["error"], confidence_level=0.95).rule
        data = rule.data
    for (window, certificate, kept), digest in zip(found, (True, False), strict=True):
        assert alike(certificate, rule.certificate)
        ends = float(window["lower"]), float(window["upper"])
        assert ends == pytest.approx((rule.lower, rule.upper), abs=1e-6)
        # Scores that the page knows with fewer digits are answered as they were tested.
        assert ((score <= ends[0]) == (score <= rule.lower)).all()
        assert ((score >= ends[1]) == (score >= rule.upper)).all()
        expected = {name: value for name, value in data.items() if digest or name != "digest"}
        assert alike(kept, expected)


@pytest.mark.parametrize("n", [9, 300, 3000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limit", [None, 0.25])
def test_a_rule_keeps_of_its_cases_what_the_library_keeps(n, weighted, limit):
    y, p = probabilities(n, digits=3, seed=n)
    weight = np.random.default_rng(0).integers(1, 4, size=n) / 2 if weighted else np.ones(n)
    weights = weight if weighted else None
    given = {"y_true": y, "y_score": p} | ({"sample_weight": weight} if weighted else {})
    costs = {"false_negative": 5, "false_positive": 3, "abstain": 1}
    asked = {"costs": costs} if limit is None else {"max_abstention": limit}
    data = tune({"m": given}, honest=False, **asked).rule.data
    limits = {} if limit is None else {"abstention": limit}
    found = ask_both("return core.originOf(model, given.limits);", y, p, weights, limits=limits)
    assert alike(found[0], data)
    assert alike(found[1], {name: value for name, value in data.items() if name != "digest"})


def test_promises_of_many_cases_are_tested_where_labels_do_not_say():
    """Quantiles and per cents of the scores are candidates; corners of the hull know the labels."""
    ends = []
    for seed in range(6):
        y, p = probabilities(4000, seed=seed, digits=6)
        score = p if seed % 2 else 10 * p  # percents only of probabilities
        found = ask_both(
            """const options = { promise: true }, { cuts, unseen } = model.stairs,
              { window } = core.budgetWindow(model, null, given.limits, options);
            return [window.lower, window.upper, cuts, unseen];""",
            y,
            score,
            limits={"error": 0.1 + 0.02 * seed},
        )
        assert found[0] == found[1]
        lower, upper, cuts, unseen = found[0]
        assert 59 <= sum(unseen) <= 59 + 99 * (seed % 2) < len(cuts)
        ends += [unseen[cuts.index(end)] for end in (lower, upper) if end in cuts]
    assert len(ends) >= 6
    assert all(ends)


def test_abstention_is_not_promised():
    y, p = probabilities(400, seed=5, separation=2.5)
    body = "return given.every.map((one) => core.budgetWindow(model, null, one, { promise: true }))"
    # Whoever never answers negative misses nobody; that is no promise to be had.
    every = [{"error": 0.2, "abstention": 0.5}, {"missed": 0.001}]
    refused, nobody = ask_models(body, {"m": (y, p)}, every=every)
    assert refused == {"none": True, "abstention": True}
    assert nobody["none"]


@pytest.mark.parametrize(
    ("goal", "limits", "prior"), [*((*one, None) for one in LIMITS), (*LIMITS[0], 0.3)]
)
def test_what_limits_do_on_new_cases_is_what_the_library_expects(goal, limits, prior):
    y, p = probabilities(120, seed=6, digits=2)
    found = ask_models(
        "return core.budgetEstimates(model, given.prior, given.costs, given.limits)",
        {"m": (y, p)},
        limits=limits,
        prior=prior,
        costs={"fn": 5, "fp": 3, "abstain": 0},
    )
    expected = cross_fitted(
        y,
        y_score=p,
        priors=None if prior is None else (1 - prior, prior),
        **goal,
    )
    for ours, theirs in [
        ("abstention", "abstention"),
        ("error", "error"),
        ("selective_error", "selectiveError"),
    ]:
        one, other = getattr(expected, ours), found[theirs]
        shown = [other["value"], other["low"], other["high"]]
        assert shown == pytest.approx([one.estimate, one.low, one.high], abs=1e-9), ours


@pytest.mark.parametrize("limits", [{"error": 0.2}, {"error": 0.3, "missed": 0.2}])
def test_what_a_promise_does_on_new_cases_is_measured_on_held_out_ones(limits):
    y, p = probabilities(400, seed=5, separation=2.5)
    found, aside, folds = ask_models(
        """const { aside, folds } = core.divisionOf(model.cases.table);
        const costs = { fn: 5, fp: 3, abstain: 1 };
        return [core.promiseEstimates(model, null, costs, given.limits), aside, folds];""",
        {"m": (y, p)},
        limits=limits,
    )
    goal = {f"max_{name}": limit for name, limit in limits.items()}
    apart, answered, wrong = np.array(aside) == 1, np.zeros(2), np.zeros(2)

    def answers(kept):
        tested, others = kept & ~apart, p[kept & apart]
        rule = certify(
            y[tested], y_score=p[tested], other_scores=others, thresholds="two", **goal
        ).rule
        if rule is None:
            return np.full(len(y), 2)
        return np.where(p >= rule.upper, 1, np.where(p <= rule.lower, 0, 2))

    for fold in np.array(folds):
        for number in range(10):
            answer = np.where(fold == number, answers(fold != number), 2)
            answered += np.bincount(answer, minlength=3)[:2]
            wrong += np.bincount(answer[answer != y], minlength=3)[:2]
    given = np.bincount(answers(np.full(len(y), True)), minlength=3)
    assert (given > 0).all()
    assert found["abstention"]["value"] == pytest.approx(given[2] / len(y))
    # The rule answers as it does here, and each answer errs as on held-out cases.
    error = given[:2] @ (wrong / answered) / len(y)
    assert found["error"]["value"] == pytest.approx(error)
    assert found["error"]["low"] < found["error"]["value"] < found["error"]["high"]


def test_promises_of_many_cases_and_of_another_share_of_positives():
    y, p = probabilities(5000, seed=9, separation=2.5)
    found = ask_models(
        """const costs = { fn: 5, fp: 3, abstain: 1 }, limits = { error: 0.1 };
        const { window } = core.budgetWindow(model, null, limits, { promise: true });
        return {
          window, expected: core.promiseEstimates(model, null, costs, limits),
          seen: core.estimatesOf(model, null, costs, { window }),
          other: core.budgetWindow(model, 0.2, limits, { promise: true }),
        };""",
        {"m": (y, p)},
    )
    assert found["other"] == {"none": True, "prior": True}
    for name in ("abstention", "selectiveError"):
        one, seen = found["expected"][name], found["seen"][name]
        assert one["value"] == pytest.approx(seen["value"], abs=0.03)
        # A truth between two means is at most so far beyond either with a smaller quantile.
        assert one["low"] - 1e-3 <= seen["low"] <= seen["high"] <= one["high"] + 1e-3
    assert found["expected"]["abstention"] == found["seen"]["abstention"]


@pytest.mark.slow
@pytest.mark.parametrize(("promise", "limit"), [(False, 0.07), (True, 0.12)])
def test_intervals_of_searched_rules_hold_what_these_cost(promise, limit):
    """The true cost of a window on normal scores is known."""
    rng = np.random.default_rng(11)
    held, apparent = [], []
    for _ in range(60):
        y = (rng.random(400) < 0.4).astype(int)
        score = rng.normal(size=400) + 2.2 * y
        window, expected, seen = ask_models(
            """const { limits, promise } = given, costs = { fn: 5, fp: 3, abstain: 1 };
            const { window } = core.budgetWindow(model, null, limits, { promise });
            if (!window) return [null, null, null];
            const search = promise ? core.promiseEstimates : core.budgetEstimates;
            return [
              window, search(model, null, costs, limits).cost,
              core.estimatesOf(model, null, costs, { window }).cost,
            ];""",
            {"m": (y, score)},
            limits={"error": limit},
            promise=promise,
        )
        if window is None:
            continue
        lower, upper = float(window["lower"]), float(window["upper"])
        missed, alarms = 0.4 * stats.norm.cdf(lower - 2.2), 0.6 * stats.norm.sf(upper)
        below = 0.4 * stats.norm.cdf(np.array([lower, upper]) - 2.2)
        below += 0.6 * stats.norm.cdf([lower, upper])
        true = 5 * missed + 3 * alarms + below[1] - below[0]
        held.append(expected["low"] <= true <= expected["high"])
        apparent.append(seen["value"] - true)
    assert len(held) > 50
    assert np.mean(held) >= 0.88  # 0.95 less three standard errors
    assert np.mean(apparent) < 0  # what is seen where a rule is chosen flatters it


@pytest.fixture(scope="module")
def three_models():
    rng = np.random.default_rng(6)
    y = (rng.random(600) < 0.35).astype(int)
    good = rng.normal(size=600) + 2.5 * y
    twin, poor = good + rng.normal(size=600) * 0.05, rng.normal(size=600)
    return y, {"good": good, "twin": twin, "poor": poor}, rng


def test_differences_are_those_of_the_library(three_models):
    y, scores, _ = three_models
    found = ask_models(
        """const costs = { fn: 10, fp: 2, abstain: 1 };
        const toTheEnd = (cells) => {
          let step = cells.next();
          while (!step.done) step = cells.next();
          return step.value;
        };
        return {
          verdict: core.verdictOf(models, null, costs),
          grid: toTheEnd(core.distinctCells(models, null, false, { nx: 5, ny: 5 })),
          cells: Array.from({ length: 25 }, (_, at) => {
            const costs = core.relativeCosts((at % 5) / 4, Math.floor(at / 5) / 8, false);
            const { best, distinct } = core.verdictOf(models, null, costs);
            return distinct ? best : -1;
          }),
        };""",
        {name: (y, score) for name, score in scores.items()},
    )
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    fits = [cross_fit_of(y, y_score=score, costs=costs) for score in scores.values()]
    verdict = found["verdict"]
    for one in verdict["differences"]:
        gap = fits[one["first"]].difference(fits[one["second"]], "cost", 1 - 0.05 / 3)
        shown = (one["value"], one["low"], one["high"])
        assert shown == pytest.approx((gap.estimate, gap.low, gap.high), abs=1e-9)
        assert one["paired"]
    assert verdict["best"] in (0, 1)
    assert verdict["rivals"] == [1 - verdict["best"]]
    assert not verdict["distinct"]
    assert found["grid"]["values"] == found["cells"]
    assert set(found["cells"]) <= {-1, 0, 1}


@pytest.mark.parametrize("seed", range(6))
def test_page_tune_and_map_name_the_same_winner_or_none(seed):
    rng = np.random.default_rng(seed)
    n, noise = 150 + 100 * seed, (0.05, 3) if seed % 2 else (0.05, 0.1)
    y = (rng.random(n) < 0.35).astype(int)
    base = rng.normal(size=n) + 1.2 * y
    scores = {
        f"m{i}": np.round(base + some * rng.normal(size=n), 3) for i, some in enumerate(noise)
    }
    models = {name: (y, score) for name, score in scores.items()}
    verdict, cell = ask_models(
        """const cells = core.distinctCells(models, null, false, { nx: 9, ny: 5 });
        let step = cells.next();
        while (!step.done) step = cells.next();
        const costs = { fn: 1, fp: 0.5, abstain: 0.25 };
        return [core.verdictOf(models, null, costs), step.value.values[2 * 9 + 4]];""",
        models,
    )
    costs = {"false_negative": 1, "false_positive": 0.5, "abstain": 0.25}
    named = tune(models, costs=costs).best
    place = -1 if named is None else list(models).index(named)
    assert (named is None) == (seed % 2 == 0)
    assert [verdict["best"] if verdict["distinct"] else -1, cell] == [place, place]
    assert distinct_winners(y, scores, pos_label=1, n=9)[2][2, 4] == place


def test_many_cases_are_paired_by_a_part_of_them():
    rng = np.random.default_rng(12)
    y = (rng.random(8000) < 0.2).astype(int)
    good = rng.normal(size=8000) + 2 * y
    scores = [good, good + 0.1 * rng.normal(size=8000)]
    problems = carried({str(i): (y, score) for i, score in enumerate(scores)})
    alone = carried({"one": (y, good)})
    assert "sample" not in alone[0]["models"][0]
    (one,) = ask_core(
        """const [{ models }] = core.unpackProblems(given);
        return core.verdictOf(models, null, { fn: 10, fp: 2, abstain: 1 }).differences;""",
        problems,
    )
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    fits = [cross_fit_of(y, y_score=score, costs=costs) for score in scores]
    gap = fits[one["first"]].difference(fits[one["second"]], "cost", 0.95)
    assert one["paired"]
    assert one["high"] - one["low"] == pytest.approx(gap.high - gap.low, rel=0.5)
    assert abs(one["value"] - gap.estimate) < (gap.high - gap.low) / 2


def test_models_on_other_cases_are_not_paired(three_models):
    y, scores, rng = three_models
    given = {name: (rng.permutation(y), score) for name, score in scores.items()}
    (one,) = ask_models(
        """const costs = { fn: 10, fp: 2, abstain: 1 };
        return core.verdictOf(models.slice(0, 2), null, costs).differences;""",
        given,
    )
    assert not one["paired"]


def test_people_add_up():
    rng = np.random.default_rng(7)
    shares = rng.dirichlet(np.ones(6), 50).tolist()
    given = [dict(zip("abcdef", row, strict=True)) for row in shares]
    found = ask_core("return given.map((cells) => core.peopleOf(cells))", given)
    for cells, people in zip(given, found, strict=True):
        assert sum(one["count"] for one in people.values()) == 1000
        assert all(abs(one["count"] - 1000 * cells[name]) < 1 for name, one in people.items())
    ranged = ask_core(
        "return core.peopleOf(given)",
        {"a": {"value": 0, "low": 0, "high": 0.0123}, "b": {"value": 1, "low": 0.98, "high": 1}},
    )
    assert ranged == {
        "a": {"count": 0, "low": 0, "high": 13},
        "b": {"count": 1000, "low": 980, "high": 1000},
    }


@pytest.mark.parametrize("n", [500, 4000])
def test_groups_are_counted_under_a_window(n):
    y, p = probabilities(n, seed=8)
    group = np.random.default_rng(9).choice(["north", "south", "west"], n)
    found = ask_models(
        """const { lower, upper } = core.bestWindow(core.makeSurface(model, null), given.costs);
        return { lower, upper, groups: core.groupsOf(model, lower, upper) };""",
        {"m": {"y_true": y, "y_score": p, "groups": group}},
        costs={"fn": 5, "fp": 3, "abstain": 1},
    )
    positive, negative = p >= found["upper"], p <= found["lower"]
    assert {one["group"] for one in found["groups"]} == {"north", "south", "west"}
    for one in found["groups"]:
        own = group == one["group"]
        answered = own & (positive | negative)
        assert (one["n"], one["events"]) == (own.sum(), y[own].sum())
        assert one["coverage"]["value"] == pytest.approx(answered.sum() / own.sum())
        assert one["error"]["value"] == pytest.approx(np.mean(positive[answered] != y[answered]))
        assert one["missed"]["value"] == pytest.approx(negative[own & (y == 1)].mean())
        assert one["error"]["low"] < one["error"]["value"] < one["error"]["high"]


def test_curves_are_those_of_the_library():
    y, p = probabilities(700, seed=10, digits=3)
    thresholds = [0.05, 0.1, 0.25, 0.5, 0.8]
    found = ask_models(
        """return {
          benefit: core.netBenefitOf(model, 0.3, given.thresholds, 0.1),
          roc: core.rocOf(model), risk: core.riskBand(model),
          calibration: core.calibrationOf(model),
        };""",
        {"m": (y, p)},
        thresholds=thresholds,
    )
    curve = DecisionCurve.from_predictions(y, p, priors=(0.7, 0.3)).frame(thresholds, abstain=0.1)
    for row, (_, expected) in zip(found["benefit"], curve.iterrows(), strict=True):
        shown = [row[key] for key in ("model", "all", "none", "refer", "withAbstention")]
        assert shown == pytest.approx(expected.iloc[1:].tolist(), abs=1e-9)
    points = np.array(found["roc"]["points"])
    assert points[0].tolist() == [0, 0]
    assert points[-1].tolist() == pytest.approx([1, 1])
    assert (np.array(found["roc"]["low"]) <= points[:, 1]).all()
    assert (np.array(found["roc"]["high"]) >= points[:, 1]).all()
    assert found["risk"]["risk"][-1] == pytest.approx(np.mean((p > 0.5) != y))
    assert sum(one["n"] for one in found["calibration"]) == pytest.approx(700)
    for one in found["calibration"]:
        inside = (p >= one["low"]) & (p <= one["high"])
        assert one["share"] == pytest.approx(y[inside].mean())
        assert one["mean"] == pytest.approx(p[inside].mean())


@pytest.mark.parametrize(
    ("heading", "rows", "said"),
    [
        ("y_true,score,group,w", [("a", 0.1, 1, 1), ("b", 0.2, 2, 1)], {"weight": "w"}),
        ("y_true,one,two", [("a", 0.1, 0.3), ("b", 0.2, 0.4)], {"score": ["one", "two"]}),
        ("y_true,p_b", [("a", 0.1), ("b", 0.2)], {}),
        ("y_true,p_b,p_a", [("a", 0.1, 0.9), ("b", 0.2, 0.8)], {}),
        ("y_true,p_b,p_a", [("a", 0.1, 0.9), ("b", 0.2, 0.8)], {"pos_label": "a"}),
        ("y_true,p_c,p_a,p_b", [("a", 0.1, 0.7, 0.2), ("b", 0.2, 0.2, 0.6)], {}),
        ("y_true,y_set,group", [("a", "a|b", 1), ("b", "b", 2)], {}),
    ],
)
def test_columns_that_a_rule_keeps(heading, rows, said, tmp_path):
    text = "".join(f"{line}\n" for line in [heading, *(",".join(map(str, row)) for row in rows)])
    (tmp_path / "m.csv").write_text(text)
    said = {"pos_label": "b"} | said if "y_set" not in heading and "p_c" not in heading else said
    read = read_predictions(tmp_path / "m.csv", **said)
    body = """core.useRules(given.rules);
        const { models } = core.readPredictions(core.parseCsv(given.text), "m", given.said);
        return models.map(({ name, columns }) => [name, columns]);"""
    found = ask_core(body, {"rules": page_rules(), "text": text, "said": said})
    assert dict(found) == {name: read.columns_of(name) for name in read}
