import itertools
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.decision import Rule, optimal_sets
from cautious.logs import LogSummary, summarise
from cautious.logs.engines import summarise_batch
from cautious.logs.plan import Plan
from cautious.metrics import MEASURES, SetCounts, breakdown
from cautious.metrics._registry import get_measure

SMALL = 1024 * 32  # 1024 pairs of a score and a class, then 64 cells
GRID = np.linspace(0, 1, 21)


def split(frame, cuts, **wishes):
    """Summary put together from parts."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    plan = Plan.of(table.schema, **wishes)
    edges = [0, *sorted(cuts), len(frame)]
    total = LogSummary.of_nothing(plan)
    for start, end in pairwise(edges):
        for batch in table.slice(start, end - start).to_batches():
            total = summarise_batch(batch, plan) + total
    return total


def cost_bounds(summary, mu, nu):
    """The least cost at the unrounded scores, at best and at worst."""
    return [summary.cost_surface(within=within).cost(mu, nu) for within in ("best", "worst")]


def test_a_staircase_is_that_of_arrays_in_memory(make_binary_log):
    log = make_binary_log(3000, decimals=3)
    summary = summarise(log)
    assert summary.exact
    assert summary.resolution is None
    assert summary.n_rows == 3000
    assert summary.staircase() == Staircase.from_predictions(log["y_true"], log["score"])
    assert summary.staircase(within="best") == summary.staircase()
    lower, upper = cost_bounds(summary, 0.5, 0.1)
    assert lower == upper == AbstentionCostSurface(summary.staircase()).cost(0.5, 0.1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["no", "yes"]),
            st.integers(0, 9),
            st.just(0.0) | st.floats(2.0**-32, 5),
        ),
        min_size=1,
    ),
    st.lists(st.integers(0, 30), max_size=4),
)
def test_weighted_scores_in_any_split(rows, cuts):
    log = pd.DataFrame(rows, columns=["truth", "score", "weight"])
    cuts = [min(cut, len(log)) for cut in cuts]
    summary = split(log, cuts, pos_label="yes", classes=["no", "yes"])
    assert summary == split(log, [], pos_label="yes", classes=["no", "yes"])
    expected = Staircase.from_predictions(
        log["truth"], log["score"], sample_weight=log["weight"], classes=("no", "yes")
    )
    found = summary.staircase()
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_allclose(found.positives, expected.positives, rtol=1e-9)
    np.testing.assert_allclose(found.negatives, expected.negatives, rtol=1e-9)


@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(0, 400), max_size=5))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_classes_models_groups_and_weights_in_any_split(make_class_log, seed, cuts):
    log = make_class_log(400, seed=seed)
    wishes = {"rules": "u65"}
    summary = split(log, cuts, **wishes)
    assert summary == split(log.sample(frac=1, random_state=seed), [200], **wishes)
    assert LogSummary.from_bytes(summary.to_bytes()) == summary
    assert pickle.loads(pickle.dumps(summary)) == summary


def class_arrays(log):
    columns = [name for name in log if name.startswith("p_")]
    return log["y_true"].to_numpy(), log[columns].to_numpy(), [name[2:] for name in columns]


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_and_curves_of_classes_are_those_of_arrays_in_memory(make_class_log, weighted):
    log = make_class_log(2000)
    # Weights that are multiples of 1/4 add up exactly in memory, too.
    log["weight"] = (log["weight"] * 4).round() / 4
    summary = summarise(log, rules="u65", weight=None if weighted else False)
    for model, group in (("new", None), ("old", None), ("old", "north"), ("new", "south")):
        chosen = log["model"] == model
        if group is not None:
            chosen &= log["group"] == group
        part = log[chosen]
        truth, p, classes = class_arrays(part)
        given = {"classes": classes, "sample_weight": part["weight"] if weighted else None}
        answer = np.eye(len(classes), dtype=bool)[p.argmax(axis=1)]
        guess = np.array(classes)[p.argmax(axis=1)]
        optimal = optimal_sets(p, utility="u65")
        for decision, mask in (("argmax", answer), ("u65", optimal)):
            expected = SetCounts.from_predictions(truth, mask, y_pred=guess, **given)
            assert summary.counts(decision, model=model, group=group) == expected
        curve = RiskCoverageCurve.from_predictions(truth, p, **given)
        assert summary.risk_coverage(model=model, group=group) == curve
        assert summary.measure("aurc", model=model, group=group) == float(curve.aurc)
        for name in ("coverage", "u65", "needless_abstention"):
            value = summary.measure(name, decision="u65", model=model, group=group)
            counted = SetCounts.from_predictions(truth, optimal, y_pred=guess, **given)
            assert value == float(MEASURES[name](counted))
    assert summary.models == ["new", "old"]
    assert summary.groups == ["north", "south"]
    old = log[log["model"] == "old"]
    truth, p, classes = class_arrays(old)
    expected = breakdown(
        truth,
        np.eye(4, dtype=bool)[p.argmax(axis=1)],
        groups=old["group"],
        classes=classes,
        sample_weight=old["weight"] if weighted else None,
    )
    found = summary.breakdown(model="old")
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)


COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}
ASKED_OF_SCORES = {
    "staircase": lambda summary, **part: summary.staircase(**part),
    "cost_surface": lambda summary, **part: summary.cost_surface(**part).for_costs(COSTS).cost,
    "certify": lambda summary, **part: summary.certify(max_error=0.2, **part).certificate,
    "counts": lambda summary, **part: summary.counts(**part),
    "counts of a rule": lambda summary, **part: summary.counts(Rule.window(0.2, 0.8), **part),
    "answer_bounds": lambda summary, **part: summary.answer_bounds(Rule.window(0.2, 0.8), **part),
    "risk_coverage": lambda summary, **part: summary.risk_coverage(**part),
    "measure": lambda summary, **part: summary.measure("error", **part),
    "aurc": lambda summary, **part: summary.measure("aurc", **part),
    "breakdown": lambda summary, **part: summary.breakdown(["error"], **part).to_dict(),
}
ASKED_OF_CLASSES = {
    name: ASKED_OF_SCORES[name] for name in ("counts", "risk_coverage", "measure", "breakdown")
}


def two_scores(n=400):
    """A model that knows the truth, and a coin."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=n)
    return pd.DataFrame({"y_true": truth, "good": truth * 0.8 + 0.1, "coin": rng.random(n)})


