"""What the discrete models take as input, how they count it, and that they never crash on it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from cautious.costs import discounted
from cautious.models import (
    CautiousSearchCV,
    CredalModelAveragingClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
)
from cautious.models.discrete import MISSING, columns_of, encode, factorise
from cautious.models.naive_credal import classifier, envelope, lazy
from cautious.models.naive_credal.counts import CategoryCounts
from cautious.models.naive_credal.envelope import Weights

MODELS = [
    NaiveCredalClassifier(),
    NaiveCredalClassifier(idm="local"),
    NaiveCredalClassifier(missing="conservative"),
    CredalModelAveragingClassifier(),
    CredalModelAveragingClassifier(prior="common"),
    LazyNaiveCredalClassifier(),
]
COUNTING = MODELS[:5]
ids = [f"{type(m).__name__}-{i}" for i, m in enumerate(MODELS)]


def example(seed=0, n=60):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return np.where(rng.random((n, 4)) < 0.6, y[:, None], rng.integers(3, size=(n, 4))), y


def whole_answer(model, X):
    """Everything a model says; each part must be well formed."""
    sets, p = model.predict_set(X), model.predict_proba(X)
    lower, upper = model.predict_proba_bounds(X)
    assert sets.any(axis=1).all()
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (lower <= p + 1e-9).all()
    assert (p <= upper + 1e-9).all()
    return sets


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_the_kind_of_category_does_not_matter(model):
    X, y = example()
    sets = clone(model).fit(X, y).predict_set(X)
    names = np.array(["lo", "mid", "hi"])[X]
    frame = pd.DataFrame(names, columns=list("abcd"))
    for same in (
        X.astype(float),
        X.astype(np.int8),
        X.astype(np.uint16),
        X.astype(object),
        X * 10**9 - 5,
        X.tolist(),
        names,
        names.astype(object),
        frame,
        frame.astype("category"),
        frame.astype("string"),
        pd.DataFrame(X).astype("Int64"),
        pd.DataFrame(X).astype({0: "Int64", 1: float, 2: "category", 3: "object"}),
    ):
        if isinstance(same, pd.DataFrame):
            same.columns = [str(c) for c in same.columns]
        np.testing.assert_array_equal(clone(model).fit(same, y).predict_set(same), sets)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_set(X.astype(float)), sets)
    np.testing.assert_array_equal(clone(model).fit(X.astype(object), y).predict_set(X), sets)
    np.testing.assert_array_equal(clone(model).fit(X == 1, y).predict_set(X == 1).shape, sets.shape)


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_missing_is_missing_however_it_is_written(model):
    X, y = example()
    gaps = np.random.default_rng(1).random(X.shape) < 0.1
    sets = whole_answer(clone(model).fit(np.where(gaps, np.nan, X), y), np.where(gaps, np.nan, X))
    names = np.array(["lo", "mid", "hi"], dtype=object)[X]
    for gap in (None, np.nan, pd.NA):
        holes = np.where(gaps, gap, names)
        np.testing.assert_array_equal(clone(model).fit(holes, y).predict_set(holes), sets)
    nullable = pd.DataFrame(X, columns=list("abcd")).astype("Int64").mask(gaps)
    np.testing.assert_array_equal(clone(model).fit(nullable, y).predict_set(nullable), sets)
    categorical = pd.DataFrame(names, columns=list("abcd")).mask(gaps).astype("category")
    np.testing.assert_array_equal(clone(model).fit(categorical, y).predict_set(categorical), sets)


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_values_never_seen_make_for_more_caution(model):
    X, y = example()
    fitted = clone(model).fit(X, y)
    known = whole_answer(fitted, X[:20].astype(float))
    strange = X[:20].astype(float)
    strange[:, 1] = 99
    skipped = strange.copy()
    skipped[:, 1] = np.nan
    sets = whole_answer(fitted, strange)
    if isinstance(model, CredalModelAveragingClassifier):
        assert (sets >= fitted.predict_set(skipped)).all()
    else:
        assert sets.all()
        assert not known.all()
    words = strange.astype(object)
    words[:, 1] = "never"
    with pytest.warns(UserWarning, match="feature 1 holds text here but held numbers in training"):
        np.testing.assert_array_equal(fitted.predict_set(words), sets)


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_rows_with_nothing_observed(model):
    X, y = example()
    y = np.where(y == 2, 0, y)  # two thirds of class 0
    nothing = np.full((2, 4), np.nan)
    sets = whole_answer(clone(model).fit(X, y), nothing)
    if getattr(model, "missing", "skip") == "conservative":
        assert sets.all()
    else:  # the frequencies of the classes decide: 40 against 20 + s
        np.testing.assert_array_equal(sets, [[True, False]] * 2)


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_odd_training_data(model):
    X, y = example()
    lone = np.where(np.arange(60) == 7, 9, y)  # a class with one example
    assert whole_answer(clone(model).fit(X, lone), X).shape == (60, 4)
    constant = X.copy()
    constant[:, 2] = 5
    whole_answer(clone(model).fit(constant, y), constant)
    empty = X.astype(float)
    empty[:, 2] = np.nan  # a feature that was never observed
    whole_answer(clone(model).fit(empty, y), empty)
    seen_now = whole_answer(clone(model).fit(empty, y), X.astype(float))
    assert seen_now.shape == (60, 3)
    one_class = clone(model).fit(X, np.zeros(60))
    assert whole_answer(one_class, X).shape == (60, 1)
    single = clone(model).fit(X[:1], y[:1])
    assert single.predict_set(X).all()


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_no_features_left(model):
    nothing = pd.DataFrame(index=range(30))
    y = ["a"] * 20 + ["b"] * 9 + ["c"]
    sets = whole_answer(clone(model).fit(nothing, y), nothing)
    np.testing.assert_array_equal(sets, [[True, False, False]] * 30)
    few = clone(model).fit(nothing.head(3), ["a", "b", "b"])
    assert few.predict_set(nothing).shape == (30, 2)
    with pytest.raises(ValueError, match="0 feature"):  # scikit-learn's rule for arrays
        clone(model).fit(np.empty((30, 0)), y)


def test_declared_categories_count_even_if_unseen():
    X, y = example()
    dtype = pd.CategoricalDtype([0, 1, 2, 3])
    frame = pd.DataFrame(X, columns=list("abcd")).astype(dtype)
    model = NaiveCredalClassifier().fit(frame, y)
    assert model.counts_.n_values.tolist() == [4] * 4
    unseen = frame.head(3).copy()
    unseen["b"] = pd.Categorical([3, 3, 3], dtype=dtype)
    assert model.predict_set(unseen).all()
    # The uniform prior spreads over declared values too.
    plain = NaiveCredalClassifier().fit(frame.astype(int), y)
    assert not np.allclose(model.predict_proba(frame), plain.predict_proba(frame.astype(int)))


def test_merging_classes_known_to_one_side_only():
    X, y = example()
    a = NaiveCredalClassifier().fit(X[y < 2], y[y < 2])
    b = NaiveCredalClassifier(s=9).fit(X[y > 0], y[y > 0])
    both = a.merge(b)
    np.testing.assert_array_equal(both.classes_, [0, 1, 2])
    np.testing.assert_array_equal(both.counts_.class_counts, [20, 40, 20])
    assert both.s == 1.0
    assert a.classes_.tolist() == [0, 1]


def test_merging_what_does_not_belong_together():
    X, y = example()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = NaiveCredalClassifier().fit(frame, y)
    with pytest.raises(TypeError, match="CredalModelAveragingClassifier"):
        model.merge(CredalModelAveragingClassifier().fit(X, y))
    with pytest.raises(ValueError, match="features"):
        model.merge(NaiveCredalClassifier().fit(frame[list("badc")], y))
    with pytest.raises(ValueError, match="over 4 features to counts over 3"):
        NaiveCredalClassifier().fit(X, y).merge(NaiveCredalClassifier().fit(X[:, :3], y))
    named = NaiveCredalClassifier().fit(X, y).merge(model)
    np.testing.assert_array_equal(named.feature_names_in_, list("abcd"))


def test_partial_fit_must_know_the_classes():
    X, y = example()
    model = NaiveCredalClassifier()
    with pytest.raises(ValueError, match="classes is None"):
        model.partial_fit(X, y)
    model.partial_fit(X[:9], y[:9], classes=[0, 1, 2])
    assert model.partial_fit(X[9:], y[9:]).counts_.class_counts.tolist() == [20, 20, 20]
    with pytest.raises(ValueError, match="earlier calls named"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="y holds 7"):
        model.partial_fit(X[:1], [7])
    waiting = NaiveCredalClassifier().partial_fit(X, y, classes=[0, 1, 2, 3])
    assert whole_answer(waiting, X).shape == (60, 4)


def test_input_that_cannot_be_read():
    X, y = example()
    model = NaiveCredalClassifier()
    with pytest.raises(TypeError, match="sparse"):
        model.fit(sparse.csr_matrix(X), y)
    with pytest.raises(ValueError, match="infinity: column 'b'"):
        model.fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.inf]}), [0, 1])
    with pytest.raises(ValueError, match="Complex data"):
        model.fit(pd.DataFrame({"a": [1j, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(pd.DataFrame({"a": []}), [])
    with pytest.raises(ValueError, match="requires y"):
        model.fit(X, None)


@given(
    st.lists(
        st.one_of(st.none(), st.integers(-5, 5), st.sampled_from(["a", "b"]), st.booleans()),
        min_size=1,
        max_size=20,
    )
)
def test_codes_name_the_values(cells):
    column = np.array([*cells, None], dtype=object)[:-1]
    codes, values = factorise(column)
    for cell, code in zip(cells, codes, strict=True):
        assert (code == MISSING) == (cell is None)
        if cell is not None:
            assert values[code] == cell
    np.testing.assert_array_equal(encode(column, values), codes)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20), st.integers(-3, 3))
def test_integers_of_any_range(numbers, strange):
    column = np.array(numbers)
    codes, values = factorise(column)
    np.testing.assert_array_equal(values[codes], column)
    found = encode(np.array([strange]), values)[0]
    assert found == (list(values).index(strange) if strange in values else len(values))


def test_floats_beyond_whole_numbers():
    huge = np.array([2.0**60, 1.0, np.nan])
    codes, values = factorise(huge)
    np.testing.assert_array_equal(codes, [1, 0, MISSING])
    np.testing.assert_array_equal(encode(np.array([1.0, 2.0**60, 3.0]), values), [0, 1, 2])
    assert encode(np.array([3, 4]), np.array([], dtype=np.int64)).tolist() == [0, 0]
    wide = np.array([0, 10**9])
    np.testing.assert_array_equal(encode(np.array([10**9, 5, 0, 2 * 10**9]), wide), [1, 2, 0, 2])


def test_counts_of_values_that_have_no_order():
    first = CategoryCounts.of(
        [np.array([1, "a"], dtype=object)], np.array([0, 1]), np.array([0, 1])
    )
    second = CategoryCounts.of([np.array(["b", 1], dtype=object)], np.array([0, 0]), np.array([0]))
    both = first + second
    table = dict(zip(both.values[0].tolist(), both.tables[0].tolist(), strict=True))
    assert table == {1: [2.0, 0.0], "a": [0.0, 1.0], "b": [1.0, 0.0]}
    assert columns_of([["a", 1]])[0].dtype == object


COSTS = np.array([[0.0, 1, 9], [2, 0, 1], [1, 3, 0]])


@pytest.mark.parametrize("idm", ["global", "local"])
def test_a_cost_frame_is_read_by_its_labels(idm):
    X, codes = example(n=30)
    y = np.array(["a", "b", "c"])[codes]
    frame = pd.DataFrame(COSTS, index=list("abc"), columns=list("abc"))
    turned = frame.loc[["c", "a", "b"], ["b", "c", "a"]]
    wanted = NaiveCredalClassifier(5, idm, COSTS).fit(X, y).predict_set(X)
    unread = NaiveCredalClassifier(5, idm, turned.to_numpy()).fit(X, y).predict_set(X)
    assert not np.array_equal(wanted, unread)
    for costs in (frame, turned):
        sets = NaiveCredalClassifier(5, idm, costs).fit(X, y).predict_set(X)
        np.testing.assert_array_equal(sets, wanted)


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        (-COSTS, ValueError, r"costs\[0, 1\] is -1; costs must be finite and not negative"),
        (COSTS[:2, :2], ValueError, "costs is for 2 classes but there are 3"),
        (COSTS[:2], ValueError, r"costs has shape \(2, 3\)"),
        (pd.DataFrame(COSTS, list("abx"), list("abx")), ValueError, "costs.index has no class 'c'"),
        (discounted(COSTS), TypeError, "costs is a PowerMeanCosts, which prices sets"),
    ],
)
def test_wrong_costs_are_refused_in_fit(costs, error, message):
    X, codes = example()
    with pytest.raises(error, match=message):
        NaiveCredalClassifier(costs=costs).fit(X, np.array(["a", "b", "c"])[codes])


def test_wrong_costs_are_refused_in_partial_fit_too():
    X, y = example()
    with pytest.raises(ValueError, match="costs is for 2 classes"):
        NaiveCredalClassifier(costs=COSTS[:2, :2]).partial_fit(X[:5], y[:5], classes=[0, 1, 2])


def test_a_fold_that_lacks_a_class_still_finds_its_costs():
    X, y = example()
    cv = [(np.flatnonzero(y != 2), np.arange(60)), (np.arange(60), np.arange(60))]
    model = NaiveCredalClassifier(costs=pd.DataFrame(COSTS, [0, 1, 2], [0, 1, 2]))
    search = CautiousSearchCV(model, {"s": [1.0]}, cv=cv, error_score="raise").fit(X, y)
    assert np.isfinite(search.best_score_)


def test_pairs_of_classes_are_compared_in_blocks(monkeypatch):
    """However many classes there are, no more than so many pairs are held at once."""
    X, y = example()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    fitted = NaiveCredalClassifier(missing="conservative").fit(X, y)
    monkeypatch.setattr(classifier, "_MOST_WAYS", 1)
    expected = (fitted.predict_set(X), *fitted.predict_proba_bounds(X))
    blocks, compare = [], classifier.pairwise_infima

    def watched(possible, infimum):
        blocks.append(possible.size * possible.shape[1])
        return compare(possible, infimum)

    monkeypatch.setattr(classifier, "pairwise_infima", watched)
    monkeypatch.setattr(classifier, "_PAIRS_AT_ONCE", 40)
    monkeypatch.setattr(classifier, "_CELLS_AT_ONCE", 50)
    for whole, blockwise in zip(
        expected, (fitted.predict_set(X), *fitted.predict_proba_bounds(X)), strict=True
    ):
        np.testing.assert_allclose(blockwise, whole, rtol=0, atol=1e-12)
    assert len(blocks) > 1
    assert max(blocks) <= 50


@pytest.mark.parametrize("model", [NaiveCredalClassifier(), LazyNaiveCredalClassifier()])
def test_weights_of_classes_are_laid_out_in_blocks(model, monkeypatch):
    X, y = example()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    fitted = clone(model).fit(X, y)
    expected = fitted.predict_proba_bounds(X)
    weighed, shared, lay_out, solve = [], [], Weights.of, envelope._Problems.solve

    def watched(class_counts, totals, *args):
        weighed.append(totals.size)
        return lay_out(class_counts, totals, *args)

    def watched_solving(problems, best):
        if problems.rivals.shape[1] > 1:
            shared.append(problems.rivals.size)
        return solve(problems, best)

    monkeypatch.setattr(Weights, "of", watched)
    monkeypatch.setattr(envelope._Problems, "solve", watched_solving)
    for module in (classifier, envelope):
        monkeypatch.setattr(module, "_CELLS_AT_ONCE", 50)
    monkeypatch.setattr(envelope, "_SHARED_CELLS", 50)
    monkeypatch.setattr(lazy, "_ROWS_AT_ONCE", 1)
    for whole, blockwise in zip(expected, fitted.predict_proba_bounds(X), strict=True):
        np.testing.assert_allclose(blockwise, whole, rtol=0, atol=1e-12)
    assert max(weighed) <= 50
    assert len(shared) > 1
    assert max(shared) <= 8
