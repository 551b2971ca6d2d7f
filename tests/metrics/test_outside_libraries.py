"""The same numbers from libraries that have them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from cautious.metrics import MEASURES, breakdown, mean_set_size, selective_accuracy_score


@pytest.mark.parametrize("with_empty_sets", [False, True])
def test_conformal_sets_are_scored_as_mapie_scores_them(with_empty_sets: bool) -> None:
    """Empty sets are answers that miss the truth, of size 0."""
    mapie = pytest.importorskip("mapie.metrics.classification")
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=200)
    mask = rng.random((200, 4)) < 0.5
    if not with_empty_sets:
        mask[np.arange(200), rng.integers(4, size=200)] = True
    assert mask.any(axis=1).all() != with_empty_sets
    levels, given = mask[:, :, None], {"empty": "wrong"}
    assert MEASURES["containment"].score(truth, levels, **given) == pytest.approx(
        mapie.classification_coverage_score(truth, levels)[0]
    )
    assert mean_set_size(truth, levels, **given) == pytest.approx(
        mapie.classification_mean_width_score(levels)[0]
    )
    # MAPIE's size-stratified coverage is the least containment over groups of equal size.
    sizes = mask.sum(axis=1)
    by_size = breakdown(truth, mask, groups=sizes, measures=["containment"], **given)
    with warnings.catch_warnings():  # it also looks for sets of size 0
        warnings.simplefilter("ignore", RuntimeWarning)
        stratified = mapie.classification_ssc_score(truth, levels)
    assert by_size["containment"].min() == pytest.approx(stratified[0])


def test_rejections_are_counted_as_scikit_fallback_counts_them() -> None:
    metrics = pytest.importorskip("skfb.metrics")
    arrays = pytest.importorskip("skfb.core.array")
    rng = np.random.default_rng(1)
    truth, answer = rng.integers(2, size=(2, 100))
    rejected = rng.random(100) < 0.3
    given = arrays.fbarray(answer, rejected)
    (true_reject, false_accept), (false_reject, true_accept) = (
        metrics.predict_accept_confusion_matrix(truth, given)
    )
    assert MEASURES["needless_abstention"].score(truth, given, y_pred=answer) == false_reject / 100
    assert MEASURES["reckless_answer"].score(truth, given) == false_accept / 100
    both = (false_reject + false_accept) / 100
    assert metrics.predict_reject_accuracy_score(truth, given) == pytest.approx(1 - both)
    assert true_reject + true_accept == pytest.approx(100 * (1 - both))
    assert selective_accuracy_score(truth, given) == pytest.approx(
        accuracy_score(truth[~rejected], answer[~rejected])
    )
