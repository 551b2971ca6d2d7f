"""How long a fuzzer runs: short and always alike in ``make test``, long in ``make test-all``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings


def effort(short: int, long: int) -> Any:
    """Give a test its number of ``examples``; the long run carries the marker ``slow``."""
    return pytest.mark.parametrize(
        "examples",
        [
            pytest.param((short, True), id="short"),
            pytest.param((long, False), id="long", marks=pytest.mark.slow),
        ],
    )


def fuzz(law: Callable[..., None], examples: tuple[int, bool], **strategies: Any) -> None:
    """Put a law to many examples; a short run draws the same ones every time."""
    most, alike = examples
    how = settings(
        max_examples=most,
        derandomize=alike,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    how(given(**strategies)(law))()


def attempt(call: Callable[[], Any]) -> tuple[Any, str | None]:
    """Give the result of a call, or the message of an error that a user may meet."""
    try:
        return call(), None
    except (ValueError, TypeError) as error:
        return None, str(error)
