"""Utilities in every form that people have them in: a name, a function, a utility."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, as_floats
from cautious.errors import shown
from cautious.utility.functions import (
    Utility,
    exponential,
    f_beta,
    logarithmic,
    quadratic,
    u65,
    u80,
)

__all__ = ["UtilityLike", "as_utility", "read_utility"]

UtilityLike: TypeAlias = str | Utility | Callable[[Any], Any]
"""A utility, its name ("u65", "u80", "log", "F1", …), or any function of discounted accuracy."""

_GRID = np.union1d(np.linspace(0, 1, 201), 1 / np.arange(1, 101))
_STEP = 1e-4  # of the differences that stand in for the second derivative


@dataclass(frozen=True, repr=False)
class Custom(Utility):
    """A user's function, with its curvature by differences and its inverse by bisection."""

    function: Callable[[Any], Any]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", None) or repr(self.function)

    @property
    def inversion(self) -> float:
        # Only [0, 1] is known to be the function's domain, so the peak is looked for there.
        inner = np.linspace(_STEP, 1 - _STEP, 2001)
        return float(inner[np.argmax(-inner * self.second_derivative(inner))])

    def __call__(self, x: npt.ArrayLike) -> Floats:
        z = as_floats(x, "x", "accuracies")
        try:
            values = np.asarray(self.function(z), dtype=np.float64)
        except (TypeError, ValueError):
            values = None  # written for single numbers, such as math.sqrt
        if values is None or values.shape != z.shape:
            each = [float(self.function(float(v))) for v in z.ravel()]
            values = np.array(each, dtype=np.float64).reshape(z.shape)
        return values

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        z = np.clip(as_floats(x, "x", "accuracies"), _STEP, 1 - _STEP)
        return (self(z + _STEP) - 2 * self(z) + self(z - _STEP)) / _STEP**2

    def inverse(self, value: npt.ArrayLike) -> Floats:
        y = as_floats(value, "value", "utilities")
        peak = _GRID[np.argmax(self(_GRID))]  # a concave function rises up to its peak
        # Bisection ends at the smallest accuracy also where the function is flat, unlike faster
        # searches for a root.
        low, high = np.zeros_like(y), np.full_like(y, peak)
        for _ in range(60):
            middle = (low + high) / 2
            below = self(middle) < y
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        reached = (y >= self(np.zeros_like(y))) & (y <= self(np.full_like(y, peak)))
        return np.where(reached, high, np.nan)


# The usual ones are fit for scoring, and need neither be read nor checked.
_USUAL: dict[str, Utility] = {"u65": u65, "u80": u80}


def read_utility(utility: UtilityLike) -> Utility:
    """Turn a name or a function into a utility, as it is: neither checked nor scaled."""
    if isinstance(utility, Utility):
        return utility
    if isinstance(utility, str):
        text = utility.strip().lower()
        if text in ("log", "logarithmic"):
            return logarithmic
        if found := re.fullmatch(r"u(\d\d(?:\.\d+)?)", text):
            return quadratic(float(found[1]) / 100)
        if found := re.fullmatch(r"exponential\((\d+(?:\.\d+)?)\)", text):
            return exponential(float(found[1]))
        if found := re.fullmatch(r"f_?(\d+(?:\.\d+)?)", text):
            return f_beta(float(found[1]))
        raise ValueError(
            f"utility is {shown(utility)}; known names are 'u65', 'u80' (or any other two digits), "
            "'logarithmic' and 'F1', 'F2', …; otherwise pass exponential(a) or a function of "
            "discounted accuracy."
        )
    if callable(utility):
        return Custom(utility)
    raise TypeError(
        f"utility is of type {type(utility).__name__}; give a name such as 'u65', one of the "
        "utilities of cautious.utility, or a function of discounted accuracy."
    )


def as_utility(utility: UtilityLike) -> Utility:
    r"""Take a utility fit for scoring: :math:`u(0) = 0`, :math:`u(1) = 1`, concave.

    Utilities are scaled to :math:`u(1) = 1`, which changes no preference, so that scores with them
    are one less the costs of :func:`cautious.costs.utility_costs`. A warning says where a function
    departs from the other two conditions.

    Parameters
    ----------
    utility : Utility, str or callable
        One of this package's utilities; a name ("u65", "u80" or any two digits, "logarithmic" or
        "log", "F1", "F2", …); or a function of discounted accuracy on [0, 1].

    Returns
    -------
    Utility

    Warns
    -----
    UserWarning
        If the utility is not 0 at 0, or not concave; with the place.

    Raises
    ------
    ValueError
        If the utility is not finite on [0, 1], or not positive at 1.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 5, assumption A6.

    Examples
    --------
    >>> as_utility("u65")([0.5])
    array([0.65])
    >>> as_utility("log")([0.5, 1]).round(4)
    array([0.585, 1.   ])
    """
    if isinstance(utility, str) and utility in _USUAL:
        return _USUAL[utility]
    read = read_utility(utility)
    # Of the library's own, only a quadratic can be amiss: it can bend the wrong way.
    if isinstance(read, Custom) or read(0.5) < 0.5 * read(1.0) - 1e-12:
        for problem in _problems(read):
            warnings.warn(problem, UserWarning, stacklevel=2)
    return read.normalised


def _problems(utility: Utility) -> list[str]:
    """Say what keeps a function from being a utility of discounted accuracy, and where."""
    values = utility(_GRID)
    if not np.isfinite(values).all():
        at = _GRID[np.argmin(np.isfinite(values))]
        raise ValueError(
            f"utility {utility.name} is not finite at x = {at:.4g}; it must be defined on [0, 1]."
        )
    if values[-1] <= 0:
        raise ValueError(
            f"utility {utility.name} has u(1) = {values[-1]:g}; a right single class must have a "
            "positive utility."
        )
    values = values / values[-1]
    problems = []
    if abs(values[0]) > 1e-9:
        problems.append(
            f"utility {utility.name} has u(0) = {values[0]:.6g} u(1) instead of 0; scores with it "
            "are not on the scale of an accuracy."
        )
    slopes = np.diff(values) / np.diff(_GRID)
    rises = np.diff(slopes)
    scale = np.abs(slopes).max()
    if (rises > 1e-7 * max(scale, 1)).any():
        at = int(np.argmax(rises))
        problems.append(
            f"utility {utility.name} is not concave: its slope rises from {slopes[at]:.4g} to "
            f"{slopes[at + 1]:.4g} at x = {_GRID[at + 1]:.4g}, so it seeks risk there."
        )
    return problems
