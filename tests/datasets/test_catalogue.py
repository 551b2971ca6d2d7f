from __future__ import annotations

import gzip
import hashlib

import pandas as pd
import pytest

from cautious.datasets import list_datasets, load_dataset
from cautious.datasets.bundled import data_folder

FACTS = list_datasets()


def test_there_are_74_sets_with_unique_names_and_a_file_each():
    assert len(FACTS) == 74
    assert FACTS.index.is_unique
    assert FACTS.index.name == "name"
    bundled = {item.name for item in data_folder().iterdir()}
    assert bundled == {f"{name}.csv.gz" for name in FACTS.index} | {"facts.csv", "columns.json"}


def test_the_frame_is_the_caller_s_own():
    mine = list_datasets()
    mine.loc["iris", "rows"] = 0
    assert list_datasets().at["iris", "rows"] == 150


def test_marks():
    assert FACTS.index[FACTS.ordinal].tolist() == ["ERA", "ESL", "LEV", "SWD"]
    assert FACTS.index[FACTS.yang].tolist() == ["ERA", "ESL", "LEV", "SWD"]
    assert FACTS.index[FACTS.ferri].tolist() == ["spambase", "tic-tac-toe"]
    assert FACTS.idsia54.sum() == 53
    # Together the papers need every set we ship.
    assert FACTS[["ferri", "friedel", "yang", "zaffalon"]].any(axis=1).all()


def test_every_fact_is_filled_in_except_notes():
    for column in FACTS.columns.drop("notes"):
        assert not FACTS[column].isna().any()
        assert not (FACTS[column].astype(str) == "").any(), column
    assert FACTS[["rows", "features", "classes"]].to_numpy().min() > 0


def test_the_bundle_fits_in_a_wheel():
    """The whole wheel has to stay under 6 MB; the data leave room for everything else."""
    assert sum(len(item.read_bytes()) for item in data_folder().iterdir()) < 2_500_000


@pytest.mark.parametrize(
    ("asked", "suggested"),
    [("era", "'ERA'"), ("Iris", "'iris'"), ("diabetis", "'diabetes'"), ("monk", "'monks-1'")],
)
def test_an_unknown_name_suggests_the_nearest(asked, suggested):
    with pytest.raises(ValueError, match=f"name is '{asked}'.*Did you mean.*{suggested}"):
        load_dataset(asked)


@pytest.mark.parametrize("asked", ["qqqqqq", "", "../facts", "iris.csv.gz\x00"])
def test_a_name_like_no_other_points_to_the_list(asked):
    with pytest.raises(ValueError, match="list_datasets\\(\\) lists all 74 names"):
        load_dataset(asked)


@pytest.mark.parametrize("asked", [None, 3, b"iris", ["iris"]])
def test_a_name_that_is_no_string(asked):
    with pytest.raises(TypeError, match="list_datasets"):
        load_dataset(asked)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bupa", ["train/test split mark, not a diagnosis", "Friedel"]),
        ("haberman", ["year of operation as nominal", "here the year is a number"]),
        ("anneal", ["Declared but never observed: 4."]),
        ("diabetes", ["hidden missing values"]),
        ("breast-cancer", ["citation request"]),
        ("ERA", ["classes (ordinal)", "Yang, Destercke & Masson (2017)"]),
        ("tic-tac-toe", ["Ferri & Hernández-Orallo (2004)"]),
    ],
)
def test_descr_says_what_to_beware_of(name, words):
    text = " ".join(load_dataset(name).DESCR.split())
    fact = FACTS.loc[name]
    for word in [*words, fact.source_version, fact.licence_note, f"{fact.rows} rows"]:
        assert word in text
    assert max(map(len, load_dataset(name).DESCR.splitlines())) <= 100


def test_descr_is_silent_where_there_is_nothing_to_say():
    text = load_dataset("car").DESCR
    assert "Notes:" not in text
    assert "never observed" not in text


@pytest.mark.parametrize("name", FACTS.index)
def test_bundled_bytes_are_those_converted(name):
    text = gzip.decompress((data_folder() / f"{name}.csv.gz").read_bytes())
    assert hashlib.sha256(text).hexdigest() == FACTS.at[name, "sha256"]


def test_facts_are_typed():
    counts = ["rows", "features", "nominal_features", "classes", "missing_cells"]
    assert all(pd.api.types.is_integer_dtype(FACTS[column]) for column in counts)
    assert all(pd.api.types.is_bool_dtype(FACTS[column]) for column in ["ordinal", "idsia54"])
