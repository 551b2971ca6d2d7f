"""The credal tree against a plain recursion, gains worked by hand, and odd input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from cautious.costs import ordinal
from cautious.credal import imprecise_dirichlet
from cautious.decision import maximality
from cautious.models import CredalTreeClassifier
from cautious.models.credal_tree import CodedExamples, imprecise_gains

# Growth


def gain_of(codes, y, s, n_classes=2):
    codes, y = np.asarray(codes), np.asarray(y)
    examples = CodedExamples(codes[None], y, None, np.array([codes.max() + 1]), n_classes)
    rows = np.arange(len(y))
    counts = examples.counts(rows, 0 * rows, 1)
    return imprecise_gains(examples, 0, rows, 0 * rows, counts, s)[0]


def test_gains_worked_by_hand():
    y = [0] * 4 + [1] * 4
    # S*(4, 4) = 1 bit; each pure branch of 4 has the flattest distribution (4/5, 1/5).
    pure = -(0.8 * np.log2(0.8) + 0.2 * np.log2(0.2))
    assert gain_of([0] * 4 + [1] * 4, y, s=1) == pytest.approx(1 - pure)
    # A feature that says nothing: both branches are (2, 2), as uncertain as can be.
    assert gain_of([0, 1] * 4, y, s=1) == pytest.approx(0)
    # One branch an example: each has the flattest distribution (1/2, 1/2), nothing is gained.
    assert gain_of(range(8), y, s=1) == pytest.approx(0)
    # With a precise model the same split looks perfect.
    assert gain_of(range(8), y, s=0) == pytest.approx(1)
    # A quarter of the values missing: what is gained on the others counts for three quarters.
    code = [0, 0, 0, -1, 1, 1, 1, -1]
    branch = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))
    assert gain_of(code, y, s=1) == pytest.approx(0.75 * (1 - branch))


def test_imprecise_gain_can_be_negative():
    assert gain_of([0, 0, 0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 1, 0, 0], s=1) < 0


def test_gains_in_many_nodes_are_those_in_each():
    # So many nodes and values that most pairs of them do not occur.
    rng = np.random.default_rng(0)
    codes, at, y = rng.integers(-1, 100, 200), np.arange(200) % 40, rng.integers(3, size=200)
    examples = CodedExamples(codes[None], y, None, np.array([100]), 3)
    rows = np.arange(200)
    together = imprecise_gains(examples, 0, rows, at, examples.counts(rows, at, 40), 1.0)
    for node in range(40):
        own = rows[at == node]
        counts = examples.counts(own, 0 * own, 1)
        alone = imprecise_gains(examples, 0, own, 0 * own, counts, 1.0)
        assert together[node] == pytest.approx(alone[0])


def grown_by_hand(X, y, weight, s, K, rows=None, depth=99):
    """Grow by the definition, one node and one value at a time."""
    rows = np.arange(len(y)) if rows is None else rows

    def counts(some):
        return np.bincount(y[some], weight[some], minlength=K)

    def entropy(some):
        return imprecise_dirichlet(counts(some), s).upper_entropy()[0]

    own = counts(rows)
    best, split = 1e-12, None
    for i in range(X.shape[1]):
        there = rows[~np.isnan(X[rows, i])]
        if not len(there) or depth == 0:
            continue
        gain = entropy(there)
        for v in np.unique(X[there, i]):
            part = there[X[there, i] == v]
            gain -= weight[part].sum() / weight[there].sum() * entropy(part)
        gain *= weight[there].sum() / own.sum()
        if gain > best + 1e-12:
            best, split = gain, i
    if split is None:
        return own, None, {}
    values = np.unique(X[rows, split][~np.isnan(X[rows, split])])
    parts = {v: rows[X[rows, split] == v] for v in values}
    below = {v: grown_by_hand(X, y, weight, s, K, part, depth - 1) for v, part in parts.items()}
    return own, split, below


def leaves_by_hand(node, row, levels, explore, vacuous):
    counts, split, below = node
    if split is None:
        return [counts]

    def followed(v):
        return leaves_by_hand(below[v], row, levels, explore, vacuous)

    empty = 0 * counts if vacuous else counts
    if np.isnan(row[split]):
        ends = [leaf for v in below for leaf in followed(v)]
        return ends + [empty] * (len(below) < len(levels[split])) if explore else [counts]
    return followed(row[split]) if row[split] in below else [empty]


def undominated(counts, s):
    """Classes that no other class is ahead of by s or more; equals stay."""
    return [not any(n >= own + s and n > own for n in counts) for own in counts]


@given(
    seed=st.integers(0, 2**31),
    s=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    missing=st.sampled_from(["skip", "conservative"]),
    depth=st.sampled_from([None, 1, 3]),
    empty_branch=st.sampled_from(["parent", "vacuous"]),
)
def test_is_the_plain_recursion(seed, s, missing, depth, empty_branch):
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(3, 60)), int(rng.integers(2, 4))
    y = np.append(np.arange(K), rng.integers(K, size=n))
    signal = rng.random((n + K, 4)) < [0.8, 0.4, 0.4, 0.0]
    X = np.where(signal, y[:, None], rng.integers(4, size=(n + K, 4))).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.integers(1, 4, size=n + K).astype(float)
    model = CredalTreeClassifier(s=s, missing=missing, max_depth=depth, empty_branch=empty_branch)
    model.fit(X, y, sample_weight=weight)
    tree = grown_by_hand(X, y, weight, s, K, depth=99 if depth is None else depth)
    levels = [np.unique(column[~np.isnan(column)]) for column in X.T]
    test = rng.integers(6, size=(20, 4)).astype(float)
    test[rng.random(test.shape) < 0.2] = np.nan
    lower, upper = model.predict_proba_bounds(test)
    sets, p = model.predict_set(test), model.predict_proba(test)
    for i, row in enumerate(test):
        how = missing == "conservative", empty_branch == "vacuous"
        leaves = np.array(leaves_by_hand(tree, row, levels, *how))
        # Nothing is known of a leaf without examples, with s = 0 too.
        model_of_leaves = imprecise_dirichlet(leaves, np.where(leaves.any(axis=1), s, s or 1.0))
        np.testing.assert_allclose(lower[i], model_of_leaves.lower.min(axis=0))
        np.testing.assert_allclose(upper[i], model_of_leaves.upper.max(axis=0))
        assert (sets[i] == np.any([undominated(leaf, s) for leaf in leaves], axis=0)).all()
        assert (p[i] >= lower[i] - 1e-12).all()
        assert (p[i] <= upper[i] + 1e-12).all()


def test_without_imprecision_it_classifies_as_a_classical_tree():
    # Binary features, so that scikit-learn's binary splits are multiway splits.
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(400, 5))
    y = (X[:, 0] & X[:, 3]) ^ (rng.random(400) < 0.1)
    classical = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    ours = CredalTreeClassifier(s=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), classical.predict_proba(X), atol=1e-12)


# Leaves


@pytest.mark.parametrize(
    ("counts", "s", "kept"),
    [
        ([6, 4], 1, [True, False]),  # 6 > 4 + 1
        ([5, 4], 1, [True, False]),  # 5 = 4 + 1: a tie dominates
        ([5, 5], 1, [True, True]),
        ([6, 4], 2, [True, False]),
        ([6, 4], 2.5, [True, True]),
        ([6, 4], 0, [True, False]),
        ([5, 5], 0, [True, True]),  # without imprecision equals stay
        ([6, 4, 0], 3, [True, True, False]),
    ],
)
def test_a_leaf_drops_interval_dominated_classes(counts, s, kept):
    y = np.repeat(np.arange(len(counts)), counts)
    # A class without examples is known only because it occurs elsewhere.
    X = np.append(np.zeros(len(y)), np.ones(30))[:, None]
    y = np.append(y, np.full(30, len(counts) - 1))
    model = CredalTreeClassifier(s=s).fit(X, y)
    assert model.predict_set([[0]])[0].tolist() == kept


def test_a_tie_of_rounded_weights_dominates():
    # Three times .1 is more than .3, ten times .1 less than 1: rounding must not decide.
    y = ["p"] * 13 + ["q"] * 3
    model = CredalTreeClassifier().fit([["x"]] * 16, y, sample_weight=np.full(16, 0.1))
    assert model.predict_set([["x"]]).tolist() == [[True, False]]


def test_an_empty_branch_may_be_vacuous():
    value = pd.Categorical(["a"] * 20 + ["b"] * 10, ["a", "b", "c"])
    frame, y = pd.DataFrame({"v": value}), [0] * 20 + [1] * 10
    test = pd.DataFrame({"v": pd.Categorical(["a", "c", None], ["a", "b", "c"])})
    kept = CredalTreeClassifier().fit(frame, y)
    assert kept.predict_set(test).tolist() == [[True, False]] * 3
    for missing, last in (("skip", [True, False]), ("conservative", [True, True])):
        model = CredalTreeClassifier(empty_branch="vacuous", missing=missing).fit(frame, y)
        assert model.predict_set(test).tolist() == [[True, False], [True, True], last]
        lower, upper = model.predict_proba_bounds(test)
        assert (lower[1].tolist(), upper[1].tolist()) == ([0, 0], [1, 1])
        assert model.predict_proba(test)[1].tolist() == [0.5, 0.5]
        assert model.export_text().splitlines()[-1] == "v otherwise: {0, 1} (0, 0)"


def test_costs_make_leaves_maximal():
    rng = np.random.default_rng(3)
    y = rng.integers(4, size=200)
    X = np.where(rng.random((200, 3)) < 0.4, y[:, None], rng.integers(4, size=(200, 3)))
    model = CredalTreeClassifier(s=3, costs=ordinal(4)).fit(X, y)
    expected = maximality(model.predict_proba_bounds(X), ordinal(4))
    assert (model.predict_set(X) == expected).all()
    plain = CredalTreeClassifier(s=3).fit(X, y)
    assert (plain.predict_set(X) != expected).any()
    named = pd.DataFrame(ordinal(4), index=range(4), columns=range(4)).loc[[2, 0, 3, 1]]
    model = CredalTreeClassifier(s=3, costs=named).fit(X, y)
    assert (model.predict_set(X) == expected).all()


# Printing


def test_prints_like_a_tree():
    frame = pd.DataFrame(
        {
            "sky": ["sun"] * 10 + ["rain"] * 20 + ["snow"] * 6,
            "wind": ["calm"] * 10 + ["calm"] * 10 + ["storm"] * 10 + ["calm"] * 6,
        }
    )
    y = ["out"] * 10 + ["out"] * 10 + ["in"] * 10 + ["in"] * 6
    text = CredalTreeClassifier().fit(frame, y).export_text()
    assert text.splitlines() == [
        "wind = calm",
        "|   sky = rain: {out} (0, 10)",
        "|   sky = snow: {in} (6, 0)",
        "|   sky = sun: {out} (0, 10)",
        "wind = storm: {in} (10, 0)",
    ]
    frame["wind"] = pd.Categorical(frame["wind"], ["calm", "breeze", "storm"])
    model = CredalTreeClassifier().fit(frame, y)
    assert model.export_text().splitlines()[-1] == "wind otherwise: {out} (16, 20)"
    breeze = model.predict_set(pd.DataFrame({"sky": ["sun"], "wind": ["breeze"]}))
    assert breeze.tolist() == [[False, True]]


def test_prints_a_lone_leaf():
    model = CredalTreeClassifier().fit([[0], [0], [0], [0]], ["a", "a", "b", "b"])
    assert model.export_text() == "{a, b} (2, 2)"


def test_names_must_fit():
    model = CredalTreeClassifier().fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(ValueError, match="1 names for 2 features"):
        model.export_text(["only"])


# Odd input


def test_a_missing_value_may_hide_one_without_examples():
    # Class 2 is dominated on either branch, but not in the node that an empty branch falls back on.
    value = pd.Categorical(["a"] * 15 + ["b"] * 15, ["a", "b", "c"])
    y = np.repeat([0, 2, 1, 2], [10, 5, 10, 5])
    model = CredalTreeClassifier(missing="conservative").fit(pd.DataFrame({"v": value}), y)
    test = pd.DataFrame({"v": pd.Categorical(["a", "b", "c", None], ["a", "b", "c"])})
    assert model.predict_set(test).tolist() == [
        [True, False, False],
        [False, True, False],
        [True, True, True],
        [True, True, True],
    ]


def test_no_features_leave_the_class_counts():
    frame = pd.DataFrame(index=range(6))
    model = CredalTreeClassifier().fit(frame, [0, 0, 0, 0, 1, 1])
    assert model.predict_set(frame).tolist() == [[True, False]] * 6
