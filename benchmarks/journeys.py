"""Whole journeys at the machine's speed: what people call, beside what the machine allows.

``python -m benchmarks journeys [--small] [--write BENCHMARKS.md]`` prints one table: each call on a
million cases, the limit that was measured beside it in the same run, their ratio, and the goal.
Limits are one `np.argsort` of the scores, one `np.sort` of scores that carry their truth in the
lowest bit, and pyarrow reading the columns that are used. What reads files needs pyarrow; without
it such rows are left out, and the table says so. On another machine ``--keep seconds.json`` keeps
what was measured; here ``--beside seconds.json`` shows it in a column.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import cautious
from benchmarks import timing
from benchmarks.timing import row, seconds
from cautious import AbstentionCostSurface, RiskCoverageCurve, Rule

TITLE = "Whole journeys"
READ = (
    "What people call, on as many cases as the row says, beside a limit of the machine taken in "
    "the same run; the note has the goal. Packed scores carry their truth in the lowest bit, so "
    "that one sort orders both. Commands are processes of their own, with compiled bytecode."
)
N = 1_000_000
COSTS = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}
OPTIONS = ["--false-negative", "10", "--false-positive", "2", "--abstain", "1"]
ARGSORT, SORT, PYARROW = "np.argsort of the scores", "np.sort of packed scores", "pyarrow reading"
HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
Rows = Iterator[dict[str, Any]]


def drawn(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Truths of two classes, and calibrated scores."""
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 1.5, n)
    return (rng.random(n) < score).astype(int), score


