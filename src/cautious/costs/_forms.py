"""Costs in every form that people have them in, read as one kind of object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from os import PathLike
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.stable.v2.dependencies import is_into_dataframe

from cautious._checks import check_classes, check_mask
from cautious._labels import GRADES, binary_classes, label_text, match_labels
from cautious._messages import refusal
from cautious._typing import Floats, as_floats
from cautious.costs._extensions import (
    AbellanMasegosaCosts,
    ClassSelectiveCosts,
    IntervalCosts,
    OWACosts,
    PowerMeanCosts,
    SizeCosts,
)
from cautious.costs._set_costs import SetCosts
from cautious.costs._tables import (
    AnswerCosts,
    TableCosts,
    beyond_right_answers,
    read_set,
    table_costs,
)
from cautious.costs.matrices import (
    Classes,
    check_cost_matrix,
    check_not_negative,
    merely_numbered,
    positions,
    resolve_classes,
    resolve_matrix,
)
from cautious.errors import InputError, counted, listed, quoted, shown
from cautious.predictions._cells import check_numbers
from cautious.predictions._table import open_table

CostsLike: TypeAlias = (
    SetCosts | Mapping[str, npt.ArrayLike] | npt.ArrayLike | pd.DataFrame | str | PathLike[str]
)
"""What :func:`as_costs` takes."""

# Which cells of a table each name fills: rows are answers, the last one abstaining, columns truths.
# The last of the names may be left out; where it is given, it overrides the one before it.
_MISTAKES: dict[str, Any] = {
    "false_negative": ([0], [1]),
    "false_positive": ([1], [0]),
    "abstain": ([2, 2], [0, 1]),
    "abstain_negative": ([2], [0]),
}
# What is held back is never answered "wrong", but escalated.
_GRADED: dict[str, Any] = {
    "wrong": ([1], [0]),
    "abstain": ([0, 2, 0, 2], [0, 0, 1, 1]),
    "needless": ([0, 2], [1, 1]),
}


def as_costs(
    costs: CostsLike,
    classes: Classes = None,
    *,
    pos_label: Any = None,
    needs_abstention: bool = False,
) -> SetCosts:
    """Read costs in any form: one object that tunes, decides, scores and is audited.

    Parameters
    ----------
    costs : dict, array-like, DataFrame, path or SetCosts
        One of

        - a dict of two classes' costs, ``{"false_negative": 10, "false_positive": 2,
          "abstain": 1}``; right answers cost nothing. ``abstain_negative`` may be added where
          abstaining on a negative costs something else. A value may be an array of shape (n,):
          then costs differ per case;
        - a dict ``{"mistake": 5, "abstain": 1}`` for any number of classes, where all mistakes cost
          the same;
        - a dict ``{"wrong": 5, "abstain": 1}`` for graded answers: what a wrong answer costs that
          goes out, and what it costs to escalate one; ``needless`` may be added where escalating a
          right answer costs something else;
        - an array of shape (K + 1, K): rows are answers, the last row is abstaining, columns are
          truths. Of shape (n, K + 1, K): one such table per case;
        - an array of shape (K, K): costs of single classes; a set costs the mean of its classes
          (:func:`discounted`);
        - a DataFrame: columns are the classes, rows the answers, in any order. One row that is
          no class, such as ``"abstain"``, is abstaining; rows may also be sets, ``"{a, b}"``
          (:meth:`SetCosts.from_table`). A frame of another library names the answers in its first
          column;
        - the path of a file with such a table (CSV, Parquet, Arrow; ``-`` is standard input): the
          first row holds the classes, the first column the answers;
        - :class:`SetCosts`, put in the order of the classes.
    classes : sequence of length K, optional
        Class labels in the order wanted. A frame or file may hold more classes than these.
    pos_label : label, optional
        The positive class, for a dict of two classes' costs. It must be said unless the classes
        are plain, such as 0/1 or no/yes.
    needs_abstention : bool, default=False
        Refuse a (K, K) matrix, which does not say what abstaining costs.

    Returns
    -------
    SetCosts
        Where only answers and abstaining are costed, a set of several classes costs what
        abstaining costs.

    Examples
    --------
    >>> costs = as_costs({"false_negative": 10, "false_positive": 2, "abstain": 1}, ["no", "yes"])
    >>> costs.answers
    truth        no   yes
    prediction
    no          0.0  10.0
    yes         2.0   0.0
    ⊥           1.0   1.0

    What a missed fraud costs may differ per case:

    >>> per_case = as_costs({"false_negative": [100, 900], "false_positive": 5, "abstain": 2})
    >>> per_case.of([[True, False], [True, False]], truth=[1, 1])
    array([100., 900.])
    """
    labels = None if classes is None else tuple(check_classes(classes).tolist())
    return costs_for(costs, labels, pos_label, needs_abstention)


def costs_for(
    costs: CostsLike, labels: tuple[Any, ...] | None, pos_label: Any, needs_abstention: bool = False
) -> SetCosts:
    """Read costs for classes that are checked; see :func:`as_costs`."""
    if isinstance(costs, Mapping):
        return _by_name(costs, labels, pos_label)
    if pos_label is not None and labels is not None:
        binary_classes(labels, pos_label=pos_label)  # refuses a label that is no class
    if isinstance(costs, SetCosts):
        return costs if labels is None else costs.in_order(labels)
    if isinstance(costs, str | PathLike):
        return _of_frame(read_cost_table(costs), labels, needs_abstention)
    costs = _as_frame(costs)
    if isinstance(costs, pd.DataFrame) and (labels is None or not merely_numbered(costs)):
        return _of_frame(costs, labels, needs_abstention)
    return _of_array(as_floats(costs, "costs", "costs"), labels, needs_abstention)


def read_cost_table(file: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of costs: answers in the first column, then one column per class."""
    try:
        table = open_table(file)
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(
            "the costs are {file}, and there is no such file; give the path of a table.",
            file=quoted(file),
        ) from None
    first, *classes = table.names
    try:
        if len(classes) < 2:
            raise InputError(
                "the table has {columns} of costs; give one per class, after the column of "
                "answers.",
                columns=counted(len(classes), "column"),
            )
        cells = table.load([first], classes)
        if not cells.n:
            raise refusal("no rows")
        columns = [check_numbers(cells.numbers[name], table.place(name)) for name in classes]
    except InputError as error:
        raise error.at(table.name) from None
    labels = cells.labels[first]
    answers = [label_text(labels.values[at]).strip() if at >= 0 else "" for at in labels.codes]
    values = np.column_stack(columns)
    return pd.DataFrame(values, pd.Index(answers, dtype=object), pd.Index(classes, dtype=object))


