"""What engines run on their workers, run here, and what they say if they are not installed."""

import json
import sys
import types
from functools import partial
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

from cautious.logs import LogSummary, engines, summarise
from cautious.logs.engines import add_partitions, summarise_partition
from cautious.logs.entry import engine_kind
from cautious.logs.plan import Plan
from cautious.report import build_report


def batches_of(frame, size):
    return pa.Table.from_pandas(frame, preserve_index=False).to_batches(size)


@pytest.mark.parametrize("budget", [32 << 20, 32 * 1024])
def test_partitions_become_bytes_that_merge(make_class_log, budget):
    frame = make_class_log(3000)
    batches = batches_of(frame, 250)
    plan = Plan.of(batches[0].schema, rules="u80", memory_budget=budget)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    run = partial(summarise_partition, plan)
    parts = [next(run(batches[at : at + 4])) for at in range(0, len(batches), 4)]
    parts.append(next(run([])))
    (merged,) = add_partitions(parts)
    found = LogSummary.from_bytes(merged.column(0)[0].as_py())
    assert found == summarise(frame, rules="u80", memory_budget=budget)
    assert list(add_partitions([])) == []


@pytest.mark.parametrize(
    ("module", "wishes", "message"),
    [
        ("pyarrow", {}, r"pip install 'cautious\[parquet\]'"),
        ("distributed", {"engine": "dask"}, r"pip install 'cautious\[dask\]'"),
        ("pyspark.sql", {"engine": "spark"}, r"pip install 'cautious\[spark\]'"),
    ],
)
def test_what_is_not_installed_is_said(
    make_binary_log, monkeypatch, tmp_path, module, wishes, message
):
    source = tmp_path / "log.csv" if module == "pyspark.sql" else make_binary_log(10)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=message):
        summarise(source, **wishes)


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        ("local", "local"),
        ("dask", "dask"),
        ("tcp://10.0.0.7:8786", "dask"),
        ("tls://host:1", "dask"),
        ("spark", "spark"),
        ("spark://host:7077", "spark"),
        ("sc://host", "spark"),
    ],
)
def test_engines_are_told_apart_by_their_names(engine, kind):
    assert engine_kind(engine) == kind


class TestSparkStartedHere:
    """A session that is started for the work cannot be reached from outside."""

    LOOPBACK: ClassVar = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }

    def test_it_has_no_pages_and_listens_to_this_machine_only(self):
        assert engines._options("spark", "") == self.LOOPBACK
        assert engines._options("spark", "--master local[4]") == self.LOOPBACK

    def test_what_the_user_asks_for_stays(self):
        asked = "--conf spark.ui.enabled=true --conf spark.driver.host=10.0.0.7"
        assert engines._options("spark", asked) == {"spark.driver.bindAddress": "127.0.0.1"}

    @pytest.mark.parametrize("asked", ["--master yarn", "spark.master  k8s://there"])
    def test_workers_elsewhere_can_reach_it(self, asked):
        assert engines._options("spark", asked) == {"spark.ui.enabled": "false"}

    def test_addresses(self):
        there = {"spark.ui.enabled": "false", "spark.master": "spark://host:7077"}
        assert engines._options("spark://host:7077", "") == there
        assert engines._options("sc://host", "") == {"spark.remote": "sc://host"}

    def test_the_users_configuration_is_read(self, tmp_path, monkeypatch):
        text = "# spark.master yarn\nspark.ui.enabled true\n"
        (tmp_path / "spark-defaults.conf").write_text(text)
        monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.driver.host=there pyspark-shell")
        asked = engines._asked_for()
        assert "yarn" not in asked
        assert engines._options("spark", asked) == {"spark.driver.bindAddress": "127.0.0.1"}

    def test_java_must_be_there(self, tmp_path, monkeypatch):
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(FileNotFoundError, match=r"no java on the PATH; install a") as caught:
            engines._check_java("spark")
        assert str(caught.value).endswith("or take engine='local' or engine='dask'.")
        assert caught.value.words("cli").startswith("--engine spark needs Java")
        assert caught.value.words("cli").endswith("or take --engine local or --engine dask.")
        engines._check_java("sc://host")
        java = tmp_path / "bin" / "java"
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        with pytest.raises(FileNotFoundError, match=r"no java in JAVA_HOME, which is '.*; install"):
            engines._check_java("spark://host:7077")
        java.parent.mkdir()
        java.write_text("#!/bin/sh\n")
        java.chmod(0o755)
        engines._check_java("spark://host:7077")

    def test_it_is_stopped_after_the_work(self, monkeypatch):
        events = []

        class Session:
            def __init__(self):
                events.append("started")

            @staticmethod
            def getActiveSession():
                return None

            def stop(self):
                events.append("stopped")

        class Builder:
            def appName(self, name):
                return self

            def config(self, option, value):
                events.append((option, value))
                return self

            def getOrCreate(self):
                return Session()

        Session.builder = Builder()
        module = types.ModuleType("pyspark.sql")
        module.SparkSession = Session
        monkeypatch.setitem(sys.modules, "pyspark", types.ModuleType("pyspark"))
        monkeypatch.setitem(sys.modules, "pyspark.sql", module)
        monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
        monkeypatch.setenv("PYSPARK_PYTHON", "python")
        monkeypatch.setattr(engines, "_check_java", lambda engine: events.append("Java"))
        with pytest.raises(ZeroDivisionError), engines._session("spark"):
            raise ZeroDivisionError
        assert events[0] == "Java"
        assert set(self.LOOPBACK.items()) < set(events)
        assert events[-2:] == ["started", "stopped"]


