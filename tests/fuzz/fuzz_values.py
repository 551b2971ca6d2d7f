"""Arguments that functions accept, and what a call with them is.

Numbers are dyadic, so that half precision holds them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LABELS = ["ash", "elm", "oak"]
TRUTH = np.array(["ash", "elm", "oak", "ash", "elm", "oak", "ash", "elm"])
PREDICTED = np.array(["ash", "oak", "oak", "elm", "elm", "oak", "ash", "ash"])
MASK = np.array(
    [
        [1, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 0],
        [0, 1, 1],
        [0, 0, 1],
        [1, 0, 1],
        [1, 1, 1],
    ],
    dtype=bool,
)
OTHER_MASK = MASK[::-1].copy()
P = (
    np.array(
        [
            [5, 2, 1],
            [2, 5, 1],
            [1, 1, 6],
            [3, 4, 1],
            [1, 5, 2],
            [2, 0, 6],
            [7, 1, 0],
            [4, 1, 3],
        ]
    )
    / 8
)
BINARY = np.array([0, 1, 0, 1, 1, 0, 0, 1])
SCORE = np.array([1, 13, 5, 7, 15, 9, 3, 11]) / 16
OTHER_SCORE = np.array([4, 12, 3, 9, 10, 8, 1, 6]) / 16
CONFIDENCE = np.array([9, 8, 15, 7, 10, 12, 14, 6]) / 16
LOSS = np.array([0, 1, 0, 1, 0, 0, 0, 1.0])
WEIGHT = np.array([1.0, 2, 1, 0, 3, 1, 1, 2])
GROUP = np.array(["x", "y", "x", "y", "x", "y", "x", "y"])
COSTS = np.array([[0, 1, 2], [1, 0, 2], [4, 4, 0.0]])
TABLE = np.array([[0, 100], [20, 0], [2, 3.0]])
CONFUSION = np.array([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6.0]])
COUNTS = np.array([[4, 2, 1], [0, 3, 5], [7, 0, 0.0]])
LOWER = np.array([[1, 2, 1], [0, 4, 2], [2, 2, 2]]) / 8
UPPER = np.array([[4, 5, 4], [2, 6, 4], [4, 4, 4]]) / 8
ACCURACY = np.array([8, 4, 2, 0, 8, 4, 8, 0]) / 8
OTHER_ACCURACY = np.array([4, 4, 4, 4, 8, 8, 4, 4]) / 8
FEATURES = np.array([[0, 1], [1, 0], [2, 2], [0, 0], [1, 1], [2, 1], [0, 2], [1, 2]] * 3)
CLASSES = np.tile(TRUTH, 3)
RESULTS = np.array([[14, 12, 13], [13, 9, 12], [12, 11, 8], [15, 10, 11], [13, 6, 12]]) / 16


@dataclass(frozen=True)
class Call:
    """A function, its array arguments by name with their kinds, and its other arguments."""

    function: Callable[..., Any]
    arrays: dict[str, tuple[str, np.ndarray]]
    others: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **changed: Any) -> Any:
        plain = {name: values for name, (_, values) in self.arrays.items()}
        return self.function(**{**plain, **self.others, **changed})


def labels(values: Any) -> tuple[str, np.ndarray]:
    return "labels", np.asarray(values)


def numbers(values: Any) -> tuple[str, np.ndarray]:
    return "numbers", np.asarray(values, dtype=np.float64)


def probabilities(values: Any) -> tuple[str, np.ndarray]:
    return "probabilities", np.asarray(values, dtype=np.float64)


def booleans(values: Any) -> tuple[str, np.ndarray]:
    return "booleans", np.asarray(values, dtype=np.bool_)
