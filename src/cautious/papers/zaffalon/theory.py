"""Zaffalon, Corani & Mauá (2012): rewards, utilities, the next bets; what needs no data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from cautious._typing import Floats
from cautious.comparison import objective_winner
from cautious.decision import threshold_rule
from cautious.metrics import (
    determinacy_score,
    discounted_accuracy_score,
    discounted_accuracy_variance,
    mean_set_size,
    per_sample,
    utility_score,
)
from cautious.papers.claims import Cell, Figure, Table
from cautious.utility import (
    Utility,
    caution_premium,
    exponential,
    f_beta,
    logarithmic,
    random_expected_utility,
    u65,
    u80,
)

__all__ = ["utility_figures", "utility_tables"]

SCORES = {"F1": f_beta(1), "F2": f_beta(2), "u65": u65, "u80": u80}
CLASSES = (2, 3, 5, 10)
BETS = np.arange(1, 41)


def utility_tables() -> list[Table]:
    """Tables 1 to 3 and 7, the example of section 7, and the numbers of sections 8 and 9.4."""
    return [*_rewards(), _example(), _bets(), _table_7(), _words(), _rejection()]


def utility_figures() -> list[Figure]:
    """Figures 1, 2 and 8."""
    premium = [
        pd.DataFrame(
            {
                "m": BETS,
                "d(m)": caution_premium(BETS, n, logarithmic, exact=False),
                "classes": f"{n}",
            }
        )
        for n in CLASSES
    ]
    x = np.linspace(0, 1, 101)
    utilities = [
        pd.DataFrame({"discounted accuracy": x, "utility": y, "line": name})
        for name, y in {"u50": x, "u65": u65(x), "u80": u80(x)}.items()
    ]
    sizes = [
        pd.DataFrame({"classes in the set": _SIZES, "score": f(1 / _SIZES), "line": name})
        for name, f in SCORES.items()
    ]
    axes = [("m", "d(m)", "classes"), ("discounted accuracy", "utility", "line")]
    axes.append(("classes in the set", "score", "line"))
    titles = {
        "Fig. 1": "Worth of caution over m bets, logarithmic utility",
        "Fig. 2": "Quadratic utilities",
        "Fig. 8": "Scores of a set that holds the truth",
    }
    return [
        Figure(name, title, pd.concat(frames, ignore_index=True), x, y, lines)
        for (name, title), frames, (x, y, lines) in zip(
            titles.items(), (premium, utilities, sizes), axes, strict=True
        )
    ]


_SIZES = np.arange(1, 11)


def _rewards() -> list[Table]:
    """Tables 1 to 3: what each answer earns, by the truth."""
    answers = np.array([[True, False], [False, True], [True, True]])
    rows = ["1", "2", "{1, 2}"]

    def cells(
        of: str, utility: Utility | None, printed: list[list[float]], given: list[str]
    ) -> list[Cell]:
        found = []
        for column, truth in enumerate((1, 2)):
            truths = np.full(len(answers), truth)
            earned = (
                per_sample(discounted_accuracy_score)(truths, answers, classes=[1, 2])
                if utility is None
                else per_sample(utility_score)(truths, answers, classes=[1, 2], utility=utility)
            )
            found += [
                Cell(
                    *(f"{of}{row}", f"truth {truth}", float(ours), line[column]),
                    given=row in given,
                )
                for row, ours, line in zip(rows, earned, printed, strict=False)
            ]
        return found

    single = [[1.0, 0.0], [0.0, 1.0]]
    three = [
        cell
        for name, u, half in (("u65: ", u65, 0.65), ("u80: ", u80, 0.8))
        for cell in cells(name, u, [*single, [half, half]], rows)
    ]
    # What a single answer earns is what right and wrong mean.
    alone = rows[:2]
    return [
        Table("Table 1", "Rewards of single answers", cells("", None, single, alone)),
        Table("Table 2", "Rewards of sets", cells("", None, [*single, [0.5, 0.5]], alone)),
        Table(
            *("Table 3", "Utilities of sets", three),
            "the paper prints symbols, u(0), u(0.5) and u(1); both sides are worked out for the "
            "two utilities of section 9, which are made to have these values.",
        ),
    ]


def _example() -> Table:
    """Work out Example 1: the more determinate classifier may have the smaller variance."""
    epsilon = 0.01
    # Hundredths of cases: right and wrong sets of one class, right and wrong of two, all three.
    f = {"right 1": 31, "wrong 1": 9, "right 2": 18, "wrong 2": 23, "right 3": 19}
    g = {"right 1": 30, "wrong 1": 11, "right 2": 20, "wrong 2": 20, "right 3": 19}
    sets = {
        "right 1": [True, False, False],
        "wrong 1": [False, True, False],
        "right 2": [True, True, False],
        "wrong 2": [False, True, True],
        "right 3": [True, True, True],
    }
    truth = np.ones(len(sets), dtype=np.intp)
    answers = np.array(list(sets.values()))

    def of(measure: Callable[..., float], cases: dict[str, int]) -> float:
        return measure(truth, answers, classes=[1, 2, 3], sample_weight=list(cases.values()))

    mean = {name: of(discounted_accuracy_score, h) for name, h in (("f", f), ("g", g))}
    variance = {name: of(discounted_accuracy_variance, h) for name, h in (("f", f), ("g", g))}
    winner = objective_winner(mean, variance, margin=1e-12).winner
    apart = {
        "E[f] - E[g]": (mean["f"] - mean["g"], 0.0),
        "E[f²] - E[g²]": (variance["f"] - variance["g"], epsilon / 2),
        "determinacy of f less that of g": (
            of(determinacy_score, f) - of(determinacy_score, g),
            -epsilon,
        ),
        "mean set size of f less that of g": (
            of(mean_set_size, f) - of(mean_set_size, g),
            4 * epsilon,
        ),
    }
    said = {"mean set size of f less that of g": "printed as 4ε; its own terms add up to ε"}
    cells = [
        Cell("ε = 0.01", what, ours, paper, epsilon / 10, said.get(what, ""))
        for what, (ours, paper) in apart.items()
    ]
    cells.append(Cell("ε = 0.01", "preferred", str(winner), "g"))
    return Table("Section 7, Example 1", "Determinacy does not order variances", cells)


def _bets() -> Table:
    cells = [
        Cell(f"{n} classes", "peak, logarithmic", _peak(n, logarithmic), float(n)) for n in CLASSES
    ]
    cells += [
        Cell(f"{n} classes", f"peak, exponential, a = {a}", _peak(n, exponential(a)), n / a)
        for n in (2, 10)
        for a in (0.5, 2)
    ]
    for name, utility in (("logarithmic", logarithmic), ("exponential, a = 1", exponential(1))):
        off: list[Floats] = []
        for n in CLASSES:
            exact = random_expected_utility(BETS, n, utility)
            off.append(abs(random_expected_utility(BETS, n, utility, exact=False) / exact - 1))
        worst = np.unravel_index(np.argmax(off), np.shape(off))
        where = f"{np.max(off):.1%} at m = {BETS[worst[1]]}, n = {CLASSES[worst[0]]}"
        cells.append(
            Cell(
                name,
                "second order always within 1 %",
                "yes" if np.max(off) < 0.01 else "no",
                "yes",
                remark=f"largest error {where}, for n in {CLASSES} and m up to {BETS[-1]}",
            )
        )
    return Table(
        "Section 8",
        "Number of bets at which caution is worth most, and the second-order approximation",
        cells,
        "d(m) in 8.2 is printed with the wrong sign, and the binomial without the exponent of 1/n; "
        "the inversion points are not affected. The paper does not say over which bets, classes "
        "and aversion its one per cent holds.",
    )


def _peak(n: int, utility: Utility) -> float:
    """Find the peak among the bets; the closed form would only repeat the paper's."""
    return float(BETS[np.argmax(caution_premium(BETS, n, utility, exact=False))])


