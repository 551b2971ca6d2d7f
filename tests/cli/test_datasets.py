"""``cautious datasets``: what is bundled, and how to get at it."""

import io

import pandas as pd
import pytest

from cautious.datasets import list_datasets, load_dataset


def test_list(run, run_json):
    text = run("datasets").stdout
    assert text == run("datasets", "list").stdout
    assert "breast-w" in text
    facts = list_datasets()
    assert set(run_json("datasets", "list", "--json")) == set(facts.index)
    frame = pd.read_csv(
        io.StringIO(run("datasets", "list", "--csv", "--paper", "yang").stdout), index_col="name"
    )
    assert frame.index.tolist() == facts.index[facts["yang"]].tolist()


def test_show(run):
    text = run("datasets", "show", "iris").stdout
    for words in ("150 rows", "Source:", "Iris-setosa"):
        assert words in text


@pytest.mark.parametrize("name", ["iris", "vote"])
def test_export(run, name, tmp_path):
    text = run("datasets", "export", name).stdout
    frame = load_dataset(name).frame
    read = pd.read_csv(io.StringIO(text), dtype=str)
    assert read.columns.tolist() == frame.columns.tolist()
    assert len(read) == len(frame)
    result = run("datasets", "export", name, "-o", "out.csv")
    assert result.stdout == ""
    assert (tmp_path / "out.csv").read_text() == text


def test_errors(fails):
    for command in ("show", "export"):
        said = fails("datasets", command, "irris")
        assert f"Did you mean 'iris'? `cautious datasets` lists all {len(list_datasets())}" in said
    with pytest.raises(ValueError, match=r"Did you mean 'iris'\? list_datasets\(\) lists all"):
        load_dataset("irris")
    assert "choose one of" in fails("datasets", "list", "--paper", "nobody")
    assert "no folder" in fails("datasets", "export", "iris", "-o", "nowhere/iris.csv")
