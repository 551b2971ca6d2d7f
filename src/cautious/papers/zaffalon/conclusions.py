"""Every conclusion of Zaffalon, Corani & Mauá (2012), with a verdict."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pandas as pd
from scipy import optimize, stats

from cautious.comparison import critical_difference
from cautious.datasets import load_dataset
from cautious.papers.claims import Cell, Claim, Table
from cautious.papers.zaffalon.collection import UTILITIES, Collection
from cautious.papers.zaffalon.comparisons import CREDAL, SETS
from cautious.utility import (
    caution_premium,
    exponential,
    logarithmic,
    mean_variance,
    random_expected_utility,
    u65,
    u80,
)

__all__ = ["conclusions", "game_value"]

SMALL_SETS = "the paper's own 55 sets are not named; ours are the bundled candidates"


def conclusions(tables: list[Table], plain: Collection, selected: Collection) -> list[Claim]:
    """Judge every conclusion by the tables made, and by the collection."""
    found = {table.name: table for table in tables}
    return [
        *_theory(found),
        *_bets(found),
        *_utilities(found),
        *_simulated(found),
        *_naive(found, plain),
        *_credal(found, plain),
        *_others(found, plain),
    ]


def _cells(table: Table, row: str = "", column: str = "") -> list[Cell]:
    return [c for c in table.cells if c.row.startswith(row) and c.column.startswith(column)]


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


def _theory(found: dict[str, Table]) -> list[Claim]:
    games = {k: game_value(k) for k in range(1, 11)}
    off = max(abs(value - 1 / k) for k, (value, _) in games.items())
    slack = max(abs(s) for _, s in games.values())
    gain = min(float(caution_premium(1, n, logarithmic)) for n in (2, 3, 5, 10))
    rng = np.random.default_rng(0)
    wins = lost = 0
    x = np.array([1, 1 / 2, 1 / 3, 0])
    for _ in range(200):
        weight = rng.dirichlet(np.ones(4))
        credal = mean_variance(x, u65, sample_weight=weight)
        bold = float(weight @ x)  # a precise classifier with this accuracy
        wins += credal.expected_utility >= bold - 1e-12
        lost += 1
    pairs, triples = [0.45, 0.30, 0, 0.25], [0.6 - 0.32 / 3, 0, 0.32, 0.08 + 0.32 / 3]
    first, second = (mean_variance(x, "log", sample_weight=w) for w in (pairs, triples))
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
            *("arithmetic", wins == lost),
            paper="preferable under any strictly concave utility",
            ours=f"true in {wins} of {lost} random cases under u65; u(x) ≥ x proves it",
        ),
        Claim(
            *("7, Prop. 3", "Of two that are vacuous if indeterminate, the vaguer one is better"),
            *("arithmetic", "preferable under any strictly concave utility"),
            *("E[u] = E[x] + P(vacuous)(u(1/n) − 1/n) grows with indeterminacy", "holds"),
        ),
        Claim.judged(
            *("7", "Of equal means, the smaller variance wins under every strictly concave u"),
            "arithmetic",
            not (
                first.variance < second.variance
                and first.expected_utility < second.expected_utility
            ),
            paper="no matter how tiny the risk aversion",
            ours=f"means equal, variances {first.variance:.4f} and {second.variance:.4f}, and log "
            "prefers the second",
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


def _bets(found: dict[str, Table]) -> list[Claim]:
    table = found["Section 8"]
    wrong = float(sum(_printed_binomial(ell, 5, 3) for ell in range(6)))
    exact, near = (random_expected_utility(1, 50, logarithmic, exact=e) for e in (True, False))
    late = [float(caution_premium(40, 5, exponential(a))) for a in (0.25, 0.5, 1, 2)]
    slow = [
        float(caution_premium(200, n, logarithmic) / caution_premium(n, n, logarithmic))
        for n in (2, 3, 5, 10)
    ]
    return [
        Claim.of_cells(
            *("8.1, Fig. 1", "With log utility caution is worth most over m = n bets"),
            *("arithmetic", _cells(table, column="peak, logarithmic")),
            paper="inversion point m = n",
        ),
        Claim.of_cells(
            *("8.2", "With exponential utility over m = n/a bets", "arithmetic"),
            _cells(table, column="peak, exponential"),
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


def _printed_binomial(ell: int, m: int, n: int) -> float:
    return comb(m, ell) / n * (1 - 1 / n) ** (m - ell)


def _utilities(found: dict[str, Table]) -> list[Claim]:
    words = {(c.row, c.column): c for c in found["Figs 2 and 8 in words"].cells}
    fits = {v: -2 * np.log(1 / v - 1) for v in (0.65, 0.8)}
    worst = max(abs((1 - np.exp(-a / 2)) / (1 - np.exp(-a)) - v) for v, a in fits.items())
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
        Claim.of_cells(
            *("9.4", "p = 0.7 and t = 0.8: rejecting earns 0.8, answering 0.7", "arithmetic"),
            found["Section 9.4"].cells,
        ),
    ]


def _simulated(found: dict[str, Table]) -> list[Claim]:
    table = found["Figs 3 and 4 in words"]
    three, four = _cells(table, "Fig. 3"), _cells(table, "Fig. 4")
    draws = [c for c in three if "draws" in c.column]
    X = load_dataset("kr-vs-kp").data
    binary = int((X.nunique() == 2).sum())
    return [
        Claim.of_cells(
            *("9.1.1, Fig. 3", "Artificial data: NBC beats the random guesser within NCC's sets"),
            *("words", [c for c in three if "neutral" in c.column]),
            paper="discounted accuracy of NBC higher",
        ),
        Claim.of_cells(
            *("9.1.1, Fig. 3", "Artificial data: NCC is ahead under u65 at every size", "words"),
            [c for c in three if "u65" in c.column],
            paper="higher at s = 25, 50, 100 (80 × 50 = 4000 trials each, chances 0.1 apart)",
            cause="by how hard the drawn chances are: NCC leads in "
            + "; ".join(f"{c.ours} draws, {c.remark}" for c in draws),
        ),
        Claim.of_cells(
            *("9.1.2, Fig. 4", "kr-vs-kp downsampled: NCC is slightly ahead under u65", "words"),
            [c for c in four if c.column.startswith("s =")],
            paper="at 5, 10, 15, 20, 30, 50, 100, 150",
        ),
        Claim.of_cells(
            *("9.1.2, Fig. 4", "At the smallest size NCC is vacuous and earns 0.65", "re-run"),
            [c for c in four if "smallest" in c.column],
            paper="0.65",
        ),
        Claim.of_cells(
            *("9.1.2, Fig. 4", "Determinacy, accuracy and utility rise with the sample size"),
            *("words", [c for c in four if "rises with s" in c.column]),
            paper="steadily",
        ),
        Claim(
            *("9.1.2", "Under u80 the advantage of NBC would be more evident", "words", "NBC"),
            *("of NCC: u80 rewards sets more", "the paper contradicts itself", "a slip of names"),
        ),
        Claim.judged(
            *("9.1.2", "kr-vs-kp has 36 binary features and 3200 instances", "arithmetic"),
            (binary, len(X)) == (36, 3200),
            paper="36, 3200",
            ours=f"{binary} binary and {X.shape[1] - binary} of three values, {len(X)}",
            cause="rounded in the paper",
        ),
    ]


def _naive(found: dict[str, Table], plain: Collection) -> list[Claim]:
    versus, ignorance = found["Section 9.1.3"], found["Section 9.1.3, area of ignorance"]
    smoothed = plain.table("discounted_accuracy")
    wins = {
        name: int((smoothed[name] > smoothed["NCC"] + 1e-12).sum())
        for name in ("NBC", "NBC, Laplace")
    }
    prior = (
        f"with Laplace's prior NBC leads on {wins['NBC, Laplace']} instead of {wins['NBC']} of "
        f"{len(smoothed)} sets; the paper does not name NBC's prior"
    )
    small = found["Section 9.1.3, the data sets"]
    return [
        Claim.of_cells(
            *("9.1.3", "55 data sets of 2 to 26 classes, 2 to 36 features, 24 to 10000 rows"),
            *("words", small.cells),
            paper="55; 2–26; 2–36; 24–10000",
            cause=SMALL_SETS + "; the least number of features among them is 3",
        ),
        Claim.of_cells(
            *("9.1.3", "u50: NBC leads on 32 sets, NCC on 23; significant", "re-run"),
            _cells(versus, "all features, u50"),
            paper="32, 23, significant",
            cause=prior,
        ),
        Claim.of_cells(
            *("9.1.3, Fig. 5", "u65 and u80: no significant difference, all features", "re-run"),
            [*_cells(versus, "all features, u65"), *_cells(versus, "all features, u80")],
            paper="not significant, twice",
        ),
        Claim.of_cells(
            *("9.1.3", "Median accuracy of NBC is 82 %", "re-run"),
            _cells(versus, "all features", "median"),
            paper="82%",
        ),
        Claim.of_cells(
            *("9.1.3", "NCC's determinacy is over 90% on 33 of 55 sets", "re-run"),
            _cells(versus, "all features", "share of data sets with determinacy"),
            paper="33 of 55",
        ),
        Claim.of_cells(
            *("9.1.3", "After feature selection on 37 of them", "re-run"),
            _cells(versus, "selected", "share of data sets with determinacy"),
            paper="37 of 55",
        ),
        Claim(
            *("9.1.3", "Selected, u65: NCC leads on 37, NBC on 28; not significant", "re-run"),
            "37, 28, not significant",
            "; ".join(c.remark for c in _cells(versus, "selected, u65")),
            *("the paper contradicts itself", "37 + 28 of 55 data sets"),
        ),
        Claim.of_cells(
            *("9.1.3", "Selected, u80: NCC leads on 42, NBC on 13; significant", "re-run"),
            _cells(versus, "selected, u80"),
            paper="42, 13, significant",
        ),
        Claim.of_cells(
            *("9.1.3", "Where NCC is unsure it earns 9 % more under u65 (1–19 %)", "re-run"),
            _cells(ignorance, "u65"),
            paper="9% [1, 19]",
        ),
        Claim.of_cells(
            *("9.1.3", "… and 36 % more under u80 (24–48 %)", "re-run"),
            _cells(ignorance, "u80"),
            paper="36% [24, 48]",
        ),
    ]


def _credal(found: dict[str, Table], plain: Collection) -> list[Claim]:
    first = {(c.row, c.column): c for c in found["Tables 4 and 5 in words"].cells}
    chosen = found["Fig. 7 in words"]
    five = _cells(found["Table 5"])
    tree = next(c for c in five if c.column == "CDT")
    above = float(plain.table("determinacy")["CDT, counts of the node"].median())
    return [
        Claim.of_cells(
            *("9.2, Table 4", "Median utilities of four credal classifiers", "re-run"),
            found["Table 4"].cells,
            paper="0.75 to 0.83",
        ),
        Claim.of_cells(
            *("9.2, Table 5", "Median determinacies", "re-run", five),
            paper="95.03, 97.90, 99.56, 97.49",
            cause=f"CDT {tree.ours:.1%}: ties dominate and empty branches hold all classes, as in "
            f"the authors' program; answered by their nodes, {above:.1%}; without ties, 92.8 %",
        ),
        Claim.of_cells(
            *("9.2", "CMA is the most determinate, NCC the least", "words"),
            [first["medians", "most determinate"], first["medians", "least determinate"]],
        ),
        Claim.of_cells(
            *("9.2", "CMA has the highest median utility under u50 and u65", "words"),
            [first["medians", f"highest utility, {u}"] for u in ("u50", "u65")],
        ),
        Claim.of_cells(
            *("9.2", "NCC gains most from risk aversion, CDT least", "words"),
            [
                first["medians", "gains most from u50 to u80"],
                first["medians", "gains least from u50 to u80"],
            ],
            cause=f"CDT gains least in {_share_gaining_least(plain, 'CDT'):.0%} of draws of {SETS} "
            "of our sets",
        ),
        Claim.of_cells(
            *("9.2, Table 6", "Mean ranks under three utilities", "re-run"),
            found["Table 6"].cells,
            paper="3.05 to 2.18",
        ),
        *_tested(found["Fig. 6 in words"], plain),
        Claim.of_cells(
            *("9.2.1, Fig. 7", "Feature selection helps NCC significantly, LNCC a little", "words"),
            [c for c in chosen.cells if c.row in ("NCC", "LNCC")],
            paper="p < 0.05 for NCC",
        ),
        Claim.of_cells(
            *("9.2.1, Fig. 7", "It hurts CDT slightly and leaves CMA; neither significantly"),
            *("words", [c for c in chosen.cells if c.row in ("CMA", "CDT")]),
            paper="not significant",
        ),
    ]


def _tested(tests: Table, plain: Collection) -> list[Claim]:
    """Judge the tests of Fig. 6, and say of those that differ how far the data sets decide.

    The paper does not name its data sets; as many are drawn from ours, again and again.
    """
    shares = {}
    for utility, measure in UTILITIES.items():
        ranks = _drawn_ranks(plain.table(measure)[CREDAL])
        k = len(CREDAL)
        apart = ((ranks - (k + 1) / 2) ** 2).sum(axis=1) * 12 * SETS / (k * (k + 1))
        shares[utility, "Friedman"] = float(np.mean(stats.chi2.sf(apart, k - 1) < 0.05))
        least = critical_difference(k, SETS)
        for first, second in combinations(CREDAL, 2):
            gap = (ranks[first] - ranks[second]).abs()
            shares[utility, f"{first} and {second}"] = float((gap > least).mean())

    def judged(place: str, says: str, paper: str, cells: list[Cell]) -> Claim:
        claim = Claim.of_cells(place, says, "words", cells, paper=paper)
        off = {(c.row, c.column): c for c in cells if c.agrees is False}
        if not off:
            return claim
        drawn = "; ".join(
            f"{u}, {what}: {c.remark.partition('(')[2].partition(')')[0] or c.remark}, and "
            f"significant in {shares[u, what]:.0%} of draws of {SETS} of our sets"
            for (u, what), c in off.items()
        )
        return replace(claim, cause=drawn)

    def cells(utility: str, friedman: bool) -> list[Cell]:
        return [
            c
            for c in tests.cells
            if c.row.startswith(utility) and (c.column == "Friedman") == friedman
        ]

    return [
        judged("9.2", "Friedman: significant under u50 only", "u50 only", cells("u", True)),
        judged(
            *("9.2, Fig. 6", "Nemenyi, u50: CMA and CDT beat NCC, no other pair differs"),
            *("two pairs of six", cells("u50", False)),
        ),
        judged(
            *("9.2, Fig. 6", "Under u65 the segments of CDT and NCC barely overlap"),
            *("2.81 − 2.18 = 0.63, close to significant", cells("u65", False)),
        ),
    ]


def _share_gaining_least(plain: Collection, model: str) -> float:
    """Share of draws of data sets in which a classifier's median gains least from u50 to u80."""
    drawn = np.random.default_rng(0).integers(len(plain.table("u80")), size=(999, SETS))
    low, high = (
        np.median(plain.table(UTILITIES[u])[CREDAL].to_numpy()[drawn], axis=1)
        for u in ("u50", "u80")
    )
    return float(np.mean((high - low).argmin(axis=1) == CREDAL.index(model)))


