"""Costs in every form that people have them in, read as one kind of object."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields
from os import PathLike
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, as_floats
from cautious.costs.abellan_masegosa import AbellanMasegosaCosts
from cautious.costs.answers import AnswerCosts
from cautious.costs.class_selective import ClassSelectiveCosts
from cautious.costs.cost_frames import merely_numbered, read_table
from cautious.costs.expert_table import SetReader, TableCosts, table_costs
from cautious.costs.matrices import Classes, check_costs, check_labels, positions
from cautious.costs.owa import OWACosts
from cautious.costs.power_mean import PowerMeanCosts
from cautious.costs.set_costs import SetCosts
from cautious.costs.size_costs import SizeCosts
from cautious.sets import check_classes, check_mask, few_labels

__all__ = ["CostsLike", "as_costs", "costs_from_data", "costs_to_data"]

CostsLike: TypeAlias = (
    SetCosts
    | Mapping[str, npt.ArrayLike]
    | npt.ArrayLike
    | pd.DataFrame
    | str
    | PathLike[str]
    | IO[str]
)
"""What :func:`as_costs` takes."""

_BINARY = ("false_negative", "false_positive", "abstain")
_OPTIONAL = ("abstain_negative",)


def as_costs(
    costs: CostsLike,
    classes: Classes = None,
    *,
    pos_label: Any = None,
    needs_abstention: bool = False,
) -> SetCosts:
    r"""Read costs in any form: one object that tunes, decides, scores and is audited.

    Parameters
    ----------
    costs : dict, array-like, DataFrame, path, text stream or SetCosts
        One of

        - a dict of two classes' costs, ``{"false_negative": 10, "false_positive": 2,
          "abstain": 1}``; right answers cost nothing. ``abstain_negative`` may be added where
          abstaining on a negative costs something else. A value may be an array of shape (n,):
          then costs differ per case;
        - an array of shape (K + 1, K): rows are answers, the last row is abstaining, columns are
          truths. Of shape (n, K + 1, K): one such table per case;
        - an array of shape (K, K): costs of single classes; a set costs the mean of its classes
          (:func:`discounted`);
        - a DataFrame: columns are the classes, rows the answers, in any order. One row that is
          no class, such as ``"abstain"``, is abstaining; rows may also be sets, ``"{a, b}"``
          (:meth:`SetCosts.from_table`);
        - a CSV file of such a table: the first row holds the classes, the first column the
          answers;
        - :class:`SetCosts`, put in the order of the classes.
    classes : sequence of length K, optional
        Class labels in the order wanted; of two classes the negative one first, unless
        `pos_label` says otherwise. A frame or file may hold more classes than these.
    pos_label : label, optional
        The positive class, for a dict of two classes' costs.
    needs_abstention : bool, default=False
        Refuse a (K, K) matrix, which does not say what abstaining costs.

    Returns
    -------
    SetCosts
        :class:`AnswerCosts` where only answers and abstaining are costed: a set of several classes
        then costs what abstaining costs.

    Examples
    --------
    >>> costs = as_costs({"false_negative": 10, "false_positive": 2, "abstain": 1}, ["no", "yes"])
    >>> costs.answers
    truth        no   yes
    prediction
    no          0.0  10.0
    yes         2.0   0.0
    ⊥           1.0   1.0
    >>> as_costs({"fn": 10, "fp": 2, "abstain": 1})
    Traceback (most recent call last):
    ...
    ValueError: costs has the key 'fn'; the keys are 'false_negative', 'false_positive' and ...

    A table with its rows in any order:

    >>> frame = pd.DataFrame([[3, 2], [100, 0], [0, 20]], ["abstain", "ham", "spam"],
    ...                      columns=["spam", "ham"])
    >>> as_costs(frame, ["ham", "spam"]).answers
    truth        ham   spam
    prediction
    ham          0.0  100.0
    spam        20.0    0.0
    ⊥            2.0    3.0

    What a missed fraud costs may differ per case:

    >>> per_case = as_costs({"false_negative": [100, 900], "false_positive": 5, "abstain": 2})
    >>> per_case.of([[True, False], [True, False]], truth=[1, 1])
    array([100., 900.])
    """
    labels = None if classes is None else tuple(check_classes(classes).tolist())
    if pos_label is not None and (labels is None or len(labels) != 2 or pos_label not in labels):
        raise ValueError(
            f"pos_label is {pos_label!r}; it must be one of two classes, and classes is "
            f"{'not given' if labels is None else list(labels)!r}."
        )
    if isinstance(costs, SetCosts):
        return costs if labels is None else costs.in_order(labels)
    if isinstance(costs, Mapping):
        return _binary(costs, labels, pos_label)
    if isinstance(costs, str | PathLike) or hasattr(costs, "read"):
        frame = _read_file(costs)
        return _of_frame(frame, labels, needs_abstention)
    if isinstance(costs, pd.DataFrame) and (labels is None or not merely_numbered(costs)):
        return _of_frame(costs, labels, needs_abstention)
    return _of_array(as_floats(costs, "costs", "costs"), labels, needs_abstention)


def _read_file(file: Any) -> pd.DataFrame:
    try:
        return read_table(file, name="costs")
    except (FileNotFoundError, IsADirectoryError):
        raise ValueError(
            f"costs is {str(file)!r}, and there is no such file; give the path of a CSV table, "
            "or the costs themselves."
        ) from None


def _binary(
    costs: Mapping[str, npt.ArrayLike], labels: tuple[Any, ...] | None, pos_label: Any
) -> AnswerCosts:
    """Read costs of two mistakes and of abstaining, by name."""
    named = (
        "'false_negative', 'false_positive' and 'abstain' (and 'abstain_negative' if it differs)"
    )
    for key in costs:
        if key not in _BINARY + _OPTIONAL:
            raise ValueError(f"costs has the key {key!r}; the keys are {named}.")
    missing = [key for key in _BINARY if key not in costs]
    if missing:
        raise ValueError(
            f"costs has no {' and no '.join(map(repr, missing))}; give the costs {named}."
        )
    if labels is not None and len(labels) != 2:
        raise ValueError(
            f"costs names a false negative and a false positive, which two classes have, but "
            f"there are {len(labels)} classes: {few_labels(check_classes(labels))}. Give a table "
            f"of shape ({len(labels) + 1}, {len(labels)}), abstaining last."
        )
    arrays = {key: _cost(value, key) for key, value in costs.items()}
    lengths = {key: len(value) for key, value in arrays.items() if value.ndim}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"costs differ per case but not in number: {lengths}; give each one number, or one "
            "number per case."
        )
    shape = (max(lengths.values()),) if lengths else ()
    values = np.zeros((*shape, 3, 2))
    values[..., 0, 1] = arrays["false_negative"]
    values[..., 1, 0] = arrays["false_positive"]
    values[..., 2, 1] = arrays["abstain"]
    values[..., 2, 0] = arrays.get("abstain_negative", arrays["abstain"])
    if labels is not None and pos_label is not None and labels[0] == pos_label:
        values = values[..., [1, 0, 2], :][..., ::-1]
    return AnswerCosts(values, labels)


def _cost(value: npt.ArrayLike, key: str) -> Floats:
    name = f"costs[{key!r}]"
    array = as_floats(value, name, "costs")
    if array.ndim > 1:
        raise ValueError(f"{name} has shape {array.shape}; give one number, or one per case.")
    wrong = ~((array >= 0) & (array < np.inf))
    if wrong.any():
        at = int(np.argmax(wrong))
        place = f" in row {at}" if array.ndim else ""
        raise ValueError(
            f"{name} is {array.ravel()[at]:g}{place}; costs beyond that of a right answer are "
            "finite and not negative."
        )
    return array


def _of_array(values: Floats, labels: tuple[Any, ...] | None, needs_abstention: bool) -> SetCosts:
    k = values.shape[-1] if values.ndim else 0
    if labels is not None and k != len(labels):
        raise ValueError(
            f"costs has shape {values.shape} and there are {len(labels)} classes, "
            f"{few_labels(check_classes(labels))}; expected ({len(labels) + 1}, {len(labels)}): a "
            "row for each answer and a last one for abstaining, a column for each true class."
        )
    if values.ndim == 2 and values.shape == (k, k):
        if needs_abstention:
            raise ValueError(
                f"costs has shape ({k}, {k}) and does not say what abstaining costs; add a last "
                f"row for abstaining, shape ({k + 1}, {k}), or give set costs such as "
                "cautious.costs.p_discounted(costs, r=0.5)."
            )
        return PowerMeanCosts(values, 1.0, 1.0, labels)
    read = AnswerCosts(values, labels)
    if read.per_case:
        _refuse_costs_below_right_answers(read.values)
    return read


def _refuse_costs_below_right_answers(values: Floats) -> None:
    right = np.diagonal(values, axis1=-2, axis2=-1)
    below = values < right[:, None, :]
    if below.any():
        case, row, y = (int(i) for i in np.argwhere(below)[0])
        raise ValueError(
            f"costs[{case}, {row}, {y}] is {values[case, row, y]:g}, less than the right answer's "
            f"{right[case, y]:g}; rows are answers and columns are truths. Transpose the tables, "
            "or turn rewards into costs."
        )


def _of_frame(
    frame: pd.DataFrame, labels: tuple[Any, ...] | None, needs_abstention: bool
) -> SetCosts:
    """Read a labelled table: of single classes, of answers and abstaining, or of sets."""
    columns = check_classes(frame.columns, name="costs.columns").tolist()
    rows = frame.index.to_flat_index().tolist()
    place = {label: at for at, label in enumerate(columns)}
    by_text = {str(label): at for at, label in enumerate(columns)}
    found = [
        place.get(row, by_text.get(str(row))) if isinstance(row, Hashable) else None for row in rows
    ]
    others = [at for at, k in enumerate(found) if k is None]
    if len(others) > 1 or sorted(k for k in found if k is not None) != list(range(len(columns))):
        return table_costs(frame, labels)
    if others and _is_partial_set(rows[others[0]], columns):
        return table_costs(frame, labels)
    order = [found.index(k) for k in range(len(columns))] + others
    values = as_floats(frame.to_numpy(), "costs", "costs")[order]
    if labels is not None:  # a classifier may not have seen every class that the table costs
        keep = positions(columns, list(labels), "costs", more=True)
        values = values[[*keep, *range(len(columns), len(values))]][:, keep]
    return _of_array(values, labels or tuple(columns), needs_abstention)


def _is_partial_set(row: Any, columns: list[Any]) -> bool:
    """Tell a set of some classes from the row of abstaining, whatever that is called."""
    try:
        return not SetReader(columns).row_of(row).all()
    except ValueError:
        return False


_FORMS: dict[str, type[SetCosts]] = {
    "answers": AnswerCosts,
    "power_mean": PowerMeanCosts,
    "owa": OWACosts,
    "abellan_masegosa": AbellanMasegosaCosts,
    "class_selective": ClassSelectiveCosts,
    "size": SizeCosts,
    "table": TableCosts,
}


def costs_to_data(costs: SetCosts) -> dict[str, Any]:
    """Give costs as plain data, to be written as JSON.

    Parameters
    ----------
    costs : SetCosts
        Costs of one of the library's kinds.

    Returns
    -------
    dict
        The form and its numbers; infinite powers as ``"Infinity"`` and ``"-Infinity"``.

    Examples
    --------
    >>> costs_to_data(as_costs([[0, 10], [2, 0], [1, 1]]))
    {'form': 'answers', 'values': [[0.0, 10.0], [2.0, 0.0], [1.0, 1.0]]}
    """
    form = next((name for name, kind in _FORMS.items() if type(costs) is kind), None)
    if form is None:
        raise TypeError(
            f"costs is a {type(costs).__name__}, which cannot be written; list its sets in a table "
            "and use SetCosts.from_table."
        )
    numbers = {name: getattr(costs, name) for name in _numbers_of(_FORMS[form])}
    return {"form": form} | {name: _to_plain(value) for name, value in numbers.items()}


def costs_from_data(data: Any, classes: Classes = None) -> SetCosts:
    """Make costs of what :func:`costs_to_data` gave; anything else is refused.

    Parameters
    ----------
    data : dict
        The form and its numbers.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    SetCosts
    """
    if not isinstance(data, dict) or data.get("form") not in _FORMS:
        raise ValueError(f"costs has no known form; the forms are {', '.join(_FORMS)}.")
    kind = _FORMS[data["form"]]
    wanted = _numbers_of(kind)
    if set(data) != {"form", *wanted}:
        raise ValueError(
            f"costs of the form {data['form']!r} have the keys {sorted(map(str, data))}; expected "
            f"form, {', '.join(wanted)}."
        )
    values = {name: _from_plain(data[name], f"costs.{name}") for name in wanted}
    if kind is TableCosts:
        mask = check_mask(values["mask"] != 0, name="costs.mask")
        table = check_costs(values["costs"], "costs")
        if table.shape != mask.shape:
            raise ValueError(f"costs has {mask.shape} sets but {table.shape} costs.")
        labels = tuple(range(mask.shape[1])) if classes is None else classes
        return TableCosts(mask, table, check_labels(labels, mask.shape[1]))
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