@pytest.mark.parametrize("asked", ASKED_OF_SCORES.values(), ids=ASKED_OF_SCORES)
def test_several_columns_of_scores_are_never_one_model(asked):
    log = two_scores()
    summary = summarise(log, score=["good", "coin"])
    with pytest.raises(ValueError, match=r"2 models, 'good', 'coin'; .* model='good'\.$"):
        asked(summary)
    for name in ("good", "coin"):
        assert asked(summary, model=name) == asked(summarise(log, score=name))


@pytest.mark.parametrize("asked", ASKED_OF_CLASSES.values(), ids=ASKED_OF_CLASSES)
def test_rows_of_several_models_are_one_only_where_that_is_said(make_class_log, asked):
    log = make_class_log(200)
    summary = summarise(log)
    with pytest.raises(ValueError, match=r"2 models, 'new', 'old'; .* model='new', or .*=False"):
        asked(summary)
    own = summarise(log[log["model"] == "old"], classes=summary.classes)
    assert asked(summary, model="old") == asked(own)
    asked(summarise(log, model=False))


def test_models_and_groups_that_are_not_there_are_refused():
    log = two_scores()
    log["group"] = "north"
    summary = summarise(log, score=["good", "coin"])
    with pytest.raises(ValueError, match=r"model is 'godo'; give one of 'good', 'coin'\."):
        summary.cost_surface(model="godo")
    with pytest.raises(ValueError, match=r"group is 'south'; give one of 'north'\."):
        summary.counts(model="good", group="south")
    with pytest.raises(ValueError, match=r"model is 'good'; the log names none"):
        summarise(log, score="good").counts(model="good")


def test_sets_in_columns_and_written(make_class_log):
    log = make_class_log(500).drop(columns=["model", "group", "weight"])
    truth, p, classes = class_arrays(log)
    mask = p >= 0.2
    mask[~mask.any(axis=1)] = True
    expected = SetCounts.from_predictions(truth, mask, classes=classes)
    log = log[["y_true"]]
    columns = log.assign(**{f"set_{c}": mask[:, k] for k, c in enumerate(classes)})
    assert summarise(columns).counts() == expected
    ones = columns.astype({f"set_{c}": int for c in classes})
    assert summarise(ones).counts("sets") == expected
    texts = ["|".join(np.array(classes)[row]) if not row.all() else "?" for row in mask]
    written = log.assign(y_set=texts)
    assert summarise(written).counts() == expected
    assert summarise(written, classes=classes).counts() == expected
    batches = pa.Table.from_pandas(written).to_batches(100)
    assert summarise(iter(batches), classes=classes).counts() == expected
    with pytest.raises(ValueError, match="can be read only once; give classes"):
        summarise(iter(batches))
    with pytest.raises(ValueError, match="'zebra', which is not among the classes"):
        summarise(written.replace({"y_set": {texts[0]: "zebra"}}), classes=classes)


