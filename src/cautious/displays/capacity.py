"""Capacity graphs of abstaining classifiers, and what they achieve together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._random import bootstrap_weights, check_level
from cautious._typing import Floats
from cautious.curves import CapacityCurve, capacity_hull
from cautious.displays._display import NamedCurvesDisplay, line_styles, named, neutral, plain_text
from cautious.metrics._confusion import full_coverage_error

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from cautious.curves._capacity import CapacityHull

__all__ = ["CapacityDisplay"]

_RESAMPLES, _LEVELS = 500, 51


class CapacityDisplay(NamedCurvesDisplay[CapacityCurve]):
    """Error of abstaining classifiers moved to every level of abstention, with their hull.

    A marker stands where a classifier itself stands; its tails lead to guessing everything and to
    answering nothing. Whatever lies above the hull can be discarded: a mixture of others errs less.

    Parameters
    ----------
    curves : CapacityCurve, or mapping of name to CapacityCurve
        Graphs of classifiers on the same examples.
    hull : bool, default=True
        Whether to draw the lower convex hull of several graphs.
    confidence_level : float or None, default=0.95
        Of the band around each graph, point by point, from a bootstrap of the cases within their
        classes; None draws none, and there is none of a printed matrix of shares.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
    hull_line_ : Line2D or None
        The hull; there is none of a single classifier.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Ferri & Hernández-Orallo (2004), "Cautious classifiers", section 3, figures 2 and 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import CapacityDisplay
    >>> y_true = ["a", "a", "b", "b", "b"]
    >>> sets = {"bold": ["a", "b", "b", "b", "b"], "shy": ["a", None, "b", None, "b"]}
    >>> display = CapacityDisplay.from_predictions(y_true, sets, ax=Figure().subplots())
    >>> display.frame()
      classifier  abstention  error
    0       bold         0.0    0.2
    1       bold         1.0    0.0
    2        shy         0.0    0.2
    3        shy         0.4    0.0
    4        shy         1.0    0.0
    5       hull         0.0    0.2
    6       hull         0.4    0.0
    7       hull         1.0    0.0
    """

    curve_class = CapacityCurve
    own_options: ClassVar[tuple[str, ...]] = ("hull", "confidence_level")

    def __init__(
        self,
        curves: CapacityCurve | Mapping[Any, CapacityCurve],
        *,
        hull: bool = True,
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        self.confidence_level: float | None = (
            None if confidence_level is None else check_level(confidence_level)
        )
        several = hull and len(self.curves) > 1
        self.hull: CapacityHull | None = capacity_hull(self.curves) if several else None

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_set: Any,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the graphs of prediction sets.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        y_set : prediction sets, or mapping of name to prediction sets
            Sets of one classifier or several.
        ax, name, curve_kwargs
            As in :meth:`plot`.
        **options
            Keywords of the display itself, and of
            :meth:`cautious.curves.CapacityCurve.from_predictions`.

        Returns
        -------
        display
            Drawn already.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import CapacityDisplay
        >>> sets = {"bold": ["a", "b", "b"], "shy": ["a", None, "b"]}
        >>> drawn = CapacityDisplay.from_predictions(["a", "a", "b"], sets, ax=Figure().subplots())
        >>> list(drawn.curves)
        ['bold', 'shy']
        """
        sources = named(y_set, name)
        return cls._made("from_predictions", sources, ax, curve_kwargs, options, y_true)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the graphs.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single classifier.
        curve_kwargs : mapping, optional
            Line2D properties for every classifier's line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import CapacityDisplay
        >>> sets = {"bold": ["a", "b", "b"], "shy": ["a", None, "b"]}
        >>> drawn = CapacityDisplay.from_predictions(["a", "a", "b"], sets, ax=Figure().subplots())
        >>> again = drawn.plot(Figure().subplots())  # on other axes
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('share of cases not answered', 'share of all cases answered wrongly')
        """
        style = dict(curve_kwargs or {})
        axes = self._open(ax)
        curves = self._renamed(name)
        self.hull_line_: Line2D | None = None
        if self.hull is not None:
            corners = self.hull.corners
            (self.hull_line_,) = axes.plot(
                corners["abstention"],
                corners["error"],
                color=neutral(),
                alpha=0.25,
                linewidth=7,
                solid_capstyle="round",
                label=f"hull of all (capacity {self.hull.capacity:.3f})",
            )
        self.lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        for (label, curve), look in zip(
            curves.items(), line_styles(len(curves), axes), strict=True
        ):
            points = curve.frame()
            own = points.index[points["abstention"] == curve.abstention]
            text = f"{plain_text(label)} (capacity {curve.capacity:.3f})"
            look |= {"markevery": own.tolist(), "label": text} | style
            line = self._line(axes, points["abstention"], points["error"], **look)
            self.lines_.append(line)
            if self.confidence_level is not None and _counts_cases(curve):
                self.bands_.append(self._band(axes, *_band(curve, self.confidence_level), line))
        axes.set(
            xlabel="share of cases not answered",
            ylabel="share of all cases answered wrongly",
            xlim=(-0.02, 1.02),
            title="errors at every level of abstention",
        )
        axes.set_ylim(bottom=0)
        self._legend(axes, "upper right")
        return self

    def frame(self) -> pd.DataFrame:
        """Corners of all graphs and, under the name ``hull``, of the hull.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import CapacityDisplay
        >>> sets = {"bold": ["a", "b", "b"], "shy": ["a", None, "b"]}
        >>> drawn = CapacityDisplay.from_predictions(["a", "a", "b"], sets, ax=Figure().subplots())
        >>> drawn.frame().query("classifier == 'hull'").round(3)
          classifier  abstention  error
        5       hull       0.000  0.167
        6       hull       0.333  0.000
        7       hull       1.000  0.000
        """
        graphs = super().frame()
        if self.hull is None:
            return graphs
        corners = self.hull.corners[["abstention", "error"]].assign(classifier="hull")
        return pd.concat([graphs, corners], ignore_index=True)

    def _frame(self, curve: CapacityCurve) -> pd.DataFrame:
        return curve.frame()


def _counts_cases(curve: CapacityCurve) -> bool:
    """Whether the weights can be numbers of cases; a matrix of shares says nothing of those."""
    return bool(curve.counts.n >= np.count_nonzero(curve.counts.weight))


def _band(curve: CapacityCurve, level: float) -> tuple[Floats, Floats, Floats]:
    """Levels of abstention, and between which errors there the share `level` of replicates lies."""
    counts, wanted = curve.counts, np.linspace(0, 1, _LEVELS)
    drawn = bootstrap_weights(counts.weight, _RESAMPLES, strata=counts.truth, random_state=0)
    resampled = replace(counts, weight=np.concatenate(list(drawn)))
    answered = counts.answered()
    own, error, guessed = (
        np.asarray(one)[:, None]
        for one in (
            resampled.mean(~answered),
            resampled.mean(answered & ~counts.hit),
            full_coverage_error(resampled, curve.guess),
        )
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # who abstains on nothing, or on all
        rising = guessed + (error - guessed) * wanted / own
        falling = error * (1 - wanted) / (1 - own)
    errors = np.nan_to_num(np.where(wanted < own, rising, falling))
    low, high = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return wanted, low, high
