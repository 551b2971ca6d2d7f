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

from cautious.report._problems import ReportedModels
from cautious.report.document import embedded_json
from cautious.report.summaries import page_data

SCRIPT = Path(__file__).with_name("core.mjs")


@cache
def running(node: str) -> subprocess.Popen[str]:
    """One process answers all requests of a worker: starting it takes longer than most answers."""
    process = subprocess.Popen(
        [node, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
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
    return page_data(ReportedModels.of(source, **said).problems)
