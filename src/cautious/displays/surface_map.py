"""Maps of the cost square: what displays of one abstention cost surface share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.curves import AbstentionCostSurface, SurfaceGrid
from cautious.displays.display import Display
from cautious.displays.named_curves import named_cv_results
from cautious.displays.palette import halo, neutral
from cautious.displays.wording import plain_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["MU_WORDS", "NU_WORDS", "SurfaceDisplay", "draw_isolines"]

MU_WORDS = "cost of a false positive\n(a false negative costs 1)"
NU_WORDS = "cost of not answering\n(a false negative costs 1)"


class SurfaceDisplay(Display, ABC):
    """Display of something over the square of relative costs.

    Parameters
    ----------
    surface : AbstentionCostSurface
        The surface.
    n : int, default=201
        Grid lines a side at which it is evaluated.
    name : str, optional
        What to call the classifier in the title.
    """

    own_options: ClassVar[tuple[str, ...]] = ("n",)

    def __init__(
        self, surface: AbstentionCostSurface, *, n: int = 201, name: str | None = None
    ) -> None:
        self.surface = surface
        self.n = n
        self.name = name

    @cached_property
    def grid(self) -> SurfaceGrid:
        """The surface on the grid."""
        return self.surface.grid(self.n)

    def frame(self) -> pd.DataFrame:
        """One row a grid point: relative costs, least expected cost, window and abstention."""
        return self.grid.frame()

    @abstractmethod
    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the map."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        style: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the surface of true labels and scores.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            True labels, and scores that grow with the belief in the positive class.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call the classifier in the title.
        style : mapping, optional
            Keywords for :meth:`plot`.
        **options
            Keywords of the display itself, and of
            :meth:`cautious.curves.AbstentionCostSurface.from_predictions` (`pos_label`,
            `sample_weight`, `priors`).

        Returns
        -------
        display
            Drawn already.
        """
        own = cls._own(options)
        surface = AbstentionCostSurface.from_predictions(y_true, y_score, **options)
        return cls(surface, name=name, **own).plot(ax, **(style or {}))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        style: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the surface of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba`` or ``decision_function``.
        X, y : array-like
            Examples and their true labels.
        name : str, optional
            What to call the classifier in the title; by default its class.
        ax, style, **options
            As in :meth:`from_predictions`.

        Returns
        -------
        display
            Drawn already.
        """
        own = cls._own(options)
        surface = AbstentionCostSurface.from_estimator(estimator, X, y, **options)
        name = type(estimator).__name__ if name is None else name
        return cls(surface, name=name, **own).plot(ax, **(style or {}))

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        style: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the surface of pooled out-of-fold scores.

        Parameters
        ----------
        cv_results : dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array-like
            The data that were cross-validated.
        name : str, optional
            What to call the classifier in the title; by default its class.
        ax, style, **options
            As in :meth:`from_predictions`.

        Returns
        -------
        display
            Drawn already.
        """
        own = cls._own(options)
        surface = AbstentionCostSurface.from_cv_results(cv_results, X, y, **options)
        (name,) = named_cv_results(cv_results, name)
        return cls(surface, name=name, **own).plot(ax, **(style or {}))

    @classmethod
    def _own(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Take out of the options those that the display itself understands."""
        return {key: options.pop(key) for key in cls.own_options if key in options}

    def _title(self, name: str | None) -> str:
        positive = f"positive: {plain_text(self.surface.classes[1])}"
        name = self.name if name is None else name
        return positive if name is None else f"{plain_text(name)} ({positive})"

    def _draw_map(
        self, axes: Any, values: Floats, words: str, name: str | None, **style: Any
    ) -> Any:
        """Colour the square by values, with a colour bar; give the mesh."""
        grid = self.grid
        look = {"shading": "nearest", "rasterized": True} | style
        mesh = axes.pcolormesh(grid.mu, grid.nu, values, **look)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=MU_WORDS, ylabel=NU_WORDS, aspect="equal")
        axes.set_title(self._title(name))
        self.colorbar_ = axes.figure.colorbar(mesh, ax=axes, label=words)
        return mesh

    def _draw_bound(self, axes: Any) -> Any:
        """Draw the line above which no classifier whatever gains by abstaining."""
        mu = np.linspace(0, 1, 101)
        (line,) = axes.plot(
            mu,
            mu / (1 + mu),
            color=neutral(),
            linestyle="--",
            linewidth=1.2,
            path_effects=halo(3),
            label="above: answering always pays",
        )
        axes.legend(loc="upper left")
        return line


def draw_isolines(axes: Any, mu: Floats, nu: Floats, values: Floats) -> Any:
    """Draw lines of equal value with their numbers on them; None if all values are equal."""
    from matplotlib.ticker import MaxNLocator

    low, high = float(values.min()), float(values.max())
    levels = [v for v in MaxNLocator(9).tick_values(low, high) if low < v < high]
    if not levels:
        return None
    lines = axes.contour(mu, nu, values, levels=levels, colors=[neutral()], linewidths=0.9)
    lines.set_path_effects(halo())
    for text in axes.clabel(lines, fmt="%g", fontsize="small"):
        text.set_path_effects(halo(2.5))
    return lines