def _as_frame(costs: Any) -> Any:
    """Take a frame of another library, whose first column holds what pandas has as index."""
    if isinstance(costs, pd.DataFrame) or not is_into_dataframe(costs):
        return costs
    frame: pd.DataFrame = nw.from_native(costs, eager_only=True).to_pandas()
    return frame.set_index(frame.columns[0])


def _by_name(
    costs: Mapping[str, npt.ArrayLike], labels: tuple[Any, ...] | None, pos_label: Any
) -> AnswerCosts:
    """Read costs that are one number each, or one per case: of mistakes and of abstaining."""
    k, cells, named = 2, _MISTAKES, "the keys are 'false_negative', 'false_positive' and 'abstain' "
    named += "(and 'abstain_negative', if it differs)"
    if set(costs) == {"mistake", "abstain"}:
        if labels is None:
            raise InputError("{=costs} prices any mistake alike; say between which {=classes}.")
        k = len(labels)
        cells = {"mistake": np.nonzero(1 - np.eye(k)), "abstain": ([k] * k, [*range(k)])}
    elif "wrong" in costs or (labels == GRADES and set(costs) <= {*_GRADED}):
        cells, named = _GRADED, "of graded answers the keys are 'wrong' and 'abstain' (and "
        named += "'needless', if escalating a right answer costs otherwise)"
    odd = [f"has the key {quoted(key)}" for key in costs if key not in cells]
    missing = [repr(key) for key in [*cells][: 2 + (cells is _MISTAKES)] if key not in costs]
    if odd or missing:
        what = odd[0] if odd else f"has no {' and no '.join(missing)}"
        raise InputError("{=costs} {what}; {words}.", what=what, words=named)
    words = "costs beyond that of a right answer are finite and not negative"
    arrays = {}
    for key, value in costs.items():
        arrays[key] = as_floats(value, f"costs[{key!r}]", "costs", words=words)
        if arrays[key].ndim > 1:
            raise ValueError(
                f"costs[{key!r}] has shape {arrays[key].shape}; give one number, or one per case."
            )
    lengths = {key: len(value) for key, value in arrays.items() if value.ndim}
    if len({*lengths.values()}) > 1:
        raise InputError(
            "{=costs} differ per case but not in number: {lengths}; give each one number, or one "
            "number per case.",
            lengths=lengths,
        )
    # Mostly the second class is said to be the positive one, and nothing need be looked up.
    is_said = labels is not None and len(labels) == 2 and bool(pos_label == labels[1])
    turned = cells is _MISTAKES and not is_said and _is_turned(labels, pos_label)
    if cells is _GRADED and labels not in (None, GRADES):
        raise InputError(
            "{=wrong}, what a wrong answer costs, is for graded answers, but there are the classes "
            "{classes}; give {=mistake} and {=abstain}, or a table.",
            classes=listed(labels or ()),
        )
    values = np.zeros((*{*lengths.values()}, k + 1, k))
    for key in cells:
        if key in arrays:
            values[..., cells[key][0], cells[key][1]] = arrays[key][..., None]
    if turned:
        values = values[..., [1, 0, 2], :][..., ::-1]
    return AnswerCosts.of_values(values, GRADES if cells is _GRADED else labels)


