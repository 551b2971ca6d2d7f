"""``apply`` on a real Spark writes the same file as this machine alone."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed here; `make test-spark` has it")

import cautious
from cautious.decision import Rule
from cautious.errors import InputError

RULES = {
    "binary_log": Rule.window(0.2, 0.8),
    "class_log": Rule.utility("u80", classes=[0, 1, 2]),
}


@pytest.mark.parametrize("log", RULES)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_same_bytes(log, ending, request, tmp_path, spark):
    frame = request.getfixturevalue(log)
    folder = tmp_path / "log"
    folder.mkdir()
    for at, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        part = frame.iloc[rows]
        if ending == "csv":
            part.to_csv(folder / f"{at}.csv", index=False)
        else:
            table = pa.Table.from_pandas(part, preserve_index=False)
            pq.write_table(table, folder / f"{at}.parquet", row_group_size=1000)
    rule, local, there = RULES[log], tmp_path / f"local.{ending}", tmp_path / f"spark.{ending}"
    one = cautious.apply(folder, rule, local)
    other = cautious.apply(folder, rule, there, engine=spark)
    assert one.counts == other.counts
    assert local.read_bytes() == there.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["log", local.name, there.name]
    )


def test_errors_are_ours_and_leave_nothing(tmp_path, spark):
    path = tmp_path / "in.csv"
    pd.DataFrame({"score": ["0.5", "oops"]}).to_csv(path, index=False)
    with pytest.raises(InputError, match=r"in\.csv: column 'score', line 3: 'oops'"):
        cautious.apply(path, RULES["binary_log"], tmp_path / "out.csv", engine=spark)
    assert list(tmp_path.iterdir()) == [path]
