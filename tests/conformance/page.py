"""The page's own modules, run in Node without a browser; ``page.mjs`` tells the protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cautious._messages import page_rules

SCRIPT = Path(__file__).with_name("page.mjs")


def file_request(name: str, content: bytes, **options: Any) -> dict[str, Any]:
    """A file dropped onto the page."""
    encoded = base64.b64encode(content).decode("ascii")
    return {"kind": "file", "name": name, "bytes_base64": encoded, "options": options}


def report_request(path: Path, **options: Any) -> dict[str, Any]:
    """A page that ``build_report`` wrote."""
    text = path.read_text("utf-8").split('id="data">')[1].split("</script>")[0]
    return {"kind": "report", "data": json.loads(text), "options": options}


def ask_page(requests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Answer many requests in one process, in their order; skip the test without Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on the path")
    rules = {"kind": "rules", "data": page_rules()}
    lines = [json.dumps({**one, "id": at}) for at, one in enumerate([rules, *requests])]
    done = subprocess.run(
        [node, str(SCRIPT)], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    assert not done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()][1:]
