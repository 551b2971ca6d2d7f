"""Zaffalon, Corani & Mauá (2012): rewards, utilities, the next bets; what needs no data.

Tables and figures first, then the verdicts on what the paper says about them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import comb

import numpy as np
import pandas as pd
from scipy import optimize

from cautious.comparison import objective_winner
from cautious.decision import threshold_rule
from cautious.metrics import (
    MEASURES,
    determinacy_score,
    discounted_accuracy_score,
    mean_set_size,
    per_sample,
    utility_score,
)
from cautious.utility import (
    Utility,
    exponential,
    f_beta,
    logarithmic,
    u65,
    u80,
)
from cautious_reproduction.arrays import Floats
from cautious_reproduction.claims import Claim
from cautious_reproduction.printed_tables import Cell, Figure, Table

__all__ = ["game_value", "utility_claims", "utility_figures", "utility_tables"]

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
                "d(m)": logarithmic.caution_premium(BETS, n, exact=False),
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

    spread = MEASURES["discounted_accuracy_variance"].score
    mean = {name: of(discounted_accuracy_score, h) for name, h in (("f", f), ("g", g))}
    variance = {name: of(spread, h) for name, h in (("f", f), ("g", g))}
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
            exact = utility.random_expected_utility(BETS, n)
            off.append(abs(utility.random_expected_utility(BETS, n, exact=False) / exact - 1))
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
    return float(BETS[np.argmax(utility.caution_premium(BETS, n, exact=False))])


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


def utility_claims(found: dict[str, Table]) -> list[Claim]:
    """Judge the conclusions of sections 2 to 9 that need no data by the tables, found by name."""
    return [*_propositions(found), *_long_runs(found["Section 8"]), *_utilities(found)]


def game_value(k: int) -> tuple[float, float]:
    """Solve the game of Theorem 1: a class of the set is played, and one of them is true.

    Parameters
    ----------
    k : int
        Classes in the set.

    Returns
    -------
    value : float
        What the bettor can be sure of, by a linear programme over randomised strategies.
    slack : float
        How far another strategy may put more than 1/k on a class and still be optimal: 0 if the
        uniform one is the only one.

    Examples
    --------
    >>> value, slack = game_value(3)
    >>> round(value, 9), abs(slack) < 1e-9
    (0.333333333, True)
    """
    # Maximise v over strategies with every class played at least v of the time.
    rows = np.column_stack([-np.eye(k), np.ones(k)])
    total = np.append(np.ones(k), 0.0)[None]
    bounds: list[tuple[float | None, float | None]] = [(0, 1)] * k + [(None, None)]
    best = optimize.linprog(-np.eye(k + 1)[-1], rows, np.zeros(k), total, [1.0], bounds=bounds)
    value = float(best.x[-1])
    bounds[-1] = (value - 1e-12, None)
    most = optimize.linprog(-np.eye(k + 1)[0], rows, np.zeros(k), total, [1.0], bounds=bounds)
    return value, float(most.x[0]) - 1 / k


def _propositions(found: dict[str, Table]) -> list[Claim]:
    games = {k: game_value(k) for k in range(1, 11)}
    off = max(abs(value - 1 / k) for k, (value, _) in games.items())
    slack = max(abs(s) for _, s in games.values())
    gain = min(float(logarithmic.caution_premium(1, n)) for n in (2, 3, 5, 10))
    x = np.array([1, 1 / 2, 1 / 3, 0])
    weights = np.random.default_rng(0).dirichlet(np.ones(4), 200)
    worth = [u65.bets(x, sample_weight=w).loc["set", "expected_utility"] for w in weights]
    wins = int((worth >= weights @ x - 1e-12).sum())  # of a precise one with this accuracy
    pairs, triples = [0.45, 0.30, 0, 0.25], [0.6 - 0.32 / 3, 0, 0.32, 0.08 + 0.32 / 3]
    first, second = (
        logarithmic.normalised.bets(x, sample_weight=w).loc["set"] for w in (pairs, triples)
    )
    example = found["Section 7, Example 1"]
    by_column = {cell.column: cell for cell in example.cells}
    return [
        Claim.judged(
            *("4, Theorem 1", "The one reward consistent with A1 to A5 is 1/k for a right set"),
            *("arithmetic", off < 1e-9 and slack < 1e-6),
            paper="1/k, by playing uniformly",
            ours=f"value of the game for k = 1 to 10 off by {off:.1g}; no other strategy is "
            f"optimal (slack {slack:.1g})",
        ),
        Claim.of_cells(
            *("2, Tables 1 to 3", "Rewards and utilities of sets of two classes", "arithmetic"),
            [c for name in ("Table 1", "Table 2", "Table 3") for c in found[name].cells],
            paper="0, 0.5, 1",
        ),
        Claim.judged(
            *("5, Prop. 1", "Random and vacuous are worth the same on average, the vacuous more"),
            *("arithmetic", gain > 0),
            paper="greater under any strictly concave utility",
            ours=f"ahead by {gain:.3f} or more under log(1 + x), n = 2 to 10",
        ),
        Claim.judged(
            *("7, Prop. 2", "Of equal means, every risk-averse judge prefers the credal one"),
            *("arithmetic", wins == len(weights)),
            paper="preferable under any strictly concave utility",
            ours=f"true in {wins} of {len(weights)} random cases under u65; u(x) ≥ x proves it",
        ),
        Claim.judged(
            *("7, Prop. 3", "Of two that are vacuous if indeterminate, the vaguer one is better"),
            *("arithmetic", _vaguer_is_better()),
            paper="preferable under any strictly concave utility",
            ours="E[u] = E[x] + P(vacuous)(u(1/n) − 1/n) grows with indeterminacy; so it does in "
            "200 of 200 random pairs of equal means under u65, u80 and log(1 + x)",
        ),
        Claim.judged(
            *("7", "Of equal means, the smaller variance wins under every strictly concave u"),
            "arithmetic",
            not (
                first["variance"] < second["variance"]
                and first["expected_utility"] < second["expected_utility"]
            ),
            paper="no matter how tiny the risk aversion",
            ours=f"means equal, variances {first['variance']:.4f} and {second['variance']:.4f}, "
            "and log prefers the second",
            cause="argued from the second-order formula, which is exact for parabolas only",
        ),
        Claim(
            *("7", "E[h_D] = E[h], of the part on determinate answers", "arithmetic"),
            *("E[h_D] = E[h]", "E[h_D²] = E[h_D], which the proofs use"),
            *("the paper contradicts itself", "a misprint"),
        ),
        Claim.of_cells(
            *("7, Example 1", "g is preferred to f though it is more determinate", "arithmetic"),
            [c for c in example.cells if not c.column.startswith("mean set size")],
            paper="E equal, E[f²] = E[g²] + ε/2, determinacy −ε",
        ),
        Claim(
            *("7, Example 1", "f outputs 4ε more classes than g", "arithmetic", "4ε"),
            f"{float(by_column['mean set size of f less that of g'].ours) / 0.01:.0f}ε",
            *("the paper contradicts itself", "by adding up its own terms"),
        ),
    ]


def _vaguer_is_better() -> bool:
    """Compare two of equal means that answer one class or all, under three utilities."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(2, 11))
        low, high = np.sort(rng.uniform(0, 1, 2))  # shares of vacuous answers
        mean = rng.uniform(high / n, 1 - high * (1 - 1 / n))
        x = np.array([1, 1 / n, 0])
        weights = [[mean - v / n, v, 1 - v - (mean - v / n)] for v in (low, high)]
        for utility in (u65, u80, logarithmic):
            worth = [float(np.dot(w, utility(x))) for w in weights]
            if worth[1] <= worth[0]:
                return False
    return True


