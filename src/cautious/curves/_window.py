r"""Abstention windows: where thresholds lie, what they cost, and which are Bayes-optimal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._labels import answer_index
from cautious._result import Shown
from cautious._typing import FINITE, Floats, Ints, Mask, as_floats
from cautious.costs._tables import beyond_right_answers
from cautious.decision import Rule
from cautious.decision._thresholds import window_rule

if TYPE_CHECKING:
    from cautious.curves._staircase import ClassScales, Staircase

Per: TypeAlias = Literal["answer", "case"]
"""What a budget is counted over."""


@dataclass(frozen=True, repr=False)
class Window(Shown):
    r"""Two thresholds on a score, what they do with the cases, and what that costs.

    The positive class is answered from `upper` on, the negative class up to `lower`, and between
    them the classifier abstains. For a fixed window :math:`a` the expected cost in units of a
    false negative is a plane over the relative costs (Friedel, Rückert & Kramer 2006, eq. 7):

    .. math:: c(a, \mu, \nu) = \mathrm{FN} + \mu\,\mathrm{FP} + \nu\,\bot.

    Attributes
    ----------
    lower, upper : float
        The thresholds.
    true_negative, false_negative, false_positive, true_positive : float
        Shares of all cases that get each kind of answer.
    abstained_negative, abstained_positive : float
        Shares of all cases that are abstained on, by their true class.
    classes : tuple (negative, positive)
        The labels of the two classes.
    cost : float or None
        Expected cost per case in the units of the costs the window was chosen for; None if it was
        chosen without costs.
    trivial : Series or None
        Expected cost per case if every case got the same answer: either class, or abstaining.
    staircase : Staircase or None
        The scores that the window was chosen on; its rule keeps bins of them.

    See Also
    --------
    AbstentionCostSurface.for_costs, AbstentionCostSurface.for_max_abstention : find windows.

    Examples
    --------
    >>> window = Window(0.2, 0.8, 0.4, 0.1, 0.05, 0.25, 0.1, 0.1)
    >>> window
    Window(lower=0.2, upper=0.8, abstention=0.2, selective_error=0.1875, classes=(0, 1))
    >>> round(window.relative_cost(mu=0.5, nu=0.2), 4)
    0.165
    >>> window.predict_set([0.1, 0.5, 0.9])
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    """

    lower: float
    upper: float
    true_negative: float
    false_negative: float
    false_positive: float
    true_positive: float
    abstained_negative: float
    abstained_positive: float
    classes: tuple[Any, Any] = (0, 1)
    cost: float | None = None
    trivial: pd.Series[float] | None = field(default=None, compare=False)
    staircase: Staircase | None = field(default=None, compare=False)

    @property
    def abstention(self) -> float:
        """Share of cases abstained on."""
        return self.abstained_negative + self.abstained_positive

    @property
    def coverage(self) -> float:
        """Share of cases answered."""
        return self.true_negative + self.false_negative + self.false_positive + self.true_positive

    @property
    def error(self) -> float:
        """Share of all cases answered wrongly."""
        return self.false_negative + self.false_positive

    @property
    def selective_error(self) -> float:
        """Share of the answers that are wrong; nan if nothing is answered."""
        return self.error / self.coverage if self.coverage > 0 else np.nan

    @property
    def saving(self) -> float | None:
        """How much less a case costs than under the best single answer to all; None without costs.

        The single answers are those of :attr:`trivial`.
        """
        if self.cost is None or self.trivial is None:
            return None
        return float(self.trivial.min() - self.cost)

    @property
    def shares(self) -> tuple[float, ...]:
        """Shares of missed positives, alarmed negatives, and abstained of either, in this order."""
        abstained = self.abstained_positive, self.abstained_negative
        return self.false_negative, self.false_positive, *abstained

    def relative_cost(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        """Give the expected cost per case in units of a false negative, with numpy broadcasting.

        Parameters
        ----------
        mu, nu, nu_negative : float or array-like
            Relative costs of a false positive and of abstaining (on a negative, where that
            differs).
        """
        return plain(check_binary_costs(mu, nu, nu_negative).expected(*self.shares))

    def predict_set(self, y_score: npt.ArrayLike) -> Mask:
        """Answer new scores with this window; see :class:`cautious.decision.Rule`."""
        return window_rule(y_score, self.lower, self.upper)

    def rule(self) -> Rule:
        """Give the window as a rule, to be saved, applied and watched.

        Where the window was found on a curve, the rule holds bins of the scores, by which
        :func:`cautious.watch` watches their drift. Where it was found on a summary of a log, the
        rule knows the column of scores and, of several models, its own.
        """
        from cautious.curves._hull import kept_scores

        ends, stairs = {"lower": self.lower, "upper": self.upper}, self.staircase
        if stairs is None:
            return Rule.of("window", self.classes, **ends)
        data = kept_scores(stairs) or None
        return Rule.of("window", self.classes, **ends, model=stairs.model, data=data)

    def frame(self) -> pd.DataFrame:
        """Shares of all cases: answers as rows (abstaining last), truths as columns."""
        return pd.DataFrame(
            [
                [self.true_negative, self.false_negative],
                [self.false_positive, self.true_positive],
                [self.abstained_negative, self.abstained_positive],
            ],
            index=answer_index(self.classes),
            columns=pd.Index(self.classes, name="truth"),
        )

    def _facts(self) -> dict[str, Any]:
        names = ["lower", "upper", "abstention", "selective_error"]
        names += [] if self.cost is None else ["cost"]
        return {name: getattr(self, name) for name in names} | {"classes": self.classes}


def window_between(lower: float, upper: float, stairs: Staircase, scales: ClassScales) -> Window:
    """Rates of a window whose thresholds are in order."""
    scores = stairs.scores
    above = len(scores) if upper == np.inf else int(np.searchsorted(scores, upper, side="left"))
    below = 0 if lower == -np.inf else int(np.searchsorted(scores, lower, side="right"))
    below = min(below, above)  # a score on both thresholds is answered positive
    parts = (slice(0, below), slice(above, None), slice(below, above))
    tn, fp, bn = (float(stairs.negatives[part].sum() * scales.negative) for part in parts)
    fn, tp, bp = (float(stairs.positives[part].sum() * scales.positive) for part in parts)
    return Window(lower, upper, tn, fn, fp, tp, bn, bp, stairs.classes, staircase=stairs)


class BinaryCosts(NamedTuple):
    """What mistakes and abstaining cost beyond a right answer, broadcast against each other.

    In normal form a false negative costs one, a false positive μ, and abstaining ν.
    """

    false_negative: Floats
    false_positive: Floats
    abstain_positive: Floats
    abstain_negative: Floats

    def expected(self, *shares: Floats | float) -> Floats:
        """Cost per case, from the shares of all cases that are treated so, in the same order."""
        first, *others = (cost * share for cost, share in zip(self, shares, strict=True))
        return np.asarray(sum(others, first))


def check_binary_costs(
    mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
) -> BinaryCosts:
    """Check relative costs, which must be finite and not negative, and broadcast them."""
    named = {"mu": mu, "nu": nu, "nu_negative": nu if nu_negative is None else nu_negative}
    words = (
        "relative costs must be finite and not negative. They are measured against the cost of a "
        "false negative; to forbid abstaining, take nu = 1"
    )
    arrays = [as_floats(named[name], name, "relative costs", words=words) for name in named]
    return BinaryCosts(*np.broadcast_arrays(1.0, *arrays))


def binary_costs(table: Floats, classes: tuple[Any, ...]) -> BinaryCosts:
    """Costs beyond those of right answers, from a table of two classes."""
    extra = beyond_right_answers(table, classes)
    return BinaryCosts(extra[0, 1], extra[1, 0], extra[2, 1], extra[2, 0])


def chow_window(
    mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    r"""Optimal window on calibrated probabilities of the positive class.

    At probability :math:`q` the three answers cost :math:`q` (n), :math:`\mu(1-q)` (p) and
    :math:`\nu_P q + \nu_N (1-q)` (⊥). Answering n is best up to, and answering p from

    .. math::

        q_n = \frac{\nu_N}{1 - \nu_P + \nu_N}, \qquad
        q_p = \frac{\mu - \nu_N}{\mu - \nu_N + \nu_P},

    if :math:`\nu_P + \nu_N/\mu < 1`; otherwise abstaining never pays and both thresholds are
    :math:`\mu/(1+\mu)`. With :math:`\nu_P = \nu_N = \nu` that condition is
    :math:`\nu < \mu/(1+\mu)` and :math:`(q_n, q_p) = (\nu, 1 - \nu/\mu)`; with :math:`\mu = 1` it
    is Chow's rule: abstain while :math:`\max(q, 1-q) < 1 - \nu`.

    Parameters
    ----------
    mu : float or array-like
        Cost of a false positive relative to a false negative.
    nu : float or array-like
        Relative cost of abstaining (on a positive, if `nu_negative` is given).
    nu_negative : float or array-like, optional
        Relative cost of abstaining on a negative, where it differs.

    Returns
    -------
    lower, upper : float or ndarray
        Answer n up to `lower`, p from `upper`, abstain between.

    References
    ----------
    Chow (1970); Friedel, Rückert & Kramer (2006), lemma 1.

    Examples
    --------
    >>> chow_window(1.0, 0.25)
    (0.25, 0.75)
    >>> chow_window(0.25, 0.5)  # abstaining costs too much
    (0.2, 0.2)
    """
    lower, upper = posterior_window(check_binary_costs(mu, nu, nu_negative))
    return plain(lower), plain(upper)


def posterior_window(costs: BinaryCosts) -> tuple[Floats, Floats]:
    """Thresholds of :func:`chow_window`, for costs in any unit."""
    fn, fp, on_pos, on_neg = costs
    pays = on_pos * fp + on_neg * fn < fn * fp
    indifferent = fp / (fn + fp)
    # Where abstaining pays, both denominators are positive; elsewhere they are not used.
    lower = np.where(pays, on_neg / np.where(pays, fn - on_pos + on_neg, 1.0), indifferent)
    upper = np.where(pays, (fp - on_neg) / np.where(pays, fp - on_neg + on_pos, 1.0), indifferent)
    # Rounding could make them cross by one unit in the last place at the very edge.
    return lower, np.maximum(lower, upper)


def thresholds_at(scores: Floats, cuts: Ints) -> tuple[Floats, Floats]:
    """Lower and upper thresholds for cuts between neighbouring distinct scores."""
    below, above = scores[np.maximum(cuts - 1, 0)], scores[np.minimum(cuts, len(scores) - 1)]
    # An infinite score counts as the largest float, so that a finite threshold sets it apart.
    midway = np.clip(below, -FINITE, FINITE) / 2 + np.clip(above, -FINITE, FINITE) / 2
    lower, upper = np.where(midway < above, midway, below), np.where(midway > below, midway, above)
    for end, beyond in ((0, -np.inf), (len(scores), np.inf)):
        lower, upper = (np.where(cuts == end, beyond, side) for side in (lower, upper))
    return lower, upper


def plain(values: Any) -> Floats:
    """Give a lone number back as a Python float, anything else as an array."""
    array = np.asarray(values, dtype=np.float64)
    return array if array.ndim else float(array)  # type: ignore[return-value]
