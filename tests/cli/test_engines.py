"""``--engine``: logs larger than memory, by whoever summarises them."""

import warnings

import numpy as np
import pandas as pd
import pytest

from cautious.decision import Rule
from cautious.decision._rule_json import rules_to_json
from cautious.logs import summarise


@pytest.fixture
def log(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "log"
    folder.mkdir()
    for part in range(3):
        y = rng.integers(2, size=100)
        frame = pd.DataFrame({"y_true": y, "score": np.round((y + rng.random(100)) / 2, 2)})
        frame["model"] = np.where(np.arange(100) % 2, "odd", "even")
        frame.to_parquet(folder / f"{part}.parquet")
    return folder


def whole(log, tmp_path):
    frames = [pd.read_parquet(part) for part in sorted(log.iterdir())]
    pd.concat(frames).to_csv(tmp_path / "whole.csv", index=False)
    return "whole.csv"


def same_measures(one, two):
    assert set(one["models"]) == set(two["models"]) == {"odd", "even"}
    for name, model in one["models"].items():
        for measure, found in two["models"][name]["measures"].items():
            assert model["measures"][measure]["value"] == pytest.approx(found["value"]), measure


@pytest.mark.parametrize(
    "command", [("compare",), ("tune", "--mistake", 5, "--abstain", 1)], ids=["compare", "tune"]
)
def test_commands_without_an_engine_name_those_that_have_one(run, fails, log, command):
    assert "--engine" not in run(command[0], "--help").stdout
    for source in ("log", "log/*.parquet"):
        said = fails(*command, source)
        assert "`cautious evaluate` and `cautious report`" in said
    assert "Python" not in fails(*command, "log")
    for name in ("evaluate", "report"):
        assert "--engine" in run(name, "--help").stdout


def test_a_folder_with_the_local_engine(run, run_json, fails, log, tmp_path):
    assert "--engine local" in fails("evaluate", "log")
    same_measures(
        run_json("evaluate", whole(log, tmp_path), "--json"),
        run_json("evaluate", "log", "--engine", "local", "--json"),
    )
    result = run("evaluate", *sorted(log.iterdir()), "--engine", "local", "--positive", 1)
    assert "3 files: truth 'y_true'" in result.stderr


@pytest.mark.slow
def test_a_dask_scheduler_by_its_address(run_json, log, tmp_path):
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster:
            address = cluster.scheduler_address
            there = run_json("evaluate", str(log), "--engine", address, "--json")
    same_measures(run_json("evaluate", whole(log, tmp_path), "--json"), there)


@pytest.mark.slow
def test_dask_of_its_own(run_json, log, tmp_path):
    pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = run_json("evaluate", str(log), "--engine", "dask", "--json")
    same_measures(run_json("evaluate", whole(log, tmp_path), "--json"), there)


@pytest.mark.parametrize(("engine", "needs"), [("spark", "PySpark"), ("dask", "Dask")])
def test_what_an_engine_needs_is_said_in_the_words_of_the_command(
    fails, log, monkeypatch, engine, needs
):
    def missing(name):
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr("cautious.logs.engines.import_module", missing)
    said = f"--engine {engine} needs {needs}, which is not installed; pip install"
    assert said in fails("evaluate", "log", "--engine", engine)
    with pytest.raises(ImportError, match=f"^engine='{engine}' needs {needs}, which is not"):
        summarise(log, engine=engine)


def test_rounded_scores_are_said_to_be(run, log, monkeypatch):
    import cautious.logs

    summarise = cautious.logs.summarise
    monkeypatch.setattr(
        "cautious.evaluation._rule_choice.summarise",
        lambda *args, **wishes: summarise(*args, resolution=0.25, **wishes),
    )
    result = run("evaluate", "log", "--engine", "local")
    assert "rounded to 0.25" in result.stderr


def test_a_group_of_a_log_may_hold_one_class(run_json, tmp_path):
    frame = pd.DataFrame({"y_true": [0, 1, 1], "score": [0.1, 0.4, 0.9], "group": ["x", "x", "z"]})
    frame.to_parquet(tmp_path / "groups.parquet")
    found = run_json("evaluate", "groups.parquet", "--engine", "local", "--json")
    assert found["models"]["groups"]["by_group"]["z"]["error"] == 0
    assert found["models"]["groups"]["by_group"]["x"]["error"] == 0.5


@pytest.fixture
def several(tmp_path):
    """Write a log of two models of four classes, with groups and weights."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(4, 0.6), 600).round(3)
    p[:, 0] = 1 - p[:, 1:].sum(axis=1)
    p = np.abs(p)
    p /= p.sum(axis=1, keepdims=True)
    names = np.array(list("abcd"))
    frame = pd.DataFrame(p, columns=[f"p_{name}" for name in names])
    frame["y_true"] = names[(p.cumsum(axis=1) > rng.random((600, 1))).argmax(axis=1)]
    frame["model"] = np.where(np.arange(600) % 2, "odd", "even")
    frame["site"] = np.where(rng.random(600) < 0.3, "north", "south")
    frame.to_parquet(tmp_path / "several.parquet", row_group_size=100)
    return frame


def alike(here, there):
    """Compare every number, intervals and parts included."""
    assert here["answers"] == there["answers"]
    for measure, found in there["measures"].items():
        assert here["measures"][measure] == pytest.approx(found, nan_ok=True), measure
    for part in ("by_class", "by_group"):
        assert set(here[part] or ()) == set(there[part] or ())
        for name, found in (there[part] or {}).items():
            assert here[part][name] == pytest.approx(found, nan_ok=True), name


@pytest.mark.parametrize("rule", [(), ("--confidence", 0.6), ("--utility", "u65")])
def test_rules_and_intervals_of_several_classes(run_json, several, rule):
    args = ("several.parquet", "--json", "--group", "site", "--level", 0.9, "--resamples", 50)
    here = run_json("evaluate", *args, *rule)["models"]
    there = run_json("evaluate", *args, *rule, "--engine", "local")["models"]
    assert set(here) == set(there) == {"odd", "even"}
    for model in here:
        alike(here[model], there[model])
        assert "low" in there[model]["measures"]["u65"]
        assert "low" in there[model]["measures"]["aurc"]
    if rule[:1] == ("--confidence",):
        assert 0 < there["odd"]["measures"]["abstention"]["value"] < 1


def test_each_model_abstains_below_its_own_confidence(run_json, several, tmp_path):
    rules = {
        name: Rule.confidence(least, classes=list("abcd"))
        for name, least in (("odd", 0.7), ("even", 0.5))
    }
    rules_to_json(rules, tmp_path / "rules.json")
    args = ("several.parquet", "--json", "--rule", "rules.json")
    here = run_json("evaluate", *args)["models"]
    there = run_json("evaluate", *args, "--engine", "local")["models"]
    assert "0.7" in there["odd"]["answers"]
    assert "0.5" in there["even"]["answers"]
    for model in here:
        assert here[model]["measures"] == there[model]["measures"]
