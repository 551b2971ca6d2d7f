"""Zaffalon, Corani & Mauá (2012): utilities, the next bets, artificial data, downsampling."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed

from cautious._typing import Floats, Ints, Mask
from cautious.bootstrap import as_generator
from cautious.datasets import load_dataset
from cautious.experiments.beside import Cell, Figure, Table
from cautious.experiments.progress import track
from cautious.experiments.seeding import seed_for
from cautious.models import NaiveCredalClassifier
from cautious.utility import (
    caution_premium,
    exponential,
    f_beta,
    inversion_point,
    logarithmic,
    u65,
    u80,
)

__all__ = ["simulated", "utility_figures", "utility_tables"]

SIZES = (25, 50, 100)
SMALL_SIZES = (5, 10, 15, 20, 30, 50, 100, 150)


def utility_tables() -> list[Table]:
    """Table 7, and where the worth of caution peaks (section 8)."""
    columns = {"F1": f_beta(1), "F2": f_beta(2), "u65": u65, "u80": u80}
    printed = {
        "1": (1.0, (1, 1, 1, 1)),
        "{1, 2}": (1 / 2, (0.67, 0.83, 0.65, 0.80)),
        "{1, 2, 3}": (1 / 3, (0.50, 0.71, 0.47, 0.60)),
        "{2, 3, 4}": (0.0, (0, 0, 0, 0)),
    }
    cells = [
        Cell(row, name, float(utility(np.array(x))), value)
        for row, (x, values) in printed.items()
        for (name, utility), value in zip(columns.items(), values, strict=True)
    ]
    seven = Table(
        "Table 7",
        "Scores when class 1 is the truth",
        cells,
        "section 9 prints the formulas of u65 and u80 under each other's names; the table uses "
        "them rightly.",
    )
    peaks = [
        Cell(f"{n} classes", "logarithmic", float(inversion_point(n, logarithmic)), float(n))
        for n in (2, 3, 5, 10)
    ]
    peaks += [
        Cell(
            f"{n} classes",
            f"exponential, a = {a}",
            float(inversion_point(n, exponential(a))),
            n / a,
        )
        for n in (2, 10)
        for a in (0.5, 2)
    ]
    eight = Table(
        "Section 8",
        "Number of bets at which caution is worth most, to second order",
        peaks,
        "d(m) in 8.2 is printed with the wrong sign; the inversion point is not affected.",
    )
    return [seven, eight]


def utility_figures() -> list[Figure]:
    """Figures 1, 2 and 8."""
    m = np.arange(1, 41)
    bets = pd.concat(
        [
            pd.DataFrame({"m": m, "d(m)": caution_premium(m, n, logarithmic), "classes": str(n)})
            for n in (2, 3, 5, 10)
        ]
    )
    x = np.linspace(0, 1, 101)
    lines = {"u50": x, "u65": u65(x), "u80": u80(x)}
    utilities = pd.concat(
        [pd.DataFrame({"x": x, "utility": y, "line": name}) for name, y in lines.items()]
    )
    k = np.arange(1, 11)
    functions = {"F1": f_beta(1), "F2": f_beta(2), "u65": u65, "u80": u80}
    sizes = pd.concat(
        [pd.DataFrame({"k": k, "score": f(1 / k), "line": name}) for name, f in functions.items()]
    )
    return [
        Figure("Fig. 1", "Worth of caution, logarithmic utility", bets, "m", "d(m)", "classes"),
        Figure("Fig. 2", "Quadratic utilities", utilities, "x", "utility", "line"),
        Figure("Fig. 8", "Scores of a right set of k classes", sizes, "k", "score", "line"),
    ]


def simulated(
    *, quick: bool, n_jobs: int | None, progress: bool | None
) -> tuple[list[Table], list[Figure]]:
    """Artificial data (Fig. 3) and downsampling of kr-vs-kp (Fig. 4)."""
    chances, trials, tests = (8, 5, 2000) if quick else (80, 50, 10_000)
    draws = 10 if quick else 100
    tasks = [delayed(_artificial)(i, trials, tests) for i in range(chances)]
    tasks += [delayed(_downsampled)(size, draws) for size in SMALL_SIZES]
    rows: list[dict[str, float | str]] = []
    with track(len(tasks), "simulations", show=progress) as bar:
        for found in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
            rows += found
            bar.advance()
    frame = pd.DataFrame(rows)
    three = frame[frame["data"] == "artificial"].groupby("size")[_LINES].median()
    four = frame[frame["data"] == "kr-vs-kp"].groupby("size")[_LINES].mean()
    return [_words(three, four)], [
        Figure("Fig. 3", "Artificial data, medians", _long(three), "size", "score", "line"),
        Figure("Fig. 4", "kr-vs-kp downsampled, means", _long(four), "size", "score", "line"),
    ]


_LINES = ["NBC accuracy", "NCC discounted accuracy", "NCC u65"]


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.reset_index().melt("size", var_name="line", value_name="score")


def _words(three: pd.DataFrame, four: pd.DataFrame) -> Table:
    cells = []
    for name, frame in (("Fig. 3", three), ("Fig. 4", four)):
        for size, row in frame.iterrows():
            accuracy, discounted, utility = (float(row[line]) for line in _LINES)
            said = f"{accuracy:.3f}, {discounted:.3f}, {utility:.3f}"
            if name == "Fig. 3":
                bold = "NBC" if accuracy > discounted else "NCC"
                cells.append(Cell(name, f"s = {size}, risk-neutral", bold, "NBC", remark=said))
            better = "NCC" if utility > accuracy else "NBC"
            cells.append(Cell(name, f"s = {size}, u65", better, "NCC", remark=said))
    smallest = float(four["NCC u65"].iloc[0])
    cells.append(Cell("Fig. 4", "u65 of NCC at the smallest size", smallest, 0.65, 0.01))
    return Table(
        "Figs 3 and 4 in words",
        "Which classifier is better",
        cells,
        "the remark gives NBC's accuracy and NCC's discounted accuracy and u65. The last sentence "
        "of 9.1.2 says NBC where it means NCC. Training sets of one class are drawn again, on "
        "which the paper is silent.",
    )


def _artificial(which: int, trials: int, tests: int) -> list[dict[str, float | str]]:
    """Draw chances once, then train on samples of each size."""
    rng = as_generator(seed_for(0, "artificial", which))
    theta = _chances(rng)
    y_test = rng.integers(2, size=tests)
    X_test = (rng.random((tests, 10)) < theta[y_test]).astype(np.intp)
    rows: list[dict[str, float | str]] = []
    for size in SIZES:
        for _ in range(trials):
            y = _two_classes(rng, size)
            X = (rng.random((size, 10)) < theta[y]).astype(np.intp)
            rows.append({"data": "artificial", "size": size, **_scores(X, y, X_test, y_test)})
    return rows


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


def _downsampled(size: int, draws: int) -> list[dict[str, float | str]]:
    frame, classes = load_dataset("kr-vs-kp", return_X_y=True)
    X = np.column_stack([column.cat.codes for _, column in frame.items()])
    y = np.asarray(classes.cat.codes)
    rng = as_generator(seed_for(0, "kr-vs-kp", size))
    rows: list[dict[str, float | str]] = []
    for _ in range(draws):
        order = rng.permutation(len(y))
        while len(np.unique(y[order[:size]])) < 2:
            order = rng.permutation(len(y))
        train, test = order[:size], order[size:]
        found = _scores(X[train], y[train], X[test], y[test])
        rows.append({"data": "kr-vs-kp", "size": size, **found})
    return rows


def _scores(X: Ints, y: Ints, X_test: Ints, y_test: npt.NDArray[np.integer]) -> dict[str, float]:
    credal = NaiveCredalClassifier().fit(X, y)
    mask: Mask = credal.predict_set(X_test)
    hit = mask[np.arange(len(y_test)), y_test]
    discounted = hit / mask.sum(axis=1)
    bold = NaiveCredalClassifier(epsilon=1.0).fit(X, y).predict(X_test)
    scores = [np.mean(bold == y_test), discounted.mean(), u65(discounted).mean()]
    return {line: float(score) for line, score in zip(_LINES, scores, strict=True)}