def _long_runs(table: Table) -> list[Claim]:
    wrong = sum(comb(5, ell) / 3 * (1 - 1 / 3) ** (5 - ell) for ell in range(6))  # m = 5, n = 3
    exact, near = (logarithmic.random_expected_utility(1, 50, exact=e) for e in (True, False))
    late = [float(exponential(a).caution_premium(40, 5)) for a in (0.25, 0.5, 1, 2)]
    slow = [
        float(logarithmic.caution_premium(200, n) / logarithmic.caution_premium(n, n))
        for n in (2, 3, 5, 10)
    ]
    return [
        Claim.of_cells(
            *("8.1, Fig. 1", "With log utility caution is worth most over m = n bets"),
            *("arithmetic", table.part(column="peak, logarithmic")),
            paper="inversion point m = n",
        ),
        Claim.of_cells(
            *("8.2", "With exponential utility over m = n/a bets", "arithmetic"),
            table.part(column="peak, exponential"),
            paper="inversion point m = n/a",
        ),
        Claim.judged(
            *("8.1, Fig. 1", "More classes delay the convergence", "arithmetic"),
            all(b > a for a, b in pairwise(slow)),
            paper="increasing n delays",
            ours="left of the peak's worth after 200 bets, n = 2, 3, 5, 10: "
            + ", ".join(f"{v:.2f}" for v in slow),
        ),
        Claim.judged(
            *("8", "The second-order approximation errs by less than 1 %, consistently"),
            *("arithmetic", abs(float(near / exact) - 1) < 0.01),
            paper="consistently smaller than 1%",
            ours=f"{abs(float(near / exact) - 1):.0%} at m = 1, n = 50, logarithmic",
            cause="true for many bets; the paper does not say over which it looked",
        ),
        Claim(
            *("8, eq. 3", "The random classifier's rewards are binomial", "arithmetic"),
            *("C(m, l) (1/n) (1 − 1/n)^(m − l)", f"as printed the chances sum to {wrong:.2f}"),
            *("the paper contradicts itself", "the exponent l of 1/n is missing"),
        ),
        Claim(
            *("8.2", "d(m) under exponential utility", "arithmetic", "negative"),
            "positive: caution cannot be worth less than nothing under a concave utility",
            *("the paper contradicts itself", "a sign; the inversion point stays"),
        ),
        Claim.judged(
            *("8.2", "Higher risk aversion delays the convergence", "arithmetic"),
            all(b > a for a, b in pairwise(late)),
            paper="delays",
            ours="worth of caution after 40 bets, a = 0.25, 0.5, 1, 2: "
            + ", ".join(f"{v:.4f}" for v in late),
            cause="the peak n/a comes earlier and e^(−am/n) falls faster: it hastens",
        ),
    ]


