"""At home elsewhere: the same rules and measures in MLflow, skore, ONNX and river.

Each function imports the other library when it is called, and needs the extra of its name:
``pip install ".[mlflow]"``, ``[skore]``, ``[onnx]`` or ``[river]``. :class:`RunningScore`
needs none.
"""

from cautious.integrations.mlflow_model import log_mlflow_model, save_mlflow_model
from cautious.integrations.onnx_graph import to_onnx
from cautious.integrations.running_score import RunningScore, add_skore_measures, river_metric

__all__ = [
    "RunningScore",
    "add_skore_measures",
    "log_mlflow_model",
    "river_metric",
    "save_mlflow_model",
    "to_onnx",
]
