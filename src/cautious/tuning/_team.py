r"""Teams of a model and experts: which scores the model answers, and whom it asks about others.

With :math:`q` the share of positives at a score, every choice has an expected cost that is linear
in :math:`q`: :math:`q c_{FN}` to answer negative, :math:`(1 - q) c_{FP}` to answer positive, and to
ask expert e

.. math:: r_e + q\,c_{FN}\,P(e \text{ wrong} \mid +) + (1 - q)\,c_{FP}\,P(e \text{ wrong} \mid -).

The cheapest of some lines changes at most once from one to the next, in the order of their slopes.
So where the share of positives rises with the score the choices stand in a fixed order, and only
the thresholds between them are to be found. A dynamic programme over the sorted scores finds the
best ones, capacities included. On few cases that share goes up and down, so up to four experts are
tried in every order; more stand in the order of their slopes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import as_codes, check_classes, check_scores
from cautious._labels import binary_truth
from cautious._result import Shown
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs._forms import CostsLike, as_cost_matrix
from cautious.errors import shown

# So many experts are tried in every order along the scores.
_FEW_EXPERTS = 4
_ROUNDING, _DIGITS = 1e-12, 12


@dataclass(frozen=True, eq=False, repr=False)
class Team(Shown):
    """Who answers which scores of two classes: found by :func:`find_team`.

    Attributes
    ----------
    classes : tuple (negative, positive)
        The two classes.
    choices : tuple
        Along rising scores: the negative class, the experts by name, the positive class.
    thresholds : tuple of float
        Where each choice but the first begins; it is made from this score on. Equal ones leave
        nothing to the choice between them.
    cost : float
        Mean cost per case on the cases it was found on, prices included; optimistic for new ones.
    shares : tuple of float
        Share of these cases that each choice got.
    rates : tuple of tuples
        For each expert the number of known answers, the estimated share of wrong ones for each
        class, and the price; ``experts`` shows them as a table.

    Examples
    --------
    >>> from cautious.tuning import find_team
    >>> team = find_team([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9],
    ...                  {"doctor": [0, 0, 1, 0, 1, 1]}, prices={"doctor": 0.2})
    >>> team.choose([0.3, 0.5, 0.9]).tolist()
    [0, 1, 2]
    """

    classes: tuple[Any, Any]
    choices: tuple[Any, ...]
    thresholds: tuple[float, ...]
    cost: float
    shares: tuple[float, ...]
    rates: tuple[tuple[float, ...], ...]

    @property
    def experts(self) -> pd.DataFrame:
        """What is known of the experts, as a table."""
        wrong = [f"wrong if {label}" for label in self.classes]
        names = pd.Index(self.choices[1:-1], name="expert", dtype=object)
        return pd.DataFrame(list(self.rates), names, ["known", *wrong, "price"])

    def choose(self, y_score: npt.ArrayLike) -> Ints:
        """Tell for each score the position of the choice in ``choices``."""
        scores = check_scores(y_score, name="y_score")
        return np.searchsorted(np.array(self.thresholds), scores, side="right")

    def predict_set(self, y_score: npt.ArrayLike) -> Mask:
        """Answer with one class where the model does, with both where an expert is asked."""
        chosen, last = self.choose(y_score), len(self.choices) - 1
        return np.column_stack([chosen < last, chosen > 0])

    def answer(self, y_score: npt.ArrayLike, answers: Any) -> Labels:
        """Give the answer of the team: the model's, or that of the expert who is asked.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Scores.
        answers : DataFrame or mapping
            What each expert says, needed where it is asked.

        Returns
        -------
        ndarray of shape (n,)
            Labels of classes.
        """
        classes = check_classes(self.classes)
        return put_together(*who_answers(self, y_score), self.choices[1:-1], answers, classes)

    def frame(self) -> pd.DataFrame:
        """List the choices: from which score on, and for which share of the cases."""
        return pd.DataFrame(
            {"from": [-np.inf, *self.thresholds], "share": self.shares},
            index=pd.Index(self.choices, name="choice", dtype=object),
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "choices": list(self.choices),
            "thresholds": list(self.thresholds),
            "cost": self.cost,
        }


def find_team(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_score: npt.ArrayLike,
    answers: Any,
    *,
    costs: CostsLike | None = None,
    prices: Mapping[Any, float] | float = 0.0,
    capacity: Mapping[Any, float] | float | None = None,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
) -> Team:
    r"""Divide the scores of two classes between a model and experts at the least cost.

    Low scores are answered negative, high ones positive, and those between go to experts, each to
    the one who costs least there. The thresholds are the best ones on these cases, and so is the
    order of up to four experts along the scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels of cases that the model was not fitted on.
    y_score : array-like of shape (n,)
        Scores of the positive class; only their order matters.
    answers : DataFrame or mapping
        What each expert said, by name: labels, with None or NaN where an expert was not asked. Each
        needs an answer to at least one case of each class.
    costs : array-like of shape (2, 2), optional
        Costs of answers in the order (negative, positive): rows are answers, columns truths; they
        count from the cost of the right answer. 1 for every wrong answer if left out.
    prices : mapping or float, default=0
        What asking an expert costs per case, in the same unit; one number for all, or by name.
    capacity : mapping or float, optional
        Largest share of the cases that may go to each expert.
    pos_label, classes : optional
        The positive class; or both, negative first.

    Returns
    -------
    Team

    Notes
    -----
    An expert's share of wrong answers is estimated **per class**, from all its known answers:
    :math:`(k + ½) / (m + 1)` for k wrong of m. This takes its mistakes to be unrelated to the score
    within a class. Shares per region of scores would not, but they rest on few cases each, and the
    regions are chosen on the same cases. Where cases that are hard for the model are hard for the
    expert too, the estimate is too good; so check the team on cases with known answers, as
    :class:`cautious.models.DeferringClassifier` does with ``max_error``.

    Examples
    --------
    >>> team = find_team([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9],
    ...                  {"doctor": [0, None, 1, 0, 1, None]}, prices=0.1)
    >>> team.frame()
               from     share
    choice
    0          -inf  0.333333
    doctor      0.4  0.333333
    1           0.8  0.333333
    >>> team.answer([0.3, 0.5, 0.9], {"doctor": [None, 1, None]})
    array([0, 1, 1])
    """
    positive, labels = binary_truth(y_true, pos_label=pos_label, classes=classes)
    scores = check_scores(y_score, name="y_score", n=len(positive))
    if not len(scores):
        raise ValueError("y_true is empty: there are no cases; give at least one.")
    own = check_classes(labels)
    matrix = costs_beyond_right(costs, own)
    said = expert_answers(answers, own, len(scores))
    price = share_per_expert(prices, said, "prices")
    most = share_per_expert(capacity, said, "capacity")
    return ScoreDivision(positive.astype(np.intp), scores, said, matrix, own).team(price, most)


class ScoreDivision:
    """Checked cases by score, and what experts' answers cost there, to be divided at any prices."""

    def __init__(
        self, truth: Ints, scores: Floats, said: Mapping[Any, Ints], matrix: Floats, classes: Labels
    ) -> None:
        self.said, self.matrix, self.classes = said, matrix, classes
        self.at = expert_costs(truth, said, matrix, classes)
        self.distinct, block = np.unique(scores, return_inverse=True)
        of_each = [np.bincount(block[truth == y], minlength=len(self.distinct)) for y in (0, 1)]
        self.n: Ints = np.array(of_each)
        self.reached: Ints = np.append(0, np.cumsum(self.n.sum(axis=0)))
        # What the first scores cost where the model answers them all negative, or all positive.
        self.own: list[Floats] = [np.append(0.0, np.cumsum(line @ self.n)) for line in matrix]

    def team(self, price: Mapping[Any, float], capacity: Mapping[Any, float]) -> Team:
        """Find who answers which scores at the least cost."""
        at, n, reached, matrix = self.at, self.n, self.reached, self.matrix
        n_cases = int(reached[-1])
        # Negative rises fastest with the share of positives; the order of the others follows,
        # unless that share does not rise with the score. Few experts are tried in every order.
        unit = float(matrix.max(initial=0.0)) or 1.0
        slopes = sorted(
            at, key=lambda name: round(float(at[name][0] - at[name][1]) / unit, _DIGITS)
        )
        lines = {name: at[name] + price[name] for name in at}
        total = {name: np.append(0.0, np.cumsum(line @ n)) for name, line in lines.items()}
        first, last = self.own
        limit = {name: capacity[name] * n_cases if capacity[name] < 1 else np.inf for name in at}
        tried = []
        for order in permutations(slopes) if len(slopes) <= _FEW_EXPERTS else [tuple(slopes)]:
            best = [first]  # what the first scores cost, divided between the first choices
            for name in order:
                change = _least_within(best[-1] - total[name], reached, limit[name])
                best.append(total[name] + change)
            tried.append((order, best, float(last[-1] + (best[-1] - last).min())))
        least = min(cost for *_, cost in tried)
        # Sums of the same costs differ by rounding, in proportion to what is added up. Among equals
        # the first, which is the order of the slopes.
        tie = _ROUNDING * max(float(line[-1]) for line in (first, last, *total.values()))
        order, best, cost = next(one for one in tried if one[-1] <= least + tie)
        totals, most = [*(total[name] for name in order), last], [limit[name] for name in order]
        ends = _best_ends(best, totals, [*most, np.inf], reached, tie)
        edges = np.append(self.distinct, np.inf)
        begins = [float(edges[end]) if end else -np.inf for end in ends[:-1]]
        shares = np.diff(reached[[0, *ends]]) / n_cases
        negative, positive = self.classes.tolist()
        worst = np.array([matrix[1, 0], matrix[0, 1]])
        worst[worst == 0] = 1.0
        known = {name: int((codes >= 0).sum()) for name, codes in self.said.items()}
        return Team(
            (negative, positive),
            (negative, *order, positive),
            tuple(begins),
            cost / n_cases,
            tuple(shares.tolist()),
            tuple((known[name], *(at[name] / worst).tolist(), price[name]) for name in order),
        )


