"""Zaffalon, Corani & Mauá (2012), section 9.2: four credal classifiers."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from cautious.comparison import friedman_nemenyi, wilcoxon
from cautious.experiments.beside import Cell, Figure, Table
from cautious.experiments.zaffalon_collection import CLOSE, UTILITIES, Collection
from cautious.experiments.zaffalon_naive import significance

__all__ = ["credal_figures", "credal_tables"]

CREDAL = ["NCC", "LNCC", "CMA", "CDT"]
TABLE_4 = {
    "u50": (0.75, 0.77, 0.81, 0.79),
    "u65": (0.78, 0.81, 0.82, 0.79),
    "u80": (0.81, 0.83, 0.83, 0.80),
}
TABLE_5 = (0.9503, 0.9790, 0.9956, 0.9749)
TABLE_6 = {
    "u50": (3.05, 2.48, 2.28, 2.18),
    "u65": (2.81, 2.54, 2.47, 2.18),
    "u80": (2.56, 2.48, 2.59, 2.36),
}
CLOSE_RANK = 0.2
# Pairs that Nemenyi's test tells apart, by utility; all others it does not.
APART = {("u50", "NCC", "CMA"), ("u50", "NCC", "CDT")}
# Mean change by feature selection, as section 9.2.1 describes it.
CHANGE = {"NCC": "better", "LNCC": "better", "CMA": None, "CDT": "worse"}


def credal_tables(plain: Collection, selected: Collection) -> list[Table]:
    """Tables 4 to 6, and what is said of them and of figures 6 and 7."""
    medians = pd.DataFrame({u: plain.table(m)[CREDAL].median() for u, m in UTILITIES.items()})
    determinacy = plain.table("determinacy")[CREDAL].median()
    cells = [
        Cell(utility, model, float(medians[utility][model]), value, CLOSE)
        for utility, printed in TABLE_4.items()
        for model, value in zip(CREDAL, printed, strict=True)
    ]
    determined = [
        Cell("determinacy", model, float(determinacy[model]), value, CLOSE)
        for model, value in zip(CREDAL, TABLE_5, strict=True)
    ]
    near = f"agreement means within {CLOSE:g}."
    return [
        Table("Table 4", "Median expected utility", cells, near),
        Table("Table 5", "Median determinacy", determined, near),
        _medians_in_words(medians, determinacy),
        *_ranked(plain),
        _selection(plain, selected),
    ]


def credal_figures(plain: Collection, selected: Collection) -> list[Figure]:
    """Figures 6 and 7."""
    ranks = []
    for utility, measure in UTILITIES.items():
        test = friedman_nemenyi(plain.table(measure)[CREDAL])
        frame = test.mean_ranks.rename("rank").rename_axis("classifier").reset_index()
        ranks.append(frame.assign(utility=utility, critical_difference=test.critical_difference))
    before, after = plain.table("u65"), selected.table("u65")
    pairs = [
        pd.DataFrame({"all features": before[model], "selected": after[model]})
        .dropna()
        .reset_index()
        .assign(panel=f"{model}, u65")
        for model in CREDAL
    ]
    six, seven = (pd.concat(frames, ignore_index=True) for frames in (ranks, pairs))
    title = "Mean ranks and critical differences"
    return [
        Figure("Fig. 6", title, six, "rank", "classifier", None, "ranks", "utility"),
        Figure(
            *("Fig. 7", "Feature selection", seven, "all features", "selected"),
            kind="points",
            panels="panel",
        ),
    ]


def _medians_in_words(medians: pd.DataFrame, determinacy: pd.Series[float]) -> Table:
    gain = medians["u80"] - medians["u50"]
    claims = [
        ("most determinate", determinacy, True, "CMA"),
        ("least determinate", determinacy, False, "NCC"),
        ("highest utility, u50", medians["u50"], True, "CMA"),
        ("highest utility, u65", medians["u65"], True, "CMA"),
        ("gains most from u50 to u80", gain, True, "NCC"),
        ("gains least from u50 to u80", gain, False, "CDT"),
    ]
    cells = [
        Cell(
            "medians",
            what,
            str(values.idxmax() if most else values.idxmin()),
            said,
            remark=", ".join(f"{model} {value:.3f}" for model, value in values.items()),
        )
        for what, values, most, said in claims
    ]
    return Table("Tables 4 and 5 in words", "Which classifier is first or last", cells)


def _ranked(own: Collection) -> list[Table]:
    ranks, tests = [], []
    for utility, printed in TABLE_6.items():
        test = friedman_nemenyi(own.table(UTILITIES[utility])[CREDAL])
        ranks += [
            Cell(utility, model, float(test.mean_ranks[model]), value, CLOSE_RANK)
            for model, value in zip(CREDAL, printed, strict=True)
        ]
        said = "significant" if utility == "u50" else "not significant"
        ours = significance(test.p_value)
        tests.append(Cell(utility, "Friedman", ours, said, remark=str(test)))
        # Under u65 the paper tests one pair, which "barely overlap"; under u80 none.
        pairs = {"u50": list(combinations(CREDAL, 2)), "u65": [("NCC", "CDT")], "u80": []}
        for a, b in pairs[utility]:
            p = float(test.p_values[a][b])
            said = "significant" if (utility, a, b) in APART else "not significant"
            tests.append(
                Cell(utility, f"{a} and {b}", significance(p), said, remark=f"p = {p:.3g}")
            )
    return [
        Table("Table 6", "Mean ranks", ranks, f"agreement means within {CLOSE_RANK:g}."),
        Table("Fig. 6 in words", "Friedman and Nemenyi tests", tests),
    ]


def _selection(plain: Collection, selected: Collection) -> Table:
    """Compare each classifier with and without feature selection, under u65 (Fig. 7)."""
    before, after = plain.table("u65"), selected.table("u65")
    cells = []
    for model, change in CHANGE.items():
        test = wilcoxon(after[model], before[model])
        ours = significance(test.p_value)
        said = "significant" if model == "NCC" else "not significant"
        moved = "better" if test.difference > 0 else "worse"
        by = f"mean change {test.difference:+.4f}"
        cells += [
            Cell(model, "Wilcoxon", ours, said, remark=f"p = {test.p_value:.3g}"),
            Cell(model, "with selection", moved, change, remark=by),
        ]
    return Table(
        "Fig. 7 in words",
        "Correlation-based feature selection, u65",
        cells,
        "of CMA the paper says that it is almost the same with and without.",
    )
