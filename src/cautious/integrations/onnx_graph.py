"""Rules and the models that carry them as ONNX graphs: sets of classes without Python."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from cautious._labels import label_text
from cautious.decision import Rule
from cautious.errors import check_installed, shown

# Reductions take their axes as attributes up to this version.
_OPSET = 17
_KINDS = ("window", "confidence", "class_thresholds")


def to_onnx(model: Any, X: Any = None) -> Any:
    """Write a rule, or a fitted model that decides by one, as an ONNX graph.

    Parameters
    ----------
    model : Rule or fitted classifier
        A window, one threshold or thresholds per class; or a classifier with such a ``rule_``, as
        :class:`~cautious.models.TunedAbstainingClassifierCV` and
        :class:`~cautious.models.CertifiedAbstainingClassifier` have, whose estimator skl2onnx can
        convert; or a pipeline that ends in one, as
        :meth:`cautious.models.CautiousPipeline.from_steps` makes it.
    X : array-like or DataFrame, optional
        Some rows that the classifier takes; their types become those of the graph's input. Give
        float64 for the closest probabilities.

    Returns
    -------
    onnx.ModelProto
        The output ``sets`` is a boolean matrix, a column per class: of a rule in its own order, of
        a classifier in that of ``classes_``. A full row abstains. The input of a rule is
        ``scores``, float64: of a window the scores of the positive class, shape (n,), of other
        rules the probabilities, (n, K). The graph of a classifier keeps the outputs of its
        estimator. The classes and the rule are in its ``metadata_props``.

    Notes
    -----
    The graph of a rule gives the same sets as :meth:`cautious.decision.Rule.predict_set`, bit for
    bit; a missing score (NaN) abstains. A graph cannot refuse what is no probability, such as per
    cents: check its input. Probabilities of a converted estimator agree with
    scikit-learn's to about seven digits, because many of ONNX's operators work in float32: a case
    that lies closer than that to a threshold may get the other answer.

    It needs the extra ``onnx``.

    Examples
    --------
    >>> from cautious.decision import Rule
    >>> from cautious.integrations import to_onnx
    >>> graph = to_onnx(Rule.window(0.2, 0.8))  # doctest: +SKIP
    >>> with open("rule.onnx", "wb") as file:  # doctest: +SKIP
    ...     file.write(graph.SerializeToString())
    """
    if isinstance(model, Rule):
        _check_kind(model)
        check_installed("to_onnx", "onnx", "onnx")
        return _rule_model(model)
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    rule = getattr(last, "rule_", None)
    if not isinstance(rule, Rule) or not hasattr(last, "estimator_"):
        inside = " that ends in a " + type(last).__name__ if last is not model else ""
        raise TypeError(
            f"model is a {type(model).__name__}{inside} without a rule; give a Rule, or a fitted "
            "TunedAbstainingClassifierCV or CertifiedAbstainingClassifier that has found one, also "
            "as the last step of a pipeline."
        )
    _check_kind(rule)
    if X is None:
        raise TypeError("X is missing; give some rows that the model takes.")
    check_installed("to_onnx", "onnx", "onnx", "skl2onnx")
    return _estimator_model(_plain(model, last), last, rule, X)


def _plain(model: Any, last: Any) -> Any:
    """Give what skl2onnx can convert: the steps before the rule, and the estimator below it."""
    estimator = last.estimator_
    if isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    if last is model:
        return estimator
    before = [(name, step) for name, step in model.steps[:-1] if step not in (None, "passthrough")]
    return Pipeline([*before, (model.steps[-1][0], estimator)]) if before else estimator


def _check_kind(rule: Rule) -> None:
    if rule.kind not in _KINDS or (rule.kind == "class_thresholds" and rule.costs is not None):
        raise ValueError(
            f"the rule is of kind {shown(rule.kind)}"
            + (" with costs" if rule.kind == "class_thresholds" else "")
            + "; windows and thresholds on probabilities have a graph. See Rule.to_code for others."
        )


class _Nodes:
    """Nodes of a graph and their constants, with names that do not clash."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        from onnx import numpy_helper

        name = f"cautious_constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype=dtype), name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"cautious_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name


