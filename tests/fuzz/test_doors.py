"""Wrong objects at the front doors: an answer, or a refusal that names the argument."""

import contextlib
import datetime
import decimal
import io
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning
from tests.catalogue.agreement import same
from tests.fuzz.fuzz_arrays import BINARY, CONTAINERS, LIES, SCORE, plain
from tests.fuzz.fuzz_doors import DOORS, page
from tests.fuzz.fuzz_effort import attempt, effort, fuzz

import cautious
from cautious import costs, curves, decision, evaluation, metrics, predictions, sets, utility
from cautious.decision._rule_json import rules_to_json
from cautious.errors import shown

NAMES = sorted(DOORS)
# Estimators take a hundred times as long as the rest.
SLOW = {name for name in NAMES if "X" in DOORS[name].arrays}
_ABSTAIN = {"nan", "nullable NA"}  # where a score is missing
TAKEN = {
    # Of scores only the order matters.
    **{(name, "y_score"): {"inf", "negative"} for name in NAMES},
    ("Rule", "scores"): {"inf", *_ABSTAIN},
    ("certify", "y_score"): {"inf", *_ABSTAIN},
    ("risk_bound", "wrong"): {"too deep"},  # of any shape
    ("risk_bound", "answered"): {"too deep"},
}
RECORDS = np.array([(1, 2.0), (2, 3.0)], dtype=[("a", int), ("b", float)])
RECORDS = np.ma.masked_array(RECORDS, mask=[(0, 1), (0, 0)])
MASK = np.eye(2, dtype=bool)
FLAT = sparse.coo_array(np.array([0, 1, 1]))
REFUSALS = (ValueError, TypeError, NotImplementedError, OverflowError, OSError, ImportError)


def ring():
    """A list that holds itself."""
    (found := [1]).append(found)
    return found


class Mute:
    """What cannot be shown."""

    def __repr__(self):
        raise RuntimeError("no words")


# Things that are given by mistake, or by somebody who means harm; made anew for each call.
THINGS = (
    *(partial(lambda value: value, value) for value in (None, 3, -1, 0, True, 10**30, 0.5, 1e308)),
    *(partial(float, text) for text in ("nan", "inf", "5e-324")),
    *(partial(str, text) for text in ("", "u65", "ash", "\ud800", "x" * 2000)),
    *(list, dict, tuple, set, object, ring, pd.DataFrame, partial(bytearray, 8)),
    *(lambda: 1j, lambda: len, lambda: iter([1, 0, 1]), lambda: b"five", lambda: pd.NA),
    *(lambda: RECORDS, lambda: FLAT),
    lambda: [None] * 8,
    lambda: ["ash", 1, None],
    lambda: {"ash": 1, "elm": 2, "oak": 3},
    lambda: np.empty((0, 3)),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.full(8, 1e308),
    lambda: np.array([object()] * 8, dtype=object),
    lambda: np.ma.masked_all(8),
    lambda: pd.Series(["a", None] * 4),
    lambda: pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
    lambda: datetime.date(2020, 1, 1),
    lambda: decimal.Decimal("NaN"),
)


def test_no_front_door_is_forgotten():
    """What the library offers at its top needs an entry in ``DOORS``."""
    offered = [name for name in cautious.__all__ if callable(getattr(cautious, name))]
    assert [name for name in offered if name not in DOORS] == []
    assert len(DOORS) >= 30


@pytest.mark.filterwarnings("ignore:there are 6 examples")  # which carry no promise
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in NAMES]
)
def test_equal_values_in_other_containers_give_equal_answers(name):
    door = DOORS[name]
    expected = plain(door())
    for argument, (kind, values) in door.arrays.items():
        before = values.copy()
        for container, put in CONTAINERS[kind].items():
            # Labelled tables are matched by their labels, not by the position of their rows.
            if container == "pandas, another index" and argument in ("matrix", "costs"):
                continue
            answer = plain(door(**{argument: put(values)}))
            same(answer, expected, tolerance=1e-12, about=(argument, container))
        np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SLOW])
def test_what_is_no_such_array_is_refused_by_name(name):
    door = DOORS[name]
    for argument, (kind, values) in door.arrays.items():
        for lie, tell in LIES[kind].items():
            if lie in TAKEN.get((name, argument), ()):
                continue
            answer, refusal = attempt(partial(door, **{argument: tell(values)}))
            assert refusal is not None, (argument, lie, answer)
            assert argument in refusal, (argument, lie, refusal)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("name", [name for name in NAMES if DOORS[name].arrays])