def _utilities(found: dict[str, Table]) -> list[Claim]:
    words = {(c.row, c.column): c for c in found["Figs 2 and 8 in words"].cells}
    fits = {v: -2 * np.log(1 / v - 1) for v in (0.65, 0.8)}
    worst = max(abs((1 - np.exp(-a / 2)) / (1 - np.exp(-a)) - v) for v, a in fits.items())
    f1, f2, wide = (float(u(0.5)) for u in (f_beta(1), f_beta(2), u80))
    return [
        Claim(
            *("9", "u65 = −1.2x² + 2.2x and u80 = −0.6x² + 1.6x", "arithmetic"),
            "u(0.5) = 0.65 and 0.80",
            f"as printed 0.80 and 0.65; ours {u65(0.5):.2f}, {u80(0.5):.2f}",
            *("the paper contradicts itself", "each formula stands under the other's name"),
        ),
        Claim.of_cells(
            *("9, Fig. 2", "u80 is slightly greater than 1 for some x between 0.5 and 1"),
            *("arithmetic", [words["Fig. 2", "u80 exceeds 1 between 0.5 and 1"]]),
            paper="slightly greater than 1",
        ),
        Claim(
            *("9", "The exponential utility could not fit the values chosen for u(0.5)", "words"),
            "discarded",
            f"divided by its value at 1 it fits both: a = {fits[0.65]:.2f} and {fits[0.8]:.2f} "
            f"(off by {worst:.0e})",
            *("cannot tell", "the paper does not say how it was normalised"),
        ),
        Claim.of_cells(
            *("9.3, Table 7", "Scores of four predictions by F1, F2, u65, u80", "arithmetic"),
            found["Table 7"].cells,
            paper="0.67, 0.83, 0.65, 0.80; 0.50, 0.71, 0.47, 0.60",
        ),
        Claim.of_cells(
            *("9.3, Fig. 8", "F1 lies between u65 and u80, F2 rewards sets much more"),
            *("arithmetic", [c for c in words.values() if c.row == "Fig. 8"]),
            paper="for any k",
        ),
        Claim(
            *("9.3, Table 7", "F1 is closer to both u65 and u80 than F2 is", "arithmetic"),
            "closer to both; for a pair 0.67, 0.83 and u80 0.80",
            f"for a pair F2 is closer to u80, {abs(f2 - wide):.2f} away against "
            f"{abs(f1 - wide):.2f}; for more classes F1 is, and to u65 always",
            *("the paper contradicts itself", "its own Table 7"),
        ),
        Claim.of_cells(
            *("9.4", "p = 0.7 (right in 70% at best), t = 0.8: rejecting earns 0.8, answering 0.7"),
            *("arithmetic", found["Section 9.4"].cells),
        ),
    ]
