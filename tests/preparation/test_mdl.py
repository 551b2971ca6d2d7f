from __future__ import annotations

from math import inf, log2, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cautious.preparation.discretizer import mdl_cut_points


def cuts_of(values, classes, **options):
    return mdl_cut_points(
        np.asarray(values, dtype=float), np.asarray(classes, dtype=np.intp), **options
    ).tolist()


# --- an oracle: the definition, word for word, trying every gap ----------------------------------


def entropy(classes):
    n = len(classes)
    return -sum(classes.count(c) / n * log2(classes.count(c) / n) for c in sorted(set(classes)))


def by_definition(values, classes, encoding):
    rows = sorted(zip(values, classes, strict=True))
    n = len(rows)
    gaps = [g for g in range(1, n) if rows[g - 1][0] < rows[g][0]]
    labels = [c for _, c in rows]
    if len(set(labels)) < 2 or not gaps:
        return []

    def after(g):
        return (g * entropy(labels[:g]) + (n - g) * entropy(labels[g:])) / n

    least = min(map(after, gaps))
    cut = next(g for g in gaps if after(g) <= least + 1e-10)
    left, right = labels[:cut], labels[cut:]
    k, k1, k2 = (len(set(part)) for part in (labels, left, right))
    delta = log2(3**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    position = log2(n - 1 if encoding == "examples" else len(gaps))
    if not entropy(labels) - least > (position + delta) / n:
        return []
    middle = (rows[cut - 1][0] + rows[cut][0]) / 2
    parts = ([v for v, _ in part] for part in (rows[:cut], rows[cut:]))
    below, above = parts
    return [*by_definition(below, left, encoding), middle, *by_definition(above, right, encoding)]


@given(
    data=st.data(),
    n=st.integers(1, 60),
    n_classes=st.integers(1, 5),
    n_values=st.sampled_from([3, 10, 1000]),
    encoding=st.sampled_from(["examples", "values"]),
)
def test_agrees_with_the_definition(data, n, n_classes, n_values, encoding):
    values = data.draw(arrays(np.float64, n, elements=st.integers(0, n_values).map(float)))
    blocks = data.draw(st.integers(1, 8))
    # Classes that follow the values in runs, with some noise: cuts at several depths.
    noise = data.draw(arrays(np.intp, n, elements=st.integers(0, 9)))
    classes = (values * blocks / (n_values + 1)).astype(np.intp) % n_classes
    classes = np.where(noise == 0, (classes + 1) % n_classes, classes)
    expected = by_definition(values.tolist(), classes.tolist(), encoding)
    assert cuts_of(values, classes, encoding=encoding) == pytest.approx(expected)


# --- worked by hand ------------------------------------------------------------------------------


def test_three_runs_give_two_cuts_and_the_order_of_rows_is_no_matter():
    values = np.arange(30.0)
    classes = np.repeat([0, 1, 2], 10)
    assert cuts_of(values, classes) == [9.5, 19.5]
    shuffled = np.random.default_rng(0).permutation(30)
    assert cuts_of(values[shuffled], classes[shuffled]) == [9.5, 19.5]
    assert cuts_of(-values, classes) == [-19.5, -9.5]


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([], []),
        ([1.0], [0]),
        ([1.0, 1.0, 1.0], [0, 1, 2]),
        ([1.0, 2.0, 3.0], [1, 1, 1]),
        ([1.0, 2.0, 3.0], [4, 4, 4]),
    ],
)
def test_nothing_to_cut(values, classes):
    assert cuts_of(values, classes) == []


def test_neighbouring_floats_are_kept_apart():
    first = nextafter(1.0, inf)
    # Halfway rounds down in the one case, up in the other.
    for low, high in [(1.0, first), (first, nextafter(first, inf))]:
        (cut,) = cuts_of([low] * 5 + [high] * 5, [0] * 5 + [1] * 5)
        assert low <= cut < high


def test_huge_values_do_not_overflow():
    assert cuts_of([1e308] * 5 + [1.5e308] * 5, [0] * 5 + [1] * 5) == [1.25e308]
    assert cuts_of([-1.5e308] * 5 + [1.5e308] * 5, [0] * 5 + [1] * 5) == [0.0]


def test_a_thousand_classes_do_not_overflow():
    """3^1400 is beyond a float; a cut between two halves of 700 classes each pays all the same."""
    classes = np.repeat(np.arange(1400), 3)
    values = np.repeat([0.0, 1.0], 2100)
    assert cuts_of(values, classes) == [0.5]