def test_no_rows_and_one_row(name, rows):
    """Nothing to go by: an answer, nan with its own warning, or a clear refusal."""
    door = DOORS[name]
    n = max(len(values) for _, values in door.arrays.values())
    cut = {key: values[:rows] for key, (_, values) in door.arrays.items() if len(values) == n}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        _, refusal = attempt(lambda: door(**cut))
    assert refusal is None or len(refusal) > 20


@pytest.mark.parametrize(
    ("n", "seed"),
    [(400, 0), *(pytest.param(4000, seed, marks=pytest.mark.slow) for seed in range(1, 11))],
)
def test_anything_for_any_argument(tmp_path, monkeypatch, n, seed):
    """An answer or a refusal that somebody reads, whatever is given."""
    monkeypatch.chdir(tmp_path)  # some calls write files, whatever they are called
    rng = np.random.default_rng(seed)
    quick = [name for name in NAMES if name not in SLOW]
    for _ in range(n):
        door = DOORS[name := str(rng.choice(NAMES if rng.random() < 0.1 else quick))]
        arguments = [*door.arrays, *door.others]
        odd = {
            str(argument): THINGS[rng.integers(len(THINGS))]()
            for argument in rng.permutation(arguments)[: rng.integers(1, 3)]
        }
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    door(**odd)
            except REFUSALS as error:
                length = len(str(error))
            except Exception as error:
                given = {argument: type(value) for argument, value in odd.items()}
                raise AssertionError((name, given)) from error
            else:
                length = 0
        assert length < 2500, (name, odd.keys())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.coverage_score([0, 1, 2], FLAT), r"y_set has shape \(3,\)"),
        (lambda: metrics.coverage_score(RECORDS, MASK), "y_true holds records"),
        (lambda: decision.threshold_rule(RECORDS, 0.5), "p holds records"),
        (lambda: curves.AbstentionCostSurface([0, 1]), "staircase is a list; give a Staircase"),
        (lambda: rules_to_json({"a": 1}), "rules.'a'. is a int; give a Rule"),
        (lambda: predictions.Predictions([1]), "models is a int; give Cases"),
        (lambda: evaluation.evaluate(([0, 1], [0.1, 0.9]), rule={"m": 3}), "rule is a int"),
        (lambda: utility.quadratic(decimal.Decimal("NaN")), "v is nan"),
        (lambda: costs.zero_one(list(range(3000))), "…"),
        (lambda: metrics.coverage_score(["x" * 3000], MASK[:1], classes=["a", "b"]), "…"),
    ],
)
def test_what_is_of_another_kind_is_named_in_few_words(call, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        call()
    assert len(str(caught.value)) < 300


def test_what_cannot_be_shown_is_named_by_its_kind():
    assert shown(Mute()) == "<Mute>"
    assert shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"


@pytest.mark.parametrize(
    "labels",
    [
        *(["a", 1], [1, 2.5], [True, "x"], [("a", "b"), ("c",)], [b"a", b"b"], ["a", "a "]),
        *(["é", "e\u0301"], ["a", "a\0"], [10**30, -(10**30)]),
        [np.datetime64("2020"), np.datetime64("2021")],
    ],
    ids=ascii,
)
def test_labels_of_any_kind_stay_apart(labels):
    """Whatever labels are, no two are taken for one, and none changes its kind."""
    truth = np.empty(4, dtype=object)
    truth[:] = [labels[0], labels[1], labels[0], labels[1]]
    mask = np.array([[1, 0], [0, 1], [1, 1], [1, 0]], dtype=bool)
    assert metrics.coverage_score(truth, mask, classes=labels) == 0.75
    assert sets.as_labels(mask[:1], labels) == [(labels[0],)]
    score = [0.1, 0.2, 0.3, 0.4]
    stairs = curves.Staircase.from_predictions(truth, score, pos_label=labels[1])
    assert stairs.positives.tolist() == [0, 1, 0, 1]


@effort(12, 400)
def test_reports_with_any_names(examples):
    """Text of any kind, half of a surrogate pair included, is shown as text."""

    def law(title, model, classes):
        truth = np.empty(4, dtype=object)
        truth[:] = [*classes, *classes]
        predictions = {model: (truth, [0.1, 0.9, 0.4, 0.3])}
        text = page(predictions, title=title, pos_label=classes[1])
        assert text.count("</script>") == page({"m": (BINARY, SCORE)}).count("</script>")

    text = st.text(st.characters(), max_size=8) | st.sampled_from(["</script>", "{{data}}", "\0"])
    # numpy compares text without the NULs at its end, so labels end in something else.
    classes = st.lists(text.map(lambda t: f"{t}."), min_size=2, max_size=2, unique=True)
    fuzz(law, examples, title=text, model=text, classes=classes)
