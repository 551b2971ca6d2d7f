"""Reading the files of the command line, and saying what was taken for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cautious._typing import Floats
from cautious.cli.options import Given
from cautious.cli.showing import note
from cautious.errors import InputError
from cautious.predictions import (
    ModelPredictions,
    Predictions,
    check_numbers,
    label_text,
    open_table,
)
from cautious.predictions import read_predictions as read

__all__ = ["read_cost_columns", "read_predictions"]


def read_predictions(files: Sequence[str], given: Given) -> Predictions:
    """Read the predictions of one or more models, saying which columns were taken for what.

    Parameters
    ----------
    files : sequence of str
        CSV or Parquet files; ``-`` is standard input.
    given : Given
        What the user says about the columns.
    """
    try:
        found = read(list(files), **given.arguments())
    except InputError as error:
        for one in error.notes:  # which columns were taken explains many an error
            note(one.words("cli"))
        raise
    for one in found.notes:
        words = one.words("cli")
        note(words if one.key == "columns" else f"note: {words}")
    return Predictions([_in_words(model) for model in found.values()], found.notes)


def _in_words(model: ModelPredictions) -> ModelPredictions:
    """Make text of the labels, as the command line shows and takes them."""
    classes = tuple(label_text(label) for label in model.classes)
    positive = None if model.pos_label is None else label_text(model.pos_label)
    return replace(model, classes=classes, pos_label=positive)


def read_cost_columns(file: str) -> tuple[list[str], list[str], Floats]:
    """Read a table of costs: answers in the first column, then one column per class.

    Returns
    -------
    answers, classes : list of str
        Labels of rows and of columns.
    costs : ndarray
    """
    table = open_table(file)
    first, *classes = table.names
    try:
        cells = table.read([first], classes)
        columns = [check_numbers(cells.numbers[name], table.place(name)) for name in classes]
    except InputError as error:
        raise error.at(table.name) from None
    labels = cells.labels[first]
    answers: list[Any] = [labels.values[code] if code >= 0 else "" for code in labels.codes]
    return [label_text(one).strip() for one in answers], classes, np.column_stack(columns)
