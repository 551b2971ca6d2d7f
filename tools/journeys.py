"""Count the functions, files and depth that six usual calls pass through in the library.

Run it as ``python tools/journeys.py``; ARCHITECTURE.md shows what it prints. ``--list tune``
prints every function that the journeys with "tune" in their title call, and how often.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import cautious
from cautious.cli import main

PACKAGE = str(Path(cautious.__file__).parent)
COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}


def journey(call: Callable[[], Any]) -> tuple[Counter[tuple[str, str]], int]:
    """Count the calls of each function, known by file and name, and how deep they are nested."""
    call()  # what is imported and remembered once is no part of the journey
    seen: Counter[tuple[str, str]] = Counter()
    depth = deepest = 0

    def note(frame: Any, event: str, _: Any) -> None:
        nonlocal depth, deepest
        file = frame.f_code.co_filename
        if not file.startswith(PACKAGE):
            return
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
            name = frame.f_code.co_qualname
            if not name.endswith(
                ("<listcomp>", "<genexpr>", "<lambda>", "<module>", "<dictcomp>", "<setcomp>")
            ):
                seen[file, name] += 1
        elif event == "return":
            depth -= 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen, deepest


def journeys(folder: Path) -> dict[str, Callable[[], Any]]:
    """Make the six calls."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    score = np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1))), 3)
    frame = pd.DataFrame({"y_true": y, "score": score})
    frame.to_csv(folder / "p.csv", index=False)
    frame.to_parquet(folder / "p.parquet")
    sets = np.column_stack([score < 0.7, score > 0.3])
    X, labels = make_classification(200, random_state=0)

    def command(*arguments: str) -> Callable[[], None]:
        def call() -> None:
            quiet = io.StringIO()
            with (
                contextlib.redirect_stdout(quiet),
                contextlib.redirect_stderr(quiet),
                contextlib.suppress(SystemExit),
            ):
                main([*arguments])

        return call

    costs = ["--false-negative", "10", "--false-positive", "2", "--abstain", "1"]

    def tuned() -> None:
        model = cautious.TunedAbstainingClassifierCV(LogisticRegression(), max_abstention=0.2)
        model.fit(X, labels).predict_set(X)

    return {
        "cautious report p.csv": command(
            "report", str(folder / "p.csv"), "-o", str(folder / "r.html")
        ),
        "cautious tune p.csv": command("tune", str(folder / "p.csv"), *costs),
        "AbstentionCostSurface.from_predictions(…).for_costs(…)": lambda: (
            cautious.AbstentionCostSurface.from_predictions(y, score).for_costs(COSTS)
        ),
        "TunedAbstainingClassifierCV(…).fit(…).predict_set(…)": tuned,
        "utility_score(y, sets)": lambda: cautious.utility_score(y, sets),
        "summarise(p.parquet), then VACC": lambda: cautious.AbstentionCostSurface(
            cautious.summarise(str(folder / "p.parquet")).staircase()
        ).vacc(),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="WORD", help="print the functions of one journey")
    word = parser.parse_args().list
    with tempfile.TemporaryDirectory() as folder:
        for title, call in journeys(Path(folder)).items():
            if word is not None and word not in title:
                continue
            seen, depth = journey(call)
            files = {file for file, _ in seen}
            print(f"{title}: {len(seen)} functions in {len(files)} files, {depth} deep")
            for (file, name), times in sorted(seen.items()) if word else ():
                print(f"{times:8} {Path(file).relative_to(PACKAGE)} {name}")