def _table_7() -> Table:
    printed = {
        "1": (1.0, (1, 1, 1, 1)),
        "{1, 2}": (1 / 2, (0.67, 0.83, 0.65, 0.80)),
        "{1, 2, 3}": (1 / 3, (0.50, 0.71, 0.47, 0.60)),
        "{2, 3, 4}": (0.0, (0, 0, 0, 0)),
    }
    answers = {"1": [0], "{1, 2}": [0, 1], "{1, 2, 3}": [0, 1, 2], "{2, 3, 4}": [1, 2, 3]}
    cells = []
    for row, (x, values) in printed.items():
        mask = np.isin(np.arange(4), answers[row])[None]
        precision = float(per_sample(discounted_accuracy_score)([1], mask, classes=[1, 2, 3, 4])[0])
        # What a right single answer and a wrong one earn is what the words mean.
        given = x in (0.0, 1.0)
        cells.append(Cell(row, "precision", precision, round(x, 2), given=given))
        cells.append(Cell(row, "recall", float(mask[0, 0]), float(x > 0), given=True))
        cells += [
            Cell(row, name, float(utility(np.array(precision))), value, given=given)
            for (name, utility), value in zip(SCORES.items(), values, strict=True)
        ]
    return Table(
        "Table 7",
        "Scores when class 1 is the truth",
        cells,
        "section 9 prints the formulas of u65 and u80 under each other's names; the table uses "
        "them rightly.",
    )


