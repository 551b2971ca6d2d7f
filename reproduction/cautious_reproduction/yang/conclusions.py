"""Every conclusion of Yang, Destercke & Masson (2017), with a verdict."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pandas as pd

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    audit,
    class_selective,
    discounted,
    ordinal,
    p_discounted,
)
from cautious.datasets import load_dataset
from cautious_reproduction.claims import Claim
from cautious_reproduction.printed_tables import Cell, Table
from cautious_reproduction.yang.experiment import (
    best_strength,
    cost_curves,
    drawn_results,
    shape_of,
    strictness,
)
from cautious_reproduction.yang.theory import CLASSES, TABLE_I

__all__ = ["conclusions"]

FOLDS = "draws of the folds"
STRICT = 50
"""Draws enough to tell whether a curve of forty steps is strict."""


def conclusions(tables: list[Table], results: pd.DataFrame) -> list[Claim]:
    """Judge every conclusion by the tables made, and by the experiment."""
    found = {table.name: table for table in tables}
    return [
        *_decisions(found),
        *_properties(found),
        *_proposals(found),
        *_costs_of_sets(found),
        *_experiment(found, results),
    ]


def _with_pair(at_h: float, at_b: float, at_n: float) -> SetCosts:
    row = pd.DataFrame([[at_h, at_b, at_n]], ["{h, b}"], CLASSES)
    return SetCosts.from_table(pd.concat([discounted(TABLE_I, classes=CLASSES).frame(), row]))


def _decisions(found: dict[str, Table]) -> list[Claim]:
    examples = found["Examples 3 to 6"]
    pair = [[True, True, False]]
    impossible = _with_pair(1, 1, 2).possibility(pair[0])
    still = _with_pair(0.25, 0.25, 3).of(pair)[0] @ [0.5, 0.5, 0]
    return [
        Claim.of_cells(
            *("II-C, Example 3", "The credal set of the intervals has four vertices"),
            *("arithmetic", examples.part("Example 3")),
        ),
        Claim.of_cells(
            *("II-C, Example 4", "Lower expectations 0.3 and 0.1, so b alone is maximal"),
            *("arithmetic", examples.part("Example 4")),
        ),
        Claim.judged(
            *("IV-A, Example 5", "{h, b} at 1, 1, 2 costs no less than h and b ever do"),
            *("arithmetic", not impossible.possible),
            paper="for any probability",
            ours="no probability makes it cheaper than both (a linear programme)",
        ),
        Claim.of_cells(
            *("IV-A, Example 5", "At 1/4, 1/4, 2 the uniform p gives 5/6, below 1 and 1"),
            *("arithmetic", [*examples.part("Examples 5"), *examples.part("Example 5")]),
        ),
        Claim.of_cells(
            *("IV-C, Example 6", "At 1/4, 1/4, 3 the uniform p gives 7/6, above 1"),
            *("arithmetic", examples.part("Example 6")),
        ),
        Claim.judged(
            *("IV-C, Example 6", "… and {h, b} is still possible at p = (1/2, 1/2, 0)"),
            *("arithmetic", bool(still < 0.5)),
            paper="still possible",
            ours=f"it costs {still:.2f}, h and b cost 0.50",
        ),
    ]


def _properties(found: dict[str, Table]) -> list[Claim]:
    base = discounted(TABLE_I, classes=CLASSES)
    mean = float(base.of([[True, True, False]])[0, 0])
    matrix = np.array(TABLE_I, dtype=np.float64)
    least = {"{b, n}(h)": matrix[[1, 2], 0].min(), "{h, b}(n)": matrix[[0, 1], 2].min()}
    both = matrix[[0, 1], 2].min(), matrix[[0, 1], 2].max()
    same = sorted(matrix[:, 0]) == sorted(matrix[:, 1])
    never = audit(base).frame()["verdict"][1]
    six, seven = found["Table VI"], found["Table VII"]
    moved = [
        b.ours - a.ours
        for a, b in zip(six.part("Fig. 2"), seven.part("Fig. 2"), strict=True)
        if not isinstance(a.ours, str) and not isinstance(b.ours, str)
    ]
    return [
        Claim.judged(
            *("IV-A, Prop. 1", "Discounted costs never make a set the strictly best answer"),
            *("arithmetic", never == "fails"),
            paper="E[c̄] ≥ min E[c]",
            ours="no set of Table V is possible (linear programmes over p)",
        ),
        Claim(
            *("IV-B, Property 3", "It imposes c_{h,b}(h) ≤ 1/2 in Table II", "arithmetic", "≤ 1/2"),
            f"< {mean:g}: the inequality of the property is strict",
            *("the paper contradicts itself", "a slip of ≤ for <"),
        ),
        Claim.judged(
            *("IV-B, Property 4", "It asks c_{b,n}(h) ≥ 1 and c_{h,b}(n) ≥ 2", "arithmetic"),
            [*least.values()] == [1, 2],
            paper="≥ 1, ≥ 2",
            ours=", ".join(f"c_{k} ≥ {v:g}" for k, v in least.items()),
        ),
        Claim.judged(
            *("IV-C, Properties 4 and 10", "Together they enforce c_{h,b}(n) = 2", "arithmetic"),
            both == (2, 2),
            paper="= 2",
            ours=f"between {both[0]:g} and {both[1]:g}",
        ),
        Claim.judged(
            *("IV-B, Property 5", "h and b see the same costs (0, 1, 4) in the full set"),
            *("arithmetic", same),
            paper="(0, 1, 4) twice",
            ours=" and ".join(str(tuple(int(c) for c in sorted(matrix[:, j]))) for j in (0, 1)),
        ),
        Claim(
            *("IV, Properties 2 and 3", "They are asked of every non-empty set", "words"),
            *("for all Ŷ", "a single class equals its own mean: no costs at all would have them"),
            *("the paper contradicts itself", "meant for two classes or more"),
        ),
        Claim(
            *("IV-C, Property 9", "Sensitivity to correctness asks any two classes", "words"),
            "two different classes; 0/1 costs do not have it",
            "so read, 0/1 costs have it through single classes",
            *("the paper contradicts itself", "meant for two classes inside the set"),
        ),
        Claim.of_cells(
            *("IV-C, Example 7, Fig. 2", "Where {h, n} is best, Tables VI and VII", "arithmetic"),
            [*six.part("Fig. 2"), *seven.part("Fig. 2")],
            paper="0.25, 0.875; 1/6, 5/6 (computed from the tables)",
        ),
        Claim.judged(
            *("IV-C, Example 7", "From Table VI to VII both boundaries move to the left"),
            *("arithmetic", max(moved) < 0),
            paper="to the left, twice",
            ours=", ".join(f"{m:+.3f}" for m in moved),
        ),
        Claim(
            *("Table VIII", "How desirable the ten properties are in two settings", "words"),
            *("a judgement", "applied by the audit, not testable", "cannot tell"),
            "an opinion has no truth value; it is given",
        ),
    ]


def _proposals(found: dict[str, Table]) -> list[Claim]:
    table = found["Sections V and VI"]
    triple = audit(class_selective([1, 1, 1], 0.4)).frame().loc[[2, 3], "verdict"].tolist()
    single = abellan_masegosa(TABLE_I, classes=CLASSES).of([[True, False, False]])[0]
    cheap = abellan_masegosa(0.1 * np.array(TABLE_I), classes=CLASSES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that single classes cost something else is the point
        tenth = audit(cheap, matrix=0.1 * np.array(TABLE_I))
    lost = tenth.frame().loc[[2, 3], "verdict"].tolist()
    free = audit(p_discounted([[0, 1, 1], [1, 0, 0], [1, 1, 0]], 0.5)).frame()["verdict"][3]
    costs = np.random.default_rng(0).uniform(0.1, 5, size=(4, 4))
    means = [p_discounted(costs, p=p).of([[True] * 4])[0] for p in (-2, -1, 0, 0.5, 1, 2, 5)]
    rises = all((b >= a - 1e-12).all() for a, b in pairwise(means))
    orders = set()
    for epsilon in (0.01, 1.0):
        extended = p_discounted(ordinal(3), p=-1, epsilon=epsilon)
        full, right, wrong = extended.of([[True] * 3, [True, False, False], [False, True, False]])[
            :, 0
        ]
        orders.add(bool(full < (right + wrong) / 2))
    return [
        Claim.of_cells(
            *("V-a", "u65 has every property but 9", "words", table.part("u65")),
            paper="all but 9",
        ),
        Claim.of_cells(
            *("V-b", "Ha's costs have 4, 5, 6, 8 and not 10", "words"),
            [c for c in table.part("Ha") if c.column.split()[-1] in ["4", "5", "6", "8", "10"]],
            paper="4, 5, 6, 8; not 10",
        ),
        Claim.judged(
            *("V-b", "δ < η/2 ensures Properties 2 and 3", "words", triple == ["holds", "holds"]),
            paper="ensures",
            ours=f"three classes, η = 1, δ = 0.4: {' and '.join(triple)}",
            cause="true for pairs; k classes need δ < η/k",
        ),
        Claim.of_cells(
            *("V-c", "Abellán and Masegosa's costs have 4, 5, 6, 8, 10", "words"),
            table.part("Abellán"),
            paper="4, 5, 6, 8, 10",
        ),
        Claim.judged(
            *("V-c", "… no guarantee of 2 and 3, and they change the costs of single classes"),
            *("words", "fails" in lost and not np.allclose(single, TABLE_I[0])),
            paper="a potential drawback, twice",
            ours=f"on a tenth of Table I: 2 {lost[0]}, 3 {lost[1]}; row h of Table I becomes "
            + ", ".join(f"{v:.2f}" for v in single),
        ),
        Claim.judged(
            *("VI", "A generalised mean grows with its power", "arithmetic", rises),
            paper="q < p gives less or equal",
            ours="true for powers −2 to 5 on random costs",
        ),
        Claim.of_cells(
            *("VI", "p-discounted costs have 2 to 5, 9, 10, and 7 or 6", "words"),
            table.part("p-discounted"),
            paper="naturally satisfied",
            cause="on the paper's matrix",
        ),
        Claim.judged(
            *("VI", "… for any costs", "words", free == "holds"),
            paper="naturally",
            ours=f"with one free mistake Property 3 {free}",
            cause="no mean of zeros is below zero",
        ),
        Claim.judged(
            *("VI", "Adding ε to all costs does not change comparisons", "words", len(orders) == 1),
            paper="will not impact",
            ours="p = −1, three grades: to answer all three costs less than to be right every "
            "other time, else one off, at ε = 0.01, and more at ε = 1",
            cause="true for p = 1, −∞ and ∞ only",
        ),
    ]


def _costs_of_sets(found: dict[str, Table]) -> list[Claim]:
    three = found["Table III"]
    levels = {str(level) for level in np.unique(load_dataset("LEV").data)}
    return [
        Claim.of_cells(
            *("III-A, Table III", "Costs by g(x) = −0.6x² + 1.6x, g(1/2) = 0.65: pairs"),
            *("arithmetic", [c for c in three.cells if c.row != "{h, b, n}"]),
            paper="0, 1, 0.35",
        ),
        Claim(
            *("III-A, Table III", "… and the full set", "arithmetic", "0.54", "8/15 = 0.5333"),
            *("the paper contradicts itself", "1 − g(1/3) by its own equation 8"),
        ),
        Claim.of_cells(
            *("III-B, Table IV", "Costs by F1", "arithmetic", found["Table IV"].cells),
            paper="1/3, 0.5",
        ),
        Claim.of_cells(
            *("IV-A, Table V", "Discounted costs", "arithmetic", found["Table V"].cells),
            paper="1/2, 5/2, 5/3, 4/3",
        ),
        Claim.of_cells(
            *("VI, Table X", "p-discounted costs, r = 0.5", "arithmetic", found["Table X"].cells),
            paper="0.25, 2.25, 0.5, 0.89",
        ),
        Claim.of_cells(
            *("VII, Table XI", "ERA, ESL and LEV: rows, features, classes", "arithmetic"),
            found["Table XI"].cells,
            paper="1000 5 9; 488 5 9; 1000 5 5",
            cause="the public files have 4 inputs; the paper seems to count the class",
        ),
        Claim.judged(
            *("VII-B", "Each attribute of LEV is an integer between 1 and 5", "arithmetic"),
            levels == {"1", "2", "3", "4", "5"},
            paper="1 to 5",
            ours=f"{min(levels)} to {max(levels)} in the public file",
            cause="five levels all the same, so nothing that follows changes",
        ),
    ]


def _in_order(costs: pd.DataFrame) -> bool:
    """Say whether Fo is cheapest, then 2Tr, then NCC, on every data set."""
    wide = costs[["NCC", "2Tr", "Fo"]].to_numpy()
    return bool((np.diff(wide, axis=1) < 0).all())


def _order(ranks: Table, results: pd.DataFrame, drawn: list[pd.DataFrame]) -> Claim:
    def costs(rows: pd.DataFrame, column: str) -> pd.DataFrame:
        return rows.pivot_table(index="dataset", columns="model", values=column)

    kept = sum(_in_order(own.to_frame().T) for _, own in costs(results, "summed").iterrows())
    agree, printed = ranks.counts()
    summed = "the printed order is that of summed costs" if 3 * kept == printed else ""
    return Claim.of_repeats(
        *("VII-D, Table XII", "Fo is cheapest, then 2Tr, then NCC, on all sets", "re-run"),
        [_in_order(costs(rows, "cautious r=0.5")) for rows in drawn],
        paper="1, 2, 3",
        ours=f"{agree} of {printed} ranks; with summed costs the printed order on {kept} of "
        f"{printed // 3} sets",
        cause=summed,
        what=FOLDS,
    )


def _shapes(
    curve: pd.DataFrame, where: Iterable[tuple[str, float]]
) -> dict[tuple[str, float], str]:
    """Name the shape of the cost over s by data set and reward."""
    found = {}
    for name, r in where:
        own = curve[(curve["dataset"] == name) & (curve["line"] == f"cautious r={r}")]
        found[name, r] = shape_of(own["cost"].to_numpy())
    return found


def _of_r(cell: Cell) -> bool:
    return cell.column in ("r = 0.1", "r = 0.5", "r = 0.9")


def _experiment(found: dict[str, Table], results: pd.DataFrame) -> list[Claim]:
    shape = found["Fig. 3 in words"]
    averse = [c for c in shape.cells if "best s of the averse" in c.column]
    curve, sets = cost_curves(results), [*dict.fromkeys(results["dataset"])]
    drawn = drawn_results(results)
    curves = [cost_curves(rows) for rows in drawn]
    strict = {
        r: {name: strictness(results, name, r, "step")[0] for name in sets} for r in (0.0, 1.0)
    }
    best = {
        r: {name: best_strength(curve, name, f"cautious r={r}") for name in sets}
        for r in (0.1, 0.5, 0.9)
    }
    said = {(c.row, float(c.column.removeprefix("r = "))): c for c in shape.cells if _of_r(c)}
    twelve, ranks = found["Table XII"], found["Table XII, ranks"]
    grid = "the log grid moves in steps too small to change an answer; judged in steps of 0.25"

    def printed_shape(where: list[tuple[str, float]]) -> list[bool]:
        return [
            all(said[at].paper == shape for at, shape in _shapes(own, where).items())
            for own in curves
        ]

    def shown(where: list[tuple[str, float]]) -> str:
        return "; ".join(
            f"{name}, r = {r}: {said[name, r].ours}, {said[name, r].remark}" for name, r in where
        )

    clear = [(name, r) for r in (0.5, 0.9) for name in sets if (name, r) != ("LEV", 0.9)]
    slight = [(name, 0.1) for name in sets]
    return [
        Claim.of_cells(
            *("VII-C, Fig. 3", "The higher r, the lower the cost", "words"),
            shape.part(column="the higher r"),
            paper="a trivial remark",
        ),
        *(
            Claim.of_repeats(
                *("VII-C, Fig. 3", says, "re-run", printed_shape(where)),
                paper=paper,
                ours=shown(where),
                what=FOLDS,
            )
            for says, paper, where in (
                ("r = 0.5 and 0.9: the cost falls, then rises", "clearly", clear),
                ("… but on LEV at r = 0.9 it falls up to s = 10", "beyond s = 10", [("LEV", 0.9)]),
                ("r = 0.1: it falls, then rises, less remarkably", "still present", slight),
            )
        ),
        Claim(
            *("VII-C, Fig. 3", "s ranges from 0.001 to 10 in the figure", "words"),
            "0.001 to 10; the axes of s end at 10 (ERA), 7 (LEV) and 7 (ESL)",
            *("run up to 10 on all three", "the paper contradicts itself"),
            "two of its three axes end before 10",
        ),
        Claim(
            *("VII-C, Fig. 3", "The curves are approximately concave", "words", "concave"),
            *("they fall, then rise: convex in shape", "the paper contradicts itself"),
            "the word for the other shape",
        ),
        Claim.of_repeats(
            *("VII-C", "Mistake averse, the best s is smaller", "re-run"),
            [
                all(
                    best_strength(own, name, f"averse r={r}")
                    < best_strength(own, name, f"cautious r={r}")
                    for name in sets
                    for r in best
                )
                for own in curves
            ],
            paper="smaller",
            ours=f"smaller in {sum(c.agrees is True for c in averse)} of {len(averse)} cases, "
            f"equal in {sum(c.ours == 'equal' for c in averse)}",
            cause="the same s of the grid is best for both: few sets miss the truth there",
            what=FOLDS,
        ),
        *(
            Claim.of_repeats(
                *("VII-C", f"r = {r:g}: the cost is strictly {way} in s", "re-run"),
                [
                    all(strictness(rows, name, r, "step")[0] for name in sets)
                    for rows in drawn[:STRICT]
                ],
                paper=f"strictly {way}",
                ours=", ".join(f"{n}: {'yes' if ok else 'no'}" for n, ok in strict[r].items()),
                cause=grid,
                what=FOLDS,
            )
            for r, way in ((0.0, "increasing"), (1.0, "decreasing"))
        ),
        Claim.of_repeats(
            *("VII-C", "For the same r the best s differs from set to set", "re-run"),
            [
                any(
                    len({best_strength(own, name, f"cautious r={r}") for name in sets}) > 1
                    for r in best
                )
                for own in curves
            ],
            paper="not always the same",
            ours="; ".join(
                f"r = {r}: " + ", ".join(f"{n} {s:.3g}" for n, s in own.items())
                for r, own in best.items()
            ),
            what=FOLDS,
        ),
        Claim.of_cells(
            *("VII-D, Table XII", "Average costs of NCC, 2Tr and Fo (50 trees)"),
            *("re-run", twelve.cells),
            paper="3.79 2 1.93; 2.2 0.87 0.81; 3.43 1.18 0.88",
            cause="summed instead of averaged costs come nearer on ERA and ESL, not on LEV (table "
            "Table XII, summed)",
        ),
        _order(ranks, results, drawn),
        Claim(
            *("VII-C and D", "Table XII and Fig. 3 price the same NCC at s = 2, r = 0.5", "words"),
            "3.79, 2.2, 3.43; axes to 2, 0.8, 0.6",
            ", ".join(
                f"{c.row} {c.ours:.2f}"
                for c in twelve.cells
                if c.column == "NCC" and not isinstance(c.ours, str)
            ),
            *("the paper contradicts itself", "the column NCC cannot stand beside the figure"),
        ),
    ]