def _sets(nodes: _Nodes, rule: Rule, values: str, order: Sequence[int]) -> str:
    """Decide; `order` says which class of the rule each column of the result is about."""
    if rule.kind == "window":
        # Nothing compares with NaN, and infinite thresholds lie beyond infinite scores.
        upper = math.nan if rule.upper == math.inf else rule.upper
        lower = math.nan if rule.lower == -math.inf else rule.lower
        positive = nodes.add("GreaterOrEqual", values, nodes.constant(upper))
        low = nodes.add("LessOrEqual", values, nodes.constant(lower))
        not_positive = nodes.add("Not", positive)
        not_negative = nodes.add("Not", nodes.add("And", low, not_positive))
        axis = nodes.constant([1], np.int64)
        columns = [nodes.add("Unsqueeze", one, axis) for one in (not_positive, not_negative)]
        return nodes.add("Concat", *(columns[at] for at in order), axis=1)
    best = nodes.add("ArgMax", values, axis=1, keepdims=1)
    top = nodes.add("ReduceMax", values, axes=[1], keepdims=1)
    least = nodes.add("Gather", nodes.constant(rule.least), best, axis=0)
    gaps = nodes.add("Cast", nodes.add("IsNaN", values), to=6)  # int32
    gap = nodes.add("Cast", nodes.add("ReduceMax", gaps, axes=[1], keepdims=1), to=9)  # bool
    sure = nodes.add("And", nodes.add("GreaterOrEqual", top, least), nodes.add("Not", gap))
    chosen = nodes.add("Equal", best, nodes.constant([order], np.int64))
    return nodes.add("Or", chosen, nodes.add("Not", sure))


def _rule_model(rule: Rule) -> Any:
    from onnx import TensorProto, helper

    shape = ["n"] if rule.kind == "window" else ["n", rule.n_classes]
    scores = helper.make_tensor_value_info("scores", TensorProto.DOUBLE, shape)
    model = helper.make_model(
        helper.make_graph([], "cautious_rule", [scores], []),
        producer_name="cautious",
        opset_imports=[helper.make_opsetid("", _OPSET)],
    )
    model.ir_version = 8  # what every runtime that knows the operators can read
    return _with_sets(model, _Nodes(), rule, "scores", rule.classes)


def _estimator_model(plain: Any, model: Any, rule: Rule, X: Any) -> Any:
    import skl2onnx
    from onnx import TensorProto

    classes = np.asarray(model.classes_).tolist()
    converted = skl2onnx.to_onnx(
        plain,
        X[:1],
        options={"zipmap": False},
        target_opset={"": _OPSET, "ai.onnx.ml": 3},
    )
    nodes = _Nodes()
    probabilities = nodes.add("Cast", converted.graph.output[-1].name, to=TensorProto.DOUBLE)
    # A class that the estimator was not shown has the zeros of one more column.
    learned = np.asarray(model.estimator_.classes_).tolist()
    if len(learned) < len(classes):
        probabilities = nodes.add("Pad", probabilities, nodes.constant([0, 0, 0, 1], np.int64))
    at = {label: column for column, label in enumerate(learned)}
    place = [at.get(label, len(learned)) for label in rule.classes]
    values = nodes.add("Gather", probabilities, nodes.constant(place, np.int64), axis=1)
    if rule.kind == "window":
        values = nodes.add("Gather", values, nodes.constant(1, np.int64), axis=1)
    return _with_sets(converted, nodes, rule, values, classes)


def _with_sets(model: Any, nodes: _Nodes, rule: Rule, values: str, classes: Sequence[Any]) -> Any:
    """Add the sets that a rule chooses by some values of a graph, a column per class."""
    from onnx import TensorProto, checker, helper

    sets = _sets(nodes, rule, values, [rule.classes.index(label) for label in classes])
    nodes.nodes.append(helper.make_node("Identity", [sets], ["sets"]))
    found = helper.make_tensor_value_info("sets", TensorProto.BOOL, ["n", len(classes)])
    model.graph.node.extend(nodes.nodes)
    model.graph.initializer.extend(nodes.constants)
    model.graph.output.append(found)
    about = {
        "cautious.classes": json.dumps([label_text(label) for label in classes]),
        "cautious.rule": rule.to_json(),
    }
    helper.set_model_props(model, about)
    checker.check_model(model)
    return model
