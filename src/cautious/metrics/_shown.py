"""What results share: one line that says what they are, and a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Shown"]

_FEW_CLASSES = 6
_FEW_ROWS = 10


class Shown:
    """Short ``repr`` and a table in a notebook, for an object that has ``frame()``."""

    def frame(self) -> pd.DataFrame:
        """Give the numbers as a table."""
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        """Facts for the one line, by name."""
        return {}

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={_short(value)}" for name, value in self._facts().items())
        return f"{type(self).__name__}({facts})"

    def _repr_html_(self) -> str:
        table = self.frame()
        rest = f"<p>and {len(table) - _FEW_ROWS} more rows</p>" if len(table) > _FEW_ROWS else ""
        shown = table.head(_FEW_ROWS).round(4).to_html()
        return f"<p><code>{escape(repr(self))}</code></p>{shown}{rest}"


def _short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple) and len(value) > _FEW_CLASSES:
        return f"<{len(value)}>"
    return repr(value)
