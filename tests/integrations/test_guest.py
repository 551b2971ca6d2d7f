"""Without the other library, every function says what to install; nothing is written."""

import sys

import pytest
from sklearn.linear_model import LogisticRegression

from cautious.decision import Rule
from cautious.integrations import log_mlflow_model, river_metric, save_mlflow_model, to_onnx
from cautious.models import TunedAbstainingClassifierCV

RULE = Rule.window(0.2, 0.8, classes=["no", "yes"])
COSTS = {"false_negative": 10, "false_positive": 4, "abstain": 1}


def tuned():
    X, y = [[float(i)] for i in range(20)], [0] * 10 + [1] * 10
    return TunedAbstainingClassifierCV(LogisticRegression(), costs=COSTS, cv=2).fit(X, y), X


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("mlflow", "mlflow", lambda path: save_mlflow_model(RULE, path)),
        ("mlflow", "mlflow", lambda path: log_mlflow_model(RULE)),
        ("onnx", "onnx", lambda path: to_onnx(RULE)),
        ("onnx", "onnx", lambda path: to_onnx(*tuned())),
        ("river", "river", lambda path: river_metric(rule=RULE)),
    ],
)
def test_what_to_install(package, extra, call, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    words = rf"needs {package}, which is not installed; pip install 'cautious\[{extra}\]' "
    with pytest.raises(ImportError, match=words):
        call(tmp_path / "served")
    assert not list(tmp_path.iterdir())