def _least_within(values: Floats, reached: Ints, limit: float) -> Floats:
    """For each end, the least value of a begin from which on at most `limit` cases are taken."""
    if limit >= reached[-1]:
        return np.asarray(np.minimum.accumulate(values))
    # With a place per case, windows of as many cases are all equally long.
    places = np.full(int(reached[-1]) + 1, np.inf)
    places[reached] = values
    size = int(limit + 1e-9) + 1
    least = scipy.ndimage.minimum_filter1d(
        places, size, mode="constant", cval=np.inf, origin=(size - 1) // 2
    )
    return np.asarray(least[reached])


def _best_ends(
    best: list[Floats], totals: list[Floats], most: list[float], reached: Ints, tie: float
) -> list[int]:
    """Find where each choice ends, from what those before it cost; costs within `tie` are equal."""
    ends = [len(reached) - 1]
    for before, total, limit in zip(best[::-1], totals[::-1], most[::-1], strict=True):
        end = ends[-1]
        values = (before - total)[: end + 1]
        few = reached[end] - reached[: end + 1] <= limit + 1e-9
        # Of equal begins the last is kept: whoever is asked less is preferred.
        ends.append(int(np.flatnonzero(few & (values <= values[few].min() + tie))[-1]))
    return ends[::-1]


def expert_answers(
    answers: Any, classes: Labels, n: int, wanted: Sequence[Any] | None = None
) -> dict[Any, Ints]:
    """Read what experts said: for each the codes of the classes, -1 where it said nothing."""
    if answers is None:
        answers = {}
    if not isinstance(answers, Mapping | pd.DataFrame):
        raise TypeError(
            f"answers is a {type(answers).__name__}; give a DataFrame or a mapping with a column "
            "of labels for each expert."
        )
    read: dict[Any, Ints] = {}
    for name in answers if wanted is None else wanted:
        if name not in answers:
            raise ValueError(f"answers has no column for expert {shown(name)}.")
        if name in classes.tolist():
            raise ValueError(f"expert {shown(name)} is called like a class; give it another name.")
        kind = getattr(getattr(answers[name], "dtype", None), "kind", "O")
        # Arrays of numbers are what they are; anything else is looked into.
        column = pd.Series(np.asarray(answers[name], dtype=None if kind in "biuf" else object))
        if len(column) != n:
            raise ValueError(
                f"answers of {shown(name)} has {len(column)} rows for {n} cases; give one per "
                "case, None where there is none."
            )
        known = column.notna().to_numpy()
        codes = np.full(n, -1, dtype=np.intp)
        said = column[known].infer_objects().to_numpy()
        if len(said):
            codes[known] = as_codes(
                said, classes, name=f"answers of {name!r}", rows=np.flatnonzero(known)
            )
        read[name] = codes
    return read


