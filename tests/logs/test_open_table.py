"""Batches that go into an open table are counted as those that do not, to the last bit."""

import time
from threading import get_ident

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.errors import InputError
from cautious.logs import Plan, parts, summarise, summarise_batch
from cautious.logs.engines import threads
from cautious.logs.engines.open_rows import OpenList, OpenTable
from cautious.logs.engines.plain_rows import suits
from cautious.logs.tallies import loops

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch):
    monkeypatch.setattr(loops, "_ROWS_WORTH_COMPILING", 0)


def watched(monkeypatch, kind):
    """How often batches were added to lists or tables, and how often they could not be."""
    told = {True: 0, False: 0}
    add = kind.add

    def noted(self, batch):
        told[done := add(self, batch)] += 1
        return done

    monkeypatch.setattr(kind, "add", noted)
    return told


@pytest.fixture
def counted(monkeypatch):
    return watched(monkeypatch, OpenTable)


@pytest.fixture
def listed(monkeypatch):
    return watched(monkeypatch, OpenList)


def batches(frame, size=200):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return [table.slice(start, size) for start in range(0, len(frame), size)]


def plainly(frame, **wishes):
    """The sum of what the kernel makes of every batch."""
    parts = batches(frame)
    plan = Plan.of(parts[0].schema, **wishes)
    return sum(summarise_batch(part, plan) for part in parts).settled()


def same(frame, n_threads=1, **wishes):
    found = summarise(iter(batches(frame)), n_threads=n_threads, **wishes)
    return found.to_bytes() == plainly(frame, **wishes).to_bytes()


def scores(n=5000, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n) if decimals is None else rng.normal(size=n).round(decimals)
    return pd.DataFrame({"y_true": (rng.random(n) < 0.4).astype(np.int8), "score": score})


def classes(n=5000, k=4, decimals=None, names=None):
    rng = np.random.default_rng(k)
    p = rng.dirichlet(np.ones(k), n)
    if decimals is not None:
        p = p.round(decimals)
        p[:, 0] = (1 - p[:, 1:].sum(axis=1)).round(decimals)
        p = p[p[:, 0] >= 0]
    names = list(range(k)) if names is None else names
    frame = pd.DataFrame(p, columns=[f"p_{name}" for name in names])
    return frame.assign(y_true=rng.choice(np.array(names), len(p)))


FEW = {"memory_budget": 32 * 1024}


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("wishes", [{}, FEW, {"resolution": 2**-6}])
@pytest.mark.parametrize("decimals", [None, 2])
def test_scores(wishes, decimals, n_threads, counted):
    assert same(scores(decimals=decimals), n_threads, **wishes)
    # Scores that are all different, and few enough, have no grid.
    if n_threads == 1:
        assert (counted[True] > 4) == bool(wishes or decimals)


@pytest.mark.parametrize(
    "labels",
    [[False, True], ["no", "yes"], [-1, 1], [5, 6], [0.0, 1.0]],
)
@pytest.mark.parametrize("dtype", [pytest.param(np.float32, marks=pytest.mark.slow), np.float64])
def test_labels_of_all_kinds(labels, dtype, counted):
    frame = scores()
    frame["y_true"] = np.asarray(labels)[frame["y_true"]]
    frame["score"] = frame["score"].astype(dtype)
    assert same(frame, pos_label=np.asarray(labels)[1].item(), **FEW)
    assert counted[True] > 4


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_whole_numbers_of_all_widths(kind, counted):
    frame = scores()
    frame["y_true"] = frame["y_true"].astype(kind)
    assert same(frame, **FEW)
    assert counted[True] > 4


@pytest.mark.parametrize("pos_label", [0, 2, None])
def test_several_labels_against_one(pos_label, counted):
    frame = scores()
    frame["y_true"] = np.random.default_rng(1).integers(0, 3 if pos_label is not None else 2, 5000)
    assert same(frame, pos_label=pos_label, **FEW)
    assert counted[True] > 4


@pytest.mark.parametrize("wishes", [{}, FEW])
@pytest.mark.parametrize("decimals", [None, 2])
@pytest.mark.parametrize("k", [3, 12])
def test_probabilities(k, decimals, wishes, counted):
    assert same(classes(k=k, decimals=decimals), **wishes)
    if wishes and decimals is None:
        assert counted[True] > 4


def test_names_of_classes(counted):
    assert same(classes(names=["ash", "elm", "oak", "yew"]), **FEW)
    assert counted[True] > 4


@pytest.mark.slow
def test_many_classes(counted):
    assert same(classes(k=260, n=6000), memory_budget=32 << 14, resolution=0.25)
    assert counted[True] > 2


@pytest.mark.parametrize("at", [200, 399, 1000, 2999])
@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e300, 1e9, -0.0])
def test_an_odd_score_among_plain_ones(odd, at):
    frame = scores()
    frame.loc[at, "score"] = odd
    wishes = {"missing": "abstain"} if np.isnan(odd) else {}
    assert same(frame, **wishes, **FEW)


