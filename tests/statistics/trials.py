"""How often the checks are repeated."""

import pytest

LONG = 2000
"""Trials of every row of the honesty page."""


def runs(few, *, parts=1):
    """Give numbers of trials to run a check with: a few, and slowly all of them.

    A check that takes minutes is divided into parts, which run beside each other; the ledger puts
    their trials together.
    """
    each = [LONG // parts] * parts
    each[0] += LONG - sum(each)
    ids = [str(LONG)] if parts == 1 else [f"{LONG}.{part}" for part in range(1, parts + 1)]
    slow = (
        pytest.param(n, marks=pytest.mark.slow, id=name) for n, name in zip(each, ids, strict=True)
    )
    return [few, *slow]
