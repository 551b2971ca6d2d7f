import os
import signal
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cautious.logs import _source as source
from cautious.logs import engines, summarise
from cautious.logs.plan import Plan

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = [
    # Dask's own, on the way down: sockets and loops that the garbage collector finds before it.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def start_cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ports in use and the like are no concern of ours
        return distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            host="127.0.0.1",
            memory_limit=0,
        )


@pytest.fixture(scope="module")
def cluster():
    with start_cluster() as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(source, "_PART_ROWS", 500)


def write(frame, folder, n=3):
    for at, rows in enumerate(np.array_split(np.arange(len(frame)), n)):
        table = pa.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        pq.write_table(table, folder / f"part-{at}.parquet", row_group_size=500)
    return folder


def test_scores_bit_for_bit(client, make_binary_log, tmp_path, small_parts):
    folder = write(make_binary_log(20_000), tmp_path)
    for wishes in ({}, {"memory_budget": 32 * 2048}, {"resolution": 0.01}):
        local = summarise(folder, **wishes)
        found = summarise(folder, engine="dask", **wishes)
        assert found == local
        assert found.exact == local.exact == (not wishes)
        np.testing.assert_array_equal(found.staircase().frame(), local.staircase().frame())


def test_folders_are_columns_on_workers_too(client, make_binary_log, tmp_path, small_parts):
    for month in ("2026-01", "2026-02"):
        (tmp_path / f"month={month}").mkdir()
        write(make_binary_log(2000), tmp_path / f"month={month}")
    local = summarise(tmp_path, groups="month")
    assert summarise(tmp_path, groups="month", engine=client) == local
    assert local.groups == ["2026-01", "2026-02"]


def test_classes_weights_and_groups_bit_for_bit(client, make_class_log, tmp_path, small_parts):
    folder = write(make_class_log(5000), tmp_path)
    local = summarise(folder, rules="u65")
    assert summarise(folder, rules="u65", engine=client) == local


def test_addresses_frames_and_iterators(client, make_binary_log):
    frame = make_binary_log(3000)
    local = summarise(frame)
    told = []
    address = client.scheduler.address
    found = summarise(frame, engine=address, progress=lambda *rows: told.append(rows))
    assert found == local
    assert told[-1] == (3000, 3000)
    batches = pa.Table.from_pandas(frame, preserve_index=False).to_batches(30)
    assert summarise(iter(batches), engine="dask") == local


def test_an_address_is_enough(cluster, make_binary_log):
    """No client is open anywhere; one is opened for the work and closed after it."""
    frame = make_binary_log(3000)
    expected = summarise(frame)
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()
    address = cluster.scheduler_address
    assert summarise(frame, engine=address) == expected
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(summarise, frame, engine=address) for _ in range(2)]
        assert [future.result() for future in both] == [expected, expected]
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()
    for _ in range(100):
        others = set(cluster.scheduler.clients) - {"fire-and-forget"}
        if not others:
            break
        time.sleep(0.05)
    assert not others


def test_an_address_leaves_the_client_in_use_alone(client, cluster, make_binary_log):
    summarise(make_binary_log(100), engine=cluster.scheduler_address)
    assert distributed.default_client() is client


def test_errors_come_back_with_the_file(client, make_binary_log, tmp_path, small_parts):
    folder = write(make_binary_log(5000), tmp_path)
    path = folder / "part-1.parquet"
    table = pq.read_table(path)
    score = table["score"].to_numpy().copy()
    score[1200] = np.nan
    table = pa.table({"y_true": table["y_true"], "score": score})
    pq.write_table(table, path, row_group_size=500)
    with pytest.raises(ValueError, match=r"part-1\.parquet: column 'score', row 1200: a number"):
        summarise(folder, engine="dask")


def test_a_corrupt_and_a_deleted_file_are_named(client, make_binary_log, tmp_path, small_parts):
    folder = write(make_binary_log(5000), tmp_path)
    path = folder / "part-1.parquet"
    data = bytearray(path.read_bytes())
    column = pq.ParquetFile(path).metadata.row_group(2).column(1)
    begin = column.dictionary_page_offset or column.data_page_offset
    data[begin : begin + 40] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"part-1\.parquet: row group 2: this is no whole Parquet"):
        summarise(folder, engine=client)
    write(make_binary_log(5000), folder)
    listed = source.open_source(folder)
    (folder / "part-2.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"part-2\.parquet"):
        engines.summarise_on_dask(listed.parts, Plan.of(listed.schema), client)


@pytest.mark.slow
def test_workers_of_its_own_are_started_out_of_reach_and_stopped(make_binary_log, monkeypatch):
    frame = make_binary_log(1000)
    seen = []
    started = distributed.Client

    class Watched(started):
        def __init__(self, *args, **named):
            super().__init__(*args, **named)
            seen.append(self.scheduler_info()["address"])
            seen.extend(self.scheduler_info()["workers"])

    monkeypatch.setattr(distributed, "Client", Watched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert summarise(frame, engine="dask") == summarise(frame)
    assert seen
    assert all("//127.0.0.1:" in address for address in seen)
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def slow_block(*given, **plan):
    from cautious.logs.engines import summarise_block

    time.sleep(0.3)
    return summarise_block(*given, **plan)


@pytest.mark.slow
@pytest.mark.parametrize("after", range(1000, 9000, 1000))
def test_a_worker_killed_on_the_way_costs_nothing_but_time(
    make_binary_log, tmp_path, small_parts, monkeypatch, after
):
    folder = write(make_binary_log(10_000), tmp_path)
    local = summarise(folder)
    monkeypatch.setattr(engines, "summarise_block", slow_block)
    monkeypatch.setattr(engines, "_MOST_PARTS", 2)
    killed = []

    with start_cluster() as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)

        def kill(done, _):
            if not killed and done >= after:
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        found = summarise(folder, engine=client, progress=kill)
        assert killed
        assert found == local
        assert killed[0] not in client.run(os.getpid).values()
