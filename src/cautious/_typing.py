"""Names for the few array types that flow through the library."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Real numbers: probabilities, costs, utilities, weights."""

Ints: TypeAlias = npt.NDArray[np.intp]
"""Class codes and positions."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""Prediction sets, one row an example, one column a class in ``classes_`` order."""

Labels: TypeAlias = npt.NDArray[Any]
"""Class labels as the user wrote them."""

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""What scikit-learn takes as ``random_state``, and numpy's own generators."""
