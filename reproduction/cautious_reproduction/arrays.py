"""Names for the arrays that flow through the reproduction."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Ints", "Labels"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]
Labels: TypeAlias = npt.NDArray[Any]