def test_a_summary_goes_to_the_report(make_binary_log, make_class_log, tmp_path):
    models = {
        "scores": summarise(make_binary_log(500), memory_budget=32 * 1024),
        "sets": summarise(make_class_log(500), rules="u65"),
    }
    page = build_report(models, tmp_path / "report.html").read_text()
    for name in ("scores", "new", "new, u65 sets", "old", "old, u65 sets"):
        assert f'"name":"{name}"' in page


def test_scores_and_sets_side_by_side():
    table = pa.table(
        {"y": [0, 1, 1, 0], "score": [0.1, 0.4, 0.9, 0.6], "y_set": ["0", "0|1", "1", "?"]}
    )
    summary = summarise(table)
    assert summary.staircase().scores.tolist() == [0.1, 0.4, 0.6, 0.9]
    assert summary.counts().size.tolist() == [1, 1, 2, 2]
    np.testing.assert_array_equal(summary.classes, [0, 1])


def test_an_error_in_a_partition_names_the_file_if_it_is_known():
    batch = pa.record_batch(
        {"y": [0, 1, 1], "score": [0.1, 0.2, np.nan], engines._FILE: ["a", "b", "b"]}
    )
    run = partial(engines.summarise_partition, Plan.of(batch.schema, score="score"))
    with pytest.raises(ValueError, match="a number is missing") as caught:
        next(run([batch]))
    said = engines._said(caught.value)
    assert str(said).startswith("b: column 'score', row 1: a number is missing")
    assert "--missing abstain" in said.words("cli")
    whole = LogSummary.from_bytes(next(run([batch.slice(0, 2)])).column(0)[0].as_py())
    assert whole.n_rows == 2


def test_spark_reads_files_only():
    with pytest.raises(TypeError, match="source is int; with engine='spark' give"):
        summarise(3, engine="spark")


def test_what_spark_says_is_cut_to_the_line_that_matters():
    long = (
        "An error occurred\n: [FAILED_READ_FILE.NO_HINT] reading file:/a.parquet. KD001\n\tat x.y"
    )
    assert engines._in_short(RuntimeError(long)) == (
        "Spark could not do it ([FAILED_READ_FILE.NO_HINT] reading file:/a.parquet. KD001); "
        "nothing was summarised."
    )
    assert "(no rows left)" in engines._in_short(RuntimeError("no rows left\nat x.y"))