def _drawn_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks over as many data sets as the paper has, drawn from ours 999 times."""
    ranks = table.round(10).rank(axis=1, ascending=False).to_numpy()
    drawn = np.random.default_rng(0).integers(len(ranks), size=(999, SETS))
    return pd.DataFrame(ranks[drawn].mean(axis=1), columns=table.columns)


def _others(found: dict[str, Table], plain: Collection) -> list[Claim]:
    words = found["Section 9.3 in words"]
    determinacy = plain.table("determinacy")
    rank = float(stats.spearmanr(determinacy["NCC"], determinacy["NDC"]).statistic)
    move = {m: _gain(plain, m) for m in ("NCC", "NDC")}
    tests = [c for c in words.cells if c.column == "Wilcoxon"]
    repeats = plain.study.repeats
    eight = Claim.of_cells(
        *("9.3, Table 8", "NCC against NDC: wins, ties, losses by t-tests", "re-run"),
        found["Table 8"].cells,
        paper="21 14 18; 20 16 17; 14 13 26",
        cause="open: Laplace's and stronger priors, s = 2, feature selection, β = 2 and u80 "
        "inside NDC were tried (table Variants)",
    )
    if repeats < 10:
        few = f"{repeats} of ten repeats: the t-tests see {10 * repeats} folds instead of 100"
        eight = replace(eight, verdict="cannot tell", cause=few)
    return [
        eight,
        Claim(
            *("9.3, Table 8", "Its rows cover the 55 data sets", "arithmetic", "55"),
            *("they sum to 53", "the paper contradicts itself", "two sets are missing, unsaid"),
        ),
        Claim.of_cells(
            *("9.3", "Wilcoxon: NDC is ahead under u80 only", "words", tests),
            paper="u80 only",
            cause="the same open question as Table 8",
        ),
        Claim.judged(
            *("9.3, Fig. 9", "The determinacies of NCC and NDC are spread: unlike each other"),
            *("re-run", rank < 0.7),
            paper="very spread",
            ours=f"rank correlation over data sets {rank:.2f}",
        ),
        Claim.of_cells(
            *("9.3", "NCC grows surer with rows and vaguer with features, NDC surer", "words"),
            [c for c in words.cells if c.row.startswith("determinacy")],
        ),
        Claim.judged(
            *(
                "9.4",
                "NDC improves remarkably from u65 to u80",
                "re-run",
                move["NDC"] > move["NCC"],
            ),
            paper="remarkable",
            ours=f"mean gain {move['NDC']:.3f}, NCC {move['NCC']:.3f}",
        ),
    ]


def _gain(plain: Collection, model: str) -> float:
    tables: dict[str, pd.DataFrame] = {u: plain.table(UTILITIES[u]) for u in ("u65", "u80")}
    return float((tables["u80"][model] - tables["u65"][model]).mean())
