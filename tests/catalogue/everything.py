"""All laws, gathered."""

from __future__ import annotations

from tests.catalogue import (
    comparison,
    costs,
    credal,
    curves,
    decisions,
    measures,
    model_laws,
    preparation,
    surfaces,
)
from tests.catalogue.law import CATALOGUE

__all__ = [
    "CATALOGUE",
    "comparison",
    "costs",
    "credal",
    "curves",
    "decisions",
    "measures",
    "model_laws",
    "preparation",
    "surfaces",
]
