"""Thresholds in a file: what ``tune`` writes and ``evaluate`` and ``compare`` read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["read_thresholds"]


def read_thresholds(path: Path) -> dict[str, dict[str, Any]]:
    """Read the thresholds of each model.

    Parameters
    ----------
    path : Path
        JSON with ``models``, from a model's name to ``lower`` and ``upper``, or ``confidence``.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        models = {str(name): dict(own) for name, own in content["models"].items()}
        for own in models.values():
            for key in ("confidence",) if "confidence" in own else ("lower", "upper"):
                own[key] = float(own[key])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        models = {}
    if not models:
        raise ValueError(f"{path} holds no thresholds; `cautious tune … -o {path}` writes them.")
    return models
