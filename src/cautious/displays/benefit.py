"""What scores are worth: cost against the price of abstaining, and decision curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from cautious._typing import Floats, as_number
from cautious.curves import AbstentionCostSurface, DecisionCurve
from cautious.displays._display import ScoredCurvesDisplay, line_styles, neutral, plain_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["DecisionCurveDisplay", "PriceDisplay"]

_PRICES = 81


def _check_level(confidence_level: float | None) -> float | None:
    if confidence_level is None:
        return None
    if not 0 < as_number(confidence_level, "confidence_level") < 1:
        raise ValueError(
            f"confidence_level is {confidence_level}; give a level between 0 and 1, or None."
        )
    return confidence_level


def _half_width(variance: Floats, confidence_level: float) -> Floats:
    return np.asarray(stats.norm.ppf((1 + confidence_level) / 2) * np.sqrt(variance))


class PriceDisplay(ScoredCurvesDisplay[AbstentionCostSurface]):
    r"""Cost per case as abstaining gets more expensive, each classifier with its best window.

    A curve is flat from where abstaining is no longer used. At the dotted line,
    :math:`c_{FN} c_{FP} / (c_{FN} + c_{FP})`, it pays for no classifier whatever.

    The windows are chosen on these very cases, so on new ones a case will cost a little more:
    :func:`cautious.tune` says how much. The band is that of the cost of each of these windows.

    Parameters
    ----------
    curves : AbstentionCostSurface, or mapping of name to AbstentionCostSurface
        The classifiers.
    false_negative, false_positive : float, default=1
        What the two mistakes cost.
    abstain : float, optional
        A price of abstaining to mark.
    confidence_level : float or None, default=0.95
        Of the band around each curve, point by point; None draws none.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import PriceDisplay
    >>> display = PriceDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1],
    ...     range(6),
    ...     false_negative=10,
    ...     false_positive=2,
    ...     ax=Figure().subplots(),
    ... )
    >>> display.frame()[["price", "cost", "abstention"]].iloc[[0, 20, 80]].round(3)
        price   cost  abstention
    0   0.000  0.000       0.333
    20  0.521  0.174       0.333
    80  2.083  0.333       0.000
    """

    curve_class = AbstentionCostSurface
    own_options: ClassVar[tuple[str, ...]] = (
        "false_negative",
        "false_positive",
        "abstain",
        "confidence_level",
    )

    def __init__(
        self,
        curves: AbstentionCostSurface | Mapping[Any, AbstentionCostSurface],
        *,
        false_negative: float = 1.0,
        false_positive: float = 1.0,
        abstain: float | None = None,
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        false_negative = as_number(false_negative, "false_negative")
        false_positive = as_number(false_positive, "false_positive")
        if not (0 < false_negative < np.inf and 0 < false_positive < np.inf):
            raise ValueError(
                f"false_negative is {false_negative} and false_positive {false_positive}; both "
                "must be positive and finite."
            )
        if abstain is not None and not 0 <= as_number(abstain, "abstain") < np.inf:
            raise ValueError(f"abstain is {abstain}; give a price of 0 or more.")
        self.false_negative: float = false_negative
        self.false_positive: float = false_positive
        self.abstain = abstain
        self.confidence_level: float | None = _check_level(confidence_level)

    @property
    def never(self) -> float:
        """The price from which abstaining pays for no classifier."""
        fn, fp = self.false_negative, self.false_positive
        return fn * fp / (fn + fp)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single classifier.
        curve_kwargs : mapping, optional
            Line2D properties for every line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import PriceDisplay
        >>> drawn = PriceDisplay.from_predictions(
        ...     [0, 0, 1, 1], range(4), false_negative=10, false_positive=2, ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('cost of abstaining (dotted: from here on it never pays)', 'cost per case')
        """
        axes = self._open(ax)
        curves = self._renamed(name)
        self.lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        looks = line_styles(len(curves), axes)
        for (label, curve), look in zip(curves.items(), looks, strict=True):
            table = self._frame(curve)
            look |= {"marker": "", "label": plain_text(label)} | dict(curve_kwargs or {})
            self.lines_.append(self._line(axes, table["price"], table["cost"], **look))
            if "low" in table:
                ends = table["low"], table["high"]
                self.bands_.append(self._band(axes, table["price"], *ends, self.lines_[-1]))
        axes.axvline(self.never, color=neutral(), linestyle=":", linewidth=1.2)
        if self.abstain is not None:
            axes.axvline(self.abstain, color=neutral(), linestyle="--", linewidth=1)
        axes.set(
            xlabel="cost of abstaining (dotted: from here on it never pays)",
            ylabel="cost per case",
            title=f"cost per case: missed {self.false_negative:g}, false {self.false_positive:g}",
            xlim=(0, self._prices[-1]),
        )
        axes.set_ylim(bottom=0)
        self._legend(axes, "lower right")
        return self

    @property
    def _prices(self) -> Floats:
        far = max(1.25 * self.never, 0.0 if self.abstain is None else 1.1 * self.abstain)
        return np.linspace(0, far, _PRICES)

    def _frame(self, curve: AbstentionCostSurface) -> pd.DataFrame:
        prices = self._prices
        costs = {"false_negative": self.false_negative, "false_positive": self.false_positive}
        windows = [curve.for_costs(costs | {"abstain": float(price)}) for price in prices]
        table = pd.DataFrame(
            {
                "price": prices,
                "cost": [one.cost for one in windows],
                "abstention": [one.abstention for one in windows],
            }
        )
        if self.confidence_level is not None:
            stairs = curve.staircase
            variance = np.zeros(len(prices))
            for n, share, wrong, mistake, silent in (
                (stairs.n_positives, curve.priors[1], "false_negative", self.false_negative,
                 "abstained_positive"),
                (stairs.n_negatives, curve.priors[0], "false_positive", self.false_positive,
                 "abstained_negative"),
            ):  # fmt: skip
                if n < 2 or share == 0:
                    continue
                p, q = (np.array([getattr(one, key) for one in windows]) / share
                        for key in (wrong, silent))  # fmt: skip
                mean = mistake * p + prices * q
                square = mistake**2 * p + prices**2 * q
                variance += share**2 * np.maximum(0, square - mean**2) / (n - 1)
            half = _half_width(variance, self.confidence_level)
            table["low"] = np.maximum(0, table["cost"] - half)
            table["high"] = table["cost"] + half
        return table


