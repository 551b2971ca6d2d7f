"""What the search asks of a family of set costs.

Each family is a named tuple of arrays with the methods below. The search calls them through the
functions of the same names, which numba resolves by the type of the tuple: so each family is
compiled by itself, when it is first needed, and all of them run as plain Python too.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints

__all__ = ["METHODS", "Problem", "Status", "expected_cost", "minorant", "no_larger_wins", "step"]

Status: TypeAlias = npt.NDArray[np.int8]
"""What has been decided about each class: 1 in, -1 out, 0 open."""


class Problem(Protocol):
    """Set costs, divided by the largest of them."""

    @property
    def scale(self) -> float:
        """The largest cost, by which all were divided."""

    @property
    def singles(self) -> Floats:
        """Costs of single classes: predictions are rows, truths are columns."""

    @property
    def moves(self) -> int:
        """How many minorants to take at a node at most before branching on it."""

    def minorant(
        self, p: Floats, k: int, status: Status, x: Floats, rows: Ints
    ) -> tuple[float, Floats]:
        r"""Find a modular function below the expected cost of all sets of a node.

        Parameters
        ----------
        p : ndarray of shape (K,)
            Class probabilities.
        k : int
            The size of the sets.
        status : ndarray of shape (K,)
            What has been decided about each class.
        x : ndarray of shape (K,)
            Where to be tight: weights within [0, 1], k in all, 1 on the classes that are in.
        rows : ndarray
            The open classes, more than are needed.

        Returns
        -------
        value : float
        slopes : ndarray
            ``value + slopes @ (set[rows] - x[rows])`` is at most the expected cost of the set.
        """

    def step(
        self, p: Floats, k: int, x: Floats, rows: Ints, slopes: Floats, taken: Ints, turn: int
    ) -> bool:
        """Move `x` to where a new minorant promises a better bound, and say if there is such.

        ``rows[taken]`` complete the set of the least value of the present one; `turn` counts moves.
        """

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set of classes."""

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Whether it is sure that no set of k or more classes costs less than `best`."""


def minorant(
    problem: Problem, p: Floats, k: int, status: Status, x: Floats, rows: Ints
) -> tuple[float, Floats]:
    """Call the method of the same name."""
    return problem.minorant(p, k, status, x, rows)


def step(
    problem: Problem,
    p: Floats,
    k: int,
    x: Floats,
    rows: Ints,
    slopes: Floats,
    taken: Ints,
    turn: int,
) -> bool:
    """Call the method of the same name."""
    return problem.step(p, k, x, rows, slopes, taken, turn)


def expected_cost(problem: Problem, p: Floats, members: Ints) -> float:
    """Call the method of the same name."""
    return problem.expected_cost(p, members)


def no_larger_wins(problem: Problem, p: Floats, k: int, x: Floats, best: float) -> bool:
    """Call the method of the same name."""
    return problem.no_larger_wins(p, k, x, best)


METHODS = (minorant, step, expected_cost, no_larger_wins)
