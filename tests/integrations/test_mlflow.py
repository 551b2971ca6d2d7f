"""Models of MLflow serve sets, saved and loaded by MLflow itself."""

import re
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from cautious.decision import Rule
from cautious.integrations import log_mlflow_model, mlflow_model, save_mlflow_model
from cautious.integrations.mlflow_model import answers
from cautious.models import AbstainingClassifier

pytestmark = pytest.mark.filterwarnings("default")  # MLflow warns about itself


@pytest.fixture(scope="module")
def mlflow():
    return pytest.importorskip("mlflow")


def test_the_code_that_is_saved_imports_what_there_is():
    _, line = re.findall(r"^(?:from|import) .*$", mlflow_model._CODE, re.MULTILINE)
    module, name = re.fullmatch(r"from (\S+) import (\w+)", line).groups()
    assert getattr(import_module(module), name) is mlflow_model.served_model


def test_a_rule_is_served(mlflow, tmp_path):
    rule = Rule.window(0.2, 0.8, classes=["no", "yes"], model="mine")
    save_mlflow_model(rule, tmp_path / "served")
    files = {path.name for path in (tmp_path / "served").rglob("*")}
    assert {"rule.json", "served_sets.py"} <= files
    assert not any(name.endswith(".pkl") for name in files)
    cases = pd.DataFrame({"score": [0.1, 0.5, 0.9, np.nan]}, index=[3, 1, 4, 2])
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "served"))
    found = loaded.predict(cases)
    assert found["y_set"].tolist() == ["no", "?", "yes", "?"]
    assert found.index.tolist() == [3, 1, 4, 2]
    sets = found[["set_no", "set_yes"]].to_numpy(dtype=bool)
    assert (sets == rule.predict_set(cases["score"])).all()
    p = pd.DataFrame({"p_yes": [0.9, 0.5], "p_no": [0.1, 0.5]})
    assert loaded.predict(p)["y_set"].tolist() == ["yes", "?"]
    with pytest.raises(Exception, match="give a column 'score'"):
        loaded.predict(pd.DataFrame({"points": [1.0]}))


def test_columns_are_told_by_their_names():
    for rule in (
        Rule.window(0.2, 0.8, classes=["stay", "churn"]),
        Rule.confidence(0.8, classes=["stay", "churn"]),
    ):
        p = pd.DataFrame({"p_churn": [0.9, 0.5], "p_stay": [0.1, 0.5]})
        assert answers(rule, p)["y_set"].tolist() == ["churn", "?"]
        with pytest.raises(ValueError, match="not clear which class"):
            answers(rule, p.to_numpy())


def test_a_classifier_is_logged_and_served(mlflow, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the slim MLflow has no database
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versi|color", "virginica"])[y]
    model = AbstainingClassifier(
        LogisticRegression(max_iter=500), rule="optimal_sets", rule_params={"utility": "u80"}
    ).fit(X, names)
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    experiment = mlflow.create_experiment("cautious", artifact_location=(tmp_path / "a").as_uri())
    with mlflow.start_run(experiment_id=experiment):
        info = log_mlflow_model(model, "iris")
    found = mlflow.pyfunc.load_model(info.model_uri).predict(X)
    columns = [f"set_{name}" for name in model.classes_]
    assert (found[columns].to_numpy(dtype=bool) == model.predict_set(X)).all()
    assert set(found["y_set"]) >= {"setosa", '["versi|color"]', '["versi|color", "virginica"]'}


def test_what_has_no_sets(tmp_path):
    pytest.importorskip("mlflow")
    with pytest.raises(TypeError, match="without predict_set"):
        save_mlflow_model(LogisticRegression(), tmp_path / "x")
