"""Zaffalon, Corani & Mauá (2012), sections 9.1.1 and 9.1.2: artificial data, and downsampling."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious.datasets import load_dataset
from cautious.experiments import Store, Study
from cautious.models import NaiveCredalClassifier
from cautious.utility import u65, u80
from cautious_reproduction.arrays import Floats, Ints
from cautious_reproduction.claims import Claim
from cautious_reproduction.printed_tables import Cell, Figure, Table
from cautious_reproduction.work import run_tasks

__all__ = ["simulate", "simulation_claims", "simulation_figures", "simulation_table"]

SIZES = (25, 50, 100)
SMALL_SIZES = (5, 10, 15, 20, 30, 50, 100, 150)
ARTIFICIAL, DOWNSAMPLED = "artificial", "kr-vs-kp"
MODELS = "NBC and NCC"
# Draws of the chances, training sets of each, test examples; training sets from kr-vs-kp.
QUICK, FULL = (8, 5, 2000, 10), (80, 50, 10_000, 100)
LINES = ["NBC accuracy", "NCC discounted accuracy", "NCC u65"]


def simulate(
    *, quick: bool, store: Path | None, n_jobs: int | None, progress: bool | None
) -> pd.DataFrame:
    """Run what the store does not hold yet, and give one row per training set."""
    chances, trials, tests, draws = QUICK if quick else FULL
    with Store(":memory:" if store is None else store) as results:
        design = f"{trials} training sets per draw, {tests} tests, {draws} downsamples"
        results.claim({("design", "simulations"): design})
        done = {(dataset, repeat) for dataset, _, repeat, _ in results.done()}
        tasks = [
            partial(_artificial, which, size, trials, tests)
            for size in SIZES
            for which in range(chances)
            if (f"{ARTIFICIAL} {size}", which) not in done
        ]
        tasks += [
            partial(_downsampled, size, draws)
            for size in SMALL_SIZES
            if (f"{DOWNSAMPLED} {size}", 0) not in done
        ]
        for found in run_tasks(tasks, "simulations", n_jobs=n_jobs, progress=progress):
            results.add(found)
        return results.frame()


def simulation_figures(results: pd.DataFrame) -> list[Figure]:
    """Figures 3 and 4."""
    three, four = _curves(results)
    titles = {"Fig. 3": "Artificial data, medians", "Fig. 4": "kr-vs-kp downsampled, means"}
    return [
        Figure(name, title, _long(frame[LINES]), "training examples", "score", "line")
        for (name, title), frame in zip(titles.items(), (three, four), strict=True)
    ]


def simulation_table(results: pd.DataFrame) -> Table:
    """Hold what the paper says of figures 3 and 4 in words against ours."""
    three, four = _curves(results)
    cells = []
    for name, frame in (("Fig. 3", three), ("Fig. 4", four)):
        for size, row in frame.iterrows():
            accuracy, discounted, utility = (float(row[line]) for line in LINES)
            said = f"{accuracy:.3f}, {discounted:.3f}, {utility:.3f}"
            if name == "Fig. 3":
                bold = "NBC" if accuracy > discounted else "NCC"
                cells.append(Cell(name, f"s = {size}, risk-neutral", bold, "NBC", remark=said))
            better = "NCC" if utility > accuracy else "NBC"
            cells.append(Cell(name, f"s = {size}, u65", better, "NCC", remark=said))
    cells += _draws(results)
    smallest = four.iloc[0]
    cells.append(
        Cell("Fig. 4", "u65 of NCC at the smallest size", float(smallest["NCC u65"]), 0.65, 0.01)
    )
    for line in ("NCC determinacy", *LINES):
        rises = all(later >= earlier for earlier, later in pairwise(four[line]))
        values = " ".join(f"{value:.3f}" for value in four[line])
        cells.append(
            Cell("Fig. 4", f"{line} rises with s", "yes" if rises else "no", "yes", remark=values)
        )
    lead = {u: four[f"NCC {u}"] - four["NBC accuracy"] for u in ("u65", "u80")}
    wider = bool((lead["u80"] > lead["u65"]).all())
    cells.append(
        Cell(
            "Fig. 4",
            "NCC leads by more under u80",
            "yes" if wider else "no",
            "yes",
            remark=f"mean lead {lead['u80'].mean():.3f}, under u65 {lead['u65'].mean():.3f}; "
            "printed as an advantage of NBC; u80 is never below u65, so it could not be otherwise",
            given=True,
        )
    )
    sizes = results.groupby("dataset", sort=False).size()
    drawn = ", ".join(f"{n} of {name}" for name, n in sizes.items())
    return Table(
        "Figs 3 and 4 in words",
        "Which classifier is better",
        cells,
        "the remark gives NBC's accuracy and NCC's discounted accuracy and u65, or the values by "
        f"size. The last sentence of 9.1.2 says NBC where it means NCC. Training sets: {drawn} "
        "(the paper: 4000 of each artificial size, 80 × 50, and 100 of each size of kr-vs-kp).",
        "words",
    )


DRAWS = 200


def drawn_simulations(results: pd.DataFrame) -> list[tuple[pd.DataFrame, pd.DataFrame]]:
    """Draw the chances of Fig. 3 and the samples of Fig. 4 anew: medians and means by size."""
    lines, rng = [*LINES, "NCC u80", "NCC determinacy"], np.random.default_rng(0)
    found: dict[str, list[Floats]] = {}
    for dataset, own in results.groupby("dataset", sort=False):
        wide = own.sort_values(["repeat", "fold"])
        n = wide["repeat"].nunique()
        values = wide[lines].to_numpy().reshape(n, -1, len(lines))
        name = str(dataset)
        artificial = name.startswith(ARTIFICIAL)
        if not artificial:  # the samples are the repeats
            values = values.reshape(-1, 1, len(lines))
        middle = np.median if artificial else np.mean
        found[name] = [
            middle(values[rng.integers(len(values), size=len(values))], axis=(0, 1))
            for _ in range(DRAWS)
        ]

    def frame(name: str, sizes: Iterable[int], i: int) -> pd.DataFrame:
        rows = {size: found[f"{name} {size}"][i] for size in sizes if f"{name} {size}" in found}
        return pd.DataFrame.from_dict(rows, orient="index", columns=lines)

    return [(frame(ARTIFICIAL, SIZES, i), frame(DOWNSAMPLED, SMALL_SIZES, i)) for i in range(DRAWS)]


# Accuracy of NBC below which a draw of the chances is called hard.
HARD = 0.85
# Determinacy of NCC below which it is called almost always indeterminate.
SELDOM = 0.1


def simulation_claims(table: Table, results: pd.DataFrame) -> list[Claim]:
    """Judge the conclusions of both sections by their table and by draws of the results."""
    three, four = table.part("Fig. 3"), table.part("Fig. 4")
    leads = [c for c in three if "draws" in c.column]
    X = load_dataset("kr-vs-kp").data
    binary = int((X.nunique() == 2).sum())
    drawn = drawn_simulations(results)

    def shown(cells: list[Cell]) -> str:
        return "; ".join(f"{c.column.partition(',')[0]}: {c.remark}" for c in cells)

    return [
        Claim.of_repeats(
            *("9.1.1, Fig. 3", "Artificial data: NBC beats the random guesser within NCC's sets"),
            "re-run",
            [bool((a["NBC accuracy"] > a["NCC discounted accuracy"]).all()) for a, _ in drawn],
            paper="discounted accuracy of NBC higher",
            ours="accuracy of NBC, discounted accuracy and u65 of NCC at "
            + shown([c for c in three if "neutral" in c.column]),
            what="draws of the chances",
        ),
        Claim.of_repeats(
            *("9.1.1, Fig. 3", "Artificial data: NCC is ahead under u65 at every size", "re-run"),
            [bool((a["NCC u65"] > a["NBC accuracy"]).all()) for a, _ in drawn],
            paper="higher at s = 25, 50, 100 (80 × 50 = 4000 trials each, chances 0.1 apart)",
            ours=f"{sum(c.agrees is True for c in three if 'u65' in c.column)} of 3 sizes",
            cause="by how hard the drawn chances are: NCC leads in "
            + "; ".join(f"{c.ours} draws, {c.remark}" for c in leads),
            what="draws of the chances",
        ),
        Claim.of_repeats(
            *("9.1.2, Fig. 4", "kr-vs-kp downsampled: NCC is ahead under u65 at every size"),
            *("re-run", [bool((b["NCC u65"] > b["NBC accuracy"]).all()) for _, b in drawn]),
            paper="slightly superior at 5, 10, 15, 20, 30, 50, 100, 150",
            ours=shown([c for c in four if c.column.startswith("s =")]),
            what="draws of the samples",
        ),
        Claim.of_cells(
            *("9.1.2, Fig. 4", "At the smallest size NCC is vacuous and earns 0.65", "re-run"),
            [c for c in four if "smallest" in c.column],
            paper="0.65",
        ),
        _hardly_better_than_guessing(results, drawn),
        Claim.of_repeats(
            *("9.1.2, Fig. 4", "Determinacy, accuracy and utility rise with the sample size"),
            "re-run",
            [
                bool((b[["NCC determinacy", *LINES]].diff().iloc[1:] >= 0).all(axis=None))
                for _, b in drawn
            ],
            paper="steadily",
            ours="; ".join(f"{c.column}: {c.remark}" for c in four if "rises with s" in c.column),
            what="draws of the samples",
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


def _hardly_better_than_guessing(
    results: pd.DataFrame, drawn: list[tuple[pd.DataFrame, pd.DataFrame]]
) -> Claim:
    """Show NBC where NCC is almost always indeterminate; slightly is for the reader to judge."""
    _, four = _curves(results)
    small = four.index[four["NCC determinacy"] < SELDOM]
    said = []
    for size in small:
        low, high = np.quantile([b["NBC accuracy"][size] for _, b in drawn], [0.025, 0.975])
        own = results.loc[results["dataset"] == f"{DOWNSAMPLED} {size}", "NBC accuracy"]
        said.append(
            f"s = {size}: accuracy {own.mean():.3f} [{low:.3f}, {high:.3f}], above one half in "
            f"{(own > 0.5).sum()} of {len(own)} samples"
        )
    return Claim.judged(
        *("9.1.2, Fig. 4", "… and NBC is only slightly better than random guessing", "words", None),
        paper="slightly better",
        ours="; ".join(said),
        cause="slightly is no number; that it is better is true",
    )


def _draws(results: pd.DataFrame) -> list[Cell]:
    """Show in how many draws of the chances NCC leads: it depends on how hard they are."""
    cells = []
    for size in SIZES:
        own = results[results["dataset"] == f"{ARTIFICIAL} {size}"]
        draws = own.groupby("repeat")[["NBC accuracy", "NCC u65"]].mean()
        leads, hard = draws["NCC u65"] > draws["NBC accuracy"], draws["NBC accuracy"] < HARD
        remark = (
            f"{(leads & hard).sum()} of the {hard.sum()} in which NBC's accuracy is below {HARD}"
        )
        ours = f"{leads.sum()} of {len(draws)}"
        cells.append(Cell("Fig. 3", f"s = {size}, draws in which NCC leads", ours, remark=remark))
    return cells


def _curves(results: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the medians over artificial data and the means over downsamples, by size."""
    experiment = results["dataset"].str.rsplit(n=1).str[0]
    lines = [*LINES, "NCC u80", "NCC determinacy"]
    by_size = results.rename(columns={"n_train": "training examples"})
    three, four = (
        by_size[experiment == name].groupby("training examples")[lines]
        for name in (ARTIFICIAL, DOWNSAMPLED)
    )
    return three.median(), four.mean()


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.reset_index().melt("training examples", var_name="line", value_name="score")