def test_too_many_different_sets_are_forgotten_the_same_way_in_any_split():
    rng = np.random.default_rng(0)
    n, n_classes = 1500, 12
    mask = rng.random((n, n_classes)) < 0.5
    mask[:, 0] |= ~mask.any(axis=1)
    truth = rng.integers(0, n_classes, n)
    log = pd.DataFrame(mask, columns=[f"set_{k}" for k in range(n_classes)]).assign(y=truth)
    summary = summarise(log, memory_budget=SMALL)
    assert not summary.counts().knows_sets
    expected = SetCounts.from_predictions(truth, mask, classes=range(n_classes))
    assert summary.counts() == expected.without_sets()
    assert split(log, [10, 1300], memory_budget=SMALL) == summary
    assert summarise(log).counts() == expected


def true_costs(log):
    surface = AbstentionCostSurface.from_predictions(log["y_true"], log["score"])
    return surface, surface.cost(GRID[:, None], GRID)


@given(st.integers(0, 10_000), st.sampled_from(["uniform", "margin", "atoms", "tiny"]))
@settings(max_examples=30, deadline=None)
def test_rounded_scores_bound_the_true_cost_on_both_sides(seed, shape):
    rng = np.random.default_rng(seed)
    n = 3000
    score = {
        "uniform": lambda: rng.random(n),
        "margin": lambda: rng.normal(size=n) * 10.0 ** rng.integers(-3, 4),
        "atoms": lambda: np.where(rng.random(n) < 0.5, 0.5, rng.random(n)),
        "tiny": lambda: rng.random(n) * 1e-9,
    }[shape]()
    truth = (rng.random(n) < pd.Series(score).rank(pct=True)).astype(int)
    log = pd.DataFrame({"y_true": truth, "score": score})
    summary = summarise(log, memory_budget=SMALL)
    assert not summary.exact
    surface, cost = true_costs(log)
    lower, upper = cost_bounds(summary, GRID[:, None], GRID)
    assert (lower <= cost + 1e-12).all()
    assert (cost <= upper + 1e-12).all()
    best, worst = (summary.cost_surface(within=within) for within in ("best", "worst"))
    assert best.vacc() <= surface.vacc() + 1e-12
    assert surface.vacc() <= worst.vacc() + 1e-12
    # Abstention may cost more than a mistake, and differ between the classes.
    for costs in ((0.5, 3.0, 0.2), (3.0, 0.4, 2.0)):
        assert best.cost(*costs) <= surface.cost(*costs) + 1e-12
        assert surface.cost(*costs) <= worst.cost(*costs) + 1e-12
    # The windows given do what is said of them, on the scores that nobody kept.
    for mu, nu in ((1.0, 0.1), (0.3, 0.2), (0.8, 0.05)):
        window = worst.window(mu, nu)
        found = surface.window_at(*window)
        assert found.relative_cost(mu, nu) == pytest.approx(worst.cost(mu, nu), abs=1e-12)


def test_bounds_close_in_as_the_budget_grows(make_binary_log):
    log = make_binary_log(40_000)
    _, cost = true_costs(log)
    gaps = []
    for pairs in (1024, 4096, 16384, 65536 * 2):
        summary = summarise(log, memory_budget=32 * pairs)
        lower, upper = cost_bounds(summary, GRID[:, None], GRID)
        assert (lower <= cost + 1e-12).all()
        assert (cost <= upper + 1e-12).all()
        gaps.append((upper - lower).max())
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == 0


def test_rounded_confidences_bound_the_areas(make_class_log):
    rng = np.random.default_rng(0)
    log = make_class_log(20_000).drop(columns=["model", "group", "weight"])
    truth, p, classes = class_arrays(log)
    p = rng.dirichlet(np.ones(4), len(log))
    log[[f"p_{c}" for c in classes]] = p
    summary = summarise(log, memory_budget=16 * SMALL)
    assert not summary.exact
    curve = RiskCoverageCurve.from_predictions(truth, p, classes=classes)
    best, worst = (summary.risk_coverage(within=within) for within in ("best", "worst"))
    assert best.n == worst.n == curve.n
    for area in ("aurc", "augrc"):
        low, true, high = (float(getattr(c, area)) for c in (best, curve, worst))
        assert low < true < high
        assert high - low < 0.05


def test_a_resolution_rounds_from_the_start(make_binary_log):
    log = make_binary_log(100)
    summary = summarise(log, resolution=0.3)
    assert summary.resolution == 0.25
    assert not summary.exact
    assert len(summary.staircase()) <= 8
    assert split(log, [3, 50], resolution=0.3) == summary
    with pytest.raises(ValueError, match="resolution is 0"):
        summarise(log, resolution=0)