def _words() -> Table:
    """Hold what is said of figures 2 and 8 against the functions."""
    score = {name: f(1 / _SIZES) for name, f in SCORES.items()}
    within = (score["u65"] <= score["F1"] + 1e-12) & (score["F1"] <= score["u80"] + 1e-12)
    most = np.max([score["F1"], score["u65"], score["u80"]], axis=0)
    near = {
        b: abs(score[b] - score["u65"]).max() + abs(score[b] - score["u80"]).max()
        for b in ("F1", "F2")
    }
    above = u80(np.linspace(0.5, 1, 501)[1:-1]).max()
    claims = {
        ("Fig. 2", "u80 exceeds 1 between 0.5 and 1"): (above > 1, f"up to {above:.3f}"),
        ("Fig. 8", "F1 lies between u65 and u80"): (within.all(), f"sizes 1 to {_SIZES[-1]}"),
        ("Fig. 8", "F2 rewards sets most"): ((score["F2"] >= most - 1e-12).all(), ""),
        ("Fig. 8", "F1 is nearer to both utilities than F2"): (
            near["F1"] < near["F2"],
            f"largest distances, summed: {near['F1']:.2f} and {near['F2']:.2f}",
        ),
    }
    cells = [
        Cell(figure, what, "yes" if holds else "no", "yes", remark=remark, given=True)
        for (figure, what), (holds, remark) in claims.items()
    ]
    return Table(
        *("Figs 2 and 8 in words", "What the utilities are like", cells),
        "theorems about the formulas, of which Table 7 checks the values.",
    )


def _rejection() -> Table:
    """Section 9.4: with p = 0.7 and a threshold of 0.8 the rejection option never answers."""
    p = np.array([0.7, 0.3])
    cells = []
    for name, threshold, printed in (("NCC, certain of p", 0.0, 0.7), ("NBC, t = 0.8", 0.8, 0.8)):
        answer = np.repeat(threshold_rule([p], threshold), 2, axis=0)
        earned = per_sample(utility_score)([1, 2], answer, classes=[1, 2], utility=u80)
        cells.append(Cell(name, "expected u80", float(p @ earned), printed))
    return Table("Section 9.4", "The rejection option where 0.7 is all there is to learn", cells)