def _is_turned(labels: tuple[Any, ...] | None, pos_label: Any) -> bool:
    """Tell whether the first of two classes is the positive one."""
    if labels is not None and len(labels) != 2:
        raise InputError(
            "{=costs} names a false negative and a false positive, which two classes have, but "
            "there are {k} classes: {classes}. Give a table of shape ({rows}, {k}), abstaining "
            "last.",
            k=len(labels),
            rows=len(labels) + 1,
            classes=listed(labels),
        )
    if labels is None:
        if pos_label is None:
            return False
        raise InputError(
            "{=pos_label} is {given}, but {=classes} is not given; give both classes as well.",
            given=quoted(pos_label),
        )
    return bool(binary_classes(labels, pos_label=pos_label)[1] == labels[0])


def _of_array(values: Floats, labels: tuple[Any, ...] | None, needs_abstention: bool) -> SetCosts:
    k = values.shape[-1] if values.ndim else 0
    if labels is not None and k != len(labels):
        raise InputError(
            "{=costs} has shape {shape} and there are {k} classes, {classes}; expected ({rows}, "
            "{k}): a row for each answer and a last one for abstaining, a column for each true "
            "class.",
            shape=values.shape,
            k=len(labels),
            rows=len(labels) + 1,
            classes=listed(labels),
        )
    if values.ndim == 2 and values.shape == (k, k):
        if needs_abstention:
            raise InputError(
                "{=costs} has shape ({k}, {k}) and does not say what abstaining costs; add a last "
                "row for abstaining, shape ({rows}, {k}), or give set costs such as "
                "cautious.costs.p_discounted(costs, r=0.5).",
                k=k,
                rows=k + 1,
            )
        return PowerMeanCosts(check_cost_matrix(values, name="costs"), 1.0, 1.0, labels)
    read = AnswerCosts(values, labels)
    if read.per_case:
        beyond_right_answers(read.values, read.labels)  # refuses rewards
    return read


def _of_frame(
    frame: pd.DataFrame, labels: tuple[Any, ...] | None, needs_abstention: bool
) -> SetCosts:
    """Read a labelled table: of single classes, of answers and abstaining, or of sets."""
    columns = check_classes(frame.columns, name="costs.columns").tolist()
    rows = frame.index.to_flat_index().tolist()
    _refuse_truths_as_rows(rows, columns)
    found = match_labels(rows, columns)
    others = [at for at, k in enumerate(found) if k < 0]
    answers = sorted(k for k in found if k >= 0) == list(range(len(columns)))
    if not answers or len(others) > 1 or (others and _is_partial_set(rows[others[0]], columns)):
        return table_costs(frame, labels)
    order = [found.index(k) for k in range(len(columns))] + others
    values = as_floats(frame.to_numpy(), "costs", "costs")[order]
    if labels is not None:  # a classifier may not have seen every class that the table costs
        keep = positions(columns, list(labels), "costs")
        values = values[[*keep, *range(len(columns), len(values))]][:, keep]
    return _of_array(values, labels or tuple(columns), needs_abstention)


def _refuse_truths_as_rows(rows: list[Any], columns: list[Any]) -> None:
    """Refuse a table whose columns are sets and whose rows are classes."""
    texts = [str(column) for column in columns]
    if {str(row) for row in rows} < {*texts} and any("|" in one or one[:1] == "{" for one in texts):
        raise InputError(
            "{=costs} has the columns {columns} and the rows {rows}; answers are rows, truths are "
            "columns. Transpose the table.",
            columns=listed(columns, 6),
            rows=listed(rows, 6),
        )