class DecisionCurveDisplay(ScoredCurvesDisplay[DecisionCurve]):
    """Net benefit against the probability from which one acts, with and without abstention.

    A model is worth using where its line lies above acting on all and on none.

    Parameters
    ----------
    curves : DecisionCurve, or mapping of name to DecisionCurve
        The classifiers.
    abstain : float, optional
        Price of abstaining, in units of a needed treatment: adds a thin line per classifier for
        its best window.
    thresholds : pair of float, default=(0, 0.99)
        The range of thresholds to draw.
    confidence_level : float or None, default=0.95
        Of the band around each curve, point by point; None draws none.

    Attributes
    ----------
    lines_ : list of Line2D
        One line per classifier.
    bands_ : list of PolyCollection
        One band per classifier, if there are any.
    cautious_lines_ : list of Line2D
        The lines with abstention.
    ax_, figure_
        Where it was drawn.

    References
    ----------
    Vickers & Elkin (2006), "Decision curve analysis: a novel method for evaluating prediction
    models", Medical Decision Making 26.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from cautious.displays import DecisionCurveDisplay
    >>> display = DecisionCurveDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9], ax=Figure().subplots()
    ... )
    >>> display.frame()[["threshold", "net_benefit", "treat_all"]].iloc[[25, 50]].round(4)
        threshold  net_benefit  treat_all
    25       0.25       0.4444     0.3333
    50       0.50       0.3333     0.0000
    """

    curve_class = DecisionCurve
    own_options: ClassVar[tuple[str, ...]] = ("abstain", "thresholds", "confidence_level")

    def __init__(
        self,
        curves: DecisionCurve | Mapping[Any, DecisionCurve],
        *,
        abstain: float | None = None,
        thresholds: tuple[float, float] = (0.0, 0.99),
        confidence_level: float | None = 0.95,
    ) -> None:
        super().__init__(curves)
        low, high = thresholds
        if not 0 <= low < high < 1:
            raise ValueError(
                f"thresholds is {thresholds}; give two, at least 0, rising, and below 1."
            )
        self.abstain = abstain
        self.thresholds: tuple[float, float] = (float(low), float(high))
        self.confidence_level: float | None = _check_level(confidence_level)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            What to call a single classifier.
        curve_kwargs : mapping, optional
            Line2D properties for every line.

        Returns
        -------
        self

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cautious.displays import DecisionCurveDisplay
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
        >>> drawn = DecisionCurveDisplay.from_predictions(
        ...     [0, 0, 1, 0, 1, 1], scores, ax=Figure().subplots()
        ... )
        >>> again = drawn.plot(Figure().subplots(), name="mine")  # on other axes, under a name
        >>> again.ax_.get_xlabel(), again.ax_.get_ylabel()
        ('threshold: how likely before one acts', 'net benefit per case')
        """
        axes = self._open(ax)
        curves = self._renamed(name)
        self.lines_: list[Line2D] = []
        self.bands_: list[Any] = []
        self.cautious_lines_: list[Line2D] = []
        tables = [self._frame(curve) for curve in curves.values()]
        guide = {"color": neutral(), "linewidth": 1}
        axes.plot(
            tables[0]["threshold"], tables[0]["treat_all"], ":", label="positive to all", **guide
        )
        axes.axhline(0, label="positive to none", **guide)
        looks = line_styles(len(curves), axes)
        for label, table, look in zip(curves, tables, looks, strict=True):
            look |= {"marker": "", "label": plain_text(label)} | dict(curve_kwargs or {})
            line = self._line(axes, table["threshold"], table["net_benefit"], **look)
            self.lines_.append(line)
            if "low" in table:
                self.bands_.append(
                    self._band(axes, table["threshold"], table["low"], table["high"], line)
                )
            if "with_abstention" in table:
                faint = {
                    "color": line.get_color(),
                    "linewidth": 1,
                    "linestyle": line.get_linestyle(),
                }
                text = f"{plain_text(label, most=20)}, may abstain at {self.abstain:g}"
                self.cautious_lines_ += axes.plot(
                    table["threshold"], table["with_abstention"], label=text, **faint
                )
        columns = ["net_benefit", "treat_all", "with_abstention"]
        top = max(float(table[[c for c in columns if c in table]].max().max()) for table in tables)
        axes.set(
            xlabel="threshold: how likely before one acts",
            ylabel="net benefit per case",
            xlim=self.thresholds,
            ylim=(-0.15 * max(top, 0.01), 1.08 * max(top, 0.01)),
            title="does acting on it do good?",
        )
        self._legend(axes, "upper right", fontsize="small")
        return self

    def _frame(self, curve: DecisionCurve) -> pd.DataFrame:
        low, high = self.thresholds
        t = np.round(np.arange(round(100 * low), round(100 * high) + 1) / 100, 2)
        t = np.union1d(t[(t >= low) & (t <= high)], [low, high])
        table = curve.frame(t, abstain=self.abstain)
        if self.confidence_level is None:
            return table
        stairs, priors = curve.surface.staircase, curve.surface.priors
        at = np.searchsorted(stairs.scores, t, side="left")
        variance = np.zeros(len(t))
        for counts, share, worth in (
            (stairs.positives, priors[1], np.ones(len(t))),
            (stairs.negatives, priors[0], t / (1 - t)),
        ):
            n = counts.sum()
            if n < 2:
                continue
            above = np.append(np.cumsum(counts[::-1])[::-1], 0.0)[at] / n
            variance += (share * worth) ** 2 * above * (1 - above) / (n - 1)
        half = _half_width(variance, self.confidence_level)
        return table.assign(low=table["net_benefit"] - half, high=table["net_benefit"] + half)
