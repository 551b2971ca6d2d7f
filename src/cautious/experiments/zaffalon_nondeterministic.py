"""Zaffalon, Corani & Mauá (2012), section 9.3: NCC and the nondeterministic classifier."""

from __future__ import annotations

import pandas as pd
from scipy import stats

from cautious.comparison import wilcoxon, win_tie_loss
from cautious.datasets import list_datasets
from cautious.experiments.beside import Cell, Figure, Table
from cautious.experiments.zaffalon_collection import CLOSE_SHARE, Collection
from cautious.experiments.zaffalon_naive import significance

__all__ = ["nondeterministic_figure", "nondeterministic_tables"]

# Wins, ties and losses of NCC; the rows sum to 53.
TABLE_8 = {"u65": (21, 14, 18), "f1": (20, 16, 17), "u80": (14, 13, 26)}
SETS = 53


def nondeterministic_tables(own: Collection) -> list[Table]:
    """Table 8, and what section 9.3 says beside it."""
    return [_table_8(own), _words(own)]


def nondeterministic_figure(own: Collection) -> Figure:
    """Figure 9."""
    frames = [
        own.table(measure)[["NCC", "NDC"]].reset_index().assign(panel=measure)
        for measure in ("determinacy", "u65", "u80", "f1")
    ]
    frame = pd.concat(frames, ignore_index=True)
    return Figure("Fig. 9", "NCC and NDC", frame, "NCC", "NDC", None, "points", "panel")


def _table_8(own: Collection) -> Table:
    cells = []
    for utility, printed in TABLE_8.items():
        folds = own.folds(utility, ["NCC", "NDC"])
        total = folds.index.get_level_values("dataset").nunique()
        plain = win_tie_loss(folds, alpha=0.05).iloc[0]
        corrected = win_tie_loss(folds, alpha=0.05, test_to_train=1 / 9).iloc[0]
        for kind, value in zip(("wins", "ties", "losses"), printed, strict=True):
            n = int(plain[kind])
            remark = f"{n} of {total} sets, printed {value} of {SETS}; corrected: {corrected[kind]}"
            column = f"{kind} of NCC"
            cells.append(Cell(utility, column, n / total, value / SETS, CLOSE_SHARE, remark))
    return Table(
        "Table 8",
        "NCC against NDC, shares of data sets by paired t-tests",
        cells,
        f"agreement means within {CLOSE_SHARE:g}. The paper does not say whether its t-test is "
        "corrected for shared training data; the plain one is compared, the corrected one is in "
        "the remark.",
    )


def _words(own: Collection) -> Table:
    cells = []
    for utility, said in (
        ("u65", "not significant"),
        ("f1", "not significant"),
        ("u80", "significant, NDC ahead"),
    ):
        table = own.table(utility)
        test = wilcoxon(table["NDC"], table["NCC"])
        ours = significance(test.p_value)
        if ours == "significant":
            ours += ", NDC ahead" if test.difference > 0 else ", NCC ahead"
        remark = f"p = {test.p_value:.3g}, mean lead of NDC {test.difference:+.3f}"
        cells.append(Cell(utility, "Wilcoxon", ours, said, remark=remark))
    determinacy = own.table("determinacy")
    facts = list_datasets().loc[determinacy.index]
    for model, fact, said in (
        ("NCC", "rows", "rises"),
        ("NCC", "features", "falls"),
        ("NDC", "features", "rises"),
    ):
        if determinacy[model].nunique() > 1 and facts[fact].nunique() > 1:
            rank = stats.spearmanr(determinacy[model], facts[fact])
            remark = f"rank correlation {rank.statistic:+.2f}, p = {rank.pvalue:.2g}"
            moves = "rises" if rank.statistic > 0 else "falls"
        else:
            moves, remark = "neither", "the same on every data set"
        cells.append(Cell(f"determinacy of {model}", f"with {fact}", moves, said, remark=remark))
    return Table(
        "Section 9.3 in words",
        "NCC and NDC over the whole collection",
        cells,
        "how determinacy moves is a rank correlation over data sets, which differ in more than "
        "one thing; the paper says it of the classifiers in general.",
    )
