"""Every conclusion of Friedel, Rückert & Kramer (2006), with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from cautious._typing import Floats
from cautious.curves import AbstentionCostSurface
from cautious.papers.claims import Claim
from cautious.papers.friedel.scores import MEASURES, Family, Scores, surface_of
from cautious.papers.friedel.tables import TABLE_1, even_orders, refrained, table_1

__all__ = ["conclusions"]

ONE = "one run only, so chance cannot be told"


def conclusions(family: Family) -> list[Claim]:
    """Judge every conclusion by the learners of a family that has all five on all six sets."""
    return [*_theory(family), *_table(family), *_readings(family), *_figures(family)]


def _every(family: Family, fine: Callable[[AbstentionCostSurface], bool]) -> tuple[bool, str]:
    found = [fine(surface) for surface in family.surfaces.values()]
    return all(found), f"true of {sum(found)} of {len(found)} surfaces"


def _theory(family: Family) -> list[Claim]:
    nu = np.linspace(0, 1, 41)

    def moved(surface: AbstentionCostSurface) -> bool:
        table = np.array([[0.0, 7.0], [3.0, 0.0], [1.0, 1.0]])
        one, other = surface.for_costs(table), surface.for_costs(5 * table + [11.0, 13.0])
        return (one.lower, one.upper) == (other.lower, other.upper)

    def lemma(surface: AbstentionCostSurface) -> bool:
        mu, n = np.meshgrid(nu, nu)
        beyond = n > mu / (1 + mu)
        return not np.asarray(surface.abstention(mu, n))[beyond].any()

    def plane(surface: AbstentionCostSurface) -> bool:
        window = surface.window_at(*(float(t) for t in surface.window(0.5, 0.2)))
        mu, n = np.meshgrid(nu, nu)
        cost = window.relative_cost(mu, n)
        flat = np.abs(np.diff(cost, 2, axis=0)).max() < 1e-12
        return bool(flat and (cost >= surface.cost(mu, n) - 1e-12).all())

    def nested(surface: AbstentionCostSurface) -> bool:
        grid = surface.grid(31)
        return bool(
            (grid.lower[:-1] <= grid.lower[1:]).all() and (grid.upper[:-1] >= grid.upper[1:]).all()
        )

    def separate(surface: AbstentionCostSurface) -> bool:
        at = 0.1
        lower = {float(surface.window(m, at)[0]) for m in (0.3, 0.5, 1.0)}
        upper = {float(surface.window(m, 0.3 * m)[1]) for m in (0.3, 0.5, 0.9)}
        return len(lower) == len(upper) == 1

    def swapped(surface: AbstentionCostSurface) -> bool:
        other = surface.flipped()
        same = np.isclose(surface.cost(0.5, 0.2), 0.5 * other.cost(2.0, 0.4))
        return bool(same)

    def stepwise(surface: AbstentionCostSurface) -> bool:
        lower, _ = surface.window(1.0, np.linspace(0.001, 0.5, 5000))
        return len(np.unique(lower)) <= len(surface.hull.positives) + 1

    claims = []
    for place, says, paper, fine in (
        (
            "Section 2, eq. 6",
            "Scaling costs and adding a constant per class moves no window",
            "invariant",
            moved,
        ),
        (
            "Section 2, Lemma 1",
            "If ν > μ/(1+μ) the optimal window is empty; so all of it above ν = 0.5",
            "never abstain there",
            lemma,
        ),
        (
            "Section 3, Fig. 1",
            "One window costs a plane; the curve is the lower envelope of all",
            "plane, envelope",
            plane,
        ),
        (
            "Section 3, obs. 2, Fig. 2",
            "For the same μ the window for a larger ν lies within the other",
            "contained",
            nested,
        ),
        (
            "Section 4, Fig. 3",
            "The lower threshold depends on ν alone, the upper one on ν/μ",
            "independent of μ where abstaining pays",
            separate,
        ),
        (
            "Section 4, Fig. 3",
            "Both thresholds move in steps, not continuously",
            "in steps",
            stepwise,
        ),
        (
            "Section 4, Fig. 3",
            "Switching the labels switches the roles of the two thresholds",
            "easily confirmed",
            swapped,
        ),
    ):
        holds, ours = _every(family, fine)
        cause = (
            "a theorem; the paper omits the proof, docs/papers has it" if "Lemma" in place else ""
        )
        claims.append(
            Claim.judged(place, says, "arithmetic", holds, paper=paper, ours=ours, cause=cause)
        )
    claims.append(
        Claim(
            "Section 2, footnote 1",
            "Abstention costs that differ by class make the computation less efficient",
            "words",
            "efficiency suffers",
            "a bin then costs ν_P q + ν_N (1 − q): as fast as before, tested against all windows",
            "fails",
            "the hull of the ROC curve was not used",
        )
    )
    claims.append(
        Claim(
            "Section 3, obs. 1",
            "The optimal window can be found in time linear in the examples",
            "words",
            "O(n) against O(Δ²n²) for all of a naive grid",
            "holds after one sort; with the hull a point costs O(log n), and no grid is needed",
            "holds",
        )
    )
    return claims


def _table(family: Family) -> list[Claim]:
    cells = [(name, cell) for name in TABLE_1 for cell in table_1(family, name).cells]
    claims = []
    for column in (*MEASURES, *(f"normalised {m}" for m in MEASURES)):
        own = [
            cell
            for _, cell in cells
            if cell.column.partition(",")[0] == column and cell.paper is not None
        ]
        agree = sum(bool(cell.agrees) for cell in own)
        off = [(n, c) for n, c in cells if c in own and not c.agrees]
        cause = ", ".join(f"{c.row} on {n}: {c.ours:.3g} for {c.printed}" for n, c in off)
        # Two standard deviations leave out one in twenty by chance.
        most_by_chance = int(stats.binom.ppf(0.95, len(own), 0.05))
        holds = len(off) <= most_by_chance if family.repeats else None
        claims.append(
            Claim.judged(
                *("Table 1", f"{column[0].upper()}{column[1:]} of five learners on six sets"),
                *("re-run", holds),
                paper=f"{len(own)} numbers",
                ours=f"{agree} of {len(own)} within two SD over "
                f"{len(family.repeats) or 1} seeds and rounding",
                cause=cause if family.repeats else ONE,
            )
        )
    kept = {name: even_orders(family, name) for name in TABLE_1}
    same = {name: sum(a == b for a, b in orders) for name, orders in kept.items()}
    runs = len(family.repeats) or 1
    claims.append(
        Claim.judged(
            *("Section 4, footnote 3", "With 50:50 classes the order of VACC stays the same"),
            *("re-run", all(n > runs / 2 for n in same.values())),
            paper="not their ordering",
            ours="kept in "
            + ", ".join(f"{n} of {runs} runs on {name}" for name, n in same.items()),
            cause="where learners are close, the order is one of chance in the first place",
        )
    )
    return claims


def _gap(family: Family, dataset: str, a: str, b: str, measure: str) -> tuple[float, float, float]:
    """Mean of a measure of one learner less that of another, over seeds, with a 95 % interval."""
    wide = family.over_seeds(dataset)[measure].unstack("learner")
    return _interval((wide[a] - wide[b]).to_numpy())


def _interval(values: Floats) -> tuple[float, float, float]:
    mean, n = float(np.mean(values)), len(values)
    # Of single runs: the paper has one.
    half = float(stats.t.ppf(0.975, n - 1) * np.std(values, ddof=1)) if n > 1 else np.nan
    return mean, mean - half, mean + half


def _shown(found: tuple[float, float, float]) -> str:
    mean, low, high = found
    return f"{mean:+.3f}" + ("" if np.isnan(low) else f" [{low:+.3f}, {high:+.3f}]")


def _differs(found: tuple[float, float, float]) -> bool:
    """Whether a single run would nearly always show the difference."""
    return bool(found[1] > 0 or found[2] < 0)


def _ranked(family: Family, dataset: str, measure: str) -> tuple[list[str], float]:
    """Order of the means over seeds, and in how many runs it is that order."""
    order = family.ranked(dataset, measure)
    wide = family.over_seeds(dataset)[measure].unstack("learner")
    same = [row.sort_values(kind="stable").index.to_list() == order for _, row in wide.iterrows()]
    return order, float(np.mean(same))


def _readings(family: Family) -> list[Claim]:
    order, share = _ranked(family, "breast-w", "VACC")
    lead = _gap(family, "breast-w", "PART", "NB", "VACC")
    claims = [
        Claim.judged(
            *("Section 4, Table 1", "breast-w: VACC orders SVM, RF, NB, then PART and J48 lag"),
            *("re-run", order[:3] == ["SVM", "RF", "NB"] and _differs(lead)),
            paper="0.014, 0.016, 0.018 | 0.030, 0.032",
            ours=f"{' '.join(order)} in the mean, in {share:.0%} of the runs; PART − NB "
            f"{_shown(lead)}",
        )
    ]
    ends = {}
    for measure in MEASURES:
        ranked = family.ranked("bupa", measure)[:: 1 if measure == "VACC" else -1]
        ends[measure] = (ranked[0], ranked[-1])
    claims.append(
        Claim.judged(
            *("Section 4, Table 1", "bupa: NB is worst and RF best by all measures"),
            *("re-run", set(ends.values()) == {("RF", "NB")}),
            paper="RF 0.15, NB 0.18",
            ours=", ".join(f"{m}: best {a}, worst {b}" for m, (a, b) in ends.items()),
        )
    )
    for dataset, a, b, says, apart, alike in (
        (
            *("credit-a", "J48", "NB"),
            "J48 and NB differ in accuracy and VACC, not in AUC",
            *(("accuracy", "VACC"), ("AUC",)),
        ),
        (
            *("credit-a", "PART", "SVM"),
            "PART and SVM are alike in accuracy and AUC, and differ in VACC",
            *(("VACC",), ("accuracy", "AUC")),
        ),
        (
            *("diabetes", "RF", "SVM"),
            "RF and SVM differ in AUC and VACC, not in accuracy",
            *(("AUC", "VACC"), ("accuracy",)),
        ),
    ):
        gaps = {m: _gap(family, dataset, a, b, m) for m in (*apart, *alike)}
        holds = all(_differs(gaps[m]) for m in apart) and not any(_differs(gaps[m]) for m in alike)
        printed = {
            m: TABLE_1[dataset][a][i] - TABLE_1[dataset][b][i] for i, m in enumerate(MEASURES)
        }
        claims.append(
            Claim.judged(
                *("Section 4, Table 1", f"{dataset}: {says}", "re-run"),
                holds if family.repeats else None,
                paper=", ".join(f"{m} {printed[m]:+.3g}" for m in gaps),
                ours=", ".join(f"{m} {_shown(found)}" for m, found in gaps.items()),
                cause=_why(gaps, apart, alike) if family.repeats else ONE,
            )
        )
    claims += [_negligible(family), *_vote(family), _another_aspect(family)]
    return claims


def _why(
    gaps: dict[str, tuple[float, float, float]], apart: Iterable[str], alike: Iterable[str]
) -> str:
    lost = [m for m in apart if not _differs(gaps[m])]
    more = [m for m in alike if _differs(gaps[m])]
    said = [f"{m}: within the chance of a single run" for m in lost]
    said += [f"{m}: differs in nearly every run" for m in more]
    return "; ".join(said)


def _negligible(family: Family) -> Claim:
    over = family.over_seeds("haberman")
    means = over.groupby("learner").mean()
    ranges = {m: float(means[m].max() - means[m].min()) for m in MEASURES}
    printed = np.array(list(TABLE_1["haberman"].values()))[:, :3]
    told = dict(zip(MEASURES, np.ptp(printed, axis=0), strict=True))
    chance = {m: 2 * float(over[m].groupby("learner").std().mean()) for m in MEASURES}
    return Claim(
        *("Section 4, Table 1", "haberman: the variation in the results is negligible", "re-run"),
        ", ".join(f"range of {m} {told[m]:.2g}" for m in MEASURES),
        ", ".join(f"{m} {ranges[m]:.2g} (two SD of a run {chance[m]:.2g})" for m in MEASURES),
        "the paper contradicts itself",
        "its own accuracies range from 68 to 75 % and its AUCs from 0.59 to 0.70, more than chance "
        "makes; of VACC, 0.11 and 0.12, it is true",
    )


def _vote(family: Family) -> list[Claim]:
    others = [m for m in family.learners("vote") if m != "NB"]
    drop = {}
    for measure in MEASURES:
        wide = family.over_seeds("vote")[measure].unstack("learner")
        best = wide[others].mean(axis=1)
        relative = (wide["NB"] / best - 1) * (-1 if measure != "VACC" else 1)
        drop[measure] = _interval(relative.to_numpy())
    worst = all(
        family.ranked("vote", m)[-1 if m == "VACC" else 0] == "NB" for m in ("accuracy", "VACC")
    )
    shown = ", ".join(f"{m} {_shown(found)}" for m, found in drop.items())
    return [
        Claim.judged(
            *("Section 4, Table 1", "vote: NB is dramatically worse than all others", "re-run"),
            worst and _differs(drop["VACC"]),
            paper="accuracy 90 against 96 to 97, VACC 0.046 against 0.021 to 0.022",
            ours=f"NB's loss relative to the mean of the others: {shown}",
            cause="in AUC it is not: 0.97 against 0.95 to 0.99 printed",
        ),
        Claim.judged(
            *("Section 4, Table 1", "vote: NB's drop is most visible in VACC", "re-run"),
            drop["VACC"][0] > max(drop["accuracy"][0], drop["AUC"][0]),
            paper="VACC more than doubles",
            ours=f"relative loss: {shown}",
        ),
    ]


def _another_aspect(family: Family) -> Claim:
    rows = []
    for name in TABLE_1:
        means = family.over_seeds(name).groupby("learner").mean()
        rows.append([float(means["VACC"].corr(-means[m], method="kendall")) for m in MEASURES[:2]])
    mean = pd.DataFrame(rows, columns=list(MEASURES[:2])).mean()
    return Claim.judged(
        *("Section 4", "VACC captures another aspect than accuracy or AUC", "words"),
        bool(mean.max() < 0.9),
        paper="one can see",
        ours="Kendall's τ between the orders of five learners, mean of six sets: "
        f"{mean['accuracy']:.2f} with accuracy, {mean['AUC']:.2f} with AUC",
    )


def _figures(family: Family) -> list[Claim]:
    share = refrained(family)
    inside = float(np.mean((share >= 0.1) & (share <= 0.15)))
    svm = family.surfaces["bupa", "SVM"]
    mu, nu = np.meshgrid(np.linspace(0, 1, 101)[1:], np.linspace(0, 1, 101)[1:])
    lower, upper = svm.window(mu, nu)
    all_positive = np.isneginf(lower) & np.isneginf(upper)
    all_silent = np.isneginf(lower) & np.isposinf(upper)
    corner, edge = svm.rates(0.01, 1.0), float(svm.abstention(1.0, 0.01))
    positive = float(corner.loc[svm.classes[1]].sum())
    runs = family.repeats or (family.scores,)
    both = {label: _both_win(runs, label) for label in ("1", "2")}
    unnamed = "the paper names neither the data set nor the panel's numbers; the picture is lost"
    return [
        Claim.judged(
            *("Section 4, Fig. 3", "PART refrains from 10 to 15 % on breast-w at ν of about 0.1"),
            *("re-run", inside > 0.5),
            paper="10% to 15%",
            ours=f"{share.min():.1%} to {share.max():.1%} over all μ; within 10 to 15 % for "
            f"{inside:.0%} of them",
            cause="" if inside > 0.5 else "the paper does not say at which μ",
        ),
        Claim(
            *("Section 4, Fig. 4a, b", "J48 is cheaper than PART only in parts of the square"),
            "words",
            *("bluish areas only", "drawn for the two sets that differ most"),
            *("cannot tell", unnamed),
        ),
        Claim(
            *("Section 4, Fig. 4c", "Regions of preference may be separated and quite distant"),
            "words",
            *("as illustrated", "drawn for J48 and RF on vote"),
            *("cannot tell", unnamed),
        ),
        Claim.judged(
            *("Section 4, Fig. 4d", "On haberman NB and PART are each preferred in some region"),
            *("re-run", None if 0 < both["1"] <= len(runs) / 2 else both["1"] > 0),
            paper="clearly identifies different regions",
            ours="each is cheaper on 2 % of the square or more in "
            + ", in ".join(
                f"{n} of {len(runs)} runs if class {label} is positive" for label, n in both.items()
            ),
            cause="the paper's one draw of folds may or may not have been such a one",
        ),
        Claim(
            *("Section 4, Fig. 4e", "On bupa a trivial classifier beats the SVM near two corners"),
            "words",
            *("black areas", "never: the largest difference is 0"),
            "the paper contradicts itself",
            "its windows reach −∞ and +∞ (eq. 2), so every trivial answer is one of them",
        ),
        Claim.judged(
            *("Section 4, Fig. 4f, g", "Upper left all is called positive, lower right nothing is"),
            *("re-run", bool(all_positive.any() and all_silent.any())),
            paper="l = u = −1; l = −1, u = 1",
            ours=f"in the corners {positive:.0%} are called positive and {edge:.0%} abstained on; "
            f"all of them on {all_positive.mean():.1%} and {all_silent.mean():.1%} of the square",
            cause="the outermost scores hold one class only, so answering there is free; a coarser "
            "grid of thresholds would not see it",
        ),
    ]


def _both_win(runs: Sequence[Scores], positive: str) -> int:
    """Count the runs in which NB and PART are each cheaper somewhere on haberman's square."""
    found = 0
    for run in runs:
        first, second = (surface_of(run["haberman"], m, positive) for m in ("NB", "PART"))
        apart = first.differential(second).grid(51).difference
        found += int(min(np.mean(apart < -1e-12), np.mean(apart > 1e-12)) > 0.02)
    return found
