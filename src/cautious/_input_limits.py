"""How much of anything is read: one number each, for every way into the library.

What goes beyond a limit is refused by a message that names it, before memory or time is spent on
it. The page gets the same numbers as JSON, and ``docs/limits.md`` lists them.
"""

from __future__ import annotations

LINE = 1 << 21
HEADING = 1 << 20
CELL = 1 << 21
COLUMNS = 1 << 16
ROW_GROUPS = 100_000
LABEL = (1 << 15) - 1
CLASSES = 1 << 15
GROUPS = 1 << 20
SET = 1 << 15
# Weights in this range can be added up in fixed point, and none is rounded by more than 1e-10.
LEAST_WEIGHT, MOST_WEIGHT = 2.0**-32, 2.0**32
JSON, STATE = 16_000_000, 64_000_000
JSON_DEPTH = 12
RESAMPLES = 1_000_000

CEILINGS: dict[str, float] = {
    "heading": HEADING,
    "line": LINE,
    "cell": CELL,
    "columns": COLUMNS,
    "row_groups": ROW_GROUPS,
    "label": LABEL,
    "classes": CLASSES,
    "groups": GROUPS,
    "set": SET,
    "weight": MOST_WEIGHT,
    "json": JSON,
    "state": STATE,
    "json_depth": JSON_DEPTH,
    "resamples": RESAMPLES,
}
"""The limits by name, in the order of ``docs/limits.md``."""
