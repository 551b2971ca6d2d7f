"""Reading the predictions of one or more models from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from cautious.cli.columns import described, settle_columns
from cautious.cli.options import Given
from cautious.cli.predictions import Predictions
from cautious.cli.raw_predictions import RawPredictions, sorted_labels
from cautious.cli.showing import note
from cautious.cli.tables import open_table
from cautious.sets import first_row

__all__ = ["read_predictions"]


def read_predictions(files: Sequence[str], given: Given) -> list[Predictions]:
    """Read the predictions of one or more models, saying which columns were taken for what.

    Parameters
    ----------
    files : sequence of str
        CSV or Parquet files; ``-`` is standard input.
    given : Given
        What the user says about the columns.
    """
    if len(set(files)) < len(files):
        raise ValueError("a file is given twice; give each model's file once.")
    said: dict[str, str] = {}
    try:
        raw = [_read(file, given, said) for file in files]
        # Sets written out name only the classes that occur: those of all files together count.
        known = sorted_labels({label for one in raw for label in one.mentioned()})
        found = []
        for file, name, one in zip(files, _names(files), raw, strict=True):
            parts = list(one.models(given, known, name))
            positive = None if parts[0].score is None else parts[0].positive[:60]
            said[file] = f"{one.table.name}: {described(one.columns, one.table.names, positive)}"
            found += parts
    finally:  # which columns were taken explains many an error, too
        for words in said.values():
            note(words)
    for one in raw:
        for words in one.notes:
            note(f"note: {one.table.name}: {words}")
    names = pd.Index([model.name for model in found])
    if names.has_duplicates:
        name = names[first_row(names.duplicated())]
        raise ValueError(f"two models are called {name[:60]!r}; give each its own name.")
    for model in found:
        if model.score is not None:
            _check_both_classes(model)
    return found


def _read(file: str, given: Given, said: dict[str, str]) -> RawPredictions:
    table = open_table(file)
    try:
        columns = settle_columns(table.names, given)
    except ValueError as error:
        raise ValueError(f"{table.name}: {error}") from None
    said[file] = f"{table.name}: {described(columns, table.names)}"
    return RawPredictions.read(table, columns, given.case)


def _names(files: Sequence[str]) -> list[str]:
    """Name models after their files, by as little of the path as tells them apart."""
    stems = ["standard input" if file == "-" else Path(file).stem for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)


def _check_both_classes(one: Predictions) -> None:
    counted = one.truth if one.weight is None else one.truth[one.weight > 0]
    for label in one.classes:
        if not (counted == label).any():
            raise ValueError(
                f"{one.name[:60]}: no row has the truth {label[:60]!r}; rows of two classes are "
                "needed."
            )
