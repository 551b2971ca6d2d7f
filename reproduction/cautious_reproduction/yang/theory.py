"""Yang, Destercke & Masson (2017): every table of costs, and the worked examples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    audit,
    class_selective,
    discounted,
    f_beta_costs,
    p_discounted,
    utility_costs,
)
from cautious.credal import ProbabilityIntervals
from cautious.datasets import list_datasets
from cautious.decision import maximality
from cautious.sets import set_names
from cautious.utility import u65
from cautious_reproduction.arrays import Floats
from cautious_reproduction.printed_tables import Cell, Figure, Table, cells_of

__all__ = ["CLASSES", "TABLE_I", "cost_figures", "cost_tables"]

CLASSES = ["h", "b", "n"]
ROWS = ["{h}", "{b}", "{n}", "{h, b}", "{b, n}", "{h, n}", "{h, b, n}"]
TABLE_I = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
ZERO_ONE = ["0 1 1", "1 0 1", "1 1 0"]
OBSTACLES = ["0 1 2", "1 0 2", "4 4 0"]


def cost_tables() -> list[Table]:
    """Tables I to X, the examples, and the claims about properties."""
    obstacles = discounted(TABLE_I, classes=CLASSES).frame()
    exact = {
        "Table III": (
            "Utility-discounted accuracy, u65",
            utility_costs(3, u65, classes=CLASSES),
            [*ZERO_ONE, ".35 .35 1", "1 .35 .35", ".35 1 .35", ".54 .54 .54"],
        ),
        "Table IV": (
            "One minus F1",
            f_beta_costs(3, 1, classes=CLASSES),
            [*ZERO_ONE, "1/3 1/3 1", "1 1/3 1/3", "1/3 1 1/3", ".5 .5 .5"],
        ),
        "Table V": (
            "Discounted costs",
            discounted(obstacles),
            [*OBSTACLES, "1/2 1/2 2", "5/2 2 1", "2 5/2 1", "5/3 5/3 4/3"],
        ),
        "Table X": (
            "p-discounted costs, r = 0.5, cautiousness seeking",
            p_discounted(obstacles, r=0.5),
            [*OBSTACLES, ".25 .25 2", "2.25 1 .5", "1 2.25 .5", "1 1 .89"],
        ),
    }
    misprint = "1 - g(1/3) = 8/15 = .5333; the paper rounds it to .54"
    said = {("{h, b, n}", label): misprint for label in CLASSES}
    tables = [
        Table(
            *(name, title),
            cells_of(
                *(costs.table().loc[ROWS], [row.split() for row in printed]),
                remarks=said if name == "Table III" else None,
                # Costs of single classes are Table I's, or what right and wrong mean.
                given=ROWS[:3],
            ),
        )
        for name, (title, costs, printed) in exact.items()
    ]
    first = Table(
        *("Table I", "Costs of obstacles"),
        cells_of(obstacles, [row.split() for row in OBSTACLES], given=obstacles.index),
        "what the other tables start from.",
    )
    return [
        first,
        _table_ii(),
        *tables[:3],
        *_two_class_tables(),
        _table_viii(),
        _table_ix(),
        tables[3],
        _table_xi(),
        _examples(),
        _claims(),
    ]


def cost_figures() -> list[Figure]:
    """Figure 1, the utility, and figure 2, the decisions."""
    x = np.linspace(0, 1, 101)
    lines = {"u65": u65(x), "discounted accuracy": x}
    utilities = pd.concat(
        [pd.DataFrame({"x": x, "utility": y, "line": name}) for name, y in lines.items()]
    )
    strips = pd.concat([_strip(name, pair) for name, pair, _ in _PAIRS])
    return [
        Figure("Fig. 1", "Risk-averse discounted accuracy", utilities, "x", "utility", "line"),
        Figure(
            "Fig. 2",
            "Decision as a function of p(n)",
            strips,
            "p(n)",
            "expected cost",
            "set",
            "strips",
            panels="table",
        ),
    ]


def _read(rows: Sequence[str]) -> list[list[float]]:
    return [[float(Fraction(cell)) for cell in row.split()] for row in rows]


def _table_ii() -> Table:
    costs = discounted(TABLE_I, classes=CLASSES).table().loc[ROWS[:3]]
    return Table(
        "Table II",
        "Costs of sets, to be filled in",
        cells_of(costs, [row.split() for row in OBSTACLES], given=ROWS),
        "the paper leaves the rows of larger sets open; Tables V and X fill them.",
    )


_PAIRS: list[tuple[str, tuple[float, float], tuple[float, float]]] = [
    ("Table VI", (0.5, 0.5), (0.25, 0.875)),
    ("Table VII", (0.25, 0.75), (1 / 6, 5 / 6)),
]


def _two_class_costs(pair: tuple[float, float]) -> pd.DataFrame:
    frame = pd.DataFrame([[0, 2], [4, 0], pair], ["{h}", "{n}", "{h, n}"], ["h", "n"])
    return SetCosts.from_table(frame).table().loc[list(frame.index)]


def _two_class_tables() -> list[Table]:
    tables = []
    for name, pair, boundaries in _PAIRS:
        costs = _two_class_costs(pair)
        cells = cells_of(costs, [[0, 2], [4, 0], pair], given=costs.index)
        h, n, both = costs.to_numpy()
        # {h, n} beats {h} once p(n) passes the first point, and loses to {n} after the second.
        ours = [_crossing(both - h), _crossing(both - n)]
        cells += [
            Cell("Fig. 2, boundary", between, value, printed, 0.0005)
            for between, value, printed in zip(
                ["{h} | {h, n}", "{h, n} | {n}"], ours, boundaries, strict=True
            )
        ]
        tables.append(Table(name, "Costs with two classes, and the decisions of Fig. 2", cells))
    return tables


def _crossing(difference: Floats) -> float:
    """Where the expectation of a difference of costs changes its sign, as p(n)."""
    return float(difference[0] / (difference[0] - difference[1]))


def _strip(name: str, pair: tuple[float, float]) -> pd.DataFrame:
    """Give where each decision begins and ends, with the expected cost there."""
    costs = _two_class_costs(pair)
    h, n, both = costs.to_numpy(dtype=np.float64)
    stops = [0.0, _crossing(both - h), _crossing(both - n), 1.0]
    decisions = {"{h}": h, "{h, n}": both, "{n}": n}
    rows = [
        (name, p, decision, float(cost @ [1 - p, p]))
        for (decision, cost), ends in zip(decisions.items(), pairwise(stops), strict=True)
        for p in ends
    ]
    return pd.DataFrame(rows, columns=["table", "p(n)", "set", "expected cost"])


def _table_viii() -> Table:
    frame = audit(discounted(TABLE_I, classes=CLASSES)).frame()
    letters = {"necessary": "N", "desirable": "D", "analyst's choice": "A", "undesirable": "U"}
    ours = frame[["filtering", "choice"]].map(letters.__getitem__).T
    return Table(
        "Table VIII",
        "How desirable the ten properties are",
        cells_of(ours, ["NDNNDNUDUA", "NDNNDAAUDN"], given=ours.index),
        "the paper's judgement, which the audit applies.",
    )


def _table_ix() -> Table:
    eta, delta = {"a": 3.0, "b": 5.0, "c": 7.0}, 1.25
    a, b, c, d = *eta.values(), delta
    printed = [[0, b, c], [a, 0, c], [a, b, 0], [d, d, c + d], [d, b + d, d], [a + d, d, d]]
    rows = ["{a}", "{b}", "{c}", "{a, b}", "{a, c}", "{b, c}", "{a, b, c}"]
    costs = class_selective(pd.Series(eta), delta).table().loc[rows]
    return Table(
        "Table IX",
        "Ha's costs, with η = (3, 5, 7) and δ = 1.25",
        cells_of(costs, [*printed, [2 * d] * 3], given=rows),
        "the paper prints symbols; both sides are the same formula, worked out for these values.",
    )


def _table_xi() -> Table:
    facts = list_datasets().loc[["ERA", "ESL", "LEV"], ["rows", "features", "classes"]]
    off = "the public files have 4 inputs; the paper seems to count the class"
    return Table(
        "Table XI",
        "The ordinal data sets",
        cells_of(
            facts,
            [[1000, 5, 9], [488, 5, 9], [1000, 5, 5]],
            remarks={(name, "features"): off for name in facts.index},
        ),
    )


def _examples() -> Table:
    intervals = ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]])
    ours = sorted(tuple(np.round(v, 9) + 0.0) for v in np.asarray(intervals.vertices()[0]))
    printed = sorted([(0, 0.4, 0.6), (0.2, 0.3, 0.5), (0.2, 0.4, 0.4), (0.1, 0.3, 0.6)])
    cells = [
        Cell("Example 3", f"vertex {i + 1}", _point(v), _point(w))
        for i, (v, w) in enumerate(zip(ours, printed, strict=True))
    ]
    h, b, n = np.array(TABLE_I, dtype=np.float64)
    lower = intervals.lower_expectation([n - b, h - b])[0]
    answer = set_names(maximality(intervals, TABLE_I), CLASSES)[0]
    cells += [
        Cell("Example 4", "lower expectation of c_n - c_b", float(lower[0]), 0.3),
        Cell("Example 4", "lower expectation of c_h - c_b", float(lower[1]), 0.1),
        Cell("Example 4", "maximal classes", str(answer), "{b}"),
    ]
    even = np.full(3, 1 / 3)
    cells += [
        Cell("Examples 5 and 6", f"expected cost of {{{name}}}", float(row @ even), 1.0)
        for name, row in (("h", h), ("b", b))
    ]
    for example, at_n, expected in (("Example 5", 2.0, "5/6"), ("Example 6", 3.0, "7/6")):
        row = pd.DataFrame([[0.25, 0.25, at_n]], ["{h, b}"], CLASSES)
        costs = SetCosts.from_table(pd.concat([discounted(TABLE_I, classes=CLASSES).frame(), row]))
        value = float(costs.of([[True, True, False]])[0] @ even)
        printed_as = float(Fraction(expected))
        what = "expected cost of {h, b}"
        cells.append(Cell(example, what, value, printed_as, printed=expected))
    return Table("Examples 3 to 6", "Vertices, maximality, expected costs", cells)


def _point(v: Sequence[float]) -> str:
    return "(" + ", ".join(f"{x:g}" for x in v) + ")"


def _claims() -> Table:
    """Hold what sections V and VI say of each proposal against the audit."""
    obstacles = discounted(TABLE_I, classes=CLASSES).frame()
    zero_one = utility_costs(3, u65, classes=CLASSES)
    ha = class_selective(pd.Series({"a": 3.0, "b": 5.0, "c": 7.0}), 1.25)
    proposals = {
        "u65 (V-a)": (zero_one, {n: n != 9 for n in range(1, 11)}),
        "Ha (V-b)": (ha, {**dict.fromkeys([2, 3, 4, 5, 6, 8], True), 10: False}),
        "Abellán–Masegosa (V-c)": (
            abellan_masegosa(obstacles),
            dict.fromkeys([4, 5, 6, 8, 10], True),
        ),
        "p-discounted, seeking (VI)": (
            p_discounted(obstacles, r=0.5),
            dict.fromkeys([2, 3, 4, 5, 7, 9, 10], True),
        ),
        "p-discounted, averse (VI)": (
            p_discounted(obstacles, r=0.5, attitude="averse"),
            dict.fromkeys([2, 3, 4, 5, 6, 9, 10], True),
        ),
    }
    cells = []
    for name, (costs, said) in proposals.items():
        found = audit(costs).frame()
        for number, holds in said.items():
            ours, paper = found["verdict"][number], "holds" if holds else "fails"
            remark = ""
            if ours != paper:
                remark = f"{found['witness_set'][number]}: {found['detail'][number]}"
            cells.append(Cell(name, f"property {number}", ours, paper, remark=remark))
    return Table(
        "Sections V and VI",
        "Which properties hold, on the paper's own example",
        cells,
        "a property that holds for this example need not hold for every cost matrix. The paper "
        "says that δ < η/2 ensures Ha's property 3; it does for pairs, but k classes need δ < η/k.",
    )
