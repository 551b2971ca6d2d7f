"""The bundled data sets: facts about them, and loading one the way scikit-learn's loaders do."""

from __future__ import annotations

import difflib
import gzip
import json
import textwrap
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from cautious._typing import Labels
from cautious.errors import InputError, shown

_PAPERS = {
    "ferri": "Ferri & Hernández-Orallo (2004)",
    "friedel": "Friedel, Rückert & Kramer (2006)",
    "yang": "Yang, Destercke & Masson (2017)",
    "zaffalon": "Zaffalon, Corani & Mauá (2012)",
}


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
    cautious.errors.InputError: name is 'irris'; there is no such data set. Did you mean 'iris'? ...
    """
    frame = _read_frame(check_name(name))
    *feature_names, class_name = frame.columns
    features, classes = frame[feature_names], frame[class_name]
    data: Any = features
    target: Any = classes if as_frame else classes.to_numpy(dtype=str)
    if not as_frame:
        numeric = all(dtype == np.float64 for dtype in features.dtypes)
        # Through object columns, so that a missing category is nan like a missing number.
        data = features.to_numpy() if numeric else features.astype(object).to_numpy(na_value=np.nan)
    if return_X_y:
        return data, target
    unobserved = classes.cat.categories.difference([*classes.unique()], sort=False).tolist()
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
        DESCR=describe_dataset(name, unobserved),
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


@cache
def _columns() -> dict[str, dict[str, list[str] | None]]:
    """Column names of every set, in order, with their declared categories if nominal."""
    schemas = json.loads((data_folder() / "columns.json").read_text(encoding="utf-8"))
    return {name: dict(columns) for name, columns in schemas.items()}


def data_folder() -> Traversable:
    """Where the bundled files are, in a folder or in a zipped package."""
    return files("cautious.datasets") / "data"


def list_datasets() -> pd.DataFrame:
    """List the bundled data sets and the facts about them.

    Returns
    -------
    pandas.DataFrame
        One row per data set, indexed by ``name``, with the columns

        ``rows``, ``features``, ``nominal_features``, ``missing_cells``
            Counts; features and missing cells leave the class out.
        ``classes``, ``classes_declared``
            Classes that occur, and classes the source declares (some never occur).
        ``class_attribute``, ``ordinal``
            Name of the class column, and whether its classes are grades.
        ``friedel``, ``ferri``, ``yang``, ``zaffalon``
            Whether the paper uses the set. Zaffalon's paper does not list its 55 sets, of 2 to 36
            features; ``zaffalon`` marks the candidates.
        ``idsia54``
            Whether the set is one of 54 on a list of IDSIA, the institute of Zaffalon, Corani and
            Mauá.
        ``source``, ``source_version``, ``source_sha256``, ``licence_note``, ``verified``, ``notes``
            Where the file came from, what is known of its licence, how it was checked, oddities.
        ``sha256``
            Digest of the bundled file, uncompressed.

    Examples
    --------
    >>> facts = list_datasets()
    >>> facts.loc["iris", ["rows", "features", "classes"]].tolist()
    [150, 4, 3]
    >>> facts.index[facts.ordinal].tolist()
    ['ERA', 'ESL', 'LEV', 'SWD']
    >>> facts.index[facts.friedel].tolist()
    ['breast-w', 'bupa', 'credit-a', 'diabetes', 'haberman', 'vote']
    """
    return _facts().copy()


@cache
def _facts() -> pd.DataFrame:
    with (data_folder() / "facts.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, index_col="name", keep_default_na=False)


def check_name(name: str) -> str:
    """Return ``name`` if such a set is bundled; otherwise say which names come nearest."""
    known = _facts().index
    if not isinstance(name, str):
        raise TypeError(
            f"name is {shown(name)}; give the name of a data set, for example 'iris'. "
            "list_datasets() lists them."
        )
    if name in known:
        return name
    in_lower_case = {known_name.lower(): known_name for known_name in known}
    asked = name.lower()
    near = difflib.get_close_matches(asked, in_lower_case, n=3, cutoff=0.55)
    near += [other for other in in_lower_case if asked and other.startswith(asked)]
    named = [repr(in_lower_case[other]) for other in dict.fromkeys(near)]
    hint = f" Did you mean {' or '.join(named)}?" if named else ""
    raise InputError(
        "name is {given}; there is no such data set.{hint} {=datasets} lists all {n} names.",
        given=shown(name),
        hint=hint,
        n=len(known),
    )


def describe_dataset(name: str, unobserved: list[str]) -> str:
    """Write the ``DESCR`` of a set: its size, its origin, and what to beware of."""
    fact = _facts().loc[name]
    kind = "ordinal" if fact.ordinal else "nominal"
    used = [paper for key, paper in _PAPERS.items() if fact[key]]
    lines = [
        f"{fact.rows} rows, {fact.features} features ({fact.nominal_features} of them nominal), "
        f"{fact.missing_cells} missing cells; {fact.classes} classes ({kind}) in the column "
        f"{fact.class_attribute!r}.",
        f"Declared but never observed: {', '.join(unobserved)}." if unobserved else "",
        f"Notes: {fact.notes}." if fact.notes else "",
        f"Source: {fact.source} ({fact.source_version}).",
        f"Licence: {fact.licence_note}.",
        f"Verified: {fact.verified}.",
        f"Papers: {'; '.join(used)}.",
    ]
    body = "\n".join(textwrap.fill(line, 88, subsequent_indent="  ") for line in lines if line)
    return f"{name}\n{'=' * len(name)}\n{body}\n"