def _is_partial_set(row: Any, columns: list[Any]) -> bool:
    """Tell a set of some classes from the row of abstaining, whatever that is called."""
    try:
        return not read_set(row, columns).all()
    except ValueError:
        return False


_FORMS: dict[str, type[SetCosts]] = {
    "answers": AnswerCosts,
    "power_mean": PowerMeanCosts,
    "owa": OWACosts,
    "abellan_masegosa": AbellanMasegosaCosts,
    "class_selective": ClassSelectiveCosts,
    "interval": IntervalCosts,
    "size": SizeCosts,
    "table": TableCosts,
}


def costs_to_data(costs: SetCosts) -> dict[str, Any]:
    """Give costs as plain data, to be written as JSON."""
    form = next((name for name, kind in _FORMS.items() if type(costs) is kind), None)
    if form is None:
        raise TypeError(
            f"costs is a {type(costs).__name__}, which cannot be written; list its sets in a table "
            "and use SetCosts.from_table."
        )
    numbers = {name: getattr(costs, name) for name in _numbers_of(_FORMS[form])}
    return {"form": form} | {name: _to_plain(value) for name, value in numbers.items()}


def costs_from_data(data: Any, classes: Classes = None) -> SetCosts:
    """Make costs of what :func:`costs_to_data` gave; anything else is refused."""
    if not isinstance(data, dict) or data.get("form") not in _FORMS:
        raise ValueError(f"costs has no known form; the forms are {', '.join(_FORMS)}.")
    kind = _FORMS[data["form"]]
    keys = _numbers_of(kind)
    if set(data) != {"form", *keys}:
        raise ValueError(
            f"costs of the form {shown(data['form'])} have the keys {sorted(map(str, data))}; "
            f"expected form, {', '.join(keys)}."
        )
    values = {name: _from_plain(data[name], f"costs.{name}") for name in keys}
    if kind is TableCosts:
        mask = check_mask(values["mask"] != 0, name="costs.mask")
        table = check_not_negative(values["costs"], "costs")
        if table.shape != mask.shape:
            raise ValueError(
                f"costs has {mask.shape} sets but {table.shape} costs; give both one shape."
            )
        labels = resolve_classes(classes, mask.shape[1])
        return TableCosts(mask, table, labels or tuple(range(mask.shape[1])))
    made: Callable[..., SetCosts] = kind
    return made(**values, classes=classes)


def _numbers_of(kind: type[SetCosts]) -> list[str]:
    return [each.name for each in fields(kind) if each.name != "classes"]  # type: ignore[arg-type]


def _to_plain(value: Any) -> Any:
    plain = np.asarray(value)
    if plain.dtype == np.bool_:
        plain = plain.astype(np.int64)
    if plain.ndim == 0 and np.isinf(plain):
        return "Infinity" if plain > 0 else "-Infinity"
    return plain.tolist()


def _from_plain(value: Any, name: str) -> Any:
    if value in ("Infinity", "-Infinity"):
        return float(value)
    flat = [value]
    while flat and isinstance(flat[0], list):
        flat = [cell for row in flat if isinstance(row, list) for cell in row]
    if not all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in flat):
        raise ValueError(f"{name} holds something that is no number.")
    array = as_floats(value, name, "costs")
    return array if array.ndim else float(array)


def as_cost_matrix(
    costs: CostsLike, classes: Classes = None, *, right_is_least: bool = True
) -> Floats:
    """Read the costs of single classes: an array, a labelled frame or a file."""
    if isinstance(costs, SetCosts):
        raise TypeError(
            f"costs is a {type(costs).__name__}, which prices sets; give the costs of single "
            "classes, an array or frame of shape (K, K)."
        )
    table: Any = read_cost_table(costs) if isinstance(costs, str | PathLike) else _as_frame(costs)
    if classes is not None and (not isinstance(table, pd.DataFrame) or merely_numbered(table)):
        table = check_cost_matrix(table, name="costs")
        if len(check_classes(classes)) != len(table):
            raise ValueError(
                f"costs is for {len(table)} classes but there are {len(classes)}: "
                f"{listed(classes)}."
            )
    return resolve_matrix(table, classes, right_is_least=right_is_least, name="costs")[0]
