import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cautious.logs import summarise

pytest.importorskip("pyspark", reason="PySpark is not installed here; `make test-spark` has it")


def write(frame, folder, n=3, row_group_size=500):
    for at, rows in enumerate(np.array_split(np.arange(len(frame)), n)):
        table = pa.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        pq.write_table(table, folder / f"part-{at}.parquet", row_group_size=row_group_size)
    return folder


@pytest.mark.parametrize("wishes", [{}, {"memory_budget": 32 * 2048}, {"resolution": 0.01}])
def test_scores_bit_for_bit(spark, binary_log, tmp_path, wishes):
    folder = write(binary_log, tmp_path)
    local = summarise(folder, **wishes)
    found = summarise(folder, engine=spark, **wishes)
    assert found == local
    np.testing.assert_array_equal(found.staircase().frame(), local.staircase().frame())


def test_classes_weights_and_groups_bit_for_bit(spark, class_log, tmp_path):
    folder = write(class_log, tmp_path)
    local = summarise(folder, rules="u65")
    assert summarise(folder, rules="u65", engine="spark") == local


def test_frames_with_many_partitions_and_empty_ones(spark, binary_log):
    local = summarise(binary_log)
    frame = spark.createDataFrame(binary_log).repartition(30)
    assert summarise(frame) == local
    assert summarise(frame.where("score >= 0").repartition(20, "y_true"), engine="spark") == local


@pytest.mark.parametrize("column", ["month", "day"])
def test_folders_are_columns_for_spark_too(spark, binary_log, tmp_path, column):
    for at, rows in enumerate(np.array_split(np.arange(len(binary_log)), 4)):
        inside = tmp_path / f"month=2026-0{at // 2 + 1}x" / f"day={at}"
        inside.mkdir(parents=True)
        write(binary_log.iloc[rows], inside, n=1)
    local = summarise(tmp_path, groups=column)
    assert summarise(tmp_path, groups=column, engine=spark) == local
    assert len(local.groups) == {"month": 2, "day": 4}[column]


def test_csv(spark, binary_log, tmp_path):
    path = tmp_path / "log.csv"
    binary_log.round(6).to_csv(path, index=False)
    assert summarise(path, engine=spark).staircase() == summarise(path).staircase()


def test_written_sets_find_their_classes(spark, tmp_path):
    table = pa.table({"y": ["a", "b", "c"] * 50, "y_set": ["a", "a|b", "?"] * 50})
    pq.write_table(table, tmp_path / "log.parquet")
    assert summarise(tmp_path, engine=spark) == summarise(tmp_path)


def test_errors_say_what_is_wrong(spark, binary_log, tmp_path):
    bad = binary_log.copy()
    bad.loc[7, "score"] = np.nan
    table = pa.table({name: bad[name].to_numpy() for name in bad})
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(ValueError, match=r"/log\.parquet: column 'score', row \d+: a number is"):
        summarise(tmp_path, engine=spark)
    with pytest.raises(ValueError, match=r"^a batch of Spark's: column 'score', row \d+: a number"):
        summarise(spark.createDataFrame(bad.fillna(float("nan"))))
    with pytest.raises(ValueError, match="truth is 'nowhere', but the columns are"):
        summarise(spark.createDataFrame(binary_log), truth="nowhere")
    with pytest.raises(ValueError, match="there are no rows"):
        summarise(spark.createDataFrame(binary_log).where("score > 2"))
    with pytest.raises(TypeError, match="source is DataFrame; with engine='spark'"):
        summarise(binary_log, engine=spark)


def test_a_file_without_a_column_is_named(spark, binary_log, tmp_path):
    folder = write(binary_log, tmp_path)
    short = pa.Table.from_pandas(binary_log[["y_true"]], preserve_index=False)
    pq.write_table(short, folder / "part-7.parquet")
    with pytest.raises(
        ValueError, match=r"part-7\.parquet: column 'score', row 0: a number is missing"
    ):
        summarise(folder, engine=spark)


def test_a_file_of_another_type_is_named(spark, binary_log, tmp_path):
    folder = write(binary_log, tmp_path)
    other = pa.Table.from_pandas(binary_log.astype({"score": str}), preserve_index=False)
    pq.write_table(other, folder / "part-7.parquet")
    with pytest.raises(
        ValueError, match=r"Spark could not do it \(\[.*part-7\.parquet.*\); nothing"
    ):
        summarise(folder, engine=spark)


def test_a_corrupt_file_is_named(spark, binary_log, tmp_path):
    folder = write(binary_log, tmp_path)
    path = folder / "part-1.parquet"
    data = bytearray(path.read_bytes())
    column = pq.ParquetFile(path).metadata.row_group(2).column(1)
    begin = column.dictionary_page_offset or column.data_page_offset
    data[begin : begin + 40] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(
        ValueError, match=r"Spark could not do it \(\[.*part-1\.parquet.*\); nothing"
    ):
        summarise(folder, engine=spark)


def test_a_file_deleted_after_it_was_listed_is_named(spark, binary_log, tmp_path):
    folder = write(binary_log, tmp_path)
    frame = spark.read.parquet(str(folder))
    (folder / "part-1.parquet").unlink()
    with pytest.raises(
        ValueError, match=r"Spark could not do it \(\[.*part-1\.parquet.*\); nothing"
    ):
        summarise(frame)


def test_labels_of_a_csv_are_text_as_written(spark, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("y_true,y_set\n01,01\n1,01|1\nNA,true\n12:30,NA\n")
    assert summarise(path, engine=spark) == summarise(path)


def test_no_and_yes_need_no_positive_class(spark, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("y_true,score\nno,0.2\nyes,0.7\nno,0.5\n")
    assert summarise(path, engine=spark) == summarise(path)


LISTENING = """
import sys
import psutil
from pyspark.sql import SparkSession
from cautious.logs.engines import _session
with _session("spark") as session:
    assert session.range(10).count() == 10
    here = psutil.Process()
    found = [c for p in (here, *here.children(recursive=True)) for c in p.net_connections()]
    print(*sorted({c.laddr.ip for c in found if c.status == "LISTEN"}))
    print(session.conf.get("spark.ui.enabled"))
assert SparkSession.getActiveSession() is None
"""


def test_a_session_started_here_listens_to_this_machine_only(spark):
    pytest.importorskip("psutil")
    own = {name: value for name, value in os.environ.items() if name != "PYSPARK_SUBMIT_ARGS"}
    done = subprocess.run(
        [sys.executable, "-c", LISTENING], capture_output=True, text=True, env=own, check=False
    )
    assert done.returncode == 0, done.stderr
    addresses, ui = done.stdout.strip().splitlines()
    found = {address.removeprefix("::ffff:") for address in addresses.split()}
    assert found
    assert found <= {"127.0.0.1", "::1"}
    assert ui == "false"