def _artificial(which: int, size: int, trials: int, tests: int) -> list[Store.Result]:
    """Train on samples of one size from one draw of the chances."""
    rng = np.random.default_rng(Study.seed_for(0, ARTIFICIAL, which))
    theta = _chances(rng)
    y_test = rng.integers(2, size=tests)
    X_test = (rng.random((tests, 10)) < theta[y_test]).astype(np.intp)
    seed = Study.seed_for(0, ARTIFICIAL, which, size)
    rng = np.random.default_rng(seed)

    def samples() -> Iterable[tuple[Ints, Ints, Ints, Ints]]:
        for _ in range(trials):
            y = _two_classes(rng, size)
            X = (rng.random((size, 10)) < theta[y]).astype(np.intp)
            yield X, y, X_test, y_test

    return _scored(f"{ARTIFICIAL} {size}", which, seed, samples())


def _chances(rng: np.random.Generator) -> Floats:
    """Chance of each of ten binary features in either class, at least 0.1 apart."""
    theta = rng.random((2, 10))
    while (close := np.abs(theta[0] - theta[1]) < 0.1).any():
        theta[:, close] = rng.random((2, int(close.sum())))
    return theta


def _two_classes(rng: np.random.Generator, size: int) -> Ints:
    while len(np.unique(y := rng.integers(2, size=size))) < 2:
        pass
    return np.asarray(y, dtype=np.intp)


