"""Utility functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cautious.displays.display import Display, line_styles, neutral, plain_text
from cautious.utility import Utility, UtilityLike, read_utility

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["UtilityDisplay"]

_SIZES = (1, 2, 3, 4, 5)


class UtilityDisplay(Display):
    """What a right answer of several classes is worth, under several utilities.

    Markers stand at right sets of one to five classes. The thin diagonal is discounted accuracy
    itself, which rewards caution no more than luck.

    Parameters
    ----------
    utilities : utility, sequence of utilities, or mapping of name to utility
        What :func:`cautious.utility.as_utility` takes.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per utility.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), figures 2 and 8.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import UtilityDisplay
    >>> display = UtilityDisplay(["u65", "u80", "F1"]).plot(Figure().subplots())
    >>> display.frame().query("classes == 2").round(3)
       utility  discounted_accuracy  classes  value
    1      u65                  0.5        2  0.650
    6      u80                  0.5        2  0.800
    11      F1                  0.5        2  0.667
    """

    def __init__(
        self, utilities: UtilityLike | Sequence[UtilityLike] | Mapping[Any, UtilityLike]
    ) -> None:
        if isinstance(utilities, Mapping):
            self.utilities = {name: read_utility(u) for name, u in utilities.items()}
        else:
            given = utilities if isinstance(utilities, Sequence) else [utilities]
            given = [given] if isinstance(given, str) else given
            read = [read_utility(u) for u in given]
            self.utilities = {utility.name: utility for utility in read}
        if not self.utilities:
            raise ValueError("utilities is empty; give at least one utility to draw.")

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the utilities.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single utility.
        curve_kwargs : mapping, optional
            Line2D properties for every line.

        Returns
        -------
        self
        """
        utilities = self.utilities
        if name is not None:
            if len(utilities) > 1:
                raise ValueError(f"name is {name!r}, but there are {len(utilities)} utilities.")
            utilities = dict(zip([name], utilities.values(), strict=True))
        axes = self._open(ax)
        axes.plot([0, 1], [0, 1], color=neutral(), linewidth=0.8, alpha=0.6)
        # Ends of the way between markers are the markers themselves.
        marks = np.array([0.0, *(1 / size for size in reversed(_SIZES))])
        x = np.unique(np.concatenate([marks, np.linspace(0, 1, 201)]))
        at = np.searchsorted(x, marks[1:]).tolist()
        self.lines_: list[Line2D] = []
        looks = line_styles(len(utilities), axes)
        for (label, utility), look in zip(utilities.items(), looks, strict=True):
            look |= {"label": plain_text(label), "markevery": at, "markersize": 5} | dict(
                curve_kwargs or {}
            )
            self.lines_.append(self._line(axes, x, utility(x), **look))
        ticks = {"0\nwrong": 0.0} | {f"1/{size}" if size > 1 else "1": 1 / size for size in _SIZES}
        axes.set_xticks(list(ticks.values()), list(ticks))
        axes.set(xlabel="right set of k classes: discounted accuracy 1/k", ylabel="utility")
        self._legend(axes, "lower right")
        return self

    def frame(self) -> pd.DataFrame:
        """Worth of a right set of one to five classes under each utility."""
        return pd.concat([self._frame(name, u) for name, u in self.utilities.items()]).reset_index(
            drop=True
        )

    @staticmethod
    def _frame(name: Any, utility: Utility) -> pd.DataFrame:
        size = np.array(_SIZES)
        columns = {"discounted_accuracy": 1 / size, "classes": size, "value": utility(1 / size)}
        return pd.DataFrame({"utility": name} | columns)
