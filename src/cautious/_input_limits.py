"""How much of anything is read: one number each, for every way into the library.

What goes beyond a limit is refused by a message that names it, before memory or time is spent on
it. The page gets the same numbers as JSON, and ``docs/limits.md`` lists them.
"""

from __future__ import annotations

from typing import NamedTuple

LINE = 1 << 21
HEADING = 1 << 20
CELL = 1 << 21
COLUMNS = 1 << 16
ROW_GROUPS = 100_000
LABEL = (1 << 15) - 1
CLASSES = 1 << 15
SET = 1 << 15
# Weights in this range can be added up in fixed point, and none is rounded by more than 1e-10.
LEAST_WEIGHT, MOST_WEIGHT = 2.0**-32, 2.0**32
JSON, STATE = 16_000_000, 64_000_000
JSON_DEPTH = 12
RESAMPLES = 1_000_000


class Ceiling(NamedTuple):
    """A number that is not gone beyond.

    Attributes
    ----------
    most : float
        The number.
    what : str
        What it counts.
    why : str
        Why it is that much and no more.
    """

    most: float
    what: str
    why: str


CEILINGS: dict[str, Ceiling] = {
    "heading": Ceiling(HEADING, "characters in the first line of a text table", "names of columns"),
    "line": Ceiling(
        LINE, "bytes in a line of a text table", "a row of 65,536 numbers has 1.3 million"
    ),
    "cell": Ceiling(
        CELL,
        "characters in a quoted cell, which may hold several lines",
        "a quotation mark that is missing would make one cell of the rest of a file",
    ),
    "columns": Ceiling(COLUMNS, "columns of a table", "two per class, and those beside them"),
    "row_groups": Ceiling(
        ROW_GROUPS, "row groups of a Parquet file", "each costs time, however few rows it has"
    ),
    "label": Ceiling(
        LABEL,
        "characters in a label: the name of a class, model, group or column",
        "as many as a cell of a spreadsheet holds",
    ),
    "classes": Ceiling(
        CLASSES,
        "classes, and different labels in a column of truths, models or groups",
        "a column of identifiers is no column of classes; sets take a byte per case and class",
    ),
    "set": Ceiling(SET, "labels written in one set, repeated ones included", "no more classes"),
    "weight": Ceiling(
        MOST_WEIGHT, "(excluded) is the largest weight; the least but 0 is 2⁻³²", "fixed point"
    ),
    "json": Ceiling(JSON, "characters in the JSON of a rule or a certificate", "a rule is small"),
    "state": Ceiling(STATE, "characters in the state of a watch", "it grows with its groups"),
    "json_depth": Ceiling(JSON_DEPTH, "levels of nesting in JSON", "a rule needs 7"),
    "resamples": Ceiling(RESAMPLES, "bootstrap replicates", "more would run for days"),
}
"""The limits by name."""
