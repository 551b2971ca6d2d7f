"""scikit-learn's own checks, quick enough for every day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sklearn.utils import estimator_checks


def parametrize_with_checks(estimators: Sequence[Any], **options: Any) -> Any:
    """Check as scikit-learn does: of each class the first variant always, more in `test-all`.

    So do sparse matrices, which are refused or taken as sparse arrays are. An estimator is written
    out once, not once per check: that took a third of all collecting.
    """
    marked = estimator_checks.parametrize_with_checks(estimators, **options)
    names, cases = marked.args
    written = marked.kwargs["ids"]
    known = {id(one): written(one) for one in estimators}
    first = {type(one): one for one in reversed(estimators)}
    chosen = []
    for case in cases:
        case = case if hasattr(case, "values") else pytest.param(*case)
        estimator, check = case.values
        later = first[type(estimator)] is not estimator or "sparse_matrix" in written(check)
        chosen.append(case._replace(marks=(*case.marks, *([pytest.mark.slow] if later else []))))
    return pytest.mark.parametrize(
        names, chosen, ids=lambda one: known[id(one)] if id(one) in known else written(one)
    )