@pytest.mark.parametrize(
    ("truth", "wishes", "pair"),
    [
        ([False, True], {}, (False, True)),
        ([-1, 1], {}, (-1, 1)),
        ([0.0, 1.0], {}, (0, 1)),
        (["ham", "spam"], {"pos_label": "spam"}, ("ham", "spam")),
        (["ham", "spam"], {"classes": ["spam", "ham"]}, ("spam", "ham")),
        ([1, 1], {}, (0, 1)),
        ([5, 5], {"pos_label": 7, "classes": [7, 5]}, (5, 7)),
        (["a", "b", "c"], {"pos_label": "c"}, ("not c", "c")),
    ],
)
def test_which_class_is_positive(truth, wishes, pair):
    log = pd.DataFrame({"y": truth, "p": np.linspace(0.2, 0.8, len(truth))})
    summary = summarise(log, **wishes)
    staircase = summary.staircase()
    assert staircase.classes == pair
    assert tuple(summary.classes.tolist()) == pair
    is_positive = np.array([label == pair[1] for label in truth], dtype=float)
    np.testing.assert_array_equal(staircase.positives, is_positive)
    assert split(log, [1], **wishes) == summary


def test_a_part_of_a_log_need_not_hold_the_positive_class():
    log = pd.DataFrame({"y": [5, 5, 7], "score": [0.1, 0.2, 0.3]})
    assert split(log[:2], [], pos_label=7).staircase().classes == (5, 7)
    assert split(log[:0], [], pos_label=7).staircase().classes == ("not 7", 7)
    assert split(log, [2], pos_label=7) == summarise(log, pos_label=7)


def test_labels_take_the_type_of_the_truths(make_class_log):
    log = pd.DataFrame({"y": [0, 2, 1], "p_0": [0.5, 0.2, 0.1], "p_1": [0.3, 0.2, 0.8]})
    log["p_2"] = 1 - log["p_0"] - log["p_1"]
    assert summarise(log).classes.tolist() == [0, 1, 2]
    named = log.rename(columns={"p_0": "p_a", "p_1": "p_b", "p_2": "p_c"})
    with pytest.raises(ValueError, match=r"row 0: the truth '0' is not among the classes 'a', 'b'"):
        summarise(named)
    mapping = {0: "p_a", 1: "p_b", 2: "p_c"}
    assert summarise(named, proba=mapping).counts() == summarise(log).counts()
    text = log.assign(y=["0", "2", "1"])
    assert summarise(text).classes.tolist() == ["0", "1", "2"]


def test_columns_can_be_given():
    log = pd.DataFrame(
        {
            "gold": ["a", "b"],
            "q1": [0.7, 0.2],
            "q2": [0.2, 0.7],
            "q3": [0.1, 0.1],
            "size": [2.0, 0.0],
            "where": [None, "x"],
        }
    )
    mapping = {"a": "q1", "b": "q2", "c": "q3"}
    summary = summarise(log, truth="gold", proba=mapping, weight="size", groups="where")
    assert summary.classes.tolist() == ["a", "b", "c"]
    assert float(summary.counts().n) == 2.0
    assert summary.groups == [""]
    named = log.rename(columns={"q1": "qa", "q2": "qb", "q3": "qc"})
    prefixed = summarise(named, truth="gold", proba="q", classes=["a", "b", "c"])
    assert prefixed.counts() == summarise(log, truth="gold", proba=mapping).counts()
    with pytest.raises(ValueError, match="classes holds 'a', 'b', 'x', but the columns are of"):
        summarise(named, truth="gold", proba="q", classes=["a", "b", "x"])
    sets = log.assign(q1=[1, 0], q2=[1, 1], q3=[0, 1])
    found = summarise(sets, truth="gold", sets=mapping)
    assert found.counts().size.tolist() == [2, 2]
    score = summarise(log, truth="gold", score="q2", pos_label="b", groups=False)
    assert score.staircase().scores.tolist() == [0.2, 0.7]


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"proba": "q_"}, "proba is 'q_', but no column"),
        ({"memory_budget": 10}, "memory_budget is 10; give at least"),
        ({"engine": "ray"}, "engine is 'ray'; choose"),
        ({"classes": [0, 1], "pos_label": 3}, "pos_label is '3', but the classes are '0', '1'"),
        ({"pos_label": 7}, "pos_label is '7', but the classes are '0', '1'"),
        ({"sets": {"a": "t", "b": "t"}, "truth": "t"}, "write true or false"),
        ({"proba": {"a": "y", "b": "many"}, "classes": ["abc"]}, "classes holds 'abc'"),
    ],
)
def test_errors_say_what_is_wrong(wishes, message):
    table = pa.table(
        {
            "y": [0, 1, 1],
            "score": [0.5, 0.6, 0.7],
            "gap": pa.array([1, 0, None]),
            "many": [4, 5, 6],
            "t": ["a", "b", "a"],
            "tiny": [1.0, 1e-10, 1.0],
        }
    )
    with pytest.raises((ValueError, TypeError), match=message):
        summarise(table, **wishes)


