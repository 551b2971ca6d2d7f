"""Compiled or not, the loops over rows count the same."""

import numpy as np
import pytest

from cautious.logs import loops, summarise


@pytest.fixture(params=["plain", "compiled"])
def way(request, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
    worth = 0 if request.param == "compiled" else 1 << 62
    monkeypatch.setattr(loops, "_ROWS_WORTH_COMPILING", worth)
    return request.param


def brute_table(scores, codes, n_kinds, scale, low, span):
    table = np.zeros((span, n_kinds), dtype=int)
    for score, code in zip(scores.tolist(), codes.tolist(), strict=True):
        table[int(np.floor(score * scale) - low), code] += 1
    return table


@pytest.mark.parametrize(
    "kind", [np.uint8, pytest.param(np.int16, marks=pytest.mark.slow), np.intp]
)
@pytest.mark.parametrize("low", [-3.0, 0.0])
def test_cells_of_a_grid(way, kind, low):
    rng = np.random.default_rng(0)
    scores = (low + 8 * rng.random(70_000)) / 4
    codes = rng.integers(0, 3, len(scores)).astype(kind)
    found = loops.count_on_grid(scores, codes, 3, 4.0, low, 8, decimal=False)
    np.testing.assert_array_equal(found, brute_table(scores, codes, 3, 4.0, low, 8))


def test_decimals_and_what_is_none(way):
    scores = np.array([0.1, 0.3, -0.2, 0.3])
    codes = np.array([0, 1, 0, 1], dtype=np.uint8)
    scores.flags.writeable = False  # as Arrow gives them
    found = loops.count_on_grid(scores, codes, 2, 10.0, -2.0, 6, decimal=True)
    assert found[[0, 3, 5]].tolist() == [[1, 0], [1, 0], [0, 2]]
    assert found.sum() == 4
    scores = np.append(scores, np.nextafter(0.3, 1))
    codes = np.append(codes, codes[:1])
    assert loops.count_on_grid(scores, codes, 2, 10.0, -2.0, 6, decimal=True) is None


@pytest.mark.parametrize("n_classes", [2, 10, 300])
def test_answers(way, n_classes):
    rng = np.random.default_rng(n_classes)
    p = rng.dirichlet(np.ones(n_classes), 5000).round(3)
    p[:, -1] += 1 - p.sum(axis=1)
    p = p[(p >= 0).all(axis=1)]
    answer, confidence = loops.most_probable(np.asfortranarray(p))
    np.testing.assert_array_equal(answer, p.argmax(axis=1))
    np.testing.assert_array_equal(confidence, p.max(axis=1))
    assert answer.dtype == np.intp


def test_rows_of_nan_have_no_confidence(way):
    p = np.full((40_000, 2), 0.5)
    p[39_000] = np.nan
    answer, confidence = loops.most_probable(np.asfortranarray(p))
    assert answer[39_000] == 0
    assert np.flatnonzero(np.isnan(confidence)).tolist() == [39_000]


def test_marks(way):
    rng = np.random.default_rng(4)
    scores, kinds = rng.normal(size=500).round(2), rng.integers(0, 3, 500).astype(np.int8)
    taken = np.zeros(1 << 12, dtype=np.uint8)
    loops.mark(scores, kinds, 12, taken)
    expected = {
        ((int(score.view(np.uint64)) + int(kind)) * 0x9E3779B97F4A7C15) % 2**64 >> 52
        for score, kind in zip(scores, kinds, strict=True)
    }
    assert set(np.flatnonzero(taken).tolist()) == expected


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("several", [True, False])
def test_codes(way, known, several):
    rng = np.random.default_rng(1)
    which, truth, part = rng.integers(0, 3, (3, 1000))
    forced = which == truth if known else None
    found = loops.count_codes(81, which, truth, 3, forced, part * 3 if several else None)
    expected = np.zeros(81, dtype=int)
    for w, t, s in zip(which, truth, part, strict=True):
        expected[((s * several * 3 + w) * 3 + t) * 3 + (1 + (w == t) if known else 0)] += 1
    np.testing.assert_array_equal(found, expected)


def test_whole_logs_are_the_same_to_the_last_bit(make_binary_log, make_class_log, monkeypatch):
    pytest.importorskip("numba")
    logs = [
        (make_binary_log(5000), {}),
        (make_binary_log(5000), {"memory_budget": 32 * 2048}),
        (make_class_log(3000), {"rules": "u65"}),
    ]
    found = []
    for worth in (0, 1 << 62):
        monkeypatch.setattr(loops, "_ROWS_WORTH_COMPILING", worth)
        found.append([summarise(log, **wishes).to_bytes() for log, wishes in logs])
    assert found[0] == found[1]
