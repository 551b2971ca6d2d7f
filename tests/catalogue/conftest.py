"""Makes the catalogue importable (as ``catalogue``) and says how hard its laws are tried."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

sys.path.insert(0, str(Path(__file__).parents[1]))

_QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}

# The same cases on every run, so that `make test` gives the same answer twice; nothing is shrunk,
# since fitting a model many times over takes long.
settings.register_profile("bounded", derandomize=True, phases=(Phase.generate,), **_QUIET)
# New cases on every run; `CATALOGUE_EFFORT=100 pytest -m slow tests/catalogue` hunts.
settings.register_profile("long", print_blob=True, **_QUIET)

LONG_EFFORT = int(os.environ.get("CATALOGUE_EFFORT", "10"))


def pytest_generate_tests(metafunc):
    if "effort" in metafunc.fixturenames:
        import pytest

        long = pytest.param(("long", LONG_EFFORT), id="long", marks=pytest.mark.slow)
        metafunc.parametrize("effort", [pytest.param(("bounded", 1), id="bounded"), long])
