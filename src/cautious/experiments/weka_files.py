"""What WEKA reads and writes: data as ARFF, predictions as CSV."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["arff", "labels_of", "read_predictions"]


def arff(X: Any, y: Any) -> str:
    """Write data as WEKA reads them, the class last.

    Attributes and categories are named by their positions (``a0``, ``v0``), so that no name or
    label whatever needs quoting; :func:`read_predictions` gives the labels back.

    Parameters
    ----------
    X : DataFrame or array-like
        Numbers stay numbers; every other column is nominal, its categories in declared order or,
        if it declares none, sorted. Missing values are ``?``.
    y : array-like
        Labels, none of them missing.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If X and y do not fit together, a number is infinite or a label is missing.

    Examples
    --------
    >>> X = pd.DataFrame({"size, cm": [1.5, None], "hue": pd.Categorical(["it's", "10 %"])})
    >>> print(arff(X, pd.Series(["no", "yes"])))
    @relation data
    @attribute a0 numeric
    @attribute a1 {v0,v1}
    @attribute a2 {v0,v1}
    @data
    1.5,v1,v0
    ?,v0,v1
    """
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} rows and y {len(y)}; give as many labels as rows.")
    frame = pd.DataFrame(X)
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    kinds, values = zip(*map(_attribute, [*columns, labels_of(y)]), strict=True)
    head = [f"@attribute a{i} {kind}" for i, kind in enumerate(kinds)]
    rows = [",".join(row) for row in zip(*values, strict=True)]
    return "\n".join(["@relation data", *head, "@data", *rows])


def labels_of(y: Any) -> pd.Series[Any]:
    """Give labels as categories, in declared order or sorted, or refuse if one is missing."""
    labels = pd.Series(y).astype("category")
    missing = np.flatnonzero(labels.isna())
    if len(missing):
        raise ValueError(f"y has no label in row {missing[0]}; leave the row out, of X too.")
    return labels


def _attribute(column: pd.Series[Any]) -> tuple[str, list[str]]:
    """Give an attribute's type and its values, both as WEKA reads them."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        endless = np.flatnonzero(np.isinf(numbers))
        if len(endless):
            raise ValueError(
                f"column {column.name!r} of X is infinite in row {endless[0]}; WEKA takes finite "
                "numbers and missing values only. Replace it, by nan for instance."
            )
        return "numeric", ["?" if np.isnan(v) else repr(float(v)) for v in numbers]
    nominal = column.astype("category").cat
    kind = "{" + ",".join(f"v{i}" for i in range(len(nominal.categories))) + "}"
    return kind, ["?" if code < 0 else f"v{code}" for code in nominal.codes]


def read_predictions(text: str, classes: list[Any]) -> pd.DataFrame:
    """Read what WEKA writes for ``-classifications "…CSV -distribution"`` in cross-validation.

    Parameters
    ----------
    text : str
        One line a case, fold after fold; in each fold the cases are counted from 1.
    classes : list
        The labels, in the order of the ARFF declaration.

    Returns
    -------
    DataFrame
        Columns ``fold`` (from 0) and ``truth``, and ``p_<class>`` for each class.

    Examples
    --------
    >>> text = '''inst#,actual,predicted,error,distribution,
    ... 1,1:v0,1:v0,,*0.75,0.25
    ... 2,2:v1,1:v0,+,*0.6,0.4
    ... 1,2:v1,2:v1,,0,*1
    ... '''
    >>> read_predictions(text, ["no", "yes"])
       fold truth  p_no  p_yes
    0     0    no  0.75   0.25
    1     0   yes  0.60   0.40
    2     1   yes  0.00   1.00
    """
    # The asterisk marks the largest probability. Read all digits: rounding would make ties.
    plain = text.replace("*", "").strip()
    proba = [f"p_{label}" for label in classes]
    kinds: dict[str, Any] = {"case": int, "actual": str, **dict.fromkeys(proba, float)}
    try:
        rows = pd.read_csv(
            StringIO(plain),
            names=["case", "actual", "predicted", "error", *proba],
            skiprows=1,
            index_col=False,
            converters=kinds,
        )
        if rows.empty:
            raise ValueError("no line after the first")
    except ValueError as error:
        first = plain.partition("\n")[0]
        raise ValueError(
            f"these are no predictions of WEKA's for {len(classes)} classes ({error}); the text "
            f"begins {first[:80]!r}. Ask for CSV with -distribution."
        ) from error
    actual = rows["actual"].str.partition(":")[0].astype(int).to_numpy() - 1
    facts = {
        "fold": (rows["case"] == 1).cumsum() - 1,
        "truth": np.array(classes, dtype=object)[actual],
    }
    return pd.DataFrame(facts).join(rows[proba])
