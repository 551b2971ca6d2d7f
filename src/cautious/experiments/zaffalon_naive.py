"""Zaffalon, Corani & Mauá (2012), section 9.1.3: naive Bayes, precise and credal."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from cautious.comparison import wilcoxon
from cautious.experiments.beside import Cell, Figure, Table
from cautious.experiments.zaffalon_collection import CLOSE, CLOSE_SHARE, UTILITIES, Collection

__all__ = ["naive_figure", "naive_tables", "significance"]

SETS = 55
# Data sets on which NBC and NCC are ahead, and Wilcoxon's test.
PRINTED = {
    ("all features", "u50"): (32, 23, "significant"),
    ("all features", "u65"): (None, None, "not significant"),
    ("all features", "u80"): (None, None, "not significant"),
    ("selected", "u65"): (28, 37, "not significant"),
    ("selected", "u80"): (13, 42, "significant"),
}
# Gain of NCC over NBC where NCC is indeterminate, and its 95 % interval.
GAINS = {"u65": (0.09, 0.01, 0.19), "u80": (0.36, 0.24, 0.48)}
CLOSE_END = 0.05


def naive_tables(plain: Collection, selected: Collection) -> list[Table]:
    """Compare on the collection, and where NCC is indeterminate."""
    return [_versus(plain, selected), _ignorance(selected)]


def naive_figure(plain: Collection, selected: Collection) -> Figure:
    """Figure 5."""
    frames = [
        own.table(utility)[["NCC", "NBC"]].reset_index().assign(panel=f"{utility}, {which}")
        for utility in ("u65", "u80")
        for which, own in (("all features", plain), ("selected", selected))
    ]
    frame = pd.concat(frames, ignore_index=True)
    title = "NBC and NCC on the collection"
    return Figure("Fig. 5", title, frame, "NCC", "NBC", None, "points", "panel")


def significance(p_value: float) -> str:
    """Say what a test found at the paper's level."""
    return "significant" if p_value < 0.05 else "not significant"


def _versus(plain: Collection, selected: Collection) -> Table:
    cells = []
    for (which, utility), (bold, credal, said) in PRINTED.items():
        table = (plain if which == "all features" else selected).table(UTILITIES[utility])
        row = f"{which}, {utility}"
        for ahead, behind, printed in (("NBC", "NCC", bold), ("NCC", "NBC", credal)):
            n = int((table[ahead] > table[behind] + 1e-12).sum())
            remark = f"{n} of {len(table)}" + ("" if printed is None else f", printed {printed}")
            if bold is not None and credal is not None and bold + credal != SETS:
                remark += f"; printed counts add up to {bold + credal} of {SETS}"
            share = None if printed is None else printed / SETS
            column = f"share of data sets with {ahead} ahead"
            cells.append(Cell(row, column, n / len(table), share, CLOSE_SHARE, remark))
        test = wilcoxon(table["NBC"], table["NCC"])
        p = f"p = {test.p_value:.3g}, mean lead of NBC {test.difference:+.3f}"
        cells.append(Cell(row, "Wilcoxon", significance(test.p_value), said, remark=p))
    median = float(plain.table("discounted_accuracy")["NBC"].median())
    cells.append(Cell("all features", "median accuracy of NBC", median, 0.82, CLOSE))
    for which, own, sets in (("all features", plain, 33), ("selected", selected, 37)):
        determinacy = own.table("determinacy")["NCC"]
        n = int((determinacy > 0.9).sum())
        column = "share of data sets with determinacy of NCC over 90 %"
        remark = f"{n} of {len(determinacy)}, printed {sets}"
        cells.append(Cell(which, column, n / len(determinacy), sets / SETS, CLOSE_SHARE, remark))
    return Table(
        "Section 9.1.3",
        "NBC against NCC on the collection",
        cells,
        f"agreement means within {CLOSE_SHARE:g} for shares and within {CLOSE:g} for medians. The "
        "medians of NCC that the section prints are those of Tables 4 and 5.",
    )


def _ignorance(selected: Collection) -> Table:
    """Compare where NCC is indeterminate, after feature selection."""
    rows = selected.results[selected.results["model"] == "NCC"]
    rows = rows[rows["unsure"] > 0]
    cells = []
    for utility, (gain, low, high) in GAINS.items():
        sums = rows[[f"unsure_{utility}", "unsure_nbc"]].mul(rows["unsure"], axis=0)
        by_set = sums.groupby(rows["dataset"]).sum()
        by_set = by_set[by_set["unsure_nbc"] > 0]
        gains = (by_set[f"unsure_{utility}"] / by_set["unsure_nbc"] - 1).to_numpy()
        mean, n = float(np.mean(gains)), len(gains)
        half = float(stats.t.ppf(0.975, n - 1) * stats.sem(gains)) if n > 1 else np.nan
        said = f"mean over {n} data sets, median {np.median(gains):+.2f}"
        within = min(gain - low, high - gain)
        cells += [
            Cell(utility, "gain of NCC", mean, gain, within, said),
            Cell(utility, "lower end of its interval", mean - half, low, CLOSE_END),
            Cell(utility, "upper end of its interval", mean + half, high, CLOSE_END),
        ]
    return Table(
        "Section 9.1.3, area of ignorance",
        "Utility of NCC over accuracy of NBC where NCC is indeterminate, less one",
        cells,
        "the gain agrees if it is no further off than the nearer end of the printed interval, an "
        f"end if it is within {CLOSE_END:g}.",
    )
