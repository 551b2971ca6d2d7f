"""Loading a bundled data set the way scikit-learn's loaders do."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from cautious._typing import Labels
from cautious.datasets.catalogue import check_name, data_folder, describe, list_datasets

__all__ = ["load_dataset"]


@overload
def load_dataset(
    name: str, *, return_X_y: Literal[False] = False, as_frame: bool = True
) -> Bunch: ...
@overload
def load_dataset(
    name: str, *, return_X_y: Literal[True], as_frame: Literal[True] = True
) -> tuple[pd.DataFrame, pd.Series[Any]]: ...
@overload
def load_dataset(
    name: str, *, return_X_y: Literal[True], as_frame: Literal[False]
) -> tuple[Labels, Labels]: ...
@overload
def load_dataset(name: str, *, return_X_y: bool = False, as_frame: bool = True) -> Any: ...
def load_dataset(
    name: str, *, return_X_y: bool = False, as_frame: bool = True
) -> Bunch | tuple[pd.DataFrame, pd.Series[Any]] | tuple[Labels, Labels]:
    """Load a bundled data set.

    Parameters
    ----------
    name : str
        One of the names in the index of :func:`list_datasets`.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=True
        Return pandas objects. Nominal columns and the class are categorical, with the declared
        categories in declared order, numeric columns are float64, and missing cells are missing.
        Otherwise return arrays: ``data`` is float64 if all features are numeric, else of dtype
        object with floats and strings in it; missing cells are nan; ``target`` holds strings.

    Returns
    -------
    Bunch or tuple
        A tuple ``(data, target)`` if ``return_X_y``; otherwise a Bunch with

        ``data``, ``target``
            Features and classes.
        ``frame``
            Both together; ``None`` unless ``as_frame``.
        ``feature_names``, ``target_names``
            Names of the columns of ``data``, and the declared classes in declared order.
        ``unobserved_classes``
            Declared classes that no row has.
        ``ordinal``
            Whether the declared order of the classes is an order of grades (ERA, ESL, LEV, SWD);
            the categories of ``target`` are then ordered.
        ``categories``
            Declared categories of each nominal feature.
        ``name``, ``DESCR``
            The name, and a text with source, licence note and known oddities.

    Raises
    ------
    ValueError
        If there is no such data set; the message suggests the nearest names.

    Examples
    --------
    >>> iris = load_dataset("iris")
    >>> iris.data.shape, iris.target_names
    ((150, 4), ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    >>> load_dataset("contact-lenses").data["age"].cat.categories.tolist()
    ['young', 'pre-presbyopic', 'presbyopic']
    >>> X, y = load_dataset("ERA", return_X_y=True, as_frame=False)
    >>> X.dtype, y[:3]
    (dtype('float64'), array(['4', '2', '7'], dtype='<U1'))
    >>> load_dataset("irris")
    Traceback (most recent call last):
    ...
    ValueError: name is 'irris'; there is no such data set. Did you mean 'iris'? ...
    """
    frame = _read_frame(check_name(name))
    *feature_names, class_name = frame.columns
    features, classes = frame[feature_names], frame[class_name]
    data: Any = features if as_frame else _as_array(features)
    target: Any = classes if as_frame else classes.to_numpy(dtype=str)
    if return_X_y:
        return data, target
    counts = classes.value_counts(sort=False)
    unobserved = counts.index[counts == 0].tolist()
    return Bunch(
        data=data,
        target=target,
        frame=frame if as_frame else None,
        feature_names=feature_names,
        target_names=classes.cat.categories.tolist(),
        unobserved_classes=unobserved,
        ordinal=classes.cat.ordered,
        categories={
            column: features[column].cat.categories.tolist()
            for column in feature_names
            if isinstance(features[column].dtype, pd.CategoricalDtype)
        },
        name=name,
        DESCR=describe(name, unobserved),
    )


def _read_frame(name: str) -> pd.DataFrame:
    columns = _columns()[name]
    *_, class_name = columns
    ordinal = bool(list_datasets().at[name, "ordinal"])
    path = data_folder() / f"{name}.csv.gz"
    with path.open("rb") as packed, gzip.open(packed) as file:
        # Only an empty cell is missing: "NA", "None" and "?" are categories somewhere.
        cells = pd.read_csv(file, dtype=str, na_values=[""], keep_default_na=False)
    for column, categories in columns.items():
        if categories is None:
            # From text by numpy: pandas' own parser has been known to round the last digit.
            cells[column] = cells[column].astype(np.float64)
        else:
            ordered = ordinal and column == class_name
            cells[column] = pd.Categorical(cells[column], categories=categories, ordered=ordered)
    return cells


def _as_array(features: pd.DataFrame) -> Labels:
    numeric = all(dtype == np.float64 for dtype in features.dtypes)
    if numeric:
        return features.to_numpy()
    # Through object columns, so that a missing category is nan like a missing number.
    return features.astype(object).to_numpy(dtype=object, na_value=np.nan)


@cache
def _columns() -> dict[str, dict[str, list[str] | None]]:
    """Column names of every set, in order, with their declared categories if nominal."""
    schemas = json.loads((data_folder() / "columns.json").read_text(encoding="utf-8"))
    return {name: dict(columns) for name, columns in schemas.items()}