def test_a_label_that_comes_late(counted):
    frame = classes()
    frame["y_true"] = np.minimum(frame["y_true"], np.arange(len(frame)) // 1200)
    assert same(frame, **FEW)
    assert counted[False] == 0, "the columns name the classes"
    assert counted[True] > 4
    frame = scores()
    frame["y_true"] *= np.arange(len(frame)) >= 3000
    assert same(frame, **FEW)


def test_decimals_until_there_are_none(counted):
    frame = scores(decimals=1)
    frame.loc[2100:, "score"] += np.pi
    assert same(frame)
    assert counted[True] > 4


def test_what_is_wrong_is_said_as_ever():
    frame = classes()
    frame.loc[2500, "p_1"] = 7.0
    with pytest.raises(InputError, match=r"row 2500.*p_1|p_1.*row 2500"):
        summarise(iter(batches(frame)), n_threads=1, **FEW)
    frame = scores()
    frame.loc[2500, "y_true"] = 9
    with pytest.raises(InputError, match="9"):
        summarise(iter(batches(frame)), n_threads=2, classes=[0, 1], **FEW)


def test_an_error_in_the_first_rows_ends_all_threads():
    frame = scores()
    frame.loc[0, "score"] = np.nan
    with pytest.raises(InputError, match="row 0"):
        summarise(iter(batches(frame)), n_threads=4)


@pytest.mark.parametrize(
    "wishes",
    [{"weight": "w"}, {"groups": "g"}, {"model": "m"}, {"rules": 0.5}, {"sets": "s"}],
)
def test_plans_that_are_not_plain(wishes):
    frame = classes(k=3).assign(w=1.5, g="a", m="b", s="0")
    schema = batches(frame)[0].schema
    plain = {"weight": False, "groups": False, "model": False}
    assert suits(Plan.of(schema, **plain))
    assert not suits(Plan.of(schema, **plain | wishes))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.floats(-4, 4) | st.sampled_from([0.5, 0.25, -0.0])),
        min_size=1,
        max_size=60,
    ),
    st.integers(1, 7),
)
def test_any_scores(rows, size):
    truth, score = zip(*rows, strict=True)
    frame = pd.DataFrame({"y_true": truth, "score": score})
    wishes = {"classes": [0, 1], "resolution": 0.125}
    found = summarise(iter(batches(frame, size)), n_threads=2, **wishes)
    assert found.to_bytes() == plainly(frame, **wishes).to_bytes()


def test_after_too_many_that_are_not_plain_none_is_tried(counted, listed):
    frame = scores()
    frame.loc[::200, "score"] = np.nan
    assert same(frame, missing="abstain", **FEW)
    assert counted == {True: 0, False: 0}
    assert listed == {True: 0, False: threads._PATIENCE}


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("make", [scores, classes])
def test_a_list_that_has_no_more_room(make, n_threads, listed, monkeypatch):
    monkeypatch.setattr(threads, "_LEAST_ROOM", 1)
    frame = make()
    assert same(frame, n_threads, memory_budget=32 * 20_000)
    few = [c for c in frame if c != "y_true"]
    frame[few] = (
        np.float64(1) / 3 if make is scores else frame[few].iloc[np.arange(5000) % 40].values
    )
    assert same(frame, n_threads, memory_budget=32 * 1200)
    assert listed[True] > 40


def test_helpers_count_what_few_read(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "_LEAST_READERS", 1)
    monkeypatch.setattr(threads, "_COLUMNS_OPEN", 1)
    monkeypatch.setattr(threads, "_CELLS_READ", 1 << 10)
    monkeypatch.setattr(parts, "_FEW_ROWS", 1)
    readers, counters = set(), set()
    count, read = threads.RunningTotal.count, parts.ParquetPart.batches

    def counting(self, *args):
        counters.add(get_ident())
        time.sleep(0.001)
        count(self, *args)

    def reading(self, *args):
        readers.add(get_ident())
        return read(self, *args)

    monkeypatch.setattr(threads.RunningTotal, "count", counting)
    monkeypatch.setattr(parts.ParquetPart, "batches", reading)
    frame = classes()
    frame.to_parquet(tmp_path / "log.parquet", row_group_size=1500)
    found = summarise(tmp_path / "log.parquet", n_threads=4, **FEW)
    assert found.to_bytes() == plainly(frame, **FEW).to_bytes()
    assert len(readers) == 1 < len(counters)
    frame.loc[4900, "p_1"] = 7.0
    frame.to_parquet(tmp_path / "log.parquet", row_group_size=1500)
    with pytest.raises(InputError, match=r"row 4900.*p_1|p_1.*row 4900"):
        summarise(tmp_path / "log.parquet", n_threads=4, **FEW)
