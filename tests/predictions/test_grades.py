"""Graded answers and tables of JSON: what is read how, and what is refused in which words."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cautious
from cautious.errors import InputError
from cautious.predictions._json_lines import read_json

ROWS = [
    {"id": 9007199254740993, "answer": {"text": "x", "conf": 0.9}, "ok": True, "topic": "a"},
    {"id": 9007199254740994, "answer": {"text": "y", "conf": None}, "ok": False, "topic": "b"},
    {"id": 9007199254740995, "answer": {"text": "z", "conf": 0.5}, "ok": True},
]
NAMED = {"correct": "ok", "confidence": "answer.conf"}


def lines(rows):
    return "\n".join(map(json.dumps, rows)) + "\n"


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", lines(ROWS)),
        ("a.jsonl", "\ufeff\n" + lines(ROWS).replace("\n", "\r\n\r\n")),
        ("a.json", json.dumps(ROWS, indent=1)),
        ("a.ndjson.gz", gzip.compress(lines(ROWS).encode())),
        ("a.txt", lines(ROWS)),
    ],
)
def test_json_is_read_as_a_table(tmp_path, name, content):
    path = written(tmp_path, name, content)
    found = cautious.read_predictions(path, **NAMED, case="id", groups="topic").only
    assert found.graded
    assert found.classes == ("wrong", "right")
    assert found.codes.tolist() == [1, 0, 1]
    assert found.case.tolist() == ["9007199254740993", "9007199254740994", "9007199254740995"]
    assert found.groups.tolist() == ["a", "b", ""]
    np.testing.assert_array_equal(found.y_score, [0.9, np.nan, 0.5])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"ok": 1}\n{"ok": 1\n', "line 2 cannot be read as JSON"),
        ('{"ok": 1}\n[1]\n', "line 2 holds '[1]', which is no object"),
        ('{"ok": 1, "ok": 0}\n', "line 1 cannot be read as JSON ('ok' is given twice)"),
        ('{"a": {"b": 1}, "a.b": 2}\n', "line 1 cannot be read as JSON ('a.b' is given twice)"),
        ('[{"ok": 1}, 7]', "object 2 holds '7'"),
        ('[{"ok": 1},\n{"ok" 1}]', "line 2 cannot be read as JSON"),
        ('{"ok": 1}\n{"ok": 1} {}', "line 2 cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        (b'{"ok": "\xff"}\n', "not text in UTF-8"),
    ],
)
def test_broken_json_is_refused_by_its_line(tmp_path, content, words):
    path = written(tmp_path, "a.jsonl", content)
    with pytest.raises(InputError) as refused:
        cautious.read_predictions(path, correct="ok", confidence="conf")
    assert words in str(refused.value)
    assert "a.jsonl" in str(refused.value)


cells = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())


@given(st.lists(st.tuples(cells, st.booleans(), st.floats(0, 1)), min_size=1, max_size=5))
def test_lines_and_frames_of_the_same_cells_are_read_alike(rows):
    frame = pd.DataFrame(
        {
            "topic": pd.Series([row[0] for row in rows], dtype=object),
            "ok": [row[1] for row in rows],
            "confidence": [row[2] for row in rows],
        }
    )
    text = lines([dict(zip(frame.columns, row, strict=True)) for row in rows])
    read, where = read_json(text.encode())
    assert read.to_numpy().tolist() == frame.to_numpy(dtype=object).tolist()
    assert where(0) == "line 1"


WORDS = {1: [True, 1, 1.0, "yes", "Correct", " RIGHT "], 0: [False, 0, "no", "incorrect", "wrong"]}


@pytest.mark.parametrize(("code", "cell"), [(c, cell) for c in WORDS for cell in WORDS[c]])
def test_grades_in_any_usual_words(code, cell):
    frame = pd.DataFrame({"correct": [cell, cell], "confidence": [0.2, 0.4]})
    assert cautious.read_predictions(frame, correct="correct").codes.tolist() == [code, code]


def graded(**columns):
    frame = {"ok": [1, 0, 1, 0], "confidence": [0.9, 0.8, 0.3, 0.2]}
    return pd.DataFrame(frame | columns)


def test_what_must_not_be_answered_is_wrong_whatever_its_grade():
    frame = graded(ok=[1, 0, 1, None], can=[True, True, False, "no"])
    found = cautious.read_predictions(frame, correct="ok", answerable="can").only
    assert found.codes.tolist() == [1, 0, 0, 0]
    assert found.answerable.tolist() == [True, True, False, False]


def test_ungraded_answers_stay_beside_with_the_judge():
    frame = graded(ok=[1, None, 0, None], judge=["yes", "no", None, "yes"], group=[*"abab"])
    found = cautious.read_predictions(frame, correct="ok", judge="judge").only
    assert found.n == 2
    assert found.judge.tolist() == [1, -1]
    assert found.ungraded.y_score.tolist() == [0.8, 0.2]
    assert found.ungraded.judge.tolist() == [0, 1]
    assert found.ungraded.groups.tolist() == ["b", "b"]
    with pytest.raises(InputError, match="the grade is missing"):
        cautious.read_predictions(frame, correct="ok")
    kept = cautious.read_predictions(frame, correct="ok", drop_missing=True).only
    assert kept.ungraded.y_score.tolist() == [0.8, 0.2]


def test_several_confidences_are_several_models():
    frame = graded(verbal=[90, 70, None, 20])
    found = cautious.read_predictions(frame, correct="ok", confidence=["confidence", "verbal"])
    assert list(found) == ["confidence", "verbal"]
    assert found["verbal"].missing.sum() == 1
    assert "no confidence in 1 of 4 answers; escalated" in map(str, found.notes)


@pytest.mark.parametrize(
    ("columns", "named", "words"),
    [
        (
            {"ok": [1, 0, "partially correct", 1]},
            {"correct": "ok"},
            "'partially correct' is no grade",
        ),
        ({}, {"confidence": "confidence"}, "confidence is given without correct"),
        ({}, {"correct": "ok", "truth": "ok"}, "graded answers"),
        ({}, {"correct": "okay"}, "correct is 'okay', but the columns are"),
        ({}, {"correct": "ok", "judge": "gpt"}, "judge is 'gpt'"),
        ({"confidence": ["high", 1, 1, 1]}, {"correct": "ok"}, "'high' is not a number"),
    ],
)
def test_what_is_odd_is_asked_about(columns, named, words):
    with pytest.raises(InputError) as refused:
        cautious.read_predictions(graded(**columns), **named)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("confidence", "asked"),
    [
        ([0.9, 0.4, 85, 30.5], True),  # shares, and per cent
        ([0.5, 0.9, 0.2, 85], True),
        ([0.9, 0.4, 0.3, 1], False),
        ([90, 40, 85, 30], False),
        ([0.4, 2.5, 7, 30], False),  # any scale
        ([0, 1, 85, 30], False),
        ([-0.5, 0.4, 85, 30], False),
    ],
)
def test_shares_and_per_cent_in_one_column_are_noticed(confidence, asked):
    frame = pd.DataFrame({"ok": [1, 0, 1, 0], "confidence": confidence})
    notes = list(map(str, cautious.read_predictions(frame, correct="ok").notes))
    assert any("shares and per cent" in one for one in notes) == asked
