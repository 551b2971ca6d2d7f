"""What engines run on their workers, run here, and what they say if they are not installed."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from cautious.logs import from_bytes, make_plan, spark, summarise
from cautious.logs.dask import merge_all, summarise_block
from cautious.logs.fragments import BatchFragment
from cautious.logs.spark import merge_partitions, summarise_partition
from cautious.logs.wire import plan_from_text, plan_to_text
from cautious.report import build_report


def batches_of(frame, size):
    return pa.Table.from_pandas(frame, preserve_index=False).to_batches(size)


def test_importing_loads_nothing_heavy():
    heavy = ("pyarrow.parquet", "dask", "distributed", "pyspark", "numba", "matplotlib", "typer")
    code = f"import sys, cautious.logs; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("budget", [32 << 20, 32 * 1024])
def test_blocks_of_fragments(make_binary_log, budget):
    frame = make_binary_log(4000)
    batches = batches_of(frame, 500)
    plan = make_plan(batches[0].schema, memory_budget=budget)
    blocks = [
        summarise_block([BatchFragment("here", batch) for batch in batches[at : at + 3]], plan)
        for at in range(0, len(batches), 3)
    ]
    assert merge_all(*blocks) == summarise(frame, memory_budget=budget)


@pytest.mark.parametrize("budget", [32 << 20, 32 * 1024])
def test_partitions_become_bytes_that_merge(make_class_log, budget):
    frame = make_class_log(3000)
    batches = batches_of(frame, 250)
    plan = make_plan(batches[0].schema, utilities=["u80"], memory_budget=budget)
    assert plan_from_text(plan_to_text(plan)) == plan
    run = summarise_partition(plan_to_text(plan))
    parts = [next(run(batches[at : at + 4])) for at in range(0, len(batches), 4)]
    parts.append(next(run([])))
    (merged,) = merge_partitions(parts)
    found = from_bytes(merged.column(0)[0].as_py())
    assert found == summarise(frame, utilities=["u80"], memory_budget=budget)
    assert list(merge_partitions([])) == []


@pytest.mark.parametrize(
    ("module", "wishes", "message"),
    [
        ("pyarrow", {}, r"pip install 'cautious\[parquet\]'"),
        ("distributed", {"engine": "dask"}, r"pip install 'cautious\[dask\]'"),
        ("pyspark.sql", {"engine": "spark"}, "pip install pyspark"),
    ],
)
def test_what_is_not_installed_is_said(make_binary_log, monkeypatch, module, wishes, message):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=message):
        summarise(make_binary_log(10), **wishes)


def test_a_summary_goes_to_the_report(make_binary_log, make_class_log, tmp_path):
    models = {
        **summarise(make_binary_log(500), memory_budget=32 * 1024).predictions("scores"),
        **summarise(make_class_log(500), utilities=["u65"]).predictions(),
    }
    assert list(models) == ["scores", "new", "new, u65 sets", "old", "old, u65 sets"]
    path = build_report(models, tmp_path / "report.html")
    assert path.stat().st_size > 1000


def test_scores_and_sets_side_by_side():
    table = pa.table(
        {"y": [0, 1, 1, 0], "score": [0.1, 0.4, 0.9, 0.6], "y_set": ["0", "0|1", "1", ""]}
    )
    summary = summarise(table)
    assert set(summary.predictions()) == {"predictions", "predictions, logged sets"}
    assert summary.staircase().scores.tolist() == [0.1, 0.4, 0.6, 0.9]
    assert summary.counts().size.tolist() == [1, 1, 2, 2]
    np.testing.assert_array_equal(summary.classes, [0, 1])


def test_an_error_in_a_partition_names_the_file_if_it_is_known():
    batch = pa.record_batch(
        {"y": [0, 1, 1], "score": [0.1, 0.2, np.nan], spark._FILE: ["a", "b", "b"]}
    )
    run = spark.summarise_partition(plan_to_text(make_plan(batch.schema, score="score")))
    with pytest.raises(ValueError, match="column 'score' is NaN in row 1") as caught:
        next(run([batch]))
    assert spark._said(caught.value).startswith("b: column 'score' is NaN")
    whole = from_bytes(next(run([batch.slice(0, 2)])).column(0)[0].as_py())
    assert whole.n_rows == 2


def test_spark_reads_files_only():
    with pytest.raises(TypeError, match="source is int; with engine='spark' give"):
        spark.read_files(None, 3)


def test_what_spark_says_is_cut_to_the_line_that_matters():
    long = (
        "An error occurred\n: [FAILED_READ_FILE.NO_HINT] reading file:/a.parquet. KD001\n\tat x.y"
    )
    assert spark._in_short(RuntimeError(long)) == (
        "Spark could not do it ([FAILED_READ_FILE.NO_HINT] reading file:/a.parquet. KD001); "
        "nothing was summarised."
    )
    assert "(no rows left)" in spark._in_short(RuntimeError("no rows left\nat x.y"))
