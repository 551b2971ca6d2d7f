"""How large the library may be: ceilings that may fall and never rise.

A capability pays for its lines by what it lets us delete. A goal that is missed is marked so, with
its reason; the goal itself stays where it is.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# What `python tools/size.py` printed when these lines were last changed.
REACHED = {
    "code lines": 34_467,
    "modules": 173,
    "docstring lines": 14_162,
    "public names": 156,
    "lent names": 0,
    "page lines": 8_437,
    "test lines": 51_032,
}

GOALS = {
    "code lines": 33_000,
    "modules": 185,
    "docstring lines": 18_000,
    "public names": 160,
    "lent names": 0,
    "page lines": 8_500,
    "test lines": 50_000,
}

MISSED = {
    "code lines": "graded answers, and what tuning and watching promise, came in since; curves, "
    "tuning and the reading of tables are larger than their share",
    "test lines": "tests of models and of the page still repeat each other",
}
"""Goals that are not reached, each with the reason."""


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    spec = importlib.util.spec_from_file_location("size", ROOT / "tools" / "size.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.sizes()


@pytest.mark.parametrize("what", REACHED)
def test_the_library_does_not_grow(sizes, what):
    assert sizes[what] <= REACHED[what], f"{what} grew; look for what can be removed"


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=pytest.mark.xfail(reason=MISSED[what], strict=True))
        if what in MISSED
        else what
        for what in GOALS
    ],
)
def test_the_library_is_as_small_as_it_should_be(sizes, what):
    assert sizes[what] <= GOALS[what]