def _downsampled(size: int, draws: int) -> list[Store.Result]:
    """Train on small samples of one size, and test on the rest."""
    frame, classes = load_dataset("kr-vs-kp", return_X_y=True)
    X = np.column_stack([column.cat.codes for _, column in frame.items()])
    y = np.asarray(classes.cat.codes)
    seed = Study.seed_for(0, DOWNSAMPLED, size)
    rng = np.random.default_rng(seed)

    def samples() -> Iterable[tuple[Ints, Ints, Ints, Ints]]:
        for _ in range(draws):
            order = rng.permutation(len(y))
            while len(np.unique(y[order[:size]])) < 2:
                order = rng.permutation(len(y))
            train, test = order[:size], order[size:]
            yield X[train], y[train], X[test], y[test]

    return _scored(f"{DOWNSAMPLED} {size}", 0, seed, samples())


def _scored(
    dataset: str, repeat: int, seed: int, samples: Iterable[tuple[Ints, Ints, Ints, Ints]]
) -> list[Store.Result]:
    found, started = [], time.perf_counter()
    for trial, (X, y, X_test, y_test) in enumerate(samples):
        scores = _scores(X, y, X_test, y_test)
        now = time.perf_counter()
        sizes = (len(y), len(y_test), now - started)
        found.append(Store.Result(dataset, MODELS, repeat, trial, seed, *sizes, scores))
        started = now
    return found


def _scores(X: Ints, y: Ints, X_test: Ints, y_test: npt.NDArray[np.integer]) -> dict[str, float]:
    mask = NaiveCredalClassifier().fit(X, y).predict_set(X_test)
    discounted = mask[np.arange(len(y_test)), y_test] / mask.sum(axis=1)
    bold = NaiveCredalClassifier(epsilon=1.0).fit(X, y).predict(X_test)
    return {
        "NBC accuracy": float(np.mean(bold == y_test)),
        "NCC discounted accuracy": float(discounted.mean()),
        "NCC u65": float(u65(discounted).mean()),
        "NCC u80": float(u80(discounted).mean()),
        "NCC determinacy": float(np.mean(mask.sum(axis=1) == 1)),
    }