def who_answers(team: Team, y_score: npt.ArrayLike) -> tuple[Ints, Ints]:
    """Tell the code of the model's answer, and the position of the expert to ask, or -1."""
    chosen, last = team.choose(y_score), len(team.choices) - 1
    return (chosen > 0).astype(np.intp), np.where(chosen < last, chosen - 1, -1)


def put_together(
    own: Ints, expert: Ints, experts: Sequence[Any], answers: Any, classes: Labels
) -> Labels:
    """Answer with the model's own codes or, where an expert is asked, with what it says."""
    said, codes = expert_answers(answers, classes, len(own), experts), own.copy()
    for at, name in enumerate(experts):
        asked = expert == at
        codes[asked] = said[name][asked]
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise ValueError(
                f"{shown(name)} is asked about row {row}, but answers does not say it."
            )
    return np.asarray(classes[codes])


def expert_costs(
    truth: Ints,
    said: Mapping[Any, Ints],
    matrix: Floats,
    classes: Labels,
    only: Sequence[int] | None = None,
) -> dict[Any, Floats]:
    """Estimate the mean cost of each expert's answers for each class, half a mistake added."""
    costs = {}
    asked = range(len(classes)) if only is None else only
    wrong = matrix.sum(axis=0) / max(len(matrix) - 1, 1)  # of a mistake that nobody has seen yet
    for name, codes in said.items():
        mean = []
        for y in asked:
            own = codes[(truth == y) & (codes >= 0)]
            if not len(own):
                raise ValueError(
                    f"expert {shown(name)} has no known answer to a case of class "
                    f"{shown(classes.tolist()[y])}; "
                    "what its answers are worth there cannot be told. Give some, or leave the "
                    "expert out."
                )
            mean.append((matrix[own, y].sum() + wrong[y] / 2) / (len(own) + 1))
        costs[name] = np.array(mean)
    return costs


