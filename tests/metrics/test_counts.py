from __future__ import annotations

import numpy as np
import pytest

from cautious._cases import cases_of_sets
from cautious.costs import discounted
from cautious.curves import RiskCoverageCurve
from cautious.metrics import (
    MEASURES,
    SetCounts,
    cautious_confusion_matrix,
    coverage_score,
    determinacy_score,
    discounted_accuracy_score,
    error_score,
    mean_set_size,
    per_sample,
    set_cost_score,
    single_accuracy_score,
    utility_score,
)


def test_cells_are_pairs_that_occur() -> None:
    counts = SetCounts.from_predictions(
        ["a", "a", "b", "b"], [["a"], ["a"], ["a"], ["a", "b"]], sample_weight=[1, 2, 4, 0]
    )
    assert counts.weight.tolist() == [3, 4]
    assert counts.truth.tolist() == [0, 1]
    assert counts.hit.tolist() == [True, False]
    assert counts.answer.tolist() == [0, 0]
    assert counts.sets.tolist() == [[True, False]]  # the set of weight 0 is gone
    assert counts.n == 7


def test_a_sum_needs_the_same_classes() -> None:
    one = SetCounts.from_predictions(["a", "b"], ["a", "b"])
    two = SetCounts.from_predictions(["a", "c"], ["a", "c"])
    with pytest.raises(ValueError, match=r"classes \['a', 'b'\] to counts over \['a', 'c'\]"):
        one + two
    with pytest.raises(ValueError, match="make both with the same classes="):
        one + SetCounts.from_predictions(["a", "b"], ["a", "b"], classes=["b", "a"])
    with pytest.raises(TypeError):
        one + 1
    assert one != 1


def test_forgetting_bounds_the_cells() -> None:
    """A thousand classes and as many different sets as cases: the cells stay few."""
    rng = np.random.default_rng(0)
    mask = rng.random((500, 1000)) < 0.01
    mask[:, :2] = True
    truth = np.where(rng.random(500) < 0.5, 0, 1)
    counts = SetCounts.from_predictions(truth, mask, classes=range(1000))
    assert len(counts.sets) == 500
    assert counts.words.nbytes == 500 * 128  # an eighth of a byte a class, in words of 64
    forgotten = counts.without_sets()
    assert len(forgotten.weight) <= 2 * len(np.unique(mask.sum(axis=1)))
    assert not forgotten.knows_sets
    assert forgotten.without_sets() == forgotten
    assert MEASURES["u65"].score(forgotten) == pytest.approx(MEASURES["u65"].score(counts))


def test_forced_answers_are_kept_apart() -> None:
    known = SetCounts.from_predictions(
        ["a", "a"], [None, None], classes=["a", "b"], y_pred=["a", "b"]
    )
    assert known.forced.tolist() == [0, 1]
    unknown = SetCounts.from_predictions(["a"], [None], classes=["a", "b"])
    with pytest.raises(ValueError, match="needless_abstention needs the answers behind the sets"):
        MEASURES["needless_abstention"].score(known + unknown)
    with pytest.raises(ValueError, match="y_pred holds 'c' in row 0"):
        SetCounts.from_predictions(["a"], [None], classes=["a", "b"], y_pred=["c"])
    with pytest.raises(ValueError, match="y_true has 1 rows and y_pred has 2"):
        SetCounts.from_predictions(["a"], [None], classes=["a", "b"], y_pred=["a", "b"])


def test_counts_can_be_summed():
    batches = [SetCounts.from_predictions(["x", "y"], s) for s in ([["x"], ["y"]], [["y"], ["y"]])]
    assert sum(batches) == batches[0] + batches[1]
    of_losses = RiskCoverageCurve.from_losses
    curves = [of_losses([0, 1], [0.9, 0.6]), of_losses([1], [0.7])]
    assert sum(curves) == curves[0] + curves[1]
    for one in (batches[0], curves[0]):
        with pytest.raises(TypeError):
            1 + one


def test_an_empty_set_counts_as_conformal_prediction_counts_it() -> None:
    """Containment and size of conformal sets, an empty set being an answer that misses."""
    y_true, y_set = ["a", "b", "c", "b"], [["a"], [], ["c"], ["b"]]
    given = {"empty": "wrong"}
    assert MEASURES["containment"].score(y_true, y_set, **given) == 0.75
    assert mean_set_size(y_true, y_set, **given) == 0.75
    assert coverage_score(y_true, y_set, **given) == 1
    assert determinacy_score(y_true, y_set, **given) == 1
    assert error_score(y_true, y_set, **given) == 0.25
    assert single_accuracy_score(y_true, y_set, **given) == 0.75
    assert utility_score(y_true, y_set, **given) == 0.75
    assert per_sample(discounted_accuracy_score)(y_true, y_set, **given).tolist() == [1, 0, 1, 1]
    costs = discounted([[0, 1, 5], [2, 0, 2], [3, 4, 0]])
    # It costs as much as c would, the most expensive answer to b.
    assert set_cost_score(y_true, y_set, costs=costs, **given) == 4 / 4
    table = cautious_confusion_matrix(y_true, y_set, **given)
    assert table.index.tolist() == ["a", "b", "c", "{}", "⊥"]
    assert table.loc["{}"].tolist() == [0, 1, 0]
    counts = SetCounts.from_predictions(y_true, y_set, **given)
    assert counts + counts == SetCounts.from_predictions(y_true * 2, y_set * 2, **given)
    assert MEASURES["containment"].score(counts.without_sets()) == 0.75


@pytest.mark.parametrize("n_classes", [1, 2, 3, 8, 9, 12, 13])
@pytest.mark.parametrize("sets", [False, True])
def test_counting_by_table_gives_the_bits_of_counting_case_by_case(n_classes, sets):
    n = (n_classes << n_classes) + 40_000 if n_classes < 13 else 500
    rng = np.random.default_rng(n_classes)
    mask = rng.random((n, n_classes)) < 0.3
    mask[0] = False
    y, answer = rng.integers(0, n_classes, (2, n)) - 1
    classes = np.arange(n_classes) - 1
    for weight in (None, rng.choice([0, 0.1, 1 / 3], n), np.zeros(n)):
        for forced in (None, answer):
            how = {"classes": classes, "sample_weight": weight, "empty": "wrong"}
            found = SetCounts.from_predictions(y, mask, **how, y_pred=forced, sets=sets)
            checked = cases_of_sets(y, mask, classes=classes, sample_weight=weight, empty="wrong")
            cases = SetCounts.of_cases(checked, forced, sets=sets)
            assert found == cases.merge()[0]
    counts = SetCounts.from_predictions(y, mask, classes=classes, empty="abstain")
    assert counts.size.min() >= 1
    with pytest.raises(ValueError, match="empty prediction set in row 0"):
        SetCounts.from_predictions(y, mask, classes=classes)
