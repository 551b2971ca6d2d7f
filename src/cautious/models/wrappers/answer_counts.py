"""What wrappers that refuse share: sets of their own, labels to compare with, counted shares."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import column_or_1d

from cautious._typing import Floats, Labels, Mask
from cautious.bootstrap import binomial_ends
from cautious.decision import threshold_rule
from cautious.errors import shown
from cautious.sets import check_mask, first_row

__all__ = ["check_labels", "kind_of", "own_sets", "shares_of"]


def own_sets(estimator: Any, X: Any, p: Floats) -> Mask:
    """Ask a cautious classifier for sets, and a plain one for its most probable class."""
    if not hasattr(estimator, "predict_set"):
        return threshold_rule(p, 0.0)
    # An empty set, as of conformal prediction, is no answer either.
    sets = estimator.predict_set(X)
    return check_mask(sets, n_classes=p.shape[1], name="predict_set(X)", empty="abstain")


def shares_of(counts: dict[str, int], totals: list[int], level: float) -> pd.DataFrame:
    """Give counts as shares of their totals, with exact intervals."""
    n, of = np.array(list(counts.values())), np.array(totals)
    low, high = binomial_ends(n, of, level)
    with np.errstate(invalid="ignore"):
        share = n / of
    return pd.DataFrame({"n": n, "share": share, "low": low, "high": high}, list(counts))


def check_labels(y: Any, n: int, classes: Labels, unknown: Any = None) -> Labels:
    """Check true labels: one per row, none missing, and of the kind that was learned."""
    labels = np.asarray(column_or_1d(np.asarray(y, dtype=object)))
    if len(labels) != n:
        raise ValueError(f"y has {len(labels)} labels and X {n} rows; give one label per row.")
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(
            f"y has no label in row {first_row(missing)}; leave out rows without one, or give "
            "them a label."
        )
    learned, given = kind_of(classes), kind_of([label for label in labels if label != unknown])
    if learned and given and learned != given:
        raise ValueError(
            f"y holds {given}, and the model has learned {learned}, such as "
            f"{shown(classes.tolist()[0])}; give labels as they were learned."
        )
    return labels


def kind_of(labels: Iterable[Any]) -> str:
    """Tell text from numbers; empty for what is neither, or both."""
    kinds = {
        "text" if isinstance(one, str) else "numbers" if isinstance(one, Real | np.bool_) else ""
        for one in labels
    }
    return kinds.pop() if len(kinds) == 1 else ""
