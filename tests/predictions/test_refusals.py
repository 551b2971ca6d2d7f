"""Every refusal: its name, and words that say where, what, and what to do."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import sys

import numpy as np
import pandas as pd
import pytest

from cautious._messages import HINTS, NOTES, REFUSALS, page_rules
from cautious.errors import ARGUMENTS, InputError, Message, listed, quoted
from cautious.predictions import Predictions, read_predictions
from cautious.predictions._reader import align

MANY = "".join(f"{0.01 * k:.2f},{k % 2}\n" for k in range(40))
LONG = "y_true,score,note\n0,.1," + "long" * 50_000 + "\n1,high,\n"
OK = "y_true,score\n0,0.25\n1,0.75\n"

TABLES = [
    # Files.
    ("empty file", "\n \n", "empty"),
    ("other file", b"PK\x03\x04abc", "zip archive"),
    ("other file", b"\xd0\xcf\x11\xe0abc", "Excel"),
    ("not text", "y_true,score\nthé,1\n".encode("latin-1"), "byte 15"),
    ("not text", "y_true,score\n0,1\n".encode("utf-16")[:-1], "UTF-16"),
    ("not text", "y_true,score\n0,1\n".encode("utf-16-le"), "UTF-8 (byte 1)"),
    ("row length", "y_true,score\n0,0.1\n1\n", "line 3 has 1 cells, but the heading has 2"),
    ("row length", "y_true,score\n0,0.1\n" + "," * 300_000 + "\n", "has 300001 cells"),
    ("quotation", 'y_true,score\n0,"0.1\n1,0.2\n', "line 2 has a quotation"),
    ("quotation", 'y_true,score\n0,"0.1"x\n1,0.2\n', "line 2 has a quotation"),
    ("damaged gzip", gzip.compress(OK.encode() * 99, mtime=0)[:-20], "gzip"),
    ("damaged gzip", b"\x1f\x8b" + b"nonsense" * 9, "gzip"),
    # The table and its columns.
    ("no truth column", "0,0.2\n1,0.8\n", "does the file lack a heading?"),
    ("no truth column", "benign,0.2\nmalignant,0.8\n", "does the file lack a heading?"),
    ("long name", f"y_true,score,{'x' * 200_000}\n0,1,2\n", "shorten it"),
    ("long name", "9" * 100_000 + ",0.2\n1,0.8\n", "lack a heading?"),
    ("no predictions column", "y_true,y_pred\n0,1\n1,1\n", "sets='y_pred'"),
    ("no predictions column", "y_true,y_pred,confidence\n0,1,.9\n1,1,.8\n", "sets='y_pred'"),
    # Numbers.
    ("not a number", 'y_true,score,note\n0,.1,"two\nlines"\n\n  \n1,high,\n', "line 6: 'high'"),
    ("not a number", LONG, "line 3: 'high'"),
    ("not a number", "y_true,score\n0,1_000\n1,2\n", "'1_000'"),
    ("not a number", "y_true,score\n0,\u0661\n1,2\n", "is not a number"),
    ("not a number", "y_true,score\n0,true\n1,false\n", "2 such cells). Write 1 for true"),
    ("not a number", "y_true,score\n0,20%\n1,80 %\n", "Write 0.2 for 20%."),
    ("not a number", "y_true,score\n0,0x1F\n1,1\n", "Write 31."),
    ("not a number", "y_true,score\n0,12:30\n1,1\n", "a date or a time"),
    ("missing score", "y_true,score\n0,NA\n1,0.1\n", "missing='abstain'"),
    ("missing number", "y_true,score,weight\n0,.5,1\n1,.2,\n", "column 'weight', line 3"),
    ("no probability", "y_true,p_0,p_1\n0,0.1,1.0000001\n", "1.0000001"),
    ("no probability", "y_true,p_0,p_1\n0,-0.1,0.9\n", "column 'p_0', line 2: -0.1"),
    ("no probability", "y_true,p_1\n0,1.5\n1,0.2\n", "name the column with score"),
    ("no probability", "y_true,p_1\n0,inf\n1,0.2\n", "inf"),
    ("no probability", "y_true,p_a,p_b,p_c\na,33,33,34\nb,20,70,10\n", "Are these per cent?"),
    ("no probability", "y_true,p_1\n0,33\n1,20\n", "Are these per cent?"),
    ("weight", "y_true,score,weight\n0,.5,1\n1,.2,4294967296\n", "and below 2**32."),
    ("weight", "y_true,score,weight\n0,.5,1\n1,.2,1e-20\n", "1e-20"),
    # Labels.
    ("missing truth", "y_true,score\n0,0.1\n  ,0.1\n", "drop_missing"),
    ("unknown truth", "y_true,p_a,p_b,p_c\nA,.4,.6,0\nb,.5,.5,0\n", "Did you mean 'a'?"),
    ("unknown truth", "y_true,p_a,p_b,p_c\na ,.4,.6,0\nb,.5,.5,0\n", "Did you mean 'a'?"),
    ("unknown truth", "y_true,set_a,set_b\nc,1,0\n", "'c' is not among the classes 'a', 'b'"),
    ("one class", "y_true,score,model\n0,1,x\n1,2,x\n1,1,y\n", "'y': every row has the truth '1'"),
    ("one class", "y_true,score,weight\n0,.5,0\n1,.2,1\n", "every row has the truth '1'"),
    ("no weight", "y_true,score,weight\n0,.5,0\n1,.2,0\n", "no row has a positive weight"),
    ("many classes", "y_true,score\nno,.4\nyes,.5\nYes,.5\n", "'Yes' and 'yes' differ by spaces"),
    ("many truths", f"y_true,score\n{MANY}", "40 different truths; are 'y_true' and 'score' swap"),
    # Sets.
    ("set quotation", "y_true,y_set\na,a\nb,['a]\n", "write a|b"),
    ("empty set", "y_true,set_a,set_b\na,1,0\nb,0,0\n", "line 3: the set is empty (1 such cell)"),
    ("membership", "y_true,set_a,set_b\na,1,\n", "column 'set_b', line 2: ''"),
]

SAID = [
    ("no such column", {"truth": "y_ture"}, "truth is 'y_ture', but the columns are"),
    ("no such column", {"truth": "y_ture"}, "Did you mean 'y_true'?"),
    ("no such column", {"score": "p"}, "score is 'p'"),
    ("no such column", {"weight": "w"}, "weight is 'w'"),
    ("no such column", {"case": "id"}, "case is 'id'"),
    ("no such columns", {"proba": "q_"}, "no column is called or begins so"),
    ("no such columns", {"sets": "q_"}, "no column is called or begins so"),
    ("score and proba", {"proba": "s", "score": "score"}, "both given"),
    ("positive unknown", {"pos_label": "2"}, "pos_label is '2', but the classes are '0', '1'"),
    ("classes no pair", {"classes": ["0", "1", "2"]}, "give two different labels"),
    ("repeated classes", {"classes": ["0", "0"]}, "only once"),
    ("unknown truth", {"classes": ["1", "2"]}, "the truth '0' is not among the classes '1', '2'"),
    ("choice", {"empty": "perhaps"}, "empty is 'perhaps'; choose 'error'"),
    ("choice", {"missing": "wrong"}, "missing is 'wrong'; choose 'error'"),
    ("unknown encoding", {"encoding": "klingon"}, "'klingon'"),
    ("unknown encoding", {"encoding": "rot13"}, "'rot13'"),  # which is not of text
    ("no classes", {"truth": False}, "give classes"),
    ("cost names", {"cost_columns": {"fn": "score"}}, "'fn'; the costs per case are false_neg"),
]


@pytest.mark.parametrize(("key", "text", "words"), TABLES)
def test_tables(read, key, text, words):
    with pytest.raises(InputError) as caught:
        read(text)
    assert (caught.value.key, words) == (key, words)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(("key", "options", "words"), SAID)
def test_what_the_caller_says(read, key, options, words):
    with pytest.raises(InputError) as caught:
        read(OK, **options)
    assert caught.value.key == key
    assert words in str(caught.value)


def test_costs_per_case(read):
    text = "y_true,score,loss\n0,.1,3\n1,.9,4\n"
    found = read(text, cost_columns={"false_negative": "loss"})
    assert found.costs["false_negative"].tolist() == [3, 4]
    for cell in ("-1", "inf"):
        with pytest.raises(InputError, match=r"column 'loss', line 3: the cost"):
            read(text.replace(",4", f",{cell}"), cost_columns={"false_negative": "loss"})


class TestFiles:
    def test_what_is_no_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"nowhere.csv does not exist"):
            read_predictions(tmp_path / "nowhere.csv")
        (tmp_path / "log.csv").write_text(OK)
        with pytest.raises(IsADirectoryError, match=r"(?s)is a folder.*In Python summary = "):
            read_predictions(tmp_path)
        with pytest.raises(InputError, match="is a device"):
            read_predictions("/dev/null")

    def test_one_file_twice(self, tmp_path):
        (tmp_path / "a.csv").write_text(OK)
        with pytest.raises(InputError, match="given twice"):
            read_predictions([tmp_path / "a.csv", tmp_path / "a.csv"])

    def test_no_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", None)
        with pytest.raises(InputError, match="standard input is closed"):
            read_predictions("-")

    def test_columns_of_a_kind_that_cannot_be_read(self):
        frame = pd.DataFrame({"y_true": [0, 1], "score": [{"a": 1}, {"a": 2}]})
        with pytest.raises(InputError, match="is not a number"):
            read_predictions(frame)
        pa = pytest.importorskip("pyarrow")
        structs = pa.table({"y_true": pa.array([{"a": 1}, {"a": 2}]), "score": [0.1, 0.2]})
        with pytest.raises(InputError, match="column 'y_true' is of the kind struct"):
            read_predictions(structs)


ARRAYS = {
    "no models": ({}, "give those of at least one model"),
    "array names": ({"m": {"y_true": [0, 1], "scores": [1, 2]}}, "'scores'"),
    "no answers": ({"m": {"y_true": [0, 1]}}, "give one of y_score"),
    "missing score": ({"m": ([0, 1], [0.1, np.nan])}, r"predictions['m']: y_score, row 1"),
    "missing truth": ({"m": ([0, None], [0.1, 0.2])}, "y_true, row 1"),
    "not a number": ({"m": ([0, 1], ["0.5", "high"])}, "y_score, row 1: 'high'"),
    "rows": ({"m": ([0, 1], [0.1, 0.2, 0.3])}, "y_true has 2 rows and y_score has 3"),
    "shape": ({"m": {"y_true": [0, 1], "y_score": np.ones((2, 1, 1))}}, "(2,) is needed"),
    "probability sum": ({"m": ([0, 1], np.full((2, 2), 0.7))}, "y_proba, row 0"),
    "no probability": ({"m": ([0, 1], [[1.5, -0.5]] * 2)}, "y_proba[:, 0], row 0: 1.5"),
    "width": ({"m": ([0, 1], np.full((2, 4), 0.25))}, "4 columns but there are 2 classes"),
    "weight": ({"m": {"y_true": [0, 1], "y_score": [1, 2], "sample_weight": [1, 1e308]}}, "row 1"),
    "no rows": ({"m": ([], [])}, "no rows"),
}


@pytest.mark.parametrize("key", ARRAYS)
def test_arrays(key):
    given, words = ARRAYS[key]
    with pytest.raises(InputError) as caught:
        read_predictions(given)
    assert caught.value.key == key
    assert words in str(caught.value)


def test_what_is_no_source():
    with pytest.raises(TypeError, match="come from int"):
        read_predictions(3)
    with pytest.raises(TypeError, match=r"predictions\['m'\]: this is int; give"):
        read_predictions({"m": 3})


class TestSeveralModels:
    ONE = ([0, 1], [0.1, 0.9])

    def test_names_and_attributes(self, tmp_path):
        found = read_predictions({"a": self.ONE, "b": self.ONE})
        with pytest.raises(InputError, match="several models, 'a', 'b'"):
            found.y_score  # noqa: B018
        with pytest.raises(AttributeError, match="nonsense"):
            found.nonsense  # noqa: B018
        with pytest.raises(InputError, match="two models are called 'a'"):
            Predictions([found["a"], found["a"]])
        other = read_predictions({"a": self.ONE, "b": (["no", "yes"], [0.1, 0.9])})
        with pytest.raises(InputError, match="'a' and 'b' are about different classes"):
            other.classes  # noqa: B018
        with pytest.raises(InputError, match="no groups"):
            found["a"].of_group("north")

    @pytest.mark.parametrize(
        ("key", "other"),
        [
            ("other rows", ([0, 1, 1], [0.1, 0.2, 0.3])),
            ("other truth", ([1, 0], [0.1, 0.2])),
            ("other classes", (["no", "yes"], [0.1, 0.9])),
            ("case twice", {"y_true": [0, 1], "y_score": [1, 2], "case": ["x", "x"]}),
            ("other cases", {"y_true": [0, 1], "y_score": [1, 2], "case": ["x", "z"]}),
        ],
    )
    def test_alignment(self, key, other):
        first = {"y_true": [0, 1], "y_score": [0.1, 0.9], "case": ["x", "y"]}
        with pytest.raises(InputError) as caught:
            align(read_predictions({"a": first, "b": other}))
        assert caught.value.key == key

    def test_one_model_cannot_be_aligned(self):
        with pytest.raises(InputError, match="only one model"):
            align(read_predictions({"a": self.ONE}))


class TestMessages:
    def test_every_way_has_its_own_words_for_arguments(self):
        error = InputError("say {value} with {=pos_label label} or {==other}.", value="{=truth}",
                           label="yes", other="groups")  # fmt: skip
        assert str(error) == "say {=truth} with pos_label='yes' or groups."
        assert error.words("cli") == "say {=truth} with --positive yes or --group."
        page = "say {=truth} with the positive class 'yes' or the column of groups."
        assert error.words("page") == page
        unknown = InputError("{=max_error} is 2.")
        assert unknown.words("cli") == "--max-error is 2."
        assert unknown.words("page") == "max error is 2."

    def test_places_and_hints(self):
        message = Message("bad.", place="line 3", hints=(Message("Mend it."),)).at("a.csv", "")
        assert str(message) == "a.csv: line 3: bad. Mend it."
        assert message.words(place=False) == "bad. Mend it."
        assert str(InputError(message).at("x")) == "x: a.csv: line 3: bad. Mend it."

    def test_errors_travel_between_processes(self):
        error = InputError("{=empty} is {given}.", given=quoted("x")).at("a.csv")
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
        assert isinstance(error, ValueError)

    def test_text_of_users_stays_on_one_line_and_short(self):
        assert quoted("a\nb\x1b[31m\ud800") == "'a\\u000ab\\u001b[31m\\ud800'"
        assert len(quoted("x" * 10**6)) < 50
        assert listed(range(100)).endswith("… 100 in all")

    def test_the_columns_taken_are_told_with_an_error(self, read):
        with pytest.raises(InputError) as caught:
            read("y_true,score,id\n0,.1,5\n1,high,6\n")
        (note,) = caught.value.notes
        assert note.words(place=False) == "truth 'y_true', score 'score'; ignored 'id'"

    def test_rules_are_plain_data(self):
        rules = page_rules()
        assert json.loads(json.dumps(rules)) == rules
        assert len(REFUSALS) >= 30
        used = {key for key, *_ in (*TABLES, *SAID)} | ARRAYS.keys()
        assert used <= REFUSALS.keys()
        every = [*REFUSALS.values(), *HINTS.values(), *NOTES.values()]
        for template in every:
            fields = re.findall(r"\{(=*)(\w+)", template)
            assert all(name in ARGUMENTS for mark, name in fields if mark == "=")
