"""scikit-learn's own checks, quick enough for every day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sklearn.utils import estimator_checks


def parametrize_with_checks(estimators: Sequence[Any], **options: Any) -> Any:
    """Check as scikit-learn does: of each class the first variant always, more in `test-all`."""
    marked = estimator_checks.parametrize_with_checks(estimators, **options)
    names, cases = marked.args
    first = {type(one): one for one in reversed(estimators)}
    chosen = []
    for case in cases:
        case = case if hasattr(case, "values") else pytest.param(*case)
        later = first[type(case.values[0])] is not case.values[0]
        chosen.append(case._replace(marks=(*case.marks, *([pytest.mark.slow] if later else []))))
    return pytest.mark.parametrize(names, chosen, **marked.kwargs)
