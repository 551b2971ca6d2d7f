"""When two sets cost the same, and which of them is then answered."""

from __future__ import annotations

from typing import Any

__all__ = ["slack"]


def slack(cost: Any, scale: Any) -> Any:
    """How far an expected cost may lie above `cost` and still be called equal to it.

    Costs are sums of products that no two algorithms round alike. Sets whose expected costs are
    equal in exact arithmetic must be ties for all of them, or the answer would depend on which
    algorithm ran. `scale` is the largest cost there is.

    Among ties the smallest set wins, and among those of one size the one whose sorted class
    indices come first: {0, 3} before {1, 2}.

    Examples
    --------
    >>> abs(0.1 + 0.2 - 0.3) <= slack(0.3, scale=1.0)
    True
    """
    return 1e-12 * cost + 1e-15 * scale
