"""Abstention cost surfaces: the least expected cost of two classes at any costs."""

from cautious.curves.surface._cost_square import DifferentialGrid, Region, SurfaceGrid
from cautious.curves.surface.cost_surface import AbstentionCostSurface, one_vs_rest
from cautious.curves.surface.differential import DifferentialCostSurface
from cautious.curves.surface.vacc import VaccTest, vacc_test

__all__ = [
    "AbstentionCostSurface",
    "DifferentialCostSurface",
    "DifferentialGrid",
    "Region",
    "SurfaceGrid",
    "VaccTest",
    "one_vs_rest",
    "vacc_test",
]
