"""The page's arithmetic, run in Node without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cautious.report.document import embedded_json
from cautious.report.payload import problems_of

SCRIPT = Path(__file__).with_name("core.mjs")


def ask_core(body: str, given: Any = None) -> Any:
    """Give what a function of the page's core returns; skip the test without Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on the path")
    request = embedded_json({"body": body, "given": given})
    done = subprocess.run(
        [node, str(SCRIPT)], input=request, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def carried(source: Any, **said: Any) -> list[dict[str, Any]]:
    """What a report on these predictions carries."""
    return problems_of(source, **said)[0]