# What an expert has that nothing is said of, and the most there may be.
_PER_EXPERT = {"prices": (0.0, np.inf), "capacity": (1.0, 1.0)}


def share_per_expert(given: Any, experts: Mapping[Any, Any], name: str) -> dict[Any, float]:
    """Read one number per expert, or one for all."""
    default, most = _PER_EXPERT[name]
    if given is None:
        return dict.fromkeys(experts, default)
    if isinstance(given, Mapping):
        strangers = [expert for expert in given if expert not in experts]
        if strangers:
            raise ValueError(
                f"{name} names {shown(strangers[0])}, who has no answers; the experts are "
                f"{', '.join(map(repr, experts)) or 'none'}."
            )
        values = {expert: given.get(expert, default) for expert in experts}
    else:
        values = dict.fromkeys(experts, given)
    for expert, value in values.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not 0 <= number <= most or not np.isfinite(number):
            between = "that is not negative" if most == np.inf else "between 0 and 1"
            raise ValueError(
                f"{name} of {shown(expert)} is {shown(value)}; give a number {between}."
            )
        values[expert] = number
    return values


def costs_beyond_right(costs: CostsLike | None, classes: Labels) -> Floats:
    """Read costs of answers, and count from the cost of the right one: that decides nothing."""
    if costs is None:
        return 1.0 - np.eye(len(classes))
    matrix = as_cost_matrix(costs, classes)
    return np.asarray(matrix - matrix.diagonal())
