"""A stream is scored one case at a time, on the same counts; also by river itself."""

import numpy as np
import pytest

from cautious.decision import Rule
from cautious.integrations import RunningScore, river_metric
from cautious.metrics import MEASURES, SetCounts

CLASSES = ["ash", "elm", "oak"]


def stream(n=200, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), n)
    truth = [CLASSES[at] for at in (p.cumsum(axis=1) > rng.random((n, 1)) * 0.999).argmax(axis=1)]
    sets = [set(np.array(CLASSES)[row]) for row in (p > 0.3) | (p == p.max(axis=1)[:, None])]
    return truth, p, sets


@pytest.mark.parametrize("measure", ["coverage", "selective_accuracy", "u65", "containment"])
def test_the_value_is_that_of_all_cases_so_far(measure):
    truth, _, sets = stream()
    running = RunningScore(measure, classes=CLASSES)
    assert np.isnan(running.get())
    for at, (y, answer) in enumerate(zip(truth, sets, strict=True), 1):
        running.update(y, answer)
        if at in (1, 2, 50, 200):
            counts = SetCounts.from_predictions(truth[:at], sets[:at], classes=CLASSES)
            assert running.get() == pytest.approx(float(MEASURES[measure](counts)), nan_ok=True)


def test_cases_are_taken_back_and_weighed():
    truth, _, sets = stream(60)
    running, kept = (RunningScore("u65", classes=CLASSES) for _ in range(2))
    for y, answer in zip(truth, sets, strict=True):
        running.update(y, answer, w=2)
    for y, answer in zip(truth[:40], sets[:40], strict=True):
        running.revert(y, answer, w=2)
    for y, answer in zip(truth[40:], sets[40:], strict=True):
        kept.update(y, answer)
    assert running.get() == pytest.approx(kept.get())
    assert running.counts.n == 40
    both = running.counts + kept.counts
    assert MEASURES["u65"].score(both) == pytest.approx(kept.get())
    with pytest.raises(ValueError, match="only what was counted"):
        kept.revert(truth[0], {"ash", "elm"}, w=1000)


def test_a_rule_decides_on_what_comes():
    truth, p, _ = stream()
    rule = Rule.confidence(0.6, classes=CLASSES[::-1])
    running = RunningScore("u65", rule=rule, classes=CLASSES)
    for y, row in zip(truth, p, strict=True):
        running.update(y, dict(zip(CLASSES, row.tolist(), strict=True)))
    sets = rule.predict_set(p, classes=CLASSES)
    counts = SetCounts.from_predictions(truth, sets, classes=CLASSES)
    assert running.get() == pytest.approx(MEASURES["u65"].score(counts))
    empty = RunningScore("coverage", rule=rule)
    empty.update("ash", {})  # a model that has learned nothing yet
    empty.update("ash", None)
    empty.update("ash", {"ash": 1.0})
    assert empty.get() == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: RunningScore("u65"), TypeError, "neither classes nor a rule"),
        (lambda: RunningScore("aurc", classes=[0, 1]), ValueError, "needs more than answers"),
        (lambda: RunningScore("set_cost", classes=[0, 1]), TypeError, "needs costs"),
        (lambda: RunningScore(classes=[0, 1]).update(2, 0), ValueError, "y_true is 2"),
        (lambda: RunningScore(classes=[0, 1]).update(1, 3), ValueError, "3"),
        (lambda: RunningScore(classes=[0, 1]).update(1, []), ValueError, "empty"),
        (
            lambda: RunningScore(rule=Rule.window(0.2, 0.8)).update(1, {5: 1.0}),
            ValueError,
            "probability of 5",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_river_scores_its_own_classifiers_by_it():
    pytest.importorskip("river")
    from river import datasets, evaluate, linear_model, preprocessing
    from river.utils import Rolling

    rule = Rule.confidence(0.7, classes=[False, True])
    metric = river_metric("selective_accuracy", rule=rule)
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    cases = list(datasets.Phishing())[:400]
    found = evaluate.progressive_val_score(cases, model.clone(), metric)
    by_hand = RunningScore("selective_accuracy", rule=rule)
    learner = model.clone()
    for x, y in cases:
        by_hand.update(y, learner.predict_proba_one(x))
        learner.learn_one(x, y)
    assert found is metric
    assert metric.get() == pytest.approx(by_hand.get())
    assert 0.5 < metric.get() < 1
    assert str(metric).startswith("selective_accuracy: 0.")
    assert metric.bigger_is_better
    assert not river_metric("error", rule=rule).bigger_is_better
    rolling = Rolling(RunningScore, window_size=2, measure="coverage", rule=rule)
    for probability in (0.5, 0.99, 0.99):
        rolling.update(True, {True: probability, False: 1 - probability})
    assert rolling.get() == 1.0
