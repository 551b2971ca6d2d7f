"""Models of MLflow that serve sets of classes: its scikit-learn flavour does not."""

from __future__ import annotations

import os
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cautious._files import write_whole
from cautious._labels import label_text
from cautious.decision import Rule
from cautious.errors import check_installed
from cautious.sets._written import write_set

# MLflow runs this file when it loads the model; nothing of the model's code is pickled.
_CODE = """import mlflow

from cautious.integrations.mlflow_model import served_model

mlflow.models.set_model(served_model())
"""


def save_mlflow_model(model: Any, path: str | os.PathLike[str], **named: Any) -> None:
    """Save a rule or a fitted classifier as an MLflow model that serves sets.

    Parameters
    ----------
    model : Rule or fitted classifier with ``predict_set``
        A rule is saved as its JSON, and is served scores: a column ``score``, or a column
        ``p_<class>`` per class. A classifier is saved inside by MLflow's own scikit-learn flavour,
        and is served its features; load only what you trust.
    path : path-like
        Folder to write.
    **named
        Passed on to ``mlflow.pyfunc.save_model``, for example ``signature`` or
        ``pip_requirements`` (this release of cautious by default).

    See Also
    --------
    log_mlflow_model : the same into a run.

    Notes
    -----
    The model answers with a frame: ``y_set`` is the answer as :func:`cautious.apply` writes it (a
    class, several as ``a|b``, ``?`` if it abstains), and for each class there is a column
    ``set_<class>`` of true and false. So it can be asked over HTTP, too. The model is written as
    code, so MLflow unpickles nothing to know what to do. It needs the extra ``mlflow``.

    Examples
    --------
    >>> from cautious.decision import Rule
    >>> from cautious.integrations import save_mlflow_model
    >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
    >>> save_mlflow_model(rule, "served")  # doctest: +SKIP
    >>> import mlflow  # doctest: +SKIP
    >>> cases = pd.DataFrame({"score": [0.5]})
    >>> mlflow.pyfunc.load_model("served").predict(cases)  # doctest: +SKIP
      y_set  set_no  set_yes
    0     ?    True     True
    """
    _write("save", model, {"path": os.fspath(path), **named})


def log_mlflow_model(model: Any, name: str = "model", **named: Any) -> Any:
    """Log a rule or a fitted classifier to the current run of MLflow, to serve sets.

    Parameters
    ----------
    model : Rule or fitted classifier with ``predict_set``
        As for :func:`save_mlflow_model`.
    name : str
        Name of the model in the run.
    **named
        Passed on to ``mlflow.pyfunc.log_model``, for example ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo

    Examples
    --------
    >>> from cautious.decision import Rule
    >>> from cautious.integrations import log_mlflow_model
    >>> rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
    >>> log_mlflow_model(rule, "window").model_uri  # doctest: +SKIP
    """
    return _write("log", model, {"name": name, **named})


def _write(how: str, model: Any, named: dict[str, Any]) -> Any:
    check_installed(f"{how}_mlflow_model", "mlflow", "mlflow")
    from mlflow import pyfunc

    if not isinstance(model, Rule) and not hasattr(model, "predict_set"):
        raise TypeError(
            f"model is a {type(model).__name__} without predict_set; give a Rule, or a fitted "
            "cautious classifier."
        )
    with tempfile.TemporaryDirectory(prefix="cautious-") as folder:
        code, kept = Path(folder, "served_sets.py"), Path(folder, "rule.json")
        write_whole(code, _CODE)
        if isinstance(model, Rule):
            model.to_json(kept)
        else:
            from mlflow import sklearn

            kept = Path(folder, "classifier")
            form = sklearn.SERIALIZATION_FORMAT_CLOUDPICKLE  # skops would not know our classes
            sklearn.save_model(model, str(kept), pip_requirements=[], serialization_format=form)
        given = {
            "python_model": str(code),
            "artifacts": {"model": str(kept)},
            "pip_requirements": [f"cautious=={version('cautious')}"],
        }
        return getattr(pyfunc, f"{how}_model")(**(given | named))


def served_model() -> Any:
    """Make what MLflow asks for answers; :func:`save_mlflow_model` writes code that calls this."""
    from mlflow.pyfunc import PythonModel

    class ServedSets(PythonModel):  # type: ignore[misc]
        """Answers with sets."""

        def load_context(self, context: Any) -> None:
            path = Path(context.artifacts["model"])
            if path.suffix == ".json":
                self.model = Rule.from_json(path)
            else:
                from mlflow import sklearn

                self.model = sklearn.load_model(str(path))

        # MLflow takes type hints for a schema.
        def predict(self, context, model_input, params=None):  # type: ignore[no-untyped-def]
            return answers(self.model, model_input)

    return ServedSets()


def answers(model: Any, cases: Any) -> pd.DataFrame:
    """Answer cases by a rule or a classifier: as text, and a column per class."""
    index = getattr(cases, "index", None)
    if isinstance(model, Rule) and model.graded:
        accepted = model.accept(_scores(model, cases))
        decisions = model.texts(np.column_stack([~accepted, accepted]))
        return pd.DataFrame({model.answer_column: decisions}, index=index)
    if isinstance(model, Rule):
        classes, mask = list(model.classes), model.predict_set(_scores(model, cases))
    else:
        classes, mask = np.asarray(model.classes_).tolist(), np.asarray(model.predict_set(cases))
    names = [label_text(label) for label in classes]
    rows, which = np.unique(mask, axis=0, return_inverse=True)
    texts = [write_set([names[at] for at in np.flatnonzero(row)], names) for row in rows]
    columns: dict[str, Any] = {"y_set": np.array(texts, dtype=object)[which.ravel()]}
    columns |= {f"set_{name}": mask[:, at] for at, name in enumerate(names)}
    return pd.DataFrame(columns, index=index)


def _scores(rule: Rule, cases: Any) -> Any:
    """Take the scores of a window, or probabilities, out of what is served."""
    if not isinstance(cases, pd.DataFrame):
        return cases
    own = [f"p_{label_text(label)}" for label in rule.classes]
    if set(own) <= set(cases.columns):
        named = cases[own].astype(np.float64)
        return named.set_axis(pd.Index(rule.classes, dtype=object), axis=1)
    single = rule.score_column
    if single in cases.columns and rule.n_classes == 2:
        return cases[single].to_numpy(dtype=np.float64)
    wanted = (f"a column '{single}', or " if rule.n_classes == 2 else "") + f"the columns {own}"
    raise ValueError(f"the cases have the columns {list(cases.columns)}; give {wanted}.")