def test_what_a_summary_does_not_know_it_says(make_binary_log, make_class_log):
    scores, classes = summarise(make_binary_log(20)), summarise(make_class_log(20))
    with pytest.raises(
        ValueError,
        match=r"decision is 'u65'; of scores .* or one of 'argmax'",
    ):
        scores.counts("u65")
    sets = summarise(pd.DataFrame({"y": ["a", "b"], "y_set": ["a", "a|b"]}))
    with pytest.raises(ValueError, match="says nothing about the confidence"):
        sets.risk_coverage()
    with pytest.raises(ValueError, match=r"so it has no staircase; risk_coverage\(\)"):
        classes.staircase()
    rule = Rule.confidence(0.5, classes=classes.classes.tolist())
    with pytest.raises(ValueError, match="so it has no bounds of a rule's answers"):
        classes.answer_bounds(rule)
    with pytest.raises(ValueError, match="decision is 'u80'; counted were argmax"):
        classes.counts("u80")
    with pytest.raises(ValueError, match="within is 'middle'"):
        scores.staircase(within="middle")
    with pytest.raises(
        ValueError, match=r"score is \['score'\] in one and None in the other; proba"
    ):
        scores + classes
    with pytest.raises(TypeError):
        scores + 1
    assert scores != 1
    with pytest.raises(ValueError, match="no summary of a prediction log"):
        LogSummary.from_bytes(b"nonsense")


UNLIKE = {
    "truth": ("y", "z"),
    "score": ("score", "other"),
    "weight": (False, "w"),
    "groups": (False, "g"),
    "model": (False, "g"),
    "classes": ([0, 1], [1, 0]),
    "pos_label": (0, 1),
    "rules": (0.6, 0.7),
    "missing": ("error", "abstain"),
    "drop_missing": (False, True),
    "memory_budget": (1 << 20, 1 << 21),
    "resolution": (0.25, 0.5),
}


@pytest.mark.parametrize("option", UNLIKE)
def test_summaries_that_do_not_add_up_say_which_option_differs(option):
    log = pd.DataFrame({"y": [0, 1], "z": [0, 1], "score": [0.2, 0.7], "other": [0.1, 0.3]})
    log["w"], log["g"] = [1, 2], ["a", "b"]
    told = {"truth": "y", "score": "score", "weight": False, "groups": False, "model": False}
    one, two = (summarise(log, **told | {option: value}) for value in UNLIKE[option])
    with pytest.raises(ValueError, match=f"up: {option} is .* summarise the same {option}.* for"):
        one + two


def test_sets_that_name_other_classes_add_up_once_the_classes_are_told():
    one, two = (
        pd.DataFrame({"y": ["a", "b"], "y_set": ["a|b", written]}) for written in ("b", "b|c")
    )
    with pytest.raises(ValueError, match=r"classes is \['a', 'b'\] in one and \['a', 'b', 'c'\]"):
        summarise(one) + summarise(two)
    both = summarise(one, classes=[*"abc"]) + summarise(two, classes=[*"abc"])
    assert both == summarise(pd.concat([one, two]), classes=[*"abc"])


def test_rules_of_a_summary_know_their_column_and_their_model():
    log = two_scores(600)
    one = summarise(log, score="good")
    several = summarise(log, score=["good", "coin"])
    rows = summarise(log.assign(model=np.repeat(["a", "b"], 300)), score="good")
    for summary, part, column, model in (
        (one, {}, "good", ""),
        (several, {"model": "good"}, "good", "good"),
        (rows, {"model": "b"}, "good", "b"),
    ):
        surface = summary.cost_surface(**part)
        other = log["good"].to_numpy()[:100]
        for rule in (
            summary.certify(max_error=0.2, **part).rule,
            surface.for_costs(COSTS).rule(),
            surface.for_max_error(0.1).rule(),
            surface.certify(max_error=0.2, other_scores=other).rule,
        ):
            assert (rule.tuned_column, rule.model or "") == (column, model)
            assert rule.data["scores"]["counts"]
    p = log.rename(columns={"good": "p_1"}).drop(columns="coin")
    assert summarise(p).certify(max_error=0.2).rule.tuned_column is None


