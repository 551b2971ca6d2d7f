"""Reports: made of whatever holds the numbers, or refused by a message that names the model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from tests.fuzz.fuzz_containers import LIARS, disguises
from tests.fuzz.fuzz_effort import attempt, effort, fuzz
from tests.fuzz.fuzz_values import (
    BINARY,
    LABELS,
    MASK,
    SCORE,
    TRUTH,
    WEIGHT,
    P,
    booleans,
    labels,
    numbers,
)
from tests.fuzz.fuzz_values import probabilities as shares

from cautious.report import build_report

ARRAYS = {
    "scores": {
        "y_true": labels(BINARY),
        "y_score": numbers(SCORE),
        "sample_weight": numbers(WEIGHT),
    },
    "probabilities": {
        "y_true": labels(TRUTH),
        "y_proba": shares(P),
        "sample_weight": numbers(WEIGHT),
        "classes": labels(LABELS),
    },
    "sets": {"y_true": labels(TRUTH), "y_set": booleans(MASK), "classes": labels(LABELS)},
}


def page(folder, predictions, **options):
    path = build_report(predictions, folder / "report.html", **options)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "kind",
    [
        "scores",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ARRAYS if kind != "scores"),
    ],
)
def test_containers_do_not_matter(tmp_path, kind):
    plain = {key: values for key, (_, values) in ARRAYS[kind].items()}
    expected = page(tmp_path, {"m": plain})
    for key, (what, values) in ARRAYS[kind].items():
        for name, dress in disguises(what, values).items():
            if (key, name) == ("y_true", "bool"):
                continue  # these classes are called False and True, and shown so
            assert page(tmp_path, {"m": {**plain, key: dress(values)}}) == expected, (key, name)


@pytest.mark.parametrize("kind", ARRAYS)
def test_lies_are_named(tmp_path, kind):
    plain = {key: values for key, (_, values) in ARRAYS[kind].items()}
    for key, (what, values) in ARRAYS[kind].items():
        for name, tell in LIARS[what].items():
            if (key, name) == ("y_score", "inf"):
                continue  # a score may be infinite
            told = {"m": {**plain, key: tell(values)}}
            _, refusal = attempt(lambda told=told: page(tmp_path, told))
            assert refusal is not None, (key, name)
            assert refusal.startswith("predictions['m']: "), refusal
            assert key in refusal, (key, name, refusal)
            assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "predictions",
    [
        None,
        3,
        [],
        {},
        {"m": None},
        {"m": {}},
        {"m": {"y_true": [0, 1]}},
        {"m": {"counts": 3}},
        {"m": (1, 2)},
        {"m": (1, 2, 3)},
        {"m": ([], [])},
        {"m": {"y_true": [0, 1], "y_proba": [[0.1], [0.2, 0.8]]}},
        {"m": pd.DataFrame()},
        {"m": pd.DataFrame({"y_true": [0, 1]})},
        {1: (BINARY, SCORE), "1": (BINARY, SCORE)},
    ],
    ids=str,
)
def test_what_is_no_predictions(tmp_path, predictions):
    _, refusal = attempt(lambda: page(tmp_path, predictions))
    assert refusal is not None
    assert any(word in refusal for word in ("predictions", "two models", "the model 'm'"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"costs": 3}, "costs has shape ()"),
        ({"costs": {"false_negative": 1}}, "false_positive"),
        (
            {"costs": {"false_negative": "dear", "false_positive": 1, "abstain": 1}},
            "costs['false_negative'] holds the text 'dear'",
        ),
        ({"priors": "half"}, "priors holds the text 'half'"),
        ({"priors": [0.5]}, "priors is [0.5]"),
        ({"priors": np.nan}, "priors is nan"),
        ({"pos_label": 7}, "pos_label is '7'"),
    ],
)
def test_other_arguments(tmp_path, options, words):
    _, refusal = attempt(lambda: page(tmp_path, {"m": (BINARY, SCORE)}, **options))
    assert refusal is not None
    assert words in refusal


@effort(12, 400)
def test_any_names(examples, tmp_path):
    """Text of any kind, half of a surrogate pair included, is shown as text."""

    def law(title, model, classes):
        truth = np.empty(4, dtype=object)
        truth[:] = [*classes, *classes]
        predictions = {model: (truth, [0.1, 0.9, 0.4, 0.3])}
        text = page(tmp_path, predictions, title=title, pos_label=classes[1])
        assert text.count("</script>") == page(tmp_path, {"m": (BINARY, SCORE)}).count("</script>")

    text = st.text(st.characters(), max_size=8) | st.sampled_from(["</script>", "{{data}}", "\0"])
    fuzz(
        law,
        examples,
        title=text,
        model=text,
        # numpy compares text without the NULs at its end, so labels end in something else.
        classes=st.lists(text.map(lambda t: f"{t}."), min_size=2, max_size=2, unique=True),
    )
