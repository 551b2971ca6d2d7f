"""Arrays of other libraries give what numpy arrays give, as arrays of their own."""

from functools import partial

import numpy as np
import pytest

import cautious.curves._staircase
import cautious.decision.optimal.by_size
from cautious import decision
from cautious.costs import p_discounted
from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.metrics import (
    MEASURES,
    SetCounts,
    aurc_score,
    breakdown,
    calibration_error,
    coverage_score,
    utility_score,
)
from cautious.tensors import as_numpy, is_tensor
from cautious.tuning import find_rule


def _strict():
    strict = pytest.importorskip("array_api_strict")
    return strict.asarray


def _torch(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU")
    return lambda values: torch.as_tensor(values, device=device)


LIBRARIES = {"strict": _strict, "torch": lambda: _torch("cpu"), "cuda": lambda: _torch("cuda")}


@pytest.fixture(params=LIBRARIES)
def tensor(request):
    return LIBRARIES[request.param]()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def same_sets(decide, p, tensor):
    found = decide(tensor(p))
    assert type(found) is type(tensor(p))
    np.testing.assert_array_equal(as_numpy(found), decide(p))


@pytest.mark.parametrize("k", [2, 5, 70])
@pytest.mark.parametrize("extra", ["plain", "sample_weight", "y_pred"])
def test_counts(tensor, rng, k, extra):
    truth, sets = rng.integers(0, k, 200), rng.random((200, k)) < 0.4
    sets[~sets.any(axis=1)] = True
    given = {
        "plain": {},
        "sample_weight": {"sample_weight": rng.integers(0, 4, 200).astype(float)},
        "y_pred": {"y_pred": rng.integers(0, k, 200)},
    }[extra]
    expected = SetCounts.from_predictions(truth, sets, classes=np.arange(k), **given)
    there = {name: tensor(values) for name, values in given.items()}
    found = SetCounts.from_predictions(tensor(truth), tensor(sets), classes=np.arange(k), **there)
    assert found == expected
    assert found.without_sets() == expected.without_sets()


def test_every_measure_of_sets(tensor, rng):
    truth, sets = rng.integers(3, 7, 300), rng.random((300, 4)) < 0.4
    sets[~sets.any(axis=1), 0] = True
    forced = rng.integers(3, 7, 300)
    for measure in MEASURES.values():
        if measure.counts is not SetCounts or measure.missing_params():
            continue
        given = {"y_pred": forced} if "y_pred" in measure.needs else {}
        there = {name: tensor(values) for name, values in given.items()}
        value = measure.score(tensor(truth), tensor(sets), **there)
        assert value == measure.score(truth, sets, **given), measure.name


def test_truths_may_stay_with_numpy_or_be_text(tensor, rng):
    names = np.array(["ham", "spam", "eggs"])
    truth, sets = names[rng.integers(0, 3, 50)], np.eye(3, dtype=bool)[rng.integers(0, 3, 50)]
    given = {"classes": names, "utility": "u65"}
    assert utility_score(truth, tensor(sets), **given) == utility_score(truth, sets, **given)


@pytest.mark.parametrize("empty", ["abstain", "wrong"])
def test_empty_sets(tensor, rng, empty):
    truth, sets = np.arange(50) % 3, rng.random((50, 3)) < 0.3
    found = coverage_score(tensor(truth), tensor(sets), empty=empty)
    assert found == coverage_score(truth, sets, empty=empty)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("utility", ["u65", "F1"])
def test_optimal_sets(tensor, rng, dtype, utility, monkeypatch):
    monkeypatch.setattr(cautious.decision.optimal.by_size, "_FEW_STEPS", 8)
    for k in (2, 9, 40):
        for strength in (0.1, 100.0):
            p = rng.dirichlet(np.full(k, strength), 40).astype(dtype)
            same_sets(lambda rows: decision.optimal_sets(rows, utility), p, tensor)
    tied = np.tile([0.25, 0.125, 0.25, 0.125, 0.25], (3, 1)).astype(dtype)
    same_sets(lambda rows: decision.optimal_sets(rows, utility), tied, tensor)
    same_sets(lambda rows: decision.optimal_sets(rows, utility), p[:0], tensor)


def test_optimal_sets_in_pieces(tensor, rng, monkeypatch):
    monkeypatch.setattr(cautious.decision.optimal.by_size, "_DEVICE_CELLS_AT_ONCE", 64)
    p = rng.dirichlet(np.ones(10), 50)
    same_sets(lambda rows: decision.optimal_sets(rows, "u80"), p, tensor)


def test_other_costs_are_decided_on_a_copy(tensor, rng):
    p = rng.dirichlet(np.ones(4), 30)
    costs = p_discounted(1 - np.eye(4), r=0.6)
    same_sets(lambda rows: decision.optimal_sets(rows, costs), p, tensor)
    sets, gap = decision.optimal_sets(tensor(p), costs, return_gap=True)
    assert is_tensor(sets)
    assert is_tensor(gap)
    assert not as_numpy(gap).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threshold_rules(tensor, rng, dtype):
    p = rng.dirichlet(np.ones(3), 100).astype(dtype)
    on_the_line = float(p.max(axis=1)[3])
    for rule, given in (
        (decision.threshold_rule, (on_the_line,)),
        (decision.threshold_rule, (np.inf,)),
        (decision.class_threshold_rule, ([0.4, 0.6, np.inf],)),
        (decision.ratio_rule, ([0.4, 0.6, 0.5],)),
        (decision.bias_window_rule, ([0.2, 0.3, 0.5], 0.4)),
        (decision.chow_rule, (0.3,)),
    ):
        same_sets(lambda rows, rule=rule, given=given: rule(rows, *given), p, tensor)
    # A threshold that single precision cannot hold must not be rounded to it.
    scores = np.array([0.7, 0.2, 0.5], dtype=dtype)
    same_sets(lambda rows: decision.Rule.window(0.2, 0.7).predict_set(rows), scores, tensor)
    same_sets(lambda rows: decision.Rule.window(-np.inf, np.inf).predict_set(rows), scores, tensor)


@pytest.mark.parametrize("few", [0, 1 << 14])
def test_surfaces(tensor, rng, few, monkeypatch):
    monkeypatch.setattr(cautious.curves._staircase, "_FEW_CUTS", few)
    for n in (2, 30, 400):
        for decimals in (0, 1, 8):
            truth = np.arange(n) % 2
            scores = np.round(rng.normal(size=n) + truth, decimals)
            scores[rng.random(n) < 0.1] = rng.choice([np.inf, -np.inf, -0.0, 0.0])
            expected = AbstentionCostSurface.from_predictions(truth, scores)
            found = AbstentionCostSurface.from_predictions(tensor(truth), tensor(scores))
            for part in ("lower", "upper", "positives", "negatives"):
                np.testing.assert_array_equal(
                    getattr(found.hull, part), getattr(expected.hull, part)
                )
            assert found.vacc() == expected.vacc()
            assert found.staircase == expected.staircase
            assert repr(found) == repr(expected)


def test_weighted_scores_are_counted_on_a_copy(tensor, rng):
    truth, scores, weight = np.arange(40) % 2, rng.normal(size=40), rng.random(40)
    found = Staircase.from_predictions(tensor(truth), tensor(scores), sample_weight=tensor(weight))
    assert found == Staircase.from_predictions(truth, scores, sample_weight=weight)


def test_risk_coverage(tensor, rng):
    truth, p = rng.integers(0, 3, 80), rng.dirichlet(np.ones(3), 80).astype(np.float32)
    for scores in (p, np.log(p)):
        assert aurc_score(tensor(truth), tensor(scores)) == aurc_score(truth, scores)
    found = RiskCoverageCurve.from_predictions(tensor(truth), tensor(p))
    assert found == RiskCoverageCurve.from_predictions(truth, p)


SCORES = np.array([0.2, np.nan, 0.4])
ROWS = np.array([[0.5, 0.5], [0.9, 0.2]])
FAULTS = {
    "a probability is missing": (decision.optimal_sets, ROWS * np.nan, "u65"),
    "rows that do not add up": (decision.threshold_rule, ROWS, 0.5),
    "one row": (decision.optimal_sets, ROWS[0], "u65"),
    "scores with a gap": (aurc_score, np.array([0, 1, 1]), SCORES),
    "a gap under a surface": (AbstentionCostSurface.from_predictions, np.array([0, 1, 1]), SCORES),
    "no case": (AbstentionCostSurface.from_predictions, np.zeros(0, int), SCORES[:0]),
    "classes untold": (AbstentionCostSurface.from_predictions, np.array([3, 4, 5]), SCORES[:1]),
    "probabilities for sets": (coverage_score, np.array([0, 1]), ROWS),
    "an empty set": (coverage_score, np.array([0, 1]), ROWS > 2),
    "numbers for booleans": (coverage_score, np.array([0, 1]), np.array([[1, 2], [0, 1]])),
    "rows that do not match": (coverage_score, np.array([0, 1, 1]), ROWS > 0),
    "an unseen class": (coverage_score, np.array([0, 0]), ROWS > 0),
    "no predictions": (coverage_score, np.zeros(0, int), ROWS[:0] > 0),
    "one class": (decision.optimal_sets, np.ones((2, 1)), "u65"),
    "a truth is missing": (coverage_score, np.array([np.nan, 1.0, 0.0]), np.eye(3, 2) + 1 > 0),
    "complex scores": (aurc_score, np.array([0, 1]), ROWS * 1j),
    "scores that do not match": (aurc_score, np.array([0, 1, 1]), ROWS[[0, 0]]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_same_words_for_a_fault(tensor, fault):
    decide, *given = FAULTS[fault]
    with pytest.raises(Exception) as expected:
        decide(*given)
    with pytest.raises(type(expected.value)) as found:
        decide(*(tensor(x) if isinstance(x, np.ndarray) else x for x in given))
    assert str(found.value) == str(expected.value)


def test_truths_may_be_booleans(tensor, rng):
    truth, sets = rng.random(30) < 0.5, np.ones((30, 2), bool)
    sets[::3, 0] = False
    for classes in (None, [False, True], [0, 1], [1, 0]):
        expected = SetCounts.from_predictions(truth, sets, classes=classes)
        found = SetCounts.from_predictions(tensor(truth), tensor(sets), classes=classes)
        assert found == expected


CREDAL = (
    decision.e_admissibility,
    decision.gamma_maximax,
    decision.gamma_maximin,
    decision.hurwicz,
    decision.interval_dominance,
    decision.maximality,
    partial(decision.gamma_maximin, utility="f1"),
    decision.ordinal_sets,
)


def test_every_decision_comes_back_as_a_tensor(tensor, rng):
    p = rng.dirichlet(np.ones(3), 20)
    tree = decision.ClassTree.from_parents([4, 3, 3, 4, -1])
    for decide in (
        lambda p: decision.chow_rule(p=p, reject_cost=0.3),
        lambda p: decision.threshold_rule(threshold=0.5, p=p),
        lambda p: decision.threshold_rule(p, 0.6, tree=tree),
        lambda p: decision.optimal_sets(p, "u65", tree=tree),
        decision.ordinal_sets,
    ):
        same_sets(decide, p, tensor)
    lower, upper = 0.8 * p, 0.8 * p + 0.2
    for decide in CREDAL:
        found = decide((tensor(lower), tensor(upper)))
        assert type(found) is type(tensor(lower))
        np.testing.assert_array_equal(as_numpy(found), decide((lower, upper)))


def test_groups_may_be_a_tensor_without_cases(tensor):
    sets = np.zeros((0, 2), bool)
    given = np.zeros(0, int)
    found = breakdown(tensor(given), tensor(sets), classes=[0, 1], groups=tensor(given))
    assert found.equals(breakdown(given, sets, classes=[0, 1], groups=given))


def test_two_devices_are_refused():
    strict = pytest.importorskip("array_api_strict")
    truth = strict.asarray([0, 1])
    sets = strict.asarray([[True, False], [True, True]], device=strict.Device("device1"))
    with pytest.raises(ValueError, match=r"lies on .* move both to one device first"):
        coverage_score(truth, sets)
    lower, upper = 0.5 * strict.ones((1, 2)), strict.ones((1, 2), device=strict.Device("device1"))
    with pytest.raises(ValueError, match=r"intervals\[0\] lies on .* and intervals\[1\] on"):
        decision.maximality((lower, upper))


def test_half_precision_and_gradients():
    torch = pytest.importorskip("torch")
    p = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]])
    for given in (p.half(), p.bfloat16(), p.clone().requires_grad_(), p.T.contiguous().T):
        assert torch.equal(decision.optimal_sets(given, "u65"), decision.optimal_sets(p, "u65"))


def test_what_is_copied_may_be_half_precise_or_have_gradients():
    torch = pytest.importorskip("torch")
    p = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5], [0.25, 0.5, 0.25]] * 4)
    truth, classes = torch.tensor([0, 2, 1] * 3 + [1, 1, 0]), [0, 1, 2]
    for work in (
        lambda p: calibration_error(truth, p, classes=classes),
        lambda p: find_rule(truth, y_proba=p, classes=classes, max_abstention=0.3),
    ):
        for given in (p.half(), p.bfloat16(), p.clone().requires_grad_()):
            assert repr(work(given)) == repr(work(p.numpy()))