def test_three_labels_that_meet_only_in_the_sum():
    log = pd.DataFrame({"y": [0, 1, 2], "score": [0.5, 0.5, 0.5]})
    with pytest.raises(ValueError, match="there are 3 classes, '0', '1', '2', but a score speaks"):
        split(log, [1, 2])


def test_types_of_labels_and_scores():
    p = {"p_a": [0.5, 0.2], "p_b": [0.3, 0.2], "p_c": [0.2, 0.6]}
    floats = {f"p_{k}.5": column for k, column in enumerate(p.values())}
    assert summarise(pd.DataFrame({"y": [0.5, 2.5], **floats})).classes.tolist() == [0.5, 1.5, 2.5]
    booleans = pd.DataFrame({"y": [False, True], "in_False": [1, 0], "in_true": [1, 1]})
    assert summarise(booleans).counts().classes.tolist() == [False, True]
    decimal = pa.array([1, 2], pa.decimal128(5, 2))
    scores = summarise(pa.table({"y": [0, 1], "score": decimal})).staircase().scores
    assert scores.tolist() == [1, 2]
    both = pd.DataFrame({"y": ["a", "b"], **p, "in_a": [1, 1], "in_b": [1, 0], "in_z": [0, 1]})
    with pytest.raises(ValueError, match="give both for the same classes"):
        summarise(both)
    with pytest.raises(ValueError, match="classes holds 'a', 'b', but the columns are of"):
        summarise(pd.DataFrame({"y": ["a", "b"], **p}), classes=["a", "b"])


def test_many_classes_against_the_rest():
    rng = np.random.default_rng(0)
    truth = [f"c{k:03}" for k in rng.integers(0, 300, 2000)]
    log = pd.DataFrame({"y": truth, "score": rng.random(2000), "weight": 0.0})
    staircase = summarise(log, pos_label="c007", weight=False).staircase()
    assert staircase.n_positives == truth.count("c007")
    assert staircase.classes == ("not c007", "c007")
    nothing = summarise(log, pos_label="c007")
    assert nothing.n_rows == 2000
    assert len(nothing.staircase()) == 0
    assert summarise(log, pos_label="c007", resolution=0.1).scores.n_kept == 0


def test_more_classes_than_a_word_has_bits():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(130), 300)
    truth = rng.integers(0, 130, 300)
    log = pd.DataFrame(p, columns=[f"p_{k}" for k in range(130)]).assign(y=truth)
    counts = summarise(log).counts()
    answer = np.eye(130, dtype=bool)[p.argmax(axis=1)]
    expected = SetCounts.from_predictions(
        truth, answer, classes=range(130), y_pred=p.argmax(axis=1)
    )
    assert counts == expected
    weightless = summarise(log.assign(weight=0.0)).counts()
    assert weightless.n == 0


def test_labels_that_are_dates_or_many():
    dates = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01"])
    log = pd.DataFrame({"y": [0, 1, 1], "score": [1, 2, 3], "group": dates})
    assert summarise(log).groups == ["2020-01-01 00:00:00", "2020-01-02 00:00:00"]
    wide = pa.table({"y": np.arange(200_000) * 1000, "score": np.ones(200_000)})
    with pytest.raises(ValueError, match="holds more than 32,768 different labels"):
        summarise(wide, pos_label=0)
    categories = pd.Series(["x", "y", None], dtype="category")
    log = pd.DataFrame({"y": [0, 1, 1], "score": [1, 2, 3], "group": categories})
    assert summarise(log).groups == ["", "x", "y"]


