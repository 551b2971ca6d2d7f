"""``--engine spark`` for real: a process of its own starts Spark, and stops it."""

import json
import os
import subprocess
import sys
from itertools import zip_longest

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed here; `make test-spark` has it")
pytest.importorskip("typer", reason="the command line is not installed here")


def cautious(*args, code=0):
    """Run a command; Spark's own words go to standard error, ours must be alone on the other."""
    own = "--master local[2] --conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1"
    found = subprocess.run(
        [sys.executable, "-m", "cautious", *map(str, args)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYSPARK_SUBMIT_ARGS": f"{own} pyspark-shell", "COLUMNS": "200"},
    )
    assert found.returncode == code, found.stderr
    return found


@pytest.fixture
def folder(class_log, tmp_path, spark):  # the fixture `spark` skips where there is no Java
    log = tmp_path / "log"
    log.mkdir()
    for at, rows in enumerate(np.array_split(np.arange(len(class_log)), 3)):
        table = pa.Table.from_pandas(class_log.iloc[rows], preserve_index=False)
        pq.write_table(table, log / f"part-{at}.parquet", row_group_size=500)
    return log


def test_evaluate(folder):
    args = ("evaluate", folder, "--json", "--confidence", 0.6, "--level", 0.9, "--resamples", 20)
    there = json.loads(cautious(*args, "--engine", "spark").stdout)
    assert there == json.loads(cautious(*args, "--engine", "local").stdout)
    measures = there["models"]["log"]["measures"]
    assert 0 < measures["abstention"]["value"] < 1
    assert measures["u65"]["low"] < measures["u65"]["value"] < measures["u65"]["high"]


def test_report(folder, tmp_path):
    for engine in ("local", "spark"):
        cautious("report", folder, "--engine", engine, "-o", tmp_path / f"{engine}.html")
    there, here = ((tmp_path / f"{one}.html").read_text("utf-8") for one in ("spark", "local"))
    # Pytest takes many minutes to show how two long texts differ; the first lines are enough.
    pairs = zip_longest(there.splitlines(), here.splitlines(), fillvalue="")
    assert not [(one[:400], other[:400]) for one, other in pairs if one != other]


def test_errors_are_one_line_that_names_the_file(folder):
    path = folder / "part-1.parquet"
    table = pq.read_table(path)
    pq.write_table(table.drop_columns("p_1"), path)
    found = cautious("evaluate", folder, "--engine", "spark", code=2)
    assert found.stdout == ""
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert "part-1.parquet" in last
