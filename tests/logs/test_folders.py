"""Folders such as ``month=2026-01`` are columns for whoever names them; Arrow's reader agrees."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import cautious
from cautious.decision import Rule
from cautious.errors import InputError
from cautious.logs import summarise
from cautious.logs._source import open_source

RULE = Rule.window(0.3, 0.7)
WINDOW = {"decision": RULE}


@pytest.fixture
def log(make_binary_log):
    frame = make_binary_log(600, decimals=2)
    frame["month"] = np.repeat(["2026-01", "2026-02", "2026-03"], 200)
    frame["site"] = np.resize(["Graz", "Linz am See", "50%=half/full", None], 600)
    return frame


@pytest.fixture
def folder(log, tmp_path):
    """Let Arrow write the folders; it escapes what a path cannot hold."""
    hive = ds.partitioning(pa.schema({"month": pa.string(), "site": pa.string()}), flavor="hive")
    table = pa.Table.from_pandas(log, preserve_index=False)
    ds.write_dataset(table, tmp_path / "log", format="parquet", partitioning=hive)
    return tmp_path / "log"


def read_back(folder):
    """Read the folders by Arrow, their names as text."""
    schema = pa.schema({"month": pa.string(), "site": pa.string()})
    found = ds.dataset(folder, partitioning=ds.partitioning(schema, flavor="hive"))
    return found.to_table().to_pandas()


@pytest.mark.parametrize("column", ["month", "site"])
def test_groups_and_models_by_folders(log, folder, column):
    assert len(read_back(folder)) == len(log)
    expected = summarise(read_back(folder), groups=column, model=False)
    found = summarise(folder, groups=column)
    assert found == expected == summarise(log, groups=column)
    pd.testing.assert_frame_equal(found.breakdown(**WINDOW), expected.breakdown(**WINDOW))
    assert summarise(folder, model=column) == summarise(log, model=column)
    both = summarise(folder, groups="site", model="month")
    assert both == summarise(log, groups="site", model="month")


def test_patterns_and_addresses_name_folders_too(log, folder):
    some = log[log["month"] != "2026-02"]
    found = summarise(str(folder / "month=2026-0[13]" / "*" / "*.parquet"), groups="month")
    assert found == summarise(some, groups="month")
    assert summarise(folder.as_uri(), groups="month") == summarise(log, groups="month")
    assert summarise(str(folder / "**" / "*.parquet"), groups="month") == summarise(
        log, groups="month"
    )
    # Those above what is given are the same for all files, and so of no use.
    with pytest.raises(InputError, match="groups is 'month', but the columns are 'y_true', 'score"):
        summarise(folder / "month=2026-01", groups="month")
    one = summarise(folder / "month=2026-01", groups="site")
    assert one == summarise(log[log["month"] == "2026-01"], groups="site")


def test_text_files_and_files_outside_the_folders(log, tmp_path):
    inside = tmp_path / "log" / "day=07"
    inside.mkdir(parents=True)
    log[["y_true", "score"]].head(50).to_csv(inside / "a.csv", index=False)
    log[["y_true", "score"]].tail(20).to_csv(tmp_path / "log" / "b.csv", index=False)
    found = summarise(tmp_path / "log", groups="day").breakdown(["coverage"], **WINDOW)
    assert found["n"].to_dict() == {"07": 50, "": 20}


def test_folders_are_never_guessed(log, tmp_path):
    plain = summarise(log[["y_true", "score"]])
    inside = tmp_path / "y=2026" / "model=7" / "p=3" / "weight=2"
    inside.mkdir(parents=True)
    log[["y_true", "score"]].to_parquet(inside / "a.parquet")
    found = summarise(tmp_path)
    assert found == plain
    assert str(found.notes[0]) == f"{tmp_path}: truth 'y_true', score 'score', positive '1'"
    answers = cautious.apply(tmp_path, RULE)
    assert answers.n == len(log)
    seen = cautious.watch(tmp_path, RULE, max_error=0.5)
    assert seen.total()["cases"] == len(log)


def test_a_column_of_the_files_goes_before_a_folder(log, tmp_path):
    inside = tmp_path / "month=folder"
    inside.mkdir()
    log.to_parquet(inside / "a.parquet")
    assert summarise(tmp_path, groups="month").groups == ["2026-01", "2026-02", "2026-03"]


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_answers_keep_what_the_folders_say(folder, tmp_path, ending):
    path = tmp_path / f"answers.{ending}"
    cautious.apply(folder, RULE, path)
    reader = {"parquet": pd.read_parquet, "csv": pd.read_csv, "arrow": pd.read_feather}[ending]
    found = reader(path)
    expected = read_back(folder)
    assert list(found) == [*expected, "y_set"]
    keys = ["month", "site", "score", "y_true"]
    counts, wanted = (
        frame[keys].fillna({"site": "none"}).value_counts().to_dict() for frame in (found, expected)
    )
    assert counts == wanted


def test_a_folder_says_whose_cases_a_rule_decides(folder):
    answers = cautious.apply(folder, RULE, model="month", only="2026-02")
    assert answers.n == 200


def test_the_groups_of_a_watch_may_be_folders(folder):
    seen = cautious.watch(folder, RULE, max_error=0.4, groups="month")
    for month in ("2026-01", "2026-02", "2026-03"):
        assert seen.total(month)["cases"] == 200


def test_only_the_folders_column_is_read_where_no_other_is_wanted(folder):
    (part, *_) = open_source(folder).parts
    ((first, batch),) = part.batches(["month"])
    assert first == 0
    assert batch.schema.names == ["month"]
    assert batch.num_rows == pq.read_metadata(part.name).num_rows