@pytest.mark.parametrize("weighted", [False, True])
def test_any_rule_is_read_off_the_scores_of_two_classes(make_binary_log, weighted):
    log = make_binary_log(2000, decimals=2, labels=("no", "yes"))
    log["weight"] = np.random.default_rng(0).integers(1, 5, len(log)) / 4
    log = log if weighted else log.drop(columns="weight")
    weight = log["weight"] if weighted else None
    pair = ("no", "yes")
    summary = summarise(log)
    p = np.column_stack([1 - log["score"], log["score"]])
    rules = {
        "argmax": Rule.confidence(0, classes=pair),
        "confidence": Rule.confidence(0.7, classes=pair),
        "window": Rule.window(0.3, 0.6, classes=pair),
        "u80": Rule.utility("u80", classes=pair),
    }
    for name, rule in rules.items():
        sets = rule.predict_set(p[:, 1] if rule.kind == "window" else p, classes=pair)
        expected = SetCounts.from_predictions(
            log["y_true"],
            sets,
            classes=pair,
            sample_weight=weight,
            y_pred=np.array(pair)[p.argmax(axis=1)],
        )
        found = summary.counts("argmax" if name == "argmax" else rule)
        assert found == expected.merge()[0], name
    assert summary.counts() == summary.counts("argmax")
    curve = RiskCoverageCurve.from_predictions(log["y_true"], p, classes=pair, sample_weight=weight)
    for area in ("aurc", "augrc"):
        assert summary.measure(area) == pytest.approx(float(getattr(curve, area)), rel=1e-12)
    with pytest.raises(ValueError, match="the rule's positive class is 'no', but the scores are"):
        summary.counts(Rule.window(0.3, 0.6, classes=("yes", "no")))
    tied = summarise(pd.DataFrame({"y": [0, 1], "score": [0.5, 0.5]}))
    assert tied.counts().answer.tolist() == [0, 0]


def test_notes_say_what_was_done():
    log = pd.DataFrame(
        {
            "y": ["a", "b", "Ca", "ca", None],
            "p_a": [0.33, 0.5, 0.1, 0.25, 0.25],
            "p_b": [0.33, 0.25, 0.1, 0.25, 0.25],
            "p_Ca": [0.33, 0.25, 0.4, 0.25, 0.25],
            "p_ca": [0.0, 0.0, 0.4, 0.25, 0.25],
            "y_set": ["a|a", "b", "Ca|b", "ca", "a"],
            "age": range(5),
        }
    )
    with pytest.raises(ValueError, match=r"column 'y', row 4: the truth is missing \(1 such cell"):
        summarise(log)
    summary = summarise(log, drop_missing=True)
    said = "\n".join(map(str, summary.notes))
    assert "truth 'y'" in said
    assert "ignored 'age'" in said
    assert "no truth in 1 of 5 rows; left out" in said
    assert "in 1 of 5 rows they do not add up to 1" in said
    assert "a set names a class twice (1 of 5 rows)" in said
    assert "the sets are the answers" in said
    assert "'Ca' and 'ca' differ" in said
    assert summary.counts().n == 4
    assert LogSummary.from_bytes(summary.to_bytes()) == summary
    assert split(log, [1, 3, 4], drop_missing=True, classes=["a", "b", "Ca", "ca"]) == summarise(
        log, drop_missing=True, classes=["a", "b", "Ca", "ca"]
    )


def test_certificates_come_from_the_counts():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=20_000)
    score = (1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))).round(3)
    log = pd.DataFrame({"y_true": y, "score": score})
    summary = summarise(log)
    found = summary.certify(max_error=0.05, confidence_level=0.9)
    assert found == split(log, [7000, 12_000]).certify(max_error=0.05, confidence_level=0.9)
    (test,) = found.certificate.tests
    # A fifth of the rows fixed the candidates; the others were counted.
    assert found.certificate.n == pytest.approx(16_000, rel=0.05)
    assert test.p_value <= 0.1
    assert found.coverage == pytest.approx(test.answered / found.certificate.n)
    answered = found.rule.predict_set(score).sum(axis=1) == 1
    assert answered.mean() == pytest.approx(found.coverage, abs=0.02)
    # Rounded scores: whole cells are answered, and counted as the rule answers them.
    rough = summarise(log.assign(score=score + rng.uniform(0, 1e-4, len(y))), memory_budget=SMALL)
    assert not rough.exact
    coarse = rough.certify(max_error=0.05, confidence_level=0.9)
    assert coarse.certificate.granted
    assert coarse.coverage <= found.coverage + 0.03
    answered = coarse.rule.predict_set(score).sum(axis=1) == 1
    assert answered.mean() == pytest.approx(coarse.coverage, abs=0.03)
    margins = summarise(log.assign(score=20 * score - 10))
    assert margins.certify(max_error=0.2).rule.lower < margins.certify(max_error=0.2).rule.upper
    assert summarise(log.head(50)).certify(max_error=0.01).rule is None


