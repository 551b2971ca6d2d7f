"""Says how hard the laws of the catalogue are tried."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

_QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}

# The same cases on every run, so that `make test` gives the same answer twice; nothing is shrunk,
# since fitting a model many times over takes long.
settings.register_profile("bounded", derandomize=True, phases=(Phase.generate,), **_QUIET)
# New cases on every run; `CATALOGUE_TIMES=100 pytest -m slow tests/catalogue` hunts.
settings.register_profile("long", print_blob=True, **_QUIET)

LONG_TIMES = int(os.environ.get("CATALOGUE_TIMES", "10"))


def pytest_generate_tests(metafunc):
    if "profile" in metafunc.fixturenames:
        long = pytest.param("long", LONG_TIMES, id="long", marks=pytest.mark.slow)
        bounded = pytest.param("bounded", 1, id="bounded")
        metafunc.parametrize(("profile", "times"), [bounded, long])