def packed(y: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Scores between 0 and 1 as whole numbers in their order, the truth in the lowest bit."""
    return (score.view(np.uint64) & ~np.uint64(1)) | y.astype(np.uint64)


def arrays(n: int) -> Rows:
    """Calls that are given arrays."""
    y, score = drawn(n)
    bits = packed(y, score)
    argsort, sort = seconds(lambda: np.argsort(score)), seconds(lambda: np.sort(bits))
    ours = partial(compared, reference=argsort, against=ARGSORT, sort=sort)
    yield row(f"{SORT}, {n:,}", sort, reference=argsort, against=ARGSORT)
    rule = Rule.window(0.1, 0.6)
    given = {"model": (y, score)}
    evaluated = seconds(lambda: cautious.evaluate(given, rule=rule))
    tuned = partial(cautious.tune, given, costs=COSTS)
    yield ours(f"tune with costs, {n:,}", seconds(tuned, repeats=1), asked="at most 15")
    yield ours(f"evaluate with a rule, {n:,}", evaluated, asked="at most 4")
    proba = np.column_stack([1 - score, score])
    curve = seconds(lambda: RiskCoverageCurve.from_predictions(y, proba))
    yield ours(f"risk–coverage, {n:,}", curve, asked="at most 2")
    vacc = seconds(lambda: AbstentionCostSurface.from_predictions(y, score).vacc())
    yield ours(f"surface and VACC, {n:,}", vacc, asked="at most 1")
    text = {"model": (np.array(["no", "yes"], dtype=object)[y], score)}
    of_text = Rule.window(0.1, 0.6, classes=["no", "yes"])
    yield compared(
        f"evaluate of text labels, {n:,}",
        seconds(lambda: cautious.evaluate(text, rule=of_text)),
        reference=evaluated,
        against="the same of integers",
        asked="at most 1.2",
    )
    few = max(n // 10, 100)
    tuned = partial(cautious.tune, {"model": (y[:few], score[:few])}, costs=COSTS)
    yield row(f"tune with costs, {few:,}", seconds(tuned), note="asked: at most .15 s")
    group = np.random.default_rng(1).integers(few, size=n).astype(str)
    frame = pd.DataFrame({"y_true": y, "score": score, "group": group})
    yield compared(
        f"evaluate of {few:,} groups, {n:,}",
        seconds(lambda: cautious.evaluate(frame, rule=rule, groups="group"), repeats=1),
        reference=seconds(lambda: cautious.evaluate(frame, rule=rule, groups=False), repeats=1),
        against="the same without groups",
        asked="at most 3",
    )
    if HAS_PYARROW:
        logged = partial(cautious.summarise, frame)
        yield compared(
            f"summary of {few:,} groups, {n:,}",
            seconds(partial(logged, groups="group"), repeats=1),
            reference=seconds(partial(logged, groups=False), repeats=1),
            against="the same without groups",
            asked="at most 3",
        )
    one = seconds(lambda: [rule.decide(each) for each in score[:1000].tolist()]) / min(n, 1000)
    yield row("Rule.decide of one score", one, note="asked: at most .000005 s")


def compared(
    name: str, ours: float, *, asked: str, sort: float | None = None, **beside: Any
) -> dict[str, Any]:
    """A row with its goal, and how often the packed scores could be sorted in this time."""
    sorts = "" if sort is None else f"; {ours / sort:.3g} × {SORT}"
    return row(name, ours, note=f"asked: {asked}{sorts}", **beside)


def several_models(small: bool) -> Rows:
    """Comparisons of many models on the same cases."""
    for models, n, asked in ((8, 500, ""), (12, 2000, "asked: at most 7.2 s, 60 s for 100")):
        models, n = (3, 100) if small else (models, n)
        y, score = drawn(n)
        noise = np.random.default_rng(1).normal(0, 0.1, (models, n))
        given = {f"m{at}": (y, np.clip(score + each, 0, 1)) for at, each in enumerate(noise)}
        start = timing.CLOCK()
        cautious.compare(given)
        took = timing.CLOCK() - start
        yield row(f"compare of {models} models, {n:,}", took, note=asked)


def files(folder: Path, n: int) -> Rows:
    """Calls that are given files, beside pyarrow reading the columns that they use."""
    from pyarrow import csv

    y, score = drawn(n)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y_true": y, "score": score.round(6)})
    for at in range(5):
        frame[f"unused {at}"] = rng.random(n).round(4)
    plain, wide = folder / "plain.csv", folder / "wide.csv"
    frame[["y_true", "score"]].to_csv(plain, index=False)
    text = frame.to_csv(index=False)
    wide.write_text('"y_true"' + text.removeprefix("y_true"))  # one heading in quotes
    used = csv.ConvertOptions(include_columns=["y_true", "score"])
    rule = Rule.window(0.1, 0.6)
    limits = {
        path: seconds(lambda p=path: csv.read_csv(p, convert_options=used))
        for path in (plain, wide)
    }
    ours = partial(compared, against=PYARROW)
    read = seconds(partial(cautious.read_predictions, str(plain)))
    yield ours(f"CSV of two columns, {n:,}", read, reference=limits[plain], asked="at most 2")
    watched = partial(cautious.watch, str(wide), rule, max_error=0.5, batch="day")
    took = seconds(watched, repeats=1)
    name = f"watch, five unused columns and a quoted heading, {n:,}"
    yield ours(name, took, reference=limits[wide], asked="at most 3")
    other = folder / "other.csv"
    frame[["y_true", "score"]].assign(score=(score**1.2).round(6)).to_csv(other, index=False)
    both = {"one": str(plain), "other": str(other)}
    reading = seconds(partial(cautious.read_predictions, both), repeats=1)
    took = seconds(partial(cautious.build_report, both, folder / "r.html"), repeats=1)
    note = "asked: reading and at most 2 s"
    yield row(f"report of two models, {n:,}", took, reference=reading, against="reading", note=note)


def left_out(name: str) -> dict[str, Any]:
    """A row of what cannot be measured here."""
    return row(name, float("nan"), note="left out: pyarrow is not installed")


def commands(folder: Path, *, small: bool) -> Rows:
    """Commands on a small file, each a process of its own."""
    y, score = drawn(500)
    path, rule, state = (str(folder / name) for name in ("p.csv", "rule.json", "state.json"))
    pd.DataFrame({"y_true": y, "score": score.round(6)}).to_csv(path, index=False)

    def call(*arguments: str) -> float:
        command = [sys.executable, "-m", "cautious", *arguments]
        times = []
        for _ in range(1 if small else 3):  # the first writes bytecode
            start, before = time.perf_counter(), os.times()
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
            wall, after = time.perf_counter() - start, os.times()
            children = sum(after[2:4]) - sum(before[2:4])
            times.append(wall if timing.CLOCK is time.perf_counter else children)
        return min(times)

    usual = "asked: at most 1.2 s"
    watched = ["watch", path, "--rule", rule, "--max-error", "50%", "--state", state, "--replace"]
    for arguments, note in (
        (["--version"], "asked: at most .2 s"),
        (["--help"], "asked: at most .5 s"),
        (["evaluate", path], usual),
        (["tune", path, *OPTIONS, "-o", rule], usual),
        (["apply", "--rule", rule, path, "-o", str(folder / "answers.csv")], usual),
        (watched, usual),
    ):
        if arguments[0] in ("apply", "watch") and not HAS_PYARROW:
            yield left_out(f"cautious {arguments[0]}")
        else:
            yield row(f"cautious {arguments[0]}", call(*arguments), note=note)


def rows(*, small: bool = False) -> Rows:
    """Measure, one row at a time."""
    n = N // 500 if small else N
    yield from arrays(n)
    yield from several_models(small)
    with tempfile.TemporaryDirectory() as folder:
        yield from files(Path(folder), n) if HAS_PYARROW else [left_out("calls that read files")]
        yield from commands(Path(folder), small=small)
