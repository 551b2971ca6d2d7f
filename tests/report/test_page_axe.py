"""No barrier that axe-core can find: in light, dark and on a phone.

The test runs where axe-core is installed: by ``npm install axe-core`` in the root of the
repository, or anywhere else, with its file axe.min.js named by the variable AXE_CORE.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cautious.report import build_report

PLACES = {
    "light": {"viewport": {"width": 1400, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1400, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@pytest.fixture(scope="module")
def axe() -> str:
    path = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
    if not path.is_file():
        pytest.skip("axe-core is not installed")
    return path.read_text("utf-8")


@pytest.fixture(scope="module", params=["two classes", "several classes"])
def report_file(request, scored, classified, tmp_path_factory):
    path = tmp_path_factory.mktemp("axe") / "r.html"
    if request.param == "two classes":
        y, scores = scored
        return build_report({n: (y, s) for n, s in scores.items()}, path, pos_label="ill")
    y, p, classes = classified
    return build_report({"m": {"y_true": y, "y_proba": p, "classes": classes}}, path)


@pytest.mark.parametrize("place", PLACES)
def test_no_violation(report_file, open_report, axe, place):
    report = open_report(report_file, bypass_csp=True, **PLACES[place])
    report.page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    report.settle()
    report.page.add_script_tag(content=axe)
    found = report.page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    told = [
        (one["id"], one["help"], [node["html"][:120] for node in one["nodes"][:3]])
        for one in found["violations"]
    ]
    assert not told, told
