"""The page's arithmetic, run in Node without a browser."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cautious.report._page_data import ReportedModels
from cautious.report.document import PAGE_LIMITS, embedded_json

SCRIPT = Path(__file__).with_name("core.mjs")


@cache
def running(node: str) -> subprocess.Popen[str]:
    """One process answers all requests of a worker: starting it takes longer than most answers."""
    process = subprocess.Popen(
        [node, str(SCRIPT), embedded_json(PAGE_LIMITS)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    atexit.register(process.communicate)  # the end of its input ends it
    return process


def ask_core(body: str, given: Any = None) -> Any:
    """Give what a function of the page's core returns; skip the test without Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on the path")
    process = running(node)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(embedded_json({"body": body, "given": given}) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "error" not in answer, answer["error"]
    return answer["found"]


def carried(source: Any, **said: Any) -> list[dict[str, Any]]:
    """What a report on these predictions carries."""
    return ReportedModels.of(source, **said).problems


def ask_models(body: str, source: Any, said: dict[str, Any] | None = None, **given: Any) -> Any:
    """Ask about the `models` (the first: `model`) and `classes` that a report on these carries."""
    opened = "const [{ models, classes }] = core.unpackProblems(given.problems), [model] = models;"
    return ask_core(opened + body, given | {"problems": carried(source, **said or {})})


def ask_both(body: str, y: Any, score: Any, weight: Any = None, **given: Any) -> list[Any]:
    """Ask the same of the `model` that a report carries and of the one that a file brings."""
    opened = """const { codes, score, weight } = given, rows = Uint32Array.from(codes.keys()),
          file = { name: "m", rows, codes, score, weight, classes: ["0", "1"] };
        const opened = [core.unpackProblems(given.problems), core.problemsOf([file])];
        return opened.map(([{ models: [model] }]) => {"""
    cases = {"y_true": y, "y_score": score} | ({} if weight is None else {"sample_weight": weight})
    file = {"codes": y, "score": score, "weight": weight, "problems": carried({"m": cases})}
    return ask_core(f"{opened}{body}}});", given | file)