@pytest.mark.parametrize("rule", [Rule.window(0.3, 0.7001), Rule.confidence(0.77, classes=[0, 1])])
@pytest.mark.parametrize("resolution", [0.2, 0.01, None])
def test_answers_to_rounded_scores_have_bounds(rule, resolution):
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=400)
    frame = pd.DataFrame(
        {"y_true": y, "score": rng.random(400), "group": rng.choice(["u", "v"], 400)}
    )
    frame.loc[:9, "score"] = np.nan
    frame.loc[10, ["y_true", "score"]] = 1, 1.0  # its cell reaches beyond 1
    summary = summarise(frame, resolution=resolution, missing="abstain")
    for group in (None, "u"):
        own = frame if group is None else frame[frame["group"] == group]
        mask = rule.predict_set(own["score"])
        truth = own["y_true"].to_numpy()
        answered = ~mask.all(axis=1)
        right = answered & mask[np.arange(len(own)), truth]
        true = {"coverage": answered.mean(), "error": (answered & ~right).mean()}
        true["selective_accuracy"] = right.sum() / answered.sum()
        bounds = summary.answer_bounds(rule, group=group)
        counts = summary.counts(rule, group=group)
        for name, value in true.items():
            low, high = bounds[name]
            assert low - 1e-12 <= value <= high + 1e-12, name
            assert low - 1e-12 <= get_measure(name)(counts) <= high + 1e-12, name
            if resolution is None:
                assert low == high == pytest.approx(value)
        assert (bounds["open_cases"][1] > 0) == (resolution is not None)


@settings(max_examples=15, deadline=None)
@given(
    cases=st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.1, 0.3, 0.6, 0.9, 1.0])),
        min_size=1,
        max_size=3,
    ),
    nu=st.sampled_from([0.1, 0.25, 0.4]),
)
def test_cells_are_read_at_the_worst_and_the_best_of_all_scores_in_them(cases, nu):
    """Every case is put to both ends and into the middle of its cell; probabilities end at 1."""
    cases = [(0, 1.0), (1, 0.0), *cases]  # a negative at the very top, a positive at the bottom
    truth, score = map(np.array, zip(*cases, strict=True))
    summary = summarise(pd.DataFrame({"y_true": truth, "score": score}), resolution=0.25)
    assert summary.resolution == 0.25
    low = np.floor(score * 4) / 4
    last = np.minimum(np.nextafter(low + 0.25, 0), 1.0)
    costs = []
    for places in itertools.product([0, 1, 2], repeat=len(score)):
        at = np.where(low == 1, 1.0, np.choose(places, [low, low + 0.125, last]))
        costs.append(AbstentionCostSurface.from_predictions(truth, at).cost(1, nu))
    worst, best = (summary.staircase(within=within) for within in ("worst", "best"))
    assert AbstentionCostSurface(worst).cost(1, nu) == pytest.approx(max(costs), abs=1e-12)
    assert AbstentionCostSurface(best).cost(1, nu) == pytest.approx(min(costs), abs=1e-12)
    for one in (worst, best):
        assert one.are_probabilities
        assert one.scores.min() >= 0
        assert one.scores.max() <= 1


def test_a_score_of_one_is_a_probability_also_where_scores_are_rounded():
    rng = np.random.default_rng(0)
    log = pd.DataFrame({"y_true": rng.integers(2, size=400), "score": rng.random(400)})
    log.loc[0] = [0, 1.0]
    summary = summarise(log.astype({"y_true": int}), resolution=1e-3)
    rule = Rule.confidence(0.7, classes=[0, 1])
    counted = summary.counts(rule)
    low, high = summary.answer_bounds(rule)["coverage"]
    answered = counted.weight[counted.answered()].sum() / 400
    assert low - 1e-12 <= answered <= high + 1e-12
    assert sum(one.answered for one in summary.certify(max_error=0.6).certificate.tests) <= 400
    margins = summarise(
        log.astype({"y_true": int}).assign(score=2.1 * log["score"]), resolution=1e-3
    )
    assert margins.staircase().scores.max() > 2


def test_bounds_are_met_by_the_worst_and_the_best_scores():
    """Put the cases of a cell on either side of a threshold: nothing is beyond the bounds."""
    rule = Rule.window(0.3, 0.6)  # both in one cell of a half, or in two of a quarter
    truth = [0, 1, 0, 1]
    for resolution in (0.5, 0.25):
        cells = [0.25, 0.25, 0.5, 0.5] if resolution == 0.25 else [0.0, 0.0, 0.5, 0.5]
        frame = pd.DataFrame({"y_true": truth, "score": cells})
        bounds = summarise(frame, resolution=resolution).answer_bounds(rule)
        seen = {"coverage": [], "error": []}
        steps = np.linspace(0, resolution, 9)[:-1]
        for moves in itertools.product(steps, repeat=4):
            mask = rule.predict_set(np.array(cells) + moves)
            answered = ~mask.all(axis=1)
            seen["coverage"].append(answered.mean())
            seen["error"].append((answered & ~mask[range(4), truth]).mean())
        for name, values in seen.items():
            assert bounds[name] == (min(values), max(values)), name
